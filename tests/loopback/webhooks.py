"""Webhooks of channels: made and listed by the bot, and messages under any name by their tokens."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from .callbacks import Callbacks
from .limits import ApiError
from .models import MANAGE_WEBHOOKS, Channel, Json, Message, User
from .resources import Resources
from .rest import Call, Handler, Rest
from .world import World


@dataclass(eq=False)
class Webhook:
    """A webhook of the bot's."""

    id: int
    token: str
    channel: Channel
    name: str

    def payload(self, owner: User) -> Json:
        return {
            "id": str(self.id),
            "type": 1,
            "guild_id": str(self.channel.guild.id),
            "channel_id": str(self.channel.id),
            "user": owner.payload(),
            "name": self.name,
            "avatar": None,
            "token": self.token,
            "application_id": None,
        }


class Webhooks:
    """The webhooks, by token. Other tokens below ``/webhooks`` are those of interactions."""

    def __init__(
        self, world: World, rest: Rest, resources: Resources, callbacks: Callbacks
    ) -> None:
        self.world = world
        self.resources = resources
        self.by_token: dict[str, Webhook] = {}
        rest.routes.add("GET /channels/*/webhooks", self.listed)
        rest.routes.add("POST /channels/*/webhooks", self.made)
        for route, own, other in (
            ("POST /webhooks/*/*", self.send, callbacks.followup),
            ("GET /webhooks/*/*/messages/*", self.get, callbacks.get),
            ("PATCH /webhooks/*/*/messages/*", self.patch, callbacks.patch),
            ("DELETE /webhooks/*/*/messages/*", self.delete, callbacks.delete),
        ):
            rest.routes.add(route, self._either(own, other))

    def _either(self, own: Handler, other: Handler) -> Handler:
        async def handle(call: Call) -> object:
            return await (own if call.args[1] in self.by_token else other)(call)

        return handle

    async def listed(self, call: Call) -> list[Json]:
        channel = self.resources.channel(call, MANAGE_WEBHOOKS)
        found = [hook for hook in self.by_token.values() if hook.channel is channel]
        return [hook.payload(self.world.me) for hook in found]

    async def made(self, call: Call) -> Json:
        channel = self.resources.channel(call, MANAGE_WEBHOOKS)
        token = secrets.token_hex(34)
        hook = Webhook(self.world.ids.next(), token, channel, call.body["name"])
        self.by_token[token] = hook
        return hook.payload(self.world.me)

    async def send(self, call: Call) -> Json:
        hook, body = self.by_token[call.args[1]], call.body
        author = User(hook.id, body.get("username") or hook.name, bot=True)
        message = self.world.add_message(
            hook.channel,
            author,
            body.get("content") or "",
            flags=int(body.get("flags") or 0),
            allowed_mentions=body.get("allowed_mentions"),
            webhook_id=hook.id,
        )
        return message.payload()

    def _message(self, call: Call) -> Message:
        message = self.world.messages.get(call.number(2))
        if message is None or message.webhook_id != self.by_token[call.args[1]].id:
            raise ApiError(404, 10008, "Unknown Message")
        return message

    async def get(self, call: Call) -> Json:
        return self._message(call).payload()

    async def patch(self, call: Call) -> Json:
        message = self._message(call)
        self.resources.edit(call, message, call.body)
        return message.payload()

    async def delete(self, call: Call) -> None:
        self.world.delete_message(self._message(call))
