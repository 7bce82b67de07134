"""The kinds of check there are under EGO."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from rules.systems.ego import acts, attack, attempt, casting, crashes, falling, healing, rounds
from rules.systems.ego.chances import forecast, idle
from rules.systems.ego.check import Attempt
from rules.systems.ego.telling import describe
from rules.table.checks.procedure import Procedure
from rules.table.checks.stages import forget

_rolled: Final = partial(
    Procedure[Attempt],
    data=Attempt,
    form=attempt.PROPOSAL,
    describe=describe,
    require=attempt.require,
    fallen=attempt.fallen,
    forget=forget,
    odds=forecast,
    idle=idle,
    in_words=True,
)
PROCEDURES: Final[Mapping[str, Procedure[Any]]] = {
    each.kind: each
    for each in (
        _rolled("check", attempt.COURSE, begin=attempt.PROPOSED.proposed),
        _rolled("contest", attempt.COURSE, begin=attempt.dares),
        attack.PROCEDURE,
        rounds.ROUND,
        acts.PROCEDURE,
        casting.PROCEDURE,
        falling.PROCEDURE,
        *healing.PROCEDURES,
        *crashes.PROCEDURES,
    )
}
