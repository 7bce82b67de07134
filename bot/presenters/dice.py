"""Dice notation in words: what was thrown, and what cannot be read or thrown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.presenters.text import Said, Template, plural, user_text
from rules.core.dice.notation import Binary, Dice, Group, Number, Sign, operations_text
from rules.core.dice.roll import BINARY, COMPARE, Amount, Fallen, Result

#: Dice of one kind beyond these are counted instead of read out.
_SHOWN: Final = 40
_FACES: Final = 6


def number_text(value: Amount) -> str:
    """A total with a real minus; fractions with four digits."""
    if type(value) is int and value >= 0:
        return str(value)
    text = f"{value:.4g}" if isinstance(value, float) and value != int(value) else str(int(value))
    return text.replace("-", "−")


def _die(dice: Fallen, place: int) -> str:
    """`4`, `1 again 4`, `6!` for one that brought another, `1 as 2` where it counts as another value."""
    faces, value = dice.faces.get(place), dice.values[place]
    if faces is None:
        text = str(value)
    else:
        shown = faces if len(faces) <= _FACES else [faces[0], *faces[-2:]]
        text = " again ".join(map(str, shown))
        if value != faces[-1]:
            text += f" as {number_text(value)}"
    return f"{text}!" if place in dice.exploded else text


def _listed(dice: Sequence[str]) -> str:
    if len(dice) > _SHOWN:
        return f"{', '.join(dice[:_SHOWN])} and {len(dice) - _SHOWN} more"
    return ", ".join(dice) or "none"


def _shown(text: str) -> str:
    """Notation in Markdown, which reads signs of comparison as quotations and tags."""
    return text.replace("<", "\\<").replace(">", "\\>")


_SIGNS: Final = {name: _shown(name) for name in (*BINARY, *COMPARE)} | {"*": "×", "-": "−"}


def _thrown(node: Dice, dice: Fallen) -> str:
    if dice.faces or dice.exploded:
        texts = [_die(dice, place) for place in range(len(dice.values))]
    else:
        texts = list(map(str, dice.values))
    dropped = dice.dropped
    if dropped and node.operations:
        inside = _listed([text for place, text in enumerate(texts) if place not in dropped])
        inside += f"; not {_listed([text for place, text in enumerate(texts) if place in dropped])}"
    else:
        inside = _listed(texts)
    if node.successes is None:
        return f"{_shown(node.text) if node.operations else node.text} ({inside})"
    return f"{_shown(node.text)} ({inside}): {plural(int(dice.total), 'success', 'successes')}"


def result_text(result: Result) -> str:
    """The expression with every die in its place: `4d6kh3 (5, 6, 3; not 1) + 2`. Markdown."""
    node = result.node
    if type(node) is Dice:
        assert isinstance(result, Fallen)
        text = _thrown(node, result)
    elif type(node) is Number:
        text = number_text(node.value)
    elif type(node) is Binary:
        left, right = result.parts
        return f"{result_text(left)} {_SIGNS[node.name]} {result_text(right)}"
    elif type(node) is Sign:
        return f"{'−' if node.negative else '+'}{result_text(result.parts[0])}"
    else:
        assert type(node) is Group
        inside = ", ".join(
            result_text(part) if part.kept else f"not {result_text(part)}" for part in result.parts
        )
        text = f"({inside}){_shown(operations_text(node.operations))}"
    return f"{text} [{user_text(node.note)}]" if node.note else text


def _pointing(words: str) -> Template:
    """The expression with a caret below what is wrong, then the words."""

    def text(said: Said) -> str:
        typed = str(said.raw("value") or "").replace("`", "'").replace("\n", " ")
        column = min(said.number("column"), len(typed))
        shown = "".join(sign if sign.isprintable() else " " for sign in typed)
        shown = shown.replace("@", "@\u200b")  # a sign without width: the caret stays where it is
        return f"```\n{shown}\n{' ' * column}^\n```{words.format_map(said)}"

    return text


DICE: Final[dict[str, Template]] = {
    "dice-too-long": _pointing("This is too long: {most} characters fit."),
    "dice-unreadable": _pointing("“{found}” means nothing to dice here. Try something like 4d6kh3 + 2."),
    "dice-unexpected": _pointing("“{found}” cannot stand here; an operator such as + is missing before it."),
    "dice-incomplete": _pointing("Something is missing here: dice, a number or a bracket."),
    "dice-value-expected": _pointing("Dice or a number have to stand here, not “{found}”."),
    "dice-not-closed": _pointing("This bracket is never closed. Put a ) behind what belongs to it."),
    "dice-too-deep": _pointing("Brackets and signs can be nested {most} deep, no deeper."),
    "dice-too-many": _pointing("At most {most} dice can be rolled at once."),
    "dice-sides": _pointing("A die has {lowest} to {most} sides."),
    "dice-number-too-large": _pointing("This number is too large; {most} is the largest."),
    "dice-not-for-sets": _pointing("“{found}” works on dice only. Sets can keep (k) and drop (p)."),
    "dice-plain-number": _pointing("Behind “{found}” stands a plain number, such as {found}2."),
    "dice-repeats": _pointing("An expression can be repeated 1 to {most} times."),
    "free-no-characters": lambda said: (
        "No table is open here, so there are no characters whose numbers could be named, or who could roll. "
        "Write the dice out, or open a table with /setup."
    ),
    "blind-without-gm": (
        "No table is open here, so there is no GM who could see a blind roll. Roll privately or in public."
    ),
    "unknown-value": "The character who acts has nothing called {quoted} that could be rolled.",
    "unknown-roll": "You have saved no roll called {quoted}.",
    "bad-roll-name": "A saved roll's name has {lowest} to {highest} characters, and no braces. Choose another.",
    "roll-name-is-dice": "{quoted} means dice or a number already, so it cannot be a name. Choose a word.",
    "bad-saved-dice": "{quoted} cannot be thrown, whatever number stands there for a name. Try it with /roll first.",
    "too-many-rolls": (
        "You have saved {most} rolls, and that is as many as can be kept. "
        "/roll-save with a name and without dice forgets one."
    ),
    "dice-endless": "These dice would be rolled again without end. Change the condition behind e or rr.",
    "dice-division-by-zero": "That divides by zero. Change the divisor.",
    "dice-total-too-large": "The result is too large to be of any use. Multiply less.",
    "dice-odds-not-exact": (
        "The exact odds cannot be worked out here: what “{found}” does depends on which die is chosen first. "
        "Try it without."
    ),
    "dice-odds-too-large": "The exact odds would take too long. Try fewer or smaller dice.",
}
