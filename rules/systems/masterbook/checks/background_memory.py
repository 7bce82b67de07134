"""Marks of backgrounds: recognition, answers about situations, heels that act (MB-BG-14, -15, -40).

Recognitions and answers last until the adventure ends, one for each other character.
"""

from __future__ import annotations

from typing import Final

from rules.systems.masterbook.character.option_effects import ActiveRecognition
from rules.systems.masterbook.character.sheet import option_effects
from rules.systems.masterbook.formulas.reference_rows import Causes, nonzero_causes
from rules.table.marks import mark_total, marks_of, with_marks, without_marks
from rules.table.state import Mark
from rules.table.system import Game

#: Mark of a recognition roll; `what` is the option and the other character, `value` 1 if it
#: succeeded.
_RECOGNIZED: Final = "recognized"
#: Mark of the GM's answer about a situation; `what` is its key and the other character.
_SITUATION: Final = "situation"
#: Mark of a character who freezes before firearms, until the round ends; `value` is for attackers.
FROZEN: Final = "frozen"
#: Mark of panic near water, until a GM ends it; `value` is the difficulty, `what` how near it is.
PANIC: Final = "panic"


def _key(cause: str, other: str) -> str:
    return f"{cause}/{other}"


def is_recognized(game: Game, who: str, cause: str, other: str) -> bool | None:
    """Return whether *other* has recognized a character by an option; None before the roll."""
    marks = marks_of(game.state, who, _RECOGNIZED, _key(cause, other))
    return bool(marks[0].value) if marks else None


def recognitions_by(game: Game, who: str, other: str) -> tuple[ActiveRecognition, ...]:
    """Return the options by which *other* has recognized a character."""
    recognitions: list[ActiveRecognition] = []
    for active in option_effects(game.sheet(who)).recognitions:
        if is_recognized(game, who, active.cause, other):
            recognitions.append(active)
    return tuple(recognitions)


def with_recognition(game: Game, who: str, cause: str, other: str, recognized: bool) -> Game:
    """Return the game with the result of a recognition roll."""
    return _with_mark(game, who, _RECOGNIZED, _key(cause, other), int(recognized))


def situation_answer(game: Game, who: str, key: str, other: str) -> int | None:
    """Return the GM's earlier answer about a situation with *other*; None without one."""
    marks = marks_of(game.state, who, _SITUATION, _key(key, other))
    return marks[0].value if marks else None


def with_situation_answer(game: Game, who: str, key: str, other: str, number: int) -> Game:
    """Return the game with the GM's answer about a situation."""
    return _with_mark(game, who, _SITUATION, _key(key, other), number)


def panic_causes(game: Game, who: str) -> Causes:
    """Return what panic takes from a character's totals (MB-BG-40)."""
    return nonzero_causes((PANIC, -mark_total(game.state, who, PANIC)))


def frozen_causes(game: Game, target: str, use: str) -> Causes:
    """Return what an attack gets against a target that freezes before firearms (MB-BG-40)."""
    value = mark_total(game.state, target, FROZEN) if use == "fire" else 0
    return nonzero_causes((FROZEN, value))


def _with_mark(game: Game, who: str, kind: str, what: str, value: int) -> Game:
    state = without_marks(game.state, who, kind, what)
    return game.with_state(with_marks(state, who, Mark(kind, what, value, until="adventure")))
