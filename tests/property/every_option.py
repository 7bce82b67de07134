"""Everything that can be chosen is chosen once: what forms, commands and settings declare, each
played to its end.

What there is to choose is read off the system: every field of the form of every kind of check, of
every option of every prompt that such a check comes to, of every command and of the settings. Each
value is chosen once, with the dice of the same course without it. It is accepted, or refused for a
reason; it is told, it does something, and undo brings back what was before.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Any, Final

import pytest

from bot.presenters.checks import check_card
from bot.presenters.errors import describe_error
from bot.presenters.events import event_cards
from bot.presenters.layout import plain_text
from bot.presenters.render import to_messages
from bot.presenters.scene import Scene
from rules.core.errors import Problems, RulesError
from rules.core.rng import KeyedStreams
from rules.registry import read_only_game
from rules.table.actions import (
    Action,
    Actor,
    Adjust,
    Begin,
    ChangeSettings,
    Choose,
    Due,
    ImportCharacter,
    Undo,
)
from rules.table.blocks import EVERYONE, Change, Roll, Verdict
from rules.table.blocks import GMS as TO_GMS
from rules.table.check import PASS, AnyCheck, Values
from rules.table.checks.audience_views import check_view
from rules.table.checks.available_moves import Move, check_moves
from rules.table.checks.prompt_times import pending_waits
from rules.table.commands import CheckStart, Command, CommandAction, CommandView, PromptAnswer
from rules.table.events import Event, Reported
from rules.table.forms.fields import Flag, FormContext, Number
from rules.table.forms.form import Field, Form
from rules.table.journal import undo
from rules.table.settings.table_settings import settings_form, write_settings
from rules.table.state import KEPT_BY_UNDO, SYSTEM, Settings, TableState
from rules.table.system import Game, System
from tests.presenters.scenes import People
from tests.sample_table import ANN, BEN, GM, NOON, by, open_game, resolve

CLOCK: Final = Actor(SYSTEM)
EVERYBODY: Final = (GM, ANN, BEN)
#: What leads nowhere, and is chosen where it is meant alone.
_ASIDE: Final = frozenset(
    ("withdraw", "revise", "ask", "free", "impossible", "leave", "stand", "cancel")
)
#: What a check keeps of what was said: whether a choice does something is seen in everything else.
_SAID: Final = frozenset(
    (
        "asked",
        "ruled",
        "request",
        "ruling",
        "plan",
        "defense",
        "entries",
        "question",
        "answer",
        "asked_by",
        "answered_by",
    )
)
_LONGEST: Final = 60
#: What is only read by people.
_WORDS: Final = frozenset(("approach", "note", "question", "action"))
#: Those of whom somebody is meant: that one of them can be is enough.
_NAMES: Final = frozenset(
    (
        "as",
        "measure",
        "who",
        "target",
        "character",
        "to",
        "vehicle",
        "other",
        "pilot",
        "aboard",
        "together",
        "also",
        "caught",
    )
)
#: With so many different dice a choice is tried that has done nothing so far.
SEEDS: Final = 2
#: What fits everywhere.
_FITS: Final[Mapping[str, tuple[Any, ...]]] = {
    "approach": ("on tiptoe",),
    "question": ("How?",),
    "note": ("careful",),
    "name": ("Dam",),
}


@dataclass(frozen=True)
class Course:
    """A way to begin a check of a kind: on which of the tables, with what, by whom; `fields` are
    what is chosen there.

    None for all of the form.
    """

    kind: str
    values: Values = field(default_factory=dict[str, Any])
    table: str = ""
    target: str | None = None
    as_: str | None = "Anna"
    who: Actor = ANN
    fields: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Ordered:
    """What a command says besides what is chosen, on which table, by whom; what it `asks` people is
    chosen, too.
    """

    name: str
    given: Values = field(default_factory=dict[str, Any])
    table: str = ""
    who: Actor = GM
    asks: bool = False


#: An action of somebody's, and what it says.
Step = tuple[type[Action], Actor, Values]


@dataclass(frozen=True)
class Deed:
    """Something that is no check and no command of the system's own: what is done, one after the
    other.

    A `Choose` says its option alone, and its values: it is chosen where it is offered first.
    """

    name: str
    steps: tuple[Step, ...]
    table: str = ""
    #: Whether the rules let it be.
    fits: bool = True
    #: Which dice fall.
    seed: int = 0


Done = Course | Ordered | Deed
#: Settings that are asked for by no name.
_IN_STATE: Final = frozenset(Settings.__struct_fields__)


@dataclass(frozen=True)
class Fare:
    """What a system's choices need besides what it declares.

    `fits` are values for fields that offer none, by `kind.key` or key, and more of those that offer
    some.
    """

    system: System
    tables: Mapping[str, TableState]
    courses: tuple[Course, ...]
    orders: tuple[Ordered, ...]
    fits: Mapping[str, tuple[Any, ...]]
    deeds: tuple[Deed, ...] = ()
    #: What is said in a panel where nothing else is chosen, by prompt and option.
    usual: Mapping[str, Values] = field(default_factory=dict[str, Values])
    #: What may stand on Anna's sheet, each with what it changes there, and what is left of the
    #: sheet without it.
    sheets: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = field(
        default_factory=dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]]
    )
    #: Which settings; None for all.
    settings: Collection[str] | None = None


@dataclass
class Found:
    """What came of a choice in every way in which it was tried."""

    done: bool = False
    told: bool = False
    does: bool = False
    refused: set[str] = field(default_factory=set[str])

    @property
    def all(self) -> bool:
        """Whether nothing is left to find out."""
        return self.done and self.told and self.does


# --- a course of play -----------------------------------------------------------------------------


class Run:
    """One course: what is done, from which states; the dice of each step are the same in every
    course.
    """

    def __init__(
        self, fare: Fare, state: TableState, before: tuple[TableState, ...] = (), seed: int = 0
    ) -> None:
        self.fare, self.state, self.before, self.seed = fare, state, before, seed
        self.at = NOON + len(before)
        self.events: tuple[Event, ...] = ()
        #: Whether it only says something.
        self.says = False
        #: Moves that were open at each step, and how long the bot waited, in seconds.
        self._open_moves: list[list[tuple[Actor, AnyCheck, Move]]] = []
        self.waits: set[int] = set()

    def copy(self) -> Run:
        return Run(self.fare, self.state, self.before, self.seed)

    def game(self, who: Actor = GM) -> Game:
        return open_game(self.state, who, self.at)

    def do(self, action: Action) -> None:
        """Raises what refuses it; nothing has changed then."""
        step = len(self.before)
        rng = KeyedStreams(b"p" * 32, b"s" * 32, f"{step}.{self.seed}")
        outcome = resolve(self.state, action, rng)
        self.before = (*self.before, self.state)
        self.state, self.events = outcome.state, outcome.events
        self.at += 1

    def by(self, who: Actor) -> Any:
        return by(who, at=self.at)

    @property
    def check(self) -> AnyCheck | None:
        """The newest check that was not there at first."""
        first = self.before[0].checks if self.before else {}
        new = [each for key, each in self.state.checks.items() if key not in first]
        return max(new, key=lambda each: each.number, default=None)

    # --- what goes on -----------------------------------------------------------------------------

    def able(self) -> list[tuple[Actor, AnyCheck, Move]]:
        """Everything that anybody may do in the checks that are open."""
        first = self.before[0].checks if self.before else {}
        return [
            (who, check, move)
            for who in EVERYBODY
            for check in self.state.checks.values()
            if check.is_open and check.id not in first
            for move in check_moves(self.game(who), check)
        ]

    def choose(self, who: Actor, check: AnyCheck, move: Move, option: str, values: Values) -> None:
        on: Any = {
            "check": check.id,
            "prompt": move.prompt,
            "number": move.number,
            "as_": (move.who,),
        }
        self.do(Choose(**self.by(who), **on, option=option, values=dict(values)))

    def filled(self, who: Actor, check: AnyCheck, move: Move, option: Any) -> dict[str, Any]:
        """What a panel starts from, and what somebody has to say there."""
        values = dict(option.values)
        if option.form is None:
            return values
        asking = FormContext(self.game(who), check, move.who, values)
        place = f"{move.prompt}.{option.value}"
        said = self.fare.usual.get(f"{check.kind} {place}", self.fare.usual.get(place, {}))
        for each in option.form.fields:
            if each.hidden_if(asking, each.key) is not None:
                continue
            if each.key in said and (each.key not in values or move.prompt == "reply"):
                values[each.key] = said[each.key]
            elif each.needed and each.key not in values:
                values[each.key] = next(values_of(self.fare, each, asking, check.kind))
        return values

    def _goes_on(self) -> tuple[Actor, AnyCheck, Move, str, dict[str, Any]] | None:
        """What is done where nobody has a reason to do anything else."""
        found = self.able()
        self._open_moves.append(found)
        for offers in (False, True):
            for who, check, move in found:
                if move.offer != offers:
                    continue
                if move.passes:
                    return who, check, move, PASS, {}
                usual = [each for each in move.options if each.value not in _ASIDE]
                usual += [each for each in move.options if each.value == "free"]
                for option in () if offers else usual[:1]:
                    return who, check, move, option.value, self.filled(who, check, move, option)
        return None

    def end(self) -> Iterator[tuple[TableState, tuple[TableState, ...]]]:
        """Go on until nothing is open; each state on the way, and what was before it."""
        for _ in range(_LONGEST):
            yield self.state, self.before
            first = self.before[0].checks if self.before else {}
            waits = [
                wait
                for key, check in self.state.checks.items()
                if check.is_open and key not in first
                for wait in pending_waits(check)
            ]
            self.waits |= {each.due - each.asked.since for each in waits}
            step = self._goes_on()
            if step is not None:
                self.choose(*step)
                continue
            if not waits:
                return
            wait = min(waits, key=lambda each: each.due)
            self.at = max(self.at, wait.due)
            self.do(Due(**by(CLOCK, at=self.at), wait=wait.id))
        raise AssertionError(("it never ends", self.state.checks))

    def ended(self) -> Run:
        deque(self.end(), maxlen=0)
        return self

    def choosing(self, who: Actor, option: str, values: Values) -> None:
        """Go on to where that is offered, and choose it."""
        for _ in self.end():
            for each, check, move in self.able():
                found = next((one for one in move.options if one.value == option), None)
                if each == who and found is not None:
                    self.choose(
                        who, check, move, option, {**self.filled(who, check, move, found), **values}
                    )
                    return
        raise AssertionError(("nowhere offered", option))

    # --- what came of it --------------------------------------------------------------------------

    @cached_property
    def told(self) -> str:
        """Everything that GMs read of the checks, and of what was said last."""
        first = self.before[0].checks if self.before else {}
        scene = Scene(1, self.state, People(), {})
        game = self.game(CLOCK)
        cards = [
            check_card(check_view(game, check, audience), scene)
            for key, check in self.state.checks.items()
            for audience in (TO_GMS, EVERYONE)
            if key not in first
        ]
        cards += event_cards(self.events, scene, 1)
        assert all(to_messages(card) for card in cards)
        return "\n".join([plain_text(card) for card in cards])

    @cached_property
    def offers(self) -> set[tuple[str, str]]:
        """Options that were open on the way, by prompt. Read it once the run has ended."""
        return {
            (move.prompt, str(option))
            for found in self._open_moves
            for _, _, move in found
            for option in move.options
        }

    @cached_property
    def consequences(self) -> Any:
        """Everything that is so now, without what was only said."""
        parts = {
            key: part for key, part in _lasting(self.state).items() if not key.startswith("check:")
        }
        data = [
            {
                each: getattr(check.data, each)
                for each in check.data.__struct_fields__
                if each not in _SAID
            }
            for check in self.state.checks.values()
        ]
        shown = [
            (check.visibility, check.hidden, check.stage, *self._numbers(check))
            for check in self.state.checks.values()
        ]
        return parts, data, shown

    def _numbers(self, check: AnyCheck) -> list[str]:
        """How it came out, and what was rolled, as GMs read it."""
        blocks = check_view(self.game(CLOCK), check, TO_GMS).blocks
        return [str(each) for each in blocks if isinstance(each, Verdict | Roll | Change)]

    def require_undone(self) -> None:
        """Undo brings back what was before the first of it, whatever has been read of it."""
        earlier: list[dict[str, Any]] = []
        for after, before in zip((self.state, *self.before[:0:-1]), self.before[::-1], strict=True):
            old, new = dict(before.parts()), dict(after.parts())
            earlier.append(
                {
                    key: old.get(key)
                    for key in old.keys() | new.keys()
                    if old.get(key) is not new.get(key)
                }
            )
        game = self.game(GM)
        outcome = undo.restore(game, Undo(**self.by(GM), entry=1, entries=(1,)), earlier)
        was, now = _lasting(self.before[0]), _lasting(outcome.state)
        for key in was.keys() | now.keys():
            if key.startswith(("check:", "encounter:")):  # its numbers and times are new ones
                assert (key in was) == (key in now), key
            else:
                assert was.get(key) == now.get(key), key


def _lasting(state: TableState) -> dict[str, Any]:
    """The parts of a table that undo brings back."""
    return {key: part for key, part in state.parts() if key not in KEPT_BY_UNDO}


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of something that was done at one table: refusals, or a run that has ended.

    The comparisons begin with what is quick to compare.
    """

    #: Codes and parameters of what was refused; None if it was done.
    refusals: list[tuple[str, str]] | None = None
    run: Run | None = None
    #: Parts of the table in the end, without its settings.
    kept: dict[str, Any] = field(default_factory=dict[str, Any])
    #: Data and views of the checks, why undo is refused, and the waits.
    way: tuple[Any, ...] = ()

    def went_like(self, other: Outcome) -> bool:
        """Return whether both went the same way, whatever stands on sheets."""
        if self.run is None or other.run is None:
            return self.refusals == other.refusals
        return self.way == other.way and self.run.offers == other.run.offers

    def ended_like(self, other: Outcome) -> bool:
        """Return whether both went the same way and left the same parts."""
        return self.kept == other.kept and self.went_like(other)

    def reads_like(self, other: Outcome) -> bool:
        """Return whether GMs and players read the same of both."""
        if self.run is None or other.run is None:
            return self.refusals == other.refusals
        return self.run.told == other.run.told


# --- what there is to choose ----------------------------------------------------------------------


def values_of(fare: Fare, each: Field, asking: FormContext, of: str) -> Iterator[Any]:
    """Every value of a field that is worth choosing."""
    seen: list[Any] = []
    for value in _values(fare, each, asking, of):
        if value not in seen:
            seen.append(value)
            yield value


def _values(fare: Fare, each: Field, asking: FormContext, of: str) -> Iterator[Any]:
    found = fare.fits.get(f"{of}.{each.key}", fare.fits.get(each.key, _FITS.get(each.key)))
    yield from found or ()
    if isinstance(each, Flag):
        yield True
        return
    yield from (value for value, _ in each.choices_for(asking) if value != ())
    if isinstance(each, Number) and found is None:
        # What is offered was yielded above, where it has words.
        offered = () if callable(each.offered) else each.offered
        yield from (each.low or 1, *offered, each.high)


class Chooser:
    """Chooses everything that a system offers, and knows what came of it."""

    def __init__(self, fare: Fare) -> None:
        self.fare = fare
        self.found: dict[str, Found] = {}
        #: Outcomes at tables that are asked about again and again, by what is done and the table,
        #: which is held so that its identity stays its own.
        self._known: dict[tuple[int, int], tuple[TableState, Outcome]] = {}

    # --- checks -----------------------------------------------------------------------------------

    def begun(
        self, course: Course, values: Values, state: TableState | None = None, seed: int = 0
    ) -> Run:
        """A check as a command begins it: what can be said in words is said in words."""
        run = Run(self.fare, self.fare.tables[course.table] if state is None else state, seed=seed)
        game = run.game(course.who)
        form: Form | None = self.fare.system.procedures[course.kind].form
        asking = FormContext(
            game, None, "" if course.as_ is None else _id(run.state, course.as_), values
        )
        if form is not None:
            words = form.write_words(values)
            read = form.read_words(words, asking)
            values = {**{key: value for key, value in values.items() if key not in read}, **read}
        said: Any = {
            "kind": course.kind,
            "as_": course.as_,
            "target": course.target,
            "values": dict(values),
        }
        run.do(Begin(**run.by(course.who), **said))
        return run

    def _note(self, key: str, base: Run | None, make: Callable[[], Run]) -> None:
        """Choose something. Without a `base` it is enough that it is done."""
        found = self.found.setdefault(key, Found())
        if found.all:
            return
        try:
            run = make().ended()
        except RulesError as error:
            assert describe_error(error), key
            codes = (
                [each.code for each in error.problems]
                if isinstance(error, Problems)
                else [error.code]
            )
            found.refused.update(codes)
            return
        if not found.done:
            run.require_undone()
        found.done = True
        found.told = found.told or base is None or run.told != base.told
        # Offers are read only where the rest is equal: writing them out takes long.
        found.does = (
            found.does
            or base is None
            or run.consequences != base.consequences
            or run.offers != base.offers
        )
        found.does |= found.told and run.says

    def check(self, course: Course) -> None:
        """Everything that can be said where such a check begins, and at every prompt that it comes
        to.
        """
        form: Form | None = self.fare.system.procedures[course.kind].form
        state = self.fare.tables[course.table]
        who = "" if course.as_ is None else _id(state, course.as_)
        self.found.setdefault(course.kind, Found(True, True, True))
        for key, value in course.values.items():
            self.found[_key(course.kind, "", key, value)] = Found(True, True, True)
        for seed in range(SEEDS if course.fields is None else 1):
            steps = [*self.begun(course, course.values, seed=seed).end()]
            base = self.begun(course, course.values, seed=seed).ended()
            for each in form.fields if form is not None else ():
                if course.fields is not None and each.key not in course.fields:
                    continue
                asking = FormContext(
                    open_game(state, course.who),
                    None,
                    who,
                    course.values,
                )
                for value in values_of(self.fare, each, asking, course.kind):
                    key, values = (
                        _key(course.kind, "", each.key, value),
                        {**course.values, each.key: value},
                    )
                    self._note(key, base, partial(self.begun, course, values, seed=seed))
            for state_then, before in steps:
                self._prompts_of(course.kind, base, Run(self.fare, state_then, before, seed))

    def _prompts_of(self, kind: str, base: Run, here: Run) -> None:
        """Each option of each prompt that is open, and each value of its form."""
        for who, check, move in here.able():
            for option in move.options:
                place = f"{move.prompt}.{option.value}"
                take = partial(_chosen, here, who, check, move, option.value)
                # What is proposed anew has been chosen when it was proposed.
                if option.form is not None and move.prompt != "own":
                    self._answers(kind, base, here, who, check, move, option)
                self._note(
                    f"{kind} {place}", None, partial(take, here.filled(who, check, move, option))
                )

    def _answers(
        self, kind: str, base: Run, here: Run, who: Actor, check: AnyCheck, move: Move, option: Any
    ) -> None:
        take = partial(_chosen, here, who, check, move, option.value)
        usual = here.filled(who, check, move, option)
        asking = FormContext(here.game(who), check, move.who, usual)
        plain: Run | None = None
        for each in option.form.fields:
            if each.hidden_if(asking, each.key) is not None:
                continue
            for value in values_of(self.fare, each, asking, kind):
                key = _key(kind, f"{move.prompt}.{option.value}", each.key, value)
                if self.found.setdefault(key, Found()).all:
                    continue
                if plain is None:
                    try:
                        plain = take(usual).ended()
                    except RulesError:
                        plain = base
                self._note(key, plain, partial(take, {**usual, each.key: value}))
                if not self.found[key].done:  # perhaps it stands in the place of something usual
                    self._note(key, plain, partial(take, {each.key: value}))

    # --- commands ---------------------------------------------------------------------------------

    def ordered(
        self, order: Ordered, given: Values, seed: int = 0, state: TableState | None = None
    ) -> Run:
        """What a command of the system's own does, and says."""
        run = Run(self.fare, self.fare.tables[order.table] if state is None else state, seed=seed)
        command = next(each for each in self.fare.system.commands if each.name == order.name)
        game = run.game(order.who)
        said = command.run(game, dict(given))
        match said:
            case CheckStart():
                values = dict(said.values)
                form = self.fare.system.procedures[said.kind].form
                if said.words:
                    asking = FormContext(game, None, _id(run.state, said.as_ or "Anna"), values)
                    values |= form.read_words(
                        [each.strip() for each in said.words.split(",")], asking
                    )
                run.do(
                    Begin(
                        **run.by(order.who),
                        kind=said.kind,
                        as_=said.as_,
                        target=said.target,
                        values=values,
                        visibility=said.visibility,
                    )
                )
            case PromptAnswer():
                move = next(
                    move
                    for _, check, move in Run(
                        self.fare, run.state, (run.state.replace(checks={}),)
                    ).able()
                    if check.id == said.check and move.prompt == said.prompt
                )
                check = run.state.checks[said.check]
                option = next(each for each in move.options if each.value == said.option)
                values = dict(said.values)
                if said.words:
                    asking = FormContext(game, check, move.who, values)
                    assert isinstance(option.form, Form)
                    values |= option.form.read_words(
                        [each.strip() for each in said.words.split(",")], asking
                    )
                run.choose(order.who, check, move, said.option, values)
            case CommandAction():
                run.do(said.action(**run.by(order.who), **said.values))
            case CommandView():
                run.before, run.says = (run.state,), True
                title: Any = said.title
                run.events = (
                    Reported(audience=TO_GMS, title=title, blocks=said.blocks, by=order.who.id),
                )
        return run

    def order(self, order: Ordered) -> None:
        """Everything that can be said in one of its options."""
        command: Command = next(
            each for each in self.fare.system.commands if each.name == order.name
        )
        name = order.given.get("as", "Anna" if order.who == ANN else "")
        state = self.fare.tables[order.table]
        game = open_game(state, order.who)
        asking = FormContext(game, None, _id(state, name) if name else "", order.given)
        self._note(f"/{order.name}", None, partial(self.ordered, order, order.given))
        for seed in range(SEEDS):
            base = self.ordered(order, order.given, seed).ended()
            for each in command.fields(self.fare.system.procedures):
                for value in values_of(self.fare, each, asking, f"/{order.name}"):
                    same = order.given.get(each.key) == value
                    key, given = (
                        _key(f"/{order.name}", "", each.key, value),
                        {**order.given, each.key: value},
                    )
                    self._note(
                        key, None if same else base, partial(self.ordered, order, given, seed)
                    )
            for state_then, before in (
                self.ordered(order, order.given, seed).end() if order.asks else ()
            ):
                self._prompts_of(f"/{order.name}", base, Run(self.fare, state_then, before, seed))

    # --- sheets -----------------------------------------------------------------------------------

    def sheets(self) -> None:
        """What stands on a sheet: the sheet tells it, and something goes another way with it."""
        for key, (more, without) in self.fare.sheets.items():
            self.found[key] = self._sheet(more, without)

    def _sheet(self, more: Mapping[str, Any], without: Mapping[str, Any]) -> Found:
        found = Found()
        for each in (*self.fare.deeds, *self.fare.courses):
            if found.all:
                break
            if isinstance(each, Course) and each.fields is not None:
                continue
            one, other = (self._with(each.table, changes) for changes in (more, without))
            found.done = True
            found.told = found.told or _sheet_of(one) != _sheet_of(other)
            outcome, plain = self._outcome(each, one.state), self._plain(each, other.state)
            found.does |= not outcome.went_like(plain)
        return found

    def _plain(self, each: Done, state: TableState) -> Outcome:
        """Return the outcome at a table that is asked about again and again."""
        known = self._known.get((id(each), id(state)))
        return self._remember(each, state) if known is None else known[1]

    def _remember(self, each: Done, state: TableState) -> Outcome:
        """Work out the outcome at a table and keep it for `_plain`."""
        outcome = self._outcome(each, state)
        self._known[id(each), id(state)] = state, outcome
        return outcome

    @lru_cache(maxsize=4096)  # noqa: B019 - lives as long as the test
    def _of_sheet(self, table: str, changes: str) -> Run:
        """Anna's sheet with these changes."""
        state = self.fare.tables[table]
        run = Run(self.fare, state)
        sheets = self.fare.system.sheets
        assert sheets is not None
        data = sheets.write(state.characters[_id(state, "Anna")]) | json.loads(changes)
        run.do(ImportCharacter(**run.by(GM), data=data, owner=ANN.id, overwrite=True, grown=True))
        return run

    def _with(self, table: str, changes: Mapping[str, Any]) -> Run:
        return self._of_sheet(table, json.dumps(changes))

    # --- deeds ------------------------------------------------------------------------------------

    def deed(self, deed: Deed) -> None:
        """Something that is done in one way alone."""
        self._note(f"deed {deed.name}", None, lambda: self.done(deed))
        assert self.found[f"deed {deed.name}"].done is deed.fits, deed.name

    def done(self, deed: Deed, state: TableState | None = None) -> Run:
        run = Run(
            self.fare, self.fare.tables[deed.table] if state is None else state, seed=deed.seed
        )
        for kind, who, said in deed.steps:
            if kind is Choose:
                run.choosing(who, said["option"], said.get("values", {}))
            else:
                run.ended().do(kind(**run.by(who), **said))
        return run

    # --- settings ---------------------------------------------------------------------------------

    def settings(self) -> None:
        """Every value of every setting: agreed on, told, taken back; and what it changes in what is
        done.
        """
        wanted = self.fare.settings
        asked, everywhere = self._asked_for(), (*self.fare.deeds, *self.fare.courses[:10])
        for each in settings_form(self.fare.system).fields:
            if wanted is not None and each.key not in wanted:
                continue
            for value in _agreed(self.fare, each):
                self._agree(
                    each, value, everywhere if each.key in _IN_STATE else asked.get(each.key, ())
                )

    def _asked_for(self) -> dict[str, list[Done]]:
        """In what is done each setting is asked for."""
        found: dict[str, list[Done]] = {}
        plain = Game.setting
        for each in (*self.fare.deeds, *self.fare.courses, *self.fare.orders):
            keys: set[str] = set()

            def setting(game: Game, key: str, keys: set[str] = keys) -> Any:
                keys.add(key)
                return plain(game, key)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(Game, "setting", setting)
                self._remember(each, self.fare.tables[each.table])
            for key in keys:
                found.setdefault(key, []).append(each)
        return found

    def _outcome(self, each: Done, state: TableState) -> Outcome:
        """Do it at this table to its end, unless it is refused."""
        try:
            match each:
                case Deed():
                    run = self.done(each, state)
                case Ordered():
                    run = self.ordered(each, each.given, state=state)
                case Course():
                    run = self.begun(each, each.values, state)
            run = run.ended()
        except RulesError as error:
            problems = (error, *getattr(error, "problems", ()))
            return Outcome(refusals=[(one.code, str(one.params)) for one in problems])
        parts, data, shown = run.consequences
        kept = {key: part for key, part in parts.items() if key != "settings"}
        undo_refusal = ""
        try:
            undo.check_undo(run.state, ANN, (), None, all_dependents=False)
        except RulesError as error:
            undo_refusal = error.code
        return Outcome(run=run, kept=kept, way=(data, shown, undo_refusal, run.waits))

    def _agree(self, each: Field, value: Any, asked: Iterable[Done]) -> None:
        found = self.found.setdefault(f"setting {each.key}={value}", Found())
        plain = self.fare.tables[""]
        run = Run(self.fare, plain)
        if write_settings(plain.settings, self.fare.system)[each.key] == value:
            found.done = found.told = found.does = True
            return
        run.do(ChangeSettings(**run.by(GM), values={each.key: value}))
        found.done, found.told = True, bool(run.events and run.told)
        assert write_settings(run.state.settings, self.fare.system)[each.key] == value
        run.require_undone()
        agreed: dict[str, TableState] = {}
        for one in () if found.does else asked:
            state = self.fare.tables[one.table]
            if write_settings(state.settings, self.fare.system)[each.key] == value:
                continue
            if one.table not in agreed:
                changed = Run(self.fare, state)
                changed.do(ChangeSettings(**changed.by(GM), values={each.key: value}))
                agreed[one.table] = changed.state
            outcome, plain = self._outcome(one, agreed[one.table]), self._plain(one, state)
            found.does = not (outcome.ended_like(plain) and outcome.reads_like(plain))
            if found.does:
                return

    # --- all of it --------------------------------------------------------------------------------

    def everything(self) -> Chooser:
        for course in self.fare.courses:
            self.check(course)
        for order in self.fare.orders:
            self.order(order)
        self.sheets()
        for deed in self.fare.deeds:
            self.deed(deed)
        self.settings()
        return self

    def unchosen(self) -> dict[str, set[str]]:
        """What is refused wherever it was tried, and why; of numbers only where all of a
        field are.
        """
        found = {
            key: each.refused
            for key, each in self.found.items()
            if not each.done and each.refused and not key.startswith("deed ")
        }
        done = {_field(key) for key, each in self.found.items() if each.done}
        return {
            key: why for key, why in found.items() if not (_is_open(key) and _field(key) in done)
        }

    def untold(self) -> list[str]:
        """What nothing tells that was chosen; a question is told until it is answered."""
        return self._without("told", frozenset(("question",)))

    def idle(self) -> list[str]:
        """What does nothing."""
        return self._without("does", _WORDS)

    def silent(self) -> list[str]:
        """Values of settings that change nothing in anything that is done."""
        return sorted(
            [key for key, each in self.found.items() if key.startswith("setting ") and not each.all]
        )

    def _without(self, what: str, words: frozenset[str]) -> list[str]:
        """Of the values of a field one may be what is so anyway; some numbers and names stand for
        others.
        """
        found: dict[str, list[bool]] = {}
        for key, each in self.found.items():
            if key.startswith("setting "):
                continue
            if each.done and _field(key).rpartition(" ")[2] not in words | {"as"}:
                found.setdefault(_field(key), []).append(getattr(each, what))
        return [
            place
            for place, so in found.items()
            if not any(so) or (so.count(False) > 1 and not any(map(_is_open, self._keys(place))))
        ]

    def _keys(self, place: str) -> list[str]:
        return [key for key in self.found if _field(key) == place]


def _field(key: str) -> str:
    return key.partition("=")[0]


def _is_open(key: str) -> bool:
    """Whether other values of the field stand for it as well: a number, or somebody."""
    name, _, value = key.rpartition("=")
    return value.removeprefix("-").isdecimal() or name.rpartition(" ")[2] in _NAMES


def _agreed(fare: Fare, each: Field) -> Iterator[Any]:
    """The values of a setting."""
    if isinstance(each, Flag):
        yield from (True, False)
    else:
        yield from values_of(fare, each, FormContext(), "setting")


def table(system: System, *actions: Step, **settings: Any) -> TableState:
    """A table where all of this was done, with checks that it begins played to their end."""
    fare = Fare(system, {}, (), (), {})
    run = Run(fare, TableState(Settings("Dam", system.key, (GM.id,))))
    if settings:
        run.do(ChangeSettings(**run.by(GM), values=settings))
    return after(run.state, *actions)


def after(state: TableState, *actions: Step) -> TableState:
    """The table after these as well."""
    system = read_only_game(state).system
    run = Run(Fare(system, {}, (), (), {}), state)
    for kind, who, said in actions:
        run.do(kind(**run.by(who), **said))
        run.ended()
    return run.state


def set_by_hand(
    state: TableState, name: str, typed: Mapping[str, tuple[str, ...]]
) -> tuple[Deed, ...]:
    """Everything that a GM may set on somebody's sheet, as it is offered or `typed`, but what is so
    already.
    """
    tools, character = (
        read_only_game(state).require(read_only_game(state).system.tools),
        state.characters[_id(state, name)],
    )
    found: list[Deed] = []
    for what in tools.adjustables(character):
        offered = [each.value for each in tools.values(character, what.value)]
        for value in typed.get(what.value, offered or ("3",)):
            said = {"character": name, "what": what.value, "value": value}
            try:
                after(state, (Adjust, GM, said))
            except RulesError as error:
                assert error.code == "already-so", (what.value, value)
            else:
                found.append(Deed(f"sets {what.value} {value}", ((Adjust, GM, said),)))
    return tuple(found)


def _chosen(here: Run, who: Actor, check: AnyCheck, move: Move, option: str, values: Values) -> Run:
    run = here.copy()
    run.choose(who, check, move, option, values)
    return run


def _sheet_of(run: Run) -> str:
    game, sheets = run.game(GM), run.game(GM).sheets
    anna = run.state.characters[_id(run.state, "Anna")]
    return str((sheets.describe(game, anna), sheets.pages(game, anna)))


def _key(kind: str, place: str, key: str, value: Any) -> str:
    shown = ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
    return f"{kind} {place} {key}={shown}".replace("  ", " ")


def _id(state: TableState, name: str) -> str:
    return next(each.id for each in state.characters.values() if each.name == name)
