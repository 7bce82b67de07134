"""What a rule system brings to the table. Everything else is shared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from fractions import Fraction
from typing import Any, Protocol

from rules.core.dice.odds import Distribution
from rules.core.errors import RulesError
from rules.core.record import record
from rules.core.rng import Die, Rng, Streams
from rules.table.actions import Action, Advance, Answer, Defend, Join, Learn, Propose, Revise
from rules.table.events import Event, Line, Term
from rules.table.outcome import Outcome
from rules.table.state import (
    AnyChallenge,
    AnyCharacter,
    AnyHelper,
    HitDefault,
    Kind,
    Side,
    TableState,
)


@record
class Kinds:
    """The classes of the parts that belong to the system: how a codec knows what to read.

    `campaign` is what a table agrees on, None for nothing; `own` are the system's further parts by the first
    piece of their keys.
    """

    sheet: type
    request: type
    ruling: type
    rolled: type
    campaign: type | None = None
    own: Mapping[str, type] = field(default_factory=dict[str, type])


@record
class Cast:
    """Who takes part in a challenge: whoever acts, whom it is done to, and those who help.

    `target` is None where there is nobody, or nobody any more; helpers who are gone are left out.
    """

    actor: AnyCharacter
    target: AnyCharacter | None = None
    helpers: tuple[tuple[AnyCharacter, AnyHelper], ...] = ()


#: How a system carries out an action of its own: as `resolve`, with the system as the table has it.
Handler = Callable[[TableState, Any, Streams, Any], Outcome]


@record
class Choice:
    """A value for an option with the words to offer it by; `label` is at most 100 characters long."""

    value: str
    label: Line


@record
class SpendOption:
    """Something that may be spent now; `choices` is empty where there is nothing to choose."""

    what: str
    label: Line
    choices: tuple[str, ...] = ()


@record
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


@record
class Odds:
    """Exact chances of one request: each outcome's probability, and success as a whole.

    `totals` are those of every total, where the system tells them; `needed` is the total that succeeds.
    """

    target: Line
    success: Fraction
    outcomes: tuple[tuple[Line, Fraction], ...]
    totals: Distribution | None = None
    needed: int | None = None


#: The same roll in several ways: as it is, and with each thing that could be spent on it.
OddsTable = tuple[tuple[Line, Odds], ...]


@record
class Product:
    """Something drawn from one of the system's tables: first what it is, then line by line; dice as they fell."""

    lines: tuple[Line, ...]
    dice: tuple[Die, ...]


@record
class Spent:
    """What a spend leaves behind: the challenge's roll, the character who paid, and whether that settles it.

    `request` is another than before, None for the one there is.
    """

    rolled: Any
    character: AnyCharacter
    line: Line
    settles: bool = False
    request: Any = None


@record
class TextField:
    """One text of a sheet as people type it: `most` characters, `long` for several lines.

    What is `free` its owner may change at any time; the rest only GMs, once the character is in play.
    """

    key: str
    label: Line
    hint: Line | None = None
    long: bool = False
    most: int = 300
    free: bool = False


@record
class HitChoice:
    """One way to take a hit. Where it has `words`, a GM has to say them before it is done."""

    value: str
    label: Line
    words: tuple[TextField, ...] = ()


@record
class HealMethod:
    """One way to recover: `kind` is the challenge it makes; what is for the `gm` players cannot ask for."""

    value: str
    kind: Kind
    label: Line
    gm: bool = False


@record
class CreationStep:
    """One dialogue of making a character: one to five fields."""

    key: str
    title: Line
    fields: tuple[TextField, ...]


@record
class Creation:
    """Typed texts as far as they can be read: the object to import, and what is wrong with single lines.

    `problems` name their field as `read_character` does (`abilities[3]` is the fourth line that is not empty);
    `lines` tell what follows from the texts so far.
    """

    data: dict[str, object]
    problems: tuple[RulesError, ...] = ()
    lines: tuple[Line, ...] = ()


@record
class Growth:
    """A character who has learned something: what everybody may hear of it, and what only its player and the
    GMs."""

    character: AnyCharacter
    lines: tuple[Line, ...]
    private: tuple[Line, ...] = ()


@record
class Initiative:
    """When somebody acts: higher scores first, then higher ties; the dice as they fell, and how it came about."""

    score: int
    tie: int
    dice: tuple[Die, ...]
    line: Line


class System(Protocol):
    """One rule system. All methods are pure; they raise `RulesError` and nothing else."""

    @property
    def key(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def playable(self) -> bool:
        """Whether a table can be opened for it."""
        ...

    @property
    def version(self) -> int:
        """Grows whenever the same action on the same state would give another result."""
        ...

    @property
    def kinds(self) -> Kinds: ...

    @property
    def handlers(self) -> Mapping[type[Action], Handler]:
        """The system's own actions, and what carries each of them out."""
        ...

    @property
    def events(self) -> tuple[type[Event], ...]:
        """The system's own events."""
        ...

    @property
    def challenges(self) -> frozenset[Kind]:
        """The kinds of challenge there are."""
        ...

    @property
    def timeline(self) -> bool:
        """Whether the order of action goes by when something is done, in phases, and not by turns in a round."""
        ...

    def at(self, campaign: Any, time: int) -> System:
        """The system as one table has it: with its `campaign`, at `time` (minutes since the story began)."""
        ...

    def read_campaign(self, data: Mapping[str, object]) -> Any:
        """What a table agrees on, from a JSON object; with an empty one what the system brings along itself.

        `Problems` with every violation; Impossible("no-campaign") where there is nothing to agree on.
        """
        ...

    def write_campaign(self) -> dict[str, object]:
        """The JSON object that `read_campaign` reads; empty where there is nothing to agree on."""
        ...

    def describe_campaign(self) -> tuple[Line, ...]:
        """What the table has agreed on, line by line."""
        ...

    def read_character(self, data: Mapping[str, object], *, new: bool) -> tuple[str, Any]:
        """Name and sheet from a JSON object, or `Problems` with every violation."""
        ...

    def write_character(self, character: AnyCharacter) -> dict[str, object]:
        """The JSON object that `read_character` reads."""
        ...

    def describe_character(self, character: AnyCharacter) -> tuple[Line, ...]:
        """What the sheet says, line by line."""
        ...

    def values(self, character: AnyCharacter) -> Mapping[str, str]:
        """Numbers of a sheet to name in dice notation: what it is called -> dice (`1d8`) or a number (`4`)."""
        ...

    def blank_sheet(self) -> Any:
        """The sheet of somebody of whom nothing is written down."""
        ...

    def health(self, character: AnyCharacter, *, full: bool) -> tuple[Line, ...]:
        """How they are: one line in words as anybody can see it; with `full` every entry and number after it."""
        ...

    def roster(self) -> tuple[dict[str, object], ...]:
        """Ready characters to choose from, each as the object that `read_character` reads for a new one."""
        ...

    def creation_steps(self) -> tuple[CreationStep, ...]:
        """The texts that make a character, in steps.

        The keys `portrait` and `notes` are the table's: what is typed there goes with the object as it is.
        """
        ...

    def read_creation(self, values: Mapping[str, str], character: AnyCharacter | None = None) -> Creation:
        """The object that these texts make; what they leave open is as on the sheet of `character`, if given."""
        ...

    def write_creation(self, character: AnyCharacter) -> dict[str, str]:
        """The texts that would make this sheet, by key; without `portrait` and `notes`."""
        ...

    def learn(self, character: AnyCharacter, action: Learn) -> Growth:
        """Learn something new at the system's price."""
        ...

    def advance(self, character: AnyCharacter, action: Advance) -> Growth:
        """Raise something by one step at the system's price."""
        ...

    def advances(self, character: AnyCharacter) -> tuple[Choice, ...]:
        """What can be raised, with its price."""
        ...

    def skills(self, character: AnyCharacter) -> tuple[Choice, ...]: ...

    def attributes(self, character: AnyCharacter) -> tuple[Choice, ...]: ...

    def difficulties(self, target: AnyCharacter | None = None) -> tuple[Choice, ...]:
        """Difficulties worth offering; against a `target` also what it can set against it without a roll.

        Those of a target tell its numbers, and are for GMs alone.
        """
        ...

    def options(
        self,
        *,
        gm: bool,
        character: AnyCharacter | None = None,
        kind: Kind | None = None,
        mode: str = "",
    ) -> tuple[Choice, ...]:
        """What `with` may hold for a proposal for this character, or for a GM's answer.

        Without what belongs to another `kind` of challenge, or another `mode` of it, where they are given.
        """
        ...

    def modes(self, kind: Kind) -> tuple[Choice, ...]:
        """The ways in which several do something, together or against each other; the usual one first."""
        ...

    def find_mode(self, kind: Kind, text: str) -> str:
        """The way in which several do something, together (`team`) or against each other (`contest`).

        The usual one for an empty text. NotFound("unknown-mode").
        """
        ...

    def opposes(self, kind: Kind, target: AnyCharacter, mode: str) -> bool:
        """Whether somebody to whom this is done throws dice against it."""
        ...

    def measured(self, challenge: AnyChallenge) -> bool:
        """Whether it is rolled against a difficulty."""
        ...

    def disallowable(self, challenge: AnyChallenge) -> tuple[Choice, ...]:
        """Traits of this proposal that the GM may refuse."""
        ...

    def justifications(self, challenge: AnyChallenge) -> tuple[Choice, ...]:
        """Those of the `disallowable` that hold only because the player says why: the GM accepts or refuses each."""
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
        """Difficulty, options and modifier to begin the answer with: of the last one, else as proposed."""
        ...

    def refused(self, challenge: AnyChallenge) -> tuple[str, ...]:
        """Those of the `disallowable` that the GM has refused so far."""
        ...

    def rule(self, character: AnyCharacter, challenge: AnyChallenge, answer: Answer) -> Any:
        """The ruling that a GM's answer makes of the request."""
        ...

    def require_traits(self, character: AnyCharacter, challenge: AnyChallenge) -> None:
        """NotFound when the character has no more what the challenge names, so that nobody could go on."""
        ...

    @property
    def needs_approach(self) -> bool:
        """Whether dice are thrown only for a proposal in words."""
        ...

    @property
    def reacts(self) -> bool:
        """Whether anything can be done about dice that have fallen: their result stands later then."""
        ...

    @property
    def unused_settings(self) -> frozenset[str]:
        """Those settings of a table that mean nothing under these rules."""
        ...

    def against(self, challenge: AnyChallenge) -> int:
        """The GM's bonus or penalty on the other side of an opposed challenge, as ruled so far."""
        ...

    def defence_options(self) -> tuple[Choice, ...]:
        """What `with` may hold for a defence."""
        ...

    def defend(self, character: AnyCharacter, action: Defend) -> Any:
        """The request that a defence against an opposed challenge makes."""
        ...

    def require_defence(self, target: AnyCharacter, challenge: AnyChallenge) -> None:
        """NotFound when the target has no more what its defence names."""
        ...

    def join(self, character: AnyCharacter, challenge: AnyChallenge, action: Join) -> Any:
        """The request with which somebody joins in what others do."""
        ...

    def stranded(self, state: TableState) -> Mapping[str, str]:
        """What is open of the system's own parts and could not go on with this campaign: key -> what it is called."""
        ...

    def require_team(self, cast: Cast, challenge: AnyChallenge) -> None:
        """InvalidInput when all who take part, with whoever joins now, could not roll together."""
        ...

    def require_help(self, character: AnyCharacter, challenge: AnyChallenge, helper: AnyHelper) -> None:
        """NotFound when a helper has no more what they joined in with."""
        ...

    def roll(self, cast: Cast, challenge: AnyChallenge, rng: Rng) -> Any:
        """The dice as they fell: those of whoever acts first, then those of the other side or of helpers."""
        ...

    def spends(
        self, character: AnyCharacter, challenge: AnyChallenge, side: Side = "actor"
    ) -> tuple[SpendOption, ...]:
        """What the owner of this side's character may spend on the challenge as it stands."""
        ...

    def spend(
        self,
        character: AnyCharacter,
        challenge: AnyChallenge,
        what: str,
        choice: str | None,
        rng: Rng,
        side: Side = "actor",
    ) -> Spent:
        """Spend it; `character` is the one of that side, who pays."""
        ...

    def succeeded(self, challenge: AnyChallenge) -> bool:
        """Whether the actor's side has reached its goal: an attack that did is a hit."""
        ...

    def hit_choices(self, target: AnyCharacter, challenge: AnyChallenge) -> tuple[HitChoice, ...]:
        """The ways to take this hit, the mildest first; none where nothing is kept of somebody."""
        ...

    def default_hit(self, target: AnyCharacter, challenge: AnyChallenge, default: HitDefault) -> str:
        """What is chosen for somebody who was hit and never does."""
        ...

    def take_hit(
        self, target: AnyCharacter, challenge: AnyChallenge, choice: str, words: Mapping[str, str]
    ) -> tuple[AnyCharacter, Line]:
        """The target as the hit leaves them; `words` are what the choice asks for, empty where nobody said."""
        ...

    def heal_methods(self) -> tuple[HealMethod, ...]:
        """The ways to recover."""
        ...

    def belongings(self, character: AnyCharacter) -> tuple[str, ...]:
        """What the sheet says they carry."""
        ...

    def injuries(self, target: AnyCharacter) -> tuple[Choice, ...]:
        """What could be treated about somebody."""
        ...

    def find_injury(self, target: AnyCharacter, text: str) -> str:
        """Which of them is meant; the only one if nothing is said."""
        ...

    def healed(
        self, challenge: AnyChallenge, target: AnyCharacter
    ) -> tuple[AnyCharacter, tuple[Line, ...]] | None:
        """What rest or treatment that is over has done to somebody; None when it did not work."""
        ...

    def describe_other(self, target: AnyCharacter, challenge: AnyChallenge) -> Described:
        """The defending side of an opposed challenge in codes: traits, shifts, dice, terms and total."""
        ...

    def describe_helper(
        self, character: AnyCharacter, challenge: AnyChallenge, helper: AnyHelper, *, gm: bool
    ) -> Described:
        """What a helper brings, in codes; with dice and verdict where they are theirs alone."""
        ...

    def describe(self, cast: Cast, challenge: AnyChallenge, *, gm: bool) -> Described:
        """The challenge in codes, as a GM or as the players may see it."""
        ...

    def initiative(self, character: AnyCharacter, rng: Rng, *, house: bool) -> Initiative | None:
        """When they act, None where the GM orders; `house` tells whether the table plays with the house rule."""
        ...

    def time_passed(self, character: AnyCharacter) -> tuple[AnyCharacter, tuple[Line, ...]]:
        """The character at the story's time as it is now, and what became better; the same object if nothing."""
        ...

    def session_end(self, character: AnyCharacter) -> tuple[AnyCharacter, tuple[Line, ...]]:
        """The character as a session's end leaves them, and what it gave back; the same object if nothing."""
        ...

    def awards(self) -> tuple[Choice, ...]:
        """What the GM may award."""
        ...

    def award(self, character: AnyCharacter, kind: str, amount: int) -> tuple[AnyCharacter, Line]:
        """Give `amount` (at least 1) of `kind`; the line says who has what now."""
        ...

    def adjustables(self, character: AnyCharacter) -> tuple[Choice, ...]:
        """What a GM may set by hand."""
        ...

    def adjust_values(self, character: AnyCharacter, what: str) -> tuple[Choice, ...]:
        """The values worth offering for one of them, empty where anything may be written."""
        ...

    def adjust(self, character: AnyCharacter, what: str, value: str) -> tuple[AnyCharacter, Line]:
        """Set it; the line says what has become of it."""
        ...

    def odds_table(self, character: AnyCharacter, action: Propose, difficulty: str) -> OddsTable:
        """Exact odds of a proposal against a difficulty, as it is and with each thing that could be spent or chosen."""
        ...

    def odds_of(self, cast: Cast, challenge: AnyChallenge) -> OddsTable:
        """The same for an answered check, as ruled; Impossible where it has no odds."""
        ...

    def why_not_spend(self, character: AnyCharacter, challenge: AnyChallenge) -> Line:
        """Why nothing can be spent on an answered or rolled challenge for which `spends` has nothing."""
        ...

    def produce(self, what: str, rng: Rng) -> Product:
        """Draw from one of the system's tables; InvalidInput for one that it has not."""
        ...
