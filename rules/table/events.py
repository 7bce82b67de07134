"""Events: what happened, and who may know it. Presenters see nothing else of a change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rules.core.record import Record, field
from rules.core.rng import Die
from rules.table.blocks import EVERYONE, Audience, Block, Ref, Text, Value, Verdict
from rules.table.blocks import GMS as GMS
from rules.table.check import AnsweredBy, RolledHow, Visibility


class Event(Record, kw_only=True):
    """Base class of all events."""

    #: Participant who did it, or `system`.
    by: str = ""
    audience: Audience = EVERYONE
    #: Participants that the event calls to act.
    ping: tuple[str, ...] = ()
    #: Whether the event calls the GMs to act.
    ping_gms: bool = False
    #: Whether the event needs no message without a private place for it, as it can be looked up.
    quiet: bool = False
    #: GMs who aren't called because they are away.
    spared: tuple[str, ...] = ()


class _About(Event):
    #: Code of the message.
    what: str
    #: Parameters of the message.
    params: Mapping[str, Value] = field(default_factory=dict[str, Value])


class Notice(_About, kw_only=True):
    """A message about something that needs no answer."""

    #: Lines on what has changed.
    lines: tuple[Text, ...] = ()
    #: Reason that the actor gave.
    note: str = ""
    #: Ids of the characters concerned.
    characters: tuple[str, ...] = ()
    #: Place in which it is told; empty for the action's own.
    place: str = ""


BoardStep = Literal[
    "started",
    "joined",
    "added",
    "party",
    "ordered",
    "turn",
    "begun",
    "delayed",
    "returned",
    "removed",
    "ended",
    "passed",
    "reminded",
    "held",
    "spent",
    "lapsed",
    "timed-out",
    "stalled",
    "done",
]


class BlockMember(Record):
    """A player's character in a block: their turns come in any order."""

    #: Id of the character.
    who: str
    name: str
    #: Condition of the character.
    lines: tuple[Text, ...] = ()
    #: Owner who is away, while a stand-in or the GMs are called instead.
    away: str | None = None
    #: Its turn is over, or its player has ended it.
    done: bool = False
    #: Its turn is delayed.
    waits: bool = False


class BoardChanged(Event, kw_only=True):
    """A step in the encounter of a place.

    A call is a "turn" or "reminded" step. The clock takes the steps "lapsed" (it ended a turn),
    "timed-out" (it ended a turn that was used, and no player is called next), "stalled" (it leaves
    the turn or round to the GMs), and a "delayed" step by the system.
    "done": a turn in a block is over, while others of the block are left.
    """

    step: BoardStep
    place: str
    #: Name of the character concerned, as this audience knows it; None for an unknown one, and for
    #: a "stalled" round.
    name: str | None = None
    #: Id of a character so named, in events for more than the actor.
    characters: tuple[str, ...] = ()
    #: Round; on a `timeline` the phase.
    round: int = 1
    #: "passed": effects of a turn's or round's end or beginning, or of the encounter's end. Call:
    #: the condition of the character. "held", "stalled": checks that keep the turn from ending.
    #: "spent": what the character may still do in the round.
    lines: tuple[Text, ...] = ()
    timeline: bool = False
    #: On a timeline, the action that the character has begun or finished.
    doing: str = ""
    #: Number of the turn that the call is for.
    turn: int = 0
    #: The call is for a player's character.
    player: bool = False
    #: Public name of the character next after the one called.
    after: str = ""
    #: Name of the character whose turn just ended; "" for one that players don't know, None if no
    #: turn ended.
    done: str | None = None
    #: The player's character called has nothing left to act with.
    spent: bool = False
    #: News of the round that begins with the call.
    news: tuple[Text, ...] = ()
    #: Owner who is away, while a stand-in or the GMs are called instead.
    away: str | None = None
    #: Names of players' characters that the end of a "stalled" turn would kill.
    would_kill: tuple[str, ...] = ()
    #: Whether the player on turn, who is reminded, can take more time.
    more_time: bool = False
    #: Reminder: time at which the clock ends the turn, in seconds since 1970. None: it doesn't.
    due: int | None = None
    #: Call: the characters of the block, in order; empty for a turn of one character. "done": those
    #: who are left. "delayed", "lapsed": those whose time ran out together.
    block: tuple[BlockMember, ...] = ()

    @property
    def calls(self) -> bool:
        return self.step in ("turn", "reminded")


class Produced(Event, kw_only=True):
    """A result drawn from one of the system's tables."""

    #: Key of the table.
    what: str
    visibility: Visibility
    lines: tuple[Text, ...] = ()
    dice: tuple[Die, ...] = ()


class Reported(Event, kw_only=True):
    """Report on a command of a system."""

    title: Text
    blocks: tuple[Block, ...]
    #: Label of the button that goes on; None: no button.
    button: Text | None = None
    #: Command that the button runs.
    command: str = ""
    #: Values with which the button runs the command.
    values: Mapping[str, int | str] = field(default_factory=dict[str, int | str])
    #: More buttons: the label of each, and the values with which it runs the command.
    others: tuple[tuple[Text, Mapping[str, int | str]], ...] = ()
    #: Kind of check that the button begins in place of a command, and the id of its character.
    begins: tuple[str, str] | None = None


class DiceRolled(Event, kw_only=True):
    """A free roll of an expression."""

    #: Expression that was rolled.
    text: str
    visibility: Visibility
    #: Faces of the dice in the order in which they fell.
    faces: tuple[int, ...] = ()
    #: Results; empty if they aren't for this audience.
    totals: tuple[int, ...] = ()
    reason: str = ""
    #: Name of the character, as this audience knows it; None for a roll of the participant.
    name: str | None = None
    #: Id of the character, if there is one.
    characters: tuple[str, ...] = ()


class RollSaved(Event, kw_only=True):
    """A change of a participant's saved rolls."""

    name: str
    #: Expression of the roll; empty if the roll was deleted.
    dice: str
    #: All saved rolls of the participant: name and expression.
    rolls: tuple[tuple[str, str], ...]
    #: Whether the participant could roll it now.
    ready: bool = True


CardsStep = Literal[
    "drawn",
    "shown",
    "played",
    "offered",
    "taken",
    "returned",
    "discarded",
    "shuffled",
    "reshuffled",
    "gathered",
]


class CardsMoved(Event, kw_only=True):
    """A step with cards of a deck."""

    step: CardsStep
    deck: str
    #: Number of cards.
    count: int = 0
    #: Cards that this audience may know. Of a shuffle, their former order, if all players saw it.
    cards: tuple[str, ...] = ()
    #: Participant who was offered a card, or who took it.
    to: str | None = None
    #: Participant who offered the card.
    giver: str | None = None
    #: Number of the offer.
    offer: int = 0
    #: Number of cards in the actor's hand now.
    hand: int = 0
    #: Number of cards in the draw pile now.
    left: int = 0
    #: Number of the deck's order, after a shuffle.
    order: int = 0
    #: SHA-256 of the seed of this order, after a shuffle.
    commitment: str = ""


#: Kind of a step of a check. `passed`: a participant has nothing to add; `moved`: it came to
#: another stage by itself; `over`: no more steps are possible; `ended`: a GM ended it;
#: `reopened`: an undo brought it back; `stalled`: the last reminder, which calls the GMs too;
#: `called`: a stand-in or the GMs are called in place of a player who is away; `carried`: it goes
#: on in another place.
StepKind = Literal[
    "begun",
    "chosen",
    "passed",
    "moved",
    "over",
    "reminded",
    "stalled",
    "called",
    "reopened",
    "carried",
    "ended",
]


class StepView(Record):
    """A step of a check, as an audience may know it."""

    step: StepKind
    #: Character for whom the step was taken.
    who: Ref | None = None
    #: The step in words.
    said: Text | None = None
    #: Source of the step: the player, a standing order, the clock, an absence, or a stand-in.
    how: AnsweredBy | Literal["stand-in"] = "self"
    #: Kind of the check, for a step that is shown without its check.
    kind: str = ""
    #: The participant who is away, if the step was taken because of that.
    by: str = ""


class ShownOption(Record):
    """An option on the message of a check."""

    value: str
    #: Meaning of the option.
    line: Text
    #: Label of its button.
    button: Text


class PromptView(Record):
    """An open prompt, as an audience may know it.

    An offer, which waits for no participant, has neither `who` nor `people`.
    """

    prompt: str
    number: int
    #: Names of the characters who are asked.
    who: tuple[Ref, ...] = ()
    #: Participants who play them.
    people: tuple[str, ...] = ()
    #: Whether the GMs are asked, for all their NPCs at once.
    gms: bool = False
    due: int | None = None
    #: Code of its button's text; None: it stands behind the React button.
    button: str | None = None
    #: Whether an answer may change dice that have been rolled.
    reacts: bool = False
    #: Options, unless they are secret.
    choices: tuple[ShownOption, ...] = ()
    #: Participants who are asked and away, without a stand-in.
    away: tuple[str, ...] = ()
    #: Whether the players who are asked can still take more time.
    more_time: bool = False
    #: What the clock does when the prompt is `due`; None: nothing that may be told.
    default: Text | None = None


class CheckChanged(Event, kw_only=True):
    """A step of a check, with nothing that is hidden from its audience."""

    check: str
    kind: str
    place: str
    step: StepKind
    #: A GM took the step.
    by_gm: bool = False
    #: Character for whom the step was taken.
    who: Ref | None = None
    #: The step in words.
    said: Text | None = None
    #: The step and all that followed from it, in order.
    took: tuple[StepView, ...] = ()
    #: The check after the step, with names in place of ids.
    blocks: tuple[Block, ...] = ()
    #: The open prompts.
    asked: tuple[PromptView, ...] = ()
    #: The step told something new: its player can't undo it, unless it is `computable`.
    revealed: bool = False
    #: Players could compute what was revealed: its player may undo the step.
    computable: bool = False
    #: No more steps are possible, as far as this audience may know.
    over: bool = False
    #: The message needs the React button.
    react: bool = False
    #: Participants who want to be asked before the result is final.
    held_by: tuple[str, ...] = ()
    #: Last time to change the result, in seconds since 1970; None: it can't be changed.
    step_in_until: int | None = None
    actor: Ref | None = None
    owner: str | None = None
    target: Ref | None = None
    #: Ids of the actor and the target, as far as this audience knows them.
    characters: tuple[str, ...] = ()
    visibility: Visibility = "public"
    gm_only: bool = False
    #: Other audiences of the check aren't told of the step, and see no change on its message.
    secret: bool = False
    #: Id of the roll call that it belongs to, whose message shows it; empty for a check of its own.
    group: str = ""


class RollCallLine(Record):
    """A check of a roll call, as all participants see it."""

    view: CheckChanged
    #: Its dice have fallen.
    rolled: bool = False
    #: The clock rolled them.
    by_clock: bool = False
    #: Source of the answer that rolled them.
    how: RolledHow = "self"
    #: Skill of the call that the character lacks and rolls without; empty for none.
    lacks: str = ""


class RollCallChanged(Event, kw_only=True):
    """A roll call, with a line for each check in the order of the call. All participants see it."""

    #: Id of the roll call.
    call: str
    place: str
    #: Names of the traits that are rolled with.
    traits: tuple[str, ...] = ()
    #: What the GM said about it.
    text: str = ""
    #: Participant who has typed the text.
    author: str = ""
    #: Time at which the missing dice are rolled, or given up; None once nothing is missing, while
    #: the clock is paused, and without such a time.
    until: int | None = None
    #: The clock rolls the missing dice then; else they count as not rolled.
    rolls: bool = True
    lines: tuple[RollCallLine, ...] = ()
    #: It calls players to what they were called to before.
    again: bool = False
    #: The call has just been made.
    begun: bool = False


class SealRead(Event, kw_only=True):
    """A sealed text of a roll call, for a player whose character has succeeded."""

    #: Id of the roll call.
    call: str
    place: str
    #: Name of the character.
    name: str
    text: str
    #: Participant who has typed the text.
    author: str = ""


class StepInAsked(Event, kw_only=True):
    """A player's question to the GMs: whether to let in a choice that comes too late."""

    check: str
    place: str
    stage: str
    prompt: str
    option: str
    #: Revision of the check as the player saw it.
    revision: int
    #: Character for whom the choice is made; empty for the GMs.
    who: str = ""
    #: The choice in words.
    said: Text | None = None
    #: Numbers of the later entries that would be undone.
    undoes: tuple[int, ...] = ()
    #: Number of the entry in which it was asked.
    question: int = 0


class StepInDecided(Event, kw_only=True):
    """A GM has let in or refused a choice that came too late."""

    check: str
    let_in: bool
    #: Number of the entry in which it was asked for.
    question: int = 0


class ChangedResult(Record):
    """Result of a check that is another one than its audience was told before."""

    #: Id of the check.
    check: str
    verdict: Verdict
    #: Character whose result it is; None without one.
    who: Ref | None = None


class Undone(Event, kw_only=True):
    """An undo of entries of the journal."""

    #: Numbers of the entries, newest first.
    entries: tuple[int, ...]
    by_gm: bool = False
    #: Whether a draw pile is as before, though players may have seen its cards since.
    cards: bool = False
    #: Action and actor of each entry.
    kinds: tuple[tuple[str, str], ...] = ()
    #: Step of a check in each entry, if there is one.
    deeds: tuple[StepView | None, ...] = ()
    #: Whether dice were rolled in the entries.
    rolled: bool = False
    #: Results that are others for this audience, as undone corrections had changed them.
    results: tuple[ChangedResult, ...] = ()


class Said(Event, kw_only=True):
    """Words of a character, new or edited."""

    #: Id of what was said; an edit keeps it.
    said: str
    #: Name of the character as everybody knew it.
    name: str
    text: str
    place: str
    #: Time at which it was first said, in seconds since 1970.
    at: int
    #: The text is said out of character, and no part of the story.
    aside: bool = False
    edited: bool = False
    #: Web address of the character's picture; empty without one.
    portrait: str = ""
    #: Whether links may show previews.
    embeds: bool = True
    #: The character is an NPC.
    npc: bool = False
    #: Id of the character; empty for an edit.
    characters: tuple[str, ...] = ()


class Unsaid(Event, kw_only=True):
    """A participant has deleted their own words."""

    said: str
    #: Name of the character as everybody knew it.
    name: str
    place: str
    #: Numbers of the entries that said and edited it.
    entries: tuple[int, ...] = ()


class AmendedEntry(Record):
    """An earlier entry that came out differently, as an audience may know it."""

    #: Number of the entry.
    seq: int
    #: Whether the entry is undone.
    gone: bool
    #: Action and actor of the entry.
    kind: str
    by: str
    #: Step of a check in the entry, if there is one.
    step: StepView | None = None
    #: Result of the check after the entry, as the audience knows it; None without a new one.
    verdict: Verdict | None = None
    #: Character whose result it is; None without a new one.
    who: Ref | None = None
    #: Web address of the entry's message. It is filled in when the event is told.
    link: str = ""
    #: What the entry did outside of checks, as it is now, if the audience was told otherwise.
    news: tuple[Block, ...] = ()
    #: First notice without lines that the entry gives now, under the same condition.
    notice: Notice | None = None


class Amended(Event, kw_only=True):
    """A change of an earlier entry, and of what came after it."""

    #: Place in which the entries were told.
    place: str
    #: Entries that are different for this audience, oldest first.
    entries: tuple[AmendedEntry, ...]
    #: Entries that are undone, whose messages are marked; newest first.
    gone: tuple[int, ...] = ()
    #: Whether new dice were rolled.
    rolled: bool = False
    #: The GM's reason; empty without one.
    reason: str = ""
    #: What beginnings, ends and summaries of scenes say now, with the audiences of their time. The
    #: story tells them in place of what was told then; no message shows them.
    scenes: tuple[Notice, ...] = ()
    #: Results that are others for this audience; None in older corrections, which tell the last
    #: verdict of their entries.
    results: tuple[ChangedResult, ...] | None = None
