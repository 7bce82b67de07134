"""How answers to interactions go out: one request each, over the connections that aiohttp keeps."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

import aiohttp
import discord
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ClientRequest
from aiohttp.http_exceptions import HttpProcessingError
from discord.http import MultipartParameters, Route
from discord.webhook.async_ import AsyncWebhookAdapter, async_context
from pydantic_core import to_json
from yarl import URL

from rules.core.record import record

#: Where Discord names the message it made of an answer. Nobody can write this into a text: quotes are escaped there.
_MADE: Final = re.compile(rb'"response_message_id"\s*:\s*"(\d+)"')
#: What Discord refuses with these has an exception of its own.
_REFUSALS: Final[Mapping[int, type[discord.HTTPException]]] = {403: discord.Forbidden, 404: discord.NotFound}
#: Seconds that Discord may be silent, as in the library.
_SILENCE: Final = 300.0


@record
class Reply:
    """What Discord said to a request."""

    status: int
    reason: str
    body: bytes

    def refused(self) -> discord.HTTPException:
        """As the library raises it."""
        try:
            told = json.loads(self.body)
        except ValueError:
            told = None
        message = told if isinstance(told, dict) else self.body.decode("utf-8", "replace")
        response: Any = self  # of which the status and the reason are read
        return _REFUSALS.get(self.status, discord.HTTPException)(response, message)


class Answers(AsyncWebhookAdapter):
    """What discord.py answers interactions through, without what a single answer does not need.

    Every interaction has a token of its own, so that nothing has to be kept about its rate limit; and of the message
    that Discord sends back only the id is read. Where Discord asks for patience, files go with the answer, or a proxy
    stands between, the library does it all. The versions of discord.py and aiohttp are pinned, and a test watches the
    names used here.
    """

    def __init__(self) -> None:
        super().__init__()
        #: What all requests to an address have in common, for the session that sends them.
        self._common: tuple[aiohttp.ClientSession, str, ClientRequest, bytes, bytes] | None = None

    async def create_interaction_response(
        self,
        interaction_id: int,
        token: str,
        *,
        session: aiohttp.ClientSession,
        proxy: str | None = None,
        proxy_auth: aiohttp.BasicAuth | None = None,
        params: MultipartParameters,
    ) -> Any:
        """Sends the answer. Raises what the library does."""
        if not params.files and proxy is None and not (session.closed or session.trust_env):
            path = f"/interactions/{interaction_id}/{quote(token, safe='')}/callback?with_response=1"
            reply = await self._post(session, path, to_json(params.payload))
            if 200 <= reply.status < 300:
                made = _MADE.search(reply.body)
                message = None if made is None else made[1].decode()
                return {"interaction": {"id": interaction_id, "response_message_id": message}}
            if reply.status != 429 and reply.status < 500:
                raise reply.refused()
        made = await super().create_interaction_response(
            interaction_id, token, session=session, proxy=proxy, proxy_auth=proxy_auth, params=params
        )
        made.pop("resource", None)
        return made

    async def _post(self, session: aiohttp.ClientSession, path: str, body: bytes) -> Reply:
        """Sends a request once, without the task, the timers and the objects that aiohttp makes for any request.

        Connections come from where aiohttp keeps them, and its parser reads what comes back.
        """
        request, begins, ends = self._known(session)
        assert session.connector is not None, "the session is open"
        connection = await session.connector.connect(request, [], session.timeout)
        try:
            protocol = connection.protocol
            assert protocol is not None, "it was just connected"
            head = begins + path.encode("ascii") + ends + str(len(body)).encode("ascii") + b"\r\n\r\n"
            reply = await _exchanged(protocol, head + body)
        except BaseException:
            connection.close()
            raise
        connection.release()
        return reply

    def _known(self, session: aiohttp.ClientSession) -> tuple[ClientRequest, bytes, bytes]:
        """A request that stands for all others when a connection is looked for, and the text around a path."""
        known = self._common
        if known is None or known[0] is not session or known[1] != Route.BASE:
            url = URL(Route.BASE)
            request = ClientRequest("POST", url, loop=asyncio.get_running_loop(), session=session)
            said = (*request.headers.items(), ("Content-Type", "application/json"))
            fields = "".join(
                [
                    f"{name}: {value}\r\n"
                    for name, value in said
                    if name not in ("Accept-Encoding", "Content-Length")
                ]
            )
            ends = f" HTTP/1.1\r\n{fields}Content-Length: ".encode("ascii")
            known = self._common = session, Route.BASE, request, f"POST {url.raw_path}".encode("ascii"), ends
        return known[2:]

    @classmethod
    def use(cls) -> None:
        """Answer through this in the present task and whatever it starts."""
        async_context.set(cls())


async def _exchanged(protocol: ResponseHandler, request: bytes) -> Reply:
    """What comes back for a request. Raises aiohttp.ClientError, OSError."""
    transport = protocol.transport
    if transport is None:
        raise aiohttp.ServerDisconnectedError
    protocol.set_response_params(read_timeout=_SILENCE)
    transport.write(request)
    protocol.start_timeout()
    try:
        message, content = await protocol.read()
        while message.code < 200 and message.code != 101:
            message, content = await protocol.read()
    except HttpProcessingError as error:
        raise aiohttp.ClientPayloadError(error.message) from error
    # It nearly always is there as a whole.
    body = content.read_nowait() if content.is_eof() else await content.read()
    return Reply(message.code, message.reason, body)
