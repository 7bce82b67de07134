"""Random fights of EGO: whatever is tried, points, dice and armor stay within what there is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import RulesError
from rules.core.rng import KeyedStreams
from rules.systems.ego.character.combat_values import armor_of, body_of, points_of
from rules.systems.ego.character.sheet import EgoSheet
from rules.systems.ego.formulas import damage
from rules.table.actions import Begin, Choose
from rules.table.checks.available_moves import check_moves
from rules.table.state import Encounter, Slot
from tests.rules.ego.play import HERO, Play
from tests.sample_table import ANN, BEN, GM, PLACE, by, resolve

FLAGS = ("two hands", "thrown", "burst", "full auto", "cover", "unaware")
said = st.fixed_dictionaries(
    {},
    optional={
        "weapon": st.sampled_from([each.name for each in HERO.arms] + ["punch", "kick"]),
        "range": st.sampled_from(["short", "extended", "40", "300"]),
        "to damage": st.integers(0, 3),
        "karma": st.integers(1, 3),
        "karma damage": st.integers(1, 3),
        "shots": st.integers(1, 3),
        "weight": st.integers(1, 50),
        "caught": st.lists(st.sampled_from(["Boris 3", "Goblin 20", "Guard"]), max_size=3),
        **{each: st.just(True) for each in FLAGS},
    },
)
attacks = st.tuples(
    st.sampled_from([(ANN, "Vesna"), (BEN, "Boris"), (GM, "Orc"), (GM, "Goblin"), (GM, "Guard")]),
    st.sampled_from(["Vesna", "Boris", "Orc", "Goblin", "Guard"]),
    said,
    st.integers(0, 9),
)


def sound(before: EgoSheet, sheet: EgoSheet) -> None:
    """What has to hold of anybody at any time."""
    now, points, body = sheet.round, points_of(sheet), body_of(sheet)
    assert 0 <= sheet.karma <= before.karma
    assert 0 <= armor_of(sheet) <= armor_of(before)
    assert points.left >= 0 and (now.spent <= points.all or now.alone or body.down or sheet.stunned)
    assert 0 <= now.karma_dice <= 3
    assert all(1 <= fired <= declared for _, declared, fired in now.shots)
    assert all(each.rounds is None or each.rounds >= 0 for each in sheet.arms)
    assert sheet.lethal >= before.lethal and sheet.non_lethal >= before.non_lethal
    assert damage.is_dead(body) == (sheet.down == damage.DEAD)
    assert bool(before.down) <= bool(sheet.down)


def answer_all(play: Play, choice: int, key: str) -> None:
    """Everybody who is asked chooses something, until it is over."""
    for step in range(12):
        if not play.check.is_open:
            return
        moves = [
            (who, move)
            for who in (ANN, BEN, GM)
            for move in check_moves(play.game(who), play.check)
            if move.passes and not move.offer
        ]
        who, move = moves[0]
        values = ["pass", *[each.value for each in move.options]]
        wanted: dict[str, Any] = {"check": move.check, "prompt": move.prompt, "number": move.number}
        option = values[(choice + step) % len(values)]
        deed = Choose(
            **by(who), **wanted, option=option, as_=(play.state.characters[move.who].name,)
        )
        play.state = resolve(play.state, deed, _dice(f"{key}.{step}")).state
        for throw in play.check.data.throws:
            pool = throw.pool
            assert len(set(pool.changed)) == len(pool.changed), "no die is changed twice"
    assert not play.check.is_open


def _dice(key: str) -> KeyedStreams:
    return KeyedStreams(b"public" * 4, b"secret" * 4, key)


@pytest.mark.rule("EGO-AP-01", "EGO-KAR-02", "EGO-ARM-02", "EGO-RNG-04", "EGO-RNG-05", "EGO-DMG-04")
@given(
    st.lists(attacks, min_size=1, max_size=8),
    st.booleans(),
    st.sampled_from([0, 600]),
    st.integers(0, 99),
)
def test_whatever_is_tried_stays_within_what_there_is(
    tried: list[Any], rounds: bool, window: int, seed: int
) -> None:
    play = Play(
        step_in_time=window, dodge_vs_ranged=seed % 2 == 0, excess_successes_to_damage=seed % 3 == 0
    )
    if rounds:
        slots = tuple([Slot("", each) for each in play.state.characters])
        play.during(Encounter(PLACE, slots, round=1))
    for number, ((who, name), target, values, choice) in enumerate(tried):
        before = {each.id: each.sheet for each in play.state.characters.values()}
        deed = Begin(**by(who), kind="attack", as_=name, target=target, values=values)
        try:
            play.state = resolve(play.state, deed, _dice(f"{seed}.{number}")).state
        except RulesError:
            continue
        if play.check.stage == "proposed":  # somebody helpless: the GM says no
            play.choose(GM, "rule", "impossible")
        answer_all(play, choice, f"{seed}.{number}")
        for each in play.state.characters.values():
            sound(before[each.id], each.sheet)
