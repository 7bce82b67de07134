"""Options that no player chose: those of a species, of Special Effects, and of another table.

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
    free = [option for option in given if option.free]
    kept: list[BackgroundOption] = []
    for option in options:
        if not option.free:
            kept.append(option)
        elif not any(_is_same(option, other) for other in free):
            kept.append(option.replace(free=False, approved=False))
    return tuple(kept)


def _with_mandatory(options: Options, mandatory: Iterable[SpeciesOption]) -> Options:
    """Return the options with those of a species; one that is there counts once (MB-BG-09)."""
    free = [option for option in options if option.free]
    for row in mandatory:
        wanted = _species_option(row)
        held = next((option for option in free if _is_same(option, wanted)), None)
        if held is None:
            options = (*options, wanted)
        else:
            free.remove(held)
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
    if one.column != other.column or one.label != other.label:
        return False
    return name_key(one.name) == name_key(other.name)


def _first_adds(rules: CreationRules, raw: RawSheet) -> Iterable[BackgroundOption]:
    """Yield the first add in the skill of each Special Effects, by the table's rule (MB-BG-31)."""
    when = rules.setting("special_effects_free_add")
    if when == "never":
        return
    name, column, mode = _FIRST_ADD
    for option in raw.advantages:
        if not _gives_access(option):
            continue
        for target in option.targets:
            if _has_first_add(raw, target):
                continue
            if when == "always" or not _has_adds(raw, target):
                yield BackgroundOption(name, column, mode, (target,), approved=True, free=True)


def _gives_access(option: BackgroundOption) -> bool:
    """Return whether an Advantage gives access to special effects."""
    if not option.name:
        return False
    return any(gives.effects_access for gives in gives_of(option, "advantage"))


def _has_first_add(raw: RawSheet, target: str) -> bool:
    name, column, _ = _FIRST_ADD
    for option in raw.advantages:
        if (option.name, option.column) == (name, column):
            if option.free and target in option.targets:
                return True
    return False


def _has_adds(raw: RawSheet, target: str) -> bool:
    """Return whether the skill has adds, bought or from an Advantage."""
    wanted = skill_target(target)
    for skill in raw.skills:
        if wanted.covers(skill.name, skill.focus) and skill.adds not in (0, None):
            return True
    for option in raw.advantages:
        if not option.name or not any(gives.adds for gives in gives_of(option, "advantage")):
            continue
        raised = [skill_target(text) for text in option.targets]
        if any(wanted.covers(other.name, other.focus) for other in raised):
            return True
    return False


# --- options of another table ---------------------------------------------------------------------


def with_foreign_options(rules: CreationRules, data: Mapping[str, object]) -> dict[str, object]:
    """Return a character's file with options that no table here has as words without effect.

    A typed line stays as it is: its reader says what is wrong with it.
    """
    known = dict(data)
    for side in SIDES:
        key = f"{side}s"
        if isinstance(data.get(key), list | tuple):
            known[key] = [_known_row(rules, side, row) for row in _rows(data, side)]
    return known


def foreign_options(rules: CreationRules, data: Mapping[str, object]) -> tuple[str, ...]:
    """Return the titles of a file's options that no table here has."""
    titles: list[str] = []
    for side in SIDES:
        for row in _rows(data, side):
            option = _foreign_option(rules, side, row)
            if option is not None:
                titles.append(option.title)
    return tuple(titles)


def _rows(data: Mapping[str, object], side: Side) -> Iterable[object]:
    """Return the options of one side of a file; none if they aren't a list."""
    rows = data.get(f"{side}s")
    return cast("list[object]", rows) if isinstance(rows, list | tuple) else ()


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
    if side == "advantage":
        raw = RawSheet(advantages=(option,))
    else:
        raw = RawSheet(compensations=(option,))
    entries = option_entries(rules, raw)
    if not entries or is_known(rules, entries[0], creation=False):
        return None
    return option
