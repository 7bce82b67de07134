"""What a table agrees on in the terms of its system: opened with, changed, and taken along."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import RulesError
from rules.core.rng import ScriptedRng
from rules.registry import read_only_game
from rules.systems.barmore.campaign import DEFAULT_CAMPAIGN
from rules.table.actions import ChangeCampaign, CreateTable, ImportTable
from rules.table.events import Notice
from rules.table.state import TableState
from rules.table.transfer import write_table
from tests.rules.toy_table import Play
from tests.sample_table import ANN, GM, by, resolve

DATA: dict[str, Any] = {"options": {"dice_phobes": False}}
OTHER = DEFAULT_CAMPAIGN.replace(dice_phobes=False)


def open_table(**fields: Any) -> TableState:
    action = CreateTable(**by(GM), name="Marshes", system="barmore", **fields)
    return resolve(None, action, ScriptedRng(())).state


def test_a_table_opens_with_a_campaign() -> None:
    assert open_table().campaign == DEFAULT_CAMPAIGN
    assert open_table(campaign=DATA).campaign == OTHER
    with pytest.raises(RulesError, match="bad-campaign"):
        open_table(campaign={"options": {"moon": "green"}})


def test_a_gm_changes_the_campaign_and_everybody_hears_of_it() -> None:
    play = Play(open_table())
    assert play.refused(ChangeCampaign, ANN, data=DATA).code == "gm-only"
    assert play.refused(ChangeCampaign, GM, data={}).code == "nothing-to-change"
    play.do(ChangeCampaign, GM, data=DATA)
    (event,) = play.events
    assert isinstance(event, Notice) and event.audience.everyone
    game = read_only_game(play.state.replace(campaign=OTHER))
    assert event.lines == game.system.campaign.describe(game.campaign)


def test_a_campaign_goes_with_the_table() -> None:
    state = open_table(campaign=DATA)
    written = write_table(state, read_only_game(state))
    assert Play(open_table()).do(ImportTable, GM, data=written, owners={}).state.campaign == OTHER
    without = {key: value for key, value in written.items() if key != "campaign"}
    assert Play(state).do(ImportTable, GM, data=without, owners={}).state.campaign == OTHER
    for broken in ({"options": {"moon": "green"}}, ["moon"]):
        with pytest.raises(RulesError, match="bad-table"):
            Play(open_table()).do(ImportTable, GM, data={**written, "campaign": broken}, owners={})
