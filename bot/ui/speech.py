"""Speaking as a character: the speaker's rights in the channel, and the way of the words."""

from __future__ import annotations

from functools import partial
from typing import Final

import discord

from bot.delivery.response import DISCORD_ERRORS
from bot.delivery.spoken_reach import Reach, message_reach
from bot.delivery.webhooks import Refusal, SpeakingChannel, may_use_webhook, speaking_channel
from bot.presenters.layout import Layout
from bot.presenters.speech import (
    bot_speaks_card,
    edit_dialog,
    is_webhook_name,
    message_stays_card,
    original_stays_card,
    post_dialog,
    unsaid_card,
    webhook_refused_card,
    who_said_card,
    withheld_words_card,
)
from bot.services.outbox_plan import speech_topic
from bot.services.perform import ActionResult
from bot.services.speech import (
    SpokenWords,
    require_own_words,
    words_by_id,
    words_of_message,
)
from bot.ui.context import Context
from bot.ui.router import Press, Router
from rules.core.errors import Impossible, InvalidInput, NotPermitted, Outdated
from rules.core.name_matching import speaker_key
from rules.table.actions import EditSaid, Say, Unsay
from rules.table.events import Said, Unsaid
from rules.table.permissions import public_name
from rules.table.scenes.speech import last_said_at, require_speaker, speech_of
from rules.table.state import AnyCharacter

#: Stands in an id for no character: the main one speaks.
_MAIN: Final = "-"


class SpeechPanel:
    """Handler of the dialogs of `/post` and of edits, and of the buttons for one's own words.

    `sg:speak:<table>:<character>` says a text. `sg:edsaid:<table>:<said>` opens the dialog whose
    `sg:respeak:<table>:<said>` edits it, and `sg:unsay:<table>:<said>` deletes it.
    """

    def __init__(self, router: Router) -> None:
        router.add_table_route("speak", self.say)
        router.add_table_route("edsaid", self.open_edit)
        router.add_table_route("respeak", self.edit, update=True)
        router.add_table_route("unsay", self.delete, update=True)

    async def say(self, ctx: Context, press: Press) -> None:
        """Say the text of the dialog."""
        who = press.text(1)
        await speak(ctx, press.inputs.get("text", ""), None if who == _MAIN else who)

    async def open_edit(self, ctx: Context, press: Press) -> None:
        """Open the dialog that edits what the user has said."""
        _require_rights(ctx)
        words = await _own_words(ctx, press.text(1))
        await _require_message(ctx, press.text(1))
        await ctx.open_modal(edit_dialog(ctx.table.id, words))

    async def edit(self, ctx: Context, press: Press) -> None:
        """Replace what was said with the text of the dialog."""
        _require_rights(ctx)
        await _own_words(ctx, press.text(1))
        await _require_message(ctx, press.text(1))
        text = press.inputs.get("text", "")
        done = await ctx.perform(EditSaid(**ctx.origin, said=press.text(1), text=text))
        await _tell_if_withheld(ctx, done)

    async def delete(self, ctx: Context, press: Press) -> None:
        """Delete what the user has said, and tell them if its message has to stay."""
        where = await _address(ctx, press.text(1))
        reach = await _reach(ctx, where)
        await ctx.perform(
            Unsay(**ctx.origin, said=press.text(1)), receipt=partial(_deletion_receipt, ctx)
        )
        may_delete = ctx.interaction.app_permissions.manage_messages
        if where is not None and reach == "orphaned" and not may_delete:
            await ctx.whisper(message_stays_card(ctx.table.guild, where))


async def speak(ctx: Context, text: str, as_: str | None) -> None:
    """Say something as a character. Raises as `_require_speaker`."""
    character = _require_speaker(ctx, as_)
    permissions = ctx.interaction.permissions
    action = Say(**ctx.origin, text=text, as_=as_, embeds=permissions.embed_links)
    done = await ctx.perform(action)
    if await _tell_if_withheld(ctx, done):
        return
    name = public_name(character)
    channel = speaking_channel(ctx.interaction.channel)
    refused_name = not is_webhook_name(name)
    if refused_name or channel is None or not may_use_webhook(channel):
        await ctx.whisper(bot_speaks_card(name, refused_name=refused_name))
        return
    refusal = await _refusal(ctx, channel)
    if refusal is not None:
        await ctx.whisper(webhook_refused_card(name, refusal))


async def _tell_if_withheld(ctx: Context, done: ActionResult) -> bool:
    """Tell the user if the channel doesn't show what they said in a whisper scene.

    That is so while a member from outside the scene reads along. Returns whether it is.
    """
    event = next((event for event in done.events if isinstance(event, Said)), None)
    if event is None or not event.audience.whisper:
        return False
    audience = event.audience
    whispers = ctx.interactions.outbox.whispers
    try:
        leak = await whispers.leak(done.table, audience.whisper, audience.people)
    except DISCORD_ERRORS:
        return False  # the sender asks again
    if leak is None:
        return False
    await ctx.whisper(withheld_words_card(event, leak[1]))
    return True


def _deletion_receipt(ctx: Context, done: ActionResult) -> Layout | None:
    """Return the answer to the user who has deleted their words."""
    for event in done.events:
        if isinstance(event, Unsaid):
            return unsaid_card(event, ctx.scene, yours=True)
    return None


async def _refusal(ctx: Context, channel: SpeakingChannel) -> Refusal | None:
    """Return why Discord makes no webhook here; None if it does or the user was told today."""
    webhooks = ctx.interactions.outbox.channels.webhooks
    try:
        found = await webhooks.find(ctx.table.guild, ctx.place)
    except DISCORD_ERRORS:
        return None  # the sender tries again
    at = ctx.interactions.clock()
    if found is not None or not webhooks.take_hint(ctx.interaction.user.id, ctx.place, at):
        return None
    return webhooks.refusal(channel)


async def open_post(ctx: Context, as_: str | None) -> None:
    """Open the dialog for a long text. Raises as `_require_speaker`."""
    character = _require_speaker(ctx, as_)
    who = _MAIN if as_ is None else character.id
    await ctx.open_modal(post_dialog(ctx.table.id, who, public_name(character)))


async def repost(ctx: Context, message: discord.Message) -> None:
    """Say the text of the user's own post as their character, and delete the post.

    Raises InvalidInput("not-your-post", "nothing-said"), and as `_require_speaker`.
    """
    if message.author.id != ctx.interaction.user.id:
        raise InvalidInput("not-your-post", field="message", value=None)
    if not message.content.strip():
        raise InvalidInput("nothing-said", field="message", value=None)
    await speak(ctx, message.content, None)
    if message.attachments or not ctx.interaction.app_permissions.manage_messages:
        await ctx.whisper(original_stays_card())
        return
    try:
        await message.delete()
    except DISCORD_ERRORS:
        await ctx.whisper(original_stays_card())


async def show_speaker(ctx: Context, message: discord.Message) -> None:
    """Show who said what stands in a message, and to that user the buttons to change it.

    Raises as `words_of_message`.
    """
    await ctx.interactions.outbox.delivery_log.flush()
    words = await words_of_message(ctx.interactions.tables, ctx.table, ctx.place, message.id)
    said, actor = words.event, ctx.actor.id
    own = said.by == actor and speech_of(ctx.table.state, said.said) is not None
    await ctx.show(who_said_card(words, ctx.scene, own=own))


async def _own_words(ctx: Context, said: str) -> SpokenWords:
    """Return what the user has said and can still change. Raises as `require_own_words`."""
    words = await words_by_id(ctx.interactions.tables, ctx.table, said)
    require_own_words(ctx.table, ctx.actor, words)
    return words


async def _require_message(ctx: Context, said: str) -> None:
    """Require that the bot can still edit the message with what was said.

    Raises Outdated("said-message-gone", "said-message-orphaned").
    """
    reach = await _reach(ctx, await _address(ctx, said))
    if reach == "gone":
        raise Outdated("said-message-gone")
    if reach == "orphaned":
        raise Outdated("said-message-orphaned")


async def _address(ctx: Context, said: str) -> str | None:
    """Return the address of the message with what was said, or None before it is sent."""
    await ctx.interactions.outbox.delivery_log.flush()
    outs = await ctx.interactions.tables.store.rows_on_topic(ctx.table.id, speech_topic(said))
    for row in outs:
        if row.message is not None and not row.closed:
            return row.message
    return None


async def _reach(ctx: Context, where: str | None) -> Reach:
    """Return what the bot can do with a message; one that isn't sent yet can still change."""
    if where is None:
        return "editable"
    return await message_reach(ctx.interactions.outbox.channels, ctx.table.guild, where)


def _require_speaker(ctx: Context, as_: str | None) -> AnyCharacter:
    """Return the character as which the user may speak here.

    Raises Impossible("name-of-member", "slow-mode"), and as `require_speaker` and
    `_require_rights`.
    """
    state = ctx.table.state
    character = require_speaker(state, Say(**ctx.origin, text="", as_=as_))
    _require_rights(ctx)
    _require_own_name(ctx, public_name(character))
    last = last_said_at(state, ctx.actor.id, ctx.place)
    delay = getattr(ctx.interaction.channel, "slowmode_delay", 0)
    left = 0 if last is None else last + delay - ctx.interactions.clock()
    permissions = ctx.interaction.permissions
    if left > 0 and not (permissions.manage_messages or permissions.manage_channels):
        raise Impossible("slow-mode", seconds=left)
    return character


def _require_rights(ctx: Context) -> None:
    """Require that the user may write here themselves: Discord doesn't ask this of a webhook.

    Raises NotPermitted("may-not-write-here").
    """
    user, channel = ctx.interaction.user, ctx.interaction.channel
    permissions = ctx.interaction.permissions
    may_write = permissions.send_messages
    if isinstance(channel, discord.Thread):
        may_write = permissions.send_messages_in_threads
        if channel.locked and not permissions.manage_threads:
            may_write = False
    timed_out = isinstance(user, discord.Member) and user.is_timed_out()
    if not may_write or timed_out:
        raise NotPermitted("may-not-write-here")


def _require_own_name(ctx: Context, name: str) -> None:
    """Require that a name isn't that of another person, who would seem to speak.

    Raises Impossible("name-of-member").
    """
    directory, guild = ctx.table.directory, ctx.interaction.guild
    own = {directory.name(ctx.actor.id), ctx.interaction.user.display_name}
    others = {directory.name(who) for who in directory.participants() if who != ctx.actor.id}
    if guild is not None:
        members = [*guild.members, guild.owner, guild.me]
        others.update(
            member.display_name
            for member in members
            if member is not None and member.id != ctx.interaction.user.id
        )
    wanted = speaker_key(name)
    is_own = wanted in map(speaker_key, own)
    if not is_own and wanted in map(speaker_key, others):
        raise Impossible("name-of-member", name=name)
