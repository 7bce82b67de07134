"""Special effects in files and drafts: JSON objects, and names of effects of the library.

A character's file has an object for each effect, with the fields that are not as in an empty
blueprint. A name stands for an effect of the campaign, or for a ready-made one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from rules.core.data_rows import from_json, json_schema, numbers
from rules.core.errors import InvalidInput
from rules.core.json_reader import Reader
from rules.core.name_matching import name_key, similar_or_first
from rules.core.record import Record, field_defaults, to_plain
from rules.systems.masterbook.character.skill_names import ROLLED_NAMES, is_rolled_name
from rules.systems.masterbook.formulas.effect_blueprint import (
    BLUEPRINT_BOUNDS,
    ENTRIES_MOST,
    Blueprint,
    KnownEffect,
)
from rules.systems.masterbook.formulas.effect_rows import EFFECT_SKILLS, READY_MADE
from rules.table.check import Values
from rules.table.forms.entry_fields import Rows
from rules.table.forms.fields import QUOTE_MAX, FormContext

#: Most effects on a sheet.
EFFECTS_MOST: Final = 50
#: Longest texts by field, in characters, and that of every other one.
TEXTS_MOST: Final[Mapping[str, int]] = {"name": 80, "summary": 200, "description": 2000}
TEXT_MOST: Final = 200
#: Fields of a blueprint with several entries.
_LISTS: Final = ("traits", "extras", "conditions")
_NO_ROWS: Final[tuple[Blueprint, ...]] = ()
#: Word that each of these fields may have besides names of rolls.
_OTHER_VALUES: Final[Mapping[str, str]] = {"to_hit": "casting", "resisted_by": "toughness"}


# --- the library ----------------------------------------------------------------------------------


def library_effects(campaign: Any) -> Iterator[Blueprint]:
    """Yield the campaign's effects, then the ready-made ones of other names."""
    own: Sequence[Blueprint] = getattr(campaign, "effects", _NO_ROWS)
    names = {name_key(blueprint.name) for blueprint in own}
    yield from own
    for blueprint in READY_MADE:
        if name_key(blueprint.name) not in names:
            yield blueprint


def library_effect(campaign: Any, name: str) -> Blueprint:
    """Return an effect of the library by name. Raises InvalidInput("not-in-tables")."""
    effects = {name_key(blueprint.name): blueprint for blueprint in library_effects(campaign)}
    effect = effects.get(name_key(name))
    if effect is None:
        near = similar_or_first(name, [blueprint.name for blueprint in effects.values()])
        raise InvalidInput(
            "not-in-tables",
            field="name",
            value=name[:QUOTE_MAX],
            fix="rename-or-remove",
            nearest=near,
        )
    return effect


# --- reading and writing --------------------------------------------------------------------------


def check_blueprint(reader: Reader, place: str, blueprint: Blueprint) -> None:
    """Note the texts, numbers and skills of a blueprint that are out of bounds."""
    plain = to_plain(blueprint)
    for where, number in numbers(plain, place):
        bounds = BLUEPRINT_BOUNDS.get(where.rpartition(".")[2].partition("[")[0])
        if bounds is not None:
            reader.read_number(where, number, *bounds)
    for where, text in _texts(plain, place):
        key = where.rpartition(".")[2].partition("[")[0]
        most = TEXTS_MOST.get(key, TEXT_MOST)
        reader.read_text(where, text, most, needed=key == "name", one_line=key != "description")
    for key in _LISTS:
        reader.note_too_many(f"{place}.{key}", len(getattr(blueprint, key)), ENTRIES_MOST)
    if blueprint.skill not in EFFECT_SKILLS:
        near = similar_or_first(blueprint.skill, EFFECT_SKILLS)
        shown = blueprint.skill[:QUOTE_MAX]
        reader.add_problem("not-in-tables", f"{place}.skill", shown, "mend-row", nearest=near)


def unknown_values(blueprint: Blueprint, own: Iterable[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield the fields that name rolls that no sheet can make, with their texts.

    *own* are the skills of a character that the list lacks.
    """
    for key, word in _OTHER_VALUES.items():
        text = getattr(blueprint, key)
        if text and text.casefold() != word and not is_rolled_name(text, own):
            yield key, text


def check_values(reader: Reader, place: str, blueprint: Blueprint, own: Iterable[str] = ()) -> None:
    """Note the rolls to hit or to resist of a blueprint that no sheet can make (MB-SFX-22)."""
    names = (*ROLLED_NAMES, *own)
    for key, text in unknown_values(blueprint, own):
        near = similar_or_first(text, names)
        reader.add_problem("not-in-tables", f"{place}.{key}", text, "mend-row", nearest=near)


def check_library_blueprint(reader: Reader, place: str, blueprint: Blueprint) -> None:
    """Note the problems of a blueprint of a campaign, which only listed skills may meet."""
    check_blueprint(reader, place, blueprint)
    check_values(reader, place, blueprint)


_SKILL_NAMES: Final = {name_key(name): name for name in EFFECT_SKILLS}


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield the path and every text of a JSON value."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, Any]", value).items():
            yield from _texts(inner, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for at, inner in enumerate(cast("Iterable[Any]", value)):
            yield from _texts(inner, f"{path}[{at}]")


def read_effect(reader: Reader, place: str, value: object, campaign: Any) -> KnownEffect | None:
    """Return an effect of a file: an object, or the name of one of the library.

    Every problem is noted with its place; an effect with problems is None.
    """
    before = len(reader.problems)
    try:
        if isinstance(value, str):
            known = KnownEffect(library_effect(campaign, value))
        else:
            known = from_json(KnownEffect, value, place)
    except InvalidInput as error:
        reader.problems.append(InvalidInput(error.code, **{**error.params, "field": place}))
        return None
    except ValueError as error:
        where, _, wrong = str(error).partition(": ")
        reader.add_problem("bad-row", where[:QUOTE_MAX], wrong, "mend-row")
        return None
    skill = _SKILL_NAMES.get(name_key(known.blueprint.skill), known.blueprint.skill)
    known = known.replace(blueprint=known.blueprint.replace(skill=skill))
    check_blueprint(reader, f"{place}.blueprint", known.blueprint)
    for where, number in numbers(to_plain(known.rush), f"{place}.rush"):
        reader.read_number(where, number, *BLUEPRINT_BOUNDS[where.rpartition(".")[2]])
    reader.read_text(f"{place}.ruling", known.ruling, TEXT_MOST, one_line=True)
    return known if len(reader.problems) == before else None


def write_effect(known: KnownEffect) -> dict[str, Any]:
    """Return the object that `read_effect` reads back to the same effect."""
    return cast("dict[str, Any]", _without_defaults(known))


def _without_defaults(value: Any) -> Any:
    """Return a record as JSON without the fields that are as by default."""
    if isinstance(value, Record):
        defaults = field_defaults(value.__class__)
        return {
            key: _without_defaults(getattr(value, key))
            for key in value.__struct_fields__
            if key not in defaults or getattr(value, key) != defaults[key]
        }
    if isinstance(value, tuple):
        return [_without_defaults(entry) for entry in cast("tuple[Any, ...]", value)]
    return value


# --- the field of a sheet -------------------------------------------------------------------------


def effect_line(row: Values) -> str:
    """Return the line of an effect in a draft: its object, as short as JSON can be."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def read_effect_line(line: str) -> Any:
    """Return the entry of a line: an object, or a name as it is.

    Raises InvalidInput("mb-unreadable").
    """
    text = line.strip()
    if not text.startswith("{"):
        return text
    try:
        return json.loads(text)
    except ValueError:
        shown = text[:QUOTE_MAX]
        raise InvalidInput(
            "mb-unreadable", field="effects", value=shown, fix="mb-write-effect"
        ) from None


def _campaign_of(asking: FormContext) -> Any:
    return None if asking.game is None else asking.campaign


class EffectRows(Rows, kw_only=True):
    """The special effects of a sheet."""

    def json(
        self, reader: Reader, place: str, value: object, asking: FormContext
    ) -> tuple[Values, ...] | None:
        entries = reader.read_list(place, value, self.most)
        if entries is None:
            return None
        rows: list[Values] = []
        names: set[str] = set()
        for at, entry in enumerate(entries):
            where = f"{place}[{at}]"
            known = read_effect(reader, where, entry, _campaign_of(asking))
            if known is None:
                rows.append({})
                continue
            if name_key(known.name) in names:
                reader.add_problem("mb-effect-twice", where, known.name, "rename-or-remove")
            names.add(name_key(known.name))
            rows.append(write_effect(known))
        return tuple(rows)

    def record_value(self, value: Any) -> Any:
        return tuple(from_json(KnownEffect, row, self.key) for row in value if row)

    def form_value(self, held: Any) -> Any:
        return [write_effect(known) for known in held]

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        name = {"type": "string", "minLength": 1}
        items = {"anyOf": [effect_schema(KnownEffect), name]}
        return {"type": "array", "items": items, "maxItems": self.most}


def drafted_effect(line: str, campaign: Any = None) -> KnownEffect | None:
    """Return the effect of a draft's line; None for one that can't be read."""
    reader = Reader()
    try:
        entry = read_effect_line(line)
    except InvalidInput:
        return None
    return read_effect(reader, "effects", entry, campaign)


def effect_schema(kind: type[Record]) -> dict[str, Any]:
    """Return the JSON schema of an effect or a blueprint, with the bounds of numbers and texts."""
    whole = json_schema(kind)
    return cast("dict[str, Any]", _inline(whole, whole.get("$defs", {}), ""))


#: Keys of a schema that an inlined one drops or, as `properties`, gets anew.
_LEFT_OUT: Final = ("$defs", "title", "description", "default", "properties")


def _inline(part: Any, definitions: Mapping[str, Any], key: str) -> Any:
    """Return a part of a schema with definitions in the place of references."""
    if isinstance(part, list):
        return [_inline(entry, definitions, key) for entry in cast("list[Any]", part)]
    if not isinstance(part, dict):
        return part
    schema = cast("dict[str, Any]", part)
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return _inline(definitions[name], definitions, key)
    inlined = {
        name: _inline(inner, definitions, key)
        for name, inner in schema.items()
        if name not in _LEFT_OUT
    }
    if "properties" in schema:
        inlined["additionalProperties"] = False
        inlined["properties"] = {
            name: _inline(inner, definitions, name) for name, inner in schema["properties"].items()
        }
    if inlined.get("type") == "integer" and key in BLUEPRINT_BOUNDS:
        inlined["minimum"], inlined["maximum"] = BLUEPRINT_BOUNDS[key]
    if inlined.get("type") == "string":
        inlined["maxLength"] = TEXTS_MOST.get(key, TEXT_MOST)
    return inlined
