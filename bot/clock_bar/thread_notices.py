"""Notices of new threads on the simulated server, as Discord posts them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import simcord

#: Discord's type of a private thread.
_PRIVATE: Final = 12
#: Discord's type of the message that says that a thread was started.
_THREAD_CREATED: Final = 18


def drop_private_notices(env: simcord.Env) -> None:
    """Remove each notice of a new private thread: Discord posts none, so nobody learns of it."""
    env.backend.subscribers.append(partial(_on_event, env))


def _on_event(env: simcord.Env, event: str, payload: Mapping[str, Any]) -> None:
    if event != "MESSAGE_CREATE" or payload.get("type") != _THREAD_CREATED:
        return
    place, message = int(payload["channel_id"]), int(payload["id"])
    facts = env.backend.messages[place][message].system_metadata
    thread = None if facts is None else env.backend.channels.get(facts.channel_id or 0)
    if thread is not None and int(thread.type) == _PRIVATE:
        # The simulated server goes on to announce the message, so it is removed after that.
        asyncio.get_running_loop().call_soon(_remove, env, place, message)


def _remove(env: simcord.Env, place: int, message: int) -> None:
    if message in env.backend.messages[place]:
        env.backend.delete_message(place, message)
