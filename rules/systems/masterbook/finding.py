"""`/mb find`: looking for something to buy or borrow, by how hard it is to come by (MB-EQ-50)."""

from __future__ import annotations

from typing import Final

from rules.systems.masterbook import arms
from rules.systems.masterbook.means import one_of
from rules.table.commands import AS, WITH, Command, Starts
from rules.table.forms import Form, Number, Typed, Values
from rules.table.lookup import acting_as
from rules.table.system import Game

_SKILL: Final = "Streetwise"
_CODES: Final = 9


def _find(game: Game, given: Values) -> Starts:
    """A check with Streetwise unless another skill is said; without a code the GM says how hard it is."""
    who = acting_as(game.state, game.actor, given.get("as"))
    number = arms.availability(given["code"]) if "code" in given else None
    skill = given.get("skill") or one_of(who.sheet, _SKILL).name
    said = {"skill": skill, "approach": given["item"]}
    said |= {} if number is None else {"difficulty": str(number)}
    return Starts("check", said, words=given.get("with"), as_=given.get("as"))


COMMANDS: Final = (
    Command(
        "find",
        _find,
        Form(
            (
                Typed("item", most=300, needed=True),
                Number("code", high=_CODES),
                Typed("skill", most=100),
                WITH,
                AS,
            )
        ),
    ),
)
