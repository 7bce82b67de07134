"""Whatever was played: a table written out fills an empty one, and players' files hold nothing
hidden.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from bot.services.transfer import (
    PublicTable,
    export_bytes,
    full_export,
    gm_entry,
    public_entry,
    split_import_file,
)
from rules.core.rng import ScriptedRng
from rules.registry import read_only_game
from rules.table.actions import ForgetPerson, ImportTable
from rules.table.permissions import public_name
from rules.table.readable_places import EVERYWHERE
from rules.table.state import Settings, TableState
from rules.table.transfer import import_table
from tests.property.random_play import Walk
from tests.property.systems import PLAYED, Grounds
from tests.property.test_play import walking
from tests.sample_table import ANN, GM, by


async def played_table(walk: Walk) -> None:
    await walk.steps(250)
    session = walk.session
    await _exports(walk)
    await session.do(ForgetPerson(**by(ANN)))
    state = await session.state()
    await session.restart()
    assert await session.state() == state
    await _exports(walk)


async def _exports(walk: Walk) -> None:
    session, grounds = walk.session, walk.grounds
    table = await session.tables.get(session.table_id)
    rows = await session.tables.store.page(table.id, 0)
    public, told = PublicTable(table), list[dict[str, Any]]()
    for row in rows:
        if (entry := public_entry(table, row, EVERYWHERE)) is not None:
            public.note_people_in(entry)
            told.append(entry)
    players = export_bytes(public.export(told)).decode()
    assert not grounds.canary.search(json.dumps(json.loads(players)))
    known = {
        public_name(each) for each in table.state.characters.values()
    }  # somebody hidden may have a namesake
    shown = json.loads(players)["characters"]
    assert {each["name"] for each in shown} <= known - {""}

    data, _ = split_import_file(
        json.loads(export_bytes(full_export(table, [gm_entry(table, GM, row) for row in rows])))
    )
    action = ImportTable(**by(GM), data=data, owners={})
    empty = TableState(Settings("Empty", grounds.key, ("p1",)))
    made = import_table(empty, action, read_only_game(empty).replace(rng=ScriptedRng(()))).state
    assert read_only_game(made).campaign == read_only_game(table.state).campaign
    for old, new in zip(table.state.characters.values(), made.characters.values(), strict=True):
        kept = grounds.lasting(old.sheet)
        assert (old.name, kept, old.stage, old.notes) == (new.name, new.sheet, new.stage, new.notes)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("grounds", PLAYED, ids=lambda each: each.name)
def test_whatever_was_played_goes_out_and_comes_in(grounds: Grounds, seed: int) -> None:
    walking(grounds, played_table, random.Random(f"{grounds.name} {seed}"), secret=True)
