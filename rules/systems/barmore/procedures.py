"""The kinds of check there are, each as the stages it goes through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from rules.systems.barmore import chances, harm
from rules.systems.barmore.acts import timed
from rules.systems.barmore.check import BarCheck, Trial, forget, require, thrown
from rules.systems.barmore.options import YES
from rules.systems.barmore.proposal import BeforeRoll, Proposal, opening
from rules.systems.barmore.tables import GOVERNS
from rules.systems.barmore.telling import describe
from rules.systems.barmore.wounds import Weapon
from rules.table.checks.procedure import Procedure, Stage, Step
from rules.table.checks.stages import ANSWERS, FREE, IMPOSSIBLE
from rules.table.events import Line
from rules.table.state import AnyCharacter
from rules.table.system import Game


class Rolled(Stage[Trial]):
    """The dice of all who throw some fall at once, and stand (BAR-ROLL)."""

    name = "rolled"

    def enter(self, game: Game, check: BarCheck, /) -> Step[Trial] | None:
        if check.data.throws:
            return None
        data = thrown(game, check)
        game, events = timed(game, check)
        return Step(game.state, data, events=events)


def _whom(game: Game, check: BarCheck) -> AnyCharacter | None:
    """Whom it is done to, healed as far as the story's time has done that; None where nothing comes of it."""
    data = check.data
    target = None if check.target is None else game.state.characters.get(check.target)
    if target is None or data.came or not data.succeeded:
        return None
    return harm.time_passed(game, target)[0]


class Struck(Stage[Trial]):
    """Armour, thresholds and the chart decide what a hit does: there is nothing to choose (BAR-ARMOR, BAR-TRAUMA)."""

    name = "struck"

    def enter(self, game: Game, check: BarCheck, /) -> Step[Trial] | None:
        data, target = check.data, _whom(game, check)
        if target is None:
            return None
        actor = game.character(check.actor)
        power = actor.sheet.attribute_score(game.campaign, GOVERNS.damage_add)
        found = harm.blow_of(target.sheet, game.campaign, _weapon(game, check), power, data.level)
        # What somebody can bear, or brings, is told of players' characters alone, and not against a hidden Difficulty.
        openly, veiled = target.owner is not None and not check.hidden, actor.owner is None
        told = harm.sum_of(found, data.tool, veiled=veiled) if openly else {}
        sheet, line = harm.wounded(target.sheet, game.campaign, found, told, game.time)
        whole = Line("bar-note", {"what": "blow", **harm.sum_of(found, data.tool, veiled=False)})
        data = data.but(came=(line,), aside=() if openly and not veiled else (whole,))
        return Step(game.put(target.id, sheet).state, data)


def _weapon(game: Game, check: BarCheck) -> Weapon:
    """What it is done with, as it is used."""
    sheet, tool, plan = game.sheet(check.actor), check.data.tool, check.data.entries[0].request
    weapon, said = sheet.find_weapon(tool), check.data.ruling
    if said is not None and sheet.on_sheet(tool) is None:
        ways = {"lethal": said.lethal, "powered": said.muscle}
        about = {key: each == YES for key, each in ways.items() if each is not None}
        weapon = replace(weapon, modifier=said.damage, **about)
    if plan.mental:
        weapon = replace(weapon, mental=True, powered=False)
    return replace(weapon, lethal=False) if plan.non_lethal else weapon


class Healed(Stage[Trial]):
    """What rest or treatment does (BAR-HEAL)."""

    name = "healed"

    def enter(self, game: Game, check: BarCheck, /) -> Step[Trial] | None:
        data, target = check.data, _whom(game, check)
        if target is None:
            return None
        if check.kind == harm.REST:
            sheet, line = harm.rested(target.sheet)
        else:
            factor = None if data.ruling is None else data.ruling.factor
            sheet, line = harm.treated(target.sheet, data.tool, None if factor is None else Fraction(factor))
        return Step(game.put(target.id, sheet).state, data.but(came=(line,)))


def _made(
    kind: str, *after: Stage[Trial], answers: tuple[str, ...] = ANSWERS, free: str | None = None
) -> Procedure[Trial]:
    """A kind of check. Helpers are not of its cast: who is gone does not roll, and nobody is held back by having
    joined."""
    proposal, rolls = Proposal(kind, answers, free), kind != "rest"
    return Procedure(
        kind,
        (proposal, *((BeforeRoll(proposal), Rolled()) if rolls else ()), *after),
        data=Trial,
        form=opening(kind),
        begin=proposal.begin,
        describe=describe,
        require=require,
        forget=forget,
        anybody=not rolls,
        # Of a private treatment whoever is treated hears nothing.
        private=(lambda check: (check.actor,)) if kind == "treat" else None,
        odds=chances.forecast if rolls else None,
        idle=chances.idle,
    )


PROCEDURES: Final[Mapping[str, Procedure[Any]]] = {
    each.kind: each
    for each in (
        _made("check"),
        _made("attack", Struck(), free=Struck.name),
        _made("contest"),
        _made("team"),
        _made("treat", Healed(), free=Healed.name),
        _made("rest", Healed(), answers=(FREE, IMPOSSIBLE), free=Healed.name),
    )
}
