"""Growing with an explanation: it waits for the GM's yes, and costs nothing before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from rules.core.record import record
from rules.table.actions import Advance, Learn
from rules.table.blocks import ALL, Block, Fact, Note, Quote, Text, Verdict
from rules.table.checks.check import OVER, Check, Values
from rules.table.checks.describing import asked_and_noted
from rules.table.checks.procedure import Procedure, Stage, Step
from rules.table.checks.stages import APPROACH, FREE, IMPOSSIBLE, Idea, Proposed
from rules.table.events import Line
from rules.table.forms import Form, Typed
from rules.table.system import Game, Grown

#: The longest name of what is learned.
NAME_MAX: Final = 100
_SKILL: Final = Typed("skill", most=NAME_MAX, needed=True)
_MORE: Final = ("attribute", "drawback")
_WHY: Final = replace(APPROACH, needed=True)


@record
class Growing(Idea):
    """What somebody wants to learn or to raise; how it came about stands on the check.

    `came` is what everybody may read of what it did, `private` what only its player and the GMs.
    """

    skill: str = ""
    attribute: str = ""
    drawback: str = ""
    came: tuple[Line, ...] = ()
    private: tuple[Line, ...] = ()


Grow = Callable[[Game, Check[Growing]], Grown]


class Wanted(Proposed[Growing]):
    """A GM says whether it may be. What could not be paid or written down is not asked for."""

    free = "grown"
    labels: Mapping[str, Line] = MappingProxyType(
        {FREE: Line("answer-allow"), IMPOSSIBLE: Line("answer-forbid")}
    )

    def __init__(self, form: Form, grow: Grow) -> None:
        super().__init__(form, Form(), (FREE, IMPOSSIBLE))
        self._grow = grow

    def asked(self, game: Game, check: Check[Growing], values: Values) -> Check[Growing]:
        said = {key: check.data.asked.get(key, "") for key in (_SKILL.key, *_MORE)}
        check = check.but(data=check.data.but(**said))
        self._grow(game, check)
        return check

    def ruled(self, game: Game, check: Check[Growing]) -> Growing:
        return check.data


class Grows(Stage[Growing]):
    """It is paid for and stands on the sheet."""

    name = Wanted.free

    def __init__(self, grow: Grow) -> None:
        self._grow = grow

    def enter(self, game: Game, check: Check[Growing], /) -> Step[Growing] | None:
        if check.data.came:
            return None
        grown = self._grow(game, check)
        data = check.data.but(came=grown.lines, private=grown.private)
        return Step(game.put(check.actor, grown.character.sheet).state, data)


def _describe(game: Game, check: Check[Growing], title: Text) -> tuple[Block, ...]:
    data, mine = check.data, (check.actor,)
    found: list[Block] = []
    if data.answer:
        allowed = data.answer == FREE
        code = "growth-allowed" if allowed else "growth-forbidden"
        found.append(Verdict(Text(code), "good" if allowed else "bad", ALL))
    found.append(Fact(title, data.skill, ALL))
    if data.drawback and not data.came:
        found.append(Fact(Text("growth-drawback"), data.drawback, mine))
    found += [Note(line, ALL) for line in data.came]
    found += [Note(line, mine) for line in data.private]
    if check.approach:
        found.append(Quote(check.approach, check.by, ALL))
    return (*found, *asked_and_noted(check))


def _forget(check: Check[Growing], who: str, mine: Collection[str]) -> Growing:
    """The data of one that is over, without what a participant has typed, whose characters are `mine`."""
    data = check.data
    if check.stage == OVER and (check.by == who or check.actor in mine):
        data = data.but(drawback="", asked={}, private=())
    if data.question and data.asked_by == who and check.stage == OVER:
        data = data.but(question="")
    return data


def _made(kind: str, form: Form, title: Text, grow: Grow) -> Procedure[Growing]:
    wanted = Wanted(form, grow)
    return Procedure(
        kind,
        (wanted, Grows(grow)),
        data=Growing,
        form=form,
        begin=wanted.proposed,
        describe=partial(_describe, title=title),
        forget=_forget,
    )


def _by(game: Game, check: Check[Growing]) -> dict[str, Any]:
    said = {"skill": check.data.skill, "explanation": check.approach}
    return {"who": game.actor, "place": check.place, "at": game.at, **said}


def procedures(
    learn: Callable[[Game, Any, Learn], Grown],
    advance: Callable[[Game, Any, Advance], Grown],
    title: Text,
    *,
    needed: bool = False,
) -> tuple[Procedure[Growing], ...]:
    """The kinds `learn` and `advance`, as the system has them; `title` is what it calls what grows.

    Of what is learned all has to be said where it is `needed`.
    """
    more = tuple([Typed(key, most=NAME_MAX, needed=needed) for key in _MORE])

    def learns(game: Game, check: Check[Growing]) -> Grown:
        data = check.data
        action = Learn(**_by(game, check), attribute=data.attribute, drawback=data.drawback)
        return learn(game, game.character(check.actor), action)

    def advances(game: Game, check: Check[Growing]) -> Grown:
        return advance(game, game.character(check.actor), Advance(**_by(game, check)))

    return (
        _made("learn", Form((_SKILL, *more, _WHY)), title, learns),
        _made("advance", Form((_SKILL, _WHY)), title, advances),
    )
