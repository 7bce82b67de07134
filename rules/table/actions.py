"""Actions at a table: frozen records with everything that is needed to carry them out again."""

from __future__ import annotations

from typing import Any, Literal

from rules.core.record import Record, field
from rules.table.check import StepInChoice, Visibility
from rules.table.events import StepView
from rules.table.state import CardUse, NpcStage, ShuffleWhat


class Actor(Record):
    """The source of an action."""

    #: Participant (`p` and eight characters), or `system`.
    id: str
    #: Ids of the participant's roles on the server.
    roles: tuple[str, ...] = ()
    #: Whether a deputy of the GMs goes beyond a deputy's rights, and so counts as a player.
    as_player: bool = False


class Action(Record, kw_only=True):
    """Base class of all actions."""

    who: Actor
    #: Channel of the action.
    place: str
    #: Time, in whole seconds since 1970 (UTC).
    at: int

    @property
    def offers_take_back(self) -> bool:
        """True if the private answer has an *Undo* button.

        For actions that cost a card, points or money by one press, and for arrangements of a menu.
        """
        return False


class CreateTable(Action, kw_only=True):
    """Open a table for a system; the actor becomes its first GM."""

    name: str
    system: str
    #: Channel of the GMs.
    gm_place: str | None = None
    #: The system's JSON object for a campaign; None for the default campaign.
    campaign: dict[str, Any] | None = None
    #: Values of the table's settings by key, as in `ChangeSettings`.
    settings: dict[str, Any] = field(default_factory=dict[str, Any])


class ChangeGms(Action, kw_only=True):
    """Add or remove one GM or one GM role. Role ids are the server's."""

    add: str | None = None
    remove: str | None = None
    add_role: str | None = None
    remove_role: str | None = None


class NameDeputy(Action, kw_only=True):
    """Make a participant a deputy of the GMs, or with `back` no longer, for a GM."""

    to: str
    #: End of the term, in seconds since 1970; None: until a GM takes it back.
    until: int | None = None
    back: bool = False


class TakeOver(Action, kw_only=True):
    """Make a manager of the server GM of a table whose GMs have all left (the caller checks it)."""

    #: The GMs haven't left, but are silent: they have some days to stop it.
    after_silence: bool = False


class ChangeSettings(Action, kw_only=True):
    """Change settings of the table."""

    #: Values by the keys of the table's form. `gm_place` is a channel, empty for none.
    values: dict[str, Any]


class ChangeRest(Action, kw_only=True):
    """Set the days and hours of the table's clock, for a GM."""

    #: Days of the week on which no time runs; 0: Monday.
    days: tuple[int, ...] = ()
    #: Minutes of the day between which something may run out. Equal: always.
    from_: int = 0
    to: int = 0
    #: Name of the time zone.
    zone: str = ""
    #: Offsets of the zone: from when, in seconds since 1970, and seconds east. The bot fills them
    #: in, so that a replay needs no data of zones.
    offsets: tuple[tuple[int, int], ...] = ()


class SetDigest(Action, kw_only=True):
    """Set the weekly digest of the table in this place, or switch it off, for a GM."""

    #: Day of the week; 0: Monday. None: no digest.
    day: int | None = None
    #: Minute of the day.
    minute: int = 0
    #: Name of the time zone.
    zone: str = ""
    #: Offsets of the zone, as for `ChangeRest`.
    offsets: tuple[tuple[int, int], ...] = ()


class PauseTable(Action, kw_only=True):
    """Pause the table's clock, for a GM."""

    #: End of the pause, in seconds since 1970; None: until a GM ends it.
    until: int | None = None
    note: str = ""


class ResumeTable(Action, kw_only=True):
    """End the pause of the table's clock, for a GM."""


class ChangeCampaign(Action, kw_only=True):
    """Replace the table's campaign, for a GM."""

    #: The system's JSON object for a campaign.
    data: dict[str, Any]


class ChangePerson(Action, kw_only=True):
    """Change the preferences of a participant."""

    #: Whether the participant reads results as plain text.
    plain: bool


class ImportCharacter(Action, kw_only=True):
    """Import a character."""

    #: The system's JSON object for a character.
    data: dict[str, Any]
    #: Participant who plays the character, if a GM imports it for another one.
    owner: str | None = None
    #: Whether a GM imports it as an NPC.
    npc: bool = False
    #: Whether it may replace a character of the same name.
    overwrite: bool = False
    #: Whether it has advanced elsewhere. Otherwise a player's new character has to fit the rules of
    #: creation.
    grown: bool = False


class UseCharacter(Action, kw_only=True):
    """Make a character the participant's main character."""

    character: str


class OnCharacter(Action, kw_only=True):
    """Base class of actions on a character."""

    #: Name of the character; None for the main character.
    character: str | None = None


class Approve(OnCharacter, kw_only=True):
    """Approve a new character, or send it back, for a GM."""

    accept: bool = True
    #: Changes that the GM wants.
    note: str = ""
    #: Id of the one line of the sheet that is allowed or refused; empty for the whole character.
    line: str = ""


class Edit(OnCharacter, kw_only=True):
    """Change texts of a sheet."""

    #: New texts by the keys of the fields of creation.
    fields: dict[str, str]


class Learn(OnCharacter, kw_only=True):
    """Learn a new skill or trait."""

    skill: str
    attribute: str
    #: Drawback that the system asks for.
    drawback: str = ""
    #: The player's words for the GM.
    explanation: str = ""

    @property
    def offers_take_back(self) -> bool:
        return True


class Advance(OnCharacter, kw_only=True):
    """Raise a trait of a character by one step."""

    skill: str
    #: The player's words for the GM.
    explanation: str = ""

    @property
    def offers_take_back(self) -> bool:
        return True


class Give(OnCharacter, kw_only=True):
    """Hand a character over to another player."""

    #: Participant who plays it from now on; None: a GM makes it an NPC.
    to: str | None


class Retire(OnCharacter, kw_only=True):
    """Take a character out of play, or with `back` into it again."""

    back: bool = False


class OpenSeat(OnCharacter, kw_only=True):
    """Let users of the server ask to play a character, or with `back` no longer, for a GM."""

    back: bool = False


class AskForSeat(OnCharacter, kw_only=True):
    """Ask the GMs for the seat of a character that needs a player."""


class AnswerSeat(OnCharacter, kw_only=True):
    """Hand a character over to a participant who asks for its seat, or refuse, for a GM."""

    #: Participant who asked.
    to: str
    accept: bool = True
    #: The new player also gets the private notes and the former private checks.
    notes: bool = False


class OnNpcs(Action, kw_only=True):
    """Base class of actions that describe NPCs. A field that is None is left as it is."""

    alias: str | None = None
    stage: NpcStage | None = None
    notes: str | None = None
    portrait: str | None = None
    #: The system's JSON object for a character.
    data: dict[str, Any] | None = None


class AddNpcs(OnNpcs, kw_only=True):
    """Add NPCs."""

    name: str
    #: Number of NPCs.
    count: int = 1
    #: Name of an NPC of the rules whose sheet they get.
    like: str = ""
    #: Importance of the NPCs, as the system names it.
    kind: str = ""


class ChangeNpc(OnNpcs, kw_only=True):
    """Change an NPC, or all of a group."""

    #: Name of the NPC or of the group.
    npc: str
    #: New name.
    name: str | None = None


class RemoveNpc(Action, kw_only=True):
    """Remove an NPC, or a whole group."""

    npc: str


class StartEncounter(Action, kw_only=True):
    """Begin an encounter in a place."""


class JoinEncounter(Action, kw_only=True):
    """Add a character of the participant to initiative."""

    as_: str | None = None


class AddToEncounter(Action, kw_only=True):
    """Add a character, a whole group, or anything else to initiative, for a GM."""

    name: str = ""
    #: Score that the GM sets; None: the score that the rules give.
    score: int | None = None
    #: Adds all players' characters that aren't there yet, instead of one by name.
    party: bool = False


class OrderEncounter(Action, kw_only=True):
    """Set the order of initiative, for a GM."""

    #: Names from first to last. All others follow in their present order.
    order: tuple[str, ...]


class NextTurn(Action, kw_only=True):
    """End the present turn."""

    #: Round that was shown; None: any.
    round: int | None = None
    #: Turn that was shown; None: any.
    turn: int | None = None
    #: Character whose turn ends; None: the actor's.
    as_: str | None = None


class DelayTurn(Action, kw_only=True):
    """Delay the present turn, or with `back` act now; `round` and `turn` as for `NextTurn`."""

    as_: str | None = None
    back: bool = False
    round: int | None = None
    turn: int | None = None


class RemoveFromEncounter(Action, kw_only=True):
    """Remove a character or thing from initiative."""

    name: str


class EndEncounter(Action, kw_only=True):
    """End the encounter in a place."""


class Session(Action, kw_only=True):
    """Begin a session, or end it, for a GM."""

    start: bool


class StartScene(Action, kw_only=True):
    """Begin a scene of the story in this place, for a GM. The scene before it here ends."""

    title: str
    #: Names of the characters who are in it, as typed.
    cast: tuple[str, ...] = ()
    #: Whether it gets a thread of its own, which the bot opens. Then no other scene ends.
    thread: bool = False
    #: Whether it is a whisper scene: only its cast's players and the GMs are told of it.
    private: bool = False
    #: Forum of the table in which its thread is a post; empty for a thread of this channel. The
    #: caller checks that all readers of this place can read the forum.
    forum: str = ""


class PlaceScene(Action, kw_only=True):
    """Note the thread that was opened for a scene. Only the system does it."""

    number: int
    #: The thread; None: it couldn't be opened, and the scene is played where it was started.
    thread: str | None
    #: Whether participants outside of the cast read the place in which a whisper scene would stay.
    exposed: bool = False
    #: Why it couldn't be opened: the bot lacks a permission, the server has too many threads, or
    #: the forum wants a tag that the bot may not give.
    why: Literal["", "rights", "full", "tag"] = ""
    #: Forum in which it was to be a post; empty for a thread of a channel.
    forum: str = ""


class MovePlay(Action, kw_only=True):
    """Move what is played in one place to another, for a GM.

    The caller checks that the new place belongs to the table.
    """

    #: A scene goes with initiative and all open checks of its place; initiative with its checks.
    what: Literal["scene", "initiative"]
    #: The new place.
    to: str
    #: Channel that the new place is a thread of; None for a channel.
    parent: str | None = None
    #: Not everybody who reads that channel can read the thread.
    private: bool = False
    #: That channel is a forum, which has no messages of its own.
    in_forum: bool = False
    #: Number of the scene, or its title as typed; empty for the one in this place.
    scene: str = ""
    #: Place of the initiative; empty for this place.
    source: str = ""


class LeavePlace(Action, kw_only=True):
    """Take what is played in a place to another: it is gone or closed. Only the system does it."""

    left: str
    #: The new place; empty: a GM has to say where it goes on.
    to: str
    #: The place was deleted, or is closed to the bot.
    why: Literal["gone", "closed"]


class EndScene(Action, kw_only=True):
    """End the scene in this place, for a GM."""

    #: What happened in the scene, in the GM's words.
    summary: str = ""


class SumUp(Action, kw_only=True):
    """Say what happened in a scene of this place that is over, for a GM."""

    summary: str
    #: Number of the scene, or its title as typed; empty for the last one here.
    scene: str = ""


class JoinScene(Action, kw_only=True):
    """Bring one's character into the scene in this place, or with `back` take it out."""

    as_: str | None = None
    back: bool = False


class AdvanceTime(Action, kw_only=True):
    """Move the story's time on, back, or to a moment, for a GM."""

    #: Minutes to move on; negative: back.
    minutes: int = 0
    #: Minute of the story to set its time to.
    moment: int | None = None


class Award(Action, kw_only=True):
    """Award points, for a GM."""

    #: Kind of points, as the system names it.
    kind: str
    amount: int = 1
    #: Name of the character; None for all players' characters.
    to: str | None = None
    reason: str = ""


class Adjust(Action, kw_only=True):
    """Set a tracked value of a character, for a GM."""

    character: str
    #: The value, as the system names it.
    what: str
    value: str
    reason: str = ""


class ChangePlaces(Action, kw_only=True):
    """Bind one more channel to the table, or unbind one, for a GM.

    The caller checks that the channel is free.
    """

    bind: str | None = None
    unbind: str | None = None
    #: All who read this place can read the channel that is unbound, too.
    shared: bool = False


class ForgetPerson(Action, kw_only=True):
    """Delete a participant's data. The bot removes what the participant typed from the journal."""


class ImportTable(Action, kw_only=True):
    """Fill an empty table from a file, for a GM."""

    #: Object that `rules.table.transfer.write_table` wrote.
    data: dict[str, Any]
    #: Participants of this table by those of the file. All other characters become the GMs'.
    owners: dict[str, str]


class RotateSeed(Action, kw_only=True):
    """Reveal the seed in use and take a new one, for a GM."""

    stream: Literal["public", "secret"] = "public"
    #: The former seed in hex. The bot fills it in.
    revealed: str = ""
    #: SHA-256 of the new seed. The bot fills it in.
    next: str = ""


class BeginAnew(Action, kw_only=True):
    """Replace all seeds after the database was restored from a copy.

    Players may know the rolls that came after the copy.
    """

    #: The former seed of open rolls in hex.
    revealed: str = ""
    #: SHA-256 of the new seed of open rolls.
    next: str = ""


class Produce(Action, kw_only=True):
    """Draw from one of the system's tables."""

    #: Key of the table.
    what: str
    visibility: Visibility = "public"


class RollDice(Action, kw_only=True):
    """Roll an expression, or a saved roll."""

    #: Expression, or name of a saved roll. `{Name}` stands for a value of the acting character.
    dice: str
    reason: str = ""
    visibility: Visibility = "public"
    as_: str | None = None


class SaveRoll(Action, kw_only=True):
    """Save an expression under a name; an empty expression deletes the name."""

    name: str
    dice: str = ""


class DrawCards(Action, kw_only=True):
    """Draw cards of a deck into the hand."""

    count: int = 1
    deck: str = "standard"


class PlayCard(Action, kw_only=True):
    """Show a card of the hand, play it face up, or discard a card from either place."""

    card: str
    how: CardUse
    deck: str = "standard"

    @property
    def offers_take_back(self) -> bool:
        return self.how == "discard"


class OfferCard(Action, kw_only=True):
    """Offer a card of the hand to a participant. It lies aside until the offer is answered."""

    card: str
    to: str
    deck: str = "standard"


class AnswerOffer(Action, kw_only=True):
    """Accept or refuse an offered card, or take it back."""

    offer: int
    accept: bool
    deck: str = "standard"


class ShuffleDeck(Action, kw_only=True):
    """Shuffle the draw pile alone, with the discard pile, or with all cards."""

    what: ShuffleWhat = "draw"
    deck: str = "standard"


class ImportDeck(Action, kw_only=True):
    """Bring a deck to the table."""

    data: dict[str, Any]


class RemoveDeck(Action, kw_only=True):
    """Remove a deck that was brought to the table, with its cards."""

    deck: str


class Begin(Action, kw_only=True):
    """Begin a check."""

    #: Kind of the check, as the system names it.
    kind: str
    #: Name of the acting character, as typed.
    as_: str | None = None
    #: Name of the target, as typed.
    target: str | None = None
    #: Values of the check's form, as typed or picked: texts, whole numbers, flags, lists.
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    visibility: Visibility = "public"
    gm_only: bool = False


class CallForRolls(Action, kw_only=True):
    """Begin and answer a check for each of several characters, for a GM."""

    #: Values of the check's form, as for `Begin`.
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    #: Values of the GM's answer, such as the difficulty.
    ruling: dict[str, Any] = field(default_factory=dict[str, Any])
    #: Names of the characters. Empty: the players' characters in the place's scene, in its
    #: initiative, or at the table.
    characters: tuple[str, ...] = ()
    #: What the GM says about it.
    text: str = ""
    #: Text for those who succeed; empty for none.
    seal: str = ""
    #: Time at which the clock rolls for the missing characters, in seconds since 1970; None: never.
    until: int | None = None
    #: The clock rolls then; else what is missing counts as not rolled.
    rolls: bool = True


class ReadSeal(Action, kw_only=True):
    """Read the sealed text of a roll call, for the characters who have succeeded."""

    #: Id of the roll call.
    call: str


class EndRollCall(Action, kw_only=True):
    """Roll the missing dice of a roll call now, or end their checks without a roll, for a GM."""

    #: Id of the roll call.
    call: str
    #: The missing dice are rolled; else they count as not rolled.
    rolls: bool = True


class AddToRollCall(Action, kw_only=True):
    """Call one more character to a roll call, for a GM."""

    #: Id of the roll call.
    call: str
    #: Name or id of the character.
    character: str


class OpenSeal(Action, kw_only=True):
    """Tell everybody the sealed text of a roll call, for a GM."""

    #: Id of the roll call.
    call: str


class OnCheck(Action, kw_only=True):
    """Base class of actions on a check."""

    #: Id of the check.
    check: str


class Choose(OnCheck, kw_only=True):
    """Answer a prompt with one of its options, or with a pass."""

    prompt: str
    #: Number with which the prompt was shown.
    number: int
    option: str
    #: Characters for whom it is answered, and the empty text for the GMs. Empty: the only one of
    #: those asked for whom the actor may answer.
    as_: tuple[str, ...] = ()
    #: Values of the option's form.
    values: dict[str, Any] = field(default_factory=dict[str, Any])


class AnswerAlike(Action, kw_only=True):
    """Give several proposals the same answer, for a GM."""

    #: Id of each check, and the number of its prompt.
    checks: tuple[tuple[str, int], ...]
    option: str
    #: Values of the option's form.
    values: dict[str, Any] = field(default_factory=dict[str, Any])


class HoldCheck(OnCheck, kw_only=True):
    """Have a check wait for a player before its result is final, or with `back` no longer."""

    #: Character to wait for. None: the main character, or all if a GM ends the wait.
    character: str | None = None
    back: bool = False


class MoreTime(OnCheck, kw_only=True):
    """Give a prompt more time: as much again, or for a GM until any time."""

    prompt: str
    #: Number of the prompt that was shown; None: any.
    number: int | None = None
    #: New deadline, in seconds since 1970, for a GM; None: as much time again.
    until: int | None = None


class MoreTurnTime(Action, kw_only=True):
    """Give the present turn more time; `round` and `turn` as for `NextTurn`."""

    round: int | None = None
    turn: int | None = None
    #: As for `MoreTime`.
    until: int | None = None


class StepIn(OnCheck, kw_only=True):
    """Make a choice after a result, at a stage that the check has passed.

    `bot.services.stepping_in` carries the action out.
    """

    stage: str
    prompt: str
    option: str
    #: Revision of the check as it was shown.
    revision: int
    #: Character for whom the choice is made; empty for the GMs.
    as_: str = ""
    #: Participant whose choice a GM lets in, though something has happened since.
    asked_by: str = ""
    #: Number of the entry of the participant's question.
    question: int = 0
    #: Number of the entry that made the result. The bot fills it in.
    entry: int = 0
    #: Choices made since the result. The bot fills them in.
    earlier: tuple[StepInChoice, ...] = ()


class AskToStepIn(OnCheck, kw_only=True):
    """Ask the GMs to let in a choice that comes too late; the fields are those of `StepIn`."""

    stage: str
    prompt: str
    option: str
    revision: int
    as_: str = ""


class RefuseStepIn(OnCheck, kw_only=True):
    """Refuse a choice that comes too late."""

    #: Participant who asked.
    asked_by: str
    #: Number of the question's entry.
    question: int


class EndCheck(OnCheck, kw_only=True):
    """End an open check at any stage, for a GM."""


class CloseChecks(Action, kw_only=True):
    """Answer open checks as the clock would, for a GM. Checks that then still wait end."""

    checks: tuple[str, ...]


class SetOrder(OnCharacter, kw_only=True):
    """Set a standing order."""

    #: Key of the prompts that it answers.
    prompt: str
    option: str
    #: Values of the option's form.
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    #: Resource of which points have to be left; empty for none.
    keep: str = ""
    #: Points that have to be left.
    keep_amount: int = 0
    #: Answer if the option is not offered or would not leave enough points; None: ask.
    otherwise: str | None = "pass"
    #: Kind of the checks; empty for every kind.
    kind: str = ""

    @property
    def offers_take_back(self) -> bool:
        return True


class TakeBackOrder(OnCharacter, kw_only=True):
    """Remove the standing order for a prompt and kind."""

    prompt: str
    kind: str = ""

    @property
    def offers_take_back(self) -> bool:
        return True


class AskForNpc(Action, kw_only=True):
    """Have the GMs asked for an NPC, or with `ask` False have it pass as NPCs do."""

    npc: str
    ask: bool = True


class AskMe(OnCharacter, kw_only=True):
    """Have a character's player asked before results stand, and at the start of each round.

    None leaves a switch as it is.
    """

    results: bool | None = None
    rounds: bool | None = None


class SetAway(Action, kw_only=True):
    """Begin an absence of a participant, or with `back` end it."""

    back: bool = False
    #: End of the absence, in seconds since 1970; None: until the participant is back.
    until: int | None = None
    note: str = ""
    #: Participant whom a GM treats as away, until the participant's next act; empty: the actor.
    person: str = ""


class NoteDeparture(Action, kw_only=True):
    """Note that a participant has left the server. Only the system does it."""

    #: The participant.
    person: str


class SetWords(OnCharacter, kw_only=True):
    """Leave word what a character should do while its player is away; empty: no word."""

    words: str

    @property
    def offers_take_back(self) -> bool:
        return True


class Say(Action, kw_only=True):
    """Say something as a character, for everybody in the place."""

    text: str
    #: Name of the character, as typed; None for the main character.
    as_: str | None = None
    #: Whether links may show previews, as the participant's rights on the server have it.
    embeds: bool = True


class EditSaid(Action, kw_only=True):
    """Replace the text of one's own words."""

    #: Id of what was said.
    said: str
    text: str


class Unsay(Action, kw_only=True):
    """Delete one's own words."""

    #: Id of what was said.
    said: str
    #: Numbers of the entries that said and edited it. The bot fills them in.
    entries: tuple[int, ...] = ()


class Delegate(OnCharacter, kw_only=True):
    """Let another participant answer for a character, or with `back` no longer."""

    #: The stand-in.
    to: str
    #: End of the permission, in seconds since 1970; None: for good.
    until: int | None = None
    back: bool = False


class Due(Action, kw_only=True):
    """Act on a wait that the clock has reached. Only the system does it."""

    #: Id of the wait.
    wait: str
    #: Of a claim: the claimant may no longer manage the server. The bot asks Discord.
    barred: bool = False


class Undo(Action, kw_only=True):
    """Undo an entry of the journal and, if asked, the entries that depend on it.

    The state alone doesn't hold what was there before, so the journal's service carries this out.
    `rules.table.journal.undo` says what is allowed.
    """

    #: Number of the entry; None: the last.
    entry: int | None = None
    #: Whether dependent entries may be undone too.
    all_dependents: bool = False
    #: Numbers of the undone entries, newest first. If they are given beforehand, an undo that takes
    #: others along is refused.
    entries: tuple[int, ...] = ()
    #: Action and actor of each entry, empty for those that the audience didn't know. The service
    #: fills them in.
    kinds: tuple[tuple[str, str], ...] = ()
    #: Step of a check in each entry that all participants knew. The service fills them in.
    deeds: tuple[StepView | None, ...] = ()


class AskForCorrection(Action, kw_only=True):
    """Ask the GMs to correct an entry of the journal, which the actor was told of."""

    #: Number of the entry.
    entry: int
    text: str


class DismissCorrection(Action, kw_only=True):
    """Leave an entry as it is that a player asked to correct, for a GM."""

    #: Number of the entry.
    entry: int
    #: Participant who asked.
    to: str


class EntryChange(Record):
    """Other values of an entry of the journal. Who acted and when always stay."""

    #: Number of the entry.
    entry: int
    #: Option to choose instead; empty for the same option.
    option: str = ""
    #: New values by the keys of the entry's form, as the action holds them.
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    #: Keys of values that it no longer has.
    without: tuple[str, ...] = ()


class LateStep(Record):
    """A late choice in a finished check that a GM lets in as an amendment of the result's entry."""

    check: str
    stage: str
    prompt: str
    option: str
    #: Revision of the check when it was asked for.
    revision: int
    #: Character for whom it is made.
    who: str
    #: Participant who asked for it.
    by: str
    #: Number of the question's entry.
    question: int
    #: Choices that were let in before, oldest first.
    earlier: tuple[StepInChoice, ...] = ()


class Amend(Action, kw_only=True):
    """Change an entry of the journal, or undo it alone, and keep the later entries, for a GM.

    `bot.services.amendment` carries the action out. `rules.table.amendments.limits` says what is
    allowed.
    """

    #: Number of the entry.
    entry: int
    #: Whether the entry is undone. Otherwise it gets `option` and `values`.
    undo: bool = False
    #: Option that an answer chooses instead; empty for the same option.
    option: str = ""
    #: New values by the keys of the entry's form, as typed or picked.
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    #: Keys of values that the entry no longer has.
    without: tuple[str, ...] = ()
    #: Other values of later entries, which could not stand otherwise.
    also: tuple[EntryChange, ...] = ()
    #: Late choice that is made right after the result, which the entry made.
    late: LateStep | None = None
    #: Later entries that the GM leaves out, because they were decided on other grounds.
    left_out: tuple[int, ...] = ()
    #: Digest of the preview that the GM has confirmed.
    preview: str = ""
    #: Numbers of all entries that are undone by it. The service fills them in.
    gone: tuple[int, ...] = ()
    #: Reason for the correction. All who are told of the correction read it.
    reason: str = ""
