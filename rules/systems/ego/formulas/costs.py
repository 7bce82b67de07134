"""Prices and limits of characters: points, races, experience and funds (EGO-CHR-01 and on).

Each broken rule is a refusal with its place, its value and its remedy. All are found at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.core.json_reader import violation
from rules.core.record import Record

ABILITIES: Final = ("muscle", "agility", "intellect", "vitality")
#: Points for one point of a score, and for an advantage. A disadvantage gives as many.
A_POINT: Final = 3
A_TRAIT: Final = 2
#: Highest score of a human, and lowest scores of everyone (EGO-CHR-02).
HUMAN: Final = 16
MIN_SCORES: Final = {"muscle": 0, "agility": 0, "intellect": 0, "vitality": 1}
#: Most powers at creation, and their highest rating (EGO-POW-01).
MOST_POWERS: Final = 5
HIGHEST_POWER: Final = 6


# --- prices ---------------------------------------------------------------------------------------


def price(before: int, after: int) -> int:
    """Return the points from one level to another; each level costs its number.

    That is the price of skills, specialties and ratings, and in experience of scores too
    (EGO-SKL-01, EGO-EXP-01, EGO-EXP-02).
    """
    return (after * (after + 1) - before * (before + 1)) // 2


class Budget(Record):
    """Points that a character has spent, and the points it had (EGO-CHR-01)."""

    available: int
    abilities: int = 0
    skills: int = 0
    specialties: int = 0
    advantages: int = 0

    @property
    def total(self) -> int:
        """Points spent."""
        return self.abilities + self.skills + self.specialties + self.advantages

    @property
    def left(self) -> int:
        """Points not spent; negative if too many were spent."""
        return self.available - self.total


def point_budget(
    cbp: int, *bought: Iterable[int], advantages: int = 0, disadvantages: int = 0
) -> Budget:
    """Return the budget of scores and of levels of skills and specialties.

    `disadvantages` counts those that give points.
    """
    scores, skills, specialties = (*bought, (), (), ())[:3]
    return Budget(
        available=cbp + A_TRAIT * disadvantages,
        abilities=A_POINT * sum(scores),
        skills=sum([price(0, level) for level in skills]),
        specialties=sum([price(0, level) for level in specialties]),
        advantages=A_TRAIT * advantages,
    )


# --- limits ---------------------------------------------------------------------------------------


def budget_faults(budget: Budget) -> Iterator[RulesError]:
    """Yield the fault of a budget that is overspent."""
    if budget.left < 0:
        short = {"available": budget.available, "over": -budget.left}
        yield violation("ego-over-budget", "points", budget.total, "ego-spend-less", **short)


def maxima(deltas: Mapping[str, int]) -> dict[str, int]:
    """Return the highest score of each ability of a race (EGO-RAC-01)."""
    return {key: HUMAN + deltas.get(key, 0) for key in ABILITIES}


def score_faults(scores: Mapping[str, int], most: Mapping[str, int]) -> Iterator[RulesError]:
    """Yield scores below the least, or above the maximum of the race (EGO-CHR-02)."""
    for key, score in scores.items():
        low, high = MIN_SCORES[key], most[key]
        if not low <= score <= high:
            yield violation("ego-score", key, score, "ego-between", lowest=low, highest=high)


def paid_by_maxima(deltas: Mapping[str, int]) -> int:
    """Return the number of racial effects that lowered maxima pay for.

    It is negative if more was added than taken.
    """
    return -sum(deltas.values()) // 2


def race_faults(
    deltas: Mapping[str, int], effects: int = 0, disadvantages: int = 0
) -> Iterator[RulesError]:
    """Yield faults of a race: unbalanced maxima, and unpaid effects (EGO-RAC-01, EGO-RAC-02)."""
    for key, delta in deltas.items():
        if delta % 2:
            yield InvalidInput(
                "ego-odd-maximum", field=f"maxima.{key}", value=delta, fix="ego-even"
            )
    paid = paid_by_maxima(deltas)
    if not 0 <= paid <= effects:
        yield violation(
            "ego-unbalanced", "maxima", sum(deltas.values()), "ego-balance", lowest=-2 * effects
        )
    elif effects - paid > disadvantages:
        yield violation(
            "ego-unpaid-effects",
            "powers",
            effects,
            "ego-pay-effects",
            missing=effects - paid - disadvantages,
        )


def specialty_most(base: int) -> int:
    """Return the highest level of a specialty of a skill at this level (EGO-SPC-01)."""
    return max(0, base - 1)


def specialty_faults(
    place: str, name: str, level: int, base: int, *, grows: bool = False
) -> Iterator[RulesError]:
    """Yield a fault if the skill is too low for a specialty of this level (EGO-SPC-01).

    `grows`: the specialty is raised by experience, not bought for a new character.
    """
    highest = specialty_most(base)
    if level > highest:
        raised = {"base": level + 1, "cost": price(base, level + 1)}
        yield violation(
            "ego-specialty-high",
            place,
            level,
            "ego-raise-base",
            name=name,
            highest=highest,
            grows=grows,
            **raised,
        )


def trait_limit(limit: int | None, repeats: int) -> int:
    """Return how often a trait may be taken: as its entry says, within the table's limit."""
    return repeats if limit is None else min(limit, repeats)


def trait_faults(
    place: str, names: Sequence[str], limits: Mapping[str, int | None], repeats: int
) -> Iterator[RulesError]:
    """Yield advantages or disadvantages taken too often, each where it is too many (EGO-ADV-01)."""
    for name, times in Counter(names).items():
        most = trait_limit(limits.get(name), repeats)
        if times > most:
            places = [at for at, other in enumerate(names) if other == name]
            shown = {"count": times, "highest": most}
            yield violation(
                "ego-too-often", f"{place}[{places[most]}]", name, "ego-take-fewer", **shown
            )


def rating_levels(superpowers: int) -> int:
    """Return the levels of ratings that the skill gives (EGO-POW-01)."""
    return 2 * superpowers


def rating_most(most: int | None) -> int:
    """Return the highest rating of a power at creation, given the effect's maximum."""
    return HIGHEST_POWER if most is None else min(HIGHEST_POWER, most)


def power_faults(
    superpowers: int, powers: Sequence[tuple[str, int, int | None]], places: Sequence[str] = ()
) -> Iterator[RulesError]:
    """Yield faults of a new character's powers: name, rating and the effect's maximum of each.

    `places` are those of the powers on the sheet (EGO-POW-01).
    """
    levels, used = rating_levels(superpowers), sum(rating for _, rating, _ in powers)
    for at, (name, rating, most) in enumerate(powers):
        high = rating_most(most)
        if not 1 <= rating <= high:
            yield violation(
                "ego-power-rating",
                places[at] if places else f"powers[{at}]",
                rating,
                "ego-between",
                name=name,
                lowest=1,
                highest=high,
            )
    if len(powers) > MOST_POWERS:
        yield violation(
            "ego-too-many-powers", "powers", len(powers), "ego-keep-fewer", highest=MOST_POWERS
        )
    if used > levels:
        more = {"over": used - levels, "level": -(-used // 2)}
        yield violation(
            "ego-rating-levels", "powers", used, "ego-raise-superpowers", highest=levels, **more
        )


def known_faults(place: str, skill: str, count: int, most: int) -> Iterator[RulesError]:
    """Yield the fault of too many known effects of magic or psionics (EGO-MAG-01, EGO-PSI-01)."""
    if count > most:
        yield violation(
            "ego-too-many-powers", place, count, "ego-keep-fewer", skill=skill, highest=most
        )


# --- experience -----------------------------------------------------------------------------------


def spend_experience(
    session: int, adventure: int, cost: int, *, known: bool = True
) -> tuple[int, int]:
    """Return the experience of both kinds after a purchase (EGO-EXP-03).

    Only a purchase of what is `known` takes experience of sessions. Raises
    Impossible("ego-too-dear") if there is not enough, and Impossible("ego-session-exp") if
    experience of sessions can't be used.
    """
    have = adventure + (session if known else 0)
    if (missing := cost - have) > 0:
        short = {"have": have, "need": cost, "missing": missing}
        if session and not known:
            raise Impossible("ego-session-exp", **short, session=session)
        raise Impossible("ego-too-dear", what="exp", **short)
    first = min(session, cost) if known else 0
    return session - first, adventure - (cost - first)


def maximum_error(level: int, most: int | None) -> RulesError | None:
    """Return the refusal of a level at the maximum of race or effect, or None (EGO-EXP-02)."""
    if most is None or level < most:
        return None
    return Impossible("ego-at-maximum", highest=most)


# --- enemies and funds ----------------------------------------------------------------------------


def category_scores(scores: Sequence[int], best: str = ABILITIES[0]) -> dict[str, int]:
    """Return the scores of a category of enemies; the first is that of the `best` ability
    (EGO-NME-02).
    """
    others = iter(scores[1:])
    return {key: scores[0] if key == best else next(others) for key in ABILITIES}


def funds(faces: Iterable[int], times: int) -> int:
    """Return the money of a roll: the sum of the faces, times a factor (EGO-EQP-01)."""
    return sum(faces) * times


def money_label(amount: int, currency: str) -> str:
    """Return an amount of money with its unit: `25 gp`, `$700` (EGO-EQP-01)."""
    return f"${amount}" if currency == "$" else f"{amount} {currency}".strip()


def spend_money(
    money: int, prices: Iterable[int], currency: str = "", *, payer: str | None = None
) -> int:
    """Return the money after a purchase.

    Raises Impossible("ego-too-dear") for more than there is; it names a `payer` other than its
    reader.
    """
    cost = sum(prices)
    if cost > money:
        shown = {"have": money, "need": cost, "missing": cost - money}
        raise Impossible("ego-too-dear", **shown, unit=currency, payer=payer)
    return money - cost
