"""MasterBook: what the table asks of it."""

from __future__ import annotations

from typing import Final

from rules.systems.masterbook import (
    creation,
    describe,
    doing,
    explaining,
    falling,
    finding,
    going,
    growing,
    holds,
    hurting,
    interacting,
    loading,
    measuring,
    moving,
    people,
    rounds,
    settings,
    surprise,
    teaching,
    ticks,
)
from rules.systems.masterbook.arms import ALL, ArmourKind, Rows, WeaponKind
from rules.systems.masterbook.attempt import attributes_of, skills_of
from rules.systems.masterbook.deck import adventures, holding, rounding, tasks, trading
from rules.systems.masterbook.deck.table import PARTS
from rules.systems.masterbook.describe import MasterbookCharacter
from rules.systems.masterbook.means import known
from rules.systems.masterbook.procedures import PROCEDURES
from rules.systems.masterbook.resources import RESOURCES
from rules.systems.masterbook.sheet import ATTRIBUTES, MasterbookSheet, attribute, write_sheet
from rules.table.additions import campaign_of
from rules.table.people.by_hand import tools
from rules.table.system import Growth, Sheets, System, one_by_one


def _values(character: MasterbookCharacter) -> dict[str, str]:
    """Attributes and skills, by name."""
    sheet: MasterbookSheet = character.sheet
    found = {key.capitalize(): str(attribute(sheet, key)) for key in ATTRIBUTES}
    return found | {each.name: str(each.value(sheet)) for each in known(sheet)}


SYSTEM: Final = System(
    key="masterbook",
    name="MasterBook",
    sheets=Sheets(
        kind=MasterbookSheet,
        blank=MasterbookSheet,
        read=creation.read,
        write=lambda character: write_sheet(character.name, character.sheet),
        describe=describe.describe_character,
        pages=lambda game, character: describe.character_pages(character),
        health=describe.health,
        values=_values,
        skills=lambda game, character: skills_of(game, character.sheet, character.id),
        attributes=lambda game, character: attributes_of(character.sheet),
        out=describe.OUT,
        ready=people.ready,
        npcs=people.offered,
        like=people.like,
    ),
    procedures=PROCEDURES,
    settings=settings.SETTINGS,
    campaign=campaign_of(Rows, {"weapons": WeaponKind, "armour": ArmourKind}, ALL),
    creation=creation.PAGES,
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
        ticks.passed, rounds.ticks, moving.ticks, growing.adventure_over, rounding.ticks, tasks.ticks
    ),
    actions={
        **rounding.ACTIONS_OF,
        **tasks.ACTIONS_OF,
        **growing.ACTIONS,
        **doing.ACTIONS_OF,
        **loading.ACTIONS,
        **rounds.ACTIONS,
        **going.ACTIONS,
        **surprise.ACTIONS,
        **adventures.ACTIONS,
        **holding.ACTIONS,
    },
    commands=(
        *interacting.COMMANDS,
        *falling.COMMANDS,
        *holds.COMMANDS,
        *finding.COMMANDS,
        *loading.COMMANDS,
        *settings.COMMANDS,
        explaining.SKILL,
        *doing.COMMANDS,
        rounds.COMMAND,
        *going.COMMANDS,
        *measuring.COMMANDS,
        *growing.COMMANDS,
        *teaching.COMMANDS,
        *surprise.COMMANDS,
        *adventures.COMMANDS,
        *trading.COMMANDS,
        *holding.COMMANDS,
        *rounding.COMMANDS,
        *tasks.COMMANDS,
    ),
)
