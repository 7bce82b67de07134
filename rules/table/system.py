"""Rule systems: the record of all that a system brings to the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, Literal, TypeVar

from rules.core.cards import Deck
from rules.core.dice.odds import Distribution
from rules.core.errors import Impossible, RulesError
from rules.core.record import Record, field
from rules.core.rng import Die, Rng, Streams
from rules.table.actions import Action, Actor
from rules.table.blocks import Block, Text
from rules.table.check import AnyCheck
from rules.table.commands import Command, DueCheck
from rules.table.events import Event
from rules.table.forms import Form, Option
from rules.table.gm_values import Tools
from rules.table.late_choices import LateChoices
from rules.table.outcome import Outcome
from rules.table.permissions import known_name
from rules.table.readable_places import EVERYWHERE, ReadablePlaces
from rules.table.resources import Resource, TickKind
from rules.table.state import AnyCharacter, AnyEncounter, Mark, Slot, TableState

T = TypeVar("T")


class Odds(Record):
    """Exact chances of one request: each outcome's probability, and success as a whole.

    `totals` are those of every total, where the system tells them; `needed` is the total that
    succeeds.
    """

    target: Text
    success: Fraction
    outcomes: tuple[tuple[Text, Fraction], ...]
    totals: Distribution | None = None
    needed: int | None = None
    #: Columns beside the one for success, in a comparison of several ways to roll.
    columns: tuple[tuple[Text, Fraction], ...] = ()
    #: A fact that doesn't depend on the dice.
    note: Text | None = None
    #: Options of the roll's form for this way to roll.
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])


#: The same roll in several ways: as it is, and with each thing that could be spent on it.
OddsTable = tuple[tuple[Text, Odds], ...]


class Product(Record):
    """Something drawn from one of the system's tables: first what it is, then line by line; dice as
    they fell.
    """

    lines: tuple[Text, ...]
    dice: tuple[Die, ...]


def _nothing(*_: object) -> tuple[()]:
    return ()


class Page(Record):
    """One step of making a character: a form of one to five fields, typed or picked from menus.

    `follows` tells what the fields mean, from the object that those of all steps make so far. The
    keys `portrait` and `notes` are the table's.
    """

    key: str
    title: Text
    form: Form
    follows: Callable[[Game, Mapping[str, Any]], tuple[Text, ...]] = _nothing
    #: What the step holds so far, for the menu of steps: `3 of 12 skill points spent`.
    holds: Callable[[Game, Mapping[str, Any]], tuple[Text, ...]] = _nothing
    #: Rules of the step, and ways to type that no example shows.
    about: Text | None = None
    #: State of the step in few words, beside its title in the menu of steps: `1 too many`.
    state: Callable[[Game, Mapping[str, Any]], Text | None] = lambda game, draft: None
    #: Heading of the step, with the numbers that count there: `67 of 68 points`. What follows
    #: stands below it, above the fields.
    head: Callable[[Game, Mapping[str, Any]], Text | None] = lambda game, draft: None
    #: Whether a new character of the table has the step. GMs who change a sheet see every step.
    shown: Callable[[Game, Mapping[str, Any]], bool] = lambda game, draft: True
    #: Keys of the number fields that are stepped up and down by buttons.
    steppers: tuple[str, ...] = ()
    #: A word for one of the stepped fields; None: the title of the step.
    stepper: Text | None = None
    #: Numbers that count in stepped fields in which nothing is filled in, by key.
    starts: Mapping[str, int] = field(default_factory=dict[str, int])


#: Completes one field of a draft, and returns the field's text. It's given the texts of the sample
#: character, and the field's entries of all samples, those of that sample first.
Completion = Callable[["Game", Mapping[str, Any], Mapping[str, str], Sequence[str]], str]


class Initiative(Record):
    """Place of a character in the order of action: higher scores first, compared number by
    number.
    """

    score: tuple[int, ...]
    line: Text


#: Makes an NPC one of a kind: game, sheet, kind, and the file of the sheet, if there is one.
AsKind = Callable[["Game", Any, str, Mapping[str, object] | None], tuple[Any, tuple[Text, ...]]]

#: A page of a sheet: its title, and what it tells.
SheetPage = tuple[Text, tuple[Block, ...]]


class ApprovalLine(Record):
    """A line of a new sheet that needs the GM's consent by itself."""

    #: Names the line in actions; the same as long as the line says the same.
    id: str
    #: The line as the GM and its player read it.
    words: Text
    state: Literal["open", "allowed", "refused"] = "open"
    #: Reason that the GM gave for a refusal.
    note: str = ""
    #: Key of the step of creation in which the player changes the line.
    page: str = ""


class Sheets(Record):
    """What is written down about somebody: `kind` is the class of a sheet; made of nothing it is a
    blank one.

    `read` takes a JSON object, and whether it is to be a character as newly made: name and sheet,
    or `Problems` with every violation. `write` gives the object that `read` takes. `describe` tells
    what one plays with: first what goes up and down, then a line for each group of traits; `pages`
    tell the rest. `health` says how they are, one line as anybody can see it, and where the last
    argument is True every entry and number after it, `out` the codes of those lines by which they
    can do nothing. `values` are the numbers to name in dice notation: what it is called -> dice
    (`1d8`) or a number (`4`). `derived` are keys of the object that follow from the rest, left out
    where somebody changes texts; `ready` are characters to choose from, as objects that `read`
    takes, made anew each time: nobody shares them. `npcs` are those that an NPC may be made like,
    and `like` finds such an object by what a GM writes, None where it is none of them.
    """

    kind: type[Any]
    read: Callable[[Game, Mapping[str, object], bool], tuple[str, Any]]
    write: Callable[[AnyCharacter], dict[str, object]]
    describe: Callable[[Game, AnyCharacter], tuple[Block, ...]]
    health: Callable[[Game, AnyCharacter, bool], tuple[Text, ...]]
    pages: Callable[[Game, AnyCharacter], tuple[SheetPage, ...]] = _nothing
    values: Callable[[AnyCharacter], Mapping[str, str]] = lambda character: {}
    derived: tuple[str, ...] = ()
    out: tuple[str, ...] = ()
    ready: Callable[[Game], tuple[dict[str, object], ...]] = _nothing
    npcs: Callable[[Game], tuple[Option, ...]] = _nothing
    like: Callable[[Game, str], dict[str, Any] | None] = lambda game, text: None
    #: Kinds of NPCs by their importance, which `as_kind` knows.
    npc_kinds: tuple[Option, ...] = ()
    #: Returns an NPC's sheet as one of a kind, and what the GM hears of that.
    as_kind: AsKind | None = None
    #: `health` in few words, for the board and a turn's call; None where `health` is short enough.
    board_health: Callable[[Game, AnyCharacter, bool], tuple[Text, ...]] | None = None
    #: Characters whose values fill the empty fields of a draft, as files or as typed.
    samples: Callable[[Game], tuple[Mapping[str, Any], ...]] = _nothing
    #: Completions of fields that need more than the sample's value, by key.
    completions: Mapping[str, Completion] = field(default_factory=dict[str, "Completion"])
    #: Points and cards of a character that all players see. None: the rules have no such thing.
    open_points: Callable[[Game, AnyCharacter], tuple[Text, ...]] | None = None
    #: What is allowed but odd about a draft, as the object that the draft makes so far.
    warnings: Callable[[Game, Mapping[str, Any]], Iterable[RulesError]] = _nothing
    #: Lines of a new sheet that need the GM's consent one by one.
    approvals: Callable[[Game, Any], tuple[ApprovalLine, ...]] = _nothing
    #: Returns the sheet with a line allowed or refused, given its id, `accept` and the GM's note.
    rule: Callable[[Game, Any, str, bool, str], Any] = lambda game, sheet, line, accept, note: sheet
    #: Returns an edited sheet with the rulings on the sheet before it that still hold.
    carry_rulings: Callable[[Any, Any], Any] = lambda before, sheet: sheet
    #: Returns an edited sheet with what play has put on the sheet before it and no field shows.
    carry_passing: Callable[[Any, Any], Any] = lambda before, sheet: sheet
    #: What the player and the GMs read about an import, by the object and whether it is new.
    remarks: Callable[[Game, Mapping[str, object], bool], tuple[Text, ...]] = _nothing
    #: Whether a character with this sheet is dead.
    is_dead: Callable[[Any], bool] = lambda sheet: False
    #: Whether a character with this sheet dies soon without help.
    is_dying: Callable[[Any], bool] = lambda sheet: False


class Campaign(Record):
    """What a table agrees on; `default` is what the system brings along.

    `read` takes a JSON object, an empty one for the default; `Problems` with every violation.
    `stranded` finds what is open of the system's own parts and could not go on with the game's
    campaign: key -> what it is called. `sample` is an object to copy from where `write` has none
    for the default.
    """

    default: Any
    read: Callable[[Mapping[str, object]], Any]
    write: Callable[[Any], dict[str, object]]
    describe: Callable[[Any], tuple[Text, ...]]
    stranded: Callable[[Game], Mapping[str, str]]
    sample: Callable[[], dict[str, object]] = dict
    #: What everybody hears of a new campaign; None: as `describe`.
    announce: Callable[[Any], tuple[Text, ...]] | None = None


def _no_campaign(data: Mapping[str, object]) -> None:
    """Raise Impossible("no-campaign") for an object if the system has no campaign."""
    if data:
        raise Impossible("no-campaign")


#: Nothing to agree on.
NO_CAMPAIGN: Final = Campaign(
    None, _no_campaign, lambda _: {}, describe=_nothing, stranded=lambda game: {}
)


class GrowthResult(Record):
    """A character who has grown: what everybody may hear of it, and what only its player and the
    GMs.
    """

    character: AnyCharacter
    lines: tuple[Text, ...]
    private: tuple[Text, ...] = ()


#: One way to grow at the system's price, as an action says it. With an explanation it is proposed
#: to the GM, in a check of that kind, where there is one.
Grow = Callable[["Game", AnyCharacter, Any], GrowthResult]


class Turns(Record):
    """The order of action: in turns, or on a timeline.

    Rules that ask every round have a procedure with the role "round", which begins with each round.
    """

    #: The initiative of a character; None where the GM orders.
    initiative: Callable[[Game, AnyCharacter, Rng], Initiative | None]
    #: Setting of the house rule behind `initiative`: it counts in orders begun with the setting on.
    house: str = ""
    #: Characters act by phases instead of turns.
    timeline: bool = False
    #: Class of the rules' own data of an order of action.
    data: type | None = None
    #: Why a character's turn passes by itself, never on a timeline; no words if it is plain.
    idle: Callable[[Game, AnyCharacter], tuple[Text, ...] | None] | None = None
    #: Returns the changed game, just before the character on turn waits.
    waits: Callable[[Game, AnyEncounter], Game] | None = None
    #: Block of a slot: lower blocks act before higher ones; None in rounds without blocks.
    block: Callable[[Game, AnyEncounter, Slot], int | None] | None = None
    #: The order once the character on turn has acted: the slot after its `turn` is next.
    then: Callable[[Game, AnyEncounter], AnyEncounter] | None = None
    #: Words for waiting if a waiting character acts last; None if it chooses its moment.
    waits_last: Text | None = None
    #: Whether a character in the order has nothing left to act with in this round.
    spent: Callable[[Game, AnyCharacter], bool] = lambda game, character: False
    #: What a spent character may still do before the round ends; None for nothing.
    lingers: Callable[[Game, AnyCharacter], Text | None] = lambda game, character: None
    #: Id of the open check that a character goes on with for its whole turn; None for no such
    #: check. Its turn then offers nothing else.
    occupied: Callable[[Game, AnyCharacter], str | None] = lambda game, character: None
    #: Commands of the system with a button below the board, and their labels.
    board_commands: Callable[[Game, AnyEncounter], tuple[tuple[str, Text], ...]] = _nothing


class Tick(Record):
    """Something is over for these characters, or begins: `at` is the round in which, or the story's
    minute.

    `place` is that of the order of action, empty where it is for the whole table; `minutes` of the
    story have passed, fewer than none where it was set back. `expiring` are the marks that end with
    it, `regained` the points that came back, of which resource and how many; both by character,
    without those who have none. The marks are still there, the points have come back already.
    """

    kind: TickKind
    who: tuple[str, ...]
    at: int = 0
    place: str = ""
    minutes: int = 0
    expiring: Mapping[str, tuple[Mark, ...]] = field(default_factory=dict[str, tuple[Mark, ...]])
    regained: Mapping[str, tuple[tuple[str, int], ...]] = field(
        default_factory=dict[str, tuple[tuple[str, int], ...]]
    )


class TickResult(Record):
    """What happened by itself: the game after it, and in words whom it befell: everybody hears of
    players' characters, the GMs of all others. `events` happened besides.
    """

    game: Game
    lines: tuple[tuple[str, Text], ...] = ()
    events: tuple[Event, ...] = ()


#: Function of what happens by itself as time passes. It runs for every tick, after those before it.
TickHandler = Callable[["Game", Tick], TickResult]


def is_npc(game: Game, who: str | None) -> bool:
    """Return whether a character belongs to no player, so that only GMs know its abilities."""
    characters = game.state.characters
    return who is None or who not in characters or characters[who].owner is None


#: Function that carries out an action of the system.
Handler = Callable[["Game", Any], Outcome]


class HeldCard(Record):
    """A card of somebody's: what it is called, where it lies, what it says, and what can be done
    with it (the likeliest first).
    """

    card: str
    name: str
    where: Text
    about: Text
    verbs: tuple[str, ...]


class CardPicture(Record):
    """What a picture shows of a card: its name and number; when it is played and what it does, of
    one that may be held.

    `scenes` have a title, and each side in the order of action: whether it is the players', its
    name, what befalls it, and whether that is anything; `lines` stand below.
    """

    name: str
    number: str
    when: Text | None
    about: Text | None
    scenes: tuple[tuple[Text, tuple[tuple[bool, Text, Text, bool], ...]], ...] = ()
    lines: tuple[Text, ...] = ()


class CardHolder(Record):
    """A participant, and the participant's character that holds cards."""

    participant: str
    character: str


class CardRules(Record):
    """A deck whose cards move only as the rules say.

    `deck` is the one in use, None while the table plays without. `takes` tells whether an action of
    those that all decks share is about it; `actions` carry these out. `held` are the cards of a
    participant, `holders` are the participants who can hold any. `lies` tells everybody what lies
    where; `face` is what a picture shows of a card, `pooled` are the cards that everybody looks at.
    `after` is what becomes of cards once anything else was done: a player may have left the game.
    """

    deck: Callable[[Game], Deck | None]
    takes: Callable[[Game, Any], bool]
    actions: Mapping[type[Action], Handler]
    held: Callable[[Game, str], tuple[HeldCard, ...]]
    holders: Callable[[Game], tuple[CardHolder, ...]]
    lies: Callable[[Game], tuple[Block, ...]]
    face: Callable[[Game, str], CardPicture | None]
    pooled: Callable[[Game], tuple[str, ...]]
    after: Callable[[Game, Outcome], Outcome]
    #: How a participant who holds no cards gets some; None where nothing has to be done.
    dealt_by: Callable[[Game, str], Text | None] = lambda game, participant: None


#: One of a system's tables to draw from.
RandomTable = Callable[[Rng], Product]


class PartFile(Record):
    """The export of a system's own parts of one kind in a table's file."""

    #: Returns the JSON object of a part.
    write: Callable[[Any], Mapping[str, Any]]
    #: Reads a part, given the game, the JSON value and its place in the file.
    read: Callable[[Game, object, str], Any]
    #: Returns the part under a number of this table, given the new id of each character by the old.
    renumber: Callable[[Any, int, Mapping[str, str]], Any]


class System(Record):
    """One rule system. Fields that are None or empty mark what the rules don't have."""

    key: str
    name: str
    #: Grows whenever the same action on the same state would give another result.
    version: int = 1
    sheets: Sheets | None = None
    #: Procedures by kind of check, read through `rules.table.checks.procedure.procedure_of`.
    procedures: Mapping[str, Any] = field(default_factory=dict[str, Any])
    #: The system's own settings, and those of `rules.table.settings` that only some systems use.
    settings: Form = Form()
    campaign: Campaign = NO_CAMPAIGN
    creation: tuple[Page, ...] = ()
    #: The ways to grow: `learn` and `advance`.
    growth: Mapping[str, Grow] = field(default_factory=dict[str, Grow])
    #: Traits that a character can raise now, each with its price.
    advances: Callable[[Game, AnyCharacter], tuple[Option, ...]] = _nothing
    resources: tuple[Resource[Any], ...] = ()
    tools: Tools | None = None
    turns: Turns | None = None
    ticks: tuple[TickHandler, ...] = ()
    #: What follows by itself from any action that was carried out.
    follow_up: Callable[[Game, Outcome], Outcome] | None = None
    tables: Mapping[str, RandomTable] = field(default_factory=dict[str, RandomTable])
    cards: CardRules | None = None
    #: Classes of the system's own parts, by the first piece of their keys.
    parts: Mapping[str, type] = field(default_factory=dict[str, type])
    #: The parts that go along when a table moves.
    part_files: Mapping[str, PartFile] = field(default_factory=dict[str, PartFile])
    actions: Mapping[type[Action], Handler] = field(default_factory=dict[type[Action], Handler])
    #: Commands under `/<key>`, or under a group of `command_groups`.
    commands: tuple[Command, ...] = ()
    #: Groups of commands that stand beside `/<key>`, since Discord limits the size of a command.
    #: Their names are the first words of the names of their commands.
    command_groups: tuple[str, ...] = ()
    #: Checks of which the time has come, for the actor's own characters.
    due_checks: Callable[[Game], Iterable[DueCheck]] = _nothing

    @property
    def playable(self) -> bool:
        """Whether a table can be opened for it: without sheets there are dice and cards only."""
        return self.sheets is not None


class Game(Record):
    """The table as the rules see it while one action is carried out. `at` is in seconds since 1970,
    never a clock.
    """

    state: TableState
    system: System
    rng: Streams
    at: int
    actor: Actor
    #: Places that the actor can view. `read_only_game` narrows them.
    readable: ReadablePlaces = EVERYWHERE
    #: Choices to make in a check at stages that it has passed; see `rules.table.checks.step_in`.
    late: LateChoices | None = None

    def with_state(self, state: TableState) -> Game:
        """Return the same game with another state of the table."""
        if state is self.state:
            return self
        return Game(state, self.system, self.rng, self.at, self.actor, self.readable, self.late)

    def character(self, who: str) -> AnyCharacter:
        """Return the character with an id. Raises Impossible("gone") if there is none any more."""
        found = self.state.characters.get(who)
        if found is None:
            raise Impossible("gone", who=who)
        return found

    def display_name(self, who: str) -> str:
        """Return the name by which the actor knows a character, so that no refusal reveals a hidden
        name.

        Raises as `character`.
        """
        return known_name(self.state, self.actor, self.character(who))

    def sheet(self, who: str) -> Any:
        """Return the sheet of a character, of the system's class. Raises as `character`."""
        try:
            return self.state.characters[who].sheet
        except KeyError:
            raise Impossible("gone", who=who) from None

    def rng_for(self, check: AnyCheck, who: str | None = None) -> Rng:
        """Public dice only where everybody sees them at once: nothing hidden may hang on a seed to
        be revealed.

        `who` is named where the dice of NPCs are for the GMs.
        """
        concealed = check.gm_only or (check.hidden and check.reveal == "degree")
        concealed |= who is not None and is_npc(self, who)
        return (
            self.rng.public if check.visibility == "public" and not concealed else self.rng.secret
        )

    def with_sheet(self, who: str, sheet: object) -> Game:
        """Return the game with another sheet for a character; the same game if the sheet is the
        same.

        Raises as `character`.
        """
        found = self.character(who)
        return (
            self
            if found.sheet is sheet
            else self.with_state(self.state.with_character(found.replace(sheet=sheet)))
        )

    def require(self, part: T | None) -> T:
        """Return what these rules have. Raises Impossible("not-in-these-rules"),
        ("no-rules-here") without a table.
        """
        if part is None:
            if not self.system.playable:
                raise Impossible("no-rules-here")
            raise Impossible("not-in-these-rules", name=self.system.name)
        return part

    @property
    def campaign(self) -> Any:
        """What the table has agreed on, or what the system brings along; None where there is
        nothing to agree on.
        """
        return self.state.campaign or self.system.campaign.default

    @property
    def time(self) -> int:
        """The story's time, in minutes since it began."""
        return self.state.clock.time

    def setting(self, key: str) -> Any:
        """Return the table's value of one of the system's settings, or its default."""
        found = self.state.settings.own.get(key)
        return self.system.settings.defaults.get(key) if found is None else found

    @property
    def sheets(self) -> Sheets:
        return self.require(self.system.sheets)

    @property
    def creation(self) -> tuple[Page, ...]:
        return self.require(self.system.creation or None)


#: What places without a table play by.
FREE_SYSTEM: System = System(key="free", name="Dice and cards")
