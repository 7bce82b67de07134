"""Growing with an explanation: it waits for the GM's yes, and costs nothing before."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, Final, cast

from rules.core.record import record
from rules.table.actions import Advance, Learn
from rules.table.blocks import ALL, Block, Fact, Note, Quote, Text, Verdict
from rules.table.checks.check import Check, Values
from rules.table.checks.describing import asked_and_noted
from rules.table.checks.procedure import Procedure, Step
from rules.table.checks.stages import APPROACH, FREE, IMPOSSIBLE, Idea, Proposed, forget
from rules.table.events import Line
from rules.table.forms import Form, Typed
from rules.table.system import Game, Grown

#: The longest name of what is learned.
NAME_MAX: Final = 100
_SKILL: Final = Typed("skill", most=NAME_MAX, needed=True)
_DRAWBACK: Final = "drawback"
_WHY: Final = replace(APPROACH, needed=True)
#: What each kind of these checks would be as a command.
_SAID: Final = {"learn": Learn, "advance": Advance}


@record
class Growing(Idea):
    """What somebody wants to learn or to raise, as they `asked`; how it came about stands on the check.

    `came` is what everybody may read of what it did, `private` what only its player and the GMs.
    """

    came: tuple[Line, ...] = ()
    private: tuple[Line, ...] = ()


def _grown(game: Game, check: Check[Growing]) -> Grown:
    """What comes of it, as if it were said at once."""
    form: Form = game.system.procedures[check.kind].form
    said: dict[str, Any] = {key: check.data.asked.get(key, "") for key in form.keys if key != _WHY.key}
    said |= {"who": game.actor, "place": check.place, "at": game.at, "explanation": check.approach}
    action = _SAID[check.kind](**said)
    return game.system.growth[check.kind].grow(game, game.character(check.actor), action)


class Wanted(Proposed[Growing]):
    """A GM says whether it may be. What could not be paid or written down is not asked for."""

    free = "grown"
    labels: Mapping[str, Line] = MappingProxyType(
        {FREE: Line("answer-allow"), IMPOSSIBLE: Line("answer-forbid")}
    )

    def __init__(self, form: Form) -> None:
        super().__init__(form, Form(), (FREE, IMPOSSIBLE))

    def asked(self, game: Game, check: Check[Growing], values: Values) -> Check[Growing]:
        _grown(game, check)
        return check

    def ruled(self, game: Game, check: Check[Growing]) -> Growing:
        return check.data


def grown(game: Game, check: Check[Growing]) -> Step[Growing] | None:
    """It is paid for and stands on the sheet."""
    if check.data.came:
        return None
    done = _grown(game, check)
    data = check.data.but(came=done.lines, private=done.private)
    return Step(game.put(check.actor, done.character.sheet).state, data)


def _describe(game: Game, check: Check[Growing], title: Text) -> tuple[Block, ...]:
    data, mine = check.data, (check.actor,)
    found: list[Block] = []
    if data.answer:
        allowed = data.answer == FREE
        code = "growth-allowed" if allowed else "growth-forbidden"
        found.append(Verdict(Text(code), "good" if allowed else "bad", ALL))
    said = cast("dict[str, str]", data.asked)
    found.append(Fact(title, said[_SKILL.key], ALL))
    if _DRAWBACK in said and not data.came:
        found.append(Fact(Text("growth-drawback"), said[_DRAWBACK], mine))
    found += [Note(line, ALL) for line in data.came]
    found += [Note(line, mine) for line in data.private]
    if check.approach:
        found.append(Quote(check.approach, check.by, ALL))
    return (*found, *asked_and_noted(check))


def _forget(check: Check[Growing], who: str, mine: Collection[str]) -> Growing:
    """The data of one that is over, without what a participant has typed, whose characters are `mine`."""
    data: Growing = forget(check, who, mine)
    if not check.open and (check.by == who or check.actor in mine):
        data = data.but(asked={_SKILL.key: data.asked[_SKILL.key]}, private=())
    return data


def procedures(title: Text, *, needed: bool = False) -> tuple[Procedure[Growing], ...]:
    """The kinds `learn` and `advance`, as the system grows; `title` is what it calls what grows.

    Of what is learned all has to be said where it is `needed`.
    """

    def made(kind: str, *more: Typed) -> Procedure[Growing]:
        form = Form((_SKILL, *more, _WHY))
        wanted = Wanted(form)
        return Procedure(
            kind,
            (wanted, grown),
            data=Growing,
            form=form,
            begin=wanted.proposed,
            describe=partial(_describe, title=title),
            forget=_forget,
        )

    more = [Typed(key, most=NAME_MAX, needed=needed) for key in ("attribute", _DRAWBACK)]
    return made("learn", *more), made("advance")
