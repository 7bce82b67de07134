"""A small server on the simulated Discord: one channel to play in, one for the GMs, a GM and two players."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import discord
from simcord.actors import MemberActor
from simcord.builders import ChannelHandle, GuildHandle
from simcord.env import Env
from simcord.results import InteractionResult

from bot.app import Storyguide, build_bot
from bot.settings import Settings
from tests.builders import ebb_character


def virtual_clock() -> int:
    """SimCord's time, which stands still unless a test advances it."""
    return int(discord.utils.utcnow().timestamp())


#: Bots that were made and have to be closed: SimCord detaches them, their storage is ours.
_made: list[Storyguide] = []


def make_bot(path: Path) -> Storyguide:
    """The real bot on a database file."""
    settings = Settings(_env_file=None, storyguide_database=path)  # pyright: ignore[reportCallIssue]
    bot = build_bot(settings, clock=virtual_clock)
    _made.append(bot)
    return bot


async def close_bots() -> None:
    """Close what `make_bot` made."""
    while _made:
        await _made.pop().close()


def texts(message: Any) -> str:
    """Everything a message says: content, embeds, labels of its controls."""
    found: list[str] = [message.content or ""]
    for embed in message.embeds:
        found += [embed.title or "", embed.description or "", embed.footer.text or ""]
        found += [f"{field.name}\n{field.value}" for field in embed.fields]
    found += [component.get("label") or "" for component in controls(message)]
    for component in controls(message):
        found += [f"{o['label']} {o.get('description', '')}" for o in component.get("options", ())]
    return "\n".join(text for text in found if text)


def controls(message: Any) -> list[dict[str, Any]]:
    """The buttons and selects of a message as Discord stores them."""
    rows = message.components
    found: list[dict[str, Any]] = []
    for row in rows:
        data = row if isinstance(row, dict) else row.to_dict()
        found += data.get("components", [])
    return found


def button(message: Any, label: str) -> str:
    """The custom id of a button by its label. AssertionError when there is none."""
    found = [each["custom_id"] for each in controls(message) if each.get("label") == label]
    assert found, f"no button {label!r} in {[each.get('label') for each in controls(message)]}"
    return found[0]


def select(message: Any, placeholder: str) -> str:
    """The custom id of a select by its placeholder."""
    found = [each["custom_id"] for each in controls(message) if each.get("placeholder") == placeholder]
    assert found, f"no select {placeholder!r}"
    return found[0]


@dataclass(slots=True)
class World:
    """The server, its people, and the shortest way to what they do."""

    env: Env
    path: Path
    guild: GuildHandle
    zone: ChannelHandle
    gm_room: ChannelHandle
    gina: MemberActor
    ana: MemberActor
    ben: MemberActor

    @property
    def bot(self) -> Storyguide:
        """The bot that runs now."""
        assert isinstance(self.env.bot, Storyguide)
        return self.env.bot

    async def restart(self) -> None:
        """End the bot in order and start another on the same file, in the same world."""
        await self.bot.close()
        await self.env.restart_bot(make_bot(self.path))

    async def setup(self, *, gm_channel: bool = False) -> InteractionResult:
        """`/setup system:ebb` by Gina."""
        options: dict[str, Any] = {"gm_channel": self.gm_room} if gm_channel else {}
        return await self.gina.slash(self.zone, "setup", system="ebb", name="The Dry Canal", **options)

    async def bring(self, who: MemberActor, name: str, **changes: Any) -> InteractionResult:
        """`/character import` of a valid character."""
        text = json.dumps(ebb_character(name, **changes)).encode()
        return await who.slash(self.zone, "character import", file=(f"{name}.json", text))

    async def table(self, *, gm_channel: bool = False) -> None:
        """A table with Ana's Marek and Ben's Ilka."""
        await self.setup(gm_channel=gm_channel)
        await self.bring(self.ana, "Marek")
        await self.bring(self.ben, "Ilka")

    async def propose(self, who: MemberActor | None = None, **options: Any) -> InteractionResult:
        """`/check` with an idea; Ana unless told otherwise."""
        given: dict[str, Any] = {"approach": "up the drainpipe, slowly"}
        return await (who or self.ana).slash(self.zone, "check", **(given | options))

    async def answer(
        self,
        proposal: Any,
        *,
        level: str | None = "Tricky",
        hidden: bool = False,
        press: str = "Let them roll",
    ) -> InteractionResult:
        """Gina opens the panel under a proposal, chooses, and answers."""
        opened = await self.gina.click(proposal, custom_id=button(proposal, "Answer"))
        panel = opened.response
        assert panel is not None, opened
        if level is not None:
            await self.gina.select(panel, [level], custom_id=select(panel, "Difficulty before shifts"))
        if hidden:
            await self.gina.click(panel, label="Difficulty: open")
        return await self.gina.click(panel, label=press)

    def visible_to(self, who: MemberActor) -> list[str]:
        """All texts this person can see in the channels of the server."""
        return [texts(m) for room in (self.zone, self.gm_room) for m in room.history(viewer=who)]


def build_world(env: Env, path: Path) -> World:
    """Make the server in a running environment."""
    guild = env.create_guild("The Rim")
    leads = guild.create_role("leads", permissions=discord.Permissions(manage_channels=True))
    gina = guild.add_member(env.create_user("gina", global_name="Gina"), roles=[leads])
    ana = guild.add_member(env.create_user("ana", global_name="Ana"))
    ben = guild.add_member(env.create_user("ben", global_name="Ben"))
    zone = guild.create_text_channel("zone")
    see = discord.PermissionOverwrite(view_channel=True, send_messages=True, read_message_history=True)
    room = guild.create_text_channel(
        "gm-room",
        overwrites={
            guild.default_role: discord.PermissionOverwrite(view_channel=False),
            gina: see,
            env.bot.user: discord.PermissionOverwrite(
                view_channel=True, send_messages=True, embed_links=True
            ),
        },
    )
    return World(env, path, guild, zone, room, gina, ana, ben)
