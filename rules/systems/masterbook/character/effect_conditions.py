"""Conditions of special effects as JSON rows, lines and texts (MB-SFX-41, MB-SFX-S17 to -S23).

A line names the kind, the figure that it lowers and the level, then the rest:
`component DN 4; a carved wand; destroyed`, `concentration FV 1 hour`, `community DN 5; DN 10`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from rules.core.errors import InvalidInput, RulesError
from rules.systems.masterbook.character.effect_measures import measure_text
from rules.systems.masterbook.formulas.effect_blueprint import (
    BLUEPRINT_BOUNDS,
    CONDITION_KINDS,
    Condition,
    ConditionKind,
)
from rules.systems.masterbook.formulas.effect_condition_points import condition_points
from rules.systems.masterbook.formulas.effect_rows import ADDONS, PARTICIPATIONS
from rules.systems.masterbook.formulas.measures import read_measure
from rules.table.blocks import Text
from rules.table.forms.fields import Flag, FormContext, Many, Number, Pick, Typed, plain_options
from rules.table.forms.form import Form

#: Longest text of a condition, and of the skill that it names, in characters.
LONGEST_TEXT: Final = 200
LONGEST_SKILL: Final = 100
#: Highest level of each kind with a table of levels.
LEVELS_MOST: Final[dict[ConditionKind, int]] = {
    "component": 7,
    "gesture": 6,
    "incantation": 6,
    "related_skill": 6,
    "other": 6,
}
_QUOTED: Final = 100
_FIELD: Final = "conditions"
#: Word of a line in front of the skill or language that a condition names.
_SKILL: Final = "skill"
_DESTROYED, _AT_RELEASE = "destroyed", "at release"
_HEAD: Final = re.compile(
    r"(?P<kind>[a-z_ ]+?)s?\s+(?:on\s+)?(?P<on>dn|fv)\b\s*(?P<amount>.*)", re.IGNORECASE
)
_DN: Final = re.compile(r"dn\s*(?P<dn>\d{1,2})", re.IGNORECASE)
_NUMBERED: Final = re.compile(r"(?P<key>bonus|lowered)\s+(?P<number>\d{1,3})", re.IGNORECASE)


def _number(key: str, **more: Any) -> Number:
    low, high = BLUEPRINT_BOUNDS[key]
    return Number(key, low=low, high=high, **more)


def _level_errors(asking: FormContext) -> Iterable[RulesError]:
    """Yield an error for a level that the table of its kind lacks."""
    values = asking.values
    most = LEVELS_MOST.get(values.get("kind", "other"))
    level = values.get("level", 1)
    if most is not None and level > most:
        yield InvalidInput("out-of-range", field="level", value=level, lowest=1, highest=most)


#: A condition in a file.
CONDITION_FORM: Final = Form(
    (
        Pick("kind", choices=plain_options(CONDITION_KINDS), needed=True),
        Pick("on", choices=plain_options(("dn", "fv"))),
        Typed("text", most=LONGEST_TEXT, blank=True),
        _number("level"),
        Flag("destroyed", default=False),
        _number("bonus"),
        _number("lowered"),
        _number("helpers"),
        Pick("participation", choices=plain_options(PARTICIPATIONS)),
        _number("time_value"),
        Many("addons", choices=plain_options(ADDONS), most=len(ADDONS), into=tuple),
        Typed("skill", most=LONGEST_SKILL, blank=True),
        Flag("at_release", default=False),
    ),
    check=_level_errors,
)


# --- lines ----------------------------------------------------------------------------------------


def condition_line(row: dict[str, Any]) -> str:
    """Return the line that `read_condition` reads a condition's row from."""
    condition: Condition = CONDITION_FORM.make_record(Condition, row)
    kind = condition.kind.replace("_", " ")
    head = f"{kind} {condition.on.upper()} {getattr(condition, _amount_key(condition.kind))}"
    return "; ".join((head, *_line_parts(condition)))


def _amount_key(kind: ConditionKind) -> str:
    """Return the field whose number stands behind the figure."""
    return {"community": "helpers", "concentration": "time_value"}.get(kind, "level")


def _line_parts(condition: Condition) -> Iterator[str]:
    """Yield the parts of a condition's line behind its head."""
    dn = PARTICIPATIONS[condition.participation].dn
    if condition.kind == "community" and dn is not None:
        yield f"DN {dn}"
    if condition.text:
        yield _text_part(condition.text)
    if condition.destroyed:
        yield _DESTROYED
    for addon in condition.addons:
        yield addon.replace("_", " ")
    if condition.skill:
        yield f"{_SKILL}: {_plain(condition.skill)}"
    if condition.bonus:
        yield f"bonus {condition.bonus}"
    if condition.lowered:
        yield f"lowered {condition.lowered}"
    if condition.at_release:
        yield _AT_RELEASE


def _plain(text: str) -> str:
    """Return a text as a part of a line: on one line, without semicolons."""
    return " ".join(text.replace(";", ",").split())


def _text_part(text: str) -> str:
    """Return the builder's words as a part of a line, in quotes if they could be another part."""
    plain = _plain(text)
    taken: dict[str, Any] = {}
    if plain.startswith('"') or _read_part(plain, taken):
        return f'"{plain}"'
    return plain


def read_condition(line: str) -> dict[str, Any]:
    """Return the row of a typed line.

    Raises:
        InvalidInput("mb-effect-condition-line"): the line has no kind or no figure.
        InvalidInput("mb-effect-condition-amount"): its level, number or time can't be read.
    """
    head, *parts = [part.strip() for part in line.split(";")]
    match = _HEAD.fullmatch(head)
    kind = None if match is None else _kind_of(match["kind"])
    if match is None or kind is None:
        raise InvalidInput("mb-effect-condition-line", field=_FIELD, value=line[:_QUOTED])
    row: dict[str, Any] = {"kind": kind, "on": match["on"].casefold()}
    row |= _read_amount(kind, match["amount"].strip(), line)
    for part in parts:
        if not part or _read_part(part, row):
            continue
        text = part
        if text.startswith('"'):
            text = text.removeprefix('"').removesuffix('"')
        row["text"] = f"{row['text']}, {text}" if "text" in row else text
    return row


def _kind_of(text: str) -> ConditionKind | None:
    words = " ".join(text.casefold().replace("_", " ").split())
    for kind in CONDITION_KINDS:
        if kind.replace("_", " ") == words:
            return kind
    return None


def _read_amount(kind: ConditionKind, text: str, line: str) -> dict[str, Any]:
    """Return the amount behind the figure: a level, a number of helpers, or a time.

    Raises InvalidInput("mb-effect-condition-amount") for a text that is none of these.
    """
    key = _amount_key(kind)
    if not text:
        return {key: 0 if key == "time_value" else 1}
    if text.isascii() and text.isdigit() and len(text) < 12:
        return {key: int(text)}
    if key == "time_value" and (value := read_measure(text, "time", "down")) is not None:
        return {key: value}
    raise InvalidInput(
        "mb-effect-condition-amount", field=_FIELD, value=text[:_QUOTED], what=key, line=line[:80]
    )


def _read_part(part: str, row: dict[str, Any]) -> bool:
    """Read a part of a line into its row; return whether it is more than the builder's words."""
    words = " ".join(part.casefold().split())
    addon = words.replace(" ", "_")
    dn, numbered = _DN.fullmatch(words), _NUMBERED.fullmatch(words)
    if words == _DESTROYED:
        row["destroyed"] = True
    elif words == _AT_RELEASE:
        row["at_release"] = True
    elif addon in ADDONS:
        row["addons"] = tuple(dict.fromkeys((*row.get("addons", ()), addon)))
    elif dn is not None and _participation(int(dn["dn"])):
        row["participation"] = _participation(int(dn["dn"]))
    elif numbered is not None:
        row[numbered["key"]] = int(numbered["number"])
    elif words.startswith(f"{_SKILL}:") and words != f"{_SKILL}:":
        row["skill"] = part.partition(":")[2].strip()[:LONGEST_SKILL]
    else:
        return False
    return True


def _participation(dn: int) -> str:
    """Return the participation of helpers with a difficulty; empty if no row has it."""
    for row in PARTICIPATIONS.values():
        if row.dn == dn:
            return row.participation
    return ""


# --- texts ----------------------------------------------------------------------------------------


def condition_text(condition: Condition) -> Text:
    """Return a condition in one line: `DN −4 · a carved wand (component)`."""
    shown: dict[str, Any] = {
        "condition": condition.kind,
        "on": condition.on,
        "points": -condition_points(condition),
        "text": condition.text or None,
    }
    if condition.kind == "concentration":
        shown["time"] = measure_text("time", condition.time_value)
    if condition.kind == "community":
        shown["helpers"] = condition.helpers
    shown["skill"] = condition.skill or None
    shown["destroyed"] = condition.destroyed
    shown["at_release"] = condition.at_release
    return Text("mb-effect-condition", shown)
