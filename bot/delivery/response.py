"""Answering an interaction: in time, once, and never in public by accident."""

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

#: Seconds after which an answer that is not there yet is announced; Discord waits three.
DEFER_AFTER = 2.0
_ANNOUNCED: Final = discord.InteractionResponseType.deferred_channel_message
#: What the first answer to an interaction cannot be given for any more.
UNKNOWN_INTERACTION = 10062
ALREADY_ANSWERED = 40060
#: What asking Discord for something may raise: its refusals, and broken connections of all kinds.
DISCORD_ERRORS: Final = (discord.HTTPException, aiohttp.ClientError, OSError)


#: Where Discord names the message it made of an answer. Nobody can write this into a text: quotes
#: are escaped there.
_MADE: Final = re.compile(rb'"response_message_id"\s*:\s*"(\d+)"')
_JSON: Final = {"Content-Type": "application/json"}
#: What Discord refuses with these has an exception of its own.
_REFUSALS: Final[Mapping[int, type[discord.HTTPException]]] = {
    403: discord.Forbidden,
    404: discord.NotFound,
}


class InteractionAdapter(AsyncWebhookAdapter):
    """What discord.py answers interactions through, without what a single answer does not need.

    Every interaction has a token of its own, so that nothing has to be kept about its rate limit;
    and of the message that Discord sends back only the id is read. Where Discord asks for patience,
    or files go with the answer, the library does it all. discord.py's version is pinned, and a test
    watches the names used here.
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
        """Sends the answer. Raises what the library does."""
        if not params.files and proxy is None:
            message = await self._post(session, interaction_id, token, params.payload)
            if message is not None:
                return {
                    "interaction": {"id": interaction_id, "response_message_id": message or None}
                }
        made = await super().create_interaction_response(
            interaction_id,
            token,
            session=session,
            proxy=proxy,
            proxy_auth=proxy_auth,
            params=params,
        )
        made.pop("resource", None)
        return made

    @staticmethod
    async def _post(
        session: aiohttp.ClientSession,
        interaction_id: int,
        token: str,
        payload: Mapping[str, Any] | None,
    ) -> str | None:
        """Sends an answer once. The id of the message it made, empty if it made none; None: not
        now, but later.
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
            made = _MADE.search(await response.read())
            return "" if made is None else made[1].decode()

    @classmethod
    def install(cls) -> None:
        """Answer through this in the present task and whatever it starts."""
        async_context.set(cls())


class Response:
    """The answer to one interaction.

    `public` is decided before anything else, because a deferral cannot change it later. `update`
    edits the message whose button was pressed instead of sending a new one, if nobody else reads
    it: what everybody reads is never overwritten by an answer. `late` is called where it is not
    there in time, and so has to be announced.
    """

    #: Whether whoever is answered reads plain text, for those who answer without a context.
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
        #: Whether nothing is said where everybody is told: decided when it is known what there is
        #: to say.
        self.brief = False
        self._said = False
        #: Whether a public answer is announced to this person alone: what was said with a command
        #: that is refused, a card of a hand perhaps, is nobody else's business.
        self.guarded = False
        #: Whether what was pressed has nothing to keep: where it is out of date, the refusal takes
        #: its place.
        self.passing = False
        #: Whether the answer was a dialog.
        self.opened = False
        self._deferral: asyncio.Task[None] | None = None
        self._late = late
        self._aside = aside
        self._timer = asyncio.get_running_loop().call_later(DEFER_AFTER, self._overdue)

    def go_public(self) -> None:
        """What might have been secret is not; too late once a deferral is under way."""
        if self._deferral is None:
            self.public = True

    def go_private(self) -> None:
        """What was going to be public is for this person alone; too late once a deferral is under
        way.
        """
        if self._deferral is None:
            self.public = False

    @property
    def silent(self) -> bool:
        """Whether the answer says nothing."""
        return self._silent

    def go_silent(self) -> None:
        """What comes of it can be seen elsewhere: whoever pressed a button gets no message;
        refusals are told.
        """
        self._silent = True

    @property
    def _unseen(self) -> bool:
        """Whether a public answer was announced, and nobody else has seen that."""
        return (
            self.public
            and self.guarded
            and not self._said
            and self.interaction.response.type is _ANNOUNCED
        )

    @property
    def announceable(self) -> bool:
        """Whether the answer may be announced at once: a command's, which never is a dialog."""
        return self.interaction.type is discord.InteractionType.application_command

    async def announce(self) -> None:
        """Tell Discord now that the answer will come."""
        if self._deferral is None:
            self._start_deferral()
        await self.stop()

    def _overdue(self) -> None:
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
        """No deferral starts any more; one that has started is waited for."""
        self._timer.cancel()
        if self._deferral is not None:
            await asyncio.wait([self._deferral])

    async def show(self, *cards: Layout) -> None:
        """Answer with something that changes nothing. Raises as `say`."""
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
                # Filling in what was announced is an edit, and edits call nobody.
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
                ids.append(
                    (await interaction.followup.send(**message, ephemeral=ephemeral, wait=True)).id
                )
                log.debug("response.followed")
        except DISCORD_ERRORS as error:
            log.warning("response.cut-short", extra={"reason": type(error).__name__})
        return () if message_id is None else tuple([each for each in ids if each is not None])

    async def withdraw_deferral(self) -> bool:
        """Whether a public answer had been announced to this person alone: that is taken back, it
        comes otherwise.
        """
        await self.stop()
        if not self._unseen:
            return False
        await self.interaction.delete_original_response()
        return True

    async def show_progress(self, messages: Sequence[dict[str, Any]]) -> None:
        """Show something in the place of what was announced, until the answer is there; where that
        fails, nothing.
        """
        await self.stop()
        await self._replace(messages[0])

    async def _replace(self, message: dict[str, Any]) -> None:
        try:
            await self.interaction.edit_original_response(**self._edit(message))
        except DISCORD_ERRORS as error:
            log.debug("response.not-shown", extra={"reason": type(error).__name__})

    async def update_source(self, messages: Sequence[dict[str, Any]]) -> None:
        """Have what was pressed show something else, after a silent answer. Where that is too late,
        it stays as it was: its buttons say so. What everybody reads is not overwritten: then this
        is a message of its own.
        """
        if not is_private(self.interaction):
            await self.whisper(messages)
            return
        (first,) = await draw_pictures(messages[:1], self._aside)
        await self._replace(first)

    async def _say_nothing(self) -> None:
        """Only tell Discord that it was done."""
        response = self.interaction.response
        if not response.is_done():
            await response.defer()
        elif response.type is _ANNOUNCED:
            await self.interaction.delete_original_response()

    def _edit(self, message: dict[str, Any]) -> dict[str, Any]:
        """The message as an edit, without files of what was there; what was laid out stays so."""
        source = self.interaction.message
        laid = self._update and source is not None and source.flags.components_v2
        return {**as_edit(message, layout=laid), "attachments": message.get("files", [])}

    async def refuse(self, messages: Sequence[dict[str, Any]], *, outdated: bool) -> None:
        """Say why not, to this person alone; what has nothing to keep and is out of date says it
        itself.
        """
        await (self.say if outdated and self.passing and self._update else self.whisper)(messages)

    async def whisper(self, messages: Sequence[dict[str, Any]]) -> None:
        """Say something to this person alone, whatever the answer's audience was going to be."""
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
    """Whether what was pressed is for this person alone, so that the answer may take its place."""
    message = interaction.message
    return message is not None and message.flags.ephemeral


def _has_ping(message: dict[str, Any]) -> bool:
    """Whether the message is meant to ping somebody."""
    mentions: discord.AllowedMentions = message["allowed_mentions"]
    return "content" in message and bool(mentions.users or mentions.roles)


def may_have_succeeded(error: BaseException) -> bool:
    """Whether Discord may have done what it was asked: the connection broke, or Discord itself
    failed.
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
