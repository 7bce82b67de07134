"""A check that takes its course under EBB: proposed, answered, rolled, and open for what is spent on it.

EBB-PROPOSAL, EBB-ROLL, EBB-LUCK, EBB-FATE; what an attack and a treatment add stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.core.record import Record, record
from rules.systems.ebb import check as arithmetic
from rules.systems.ebb.check import (
    BONUS_MAX,
    NONE,
    EbbRequest,
    EbbRolled,
    EbbRuling,
    luck_allowed,
    luck_choices,
    named,
    no_difficulty,
    read_difficulty,
    ruled_values,
    ruling_from,
)
from rules.systems.ebb.describe import difficulty_line
from rules.systems.ebb.difficulty import Adjustments, assess
from rules.systems.ebb.injury import succeeded
from rules.systems.ebb.ladder import Difficulty, difficulty_at
from rules.systems.ebb.options import ASK, RULE, adjustments_of, values_of
from rules.systems.ebb.resources import REROLL, RESOURCES
from rules.systems.ebb.sheet import LONGEST_ENTRY, EbbSheet, effective_attribute, find_ability, find_attribute
from rules.systems.ebb.tables import ATTRIBUTES, LADDER, LEVEL_STEP
from rules.systems.ebb.task import TaskRoll, reroll_ability
from rules.table.checks.check import NEXT, OVER, Check, Choice, Cost, Values
from rules.table.checks.procedure import Option, Step
from rules.table.checks.stages import (
    ANSWERS,
    APPROACH_MAX,
    MARGIN_ONLY,
    NOTE_MAX,
    ROLL,
    Blow,
    Proposed,
    Ready,
    Standing,
    needs_no_answer,
)
from rules.table.events import Line
from rules.table.forms import Asking, Field, Flag, Form, Many, Number, Pick, Typed
from rules.table.forms import Option as Offer
from rules.table.permissions import is_gm
from rules.table.resources import affords
from rules.table.system import Game

#: The stages in which the dice lie open, and in which somebody was hit.
OPEN, STRUCK = "open", "struck"
#: How many levels beyond the named ones are offered.
_BEYOND: Final = 3
_NOTHING: Final = EbbRequest(None, None, None, Adjustments())


@record
class Stats(Record):
    """What the sheet had when somebody chose last: sides of the ability's die, and the attribute's value."""

    sides: int | None = None
    value: int | None = None


@record
class Hurt(Record):
    """What a hit did: Fitness `before` and `after` a flesh wound, or the injury taken in full."""

    before: int = 0
    after: int = 0
    text: str = ""
    part: str = ""
    severity: str = ""


@record
class Healed(Record):
    """What rest or a treatment did: attributes that came back, by how much, and the injury that was treated."""

    back: tuple[tuple[str, int], ...] = ()
    text: str | None = None


@record
class Spent:
    """What was spent last by `who`, and how much of it is left: a point of an attribute, or Fate for a die and its
    face."""

    what: str
    left: int
    face: int = 0
    who: str = ""


@record
class Attempt(Blow):
    """What somebody tries, and how far it has come. `tool` is the weapon, the injury, or the way to rest.

    Where `opposed`, the other side throws dice as well: `defence`, in the words of `defence_approach`, which the
    participant `defence_by` typed. `mine` and `theirs` are what both sides' sheets had.
    """

    request: EbbRequest = _NOTHING
    ruling: EbbRuling | None = None
    rolled: EbbRolled | None = None
    mine: Stats = Stats()
    tool: str = ""
    opposed: bool = False
    defence: EbbRequest | None = None
    defence_approach: str = ""
    defence_by: str = ""
    theirs: Stats = Stats()
    spent: Spent | None = None
    hurt: Hurt | None = None
    healed: Healed | None = None


AnyAttempt = Check[Attempt]

# --- forms ---------------------------------------------------------------------------------------------------


def difficulty_offers() -> tuple[Offer, ...]:
    """The named levels, and some beyond them (EBB-LADDER)."""
    top = LADDER[-1][1]
    thresholds = [threshold for _, threshold in LADDER]
    thresholds += [top + LEVEL_STEP * more for more in range(1, _BEYOND + 1)]
    levels = (difficulty_at(threshold) for threshold in thresholds)
    return tuple(Offer(str(level.name), difficulty_line(level)) for level in levels)


def _sheet(asking: Asking) -> EbbSheet:
    """That of whoever chooses; where GMs choose for somebody, of whom it is done to."""
    return asking.game.sheet(asking.who or asking.check.target)


def abilities(sheet: EbbSheet) -> tuple[Offer, ...]:
    """Those of a sheet."""
    return tuple(
        Offer(each.name, Line("ebb-ability-choice", {"name": each.name, "die": f"d{each.sides}"}))
        for each in sheet.abilities
    )


def attributes(sheet: EbbSheet) -> tuple[Offer, ...]:
    """All there are, as they are on a sheet now."""
    values = {name: effective_attribute(sheet, name) for name in ATTRIBUTES}
    return tuple(
        Offer(name, Line("ebb-attribute-choice", {"name": name, "value": value}))
        for name, value in values.items()
    )


def _of_sheet(offers: Callable[[EbbSheet], tuple[Offer, ...]]) -> Callable[[Asking], tuple[Offer, ...]]:
    return lambda asking: () if asking.game is None else offers(_sheet(asking))


def _find_ability(asking: Asking, text: str) -> str:
    name = named(text)
    return NONE if name is None else find_ability(_sheet(asking), name).name


def _find_attribute(asking: Asking, text: str) -> str:
    name = named(text)
    return NONE if name is None else find_attribute(name)


def _find_difficulty(text: str) -> str:
    return _written(read_difficulty(text)) or NONE


def _written(level: Difficulty | None) -> str | None:
    return None if level is None else level.name or str(level.threshold)


def is_opposed(game: Game, check: Check[Any]) -> bool:
    """Whether the other side throws dice as well: an attack on a player's character (EBB-OPPOSED)."""
    target = None if check.target is None else game.state.characters.get(check.target)
    return check.kind == "attack" and target is not None and target.owner is not None


def _opposed(asking: Asking) -> bool:
    return asking.check is not None and is_opposed(asking.game, asking.check)


def _only_measured(asking: Asking, word: str) -> RulesError | None:
    """The other side's total is what it is measured against."""
    return InvalidInput("no-difficulty-here", field="difficulty", value=word) if _opposed(asking) else None


def _only_opposed(asking: Asking, word: str) -> RulesError | None:
    if asking.check is None or _opposed(asking):
        return None
    return Impossible("not-opposed", field="against", check=asking.check.id)


def _traits(asking: Asking) -> tuple[Offer, ...]:
    """What a GM may refuse of a proposal."""
    if asking.check is None:
        return ()
    request: EbbRequest = asking.check.data.request
    found = (("ability", request.ability), ("attribute", request.attribute))
    return tuple(Offer(key, Line("ebb-disallow", {"name": name})) for key, name in found if name is not None)


SKILL: Final = Pick("skill", among=_of_sheet(abilities), find=_find_ability)
ATTRIBUTE: Final = Pick("attribute", among=_of_sheet(attributes), find=_find_attribute)
DIFFICULTY: Final = Typed(
    "difficulty",
    most=LONGEST_ENTRY,
    among=lambda asking: difficulty_offers(),
    read=_find_difficulty,
    unless=_only_measured,
)
APPROACH: Final = Typed("approach", most=APPROACH_MAX, long=True)
MODIFIER: Final = Number("modifier", low=-BONUS_MAX, high=BONUS_MAX)
#: What somebody proposes, and proposes anew.
PROPOSAL: Final = Form((SKILL, ATTRIBUTE, DIFFICULTY, APPROACH, MODIFIER, *ASK.fields), compact=True)
_NOTE: Final = Typed("note", most=NOTE_MAX, long=True)
#: What a GM may say with an answer that needs no dice.
NOTE: Final = Form((_NOTE,), compact=True)
#: What a GM answers (EBB-PROPOSAL).
RULING: Final = Form(
    (
        DIFFICULTY,
        MODIFIER,
        Many("disallow", among=_traits),
        Flag("hidden", label=Line("ebb-option-hidden"), unless=_only_measured),
        Number("against", low=-BONUS_MAX, high=BONUS_MAX, unless=_only_opposed),
        _NOTE,
        *RULE.fields,
    ),
    compact=True,
)


def request_of(values: Values, options: Form = ASK) -> EbbRequest:
    """The request that these values of a form make. InvalidInput("out-of-range") for the bonus."""
    said = {field.key: values[field.key] for field in options.fields if field.key in values}
    return EbbRequest(
        named(values.get("skill")),
        named(values.get("attribute")),
        read_difficulty(values.get("difficulty")),
        adjustments_of(said, values.get("modifier", 0)),
    )


def request_values(request: EbbRequest, approach: str) -> Values:
    """The values that make this request, with the idea behind it."""
    found: dict[str, Any] = {
        "skill": request.ability,
        "attribute": request.attribute,
        "difficulty": _written(request.difficulty),
        "approach": approach,
        "modifier": request.adjustments.bonus,
    }
    return {**{key: value for key, value in found.items() if value}, **values_of(request.adjustments)}


# --- what the sheet has ----------------------------------------------------------------------------------------


def _stats(sheet: EbbSheet, request: EbbRequest) -> Stats:
    sides = None
    if request.ability is not None:
        sides = next((each.sides for each in sheet.abilities if each.name == request.ability), None)
    value = None if request.attribute is None else effective_attribute(sheet, request.attribute)
    return Stats(sides, value)


def looked(game: Game, check: AnyAttempt, data: Attempt) -> Attempt:
    """The data with what both sides' sheets have now."""
    mine = _stats(game.sheet(check.actor), data.request)
    if mine != data.mine:
        data = data.but(mine=mine)
    target = check.target
    if data.defence is None or target is None or target not in game.state.characters:
        return data
    return data.but(theirs=_stats(game.sheet(target), data.defence))


def require(game: Game, check: AnyAttempt) -> None:
    """Impossible("gone") where nobody could go on; NotFound where a sheet has no more what is used of it."""
    data, sheet = check.data, game.sheet(check.actor)
    if data.request.ability is not None:
        find_ability(sheet, data.request.ability)
    if data.defence is not None and data.defence.ability is not None and check.target is not None:
        find_ability(game.sheet(check.target), data.defence.ability)


# --- stages ----------------------------------------------------------------------------------------------------


def proposed(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """A check as somebody has proposed it. InvalidInput("wrong-type") where only checks may be the GMs' alone."""
    if check.gm_only and check.kind != "check":
        raise InvalidInput("wrong-type", field="kind", value=check.kind, allowed=("check",))
    request = request_of(values)
    mine = _stats(game.sheet(check.actor), request)
    data = check.data.but(request=request, opposed=is_opposed(game, check), mine=mine)
    return check.but(approach=values.get("approach", "").strip(), data=data)


class Proposal(Proposed[Attempt]):
    """The GM answers, unless nobody has to (EBB-PROPOSAL)."""

    word = NOTE

    def __init__(self, free: str = OVER, answers: tuple[str, ...] = ANSWERS, form: Form = PROPOSAL) -> None:
        super().__init__(form, RULING, answers)
        self.free = free

    def enter(self, game: Game, check: AnyAttempt, /) -> Step[Attempt] | None:
        made = super().enter(game, check)
        # Whoever is attacked chooses first; everything else is rolled at once.
        return made if made is None or check.data.opposed else made.but(to=OPEN)

    def options(self, game: Game, check: AnyAttempt, prompt: str, who: str, /) -> tuple[Option, ...]:
        found = super().options(game, check, prompt, who)
        # Where both throw dice the total decides.
        return tuple(each for each in found if not (check.data.opposed and each.value == MARGIN_ONLY))

    def draft(self, game: Game, check: AnyAttempt, option: str) -> Values:
        data = check.data
        if option in ("reply", "revise"):
            return request_values(data.request, check.approach)
        note = {"note": check.note} if check.note else {}
        if option not in (ROLL, MARGIN_ONLY):
            return note
        ruling = data.ruling
        if ruling is None:
            values = request_values(data.request, "").items()
            return {key: each for key, each in values if key not in ("skill", "attribute")} | note
        refused = ("ability",) * ruling.disallow_ability + ("attribute",) * ruling.disallow_attribute
        found: dict[str, Any] = {
            "difficulty": _written(ruling.base),
            "modifier": ruling.adjustments.bonus,
            "disallow": refused,
            "hidden": check.hidden,
            "against": ruling.against,
        }
        return {**{key: each for key, each in found.items() if each}, **ruled_values(ruling), **note}

    def unasked(self, game: Game, check: AnyAttempt) -> AnyAttempt | None:
        data = check.data
        base, adjustments = data.request.difficulty, data.request.adjustments
        measured = base is not None or data.opposed
        if not check.gm_only and not (measured and needs_no_answer(game, check)):
            return None
        answer = MARGIN_ONLY if check.gm_only and base is None else ROLL
        ruling = EbbRuling(base, None if base is None else assess(base, adjustments), adjustments)
        return check.but(data=data.but(answer=answer, ruling=ruling))

    def revised(self, game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
        data = check.data.but(request=request_of(values))
        return check.but(approach=values.get("approach", "").strip(), data=looked(game, check, data))

    def ruled(self, game: Game, check: AnyAttempt, answer: str, values: Values) -> AnyAttempt:
        data = check.data
        note, rolls = values.get("note", "").strip(), answer in (ROLL, MARGIN_ONLY)
        ruling = None
        base = read_difficulty(values.get("difficulty"))
        if rolls:
            if base is None and answer == ROLL and not data.opposed:
                raise no_difficulty()
            disallow, against = values.get("disallow", ()), values.get("against", 0)
            ruling = ruling_from(base, values, values.get("modifier", 0), disallow, against)
        hidden = rolls and base is not None and bool(values.get("hidden"))
        data = looked(game, check, data.but(ruling=ruling))
        return check.but(note=note, hidden=hidden, data=data)


class Prepared(Ready[Attempt]):
    """The owner rolls, or sacrifices a point instead (EBB-LUCK)."""

    def before(self, game: Game, check: AnyAttempt, who: str) -> tuple[Option, ...]:
        if who != check.actor or not luck_allowed(game.sheet(who), check.data):
            return ()
        return tuple(
            [
                Option(f"luck:{name}", Line("ebb-answer-luck", {"name": name}), cost=Cost(name))
                for name in luck_choices(game.sheet(who), check.data)
            ]
        )

    def chosen(self, game: Game, check: AnyAttempt, choice: Choice) -> Step[Attempt]:
        name = choice.option.partition(":")[2]
        if not name:
            return Step(game.state, check.data)
        left = effective_attribute(game.sheet(check.actor), name)
        spent = Spent(name, left, who=check.actor)
        data = looked(game, check, check.data.but(rolled=EbbRolled(None, name), spent=spent))
        line = Line("ebb-sacrificed", {"attribute": name, "left": left})
        return Step(game.state, data, NEXT, said=line)


class Thrown(Standing[Attempt]):
    """The dice lie open: an ability die may be had again for Fate (EBB-ROLL, EBB-OPPOSED, EBB-FATE)."""

    name = OPEN

    def enter(self, game: Game, check: AnyAttempt, /) -> Step[Attempt] | None:
        if check.data.rolled is not None:
            return None
        if not check.approach and not check.gm_only:
            raise Impossible("needs-approach", field="approach")
        data, dice = looked(game, check, check.data), game.dice(check)
        sheet = game.sheet(check.actor)
        if not data.opposed or check.target is None:
            return Step(game.state, data.but(rolled=EbbRolled(arithmetic.roll(sheet, data, dice))))
        bonus = arithmetic.points(arithmetic.ruling_of(data).adjustments)
        mine = arithmetic.roll(sheet, data, dice, bonus)
        theirs = arithmetic.roll_defence(game.sheet(check.target), data, dice)
        return Step(game.state, data.but(rolled=EbbRolled(mine, other=theirs)))

    def aware(self, game: Game, check: AnyAttempt) -> tuple[str, ...]:
        """Whoever has lost: the other side must not cut their time short. Blind, it would tell who that is."""
        data = check.data
        if check.gm_only or data.rolled is None or data.rolled.roll is None:
            return ()
        lost = data.opposed and check.visibility != "blind" and succeeded(data)
        return (check.target,) if lost and check.target is not None else (check.actor,)

    def others(self, game: Game, check: AnyAttempt) -> tuple[str, ...]:
        if not check.data.opposed or check.target is None:
            return ()
        (waited,) = self.aware(game, check)
        return (check.actor,) if waited == check.target else (check.target,)

    def reactions(self, game: Game, check: AnyAttempt, who: str) -> tuple[Option, ...]:
        roll = _dice_of(check, who)
        if roll is None or roll.ability_sides is None or not may_spend(game, check, who):
            return ()
        sheet: EbbSheet = game.sheet(who)
        if not affords(RESOURCES, sheet, REROLL):
            return ()
        line = Line("ebb-spend-reroll", {"die": f"d{roll.ability_sides}", "fate": sheet.fate})
        return (Option("reroll", line, cost=REROLL),)

    def reacted(self, game: Game, check: AnyAttempt, choice: Choice) -> Step[Attempt]:
        roll, rolled = _dice_of(check, choice.who), check.data.rolled
        if roll is None or rolled is None:
            raise Impossible("nothing-to-reroll", check=check.id)
        again = reroll_ability(game.dice(check), roll)
        die, left = f"d{again.ability_sides}", game.sheet(choice.who).fate
        said = Line("ebb-rerolled", {"die": die, "face": again.ability, "left": left})
        side = "roll" if choice.who == check.actor else "other"
        spent = Spent(die, left, again.ability or 0, choice.who)
        return Step(
            game.state, check.data.but(rolled=replace(rolled, **{side: again}), spent=spent), said=said
        )


def _dice_of(check: AnyAttempt, who: str) -> TaskRoll | None:
    """The dice of one side that lie open."""
    rolled = check.data.rolled
    if rolled is None:
        return None
    return rolled.roll if who == check.actor else rolled.other if who == check.target else None


def may_spend(game: Game, check: AnyAttempt, who: str) -> bool:
    """Nobody spends anything on dice that only the GMs see."""
    owner = game.state.characters[who].owner
    return check.visibility != "blind" or owner is None or is_gm(game.state, game.actor)


def with_fields(form: Form, *more: Field) -> Form:
    """A form with further fields."""
    return Form((*form.fields, *more), form.check, compact=form.compact)


def private(check: AnyAttempt) -> tuple[str, ...]:
    """Who hears of a private one: whoever acts, and whoever has something to do in it."""
    if check.target is None or not check.data.opposed:
        return (check.actor,)
    return check.actor, check.target


def forget(check: AnyAttempt, who: str, mine: Collection[str]) -> Attempt:
    """The data without what a participant has typed, whose characters are `mine`."""
    data = check.data
    if data.tool and check.kind in ("attack", "treat") and (check.by == who or check.actor in mine):
        data = data.but(tool="")
    if data.question and data.asked_by == who and not check.open:
        data = data.but(question="")
    if data.defence_approach and (data.defence_by == who or check.target in mine):
        data = data.but(defence_approach="", defence_by="")
    return data


def fallen(data: Attempt) -> bool:
    """Whether dice have fallen, or a point was given for it."""
    return data.rolled is not None
