"""Attacks under EBB: the target's defense, and the effect of a hit.

EBB-ATTACK, EBB-OPPOSED, EBB-INJURY.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.systems.ebb import procedure
from rules.systems.ebb.difficulty import DEFENSE_OPTIONS, Plan
from rules.systems.ebb.procedure import AnyAttempt, Attempt, luck_choices
from rules.systems.ebb.resources import ATTRIBUTE_RESOURCES
from rules.systems.ebb.sheet import (
    FITNESS,
    LONGEST_ENTRY,
    SEVERITIES,
    add_injury,
    effective_attributes,
    find_severity,
    health_line,
    injury_line,
)
from rules.table.absence import orders_of
from rules.table.blocks import Text
from rules.table.check import NEXT, Choice, Cost, Prompt, Values
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.checks.stages import APPROACH_FIELD, require_other_target, stated_values
from rules.table.forms.fields import Typed, plain_options
from rules.table.forms.form import Form
from rules.table.permissions import is_gm
from rules.table.system import Game, is_npc

#: Effects of a hit: 1 Fitness, or the damage effect in full.
FLESH_WOUND, IN_FULL = "flesh-wound", "in-full"
#: Longest name of a weapon or an injury, in characters.
TOOL_MAX: Final = 100
FORM: Final = Form(
    (*procedure.PROPOSAL.fields, Typed("weapon", most=TOOL_MAX)),
    leading=("skill", "attribute", "difficulty", "weapon"),
)
DEFENSE_FORM: Final = Form(
    (procedure.SKILL, procedure.ATTRIBUTE, APPROACH_FIELD, procedure.LUCK, *DEFENSE_OPTIONS.fields)
)
_FULL: Final = Text("ebb-take-in-full")
#: Fields that make a defense harder, by the player's or the GM's word.
_ADMITTED_FIELDS: Final = ("flaw", "missing_tools", "drawback", "injured")
#: Form of a GM's words for a hit.
INJURY_FORM: Final = Form.of(
    Typed("text", most=LONGEST_ENTRY, title=Text("check-injury")),
    Typed("part", most=LONGEST_ENTRY),
    Typed(
        "severity",
        most=20,
        read=find_severity,
        help=Text("ebb-hint", {"of": "severity"}),
        choices=plain_options(SEVERITIES),
        nothing=Text("form-choose"),
    ),
)


def propose_targeted(
    game: Game, check: AnyAttempt, values: Values, wanted: str = "victim"
) -> AnyAttempt:
    """Return an attack or a contest as it is proposed; *wanted* is who has to be named.

    Raises as `require_other_target`.
    """
    require_other_target(check, wanted)
    return procedure.propose(game, check, values, tool=values.get("weapon", "").strip())


class DefensePreparation(procedure.TaskPreparation):
    """Stage in which both sides choose in secret, the defense first (EBB-ATTACK).

    The defense may be changed until the roll. If only the target rolls, the choice rolls at once.
    """

    side = DEFENSE_FORM

    def __init__(self, proposed: procedure.TaskProposal, face: Text, alone: Text) -> None:
        super().__init__(proposed)
        self._face, self._alone = face, alone

    def opposing_label(self, game: Game, check: AnyAttempt) -> Text | None:
        if check.data.evades:
            return self._alone
        return self._face if check.data.opposed else None

    def ask(self, game: Game, check: AnyAttempt, /) -> tuple[Prompt, ...]:
        prompts = super().ask(game, check)
        if not check.data.evades:
            return prompts
        return tuple([prompt for prompt in prompts if prompt.key != "ready"])

    def choose(self, game: Game, check: AnyAttempt, choice: Choice, /) -> StageResult[Attempt]:
        result = super().choose(game, check, choice)
        if check.data.evades and choice.option == "face":
            return result.replace(to=NEXT, reopen=False)
        return result

    def opposing_values(self, check: AnyAttempt) -> Values | None:
        defense = check.data.defense
        return None if defense is None else self.side.changed_values(defense)

    def with_opposing_values(self, game: Game, check: AnyAttempt, values: Values) -> Attempt:
        approach = values.get("approach", "").strip()
        data = check.data
        plan = DEFENSE_FORM.make_record(Plan, stated_values(values)).replace(approach=approach)
        # Without an idea, only a sacrifice can help against an attack (EBB-PROPOSAL). In a contest
        # the challenger's idea is enough.
        needed = check.kind != "contest" and not plan.luck and not is_gm(game.state, game.actor)
        if needed and not approach:
            raise Impossible("needs-approach", field="approach")
        if data.evades:
            # What the target admits counts beside what the GM has ruled.
            admitted = {
                key: max(getattr(data.effective_ruling, key), getattr(plan, key))
                for key in _ADMITTED_FIELDS
            }
            data = data.replace(request=plan, ruling=data.effective_ruling.replace(**admitted))
        else:
            data = data.replace(defense=plan)
        data = procedure.refresh_from_sheets(game, check, data.replace(defense_by=game.actor.id))
        if plan.luck:
            if data.evades and not data.may_sacrifice:
                raise Impossible("ability-required", field="ability")
            ruling = data.effective_ruling if data.evades else Plan()
            able = luck_choices(game.sheet(check.target or ""), plan, ruling)
            if plan.luck not in able:
                raise InvalidInput("luck-elsewhere", field="luck", value=plan.luck, allowed=able)
        return data


class HitChoice(Stage[Attempt]):
    """Choice of the target of a hit: a flesh wound for 1 Fitness, or full damage (EBB-INJURY).

    The weapon names the injury at once. An NPC takes the table's default, unless its GMs want to be
    asked.
    """

    name = procedure.STRUCK

    def enter(self, game: Game, check: AnyAttempt, /) -> StageResult[Attempt] | None:
        """Apply the table's default to an NPC at once, whatever it has left to soften a hit.

        A wait would tell players what the NPC has left.
        """
        target = check.target or ""
        if check.data.choice or not procedure.has_pending_effect(game, check):
            return None
        if is_npc(game, target):
            if orders_of(game.state, target).ask:
                return None
            way = _default_hit(game, check)
            if way == FLESH_WOUND:
                paid = ATTRIBUTE_RESOURCES[FITNESS].pay(game.sheet(target), 1)
                game = game.with_sheet(target, paid)
            result = _apply_unworded(game, check, way)
            return result.replace(data=result.data.replace(veiled=True))
        options = hit_options(game, check)
        return _apply_unworded(game, check, options[0].value) if len(options) == 1 else None

    def ask(self, game: Game, check: AnyAttempt, /) -> tuple[Prompt, ...]:
        """Ask the target's player and the GMs about the hit.

        For an NPC a flesh wound is among the GM's own choices: no button reveals that it could be
        taken. Of a blind check only the target's player may know.
        """
        if check.data.choice or not procedure.has_pending_effect(game, check):
            return ()
        who = (check.target or "",)
        seen = who if check.visibility == "blind" else None
        hit = Prompt(
            "hit",
            who,
            "answer",
            _default_hit(game, check),
            harms=True,
            visible_to=seen,
            button="answer-hit",
            shown=not is_npc(game, check.target),
        )
        words = Prompt("words", wait=None, visible_to=seen, about=check.target or "")
        if REROLLS.may_hurt_reroll(game, check):
            return hit, words, Prompt("also", who, wait=None, versioned=True)
        return hit, words

    def options(
        self, game: Game, check: AnyAttempt, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        if prompt == "also":
            return REROLLS.reaction_options(game, check, who)
        choices = hit_options(game, check)
        return map(in_words, choices) if prompt == "words" else choices

    def choose(self, game: Game, check: AnyAttempt, choice: Choice, /) -> StageResult[Attempt]:
        if choice.prompt == "also":
            # The new face of the die is judged as before the hit.
            return REROLLS.apply_reaction(game, check, choice).replace(to=procedure.OPEN)
        if choice.prompt == "words":
            return apply_hit(game, check, choice.option, choice.values).replace(to=NEXT)
        return _apply_unworded(game, check, choice.option)


#: Stage whose reactions to open dice are offered here, too.
REROLLS: Final = procedure.TaskReaction()


def hit_options(game: Game, check: AnyAttempt) -> tuple[CheckOption, ...]:
    """Return what a hit may do to its target.

    A target without a sheet takes the damage effect (EBB-ATTACK). No other player learns that it
    has none.
    """
    in_full = CheckOption(IN_FULL, _FULL, line=Text("ebb-shown", {"way": IN_FULL}), short=_FULL)
    fitness = effective_attributes(game.sheet(check.target or ""))[FITNESS]
    if fitness < 1:
        return (in_full,)
    label = Text("ebb-flesh-wound", {"left": fitness - 1})
    cost = Cost(FITNESS, who=check.target)
    line = Text("ebb-shown", {"way": FLESH_WOUND})
    short = Text("ebb-flesh-wound")
    return CheckOption(FLESH_WOUND, label, cost=cost, line=line, short=short), in_full


def in_words(option: CheckOption) -> CheckOption:
    """Return an option as a GM chooses it, with a form for the words of the injury."""
    return option.replace(form=INJURY_FORM) if option.value == IN_FULL else option


def _default_hit(game: Game, check: AnyAttempt) -> str:
    """Return the table's default for a hit."""
    soften = game.setting("hit_default") == "soften" and len(hit_options(game, check)) > 1
    return FLESH_WOUND if soften else IN_FULL


def _apply_unworded(game: Game, check: AnyAttempt, way: str) -> StageResult[Attempt]:
    """Apply a hit without a GM's words, and go on."""
    try:
        return apply_hit(game, check, way, {}).replace(to=NEXT)
    except RulesError:  # the sheet has no room: the GM keeps the effect in mind
        return StageResult(game.state, check.data.replace(choice=way), NEXT)


def apply_hit(game: Game, check: AnyAttempt, way: str, values: Values) -> StageResult[Attempt]:
    """Apply a hit to its target, in a GM's words if *values* has some.

    Otherwise the weapon names the injury.
    """
    target = game.character(check.target or "")
    data = check.data.replace(choice=way, injury=None, veiled=False)
    if way == FLESH_WOUND:
        # Players do not see what an NPC has left.
        left = None if target.owner is None else effective_attributes(target.sheet)[FITNESS]
        health = health_line(target.sheet)
        consequences = Text("ebb-flesh-wound", {"left": left, "came": True, "health": health})
        return StageResult(game.state, data.replace(consequences=consequences))
    text, *more = [values.get(key, "").strip() for key in INJURY_FORM.keys]
    sheet, injury = add_injury(target.sheet, text or data.tool or "injury", *more)
    params = {"injury": injury_line(injury, whole=False), "health": health_line(sheet)}
    consequences = Text("ebb-set-injury", {**params, "done": True})
    state = game.with_sheet(target.id, sheet).state
    return StageResult(state, data.replace(consequences=consequences, injury=injury))
