"""Rolls that the rules call for, against a number of theirs, and what they do to people: nobody proposes or answers."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import Any, Final, TypeVar

from rules.core.record import record
from rules.systems.masterbook.attempt import Attempted, Cancelled, Reads, Untaught, looked, require
from rules.systems.masterbook.check import AnyAttempt, Attempt, Plan
from rules.systems.masterbook.forecast import idle
from rules.systems.masterbook.harm import Facts
from rules.systems.masterbook.telling import describe, happened, is_npc, seen_of
from rules.table.blocks import GMS_ONLY, Block, Note, Seen
from rules.table.checks.check import Check, Values
from rules.table.checks.procedure import Procedure, Stage, Step
from rules.table.checks.stages import APPROACH, ROLL, forget
from rules.table.system import Game


@record
class Called(Attempt):
    """A roll, and what came of it: whom it befell, and what; `over` tells that it has been done."""

    came: tuple[tuple[str, Facts], ...] = ()
    over: bool = False


T = TypeVar("T", bound=Called)


def called(game: Game, check: AnyAttempt, plan: Plan, number: int, values: Values) -> Any:
    """The check with what is rolled against which number; what is about an NPC is for the GMs. Raises as `looked`."""
    ruling = Plan(difficulty=str(number), modifier=plan.modifier)
    data = check.data.but(request=plan, ruling=ruling, answer=ROLL)
    hidden = check.target is not None and is_npc(game, check.target)
    said = values.get(APPROACH.key, "").strip()
    return check.but(data=looked(game, check, data), hidden=hidden, approach=said)


class Came(Stage[T]):
    """What the roll does, once."""

    name = "came"

    @abstractmethod
    def comes(self, game: Game, check: Check[Any]) -> tuple[Game, tuple[tuple[str, Facts], ...]]:
        """The game after it, whom it befell, and what."""

    def enter(self, game: Game, check: Check[T], /) -> Step[T] | None:
        if check.data.over or check.data.failed:
            return None
        game, came = self.comes(game, check)
        return Step(game.state, check.data.but(came=(*check.data.came, *came), over=True))


def came_notes(game: Game, check: AnyAttempt, came: tuple[tuple[str, Facts], ...]) -> tuple[Block, ...]:
    """What befell whom; how an NPC is only GMs read."""
    found: list[Block] = []
    for who, facts in came:
        seen: Seen = GMS_ONLY if is_npc(game, who) else seen_of(check)
        found += [Note(line, seen) for line in happened(who, facts)]
    return tuple(found)


def tell(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """The roll, and what came of it."""
    return (*describe(game, check), *came_notes(game, check, check.data.came))


#: A kind of them: its name, its stages, its form and how it begins.
procedure: Final = partial(
    Procedure[Any],
    data=Called,
    describe=tell,
    require=require,
    forget=forget,
    idle=idle,
)


def rolled(reads: Reads) -> tuple[Stage[Any], ...]:
    """The stages of the dice; `reads` tells whether how well it was done says what comes of it."""
    return (Untaught(), Cancelled(), Attempted(reads))
