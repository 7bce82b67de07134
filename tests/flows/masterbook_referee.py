"""A referee of MasterBook: its rules worked out a second time, from the dice that fell alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Final, NamedTuple

#: Bonuses of the die totals up to 20 (MB-DIE-01).
_BONUS: Final = (-10, -8, -7, -6, -5, -3, -1, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9)
RATINGS: Final = {
    "Routine": 0,
    "Nearly Routine": 2,
    "Very Easy": 3,
    "Easy": 5,
    "Average": 8,
    "Complicated": 10,
    "Difficult": 12,
    "Hard": 13,
    "Very Hard": 15,
}
_LEVELS: Final = (
    (17, "spectacular+"),
    (13, "spectacular"),
    (9, "superior"),
    (5, "good"),
    (1, "solid"),
)
LEVELS: Final = ("minimal", "solid", "good", "superior", "spectacular", "spectacular+")
#: What wounds take from physical and from other skills, heavier by one each (MB-DMG-08).
_HAMPERS: Final = ((0, 0), (0, 0), (-2, 0), (-4, -2), (-8, -8))
KNOCKED_DOWN: Final = -4
DEFENDING: Final = 3


class Option(NamedTuple):
    """What a declared option does to the attack and to the damage, and how a command names it."""

    said: str
    attack: int
    damage: int


LOCATIONS: Final = (
    Option("head", -8, 12),
    Option("chest", -2, 3),
    Option("abdomen", -4, 6),
    Option("arm", -3, -2),
    Option("leg", -2, -1),
)
TRIPPING: Final = Option("knockdown", -3, 0)
CLOSE: Final = (
    Option("sweep hand to hand", 3, -5),
    Option("grab", -1, -3),
    TRIPPING,
    Option("all out", 4, 1),
)
STEP_IN: Final = Option("short range", -3, -1)
MULTI: Final = Option("single as multi", 2, 1)
SELECTED: Final = Option("burst as single", -1, -2)
SINGLE: Final = Option("single", 0, 0)
FULL: Final = Option("full auto", 3, 1)


class Melee(NamedTuple):
    """A weapon of the hand: what it adds to Strength, whether it need not kill."""

    name: str
    add: int
    soft: bool = False
    skill: str = "Melee Combat"


class Gun(NamedTuple):
    """A gun: its damage value, its bands up to so many meters with their modifiers, and its usual
    way to fire.

    `single` are the modifiers of single shots where they are others; `loses` are bands whose plus a
    burst set to single does not have.
    """

    name: str
    dv: int
    ends: tuple[int, ...]
    accuracy: tuple[int, ...]
    ways: tuple[Option, ...]
    bursts: bool = False
    single: tuple[int, ...] = ()
    loses: int = 0


BLADES: Final = (
    Melee("unarmed", 0, True, "Unarmed Combat"),
    Melee("Knife", 3),
    Melee("Baseball bat", 5, True),
    Melee("Broadsword", 8),
    Melee("Two-handed sword", 10),
)
GUNS: Final = (
    Gun("Colt .45 revolver", 19, (3, 10, 25, 50, 150), (2, 1, 0, -1, -3), ()),
    Gun(
        "Uzi SMG (9mm)", 19, (4, 10, 20, 50, 75), (4, 3, 0, -2, -5), (SELECTED, FULL), True, loses=2
    ),
    Gun(
        "M16 assault rifle (.223)",
        23,
        (3, 15, 40, 75, 150),
        (2, 2, 0, -2, -4),
        (FULL, SINGLE, MULTI),
        True,
        (-1, 0, 1, 0, -1),
    ),
)
CONCEALED: Final = {"one quarter": 3, "one half": 5, "three quarter": 8}
COVERED: Final = {"weak": 2, "moderate": 4, "strong": 6, "very strong": 8}


#: Ways to fire at several places, and to come from where nobody looks (MB-OPT-01, MB-SUR-01).
SPRAY: Final = Option("sweep ranged", 2, -5)
BLINDSIDE: Final = Option("blindside", 2, 0)
PARTIAL: Final = Option("partial", 2, 0)
COMPLETE: Final = Option("complete", 5, -2)
AIMED: Final = Option("", 2, 1)
#: What options do to the own defense until the next turn (MB-OPT-01, MB-OPT-03), and aiming.
OPENS: Final = {"sweep hand to hand": -1, "grab": -4, "all out": -6, "short range": -2}
AIMING: Final = -2


class Kind(NamedTuple):
    """A class of weapons: its bands, how it is fired, and the highest face that makes a bleeder of
    a wound.

    What has no `ways` goes by Strength.
    """

    name: str
    skill: str
    ends: tuple[int, ...]
    accuracy: tuple[int, ...]
    ways: tuple[Option | None, ...] = ()
    bleeds: int = 5


_KNIVES: Final = "throwing_knives_stars_darts"
KINDS: Final = (
    Kind("pistol", "Fire Combat", (3, 10, 25, 50, 150), (2, 1, 0, -1, -3), (None, MULTI)),
    Kind("rifle", "Fire Combat", (4, 15, 50, 150, 250), (-2, 0, 2, 0, -1), (None, MULTI)),
    Kind("shotgun", "Fire Combat", (4, 20, 30, 75, 125), (1, 3, 0, -1, -3), (None, MULTI)),
    Kind("submachinegun", "Fire Combat", (4, 10, 20, 50, 75), (4, 3, 0, -2, -5), (None, FULL)),
    Kind("machinegun", "Heavy Weapons", (5, 15, 75, 150, 500), (-4, 0, 1, -1, -2), (FULL,)),
    Kind(_KNIVES, "Thrown Weapons", (2, 5, 8, 15), (2, 0, -2, -4), bleeds=6),
    Kind("slings", "Missile Weapons", (3, 6, 15, 20, 30), (-3, 0, 0, -2, -4)),
    Kind("small_bows", "Missile Weapons", (3, 10, 20, 30, 50), (-1, 0, 1, 0, -2)),
    Kind("large_bows", "Missile Weapons", (3, 15, 30, 50, 100), (-2, 0, 0, -1, -2)),
    Kind("crossbows", "Missile Weapons", (4, 10, 20, 40, 75), (2, 1, 0, -1, -2)),
    Kind("", "Melee Combat", (2,), (0,), bleeds=6),
)
#: What shooting with a rifle from nearby adds where a table plays so (MB-EQ-02).
CLOSE_BY: Final = 2


def armored(toughness: int, layers: Sequence[tuple[int, int]]) -> int:
    """Under layers that add so much, up to so much (MB-EQ-30)."""
    for add, most in layers:
        toughness = max(toughness, min(toughness + add, most))
    return toughness


def through(
    total: int, number: int, hidden: int, *, indirect: bool, zero: bool
) -> tuple[int, bool]:
    """The result points against somebody hidden by so much, and whether what covers them counts
    (MB-COV-01).
    """
    if hidden >= 12 and not indirect:
        return total - number - hidden, True
    if total >= number + hidden or total < number:
        return total - number - (hidden if total >= number else 0), False
    return 0 if zero else total - number, True


class Turn:
    """What somebody does in a round, and what their options leave them open to until their next
    turn.

    `ranks` are those of what was declared, `held` totals of active defenses; `aims` is whom they
    aim at now, `aimed` whom they did in the last round. Of those who act at once `before` is what
    hampered them as the first began.
    """

    def __init__(self) -> None:
        self.guard, self.all_out, self.aims = 0, False, ""
        self.begins(0)

    def begins(self, score: int) -> None:
        """A new round, with this initiative."""
        self.score, self.ranks, self.done, self.simple = score, [1], 0, 0
        self.over = self.waited = self.fresh = False
        self.held: dict[str, int] = {}
        self.before: int | None = None
        self.aimed, self.aims = self.aims, ""

    @property
    def left(self) -> bool:
        """Whether they may act."""
        return not self.over and self.done < len(self.ranks)

    def causes(self) -> int:
        """What the round takes from the next action (MB-MUL-01, MB-ACT-01, MB-ACT-02)."""
        rank = -(self.ranks[self.done] + 1) if len(self.ranks) > 1 else 0
        return rank - 2 * self.waited - 2 * (self.simple >= 3)

    def opens(self, options: Sequence[str], more: int = 0) -> None:
        """What an action does to the own defense; with the first of a turn the last turn's
        is over.
        """
        if not self.fresh:
            self.guard, self.all_out, self.fresh = 0, False, True
        self.guard += more + sum(OPENS.get(each, 0) for each in options)
        self.all_out = self.all_out or "all out" in options


def accuracy(gun: Gun, meters: int, way: Option | None) -> int:
    """MB-EQ-02, MB-EQ-03."""
    band = next(at for at, end in enumerate(gun.ends) if meters <= end)
    if gun.single and way in (SINGLE, MULTI):
        return gun.single[band]
    if way is SELECTED and band < gun.loses:
        return min(0, gun.accuracy[band])
    return gun.accuracy[band]


def bonus(total: int) -> int:
    """MB-DIE-01."""
    if total <= 20:
        return _BONUS[total - 2]
    return 10 + (total - 21) // 5


def level(points: int) -> str:
    """MB-SUC-02."""
    return next((name for least, name in _LEVELS if points >= least), "minimal")


def take_roll(faces: list[int], tens: bool) -> list[int]:
    """The dice of one total, taken off the front of what fell (MB-DIE-02)."""
    count, at = 2, 0
    while at < count:
        count += tens and faces[at] == 10
        at += 1
    mine = faces[:count]
    del faces[:count]
    return mine


def take_added_dice(
    before: Sequence[int], faces: list[int], trained: bool, scope: str
) -> list[int]:
    """The dice that a point brings, taken off the front of what fell (MB-DIE-03)."""
    # Whoever is trained has rolled for the tens on the table already.
    late = 0 if trained or scope == "new_dice_only" else sum(face == 10 for face in before)
    count, at = 2 + late, 0
    while at < count:
        count += faces[at] == 10
        at += 1
    mine = faces[:count]
    del faces[:count]
    return mine


@dataclass(frozen=True)
class Result:
    """What the Damage column says: wounds, a knockdown, a letter, shock; and how many of the wounds
    bleed instead.
    """

    wounds: int = 0
    knockdown: bool = False
    letter: str = ""
    shock: int = 0
    bleeders: int = 0

    def text(self) -> str:
        """As a card tells it."""
        parts = [f"{self.wounds} wound{'s' * (self.wounds > 1)}"] * (self.wounds > 0)
        parts += [f"{self.bleeders} bleeding wound{'s' * (self.bleeders > 1)}"] * (
            self.bleeders > 0
        )
        parts += ["knockdown"] * self.knockdown + [self.letter] * bool(self.letter)
        parts += [f"{self.shock} shock"] * (self.shock > 0)
        return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]])) if parts else ""


#: The Damage column (MB-SUC-03), row by row.
_COLUMN: Final = (
    Result(shock=1),
    Result(letter="O", shock=1),
    Result(letter="K", shock=1),
    Result(letter="O", shock=2),
    Result(shock=3),
    Result(0, True, "O", 3),
    Result(0, True, "K", 3),
    Result(0, True, "KO", 0),
    Result(1, False, "K/O", 3),
    Result(1, False, "K/O", 5),
    Result(2, True, "K", 3),
    Result(2, False, "K/O", 5),
    Result(2, False, "KO", 5),
    Result(3, True, "K", 3),
    Result(3, False, "K/O", 5),
    Result(3, False, "KO", 7),
    Result(4, True, "K", 5),
    Result(4, False, "KO", 7),
    Result(5, True, "K", 5),
    Result(5, False, "KO", 7),
)


def damage(points: int, *, tripping: bool = False, soft: bool = False) -> Result:
    """MB-SUC-03, MB-DMG-11, MB-OPT-03, MB-DMO-02."""
    if points < 0:
        return Result()
    found = _COLUMN[points] if points < 20 else Result(points - 14, True, "K", 5)
    if tripping and found.wounds:
        found = replace(found, wounds=found.wounds - 1, knockdown=True)
    if soft and found.wounds:
        found = replace(found, wounds=found.wounds - 1, shock=found.shock + 3)
    return found


def without(result: Result, dropped: Sequence[str]) -> Result:
    """What a Life Point leaves (MB-LP-03)."""
    for each in dropped:
        if each == "wound":
            result = replace(result, wounds=result.wounds - 1)
        elif each == "shock":
            result = replace(result, shock=max(0, result.shock - 3))
        elif each == "knockdown":
            result = replace(result, knockdown=False)
        elif each == "k_or_o":
            result = replace(result, letter="")
        else:
            result = replace(result, letter=result.letter.replace(each.upper(), ""))
    return result


class Talk(NamedTuple):
    """A skill that works on people: its Attribute, what else resists it, whether it is for fights,
    its circumstances.

    Those change the attempt, or else the difficulty.
    """

    attribute: str
    other: str
    fights: bool
    rows: tuple[tuple[str, int], ...]
    attempt: bool = False


_TAUNTS: Final = (("appropriate 2", 2), ("element of truth 3", 3), ("tried before", -3))
TALKS: Final = {
    "Taunt": Talk("charisma", "confidence", True, _TAUNTS, True),
    "Trick": Talk("intellect", "intellect", True, _TAUNTS, True),
    "Intimidation": Talk(
        "confidence",
        "confidence",
        True,
        (("weakened", 3), ("in control", -6), ("already intimidated", 1), ("among friends", -2)),
        True,
    ),
    "Charm": Talk(
        "charisma", "confidence", False, (("hostile 7", 7), ("bribe -4", -4), ("insulted 3", 3))
    ),
    "Persuasion": Talk(
        "charisma",
        "confidence",
        False,
        (("neutral 2", 2), ("best interest -5", -5), ("roleplayed poorly 1", 1)),
    ),
    "Interrogation": Talk(
        "confidence", "confidence", False, (("helpless", -5), ("die first 8", 8))
    ),
}


def marked(talk: str, points: int) -> tuple[set[str], set[str]]:
    """What such result points leave on the target, and on whoever talks (MB-SUC-03, MB-INT-03, -04,
    -11).
    """
    if not TALKS[talk].fights or points >= 20:
        return set(), set()
    if points >= 15:
        return ({"break"}, set()) if talk == "Intimidation" else ({"setback"}, {"up"})
    return {("stymied", "untrained", "setback")[points // 5]}, set()


#: What the maneuver column leaves on the target by the least points for it, and whether that is
#: shock too (MB-INT-05).
_MANEUVERED: Final = (
    (20, "", False),
    (16, "setback", True),
    (12, "stymied", True),
    (7, "stymied", False),
    (0, "", True),
)
FATIGUE: Final = 2


def maneuvered(points: int) -> tuple[set[str], int]:
    """The marks and the shock of a maneuver that has worked (MB-SUC-03, MB-INT-11)."""
    _, mark, tires = next(each for each in _MANEUVERED if points >= each[0])
    return {mark} - {""}, FATIGUE * tires


#: The highest face of a d10 for which a wound after the first bleeds: of blades, and of clubs and
#: fists (MB-DMO-04).
_BLEEDS: Final = (6, 3)


def bled(result: Result, faces: list[int], club: bool) -> Result:
    """The result once the dice of the wounds after the first have been taken off the front of what
    fell.
    """
    count = max(0, result.wounds - 1)
    turned = sum(each <= _BLEEDS[club] for each in faces[:count])
    del faces[:count]
    return replace(result, wounds=result.wounds - turned, bleeders=turned)


#: Difficulties by wounds: of first aid, and of a healing roll with the days before it (MB-HEAL-02,
#: MB-DMG-08).
AID: Final = {1: 9, 2: 11, 3: 12, 4: 14, 5: 18}
#: Difficulties of a medic's help at a healing roll (MB-HEAL-06).
MEDICINE: Final = {1: 10, 2: 12, 3: 13, 4: 15}
HEALING: Final = {1: (10, 1), 2: (12, 1), 3: (14, 3), 4: (16, 3)}


# --- moving, falling, many at once ----------------------------------------------------------------


def measure(value: int) -> Fraction:
    """MB-VAL-01."""
    return (Fraction(1), Fraction(3, 2), Fraction(5, 2), Fraction(4), Fraction(6))[
        value % 5
    ] * Fraction(10) ** (value // 5)


def value_of(number: int, *, up: bool = False) -> int:
    """MB-VAL-02: the nearest row, of two as near the lower one; or the one that covers it."""
    above = next(value for value in range(200) if measure(value) >= number)
    lower = above - 1
    if up or measure(above) == number:
        return above
    return lower if number - measure(lower) <= measure(above) - number else above


def push_result(points: int) -> tuple[int, int]:
    """What a push brings, and its shock (MB-SUC-04)."""
    return points // 3 + 1, points // 3 + 3 - points % 3


def rate(numerator: int, divisor: int, most: int) -> int:
    """MB-CHAR-05."""
    return min(most, max(1, -((divisor - 2 * numerator) // (2 * divisor))))


class Way(NamedTuple):
    """A way to push oneself: its skill, what its rate follows from, what failing by so much does.

    That is said so, takes so much shock, and may be a fall. Whoever only fails goes as far as ever,
    or nowhere.
    """

    how: str
    skill: str
    agile: int
    strong: int
    divisor: int
    most: int
    rows: tuple[tuple[str, int], ...]
    missed: int
    says: str
    shock: int
    falls: bool
    usual: bool = True


WAYS: Final = (
    Way(
        *("running", "Running", 2, 1, 4, 8),
        (("rough", 2), ("yielding", 1), ("uphill", 3)),
        *(10, "falls", 2, True),
    ),
    Way(
        *("swimming", "Swimming", 2, 1, 6, 5),
        (("rough", 2), ("undercurrent", 3)),
        *(9, "drowning", 2, False),
    ),
    Way(*("jumping", "Long Jumping", 1, 2, 10, 3), (("uphill", 4),), *(999, "", 0, False)),
    Way(
        *("climbing", "Climbing", 1, 2, 10, 3),
        (("rain", 5), ("slick", 2)),
        # Only the landing knocks a climber down (MB-FALL-01).
        *(3, "falls", 0, False, False),
    ),
)
SURFACES: Final = {"ladder": 0, "tree": 5, "cracked wall": 13}
CLIMBS: Final = 3


def landing(weight: int, meters: int, got: int) -> int:
    """How hard somebody lands (MB-FALL-01)."""
    return value_of(weight) + min(value_of(meters), 14) + max(got, 1)


def together(many: int, total: int, number: int) -> tuple[int, int]:
    """How many of a group hit, and what they add to what one does (MB-CBN-01)."""
    harder = (0, 1, 2, 2, 3, 3, 4, 4, 5, 5)
    more = (0, 3, 4, 5, 6, 7, 8, 9, 10, 11)

    def at(row: tuple[int, ...], count: int) -> int:
        return row[count - 1] if count <= 10 else row[8] + (count - 9) // 2 + (row is more)

    hits = max(
        [each for each in range(1, many + 1) if total >= number + at(harder, each)], default=0
    )
    return hits, at(more, hits) + total - number - at(harder, hits) if hits else 0


#: What coordinating goes against where nobody says it, and what the two actions lose by their rank
#: (MB-CBN-02).
COORDINATING: Final = 8
RANKS: Final = (-2, -3)


def coordinated(
    totals: Sequence[tuple[int, int]], number: int, agreed: int
) -> tuple[list[int], int]:
    """Who of these has made both of their rolls, to coordinate and to act, and what that adds to
    the best of them.

    Where nobody has, whoever began and could not coordinate acts alone.
    """
    made = [at for at, (first, second) in enumerate(totals) if first >= agreed and second >= number]
    alone = not made and totals[0][0] < agreed and totals[0][1] >= number
    return ([0], 0) if alone else (made, 2 * len(made))


# --- what is thrown at a place --------------------------------------------------------------------


class Spot(NamedTuple):
    """A band at which something is thrown at a place: the difficulty, and the meters by which a
    miss is off.
    """

    number: int
    least: int
    most: int


class Ground(NamedTuple):
    """What makes a throw at a place harder or easier."""

    said: str
    harder: int


SPOTS: Final = {
    "point-blank": Spot(0, 1, 3),
    "short": Spot(5, 3, 5),
    "medium": Spot(10, 4, 6),
    "long": Spot(15, 5, 10),
    "extreme": Spot(20, 6, 15),
}
GROUNDS: Final = (Ground("no line of sight", 5), Ground("uneven", 3), Ground("very hard", 3))
SOFT_GROUND: Final = Ground("very soft", -3)
#: What the zones of a blast add to a grenade's damage value, and how far each of them reaches
#: (MB-EQ-13).
ZONES: Final = ((1, 2), (3, 0), (6, -2))
GRENADE_DV: Final = 23
#: What a dodge out of it goes against, and how far at most that takes somebody (MB-EQ-14).
CLEARING: Final = 12
CLEARED: Final = 3


def thrown(strength: int) -> dict[str, Fraction]:
    """How far each band of a throw reaches that is not empty (MB-EQ-10)."""
    values = (2, strength - 4, strength - 3, strength - 2, strength - 1)
    found: dict[str, Fraction] = {}
    for name, value in zip(SPOTS, values, strict=True):
        if measure(max(0, value)) > max(found.values(), default=Fraction(0)):
            found[name] = measure(max(0, value))
    return found


def zone(meters: int, dodged: int | None = None) -> int:
    """The zone of a blast in which somebody is, from 0 on, once they have dodged by so many
    points.
    """
    at = next((at for at, (most, _) in enumerate(ZONES) if meters <= most), len(ZONES))
    if dodged is not None and dodged >= 0:
        at += min(CLEARED, LEVELS.index(level(dodged)) + 1)
    return min(at, len(ZONES))


# --- chances, by every way in which dice can fall -------------------------------------------------

_DEEP: Final = 7


def _sums(one: dict[int, Fraction], other: dict[int, Fraction]) -> dict[int, Fraction]:
    found: dict[int, Fraction] = {}
    for first, chance in one.items():
        for second, more in other.items():
            found[first + second] = found.get(first + second, Fraction(0)) + chance * more
    return found


@cache
def _totals(plain: int, again: int) -> dict[int, Fraction]:
    """So many dice as they fall, and so many whose tens are rolled again."""
    tenth = Fraction(1, 10)
    once = dict.fromkeys(range(1, 11), tenth)
    rolled = {
        10 * tens + face: tenth ** (tens + 1) for tens in range(_DEEP) for face in range(1, 10)
    }
    found = {0: Fraction(1)}
    for each in (once,) * plain + (rolled,) * again:
        found = _sums(found, each)
    return found


def reached(
    value: int, number: int, *, trained: bool, point: bool, scope: str, defended: bool
) -> float:
    """How likely it is; with a point 2 more dice; `defended`: the other side rolls as well, for 3
    at least.
    """
    late = 0 if trained or scope == "all" else 2
    dice = _totals(late, 4 - late) if point else _totals(0, 2) if trained else _totals(2, 0)
    mine: dict[int, Fraction] = {}
    for total, chance in dice.items():
        mine[value + bonus(total)] = mine.get(value + bonus(total), Fraction(0)) + chance
    theirs = {number: Fraction(1)}
    if defended:
        theirs = {}
        for total, chance in _totals(0, 2).items():
            against = number + max(DEFENDING, bonus(total))
            theirs[against] = theirs.get(against, Fraction(0)) + chance
    return float(
        sum(
            chance * more
            for total, chance in mine.items()
            for against, more in theirs.items()
            if total >= against
        )
    )


#: Seconds that a K needs of rest, of a knockout and of a round; rounds of a knockdown (MB-DMG-06,
#: MB-DMG-07).
K_RESTS: Final = 1800
KNOCKED_OUT: Final = 60
ROUND: Final = 10
UNSTEADY: Final = 60
KNOCKDOWN: Final = 2


class Body:
    """Somebody as the referee keeps them; nobody begins unconscious.

    In seconds: `k` until it is gone, `knocked` out, `step` of a point of shock that is going. In
    rounds: `down`, and `gone` since the death. `fainted` is out by shock, `aided` acts a level
    better, `stable` dies no more. Of helpers `tries` have had a go at the wounds, and for `retry`
    seconds nobody at the clock.
    """

    def __init__(
        self, capacity: int, wounds: int, shock: int, k: bool, down: bool, bleeders: int = 0
    ) -> None:
        self.capacity, self.wounds, self.shock, self.bleeders = capacity, wounds, shock, bleeders
        self.k, self.down = K_RESTS * k, KNOCKDOWN * down
        self.knocked = self.step = 0
        self.o = self.fainted = self.aided = self.stable = False
        self.gone: int | None = None
        self.tries: set[str] = set()
        self.retry = 0

    @property
    def dead(self) -> bool:
        return self.gone is not None

    @property
    def mortal(self) -> bool:
        return not self.dead and self.wounds == 5 and not self.aided

    @property
    def out(self) -> bool:
        return self.dead or self.mortal or self.fainted or self.knocked > 0

    @property
    def condition(self) -> str:
        """How everybody can see that it is."""
        if self.dead:
            return "dead"
        if self.mortal and not self.stable:
            return "dying"
        if self.out:
            return "unconscious"
        if self.wounds > 2:
            return "badly hurt"
        return "hurt" if self.wounds or self.shock else "unhurt"

    def hampered(self, physical: bool) -> int:
        """MB-DMG-07, MB-DMG-08, MB-HEAL-02."""
        worse = _HAMPERS[min(4, self.wounds - self.aided)][not physical]
        return worse + (KNOCKED_DOWN if physical and self.down else 0)

    def hit(self, result: Result) -> None:
        """MB-DMG-05 to MB-DMG-10, MB-DMO-04."""
        out = self.out
        self._wounded(result.wounds)
        self.bleeders += result.bleeders
        if self.dead:
            return
        self.down = KNOCKDOWN if result.knockdown else self.down
        letter, shock = result.letter, result.shock
        if letter == "K/O":
            letter = "O" if self.k else "K"
        if letter == "KO" or (letter == "K" and self.o) or (letter == "O" and self.k):
            self.k, self.o, self.knocked = self.k or K_RESTS, True, KNOCKED_OUT
        elif letter == "K":
            shock += 2 if self.k else 0
            self.k = self.k or K_RESTS
        elif letter == "O":
            shock += 2 if self.o else 0
            self.o = True
        self._shocked(shock, out)
        self._judged(out)

    def _wounded(self, wounds: int) -> None:
        """New wounds end what first aid has done (MB-HEAL-02)."""
        self.wounds += wounds
        self.aided = self.aided and not wounds
        self.stable = self.stable and not wounds
        self.tries = set() if wounds else self.tries

    def _shocked(self, shock: int, out: bool) -> None:
        """Somebody who bleeds goes on bleeding from no shock, and is wounded by it while they are
        out (MB-DMO-04).
        """
        self.shock += shock
        if not shock or self.shock < self.capacity:
            return
        if self.bleeders and out:
            self._wounded(1)
        else:
            self.fainted = True
        self.shock = 0 if self.bleeders else self.shock

    def _judged(self, out: bool) -> None:
        if self.wounds >= 6:
            self.gone = 0
        if self.out and not out:
            self.step = 0

    # --- rounds and time --------------------------------------------------------------------------

    def round(self, *, resting: bool) -> None:
        """A new round begins (MB-DMG-05 to MB-DMG-07, MB-DMG-09, MB-DMG-10, MB-DMO-04)."""
        if self.gone is not None:
            self.gone += 1
            return
        self.o, self.down, out = False, max(0, self.down - 1), self.out
        if self.mortal and not self.stable:
            self.shock += 1 + self.bleeders
            self.gone = 0 if self.shock >= self.capacity else None
        else:
            self._shocked(self.bleeders, out)
            self._judged(out)
        if not self.dead:
            self._recovers(resting or self.out)

    def _recovers(self, resting: bool) -> None:
        """Ten seconds: a point of shock for whoever is out, a sixth of one for whoever rests."""
        was = self.out
        if resting:
            self.k = max(0, self.k - ROUND)
            if self.shock and not self.bleeders and not self.mortal:
                self.step += ROUND
                whole = ROUND if was else 60
                self.shock, self.step = max(0, self.shock - self.step // whole), self.step % whole
        if not self.shock:
            self.step = 0
        self.knocked = max(0, self.knocked - ROUND)
        self.retry = max(0, self.retry - ROUND)
        if not self.shock and not self.bleeders:
            self.fainted = False
        self._woken(was)

    def _woken(self, was: bool) -> None:
        """Whoever wakes is free of the O, and of the shock that bleeding has gathered."""
        if was and not self.out:
            self.o = False
            self.shock = 0 if self.bleeders else self.shock

    # --- care -------------------------------------------------------------------------------------

    def needs(self, what: str) -> int | None:
        """What first aid for this goes against; None where there is nothing to do (MB-HEAL-02 to
        -05, MB-DMO-04).
        """
        if what == "wounds":
            late = self.gone is not None and (self.gone > 1 or self.wounds > 6)
            if not self.wounds or self.aided or late:
                return None
            return 22 if self.dead else AID[self.wounds]
        if self.dead:
            return None
        if what == "shock":
            return 8 if self.shock or self.k or self.o or self.knocked or self.fainted else None
        if what == "bleeding":
            return 8 + 2 * (self.bleeders - 1) if self.bleeders else None
        return 22 if self.mortal and not self.stable else None

    def tried(self, what: str, by: str) -> None:
        """Somebody has tried: wounds once each, and to stop a clock once a minute."""
        if what == "wounds":
            self.tries.add(by)
        elif what == "steady":
            self.retry = UNSTEADY

    def helped(self, what: str) -> None:
        """First aid that has worked."""
        was = self.out
        if what == "steady":
            self.stable = True
        elif what == "bleeding":
            self.bleeders = 0
        else:
            self.shock = self.k = self.knocked = self.step = 0
            self.o = self.fainted = False
        if what == "wounds":
            if self.dead:
                self.wounds, self.gone, self.stable = 5, None, False
            else:
                self.aided = True
        self._woken(was)
