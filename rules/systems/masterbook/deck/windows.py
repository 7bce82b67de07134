"""Windows for cards after the dice: before a result is read, and once all of it is known (MB-CARD-13)."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeVar

from rules.systems.masterbook.deck import rolls
from rules.systems.masterbook.deck.playing import Effect, Moment
from rules.systems.masterbook.standing import OPEN
from rules.table.checks.check import NEXT, PASS, Check, Choice, Prompt
from rules.table.checks.procedure import Option, Stage, Step
from rules.table.system import Game

T = TypeVar("T")


class Window(Stage[T]):
    """Whoever may, as everybody can see, play a card now is asked, until all have nothing to add."""

    @abstractmethod
    def moments(self, game: Game, check: Check[T]) -> tuple[Moment, ...]:
        """What cards may go on."""

    def undone(self, data: Any) -> Any:
        """The data with everything gone that whoever acts has thrown, and what followed from it."""
        return data

    def ask(self, game: Game, check: Check[T], /) -> tuple[Prompt, ...]:
        who = rolls.asked(game, check, self.moments(game, check), rolls.PLAIN)
        return (Prompt(self.name, who, "react", PASS),) if who else ()

    def options(self, game: Game, check: Check[T], prompt: str, who: str, /) -> tuple[Option, ...]:
        return rolls.offers(game, check, who, self.moments(game, check), rolls.PLAIN)

    def choose(self, game: Game, check: Check[T], choice: Choice, /) -> Step[T]:
        game, effect = rolls.taken(game, check, choice, self.moments(game, check))
        data, said = self._with(check.data, effect), rolls.said(effect)
        if effect.op == "cancel_action":
            return Step(game.state, data.but(failed=choice.who), NEXT, said=said)
        if effect.op == "retry_action":
            kept = tuple([each for each in data.effects if each.lasts or each is effect])
            data = self.undone(data).but(points=(), effects=kept, anew=True)
            return Step(game.state, data, OPEN, said=said)
        return Step(game.state, data, said=said)

    def _with(self, data: Any, effect: Effect) -> Any:
        return data.but(effects=(*data.effects, effect))
