"""The measurements run; what they measure is left to `make bench`, on a machine that has nothing
else to do.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from benchmarks.__main__ import Line, main, table
from benchmarks.commands import pair
from benchmarks.effects import GROWN
from benchmarks.engines import DELAY
from rules.systems.masterbook.formulas.option_kinds import CUSTOM


def test_pair_takes_medians_of_rounds() -> None:
    found = pair([1.0, 4.0, 9.0], [1.0, 2.0, 3.0])
    assert (found.ours, found.bare, found.ratio) == (4.0, 2.0, 2.0)


def test_table_lines_up() -> None:
    text = table(
        [Line("a", "1", "2", "0.50 ×", "≤ 2.0 ×", True), Line("b", "100", "", "", "≥ 3", False)]
    )
    assert len({len(row) for row in text.splitlines()}) == 1
    assert "NO" in text.splitlines()[-1]


def test_grown_characters_have_twenty_options() -> None:
    sheets = [each.sheet for each in GROWN.state().characters.values() if each.owner is not None]
    for sheet in sheets:
        assert len(sheet.advantages) + len(sheet.compensations) == 20
        named = {option.name for option in (*sheet.advantages, *sheet.compensations)}
        assert CUSTOM not in named


#: What stands in the table, as its rows begin, and how their limits do.
LIMITS: Final = {
    "live /check, EBB, CPU a command, beside a typical bot": "aim 1.0 ×",
    "live /check, MasterBook, CPU a command, beside a typical bot": "aim 1.3 ×",
    "MasterBook's attack on an NPC, CPU a command, beside a typical bot": "aim 1.6 ×",
    "ego, an attack on an NPC": "≤ 2.5 ×",
    "ego, an attack on a player's character": "≤ 2.5 ×",
    "ego, an attack met": "≤ 2.5 ×",
    "masterbook, an attack on an NPC": "≤ 2.5 ×",
    "masterbook, an attack on a player's character": "≤ 2.5 ×",
    "masterbook, an attack met": "≤ 2.5 ×",
    "exact odds of a check": "≤ ",
    "MasterBook, a cast with three helpers": "≤ 5.0 ×",
    "MasterBook, an effect worked out and shown": "≤ 2.5 ×",
    "MasterBook, a check with twenty options": "≤ 2.5 ×",
    "MasterBook, a sheet with twenty options": "≤ 5.0 ×",
    "MasterBook's cards, a draw": "≤ 1.3 ×",
    "MasterBook's cards, a trade offered": "≤ 1.3 ×",
    "MasterBook's cards, a trade accepted": "≤ 1.3 ×",
    "MasterBook's cards, a play": "≤ 1.3 ×",
    "picture of five cards": "≤ 3.0 ×",
    "beside the first 3 rule systems alone: CPU": "≤ 1.2 ×",
    "beside the first 3 rule systems alone: memory": "≤ 1.2 ×",
    "20 entries amended beside others' rolls: their p50": "≤ 1.5 ×",
    "… their p99": "≤ 2.0 ×",
    "… preview, for each entry": "",
    "… commit, for each entry": "",
    "PostgreSQL beside SQLite: an entry alone, CPU": "",
    "PostgreSQL beside SQLite: live /check, CPU": "aim 1.1 ×",
    "… burst of 300, last acknowledged": "≤ ",
    "12 tables with 2 open waits each: an idle wake-up": "≤ 2.0 ×",
    "… 6 due at once, found": "",
    "… rolls beside them, 10 a second: p50": "",
    "… the last of them carried out": "0 unanswered",
}


@pytest.mark.slow
def test_everything_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "figures.json"
    assert main(["--quick", "--json", str(figures)]) == 0
    assert "resolve of a Roll" in capsys.readouterr().out
    found = json.loads(figures.read_text())
    assert found["check"]["unanswered"] == 0 and found["check"]["cpu_ms"]["ours"] >= 0
    assert found["core"]["resolve_roll"] > 0
    both = found["engines"]
    assert both["far_alone"]["p50_ms"]["ours"] > both["round_trip_ms"] > 1000 * DELAY
    assert both["alone"]["server_ms"] > 0 and both["commands"]["server_ms"] > 0
    assert found["amended"]["amended"] > 0
    slow = found["flush"][-1]
    assert slow["p50_ms"] > slow["flush_ms"] > 0
    rows = {each["what"]: each for each in found["lines"]}
    for what, limit in LIMITS.items():
        (row,) = [each for name, each in rows.items() if name.startswith(what)]
        assert row["limit"].startswith(limit) and row["ours"], what
