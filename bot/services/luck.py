"""Luck of a table's players: the dice that everybody was shown, read from the journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.services.loaded_table import Table
from bot.services.outbox_plan import fullest_views
from bot.services.story import Hearer, public_hearer
from bot.services.tables import Tables
from bot.storage import codec
from bot.storage.row_records import EntryRow
from rules.core.record import Record
from rules.table.chance.luck import Draw, Luck, average_luck, check_draws, free_draws, luck_of
from rules.table.events import Amended, CheckChanged, DiceRolled
from rules.table.readable_places import ReadablePlaces

#: Most entries that are read, the newest.
MAX_ENTRIES: Final = 20_000
#: Entries that the worker process reads at once.
_PAGE: Final = 500


class CheckDraws(Record):
    """The dice of a check so far."""

    #: Entries that told of the check.
    told_in: frozenset[int] = frozenset()
    #: Empty until the check is final.
    draws: tuple[Draw, ...] = ()


class LuckPage(Record):
    """The dice that some entries tell of."""

    #: Draws of free rolls, by entry.
    rolls: Mapping[int, tuple[Draw, ...]]
    by_check: Mapping[str, CheckDraws]
    #: Entries that a later amendment has changed.
    amended: frozenset[int]


class TableLuck(Record):
    """The luck of each player, of the NPCs, and of all together."""

    people: tuple[Luck, ...] = ()
    #: None if nothing was rolled.
    everybody: Luck | None = None


async def table_luck(tables: Tables, table: Table, readable: ReadablePlaces) -> TableLuck:
    """Return the luck in all final rolls that everybody in readable places was shown.

    Undone and amended entries don't count, and of the journal only the newest `MAX_ENTRIES`.
    """
    hearer, owners = public_hearer(readable), _owners(table)
    at, last = max(0, table.revision - MAX_ENTRIES), table.revision
    pages: list[LuckPage] = []
    while at < last:
        rows = await tables.store.page(table.id, at, until=last, limit=_PAGE)
        if not rows:
            break
        at = rows[-1].seq
        # The chances of many dice take a while, so the worker process always reads.
        rows = [row.replace(action="") for row in rows]
        pages.append(await tables.aside(luck_in_rows, hearer, owners, rows))
    draws = _all_draws(pages)
    if not draws:
        return TableLuck()
    return TableLuck(luck_of(draws), average_luck("", draws))


def _owners(table: Table) -> dict[str, str]:
    """Return the players of the table's characters, by name."""
    owners: dict[str, str] = {}
    for character in table.state.characters.values():
        if character.owner is not None:
            owners[character.name] = character.owner
    return owners


def luck_in_rows(hearer: Hearer, owners: Mapping[str, str], rows: Sequence[EntryRow]) -> LuckPage:
    """Return the dice that some entries tell of; runs in the worker process."""
    rolls: dict[int, tuple[Draw, ...]] = {}
    by_check: dict[str, CheckDraws] = {}
    amended: set[int] = set()
    for row in rows:
        if row.undone_by is not None:
            continue
        heard = [event for event in codec.read_events(row.events) if hearer.was_told(event, row)]
        for event in fullest_views(heard):
            if isinstance(event, Amended):
                amended |= {entry.seq for entry in event.entries}
            elif isinstance(event, DiceRolled) and event.visibility == "public":
                rolls[row.seq] = (*rolls.get(row.seq, ()), *free_draws(event))
            elif isinstance(event, CheckChanged) and event.visibility == "public":
                known = by_check.get(event.check, CheckDraws())
                draws = check_draws(event, owners) if event.over else ()
                by_check[event.check] = CheckDraws(known.told_in | {row.seq}, draws)
    return LuckPage(rolls, by_check, frozenset(amended))


def _all_draws(pages: Sequence[LuckPage]) -> list[Draw]:
    """Return the draws of all pages, without amended entries."""
    amended = frozenset[int]().union(*(page.amended for page in pages))
    by_check: dict[str, CheckDraws] = {}
    draws: list[Draw] = []
    for page in pages:
        for entry, found in page.rolls.items():
            if entry not in amended:
                draws += found
        for key, check in page.by_check.items():
            known = by_check.get(key, CheckDraws())
            by_check[key] = CheckDraws(known.told_in | check.told_in, check.draws)
    for check in by_check.values():
        if amended.isdisjoint(check.told_in):
            draws += check.draws
    return draws
