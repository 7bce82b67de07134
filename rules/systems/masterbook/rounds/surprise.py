"""`/mb surprise`: characters who notice an ambush in time (MB-SUR-01)."""

from __future__ import annotations

from typing import Final

from rules.core.errors import Impossible
from rules.systems.masterbook.character.sheet import option_effects
from rules.systems.masterbook.checks.action_economy import SURPRISED, dice_again, use_up_marks
from rules.systems.masterbook.checks.procedure import thrown_with
from rules.systems.masterbook.checks.roll_sources import best_source, source_rating
from rules.systems.masterbook.checks.view import roll_of
from rules.systems.masterbook.combat.declaration import COMBAT_OPTIONS
from rules.systems.masterbook.formulas import attack_options, dice
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, GMS, Block, Note, Ref, Text
from rules.table.commands import NAME_MAX, known_character_options
from rules.table.deeds import Deed
from rules.table.events import Reported
from rules.table.forms.fields import Flag, Number, Typed
from rules.table.lookup import find_known
from rules.table.marks import with_marks, without_marks
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.state import Mark
from rules.table.system import Game

_MAX_TOTAL: Final = 200


class Surprise(Action, kw_only=True):
    """Roll Perception in secret for the target of an ambush, for a GM."""

    target: str
    #: Total of the stealth roll.
    total: int
    suspects: bool = False


def roll_for_surprise(game: Game, action: Surprise) -> Outcome:
    """Roll Perception in secret for the target of a stealth `total` (MB-SUR-01).

    The result counts in the next attack at the target. A target who `suspects` something is never
    wholly surprised. Raises NotPermitted("gm-only"), Impossible("mb-not-agreed") if the table has
    no combat options, and as `find_known`.
    """
    require_gm(game.state, action.who)
    who = find_known(game.state, action.who, action.target, "target")
    if not game.setting(COMBAT_OPTIONS):
        raise Impossible("mb-not-agreed", setting=COMBAT_OPTIONS)
    source = best_source(who.sheet, "Perception")
    rating, again = source_rating(game, who.id, source), dice_again(game, who.id)
    roll = dice.throw(game.rng.secret, rating.trained, again.ups, again.stymied)
    thrown = thrown_with(who.id, source.name, rating, roll)
    rolled = attack_options.surprise_level(action.total, thrown.total, suspects=action.suspects)
    steps = option_effects(who.sheet).surprise_steps
    surprise = attack_options.lessened_surprise(rolled, steps)
    game = use_up_marks(game, who.id)
    state = without_marks(game.state, who.id, SURPRISED)
    if surprise != "none":
        state = with_marks(state, who.id, Mark(SURPRISED, surprise, until="scene"))
    name = Ref(name=who.name)
    about = {"who": name, "how": surprise, "number": action.total}
    blocks: list[Block] = [Note(Text("mb-surprised", about), FOR_EVERYONE)]
    if surprise != rolled:
        blocks.append(Note(Text("mb-surprise-sensed", {"who": name}), FOR_EVERYONE))
    blocks.append(roll_of(thrown).replace(who=name))
    title = Text("mb-surprise")
    event = Reported(audience=GMS, title=title, blocks=tuple(blocks), by=action.who.id)
    return Outcome(state, (event,))


_TARGET: Final = Typed("target", most=NAME_MAX, needed=True, choices=known_character_options)
_TOTAL: Final = Number("total", low=-50, high=_MAX_TOTAL, needed=True)
_SURPRISE: Final = Deed(
    "surprise", Surprise, roll_for_surprise, (_TARGET, _TOTAL, Flag("suspects")), openly=False
)
DEEDS: Final = (_SURPRISE,)
COMMANDS: Final = (_SURPRISE.as_command(),)
