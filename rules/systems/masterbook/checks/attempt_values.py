"""Ratings, difficulty and shifts of a check, as the sheets have them.

MB-SKL-02, MB-DN-02, MB-CMB-03, MB-SKILL-06.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.character.sheet import attribute
from rules.systems.masterbook.checks import background_causes, card_windows
from rules.systems.masterbook.checks.action_economy import (
    has_done_all,
    is_own_action,
    round_of,
    turns_of,
)
from rules.systems.masterbook.checks.background_causes import RollCauses, RollSubject
from rules.systems.masterbook.checks.background_memory import panic_causes
from rules.systems.masterbook.checks.roll_sources import RollSource, find_source, source_rating
from rules.systems.masterbook.checks.state import (
    MINE,
    AnyAttempt,
    Attempt,
    Plan,
    Rating,
    difficulty_number,
)
from rules.systems.masterbook.formulas import skill_rules, skills
from rules.systems.masterbook.formulas.dice import ACTIVE_DEFENSE_FLOOR
from rules.systems.masterbook.formulas.reference_rows import (
    INTERACTIONS,
    InteractionKind,
    nonzero_causes,
)
from rules.systems.masterbook.formulas.skill_numbers import (
    environment_relation,
    science_value,
    tracked_count,
    usable_adds,
)
from rules.systems.masterbook.formulas.skill_rules import SkillUse
from rules.table.marks import marks_of
from rules.table.system import Game

#: Rows of the chart for how familiar a place is to the character.
PLACE_ROWS: Final = skills.CHARTS["survival_environment"].rows
PLACES: Final = frozenset(row.id for row in PLACE_ROWS)
#: Row for the number of persons who are tracked.
PERSONS: Final = "per_person"
_FAITH: Final = "Faith"
_SURVIVAL: Final = "Survival"
#: Skills whose untrained use depends on how rare the vehicle is.
RARE: Final = frozenset(row.name for row in skills.SKILLS.values() if row.untrained == "gm_table")


def places_of(skill: str) -> frozenset[str]:
    """Return the rows of places for a skill.

    Other skills have none: their `neutral` is a target's attitude, not a place.
    """
    return PLACES if skill == _SURVIVAL else frozenset()


def split_row(text: str) -> tuple[str, int | None]:
    """Split a chart's row from the number typed with it: `night`, `persons 4`."""
    name, _, number = text.strip().replace("\u2212", "-").rpartition(" ")
    if name and number.removeprefix("-").isdecimal():
        return name, int(number)
    return text.strip(), None


def attempt_subject(game: Game, check: AnyAttempt) -> RollSubject | None:
    """Return what an attempt is about; None while that isn't known."""
    plan = check.data.request
    if not (plan.skill or plan.attribute):
        return None
    source = means_of(game, check.actor, plan)
    rows = tuple(split_row(row)[0] for row in check.data.effective_ruling.rows)
    return RollSubject(
        check.actor,
        source,
        plan.attribute or source.attribute,
        check.target or "",
        rows,
        round=round_of(game, check.actor),
    )


def means_of(game: Game, who: str, plan: Plan) -> RollSource:
    """Return the skill or Attribute that a character rolls.

    Raises:
        NotFound: the sheet doesn't have it.
        InvalidInput("mb-nothing-to-roll"): the plan names neither.
        InvalidInput("mb-no-attribute-here"): the plan names an Attribute twice.
    """
    if not plan.skill:
        if not plan.attribute:
            raise InvalidInput("mb-nothing-to-roll", field="skill", value=None)
        return RollSource(plan.attribute.capitalize(), plan.attribute)
    source = find_source(game.sheet(who), plan.skill)
    if plan.attribute and not source.skill:
        raise InvalidInput(
            "mb-no-attribute-here", field="attribute", value=plan.attribute, name=source.name
        )
    return source


def rated_by(
    game: Game,
    who: str,
    plan: Plan,
    more: int = 0,
    *,
    case: SkillUse | None = None,
    acting: bool = False,
    passive: bool = False,
    opened: bool = False,
) -> Rating:
    """Return the rating of a plan, in a *case* of the skill, with *more* added to it.

    It is the rating of whichever side has the plan. A cause added here counts in skill checks and
    contests, not in attacks: those ask `source_rating` themselves, where a cause of every roll
    belongs.

    Raises as `means_of`, `source_rating` and `_source_for_use`.
    """
    source, rare = means_of(game, who, plan), 0
    if case is not None:
        source = _source_for_use(game, who, source, case)
        # How rare a vehicle is counts for characters without any adds.
        rare = skills.rows_modifier(source.skill, tuple(case.rows)) if source.skill in RARE else 0
    rating = source_rating(
        game,
        who,
        source,
        attribute_instead=plan.attribute,
        passive=passive,
        rare=rare,
        opened=opened,
    )
    turns = turns_of(game, who) if acting else ()
    rating = rating.with_causes(*turns, *nonzero_causes(("modifier", more)))
    return rating.with_floor(ACTIVE_DEFENSE_FLOOR if plan.active else None)


def actor_rated(
    game: Game, check: AnyAttempt, data: Attempt, case: SkillUse | None = None
) -> Rating:
    """Return the actor's rating as it is now. Raises as `rated_by`.

    A cause of the actor in one check belongs here. It counts neither for the target nor in attacks.
    """
    acting = is_own_action(game, check.actor, free=data.free)
    opened = card_windows.is_training_waived(data.effects, check.actor, MINE)
    modifier = data.effective_ruling.modifier
    rating = rated_by(
        game, check.actor, data.request, modifier, case=case, acting=acting, opened=opened
    )
    return rating.with_causes(*panic_causes(game, check.actor))


def _source_for_use(game: Game, who: str, source: RollSource, case: SkillUse) -> RollSource:
    """Return the source of a roll for one use of a skill.

    Scholar may be rolled as Science, and adds in Survival fall in unfamiliar places.

    Raises:
        Impossible("mb-trained-only"): science or a miracle without training.
        Impossible("mb-not-ordained"): a layman's miracle, at tables that rule them out.
        InvalidInput("mb-place-unclear"): the GM has to say how familiar a place is.
    """
    given, name = case.given, game.character(who).name
    if skill_rules.SCIENCE in given:
        mind = attribute(game.sheet(who), source.attribute)
        value, possible = science_value(mind, source.adds)
        if not possible:
            raise Impossible("mb-trained-only", name="Science", who=name)
        source = source.replace(adds=value - mind)
    elif skill_rules.FEEDBACK in given:
        _require_miracle_worker(game, who, source, case)

    place: str | None = None
    if source.skill == _SURVIVAL:
        place = next((row for row in case.rows if row in PLACES), None)
    if skill_rules.PLACE in given:
        focus, said = source.focus.casefold(), given[skill_rules.PLACE][0]
        place = environment_relation(focus, said)
        if place is None:
            raise InvalidInput("mb-place-unclear", field="given", value=said, focus=focus or None)
    return source.replace(adds=usable_adds(source.adds, place)) if place else source


def _require_miracle_worker(game: Game, who: str, source: RollSource, case: SkillUse) -> None:
    """Refuse a special effect by skill to characters who can't work it.

    Raises:
        Impossible("mb-trained-only"): the character has no adds.
        Impossible("mb-not-ordained"): a layman's miracle, at tables that rule them out.
    """
    name = game.character(who).name
    if not source.all_adds:
        raise Impossible("mb-trained-only", name=source.name, who=name)
    if source.skill != _FAITH or not game.setting("faith_miracles_professionals_only"):
        return
    ordained = skill_rules.ORDAINED
    if ordained not in case.given and not marks_of(game.state, who, ordained):
        raise Impossible("mb-not-ordained", who=name)


def case_of(game: Game, who: str, plan: Plan, said: Plan, value: int = 0) -> SkillUse:
    """Return the use of a skill as it was said, rolled with *value*. Raises as `means_of`."""
    source = means_of(game, who, plan)
    given = skill_rules.inputs_by_name(said.given)
    rows = [split_row(row)[0] for row in said.rows]
    return SkillUse(source.skill, given, game.setting, rows, source.all_adds, value)


def chosen_rows_of(skill: str, keys: Iterable[str]) -> Iterable[skills.ChartRow]:
    """Return the rows of a skill's charts among *keys*, without places."""
    return skills.chosen_rows(skill, [key for key in keys if key not in places_of(skill)])


def _shifts(skill: str, numbers: Mapping[str, int | None]) -> list[tuple[str, int]]:
    """Return what chosen rows add to the difficulty, by their codes."""
    kind = skills.SKILLS.get(skill)
    rows = chosen_rows_of(skill, numbers)
    if skill in RARE or (kind is not None and kind.later):
        return []
    shifts: list[tuple[str, int]] = []
    for row in rows:
        if row.dn is None:
            worth = skills.row_value(row, numbers.get(row.id))
            shifts.append((row.code, -worth if row.attempt else worth))
    return shifts


#: Function that returns a check's data with what the sheets have now.
Look = Callable[[Game, AnyAttempt, Any], Any]


def refresh_from_sheets(game: Game, check: AnyAttempt, data: Attempt) -> Attempt:
    """Return the data with ratings, difficulty and shifts as the sheets have them now."""
    said, target = data.effective_ruling, check.target
    numbers = dict(split_row(row) for row in said.rows)
    case = case_of(game, check.actor, data.request, said)
    skill = case.skill
    mine = actor_rated(game, check, data, case)
    mine = mine.with_causes(*skill_rules.input_causes(case))
    causes = option_causes(game, check, data)
    mine = with_option_causes(mine, causes)
    data = data.replace(hidden_shifts=causes.difficulty)
    harder = nonzero_causes(("harder", said.harder))

    if data.opposed:
        shifts = [*_shifts(skill, numbers), *harder]
        side, theirs = data.defense, None
        if side is not None and target is not None:
            side, theirs = _resisting(game, target, side, INTERACTIONS.get(skill))
            theirs = theirs.with_causes(*shifts)
            data, theirs = with_resistance_causes(game, target, side, data, theirs, causes)
        return data.replace(mine=mine, theirs=theirs, defense=side)

    if PERSONS in numbers:
        first = game.setting("track_first_person_counts")
        numbers[PERSONS] = tracked_count(numbers[PERSONS] or 1, first)
    shifts = _shifts(skill, numbers)
    kind = skills.SKILLS.get(skill)
    if kind is not None and not kind.measured and not said.difficulty:
        # Without a difficulty, shifts count against the total.
        against = [(code, -number) for code, number in shifts]
        return data.replace(mine=mine.with_causes(*against), number=None, shifts=())
    base = difficulty_number(said.difficulty) if said.difficulty else 0
    shifts += [*skill_rules.difficulty_causes(case.replace(value=mine.value)), *harder]
    number = None if base is None else base + sum(shift for _, shift in shifts)
    return data.replace(mine=mine, number=number, shifts=tuple(shifts))


def option_causes(game: Game, check: AnyAttempt, data: Attempt) -> RollCauses:
    """Return what options bring to an attempt (MB-BG-15)."""
    subject = attempt_subject(game, check.replace(data=data))
    if subject is None:
        return RollCauses()
    words = data.effective_ruling.situations
    return background_causes.roll_causes(game, subject, words, answered=bool(data.answered_by))


def with_option_causes(mine: Rating, causes: RollCauses) -> Rating:
    """Return the actor's rating with what options add to it."""
    return mine.with_causes(*causes.total, bonuses=(*mine.bonuses, *causes.bonus))


def with_resistance_causes(
    game: Game, who: str, side: Plan, data: Any, theirs: Rating, causes: RollCauses
) -> tuple[Any, Rating]:
    """Return an attempt, and the rating of its target, with what the target's options change."""
    source = means_of(game, who, side)
    key = side.attribute or source.attribute
    found = background_causes.resistance_difficulties(game, who, source, key)
    data = data.replace(hidden_shifts=(*causes.difficulty, *found))
    if side.active:
        theirs = theirs.replace(bonuses=(*theirs.bonuses, *causes.target_bonus))
    return data, theirs


def _resisting(
    game: Game, who: str, side: Plan, kind: InteractionKind | None
) -> tuple[Plan, Rating]:
    """Return the plan and the rating with which the other side of a contest resists."""
    source = means_of(game, who, side)
    bare = kind is not None and source.skill in ("", kind.resisting) and not source.all_adds
    if kind is not None and bare:
        # Without adds an Attribute resists, untrained, and not always the skill's own
        # (MB-SKILL-WILLPOWER).
        side = side.replace(skill="", attribute=side.attribute or kind.resisting_attribute)
    # A character who chose to resist before its last action still resists.
    acting = side.active and not has_done_all(game, who)
    rating = rated_by(game, who, side, acting=acting, passive=not side.active)
    return side, rating.replace(trained=rating.trained and not bare)


def is_measured(name: str) -> bool:
    """Return whether a skill, by the name of a roll's source, always has a difficulty."""
    kind = skills.SKILLS.get(name.partition(":")[0].partition(" (")[0])
    return kind is None or kind.measured


def require(game: Game, check: AnyAttempt) -> None:
    """Raise if a side can no longer carry out its plan.

    Raises:
        Impossible("gone"): a character has left the game.
        NotFound: a sheet no longer has what is rolled.
    """
    for who, plan in ((check.actor, check.data.request), (check.target, check.data.defense)):
        if who is not None and plan is not None and (plan.skill or plan.attribute):
            means_of(game, who, plan)
