"""A table of four players by post, and a diary of every message that anybody there can read."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final

from simcord.actors import MemberActor
from simcord.builders import ChannelHandle

from bot.services.preferences import load_preference, save_preference
from tests.discord.test_notify import direct_messages
from tests.discord.test_speech import let
from tests.discord.world import HOUR, World, head, pings, texts

#: The world begins at midnight, UTC: nine in the morning in Tokyo.
TOKYO_NIGHT: Final = (22 * 60, 8 * 60)
_TIME: Final = re.compile(r"<t:\d+:\w>")
_MENTION: Final = re.compile(r"<@(\d+)>")
_CHARACTERS: Final = ("Marek", "Ilka", "Vesna", "Tam")


class Week:
    """Four players and a GM in two channels and their threads, and a diary of what is posted."""

    def __init__(self, world: World, cleo: MemberActor, dan: MemberActor) -> None:
        self.world, self.cleo, self.dan = world, cleo, dan
        self.hall: ChannelHandle = world.guild.create_text_channel("hall")
        self._channels = {"zone": world.zone, "hall": self.hall, "gm": world.gm_room}
        self._members = (world.gina, world.ana, world.ben, cleo, dan)
        self._people = {who.id: who.name for who in self._members}
        #: Whether characters speak by webhooks.
        self.webhooks = True
        self._seen: set[int] = set()
        #: What characters say in messages that are still there, by the message.
        self._spoken: dict[int, str] = {}
        self.loud: Counter[str] = Counter()
        self.silent: Counter[str] = Counter()
        self.direct: Counter[str] = Counter()
        #: How many messages each room got.
        self.posted: Counter[str] = Counter()

    def read(self) -> list[str]:
        """Return a line for each message since the last reading, room by room; count its pings.

        What a character said has a further line once it is edited or deleted.
        """
        lines: list[str] = []
        spoken: dict[int, str] = {}
        for name, room in self.rooms().items():
            messages = self.world.messages(room)
            spoken |= {m.id: f"{name}: {self._words(m)}" for m in messages if is_spoken(m)}
            for message in self._new(messages):
                lines.append(f"{name}: {self._words(message)}{self._called(message)}")
                self.posted[name] += 1
        lines += self._changed_words(spoken)
        for member in self._members:
            for message in self._new(direct_messages(self.world, member)):
                lines.append(f"to {member.name}: {self._words(message)}")
                self.direct[member.name] += 1
        return lines

    async def pass_hours(self, hours: int) -> list[str]:
        """Let time pass hour by hour, so that no message is missed; return the lines."""
        lines: list[str] = []
        for _ in range(hours):
            await self.world.env.advance_time(HOUR)
            lines += self.read()
        return lines

    def rooms(self) -> dict[str, ChannelHandle]:
        """Return the channels, and the threads that are there now."""
        threads = [*self.world.zone.threads, *self.hall.threads]
        return {**self._channels, **{str(thread.name): thread for thread in threads}}

    def says(self, room: str, name: str, text: str) -> str:
        """Return the line of what a character says."""
        how = "says" if self.webhooks else "(told by the bot) says"
        return f"{room}: {name} {how}: {text}"

    def forget(self) -> None:
        """Leave out of the diary and the counts what was posted until now."""
        self.read()
        for counter in (self.loud, self.silent, self.direct, self.posted):
            counter.clear()

    def _new(self, messages: list[Any]) -> list[Any]:
        new = [message for message in messages if message.id not in self._seen]
        self._seen |= {message.id for message in new}
        # Messages about pins and threads are Discord's own.
        return [message for message in new if not message.is_system()]

    def _changed_words(self, spoken: dict[int, str]) -> list[str]:
        """Return the lines of earlier words that now are others, or gone."""
        lines: list[str] = []
        for id, line in self._spoken.items():
            if id not in spoken:
                lines.append(f"{line} (deleted)")
            elif spoken[id] != line:
                lines.append(f"{spoken[id]} (edited)")
        self._spoken = spoken
        return lines

    def _words(self, message: Any) -> str:
        named = _MENTION.sub(lambda found: f"@{self._people[int(found[1])]}", _first_line(message))
        return _TIME.sub("<time>", named)

    def _called(self, message: Any) -> str:
        called = [self._people[who] for who in pings(message, self.world.env)]
        silent = message.flags.silent
        (self.silent if silent else self.loud).update(called)
        if not called:
            return ""
        return f" -> {', '.join(called)}{' (silent)' if silent else ''}"


def is_spoken(message: Any) -> bool:
    """Return whether a message is what a character says, by a webhook or by the bot."""
    return message.webhook_id is not None or head(message) in _CHARACTERS


def _first_line(message: Any) -> str:
    """Return the name and the first line of what a character says, or a message's head."""
    if message.webhook_id is not None:
        return f"{message.author.name} says: {head(message)}"
    if is_spoken(message):
        return f"{head(message)} (told by the bot) says: {texts(message).splitlines()[1]}"
    return head(message)


async def open_week(world: World, **settings: Any) -> Week:
    """The table; its first messages are read already."""
    await world.table(gm_channel=True, **settings)
    week = Week(world, world.member("cleo"), world.member("dan"))
    await world.bring(week.cleo, "Vesna")
    await world.bring(week.dan, "Tam")
    await world.gina.slash(world.zone, "gm bind", channel=week.hall)
    await wish(world, world.ben, zone="Asia/Tokyo", quiet=TOKYO_NIGHT)
    let(world, world.bot.user, manage_webhooks=True)
    week.forget()
    return week


async def wish(world: World, who: MemberActor, **changes: Any) -> None:
    """Set what a user wants of pings."""
    store = world.bot.tables.store
    present = await load_preference(store, str(who.id))
    await save_preference(store, str(who.id), present.replace(**changes))
