"""A check takes its course under EGO: proposed, answered, paid for, thrown, changed, told; contests
and their ties.

EGO-DIE-01 to EGO-DIE-05, EGO-CHR-05, EGO-SPC-02, EGO-SPC-03, EGO-KAR-02, EGO-AP-04; attacks stand
beside it.
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
from rules.table.forms import Form, FormContext, Number, Option, Pick, Typed
from rules.table.lookup import find_known
from rules.table.marks import marks_of, with_marks
from rules.table.state import Mark, Reveal
from rules.table.system import Game

#: The most successes that a task may need.
NEEDED_MOST: Final = 50
AUTOMATIC: Final = "Automatic"
#: What is thrown besides that of whoever acts: the other side, what is known of another culture.
THEIRS, KNOWLEDGE = "answer", "knowledge"
#: How a tie may end.
BOTH, NOBODY, AGAIN = "both", "nobody", "reroll"
_TOPICS: Final = ("attraction", "persuading")

Winner = Literal["a", "b"] | None


class Plan(Record):
    """A proposed attempt. `karma` dice are bought, `modifier` counts dice, `harder` successes.

    `attraction` and `persuading` tell what the roll deals with, `toward` with whom. `knowledge` is
    rolled first. `seconds` are what it takes in a round; `free` has it cost no Action Points.
    """

    skill: str = ""
    attribute: str = ""
    difficulty: str = ""
    approach: str = ""
    karma: int = 0
    modifier: int = 0
    harder: int = 0
    attraction: bool = False
    persuading: bool = False
    untrained: bool = False
    knowledge: str = ""
    toward: str = ""
    seconds: int = 0
    free: bool = False


class Attempt(stages.ProposalData):
    """An attempt of a character, and its progress.

    `terms` are what the pool consists of, by name, `needed` how many successes it takes and
    `shifts` what makes it harder or easier, as the sheet was when it was looked at last. `tie` is
    how a tie ended, `paid` whether Karma and Action Points were spent, `penalty` the dice that
    over-spending takes, or would take, and `costs` what was paid. `tied` are the dice of a tie that
    was rolled again.
    """

    request: Plan = Plan()
    ruling: Plan | None = None
    defense: Plan | None = None
    defense_by: str = ""
    terms: tuple[tuple[str, int], ...] = ()
    against: tuple[tuple[str, int], ...] = ()
    needed: int = 0
    shifts: tuple[tuple[str, int], ...] = ()
    throws: tuple[Throw, ...] = ()
    tie: str = ""
    paid: bool = False
    penalty: int = 0
    costs: tuple[shared_blocks.NumberChange, ...] = ()
    tied: tuple[Throw, ...] = ()


AnyAttempt = Check[Attempt]


def topics(*plans: Plan | None) -> tuple[str, ...]:
    """What a roll deals with, as it was said and as its GM has it (EGO-ADV-02)."""
    return tuple([key for key in _TOPICS if any(each and getattr(each, key) for each in plans)])


class Result(Record):
    """What successes come to against a number of them: by how many more, or fewer (EGO-DIE-03)."""

    successes: int
    needed: int

    @property
    def margin(self) -> int:
        """Negative on a failure."""
        return self.successes - self.needed

    @property
    def success(self) -> bool:
        """Without any success nothing succeeds."""
        return self.successes > 0 and self.margin >= 0


class Opposition(Record):
    """Two pools against each other: who wins, by how many, and whether it is a tie above 0
    (EGO-DIE-04).
    """

    winner: Winner = None
    margin: int | None = None
    tie: bool = False


def oppose(mine: int, theirs: int) -> Opposition:
    """More successes win; with none on both sides nobody does, and that is no tie (EGO-DIE-04)."""
    if mine == theirs:
        return Opposition(tie=mine > 0)
    return Opposition("a" if mine > theirs else "b", abs(mine - theirs))


def rating(text: str, *, near_impossible: int = 0) -> int | None:
    """How many successes a difficulty takes, 0 for what needs no roll; None where the GM has to say
    (EGO-DIE-02).
    """
    if text.isdigit():
        return int(text)
    found = RATINGS[text].successes
    return found if found is not None else near_impossible or None


def successes_for(game: Game, difficulty: str) -> int:
    """As `rating`, as the table plays it. InvalidInput("ego-how-many") where the GM has to say."""
    found = rating(difficulty, near_impossible=game.setting("near_impossible_successes"))
    if found is None:
        raise InvalidInput(
            "ego-how-many", field="difficulty", value=difficulty, highest=NEEDED_MOST
        )
    return found


def read_difficulty(text: str) -> str:
    """A rating's name, or a number of successes. InvalidInput("ego-bad-difficulty")."""
    return read_name_or_number(
        text, RATINGS, 1, NEEDED_MOST, field="difficulty", unknown="ego-bad-difficulty"
    )


def modified_difficulty(base: int, shifts: tuple[int, ...]) -> int:
    """With everything that makes it harder or easier, never below 1; what is automatic stays so
    (EGO-DIE-02).
    """
    return max(1, base + sum(shifts)) if base else 0


def pool_of(data: Attempt, what: str = view.MINE) -> Pool | None:
    """The dice thrown for it; None before."""
    return next((each.pool for each in data.throws if each.what == what), None)


def result_of(data: Attempt) -> Result | None:
    """What the dice come to against a difficulty; None before they fall, and against somebody."""
    pool = pool_of(data)
    return None if pool is None or data.opposed else Result(pool.successes, data.needed)


def opposition_of(data: Attempt) -> Opposition | None:
    """Who wins, once both sides have thrown."""
    mine, theirs = pool_of(data), pool_of(data, THEIRS)
    return None if mine is None or theirs is None else oppose(mine.successes, theirs.successes)


def is_automatic(data: Attempt) -> bool:
    """Whether it takes no roll (EGO-DIE-02)."""
    return data.answer == ROLL and data.ruling is not None and data.ruling.difficulty == AUTOMATIC


def has_succeeded(data: Attempt) -> bool:
    """Whether whoever acts has reached what they wanted."""
    if data.answer == FREE or is_automatic(data) or data.tie == BOTH:
        return True
    if data.opposed:
        both = opposition_of(data)
        return both is not None and both.winner == "a"
    result = result_of(data)
    return result is not None and result.success


OPEN, TIED = "open", "tied"
#: What somebody knows of a culture that is not theirs: a skill, else what is rolled in its place.
_KNOWLEDGE: Final = "Area of Knowledge"
#: The mark that a seduction leaves: who was, and how much easier they are to sway (EGO-SPC-03).
SEDUCED: Final = "seduced"
_LONGEST_SECONDS: Final = 3600

# --- forms ----------------------------------------------------------------------------------------


def skill_choices(game: Game, sheet: EgoSheet) -> tuple[Option, ...]:
    """What somebody can roll, with how many dice; what they lack by its ability."""
    found = (
        *pools.learned_sources(sheet, game.campaign),
        *pools.unlearned_sources(sheet, game.campaign),
    )
    told = [{**pools.source_params(sheet, each), "untrained": not each.level} for each in found]
    return tuple([Option(str(each["name"]), Text("ego-skill", each)) for each in told])


def ability_choices(sheet: EgoSheet) -> tuple[Option, ...]:
    """The four of them, with their dice."""
    return tuple(
        Option(
            each,
            Text("ego-skill", {"name": each.capitalize(), "rank": pools.ability_dice(sheet, each)}),
        )
        for each in pools.ABILITIES
    )


def _known_cultures(asking: FormContext) -> tuple[Option, ...]:
    """Fields of knowledge on the sheet, and plain Intellect."""
    sheet = asking.sheet
    found = [
        each
        for each in pools.learned_sources(sheet, asking.game.campaign)
        if each.skill == _KNOWLEDGE
    ]
    means = [*found, RollSource("Intellect", ability="intellect")]
    return tuple(
        [Option(each.name, Text("ego-skill", pools.source_params(sheet, each))) for each in means]
    )


def _ratings(asking: FormContext) -> tuple[Option, ...]:
    """List all difficulties with the successes that they take; the GM may have to name those."""
    near = asking.game.setting("near_impossible_successes")
    known = {name: rating(name, near_impossible=near) for name in RATINGS}
    found = [
        {"name": name, "number": number, "asks": number is None} for name, number in known.items()
    ]
    return tuple([Option(str(each["name"]), Text("ego-rating", each)) for each in found])


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
#: What somebody proposes, and proposes anew.
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
#: What a GM answers (EGO-DIE-02, EGO-CHR-05).
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
#: What the other side of a contest says.
DEFEND: Final = Form((SKILL, ATTRIBUTE, stages.APPROACH_FIELD, KARMA, *_ABOUT))


# --- what the sheet has ---------------------------------------------------------------------------


def roll_source_of(game: Game, who: str, plan: Plan) -> RollSource | None:
    """What somebody rolls; None for an ability alone. NotFound."""
    return pools.find_source(game.sheet(who), game.campaign, plan.skill) if plan.skill else None


def _terms(game: Game, who: str, plan: Plan, ruling: Plan | None = None) -> Terms:
    """What a pool consists of, without the dice that Karma buys."""
    found = pools.terms(game.sheet(who), roll_source_of(game, who, plan), plan.attribute)
    more = plan.modifier if ruling is None else ruling.modifier
    return (*found, ("modifier", more)) if more else found


def _wasted(plan: Plan, terms: Terms) -> bool:
    """Whether Karma buys dice for a roll that has none all the same, as far as that is known
    (EGO-DIE-01).
    """
    return (
        bool(plan.karma)
        and not plan.knowledge
        and not dice.pool_size(pools.dice_in(terms), karma=plan.karma)
    )


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
    """What makes a difficulty another: impairment, no training, what the GM says, who was
    seduced.
    """
    sheet: EgoSheet = game.sheet(check.actor)
    means = roll_source_of(game, check.actor, plan)
    # Whether an ability by itself stands for a skill only a GM can say (EGO-CHR-05).
    lacking = means is None or not (means.level or means.own)
    always = means is not None and game.setting("untrained_plus_one")
    charmed = (
        means is not None and means.skill == SOCIAL and _is_seduced(game, check.actor, plan.toward)
    )
    found = {
        "impairment": damage.IMPAIRMENT_DIFFICULTY[impairment_of(game, sheet)],
        "untrained": int(lacking and (ruling.untrained or always)),
        "harder": ruling.harder,
        "seduced": -int(charmed),
    }
    return tuple([(key, number) for key, number in found.items() if number])


def _is_seduced(game: Game, who: str, toward: str) -> bool:
    return bool(toward and marks_of(game.state, who, SEDUCED, toward))


def has_cost(game: Game, check: AnyAttempt) -> bool:
    """Return whether a check is an action that costs Action Points."""
    return check_cost(game, check, check.data) is not None


def refresh_from_sheets(game: Game, check: AnyAttempt, data: Attempt) -> Attempt:
    """The data with what both sides' sheets have now."""
    plan, ruling = data.request, data.ruling
    found: dict[str, Any] = {"terms": _terms(game, check.actor, plan, ruling)}
    if not data.paid:
        cost = check_cost(game, check, data)
        found["penalty"] = 0 if cost is None else cost.penalty
    if data.defense is not None and check.target in game.state.characters:
        found["against"] = _terms(game, check.target or "", data.defense)
    if ruling is not None and not data.opposed and ruling.difficulty:
        base = successes_for(game, ruling.difficulty)
        shifts = _shifts(game, check, plan, ruling) if base else ()
        found |= {
            "shifts": shifts,
            "needed": modified_difficulty(base, tuple([number for _, number in shifts])),
        }
    return data.replace(**found)


def require(game: Game, check: AnyAttempt) -> None:
    """Impossible("gone") where nobody could go on; NotFound where a sheet has no more what is used
    of it.
    """
    for who, plan in ((check.actor, check.data.request), (check.target, check.data.defense)):
        if who is not None and plan is not None:
            roll_source_of(game, who, plan)


# --- stages ---------------------------------------------------------------------------------------


class CheckProposal(stages.ProposalStage[Attempt]):
    """The GM answers, unless nobody has to."""

    dice = "paying"

    def awaits_other_side(self, check: AnyAttempt) -> bool:
        # Even in live play, a player is warned before paying for nothing or losing a round.
        data = check.data
        unwarned = bool(data.penalty) or _wasted(data.request, data.terms)
        return super().awaits_other_side(check) or unwarned

    def read_request(self, game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
        plan = PROPOSAL.make_record(Plan, check.data.asked)
        if plan.toward:
            plan = plan.replace(toward=find_known(game.state, game.actor, plan.toward, "toward").id)
        data = check.data.replace(opposed=check.target is not None, request=plan)
        found = check.replace(data=refresh_from_sheets(game, check.replace(data=data), data))
        means = roll_source_of(game, check.actor, plan)
        if plan.knowledge and (means is None or means.name != DIPLOMACY):
            raise unwanted_error("knowledge", value=plan.knowledge)
        if not found.data.terms:
            raise missing_error("skill")
        pay_karma(game, check.actor, plan.karma, check.round)
        return found

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
    """The owner rolls; in a contest the other side has said with what before (EGO-DIE-04)."""

    side = DEFEND

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
    """Karma and Action Points are spent, whatever comes of it (EGO-KAR-02, EGO-AP-02,
    EGO-AP-04).
    """
    data = check.data
    if is_automatic(data):
        return None
    cost, data = check_cost(game, check, data), data.replace(paid=True, penalty=0)
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
    """The ability whose dice are in the pool, or the specialty that is rolled by itself, and what
    the roll deals with.

    By these dice may be re-rolled (EGO-ADV-02, EGO-SPC-03).
    """
    means = roll_source_of(game, who, plan)
    if means is not None and means.own:
        return (means.name, *topics(plan, ruling))
    return (plan.attribute or ("" if means is None else means.ability), *topics(plan, ruling))


def knowledge_roll(game: Game, who: str, name: str) -> tuple[int, tuple[str, ...]]:
    """With how many dice somebody rolls what they know of a culture, and the ability whose dice are
    among them.
    """
    sheet: EgoSheet = game.sheet(who)
    known = [each for each in pools.learned_sources(sheet, game.campaign) if each.name == name]
    means = known[0] if known else RollSource(name, ability="intellect")
    return pools.dice_in(pools.terms(sheet, means, "")), (means.ability,)


def _knowing(game: Game, check: AnyAttempt) -> StageResult[Attempt] | None:
    """Diplomacy with somebody of another culture: what is known of it is thrown first
    (EGO-SPC-03).
    """
    data, name = check.data, check.data.request.knowledge
    if not name or is_automatic(data):
        return None
    number, about = knowledge_roll(game, check.actor, name)
    throw = roll_trial(game, check, Trial(check.actor, KNOWLEDGE, number, 0, about))
    return StageResult(game.state, data.replace(throws=(throw,)))


class KnowledgeReaction(DiceReaction[Attempt]):
    """What is known lies open, and may be changed before its successes become dice."""

    name = "weighing"
    whats = (KNOWLEDGE,)


class CheckReaction(DiceReaction[Attempt]):
    """The dice lie open; each side changes its own (EGO-DIE-05)."""

    name = OPEN
    whats = (view.MINE, THEIRS)

    def enter(self, game: Game, check: AnyAttempt, /) -> StageResult[Attempt] | None:
        data = check.data
        if is_automatic(data):
            return None
        found = [
            *data.throws,
            _throw(game, check, check.actor, view.MINE, data.request, data.terms),
        ]
        if data.opposed and data.defense is not None and check.target is not None:
            found.append(_throw(game, check, check.target, THEIRS, data.defense, data.against))
        return StageResult(game.state, data.replace(throws=tuple(found)))

    def is_settled(self, game: Game, check: AnyAttempt) -> bool:
        return is_automatic(check.data) or check.gm_only


def _throw(game: Game, check: AnyAttempt, who: str, what: str, plan: Plan, terms: Terms) -> Throw:
    data = check.data
    number = pools.dice_in(terms) + (0 if what == THEIRS else known_dice(data) - data.penalty)
    about = roll_subjects(game, who, plan, None if what == THEIRS else data.ruling)
    return roll_trial(game, check, Trial(who, what, number, 0, about, plan.karma))


def known_dice(data: Attempt) -> int:
    """The dice that what is known of a culture adds."""
    pool = pool_of(data, KNOWLEDGE)
    return 0 if pool is None else pool.successes


#: What a GM may say of a tie.
_TIES: Final = tuple(
    [CheckOption(each, Text("ego-outcome", {"how": each})) for each in (BOTH, NOBODY, AGAIN)]
)


class TieStage(Stage[Attempt]):
    """Both sides have as many successes: as the table plays it, or as its GM says (EGO-DIE-04)."""

    name = TIED

    def _open(self, data: Attempt) -> bool:
        both = opposition_of(data) if data.opposed else None
        return both is not None and both.tie and data.tie not in (BOTH, NOBODY)

    def enter(self, game: Game, check: AnyAttempt, /) -> StageResult[Attempt] | None:
        how = game.setting("opposed_tie")
        if not self._open(check.data) or how == "ask":
            return _seduced(game, check)
        return self._ended(game, check, how)

    def _ended(self, game: Game, check: AnyAttempt, how: str) -> StageResult[Attempt]:
        if how != AGAIN:
            return StageResult(game.state, check.data.replace(tie=how), OVER)
        data = check.data
        left = tuple([each for each in data.throws if each.what == KNOWLEDGE])
        tied = (*data.tied, *[each for each in data.throws if each.what != KNOWLEDGE])
        return StageResult(game.state, data.replace(tie=how, throws=left, tied=tied), OPEN)

    def ask(self, game: Game, check: AnyAttempt, /) -> tuple[Prompt, ...]:
        return (Prompt("tie"),) if self._open(check.data) else ()

    def options(
        self, game: Game, check: AnyAttempt, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        return _TIES

    def choose(self, game: Game, check: AnyAttempt, choice: Choice, /) -> StageResult[Attempt]:
        return self._ended(game, check, choice.option)


def _seduced(game: Game, check: AnyAttempt) -> StageResult[Attempt] | None:
    """A seduction that works makes later attempts on the same one easier (EGO-SPC-03)."""
    data, plan = check.data, check.data.request
    toward = (check.target or "") if data.opposed else plan.toward
    if plan.skill != SEDUCTION or not toward or pool_of(data) is None or not has_succeeded(data):
        return None
    if _is_seduced(game, check.actor, toward):
        return None
    mark = Mark(SEDUCED, toward, until="adventure", by=check.id)
    return StageResult(with_marks(game.state, check.actor, mark), data)


def has_rolled(data: Attempt) -> bool:
    """Whether dice have fallen, or were paid for."""
    return data.paid or bool(data.throws)


#: How a check and a contest go.
COURSE: Final = (
    CHECK_PROPOSAL,
    CheckPreparation(CHECK_PROPOSAL),
    _paying,
    _knowing,
    KnowledgeReaction(),
    CheckReaction(),
    TieStage(),
)


# --- telling --------------------------------------------------------------------------------------


def describe(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """Everything about a check, the verdict first, then what led to it."""
    data, told = (
        check.data,
        check if check.data.opposed else view.with_hidden_difficulty(game, check),
    )
    thrown = pool_of(data) is not None
    mine: Viewers = (check.actor,) if data.opposed and not thrown else FOR_EVERYONE
    found = [*_outcome(game, told)]
    cost = None if data.paid or thrown or not check.is_open else check_cost(game, check, data)
    penalty = data.penalty if cost is None else cost.penalty
    title, terms = shared_blocks.WITH_LABEL, (*data.terms, *pools.penalty_terms(penalty))
    found += _pool(game, check.actor, data.request, terms, mine, title, check=check)
    # The challenged player has to know what a contest is about.
    found += shared_blocks.idea_blocks(check, FOR_EVERYONE, level_line)
    npc = view.is_npc(game, check.actor)
    found += _wishes(data.request, mine, data.ruling, costed=cost is not None and not npc)
    if cost is not None:
        seen = GMS_ONLY if npc else mine
        found.append(Note(view.cost_line(cost, data.request.seconds), seen))
    if data.defense is not None and check.target is not None:
        theirs: Viewers = FOR_EVERYONE if thrown else (check.target,)
        shown = {"who": Ref(check.target), "contest": check.kind == "contest"}
        title = Text("check-defends", shown)
        found += _pool(game, check.target, data.defense, data.against, theirs, title, check=check)
        if data.defense.approach:
            found.append(Quote(data.defense.approach, data.defense_by, theirs))
        found += _wishes(data.defense, theirs)
    found += _numbers(game, told)
    found += shared_blocks.dice_result_blocks(check, view.shifted(game, data.costs, data.throws))
    found += shared_blocks.gm_quotes(check, mine)
    return tuple(found)


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
    said = (plan.skill, plan.attribute.capitalize())
    names = tuple([Text("as-written", {"text": each}) for each in said if each])
    found = view.blocks_by_audience(game, who, full, full.replace(value=names) if names else None)
    lost = (
        [Note(Text("ego-no-dice"), seen)]
        if _wasted(plan, terms) and not view.is_npc(game, who)
        else []
    )
    return [*found, *lost]


def _wishes(
    plan: Plan, seen: Viewers, ruling: Plan | None = None, *, costed: bool = False
) -> list[Block]:
    """Return the other wishes of the player and the GM, and the time unless its cost is told."""
    found = [Text("ego-option", {"what": key}) for key in topics(plan, ruling)]
    if plan.toward:
        found.append(Text("ego-wish", {"who": Ref(plan.toward)}))
    if plan.seconds and not costed:
        found.append(Text("ego-wish", {"seconds": plan.seconds}))
    if (plan if ruling is None else ruling).free:
        found.append(Text("ego-wish", {"free": True}))
    return [Note(each, seen) for each in found]


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
        return shared_blocks.dice_result_blocks(check, _opposed(check, seen_as))
    return view.graded_for_reveal(check, lambda told: (_verdict(data, seen_as, told),))


def _verdict(data: Attempt, tone: Tone, told: Reveal) -> Verdict:
    result = result_of(data)
    assert result is not None, "asked only once the dice have fallen"
    degree = (
        Text("ego-by", {"count": abs(result.margin)})
        if told != "verdict" and result.success and result.margin
        else None
    )
    numbers = None if told == "degree" else view.numbers_of(result.successes, result.needed, told)
    return Verdict(
        view.outcome(result.success),
        tone,
        FOR_EVERYONE,
        degree,
        worked=result.success,
        numbers=numbers,
    )


def _opposed(check: AnyAttempt, tone: Tone) -> tuple[Verdict, ...]:
    """Who wins, by how much."""
    data, both = check.data, opposition_of(check.data)
    assert both is not None, "asked only once both sides have thrown"
    if both.winner is None:
        how = "tie" if both.tie and data.tie not in (BOTH, NOBODY) else "none"
        how = BOTH if data.tie == BOTH else how
        return (
            Verdict(
                Text("ego-outcome", {"how": how}),
                "neutral",
                FOR_EVERYONE,
                worked=data.tie == BOTH or None,
            ),
        )
    winner = check.actor if both.winner == "a" else check.target or ""
    text = Text("check-wins", {"who": Ref(winner)})
    return (
        Verdict(
            text,
            tone,
            FOR_EVERYONE,
            Text("ego-by", {"count": both.margin}),
            worked=both.winner == "a",
        ),
    )


def level_line(difficulty: str, number: int | None = None) -> Text:
    """Return the text of a difficulty, with the successes that it takes."""
    name = "" if difficulty.isdigit() else difficulty
    known = number if number is not None or name else int(difficulty)
    return Text("ego-level", {"name": name, "number": known})


def _against(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """The difficulty and what moves it."""
    data, ruling = check.data, check.data.ruling
    if ruling is None or not ruling.difficulty or data.opposed:
        return ()
    level = Fact(
        shared_blocks.DIFFICULTY_LABEL, level_line(ruling.difficulty, data.needed), FOR_EVERYONE
    )
    return (level, *view.adjusted(game, check.actor, data.shifts))


def _numbers(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """Difficulty, and the dice."""
    data = check.data
    if pool_of(data) is None:
        known = _against(game, check)
        known = shared_blocks.hidden_difficulty_blocks(known) if check.hidden else known
        return (*known, *shared_blocks.dice_result_blocks(check, _dice(game, data, told="all")))

    def tell(told: Reveal) -> tuple[Block, ...]:
        against = (
            _against(game, check) if told == "all" else (shared_blocks.HIDDEN_DIFFICULTY_FACT,)
        )
        return (*against, *_dice(game, data, told))

    ended = Note(
        Text("ego-outcome", {"how": "again" if data.tie == AGAIN else "tied"}), FOR_EVERYONE
    )
    tied = data.tie and check.stage == OVER
    return (
        *view.graded_for_reveal(check, tell),
        *shared_blocks.dice_result_blocks(check, (ended,) if tied else ()),
        *shared_blocks.dice_result_blocks(check, _tied_dice(game, data)),
    )


def _tied_dice(game: Game, data: Attempt) -> list[Block]:
    """Return the dice of ties that were rolled again; only GMs read those of an NPC."""
    found: list[Block] = []
    for throw in data.tied:
        shown = {"who": Ref(throw.who), "count": throw.pool.successes}
        full = Note(Text("ego-tied-before", {**shown, "faces": throw.pool.faces}), FOR_EVERYONE)
        plain = Note(Text("ego-tied-before", shown), FOR_EVERYONE)
        found += view.blocks_by_audience(game, throw.who, full, plain)
    return found


def _dice(game: Game, data: Attempt, told: Reveal) -> Iterable[Block]:
    """The dice; with how well it went the number of successes would tell the difficulty."""
    shown = [each for each in data.throws if told != "degree" or each.what != view.MINE]
    return [block for each in shown for block in view.dice_blocks(game, each)]
