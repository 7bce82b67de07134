"""Rules of single uses of skills: the difficulty if nobody says it, and the consequences.

`SKILL_RULES` has a row for each use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Final

from rules.core.errors import InvalidInput
from rules.core.record import Record
from rules.systems.masterbook.formulas import multi_actions, skill_numbers, skills, success_chart
from rules.systems.masterbook.formulas.reference_rows import Causes
from rules.systems.masterbook.formulas.skills import INPUTS, SKILLS, Input, Setting
from rules.table.state import Reveal

#: Inputs of a use of a skill besides chart rows: the words of each, by its name.
Given = Mapping[str, tuple[str, ...]]
SCIENCE, PLACE, FEEDBACK, ORDAINED = "science", "place", "feedback", "ordained"
#: Chart rows of a disguise as a certain person, and of disguising another character.
_PERSON, _OTHER = "specific_person", "other_character"
_EFFECTS_SKILLS: Final = INPUTS[FEEDBACK].skills
#: Longest number that an input takes.
_LONGEST_NUMBER: Final = 8


# --- inputs ---------------------------------------------------------------------------------------


def inputs_of(skill: str) -> tuple[Input, ...]:
    """Return the inputs that uses of a skill take."""
    return tuple(kind for kind in INPUTS.values() if skill in kind.skills)


def read_input(skill: str, text: str) -> str:
    """Return a typed input of a skill in its one form: `size 4 2 1`, `disguise 17 solid`.

    Raises:
        InvalidInput("mb-input-unfit"): the skill has no use for it.
        InvalidInput("mb-input-numbers"): the input takes other numbers.
    """
    name, *words = text.casefold().replace(":", " ").split() or [""]
    kind = next((kind for kind in inputs_of(skill) if kind.id == name), None)
    if kind is None:
        raise unfit_input_error(skill, text)
    if not _are_words_of(kind, words):
        raise InvalidInput(
            "mb-input-numbers", field="given", value=text[:100], example=kind.example
        )
    return " ".join([name, *words])


def _are_words_of(kind: Input, words: list[str]) -> bool:
    """Return whether an input takes these words: a place, or so many numbers of its range."""
    if kind.words:
        return len(words) == 1 and words[0] in skill_numbers.PLACES
    if not kind.least <= len(words) <= kind.most:
        return False
    for word in words:
        number = _number(word)
        if number is None or not kind.low <= number <= kind.high:
            return False
        if not kind.exact and number.denominator != 1:
            return False
    return True


def unfit_input_error(skill: str, text: str) -> InvalidInput:
    """Return the error of an input that a skill has no use for; it names those that it has."""
    examples = tuple(kind.example for kind in inputs_of(skill))
    about = {"skill": skill or None, "allowed": examples}
    return InvalidInput("mb-input-unfit", field="given", value=text[:100], **about)


def _number(text: str) -> Fraction | None:
    """Return a number, or the rank of a level that the text names; None for neither."""
    levels = success_chart.ladder("general")
    if text in levels:
        return Fraction(levels.index(text))
    plain = text.replace(".", "", 1)
    is_number = plain.isascii() and plain.isdigit() and len(text) <= _LONGEST_NUMBER
    return Fraction(text) if is_number else None


def inputs_by_name(words: Iterable[str]) -> Given:
    """Return inputs as `read_input` returns them, by name."""
    inputs: dict[str, tuple[str, ...]] = {}
    for text in words:
        name, *rest = text.split()
        inputs[name] = tuple(rest)
    return inputs


# --- a use ----------------------------------------------------------------------------------------


class SkillUse(Record):
    """A use of a skill."""

    skill: str
    given: Given
    #: Settings of the table.
    setting: Setting
    #: Ids of the chosen chart rows.
    rows: Iterable[str] = ()
    #: Adds and value of the acting character.
    adds: int = 0
    value: int = 0

    def numbers(self, name: str) -> tuple[int, ...]:
        """Return the whole numbers of an input; none if it wasn't given."""
        return tuple(int(_number(word) or 0) for word in self.given.get(name, ()))

    def number(self, name: str, usual: int = 0) -> int:
        """Return the first number of an input, or the usual one if it wasn't given."""
        return next(iter(self.numbers(name)), usual)


class SkillTotal(Record):
    """Result of a use."""

    total: int
    #: Result points; None: there was no number to reach.
    points: int | None = None

    @property
    def success(self) -> bool:
        """Whether the total was enough; without a number it is."""
        return self.points is None or self.points >= 0

    @property
    def rank(self) -> int:
        """Rank of the success level, 0 for a failure."""
        return 0 if self.points is None or self.points < 0 else success_chart.rank(self.points)


#: Players who must not read what tells the result points, and what tells the total, by what they
#: read of a hidden number.
POINTS: Final[tuple[Reveal, ...]] = ("verdict",)
TOTAL: Final[tuple[Reveal, ...]] = ("degree",)


class Consequence(Record):
    """A consequence of a use."""

    what: str
    number: int | None = None
    #: Code of a chart row whose words say it.
    row: str = ""
    #: Number of characters that `number` counts some of.
    of: int | None = None
    #: Players to whom it tells too much: those who read only the "verdict" of a hidden number
    #: would learn the result points, those who read only the "degree" would learn the total.
    tells: tuple[Reveal, ...] = ()


Consequences = Iterable[Consequence]


def _points_consequence(what: str, number: int | None) -> Consequences:
    """Return the consequence of a number that tells the result points; none without a number."""
    return () if number is None else (Consequence(what, number, tells=POINTS),)


class SkillRule(Record):
    """A rule of a use of skills."""

    skills: tuple[str, ...]
    #: Inputs that the use must have; without them the rule doesn't apply.
    needs: tuple[str, ...] = ()
    #: Returns the number that the use goes against if nobody says another.
    number: Callable[[SkillUse], int] | None = None
    #: Returns the modifiers of that number, by codes of chart rows.
    harder: Callable[[SkillUse], Causes] = lambda case: ()
    #: Returns the consequences of a result.
    tells: Callable[[SkillUse, SkillTotal], Consequences] = lambda case, total: ()


# --- rules of single skills -----------------------------------------------------------------------

#: Players to whom a row tells too much, by the number that it's read off by.
_ROW_TELLS: Final[Mapping[str, tuple[Reveal, ...]]] = {"level": POINTS, "total": TOTAL, "adds": ()}


def _chart_reader(reads: str) -> Callable[[SkillUse, SkillTotal], Consequences]:
    """Return the function that reads the skill's chart of results by a level, a total or adds."""

    def read_chart(case: SkillUse, total: SkillTotal) -> Consequences:
        chart = skills.result_chart(case.skill)
        assert chart is not None, "only skills that have one"
        number = {"level": total.rank, "total": total.total, "adds": case.adds}[reads]
        row = skills.read_off(chart.rows, number)
        return () if row is None else (Consequence("row", row=row.code, tells=_ROW_TELLS[reads]),)

    return read_chart


def _object_size(case: SkillUse) -> int:
    """Return the difficulty of hiding an object, by its measures (MB-SKILL-CAMOUFLAGE)."""
    meters = [_number(word) or 0 for word in case.given["size"]]
    return sum(skill_numbers.size_values(meters))


def _spotting(case: SkillUse, total: SkillTotal) -> Consequences:
    """Return the difficulty to spot a hidden object (MB-SKILL-CAMOUFLAGE)."""
    conditions = skills.rows_modifier(case.skill, case.rows)
    return _points_consequence("spot", skill_numbers.spot_number(total.points or 0, conditions))


def _packing(case: SkillUse, total: SkillTotal) -> Consequences:
    """Return the damage value of an explosive after a success (MB-SKILL-DEMOLITIONS)."""
    if not total.success:
        return ()
    value = skill_numbers.packed_damage_value(case.number("explosive"), total.points or 0)
    return _points_consequence("packed", value)


def _wrecking(case: SkillUse, total: SkillTotal) -> Consequences:
    """Yield the damage that wrecks an object, after a success (MB-SKILL-DEMOLITIONS)."""
    if total.success:
        needed = skill_numbers.wrecking_damage(case.number("toughness"), case.number("wounds", 1))
        yield Consequence("wrecking", needed)


def _inspecting(case: SkillUse, total: SkillTotal) -> Consequences:
    """Yield the difficulty of a forgery's inspectors (MB-SKILL-FORGERY)."""
    yield Consequence("inspector", total.total, tells=TOTAL)


def _watchers_difficulty(case: SkillUse) -> int:
    """Return the difficulty of getting past all watchers (MB-SKILL-STEALTH)."""
    perceptions = case.numbers("watchers")
    count = len(perceptions)
    if case.setting("stealth_many_watchers") == "many_on_one":
        more = multi_actions.group_modifiers(count).difficulty
        return skill_numbers.stealth_difficulty(perceptions, more)
    difficulties: list[int] = []
    for rank, perception in enumerate(perceptions, 1):
        difficulties.append(perception - multi_actions.multi_action_penalty(rank, count))
    return max(difficulties)


def _sneaking(case: SkillUse, total: SkillTotal) -> Consequences:
    """Yield the watchers who notice nothing, and the number to notice (MB-SKILL-STEALTH)."""
    perceptions = case.numbers("watchers")
    count = len(perceptions)
    if count > 1 and case.setting("stealth_many_watchers") == "multi_target":
        stealth = total.total - skills.rows_modifier(case.skill, case.rows)
        passed = 0
        for rank, perception in enumerate(perceptions, 1):
            passed += stealth + multi_actions.multi_action_penalty(rank, count) >= perception
        yield Consequence("unnoticed", passed, of=count, tells=(*POINTS, *TOTAL))
    if total.success:
        yield Consequence("noticing", total.total, tells=TOTAL)


def _disguising(case: SkillUse, total: SkillTotal) -> Consequences:
    """Yield the quality of a disguise, that for strangers, and the number of a second look.

    (MB-SKILL-DISGUISE)
    """
    if total.success:
        yield from _chart_reader("level")(case, total)
    if _PERSON in case.rows and total.points is not None:
        points = -skill_numbers.stranger_difficulty(-total.points)
        level = success_chart.success_level(points) if points >= 0 else ""
        yield Consequence("stranger", row=level, tells=POINTS)
    yield Consequence("second_look", total.total, tells=TOTAL)


def _second_look(case: SkillUse, total: SkillTotal) -> Consequences:
    """Yield whether a second look sees through a disguise, or recognizes the wearer."""
    disguise, rank = (*case.numbers("disguise"), 0)[:2]
    if skill_numbers.is_disguise_detected(disguise, total.total):
        recognized = rank and skill_numbers.is_wearer_recognized(disguise, total.total, rank)
        yield Consequence("made_out" if recognized else "seen_through", tells=TOTAL)


def _hidden_trail(case: SkillUse) -> Causes:
    """Return the modifier of a trail that the quarry hid (MB-SKILL-TRACKING).

    The quarry's totals count against the tracker's value.
    """
    unhidden = case.value - 1
    stealth = success_chart.rank(case.number("stealth", unhidden) - case.value)
    survival = success_chart.rank(case.number("survival", unhidden) - case.value)
    row_id, levels = skill_numbers.hidden_trail(stealth, survival)
    if not levels:
        return ()
    (row,) = skills.chosen_rows("Tracking", [row_id])
    return ((row.code, skills.row_value(row, levels)),)


def _casting(case: SkillUse, total: SkillTotal) -> Consequences:
    """Yield a special effect's bonus and summoning (MB-SKILL-SFX, MB-SKILL-SUMMONING)."""
    if not total.success:
        return
    points = -1 if total.points is None else total.points
    bonus = skill_numbers.backlash(points, case.number(FEEDBACK)).bonus
    yield from _points_consequence("effect", bonus or None)
    if {"effect", "mass"} <= set(case.given):
        effect = case.number("effect") + bonus
        here = skill_numbers.can_summon(effect, case.number("mass"), case.number("resisted"))
        yield Consequence("here" if here else "not_here", tells=POINTS)


#: Rules of uses. Of a skill's rules the first counts whose inputs were given.
SKILL_RULES: Final = (
    SkillRule(("Camouflage",), ("size",), _object_size, tells=_spotting),
    SkillRule(
        ("Demolitions",),
        ("explosive",),
        lambda case: skill_numbers.packing_difficulty(case.number("explosive")),
        tells=_packing,
    ),
    SkillRule(("Demolitions",), ("toughness",), tells=_wrecking),
    SkillRule(("Forgery",), tells=_inspecting),
    SkillRule(("Artist",), tells=_chart_reader("total")),
    SkillRule(("Prestidigitation", "Scholar"), tells=_chart_reader("level")),
    SkillRule(("Language",), tells=_chart_reader("adds")),
    SkillRule(("Stealth",), ("watchers",), _watchers_difficulty, tells=_sneaking),
    SkillRule(("Stealth",), tells=_sneaking),
    SkillRule(
        ("Disguise",),
        (),
        lambda case: skill_numbers.disguise_base(_OTHER in case.rows),
        tells=_disguising,
    ),
    SkillRule(
        ("Perception",),
        ("disguise",),
        lambda case: case.number("disguise") + 1,
        tells=_second_look,
    ),
    SkillRule(("Tracking",), (), lambda case: SKILLS["Tracking"].base or 0, harder=_hidden_trail),
    SkillRule(_EFFECTS_SKILLS, (FEEDBACK,), tells=_casting),
)
_NO_RULE: Final = SkillRule(())


def rule_for(case: SkillUse) -> SkillRule:
    """Return the rule of a use; one without consequences if no rule applies."""
    for rule in SKILL_RULES:
        if case.skill in rule.skills and set(rule.needs) <= set(case.given):
            return rule
    return _NO_RULE


def number_for(case: SkillUse, *, asked: bool = False) -> int | None:
    """Return the number that a use goes against if nobody says it; None if the GM has to.

    While the check is *asked* for, only inputs give a number.
    """
    rule = rule_for(case)
    if rule.number is None or (asked and not rule.needs):
        return None
    return rule.number(case)


def consequences_of(case: SkillUse, total: SkillTotal) -> tuple[Consequence, ...]:
    """Return the consequences of a result."""
    return tuple(rule_for(case).tells(case, total))


def difficulty_causes(case: SkillUse) -> Causes:
    """Return the modifiers of the difficulty besides chosen rows, by their codes."""
    return rule_for(case).harder(case)


def input_causes(case: SkillUse) -> Causes:
    """Return the modifiers that inputs add to the total by themselves, such as a disguise kit."""
    added = [kind.id for kind in inputs_of(case.skill) if kind.adds and kind.id in case.given]
    return tuple((name, case.number(name)) for name in added)
