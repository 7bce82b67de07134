"""What a skill's own rule makes of a total, and what it goes against where nobody says: one row for
each use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Final

from rules.core.errors import InvalidInput
from rules.core.record import Record
from rules.systems.masterbook.formulas import (
    multi_actions,
    skill_numbers,
    skills,
    success_chart,
)
from rules.systems.masterbook.formulas.reference_rows import Causes
from rules.systems.masterbook.formulas.skills import INPUTS, SKILLS, Input, Setting
from rules.table.state import Reveal

#: What counts for a use of a skill besides its rows, by the name of an input.
Given = Mapping[str, tuple[str, ...]]
SCIENCE, PLACE, FEEDBACK, ORDAINED = "science", "place", "feedback", "ordained"
#: The row of disguises that is about a certain person, and that for disguising somebody else.
_PERSON, _OTHER = "specific_person", "other_character"
_SPECIAL: Final = INPUTS[FEEDBACK].skills


# --- what is said ---------------------------------------------------------------------------------


def inputs_of(skill: str) -> tuple[Input, ...]:
    """What can be said for uses of a skill."""
    return tuple([each for each in INPUTS.values() if skill in each.skills])


def read_input(skill: str, text: str) -> str:
    """`size 4 2 1`, `disguise 17 solid`: an input of the skill in its one form.

    InvalidInput("mb-input-unfit") for what it has no use for, ("mb-input-numbers") for other
    numbers than it takes.
    """
    name, *words = text.casefold().replace(":", " ").split() or [""]
    found = next((each for each in inputs_of(skill) if each.id == name), None)
    if found is None:
        raise unfit_input_error(skill, text)
    if found.words:
        fits = len(words) == 1 and words[0] in skill_numbers.PLACES
    else:
        numbers = [_number(each) for each in words]
        fits = found.least <= len(numbers) <= found.most
        fits = fits and all(
            each is not None and found.low <= each <= found.high for each in numbers
        )
        fits = fits and (
            found.exact or all(each is None or each.denominator == 1 for each in numbers)
        )
    if not fits:
        raise InvalidInput(
            "mb-input-numbers", field="given", value=text[:100], example=found.example
        )
    return " ".join([name, *words])


def unfit_input_error(skill: str, text: str) -> InvalidInput:
    """That a skill has no use for something, and for what it has."""
    about = {"skill": skill or None, "allowed": tuple([each.example for each in inputs_of(skill)])}
    return InvalidInput("mb-input-unfit", field="given", value=text[:100], **about)


def _number(text: str) -> Fraction | None:
    """A number, or the rank of a level by its name."""
    if text in success_chart.ladder("general"):
        return Fraction(success_chart.ladder("general").index(text))
    plain = text.replace(".", "", 1)
    return Fraction(text) if plain.isascii() and plain.isdigit() and len(text) <= 8 else None


def inputs_by_name(words: Iterable[str]) -> Given:
    """Inputs as they have been read, by name."""
    return {name: tuple(rest) for name, *rest in [each.split() for each in words]}


# --- a use ----------------------------------------------------------------------------------------


class SkillUse(Record):
    """A skill as it is used: what was said for it, the ids of `rows`, adds and value of who does
    it, the settings.
    """

    skill: str
    given: Given
    setting: Setting
    rows: Iterable[str] = ()
    adds: int = 0
    value: int = 0

    def numbers(self, name: str) -> tuple[int, ...]:
        """Whole numbers of an input; none where it was not said."""
        return tuple([int(_number(each) or 0) for each in self.given.get(name, ())])

    def number(self, name: str, usual: int = 0) -> int:
        """The first of them."""
        return next(iter(self.numbers(name)), usual)


class SkillTotal(Record):
    """What was reached: the total, and result points where it went against something."""

    total: int
    points: int | None = None

    @property
    def success(self) -> bool:
        """Whether it was enough; nothing to reach is."""
        return self.points is None or self.points >= 0

    @property
    def rank(self) -> int:
        """That of its level, 0 for a failure."""
        return 0 if self.points is None or self.points < 0 else success_chart.rank(self.points)


#: Who must not read what tells the result points, and what tells the total.
POINTS: Final[tuple[Reveal, ...]] = ("verdict",)
TOTAL: Final[tuple[Reveal, ...]] = ("degree",)


class Consequence(Record):
    """Something that follows: `what`, with a number, or in the words of a chart's `row`.

    It `tells` too much to those who read of a hidden number the "verdict" and the total alone: by
    how much that was enough; or to those who read the "degree" alone: what the total is.
    """

    what: str
    number: int | None = None
    row: str = ""
    of: int | None = None
    tells: tuple[Reveal, ...] = ()


Consequences = Iterable[Consequence]


def _told(what: str, number: int | None) -> Consequences:
    """A number that gives the result points away; nothing where there is none."""
    return () if number is None else (Consequence(what, number, tells=POINTS),)


class SkillRule(Record):
    """A use of these skills for which everything that it `needs` was said.

    `number` is what it goes against where nobody says anything else, `harder` what moves that, by
    codes of rows; `tells` is what follows from what was reached.
    """

    skills: tuple[str, ...]
    needs: tuple[str, ...] = ()
    number: Callable[[SkillUse], int] | None = None
    harder: Callable[[SkillUse], Causes] = lambda case: ()
    tells: Callable[[SkillUse, SkillTotal], Consequences] = lambda case, total: ()


#: What a row gives away by how it is read.
_GIVES: Final[Mapping[str, tuple[Reveal, ...]]] = {"level": POINTS, "total": TOTAL, "adds": ()}


def _read(reads: str) -> Callable[[SkillUse, SkillTotal], Consequences]:
    """What the chart of results says of a level, a total or adds."""

    def tells(case: SkillUse, total: SkillTotal) -> Consequences:
        found = skills.result_chart(case.skill)
        assert found is not None, "only skills that have one"
        at = {"level": total.rank, "total": total.total, "adds": case.adds}[reads]
        row = skills.read_off(found.rows, at)
        return () if row is None else (Consequence("row", row=row.code, tells=_GIVES[reads]),)

    return tells


def _watched(case: SkillUse) -> int:
    """The difficulty of getting past all of them (MB-SKILL-STEALTH)."""
    found = case.numbers("watchers")
    if case.setting("stealth_many_watchers") == "many_on_one":
        return skill_numbers.stealth_difficulty(found, multi_actions.group_modifiers(len(found))[0])
    return max(
        [
            each - multi_actions.multi_action_penalty(rank, len(found))
            for rank, each in enumerate(found, 1)
        ]
    )


def _unnoticed(case: SkillUse, total: SkillTotal) -> Consequences:
    found = case.numbers("watchers")
    if len(found) > 1 and case.setting("stealth_many_watchers") == "multi_target":
        reached = total.total - skills.rows_modifier(case.skill, case.rows)
        past = [
            reached + multi_actions.multi_action_penalty(rank, len(found)) >= each
            for rank, each in enumerate(found, 1)
        ]
        yield Consequence("unnoticed", sum(past), of=len(found), tells=(*POINTS, *TOTAL))
    if total.success:
        yield Consequence("noticing", total.total, tells=TOTAL)


def _disguised(case: SkillUse, total: SkillTotal) -> Consequences:
    yield from _read("level")(case, total) if total.success else ()
    if _PERSON in case.rows and total.points is not None:
        points = -skill_numbers.stranger_difficulty(-total.points)
        yield Consequence(
            "stranger", row=success_chart.success_level(points) if points >= 0 else "", tells=POINTS
        )
    yield Consequence("second_look", total.total, tells=TOTAL)


def _looks(case: SkillUse, total: SkillTotal) -> Consequences:
    disguise, rank = (*case.numbers("disguise"), 0)[:2]
    if skill_numbers.is_disguise_detected(disguise, total.total):
        out = rank and skill_numbers.is_wearer_recognized(disguise, total.total, rank)
        yield Consequence("made_out" if out else "seen_through", tells=TOTAL)


def _trail(case: SkillUse) -> Causes:
    """A trail hidden by totals, against what the tracker rolls with (MB-SKILL-TRACKING)."""
    hidden = [case.number(each, case.value - 1) for each in ("stealth", "survival")]
    ranks = [success_chart.rank(each - case.value) for each in hidden]
    row, levels = skill_numbers.hidden_trail(*ranks)
    (found,) = skills.chosen_rows("Tracking", [row])
    return ((found.code, skills.row_value(found, levels)),) if levels else ()


def _special(case: SkillUse, total: SkillTotal) -> Consequences:
    left = skill_numbers.backlash(
        -1 if total.points is None else total.points, case.number(FEEDBACK)
    )
    if not total.success:
        return
    yield from _told("effect", left.bonus or None)
    if {"effect", "mass"} <= set(case.given):
        effect = case.number("effect") + left.bonus
        here = skill_numbers.can_summon(effect, case.number("mass"), case.number("resisted"))
        yield Consequence("here" if here else "not_here", tells=POINTS)


#: The first that fits counts.
SKILL_RULES: Final = (
    SkillRule(
        ("Camouflage",),
        ("size",),
        lambda case: sum(
            skill_numbers.size_values([_number(each) or 0 for each in case.given["size"]])
        ),
        tells=lambda case, total: _told(
            "spot",
            skill_numbers.spot_number(
                total.points or 0, skills.rows_modifier(case.skill, case.rows)
            ),
        ),
    ),
    SkillRule(
        ("Demolitions",),
        ("explosive",),
        lambda case: skill_numbers.packing_difficulty(case.number("explosive")),
        tells=lambda case, total: _told(
            "packed",
            skill_numbers.packed_damage_value(case.number("explosive"), total.points or 0)
            if total.success
            else None,
        ),
    ),
    SkillRule(
        ("Demolitions",),
        ("toughness",),
        tells=lambda case, total: [
            Consequence(
                "wrecking",
                skill_numbers.wrecking_damage(case.number("toughness"), case.number("wounds", 1)),
            )
            for _ in range(total.success)
        ],
    ),
    SkillRule(
        ("Forgery",), tells=lambda case, total: [Consequence("inspector", total.total, tells=TOTAL)]
    ),
    SkillRule(("Artist",), tells=_read("total")),
    SkillRule(("Prestidigitation", "Scholar"), tells=_read("level")),
    SkillRule(("Language",), tells=_read("adds")),
    SkillRule(("Stealth",), ("watchers",), _watched, tells=_unnoticed),
    SkillRule(("Stealth",), tells=_unnoticed),
    SkillRule(
        ("Disguise",),
        (),
        lambda case: skill_numbers.disguise_base(_OTHER in case.rows),
        tells=_disguised,
    ),
    SkillRule(
        ("Perception",), ("disguise",), lambda case: case.number("disguise") + 1, tells=_looks
    ),
    SkillRule(("Tracking",), (), lambda case: SKILLS["Tracking"].base or 0, harder=_trail),
    SkillRule(_SPECIAL, (FEEDBACK,), tells=_special),
)
_PLAIN: Final = SkillRule(())


def rule_for(case: SkillUse) -> SkillRule:
    """What the skill is used for, by what was said; where no rule of its own applies, one of which
    nothing follows.
    """
    found = (
        each
        for each in SKILL_RULES
        if case.skill in each.skills and set(each.needs) <= set(case.given)
    )
    return next(found, _PLAIN)


def number_for(case: SkillUse, *, asked: bool = False) -> int | None:
    """What it goes against where nobody says; None where somebody has to.

    As it is `asked` for, only where that follows from what was said.
    """
    use = rule_for(case)
    return None if use.number is None or (asked and not use.needs) else use.number(case)


def consequences_of(case: SkillUse, total: SkillTotal) -> tuple[Consequence, ...]:
    """What follows from what was reached."""
    return tuple(rule_for(case).tells(case, total))


def difficulty_causes(case: SkillUse) -> Causes:
    """What moves the difficulty besides rows that were chosen, by their codes."""
    return rule_for(case).harder(case)


def input_causes(case: SkillUse) -> Causes:
    """What inputs add to the total by themselves, such as a disguise kit."""
    found = [each.id for each in inputs_of(case.skill) if each.adds and each.id in case.given]
    return tuple([(each, case.number(each)) for each in found])
