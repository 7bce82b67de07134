"""Notices of new threads on the simulated server, as Discord posts them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any

import simcord
from simcord.enums import ChannelType, MessageType


def drop_private_notices(env: simcord.Env) -> None:
    """Remove each notice of a new private thread: Discord posts none, so nobody learns of it."""
    env.backend.subscribers.append(partial(_on_event, env))


def _on_event(env: simcord.Env, event: str, payload: Mapping[str, Any]) -> None:
    if event != "MESSAGE_CREATE" or payload.get("type") != MessageType.THREAD_CREATED:
        return
    place, message = int(payload["channel_id"]), int(payload["id"])
    if _announces_private_thread(env, place, message):
        # The simulated server goes on to announce the message, so it is removed after that.
        asyncio.get_running_loop().call_soon(_remove, env, place, message)


def _announces_private_thread(env: simcord.Env, place: int, message: int) -> bool:
    facts = env.backend.messages[place][message].system_metadata
    if facts is None or facts.channel_id is None:
        return False
    thread = env.backend.channels.get(facts.channel_id)
    return thread is not None and thread.type == ChannelType.PRIVATE_THREAD


def _remove(env: simcord.Env, place: int, message: int) -> None:
    if message in env.backend.messages[place]:
        env.backend.delete_message(place, message)
