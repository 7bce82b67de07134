"""Ready values for the fields that a player leaves empty on a new character.

A system declares sample characters as data. Each empty field takes the sample's value, cut down to
what the rules for new characters still allow, so that the result is legal if the draft was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, cast

from rules.core.errors import Problems
from rules.core.json_reader import Reader
from rules.table.check import Values
from rules.table.forms.entry_fields import Table
from rules.table.forms.fields import FormContext, Number, PartialGame
from rules.table.forms.form import Field
from rules.table.people.common_fields import LONGEST_NAME
from rules.table.people.sheets import read_texts, text_fields
from rules.table.system import Game

#: Problems of a draft: code and place of each.
_Faults = frozenset[tuple[str, str]]

_TRAILING_NUMBER: Final = re.compile(r"^(?P<name>.*\S)\s+(?P<number>\d{1,3})$")


def complete_draft(
    game: Game, draft: Values, is_taken: Callable[[str], bool] = lambda name: False
) -> dict[str, Any]:
    """Return a draft of a new character with every empty field filled, as far as the rules allow.

    The draft's own values stay. *is_taken* returns whether a character at the table has a name.
    """
    filled = dict(draft)
    samples = game.sheets.samples(game)
    if not samples:
        return filled
    fields = text_fields(game)
    sample = _free_sample(samples, is_taken)
    texts = {key: sample_text(game, field, sample.get(key)) for key, field in fields.items()}
    completions = game.sheets.completions
    known = _faults(game, filled)
    for key, field in fields.items():
        own, offered = str(filled.get(key) or "").strip(), texts[key]
        if key == "name" and not own:
            filled[key] = _free_name(offered, is_taken)
        elif key in completions:
            pool = list(field_entries(field, offered))
            for other in samples:
                pool += field_entries(field, sample_text(game, field, other.get(key)))
            completed = completions[key](game, filled, texts, pool)
            # Fields that depend on this one are completed later.
            new = _faults(game, {**filled, key: completed}) - known
            if not any(place.partition("[")[0] == key for _, place in new):
                filled[key] = completed
        elif not own and offered:
            filled[key] = _fitting_text(game, filled, field, offered, known)
    return {key: value for key, value in filled.items() if value not in ("", None)}


def _free_sample(
    samples: Sequence[Mapping[str, Any]], is_taken: Callable[[str], bool]
) -> Mapping[str, Any]:
    """Return the first sample with a free name, else the first one."""
    for sample in samples:
        if not is_taken(str(sample["name"])):
            return sample
    return samples[0]


def _free_name(name: str, is_taken: Callable[[str], bool]) -> str:
    """Return the name, with a number if it is taken."""
    free, number = name, 1
    while is_taken(free):
        number += 1
        free = f"{name[: LONGEST_NAME - 5]} {number}"
    return free


def sample_text(game: Game, field: Field, value: object) -> str:
    """Return a sample's value as the player would type it; what the campaign lacks is left out."""
    if value is None:
        return ""
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, list):
        value = cast("list[object]", value)
        if all(isinstance(entry, str) for entry in value):
            return "\n".join(map(str, value))
    asking = FormContext(PartialGame(game.campaign))
    read = field.json(Reader(), field.key, value, asking)
    return "" if read is None else field.format_text(field.form_value(field.record_value(read)))


def field_entries(field: Field, text: str) -> list[str]:
    """Return the entries of a field's text; a text that is no list is one entry."""
    if isinstance(field, Table):
        return field.entries(text)
    return [text] if text.strip() else []


def _faults(game: Game, draft: Values) -> _Faults:
    """Return the problems of a draft of a new character."""
    faults: set[tuple[str, str]] = set()
    try:
        read_texts(game, draft, new=True)
    except Problems as error:
        for problem in error.problems:
            faults.add((problem.code, str(problem.params.get("field"))))
    return frozenset(faults)


def _fitting_text(game: Game, draft: Values, field: Field, offered: str, known: _Faults) -> str:
    """Return the most of an offered text that adds no problem to a draft."""

    def fits(text: str) -> bool:
        return _faults(game, {**draft, field.key: text}) <= known

    if fits(offered):
        return offered
    if isinstance(field, Number):
        for number in range(int(offered) - 1, field.low - 1, -1):
            if fits(str(number)):
                return str(number)
        return ""
    taken: list[str] = []
    if isinstance(field, Table):
        for entry in field.entries(offered):
            for line in _with_lower_numbers(entry):
                if fits("\n".join((*taken, line))):
                    taken.append(line)
                    break
    return "\n".join(taken)


def _with_lower_numbers(entry: str) -> Iterable[str]:
    """Yield an entry, then the same with each lower number at its end: `Stealth 2`, `Stealth 1`."""
    yield entry
    match = _TRAILING_NUMBER.match(entry)
    if match is not None:
        for number in range(int(match["number"]) - 1, 0, -1):
            yield f"{match['name']} {number}"
