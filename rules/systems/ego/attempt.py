"""A check that takes its course under EGO: proposed, answered, paid for, thrown, changed; contests and their ties.

EGO-DIE-01 to EGO-DIE-05, EGO-CHR-05, EGO-SPC-02, EGO-SPC-03, EGO-KAR-02, EGO-AP-04; attacks stand beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from rules.systems.ego import dice, fighting, harm, pools
from rules.systems.ego.check import (
    AGAIN,
    BOTH,
    KNOWLEDGE,
    MINE,
    NOBODY,
    THEIRS,
    AnyAttempt,
    Attempt,
    Plan,
    is_automatic,
    needed,
    opposition_of,
    pool_of,
    rating,
    read_difficulty,
    succeeded,
    successes_for,
    too_much,
    topics,
    unsaid,
)
from rules.systems.ego.dice import Throw
from rules.systems.ego.fighters import impaired, karma_paid
from rules.systems.ego.pools import DIPLOMACY, SEDUCTION, SOCIAL, Means, Terms
from rules.systems.ego.rounds import pay
from rules.systems.ego.sheet import EgoSheet, counted, flag
from rules.systems.ego.standing import Changing, Happens, thrown
from rules.systems.ego.tables import RATINGS
from rules.table.checks import stages
from rules.table.checks.check import OVER, Choice, Prompt, Values
from rules.table.checks.procedure import Option, Stage, Step
from rules.table.events import Line
from rules.table.forms import Asking, Form, Number, Pick, Typed
from rules.table.forms import Option as Offer
from rules.table.lookup import find_known
from rules.table.marks import marks_of, with_marks
from rules.table.state import Mark
from rules.table.system import Game

OPEN, TIED = "open", "tied"
#: What somebody knows of a culture that is not theirs: a skill, else what is rolled in its place.
_KNOWLEDGE: Final = "Area of Knowledge"
#: The mark that a seduction leaves: who was, and how much easier they are to sway (EGO-SPC-03).
SEDUCED: Final = "seduced"
_LONGEST_SECONDS: Final = 3600

# --- forms ---------------------------------------------------------------------------------------------------


def _sheet(asking: Asking) -> EgoSheet:
    """That of whoever chooses; where GMs choose for somebody, of whom it is done to."""
    check = asking.check
    return asking.game.sheet(asking.who or (check.target if check is not None else None) or "")


def skills(game: Game, sheet: EgoSheet) -> tuple[Offer, ...]:
    """What somebody can roll, with how many dice; what they lack by its ability."""
    found = (*pools.known(sheet, game.campaign), *pools.unlearned(sheet, game.campaign))
    told = [{**pools.shown(sheet, each), "untrained": not each.level} for each in found]
    return tuple([Offer(str(each["name"]), Line("ego-skill", each)) for each in told])


def abilities(sheet: EgoSheet) -> tuple[Offer, ...]:
    """The four of them, with their dice."""
    return tuple(
        Offer(each, Line("ego-skill", {"name": each.capitalize(), "rank": pools.ability_dice(sheet, each)}))
        for each in pools.ABILITIES
    )


def _find(find: Callable[[Asking, str], str]) -> Callable[[Asking, str], str]:
    return lambda asking, text: (
        stages.NONE if text.strip().casefold() in ("", stages.NONE) else find(asking, text)
    )


def _known_cultures(asking: Asking) -> tuple[Offer, ...]:
    """Fields of knowledge on the sheet, and plain Intellect."""
    sheet = _sheet(asking)
    found = [each for each in pools.known(sheet, asking.game.campaign) if each.skill == _KNOWLEDGE]
    means = [*found, Means("Intellect", ability="intellect")]
    return tuple([Offer(each.name, Line("ego-skill", pools.shown(sheet, each))) for each in means])


def _ratings(asking: Asking) -> tuple[Offer, ...]:
    """Those of which it is known how many successes they take."""
    near = asking.game.setting("near_impossible_successes")
    known = {name: rating(name, near_impossible=near) for name in RATINGS}
    found = [(name, number) for name, number in known.items() if number is not None]
    return tuple(
        [Offer(name, Line("ego-rating", {"name": name, "number": number})) for name, number in found]
    )


SKILL: Final = Pick(
    "skill",
    among=lambda asking: skills(asking.game, _sheet(asking)),
    find=_find(lambda asking, text: pools.find(_sheet(asking), asking.game.campaign, text).name),
)
ATTRIBUTE: Final = Pick(
    "attribute",
    among=lambda asking: abilities(_sheet(asking)),
    find=_find(lambda asking, text: pools.find_ability(text)),
)
DIFFICULTY: Final = Typed(
    "difficulty", most=60, among=_ratings, read=read_difficulty, unless=stages.if_measured
)


KARMA: Final = counted("karma", dice.KARMA_MOST, 1, 2, 3)
_ABOUT: Final = (flag("attraction"), flag("persuading"))
_TOWARD: Final = Typed("toward", most=80, help=Line("ego-hint", {"what": "toward"}))
_KNOWS: Final = Pick("knowledge", among=_known_cultures)
_SECONDS: Final = Number("seconds", low=1, high=_LONGEST_SECONDS, help=Line("ego-hint", {"what": "seconds"}))
_MORE: Final = (_TOWARD, _KNOWS, _SECONDS, stages.HIDE)
#: What somebody proposes, and proposes anew.
PROPOSAL: Final = Form(
    (SKILL, ATTRIBUTE, DIFFICULTY, stages.APPROACH, stages.MODIFIER, KARMA, *_ABOUT, *_MORE)
)
#: What a GM answers (EGO-DIE-02, EGO-CHR-05).
RULING: Final = Form(
    (
        DIFFICULTY,
        stages.MODIFIER,
        stages.HIDDEN,
        flag("untrained", unless=stages.if_measured),
        *_ABOUT,
        counted("harder", 10, 1, 2, low=-10, unless=stages.if_measured),
        stages.NOTE,
    )
)
#: What the other side of a contest says.
DEFEND: Final = Form((SKILL, ATTRIBUTE, stages.APPROACH, KARMA, *_ABOUT))


# --- what the sheet has ----------------------------------------------------------------------------------------


def means_of(game: Game, who: str, plan: Plan) -> Means | None:
    """What somebody rolls; None for an ability alone. NotFound."""
    return pools.find(game.sheet(who), game.campaign, plan.skill) if plan.skill else None


def _terms(game: Game, who: str, plan: Plan, ruling: Plan | None = None) -> Terms:
    """What a pool consists of, without the dice that Karma buys."""
    found = pools.terms(game.sheet(who), means_of(game, who, plan), plan.attribute)
    more = plan.modifier if ruling is None else ruling.modifier
    return (*found, ("modifier", more)) if more else found


def _shifts(game: Game, check: AnyAttempt, plan: Plan, ruling: Plan) -> tuple[tuple[str, int], ...]:
    """What makes a difficulty another: impairment, no training, what the GM says, who was seduced."""
    sheet: EgoSheet = game.sheet(check.actor)
    means = means_of(game, check.actor, plan)
    untrained = means is not None and not means.level and not means.own
    found = {
        "impairment": harm.DIFFICULTY[impaired(game, sheet)],
        "untrained": int(untrained and (ruling.untrained or game.setting("untrained_plus_one"))),
        "harder": ruling.harder,
        "seduced": -int(
            means is not None and means.skill == SOCIAL and _is_seduced(game, check.actor, plan.toward)
        ),
    }
    return tuple([(key, number) for key, number in found.items() if number])


def _is_seduced(game: Game, who: str, toward: str) -> bool:
    return bool(toward and marks_of(game.state, who, SEDUCED, toward))


def looked(game: Game, check: AnyAttempt, data: Attempt) -> Attempt:
    """The data with what both sides' sheets have now."""
    plan, ruling = data.request, data.ruling
    found: dict[str, Any] = {"terms": _terms(game, check.actor, plan, ruling)}
    if data.defence is not None and check.target in game.state.characters:
        found["against"] = _terms(game, check.target or "", data.defence)
    if ruling is not None and not data.opposed and ruling.difficulty:
        base = successes_for(game, ruling.difficulty)
        shifts = _shifts(game, check, plan, ruling) if base else ()
        found |= {"shifts": shifts, "needed": needed(base, tuple([number for _, number in shifts]))}
    return data.but(**found)


def require(game: Game, check: AnyAttempt) -> None:
    """Impossible("gone") where nobody could go on; NotFound where a sheet has no more what is used of it."""
    for who, plan in ((check.actor, check.data.request), (check.target, check.data.defence)):
        if who is not None and plan is not None:
            means_of(game, who, plan)


# --- stages ----------------------------------------------------------------------------------------------------


class Proposal(stages.Proposed[Attempt]):
    """The GM answers, unless nobody has to."""

    dice = "paying"

    def asked(self, game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
        found: Any = check
        data: Any = check.data
        plan: Any = PROPOSAL.make(Plan, data.asked)
        if plan.toward:
            plan.toward = find_known(game.state, game.actor, plan.toward, "toward").id
        data.opposed = check.target is not None
        data.request = plan
        found.data = looked(game, check, data)
        means = means_of(game, check.actor, plan)
        if plan.knowledge and (means is None or means.name != DIPLOMACY):
            raise too_much("knowledge", value=plan.knowledge)
        if not found.data.terms:
            raise unsaid("skill")
        karma_paid(game, check.actor, plan.karma, check.round)
        return found

    def ruled(self, game: Game, check: AnyAttempt) -> Attempt:
        data: Any = check.data
        data.ruling = None if data.ruled is None else RULING.make(Plan, data.ruled)
        return looked(game, check, data)


PROPOSED: Final = Proposal(PROPOSAL, RULING, (stages.ROLL, stages.FREE, stages.IMPOSSIBLE), wanted="level")


def dares(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """A contest as it is proposed. Raises as `require_other`."""
    stages.require_other(check)
    return PROPOSED.proposed(game, check, values)


class Prepared(stages.Ready[Attempt]):
    """The owner rolls; in a contest the other side has said with what before (EGO-DIE-04)."""

    side = DEFEND

    def faced(self, check: AnyAttempt) -> Values | None:
        return None if check.data.defence is None else DEFEND.said(check.data.defence)

    def facing(self, game: Game, check: AnyAttempt, values: Values) -> Attempt:
        approach = values.get(stages.APPROACH.key, "").strip()
        plan = DEFEND.make(Plan, stages.said_in(values)).but(approach=approach)
        data = looked(game, check, check.data.but(defence=plan, defence_by=game.actor.id))
        if not data.against:
            raise unsaid("skill")
        karma_paid(game, check.target or "", plan.karma, check.round)
        return data


def _paying(game: Game, check: AnyAttempt) -> Step[Attempt] | None:
    """Karma and Action Points are spent, whatever comes of it (EGO-KAR-02, EGO-AP-02, EGO-AP-04)."""
    data = check.data
    if is_automatic(data):
        return None
    seconds, penalty = data.request.seconds, 0
    if seconds:
        game, penalty = pay(game, check.actor, fighting.skill_points(seconds), check.round)
    for who, plan in ((check.actor, data.request), (check.target, data.defence)):
        if who is not None and plan is not None:
            game = karma_paid(game, who, plan.karma, check.round)
    return Step(game.state, looked(game, check, data).but(paid=True, penalty=penalty))


def about_of(game: Game, who: str, plan: Plan, ruling: Plan | None) -> tuple[tuple[str, ...], str]:
    """The ability whose dice are in the pool and what the roll deals with, and the specialty that is rolled by itself.

    By these dice may be re-rolled (EGO-ADV-02, EGO-SPC-03).
    """
    means = means_of(game, who, plan)
    own = means.name if means is not None and means.own else ""
    ability = plan.attribute or ("" if means is None else means.ability)
    return (*(() if own or not ability else (ability,)), *topics(plan, ruling)), own


def knowing(game: Game, who: str, name: str) -> tuple[int, tuple[str, ...]]:
    """With how many dice somebody rolls what they know of a culture, and the ability whose dice are among them."""
    sheet: EgoSheet = game.sheet(who)
    known = [each for each in pools.known(sheet, game.campaign) if each.name == name]
    means = known[0] if known else Means(name, ability="intellect")
    return pools.dice_in(pools.terms(sheet, means, "")), (means.ability,)


def _knowing(game: Game, check: AnyAttempt) -> Step[Attempt] | None:
    """Diplomacy with somebody of another culture: what is known of it is thrown first (EGO-SPC-03)."""
    data, name = check.data, check.data.request.knowledge
    if not name or is_automatic(data):
        return None
    number, about = knowing(game, check.actor, name)
    throw = thrown(game, check, check.actor, KNOWLEDGE, number, about)
    return Step(game.state, data.but(throws=(throw,)))


class Weighing(Changing[Attempt]):
    """What is known lies open, and may be changed before its successes become dice."""

    name = "weighing"
    whats = (KNOWLEDGE,)


class Thrown(Changing[Attempt]):
    """The dice lie open; each side changes its own (EGO-DIE-05)."""

    name = OPEN
    whats = (MINE, THEIRS)

    def enter(self, game: Game, check: AnyAttempt, /) -> Step[Attempt] | None:
        data = check.data
        if is_automatic(data):
            return None
        found = [*data.throws, _throw(game, check, check.actor, MINE, data.request, data.terms)]
        if data.opposed and data.defence is not None and check.target is not None:
            found.append(_throw(game, check, check.target, THEIRS, data.defence, data.against))
        return Step(game.state, data.but(throws=tuple(found)))

    def settled(self, game: Game, check: AnyAttempt) -> bool:
        return is_automatic(check.data) or check.gm_only


def _throw(game: Game, check: AnyAttempt, who: str, what: str, plan: Plan, terms: Terms) -> Throw:
    data = check.data
    more = () if what == THEIRS else (known_dice(data), -data.penalty)
    number = dice.size(pools.dice_in(terms), more, plan.karma)
    about = about_of(game, who, plan, data.ruling if what == MINE else None)
    return thrown(game, check, who, what, number, *about, karma=plan.karma)


def known_dice(data: Attempt) -> int:
    """The dice that what is known of a culture adds."""
    pool = pool_of(data, KNOWLEDGE)
    return 0 if pool is None else pool.successes


#: What a GM may say of a tie.
_TIES: Final = tuple([Option(each, Line("ego-outcome", {"how": each})) for each in (BOTH, NOBODY, AGAIN)])


class Tied(Stage[Attempt]):
    """Both sides have as many successes: as the table plays it, or as its GM says (EGO-DIE-04)."""

    name = TIED

    def _open(self, data: Attempt) -> bool:
        both = opposition_of(data) if data.opposed else None
        return both is not None and both.tie and data.tie not in (BOTH, NOBODY)

    def enter(self, game: Game, check: AnyAttempt, /) -> Step[Attempt] | None:
        how = game.setting("opposed_tie")
        if not self._open(check.data) or how == "ask":
            return _seduced(game, check)
        return self._ended(game, check, how)

    def _ended(self, game: Game, check: AnyAttempt, how: str) -> Step[Attempt]:
        if how != AGAIN:
            return Step(game.state, check.data.but(tie=how), OVER)
        left = tuple([each for each in check.data.throws if each.what == KNOWLEDGE])
        return Step(game.state, check.data.but(tie=how, throws=left), OPEN)

    def ask(self, game: Game, check: AnyAttempt, /) -> tuple[Prompt, ...]:
        return (Prompt("tie"),) if self._open(check.data) else ()

    def options(self, game: Game, check: AnyAttempt, prompt: str, who: str, /) -> Iterable[Option]:
        return _TIES

    def choose(self, game: Game, check: AnyAttempt, choice: Choice, /) -> Step[Attempt]:
        return self._ended(game, check, choice.option)


def _seduced(game: Game, check: AnyAttempt) -> Step[Attempt] | None:
    """A seduction that works makes later attempts on the same one easier (EGO-SPC-03)."""
    data, plan = check.data, check.data.request
    toward = (check.target or "") if data.opposed else plan.toward
    if plan.skill != SEDUCTION or not toward or pool_of(data) is None or not succeeded(data):
        return None
    if _is_seduced(game, check.actor, toward):
        return None
    mark = Mark(SEDUCED, toward, until="adventure", by=check.id)
    return Step(with_marks(game.state, check.actor, mark), data)


def fallen(data: Attempt) -> bool:
    """Whether dice have fallen, or were paid for."""
    return data.paid or bool(data.throws)


#: How a check and a contest go.
COURSE: Final = (
    PROPOSED,
    Prepared(PROPOSED),
    Happens("paying", _paying),
    Happens(KNOWLEDGE, _knowing),
    Weighing(),
    Thrown(),
    Tied(),
)
