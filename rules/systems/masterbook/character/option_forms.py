"""An Advantage or Compensation as a page: its column, the option, then what it asks for.

A draft is flat: `targets`, `mode`, `label`, `note:<input>`, `number:<input>` and so on. It is
written as the line that `option_lines` reads (MB-BG-01, MB-BG-08).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, cast

from rules.core.errors import InvalidInput, NotFound, RulesError
from rules.core.json_reader import Reader
from rules.core.name_matching import name_key, similar_or_first
from rules.systems.masterbook.character.creation_budget import ColumnBudget, budget, suggestions
from rules.systems.masterbook.character.creation_rules import CreationRules, creation_rules
from rules.systems.masterbook.character.drafts import drafted_sheet
from rules.systems.masterbook.character.option_changes import option_changes
from rules.systems.masterbook.character.option_entries import option_entries
from rules.systems.masterbook.character.option_findings import single_findings
from rules.systems.masterbook.character.option_lines import (
    CUSTOM_NOTE,
    LONGEST_NOTE,
    MOST_TARGETS,
    OPTION_FORM,
    inputs_of,
    option_line,
    read_option,
)
from rules.systems.masterbook.character.options import BackgroundOption, own_gives
from rules.systems.masterbook.character.raw_sheet import raw_sheet
from rules.systems.masterbook.character.sheet import MasterbookSheet, skills_with_adds
from rules.systems.masterbook.character.skill_names import ATTRIBUTES, canonical_skill
from rules.systems.masterbook.formulas.option_kinds import (
    CUSTOM,
    EFFECTS_SKILLS,
    LIST_COLUMNS,
    LOWER_ABILITIES,
    ROMAN,
    BackgroundRows,
    OptionInput,
    OptionKind,
    OptionMode,
    Side,
    ability_kinds,
    option_kinds,
    option_title,
)
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.table.blocks import Text
from rules.table.forms import (
    QUOTE_MAX,
    EntryStart,
    Field,
    Flag,
    Form,
    FormContext,
    Many,
    Number,
    Option,
    Pick,
    Scores,
    Typed,
    Values,
    plain_options,
)
from rules.table.system import Game

#: Key in the draft of an entry beside those of its form: the column whose options are offered, 0
#: for a search.
_COLUMN: Final = "column"
#: Key of the option's title: `Skill Bonus (CI)`.
_OPTION: Final = "option"
#: Keys of one target and of several.
_TARGET, _TARGETS = "target", "targets"
_NOTE, _NUMBER = "note:", "number:"
_SCORES: Final = "scores"
_LABEL_MOST: Final = 100
#: Fields whose menus come first.
_LEADING: Final = (_OPTION, "mode", "link", _TARGET, _TARGETS)
#: Most entries of a menu: options that a search finds, or numbers.
_MOST_OFFERED: Final = 20


def _say(what: str, **more: Any) -> Text:
    return Text("mb-option-form", {"what": what, **more})


def _rows(game: Game) -> BackgroundRows | None:
    return game.campaign if isinstance(game.campaign, BackgroundRows) else None


# --- beginning an entry ---------------------------------------------------------------------------


def option_starts(side: Side) -> Callable[[FormContext], Iterable[EntryStart]]:
    """Return the ways to begin an option: one for each column, and a search."""
    return partial(_starts, side)


def _starts(side: Side, asking: FormContext) -> Iterable[EntryStart]:
    game: Game = asking.game
    columns = budget(game, drafted_sheet(game, asking.values)).columns
    for column in columns:
        if _is_open(side, column):
            yield _column_label(side, column), {_COLUMN: column.column}
    if not columns:
        for number in range(1, LIST_COLUMNS + 1):
            yield Text("mb-option-column", {"column": ROMAN[number]}), {_COLUMN: number}
    yield _say("search"), {_COLUMN: 0}


def _is_open(side: Side, column: ColumnBudget) -> bool:
    if side == "advantage":
        return column.limit is None or column.limit > 0 or column.used > 0
    return column.due > 0 or column.chosen > 0


def _column_label(side: Side, column: ColumnBudget) -> Text:
    """Return the label of a column: `Column I (1 free)`, `Column II (1 due)`."""
    free = None if column.limit is None else max(0, column.limit - column.used)
    shown = {"free": free} if side == "advantage" else {"due": column.missing}
    return Text("mb-option-column", {"column": ROMAN[column.column], **shown})


# --- drafts and lines -----------------------------------------------------------------------------


def opened_line(side: Side, asking: FormContext, line: str) -> dict[str, Any]:
    """Return the draft of an option, read from its line. Raises as `read_option`."""
    row = OPTION_FORM.read_json(read_option(line, side, _rows(asking.game)))
    option: BackgroundOption = OPTION_FORM.make_record(BackgroundOption, row)
    found: dict[str, Any] = {_COLUMN: option.column, _OPTION: option.title}
    found |= {"mode": option.mode, "label": option.label, "state": option.state}
    found |= {_TARGETS: list(option.targets), "link": list(option.link)}
    found[_TARGET] = "".join(option.targets[:1])
    found |= {f"{_NOTE}{key}": text for key, text in option.notes}
    found |= {f"{_NUMBER}{key}": number for key, number in option.numbers}
    found |= {_SCORES: dict(option.numbers), "free": option.free, "approved": option.approved}
    kind = _kind_of_title(asking.game, side, option.title)
    if kind is not None and kind.modes and option.mode == kind.modes[0].id:
        # The first one is what an option has without a choice.
        del found["mode"]
    return {key: value for key, value in found.items() if value not in ("", [], {}, False)}


def drafted_option(asking: FormContext, draft: Values, side: Side) -> BackgroundOption | None:
    """Return the option of a draft, as far as it is filled in; None before it is chosen."""
    title = str(draft.get(_OPTION) or "")
    if (column := _custom_column(title)) is not None:
        text = _note(draft.get(f"{_NOTE}{CUSTOM_NOTE}"))
        return BackgroundOption(CUSTOM, column, notes=((CUSTOM_NOTE, text),))
    kind = _kind_of_title(asking.game, side, title)
    if kind is None:
        return None
    mode = str(draft.get("mode") or (kind.modes[0].id if kind.modes else ""))
    option = BackgroundOption(kind.name, kind.column, mode=mode)
    option = option.replace(
        targets=_drafted_targets(kind, option, draft),
        link=_texts(draft.get("link")),
        label=_note(draft.get("label")).replace('"', "")[:_LABEL_MOST],
        notes=tuple(
            (key.removeprefix(_NOTE), _note(value))
            for key, value in draft.items()
            if key.startswith(_NOTE) and str(value).strip()
        ),
        numbers=_drafted_numbers(draft),
        approved=bool(draft.get("approved")),
        free=bool(draft.get("free")),
        state=cast("Any", draft.get("state") or ""),
    )
    rows = _rows(asking.game)
    return option if rows is None else option.replace(own=own_gives(option, side, rows))


def _drafted_targets(kind: OptionKind, option: BackgroundOption, draft: Values) -> tuple[str, ...]:
    """Return the targets, of the field that the option's form has."""
    single = any(
        _is_single(kind, option, each) for each in kind.inputs if each.applies(option.mode)
    )
    said = draft.get(_TARGET if single else _TARGETS)
    return tuple(map(_canonical_target, _texts(said)))


def _drafted_numbers(draft: Values) -> tuple[tuple[str, int], ...]:
    numbers: dict[str, int] = {}
    for key, value in draft.items():
        if key.startswith(_NUMBER) and (number := _whole(value)) is not None:
            numbers[key.removeprefix(_NUMBER)] = number
    scores: object = draft.get(_SCORES)
    if isinstance(scores, str):
        scores = Scores(_SCORES).parse_text(Reader(), "", scores)
    for name, number in cast("Mapping[str, int]", scores or {}).items():
        numbers[canonical_skill(name)] = number
    return tuple(numbers.items())


def _canonical_target(text: str) -> str:
    """Return a target as a sheet has it: an Attribute's key, or a skill's title."""
    return name_key(text) if name_key(text) in ATTRIBUTES else canonical_skill(text)


def _note(value: object) -> str:
    return " ".join(str(value or "").replace(";", ",").split())[:LONGEST_NOTE]


def _whole(value: object) -> int | None:
    plain = str(value).strip().replace("\u2212", "-").removeprefix("+")
    return int(plain) if plain.removeprefix("-").isdecimal() and len(plain) < 6 else None


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(line.strip() for line in value.splitlines() if line.strip())
    return tuple(map(str, cast("Iterable[object]", value or ())))


def closed_line(side: Side, asking: FormContext, values: Values) -> str:
    """Return the line of a draft that has no problems."""
    option = drafted_option(asking, values, side)
    if option is None:
        return str(values.get(_OPTION) or "")
    row = OPTION_FORM.all_values(option)
    return option_line(row, side, _rows(asking.game))


def option_words(side: Side, asking: FormContext, lines: Sequence[str]) -> Iterable[Text | None]:
    """Yield lines as a list shows them, the column first: `I · Luck`."""
    for line in lines:
        try:
            row = OPTION_FORM.read_json(read_option(line, side, _rows(asking.game)))
        except RulesError:
            yield None
        else:
            yield option_text(OPTION_FORM.make_record(BackgroundOption, row))


def option_text(option: BackgroundOption) -> Text:
    """Return an option in one line: `I · Skill Bonus: Charm, Persuasion, Willpower`."""
    about = option.targets or tuple(text for _, text in option.notes)[:1] or option.link
    words = tuple(each.capitalize() if each in ATTRIBUTES else each for each in about)
    shown = {"column": ROMAN[option.column], "name": option.name, "about": words}
    return Text(
        "mb-option-line",
        {**shown, "label": option.label or None, "state": option.state or None},
    )


# --- the form -------------------------------------------------------------------------------------


def option_form(side: Side) -> Callable[[FormContext, Values], Form]:
    """Return the function that makes the form of an option from its draft."""
    return partial(_form, side)


def _form(side: Side, asking: FormContext, draft: Values) -> Form:
    title = str(draft.get(_OPTION) or "")
    kind = _kind_of_title(asking.game, side, title)
    fields: list[Field] = [_option_field(asking, side, draft)]
    if _custom_column(title) is not None:
        key = f"{_NOTE}{CUSTOM_NOTE}"
        fields.append(Typed(key, title=_say("words"), most=LONGEST_NOTE, needed=True))
        return Form(tuple(fields))
    option = drafted_option(asking, draft, side)
    if kind is None or option is None:
        return Form(tuple(fields))
    if kind.modes:
        first, *others = kind.modes
        choices = tuple(Option(mode.id, _mode_text(mode)) for mode in others)
        fields.append(Pick("mode", title=_say("mode"), choices=choices, nothing=_mode_text(first)))
    sheet = drafted_sheet(asking.game, asking.around)
    by_key: dict[str, Field] = {}
    for each in inputs_of(kind, option, _rows(asking.game)):
        if each.kind != "mode" and each.applies(option.mode):
            field = _input_field(asking, sheet, kind, option, each)
            by_key.setdefault(field.key, field)
    fields += by_key.values()
    fields.append(Typed("label", title=_say("label"), help=_say("label-help"), most=_LABEL_MOST))
    if option.free:
        fields.append(Flag("free"))
    if kind.consent and not asking.game.state.settings.approve:
        # Nobody looks at new characters here, so the players say what their GM has agreed to.
        fields.append(Flag("approved", title=_say("consent"), label=_say("approved")))
    if option.state:
        fields.append(Pick("state", choices=plain_options(("suspended", "lost")), needed=True))
    return Form(tuple(fields), warns=partial(_warnings, side), leading=_LEADING)


def _mode_text(mode: OptionMode) -> Text:
    return _choice_text(mode.id.replace("_", " "), mode.about)


def _choice_text(name: str, about: str) -> Text:
    return Text("mb-option-choice", {"name": name, "about": about or None})


def _option_field(asking: FormContext, side: Side, draft: Values) -> Pick:
    """Return the field of the option: a menu of a column, or a search."""
    title = str(draft.get(_OPTION) or "")
    kind = _kind_of_title(asking.game, side, title)
    column = int(draft.get(_COLUMN) or 0) or _custom_column(title) or 0
    if kind is not None and kind.title == title:
        column = kind.column
    choices = _searched(asking, side, draft) if not column else _listed(asking, side, column)
    return Pick(
        _OPTION,
        title=_say("option"),
        help=_say("search-help"),
        choices=tuple(choices),
        find=partial(_find_option, side),
        needed=True,
        writable=not column,
    )


def _listed(asking: FormContext, side: Side, column: int) -> Iterable[Option]:
    """Yield the options of a column: those that go well with the sheet's first."""
    game: Game = asking.game
    good: Mapping[str, str] = _good_matches(asking) if side == "compensation" else {}
    kinds = [kind for kind in _kinds(game, side) if kind.column == column]
    kinds.sort(key=lambda kind: name_key(kind.name) not in good)
    for kind in kinds:
        why = good.get(name_key(kind.name))
        shown = {"name": kind.name, "about": kind.about or None, "why": why}
        yield Option(kind.title, Text("mb-option-choice", shown))
    if _may_be_custom(game, side, column):
        yield Option(option_title(CUSTOM, column), _say("custom", column=ROMAN[column]))


def _good_matches(asking: FormContext) -> Mapping[str, str]:
    """Return the Compensations that go well with an option of the sheet, each with its title."""
    sheet = drafted_sheet(asking.game, asking.around)
    found: dict[str, str] = {}
    for suggestion in suggestions(asking.game, sheet):
        for name in suggestion.names:
            found.setdefault(name_key(name), suggestion.title)
    return found


def _kinds(game: Game, side: Side) -> Iterable[OptionKind]:
    """Yield the options of a side that the setting has, the campaign's own among them."""
    rules = creation_rules(game)
    for kind in option_kinds(side, _rows(game)):
        if not rules.is_barred_option(kind.title):
            yield kind


def _may_be_custom(game: Game, side: Side, column: int) -> bool:
    """Return whether a column may have the GM's own words (MB-BG-08, MB-BG-58)."""
    from_gm = side == "compensation" and column >= LIST_COLUMNS
    return from_gm or bool(game.setting("custom_columns"))


def _custom_column(title: str) -> int | None:
    """Return the column of an option in the GM's own words; None for another option."""
    for column in range(1, len(ROMAN)):
        if title == option_title(CUSTOM, column):
            return column
    return None


def _kind_of_title(game: Game, side: Side, title: str) -> OptionKind | None:
    rows = _rows(game)
    wanted = name_key(title)
    return next((kind for kind in option_kinds(side, rows) if name_key(kind.title) == wanted), None)


def _searched(asking: FormContext, side: Side, draft: Values) -> Iterable[Option]:
    """Yield the options that a typed text may mean: by name, by a word about it, by a skill."""
    text = name_key(str(draft.get(_OPTION) or ""))
    if not text:
        return
    kinds = tuple(_kinds(asking.game, side))
    by_title = [kind for kind in kinds if name_key(kind.title) == text]
    named = [kind for kind in kinds if text in name_key(kind.name)]
    about = [kind for kind in kinds if text in name_key(kind.about)]
    of_skills: list[OptionKind] = []
    if any(text in name_key(name) for name in SKILLS):
        of_skills = [kind for kind in kinds if any(each.kind == "skills" for each in kind.inputs)]
    near = similar_or_first(text, [kind.title for kind in kinds])
    similar = [kind for kind in kinds if kind.title in near]
    found = {kind.title: kind for kind in by_title or (*named, *about, *of_skills) or similar}
    for title, kind in tuple(found.items())[:_MOST_OFFERED]:
        yield Option(title, _choice_text(title, kind.about))


def _find_option(side: Side, asking: FormContext, text: str) -> str:
    """Return the title of the option that a text names. Raises NotFound("mb-option-unclear")."""
    if _custom_column(text) is not None:
        return text
    kinds = tuple(_kinds(asking.game, side))
    wanted = name_key(text)
    exact = [kind for kind in kinds if wanted in (name_key(kind.title), name_key(kind.name))]
    within = exact or [kind for kind in kinds if wanted in name_key(kind.name)]
    if len(within) == 1:
        return within[0].title
    near = tuple(kind.title for kind in within) or similar_or_first(
        text, [kind.title for kind in kinds]
    )
    raise NotFound("mb-option-unclear", field=_OPTION, value=text[:QUOTE_MAX], nearest=near[:5])


# --- fields of inputs -----------------------------------------------------------------------------


def _input_field(
    asking: FormContext,
    sheet: MasterbookSheet,
    kind: OptionKind,
    option: BackgroundOption,
    each: OptionInput,
) -> Field:
    """Return the field of one input of an option."""
    title, needed = _say("input", name=each.title), not each.optional
    match each.kind:
        case "skills" | "macroskill" | "attributes" | "abilities":
            return _target_field(asking, sheet, kind, option, each)
        case "link":
            choices = tuple(
                Option(held.display_name, option_text(held)) for held in sheet.advantages
            )
            return Many(
                "link",
                title=_say("link"),
                choices=choices,
                find=lambda asking, text: text.strip(),
                most=MOST_TARGETS,
                needed=True,
            )
        case "number":
            offered = tuple(range(each.low, each.high + 1))
            return Number(
                f"{_NUMBER}{each.key}",
                title=title,
                low=each.low,
                high=each.high,
                offered=offered if len(offered) <= _MOST_OFFERED else (),
                label=lambda number: _say("number", name=each.title, n=number),
                apart=True,
                needed=needed,
            )
        case "scores":
            return Scores(_SCORES, title=title, help=_say("scores-help"), low=-1, needed=needed)
        case "choice" if each.choices:
            choices = plain_options(each.choices)
            return Pick(f"{_NOTE}{each.key}", title=title, choices=choices, needed=needed)
        case _:
            return Typed(f"{_NOTE}{each.key}", title=title, most=LONGEST_NOTE, needed=needed)


def _is_single(kind: OptionKind, option: BackgroundOption, each: OptionInput) -> bool:
    """Return whether an input takes one target."""
    if each.kind == "macroskill":
        return True
    if each.kind == "abilities":
        return option.column == LOWER_ABILITIES
    if each.kind not in ("skills", "attributes"):
        return False
    mode = kind.mode(option.mode)
    if mode is not None and mode.units is not None:
        return sum(mode.units) == 1
    return each.high == 1


def _target_field(
    asking: FormContext,
    sheet: MasterbookSheet,
    kind: OptionKind,
    option: BackgroundOption,
    each: OptionInput,
) -> Field:
    """Return the field of an option's targets: skills, Attributes or abilities."""
    choices = tuple(_target_choices(asking, sheet, kind, option, each))
    shown: dict[str, Any] = {
        "title": _say("input", name=each.title),
        "help": _say("targets-help") if each.kind == "skills" else None,
        "choices": partial(_fixed_choices, choices),
        "find": partial(_find_target, each, choices),
        "needed": not each.optional,
        "writable": each.kind not in ("attributes", "macroskill"),
    }
    if _is_single(kind, option, each):
        return Pick(_TARGET, **shown)
    return Many(_TARGETS, most=MOST_TARGETS, **shown)


def _fixed_choices(choices: tuple[Option, ...], asking: FormContext) -> tuple[Option, ...]:
    """Return *choices*, in the signature that a field calls."""
    return choices


def _target_choices(
    asking: FormContext,
    sheet: MasterbookSheet,
    kind: OptionKind,
    option: BackgroundOption,
    each: OptionInput,
) -> Iterable[Option]:
    match each.kind:
        case "attributes":
            for key in ATTRIBUTES:
                yield Option(key, Text("mb-attribute", {"key": key}))
        case "abilities":
            rows = _rows(asking.game)
            columns = {option.column: None, LOWER_ABILITIES: None}
            for ability in (row for column in columns for row in ability_kinds(column, rows)):
                yield Option(ability.name, _choice_text(ability.name, ability.about))
        case "macroskill":
            for row in SKILLS.values():
                if row.macro:
                    yield Option(row.name, _choice_text(row.name, ""))
        case _:
            for title in _skill_targets(asking.game, sheet, kind, option, each):
                yield Option(title, _choice_text(title, ""))


def _skill_targets(
    game: Game,
    sheet: MasterbookSheet,
    kind: OptionKind,
    option: BackgroundOption,
    each: OptionInput,
) -> Iterable[str]:
    """Return the skills and specializations to choose from, the sheet's own first."""
    if each.effects:
        return EFFECTS_SKILLS
    mode = kind.mode(option.mode)
    whole, special = not each.special, not each.whole
    if mode is not None and mode.units is not None:
        whole, special = mode.units[0] > 0, mode.units[1] > 0
    rules = creation_rules(game)
    found: dict[str, None] = {}
    own = skills_with_adds(sheet)
    for skill in own:
        if whole:
            found[skill.title] = None
        for name, _ in skill.specializations if special else ():
            found[f"{skill.title} ({name})"] = None
    for skill in own if special and not whole else ():
        row = SKILLS.get(skill.name)
        for name in () if row is None else row.specializations:
            found.setdefault(f"{skill.title} ({name})", None)
    for row in SKILLS.values() if whole else ():
        if not row.macro and not rules.is_barred_skill(row.name):
            found.setdefault(row.name, None)
    return found


def _find_target(
    each: OptionInput, choices: tuple[Option, ...], asking: FormContext, text: str
) -> str:
    """Return the target that a text names. Raises NotFound("mb-skill-unclear")."""
    offered = {name_key(option.value): option.value for option in choices}
    if name_key(text) in offered:
        return offered[name_key(text)]
    if each.kind == "abilities":
        return text.strip()[:LONGEST_NOTE]
    target = _canonical_target(text)
    name = target.partition(":")[0].partition("(")[0].strip()
    own = {title.partition(":")[0].partition("(")[0].strip() for title in offered.values()}
    if name in SKILLS or name in own:
        return target
    near = similar_or_first(text, [option.value for option in choices] or SKILLS)
    raise NotFound("mb-skill-unclear", field=_TARGET, value=text[:QUOTE_MAX], nearest=near[:5])


# --- preview and warnings -------------------------------------------------------------------------


def with_option(sheet: MasterbookSheet, side: Side, option: BackgroundOption) -> MasterbookSheet:
    """Return the sheet with one option more."""
    if side == "advantage":
        return sheet.replace(advantages=(*sheet.advantages, option))
    return sheet.replace(compensations=(*sheet.compensations, option))


def option_preview(side: Side, asking: FormContext) -> Iterable[Text]:
    """Return what an option does and what it changes, while it is filled in."""
    option = drafted_option(asking, asking.values, side)
    if option is None:
        return
    kind = _kind_of_title(asking.game, side, option.title)
    if kind is not None and kind.about:
        yield _say("about", about=kind.about)
    sheet = drafted_sheet(asking.game, asking.around)
    yield from option_changes(sheet, with_option(sheet, side, option))


def _warnings(side: Side, asking: FormContext) -> Iterable[RulesError]:
    """Yield what the rules of creation find about an option that is filled in (MB-CHAR-18)."""
    game: Game = asking.game
    option = drafted_option(asking, asking.values, side)
    rules: CreationRules = creation_rules(game)
    if option is None or not game.setting("background_generation"):
        return
    if not _form(side, asking, asking.values).is_complete(asking.values):
        return
    sheet = with_option(drafted_sheet(game, asking.around), side, option)
    raw = raw_sheet(sheet)
    entries = option_entries(rules, raw)
    held = sheet.advantages if side == "advantage" else sheet.compensations
    place = f"{side}s[{len(held) - 1}]"
    for entry in entries:
        if entry.place == place:
            for finding in single_findings(rules, raw, entry, entries):
                params = {**finding.error.params, "field": ""}
                yield InvalidInput(finding.error.code, **params)
