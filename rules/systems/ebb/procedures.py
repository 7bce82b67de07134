"""The kinds of check there are under EBB."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.systems.ebb import attack, healing
from rules.systems.ebb.attempt import (
    PROPOSAL,
    Attempt,
    Prepared,
    Proposal,
    Thrown,
    fallen,
    forget,
    private,
    proposed,
    require,
)
from rules.systems.ebb.chances import forecast, idle
from rules.systems.ebb.telling import describe
from rules.table.checks.procedure import Procedure, Stage, procedure
from rules.table.checks.stages import Proposed
from rules.table.forms import Form


def _procedure(
    kind: str, form: Form, begin: Any, first: Proposed[Attempt], *more: Stage[Attempt]
) -> Procedure[Attempt]:
    return procedure(
        kind,
        first,
        *more,
        data=Attempt,
        form=form,
        begin=begin,
        describe=describe,
        require=require,
        fallen=fallen,
        forget=forget,
        anybody=kind == "rest",
        private=private,
        odds=None if kind == "rest" else forecast,
        idle=idle,
        in_words=kind != "rest",
    )


_PROPOSED: Final = Proposal()
_ATTACKED: Final = Proposal(attack.Hit.name)
_TREATED: Final = Proposal(healing.HEALED)
PROCEDURES: Final[Mapping[str, Procedure[Any]]] = {
    each.kind: each
    for each in (
        _procedure("check", PROPOSAL, proposed, _PROPOSED, Prepared(_PROPOSED), Thrown()),
        _procedure(
            "attack",
            attack.FORM,
            attack.attacked,
            _ATTACKED,
            attack.Facing(_ATTACKED),
            Thrown(),
            attack.Hit(),
        ),
        _procedure(
            "treat",
            healing.TREAT_FORM,
            healing.treats,
            _TREATED,
            Prepared(_TREATED),
            Thrown(),
            healing.Healing(),
        ),
        _procedure("rest", healing.REST_FORM, healing.rests, healing.Resting(), healing.Healing()),
    )
}
