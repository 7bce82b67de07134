"""Fixtures: the real bot on SimCord with a database file of its own."""

from __future__ import annotations

import pickle
import random
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import discord
import pytest
import pytest_asyncio
from simcord.env import Env
from simcord.http.routes import interactions as webhook_routes

from bot.app import Storyguide
from bot.presenters.language import words
from bot.services.tables import Tables
from bot.thread_webhooks import webhook_of_request
from bot.ui.interactions import create_table_action
from bot.worker_process import WorkerProcess
from rules.registry import SYSTEMS
from rules.table.actions import CreateTable
from rules.table.settings.table_settings import settings_form
from tests.discord.world import World, build_world, check_sent, close_bots, make_bot
from tests.sample_table import patient

#: How long the bot may take until nothing is under way, in seconds: a busy machine must not fail a
#: test. Less than the shortest window, a minute: a timer that ends sooner than this is waited for.
SETTLED = 30.0


@pytest.fixture(autouse=True)
def strict_words() -> Iterator[None]:
    """A code without words fails a test."""
    words.set_strict(True)
    yield
    words.set_strict(False)


@pytest.fixture(autouse=True)
def briskly(monkeypatch: pytest.MonkeyPatch) -> None:
    """SimCord looks twenty times a second whether the bot is done; that is most of what a test
    takes.
    """
    settle = Env._settle_internal

    async def look(env: Env, **options: Any) -> None:
        options["idle"] = 0.001
        await settle(env, **options)

    monkeypatch.setattr(Env, "_settle_internal", look)


@pytest.fixture(autouse=True)
def webhooks_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Webhooks speak in threads, as in the local table."""
    monkeypatch.setattr(webhook_routes, "_incoming_webhook", webhook_of_request)


#: What hands work to the process aside.
PROCESS = WorkerProcess._ask


@pytest.fixture(autouse=True)
def aside_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is worked out aside needs no process of its own, which takes a second to begin:
    tests/test_worker_process.py and tests/attack have that. What is given and what comes of it are
    pickled all the same.
    """

    def ask(_: WorkerProcess, work: Callable[..., Any], given: tuple[Any, ...]) -> Any:
        done, these = pickle.loads(pickle.dumps((work, given)))
        return pickle.loads(pickle.dumps(done(*these)))

    monkeypatch.setattr(WorkerProcess, "_ask", ask)


@pytest.fixture(autouse=True)
def steady_seeds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the tables' seeds from the test's name: decks and initiative cards that no test lays
    fall the same way in every run. `tests/flows` plays with seeds of every kind.
    """
    source = random.Random(request.node.nodeid)
    defaults = Tables.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "token_bytes", source.randbytes)


def _patient_creation(here: discord.Interaction, at: int, **more: Any) -> CreateTable:
    """Return what opens a table that waits for everybody, in systems that have the setting."""
    action = create_table_action(here, at, **more)
    system = SYSTEMS.get(action.system)
    known = system is not None and "wait_for_everybody" in settings_form(system).by_key
    return action.replace(settings=patient(action.settings)) if known else action


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "storyguide.db"


@pytest_asyncio.fixture
async def simcord_bot(path: Path) -> AsyncIterator[Storyguide]:
    yield make_bot(path)
    await close_bots()


@pytest.fixture
def patience() -> bool:
    """Whether tables wait for everybody, so that a test can look at every prompt. A test of what
    tables do without it overrides this.
    """
    return True


@pytest.fixture(autouse=True)
def quick_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Old messages are marked one after another, but at once."""
    monkeypatch.setattr("bot.delivery.corrected_messages.PAUSE", 0.001)


@pytest.fixture
def world(
    simcord_env: Env, path: Path, monkeypatch: pytest.MonkeyPatch, patience: bool
) -> Iterator[World]:
    """The server; whatever a test has the bot send is held against Discord's limits afterwards."""
    if patience:
        monkeypatch.setattr("cogs.setup.create_table_action", _patient_creation)
    simcord_env.settle_timeout = SETTLED
    made = build_world(simcord_env, path)
    monkeypatch.setattr("bot.services.resolution.KeyedStreams", made.dice.streams)
    # Notes of what was delivered are written at once, so that an action need not be waited for.
    monkeypatch.setattr("bot.delivery.delivery_log.FLUSH_DELAY", 0)
    yield made
    check_sent(simcord_env)
