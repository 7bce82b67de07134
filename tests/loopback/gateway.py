"""The gateway: sessions that identify, resume, and receive events as zlib-stream or plain JSON."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import zlib
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web

from .interactions import dumps
from .world import Changes, World

HEARTBEAT_MS = 41_250
REPLAYED = 1_000  # events kept for a session that resumes


@dataclass(eq=False)
class Session:
    """A gateway session; ``link`` is None while the client is away."""

    id: str
    intents: int
    seq: int = 0
    sent: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=REPLAYED))
    link: Link | None = None


class Link:
    """One websocket. Sending is immediate for the caller: a task of its own writes in order."""

    def __init__(self, ws: web.WebSocketResponse, *, compress: bool) -> None:
        self.ws = ws
        self.session: Session | None = None
        self._zlib = zlib.compressobj(6) if compress else None
        self._outbox: asyncio.Queue[str] = asyncio.Queue()
        self._writer = asyncio.create_task(self._write())

    def send(self, text: str) -> None:
        self._outbox.put_nowait(text)

    async def flush(self) -> None:
        await self._outbox.join()

    async def close(self) -> None:
        self._writer.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._writer

    async def _write(self) -> None:
        while True:
            text = await self._outbox.get()
            with contextlib.suppress(ConnectionError, RuntimeError):  # the client has gone
                if self._zlib is None:
                    await self.ws.send_str(text)
                else:
                    data = self._zlib.compress(text.encode())
                    await self.ws.send_bytes(data + self._zlib.flush(zlib.Z_SYNC_FLUSH))
            self._outbox.task_done()


class Gateway:
    """All sessions. ``identified`` and ``resumed`` count since the start."""

    def __init__(self, world: World, token: str | None) -> None:
        self.world = world
        self.token = token
        self.url = ""
        self.sessions: dict[str, Session] = {}
        self.links: set[Link] = set()
        self.identified = 0
        self.resumed = 0
        #: With which code whoever identifies is turned away; 0 takes them in.
        self.refuse = 0
        #: Whether whoever connects is told nothing.
        self.silent = False
        self.changes = Changes()

    @property
    def connected(self) -> int:
        """Number of clients that are connected and have identified or resumed."""
        return sum(session.link is not None for session in self.sessions.values())

    def listening(self, intent: int) -> bool:
        return any(session.intents & intent for session in self.sessions.values())

    def dispatch(self, event: str, text: str, intent: int) -> bool:
        """Send an event (``text`` is its data as JSON; intent 0 reaches all); True if a client
        heard it.
        """
        heard = False
        for session in self.sessions.values():
            if intent and not session.intents & intent:
                continue
            self._send(session, event, text)
            heard = heard or session.link is not None
        return heard

    def _send(self, session: Session, event: str, text: str) -> None:
        session.seq += 1
        frame = f'{{"op":0,"t":"{event}","s":{session.seq},"d":{text}}}'
        session.sent.append((session.seq, frame))
        if session.link is not None:
            session.link.send(frame)

    async def close_clients(self, code: int = 4000) -> None:
        """Close every connection; discord.py resumes after 4000 and identifies anew after 1000 or
        4007.
        """
        for link in list(self.links):
            await link.flush()
            await link.ws.close(code=code)

    def reconnect_clients(self) -> None:
        """Ask every client to reconnect and resume (opcode 7)."""
        for link in self.links:
            link.send('{"op":7,"d":null}')

    def forget_sessions(self) -> None:
        """Make the next RESUME of a client that is away fail with an invalid session."""
        self.sessions = {key: session for key, session in self.sessions.items() if session.link}

    async def serve(self, request: web.BaseRequest) -> web.StreamResponse:
        """One websocket from HELLO to its end."""
        ws = web.WebSocketResponse(compress=False, max_msg_size=1 << 20)
        await ws.prepare(request)
        link = Link(ws, compress=request.query.get("compress") == "zlib-stream")
        self.links.add(link)
        if not self.silent:
            link.send(
                f'{{"op":10,"s":null,"t":null,"d":{{"heartbeat_interval":{HEARTBEAT_MS},"_trace":[]}}}}'
            )
        try:
            async for frame in ws:
                if frame.type is not aiohttp.WSMsgType.TEXT:
                    break
                message = json.loads(frame.data)
                code = self._receive(link, message.get("op"), message.get("d"))
                if code:
                    await link.flush()
                    await ws.close(code=code)
        finally:
            self.links.discard(link)
            if link.session is not None and link.session.link is link:
                link.session.link = None
                self.changes.notify()
            await link.close()
        return ws

    def _receive(self, link: Link, op: int | None, data: Any) -> int:
        """Handle one client message; a close code, or 0 to go on."""
        if op == 1:
            link.send('{"op":11,"d":null}')
        elif op == 2:
            if self.token is not None and data["token"] != self.token:
                return 4004
            if link.session is not None:
                return 4005
            if self.refuse:
                return self.refuse
            self._identify(link, data)
        elif op == 6:
            self._resume(link, data)
        elif op == 8:
            self._members(link, data)
        elif op not in (3, 4):
            return 4001
        return 0

    def _identify(self, link: Link, data: Any) -> None:
        # a client that was killed never resumes: its session would only collect events
        self.forget_sessions()
        session = Session(secrets.token_hex(16), int(data.get("intents", 0)), link=link)
        self.sessions[session.id] = link_session(link, session)
        world = self.world
        ready = {
            "v": 10,
            "user": world.me.payload()
            | {"verified": True, "mfa_enabled": False, "email": None, "flags": 0},
            "session_id": session.id,
            "session_type": "normal",
            "resume_gateway_url": self.url,
            "shard": data.get("shard", [0, 1]),
            "application": {"id": str(world.application_id), "flags": 0},
            "guilds": [{"id": str(guild), "unavailable": True} for guild in world.guilds],
            "private_channels": [],
            "relationships": [],
            "presences": [],
        }
        self._send(session, "READY", dumps(ready))
        for guild in world.guilds.values():
            self._send(session, "GUILD_CREATE", dumps(guild.create_payload(world.me)))
        self.identified += 1
        self.changes.notify()

    def _resume(self, link: Link, data: Any) -> None:
        session = self.sessions.get(data["session_id"])
        seq = data["seq"]
        oldest = session.sent[0][0] if session and session.sent else 0
        if session is None or not isinstance(seq, int) or seq > session.seq or seq + 1 < oldest:
            link.send('{"op":9,"d":false}')
            return
        session.link = link_session(link, session).link
        for number, frame in session.sent:
            if number > seq:
                link.send(frame)
        self._send(session, "RESUMED", '{"_trace":[]}')
        self.resumed += 1
        self.changes.notify()

    def _members(self, link: Link, data: Any) -> None:
        if link.session is None:
            return
        ids = data["guild_id"] if isinstance(data["guild_id"], list) else [data["guild_id"]]
        for guild_id in ids:
            guild = self.world.guilds[int(guild_id)]
            members = list(guild.members.values())
            if data.get("user_ids"):
                wanted = (
                    data["user_ids"] if isinstance(data["user_ids"], list) else [data["user_ids"]]
                )
                members = [
                    member for member in members if member.user.id in {int(user) for user in wanted}
                ]
            elif data.get("query"):
                members = [
                    m for m in members if m.user.name.lower().startswith(data["query"].lower())
                ]
            chunk = {
                "guild_id": str(guild_id),
                "members": [member.payload() for member in members[: data.get("limit") or None]],
                "chunk_index": 0,
                "chunk_count": 1,
                "not_found": [],
                "nonce": data.get("nonce"),
            }
            self._send(link.session, "GUILD_MEMBERS_CHUNK", dumps(chunk))


def link_session(link: Link, session: Session) -> Session:
    """Tie a connection and a session together, replacing the session's earlier connection."""
    link.session = session
    session.link = link
    return session
