"""What a rule system brings to the table. Everything else is shared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from rules.core.rng import Die, Rng
from rules.table.actions import Answer, Propose, Revise
from rules.table.events import Line, Term
from rules.table.state import AnyChallenge, AnyCharacter, Reveal


@dataclass(frozen=True, slots=True)
class Kinds:
    """The classes of the parts that belong to the system: how a codec knows what to read."""

    sheet: type
    request: type
    ruling: type
    rolled: type


@dataclass(frozen=True, slots=True)
class Choice:
    """A value for an option with the words to offer it by; `label` is at most 100 characters long."""

    value: str
    label: Line


@dataclass(frozen=True, slots=True)
class SpendOption:
    """Something that may be spent now; `choices` is empty where there is nothing to choose."""

    what: str
    label: Line
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Described:
    """The system's share of a `CheckView`, already without what the onlooker may not know."""

    traits: tuple[Line, ...] = ()
    asked: Line | None = None
    target: Line | None = None
    shifts: tuple[Line, ...] = ()
    dice: tuple[Die, ...] = ()
    terms: tuple[Term, ...] = ()
    total: int | None = None
    verdict: Line | None = None
    degree: Line | None = None
    notes: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Odds:
    """Exact chances of one request: each outcome's probability, and success as a whole."""

    target: Line
    success: Fraction
    outcomes: tuple[tuple[Line, Fraction], ...]


@dataclass(frozen=True, slots=True)
class Spent:
    """What a spend leaves behind: the challenge's roll, the character who paid, and whether that settles it."""

    rolled: Any
    character: AnyCharacter
    line: Line
    settles: bool = False


class System(Protocol):
    """One rule system. All methods are pure; they raise `RulesError` and nothing else."""

    @property
    def key(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int:
        """Grows whenever the same action on the same state would give another result."""
        ...

    @property
    def kinds(self) -> Kinds: ...

    def read_character(self, data: Mapping[str, object], *, new: bool) -> tuple[str, Any]:
        """Name and sheet from a JSON object, or `Problems` with every violation."""
        ...

    def write_character(self, character: AnyCharacter) -> dict[str, object]:
        """The JSON object that `read_character` reads."""
        ...

    def describe_character(self, character: AnyCharacter) -> tuple[Line, ...]:
        """What the sheet says, line by line."""
        ...

    def skills(self, character: AnyCharacter) -> tuple[Choice, ...]: ...

    def attributes(self, character: AnyCharacter) -> tuple[Choice, ...]: ...

    def difficulties(self) -> tuple[Choice, ...]: ...

    def switches(self, *, gm: bool) -> tuple[Choice, ...]:
        """What `with` may hold for a player's proposal, or for a GM's answer."""
        ...

    def strikes(self, challenge: AnyChallenge) -> tuple[Choice, ...]:
        """Traits of this proposal that the GM may refuse."""
        ...

    def propose(self, character: AnyCharacter, action: Propose) -> Any:
        """The request that the options make."""
        ...

    def revise(self, character: AnyCharacter, challenge: AnyChallenge, action: Revise) -> Any:
        """The request as changed; options that are None stay as they were."""
        ...

    def proposed_traits(self, challenge: AnyChallenge) -> tuple[str | None, str | None]:
        """Skill and attribute of the proposal, as the options would name them."""
        ...

    def suggest(self, challenge: AnyChallenge) -> tuple[str | None, tuple[str, ...], int]:
        """Difficulty, switches and modifier to begin the answer with: of the last one, else as proposed."""
        ...

    def rule(self, character: AnyCharacter, challenge: AnyChallenge, answer: Answer) -> Any:
        """The ruling that a GM's answer makes of the request."""
        ...

    def require_traits(self, character: AnyCharacter, challenge: AnyChallenge) -> None:
        """NotFound when the character has no more what the challenge names, so that nobody could go on."""
        ...

    def needs_approach(self, challenge: AnyChallenge) -> bool:
        """Whether this challenge may be rolled only with a proposal in words."""
        ...

    def roll(self, character: AnyCharacter, challenge: AnyChallenge, rng: Rng) -> Any:
        """The dice as they fell."""
        ...

    def spends(self, character: AnyCharacter, challenge: AnyChallenge) -> tuple[SpendOption, ...]:
        """What the owner may spend on this challenge as it stands."""
        ...

    def spend(
        self, character: AnyCharacter, challenge: AnyChallenge, what: str, choice: str | None, rng: Rng
    ) -> Spent:
        """Spend it."""
        ...

    def describe(
        self, character: AnyCharacter, challenge: AnyChallenge, *, gm: bool, reveal: Reveal
    ) -> Described:
        """The challenge in codes, as a GM or as the players may see it."""
        ...

    def odds(
        self,
        character: AnyCharacter,
        *,
        skill: str | None,
        attribute: str | None,
        difficulty: str,
        switches: tuple[str, ...],
        modifier: int,
    ) -> Odds:
        """Exact odds before the roll."""
        ...
