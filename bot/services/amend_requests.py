"""Requests of GMs to amend an entry of the journal: preview, and the outcome to write."""

from __future__ import annotations

from bot.services.action_fields import check_fields
from bot.services.amendment import (
    Amendment,
    AmendmentOutcome,
    preview_amendment,
    resolve_amendment,
)
from bot.services.loaded_table import Table
from bot.services.past_entries import PastEntry
from bot.services.replay import ReplayImpossible, replay_entries
from bot.services.resolution import request_dice
from bot.services.seeds import stream_seeds
from bot.storage.store import Store
from rules.core.errors import Impossible, NotFound, Outdated, RulesError
from rules.core.record import Record
from rules.core.rng import KeyedStreams
from rules.registry import read_only_game
from rules.table.actions import Action, Amend, Choose
from rules.table.amendments import MAX_REDONE, require_amender
from rules.table.checks.access import find_check
from rules.table.checks.available_moves import check_moves
from rules.table.checks.procedure import CheckOption
from rules.table.fields import FormContext
from rules.table.outcome import Outcome
from rules.table.readable_places import EVERYWHERE

#: Most attempts to read the journal between the actions of others.
_MAX_ATTEMPTS = 5


class AmendLookup(Record):
    """An amendment that was resolved without the table's lock, at one revision of the table."""

    revision: int
    #: Outcome, action as it is journaled, and dice; or the refusal.
    found: tuple[Outcome, Amend, KeyedStreams] | RulesError

    def result(self) -> tuple[Outcome, Amend, KeyedStreams]:
        """Return the result. Raises RulesError if the amendment is refused."""
        if isinstance(self.found, RulesError):
            raise self.found
        return self.found


class Answer(Record):
    """A GM's answer in the journal that may get other values."""

    action: Choose
    option: CheckOption
    context: FormContext

    @property
    def words(self) -> tuple[str, ...]:
        """The values as they are typed."""
        form = self.option.form
        return () if form is None else form.write_words(self.action.values)


async def past_entries(store: Store, table: Table, number: int) -> tuple[PastEntry, ...]:
    """Return the entries from *number* on, as a replay makes them.

    Raises:
        NotFound("nothing-to-undo"): there is no such entry.
        Impossible("undo-redacted"), ("undo-too-old"): it is out of reach.
        Impossible("amend-too-many"): there are too many later entries.
        Impossible("amend-other-rules"): the journal can't be replayed from there on.
    """
    kept = await store.kept_from(table.id)
    if not 1 <= number <= table.revision:
        params = {"field": "entry", "value": number, "nearest": ()}
        raise NotFound("nothing-to-undo", **params, gone=True, undone=False)
    if number == 1:
        raise Impossible("amend-final", entry=number)
    if number <= table.redacted:
        raise Impossible("undo-redacted", entry=number, first=max(kept, table.redacted + 1))
    if number < kept:
        raise Impossible("undo-too-old", entry=number, first=kept)
    if table.revision - number > MAX_REDONE:
        raise Impossible("amend-too-many", entry=number, most=MAX_REDONE)
    try:
        entries = await replay_entries(store, table.id, number)
    except ReplayImpossible:
        raise Impossible("amend-other-rules", entry=number) from None
    if entries and entries[-1].seq == table.revision and entries[-1].after != table.state:
        raise Impossible("amend-other-rules", entry=number)
    return entries


async def look_up_amendment(
    store: Store, table: Table, action: Amend, request_id: str
) -> AmendLookup | None:
    """Resolve an amendment without the table's lock, so that nobody waits for it.

    None if another action came first at each of `_MAX_ATTEMPTS` attempts.
    """
    for _ in range(_MAX_ATTEMPTS):
        await table.wait_until_written()
        revision = table.revision
        if table.pending or table.broken:
            continue
        try:
            found = await resolve_amend(store, table, action, request_id)
        except RulesError as refused:
            found = refused
        except Exception:
            if table.revision == revision:
                raise
            continue  # the reads mixed two revisions
        if table.revision == revision:
            return AmendLookup(revision, found)
    return None


async def resolve_amend(
    store: Store, table: Table, action: Amend, request_id: str
) -> tuple[Outcome, Amend, KeyedStreams]:
    """Return the outcome of an amendment, the action as it is journaled, and its dice.

    Raises as `past_entries` and `resolve_amendment`, and:
        NotPermitted("gm-only"): the actor is no GM.
        Outdated("amend-changed"): it is no longer as it was previewed.
    """
    check_fields(action)
    require_amender(table.state, action)
    entries = await past_entries(store, table, action.entry)
    preview = preview_amendment(entries, action, table.seeds)
    if preview.digest(action) != action.preview:
        raise Outdated("amend-changed", entry=action.entry)
    dice = request_dice(stream_seeds(table.seeds, table.revision + 1), request_id)
    result: AmendmentOutcome = resolve_amendment(table.state, entries, action, table.seeds, dice)
    return result.outcome, action.replace(gone=result.gone), dice


async def preview(
    store: Store, table: Table, action: Amend
) -> tuple[tuple[PastEntry, ...], Amendment]:
    """Return the later entries and what an amendment would make of them, for GMs alone.

    Raises as `past_entries` and `preview_amendment`, and NotPermitted("gm-only").
    """
    check_fields(action)
    require_amender(table.state, action)
    await table.wait_until_written()
    entries = await past_entries(store, table, action.entry)
    return entries, preview_amendment(entries, action, table.seeds)


def answer_in(entry: PastEntry) -> Answer | None:
    """Return the GM's answer that an entry holds; None if it holds none with a form."""
    action: Action = entry.action
    if not isinstance(action, Choose):
        return None
    game = read_only_game(entry.before, action.who, entry.at, EVERYWHERE)
    try:
        check = find_check(game, action.check)
    except RulesError:
        return None
    for move in check_moves(game, check):
        if move.prompt != action.prompt or (action.as_ and move.who not in action.as_):
            continue
        for option in move.options:
            if option.value == action.option and option.form is not None:
                context = FormContext(game, check, move.who, action.values)
                return Answer(action, option, context)
    return None
