"""MasterBook: what the table asks of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from rules.core.rows import named
from rules.systems.masterbook import (
    attack,
    attempt,
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
    noticing,
    rounds,
    settings,
)
from rules.systems.masterbook.arms import ALL, ArmourKind, Rows, WeaponKind
from rules.systems.masterbook.deck import adventures, asking, holding, tasks
from rules.systems.masterbook.deck.table import PARTS
from rules.systems.masterbook.describe import MasterbookCharacter
from rules.systems.masterbook.forecast import forecast, foreseen
from rules.systems.masterbook.hurting import RESOURCES
from rules.systems.masterbook.means import known
from rules.systems.masterbook.noticing import Noticed, Robbing, Unlucky, tried
from rules.systems.masterbook.rounds import ROUND
from rules.systems.masterbook.sheet import ATTRIBUTES, MasterbookSheet, attribute, write_sheet
from rules.table.additions import campaign_of
from rules.table.blocks import Text
from rules.table.checks.procedure import Procedure
from rules.table.people.by_hand import Tools
from rules.table.people.fields import told_pages
from rules.table.people.growing import procedures as growth
from rules.table.system import Sheets, System

_rolled: Final = partial(called.procedure, form=attempt.PROPOSAL, odds=forecast, in_words=True)
_COURSE: Final = (
    *(attempt.PROPOSED, attempt.Prepared(attempt.PROPOSED), *attempt.Trying().stages()),
    *(called.comes(called.fed), Robbing(), Unlucky(tried)),
)
PROCEDURES: Final[Mapping[str, Procedure[Any]]] = named(
    (
        _rolled("check", _COURSE, begin=attempt.PROPOSED.proposed),
        _rolled("contest", _COURSE, begin=attempt.PROPOSED.dared),
        ROUND,
        _rolled(
            "move",
            (
                *(moving.MOVING, attempt.Prepared(moving.MOVING), *moving.ROLLED),
                *(moving.Limiting(), moving.Moved(), Noticed(tried)),
            ),
            begin=moving.MOVING.proposed,
            data=moving.Feat,
            form=moving.FORM,
            describe=moving.telling,
        ),
        attack.PROCEDURE(odds=foreseen),
        interacting.PROCEDURE,
        called.FALL,
        called.HOLD,
        *healing.PROCEDURES,
        growing.PROCEDURE,
        *growth(Text("mb-grows")),
        *asking.PROCEDURES,
        adventures.PROCEDURE,
        rounds.ARRANGING,
        *tasks.PROCEDURES,
    ),
    "kind",
)


def _values(character: MasterbookCharacter) -> dict[str, str]:
    """Attributes and skills, by name."""
    sheet: MasterbookSheet = character.sheet
    found = {key.capitalize(): str(attribute(sheet, key)) for key in ATTRIBUTES}
    return found | {each.name: str(each.value(sheet)) for each in known(sheet)}


#: What has commands and actions of its own, in the order in which those are listed. What only one command does it
#: carries out itself.
_OWN: Final = (
    *(interacting, called, loading, settings, explaining, doing, rounds, moving, growing, noticing),
    *(adventures, asking, holding, tasks),
)
_COMMANDS: Final = tuple([each for module in _OWN for each in getattr(module, "COMMANDS", ())])
_ACTS: Final = (
    *[each for module in _OWN for each in getattr(module, "ACTS", ())],
    *[each.run for each in _COMMANDS if isinstance(each.run, doing.Acts)],
)
SYSTEM: Final = System(
    key="masterbook",
    name="MasterBook",
    sheets=Sheets(
        kind=MasterbookSheet,
        read=describe.read,
        write=lambda character: write_sheet(character.name, character.sheet),
        describe=describe.describe_character,
        pages=lambda game, who: told_pages(describe.REST, who.sheet, (who.id,)),
        health=describe.health,
        values=_values,
        out=describe.OUT,
        ready=describe.ready,
        npcs=describe.offered,
        like=describe.like,
    ),
    procedures=PROCEDURES,
    settings=settings.SETTINGS,
    campaign=campaign_of(Rows, {"weapons": WeaponKind, "armour": ArmourKind}, ALL, {}),
    creation=describe.PAGES,
    growth={"learn": growing.learn, "advance": growing.advance},
    advances=growing.offers,
    resources=RESOURCES,
    tools=Tools(hurting.TOOLS, RESOURCES),
    parts={**PARTS, **tasks.PARTS},
    cards=holding.RULES,
    turns=rounds.TURNS,
    ticks=(
        healing.passed,
        rounds.ticks,
        moving.ticks,
        growing.adventure_over,
        rounds.cards_dealt,
        tasks.ticks,
    ),
    actions={each.kind: each.carries for each in _ACTS},
    commands=_COMMANDS,
)
