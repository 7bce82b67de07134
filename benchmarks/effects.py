"""Special effects and grown sheets of MasterBook, each beside something plain in the same run."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final

from benchmarks.commands import Pair, pair
from benchmarks.tables import NOW, PLACE, Cast, hero
from bot.__main__ import GC_THRESHOLDS
from bot.presenters.forms import PanelForm, SendButton, form_card
from bot.presenters.language.words import say, say_bare
from bot.presenters.layout import Body
from bot.presenters.odds import odds_card
from rules.core.rng import KeyedStreams
from rules.registry import read_only_game
from rules.systems.masterbook.combat import odds
from rules.systems.masterbook.effects.builder import run_build
from rules.table.actions import Action, Actor, Begin, Choose
from rules.table.check import OVER, AnyCheck
from rules.table.checks.odds import proposal_odds
from rules.table.commands import CommandForm
from rules.table.forms.fields import FormContext
from rules.table.state import TableState
from tests.sample_table import masterbook_character, resolve

#: Action that answers a check as it is.
_Answer = Callable[[AnyCheck], Action]
_ANN: Final = Actor("p2")
_HELPERS: Final = (Actor("p3"), Actor("p4"), Actor("p5"))
_SEED: Final = b"s" * 32
#: Different dice for each round's castings and checks, and most that are tried for them.
_THROWS: Final = 20
_MOST_THROWS: Final = 4000
#: Drafts of one effect in a round: each differs from the one before.
_DRAFTS: Final = 10
_RITUAL: Final = {
    "name": "Fair Wind",
    "skill": "Conjuration",
    "effect_value": 12,
    "conditions": [
        {"kind": "community", "text": "sing along", "helpers": 3, "participation": "dn8"}
    ],
}
#: Options that count without a question: ten Advantages and ten Compensations.
OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "advantages": (
        "Additional Skill Adds (CI): Stealth, Dodge",
        "Additional Skill Adds (CII): Melee Combat",
        "Skill Bonus (CI): Stealth, Dodge, Willpower; approved",
        "Skill Bonus (CII): Fire Combat, Taunt, First Aid; approved",
        "Contacts (CI): a harbor pilot",
        "Contacts (CII): a judge",
        "Cultures (CI): the wells",
        "Equipment (CI): a good coat",
        "Luck (CII)",
        "Wealth (CI)",
    ),
    "compensations": (
        "Bigotry (CI): toll keepers",
        "Bigotry (CII): officers",
        "Debt (CI): an innkeeper; reason not to default: a friend",
        "Debt (CII): a smuggler; consequence: a beating",
        "Employed (CI): a night watch",
        "Enemy (CI): a rival; motive: envy",
        "Enemy (CII): a captain; motive: revenge",
        "Infamy (CI): a fire",
        "Quirk (CI): bets on anything",
        "Quirk (CII): afraid of deep water",
    ),
}


@dataclass(frozen=True)
class Beside:
    """Microseconds of CPU of something, and of its peer."""

    what: str
    us: Pair
    #: Most of its peer's time that it may take.
    most: float


def _caster(name: str) -> dict[str, Any]:
    """Return a character who casts `Fair Wind`, and has nothing to spend."""
    plain = masterbook_character(name, life_points=0)
    skills = [*plain["skills"], {"name": "Conjuration", "adds": 3}]
    effect = {"blueprint": _RITUAL, "learned": True}
    return plain | {"skills": skills, "effects": [effect]}


def _grown(name: str) -> dict[str, Any]:
    """Return a character with twenty options, and nothing to spend."""
    options = {side: list(lines) for side, lines in OPTIONS.items()}
    return masterbook_character(name, life_points=0) | options


CASTERS: Final = Cast("masterbook", _caster, masterbook_character)
GROWN: Final = Cast("masterbook", _grown, masterbook_character)
PLAIN: Final = Cast(
    "masterbook", lambda name: masterbook_character(name, life_points=0), masterbook_character
)


# --- resolves -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Course:
    """A check from its first action to its end, with other dice each time."""

    state: TableState
    begin: Action
    #: Answers that follow, each made of the check as it is then.
    follow: tuple[_Answer, ...]
    keys: tuple[str, ...]

    def us(self) -> float:
        """Return the microseconds of CPU of one course."""
        start = time.process_time()
        for key in self.keys:
            _run(self.state, self.begin, self.follow, key)
        return (time.process_time() - start) / len(self.keys) * 1e6


def _run(state: TableState, begin: Action, follow: tuple[_Answer, ...], key: str) -> TableState:
    state = resolve(state, begin, KeyedStreams(_SEED, _SEED, key)).state
    for number, answer in enumerate(follow, 1):
        (check,) = state.checks.values()
        rng = KeyedStreams(_SEED, _SEED, f"{key}{number}")
        state = resolve(state, answer(check), rng).state
    return state


def _course(cast: Cast, begin: Action, *follow: _Answer) -> _Course:
    """Return a course with dice that end it. Raises AssertionError if too few do."""
    state = cast.state()

    def fitting() -> Iterator[str]:
        for number in range(_MOST_THROWS):
            key = f"{10**18 + number}"
            checks = _run(state, begin, follow, key).checks.values()
            if all(check.stage == OVER for check in checks):
                yield key

    keys = tuple(islice(fitting(), _THROWS))
    assert len(keys) == _THROWS, f"too few courses end: {begin}"
    return _Course(state, begin, follow, keys)


def _by(who: Actor) -> dict[str, Any]:
    return {"who": who, "place": PLACE, "at": NOW}


def _check() -> Begin:
    values = {"skill": "Stealth", "difficulty": "8", "approach": "past the lamp, slowly"}
    return Begin(**_by(_ANN), kind="check", values=values)


def _ritual() -> Begin:
    helpers = [hero(number) for number in (2, 3, 4)]
    return Begin(**_by(_ANN), kind="cast", values={"effect": "Fair Wind", "help": helpers})


def _help(who: Actor) -> _Answer:
    """Return the answer of a helper."""

    def answer(check: AnyCheck) -> Action:
        (asked,) = [each for each in check.asked if each.prompt.key == "help"]
        about: Any = {"check": check.id, "prompt": "help", "number": asked.number}
        return Choose(**_by(who), **about, option="roll", values={})

    return answer


# --- panels ---------------------------------------------------------------------------------------


def _forget_odds() -> None:
    for each in (odds._weights, odds._below, odds._bonuses):
        each.cache_clear()


class _Build:
    """The panel of a copied effect, worked out anew for each draft."""

    def __init__(self, state: TableState) -> None:
        self._game = read_only_game(state, _ANN, NOW)
        self._said = run_build(self._game, {"like": "Illusionary Fireball"})

    def us(self) -> float:
        """Return the microseconds of CPU of one step shown, dice odds computed anew."""
        took = 0.0
        for number in range(_DRAFTS):
            draft = {**self._said.values, "effect_value": str(15 + number)}
            _forget_odds()
            start = time.process_time()
            _show(self._game, self._said, draft)
            took += time.process_time() - start
        return took / _DRAFTS * 1e6


def _show(game: Any, said: CommandForm, draft: Mapping[str, Any]) -> None:
    """Make the message of a draft's step of conditions, as the panel does."""
    outcome = [Body(say(line)) for line in said.outcome(draft)]
    assert said.headline is not None
    filling = PanelForm(
        said.form(draft),
        FormContext(game, None, said.who, draft),
        say_bare(said.title),
        (SendButton("go", say_bare(said.label), "primary"),),
        tuple(outcome),
        steps=said.steps(draft),
        headline=say(said.headline(draft)),
    )
    form_card(filling.at_step("conditions"), "cmd", "d1", draft)


def _odds_us(state: TableState) -> float:
    """Return the microseconds of CPU of `/odds` without a difficulty, computed anew and shown."""
    game, took = read_only_game(state, _ANN, NOW), 0.0
    for _ in range(_DRAFTS):
        _forget_odds()
        start = time.process_time()
        found = proposal_odds(game, {"skill": "Stealth", "approach": "past the lamp"}, PLACE)
        odds_card(found, draw=False)
        took += time.process_time() - start
    return took / _DRAFTS * 1e6


def _sheet_us(state: TableState) -> float:
    """Return the microseconds of CPU of a sheet with all its pages."""
    game = read_only_game(state, _ANN, NOW)
    character = next(each for each in state.characters.values() if each.owner == _ANN.id)
    start = time.process_time()
    for _ in range(_DRAFTS):
        game.sheets.describe(game, character)
        game.sheets.pages(game, character)
    return (time.process_time() - start) / _DRAFTS * 1e6


@dataclass(frozen=True)
class _Side:
    """Two things to measure in turns."""

    what: str
    most: float
    ours: Callable[[], float]
    peer: Callable[[], float]


# --- the figures ----------------------------------------------------------------------------------


def measure(*, rounds: int = 31) -> list[Beside]:
    """Measure all in turns, so that neighbors on the machine disturb both sides alike.

    The collector is set as in the bot.
    """
    usual = gc.get_threshold()
    gc.set_threshold(*GC_THRESHOLDS)
    gc.freeze()
    try:
        return _measured(rounds)
    finally:
        gc.unfreeze()
        gc.set_threshold(*usual)


def _measured(rounds: int) -> list[Beside]:
    ritual, check = _course(CASTERS, _ritual(), *map(_help, _HELPERS)), _course(PLAIN, _check())
    grown = _course(GROWN, _check())
    build, state, many = _Build(CASTERS.state()), PLAIN.state(), GROWN.state()
    sides = [
        _Side("a cast with three helpers, beside a check", 5.0, ritual.us, check.us),
        _Side(
            "an effect worked out and shown, beside /odds", 2.5, build.us, partial(_odds_us, state)
        ),
        _Side("a check with twenty options, beside one with none", 2.5, grown.us, check.us),
        _Side(
            "a sheet with twenty options, beside one with none",
            5.0,
            partial(_sheet_us, many),
            partial(_sheet_us, state),
        ),
    ]
    rows = [[(side.ours(), side.peer()) for side in sides] for _ in range(rounds)]
    found: list[Beside] = []
    for side, column in zip(sides, zip(*rows, strict=True), strict=True):
        ours, peer = zip(*column, strict=True)
        found.append(Beside(side.what, pair([*ours], [*peer]), side.most))
    return found
