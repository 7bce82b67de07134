"""The kinds of check there are under EBB."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from rules.systems.ebb import attack, healing, resources
from rules.systems.ebb.attempt import (
    PROPOSAL,
    PROPOSED,
    Attempt,
    Prepared,
    Proposal,
    Thrown,
    forget,
    private,
    require,
)
from rules.systems.ebb.chances import forecast, idle
from rules.systems.ebb.telling import describe
from rules.table.blocks import Text
from rules.table.checks.procedure import Procedure
from rules.table.events import Line
from rules.table.people.growing import procedures as growth

_shared: Final = partial(
    Procedure[Attempt],
    data=Attempt,
    describe=describe,
    require=require,
    fallen=lambda data: data.rolled is not None,
    forget=forget,
    private=private,
    idle=idle,
)
#: What is rolled at all.
_rolled: Final = partial(_shared, odds=forecast, in_words=True)
_ATTACKED: Final = Proposal(attack.Hit.name)
_TREATED: Final = Proposal(healing.HEALED)
_CHECK: Final = (PROPOSED, Prepared(PROPOSED), Thrown())
_ATTACK: Final = (_ATTACKED, attack.Facing(_ATTACKED, Line("answer-defend")), Thrown(), attack.Hit())
_CONTEST: Final = (PROPOSED, attack.Facing(PROPOSED, Line("answer-face")), Thrown())
_TREATMENT: Final = (_TREATED, Prepared(_TREATED), Thrown(), healing.Healing())
_REST: Final = (healing.Resting(), healing.Healing())
PROCEDURES: Final[Mapping[str, Procedure[Any]]] = {
    each.kind: each
    for each in (
        _rolled("check", _CHECK, form=PROPOSAL, begin=PROPOSED.proposed),
        _rolled("attack", _ATTACK, form=attack.FORM, begin=attack.against),
        _rolled("contest", _CONTEST, form=PROPOSAL, begin=partial(attack.against, wanted="opponent")),
        _rolled("treat", _TREATMENT, form=healing.TREAT_FORM, begin=healing.treats),
        _shared("rest", _REST, form=healing.REST_FORM, begin=healing.rests, anybody=True),
        *growth(resources.learn, resources.advance, Text("ebb-field-ability"), needed=True),
    )
}
