"""A referee of EGO: the rules worked out a second time, from the dice that fell, without anything
of the product's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

#: Dice of a score up to 15, and from 16 on.
_DICE: Final = (1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5)
HALVES: Final = {1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3}
RATINGS: Final = {"Easy": 1, "Moderate": 2, "Hard": 3, "Very Hard": 4}
BANDS: Final = ("short", "medium", "long", "extended")
#: What each factor adds to a shot.
FACTORS: Final = {
    "cover": 2,
    "target moving": 1,
    "concealed": 1,
    "unaware": -1,
    "targeting device": -1,
}


class Melee(NamedTuple):
    """A weapon of close combat: Muscle, dice besides those of Muscle, flat damage, whether it only
    stuns, the skill.
    """

    name: str
    muscle: int
    dice: int
    flat: int
    stuns: bool
    skill: str = "Melee Combat"


class Gun(NamedTuple):
    """A gun: Muscle, where its bands end, shots a round, damage, whether it fires single shots and
    by itself.
    """

    name: str
    muscle: int
    ends: tuple[int, int, int]
    rate: int
    dice: int
    flat: int
    automatic: bool = False


PUNCH: Final = Melee("punch", 0, 0, 0, True, "Hand-to-hand Combat")
KICK: Final = Melee("kick", 0, 1, 0, True, "Hand-to-hand Combat")
SWORD: Final = "Sword, Long"
BLADES: Final = (
    Melee(SWORD, 10, 2, 0, False),
    Melee("Dagger", 3, 1, 1, False),
    Melee("Maul", 15, 3, 0, False),
    Melee("Stun Baton", 5, 2, 0, True),
    Melee("Switchblade", 4, 1, -1, False),
)
GUNS: Final = (
    Gun("Med Cal, automatic", 8, (75, 125, 175), 2, 3, 2),
    Gun("Assault rifle", 10, (150, 250, 350), 2, 4, 2, True),
)


def dice_of(score: int) -> int:
    """The Dice Rating (EGO-CHR-03)."""
    return _DICE[score] if score < 16 else 6 + (score - 16) // 2


def successes(faces: Sequence[int]) -> int:
    """EGO-DIE-01."""
    return sum(face > 4 for face in faces)


def damage(faces: Sequence[int], flat: int, method: str) -> int:
    """EGO-DMG-01, EGO-DMG-02."""
    total = sum(HALVES[face] for face in faces) if method == "per_die" else (sum(faces) + 1) // 2
    return max(0, total + flat)


def clumsy(muscle: int, needed: int) -> int:
    """Dice lost for want of Muscle (EGO-MUS-01)."""
    return max(0, (needed - muscle) // 2)


class Body:
    """Somebody as the referee keeps them."""

    def __init__(
        self, vitality: int, armor: int, muscle: int | None, lethal: int = 0, non_lethal: int = 0
    ) -> None:
        self.vitality, self.armor, self.muscle = vitality, armor, muscle
        self.lethal, self.non_lethal = lethal, non_lethal

    @property
    def now(self) -> int:
        return max(0, self.vitality - self.lethal - self.non_lethal)

    def level(self, mode: str) -> int:
        """EGO-IMP-01."""
        quarters = 4 * (self.lethal + self.non_lethal)
        return min(
            4,
            quarters // self.vitality if mode == "full_quarters" else -(-quarters // self.vitality),
        )

    def harder(self, mode: str) -> int:
        return (0, 0, 1, 2, 2)[self.level(mode)]

    @property
    def dead(self) -> bool:
        return self.lethal >= self.vitality

    @property
    def out(self) -> bool:
        """Knocked out (EGO-EFF-03)."""
        return 2 * self.vitality - self.non_lethal <= 0

    def hit(self, points: int, stuns: bool) -> int:
        """EGO-DMG-04, EGO-ARM-02 for a round of one hit; what is taken."""
        stopped = min(points, self.armor)
        taken = points - stopped
        if stuns:
            self.non_lethal += taken
        else:
            self.lethal += taken
        if self.armor and stopped >= self.armor:
            self.armor -= 1
        return taken
