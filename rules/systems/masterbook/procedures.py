"""The kinds of check there are under MasterBook."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from rules.systems.masterbook import attack, called, chart, growing, healing, interacting, uses
from rules.systems.masterbook.attempt import (
    PROPOSAL,
    PROPOSED,
    After,
    Attempted,
    Cancelled,
    Prepared,
    Read,
    Untaught,
    case_of,
    dares,
)
from rules.systems.masterbook.called import Called, Came, procedure
from rules.systems.masterbook.check import result_of
from rules.systems.masterbook.deck import adventures, asking, rounding, tasks
from rules.systems.masterbook.follows import FEEDBACK
from rules.systems.masterbook.forecast import forecast, foreseen
from rules.systems.masterbook.harm import Facts
from rules.systems.masterbook.hurting import harmed
from rules.systems.masterbook.moving import FORM, MOVING, Feat, Joined, Limiting, Moved, Rolled, telling
from rules.systems.masterbook.noticing import Noticed, Robbing, Unlucky, tried
from rules.systems.masterbook.rounds import ROUND
from rules.table.blocks import Text
from rules.table.checks.procedure import Procedure
from rules.table.people.growing import procedures as growth
from rules.table.system import Game

_rolled: Final = partial(procedure, form=PROPOSAL, odds=forecast, in_words=True)


class Fed(Came[Called]):
    """A special effect hurts whoever works it, by what is left of its feedback; nothing protects (MB-SKILL-SFX)."""

    def comes(self, game: Game, check: Any) -> tuple[Game, tuple[tuple[str, Facts], ...]]:
        data, result = check.data, result_of(check.data)
        case = case_of(game, check.actor, data.request, data.ruling or data.request)
        left = 0 if result is None else uses.backlash(result.points, case.number(FEEDBACK)).feedback
        if not left:
            return game, ()
        game, facts = harmed(game, check.actor, chart.damage(left))
        return game, ((check.actor, facts),)


_COURSE: Final = (
    *(PROPOSED, Prepared(PROPOSED), Untaught(), Cancelled(), Attempted(), Read(), After()),
    *(Fed(), Unlucky(), Robbing(), Noticed(tried)),
)
PROCEDURES: Final[Mapping[str, Procedure[Any]]] = {
    each.kind: each
    for each in (
        _rolled("check", _COURSE, begin=PROPOSED.proposed),
        _rolled("contest", _COURSE, begin=dares),
        ROUND,
        _rolled(
            "move",
            (
                *(MOVING, Prepared(MOVING), Untaught(), Joined(), Cancelled(), Rolled(), Read()),
                *(After(hostile=False), Limiting(), Moved(), Noticed(tried)),
            ),
            begin=MOVING.proposed,
            data=Feat,
            form=FORM,
            describe=telling,
        ),
        attack.PROCEDURE(odds=foreseen),
        interacting.PROCEDURE,
        called.FALL,
        called.HOLD,
        *healing.PROCEDURES,
        growing.PROCEDURE,
        *growth(growing.learn, growing.advance, Text("mb-grows")),
        *asking.PROCEDURES,
        adventures.PROCEDURE,
        rounding.FIAT,
        *tasks.PROCEDURES,
    )
}
