"""MasterBook: what the table asks of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from rules.systems.masterbook import (
    attack,
    called,
    chart,
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
    uses,
)
from rules.systems.masterbook.arms import ALL, ArmourKind, Rows, WeaponKind
from rules.systems.masterbook.attempt import (
    PROPOSAL,
    PROPOSED,
    Prepared,
    Trying,
    attributes_of,
    case_of,
    dares,
    skills_of,
)
from rules.systems.masterbook.called import Befell, Came, procedure
from rules.systems.masterbook.check import result_of
from rules.systems.masterbook.deck import adventures, asking, holding, tasks
from rules.systems.masterbook.deck.table import PARTS
from rules.systems.masterbook.describe import MasterbookCharacter
from rules.systems.masterbook.follows import FEEDBACK
from rules.systems.masterbook.forecast import forecast, foreseen
from rules.systems.masterbook.hurting import RESOURCES, harmed
from rules.systems.masterbook.means import known
from rules.systems.masterbook.moving import FORM, MOVING, ROLLED, Feat, Limiting, Moved, telling
from rules.systems.masterbook.noticing import Noticed, Robbing, Unlucky, tried
from rules.systems.masterbook.rounds import ROUND
from rules.systems.masterbook.sheet import ATTRIBUTES, MasterbookSheet, attribute, write_sheet
from rules.table.additions import campaign_of
from rules.table.blocks import Text
from rules.table.checks.procedure import Procedure
from rules.table.people.by_hand import tools
from rules.table.people.fields import told_pages
from rules.table.people.growing import procedures as growth
from rules.table.system import Game, Growth, Sheets, System, one_by_one

_rolled: Final = partial(procedure, form=PROPOSAL, odds=forecast, in_words=True)


def _fed(game: Game, check: Any) -> Befell:
    """A special effect hurts whoever works it, by what is left of its feedback; nothing protects (MB-SKILL-SFX)."""
    data, result = check.data, result_of(check.data)
    case = case_of(game, check.actor, data.request, data.said)
    left = 0 if result is None else uses.backlash(result.points, case.number(FEEDBACK)).feedback
    return harmed(game, check.actor, chart.damage(left)) if left else (game, ())


_COURSE: Final = (
    *(PROPOSED, Prepared(PROPOSED), *Trying().stages(), Came(_fed)),
    *(Robbing(), Noticed(tried), Unlucky()),
)
PROCEDURES: Final[Mapping[str, Procedure[Any]]] = {
    each.kind: each
    for each in (
        _rolled("check", _COURSE, begin=PROPOSED.proposed),
        _rolled("contest", _COURSE, begin=dares),
        ROUND,
        _rolled(
            "move",
            (*(MOVING, Prepared(MOVING), *ROLLED, Limiting(), Moved(), Noticed(tried)),),
            begin=MOVING.proposed,
            data=Feat,
            form=FORM,
            describe=telling,
        ),
        attack.PROCEDURE(odds=foreseen),
        interacting.PROCEDURE,
        called.FALL,
        called.HOLD,
        *healing.PROCEDURES,
        growing.PROCEDURE,
        *growth(growing.learn, growing.advance, Text("mb-grows")),
        *asking.PROCEDURES,
        adventures.PROCEDURE,
        rounds.ARRANGING,
        *tasks.PROCEDURES,
    )
}


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
        blank=MasterbookSheet,
        read=describe.read,
        write=lambda character: write_sheet(character.name, character.sheet),
        describe=describe.describe_character,
        pages=lambda game, who: told_pages(describe.REST, who.sheet, (who.id,)),
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
    campaign=campaign_of(Rows, {"weapons": WeaponKind, "armour": ArmourKind}, ALL),
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
        healing.passed, rounds.ticks, moving.ticks, growing.adventure_over, rounds.cards_dealt, tasks.ticks
    ),
    actions={each.kind: each.carries for each in _ACTS},
    commands=_COMMANDS,
)
