"""Whatever was played: a table written out fills an empty one, and players' files hold nothing hidden."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from pathlib import Path

import pytest

from bot.services.history import journal
from bot.services.transfer import as_file, for_import, full_export, players_export
from rules.registry import look
from rules.table.actions import ForgetPerson, ImportTable
from rules.table.permissions import public_name
from rules.table.state import Settings, TableState
from rules.table.transfer import import_table
from tests.builders import ANN, GM, Session, by, make_house, make_session
from tests.property.walk import CANARY, Walk


async def played(folder: Path, seed: int) -> None:
    async with make_house(folder) as house:
        walk = Walk(await make_session(house), random.Random(seed), secret=True)
        for _ in range(250):
            await walk.step()
        session = walk.session
        await _exports(session)
        await session.do(ForgetPerson(**by(ANN)))
        state = await session.state()
        await session.restart()
        assert await session.state() == state
        await _exports(session)


async def _exports(session: Session) -> None:
    table = await session.tables.get(session.table_id)
    rows = [row for row, _ in await journal(session.tables, table.id, 0)]
    players = as_file(players_export(table, rows)).decode()
    assert not CANARY.search(players)
    known = {
        public_name(each) for each in table.state.characters.values()
    }  # somebody hidden may have a namesake
    shown = json.loads(players)["characters"]
    assert {each["name"] for each in shown} <= known - {""}

    data, _ = for_import(json.loads(as_file(full_export(table, GM, rows))))
    action = ImportTable(**by(GM), data=data, owners={})
    empty = TableState(Settings("Empty", "ebb", ("p1",)))
    made = import_table(empty, action, None, look(empty)).state  # pyright: ignore[reportArgumentType]
    for old, new in zip(table.state.characters.values(), made.characters.values(), strict=True):
        assert (old.name, old.sheet, old.stage, old.notes) == (new.name, new.sheet, new.stage, new.notes)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_was_played_goes_out_and_comes_in(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(played(Path(folder), seed))
