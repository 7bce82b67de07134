"""Options that move a difficulty stay with the GMs: the same outcome tells players the same."""

from __future__ import annotations

from typing import Any

import pytest

from bot.services.outbox_plan import is_visible_to
from bot.storage import codec
from rules.core.errors import RulesError
from rules.systems.masterbook.character.sheet import MasterbookSheet, Skill
from rules.systems.masterbook.checks.background_memory import with_recognition
from rules.table.checks.available_moves import check_moves
from rules.table.checks.odds import odds_of_check
from tests.rules.masterbook.option_table import OptionTable, with_options
from tests.sample_table import ANN, BEN, GM

SKILLS = tuple(Skill(name, 3) for name in ("Stealth", "Persuasion", "Con", "Prestidigitation"))
#: Options of the one who acts, none of which a player may read off.
SECRET = (
    "Handicap (CI): Stealth, Persuasion, Con, Unarmed Combat, Prestidigitation",
    "Handicap (CII): Agility",
    "Prejudice (CII): an accent",
    "Infamy (CII): a robbery",
    "Age (CII): old",
    "Quirk (CI): stutters; pattern: stutter",
    "Quirk (CI): sticky fingers; pattern: kleptomania",
)
#: Kinds of checks, with what is said, and whether the GM answers.
COURSES: dict[str, tuple[str, str, dict[str, Any], bool]] = {
    "check": ("check", "", {"skill": "Stealth", "difficulty": "3"}, False),
    "theft": ("check", "", {"skill": "Prestidigitation", "difficulty": "3"}, False),
    "talk": ("check", "", {"skill": "Persuasion", "difficulty": "3"}, False),
    "answered": ("check", "", {"skill": "Persuasion"}, True),
    "contest": ("contest", "boris", {"skill": "Persuasion"}, False),
    "interaction": ("interact", "boris", {"skill": "Con"}, True),
    "attack": ("attack", "boris", {"weapon": "unarmed"}, False),
}


class _Watched(OptionTable):
    """A table that keeps all that players read, may do and are waited for."""

    def __init__(self, *lines: str) -> None:
        sheet = MasterbookSheet(skills=SKILLS, agility=13, charisma=13)
        super().__init__(anna=with_options(sheet, *lines), boris=MasterbookSheet())
        self.seen: list[object] = []
        for line in lines:
            cause = line.partition(":")[0]
            self.state = with_recognition(self.game(), "anna", cause, "boris", True).state

    def do(self, action: Any, *faces: int) -> None:
        super().do(action, *faces)
        check = self.newest
        for player in (ANN, BEN):
            read = [each for each in self.events if is_visible_to(each, self.state, player)]
            self.seen.append(codec.events_text(tuple(read)))
            self.seen.append(check_moves(self.game(player), check))
        self.seen.append(check.asked)
        if check.is_open and not check.data.throws and check.data.answer:
            self.seen.append(self._player_odds())

    def _player_odds(self) -> object:
        try:
            found = odds_of_check(self.game(ANN), self.newest.id)
        except RulesError as refused:
            return refused.code, refused.params
        return found.traits, found.shifts, found.tables, found.notes


def _played(course: str, *lines: str) -> _Watched:
    kind, target, values, asks = COURSES[course]
    table = _Watched(*lines)
    table = table.asking() if asks else table
    dice = (9, 9) if kind in ("check",) and not asks else ()
    table.begin(kind, *dice, target=target, **values)
    if asks:
        difficulty = {} if target else {"difficulty": "3", "shown": True}
        table.choose("rule", "roll", GM, **difficulty)
        table.choose("ready", "roll", ANN, *(() if target else (9, 9)))
    if kind == "interact":
        table.choose("resist", "pass", BEN, 1, 1)
    if kind == "contest":
        table.choose("face", "face", BEN, 1, 1, attribute="confidence", stand="passive")
    if kind == "attack":
        table.choose("defend-hand", "pass", BEN, 1, 1)
    return table


@pytest.mark.rule("MB-BG-15", "MB-BG-42", "MB-BG-50", "MB-BG-51", "MB-BG-55", "MB-BG-57")
@pytest.mark.parametrize("course", COURSES)
@pytest.mark.parametrize("line", SECRET)
def test_the_same_outcome_tells_players_the_same(course: str, line: str) -> None:
    plain, secret = _played(course), _played(course, line)
    assert plain.numbers(gm=False)[0] is secret.numbers(gm=False)[0], "the outcome is the same"
    assert secret.seen == plain.seen


def test_gms_read_what_players_do_not() -> None:
    table = _played("check", SECRET[0])
    assert table.numbers(gm=True) != table.numbers(gm=False)
