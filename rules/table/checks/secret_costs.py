"""Points spent in secret stages, which public totals must not show yet."""

from __future__ import annotations

from rules.table.checks.procedure import procedure_of
from rules.table.system import Game


def secretly_spent(game: Game, who: str, resource: str, *, besides: str = "") -> int:
    """Return the points that a character has spent in stages that are still secret.

    The result is negative if the character gained points. `resource` is the key of the points, and
    `besides` the id of a check to leave out.
    """
    spent = 0
    for check in game.state.open_checks:
        if check.id == besides or not any(asked.prompt.secret for asked in check.asked):
            continue
        stage = procedure_of(game, check.kind).stages[check.stage]
        for payer, paid, amount in stage.secret_costs(check):
            if (payer, paid) == (who, resource):
                spent += amount
    return spent
