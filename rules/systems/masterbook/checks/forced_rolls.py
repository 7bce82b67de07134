"""Rolls that the rules call for, against a number of theirs, and what they do to people: nobody
proposes or answers.

`/mb move` out of a hold (MB-SKILL-MARTIAL-ARTS), `/mb fall` (MB-FALL-01, MB-SKILL-ACROBATICS).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute
from rules.systems.masterbook.checks.action_economy import HELD, command, require_awake
from rules.systems.masterbook.checks.card_awards import BadLuckStage
from rules.systems.masterbook.checks.procedure import (
    AttemptAction,
    case_of,
    never_reads_result,
    refresh_from_sheets,
    require,
)
from rules.systems.masterbook.checks.roll_sources import learned_sources
from rules.systems.masterbook.checks.roll_stages import (
    DamageReductionStage,
    Moments,
    card_bonus,
    idle,
)
from rules.systems.masterbook.checks.sheet_damage import (
    condition_after,
    condition_of,
    damage_character,
)
from rules.systems.masterbook.checks.sheet_view import toughness_in_armor, toughness_of
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
from rules.table.forms import Flag, Form, Number, Pick, plain_options
from rules.table.marks import marks_of, without_marks
from rules.table.state import Mark
from rules.table.system import Game, is_npc


def with_forced_roll(game: Game, check: AnyAttempt, plan: Plan, number: int, values: Values) -> Any:
    """The check with what is rolled against which number; what is about an NPC is for the GMs.
    Raises as `refresh_from_sheets`.
    """
    ruling = Plan(difficulty=str(number), modifier=plan.modifier)
    data = check.data.replace(request=plan, ruling=ruling, answer=ROLL)
    hidden = check.target is not None and is_npc(game, check.target)
    said = values.get(APPROACH_FIELD.key, "").strip()
    return check.replace(data=refresh_from_sheets(game, check, data), hidden=hidden, approach=said)


#: The game after a roll, and what befell whoever acts, or its target.
CheckOutcome = tuple[Game, damage.Facts]


def outcome_stage(
    befalls: Callable[[Game, Check[Any]], CheckOutcome], *, to_target: bool = False
) -> Stage[Any]:
    """What the roll does, once: to whoever acts, or `to_target`."""

    def came(game: Game, check: Check[Any]) -> StageResult[Any] | None:
        data, who = check.data, check.target if to_target else check.actor
        if data.over or data.failed:
            return None
        now, facts = befalls(game, check)
        befell = ((who or "", facts),) if facts else ()
        ends = tuple((each, condition_of(now, each)) for each, _ in befell if each)
        told = data.replace(came=(*data.came, *befell), ends=(*data.ends, *ends), over=True)
        return StageResult(now.state, told)

    return AutomaticStage(came)


#: A kind of them: its name, its stages, its form and how it begins.
procedure: Final = partial(
    Procedure[Any],
    data=Attempt,
    describe=describe,
    require=require,
    fallen=has_throws,
    forget=without_typed_defense,
    idle=idle,
)


def fed(game: Game, check: Any) -> CheckOutcome:
    """A special effect hurts whoever works it, by what is left of its feedback; nothing protects
    (MB-SKILL-SFX).
    """
    data, result = check.data, check.data.result
    case = case_of(game, check.actor, data.request, data.effective_ruling)
    left = 0 if result is None else movement.backlash(result.points, case.number(FEEDBACK)).feedback
    return (
        damage_character(game, check.actor, success_chart.damage_for_points(left))
        if left
        else (game, ())
    )


# --- holds ----------------------------------------------------------------------------------------

_WAYS: Final = ("agility", "strength")
_WRESTLING: Final = ("Martial Arts", "wrestling")
ESCAPE: Final = Form((Pick("how", choices=plain_options(_WAYS)), APPROACH_FIELD))


class EscapeAttempt(Attempt):
    """A try to get out of the hold of somebody, `against` a total or a strength."""

    against: int = 0


def _hold(game: Game, who: str) -> Mark:
    """Impossible("mb-nobody-holds")."""
    found = [each for each in marks_of(game.state, who, HELD) if each.what in game.state.characters]
    if not found:
        raise Impossible("mb-nobody-holds", who=game.character(who).name)
    return found[0]


def _grip(sheet: MasterbookSheet) -> int:
    """Strength with the adds in wrestling."""
    arts = [
        each for each in learned_sources(sheet) if (each.skill, each.focus.casefold()) == _WRESTLING
    ]
    return attribute(sheet, "strength") + max(
        [each.adds for each in arts if not each.special], default=0
    )


def _escapes(game: Game, check: AnyAttempt, given: Values) -> AnyAttempt:
    """Raises as `require_awake`, `_hold` and `with_forced_roll`."""
    require_awake(game, check.actor)
    hold, how = _hold(game, check.actor), given.get("how", _WAYS[0])
    against = hold.value if how == _WAYS[0] else _grip(game.sheet(hold.what))
    found: Any = check.replace(target=hold.what, data=check.data.replace(against=against))
    return with_forced_roll(
        game, found, Plan(attribute=how), attack_options.escape_number(against), given
    )


def _freed(game: Game, check: Check[Any]) -> CheckOutcome:
    """Free, or still held."""
    result = check.data.result
    if result is None:
        return game, ()
    if not attack_options.has_escaped_hold(result.total, check.data.against):
        return game, (("still_held", 0),)
    return game.with_state(without_marks(game.state, check.actor, HELD)), (("freed", 0),)


_FREEING: Final = AttemptAction(reads=never_reads_result).stages(reading=False)
HOLD: Final = procedure(
    "escape",
    (*_FREEING, outcome_stage(_freed), BadLuckStage()),
    data=EscapeAttempt,
    form=ESCAPE,
    begin=_escapes,
)


# --- falling --------------------------------------------------------------------------------------

_HIGHEST, _HEAVIEST = 100_000, 100_000
_SKILL: Final = "Acrobatics"
#: What its specialization in falls is known by, and the row of its chart that is about them.
_FALLS: Final = "fall"
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
    """A fall of somebody: the meters and the weight, the dice of the fall; `tumbles` to land
    softly.

    Who `collides` with something has meters a round instead, and no weight that counts (MB-VAL-05).
    """

    meters: int = 0
    weight: int = 0
    tumbles: bool = False
    collides: bool = False
    fell: dice.Throw | None = None
    blows: tuple[Blow, ...] = ()


def _falls(game: Game, check: AnyAttempt, given: Values) -> AnyAttempt:
    """InvalidInput("mb-which-weight", "mb-collides-hard"), and as `require_awake` and
    `with_forced_roll`.
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
    about = {"meters": given["meters"], "weight": 0 if collides else weight}
    data: Any = check.data
    check = check.replace(data=data.replace(tumbles=tumbles, collides=collides, **about))
    if not tumbles:
        return check.replace(approach=given.get(APPROACH_FIELD.key, "").strip())
    require_awake(game, check.actor)
    tumbling = [each for each in learned_sources(sheet) if each.skill == _SKILL]
    special = [each.name for each in tumbling if _FALLS in each.special.casefold()]
    number = skills.difficulty(_SKILL, _SOFTEN, {})
    return with_forced_roll(game, check, Plan(skill=(*special, _SKILL)[0]), number, given)


def fall_of(game: Game, check: Check[Any]) -> damage.Fall:
    """How hard it is, as somebody is armored now."""
    data, sheet = check.data, game.sheet(check.actor)
    toughness = toughness_of(sheet) + card_bonus(game, check, check.actor, "toughness")
    bonus = 0 if data.fell is None else data.fell.bonus
    far, armor = (
        value_chart.chart_value(data.meters),
        toughness_in_armor(sheet) - toughness_of(sheet),
    )
    if data.collides:
        return damage.collision(far, bonus, toughness, armor)
    return damage.fall(value_chart.chart_value(data.weight), far, bonus, toughness, armor)


def _dropping(game: Game, check: Check[FallAttempt]) -> StageResult[FallAttempt] | None:
    """The dice of the fall: nothing rolls again, and but for collisions the bonus is one at least
    (MB-FALL-01).
    """
    data = check.data
    if data.fell is not None:
        return None
    value, least = fall_of(game, check).value, None if data.collides else dice.FALLING
    roll = dice.throw(game.rng_for(check, check.actor), tens=False)
    fell = dice.Throw(check.actor, "fall", value, (), roll, least)
    return StageResult(game.state, data.replace(fell=fell))


class TumbleAction(AttemptAction):
    """The dice of acrobatics, where they can help."""

    def refresh_from_sheets(self, game: Game, check: AnyAttempt, data: Any) -> Any:
        return super().refresh_from_sheets(game, check, data) if data.tumbles else data

    def throws_due(self, game: Game, check: Check[Any]) -> tuple[dice.Throw, ...]:
        helps = check.data.tumbles and fall_of(game, check).over >= 0
        return super().throws_due(game, check) if helps else ()

    def resolution_moments(self, game: Game, check: AnyAttempt) -> Moments:
        """How hard it is, acrobatics counted: Toughness may be more, too (MB-CARD-E02)."""
        who, number = check.actor, fall_of(game, check).over
        tough = Moment("effect_pending", who, who, "toughness")
        return (*super().resolution_moments(game, check), *((tough,) if number >= 0 else ()))


def _hurt(game: Game, check: Check[Any]) -> success_chart.Damage:
    """What landing does, acrobatics counted."""
    result, over = check.data.result, fall_of(game, check).over
    if result is not None and result.success:
        over = movement.cushioned_points(over, success_chart.rank(result.points))
    return success_chart.damage_for_points(over)


def _landing(game: Game, check: Check[FallAttempt]) -> StageResult[FallAttempt] | None:
    """It is known how hard it is."""
    blow = Blow(check.actor, "fall", damage=_hurt(game, check))
    return None if check.data.blows else StageResult(game.state, check.data.replace(blows=(blow,)))


def _landed(game: Game, check: Check[Any]) -> CheckOutcome:
    """It hurts, by as many levels less as acrobatics reached."""
    game, facts = damage_character(game, check.actor, check.data.blows[0].left)
    return game, facts or (("unhurt", 0),)


def _describe(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    data, found = check.data, list[Block](describe(game, check))
    seen = GMS_ONLY if is_npc(game, check.actor) else dice_viewers(check)
    if data.tumbles:
        found.append(Fact(Text("mb-falls"), _meters(data.meters), dice_viewers(check)))
    found = [*_fall_verdicts(game, check, found), *found]
    if data.fell is None:
        return tuple(found)
    fall = fall_of(game, check)
    about = {"value": fall.value, "toughness": fall.value - fall.over, "points": fall.over}
    hard = Fact(
        Text("mb-fall-damage", {"collides": data.collides}), Text("mb-fall-points", about), seen
    )
    found += [roll_of(data.fell).replace(visible_to=seen), hard]
    return (*found, *lowered_notes(game, check))


def _fall_verdicts(game: Game, check: Check[Any], found: list[Block]) -> list[Block]:
    """Return the verdicts on a fall: how deep it is, and the character's condition after it.

    Verdicts on acrobatics are removed from *found*, and get the condition added.
    """
    data, npc = check.data, is_npc(game, check.actor)
    whole = _fall_effect(game, check)
    plain = _fall_effect(game, check, full=False) if npc else whole
    rolled = [each for each in found if isinstance(each, Verdict)]
    if rolled:
        found[:] = [each for each in found if not isinstance(each, Verdict)]
        return [each for head in rolled for each in verdicts_with(head, whole, plain)]
    # Nothing else heads the message.
    heads: list[Verdict] = []
    for effect in (whole, plain):
        fate = None
        if effect is not None:
            about = {key: each for key, each in effect.params.items() if key != "who"}
            fate = effect.replace(params=about)
        shown = {"number": data.meters, "collides": data.collides, "fate": fate}
        shown["pending"] = check.is_open and not data.over
        text = Text("mb-fell", {"who": Ref(check.actor), **shown})
        heads.append(Verdict(text, "neutral", dice_viewers(check)))
    full, other = heads
    if full == other or full.visible_to == GMS_ONLY:
        return [full]
    return [*full_and_plain(full, text=other.text)]


def _fall_effect(game: Game, check: Check[Any], *, full: bool = True) -> Text | None:
    """Return how a fall leaves the character, once it is known how hard it is.

    Before it counts, only GMs read what an NPC's comes to; then not by how much it is hurt.
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
        return None  # its check has ended before it counted
    shown = damage_text(blow.left) if hurt and full else None
    about = {"who": Ref(who), "hurt": hurt, "damage": shown, "end": end, "pending": pending}
    return Text("mb-takes", about)


def _all_throws(data: FallAttempt) -> tuple[dice.Throw, ...]:
    """Return the dice of acrobatics and those of the fall."""
    return data.throws if data.fell is None else (*data.throws, data.fell)


_TUMBLING: Final = TumbleAction(hostile=False).stages(reading=False)[
    1:
]  # nobody waits to be trained
FALL: Final = procedure(
    "fall",
    (
        *(_dropping, *_TUMBLING, _landing),
        *(DamageReductionStage(), outcome_stage(_landed), BadLuckStage(throws=_all_throws)),
    ),
    data=FallAttempt,
    form=FORM,
    begin=_falls,
    describe=_describe,
)
COMMANDS: Final = (command("fall", check_starter("fall"), *FORM.fields, AS_FIELD),)
