"""Armor, weapons, damage, the Wounds that damage leaves, and their healing.

BAR-ARMOR, BAR-TRAUMA, BAR-HEAL.
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
from rules.table.check import Values
from rules.table.forms.entry_fields import Rows
from rules.table.forms.fields import Number, Typed
from rules.table.forms.form import Form

#: Effect of the owner's life on the healing of a Wound.
Life = Literal["rest", "slower", "stopped"]
LIVES: Final[tuple[Life, ...]] = get_args(Life)

MOST_ROWS: Final = 50
HIGHEST_DEGREE: Final = 1000
HIGHEST_PENALTY: Final = 100
#: A hundred years.
HIGHEST_DAYS: Final = 36_500


class ChartRow(Record, rename={"from_": "from"}):
    """A row of the Wound chart: the effect of degrees from `from_` on, up to the next row."""

    from_: int
    name: str
    #: Penalty Dice in activities of the Wound's own kind; None if no such activity is possible.
    penalty: int | None
    #: Penalty Dice in activities of the other kind; None if no such activity is possible.
    other_penalty: int | None
    #: Days of healing for a governing attribute of 0.
    healing_days: int
    #: Days of healing of a Mental Wound, for a governing attribute of 0.
    mental_healing_days: int
    effect: str = ""


class Chart(Record):
    """The Wound chart of a campaign, the lightest row first, and its origin."""

    rows: tuple[ChartRow, ...]
    origin: str = ""


class Armor(Record):
    """A piece of armor."""

    name: str
    #: Levels that it subtracts from an attack.
    rating: int = 0
    #: Types of damage that it protects against; all if empty.
    covers: tuple[str, ...] = ()
    #: Types of lethal damage that it makes non-lethal.
    converts: tuple[str, ...] = ()
    #: It affects mental attacks, and only those.
    mental: bool = False


class Weapon(Record):
    """A weapon."""

    name: str
    modifier: int = 0
    #: The attacker's Muscle Power adds to its damage.
    powered: bool = True
    lethal: bool = True
    #: Type of its damage.
    kind: str = ""
    mental: bool = False


class Blow(Record):
    """A successful attack, with the terms of its final degree (BAR-TRAUMA)."""

    #: Success level of the attack, 0 or more.
    level: int
    #: Rating of the armor that affects it.
    armor: int = 0
    #: Muscle Power of the attacker.
    muscle: int = 0
    #: Modifier of the weapon.
    weapon: int = 0
    #: Target's attribute that is subtracted from physical damage.
    toughness: int = 0
    #: Target's threshold of Wounds.
    threshold: int = 0
    lethal: bool = True
    mental: bool = False

    @property
    def stopped(self) -> bool:
        """True if armor brings the level below 0, which takes all effects away (BAR-ARMOR)."""
        return self.level < self.armor

    @property
    def terms(self) -> dict[str, int]:
        """Terms of the final degree; only level and armor if armor stops the attack."""
        terms = {"level": self.level, "armor": -self.armor}
        if self.stopped:
            return terms
        return terms | {
            "muscle": self.muscle,
            "weapon": self.weapon,
            "toughness": -self.toughness,
            "threshold": -self.threshold,
        }

    @property
    def final(self) -> int:
        """Final degree; below 0 if armor stops the attack."""
        return sum(self.terms.values())

    @property
    def degrees(self) -> tuple[int, int]:
        """Degrees of the Physical and of the Mental Wound; 0 is none."""
        degree = max(0, self.final)
        if self.mental:
            return 0, degree
        if self.lethal:
            return degree, 0
        return (degree + 1) // 2, degree // 2


class Wound(Record):
    """A Wound of a character. Times are minutes of the story."""

    kind: Activity
    name: str
    degree: int = 1
    #: Penalty Dice in activities of its own kind; None if no such activity is possible.
    penalty: int | None = 0
    #: Penalty Dice in activities of the other kind; None if no such activity is possible.
    other: int | None = 0
    #: Days of healing for a governing attribute of 0.
    base_days: int = 0
    #: Time when it was dealt.
    taken: int = 0
    #: Time up to which its healing is counted.
    as_of: int = 0
    #: Exact share of the healing that is done at `as_of`.
    healed: Fraction = Fraction(0)
    #: Factor of speed under medical attention.
    factor: Fraction = Fraction(1)
    #: Effect of the owner's life. "slower" heals like the next row of the chart.
    activity: Life = "rest"
    #: Only a stabilized Wound heals.
    stabilised: bool = True
    effect: str = ""
    #: Number among the Wounds of its sheet.
    number: int = 0

    @property
    def label(self) -> str:
        """Name that tells it from the other Wounds of its sheet: `#2 Light (physical)`."""
        return f"#{self.number} {self.name} ({self.kind})"


# --- armor and damage ----------------------------------------------------------------------------


def armor_rating(pieces: Iterable[Armor], kind: str, *, mental: bool = False) -> int:
    """Return the rating of all armor that affects an attack of this type (BAR-ARMOR)."""
    rating = 0
    for piece in pieces:
        if piece.mental == mental and (not piece.covers or _is_among(kind, piece.covers)):
            rating += piece.rating
    return rating


def is_still_lethal(pieces: Iterable[Armor], weapon: Weapon) -> bool:
    """Return whether a weapon's damage stays lethal: no piece converts its type (BAR-ARMOR)."""
    affecting = (piece for piece in pieces if piece.mental == weapon.mental)
    converted = any(_is_among(weapon.kind, piece.converts) for piece in affecting)
    return weapon.lethal and not converted


def _is_among(kind: str, kinds: Iterable[str]) -> bool:
    """Return whether a type of damage is among others, however they are written."""
    return name_key(kind) in map(name_key, kinds)


# --- the chart and the Wounds ---------------------------------------------------------------------


def chart_row(chart: Chart, degree: int) -> ChartRow | None:
    """Return the row that a degree falls into; None for 0 or less (BAR-TRAUMA)."""
    return next((row for row in reversed(chart.rows) if row.from_ <= degree), None)


def row_days(row: ChartRow, kind: Activity) -> int:
    """Return the days that a Wound of this kind takes to heal by this row (BAR-HEAL)."""
    return row.healing_days if kind == "physical" else row.mental_healing_days


def wound_from(chart: Chart, kind: Activity, degree: int, at: int) -> Wound | None:
    """Return the Wound of a degree, dealt at a minute of the story (BAR-TRAUMA).

    Returns None for a degree of 0 or less. A Wound that leaves no activity of its own kind is not
    stabilized; any other one needs no care for that.
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
    """Return the Wounds with Penalty Dice in this kind of activity, and their numbers (BAR-TRAUMA).

    Wounds that leave no such activity have no number: see `is_incapacitated`.
    """
    penalties: list[tuple[Wound, int]] = []
    for wound in wounds:
        dice = wound.penalty if wound.kind == activity else wound.other
        if dice:
            penalties.append((wound, dice))
    return tuple(penalties)


def is_incapacitated(wounds: Iterable[Wound], activity: Activity | None = None) -> bool:
    """Return whether a Wound leaves no activity of this kind (BAR-TRAUMA).

    Without a kind, it is whether a Wound leaves none of its own kind.
    """
    for wound in wounds:
        own_kind = activity in (None, wound.kind)
        if (wound.penalty if own_kind else wound.other) is None:
            return True
    return False


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

    The rows have to go from degree 1 on without a gap, each beginning above the row before
    ("chart-not-rising"), and with names of their own ("duplicate-field").
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


#: Chart that a campaign begins with.
DEFAULT_CHART: Final = CHART_FORM.make_record(Chart, CHART_FORM.read_json(CHART_DATA))


# --- healing --------------------------------------------------------------------------------------
# Decisions where the rules leave room:
# - The share of healing that is done is kept, not the time. When the attribute, the care or the
#   activity changes, what has healed stays healed and the rest goes on at the new rate.
# - Medical attention is a factor of speed: with 2 a Wound heals in half the time.
# - "slower" takes the days of the chart's next row; a Wound in the last row keeps its own.
# - A Wound costs its whole penalty until it is healed.
# - When the story's time is set back nothing heals and nothing is undone.

MINUTES_A_DAY: Final = 24 * 60


def healing_time(base: int | Fraction, attribute: int) -> Fraction:
    """Return how long a Wound takes, in the unit of *base* (0 or more), exactly (BAR-HEAL).

    A positive attribute divides the time; a negative one multiplies it by its amount. +1, 0 and -1
    change nothing.
    """
    if attribute > 0:
        return Fraction(base) / attribute
    return Fraction(base) * max(1, -attribute)


def _days(wound: Wound, chart: Chart) -> int:
    """Return the days of healing for an attribute of 0, with the effect of the owner's life."""
    if wound.activity != "slower":
        return wound.base_days
    harder_rows = [row for row in chart.rows if row.from_ > wound.degree]
    return max([wound.base_days, *(row_days(row, wound.kind) for row in harder_rows[:1])])


def time_left(wound: Wound, attribute: int, chart: Chart = DEFAULT_CHART) -> Fraction | None:
    """Return the minutes from `as_of` until the Wound is healed, at the present rate (BAR-HEAL).

    Returns None if it does not heal. *attribute* governs this kind of Wound: Immune System for
    physical, Stamina for mental ones.
    """
    if wound.activity == "stopped" or not wound.stabilised or wound.factor <= 0:
        return None
    whole = healing_time(_days(wound, chart) * MINUTES_A_DAY, attribute) / wound.factor
    return whole * max(Fraction(0), 1 - wound.healed)


def healed_at(wound: Wound, attribute: int, chart: Chart = DEFAULT_CHART) -> int | None:
    """Return the first whole minute of the story at which the Wound is healed (BAR-HEAL).

    Returns None if it does not heal.
    """
    left = time_left(wound, attribute, chart)
    return None if left is None else wound.as_of + ceil(left)


def heal_until(
    wound: Wound, attribute: int, now_minute: int, chart: Chart = DEFAULT_CHART
) -> Wound | None:
    """Return the Wound at a later minute of the story; None if it is healed by then (BAR-HEAL)."""
    passed = now_minute - wound.as_of
    left = time_left(wound, attribute, chart)
    if left is not None and passed >= left:
        return None
    if passed <= 0:
        return wound
    healed = wound.healed
    if left is not None:
        healed += passed * (1 - wound.healed) / left
    return wound.replace(as_of=now_minute, healed=healed)
