"""Actions at a table: frozen records, complete, and enough to carry them out again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from rules.core.record import Record, defstruct, field
from rules.table.check import StepInChoice, Visibility
from rules.table.events import StepView
from rules.table.state import CardUse, NpcStage, ShuffleWhat


class Actor(Record):
    """Who acts: a participant (`p` and eight signs) or `system`, and the role ids they hold on the
    server.
    """

    id: str
    roles: tuple[str, ...] = ()


class Action(Record, kw_only=True):
    """`place` is where it was said; `at` is when, in whole seconds since 1970 (UTC)."""

    who: Actor
    place: str
    at: int

    @property
    def offers_take_back(self) -> bool:
        """Whether the private answer has an *Undo* button.

        For actions that cost a card, points or money by one press.
        """
        return False


def action_class(
    name: str, fields: Sequence[Any], module: str, *, reversible: bool = False
) -> type[Any]:
    """Return an action class of these fields, for a command of a system in this module.

    The answer to a `reversible` action has a *Take back* button.
    """
    namespace = {"offers_take_back": property(lambda _: reversible)}
    return defstruct(
        name, fields, bases=(Action,), namespace=namespace, module=module, kw_only=True
    )


class CreateTable(Action, kw_only=True):
    """Open a table for a system; the actor becomes its first GM.

    `campaign` is the system's JSON object for the campaign, None for the system's own campaign.
    `settings` are values of the table's settings by key, as in `ChangeSettings`.
    """

    name: str
    system: str
    gm_place: str | None = None
    campaign: dict[str, Any] | None = None
    settings: dict[str, Any] = field(default_factory=dict[str, Any])


class ChangeGms(Action, kw_only=True):
    """Add or remove one GM or one GM role. Role ids are the server's."""

    add: str | None = None
    remove: str | None = None
    add_role: str | None = None
    remove_role: str | None = None


class TakeOver(Action, kw_only=True):
    """A manager of the server becomes GM of a table whose GMs have all left (checked by the
    caller).
    """


class ChangeSettings(Action, kw_only=True):
    """Change these settings, by key as the table's form has them; `gm_place` is a channel, empty
    for none.
    """

    values: dict[str, Any]


class ChangeCampaign(Action, kw_only=True):
    """A GM changes what the table agrees on in the terms of its system: the system's JSON
    object.
    """

    data: dict[str, Any]


class ChangePerson(Action, kw_only=True):
    """A participant's own preference: results as plain text."""

    plain: bool


class ImportCharacter(Action, kw_only=True):
    """Bring in a character as the system's JSON object. GMs may name another `owner` or make it the
    table's.

    The rules of creation hold for a newcomer among the players' characters, unless it has `grown`
    elsewhere.
    """

    data: dict[str, Any]
    owner: str | None = None
    npc: bool = False
    overwrite: bool = False
    grown: bool = False


class UseCharacter(Action, kw_only=True):
    """Make one of one's characters the one that acts by default."""

    character: str


class OnCharacter(Action, kw_only=True):
    """Base of what is done to a character; None stands for the one that acts by default."""

    character: str | None = None


class Approve(OnCharacter, kw_only=True):
    """A GM lets a new character in, or sends it back with a `note` on what to mend."""

    accept: bool = True
    note: str = ""
    #: Id of the one line of the sheet that is allowed or refused; empty for the whole character.
    line: str = ""


class Edit(OnCharacter, kw_only=True):
    """Change texts of a sheet: field -> new text, as the system's steps of creation name them."""

    fields: dict[str, str]


class Learn(OnCharacter, kw_only=True):
    """Learn something new, with what the system asks for besides (`drawback`), and how it came
    about.
    """

    skill: str
    attribute: str
    drawback: str = ""
    explanation: str = ""

    @property
    def offers_take_back(self) -> bool:
        return True


class Advance(OnCharacter, kw_only=True):
    """Raise what the character can do by one step, and how it came about where somebody says."""

    skill: str
    explanation: str = ""

    @property
    def offers_take_back(self) -> bool:
        return True


class Give(OnCharacter, kw_only=True):
    """Hand a character over to participant `to`; for GMs also to nobody (None): it becomes the
    table's.
    """

    to: str | None


class Retire(OnCharacter, kw_only=True):
    """Take a character out of play, or with `back` into it again."""

    back: bool = False


class OnNpcs(Action, kw_only=True):
    """Base of what is said about NPCs; `data` is a sheet as the system's JSON object. None: nothing
    is said of it.
    """

    alias: str | None = None
    stage: NpcStage | None = None
    notes: str | None = None
    portrait: str | None = None
    data: dict[str, Any] | None = None


class AddNpcs(OnNpcs, kw_only=True):
    """Bring in `count` NPCs, with what their rules have written down of those that they are
    `like`.
    """

    name: str
    count: int = 1
    like: str = ""
    #: Importance of the NPCs, as the system names it.
    kind: str = ""


class ChangeNpc(OnNpcs, kw_only=True):
    """Change what is said about an NPC, or about all of a group."""

    npc: str
    name: str | None = None


class RemoveNpc(Action, kw_only=True):
    """Take an NPC, or a whole group, out of the story."""

    npc: str


class StartEncounter(Action, kw_only=True):
    """Begin to keep the order of action in this place."""


class JoinEncounter(Action, kw_only=True):
    as_: str | None = None


class AddToEncounter(Action, kw_only=True):
    """A GM adds a character, a whole group, or anything else by name; `score` where the GM sets
    one.
    """

    name: str = ""
    score: int | None = None
    #: Adds all players' characters that aren't there yet, instead of one by name.
    party: bool = False


class OrderEncounter(Action, kw_only=True):
    """A GM sets the order: names from first to last; who is not named follows as before."""

    order: tuple[str, ...]


class NextTurn(Action, kw_only=True):
    """Whoever's turn it is has acted; `round` and `turn` are those that were shown, None for
    whatever is.
    """

    round: int | None = None
    turn: int | None = None


class DelayTurn(Action, kw_only=True):
    """Wait for one's moment, or with `back` take it now; `round` and `turn` as for `NextTurn`."""

    as_: str | None = None
    back: bool = False
    round: int | None = None
    turn: int | None = None


class RemoveFromEncounter(Action, kw_only=True):
    name: str


class EndEncounter(Action, kw_only=True):
    """The order of action is not needed any more."""


class Session(Action, kw_only=True):
    """A GM begins a session, or ends it: what a session's end restores is restored."""

    start: bool


class AdvanceTime(Action, kw_only=True):
    """A GM lets the story's time pass (negative: sets it back), or sets it to a `moment`; in
    minutes.
    """

    minutes: int = 0
    moment: int | None = None


class Award(Action, kw_only=True):
    """A GM gives `amount` of what the system awards (`kind`) to one character, or with None to all
    players'.
    """

    kind: str
    amount: int = 1
    to: str | None = None
    reason: str = ""


class Adjust(Action, kw_only=True):
    """A GM sets a tracked value of a character (`what`, as the system names it)."""

    character: str
    what: str
    value: str
    reason: str = ""


class ChangePlaces(Action, kw_only=True):
    """A GM binds one more channel to the table, or gives one back. What else holds the place the
    caller checks.
    """

    bind: str | None = None
    unbind: str | None = None


class ForgetPerson(Action, kw_only=True):
    """Whoever acts wants to be forgotten. The keeper of the journal takes out of it what they
    typed.
    """


class ImportTable(Action, kw_only=True):
    """A GM fills an empty table from what `rules.table.transfer.write_table` wrote (`data`).

    `owners` maps participants of that table to those of this one; whoever is missing leaves their
    characters to the GMs.
    """

    data: dict[str, Any]
    owners: dict[str, str]


class RotateSeed(Action, kw_only=True):
    """A GM has the seed in use revealed and a new one taken. The keeper of the seeds fills in the
    rest.

    `revealed` is the seed in hex, `next` the SHA-256 of the new one.
    """

    stream: Literal["public", "secret"] = "public"
    revealed: str = ""
    next: str = ""


class BeginAnew(Action, kw_only=True):
    """The database was brought back from a copy: no seed stays in use, since players may know what
    came later.

    `revealed` is the open rolls' seed in hex, `next` the SHA-256 of the one that takes its place.
    """

    revealed: str = ""
    next: str = ""


class Produce(Action, kw_only=True):
    what: str
    visibility: Visibility = "public"


class RollDice(Action, kw_only=True):
    """Throw an expression, or one's saved roll of that name, for nothing but the result.

    `{Name}` in it stands for a number of the character who acts.
    """

    dice: str
    reason: str = ""
    visibility: Visibility = "public"
    as_: str | None = None


class SaveRoll(Action, kw_only=True):
    """Keep an expression under a name for oneself; an empty one forgets the name."""

    name: str
    dice: str = ""


class DrawCards(Action, kw_only=True):
    """Take the top cards of a deck into one's hidden hand."""

    count: int = 1
    deck: str = "standard"


class PlayCard(Action, kw_only=True):
    """Show a card of one's hand, lay it face up before oneself, or put one from either place on the
    discard pile.
    """

    card: str
    how: CardUse
    deck: str = "standard"

    @property
    def offers_take_back(self) -> bool:
        return self.how == "discard"


class OfferCard(Action, kw_only=True):
    """Offer a card of one's hand to a participant; it lies aside until they take it or not."""

    card: str
    to: str
    deck: str = "standard"


class AnswerOffer(Action, kw_only=True):
    """Take an offered card, or not; whoever offered it may take it back."""

    offer: int
    accept: bool
    deck: str = "standard"


class ShuffleDeck(Action, kw_only=True):
    """Shuffle the draw pile: as it lies, with the discard pile, or with every card there is."""

    what: ShuffleWhat = "draw"
    deck: str = "standard"


class ImportDeck(Action, kw_only=True):
    data: dict[str, Any]


class RemoveDeck(Action, kw_only=True):
    """Take a deck that was brought to the table away again, its cards with it."""

    deck: str


class Begin(Action, kw_only=True):
    """Begin something that takes its course: a check of this `kind`, as the table's rules have it.

    `values` is what is said about it, as typed or picked: texts, whole numbers, flags, lists. `as_`
    and `target` are names as somebody says them.
    """

    kind: str
    as_: str | None = None
    target: str | None = None
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    visibility: Visibility = "public"
    gm_only: bool = False


class OnCheck(Action, kw_only=True):
    """Base of what is said about a check; `check` is its id."""

    check: str


class Choose(OnCheck, kw_only=True):
    """Answer a prompt with one of its options, or with a pass.

    `number` is that with which the prompt was shown. `as_` are those for whom it is answered:
    characters, and the empty text for the GMs; nobody named: whoever of those asked the actor may
    answer for, where it is clear who. `values` fill in the option's form.
    """

    prompt: str
    number: int
    option: str
    as_: tuple[str, ...] = ()
    values: dict[str, Any] = field(default_factory=dict[str, Any])


class HoldCheck(OnCheck, kw_only=True):
    """Have a check wait for a player's say before it stands, or with `back` no longer.

    `character` is the one to wait for. None stands for the character that acts by default, and for
    all of them if a GM ends the wait.
    """

    character: str | None = None
    back: bool = False


class StepIn(OnCheck, kw_only=True):
    """Make a choice after a result, at a stage that the check has passed.

    `as_` is the character for whom the choice is made, empty for the GMs. `revision` is that of the
    check as it was shown. `bot.services.stepping_in` carries the action out. It fills in `entry`,
    the number of the entry that made the result, and `earlier`, the choices made since.
    """

    stage: str
    prompt: str
    option: str
    revision: int
    as_: str = ""
    #: Participant whose choice a GM lets in, though something has happened since.
    asked_by: str = ""
    #: Number of the entry of the participant's question.
    question: int = 0
    entry: int = 0
    earlier: tuple[StepInChoice, ...] = ()


class AskToStepIn(OnCheck, kw_only=True):
    """Ask the GMs to let a choice in that comes too late; the fields are those of `StepIn`."""

    stage: str
    prompt: str
    option: str
    revision: int
    as_: str = ""


class RefuseStepIn(OnCheck, kw_only=True):
    """Refuse a choice that comes too late.

    `asked_by` is the participant who asked, and `question` the number of the question's entry.
    """

    asked_by: str
    question: int


class EndCheck(OnCheck, kw_only=True):
    """A GM ends an open check, wherever it stands."""


class CloseChecks(Action, kw_only=True):
    """A GM has these open checks answered as the clock would answer them; what only waits ends."""

    checks: tuple[str, ...]


class SetOrder(OnCharacter, kw_only=True):
    """A standing order: what to answer to prompts of this key, in checks of `kind` (empty: of every
    kind).

    `keep` is a resource and how much of it has to be left (`keep_amount`), empty for none. Where
    the option is not offered, `otherwise` is answered; None: ask.
    """

    prompt: str
    option: str
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    keep: str = ""
    keep_amount: int = 0
    otherwise: str | None = "pass"
    kind: str = ""


class TakeBackOrder(OnCharacter, kw_only=True):
    """Take the standing order for this prompt and kind back."""

    prompt: str
    kind: str = ""


class AskForNpc(Action, kw_only=True):
    """GMs want to be asked for this NPC (`ask`), or have it pass as NPCs do."""

    npc: str
    ask: bool = True


class AskMe(OnCharacter, kw_only=True):
    """Have a character's player asked before results stand, and at the start of each round.

    None leaves a switch as it is.
    """

    results: bool | None = None
    rounds: bool | None = None


class SetAway(Action, kw_only=True):
    """Whoever acts is away until then (`until`, in seconds since 1970; None: until they say
    otherwise), or is back.
    """

    back: bool = False
    until: int | None = None
    note: str = ""


class Delegate(OnCharacter, kw_only=True):
    """Let participant `to` answer for one's character, until then; with `back` no more."""

    to: str
    until: int | None = None
    back: bool = False


class Due(Action, kw_only=True):
    """The clock has reached a wait (`wait` is its id). Only the system says this."""

    wait: str


class Undo(Action, kw_only=True):
    """Take entries of the journal back: the one meant (None: the last) and, if asked, what depends
    on it.

    The table's state alone does not say what was there before, so the keeper of the journal carries
    this out (`rules.table.undo` says what is allowed); it fills in `entries`, newest first, and the
    `kinds` of action that they were and by whom, empty for those of which whoever is told knew
    nothing, with the `deeds` that everybody knew. An undo that names `entries` beforehand is
    refused if it would take others along.
    """

    entry: int | None = None
    all_dependents: bool = False
    entries: tuple[int, ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()
    deeds: tuple[StepView | None, ...] = ()
