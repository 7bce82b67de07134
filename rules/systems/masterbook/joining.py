"""Whoever is to coordinate with somebody says so; NPCs are taken at the GM's word (MB-CBN-02)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, TypeVar

from rules.systems.masterbook.telling import is_npc
from rules.table.blocks import ALL, Note, Ref, Text
from rules.table.checks.check import PASS, Check, Choice, Prompt
from rules.table.checks.procedure import Option, Stage, Step
from rules.table.events import Line
from rules.table.permissions import is_gm
from rules.table.system import Game

JOIN = "join"
T = TypeVar("T")


def enlists(game: Game, check: Check[Any]) -> bool:
    """Whether a player names NPCs to do it with: a GM is asked then."""
    named = check.data.asked.get("together", ())
    return not is_gm(game.state, game.actor) and any(is_npc(game, each) for each in named)


def together(who: Iterable[str]) -> list[Note]:
    """With whom somebody means to do it."""
    named = tuple([Ref(each) for each in who])
    return [Note(Text("mb-together", {"who": named}), ALL)] if named else []


class Joining(Stage[T]):
    """They are asked once. The data has who has `joined`."""

    name = "declared"
    orders = ((JOIN, Option(JOIN, Line("mb-join"))),)

    @abstractmethod
    def wanted(self, check: Check[T]) -> tuple[str, ...]:
        """With whom; nobody any more once that is past."""

    def go(self, game: Game, check: Check[T], data: T) -> Step[T]:
        """Goes on with those who have joined."""
        return Step(game.state, data)

    def _left(self, game: Game, check: Check[T]) -> tuple[str, ...]:
        data: Any = check.data
        return tuple(
            [each for each in self.wanted(check) if each not in data.joined and not is_npc(game, each)]
        )

    def ask(self, game: Game, check: Check[T], /) -> tuple[Prompt, ...]:
        who = self._left(game, check)
        return (Prompt(JOIN, who, "answer", PASS, button="answer-join"),) if who else ()

    def options(self, game: Game, check: Check[T], prompt: str, who: str, /) -> Iterable[Option]:
        return [option for _, option in self.orders]

    def choose(self, game: Game, check: Check[T], choice: Choice, /) -> Step[T]:
        data: Any = check.data
        data = data.but(joined=(*data.joined, choice.who))
        about: Any = check.but(data=data)
        return Step(game.state, data) if self._left(game, about) else self.go(game, about, data)
