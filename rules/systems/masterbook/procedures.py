"""The kinds of check there are under MasterBook."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from rules.systems.masterbook import attack, falling, foreseen, healing, interacting, teaching
from rules.systems.masterbook.attempt import (
    PROPOSAL,
    PROPOSED,
    After,
    Attempted,
    Cancelled,
    Prepared,
    dares,
    fallen,
    private,
    require,
)
from rules.systems.masterbook.check import Attempt
from rules.systems.masterbook.deck import adventures, asking, hinting, rounding, tasks, trading
from rules.systems.masterbook.forecast import forecast, idle
from rules.systems.masterbook.moving import FORM, MOVING, Feat, Limiting, Moved, Rolled, telling
from rules.systems.masterbook.noticing import Noticed, Robbing, tried
from rules.systems.masterbook.rounds import ROUND
from rules.systems.masterbook.telling import describe
from rules.table.checks.procedure import Procedure
from rules.table.checks.stages import forget

_rolled: Final = partial(
    Procedure[Any],
    data=Attempt,
    form=PROPOSAL,
    describe=describe,
    require=require,
    fallen=fallen,
    forget=forget,
    private=private,
    odds=forecast,
    idle=idle,
    in_words=True,
)
_COURSE: Final = (
    PROPOSED,
    Prepared(PROPOSED),
    Cancelled(),
    Attempted(),
    After(),
    Robbing(),
    Noticed(tried),
)
PROCEDURES: Final[Mapping[str, Procedure[Any]]] = {
    each.kind: each
    for each in (
        _rolled("check", _COURSE, begin=PROPOSED.proposed),
        _rolled("contest", _COURSE, begin=dares),
        ROUND,
        _rolled(
            "move",
            (MOVING, Prepared(MOVING), Cancelled(), Rolled(), Limiting(), Moved(), Noticed(tried)),
            begin=MOVING.proposed,
            data=Feat,
            form=FORM,
            describe=telling,
        ),
        attack.PROCEDURE(odds=foreseen.forecast),
        interacting.PROCEDURE,
        falling.PROCEDURE,
        *healing.PROCEDURES,
        teaching.PROCEDURE,
        *asking.PROCEDURES,
        adventures.PROCEDURE,
        *trading.PROCEDURES,
        rounding.FIAT,
        hinting.PROCEDURE,
        *tasks.PROCEDURES,
    )
}
