"""Translation of dice as other bots and tables write them.

What means the same everywhere is translated. What does not is refused with what to type instead.
"""

from __future__ import annotations

import re
from typing import Final

from rules.core.errors import InvalidInput

#: Remarks, names and the purpose at the end, which stay as they are.
_APART: Final = re.compile(r"(\[[^]]*\]|\{[^}]*\}|#.*)", re.DOTALL)
_DICE: Final = r"(?<=[\d%fF])"
#: Patterns of other notations, each with the same in this one.
_SAME: Final = tuple(
    (re.compile(pattern, re.IGNORECASE | re.ASCII), replacement)
    for pattern, replacement in (
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
#: Dice in braces, which stand for names here, and dice in double brackets.
_SET: Final = re.compile(
    r"\{([\d\sd%+*/(),khlproeami<>=.!-]*d[\d%][\d\sd%+*/(),khlproeami<>=.!-]*)\}", re.IGNORECASE
)
_INLINE: Final = re.compile(r"\s*\[\[(.*)\]\]\s*")
#: Patterns whose meaning differs from table to table, or that have none here, each with its kind.
_OTHERWISE: Final = tuple(
    (re.compile(pattern, re.IGNORECASE | re.ASCII), kind)
    for pattern, kind in (
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
    """Return the expression in this notation.

    Remarks, names in braces and the purpose at the end stay as they are.

    Raises InvalidInput("dice-elsewhere") with the `column` of an element that has to be typed in
    another way. `what` is its kind: "none" for a bonus without dice, "reroll", "penetrating",
    "failures", "attribute" or "words".
    """
    inline = _INLINE.fullmatch(text)
    text = _SET.sub(r"(\1)", text if inline is None else inline[1])
    parts = _APART.split(text)
    for place in range(0, len(parts), 2):
        for pattern, replacement in _SAME:
            parts[place] = pattern.sub(replacement, parts[place])
    text = "".join(parts)
    for place in range(0, len(parts), 2):
        for pattern, kind in _OTHERWISE:
            match = pattern.search(parts[place])
            if match is not None and (len(parts) == 1 or kind != "none"):
                column = len("".join(parts[:place])) + match.start()
                raise InvalidInput(
                    "dice-elsewhere", field="dice", value=text, column=column, what=kind
                )
    return text
