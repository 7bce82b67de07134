"""People of the GMs who were stored before there were stages."""

from __future__ import annotations

import json

import pytest

from bot.storage import codec
from rules.systems.ebb.sheet import EbbSheet
from rules.table.state import Character


@pytest.mark.parametrize(("owner", "stage"), [(None, "off"), ("p2", "revealed")])
def test_players_do_not_get_to_know_them_by_an_upgrade(owner: str | None, stage: str) -> None:
    data = json.loads(codec.part_text(Character("k2", "Sidor", owner, EbbSheet())))
    old = {key: data[key] for key in ("id", "name", "owner", "sheet")}
    read = codec.read_part("ebb", 1, "character:k2", 1, json.dumps(old))
    assert isinstance(read, Character)
    assert read.stage == stage
