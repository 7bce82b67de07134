"""Steps of making a character (MB-CHAR-01, MB-CHAR-02, MB-CHAR-08, MB-CHAR-20, MB-BG-01).

GMs change characters in play by the same pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final, cast

from rules.core.errors import InvalidInput, RulesError
from rules.systems.masterbook.character import effect_pages, option_forms, skill_forms
from rules.systems.masterbook.character.creation import (
    attribute_range,
    meets_theme_quota,
    skill_budget,
    theme_halves,
    theme_quota,
)
from rules.systems.masterbook.character.creation_budget import (
    Budget,
    ColumnBudget,
    Points,
    budget,
)
from rules.systems.masterbook.character.derived_values import capacity_of, rates_of, toughness_of
from rules.systems.masterbook.character.drafts import drafted_sheet
from rules.systems.masterbook.character.findings import (
    CreationRules,
    creation_rules,
    number_text,
)
from rules.systems.masterbook.character.option_changes import option_changes
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.raw_sheet import raw_sheet
from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute, option_effects
from rules.systems.masterbook.character.sheet_io import CHARACTER
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.formulas import equipment
from rules.systems.masterbook.formulas.option_kinds import (
    BACKGROUND_ROWS,
    EFFECTS_SKILLS,
    LIST_COLUMNS,
    ROMAN,
    BackgroundRows,
    Side,
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
from rules.table.forms import Form, FormContext, Option, Pick, Rows
from rules.table.system import Game, Page

Draft = Mapping[str, Any]
#: Adds, and columns of options, from which on a reason is asked for (MB-BG-11).
_REASON_ADDS: Final = 3
_REASON_COLUMN: Final = 3
#: Attribute that a new character begins with.
_FIRST_VALUE: Final = 8
#: Skills of which a step tells the level of knowledge.
_KNOWN_MOST: Final = 12
#: Questions about the story, by their key in `mb-story-question` (MB-BG-11).
_STORY_QUESTIONS: Final = ("birth", "childhood", "experiences", "reason", "situation")


def _step(what: str) -> Text:
    return Text("mb-step", {"what": what})


def _about(what: str) -> Text:
    return Text("mb-step-about", {"what": what})


def _hidden_field_error(asking: FormContext, word: str) -> RulesError:
    """Return the error for a field that this table's form doesn't have."""
    return InvalidInput("unknown-option", field="with", value=word, nearest=(), allowed=())


def _grade_lines(graded: Iterable[tuple[str, ValueName | None]]) -> tuple[Text, ...]:
    """Return one line with the names of each grade; none if nothing is graded."""
    names_by_grade: dict[str, tuple[str, ...]] = {}
    for name, grade in graded:
        if grade is not None:
            names_by_grade[grade.words] = (*names_by_grade.get(grade.words, ()), name)
    items = tuple(
        Text("mb-creation-grade", {"names": names, "grade": grade})
        for grade, names in names_by_grade.items()
    )
    return (Text("mb-creation-grades", {"items": items}),) if items else ()


# --- who ------------------------------------------------------------------------------------------


def _species_rows(campaign: object) -> tuple[Species, ...]:
    own = campaign.species if isinstance(campaign, BackgroundRows) else ()
    return tuple({row.name: row for row in (*BACKGROUND_ROWS.species, *own)}.values())


def _species_choices(asking: FormContext) -> Iterable[Option]:
    for row in _species_rows(asking.campaign):
        shown = {"name": row.name, "about": row.about or None}
        yield Option(row.name, Text("mb-option-choice", shown))


def _without_species(asking: FormContext, word: str) -> RulesError | None:
    """Return why the field of the species is not there: the campaign has none."""
    return None if _species_rows(asking.campaign) else _hidden_field_error(asking, word)


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
    given = tuple(
        option_forms.option_text(option)
        for option in (*sheet.advantages, *sheet.compensations)
        if option.free
    )
    limits = tuple(
        Text("mb-species-limit", {"name": key.capitalize(), "low": low, "high": high})
        for key in ATTRIBUTES
        for low, high in (attribute_range(rules, species, key),)
        if key in species.lowest or key in species.highest
    )
    found = [Text("mb-species-has", {"options": given})] if given else []
    if limits:
        found.append(Text("mb-species-limits", {"limits": limits}))
    if species.forbidden:
        found.append(Text("mb-species-closed", {"names": species.forbidden}))
    return tuple(found)


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
    found = [*_grade_lines(levels), Text("mb-creation-limits", most)]
    points = skill_budget(raw_sheet(sheet))
    if game.setting("theme_skill_quarter") and points is not None:
        halves = theme_halves(sheet.skills)
        shown = {"spent": _halves_text(halves), "needed": number_text(theme_quota(points))}
        found.append(Text("mb-creation-theme", {**shown, "met": meets_theme_quota(points, halves)}))
    unlisted = [
        skill for skill in listed if skill.specializations and not has_specializations(skill.name)
    ]
    found += (Text("mb-creation-unlisted", {"name": skill.name}) for skill in unlisted)
    return tuple(found)


# --- background -----------------------------------------------------------------------------------


def _plays_backgrounds(key: str, game: Game, draft: Draft) -> bool:
    """Return whether the table has the step, or the draft something in it."""
    return bool(game.setting("background_generation") or draft.get(key))


def _sheet_budget(game: Game, draft: Draft) -> Budget:
    return budget(game, drafted_sheet(game, draft))


def _advantages_head(game: Game, draft: Draft) -> Text:
    """Return the Advantages of each column, and how many there may be (MB-BG-02)."""
    columns = tuple(
        Text(
            "mb-column-used",
            {"column": ROMAN[each.column], "used": each.used, "limit": each.limit},
        )
        for each in _sheet_budget(game, draft).columns
        if each.limit is None or each.limit or each.used
    )
    preset = str(game.setting("background_limits"))
    named = any(row.name == preset for row in _presets(game))
    shown = preset.replace("_", " ") if named else None
    return Text("mb-head-advantages", {"preset": shown, "columns": columns})


def _presets(game: Game) -> Sequence[Any]:
    return (*creation_rules(game).rows.presets, *BACKGROUND_ROWS.presets)


def _advantages_state(game: Game, draft: Draft) -> Text | None:
    over = sum(column.over for column in _sheet_budget(game, draft).columns)
    return Text("mb-state", {"what": "over", "n": over}) if over else None


def _advantage_lines(game: Game, draft: Draft) -> tuple[Text, ...]:
    """Return what the Advantages change in play."""
    sheet = drafted_sheet(game, draft)
    plain = sheet.replace(advantages=())
    return tuple(option_changes(plain, sheet))


def _compensations_head(game: Game, draft: Draft) -> Text:
    """Return the Compensations that are due and chosen by column (MB-BG-03)."""
    columns = tuple(
        _column_due(each) for each in _sheet_budget(game, draft).columns if each.due or each.chosen
    )
    return Text("mb-head-compensations", {"columns": columns})


def _column_due(each: ColumnBudget) -> Text:
    return Text(
        "mb-column-due", {"column": ROMAN[each.column], "due": each.due, "chosen": each.chosen}
    )


def _compensations_state(game: Game, draft: Draft) -> Text | None:
    missing = sum(column.missing for column in _sheet_budget(game, draft).columns)
    return Text("mb-state", {"what": "missing", "n": missing}) if missing else None


def _compensation_lines(game: Game, draft: Draft) -> tuple[Text, ...]:
    """Return what the Compensations change in play."""
    sheet = drafted_sheet(game, draft)
    return tuple(option_changes(sheet.replace(compensations=()), sheet))


def _option_field(key: str) -> Rows:
    """Return the field of one side, whose entries are pages of their own."""
    side: Side = "advantage" if key == "advantages" else "compensation"
    field = cast("Rows", CHARACTER.by_key[key])
    return field.replace(
        row=option_forms.option_form(side),
        add=option_forms.option_starts(side),
        add_label=Text("mb-option-add", {"side": side}),
        shows=partial(option_forms.option_preview, side),
        tells=partial(option_forms.option_words, side),
        opens=partial(option_forms.opened_line, side),
        closes=partial(option_forms.closed_line, side),
    )


def _without_trades(asking: FormContext, word: str) -> RulesError | None:
    """Return why there are no trades: the table allows none (MB-BG-05 to MB-BG-07)."""
    keys = ("cross_column_selection", "cross_column_up", "compensation_shift")
    if any(asking.game.setting(key) for key in keys):
        return None
    return _hidden_field_error(asking, word)


def _trade_choices(asking: FormContext) -> Iterable[Option]:
    """Yield the trades that the table allows."""
    rules: CreationRules = creation_rules(asking.game)
    columns = range(1, LIST_COLUMNS + 1)
    for given in columns if rules.trades.down else ():
        for wanted in range(1, given):
            shown = {"given": ROMAN[given], "column": ROMAN[wanted], "n": given - wanted + 1}
            line = f"{ROMAN[given]} for {ROMAN[wanted]}"
            yield Option(line, Text("mb-trade-choice", {"way": "down", **shown}))
    for wanted in columns if rules.trades.up else ():
        if wanted > 1:
            given_up = " + ".join([ROMAN[1]] * (wanted + 1))
            shown = {"given": given_up, "column": ROMAN[wanted]}
            line = f"{given_up} for {ROMAN[wanted]}"
            yield Option(line, Text("mb-trade-choice", {"way": "up", **shown}))
    for given in columns if rules.trades.shift else ():
        shown = {"given": ROMAN[given], "column": ROMAN[given + 1]}
        line = f"two Compensations {ROMAN[given]}"
        yield Option(line, Text("mb-trade-choice", {"way": "shift", **shown}))


_TRADES: Final = CHARACTER.by_key["trades"].replace(
    choices=_trade_choices, topic=Text("mb-trade-add"), hidden_if=_without_trades
)


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
    found = [Text("mb-story-question", {"what": what}) for what in _STORY_QUESTIONS]
    reasons = (*_skills_with_reasons(sheet), *_options_with_reasons(sheet))
    if reasons:
        found.append(Text("mb-story-reasons", {"names": reasons}))
    return tuple(found)


def _skills_with_reasons(sheet: MasterbookSheet) -> Iterable[str]:
    for skill in sheet.skills:
        kind = SKILLS.get(skill.name)
        if kind is None or not (skill.adds or skill.specializations):
            continue
        trained = kind.untrained == "no" or skill.name in EFFECTS_SKILLS
        if skill.adds >= _REASON_ADDS or trained:
            yield f"{skill.title} {skill.adds}"


def _options_with_reasons(sheet: MasterbookSheet) -> Iterable[str]:
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
    Page(
        "advantages",
        _step("advantages"),
        Form((_option_field("advantages"), _TRADES)),
        follows=_advantage_lines,
        about=_about("advantages"),
        state=_advantages_state,
        head=_advantages_head,
        shown=partial(_plays_backgrounds, "advantages"),
    ),
    Page(
        "compensations",
        _step("compensations"),
        Form((_option_field("compensations"),)),
        follows=_compensation_lines,
        about=_about("compensations"),
        state=_compensations_state,
        head=_compensations_head,
        shown=partial(_plays_backgrounds, "compensations"),
    ),
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
