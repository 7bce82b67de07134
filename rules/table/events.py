"""What happened, and who may know it. Events are all that presenters ever see of a change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rules.core.record import Record, field
from rules.core.rng import Die
from rules.table.blocks import EVERYONE, Audience, Block, Ref, Text, Value
from rules.table.blocks import GMS as GMS
from rules.table.check import AnsweredBy, Visibility


class Event(Record, kw_only=True):
    """`by` is whoever did it, a participant or `system`; `ping` are whom it calls to act,
    `ping_gms` calls the GMs.

    A `quiet` event needs no message of its own where there is no private place for it: it can be
    looked up.
    """

    by: str = ""
    audience: Audience = EVERYONE
    ping: tuple[str, ...] = ()
    ping_gms: bool = False
    quiet: bool = False
    #: GMs who aren't called because they are away.
    spared: tuple[str, ...] = ()


class _About(Event):
    what: str
    params: Mapping[str, Value] = field(default_factory=dict[str, Value])


class Notice(_About, kw_only=True):
    """Something of which the table only hears: the card `what` says it with `params`, and `lines`
    of what changed.

    `note` is what whoever did it gave as the reason, `characters` are the ids of those whom it
    concerns.
    """

    lines: tuple[Text, ...] = ()
    note: str = ""
    characters: tuple[str, ...] = ()


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
    "stalled",
]


class BoardChanged(Event, kw_only=True):
    """A step in the order of action of a place.

    A call is a "turn" or "reminded" step. The clock takes the steps "lapsed" (it ended a turn),
    "stalled" (it leaves the turn or round to the GMs), and a "delayed" step by the system.
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
    #: "passed": effects at a turn's or round's end or beginning, or at the end of the order. Call:
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
    #: Name of the character whose turn just ended; "" for one whom not everybody knows, None if no
    #: turn ended.
    done: str | None = None
    #: The player's character called has nothing left to act with.
    spent: bool = False
    #: News of the round that begins with the call.
    news: tuple[Text, ...] = ()
    #: Owner who is away, while a stand-in or the GMs are called instead.
    away: str | None = None
    #: Names of players' characters whom the end of a "stalled" turn would kill.
    would_kill: tuple[str, ...] = ()

    @property
    def calls(self) -> bool:
        return self.step in ("turn", "reminded")


class Produced(Event, kw_only=True):
    """Something was drawn from one of the system's tables: its lines, the dice, and who sees it."""

    what: str
    visibility: Visibility
    lines: tuple[Text, ...] = ()
    dice: tuple[Die, ...] = ()


class Reported(Event, kw_only=True):
    """What a command of a system's own has done: what it is about, and how that stands.

    `button` goes on with the system's `command`, saying `values`; without one there is nothing to
    press.
    """

    title: Text
    blocks: tuple[Block, ...]
    button: Text | None = None
    command: str = ""
    values: Mapping[str, int | str] = field(default_factory=dict[str, int | str])
    #: More buttons: what each says, and the values with which it runs the command.
    others: tuple[tuple[Text, Mapping[str, int | str]], ...] = ()
    #: Kind of check that the button begins in place of a command, and the id of its character.
    begins: tuple[str, str] | None = None


class DiceRolled(Event, kw_only=True):
    """An expression was thrown. `text` is what was thrown, `faces` what its dice showed, in the
    order they fell.

    `name` is the character as this audience knows them, None where the participant rolled for
    themselves; `characters` has that character's id. Without `totals` the result is not for this
    audience.
    """

    text: str
    visibility: Visibility
    faces: tuple[int, ...] = ()
    totals: tuple[int, ...] = ()
    reason: str = ""
    name: str | None = None
    characters: tuple[str, ...] = ()


class RollSaved(Event, kw_only=True):
    """An expression is kept under a name now, or with empty `dice` no more; `rolls` are all that
    are kept.

    `ready`: whoever keeps it could roll it now.
    """

    name: str
    dice: str
    rolls: tuple[tuple[str, str], ...]
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
    """Something was done with the cards of a deck, `count` of them; `cards` names those this
    audience may know.

    `to` is whom a card was offered to, or who took it; `giver` whoever offered it. `hand` is how
    many cards `by` holds now, `left` how many lie in the draw pile. Where it was shuffled, `order`
    counts the deck's orders and `commitment` is the SHA-256 of the seed of this one; `cards` is how
    they lay before, where everybody saw them.
    """

    step: CardsStep
    deck: str
    count: int = 0
    cards: tuple[str, ...] = ()
    to: str | None = None
    giver: str | None = None
    offer: int = 0
    hand: int = 0
    left: int = 0
    order: int = 0
    commitment: str = ""


#: Kind of a step of a check. `passed`: a participant has nothing to add; `moved`: it came to
#: another stage by itself; `over`: nothing can happen to it any more; `ended`: a GM ended it;
#: `reopened`: an undo brought it back; `stalled`: the last reminder, which calls the GMs too;
#: `called`: a stand-in or the GMs are called in place of a player who is away.
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
    "ended",
]


class StepView(Record):
    """One thing that happened on the way, as an audience may know it: for whom (`who`), and in
    words.

    `how`: by themselves, by their standing order, by the clock, or by whoever answers for them.
    `kind` is the check's, where this is told without it.
    """

    step: StepKind
    who: Ref | None = None
    said: Text | None = None
    how: AnsweredBy | Literal["stand-in"] = "self"
    kind: str = ""
    #: The participant who is away, if it was taken because of that.
    by: str = ""


class Shown(Record):
    """An option that stands on the card of a check: what it means, and what its button says."""

    value: str
    line: Text
    button: Text


class Awaited(Record):
    """A prompt as an audience may know of it: who is asked, by name, the GMs (`gms`) at once for
    all their NPCs.

    `people` are the participants who play those who are asked. Nobody is waited for in an offer: it
    has neither. Without a `button` it stands behind the neutral one. While one of them `reacts`,
    dice that lie there may change. `choices` are what they may answer, where that is no secret.
    """

    prompt: str
    number: int
    who: tuple[Ref, ...] = ()
    people: tuple[str, ...] = ()
    gms: bool = False
    due: int | None = None
    button: str | None = None
    reacts: bool = False
    choices: tuple[Shown, ...] = ()
    #: Participants who are asked and away, without a stand-in.
    away: tuple[str, ...] = ()


class CheckChanged(Event, kw_only=True):
    """A step of a check, with nothing hidden from its audience. `by`: a participant or `system`."""

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
    #: The check after the step, with names put in.
    blocks: tuple[Block, ...] = ()
    #: The open prompts.
    asked: tuple[Awaited, ...] = ()
    #: The step told something new: its player can't undo it, unless it is `computable`.
    revealed: bool = False
    #: Players could compute what was revealed: its player may undo the step.
    computable: bool = False
    #: Nothing more can happen in the check, as far as this audience may know.
    over: bool = False
    #: The card needs the neutral button.
    react: bool = False
    #: Participants who want a say before the check stands.
    held_by: tuple[str, ...] = ()
    #: Until when the result may still be changed; None: it may not.
    step_in_until: int | None = None
    actor: Ref | None = None
    owner: str | None = None
    target: Ref | None = None
    #: Ids of the actor and the target, as far as this audience knows them.
    characters: tuple[str, ...] = ()
    visibility: Visibility = "public"
    gm_only: bool = False
    #: Other audiences of the check hear nothing of the step, and see no change on its card.
    secret: bool = False


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


class Undone(Event, kw_only=True):
    """Entries of the journal were taken back; `entries` are their numbers, newest first, `kinds`
    their actions and by whom, `deeds` what these did in a check.

    `cards` tells that a draw pile is as it was, though players may have seen it since; `by_gm`
    that a GM did it; `rolled` that dice were thrown.
    """

    entries: tuple[int, ...]
    by_gm: bool = False
    cards: bool = False
    kinds: tuple[tuple[str, str], ...] = ()
    deeds: tuple[StepView | None, ...] = ()
    rolled: bool = False
