"""Barmore's dice pool: what the table asks of it."""

from __future__ import annotations

from typing import Final

from rules.core.rng import Rng
from rules.systems.barmore import describe, gm_tools, harm, tasks
from rules.systems.barmore.acts import BeginAction, begin_action
from rules.systems.barmore.campaign import DEFAULT, describe_campaign, read_campaign, write_campaign
from rules.systems.barmore.check import BarCharacter
from rules.systems.barmore.commands import COMMANDS
from rules.systems.barmore.procedures import PROCEDURES
from rules.systems.barmore.sheet import BarSheet, read_sheet, write_sheet
from rules.systems.barmore.tables import GOVERNS
from rules.table import system
from rules.table.events import Line
from rules.table.system import Game, Initiative, Passing, Sheets, System, Told, Turns


def _initiative(game: Game, character: BarCharacter, rng: Rng) -> Initiative:
    name = GOVERNS.phases[0]
    score = character.sheet.attribute_score(game.campaign, name)
    return Initiative((score,), Line("bar-initiative", {"name": name, "score": score}))


def _passed(game: Game, passing: Passing) -> Told:
    """Wounds heal with the story's time (BAR-HEAL)."""
    told: list[tuple[str, Line]] = []
    for who in passing.who if passing.tick == "time" else ():
        after, lines = harm.time_passed(game, game.character(who))
        game = game.put(who, after.sheet)
        told += [(who, line) for line in lines]
    return Told(game, tuple(told))


SYSTEM: Final = System(
    key="barmore",
    name="Barmore's dice pool",
    version=3,
    sheets=Sheets(
        kind=BarSheet,
        read=lambda game, data, new: read_sheet(data, game.campaign),
        write=lambda character: write_sheet(character.name, character.sheet),
        describe=describe.describe_character,
        pages=describe.character_pages,
        health=harm.health,
        out=("bar-out", "bar-dying"),
        values=lambda who: {name: str(n) for name, n in (*who.sheet.attributes, *who.sheet.abilities)},
        ready=lambda game: describe.roster(game.campaign),
    ),
    procedures=PROCEDURES,
    campaign=system.Campaign(DEFAULT, read_campaign, write_campaign, describe_campaign, tasks.stranded_tasks),
    creation=describe.PAGES,
    tools=gm_tools.TOOLS,
    turns=Turns(_initiative, timeline=True),
    ticks=(_passed,),
    parts={tasks.PREFIX: tasks.Task},
    actions={**tasks.ACTIONS, BeginAction: begin_action},
    commands=COMMANDS,
)
