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
    option_text,
    takes_one_target,
)
from rules.systems.masterbook.character.option_lines import (
    LONGEST_NOTE,
    MOST_TARGETS,
    canonical_target,
)
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.sheet import MasterbookSheet, Skill, skills_with_adds
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
from rules.table.forms.entry_fields import Scores
from rules.table.forms.fields import (
    QUOTE_MAX,
    FormContext,
    Many,
    Number,
    Option,
    Pick,
    Typed,
    plain_options,
)
from rules.table.forms.form import Field
from rules.table.system import Game

#: Most entries of a menu: options that a search finds, or numbers.
MOST_OFFERED: Final = 20


def form_text(what: str, **more: Any) -> Text:
    """Return a text of the form of an option."""
    return Text("mb-option-form", {"what": what, **more})


def choice_text(name: str, about: str) -> Text:
    """Return a choice of a menu, with what it's about."""
    return Text("mb-option-choice", {"name": name, "about": about or None})


def input_field(
    asking: FormContext,
    sheet: MasterbookSheet,
    kind: OptionKind,
    option: BackgroundOption,
    option_input: OptionInput,
) -> Field:
    """Return the field of one input of an option."""
    title, needed = form_text("input", name=option_input.title), not option_input.optional
    match option_input.kind:
        case "skills" | "macroskill" | "attributes" | "abilities":
            return _target_field(asking, sheet, kind, option, option_input)
        case "link":
            return _link_field(sheet)
        case "number":
            return _number_field(option_input)
        case "scores":
            return Scores(
                SCORES_KEY, title=title, help=form_text("scores-help"), low=-1, needed=needed
            )
        case "choice" if option_input.choices:
            choices = plain_options(option_input.choices)
            return Pick(
                f"{NOTE_PREFIX}{option_input.key}", title=title, choices=choices, needed=needed
            )
        case _:
            return Typed(
                f"{NOTE_PREFIX}{option_input.key}", title=title, most=LONGEST_NOTE, needed=needed
            )


def _link_field(sheet: MasterbookSheet) -> Field:
    """Return the field of the Advantages that a Compensation hangs on."""
    held = sheet.advantages
    return Many(
        "link",
        title=form_text("link"),
        choices=tuple(Option(option.display_name, option_text(option)) for option in held),
        find=lambda asking, text: text.strip(),
        most=MOST_TARGETS,
        needed=True,
    )


def _number_field(option_input: OptionInput) -> Field:
    numbers = tuple(range(option_input.low, option_input.high + 1))
    return Number(
        f"{NUMBER_PREFIX}{option_input.key}",
        title=form_text("input", name=option_input.title),
        low=option_input.low,
        high=option_input.high,
        offered=numbers if len(numbers) <= MOST_OFFERED else (),
        label=lambda number: form_text("number", name=option_input.title, n=number),
        apart=True,
        needed=not option_input.optional,
    )


def _target_field(
    asking: FormContext,
    sheet: MasterbookSheet,
    kind: OptionKind,
    option: BackgroundOption,
    option_input: OptionInput,
) -> Field:
    """Return the field of an option's targets: skills, Attributes or abilities."""
    choices = tuple(_target_choices(asking, sheet, kind, option, option_input))
    shown: dict[str, Any] = {
        "title": form_text("input", name=option_input.title),
        "help": form_text("targets-help") if option_input.kind == "skills" else None,
        "choices": partial(_fixed_choices, choices),
        "find": partial(_find_target, option_input, choices),
        "needed": not option_input.optional,
        "writable": option_input.kind not in ("attributes", "macroskill"),
    }
    if takes_one_target(kind, option, option_input):
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
    option_input: OptionInput,
) -> Iterable[Option]:
    match option_input.kind:
        case "attributes":
            for key in ATTRIBUTES:
                yield Option(key, Text("mb-attribute", {"key": key}))
        case "abilities":
            rows = background_rows(asking.game)
            for column in dict.fromkeys((option.column, LOWER_ABILITIES)):
                for ability in ability_kinds(column, rows):
                    yield Option(ability.name, choice_text(ability.name, ability.about))
        case "macroskill":
            for row in SKILLS.values():
                if row.macro:
                    yield Option(row.name, choice_text(row.name, ""))
        case _:
            for title in _skill_targets(asking.game, sheet, kind, option, option_input):
                yield Option(title, choice_text(title, ""))


def _skill_targets(
    game: Game,
    sheet: MasterbookSheet,
    kind: OptionKind,
    option: BackgroundOption,
    option_input: OptionInput,
) -> Iterable[str]:
    """Return the skills and specializations to choose from, the sheet's own first."""
    if option_input.effects:
        return EFFECTS_SKILLS
    mode = kind.mode(option.mode)
    whole, special = not option_input.special, not option_input.whole
    if mode is not None and mode.units is not None:
        whole, special = mode.units[0] > 0, mode.units[1] > 0
    titles: list[str] = []
    own = skills_with_adds(sheet)
    for skill in own:
        if whole:
            titles.append(skill.title)
        if special:
            titles += [f"{skill.title} ({name})" for name, _ in skill.specializations]
    if whole:
        titles += _listed_skills(game)
    elif special:
        for skill in own:
            titles += _listed_specializations(skill)
    return dict.fromkeys(titles)


def _listed_skills(game: Game) -> Iterable[str]:
    """Yield the skills of the list that the setting has, without macroskills."""
    rules = creation_rules(game)
    for row in SKILLS.values():
        if not row.macro and not rules.is_barred_skill(row.name):
            yield row.name


def _listed_specializations(skill: Skill) -> Iterable[str]:
    row = SKILLS.get(skill.name)
    if row is not None:
        for name in row.specializations:
            yield f"{skill.title} ({name})"


def _skill_of(title: str) -> str:
    """Return the skill of a title, without focus and specialization."""
    return title.partition(":")[0].partition("(")[0].strip()


def _find_target(
    option_input: OptionInput, choices: tuple[Option, ...], asking: FormContext, text: str
) -> str:
    """Return the target that a text names. Raises NotFound("mb-skill-unclear")."""
    offered = {name_key(option.value): option.value for option in choices}
    if name_key(text) in offered:
        return offered[name_key(text)]
    if option_input.kind == "abilities":
        return text.strip()[:LONGEST_NOTE]
    target = canonical_target(text)
    skill = _skill_of(target)
    if skill in SKILLS or skill in map(_skill_of, offered.values()):
        return target
    near = similar_or_first(text, [option.value for option in choices] or SKILLS)
    raise NotFound("mb-skill-unclear", field=TARGET_KEY, value=text[:QUOTE_MAX], nearest=near[:5])
