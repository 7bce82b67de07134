"""A target's secret defense against an attack, and its rolls (EGO-ATK-01, EGO-DEF-01 to 03)."""

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
#: Option for another die of defense, which may be chosen several times (EGO-KAR-02).
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


def _defense_option(name: str, dice: int | None = None, left: int | None = None) -> CheckOption:
    """Return the option of a defense.

    With *dice*, the label has the number of dice that would be rolled. In a round it has the cost
    in Action Points, too.
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


_REACTIONS: Final = {name: _defense_option(name) for name in _PRICES if name != _KARMA}


class DefenseStage(Stage[T], ABC):
    """Secret choice of the target's defense.

    The data keep the chosen defenses as `met`, and their costs in `shifts`.
    """

    name = _FACE
    orders = tuple([(_FACE, option) for option in _REACTIONS.values()])

    @abstractmethod
    def close(self, check: Check[T]) -> bool | None:
        """Return whether an attack is in close combat; None if no defense is possible."""

    @abstractmethod
    def hits(self, check: Check[T]) -> bool:
        """Return whether the attack hits the target by the current dice."""

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
        able = _possible_defenses(game, sheet, data.met, close=close)
        if is_npc(game, who):
            yield from [_REACTIONS[name] for name in able]
            return
        left = None if check.round is None else points_of(sheet).left
        thrown = sum(
            [trial.dice + trial.karma for trial in defense_trials(game, who, data.met, close=close)]
        )
        for name, dice in able.items():
            yield _defense_option(name, thrown + dice, left)
        # In a round, Karma buys dice for one roll only. Outside rounds, each roll stands alone.
        bought = data.met.count(_KARMA)
        spent = 0 if check.round is None else sheet.round.karma_dice - bought
        if close and bought < karma_most(sheet.karma + bought, spent):
            more = _defense_option(_KARMA, thrown + 1, sheet.karma)
            # The value has the number of the die, so that a double press buys only one.
            yield more.replace(value=f"{_KARMA}:{bought + 1}") if bought else more

    def secret_costs(self, check: Check[T], /) -> Iterator[tuple[str, str, int]]:
        data, who = check.data, check.target or ""
        yield who, _KARMA, data.met.count(_KARMA)
        for change in data.shifts:
            if (change.who, change.what) == (who, AP.key):
                yield who, AP.key, change.before - change.after

    def course(self, what: str) -> tuple[Stage[T], ...]:
        """Return the stages of the choice and of the rolls."""
        return self, DefendedRoll(self, what)

    def choose(self, game: Game, check: Check[T], choice: Choice, /) -> StageResult[T]:
        data: Any = check.data
        sheet: EgoSheet = game.sheet(choice.who)  # The cost is paid already.
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
    """Rolls of attacker and target, with the chosen defense."""

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
        defenses = () if close is None else defense_trials(game, who, data.met, close=close)
        return (*defenses, *data.trials)


def _possible_defenses(
    game: Game, sheet: EgoSheet, met: Collection[str], *, close: bool
) -> dict[str, int]:
    """Return the defenses that a character can choose now, with the dice that each adds.

    An enemy has only those that a GM has given it (EGO-NME-01).
    """
    left = points_of(sheet).left
    if sheet.profile is not None and not sheet.profile.guard:
        return {}
    parries, dice = parries_with(game, sheet) if close else (False, 0)
    adds = {"parry": dice, "block": block_pool(sheet)}
    names = close_combat.reactions(left, parries=parries)
    defenses = {name: sum([adds[part] for part in close_combat.REACTIONS[name]]) for name in names}
    levels = (
        level_of(sheet, TUMBLING) if close and not sheet.round.tumbling and TUMBLE not in met else 0
    )
    return defenses | ({TUMBLE: levels} if levels and left >= action_points.COSTS[TUMBLE] else {})


def defense_trials(game: Game, who: str, met: Sequence[str], *, close: bool) -> Iterable[Trial]:
    """Yield the rolls of the target.

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
    """Return the dice of a block or dodge (EGO-DEF-01)."""
    if sheet.profile is not None:
        return sheet.profile.guard
    return pool_of(sheet, UNARMED_SKILL)


def with_tumbling(game: Game, who: str, successes: int) -> Game:
    """Return the game with a character harder to hit until the round ends (EGO-DEF-03)."""
    sheet: EgoSheet = game.sheet(who)
    return game.with_sheet(who, sheet.replace(round=sheet.round.replace(tumbling=successes)))
