"""What waits for somebody's next action and is gone with it (MB-INT-11, MB-DIE-04, MB-DIE-05)."""

from __future__ import annotations

from typing import Final

from rules.core.record import Record, record
from rules.systems.masterbook.talk import STYMIED, UNTRAINED, UP
from rules.table.marks import marks_of, value_of, without_marks
from rules.table.system import Game

#: Marks of a fight: how many actions somebody has done in this round; the total of an active defence, `what` is its
#: skill; what options do to the own defence until the next turn; at whom somebody aims; how somebody is surprised
#: (`partial`, `complete`); who holds somebody, with their latest total; whom somebody is striking twice at once.
ACTED, ACTIVE_DEFENCE, GUARD, AIMING, SURPRISED = "acted", "active-defence", "guard", "aiming", "surprise"
HELD, COMBINED = "held", "combined"
_USED_UP: Final = (STYMIED, UNTRAINED, UP)


@record
class Again(Record):
    """What changes which dice are rolled: two more for each of the `ups`; `stymied` takes the first roll-again."""

    ups: int = 0
    stymied: bool = False


def dice_again(game: Game, who: str) -> Again:
    """As it waits for somebody now."""
    stymied = bool(marks_of(game.state, who, STYMIED))
    return Again(value_of(game.state, who, UP), stymied)


def used_up(game: Game, who: str) -> Game:
    """The game after somebody's next action: what waited for it is gone."""
    state = game.state
    for each in _USED_UP:
        state = without_marks(state, who, each)
    return game.with_(state)
