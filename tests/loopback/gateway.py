"""The gateway: sessions that identify, resume, and receive events as zlib-stream or plain JSON.

Each session is one shard's: it hears of the guilds that Discord's formula deals to that shard, and
shard 0 also hears what belongs to no guild.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import time
import zlib
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web

from .interactions import dumps
from .world import Changes, World, shard_of

HEARTBEAT_MS = 41_250
REPLAYED = 1_000  # events kept for a session that resumes


@dataclass(eq=False)
class Session:
    """A gateway session; ``link`` is None while the client is away.

    ``shard`` is the shard's number and the number of shards, as the client identified.
    """

    id: str
    intents: int
    shard: tuple[int, int] = (0, 1)
    seq: int = 0
    sent: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=REPLAYED))
    link: Link | None = None

    def hears_of(self, guild: int | None) -> bool:
        """Return whether the shard has this guild; what belongs to no guild is shard 0's."""
        number, count = self.shard
        return shard_of(guild, count) == number


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
        #: How many shards Discord recommends.
        self.shards = 1
        #: How many shards may identify at a time: one of each bucket, ``shard % max_concurrency``.
        self.max_concurrency = 1
        #: Seconds between two identifies of a bucket; Discord demands 5. 0 demands nothing.
        self.identify_pause = 0.0
        #: Shards that identified before the pause was over; each got an invalid session.
        self.hasty: list[int] = []
        self._identified_at: dict[int, float] = {}
        self.changes = Changes()

    @property
    def connected(self) -> int:
        """Number of clients that are connected and have identified or resumed."""
        return sum(session.link is not None for session in self.sessions.values())

    def listening(self, intent: int) -> bool:
        return any(session.intents & intent for session in self.sessions.values())

    def dispatch(self, event: str, text: str, intent: int, guild: int | None = None) -> bool:
        """Send an event of a guild to its shard (``text`` is its data as JSON; intent 0 reaches
        all intents); True if a client heard it.
        """
        heard = False
        for session in self.sessions.values():
            if not session.hears_of(guild) or (intent and not session.intents & intent):
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

    def forget_sessions(self, shard: tuple[int, int] | None = None) -> None:
        """Make the next RESUME of a client that is away (of a shard, or of any) fail with an
        invalid session.
        """
        for session in list(self.sessions.values()):
            if session.link is None and shard in (None, session.shard):
                del self.sessions[session.id]

    def shards_connected(self) -> set[tuple[int, int]]:
        """Return the shards that some client is connected for."""
        return {session.shard for session in self.sessions.values() if session.link is not None}

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
            number, count = data.get("shard", (0, 1))
            if not 0 <= number < count:
                return 4010
            if self._is_hasty(number):
                self.hasty.append(number)
                link.send('{"op":9,"d":false}')
            else:
                self._identify(link, data, (number, count))
        elif op == 6:
            self._resume(link, data)
        elif op == 8:
            self._members(link, data)
        elif op not in (3, 4):
            return 4001
        return 0

    def _is_hasty(self, shard: int) -> bool:
        """Return whether the shard's bucket identified just now; note the time otherwise."""
        bucket, now = shard % self.max_concurrency, time.monotonic()
        if now - self._identified_at.get(bucket, -self.identify_pause) < self.identify_pause:
            return True
        self._identified_at[bucket] = now
        return False

    def _identify(self, link: Link, data: Any, shard: tuple[int, int]) -> None:
        # a client that was killed never resumes: its session would only collect events
        self.forget_sessions(shard)
        session = Session(secrets.token_hex(16), int(data.get("intents", 0)), shard, link=link)
        self.sessions[session.id] = link_session(link, session)
        world = self.world
        guilds = [guild for guild in world.guilds.values() if session.hears_of(guild.id)]
        ready = {
            "v": 10,
            "user": world.me.payload()
            | {"verified": True, "mfa_enabled": False, "email": None, "flags": 0},
            "session_id": session.id,
            "session_type": "normal",
            "resume_gateway_url": self.url,
            "shard": list(shard),
            "application": {"id": str(world.application_id), "flags": 0},
            "guilds": [{"id": str(guild.id), "unavailable": True} for guild in guilds],
            "private_channels": [],
            "relationships": [],
            "presences": [],
        }
        self._send(session, "READY", dumps(ready))
        for guild in guilds:
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
