"""Stages of an attack: proposal, payment, defense, rolls, and the effects of a hit (EGO-CMB-01)."""

from __future__ import annotations

from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.systems.ego.character.combat_values import needs_gm_ruling
from rules.systems.ego.checks.group_rolls import (
    STAYING,
    STRIKE,
    TUMBLE,
    apply_damage,
    damage_step,
    roll_damage,
)
from rules.systems.ego.combat import declaration
from rules.systems.ego.combat.declaration import AnyAttack, Attack, successes
from rules.systems.ego.combat.defense import DefenseStage, with_tumbling
from rules.systems.ego.combat.view import describe
from rules.systems.ego.combat.weapons import Plan, at_hand
from rules.systems.ego.formulas import damage, ranged
from rules.table.check import Values
from rules.table.checks.procedure import ATTACK_BUTTON, Procedure, StageResult
from rules.table.checks.stages import (
    FREE,
    IMPOSSIBLE,
    ROLL,
    ProposalStage,
    require_other_target,
    without_typed_texts,
)
from rules.table.system import Game


class AttackProposal(ProposalStage[Attack]):
    """Proposal of an attack, which the GM answers if an answer is needed (EGO-ATK-01).

    Whether a target is helpless is for the GM to judge.
    """

    free = dice = "declared"

    def has_difficulty(self, check: AnyAttack) -> bool:
        return False

    def read_request(self, game: Game, check: AnyAttack, values: Values) -> AnyAttack:
        require_other_target(check)
        plan = declaration.FORM.make_record(Plan, check.data.asked)
        sheet = game.sheet(check.actor)
        weapon = plan.weapon or at_hand(sheet)
        unnamed = sheet.profile is not None and weapon not in sheet.profile.attacks
        check = check.replace(data=check.data.replace(plan=plan, unnamed=unnamed))
        if self.automatic_answer(game, check) is None:
            # An impossible attack is refused before the GM is asked.
            try:
                declaration.commit_attack(game, check, check.data)
            except InvalidInput as error:
                # The GM can also say the range.
                if error.code != "ego-say":
                    raise
        return check

    def read_ruling(self, game: Game, check: AnyAttack) -> Attack:
        data = check.data
        if not data.answered_by:
            # No GM had to answer, so the plan stays as it was proposed.
            return data
        values: dict[str, Any] = {}
        for key, value in data.asked.items():
            if key not in declaration.RULING.keys:
                values[key] = value
        values |= data.ruled or {}
        data = data.replace(plan=declaration.FORM.make_record(Plan, values))
        if data.answer == ROLL:
            # The GM's panel says at once what could not be rolled.
            declaration.commit_attack(game, check, data)
        return data

    def automatic_answer(self, game: Game, check: AnyAttack) -> str | None:
        if needs_gm_ruling(game, check.target or ""):
            return None
        return super().automatic_answer(game, check)


def _declared(game: Game, check: AnyAttack) -> StageResult[Attack] | None:
    """Pay for the attack, whatever its result (EGO-AP-01, EGO-KAR-02)."""
    game, data = declaration.commit_attack(game, check, check.data)
    return StageResult(game.state, data, declaration.STRUCK if data.answer == FREE else None)


class AttackDefense(DefenseStage[Attack]):
    """Defense that the target chooses in secret (EGO-DEF-01 to EGO-DEF-03)."""

    def close(self, check: AnyAttack) -> bool | None:
        means = check.data.means
        return None if means is None or means.spreads else means.close

    def hits(self, check: AnyAttack) -> bool:
        return declaration.is_hit(check.data)


def _struck(game: Game, check: AnyAttack) -> StageResult[Attack] | None:
    """Apply a hit to all characters in its way at once.

    EGO-DMG-01 to EGO-DMG-04, EGO-ARM-01, EGO-AOE-01.
    """
    data, target = check.data, check.target or ""
    if data.means is None:
        return None
    if TUMBLE in data.met:
        game = with_tumbling(game, target, successes(data, TUMBLE))
    if not declaration.is_hit(data):
        return damage_step(game, data)
    count = declaration.damage_pool(game, data)
    data = roll_damage(game, check, data, count, data.means.flat)
    for who in hit_characters(game, check):
        game, data = apply_damage(
            game, data, who, data.dealt, check.round, lethal=declaration.is_lethal(data)
        )
    return damage_step(game, data)


def hit_characters(game: Game, check: AnyAttack) -> tuple[str, ...]:
    """Return who is hit: the target and, for an area, all characters in it (EGO-AOE-01)."""
    means, hit = check.data.means, [check.target or ""]
    if means is None or not means.spreads:
        return tuple(hit)
    row = means.row
    measure = game.setting("aoe_measure")
    for caught in check.data.plan.caught:
        who, _, feet = caught.partition(" ")
        if row.area is not None and not ranged.reaches(int(feet), row.area, measure):
            continue
        is_alive = who in game.state.characters and game.sheet(who).down != damage.DEAD
        if is_alive and who not in hit:
            hit.append(who)
    return tuple(hit if row.area is not None else hit[: row.targets])


def has_rolled(data: Attack) -> bool:
    """Return whether dice have been rolled."""
    return bool(data.throws or data.faces)


_ATTACK_PROPOSAL: Final = AttackProposal(
    declaration.FORM, declaration.RULING, (ROLL, FREE, IMPOSSIBLE)
)
PROCEDURE: Final = Procedure(
    "attack",
    (_ATTACK_PROPOSAL, _declared, *AttackDefense().course(STRIKE), _struck, *STAYING),
    Attack,
    role="attack",
    button=ATTACK_BUTTON,
    aims=True,
    form=declaration.FORM,
    begin=_ATTACK_PROPOSAL.propose,
    describe=describe,
    cast=declaration.victims,
    dice_have_fallen=has_rolled,
    forget=without_typed_texts,
    takes_turn=lambda game, check: True,
)
