"""What somebody may want done at a table. Frozen, complete, and enough to do it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rules.table.state import AnswerKind, Reveal, Visibility


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: a participant (`p1`, …) or `system`, and the role ids they hold on the server."""

    id: str
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """`place` is where it was said; `at` is when, in whole seconds since 1970 (UTC)."""

    who: Actor
    place: str
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTable(Action):
    """Open a table for a system; whoever does it becomes its first GM."""

    name: str
    system: str
    gm_place: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeGms(Action):
    """Add or remove one GM or one GM role. Role ids are the server's."""

    add: str | None = None
    remove: str | None = None
    add_role: str | None = None
    remove_role: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeOver(Action):
    """A manager of the server becomes GM of a table whose GMs have all left (checked by the caller)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSettings(Action):
    """Change what is not None. `gm_place` uses the empty string for none."""

    name: str | None = None
    live: bool | None = None
    reveal: Reveal | None = None
    remind_after: int | None = None
    window: int | None = None
    player_undo: bool | None = None
    gm_place: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePerson(Action):
    """A participant's own preference: results as plain text."""

    plain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportCharacter(Action):
    """Bring in a character as the system's JSON object. GMs may name another `owner` or make it the table's.

    The rules of creation hold for a newcomer among the players' characters, unless it has `grown` elsewhere.
    """

    data: dict[str, Any]
    owner: str | None = None
    npc: bool = False
    replace: bool = False
    grown: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UseCharacter(Action):
    """Make one of one's characters the one that acts by default."""

    character: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Propose(Action):
    """Say what a character tries. Options are as typed; the system reads them."""

    skill: str | None = None
    attribute: str | None = None
    difficulty: str | None = None
    approach: str = ""
    switches: tuple[str, ...] = ()
    modifier: int = 0
    as_: str | None = None
    visibility: Visibility = "public"


@dataclass(frozen=True, slots=True, kw_only=True)
class OnChallenge(Action):
    """Base of everything said about a challenge. `step` is the one that was shown to whoever acts."""

    challenge: str
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Revise(OnChallenge):
    """Change a proposal that nobody has answered, or answer what the GM asked back. None keeps what is there."""

    skill: str | None = None
    attribute: str | None = None
    difficulty: str | None = None
    approach: str | None = None
    switches: tuple[str, ...] | None = None
    modifier: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdraw(OnChallenge):
    """Take a proposal back before it is rolled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskBack(OnChallenge):
    """The GM wants to know more before answering."""

    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(OnChallenge):
    """The GM's answer; may be changed until the dice are rolled."""

    kind: AnswerKind
    difficulty: str | None = None
    switches: tuple[str, ...] = ()
    strike: tuple[str, ...] = ()
    modifier: int = 0
    hidden: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roll(OnChallenge):
    """Throw the dice for an answered challenge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend(OnChallenge):
    """Spend something the system offers at this point (`what`), with a choice where it has one."""

    what: str
    choice: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settle(OnChallenge):
    """Let the result stand: the owner, or a GM who closes the window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due(Action):
    """The clock has reached a wait (`wait` is its id). Only the system says this."""

    wait: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo(Action):
    """Take entries of the journal back: the one meant (None: the last) and, if asked, what depends on it.

    The table's state alone does not say what was there before, so the keeper of the journal carries this out
    (`rules.table.undo` says what is allowed); `entries` is filled in by it, newest first.
    """

    entry: int | None = None
    all_dependents: bool = False
    entries: tuple[int, ...] = ()
