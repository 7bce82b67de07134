"""Attack and defense: what is allowed, what it adds, what stands against it (MB-CMB, MB-OPT,
MB-COV, MB-SUR).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, Literal

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

#: How far one reaches with what is held, without lunging and with it, in meters (MB-CMB-01,
#: MB-OPT-03).
REACH, LUNGE = 2, 4
#: The group of the ways to fire.
MODE: Final = "mode"
#: What somebody defends with against what (MB-CMB-04).
DODGE, ARMED, BARE = "Dodge", "Melee Parry", "Unarmed Parry"
#: Missed by so much a surprise is complete (MB-SUR-01).
_COMPLETE: Final = 5
#: Concealment from which on only indirect fire comes through (MB-COV-01).
_HIDDEN: Final = 12


# --- what is declared -----------------------------------------------------------------------------


class DeclaredOptions(Record):
    """Options of one attack together, each with its number.

    `attack` is on the attacker's total, `defense` on their own defense until their next turn,
    `damage` on the result points for damage, `strength` on what the damage value is worked out
    from.
    """

    options: tuple[str, ...] = ()
    attack: Causes = ()
    defense: Causes = ()
    damage: Causes = ()
    strength: int = 0


def _known(name: str) -> AttackOption:
    if name not in OPTIONS:
        names = typed_ids(*OPTIONS)
        near = similar_names(name, names)
        raise InvalidInput(
            "mb-option-unknown", field="options", value=name[:100], allowed=names, nearest=near
        )
    return OPTIONS[name]


def _causes(
    rows: Iterable[AttackOption], what: str, at: int, changed: Mapping[str, tuple[int, int, int]]
) -> Causes:
    found = [
        (each.id, changed[each.id][at] if each.id in changed else getattr(each, what))
        for each in rows
    ]
    return nonzero_causes(*found)


def combine_options(
    options: Iterable[str], changed: Mapping[str, tuple[int, int, int]] | None = None
) -> DeclaredOptions:
    """What these options do together (MB-OPT-01 to MB-OPT-05, MB-SUR-01).

    `changed` has the game master's numbers for attack, defense and damage.
    InvalidInput("mb-option-unknown", "mb-options-exclude", "mb-option-fixed").
    """
    changed = changed or {}
    rows = [_known(each) for each in dict.fromkeys(options)]
    require_compatible("options", rows)
    for each in rows:
        if each.id in changed and not each.free:
            raise InvalidInput("mb-option-fixed", field="options", value=typed_ids(each.id)[0])
    return DeclaredOptions(
        tuple([each.id for each in rows]),
        _causes(rows, "attack", 0, changed),
        _causes(rows, "defense", 1, changed),
        _causes(rows, "damage", 2, changed),
        sum([each.strength for each in rows]),
    )


def has_effect(options: Iterable[str], what: Literal["waits", "fells", "holds", "twice"]) -> bool:
    """Whether one of these words is an option that does it, by the name that `OptionKind` has for
    that.
    """
    return any(getattr(OPTIONS[each], what) for each in options if each in OPTIONS)


def options_for_weapon(
    weapon: WeaponKind, focus: str = "", loaded: int | None = None
) -> tuple[AttackOption, ...]:
    """The options that an attack with this weapon may have; those of a focus only for who fights by
    it.
    """
    ways = equipment.fire_modes(weapon, loaded)
    return tuple([each for each in OPTIONS.values() if _fits(each, weapon, focus, ways)])


def is_extra(option: AttackOption) -> bool:
    """Whether it is there only where the table plays with combat options; how a weapon fires as it
    is, and what a martial art knows, always are (MB-OPT, MB-SUR).
    """
    numbers = option.attack or option.defense or option.damage
    return not option.focus and (option.group != MODE or bool(numbers))


def _fits(option: AttackOption, weapon: WeaponKind, focus: str, ways: Collection[str]) -> bool:
    return (
        weapon.use in option.uses
        and option.focus in ("", focus)
        and (option.group != MODE or option.id in ways)
        and (
            not option.needs
            or any(need in ways or OPTIONS[need].group != MODE for need in option.needs)
        )
    )


# --- an attack ------------------------------------------------------------------------------------


class Strike(Record):
    """An attack that is allowed: with what, from where, declared how, in which `mode` it fires, by
    which `focus`.
    """

    weapon: WeaponKind
    declared: DeclaredOptions
    mode: str = ""
    reach: Reach | None = None
    focus: str = ""


def declare_strike(
    weapon: WeaponKind,
    meters: Meters,
    options: Iterable[str] = (),
    *,
    strength: int = 0,
    loaded: int | None = None,
    focus: str = "",
    changed: Mapping[str, tuple[int, int, int]] | None = None,
) -> Strike:
    """An attack at this distance, checked (MB-CMB-01, MB-CMB-05, MB-OPT-04, MB-EQ-03).

    Impossible("mb-out-of-reach", "mb-out-of-range"); InvalidInput("mb-option-unfit",
    "mb-option-needs", "mb-mode-unfit", "mb-focus-unfit"), and as `combine_options`.
    """
    chosen = list(dict.fromkeys(options))
    ways = equipment.fire_modes(weapon, loaded)
    mode = next((each for each in chosen if _known(each).group == MODE), "")
    if mode and ways and mode not in ways:
        raise InvalidInput(
            "mb-mode-unfit",
            field="options",
            value=typed_ids(mode)[0],
            weapon=weapon.name,
            allowed=typed_ids(*ways),
        )
    if ways and not mode:
        mode = ways[0]
        chosen.insert(0, mode)
    declared = combine_options(chosen, changed)
    if focus and weapon.skill not in reference_rows.FOCUSES[focus].replaces:
        raise InvalidInput(
            "mb-focus-unfit",
            field="focus",
            value=focus,
            allowed=reference_rows.FOCUSES[focus].replaces,
        )
    for each in declared.options:
        needs = OPTIONS[each].needs
        if needs and not set(needs) & set(declared.options):
            raise InvalidInput(
                "mb-option-needs",
                field="options",
                value=typed_ids(each)[0],
                allowed=typed_ids(*needs),
            )
        if not _fits(OPTIONS[each], weapon, focus, ways):
            fit = [each.id for each in options_for_weapon(weapon, focus, loaded)]
            raise InvalidInput(
                "mb-option-unfit",
                field="options",
                value=typed_ids(each)[0],
                allowed=typed_ids(*fit),
            )
    if weapon.use == "hand":
        _require_reach(meters, "short_range" in declared.options)
        return Strike(weapon, declared, focus=focus)
    reach = equipment.reach_at(weapon, meters, strength)
    if reach is None:
        most = max(each.limit for each in equipment.weapon_reaches(weapon, strength))
        raise Impossible("mb-out-of-range", meters=f"{float(meters):g}", most=f"{float(most):g}")
    return Strike(weapon, declared, mode, reach, focus)


def _require_reach(meters: Meters, lunges: bool) -> None:
    least, most = (REACH, LUNGE) if lunges else (0, REACH)
    if not least <= meters <= most:
        # Whoever is near enough for a lunge may make one; to all others one has to move first.
        lunge = not lunges and meters <= LUNGE
        raise Impossible(
            "mb-out-of-reach", meters=f"{float(meters):g}", least=least, most=most, lunge=lunge
        )


def focus_bonus(strike: Strike) -> int:
    """What martial arts add to the total, where their condition is met (MB-SKILL-MARTIAL-ARTS)."""
    if not strike.focus:
        return 0
    focus, weapon = reference_rows.FOCUSES[strike.focus], strike.weapon
    declared = strike.declared.options
    surprised = bool({"blindside", "partial", "complete"} & set(declared))
    # Whoever fights in that style kicks, unless they grab.
    kicks = not has_effect(declared, "holds")
    met = {"": True, "sword": weapon.sword, "kick": kicks, "surprise": surprised}
    return focus.bonus if met[focus.on] else 0


def attack_modifiers(strike: Strike, *, rank: int = 0, handling: int = 0) -> Causes:
    """Everything that is added to the attacker's total, by what for (MB-CMB-01); what hampers them
    comes besides.

    `rank` is the number of `multi_action_penalty` for one of several actions, `handling` what the
    game master gives the weapon.
    """
    found = [*strike.declared.attack, (strike.focus, focus_bonus(strike))]
    if (reach := strike.reach) is not None:
        found.append(
            (f"range_{reach.name}", equipment.range_modifier(strike.weapon, reach, strike.mode))
        )
    return nonzero_causes(*found, ("handling", handling), ("multi_action", rank))


def damage_modifiers(strike: Strike, *, handling: int = 0) -> Causes:
    """Everything that is added to the result points for damage (MB-DMG-02); handling is taken off
    again (MB-EQ-21).
    """
    return (*strike.declared.damage, *nonzero_causes(("handling", -handling)))


# --- defense --------------------------------------------------------------------------------------


def defense_skill(use: Use, *, armed: bool) -> str:
    """The skill that stands against an attack, that of who holds a weapon or nothing
    (MB-CMB-04).
    """
    if use != "hand":
        return DODGE
    return ARMED if armed else BARE


def stands_in_for_defense(focus: str, skill: str, against: Collection[str] = ()) -> bool:
    """Whether a focus of martial arts stands in for a defense; wrestling does against holds and
    judo.
    """
    row = reference_rows.FOCUSES[focus]
    return skill in row.replaces or (
        bool(set(row.against) & set(against)) and skill in (ARMED, BARE)
    )


def active_defense_floor(focus: str = "") -> int:
    """The least bonus number of an active defense, with a focus of martial arts or any other skill
    (MB-DIE-07).
    """
    return max(
        ACTIVE_DEFENSE_FLOOR,
        reference_rows.FOCUSES[focus].floor if focus in reference_rows.FOCUSES else 0,
    )


def passive_defense_value(value: int, causes: Causes = ()) -> int:
    """What an attack goes against that nobody actively defends against (MB-CMB-02)."""
    return value + cause_total(causes)


def no_defense_reason(*, acted: bool, surprised: bool, all_out: bool) -> str:
    """Why somebody may not defend actively now: `surprised`, `all_out`, `acted`; empty where they
    may (MB-CMB-03).
    """
    found = {"surprised": surprised, "all_out": all_out, "acted": acted}
    return next((why for why, so in found.items() if so), "")


def concealment_bonus(name: str, more: int = 0) -> int:
    """What not being seen whole adds to a defense, with further square meters (MB-COV-01)."""
    row = reference_rows.CONCEALMENTS[name]
    return row.defense + row.each * more


def needs_indirect_fire(hidden: int, *, indirect: bool = False) -> bool:
    """Whether somebody is so hidden that only indirect fire comes through to them (MB-COV-01)."""
    return hidden >= _HIDDEN and not indirect


class Outcome(Record):
    """How an attack at somebody behind something came out; None points on a miss."""

    kind: Literal["clear_hit", "through_cover", "miss"]
    points: int | None = None


def resolve_through_cover(
    total: int,
    defense: int,
    hidden: int = 0,
    *,
    counting: str = "from_defense",
    indirect: bool = False,
) -> Outcome:
    """An attack against a defense that is `hidden` by so much (MB-COV-01).

    Through cover, its Toughness is added; the points count `from_defense`, or as `zero`.
    """
    clear = total - defense - hidden
    if needs_indirect_fire(hidden, indirect=indirect):
        return Outcome("through_cover", clear) if clear >= 0 else Outcome("miss")
    if clear >= 0:
        return Outcome("clear_hit", clear)
    if total < defense:
        return Outcome("miss")
    return Outcome("through_cover", 0 if counting == "zero" else total - defense)


def surprise_level(number: int, total: int, *, suspects: bool) -> str:
    """How much somebody is surprised who came to this total: `none`, `partial`, `complete`
    (MB-SUR-01).
    """
    missed = number - total
    if missed <= 0:
        return "none"
    return "complete" if missed >= _COMPLETE and not suspects else "partial"


#: Surprises, the least first (MB-SUR-01).
NO_SURPRISE: Final = "none"
_SURPRISES: Final = (NO_SURPRISE, "partial", "complete")


def lessened_surprise(option: str, steps: int) -> str:
    """Return a surprise so many steps less, `none` at least; other options stay (MB-BG-30)."""
    if option not in _SURPRISES:
        return option
    return _SURPRISES[max(0, _SURPRISES.index(option) - steps)]


#: A minimal success does not get anybody out of a hold.
_FREE: Final = 1


def escape_number(hold: int) -> int:
    """What gets somebody out of a wrestler's hold (MB-SKILL-MARTIAL-ARTS).

    With an Agility total it goes against the wrestler's latest one, with a Strength total against
    their Strength with their adds: both have to be beaten.
    """
    return hold + _FREE


def has_escaped_hold(total: int, hold: int) -> bool:
    """Whether somebody who came to this total gets out of a hold."""
    return total >= escape_number(hold)
