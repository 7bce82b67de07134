"""First steps of a new table: shown to its GM after `/setup`, with a button each and their
progress.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import discord

from bot.delivery.response import DISCORD_ERRORS
from bot.delivery.table_scene import scene_of
from bot.presenters.first_steps import (
    STEP_CALL_LABELS,
    done_first_steps,
    first_steps_card,
    invited_card,
    step_call_card,
)
from bot.presenters.render import as_edit, to_messages
from bot.presenters.table import gm_channel_card
from bot.services.loaded_table import Table
from bot.storage.errors import StorageUnavailable
from bot.ui.context import Context
from bot.ui.interactions import Interactions
from bot.ui.panels.character_creation import CreatePanel
from bot.ui.panels.check_start import CheckStartPanel
from bot.ui.router import Press, Router
from rules.core.errors import Outdated
from rules.table.checks.procedure import kind_with_role
from rules.table.commands import CheckStart

log = logging.getLogger("storyguide.first")

#: Most guides that are kept up to date. Discord allows edits for a quarter of an hour.
MOST: Final = 200


@dataclass(slots=True)
class Guide:
    """Guide that can still be edited."""

    #: Edits the message of the guide.
    edit: Callable[..., Awaitable[Any]]
    #: Steps shown as taken.
    shown: frozenset[str]
    #: The GM reads plain text.
    plain: bool = False
    #: The message is a layout.
    laid: bool = True


class FirstSteps:
    """Handler of the guide, `sg:first:<table>:<step>`, and its calls, `sg:join:<table>:<step>`.

    Steps without a trace at the table (no GM channel wanted, players called) are recorded beside
    it.
    """

    def __init__(
        self,
        interactions: Interactions,
        creations: CreatePanel,
        beginnings: CheckStartPanel,
        router: Router,
    ) -> None:
        self._interactions = interactions
        self._creations = creations
        self._beginnings = beginnings
        self._guides: dict[int, Guide] = {}
        self._noting = asyncio.Lock()
        router.add_table_route("first", self.press, update=True, gms=True)
        router.add_table_route("join", self.join, guests=True)
        interactions.tables.on_done = self.schedule_refresh

    async def open(self, table: Table, interaction: discord.Interaction) -> None:
        """Show the guide to the user who has just opened the table, below the answer."""
        # The id may have been that of a deleted table, whose server has gone.
        await self._interactions.tables.store.set_note(_note_of(table.id), "")
        shown = done_first_steps(table.state, frozenset())
        (message,) = to_messages(first_steps_card(scene_of(table), shown))
        sent = await interaction.followup.send(**message, ephemeral=True, wait=True)
        self._keep(table.id, Guide(sent.edit, shown))

    async def press(self, ctx: Context, press: Press) -> None:
        """Update the guide, and open what the pressed step needs."""
        step = press.text(1)
        noted = await self._note(ctx.table.id, step) if step in STEP_CALL_LABELS else ()
        source = press.interaction.message
        await self._show(ctx, laid=source is not None and source.flags.components_v2)
        if step == "players" and step in noted and press.args[2:] != ("again",):
            await ctx.whisper(invited_card(ctx.table.id))
        elif step in STEP_CALL_LABELS:
            for message in to_messages(step_call_card(step, ctx.scene)):
                await press.interaction.followup.send(**message)
        elif step == "channel":
            await ctx.whisper(gm_channel_card(ctx.table.id))
        elif step == "character":
            await self._creations.open(ctx)

    async def bring_back(self, ctx: Context) -> None:
        """Show the guide again to a GM who asks."""
        await self._show(ctx, laid=not ctx.plain)

    async def _show(self, ctx: Context, *, laid: bool) -> None:
        shown = done_first_steps(ctx.table.state, await self._recorded_steps(ctx.table.id))
        await ctx.show(first_steps_card(ctx.scene, shown))
        self._keep(
            ctx.table.id, Guide(ctx.interaction.edit_original_response, shown, ctx.plain, laid)
        )

    async def join(self, ctx: Context, press: Press) -> None:
        """Open character creation, or a check, for a player who was called."""
        if press.text(1) == "players":
            await self._creations.open(ctx)
        elif press.text(1) == "check":
            kind = kind_with_role(ctx.game.system, "check")
            await self._beginnings.begin(ctx, CheckStart(kind, {}))
        else:
            raise Outdated("unknown-control")

    async def decline_channel(self, table: Table) -> None:
        """Record that the table wants no GM channel."""
        await self._note(table.id, "channel")
        await self._refresh(table)

    def schedule_refresh(self, table: Table) -> None:
        """Update a table's guide, if it has one, after an action."""
        if table.id in self._guides:
            self._interactions.outbox.run_in_background(self._refresh(table))

    async def _refresh(self, table: Table) -> None:
        try:
            shown = done_first_steps(table.state, await self._recorded_steps(table.id))
            guide = self._guides.get(table.id)
            if guide is None or shown == guide.shown:
                return
            guide.shown = shown
            (message,) = to_messages(first_steps_card(scene_of(table), shown), plain=guide.plain)
            await guide.edit(**as_edit(message, layout=guide.laid))
        except (*DISCORD_ERRORS, StorageUnavailable) as error:
            # Too late to edit it, or it was closed: the next press updates it.
            self._guides.pop(table.id, None)
            log.debug("first.not-shown", extra={"table": table.id, "reason": type(error).__name__})

    def _keep(self, table_id: int, guide: Guide) -> None:
        self._guides.pop(table_id, None)
        self._guides[table_id] = guide
        while len(self._guides) > MOST:
            del self._guides[next(iter(self._guides))]

    async def _recorded_steps(self, table_id: int) -> frozenset[str]:
        return frozenset(
            (await self._interactions.tables.store.note(_note_of(table_id)) or "").split()
        )

    async def _note(self, table_id: int, step: str) -> frozenset[str]:
        """Record a step, and return the steps recorded before.

        Of two presses at once only one is the first.
        """
        async with self._noting:
            noted = await self._recorded_steps(table_id)
            await self._interactions.tables.store.set_note(
                _note_of(table_id), " ".join(sorted(noted | {step}))
            )
        return noted


def _note_of(table_id: int) -> str:
    return f"first:{table_id}"
