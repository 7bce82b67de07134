"""EBB's arithmetic once more, written from the rules' digest alone; nothing of `rules.systems.ebb`
is used.

Every function names the rule that it works out. `Throw.read` takes the dice that fell; all else
follows from them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import count
from math import ceil
from pathlib import Path
from typing import Any, Final

from tests.flows.flow_table import Die

GROUPS: Final = (
    "Fitness",
    "Alertness",
    "Intellect",
    "Willpower",
    "Charisma",
    "Education",
    "Technical",
    "Zone",
)
#: EBB-LADDER; from Legendary on it goes in steps of the same height.
LADDER: Final = {
    "Easy": 4,
    "Routine": 7,
    "Tricky": 10,
    "Difficult": 13,
    "Very Difficult": 16,
    "Near Impossible": 19,
    "Legendary": 22,
    "Legendary+1": 25,
    "Legendary+2": 28,
    "Legendary+3": 31,
}
STEP: Final = 3
EASY: Final = 4
#: EBB-TIER.
TIERS: Final = {4: "student", 6: "professional", 8: "veteran", 10: "expert", 12: "master"}
#: EBB-PROPOSAL, EBB-DRAWBACK, EBB-INJURY: by how many levels each of what may be said shifts a
#: task.
SHIFTS: Final = {
    "dilemma: 1": -1,
    "dilemma: 2": -2,
    "dilemma: 3": -3,
    "flaw: 1": 1,
    "flaw: 2": 2,
    "superior": -1,
    "drawback": 1,
    "injured": 1,
    "missing-tools: 1": 1,
    "missing-tools: 2": 2,
    "missing-tools: 3": 3,
}
#: EBB-FATE.
LEARNING, REROLL = 10, 1


def counting(value: int) -> str | None:
    """EBB-LADDER: what a threshold is called; None for a plain number."""
    if value >= EASY and (value - EASY) % STEP == 0:
        named = {threshold: name for name, threshold in LADDER.items()}
        return named.get(value, f"Legendary+{(value - LADDER['Legendary']) // STEP}")
    return None


def shifted(threshold: int, levels: int) -> int:
    """EBB-SHIFT: all shifts first, the floor last."""
    return max(EASY, threshold + STEP * levels)


# --- characters -----------------------------------------------------------------------------------

_NAMES: Final = (
    "Archery",
    "Boxing",
    "Cooking",
    "Driving",
    "Electronics",
    "Forgery",
    "Gambling",
    "Hiding",
    "Insight",
    "Juggling",
    "Knots",
    "Lockpicking",
    "Music",
    "Navigation",
    "Orienteering",
    "Poisons",
    "Quarrying",
    "Riding",
    "Swimming",
    "Throwing",
    "Unarmed combat",
    "Veterinary care",
    "Wrestling",
    "Xenology",
    "Yachts",
    "Zoology",
)


@dataclass
class Person:
    """A character as the referee knows them: dice by ability, groups by ability, and what they have
    lost.
    """

    name: str
    dice: dict[str, int]
    groups: dict[str, str]
    drawbacks: list[str]
    fate: int
    sacrificed: dict[str, int] = field(default_factory=dict[str, int])
    injuries: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    scarring: list[str] = field(default_factory=list[str])

    def base(self, group: str) -> int:
        """EBB-CHAR."""
        return ceil(sum(each == group for each in self.groups.values()) / 2)

    def value(self, group: str) -> int:
        """EBB-LUCK: what an attribute counts as."""
        return max(0, self.base(group) - self.sacrificed.get(group, 0))

    def give(self, group: str) -> None:
        """EBB-LUCK, EBB-INJURY: a point less, until restored."""
        assert self.value(group) >= 1
        self.sacrificed[group] = self.sacrificed.get(group, 0) + 1

    def hurt(self, text: str, part: str, severity: str) -> None:
        """EBB-INJURY: the damage in full."""
        self.injuries.append({"text": text, "part": part, "severity": severity, "treated": False})

    def file(self) -> dict[str, Any]:
        """The character as a file to hand in."""
        return {
            "name": self.name,
            "role": "Stalker",
            "abilities": [
                {"name": name, "group": self.groups[name], "die": f"d{die}"}
                for name, die in self.dice.items()
            ],
            "drawbacks": self.drawbacks,
            **self.state(),
        }

    def state(self) -> dict[str, Any]:
        """What play changes besides abilities."""
        return {
            "fate": self.fate,
            "sacrificed": {group: lost for group, lost in self.sacrificed.items() if lost},
            "injuries": self.injuries,
            "scarring": self.scarring,
        }


def new_person(chance: random.Random, name: str, fate: int) -> Person:
    """EBB-CHAR: ten abilities at d6, for each at d8 another at d4."""
    names = chance.sample(_NAMES, 10)
    raised = chance.randint(0, 5)
    dice = [8] * raised + [4] * raised + [6] * (10 - 2 * raised)
    chance.shuffle(dice)
    groups = [chance.choice(GROUPS) for _ in names]
    return Person(
        name,
        dict(zip(names, dice, strict=True)),
        dict(zip(names, groups, strict=True)),
        [f"Fears the {each.lower()}" for each in names],
        fate,
    )


def grown_person(chance: random.Random, name: str, fate: int) -> Person:
    """Somebody who has lived: more abilities with any dice, points lost, injuries."""
    names = chance.sample(_NAMES, chance.randint(10, 18))
    person = Person(
        name,
        {each: chance.choice((4, 6, 6, 8, 10, 12)) for each in names},
        {each: chance.choice(GROUPS[: chance.randint(2, 8)]) for each in names},
        [f"Fears the {each.lower()}" for each in names],
        fate,
    )
    for group in GROUPS:
        if person.base(group) and chance.random() < 0.3:
            person.sacrificed[group] = chance.randint(1, person.base(group))
    for part in chance.sample(("left arm", "knee", "ribs"), chance.randint(0, 2)):
        person.hurt(f"a torn {part}", part, chance.choice(("light", "serious", "severe")))
        person.injuries[-1]["treated"] = chance.random() < 0.3
    return person


def new_faults(dice: list[int], drawbacks: int) -> set[str]:
    """EBB-CHAR, EBB-DRAWBACK: which fields of a new character break a rule."""
    faults: set[str] = set()
    if len(dice) != 10 or dice.count(8) != dice.count(4) or max(dice) > 8 or dice.count(8) > 5:
        faults.add("abilities")
    if drawbacks != len(dice):
        faults.add("drawbacks")
    return faults


# --- rolls ----------------------------------------------------------------------------------------


@dataclass
class Throw:
    """EBB-ROLL: what fell for one side. `main` has the re-rolls of a 10, `ability` the re-rolls for
    Fate.
    """

    main: list[int]
    die: int | None
    ability: list[int]
    attribute: int
    bonus: int

    @classmethod
    def read(cls, fell: Iterator[Die], die: int | None, attribute: int, bonus: int) -> Throw:
        """The dice in the order in which they are rolled: the main die with its re-rolls, then the
        ability die.
        """
        main: list[int] = []
        while not main or main[-1] == 10:
            sides, face = next(fell)
            assert sides == 10, f"a d{sides} fell for the main die"
            main.append(face)
        throw = cls(main, die, [], attribute, bonus)
        if die is not None:
            throw.again(next(fell))
        return throw

    def again(self, fell: Die) -> None:
        """EBB-FATE: the ability die falls anew; what it shows now counts."""
        assert fell.sides == self.die, f"a d{fell.sides} fell for a d{self.die}"
        self.ability.append(fell.face)

    @property
    def total(self) -> int:
        return (
            sum(self.main) + (self.ability[-1] if self.ability else 0) + self.attribute + self.bonus
        )

    @property
    def automatic(self) -> bool:
        """The first main die shows 1."""
        return self.main[0] == 1

    @property
    def fumble(self) -> bool:
        return self.automatic and self.ability[-1:] in ([], [1])

    def verdict(self, threshold: int) -> str:
        """EBB-ROLL, EBB-FAIL: in the words of the card."""
        if self.automatic:
            return "Fumble" if self.fumble else "Automatic failure"
        if self.total >= threshold:
            return "Success"
        return "Near miss" if self.total >= threshold - STEP else "Clear failure"

    def extra(self, threshold: int) -> int:
        """EBB-CRIT."""
        return max(0, (self.total - threshold) // STEP)


# --- odds -----------------------------------------------------------------------------------------


def _mains(high: int) -> list[tuple[int, bool, Fraction]]:
    """What the main die comes to, whether it began with 1, how likely; the last stands for all from
    `high` up.
    """
    found = [(1, True, Fraction(1, 10))]
    chance = Fraction(1)
    for tens in count():
        chance /= 10
        if 10 * tens > high:
            # Certainly as high as is asked for.
            return [*found, (10 * tens, False, chance * 10)]
        found += [(10 * tens + face, False, chance) for face in range(1 if tens else 2, 10)]
    raise AssertionError


OUTCOMES: Final = (
    "success",
    "1",
    "2",
    "3",
    "near miss",
    "clear failure",
    "automatic",
    "fumble",
    "fate",
)


@cache
def odds(die: int | None, added: int, threshold: int) -> dict[str, Fraction]:
    """EBB-ROLL, EBB-CRIT, EBB-FAIL: how likely each outcome is, and success at all with one re-roll
    for Fate.
    """
    found = {each: Fraction() for each in OUTCOMES}
    faces = range(1, die + 1) if die else (0,)
    for main, automatic, chance in _mains(max(0, threshold - added) + 3 * STEP):
        reached = Fraction(sum(main + face + added >= threshold for face in faces), len(faces))
        if not automatic:
            found["fate"] += chance * (1 - (1 - reached) ** 2)
        for face in faces:
            each = chance / len(faces)
            total = main + face + added
            if automatic:
                found["automatic"] += each
                found["fumble"] += each * (face <= 1)
            elif total >= threshold:
                found["success"] += each
                for extra in (1, 2, 3):
                    found[str(extra)] += each * (total - threshold >= STEP * extra)
            else:
                found["near miss" if total >= threshold - STEP else "clear failure"] += each
    return found


# --- generators -----------------------------------------------------------------------------------

_TABLES: Final = json.loads(
    (Path(__file__).parents[2] / "rules" / "systems" / "ebb" / "data" / "ebb.json").read_text(
        "utf-8"
    )
)


def drawn(kind: str, fell: Iterator[Die]) -> list[str]:
    """EBB-ANOMALY, EBB-ARTEFACT: both properties, from the dice in their order."""
    found: list[str] = []
    for column in ("first", "second"):
        table = _TABLES[kind][column]
        common = next(fell)
        assert common.sides == 20
        if common.face < 20:
            found.append(table["common"][common.face - 1])
        else:
            rare = next(fell)
            assert rare.sides == 10
            found.append(table["rare"][rare.face - 1])
    return found
