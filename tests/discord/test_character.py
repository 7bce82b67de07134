"""`/character`: bringing people in, looking at them, choosing who acts, and what is suggested to
whom.
"""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from tests.discord.world import (
    World,
    head,
    labels,
    menu,
    message_of,
    portrait,
    private,
    refusal_of,
    select,
    texts,
)
from tests.sample_table import ebb_character


async def _names(
    world: World, who: Any, command: str, option: str, typed: str = "", **filled: Any
) -> list[str]:
    choices = await who.autocomplete(world.zone, command, option, typed, **filled)
    return [choice["name"] for choice in choices]


# --- import ---------------------------------------------------------------------------------------


async def test_a_valid_character_is_announced(world: World) -> None:
    await world.setup()
    brought = await world.bring(world.ana, "Marek")
    assert "Marek joins the table" in private(brought)
    assert f"{world.ana.mention} plays Marek." in texts(world.last())
    assert "#2" in texts(world.last())
    assert (await world.state()).characters["k1"].name == "Marek"


@pytest.mark.rule("EBB-CHAR")
async def test_every_violation_is_named_at_once_with_its_fix(world: World) -> None:
    await world.setup()
    data = ebb_character("Marek", fate="three", hobby="chess")
    data["abilities"][0]["die"] = "d7"
    data["abilities"][1]["group"] = "Fitnes"
    del data["drawbacks"][9]
    answer = await world.hand_in(world.ana, "marek.json", json.dumps(data))
    text = refusal_of(answer)
    assert "things in this sheet" in text
    assert "`fate`: invalid value: “three”. Write a whole number, without quotation marks." in text
    assert "`hobby`: unknown field" in text
    assert "invalid die: “d7”" in text
    assert "No attribute “Fitnes”" in text
    assert "Did you mean “Fitness”?" in text
    assert "Add 1 entry" in text
    assert (await world.state()).characters == {}
    assert await world.revision() == 1


async def test_very_many_violations_come_on_several_pages(world: World) -> None:
    await world.setup()
    data = ebb_character("Marek") | {
        f"unknown field number {number}": number for number in range(120)
    }
    answer = await world.hand_in(world.ana, "marek.json", json.dumps(data))
    assert "Fix 120 things in this sheet" in private(answer)
    pages = [message_of(answer), *answer.followups]
    assert len(pages) > 1
    assert f"Page 1 of {len(pages)}." in texts(pages[0])
    assert "120. `unknown field number 119`" in texts(pages[-1])


NO_CHARACTERS: Final = (
    (b'{"name": "Marek",\n "fate": }', "The file isn't valid JSON: look at line 2, column 10."),
    (b"\xff\xfe\x00", "The file isn't readable as text. Save it as a JSON file in UTF-8"),
    (b"[1, 2]", "The file must hold one JSON object"),
    (b'"Marek"', "The file must hold one JSON object"),
    (b"", "The file isn't valid JSON: look at line 1, column 1"),
    (b"[" * 200_000, "The file can't be read: it nests too deeply"),
    (b'{"fate": ' + b"1" * 5000 + b"}", "or has a number with thousands of digits"),
    (
        b'"' + b"x" * 300_000 + b'"',
        "The file is too large. A character's file can be up to 256 KiB.",
    ),
    (b'{"name": "\\ud800"}', "has characters that can't be shown"),
    (b"{}", "missing. Add the field"),
)


async def test_a_file_that_is_no_character_says_what_is_wrong(world: World) -> None:
    await world.setup()
    for content, expected in NO_CHARACTERS:
        assert expected in refusal_of(await world.hand_in(world.ana, "marek.json", content))
        assert await world.revision() == 1


async def test_a_file_with_a_byte_order_mark_is_read(world: World) -> None:
    await world.setup()
    content = b"\xef\xbb\xbf" + json.dumps(ebb_character("Zoë")).encode()
    assert "Zoë joins the table" in private(await world.hand_in(world.ana, "zoë.json", content))


async def test_a_name_is_taken_until_replaced_by_its_owner(world: World) -> None:
    await world.table()
    again = await world.bring(world.ana, "marek", fate=5)
    assert "This table already has a character called marek." in refusal_of(again)
    assert "import again with `replace`" in refusal_of(again)
    others = await world.bring(world.ben, "Marek", replace=True)
    assert f"Marek belongs to {world.ana.mention}, so only they can do that." in refusal_of(others)
    replaced = await world.bring(world.ana, "Marek", fate=5, replace=True)
    assert "Marek has a new sheet" in private(replaced)
    state = await world.state()
    assert [(each.id, each.sheet.fate) for each in state.characters.values()] == [
        ("k1", 5),
        ("k2", 3),
    ]


async def test_a_sheet_that_an_open_check_needs_is_not_replaced_without_it(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    data = ebb_character("Marek")
    data["abilities"][0]["name"] = "Swimming"
    answer = await world.hand_in(world.ana, "marek.json", json.dumps(data), replace=True)
    assert "No ability “Climbing” on this sheet." in refusal_of(answer)


async def test_only_gms_bring_in_others(world: World) -> None:
    await world.setup()
    gm_only = f"Only the GM can do that. Ask {world.gina.mention}."
    assert gm_only in refusal_of(await world.bring(world.ana, "Sidor", npc=True))
    assert gm_only in refusal_of(await world.bring(world.ana, "Ilka", owner=world.ben))
    given = await world.bring(world.gina, "Ilka", owner=world.ben)
    private(given)
    assert f"{world.ben.mention} plays Ilka." in texts(world.last())
    assert "Ilka" in private(await world.ben.slash(world.zone, "character show"))


async def test_npcs_are_not_announced(world: World) -> None:
    await world.table()
    before = len(world.messages())
    brought = await world.bring(world.gina, "Sidor", npc=True)
    assert "Sidor is an NPC." in private(brought)
    assert len(world.messages()) == before
    for who in (world.ana, world.ben):
        assert "Sidor" not in world.told(who)
        assert "Sidor" not in private(await who.slash(world.zone, "character list"))
        assert "Sidor" not in private(await who.slash(world.zone, "table show"))
    assert "Sidor (NPC)" in private(await world.gina.slash(world.zone, "character list"))


async def test_a_character_is_given_to_somebody_on_the_server(world: World) -> None:
    await world.setup()
    stranger = world.env.create_user("stranger")
    answer = await world.bring(world.gina, "Ilka", owner=stranger)
    assert "That person isn't on this server." in refusal_of(answer)
    robot = world.member("robot", bot=True)
    assert "Bots can't play." in refusal_of(await world.bring(world.gina, "Ilka", owner=robot))


# --- show, list, use ------------------------------------------------------------------------------


async def test_a_sheet_is_shown_to_its_player_and_the_gm(world: World) -> None:
    await world.table()
    mine = private(await world.ana.slash(world.zone, "character show"))
    assert "Marek" in mine
    assert f"Played by {world.ana.mention}." in mine
    assert "**Alertness 1:** " in mine
    assert "**Fitness 1:** Climbing d8, Running d6" in mine
    assert "**Fate:** 3 points" in mine
    assert private(await world.ana.slash(world.zone, "character show", character="mar")) == mine
    assert "Only they and the GMs can see this sheet." in mine
    theirs = private(await world.gina.slash(world.zone, "character show", character="Marek"))
    assert theirs == mine.replace("Check\nAttack\n", ""), (
        "a GM does not act as a player's character"
    )


async def test_the_first_page_has_health_and_points_beside_the_picture(world: World) -> None:
    await world.table()
    shown = message_of(await world.ana.slash(world.zone, "character show"))
    assert texts(shown).startswith(
        "## Marek\nStalker\n**Fate:** 3 points\n**Health:** Unhurt.\n**Fitness 1:** "
    )
    assert "Drawbacks\n" not in texts(shown).partition("Check")[0]
    address = portrait(shown)
    assert address is not None and address.endswith("emblem.png"), (
        "whoever has no picture has an emblem"
    )
    assert labels(shown) == ["Check", "Attack", "Edit"]
    assert len(texts(shown)) < 700


async def test_the_rest_of_a_sheet_is_on_pages(world: World) -> None:
    await world.setup()
    await world.bring(
        world.ana, "Marek", equipment=["rope"], description="Wet.", notes="owes Ben", age=31
    )
    shown = message_of(await world.ana.slash(world.zone, "character show"))
    await world.restart()
    assert [each["label"] for each in menu(shown, "Page")["options"]] == [
        "Page: Sheet", "Drawbacks", "Gear", "Story", "Notes",
    ]  # fmt: skip
    for number, line in (
        ("1", "### Drawbacks\n"),
        ("2", "rope"),
        ("3", "**Age:** 31"),
        ("4", "owes Ben"),
    ):
        await world.choose(world.ana, shown, "Page", number)
        assert line in texts(shown)
        assert "**Fate:**" not in texts(shown)
        assert texts(shown).startswith("## Marek\n")
    await world.choose(world.ana, shown, "Page", "0")
    assert "**Fate:** 3 points" in texts(shown)
    foreign = world.emit(world.ben, select(shown, "Page"), shown, values=("4",))
    await world.env.settle()
    assert "owes Ben" not in texts(message_of(foreign))


async def test_a_sheet_leads_to_checks_attacks_and_changes(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True)
    shown = message_of(await world.ana.slash(world.zone, "character show"))
    panel = await world.press(world.ana, shown, "Check")
    assert "Marek" in private(panel) and "Skill: none" in private(panel)
    assert "Target" in private(await world.press(world.ana, shown, "Attack"))
    assert "Marek · Story" in private(await world.press(world.ana, shown, "Edit"))
    assert "**Fate:** 3 points" in texts(shown), "the sheet stays"
    theirs = message_of(await world.gina.slash(world.zone, "character show", character="Sidor"))
    assert "An NPC. Only the GMs can see this sheet." in texts(theirs)
    assert "Sidor" in private(await world.press(world.gina, theirs, "Check"))
    await world.ana.slash(world.zone, "character retire")
    late = await world.press(world.ana, shown, "Check")
    assert "retired" in refusal_of(late)


async def test_another_players_sheet_is_not_shown(world: World) -> None:
    await world.table()
    text = refusal_of(await world.ana.slash(world.zone, "character show", character="Ilka"))
    ben = world.ben.mention
    assert f"Ilka is {ben}'s character. Only {ben} and the GMs can see that sheet." in text
    assert "Did you mean “Ilka”" not in refusal_of(
        await world.ana.slash(world.zone, "character show", character="Il")
    )
    by_id = refusal_of(await world.ana.slash(world.zone, "character show", character="k2"))
    assert "Ilka" not in by_id


async def test_a_gms_npcs_stay_unknown_whatever_is_typed(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True)
    for typed in ("Sidor", "Sid", "k3", "sidr"):
        for command in ("character show", "character use"):
            text = refusal_of(await world.ana.slash(world.zone, command, character=typed))
            assert "Sidor" not in text.replace("“Sidor”", "")
        text = refusal_of(await world.propose(**{"as": typed}))
        assert "Sidor" not in text.replace("“Sidor”", "")
    assert "“sidr”" in text


async def test_without_a_character_it_says_how_to_bring_one(world: World) -> None:
    await world.setup()
    for who, title in (
        (world.gina, "No character yet"),
        (world.ana, "You don't play at this table"),
    ):
        for command in ("character show", "check"):
            text = refusal_of(await who.slash(world.zone, command))
            assert title in text and "with /character create" in text


async def test_whoever_has_several_says_who_acts(world: World) -> None:
    await world.table()
    await world.bring(world.ana, "Jana")
    used = await world.ana.slash(world.zone, "character use", character="jan")
    assert "You act as Jana" in private(used)
    assert "Jana" in private(await world.ana.slash(world.zone, "character show"))
    assert "Jana" in texts(message_of(await world.propose(skill="Climbing")))
    assert "Marek" in texts(message_of(await world.propose(skill="Climbing", **{"as": "Marek"})))
    again = refusal_of(await world.ana.slash(world.zone, "character use", character="Jana"))
    assert "You already act as Jana." in again
    unclear = refusal_of(await world.ana.slash(world.zone, "character use", character=" "))
    assert "to choose here" in unclear
    listed = private(await world.ana.slash(world.zone, "character list"))
    assert f"Jana ({world.ana.mention}) · 3 Fate: your main character" in listed
    assert f"Ilka ({world.ben.mention})" in listed


async def test_ones_main_character_is_picked_from_a_menu(world: World) -> None:
    await world.table()
    await world.bring(world.ana, "Jana")
    card = message_of(await world.ana.slash(world.zone, "character use"))
    assert head(card) == "You act as Marek"
    await world.choose(world.ana, card, "Your main character", "k3")
    assert head(card) == "You act as Jana"
    await world.choose(world.ana, card, "Your main character", "k3")
    assert (await world.state()).person("p2").active == "k3"
    nobody = refusal_of(await world.gina.slash(world.zone, "character use"))
    assert "No character yet" in nobody


async def test_the_list_opens_sheets(world: World) -> None:
    await world.table()
    listed = message_of(await world.ana.slash(world.zone, "character list"))
    assert [each["label"] for each in menu(listed, "Open a sheet")["options"]] == ["Marek"]
    sheet = await world.choose(world.ana, listed, "Open a sheet", "k1")
    assert "**Fate:** 3 points" in private(sheet)
    assert head(listed) == "Characters at this table"
    theirs = message_of(await world.gina.slash(world.zone, "character list"))
    assert len(menu(theirs, "Open a sheet")["options"]) == 2


async def test_a_name_that_fits_several_is_asked_about(world: World) -> None:
    await world.table()
    await world.bring(world.ana, "Marta")
    text = refusal_of(await world.ana.slash(world.zone, "character use", character="mar"))
    assert "“mar” could be Marek or Marta. Type more of it." in text


async def test_markdown_and_mentions_in_a_name_are_harmless(world: World) -> None:
    await world.setup()
    name = "**@everyone** `x`"
    text = private(await world.bring(world.ana, name))
    assert "**@everyone**" not in text
    assert "@everyone" not in text
    assert world.env.backend.get_message(world.zone.id, world.last().id).mention_everyone is False


# --- suggestions ----------------------------------------------------------------------------------


async def test_only_ones_own_characters_are_suggested(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True)
    for command, option in (
        ("character show", "character"),
        ("character use", "character"),
        ("check", "as"),
    ):
        assert await _names(world, world.ana, command, option) == ["Marek"], command
        assert await _names(world, world.ben, command, option, "il") == ["Ilka"], command
        assert await _names(world, world.ana, command, option, "sid") == [], command
    assert await _names(world, world.gina, "check", "as") == ["Sidor"]
    assert await _names(world, world.gina, "character show", "character") == [
        "Ilka",
        "Marek",
        "Sidor",
    ]
    for who in (world.ana, world.ben):
        assert "Sidor" not in world.told(who)


async def test_what_a_check_offers_fits_the_character_who_acts(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True, role="Trader")
    assert await _names(world, world.ana, "check", "skill", "cl") == ["Climbing d8"]
    assert await _names(world, world.ana, "check", "attribute", "z") == ["Zone 2"]
    assert await _names(world, world.ana, "check", "difficulty", "tri") == ["Tricky (10)"]
    assert await _names(world, world.ana, "check", "difficulty", "14") == ["14"]
    options = await world.ana.autocomplete(world.zone, "check", "with", "drawback, fl")
    assert [choice["value"] for choice in options] == ["drawback, flaw: 1", "drawback, flaw: 2"]
    assert await _names(world, world.ana, "check", "with", "specialist") == [], (
        "that is the GM's to say"
    )
    assert len(await _names(world, world.gina, "check", "skill", **{"as": "Sidor"})) == 10
    assert await _names(world, world.ana, "check", "skill", **{"as": "Sidor"}) == []


async def test_where_there_is_nothing_to_suggest_nothing_is(world: World) -> None:
    for option in ("skill", "attribute", "difficulty", "with", "as"):
        assert await _names(world, world.ana, "check", option) == []
    assert await _names(world, world.gina, "gm undo", "entry") == []
    await world.setup()
    assert await _names(world, world.ana, "check", "skill") == []
    assert await _names(world, world.ana, "gm undo", "entry") == [], "the journal is the GMs'"


async def test_nobody_is_called_what_looks_like_somebody_else(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="revealed")
    for name in ("Ma\u200brek", "\u2060", "\u3164", "Marek\ufe0f", "\u202e"):
        told = refusal_of(await world.bring(world.ben, name))
        assert "has an invisible character: U+" in told, ascii(name)
        assert "Type it again without it" in told
    for name in ("\u041carek", "MAREK", "S\u0456dor"):
        assert "already" in refusal_of(await world.bring(world.ben, name)), ascii(name)
    assert "would be taken for somebody else" in refusal_of(await world.bring(world.ben, "the GMs"))
    for command in ("gm npc add", "initiative add"):
        await world.gina.slash(world.zone, "initiative start")
        assert "invisible character" in refusal_of(
            await world.gina.slash(world.zone, command, name="\u202e")
        )
    assert "invisible character" in refusal_of(
        await world.ben.slash(world.zone, "roll-save", name="stab\u2060", dice="d20")
    )
    assert len((await world.state()).characters) == 3
