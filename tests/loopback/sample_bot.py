"""A small bot that uses every kind of answer, for the tests of the stand-in itself."""

from __future__ import annotations

import io

import discord
from discord import app_commands
from discord.ext import commands

from .launch import TOKEN


class Panel(discord.ui.View):
    """A persistent view: its components work after a restart."""

    def __init__(self) -> None:
        super().__init__(timeout=None)

    @discord.ui.button(label="Press", custom_id="panel:press")
    async def press(
        self, interaction: discord.Interaction, button: discord.ui.Button[Panel]
    ) -> None:
        await interaction.response.edit_message(content=f"pressed by {interaction.user.name}")

    @discord.ui.button(label="Ask", custom_id="panel:ask")
    async def ask(self, interaction: discord.Interaction, button: discord.ui.Button[Panel]) -> None:
        await interaction.response.send_modal(Question())

    @discord.ui.select(
        custom_id="panel:select",
        options=[
            discord.SelectOption(label="One", value="1"),
            discord.SelectOption(label="Two", value="2"),
        ],
    )
    async def choose(
        self, interaction: discord.Interaction, select: discord.ui.Select[Panel]
    ) -> None:
        await interaction.response.send_message(f"chose {select.values[0]}", ephemeral=True)

    @discord.ui.select(cls=discord.ui.UserSelect, custom_id="panel:user")
    async def choose_user(
        self, interaction: discord.Interaction, select: discord.ui.UserSelect[Panel]
    ) -> None:
        await interaction.response.defer()
        await interaction.edit_original_response(content=f"user {select.values[0].name}")


class Question(discord.ui.Modal, title="Question"):
    """One text input and one select."""

    text = discord.ui.Label(text="Text", component=discord.ui.TextInput(custom_id="q:text"))
    pick = discord.ui.Label(
        text="Pick",
        component=discord.ui.Select(
            custom_id="q:pick",
            options=[discord.SelectOption(label="Red"), discord.SelectOption(label="Blue")],
        ),
    )

    async def on_submit(self, interaction: discord.Interaction) -> None:
        assert isinstance(self.text.component, discord.ui.TextInput)
        assert isinstance(self.pick.component, discord.ui.Select)
        answer = f"{self.text.component.value}/{self.pick.component.values[0]}"
        await interaction.response.send_message(answer, ephemeral=True)


class SampleBot(commands.Bot):
    async def setup_hook(self) -> None:
        for command in (
            defer,
            more,
            panel,
            modal,
            types,
            post,
            files,
            twice,
            pick,
            read,
            fetch,
            unknown,
        ):
            self.tree.add_command(command)
        self.tree.add_command(scene)
        self.add_view(Panel())
        await self.tree.sync()


@app_commands.command(description="Defer, then edit")
async def defer(interaction: discord.Interaction, ephemeral: bool = False) -> None:
    await interaction.response.defer(ephemeral=ephemeral, thinking=True)
    await interaction.edit_original_response(content="done")


@app_commands.command(description="Answer and two followups")
async def more(interaction: discord.Interaction) -> None:
    await interaction.response.send_message("first", ephemeral=True)
    second = await interaction.followup.send("second", wait=True)
    third = await interaction.followup.send("third", ephemeral=True, wait=True)
    await second.edit(content="second, edited")
    await third.delete()
    await interaction.edit_original_response(content="first, edited")


@app_commands.command(description="Send the panel")
async def panel(interaction: discord.Interaction) -> None:
    await interaction.response.send_message("panel", view=Panel())


@app_commands.command(description="Show a modal")
async def modal(interaction: discord.Interaction) -> None:
    await interaction.response.send_modal(Question())


@app_commands.command(description="Every option type")
async def types(
    interaction: discord.Interaction,
    text: str,
    number: app_commands.Range[int, 1, 10],
    flag: bool,
    ratio: float,
    user: discord.Member,
    role: discord.Role,
    channel: discord.TextChannel,
    file: discord.Attachment,
) -> None:
    data = await file.read()
    rights = interaction.permissions
    await interaction.response.send_message(
        f"{text}|{number}|{flag}|{ratio}|{user.name}|{role.name}|{channel.name}|{data.decode()}"
        f"|{rights.manage_guild}|{rights.send_messages}|{interaction.app_permissions.send_messages}"
    )


@app_commands.command(description="Post in the channel with a nonce, twice")
async def post(interaction: discord.Interaction, nonce: str) -> None:
    await interaction.response.defer(ephemeral=True, thinking=True)
    assert isinstance(interaction.channel, discord.TextChannel)
    try:
        one = await interaction.channel.send("posted", nonce=nonce)
        two = await interaction.channel.send("posted again", nonce=nonce)
        await one.edit(content="posted, edited")
        answer = f"same={one.id == two.id}"
    except discord.HTTPException as error:
        answer = f"failed {error.status} {error.code}"
    except OSError as error:
        answer = f"broken {type(error).__name__}"
    except Exception as error:  # the HTTP library's own errors, e.g. a disconnect
        answer = f"broken {type(error).__name__}"
    await interaction.followup.send(answer)


@app_commands.command(description="Send a file")
async def files(interaction: discord.Interaction) -> None:
    embed = discord.Embed(title="Map").set_image(url="attachment://map.txt")
    await interaction.response.send_message(
        embed=embed, file=discord.File(io.BytesIO(b"cave"), "map.txt")
    )


@app_commands.command(description="Acknowledge twice")
async def twice(interaction: discord.Interaction) -> None:
    await interaction.response.send_message("once")


@app_commands.command(description="Autocomplete")
async def pick(interaction: discord.Interaction, word: str) -> None:
    await interaction.response.send_message(word)


@pick.autocomplete("word")
async def words(interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
    known = ("alpha", "beta", "alps")
    return [
        app_commands.Choice(name=word, value=word) for word in known if word.startswith(current)
    ]


@app_commands.command(description="Read the history")
async def read(interaction: discord.Interaction) -> None:
    assert isinstance(interaction.channel, discord.TextChannel)
    texts = [
        message.content
        async for message in interaction.channel.history(limit=150, oldest_first=True)
    ]
    await interaction.response.send_message(f"{len(texts)} {texts[0]}..{texts[-1]}", ephemeral=True)


@app_commands.command(description="Fetch guild, member, channel and message; edit the channel")
async def fetch(interaction: discord.Interaction) -> None:
    assert interaction.guild is not None and isinstance(interaction.channel, discord.TextChannel)
    guild = await interaction.client.fetch_guild(interaction.guild.id)
    member = await interaction.guild.fetch_member(interaction.user.id)
    channel = await interaction.client.fetch_channel(interaction.channel.id)
    message = await interaction.channel.send("short-lived")
    found = await interaction.channel.fetch_message(message.id)
    await found.delete()
    await interaction.channel.edit(topic="set by the bot")
    channels = await interaction.guild.fetch_channels()
    listed = await interaction.client.application_info()
    await interaction.response.send_message(
        f"{guild.name}|{member.name}|{channel}|{found.content}|{len(channels)}|{listed.name}"
    )


@app_commands.command(description="Call a route that does not exist")
async def unknown(interaction: discord.Interaction) -> None:
    try:
        await interaction.client.fetch_invite("nowhere")
    except discord.NotFound as error:
        await interaction.response.send_message(f"failed {error.status}")


scene = app_commands.Group(name="scene", description="Scenes")
part = app_commands.Group(name="part", description="Parts of scenes", parent=scene)


@scene.command(name="start", description="Start a scene")
async def start(interaction: discord.Interaction, title: str) -> None:
    await interaction.response.send_message(f"scene {title}")


@part.command(name="add", description="Add a part")
async def add(interaction: discord.Interaction, amount: int) -> None:
    await interaction.response.send_message(f"part {amount}")


def main() -> None:
    """Run the bot until it is stopped."""
    intents = discord.Intents.none()
    intents.guilds = True
    SampleBot(command_prefix=commands.when_mentioned, intents=intents).run(TOKEN, log_handler=None)
