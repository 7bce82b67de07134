"""Rolls that the rules call for, against a number of their own: escapes from holds, and falls.

Nobody proposes them, and no GM answers.

`/mb move` out of a hold (MB-SKILL-MARTIAL-ARTS), `/mb fall` (MB-FALL-01, MB-SKILL-ACROBATICS).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.character.derived_values import toughness_of
from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.action_economy import HELD, require_awake
from rules.systems.masterbook.checks.attempt_values import case_of, refresh_from_sheets, require
from rules.systems.masterbook.checks.card_awards import BadLuckStage
from rules.systems.masterbook.checks.damage_reduction import DamageReductionStage
from rules.systems.masterbook.checks.procedure import AttemptAction, never_reads_result
from rules.systems.masterbook.checks.roll_sources import learned_sources
from rules.systems.masterbook.checks.roll_stages import Moments, card_bonus, idle
from rules.systems.masterbook.checks.sheet_damage import (
    condition_after,
    condition_of,
    damage_character,
)
from rules.systems.masterbook.checks.sheet_view import toughness_in_armor
from rules.systems.masterbook.checks.state import AnyAttempt, Attempt, Blow, Plan
from rules.systems.masterbook.checks.view import (
    damage_text,
    describe,
    lowered_notes,
    roll_of,
    verdicts_with,
    visible_end,
)
from rules.systems.masterbook.deck.play import Moment
from rules.systems.masterbook.formulas import (
    attack_options,
    damage,
    dice,
    movement,
    skill_numbers,
    skills,
    success_chart,
    value_chart,
)
from rules.systems.masterbook.formulas.skill_rules import FEEDBACK
from rules.table.blocks import GMS_ONLY, Block, Fact, Ref, Text, Verdict
from rules.table.check import Check, Values
from rules.table.checks.procedure import AutomaticStage, Procedure, Stage, StageResult, has_throws
from rules.table.checks.shared_blocks import dice_viewers, full_and_plain
from rules.table.checks.stages import APPROACH_FIELD, ROLL, without_typed_defense
from rules.table.commands import AS_FIELD, check_starter
from rules.table.forms.fields import Flag, Number, Pick, plain_options
from rules.table.forms.form import Form
from rules.table.marks import marks_of, without_marks
from rules.table.state import Mark
from rules.table.system import Game, is_npc


def with_forced_roll(game: Game, check: AnyAttempt, plan: Plan, number: int, values: Values) -> Any:
    """Return the check with its plan and its number. A number about an NPC is hidden.

    Raises as `refresh_from_sheets`.
    """
    ruling = Plan(difficulty=str(number), modifier=plan.modifier)
    data = check.data.replace(request=plan, ruling=ruling, answer=ROLL)
    hidden = check.target is not None and is_npc(game, check.target)
    said = values.get(APPROACH_FIELD.key, "").strip()
    return check.replace(data=refresh_from_sheets(game, check, data), hidden=hidden, approach=said)


#: The game after a roll, and what the roll has done to its actor, or to its target.
CheckOutcome = tuple[Game, damage.Facts]


def outcome_stage(
    outcome: Callable[[Game, Check[Any]], CheckOutcome], *, to_target: bool = False
) -> Stage[Any]:
    """Return the stage that applies a roll's outcome once, to the actor or *to_target*."""

    def consequences(game: Game, check: Check[Any]) -> StageResult[Any] | None:
        data, who = check.data, check.target if to_target else check.actor
        if data.over or data.failed:
            return None
        after, facts = outcome(game, check)
        data = data.replace(over=True)
        if facts:
            data = data.replace(consequences=(*data.consequences, (who or "", facts)))
        if facts and who:
            data = data.replace(ends=(*data.ends, (who, condition_of(after, who))))
        return StageResult(after.state, data)

    return AutomaticStage(consequences)


#: Maker of a procedure, from its kind, its stages, its form and its beginning.
procedure: Final = partial(
    Procedure[Any],
    data=Attempt,
    describe=describe,
    require=require,
    dice_have_fallen=has_throws,
    forget=without_typed_defense,
    idle=idle,
)


def feedback_outcome(game: Game, check: Any) -> CheckOutcome:
    """Apply what is left of a special effect's feedback to its user (MB-SKILL-SFX).

    Nothing protects from it.
    """
    data, result = check.data, check.data.result
    case = case_of(game, check.actor, data.request, data.effective_ruling)
    if result is None:
        return game, ()
    left = skill_numbers.backlash(result.points, case.number(FEEDBACK)).feedback
    if not left:
        return game, ()
    return damage_character(game, check.actor, success_chart.damage_for_points(left))


# --- holds ----------------------------------------------------------------------------------------

_WAYS: Final = ("agility", "strength")
_WRESTLING: Final = ("Martial Arts", "wrestling")
ESCAPE: Final = Form((Pick("how", choices=plain_options(_WAYS)), APPROACH_FIELD))


class EscapeAttempt(Attempt):
    """Data of an attempt to get out of a hold."""

    #: Total or strength of the holder.
    against: int = 0


def _hold(game: Game, who: str) -> Mark:
    """Return the mark of a hold on a character. Raises Impossible("mb-nobody-holds")."""
    for mark in marks_of(game.state, who, HELD):
        if mark.what in game.state.characters:
            return mark
    raise Impossible("mb-nobody-holds", who=game.character(who).name)


def _grip(sheet: MasterbookSheet) -> int:
    """Return Strength with the adds in wrestling."""
    adds = 0
    for source in learned_sources(sheet):
        is_wrestling = (source.skill, source.focus.casefold()) == _WRESTLING
        if is_wrestling and not source.special:
            adds = max(adds, source.adds)
    return attribute(sheet, "strength") + adds


def _begin_escape(game: Game, check: AnyAttempt, given: Values) -> AnyAttempt:
    """Begin an escape. Raises as `require_awake`, `_hold` and `with_forced_roll`."""
    require_awake(game, check.actor)
    hold, how = _hold(game, check.actor), given.get("how", _WAYS[0])
    against = hold.value if how == _WAYS[0] else _grip(game.sheet(hold.what))
    check = check.replace(target=hold.what, data=check.data.replace(against=against))
    number = attack_options.escape_number(against)
    return with_forced_roll(game, check, Plan(attribute=how), number, given)


def _escape_outcome(game: Game, check: Check[Any]) -> CheckOutcome:
    """Free the character, or leave it held."""
    result = check.data.result
    if result is None:
        return game, ()
    if not attack_options.has_escaped_hold(result.total, check.data.against):
        return game, (("still_held", 0),)
    return game.with_state(without_marks(game.state, check.actor, HELD)), (("freed", 0),)


_FREEING: Final = AttemptAction(reads=never_reads_result).stages(reading=False)
HOLD: Final = procedure(
    "escape",
    (*_FREEING, outcome_stage(_escape_outcome), BadLuckStage()),
    data=EscapeAttempt,
    form=ESCAPE,
    begin=_begin_escape,
)


# --- falling --------------------------------------------------------------------------------------

_HIGHEST, _HEAVIEST = 100_000, 100_000
_SKILL: Final = "Acrobatics"
#: Word in the name of its specialization in falls.
_FALLS: Final = "fall"
#: Row of its chart about falls.
_SOFTEN: Final = ("reduce_fall",)


def _meters(number: int) -> Text:
    return Text("mb-meters", {"number": number})


FORM: Final = Form(
    (
        Number(
            "meters", low=1, high=_HIGHEST, offered=(3, 5, 10, 20, 50), label=_meters, needed=True
        ),
        Number("weight", low=1, high=_HEAVIEST, offered=(60, 70, 80, 100)),
        Flag("acrobatics", label=Text("mb-with", {"what": "acrobatics"})),
        Flag("collides", label=Text("mb-with", {"what": "collides"})),
        APPROACH_FIELD,
    )
)


class FallAttempt(Attempt):
    """Data of a fall or a collision."""

    #: Meters of the fall, or meters a round of a collision (MB-VAL-05).
    meters: int = 0
    #: Weight in kilograms; 0 for a collision, where it doesn't count.
    weight: int = 0
    #: Whether the character rolls acrobatics to land softly.
    tumbles: bool = False
    collides: bool = False
    #: Dice of the fall.
    fell: dice.Throw | None = None
    blows: tuple[Blow, ...] = ()


def _begin_fall(game: Game, check: AnyAttempt, given: Values) -> AnyAttempt:
    """Begin a fall.

    Raises:
        As `require_awake` and `with_forced_roll`.
        InvalidInput("mb-which-weight"): neither the player nor the sheet says the weight.
        InvalidInput("mb-collides-hard"): acrobatics don't help in a collision.
    """
    sheet: MasterbookSheet = game.sheet(check.actor)
    tumbles, collides = "acrobatics" in given, "collides" in given
    weight = given.get("weight") or sheet.weight
    if not (weight or collides):
        raise InvalidInput(
            "mb-which-weight", field="weight", value=None, who=game.display_name(check.actor)
        )
    if tumbles and collides:
        raise InvalidInput("mb-collides-hard", field="acrobatics", value=None)
    data = check.data.replace(
        meters=given["meters"],
        weight=0 if collides else weight,
        tumbles=tumbles,
        collides=collides,
    )
    check = check.replace(data=data)
    if not tumbles:
        return check.replace(approach=given.get(APPROACH_FIELD.key, "").strip())
    require_awake(game, check.actor)
    number = skills.difficulty(_SKILL, _SOFTEN, {})
    return with_forced_roll(game, check, Plan(skill=_tumbling_skill(sheet)), number, given)


def _tumbling_skill(sheet: MasterbookSheet) -> str:
    """Return the specialization in falls, if the character has one, else Acrobatics."""
    for source in learned_sources(sheet):
        if source.skill == _SKILL and _FALLS in source.special.casefold():
            return source.name
    return _SKILL


def fall_of(game: Game, check: Check[Any]) -> damage.Fall:
    """Return how hard a fall is, by the armor that the character wears now."""
    data, sheet = check.data, game.sheet(check.actor)
    toughness = toughness_of(sheet) + card_bonus(game, check, check.actor, "toughness")
    armor = toughness_in_armor(sheet) - toughness_of(sheet)
    bonus = 0 if data.fell is None else data.fell.bonus
    distance = value_chart.chart_value(data.meters)
    if data.collides:
        return damage.resolve_collision(distance, bonus, toughness, armor)
    return damage.resolve_fall(
        value_chart.chart_value(data.weight), distance, bonus, toughness, armor
    )


def _dropping(game: Game, check: Check[FallAttempt]) -> StageResult[FallAttempt] | None:
    """Roll the dice of the fall (MB-FALL-01).

    No die rolls again, and the bonus of a fall is at least one.
    """
    data = check.data
    if data.fell is not None:
        return None
    value, least = fall_of(game, check).value, None if data.collides else dice.FALL_FLOOR
    roll = dice.throw(game.rng_for(check, check.actor), tens=False)
    fell = dice.Throw(check.actor, "fall", value, (), roll, least)
    return StageResult(game.state, data.replace(fell=fell))


class TumbleAction(AttemptAction):
    """Dice of acrobatics, if they can help."""

    def refresh_from_sheets(self, game: Game, check: AnyAttempt, data: Any) -> Any:
        return super().refresh_from_sheets(game, check, data) if data.tumbles else data

    def throws_due(self, game: Game, check: Check[Any]) -> tuple[dice.Throw, ...]:
        helps = check.data.tumbles and fall_of(game, check).over >= 0
        return super().throws_due(game, check) if helps else ()

    def resolution_moments(self, game: Game, check: AnyAttempt) -> Moments:
        """Add the moment of Toughness, which a card may raise (MB-CARD-E02)."""
        moments = super().resolution_moments(game, check)
        if fall_of(game, check).over < 0:
            return moments
        return (*moments, Moment("effect_pending", check.actor, check.actor, "toughness"))


def _landing_damage(game: Game, check: Check[Any]) -> success_chart.Damage:
    """Return the damage of landing, less what acrobatics saved."""
    result, over = check.data.result, fall_of(game, check).over
    if result is not None and result.success:
        over = movement.cushioned_points(over, success_chart.rank(result.points))
    return success_chart.damage_for_points(over)


def _landing(game: Game, check: Check[FallAttempt]) -> StageResult[FallAttempt] | None:
    """Let the damage of landing be known, before it counts."""
    if check.data.blows:
        return None
    blow = Blow(check.actor, "fall", damage=_landing_damage(game, check))
    return StageResult(game.state, check.data.replace(blows=(blow,)))


def _fall_outcome(game: Game, check: Check[Any]) -> CheckOutcome:
    """Apply the damage that is left of the fall."""
    game, facts = damage_character(game, check.actor, check.data.blows[0].left)
    return game, facts or (("unhurt", 0),)


def _describe(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """Return the blocks of a fall, its verdicts first."""
    data, viewers = check.data, dice_viewers(check)
    verdicts: list[Verdict] = []
    others: list[Block] = []
    for block in describe(game, check):
        if isinstance(block, Verdict):
            verdicts.append(block)
        else:
            others.append(block)
    if data.tumbles:
        others.append(Fact(Text("mb-falls"), _meters(data.meters), viewers))
    shown = [*_fall_verdicts(game, check, verdicts), *others]
    if data.fell is None:
        return tuple(shown)
    seen = GMS_ONLY if is_npc(game, check.actor) else viewers
    fall = fall_of(game, check)
    about = {"value": fall.value, "toughness": fall.value - fall.over, "points": fall.over}
    title = Text("mb-fall-damage", {"collides": data.collides})
    hard = Fact(title, Text("mb-fall-points", about), seen)
    roll = roll_of(data.fell).replace(visible_to=seen)
    return (*shown, roll, hard, *lowered_notes(game, check))


def _fall_verdicts(game: Game, check: Check[Any], verdicts: list[Verdict]) -> list[Verdict]:
    """Return the verdicts on a fall, with the character's condition after it.

    These are the *verdicts* on acrobatics, or else one on how deep the fall is.
    """
    whole = plain = _fall_effect(game, check)
    if is_npc(game, check.actor):
        plain = _fall_effect(game, check, full=False)
    if not verdicts:
        full, other = _depth_verdict(check, whole), _depth_verdict(check, plain)
        if full == other or full.visible_to == GMS_ONLY:
            return [full]
        return [*full_and_plain(full, text=other.text)]
    with_effects: list[Verdict] = []
    for verdict in verdicts:
        with_effects += verdicts_with(verdict, whole, plain)
    return with_effects


def _depth_verdict(check: Check[Any], effect: Text | None) -> Verdict:
    """Return the verdict that tells how deep a fall is, and how it leaves the character."""
    data = check.data
    fate: Text | None = None
    if effect is not None:
        about = {key: value for key, value in effect.params.items() if key != "who"}
        fate = effect.replace(params=about)
    shown = {"number": data.meters, "collides": data.collides, "fate": fate}
    shown["pending"] = check.is_open and not data.over
    text = Text("mb-fell", {"who": Ref(check.actor), **shown})
    return Verdict(text, "neutral", dice_viewers(check))


def _fall_effect(game: Game, check: Check[Any], *, full: bool = True) -> Text | None:
    """Return how a fall leaves the character, once its damage is known.

    With *full*, that is the GMs' text about an NPC. Players read the NPC's condition once the fall
    has counted, and never its damage.
    """
    data, who = check.data, check.actor
    blow = next(iter(data.blows), None)
    if blow is None:
        return None
    end, pending = data.end_of(who), check.is_open and not data.over
    if not end and pending and full:
        end = condition_after(game, who, blow.left)
    end = end if full else visible_end(game, who, end)
    hurt = bool(damage.packages(blow.left))
    if hurt and not end and not pending:
        # The check ended before the fall counted.
        return None
    shown = damage_text(blow.left) if hurt and full else None
    about = {"who": Ref(who), "hurt": hurt, "damage": shown, "end": end, "pending": pending}
    return Text("mb-takes", about)


def _all_throws(data: FallAttempt) -> tuple[dice.Throw, ...]:
    """Return the dice of acrobatics and those of the fall."""
    return data.throws if data.fell is None else (*data.throws, data.fell)


#: Stages of the roll, without the one for missing training.
_TUMBLING: Final = TumbleAction(hostile=False).stages(reading=False)[1:]
FALL: Final = procedure(
    "fall",
    (
        _dropping,
        *_TUMBLING,
        _landing,
        DamageReductionStage(),
        outcome_stage(_fall_outcome),
        BadLuckStage(throws=_all_throws),
    ),
    data=FallAttempt,
    form=FORM,
    begin=_begin_fall,
    describe=_describe,
)
COMMANDS: Final = (command("fall", check_starter("fall"), *FORM.fields, AS_FIELD),)
