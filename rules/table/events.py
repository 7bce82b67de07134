"""What happened, and who may know it. Events are all that presenters ever see of a change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rules.core.errors import Param
from rules.core.rng import Die
from rules.table.state import AnswerKind, Status, Visibility


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may see an event: everyone, or the GMs and/or named participants."""

    everyone: bool = False
    gms: bool = False
    people: tuple[str, ...] = ()


EVERYONE = Audience(everyone=True)
GMS = Audience(gms=True)


@dataclass(frozen=True, slots=True)
class Line:
    """Something to be said, as a code and its parameters; presenters own the words."""

    code: str
    params: dict[str, Param] = field(default_factory=dict[str, Param])


@dataclass(frozen=True, slots=True)
class Term:
    """One summand of a total: what it is, and how much."""

    label: Line
    value: int


@dataclass(frozen=True, slots=True)
class CheckView:
    """A challenge as one kind of onlooker may see it: what is hidden from them is not in here at all.

    `target` says the difficulty in words or that it is hidden (None before there is one); `total`, `verdict`
    and `degree` are None where they are not known or not to be known; `notes` tell what follows from it.
    """

    challenge: str
    step: int
    status: Status
    visibility: Visibility
    character: str
    owner: str | None
    approach: str
    traits: tuple[Line, ...] = ()
    asked: Line | None = None
    answer: AnswerKind | None = None
    question: str = ""
    note: str = ""
    target: Line | None = None
    shifts: tuple[Line, ...] = ()
    dice: tuple[Die, ...] = ()
    terms: tuple[Term, ...] = ()
    total: int | None = None
    verdict: Line | None = None
    degree: Line | None = None
    notes: tuple[Line, ...] = ()
    deadline: int | None = None


CheckStep = Literal[
    "proposed",
    "revised",
    "withdrawn",
    "asked",
    "answered",
    "rolled",
    "spent",
    "settled",
    "reminded",
    "reopened",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """`ping` names the participants whom it calls to act, `ping_gms` calls the GMs.

    A `quiet` event needs no message of its own where there is no private place for it: it can be looked up.
    """

    audience: Audience = EVERYONE
    ping: tuple[str, ...] = ()
    ping_gms: bool = False
    quiet: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCreated(Event):
    name: str
    system: str
    gm: str
    gm_place: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GmsChanged(Event):
    """Who leads the table now. `how` tells what was done to `subject` (a participant or a role id)."""

    how: Literal["added", "removed", "role_added", "role_removed", "taken_over"]
    subject: str
    gms: tuple[str, ...]
    gm_roles: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsChanged(Event):
    """Each changed setting with its new value."""

    changes: dict[str, Param]


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonChanged(Event):
    plain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterImported(Event):
    character: str
    name: str
    owner: str | None
    replaced: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterChosen(Event):
    character: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckChanged(Event):
    """A challenge took a step. `by` did it (a participant or `system`); `spent` names what was spent."""

    step: CheckStep
    view: CheckView
    by: str
    spent: Line | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone(Event):
    """Entries of the journal were taken back; `entries` are their numbers, newest first."""

    entries: tuple[int, ...]
    by: str
