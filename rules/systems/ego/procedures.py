"""The kinds of check there are under EGO."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from rules.systems.ego import acts, attack, casting, crashes, falling, healing, rounds
from rules.systems.ego.attempt import (
    PROPOSAL,
    PROPOSED,
    Knowing,
    Paying,
    Prepared,
    Thrown,
    Tied,
    Weighing,
    dares,
    fallen,
    require,
)
from rules.systems.ego.chances import forecast, idle
from rules.systems.ego.check import Attempt
from rules.systems.ego.telling import describe
from rules.table.checks.procedure import Procedure
from rules.table.checks.stages import forget

_rolled: Final = partial(
    Procedure[Attempt],
    data=Attempt,
    form=PROPOSAL,
    describe=describe,
    require=require,
    fallen=fallen,
    forget=forget,
    odds=forecast,
    idle=idle,
    in_words=True,
)
_COURSE: Final = (PROPOSED, Prepared(PROPOSED), Paying(), Knowing(), Weighing(), Thrown(), Tied())
PROCEDURES: Final[Mapping[str, Procedure[Any]]] = {
    each.kind: each
    for each in (
        _rolled("check", _COURSE, begin=PROPOSED.proposed),
        _rolled("contest", _COURSE, begin=dares),
        attack.PROCEDURE,
        rounds.ROUND,
        acts.PROCEDURE,
        casting.PROCEDURE,
        falling.PROCEDURE,
        *healing.PROCEDURES,
        *crashes.PROCEDURES,
    )
}
