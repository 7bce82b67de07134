"""Reduction of an effect's damage, or of its interaction result, by its targets.

MB-LP-03, MB-LP-04.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.systems.masterbook.checks import card_windows
from rules.systems.masterbook.checks.damage_reduction import LOWER, DamageReductionStage
from rules.systems.masterbook.checks.roll_stages import LIFE_POINT, SPENT, can_spend_point
from rules.systems.masterbook.checks.state import Blow
from rules.systems.masterbook.deck.play import Use
from rules.systems.masterbook.effects.effect_results import column_of
from rules.systems.masterbook.effects.resistance import is_compulsion
from rules.systems.masterbook.effects.strike_state import AnyStrike
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint
from rules.systems.masterbook.formulas.interaction import lower_result
from rules.systems.masterbook.formulas.success_chart import NO_RESULT, Column
from rules.table.blocks import Text
from rules.table.check import PASS, AnyCheck, Choice, Prompt
from rules.table.checks.procedure import CheckOption, StageResult
from rules.table.system import Game

#: Way to play a card on a result of a column: it lowers that a step.
_STEP: Final[tuple[Use, ...]] = ("step",)


class StrikeReduction(DamageReductionStage):
    """Each target may lower what an effect does to it, in secret.

    A Life Point takes packages off damage; it lowers the result of an interaction a step.
    """

    def _column(self, check: AnyCheck) -> Column | None:
        """Return the column of an effect that acts as an interaction does; None for others."""
        start = check.data.start
        return None if start is None else column_to_lower(start.cast.known.blueprint)

    def _uses(self, check: AnyCheck) -> tuple[Use, ...]:
        return (*self.uses,) if self._column(check) is None else _STEP

    def possible_players(self, game: Game, check: AnyCheck) -> tuple[str, ...]:
        moments = self.moments(game, check)
        return card_windows.possible_players(game, check, moments, self._uses(check))

    def card_options(self, game: Game, check: AnyCheck, who: str) -> tuple[CheckOption, ...]:
        moments = self.moments(game, check)
        return card_windows.offers(game, check, who, moments, self._uses(check))

    def _may_step_back(self, game: Game, check: AnyCheck, who: str) -> bool:
        lowered = any(blow.own or blow.cards for blow in check.data.blows)
        return not lowered and super()._may_step_back(game, check, who)

    def ask(self, game: Game, check: AnyCheck, /) -> tuple[Prompt, ...]:
        if self._column(check) is None:
            return super().ask(game, check)
        deciders: list[str] = []
        for blow in check.data.blows:
            if not has_column_result(blow) or game.sheet(blow.who).harm.out:
                continue
            if not blow.own or blow.who in self.possible_players(game, check):
                deciders.append(blow.who)
        if not deciders:
            return ()
        return (Prompt(LOWER, tuple(deciders), "means", PASS, True, harms=True),)

    def options(
        self, game: Game, check: AnyCheck, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        column = self._column(check)
        if column is None:
            return super().options(game, check, prompt, who)
        blow = next((blow for blow in check.data.blows if blow.who == who), None)
        if blow is None or game.sheet(who).harm.out:
            return ()
        options = [*self.card_options(game, check, who), *self._earlier_options(game, check, who)]
        if can_spend_point(game, who) and not blow.own:
            steps = {
                "now": Text("mb-effect", {"result": blow.effect}),
                "less": Text("mb-effect", {"result": lower_result(column, blow.effect, own=1)}),
            }
            label = Text("mb-lower-result", steps)
            options.insert(0, CheckOption(LOWER, label, cost=LIFE_POINT, helps="always"))
        return options

    def choose(self, game: Game, check: AnyCheck, choice: Choice, /) -> StageResult[Any]:
        column = self._column(check)
        if column is None:
            return super().choose(game, check, choice)
        cards = [option.value for option in self.card_options(game, check, choice.who)]
        card = choice.option in cards
        if choice.option != LOWER and not card:
            return self._step_back(game, check, choice)
        data, said = check.data, SPENT
        if card:
            game, data, _, said = self.play_card(game, check, choice)
        blows: list[Blow] = []
        for blow in data.blows:
            if blow.who == choice.who:
                blow = lowered_blow(blow, column, card=card)
            blows.append(blow)
        return StageResult(game.state, data.replace(blows=tuple(blows)), said=said)


def column_to_lower(blueprint: Blueprint) -> Column | None:
    """Return the column on which a target may lower its result; None for other effects (MB-LP-04).

    A compulsion is a persuasion, and those are read as General Success.
    """
    return "general" if is_compulsion(blueprint) else column_of(blueprint)


def has_column_result(blow: Blow) -> bool:
    """Return whether an effect has a result on its column for a target."""
    return blow.effect not in ("", NO_RESULT)


def lowered_blow(blow: Blow, column: Column, *, card: bool) -> Blow:
    """Return a blow whose result an own point or a card lowers a step (MB-LP-04).

    An effect without a result doesn't reach its target.
    """
    result = lower_result(column, blow.effect, own=int(not card), cards=int(card))
    kind = "miss" if result == NO_RESULT else blow.kind
    return blow.replace(
        effect=result, kind=kind, own=blow.own + (not card), cards=blow.cards + card
    )


def lowered_results(check: AnyStrike) -> tuple[Blow, ...]:
    """Return the blows whose result on a column an own point has lowered."""
    start = check.data.start
    if start is None or column_to_lower(start.cast.known.blueprint) is None:
        return ()
    return tuple(blow for blow in check.data.blows if blow.own)
