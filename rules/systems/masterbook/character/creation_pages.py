"""Steps of making a character (MB-CHAR-01, MB-CHAR-02, MB-CHAR-08, MB-CHAR-20, MB-BG-01).

GMs change characters in play by the same pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final, cast

from rules.core.errors import RulesError
from rules.systems.masterbook.character import effect_pages, option_drafts, skill_forms
from rules.systems.masterbook.character.background_pages import ADVANTAGES_PAGE, COMPENSATIONS_PAGE
from rules.systems.masterbook.character.creation_budget import Points, budget
from rules.systems.masterbook.character.creation_findings import attribute_range
from rules.systems.masterbook.character.creation_rules import CreationRules, creation_rules
from rules.systems.masterbook.character.derived_values import capacity_of, rates_of, toughness_of
from rules.systems.masterbook.character.drafts import Draft, drafted_sheet, hidden_field_error
from rules.systems.masterbook.character.findings import number_text
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.raw_sheet import raw_sheet
from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute, option_effects
from rules.systems.masterbook.character.sheet_io import CHARACTER
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.character.skill_points import (
    meets_theme_quota,
    skill_budget,
    theme_halves,
    theme_quota,
)
from rules.systems.masterbook.formulas import equipment
from rules.systems.masterbook.formulas.option_kinds import (
    BACKGROUND_ROWS,
    EFFECTS_SKILLS,
    BackgroundRows,
    Species,
)
from rules.systems.masterbook.formulas.skills import (
    SKILLS,
    ValueName,
    has_specializations,
    knowledge,
    quality,
)
from rules.table.blocks import Text
from rules.table.forms.entry_fields import Rows
from rules.table.forms.fields import FormContext, Option, Pick
from rules.table.forms.form import Form
from rules.table.system import Game, Page

#: Adds, and columns of options, from which on a reason is asked for (MB-BG-11).
_REASON_ADDS: Final = 3
_REASON_COLUMN: Final = 3
#: Attribute that a new character begins with.
_FIRST_VALUE: Final = 8
#: Highest number of skills whose level of knowledge a step tells.
_KNOWN_MOST: Final = 12
#: Questions about the story, by their key in `mb-story-question` (MB-BG-11).
_STORY_QUESTIONS: Final = ("birth", "childhood", "experiences", "reason", "situation")


def _step(what: str) -> Text:
    return Text("mb-step", {"what": what})


def _about(what: str) -> Text:
    return Text("mb-step-about", {"what": what})


def _grade_lines(graded: Iterable[tuple[str, ValueName | None]]) -> tuple[Text, ...]:
    """Return one line with the names of each grade; none if nothing is graded."""
    names_by_grade: dict[str, list[str]] = {}
    for name, grade in graded:
        if grade is not None:
            names_by_grade.setdefault(grade.words, []).append(name)
    if not names_by_grade:
        return ()
    items = [
        Text("mb-creation-grade", {"names": tuple(names), "grade": grade})
        for grade, names in names_by_grade.items()
    ]
    return (Text("mb-creation-grades", {"items": tuple(items)}),)


# --- who ------------------------------------------------------------------------------------------


def _species_rows(campaign: object) -> tuple[Species, ...]:
    own = campaign.species if isinstance(campaign, BackgroundRows) else ()
    return tuple({row.name: row for row in (*BACKGROUND_ROWS.species, *own)}.values())


def _species_choices(asking: FormContext) -> Iterable[Option]:
    for row in _species_rows(asking.campaign):
        shown = {"name": row.name, "about": row.about or None}
        yield Option(row.name, Text("mb-option-choice", shown))


def _without_species(asking: FormContext, word: str) -> RulesError | None:
    """Return the error for the field of the species if the campaign has none."""
    return None if _species_rows(asking.campaign) else hidden_field_error(asking, word)


_SPECIES: Final = Pick(
    "species",
    title=CHARACTER.by_key["species"].title,
    choices=_species_choices,
    find=lambda asking, text: text.strip(),
    hidden_if=_without_species,
)


def _species_lines(game: Game, draft: Draft) -> tuple[Text, ...]:
    """Return the options, limits and closed skills of the chosen species (MB-BG-09)."""
    rules, sheet = creation_rules(game), drafted_sheet(game, draft)
    species = rules.species_of(sheet.species) if sheet.species else None
    if species is None:
        return ()
    lines: list[Text] = []
    free = [option for option in (*sheet.advantages, *sheet.compensations) if option.free]
    if free:
        options = tuple(option_drafts.option_text(option) for option in free)
        lines.append(Text("mb-species-has", {"options": options}))
    limits = tuple(_species_limits(rules, species))
    if limits:
        lines.append(Text("mb-species-limits", {"limits": limits}))
    if species.forbidden:
        lines.append(Text("mb-species-closed", {"names": species.forbidden}))
    return tuple(lines)


def _species_limits(rules: CreationRules, species: Species) -> Iterable[Text]:
    """Yield the range of each Attribute that the species limits."""
    for key in ATTRIBUTES:
        if key in species.lowest or key in species.highest:
            low, high = attribute_range(rules, species, key)
            shown = {"name": key.capitalize(), "low": low, "high": high}
            yield Text("mb-species-limit", shown)


# --- Attributes -----------------------------------------------------------------------------------


def _attribute_points(game: Game, draft: Draft) -> Points:
    """Return the Attribute points of a draft."""
    return budget(game, drafted_sheet(game, draft)).attributes


def _attributes_head(game: Game, draft: Draft) -> Text:
    points = _attribute_points(game, draft)
    return Text("mb-head-attributes", {"spent": points.spent, "most": points.available})


def _attributes_state(game: Game, draft: Draft) -> Text | None:
    left = _attribute_points(game, draft).left
    return _points_state(left, str(abs(left)))


def _points_state(left: int, number: str) -> Text | None:
    """Return the points that are left or too many; None if all are spent."""
    if not left:
        return None
    return Text("mb-state", {"what": "left" if left > 0 else "over", "n": number})


def _held_attributes(game: Game, draft: Draft) -> tuple[Text, ...]:
    points = _attribute_points(game, draft)
    shown = {"total": points.spent, "most": points.available}
    shown |= {"left": max(0, points.left), "over": max(0, -points.left)}
    return (Text("mb-holds-attributes", shown),)


def _attribute_lines(game: Game, draft: Draft) -> tuple[Text, ...]:
    """Return the Attributes, their grades, Toughness, rates and skill points (MB-CHAR-03)."""
    sheet, rules = drafted_sheet(game, draft), creation_rules(game)
    values = [
        Text("mb-rated", {"name": key.capitalize(), "value": attribute(sheet, key)})
        for key in ATTRIBUTES
    ]
    half = len(ATTRIBUTES) // 2
    capped = game.setting("resist_shock_add_cap")
    tough = {"toughness": toughness_of(sheet), "capacity": capacity_of(sheet, capped)}
    low, high = attribute_range(rules, None, ATTRIBUTES[0])
    grades = _grade_lines((key.capitalize(), quality(attribute(sheet, key))) for key in ATTRIBUTES)
    return (
        Text("mb-creation-values", {"values": tuple(values[:half])}),
        Text("mb-creation-values", {"values": tuple(values[half:])}),
        *grades,
        Text("mb-creation-derived", tough),
        Text("mb-creation-rates", rates_of(sheet)),
        Text("mb-creation-start", {"points": skill_budget(raw_sheet(sheet)) or 0}),
        Text("mb-creation-range", {"low": low, "high": high}),
    )


# --- skills ---------------------------------------------------------------------------------------


def _skills_head(game: Game, draft: Draft) -> Text:
    return skill_forms.skill_points_text(drafted_sheet(game, draft))


def _skill_points(game: Game, draft: Draft) -> Points:
    """Return the skill points of a draft, in halves."""
    return budget(game, drafted_sheet(game, draft)).skill_halves


def _skills_state(game: Game, draft: Draft) -> Text | None:
    left = _skill_points(game, draft).left
    return _points_state(left, _halves_text(abs(left)))


def _halves_text(halves: int) -> str:
    return number_text(Fraction(halves, 2))


def _held_skills(game: Game, draft: Draft) -> tuple[Text, ...]:
    points = _skill_points(game, draft)
    left = points.left
    shown = {
        "spent": _halves_text(points.spent),
        "start": points.available // 2,
        "left": _halves_text(left) if left > 0 else None,
        "over": _halves_text(-left) if left < 0 else None,
    }
    return (Text("mb-holds-skills", shown),)


def _skill_lines(game: Game, draft: Draft) -> tuple[Text, ...]:
    """Return levels of knowledge, limits, and the quota of theme skills (MB-CHAR-14, MB-CHAR-15).

    A skill that no list has, without an Attribute of its own, is a misspelling and has no level.
    """
    sheet = drafted_sheet(game, draft)
    listed = [skill for skill in sheet.skills if skill.name in SKILLS or skill.attribute]
    most: dict[str, int] = {
        "general": game.setting("skill_general_max_creation"),
        "special": game.setting("skill_spec_max_creation"),
        "total": game.setting("skill_total_max_creation"),
    }
    levels = ((skill.title, knowledge(skill.adds)) for skill in listed[:_KNOWN_MOST])
    lines = [*_grade_lines(levels), Text("mb-creation-limits", most)]
    points = skill_budget(raw_sheet(sheet))
    if game.setting("theme_skill_quarter") and points is not None:
        halves = theme_halves(sheet.skills)
        shown = {"spent": _halves_text(halves), "needed": number_text(theme_quota(points))}
        is_met = meets_theme_quota(points, halves)
        lines.append(Text("mb-creation-theme", {**shown, "met": is_met}))
    for skill in listed:
        if skill.specializations and not has_specializations(skill.name):
            lines.append(Text("mb-creation-unlisted", {"name": skill.name}))
    return tuple(lines)


# --- things and story -----------------------------------------------------------------------------


def _thing_lines(game: Game, draft: Draft) -> tuple[Text, ...]:
    """Return how rare the things of a new character may be (MB-EQ-51, MB-BG-24)."""
    return (equipment_text(game, drafted_sheet(game, draft)),)


def equipment_text(game: Game, sheet: MasterbookSheet) -> Text:
    """Return what a new character may have (MB-CHAR-16, MB-EQ-51, MB-BG-24, MB-BG-54)."""
    effects = option_effects(sheet)
    code = equipment.reachable_code(game.setting("base_availability_code"), effects.availability)
    about = {"anything": code is None, "code": code, "poor": effects.poverty}
    return Text("mb-creation-equipment", about)


def _story_lines(game: Game, draft: Draft) -> tuple[Text, ...]:
    """Return the questions about a character's story (MB-BG-11)."""
    sheet = drafted_sheet(game, draft)
    lines = [Text("mb-story-question", {"what": what}) for what in _STORY_QUESTIONS]
    reasons = (*_skills_with_reasons(sheet), *_options_with_reasons(sheet))
    if reasons:
        lines.append(Text("mb-story-reasons", {"names": reasons}))
    return tuple(lines)


def _skills_with_reasons(sheet: MasterbookSheet) -> Iterable[str]:
    """Yield the skills that a story should give a reason for (MB-BG-11)."""
    for skill in sheet.skills:
        kind = SKILLS.get(skill.name)
        if kind is None or not (skill.adds or skill.specializations):
            continue
        trained = kind.untrained == "no" or skill.name in EFFECTS_SKILLS
        if skill.adds >= _REASON_ADDS or trained:
            yield f"{skill.title} {skill.adds}"


def _options_with_reasons(sheet: MasterbookSheet) -> Iterable[str]:
    """Yield the options of high columns that a story should give a reason for (MB-BG-11)."""
    options: Sequence[BackgroundOption] = (*sheet.advantages, *sheet.compensations)
    for option in options:
        if option.column >= _REASON_COLUMN and not option.free:
            yield option.display_name


_STORY_HEAD: Final = Text("mb-head-story")


# --- the steps ------------------------------------------------------------------------------------

_SKILLS_FIELD: Final = cast("Rows", CHARACTER.by_key["skills"]).replace(
    row=skill_forms.skill_form,
    add=skill_forms.skill_starts,
    add_label=Text("mb-skill-add"),
    shows=skill_forms.skill_lines,
    tells=skill_forms.skill_words,
)
_EFFECTS_FIELD: Final = cast("Rows", CHARACTER.by_key["effects"]).replace(
    row=effect_pages.entry_form,
    add=effect_pages.effect_starts,
    add_label=Text("mb-effect-add"),
    shows=effect_pages.effect_preview,
    tells=effect_pages.effect_words,
    opens=effect_pages.entry_draft,
    closes=effect_pages.entry_line,
)
_WHO: Final = CHARACTER.part("name", "height", "weight", "portrait").fields
PAGES: Final = (
    Page("who", Text("step-who"), Form((_WHO[0], _SPECIES, *_WHO[1:])), follows=_species_lines),
    Page(
        "attributes",
        _step("attributes"),
        CHARACTER.part(*ATTRIBUTES),
        follows=_attribute_lines,
        holds=_held_attributes,
        about=_about("attributes"),
        state=_attributes_state,
        head=_attributes_head,
        steppers=ATTRIBUTES,
        stepper=_step("attribute"),
        starts=dict.fromkeys(ATTRIBUTES, _FIRST_VALUE),
    ),
    Page(
        "skills",
        _step("skills"),
        Form((_SKILLS_FIELD,)),
        follows=_skill_lines,
        holds=_held_skills,
        about=_about("skills"),
        state=_skills_state,
        head=_skills_head,
    ),
    ADVANTAGES_PAGE,
    COMPENSATIONS_PAGE,
    Page(
        "effects",
        _step("effects"),
        Form((_EFFECTS_FIELD,)),
        follows=effect_pages.effects_lines,
        about=_about("effects"),
        shown=effect_pages.has_effects_step,
    ),
    Page(
        "things",
        Text("step-things"),
        CHARACTER.part("armour", "arms", "equipment", "notes"),
        follows=_thing_lines,
        about=_about("things"),
    ),
    Page(
        "story",
        Text("sheet-story"),
        CHARACTER.part("sketch"),
        follows=_story_lines,
        head=lambda game, draft: _STORY_HEAD,
    ),
)
