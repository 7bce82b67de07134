"""EBB: what the table asks of it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from rules.core.rng import Rng
from rules.systems.ebb import creation, fate, gm_tools
from rules.systems.ebb.attempt import abilities, attributes
from rules.systems.ebb.check import EbbCharacter
from rules.systems.ebb.describe import character_pages, describe_character
from rules.systems.ebb.generators import KINDS, produce
from rules.systems.ebb.health import health
from rules.systems.ebb.initiative import roll_initiative
from rules.systems.ebb.procedures import PROCEDURES
from rules.systems.ebb.resources import RESOURCES
from rules.systems.ebb.settings import SETTINGS
from rules.systems.ebb.sheet import EbbSheet, read_sheet, trait_values, write_sheet
from rules.table.commands import drawing
from rules.table.events import Line
from rules.table.system import Game, Growth, Initiative, Passing, Sheets, System, Told, Tools, Turns


def _initiative(game: Game, character: EbbCharacter, rng: Rng, house: bool) -> Initiative | None:
    return roll_initiative(character.sheet, rng) if house else None


def _passed(game: Game, passing: Passing) -> Told:
    """What came back with a session's end is told (EBB-HEAL)."""
    told = [(who, gm_tools.came_back(game.character(who).name, back)) for who, back in passing.back.items()]
    return Told(game, tuple(told))


def _adjust(game: Game, character: EbbCharacter, what: str, value: str) -> tuple[EbbCharacter, Line]:
    sheet, line = gm_tools.adjust(character.sheet, what, value)
    return replace(character, sheet=sheet), line


SYSTEM: Final = System(
    key="ebb",
    name="EBB",
    version=2,
    sheets=Sheets(
        kind=EbbSheet,
        blank=EbbSheet,
        read=lambda game, data, new: read_sheet(data, new=new),
        write=lambda character: write_sheet(character.name, character.sheet),
        describe=lambda game, character: describe_character(character),
        pages=lambda game, character: character_pages(character),
        health=lambda game, character, full: health(character.sheet, full=full),
        values=lambda character: trait_values(character.sheet),
        skills=lambda game, character: abilities(character.sheet),
        attributes=lambda game, character: attributes(character.sheet),
        derived=("attributes",),
        ready=lambda game: creation.roster(),
    ),
    procedures=PROCEDURES,
    settings=SETTINGS,
    creation=creation.PAGES,
    growth={
        "learn": Growth(fate.learn),
        "advance": Growth(fate.advance, lambda character: fate.advances(character.sheet)),
    },
    resources=RESOURCES,
    tools=Tools(
        adjustables=lambda character: gm_tools.adjustables(character.sheet),
        values=lambda character, what: gm_tools.adjust_values(character.sheet, what),
        adjust=_adjust,
    ),
    turns=Turns(_initiative),
    ticks=_passed,
    tables={kind: partial(produce, kind) for kind in KINDS},
    commands=tuple(drawing(kind) for kind in KINDS),
)
