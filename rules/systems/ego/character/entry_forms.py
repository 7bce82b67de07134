"""Entries of a sheet as forms of their own: skills, powers, weapons, armor, advantages, maxima."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from rules.core.name_matching import name_key
from rules.systems.ego.character.labels import label
from rules.systems.ego.character.sheet import (
    SUPERPOWERS,
    TRAITS,
    Arm,
    EgoSheet,
    Power,
    Skill,
    arms_on_sale,
    level_of,
    pool_of,
    read_power,
    sheet_of_draft,
    suits_on_sale,
    title_with_field,
    trait_names,
)
from rules.systems.ego.formulas import costs
from rules.systems.ego.formulas.reference_rows import (
    Effect,
    SkillKind,
    Weapon,
    rows_of,
    skills_of,
)
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.entry_fields import ENTRY_KEY, EntryStart, Rows, Table
from rules.table.forms.fields import Flag, FormContext, Number, Option, Pick, Typed, plain_options
from rules.table.forms.form import Field, Form
from rules.table.people.row_fields import LONGEST_ENTRY
from rules.table.people.sheets import draft_object

#: Levels that a menu offers. Higher ones are typed as lines.
_LEVELS: Final = range(1, 11)
#: Changes of a maximum that a menu offers.
_MAXIMA: Final = (-6, -4, -2, 2, 4, 6)
#: Sources of effects that are known, without a rating.
KNOWN_SOURCES: Final = ("magic", "psionics")
_ABILITIES: Final = tuple(
    Option(ability, Text("as-written", {"text": ability.capitalize()}))
    for ability in costs.ABILITIES
)
#: Skills that give effects.
_SOURCE_SKILLS: Final = {
    "Superpowers": SUPERPOWERS,
    "Magic": "magic",
    "Psionics": "psionics",
}


def _sheet_around(asking: FormContext) -> EgoSheet:
    """Return the sheet of the draft around an entry, without the entry."""
    return sheet_of_draft(asking.game, draft_object(asking.game, asking.around)[0])


def _pick(key: str, what: str, options: Iterable[Option], **more: Any) -> Pick:
    """Return a field that an entry can't go without."""
    return Pick(key, title=label(what), choices=tuple(options), needed=True, **more)


def _about(name: str, about: str) -> Option:
    """Return an option with a word about it in brackets."""
    return Option(name, Text("ego-entry-option", {"name": name, "about": about or None}))


# --- skills and specialties -----------------------------------------------------------------------


def _level_field(of: Callable[[int], Mapping[str, int]]) -> Number:
    """Return the menu of levels with their prices. *of* adds parameters to a level's label."""

    def label_of(level: int) -> Text:
        points = costs.price(0, level)
        return Text("ego-entry-level", {"level": level, "points": points, **of(level)})

    return Number(
        "level",
        title=label("level"),
        low=1,
        high=50,
        offered=tuple(_LEVELS),
        label=label_of,
        needed=True,
        apart=True,
    )


def _subject_field(options: Iterable[str]) -> Pick:
    """Return the field for what a skill or a specialty is about."""
    return Pick(
        "field",
        title=label("subject"),
        choices=plain_options(options),
        find=lambda asking, text: text,
        needed=True,
        writable=True,
    )


def skill_form(asking: FormContext, values: Values) -> Form:
    """Return the form of a skill: its subject and ability are asked only where it needs them."""
    rows = skills_of(asking.campaign)
    name = str(values.get("name") or "")
    row = rows.get(name)
    names = [_about(row.name, row.ability) for row in rows.values()]
    fields: list[Field] = [_pick("name", "skill", names, find=_find(rows), writable=True)]
    if values.get("field") or (row is not None and (row.multiple or row.fields)):
        fields.append(_subject_field(() if row is None else row.fields))
    if name and row is None:
        fields.append(_pick("ability", "ability", _ABILITIES))
    sheet = _sheet_around(asking)

    def dice(level: int) -> Mapping[str, int]:
        number = _skill_dice(sheet, values, level)
        return {} if number is None else {"dice": number}

    return Form((*fields, _level_field(dice)))


def _find(rows: Mapping[str, Any]) -> Callable[[FormContext, str], str]:
    """Return the finder of a row by its name in any case; other names stay as they are."""
    by_key = {name_key(name): name for name in rows}
    return lambda asking, text: by_key.get(name_key(text), text)


def _skill_dice(sheet: EgoSheet, values: Values, level: int) -> int | None:
    """Return the dice of a skill at a level; None without a name, or without dice."""
    name = str(values.get("name") or "")
    ability = str(values.get("ability") or "")
    subject = str(values.get("field") or "")
    if not name:
        return None
    others = [other for other in sheet.skills if other.name != name]
    skill = Skill(name, level, subject, ability)
    return pool_of(sheet.replace(skills=(*others, skill)), name, subject) or None


def skill_lines(asking: FormContext) -> Iterable[Text]:
    """Yield the dice of a skill as it is filled in so far (EGO-SKL-02)."""
    level = asking.values.get("level")
    if not isinstance(level, int):
        return
    dice = _skill_dice(_sheet_around(asking), asking.values, level)
    if dice is not None:
        about = {"name": _title(asking.values), "level": level, "dice": dice}
        yield Text("ego-entry-dice", about)


def _title(values: Values) -> str:
    return title_with_field(str(values.get("name") or ""), str(values.get("field") or ""))


def _base_of(asking: FormContext, specialty: str) -> SkillKind | None:
    """Return the skill that a specialty belongs to."""
    for row in skills_of(asking.campaign).values():
        if any(row_specialty.name == specialty for row_specialty in row.specialties):
            return row
    return None


def specialty_form(asking: FormContext, values: Values) -> Form:
    """Return the form of a specialty, with the levels of its skill that are missing."""
    rows = skills_of(asking.campaign).values()
    names: list[Option] = []
    for row in rows:
        names.extend(_about(specialty.name, row.name) for specialty in row.specialties)
    name = str(values.get("name") or "")
    sheet, base = _sheet_around(asking), _base_of(asking, name)
    fields: list[Field] = [_pick("name", "specialty", names)]
    kinds = () if base is None else base.specialties
    if values.get("field") or any(kind.name == name and kind.multiple for kind in kinds):
        fields.append(_subject_field(_weapon_names(asking, sheet, base)))

    def lacking(level: int) -> Mapping[str, int]:
        needs = _missing_base(sheet, base, level)
        return {} if needs is None else {"needs": needs}

    return Form((*fields, _level_field(lacking)))


def _missing_base(sheet: EgoSheet, base: SkillKind | None, level: int) -> int | None:
    """Return the level that a specialty's skill has to be raised to; None if it is high enough."""
    if base is None or level <= costs.specialty_most(level_of(sheet, base.name)):
        return None
    return level + 1


def _weapon_names(asking: FormContext, sheet: EgoSheet, base: SkillKind | None) -> list[str]:
    """Return the weapons of a skill, those of the draft first."""
    rows: Mapping[str, Weapon] = rows_of(asking.campaign, "weapons")
    skill = "" if base is None else base.name
    others = [row.name for row in rows.values() if row.skill == skill]
    return list(dict.fromkeys((*(arm.name for arm in sheet.arms), *others)))


def specialty_lines(asking: FormContext) -> Iterable[Text]:
    """Yield the skill level that a specialty still needs (EGO-SPC-01)."""
    level, base = asking.values.get("level"), _base_of(asking, str(asking.values.get("name")))
    if not isinstance(level, int) or base is None:
        return
    needs = _missing_base(_sheet_around(asking), base, level)
    if needs is not None:
        about = {"name": _title(asking.values), "level": level, "skill": base.name}
        yield Text("ego-entry-needs", about | {"needs": needs})


# --- powers ---------------------------------------------------------------------------------------


def _sources(sheet: EgoSheet) -> list[str]:
    """Return the sources of effects that a character has by its skills."""
    return [source for skill, source in _SOURCE_SKILLS.items() if level_of(sheet, skill)]


def power_starts(asking: FormContext) -> tuple[EntryStart, ...]:
    """Return the way to begin a power: from the first source that the character has."""
    sources = _sources(sheet_of_draft(asking.game, draft_object(asking.game, asking.values)[0]))
    source = sources[0] if sources else "race"
    begun: dict[str, Any] = {"source": source}
    if source not in KNOWN_SOURCES:
        begun["rating"] = 1
    return ((_add_label("powers"), begun),)


def power_form(asking: FormContext, values: Values) -> Form:
    """Return the form of a power: what is only known has no rating."""
    rows: Mapping[str, Effect] = rows_of(asking.campaign, "effects")
    row = rows.get(str(values.get("name") or ""))
    names = [_about(effect.name, effect.category) for effect in rows.values()]
    kinds = (SUPERPOWERS, *KNOWN_SOURCES, "race", "artifact")
    source = _pick("source", "source", [_source_option(kind) for kind in kinds])
    fields: list[Field] = [_pick("name", "effect", names), source]
    if values.get("source") not in KNOWN_SOURCES:
        most = costs.rating_most(None if row is None else row.most)
        fields.append(
            Number(
                "rating",
                title=label("rating"),
                low=1,
                high=50,
                offered=tuple(range(1, most + 1)),
                label=lambda rating: Text("as-written", {"text": str(rating)}),
                needed=True,
                apart=True,
            )
        )
    return Form(tuple(fields))


def _source_option(source: str) -> Option:
    return Option(source, Text("ego-entry-source", {"source": source}))


def _read_power_entry(line: str) -> dict[str, Any]:
    """Read a line of a power, with its source also if the line leaves it out."""
    return {"source": SUPERPOWERS, **read_power(line)}


def power_of_entry(row: Values) -> Power:
    """Return the power that an entry makes; what is only known has rating 0."""
    source = row.get("source", SUPERPOWERS)
    rating = 0 if source in KNOWN_SOURCES else row.get("rating", 1)
    return Power(row["name"], rating, source)


def power_lines(asking: FormContext) -> Iterable[Text]:
    """Yield how many levels of ratings a power takes, of those that there are (EGO-POW-01)."""
    sheet, values = _sheet_around(asking), asking.values
    level, rating = level_of(sheet, "Superpowers"), values.get("rating")
    if values.get("source") == SUPERPOWERS and isinstance(rating, int):
        used = sum(power.rating for power in sheet.powers if power.source == SUPERPOWERS)
        about = {"levels": costs.rating_levels(level), "used": used + rating}
        yield Text("ego-creation-ratings", about)


# --- weapons, armor, traits, maxima ---------------------------------------------------------------


def arm_form(asking: FormContext, values: Values) -> Form:
    """Return the form of a weapon: rounds are asked only of one that fires."""
    rows: Mapping[str, Weapon] = rows_of(asking.campaign, "weapons")
    name = str(values.get("name") or "")
    options = arms_on_sale(asking)
    if name in rows and all(option.value != name for option in options):
        options = (_about(name, ""), *options)
    fields: list[Field] = [
        _pick("name", "weapon", options),
        Flag("drawn", title=label("drawn"), label=Text("ego-entry-drawn"), default=False),
    ]
    if name in rows and rows[name].fires:
        fields += [
            Number("rounds", title=label("rounds loaded"), high=1000),
            Number("magazine", title=label("magazine"), high=1000),
            Number("spare", title=label("spare rounds"), high=100_000),
        ]
    weight = Number("weight", title=label("weight"), low=1, high=10_000)
    skill = Typed("skill", title=label("skill"), most=LONGEST_ENTRY)
    return Form((*fields, weight, skill))


def arm_skill(asking: FormContext, arm: Arm) -> str:
    """Return the skill that a weapon is used with."""
    rows: Mapping[str, Weapon] = rows_of(asking.campaign, "weapons")
    row = rows.get(arm.name)
    if arm.skill or row is None:
        return arm.skill
    archaic: str = asking.game.setting("archaic_ranged_skill")
    return row.skill or archaic


def arm_lines(asking: FormContext) -> Iterable[Text]:
    """Yield the dice of a weapon with its skill."""
    name = asking.values.get("name")
    if not name:
        return
    skill = arm_skill(asking, Arm(name, skill=str(asking.values.get("skill") or "")))
    sheet = _sheet_around(asking)
    if not skill:
        return
    dice = pool_of(sheet, skill)
    if dice:
        yield Text("ego-entry-arm", {"name": name, "skill": skill, "dice": dice})


def suit_form(asking: FormContext, values: Values) -> Form:
    """Return the form of a suit of armor: one of the list, or one that is written."""
    return Form((_pick(ENTRY_KEY, "armour", suits_on_sale(asking), find=_any, writable=True),))


def _any(asking: FormContext, text: str) -> str:
    return text


def trait_form(key: str) -> Callable[[FormContext, Values], Form]:
    """Return what gives the form of an advantage or a disadvantage."""

    def form(asking: FormContext, values: Values) -> Form:
        names = plain_options(trait_names(asking.campaign, key))
        return Form((_pick(ENTRY_KEY, key.removesuffix("s"), names),))

    return form


def maximum_form(asking: FormContext, values: Values) -> Form:
    """Return the form of a race's other maximum."""
    score = Number(
        "score",
        title=label("change"),
        low=-16,
        high=16,
        offered=_MAXIMA,
        label=lambda change: Text("ego-entry-maximum", {"change": change, "most": 16 + change}),
        needed=True,
        apart=True,
    )
    return Form((_pick("name", "ability", _ABILITIES), score))


# --- the fields -----------------------------------------------------------------------------------


def _add_label(key: str) -> Text:
    return Text("ego-entry-add", {"what": key})


def _nothing_new(asking: FormContext) -> tuple[EntryStart, ...]:
    """Return no way to begin an entry: a menu of the field adds every one there is."""
    return ()


#: How the entries of each table are filled in.
_ENTRIES: Final[Mapping[str, Mapping[str, Any]]] = {
    "skills": {"row": skill_form, "shows": skill_lines},
    "specialties": {"row": specialty_form, "shows": specialty_lines},
    "powers": {"row": power_form, "shows": power_lines, "add": power_starts},
    "arms": {"row": arm_form, "shows": arm_lines, "add": _nothing_new},
    "spare_armour": {"row": suit_form},
    "maxima": {"row": maximum_form},
    **{key: {"row": trait_form(key), "add": _nothing_new} for key in TRAITS},
}
#: Drafts that new entries begin with.
_BEGINNINGS: Final[Mapping[str, Values]] = {
    "skills": {"level": 1},
    "specialties": {"level": 1},
}


def _with_entries(field: Field) -> Field:
    """Return a field whose entries open as forms, if they are worth one."""
    if not isinstance(field, Table) or field.key not in _ENTRIES:
        return field
    how = dict(_ENTRIES[field.key])
    begins = _BEGINNINGS.get(field.key)
    if begins is not None:
        how["add"] = _starting_with(field.key, begins)
    changed = field.replace(add_label=_add_label(field.key), **how)
    if field.key == "powers" and isinstance(changed, Rows):
        changed = changed.replace(line=_read_power_entry, into=power_of_entry)
    return changed


def _starting_with(key: str, begins: Values) -> Callable[[FormContext], tuple[EntryStart, ...]]:
    return lambda asking: ((_add_label(key), begins),)


def form_with_entries(form: Form) -> Form:
    """Return a form whose tables open their entries as forms."""
    return Form(tuple(_with_entries(field) for field in form.fields))
