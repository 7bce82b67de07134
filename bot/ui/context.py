"""Context of an interaction: the user, the table and the response."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypedDict

import discord

from bot.clock import Clock
from bot.delivery.outbox import Outbox
from bot.delivery.response import Response
from bot.delivery.table_scene import scene_of
from bot.presenters.board import step_card
from bot.presenters.catalog_cards import card
from bot.presenters.controls import Button, Modal, Rows, take_back_button
from bot.presenters.layout import Layout, rows_of, with_entry_number
from bot.presenters.pending_matters import next_action_button
from bot.presenters.render import to_messages, to_modal
from bot.presenters.scene import Scene
from bot.services.loaded_table import Table
from bot.services.outbox_plan import ReplyTo
from bot.services.perform import ActionResult, perform
from bot.services.readers import Reader
from bot.services.tables import Tables
from bot.services.take_back import may_take_back
from bot.ui.absence import absence_layout
from bot.ui.uploads import Upload, Uploads
from rules.core.errors import InvalidInput, Outdated
from rules.table.absence import absence_of
from rules.table.actions import Action, Actor, ForgetPerson, OnCheck
from rules.table.checks.access import check_named, find_check
from rules.table.events import BoardChanged
from rules.table.forms.typed_texts import is_id
from rules.table.permissions import is_gm, require_gm
from rules.table.system import Game


class ActionOrigin(TypedDict):
    """Fields that every action has."""

    who: Actor
    place: str
    at: int


class InteractionServices(Protocol):
    """The services of `Interactions` that a context uses."""

    tables: Tables
    outbox: Outbox
    clock: Clock
    uploads: Uploads

    def request_id(self, interaction: discord.Interaction) -> str: ...


@dataclass(slots=True)
class Context:
    interactions: InteractionServices
    interaction: discord.Interaction
    response: Response
    table: Table
    actor: Actor
    place: str
    #: The user as a reader of the table.
    reader: Reader

    @property
    def origin(self) -> ActionOrigin:
        """Actor, place and time: the first fields of every action."""
        return {"who": self.actor, "place": self.place, "at": self.interactions.clock()}

    @property
    def game(self) -> Game:
        """The table as the user may look at it now, without dice."""
        return self.reader.game

    @property
    def gm(self) -> bool:
        return is_gm(self.table.state, self.actor)

    def require_gm(self) -> None:
        """Raise NotPermitted("gm-only") unless the user is a GM."""
        require_gm(self.table.state, self.actor)

    @property
    def plain(self) -> bool:
        return self.table.state.person(self.actor.id).plain

    @property
    def scene(self) -> Scene:
        return scene_of(self.table)

    @property
    def onward_button(self) -> Button:
        return next_action_button(self.scene, self.actor, gm=self.gm)

    @property
    def in_gm_channel(self) -> bool:
        """Whether the place of the context is the table's GM channel."""
        return self.place == self.table.state.settings.gm_place

    def move_to(self, place: str) -> None:
        """Switch to another place of this table, as a button or a draft names it.

        That is a bound place, a thread of one, a place with an order of action, or the GM channel.
        Raises Outdated("unknown-control") for any other place, and for one closed to the user.
        """
        guild, state = self.interaction.guild, self.table.state
        thread = guild.get_thread(int(place)) if guild is not None and is_id(place) else None
        parent = None if thread is None else str(thread.parent_id)
        bound = self.interactions.tables.places.table_id(place, parent)
        free = bound is None and (place == self.place or place in state.encounters)
        known = bound == self.table.id or free or place == state.settings.gm_place
        if not known or not self.reader.can_view(place):
            raise Outdated("unknown-control")
        self.place = place

    def move_to_table(self) -> None:
        """Switch from the GM channel to the table's first place, where players read results.

        Any other place stays.
        """
        if self.in_gm_channel:
            places = self.interactions.tables.places.places_of(self.table.id)
            self.place = next(iter(places), self.place)

    def participant(self, user: discord.User | discord.Member, field: str) -> str:
        """Return the participant for a user named in an option.

        Raises InvalidInput("no-bots") for a bot, ("not-a-member") for a user who is not on the
        server.
        """
        if user.bot:
            raise InvalidInput("no-bots", field=field, value=None, allowed="a person")
        if not isinstance(user, discord.Member):
            raise InvalidInput("not-a-member", field=field, value=None)
        return self.table.directory.ensure_participant(str(user.id), user.display_name)

    def chosen_participant(self, user: str, field: str) -> str:
        """Return the participant for a user chosen in a menu of members.

        Raises as `participant`.
        """
        resolved: Any = (self.interaction.data or {}).get("resolved", {})
        account = resolved.get("users", {}).get(user)
        member = resolved.get("members", {}).get(user)
        if account is not None and account.get("bot"):
            raise InvalidInput("no-bots", field=field, value=None, allowed="a person")
        if account is None or member is None:
            raise InvalidInput("not-a-member", field=field, value=None)
        name = member.get("nick") or account.get("global_name") or account.get("username")
        return self.table.directory.ensure_participant(user, name)

    async def read_upload(self, file: discord.Attachment, what: Upload) -> dict[str, Any]:
        """Return the object in a file that came with the command. Raises as `Uploads.read`."""
        return await self.interactions.uploads.read(self.response, file, what)

    async def perform(
        self,
        action: Action,
        *,
        instead: Callable[[], Layout | None] | None = None,
        receipt: Callable[[ActionResult], Layout | None] | None = None,
    ) -> ActionResult:
        """Carry the action out, answer, and send the rest.

        The answer shows the action's events, or else a layout with the entry's number. `instead`
        draws the layout after the action, and `receipt` draws it from the action's result.
        Raises NotFound("unknown-check") for a check that the user may not know of.
        """
        if isinstance(action, OnCheck) and check_named(self.table.state, action.check) is not None:
            find_check(self.game, action.check)
        reply, id = ReplyTo(self.response.public, self.interaction.token), self.table.id
        request = self.interactions.request_id(self.interaction)
        away = absence_of(self.table.state, self.actor.id)
        performed = await perform(self.interactions.tables, id, action, request, reply)
        rows = await self.take_back_rows(action, performed)
        drawn = None
        if receipt is not None:
            drawn = receipt(performed)
        elif instead is not None:
            drawn = instead()
        if drawn is not None and rows:
            drawn = drawn.replace(pieces=(*drawn.pieces, *rows_of(rows)))
        shown = (
            None if drawn is None else self._messages((with_entry_number(drawn, performed.seq),))
        )
        below = () if self.response.public else rows
        await self.interactions.outbox.answer(self.response, performed, shown, below)
        if rows and self.response.public:
            await self.whisper(card("own", "take-back", None, rows=rows))
        await self._tell_spent_turn(performed, replaced=drawn is not None)
        if away is not None and away.noted_by and not isinstance(action, ForgetPerson):
            # The user's own act has ended the absence.
            tables = self.interactions.tables
            await self.whisper(await absence_layout(tables, self.reader, away.since, action.at))
        return performed

    async def _tell_spent_turn(self, performed: ActionResult, *, replaced: bool) -> None:
        """Tell the actor what is left to do in the round, where no private answer tells it.

        `replaced` tells whether the answer showed a panel in place of the events.
        """
        reply = performed.reply
        answers = not (self.response.public or self.response.silent or replaced)
        in_answer = reply.events if answers and reply is not None else ()
        spent = [
            event
            for index, event in enumerate(performed.events)
            if isinstance(event, BoardChanged) and event.step == "spent" and index not in in_answer
        ]
        if spent and (self.response.public or self.response.passing):
            await self.whisper(*[step_card(event, self.scene) for event in spent])

    async def take_back_rows(self, action: Action, performed: ActionResult) -> Rows:
        """Return the *Undo* button row; empty if the actor may not undo the action."""
        tables = self.interactions.tables
        if not await may_take_back(tables, action, performed):
            return ()
        return ((take_back_button(self.table.id, performed.seq),),)

    async def show(self, *cards: Layout) -> None:
        """Answer with cards, without any change of state."""
        await self.response.say(self._messages(cards))

    async def whisper(self, *cards: Layout) -> None:
        """Show more cards to the user alone."""
        await self.response.whisper(self._messages(cards))

    async def replace_answer(self, card: Layout) -> None:
        """Replace the answer to a command with a card. A failure is only logged."""
        await self.response.replace_answer(self._messages((card,)))

    async def update_source(self, card: Layout) -> None:
        """Replace the message of the pressed control with a card, after a silent answer."""
        await self.response.update_source(self._messages((card,)))

    async def open_modal(self, modal: Modal) -> None:
        await self.response.open_modal(to_modal(modal))

    def _messages(self, cards: Sequence[Layout]) -> list[dict[str, Any]]:
        return to_messages(*cards, plain=self.plain)
