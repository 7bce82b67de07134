"""What was tried against EGO: nothing hidden is told, nothing is begun that begins by itself,
nothing gets stuck.
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import RulesError
from rules.core.rng import KeyedStreams
from rules.systems.ego.character.sheet import EgoSheet, Power, Skill
from rules.systems.ego.checks.procedure import read_difficulty
from rules.systems.ego.vehicles.vehicles_in_play import DEEDS, vehicles_of
from rules.table.actions import Begin, RemoveNpc
from rules.table.check import PASS
from rules.table.state import Character
from tests.rules.ego.play import HERO, Play, table
from tests.sample_table import ANN, BEN, GM, by, resolve

_KINDS = {each.command: each.kind for each in DEEDS}
AddVehicle, BoardVehicle = _KINDS["vehicle add"], _KINDS["vehicle board"]
FLYER = HERO.replace(
    skills=(*HERO.skills, Skill("Superpowers", 7), Skill("Pilot", 3, "space")),
    powers=(Power("Energy Blast", 7, "superpowers"),),
)


def _play(**settings: Any) -> Play:
    play = Play(table(**settings))
    for name in ("Vesna", "Orc"):
        play.write(name, skills=FLYER.skills, powers=FLYER.powers)
    return play


def _ship(play: Play, **crew: Any) -> Play:
    return play.do(AddVehicle, GM, kind="Small shuttle", pilot="Vesna", **crew)


def test_nobody_begins_a_round() -> None:
    play = _play()
    for who, name in ((GM, "Orc"), (ANN, "Vesna")):
        assert play.refused(play.begin, who, "round", as_=name).code == "not-in-these-rules"


def test_a_difficulty_is_no_longer_than_it_says() -> None:
    assert read_difficulty("0050") == "50"
    for text in ("0051", "0001" + "9" * 50):
        with pytest.raises(RulesError):
            read_difficulty(text)


def test_who_is_put_off_board_still_ends_an_emergency() -> None:
    play = _ship(_play(step_in_time=60), aboard="Boris")
    play.begin(ANN, "emergency", vehicle="v1", what="accelerate", full=True)
    play.choose(BEN, "karma", PASS, *(6,) * 8)
    play.do(BoardVehicle, GM, vehicle="v1", pilot="Boris", aboard="Boris")
    play.choose(ANN, "react", PASS).choose(BEN, "react", PASS)
    play.choose(ANN, "karma", PASS).choose(BEN, "karma", PASS, *(6,) * 8)
    play.choose(ANN, "react", PASS).choose(BEN, "react", PASS)
    assert not play.check.is_open


def test_crews_change_though_one_is_gone_or_unknown() -> None:
    play = _play()
    spy = Character("k9", "Spy", None, EgoSheet(), stage="off")
    play.state = play.state.with_character(spy)
    _ship(play, aboard="Spy, Guard")
    play.do(BoardVehicle, ANN, vehicle="v1", restraints=True)
    found = vehicles_of(play.state)[0]
    assert found.aboard == found.held == ("k1", "k9", "k5")
    play.do(RemoveNpc, GM, npc="Guard")
    refused = play.refused(play.do, BoardVehicle, ANN, vehicle="v1", pilot="Boris")
    assert refused.code == "owner-only", "nobody is carried off"
    play.do(BoardVehicle, BEN, vehicle="v1", aboard="Boris")
    assert vehicles_of(play.state)[0].aboard == ("k1", "k2", "k9")
    play.do(BoardVehicle, ANN, vehicle="v1", pilot="Boris")
    found = vehicles_of(play.state)[0]
    assert (found.pilot, found.aboard) == ("k2", ("k2", "k1", "k9"))


def test_a_blind_effect_is_told_to_the_gms_alone() -> None:
    play = _play()
    plan = {"target": "Orc", "effect": "Energy Blast", "range": "short"}
    play.begin(ANN, "effect", **plan, visibility="blind")
    play.choose(GM, "rule", "roll").choose(ANN, "ready", "roll", *(1,) * 7)
    assert play.rolls(GM) and not play.rolls(ANN)
    assert play.verdict(GM) and not play.verdict(ANN)


def test_how_strong_an_npc_is_at_it_only_gms_read() -> None:
    play = _play()
    play.write("Orc", profile=None)
    play.begin(
        GM, "effect", *(1,) * 7, as_="Orc", target="Boris", effect="Energy Blast", range="short"
    )
    assert "7" in play.told(GM) and "'rating'" not in play.told(ANN)


def test_the_dice_of_npcs_hang_on_no_seed_that_will_be_revealed() -> None:
    blow: dict[str, Any] = {"weapon": "Kick"}
    strikes = Begin(**by(GM), kind="attack", target="Goblin", as_="Guard", values=blow)

    def consequences(public: int, secret: int) -> str:
        rng = KeyedStreams(bytes([public]) * 32, bytes([secret]) * 32, "1")
        return str(resolve(table(), strikes, rng).state.checks)

    assert consequences(1, 2) == consequences(3, 2)
    assert len({consequences(1, secret) for secret in range(5)}) > 1
