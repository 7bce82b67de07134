"""How answers to interactions go out: of what comes back, only the id is read."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import discord

from bot.ui.ack import Answers


async def test_no_message_is_made_of_what_comes_back() -> None:
    """A message without its fields would be an error if discord.py read it."""
    sent: list[dict[str, Any]] = []

    class Canned(Answers):
        async def request(self, route: Any, session: Any, *, payload: Any = None, **rest: Any) -> Any:
            assert rest["params"] == {"with_response": "1"}
            sent.append(payload)
            return {
                "interaction": {"id": "1", "type": 2, "response_message_id": "7"},
                "resource": {"type": 4, "message": {}},
            }

    async def answer() -> discord.InteractionCallbackResponse[Any]:
        http = SimpleNamespace(proxy=None, proxy_auth=None)
        state = SimpleNamespace(http=http, allowed_mentions=None)
        parent: Any = SimpleNamespace(id=1, token="t", _session=None, _state=state)
        Canned.use()
        return await discord.InteractionResponse(parent).send_message("It stands.")

    made = await asyncio.create_task(answer())
    assert (made.message_id, made.resource) == (7, None)
    assert made.type is discord.InteractionResponseType.channel_message
    assert sent[0]["data"]["content"] == "It stands."
