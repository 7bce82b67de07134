"""The simulated Discord, for what somebody forges without a connection."""

from __future__ import annotations

from tests.discord.conftest import briskly, path, simcord_bot, strict_words, world

__all__ = ["briskly", "path", "simcord_bot", "strict_words", "world"]
