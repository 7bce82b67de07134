"""Answers to interactions: in time, once, and never public by accident."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

import aiohttp
import discord
from discord.http import MultipartParameters, Route, json_or_text
from discord.webhook.async_ import AsyncWebhookAdapter, async_context
from pydantic_core import to_json
from yarl import URL

from bot.delivery.drawn_pictures import draw_pictures
from bot.presenters.layout import Layout
from bot.presenters.render import as_edit, to_messages
from bot.worker_process import WorkerProcess

log = logging.getLogger("storyguide.response")

#: Seconds after which an overdue answer is announced; Discord waits three.
DEFER_AFTER = 2.0
_ANNOUNCED: Final = discord.InteractionResponseType.deferred_channel_message
#: Discord's codes for an interaction that can't get its first answer any more.
UNKNOWN_INTERACTION = 10062
ALREADY_ANSWERED = 40060
#: Errors of a request to Discord: its refusals, and broken connections of all kinds.
DISCORD_ERRORS: Final = (discord.HTTPException, aiohttp.ClientError, OSError)


#: The id of the answer's message in Discord's reply. Message texts can't match: quotes are escaped
#: there.
_MADE: Final = re.compile(rb'"response_message_id"\s*:\s*"(\d+)"')
_JSON: Final = {"Content-Type": "application/json"}
#: HTTP statuses of refusals with an exception of their own.
_REFUSALS: Final[Mapping[int, type[discord.HTTPException]]] = {
    403: discord.Forbidden,
    404: discord.NotFound,
}


class InteractionAdapter(AsyncWebhookAdapter):
    """discord.py's adapter for interaction answers, without unneeded work for a single answer.

    Every interaction has a token of its own, so no rate limit is tracked. Of Discord's message only
    the id is read. The library does all the work if Discord asks to wait, or if files go with the
    answer. discord.py's version is pinned, and a test watches the names used here.
    """

    async def create_interaction_response(
        self,
        interaction_id: int,
        token: str,
        *,
        session: aiohttp.ClientSession,
        proxy: str | None = None,
        proxy_auth: aiohttp.BasicAuth | None = None,
        params: MultipartParameters,
    ) -> Any:
        """Send the answer. Raises as the library does."""
        if not params.files and proxy is None:
            message = await self._post(session, interaction_id, token, params.payload)
            if message is not None:
                return {
                    "interaction": {"id": interaction_id, "response_message_id": message or None}
                }
        callback = await super().create_interaction_response(
            interaction_id,
            token,
            session=session,
            proxy=proxy,
            proxy_auth=proxy_auth,
            params=params,
        )
        callback.pop("resource", None)
        return callback

    @staticmethod
    async def _post(
        session: aiohttp.ClientSession,
        interaction_id: int,
        token: str,
        payload: Mapping[str, Any] | None,
    ) -> str | None:
        """Send an answer once and return the id of its message, empty if it made none.

        None if Discord asks to try later.
        """
        key = f"{interaction_id}/{quote(token, safe='')}"
        path = f"{Route.BASE}/interactions/{key}/callback?with_response=1"
        async with session.post(
            URL(path, encoded=True), data=to_json(payload), headers=_JSON
        ) as response:
            if response.status == 429 or response.status >= 500:
                return None
            if response.status >= 300:
                refusal = _REFUSALS.get(response.status, discord.HTTPException)
                raise refusal(response, await json_or_text(response))
            match = _MADE.search(await response.read())
            return "" if match is None else match[1].decode()

    @classmethod
    def install(cls) -> None:
        """Use this adapter in the present task and every task that it starts."""
        async_context.set(cls())


class Response:
    """The answer to one interaction.

    `public` is fixed from the start, because a deferral can't change it later. `update` edits the
    message of the pressed button instead of sending a new one, if that message is ephemeral: a
    public message is never overwritten. `late` is called when the answer is overdue and is
    announced.
    """

    #: Whether the user reads plain text; set only for answers without a context.
    plain = False

    def __init__(
        self,
        interaction: discord.Interaction,
        late: Callable[[], None],
        aside: WorkerProcess,
        *,
        public: bool,
        update: bool = False,
    ) -> None:
        self.interaction = interaction
        self.public = public
        self._update = update and is_private(interaction)
        self._silent = False
        #: Whether the answer goes silent if all its events are public.
        self.brief = False
        self._said = False
        #: Whether a public answer is announced to the user alone. A refused command may name a
        #: secret, such as a card in hand.
        self.guarded = False
        #: Whether the pressed message has nothing to keep: an outdated refusal takes its place.
        self.passing = False
        #: Whether the answer was a dialog.
        self.opened = False
        self._deferral: asyncio.Task[None] | None = None
        self._late = late
        self._aside = aside
        self._timer = asyncio.get_running_loop().call_later(DEFER_AFTER, self._defer_late)

    def go_public(self) -> None:
        """Make a private answer public; no effect once a deferral has begun."""
        if self._deferral is None:
            self.public = True

    def go_private(self) -> None:
        """Make a public answer private; no effect once a deferral has begun."""
        if self._deferral is None:
            self.public = False

    @property
    def silent(self) -> bool:
        """True if the answer says nothing."""
        return self._silent

    def go_silent(self) -> None:
        """Send no answer, since the result can be seen elsewhere; refusals are still sent."""
        self._silent = True

    @property
    def _unseen(self) -> bool:
        """True if a public answer was announced to the user alone."""
        return (
            self.public
            and self.guarded
            and not self._said
            and self.interaction.response.type is _ANNOUNCED
        )

    @property
    def announceable(self) -> bool:
        """True if the answer may be announced at once: a command's, which is never a dialog."""
        return self.interaction.type is discord.InteractionType.application_command

    async def announce(self) -> None:
        """Announce the answer to Discord now."""
        if self._deferral is None:
            self._start_deferral()
        await self.stop()

    def _defer_late(self) -> None:
        self._late()
        self._start_deferral()

    def _start_deferral(self) -> None:
        self._timer.cancel()
        self._deferral = asyncio.create_task(self._defer(), name="defer")

    async def _defer(self) -> None:
        response = self.interaction.response
        try:
            if response.is_done():
                return
            if self._update or self._silent:
                await response.defer()
            else:
                await response.defer(ephemeral=not self.public or self.guarded, thinking=True)
        except DISCORD_ERRORS as error:
            log.warning("response.defer-failed", extra={"reason": type(error).__name__})

    async def stop(self) -> None:
        """Start no deferral any more, and wait for one that has started."""
        self._timer.cancel()
        if self._deferral is not None:
            await asyncio.wait([self._deferral])

    async def show(self, *cards: Layout) -> None:
        """Answer with cards, without any change of state. Raises as `say`."""
        await self.say(to_messages(*cards, plain=self.plain))

    async def say(self, messages: Sequence[dict[str, Any]]) -> tuple[int, ...]:
        """Give the answer: the first message as the response, the rest as follow-ups of the same
        audience.

        Returns the ids of the messages, none if Discord does not tell that of the first. Raises
        one of `DISCORD_ERRORS` if the first message cannot be sent; a follow-up that fails is only
        logged.
        """
        messages = await draw_pictures(messages, self._aside)
        await self.stop()
        interaction, response = self.interaction, self.interaction.response
        if self._silent:
            await self._say_nothing()
            return ()
        first, *rest = messages
        ephemeral = not self.public
        message_id: int | None
        if not response.is_done():
            if self._update:
                await response.edit_message(**self._edit(first))
                message_id = interaction.message.id if interaction.message else None
            else:
                sent = await response.send_message(**first, ephemeral=ephemeral)
                message_id = sent.message_id
        elif not self._said and response.type in (
            _ANNOUNCED,
            discord.InteractionResponseType.deferred_message_update,
        ):
            edited = await interaction.edit_original_response(**self._edit(first))
            message_id = edited.id
            if self.public and _has_ping(first):
                # The announced answer is an edit, and edits ping no user.
                call = {"content": first["content"], "allowed_mentions": first["allowed_mentions"]}
                rest = [*rest, call]
        else:
            followed = await interaction.followup.send(**first, ephemeral=ephemeral, wait=True)
            message_id = followed.id
        self._said = True
        log.debug("response.answered")
        ids = [message_id]
        try:
            for message in rest:
                followed = await interaction.followup.send(
                    **message, ephemeral=ephemeral, wait=True
                )
                ids.append(followed.id)
                log.debug("response.followed")
        except DISCORD_ERRORS as error:
            log.warning("response.cut-short", extra={"reason": type(error).__name__})
        if message_id is None:
            return ()
        return tuple([known_id for known_id in ids if known_id is not None])

    async def replace_answer(self, messages: Sequence[dict[str, Any]]) -> None:
        """Replace the first message of a command's answer. A failure is only logged."""
        (first,) = await draw_pictures(messages[:1], self._aside)
        await self._replace(first)

    async def withdraw_deferral(self) -> bool:
        """Take back a public answer that was announced to the user alone.

        Returns whether there was one; the answer is then sent otherwise.
        """
        await self.stop()
        if not self._unseen:
            return False
        await self.interaction.delete_original_response()
        return True

    async def show_progress(self, messages: Sequence[dict[str, Any]]) -> None:
        """Show a message in place of the announcement until the answer comes.

        A failure is only logged.
        """
        await self.stop()
        await self._replace(messages[0])

    async def _replace(self, message: dict[str, Any]) -> None:
        try:
            await self.interaction.edit_original_response(**self._edit(message))
        except DISCORD_ERRORS as error:
            log.debug("response.not-shown", extra={"reason": type(error).__name__})

    async def update_source(self, messages: Sequence[dict[str, Any]]) -> None:
        """Replace the message of the pressed button after a silent answer.

        If that is too late, the message stays, and its buttons say that they are out of date. A
        public message is not overwritten: then this is a message of its own.
        """
        if not is_private(self.interaction):
            await self.whisper(messages)
            return
        (first,) = await draw_pictures(messages[:1], self._aside)
        await self._replace(first)

    async def _say_nothing(self) -> None:
        """Acknowledge the interaction without a message."""
        response = self.interaction.response
        if not response.is_done():
            await response.defer()
        elif response.type is _ANNOUNCED:
            await self.interaction.delete_original_response()

    def _edit(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the message as an edit, without the old files; a layout stays a layout."""
        source = self.interaction.message
        laid = self._update and source is not None and source.flags.components_v2
        return {**as_edit(message, layout=laid), "attachments": message.get("files", [])}

    async def refuse(self, messages: Sequence[dict[str, Any]], *, outdated: bool) -> None:
        """Show a refusal to the user alone.

        An outdated refusal takes the place of a message that has nothing to keep.
        """
        if outdated and self.passing and self._update:
            await self.say(messages)
        else:
            await self.whisper(messages)

    async def whisper(self, messages: Sequence[dict[str, Any]]) -> None:
        """Show messages to the user alone, whatever the answer's audience was going to be."""
        messages = await draw_pictures(messages, self._aside)
        await self.stop()
        interaction, response = self.interaction, self.interaction.response
        if not response.is_done():
            await response.send_message(**messages[0], ephemeral=True)
            log.debug("response.whispered")
            messages = messages[1:]
        elif self.public and not self._unseen and response.type is _ANNOUNCED:
            # The first follow-up would take the public place that was announced.
            await interaction.delete_original_response()
        for message in messages:
            await interaction.followup.send(**message, ephemeral=True)
            log.debug("response.whispered")

    async def open_modal(self, modal: discord.ui.Modal) -> None:
        """Open a dialog; only possible as the very first answer."""
        self.opened = True
        self._timer.cancel()
        await self.interaction.response.send_modal(modal)


def is_private(interaction: discord.Interaction) -> bool:
    """Return whether the pressed message is ephemeral, so that the answer may replace it."""
    message = interaction.message
    return message is not None and message.flags.ephemeral


def _has_ping(message: dict[str, Any]) -> bool:
    """Return whether the message pings users or roles."""
    mentions: discord.AllowedMentions = message["allowed_mentions"]
    return "content" in message and bool(mentions.users or mentions.roles)


def may_have_succeeded(error: BaseException) -> bool:
    """Return whether Discord may have carried out a failed request.

    That is so if the connection broke, or if Discord itself failed.
    """
    return not isinstance(error, discord.HTTPException) or error.status >= 500


class RateLimited(Exception):
    """Discord's request to wait longer than the library does. `reason` is the page that says so."""

    reason = "rate-limited"


def is_outage(error: BaseException) -> bool:
    """Return whether the fault is Discord's, not the message's: an outage, or a rate limit."""
    return may_have_succeeded(error) or is_rate_limit(error)


def is_rate_limit(error: BaseException) -> bool:
    """Return whether Discord asks to wait longer than the library does."""
    return isinstance(error, discord.HTTPException) and error.status == 429
