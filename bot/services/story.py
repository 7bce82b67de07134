"""The story of a table: what a reader was told in a span of time, folded into lines.

Lines come from events alone, never from the state behind them. So an alias stays an alias, and a
new owner of a character inherits nothing that the former owner was told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from bot.services.history import check_message_links
from bot.services.loaded_table import Table
from bot.services.outbox_plan import event_place, fullest_views
from bot.services.readers import Reader
from bot.services.tables import Tables
from bot.storage import codec
from bot.storage.journal import ENTRIES_PER_PAGE
from bot.storage.row_records import EntryRow
from rules.core.record import Record
from rules.registry import read_only_game
from rules.table.actions import Amend, Undo
from rules.table.blocks import Note, Roll, Verdict
from rules.table.checks.procedure import has_role
from rules.table.events import (
    Amended,
    BoardChanged,
    CardsMoved,
    CheckChanged,
    DiceRolled,
    Event,
    Notice,
    Produced,
    Reported,
    Said,
    SealRead,
    StepView,
)
from rules.table.played_scenes import SCENE_PARTS
from rules.table.readable_places import ReadablePlaces, may_read
from rules.table.state import SYSTEM

#: Most entries that the bot reads itself. Longer spans go to the worker process, page by page.
INLINE_ENTRIES: Final = 2000
#: Entries that the bot reads before other tasks get a turn.
_ENTRIES_PER_TURN: Final = 50
#: Most entries of one span, the newest.
MAX_ENTRIES: Final = 50_000
#: Seconds by which the times of neighboring entries may be out of order.
_TIME_TOLERANCE: Final = 60

#: What a line tells of. `deed` is a single step that a clock, an order, a stand-in or a GM took.
StoryKind = Literal[
    "absence",
    "award",
    "cards",
    "check",
    "correction",
    "deed",
    "fight",
    "growth",
    "harm",
    "people",
    "report",
    "roll",
    "scene",
    "aside",
    "said",
    "setting",
    "table",
    "time",
]

#: Kinds of notices that have one of their own. All others but those of `_LEFT_OUT` are "table".
_NOTICE_KINDS: Final[Mapping[str, StoryKind]] = {
    **dict.fromkeys(("arranged-away", "arranged-treated-away"), "absence"),
    **dict.fromkeys(("arranged-back", "absence-over"), "absence"),
    "awarded": "award",
    **dict.fromkeys(("character-learned", "character-advanced"), "growth"),
    **dict.fromkeys(("character-dying", "character-adjusted"), "harm"),
    **dict.fromkeys(("character-approved", "character-imported", "character-created"), "people"),
    **dict.fromkeys(("character-retired", "character-returned", "character-given"), "people"),
    **dict.fromkeys(("character-revealed", "character-removed", "gms"), "people"),
    **dict.fromkeys(SCENE_PARTS, "scene"),
    **dict.fromkeys(("settings-changed", "rest-changed", "campaign-changed"), "setting"),
    **dict.fromkeys(("places", "seed-rotated", "deck-there"), "setting"),
    **dict.fromkeys(("session-begins", "session-begins-gms"), "time"),
    **dict.fromkeys(("session-ends", "session-ends-gms"), "time"),
    **dict.fromkeys(("time-passed", "time-passed-gms"), "time"),
}
#: Beginnings of the codes of notices that are no part of the story, such as those that tell a
#: player of their own wishes.
_LEFT_OUT: Final = (
    *("arranged-", "character-chosen", "digest", "line-", "more-time", "plain-text", "step-in-"),
    *("scene-cast", "scene-ends-gms", "scene-players", "scene-stays", "play-moved-", "place-left"),
    "place-lost",
)
#: Kinds of lines that make up the story. Dice and cards outside of checks, corrections, and changes
#: of settings are found by a search.
STORY_KINDS: Final[frozenset[StoryKind]] = frozenset(
    (
        *("absence", "award", "check", "fight", "growth", "harm", "people", "report", "time"),
        *("said", "scene", "table"),
    )
)
#: Classes of events without a check that have one kind.
_EVENT_KINDS: Final[Mapping[type[Event], StoryKind]] = {
    Reported: "report",
    SealRead: "report",
    Produced: "report",
    DiceRolled: "roll",
    Amended: "correction",
}
#: Kinds of entries that correct earlier ones.
_CORRECTIONS: Final = (Amend.__name__, Undo.__name__)
#: Steps of cards that everybody sees on the table.
_OPEN_CARD_STEPS: Final = ("shown", "played")
#: Steps in the order of action that the clock takes in place of a player.
_CLOCK_STEPS: Final = ("delayed", "lapsed", "timed-out", "passed")


class Hearer(Record):
    """A reader of the story: a participant, or the public of some places."""

    #: Participant's id; empty for the public.
    person: str = ""
    gm: bool = False
    readable: ReadablePlaces = ReadablePlaces()
    #: Places of whisper scenes that the participant has left, and may read what was told there.
    kept: frozenset[str] = frozenset()

    def was_told(self, event: Event, row: EntryRow) -> bool:
        """Return whether the hearer was told an event and may still read it.

        What everybody was told in a closed place is told only to its actors and addressees.
        """
        audience = event.audience
        is_named = bool(self.person) and self.person in audience.people
        is_open = audience.everyone or _is_seen_on_board(event)
        if not (is_open or is_named or (audience.gms and self.gm)):
            return False
        place = event_place(event, row.place)
        if audience.whisper in self.kept:
            return True
        theirs = bool(self.person) and self.person in _addressed_people(event, row)
        return may_read(self.readable, place, theirs=theirs, gm=self.gm)


def _is_seen_on_board(event: Event) -> bool:
    """Return whether the board shows a step to everybody in its place.

    Only the answer to the GM tells in words that initiative begins or is over.
    """
    if event.audience.whisper:
        return False
    return isinstance(event, BoardChanged) and event.step in ("started", "ended")


def _addressed_people(event: Event, row: EntryRow) -> set[str | None]:
    """Return the actors and addressees of an event, as they were when it was told."""
    people: set[str | None] = {row.actor, event.by, *event.ping}
    if not event.audience.whisper:
        # The cast of a whisper scene reads only what the scene's place lets it read.
        people |= {*event.audience.people}
    if isinstance(event, CheckChanged):
        people.add(event.owner)
    if isinstance(event, CardsMoved):
        people |= {event.to, event.giver}
    return people


class StoryLine(Record):
    """One line of the story. `bot.presenters.story.line_text` says it in words."""

    #: Time in seconds since 1970.
    at: int
    #: Number of the entry in the journal.
    entry: int
    place: str
    kind: StoryKind
    #: The event as the hearer was told it, with the names of that time.
    event: Event
    #: Participant who did it, or `system`.
    by: str
    #: Id of the check; empty for anything else.
    check: str = ""
    #: `deed`: the step that was taken.
    step: StepView | None = None
    #: Web address of the check's message; empty if it has none.
    link: str = ""
    #: An undo or an amendment tells it: in place of what was told before, at the time of that.
    corrected: bool = False
    #: Only the GMs were told, and the hearer is one of them.
    secret: bool = False

    @property
    def is_public(self) -> bool:
        """Whether everybody in the place was told it."""
        return self.event.audience.everyone or _is_seen_on_board(self.event)

    @property
    def characters(self) -> tuple[str, ...]:
        """Ids of the characters concerned, as far as the event names them."""
        event = self.event
        named = isinstance(event, Notice | BoardChanged | DiceRolled | CheckChanged)
        return event.characters if named else ()


class Viewpoint(Record):
    """The hearer, and the characters whose story counts as the hearer's own."""

    hearer: Hearer
    #: Kinds of checks that open a round; the line of the fight tells of them.
    round_kinds: frozenset[str] = frozenset()
    #: Ids and names of the hearer's characters, for the steps that others took for them.
    own_ids: frozenset[str] = frozenset()
    own_names: frozenset[str] = frozenset()
    #: Every round of a fight has a line, and what came with its turns; otherwise only the last.
    rounds: bool = False


def _is_for_gms_only(event: Event, events: Iterable[Event]) -> bool:
    """Return whether no player was told what an event tells the GMs.

    A player who rolled blind knows of the roll, but not what came of it.
    """
    is_notice_for_gms = isinstance(event, Notice) and event.what.endswith("-gms")
    if is_notice_for_gms or isinstance(event, Amended):
        return False  # Another event tells the players.
    for other in events:
        for_gms = other.audience.gms and not (other.audience.is_open or other.audience.people)
        if not for_gms and (other is event or _tells_same_result(other, event)):
            return False
    return True


def _tells_same_result(other: Event, event: Event) -> bool:
    """Return whether another view of a check or of free dice tells what came of them, too."""
    if isinstance(other, CheckChanged) and isinstance(event, CheckChanged):
        told = any(isinstance(block, Roll | Verdict) for block in other.blocks)
        return other.check == event.check and told
    if isinstance(other, DiceRolled) and isinstance(event, DiceRolled):
        return bool(other.totals)
    return False


class Fight(Record):
    """The last order of action of a place, as far as the hearer was told of it."""

    #: Number among those of the place in the span.
    number: int = 0
    round: int = 0


class StoryPage(Record):
    """What some entries in a row tell. A later page replaces lines of an earlier one."""

    #: Lines by what they tell of: a check, a fight, or an event of an entry. None: an undo has
    #: taken the outcome of an earlier page away.
    lines: dict[str, StoryLine | None]
    deeds: tuple[StoryLine, ...]
    #: The last fight of each place so far.
    fights: dict[str, Fight]


class _StoryFold:
    """The lines of the entries read so far."""

    def __init__(self, viewpoint: Viewpoint, fights: Mapping[str, Fight]) -> None:
        self._view = viewpoint
        self._lines: dict[str, StoryLine | None] = {}
        self._deeds: list[StoryLine] = []
        self._fights = {**fights}

    def add(self, row: EntryRow) -> None:
        """Add an entry. Entries come oldest first; undone ones tell nothing."""
        if row.undone_by is not None:
            return
        hearer = self._view.hearer
        events = codec.read_events(row.events)
        told = [event for event in events if hearer.was_told(event, row)]
        for event in events:
            if isinstance(event, Amended):
                self._correct_scenes(row, event)
        for number, event in enumerate(fullest_views(told)):
            secret = hearer.gm and _is_for_gms_only(event, events)
            self._add_event(row, number, event, secret=secret)

    def page(self) -> StoryPage:
        return StoryPage(self._lines, tuple(self._deeds), self._fights)

    def _add_event(self, row: EntryRow, number: int, event: Event, *, secret: bool) -> None:
        self._deeds += self._deeds_in(row, event)
        if isinstance(event, CheckChanged):
            self._add_check(row, event, secret=secret)
        elif isinstance(event, BoardChanged):
            self._add_board_step(row, number, event)
        elif isinstance(event, Notice) and _kind_of(event) == "scene":
            self._add_scene(row, event)
        elif isinstance(event, Said):
            self._add_words(row, event)
        elif (kind := _kind_of(event)) is not None:
            self._lines[f"{row.seq}.{number}"] = _line(row, event, kind).replace(secret=secret)

    def _add_scene(self, row: EntryRow, event: Notice) -> None:
        """Keep a line for the beginning of a scene, and one for its end with the last summary.

        A later summary stands at the scene's end.
        """
        line = _line(row, event, "scene")
        over = event.params.get("over")
        if isinstance(over, int):
            line = line.replace(at=over)
        self._lines[_scene_key(event)] = line

    def _correct_scenes(self, row: EntryRow, event: Amended) -> None:
        """Let the lines of scenes say what an amendment has made of them.

        A line is told to the audience of its notice, not to that of the amendment.
        """
        for notice in event.scenes:
            if self._view.hearer.was_told(notice, row):
                line = _line(row, notice, "scene").replace(corrected=True)
                _keep_line(self._lines, _scene_key(notice), line)

    def _add_check(self, row: EntryRow, event: CheckChanged, *, secret: bool) -> None:
        """Keep the last outcome of a check; an undo that reopens it takes the outcome away."""
        if event.kind in self._view.round_kinds:
            return
        if has_outcome(event):
            line = _line(row, event, "check", check=event.check)
            line = line.replace(corrected=row.kind in _CORRECTIONS, secret=secret)
            _keep_line(self._lines, f"check:{event.check}", line)
        elif event.step == "reopened":
            self._lines[f"check:{event.check}"] = None

    def _add_board_step(self, row: EntryRow, number: int, event: BoardChanged) -> None:
        """Keep a line for the beginning of a fight, and one for its last round or its end."""
        if self._view.rounds and event.step in ("turn", "passed"):
            self._add_round(row, number, event)
            return
        if event.step not in ("started", "turn", "ended"):
            return
        fight = self._fights.get(event.place, Fight())
        if event.step == "started":
            fight = Fight(fight.number + 1)
        elif event.step == "turn":
            fight = fight.replace(round=event.round)
        else:
            event = event.replace(round=fight.round)
        self._fights[event.place] = fight
        part = "begins" if event.step == "started" else "goes-on"
        key = f"fight:{event.place}:{fight.number}:{part}"
        self._lines[key] = _line(row, event, "fight")

    def _add_round(self, row: EntryRow, number: int, event: BoardChanged) -> None:
        """Keep a line for the first turn of a round, and for what turns and rounds bring."""
        fight = self._fights.get(event.place, Fight())
        if event.step == "turn":
            if event.round == fight.round:
                return
            self._fights[event.place] = fight.replace(round=event.round)
        self._lines[f"{row.seq}.{number}"] = _line(row, event, "fight")

    def _add_words(self, row: EntryRow, event: Said) -> None:
        """Keep what was said as it reads now, at the time when it was said.

        Words of a forgotten player are gone.
        """
        if not event.text:
            return
        line = _line(row, event, "aside" if event.aside else "said")
        self._lines[f"said:{event.said}"] = line.replace(at=event.at)

    def _deeds_in(self, row: EntryRow, event: Event) -> Iterator[StoryLine]:
        """Yield what others did in an event for the hearer's characters, or to them."""
        view = self._view
        if not view.own_ids or row.actor == view.hearer.person:
            yield from self._own_answers(row, event)
        elif isinstance(event, CheckChanged):
            yield from self._steps_for_own(row, event)
        elif isinstance(event, BoardChanged):
            named = {event.name, *(member.name for member in event.block)}
            for_own = not view.own_names.isdisjoint(named) and row.actor == SYSTEM
            if for_own and event.step in _CLOCK_STEPS:
                yield _line(row, event, "deed")
        elif isinstance(event, Notice) and not view.own_ids.isdisjoint(event.characters):
            if (kind := _kind_of(event)) is not None and kind not in ("absence", "scene"):
                yield _line(row, event, kind)

    def _own_answers(self, row: EntryRow, event: Event) -> Iterator[StoryLine]:
        """Yield the steps that orders, absence or the clock took in an entry of the hearer."""
        if isinstance(event, CheckChanged) and self._view.own_ids:
            for step in event.took:
                if step.how != "self" and self._is_own(step):
                    yield _line(row, event, "deed", check=event.check, step=step)

    def _steps_for_own(self, row: EntryRow, event: CheckChanged) -> Iterator[StoryLine]:
        """Yield the steps that others took for the hearer's characters, and harm done to them."""
        for step in event.took:
            if step.step in ("chosen", "passed") and self._is_own(step):
                yield _line(row, event, "deed", check=event.check, step=step)
        target = event.target
        is_aimed_at = target is not None and target.name in self._view.own_names
        if is_aimed_at and event.revealed and has_outcome(event):
            yield _line(row, event, "check", check=event.check)

    def _is_own(self, step: StepView) -> bool:
        return step.who is not None and step.who.name in self._view.own_names


def _scene_key(notice: Notice) -> str:
    """Return the key of the line for the beginning or the end of a scene."""
    return f"scene:{notice.params['number']}:{SCENE_PARTS[notice.what]}"


def _keep_line(lines: dict[str, StoryLine | None], key: str, line: StoryLine | None) -> None:
    """Keep a line in place of the earlier one of its key; a corrected one stays in its place."""
    earlier = lines.get(key)
    if line is not None and line.corrected and earlier is not None:
        line = earlier.replace(event=line.event, secret=line.secret)
    lines[key] = line


def _line(
    row: EntryRow, event: Event, kind: StoryKind, check: str = "", step: StepView | None = None
) -> StoryLine:
    place = event_place(event, row.place)
    return StoryLine(row.at, row.seq, place, kind, event, event.by or row.actor, check, step)


def has_outcome(event: CheckChanged) -> bool:
    """Return whether a check has come to something that its audience was told."""
    if event.step == "ended":
        return False
    for block in event.blocks:
        if isinstance(block, Verdict):
            return True
        if isinstance(block, Note) and block.text.code == "check-rolled-blind":
            return True
        if isinstance(block, Roll) and event.over:
            return True
    return False


def _kind_of(event: Event) -> StoryKind | None:
    """Return what an event outside a check tells of; None if it is no part of the story."""
    if isinstance(event, Notice):
        if event.what in _NOTICE_KINDS:
            return _NOTICE_KINDS[event.what]
        return None if event.what.startswith(_LEFT_OUT) else "table"
    if isinstance(event, CardsMoved):
        is_open = event.step in _OPEN_CARD_STEPS and event.audience.everyone
        return "cards" if is_open else None
    return _EVENT_KINDS.get(type(event))


def fold_rows(
    viewpoint: Viewpoint, fights: Mapping[str, Fight], rows: Sequence[EntryRow]
) -> StoryPage:
    """Return what some entries tell; runs in the worker process for long spans.

    `fights` are the last fights of each place before.
    """
    fold = _StoryFold(viewpoint, fights)
    for row in rows:
        fold.add(row)
    return fold.page()


# --- hearers --------------------------------------------------------------------------------------


async def hearer_for(tables: Tables, reader: Reader) -> Hearer:
    """Return the reader as a hearer, who has learned every place in which something was said."""
    await reader.learn(await tables.store.message_places(reader.table.id))
    return Hearer(reader.actor.id, reader.gm, reader.readable, reader.kept)


def public_hearer(readable: ReadablePlaces) -> Hearer:
    """Return the public of some places: it was told what everybody was told there."""
    return Hearer(readable=readable)


def _viewpoint(table: Table, hearer: Hearer) -> Viewpoint:
    own = [
        character
        for character in table.state.characters.values()
        if hearer.person and character.owner == hearer.person
    ]
    ids = frozenset([character.id for character in own])
    names = frozenset([character.name for character in own])
    game = read_only_game(table.state)
    kinds = [kind for kind in game.system.procedures if has_role(game, kind, "round")]
    return Viewpoint(hearer, frozenset(kinds), ids, names)


# --- reading --------------------------------------------------------------------------------------


class Story(Record):
    """What a hearer was told in a span of entries."""

    #: The lines, oldest first.
    lines: tuple[StoryLine, ...] = ()
    #: What others did for the hearer's characters or to them, oldest first.
    deeds: tuple[StoryLine, ...] = ()
    #: Number of the last entry that was read.
    last: int = 0


async def told(
    tables: Tables, reader: Reader, since: int = 0, until: int | None = None
) -> tuple[StoryLine, ...]:
    """Return the story that a reader was told from `since` on and before `until`, oldest first.

    Both are in seconds since 1970. Without `until` the span ends now.
    """
    hearer = await hearer_for(tables, reader)
    story = await read_story(tables, reader.table, hearer, since=since, until=until)
    return story.lines


async def read_story(
    tables: Tables,
    table: Table,
    hearer: Hearer,
    *,
    after: int = 0,
    last: int | None = None,
    since: int = 0,
    until: int | None = None,
    most: int | None = MAX_ENTRIES,
    rounds: bool = False,
) -> Story:
    """Return what a hearer was told after one entry, up to another, and between two times.

    At most the newest `most` entries of the span are read; None reads all. With `rounds`, fights
    are told round by round.
    """
    last = table.revision if last is None else min(last, table.revision)
    if since:
        after = max(after, await entry_before(tables, table, since))
    if until is not None:
        last = min(last, await entry_before(tables, table, until + 2 * _TIME_TOLERANCE))
    if most is not None:
        after = max(after, last - most)
    viewpoint = _viewpoint(table, hearer).replace(rounds=rounds)
    aside = last - after > INLINE_ENTRIES
    lines: dict[str, StoryLine | None] = {}
    deeds: dict[str, StoryLine] = {}
    fights: dict[str, Fight] = {}
    at = after
    while at < last:
        rows = await tables.store.page(table.id, at, until=last, limit=_page_size(aside=aside))
        if not rows:
            break
        at = rows[-1].seq
        # The worker process needs no actions, which are half of the text.
        rows = [row.replace(action="") for row in rows if _is_in_span(row, since, until)]
        if aside:
            page: StoryPage = await tables.aside(fold_rows, viewpoint, fights, rows)
        else:
            page = fold_rows(viewpoint, fights, rows)
            await asyncio.sleep(0)  # lets other tasks run
        for key, line in page.lines.items():
            _keep_line(lines, key, line)
        for deed in page.deeds:
            deeds[_deed_key(deed, len(deeds))] = deed
        fights = page.fights
    known = sorted(filter(None, lines.values()), key=lambda line: (line.at, line.entry))
    return Story(
        await _with_links(tables, table, known),
        await _with_links(tables, table, deeds.values()),
        last,
    )


def _deed_key(line: StoryLine, number: int) -> str:
    """Return the key of a deed: of several outcomes of one check only the last is kept."""
    return f"check:{line.check}" if line.kind == "check" else str(number)


def _page_size(*, aside: bool) -> int:
    return ENTRIES_PER_PAGE if aside else _ENTRIES_PER_TURN


def _is_in_span(row: EntryRow, since: int, until: int | None) -> bool:
    return row.at >= since and (until is None or row.at < until)


async def entry_before(tables: Tables, table: Table, time: int) -> int:
    """Return the number of the last entry well before a time; 0 if there is none.

    The search halves the journal, as entries are in the order of their times but for seconds.
    """
    low, high = 0, table.revision
    while low < high:
        middle = (low + high + 1) // 2
        row = await tables.store.entry_at(table.id, middle)
        if row is not None and row.at < time - _TIME_TOLERANCE:
            low = middle
        else:
            high = middle - 1
    return low


async def _with_links(
    tables: Tables, table: Table, lines: Iterable[StoryLine]
) -> tuple[StoryLine, ...]:
    """Return lines with the web addresses of the public messages of their checks."""
    lines = tuple(lines)
    if not lines:
        return ()
    links = await check_message_links(tables, table, {line.check for line in lines} - {""})
    return tuple([line.replace(link=links.get(line.check, "")) for line in lines])
