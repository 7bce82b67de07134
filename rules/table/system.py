"""Rule systems, and the game as their rules see it."""

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
from rules.table.commands import Command, DueCheck, OwnWait
from rules.table.events import Event
from rules.table.forms.fields import Option
from rules.table.forms.form import Form
from rules.table.gm_values import Tools
from rules.table.late_choices import LateChoices
from rules.table.outcome import Outcome
from rules.table.permissions import known_name
from rules.table.readable_places import EVERYWHERE, ReadablePlaces
from rules.table.resources import Resource, TickKind
from rules.table.state import AnyCharacter, AnyEncounter, Mark, Slot, TableState

T = TypeVar("T")


class Odds(Record):
    """Exact chances of one roll."""

    #: Number that the roll has to reach, in words.
    target: Text
    success: Fraction
    #: Chance of each outcome.
    outcomes: tuple[tuple[Text, Fraction], ...]
    #: Chance of each total; None if the system doesn't show them.
    totals: Distribution | None = None
    #: Least total that succeeds.
    needed: int | None = None
    #: Columns beside the one for success, in a comparison of several ways to roll.
    columns: tuple[tuple[Text, Fraction], ...] = ()
    #: A fact that doesn't depend on the dice.
    note: Text | None = None
    #: Options of the roll's form for this way to roll.
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])


#: Odds of a roll as it is, and with each thing that could be spent on it.
OddsTable = tuple[tuple[Text, Odds], ...]


class Product(Record):
    """A result drawn from one of the system's tables."""

    #: Name of the result, then its details.
    lines: tuple[Text, ...]
    #: Dice in the order in which they fell.
    dice: tuple[Die, ...]


def _nothing(*_: object) -> tuple[()]:
    return ()


class Page(Record):
    """One step of character creation: a form of one to five fields.

    The keys `portrait` and `notes` are the table's. Functions of a page take the draft: the object
    that the fields of all steps make so far.
    """

    key: str
    title: Text
    form: Form
    #: Consequences of the fields, in lines above them.
    follows: Callable[[Game, Mapping[str, Any]], tuple[Text, ...]] = _nothing
    #: Contents of the step, for the menu of steps: `3 of 12 skill points spent`.
    holds: Callable[[Game, Mapping[str, Any]], tuple[Text, ...]] = _nothing
    #: Rules of the step, and ways to type that no example shows.
    about: Text | None = None
    #: State of the step in few words, beside its title in the menu of steps: `1 too many`.
    state: Callable[[Game, Mapping[str, Any]], Text | None] = lambda game, draft: None
    #: Heading of the step, with the numbers that count there: `67 of 68 points`.
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
    """Score of a character in initiative."""

    #: Numbers compared from the left; higher scores act first.
    score: tuple[int, ...]
    #: Line on the roll.
    line: Text


#: Function that makes an NPC one of a kind, given game, sheet, kind, and the sheet's file, if any.
AsKind = Callable[["Game", Any, str, Mapping[str, object] | None], tuple[Any, tuple[Text, ...]]]

#: A page of a sheet: its title and its blocks.
SheetPage = tuple[Text, tuple[Block, ...]]


class ApprovalLine(Record):
    """A line of a new sheet that needs the GM's consent by itself."""

    #: Id of the line in actions. It stays the same as long as the line says the same.
    id: str
    #: The line as the GM and the player read it.
    words: Text
    state: Literal["open", "allowed", "refused"] = "open"
    #: Reason that the GM gave for a refusal.
    note: str = ""
    #: Key of the step of creation in which the player changes the line.
    page: str = ""


class Sheets(Record):
    """Character sheets of a system."""

    #: Class of a sheet. Without arguments it makes a blank sheet.
    kind: type[Any]
    #: Returns name and sheet from a JSON object. With True, it checks the rules of creation too.
    #: Raises `Problems` with every violation.
    read: Callable[[Game, Mapping[str, object], bool], tuple[str, Any]]
    #: Returns the JSON object that `read` takes.
    write: Callable[[AnyCharacter], dict[str, object]]
    #: Blocks of the sheet's first page: changing values, then a line for each group of traits.
    describe: Callable[[Game, AnyCharacter], tuple[Block, ...]]
    #: Condition of a character: one line on what all can see. With True, every entry follows.
    health: Callable[[Game, AnyCharacter, bool], tuple[Text, ...]]
    #: Further pages of the sheet.
    pages: Callable[[Game, AnyCharacter], tuple[SheetPage, ...]] = _nothing
    #: Values by their names in dice notation: dice (`1d8`) or a number (`4`).
    values: Callable[[AnyCharacter], Mapping[str, str]] = lambda character: {}
    #: Keys of the JSON object that follow from the others. They are left out of texts to edit.
    derived: tuple[str, ...] = ()
    #: Codes of `health` by which a character can't act.
    out: tuple[str, ...] = ()
    #: Characters to choose from, as new objects that `read` takes.
    ready: Callable[[Game], tuple[dict[str, object], ...]] = _nothing
    #: NPCs that a new NPC may be made like.
    npcs: Callable[[Game], tuple[Option, ...]] = _nothing
    #: Returns the object of such an NPC by the GM's text; None if there is none.
    like: Callable[[Game, str], dict[str, Any] | None] = lambda game, text: None
    #: Kinds of NPCs by their importance, which `as_kind` knows.
    npc_kinds: tuple[Option, ...] = ()
    #: Returns an NPC's sheet as one of a kind, and lines on it for the GM.
    as_kind: AsKind | None = None
    #: `health` in few words, for the board and a turn's call; None if `health` is short enough.
    board_health: Callable[[Game, AnyCharacter, bool], tuple[Text, ...]] | None = None
    #: Characters whose values fill the empty fields of a draft, as files or as typed.
    samples: Callable[[Game], tuple[Mapping[str, Any], ...]] = _nothing
    #: Completions of fields that need more than the sample's value, by key.
    completions: Mapping[str, Completion] = field(default_factory=dict[str, "Completion"])
    #: Points and cards of a character that all players see. None: the rules have no such thing.
    open_points: Callable[[Game, AnyCharacter], tuple[Text, ...]] | None = None
    #: Warnings about allowed but odd values of a draft, given the object that it makes so far.
    warnings: Callable[[Game, Mapping[str, Any]], Iterable[RulesError]] = _nothing
    #: Lines of a new sheet that need the GM's consent one by one.
    approvals: Callable[[Game, Any], tuple[ApprovalLine, ...]] = _nothing
    #: Returns the sheet with a line allowed or refused, given its id, `accept` and the GM's note.
    rule: Callable[[Game, Any, str, bool, str], Any] = lambda game, sheet, line, accept, note: sheet
    #: Returns an edited sheet with the rulings on the sheet before it that still hold.
    carry_rulings: Callable[[Any, Any], Any] = lambda before, sheet: sheet
    #: Returns an edited sheet with the effects of play on the sheet before it that no field shows.
    carry_passing: Callable[[Any, Any], Any] = lambda before, sheet: sheet
    #: Lines for the player and the GMs about an import, given the object and whether it is new.
    remarks: Callable[[Game, Mapping[str, object], bool], tuple[Text, ...]] = _nothing
    #: Whether a character with this sheet is dead.
    is_dead: Callable[[Any], bool] = lambda sheet: False
    #: Whether a character with this sheet dies soon without help.
    is_dying: Callable[[Any], bool] = lambda sheet: False


class Campaign(Record):
    """Campaigns of a system: rows that a table adds to the system's own tables."""

    #: Campaign of a table that adds nothing.
    default: Any
    #: Returns the campaign from a JSON object; from an empty one, the default. Raises `Problems`
    #: with every violation.
    read: Callable[[Mapping[str, object]], Any]
    #: Returns the JSON object that `read` takes.
    write: Callable[[Any], dict[str, object]]
    describe: Callable[[Any], tuple[Text, ...]]
    #: Names of the system's own parts that could not go on with the game's campaign, by key.
    stranded: Callable[[Game], Mapping[str, str]]
    #: Returns an object to copy from, if `write` has none for the default.
    sample: Callable[[], dict[str, object]] = dict
    #: Lines for all participants about a new campaign; None: as `describe`.
    announce: Callable[[Any], tuple[Text, ...]] | None = None


def _no_campaign(data: Mapping[str, object]) -> None:
    """Raise Impossible("no-campaign") for an object if the system has no campaign."""
    if data:
        raise Impossible("no-campaign")


#: Campaigns of a system without any.
NO_CAMPAIGN: Final = Campaign(
    None, _no_campaign, lambda _: {}, describe=_nothing, stranded=lambda game: {}
)


class GrowthResult(Record):
    """A character who has advanced."""

    character: AnyCharacter
    #: Lines for all participants.
    lines: tuple[Text, ...]
    #: Lines for the player and the GMs.
    private: tuple[Text, ...] = ()


#: Function that advances a character at the system's price, given the action. An action with an
#: explanation is proposed to the GM instead, if the system has a check of that kind.
Grow = Callable[["Game", AnyCharacter, Any], GrowthResult]


class Turns(Record):
    """Initiative of a system: in turns, or on a timeline.

    Rules that ask every round have a procedure with the role "round", which begins with each round.
    """

    #: Initiative of a character; None if the GM decides the order.
    initiative: Callable[[Game, AnyCharacter, Rng], Initiative | None]
    #: Setting of the house rule behind `initiative`, for encounters begun with the setting on.
    house: str = ""
    #: Characters act by phases instead of turns.
    timeline: bool = False
    #: Class of the system's own data of an encounter.
    data: type | None = None
    #: Reasons why a character's turn passes by itself; None if it doesn't, no words if the reason
    #: is obvious. Never asked on a timeline.
    idle: Callable[[Game, AnyCharacter], tuple[Text, ...] | None] | None = None
    #: Returns the changed game, just before the character on turn waits.
    waits: Callable[[Game, AnyEncounter], Game] | None = None
    #: Block of a slot: lower blocks act before higher ones; None in rounds without blocks.
    block: Callable[[Game, AnyEncounter, Slot], int | None] | None = None
    #: The encounter once the character on turn has acted: the slot after its `turn` is next.
    then: Callable[[Game, AnyEncounter], AnyEncounter] | None = None
    #: Words for waiting if a waiting character acts last; None if it chooses its moment.
    waits_last: Text | None = None
    #: Whether a character has nothing left to act with in this round.
    spent: Callable[[Game, AnyCharacter], bool] = lambda game, character: False
    #: Words for what a spent character may still do before the round ends; None for nothing.
    lingers: Callable[[Game, AnyCharacter], Text | None] = lambda game, character: None
    #: Id of the open check that a character goes on with for its whole turn; None for no such
    #: check. Its turn then offers nothing else.
    occupied: Callable[[Game, AnyCharacter], str | None] = lambda game, character: None
    #: Commands of the system with a button below the board, and their labels.
    board_commands: Callable[[Game, AnyEncounter], tuple[tuple[str, Text], ...]] = _nothing


class Tick(Record):
    """A moment at which effects begin or end for characters."""

    kind: TickKind
    #: Ids of the characters.
    who: tuple[str, ...]
    #: Round, or minute of the story.
    at: int = 0
    #: Place of the encounter; empty for the whole table.
    place: str = ""
    #: Minutes of the story that have passed; negative if its time was set back.
    minutes: int = 0
    #: Marks that end with the tick, by character. The characters still have them.
    expiring: Mapping[str, tuple[Mark, ...]] = field(default_factory=dict[str, tuple[Mark, ...]])
    #: Points that characters have regained: key of the resource and amount, by character.
    regained: Mapping[str, tuple[tuple[str, int], ...]] = field(
        default_factory=dict[str, tuple[tuple[str, int], ...]]
    )


class TickResult(Record):
    """Result of a tick."""

    game: Game
    #: Lines to report, each with its character. All participants read those of players' characters,
    #: the GMs those of NPCs.
    lines: tuple[tuple[str, Text], ...] = ()
    #: Other events.
    events: tuple[Event, ...] = ()


class SceneCount(Record):
    """Result of counting the beginning or end of a scene."""

    game: Game
    #: The scene as the system counts it, for all participants.
    lines: tuple[Text, ...] = ()
    #: Other events.
    events: tuple[Event, ...] = ()


class SceneRules(Record):
    """A system's own count of scenes. A function returns None while the system counts none."""

    #: Function that counts the beginning of a scene in a place.
    begin: Callable[[Game, str], SceneCount | None]
    #: Function that counts the end of the scene in a place.
    end: Callable[[Game, str], SceneCount | None]


#: Function that applies a tick's effects. It gets every tick, with the result of earlier handlers.
TickHandler = Callable[["Game", Tick], TickResult]


def is_npc(game: Game, who: str | None) -> bool:
    """Return whether a character belongs to no player, so that only GMs know its abilities."""
    characters = game.state.characters
    return who is None or who not in characters or characters[who].owner is None


#: Function that carries out an action of the system.
Handler = Callable[["Game", Any], Outcome]


class HeldCard(Record):
    """A card that a participant holds."""

    #: Id of the card.
    card: str
    name: str
    #: Pile in which it lies.
    where: Text
    #: Text of the card.
    about: Text
    #: Uses of the card, the likeliest first.
    verbs: tuple[str, ...]


class CardPicture(Record):
    """Contents of a card's picture."""

    name: str
    number: str
    #: Occasion to play the card; None if it can't be held.
    when: Text | None
    #: Effect of the card; None if it can't be held.
    about: Text | None
    #: Titles, each with the sides in initiative: whether it is the players', its name, the effect
    #: on it, and whether there is any effect.
    scenes: tuple[tuple[Text, tuple[tuple[bool, Text, Text, bool], ...]], ...] = ()
    #: Lines below the scenes.
    lines: tuple[Text, ...] = ()


class CardHolder(Record):
    """A participant, and the participant's character that holds cards."""

    participant: str
    character: str


class CardRules(Record):
    """A deck whose cards move only as the rules say."""

    #: Deck in use; None while the table plays without.
    deck: Callable[[Game], Deck | None]
    #: Whether an action that all decks share is about this deck.
    takes: Callable[[Game, Any], bool]
    #: Handlers of those actions.
    actions: Mapping[type[Action], Handler]
    #: Cards of a participant.
    held: Callable[[Game, str], tuple[HeldCard, ...]]
    #: Participants who can hold cards.
    holders: Callable[[Game], tuple[CardHolder, ...]]
    #: Blocks on the piles and face-up cards, for all participants.
    lies: Callable[[Game], tuple[Block, ...]]
    #: Picture of a card.
    face: Callable[[Game, str], CardPicture | None]
    #: Cards that all participants can see.
    pooled: Callable[[Game], tuple[str, ...]]
    #: Returns the outcome of any other action with its effects on cards: a player may have left.
    after: Callable[[Game, Outcome], Outcome]
    #: Words on how a participant who holds no cards gets some; None if it needs no action.
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
    """One rule system. Fields that the rules have no use for are None or empty."""

    key: str
    name: str
    #: Version of the rules. Raise it when an action on the same state gives another result.
    version: int = 1
    sheets: Sheets | None = None
    #: Procedures by kind of check, read through `rules.table.checks.procedure.procedure_of`.
    procedures: Mapping[str, Any] = field(default_factory=dict[str, Any])
    #: The system's own settings, and those of `rules.table.settings.table_settings` that only some
    #: systems use.
    settings: Form = Form()
    campaign: Campaign = NO_CAMPAIGN
    creation: tuple[Page, ...] = ()
    #: Functions for `learn` and `advance`.
    growth: Mapping[str, Grow] = field(default_factory=dict[str, Grow])
    #: Traits that a character can raise now, each with its price.
    advances: Callable[[Game, AnyCharacter], tuple[Option, ...]] = _nothing
    resources: tuple[Resource[Any], ...] = ()
    tools: Tools | None = None
    turns: Turns | None = None
    #: Takes what the system keeps for one place to another, with the initiative or scene there.
    moves: Callable[[Game, str, str], Game] = lambda game, old, new: game
    #: The system's own count of scenes.
    scenes: SceneRules | None = None
    ticks: tuple[TickHandler, ...] = ()
    #: Returns the outcome of any action with its automatic consequences.
    follow_up: Callable[[Game, Outcome], Outcome] | None = None
    tables: Mapping[str, RandomTable] = field(default_factory=dict[str, RandomTable])
    cards: CardRules | None = None
    #: Classes of the system's own parts, by the first piece of their keys.
    parts: Mapping[str, type] = field(default_factory=dict[str, type])
    #: Exports of the parts that move with a table.
    part_files: Mapping[str, PartFile] = field(default_factory=dict[str, PartFile])
    actions: Mapping[type[Action], Handler] = field(default_factory=dict[type[Action], Handler])
    #: Forms of those actions whose values a GM can amend, without who acts.
    action_forms: Mapping[type[Action], Form] = field(default_factory=dict[type[Action], Form])
    #: Commands under `/<key>`, or under a group of `command_groups`.
    commands: tuple[Command, ...] = ()
    #: Groups of commands that stand beside `/<key>`, since Discord limits the size of a command.
    #: Their names are the first words of the names of their commands.
    command_groups: tuple[str, ...] = ()
    #: Checks that are due, for the actor's own characters.
    due_checks: Callable[[Game], Iterable[DueCheck]] = _nothing
    #: Everything that waits by the system's own parts, for every actor. The agenda shows each
    #: wait to those who may know of it.
    waits: Callable[[Game], Iterable[OwnWait]] = _nothing

    @property
    def playable(self) -> bool:
        """True if players can open a table for it. Without sheets it has only dice and cards."""
        return self.sheets is not None


class Game(Record):
    """The table as the rules see it while one action is carried out."""

    state: TableState
    system: System
    rng: Streams
    #: Time of the action, in seconds since 1970. The rules never read a clock.
    at: int
    actor: Actor
    #: Places that the actor can view. `read_only_game` narrows them.
    readable: ReadablePlaces = EVERYWHERE
    #: Choices to make in a check at stages that it has passed; see `rules.table.journal.step_in`.
    late: LateChoices | None = None

    def with_state(self, state: TableState) -> Game:
        """Return the same game with another state of the table."""
        if state is self.state:
            return self
        return Game(state, self.system, self.rng, self.at, self.actor, self.readable, self.late)

    def character(self, who: str) -> AnyCharacter:
        """Return the character with an id. Raises Impossible("gone") if it has left the table."""
        character = self.state.characters.get(who)
        if character is None:
            raise Impossible("gone", who=who)
        return character

    def display_name(self, who: str) -> str:
        """Return the name by which the actor knows a character. Raises as `character`.

        With it, no error reveals a hidden name.
        """
        return known_name(self.state, self.actor, self.character(who))

    def sheet(self, who: str) -> Any:
        """Return the sheet of a character, of the system's class. Raises as `character`."""
        try:
            return self.state.characters[who].sheet
        except KeyError:
            raise Impossible("gone", who=who) from None

    def rng_for(self, check: AnyCheck, who: str | None = None) -> Rng:
        """Return the source of dice for a check; *who* is given if an NPC's dice are for the GMs.

        Dice are public only if all participants see them at once. The seed of public dice is
        revealed later, and must reveal nothing that is hidden.
        """
        concealed = check.gm_only or (check.hidden and check.reveal == "degree")
        concealed |= who is not None and is_npc(self, who)
        if check.visibility != "public" or concealed:
            return self.rng.secret
        return self.rng.public

    def with_sheet(self, who: str, sheet: object) -> Game:
        """Return the game with another sheet for a character. Raises as `character`.

        If the sheet is the same object, so is the game.
        """
        character = self.character(who)
        if character.sheet is sheet:
            return self
        return self.with_state(self.state.with_character(character.replace(sheet=sheet)))

    def require(self, part: T | None) -> T:
        """Return a part of the system; raise if it is None.

        Raises Impossible("not-in-these-rules"), or ("no-rules-here") without a table.
        """
        if part is None:
            if not self.system.playable:
                raise Impossible("no-rules-here")
            raise Impossible("not-in-these-rules", name=self.system.name)
        return part

    @property
    def campaign(self) -> Any:
        """Campaign of the table, or the system's default; None if the system has no campaigns."""
        return self.state.campaign or self.system.campaign.default

    @property
    def time(self) -> int:
        """Time of the story, in minutes since it began."""
        return self.state.clock.time

    def setting(self, key: str) -> Any:
        """Return the table's value of one of the system's settings, or its default."""
        value = self.state.settings.own.get(key)
        return self.system.settings.defaults.get(key) if value is None else value

    @property
    def sheets(self) -> Sheets:
        return self.require(self.system.sheets)

    @property
    def creation(self) -> tuple[Page, ...]:
        return self.require(self.system.creation or None)


#: System of places without a table.
FREE_SYSTEM: System = System(key="free", name="Dice and cards")
