"""The state that outlives the bot, and its construction: guilds, members, channels, messages,
commands.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .models import (
    DEFAULT_PERMISSIONS,
    GUILD_MEMBERS,
    GUILD_MESSAGES,
    GUILDS,
    Channel,
    Guild,
    Json,
    Member,
    Message,
    Role,
    Upload,
    User,
    timestamp,
)

DISCORD_EPOCH_MS = 1_420_070_400_000


class Snowflakes:
    """Unique, increasing ids that carry the current time."""

    def __init__(self) -> None:
        self._last = 0

    def next(self) -> int:
        now = (time.time_ns() // 1_000_000 - DISCORD_EPOCH_MS) << 22
        self._last = max(self._last + 1, now)
        return self._last

    def next_of(self, shard: tuple[int, int]) -> int:
        """Return the next id of a guild that Discord deals to this shard of so many."""
        number, count = shard
        while shard_of(found := self.next(), count) != number:
            # The milliseconds of an id's time say the shard.
            time.sleep(0.0005)
        return found


def shard_of(guild: int | None, count: int) -> int:
    """Return the shard of ``count`` to which Discord deals a guild; 0 for what is of no guild."""
    return 0 if guild is None else (guild >> 22) % count


class Changes:
    """Lets a coroutine wait until a condition on the world holds."""

    def __init__(self) -> None:
        self._waiters: list[asyncio.Future[None]] = []

    def notify(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def until(self, condition: Callable[[], Any], within: float) -> None:
        """Return as soon as ``condition()`` is true; TimeoutError after ``within`` seconds."""
        async with asyncio.timeout(within):
            while not condition():
                waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._waiters.append(waiter)
                await waiter


Overwrites = Mapping[Any, tuple[int, int]]


class World:
    """The world and its construction. Subclasses deliver the announcements to the gateway."""

    def __init__(self, *, bot_name: str = "Storyguide") -> None:
        self.ids = Snowflakes()
        self.application_id = self.ids.next()
        self.me = User(self.application_id, bot_name, bot=True)
        self.users: dict[int, User] = {self.me.id: self.me}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.messages: dict[int, Message] = {}
        self.uploads: dict[int, Upload] = {}
        # None holds the global commands, a guild id that guild's
        self.commands: dict[int | None, dict[tuple[int, str], Json]] = {None: {}}
        self.changes = Changes()
        self.revision = 0  # grows whenever anything that an interaction's context shows has changed

    def announce(self, event: str, data: Json, intent: int) -> None:
        """Tell connected clients of an event; the bare world has none."""

    def listening(self, intent: int) -> bool:
        """Whether any client would hear an event of this intent."""
        return False

    def upload_url(self, upload: Upload) -> str:
        """The address from which the client reads the upload."""
        return f"/attachments/{upload.id}/{upload.filename}"

    def _touched(self) -> None:
        self.revision += 1
        self.changes.notify()

    def add_user(self, name: str, *, bot: bool = False) -> User:
        user = User(self.ids.next(), name, bot)
        self.users[user.id] = user
        return user

    def add_guild(
        self,
        name: str = "Guild",
        *,
        owner: User | None = None,
        everyone: int = DEFAULT_PERMISSIONS,
        bot_permissions: int = DEFAULT_PERMISSIONS,
        shard: tuple[int, int] = (0, 1),
    ) -> Guild:
        """A guild of a shard (its number, and of how many) with the @everyone role, its owner and
        the bot with a managed role of its own.
        """
        owner = owner or self.add_user(f"{name}-owner")
        guild = Guild(self.ids.next_of(shard), name, owner, timestamp())
        guild.roles[guild.id] = Role(guild.id, "@everyone", everyone, 0)
        role = Role(self.ids.next(), self.me.name, bot_permissions, 1, managed=True)
        guild.roles[role.id] = role
        guild.members[owner.id] = Member(owner, [])
        guild.members[self.me.id] = Member(self.me, [role])
        self.guilds[guild.id] = guild
        self._touched()
        self.announce("GUILD_CREATE", guild.create_payload(self.me), GUILDS)
        return guild

    def remove_guild(self, guild: Guild) -> None:
        """Remove the bot from the guild, and the guild from the world."""
        del self.guilds[guild.id]
        for channel in guild.channels:
            self.channels.pop(channel, None)
        self._touched()
        self.announce("GUILD_DELETE", {"id": str(guild.id)}, GUILDS)

    def add_role(self, guild: Guild, name: str, permissions: int = 0) -> Role:
        role = Role(self.ids.next(), name, permissions, len(guild.roles))
        guild.roles[role.id] = role
        self._touched()
        self.announce(
            "GUILD_ROLE_CREATE", {"guild_id": str(guild.id), "role": role.payload()}, GUILDS
        )
        return role

    def add_member(self, guild: Guild, user: User | str, roles: Sequence[Role] = ()) -> User:
        """Put a user (or a new one of that name) into the guild; also replaces a member's roles."""
        who = self.add_user(user) if isinstance(user, str) else user
        known = who.id in guild.members
        member = guild.members.setdefault(who.id, Member(who, []))
        member.roles = list(roles)
        self._touched()
        event = "GUILD_MEMBER_UPDATE" if known else "GUILD_MEMBER_ADD"
        # the bot hears of its own member without the members intent
        intent = GUILDS if who is self.me else GUILD_MEMBERS
        self.announce(event, member.payload() | {"guild_id": str(guild.id)}, intent)
        return who

    def remove_member(self, guild: Guild, user: User) -> None:
        del guild.members[user.id]
        self._touched()
        self.announce(
            "GUILD_MEMBER_REMOVE",
            {"guild_id": str(guild.id), "user": user.payload()},
            GUILD_MEMBERS,
        )

    def add_channel(
        self, guild: Guild, name: str, overwrites: Overwrites | None = None, type: int = 0
    ) -> Channel:
        """A text channel, or one of another type; ``overwrites`` maps a Role, User or the Guild
        (@everyone) to (allow, deny) bits.
        """
        channel = Channel(self.ids.next(), guild, name, len(guild.channels), type=type)
        channel.overwrites = self._overwrites(overwrites or {})
        guild.channels[channel.id] = self.channels[channel.id] = channel
        self._touched()
        self.announce("CHANNEL_CREATE", channel.payload(), GUILDS)
        return channel

    def add_thread(
        self, parent: Channel, name: str, type: int, owner: User, id: int | None = None
    ) -> Channel:
        """A thread of a channel; with *id* the one of the message that it was opened at."""
        guild = parent.guild
        thread = Channel(id or self.ids.next(), guild, name, 0, type=type)
        thread.parent, thread.owner, thread.joined = parent, owner.id, [owner.id]
        guild.threads[thread.id] = self.channels[thread.id] = thread
        self._touched()
        self.announce("THREAD_CREATE", thread.payload() | {"newly_created": True}, GUILDS)
        return thread

    def remove_thread(self, thread: Channel) -> None:
        """Delete a thread with its messages."""
        thread.guild.threads.pop(thread.id, None)
        self.channels.pop(thread.id, None)
        self._touched()
        assert thread.parent is not None
        ids = {"id": thread.id, "guild_id": thread.guild.id, "parent_id": thread.parent.id}
        data: Json = {key: str(value) for key, value in ids.items()}
        self.announce("THREAD_DELETE", data | {"type": thread.type}, GUILDS)

    def set_overwrites(self, channel: Channel, overwrites: Overwrites) -> None:
        channel.overwrites = self._overwrites(overwrites)
        self.channel_changed(channel)

    def channel_changed(self, channel: Channel) -> None:
        self._touched()
        self.announce("CHANNEL_UPDATE", channel.payload(), GUILDS)

    def remove_channel(self, channel: Channel) -> None:
        channel.guild.channels.pop(channel.id, None)
        self.channels.pop(channel.id, None)
        self._touched()
        self.announce("CHANNEL_DELETE", channel.payload(), GUILDS)

    def add_message(
        self, channel: Channel, author: User, content: str = "", **fields: Any
    ) -> Message:
        """Post a message as ``author`` (an ephemeral one stays out of the channel's history)."""
        message = Message(self.ids.next(), channel, author, content, **fields)
        self.messages[message.id] = message
        if not message.ephemeral:
            channel.messages.append(message)
            self.message_event("MESSAGE_CREATE", message)
        self.changes.notify()
        return message

    def message_event(self, event: str, message: Message) -> None:
        # most bots under test do not listen to messages, and the payload is not free
        if message.ephemeral or not self.listening(GUILD_MESSAGES):
            return
        data: Json = {"id": str(message.id), "channel_id": str(message.channel.id)}
        if event != "MESSAGE_DELETE":
            data = message.payload()
        self.announce(event, data | {"guild_id": str(message.channel.guild.id)}, GUILD_MESSAGES)

    def delete_message(self, message: Message) -> None:
        message.deleted = True
        self.messages.pop(message.id, None)
        at = message.channel.index(message.id)
        if at < len(message.channel.messages) and message.channel.messages[at] is message:
            del message.channel.messages[at]
        self.message_event("MESSAGE_DELETE", message)
        self.changes.notify()

    def add_upload(self, upload: Upload) -> Upload:
        """Give the upload an id and an address, once."""
        if not upload.id:
            upload.id = self.ids.next()
            upload.url = self.upload_url(upload)
            self.uploads[upload.id] = upload
        return upload

    def set_commands(
        self, guild_id: int | None, payloads: Sequence[Json], *, replace: bool
    ) -> list[Json]:
        """Store commands as Discord does: a command of the same type and name keeps its id."""
        before = self.commands.setdefault(guild_id, {})
        after: dict[tuple[int, str], Json] = {} if replace else before
        out: list[Json] = []
        for payload in payloads:
            key = (payload.get("type") or 1, payload["name"])
            stored = {
                "default_member_permissions": None,
                "nsfw": False,
                "options": [],
                "description": "",
            }
            stored |= payload
            stored["type"] = key[0]
            stored["id"] = before[key]["id"] if key in before else str(self.ids.next())
            stored["application_id"] = str(self.application_id)
            stored["version"] = str(self.ids.next())
            if guild_id is not None:
                stored["guild_id"] = str(guild_id)
            after[key] = stored
            out.append(stored)
        self.commands[guild_id] = after
        self._touched()
        return out

    def find_command(self, guild_id: int, name: str) -> Json:
        """The synced slash command as seen from the guild; LookupError names what is there
        instead.
        """
        for scope in (guild_id, None):
            found = self.commands.get(scope, {}).get((1, name))
            if found is not None:
                return found
        known = sorted(
            {key[1] for scope in (guild_id, None) for key in self.commands.get(scope, {})}
        )
        raise LookupError(f"command {name!r} has not been synced; known: {known}")

    @staticmethod
    def _overwrites(overwrites: Overwrites) -> dict[int, tuple[bool, int, int]]:
        return {
            (key if isinstance(key, int) else key.id): (isinstance(key, User), allow, deny)
            for key, (allow, deny) in overwrites.items()
        }
