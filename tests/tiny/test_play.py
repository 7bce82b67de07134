"""Random play of the smallest system, with undo, time and people who come and go."""

from __future__ import annotations

import random
from typing import Any

import pytest

from bot.services.replay import replay
from rules.core.errors import Impossible, InvalidInput, NotFound, NotPermitted, Outdated
from rules.registry import look
from rules.table.actions import (
    Action,
    Actor,
    AskForNpc,
    ChangeSettings,
    Choose,
    CloseChecks,
    Delegate,
    Due,
    EndCheck,
    Give,
    Retire,
    SetAway,
    SetOrder,
    TakeBackOrder,
    Undo,
)
from rules.table.checks.check import PASS
from rules.table.checks.machine import waiting
from rules.table.checks.moves import Move, moves
from rules.table.events import CheckChanged
from rules.table.state import HOUR, SYSTEM, TableState
from tests.builders import ANN, BEN, GM, NOON, House, by
from tests.tiny import begin, tiny_session

WHO = (GM, ANN, BEN)
#: What nobody but the GMs may ever read.
CANARY = 91_377
#: Refusals that depend on more than the moves: what is open, arranged or settled already.
FAIR = {
    *("nothing-arranged", "nothing-to-change", "nothing-to-undo", "undo-others-first", "undo-drew-dice"),
    *("undo-revealed", "not-yours-to-undo", "open-checks", "already-theirs", "wait-over", "no-character"),
    *("check-moved-on", "owner-only", "gm-only", "not-in-play", "which-character", "which-of-them"),
    *("unknown-character", "which-to", "unknown-check", "name-taken"),
}


def answered(chance: random.Random, move: Move, state: TableState) -> tuple[str, dict[str, Any]]:
    picked = [each.value for each in move.options] + ([PASS] if move.passes else [])
    option = chance.choice(picked)
    values: dict[str, Any] = {
        "roll": {"level": CANARY, "hidden": True} if move.prompt == "rule" else {},
        "margin-only": {"level": CANARY, "hidden": True},
        "ask": {"question": "How?"},
        "reply": {"approach": "so"},
        "revise": {"approach": "otherwise"},
    }
    return option, values.get(option, {})


def acted(chance: random.Random, state: TableState, at: int) -> Action:
    """Something that somebody does."""
    who = chance.choice(WHO)
    named: Any = by(who, at=at)
    roll = chance.random()
    checks = [each for each in state.checks.values() if each.open]
    if roll < 0.15:
        names = ("Anna", "Boris", "Orc", None)
        visibility: Any = chance.choice(["public", "public", "private", "blind"])
        return begin(
            who, at=at, as_=chance.choice(names), visibility=visibility, gm_only=chance.random() < 0.1
        )
    if roll < 0.25 and checks:
        wait = chance.choice([each for check in checks for each in waiting(check)] or [None])
        if wait is not None:
            return Due(**by(Actor(SYSTEM), at=max(at, wait.due)), wait=wait.id)
    if roll < 0.36:
        return Undo(**named, entry=None, all_dependents=chance.random() < 0.5)
    if roll < 0.39 and checks:
        return EndCheck(**named, check=chance.choice(checks).id)
    if roll < 0.41 and checks:
        return CloseChecks(**named, checks=tuple(each.id for each in checks))
    if roll < 0.5:
        return chance.choice(
            [
                SetOrder(**named, prompt="react", option=chance.choice([PASS, "push"])),
                TakeBackOrder(**named, prompt="react"),
                SetAway(**named, back=chance.random() < 0.5),
                Delegate(**named, to=chance.choice(["p2", "p3"]), back=chance.random() < 0.3),
                AskForNpc(**by(GM, at=at), npc="Orc", ask=chance.random() < 0.5),
                Retire(**named, back=chance.random() < 0.6),
                Give(**by(GM, at=at), character="Boris", to=chance.choice(["p2", "p3", None])),
                ChangeSettings(**by(GM, at=at), window=chance.choice([0, HOUR])),
                ChangeSettings(**by(GM, at=at), reveal=chance.choice(["verdict", "degree"])),
            ]
        )
    able = [(each, move) for each in WHO for move in moves(look(state).but(actor=each, at=at))]
    if not able:
        return begin(who, at=at)
    someone, move = chance.choice(able)
    option, values = answered(chance, move, state)
    return Choose(
        **by(someone, at=at),
        check=move.check,
        prompt=move.prompt,
        number=move.number,
        option=option,
        as_=(move.who,),
        values=values,
    )


def whole(state: TableState) -> None:
    for check in state.checks.values():
        assert check.actor in state.characters
        assert all(each.number <= check.revision for each in check.asked)
        assert check.open or check.asked == ()
        for each in check.asked:
            assert set(each.passed) & set(each.left) == set()
    for each in state.characters.values():
        assert 0 <= each.sheet.luck <= 2


@pytest.mark.parametrize("seed", range(12))
async def test_random_play_stays_whole_and_comes_again_the_same(house: House, seed: int) -> None:
    chance = random.Random(seed)
    session = await tiny_session(house)
    at, done = NOON, 0
    while done < 70:
        at += chance.randint(1, 600)
        state = await session.state()
        action = acted(chance, state, at)
        try:
            performed = await session.do(action)
        except (Impossible, InvalidInput, NotFound, NotPermitted, Outdated) as error:
            assert error.code in FAIR, (action, error)
            assert await session.state() is state
            continue
        at, done = action.at, done + 1
        whole(performed.state)
        for event in performed.events:
            if not (event.audience.gms and not event.audience.people):
                assert str(CANARY) not in str(event), event
            if isinstance(event, CheckChanged) and event.audience.everyone:
                check = performed.state.checks.get(event.check)
                assert check is None or (check.visibility == "public" and not check.gm_only)
        if done % 20 == 0:
            await session.restart()
            assert await session.state() == performed.state
    state = await session.state()
    listed = {wait: due for _, wait, due in await session.tables.store.due(10**12)}
    assert listed == {each.id: each.due for check in state.checks.values() for each in waiting(check)}
    assert await replay(session.tables.store, session.table_id) == state
