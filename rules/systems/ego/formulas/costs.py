"""What things cost, and what a new character may be: points, limits, races, experience, funds
(EGO-CHR-01 and on).

What breaks a rule is a refusal each, with its place, what it is worth and what would mend it; all
are found at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.core.json_reader import violation
from rules.core.record import Record

ABILITIES: Final = ("muscle", "agility", "intellect", "vitality")
#: Points for one of a score, an advantage; what a disadvantage gives.
A_POINT: Final = 3
A_TRAIT: Final = 2
#: What a human's scores go to, and what every score starts from (EGO-CHR-02).
HUMAN: Final = 16
MIN_SCORES: Final = {"muscle": 0, "agility": 0, "intellect": 0, "vitality": 1}
#: Powers at creation: how many, and how high (EGO-POW-01).
MOST_POWERS: Final = 5
HIGHEST_POWER: Final = 6


# --- prices ---------------------------------------------------------------------------------------


def price(before: int, after: int) -> int:
    """Points from one level to another, each as dear as the number it reaches: of skills,
    specialties and ratings, and in experience of scores too (EGO-SKL-01, EGO-EXP-01, EGO-EXP-02).
    """
    return (after * (after + 1) - before * (before + 1)) // 2


class Budget(Record):
    """What a character came to, and how many points there were (EGO-CHR-01)."""

    available: int
    abilities: int = 0
    skills: int = 0
    specialties: int = 0
    advantages: int = 0

    @property
    def total(self) -> int:
        """All of it."""
        return self.abilities + self.skills + self.specialties + self.advantages

    @property
    def left(self) -> int:
        """What is not spent; below 0 there is too much."""
        return self.available - self.total


def point_budget(
    cbp: int, *bought: Iterable[int], advantages: int = 0, disadvantages: int = 0
) -> Budget:
    """What scores, and levels of skills and specialties come to; of disadvantages those that give
    points.
    """
    scores, skills, specialties = (*bought, (), (), ())[:3]
    one, other = [sum([price(0, level) for level in each]) for each in (skills, specialties)]
    return Budget(
        cbp + A_TRAIT * disadvantages, A_POINT * sum(scores), one, other, A_TRAIT * advantages
    )


# --- limits ---------------------------------------------------------------------------------------


def budget_faults(made: Budget) -> Iterator[RulesError]:
    """That more was spent than there is."""
    if made.left < 0:
        short = {"available": made.available, "over": -made.left}
        yield violation("ego-over-budget", "points", made.total, "ego-spend-less", **short)


def maxima(deltas: Mapping[str, int]) -> dict[str, int]:
    """The highest score of each ability of a race (EGO-RAC-01)."""
    return {each: HUMAN + deltas.get(each, 0) for each in ABILITIES}


def score_faults(scores: Mapping[str, int], most: Mapping[str, int]) -> Iterator[RulesError]:
    """Scores below what is needed, or above what the race may have (EGO-CHR-02)."""
    for each, score in scores.items():
        low, high = MIN_SCORES[each], most[each]
        if not low <= score <= high:
            yield violation("ego-score", each, score, "ego-between", lowest=low, highest=high)


def paid_by_maxima(deltas: Mapping[str, int]) -> int:
    """How many racial effects a lowered maximum pays for; below 0 more was added than taken."""
    return -sum(deltas.values()) // 2


def race_faults(
    deltas: Mapping[str, int], effects: int = 0, disadvantages: int = 0
) -> Iterator[RulesError]:
    """A race whose maxima do not balance, or whose effects nothing pays for (EGO-RAC-01,
    EGO-RAC-02).
    """
    for each, delta in deltas.items():
        if delta % 2:
            yield InvalidInput(
                "ego-odd-maximum", field=f"maxima.{each}", value=delta, fix="ego-even"
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
    """The highest level of a specialty of a skill at this level (EGO-SPC-01)."""
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
    """How often something may be taken: as its entry says, and never more often than the table's
    limit.
    """
    return repeats if limit is None else min(limit, repeats)


def trait_faults(
    place: str, names: Sequence[str], limits: Mapping[str, int | None], repeats: int
) -> Iterator[RulesError]:
    """Yield advantages or disadvantages taken too often, each where it is too many (EGO-ADV-01)."""
    for name, times in Counter(names).items():
        most = trait_limit(limits.get(name), repeats)
        if times > most:
            places = [at for at, each in enumerate(names) if each == name]
            shown = {"count": times, "highest": most}
            yield violation(
                "ego-too-often", f"{place}[{places[most]}]", name, "ego-take-fewer", **shown
            )


def rating_levels(superpowers: int) -> int:
    """Levels of ratings that the skill gives (EGO-POW-01)."""
    return 2 * superpowers


def rating_most(most: int | None) -> int:
    """The highest rating of a power at creation, given the effect's maximum."""
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
    """More known effects than a level of magic or psionics gives (EGO-MAG-01, EGO-PSI-01)."""
    if count > most:
        yield violation(
            "ego-too-many-powers", place, count, "ego-keep-fewer", skill=skill, highest=most
        )


# --- experience -----------------------------------------------------------------------------------


def spend_experience(
    session: int, adventure: int, cost: int, *, known: bool = True
) -> tuple[int, int]:
    """Experience of both kinds after a purchase; only what is `known` takes that of sessions
    (EGO-EXP-03).

    Impossible("ego-too-dear") where there is not enough; ("ego-session-exp") where what sessions
    gave is not for this.
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
    """That a score or a rating is at its highest, the race's or the effect's (EGO-EXP-02)."""
    return (
        Impossible("ego-at-maximum", highest=most) if most is not None and level >= most else None
    )


# --- enemies and funds ----------------------------------------------------------------------------


def category_scores(scores: Sequence[int], best: str = ABILITIES[0]) -> dict[str, int]:
    """The scores of a category of enemies, the first being the `best` ability's (EGO-NME-02)."""
    others = iter(scores[1:])
    return {each: scores[0] if each == best else next(others) for each in ABILITIES}


def funds(faces: Iterable[int], times: int) -> int:
    """Money that was rolled: the plain sum, so many times (EGO-EQP-01)."""
    return sum(faces) * times


def money_label(amount: int, currency: str) -> str:
    """Return an amount of money with its unit: `25 gp`, `$700` (EGO-EQP-01)."""
    return f"${amount}" if currency == "$" else f"{amount} {currency}".strip()


def spend_money(
    money: int, prices: Iterable[int], currency: str = "", *, payer: str | None = None
) -> int:
    """Return the money after a purchase.

    Impossible("ego-too-dear") for more than there is; it names a `payer` other than its reader.
    """
    cost = sum(prices)
    if cost > money:
        shown = {"have": money, "need": cost, "missing": cost - money}
        raise Impossible("ego-too-dear", **shown, unit=currency, payer=payer)
    return money - cost
