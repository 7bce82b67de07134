"""Where a command or a button meets the table: who speaks, for which table, and how they are answered."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, TypedDict

import discord

from bot.clock import Clock
from bot.presenters.card import Card, Modal, Rows
from bot.presenters.errors import error_cards
from bot.presenters.events import Presenter
from bot.presenters.render import to_messages, to_modal
from bot.presenters.scene import Scene
from bot.services.outgoing import ReplyTo
from bot.services.tables import Performed, Table, Tables, free_place
from bot.storage.errors import Stale, StorageUnavailable, TableUnreadable
from bot.ui.ack import ALREADY_ANSWERED, TROUBLE, UNKNOWN_INTERACTION, Ack, Deferrals, in_doubt
from bot.ui.courier import Courier
from bot.ui.scene import scene_of
from rules.core.errors import InvalidInput, NotFound, RulesError
from rules.table.actions import Action, Actor
from rules.table.people import is_gm

log = logging.getLogger("storyguide.desk")

#: How long answers under way may take when the process is told to end, in seconds.
CLOSING = 10
#: How many interactions are remembered, so as to know one that is delivered again.
SEEN = 5000
#: While so many answers are under way, further commands are announced first: Discord waits three seconds for each.
CROWD = 200
#: So many of those announced are worked on at a time.
AT_WORK = 50


class Said(TypedDict):
    """What every action has in common."""

    who: Actor
    place: str
    at: int


@dataclass(slots=True)
class Seat:
    """Somebody at a table, speaking through one interaction."""

    desk: Desk
    interaction: discord.Interaction
    ack: Ack
    table: Table
    actor: Actor
    place: str

    @property
    def by(self) -> Said:
        """Who acts, where and when: the beginning of every action."""
        return {"who": self.actor, "place": self.place, "at": self.desk.clock()}

    @property
    def gm(self) -> bool:
        """Whether they lead this table."""
        return is_gm(self.table.state, self.actor)

    @property
    def plain(self) -> bool:
        """Whether they want plain text."""
        return self.table.state.person(self.actor.id).plain

    @property
    def scene(self) -> Scene:
        """What presenters need to know of the table."""
        return scene_of(self.table)

    def participant(self, user: discord.User | discord.Member, field: str) -> str:
        """Somebody named in an option, as this table knows them. InvalidInput for bots and those not here."""
        if user.bot:
            raise InvalidInput("no-bots", field=field, value=None, allowed="a person")
        if not isinstance(user, discord.Member):
            raise InvalidInput("not-a-member", field=field, value=None)
        return self.table.directory.participant(str(user.id), user.display_name)

    async def perform(self, action: Action, extra: Sequence[Card] = ()) -> Performed:
        """Carry the action out, answer, and send the rest."""
        reply = ReplyTo(self.ack.public, self.interaction.token)
        performed = await self.desk.tables.perform(
            self.table.id, action, self.desk.request_id(self.interaction), reply
        )
        await self.desk.courier.answer(self.ack, performed, self._messages(extra))
        return performed

    async def show(self, *cards: Card) -> None:
        """Answer with something that changes nothing."""
        await self.ack.say(self._messages(cards))

    async def add(self, *cards: Card) -> None:
        """Say more, to this person alone."""
        await self.ack.whisper(self._messages(cards))

    async def dialogue(self, modal: Modal) -> None:
        """Open a dialogue."""
        await self.ack.dialogue(to_modal(modal))

    def _messages(self, cards: Sequence[Card]) -> list[dict[str, Any]]:
        return [message for card in cards for message in to_messages(card, plain=self.plain)]


class _Answering:
    """What `Desk.answering` gives."""

    __slots__ = ("_ack", "_desk", "_queued")

    def __init__(self, desk: Desk, ack: Ack) -> None:
        self._desk = desk
        self._ack = ack
        self._queued = False

    async def __aenter__(self) -> Ack:
        desk = self._desk
        if desk.begin() > CROWD and self._ack.announceable:
            try:
                await desk.queue(self._ack)
            except BaseException:
                desk.end()
                raise
            self._queued = True
        return self._ack

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        try:
            return error is None or await self._desk.fail(self._ack, error)
        finally:
            await self._ack.stop()
            if self._queued:
                self._desk.leave_queue()
            self._desk.end()


class Desk:
    """Finds the table of an interaction and turns refusals into words.

    `salt` goes before every request id: a simulated Discord starts its ids again with every run.
    """

    def __init__(
        self, tables: Tables, courier: Courier, presenter: Presenter, clock: Clock, salt: str = ""
    ) -> None:
        self.tables = tables
        self.courier = courier
        self.presenter = presenter
        self.clock = clock
        self._salt = salt
        self._answering = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._announcing = 0
        self._announced = asyncio.Event()
        self._announced.set()
        self._at_work = asyncio.Semaphore(AT_WORK)
        self._seen: OrderedDict[int, None] = OrderedDict()
        self._closing = False
        self._deferrals = Deferrals()

    def accepts(self, interaction: discord.Interaction) -> bool:
        """Whether to begin with this: not when it was delivered before, and not while the process ends.

        What is delivered again would only get in the way of the first answer.
        """
        if self._closing or interaction.id in self._seen:
            return False
        self._seen[interaction.id] = None
        if len(self._seen) > SEEN:
            self._seen.popitem(last=False)
        return True

    async def close(self) -> None:
        """Begin nothing more, and finish what was begun."""
        self._closing = True
        with suppress(TimeoutError):
            await asyncio.wait_for(self._idle.wait(), CLOSING)

    def request_id(self, interaction: discord.Interaction) -> str:
        """The id under which the interaction's action is journalled."""
        return f"{self._salt}{interaction.id}"

    def answering(
        self, interaction: discord.Interaction, *, public: bool = False, update: bool = False
    ) -> _Answering:
        """An answer that is always given: what the rules or the storage refuse is told privately."""
        return _Answering(self, Ack(interaction, self._deferrals, public=public, update=update))

    def begin(self) -> int:
        """An answer is under way: `close` waits for it. How many are now."""
        self._answering += 1
        self._idle.clear()
        return self._answering

    async def queue(self, ack: Ack) -> None:
        """In a crowd: announce the answer, wait until everybody's is announced, and then for a turn.

        Announcing costs little beside the work; who waits for it longer than three seconds gets no answer.
        """
        self._announcing += 1
        self._announced.clear()
        try:
            await ack.announce()
        finally:
            self._announcing -= 1
            if not self._announcing:
                self._announced.set()
        log.debug("desk.queued")
        await self._at_work.acquire()
        try:
            while self._announcing:
                await self._announced.wait()
        except BaseException:
            self._at_work.release()
            raise

    def leave_queue(self) -> None:
        """The turn of one that was queued is over."""
        self._at_work.release()

    async def fail(self, ack: Ack, error: BaseException) -> bool:
        """Tell what went wrong, if it is for anybody here to tell; whether it is."""
        if isinstance(error, RulesError | StorageUnavailable | TableUnreadable | Stale):
            await self.refuse(ack, error)
            return True
        if not isinstance(error, TROUBLE):
            return False
        # Nobody is there to be told: too late, answered twice, or Discord itself is in trouble.
        code = getattr(error, "code", 0)
        if code not in (UNKNOWN_INTERACTION, ALREADY_ANSWERED) and not in_doubt(error):
            return False
        log.warning("desk.unanswered", extra={"code": code, "reason": type(error).__name__})
        return True

    def end(self) -> None:
        """An answer is over."""
        self._answering -= 1
        if not self._answering:
            self._idle.set()

    async def take_seat(self, ack: Ack, table_id: int | None = None) -> Seat:
        """A seat at the table of the place where the interaction happened, or at the one given.

        Raises NotFound("no-table") where no table is.
        """
        interaction = ack.interaction
        places = self.places_of(interaction)
        found = await self.tables.find(*places) if table_id is None else table_id
        if found is None:
            raise NotFound("no-table", field="place", value=None, nearest=())
        table = await self.tables.get(found)
        if str(interaction.guild_id) != table.guild:
            raise NotFound("no-table", field="place", value=None, nearest=())
        return Seat(self, interaction, ack, table, self.actor(interaction, table), places[0] or "")

    async def take_free_seat(self, ack: Ack) -> Seat:
        """As `take_seat`; where no table is, at one of the channel's own, for dice and cards."""
        interaction = ack.interaction
        places = self.places_of(interaction)
        found = self.tables.table_id(*places, self.free_place_of(interaction)) or await self.tables.find(
            *places
        )
        if found is None:
            guild = str(interaction.guild_id)
            found = await self.tables.open_free(guild, places[0] or "", self.clock())
        return await self.take_seat(ack, found)

    async def look(
        self, interaction: discord.Interaction, *, free: bool = False
    ) -> tuple[Table, Actor] | None:
        """The table and who looks at it, for autocompletion: None where there is nothing to complete.

        `free`: also the channel's own, where no table is.
        """
        places = self.places_of(interaction)
        found = self.tables.table_id(*places, self.free_place_of(interaction) if free else None)
        if found is None:
            return None
        try:
            table = await self.tables.get(found)
        except (RulesError, StorageUnavailable, TableUnreadable):
            return None
        return table, self.actor(interaction, table)

    def actor(self, interaction: discord.Interaction, table: Table) -> Actor:
        """Whoever sent the interaction, as this table knows them."""
        user = interaction.user
        who = table.directory.participant(str(user.id), user.display_name)
        # The ids as they were sent: the roles themselves need not be in the cache.
        roles = user._roles if isinstance(user, discord.Member) else ()
        return Actor(who, tuple(str(role) for role in roles if str(role) in table.state.settings.gm_roles))

    @staticmethod
    def places_of(interaction: discord.Interaction) -> tuple[str | None, str | None]:
        """The channel or thread, and the thread's parent."""
        channel = interaction.channel
        parent = channel.parent_id if isinstance(channel, discord.Thread) else None
        here = None if interaction.channel_id is None else str(interaction.channel_id)
        return here, None if parent is None else str(parent)

    @staticmethod
    def free_place_of(interaction: discord.Interaction) -> str:
        """Where the channel or thread keeps its own dice and cards, as long as no table is there."""
        return free_place(str(interaction.channel_id))

    @staticmethod
    def rendered(card: Card, looked: tuple[Table, Actor] | None) -> list[dict[str, Any]]:
        """A card as messages, in the form whoever looks has chosen at this table."""
        plain = looked is not None and looked[0].state.person(looked[1].id).plain
        return to_messages(card, plain=plain)

    async def refuse(self, ack: Ack, error: Exception, rows: Rows = ()) -> None:
        """Say privately what is wrong and what to do; `rows` are buttons that help."""
        code = getattr(error, "code", None) or getattr(error, "reason", type(error).__name__)
        log.info("desk.refused", extra={"code": code})
        here = ack.interaction
        found = self.tables.table_id(*self.places_of(here), self.free_place_of(here))
        table = None if found is None else self.tables.loaded(found)
        actor = None if table is None else self.actor(ack.interaction, table)
        if table is None or actor is None:
            cards, plain = error_cards(error), False
        else:
            settings = table.state.settings
            cards = error_cards(error, scene_of(table).names, gms=settings.gms, gm_roles=settings.gm_roles)
            plain = table.state.person(actor.id).plain
        if rows:
            cards = (*cards[:-1], replace(cards[-1], rows=rows))
        messages = [message for card in cards for message in to_messages(card, plain=plain)]
        try:
            await ack.whisper(messages)
        except TROUBLE as failure:
            log.warning("desk.refusal-unsaid", extra={"reason": type(failure).__name__})
            return
        if table is not None and actor is not None:
            # Whoever repeats something that was done, and is refused for that reason, is told what came of it.
            await self.courier.show_missed(ack, table, actor.id)
