"""The parts of EGO, as the table's `System` record."""

from __future__ import annotations

from functools import partial
from typing import Final

from rules.core.data_rows import rows_by_key
from rules.systems.ego import sheet_view
from rules.systems.ego.character import (
    advancement,
    combat_values,
    creation,
    enemies,
    pools,
    sample_characters,
)
from rules.systems.ego.character.advancement import EgoCharacter
from rules.systems.ego.character.resources import RESOURCES
from rules.systems.ego.character.sheet import EgoSheet, write_sheet
from rules.systems.ego.checks import karma_plans, rounds
from rules.systems.ego.checks import procedure as check_procedure
from rules.systems.ego.checks.odds import next_roll, no_spend_reason, odds_for_check
from rules.systems.ego.combat import actions, falls, healing, powers
from rules.systems.ego.combat import procedure as combat_procedure
from rules.systems.ego.commands import COMMANDS, DEEDS
from rules.systems.ego.formulas.reference_rows import BOUNDS, ROW_KINDS, SHIPPED_ROWS, Rows
from rules.systems.ego.settings import SETTINGS
from rules.systems.ego.vehicles import collisions, vehicle_file, vehicles_in_play
from rules.table.checks.procedure import CHECK_BUTTON, Procedure
from rules.table.checks.stages import without_typed_defense
from rules.table.deeds import deed_actions, deed_forms
from rules.table.gm_values import Tools
from rules.table.people.common_fields import field_pages
from rules.table.settings.campaign_rows import campaign_from_rows
from rules.table.system import Sheets, System


def _values(character: EgoCharacter) -> dict[str, str]:
    """Return the dice of a character's abilities and skills by name (EGO-SKL-02)."""
    sheet: EgoSheet = character.sheet
    values: dict[str, str] = {}
    for key in pools.ABILITIES:
        values[key.capitalize()] = f"{pools.ability_dice(sheet, key)}d6"
    for source in pools.learned_sources(sheet, Rows()):
        dice = pools.dice_in(pools.terms(sheet, source, ""))
        values[source.name] = f"{dice}d6"
    return values


#: Procedure of a roll: a check or a contest.
_rolled_procedure: Final = partial(
    Procedure[check_procedure.Attempt],
    course=check_procedure.COURSE,
    data=check_procedure.Attempt,
    form=check_procedure.PROPOSAL,
    describe=check_procedure.describe,
    require=check_procedure.require,
    dice_have_fallen=check_procedure.has_rolled,
    forget=without_typed_defense,
    odds=odds_for_check,
    next_roll=next_roll,
    idle=no_spend_reason,
    in_words=True,
    takes_turn=check_procedure.has_cost,
)
_ROLLS: Final = (
    _rolled_procedure(
        "check",
        role="check",
        button=CHECK_BUTTON,
        begin=check_procedure.CHECK_PROPOSAL.propose,
    ),
    _rolled_procedure(
        "contest",
        role="contest",
        aims=True,
        begin=check_procedure.CHECK_PROPOSAL.propose_contest,
    ),
)
_ATTACKS: Final = (
    combat_procedure.PROCEDURE,
    powers.PROCEDURE,
    falls.PROCEDURE,
    *collisions.PROCEDURES,
)
_OTHERS: Final = (rounds.ROUND, actions.PROCEDURE, *healing.PROCEDURES)
PROCEDURES: Final = rows_by_key([*_ROLLS, *_ATTACKS, *_OTHERS], "kind")

SYSTEM: Final = System(
    key="ego",
    name="EGO",
    sheets=Sheets(
        kind=EgoSheet,
        read=creation.read,
        write=lambda character: write_sheet(character.name, character.sheet),
        describe=sheet_view.describe_character,
        pages=lambda game, who: field_pages(sheet_view.REST, who.sheet, (who.id,)),
        health=sheet_view.health_lines,
        is_dead=combat_values.is_dead,
        open_points=sheet_view.open_points,
        values=_values,
        out=sheet_view.OUT,
        samples=sample_characters.samples,
        completions=sample_characters.COMPLETIONS,
        warnings=creation.warnings,
        npcs=enemies.enemy_choices,
        like=enemies.enemy_sheet,
    ),
    procedures=PROCEDURES,
    settings=SETTINGS,
    campaign=campaign_from_rows(Rows, ROW_KINDS, SHIPPED_ROWS, BOUNDS),
    creation=creation.PAGES,
    growth={"learn": advancement.learn, "advance": advancement.advance},
    advances=advancement.advancement_choices,
    resources=RESOURCES,
    tools=Tools({}, RESOURCES),
    turns=rounds.TURNS.replace(board_commands=karma_plans.board_commands),
    ticks=(
        rounds.apply_tick_effects,
        vehicles_in_play.apply_vehicle_tick,
        healing.heal_over_time,
        powers.end_lasting_effects,
    ),
    parts={vehicles_in_play.PREFIX: vehicles_in_play.Vehicle},
    part_files={vehicles_in_play.PREFIX: vehicle_file.FILE},
    actions=deed_actions(DEEDS),
    action_forms=deed_forms(DEEDS),
    commands=COMMANDS,
)
