"""Fields and forms of checks: for proposals, for the GM, and for the other side of a contest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from rules.core.errors import InvalidInput, NotPermitted, RulesError
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks import background_causes, card_windows
from rules.systems.masterbook.checks.attempt_values import (
    PLACE_ROWS,
    attempt_subject,
    places_of,
    split_row,
)
from rules.systems.masterbook.checks.roll_sources import (
    RollSource,
    attributes,
    find_attribute,
    find_source,
    learned_sources,
    unlearned_sources,
)
from rules.systems.masterbook.checks.state import read_difficulty
from rules.systems.masterbook.formulas import skill_rules, skills
from rules.systems.masterbook.formulas.success_chart import DIFFICULTIES
from rules.table.blocks import Text
from rules.table.checks import stages
from rules.table.checks.stages import APPROACH_FIELD
from rules.table.forms.fields import Flag, FormContext, Many, Number, Option, Pick, Typed
from rules.table.forms.form import Form
from rules.table.lookup import find_known
from rules.table.permissions import is_gm
from rules.table.system import Game

#: The most that a GM adds to a difficulty at once.
_HARDER: Final = 50


def helper(asking: FormContext, text: str) -> str:
    """Return the id of a character who is to help. Raises as `find_known`."""
    return find_known(asking.game.state, asking.game.actor, text, "together").id


def _skill_option(sheet: MasterbookSheet, source: RollSource, *, card: bool = False) -> Option:
    code = "mb-skill" if source.adds or source.special_adds else "mb-untrained-skill"
    about = {"name": source.name, "value": source.value(sheet), "card": card}
    return Option(source.name, Text(code, about))


def skills_of(game: Game, sheet: MasterbookSheet, who: str = "") -> tuple[Option, ...]:
    """Return the skills that a character can roll, with their values.

    Those without adds go by their Attribute, if the book lets untrained characters try. If a card
    might make up for missing training, skills that take training come last (MB-CARD-E03).
    """
    lacking = unlearned_sources(sheet)
    barred = [source for source in lacking if skills.SKILLS[source.skill].untrained == "no"]
    free = [source for source in lacking if source not in barred]
    options = [_skill_option(sheet, source) for source in (*learned_sources(sheet), *free)]
    if who and card_windows.may_train(game, who):
        options += [_skill_option(sheet, source, card=True) for source in barred]
    return tuple(options)


def attributes_of(sheet: MasterbookSheet) -> tuple[Option, ...]:
    """Return the eight Attributes, with their values."""
    options: list[Option] = []
    for source in attributes():
        about = {"name": source.name, "value": source.value(sheet)}
        options.append(Option(source.attribute, Text("mb-skill", about)))
    return tuple(options)


def skill_in_form(asking: FormContext) -> str:
    """Return the skill of the panel, or of the proposal that it answers."""
    said = asking.values.get("skill")
    if said:
        return str(said)
    check = asking.check
    if check is None or not hasattr(check.data, "request"):
        return ""
    return check.data.request.skill


def actor_sheet(asking: FormContext) -> MasterbookSheet | None:
    """Return the sheet of the acting character; None without one."""
    check = asking.check
    who = (check.actor if check is not None else "") or asking.who
    return asking.game.sheet(who) if asking.game is not None and who else None


def _skill_of(asking: FormContext) -> str:
    """Return the form's skill by its name in the book; empty for an Attribute."""
    sheet, text = actor_sheet(asking), skill_in_form(asking)
    return "" if sheet is None or not text else find_source(sheet, text).skill


def _levels(asking: FormContext) -> tuple[Option, ...]:
    """Return the difficulties of the skill's own charts, then the rest of the scale (MB-DN-01)."""
    own = [row for row in skills.rows_of(_skill_of(asking)) if row.dn is not None]
    numbers = {row.dn for row in own}
    options: list[Option] = []
    for row in own:
        about = {"row": row.words, "number": row.dn}
        options.append(Option(str(row.dn), Text("mb-chart-dn", about)))
    for level in DIFFICULTIES.values():
        if level.dn not in numbers:
            label = Text("mb-level", {"name": level.name, "number": level.dn})
            options.append(Option(level.name, label))
    return tuple(options)


def _row_options(skill: str, *, numbers: bool) -> Iterable[Option]:
    """Yield the rows of a skill's charts with each number that they may have.

    Rows that are a difficulty by themselves are left out without *numbers*.
    """
    places = PLACE_ROWS if places_of(skill) else ()
    for row in (*skills.rows_of(skill), *places):
        if row.dn is not None and not numbers:
            continue
        is_counted = row.modifier is None and row.dn is None
        for number in skills.offered_numbers(row):
            label = Text("mb-chart-modifier", {"row": row.words, "number": number})
            yield Option(f"{row.id} {number}" if is_counted else row.id, label)


def _row_key(text: str) -> str:
    return text.strip().casefold().replace(" ", "_")


def rows_by(skill_of: Callable[[FormContext], str], *, numbers: bool = False) -> Many:
    """Return the field for rows of a skill's charts.

    Rows that are a difficulty by themselves are offered with *numbers* only.
    """

    def choices(asking: FormContext) -> tuple[Option, ...]:
        return tuple(_row_options(skill_of(asking), numbers=numbers))

    def find(asking: FormContext, text: str) -> str:
        """Return the row that *text* names, with its number.

        Raises InvalidInput("mb-light-load") for a load too light to matter, and as
        `skills.chosen_rows` and `skills.row_value`.
        """
        name, number = split_row(text)
        skill = skill_of(asking)
        key, whole = _row_key(name), _row_key(text)
        rows = skills.rows_of(skill)
        if key == "load" and number is not None:
            # The number is in hundredths of the character's own weight.
            key, number = skills.load_row(skill, number) or key, None
            if key == "load" and any(row.group == key for row in rows):
                raise InvalidInput("mb-light-load", field="with", value=text)
        elif any(row.id == whole for row in rows):
            # The number is part of the row's name.
            key, number = whole, None
        if key not in places_of(skill):
            for row in skills.chosen_rows(skill, (key,)):
                skills.row_value(row, number)
        return key if number is None else f"{key} {number}"

    return Many(
        "rows",
        called="circumstance",
        example="night",
        title=Text("mb-rows"),
        choices=choices,
        find=find,
        most=20,
    )


def _input(asking: FormContext, text: str) -> str:
    """Return an input of the form's skill.

    Raises NotPermitted("gm-only") if only GMs may say it, and as `skill_rules.read_input`.
    """
    value = skill_rules.read_input(_skill_of(asking), text)
    if value == skill_rules.ORDAINED and not is_gm(asking.game.state, asking.game.actor):
        raise NotPermitted("gm-only")
    return value


def _input_refusal(asking: FormContext, word: str) -> RulesError | None:
    """Return an error for skills whose uses take no inputs."""
    skill = _skill_of(asking)
    return None if skill_rules.inputs_of(skill) else skill_rules.unfit_input_error(skill, word)


GIVEN: Final = Many(
    "given",
    title=Text("mb-given"),
    help=Text("mb-given-help"),
    find=_input,
    alone=f"({'|'.join(skills.INPUTS)})([ :]|$)",
    most=8,
    example="explosive 20",
    hidden_if=_input_refusal,
)
SKILL: Final = Pick(
    "skill",
    choices=lambda asking: (
        () if asking.game is None else skills_of(asking.game, asking.sheet, asking.subject)
    ),
    find=stages.find_or_none(lambda asking, text: find_source(asking.sheet, text).name),
)
ATTRIBUTE: Final = Pick(
    "attribute",
    choices=lambda asking: () if asking.game is None else attributes_of(asking.sheet),
    find=stages.find_or_none(lambda asking, text: find_attribute(text)),
)
DIFFICULTY: Final = Typed(
    "difficulty", most=60, choices=_levels, read=read_difficulty, hidden_if=stages.opposed_error
)
ROWS: Final = rows_by(_skill_of)
_WHO_KNOWS: Final = Text("mb-with", {"what": "who knows"})
SHOWN: Final = Flag(
    "shown",
    topic=_WHO_KNOWS,
    label=Text("mb-with", {"what": "shown"}),
    hidden_if=stages.opposed_error,
)
UNAWARE: Final = Flag("unaware", topic=_WHO_KNOWS, label=Text("mb-with", {"what": "unaware"}))
HARDER: Final = Number(
    "harder",
    low=-_HARDER,
    high=_HARDER,
    offered=(-3, 1, 3, 5, 7),
    topic=Text("mb-with", {"what": "how hard"}),
    label=lambda number: Text("mb-with", {"what": "harder", "number": number}),
)
#: Situations of options that may apply, for GMs.
SITUATIONS: Final = background_causes.situations_field(attempt_subject)
COORDINATION: Final = Typed(
    "coordination",
    most=60,
    read=read_difficulty,
    hidden_if=stages.HIDDEN_BY_GM_FIELD.hidden_if,
    help=Text("mb-hint", {"what": "coordination"}),
    example="Average",
)
#: The actor's form, for a first proposal and for a revised one.
PROPOSAL: Final = Form(
    (
        SKILL,
        ATTRIBUTE,
        DIFFICULTY,
        ROWS,
        GIVEN,
        APPROACH_FIELD,
        stages.MODIFIER_FIELD,
        stages.HIDDEN_BY_GM_FIELD,
    )
)
#: The GM's form.
RULING: Final = Form(
    (
        DIFFICULTY,
        ROWS,
        SITUATIONS,
        GIVEN,
        stages.MODIFIER_FIELD,
        HARDER,
        SHOWN,
        UNAWARE,
        stages.NOTE_FIELD,
    )
)
STAND: Final = Pick(
    "stand",
    title=Text("mb-stand"),
    choices=(
        Option("passive", Text("mb-stands", {"active": False})),
        Option("active", Text("mb-stands", {"active": True})),
    ),
)
#: The form of the other side of a contest.
DEFEND: Final = Form((SKILL, ATTRIBUTE, STAND, APPROACH_FIELD))
