"""The parts of MasterBook, as the table's `System` record."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from rules.core.data_rows import rows_by_key
from rules.core.record import asdict
from rules.systems.masterbook import reference_commands, settings
from rules.systems.masterbook.advancement import advancement, lessons, life_points
from rules.systems.masterbook.background import commands as background_commands
from rules.systems.masterbook.background import reminders
from rules.systems.masterbook.background.state import PARTS as BACKGROUND_PARTS
from rules.systems.masterbook.character import creation_pages, option_approvals, sample_characters
from rules.systems.masterbook.character.effect_io import check_library_blueprint
from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute
from rules.systems.masterbook.character.sheet_io import write_sheet
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.character.world_profile import MasterbookCampaign, with_world
from rules.systems.masterbook.checks import (
    action_economy,
    card_windows,
    check_forms,
    declared_actions,
    forced_rolls,
    late_rulings,
    npc_kinds,
    sheet_damage,
    sheet_view,
)
from rules.systems.masterbook.checks import procedure as check_procedure
from rules.systems.masterbook.checks.card_awards import (
    BadLuckStage,
    CardLossStage,
    check_deeds,
)
from rules.systems.masterbook.checks.roll_sources import learned_sources
from rules.systems.masterbook.checks.sheet_damage import RESOURCES
from rules.systems.masterbook.checks.sheet_view import MasterbookCharacter
from rules.systems.masterbook.checks.situation_rulings import SituationStage
from rules.systems.masterbook.combat import (
    defense,
    due_healing,
    healing,
    interaction,
    memory,
    movement,
    movement_commands,
    supplies,
)
from rules.systems.masterbook.combat import procedure as combat_procedure
from rules.systems.masterbook.combat.odds import attack_odds, check_odds, next_roll
from rules.systems.masterbook.deck.table_deck import PARTS
from rules.systems.masterbook.effects import board_lines, cast_time, learning
from rules.systems.masterbook.effects import commands as effect_commands
from rules.systems.masterbook.effects.library import PARTS as OFFER_PARTS
from rules.systems.masterbook.effects.running import apply_effect_tick
from rules.systems.masterbook.effects.state import PARTS as EFFECT_PARTS
from rules.systems.masterbook.effects.strike_state import STRIKE_PARTS
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint
from rules.systems.masterbook.formulas.effect_rows import READY_MADE
from rules.systems.masterbook.formulas.equipment import (
    EQUIPMENT_ROWS,
    ArmorKind,
    WeaponKind,
)
from rules.systems.masterbook.formulas.option_kinds import (
    BACKGROUND_ROWS,
    NUMBER_BOUNDS,
    AbilityKind,
    OptionKind,
    Preset,
    Species,
)
from rules.systems.masterbook.rounds import (
    adventure,
    adventure_clock,
    card_commands,
    card_questions,
    card_rules,
    hand_commands,
    place_change,
    surprise,
    task_commands,
    task_state,
)
from rules.systems.masterbook.rounds import procedure as round_procedure
from rules.systems.masterbook.rounds.procedure import ROUND_PROCEDURE
from rules.table.blocks import Text
from rules.table.checks.procedure import CHECK_BUTTON, Procedure
from rules.table.deeds import Deed, deed_actions, deed_forms
from rules.table.gm_values import Tools
from rules.table.people.advancement import growth_procedures
from rules.table.settings.campaign_rows import campaign_from_rows
from rules.table.system import Sheets, System

_rolled_procedure: Final = partial(
    forced_rolls.procedure,
    form=check_forms.PROPOSAL,
    odds=check_odds,
    next_roll=next_roll,
    in_words=True,
)
_COURSE: Final = (
    *(
        check_procedure.CHECK_PROPOSAL,
        check_procedure.CheckPreparation(check_procedure.CHECK_PROPOSAL),
        *check_procedure.AttemptAction().stages(),
    ),
    *(
        forced_rolls.outcome_stage(forced_rolls.feedback_outcome),
        SituationStage(),
        CardLossStage(),
        BadLuckStage(check_deeds),
    ),
)
_PROCEDURES: Final = (
    _rolled_procedure(
        "check",
        _COURSE,
        role="check",
        button=CHECK_BUTTON,
        begin=check_procedure.CHECK_PROPOSAL.propose,
        require_start=action_economy.require_action_left,
    ),
    _rolled_procedure(
        "contest",
        _COURSE,
        role="contest",
        aims=True,
        begin=check_procedure.CHECK_PROPOSAL.propose_contest,
        require_start=action_economy.require_action_left,
    ),
    ROUND_PROCEDURE,
    _rolled_procedure(
        "move",
        (
            *(
                movement.MOVEMENT_PROPOSAL,
                check_procedure.CheckPreparation(movement.MOVEMENT_PROPOSAL),
                *movement.MOVEMENT_ROLL_STAGES,
            ),
            *(movement.LimitShockStage(), movement.MovementStage(), BadLuckStage(check_deeds)),
        ),
        begin=movement.MOVEMENT_PROPOSAL.propose,
        takes_turn=lambda game, check: True,
        data=movement.MovementAttempt,
        form=movement.FORM,
        describe=movement.describe_movement,
    ),
    combat_procedure.PROCEDURE(odds=attack_odds),
    interaction.PROCEDURE,
    forced_rolls.FALL,
    forced_rolls.HOLD,
    defense.PROCEDURE,
    *healing.PROCEDURES,
    lessons.PROCEDURE,
    *growth_procedures(Text("mb-grows")),
    *card_questions.PROCEDURES,
    adventure.PROCEDURE,
    card_commands.FIAT_PROCEDURE,
    *task_commands.PROCEDURES,
    *background_commands.PROCEDURES,
    *effect_commands.PROCEDURES,
)
PROCEDURES: Final[Mapping[str, Procedure[Any]]] = rows_by_key(
    tuple(cast_time.refusing_casters(procedure) for procedure in _PROCEDURES), "kind"
)


def _values(character: MasterbookCharacter) -> dict[str, str]:
    """Return a character's Attributes and skills by name."""
    sheet: MasterbookSheet = character.sheet
    values = {key.capitalize(): str(attribute(sheet, key)) for key in ATTRIBUTES}
    for source in learned_sources(sheet):
        values[source.name] = str(source.value(sheet))
    return values


#: Rows that a campaign may add, by kind.
_CAMPAIGN_KINDS: Final[Mapping[str, type[Any]]] = {
    "weapons": WeaponKind,
    "armour": ArmorKind,
    "advantages": OptionKind,
    "compensations": OptionKind,
    "abilities": AbilityKind,
    "species": Species,
    "presets": Preset,
    "effects": Blueprint,
}
_SHIPPED: Final[Mapping[str, Any]] = {
    "weapons": EQUIPMENT_ROWS.weapons,
    "armour": EQUIPMENT_ROWS.armour,
    **asdict(BACKGROUND_ROWS),
    "effects": READY_MADE,
}
#: Commands under `/mb`, in the order in which Discord lists them.
_COMMANDS: Final = (
    *interaction.COMMANDS,
    *memory.COMMANDS,
    *forced_rolls.COMMANDS,
    *defense.COMMANDS,
    *supplies.COMMANDS,
    *settings.COMMANDS,
    *reference_commands.COMMANDS,
    *declared_actions.COMMANDS,
    *late_rulings.COMMANDS,
    *round_procedure.COMMANDS,
    *movement_commands.COMMANDS,
    *life_points.COMMANDS,
    *lessons.COMMANDS,
    *surprise.COMMANDS,
    *adventure.COMMANDS,
    *card_questions.COMMANDS,
    *hand_commands.COMMANDS,
    *task_commands.COMMANDS,
    *background_commands.COMMANDS,
    *effect_commands.COMMANDS,
)
_DEEDS: Final[tuple[Deed[Any], ...]] = (
    *life_points.DEEDS,
    *memory.DEEDS,
    *supplies.DEEDS,
    *declared_actions.DEEDS,
    *movement_commands.DEEDS,
    *round_procedure.DEEDS,
    *surprise.DEEDS,
    *adventure.DEEDS,
    *hand_commands.DEEDS,
    *task_commands.DEEDS,
    *late_rulings.DEEDS,
    *background_commands.DEEDS,
    *effect_commands.DEEDS,
)
SYSTEM: Final = System(
    key="masterbook",
    name="MasterBook",
    sheets=Sheets(
        kind=MasterbookSheet,
        read=sheet_view.read,
        write=lambda character: write_sheet(character.name, character.sheet),
        describe=board_lines.describe_character,
        pages=sheet_view.pages,
        health=board_lines.health,
        open_points=card_windows.open_points,
        is_dead=lambda sheet: sheet.harm.dead,
        is_dying=lambda sheet: sheet.harm.dying,
        values=_values,
        out=sheet_view.OUT,
        ready=sheet_view.ready_characters,
        remarks=sheet_view.remarks,
        samples=sample_characters.samples,
        completions=sample_characters.COMPLETIONS,
        npcs=sheet_view.npc_choices,
        like=sheet_view.npc_template,
        npc_kinds=npc_kinds.OPTIONS,
        as_kind=npc_kinds.as_kind,
        approvals=option_approvals.approvals,
        rule=option_approvals.rule,
        carry_rulings=option_approvals.carry_rulings,
        carry_passing=sheet_view.carry_passing,
    ),
    procedures=PROCEDURES,
    settings=settings.SETTINGS,
    campaign=with_world(
        campaign_from_rows(
            MasterbookCampaign,
            _CAMPAIGN_KINDS,
            MasterbookCampaign(**_SHIPPED),
            NUMBER_BOUNDS,
            {"effects": check_library_blueprint},
        )
    ),
    creation=creation_pages.PAGES,
    growth={"learn": advancement.learn, "advance": learning.advance},
    advances=learning.advancement_choices,
    resources=RESOURCES,
    tools=Tools({**sheet_damage.TOOLS, **advancement.TOOLS}, RESOURCES),
    parts={
        **PARTS,
        **adventure_clock.PARTS,
        **task_state.PARTS,
        **BACKGROUND_PARTS,
        **EFFECT_PARTS,
        **STRIKE_PARTS,
        **OFFER_PARTS,
    },
    cards=card_rules.CARD_RULES,
    turns=round_procedure.TURNS,
    moves=place_change.move_rounds,
    scenes=adventure.SCENE_RULES,
    ticks=(
        healing.apply_harm_tick,
        round_procedure.apply_turn_tick,
        movement.apply_running_tick,
        advancement.apply_adventure_tick,
        round_procedure.deal_earned_cards,
        task_state.apply_task_tick,
        reminders.apply_background_tick,
        cast_time.apply_cast_tick,
        apply_effect_tick,
    ),
    follow_up=effect_commands.follow_up,
    actions={**deed_actions(_DEEDS), **effect_commands.ACTIONS},
    action_forms=deed_forms(_DEEDS),
    commands=_COMMANDS,
    command_groups=(effect_commands.GROUP,),
    due_checks=due_healing.due_rolls,
    waits=due_healing.healing_waits,
)
