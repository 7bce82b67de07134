"""The REST side's core: routing, request bodies, credentials, faults."""

from __future__ import annotations

import asyncio
import json
import mimetypes
import urllib.parse
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from .faults import Fault
from .interactions import dumps
from .limits import ApiError
from .models import Upload
from .world import World

PREFIX = "/api/v10"
JSON_TYPE = "application/json"


@dataclass(eq=False)
class Call:
    """One request: path arguments, query, JSON body, uploaded files by their index."""

    request: web.BaseRequest
    args: list[str]
    query: Any
    body: Any = None
    files: dict[str, Upload] = field(default_factory=dict)

    def number(self, position: int) -> int:
        """The path argument as an id; one that is no number cannot exist."""
        try:
            return int(self.args[position])
        except ValueError:
            raise ApiError(404, 0, "404: Not Found") from None


@dataclass(frozen=True)
class Record:
    """One answered request: ``status`` 0 for a dropped connection, ``code`` Discord's error
    code.
    """

    method: str
    path: str
    status: int
    code: int


Handler = Callable[[Call], Awaitable[Any]]


class Routes:
    """Paths as a tree of segments; ``*`` stands for any one."""

    def __init__(self) -> None:
        self._root: dict[str, Any] = {}

    def add(self, route: str, handler: Handler) -> None:
        method, path = route.split()
        node = self._root
        for segment in path.split("/")[1:]:
            node = node.setdefault(segment, {})
        node[f" {method}"] = handler

    def find(self, method: str, segments: list[str]) -> tuple[Handler, list[str]] | None:
        node: Any = self._root
        args: list[str] = []
        for segment in segments:
            below = node.get(segment)
            if below is None:
                below = node.get("*")
                args.append(segment)
            if below is None:
                return None
            node = below
        handler = node.get(f" {method}")
        return None if handler is None else (handler, args)


async def read_body(call: Call) -> None:
    """Read JSON or multipart with ``payload_json`` and ``files[n]`` into the call."""
    request = call.request
    if request.content_type == "multipart/form-data":
        form = await request.post()
        for name, part in form.items():
            if isinstance(part, web.FileField):
                guess = mimetypes.guess_type(part.filename)[0] or part.content_type
                upload = Upload(part.filename, part.file.read(), guess)
                call.files[name.removeprefix("files[").removesuffix("]")] = upload
        call.body = json.loads(str(form.get("payload_json") or "{}"))
    elif request.can_read_body:
        raw = await request.read()
        call.body = json.loads(raw) if raw else None


class Rest:
    """Answers requests. ``unknown_routes`` and ``records`` are for tests to look at."""

    def __init__(self, world: World, token: str | None) -> None:
        self.world = world
        self.token = token
        self.base = ""  # http://127.0.0.1:port
        self.faults: list[Fault] = []
        self.unknown_routes: list[str] = []
        self.records: deque[Record] = deque(maxlen=20_000)
        self.routes = Routes()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request, or close its connection if a fault says so."""
        method, path = request.method, request.path
        if path.startswith("/attachments/"):
            return self._attachment(path)
        path = path.removeprefix(PREFIX)
        fault = (
            next((f for f in self.faults if f.takes(method, path)), None) if self.faults else None
        )
        if fault is None:
            status, code, body = await self._run(request, method, path)
            self.records.append(Record(method, path, status, code))
            return _answer(status, body)
        try:
            return await self._faulty(fault, request, method, path)
        finally:
            self.world.changes.notify()

    async def _faulty(
        self, fault: Fault, request: web.BaseRequest, method: str, path: str
    ) -> web.StreamResponse:
        status, code, body = 0, 0, None
        if fault.delay:
            await asyncio.sleep(fault.delay)
        if fault.apply:
            status, code, body = await self._run(request, method, path)
        else:
            await request.read()
        if fault.drop_connection:
            self.records.append(Record(method, path, 0, 0))
            if request.transport is not None:
                request.transport.close()
            return _answer(503, None)  # never leaves: the transport is closing
        headers = dict(fault.headers)
        if fault.status is not None:
            status, code = fault.status, fault.code
            body = {"message": fault.message, "code": code}
        if fault.status == 429:
            headers |= {"Via": "1.1 google", "Retry-After": str(max(1, round(fault.retry_after)))}
            if fault.everywhere:
                headers["X-RateLimit-Global"] = "true"
            body = {
                "message": "You are being rate limited.",
                "retry_after": fault.retry_after,
                "global": fault.everywhere,
            }
        self.records.append(Record(method, path, status, code))
        return _answer(status, body, headers)

    async def _run(self, request: web.BaseRequest, method: str, path: str) -> tuple[int, int, Any]:
        found = self.routes.find(method, path.split("/")[1:])
        if found is None:
            self.unknown_routes.append(f"{method} {path}")
            return 404, 0, {"message": "404: Not Found", "code": 0}
        handler, args = found
        call = Call(request, args, request.query)
        try:
            if method in ("POST", "PATCH", "PUT"):
                await read_body(call)
            if not self._authorized(request, path):
                raise ApiError(401, 0, "401: Unauthorized")
            result = await handler(call)
        except ApiError as error:
            return error.status, error.code, {"message": error.message, "code": error.code}
        except json.JSONDecodeError:
            return 400, 50109, {"message": "The request body contains invalid JSON.", "code": 50109}
        return (204, 0, None) if result is None else (200, 0, result)

    def _authorized(self, request: web.BaseRequest, path: str) -> bool:
        # interaction tokens are the only credential of their own routes
        if self.token is None or path.startswith(("/interactions/", "/webhooks/")):
            return True
        return request.headers.get("Authorization") == f"Bot {self.token}"

    def _attachment(self, path: str) -> web.StreamResponse:
        upload = self.world.uploads.get(int(path.split("/")[2]))
        if upload is None:
            return web.Response(status=404)
        return web.Response(body=upload.data, headers={"Content-Type": upload.content_type})


def _answer(status: int, body: Any, headers: dict[str, str] | None = None) -> web.Response:
    if body is None:
        # an empty body must not claim to be JSON: the client would try to parse it
        return web.Response(status=status, headers=headers)
    return web.Response(
        body=dumps(body).encode(), status=status, content_type=JSON_TYPE, headers=headers
    )


def attachment_url(base: str, upload: Upload) -> str:
    return f"{base}/attachments/{upload.id}/{urllib.parse.quote(upload.filename)}"
