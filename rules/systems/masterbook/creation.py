"""Making a character step by step, and what it comes to (MB-CHAR-01, MB-CHAR-02, MB-CHAR-08)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from rules.core.reading import Reader
from rules.systems.masterbook import arms, body, skills
from rules.systems.masterbook.describe import capacity_of, toughness_of
from rules.systems.masterbook.sheet import (
    ATTRIBUTES,
    CHARACTER,
    MasterbookSheet,
    attribute,
    made,
    read_sheet,
    titled,
)
from rules.table.events import Line
from rules.table.forms import Asking, Values
from rules.table.system import Game, Page

#: How many skills are told in words.
_SHOWN: Final = 12
#: What play brings.
_OF_PLAY: Final = ("harm", "lifted", "drowning", "rounds_run", "grown", "life_points")


def read(game: Game, data: Mapping[str, object], new: bool) -> tuple[str, MasterbookSheet]:
    """A character's name and sheet; a new one unhurt and with full Life Points. Raises as `read_sheet`."""
    name, sheet = read_sheet(data, game.campaign)
    if not new:
        return name, sheet
    fresh = MasterbookSheet()
    return name, sheet.but(**{key: getattr(fresh, key) for key in _OF_PLAY})


def _sheet(game: Game, draft: Values) -> MasterbookSheet:
    """What can be read of a draft."""
    known = {key: value for key, value in draft.items() if value is not None and key in CHARACTER.keys}
    return made(CHARACTER.read_into(Reader(), known, Asking(game), ""))


def _words(items: Iterable[tuple[str, skills.Called | None]]) -> tuple[Line, ...]:
    """What things are called, behind the names of all that are called the same."""
    named: dict[str, list[str]] = {}
    for name, word in items:
        if word is not None:
            named.setdefault(word.words, []).append(name)
    return tuple(
        [Line("mb-creation-word", {"names": tuple(each), "word": word}) for word, each in named.items()]
    )


def _derived(sheet: MasterbookSheet) -> Iterable[Line]:
    total = sum([attribute(sheet, each) for each in ATTRIBUTES])
    yield Line("mb-creation-attributes", {"total": total})
    words = [(each.capitalize(), skills.quality(attribute(sheet, each))) for each in ATTRIBUTES]
    yield Line("mb-creation-words", {"items": _words(words)})
    rates = body.rates(sheet.agility, sheet.strength, sheet.limit_up)
    yield Line(
        "mb-creation-derived", {"toughness": toughness_of(sheet), "capacity": capacity_of(sheet), **rates}
    )


def _points(sheet: MasterbookSheet) -> Iterable[Line]:
    spent = sum([each.adds for each in sheet.skills])
    special = sum([adds for each in sheet.skills for _, adds in each.specializations])
    start = body.starting_skill_points(sheet.intellect, sheet.mind)
    yield Line("mb-creation-skills", {"start": start, "adds": spent, "special": special})
    adds = {titled(each.name, each.focus): skills.knowledge(each.adds) for each in sheet.skills[:_SHOWN]}
    if known := _words(adds.items()):
        yield Line("mb-creation-words", {"items": known})
    # What one may begin with, by the grade of the advantage (MB-EQ-51).
    grades = [each.split()[-1] for each in sheet.advantages if each.casefold().startswith("equipment ")]
    code = arms.reachable(0, grades[0].upper() if grades else "")
    yield Line("mb-creation-equipment", {"anything": code is None, "code": code})


_MORE: Final = {"derived": _derived, "points": _points}


def _told(what: str) -> Callable[[Game, Values], tuple[Line, ...]]:
    return lambda game, draft: tuple(_MORE[what](_sheet(game, draft)))


PAGES: Final = (
    Page("who", Line("step-who"), CHARACTER.part("name", "height", "weight", "portrait", "sketch")),
    Page("body", Line("mb-step-body"), CHARACTER.part(*ATTRIBUTES[:4]), follows=_told("derived")),
    Page("spirit", Line("mb-step-spirit"), CHARACTER.part(*ATTRIBUTES[4:]), follows=_told("derived")),
    Page(
        "skills",
        Line("mb-step-skills"),
        CHARACTER.part("skills", "advantages", "compensations"),
        follows=_told("points"),
    ),
    Page("things", Line("step-things"), CHARACTER.part("armour", "arms", "equipment", "notes")),
)
