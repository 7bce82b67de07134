"""Form of a skill: its Attribute, then the skill, focus, adds and specializations.

MB-CHAR-09 to MB-CHAR-13, MB-SKILL-03.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, cast

from rules.core.errors import InvalidInput, NotFound
from rules.core.json_reader import Reader
from rules.core.name_matching import clean_name, name_key, similar_names, similar_or_first
from rules.systems.masterbook.character.creation_rules import creation_rules
from rules.systems.masterbook.character.drafts import drafted_sheet
from rules.systems.masterbook.character.findings import number_text
from rules.systems.masterbook.character.raw_sheet import raw_sheet
from rules.systems.masterbook.character.sheet import (
    HIGHEST_ADDS,
    MasterbookSheet,
    Skill,
    attribute,
    skills_with_adds,
)
from rules.systems.masterbook.character.sheet_lines import read_skill
from rules.systems.masterbook.character.skill_names import ATTRIBUTES, listed_skill
from rules.systems.masterbook.character.skill_points import skill_budget, spent_halves
from rules.systems.masterbook.formulas import attributes
from rules.systems.masterbook.formulas.skills import SKILLS, SkillKind, needs_focus
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.entry_fields import EntryStart, Scores
from rules.table.forms.fields import FormContext, Number, Option, Pick, Typed, plain_options
from rules.table.forms.form import Form
from rules.table.people.row_fields import LONGEST_ENTRY
from rules.table.system import Game

#: Key in the draft of an entry: the Attribute whose skills are offered. No field has it.
_UNDER: Final = "under"
#: Key in the draft of an entry: whether the skill is the campaign's own. No field has it.
_OWN: Final = "own"
#: Most skills that a search offers.
_MOST_FOUND: Final = 20
#: Adds above those of the sheet that are offered, once these are above the limit of creation.
_MORE_ADDS: Final = 3
#: Distance of the lowest adds in the menu from the highest, at most.
_OFFERED_RANGE: Final = 20


def _label(what: str, **more: Any) -> Text:
    return Text("mb-skill-form", {"what": what, **more})


def skill_starts(asking: FormContext) -> Iterable[EntryStart]:
    """Return the ways to begin a skill: by its Attribute, by its name, or as an own skill."""
    for key in ATTRIBUTES:
        yield Text("mb-skill-start", {"what": "attribute", "name": key.capitalize()}), {_UNDER: key}
    yield Text("mb-skill-start", {"what": "search"}), {}
    yield Text("mb-skill-start", {"what": "own"}), {_OWN: True}


def skill_form(asking: FormContext, draft: Values) -> Form:
    """Return the form of one skill, given its draft."""
    game: Game = asking.game
    typed = str(draft.get("name") or "")
    name = _skill_for(typed)
    kind = SKILLS.get(name)
    if kind is None and (draft.get(_OWN) or draft.get("attribute")):
        return _own_form(asking, draft)
    under = str(draft.get(_UNDER) or "")
    if not under and kind is not None and typed == name:
        under = kind.attribute
    fields: list[Pick | Number | Scores] = [_name_field(game, typed, name, under)]
    if kind is None:
        return Form(tuple(fields))
    if kind.macro or needs_focus(kind, game.setting):
        fields.append(_focus_field(game, kind))
    bought = _drafted_skill(draft, name, clean_name(str(draft.get("focus") or "")))
    sheet = drafted_sheet(game, asking.around)
    fields.append(_adds_field(game, sheet, bought))
    fields.append(_specializations_field(game, sheet, bought, kind))
    return Form(tuple(fields))


def _focus_field(game: Game, kind: SkillKind) -> Pick:
    return Pick(
        "focus",
        title=_label("focus"),
        choices=plain_options(kind.focuses),
        find=lambda asking, text: clean_name(text)[:LONGEST_ENTRY],
        needed=needs_focus(kind, game.setting),
        writable=True,
    )


def _own_form(asking: FormContext, draft: Values) -> Form:
    """Return the form of a skill that no table lists: it has an Attribute of its own."""
    game: Game = asking.game
    sheet = drafted_sheet(game, asking.around)
    choices = tuple(Option(key, Text("mb-attribute", {"key": key})) for key in ATTRIBUTES)
    bought = _drafted_skill(draft, str(draft.get("name") or ""), "")
    return Form(
        (
            Typed("name", title=_label("name"), most=LONGEST_ENTRY, needed=True, read=clean_name),
            Pick("attribute", title=_label("attribute"), choices=choices, needed=True),
            _adds_field(game, sheet, bought),
        )
    )


def _name_field(game: Game, typed: str, name: str, under: str) -> Pick:
    """Return the field of the skill: a menu of an Attribute's skills, or a search.

    *typed* is the text of the draft, *name* the skill that it means.
    """
    names = _skills_of_attribute(game, under) if under else _search_skills(game, name)
    choices = tuple(Option(skill, _skill_option(skill)) for skill in names)
    if name in SKILLS and typed != name and not under:
        choices = (Option(typed, _skill_option(name)),)
    return Pick(
        "name",
        title=_label("skill"),
        help=_label("search"),
        choices=choices,
        find=_find_skill,
        needed=True,
        writable=not under,
    )


def _skill_option(name: str) -> Text:
    """Return the label of a listed skill in a menu."""
    kind = SKILLS[name]
    return Text("mb-skill-option", {"name": name, "about": kind.about, "trained": kind.trained})


def _skills_of_attribute(game: Game, under: str) -> tuple[str, ...]:
    """Return the skills of an Attribute that the setting has, by name."""
    rules = creation_rules(game)
    names = (kind.name for kind in SKILLS.values() if kind.attribute == under)
    return tuple(sorted(name for name in names if not rules.is_barred_skill(name)))


def _search_skills(game: Game, text: str) -> tuple[str, ...]:
    """Return the skills that a typed text may mean, the nearest names first."""
    if not text:
        return ()
    if text in SKILLS:
        return (text,)
    rules = creation_rules(game)
    wanted = name_key(text)
    near = similar_names(text, SKILLS, 0.5)
    about = [kind.name for kind in SKILLS.values() if wanted in name_key(kind.about)]
    names = dict.fromkeys((*_skills_within(text), *near, *about))
    return tuple(name for name in names if not rules.is_barred_skill(name))[:_MOST_FOUND]


def _skills_within(text: str) -> tuple[str, ...]:
    """Return the listed skills whose name has the text in it."""
    wanted = name_key(text)
    return tuple(name for name in SKILLS if wanted and wanted in name_key(name))


def _skill_for(text: str) -> str:
    """Return the only skill that a text may mean; the text if it may mean none or several."""
    name, within = listed_skill(text), _skills_within(text)
    if name not in SKILLS and len(within) == 1:
        return within[0]
    return name


def _find_skill(asking: FormContext, text: str) -> str:
    """Return the skill that a text names. Raises NotFound("mb-skill-unclear")."""
    name = _skill_for(text)
    if name in SKILLS:
        return name
    near = _skills_within(text) or similar_or_first(text, SKILLS)
    raise NotFound("mb-skill-unclear", field="name", value=text[:LONGEST_ENTRY], nearest=near[:5])


def _drafted_skill(draft: Values, name: str, focus: str) -> Skill:
    """Return the skill of an entry's draft, as far as it can be read."""
    adds = draft.get("adds", 0)
    special: object = draft.get("specializations") or {}
    if isinstance(special, str):
        special = Scores("specializations").parse_text(Reader(), "", special)
    pairs = cast("Mapping[str, int]", special)
    whole = int(adds) if str(adds).isdecimal() else 0
    key = str(draft.get("attribute") or "")
    return Skill(name, min(whole, HIGHEST_ADDS), focus, tuple(pairs.items()), key)


def _adds_field(game: Game, sheet: MasterbookSheet, skill: Skill) -> Number:
    """Return the menu of adds, each with the value that the skill has then."""
    most = max(game.setting("skill_general_max_creation"), 0)
    if skill.adds > most:
        most = min(skill.adds + _MORE_ADDS, HIGHEST_ADDS)
    first = max(1, most - _OFFERED_RANGE)

    def label(adds: int) -> Text:
        value = _value(sheet, skill.replace(adds=adds))
        return Text("mb-skill-value", {"name": skill.title, "adds": adds, "value": value})

    return Number(
        "adds",
        title=_label("adds"),
        high=HIGHEST_ADDS,
        offered=tuple(range(first, most + 1)),
        apart=True,
        label=label,
        nothing=label(0),
    )


def _specializations_field(
    game: Game, sheet: MasterbookSheet, skill: Skill, kind: SkillKind
) -> Scores:
    """Return the field of specializations: typed, or one of the list with its adds."""
    known = dict(skill.specializations)
    most = max(game.setting("skill_spec_max_creation"), *known.values(), 0)

    def choices(asking: FormContext) -> Iterable[Option]:
        for name in dict.fromkeys((*known, *kind.specializations)):
            for adds in range(1, most + 1):
                raised = {**known, name: adds}
                whole = skill.replace(specializations=tuple(raised.items()))
                shown = {"name": name, "adds": adds, "value": _value(sheet, whole, name)}
                yield Option(f"{name} {adds}", Text("mb-skill-value", shown))

    def with_choice(text: str, chosen: str) -> str:
        lines = {name_key(line.rpartition(" ")[0]): line for line in text.splitlines()}
        lines[name_key(chosen.rpartition(" ")[0])] = chosen
        return "\n".join(lines.values())

    return Scores(
        "specializations",
        title=_label("specializations"),
        help=_label("specializations-help"),
        topic=_label("specialization"),
        high=HIGHEST_ADDS,
        most=20,
        choices=choices,
        picked=with_choice,
    )


def with_bought_skill(sheet: MasterbookSheet, skill: Skill) -> MasterbookSheet:
    """Return the sheet with a skill in the place of the one of that title."""
    wanted = name_key(skill.title)
    others = (held for held in sheet.skills if name_key(held.title) != wanted)
    return sheet.replace(skills=(*others, skill))


def _value(sheet: MasterbookSheet, skill: Skill, special: str = "") -> int:
    """Return the value of a skill, or of its specialization, with what options add."""
    changed = with_bought_skill(sheet, skill)
    wanted = name_key(skill.title)
    final = next(held for held in skills_with_adds(changed) if name_key(held.title) == wanted)
    kind = SKILLS.get(skill.name)
    key = skill.attribute if kind is None else kind.attribute
    if key not in ATTRIBUTES:
        return 0
    adds = {name_key(name): number for name, number in final.specializations}
    base = attribute(changed, key)
    return attributes.skill_value(base, final.adds, adds.get(name_key(special), 0))[0]


def skill_lines(asking: FormContext) -> Iterable[Text]:
    """Yield a skill's values while it is filled in, and the points that it leaves."""
    values = asking.values
    name = str(values.get("name") or "")
    if not name or (name not in SKILLS and not values.get("attribute")):
        return
    sheet = drafted_sheet(asking.game, asking.around)
    skill = _drafted_skill(values, name, str(values.get("focus") or ""))
    yield _skill_text(sheet, skill)
    yield skill_points_text(with_bought_skill(sheet, skill))


def _skill_text(sheet: MasterbookSheet, skill: Skill) -> Text:
    """Return the line of a skill and its specializations, with their values."""
    special = tuple(
        Text("mb-skill-special", {"name": name, "value": _value(sheet, skill, name)})
        for name, _ in skill.specializations
    )
    shown = {"name": skill.title, "adds": skill.adds, "value": _value(sheet, skill)}
    return Text("mb-skill-entry", {**shown, "special": special})


def skill_points_text(sheet: MasterbookSheet) -> Text:
    """Return the skill points that a sheet spends: `18.5 of 20` (MB-CHAR-08, MB-CHAR-09)."""
    spent = number_text(Fraction(spent_halves(sheet.skills), 2))
    return Text("mb-head-skills", {"spent": spent, "most": skill_budget(raw_sheet(sheet)) or 0})


def skill_words(asking: FormContext, lines: Sequence[str]) -> Iterable[Text | None]:
    """Yield lines of skills with their values: `Dodge 3: 13`. None for one that can't be read."""
    sheet = drafted_sheet(asking.game, asking.values)
    for line in lines:
        yield _line_text(sheet, line)


def _line_text(sheet: MasterbookSheet, line: str) -> Text | None:
    try:
        row = read_skill(line)
    except InvalidInput:
        return None
    name = listed_skill(row["name"])
    if name not in SKILLS and row.get("attribute") not in ATTRIBUTES:
        return None
    return _skill_text(sheet, _drafted_skill(row, name, row.get("focus", "")))
