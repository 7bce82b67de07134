"""Whatever is done in whatever order: the checks stay whole, and the same actions give the same
table.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

import pytest

from bot.storage.codec import part_text
from rules.core.dice.no_dice import NO_DICE
from rules.core.errors import Impossible, NotPermitted, Outdated, RulesError
from rules.core.rng import KeyedStreams
from rules.table.actions import Actor
from rules.table.check import PASS, Check, Order, Orders
from rules.table.checks import engine, prompt_times
from rules.table.checks.available_moves import Move, available_moves
from rules.table.checks.check_run import CheckAdvance
from rules.table.checks.prompt_times import pending_waits
from rules.table.state import HOUR, TableState
from rules.table.system import Game
from tests.rules.checks.toy_procedures import (
    CLOCK,
    GM,
    OWNERS,
    PLACE,
    TOYS,
    Sheet,
    add_orders,
    calls,
    owner,
    table,
)
from tests.rules.stored_checks import read_check

WHO = tuple(OWNERS)
ACTORS = (GM, *[owner(who) for who in "abcde"])
ORDERS = (
    Orders((Order("react", PASS),)),
    Orders((Order("react", "card", otherwise=None),)),
    Orders((Order("react", "cancel", keep=("points", 2)),)),
    Orders((Order("side", "high", {"plus": 2}, otherwise="low"),)),
    Orders(ask=True),
)
#: What is filled in where a form asks for it.
FILLED = {
    "level": 3,
    "hidden": True,
    "question": "?",
    "how": "so",
    "plus": 1,
    "section": 2,
    "struck": "b",
}
Act = Callable[[Game], CheckAdvance]


def begins(chance: random.Random) -> tuple[Actor, Act]:
    kind = chance.choice(["proposal", "window", "duel", "blast", "team", "echo"])
    several = chance.sample(WHO, chance.randint(1, 5))
    values = {
        "window": {"aware": several},
        "duel": {"sides": several},
        "blast": {"targets": several},
    }
    actor = chance.choice("abcde")
    visibility: Any = chance.choice(["public", "public", "private"])
    given = values.get(kind, {})
    return owner(actor), lambda game: engine.begin(
        game, kind, PLACE, given, actor=actor, visibility=visibility
    )


def chosen(chance: random.Random, move: Move, check: Check[Any]) -> Act:
    values: dict[str, Any] = {}
    option = PASS
    if move.options and (not move.passes or chance.random() < 0.6):
        picked = chance.choice(move.options)
        option = picked.value
        fields = () if picked.form is None else picked.form.keys
        values = {key: FILLED[key] for key in fields}
    return lambda game: engine.choose(
        game, check.id, move.prompt, move.number, option, (move.who,), values
    )


def acts(chance: random.Random, state: TableState, at: int) -> tuple[Actor, int, Act]:
    """Somebody, when, and what they do."""
    open_ = [each for each in state.checks.values() if each.is_open]
    roll = chance.random()
    if not open_ or (roll < 0.15 and len(open_) < 6):
        return (begun := begins(chance))[0], at, begun[1]
    if roll < 0.25:
        wait = chance.choice([each for check in open_ for each in pending_waits(check)])
        return CLOCK, max(at, wait.due), lambda game: engine.lapse(game, wait.id)
    check = chance.choice(open_)
    if roll < 0.28:
        return GM, at, lambda game: engine.end(game, game.state.checks[check.id])
    if roll < 0.31:
        return GM, at, lambda game: engine.close(game, game.state.checks[check.id])
    if roll < 0.36:
        gone = chance.choice(WHO)
        return (
            GM,
            at,
            lambda game: engine.drop_characters(game, game.state.checks[check.id], (gone,)),
        )
    if roll < 0.4:
        return GM, at, lambda game: engine.refresh_check(game, game.state.checks[check.id])
    if roll < 0.44:
        return GM, at, lambda game: brought_back(game, check)
    actor = chance.choice(ACTORS)
    mine = [
        each
        for each in available_moves(Game(state, TOYS, NO_DICE, at, actor))
        if each.check == check.id
    ]
    if not mine:
        return GM, at, lambda game: engine.refresh_check(game, game.state.checks[check.id])
    return actor, at, chosen(chance, chance.choice(mine), check)


def brought_back(game: Game, check: Check[Any]) -> CheckAdvance:
    now = game.state.checks.get(check.id)
    back = prompt_times.reopen_check(check, now, game.at, game.at - 10)
    return CheckAdvance(game.with_state(game.state.with_check(back)), back, ())


#: Kinds of checks, and their stages that wait for the story's time instead of an answer.
FOR_TIME: Final = frozenset({("cast", "casting")})


def whole(before: TableState, after: TableState) -> None:
    """What is so of every check, whatever has happened."""
    for check in after.checks.values():
        keys = [each.prompt.key for each in check.asked]
        assert len(set(keys)) == len(keys)
        assert all(each.number <= check.revision for each in check.asked)
        if check.is_open:
            waits = any(each.waiting_for for each in check.asked)
            assert waits or (check.kind, check.stage) in FOR_TIME
        else:
            assert not any(each.waiting_for for each in check.asked)
            assert pending_waits(check) == ()
        names = [each.id for each in pending_waits(check)]
        assert len(set(names)) == len(names)
        was = before.checks.get(check.id)
        if was is None:
            continue
        assert check.revision >= was.revision
        for asked in check.asked:
            old = was.prompt(asked.prompt.key)
            if old is not None and old.number == asked.number and was.stage == check.stage:
                assert (old.since, old.due, old.reminders) == (
                    asked.since,
                    asked.due,
                    asked.reminders,
                ) or (
                    old.prompt.wait != asked.prompt.wait
                    or asked.since != old.since
                    or asked.more != old.more
                )
                assert set(old.passed) <= set(asked.passed)


def start(chance: random.Random) -> TableState:
    sheets = {who: Sheet(chance.randint(0, 4), chance.choice([(), ("card",)])) for who in WHO}
    orders = {who: chance.choice(ORDERS) for who in chance.sample(WHO, 3)}
    settings = {"step_in_time": chance.choice([0, HOUR])}
    return add_orders(table(settings, **sheets), **orders)


@pytest.mark.parametrize("seed", range(25))
def test_random_legal_play_leaves_checks_whole_and_comes_again_the_same(seed: int) -> None:
    chance = random.Random(seed)
    first = state = start(chance)
    done: list[tuple[Actor, int, Act]] = []
    at, refused = 1000, 0

    def game(state: TableState, number: int, at: int, actor: Actor) -> Game:
        return Game(state, TOYS, KeyedStreams(b"p" * 32, b"s" * 32, str(number)), at, actor)

    while len(done) < 80 and refused < 200:
        actor, at, act = acts(chance, state, at + chance.randint(0, 60))
        try:
            made = act(game(state, len(done), at, actor))
        except (Impossible, Outdated) as error:
            # a cost that cannot be paid; a reminder whose prompt ends at the same moment
            assert error.code in ("not-enough", "wait-over"), error
            refused += 1
            continue
        whole(state, made.state)
        assert made.state.checks[made.check.id] == made.check
        state = made.state
        done.append((actor, at, act))
    assert len(done) == 80
    again = first
    for number, (actor, at, act) in enumerate(done):
        again = act(game(again, number, at, actor)).state
    assert again == state
    for part in state.checks.values():
        assert read_check(TOYS.procedures, part_text(part)) == part


@pytest.mark.parametrize("seed", range(10))
def test_no_number_of_a_prompt_fits_twice(seed: int) -> None:
    """A button of something that is over answers nothing else."""
    chance = random.Random(1000 + seed)
    state, at = start(chance), 1000
    shown: dict[tuple[str, str, int], str] = {}
    for number in range(60):
        actor, at, act = acts(chance, state, at + 1)
        try:
            made = act(
                Game(state, TOYS, KeyedStreams(b"p" * 32, b"s" * 32, str(number)), at, actor)
            )
        except RulesError:
            continue
        state = made.state
        for check in state.checks.values():
            for asked in check.asked:
                key = (check.id, asked.prompt.key, asked.number)
                assert shown.setdefault(key, check.stage) == check.stage


@pytest.mark.parametrize("seed", range(12))
def test_what_somebody_secretly_holds_changes_nothing_for_the_others(seed: int) -> None:
    """The same play twice; only what b holds, and does not use, is another."""
    chance = random.Random(2000 + seed)
    sheets = {who: Sheet(chance.randint(0, 3), chance.choice([(), ("card",)])) for who in "acde"}
    settings = {"step_in_time": HOUR}
    one = table(settings, b=Sheet(), **sheets)
    other = table(settings, b=Sheet(9, ("card", "card")), **sheets)
    at = 1000
    for number in range(60):
        actor, at, act = acts(chance, one, at + 1)
        if actor == owner("b"):
            continue
        streams = [KeyedStreams(b"p" * 32, b"s" * 32, str(number)) for _ in range(2)]
        try:
            made = act(Game(one, TOYS, streams[0], at, actor))
        except RulesError:
            continue
        try:
            mirrored = act(Game(other, TOYS, streams[1], at, actor))
        except NotPermitted as error:
            pytest.fail(f"{error} only where b holds something")
        one, other = made.state, mirrored.state
        assert made.took == mirrored.took
        assert one.checks == other.checks
        for who in (*"acde", None):
            viewer = owner(who) if who else Actor("nobody")
            for check in one.checks.values():
                looks = [Game(each, TOYS, streams[0], at, viewer) for each in (one, other)]
                assert calls(looks[0], check, viewer) == calls(looks[1], check, viewer)
                assert [_shown(each) for each in available_moves(looks[0])] == [
                    _shown(each) for each in available_moves(looks[1])
                ]


def _shown(move: Move) -> tuple[Any, ...]:
    return move.prompt, move.number, move.who, [each.value for each in move.options], move.passes
