"""The one way a table changes: `resolve(state, action, rng)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.core.errors import Impossible, NotFound
from rules.core.rng import Streams
from rules.registry import get_system
from rules.table import actions, challenges, characters, settings
from rules.table.outcome import Outcome
from rules.table.state import TableState
from rules.table.system import System

_ON_CHALLENGES: dict[type, Callable[[TableState, Any, Streams, System], Outcome]] = {
    actions.Propose: challenges.propose,
    actions.Revise: challenges.revise,
    actions.Withdraw: challenges.withdraw,
    actions.AskBack: challenges.ask_back,
    actions.Answer: challenges.answer,
    actions.Roll: challenges.roll,
    actions.Spend: challenges.spend,
    actions.Settle: challenges.settle,
    actions.Due: challenges.due,
}
_ON_TABLE: dict[type, Callable[[TableState, Any], Outcome]] = {
    actions.ChangeGms: settings.change_gms,
    actions.TakeOver: settings.take_over,
    actions.ChangeSettings: settings.change_settings,
    actions.ChangePerson: settings.change_person,
    actions.UseCharacter: characters.use_character,
}


def resolve(state: TableState | None, action: actions.Action, rng: Streams) -> Outcome:
    """What the action makes of the state. Pure: the same three arguments always give the same outcome.

    `state` is None only for `CreateTable`. Raises `RulesError` when the action is refused, and nothing has
    changed then; TypeError for a class that is no action.
    """
    if state is None:
        if not isinstance(action, actions.CreateTable):
            raise NotFound("no-table", field="place", value=None, nearest=())
        get_system(action.system)
        return settings.create(action)
    if isinstance(action, actions.CreateTable):
        raise Impossible("place-taken", name=state.settings.name)
    system = get_system(state.settings.system)
    on_challenge = _ON_CHALLENGES.get(type(action))
    if on_challenge is not None:
        return on_challenge(state, action, rng, system)
    on_table = _ON_TABLE.get(type(action))
    if on_table is not None:
        return on_table(state, action)
    if isinstance(action, actions.ImportCharacter):
        return characters.import_character(state, action, system)
    raise TypeError(f"{type(action).__name__} is no action")
