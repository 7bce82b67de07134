"""What somebody sets against an attack in secret, and what is thrown for it (EGO-ATK-01, EGO-DEF-01
to 03).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from rules.systems.ego.character.combat_values import AP, TUMBLING, points_of
from rules.systems.ego.character.sheet import EgoSheet, ability_dice, level_of, pool_of
from rules.systems.ego.checks.group_rolls import BLOCK, DEFEND, TUMBLE, GroupRoll
from rules.systems.ego.checks.roll_stages import Trial
from rules.systems.ego.combat.declaration import AGAINST
from rules.systems.ego.combat.weapons import UNARMED_SKILL, parries_with
from rules.systems.ego.formulas import action_points, close_combat
from rules.systems.ego.formulas.dice import karma_most
from rules.table.blocks import Text
from rules.table.check import NEXT, PASS, Check, Choice, Cost, Prompt
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.checks.shared_blocks import NumberChange
from rules.table.system import Game, is_npc

T = TypeVar("T", bound=Any)


_FACE: Final = "face"
#: A die more for the defense, as often as it is chosen (EGO-KAR-02).
_KARMA: Final = "karma"
_PRICES: Final = {
    **{
        name: Cost(AP.key, action_points.cost(parts))
        for name, parts in close_combat.REACTIONS.items()
    },
    TUMBLE: Cost(AP.key, action_points.COSTS[TUMBLE]),
    _KARMA: Cost(_KARMA, 1),
}


#: Defenses that only some characters could ever use, by their sheets.
_ORDERABLE: Final[Mapping[str, Callable[[EgoSheet], bool]]] = {
    TUMBLE: lambda sheet: level_of(sheet, TUMBLING) > 0
}


def _reaction(name: str, dice: int | None = None, left: int | None = None) -> CheckOption:
    """With all the dice that would then be thrown, where that is told; in a round also of how many
    points it takes.
    """
    cost = _PRICES[name]
    label = Text("ego-face", {"what": name, "ap": cost.amount, "dice": dice, "left": left})
    return CheckOption(
        name,
        label,
        cost=cost,
        short=None if dice is None else Text("ego-face", {"what": name}),
        helps="always",
        orderable=_ORDERABLE.get(name),
    )


_REACTIONS: Final = {name: _reaction(name) for name in _PRICES if name != _KARMA}


class DefenseStage(Stage[T], ABC):
    """The target says in secret what it sets against it; the data keep that as `met`, and what it
    paid in `shifts`.
    """

    name = _FACE
    orders = tuple([(_FACE, each) for each in _REACTIONS.values()])

    @abstractmethod
    def close(self, check: Check[T]) -> bool | None:
        """Whether it comes close, or from afar; None where nothing can be set against it."""

    @abstractmethod
    def hits(self, check: Check[T]) -> bool:
        """Return whether it hits the target by the dice that lie there."""

    def ask(self, game: Game, check: Check[T], /) -> tuple[Prompt, ...]:
        close, who = self.close(check), check.target or ""
        if close is None or not (close or game.setting("dodge_vs_ranged")):
            return ()
        sheet: EgoSheet = game.sheet(who)
        if sheet.down or sheet.stunned:
            return ()
        return (Prompt(_FACE, (who,), "answer", PASS, True, button="answer-defend", harms=True),)

    def options(
        self, game: Game, check: Check[T], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        data: Any = check.data
        sheet, close = game.sheet(who), bool(self.close(check))
        able = _able(game, sheet, data.met, close=close)
        if is_npc(game, who):
            yield from [_REACTIONS[each] for each in able]
            return
        left = None if check.round is None else points_of(sheet).left
        thrown = sum(
            [each.dice + each.karma for each in defense_trials(game, who, data.met, close=close)]
        )
        for each, dice in able.items():
            yield _reaction(each, thrown + dice, left)
        # One roll a round takes all of it; of those aside from rounds each stands alone.
        bought = data.met.count(_KARMA)
        spent = 0 if check.round is None else sheet.round.karma_dice - bought
        if close and bought < karma_most(sheet.karma + bought, spent):
            more = _reaction(_KARMA, thrown + 1, sheet.karma)
            # Which die it is: a button that is pressed twice buys no second one.
            yield more.replace(value=f"{_KARMA}:{bought + 1}") if bought else more

    def secret_costs(self, check: Check[T], /) -> Iterator[tuple[str, str, int]]:
        data, who = check.data, check.target or ""
        yield who, _KARMA, data.met.count(_KARMA)
        for each in data.shifts:
            if (each.who, each.what) == (who, AP.key):
                yield who, AP.key, each.before - each.after

    def course(self, what: str) -> tuple[Stage[T], ...]:
        """The stages in which that is met and thrown."""
        return self, DefendedRoll(self, what)

    def choose(self, game: Game, check: Check[T], choice: Choice, /) -> StageResult[T]:
        data: Any = check.data
        sheet: EgoSheet = game.sheet(choice.who)  # paid for already
        if choice.option.partition(":")[0] == _KARMA:
            counted = sheet.round.karma_dice + (check.round is not None)
            game = game.with_sheet(
                choice.who, sheet.replace(round=sheet.round.replace(karma_dice=counted))
            )
            return StageResult(game.state, data.replace(met=(*data.met, _KARMA)))
        tumbles = choice.option == TUMBLE
        parts = (TUMBLE,) if tumbles else close_combat.REACTIONS[choice.option]
        left = points_of(sheet).left
        cost = NumberChange(choice.who, "ap", left + action_points.cost(parts), left)
        data = data.replace(met=(*data.met, *parts), shifts=(*data.shifts, cost))
        return StageResult(game.state, data, None if tumbles and choice.how == "self" else NEXT)


class DefendedRoll(GroupRoll[T]):
    """Both roll; what was said goes into it."""

    def __init__(self, faced: DefenseStage[T], what: str) -> None:
        super().__init__(what, *AGAINST)
        self._close, self._hits = faced.close, faced.hits

    def is_hurt(self, game: Game, check: Check[T], who: str, /) -> bool:
        return self._is_defender(check, who) and self._hits(check)

    def has_wanted_result(self, game: Game, check: Check[T], who: str, /) -> bool | None:
        hits = self._hits(check)
        return not hits if self._is_defender(check, who) else hits

    def _is_defender(self, check: Check[T], who: str) -> bool:
        return who == check.target != check.actor

    def trials(self, game: Game, check: Check[T]) -> tuple[Trial, ...]:
        close, who, data = self._close(check), check.target or "", check.data
        found = () if close is None else defense_trials(game, who, data.met, close=close)
        return (*found, *data.trials)


def _able(game: Game, sheet: EgoSheet, met: Collection[str], *, close: bool) -> dict[str, int]:
    """What somebody may set against it now, with the dice that adds; an enemy only what a GM has
    given (EGO-NME-01).
    """
    left = points_of(sheet).left
    if sheet.profile is not None and not sheet.profile.guard:
        return {}
    parries, dice = parries_with(game, sheet) if close else (False, 0)
    adds = {"parry": dice, "block": block_pool(sheet)}
    names = close_combat.reactions(left, parries=parries)
    found = {name: sum([adds[part] for part in close_combat.REACTIONS[name]]) for name in names}
    levels = (
        level_of(sheet, TUMBLING) if close and not sheet.round.tumbling and TUMBLE not in met else 0
    )
    return found | ({TUMBLE: levels} if levels and left >= action_points.COSTS[TUMBLE] else {})


def defense_trials(game: Game, who: str, met: Sequence[str], *, close: bool) -> Iterable[Trial]:
    """What the target throws.

    A specialty is rolled without the dice of any ability (EGO-SPC-02).
    """
    sheet: EgoSheet = game.sheet(who)
    if TUMBLE in met:
        yield Trial(who, TUMBLE, level_of(sheet, TUMBLING))
    if close and not sheet.down:
        more = parries_with(game, sheet)[1] if "parry" in met else 0
        number = close_combat.defense_pool(ability_dice(sheet, "agility"), more)
        yield Trial(who, DEFEND, number, 0, ("agility",), met.count(_KARMA))
    if BLOCK in met:
        yield Trial(who, BLOCK, block_pool(sheet), 0, ("agility",))


def block_pool(sheet: EgoSheet) -> int:
    """Dice of a block or dodge (EGO-DEF-01)."""
    if sheet.profile is not None:
        return sheet.profile.guard
    return pool_of(sheet, UNARMED_SKILL)


def with_tumbling(game: Game, who: str, successes: int) -> Game:
    """The game in which somebody is so much harder to hit until the round ends (EGO-DEF-03)."""
    sheet: EgoSheet = game.sheet(who)
    return game.with_sheet(who, sheet.replace(round=sheet.round.replace(tumbling=successes)))
