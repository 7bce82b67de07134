"""Questions of players to let in a choice that comes too late, and what a GM does to let it in."""

from __future__ import annotations

from typing import Final

from bot.services.action_fields import check_fields
from bot.services.loaded_table import Table
from bot.services.stepping_in import (
    find_result,
    moves_on,
    moves_then,
    try_choice,
    try_then,
)
from bot.services.undo import resolve_undo
from bot.storage.store import Store
from rules.core.errors import Impossible, RulesError
from rules.registry import read_only_game
from rules.table.actions import Actor, AskToStepIn, LateStep, StepIn, Undo
from rules.table.checks.access import find_check
from rules.table.journal.step_in import ask_to_step_in, conflicting_parts, find_move, state_before
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm
from rules.table.readable_places import EVERYWHERE

#: Most entries that are read of those built on a result.
_MOST_ENTRIES: Final = 500


async def resolve_question(store: Store, table: Table, action: AskToStepIn) -> Outcome:
    """Return the outcome of asking the GMs to let in a choice that comes too late.

    The choice has to be possible on the present sheets, or on those of the time.

    Raises:
        NotFound("unknown-check"): the actor can't see the check.
        NotPermitted("not-asked"): the choice isn't the actor's to make.
        Impossible("not-offered"): the check has no such option.
    """
    check_fields(action)
    game = read_only_game(table.state, action.who, action.at, EVERYWHERE)
    check = find_check(game, action.check)
    try:
        result = await find_result(store, table, check)
        moves = moves_on(state_before(table.state, result.before), table, result, game, check)
    except RulesError:
        raise Impossible("not-offered", check=check.id) from None
    try:
        option = find_move(moves, action, check)
    except Impossible:
        option = find_move(await moves_then(store, table, result, game, check), action, check)
    undoes = await undone_by_letting_in(store, table, action)
    return ask_to_step_in(game, action, option, undoes, table.revision + 1)


async def built_on_result(
    store: Store, table: Table, action: StepIn | AskToStepIn
) -> tuple[int, ...]:
    """Return the numbers of later entries that stand in the way of a step-in, oldest first.

    A choice that the present sheets refuse is judged by the sheets of the time. Raises as
    `find_result`, and RulesError if the choice is refused then, too.
    """
    state = table.state
    check = state.checks.get(action.check)
    if check is None:
        return ()
    result = await find_result(store, table, check)
    before = state_before(state, result.before)
    try:
        base, new = try_choice(before, table, action, result, check)
    except RulesError:
        base, new = await try_then(store, table, action, result)
    keys = conflicting_parts(state, base.outcome.state, new.outcome.state)
    if not keys:
        return ()
    ((entry, _),) = await store.entries_at(table.id, [result.seq])
    rows = await store.entries_touching(table.id, dict.fromkeys(keys, entry.id), _MOST_ENTRIES)
    known = {result.seq, *[earlier.seq for earlier in result.earlier]}
    return tuple(
        [
            row.seq
            for row, _ in rows or ()
            if row.undone_by is None and row.kind != Undo.__name__ and row.seq not in known
        ]
    )


async def undone_by_letting_in(
    store: Store, table: Table, action: StepIn | AskToStepIn
) -> tuple[int, ...]:
    """Return the numbers of the entries that a GM undoes to let a step-in in, oldest first.

    These are the entries in its way, and all that depend on them. Of an entry that can't be undone
    only its own number is returned: the undo itself tells the GM why. Raises as `built_on_result`.
    """
    state = table.state
    gm = action.who
    if not is_gm(state, gm) and state.settings.gms:
        gm = Actor(state.settings.gms[0])
    undone: set[int] = set()
    for entry in await built_on_result(store, table, action):
        if entry in undone:
            continue
        undone.add(entry)
        undo = Undo(who=gm, place=action.place, at=action.at, entry=entry, all_dependents=True)
        try:
            _, undo = await resolve_undo(store, table, undo)
        except RulesError:
            continue
        undone.update(undo.entries)
    return tuple(sorted(undone))


async def late_step(store: Store, table: Table, action: StepIn) -> tuple[int, LateStep]:
    """Return the entry of a result and the choice that a GM lets in there.

    Raises as `find_result`, and NotFound("unknown-check").
    """
    game = read_only_game(table.state, action.who, action.at, EVERYWHERE)
    check = find_check(game, action.check)
    result = await find_result(store, table, check)
    late = LateStep(
        check=check.id,
        stage=action.stage,
        prompt=action.prompt,
        option=action.option,
        revision=check.revision,
        who=action.as_,
        by=action.asked_by,
        question=action.question,
        earlier=result.earlier,
    )
    return result.seq, late
