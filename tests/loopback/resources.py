"""The routes of the bot itself, its commands, guilds, channels and messages."""

from __future__ import annotations

import time
from typing import Any

from .gateway import Gateway
from .limits import ApiError, check_commands, check_message
from .models import (
    COMPONENTS_V2,
    EPHEMERAL,
    LOADING,
    MANAGE_CHANNELS,
    MANAGE_MESSAGES,
    READ_HISTORY,
    SEND_MESSAGES,
    VIEW_CHANNEL,
    Channel,
    Guild,
    Json,
    Message,
    Upload,
    timestamp,
    walk,
)
from .rest import Call, Rest
from .world import World

NONCE_WINDOW_S = 300.0


class Resources:
    """Registers its routes with the REST core."""

    def __init__(self, world: World, rest: Rest, gateway: Gateway) -> None:
        self.world = world
        self.gateway = gateway
        for route, handler in {
            "GET /users/@me": self.get_me,
            "GET /users/*": self.get_user,
            "GET /applications/@me": self.get_application,
            "GET /oauth2/applications/@me": self.get_application,
            "GET /gateway": self.get_gateway,
            "GET /gateway/bot": self.get_gateway_bot,
            "GET /applications/*/commands": self.get_commands,
            "PUT /applications/*/commands": self.put_commands,
            "POST /applications/*/commands": self.post_command,
            "DELETE /applications/*/commands/*": self.delete_command,
            "GET /applications/*/guilds/*/commands": self.get_commands,
            "PUT /applications/*/guilds/*/commands": self.put_commands,
            "POST /applications/*/guilds/*/commands": self.post_command,
            "DELETE /applications/*/guilds/*/commands/*": self.delete_command,
            "GET /guilds/*": self.get_guild,
            "GET /guilds/*/channels": self.get_guild_channels,
            "GET /guilds/*/roles": self.get_guild_roles,
            "GET /guilds/*/members": self.get_members,
            "GET /guilds/*/members/*": self.get_member,
            "GET /channels/*": self.get_channel,
            "PATCH /channels/*": self.patch_channel,
            "POST /channels/*/typing": self.post_typing,
            "GET /channels/*/messages": self.get_messages,
            "POST /channels/*/messages": self.post_message,
            "GET /channels/*/messages/*": self.get_message,
            "PATCH /channels/*/messages/*": self.patch_message,
            "DELETE /channels/*/messages/*": self.delete_message,
        }.items():
            rest.routes.add(route, handler)

    # lookups -------------------------------------------------------------------------------------

    def guild(self, call: Call, position: int = 0) -> Guild:
        guild = self.world.guilds.get(call.number(position))
        if guild is None:
            raise ApiError(404, 10004, "Unknown Guild")
        return guild

    def channel(self, call: Call, needs: int = 0) -> Channel:
        """The channel the bot may see; ApiError 10003, 50001 (not visible) or 50013 (``needs``
        lacking).
        """
        channel = self.world.channels.get(call.number(0))
        if channel is None:
            raise ApiError(404, 10003, "Unknown Channel")
        bits = channel.guild.permissions(self.world.me, channel)
        if not bits & VIEW_CHANNEL:
            raise ApiError(403, 50001, "Missing Access")
        if bits & needs != needs:
            raise ApiError(403, 50013, "Missing Permissions")
        return channel

    def message(self, call: Call) -> Message:
        channel = self.channel(call)
        message = self.world.messages.get(call.number(1))
        if message is None or message.channel is not channel or message.ephemeral:
            raise ApiError(404, 10008, "Unknown Message")
        return message

    # the bot itself ------------------------------------------------------------------------------

    async def get_me(self, call: Call) -> Json:
        return self.world.me.payload() | {
            "verified": True,
            "mfa_enabled": False,
            "email": None,
            "flags": 0,
        }

    async def get_user(self, call: Call) -> Json:
        user = self.world.users.get(call.number(0))
        if user is None:
            raise ApiError(404, 10013, "Unknown User")
        return user.payload()

    async def get_application(self, call: Call) -> Json:
        owner = next((user for user in self.world.users.values() if not user.bot), self.world.me)
        return {
            "id": str(self.world.application_id),
            "name": self.world.me.name,
            "icon": None,
            "description": "",
            "bot_public": True,
            "bot_require_code_grant": False,
            "bot": self.world.me.payload(),
            "owner": owner.payload(),
            "team": None,
            "verify_key": "0" * 64,
            "flags": 0,
            "interactions_endpoint_url": None,
            "approximate_guild_count": len(self.world.guilds),
        }

    async def get_gateway(self, call: Call) -> Json:
        return {"url": self.gateway.url}

    async def get_gateway_bot(self, call: Call) -> Json:
        limit = {
            "total": 1000,
            "remaining": 1000,
            "reset_after": 0,
            "max_concurrency": self.gateway.max_concurrency,
        }
        answer = {"url": self.gateway.url, "shards": self.gateway.shards}
        return answer | {"session_start_limit": limit}

    # commands ------------------------------------------------------------------------------------

    def _scope(self, call: Call) -> int | None:
        if call.number(0) != self.world.application_id:
            raise ApiError(
                403, 20012, "You are not authorized to perform this action on this application"
            )
        return self.guild(call, 1).id if "/guilds/" in call.request.path else None

    async def get_commands(self, call: Call) -> list[Json]:
        return list(self.world.commands.get(self._scope(call), {}).values())

    async def put_commands(self, call: Call) -> list[Json]:
        check_commands(call.body)
        return self.world.set_commands(self._scope(call), call.body, replace=True)

    async def post_command(self, call: Call) -> Json:
        check_commands([call.body])
        return self.world.set_commands(self._scope(call), [call.body], replace=False)[0]

    async def delete_command(self, call: Call) -> None:
        stored = self.world.commands.get(self._scope(call), {})
        key = next((key for key, command in stored.items() if command["id"] == call.args[-1]), None)
        if key is None:
            raise ApiError(404, 10063, "Unknown application command")
        del stored[key]

    # guilds and channels -------------------------------------------------------------------------

    async def get_guild(self, call: Call) -> Json:
        return self.guild(call).payload()

    async def get_guild_channels(self, call: Call) -> list[Json]:
        return [channel.payload() for channel in self.guild(call).channels.values()]

    async def get_guild_roles(self, call: Call) -> list[Json]:
        return [role.payload() for role in self.guild(call).roles.values()]

    async def get_members(self, call: Call) -> list[Json]:
        after, limit = int(call.query.get("after", 0)), int(call.query.get("limit", 1))
        members = sorted(self.guild(call).members.items())
        return [member.payload() for user, member in members if user > after][:limit]

    async def get_member(self, call: Call) -> Json:
        member = self.guild(call).members.get(call.number(1))
        if member is None:
            raise ApiError(404, 10007, "Unknown Member")
        return member.payload()

    async def get_channel(self, call: Call) -> Json:
        return self.channel(call).payload()

    async def patch_channel(self, call: Call) -> Json:
        channel = self.channel(call, MANAGE_CHANNELS)
        for key in ("name", "topic", "nsfw", "rate_limit_per_user", "position"):
            if key in call.body:
                setattr(channel, key, call.body[key])
        if "permission_overwrites" in call.body:
            channel.overwrites = {
                int(item["id"]): (
                    item["type"] == 1,
                    int(item.get("allow", 0)),
                    int(item.get("deny", 0)),
                )
                for item in call.body["permission_overwrites"]
            }
        self.world.channel_changed(channel)
        return channel.payload()

    async def post_typing(self, call: Call) -> None:
        self.channel(call, SEND_MESSAGES)

    # messages ------------------------------------------------------------------------------------

    async def get_messages(self, call: Call) -> list[Json]:
        channel = self.channel(call)
        if not channel.guild.permissions(self.world.me, channel) & READ_HISTORY:
            return []
        query, known = call.query, channel.messages
        limit = int(query.get("limit", 50))
        if not 1 <= limit <= 100:
            raise ApiError(
                400, 50035, "Invalid Form Body: limit: int value should be between 1 and 100."
            )
        if "after" in query:
            start = channel.index(int(query["after"]) + 1)
            page = known[start : start + limit]
        elif "around" in query:
            middle = channel.index(int(query["around"]))
            page = known[max(0, middle - limit // 2) : middle + (limit + 1) // 2]
        else:
            end = channel.index(int(query["before"])) if "before" in query else len(known)
            page = known[max(0, end - limit) : end]
        return [message.payload() for message in reversed(page)]

    async def post_message(self, call: Call) -> Json:
        channel = self.channel(call, SEND_MESSAGES)
        body = call.body or {}
        nonce = body.get("nonce")
        if nonce is not None and len(str(nonce)) > 25:
            raise ApiError(400, 50035, "Invalid Form Body: nonce: Must be 25 or fewer in length.")
        key = (self.world.me.id, str(nonce))
        if nonce is not None and body.get("enforce_nonce"):
            since, earlier = channel.nonces.get(key, (0.0, None))
            if earlier is not None and time.monotonic() - since < NONCE_WINDOW_S:
                return earlier.payload()
        reference = body.get("message_reference")
        if reference is not None and int(reference["message_id"]) not in self.world.messages:
            if reference.get("fail_if_not_exists", True):
                raise ApiError(400, 50035, "Invalid Form Body: message_reference: Unknown message")
            reference = None
        message = self.create(
            call, channel, body, nonce=nonce, reference=reference, type=19 if reference else 0
        )
        if nonce is not None:
            channel.nonces[key] = (time.monotonic(), message)
        return message.payload()

    async def get_message(self, call: Call) -> Json:
        self.channel(call, READ_HISTORY)
        return self.message(call).payload()

    async def patch_message(self, call: Call) -> Json:
        message = self.message(call)
        if message.author is not self.world.me:
            raise ApiError(403, 50005, "Cannot edit a message authored by another user")
        self.edit(call, message, call.body or {})
        return message.payload()

    async def delete_message(self, call: Call) -> None:
        message = self.message(call)
        if message.author is not self.world.me:
            self.channel(call, MANAGE_MESSAGES)
        self.world.delete_message(message)

    def create(
        self, call: Call, channel: Channel, body: Json, *, flags: int = 0, **fields: Any
    ) -> Message:
        """Store a message of the bot's from a request body; ``flags`` are added to the body's."""
        flags |= int(body.get("flags") or 0)
        uploads = self._uploads(call, body, [])
        content, embeds = body.get("content") or "", body.get("embeds") or []
        components = body.get("components") or []
        if not flags & LOADING:
            check_message(content, embeds, components, uploads, flags)
        return self.world.add_message(
            channel,
            self.world.me,
            content,
            embeds=_embeds(embeds, uploads),
            components=_numbered(components),
            attachments=uploads,
            flags=flags,
            allowed_mentions=body.get("allowed_mentions"),
            **fields,
        )

    def edit(self, call: Call, message: Message, body: Json) -> None:
        """Change what the body names; an edit of a deferred answer completes it instead."""
        uploads = self._uploads(call, body, message.attachments)
        content = (body["content"] or "") if "content" in body else message.content
        embeds = (body["embeds"] or []) if "embeds" in body else message.embeds
        components = (body["components"] or []) if "components" in body else message.components
        flags = message.flags & ~LOADING
        if body.get("flags") is not None:
            flags = (
                (flags & EPHEMERAL) | (int(body["flags"]) & ~EPHEMERAL) | (flags & COMPONENTS_V2)
            )
        check_message(content, embeds, components, uploads, flags)
        if not message.loading:
            message.edited = timestamp()
            message.edits += 1
        message.content, message.embeds, message.flags = content, _embeds(embeds, uploads), flags
        message.components, message.attachments = _numbered(components), uploads
        if "allowed_mentions" in body:
            message.allowed_mentions = body["allowed_mentions"]
        self.world.message_event("MESSAGE_UPDATE", message)
        self.world.changes.notify()

    def _uploads(self, call: Call, body: Json, existing: list[Upload]) -> list[Upload]:
        listed = body.get("attachments")
        kept = existing
        if listed is not None:
            wanted = {str(item["id"]) for item in listed}
            kept = [upload for upload in existing if str(upload.id) in wanted]
        names = {str(item["id"]): item.get("filename") for item in listed or ()}
        for index, upload in call.files.items():
            upload.filename = names.get(index) or upload.filename
            self.world.add_upload(upload)
        return [*kept, *call.files.values()]


def _embeds(embeds: list[Json], uploads: list[Upload]) -> list[Json]:
    """Embeds as stored: "attachment://name" has become the uploaded file's address."""
    out: list[Json] = []
    for given in embeds:
        embed: Json = {"type": "rich"} | given
        for key in ("image", "thumbnail"):
            name = str((embed.get(key) or {}).get("url", ""))
            upload = next((u for u in uploads if name == f"attachment://{u.filename}"), None)
            if upload is not None:
                embed[key] = embed[key] | {"url": upload.url, "proxy_url": upload.url}
        out.append(embed)
    return out


def _numbered(components: list[Json]) -> list[Json]:
    """Give every component the numeric id that Discord gives it."""
    taken = {item["id"] for item in walk(components) if item.get("id")}
    number = 0
    for item in walk(components):
        if not item.get("id"):
            number += 1
            while number in taken:
                number += 1
            item["id"] = number
    return components
