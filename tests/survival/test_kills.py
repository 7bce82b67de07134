"""kill -9 at every step and at random moments: nothing acknowledged is lost, nothing is said twice.

In CI each deed dies where each kind of step is made first, and 50 random kills are tried, or as
many as `SURVIVAL_KILLS` says; the profile `nightly` has every step and 1,000 kills.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.storage import codec
from rules.table.events import CheckChanged, Event
from tests.example_counts import nightly
from tests.loopback.interactions import Interaction, Upload
from tests.loopback.models import Channel, Message, User, walk
from tests.loopback.nursery import Nursery
from tests.sample_table import ebb_character
from tests.survival import barmore, ego, masterbook, moving, waiting
from tests.survival.edge_of_process import (
    PATIENCE,
    SHARED,
    Rim,
    Row,
    during,
    has_button,
    number,
    on_card,
    open_rim,
    private,
)

#: Whether deeds die at every step, or where each kind of step is made first.
EVERY_STEP = nightly()
#: How many deeds are done at most before a kill.
MOST_DEEDS = 15
KILLS = int(os.environ.get("SURVIVAL_KILLS") or (1000 if EVERY_STEP else 50))
#: Random kills between two looks at everything.
SPELL = 10
#: Random kills of one server, so that its journal does not grow without end.
WORLD = 50
CLIMB = {"skill": "Climbing", "attribute": "Fitness", "approach": "up the drainpipe, slowly"}

#: What a timer does for everything since it last did: how often depends on how fast the machine is.
GATHERED = ("outbox.noting", "outbox.noted")
#: What every deed makes the bot log.
ALWAYS = frozenset({"storage.committing", "outbox.answered", "outbox.noted"})
#: How Discord names an acknowledgment that shows nothing.
SILENT = 6

Act = Callable[[], Interaction]


@dataclass(frozen=True)
class Flow:
    """One thing that somebody does: what has to be there before, the deed itself, and how it goes
    on.
    """

    prepare: Callable[[Rim, Channel], Awaitable[Act]]
    go_on: Callable[[Rim, Channel], Awaitable[object]]
    table: bool = True
    gm_room: bool = True
    open_table: Callable[[Rim], Awaitable[Channel]] | None = None


async def open_answer(rim: Rim, place: Channel, *, hidden: bool = False) -> Act:
    """A proposal of Ana's and Gina's panel, with only the last button left to press."""
    await rim.do(rim.ana, place, "check", **CLIMB)
    await rim.settled()
    panel = await rim.click(rim.gina, rim.with_button(place, "Answer"), "Answer")
    panel = await rim.choose(rim.gina, panel, "Difficulty", "Tricky")
    if hidden:
        panel = await rim.choose(rim.gina, panel, SHARED, "hidden")
    return lambda: rim.press(rim.gina, panel, "Call for a roll")


async def rolling(rim: Rim, place: Channel, *, hidden: bool = False) -> Act:
    """Ana's roll, only to be pressed."""
    await (await open_answer(rim, place, hidden=hidden))().answered(PATIENCE)
    await rim.wait(lambda: any(has_button(message, "Roll") for message in rim.said(place)))
    await rim.settled()
    message = rim.with_button(place, "Roll")
    return lambda: rim.press(rim.ana, message, "Roll")


async def rolling_blindly(rim: Rim, place: Channel) -> Act:
    """Ana's roll against a hidden difficulty, about which she decides before the verdict."""
    return await rolling(rim, place, hidden=True)


async def spending(rim: Rim, place: Channel) -> Act:
    """Ana's re-roll before the verdict, only to be pressed."""
    await (await rolling_blindly(rim, place))().answered(PATIENCE)
    await rim.settled()
    panel = await rim.click(rim.ana, rim.with_button(place, "React"), "React")
    return lambda: rim.press(rim.ana, panel, "Re-roll d8")


async def stepping_in(rim: Rim, place: Channel) -> Act:
    """Ana's re-roll after the result is final, only to be pressed."""
    for _ in range(20):  # the dice fall as they fall
        await (await rolling(rim, place))().answered(PATIENCE)
        await rim.settled()
        panel = await rim.click(rim.ana, rim.with_button(place, "Step in"), "Step in")
        if has_button(panel, "Re-roll d8"):
            return lambda: rim.press(rim.ana, panel, "Re-roll d8")
    raise AssertionError("no roll can be changed")


async def undoing(rim: Rim, place: Channel) -> Act:
    """Gina takes a roll back."""
    await (await rolling(rim, place))().answered(PATIENCE)
    await rim.settled()
    return await _saying_yes(rim, place)


async def _saying_yes(rim: Rim, place: Channel) -> Act:
    """What answers the question before somebody else's step is taken back."""
    asked = (await rim.do(rim.gina, place, "gm undo")).response
    assert asked is not None
    return lambda: rim.press(rim.gina, asked, "Undo it")


async def unsaying(rim: Rim, place: Channel) -> Act:
    """Gina takes back what only the GMs and Ana know of."""
    await rim.do(rim.ana, place, "check", visibility="private", **CLIMB)
    await rim.settled()
    return await _saying_yes(rim, place)


async def opening(rim: Rim, place: Channel) -> Act:
    return lambda: rim.emit(rim.gina, place, "setup", game="ebb", gm_channel=rim.gm_room)


async def proposing(rim: Rim, place: Channel) -> Act:
    return lambda: rim.emit(rim.ana, place, "check", **CLIMB)


async def whispering(rim: Rim, place: Channel) -> Act:
    return lambda: rim.emit(rim.ana, place, "check", visibility="private", **CLIMB)


async def hiding(rim: Rim, place: Channel) -> Act:
    return await open_answer(rim, place, hidden=True)


async def attacking(rim: Rim, place: Channel) -> Act:
    return lambda: rim.emit(rim.ana, place, "attack", target="Ilka", weapon="hook", **CLIMB)


async def open_hit(rim: Rim, place: Channel) -> Act:
    """An NPC of Gina's was hit; the panel in which she says what that did, with one press left."""
    data = json.dumps(ebb_character("Rat")).encode()
    file = Upload("rat.json", data, "application/json")
    await rim.do(rim.gina, place, "character import", file=file, npc=True)
    await rim.do(rim.gina, place, "gm npc reveal", npc="Rat")
    for _ in range(20):  # the dice fall as they fall
        await rim.do(rim.ana, place, "attack", target="Rat", **CLIMB)
        await rim.settled()
        panel = await rim.click(rim.gina, rim.with_button(place, "Answer"), "Answer")
        panel = await rim.choose(rim.gina, panel, "Difficulty", "Easy")
        await rim.click(rim.gina, panel, "Call for a roll")
        await rim.settled()
        await rim.press(rim.ana, rim.with_button(place, "Roll"), "Roll").answered(PATIENCE)
        await rim.settled()
        if any(has_button(message, "React") for message in rim.said(place)):
            await stands(rim, place)
            await rim.settled()
        if any(has_button(message, "Change the hit") for message in rim.said(place)):
            break
    panel = await rim.click(rim.gina, rim.with_button(place, "Change the hit"), "Change the hit")
    told = "Tell it as it is: flesh wound, Fitness 0 left"
    return lambda: rim.press(rim.gina, panel, told)


async def fighting(rim: Rim, place: Channel) -> Act:
    """An order of action in its first round, whose next turn is only to be called."""
    await rim.do(rim.gina, place, "gm settings", setting="block_turns", value="off")
    await rim.do(rim.gina, place, "initiative start")
    await rim.do(rim.ana, place, "initiative join")
    await rim.do(rim.ben, place, "initiative join")
    await rim.do(rim.gina, place, "initiative next")
    await rim.settled()
    return lambda: rim.emit(rim.gina, place, "initiative next")


async def goes_on(rim: Rim, place: Channel) -> None:
    """There is one board, it shows whose turn it is, and its buttons work."""
    (board,) = (message for message in rim.said(place) if has_button(message, "Join"))
    assert "▸ **Ilka**: current turn" in "\n".join(board.texts())
    await rim.click(rim.ben, board, "End turn")


async def fighting_together(rim: Rim, place: Channel) -> Act:
    """Two of a block, of whom Ana is about to end her turn."""
    await rim.do(rim.gina, place, "initiative start")
    await rim.do(rim.ana, place, "initiative join")
    await rim.do(rim.ben, place, "initiative join")
    await rim.do(rim.gina, place, "initiative add", name="the fire")
    await rim.do(rim.gina, place, "initiative next")
    await rim.settled()
    return lambda: rim.emit(rim.ana, place, "initiative next")


async def the_other_goes_on(rim: Rim, place: Channel) -> None:
    """The board and the one call say who is left, and the call's buttons work."""
    (board,) = (message for message in rim.said(place) if has_button(message, "Join"))
    assert "▸ **Ilka**: current turn" in "\n".join(board.texts())
    calls = [message for message in rim.said(place) if "Round 1" in (message.content or "")]
    (call,) = calls
    assert "Marek is done, Ilka is up." in (call.content or "")
    await rim.click(rim.ben, call, "End turn")


async def making(rim: Rim, place: Channel) -> Act:
    """A character that was made for Ana, who only has to join the table with it."""
    opened = (await rim.do(rim.ana, place, "character create")).response
    assert opened is not None
    panel = await rim.click(rim.ana, opened, "Make one for me")
    return lambda: rim.press(rim.ana, panel, "Join the table")


async def is_listed(rim: Rim, place: Channel) -> None:
    """The character is at the table once."""
    listed = (await rim.do(rim.ana, place, "character list")).response
    assert listed is not None
    assert "\n".join(listed.texts()).count("Oksana Reva") == 1


async def press_button(rim: Rim, who: User, place: Channel, label: str) -> Message:
    return await rim.click(who, rim.with_button(place, label), label)


async def roll(rim: Rim, place: Channel) -> None:
    await rim.press(rim.ana, rim.with_button(place, "Roll"), "Roll").answered(PATIENCE)


async def stands(rim: Rim, place: Channel) -> None:
    """The result is let stand through the newest React button."""
    await rim.click(rim.ana, await press_button(rim, rim.ana, place, "React"), "Accept result")


FLOWS: dict[str, Flow] = {
    "setup": Flow(opening, lambda rim, place: rim.do(rim.gina, place, "table show"), table=False),
    "proposal": Flow(proposing, lambda rim, place: press_button(rim, rim.gina, place, "Answer")),
    "hidden answer": Flow(hiding, lambda rim, place: roll(rim, place)),
    "roll": Flow(rolling_blindly, stands),
    "re-roll": Flow(spending, lambda rim, place: rim.do(rim.ana, place, "moves")),
    "step in": Flow(stepping_in, lambda rim, place: rim.do(rim.gina, place, "moves")),
    "undo": Flow(undoing, lambda rim, place: roll(rim, place)),
    "undo in private": Flow(unsaying, lambda rim, place: rim.do(rim.ana, place, "moves")),
    "private": Flow(
        whispering, lambda rim, place: press_button(rim, rim.gina, rim.gm_room, "Answer")
    ),
    "private behind a stub": Flow(
        whispering, lambda rim, place: press_button(rim, rim.gina, place, "Show"), gm_room=False
    ),
    "attack": Flow(attacking, lambda rim, place: press_button(rim, rim.gina, place, "Answer")),
    "hit": Flow(open_hit, lambda rim, place: rim.do(rim.gina, place, "moves")),
    "turn": Flow(fighting, goes_on),
    "turn of a block": Flow(fighting_together, the_other_goes_on),
    "new character": Flow(making, is_listed),
}


DICE_POOL = {
    name: Flow(prepare, go_on, open_table=barmore.bar_table)
    for name, (prepare, go_on) in barmore.FLOWS.items()
}

KARMA = {
    name: Flow(prepare, go_on, open_table=ego.karma_table)
    for name, (prepare, go_on) in ego.FLOWS.items()
}

WAITING = {
    name: Flow(prepare, go_on, gm_room=False) for name, (prepare, go_on) in waiting.FLOWS.items()
}

SCENE_MOVES = {
    name: Flow(prepare, go_on, gm_room=False) for name, (prepare, go_on) in moving.FLOWS.items()
}

DEATHS = {
    name: Flow(prepare, go_on, open_table=waiting.frail_table)
    for name, (prepare, go_on) in waiting.DEATHS.items()
}

CARDS = {
    name: Flow(prepare, go_on, open_table=masterbook.card_table)
    for name, (prepare, go_on) in masterbook.FLOWS.items()
}


async def begin(rim: Rim, flow: Flow) -> tuple[Channel, Act]:
    """A channel where the deed can be done, with nothing else under way."""
    if flow.open_table is not None:
        place = await flow.open_table(rim)
    else:
        place = await rim.table(gm_room=flow.gm_room) if flow.table else rim.place()
    act = await flow.prepare(rim, place)
    await rim.settled()
    await rim.quiet()
    return place, act


async def boundaries(rim: Rim, flow: Flow) -> list[tuple[str, int]]:
    """Every event that the deed makes the bot log, with its count: the places to die at."""
    _, act = await begin(rim, flow)
    before = len(rim.output())
    sent = act()
    await sent.answered(PATIENCE)
    await rim.wait(lambda: rim.journalled(sent) is not None)
    await rim.settled()
    await rim.quiet()
    found: list[tuple[str, int]] = []
    seen: dict[str, int] = {}
    for line in rim.output()[before:].splitlines():
        event = line.split()[2]
        seen[event] = seen.get(event, 0) + 1
        if seen[event] == 1 or event not in GATHERED:
            found.append((event, seen[event]))
    return found


def done_with(rim: Rim, sent: Interaction) -> bool:
    """Whether a deed was answered and all that came of it was said and noted."""
    answered = sent.state == "answered" and (
        sent.callback_type != SILENT or rim.journalled(sent) is not None
    )
    return answered and rim.told()


def saw_it(rim: Rim, sent: Interaction) -> bool:
    """Whether the one who did it sees what came of it: in an answer, or on the card that the step
    changed.
    """
    if sent.callback_type == SILENT:
        return rim.journalled(sent) is not None
    return bool(told_by(sent)) or rim.journalled(sent) is not None


def told_by(sent: Interaction) -> list[int]:
    """The numbers of what came of a deed."""
    return [each for each in map(number, sent.messages) if each is not None]


def given_again(rim: Rim, row: Row) -> bool:
    """Return whether a missed answer was given to the same deed, done once more."""
    return f" outbox.answered out={row.id}\n" in rim.output()


def found_again(rim: Rim, row: Row) -> bool:
    """Return whether an answer had got through before the death, which may be noted only later."""
    return f" outbox.sent out={row.id} " in rim.output()


def told_late(rim: Rim, row: Row) -> bool:
    """Return whether a missed answer was dealt with beside the answer to another deed.

    A deed is another one if the step before has changed what it would do: it is refused then.
    """
    return f" outbox.told-late out={row.id}\n" in rim.output()


def with_answers(sent: list[Interaction]) -> list[Interaction]:
    """Those that were answered by a message of their own."""
    return [each for each in sent if each.callback_type != SILENT]


async def killed_at(rim: Rim, flow: Flow, event: str, count: int) -> None:
    """The deed with a death in the midst of it, and everything that has to be right afterwards."""
    place, act = await begin(rim, flow)
    rim.order(event, count)
    sent = act()
    # What else is to be said and changed depends on the dice, and how often something is noted on
    # the machine.
    sure = event in ALWAYS and count == 1
    await rim.died(unless=None if sure else lambda: done_with(rim, sent))
    done = rim.journalled(sent)
    # A silent acknowledgment is made at once and promises nothing.
    seen = sent.response if sent.state == "answered" and sent.callback_type != SILENT else None
    assert seen is None or done is not None
    await rim.start()
    await rim.settled()
    assert rim.journalled(sent) == done
    held = [row for row in rim.outbox() if private(row) and not row.done]
    waiting = [row for row in held if not found_again(rim, row)]
    assert len(waiting) <= (done is not None)
    if done is None or waiting:
        # Nothing was to be seen of it, so it is done once more; it happens once all the same.
        again = act()
        if waiting:
            (row,) = waiting
            await rim.wait(lambda: given_again(rim, row) or told_late(rim, row))
            assert rim.journalled(again) is None
            # What stands on the card is not told a second time beside another answer.
            shown = told_late(rim, row) and on_card(row, rim.events_of(row))
            # An answer about two places is two messages.
            assert {*told_by(again)} == (set() if shown else {done})
        else:
            await rim.wait(lambda: saw_it(rim, again))
    await rim.wait(rim.told)
    rim.check_said(with_answers([sent]))
    await flow.go_on(rim, place)


ALL_FLOWS = FLOWS | DICE_POOL | KARMA | WAITING | SCENE_MOVES | DEATHS | CARDS


def chosen_steps(name: str, steps: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Every step by night; by day a third of the first ones, which differs from flow to flow."""
    if EVERY_STEP:
        return steps
    first = [(event, count) for event, count in steps if count == 1]
    return first[list(ALL_FLOWS).index(name) % 3 :: 3]


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL_FLOWS)
async def test_killed_at_every_step(name: str, tmp_path: Path) -> None:
    flow = ALL_FLOWS[name]
    async with open_rim(tmp_path) as rim:
        await rim.start()
        # Only the first table of a server has its system's own commands registered there.
        await rim.table()
        steps = await boundaries(rim, flow)
        if name in FLOWS:
            assert {event for event, _ in steps} >= ALWAYS
        for event, count in chosen_steps(name, steps):
            with during(f"{name}, {event} {count}"):
                await killed_at(rim, flow, event, count)
        await rim.stop()
        await rim.check_files()


@pytest.mark.slow
async def test_killed_while_catching_up(tmp_path: Path) -> None:
    """A start that ends like the one before leaves it to the next."""
    async with open_rim(tmp_path) as rim:
        await rim.start()
        for event in (
            "outbox.recover",
            "outbox.sending",
            "outbox.sent",
            "outbox.noting",
            "outbox.marked",
        ):
            # What only some can see has a message that changes, whatever the dice were.
            flow = FLOWS["undo in private" if event == "outbox.marked" else "undo"]
            place, act = await begin(rim, flow)
            rim.order("table.committed")
            act()
            await rim.died()
            for count in (1, 2) if event in ("outbox.sending", "outbox.sent") else (1,):
                rim.order(event, count)
                await rim.start(ready=False)
                with during(f"{event} {count}"):
                    await rim.died()
            await rim.start()
            await rim.settled()
            await rim.do(rim.gina, place, "moves")
            await rim.wait(rim.told)
            with during(event):
                rim.check_said()
                await flow.go_on(rim, place)
        await rim.stop()
        await rim.check_files()


def dues(rim: Rim) -> int:
    """How often the clock has acted."""
    return int(rim.query("SELECT COUNT(*) FROM journal WHERE kind = 'Due'")[0][0])


async def two_wait(rim: Rim) -> None:
    """The bot is gone, and at a new table a result and a proposal wait until tomorrow; of all else
    everybody knows.
    """
    place, act = await begin(rim, FLOWS["roll"])
    await act().answered(PATIENCE)
    await rim.do(rim.ben, place, "check", **CLIMB)
    await rim.wait(rim.told)
    await rim.kill()


@pytest.mark.slow
async def test_killed_while_the_clock_acts(tmp_path: Path) -> None:
    """A result that stands by itself and reminder: done once each, told once each."""
    async with open_rim(tmp_path) as rim:
        await rim.start()
        await two_wait(rim)
        days = 0
        for event, count in (
            *(
                ("scheduler.acting", 1),
                ("table.resolved", 1),
                ("storage.committing", 1),
                ("table.committed", 1),
            ),
            *(
                ("outbox.sending", 1),
                ("scheduler.acted", 1),
                ("scheduler.acting", 2),
                ("table.committed", 2),
            ),
            *(
                ("outbox.sent", 1),
                ("scheduler.acted", 2),
                ("outbox.marked", 1),
                ("outbox.noted", 1),
            ),
        ):
            # Where nothing is left to be done, the next death finds a fresh table.
            if days:
                await rim.start()
                await rim.settled()
                rim.check_said()
                await two_wait(rim)
            days += 1
            all_due = dues(rim) + 2
            rim.turn_clock(days)
            rim.order(event, count)
            await rim.start(ready=False)
            with during(f"{event} {count}"):
                # Whether an earlier message has to change depends on the dice.
                sure = event != "outbox.marked"
                await rim.died(
                    unless=None if sure else lambda due=all_due: dues(rim) >= due and rim.told()
                )
        await rim.start()
        await rim.settled()
        rim.check_said()
        kinds = rim.query(
            "SELECT request_id, COUNT(*) FROM journal WHERE kind = 'Due' GROUP BY request_id"
        )
        assert len(kinds) >= 2 * days and {count for _, count in kinds} == {1}
        await rim.stop()
        await rim.check_files()


@pytest.mark.slow
@pytest.mark.parametrize("event", ["scheduler.acting", "storage.committing", "table.committed"])
@pytest.mark.parametrize("name", [*waiting.CLOCK])
async def test_killed_while_the_clock_answers(name: str, event: str, tmp_path: Path) -> None:
    """A turn whose time runs out waits once, and a death that would follow is held."""
    prepare, goes_on = waiting.CLOCK[name]
    async with open_rim(tmp_path) as rim:
        await rim.start()
        frail = name == "death"
        place = await waiting.frail_table(rim) if frail else await rim.table(gm_room=False)
        await prepare(rim, place)
        await rim.stop()
        rim.turn_clock(2.1)
        rim.order(event)
        await rim.start(ready=False)
        await rim.died()
        await rim.start()
        await rim.settled()
        await goes_on(rim, place)
        rim.check_said()
        await rim.stop()
        await rim.check_files()


class Play:
    """People who do whatever comes to mind, at several tables, until the bot is gone."""

    def __init__(
        self, rim: Rim, places: list[Channel], pool: Channel, decked: Channel, chance: random.Random
    ) -> None:
        self.rim = rim
        self.places = [*places, pool, decked]
        self.chance = chance
        self.sent: list[Interaction] = []
        self.since = 0
        self.most = 0
        at_pools = barmore.BarPlay(rim, chance, self._sent)
        #: Who plays in a way of their own there.
        self._apart = {pool.id: at_pools, decked.id: masterbook.CardPlay(rim, chance, self._sent)}

    async def go_on(self) -> None:
        """Play until canceled."""
        await asyncio.gather(
            *(self._person(who) for who in (self.rim.gina, self.rim.ana, self.rim.ben))
        )

    async def goes_on_for(self, deeds: int) -> None:
        """Wait until so many more deeds were answered, however slow the machine is."""
        await self.rim.wait(lambda: "app.ready" in self.rim.output())
        with contextlib.suppress(TimeoutError):
            await self.rim.wait(lambda: self.since >= deeds, within=5)

    async def _person(self, who: User) -> None:
        while True:
            if self.since >= self.most:
                await asyncio.sleep(0.005)
                continue
            try:
                await (self._lead(who) if who is self.rim.gina else self._play(who))
            except (TimeoutError, LookupError):
                # The bot is away, or the button is gone: that is what it is like.
                await asyncio.sleep(0.005)

    async def _lead(self, who: User) -> None:
        place = self.chance.choice(self.places)
        if (apart := self._apart.get(place.id)) is not None:
            await apart.lead(who, place)
            return
        waiting = self._messages(place, "Answer") + self._messages(self.rim.gm_room, "Answer")
        if self.chance.random() < 0.1 or not waiting:
            await self._sent(
                self.rim.emit(who, place, self.chance.choice(["gm undo", "moves", "moves"]))
            )
            return
        panel = (await self._press(who, self.chance.choice(waiting), "Answer")).response
        if panel is not None and has_button(panel, "Call for a roll"):
            panel = await self.rim.choose(who, panel, "Difficulty", "Tricky")
            if self.chance.random() < 0.5:
                panel = await self.rim.choose(who, panel, SHARED, "hidden")
            await self._press(who, panel, "Call for a roll")

    async def _play(self, who: User) -> None:
        place = self.chance.choice(self.places)
        if (apart := self._apart.get(place.id)) is not None:
            await apart.play(who, place)
            return
        rolls, reacts = self._messages(place, "Roll"), self._messages(place, "React")
        what = self.chance.random()
        if rolls and what < 0.5:
            await self._press(who, self.chance.choice(rolls), "Roll")
        elif reacts and what < 0.8:
            panel = (await self._press(who, self.chance.choice(reacts), "React")).response
            labels = (
                [] if panel is None else [label for label in labels_of(panel) if label in MOVES]
            )
            if self.chance.random() < 0.8 and "Withdraw" in labels:
                labels.remove("Withdraw")
            if panel is not None and labels:
                await self._press(who, panel, self.chance.choice(labels))
        elif what < 0.9:
            options = CLIMB | {
                "visibility": self.chance.choice(["public", "public", "private", "blind"])
            }
            await self._sent(self.rim.emit(who, place, "check", **options))
        else:
            await self._sent(self.rim.emit(who, place, "moves"))

    def _messages(self, place: Channel, label: str) -> list[Message]:
        return [message for message in self.rim.said(place)[-40:] if has_button(message, label)]

    async def _press(self, who: User, message: Message, label: str) -> Interaction:
        if label not in barmore.usable(message):
            raise LookupError(label)
        return await self._sent(self.rim.press(who, message, label))

    async def _sent(self, sent: Interaction) -> Interaction:
        self.sent.append(sent)
        if not sent.delivered:
            raise TimeoutError
        await sent.answered(0.5)
        self.since += 1
        return sent


MOVES = (
    "Accept result",
    "Accept result",
    "Roll",
    "Withdraw",
    "Re-roll d8",
)


def labels_of(message: Message) -> list[str]:
    return [item["label"] for item in walk(message.components) if item.get("label")]


@pytest.mark.slow
@pytest.mark.parametrize("world", range(-(-KILLS // WORLD)))
async def test_killed_at_random(world: int, tmp_path: Path) -> None:
    kills = min(WORLD, KILLS - WORLD * world)
    async with asyncio.timeout(60 + 30 * kills), Nursery() as nursery:
        await play_and_die(tmp_path, random.Random(f"kills {world}"), kills, nursery)


async def play_and_die(folder: Path, chance: random.Random, kills: int, nursery: Nursery) -> None:
    """A new server, four tables, and so many kills: one in five at the start, the others in the
    midst of play.
    """
    async with open_rim(folder, nursery) as rim:
        await rim.start()
        places = [await rim.table(), await rim.table(gm_room=False)]
        # Only one table has the GM channel: what is told there is known by its number alone.
        pool = await barmore.bar_table(rim, gm_room=False)
        await barmore.add_sidor(rim, pool)
        decked = await masterbook.card_table(rim)
        play = Play(rim, places, pool, decked, chance)
        await rim.kill()
        journal: dict[str, tuple[object, ...]] = {}
        for kill in range(1, kills + 1):
            starting = chance.random() < 0.2
            await rim.start(ready=False)
            play.since, deeds = 0, chance.randrange(MOST_DEEDS)
            play.most = deeds + MOST_DEEDS
            playing = asyncio.create_task(play.go_on())
            if not starting:
                await play.goes_on_for(deeds)
            await asyncio.sleep(chance.uniform(0.0, 0.05 if play.since else 0.3))
            await rim.kill()
            playing.cancel()
            (ended,) = await asyncio.gather(playing, return_exceptions=True)
            if not isinstance(ended, asyncio.CancelledError):
                raise ended or AssertionError("nobody plays any more")
            with during(f"kill {kill}"):
                check_journal(rim, play, journal)
                if kill % SPELL == 0 or kill == kills:
                    await look_at_everything(rim, play)
        if kills >= 2 * SPELL:
            # What is begun, and what is answered, are many things.
            what = "kind || IFNULL(action ->> 'kind', '') || IFNULL(action ->> 'prompt', '')"
            done = rim.query(
                f"SELECT COUNT(*), COUNT(DISTINCT {what}) FROM journal GROUP BY table_id"
            )
            # At one of them the GM may have taken back the very characters.
            assert sorted(count for count, _ in done)[1] > kills / 4, (
                "there was play at two tables at least"
            )
            assert max(kinds for _, kinds in done) > 8, "and of many kinds at that of the dice pool"


def check_journal(rim: Rim, play: Play, journal: dict[str, tuple[object, ...]]) -> None:
    """Nothing that was to be seen is missing from the journal, and nothing in it changes
    any more.
    """
    rows = {
        str(row[0]): row[1:]
        for row in rim.query(
            "SELECT request_id, table_id, seq, kind, action, events, draws FROM journal"
        )
    }
    about = {(row[0], row[1]): codec.read_events(row[4]) for row in rows.values()}
    assert rows.items() >= journal.items()
    journal.update(rows)
    for sent in play.sent:
        for message in sent.messages[:1]:
            shown = number(message)
            if shown is None or message.ephemeral or sent.callback_type == SILENT:
                continue
            table, seq, *_ = rows[str(sent.id)]
            # The card of a check bears the number of its last step.
            assert shown == seq or cards(about[table, shown]) & cards(about[table, seq])


def cards(events: Sequence[Event]) -> set[str]:
    """The checks of which everybody has heard."""
    return {
        each.check for each in events if isinstance(each, CheckChanged) and each.audience.everyone
    }


async def look_at_everything(rim: Rim, play: Play) -> None:
    """Start, let everybody be told what they missed, end in order, and compare all there is."""
    await rim.start()
    await rim.settled()
    for place in play.places:
        for who in (rim.gina, rim.ana, rim.ben):
            await rim.do(who, place, "moves")
    await rim.wait(rim.told)
    await rim.stop()
    rim.check_said(with_answers(play.sent))
    await rim.check_files()
    await masterbook.check_cards(rim)
    # The stand-in pins nothing, and play goes on without.
    assert [route for route in rim.standin.unknown_routes if "/pins/" not in route] == []
