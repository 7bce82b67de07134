"""Words of characters in channels: sent under the character's name, edited, deleted, found again.

A message of a webhook has no number of its row. After a crash it's found by its time, its name and
its text among the messages of the webhook.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Final

import discord

from bot.delivery.channels import Channels
from bot.delivery.delivery_log import DeliveryLog
from bot.delivery.table_scene import scene_of
from bot.delivery.webhooks import NOT_ITS_MESSAGE, UNKNOWN_WEBHOOK, is_refusal, thread_of
from bot.delivery.whisper_places import WhisperPlaces
from bot.presenters.events import event_cards
from bot.presenters.render import to_messages
from bot.presenters.speech import is_webhook_name, speech_pages
from bot.services.loaded_table import Table
from bot.services.speech import present_words
from bot.services.tables import Tables
from bot.storage.row_records import OutboxRow
from rules.table.actions import EditSaid
from rules.table.events import Event, Said

log = logging.getLogger("storyguide.outbox")

_NO_PINGS: Final = discord.AllowedMentions.none()


class SpokenMessages:
    """Sender of the rows of the kind `say`.

    All methods that ask Discord may raise one of `bot.delivery.response.DISCORD_ERRORS`.
    """

    def __init__(
        self,
        channels: Channels,
        tables: Tables,
        delivery_log: DeliveryLog,
        whispers: WhisperPlaces,
    ) -> None:
        self._whispers = whispers
        self._channels = channels
        self._tables = tables
        self._delivery_log = delivery_log
        self._webhooks = channels.webhooks
        #: Texts of rows whose later pages failed, with the ids of the pages that are there.
        self._partly_sent: dict[int, tuple[tuple[str, ...], list[str]]] = {}

    async def carry(self, table: Table, out: OutboxRow, seq: int) -> str:
        """Send the words of a row, or edit the message in which they stand.

        Returns the address of the row's message; empty for an edit.
        """
        outs = await self._rows(out)
        words = await present_words(self._tables.store, outs)
        sent = next((row for row in outs if row.message is not None and not row.closed), None)
        if words is None:
            return ""
        if sent is not None:
            await self._redraw(table, sent, words.event, seq)
            if sent.id != out.id or sent.message is None:
                return ""
            return sent.message
        # An edit has no message of its own: the row of what was first said sends the newest text.
        if outs[0].id != out.id:
            return ""
        return await self._send(table, out, words.event, seq)

    async def restore(self, table: Table, entries: Sequence[int], seq: int) -> None:
        """Show the earlier text again in messages of which edits were undone.

        A message of a whisper scene stays as it is while others read along.
        """
        store = self._tables.store
        for row, _ in await store.entries_at(table.id, entries):
            request = None
            if row.kind == EditSaid.__name__:
                request = await store.find_request(row.request_id)
            for out in () if request is None else request[1]:
                if out.kind == "say" and not await self.is_withheld(table, out):
                    await self.carry(table, out, seq)

    async def is_withheld(self, table: Table, out: OutboxRow) -> bool:
        """Return whether the present words of a row may not stand in its channel now.

        They are of a whisper scene, and a member from outside reads along.
        """
        words = await present_words(self._tables.store, await self._rows(out))
        if words is None or not words.event.audience.whisper:
            return False
        audience = words.event.audience
        return await self._whispers.leak(table, audience.whisper, audience.people) is not None

    async def take_away(self, table: Table, sent: OutboxRow) -> None:
        """Delete a message in which a character speaks; it may be deleted already."""
        if sent.message is None:
            return
        place, *pages = sent.message.split("/")
        webhook = await self._webhooks.find(table.guild, place, make=False)
        for page in pages:
            if webhook is None or not await self._delete_page(webhook, place, int(page)):
                await self._channels.delete(f"{place}/{page}")
        self._delivery_log.record_closed([sent])

    async def find_sent(self, table: Table, out: OutboxRow, event: Event) -> str | None:
        """Return the address of a row's message that was sent without being recorded, or None.

        An edit is not looked for: it is repeated, and a repeated edit changes nothing.
        """
        if not isinstance(event, Said) or event.edited:
            return None
        webhook = await self._webhooks.find(table.guild, out.place)
        if webhook is not None:
            where = await self._find_spoken(webhook, out, event)
            if where is not None:
                return where
        return await self._channels.find_sent(out, None, None)

    # --- sending ----------------------------------------------------------------------------------

    async def _rows(self, out: OutboxRow) -> tuple[OutboxRow, ...]:
        """Return the rows about the same words, the first of them first."""
        await self._delivery_log.flush()
        rows = await self._tables.store.rows_on_topic(out.table_id, out.topic or "")
        return tuple(row for row in rows if row.kind == "say")

    async def _send(self, table: Table, out: OutboxRow, event: Said, seq: int) -> str:
        """Speak by the channel's webhook, or else as the bot; return the message's address.

        Once a page is there, a refusal is raised: the next try sends the missing pages.
        """
        pages = speech_pages(event)
        if is_webhook_name(event.name):
            # A webhook that is gone is made anew, once.
            for _ in range(2):
                webhook = await self._webhooks.find(table.guild, out.place)
                if webhook is None:
                    break
                earlier, sent = self._partly_sent.pop(out.id, (pages, []))
                if earlier != pages:
                    sent = []
                try:
                    return await self._speak(webhook, out.place, event, pages, sent)
                except discord.HTTPException as error:
                    if error.code == UNKNOWN_WEBHOOK:
                        self._webhooks.forget(webhook)
                    if sent:
                        self._partly_sent[out.id] = (pages, sent)
                    if sent or not is_refusal(error):
                        raise
                    if error.code != UNKNOWN_WEBHOOK:
                        log.warning("speech.refused", extra={"out": out.id, "code": error.code})
                        break
        return await self._channels.post_all(out.place, self._cards(table, out, event, seq), out.id)

    async def _speak(
        self,
        webhook: discord.Webhook,
        place: str,
        event: Said,
        pages: Sequence[str],
        sent_ids: list[str] | None = None,
    ) -> str:
        """Send pages by a webhook, and return their address.

        *sent_ids* has the ids of the first pages that are there, and gets those of the others.
        """
        ids: list[str] = [] if sent_ids is None else sent_ids
        for page in pages[len(ids) :]:
            sent = await webhook.send(
                page,
                username=event.name,
                avatar_url=event.portrait or discord.utils.MISSING,
                allowed_mentions=_NO_PINGS,
                suppress_embeds=not event.embeds,
                thread=thread_of(webhook, place),
                wait=True,
            )
            log.debug("speech.page-sent", extra={"count": len(ids) + 1})
            ids.append(str(sent.id))
        return "/".join((place, *ids))

    def _cards(self, table: Table, out: OutboxRow, event: Said, seq: int) -> list[dict[str, Any]]:
        """Return a character's words as messages of the bot."""
        return to_messages(*event_cards((event,), scene_of(table), seq), row=out.id)

    # --- changes ----------------------------------------------------------------------------------

    async def _redraw(self, table: Table, sent: OutboxRow, event: Said, seq: int) -> None:
        """Show the present text in a message; one that is gone stays gone."""
        place, *pages = (sent.message or "").split("/")
        webhook = await self._webhooks.find(table.guild, place, make=False)
        if webhook is None or not await self._edit_pages(webhook, sent, event):
            cards = self._cards(table, sent, event, seq)
            where, refused = await self._channels.edit_all(sent.message or "", cards, sent.id)
            if refused is not None:
                log.info("speech.not-edited", extra={"out": sent.id, "code": refused.code})
            elif where.count("/") != len(pages):
                self._delivery_log.record_delivery(sent, where)

    async def _edit_pages(self, webhook: discord.Webhook, sent: OutboxRow, event: Said) -> bool:
        """Edit a webhook's message page by page; return whether its first page is the webhook's.

        A later page that is gone is sent again, with all pages after it.
        """
        place, *there = (sent.message or "").split("/")
        pages = speech_pages(event)
        edited = 0
        for id, page in zip(there, pages, strict=False):
            if not await self._edit_page(webhook, place, int(id), page):
                break
            edited += 1
        if there and edited == 0:
            return False
        for id in there[edited:]:
            await self._delete_page(webhook, place, int(id))
        kept = "/".join((place, *there[:edited]))
        if edited < len(pages):
            more = await self._speak(webhook, place, event, pages[edited:])
            kept = f"{kept}/{more.partition('/')[2]}"
        if kept != sent.message:
            self._delivery_log.record_delivery(sent, kept)
        return True

    async def _edit_page(self, webhook: discord.Webhook, place: str, id: int, page: str) -> bool:
        """Edit a message of a webhook; return whether it was the webhook's.

        An archived thread is opened first.
        """
        thread = thread_of(webhook, place)
        try:
            await self._channels.run_in_open_thread(
                int(place),
                lambda: webhook.edit_message(
                    id, content=page, allowed_mentions=_NO_PINGS, thread=thread
                ),
            )
        except discord.HTTPException as error:
            if error.code not in NOT_ITS_MESSAGE:
                raise
            return False
        return True

    async def _delete_page(self, webhook: discord.Webhook, place: str, id: int) -> bool:
        """Delete a message of a webhook; return whether it was the webhook's.

        An archived thread is opened first.
        """
        try:
            await self._channels.run_in_open_thread(
                int(place), lambda: webhook.delete_message(id, thread=thread_of(webhook, place))
            )
        except discord.HTTPException as error:
            if error.code not in NOT_ITS_MESSAGE:
                raise
            return False
        return True

    # --- after a crash ----------------------------------------------------------------------------

    async def _find_spoken(
        self, webhook: discord.Webhook, out: OutboxRow, event: Said
    ) -> str | None:
        """Find the pages of a row in its channel; missing ones are sent.

        Messages that are known to be of other rows don't count.
        """
        await self._delivery_log.flush()
        store = self._tables.store
        others = await store.messages_near(out)
        since = await store.last_interaction_id(out.journal_id)
        pages, found = speech_pages(event), list[str]()
        for message in await self._channels.messages_of(out.place, webhook.id, since):
            if str(message.id) in others or message.author.name != event.name:
                continue
            if await self._text(webhook, out.place, message) == pages[len(found)]:
                found.append(str(message.id))
            if len(found) == len(pages):
                break
        if not found:
            return None
        where = "/".join((out.place, *found))
        if len(found) < len(pages):
            more = await self._speak(webhook, out.place, event, pages[len(found) :])
            where = f"{where}/{more.partition('/')[2]}"
        return where

    async def _text(
        self, webhook: discord.Webhook, place: str, message: discord.Message
    ) -> str | None:
        """Return the text of a webhook's message, which a channel's history may leave out."""
        if message.content:
            return message.content
        try:
            whole = await webhook.fetch_message(message.id, thread=thread_of(webhook, place))
        except discord.NotFound:
            return None
        return whole.content
