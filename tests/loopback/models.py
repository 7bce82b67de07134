"""What the world holds: users, roles, members, channels, guilds, uploads and messages.

Every ``payload()`` returns the JSON object Discord would send. Ids are integers here and strings on
the wire.
"""

from __future__ import annotations

import bisect
import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

VIEW_CHANNEL = 1 << 10
SEND_MESSAGES = 1 << 11
MANAGE_MESSAGES = 1 << 13
EMBED_LINKS = 1 << 14
ATTACH_FILES = 1 << 15
READ_HISTORY = 1 << 16
MENTION_EVERYONE = 1 << 17
ADMINISTRATOR = 1 << 3
MANAGE_CHANNELS = 1 << 4
MANAGE_GUILD = 1 << 5
MANAGE_WEBHOOKS = 1 << 29
USE_APPLICATION_COMMANDS = 1 << 31
ALL_PERMISSIONS = 0x1F7FFFFFFFFFFF
# what a new server grants to @everyone, without voice
DEFAULT_PERMISSIONS = (
    VIEW_CHANNEL
    | SEND_MESSAGES
    | EMBED_LINKS
    | ATTACH_FILES
    | READ_HISTORY
    | USE_APPLICATION_COMMANDS
    | (1 << 6)  # add reactions
    | (1 << 18)  # external emojis
    | (1 << 35)  # create public threads
    | (1 << 36)  # create private threads
    | (1 << 38)  # send messages in threads
)

GUILDS = 1 << 0
GUILD_MEMBERS = 1 << 1
GUILD_MESSAGES = 1 << 9

EPHEMERAL = 1 << 6
LOADING = 1 << 7
COMPONENTS_V2 = 1 << 15


def timestamp() -> str:
    """The current time as Discord writes it (ISO 8601, UTC)."""
    return datetime.datetime.now(datetime.UTC).isoformat()


@dataclass(eq=False)
class User:
    id: int
    name: str
    bot: bool = False

    def payload(self) -> Json:
        return {
            "id": str(self.id),
            "username": self.name,
            "global_name": None if self.bot else self.name,
            "discriminator": "0",
            "avatar": None,
            "bot": self.bot,
            "public_flags": 0,
        }


@dataclass(eq=False)
class Role:
    id: int
    name: str
    permissions: int
    position: int
    managed: bool = False

    def payload(self) -> Json:
        return {
            "id": str(self.id),
            "name": self.name,
            "permissions": str(self.permissions),
            "position": self.position,
            "color": 0,
            "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
            "hoist": False,
            "managed": self.managed,
            "mentionable": False,
            "flags": 0,
            "icon": None,
            "unicode_emoji": None,
        }


@dataclass(eq=False)
class Member:
    user: User
    roles: list[Role]
    nick: str | None = None
    joined_at: str = field(default_factory=timestamp)

    def payload(self, *, with_user: bool = True) -> Json:
        payload: Json = {
            "roles": [str(role.id) for role in self.roles],
            "nick": self.nick,
            "avatar": None,
            "joined_at": self.joined_at,
            "premium_since": None,
            "communication_disabled_until": None,
            "deaf": False,
            "mute": False,
            "pending": False,
            "flags": 0,
        }
        if with_user:
            payload["user"] = self.user.payload()
        return payload


@dataclass(eq=False)
class Channel:
    """A text channel. ``overwrites`` maps a role or user id to (is_member, allow bits, deny
    bits).
    """

    id: int
    guild: Guild
    name: str
    position: int
    overwrites: dict[int, tuple[bool, int, int]] = field(default_factory=dict)
    topic: str | None = None
    type: int = 0
    rate_limit_per_user: int = 0
    nsfw: bool = False
    messages: list[Message] = field(default_factory=list)
    nonces: dict[tuple[int, str], tuple[float, Message]] = field(default_factory=dict)
    #: Channel that a thread is in; None for a channel.
    parent: Channel | None = None
    #: User who opened a thread.
    owner: int = 0
    #: Users in a thread.
    joined: list[int] = field(default_factory=list)

    def payload(self) -> Json:
        return self._channel_payload() if self.parent is None else self._thread_payload(self.parent)

    def member_payloads(self) -> list[Json]:
        """The members of a thread."""
        return [
            {"id": str(self.id), "user_id": str(user), "join_timestamp": timestamp(), "flags": 0}
            for user in self.joined
        ]

    def _thread_payload(self, parent: Channel) -> Json:
        return {
            "id": str(self.id),
            "guild_id": str(self.guild.id),
            "parent_id": str(parent.id),
            "owner_id": str(self.owner),
            "type": self.type,
            "name": self.name,
            "flags": 0,
            "rate_limit_per_user": 0,
            "last_message_id": str(self.messages[-1].id) if self.messages else None,
            "message_count": len(self.messages),
            "member_count": len(self.joined),
            "thread_metadata": {
                "archived": False,
                "locked": False,
                "auto_archive_duration": 10080,
                "archive_timestamp": timestamp(),
                "invitable": False,
            },
        }

    def _channel_payload(self) -> Json:
        return {
            "available_tags": [],
            "id": str(self.id),
            "guild_id": str(self.guild.id),
            "type": self.type,
            "name": self.name,
            "topic": self.topic,
            "position": self.position,
            "nsfw": self.nsfw,
            "parent_id": None,
            "flags": 0,
            "rate_limit_per_user": self.rate_limit_per_user,
            "last_message_id": str(self.messages[-1].id) if self.messages else None,
            "permission_overwrites": [
                {"id": str(key), "type": int(member), "allow": str(allow), "deny": str(deny)}
                for key, (member, allow, deny) in self.overwrites.items()
            ],
        }

    def index(self, message_id: int) -> int:
        """Position of the first message whose id is not below ``message_id``."""
        return bisect.bisect_left(self.messages, message_id, key=lambda message: message.id)


@dataclass(eq=False)
class Guild:
    id: int
    name: str
    owner: User
    joined_at: str
    roles: dict[int, Role] = field(default_factory=dict)
    members: dict[int, Member] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    threads: dict[int, Channel] = field(default_factory=dict)

    @property
    def everyone(self) -> Role:
        return self.roles[self.id]

    def permissions(self, user: User, channel: Channel | None = None) -> int:
        """The member's permission bits in the channel (or in the guild); 0 for a non-member."""
        member = self.members.get(user.id)
        if member is None:
            return 0
        if user.id == self.owner.id:
            return ALL_PERMISSIONS
        bits = self.everyone.permissions
        for role in member.roles:
            bits |= role.permissions
        if bits & ADMINISTRATOR:
            return ALL_PERMISSIONS
        if channel is None:
            return bits
        channel = channel.parent or channel
        _, allow, deny = channel.overwrites.get(self.id, (False, 0, 0))
        bits = (bits & ~deny) | allow
        allow_any = deny_any = 0
        for role in member.roles:
            _, allow, deny = channel.overwrites.get(role.id, (False, 0, 0))
            allow_any |= allow
            deny_any |= deny
        bits = (bits & ~deny_any) | allow_any
        _, allow, deny = channel.overwrites.get(user.id, (True, 0, 0))
        return (bits & ~deny) | allow

    def payload(self) -> Json:
        """The fields common to GET /guilds/{id} and GUILD_CREATE."""
        return {
            "id": str(self.id),
            "name": self.name,
            "owner_id": str(self.owner.id),
            "roles": [role.payload() for role in self.roles.values()],
            "emojis": [],
            "stickers": [],
            "features": [],
            "icon": None,
            "splash": None,
            "discovery_splash": None,
            "banner": None,
            "description": None,
            "afk_channel_id": None,
            "afk_timeout": 300,
            "system_channel_id": None,
            "system_channel_flags": 0,
            "rules_channel_id": None,
            "public_updates_channel_id": None,
            "safety_alerts_channel_id": None,
            "application_id": None,
            "vanity_url_code": None,
            "verification_level": 0,
            "default_message_notifications": 0,
            "explicit_content_filter": 0,
            "mfa_level": 0,
            "nsfw_level": 0,
            "premium_tier": 0,
            "premium_subscription_count": 0,
            "premium_progress_bar_enabled": False,
            "max_members": 500000,
            "max_video_channel_users": 25,
            "preferred_locale": "en-US",
        }

    def create_payload(self, me: User) -> Json:
        """GUILD_CREATE: the full guild, with the bot as the only listed member."""
        own = self.members.get(me.id)
        return self.payload() | {
            "unavailable": False,
            "large": False,
            "joined_at": self.joined_at,
            "member_count": len(self.members),
            "members": [own.payload()] if own else [],
            "channels": [channel.payload() for channel in self.channels.values()],
            "threads": [thread.payload() for thread in self.threads.values()],
            "presences": [],
            "voice_states": [],
            "stage_instances": [],
            "guild_scheduled_events": [],
            "soundboard_sounds": [],
        }


@dataclass(eq=False)
class Upload:
    """A file to give as an attachment option, or one that was sent with a message."""

    filename: str
    data: bytes
    content_type: str = "application/octet-stream"
    id: int = 0
    url: str = ""

    def payload(self, *, ephemeral: bool = False) -> Json:
        payload: Json = {
            "id": str(self.id),
            "filename": self.filename,
            "size": len(self.data),
            "url": self.url,
            "proxy_url": self.url,
            "content_type": self.content_type,
        }
        if ephemeral:
            payload["ephemeral"] = True
        return payload


@dataclass(eq=False)
class Message:
    """A message. ``created`` and ``edited`` are ISO 8601; ``deleted`` messages leave their
    channel.
    """

    id: int
    channel: Channel
    author: User
    content: str = ""
    embeds: list[Json] = field(default_factory=list)
    components: list[Json] = field(default_factory=list)
    attachments: list[Upload] = field(default_factory=list)
    flags: int = 0
    nonce: str | None = None
    created: str = field(default_factory=timestamp)
    edited: str | None = None
    deleted: bool = False
    type: int = 0
    reference: Json | None = None
    allowed_mentions: Json | None = None
    application_id: int | None = None
    webhook_id: int | None = None
    metadata: Json | None = None
    edits: int = 0

    @property
    def ephemeral(self) -> bool:
        return bool(self.flags & EPHEMERAL)

    @property
    def loading(self) -> bool:
        return bool(self.flags & LOADING)

    @property
    def mentions(self) -> list[int]:
        """Ids of the users whom the content would notify, after ``allowed_mentions``."""
        found = list(dict.fromkeys(int(match) for match in re.findall(r"<@!?(\d+)>", self.content)))
        allowed = self.allowed_mentions
        if allowed is None or "users" in allowed.get("parse", ()):
            return found
        return [
            user
            for user in found
            if str(user) in {str(known) for known in allowed.get("users", ())}
        ]

    @property
    def mentions_everyone(self) -> bool:
        """Whether the content would notify @everyone or @here, after ``allowed_mentions`` and
        permissions.
        """
        if "@everyone" not in self.content and "@here" not in self.content:
            return False
        if self.allowed_mentions is not None and "everyone" not in self.allowed_mentions.get(
            "parse", ()
        ):
            return False
        return bool(self.channel.guild.permissions(self.author, self.channel) & MENTION_EVERYONE)

    def custom_ids(self) -> list[str]:
        """The custom ids of all components, in order."""
        return [item["custom_id"] for item in walk(self.components) if "custom_id" in item]

    def texts(self) -> list[str]:
        """All text a reader sees: content, embed parts and text displays, in order."""
        out = [self.content] if self.content else []
        for embed in self.embeds:
            out += [str(embed[key]) for key in ("title", "description") if embed.get(key)]
            for item in embed.get("fields", ()):
                out += [item["name"], item["value"]]
            if embed.get("footer"):
                out.append(embed["footer"].get("text", ""))
        return out + [item["content"] for item in walk(self.components) if item.get("type") == 10]

    def payload(self) -> Json:
        guild = self.channel.guild
        mentioned = self.mentions if "<@" in self.content else ()
        payload: Json = {
            "id": str(self.id),
            "type": self.type,
            "channel_id": str(self.channel.id),
            "author": self.author.payload(),
            "content": self.content,
            "embeds": self.embeds,
            "components": self.components,
            "attachments": [
                upload.payload(ephemeral=self.ephemeral) for upload in self.attachments
            ],
            "flags": self.flags,
            "mentions": [
                guild.members[user].user.payload() for user in mentioned if user in guild.members
            ],
            "mention_roles": [],
            "mention_everyone": "@" in self.content and self.mentions_everyone,
            "pinned": False,
            "tts": False,
            "timestamp": self.created,
            "edited_timestamp": self.edited,
        }
        if self.nonce is not None:
            payload["nonce"] = self.nonce
        if self.reference is not None:
            payload["message_reference"] = self.reference
        if self.application_id is not None:
            payload["application_id"] = payload["webhook_id"] = str(self.application_id)
        if self.webhook_id is not None:
            payload["webhook_id"] = str(self.webhook_id)
        if self.metadata is not None:
            payload["interaction_metadata"] = self.metadata
        return payload


def walk(components: Iterable[Json]) -> Iterable[Json]:
    """Every component of a message or modal, containers before their contents."""
    for item in components:
        yield item
        yield from walk(item.get("components") or ())
        for key in ("component", "accessory"):
            if isinstance(item.get(key), dict):
                yield from walk((item[key],))
