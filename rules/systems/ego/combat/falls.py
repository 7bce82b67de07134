"""Falls: damage named by a GM, less Breakfall (EGO-SPC-03, EGO-OP-43)."""

from __future__ import annotations

from typing import Final

from rules.systems.ego.character.sheet import EgoSheet, level_of
from rules.systems.ego.checks import casualties
from rules.systems.ego.checks.group_rolls import (
    STAYING,
    Trials,
    apply_damage,
    damage_step,
    describe,
    roll_damage,
)
from rules.systems.ego.checks.view import blocks_by_audience
from rules.systems.ego.combat.view import damage_of
from rules.systems.ego.command_forms import form
from rules.systems.ego.formulas import damage
from rules.table.blocks import FOR_EVERYONE, Block, Fact, Ref, Text, Verdict
from rules.table.check import Check, Values
from rules.table.checks.procedure import Procedure, StageResult
from rules.table.checks.shared_blocks import WITH_LABEL, dice_result_blocks
from rules.table.permissions import require_gm
from rules.table.system import Game

BREAKFALL: Final = "Breakfall"


class Fall(Trials):
    """A fall, and the dice of Breakfall."""

    #: Damage of the fall.
    points: int = 0


def _falls(game: Game, check: Check[Fall], values: Values) -> Check[Fall]:
    """Begin the fall of a character, for a GM."""
    require_gm(game.state, game.actor)
    return check.replace(data=check.data.replace(points=values["damage"]))


def _fallen(game: Game, check: Check[Fall]) -> StageResult[Fall] | None:
    """Apply a fall: the levels of Breakfall are rolled as damage dice, and the rest is lethal.

    A character that can't act rolls none.
    """
    sheet: EgoSheet = game.sheet(check.actor)
    levels = 0 if sheet.down or sheet.stunned else level_of(sheet, BREAKFALL)
    data = roll_damage(game, check, check.data.replace(over=True), levels)
    game, data = apply_damage(
        game, data, check.actor, damage.fall_damage(data.points, data.dealt), check.round
    )
    return damage_step(game, data)


def _describe(game: Game, check: Check[Fall]) -> tuple[Block, ...]:
    data = check.data
    about = {"points": data.points, "absorbed": data.dealt}
    said = Fact(WITH_LABEL, Text("ego-falls", about), FOR_EVERYONE)
    # Only GMs read how hard an NPC falls, and how well it takes the fall.
    facts: list[Block] = blocks_by_audience(game, check.actor, said)
    if data.faces:
        what = Text("as-written", {"text": BREAKFALL})
        facts += dice_result_blocks(
            check, damage_of(game, check.actor, data.faces, data.dealt, what=what)
        )
    falls = Verdict(Text("does-fall", {"actor": Ref(check.actor)}), "neutral", FOR_EVERYONE)
    verdicts = casualties.harm_verdicts(game, check, "fall", falls)
    return describe(game, check, *facts, verdict=lambda reveal: verdicts, ends=False)


PROCEDURE: Final = Procedure(
    "fall",
    (_fallen, *STAYING),
    data=Fall,
    form=form("fall", people=()).part("damage"),
    begin=_falls,
    describe=_describe,
    dice_have_fallen=lambda data: data.over,
    anybody=True,
)
