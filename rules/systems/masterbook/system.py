"""MasterBook: what the table asks of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from rules.core.data_rows import named
from rules.systems.masterbook import reference_commands, settings
from rules.systems.masterbook.advancement import experience
from rules.systems.masterbook.character.sheet import ATTRIBUTES, MasterbookSheet, attribute
from rules.systems.masterbook.character.sheet_io import write_sheet
from rules.systems.masterbook.checks import (
    action_economy,
    forced_rolls,
    sheet_damage,
    sheet_view,
)
from rules.systems.masterbook.checks import procedure as check_procedure
from rules.systems.masterbook.checks.card_awards import Noticed, Robbing, Unlucky, tried
from rules.systems.masterbook.checks.roll_sources import known
from rules.systems.masterbook.checks.sheet_damage import RESOURCES
from rules.systems.masterbook.checks.sheet_view import MasterbookCharacter
from rules.systems.masterbook.combat import healing, interaction, movement, supplies
from rules.systems.masterbook.combat import procedure as combat_procedure
from rules.systems.masterbook.combat.odds import forecast, foreseen
from rules.systems.masterbook.deck.table_deck import PARTS
from rules.systems.masterbook.formulas.equipment import ALL, ArmourKind, Rows, WeaponKind
from rules.systems.masterbook.rounds import (
    adventure,
    card_questions,
    hand_commands,
    skill_resolution,
    surprise,
)
from rules.systems.masterbook.rounds import procedure as round_procedure
from rules.systems.masterbook.rounds.procedure import ROUND
from rules.table.blocks import Text
from rules.table.campaign_rows import campaign_of
from rules.table.checks.procedure import Procedure
from rules.table.gm_values import Tools
from rules.table.people.advancement import procedures as growth
from rules.table.people.common_fields import told_pages
from rules.table.system import Sheets, System

_rolled: Final = partial(forced_rolls.procedure, form=check_procedure.PROPOSAL, odds=forecast, in_words=True)
_COURSE: Final = (
    *(
        check_procedure.PROPOSED,
        check_procedure.Prepared(check_procedure.PROPOSED),
        *check_procedure.Trying().stages(),
    ),
    *(forced_rolls.comes(forced_rolls.fed), Robbing(), Unlucky(tried)),
)
PROCEDURES: Final[Mapping[str, Procedure[Any]]] = named(
    (
        _rolled("check", _COURSE, begin=check_procedure.PROPOSED.proposed),
        _rolled("contest", _COURSE, begin=check_procedure.PROPOSED.dared),
        ROUND,
        _rolled(
            "move",
            (
                *(movement.MOVING, check_procedure.Prepared(movement.MOVING), *movement.ROLLED),
                *(movement.Limiting(), movement.Moved(), Noticed(tried)),
            ),
            begin=movement.MOVING.proposed,
            data=movement.Feat,
            form=movement.FORM,
            describe=movement.telling,
        ),
        combat_procedure.PROCEDURE(odds=foreseen),
        interaction.PROCEDURE,
        forced_rolls.FALL,
        forced_rolls.HOLD,
        *healing.PROCEDURES,
        experience.PROCEDURE,
        *growth(Text("mb-grows")),
        *card_questions.PROCEDURES,
        adventure.PROCEDURE,
        round_procedure.ARRANGING,
        *skill_resolution.PROCEDURES,
    ),
    "kind",
)


def _values(character: MasterbookCharacter) -> dict[str, str]:
    """Attributes and skills, by name."""
    sheet: MasterbookSheet = character.sheet
    found = {key.capitalize(): str(attribute(sheet, key)) for key in ATTRIBUTES}
    return found | {each.name: str(each.value(sheet)) for each in known(sheet)}


#: Commands under `/mb`, in the order in which Discord lists them.
_COMMANDS: Final = (
    *interaction.COMMANDS,
    *forced_rolls.COMMANDS,
    *supplies.COMMANDS,
    *settings.COMMANDS,
    *reference_commands.COMMANDS,
    *action_economy.COMMANDS,
    *round_procedure.COMMANDS,
    *movement.COMMANDS,
    *experience.COMMANDS,
    *surprise.COMMANDS,
    *adventure.COMMANDS,
    *card_questions.COMMANDS,
    *hand_commands.COMMANDS,
    *skill_resolution.COMMANDS,
)
_ACTS: Final = (
    *experience.ACTS,
    *adventure.ACTS,
    *[command.run for command in _COMMANDS if isinstance(command.run, action_economy.Acts)],
)
SYSTEM: Final = System(
    key="masterbook",
    name="MasterBook",
    sheets=Sheets(
        kind=MasterbookSheet,
        read=sheet_view.read,
        write=lambda character: write_sheet(character.name, character.sheet),
        describe=sheet_view.describe_character,
        pages=lambda game, who: told_pages(sheet_view.REST, who.sheet, (who.id,)),
        health=sheet_view.health,
        values=_values,
        out=sheet_view.OUT,
        ready=sheet_view.ready,
        npcs=sheet_view.offered,
        like=sheet_view.like,
    ),
    procedures=PROCEDURES,
    settings=settings.SETTINGS,
    campaign=campaign_of(Rows, {"weapons": WeaponKind, "armour": ArmourKind}, ALL, {}),
    creation=sheet_view.PAGES,
    growth={"learn": experience.learn, "advance": experience.advance},
    advances=experience.offers,
    resources=RESOURCES,
    tools=Tools(sheet_damage.TOOLS, RESOURCES),
    parts={**PARTS, **skill_resolution.PARTS},
    cards=hand_commands.RULES,
    turns=round_procedure.TURNS,
    ticks=(
        healing.passed,
        round_procedure.ticks,
        movement.ticks,
        experience.adventure_over,
        round_procedure.cards_dealt,
        skill_resolution.ticks,
    ),
    actions={each.kind: each.carries for each in _ACTS},
    commands=_COMMANDS,
)
