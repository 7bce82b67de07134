"""`/mb surprise`: characters who notice an ambush in time (MB-SUR-01)."""

from __future__ import annotations

from typing import Any, Final

from rules.core.errors import Impossible
from rules.systems.masterbook.character.sheet import option_effects
from rules.systems.masterbook.checks.action_commands import action_command
from rules.systems.masterbook.checks.action_economy import SURPRISED, dice_again, use_up_marks
from rules.systems.masterbook.checks.procedure import thrown_with
from rules.systems.masterbook.checks.roll_sources import best_source, source_rating
from rules.systems.masterbook.checks.view import roll_of
from rules.systems.masterbook.combat.declaration import COMBAT_OPTIONS
from rules.systems.masterbook.formulas import attack_options, dice
from rules.table.blocks import FOR_EVERYONE, GMS, Note, Ref, Text
from rules.table.commands import NAME_MAX, known_character_options
from rules.table.events import Reported
from rules.table.forms import Flag, Number, Typed
from rules.table.marks import with_marks, without_marks
from rules.table.outcome import Outcome
from rules.table.state import AnyCharacter, Mark
from rules.table.system import Game

_MOST: Final = 200


def roll_for_surprise(game: Game, action: Any, who: AnyCharacter) -> Outcome:
    """The target of a stealth `total` rolls Perception in secret; what comes of it counts in the
    next attack at them.

    Who `suspects` something is never wholly surprised.

    NotPermitted; Impossible("mb-not-agreed") where the table plays without combat options.
    """
    if not game.setting(COMBAT_OPTIONS):
        raise Impossible("mb-not-agreed", setting=COMBAT_OPTIONS)
    means = best_source(who.sheet, "Perception")
    how, again = source_rating(game, who.id, means), dice_again(game, who.id)
    roll = dice.throw(game.rng.secret, how.trained, again.ups, again.stymied)
    thrown = thrown_with(who.id, means.name, how, roll)
    rolled = attack_options.surprise_level(action.total, thrown.total, suspects=action.suspects)
    steps = option_effects(who.sheet).surprise_steps
    found = attack_options.lessened_surprise(rolled, steps)
    game = use_up_marks(game, who.id)
    state = without_marks(game.state, who.id, SURPRISED)
    if found != "none":
        state = with_marks(state, who.id, Mark(SURPRISED, found, until="scene"))
    name = Ref(name=who.name)
    told = Note(
        Text("mb-surprised", {"who": name, "how": found, "number": action.total}), FOR_EVERYONE
    )
    sensed = Note(Text("mb-surprise-sensed", {"who": name}), FOR_EVERYONE)
    blocks = (told, *((sensed,) if found != rolled else ()), roll_of(thrown).replace(who=name))
    event = Reported(audience=GMS, title=Text("mb-surprise"), blocks=blocks, by=action.who.id)
    return Outcome(state, (event,))


_TARGET: Final = Typed("target", most=NAME_MAX, needed=True, choices=known_character_options)


_OPTIONS: Final = (_TARGET, Number("total", low=-50, high=_MOST, needed=True), Flag("suspects"))


COMMANDS: Final = (
    action_command(
        "surprise", "Surprise", roll_for_surprise, *_OPTIONS, whose="target", openly=False
    ),
)
