"""A check that takes its course under EBB: proposed, answered, rolled, and open for what is spent on it.

EBB-PROPOSAL, EBB-ROLL, EBB-LUCK, EBB-FATE; what an attack and a treatment add stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from rules.core.errors import Impossible
from rules.systems.ebb.check import AnyAttempt, Attempt, EbbRolled, counted, luck_choices, roll, roller
from rules.systems.ebb.difficulty import ASK, RULE, Plan, difficulty_at, difficulty_line, parse_difficulty
from rules.systems.ebb.resources import ATTRIBUTE as POINTS
from rules.systems.ebb.resources import REROLL, RESOURCES
from rules.systems.ebb.sheet import (
    LONGEST_ENTRY,
    EbbSheet,
    effective_attribute,
    find_ability,
    find_attribute,
    sides_of,
)
from rules.systems.ebb.sheet import attributes as attribute_values
from rules.systems.ebb.tables import ATTRIBUTES, FLOOR, LADDER, LEVEL_STEP
from rules.systems.ebb.task import TaskRoll, reroll_ability
from rules.table.checks import stages
from rules.table.checks.check import NEXT, OVER, Check, Choice, Cost, Values
from rules.table.checks.procedure import Option, Step
from rules.table.checks.stages import MARGIN_ONLY, NONE, Proposed, Ready, Standing
from rules.table.events import Line
from rules.table.forms import Asking, Find, Form, Many, Pick, Typed
from rules.table.forms import Option as Offer
from rules.table.permissions import is_gm
from rules.table.resources import affords
from rules.table.system import Game, is_npc

#: The stages in which the dice lie open, and in which somebody was hit.
OPEN, STRUCK = "open", "struck"
#: The highest difficulty that is offered: some levels beyond the named ones.
_HIGHEST: Final = LADDER[-1][1] + 3 * LEVEL_STEP

# --- forms ---------------------------------------------------------------------------------------------------


def _sheet(asking: Asking) -> EbbSheet:
    """That of whoever chooses; where GMs choose for somebody, of whom it is done to."""
    return asking.game.sheet(asking.who or asking.check.target)


def abilities(sheet: EbbSheet) -> tuple[Offer, ...]:
    """Those of a sheet."""
    said = ({"name": each.name, "die": each.die} for each in sheet.abilities)
    return tuple(Offer(each["name"], Line("ebb-ability", each)) for each in said)


def attributes(sheet: EbbSheet) -> tuple[Offer, ...]:
    """All there are, as they are on a sheet now."""
    said = ({"name": name, "value": value} for name, value in attribute_values(sheet).items())
    return tuple(Offer(str(each["name"]), Line("ebb-attribute", each)) for each in said)


def _trait(
    key: str, offers: Callable[[EbbSheet], tuple[Offer, ...]], find: Find, title: Line | None = None
) -> Pick:
    """Something of the sheet, or `none`."""
    return Pick(
        key,
        title=title,
        among=lambda asking: () if asking.game is None else offers(_sheet(asking)),
        find=lambda asking, text: NONE if _is_none(text) else find(asking, text),
    )


def _luck_offers(sheet: EbbSheet) -> tuple[Offer, ...]:
    able = [name for name in ATTRIBUTES if effective_attribute(sheet, name) >= 1]
    return tuple(Offer(name, Line("ebb-luck", {"what": "promised", "name": name})) for name in able)


def _is_none(text: str) -> bool:
    return text.strip().casefold() in ("", NONE)


def _find_difficulty(text: str) -> str:
    if _is_none(text):
        return NONE
    level = parse_difficulty(text)
    return level.name or str(level.threshold)


def _difficulties(asking: Asking) -> tuple[Offer, ...]:
    """The named levels, and some beyond them (EBB-LADDER)."""
    levels = map(difficulty_at, range(FLOOR, _HIGHEST + 1, LEVEL_STEP))
    return tuple(Offer(str(level.name), difficulty_line(level)) for level in levels)


#: What is done against somebody.
AGAINST_SOMEBODY: Final = ("attack", "contest")


def sides(game: Game, check: Check[Any]) -> tuple[bool, bool]:
    """Whether both sides throw dice, and whether only the target does: a player's character, and against an NPC
    alone, unless the table rolls for NPCs. An NPC's threshold is fixed (EBB-OPPOSED, EBB-ATTACK)."""
    target = None if check.target is None else game.state.characters.get(check.target)
    if check.kind not in AGAINST_SOMEBODY or target is None or target.owner is None:
        return False, False
    evades = game.character(check.actor).owner is None and not game.setting("npc_rolls")
    return not evades, evades


def _traits(asking: Asking) -> tuple[Offer, ...]:
    """What a GM may refuse of a proposal."""
    if asking.check is None:
        return ()
    request: Plan = asking.check.data.request
    found = (("ability", request.skill), ("attribute", request.attribute))
    return tuple(Offer(key, Line("ebb-disallow", {"name": name})) for key, name in found if name)


SKILL: Final = _trait("skill", abilities, lambda asking, text: find_ability(_sheet(asking), text).name)
ATTRIBUTE: Final = _trait("attribute", attributes, lambda asking, text: find_attribute(text))
#: A point of one of these instead of dice, for whoever is set against it (EBB-LUCK).
LUCK: Final = _trait("luck", _luck_offers, lambda asking, text: find_attribute(text), Line("ebb-luck"))
_DIFFICULTY: Final = Typed(
    "difficulty", most=LONGEST_ENTRY, among=_difficulties, read=_find_difficulty, unless=stages.if_measured
)
#: What somebody proposes, and proposes anew.
PROPOSAL: Final = Form(
    (SKILL, ATTRIBUTE, _DIFFICULTY, stages.APPROACH, stages.MODIFIER, *ASK.fields, stages.HIDE)
)
#: What a GM answers (EBB-PROPOSAL).
RULING: Final = Form.of(
    _DIFFICULTY,
    stages.MODIFIER,
    Many("disallow", among=_traits),
    stages.HIDDEN,
    stages.AGAINST,
    stages.NOTE,
    *RULE.fields,
)


# --- what the sheet has ----------------------------------------------------------------------------------------


def _looked_up(sheet: EbbSheet, plan: Plan) -> Plan:
    sides, value = had = _had(sheet, plan)
    return plan if had == (plan.sides, plan.value) else plan.but(sides=sides, value=value)


def _had(sheet: EbbSheet, plan: Plan) -> tuple[int | None, int | None]:
    """The sides of the ability's die, and the attribute's value."""
    return sides_of(sheet).get(plan.skill), attribute_values(sheet).get(plan.attribute)


def looked(game: Game, check: AnyAttempt, data: Attempt) -> Attempt:
    """The data with what both sides' sheets have now."""
    whose, target, defence = roller(check, data), check.target, data.defence
    request = _looked_up(game.sheet(whose), data.request)
    if defence is not None and target is not None and target in game.state.characters:
        defence = _looked_up(game.sheet(target), defence)
    if request is data.request and defence is data.defence:
        return data
    return data.but(request=request, defence=defence)


def require(game: Game, check: AnyAttempt) -> None:
    """Impossible("gone") where nobody could go on; NotFound where a sheet has no more what is used of it."""
    for who, plan in ((roller(check), check.data.request), (check.target, check.data.defence)):
        if who is not None and plan is not None and plan.skill:
            find_ability(game.sheet(who), plan.skill)


# --- stages ----------------------------------------------------------------------------------------------------


class Proposal(Proposed[Attempt]):
    """The GM answers, unless nobody has to (EBB-PROPOSAL)."""

    dice = OPEN

    def __init__(
        self, free: str = OVER, answers: tuple[str, ...] = stages.ANSWERS, form: Form = PROPOSAL
    ) -> None:
        super().__init__(form, RULING, answers, wanted="level")
        self.free = free

    def asked(self, game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
        found: Any = check
        data: Any = check.data
        request: Any = PROPOSAL.make(Plan, data.asked)
        data.opposed, data.evades = sides(game, check)
        if data.evades:  # what the target rolls with is for the target to say
            request.skill = request.attribute = ""
        request.sides, request.value = _had(game.sheet(check.actor), request)
        data.request = request
        if data.defence is not None:
            found.data = looked(game, check, data)
        return check

    def waits(self, check: AnyAttempt) -> bool:
        return check.data.opposed or check.data.evades

    def rulings(self, check: AnyAttempt) -> tuple[Option, ...]:
        found = super().rulings(check)
        return tuple([each for each in found if each.value != MARGIN_ONLY or not check.data.evades])

    def ruled(self, game: Game, check: AnyAttempt) -> Attempt:
        data: Any = check.data
        data.ruling = None if data.ruled is None else RULING.make(Plan, data.ruled)
        return looked(game, check, data) if data.answered_by else data


PROPOSED: Final = Proposal()


def begun(game: Game, check: AnyAttempt, values: Values, tool: str) -> AnyAttempt:
    """A check as it is proposed, done with or to something. Raises as `proposed`."""
    check = PROPOSED.proposed(game, check, values)
    return check.but(data=check.data.but(tool=tool))


#: A point of each attribute instead of dice.
_LUCK: Final = {
    name: Option(
        f"luck:{name}",
        Line("ebb-luck", {"what": "offered", "name": name}),
        cost=Cost(name),
        short=Line("ebb-luck", {"name": name}),
    )
    for name in ATTRIBUTES
}


class Prepared(Ready[Attempt]):
    """The owner rolls, or sacrifices a point instead (EBB-LUCK)."""

    def lacks(self, game: Game, check: AnyAttempt) -> str:
        data = check.data
        if not check.approach and not check.gm_only:
            return "write"
        ruling = data.ruling
        unable = ruling is not None and ruling.specialist and counted(data.request, ruling)[0] is None
        return "revise" if unable else ""

    def before(self, game: Game, check: AnyAttempt, who: str) -> tuple[Option, ...]:
        if who != check.actor or not check.data.luck_allowed:
            return ()
        found = luck_choices(game.sheet(who), check.data.request, check.data.given)
        return tuple([_LUCK[name] for name in found])

    def chosen(self, game: Game, check: AnyAttempt, choice: Choice) -> Step[Attempt]:
        name = choice.option.partition(":")[2]
        if not name:
            return Step(game.state, check.data)
        said = _sacrificed(game, check.actor, name)
        data = check.data.but(rolled=EbbRolled(None, name), spent=said, spent_by=check.actor)
        return Step(game.state, looked(game, check, data), NEXT, said=said)


def _sacrificed(game: Game, who: str, name: str) -> Line:
    """What is left to NPCs is not for the players."""
    left = None if is_npc(game, who) else effective_attribute(game.sheet(who), name)
    return Line("ebb-spent", {"attribute": name, "left": left})


class Thrown(Standing[Attempt]):
    """The dice lie open: an ability die may be had again for Fate (EBB-ROLL, EBB-OPPOSED, EBB-FATE)."""

    name = OPEN

    def enter(self, game: Game, check: AnyAttempt, /) -> Step[Attempt] | None:
        if check.data.rolled is not None:
            return None
        if not check.approach and not check.gm_only and not check.data.evades:
            raise Impossible("needs-approach", field="approach", write=True)
        data, who = looked(game, check, check.data), check.target or ""
        theirs = data.request if data.evades else data.defence
        luck = "" if theirs is None else theirs.luck
        if luck and theirs is not None and effective_attribute(game.sheet(who), luck) < 1:
            # Gone since it was promised: it is rolled after all.
            data, luck = data.but(**{"request" if data.evades else "defence": theirs.but(luck="")}), ""
        if not luck:
            return Step(game.state, data.but(rolled=roll(data, game.dice(check))))
        game = game.put(who, POINTS[luck].pay(game.sheet(who), 1))
        rolled = EbbRolled(None, luck) if data.evades else roll(data, game.dice(check))
        said = _sacrificed(game, who, luck)
        return Step(game.state, looked(game, check, data.but(rolled=rolled, spent=said, spent_by=who)))

    def aware(self, game: Game, check: AnyAttempt) -> tuple[str, ...]:
        """Whoever has lost: the other side must not cut their time short. Blind, it would tell who that is.

        Where all can see that they have nothing to roll again, the other side.
        """
        data = check.data
        if check.gm_only or data.rolled is None or data.rolled.roll is None or data.rolled.other_luck:
            return ()
        lost = data.opposed and check.visibility != "blind" and data.succeeded()
        able = self._able(game, check)
        return tuple(reversed(able))[:1] if lost else able[:1]

    def others(self, game: Game, check: AnyAttempt) -> tuple[str, ...]:
        if not check.data.opposed:
            return ()
        aware = self.aware(game, check)
        return tuple([each for each in self._able(game, check) if each not in aware])

    def _able(self, game: Game, check: AnyAttempt) -> tuple[str, ...]:
        """Who has an ability die that could be rolled again, as everybody can see; blind, players see no dice."""
        found: list[str] = []
        sides = (check.actor,) if check.target is None else dict.fromkeys((check.actor, check.target))
        for who in sides:
            dice, character = _dice_of(check, who), game.state.characters.get(who)
            if character is None or dice is None or dice.ability_sides is None:
                continue
            if check.visibility != "blind" or character.owner is None:
                found.append(who)
        return tuple(found)

    def reactions(self, game: Game, check: AnyAttempt, who: str) -> tuple[Option, ...]:
        dice, sheet = _dice_of(check, who), game.sheet(who)
        if dice is None or dice.ability_sides is None or not may_spend(game, check, who):
            return ()
        if not affords(RESOURCES, sheet, REROLL):
            return ()
        die = f"d{dice.ability_sides}"
        short, line = [Line("ebb-spend-reroll", {"die": die, **more}) for more in ({}, {"fate": sheet.fate})]
        return (Option("reroll", line, cost=REROLL, odds=_mended(check, dice, who), short=short),)

    def reacted(self, game: Game, check: AnyAttempt, choice: Choice) -> Step[Attempt]:
        dice, rolled, who = _dice_of(check, choice.who), check.data.rolled, choice.who
        assert dice is not None and rolled is not None, "offered only where an ability die lies"
        again = reroll_ability(game.dice(check), dice)
        left = None if is_npc(game, who) else game.sheet(who).fate
        said = Line("ebb-spent", {"die": f"d{again.ability_sides}", "face": again.ability, "left": left})
        rolled = replace(rolled, **{"roll" if who == roller(check) else "other": again})
        return Step(game.state, check.data.but(rolled=rolled, spent=said, spent_by=who), said=said)


def _mended(check: AnyAttempt, dice: TaskRoll, who: str) -> Fraction | None:
    """How likely another ability die makes good what has failed for this side; None where that is not known."""
    data, rolled = check.data, check.data.rolled
    key, wins = ("roll", not data.evades) if who == roller(check) else ("other", False)
    if rolled is None or check.hidden or data.answer == MARGIN_ONLY or data.succeeded() == wins:
        return None
    sides = dice.ability_sides or 1
    again = (replace(dice, abilities=(*dice.abilities, face)) for face in range(1, sides + 1))
    found = [data.but(rolled=replace(rolled, **{key: each})).succeeded() == wins for each in again]
    return Fraction(sum(found), sides)


def _dice_of(check: AnyAttempt, who: str) -> TaskRoll | None:
    """The dice of one side that lie open."""
    rolled = check.data.rolled
    if rolled is None:
        return None
    return rolled.roll if who == roller(check) else rolled.other if who == check.target else None


def may_spend(game: Game, check: AnyAttempt, who: str) -> bool:
    """Nobody spends anything on dice that only the GMs see."""
    owner = game.state.characters[who].owner
    return check.visibility != "blind" or owner is None or is_gm(game.state, game.actor)


def private(check: AnyAttempt) -> tuple[str, ...]:
    """Who hears of a private one: whoever acts, and whoever has something to do in it."""
    if check.target is None or not (check.data.opposed or check.data.evades):
        return (check.actor,)
    return check.actor, check.target


def forget(check: AnyAttempt, who: str, mine: Collection[str]) -> Attempt:
    """The data without what a participant has typed, whose characters are `mine`."""
    data = stages.forget(check, who, mine)
    if data.tool and check.kind in ("attack", "treat") and (check.by == who or check.actor in mine):
        data = data.but(tool="")
    if data.request.approach and (data.defence_by == who or check.target in mine):
        data = data.but(request=data.request.but(approach=""), defence_by="")
    return data
