"""What waits for somebody's next action and is gone with it (MB-INT-11, MB-DIE-04, MB-DIE-05)."""

from __future__ import annotations

from typing import Final

from rules.core.record import Record, record
from rules.systems.masterbook.talk import STYMIED, UNTRAINED, UP
from rules.table.marks import marks_of, value_of, with_marks, without_marks
from rules.table.state import Mark
from rules.table.system import Game

#: Marks of a fight: how many actions somebody has done in this round; the total of an active defence, `what` is its
#: skill; what options do to the own defence until the next turn; at whom somebody aims; how somebody is surprised
#: (`partial`, `complete`), and that they were in this round; who holds somebody, with their latest total; whom somebody
#: is striking twice at once.
ACTED, ACTIVE_DEFENCE, GUARD, AIMING, SURPRISED = "acted", "active-defence", "guard", "aiming", "surprise"
HELD, COMBINED, STARTLED = "held", "combined", "startled"
#: What lasts for more than one action: `what` is `up` or `stymied`; a side that should have broken off and could not,
#: with what that takes from all that its people roll; how many actions somebody has done, those of a flurry apart.
LINE, TRAPPED, SETS = "line", "trapped", "sets"
#: Cards that add to every number of somebody; `what` is the card.
ACTION: Final = "action-card"
#: What it is called.
ACTION_NAME: Final = "Action"
_USED_UP: Final = (STYMIED, UNTRAINED, UP)


@record
class Again(Record):
    """What changes which dice are rolled: two more for each of the `ups`; `stymied` takes the first roll-again."""

    ups: int = 0
    stymied: bool = False


def befallen(effect: str, waiting: Again) -> Again:
    """With what lasts longer, such as a card's line for the round (MB-CARD-I09, MB-CARD-I10)."""
    return waiting.but(ups=waiting.ups + (effect == UP), stymied=waiting.stymied or effect == STYMIED)


def dice_again(game: Game, who: str) -> Again:
    """As it waits for somebody now."""
    again = Again(value_of(game.state, who, UP), bool(marks_of(game.state, who, STYMIED)))
    for each in marks_of(game.state, who, LINE):
        again = befallen(each.what, again)
    return again


def startled(game: Game, who: str, *, rounds: bool) -> Game:
    """The game once somebody has been taken by surprise: it counts once, and is remembered in `rounds`."""
    state = game.state
    if rounds and marks_of(state, who, SURPRISED):
        state = with_marks(state, who, Mark(STARTLED, until="round"))
    return game.with_(without_marks(state, who, SURPRISED))


def used_up(game: Game, who: str) -> Game:
    """The game after somebody's next action: what waited for it is gone."""
    state = game.state
    for each in _USED_UP:
        state = without_marks(state, who, each)
    for mark in marks_of(state, who, ACTION):
        state = without_marks(state, who, ACTION, mark.what) if mark.until == "used" else state
    return game.with_(state)
