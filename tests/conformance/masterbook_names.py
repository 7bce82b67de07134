"""Rolls and rows of MasterBook as the worked examples of fights and talk write them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rules.systems.masterbook.formulas.damage import Harm, penalty
from rules.systems.masterbook.formulas.dice import Roll, Throw, least_die_total, throw
from rules.systems.masterbook.formulas.multi_actions import multi_action_penalty
from rules.systems.masterbook.formulas.reference_rows import Causes
from tests.conformance.runner import Given, MakeDice

#: What a value that somebody defends with may be called.
DEFENSES = (
    "dodge",
    "own_dodge",
    "unarmed_parry",
    "own_unarmed_parry",
    "melee_parry",
    "own_melee_parry",
    "parry",
    "own_parry",
    "willpower",
    "maneuver",
    "acrobatics",
    "agility",
    "confidence",
    "intellect",
    "mind",
    "defense_value",
    "defense",
    "value",
    "skill_value",
)
_NUMBERS = ("modifiers", "modifier", "mods", "dn_mods", "total_mod", "attack_mod", "attack_mods")


def first(given: Given, names: Iterable[str]) -> int | None:
    """What the first of these is that there is."""
    return next((given[each] for each in names if each in given), None)


def cards_spent(given: Given) -> int:
    """How many cards were used as points."""
    return sum(
        [given.get(each, 0) for each in ("hero_cards_spent", "drama_cards_spent", "cards_spent")]
    )


def causes(*numbers: Any) -> Causes:
    """Numbers, and lists of them, without names."""
    found: list[tuple[str, int]] = []
    for each in numbers:
        for number in each if isinstance(each, list) else [each]:
            found.append(("modifier", number))
    return tuple(found)


def modifiers(given: Given, *names: str) -> Causes:
    """Everything that is added, by any of its names; wounds, being knocked down and further actions
    too.
    """
    found = [*causes(*[given[each] for each in names or _NUMBERS if each in given])]
    if given.get("knocked_down"):
        found.append(("knockdown", penalty(Harm(down=2), True)))
    if "wounds" in given:
        found.append(("wounds", penalty(Harm(wounds=given["wounds"]), True)))
    rank = first(given, ("multi_action_priority", "priority", "rank"))
    if rank is not None:
        found.append(("multi_action", multi_action_penalty(rank, rank + 1)))
    return tuple(found)


def roll_of(given: Given, dice: MakeDice, *, tens: bool | None = None) -> Roll:
    """The dice as they lie: faces, their total, or some with this bonus number."""
    if "dice" in given:
        faces = given["dice"]
        again: bool = given.get("trained", len(faces) > 2) if tens is None else tens
        return throw(dice(faces), again, given.get("up", 0), given.get("stymied", False))
    total = first(given, ("dice_total", "die_total"))
    return Roll((least_die_total(given.get("bonus", 0)) if total is None else total,))


def make_throw(
    given: Given,
    dice: MakeDice,
    value: int,
    added: Causes = (),
    *,
    floor: int | None = None,
    tens: bool | None = None,
) -> Throw:
    """A roll of somebody with this value."""
    return Throw("", "", value, added, roll_of(given, dice, tens=tens), floor)


def title_of(name: str) -> str:
    """A skill's name: `fire combat`, `fire_combat`."""
    return name.replace("_", " ").title()
