"""Checks and contests under EGO: proposal, answer, payment, roll, changes, ties and messages.

EGO-DIE-01 to EGO-DIE-05, EGO-CHR-05, EGO-SPC-02, EGO-SPC-03, EGO-KAR-02, EGO-AP-04. Attacks have a
procedure of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal

from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.core.json_reader import read_name_or_number
from rules.core.record import Record
from rules.systems.ego.character import pools
from rules.systems.ego.character.combat_values import impairment_of, pay_karma
from rules.systems.ego.character.pools import DIPLOMACY, SEDUCTION, SOCIAL, RollSource, Terms
from rules.systems.ego.character.sheet import EgoSheet, flag, hint, number_field
from rules.systems.ego.checks import view
from rules.systems.ego.checks.roll_stages import DiceReaction, Trial, roll_trial
from rules.systems.ego.checks.rounds import (
    cost_forecast,
    pay_cost,
    require_payable,
    round_of,
)
from rules.systems.ego.command_forms import missing_error, unwanted_error
from rules.systems.ego.formulas import action_points, damage, dice
from rules.systems.ego.formulas.action_points import Forecast
from rules.systems.ego.formulas.dice import Pool, Throw
from rules.systems.ego.formulas.reference_rows import RATINGS
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS_ONLY,
    Block,
    Fact,
    Note,
    Quote,
    Ref,
    Text,
    Tone,
    Verdict,
    Viewers,
)
from rules.table.check import OVER, Check, Choice, Prompt, Values
from rules.table.checks import shared_blocks, stages
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.checks.stages import FREE, IMPOSSIBLE, ROLL, find_or_none
from rules.table.forms.fields import FormContext, Number, Option, Pick, Typed
from rules.table.forms.form import Form
from rules.table.lookup import find_known
from rules.table.marks import marks_of, with_marks
from rules.table.state import Mark, Reveal
from rules.table.system import Game

#: The most successes that a task may need.
MAX_NEEDED: Final = 50
AUTOMATIC: Final = "Automatic"
#: Rolls beside the actor's: that of the other side, and that for knowledge of another culture.
THEIRS, KNOWLEDGE = "answer", "knowledge"
#: Ways to end a tie.
BOTH, NOBODY, AGAIN = "both", "nobody", "reroll"
_TOPICS: Final = ("attraction", "persuading")

Winner = Literal["a", "b"] | None


class Plan(Record):
    """A proposed attempt, or the ruling on one."""

    skill: str = ""
    attribute: str = ""
    difficulty: str = ""
    approach: str = ""
    #: Dice bought with Karma.
    karma: int = 0
    #: Dice added to the pool.
    modifier: int = 0
    #: Successes added to the difficulty.
    harder: int = 0
    #: Whether the roll deals with attraction.
    attraction: bool = False
    #: Whether the roll deals with persuading.
    persuading: bool = False
    untrained: bool = False
    #: Name of the knowledge of a culture that is rolled first; empty for none.
    knowledge: str = ""
    #: Id of the character that the roll deals with.
    toward: str = ""
    #: Seconds that the attempt takes in a round; 0 if the player named none.
    seconds: int = 0
    #: Whether the attempt costs no Action Points.
    free: bool = False


class Attempt(stages.ProposalData):
    """A character's attempt, and its progress."""

    request: Plan = Plan()
    ruling: Plan | None = None
    defense: Plan | None = None
    defense_by: str = ""
    #: Parts of the pool by name, as the sheet was at the last refresh.
    terms: tuple[tuple[str, int], ...] = ()
    #: Parts of the other side's pool by name.
    against: tuple[tuple[str, int], ...] = ()
    #: Successes that the attempt needs.
    needed: int = 0
    #: Changes of the difficulty by name.
    shifts: tuple[tuple[str, int], ...] = ()
    throws: tuple[Throw, ...] = ()
    #: Way in which a tie ended; empty without one.
    tie: str = ""
    #: Whether Karma and Action Points were spent.
    paid: bool = False
    #: Dice that over-spending takes, or would take.
    penalty: int = 0
    #: Points that were paid.
    costs: tuple[shared_blocks.NumberChange, ...] = ()
    #: Dice of a tie that was rolled again.
    tied: tuple[Throw, ...] = ()


AnyAttempt = Check[Attempt]


def topics(*plans: Plan | None) -> tuple[str, ...]:
    """Return the topics of a roll, as its player and its GM state them (EGO-ADV-02)."""
    stated = [plan for plan in plans if plan]
    return tuple(key for key in _TOPICS if any(getattr(plan, key) for plan in stated))


class Result(Record):
    """Successes of a pool compared with the number needed (EGO-DIE-03)."""

    successes: int
    needed: int

    @property
    def margin(self) -> int:
        """Successes beyond the number needed; negative on a failure."""
        return self.successes - self.needed

    @property
    def success(self) -> bool:
        """Success of the roll: at least one success, and as many as needed."""
        return self.successes > 0 and self.margin >= 0


class Opposition(Record):
    """Result of two pools against each other (EGO-DIE-04)."""

    winner: Winner = None
    #: Successes by which the winner leads.
    margin: int | None = None
    #: Whether both sides have the same number of successes, above 0.
    tie: bool = False


def oppose(mine: int, theirs: int) -> Opposition:
    """Return the result of two numbers of successes against each other (EGO-DIE-04).

    The higher number wins. If neither side has a success, nobody wins, and that is no tie.
    """
    if mine == theirs:
        return Opposition(tie=mine > 0)
    return Opposition("a" if mine > theirs else "b", abs(mine - theirs))


def rating(text: str, *, near_impossible: int = 0) -> int | None:
    """Return the successes that a difficulty takes; 0 if it needs no roll (EGO-DIE-02).

    None if the GM has to name the number.
    """
    if text.isdigit():
        return int(text)
    successes = RATINGS[text].successes
    return successes if successes is not None else near_impossible or None


def successes_for(game: Game, difficulty: str) -> int:
    """Return the successes that a difficulty takes at this table.

    Raises InvalidInput("ego-how-many") if the GM has to name the number.
    """
    successes = rating(difficulty, near_impossible=game.setting("near_impossible_successes"))
    if successes is None:
        raise InvalidInput("ego-how-many", field="difficulty", value=difficulty, highest=MAX_NEEDED)
    return successes


def read_difficulty(text: str) -> str:
    """Return the name of a rating, or a number of successes, that *text* names.

    Raises InvalidInput("ego-bad-difficulty").
    """
    return read_name_or_number(
        text, RATINGS, 1, MAX_NEEDED, field="difficulty", unknown="ego-bad-difficulty"
    )


def modified_difficulty(base: int, shifts: tuple[int, ...]) -> int:
    """Return a difficulty with everything that makes it harder or easier (EGO-DIE-02).

    It never falls below 1. An automatic success stays automatic.
    """
    return max(1, base + sum(shifts)) if base else 0


def pool_of(data: Attempt, what: str = view.MINE) -> Pool | None:
    """Return the dice of a roll; None before the roll."""
    return next((throw.pool for throw in data.throws if throw.what == what), None)


def result_of(data: Attempt) -> Result | None:
    """Return the result against a difficulty; None before the roll, and in a contest."""
    pool = pool_of(data)
    if pool is None or data.opposed:
        return None
    return Result(pool.successes, data.needed)


def opposition_of(data: Attempt) -> Opposition | None:
    """Return the result of a contest; None until both sides have rolled."""
    mine, theirs = pool_of(data), pool_of(data, THEIRS)
    if mine is None or theirs is None:
        return None
    return oppose(mine.successes, theirs.successes)


def is_automatic(data: Attempt) -> bool:
    """Return whether a check needs no roll (EGO-DIE-02)."""
    return data.answer == ROLL and data.ruling is not None and data.ruling.difficulty == AUTOMATIC


def has_succeeded(data: Attempt) -> bool:
    """Return whether the actor has succeeded."""
    if data.answer == FREE or is_automatic(data) or data.tie == BOTH:
        return True
    if data.opposed:
        opposition = opposition_of(data)
        return opposition is not None and opposition.winner == "a"
    result = result_of(data)
    return result is not None and result.success


OPEN, TIED = "open", "tied"
#: Skill for knowledge of a foreign culture. A character without it rolls Intellect.
_KNOWLEDGE: Final = "Area of Knowledge"
#: Mark that a seduction leaves on the seducer, about the seduced character (EGO-SPC-03).
SEDUCED: Final = "seduced"
_LONGEST_SECONDS: Final = 3600

# --- forms ----------------------------------------------------------------------------------------


def skill_choices(game: Game, sheet: EgoSheet) -> tuple[Option, ...]:
    """List the skills that a character can roll, with their dice.

    A skill that the character has not learned is rolled by its ability.
    """
    sources = (
        *pools.learned_sources(sheet, game.campaign),
        *pools.unlearned_sources(sheet, game.campaign),
    )
    options: list[Option] = []
    for source in sources:
        shown = {**pools.source_params(sheet, source), "untrained": not source.level}
        options.append(Option(str(shown["name"]), Text("ego-skill", shown)))
    return tuple(options)


def ability_choices(sheet: EgoSheet) -> tuple[Option, ...]:
    """List the four abilities with their dice."""
    options: list[Option] = []
    for key in pools.ABILITIES:
        shown = {"name": key.capitalize(), "rank": pools.ability_dice(sheet, key)}
        options.append(Option(key, Text("ego-skill", shown)))
    return tuple(options)


def _known_cultures(asking: FormContext) -> tuple[Option, ...]:
    """List the fields of knowledge on the sheet, and plain Intellect."""
    sheet = asking.sheet
    learned = pools.learned_sources(sheet, asking.game.campaign)
    fields = [source for source in learned if source.skill == _KNOWLEDGE]
    options: list[Option] = []
    for source in (*fields, RollSource("Intellect", ability="intellect")):
        shown = pools.source_params(sheet, source)
        options.append(Option(source.name, Text("ego-skill", shown)))
    return tuple(options)


def _ratings(asking: FormContext) -> tuple[Option, ...]:
    """List all difficulties with their successes; the GM may have to name the number."""
    near = asking.game.setting("near_impossible_successes")
    options: list[Option] = []
    for name in RATINGS:
        number = rating(name, near_impossible=near)
        shown = {"name": name, "number": number, "asks": number is None}
        options.append(Option(name, Text("ego-rating", shown)))
    return tuple(options)


SKILL: Final = Pick(
    "skill",
    choices=lambda asking: skill_choices(asking.game, asking.sheet),
    find=find_or_none(
        lambda asking, text: pools.find_source(asking.sheet, asking.game.campaign, text).name
    ),
)
ATTRIBUTE: Final = Pick(
    "attribute",
    title=Text("ego-label", {"what": "ability"}),
    choices=lambda asking: ability_choices(asking.sheet),
    find=find_or_none(lambda asking, text: pools.find_ability(text)),
)
DIFFICULTY: Final = Typed(
    "difficulty", most=60, choices=_ratings, read=read_difficulty, hidden_if=stages.opposed_error
)


def _karma_dice_options(asking: FormContext) -> Iterable[int]:
    """Return the numbers of dice that Karma can buy for this roll (EGO-KAR-02)."""
    return range(1, karma_dice_left(asking) + 1)


def karma_dice_left(asking: FormContext) -> int:
    """Return the most dice that Karma buys for a roll now (EGO-KAR-02).

    Without a character to ask for, that is the general maximum.
    """
    sheet: EgoSheet | None = asking.sheet
    if sheet is None or asking.game is None or not asking.subject:
        return dice.MAX_KARMA_DICE
    number = asking.check.round if asking.check else round_of(asking.game, asking.subject)
    counted = number is not None and sheet.round.number == number
    return dice.karma_most(sheet.karma, sheet.round.karma_dice if counted else 0)


def no_karma_error(asking: FormContext, word: str) -> RulesError | None:
    """Return the refusal of Karma dice, or None.

    They are refused without Karma, and after dice were bought for another roll of this round.
    """
    if karma_dice_left(asking):
        return None
    sheet: EgoSheet = asking.sheet
    if sheet.karma:
        return Impossible("ego-karma-once", most=dice.MAX_KARMA_DICE)
    return Impossible("ego-too-much-karma", value=word, highest=0)


KARMA: Final = number_field(
    "karma", dice.MAX_KARMA_DICE, offered=_karma_dice_options, hidden_if=no_karma_error
)
_ABOUT: Final = (flag("attraction"), flag("persuading"))
_TOWARD: Final = Typed("toward", most=80, help=hint("toward"), example="name")
_KNOWS: Final = Pick("knowledge", choices=_known_cultures)
_SECONDS: Final = Number(
    "seconds", low=1, high=_LONGEST_SECONDS, help=hint("seconds"), example="30"
)


def _no_round_error(asking: FormContext, word: str) -> RulesError | None:
    """Return the refusal of `free` where no Action Points are counted, or None."""
    check = asking.check
    if check is None or check.round is not None:
        return None
    return InvalidInput("ego-no-rounds", field=word, value=None)


#: A GM's ruling that an action costs no Action Points.
FREE_OF_COST: Final = flag("free", hidden_if=_no_round_error)
_MORE: Final = (
    _TOWARD,
    _KNOWS,
    _SECONDS,
    FREE_OF_COST.replace(hidden_if=stages.gm_only_error),
    stages.HIDDEN_BY_GM_FIELD,
)
#: Form of a proposal, and of a new one after it.
PROPOSAL: Final = Form(
    (
        SKILL,
        ATTRIBUTE,
        DIFFICULTY,
        stages.APPROACH_FIELD,
        stages.MODIFIER_FIELD,
        KARMA,
        *_ABOUT,
        *_MORE,
    )
)
#: Fields of a GM's ruling (EGO-DIE-02, EGO-CHR-05).
_UNTRAINED: Final = flag("untrained", hidden_if=stages.opposed_error)
_HARDER: Final = number_field("harder", 10, 1, 2, low=-10, hidden_if=stages.opposed_error)
_RULED: Final = (
    DIFFICULTY,
    stages.MODIFIER_FIELD,
    stages.HIDDEN_FIELD,
    _UNTRAINED,
    *_ABOUT,
    _HARDER,
    FREE_OF_COST,
)
RULING: Final = Form((*_RULED, stages.NOTE_FIELD))
#: Form of the other side of a contest.
DEFEND: Final = Form((SKILL, ATTRIBUTE, stages.APPROACH_FIELD, KARMA, *_ABOUT))


# --- numbers of the sheet -------------------------------------------------------------------------


def roll_source_of(game: Game, who: str, plan: Plan) -> RollSource | None:
    """Return the source of a character's roll; None for an ability alone. Raises NotFound."""
    if not plan.skill:
        return None
    return pools.find_source(game.sheet(who), game.campaign, plan.skill)


def _terms(game: Game, who: str, plan: Plan, ruling: Plan | None = None) -> Terms:
    """Return the parts of a pool, without the dice that Karma buys."""
    terms = pools.terms(game.sheet(who), roll_source_of(game, who, plan), plan.attribute)
    modifier = plan.modifier if ruling is None else ruling.modifier
    if not modifier:
        return terms
    return (*terms, ("modifier", modifier))


def _wastes_karma(plan: Plan, terms: Terms) -> bool:
    """Return whether Karma buys dice for a roll that has no dice all the same (EGO-DIE-01).

    False where knowledge is rolled first, because its dice are not known yet.
    """
    if not plan.karma or plan.knowledge:
        return False
    return not dice.pool_size(pools.dice_in(terms), karma=plan.karma)


def check_cost(game: Game, check: AnyAttempt, data: Attempt) -> Forecast | None:
    """Return the cost in a round of a check that is not paid yet; None if it costs nothing.

    A character in rounds uses a skill for 10 seconds, unless the player names a time (EGO-AP-04).
    """
    plan, who = data.request, check.actor
    free = (plan if data.ruling is None else data.ruling).free
    if free or is_automatic(data) or not (plan.seconds or round_of(game, who)):
        return None
    return cost_forecast(game, who, action_points.skill_use_cost(plan.seconds), check.round)


def _shifts(game: Game, check: AnyAttempt, plan: Plan, ruling: Plan) -> tuple[tuple[str, int], ...]:
    """Return the changes of a difficulty by impairment, training, the GM's ruling and seduction."""
    sheet: EgoSheet = game.sheet(check.actor)
    source = roll_source_of(game, check.actor, plan)
    # Whether an ability by itself stands for a skill only a GM can say (EGO-CHR-05).
    lacking = source is None or not (source.level or source.own)
    always = source is not None and game.setting("untrained_plus_one")
    charmed = (
        source is not None
        and source.skill == SOCIAL
        and _is_seduced(game, check.actor, plan.toward)
    )
    shifts = {
        "impairment": damage.IMPAIRMENT_DIFFICULTY[impairment_of(game, sheet)],
        "untrained": int(lacking and (ruling.untrained or always)),
        "harder": ruling.harder,
        "seduced": -int(charmed),
    }
    return tuple([(key, number) for key, number in shifts.items() if number])


def _is_seduced(game: Game, who: str, toward: str) -> bool:
    return bool(toward and marks_of(game.state, who, SEDUCED, toward))


def has_cost(game: Game, check: AnyAttempt) -> bool:
    """Return whether a check is an action that costs Action Points."""
    return check_cost(game, check, check.data) is not None


def refresh_from_sheets(game: Game, check: AnyAttempt, data: Attempt) -> Attempt:
    """Return the data with the current numbers of both sides' sheets."""
    plan, ruling = data.request, data.ruling
    changes: dict[str, Any] = {"terms": _terms(game, check.actor, plan, ruling)}
    if not data.paid:
        cost = check_cost(game, check, data)
        changes["penalty"] = 0 if cost is None else cost.penalty
    if data.defense is not None and check.target in game.state.characters:
        changes["against"] = _terms(game, check.target or "", data.defense)
    if ruling is not None and not data.opposed and ruling.difficulty:
        base = successes_for(game, ruling.difficulty)
        shifts = _shifts(game, check, plan, ruling) if base else ()
        changes |= {
            "shifts": shifts,
            "needed": modified_difficulty(base, tuple(number for _, number in shifts)),
        }
    return data.replace(**changes)


def require(game: Game, check: AnyAttempt) -> None:
    """Require that both sides' sheets still have what they roll.

    Raises NotFound if a sheet has lost it, and Impossible("gone").
    """
    for who, plan in ((check.actor, check.data.request), (check.target, check.data.defense)):
        if who is not None and plan is not None:
            roll_source_of(game, who, plan)


# --- stages ---------------------------------------------------------------------------------------


class CheckProposal(stages.ProposalStage[Attempt]):
    """Stage of the GM's answer; it is skipped where none is needed."""

    dice = "paying"

    def awaits_other_side(self, check: AnyAttempt) -> bool:
        # Even in live play, a player is warned before paying for nothing or losing a round.
        data = check.data
        unwarned = bool(data.penalty) or _wastes_karma(data.request, data.terms)
        return super().awaits_other_side(check) or unwarned

    def read_request(self, game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
        plan = PROPOSAL.make_record(Plan, check.data.asked)
        if plan.toward:
            plan = plan.replace(toward=find_known(game.state, game.actor, plan.toward, "toward").id)
        data = check.data.replace(opposed=check.target is not None, request=plan)
        proposed = check.replace(data=refresh_from_sheets(game, check.replace(data=data), data))
        source = roll_source_of(game, check.actor, plan)
        if plan.knowledge and (source is None or source.name != DIPLOMACY):
            raise unwanted_error("knowledge", value=plan.knowledge)
        if not proposed.data.terms:
            raise missing_error("skill")
        pay_karma(game, check.actor, plan.karma, check.round)
        return proposed

    def read_ruling(self, game: Game, check: AnyAttempt) -> Attempt:
        data = check.data
        data = data.replace(
            ruling=None if data.ruled is None else RULING.make_record(Plan, data.ruled)
        )
        # Odds may be asked of an action that can't be paid in this round.
        if data.answer == ROLL and not check.gm_only:
            require_payable(check_cost(game, check, data), by_gm=bool(data.answered_by))
        return refresh_from_sheets(game, check.replace(data=data), data)


CHECK_PROPOSAL: Final = CheckProposal(
    PROPOSAL, RULING, (stages.ROLL, stages.FREE, stages.IMPOSSIBLE), wanted="level"
)


class CheckPreparation(stages.ReadyStage[Attempt]):
    """Stage of the roll by the actor's owner.

    In a contest, the other side has stated its roll before (EGO-DIE-04).
    """

    side = DEFEND

    def opposing_values(self, check: AnyAttempt) -> Values | None:
        defense = check.data.defense
        return None if defense is None else self.side.changed_values(defense)

    def with_opposing_values(self, game: Game, check: AnyAttempt, values: Values) -> Attempt:
        approach = values.get(stages.APPROACH_FIELD.key, "").strip()
        plan = DEFEND.make_record(Plan, stages.stated_values(values)).replace(approach=approach)
        data = refresh_from_sheets(
            game, check, check.data.replace(defense=plan, defense_by=game.actor.id)
        )
        if not data.against:
            raise missing_error("skill")
        pay_karma(game, check.target or "", plan.karma, check.round)
        return data


def _paying(game: Game, check: AnyAttempt) -> StageResult[Attempt] | None:
    """Spend Karma and Action Points, whatever the result (EGO-KAR-02, EGO-AP-02, EGO-AP-04)."""
    data = check.data
    if is_automatic(data):
        return None
    cost = check_cost(game, check, data)
    data = data.replace(paid=True, penalty=0)
    if cost is not None:
        # Points may have been spent elsewhere since the GM answered.
        require_payable(cost, open_check=check.id)
        game, penalty, costs = pay_cost(game, check.actor, cost, check.round)
        data = data.replace(penalty=penalty, costs=costs)
    for who, plan in ((check.actor, data.request), (check.target, data.defense)):
        if who is not None and plan is not None:
            game = pay_karma(game, who, plan.karma, check.round)
    return StageResult(game.state, refresh_from_sheets(game, check, data))


def roll_subjects(game: Game, who: str, plan: Plan, ruling: Plan | None) -> tuple[str, ...]:
    """Return the ability in the pool, or the specialty that is rolled by itself, and the topics.

    They decide which re-rolls a character may use (EGO-ADV-02, EGO-SPC-03).
    """
    source = roll_source_of(game, who, plan)
    if source is not None and source.own:
        return (source.name, *topics(plan, ruling))
    ability = "" if source is None else source.ability
    return (plan.attribute or ability, *topics(plan, ruling))


def knowledge_roll(game: Game, who: str, name: str) -> tuple[int, tuple[str, ...]]:
    """Return the dice of a character's knowledge of a culture, and the abilities in that pool."""
    sheet: EgoSheet = game.sheet(who)
    known = [
        source for source in pools.learned_sources(sheet, game.campaign) if source.name == name
    ]
    source = known[0] if known else RollSource(name, ability="intellect")
    return pools.dice_in(pools.terms(sheet, source, "")), (source.ability,)


def _knowing(game: Game, check: AnyAttempt) -> StageResult[Attempt] | None:
    """Roll the actor's knowledge of another culture, before Diplomacy (EGO-SPC-03)."""
    data, name = check.data, check.data.request.knowledge
    if not name or is_automatic(data):
        return None
    number, about = knowledge_roll(game, check.actor, name)
    throw = roll_trial(game, check, Trial(check.actor, KNOWLEDGE, number, 0, about))
    return StageResult(game.state, data.replace(throws=(throw,)))


class KnowledgeReaction(DiceReaction[Attempt]):
    """Reactions to the roll for knowledge, before its successes become dice."""

    name = "weighing"
    whats = (KNOWLEDGE,)


class CheckReaction(DiceReaction[Attempt]):
    """Reactions to the roll; each side changes its own dice (EGO-DIE-05)."""

    name = OPEN
    whats = (view.MINE, THEIRS)

    def enter(self, game: Game, check: AnyAttempt, /) -> StageResult[Attempt] | None:
        data = check.data
        if is_automatic(data):
            return None
        throws = [
            *data.throws,
            _throw(game, check, check.actor, view.MINE, data.request, data.terms),
        ]
        if data.opposed and data.defense is not None and check.target is not None:
            throws.append(_throw(game, check, check.target, THEIRS, data.defense, data.against))
        return StageResult(game.state, data.replace(throws=tuple(throws)))

    def is_settled(self, game: Game, check: AnyAttempt) -> bool:
        return is_automatic(check.data) or check.gm_only


def _throw(game: Game, check: AnyAttempt, who: str, what: str, plan: Plan, terms: Terms) -> Throw:
    data = check.data
    number = pools.dice_in(terms) + (0 if what == THEIRS else known_dice(data) - data.penalty)
    about = roll_subjects(game, who, plan, None if what == THEIRS else data.ruling)
    return roll_trial(game, check, Trial(who, what, number, 0, about, plan.karma))


def known_dice(data: Attempt) -> int:
    """Return the dice that knowledge of a culture adds."""
    pool = pool_of(data, KNOWLEDGE)
    return 0 if pool is None else pool.successes


#: Ways in which a GM can end a tie.
_TIES: Final = tuple(
    [CheckOption(how, Text("ego-outcome", {"how": how})) for how in (BOTH, NOBODY, AGAIN)]
)


class TieStage(Stage[Attempt]):
    """End of a tie, by the setting of the table or by its GM (EGO-DIE-04)."""

    name = TIED

    def _is_open(self, data: Attempt) -> bool:
        if not data.opposed:
            return False
        opposition = opposition_of(data)
        return opposition is not None and opposition.tie and data.tie not in (BOTH, NOBODY)

    def enter(self, game: Game, check: AnyAttempt, /) -> StageResult[Attempt] | None:
        how = game.setting("opposed_tie")
        if not self._is_open(check.data) or how == "ask":
            return _mark_seduction(game, check)
        return self._end_tie(game, check, how)

    def _end_tie(self, game: Game, check: AnyAttempt, how: str) -> StageResult[Attempt]:
        if how != AGAIN:
            return StageResult(game.state, check.data.replace(tie=how), OVER)
        data = check.data
        knowledge = tuple([throw for throw in data.throws if throw.what == KNOWLEDGE])
        tied = (*data.tied, *[throw for throw in data.throws if throw.what != KNOWLEDGE])
        return StageResult(game.state, data.replace(tie=how, throws=knowledge, tied=tied), OPEN)

    def ask(self, game: Game, check: AnyAttempt, /) -> tuple[Prompt, ...]:
        return (Prompt("tie"),) if self._is_open(check.data) else ()

    def options(
        self, game: Game, check: AnyAttempt, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        return _TIES

    def choose(self, game: Game, check: AnyAttempt, choice: Choice, /) -> StageResult[Attempt]:
        return self._end_tie(game, check, choice.option)


def _mark_seduction(game: Game, check: AnyAttempt) -> StageResult[Attempt] | None:
    """Mark a seduction that works; it makes later attempts on the same character easier
    (EGO-SPC-03).
    """
    data, plan = check.data, check.data.request
    toward = (check.target or "") if data.opposed else plan.toward
    if plan.skill != SEDUCTION or not toward or pool_of(data) is None or not has_succeeded(data):
        return None
    if _is_seduced(game, check.actor, toward):
        return None
    mark = Mark(SEDUCED, toward, until="adventure", by=check.id)
    return StageResult(with_marks(game.state, check.actor, mark), data)


def has_rolled(data: Attempt) -> bool:
    """Return whether dice have been rolled or paid for."""
    return data.paid or bool(data.throws)


#: Stages of a check and of a contest.
COURSE: Final = (
    CHECK_PROPOSAL,
    CheckPreparation(CHECK_PROPOSAL),
    _paying,
    _knowing,
    KnowledgeReaction(),
    CheckReaction(),
    TieStage(),
)


# --- view -----------------------------------------------------------------------------------------


def describe(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """Return the blocks of a check: the verdict first, then the facts behind it."""
    data = check.data
    shown_check = check if data.opposed else view.with_hidden_difficulty(game, check)
    thrown = pool_of(data) is not None
    mine: Viewers = (check.actor,) if data.opposed and not thrown else FOR_EVERYONE
    blocks = [*_outcome(game, shown_check)]
    cost = None if data.paid or thrown or not check.is_open else check_cost(game, check, data)
    penalty = data.penalty if cost is None else cost.penalty
    title, terms = shared_blocks.WITH_LABEL, (*data.terms, *pools.penalty_terms(penalty))
    blocks += _pool(game, check.actor, data.request, terms, mine, title, check=check)
    # The challenged player has to know what a contest is about.
    blocks += shared_blocks.idea_blocks(check, FOR_EVERYONE, level_line)
    npc = view.is_npc(game, check.actor)
    blocks += _wishes(data.request, mine, data.ruling, costed=cost is not None and not npc)
    if cost is not None:
        seen = GMS_ONLY if npc else mine
        blocks.append(Note(view.cost_line(cost, data.request.seconds), seen))
    if data.defense is not None and check.target is not None:
        theirs: Viewers = FOR_EVERYONE if thrown else (check.target,)
        shown = {"who": Ref(check.target), "contest": check.kind == "contest"}
        title = Text("check-defends", shown)
        blocks += _pool(game, check.target, data.defense, data.against, theirs, title, check=check)
        if data.defense.approach:
            blocks.append(Quote(data.defense.approach, data.defense_by, theirs))
        blocks += _wishes(data.defense, theirs)
    blocks += _numbers(game, shown_check)
    blocks += shared_blocks.dice_result_blocks(check, view.shifted(game, data.costs, data.throws))
    blocks += shared_blocks.gm_quotes(check, mine)
    return tuple(blocks)


def _pool(
    game: Game,
    who: str,
    plan: Plan,
    terms: pools.Terms,
    seen: Viewers,
    title: Text,
    *,
    check: AnyAttempt,
) -> list[Block]:
    """Return the pool of a side; only GMs read the pool of an NPC.

    Before the roll, the pool has its number of dice, and its chance if the difficulty is public.
    """
    bought = (("karma", plan.karma),) if plan.karma else ()
    data, whole = check.data, (*terms, *bought)
    value = view.term_lines(whole)
    if terms and pool_of(data) is None and check.is_open and not plan.knowledge:
        known = data.answer == ROLL and not check.hidden and not data.opposed
        value = (view.pool_line(whole, data.needed if known else 0),)
    full = Fact(title, value, seen)
    titles = (plan.skill, plan.attribute.capitalize())
    names = tuple(Text("as-written", {"text": title}) for title in titles if title)
    plain = full.replace(value=names) if names else None
    blocks = [*view.blocks_by_audience(game, who, full, plain)]
    if _wastes_karma(plan, terms) and not view.is_npc(game, who):
        blocks.append(Note(Text("ego-no-dice"), seen))
    return blocks


def _wishes(
    plan: Plan, seen: Viewers, ruling: Plan | None = None, *, costed: bool = False
) -> list[Block]:
    """Return the other wishes of the player and the GM.

    The time is among them unless its cost is shown.
    """
    wishes = [Text("ego-option", {"what": key}) for key in topics(plan, ruling)]
    if plan.toward:
        wishes.append(Text("ego-wish", {"who": Ref(plan.toward)}))
    if plan.seconds and not costed:
        wishes.append(Text("ego-wish", {"seconds": plan.seconds}))
    if (plan if ruling is None else ruling).free:
        wishes.append(Text("ego-wish", {"free": True}))
    return [Note(wish, seen) for wish in wishes]


def _outcome(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    data, good = check.data, has_succeeded(check.data)
    seen_as = shared_blocks.result_tone(game, check, good=good, rivals=data.opposed)
    if data.answer in (FREE, IMPOSSIBLE):
        return (shared_blocks.no_roll_verdict(data.answer, seen_as),)
    if is_automatic(data) and not check.is_open:
        return (
            Verdict(Text("ego-outcome", {"how": "automatic"}), seen_as, FOR_EVERYONE, worked=True),
        )
    if pool_of(data) is None:
        return ()
    if data.opposed:
        return shared_blocks.dice_result_blocks(check, _contest_verdict(check, seen_as))
    return view.graded_for_reveal(check, lambda reveal: (_verdict(data, seen_as, reveal),))


def _verdict(data: Attempt, tone: Tone, reveal: Reveal) -> Verdict:
    result = result_of(data)
    assert result is not None, "asked only once the dice have fallen"
    degree = None
    if reveal != "verdict" and result.success and result.margin:
        degree = Text("ego-by", {"count": abs(result.margin)})
    numbers = None
    if reveal != "degree":
        numbers = view.numbers_of(result.successes, result.needed, reveal)
    return Verdict(
        view.outcome(result.success),
        tone,
        FOR_EVERYONE,
        degree,
        worked=result.success,
        numbers=numbers,
    )


def _contest_verdict(check: AnyAttempt, tone: Tone) -> tuple[Verdict, ...]:
    """Return the verdict of a contest: the winner and the margin."""
    data, opposition = check.data, opposition_of(check.data)
    assert opposition is not None, "asked only once both sides have thrown"
    if opposition.winner is None:
        how = "tie" if opposition.tie and data.tie not in (BOTH, NOBODY) else "none"
        how = BOTH if data.tie == BOTH else how
        return (
            Verdict(
                Text("ego-outcome", {"how": how}),
                "neutral",
                FOR_EVERYONE,
                worked=data.tie == BOTH or None,
            ),
        )
    winner = check.actor if opposition.winner == "a" else check.target or ""
    text = Text("check-wins", {"who": Ref(winner)})
    return (
        Verdict(
            text,
            tone,
            FOR_EVERYONE,
            Text("ego-by", {"count": opposition.margin}),
            worked=opposition.winner == "a",
        ),
    )


def level_line(difficulty: str, number: int | None = None) -> Text:
    """Return the text of a difficulty, with the successes that it takes."""
    name = "" if difficulty.isdigit() else difficulty
    known = number if number is not None or name else int(difficulty)
    return Text("ego-level", {"name": name, "number": known})


def _difficulty_blocks(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """Return the difficulty and its changes."""
    data, ruling = check.data, check.data.ruling
    if ruling is None or not ruling.difficulty or data.opposed:
        return ()
    level = Fact(
        shared_blocks.DIFFICULTY_LABEL, level_line(ruling.difficulty, data.needed), FOR_EVERYONE
    )
    return (level, *view.adjusted(game, check.actor, data.shifts))


def _numbers(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """Return the difficulty and the dice."""
    data = check.data
    if pool_of(data) is None:
        known = _difficulty_blocks(game, check)
        if check.hidden:
            known = shared_blocks.hidden_difficulty_blocks(known)
        return (*known, *shared_blocks.dice_result_blocks(check, _dice(game, data, "all")))

    def for_reveal(reveal: Reveal) -> tuple[Block, ...]:
        difficulty: tuple[Block, ...] = (shared_blocks.HIDDEN_DIFFICULTY_FACT,)
        if reveal == "all":
            difficulty = _difficulty_blocks(game, check)
        return (*difficulty, *_dice(game, data, reveal))

    how = "again" if data.tie == AGAIN else "tied"
    ended = Note(Text("ego-outcome", {"how": how}), FOR_EVERYONE)
    tied = data.tie and check.stage == OVER
    return (
        *view.graded_for_reveal(check, for_reveal),
        *shared_blocks.dice_result_blocks(check, (ended,) if tied else ()),
        *shared_blocks.dice_result_blocks(check, _tied_dice(game, data)),
    )


def _tied_dice(game: Game, data: Attempt) -> list[Block]:
    """Return the dice of ties that were rolled again; only GMs read those of an NPC."""
    blocks: list[Block] = []
    for throw in data.tied:
        shown = {"who": Ref(throw.who), "count": throw.pool.successes}
        full = Note(Text("ego-tied-before", {**shown, "faces": throw.pool.faces}), FOR_EVERYONE)
        plain = Note(Text("ego-tied-before", shown), FOR_EVERYONE)
        blocks += view.blocks_by_audience(game, throw.who, full, plain)
    return blocks


def _dice(game: Game, data: Attempt, reveal: Reveal) -> Iterable[Block]:
    """Return the dice.

    Where the degree of success is revealed, the actor's dice would give away the difficulty.
    """
    blocks: list[Block] = []
    for throw in data.throws:
        if reveal != "degree" or throw.what != view.MINE:
            blocks += view.dice_blocks(game, throw)
    return blocks
