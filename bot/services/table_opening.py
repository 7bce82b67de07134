"""Opening of tables: at a free place, from a file, and a channel's own for dice and cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.services.directory import FOUNDER, Directory
from bot.services.journal_entries import new_entry
from bot.services.outbox_plan import ReplyTo
from bot.services.perform import ActionResult, committed_result, earlier_result
from bot.services.places import free_place
from bot.services.resolution import request_dice, resolve_in_worker
from bot.services.seeds import seed_commitment
from bot.services.tables import Tables
from bot.storage.errors import DuplicateRequest, StaleTable
from bot.storage.row_records import Member, NewEntry, NewTable
from rules.core.record import Record
from rules.registry import FREE_SYSTEM, get_system
from rules.table.actions import Action, Actor, CreateTable, ImportTable
from rules.table.outcome import Outcome
from rules.table.state import SYSTEM


class InitialContents(Record):
    """Contents of a new table."""

    #: Object of a table file, as `ImportTable` takes it.
    data: dict[str, Any]
    #: Discord user id and name of each owner in the file.
    owners: Mapping[str, tuple[str, str]]


async def create_table(
    tables: Tables,
    guild: str,
    action: CreateTable,
    request_id: str,
    founder: tuple[str, str] | None,
    reply: ReplyTo | None,
) -> ActionResult:
    """Open a table at a free place.

    `founder` is the Discord user id and name behind `action.who`, or None without a user.

    Raises RulesError, or NotFound/Impossible when the place has one already.
    """
    return (await create_filled_table(tables, guild, action, request_id, founder, reply))[-1]


async def create_filled_table(
    tables: Tables,
    guild: str,
    action: CreateTable,
    request_id: str,
    founder: tuple[str, str] | None,
    reply: ReplyTo | None,
    filling: InitialContents | None = None,
) -> tuple[ActionResult, ...]:
    """Open a table at a free place and fill it, both or neither; return all results.

    The results stand in the order of the steps. A request that was carried out before gives its
    last result alone. Raises as `create_table` does and as the import of *filling* does.
    """
    known = await earlier_result(tables, request_id)
    if known is not None:
        return (known,)
    bound = tables.places.table_id(action.place)
    before = (await tables.get(bound)).state if bound is not None else None
    public, secret, closed = (tables.token_bytes(32) for _ in range(3))
    directory = Directory(unsaved=() if founder is None else (Member(FOUNDER, *founder),))
    # The last step answers the request. The others are journaled under request ids of their own.
    steps: list[tuple[Action, str, ReplyTo | None]] = [(action, request_id, reply)]
    if filling is not None:
        owners = {key: directory.ensure_participant(*who) for key, who in filling.owners.items()}
        follows = ImportTable(
            who=action.who, place=action.place, at=action.at, data=filling.data, owners=owners
        )
        steps = [(action, f"{request_id}:open", None), (follows, request_id, reply)]
    outcomes: list[Outcome] = []
    entries: list[NewEntry] = []
    for step, request, answer in steps:
        dice = request_dice((public, secret, closed), request)
        old = outcomes[-1].state if outcomes else None
        outcomes.append(await resolve_in_worker(tables, before if old is None else old, step, dice))
        entries.append(new_entry(old, outcomes[-1], step, request, answer, directory, dice))
    system = get_system(action.system)
    new = NewTable(
        guild,
        system.key,
        system.version,
        action.place,
        (
            ("public", public, seed_commitment(public)),
            ("secret", secret, seed_commitment(secret)),
            ("shuffle", closed, seed_commitment(closed)),
        ),
    )
    try:
        written = await tables.store.create_table(new, *entries)
    except (DuplicateRequest, StaleTable):
        known = await earlier_result(tables, request_id)
        if known is None:
            await tables.places.refresh(None, action.place)
            return await create_filled_table(
                tables, guild, action, request_id, founder, reply, filling
            )
        return (known,)
    table_id = written[0].table_id
    tables.places.record_change(action.place, table_id, True)
    table = await tables.get(table_id)
    return tuple(
        committed_result(table, row, outcome)
        for row, outcome in zip(written, outcomes, strict=True)
    )


async def unique_users_by_name(
    tables: Tables, guild: str, names: Mapping[str, str], asker: tuple[str, str]
) -> dict[str, tuple[str, str]]:
    """Return, for each key, the id and name of the only user of that name at a server's tables.

    A name that no user has, or several users, is left out. The asker counts as known.
    """
    by_name: dict[str, dict[str, str]] = {}
    for user, name in (*await tables.store.user_names(guild), asker):
        by_name.setdefault(name.strip().casefold(), {})[user] = name
    unique: dict[str, tuple[str, str]] = {}
    for key, name in names.items():
        users = by_name.get(name.strip().casefold(), {})
        if len(users) == 1:
            unique[key] = next(iter(users.items()))
    return unique


async def ensure_free_table(tables: Tables, guild: str, channel: str, at: int) -> int:
    """Return a channel's table for dice and cards without a GM, opening it if needed."""
    place = free_place(channel)
    known = await tables.places.find(place)
    if known is not None:
        return known
    action = CreateTable(
        who=Actor(SYSTEM), place=place, at=at, name=FREE_SYSTEM.name, system=FREE_SYSTEM.key
    )
    return (await create_table(tables, guild, action, place, None, None)).table.id
