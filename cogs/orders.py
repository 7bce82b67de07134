"""`/orders`, `/away`, `/delegate`: arrangements that a player makes beforehand."""

from __future__ import annotations

from typing import Literal

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.checks import resource_text
from bot.presenters.layout import Body, Layout
from bot.presenters.standing_orders import (
    order_change_text,
    order_choices,
    order_key,
    order_text,
    orders_card,
)
from bot.ui.absence import absence_layout
from bot.ui.context import Context
from bot.ui.panels.absence import ask_for_cover
from bot.ui.router import Press
from cogs import command_options, completions
from cogs.completions import CompletionContext, Pairs, completer
from rules.core.errors import InvalidInput, Outdated
from rules.core.name_matching import split_words
from rules.table.absence import orders_of
from rules.table.actions import (
    Action,
    AskForNpc,
    AskMe,
    Delegate,
    HoldCheck,
    SetAway,
    SetOrder,
    SetWords,
    TakeBackOrder,
)
from rules.table.arrangements.standing_order_actions import WORDS_MAX
from rules.table.check import PASS
from rules.table.checks.access import is_open_to
from rules.table.checks.procedure import orderable_options
from rules.table.checks.stages import can_hold
from rules.table.forms.fields import FormContext
from rules.table.lookup import acting_character, find_known, playable_characters
from rules.table.system import Game

Span = app_commands.Range[str, 1, 60]
_UNTIL = "Until when: a length such as 3 days, a day such as Friday, or a date such as 2030-12-24"


def find_order(game: Game, typed: str) -> tuple[str, str, str]:
    """Return kind, prompt and option of a standing order, by its name or a part of it.

    Raises InvalidInput("not-orderable").
    """
    offered = order_choices(game)
    wanted = typed.strip().casefold()
    labels = {key: label.casefold() for key, label in offered.items()}
    matches = [key for key, label in labels.items() if wanted in (key.casefold(), label)]
    # The cost follows the name in brackets.
    matches = matches or [
        key for key, label in labels.items() if wanted == label.partition(" (")[0]
    ]
    matches = matches or [key for key, label in labels.items() if label.startswith(wanted)]
    matches = matches or [key for key, label in labels.items() if wanted in label]
    if len(matches) == 1:
        kind, prompt, option = matches[0].split("/")
        return kind, prompt, option
    allowed = tuple([offered[key] for key in matches or offered])[:5]
    raise InvalidInput("not-orderable", field="order", value=typed[:60], allowed=allowed)


@completer
def given_orders(asked: CompletionContext) -> Pairs:
    """Yield the standing orders of `character`, or of the asker's own."""
    character = acting_character(asked.state, asked.actor, asked.option("character"), asked.place)
    labels = order_choices(asked.game)
    for order in orders_of(asked.state, character.id).given:
        key = order_key(order.kind, order.prompt, order.option)
        yield key, labels.get(key) or order_text(order.kind, order.prompt, None)


@completer
def possible_orders(asked: CompletionContext) -> Pairs:
    """Return the possible standing orders of `character`, or of the user's own."""
    character = acting_character(asked.state, asked.actor, asked.option("character"), asked.place)
    return order_choices(asked.game, character.id).items()


def _points(game: Game) -> dict[str, str]:
    reserves = [resource for resource in game.system.resources if resource.reserve]
    return {resource.key: resource_text(resource.key) for resource in reserves}


def resource_key(game: Game, typed: str) -> str:
    """Return the key of points by their name. Raises InvalidInput("unknown-resource")."""
    points, wanted = _points(game), typed.strip().casefold()
    for key, label in points.items():
        if wanted in (key.casefold(), label.casefold()):
            return key
    raise InvalidInput(
        "unknown-resource", field="keep", value=typed[:60], allowed=tuple(points.values())
    )


#: Points that the rules keep count of.
point_names = completer(lambda asked: _points(asked.game).items())


@completer
def hold_checks(asked: CompletionContext) -> Pairs:
    """Return the checks that wait for a player's say, or could."""
    game = asked.game
    seen = [check for check in game.state.checks.values() if is_open_to(game, check, game.actor)]
    return asked.checks(check for check in seen if can_hold(game, check) or check.held_for)


def parse_until(typed: str | None, ctx: Context) -> int | None:
    """Return the end of an absence, in seconds since 1970; None without one.

    Raises as `command_options.read_until`.
    """
    return None if typed is None else command_options.read_until(ctx, typed)


class Orders(
    commands.GroupCog,
    group_name="orders",
    group_description="Standing orders: answers given for you",
):
    """list, give, take, words, npc, ask, wait."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__()
        bot.router.add_table_route("order", _press_control, update=True)

    @command_options.command(
        name="list",
        description="Your standing orders, who answers for you, and whether you're away",
    )
    async def list_(self, ctx: Context) -> None:
        await ctx.show(_card(ctx))

    @command_options.command(
        description="Add a standing order; others can tell it by how quickly you answer"
    )
    @app_commands.describe(
        order="What to answer, and to what",
        character="Whose order it is (default: the character who acts)",
        with_="What the answer needs, separated by commas",
        keep="Only if enough of these points are left afterwards",
        amount="How many of them to keep",
        otherwise="If that isn't possible: pass, or ask you",
    )
    @app_commands.rename(with_="with")
    @completions.autocomplete(
        order=possible_orders, character=completions.characters, keep=point_names
    )
    async def give(
        self,
        ctx: Context,
        order: command_options.Name,
        character: command_options.Name | None = None,
        with_: command_options.Words | None = None,
        keep: command_options.Name | None = None,
        amount: app_commands.Range[int, 0, 999] = 1,
        otherwise: Literal["pass", "ask"] = "pass",
    ) -> None:
        kind, prompt, option = find_order(ctx.game, order)
        await ctx.perform(
            SetOrder(
                **ctx.origin,
                character=character,
                prompt=prompt,
                option=option,
                values=_values(ctx, character, (kind, prompt, option), split_words(with_)),
                keep=resource_key(ctx.game, keep) if keep else "",
                keep_amount=amount if keep else 0,
                otherwise=PASS if otherwise == "pass" else None,
                kind=kind,
            )
        )

    @command_options.command(description="Remove a standing order")
    @app_commands.describe(
        order="Which one", character="Whose order it is (default: the character who acts)"
    )
    @completions.autocomplete(order=given_orders, character=completions.characters)
    async def take(
        self,
        ctx: Context,
        order: command_options.Name,
        character: command_options.Name | None = None,
    ) -> None:
        kind, prompt, _ = find_order(ctx.game, order)
        await ctx.perform(
            TakeBackOrder(**ctx.origin, character=character, prompt=prompt, kind=kind)
        )

    @command_options.command(
        description="Leave word what your character does while you're away; only the GM reads it"
    )
    @app_commands.describe(
        text="What your character should do; leave it out to take your word back",
        character="Whose word it is (default: the character who acts)",
    )
    @completions.autocomplete(character=completions.characters)
    async def words(
        self,
        ctx: Context,
        text: app_commands.Range[str, 1, WORDS_MAX] | None = None,
        character: command_options.Name | None = None,
    ) -> None:
        await ctx.perform(SetWords(**ctx.origin, character=character, words=text or ""))

    @command_options.command(description="GMs: get asked before an NPC passes")
    @app_commands.describe(npc="Which NPC", ask="Whether you want to be asked")
    @completions.autocomplete(npc=completions.npcs)
    async def npc(self, ctx: Context, npc: command_options.Name, ask: bool = True) -> None:
        await ctx.perform(AskForNpc(**ctx.origin, npc=npc, ask=ask))

    @command_options.command(
        description="Be asked before results stand or rounds begin; everybody sees that you are",
        public=True,
    )
    @app_commands.describe(
        results="Before results stand: every roll waits for you",
        rounds="At the start of each round, where the rules let you spend something then",
        character="Whose switches they are (default: the character who acts)",
    )
    @completions.autocomplete(character=completions.characters)
    async def ask(
        self,
        ctx: Context,
        results: bool | None = None,
        rounds: bool | None = None,
        character: command_options.Name | None = None,
    ) -> None:
        if results is None and rounds is None:
            raise InvalidInput("ask-what", field="results", value=None)
        await ctx.perform(AskMe(**ctx.origin, character=character, results=results, rounds=rounds))

    @command_options.command(
        description="Have a say before a check's result stands; everybody sees that you want one"
    )
    @app_commands.describe(
        check="Which check",
        character="Whose say it is (default: the character who acts)",
        back="No longer wait for you; a GM who names nobody lets the check go on",
    )
    @completions.autocomplete(check=hold_checks, character=completions.characters)
    async def wait(
        self,
        ctx: Context,
        check: app_commands.Range[str, 1, 20],
        character: command_options.Name | None = None,
        back: bool = False,
    ) -> None:
        await ctx.perform(HoldCheck(**ctx.origin, check=check, character=character, back=back))


def _values(
    ctx: Context, character: str | None, meant: tuple[str, str, str], words: tuple[str, ...]
) -> dict[str, object]:
    """Return the values for the form of the ordered option.

    Raises InvalidInput("unknown-option") if the option has no form.
    """
    if not words:
        return {}
    game = ctx.game
    form = next(
        (
            option.form
            for kind, prompt, option in orderable_options(game)
            if (kind, prompt, option.value) == meant
        ),
        None,
    )
    if form is None:
        raise InvalidInput(
            "unknown-option", field="with", value=words[0][:60], allowed=(), nearest=()
        )
    state = ctx.table.state
    if character is None:
        who = acting_character(state, ctx.actor, None, ctx.place).id
    else:
        who = find_known(state, ctx.actor, character, "character").id
    return form.read_words(words, FormContext(game, None, who))


def _card(ctx: Context, done: Action | None = None) -> Layout:
    """Return the message on the user's arrangements, and what was just changed there."""
    own = playable_characters(ctx.table.state, ctx.actor)
    card = orders_card(ctx.scene, ctx.game, own, gm=ctx.gm)
    said = _change_text(ctx.game, done)
    if not said:
        return card
    head, *rest = card.pieces
    return card.replace(pieces=(head, Body(said), *rest))


def _change_text(game: Game, done: Action | None) -> str:
    """Return what an action has changed about the standing orders; empty for other changes."""
    if isinstance(done, SetOrder):
        return order_change_text(game, done.kind, done.prompt, done.option, added=True)
    if isinstance(done, TakeBackOrder):
        return order_change_text(game, done.kind, done.prompt, "", added=False)
    return ""


async def _press_control(ctx: Context, press: Press) -> None:
    """Handle a control of the orders' card: `sg:order:<table>:<give|take|away|back>`.

    Then the card shows the new state.
    """
    verb = press.text(1)
    action: Action
    if verb in ("away", "back"):
        action = SetAway(**ctx.origin, back=verb == "back", until=None, note="")
    else:
        who, _, key = press.choice.partition("/")
        if key.count("/") != 2 or verb not in ("give", "take"):
            raise Outdated("unknown-control")
        kind, prompt, option = key.split("/")
        action = TakeBackOrder(**ctx.origin, character=who, prompt=prompt, kind=kind)
        if verb == "give":
            action = SetOrder(
                **ctx.origin, character=who, prompt=prompt, option=option, otherwise=PASS, kind=kind
            )
    await ctx.perform(action, instead=lambda: _card(ctx, action))
    if verb == "away":
        await ask_for_cover(ctx, None)


class Away(commands.Cog):
    """away, delegate."""

    @command_options.command(description="Say you're away; your characters then pass", public=True)
    @app_commands.describe(
        until=_UNTIL,
        note="What the others should know, and whoever acts for you",
        back="You're back",
        player="GMs: the player to treat as away until they act here again",
    )
    @app_commands.guild_only()
    async def away(
        self,
        ctx: Context,
        until: Span | None = None,
        note: app_commands.Range[str, 1, 200] | None = None,
        back: bool = False,
        player: discord.User | None = None,
    ) -> None:
        by = ctx.origin
        if player is not None:
            ctx.require_gm()
        person = "" if player is None else ctx.participant(player, "player")
        was = orders_of(ctx.table.state, ctx.actor.id).away
        action = SetAway(
            **by, back=back, until=parse_until(until, ctx), note=note or "", person=person
        )
        await ctx.perform(action)
        own = person in ("", ctx.actor.id)
        if own and not back:
            await ask_for_cover(ctx, action.until)
        if own and back and was is not None and not was.noted_by:
            tables = ctx.interactions.tables
            await ctx.whisper(await absence_layout(tables, ctx.reader, was.since, by["at"]))

    @command_options.command(description="Let somebody answer for your character, or stop that")
    @app_commands.describe(
        character="Your character",
        to="Who answers for it besides you, and sees its sheet",
        until=_UNTIL,
        back="Stop: they no longer answer for it",
    )
    @app_commands.guild_only()
    @completions.autocomplete(character=completions.characters)
    async def delegate(
        self,
        ctx: Context,
        character: command_options.Name,
        to: discord.User,
        until: Span | None = None,
        back: bool = False,
    ) -> None:
        by = ctx.origin
        await ctx.perform(
            Delegate(
                **by,
                character=character,
                to=ctx.participant(to, "to"),
                until=parse_until(until, ctx),
                back=back,
            )
        )


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(Orders(bot))
    await bot.add_cog(Away())
