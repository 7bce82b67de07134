"""`/mb escape`: getting out of a hold, by Agility or by Strength (MB-SKILL-MARTIAL-ARTS)."""

from __future__ import annotations

from typing import Any, Final

from rules.core.errors import Impossible
from rules.core.record import record
from rules.systems.masterbook import combat
from rules.systems.masterbook.attempt import After, never
from rules.systems.masterbook.called import Called, Came, called, procedure, rolled
from rules.systems.masterbook.check import AnyAttempt, Plan, result_of
from rules.systems.masterbook.doing import HELD, starts
from rules.systems.masterbook.harm import Facts
from rules.systems.masterbook.means import known, require_awake
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.table.checks.check import Check, Values
from rules.table.checks.stages import APPROACH
from rules.table.commands import AS, Command
from rules.table.forms import Form, Pick, as_written
from rules.table.marks import marks_of, without_marks
from rules.table.state import Mark
from rules.table.system import Game

_WAYS: Final = ("agility", "strength")
_WRESTLING: Final = ("Martial Arts", "wrestling")
FORM: Final = Form((Pick("how", among=as_written(_WAYS)), APPROACH))


@record
class Escape(Called):
    """A try to get out of the hold of somebody, `against` a total or a strength."""

    against: int = 0


def _hold(game: Game, who: str) -> Mark:
    """Impossible("mb-nobody-holds")."""
    found = [each for each in marks_of(game.state, who, HELD) if each.what in game.state.characters]
    if not found:
        raise Impossible("mb-nobody-holds", who=game.character(who).name)
    return found[0]


def _grip(sheet: MasterbookSheet) -> int:
    """Strength with the adds in wrestling."""
    adds = [
        each.adds
        for each in known(sheet)
        if (each.skill, each.focus.casefold()) == _WRESTLING and not each.special
    ]
    return sheet.strength + max(adds, default=0)


def _begun(game: Game, check: AnyAttempt, given: Values) -> AnyAttempt:
    """Raises as `require_awake`, `_hold` and `called`."""
    require_awake(game, check.actor)
    hold, how = _hold(game, check.actor), given.get("how", _WAYS[0])
    against = hold.value if how == _WAYS[0] else _grip(game.sheet(hold.what))
    found: Any = check.but(target=hold.what, data=check.data.but(against=against))
    return called(game, found, Plan(attribute=how), combat.freeing(against), given)


class Freed(Came[Escape]):
    """Free, or still held."""

    def comes(self, game: Game, check: Check[Any]) -> tuple[Game, tuple[tuple[str, Facts], ...]]:
        result = result_of(check.data)
        if result is None:
            return game, ()
        if not combat.freed(result.total, check.data.against):
            return game, ((check.actor, (("still_held", 0),)),)
        return game.with_(without_marks(game.state, check.actor, HELD)), ((check.actor, (("freed", 0),)),)


PROCEDURE: Final = procedure(
    "escape", (*rolled(never), After(never), Freed()), data=Escape, form=FORM, begin=_begun
)
COMMANDS: Final = (Command("escape", starts("escape", how=_WAYS[0]), Form((*FORM.fields, AS))),)
