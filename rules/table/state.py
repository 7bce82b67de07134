"""The state of one table, in parts: settings, each person, each character, each challenge.

Everything is frozen; a change makes a new object for the part that changed and shares the rest, so that what
has to be saved is found by identity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Generic, Literal, TypeVar

Visibility = Literal["public", "private", "blind"]
#: How much of a roll against a hidden difficulty the players see: dice and total with the bare verdict; the
#: verdict with its degree but without dice and total; or everything, the number included.
Reveal = Literal["verdict", "degree", "all"]
Status = Literal["proposed", "answered", "rolled", "settled", "withdrawn"]
AnswerKind = Literal["roll", "yardstick", "free", "cannot"]

#: Statuses in which nothing can happen to a challenge any more.
OVER = frozenset({"settled", "withdrawn"})

#: Who speaks when nobody does: deadlines, start-up.
SYSTEM = "system"

HOUR = 3600
DAY = 24 * HOUR

SheetT = TypeVar("SheetT")
RequestT = TypeVar("RequestT")
RulingT = TypeVar("RulingT")
RolledT = TypeVar("RolledT")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a table agreed on. Times are in seconds; 0 switches a reminder or a window off."""

    name: str
    system: str
    gms: tuple[str, ...]
    gm_roles: tuple[str, ...] = ()
    gm_place: str | None = None
    live: bool = False
    reveal: Reveal = "verdict"
    remind_after: int = DAY
    window: int = DAY
    player_undo: bool = True


@dataclass(frozen=True, slots=True)
class Counters:
    """The last number given out for each kind of id. Never goes back, not even by an undo."""

    character: int = 0
    challenge: int = 0


@dataclass(frozen=True, slots=True)
class Person:
    """A participant as the table knows them; who that is on Discord is known outside the state."""

    id: str
    active: str | None = None
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Character(Generic[SheetT]):
    """Somebody on stage. `owner` is a participant, or None for the GMs' own people."""

    id: str
    name: str
    owner: str | None
    sheet: SheetT


@dataclass(frozen=True, slots=True)
class Challenge(Generic[RequestT, RulingT, RolledT]):
    """One check on its way from proposal to consequences. `step` grows with every change.

    `since` is when the present status began, `deadline` when it ends by itself (both in seconds since 1970,
    UTC). `question` is what the GM asked back and has not been told yet.
    """

    id: str
    place: str
    character: str
    by: str
    approach: str
    request: RequestT
    visibility: Visibility
    status: Status
    since: int
    step: int = 1
    question: str = ""
    answer: AnswerKind | None = None
    hidden: bool = False
    note: str = ""
    ruling: RulingT | None = None
    rolled: RolledT | None = None
    deadline: int | None = None

    @property
    def open(self) -> bool:
        """Whether anything may still happen to it."""
        return self.status not in OVER


AnyCharacter = Character[Any]
AnyChallenge = Challenge[Any, Any, Any]

_challenge_values = attrgetter(*Challenge.__slots__)
_CHALLENGE_INDEX = {name: index for index, name in enumerate(Challenge.__slots__)}


def evolve(challenge: AnyChallenge, **changes: Any) -> AnyChallenge:
    """`dataclasses.replace` for challenges at a fraction of its cost: every step of a check makes a few."""
    values = list(_challenge_values(challenge))
    for name, value in changes.items():
        values[_CHALLENGE_INDEX[name]] = value
    return Challenge(*values)


Part = Settings | Counters | Person | AnyCharacter | AnyChallenge


def _none() -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class TableState:
    """Everything a table knows. Mappings are never written to: a change makes a new one."""

    settings: Settings
    counters: Counters = field(default_factory=Counters)
    people: Mapping[str, Person] = field(default_factory=_none)
    characters: Mapping[str, AnyCharacter] = field(default_factory=_none)
    challenges: Mapping[str, AnyChallenge] = field(default_factory=_none)

    def person(self, who: str) -> Person:
        """The participant, also when nothing was ever kept about them."""
        return self.people.get(who) or Person(who)

    def parts(self) -> Iterator[tuple[str, Part]]:
        """Every part with its key, such as `("character:k3", ...)`."""
        yield "settings", self.settings
        yield "counters", self.counters
        for prefix, mapping in self._mappings():
            for key, part in mapping.items():
                yield f"{prefix}:{key}", part

    def has_part(self, key: str) -> bool:
        """Whether there is a part of that key."""
        prefix, _, name = key.partition(":")
        return not name or any(name in mapping for kind, mapping in self._mappings() if kind == prefix)

    def _mappings(self) -> tuple[tuple[str, Mapping[str, Part]], ...]:
        return (("person", self.people), ("character", self.characters), ("challenge", self.challenges))

    def changes_since(self, old: TableState) -> dict[str, Part | None]:
        """Parts that are new or other objects than in `old`, None for those that are gone."""
        changed: dict[str, Part | None] = {}
        if self.settings is not old.settings:
            changed["settings"] = self.settings
        if self.counters is not old.counters:
            changed["counters"] = self.counters
        for (prefix, now), (_, before) in zip(self._mappings(), old._mappings(), strict=True):
            if now is before:
                continue
            for key, part in now.items():
                if before.get(key) is not part:
                    changed[f"{prefix}:{key}"] = part
            for key in before:
                if key not in now:
                    changed[f"{prefix}:{key}"] = None
        return changed


#: Parts that an undo leaves alone.
KEPT_BY_UNDO = frozenset({"counters"})


def from_parts(parts: Mapping[str, Part]) -> TableState:
    """Put a table together again from its parts. Raises KeyError for a missing one, ValueError for a stray."""
    people: dict[str, Person] = {}
    characters: dict[str, AnyCharacter] = {}
    challenges: dict[str, AnyChallenge] = {}
    # By number, oldest first, however they were kept.
    for key, part in sorted(parts.items(), key=lambda item: (len(item[0]), item[0])):
        prefix, _, name = key.partition(":")
        if isinstance(part, Person):
            people[name] = part
        elif isinstance(part, Character):
            characters[name] = part
        elif isinstance(part, Challenge):
            challenges[name] = part
        elif prefix not in ("settings", "counters"):
            raise ValueError(f"unknown part {key!r}")
    settings, counters = parts["settings"], parts["counters"]
    if not isinstance(settings, Settings) or not isinstance(counters, Counters):
        raise ValueError("the settings or the counters are of another kind")
    return TableState(settings, counters, people, characters, challenges)
