"""A check as the table keeps it: an envelope that shared code reads, the data of its rules, and the
open prompts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Generic, Literal, TypeVar

from rules.core.record import Record, field

Visibility = Literal["public", "private", "blind"]
#: How much of a roll against a hidden difficulty the players see: dice and total with the bare
#: verdict; the verdict with its degree but without dice and total; or everything, the number
#: included.
Reveal = Literal["verdict", "degree", "all"]
#: Which of the table's times a prompt has: an answer is only waited for, with a reminder, in whose
#: place its default comes where it has one; the window for reactions; the window for what a hit
#: does.
Wait = Literal["answer", "react", "hit"]
#: Who gave an answer: somebody, a standing order, or the clock.
AnsweredBy = Literal["self", "order", "clock"]
#: Who may know of something: everybody (None), the GMs (empty), or those who play these characters,
#: and the GMs.
Viewers = tuple[str, ...] | None
#: What an option was filled in with, as its form has read it.
Values = Mapping[str, Any]

#: Among those asked: the GMs together, for the table and for all their NPCs.
ANY_GM: Final = ""
#: The stage in which nothing can happen any more.
OVER: Final = "over"
#: As a jump: to where the stage goes on, whatever it would ask yet.
NEXT: Final = "next"
#: "Nothing to add": answers a prompt without choosing anything.
PASS: Final = "pass"
#: The prompt to which dice lie open.
REACT: Final = "react"

D = TypeVar("D")


class Prompt(Record):
    """Somebody is asked something. `who`: characters, or GMS for the GMs.

    An NPC's id asks its GMs as any other's player, and passes by order where `default` is a pass;
    GMS is asked always. `wait` None is an offer: nobody is waited for; with `who` None it is for
    whoever has an option. `default` is what the clock answers, a pass where that is not offered;
    None: it only reminds. What is chosen in a `secret` prompt, and by whom, nobody hears before the
    stage is over. To those who may not know of a prompt (`seen`) the check looks as if it had gone
    on. `button` is the code of what a button on the public card says, where that is no secret;
    without one it stands behind the neutral one. What is `fresh` is about what the check shows:
    with every choice it has a new number, and a panel opened before is out of date. Where it is
    `shown`, its options are no secret either: each stands on the card with a button of its own.
    """

    key: str
    who: tuple[str, ...] | None = (ANY_GM,)
    wait: Wait | None = "answer"
    default: str | None = None
    secret: bool = False
    visible_to: Viewers = None
    button: str | None = None
    versioned: bool = False
    shown: bool = False


class OpenPrompt(Record):
    """A prompt that is open. `number` is the check's revision at which it was opened or reopened.

    Buttons and drafts carry the number, so that what others do meanwhile puts nobody's panel out of
    date. At `due` the clock answers, or reminds where there is no default; at `remind` it reminds
    before that. `passed` have nothing to add; answers are in the check's data, and the stage's
    `ask` knows of them. `ordered` are those whose standing order has been asked in this opening.
    `named` were asked since it was opened: in a secret prompt they are named as long as it is open,
    whoever has answered.
    """

    prompt: Prompt
    number: int
    since: int
    due: int | None = None
    remind: int | None = None
    passed: tuple[str, ...] = ()
    ordered: tuple[str, ...] = ()
    named: tuple[str, ...] = ()

    @property
    def waiting_for(self) -> tuple[str, ...]:
        """Who is waited for; nobody for an offer."""
        prompt = self.prompt
        if prompt.wait is None or not prompt.who:
            return ()
        if not self.passed:
            return prompt.who
        return tuple([each for each in prompt.who if each not in self.passed])


class Check(Record, Generic[D]):
    """Something that takes its course, from the idea to what comes of it.

    `actor` is a character's id, empty where it is nobody's: a round, a deal. `by` is the
    participant who began it. `since` is when the present stage began, in seconds since 1970;
    `round` that of the place's encounter in which it began. `revision` grows with every change that
    others may notice. `reveal` is fixed when it is answered; `hidden` tells that the GM's number
    is. Of what is `gm_only` players never hear. `number` counts all that ever began. Whoever plays
    one of `apart` by now did not then, and hears nothing of it for that.
    """

    id: str
    kind: str
    place: str
    by: str
    stage: str
    stage_started_at: int
    data: D
    actor: str = ""
    round: int | None = None
    revision: int = 1
    asked: tuple[OpenPrompt, ...] = ()
    target: str | None = None
    visibility: Visibility = "public"
    hidden: bool = False
    reveal: Reveal = "verdict"
    gm_only: bool = False
    approach: str = ""
    note: str = ""
    number: int = 0
    excluded_players: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        return self.stage != OVER

    def prompt(self, key: str) -> OpenPrompt | None:
        """The open prompt of that key."""
        for each in self.asked:
            if each.prompt.key == key:
                return each
        return None


AnyCheck = Check[Any]


class Choice(Record):
    """What somebody answers to a prompt; `values` are what the option's form has read."""

    prompt: str
    option: str
    who: str = ANY_GM
    values: Values = field(default_factory=dict[str, Any])
    how: AnsweredBy = "self"


class Cost(Record):
    """So many points of a resource: checked and paid before the choice, by whoever chooses or by
    `who`.
    """

    resource: str
    amount: int = 1
    who: str | None = None


class Order(Record):
    """A standing answer: to prompts of this key, in checks of this `kind` (empty: of every kind).

    `keep` is a resource with how much of it has to be left afterwards. Where the option is not
    offered, or `keep` forbids it, `otherwise` is answered; None: whoever gave the order is asked.
    """

    prompt: str
    option: str = PASS
    values: Values = field(default_factory=dict[str, Any])
    keep: tuple[str, int] | None = None
    otherwise: str | None = PASS
    kind: str = ""


class Delegation(Record):
    """A participant (`to`) may answer for a character, until then (seconds since 1970; None: for
    good).
    """

    to: str
    until: int | None = None


class Away(Record):
    """Somebody is away, from then until then (seconds since 1970; None: until they are back);
    `note`: why.
    """

    since: int
    until: int | None = None
    note: str = ""


class Orders(Record):
    """What was arranged beforehand for a character, or by a participant (`away`): the part
    `orders:<who>`.

    `ask`: the GMs want to be asked for this NPC, which passes otherwise.
    """

    given: tuple[Order, ...] = ()
    delegated: tuple[Delegation, ...] = ()
    away: Away | None = None
    ask: bool = False
