"""`/mb surprise`: whether somebody notices in time who comes at them; the GM rolls (MB-SUR-01)."""

from __future__ import annotations

from typing import Final

from rules.core.record import record
from rules.systems.masterbook import combat, dice
from rules.systems.masterbook.doing import SURPRISED, dice_again, does, used_up
from rules.systems.masterbook.means import one_of, rated
from rules.systems.masterbook.telling import roll_of
from rules.table.actions import Action
from rules.table.blocks import ALL, GMS, Block, Note, Ref, Text
from rules.table.commands import NAME_MAX, Command, everybody
from rules.table.events import Line, Reported
from rules.table.forms import Flag, Form, Number, Typed
from rules.table.lookup import find_known
from rules.table.marks import with_marks, without_marks
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.state import Mark
from rules.table.system import Game

_MOST: Final = 200


@record(kw_only=True)
class Surprise(Action):
    """Look whether `target` notices a stealth `total`; who `suspects` something is never wholly surprised."""

    target: str
    total: int
    suspects: bool = False


def surprise(game: Game, action: Surprise) -> Outcome:
    """The target rolls Perception in secret; what comes of it counts in the next attack at them. NotPermitted."""
    require_gm(game.state, game.actor)
    who = find_known(game.state, game.actor, action.target, "target")
    means = one_of(who.sheet, "Perception")
    how, again = rated(game, who.id, means), dice_again(game, who.id)
    roll = dice.throw(game.rng.secret, how.trained, again.ups, again.stymied)
    thrown = dice.Throw(who.id, means.name, how.value, how.modifiers, roll)
    found = combat.surprise(action.total, thrown.total, suspects=action.suspects)
    game = used_up(game, who.id)
    state = without_marks(game.state, who.id, SURPRISED)
    if found != "none":
        state = with_marks(state, who.id, Mark(SURPRISED, found, until="scene"))
    name = Ref(name=who.name)
    blocks: tuple[Block, ...] = (
        Note(Text("mb-surprised", {"who": name, "how": found, "number": action.total}), ALL),
        roll_of(thrown).but(who=name),
    )
    event = Reported(audience=GMS, title=Line("mb-surprise"), blocks=blocks, by=action.who.id)
    return Outcome(state, (event,))


ACTIONS: Final = {Surprise: surprise}
COMMANDS: Final = (
    Command(
        "surprise",
        does(Surprise, openly=False),
        Form(
            (
                Typed("target", most=NAME_MAX, needed=True, among=everybody),
                Number("total", low=-50, high=_MOST, needed=True),
                Flag("suspects"),
            )
        ),
    ),
)
