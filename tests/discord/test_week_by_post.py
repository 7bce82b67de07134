"""A week of play by post at one table: every message in order, and every ping with its sound.

Four players and a GM play in two channels. Ben sleeps in Tokyo, Cleo travels, Dan forgets a turn,
and the bot restarts three times. The diary is what a reader of all channels sees.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final

import pytest
from simcord.actors import MemberActor
from simcord.builders import ChannelHandle

from bot.services.preferences import load_preference, save_preference
from tests.discord.test_notify import direct_messages
from tests.discord.world import DAY, HOUR, World, head, make_bot, message_of, pings, private, texts

#: The world begins at midnight, UTC: nine in the morning in Tokyo.
TOKYO_NIGHT: Final = (22 * 60, 8 * 60)
pytestmark = pytest.mark.slow
_TIME: Final = re.compile(r"<t:\d+:\w>")
_MENTION: Final = re.compile(r"<@(\d+)>")


@pytest.fixture
def patience() -> bool:
    """Tables wait only for those who have something to decide."""
    return False


@pytest.fixture
def block_turns() -> bool:
    """By post, players' characters act in any order."""
    return True


class Week:
    """A table of four players in two channels, and a diary of all that is posted."""

    def __init__(self, world: World, cleo: MemberActor, dan: MemberActor) -> None:
        self.world, self.cleo, self.dan = world, cleo, dan
        self.hall: ChannelHandle = world.guild.create_text_channel("hall")
        self._rooms = {"zone": world.zone, "hall": self.hall, "gm": world.gm_room}
        self._people = {who.id: who.name for who in (world.gina, world.ana, world.ben, cleo, dan)}
        self._members = (world.gina, world.ana, world.ben, cleo, dan)
        self._seen: set[int] = set()
        self.loud: Counter[str] = Counter()
        self.silent: Counter[str] = Counter()
        self.direct: Counter[str] = Counter()

    def read(self) -> list[str]:
        """Return a line for each message since the last reading, room by room; count its pings."""
        lines: list[str] = []
        for name, room in self._rooms.items():
            for message in self._new(self.world.messages(room)):
                lines.append(f"{name}: {self._words(message)}{self._called(message)}")
        for member in self._members:
            for message in self._new(direct_messages(self.world, member)):
                lines.append(f"to {member.name}: {self._words(message)}")
                self.direct[member.name] += 1
        return lines

    async def pass_hours(self, hours: int) -> list[str]:
        """Let time pass hour by hour, so that no message is missed; return the lines."""
        lines: list[str] = []
        for _ in range(hours):
            await self.world.env.advance_time(HOUR)
            lines += self.read()
        return lines

    def _new(self, messages: list[Any]) -> list[Any]:
        new = [message for message in messages if message.id not in self._seen]
        self._seen |= {message.id for message in new}
        # "Pinned a message" is Discord's own.
        return [message for message in new if "pinned a message" not in message.content]

    def _words(self, message: Any) -> str:
        named = _MENTION.sub(lambda found: f"@{self._people[int(found[1])]}", head(message))
        return _TIME.sub("<time>", named)

    def _called(self, message: Any) -> str:
        called = [self._people[who] for who in pings(message, self.world.env)]
        silent = message.flags.silent
        (self.silent if silent else self.loud).update(called)
        if not called:
            return ""
        return f" -> {', '.join(called)}{' (silent)' if silent else ''}"


async def open_week(world: World, **settings: Any) -> Week:
    """The table; its first messages are read already."""
    await world.table(gm_channel=True, **settings)
    week = Week(world, world.member("cleo"), world.member("dan"))
    await world.bring(week.cleo, "Vesna")
    await world.bring(week.dan, "Tam")
    await world.gina.slash(world.zone, "gm bind", channel=week.hall)
    await wish(world, world.ben, zone="Asia/Tokyo", quiet=TOKYO_NIGHT)
    week.read()
    week.loud.clear()
    week.silent.clear()
    return week


async def wish(world: World, who: MemberActor, **changes: Any) -> None:
    """Set what a user wants of pings."""
    store = world.bot.tables.store
    present = await load_preference(store, str(who.id))
    await save_preference(store, str(who.id), present.replace(**changes))


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


async def test_a_week_of_four_players_and_a_gm(world: World) -> None:
    week = await open_week(world)
    await check_on_thursday(week)
    await begin_a_fight(week)
    await sleep_through_a_round(week)
    await lose_a_round(week)
    assert week.loud == {"gina": 6, "ana": 5, "ben": 5, "dan": 4, "cleo": 3}
    assert week.silent == {"ben": 5}
    assert week.direct == {}
    await read_the_story(week)


async def check_on_thursday(week: Week) -> None:
    """Ana's check waits for the GM, then for Ana; the bot restarts between call and roll."""
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
    roll = "Marek, roll d10 + d8 against 10 (Tricky): 55%"
    assert week.read() == [f"zone: {roll}", f"zone: @ana, {roll} -> ana"]
    await world.restart()
    world.dice.lay(5, 2)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert week.read() == ["gm: ✗ Near miss, 7 against 10"]


async def begin_a_fight(week: Week) -> None:
    """All four are called at once, Ben without a sound; Cleo leaves, and two end their turns."""
    world, zone = week.world, week.world.zone
    await world.gina.slash(zone, "initiative start")
    for player in (world.ana, world.ben, week.cleo, week.dan):
        await player.slash(zone, "initiative join")
    await world.gina.slash(zone, "initiative next")
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


async def sleep_through_a_round(week: Week) -> None:
    """Ben is reminded at night without a sound, and reads a line each morning."""
    world = week.world
    await world.restart()
    assert await week.pass_hours(50) == [
        "zone: @ben, still waiting for you: Ilka's turn. -> ben",
        f"zone: @gina: {TWO_REMINDED} -> gina",
        f"zone: @ben: {TWO_REMINDED} -> ben (silent)",
        "zone: @ben, still waiting for you: Ilka's turn. -> ben",
        "zone: Time ran out: Ilka and Vesna delay",
        f"zone: @ana, @dan and @gina: {ALL_UP} Round 2, in any order. {VESNA_AWAY}"
        " -> ana, dan, gina",
        f"zone: @ben: {ALL_UP} Round 2, in any order. {VESNA_AWAY} -> ben (silent)",
    ]


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
        "gm: 2 deadlines missed in a row: Ilka",
        "gm: @gina: 2 deadlines missed in a row: Ilka -> gina",
        "zone: @ben, still waiting for you: Ilka's turn. -> ben",
    ]


async def read_the_story(week: Week) -> None:
    """Ben catches up in the hall; the book has both channels, and no number of the GM's."""
    world = week.world
    recap = private(await world.ben.slash(world.zone, "recap"))
    lost = "Time ran out: Ilka and Vesna delay"
    for line in ("Since you were last here", "Ilka's turn", lost, "Round 3"):
        assert line in recap
    moves = private(await world.ben.slash(world.zone, "moves"))
    assert "Yours to decide" in moves and "Ilka's turn" in moves
    waiting = private(await week.dan.slash(world.zone, "table waiting"))
    assert "Marek, Ilka, Vesna and Tam" in waiting
    result = await world.ben.slash(world.zone, "chronicle", format="Markdown")
    (file,) = message_of(result).attachments
    book = (await file.read()).decode()
    for line in ("Near miss, 7 against 10", "Dan rolls 9", "up the drainpipe, slowly"):
        assert line in book


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
