"""Helpers of an action: the stage in which their players agree, and the note that names them.

MB-CBN-02.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rules.table.blocks import FOR_EVERYONE, Note, Ref, Text
from rules.table.check import PASS, AnyCheck, Choice, Prompt
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.permissions import is_gm
from rules.table.system import Game, is_npc

JOIN = "join"


def is_enlisting_npcs(game: Game, check: AnyCheck) -> bool:
    """Return whether a player names NPCs as helpers, which GMs have to answer."""
    named = check.data.asked.get("together", ())
    return not is_gm(game.state, game.actor) and any(is_npc(game, who) for who in named)


def companion_notes(who: Iterable[str]) -> list[Note]:
    """Return the note that names the helpers whom a character wants."""
    named = tuple(Ref(helper) for helper in who)
    return [Note(Text("mb-together", {"who": named}), FOR_EVERYONE)] if named else []


class JoinStage(Stage[Any]):
    """Stage in which players say once whether their characters help.

    The data has who has `joined`. *invited* returns the helpers who are wanted, and none once it
    is too late.
    """

    name = "declared"
    orders = ((JOIN, CheckOption(JOIN, Text("mb-join"))),)

    def __init__(self, invited: Callable[[Any], tuple[str, ...]]) -> None:
        self._invited = invited

    def ask(self, game: Game, check: AnyCheck, /) -> tuple[Prompt, ...]:
        asked: list[str] = []
        for who in self._invited(check.data):
            if who not in check.data.joined and not is_npc(game, who):
                asked.append(who)
        if not asked:
            return ()
        return (Prompt(JOIN, tuple(asked), "answer", PASS, button="answer-join"),)

    def options(
        self, game: Game, check: AnyCheck, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        return [option for _, option in self.orders]

    def choose(self, game: Game, check: AnyCheck, choice: Choice, /) -> StageResult[Any]:
        return StageResult(game.state, check.data.replace(joined=(*check.data.joined, choice.who)))
