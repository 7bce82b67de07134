"""What `with` may hold: short words that become adjustments (EBB-PROPOSAL, EBB-DRAWBACK, EBB-INJURY, EBB-LUCK)."""

from __future__ import annotations

from difflib import get_close_matches

from rules.core.errors import InvalidInput, NotFound
from rules.core.record import record
from rules.systems.ebb.difficulty import Adjustments
from rules.systems.ebb.sheet import find_attribute
from rules.systems.ebb.tables import ATTRIBUTES
from rules.table.events import Line
from rules.table.system import Choice

#: Words with the most levels they may carry; 0 for plain options.
_WORDS: dict[str, int] = {
    "drawback": 0,
    "injured": 0,
    "superior": 0,
    "dilemma": 9,
    "flaw": 2,
    "missing-tools": 9,
}
_GM_WORDS: dict[str, int] = {"specialist": 0, "specialist-luck": 0, "urgent": 0}
_LUCK = "luck"


@record
class Options:
    """The words as read. `luck` is the attribute the GM finds most relevant for a sacrifice (EBB-LUCK).

    `urgent` marks a task against time, where any failure ends the chance (EBB-FAIL).
    """

    adjustments: Adjustments
    specialist: bool = False
    specialist_luck: bool = False
    luck: str | None = None
    urgent: bool = False


_NOTHING = Options(Adjustments())


def read_options(words: tuple[str, ...], *, bonus: int, gm: bool) -> Options:
    """Adjustments from words such as `dilemma`, `dilemma:2`, `missing-tools:3`, `drawback`.

    InvalidInput("unknown-option") with the nearest words, ("bad-option-number") for a number out of range,
    ("out-of-range") for the bonus, ("option-twice") when a word comes twice or excludes another.
    """
    if not words and not bonus:
        return _NOTHING
    known = {**_WORDS, **_GM_WORDS} if gm else _WORDS
    levels: dict[str, int] = {}
    luck: str | None = None
    for word in words:
        name, _, number = (piece.strip() for piece in word.strip().casefold().partition(":"))
        if gm and name == _LUCK and number:
            if luck is not None:
                raise InvalidInput("option-twice", field="with", value=word[:60])
            luck = find_attribute(number)
            continue
        if name not in known:
            near = get_close_matches(name[:40], list(known), n=3, cutoff=0.5)
            raise NotFound(
                "unknown-option", field="with", value=word[:60], nearest=tuple(near), allowed=tuple(known)
            )
        most = known[name]
        count = 1
        if number:
            if not number.isascii() or not number.isdigit() or not 1 <= int(number[:4]) <= most:
                raise InvalidInput("bad-option-number", field="with", value=word[:60], highest=most)
            count = int(number[:4])
        if name in levels or (name in ("superior", "missing-tools") and levels.keys() & _TOOLS):
            raise InvalidInput("option-twice", field="with", value=word[:60])
        levels[name] = count
    adjustments = Adjustments(
        dilemmas=levels.get("dilemma", 0),
        flaw=levels.get("flaw", 0),
        equipment=levels.get("missing-tools", 0) - levels.get("superior", 0),
        drawback="drawback" in levels,
        injured="injured" in levels,
        bonus=bonus,
    )
    adjustments.validate()
    return Options(
        adjustments, "specialist" in levels, "specialist-luck" in levels, luck, urgent="urgent" in levels
    )


_TOOLS = frozenset({"superior", "missing-tools"})


def _counted(word: str, count: int) -> str:
    return word if count == 1 else f"{word}:{count}"


def write_options(adjustments: Adjustments) -> tuple[str, ...]:
    """The words that `read_options` would read these adjustments from, the bonus aside."""
    words: list[str] = []
    if adjustments.dilemmas > 0:
        words.append(_counted("dilemma", adjustments.dilemmas))
    if adjustments.flaw > 0:
        words.append(_counted("flaw", adjustments.flaw))
    if adjustments.equipment > 0:
        words.append(_counted("missing-tools", adjustments.equipment))
    elif adjustments.equipment < 0:
        words.append("superior")
    if adjustments.drawback:
        words.append("drawback")
    if adjustments.injured:
        words.append("injured")
    return tuple(words)


def option_choices(*, gm: bool) -> tuple[Choice, ...]:
    """The words worth offering, each with what it means."""
    offered: list[tuple[str, str, int]] = [
        ("dilemma", "dilemma", 1),
        ("dilemma:2", "dilemma", 2),
        ("dilemma:3", "dilemma", 3),
        ("flaw", "flaw", 1),
        ("flaw:2", "flaw", 2),
        ("drawback", "drawback", 1),
        ("injured", "injured", 1),
        ("superior", "superior", 1),
        ("missing-tools", "missing-tools", 1),
        ("missing-tools:2", "missing-tools", 2),
        ("missing-tools:3", "missing-tools", 3),
    ]
    if gm:
        offered += [(word, word, 0) for word in _GM_WORDS]
    found = [Choice(value, Line(f"ebb-option-{code}", {"levels": levels})) for value, code, levels in offered]
    if gm:
        found += [Choice(f"{_LUCK}:{name}", Line("ebb-option-luck", {"name": name})) for name in ATTRIBUTES]
    return tuple(found)
