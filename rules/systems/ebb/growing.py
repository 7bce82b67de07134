"""Growing with an explanation: it waits for the GM's yes, and costs nothing before (EBB-FATE)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Final

from rules.core.record import record
from rules.systems.ebb import fate
from rules.systems.ebb.check import EbbCharacter
from rules.systems.ebb.sheet import LONGEST_ENTRY
from rules.table.actions import Advance, Learn
from rules.table.blocks import ALL, Block, Fact, Note, Quote, Text, Verdict
from rules.table.checks.check import OVER, Check, Values
from rules.table.checks.procedure import Option, Procedure, Stage, Step
from rules.table.checks.stages import APPROACH, FREE, IMPOSSIBLE, Idea, Proposed
from rules.table.events import Line
from rules.table.forms import Form, Typed
from rules.table.system import Game, Grown

_SKILL, _ATTRIBUTE, _DRAWBACK = (
    Typed(key, most=LONGEST_ENTRY, needed=True) for key in ("skill", "attribute", "drawback")
)
_WHY: Final = replace(APPROACH, needed=True)
LEARN: Final = Form((_SKILL, _ATTRIBUTE, _DRAWBACK, _WHY))
ADVANCE: Final = Form((_SKILL, _WHY))


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


def _grown(game: Game, check: Check[Growing]) -> Grown:
    """Whoever acts, grown as they want to. Raises as `fate.learn` and `fate.advance`."""
    data = check.data
    by: dict[str, Any] = {"who": game.actor, "place": check.place, "at": game.at}
    character: EbbCharacter = game.character(check.actor)
    if check.kind == "advance":
        return fate.advance(game, character, Advance(**by, skill=data.skill))
    by |= {"skill": data.skill, "attribute": data.attribute, "drawback": data.drawback}
    return fate.learn(game, character, Learn(**by, explanation=check.approach))


class Wanted(Proposed[Growing]):
    """A GM says whether it may be. What could not be paid or written down is not asked for."""

    free = "grown"

    def __init__(self, form: Form) -> None:
        super().__init__(form, Form(), (FREE, IMPOSSIBLE))

    def asked(self, game: Game, check: Check[Growing], values: Values) -> Check[Growing]:
        said = {key: check.data.asked.get(key, "") for key in ("skill", "attribute", "drawback")}
        check = check.but(data=check.data.but(**said))
        _grown(game, check)
        return check

    def ruled(self, game: Game, check: Check[Growing]) -> Growing:
        return check.data

    def rulings(self, check: Check[Growing]) -> tuple[Option, ...]:
        free, impossible = super().rulings(check)
        return free.but(label=Line("answer-allow")), impossible.but(label=Line("answer-forbid"))


class Grows(Stage[Growing]):
    """It is paid for and stands on the sheet."""

    name = Wanted.free

    def enter(self, game: Game, check: Check[Growing], /) -> Step[Growing] | None:
        if check.data.came:
            return None
        grown = _grown(game, check)
        data = check.data.but(came=grown.lines, private=grown.private)
        return Step(game.put(check.actor, grown.character.sheet).state, data)


def _describe(game: Game, check: Check[Growing]) -> tuple[Block, ...]:
    data, mine = check.data, (check.actor,)
    found: list[Block] = []
    if data.answer:
        allowed = data.answer == FREE
        code = "ebb-grows" if allowed else "ebb-grows-not"
        found.append(Verdict(Text(code), "good" if allowed else "bad", ALL))
    found.append(Fact(Text("ebb-field-ability"), data.skill, ALL))
    if data.drawback and not data.came:
        found.append(Fact(Text("ebb-field-drawback"), data.drawback, mine))
    found += [Note(line, ALL) for line in data.came]
    found += [Note(line, mine) for line in data.private]
    if check.approach:
        found.append(Quote(check.approach, check.by, ALL))
    if data.question:
        found.append(Quote(data.question, data.asked_by, ALL, label=Text("check-question")))
    if check.note:
        found.append(Quote(check.note, data.answered_by, ALL, label=Text("check-note")))
    return tuple(found)


def _forget(check: Check[Growing], who: str, mine: Collection[str]) -> Growing:
    """The data of one that is over, without what a participant has typed, whose characters are `mine`."""
    data = check.data
    if check.stage == OVER and (check.by == who or check.actor in mine):
        data = data.but(drawback="", asked={}, private=())
    if data.question and data.asked_by == who and check.stage == OVER:
        data = data.but(question="")
    return data


def _made(kind: str, form: Form) -> Procedure[Growing]:
    wanted = Wanted(form)
    return Procedure(
        kind,
        (wanted, Grows()),
        data=Growing,
        form=form,
        begin=wanted.proposed,
        describe=_describe,
        forget=_forget,
    )


PROCEDURES: Final = (_made("learn", LEARN), _made("advance", ADVANCE))
