"""Numbers of close combat: pools, defenses, and the number to beat (EGO-ATK-01)."""

from __future__ import annotations

from typing import Final

from rules.core.errors import InvalidInput
from rules.systems.ego.formulas.action_points import cost

#: Defenses in close combat, each with the reactions that it takes.
REACTIONS: Final = {"parry": ("parry",), "block": ("block",), "both": ("parry", "block")}


def reactions(left: int, *, parries: bool) -> tuple[str, ...]:
    """Return the defenses in close combat with so many points left (EGO-DEF-01, EGO-DEF-02)."""
    return tuple(
        [
            name
            for name, parts in REACTIONS.items()
            if cost(parts) <= left and (parries or "parry" not in parts)
        ]
    )


def defense_pool(agility: int, parry: int = 0) -> int:
    """Return the Agility dice with those of a parry (EGO-ATK-01, EGO-DEF-02)."""
    return agility + parry


def attack_pool(base: int, *, specialty: int = 0, muscle: int = 0, other: int = 0) -> int:
    """Return the dice of an attack, at least 0 (EGO-ATK-01, EGO-RNG-04, EGO-RNG-05, EGO-DIE-01).

    `base` are the skill and ability dice, `specialty` the dice of a specialty that go into the
    attack. `muscle` is the penalty for too little Muscle, and `other` all other dice.
    """
    return max(0, base + specialty - muscle + other)


def target_number(defense: int, *, blocked: int = 0, tumbling: int = 0, impaired: int = 0) -> int:
    """Return the number to beat in close combat (EGO-ATK-01, EGO-DEF-03, EGO-IMP-01)."""
    return defense + blocked + tumbling + impaired


def beats(successes: int, number: int) -> bool:
    """Return whether an attack hits; equal is a miss (EGO-ATK-01)."""
    return successes > number


def muscle_penalty(requirement: int | None, muscle: int) -> int:
    """Return the dice that a too heavy weapon takes from an attack (EGO-MUS-01)."""
    return 0 if requirement is None else max(0, (requirement - muscle) // 2)


def split(levels: int, to_damage: int) -> int:
    """Return the dice of a specialty that go into the attack: all that are left (EGO-SPC-03).

    Raises InvalidInput("out-of-range") for more dice of damage than there are.
    """
    if not 0 <= to_damage <= levels:
        raise InvalidInput(
            "out-of-range", field="to damage", value=to_damage, lowest=0, highest=levels
        )
    return levels - to_damage
