"""The simulated Discord, for what somebody forges without a connection."""

from __future__ import annotations

from tests.discord.conftest import (
    aside_here,
    briskly,
    path,
    patience,
    simcord_bot,
    strict_words,
    world,
)

__all__ = ["aside_here", "briskly", "path", "patience", "simcord_bot", "strict_words", "world"]
