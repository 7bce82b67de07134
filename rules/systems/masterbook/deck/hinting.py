"""Idea and Opportunity: a player asks, and a GM gives a hint or an opening (MB-CARD-E10, MB-CARD-P04)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.core.record import Record, record
from rules.table.blocks import ALL, Block, Note, Quote, Ref, Text
from rules.table.checks.check import GMS, NEXT, Check, Choice, Prompt, Values
from rules.table.checks.procedure import Option, Procedure, Stage, Step
from rules.table.events import Line
from rules.table.forms import Form, Typed
from rules.table.system import Game

KIND: Final = "hint"
_WORDS: Final = 1000
_QUESTION: Final = Typed("question", most=_WORDS, long=True)
_HINT: Final = Typed("hint", most=_WORDS, long=True, needed=True)


@record
class Hint(Record):
    """A card that asks a GM: its name, the question, and what a GM has answered, who that was."""

    name: str = ""
    question: str = ""
    hint: str = ""
    by: str = ""


AnyHint = Check[Hint]


class Hinting(Stage[Hint]):
    """A GM answers, whenever they like."""

    name = "hinting"

    def ask(self, game: Game, check: AnyHint, /) -> tuple[Prompt, ...]:
        return () if check.data.hint else (Prompt("hint", (GMS,), button="answer-hint"),)

    def options(self, game: Game, check: AnyHint, prompt: str, who: str, /) -> Iterable[Option]:
        return (Option("hint", Line("answer-hint"), Form((_HINT,)), written=True),)

    def choose(self, game: Game, check: AnyHint, choice: Choice, /) -> Step[Hint]:
        return Step(game.state, check.data.but(hint=choice.values["hint"], by=game.actor.id), NEXT)


def _begin(game: Game, check: AnyHint, values: Values) -> AnyHint:
    return check.but(data=Hint(values.get("name", ""), values.get("question") or ""), round=None)


def _describe(game: Game, check: AnyHint) -> tuple[Block, ...]:
    data = check.data
    found: list[Block] = [Note(Text("mb-hint-asks", {"who": Ref(check.actor), "card": data.name}), ALL)]
    if data.question:
        found.append(Quote(data.question, check.by, ALL))
    if data.hint:
        found.append(Quote(data.hint, data.by, ALL, label=Text("mb-hint-given")))
    return tuple(found)


PROCEDURE: Final = Procedure[Hint](
    KIND,
    (Hinting(),),
    Hint,
    form=Form((Typed("name", most=100), _QUESTION)),
    begin=_begin,
    describe=_describe,
    by_itself=True,
)
