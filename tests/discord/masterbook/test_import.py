"""Files of characters under MasterBook: what breaks a rule of creation, and options of others."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from rules.systems.masterbook.checks.sheet_view import READY
from tests.discord.masterbook.table import FIGHTER
from tests.discord.world import World, private, refusal_of, texts

#: A fighter with 68 points and all skill points spent.
LEGAL: Final[dict[str, Any]] = FIGHTER | {
    "skills": [
        {"name": "Stealth", "adds": 3},
        {"name": "Fire Combat", "adds": 3, "specializations": {"pistols": 2}},
        {"name": "Melee Combat", "adds": 3},
        {"name": "Dodge", "adds": 3},
        {"name": "Melee Parry", "adds": 2},
        {"name": "Willpower", "adds": 1},
        {"name": "First Aid", "adds": 2},
    ]
}


async def _open(world: World, **settings: str) -> None:
    await world.setup(system="masterbook", gm_channel=True)
    for key, value in settings.items():
        await world.gina.slash(world.zone, "gm settings", setting=key, value=value)


async def _names(world: World) -> list[str]:
    return [character.name for character in (await world.state()).characters.values()]


@pytest.mark.rule("MB-CHAR-18")
async def test_a_sheet_over_budget_is_refused_with_everything_that_is_wrong(world: World) -> None:
    await _open(world)
    wrong = LEGAL | {"agility": 50, "skills": [{"name": "Dodge", "adds": 40}]}
    wrong["advantages"] = ["Luck (CIV)", "Luck (CII)"]
    told = refusal_of(
        await world.hand_in(world.ana, "zed.json", json.dumps({"name": "Zed"} | wrong))
    )
    assert "Agility is 50; the highest value allowed here is 13." in told, told
    assert "Attributes use 109 points, but only 68 are available (41 too many)." in told, told
    assert "dodge has 40 bought adds; at creation the most is 3." in told, told
    assert "Background options are not used in this game." in told, told
    assert "turn them on with /gm settings" in told, told
    assert await _names(world) == []
    private(await world.hand_in(world.ana, "zed.json", json.dumps({"name": "Zed"} | LEGAL)))
    assert await _names(world) == ["Zed"]


@pytest.mark.rule("MB-BG-02", "MB-BG-04", "MB-BG-27")
async def test_two_lucks_are_refused_where_options_are_used(world: World) -> None:
    await _open(world, background_generation="on", background_limits="1 1 1 1")
    wrong = {"name": "Zed"} | LEGAL | {"advantages": ["Luck (CIV)", "Luck (CII)"]}
    told = refusal_of(await world.hand_in(world.ana, "zed.json", json.dumps(wrong)))
    assert "Luck (CIV) cannot be combined with Luck (CII)." in told, told
    assert "Column 2: 1 Compensations required, 0 chosen; add 1." in told, told
    assert await _names(world) == []


@pytest.mark.rule("MB-BG-01", "MB-BG-08")
async def test_unknown_options_are_refused_or_kept_as_words(world: World) -> None:
    await _open(world, background_generation="on", background_limits="1 1 1 1")
    foreign = {"name": "Iron Will", "column": 2, "label": "Grit"}
    sheet = {"name": "Zed"} | LEGAL | {"advantages": [foreign]}
    told = refusal_of(await world.hand_in(world.ana, "zed.json", json.dumps(sheet)))
    assert "Unknown Advantage 'Iron Will' in Column 2." in told, told
    typed = sheet | {"advantages": ["Luk (CII)"]}
    told = refusal_of(await world.hand_in(world.ana, "zed.json", json.dumps(typed), grown=True))
    assert "Luck (CII)" in told and await _names(world) == [], told
    answer = await world.hand_in(world.ana, "zed.json", json.dumps(sheet), grown=True)
    said = "This table doesn't have Iron Will (CII): kept as words, without effect."
    assert said in "\n".join(map(texts, world.messages(world.gm_room)))
    assert any(said in texts(each) for each in (answer.response, *answer.followups))
    (character,) = (await world.state()).characters.values()
    (option,) = character.sheet.advantages
    assert (option.name, option.label) == ("custom", "Grit")


async def test_a_file_of_a_megabyte_is_refused_and_nothing_is_lost(world: World) -> None:
    await _open(world)
    private(await world.hand_in(world.ana, "zed.json", json.dumps({"name": "Zed"} | LEGAL)))
    before = (await world.state()).characters
    rows = [{"name": f"Option {number}", "column": 1} for number in range(20_000)]
    large = json.dumps({"name": "Zed"} | LEGAL | {"advantages": rows})
    assert len(large) > 600_000
    refusal_of(await world.hand_in(world.ana, "zed.json", large, replace=True))
    assert (await world.state()).characters == before


@pytest.mark.rule("MB-CHAR-20")
async def test_a_ready_character_with_a_misprint_can_be_taken(world: World) -> None:
    await _open(world)
    options = ("advantages", "compensations")
    row = {key: value for key, value in READY[0].items() if key not in options}
    private(await world.hand_in(world.ana, "diane.json", json.dumps(row)))
    assert await _names(world) == ["Diane O'Rourke"]
