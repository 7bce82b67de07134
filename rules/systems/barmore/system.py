"""Barmore's dice pool as a `System`: everything that the table asks of it."""

from __future__ import annotations

from typing import Final

from rules.core.rng import Rng
from rules.systems.barmore import (
    check_state,
    complex_actions,
    gm_tools,
    sample_characters,
    sheet_view,
    sheet_wounds,
)
from rules.systems.barmore.campaign import (
    DEFAULT_CAMPAIGN,
    describe_campaign,
    read_campaign,
    write_campaign,
)
from rules.systems.barmore.check_state import BarCharacter
from rules.systems.barmore.commands import ACTION_FORMS, COMMANDS
from rules.systems.barmore.procedure import PROCEDURES
from rules.systems.barmore.reference_rows import GOVERNING_ATTRIBUTES
from rules.systems.barmore.sheet import BarSheet, read_sheet, write_sheet
from rules.systems.barmore.timed_actions import BeginAction, begin_action
from rules.table import system
from rules.table.blocks import Text
from rules.table.forms.fields import Flag
from rules.table.forms.form import Form
from rules.table.settings.choice_rows import setting_field
from rules.table.system import Game, Initiative, Sheets, System, Tick, TickResult, Turns


def _initiative(game: Game, character: BarCharacter, rng: Rng) -> Initiative:
    """Return a character's initiative: the score of the first governing attribute."""
    name = GOVERNING_ATTRIBUTES.phases[0]
    score = character.sheet.attribute_score(game.campaign, name)
    return Initiative((score,), Text("bar-initiative", {"name": name, "score": score}))


def _apply_tick(game: Game, passing: Tick) -> TickResult:
    """Heal Wounds with the story's time (BAR-HEAL)."""
    reports: list[tuple[str, Text]] = []
    for who in passing.who if passing.kind == "time" else ():
        after, lines = sheet_wounds.heal_until_now(game, game.character(who))
        game = game.with_sheet(who, after.sheet)
        reports += [(who, line) for line in lines]
    return TickResult(game, tuple(reports))


#: Settings of a table besides its campaign.
_SETTINGS: Final = Form((setting_field(Flag(check_state.NPC_DICE, default=True)),))
SYSTEM: Final = System(
    key="barmore",
    name="Barmore's dice pool",
    version=3,
    sheets=Sheets(
        kind=BarSheet,
        read=lambda game, data, new: read_sheet(data, game.campaign),
        write=lambda character: write_sheet(character.name, character.sheet),
        describe=sheet_view.describe_character,
        pages=sheet_view.character_pages,
        health=sheet_wounds.health_lines,
        board_health=sheet_wounds.board_health_lines,
        out=("bar-out", "bar-dying"),
        values=lambda who: {
            name: str(n) for name, n in (*who.sheet.attributes, *who.sheet.abilities)
        },
        ready=lambda game: sample_characters.roster(game.campaign),
        samples=lambda game: sample_characters.samples(game.campaign),
    ),
    procedures=PROCEDURES,
    settings=_SETTINGS,
    campaign=system.Campaign(
        DEFAULT_CAMPAIGN,
        read_campaign,
        write_campaign,
        describe_campaign,
        complex_actions.stranded_tasks,
    ),
    creation=sheet_view.CREATION_PAGES,
    tools=gm_tools.TOOLS,
    turns=Turns(_initiative, timeline=True),
    moves=complex_actions.move_tasks,
    ticks=(_apply_tick,),
    parts={complex_actions.TASK_PREFIX: complex_actions.Task},
    actions={**complex_actions.ACTIONS, BeginAction: begin_action},
    action_forms=ACTION_FORMS,
    commands=COMMANDS,
    waits=complex_actions.claimed_rolls,
)
