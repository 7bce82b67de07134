"""The smallest system that can be played, for tests of what every system gets for free."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from bot.presenters import words
from bot.presenters.catalogue import template
from bot.presenters.systems import SYSTEM_WORDS
from bot.presenters.systems.base import SystemWords
from bot.services.opening import create
from bot.storage import codec
from rules.registry import PLAYABLE, SYSTEMS
from rules.table.actions import AddNpcs, Begin, ChangeSettings, CreateTable, ImportCharacter
from tests.builders import ANN, BEN, GM, GM_PLACE, GUILD, NOON, PLACE, USERS, Actor, House, Session, by
from tests.tiny.system import TINY, WORDS

_WORDS = SystemWords("tiny", "tiny", lambda view: (), {}, frozenset(), frozenset(), {})


@contextmanager
def playing_tiny(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Tables can be opened for the system meanwhile, and it has words."""
    readers: Callable[[], None] = codec._part_readers.cache_clear
    with monkeypatch.context() as patch:
        readers()
        patch.setitem(SYSTEMS, "tiny", TINY)
        patch.setitem(PLAYABLE, "tiny", TINY)
        patch.setitem(SYSTEM_WORDS, "tiny", _WORDS)
        for code, text in WORDS.items():
            patch.setitem(words.TEMPLATES, code, template(text))
        yield
    readers()


async def tiny_session(house: House, **settings: Any) -> Session:
    """A ready table: p1 leads it, p2 and p3 play Anna and Boris, and an orc is the GMs'."""
    tables = await house.enter()
    creation = CreateTable(**by(GM), name="Hills", system="tiny", gm_place=GM_PLACE)
    table = (await create(tables, GUILD, creation, "create", USERS[0], None)).table
    session = Session(house, tables, table.id)
    for user, name in USERS[1:]:
        table.directory.participant(user, name)
    if settings:
        await session.do(ChangeSettings(**by(GM), **settings))
    for who, name in ((ANN, "Anna"), (BEN, "Boris")):
        await session.do(ImportCharacter(**by(who), data={"name": name, "strength": 3}))
    await session.do(AddNpcs(**by(GM), name="Orc", data={"name": "Orc", "strength": 5}))
    return session


def begin(
    who: Actor = ANN, *, at: int = NOON, place: str = PLACE, how: str = "up the rope", **more: Any
) -> Begin:
    """A proposal of whoever it is."""
    return Begin(**by(who, at=at, place=place), kind="check", values={"approach": how} if how else {}, **more)
