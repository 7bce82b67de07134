"""EBB with all its checks as procedures, where a test asks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from bot.storage import codec
from rules.registry import PLAYABLE, SYSTEMS
from rules.systems.ebb.procedures import PROCEDURES
from rules.systems.ebb.system import SYSTEM


@pytest.fixture
def by_procedures(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every kind of check of EBB goes by its procedure meanwhile."""
    forget: Callable[[], None] = codec._part_readers.cache_clear
    with monkeypatch.context() as patch:
        forget()
        for systems in (SYSTEMS, PLAYABLE):
            patch.setitem(systems, "ebb", replace(SYSTEM, procedures=PROCEDURES))
        yield
    forget()
