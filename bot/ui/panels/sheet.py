"""Panel of a sheet: its pages, and its player's actions from there."""

from __future__ import annotations

from bot.presenters.character import characters_card, growth_card, sheet_card, use_card
from bot.presenters.control_ids import option_token
from bot.presenters.layout import Layout
from bot.presenters.npc import npc_card
from bot.ui.context import Context
from bot.ui.panels.character_creation import CreatePanel
from bot.ui.panels.check_start import CheckStartPanel
from bot.ui.router import Press, Router
from rules.core.errors import Impossible, InvalidInput, Outdated
from rules.registry import read_only_game
from rules.table.actions import Advance, UseCharacter
from rules.table.checks.access import find_viewable
from rules.table.commands import CheckStart
from rules.table.people.characters import current_character, find_own, growable_characters
from rules.table.permissions import owns
from rules.table.state import AnyCharacter


class SheetPanel:
    """Handler of `sg:sheet:<table>:<character>:<verb>` and `sg:page:<table>:<character>`.

    `sg:look:<table>` and `sg:use:<table>` are the menus of a list of characters. `sg:grow:<table>`
    opens the skills that may be raised, by the menus `sg:rise:<table>:<character>`. The buttons
    refuse a user who may no longer read the sheet.
    """

    def __init__(self, beginnings: CheckStartPanel, creations: CreatePanel, router: Router) -> None:
        self._beginnings = beginnings
        self._creations = creations
        router.add_table_route("sheet", self._act)
        router.add_table_route("page", self._turn_page, update=True)
        router.add_table_route("look", lambda ctx, press: self.open(ctx, press.choice))
        router.add_table_route("use", self._use, update=True)
        router.add_table_route("grow", lambda ctx, press: self.grow(ctx, None))
        router.add_table_route("rise", self._raise_skill, update=True)

    async def open(self, ctx: Context, character: str | None) -> None:
        """Show the sheet of the named character, else of the user's current one."""
        state = ctx.table.state
        if character is None:
            try:
                shown = current_character(state, ctx.actor, ctx.place)
            except InvalidInput:
                # The user has several characters and none is current: offer them all.
                await ctx.show(characters_card(ctx.scene, ctx.game))
                return
        else:
            shown = find_viewable(ctx.game, character)
        await ctx.show(_card(ctx, shown))

    async def grow(self, ctx: Context, character: str | None) -> None:
        """Show everything that the character may raise now. Raises as `find_own`.

        Raises Impossible("no-price-for-growth") if the rules don't price growth.
        """
        state = ctx.table.state
        growing = find_own(state, ctx.actor, character, growable_characters(state, ctx.actor))
        if "advance" not in read_only_game(state).system.growth:
            raise Impossible("no-price-for-growth")
        await ctx.show(growth_card(ctx.scene, growing))

    async def _raise_skill(self, ctx: Context, press: Press) -> None:
        game = read_only_game(ctx.table.state)
        growing = find_own(
            game.state, ctx.actor, press.text(1), growable_characters(game.state, ctx.actor)
        )
        offers = game.system.advances(game, growing)
        skill = next(
            (offer.value for offer in offers if option_token(repr(offer)) == press.choice), None
        )
        if skill is None:
            raise Outdated("unknown-control")
        await ctx.perform(
            Advance(**ctx.origin, character=growing.id, skill=skill),
            instead=lambda: growth_card(ctx.scene, ctx.table.state.characters[growing.id]),
        )

    async def _use(self, ctx: Context, press: Press) -> None:
        if press.choice == ctx.table.state.person(ctx.actor.id).active:
            await ctx.show(use_card(ctx.scene, ctx.actor))
            return
        await ctx.perform(
            UseCharacter(**ctx.origin, character=press.choice),
            instead=lambda: use_card(ctx.scene, ctx.actor),
        )

    async def _turn_page(self, ctx: Context, press: Press) -> None:
        shown = find_viewable(ctx.game, press.text(1))
        await ctx.show(_card(ctx, shown, press.choice))

    async def _act(self, ctx: Context, press: Press) -> None:
        shown, verb = find_viewable(ctx.game, press.text(1)), press.text(2)
        if verb == "edit":
            await self._creations.edit(ctx, shown.id)
        elif verb in read_only_game(ctx.table.state).system.procedures:
            await self._beginnings.begin(ctx, CheckStart(verb, {}, as_=shown.id))
        else:
            raise Outdated("unknown-control")


def _card(ctx: Context, character: AnyCharacter, page: str = "") -> Layout:
    state = ctx.table.state
    if character.owner is None and not ctx.gm:
        return npc_card(state, character)
    return sheet_card(
        ctx.scene, character, own=owns(state, ctx.actor, character), gm=ctx.gm, shown=page
    )
