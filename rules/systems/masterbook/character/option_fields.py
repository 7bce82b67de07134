"""Fields for the inputs of an option: targets, numbers, links and notes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from rules.core.errors import NotFound
from rules.core.name_matching import name_key, similar_or_first
from rules.systems.masterbook.character.creation_rules import background_rows, creation_rules
from rules.systems.masterbook.character.option_drafts import (
    NOTE_PREFIX,
    NUMBER_PREFIX,
    SCORES_KEY,
    TARGET_KEY,
    TARGETS_KEY,
    canonical_target,
    option_text,
    takes_one_target,
)
from rules.systems.masterbook.character.option_lines import LONGEST_NOTE, MOST_TARGETS
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.sheet import MasterbookSheet, skills_with_adds
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.formulas.option_kinds import (
    EFFECTS_SKILLS,
    LOWER_ABILITIES,
    OptionInput,
    OptionKind,
    ability_kinds,
)
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.table.blocks import Text
from rules.table.forms import (
    QUOTE_MAX,
    Field,
    FormContext,
    Many,
    Number,
    Option,
    Pick,
    Scores,
    Typed,
    plain_options,
)
from rules.table.system import Game

#: Most entries of a menu: options that a search finds, or numbers.
MOST_OFFERED: Final = 20


def form_text(what: str, **more: Any) -> Text:
    return Text("mb-option-form", {"what": what, **more})


def choice_text(name: str, about: str) -> Text:
    return Text("mb-option-choice", {"name": name, "about": about or None})


def input_field(
    asking: FormContext,
    sheet: MasterbookSheet,
    kind: OptionKind,
    option: BackgroundOption,
    each: OptionInput,
) -> Field:
    """Return the field of one input of an option."""
    title, needed = form_text("input", name=each.title), not each.optional
    match each.kind:
        case "skills" | "macroskill" | "attributes" | "abilities":
            return _target_field(asking, sheet, kind, option, each)
        case "link":
            choices = tuple(
                Option(held.display_name, option_text(held)) for held in sheet.advantages
            )
            return Many(
                "link",
                title=form_text("link"),
                choices=choices,
                find=lambda asking, text: text.strip(),
                most=MOST_TARGETS,
                needed=True,
            )
        case "number":
            offered = tuple(range(each.low, each.high + 1))
            return Number(
                f"{NUMBER_PREFIX}{each.key}",
                title=title,
                low=each.low,
                high=each.high,
                offered=offered if len(offered) <= MOST_OFFERED else (),
                label=lambda number: form_text("number", name=each.title, n=number),
                apart=True,
                needed=needed,
            )
        case "scores":
            return Scores(
                SCORES_KEY, title=title, help=form_text("scores-help"), low=-1, needed=needed
            )
        case "choice" if each.choices:
            choices = plain_options(each.choices)
            return Pick(f"{NOTE_PREFIX}{each.key}", title=title, choices=choices, needed=needed)
        case _:
            return Typed(f"{NOTE_PREFIX}{each.key}", title=title, most=LONGEST_NOTE, needed=needed)


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
        "title": form_text("input", name=each.title),
        "help": form_text("targets-help") if each.kind == "skills" else None,
        "choices": partial(_fixed_choices, choices),
        "find": partial(_find_target, each, choices),
        "needed": not each.optional,
        "writable": each.kind not in ("attributes", "macroskill"),
    }
    if takes_one_target(kind, option, each):
        return Pick(TARGET_KEY, **shown)
    return Many(TARGETS_KEY, most=MOST_TARGETS, **shown)


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
            rows = background_rows(asking.game)
            columns = {option.column: None, LOWER_ABILITIES: None}
            for ability in (row for column in columns for row in ability_kinds(column, rows)):
                yield Option(ability.name, choice_text(ability.name, ability.about))
        case "macroskill":
            for row in SKILLS.values():
                if row.macro:
                    yield Option(row.name, choice_text(row.name, ""))
        case _:
            for title in _skill_targets(asking.game, sheet, kind, option, each):
                yield Option(title, choice_text(title, ""))


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
    target = canonical_target(text)
    name = target.partition(":")[0].partition("(")[0].strip()
    own = {title.partition(":")[0].partition("(")[0].strip() for title in offered.values()}
    if name in SKILLS or name in own:
        return target
    near = similar_or_first(text, [option.value for option in choices] or SKILLS)
    raise NotFound("mb-skill-unclear", field=TARGET_KEY, value=text[:QUOTE_MAX], nearest=near[:5])
