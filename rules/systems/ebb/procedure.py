"""Procedure of an EBB check: proposal, preparation, and reactions to the roll.

EBB-PROPOSAL, EBB-ROLL, EBB-OPPOSED, EBB-LUCK, EBB-FATE. `attack` and `healing` add the stages of
attacks and treatments.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction
from typing import Any, Final

from rules.core.errors import Impossible
from rules.core.rng import Rng
from rules.systems.ebb import sheet as sheets
from rules.systems.ebb import task_roll
from rules.systems.ebb.ability_lines import find_attribute
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
from rules.systems.ebb.sheet import EbbSheet, find_ability, sides_by_ability
from rules.systems.ebb.task_roll import Judgment, OpposedJudgment, TaskRoll, bare_success, judge
from rules.table.blocks import Text
from rules.table.check import NEXT, OVER, Check, Choice, Cost, Prompt, Values
from rules.table.checks import stages
from rules.table.checks.procedure import CheckOption, StageResult
from rules.table.checks.stages import FREE, MARGIN_ONLY, ROLL
from rules.table.forms.fields import Find, FormContext, Many, Option, Pick
from rules.table.forms.form import Form
from rules.table.permissions import is_gm
from rules.table.resources import can_afford
from rules.table.system import Game, is_npc

#: Stages in which the roll can be changed, and in which a hit takes effect.
OPEN, STRUCK = "open", "struck"
#: Kinds of check with a target who resists.
TARGETED_KINDS: Final = ("attack", "contest")


class Attempt(stages.ProposalData):
    """Data of an EBB check."""

    #: The actor's plan. It is the target's plan if the target `evades`.
    request: Plan = Plan()
    #: The GM's answer; None until there is one.
    ruling: Plan | None = None
    #: The actor's dice, or the target's if the target `evades`.
    roll: TaskRoll | None = None
    #: Attribute sacrificed instead of rolling.
    luck: str = ""
    #: The target's dice in an opposed roll.
    other: TaskRoll | None = None
    #: Attribute that the target sacrificed instead of rolling.
    other_luck: str = ""
    #: The weapon, or the injury to treat.
    tool: str = ""
    #: The target's plan in an opposed roll.
    defense: Plan | None = None
    #: Participant who typed the defense.
    defense_by: str = ""
    #: Only the target rolls, against the GM's number.
    evades: bool = False
    #: How the target takes a hit.
    choice: str = ""
    #: Injury that a hit has written on the target's sheet.
    injury: sheets.Injury | None = None
    #: The harm to an NPC is hidden from players until a GM reveals it. So is the name of an injury
    #: that was treated as the worst, until its owner tells it.
    veiled: bool = False
    #: Injury that was treated because the healer named none.
    treated: sheets.Injury | None = None
    #: A GM's words for what a fumble adds, and the participant who typed them.
    complication: str = ""
    complication_by: str = ""
    #: Points that a rest restores; all if empty.
    covers: tuple[str, ...] = ()
    #: The last sacrifice or re-roll, as reported.
    spent: Text | None = None
    #: Character who paid for it.
    spent_by: str = ""
    #: Result of a hit, rest or treatment, as reported.
    consequences: Text | None = None

    @property
    def effective_ruling(self) -> Plan:
        """The GM's ruling, or an empty one before there is any."""
        return self.ruling or Plan()

    @property
    def is_rolled(self) -> bool:
        """True once dice are rolled, or a point is sacrificed instead."""
        return self.roll is not None or bool(self.luck)

    @property
    def opposed_judgment(self) -> OpposedJudgment | None:
        """Result of both sides' dice (EBB-OPPOSED).

        None before the roll, and if the other side neither rolls nor sacrifices.
        """
        if self.roll is None:
            return None
        if self.other is not None:
            return task_roll.judge_opposed(self.roll, self.other)
        if self.other_luck:
            return task_roll.judge_against_sacrifice(self.roll)
        return None

    @property
    def judgment(self) -> Judgment | None:
        """Result of the roll or of a sacrifice; None without a difficulty or before the roll."""
        if self.ruling is None or not self.is_rolled:
            return None
        if self.opposed:
            opposed = self.opposed_judgment
            return bare_success(0) if opposed is None else opposed.actor
        threshold = plan_threshold(self.ruling)
        if threshold is None:
            return None
        if self.roll is None:
            return bare_success(threshold)
        return judge(self.roll, threshold)

    def has_succeeded(self, judgment: Judgment | None = None) -> bool:
        """Return whether the actor reached the goal (EBB-ROLL, EBB-OPPOSED).

        *judgment* saves judging again; without it the data's own judgment counts.
        """
        if self.answer == FREE or (self.answer == MARGIN_ONLY and self.is_rolled):
            return True
        judgment = judgment or self.judgment
        return judgment is not None and judgment.success != self.evades

    @property
    def has_fumble(self) -> bool:
        """True if a side has fumbled, so that the GM adds a complication (EBB-FAIL)."""
        judgment, both = self.judgment, self.opposed_judgment
        if judgment is None or self.answer == MARGIN_ONLY:
            return False
        if both is not None and self.opposed and both.opponent.verdict == "fumble":
            return True
        return judgment.verdict == "fumble"

    @property
    def lacks_ability(self) -> bool:
        """True if the GM requires an ability and none counts (EBB-SPECIALIST)."""
        if not self.effective_ruling.specialist:
            return False
        ability_sides, _ = counted_traits(self.request, self.effective_ruling)
        return ability_sides is None

    @property
    def may_sacrifice(self) -> bool:
        """True if the ruling allows a sacrifice instead of the roll (EBB-LUCK, EBB-SPECIALIST)."""
        if self.answer != ROLL:
            return False
        return not self.lacks_ability or self.effective_ruling.specialist_luck


AnyAttempt = Check[Attempt]


def roller(check: AnyAttempt, data: Attempt | None = None) -> str:
    """Return the character whose task roll it is: the actor, or a target who evades (EBB-OPPOSED).

    *data* replaces the check's own.
    """
    if (data or check.data).evades and check.target is not None:
        return check.target
    return check.actor


def roll_attempt(attempt: Attempt, rng: Rng, luck: str = "") -> Attempt:
    """Return the data with the dice of both sides (EBB-ROLL, EBB-OPPOSED).

    Only the actor rolls if the other side sacrifices a point of *luck*. Raises
    Impossible("ability-required") for a specialist task (EBB-SPECIALIST).
    """
    ruling, defense = attempt.effective_ruling, attempt.defense
    if attempt.lacks_ability:
        raise Impossible("ability-required", field="ability")

    def roll_side(plan: Plan, ruling: Plan, bonus: int) -> TaskRoll:
        sides, value = counted_traits(plan, ruling)
        return task_roll.roll_task(rng, attribute=value, ability_sides=sides, bonus=bonus)

    bonus = ruling.modifier if defense is None else opposed_modifier(ruling)
    mine = roll_side(attempt.request, ruling, bonus)
    if defense is None or luck:
        return attempt.replace(roll=mine, other_luck=luck)
    other = roll_side(defense, defense, opposed_modifier(defense) + ruling.against)
    return attempt.replace(roll=mine, other=other)


def has_pending_effect(game: Game, check: AnyAttempt) -> bool:
    """Return whether the check has succeeded and its effect on the target is still to come."""
    is_there, consequences = check.target in game.state.characters, check.data.consequences
    # A treatment that failed keeps how the patient is; a later try can still make it succeed.
    pending = consequences is None or bool(consequences.params.get("failed"))
    return is_there and pending and check.data.has_succeeded()


def luck_choices(sheet: EbbSheet, plan: Plan, ruling: Plan) -> tuple[str, ...]:
    """Return the attributes of which a point may be sacrificed.

    It is the most relevant attribute, or any if none was named. An attribute that the GM has
    refused is not relevant.
    """
    refused = plan.attribute if "attribute" in ruling.disallow else ""
    relevant = ruling.luck or (plan.attribute if not refused else "")
    names = (relevant,) if relevant else [name for name in ATTRIBUTES if name != refused]
    return tuple([name for name in names if sheets.effective_attributes(sheet)[name] >= 1])


# --- forms ----------------------------------------------------------------------------------------


def ability_choices(sheet: EbbSheet) -> tuple[Option, ...]:
    """Return the abilities of a sheet as options."""
    params = ({"name": ability.name, "die": ability.die} for ability in sheet.abilities)
    return tuple(Option(about["name"], Text("ebb-ability", about)) for about in params)


def attribute_choices(sheet: EbbSheet) -> tuple[Option, ...]:
    """Return all attributes as options, with their present values."""
    options: list[Option] = []
    for name, value in sheets.effective_attributes(sheet).items():
        options.append(Option(name, Text("ebb-attribute", {"name": name, "value": value})))
    return tuple(options)


def _trait_field(
    key: str, offers: Callable[[EbbSheet], tuple[Option, ...]], find: Find, **more: Any
) -> Pick:
    """Return the field for a trait of the sheet, or `none`."""
    return Pick(
        key, choices=lambda asking: offers(asking.sheet), find=stages.find_or_none(find), **more
    )


def _luck_promises(sheet: EbbSheet) -> tuple[Option, ...]:
    """Return the attributes of which the other side can promise a point."""
    able = luck_choices(sheet, Plan(), Plan())
    return tuple(
        Option(name, Text("ebb-luck", {"what": "promised", "name": name})) for name in able
    )


def opposition_mode(game: Game, check: Check[Any]) -> tuple[bool, bool]:
    """Return whether both sides roll, and whether only the target does (EBB-OPPOSED, EBB-ATTACK).

    An NPC as target never rolls: its threshold is fixed. Only a player's character rolls against an
    NPC, unless the table rolls for NPCs.
    """
    if check.kind not in TARGETED_KINDS or is_npc(game, check.target):
        return False, False
    evades = is_npc(game, check.actor) and not game.setting("npc_rolls")
    return not evades, evades


def _disallow_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the traits of a proposal that a GM may refuse."""
    if asking.check is None:
        return ()
    request: Plan = asking.check.data.request
    traits = (("ability", request.skill), ("attribute", request.attribute))
    return tuple(Option(key, Text("ebb-disallow", {"name": name})) for key, name in traits if name)


SKILL: Final = _trait_field(
    "skill", ability_choices, lambda asking, text: find_ability(asking.sheet, text).name
)
ATTRIBUTE: Final = _trait_field(
    "attribute", attribute_choices, lambda asking, text: find_attribute(text)
)
#: Field for an attribute that the other side sacrifices instead of rolling (EBB-LUCK).
LUCK: Final = _trait_field(
    "luck", _luck_promises, lambda asking, text: find_attribute(text), title=Text("ebb-luck")
)
#: Form of a proposal, and of a revised one.
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
#: Fields of a GM's answer besides difficulty, modifier and refusals (EBB-PROPOSAL).
_GRANTED: Final = (
    stages.HIDDEN_FIELD,
    stages.AGAINST_FIELD,
    stages.NOTE_FIELD,
    *RULING_OPTIONS.fields,
)
RULING: Final = Form(
    (DIFFICULTY, stages.MODIFIER_FIELD, Many("disallow", choices=_disallow_options), *_GRANTED)
)


# --- values of the sheet --------------------------------------------------------------------------


def _with_sheet_values(sheet: EbbSheet, plan: Plan) -> Plan:
    """Return the plan with the sides of the ability's die, and the attribute's value."""
    sides = sides_by_ability(sheet).get(plan.skill)
    value = sheets.effective_attributes(sheet).get(plan.attribute)
    if (sides, value) == (plan.sides, plan.value):
        return plan
    return plan.replace(sides=sides, value=value)


def refresh_from_sheets(game: Game, check: AnyAttempt, data: Attempt) -> Attempt:
    """Return the data with the present values of both sides' sheets."""
    whose, target, defense = roller(check, data), check.target, data.defense
    request = _with_sheet_values(game.sheet(whose), data.request)
    if defense is not None and target is not None and target in game.state.characters:
        defense = _with_sheet_values(game.sheet(target), defense)
    return data.replace(request=request, defense=defense)


def require(game: Game, check: AnyAttempt) -> None:
    """Raise NotFound if a sheet no longer has the ability that is used.

    Raises Impossible("gone") if the character is gone.
    """
    for who, plan in ((roller(check), check.data.request), (check.target, check.data.defense)):
        if who is not None and plan is not None and plan.skill:
            find_ability(game.sheet(who), plan.skill)


# --- stages ---------------------------------------------------------------------------------------


class TaskProposal(stages.ProposalStage[Attempt]):
    """Stage in which the GM answers, unless no GM has to be asked (EBB-PROPOSAL)."""

    dice = OPEN

    def __init__(self, free: str = OVER, form: Form = PROPOSAL, *answers: str) -> None:
        super().__init__(form, RULING, answers or stages.ANSWERS, wanted="level")
        self.free = free

    def read_request(self, game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
        request = PROPOSAL.make_record(Plan, check.data.asked)
        opposed, evades = opposition_mode(game, check)
        if evades:  # the target chooses what to roll with
            request = request.replace(skill="", attribute="")
        data = check.data.replace(request=request, opposed=opposed, evades=evades)
        return check.replace(data=refresh_from_sheets(game, check.replace(data=data), data))

    def awaits_other_side(self, check: AnyAttempt) -> bool:
        return check.data.opposed or check.data.evades

    def ruling_options(self, check: AnyAttempt) -> tuple[CheckOption, ...]:
        options = super().ruling_options(check)
        if not check.data.evades:
            return options
        return tuple([option for option in options if option.value != MARGIN_ONLY])

    def read_ruling(self, game: Game, check: AnyAttempt) -> Attempt:
        data = check.data
        ruling = None if data.ruled is None else RULING.make_record(Plan, data.ruled)
        data = data.replace(ruling=ruling)
        if not data.answered_by:
            return data
        return refresh_from_sheets(game, check.replace(data=data), data)


TASK_PROPOSAL: Final = TaskProposal()


def propose(game: Game, check: AnyAttempt, values: Values, **more: Any) -> AnyAttempt:
    """Return a check as it is proposed, with *more* fields of its data.

    Raises as `TaskProposal.propose`.
    """
    check = TASK_PROPOSAL.propose(game, check, values)
    return check.replace(data=check.data.replace(**more))


def _luck_option(name: str) -> CheckOption:
    """Return the option to sacrifice a point of an attribute instead of rolling."""
    offered = Text("ebb-luck", {"what": "offered", "name": name})
    short = Text("ebb-luck", {"name": name})
    return CheckOption(f"luck:{name}", offered, cost=Cost(name), short=short)


def _needs_words(check: AnyAttempt) -> bool:
    """Return whether a player has to write how it's done before the roll."""
    return not check.approach and not check.gm_only and not check.group


class TaskPreparation(stages.ReadyStage[Attempt]):
    """Stage before the roll: the owner rolls, or sacrifices a point instead (EBB-LUCK)."""

    def missing_step(self, game: Game, check: AnyAttempt) -> str:
        if _needs_words(check):
            return "write"
        return "revise" if check.data.lacks_ability else ""

    def options_before_roll(
        self, game: Game, check: AnyAttempt, who: str
    ) -> tuple[CheckOption, ...]:
        if who != check.actor or not check.data.may_sacrifice:
            return ()
        names = luck_choices(game.sheet(who), check.data.request, check.data.effective_ruling)
        return tuple(map(_luck_option, names))

    def apply_choice(self, game: Game, check: AnyAttempt, choice: Choice) -> StageResult[Attempt]:
        name = choice.option.partition(":")[2]
        if not name:
            return StageResult(game.state, check.data)
        data = _record_sacrifice(game, check, check.data.replace(luck=name), check.actor, name)
        return StageResult(game.state, data, NEXT, said=data.spent)


def _record_sacrifice(game: Game, check: AnyAttempt, data: Attempt, who: str, name: str) -> Attempt:
    """Return the data after a point was sacrificed; players do not see what an NPC has left."""
    left = None if is_npc(game, who) else sheets.effective_attributes(game.sheet(who))[name]
    spent = Text("ebb-spent", {"attribute": name, "left": left})
    return refresh_from_sheets(game, check, data.replace(spent=spent, spent_by=who))


class TaskReaction(stages.ReactionStage[Attempt]):
    """Stage of open dice: an ability die may be rolled again for Fate.

    EBB-ROLL, EBB-OPPOSED, EBB-FATE.
    """

    name = OPEN

    def enter(self, game: Game, check: AnyAttempt, /) -> StageResult[Attempt] | None:
        if check.data.is_rolled:
            return None
        if _needs_words(check) and not check.data.evades:
            raise Impossible("needs-approach", field="approach", write=True)
        data = refresh_from_sheets(game, check, check.data)
        who = check.target or ""
        luck = (data.defense or data.request).luck
        if luck and not sheets.effective_attributes(game.sheet(who))[luck]:
            luck = ""  # the point was lost since it was promised: dice are rolled after all
        if luck and data.evades:
            data = data.replace(luck=luck)
        else:
            data = roll_attempt(data, game.rng_for(check), luck)
        if luck:
            game = game.with_sheet(who, ATTRIBUTE_RESOURCES[luck].pay(game.sheet(who), 1))
            data = _record_sacrifice(game, check, data, who, luck)
        return StageResult(game.state, data)

    def reactors(self, game: Game, check: AnyAttempt) -> tuple[str, ...]:
        """Return the side that has lost: the other side must not cut its time short.

        If all can see that this side has nothing to roll again, it is the other side. Of a blind
        check the order does not depend on the loser, which it would reveal.
        """
        data = check.data
        if check.gm_only or data.roll is None or data.other_luck:
            return ()
        lost = data.opposed and check.visibility != "blind" and data.has_succeeded()
        candidates = self._reroll_candidates(game, check)
        return candidates[-1:] if lost else candidates[:1]

    def has_means(self, game: Game, check: AnyAttempt, who: str, /) -> bool:
        return game.sheet(who).fate > 0

    def deciders(self, game: Game, check: AnyAttempt, prompt: Prompt, /) -> tuple[str, ...]:
        """Return the reactors, without a target who will choose about the hit.

        That target decides about the dice in the same visit.
        """
        who = prompt.who or ()
        if not _has_hit_character(game, check) or not _may_soften(game, check):
            return who
        return tuple([reactor for reactor in who if reactor != check.target])

    def is_hurt(self, game: Game, check: AnyAttempt, who: str, /) -> bool:
        return who == check.target and _has_hit_character(game, check)

    def has_wanted_result(self, game: Game, check: AnyAttempt, who: str, /) -> bool | None:
        if check.data.answer == MARGIN_ONLY or check.data.judgment is None:
            return None
        return check.data.has_succeeded() == _is_success_wanted(check, who)

    def may_hurt_reroll(self, game: Game, check: AnyAttempt) -> bool:
        """Return whether the player of the target can roll again, as all players see."""
        target = check.target or ""
        if not _has_hit_character(game, check):
            return False
        if target not in self._reroll_candidates(game, check):
            return False
        return not game.state.settings.open_points or self.has_means(game, check, target)

    def other_reactors(self, game: Game, check: AnyAttempt) -> tuple[str, ...]:
        if not check.data.opposed:
            return ()
        reactors = self.reactors(game, check)
        return tuple([who for who in self._reroll_candidates(game, check) if who not in reactors])

    def _reroll_candidates(self, game: Game, check: AnyAttempt) -> tuple[str, ...]:
        """Return the characters with an ability die that could be rolled again, as all can see.

        Of a blind check they are NPCs only, since players see no dice.
        """
        characters, blind = game.state.characters, check.visibility == "blind"
        rollers = [characters[who] for who in _ability_rolls(check) if who in characters]
        return tuple(
            [character.id for character in rollers if not blind or character.owner is None]
        )

    def reaction_options(self, game: Game, check: AnyAttempt, who: str) -> tuple[CheckOption, ...]:
        roll, sheet = _ability_rolls(check).get(who), game.sheet(who)
        if roll is None or not may_spend(game, check, who):
            return ()
        if not can_afford(RESOURCES, sheet, REROLL):
            return ()
        die = f"d{roll.ability_sides}"
        is_result_known = not check.hidden and check.data.answer != MARGIN_ONLY
        wins = is_result_known and check.data.has_succeeded() == _is_success_wanted(check, who)
        short = Text("ebb-spend-reroll", {"die": die})
        line = Text("ebb-spend-reroll", {"die": die, "fate": sheet.fate, "wins": wins})
        odds = _reroll_odds(check, roll, who)
        return (CheckOption("reroll", line, cost=REROLL, odds=odds, short=short),)

    def apply_reaction(self, game: Game, check: AnyAttempt, choice: Choice) -> StageResult[Attempt]:
        who = choice.who
        new_roll = task_roll.reroll_ability(game.rng_for(check), _ability_rolls(check)[who])
        left = None if is_npc(game, who) else game.sheet(who).fate
        about = {"die": f"d{new_roll.ability_sides}", "face": new_roll.ability, "left": left}
        spent = Text("ebb-spent", about)
        data = _with_dice(check, who, new_roll).replace(spent=spent, spent_by=who)
        return StageResult(game.state, data, said=spent)


def _has_hit_character(game: Game, check: AnyAttempt) -> bool:
    """Return whether an attack has hit a player's character."""
    hit = check.kind == "attack" and check.data.is_rolled and check.data.has_succeeded()
    return hit and not is_npc(game, check.target)


def _may_soften(game: Game, check: AnyAttempt) -> bool:
    """Return whether the target has a Fitness point for a flesh wound (EBB-INJURY)."""
    return sheets.effective_attributes(game.sheet(check.target or ""))[sheets.FITNESS] >= 1


def _ability_rolls(check: AnyAttempt) -> dict[str, TaskRoll]:
    """Return the open rolls with an ability die, by the character who rolled."""
    rolls = (roller(check), check.data.roll), (check.target or "", check.data.other)
    return {who: roll for who, roll in rolls if roll is not None and roll.ability_sides is not None}


def _with_dice(check: AnyAttempt, who: str, dice: TaskRoll) -> Attempt:
    """Return the data with another roll for a character who has rolled."""
    return check.data.replace(**{"roll" if who == roller(check) else "other": dice})


def _is_success_wanted(check: AnyAttempt, who: str) -> bool:
    """Return whether this side wants its roll to be a success."""
    return who == roller(check) and not check.data.evades


def _reroll_odds(check: AnyAttempt, dice: TaskRoll, who: str) -> Fraction | None:
    """Return the chance that a re-roll turns this side's failure around.

    Returns None if the result is hidden, or if the side has not failed.
    """
    data, wins = check.data, _is_success_wanted(check, who)
    if check.hidden or data.answer == MARGIN_ONLY or data.has_succeeded() == wins:
        return None
    sides = dice.ability_sides or 1
    turned = 0
    for face in range(1, sides + 1):
        rerolled = dice.replace(abilities=(*dice.abilities, face))
        if _with_dice(check, who, rerolled).has_succeeded() == wins:
            turned += 1
    return Fraction(turned, sides)


def may_spend(game: Game, check: AnyAttempt, who: str) -> bool:
    """Return whether points may be spent on a roll: not by players on dice that only GMs see."""
    owner = game.state.characters[who].owner
    return check.visibility != "blind" or owner is None or is_gm(game.state, game.actor)


def private_audience(check: AnyAttempt) -> tuple[str, ...]:
    """Return the characters whose players read a private check: the actor, and an active target."""
    if TASK_PROPOSAL.awaits_other_side(check) and check.target is not None:
        return (check.actor, check.target)
    return (check.actor,)


def forget(check: AnyAttempt, who: str, mine: Collection[str]) -> Attempt:
    """Return the data without what a participant has typed; *mine* are the participant's."""
    data: Attempt = stages.without_typed_defense(check, who, mine)
    if data.tool and (check.by == who or check.actor in mine):
        # The injury of a hit has the words of its weapon.
        data = data.replace(tool="", injury=None)
    if data.complication_by == who:
        data = data.replace(complication="", complication_by="")
    if data.request.approach and (data.defense_by == who or check.target in mine):
        data = data.replace(request=data.request.replace(approach=""), defense_by="")
    return data
