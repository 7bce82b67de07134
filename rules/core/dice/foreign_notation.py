"""Dice as other bots and tables read them: what is meant the same everywhere is put into this
notation, and what is not is answered with what to type.
"""

from __future__ import annotations

import re
from typing import Final

from rules.core.errors import InvalidInput

#: Remarks and names, which stay as they are, and what an expression is for.
_APART: Final = re.compile(r"(\[[^]]*\]|\{[^}]*\}|#.*)", re.DOTALL)
_DICE: Final = r"(?<=[\d%fF])"
#: What stands in another notation, and the same in this one.
_SAME: Final = tuple(
    (re.compile(there, re.IGNORECASE | re.ASCII), here)
    for there, here in (
        (r"^\s*[/!](?:gm)?r(?:oll)?\s+(?=\S)", ""),
        (r"^\s*(\d{1,2})\s+(?=\d+d[\d%])", r"\1x "),
        (r"^\s*(\d{1,3})\s+(?=d[\d%])", r"\1"),
        (r"(?<=[\d%fF)])\s*k(?=\d)", "kh"),
        (r"(?<=d[\d%])d(?=\d)|(?<=d\d\d)d(?=\d)|(?<=d\d\d\d)d(?=\d)", "dl"),
        (rf"{_DICE}t(?=\d)", ">="),
        (rf"{_DICE}cs(?=[<>=])", ""),
        (rf"{_DICE}i(?=e\d)", ""),
        (rf"{_DICE}ir(?=[<>\d])", "rr"),
        (rf"{_DICE}(mi|ma)[nx](?=\d)", r"\1"),
        (r"(?<=[\w%)\s])(?<![<>=!])=(?=\s*\d)", "=="),
        (r"(?<=\s)!(?=\s)", "#"),
    )
)
#: Dice in the braces of names, or in two pairs of brackets.
_SET: Final = re.compile(
    r"\{([\d\sd%+*/(),khlproeami<>=.!-]*d[\d%][\d\sd%+*/(),khlproeami<>=.!-]*)\}", re.IGNORECASE
)
_INLINE: Final = re.compile(r"\s*\[\[(.*)\]\]\s*")
#: What means something else at every table, or nothing here, and what that is.
_OTHERWISE: Final = tuple(
    (re.compile(there, re.IGNORECASE | re.ASCII), what)
    for there, what in (
        (r"^\s*[+-]\s*\d+\s*$", "none"),
        (rf"{_DICE}\s*r(?=[<>=\d])", "reroll"),
        (r"!p|(?<=[\d%!])p(?=[\s!]|$)", "penetrating"),
        (r"(?<=\d)f(?=\d)", "failures"),
        (r"@", "attribute"),
        (
            r"(?<=[\d%)])\s+(?:(?:keep|drop)\s+(?:the\s+)?(?:highest|lowest|best|worst|\d)|(?:explod|reroll)\w*\s*$)",
            "words",
        ),
    )
)


def translate_notation(text: str) -> str:
    """The expression in this notation; remarks, names in braces and what it is for stay as they
    are.

    Raises InvalidInput("dice-elsewhere") with the `column` of `what` has to be typed in another
    way: "none" for a bonus without dice, "reroll", "penetrating", "failures", "attribute", "words".
    """
    inline = _INLINE.fullmatch(text)
    text = _SET.sub(r"(\1)", text if inline is None else inline[1])
    parts = _APART.split(text)
    for place in range(0, len(parts), 2):
        for there, here in _SAME:
            parts[place] = there.sub(here, parts[place])
    text = "".join(parts)
    for place in range(0, len(parts), 2):
        for there, what in _OTHERWISE:
            found = there.search(parts[place])
            if found is not None and (len(parts) == 1 or what != "none"):
                column = len("".join(parts[:place])) + found.start()
                raise InvalidInput(
                    "dice-elsewhere", field="dice", value=text, column=column, what=what
                )
    return text
