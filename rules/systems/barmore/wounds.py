"""Armor, weapons, damage, the Wounds it leaves, and how they heal (BAR-ARMOR, BAR-TRAUMA,
BAR-HEAL).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil
from typing import Final, Literal, get_args

from rules.core.json_reader import Reader
from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.barmore.reference_rows import CHART_DATA
from rules.systems.barmore.trait_trees import LONGEST_NAME, LONGEST_TEXT, Activity
from rules.table.forms import Form, Number, Rows, Typed, Values

#: What its owner's life does to the healing of a Wound.
Life = Literal["rest", "slower", "stopped"]
LIVES: Final[tuple[Life, ...]] = get_args(Life)

MOST_ROWS: Final = 50
HIGHEST_DEGREE: Final = 1000
HIGHEST_PENALTY: Final = 100
#: A hundred years.
HIGHEST_DAYS: Final = 36_500


class ChartRow(Record, rename={"from_": "from"}):
    """One row of the Wound chart: what degrees from `from_` on do, up to the next row.

    `penalty` counts in activities of the Wound's own kind, `other_penalty` in those of the other
    kind; None is a Wound that leaves no such activity at all. Days are those for a governing
    attribute of 0.
    """

    from_: int
    name: str
    penalty: int | None
    other_penalty: int | None
    healing_days: int
    mental_healing_days: int
    effect: str = ""


class Chart(Record):
    """The Wound chart of a campaign, the lightest row first, and where it comes from."""

    rows: tuple[ChartRow, ...]
    origin: str = ""


class Armor(Record):
    """A piece of armor: what it takes off an attack's degree, against which types of damage (none
    named: all).

    `converts` are the types of lethal damage that it makes non-lethal. `mental` armor affects
    mental attacks, and those only.
    """

    name: str
    rating: int = 0
    covers: tuple[str, ...] = ()
    converts: tuple[str, ...] = ()
    mental: bool = False


class Weapon(Record):
    """A weapon: its modifier, whether the attacker's Muscle Power drives it, and the type of its
    damage.
    """

    name: str
    modifier: int = 0
    powered: bool = True
    lethal: bool = True
    kind: str = ""
    mental: bool = False


class Blow(Record):
    """An attack that succeeded with that `level` (>= 0), and what else its final degree is made of
    (BAR-TRAUMA).

    `armor` is the rating of what affects it; `muscle` and `weapon` are what the attacker brings
    besides.
    """

    level: int
    armor: int = 0
    muscle: int = 0
    weapon: int = 0
    toughness: int = 0
    threshold: int = 0
    lethal: bool = True
    mental: bool = False

    @property
    def stopped(self) -> bool:
        """Whether armor brings it below 0 and takes its effects (BAR-ARMOR)."""
        return self.level < self.armor

    @property
    def terms(self) -> dict[str, int]:
        """What the final degree adds up, as far as armor leaves it."""
        left = {"level": self.level, "armour": -self.armor}
        more = {"muscle": self.muscle, "weapon": self.weapon, "toughness": -self.toughness}
        return left if self.stopped else left | more | {"threshold": -self.threshold}

    @property
    def final(self) -> int:
        """The final degree; below 0 where armor stopped it."""
        return sum(self.terms.values())

    @property
    def degrees(self) -> tuple[int, int]:
        """The degrees of the Physical and of the Mental Wound; 0 is none."""
        whole = max(0, self.final)
        if self.mental:
            return 0, whole
        return (whole, 0) if self.lethal else ((whole + 1) // 2, whole // 2)


class Wound(Record):
    """A Wound as somebody carries it.

    `penalty` and `other` are Penalty Dice, None where no such activity is left. Times are minutes
    of the story: `taken` when it was dealt, `as_of` up to when its healing is counted; `healed` is
    the exact share of it that is done then. `factor` is how many times as fast it heals under
    medical attention; `activity` what its owner's life does to it ("slower": it heals like the next
    row of the chart); only what is `stabilised` heals. `number` tells it from the others on a
    sheet.
    """

    kind: Activity
    name: str
    degree: int = 1
    penalty: int | None = 0
    other: int | None = 0
    base_days: int = 0
    taken: int = 0
    as_of: int = 0
    healed: Fraction = Fraction(0)
    factor: Fraction = Fraction(1)
    activity: Life = "rest"
    stabilised: bool = True
    effect: str = ""
    number: int = 0

    @property
    def label(self) -> str:
        """What it is called where one of several has to be named: `#2 Light (physical)`."""
        return f"#{self.number} {self.name} ({self.kind})"


# --- armor and damage ----------------------------------------------------------------------------


def armor_rating(pieces: Iterable[Armor], kind: str, *, mental: bool = False) -> int:
    """What all armor that can affect an attack with this type of damage takes off its degree
    (BAR-ARMOR).
    """
    found = (
        each
        for each in pieces
        if each.mental == mental and (not each.covers or _in(kind, each.covers))
    )
    return sum(each.rating for each in found)


def is_still_lethal(pieces: Iterable[Armor], weapon: Weapon) -> bool:
    """Whether a weapon's damage stays lethal: no piece converts its type (BAR-ARMOR)."""
    pieces = (each for each in pieces if each.mental == weapon.mental)
    return weapon.lethal and not any(_in(weapon.kind, each.converts) for each in pieces)


def _in(kind: str, kinds: Iterable[str]) -> bool:
    return name_key(kind) in map(name_key, kinds)


# --- the chart and the Wounds ---------------------------------------------------------------------


def chart_row(chart: Chart, degree: int) -> ChartRow | None:
    """The row that a degree falls into; None for 0 or less (BAR-TRAUMA)."""
    return next((row for row in reversed(chart.rows) if row.from_ <= degree), None)


def row_days(row: ChartRow, kind: Activity) -> int:
    """Days that a Wound of this kind takes to heal by this row (BAR-HEAL)."""
    return row.healing_days if kind == "physical" else row.mental_healing_days


def wound_from(chart: Chart, kind: Activity, degree: int, at: int) -> Wound | None:
    """The Wound of a degree, dealt at a minute of the story; None for a degree of 0 or less
    (BAR-TRAUMA).

    One that leaves no activity at all is not stabilized; all others need no care for that.
    """
    row = chart_row(chart, degree)
    if row is None:
        return None
    return Wound(
        kind=kind,
        name=row.name,
        degree=degree,
        penalty=row.penalty,
        other=row.other_penalty,
        base_days=row_days(row, kind),
        taken=at,
        as_of=at,
        stabilised=row.penalty is not None,
        effect=row.effect,
    )


def penalty_dice(wounds: Iterable[Wound], activity: Activity) -> tuple[tuple[Wound, int], ...]:
    """The Wounds that cost Penalty Dice in this kind of activity, and how many each (BAR-TRAUMA).

    Wounds that leave no such activity have no number: see `is_incapacitated`.
    """
    found = ((wound, wound.penalty if wound.kind == activity else wound.other) for wound in wounds)
    return tuple([(wound, dice) for wound, dice in found if dice])


def is_incapacitated(wounds: Iterable[Wound], activity: Activity | None = None) -> bool:
    """Whether some Wound leaves no activity of this kind; without a kind, none of its own kind
    (BAR-TRAUMA).
    """
    return any(
        (wound.penalty if activity in (None, wound.kind) else wound.other) is None
        for wound in wounds
    )


# --- reading and writing charts -------------------------------------------------------------------

CHART_ROW_FORM: Final = Form.of(
    Number("from", low=1, high=HIGHEST_DEGREE, needed=True),
    Typed("name", most=LONGEST_NAME, needed=True, read=str.strip),
    Number("penalty", high=HIGHEST_PENALTY, needed=True, null=True),
    Number("other_penalty", high=HIGHEST_PENALTY, needed=True, null=True),
    Number("healing_days", high=HIGHEST_DAYS, needed=True),
    Number("mental_healing_days", high=HIGHEST_DAYS, needed=True),
    Typed("effect", most=LONGEST_TEXT, long=True, blank=True),
)
CHART_FORM: Final = Form.of(
    Typed("origin", most=LONGEST_TEXT, long=True, blank=True),
    Rows(
        "rows",
        CHART_ROW_FORM,
        most=MOST_ROWS,
        needed=True,
        kind=ChartRow,
        back=CHART_ROW_FORM.changed_values,
    ),
)


def check_chart(reader: Reader, values: Values, place: str) -> None:
    """Note what is wrong with a chart besides its rows.

    They go from degree 1 on without a gap, each beginning above the one before
    ("chart-not-rising"), with names of their own ("duplicate-field").
    """
    rows: tuple[Values, ...] = values.get("rows", ({},))
    if not rows:
        reader.add_problem("missing-field", f"{place}.rows[0]", None, "add-field")
    reader.note_repeated_names(f"{place}.rows", rows)
    lowest = 1
    for number, row in enumerate(rows):
        path, start = f"{place}.rows[{number}]", row.get("from")
        if start is None:
            continue
        if start < lowest or (not number and start > 1):
            reader.add_problem(
                "chart-not-rising", f"{path}.from", start, "choose-higher", lowest=lowest
            )
        lowest = start + 1


#: What a campaign begins with.
DEFAULT_CHART: Final = CHART_FORM.make_record(Chart, CHART_FORM.read_json(CHART_DATA))


# --- healing --------------------------------------------------------------------------------------
# Decisions where the rules leave room:
# - The share of the healing that is done is kept, not the time: when the attribute, the care or the
# activity changes,
#   what has healed stays healed and the rest goes on at the new rate.
# - Medical attention is a factor of speed: with 2 a Wound heals in half the time.
# - "slower" takes the days of the chart's next row; a Wound in the last row keeps its own.
# - A Wound costs its whole penalty until it is healed.
# - When the story's time is set back nothing heals and nothing is undone.

MINUTES_A_DAY: Final = 24 * 60


def healing_time(base: int | Fraction, attribute: int) -> Fraction:
    """How long a Wound takes, in the unit of `base` (>= 0), exactly (BAR-HEAL).

    Divided by a positive attribute, multiplied by what a negative one is below 0; +1, 0 and -1
    change nothing.
    """
    return Fraction(base) / attribute if attribute > 0 else Fraction(base) * max(1, -attribute)


def _days(wound: Wound, chart: Chart) -> int:
    """Days for an attribute of 0, by how its owner lives."""
    slower = wound.activity == "slower"
    harder = [
        row_days(row, wound.kind) for row in chart.rows if slower and row.from_ > wound.degree
    ]
    return max([wound.base_days, *harder[:1]])


def time_left(wound: Wound, attribute: int, chart: Chart = DEFAULT_CHART) -> Fraction | None:
    """Minutes from `as_of` until the Wound is healed, at the present rate; None when it does not
    heal (BAR-HEAL).

    `attribute` governs this kind of Wound: Immune System for physical, Stamina for mental ones.
    """
    if wound.activity == "stopped" or not wound.stabilised or wound.factor <= 0:
        return None
    whole = healing_time(_days(wound, chart) * MINUTES_A_DAY, attribute) / wound.factor
    return whole * max(Fraction(0), 1 - wound.healed)


def healed_at(wound: Wound, attribute: int, chart: Chart = DEFAULT_CHART) -> int | None:
    """The first whole minute of the story at which the Wound is healed; None when it does not heal
    (BAR-HEAL).
    """
    left = time_left(wound, attribute, chart)
    return None if left is None else wound.as_of + ceil(left)


def heal_until(
    wound: Wound, attribute: int, now_minute: int, chart: Chart = DEFAULT_CHART
) -> Wound | None:
    """The Wound at a later minute of the story, None when it is healed by then (BAR-HEAL)."""
    passed, left = now_minute - wound.as_of, time_left(wound, attribute, chart)
    if left is not None and passed >= left:
        return None
    if passed <= 0:
        return wound
    healed = wound.healed if left is None else wound.healed + passed * (1 - wound.healed) / left
    return wound.replace(as_of=now_minute, healed=healed)
