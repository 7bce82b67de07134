"""State of one table, in parts: settings, each person, each character, each check.

Everything is frozen. A change makes a new object for the changed part and shares the rest, so that
the parts to save are found by identity.
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
from rules.table.times.digest_times import Digest
from rules.table.times.rest import Rest

#: Knowledge that players have of an NPC: nothing, an alias, or its name.
NpcStage = Literal["off", "aliased", "revealed"]
#: Duration of a mark. A "used" mark lasts until its rules remove it.
Until = Literal[
    "used", "action", "turn", "round", "encounter", "scene", "session", "act", "adventure", "time"
]
#: Use of a card by its holder.
CardUse = Literal["show", "play", "discard", "pool"]
#: Cards that are shuffled into the draw pile.
ShuffleWhat = Literal["draw", "discard", "everything"]

#: Id of the actor of deadlines and of the start-up.
SYSTEM = "system"

HOUR = 3600
DAY = 24 * HOUR

SheetT = TypeVar("SheetT")
DeclaredT = TypeVar("DeclaredT")


class Pause(Record):
    """A pause of a table's clock. While it lasts nothing runs out, and everything may be done."""

    #: In seconds since 1970.
    since: int
    #: In seconds since 1970. None: until a GM ends it.
    until: int | None = None
    #: The reason, or "silent" if the GMs were silent.
    note: str = ""
    #: Place in which it was announced.
    place: str = ""


class Settings(Record):
    """Settings of a table. Times are in seconds."""

    name: str
    #: Key of the rule system.
    system: str
    #: Participants who are GMs.
    gms: tuple[str, ...]
    #: Roles of the server whose holders are GMs.
    gm_roles: tuple[str, ...] = ()
    #: Channel of the GMs.
    gm_place: str | None = None
    #: Players set open difficulties themselves, and dice fall at once.
    live: bool = False
    reveal: Reveal = "verdict"
    #: Time for an answer.
    answer_time: int = DAY
    #: Time to step in, and time for answers of players who want to be asked. 0: a result is final
    #: at once.
    step_in_time: int = DAY
    #: Time of a turn. 0: no limit.
    turn_time: int = 2 * DAY
    #: Time of the last change of `turn_time`, in seconds since 1970.
    turn_time_since: int = 0
    #: Time of a turn before that change; 0: no limit. Of several changes within an hour, the
    #: longest counts.
    turn_time_before: int = 0
    #: A player's attack rolls without the GM's answer.
    attacks_at_once: bool = False
    #: A check rolls as soon as the GM has answered.
    roll_when_answered: bool = False
    #: The table waits for all players who might play a card, cancel a point or spend Karma, as the
    #: books say.
    wait_for_everybody: bool = False
    #: Players see each other's points and numbers of cards. The table waits for no player with
    #: nothing to spend.
    open_points: bool = True
    #: A final result can still be changed until the time is up or something is built on it.
    step_in_late: bool = True
    #: Players may undo their own actions.
    player_undo: bool = True
    #: GMs approve new characters.
    approve: bool = False
    #: Whether users who don't belong to the table may use the standard deck.
    guest_cards: bool = False
    #: Players' characters who follow one another in initiative act in any order.
    block_turns: bool = False
    #: Deadlines in a row that a player may miss until the GMs are told. 0: they are never told.
    excused: int = 2
    #: Values of the system's own settings that differ from the defaults.
    own: dict[str, Any] = field(default_factory=dict[str, Any])
    #: Days and hours of the table's clock.
    rest: Rest = Rest()
    #: `rest` before the last change of it or of `turn_time`, at `turn_time_since`.
    rest_before: Rest = Rest()
    #: Pause of the table's clock; None while it runs.
    pause: Pause | None = None
    #: Silence of the GMs after which everybody is told and the clock stands still. 0: never.
    silence: int = 7 * DAY
    #: Weekly digest; None: the table posts none.
    digest: Digest | None = None
    #: Players and GMs may speak as their characters.
    speaking: bool = True


class CorrectionRequest(Record):
    """A player's request to the GMs to correct an entry of the journal."""

    #: Number of the entry.
    entry: int
    #: Participant who asks.
    by: str
    #: Request in the player's words; empty once it is answered.
    text: str
    #: Time of the request, in seconds since 1970.
    at: int
    #: Place in which it was made.
    place: str
    #: Whether it waits for the GMs. The last answered one of each participant is kept.
    waits: bool = True


class Counters(Record):
    """The last number used for each kind of id, and missed deadlines. An undo leaves it."""

    #: Characters. Their ids have these numbers: `k3`.
    character: int = 0
    #: Public checks. Their ids have these numbers (`c3`), so it must not count what is secret.
    check: int = 0
    #: All checks, secret ones too: the `Check.number` of the newest.
    begun: int = 0
    #: Offers of cards.
    offer: int = 0
    #: Public parts of the system's own, such as complex actions. Their ids have these numbers.
    own: int = 0
    #: All parts of the system's own, secret ones too, as `begun` counts checks.
    started: int = 0
    #: Time of the last act of a GM or a deputy, in seconds since 1970; 0: none yet.
    gm_acted_at: int = 0
    #: Time of the last weekly digest, in seconds since 1970.
    digest: int = 0
    #: Scenes of the story. Their numbers are shown to no participant.
    scene: int = 0
    #: Whisper scenes. Their numbers count down from -1, so that the others tell nothing of them.
    whisper: int = 0
    #: Places of scenes that are played in threads of their own, by number. An undo leaves the
    #: threads, too.
    scene_places: dict[str, str] = field(default_factory=dict[str, str])
    #: Deadlines that each participant has missed in a row. The next act of the participant ends the
    #: row. An undo leaves it alone, so that no entry depends on a later act.
    missed: dict[str, int] = field(default_factory=dict[str, int])
    #: Roll calls. Their ids have these numbers: `g3`.
    roll_call: int = 0
    #: Checks for which a sealed text was read, by the id of the roll call. An undo leaves it, as
    #: nobody forgets what they have read.
    seals_read: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    #: What was said as a character. The ids have these numbers: `s12`.
    said: int = 0
    #: Corrections that players have asked for, at most one a player. An undo leaves them alone.
    corrections: tuple[CorrectionRequest, ...] = ()


class Person(Record):
    """A participant. The state doesn't hold which Discord user that is."""

    id: str
    #: Id of the main character.
    active: str | None = None
    #: Whether the participant reads results as plain text.
    plain: bool = False
    #: Saved rolls: name and expression.
    rolls: tuple[tuple[str, str], ...] = ()


class Character(Record, Generic[SheetT]):
    """A character of the story."""

    id: str
    name: str
    #: Participant who plays the character; None for an NPC.
    owner: str | None
    sheet: SheetT
    #: Knowledge that players have of the character. Players' characters are always revealed.
    stage: NpcStage = "revealed"
    #: Name that players read until the real one is revealed.
    alias: str = ""
    #: Name of the group of NPCs that this one belongs to.
    group: str = ""
    #: Web address of a picture.
    portrait: str = ""
    notes: str = ""
    #: Whether the character is out of play.
    retired: bool = False
    #: Whether the GM has approved the character. Until then it can't act.
    approved: bool = True
    #: Changes that the GM wants before the approval.
    sent_back: str = ""
    #: Position among all characters that ever came to the table. It is shown to no participant.
    number: int = 0
    #: The character needs a player: users of the server may ask for this seat.
    open_seat: bool = False
    #: Participants who have asked for the seat, in order.
    seat_asked: tuple[str, ...] = ()
    #: Time of the handover, in seconds since 1970: what was told in private before stays with the
    #: former player. 0: the present player knows all of it.
    private_since: int = 0
    #: Time at which it was last sent to the GM, or back to its player, in seconds since 1970; 0 if
    #: that isn't known.
    sent_at: int = 0

    @property
    def in_play(self) -> bool:
        """True if the character acts, and time passes for it."""
        return self.approved and not self.retired


AnyCharacter = Character[Any]


class Slot(Record):
    """A slot in initiative: of a character, or of something else."""

    #: Name of something that is no character; empty for a character.
    name: str
    #: Id of the character.
    character: str | None = None
    #: Score that decides the order: numbers compared from the left, higher first, missing ones as
    #: 0. None if the GM decides.
    score: tuple[int, ...] | None = None
    #: The character waits for its moment. On a timeline: it does nothing.
    delayed: bool = False
    #: Phase in which the present action ends, on a timeline.
    ends: int | None = None
    #: Name of the present action, on a timeline.
    doing: str = ""
    #: Side of the character, for rules by which a side acts together.
    side: str = ""
    #: The clock delayed it: it may act until the round is over, and the next round calls it again.
    lapsed: bool = False
    #: Its turn is to end, as `Encounter.ended` says of the slot on turn. Another slot of the same
    #: block is on turn.
    ending: bool = False


class Encounter(Record, Generic[DeclaredT]):
    """Initiative in one place."""

    place: str
    order: tuple[Slot, ...] = ()
    #: Number of the round, or the phase on a timeline; 0 before the first round.
    round: int = 0
    #: Index in `order` of the slot on turn.
    turn: int = 0
    #: Scores are rolled by the table's house rule.
    house: bool = False
    #: Slots of characters who have left. A character who comes back has the same score.
    left: tuple[Slot, ...] = ()
    #: Start of the present turn, in seconds since 1970.
    since: int = 0
    #: Slots are ordered by the phases in which their actions end.
    timeline: bool = False
    #: Record of the system, such as the declarations for the round.
    data: DeclaredT | None = None
    #: The check that the round begins with is open. Until it is over, no character acts.
    opening: bool = False
    #: Last phase in which a character known to players was on turn. Hidden characters move the
    #: phase on without it.
    told: int = 0
    #: The turn is to end: it is over as soon as no open check holds it.
    ended: bool = False
    #: Number of turns in a row that the clock has delayed or ended.
    lapses: int = 0
    #: Time at which the present turn was paused, in seconds since 1970; None while its time runs.
    #: It is paused while a check of the turn waits for others.
    paused_at: int | None = None
    #: Length of the present turn's earlier pauses, in seconds.
    paused: int = 0
    #: Players' characters that the end of this turn would kill. Then the clock doesn't end it.
    would_kill: tuple[str, ...] = ()
    #: Time that the present turn has beyond the table's, in seconds.
    more: int = 0
    #: The player on turn has asked for more time. It's given once a turn.
    extended: bool = False
    #: Order before turns of a block changed it in this round: character id and name of each slot.
    #: Empty if they haven't.
    seats: tuple[tuple[str, str], ...] = ()
    #: Place that it was moved from; empty if it never moved.
    moved_from: str = ""


AnyEncounter = Encounter[Any]


class Mark(Record):
    """A temporary effect on a character: a condition, a modifier, a count.

    The rules that read a mark decide what it does.
    """

    #: Kind of the mark, such as "stymied" or "ap-spent".
    key: str
    #: Skill, weapon or target that the mark is about.
    what: str = ""
    value: int = 1
    until: Until = "round"
    #: Round, or minute of the story, at whose end the mark ends; 0: the next end of `until`.
    at: int = 0
    #: Check or card that made the mark.
    by: str = ""


class Marks(Record):
    """The marks of one character, the oldest first: the part `marks:<who>`."""

    given: tuple[Mark, ...] = ()


class GameClock(Record):
    """Time and sessions of the story."""

    #: Minutes since the story began.
    time: int = 0
    #: Number of the present or last session.
    session: int = 0
    #: Whether a session is on.
    playing: bool = False


#: Beginnings of the keys of parts, and the fields of the state that hold these parts. Parts of the
#: system's own are held by their whole keys.
_MAPPINGS: Final = {
    "": "own",
    "person:": "people",
    "character:": "characters",
    "check:": "checks",
    "encounter:": "encounters",
    "deck:": "decks",
    "cards:": "own_decks",
}
#: Fields of the state that are one part each. A table may lack a campaign.
_SINGLE: Final = ("settings", "counters", "clock", "campaign")
#: Keys of single parts, and beginnings of the keys of all others.
_KEYS: Final = (*_SINGLE, *_MAPPINGS)
#: Function that reads the fields for `_KEYS` at once.
_IN_ORDER: Final = attrgetter(*_SINGLE, *_MAPPINGS.values())
#: Parts of all tables. The campaign and the system's own parts have classes of the system.
Part = (
    Settings | Counters | Person | AnyCharacter | AnyCheck | AnyEncounter | GameClock | Piles | Deck
)


class TableState(Record):
    """Everything about a table. Mappings are never written to: a change makes a new one.

    `with_…` returns the same table with a part added, in place of the former part of the same id.
    """

    settings: Settings
    counters: Counters = field(default_factory=Counters)
    people: Mapping[str, Person] = field(default_factory=dict[str, Any])
    characters: Mapping[str, AnyCharacter] = field(default_factory=dict[str, Any])
    encounters: Mapping[str, AnyEncounter] = field(default_factory=dict[str, Any])
    clock: GameClock = field(default_factory=GameClock)
    #: Piles of each deck in use, by the deck's id.
    decks: Mapping[str, Piles] = field(default_factory=dict[str, Any])
    #: Campaign of the table; None if the system has no campaigns.
    campaign: Any = None
    #: Parts that only the system understands, by their whole keys, such as `task:t1`.
    own: Mapping[str, Any] = field(default_factory=dict[str, Any])
    #: Decks that were brought to the table, by id.
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
        """Return the table with a part of the system's own, or without it if *part* is None.

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
        """Return the participant, even if the table keeps nothing about it."""
        return self.people.get(who) or Person(who)

    def parts(self) -> Iterator[tuple[str, Part]]:
        """Return every part with its key, such as `("character:k3", ...)`."""
        for name in _SINGLE:
            part = getattr(self, name)
            if part is not None:
                yield name, part
        for prefix, field_name in _MAPPINGS.items():
            for key, part in getattr(self, field_name).items():
                yield prefix + key, part

    def has_part(self, key: str) -> bool:
        if key in _SINGLE:
            return getattr(self, key) is not None
        field_name, name = _field_of_part(key)
        return name in getattr(self, field_name)

    def changes_since(self, old: TableState) -> dict[str, Part | None]:
        """Return the parts that are new or other objects than in *old*; None for removed parts."""
        changed: dict[str, Part | None] = {}
        fields_now, fields_before = _IN_ORDER(self), _IN_ORDER(old)
        for index in compress(range(len(_KEYS)), map(is_not, fields_now, fields_before)):
            prefix = _KEYS[index]
            if index < len(_SINGLE):
                changed[prefix] = fields_now[index]
                continue
            now: Mapping[str, Any] = fields_now[index]
            before: Mapping[str, Any] = fields_before[index]
            written = [key for key, part in now.items() if before.get(key) is not part]
            for key in written:
                changed[prefix + key] = now[key]
            kept = len(now) - sum([key not in before for key in written])
            if len(before) > kept:
                changed.update({prefix + key: None for key in before if key not in now})
        return changed


def _field_of_part(key: str) -> tuple[str, str]:
    """Return the field of the state that holds the part with a key, and its key there."""
    prefix, colon, name = key.partition(":")
    field_name = _MAPPINGS.get(prefix + colon)
    return ("own", key) if field_name is None else (field_name, name)


#: Parts that an undo leaves alone.
KEPT_BY_UNDO = frozenset({"counters"})


def from_parts(parts: Mapping[str, Part]) -> TableState:
    """Return the table that has these parts.

    Raises KeyError for a missing part, ValueError for an unknown one.
    """
    fields: dict[str, Any] = {name: {} for name in _MAPPINGS.values()}
    # By number, oldest first, however they were stored.
    for key, part in sorted(parts.items(), key=lambda item: (len(item[0]), item[0])):
        if key in _SINGLE:
            fields[key] = part
        elif ":" in key:
            field_name, name = _field_of_part(key)
            fields[field_name][name] = part
        else:
            raise ValueError(f"unknown part {key!r}")
    if not isinstance(parts["settings"], Settings) or not isinstance(parts["counters"], Counters):
        raise ValueError("the settings or the counters are of another kind")
    characters: dict[str, AnyCharacter] = fields["characters"]
    checks: dict[str, AnyCheck] = fields["checks"]
    fields["characters"] = dict(sorted(characters.items(), key=lambda item: item[1].number))
    fields["checks"] = dict(sorted(checks.items(), key=lambda item: item[1].number))
    return TableState(**fields)
