"""EGO's close combat in numbers: pools, defenses, and the number to beat (EGO-ATK-01)."""

from __future__ import annotations

from typing import Final

from rules.core.errors import InvalidInput
from rules.systems.ego.formulas.action_points import cost

#: What somebody may do against an attack in close combat, each with what it takes.
REACTIONS: Final = {"parry": ("parry",), "block": ("block",), "both": ("parry", "block")}


def reactions(left: int, *, parries: bool) -> tuple[str, ...]:
    """What somebody may do against an attack in close combat, with so many points left (EGO-DEF-01,
    EGO-DEF-02).
    """
    return tuple(
        [
            name
            for name, parts in REACTIONS.items()
            if cost(parts) <= left and (parries or "parry" not in parts)
        ]
    )


def defense_pool(agility: int, parry: int = 0) -> int:
    """Agility dice, with those of a parry (EGO-ATK-01, EGO-DEF-02)."""
    return agility + parry


def attack_pool(base: int, *, specialty: int = 0, muscle: int = 0, other: int = 0) -> int:
    """Dice of an attack: skill and ability dice (`base`), those of a specialty put into it, less
    the penalty for too little Muscle; `other` is what is added besides (EGO-ATK-01, EGO-RNG-04,
    EGO-RNG-05). Never below 0 (EGO-DIE-01).
    """
    return max(0, base + specialty - muscle + other)


def target_number(defense: int, *, blocked: int = 0, tumbling: int = 0, impaired: int = 0) -> int:
    """The number that an attack in close combat has to beat (EGO-ATK-01, EGO-DEF-03,
    EGO-IMP-01).
    """
    return defense + blocked + tumbling + impaired


def beats(successes: int, number: int) -> bool:
    """Equal is a miss (EGO-ATK-01)."""
    return successes > number


def muscle_penalty(requirement: int | None, muscle: int) -> int:
    """Dice that a weapon too heavy takes from an attack (EGO-MUS-01)."""
    return 0 if requirement is None else max(0, (requirement - muscle) // 2)


def split(levels: int, to_damage: int) -> int:
    """The dice of a specialty that go into the attack: all that are left (EGO-SPC-03).

    InvalidInput("out-of-range") for more than there are.
    """
    if not 0 <= to_damage <= levels:
        raise InvalidInput(
            "out-of-range", field="to damage", value=to_damage, lowest=0, highest=levels
        )
    return levels - to_damage
