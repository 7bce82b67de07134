"""`/character learn`, `advance`, `export`, `give` and `retire`: who may, what it costs, who is
told.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.discord.world import World, labels, message_of, pings, private, refusal_of, texts
from tests.sample_table import ebb_character

NEW = {
    "skill": "Diving",
    "attribute": "Fitness",
    "drawback": "Afraid of eels",
    "explanation": "Three weeks under the lock.",
}


async def _names(world: World, who: Any, command: str, option: str, **filled: Any) -> list[str]:
    choices = await who.autocomplete(world.zone, command, option, "", **filled)
    return [choice["name"] for choice in choices]


async def _rich(world: World, fate: int = 25) -> None:
    """The usual table, with Fate for Ana's Marek."""
    await world.setup(gm_channel=True)
    await world.bring(world.ana, "Marek", fate=fate)
    await world.bring(world.ben, "Ilka")


# --- growing --------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-FATE", "EBB-DRAWBACK")
async def test_learning_says_what_it_cost_and_what_moved(world: World) -> None:
    await _rich(world)
    answer = private(
        await world.gina.slash(world.zone, "character learn", character="Marek", **NEW)
    )
    assert "New drawback: Afraid of eels." in answer
    assert "Diving" not in answer, "everybody reads that below"
    told = texts(world.last())
    assert "Marek learns something new" in told
    assert "Three weeks under the lock." in told
    assert "eels" not in told
    assert "**Fitness 2:** Climbing d8, Running d6, Diving d4" in private(
        await world.ana.slash(world.zone, "character show")
    )
    more = NEW | {"skill": "Sinking"}
    private(await world.gina.slash(world.zone, "character learn", character="Marek", **more))
    assert "in Fitness (still 2)." in texts(world.last())


@pytest.mark.rule("EBB-FATE")
async def test_what_learning_lacks_is_said(world: World) -> None:
    await _rich(world, fate=3)
    short = refusal_of(await world.ana.slash(world.zone, "character learn", **NEW))
    assert "That costs 10 Fate points, and you have 3: 7 more needed." in short
    for changes, text in (
        ({"explanation": " "}, "`explanation` is empty. Write how it came about."),
        ({"drawback": " "}, "`drawback`: missing. Fill it in."),
        ({"skill": "climbing"}, "Climbing is on the sheet already"),
        ({"attribute": "Luck"}, "No attribute “Luck”."),
    ):
        assert text in refusal_of(
            await world.ana.slash(world.zone, "character learn", **(NEW | changes))
        )
    assert "to choose here" in refusal_of(
        await world.ana.slash(world.zone, "character learn", character="Ilka", **NEW)
    )


@pytest.mark.rule("EBB-FATE", "EBB-TIER")
async def test_advancing_offers_prices_and_takes_them(world: World) -> None:
    await _rich(world)
    offered = await _names(world, world.ana, "character advance", "skill")
    assert "Climbing d8 → d10, 10 Fate" in offered
    assert "First aid d4 → d6, 6 Fate" in offered
    private(await world.ana.slash(world.zone, "character advance", skill="Climbing"))
    answer = texts(world.last())
    assert "Climbing: d8 → d10 (expert)." in answer
    assert "10 Fate points spent, 15 left." in answer
    assert "Marek improves" in texts(world.last())
    await world.ana.slash(world.zone, "character advance", skill="climb")
    assert "Climbing d12" not in await _names(world, world.ana, "character advance", "skill")
    highest = refusal_of(await world.ana.slash(world.zone, "character advance", skill="Climbing"))
    assert "An ability's highest die is d12." in highest
    short = refusal_of(await world.ana.slash(world.zone, "character advance", skill="Running"))
    assert "That costs 8 Fate points, and you have 3: 5 more needed." in short
    assert "No ability “Flying” on this sheet." in refusal_of(
        await world.ana.slash(world.zone, "character advance", skill="Flying")
    )


async def test_gms_let_anybody_grow_and_their_own_in_secret(world: World) -> None:
    await _rich(world)
    await world.bring(world.gina, "Sidor", npc=True, fate=30)
    before = len(world.messages())
    done = await world.gina.slash(
        world.zone, "character advance", character="Sidor", skill="Rifles"
    )
    assert "Sidor improves" in private(done)
    assert "Rifles: d6 → d8" in texts(world.last(world.gm_room))
    assert len(world.messages()) == before
    await world.gina.slash(world.zone, "character advance", character="Marek", skill="Rifles")
    assert "Marek improves" in texts(world.last())
    assert "Sidor" not in world.told(world.ana)
    offered = await _names(world, world.gina, "character advance", "skill", character="Sidor")
    assert "Rifles d8 → d10, 10 Fate" in offered
    assert await _names(world, world.ana, "character advance", "skill", character="Sidor") == []
    assert await _names(world, world.ana, "character learn", "attribute", character="Ilka") == []
    assert "Zone 2" in await _names(world, world.ana, "character learn", "attribute")


# --- files ----------------------------------------------------------------------------------------


async def test_an_exported_file_imports_again_unchanged(world: World) -> None:
    await world.setup()
    extra = {
        "portrait": "https://example.org/marek.png",
        "notes": "owes Ilka\na boat",
        "injuries": [{"text": "cut", "part": "arm", "severity": "serious", "treated": True}],
        "sacrificed": {"Zone": 1},
        "scarring": ["a burn"],
        "description": "Zoë's brother.",
    }
    await world.bring(world.ana, "Marek Ōno", **extra)
    answer = await world.ana.slash(world.zone, "character export")
    assert "as a file" in private(answer)
    (file,) = message_of(answer).attachments
    assert file.filename == "marek-no.json"
    content = await file.read()
    assert {**ebb_character("Marek Ōno"), **extra}.items() <= json.loads(content).items()
    before = (await world.state()).characters["k1"]
    await world.hand_in(world.ana, "again.json", content, replace=True)
    assert (await world.state()).characters["k1"] == before


async def test_a_sheet_leaves_the_table_only_with_whoever_may_read_it(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True)
    for typed in ("Ilka", "Sidor", "k3"):
        assert "to choose here" in refusal_of(
            await world.ana.slash(world.zone, "character export", character=typed)
        )
    for typed in ("Ilka", "Sidor"):
        assert "as a file" in private(
            await world.gina.slash(world.zone, "character export", character=typed)
        )
    assert await _names(world, world.ana, "character export", "character") == ["Marek"]


async def test_a_file_comes_also_after_it_had_to_be_announced(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    get = world.bot.tables.get

    async def slowly(table_id: int) -> Any:
        await asyncio.sleep(0.05)
        return await get(table_id)

    monkeypatch.setattr("bot.delivery.response.DEFER_AFTER", 0.001)
    monkeypatch.setattr(world.bot.tables, "get", slowly)
    answer = await world.ana.slash(world.zone, "character export")
    assert [file.filename for file in message_of(answer).attachments] == ["marek.json"]


@pytest.mark.parametrize("address", ["http://example.org/a.png", "https://example", "nonsense"])
async def test_a_file_with_a_bad_portrait_is_refused(world: World, address: str) -> None:
    await world.setup()
    text = refusal_of(await world.bring(world.ana, "Marek", portrait=address, fate=-1))
    assert "Fix 2 things in this sheet" in text
    assert f"`portrait`: “{address}” isn't the address of a picture." in text


# --- hands ----------------------------------------------------------------------------------------


async def test_a_character_changes_hands(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing", attribute="Fitness")
    await world.ana.slash(world.zone, "character give", to=world.ben)
    told, call = world.messages()[-2:]
    assert f"{world.ben.mention} plays Marek now." in texts(told)
    assert pings(call, world.env) == [world.ben.id]
    gone = refusal_of(await world.ana.slash(world.zone, "character show"))
    assert "You don't play at this table" in gone
    assert "Ilka" in private(await world.ben.slash(world.zone, "character show")), (
        "whom he acts as stays"
    )
    assert await _names(world, world.ben, "check", "as") == ["Ilka", "Marek"]
    await world.answer(world.newest("Answer"))
    world.dice.lay(5, 3)
    await world.press(world.ben, world.newest("Roll"), "Roll")
    assert (await world.check()).data.is_rolled


async def test_who_may_give_what(world: World) -> None:
    await world.table()
    assert "to choose here" in refusal_of(
        await world.ana.slash(world.zone, "character give", character="Ilka", to=world.ana)
    )
    assert "Only the GM" in refusal_of(
        await world.ana.slash(world.zone, "character give", npc=True)
    )
    unclear = "Who plays the character now?"
    assert "Who plays Marek now?" in private(await world.ana.slash(world.zone, "character give"))
    assert unclear in refusal_of(
        await world.ana.slash(world.zone, "character give", to=world.ben, npc=True)
    )
    assert "They already play Marek." in refusal_of(
        await world.ana.slash(world.zone, "character give", to=world.ana)
    )
    robot = world.member("robot", bot=True)
    assert "Bots can't play" in refusal_of(
        await world.ana.slash(world.zone, "character give", to=robot)
    )
    await world.gina.slash(world.zone, "character give", character="Marek", npc=True)
    assert (await world.state()).characters["k1"].owner is None
    assert "Marek belongs to the GMs now." in texts(world.last())
    await world.gina.slash(world.zone, "character give", character="Marek", to=world.ana)
    assert (await world.state()).characters["k1"].owner == "p2"
    assert "Marek" in private(await world.ana.slash(world.zone, "character show"))
    assert await _names(world, world.ana, "character give", "character") == ["Marek"]
    assert await _names(world, world.gina, "character give", "character") == ["Ilka", "Marek"]


async def test_whoever_retires_is_not_offered_until_they_are_back(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    held = refusal_of(await world.ana.slash(world.zone, "character retire"))
    assert "Marek still has open checks: c1." in held
    withdraw = world.emit(world.ana, "sg:chk:1:c1", world.card())
    await world.env.settle()
    panel = message_of(withdraw)
    if "Withdraw" not in labels(panel):
        panel = message_of(await world.press(world.ana, world.card(), "Edit"))
    await world.press(world.ana, panel, "Withdraw")
    await world.ana.slash(world.zone, "character retire")
    assert "Marek retires" in texts(world.last())
    for command, option in (
        ("check", "as"),
        ("character use", "character"),
        ("character edit", "character"),
        ("character advance", "character"),
        ("character give", "character"),
        ("character retire", "character"),
    ):
        assert await _names(world, world.ana, command, option) == [], command
        assert "Marek" not in await _names(world, world.gina, command, option), command
    for command in ("character show", "character export"):
        assert await _names(world, world.ana, command, "character") == ["Marek"], command
    assert await _names(world, world.ana, "character retire", "character", back=True) == ["Marek"]
    assert await _names(world, world.ben, "character retire", "character", back=True) == []
    assert "Retired: out of play" in private(
        await world.ana.slash(world.zone, "character show", character="Marek")
    )
    assert "Marek" not in private(await world.ben.slash(world.zone, "character list"))
    assert ": retired" in private(await world.ana.slash(world.zone, "character list"))
    await world.restart()
    await world.ana.slash(world.zone, "character retire", back=True)
    assert "Marek is in play again." in texts(world.last())
    assert "Marek" in texts(message_of(await world.propose(skill="Climbing")))


async def test_what_was_done_to_a_character_can_be_taken_back(world: World) -> None:
    await _rich(world)
    before = (await world.state()).characters["k1"]
    await world.ana.slash(world.zone, "character advance", skill="Climbing")
    await world.ana.slash(world.zone, "character give", to=world.ben)
    await world.gina.slash(world.zone, "gm undo")
    await world.gina.slash(world.zone, "gm undo")
    assert (await world.state()).characters["k1"] == before


async def test_a_sheet_shows_what_one_plays_with_first(world: World) -> None:
    await world.setup()
    await world.bring(
        world.ana,
        "Marek",
        sacrificed={"Zone": 1},
        injuries=[{"text": "broken ribs", "part": "chest", "severity": "severe"}],
    )
    text = private(await world.ana.slash(world.zone, "character show"))
    assert "Zone 1 of 2" in text
    order = [
        "**Fate:** 3 points",
        "**Health:** Badly hurt.",
        "Broken ribs (chest, severe, untreated)",
        "**Fitness 1:**",
        "Drawbacks",
    ]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)


async def test_plain_text_names_the_portrait(world: World) -> None:
    await world.setup()
    await world.bring(world.ana, "Marek", portrait="https://example.org/a.png")
    await world.ana.slash(world.zone, "table plain", on=True)
    text = private(await world.ana.slash(world.zone, "character show"))
    assert "Portrait: <https://example.org/a.png>" in text
