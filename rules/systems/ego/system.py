"""EGO: what the table asks of it."""

from __future__ import annotations

from functools import partial
from typing import Final

from rules.core.rows import named
from rules.systems.ego import (
    acts,
    attack,
    attempt,
    casting,
    crashes,
    creation,
    describe,
    driving,
    enemies,
    falling,
    growing,
    healing,
    pools,
    rounds,
)
from rules.systems.ego.chances import forecast, idle
from rules.systems.ego.commands import COMMANDS, DEEDS
from rules.systems.ego.growing import EgoCharacter
from rules.systems.ego.resources import RESOURCES
from rules.systems.ego.settings import SETTINGS
from rules.systems.ego.sheet import EgoSheet, write_sheet
from rules.systems.ego.tables import ALL, BOUNDS, ROW_KINDS, Rows
from rules.table.additions import campaign_of
from rules.table.checks.procedure import Procedure
from rules.table.checks.stages import forget
from rules.table.people.by_hand import Tools
from rules.table.people.fields import told_pages
from rules.table.system import Sheets, System


def _values(character: EgoCharacter) -> dict[str, str]:
    """The dice of abilities and skills, by name (EGO-SKL-02)."""
    sheet: EgoSheet = character.sheet
    found = {key.capitalize(): f"{pools.ability_dice(sheet, key)}d6" for key in pools.ABILITIES}
    known = pools.known(sheet, Rows())
    return found | {each.name: f"{pools.dice_in(pools.terms(sheet, each, ''))}d6" for each in known}


#: A check, and a contest.
_rolled: Final = partial(
    Procedure[attempt.Attempt],
    course=attempt.COURSE,
    data=attempt.Attempt,
    form=attempt.PROPOSAL,
    describe=attempt.describe,
    require=attempt.require,
    fallen=attempt.fallen,
    forget=forget,
    odds=forecast,
    idle=idle,
    in_words=True,
)
_BEGUN: Final = {"check": attempt.PROPOSED.proposed, "contest": attempt.PROPOSED.dared}
_CHECKS: Final = [_rolled(kind, begin=begin) for kind, begin in _BEGUN.items()]
_BLOWS: Final = (attack.PROCEDURE, casting.PROCEDURE, falling.PROCEDURE, *crashes.PROCEDURES)
_OTHERS: Final = (rounds.ROUND, acts.PROCEDURE, *healing.PROCEDURES)
PROCEDURES: Final = named([*_CHECKS, *_BLOWS, *_OTHERS], "kind")

SYSTEM: Final = System(
    key="ego",
    name="EGO",
    sheets=Sheets(
        kind=EgoSheet,
        read=creation.read,
        write=lambda character: write_sheet(character.name, character.sheet),
        describe=describe.describe_character,
        pages=lambda game, who: told_pages(describe.REST, who.sheet, (who.id,)),
        health=describe.health,
        values=_values,
        out=describe.OUT,
        npcs=enemies.offered,
        like=enemies.like,
    ),
    procedures=PROCEDURES,
    settings=SETTINGS,
    campaign=campaign_of(Rows, ROW_KINDS, ALL, BOUNDS),
    creation=creation.PAGES,
    growth={"learn": growing.learn, "advance": growing.advance},
    advances=growing.offers,
    resources=RESOURCES,
    tools=Tools({}, RESOURCES),
    turns=rounds.TURNS,
    ticks=(rounds.ticks, driving.passed, healing.time_passed, casting.passed),
    parts={driving.PREFIX: driving.Vehicle},
    actions={each.kind: each.carries for each in DEEDS},
    commands=COMMANDS,
)
