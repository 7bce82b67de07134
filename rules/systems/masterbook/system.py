"""MasterBook: what the table asks of it."""

from __future__ import annotations

from typing import Final

from rules.systems.masterbook import (
    called,
    describe,
    doing,
    explaining,
    growing,
    healing,
    hurting,
    interacting,
    loading,
    moving,
    rounds,
    settings,
    surprise,
)
from rules.systems.masterbook.arms import ArmourKind, Rows, WeaponKind
from rules.systems.masterbook.attempt import attributes_of, skills_of
from rules.systems.masterbook.deck import adventures, asking, holding, rounding, tasks
from rules.systems.masterbook.deck.table import PARTS
from rules.systems.masterbook.describe import MasterbookCharacter
from rules.systems.masterbook.hurting import RESOURCES
from rules.systems.masterbook.means import known
from rules.systems.masterbook.procedures import PROCEDURES
from rules.systems.masterbook.sheet import ATTRIBUTES, MasterbookSheet, attribute, write_sheet
from rules.table.additions import campaign_of
from rules.table.people.by_hand import tools
from rules.table.system import Growth, Sheets, System, one_by_one


def _values(character: MasterbookCharacter) -> dict[str, str]:
    """Attributes and skills, by name."""
    sheet: MasterbookSheet = character.sheet
    found = {key.capitalize(): str(attribute(sheet, key)) for key in ATTRIBUTES}
    return found | {each.name: str(each.value(sheet)) for each in known(sheet)}


#: What has commands and actions of its own, in the order in which those are listed.
_OWN: Final = (
    *(interacting, called, loading, settings, explaining, doing, rounds, moving, growing, surprise),
    *(adventures, asking, holding, rounding, tasks),
)
SYSTEM: Final = System(
    key="masterbook",
    name="MasterBook",
    sheets=Sheets(
        kind=MasterbookSheet,
        blank=MasterbookSheet,
        read=describe.read,
        write=lambda character: write_sheet(character.name, character.sheet),
        describe=describe.describe_character,
        pages=lambda game, character: describe.character_pages(character),
        health=describe.health,
        values=_values,
        skills=lambda game, character: skills_of(game, character.sheet, character.id),
        attributes=lambda game, character: attributes_of(character.sheet),
        out=describe.OUT,
        ready=describe.ready,
        npcs=describe.offered,
        like=describe.like,
    ),
    procedures=PROCEDURES,
    settings=settings.SETTINGS,
    campaign=campaign_of(Rows, {"weapons": WeaponKind, "armour": ArmourKind}),
    creation=describe.PAGES,
    growth={
        "learn": Growth(growing.learn, asks="learn"),
        "advance": Growth(growing.advance, growing.offers, "advance"),
    },
    resources=RESOURCES,
    tools=tools(hurting.TOOLS, RESOURCES),
    parts={**PARTS, **tasks.PARTS},
    cards=holding.RULES,
    turns=rounds.TURNS,
    ticks=one_by_one(
        healing.passed, rounds.ticks, moving.ticks, growing.adventure_over, rounding.ticks, tasks.ticks
    ),
    actions={key: each for module in _OWN for key, each in getattr(module, "ACTIONS", {}).items()},
    commands=tuple([each for module in _OWN for each in getattr(module, "COMMANDS", ())]),
)
