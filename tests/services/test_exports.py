"""Exports: one object while they are short, else parts beside it; the same is told in both."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from bot.services import exports
from bot.services.exports import PROGRESS, Export, too_long, write
from rules.table.actions import RollDice
from tests.builders import ANN, BEN, House, Session, by, propose


async def exported(house: House, folder: Path, export: Export) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The object, and the lines of the parts."""
    folder.mkdir()
    first, *more = await asyncio.to_thread(write, str(house.path), str(folder), export)
    lines: list[dict[str, Any]] = []
    for name in more:
        lines += map(json.loads, gzip.decompress((folder / name).read_bytes()).decode().splitlines())
    assert (folder / PROGRESS).exists() == export.journal
    return json.loads((folder / first).read_text()), lines


async def played(session: Session) -> None:
    for number in range(30):
        await session.do(RollDice(**by((ANN, BEN)[number % 2]), dice="1d6", reason=f"number {number}"))
    await session.do(propose(ANN, approach="over the roof", visibility="private"))


@pytest.mark.parametrize("what", ["full", "players"])
async def test_a_long_journal_goes_into_parts(
    session: Session, house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: Any
) -> None:
    await played(session)
    export = Export(what, "the-zone", ((session.table_id, "p1"),))
    whole, none = await exported(house, tmp_path / "short", export)
    monkeypatch.setattr(exports, "INLINE", 2000)
    monkeypatch.setattr(exports, "PART", 0)  # so that each line has one
    head, lines = await exported(house, tmp_path / "long", export)
    assert none == [] and "journal" not in head
    assert head | {"journal": lines} == whole
    names = sorted(path.name for path in (tmp_path / "long").iterdir() if path.name != PROGRESS)
    assert names[0] == "the-zone-journal-1.jsonl.gz" and names[-1] == "the-zone.json" and len(names) > 2
    assert ("over the roof" in json.dumps(lines)) == (what == "full")
    bare, _ = await exported(house, tmp_path / "bare", Export(what, "the-zone", export.tables, journal=False))
    assert "journal" not in bare


async def test_ones_own_data_may_be_long_too(
    session: Session, house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await played(session)
    export = Export("own", "my-data", ((session.table_id, "p2"),))
    whole, _ = await exported(house, tmp_path / "short", export)
    monkeypatch.setattr(exports, "INLINE", 2000)
    head, lines = await exported(house, tmp_path / "long", export)
    name = head["tables"][0]["table"]
    assert "actions" not in head["tables"][0]
    assert [{"table": name, **each} for each in whole["tables"][0]["actions"]] == lines
    assert "number 0" in json.dumps(lines) and 'number 1"' not in json.dumps(lines)


async def test_what_would_be_too_many_files_is_known_before(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await session.tables.get(session.table_id)
    assert not await too_long(session.tables, [table])
    monkeypatch.setattr(exports, "PART", 10)
    assert await too_long(session.tables, [table])
