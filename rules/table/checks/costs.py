"""What costs something in the checks that are open, found by its name."""

from __future__ import annotations

from collections.abc import Sequence

from rules.core.errors import Impossible, InvalidInput
from rules.table.checks.access import find_check
from rules.table.checks.moves import Move, moves
from rules.table.checks.procedure import Option
from rules.table.lookup import acting_as
from rules.table.system import Game

Costly = tuple[Move, Option]


def costly(game: Game, as_: str | None = None, check: str | None = None) -> tuple[Costly, ...]:
    """What whoever acts could pay for now and needs nothing filled in, the newest check first.

    With `as_` for that character alone, with `check` in that one. Raises as `acting_as` and `find_check`.
    """
    who = None if as_ is None else acting_as(game.state, game.actor, as_).id
    named = None if check is None else find_check(game, check).id
    found = [
        (move, option)
        for move in reversed(moves(game))
        if who in (None, move.who) and named in (None, move.check)
        for option in move.options
        if option.cost is not None and option.form is None
    ]
    return tuple(found)


def meant_cost(found: Sequence[Costly], what: str, choice: str | None) -> Costly:
    """The option that is called `what`, or `what:choice`, in the newest check that has it.

    Impossible("nothing-to-spend"); InvalidInput("cannot-spend", "which-choice") with what there is.
    """
    if not found:
        raise Impossible("nothing-to-spend")
    wanted = (what if choice is None else f"{what}:{choice}").strip().casefold()
    names = tuple(dict.fromkeys(option.value for _, option in found))
    exact = [name for name in names if name.casefold() == wanted]
    fitting = exact or [name for name in names if wanted and name.casefold().startswith(wanted)]
    if len(fitting) > 1 and len({name.partition(":")[0] for name in fitting}) == 1:
        choices = tuple(name.partition(":")[2] for name in fitting)
        raise InvalidInput("which-choice", field="choice", value=None, allowed=choices)
    if len(fitting) != 1:
        raise InvalidInput("cannot-spend", field="what", value=what[:100], allowed=names)
    return next(each for each in found if each[1].value == fitting[0])
