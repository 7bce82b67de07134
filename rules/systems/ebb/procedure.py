"""A check that takes its course under EBB: proposed, answered, rolled, and open for what is spent
on it.

EBB-PROPOSAL, EBB-ROLL, EBB-OPPOSED, EBB-LUCK, EBB-FATE; what an attack and a treatment add stands
beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction
from typing import Any, Final

from rules.core.errors import Impossible
from rules.core.rng import Rng
from rules.systems.ebb import sheet as sheets
from rules.systems.ebb import task_roll
from rules.systems.ebb.difficulty import (
    DIFFICULTY,
    PROPOSAL_OPTIONS,
    RULING_OPTIONS,
    Plan,
    counted_traits,
    opposed_modifier,
    plan_threshold,
)
from rules.systems.ebb.reference_rows import ATTRIBUTES
from rules.systems.ebb.resources import ATTRIBUTE_RESOURCES, REROLL, RESOURCES
from rules.systems.ebb.sheet import EbbSheet, find_ability, find_attribute, sides_by_ability
from rules.systems.ebb.task_roll import Judgment, OpposedJudgment, TaskRoll, bare_success, judge
from rules.table.blocks import Text
from rules.table.check import NEXT, OVER, Check, Choice, Cost, Prompt, Values
from rules.table.checks import stages
from rules.table.checks.procedure import CheckOption, StageResult
from rules.table.checks.stages import FREE, MARGIN_ONLY, ROLL
from rules.table.forms import Find, Form, FormContext, Many, Option, Pick
from rules.table.permissions import is_gm
from rules.table.resources import can_afford
from rules.table.system import Game, is_npc

#: The stages in which the dice lie open, and in which somebody was hit.
OPEN, STRUCK = "open", "struck"
#: What is done against somebody.
TARGETED_KINDS: Final = ("attack", "contest")


class Attempt(stages.ProposalData):
    """What somebody tries, and how far it has come. `tool` is the weapon, or the injury that is
    treated.

    `roll` are the dice, or `luck` is the attribute sacrificed instead of rolling; those of the
    other side are `other…`. Where it is opposed the other side has its `defense`, which the
    participant `defense_by` typed. Where the target `evades`, it alone rolls, and `request` is what
    it does against the GM's number. `choice` is what whoever was hit takes. `spent` is what was
    spent on it last, by `spent_by`; `covers` what a rest gives back, all where that is empty;
    `came` what a hit, rest or a treatment did, as it was told then.
    """

    request: Plan = Plan()
    ruling: Plan | None = None
    roll: TaskRoll | None = None
    luck: str = ""
    other: TaskRoll | None = None
    other_luck: str = ""
    tool: str = ""
    defense: Plan | None = None
    defense_by: str = ""
    evades: bool = False
    choice: str = ""
    #: Injury that a hit has written on the target's sheet.
    injury: sheets.Injury | None = None
    #: What a hit did to an NPC is the GMs' until one of them tells it, as is the name of an injury
    #: treated as the worst until its owner does.
    veiled: bool = False
    #: Injury that was treated because the healer named none.
    treated: sheets.Injury | None = None
    #: A GM's words for what a fumble adds, and the participant who typed them.
    complication: str = ""
    complication_by: str = ""
    covers: tuple[str, ...] = ()
    spent: Text | None = None
    spent_by: str = ""
    came: Text | None = None

    @property
    def effective_ruling(self) -> Plan:
        """What the GM made of it; nothing before."""
        return self.ruling or Plan()

    @property
    def is_rolled(self) -> bool:
        """Whether dice have fallen, or a point was sacrificed instead."""
        return self.roll is not None or bool(self.luck)

    @property
    def opposed_judgment(self) -> OpposedJudgment | None:
        """Both sides' dice against each other (EBB-OPPOSED); None before the roll and after a
        sacrifice.
        """
        if self.roll is None:
            return None
        if self.other is None:
            return task_roll.judge_against_sacrifice(self.roll) if self.other_luck else None
        return task_roll.judge_opposed(self.roll, self.other)

    @property
    def judgment(self) -> Judgment | None:
        """What the dice, or a sacrifice, amount to; None without a difficulty or before the
        roll.
        """
        if self.ruling is None or not self.is_rolled:
            return None
        if self.opposed:
            opposed = self.opposed_judgment
            return bare_success(0) if opposed is None else opposed.actor
        threshold = plan_threshold(self.ruling)
        if threshold is None:
            return None
        return bare_success(threshold) if self.roll is None else judge(self.roll, threshold)

    def has_succeeded(self, judgment: Judgment | None = None) -> bool:
        """Whether whoever acts reached the goal: by the GM's word, dice, or a sacrifice (EBB-ROLL,
        EBB-OPPOSED).
        """
        if self.answer == FREE or (self.answer == MARGIN_ONLY and self.is_rolled):
            return True
        judgment = judgment or self.judgment
        return judgment is not None and judgment.success != self.evades

    @property
    def has_fumble(self) -> bool:
        """Whether a side has fumbled, so that the GM adds a complication (EBB-FAIL)."""
        judgment, both = self.judgment, self.opposed_judgment
        if judgment is None or self.answer == MARGIN_ONLY:
            return False
        theirs = both is not None and self.opposed and both.opponent.verdict == "fumble"
        return theirs or judgment.verdict == "fumble"

    @property
    def lacks_ability(self) -> bool:
        """Whether the GM wants an ability, and none counts (EBB-SPECIALIST)."""
        return (
            self.effective_ruling.specialist
            and counted_traits(self.request, self.effective_ruling)[0] is None
        )

    @property
    def may_sacrifice(self) -> bool:
        """Whether the ruling leaves room for a sacrifice instead of the roll (EBB-LUCK,
        EBB-SPECIALIST).
        """
        return self.answer == ROLL and (
            not self.lacks_ability or self.effective_ruling.specialist_luck
        )


AnyAttempt = Check[Attempt]


def roller(check: AnyAttempt, data: Attempt | None = None) -> str:
    """Whose task roll it is: of whoever acts, or of the target who evades (EBB-OPPOSED). `data`
    where it is newer.
    """
    return check.target if (data or check.data).evades and check.target is not None else check.actor


def roll_attempt(tried: Attempt, rng: Rng, luck: str = "") -> Attempt:
    """With the dice of both sides; of the actor alone where the other one sacrifices `luck`
    (EBB-ROLL, EBB-OPPOSED).

    Impossible("ability-required") for a specialist task (EBB-SPECIALIST).
    """
    ruling, defense = tried.effective_ruling, tried.defense
    if tried.lacks_ability:
        raise Impossible("ability-required", field="ability")

    def thrown(plan: Plan, ruling: Plan, bonus: int) -> TaskRoll:
        sides, value = counted_traits(plan, ruling)
        return task_roll.roll_task(rng, attribute=value, ability_sides=sides, bonus=bonus)

    mine = thrown(
        tried.request, ruling, ruling.modifier if defense is None else opposed_modifier(ruling)
    )
    if defense is None or luck:
        return tried.replace(roll=mine, other_luck=luck)
    return tried.replace(
        roll=mine, other=thrown(defense, defense, opposed_modifier(defense) + ruling.against)
    )


def has_pending_effect(game: Game, check: AnyAttempt) -> bool:
    """Whether it has reached its goal, and what that does to whom it is done to is still to be
    seen.
    """
    there = check.target in game.state.characters
    return there and check.data.came is None and check.data.has_succeeded()


def luck_choices(sheet: EbbSheet, plan: Plan, ruling: Plan) -> tuple[str, ...]:
    """Attributes of which a point may be sacrificed: the most relevant one, or any if none was
    named.

    One that the GM has refused is not relevant.
    """
    refused = plan.attribute if "attribute" in ruling.disallow else ""
    relevant = ruling.luck or (plan.attribute if not refused else "")
    able = (relevant,) if relevant else [each for each in ATTRIBUTES if each != refused]
    return tuple([name for name in able if sheets.effective_attributes(sheet)[name] >= 1])


# --- forms ----------------------------------------------------------------------------------------


def ability_choices(sheet: EbbSheet) -> tuple[Option, ...]:
    """Those of a sheet."""
    said = ({"name": each.name, "die": each.die} for each in sheet.abilities)
    return tuple(Option(each["name"], Text("ebb-ability", each)) for each in said)


def attribute_choices(sheet: EbbSheet) -> tuple[Option, ...]:
    """All there are, as they are on a sheet now."""
    said = (
        {"name": name, "value": value} for name, value in sheets.effective_attributes(sheet).items()
    )
    return tuple(Option(str(each["name"]), Text("ebb-attribute", each)) for each in said)


def _trait(
    key: str, offers: Callable[[EbbSheet], tuple[Option, ...]], find: Find, **more: Any
) -> Pick:
    """Something of the sheet, or `none`."""
    return Pick(
        key, choices=lambda asking: offers(asking.sheet), find=stages.find_or_none(find), **more
    )


def _luck_offers(sheet: EbbSheet) -> tuple[Option, ...]:
    able = luck_choices(sheet, Plan(), Plan())
    return tuple(
        Option(name, Text("ebb-luck", {"what": "promised", "name": name})) for name in able
    )


def opposition_mode(game: Game, check: Check[Any]) -> tuple[bool, bool]:
    """Whether both sides throw dice, and whether only the target does: a player's character, and
    against an NPC alone, unless the table rolls for NPCs. An NPC's threshold is fixed (EBB-OPPOSED,
    EBB-ATTACK).
    """
    if check.kind not in TARGETED_KINDS or is_npc(game, check.target):
        return False, False
    evades = is_npc(game, check.actor) and not game.setting("npc_rolls")
    return not evades, evades


def _disallow_options(asking: FormContext) -> tuple[Option, ...]:
    """What a GM may refuse of a proposal."""
    if asking.check is None:
        return ()
    request: Plan = asking.check.data.request
    found = (("ability", request.skill), ("attribute", request.attribute))
    return tuple(Option(key, Text("ebb-disallow", {"name": name})) for key, name in found if name)


SKILL: Final = _trait(
    "skill", ability_choices, lambda asking, text: find_ability(asking.sheet, text).name
)
ATTRIBUTE: Final = _trait("attribute", attribute_choices, lambda asking, text: find_attribute(text))
#: A point of one of these instead of dice, for whoever is set against it (EBB-LUCK).
LUCK: Final = _trait(
    "luck", _luck_offers, lambda asking, text: find_attribute(text), title=Text("ebb-luck")
)
#: What somebody proposes, and proposes anew.
PROPOSAL: Final = Form(
    (
        SKILL,
        ATTRIBUTE,
        DIFFICULTY,
        stages.APPROACH_FIELD,
        stages.MODIFIER_FIELD,
        *PROPOSAL_OPTIONS.fields,
        stages.HIDDEN_BY_GM_FIELD,
    )
)
#: What a GM answers (EBB-PROPOSAL).
_GRANTED: Final = (
    stages.HIDDEN_FIELD,
    stages.AGAINST_FIELD,
    stages.NOTE_FIELD,
    *RULING_OPTIONS.fields,
)
RULING: Final = Form(
    (DIFFICULTY, stages.MODIFIER_FIELD, Many("disallow", choices=_disallow_options), *_GRANTED)
)


# --- what the sheet has ---------------------------------------------------------------------------


def _with_sheet_values(sheet: EbbSheet, plan: Plan) -> Plan:
    """The plan with the sides of the ability's die, and the attribute's value."""
    sides, value = (
        sides_by_ability(sheet).get(plan.skill),
        sheets.effective_attributes(sheet).get(plan.attribute),
    )
    return (
        plan
        if (sides, value) == (plan.sides, plan.value)
        else plan.replace(sides=sides, value=value)
    )


def refresh_from_sheets(game: Game, check: AnyAttempt, data: Attempt) -> Attempt:
    """The data with what both sides' sheets have now."""
    whose, target, defense = roller(check, data), check.target, data.defense
    request = _with_sheet_values(game.sheet(whose), data.request)
    if defense is not None and target is not None and target in game.state.characters:
        defense = _with_sheet_values(game.sheet(target), defense)
    return data.replace(request=request, defense=defense)


def require(game: Game, check: AnyAttempt) -> None:
    """Impossible("gone") where nobody could go on; NotFound where a sheet has no more what is used
    of it.
    """
    for who, plan in ((roller(check), check.data.request), (check.target, check.data.defense)):
        if who is not None and plan is not None and plan.skill:
            find_ability(game.sheet(who), plan.skill)


# --- stages ---------------------------------------------------------------------------------------


class TaskProposal(stages.ProposalStage[Attempt]):
    """The GM answers, unless nobody has to (EBB-PROPOSAL)."""

    dice = OPEN

    def __init__(self, free: str = OVER, form: Form = PROPOSAL, *answers: str) -> None:
        super().__init__(form, RULING, answers or stages.ANSWERS, wanted="level")
        self.free = free

    def read_request(self, game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
        request = PROPOSAL.make_record(Plan, check.data.asked)
        opposed, evades = opposition_mode(game, check)
        if evades:  # what the target rolls with is for the target to say
            request = request.replace(skill="", attribute="")
        data = check.data.replace(request=request, opposed=opposed, evades=evades)
        return check.replace(data=refresh_from_sheets(game, check.replace(data=data), data))

    def awaits_other_side(self, check: AnyAttempt) -> bool:
        return check.data.opposed or check.data.evades

    def ruling_options(self, check: AnyAttempt) -> tuple[CheckOption, ...]:
        found = super().ruling_options(check)
        return tuple([each for each in found if each.value != MARGIN_ONLY or not check.data.evades])

    def read_ruling(self, game: Game, check: AnyAttempt) -> Attempt:
        data = check.data
        data = data.replace(
            ruling=None if data.ruled is None else RULING.make_record(Plan, data.ruled)
        )
        return (
            refresh_from_sheets(game, check.replace(data=data), data) if data.answered_by else data
        )


TASK_PROPOSAL: Final = TaskProposal()


def propose(game: Game, check: AnyAttempt, values: Values, **more: Any) -> AnyAttempt:
    """A check as it is proposed, with what its data has `more`. Raises as
    `TaskProposal.propose`.
    """
    check = TASK_PROPOSAL.propose(game, check, values)
    return check.replace(data=check.data.replace(**more))


def _luck_option(name: str) -> CheckOption:
    """A point of an attribute instead of dice."""
    offered, short = [
        Text("ebb-luck", {**what, "name": name}) for what in ({"what": "offered"}, {})
    ]
    return CheckOption(f"luck:{name}", offered, cost=Cost(name), short=short)


class TaskPreparation(stages.ReadyStage[Attempt]):
    """The owner rolls, or sacrifices a point instead (EBB-LUCK)."""

    def missing_step(self, game: Game, check: AnyAttempt) -> str:
        if not check.approach and not check.gm_only:
            return "write"
        return "revise" if check.data.lacks_ability else ""

    def options_before_roll(
        self, game: Game, check: AnyAttempt, who: str
    ) -> tuple[CheckOption, ...]:
        if who != check.actor or not check.data.may_sacrifice:
            return ()
        found = luck_choices(game.sheet(who), check.data.request, check.data.effective_ruling)
        return tuple(map(_luck_option, found))

    def apply_choice(self, game: Game, check: AnyAttempt, choice: Choice) -> StageResult[Attempt]:
        name = choice.option.partition(":")[2]
        if not name:
            return StageResult(game.state, check.data)
        data = _record_sacrifice(game, check, check.data.replace(luck=name), check.actor, name)
        return StageResult(game.state, data, NEXT, said=data.spent)


def _record_sacrifice(game: Game, check: AnyAttempt, data: Attempt, who: str, name: str) -> Attempt:
    """The data after it is paid for; what is left to NPCs is not for the players."""
    left = None if is_npc(game, who) else sheets.effective_attributes(game.sheet(who))[name]
    said = Text("ebb-spent", {"attribute": name, "left": left})
    return refresh_from_sheets(game, check, data.replace(spent=said, spent_by=who))


class TaskReaction(stages.ReactionStage[Attempt]):
    """The dice lie open: an ability die may be had again for Fate (EBB-ROLL, EBB-OPPOSED,
    EBB-FATE).
    """

    name = OPEN

    def enter(self, game: Game, check: AnyAttempt, /) -> StageResult[Attempt] | None:
        if check.data.is_rolled:
            return None
        if not check.approach and not check.gm_only and not check.data.evades:
            raise Impossible("needs-approach", field="approach", write=True)
        data, who = refresh_from_sheets(game, check, check.data), check.target or ""
        luck = (data.defense or data.request).luck
        if luck and not sheets.effective_attributes(game.sheet(who))[luck]:
            luck = ""  # gone since it was promised: it is rolled after all
        data = (
            data.replace(luck=luck)
            if luck and data.evades
            else roll_attempt(data, game.rng_for(check), luck)
        )
        if luck:
            game = game.with_sheet(who, ATTRIBUTE_RESOURCES[luck].pay(game.sheet(who), 1))
            data = _record_sacrifice(game, check, data, who, luck)
        return StageResult(game.state, data)

    def reactors(self, game: Game, check: AnyAttempt) -> tuple[str, ...]:
        """Whoever has lost: the other side must not cut their time short. Blind, it would tell who
        that is.

        Where all can see that they have nothing to roll again, the other side.
        """
        data = check.data
        if check.gm_only or data.roll is None or data.other_luck:
            return ()
        lost = data.opposed and check.visibility != "blind" and data.has_succeeded()
        able = self._able(game, check)
        return able[-1:] if lost else able[:1]

    def has_means(self, game: Game, check: AnyAttempt, who: str, /) -> bool:
        return game.sheet(who).fate > 0

    def deciders(self, game: Game, check: AnyAttempt, prompt: Prompt, /) -> tuple[str, ...]:
        """Return those asked, without a target that will choose about the hit.

        That target decides about the dice in the same visit.
        """
        who = prompt.who or ()
        if not _has_hit_character(game, check) or not _may_soften(game, check):
            return who
        return tuple([each for each in who if each != check.target])

    def is_hurt(self, game: Game, check: AnyAttempt, who: str, /) -> bool:
        return who == check.target and _has_hit_character(game, check)

    def has_wanted_result(self, game: Game, check: AnyAttempt, who: str, /) -> bool | None:
        if check.data.answer == MARGIN_ONLY or check.data.judgment is None:
            return None
        return check.data.has_succeeded() == _is_success_wanted(check, who)

    def may_hurt_reroll(self, game: Game, check: AnyAttempt) -> bool:
        """Return whether the player of who was hit can roll again, as everybody sees."""
        target = check.target or ""
        if not _has_hit_character(game, check) or target not in self._able(game, check):
            return False
        return not game.state.settings.open_points or self.has_means(game, check, target)

    def other_reactors(self, game: Game, check: AnyAttempt) -> tuple[str, ...]:
        if not check.data.opposed:
            return ()
        aware = self.reactors(game, check)
        return tuple([each for each in self._able(game, check) if each not in aware])

    def _able(self, game: Game, check: AnyAttempt) -> tuple[str, ...]:
        """Who has an ability die that could be rolled again, as everybody can see; blind, players
        see no dice.
        """
        there, blind = game.state.characters, check.visibility == "blind"
        able = [there[who] for who in _ability_rolls(check) if who in there]
        return tuple([each.id for each in able if not blind or each.owner is None])

    def reaction_options(self, game: Game, check: AnyAttempt, who: str) -> tuple[CheckOption, ...]:
        dice, sheet = _ability_rolls(check).get(who), game.sheet(who)
        if (
            dice is None
            or not may_spend(game, check, who)
            or not can_afford(RESOURCES, sheet, REROLL)
        ):
            return ()
        die, known = f"d{dice.ability_sides}", not check.hidden and check.data.answer != MARGIN_ONLY
        about = {
            "fate": sheet.fate,
            "wins": known and check.data.has_succeeded() == _is_success_wanted(check, who),
        }
        short, line = [Text("ebb-spend-reroll", {"die": die, **more}) for more in ({}, about)]
        return (
            CheckOption(
                "reroll", line, cost=REROLL, odds=_reroll_odds(check, dice, who), short=short
            ),
        )

    def apply_reaction(self, game: Game, check: AnyAttempt, choice: Choice) -> StageResult[Attempt]:
        who = choice.who
        again = task_roll.reroll_ability(game.rng_for(check), _ability_rolls(check)[who])
        left = None if is_npc(game, who) else game.sheet(who).fate
        said = Text(
            "ebb-spent", {"die": f"d{again.ability_sides}", "face": again.ability, "left": left}
        )
        data = _with_dice(check, who, again)
        return StageResult(game.state, data.replace(spent=said, spent_by=who), said=said)


def _has_hit_character(game: Game, check: AnyAttempt) -> bool:
    """Return whether an attack has hit a player's character."""
    hit = check.kind == "attack" and check.data.is_rolled and check.data.has_succeeded()
    return hit and not is_npc(game, check.target)


def _may_soften(game: Game, check: AnyAttempt) -> bool:
    """Return whether the target has a Fitness point for a flesh wound (EBB-INJURY)."""
    return sheets.effective_attributes(game.sheet(check.target or ""))[sheets.FITNESS] >= 1


def _ability_rolls(check: AnyAttempt) -> dict[str, TaskRoll]:
    """What lies open with an ability die in it, by who has thrown it."""
    thrown = (roller(check), check.data.roll), (check.target or "", check.data.other)
    return {
        who: roll for who, roll in thrown if roll is not None and roll.ability_sides is not None
    }


def _with_dice(check: AnyAttempt, who: str, dice: TaskRoll) -> Attempt:
    """The data with other dice of somebody who has thrown some."""
    return check.data.replace(**{"roll" if who == roller(check) else "other": dice})


def _is_success_wanted(check: AnyAttempt, who: str) -> bool:
    """Whether a success is what this side rolls for."""
    return who == roller(check) and not check.data.evades


def _reroll_odds(check: AnyAttempt, dice: TaskRoll, who: str) -> Fraction | None:
    """How likely another ability die makes good what has failed for this side; None where that is
    not known.
    """
    data, wins = check.data, _is_success_wanted(check, who)
    if check.hidden or data.answer == MARGIN_ONLY or data.has_succeeded() == wins:
        return None
    sides = dice.ability_sides or 1
    again = [dice.replace(abilities=(*dice.abilities, face)) for face in range(1, sides + 1)]
    return Fraction(
        sum(_with_dice(check, who, each).has_succeeded() == wins for each in again), sides
    )


def may_spend(game: Game, check: AnyAttempt, who: str) -> bool:
    """Nobody spends anything on dice that only the GMs see."""
    owner = game.state.characters[who].owner
    return check.visibility != "blind" or owner is None or is_gm(game.state, game.actor)


def private_audience(check: AnyAttempt) -> tuple[str, ...]:
    """Who hears of a private one: whoever acts, and whoever has something to do in it."""
    both = TASK_PROPOSAL.awaits_other_side(check)
    return (check.actor, check.target) if both and check.target is not None else (check.actor,)


def forget(check: AnyAttempt, who: str, mine: Collection[str]) -> Attempt:
    """The data without what a participant has typed, whose characters are `mine`."""
    data = stages.without_typed_texts(check, who, mine)
    if data.tool and (check.by == who or check.actor in mine):
        # The injury of a hit has the words of its weapon.
        data = data.replace(tool="", injury=None)
    if data.complication_by == who:
        data = data.replace(complication="", complication_by="")
    if data.request.approach and (data.defense_by == who or check.target in mine):
        data = data.replace(request=data.request.replace(approach=""), defense_by="")
    return data
