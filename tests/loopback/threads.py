"""The routes of threads: public ones at messages, private ones, and posts in forums."""

from __future__ import annotations

from .limits import ApiError
from .models import SEND_MESSAGES, Json
from .resources import Resources
from .rest import Call, Rest
from .world import World

#: Discord's types of channels.
FORUM, PUBLIC_THREAD, PRIVATE_THREAD = 15, 11, 12


class Threads:
    """Registers its routes with the REST core."""

    def __init__(self, world: World, rest: Rest, resources: Resources) -> None:
        self.world = world
        self.resources = resources
        for route, handler in {
            "POST /channels/*/threads": self.post_thread,
            "POST /channels/*/messages/*/threads": self.post_thread_at_message,
            "GET /guilds/*/threads/active": self.get_active,
            "GET /channels/*/thread-members": self.get_members,
            "PUT /channels/*/thread-members/*": self.put_member,
            "DELETE /channels/*/thread-members/*": self.delete_member,
        }.items():
            rest.routes.add(route, handler)

    async def post_thread(self, call: Call) -> Json:
        """Open a private thread, or a post with its first message, which has the post's id."""
        channel = self.resources.channel(call, SEND_MESSAGES)
        name = call.body["name"]
        if channel.type != FORUM:
            return self.world.add_thread(channel, name, PRIVATE_THREAD, self.world.me).payload()
        thread = self.world.add_thread(channel, name, PUBLIC_THREAD, self.world.me)
        message = self.resources.create(call, thread, call.body["message"])
        return thread.payload() | {"message": message.payload()}

    async def post_thread_at_message(self, call: Call) -> Json:
        channel = self.resources.channel(call, SEND_MESSAGES)
        message = self.resources.message(call)
        if message.id in channel.guild.threads:
            raise ApiError(400, 160004, "A thread has already been created for this message")
        thread = self.world.add_thread(
            channel, call.body["name"], PUBLIC_THREAD, self.world.me, message.id
        )
        return thread.payload()

    async def get_active(self, call: Call) -> Json:
        guild = self.resources.guild(call)
        threads = [thread.payload() for thread in guild.threads.values()]
        return {"threads": threads, "members": []}

    async def get_members(self, call: Call) -> list[Json]:
        return self.resources.channel(call).member_payloads()

    async def put_member(self, call: Call) -> None:
        thread = self.resources.channel(call)
        if call.number(1) not in thread.joined:
            thread.joined.append(call.number(1))

    async def delete_member(self, call: Call) -> None:
        thread = self.resources.channel(call)
        if call.number(1) in thread.joined:
            thread.joined.remove(call.number(1))
