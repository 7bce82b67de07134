"""`/table doctor`: missing rights of the bot, and messages that were not delivered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import discord

from bot.delivery.channel_privacy import gm_channel_leak
from bot.delivery.channel_rights import RIGHTS, missing_rights
from bot.delivery.refused_messages import RefusedMessages
from bot.delivery.webhooks import may_use_webhook, speaking_channel
from bot.presenters.catalog_cards import card
from bot.presenters.controls import Button
from bot.presenters.language.text import Markdown
from bot.presenters.language.words import label_text, phrase, say
from bot.presenters.layout import Heading, Layout, Piece
from bot.storage.row_records import OutboxRow
from bot.ui.context import Context
from rules.core.record import Record
from rules.table.blocks import Text
from rules.table.played_scenes import open_scenes


class PlaceCheck(Record):
    """Check of a channel."""

    place: str
    there: bool
    #: Names of the missing rights in Discord's settings.
    lacking: tuple[str, ...] = ()
    #: The bot may pin messages.
    pins: bool = True
    #: The bot may speak as characters there, or nobody speaks there as a character.
    speaks: bool = True


async def permissions_card(ctx: Context) -> Layout:
    """Return the card with the table's places and GM channel, the verdict first.

    GMs also see undelivered messages, and a button if refused ones wait.
    """
    guild, table, outbox = ctx.interaction.guild, ctx.table, ctx.interactions.outbox
    places = filter(ctx.reader.can_view, ctx.interactions.tables.places.places_of(table.id))
    speaking = table.state.settings.speaking
    results = [await _check(guild, place, speaking=speaking) for place in places]
    lines: list[str | Piece] = [phrase("place-checked", about=check) for check in results]
    gm_place, leak, again = table.state.settings.gm_place, None, False
    if gm_place is not None:
        leak = gm_channel_leak(
            guild.get_channel(int(gm_place)) if guild is not None else None, table
        )
        results.append(await _check(guild, gm_place, has_threads=False))
        lines += [
            Heading(say(Text("settings-gm-channel"))),
            phrase("place-checked", about=results[-1]),
        ]
        if leak is None:
            lines.append(say(Text("doctor-safe")))
        elif not ctx.gm:
            lines.append(say(Text("doctor-unsafe")))
        else:
            kind, whom = leak
            lines.append(f"- {say(Text(f'gm-channel-{kind}', {'whom': whom}))}")
    if ctx.gm:
        lines += await _whisper_lines(ctx)
        await outbox.delivery_log.flush()
        waiting = await ctx.interactions.tables.store.unsent_rows(table.id)
        again = any(out in outbox.refused for out in waiting)
        lines += [
            Heading(say(Text("doctor-undelivered"))),
            *(_undelivered(waiting, outbox.refused) or [say(Text("doctor-nothing"))]),
        ]
    well = (
        not again and leak is None and all(check.there and not check.lacking for check in results)
    )
    rows = (
        ((Button(f"sg:deliver:{table.id}", label_text("doctor-again"), "primary"),),)
        if again
        else ()
    )
    return card("own", "permissions", None, *lines, rows=rows, well=well)


async def _whisper_lines(ctx: Context) -> list[str | Piece]:
    """Return lines for open whisper scenes: whether anybody outside of the cast reads along."""
    lines: list[str | Piece] = []
    for scene in open_scenes(ctx.table.state):
        if not scene.private or scene.opening:
            continue
        leak = await ctx.interactions.outbox.whispers.leak(ctx.table, scene.place, ())
        whom = "" if leak is None else leak[1]
        lines.append(phrase("doctor-whisper", place=scene.place, whom=Markdown(whom)))
    return [Heading(say(Text("doctor-whispers"))), *lines] if lines else []


def _undelivered(waiting: Iterable[OutboxRow], refused: RefusedMessages) -> list[str]:
    """Return lines for undelivered messages, counted by place and error.

    A recorded error is the kind of failure, with Discord's code if there is one.
    """
    alike = Counter(
        (out.place, out.error or "", out in refused, out in refused and refused.is_retrying(out))
        for out in waiting
    )
    lines: list[str] = []
    for (place, error, kept, later), count in alike.items():
        kind, _, code = error.rpartition(" ")
        why = {"error": error, "kind": kind, "code": "" if code == "0" else code}
        lines.append(
            phrase("undelivered", place=place, count=count, refused=kept, later=later, **why)
        )
    return lines


async def _check(
    guild: discord.Guild | None, place: str, *, has_threads: bool = True, speaking: bool = False
) -> PlaceCheck:
    if guild is None:
        return PlaceCheck(place, there=False)
    channel = guild.get_channel_or_thread(int(place))
    try:
        if channel is None:
            channel = await guild.fetch_channel(int(place))  # an archived thread is in no cache
        rights = channel.permissions_for(guild.me)
    except (discord.NotFound, discord.Forbidden, discord.ClientException):
        # ClientException: the bot sees the thread, but not its channel.
        return PlaceCheck(place, there=False)
    lacking, no_pins = missing_rights(channel, rights, has_threads=has_threads)
    speaker = speaking_channel(channel)
    speaks = not speaking or (speaker is not None and may_use_webhook(speaker))
    names = tuple(RIGHTS[right] for right in lacking)
    return PlaceCheck(place, True, names, pins=not no_pins, speaks=speaks)
