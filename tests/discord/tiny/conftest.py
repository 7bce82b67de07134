"""The smallest system, as every other is played: on the simulated Discord."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from cogs import help as help_cog
from cogs import setup as setup_cog
from tests.tiny import playing_tiny


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The commands that name every system are read again, and are as they were afterwards."""
    for cog in (help_cog, setup_cog):
        monkeypatch.setattr(cog.__name__, cog)  # importing it anew sets this as well
        monkeypatch.delitem(sys.modules, cog.__name__)
    with playing_tiny(monkeypatch):
        yield
