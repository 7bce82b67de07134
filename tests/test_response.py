"""How answers to interactions go out: of what comes back, only the id is read."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import AsyncIterator
from contextvars import ContextVar
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer
from discord.http import MultipartParameters, Route, handle_message_parameters, json_or_text
from discord.webhook import async_

from bot.delivery.response import InteractionAdapter

#: Somebody types what looks like the id of a message; it comes before the id itself.
TRAP = 'It stands. "response_message_id": "9"'
MADE = {
    "resource": {"type": 4, "message": {"content": TRAP}},
    "interaction": {"id": "1", "type": 2, "response_message_id": "7"},
}


class Discord:
    """Answers each request with the next of `replies`, and keeps what was asked."""

    def __init__(self) -> None:
        self.replies: list[web.Response] = []
        self.asked: list[tuple[str, dict[str, Any]]] = []

    async def take(self, request: web.Request) -> web.Response:
        self.asked.append((request.path_qs, await request.json()))
        return self.replies.pop(0)


def reply(status: int, body: dict[str, Any], **headers: str) -> web.Response:
    text = json.dumps(body).encode()
    return web.Response(body=text, status=status, headers=headers, content_type="application/json")


@pytest_asyncio.fixture
async def there(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Discord]:
    made = Discord()
    app = web.Application()
    app.router.add_post("/api/interactions/{id}/{token}/callback", made.take)
    async with TestServer(app) as server:
        monkeypatch.setattr(Route, "BASE", str(server.make_url("/api")))
        yield made


async def say(text: str, **more: Any) -> discord.InteractionCallbackResponse[Any]:
    """Answer through discord.py, as the program sets it up."""

    async def answer() -> discord.InteractionCallbackResponse[Any]:
        async with aiohttp.ClientSession() as session:
            http = SimpleNamespace(proxy=None, proxy_auth=None)
            state = SimpleNamespace(http=http, allowed_mentions=None)
            parent: Any = SimpleNamespace(
                id=1, token="to/ken", channel=None, _session=session, _state=state
            )
            InteractionAdapter.install()
            return await discord.InteractionResponse(parent).send_message(text, **more)

    return await asyncio.create_task(answer())


MOVED = (
    "discord.py has moved this: adapt InteractionAdapter (bot/delivery/response.py), or delete it"
)


def test_the_names_that_the_adapter_builds_on_are_where_they_were() -> None:
    """The adapter leans on names that discord.py does not document."""
    method = async_.AsyncWebhookAdapter.create_interaction_response
    assert inspect.iscoroutinefunction(method) or inspect.isfunction(method), MOVED
    parameters = [*inspect.signature(method).parameters]
    expected = ["self", "interaction_id", "token", "session", "proxy", "proxy_auth", "params"]
    assert parameters == expected, MOVED
    assert isinstance(async_.async_context, ContextVar), MOVED
    assert isinstance(async_.async_context.get(), async_.AsyncWebhookAdapter), MOVED
    assert {"payload", "files"} <= {*MultipartParameters._fields}, MOVED
    assert inspect.iscoroutinefunction(json_or_text), MOVED
    assert re.fullmatch(r"https://discord\.com/api/v\d+", Route.BASE), MOVED


async def test_no_message_is_made_of_what_comes_back(there: Discord) -> None:
    """A message without its fields would be an error if discord.py read it."""
    there.replies = [reply(200, MADE)]
    made = await say(TRAP)
    assert (made.message_id, made.resource) == (7, None)
    assert made.type is discord.InteractionResponseType.channel_message
    [(path, body)] = there.asked
    assert path == "/api/interactions/1/to%2Fken/callback?with_response=1"
    assert body["data"]["content"] == TRAP


async def test_an_answer_that_makes_no_message_has_no_id(there: Discord) -> None:
    there.replies = [reply(200, {"interaction": {"id": "1", "type": 2}})]
    assert (await say("It stands.")).message_id is None


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (404, 10062, discord.NotFound),
        (403, 50013, discord.Forbidden),
        (400, 40060, discord.HTTPException),
    ],
)
async def test_a_refusal_is_final(
    there: Discord, status: int, code: int, kind: type[Exception]
) -> None:
    there.replies = [reply(status, {"code": code, "message": "No"})]
    with pytest.raises(kind) as refused:
        await say("It stands.")
    assert isinstance(refused.value, discord.HTTPException)
    assert (refused.value.status, refused.value.code) == (status, code)
    assert len(there.asked) == 1


async def test_where_discord_asks_for_patience_the_answer_goes_out_later(there: Discord) -> None:
    slow = {"message": "Slow down", "retry_after": 0.01, "global": False}
    there.replies = [
        reply(429, slow, Via="1.1 edge"),
        reply(429, slow, Via="1.1 edge"),
        reply(200, MADE),
    ]
    assert (await say("It stands.")).message_id == 7
    bodies = [json.dumps(body, sort_keys=True) for _, body in there.asked]
    assert len(bodies) == 3
    assert len(set(bodies)) == 1


async def test_files_go_the_library_s_way(there: Discord) -> None:
    sent: list[dict[str, Any]] = []

    class Canned(InteractionAdapter):
        async def request(self, route: Any, session: Any, **rest: Any) -> Any:
            sent.append(rest)
            return MADE | {"resource": {"type": 4, "message": {}}}

    params = handle_message_parameters("It stands.", file=discord.File(BytesIO(b"x"), "x.txt"))
    made = await Canned().create_interaction_response(1, "token", session=None, params=params)  # pyright: ignore[reportArgumentType]
    assert made == {"interaction": MADE["interaction"]}
    assert sent[0]["files"] == params.files
    assert there.asked == []
