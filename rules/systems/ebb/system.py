"""EBB: what the table asks of it."""

from __future__ import annotations

from functools import partial
from typing import Final

from rules.core.rng import Rng
from rules.systems.ebb import describe, gm_tools, resources
from rules.systems.ebb.attempt import EbbCharacter, abilities, attributes
from rules.systems.ebb.generators import produce
from rules.systems.ebb.procedures import PROCEDURES
from rules.systems.ebb.sheet import EbbSheet, effective_attribute, read_sheet, trait_values, write_sheet
from rules.systems.ebb.tables import GENERATORS
from rules.systems.ebb.task import roll_task
from rules.table.commands import drawing
from rules.table.events import Line
from rules.table.forms import Flag, Form, Option, Pick
from rules.table.settings import HIT_WINDOW, WINDOW, setting
from rules.table.system import Game, Growth, Initiative, Passing, Sheets, System, Told, Turns

#: What counts beside the main die for the order of action, and decides ties.
ORDERED_BY: Final = "Alertness"
_UNCHOSEN: Final = tuple(
    Option(each, Line("ebb-setting-hit", {"value": each})) for each in ("soften", "suffer")
)
#: What a table that plays EBB agrees on besides what all do (EBB-INJURY, EBB-ROUND, EBB-FATE).
SETTINGS: Final = Form.of(
    WINDOW,
    setting(Flag("house_initiative", usual=False)),
    setting(Flag("npc_rolls", usual=False)),
    setting(Pick("hit_default", among=_UNCHOSEN, usual="soften", needed=True)),
    HIT_WINDOW,
)


def _initiative(game: Game, character: EbbCharacter, rng: Rng, house: bool) -> Initiative | None:
    """The house rule: a task roll with the effective ALERTNESS and no ability die; ties by it.

    EBB has no rule of its own for this (EBB-ROUND).
    """
    if not house:
        return None
    value = effective_attribute(character.sheet, ORDERED_BY)
    roll = roll_task(rng, attribute=value, ability_sides=None)
    line = Line("ebb-initiative", {"die": sum(roll.main), "attribute": ORDERED_BY, "value": value})
    return Initiative((roll.total, value), roll.dice, line)


def _passed(game: Game, passing: Passing) -> Told:
    """What came back with a session's end is told (EBB-HEAL)."""
    back = ((who, game.character(who).name, resources.gained(back)) for who, back in passing.back.items())
    return Told(
        game, tuple((who, Line("ebb-rested", {"name": name, "values": each})) for who, name, each in back)
    )


SYSTEM: Final = System(
    key="ebb",
    name="EBB",
    version=2,
    sheets=Sheets(
        kind=EbbSheet,
        blank=EbbSheet,
        read=lambda game, data, new: read_sheet(data, new=new),
        write=lambda character: write_sheet(character.name, character.sheet),
        describe=lambda game, character: describe.describe_character(character),
        pages=lambda game, character: describe.character_pages(character),
        health=lambda game, character, full: describe.health(character.sheet, full=full),
        values=lambda character: trait_values(character.sheet),
        skills=lambda game, character: abilities(character.sheet),
        attributes=lambda game, character: attributes(character.sheet),
        derived=("attributes",),
        ready=lambda game: describe.roster(),
    ),
    procedures=PROCEDURES,
    settings=SETTINGS,
    creation=describe.PAGES,
    growth={
        "learn": Growth(resources.learn, asks="learn"),
        "advance": Growth(resources.advance, resources.advances, "advance"),
    },
    resources=resources.RESOURCES,
    tools=gm_tools.TOOLS,
    turns=Turns(_initiative),
    ticks=_passed,
    tables={kind: partial(produce, kind) for kind in GENERATORS},
    commands=tuple(drawing(kind) for kind in GENERATORS),
)
