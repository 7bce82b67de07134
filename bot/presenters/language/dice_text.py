"""Dice notation in words: the dice of a roll, and the place where an expression is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.presenters.language.text import TextParams, plural, user_text
from rules.core.dice.notation import Binary, Dice, Group, Number, Sign, operations_text
from rules.core.dice.roll import BINARY, COMPARE, Amount, FallenDice, Result

#: Most dice of one kind whose faces are shown; the dice beyond are counted.
_MAX_DICE: Final = 40
#: Most faces of one die; of a longer chain only the first and the last two are shown.
_MAX_FACES: Final = 6


def number_text(value: Amount) -> str:
    """Return a total with a real minus; fractions have four digits."""
    if type(value) is int and value >= 0:
        return str(value)
    text = f"{value:.4g}" if isinstance(value, float) and value != int(value) else str(int(value))
    return text.replace("-", "−")


def range_text(low: Amount, high: Amount) -> str:
    """Return a range: `26–36`, `−3 to 4`, `7` for a range of one."""
    if low == high:
        return number_text(low)
    return f"{number_text(low)}{'–' if low >= 0 else ' to '}{number_text(high)}"


def _die_text(dice: FallenDice, place: int) -> str:
    """Return the faces of a die.

    `1 again 4` was rolled again. `6!` brought another die, `6+6+2` counts with those that it
    brought. `1 as 2` counts as another value.
    """
    faces, value = dice.faces.get(place), dice.values[place]
    if place in dice.grown and faces is None:
        more = dice.grown[place]
        return "+".join(map(number_text, (value - sum(more), *more)))
    if faces is None:
        text = number_text(value)
    else:
        shown = faces if len(faces) <= _MAX_FACES else [faces[0], *faces[-2:]]
        text = " again ".join(map(number_text, shown))
        if value != faces[-1]:
            text += f" as {number_text(value)}"
    return f"{text}!" if place in dice.exploded else text


def _dice_list(dice: Sequence[str]) -> str:
    if len(dice) > _MAX_DICE:
        return f"{', '.join(dice[:_MAX_DICE])} and {len(dice) - _MAX_DICE} more"
    return ", ".join(dice) or "none"


def _escape_notation(text: str) -> str:
    """Return notation with escaped comparison signs, which Markdown reads as quotes and tags."""
    return text.replace("<", "\\<").replace(">", "\\>")


_SIGNS: Final = {name: _escape_notation(name) for name in (*BINARY, *COMPARE)} | {
    "*": "×",
    "-": "−",
}


def _dice_text(node: Dice, dice: FallenDice) -> str:
    if dice.faces or dice.exploded or dice.grown:
        texts = [_die_text(dice, place) for place in range(len(dice.values))]
    else:
        texts = list(map(number_text if node.marked else str, dice.values))
    dropped = dice.dropped
    if dropped and node.operations:
        kept = _dice_list([text for place, text in enumerate(texts) if place not in dropped])
        others = _dice_list([text for place, text in enumerate(texts) if place in dropped])
        inside = f"{kept}; not {others}"
    else:
        inside = _dice_list(texts)
    if node.successes is not None:
        successes = plural(int(dice.total), "success", "successes")
        return f"{_escape_notation(node.text)} ({inside}): {successes}"
    notation = _escape_notation(node.text) if node.operations else node.text
    return f"{notation} ({inside})"


def result_text(result: Result) -> str:
    """Return the expression with its dice in Markdown: `4d6kh3 (5, 6, 3; not 1) + 2`."""
    node = result.node
    if type(node) is Dice:
        assert isinstance(result, FallenDice)
        text = _dice_text(node, result)
    elif type(node) is Number:
        text = number_text(node.value)
    elif type(node) is Binary:
        left, right = result.parts
        return f"{result_text(left)} {_SIGNS[node.name]} {result_text(right)}"
    elif type(node) is Sign:
        return f"{'−' if node.negative else '+'}{result_text(result.parts[0])}"
    else:
        assert type(node) is Group
        parts = [f"{'' if part.kept else 'not '}{result_text(part)}" for part in result.parts]
        text = f"({', '.join(parts)}){_escape_notation(operations_text(node.operations))}"
    return f"{text} [{user_text(node.note)}]" if node.note else text


def error_pointer(values: TextParams) -> str:
    """Return the expression with a caret below the error."""
    typed = str(values.raw("value") or "").replace("`", "'").replace("\n", " ")
    column = min(values.number("column"), len(typed))
    shown = "".join(sign if sign.isprintable() else " " for sign in typed)
    shown = shown.replace("@", "@\u200b")  # a sign without width: the caret stays where it is
    return f"```\n{shown}\n{' ' * column}^\n```\n"
