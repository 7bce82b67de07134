"""Working on somebody by words or feints: said, resisted, rolled, lowered, and what it does (MB-INT, MB-LP-04)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.record import record
from rules.systems.masterbook import arms, talk, uses
from rules.systems.masterbook.attempt import (
    HARDER,
    UNAWARE,
    Attempted,
    Cancelled,
    Prepared,
    Proposal,
    fallen,
    forget,
    means_of,
    private,
    rated_by,
    require,
    split_row,
)
from rules.systems.masterbook.called import came_notes
from rules.systems.masterbook.chart import NONE as NOTHING
from rules.systems.masterbook.chart import Damage, result
from rules.systems.masterbook.check import AnyAttempt, Attempt, Plan, Rated, result_of, succeeded
from rules.systems.masterbook.dice import ACTIVE
from rules.systems.masterbook.forecast import forecast, idle
from rules.systems.masterbook.harm import Facts
from rules.systems.masterbook.hurting import harmed
from rules.systems.masterbook.means import Means, find, known, rated, require_awake, unlearned
from rules.systems.masterbook.sheet import MasterbookSheet, attribute
from rules.systems.masterbook.standing import LIFE_POINT, able
from rules.systems.masterbook.tables import INTERACTIONS, OPTIONS, SUBSTITUTES, Causes, InteractionKind, Rounds
from rules.systems.masterbook.talk import BREAK, SETBACK, UP
from rules.systems.masterbook.telling import circumstance, describe, is_npc, seen_of
from rules.table.blocks import ALL, GMS_ONLY, Block, Note, Ref, Text
from rules.table.checks.check import PASS, Check, Choice, Prompt, Values
from rules.table.checks.procedure import Option, Procedure, Stage, Step
from rules.table.checks.stages import APPROACH, FREE, MODIFIER, NOTE, ROLL
from rules.table.commands import AS, VISIBILITY, WITH, Command, Starts, everybody
from rules.table.events import Line
from rules.table.forms import Asking, Flag, Form, Many, Pick, Typed, as_written
from rules.table.forms import Option as Offer
from rules.table.marks import marks_of, with_marks
from rules.table.state import Mark
from rules.table.system import Game

RESIST, LOWER = "resist", "lower"
#: The mark of somebody whom hypnotism has put into a trance.
TRANCE: Final = "trance"
_FAITH, _MANEUVER, _HYPNOTISM = "Faith", "Maneuver", "Hypnotism"


@record
class Interaction(Attempt):
    """One attempt; the target has `resisted` once they have said how, and given up `steps` of the result for points.

    `came` is what it has done, to whom; `over` tells that it is done.
    """

    resisted: bool = False
    steps: int = 0
    came: tuple[tuple[str, Facts], ...] = ()
    over: bool = False


AnyInteraction = Check[Interaction]

# --- what is done ----------------------------------------------------------------------------------------------


def way_of(means: Means) -> tuple[str, int] | None:
    """The interaction that something serves for, and by how much it is harder; None for none (MB-CMB-04)."""
    harder = talk.maneuvers(means.skill, means.focus)
    if harder is not None:
        return _MANEUVER, harder
    return (means.skill, 0) if means.skill in INTERACTIONS else None


def _ways(sheet: MasterbookSheet) -> tuple[Means, ...]:
    return tuple([each for each in (*known(sheet), *unlearned(sheet)) if way_of(each) is not None])


def _sheet(asking: Asking) -> MasterbookSheet | None:
    who = (asking.check.actor if asking.check is not None else "") or asking.who
    return asking.game.sheet(who) if asking.game is not None and who else None


def _skills(asking: Asking) -> tuple[Offer, ...]:
    sheet = _sheet(asking)
    return () if sheet is None else as_written([each.name for each in _ways(sheet)])


def _find_skill(asking: Asking, text: str) -> str:
    """InvalidInput("mb-no-interaction"), and as `find`."""
    sheet = _sheet(asking)
    means = find(sheet if sheet is not None else MasterbookSheet(), text)
    if way_of(means) is None:
        raise InvalidInput("mb-no-interaction", field="skill", value=text[:100], allowed=tuple(INTERACTIONS))
    return means.name


def _kind(asking: Asking) -> InteractionKind | None:
    """The interaction that is being said, or was proposed."""
    sheet, said = _sheet(asking), asking.values.get("skill")
    if not said and asking.check is not None:
        said = asking.check.data.request.skill
    way = way_of(find(sheet, str(said))) if sheet is not None and said else None
    return None if way is None else INTERACTIONS[way[0]]


def _circumstances(asking: Asking) -> tuple[Offer, ...]:
    kind = _kind(asking)
    rows = () if kind is None else talk.circumstances_of(kind)
    return tuple(
        [
            Offer(
                each.id,
                Line(
                    "mb-circumstance",
                    {"what": circumstance(each.id), "least": each.least, "most": each.most},
                ),
            )
            for each in rows
        ]
    )


def _find_circumstance(asking: Asking, text: str) -> str:
    """One that counts here, with its number. Raises as `talk.circumstances`."""
    name, number = split_row(text)
    key, kind = name.casefold().replace(" ", "_"), _kind(asking)
    if kind is not None:
        talk.circumstances(kind, {key: number})
    return key if number is None else f"{key} {number}"


_SKILL: Final = Pick("skill", among=_skills, find=_find_skill, needed=True)
_ROWS: Final = Many("rows", among=_circumstances, find=_find_circumstance, most=12)
_SURPRISES: Final = tuple([each.id for each in OPTIONS.values() if each.maneuver])
_SURPRISE: Final = Pick(
    "surprise", among=tuple([Offer(each, Line("mb-surprise", {"how": each})) for each in _SURPRISES])
)
_WILLING: Final = Flag("willing", label=Line("mb-with-willing"))
FORM: Final = Form((_SKILL, _ROWS, _SURPRISE, _WILLING, APPROACH, MODIFIER))
RULING: Final = Form((_ROWS, _SURPRISE, _WILLING, MODIFIER, HARDER, UNAWARE, NOTE))


def _rounds(game: Game, check: AnyAttempt, skill: str) -> Rounds:
    """Where rounds are counted they are of a fight, or of talk where the table plays such (MB-TIME-01)."""
    if check.round is None:
        return "none"
    talks = game.setting("interaction_rounds") and "interaction" in INTERACTIONS[skill].rounds
    return "interaction" if talks else "combat"


# --- what resists ----------------------------------------------------------------------------------------------


def _adds(sheet: MasterbookSheet, skill: str, against: str = "") -> int | None:
    """Adds in a skill, with a specialisation in resisting this; None where it is not learned."""
    found = [
        each.adds + each.special_adds
        for each in known(sheet)
        if each.skill == skill and (not each.special or each.special.casefold().endswith(against.casefold()))
    ]
    return max(found, default=None)


def _wills(sheet: MasterbookSheet, kind: InteractionKind) -> list[Plan]:
    """With what somebody resists being talked to: the better of willpower and the Attribute, then a faith."""
    alt = attribute(sheet, kind.resisting_attribute)
    resisting = uses.resists(sheet.confidence, _adds(sheet, kind.resisting, kind.skill) or 0, alt)
    usual = Plan(attribute=kind.resisting_attribute)
    if resisting.uses == "willpower":
        usual = Plan(skill=_best(sheet, kind))
    faiths = [each for each in known(sheet) if each.skill == _FAITH and not each.special]
    better = [uses.resists(sheet.confidence, 0, resisting.value, each.adds).uses for each in faiths]
    return [usual, *(Plan(skill=each.name) for each, by in zip(faiths, better, strict=True) if by == "faith")]


def _best(sheet: MasterbookSheet, kind: InteractionKind) -> str:
    against = kind.skill.casefold()
    mine = [each for each in known(sheet) if each.skill == kind.resisting]
    fits = [each for each in mine if not each.special or each.special.casefold().endswith(against)]
    return max(fits, key=lambda each: each.adds + each.special_adds).name


def _feet(sheet: MasterbookSheet) -> list[Plan]:
    """With what somebody holds out against a maneuver, the usual first; what takes a mount or a vehicle only if said."""
    mine = [each for each in known(sheet) if way_of(each) == (_MANEUVER, each_harder(each))]
    rides = [each for each in mine if each.skill in SUBSTITUTES and each.attribute != "agility"]
    usual = [each for each in mine if each not in rides]
    bare = attribute(sheet, "agility")
    best = max(usual, key=lambda each: _worth(sheet, each), default=None)
    if best is None or _worth(sheet, best) < bare:
        return [Plan(attribute="agility"), *(Plan(skill=each.name) for each in mine)]
    return [Plan(skill=each.name) for each in (best, *(each for each in mine if each is not best))]
