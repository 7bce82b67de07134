"""Points as everybody may know them: those spent in a secret answer are there until it is told."""

from __future__ import annotations

from rules.table.checks.procedure import procedure_of
from rules.table.system import Game


def secretly_spent(game: Game, who: str, resource: str, *, besides: str = "") -> int:
    """Return what a character has spent of a resource in stages that still keep it secret.

    Less than nothing for points that were gained so. `besides` is a check that doesn't count.
    """
    spent = 0
    for check in game.state.open_checks:
        if check.id == besides or not any(each.prompt.secret for each in check.asked):
            continue
        stage = procedure_of(game, check.kind).stages[check.stage]
        for payer, paid, amount in stage.secret_costs(check):
            if (payer, paid) == (who, resource):
                spent += amount
    return spent
