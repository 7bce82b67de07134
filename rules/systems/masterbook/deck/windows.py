"""Windows for cards before the dice and after them, one before a result is read, one once it is known (MB-CARD-13)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, Final, TypeVar

from rules.systems.masterbook.deck import rolls
from rules.systems.masterbook.deck.playing import AFTER, IMPACT, Effect, Moment
from rules.systems.masterbook.standing import OPEN
from rules.table.blocks import ALL, Block, Note, Ref, Text
from rules.table.checks.check import NEXT, OVER, PASS, Check, Choice, Prompt
from rules.table.checks.procedure import Option, Stage, Step
from rules.table.events import Line
from rules.table.system import Game

T = TypeVar("T")

#: Where somebody waits for training that they lack.
TRAINING: Final = "training"
_WITHDRAW: Final = Option("withdraw", Line("answer-withdraw"))


class Window(Stage[T]):
    """Whoever may, as everybody can see, play a card now is asked, until all have nothing to add."""

    @abstractmethod
    def moments(self, game: Game, check: Check[T]) -> tuple[Moment, ...]:
        """What cards may go on."""

    def undone(self, data: Any, who: str) -> Any:
        """The data with everything gone that `who` has thrown, and what followed from it."""
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
            data = rolls.anew(self.undone(data, choice.who), effect)
            return Step(game.state, data, OPEN, said=said)
        return Step(game.state, data, said=said)

    def _with(self, data: Any, effect: Effect) -> Any:
        return data.but(effects=(*data.effects, effect))


class Reading(Window[T]):
    """Before anybody reads what a success does (MB-CARD-E07)."""

    name = IMPACT


class Ending(Window[T]):
    """All of it is known, and nothing of it has been taken (MB-CARD-E12, MB-CARD-E15)."""

    name = AFTER


#: What may be ordered where an opponent has acted: to play Opponent Fails, or to be left in peace until one says so.
FAILS: Final = (
    (AFTER, Option(rolls.value_of("opponent_fails"), Line("mb-order-fails"))),
    (AFTER, Option(PASS, Line("mb-order-told"))),
)


class Training(Stage[T]):
    """What takes training somebody without any does only with a card; dice wait for it (MB-CARD-E03).

    Whether they may wait for one follows from what everybody knows; who has nothing for it withdraws.
    """

    name = TRAINING

    @abstractmethod
    def moments(self, game: Game, check: Check[T]) -> Iterable[Moment]:
        """What is rolled without the training that it takes."""

    def _left(self, game: Game, check: Check[T]) -> tuple[Moment, ...]:
        data: Any = check.data
        found = () if data.throws else self.moments(game, check)
        return tuple([each for each in found if not rolls.opened(data.effects, each.whose, each.what)])

    def ask(self, game: Game, check: Check[T], /) -> tuple[Prompt, ...]:
        who = tuple(dict.fromkeys([each.whose for each in self._left(game, check)]))
        return (Prompt(TRAINING, who, default=_WITHDRAW.value, button="mb-open-training"),) if who else ()

    def options(self, game: Game, check: Check[T], prompt: str, who: str, /) -> tuple[Option, ...]:
        found = rolls.offers(game, check, who, self._left(game, check), rolls.PLAIN)
        return (*[each for each in found if rolls.trains(game, each.value)], _WITHDRAW)

    def choose(self, game: Game, check: Check[T], choice: Choice, /) -> Step[T]:
        data: Any = check.data
        if not rolls.is_card(choice):
            return Step(game.state, data, OVER)
        game, effect = rolls.taken(game, check, choice, self._left(game, check))
        return Step(game.state, data.but(effects=(*data.effects, effect)), said=rolls.said(effect))


def untrained(check: Check[Any]) -> list[Block]:
    """Who is waited for because a card has to make up for training."""
    asked = check.prompt(TRAINING)
    if asked is None:
        return []
    who = tuple([Ref(each) for each in asked.left])
    return [Note(Text("mb-takes-training", {"who": who}), ALL)]
