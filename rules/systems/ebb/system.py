"""EBB as a `System`: everything that the table asks of it."""

from __future__ import annotations

from functools import partial
from typing import Final

from rules.core.data_rows import rows_by_key
from rules.core.rng import Rng
from rules.systems.ebb import (
    attack,
    healing,
    odds,
    procedure,
    resources,
    sample_characters,
    sheet,
    sheet_view,
    view,
)
from rules.systems.ebb.afterwards import Afterwards
from rules.systems.ebb.generators import roll_generator
from rules.systems.ebb.procedure import (
    PROPOSAL,
    TASK_PROPOSAL,
    TaskPreparation,
    TaskProposal,
    TaskReaction,
)
from rules.systems.ebb.reference_rows import GENERATORS
from rules.systems.ebb.task_roll import roll_task
from rules.table.blocks import Text, Value
from rules.table.checks.procedure import ATTACK_BUTTON, CHECK_BUTTON, Procedure
from rules.table.checks.shared_blocks import health_change
from rules.table.commands import draw_command
from rules.table.forms.fields import Flag, Option, Pick
from rules.table.forms.form import Form
from rules.table.people.advancement import growth_procedures
from rules.table.people.common_fields import field_pages
from rules.table.settings.choice_rows import setting_field
from rules.table.settings.table_settings import REACTION_SETTINGS
from rules.table.system import Game, Initiative, Sheets, System, Tick, TickResult, Turns

_shared: Final = partial(
    Procedure[procedure.Attempt],
    data=procedure.Attempt,
    describe=view.describe,
    require=procedure.require,
    dice_have_fallen=lambda data: data.is_rolled,
    forget=procedure.forget,
    private=procedure.private_audience,
    idle=odds.no_spend_reason,
    afterwards=Afterwards(),
)
#: Procedures with a roll.
_rolled_procedure: Final = partial(
    _shared, odds=odds.odds_for_check, next_roll=odds.next_roll, in_words=True
)
_ATTACK_PROPOSAL: Final = TaskProposal(attack.HitChoice.name)
_TREATMENT_PROPOSAL: Final = TaskProposal(healing.HEALING_STAGE)
_CHECK: Final = (TASK_PROPOSAL, TaskPreparation(TASK_PROPOSAL), TaskReaction())
_ATTACK_DEFENSE: Final = attack.DefensePreparation(
    _ATTACK_PROPOSAL, Text("answer-defend"), Text("answer-evade")
)
_ATTACK: Final = (_ATTACK_PROPOSAL, _ATTACK_DEFENSE, TaskReaction(), attack.HitChoice())
_CONTEST: Final = (
    TASK_PROPOSAL,
    attack.DefensePreparation(TASK_PROPOSAL, Text("answer-face"), Text("answer-roll")),
    TaskReaction(),
)
_TREATMENT: Final = (
    _TREATMENT_PROPOSAL,
    TaskPreparation(_TREATMENT_PROPOSAL),
    TaskReaction(),
    healing.Healing(),
)
_REST: Final = (healing.RestProposal(), healing.Healing())
_PROCEDURES: Final = (
    _rolled_procedure(
        "check",
        _CHECK,
        role="check",
        # The ability's die is rolled if an ability applies (EBB-ROLL).
        skill_is_optional=True,
        button=CHECK_BUTTON,
        form=PROPOSAL,
        begin=TASK_PROPOSAL.propose,
    ),
    _rolled_procedure(
        "attack",
        _ATTACK,
        role="attack",
        button=ATTACK_BUTTON,
        aims=True,
        form=attack.FORM,
        begin=attack.propose_targeted,
        takes_turn=lambda game, check: True,
    ),
    _rolled_procedure(
        "contest",
        _CONTEST,
        role="contest",
        aims=True,
        form=PROPOSAL,
        begin=partial(attack.propose_targeted, wanted="opponent"),
    ),
    _rolled_procedure(
        "treat",
        _TREATMENT,
        role="heal",
        aims=True,
        form=healing.TREAT_FORM,
        begin=healing.propose_treatment,
    ),
    _shared(
        "rest",
        _REST,
        role="heal",
        aims=True,
        form=healing.REST_FORM,
        begin=healing.propose_rest,
        anybody=True,
    ),
    *growth_procedures(Text("ebb-field-ability"), needed=True),
)

_HOUSE: Final = "house_initiative"
_SWITCHES: Final = [Flag(key, default=False) for key in (_HOUSE, "npc_rolls")]
_WAYS: Final = [
    Option(way, Text("ebb-setting-hit", {"value": way})) for way in ("soften", "suffer")
]
_HIT: Final = Pick("hit_default", choices=tuple(_WAYS), default="soften", needed=True)
#: Settings of a table that plays EBB (EBB-INJURY, EBB-ROUND, EBB-FATE).
_SETTINGS: Final = Form((*REACTION_SETTINGS, *map(setting_field, (*_SWITCHES, _HIT))))
#: Attribute that is added to the main die for the order of action, and breaks ties.
_INITIATIVE_ATTRIBUTE: Final = "Alertness"


def _initiative(game: Game, character: sheet.EbbCharacter, rng: Rng) -> Initiative:
    """Return initiative by the house rule: a task roll with ALERTNESS and no ability die.

    The effective ALERTNESS breaks ties. EBB has no rule of its own for this (EBB-ROUND).
    """
    value = sheet.effective_attributes(character.sheet)[_INITIATIVE_ATTRIBUTE]
    roll = roll_task(rng, attribute=value, ability_sides=None)
    line = Text(
        "ebb-initiative",
        {"die": sum(roll.main), "attribute": _INITIATIVE_ATTRIBUTE, "value": value},
    )
    return Initiative((roll.total, value), line)


def _report_recovery(game: Game, passing: Tick) -> TickResult:
    """Report what came back at the end of a session (EBB-HEAL)."""
    lines: list[tuple[str, Text]] = []
    for who, gains in passing.regained.items():
        character = game.character(who)
        about = {"name": character.name, "values": resources.gain_labels(gains)}
        if fitness := dict(gains).get(sheet.FITNESS):
            about |= _recovered_health(character.sheet, fitness)
        lines.append((who, Text("ebb-rested", about)))
    return TickResult(game, tuple(lines))


def _recovered_health(now: sheet.EbbSheet, fitness: int) -> dict[str, Value]:
    """Return the health of a character, and before so much Fitness came back."""
    points = resources.ATTRIBUTE_RESOURCES[sheet.FITNESS]
    before = points.with_value(now, points.of(now) - fitness)
    return health_change(sheet.health_line(before), sheet.health_line(now))


SYSTEM: Final = System(
    key="ebb",
    name="EBB",
    version=2,
    sheets=Sheets(
        kind=sheet.EbbSheet,
        read=lambda game, data, new: sheet.read_sheet(data, new=new),
        write=lambda character: sheet.write_sheet(character.name, character.sheet),
        describe=lambda game, character: sheet_view.describe_character(character),
        pages=lambda game, who: field_pages(sheet_view.SHEET_PAGES, who.sheet, (who.id,)),
        health=lambda game, character, full: sheet_view.health_lines(character.sheet, full=full),
        values=lambda character: sheet.trait_values(character.sheet),
        derived=("attributes",),
        open_points=lambda game, character: (
            Text("ebb-open-fate", {"left": character.sheet.fate}),
        ),
        ready=lambda game: sample_characters.roster(),
        samples=lambda game: sample_characters.roster(),
        completions={
            "abilities": sample_characters.complete_abilities,
            "drawbacks": sample_characters.complete_drawbacks,
        },
    ),
    procedures=rows_by_key(_PROCEDURES, "kind"),
    settings=_SETTINGS,
    creation=sheet_view.CREATION_PAGES,
    growth={"learn": resources.learn, "advance": resources.advance},
    advances=resources.advancement_choices,
    resources=resources.RESOURCES,
    tools=resources.TOOLS,
    turns=Turns(_initiative, house=_HOUSE),
    ticks=(_report_recovery,),
    tables={kind: partial(roll_generator, kind) for kind in GENERATORS},
    commands=tuple(draw_command(kind) for kind in GENERATORS),
)
