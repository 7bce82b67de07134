"""The process is killed at any moment, again and again: what was acknowledged is there, once, and
whole.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

from bot.services.perform import perform
from bot.services.replay import replay
from bot.services.tables import Tables
from bot.storage.store import SqlStore
from rules.table.actions import Action, Actor, ChangeSettings, Undo
from rules.table.check import PASS
from rules.table.checks.available_moves import available_moves
from rules.table.state import TableState
from tests.sample_table import (
    ANN,
    BEN,
    GM,
    PLACE,
    House,
    Session,
    answer,
    by,
    choose,
    make_session,
    open_game,
    propose,
    roll,
)

ROOT = Path(__file__).resolve().parents[2]
CYCLES = 30
#: How long a process may live after its first acknowledgment, in seconds.
LONGEST = 0.25


def next_action(state: TableState, who: Actor, chance: random.Random) -> Action:
    """Something that is legal for a player, or for the GM, or an undo."""
    legal = [
        move
        for move in available_moves(open_game(state, who))
        if move.prompt in ("rule", "ready", "react")
    ]
    move = chance.choice(legal) if legal else None
    check = None if move is None else state.checks[move.check]
    if who is GM:
        if check is not None and check.stage == "proposed":
            return answer(check)
        return (
            Undo(**by(GM))
            if chance.random() < 0.3
            else ChangeSettings(**by(GM), values={"name": str(chance.random())})
        )
    if move is None or check is None or chance.random() < 0.2:
        return propose(who)
    if move.prompt == "ready":
        return roll(check, who)
    return choose(check, "react", "reroll" if move.options and chance.random() < 0.5 else PASS, who)


async def play(path: Path, label: str) -> None:
    """Act at the table until somebody ends the process; print each request that is done."""
    tables = Tables(await SqlStore.open(path))
    await tables.start()
    table_id = tables.places.table_id(PLACE)
    assert table_id is not None
    chance = random.Random(label)
    numbers = itertools.count()

    async def act(who: Actor) -> None:
        while True:
            state = (await tables.get(table_id)).state
            request_id = f"{label}.{next(numbers)}"
            try:
                await perform(tables, table_id, next_action(state, who, chance), request_id)
            except Exception as error:
                if not hasattr(error, "code"):
                    raise
            else:
                os.write(1, f"{request_id}\n".encode())

    await asyncio.gather(*map(act, (GM, ANN, BEN)))


def nurse(path: Path) -> None:
    """Begin a process for each label that is read, and tell how it ended. Starting afresh would
    take longer.
    """
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            os.write(1, f"{os.getpid()}\n".encode())
            asyncio.run(play(path, line.strip()))
        _, status = os.waitpid(child, 0)
        os.write(1, f"ended by {os.WTERMSIG(status)}\n".encode())


def run_until_killed(nurse: subprocess.Popen[str], label: str, chance: random.Random) -> list[str]:
    """What a process acknowledged before it was killed."""
    assert nurse.stdin
    assert nurse.stdout
    print(label, file=nurse.stdin, flush=True)
    child = int(nurse.stdout.readline())
    guard = threading.Timer(20, os.kill, (child, signal.SIGKILL))
    guard.start()
    lines = [nurse.stdout.readline()]
    guard.cancel()
    timer = threading.Timer(chance.random() * LONGEST, os.kill, (child, signal.SIGKILL))
    timer.start()
    while not lines[-1].startswith("ended"):
        lines.append(nurse.stdout.readline())
    assert lines.pop() == f"ended by {signal.SIGKILL.value}\n"
    return [line.strip() for line in lines]


async def test_nothing_acknowledged_is_lost_or_doubled(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    house = House(path)
    session: Session = await make_session(house)
    await house.close()
    chance = random.Random("kill")
    acknowledged: list[str] = []
    command = [sys.executable, "-m", "tests.storage.test_kills", str(path)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        for cycle in range(CYCLES):
            acknowledged += run_until_killed(process, f"cycle{cycle}", chance)
        process.communicate()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        requests = [row for (row,) in connection.execute("SELECT request_id FROM journal")]
        assert (
            connection.execute("SELECT revision FROM game_table").fetchall()
            == connection.execute("SELECT MAX(seq) FROM journal").fetchall()
        )
        assert connection.execute("SELECT COUNT(*) FROM journal").fetchone() == (len(requests),)
    assert len(acknowledged) > CYCLES
    assert len(requests) == len(set(requests))
    assert set(acknowledged) <= set(requests)
    # Each process has three at work: no more than those can have been done without being heard of.
    assert len(requests) - len(acknowledged) <= 4 + 3 * CYCLES
    tables = await house.enter()
    assert (
        await replay(tables.store, session.table_id) == (await tables.get(session.table_id)).state
    )
    await house.close()


if __name__ == "__main__":
    nurse(Path(sys.argv[1]))
