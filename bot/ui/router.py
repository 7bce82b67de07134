"""Dispatch of buttons, selects and dialogs.

Ids are `sg:<route>:<rest>` (see `bot.presenters.control_ids`): short, without names, and never
bound to an object in memory. A button works two restarts later; an obsolete one says so.
discord.py's own views are not used for dispatch, because they drop errors and unknown ids silently.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

import discord

from bot.delivery.response import is_rate_limit
from bot.presenters.control_ids import id_parts
from bot.storage.errors import StorageUnavailable
from bot.ui.context import Context
from bot.ui.interactions import Interactions
from bot.ui.option_checks import is_text
from rules.core.errors import InvalidInput, Outdated, RulesError
from rules.core.record import Record, field

log = logging.getLogger("storyguide.router")

#: Types of interactions handled here; commands go to the tree.
ROUTED = (discord.InteractionType.component, discord.InteractionType.modal_submit)


class Press(Record):
    """A pressed button, a menu choice or a submitted dialog."""

    interaction: discord.Interaction
    #: Parts of the id after the route.
    args: tuple[str, ...]
    #: Values chosen in a menu.
    values: tuple[str, ...] = ()
    #: Texts of a dialog by input id.
    inputs: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def choice(self) -> str:
        """First value chosen in a menu, or an empty text."""
        return next(iter(self.values), "")

    def number(self, index: int) -> int:
        """Return an argument that is a number. Raises as `parse_number`."""
        return parse_number(self.text(index))

    def text(self, index: int) -> str:
        """Return an argument. Raises Outdated("unknown-control") if it is missing."""
        try:
            return self.args[index]
        except IndexError:
            raise Outdated("unknown-control") from None


def parse_number(text: str) -> int:
    """Return a number in an id. Raises Outdated("unknown-control") if it is invalid."""
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise Outdated("unknown-control")
    return int(text)


Handler = Callable[[Press], Awaitable[None]]
TableHandler = Callable[[Context, Press], Awaitable[object]]


class Router:
    """Handlers by route, the second part of an id."""

    def __init__(self, interactions: Interactions) -> None:
        self._interactions = interactions
        self._routes: dict[str, Handler] = {}

    def add(self, route: str, handler: Handler) -> None:
        """Bind a route. Raises ValueError if it is taken."""
        if route in self._routes:
            raise ValueError(f"route {route!r} is taken")
        self._routes[route] = handler

    def add_table_route(
        self,
        route: str,
        handler: TableHandler,
        *,
        update: bool = False,
        gms: bool = False,
        guests: bool = False,
    ) -> None:
        """Bind a route whose first argument is a table; the handler gets the user's context there.

        With `update` the answer replaces the pressed message if that is ephemeral. `gms`:
        NotPermitted("gm-only") for other users. `guests`: works for users without a part in the
        table.
        """

        async def handle(press: Press) -> None:
            async with self._interactions.respond_to(press.interaction, update=update) as response:
                ctx = await self._interactions.context(
                    response, press.number(0), guests=guests or gms
                )
                if gms:
                    ctx.require_gm()
                await handler(ctx, press)

        self.add(route, handle)

    async def __call__(self, interaction: discord.Interaction) -> None:
        if interaction.type not in ROUTED:
            return
        data: dict[str, Any] = dict(interaction.data or {})
        pieces = id_parts(str(data.get("custom_id", "")))
        if pieces is None or not self._interactions.accept(interaction):
            return
        handler = self._routes.get(pieces[0]) if pieces else None
        values = tuple(str(value) for value in data.get("values", ()))
        press = Press(interaction, tuple(pieces[1:]), values, _inputs(data.get("components", ())))
        try:
            if self._interactions.stopped is not None:
                raise self._interactions.stopped
            if not pieces:
                raise Outdated("before-restore")
            if handler is None or not all(map(is_text, (*press.args, *press.values))):
                raise Outdated("unknown-control")
            for field, typed in press.inputs.items():
                if not is_text(typed):
                    raise InvalidInput(
                        "unprintable-text", field=field, value="…", fix="remove-control-characters"
                    )
            await handler(press)
        except Exception as error:
            known = isinstance(error, RulesError | StorageUnavailable) or is_rate_limit(error)
            if not known:
                log.exception("router.failed", extra={"command": pieces[0] if pieces else ""})
            async with self._interactions.respond_to(interaction):
                raise error if known else Outdated("unexpected") from error


def _inputs(components: Any) -> dict[str, str]:
    """Return the texts typed into a dialog, by input id, in rows or in labels."""
    texts: dict[str, str] = {}
    for row in components:
        inner = row.get("components") or ([row["component"]] if "component" in row else [])
        for component in inner:
            if "custom_id" in component and "value" in component:
                texts[str(component["custom_id"])] = str(component["value"])
    return texts
