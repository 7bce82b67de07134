"""The state of one table, in parts: settings, each person, each character, each check.

Everything is frozen; a change makes a new object for the part that changed and shares the rest, so
that what has to be saved is found by identity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import compress
from operator import attrgetter, is_not
from typing import Any, Final, Generic, Literal, TypeVar

from rules.core.cards.decks import Deck
from rules.core.cards.piles import Piles
from rules.core.record import Record, field
from rules.table.check import AnyCheck, Reveal

#: Knowledge that players have of an NPC: nothing, an alias, or its name.
NpcStage = Literal["off", "aliased", "revealed"]
#: How long a mark lasts; one that is "used" until its rules take it away.
Until = Literal[
    "used", "action", "turn", "round", "encounter", "scene", "session", "act", "adventure", "time"
]
#: What somebody does with a card of theirs; and which cards are shuffled into the draw pile.
CardUse = Literal["show", "play", "discard", "pool"]
ShuffleWhat = Literal["draw", "discard", "everything"]

#: Id of the actor of deadlines and of the start-up.
SYSTEM = "system"

HOUR = 3600
DAY = 24 * HOUR

SheetT = TypeVar("SheetT")
DeclaredT = TypeVar("DeclaredT")


class Settings(Record):
    """Settings of a table. Times are in seconds.

    `own` are the values of the system's own form that differ from its defaults.
    """

    name: str
    system: str
    gms: tuple[str, ...]
    gm_roles: tuple[str, ...] = ()
    gm_place: str | None = None
    #: Players set open difficulties themselves, and dice fall at once.
    live: bool = False
    reveal: Reveal = "verdict"
    #: Seconds that a decider has for an answer.
    answer_time: int = DAY
    #: How long others can step in, and those who asked to be asked have for an answer. 0: a result
    #: is final at once.
    step_in_time: int = DAY
    #: Duration of a turn, in seconds. 0: there is no limit.
    turn_time: int = 2 * DAY
    #: When that was changed last, in seconds since 1970.
    turn_time_since: int = 0
    #: How long a turn lasted before that, 0 without a limit. Of several changes within an hour the
    #: longest counts.
    turn_time_before: int = 0
    #: A player's attack rolls without the GM's answer.
    attacks_at_once: bool = False
    #: A check rolls as soon as the GM has answered.
    roll_when_answered: bool = False
    #: Everybody who might play a card, cancel a point or spend Karma is waited for, as the books
    #: say.
    wait_for_everybody: bool = False
    #: Players see each other's points and number of cards, and nobody with nothing to spend is
    #: waited for.
    open_points: bool = True
    #: A final result can still be changed until the time is up or something is built on it.
    step_in_late: bool = True
    player_undo: bool = True
    approve: bool = False
    #: Whether people who don't belong to the table may use the standard deck.
    guest_cards: bool = False
    own: dict[str, Any] = field(default_factory=dict[str, Any])


class Counters(Record):
    """The last number given out for each kind of id. Never goes back, not even by an undo.

    `check` counts the checks that everybody sees, by which they are named, `begun` all of them;
    `own` and `started` do so for what a system has besides.
    """

    character: int = 0
    check: int = 0
    begun: int = 0
    offer: int = 0
    own: int = 0
    started: int = 0


class Person(Record):
    """A participant as the table knows them; who that is on Discord is known outside the state.

    `rolls` are the dice they keep, each by its name.
    """

    id: str
    active: str | None = None
    plain: bool = False
    rolls: tuple[tuple[str, str], ...] = ()


class Character(Record, Generic[SheetT]):
    """Somebody in the story. `owner` is a participant, or None for NPCs.

    `stage` says how players know them, `alias` what they call them until the name is revealed;
    players' characters are always revealed. Members of one `group` share its name. `portrait` is a
    web address. Nobody acts as somebody who is `retired`, or not `approved` by the GM yet;
    `sent_back` is what the GM wants mended first. `number` says in which order they came, and is
    told to nobody.
    """

    id: str
    name: str
    owner: str | None
    sheet: SheetT
    stage: NpcStage = "revealed"
    alias: str = ""
    group: str = ""
    portrait: str = ""
    notes: str = ""
    retired: bool = False
    approved: bool = True
    sent_back: str = ""
    number: int = 0

    @property
    def in_play(self) -> bool:
        """Whether the character acts, and time passes for it."""
        return self.approved and not self.retired


AnyCharacter = Character[Any]


class Slot(Record):
    """A place in the order of action: a character, or with `character` None something else of that
    `name`.

    `score` decides the order where it is rolled: numbers compared from the left, higher first,
    missing ones as 0; None where the GM orders. `side` is for rules by which those of one side act
    together. `delayed` tells that they wait for their moment. On a timeline `ends` is the phase in
    which what they are `doing` is done; who is delayed there does nothing.
    """

    name: str
    character: str | None = None
    score: tuple[int, ...] | None = None
    delayed: bool = False
    ends: int | None = None
    doing: str = ""
    side: str = ""
    #: The clock let it wait: it may act until the round is over, and the next round calls it again.
    lapsed: bool = False


class Encounter(Record, Generic[DeclaredT]):
    """Who acts when in one place. `turn` is the index in `order` of whose turn it is.

    `round` is 0 while they gather and nobody acts yet. With `house` the table's house rule rolls
    the order. `left` keeps the places of characters who went: whoever was rolled for has the same
    score on coming back. `since` is when the present turn began, in seconds since 1970. On a
    `timeline` the order goes by when everybody is done with what they do, and `round` is the
    present phase. `data` is a record of the system's, such as what was declared for the round.
    While a round is `opening` nobody acts: it begins with a check. `told` is the phase of the last
    turn that everybody knew of: whoever is hidden moves the time without anybody's notice.
    """

    place: str
    order: tuple[Slot, ...] = ()
    round: int = 0
    turn: int = 0
    house: bool = False
    left: tuple[Slot, ...] = ()
    since: int = 0
    timeline: bool = False
    data: DeclaredT | None = None
    opening: bool = False
    told: int = 0
    #: The turn is to end: it is over as soon as no open check holds it.
    ended: bool = False
    #: Number of turns in a row that the clock has delayed or ended.
    lapses: int = 0
    #: When the present turn's time was paused, in seconds since 1970; None while it runs. It is
    #: paused while a check of the turn waits for others.
    paused_at: int | None = None
    #: Length of the present turn's earlier pauses, in seconds.
    paused: int = 0
    #: Players' characters whom the end of this turn would kill. The clock doesn't end it then.
    would_kill: tuple[str, ...] = ()


AnyEncounter = Encounter[Any]


class Mark(Record):
    """Something that is so for a while: a condition, a modifier, a count. What it does, its rules
    say.

    `key` tells what it is ("stymied", "ap-spent"), `what` of which skill, weapon or target. With
    `at` 0 it ends when that is over next; else `at` is the round, or the minute of the story, at
    whose end it is gone. `by` is the check or card that made it.
    """

    key: str
    what: str = ""
    value: int = 1
    until: Until = "round"
    at: int = 0
    by: str = ""


class Marks(Record):
    """The marks of one character, the oldest first: the part `marks:<who>`."""

    given: tuple[Mark, ...] = ()


class GameClock(Record):
    """The story's own time, in minutes since it began, and its sessions; `playing` while
    one is on.
    """

    time: int = 0
    session: int = 0
    playing: bool = False


#: What the keys of parts begin with, and the fields of the state where they are; the system's own
#: have whole keys.
_MAPPINGS: Final = {
    "": "own",
    "person:": "people",
    "character:": "characters",
    "check:": "checks",
    "encounter:": "encounters",
    "deck:": "decks",
    "cards:": "own_decks",
}
#: Those of which there is one, each by the name of its field; a table need not have the last.
_SINGLE: Final = ("settings", "counters", "clock", "campaign")
#: All of these, and how they are got at once.
_KEYS: Final = (*_SINGLE, *_MAPPINGS)
_IN_ORDER: Final = attrgetter(*_SINGLE, *_MAPPINGS.values())
#: Besides these there are a table's campaign and what else its system keeps, of classes that only
#: that knows.
Part = (
    Settings | Counters | Person | AnyCharacter | AnyCheck | AnyEncounter | GameClock | Piles | Deck
)


class TableState(Record):
    """Everything a table knows. Mappings are never written to: a change makes a new one.

    `with_…` is the same table with this added, or in place of what was there of its id. `campaign`
    is what the table has agreed on in the terms of its system, None where it has nothing to agree
    on. `own` are further parts that only the system understands, by their whole keys, such as
    `task:t1`.
    """

    settings: Settings
    counters: Counters = field(default_factory=Counters)
    people: Mapping[str, Person] = field(default_factory=dict[str, Any])
    characters: Mapping[str, AnyCharacter] = field(default_factory=dict[str, Any])
    encounters: Mapping[str, AnyEncounter] = field(default_factory=dict[str, Any])
    clock: GameClock = field(default_factory=GameClock)
    decks: Mapping[str, Piles] = field(default_factory=dict[str, Any])
    campaign: Any = None
    own: Mapping[str, Any] = field(default_factory=dict[str, Any])
    own_decks: Mapping[str, Deck] = field(default_factory=dict[str, Any])
    checks: Mapping[str, AnyCheck] = field(default_factory=dict[str, Any])

    def with_check(self, check: AnyCheck) -> TableState:
        return self.replace(checks={**self.checks, check.id: check})

    def with_character(self, character: AnyCharacter) -> TableState:
        return self.replace(characters={**self.characters, character.id: character})

    def with_person(self, person: Person) -> TableState:
        return self.replace(people={**self.people, person.id: person})

    def with_encounter(self, encounter: AnyEncounter) -> TableState:
        return self.replace(encounters={**self.encounters, encounter.place: encounter})

    def with_own(self, key: str, part: Any) -> TableState:
        """Return the table with this part of the system's own, without it if *part* is None.

        Raises ValueError for a key without a colon: `from_parts` could not read the table again.
        """
        if ":" not in key:
            raise ValueError(
                f"the key of a system's own part needs a colon, as in 'kind:name': {key!r}"
            )
        if part is None and key not in self.own:
            return self
        own = {**self.own, key: part}
        if part is None:
            del own[key]
        return self.replace(own=own)

    @property
    def open_checks(self) -> list[AnyCheck]:
        return [check for check in self.checks.values() if check.is_open]

    def person(self, who: str) -> Person:
        """Return the participant, also if the table keeps nothing about them."""
        return self.people.get(who) or Person(who)

    def parts(self) -> Iterator[tuple[str, Part]]:
        """Return every part with its key, such as `("character:k3", ...)`."""
        for name in _SINGLE:
            if (part := getattr(self, name)) is not None:
                yield name, part
        for prefix, field_name in _MAPPINGS.items():
            for key, part in getattr(self, field_name).items():
                yield prefix + key, part

    def has_part(self, key: str) -> bool:
        if key in _SINGLE:
            return getattr(self, key) is not None
        field_name, name = _placed(key)
        return name in getattr(self, field_name)

    def changes_since(self, old: TableState) -> dict[str, Part | None]:
        """Return the parts that are new or other objects than in `old`; None for those that are
        gone.
        """
        changed: dict[str, Part | None] = {}
        whole, earlier = _IN_ORDER(self), _IN_ORDER(old)
        for place in compress(range(len(_KEYS)), map(is_not, whole, earlier)):
            prefix, now, before = _KEYS[place], whole[place], earlier[place]
            if place < len(_SINGLE):
                changed[prefix] = now
                continue
            parts: Mapping[str, Any] = now
            were: Mapping[str, Any] = before
            other = [key for key, part in parts.items() if were.get(key) is not part]
            for key in other:
                changed[prefix + key] = parts[key]
            if len(were) > len(parts) - sum([key not in were for key in other]):
                changed.update({prefix + key: None for key in were if key not in parts})
        return changed


def _placed(key: str) -> tuple[str, str]:
    """Return the field of the state that holds the part with a key, and its key there."""
    prefix, colon, name = key.partition(":")
    field_name = _MAPPINGS.get(prefix + colon)
    return ("own", key) if field_name is None else (field_name, name)


#: Parts that an undo leaves alone.
KEPT_BY_UNDO = frozenset({"counters"})


def from_parts(parts: Mapping[str, Part]) -> TableState:
    """Put a table together again from its parts. Raises KeyError for a missing one, ValueError for
    a stray.
    """
    found: dict[str, Any] = {name: {} for name in _MAPPINGS.values()}
    # By number, oldest first, however they were kept.
    for key, part in sorted(parts.items(), key=lambda item: (len(item[0]), item[0])):
        if key in _SINGLE:
            found[key] = part
        elif ":" in key:
            field_name, name = _placed(key)
            found[field_name][name] = part
        else:
            raise ValueError(f"unknown part {key!r}")
    if not isinstance(parts["settings"], Settings) or not isinstance(parts["counters"], Counters):
        raise ValueError("the settings or the counters are of another kind")
    come: dict[str, AnyCharacter] = found["characters"]
    begun: dict[str, AnyCheck] = found["checks"]
    found["characters"] = dict(sorted(come.items(), key=lambda item: item[1].number))
    found["checks"] = dict(sorted(begun.items(), key=lambda item: item[1].number))
    return TableState(**found)
