"""Declaration of a casting: effect, targets, helpers, and what makes it impossible (MB-SFX-20)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.core.name_matching import name_key
from rules.systems.masterbook.character.effect_rules import worksheet_rules
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.action_economy import require_awake, require_not_casting
from rules.systems.masterbook.checks.card_windows import may_train
from rules.systems.masterbook.checks.check_forms import helper
from rules.systems.masterbook.checks.roll_sources import find_source, learned_sources
from rules.systems.masterbook.effects.access import require_access, waits_for_ordination
from rules.systems.masterbook.effects.areas import with_places_inside
from rules.systems.masterbook.effects.cast_state import (
    Cast,
    casting_conditions,
    rolled_conditions,
    ruled_conditions,
    things_needed,
)
from rules.systems.masterbook.effects.effect_settings import (
    casting_cost,
    design_rounds_up,
    world_figures,
)
from rules.systems.masterbook.effects.known_effects import effect_on_sheet
from rules.systems.masterbook.effects.state import EffectTarget
from rules.systems.masterbook.effects.taking_hold import require_free_holder
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, Condition, KnownEffect
from rules.systems.masterbook.formulas.effect_costs import (
    accuracy_bonus,
    effect_value_band,
    speed_of,
    usable_targets,
)
from rules.systems.masterbook.formulas.effect_values import (
    DETOURS,
    Detour,
    arrives,
    cast_seconds,
    detours_of,
    duration_seconds,
    stays_with,
    travel,
)
from rules.systems.masterbook.formulas.effect_worksheet import Figures, design_value, known_figures
from rules.systems.masterbook.formulas.measures import plain_number
from rules.systems.masterbook.formulas.value_chart import measure
from rules.table.blocks import Ref, Text
from rules.table.check import Check, Values
from rules.table.checks.stages import APPROACH_FIELD, MODIFIER_FIELD, ROLL, with_npc_privacy
from rules.table.commands import distance_field, known_character_options, spoken_distance
from rules.table.forms.fields import Flag, FormContext, Many, Number, Option, Pick, Typed
from rules.table.forms.form import Form
from rules.table.lookup import find_known
from rules.table.permissions import is_gm
from rules.table.system import Game, is_npc

#: Skill of languages, for incantations in a foreign tongue.
_LANGUAGE: Final = "Language"
#: Farthest distance that can be said, in meters.
_FARTHEST: Final = 1_000_000
_TEXT_MOST: Final = 80
#: Ways to take hold that need no target.
_TARGETLESS: Final = frozenset({"words", "general", "points", "movement", "skill"})


# --- what is known --------------------------------------------------------------------------------


def cast_figures(game: Game, who: str, known: KnownEffect, effect_value: int) -> Figures:
    """Return the difficulty and feedback of a casting, with what the world and flaws add.

    MB-SFX-14, MB-BG-41. Raises as `require_access`.
    """
    skill = known.blueprint.skill
    figures = known_figures(known, worksheet_rules(game, skill))
    dn, fv = world_figures(game, figures, skill, effect_value)
    return Figures(dn + require_access(game, who, known).difficulty, fv)


def preparation_seconds(game: Game, known: KnownEffect) -> int:
    """Return the seconds until the roll, rounded up (MB-SFX-20, MB-SFX-91).

    They are the cast time, and the time of the design if that is still to come.
    """
    seconds = cast_seconds(known.blueprint.cast_time_value)
    if known.undesigned:
        value = max(0, design_value(known.blueprint, up=design_rounds_up(game)) - known.rush.steps)
        seconds += measure(value)
    return ceil(seconds)


def concentration_seconds(known: KnownEffect) -> int:
    """Return the seconds at the end during which the caster concentrates (MB-SFX-S19)."""
    longest = Fraction(0)
    for _, condition in casting_conditions(known.blueprint):
        if condition.kind == "concentration":
            longest = max(longest, measure(condition.time_value))
    return ceil(longest)


# --- the form -------------------------------------------------------------------------------------


def _effects(asking: FormContext) -> tuple[Option, ...]:
    """Return the effects of the character who casts."""
    sheet = _sheet(asking)
    if sheet is None:
        return ()
    options: list[Option] = []
    for known in sheet.effects:
        if not known.refused:
            about = {"name": known.name, "learned": known.learned}
            options.append(Option(known.name, Text("mb-cast-choice", about)))
    return tuple(options)


def _caster(asking: FormContext) -> str:
    """Return the id of the character who casts; empty without one."""
    check = asking.check
    return (check.actor if check is not None else "") or asking.who


def _sheet(asking: FormContext) -> MasterbookSheet | None:
    who = _caster(asking)
    if asking.game is None or not who:
        return None
    return asking.game.sheet(who)


def _find_effect(asking: FormContext, text: str) -> str:
    """Return the name of the effect that is meant. Raises as `effect_on_sheet`."""
    sheet = _sheet(asking)
    if sheet is None:
        return text[:_TEXT_MOST]
    return effect_on_sheet(sheet, text, asking.game.display_name(_caster(asking))).name


def _bearer(asking: FormContext, text: str) -> str:
    """Return the id of a character. Raises as `find_known`."""
    return find_known(asking.game.state, asking.game.actor, text, "for").id


def _about(key: str) -> dict[str, Any]:
    return {"title": Text("mb-cast-field", {"what": key})}


COMPONENTS: Final = Flag("components", label=Text("mb-cast-field", {"what": "components"}))
AROUND: Final = Pick(
    "around",
    choices=tuple(Option(way, Text("mb-cast-detour", {"way": way})) for way in DETOURS),
    **_about("around"),
)
FORM: Final = Form(
    (
        Pick("effect", choices=_effects, find=_find_effect, needed=True),
        COMPONENTS,
        distance_field("on", "name 3", _FARTHEST, **_about("on")),
        Number("meters", low=0, high=_FARTHEST, offered=(1, 3, 10, 30), **_about("meters")),
        Typed("at", most=_TEXT_MOST, example="the old door", **_about("at")),
        Number("value", low=0, high=200, **_about("value")),
        Number("extension", low=0, high=60, **_about("extension")),
        AROUND,
        Many(
            "help",
            find=helper,
            choices=known_character_options,
            spoken=spoken_distance,
            most=25,
            example="name",
            **_about("help"),
        ),
        Typed("into", most=_TEXT_MOST, example="an oak wand", **_about("into")),
        Pick("for", choices=known_character_options, find=_bearer, **_about("for")),
        APPROACH_FIELD,
        MODIFIER_FIELD,
    )
)


# --- targets --------------------------------------------------------------------------------------


def aims_of(check: Check[Any], blueprint: Blueprint, values: Values) -> tuple[EffectTarget, ...]:
    """Return the targets of a casting, and the characters named as standing in its area.

    Raises InvalidInput("mb-cast-only-self").
    """
    meters = values.get("meters")
    if blueprint.on_self:
        if check.target not in (None, check.actor) or values.get("on"):
            raise InvalidInput("mb-cast-only-self", field="target", value=None)
        return (EffectTarget(check.actor, meters=0),)
    aims: list[EffectTarget] = []
    if check.target is not None:
        aims.append(EffectTarget(check.target, meters=meters))
    for target in values.get("on", ()):
        who, _, far = target.partition(" ")
        aims.append(EffectTarget(who, meters=int(far) or None))
    text = values.get("at", "").strip()
    if text:
        alone = check.target is None
        spot = EffectTarget(text=text, meters=meters if alone else None)
        if blueprint.area is not None:
            # A spot is aimed at; characters named besides stand around it (MB-SFX-22).
            aims.insert(0 if alone else 1, spot)
        else:
            aims.append(spot)
    return with_places_inside(blueprint, tuple(aims))


def require_targets(check: Check[Any], blueprint: Blueprint, aims: Iterable[EffectTarget]) -> None:
    """Refuse targets that an effect can't be aimed at (MB-SFX-S07).

    Raises:
        InvalidInput("mb-cast-which-target"): no target is named, and the effect needs one.
        InvalidInput("mb-cast-target-twice"): a target is named twice.
        InvalidInput("mb-cast-too-many-targets"): the effect meets fewer targets.
    """
    names = [aim.who or aim.text.casefold() for aim in aims]
    if not names and blueprint.action not in _TARGETLESS:
        raise InvalidInput("mb-cast-which-target", field="target", value=None, name=blueprint.name)
    if len(set(names)) < len(names):
        raise InvalidInput("mb-cast-target-twice", field="on", value=None)
    most = usable_targets(blueprint)
    # An area meets all characters inside it: only its centers are counted.
    if blueprint.area is None and len(names) > most:
        raise InvalidInput(
            "mb-cast-too-many-targets", field="on", value=len(names), most=most, name=blueprint.name
        )


def require_reach(game: Game, blueprint: Blueprint, aims: Iterable[EffectTarget]) -> None:
    """Refuse targets that an effect never reaches.

    Raises:
        Impossible("mb-cast-out-of-range"): a target is beyond the range (MB-SFX-26).
        Impossible("mb-cast-dies-on-the-way"): a slow effect ends on its way (MB-SFX-27).
    """
    reach = measure(blueprint.range_value)
    lasts = duration_seconds(blueprint.duration_value)
    for aim in aims:
        if not aim.meters:
            continue
        name = game.display_name(aim.who) if aim.who else aim.text
        if not stays_with(aim.meters, blueprint.range_value, focused=False):
            raise Impossible(
                "mb-cast-out-of-range", target=name, meters=aim.meters, most=plain_number(reach)
            )
        way = travel(Fraction(aim.meters), speed_of(blueprint))
        if not arrives(way, lasts):
            raise Impossible(
                "mb-cast-dies-on-the-way",
                target=name,
                seconds=ceil(way.seconds),
                lasts=plain_number(lasts),
            )


def require_detour(blueprint: Blueprint, values: Values) -> Detour | None:
    """Return the detour of an effect; None if its way is free.

    Raises InvalidInput("mb-cast-no-detour") for more than its accuracy can do (MB-SFX-S12).
    """
    detour: Detour | None = values.get(AROUND.key)
    if detour is None:
        return None
    bonus = accuracy_bonus(blueprint.accuracy)
    if detour not in detours_of(bonus):
        raise InvalidInput(
            "mb-cast-no-detour",
            field=AROUND.key,
            value=None,
            name=blueprint.name,
            way=detour,
            needed=DETOURS[detour],
            bonus=bonus,
        )
    return detour


# --- conditions -----------------------------------------------------------------------------------


def require_conditions(game: Game, who: str, conditions: Iterable[tuple[int, Condition]]) -> None:
    """Refuse a casting or a release whose conditions a character can't meet.

    Raises:
        Impossible("mb-cast-no-language"): no add in an incantation's tongue (MB-SFX-S21).
        Impossible("mb-cast-no-related"): no add in the skill of a related total (MB-SFX-S22).
    """
    sheet: MasterbookSheet = game.sheet(who)
    for _, condition in conditions:
        if condition.kind == "incantation" and "foreign_tongue" in condition.addons:
            if not _speaks(sheet, condition.skill):
                raise Impossible("mb-cast-no-language", language=condition.skill or None)
        if condition.kind == "related_skill":
            source = find_source(sheet, condition.skill)
            if not source.all_adds and not may_train(game, who):
                raise Impossible("mb-cast-no-related", skill=source.name)


def _speaks(sheet: MasterbookSheet, language: str) -> bool:
    """Return whether a character has an add in a language; in any if none is named."""
    for source in learned_sources(sheet):
        if source.skill != _LANGUAGE or not source.all_adds:
            continue
        names = (name_key(source.focus), name_key(source.special))
        if not language or name_key(language) in names:
            return True
    return False


def _named_helpers(
    game: Game, check: Check[Any], blueprint: Blueprint, values: Values
) -> tuple[str, ...]:
    """Return the helpers who roll.

    Raises:
        InvalidInput("mb-cast-no-community"): no condition has helpers who roll.
        InvalidInput("mb-cast-too-many-helpers"): the conditions have fewer helpers.
        InvalidInput("mb-cast-helps-oneself"): the caster is among them.
        As `require_awake`.
    """
    helpers: tuple[str, ...] = values.get("help", ())
    if not helpers:
        return ()
    places = 0
    for index in rolled_conditions(blueprint):
        condition = blueprint.conditions[index]
        if condition.kind == "community":
            places += condition.helpers
    if not places:
        raise InvalidInput("mb-cast-no-community", field="help", value=None, name=blueprint.name)
    count = len(helpers)
    if count > places:
        raise InvalidInput("mb-cast-too-many-helpers", field="help", value=count, most=places)
    if check.actor in helpers:
        raise InvalidInput("mb-cast-helps-oneself", field="help", value=None)
    for who in helpers:
        require_awake(game, who)
    return helpers


# --- beginning ------------------------------------------------------------------------------------


def begin_cast(game: Game, check: Check[Any], values: Values) -> Check[Any]:
    """Return a casting as it is declared.

    Raises:
        InvalidInput("out-of-range"): the effect value or the extension was not bought.
        As `require_awake`, `require_not_casting`, `effect_on_sheet`, `require_access`, `aims_of`,
        `require_free_holder`, `require_detour` and the refusals of this module.
    """
    who = check.actor
    require_awake(game, who)
    require_not_casting(game, who)
    known = effect_on_sheet(game.sheet(who), values["effect"], game.display_name(who))
    blueprint = known.blueprint
    require_access(game, who, known)
    is_stored = blueprint.charges > 0
    holder = values.get("into", "").strip()
    aims: tuple[EffectTarget, ...] = ()
    if is_stored:
        require_free_holder(game, values.get("for") or who, holder)
    else:
        aims = aims_of(check, blueprint, values)
        require_targets(check, blueprint, aims)
        require_reach(game, blueprint, aims)
    require_conditions(game, who, casting_conditions(blueprint))
    effect_value = _within("value", values.get("value"), *effect_value_band(blueprint))
    if effect_value is None:
        effect_value = blueprint.effect_value
    extension = _within("extension", values.get("extension"), 0, blueprint.extension) or 0
    figures = cast_figures(game, who, known, effect_value)
    cost = casting_cost(game)
    needs_ruling = bool(ruled_conditions(blueprint)) or waits_for_ordination(game, who, blueprint)
    data: Any = check.data
    data = data.replace(
        known=known,
        aims=aims,
        effect_value=effect_value,
        extension=extension,
        around=None if is_stored else require_detour(blueprint, values),
        holder=holder,
        bearer=values.get("for", ""),
        roll_modifier=values.get("modifier", 0),
        cost=cost,
        prepared=COMPONENTS.key in values or not (cost or things_needed(blueprint)),
        consented=is_gm(game.state, game.actor) or not needs_ruling,
        seconds=preparation_seconds(game, known),
        named_helpers=_named_helpers(game, check, blueprint, values),
        dn=figures.dn,
        fv=figures.fv,
        answer=ROLL,
    )
    declared = check.replace(
        data=data,
        target=next((aim.who for aim in aims if aim.who not in ("", who)), None),
        approach=values.get(APPROACH_FIELD.key, "").strip(),
        hidden=is_npc(game, who),
    )
    return with_npc_privacy(game, declared) if is_npc(game, who) else declared


def _within(field: str, number: int | None, low: int, high: int) -> int | None:
    """Return a number that was bought. Raises InvalidInput("out-of-range")."""
    if number is not None and not low <= number <= high:
        raise InvalidInput("out-of-range", field=field, value=number, lowest=low, highest=high)
    return number


def with_designed_effect(game: Game, who: str, known: KnownEffect) -> Game:
    """Return the game once the time of a design is spent (MB-SFX-91)."""
    sheet: MasterbookSheet = game.sheet(who)
    effects: list[KnownEffect] = []
    for effect in sheet.effects:
        if effect == known:
            effect = effect.replace(undesigned=False)
        effects.append(effect)
    return game.with_sheet(who, sheet.replace(effects=tuple(effects)))


def cast_names(check: Check[Cast]) -> tuple[str, ...]:
    """Return the characters that a casting names besides its caster and its target."""
    data = check.data
    names = [aim.who for aim in data.aims if aim.who]
    names += [*data.named_helpers, *[helper.who for helper in data.helpers]]
    if data.bearer:
        names.append(data.bearer)
    return tuple(dict.fromkeys(names))


def target_ref(aim: EffectTarget) -> Ref:
    """Return a target as texts name it."""
    return Ref(aim.who) if aim.who else Ref(name=aim.text)
