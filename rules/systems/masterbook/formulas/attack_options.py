"""Attacks and defenses: what is allowed, and the modifiers on both sides.

MB-CMB, MB-OPT, MB-COV, MB-SUR.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, Literal

from rules.core.errors import Impossible, InvalidInput
from rules.core.name_matching import similar_names
from rules.core.record import Record
from rules.systems.masterbook.formulas import equipment, reference_rows
from rules.systems.masterbook.formulas.dice import ACTIVE_DEFENSE_FLOOR
from rules.systems.masterbook.formulas.equipment import Meters, Reach, WeaponKind
from rules.systems.masterbook.formulas.reference_rows import (
    OPTIONS,
    AttackOption,
    Causes,
    Use,
    cause_total,
    nonzero_causes,
    require_compatible,
    typed_ids,
)

#: Meters that a held weapon reaches, and with a lunge (MB-CMB-01, MB-OPT-03).
REACH, LUNGE = 2, 4
#: Group of the fire modes.
MODE: Final = "mode"
#: Skills of defense (MB-CMB-04).
DODGE, ARMED, BARE = "Dodge", "Melee Parry", "Unarmed Parry"
#: A surprise is complete if the roll missed by so much (MB-SUR-01).
_COMPLETE: Final = 5
#: Least concealment that direct fire can't pass (MB-COV-01).
_HIDDEN: Final = 12
#: A GM's own numbers for attack, defense and damage, by option.
ChangedNumbers = Mapping[str, tuple[int, int, int]]


# --- declared options -----------------------------------------------------------------------------


class DeclaredOptions(Record):
    """Options of one attack, and their modifiers by option."""

    options: tuple[str, ...] = ()
    #: Modifiers of the attacker's total.
    attack: Causes = ()
    #: Modifiers of the attacker's own defense until the next turn.
    defense: Causes = ()
    #: Modifiers of the result points for damage.
    damage: Causes = ()
    #: Modifier of the Strength that the damage value counts with.
    strength: int = 0


def _option(name: str) -> AttackOption:
    """Return the option of an id. Raises InvalidInput("mb-option-unknown")."""
    if name not in OPTIONS:
        names = typed_ids(*OPTIONS)
        near = similar_names(name, names)
        raise InvalidInput(
            "mb-option-unknown", field="options", value=name[:100], allowed=names, nearest=near
        )
    return OPTIONS[name]


def combine_options(
    options: Iterable[str], changed: ChangedNumbers | None = None
) -> DeclaredOptions:
    """Return these options together (MB-OPT-01 to MB-OPT-05, MB-SUR-01).

    Raises:
        InvalidInput("mb-option-unknown"): an option does not exist.
        InvalidInput("mb-options-exclude"): two options exclude each other.
        InvalidInput("mb-option-fixed"): the GM can't change an option's numbers.
    """
    changed = changed or {}
    rows = [_option(name) for name in dict.fromkeys(options)]
    require_compatible("options", rows)
    attack: list[tuple[str, int]] = []
    defense: list[tuple[str, int]] = []
    damage: list[tuple[str, int]] = []
    for row in rows:
        numbers = (row.attack, row.defense, row.damage)
        if row.id in changed:
            if not row.free:
                raise InvalidInput("mb-option-fixed", field="options", value=typed_ids(row.id)[0])
            numbers = changed[row.id]
        attack.append((row.id, numbers[0]))
        defense.append((row.id, numbers[1]))
        damage.append((row.id, numbers[2]))
    return DeclaredOptions(
        tuple(row.id for row in rows),
        nonzero_causes(*attack),
        nonzero_causes(*defense),
        nonzero_causes(*damage),
        sum(row.strength for row in rows),
    )


def has_effect(options: Iterable[str], what: Literal["waits", "fells", "holds", "twice"]) -> bool:
    """Return whether one of these words is an option with a field of `AttackOption` set."""
    return any(getattr(OPTIONS[name], what) for name in options if name in OPTIONS)


def options_for_weapon(
    weapon: WeaponKind, focus: str = "", loaded: int | None = None
) -> tuple[AttackOption, ...]:
    """Return the options that an attack with this weapon, by this focus, may have."""
    ways = equipment.fire_modes(weapon, loaded)
    return tuple(option for option in OPTIONS.values() if _fits(option, weapon, focus, ways))


def is_extra(option: AttackOption) -> bool:
    """Return whether an option exists only where the table plays with combat options.

    A weapon's plain fire modes and the techniques of martial arts always exist (MB-OPT, MB-SUR).
    """
    if option.focus:
        return False
    has_numbers = bool(option.attack or option.defense or option.damage)
    return option.group != MODE or has_numbers


def _fits(option: AttackOption, weapon: WeaponKind, focus: str, ways: Collection[str]) -> bool:
    """Return whether an attack with a weapon, by a focus, may have an option.

    *ways* are the weapon's fire modes.
    """
    if weapon.use not in option.uses or option.focus not in ("", focus):
        return False
    if option.group == MODE and option.id not in ways:
        return False
    if not option.needs:
        return True
    return any(need in ways or OPTIONS[need].group != MODE for need in option.needs)


# --- an attack ------------------------------------------------------------------------------------


class Strike(Record):
    """An attack that is allowed."""

    weapon: WeaponKind
    declared: DeclaredOptions
    #: Fire mode; empty: the weapon has none.
    mode: str = ""
    #: Band of the range; None: hand to hand.
    reach: Reach | None = None
    #: Focus of martial arts; empty: none.
    focus: str = ""


def declare_strike(
    weapon: WeaponKind,
    meters: Meters,
    options: Iterable[str] = (),
    *,
    strength: int = 0,
    loaded: int | None = None,
    focus: str = "",
    changed: ChangedNumbers | None = None,
) -> Strike:
    """Return an attack at a distance, in its usual fire mode if none is chosen.

    MB-CMB-01, MB-CMB-05, MB-OPT-04, MB-EQ-03.

    Raises:
        Impossible("mb-out-of-reach"): a held weapon doesn't reach so far.
        Impossible("mb-out-of-range"): no band of the weapon reaches so far.
        InvalidInput("mb-mode-unfit"): the weapon doesn't have the fire mode.
        InvalidInput("mb-focus-unfit"): the focus doesn't use the weapon's skill.
        InvalidInput("mb-option-needs"): an option needs another one.
        InvalidInput("mb-option-unfit"): an option doesn't fit the weapon or the focus.
        As `combine_options`.
    """
    chosen = list(dict.fromkeys(options))
    ways = equipment.fire_modes(weapon, loaded)
    mode = _chosen_mode(weapon, chosen, ways)
    if ways and not mode:
        mode = ways[0]
        chosen.insert(0, mode)
    declared = combine_options(chosen, changed)
    _require_focus(weapon, focus)
    for name in declared.options:
        _require_needs(name, declared.options)
        if not _fits(OPTIONS[name], weapon, focus, ways):
            fitting = [option.id for option in options_for_weapon(weapon, focus, loaded)]
            raise InvalidInput("mb-option-unfit", **_about_option(name, fitting))
    if weapon.use == "hand":
        _require_reach(meters, "short_range" in declared.options)
        return Strike(weapon, declared, focus=focus)
    reach = equipment.reach_at(weapon, meters, strength)
    if reach is None:
        most = max(reach.limit for reach in equipment.weapon_reaches(weapon, strength))
        raise Impossible("mb-out-of-range", meters=f"{float(meters):g}", most=f"{float(most):g}")
    return Strike(weapon, declared, mode, reach, focus)


def _chosen_mode(weapon: WeaponKind, chosen: Iterable[str], ways: Collection[str]) -> str:
    """Return the chosen fire mode; empty without one. Raises InvalidInput("mb-mode-unfit")."""
    mode = next((name for name in chosen if _option(name).group == MODE), "")
    if mode and ways and mode not in ways:
        about = _about_option(mode, ways)
        raise InvalidInput("mb-mode-unfit", weapon=weapon.name, **about)
    return mode


def _require_focus(weapon: WeaponKind, focus: str) -> None:
    """Raise InvalidInput("mb-focus-unfit") for a focus that doesn't use the weapon's skill."""
    if not focus:
        return
    replaced = reference_rows.FOCUSES[focus].replaces
    if weapon.skill not in replaced:
        raise InvalidInput("mb-focus-unfit", field="focus", value=focus, allowed=replaced)


def _require_needs(name: str, declared: Collection[str]) -> None:
    """Raise InvalidInput("mb-option-needs") for an option without one that it needs."""
    needs = OPTIONS[name].needs
    if needs and not set(needs) & set(declared):
        raise InvalidInput("mb-option-needs", **_about_option(name, needs))


def _about_option(name: str, allowed: Iterable[str]) -> dict[str, Any]:
    """Return what errors say about an option: its field, and the options instead."""
    return {"field": "options", "value": typed_ids(name)[0], "allowed": typed_ids(*allowed)}


def _require_reach(meters: Meters, lunges: bool) -> None:
    """Raise Impossible("mb-out-of-reach") for a target beyond a held weapon."""
    least, most = (REACH, LUNGE) if lunges else (0, REACH)
    if not least <= meters <= most:
        # The error offers a lunge to a character who is near enough for one.
        lunge = not lunges and meters <= LUNGE
        raise Impossible(
            "mb-out-of-reach", meters=f"{float(meters):g}", least=least, most=most, lunge=lunge
        )


def focus_bonus(strike: Strike) -> int:
    """Return the bonus of martial arts if its condition is met (MB-SKILL-MARTIAL-ARTS)."""
    if not strike.focus:
        return 0
    focus = reference_rows.FOCUSES[strike.focus]
    declared = strike.declared.options
    surprises = bool({"blindside", "partial", "complete"} & set(declared))
    # A fighter in a kicking style kicks, unless the attack holds.
    kicks = not has_effect(declared, "holds")
    is_met = {"": True, "sword": strike.weapon.sword, "kick": kicks, "surprise": surprises}
    return focus.bonus if is_met[focus.on] else 0


def attack_modifiers(strike: Strike, *, rank: int = 0, handling: int = 0) -> Causes:
    """Return the modifiers of the attacker's total, by cause (MB-CMB-01).

    Wounds and what else hampers the attacker are added elsewhere. *rank* is the
    `multi_action_penalty` of one of several actions, *handling* the GM's modifier of the weapon.
    """
    causes = [*strike.declared.attack, (strike.focus, focus_bonus(strike))]
    reach = strike.reach
    if reach is not None:
        modifier = equipment.range_modifier(strike.weapon, reach, strike.mode)
        causes.append((f"range_{reach.name}", modifier))
    return nonzero_causes(*causes, ("handling", handling), ("multi_action", rank))


def damage_modifiers(strike: Strike, *, handling: int = 0) -> Causes:
    """Return the modifiers of the result points for damage (MB-DMG-02, MB-EQ-21).

    Handling is subtracted again.
    """
    return (*strike.declared.damage, *nonzero_causes(("handling", -handling)))


# --- defense --------------------------------------------------------------------------------------


def defense_skill(use: Use, *, armed: bool) -> str:
    """Return the skill that meets an attack, of an *armed* character or not (MB-CMB-04)."""
    if use != "hand":
        return DODGE
    return ARMED if armed else BARE


def stands_in_for_defense(focus: str, skill: str, against: Collection[str] = ()) -> bool:
    """Return whether a focus of martial arts stands in for a defense.

    Wrestling has no parry, but parries the options *against* which its row defends: holds and judo
    throws.
    """
    row = reference_rows.FOCUSES[focus]
    if skill in row.replaces:
        return True
    parries = bool(set(row.against) & set(against))
    return parries and skill in (ARMED, BARE)


def active_defense_floor(focus: str = "") -> int:
    """Return the least bonus number of an active defense, by its focus if any (MB-DIE-07)."""
    row = reference_rows.FOCUSES.get(focus)
    return ACTIVE_DEFENSE_FLOOR if row is None else max(ACTIVE_DEFENSE_FLOOR, row.floor)


def passive_defense_value(value: int, causes: Causes = ()) -> int:
    """Return the number that an attack must reach without an active defense (MB-CMB-02)."""
    return value + cause_total(causes)


def no_defense_reason(*, acted: bool, surprised: bool, all_out: bool) -> str:
    """Return why a character can't defend actively; empty if it can (MB-CMB-03).

    The reason is `surprised`, `all_out` or `acted`, the first that holds.
    """
    reasons = {"surprised": surprised, "all_out": all_out, "acted": acted}
    return next((reason for reason, holds in reasons.items() if holds), "")


def concealment_bonus(name: str, more: int = 0) -> int:
    """Return the bonus of concealment, with *more* further square meters (MB-COV-01)."""
    row = reference_rows.CONCEALMENTS[name]
    return row.defense + row.each * more


def needs_indirect_fire(hidden: int, *, indirect: bool = False) -> bool:
    """Return whether concealment stops an attack, as only *indirect* fire passes it (MB-COV-01)."""
    return hidden >= _HIDDEN and not indirect


class Outcome(Record):
    """Outcome of an attack on a target behind cover."""

    kind: Literal["clear_hit", "through_cover", "miss"]
    #: Result points; None on a miss.
    points: int | None = None


def resolve_through_cover(
    total: int,
    defense: int,
    hidden: int = 0,
    *,
    counting: str = "from_defense",
    indirect: bool = False,
) -> Outcome:
    """Return the outcome of an attack on a defense that concealment raises (MB-COV-01).

    *hidden* is the concealment. An attack that reaches the defense alone hits through the cover,
    whose Toughness protects then. Its points count `from_defense`, or as `zero`.
    """
    clear_points = total - defense - hidden
    if needs_indirect_fire(hidden, indirect=indirect):
        return Outcome("through_cover", clear_points) if clear_points >= 0 else Outcome("miss")
    if clear_points >= 0:
        return Outcome("clear_hit", clear_points)
    if total < defense:
        return Outcome("miss")
    return Outcome("through_cover", 0 if counting == "zero" else total - defense)


#: Surprises, the least first (MB-SUR-01).
NO_SURPRISE: Final = "none"
_SURPRISES: Final = (NO_SURPRISE, "partial", "complete")


def surprise_level(number: int, total: int, *, suspects: bool) -> str:
    """Return the surprise of a character with this total: one of `_SURPRISES` (MB-SUR-01).

    A character who *suspects* something is never surprised completely.
    """
    missed_by = number - total
    if missed_by <= 0:
        return NO_SURPRISE
    return "complete" if missed_by >= _COMPLETE and not suspects else "partial"


def lessened_surprise(option: str, steps: int) -> str:
    """Return a surprise lowered by *steps*, `none` at least; other options stay (MB-BG-30)."""
    if option not in _SURPRISES:
        return option
    return _SURPRISES[max(0, _SURPRISES.index(option) - steps)]


#: Result points that a character needs to get out of a hold: a minimal success isn't enough.
_TO_GET_FREE: Final = 1


def escape_number(hold: int) -> int:
    """Return the number that gets a character out of a wrestler's hold (MB-SKILL-MARTIAL-ARTS).

    An Agility total meets the wrestler's latest total, a Strength total the wrestler's Strength
    with adds. The character has to beat both.
    """
    return hold + _TO_GET_FREE


def has_escaped_hold(total: int, hold: int) -> bool:
    """Return whether a total gets a character out of a hold."""
    return total >= escape_number(hold)
