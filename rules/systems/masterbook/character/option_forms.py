"""Form of an Advantage or Compensation: its column, the option, then its inputs.

A draft is flat: `targets`, `mode`, `label`, `note:<input>`, `number:<input>` and so on. It is
written as the line that `option_lines` reads (MB-BG-01, MB-BG-08).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final

from rules.core.errors import InvalidInput, NotFound, RulesError
from rules.core.name_matching import name_key, similar_or_first
from rules.systems.masterbook.character.creation_budget import ColumnBudget, budget, suggestions
from rules.systems.masterbook.character.creation_rules import (
    background_rows,
    creation_rules,
)
from rules.systems.masterbook.character.drafts import drafted_sheet
from rules.systems.masterbook.character.option_changes import option_changes
from rules.systems.masterbook.character.option_drafts import (
    COLUMN_KEY,
    LONGEST_LABEL,
    NOTE_PREFIX,
    OPTION_KEY,
    TARGET_KEY,
    TARGETS_KEY,
    custom_column,
    drafted_option,
    kind_of_title,
)
from rules.systems.masterbook.character.option_entries import option_entries
from rules.systems.masterbook.character.option_fields import (
    MOST_OFFERED,
    choice_text,
    form_text,
    input_field,
)
from rules.systems.masterbook.character.option_findings import single_findings
from rules.systems.masterbook.character.option_lines import CUSTOM_NOTE, LONGEST_NOTE, inputs_of
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.raw_sheet import raw_sheet
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.formulas.option_kinds import (
    CUSTOM,
    LIST_COLUMNS,
    ROMAN,
    OptionKind,
    OptionMode,
    Side,
    option_kinds,
    option_title,
)
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.entry_fields import EntryStart
from rules.table.forms.fields import (
    QUOTE_MAX,
    Flag,
    FormContext,
    Option,
    Pick,
    Typed,
    plain_options,
)
from rules.table.forms.form import Field, Form
from rules.table.system import Game

#: Fields whose menus come first.
_LEADING: Final = (OPTION_KEY, "mode", "link", TARGET_KEY, TARGETS_KEY)


# --- beginning an entry ---------------------------------------------------------------------------


def option_starts(side: Side) -> Callable[[FormContext], Iterable[EntryStart]]:
    """Return the ways to begin an option: one for each column, and a search."""
    return partial(_option_starts, side)


def _option_starts(side: Side, asking: FormContext) -> Iterable[EntryStart]:
    game: Game = asking.game
    columns = budget(game, drafted_sheet(game, asking.values)).columns
    for column in columns:
        if _is_open(side, column):
            yield _column_label(side, column), {COLUMN_KEY: column.column}
    if not columns:
        for number in range(1, LIST_COLUMNS + 1):
            yield Text("mb-option-column", {"column": ROMAN[number]}), {COLUMN_KEY: number}
    yield form_text("search"), {COLUMN_KEY: 0}


def _is_open(side: Side, column: ColumnBudget) -> bool:
    if side == "advantage":
        return column.limit is None or column.limit > 0 or column.used > 0
    return column.due > 0 or column.chosen > 0


def _column_label(side: Side, column: ColumnBudget) -> Text:
    """Return the label of a column: `Column I (1 free)`, `Column II (1 due)`."""
    shown: dict[str, Any] = {"column": ROMAN[column.column]}
    if side == "advantage":
        shown["free"] = column.free
    else:
        shown["due"] = column.missing
    return Text("mb-option-column", shown)


# --- the form -------------------------------------------------------------------------------------


def option_form(side: Side) -> Callable[[FormContext, Values], Form]:
    """Return the function that makes the form of an option from its draft."""
    return partial(_option_form, side)


def _option_form(side: Side, asking: FormContext, draft: Values) -> Form:
    title = str(draft.get(OPTION_KEY) or "")
    kind = kind_of_title(asking.game, side, title)
    fields: list[Field] = [_option_field(asking, side, draft)]
    if custom_column(title) is not None:
        key = f"{NOTE_PREFIX}{CUSTOM_NOTE}"
        fields.append(Typed(key, title=form_text("words"), most=LONGEST_NOTE, needed=True))
        return Form(tuple(fields))
    option = drafted_option(asking, draft, side)
    if kind is None or option is None:
        return Form(tuple(fields))
    if kind.modes:
        fields.append(_mode_field(kind))
    fields += _input_fields(asking, kind, option)
    fields.append(
        Typed("label", title=form_text("label"), help=form_text("label-help"), most=LONGEST_LABEL)
    )
    if option.free:
        fields.append(Flag("free"))
    if kind.consent and not asking.game.state.settings.approve:
        # No GM looks at new characters here, so players say what their GM has agreed to.
        fields.append(Flag("approved", title=form_text("consent"), label=form_text("approved")))
    if option.state:
        fields.append(Pick("state", choices=plain_options(("suspended", "lost")), needed=True))
    return Form(tuple(fields), warns=partial(_warnings, side), leading=_LEADING)


def _mode_field(kind: OptionKind) -> Pick:
    """Return the field of the mode; the first mode is the one without a choice."""
    first, *others = kind.modes
    choices = tuple(Option(mode.id, _mode_text(mode)) for mode in others)
    return Pick("mode", title=form_text("mode"), choices=choices, nothing=_mode_text(first))


def _input_fields(
    asking: FormContext, kind: OptionKind, option: BackgroundOption
) -> Iterable[Field]:
    """Return the fields of the inputs; inputs with one key share a field."""
    sheet = drafted_sheet(asking.game, asking.around)
    fields: dict[str, Field] = {}
    for row in inputs_of(kind, option, background_rows(asking.game)):
        if row.kind != "mode" and row.applies(option.mode):
            field = input_field(asking, sheet, kind, option, row)
            fields.setdefault(field.key, field)
    return fields.values()


def _mode_text(mode: OptionMode) -> Text:
    return choice_text(mode.id.replace("_", " "), mode.about)


def _option_field(asking: FormContext, side: Side, draft: Values) -> Pick:
    """Return the field of the option: a menu of a column, or a search."""
    title = str(draft.get(OPTION_KEY) or "")
    kind = kind_of_title(asking.game, side, title)
    column = int(draft.get(COLUMN_KEY) or 0) or custom_column(title) or 0
    if kind is not None and kind.title == title:
        column = kind.column
    if column:
        choices = _column_choices(asking, side, column)
    else:
        choices = _search_choices(asking, side, draft)
    return Pick(
        OPTION_KEY,
        title=form_text("option"),
        help=form_text("search-help"),
        choices=tuple(choices),
        find=partial(_find_option, side),
        needed=True,
        writable=not column,
    )


def _column_choices(asking: FormContext, side: Side, column: int) -> Iterable[Option]:
    """Yield the options of a column: those that go well with the sheet's first."""
    game: Game = asking.game
    good: Mapping[str, str] = _good_matches(asking) if side == "compensation" else {}
    kinds = [kind for kind in _allowed_kinds(game, side) if kind.column == column]
    kinds.sort(key=lambda kind: name_key(kind.name) not in good)
    for kind in kinds:
        why = good.get(name_key(kind.name))
        shown = {"name": kind.name, "about": kind.about or None, "why": why}
        yield Option(kind.title, Text("mb-option-choice", shown))
    if _may_be_custom(game, side, column):
        yield Option(option_title(CUSTOM, column), form_text("custom", column=ROMAN[column]))


def _good_matches(asking: FormContext) -> Mapping[str, str]:
    """Return the Compensations that go well with an option of the sheet, each with its title."""
    sheet = drafted_sheet(asking.game, asking.around)
    matches: dict[str, str] = {}
    for suggestion in suggestions(asking.game, sheet):
        for name in suggestion.names:
            matches.setdefault(name_key(name), suggestion.title)
    return matches


def _allowed_kinds(game: Game, side: Side) -> Iterable[OptionKind]:
    """Yield the options of a side that the setting has, the campaign's own among them."""
    rules = creation_rules(game)
    for kind in option_kinds(side, background_rows(game)):
        if not rules.is_barred_option(kind.title):
            yield kind


def _may_be_custom(game: Game, side: Side, column: int) -> bool:
    """Return whether a column may have the GM's own words (MB-BG-08, MB-BG-58)."""
    from_gm = side == "compensation" and column >= LIST_COLUMNS
    return from_gm or bool(game.setting("custom_columns"))


def _search_choices(asking: FormContext, side: Side, draft: Values) -> Iterable[Option]:
    """Yield the options that a typed text may mean: by name, by a word about it, by a skill."""
    text = name_key(str(draft.get(OPTION_KEY) or ""))
    if not text:
        return
    kinds = tuple(_allowed_kinds(asking.game, side))
    by_title = [kind for kind in kinds if name_key(kind.title) == text]
    named = [kind for kind in kinds if text in name_key(kind.name)]
    about = [kind for kind in kinds if text in name_key(kind.about)]
    of_skills: list[OptionKind] = []
    if any(text in name_key(name) for name in SKILLS):
        of_skills = [kind for kind in kinds if kind.has_input("skills")]
    matches = by_title or [*named, *about, *of_skills]
    if not matches:
        near = similar_or_first(text, [kind.title for kind in kinds])
        matches = [kind for kind in kinds if kind.title in near]
    by_unique_title = {kind.title: kind for kind in matches}
    for title, kind in tuple(by_unique_title.items())[:MOST_OFFERED]:
        yield Option(title, choice_text(title, kind.about))


def _find_option(side: Side, asking: FormContext, text: str) -> str:
    """Return the title of the option that a text names. Raises NotFound("mb-option-unclear")."""
    if custom_column(text) is not None:
        return text
    kinds = tuple(_allowed_kinds(asking.game, side))
    wanted = name_key(text)
    matches = [kind for kind in kinds if wanted in (name_key(kind.title), name_key(kind.name))]
    if not matches:
        matches = [kind for kind in kinds if wanted in name_key(kind.name)]
    if len(matches) == 1:
        return matches[0].title
    near = tuple(kind.title for kind in matches)
    if not near:
        near = similar_or_first(text, [kind.title for kind in kinds])
    raise NotFound("mb-option-unclear", field=OPTION_KEY, value=text[:QUOTE_MAX], nearest=near[:5])


# --- preview and warnings -------------------------------------------------------------------------


def with_option(sheet: MasterbookSheet, side: Side, option: BackgroundOption) -> MasterbookSheet:
    """Return the sheet with one option more."""
    if side == "advantage":
        return sheet.replace(advantages=(*sheet.advantages, option))
    return sheet.replace(compensations=(*sheet.compensations, option))


def option_preview(side: Side, asking: FormContext) -> Iterable[Text]:
    """Yield lines on what an option does and changes, while it is filled in."""
    option = drafted_option(asking, asking.values, side)
    if option is None:
        return
    kind = kind_of_title(asking.game, side, option.title)
    if kind is not None and kind.about:
        yield form_text("about", about=kind.about)
    sheet = drafted_sheet(asking.game, asking.around)
    yield from option_changes(sheet, with_option(sheet, side, option))


def _warnings(side: Side, asking: FormContext) -> Iterable[RulesError]:
    """Yield the findings about an option that is filled in (MB-CHAR-18)."""
    game: Game = asking.game
    option = drafted_option(asking, asking.values, side)
    if option is None or not game.setting("background_generation"):
        return
    if not _option_form(side, asking, asking.values).is_complete(asking.values):
        return
    sheet = with_option(drafted_sheet(game, asking.around), side, option)
    rules, raw = creation_rules(game), raw_sheet(sheet)
    entries = option_entries(rules, raw)
    held = sheet.advantages if side == "advantage" else sheet.compensations
    place = f"{side}s[{len(held) - 1}]"
    entry = next((entry for entry in entries if entry.place == place), None)
    if entry is None:
        return
    for finding in single_findings(rules, raw, entry, entries):
        yield InvalidInput(finding.error.code, **{**finding.error.params, "field": ""})
