"""Options that nobody chose: those of a species, of Special Effects, and of another table.

MB-BG-09, MB-BG-31, MB-BG-08.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from rules.core.errors import RulesError
from rules.core.name_matching import name_key
from rules.systems.masterbook.character.creation_rules import CreationRules
from rules.systems.masterbook.character.option_effects import skill_target
from rules.systems.masterbook.character.option_entries import is_known, option_entries
from rules.systems.masterbook.character.option_lines import (
    CUSTOM_NOTE,
    LONGEST_NOTE,
    OPTION_FORM,
    option_line,
)
from rules.systems.masterbook.character.options import BackgroundOption, Options, gives_of
from rules.systems.masterbook.character.raw_sheet import RawSheet
from rules.systems.masterbook.formulas.option_kinds import (
    CUSTOM,
    MOST_COLUMN,
    SIDES,
    Side,
    SpeciesOption,
)

#: Advantage by which a first add in a special effects skill is kept on a sheet (MB-BG-31).
_FIRST_ADD: Final = ("Additional Skill Adds", 1, "general")


def with_given_options(rules: CreationRules, raw: RawSheet) -> RawSheet:
    """Return a new character with the options that come by themselves, as `free` ones.

    Those that it has already aren't added again.
    """
    if not rules.setting("background_generation"):
        return raw
    species = rules.species_of(raw.species)
    advantages, compensations = raw.advantages, raw.compensations
    if species is not None:
        advantages = _with_mandatory(advantages, species.advantages)
        compensations = _with_mandatory(compensations, species.compensations)
    first = tuple(_first_adds(rules, raw.replace(advantages=advantages)))
    return raw.replace(advantages=(*advantages, *first), compensations=compensations)


def without_claims(rules: CreationRules, raw: RawSheet) -> RawSheet:
    """Return a player's new character without options that the player calls free.

    Those that come by themselves are taken out, too: `with_given_options` adds them again.
    """
    given = with_given_options(rules, _without_free(raw))
    return raw.replace(
        advantages=_without_claims(raw.advantages, given.advantages),
        compensations=_without_claims(raw.compensations, given.compensations),
    )


def _without_free(raw: RawSheet) -> RawSheet:
    return raw.replace(
        advantages=tuple(option for option in raw.advantages if not option.free),
        compensations=tuple(option for option in raw.compensations if not option.free),
    )


def _without_claims(options: Options, given: Options) -> Options:
    found: list[BackgroundOption] = []
    for option in options:
        if not option.free:
            found.append(option)
        elif not any(each.free and _is_same(option, each) for each in given):
            found.append(option.replace(free=False, approved=False))
    return tuple(found)


def _with_mandatory(options: Options, mandatory: Iterable[SpeciesOption]) -> Options:
    """Return the options with those of a species; one that is there counts once (MB-BG-09)."""
    left = [option for option in options if option.free]
    for row in mandatory:
        wanted = _species_option(row)
        if any(_is_same(option, wanted) for option in left):
            left.remove(next(option for option in left if _is_same(option, wanted)))
        else:
            options = (*options, wanted)
    return options


def _species_option(row: SpeciesOption) -> BackgroundOption:
    pairs = (text.partition(":") for text in row.notes)
    return BackgroundOption(
        row.name,
        row.column,
        targets=row.targets,
        notes=tuple((key.strip(), text.strip()) for key, _, text in pairs),
        label=row.label,
        link=row.link,
        approved=True,
        free=True,
    )


def _is_same(one: BackgroundOption, other: BackgroundOption) -> bool:
    return (name_key(one.name), one.column, one.label) == (
        name_key(other.name),
        other.column,
        other.label,
    )


def _first_adds(rules: CreationRules, raw: RawSheet) -> Iterable[BackgroundOption]:
    """Yield the first add in the skill of each Special Effects, by the table's rule (MB-BG-31)."""
    when = rules.setting("special_effects_free_add")
    for option in raw.advantages if when != "never" else ():
        if not option.name or not any(
            gives.effects_access for gives in gives_of(option, "advantage")
        ):
            continue
        for target in option.targets:
            if not _has_first_add(raw, target) and (when == "always" or not _has_adds(raw, target)):
                name, column, mode = _FIRST_ADD
                yield BackgroundOption(name, column, mode, (target,), approved=True, free=True)


def _has_first_add(raw: RawSheet, target: str) -> bool:
    name, column, _ = _FIRST_ADD
    return any(
        option.free and (option.name, option.column) == (name, column) and target in option.targets
        for option in raw.advantages
    )


def _has_adds(raw: RawSheet, target: str) -> bool:
    """Return whether the skill has adds, bought or from an Advantage."""
    wanted = skill_target(target)
    bought = any(
        wanted.covers(skill.name, skill.focus) and skill.adds not in (0, None)
        for skill in raw.skills
    )
    raised = (
        text
        for option in raw.advantages
        if option.name and any(gives.adds for gives in gives_of(option, "advantage"))
        for text in option.targets
    )
    return bought or any(wanted.covers(*_parts(text)) for text in raised)


def _parts(text: str) -> tuple[str, str]:
    target = skill_target(text)
    return target.name, target.focus


# --- options of another table ---------------------------------------------------------------------


def with_foreign_options(rules: CreationRules, data: Mapping[str, object]) -> dict[str, object]:
    """Return a character's file with options that no table here has as words without effect.

    A typed line stays as it is: its reader says what is wrong with it.
    """
    found = dict(data)
    for side in SIDES:
        rows = data.get(f"{side}s")
        if isinstance(rows, list | tuple):
            listed = cast("list[object]", rows)
            found[f"{side}s"] = [_known_row(rules, side, row) for row in listed]
    return found


def foreign_options(rules: CreationRules, data: Mapping[str, object]) -> tuple[str, ...]:
    """Return the titles of a file's options that no table here has."""
    found: list[str] = []
    for side in SIDES:
        rows = data.get(f"{side}s")
        for row in cast("list[object]", rows) if isinstance(rows, list | tuple) else ():
            option = _foreign_option(rules, side, row)
            if option is not None:
                found.append(option.title)
    return tuple(found)


def _known_row(rules: CreationRules, side: Side, row: object) -> object:
    option = _foreign_option(rules, side, row)
    if option is None:
        return row
    text = option_line(OPTION_FORM.all_values(option), side)[:LONGEST_NOTE]
    kept: dict[str, Any] = {
        key: value
        for key, value in cast("Mapping[str, Any]", row).items()
        if key in ("label", "approved", "free", "state")
    }
    return {"name": CUSTOM, "column": option.column, "notes": [f"{CUSTOM_NOTE}: {text}"], **kept}


def _foreign_option(rules: CreationRules, side: Side, row: object) -> BackgroundOption | None:
    """Return the option of a row that no table here has; None for one it has or can't read."""
    if not isinstance(row, Mapping):
        return None
    try:
        values = OPTION_FORM.read_json(cast("Mapping[str, Any]", row))
    except RulesError:
        return None
    option = OPTION_FORM.make_record(BackgroundOption, values)
    if not 1 <= option.column <= MOST_COLUMN:
        return None
    raw = (
        RawSheet(advantages=(option,)) if side == "advantage" else RawSheet(compensations=(option,))
    )
    entries = option_entries(rules, raw)
    return option if entries and not is_known(rules, entries[0], creation=False) else None
