"""A week of play by post at one table: every message in order, and every ping with its sound.

Four players and a GM play in two channels and two threads. Ben sleeps in Tokyo, Cleo travels, Dan
forgets a turn, the GM corrects the past, and the bot restarts seven times. The diary is what a
reader of all channels sees.
"""

from __future__ import annotations

from typing import Final

import pytest
from simcord.actors import MemberActor

from tests.discord.test_chronicle import book
from tests.discord.test_gm_call import SEAL
from tests.discord.test_whispers import TITLE, begun, look_everywhere
from tests.discord.week_steps import (
    FERRY,
    amend,
    begin_fight,
    call_everybody,
    delete_words,
    edit_words,
    open_ferry,
    roll_in_call,
    say,
    spoken_messages,
)
from tests.discord.week_table import Week, open_week, wish
from tests.discord.world import DAY, MINUTE, World, make_bot, message_of, private, texts

pytestmark = pytest.mark.slow


@pytest.fixture
def patience() -> bool:
    """Tables wait only for those who have something to decide."""
    return False


@pytest.fixture
def block_turns() -> bool:
    """By post, players' characters act in any order."""
    return True


ALL_UP: Final = "**Marek, Ilka, Vesna and Tam, you're up.**"
VESNA_AWAY: Final = "Cleo is away: the GM or a stand-in can act for Vesna."
TWO_REMINDED: Final = (
    "**Ilka and Vesna, it's still your turn.** Round 1, in any order. Open until <time>. "
    f"Marek goes next. {VESNA_AWAY}"
)
ALL_REMINDED: Final = (
    "**Marek, Ilka, Vesna and Tam, it's still your turn.** Round 2, in any order. "
    f"Open until <time>. {VESNA_AWAY}"
)
CALL: Final = "Climbing and Fitness, against 10 (Tricky)"
ROLL: Final = "roll Climbing and Fitness against 10 (Tricky) for"
#: End of a ping to roll in a call with an end.
MISSING: Final = "Storyguide makes the missing rolls on <time>."
ANSWER_FOR_VESNA: Final = "@cleo is away; you can answer for Vesna."
#: Messages by room, for six checks, two rounds, two scenes and a week of waiting.
POSTED: Final = {"zone": 39, "gm": 6, "hall": 1, FERRY: 4, TITLE: 6}
#: Discord's refusals of a webhook: no permission, and too many webhooks in the channel.
REFUSALS: Final = (50013, 30007)


@pytest.mark.parametrize("refusal", [None, *REFUSALS])
async def test_a_week_of_four_players_and_a_gm(world: World, refusal: int | None) -> None:
    """Where Discord refuses webhooks, the bot speaks for the characters; all else is the same."""
    week = await open_week(world)
    if refusal is not None:
        refuse_webhooks(week, refusal)
    ruling = await check_on_thursday(week)
    await talk_on_the_ferry(week)
    await begin_a_fight(week)
    await call_all_four(week)
    await sleep_through_a_round(week)
    await correct_the_past(week, ruling)
    await whisper_in_the_cellar(week)
    await lose_a_round(week)
    assert week.loud == {"gina": 7, "ana": 7, "ben": 5, "dan": 5, "cleo": 3}
    assert week.silent == {"ben": 7}
    assert week.direct == {}
    assert week.posted == POSTED
    await read_the_story(week)
    await read_the_books(week)
    assert "Xw" not in await look_everywhere(world), "Ben isn't in the whisper scene"
    assert "Xw" not in world.told(week.cleo)


def refuse_webhooks(week: Week, code: int) -> None:
    """Let Discord refuse every webhook."""
    week.webhooks = False
    week.world.env.inject_error(
        "POST", "/channels/*/webhooks", status=403, code=code, message="No", times=None
    )


async def check_on_thursday(week: Week) -> int:
    """Ana's check waits for the GM, then for Ana; the bot restarts between call and roll.

    Return the number of the GM's answer.
    """
    world = week.world
    await world.gina.slash(world.zone, "gm digest", day="Sunday", hour=18, zone="Europe/Berlin")
    await world.propose(skill="Climbing")
    assert week.read() == [
        "zone: Weekly digest on",
        "zone: Waiting for the GM",
        "zone: @gina, your call on Marek: “up the drainpipe, slowly” -> gina",
    ]
    assert await week.pass_hours(14) == [], "a reminder comes after a day"
    await world.rule()
    ruling = await world.revision()
    roll = "Marek, roll d10 + d8 against 10 (Tricky): 55%"
    assert week.read() == [f"zone: {roll}", f"zone: @ana, {roll} -> ana"]
    await world.restart()
    world.dice.lay(5, 2)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert week.read() == ["gm: ✗ Near miss, 7 against 10"]
    return ruling


async def talk_on_the_ferry(week: Week) -> None:
    """Vesna and Tam talk in a thread; Cleo edits her words, and Dan deletes a remark."""
    ferry = await open_ferry(week)
    assert week.read() == [f"zone: Scene: {FERRY}"]
    await say(week, week.cleo, ferry, "Nobody else aboard.")
    await week.world.restart()
    await week.world.env.advance_time(20 * MINUTE)
    await say(week, week.dan, ferry, "Then who is steering?\n\nTam looks astern.")
    await say(week, week.dan, ferry, "// back on Saturday")
    assert week.read() == [
        week.says(FERRY, "Vesna", "Nobody else aboard."),
        week.says(FERRY, "Tam", "Then who is steering?"),
        week.says(FERRY, "Tam", "// back on Saturday"),
    ]
    await week.world.env.advance_time(40 * MINUTE)
    first, _, last = spoken_messages(week, ferry)
    await edit_words(week, week.cleo, first, "Nobody else aboard?")
    await delete_words(week, week.dan, last)
    assert week.read() == [
        f"{week.says(FERRY, 'Vesna', 'Nobody else aboard?')} (edited)",
        f"{week.says(FERRY, 'Tam', '// back on Saturday')} (deleted)",
    ]


async def begin_a_fight(week: Week) -> None:
    """All four are called at once, Ben without a sound; Cleo leaves, and two end their turns."""
    world, zone = week.world, week.world.zone
    await begin_fight(week)
    assert week.read() == [
        "zone: Round 1: Marek, Ilka, Vesna and Tam, in any order",
        f"zone: @ana, @cleo and @dan: {ALL_UP} Round 1, in any order. -> ana, cleo, dan",
        f"zone: @ben: {ALL_UP} Round 1, in any order. -> ben (silent)",
    ]
    await week.cleo.slash(zone, "away", until="4 days")
    assert week.read() == ["zone: Away"]
    await week.dan.slash(zone, "initiative next")
    await world.ana.slash(zone, "initiative next")
    assert week.read() == [], "the call is edited"
    call = texts(world.newest("End turn"))
    assert "Marek and Tam are done, Ilka and Vesna are up." in call


async def call_all_four(week: Week) -> None:
    """A roll of all four takes one message; Ana reads the sealed text, and Dan fails."""
    world = week.world
    await call_everybody(week, until="2 days")
    assert week.read() == [
        f"zone: {CALL}",
        f"zone: @ana and @dan, {ROLL} Marek and Tam. {MISSING} -> ana, dan",
        f"zone: @ben, {ROLL} Ilka. {MISSING} -> ben (silent)",
    ]
    assert SEAL in await roll_in_call(week, world.ana, 8, 7)
    await world.restart()
    assert SEAL not in await roll_in_call(week, week.dan, 2, 2)
    assert week.read() == ["gm: ✗ Clear failure, 5 against 10"]


async def sleep_through_a_round(week: Week) -> None:
    """Ben is reminded at night without a sound, and reads a line each morning.

    The clock rolls for Ben, who succeeds, and for Cleo, who fails.
    """
    world = week.world
    await world.restart()
    world.dice.lay(8, 7, 2, 2)
    assert await week.pass_hours(50) == [
        "zone: @ben, still waiting for you: an answer for Ilka and Ilka's turn. -> ben",
        f"zone: {CALL}",
        f"zone: @gina, reminder: {ROLL} Vesna. {MISSING} {ANSWER_FOR_VESNA} -> gina",
        f"zone: @ben, reminder: {ROLL} Ilka. {MISSING} -> ben (silent)",
        f"zone: @gina: {TWO_REMINDED} -> gina",
        f"zone: @ben: {TWO_REMINDED} -> ben (silent)",
        "zone: @ben, still waiting for you: an answer for Ilka and Ilka's turn. -> ben",
        f"zone: {CALL}",
        "zone: Time ran out: Ilka and Vesna delay",
        f"zone: @ana, @dan and @gina: {ALL_UP} Round 2, in any order. {VESNA_AWAY}"
        " -> ana, dan, gina",
        f"zone: @ben: {ALL_UP} Round 2, in any order. {VESNA_AWAY} -> ben (silent)",
        "gm: ✗ Clear failure, 5 against 10",
    ]
    assert world.dice.left == 0
    assert SEAL not in world.told(world.ben)
    moves = await world.ben.slash(world.zone, "moves")
    assert "Ilka: your roll revealed something" in private(moves)
    assert SEAL in private(await world.press(world.ben, message_of(moves), "Read it"))
    assert week.read() == []


async def correct_the_past(week: Week, ruling: int) -> None:
    """The GM lowers Thursday's difficulty too far, takes that back, and lowers it to 7."""
    world = week.world
    assert "(it was: Near miss, " in await amend(week, ruling, 5)
    assert week.read() == [
        "zone: Corrected by @gina: Marek's result is now Success, 7 against 5",
        "zone: ✓ Success, 7 against 5",
    ]
    await world.restart()
    await world.gina.slash(world.zone, "gm undo", entry=await world.revision())
    assert week.read() == [
        "zone: Undone: Gina corrected #9 and #10; Marek's result is now Near miss, 7 against 10",
        "gm: ✗ Near miss, 7 against 10",
    ]
    assert "Near miss, 7 against 10" in texts(world.card("c1"))
    await amend(week, ruling, 7)
    assert week.read() == [
        "zone: Corrected by @gina: Marek's result is now Success, 7 against 7"
    ], "the undo told of a near miss, too"
    assert "Success, 7 against 7" in texts(world.card("c1"))
    (ferry,) = world.zone.threads
    await world.gina.slash(ferry, "scene end", summary="They landed at dusk.")
    assert week.read() == [f"{FERRY}: Scene over: {FERRY}"]


async def whisper_in_the_cellar(week: Week) -> None:
    """Marek and Tam meet in a private thread: only Ana, Dan and the GM are told and called."""
    world = week.world
    cellar = await begun(world, who="Marek, Tam")
    await say(week, world.ana, cellar, "Xwords: the boots are mine.")
    await world.ana.slash(cellar, "check", approach="Xwords by the stairs", skill="Climbing")
    await world.env.settle()
    assert week.read() == [
        f"{TITLE}: Scene: {TITLE}",
        week.says(TITLE, "Marek", "Xwords: the boots are mine."),
        f"{TITLE}: Waiting for the GM",
        f"{TITLE}: @gina, your call on Marek: “Xwords by the stairs” -> gina",
    ]
    await world.restart()
    await world.rule(world.newest("Answer", cellar))
    roll = "Marek, roll d10 + d8 against 10 (Tricky): 55%"
    assert week.read() == [f"{TITLE}: @ana, {roll} -> ana"]
    world.dice.lay(9, 7)
    await world.press(world.ana, world.newest("Roll", cellar), "Roll")
    await world.gina.slash(cellar, "scene end", summary="Xwords below.")
    await world.env.settle()
    assert week.read() == [f"{TITLE}: Scene over: {TITLE}"]


async def lose_a_round(week: Week) -> None:
    """Nobody acts: the GM is told once, the digest comes, and Cleo is back."""
    world = week.world
    world.dice.lay(4, 5)
    await week.dan.slash(week.hall, "roll", dice="2d6", reason="the lock in the hall")
    assert week.read() == ["hall: Dan rolls 9"]
    await world.restart()
    assert await week.pass_hours(100) == [
        "zone: @ben, still waiting for you: Ilka's turn. -> ben",
        f"zone: @ana, @dan and @gina: {ALL_REMINDED} -> ana, dan, gina",
        f"zone: @ben: {ALL_REMINDED} -> ben (silent)",
        "zone: This week in The Dry Canal",
        "zone: @ben, still waiting for you: Ilka's turn. -> ben",
        "zone: Back",
        "zone: @cleo: a private message, for your eyes only. -> cleo",
        "zone: Time ran out: Marek, Ilka and Vesna delay; Tam can act again next round",
        f"zone: @ana, @cleo and @dan: {ALL_UP} Round 3, in any order. -> ana, cleo, dan",
        f"zone: @ben: {ALL_UP} Round 3, in any order. -> ben (silent)",
        "gm: Nobody has acted for a whole round",
        "gm: @gina: Nobody has acted for a whole round -> gina",
        "zone: @ben, still waiting for you: Ilka's turn. -> ben",
    ]


async def read_the_story(week: Week) -> None:
    """The recap and the digest have the scene, its words and the corrected check."""
    world = week.world
    recap = await whole_recap(week, world.ben)
    (digest,) = [m for m in world.messages() if texts(m).startswith("## This week")]
    for shown in (recap, texts(digest)):
        assert "Marek, Climbing d8 (veteran): Success" in shown
        assert "Near miss" not in shown and "back on Saturday" not in shown
    for line in ("Nobody else aboard?", "Then who is steering?", f"{FERRY}** is over"):
        assert line in recap
    assert f"Ilka notices: “{SEAL}”" in recap
    assert "5 checks" in texts(digest) and f"Scene: {FERRY}" in texts(digest)
    assert SEAL not in texts(digest)
    late = private(await week.cleo.slash(world.zone, "recap"))
    lost = "Time ran out: Ilka and Vesna delay"
    for line in ("Since you were last here", "Vesna's turn", lost, "Round 3"):
        assert line in late
    moves = private(await world.ben.slash(world.zone, "moves"))
    assert "Yours to decide" in moves and "Ilka's turn" in moves
    waiting = private(await week.dan.slash(world.zone, "table waiting"))
    assert "Marek, Ilka, Vesna and Tam" in waiting


async def whole_recap(week: Week, reader: MemberActor) -> str:
    """Return both pages of what a reader is told of eight days."""
    page = await reader.slash(week.world.zone, "recap", since="8 days")
    newer = private(page)
    older = await week.world.press(reader, message_of(page), "Older")
    return f"{newer}\n{private(older)}"


async def read_the_books(week: Week) -> None:
    """The book has the scene in order, and the check as corrected; each reader's own adds seals."""
    world = week.world
    everybody = await book(world, week.dan)
    order = (
        "up the drainpipe, slowly",
        "Success, 7 against 7",
        f"### {FERRY}",
        "*With Vesna and Tam*",
        "**Vesna says**: “Nobody else aboard?”",
        "Then who is steering?",
        "*Round 1*",
        "“Something drips.”",
        "16 against 10",
        "They landed at dusk.",
        "Dan rolls 9",
    )
    places = [everybody.index(part) for part in order]
    assert places == sorted(places)
    assert everybody.count("Something drips") == 1
    for gone in ("Near miss", "against 5", "back on Saturday", SEAL, "::"):
        assert gone not in everybody
    for reader in (world.ana, week.dan, world.gina):
        assert "Xwords: the boots are mine." in await book(world, reader, mine=True)
    for reader in (world.ana, world.ben):
        assert SEAL in await book(world, reader, mine=True)
    for reader in (week.cleo, week.dan):
        assert SEAL not in await book(world, reader, mine=True)
        assert SEAL not in world.told(reader)


async def test_a_gm_who_is_silent_stops_the_clock(world: World) -> None:
    """A public question waits for the GM: reminders, then one line, and the clock stands still."""
    week = await open_week(world)
    await world.propose(skill="Climbing")
    week.read()
    lines = await week.pass_hours(9 * 24)
    called = [line for line in lines if "-> gina" in line]
    assert 2 <= len(called) <= 4
    (silent,) = [line for line in lines if "No GM has answered here" in line]
    assert silent.startswith("zone: ")
    assert (await world.state()).settings.pause is not None
    assert [line for line in await week.pass_hours(48) if "->" in line] == []
    await world.rule()
    assert (await world.state()).settings.pause is None
    assert any("-> ana" in line for line in week.read())


async def test_reminders_by_direct_message_leave_the_channel_alone(world: World) -> None:
    week = await open_week(world)
    panel = message_of(await world.ana.slash(world.zone, "notify"))
    await world.press(world.ana, panel, "Send me a test")
    await wish(world, world.ana, how="dm")
    await world.propose(skill="Climbing")
    await world.rule()
    week.read()
    week.direct.clear()
    lines = await week.pass_hours(30)
    assert [line for line in lines if "-> ana" in line] == []
    assert week.direct == {"ana": 1}
    (told,) = [line for line in lines if line.startswith("to ana: ")]
    assert "drainpipe" not in told and "10" not in told


async def test_a_clock_that_jumps_sends_only_what_still_counts(world: World) -> None:
    """The bot is away for a month: one call is left, and no reminder comes twice."""
    week = await open_week(world)
    await world.propose(skill="Climbing")
    await world.rule()
    week.read()
    await world.bot.close()
    await world.env.advance_time(30 * DAY)
    await world.env.restart_bot(make_bot(world.path))
    await world.env.settle()
    lines = week.read()
    assert len([line for line in lines if "-> ana" in line]) == 1
    assert await week.pass_hours(48) == []
