"""A table on the simulated Discord for flows: what people type and press, what they are told, which
dice fell.

A flow is one random story at a table of its own. A referee (tests/flows/<system>.py) works out by
an arithmetic of its own what has to come of it, with the dice that fell as its only input, and
holds against it what the bot tells.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import pytest
import simcord
from hypothesis import given
from hypothesis import strategies as st
from simcord.actors import MemberActor
from simcord.env import Env

from bot.presenters.language import words
from rules.core.rng import KeyedRng, KeyedStreams, Sealed
from tests.discord.conftest import SETTLED
from tests.discord.world import (
    Dice,
    World,
    build_world,
    check_sent,
    close_bots,
    controls,
    dialog_values,
    labels,
    make_bot,
    menus,
    message_of,
    plain_label,
    read_on,
    texts,
)
from tests.example_counts import flows

T = TypeVar("T")
#: What opens the dialog of a panel, where nothing else is said.
_WRITING: Final = ("Write…", "Approach…", "Question…", "Note…")
#: What every refusal says.
_REFUSED: Final = "Nothing has changed."
#: How an undo names what it took back.
_UNDONE: Final = re.compile(r"undid #[^.\n]*")
_ENTRY: Final = re.compile(r"#(\d+)")


class Die(NamedTuple):
    """A die that fell."""

    sides: int
    face: int


# --- dice -----------------------------------------------------------------------------------------


class Falling(Dice):
    """Dice as a flow's seed has them, lowest and highest faces oftener than on a table; what fell
    is kept.

    Faces that were laid (`lay`) come first.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._chance = random.Random(seed)
        self._fell: list[Die] = []
        #: Draws of each request, by its key and the seed: an entry that is carried out again to
        #: look at an earlier moment draws the same.
        self._by_request: dict[tuple[str, str], list[int]] = {}

    def take(self) -> list[Die]:
        """What fell since this was asked last, in the order in which it fell."""
        fell, self._fell = self._fell, []
        return fell

    def below(self, n: int) -> int:
        """The next draw."""
        if self._faces:
            face = self._faces.popleft()
            assert 1 <= face <= n, f"face {face} does not fit a die of {n}"
        else:
            extreme = self._chance.random()
            face = 1 if extreme < 0.1 else n if extreme > 0.9 else self._chance.randint(1, n)
        self._fell.append(Die(n, face))
        return face - 1

    def streams(self, public_seed: bytes, secret_seed: bytes, key: str, closed_seed: bytes) -> Any:
        """What stands in for `KeyedStreams`."""
        return _Streams(self, key, KeyedStreams(public_seed, secret_seed, key, closed_seed))

    def again(self, key: str, seed: str) -> list[int]:
        """What one request has drawn of one seed so far."""
        return self._by_request.setdefault((key, seed), [])


class _Streams:
    """The draws of one request; the order of cards stays with its seed."""

    def __init__(self, dice: Falling, key: str, keyed: KeyedStreams) -> None:
        self.public = _Stream(dice, dice.again(key, "public"))
        self.secret = _Stream(dice, dice.again(key, "secret"))
        self._keyed = keyed

    @property
    def shuffle(self) -> KeyedRng:
        return self._keyed.shuffle

    @property
    def sealed(self) -> Sealed:
        return self._keyed.sealed

    def tag(self, number: int, /) -> str:
        return str(number)

    @property
    def hidden(self) -> int:
        return self.secret.drawn + self._keyed.hidden

    @property
    def drawn(self) -> int:
        return self.public.drawn + self.hidden


class _Stream:
    def __init__(self, dice: Falling, known: list[int]) -> None:
        self._dice = dice
        self._known = known
        self.drawn = 0

    def below(self, n: int, /) -> int:
        self.drawn += 1
        if self.drawn > len(self._known):
            self._known.append(self._dice.below(n))
        return self._known[self.drawn - 1]


# --- a flow ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Moment:
    """How things stood: for `Flow.back`."""

    revision: int
    sheets: Mapping[str, Any]
    checks: Mapping[str, Any]


class Flow:
    """One table and what is done at it. Gina leads; Ana and Ben play.

    `chance` is what Hypothesis drew: every choice of the flow comes from it. `compared` counts what
    was held against the referee, `met` the ids of rules that it worked out.
    """

    def __init__(self, world: World, chance: random.Random, dice: Falling) -> None:
        self.world = world
        self.chance = chance
        self.dice = dice
        self.compared = 0
        self.met: set[str] = set()
        self.done: list[str] = []
        self._dead: set[int] = set()

    @property
    def gina(self) -> MemberActor:
        return self.world.gina

    @property
    def ana(self) -> MemberActor:
        return self.world.ana

    @property
    def ben(self) -> MemberActor:
        return self.world.ben

    # --- chance -----------------------------------------------------------------------------------

    def pick(self, among: Sequence[T]) -> T:
        return self.chance.choice(among)

    def some(self, among: Sequence[T], most: int = 9) -> list[T]:
        """Some of these, each at most once, in their order."""
        wanted = self.chance.sample(
            range(len(among)), self.chance.randint(0, min(most, len(among)))
        )
        return [among[index] for index in sorted(wanted)]

    def likely(self, chance: float) -> bool:
        return self.chance.random() < chance

    # --- the referee ------------------------------------------------------------------------------

    def same(self, what: str, expected: Any, found: Any) -> None:
        """Hold what the bot says against what the referee works out."""
        self.compared += 1
        assert found == expected, self.story(f"{what}: {expected!r} expected, {found!r} found")

    def holds(self, what: str, text: str, *parts: str) -> None:
        """All of these have to stand in a text."""
        for part in parts:
            self.compared += 1
            assert part in text, self.story(f"{what}: {part!r} is not in {text!r}")

    def lacks(self, what: str, text: str, *parts: str) -> None:
        """None of these may stand in a text."""
        for part in parts:
            self.compared += 1
            assert part not in text, self.story(f"{what}: {part!r} is in {text!r}")

    def story(self, fault: str) -> str:
        """What was done last, and what is wrong with it."""
        return "\n".join((*self.done[-40:], fault))

    # --- what people do ---------------------------------------------------------------------------

    def _noted(self, who: MemberActor, what: str, result: Any) -> Any:
        self.done.append(f"{who.name}: {what}")
        told = self.answer(result)
        assert "fault in Storyguide" not in told, self.story(told)
        return result

    async def slash(self, who: MemberActor, command: str, /, **options: Any) -> Any:
        """A command, without the options that are None; refused or not."""
        given = {key: value for key, value in options.items() if value is not None}
        shown = {key: value for key, value in given.items() if key != "file"}
        result = await who.slash(self.world.zone, command, **given)
        return self._noted(who, f"/{command} {shown}", result)

    async def do(self, who: MemberActor, command: str, /, **options: Any) -> Any:
        """The same, where it has to be accepted; what is asked about out of turn is meant."""
        result = await self.slash(who, command, **options)
        assert _REFUSED not in self.answer(result), self.story(self.answer(result))
        sent = result.response
        if sent is None or "Out of turn" not in texts(sent) or "Cancel" not in labels(sent):
            return result
        asked = next(each for each in labels(sent) if each in ("Roll", "Send"))
        return await self.press(who, asked, sent)

    async def refused(self, who: MemberActor, command: str, /, **options: Any) -> str:
        """The same, where it has to be refused, and nothing may change. Returns what the refusal
        says.
        """
        before = await self.world.revision()
        told = self.answer(await self.slash(who, command, **options))
        self.compared += 1
        assert _REFUSED in told and await self.world.revision() == before, self.story(told)
        return read_on(told)

    @staticmethod
    def answer(result: Any) -> str:
        """Everything that an answer says, to whomever."""
        messages = [each for each in (result.response, *result.followups) if each is not None]
        return "\n".join(map(texts, messages))

    def told(self, result: Any) -> str:
        """Everything that an answer says, and what everybody reads below it."""
        return f"{self.answer(result)}\n{texts(self.world.last())}"

    def buttons(self, label: str, check: str = "") -> list[Any]:
        """The messages of the channels with that button, of this check where one is named; the
        newest is the last.
        """
        named = re.compile(rf":{check}(?:[.:]|$)")
        return [
            message
            for room in (self.world.gm_room, self.world.zone)
            for message in self.world.messages(room)
            for each in controls(message)
            if plain_label(each.get("label", "")) == label
            and (not check or named.search(each["custom_id"]))
        ]

    def button(self, label: str, check: str = "") -> Any:
        """The newest of them. AssertionError where there is none."""
        found = self.buttons(label, check)
        assert found, self.story(f"no button {label!r} {check}")
        return found[-1]

    async def press(
        self, who: MemberActor, label: str, message: Any = None, check: str = ""
    ) -> Any:
        """Press the button that says so: in a message, or on the newest one that has it (of a
        check).
        """
        where = message if message is not None else self.button(label, check)
        return self._noted(who, f"[{label}]", await self.world.press(who, where, label))

    async def open(self, who: MemberActor, label: str, message: Any = None, check: str = "") -> Any:
        """Press what opens a panel: the private message with it."""
        return message_of(await self.press(who, label, message, check))

    async def choose(self, who: MemberActor, panel: Any, placeholder: str, *values: str) -> Any:
        """Choose in the menu of a panel."""
        result = await self.world.choose(who, panel, placeholder, *values)
        return self._noted(who, f"{placeholder} = {', '.join(values)}", result)

    def offered(self, panel: Any, placeholder: str) -> list[str]:
        """The values that a menu offers; none where there is no such menu."""
        return [
            each["value"] for found in menus(panel, placeholder)[:1] for each in found["options"]
        ]

    async def write(self, who: MemberActor, panel: Any, label: str = "", /, **inputs: str) -> Any:
        """Fill in some of a dialog that a panel opens, by the keys of its inputs; the
        rest stays.
        """
        opens = label or next(each for each in _WRITING if each in labels(panel))
        dialog = await self.press(who, opens, panel)
        result = await who.submit_modal(dialog, dialog_values(dialog) | inputs)
        return self._noted(who, f"{opens} {inputs}", result)

    # --- what is there ----------------------------------------------------------------------------

    async def check(self) -> str:
        """The id of the check begun last."""
        return max((await self.world.state()).checks.values(), key=lambda each: each.number).id

    def card(self, check: str) -> str:
        """What the public card of a check says now."""
        return texts(self.world.card(check))

    async def shown(self, name: str, who: MemberActor | None = None) -> str:
        """Every page of `/character show`."""
        person = who or self.gina
        return await self.world.pages(
            person, message_of(await self.do(person, "character show", character=name))
        )

    async def sheet(self, name: str) -> dict[str, Any]:
        """`/character export`, read."""
        result = await self.do(self.gina, "character export", character=name)
        self.done.pop()
        (attachment,) = message_of(result).attachments
        return json.loads(await attachment.read())

    async def names(self) -> list[str]:
        """Everybody at the table."""
        return [each.name for each in (await self.world.state()).characters.values()]

    # --- back and forth ---------------------------------------------------------------------------

    async def moment(self) -> Moment:
        """How things stand."""
        state = await self.world.state()
        checks = {
            each.id: (
                each.stage,
                each.is_open,
                each.data,
                [asked.prompt.key for asked in each.asked],
            )
            for each in state.checks.values()
        }
        return Moment(
            await self.world.revision(),
            {name: await self.sheet(name) for name in await self.names()},
            checks,
        )

    async def back(self, moment: Moment) -> None:
        """A GM takes back everything since then: the newest entry again and again, or the first
        with what follows.

        Then everything is as it was. The flow may go on from there; the dice fall anew.
        """
        while later := await self._since(moment):
            ways = [
                ("gm undo", {}),
                ("gm undo", {"entry": max(later)}),
                ("gm undo", {"entry": min(later)}),
            ]
            command, options = self.pick(ways)
            result = await self.slash(self.gina, command, **options)
            answer = message_of(result)
            if "build on it" in texts(answer):
                result = await self.press(self.gina, labels(answer)[0], answer)
            # Most of it everybody reads in a message of its own.
            told = [self.answer(result), *map(texts, reversed(self.world.messages()))]
            newest = next(filter(None, map(_UNDONE.findall, told)), [])
            undone = {int(number) for number in _ENTRY.findall("".join(newest))}
            assert undone, self.story("\n".join(told))
            self._dead |= undone | {await self.world.revision()}
        found = await self.moment()
        self.same("the sheets after an undo", moment.sheets, found.sheets)
        self.same("the checks after an undo", moment.checks, found.checks)
        self.dice.take()

    async def _since(self, moment: Moment) -> set[int]:
        """The entries after a moment that have not been taken back."""
        return {*range(moment.revision + 1, await self.world.revision() + 1)} - self._dead

    async def restart(self) -> None:
        """The bot ends, in order or at once, and another begins."""
        self.done.append("(the bot starts anew)")
        if self.likely(0.5):
            await self.world.restart()
        else:  # what it kept in memory is gone; its file is closed at the end
            await self.world.env.restart_bot(make_bot(self.world.path))


@asynccontextmanager
async def open_flow(chance: random.Random, path: Path) -> AsyncIterator[Flow]:
    """A server with a new bot on a file of its own, and nothing set up; afterwards Discord's limits
    were kept.
    """
    settle = Env._settle_internal

    async def briskly(env: Env, **options: Any) -> None:
        options["idle"] = 0.001
        await settle(env, **options)

    dice = Falling(chance.getrandbits(32))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Env, "_settle_internal", briskly)
        patch.setattr("bot.services.resolution.KeyedStreams", dice.streams)
        patch.setattr("bot.delivery.delivery_log.FLUSH_DELAY", 0)
        words.set_strict(True)
        try:
            async with simcord.run(make_bot(path), settle_timeout=SETTLED) as env:
                world = build_world(env, path)
                world.dice = dice
                yield Flow(world, chance, dice)
                check_sent(env)
        finally:
            words.set_strict(False)
            await close_bots()


def play(chance: random.Random, story: Callable[[Flow], Awaitable[None]]) -> Flow:
    """Run one flow to its end: for a test that Hypothesis drives. Returns it, for its counts."""

    async def run() -> Flow:
        with tempfile.TemporaryDirectory() as folder:
            async with open_flow(chance, Path(folder) / "storyguide.db") as flow:
                await story(flow)
            return flow

    return asyncio.run(run())


def agree(
    referee: Callable[[Flow], Any],
    kinds: Mapping[str, Callable[[Any], Awaitable[None]]],
    kind: str,
    *,
    parts: int = 0,
) -> None:
    """Flows of mostly one kind of things to do: the bot tells of each what the referee has worked
    out.

    They are shared out to so many `parts`, without any as there are kinds.
    """

    async def story(flow: Flow) -> None:
        ref = referee(flow)
        await ref.begin()
        for told in [kinds[kind]] * 4 + [flow.pick(list(kinds.values()))]:
            await told(ref)
            if flow.likely(0.2):
                await flow.restart()

    @given(seed=st.integers(0, 2**64))
    @flows(parts or len(kinds))
    def run(seed: int) -> None:
        play(random.Random(seed), story)

    run()


#: So many flows of a kind meet all of its rules in any case.
_ENOUGH: Final = 25


def meeting(rules: Collection[str], parts: int, story: Callable[[Flow], Awaitable[None]]) -> None:
    """Flows of one of so many kinds, as the profile says; these rules are met.

    Where that were too few for all of them, more are played, the same each time.
    """
    met: set[str] = set()

    @given(seed=st.integers(0, 2**64))
    @flows(parts)
    def run(seed: int) -> None:
        met.update(play(random.Random(seed), story).met)

    run()
    for seed in range(_ENOUGH):
        if met >= set(rules):
            return
        met.update(play(random.Random(seed), story).met)
    assert met >= set(rules)
