"""Procedure of MasterBook's checks and contests: the stages, and the dice of both sides.

MB-SKL-02, MB-DN-02, MB-DIE-02 to MB-DIE-07, MB-CMB-02, MB-CMB-03, MB-SUC-05, MB-SKILL-06.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from rules.core.errors import Impossible
from rules.systems.masterbook.checks import background_causes, card_windows
from rules.systems.masterbook.checks.action_economy import (
    dice_again,
    is_own_action,
    no_defense_reason,
    spend_action,
    use_up_marks,
)
from rules.systems.masterbook.checks.attempt_values import (
    RARE,
    Look,
    attempt_subject,
    case_of,
    chosen_rows_of,
    is_measured,
    means_of,
    refresh_from_sheets,
    split_row,
)
from rules.systems.masterbook.checks.check_forms import (
    DEFEND,
    DIFFICULTY,
    PROPOSAL,
    ROWS,
    RULING,
    SITUATIONS,
)
from rules.systems.masterbook.checks.roll_stages import (
    TRAINING,
    CardStage,
    ImpactWindow,
    Moments,
    ResolutionWindow,
    RolledAction,
    dice_stages,
)
from rules.systems.masterbook.checks.state import (
    MINE,
    THEIRS,
    AnyAttempt,
    Attempt,
    Plan,
    Rating,
    is_number_hidden,
)
from rules.systems.masterbook.deck.play import CardEffect, Moment
from rules.systems.masterbook.formulas import dice, skill_rules, skills
from rules.systems.masterbook.formulas.dice import Throw
from rules.table.check import Choice, Values
from rules.table.checks import stages
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.checks.stages import APPROACH_FIELD, FREE, IMPOSSIBLE, ROLL, stated_values
from rules.table.forms.form import Form
from rules.table.permissions import is_gm
from rules.table.system import Game, is_npc


def _with_numbered_row(skill: str, said: Values) -> Values:
    """Return the values with a row that is a difficulty by itself as the difficulty (MB-DN-01).

    A difficulty that is said stays.
    """
    numbers = dict(split_row(row) for row in said.get(ROWS.key, ()))
    own = next((row for row in chosen_rows_of(skill, numbers) if row.dn is not None), None)
    if own is None:
        return said
    others = tuple(row for row in said[ROWS.key] if split_row(row)[0] != own.id)
    return {DIFFICULTY.key: str(skills.row_value(own, numbers[own.id])), **said, ROWS.key: others}


# --- stages ---------------------------------------------------------------------------------------


def _is_derived_difficulty(game: Game, check: AnyAttempt, before: Plan, said: Values) -> bool:
    """Return whether a difficulty only follows from what the earlier plan said."""
    if not before.difficulty or said.get(DIFFICULTY.key) != before.difficulty:
        return False
    number = skill_rules.number_for(case_of(game, check.actor, before, before), asked=True)
    return before.difficulty == str(number)


class CheckProposal(stages.ProposalStage[Attempt]):
    """Stage in which the GM answers a proposal, if an answer is needed (MB-SKL-02).

    The GM's difficulty is hidden unless the GM shows it.
    """

    dice = TRAINING

    def __init__(
        self, ask: Form = PROPOSAL, rule: Form = RULING, look: Look = refresh_from_sheets
    ) -> None:
        super().__init__(ask, rule, (ROLL, FREE, IMPOSSIBLE), wanted="level")
        self.refresh = look

    def read_request(self, game: Game, check: Any, values: Values) -> AnyAttempt:
        data = check.data
        asked, opposed = dict(stated_values(data.asked)), check.target is not None
        if _is_derived_difficulty(game, check, data.request, asked):
            asked.pop(DIFFICULTY.key, None)
        request = self._ask.make_record(Plan, asked)
        if not opposed:
            asked = _with_numbered_row(means_of(game, check.actor, request).skill, asked)
            request = self._ask.make_record(Plan, asked)
        if not opposed and DIFFICULTY.key not in asked:
            # The inputs of a use may set the difficulty.
            case = case_of(game, check.actor, request, request)
            number = skill_rules.number_for(case, asked=True)
            if number is not None:
                asked = {**asked, DIFFICULTY.key: str(number)}
                request = request.replace(difficulty=str(number))
        data = data.replace(asked=asked, request=request, opposed=opposed)
        return check.replace(data=self.refresh(game, check.replace(data=data), data))

    def automatic_answer(self, game: Game, check: AnyAttempt) -> str | None:
        """Return the answer without a GM; None if a GM is asked (MB-SKILL-02).

        A GM has to say how common a vehicle is whose driver is untrained, if the player hasn't.
        """
        data = check.data
        skill = means_of(game, check.actor, data.request).skill
        untrained = skill in RARE and data.mine is not None and not data.mine.trained
        unsaid = untrained and not skills.rows_modifier(skill, data.request.rows)
        if unsaid and not is_gm(game.state, game.actor):
            return None
        return super().automatic_answer(game, check)

    def has_difficulty(self, check: AnyAttempt) -> bool:
        data = check.data
        named = DIFFICULTY.key in (data.asked if data.ruled is None else data.ruled)
        return super().has_difficulty(check) and (named or is_measured(data.request.skill))

    def options(
        self, game: Game, check: AnyAttempt, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        options = super().options(game, check, prompt, who)
        return background_causes.with_proposed_situations(
            game, check, prompt, options, attempt_subject
        )

    def apply_ruling(
        self, game: Game, check: AnyAttempt, answer: str, values: Values
    ) -> StageResult[Attempt]:
        """Apply a GM's answer. The skill's own rule may set a difficulty that the GM doesn't name.

        A situation may make the attempt impossible; others are kept for the same two characters.
        """
        subject = attempt_subject(game, check)
        if answer == ROLL and subject is not None:
            words = values.get(SITUATIONS.key, ())
            if background_causes.is_ruled_out(game, subject, words):
                answer = IMPOSSIBLE
            else:
                game = background_causes.with_remembered_answers(game, subject, words)
        if answer == ROLL and not check.data.opposed:
            values = self._with_difficulty(game, check, values)
        return super().apply_ruling(game, check, answer, values)

    def _with_difficulty(self, game: Game, check: AnyAttempt, values: Values) -> Values:
        """Return a GM's values with the difficulty that follows from them, if they name none."""
        request, given = check.data.request, stated_values(values, self._rules)
        values = {**values, **_with_numbered_row(means_of(game, check.actor, request).skill, given)}
        is_named = DIFFICULTY.key in values
        if is_named and not _is_derived_difficulty(game, check, request, given):
            return values
        said = self._rule.make_record(Plan, given)
        value = 0 if check.data.mine is None else check.data.mine.value
        number = skill_rules.number_for(case_of(game, check.actor, request, said, value))
        return values if number is None else {**values, DIFFICULTY.key: str(number)}

    def read_ruling(self, game: Game, check: Any) -> Attempt:
        data = check.data
        ruling = None if data.ruled is None else self._rule.make_record(Plan, data.ruled)
        data = data.replace(ruling=ruling)
        check = check.replace(data=data)
        return self.refresh(game, check.replace(hidden=self.hides_difficulty(check)), data)

    def hides_difficulty(self, check: Any) -> bool:
        data, ruling = check.data, check.data.ruling
        # A player who named the difficulty of a proposal that nobody answered knows it.
        secret = (check.hidden or data.answered_by) and not data.opposed
        return bool(secret and ruling and ruling.difficulty and not ruling.shown)


CHECK_PROPOSAL: Final = CheckProposal()

#: Predicate that tells whether result points decide what follows from a check.
Reads = Callable[[AnyAttempt], bool]


def always_reads_result(check: AnyAttempt) -> bool:
    """Return True: result points decide what follows."""
    return True


def never_reads_result(check: AnyAttempt) -> bool:
    """Return False: only success or the total decides what follows."""
    return False


class CheckPreparation(CardStage, stages.ReadyStage[Attempt]):
    """Stage before the dice, in which the actor rolls and cards may be played (MB-CARD-13).

    In a contest the other side first says with what it resists, and whether it rolls. The check
    waits for nobody because of cards.
    """

    side = DEFEND

    def __init__(self, proposed: CheckProposal) -> None:
        super().__init__(proposed)
        self._refresh = proposed.refresh

    def moments(self, game: Game, check: AnyAttempt) -> Moments:
        data = check.data
        if data.answer != ROLL or data.is_automatic or self.awaits_other_side(game, check):
            return ()
        moments = [moment(game, check, check.actor, MINE)]
        if data.is_resisted and check.target is not None:
            moments.append(moment(game, check, check.target, THEIRS))
        return tuple(about.replace(window="pre_roll") for about in moments)

    def options(
        self, game: Game, check: AnyAttempt, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        options = super().options(game, check, prompt, who)
        return background_causes.with_proposed_situations(
            game, check, prompt, options, attempt_subject
        )

    def other_rollers(self, game: Game, check: AnyAttempt) -> tuple[str, ...]:
        return tuple(who for who in self.possible_players(game, check) if who != check.actor)

    def options_before_roll(
        self, game: Game, check: AnyAttempt, who: str
    ) -> tuple[CheckOption, ...]:
        return self.card_options(game, check, who)

    def apply_choice(self, game: Game, check: AnyAttempt, choice: Choice) -> StageResult[Attempt]:
        if not card_windows.is_card(choice):
            return StageResult(game.state, check.data)
        game, data, effect, said = self.play_card(game, check, choice, early=True)
        # A card that lasts is a mark on the character, which the refresh reads.
        data = check.data if effect.lasts else data
        return StageResult(game.state, self._refresh(game, check, data), said=said)

    def opposing_values(self, check: AnyAttempt) -> Values | None:
        defense = check.data.defense
        return None if defense is None else self.side.changed_values(defense)

    def with_opposing_values(self, game: Game, check: AnyAttempt, values: Values) -> Attempt:
        approach = values.get(APPROACH_FIELD.key, "").strip()
        plan = DEFEND.make_record(Plan, stated_values(values)).replace(approach=approach)
        if plan.active and check.target is not None:
            why = no_defense_reason(game, check.target)
            if why:
                raise Impossible("mb-no-active-defense", why=why)
        data = check.data.replace(defense=plan, defense_by=game.actor.id)
        return refresh_from_sheets(game, check, data)


class AttemptAction(RolledAction):
    """Dice of both sides; a passive side rolls none (MB-CMB-02, MB-CMB-03).

    *look* refreshes the data from the sheets. Where *reads* says that result points don't matter,
    nobody is asked about raising them. A *hostile* action can be undone by its target's cards.
    """

    def __init__(
        self,
        look: Look = refresh_from_sheets,
        *,
        reads: Reads = always_reads_result,
        hostile: bool = True,
    ) -> None:
        self._look, self.reads, self.hostile = look, reads, hostile

    def refresh_from_sheets(self, game: Game, check: AnyAttempt, data: Any) -> Any:
        return self._look(game, check, data)

    def throws_due(self, game: Game, check: AnyAttempt) -> tuple[Throw, ...]:
        data = check.data
        if data.is_automatic:
            return ()
        throws = [throw_for(game, check, check.actor, MINE, data.mine)]
        if data.is_resisted and check.target is not None and data.throw_of(THEIRS) is None:
            throws.append(throw_for(game, check, check.target, THEIRS, data.theirs))
        return tuple(throws)

    def use_up_effects(self, game: Game, check: AnyAttempt) -> Game:
        if is_own_action(game, check.actor, free=check.data.free):
            game = spend_action(game, check.actor)
        game = use_up_marks(game, check.actor)
        if check.data.is_resisted and check.target:
            game = use_up_marks(spend_action(game, check.target), check.target)
        return game

    def is_settled(self, game: Game, check: AnyAttempt) -> bool:
        return check.gm_only or check.data.is_automatic

    def is_unaware(self, check: AnyAttempt, who: str) -> bool:
        return check.data.ruling is not None and check.data.ruling.unaware

    def untrained_moments(self, game: Game, check: AnyAttempt) -> Moments:
        mine = check.data.mine
        if mine is None or not mine.barred or check.data.answer != ROLL:
            return ()
        return (moment(game, check, check.actor, MINE).replace(window="pre_roll"),)

    def open_dice_moments(self, game: Game, check: AnyAttempt) -> Moments:
        """Return the moments of the dice: none once a success is known, if its degree is not read.

        Without a hidden number the result is known as well, so its moment comes along.
        """
        data = check.data
        if not self.reads(check) and not is_number_hidden(game, check):
            result = data.result
            if result is not None and result.success:
                return ()
        moments = [moment(game, check, throw.who, throw.what) for throw in data.throws]
        if not moments:
            return ()
        if data.theirs is not None and check.target and data.throw_of(THEIRS) is None:
            moments.append(moment(game, check, check.target, THEIRS).replace(number="value"))
        if _is_result_known(check):
            about = moment(game, check, check.actor, MINE)
            moments.append(about.replace(window="after_resolution", against=()))
        return tuple(moments)

    def impact_moments(self, game: Game, check: AnyAttempt) -> Moments:
        """Return the moments before the GM tells the result, so that nobody is asked twice."""
        return self._result_moments(game, check) if _is_result_untold(game, check) else ()

    def resolution_moments(self, game: Game, check: AnyAttempt) -> Moments:
        if check.data.result is None or check.data.failed:
            return ()
        about = moment(game, check, check.actor, MINE).replace(window="after_resolution")
        if _is_result_known(check):
            about = about.replace(actor="")
        if not self.hostile:
            about = about.replace(against=())
        if _is_result_untold(game, check):
            return (about,)
        return (about, *self._result_moments(game, check))

    def _result_moments(self, game: Game, check: AnyAttempt) -> Moments:
        """Return the moment of the result points, if cards may add to them (MB-CARD-E07)."""
        result = check.data.result if self.reads(check) else None
        if result is None or not (result.success or game.setting("effect_card_can_rescue")):
            return ()
        about = moment(game, check, check.actor, MINE)
        return (about.replace(window="effect_pending", number="result", succeeded=result.success),)

    def with_card(self, check: AnyAttempt, data: Any, effect: CardEffect) -> Any:
        counts = effect.whose == check.target and (effect.lasts or effect.number == "value")
        if data.theirs is None or not counts or data.throw_of(THEIRS) is not None:
            return data
        return data.replace(theirs=data.theirs.with_causes((effect.name, effect.amount)))

    def without_throws_of(self, data: Any, who: str) -> Any:
        throws = [throw for throw in data.throws if throw.who != who or throw.what == THEIRS]
        return data.replace(throws=tuple(throws))

    def stages(self, *between: Stage[Any], reading: bool = True) -> tuple[Stage[Any], ...]:
        """Return `dice_stages` and the windows after the dice.

        Without *reading* there is no window before the result is told.
        """
        windows = (ImpactWindow(self),) if reading else ()
        return (
            *dice_stages(self, *between),
            *windows,
            ResolutionWindow(self, hostile=self.hostile),
        )


def moment(game: Game, check: AnyAttempt, who: str, what: str) -> Moment:
    """Return the moment of a character's total in a check, for cards."""
    data, target = check.data, check.target
    against = (target,) if target else ()
    plan = data.request if what == MINE else data.defense or data.request
    source = means_of(game, who, plan)
    source = source.replace(attribute=plan.attribute or source.attribute)
    about = Moment("roll_pending", check.actor, who, "total", what)
    return source.of(about).replace(
        against=against,
        players=what == MINE and target not in (None, who) and not is_npc(game, target),
        blind=against if data.ruling is not None and data.ruling.unaware else (),
    )


def _is_result_known(check: AnyAttempt) -> bool:
    """Return whether the open dice show the result to all.

    A player who accepts such dice is not asked about the result again.
    """
    return not check.data.opposed and not check.hidden


def _is_result_untold(game: Game, check: AnyAttempt) -> bool:
    """Return whether only GMs can read how good the result is, until they tell it."""
    return is_number_hidden(game, check) and check.reveal != "verdict"


def throw_for(game: Game, check: Any, who: str, what: str, how: Rating | None) -> Throw:
    """Roll the dice of a rating, with the effects that wait for the character's next roll."""
    assert how is not None, "looked up before it is thrown"
    again = dice_again(game, who)
    roll = dice.throw(game.rng_for(check, who), how.trained, again.ups, again.stymied)
    return thrown_with(who, what, how, roll)


def thrown_with(who: str, what: str, how: Rating, roll: dice.Roll) -> Throw:
    """Return a throw of dice with everything that a rating has."""
    throw = Throw(who, what, how.value, how.modifiers, roll, how.floor, how.most)
    return throw.replace(bonuses=how.bonuses, fails_on=how.fails_on)
