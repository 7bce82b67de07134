"""A system without rules: what everybody has who keeps no sheets and makes no checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NoReturn, Self

from rules.core.errors import Impossible
from rules.core.rng import Rng
from rules.table.actions import Action, Advance, Answer, Defend, Join, Learn, Propose, Revise
from rules.table.events import Event, Line
from rules.table.state import (
    AnyChallenge,
    AnyCharacter,
    AnyHelper,
    HitDefault,
    Kind,
    Side,
    TableState,
)
from rules.table.system import (
    Cast,
    Choice,
    Creation,
    CreationStep,
    Described,
    Growth,
    Handler,
    HealMethod,
    HitChoice,
    Initiative,
    Kinds,
    OddsTable,
    Product,
    SpendOption,
    Spent,
)


@dataclass(frozen=True, slots=True)
class Nothing:
    """A sheet, a request, a ruling or a roll where there are none."""


def _refuse() -> NoReturn:
    raise Impossible("no-rules-here")


class Plain:
    """Answers every question of `System` with nothing; what would need rules is Impossible("no-rules-here")."""

    version = 2
    playable = False
    kinds = Kinds(Nothing, Nothing, Nothing, Nothing)
    handlers: Mapping[type[Action], Handler] = MappingProxyType({})
    events: tuple[type[Event], ...] = ()
    challenges: frozenset[Kind] = frozenset(("check", "attack", "treat", "rest"))
    timeline = False
    needs_approach = False
    reacts = True
    unused_settings: frozenset[str] = frozenset()

    def at(self, campaign: Any, time: int) -> Self:
        return self

    def read_campaign(self, data: Mapping[str, object]) -> Any:
        if data:
            raise Impossible("no-campaign")
        return None

    def write_campaign(self) -> dict[str, object]:
        return {}

    def describe_campaign(self) -> tuple[Line, ...]:
        return ()

    def read_character(self, data: Mapping[str, object], *, new: bool) -> tuple[str, Any]:
        _refuse()

    def write_character(self, character: AnyCharacter) -> dict[str, object]:
        return {}

    def describe_character(self, character: AnyCharacter) -> tuple[Line, ...]:
        return ()

    def values(self, character: AnyCharacter) -> Mapping[str, str]:
        return {}

    def blank_sheet(self) -> Any:
        return Nothing()

    def health(self, character: AnyCharacter, *, full: bool) -> tuple[Line, ...]:
        return ()

    def roster(self) -> tuple[dict[str, object], ...]:
        return ()

    def creation_steps(self) -> tuple[CreationStep, ...]:
        return ()

    def read_creation(self, values: Mapping[str, str], character: AnyCharacter | None = None) -> Creation:
        _refuse()

    def write_creation(self, character: AnyCharacter) -> dict[str, str]:
        return {}

    def learn(self, character: AnyCharacter, action: Learn) -> Growth:
        _refuse()

    def advance(self, character: AnyCharacter, action: Advance) -> Growth:
        _refuse()

    def advances(self, character: AnyCharacter) -> tuple[Choice, ...]:
        return ()

    def skills(self, character: AnyCharacter) -> tuple[Choice, ...]:
        return ()

    def attributes(self, character: AnyCharacter) -> tuple[Choice, ...]:
        return ()

    def difficulties(self, target: AnyCharacter | None = None) -> tuple[Choice, ...]:
        return ()

    def options(
        self,
        *,
        gm: bool,
        character: AnyCharacter | None = None,
        kind: Kind | None = None,
        mode: str = "",
    ) -> tuple[Choice, ...]:
        return ()

    def modes(self, kind: Kind) -> tuple[Choice, ...]:
        return ()

    def find_mode(self, kind: Kind, text: str) -> str:
        _refuse()

    def opposes(self, kind: Kind, target: AnyCharacter, mode: str) -> bool:
        return kind == "attack" and target.owner is not None

    def measured(self, challenge: AnyChallenge) -> bool:
        return not challenge.opposed

    def disallowable(self, challenge: AnyChallenge) -> tuple[Choice, ...]:
        return ()

    def justifications(self, challenge: AnyChallenge) -> tuple[Choice, ...]:
        return ()

    def propose(self, character: AnyCharacter, action: Propose) -> Any:
        _refuse()

    def revise(self, character: AnyCharacter, challenge: AnyChallenge, action: Revise) -> Any:
        _refuse()

    def proposed_traits(self, challenge: AnyChallenge) -> tuple[str | None, str | None]:
        return None, None

    def suggest(self, challenge: AnyChallenge) -> tuple[str | None, tuple[str, ...], int]:
        return None, (), 0

    def refused(self, challenge: AnyChallenge) -> tuple[str, ...]:
        return ()

    def rule(self, character: AnyCharacter, challenge: AnyChallenge, answer: Answer) -> Any:
        _refuse()

    def require_traits(self, character: AnyCharacter, challenge: AnyChallenge) -> None:
        return None

    def against(self, challenge: AnyChallenge) -> int:
        return 0

    def defence_options(self) -> tuple[Choice, ...]:
        return ()

    def defend(self, character: AnyCharacter, action: Defend) -> Any:
        _refuse()

    def require_defence(self, target: AnyCharacter, challenge: AnyChallenge) -> None:
        return None

    def join(self, character: AnyCharacter, challenge: AnyChallenge, action: Join) -> Any:
        _refuse()

    def stranded(self, state: TableState) -> Mapping[str, str]:
        return {}

    def require_team(self, cast: Cast, challenge: AnyChallenge) -> None:
        pass

    def require_help(self, character: AnyCharacter, challenge: AnyChallenge, helper: AnyHelper) -> None:
        return None

    def roll(self, cast: Cast, challenge: AnyChallenge, rng: Rng) -> Any:
        _refuse()

    def spends(
        self, character: AnyCharacter, challenge: AnyChallenge, side: Side = "actor"
    ) -> tuple[SpendOption, ...]:
        return ()

    def spend(
        self,
        character: AnyCharacter,
        challenge: AnyChallenge,
        what: str,
        choice: str | None,
        rng: Rng,
        side: Side = "actor",
    ) -> Spent:
        _refuse()

    def succeeded(self, challenge: AnyChallenge) -> bool:
        return False

    def hit_choices(self, target: AnyCharacter, challenge: AnyChallenge) -> tuple[HitChoice, ...]:
        return ()

    def default_hit(self, target: AnyCharacter, challenge: AnyChallenge, default: HitDefault) -> str:
        return ""

    def take_hit(
        self, target: AnyCharacter, challenge: AnyChallenge, choice: str, words: Mapping[str, str]
    ) -> tuple[AnyCharacter, Line]:
        _refuse()

    def heal_methods(self) -> tuple[HealMethod, ...]:
        return ()

    def belongings(self, character: AnyCharacter) -> tuple[str, ...]:
        return ()

    def injuries(self, target: AnyCharacter) -> tuple[Choice, ...]:
        return ()

    def find_injury(self, target: AnyCharacter, text: str) -> str:
        _refuse()

    def healed(
        self, challenge: AnyChallenge, target: AnyCharacter
    ) -> tuple[AnyCharacter, tuple[Line, ...]] | None:
        return None

    def describe_other(self, target: AnyCharacter, challenge: AnyChallenge) -> Described:
        return Described()

    def describe_helper(
        self, character: AnyCharacter, challenge: AnyChallenge, helper: AnyHelper, *, gm: bool
    ) -> Described:
        return Described()

    def describe(self, cast: Cast, challenge: AnyChallenge, *, gm: bool) -> Described:
        return Described()

    def initiative(self, character: AnyCharacter, rng: Rng, *, house: bool) -> Initiative | None:
        return None

    def time_passed(self, character: AnyCharacter) -> tuple[AnyCharacter, tuple[Line, ...]]:
        return character, ()

    def session_end(self, character: AnyCharacter) -> tuple[AnyCharacter, tuple[Line, ...]]:
        return character, ()

    def awards(self) -> tuple[Choice, ...]:
        return ()

    def award(self, character: AnyCharacter, kind: str, amount: int) -> tuple[AnyCharacter, Line]:
        _refuse()

    def adjustables(self, character: AnyCharacter) -> tuple[Choice, ...]:
        return ()

    def adjust_values(self, character: AnyCharacter, what: str) -> tuple[Choice, ...]:
        return ()

    def adjust(self, character: AnyCharacter, what: str, value: str) -> tuple[AnyCharacter, Line]:
        _refuse()

    def odds_table(self, character: AnyCharacter, action: Propose, difficulty: str) -> OddsTable:
        _refuse()

    def odds_of(self, cast: Cast, challenge: AnyChallenge) -> OddsTable:
        _refuse()

    def why_not_spend(self, character: AnyCharacter, challenge: AnyChallenge) -> Line:
        _refuse()

    def produce(self, what: str, rng: Rng) -> Product:
        _refuse()
