"""Webhooks of the simulated Discord that speak in threads, as those of Discord do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

# No part of a server's installation.
from simcord.backend import errors
from simcord.http.routes import interactions

_webhook_of_channel = interactions._incoming_webhook


def webhook_of_request(ctx: Any) -> Any:
    """Return the webhook of a request, in the thread that the request names.

    SimCord leaves the thread out, so that every message would stand in the thread's channel.
    Raises what SimCord answers for an unknown webhook or channel.
    """
    webhook = _webhook_of_channel(ctx)
    thread_id = ctx.params.get("thread_id")
    if thread_id is None:
        return webhook
    thread = ctx.backend.get_channel(int(thread_id))
    if thread.parent_id != webhook.channel_id:
        raise errors.unknown_channel()
    return replace(webhook, channel_id=thread.id)


def let_webhooks_speak_in_threads() -> None:
    """Have SimCord post what a webhook says into the thread that the request names."""
    interactions._incoming_webhook = webhook_of_request
