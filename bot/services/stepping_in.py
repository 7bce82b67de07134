"""Step-ins: reruns of the journal entry that made a result, with a choice added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.services.action_fields import check_fields
from bot.services.dice_keys import dice_key
from bot.services.loaded_table import Table
from bot.services.readers import Reader
from bot.services.resolution import request_dice, resolve_action
from bot.services.seeds import seed_for_entry, stream_seeds
from bot.storage import codec
from bot.storage.row_records import EntryRow, SeedRow
from bot.storage.store import Store
from rules.core.errors import Impossible, NotPermitted, Outdated, RulesError
from rules.core.record import Record
from rules.core.rng import KeyedStreams, Streams
from rules.registry import get_system, read_only_game
from rules.table.actions import Action, Amend, AskToStepIn, StepIn, Undo
from rules.table.check import AnyCheck, StepInChoice
from rules.table.checks.access import find_check, may_answer
from rules.table.gms.deputy_rights import with_deputy_limits
from rules.table.journal.step_in import (
    Parts,
    PastMove,
    conflicting_parts,
    has_drawn_cards,
    is_play_past,
    past_moves,
    require_question,
    require_step_in_time,
    state_before,
    step_in_outcome,
    too_late_error,
    with_missing_moves,
)
from rules.table.late_choices import LateChoice, LateChoices
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, require_gm
from rules.table.readable_places import EVERYWHERE
from rules.table.state import Part, TableState
from rules.table.system import Game

#: Most entries that are read of one check, and most that are read of those after its result.
_MOST_ENTRIES: Final = 500

#: Changed parts of an entry as they are stored: version and text by key; None for a new part.
StoredParts = Mapping[str, tuple[int, str] | None]


class ResultEntry(Record):
    """Journal entry that made the present result of a check, and the step-ins since."""

    #: Number of the entry, id of its request, and its action.
    seq: int
    request: str
    action: Action
    #: Choices of the step-ins since, oldest first.
    earlier: tuple[StepInChoice, ...]
    #: Parts that the entry and each step-in changed, as they were before; newest first.
    before: tuple[Parts, ...]


class Rerun(Record):
    """Outcome of running a journal entry once more, with the late choices and the dice used."""

    outcome: Outcome
    late: LateChoices
    dice: KeyedStreams


class StepInView(Record):
    """A finished check, and the choices that a reader may still make in it."""

    check: AnyCheck
    moves: tuple[PastMove, ...]


# --- the entry that made the result ---------------------------------------------------------------


async def find_result(store: Store, table: Table, check: AnyCheck) -> ResultEntry:
    """Return the entry that made a check's result.

    Raises Impossible("step-in-too-late") if the entry can't be carried out again.
    """
    touching = await store.entries_touching(table.id, {f"check:{check.id}": 0}, _MOST_ENTRIES)
    rows = [row for row, _ in touching or () if row.undone_by is None and row.kind != Undo.__name__]
    if not rows or rows[-1].kind == Amend.__name__:
        raise too_late_error(check)
    chain = [rows[-1]]
    last = await _whole(store, table, rows[-1].seq)
    action = codec.read_action(last.kind, last.action) if _is_whole(table, last) else None
    if isinstance(action, StepIn):
        chain = [row for row in rows if row.seq >= action.entry]
        last = await _whole(store, table, action.entry)
        if chain[0].seq != action.entry or not _is_whole(table, last):
            raise too_late_error(check)
    kept = await store.kept_from(table.id)
    if action is None or last.seq < kept:
        raise too_late_error(check)
    earlier: list[StepInChoice] = []
    for row in chain[1:]:
        one = await _whole(store, table, row.seq)
        step = codec.read_action(one.kind, one.action) if _is_whole(table, one) else None
        if not isinstance(step, StepIn):
            raise too_late_error(check)
        earlier.append(choice_of(step, one.seq))
    stored = await store.parts_before([row.id for row in chain])
    before = [_read_parts(table, stored.get(row.id, {})) for row in reversed(chain)]
    first = codec.read_action(last.kind, last.action)
    return ResultEntry(last.seq, last.request_id, first, tuple(earlier), tuple(before))


def _read_parts(table: Table, stored: StoredParts) -> Parts:
    key = table.state.settings.system
    parts: dict[str, Part | None] = {}
    for name, text in stored.items():
        parts[name] = None if text is None else codec.read_part(key, table.id, name, *text)
    return parts


async def _state_then(store: Store, table: Table, result: ResultEntry) -> TableState:
    """Return the table before a result, with every part as it was at the time.

    `state_before` puts back only what the result itself changed. Here all later entries count, too,
    so a point that was spent since is back on its sheet. Raises Impossible("not-offered") if there
    are too many later entries.
    """
    later = await store.entries(table.id, since=result.seq, limit=_MOST_ENTRIES + 1)
    if len(later) > _MOST_ENTRIES:
        raise Impossible("not-offered")
    ids = [row.id for row, _ in later]
    stored = await store.parts_before(ids)
    newest_first = [_read_parts(table, stored.get(id, {})) for id in reversed(ids)]
    return state_before(table.state, newest_first)


async def _whole(store: Store, table: Table, seq: int) -> EntryRow:
    """Return the entry of that number in full, with its action."""
    ((row, _),) = await store.entries_at(table.id, [seq])
    return row


def _is_whole(table: Table, row: EntryRow) -> bool:
    """Return whether an entry can be carried out again: not redacted, and of the same rules."""
    rules = get_system(table.state.settings.system).version
    return row.seq > table.redacted and row.rules_version == rules


def choice_of(action: StepIn, seq: int) -> StepInChoice:
    """Return the choice that a step-in makes in entry *seq*."""
    by = action.asked_by or action.who.id
    key = dice_key(action, "")
    return StepInChoice(
        action.stage, action.prompt, action.option, action.as_, by, action.at, seq, key
    )


def with_present_check(table: Table, action: StepIn) -> StepIn:
    """Return a step-in with its check's id, and with the present revision if a GM lets it in.

    The dice of its choice depend on both. Raises NotFound("unknown-check").
    """
    game = read_only_game(table.state, action.who, action.at, EVERYWHERE)
    check = find_check(game, action.check)
    revision = check.revision if action.asked_by else action.revision
    return action.replace(check=check.id, revision=revision)


# --- carrying it out once more --------------------------------------------------------------------


def run_again(
    before: TableState,
    result: ResultEntry,
    seeds: Sequence[SeedRow],
    check: AnyCheck,
    new: LateChoice | None = None,
) -> Rerun:
    """Carry an entry out once more on the table before it, with the choices made since.

    The same dice fall. `new` is a choice to add. Raises RulesError if the action or a choice is
    refused.
    """
    choices = [
        LateChoice(choice, request_dice(stream_seeds(seeds, choice.seq), choice.dice_key))
        for choice in result.earlier
    ]
    if new is not None:
        choices.append(new)
    late = LateChoices(check.id, tuple(choices), check.revision)
    dice = request_dice(stream_seeds(seeds, result.seq), result.request)
    return Rerun(resolve_action(before, result.action, dice, late), late, dice)


def redo_step_in(
    state: TableState,
    action: StepIn,
    result: ResultEntry,
    seeds: Sequence[SeedRow],
    dice: Streams,
    seq: int,
) -> tuple[Outcome, Rerun, Rerun]:
    """Return the outcome of a step-in, and the entry's runs without it and with it.

    Raises:
        RulesError: the choice is refused.
        Impossible("step-in-too-late"): the earlier choices don't come out again.
    """
    check = state.checks[action.check]
    before = state_before(state, result.before)
    try:
        base = run_again(before, result, seeds, check)
    except RulesError:
        raise too_late_error(check) from None
    if not base.late.all_made:
        raise too_late_error(check)
    new = run_again(before, result, seeds, check, LateChoice(choice_of(action, seq), dice))
    game = read_only_game(state, action.who, action.at, EVERYWHERE)
    return step_in_outcome(game, action, base.outcome, new.outcome, new.late), base, new


async def resolve_step_in(
    store: Store, table: Table, action: StepIn, dice: KeyedStreams
) -> tuple[Outcome, StepIn]:
    """Return the outcome of a step-in, and the action as it is journaled.

    `action` is as `with_present_check` returns it.

    Raises:
        NotFound("unknown-check"): the actor can't see the check.
        NotPermitted("gm-only"): the actor lets a player's choice in, but is no GM.
        NotPermitted("owner-only"), ("not-asked"): the choice isn't the actor's to make.
        Outdated("step-in-changed"): the check has changed since the actor saw it.
        Impossible("step-in-off"), ("step-in-over"): the result is final.
        Impossible("step-in-too-late"): play has moved on, the rerun needs a GM, or the choice was
            only possible with what the sheets had at the time.
        Impossible("step-in-decided"): a GM has answered the player's question already.
        Impossible("not-offered"), ("not-enough"): the option can't be chosen.
    """
    check_fields(action)
    state = table.state
    action = with_deputy_limits(state, action)
    game = read_only_game(state, action.who, action.at, EVERYWHERE)
    check = find_check(game, action.check)
    let_in = bool(action.asked_by)
    if let_in:
        require_gm(state, action.who)
        require_question(state, action.question)
    else:
        if check.revision != action.revision:
            raise Outdated("step-in-changed", check=check.id)
        if not is_gm(state, action.who) and not _may_still_answer(game, check, action.as_):
            # The rerun asks for the rights of the time.
            raise NotPermitted("not-asked", check=check.id)
        require_step_in_time(game, check)
        if is_play_past(game, check):
            raise too_late_error(check)
    result = await find_result(store, table, check)
    action = action.replace(entry=result.seq, earlier=result.earlier)
    seq = table.revision + 1
    try:
        outcome, base, new = redo_step_in(state, action, result, table.seeds, dice, seq)
    except RulesError:
        if not let_in and await _was_allowed_then(store, table, action, result):
            raise too_late_error(check) from None
        raise
    before = state_before(state, result.before)
    if conflicting_parts(state, base.outcome.state, new.outcome.state):
        raise too_late_error(check)
    if not let_in and _needs_a_gm(table, result, before, base, new):
        raise too_late_error(check)
    return outcome, action


async def _was_allowed_then(
    store: Store, table: Table, action: StepIn, result: ResultEntry
) -> bool:
    """Return whether a choice was possible on the table of the time."""
    try:
        await try_then(store, table, action, result)
    except RulesError:
        return False
    return True


def _needs_a_gm(
    table: Table, result: ResultEntry, before: TableState, base: Rerun, new: Rerun
) -> bool:
    """Return whether only a GM may let the choice in.

    That is so if the result dealt cards, or if the choice draws more dice from a revealed seed.
    """
    if has_drawn_cards(before, base.outcome.state):
        return True
    public = seed_for_entry(table.seeds, "public", result.seq)
    secret = seed_for_entry(table.seeds, "secret", result.seq)
    more_public = new.dice.public.drawn > base.dice.public.drawn
    more_secret = new.dice.hidden > base.dice.hidden
    return (more_public and public.ended_seq is not None) or (
        more_secret and secret.ended_seq is not None
    )


# --- options and their trial ----------------------------------------------------------------------


async def view_step_in(
    store: Store, reader: Reader, check_id: str, *, late: bool = True
) -> StepInView:
    """Return the choices that a reader may still make in a check that is over.

    A choice that comes too late is listed too. Leaving it out would tell the reader of another
    player's secret step. With *late* these are also the choices for which a point is missing now
    that was there at the time: only the GM can let them in.

    Raises:
        NotFound("unknown-check"): the reader can't see the check.
        Impossible("step-in-off"), ("step-in-over"): the result is final.
    """
    table = reader.table
    await table.wait_until_written()
    game = reader.game
    check = find_check(game, check_id)
    require_step_in_time(game, check)
    try:
        result = await find_result(store, table, check)
        moves = moves_on(state_before(table.state, result.before), table, result, game, check)
    except RulesError:
        return StepInView(check, ())
    if late:
        moves = with_missing_moves(moves, await moves_then(store, table, result, game, check))
    return StepInView(check, moves)


def moves_on(
    before: TableState, table: Table, result: ResultEntry, game: Game, check: AnyCheck
) -> tuple[PastMove, ...]:
    """Return an actor's options on a table before the result. Raises RulesError.

    *game* is the present table for the actor.
    """
    base = run_again(before, result, table.seeds, check)
    return past_moves(base.late.past, game.actor, game.at, game.readable)


async def moves_then(
    store: Store, table: Table, result: ResultEntry, game: Game, check: AnyCheck
) -> tuple[PastMove, ...]:
    """Return an actor's options by the sheets of the time, of characters that are still theirs."""
    if result.seq == table.revision:
        return ()
    try:
        then = await _state_then(store, table, result)
        moves = moves_on(then, table, result, game, check)
    except RulesError:
        return ()
    return tuple(past for past in moves if _may_still_answer(game, check, past.move.who))


def _may_still_answer(game: Game, check: AnyCheck, who: str) -> bool:
    return may_answer(game.state, game.actor, who, game.at, gm_only=check.gm_only)


def _as_step_in(action: StepIn | AskToStepIn, check: AnyCheck) -> StepIn:
    """Return the step-in that a GM would let in, with the check's present revision."""
    by = action.asked_by if isinstance(action, StepIn) else action.who.id
    return StepIn(
        who=action.who,
        place=action.place,
        at=action.at,
        check=check.id,
        stage=action.stage,
        prompt=action.prompt,
        option=action.option,
        revision=check.revision,
        as_=action.as_,
        asked_by=by,
    )


def try_choice(
    before: TableState,
    table: Table,
    action: StepIn | AskToStepIn,
    result: ResultEntry,
    check: AnyCheck,
) -> tuple[Rerun, Rerun]:
    """Return the runs of the result's entry on a table before it, without a choice and with it.

    Raises RulesError if the choice is refused.
    """
    choice = choice_of(_as_step_in(action, check), table.revision + 1)
    dice = request_dice(stream_seeds(table.seeds, choice.seq), choice.dice_key)
    base = run_again(before, result, table.seeds, check)
    new = run_again(before, result, table.seeds, check, LateChoice(choice, dice))
    if not new.late.all_made:
        raise Impossible("not-offered", check=check.id)
    return base, new


async def try_then(
    store: Store, table: Table, action: StepIn | AskToStepIn, result: ResultEntry
) -> tuple[Rerun, Rerun]:
    """Return the runs as `try_choice` does, by the sheets of the time. Raises as it does."""
    then = await _state_then(store, table, result)
    return try_choice(then, table, action, result, table.state.checks[action.check])
