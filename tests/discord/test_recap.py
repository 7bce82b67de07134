"""`/recap` and `/log`: the story as each reader was told it, page by page, and nothing hidden."""

from __future__ import annotations

from typing import Any

import pytest
from simcord.actors import MemberActor

from bot.presenters.story import find_lines
from tests.discord.world import (
    DAY,
    HOUR,
    World,
    head,
    labels,
    message_of,
    pings,
    private,
    public,
    refusal_of,
    secret_room,
    texts,
)

#: A hidden difficulty, an NPC off stage, the name behind an alias, a reason, a secret idea.
CATCH_UP = "Since you were last here"
CANARIES = ("9137", "Sidor", "Xbaron", "xreason", "xidea")


async def later(world: World, seconds: int) -> None:
    """Let time pass."""
    await world.env.advance_time(seconds)


async def recap(world: World, who: MemberActor, **options: Any) -> str:
    """`/recap`, which nobody else may see."""
    return private(await who.slash(world.zone, "recap", **options))


async def test_since_you_were_last_here(world: World) -> None:
    await world.table()
    await recap(world, world.ben)
    await later(world, 4 * DAY)
    await world.rolled(5, 2)
    await later(world, HOUR)
    answer = await world.ben.slash(world.zone, "recap")
    assert head(message_of(answer)).startswith("Since you were last here, <t:")
    shown = private(answer)
    assert "Marek" in shown and "Climbing d8" in shown
    again = await world.ben.slash(world.zone, "recap")
    assert head(message_of(again)) == "You're up to date"
    assert "/recap since:3 days" in private(again)


async def test_the_recap_marks_for_gms_what_no_player_knows(world: World) -> None:
    await world.table()
    await world.rolled(8, 7)
    ask = {"skill": "Climbing", "attribute": "Fitness", "difficulty": "Tricky"}
    world.dice.lay(4, 3)
    private(await world.gina.slash(world.zone, "gm roll", note="a trap", **ask, **{"as": "Marek"}))
    lines = (await recap(world, world.gina, since="3 days")).splitlines()
    rolls = [line for line in lines if line.startswith("- Marek, Climbing")]
    assert [("(only GMs know)" in line) for line in rolls] == [True, False], lines
    assert "only GMs know" not in await recap(world, world.ana, since="3 days")


async def test_a_blind_roll_is_marked_for_gms(world: World) -> None:
    await world.table(gm_channel=True, live=True)
    await world.propose(skill="Climbing", attribute="Fitness", visibility="blind")
    await world.rule(world.newest("Answer", world.gm_room))
    moves = message_of(await world.ana.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.ana, moves, "Open · h1"))
    world.dice.lay(8, 7)
    await world.press(world.ana, panel, "Roll")
    told = await recap(world, world.gina, since="3 days")
    assert "(only GMs know)" in told, told
    assert "only GMs know" not in await recap(world, world.ana, since="3 days")


async def test_what_was_seen_is_known_after_a_restart(world: World) -> None:
    await world.table()
    await world.rolled(5, 2)
    await recap(world, world.ben)
    await world.restart()
    assert "You're up to date" in await recap(world, world.ben)


async def test_what_waits_comes_first(world: World) -> None:
    await world.table()
    await recap(world, world.gina)
    await world.propose()
    shown = await recap(world, world.gina)
    assert "Waiting for you" in shown and "Marek" in shown
    assert "Waiting for you" not in await recap(world, world.ben)
    later_on = await world.gina.slash(world.zone, "recap")
    assert head(message_of(later_on)) == "1 thing waits for you"
    assert "Nothing new in the story since" in private(later_on)


async def test_the_clock_ends_an_absence_in_the_name_of_its_player(world: World) -> None:
    await world.table()
    await world.ana.slash(world.zone, "away", until="3 days")
    await later(world, 4 * DAY)
    shown = await recap(world, world.gina, since="7 days")
    assert "Ana is back" in shown and "Storyguide is back" not in shown


async def test_what_others_did_for_ones_character(world: World) -> None:
    await world.table()
    await recap(world, world.ana)
    await world.gina.slash(world.zone, "gm award", kind="fate", to="Marek", reason="nerve")
    shown = await recap(world, world.ana)
    assert "Done for you, or to you" in shown and "nerve" in shown
    mine = await recap(world, world.ben)
    assert "Done for you" not in mine and "nerve" in mine


async def test_the_story_turns_its_pages(world: World) -> None:
    await world.table()
    for minutes in range(15):
        await later(world, DAY)
        await world.gina.slash(world.zone, "gm time", advance=f"{minutes + 1} hours")
    answer = await world.ben.slash(world.zone, "recap", since="30 days")
    first = message_of(answer)
    newest = private(answer)
    assert "Older" in labels(first) and "Newer" not in labels(first)
    older = message_of(await world.press(world.ben, first, "Older"))
    assert "Newer" in labels(older)
    assert "The Dry Canal is open" in texts(older) and "The Dry Canal is open" not in newest
    back = message_of(await world.press(world.ben, older, "Newer"))
    assert "Older" in labels(back)


async def test_a_span_begins_at_a_time_a_date_or_a_session(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm time", advance="1 hour")
    await later(world, 10 * DAY)
    await world.gina.slash(world.zone, "session start")
    await world.rolled(5, 2)
    for since in ("3 days", "session", "session 1"):
        shown = await recap(world, world.ben, since=since)
        assert "Climbing d8" in shown and "Session 1 begins" in shown
        assert "is open" not in shown
    assert "is open" in await recap(world, world.ben, since="20 days")
    assert "isn't a time" in refusal_of(await world.ben.slash(world.zone, "recap", since="soon"))
    ahead = await world.ben.slash(world.zone, "recap", since="2999-01-01")
    assert "still to come" in refusal_of(ahead)
    unknown = await world.ben.slash(world.zone, "recap", since="session 7")
    assert "No session 7 here" in refusal_of(unknown)


async def test_an_absence_names_the_player_whoever_notes_it(world: World) -> None:
    await world.table()
    await world.ben.slash(world.zone, "away", until="2 days")
    await later(world, 3 * DAY)
    await world.gina.slash(world.zone, "away", player=world.ana)
    await world.gina.slash(world.zone, "away", player=world.ana, back=True)
    shown = await recap(world, world.ben, since="7 days")
    for line in ("Ben is away until", "Ben is back", "Ana is away", "Ana is back"):
        assert shown.count(line) == 1, line
    assert "Gina is back" not in shown and "Storyguide is back" not in shown


async def test_a_gm_posts_what_everybody_here_was_told(world: World) -> None:
    await world.table(gm_channel=True)
    await world.rolled(5, 2)
    await world.gina.slash(world.zone, "gm npc add", name="Sidor")
    answer = await world.gina.slash(world.zone, "recap", since="3 days")
    assert "Sidor" in private(answer)
    posted = await world.press(world.gina, message_of(answer), "Post for everyone")
    shown = public(posted)
    assert "Climbing d8" in shown and "Sidor" not in shown
    mine = await world.ben.slash(world.zone, "recap", since="3 days")
    assert "Post for everyone" not in labels(message_of(mine))
    forged = world.emit(world.ben, f"sg:tell:1:0:{await world.revision()}")
    await world.env.settle()
    assert "Only the GM can do that" in refusal_of(forged)


async def test_a_search_finds_what_one_was_told(world: World) -> None:
    await world.table()
    await world.rolled(5, 2, approach="along the gutter")
    await world.ana.slash(world.zone, "roll", dice="2d6", reason="omens")
    for words in ("gutter", "MAREK climbing", "omens"):
        found = private(await world.ben.slash(world.zone, "log", text=words))
        assert "1 line with" in found or "2 lines with" in found, found
    nothing = private(await world.ben.slash(world.zone, "log", text="basilisk"))
    assert "Nothing found for “basilisk”" in nothing
    assert "Nothing to look for" in refusal_of(await world.ben.slash(world.zone, "log", text="  "))


async def test_a_long_story_is_searched_part_by_part(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.ui.recap._SEARCHED_AT_ONCE", 2)
    monkeypatch.setattr("bot.ui.recap._SEARCHED_ASIDE", 3)
    await world.table()
    for number in range(8):
        await world.ana.slash(world.zone, "roll", dice="2d6", reason=f"omens {number}")
    sizes: list[int] = []
    aside = world.bot.tables.aside

    async def noted(work: Any, *args: Any) -> Any:
        if work is find_lines:
            sizes.append(len(args[0]))
        return await aside(work, *args)

    monkeypatch.setattr(world.bot.tables, "aside", noted)
    found = private(await world.ben.slash(world.zone, "log", text="omens"))
    assert "8 lines with" in found
    assert found.index("omens 7") < found.index("omens 0"), "the newest comes first"
    assert len(sizes) > 2 and max(sizes) == 3


async def test_no_recap_and_no_search_shows_a_secret(world: World) -> None:
    await world.table(gm_channel=True)
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    await world.gina.slash(world.zone, "gm npc add", name="Sidor")
    await world.gina.slash(world.zone, "gm npc add", name="Xbaron", alias="the hooded man")
    await world.rolled(5, 2, hidden=True, number="9137")
    await world.ana.slash(world.zone, "check", visibility="private", approach="xidea one")
    await world.ana.slash(world.zone, "check", visibility="blind", approach="xidea two")
    await world.gina.slash(world.zone, "roll", dice="2d6", reason="xreason", visibility="blind")
    await world.ana.slash(vault, "roll", dice="2d6", reason="xreason")
    gm = world.gina
    whole = await recap(world, gm, since="3 days")
    assert "Sidor" in whole and "Xbaron" in whole
    shown = [await recap(world, world.ben, since="3 days"), await recap(world, world.ben)]
    for canary in CANARIES:
        found = private(await world.ben.slash(world.zone, "log", text=canary))
        assert f"Nothing found for “{canary}”" in found
    posted = await world.press(
        gm, message_of(await gm.slash(world.zone, "recap", since="3 days")), "Post for everyone"
    )
    shown.append(public(posted))
    for text in shown:
        assert not [canary for canary in CANARIES if canary in text]
    mine = private(await world.ana.slash(world.zone, "log", text="xreason"))
    assert "1 line with" in mine


async def test_a_new_owner_is_not_told_what_the_former_was(world: World) -> None:
    await world.table()
    await world.bring(world.ana, "Tam")
    await world.ana.slash(world.zone, "roll", dice="2d6", reason="xreason", visibility="private")
    await world.gina.slash(world.zone, "character give", character="Marek", to=world.ben)
    assert "xreason" not in await recap(world, world.ben, since="3 days")
    found = private(await world.ben.slash(world.zone, "log", text="xreason"))
    assert "Nothing found" in found
    kept = private(await world.ana.slash(world.zone, "log", text="xreason"))
    assert "1 line with" in kept


async def test_a_call_after_days_away_offers_the_story(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "initiative start")
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    assert CATCH_UP not in labels(world.newest("End turn"))
    await world.gina.slash(world.zone, "gm settings", setting="turn_time", value="none")
    await later(world, 4 * DAY)
    for _ in range(2):
        await world.gina.slash(world.zone, "initiative next")
    call = world.newest("End turn")
    assert CATCH_UP in labels(call)
    called = world.ana if world.ana.id in pings(call, world.env) else world.ben
    answer = await world.press(called, call, CATCH_UP)
    assert "Since you were last here" in private(answer)


async def test_a_secret_act_leaves_the_call_as_it_is(world: World) -> None:
    """The button tells nobody that a player has done something in private meanwhile."""
    await world.table()
    await later(world, 4 * DAY)
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "roll", dice="2d6", visibility="private")
    await world.gina.slash(world.zone, "initiative start")
    await world.gina.slash(world.zone, "initiative add", name="Marek")
    await world.gina.slash(world.zone, "initiative add", name="Ilka")
    await world.gina.slash(world.zone, "initiative next")
    assert CATCH_UP in labels(world.newest("End turn"))


async def test_a_deleted_user_leaves_no_note(world: World) -> None:
    await world.table()
    await recap(world, world.ben)
    table = await world.bot.tables.get(1)
    ben = table.directory.known_participant(str(world.ben.id))
    note = f"seen:1:{ben}"
    assert await world.bot.tables.store.note(note) is not None
    asked = await world.ben.slash(world.zone, "privacy delete")
    await world.press(world.ben, message_of(asked), "Delete my data")
    assert await world.bot.tables.store.note(note) is None


async def test_a_search_has_pages(world: World) -> None:
    await world.table()
    for number in range(15):
        await world.ana.slash(world.zone, "roll", dice="2d6", reason=f"omens {number:02}")
    shown = await world.ben.slash(world.zone, "log", text="omens")
    found = message_of(shown)
    assert "15 lines with" in private(shown)
    assert "omens 14" in texts(found) and "omens 02" not in texts(found)
    assert labels(found) == ["Older"]
    # What is said meanwhile moves no line to another page.
    await world.ana.slash(world.zone, "roll", dice="2d6", reason="omens late")
    await world.restart()
    await world.press(world.ben, found, "Older")
    assert "omens 02" in texts(found) and "omens 14" not in texts(found)
    assert "omens late" not in texts(found) and labels(found) == ["Newer"]
    await world.press(world.ben, found, "Newer")
    assert "omens 14" in texts(found)
