"""The smallest system that can be played, for tests of what every system gets for free."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from bot.presenters.language import words
from bot.presenters.language.catalog import parse_template
from bot.storage import codec
from bot.storage.fingerprint import stored_fingerprint
from rules.registry import PLAYABLE, SYSTEMS
from rules.table.actions import AddNpcs, Begin
from tests.sample_table import ANN, GM, NOON, PLACE, Actor, House, Session, by, make_session
from tests.tiny.system import TINY, WORDS


@contextmanager
def playing_tiny(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Tables can be opened for the system meanwhile, and it has words."""

    def forget() -> None:
        """What is kept of the classes that are stored, which are others with one system more."""
        codec.part_classes.cache_clear()
        stored_fingerprint.cache_clear()

    forget()
    try:
        with monkeypatch.context() as patch:
            patch.setitem(SYSTEMS, "tiny", TINY)
            patch.setitem(PLAYABLE, "tiny", TINY)
            for code, text in WORDS.items():
                patch.setitem(words.TEMPLATES, code, parse_template(text))
            yield
    finally:
        # Where a test fails, too: those after it have the classes as they are.
        forget()


def tiny_character(name: str, strength: int = 3, **changes: Any) -> dict[str, Any]:
    """A character as a JSON object."""
    return {"name": name, "strength": strength, **changes}


async def tiny_session(house: House, **settings: Any) -> Session:
    """A ready table: p1 leads it, p2 and p3 play Anna and Boris, and an orc is the GMs'."""
    session = await make_session(house, system="tiny", character=tiny_character, **settings)
    await session.do(AddNpcs(**by(GM), name="Orc", data=tiny_character("Orc", 5)))
    return session


def begin(
    who: Actor = ANN, *, at: int = NOON, place: str = PLACE, how: str = "up the rope", **more: Any
) -> Begin:
    """A proposal of whoever it is."""
    return Begin(
        **by(who, at=at, place=place), kind="check", values={"approach": how} if how else {}, **more
    )
