"""Checks as the table stores them: an envelope for shared code, prompts and the rules' data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Generic, Literal, TypeVar

from rules.core.record import Record, field

Visibility = Literal["public", "private", "blind"]
#: Part of a roll against a hidden difficulty that the players see: dice and total with the bare
#: verdict; the verdict with its degree, without dice and total; or everything, with the number.
Reveal = Literal["verdict", "degree", "all"]
#: Characters that a prompt waits for. `answer`: all that it asks. `react`, to rolled dice: those
#: who decide about the dice. `means`: those who visibly have something to spend on it.
#: `rules.table.checks.waiting` finds them.
Wait = Literal["answer", "react", "means"]
#: Time that a prompt waits: the table's time for answers; the short time of a player who has just
#: rolled; the table's time to step in.
WaitTime = Literal["answer", "own-roll", "step-in"]
#: Source of an answer: a participant, a standing order, the clock, or the player's absence.
AnsweredBy = Literal["self", "order", "clock", "away"]
#: Source of the answer that made dice fall: as `AnsweredBy`, or the GM who ended a roll call.
RolledHow = Literal["self", "order", "clock", "away", "gm"]
#: Audience of something: all participants (None), the GMs (empty), or the GMs and the players of
#: these characters.
Viewers = tuple[str, ...] | None
#: Values of an option's form, as the form has read them.
Values = Mapping[str, Any]

#: Id of the GMs together, for the table and for all their NPCs, among those asked.
ANY_GM: Final = ""
#: Stage of a check that is over.
OVER: Final = "over"
#: Jump to the stage's successor, whatever the stage would still ask.
NEXT: Final = "next"
#: Answer to a prompt that chooses nothing.
PASS: Final = "pass"
#: Key of the prompt to react to rolled dice.
REACT: Final = "react"
#: Beginning of the keys of the parts that hold `Orders`.
ORDERS_PREFIX: Final = "orders:"
#: Beginning of the keys of the parts that hold a `StepInQuestion`; its number follows.
QUESTION_PREFIX: Final = "step-in:"

D = TypeVar("D")


class Prompt(Record):
    """A question that a stage of a check asks characters or the GMs."""

    key: str
    #: Characters who are asked, or `ANY_GM` for the GMs. An NPC's id asks its GMs. None: every
    #: character who has an option.
    who: tuple[str, ...] | None = (ANY_GM,)
    #: Characters of those asked that it waits for. None: it is an offer, which waits for none.
    wait: Wait | None = "answer"
    #: Option that the clock answers, a pass if that is not offered. None: the clock only reminds.
    default: str | None = None
    #: The choice and its character are told only when the stage is over.
    secret: bool = False
    #: Participants who may know of the prompt. To all others the check seems to have gone on.
    visible_to: Viewers = None
    #: Code of the text on its own button on the public message. None: it stands behind React.
    button: str | None = None
    #: The prompt is about what the message shows: every choice gives it a new number, and a panel
    #: that was opened before is out of date.
    versioned: bool = False
    #: Its options are no secret: each stands on the message with a button of its own.
    shown: bool = False
    #: Character about whom a GM decides; empty for the actor of the check.
    about: str = ""
    #: Characters of `who` that it waits for. None: all. Filled in when a stage has asked.
    waits: tuple[str, ...] | None = None
    #: Time that it waits. Filled in with `waits`.
    time: WaitTime = "answer"
    #: The clock's answer takes something from those asked, so they get a last reminder.
    harms: bool = False
    #: A pass can lead to harm, so that no character passes only because the player is away.
    risks: bool = False
    #: An offer that calls those it asks by name, once.
    calls: bool = False

    @property
    def awaited(self) -> tuple[str, ...]:
        """Characters that the prompt waits for, including those that have answered."""
        return (self.who if self.waits is None else self.waits) or ()


class OpenPrompt(Record):
    """A prompt that is open in a check.

    The answers are in the check's data; the stage's `ask` knows of them.
    """

    prompt: Prompt
    #: The check's revision at which it was opened or reopened. Buttons and drafts carry it, so that
    #: what others do meanwhile does not put a panel out of date.
    number: int
    #: Time at which it was opened, in seconds since 1970.
    since: int
    #: Time at which the clock answers. None: never.
    due: int | None = None
    #: Times at which the clock reminds those waited for, past ones included, in order.
    reminders: tuple[int, ...] = ()
    #: Characters that have passed.
    passed: tuple[str, ...] = ()
    #: Characters whose standing order has been tried in this opening.
    ordered: tuple[str, ...] = ()
    #: Characters asked since it was opened. A secret prompt names them even after they have
    #: answered.
    named: tuple[str, ...] = ()
    #: Seconds by which pauses have put off the start of its time, `since`.
    put_off: int = 0
    #: Time that it has beyond the table's, in seconds.
    more: int = 0
    #: A player who is asked has taken more time. It's given once.
    extended: bool = False

    @property
    def waiting_for(self) -> tuple[str, ...]:
        """Characters that still have to answer; empty for an offer."""
        prompt = self.prompt
        if prompt.wait is None or not prompt.who:
            return ()
        if not self.passed:
            return prompt.awaited
        return tuple([who for who in prompt.awaited if who not in self.passed])

    def is_stalled(self, at: int) -> bool:
        """Return whether all reminders of a wait that the clock never answers are over."""
        waits = self.due is None and bool(self.reminders) and bool(self.waiting_for)
        return waits and self.reminders[-1] <= at


class HeldDeath(Record):
    """A death of a player's character that would follow from the clock's answer.

    Nothing of it is written: the GMs decide whether it stands.
    """

    #: Characters who would die.
    who: tuple[str, ...]
    #: Characters for which no participant has answered.
    silent: tuple[str, ...]
    #: Key of the prompt that the clock has answered.
    prompt: str
    #: Participants who may know of that prompt.
    visible_to: Viewers
    #: The prompts that were open then.
    asked: tuple[OpenPrompt, ...]
    #: The dice that fell: stream, number of values, value. They fall again if the death stands.
    dice: tuple[tuple[str, int, int], ...] = ()


class OutOfTurn(Record):
    """Turn during which a check began out of turn."""

    #: Character on turn, or the busy actor; empty if the slot has no character.
    who: str = ""
    #: Name of the slot on turn if it has no character.
    name: str = ""
    #: Phase until which the actor was busy; 0 if it was another actor's turn.
    ends: int = 0


class StepInChoice(Record):
    """A choice made after a result, at a stage that the check has passed."""

    stage: str
    prompt: str
    option: str
    #: Character for whom it was made.
    who: str
    #: Participant who made it.
    by: str
    #: Time at which it was made, in seconds since 1970.
    at: int
    #: Number of the journal's entry, whose seeds its dice come from.
    seq: int
    #: Key from which its dice are drawn, in place of a request's id.
    dice_key: str


class StepInNote(Record):
    """Note on a check's message about a choice made after the result."""

    #: Character for whom it was made.
    who: str
    #: Code of the text that describes the choice, and its values; empty for none.
    code: str
    params: Mapping[str, Any]
    #: Whether the result was a success before, as all saw; None: neither success nor failure.
    worked: bool | None


class StepInQuestion(Record):
    """Open question to the GMs: whether to let in a choice that comes too late."""

    #: Number of the entry in which it was asked.
    number: int
    check: str
    #: Participant who asked.
    by: str
    #: Time at which it was asked, in seconds since 1970; 0 if that isn't known.
    at: int = 0


class Check(Record, Generic[D]):
    """A check under way, from the proposal to its result: the envelope that shared code reads."""

    id: str
    #: Key of its procedure.
    kind: str
    #: Channel in which it was begun.
    place: str
    #: Participant who began it.
    by: str
    stage: str
    #: Start of the present stage, in seconds since 1970.
    stage_started_at: int
    #: The rules' own data of the check.
    data: D
    #: Id of the acting character; empty for a check without one: a round, a deal.
    actor: str = ""
    #: Round of the place's encounter in which it began.
    round: int | None = None
    #: Grows with every change that others may notice.
    revision: int = 1
    asked: tuple[OpenPrompt, ...] = ()
    target: str | None = None
    visibility: Visibility = "public"
    #: Only the GMs know the number to reach.
    hidden: bool = False
    #: Part of a roll against a hidden number that players see; fixed when the check is answered.
    reveal: Reveal = "verdict"
    #: Players never learn of the check.
    gm_only: bool = False
    approach: str = ""
    note: str = ""
    #: Number among all checks that ever began at the table.
    number: int = 0
    #: Participant whose answer made the dice fall, or would; empty for an order or the clock.
    rolled_by: str = ""
    #: Source of that answer.
    rolled_how: RolledHow = "self"
    #: Characters whose players want to be asked before the result is final.
    held_for: tuple[str, ...] = ()
    #: Choices made after a result, oldest first.
    step_ins: tuple[StepInNote, ...] = ()
    #: Time at which it was over; after several step-ins, the time of the first of them.
    final_since: int = 0
    #: Characters whose players learn nothing of it, because others played them when it began.
    excluded_players: tuple[str, ...] = ()
    #: Set if it was not the actor's turn when the check began. It is public.
    out_of_turn: OutOfTurn | None = None
    #: A death that waits for the GMs' decision. Until then nothing else is asked.
    held_death: HeldDeath | None = None
    #: The dice of a death that a GM left open. They fall again if the clock answers again; an
    #: answer of a player ends that.
    kept_dice: tuple[tuple[str, int, int], ...] = ()
    #: Seconds by which pauses have put off the time to step in, since `final_since`.
    put_off: int = 0
    #: Id of the roll call that it belongs to; empty for a check of its own.
    group: str = ""
    #: Number of the whisper scene in which it began; 0 for any other check.
    scene: int = 0
    #: Participants who are told of a check in a whisper scene, besides those who take part.
    hears: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        return self.stage != OVER

    @property
    def is_public(self) -> bool:
        """True if everybody in its place may know of the check."""
        return self.visibility == "public" and not self.gm_only

    def prompt(self, key: str) -> OpenPrompt | None:
        """Return the open prompt with a key; None if it is not open."""
        for opened in self.asked:
            if opened.prompt.key == key:
                return opened
        return None


AnyCheck = Check[Any]


class Choice(Record):
    """Answer to a prompt."""

    prompt: str
    option: str
    who: str = ANY_GM
    #: Values that the option's form has read.
    values: Values = field(default_factory=dict[str, Any])
    how: AnsweredBy = "self"


class Cost(Record):
    """Points of a resource that a choice costs. They are checked and paid before the choice."""

    resource: str
    amount: int = 1
    #: Character that pays; None: the character that chooses.
    who: str | None = None


class Order(Record):
    """Standing answer of a character to prompts of one key."""

    #: Key of the prompts.
    prompt: str
    option: str = PASS
    values: Values = field(default_factory=dict[str, Any])
    #: Resource, and points that have to be left afterwards.
    keep: tuple[str, int] | None = None
    #: Answer if the option is not offered or `keep` forbids it. None: the player is asked.
    otherwise: str | None = PASS
    #: Kind of the checks; empty for every kind.
    kind: str = ""


class Delegation(Record):
    """Permission of a participant to answer for a character."""

    #: The participant.
    to: str
    #: In seconds since 1970. None: for good.
    until: int | None = None


class Away(Record):
    """Absence of a participant."""

    #: In seconds since 1970.
    since: int
    #: In seconds since 1970. None: until the participant is back.
    until: int | None = None
    #: The reason.
    note: str = ""
    #: Place in which the participant announced it.
    place: str = ""
    #: GM who treats the participant as away, or `system` for one who has left the server. Such an
    #: absence ends with the participant's next act. Empty if the participant announced it.
    noted_by: str = ""


class Orders(Record):
    """Arrangements for a character, or of a participant (`away`): the part `orders:<who>`."""

    given: tuple[Order, ...] = ()
    delegated: tuple[Delegation, ...] = ()
    away: Away | None = None
    #: The GMs want to be asked for this NPC, which otherwise passes.
    ask: bool = False
    #: The character's player wants to be asked before results stand.
    ask_results: bool = False
    #: The character's player wants to be asked at the start of each round.
    ask_rounds: bool = False
    #: Answer to the next prompt of its key, carried out once, before all standing orders.
    planned: Order | None = None
    #: What the character should do while its player is away. Only the player and the GMs read it.
    words: str = ""
