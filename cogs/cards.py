"""`/draw-card`, `/card` and `/deck`: decks, hidden hands and offers, with or without a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.catalog_cards import card as catalog_card
from bot.presenters.controls import Button, Rows
from bot.presenters.hands import (
    Hand,
    deck_card,
    discard_question,
    hand_action_line,
    hand_panel,
    held_card_panel,
    offer_question,
    show_question,
)
from bot.presenters.language.words import label_text
from bot.presenters.layout import Layout
from bot.services.resolution import expected_events
from bot.ui.context import Context
from bot.ui.router import Press
from cogs import command_options, completions
from cogs.completions import (
    Choices,
    Completer,
    CompletionContext,
    Pairs,
    anywhere,
    matching_choices,
    to_gms,
)
from rules.core.cards import standard_deck
from rules.core.errors import InvalidInput, Outdated
from rules.registry import read_only_game
from rules.table.actions import (
    AnswerOffer,
    DrawCards,
    ImportDeck,
    OfferCard,
    PlayCard,
    RemoveDeck,
    ShuffleDeck,
)
from rules.table.chance.cards import (
    STANDARD_DECK,
    deck_of,
    decks_of,
    hand_place,
    open_place,
    piles_of,
    require_deck_access,
    system_deck,
)
from rules.table.checks.access import is_of_table
from rules.table.events import CardsMoved
from rules.table.forms.typed_texts import is_id
from rules.table.state import CardUse

_Card = app_commands.Range[str, 1, 100]
_Deck = app_commands.Range[str, 1, 80]

#: The use of a card for each verb in a button's id.
_CARD_USES: Final[Mapping[str, CardUse]] = {
    "play": "play",
    "reveal": "show",
    "drop": "discard",
    "pool": "pool",
}


async def deck_names(interaction: discord.Interaction[Storyguide], typed: str) -> Choices:
    """Return the decks of the table, or the standard deck without a table."""
    here = await interaction.client.interactions.table_here(interaction, free=True)
    if here is None:
        known = {STANDARD_DECK: standard_deck()}
    else:
        known = decks_of(read_only_game(here[0].state))
    return matching_choices(((key, deck.name) for key, deck in known.items()), typed)


#: The table's own decks, for GMs.
own_deck_names = to_gms(
    lambda asked: [(key, deck.name) for key, deck in asked.state.own_decks.items()]
)


def _card_completer(*places: Callable[[str], str]) -> Completer:
    """Return the completer of the asker's cards in these places; equal cards count once."""

    @anywhere
    def pairs(asked: CompletionContext) -> Pairs:
        deck = deck_of(asked.game, asked.option("deck") or STANDARD_DECK)
        rules = asked.game.system.cards
        own = system_deck(asked.game)
        if rules is not None and own is not None and deck.id in (STANDARD_DECK, own.id):
            return [
                (held.card, held.name)
                for held in rules.held(asked.game, asked.actor.id)
                if held.verbs
            ]
        piles = piles_of(asked.state, deck.id)
        names = {card.id: card.name for card in deck.cards}
        mine = [
            card
            for place in places
            for card in piles.cards_at(place(asked.actor.id))
            if card in names
        ]
        one = {names[card]: card for card in reversed(mine)}
        return [(card, name) for name, card in reversed(one.items())]

    return pairs


#: Cards of the asker's hand; these with the asker's cards face up.
hand_cards = _card_completer(hand_place)
own_cards = _card_completer(hand_place, open_place)


class DrawCard(commands.Cog):
    """Drawing."""

    @command_options.command(
        name="draw-card",
        description="Draw cards into your hand; the others only see how many",
        free=True,
        guests=True,
    )
    @app_commands.describe(
        count="How many (default: one)", deck="Which deck (default: the standard one)"
    )
    @app_commands.guild_only()
    @completions.autocomplete(deck=deck_names)
    async def draw(
        self,
        ctx: Context,
        count: app_commands.Range[int, 1, 100] = 1,
        deck: _Deck = "standard",
    ) -> None:
        await ctx.perform(DrawCards(**ctx.origin, count=count, deck=deck))


class Cards(commands.GroupCog, group_name="card", group_description="The cards in your hand"):
    """hand, show, play, give, discard."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__()
        bot.router.add_table_route("offer", self.answer, update=True, guests=True)
        bot.router.add_table_route("hand", self.press, update=True, guests=True)

    @command_options.command(
        description="Look at your hand; nobody else sees it", free=True, guests=True
    )
    @app_commands.describe(deck="Which deck")
    @completions.autocomplete(deck=deck_names)
    async def hand(self, ctx: Context, deck: _Deck = "standard") -> None:
        hands: list[Layout] = []
        before = await self.bot.interactions.existing_free_context(ctx.response)
        if before is not None and before.table.id != ctx.table.id:
            held = Hand(before.scene, before.actor.id, STANDARD_DECK)
            if held.cards or held.offers:
                hands.append(hand_panel(held, said=label_text("hand-before-table")))
        if not hands or is_of_table(ctx.table.state, ctx.actor, ctx.game.at):
            require_deck_access(ctx.game, deck)
            hands.insert(0, hand_panel(Hand(ctx.scene, ctx.actor.id, deck)))
        await ctx.show(*hands)

    @command_options.command(
        description="Show everybody a card, and keep it in your hand; it asks first",
        free=True,
        guests=True,
    )
    @app_commands.describe(card="A card from your hand", deck="Which deck")
    @completions.autocomplete(card=hand_cards, deck=deck_names)
    async def show(self, ctx: Context, card: _Card, deck: _Deck = "standard") -> None:
        require_deck_access(ctx.game, deck)
        action = PlayCard(**ctx.origin, card=card, how="show", deck=deck)
        hand = Hand(ctx.scene, ctx.actor.id, deck)
        for event in expected_events(ctx.table.state, action):
            if isinstance(event, CardsMoved):
                await ctx.show(show_question(hand, hand.cards.index(event.cards[0])))

    @command_options.command(
        description="Play a card face up in front of you", public=True, free=True, guests=True
    )
    @app_commands.describe(card="A card from your hand", deck="Which deck")
    @completions.autocomplete(card=hand_cards, deck=deck_names)
    async def play(self, ctx: Context, card: _Card, deck: _Deck = "standard") -> None:
        await ctx.perform(PlayCard(**ctx.origin, card=card, how="play", deck=deck))

    @command_options.command(
        description="Discard a card; nobody sees which playing card it was",
        free=True,
        guests=True,
    )
    @app_commands.describe(
        card="A card from your hand, or one face up in front of you", deck="Which deck"
    )
    @completions.autocomplete(card=own_cards, deck=deck_names)
    async def discard(self, ctx: Context, card: _Card, deck: _Deck = "standard") -> None:
        await ctx.perform(PlayCard(**ctx.origin, card=card, how="discard", deck=deck))

    @command_options.command(
        description="Offer somebody a card from your hand; they can take it any time, or decline",
        free=True,
        guests=True,
    )
    @app_commands.describe(card="A card from your hand", to="Who gets it", deck="Which deck")
    @completions.autocomplete(card=hand_cards, deck=deck_names)
    async def give(
        self,
        ctx: Context,
        card: _Card,
        to: discord.User | discord.Member,
        deck: _Deck = "standard",
    ) -> None:
        await ctx.perform(
            OfferCard(**ctx.origin, card=card, to=ctx.participant(to, "to"), deck=deck)
        )

    async def press(self, ctx: Context, press: Press) -> None:
        """Handle a button of the hand's panel: `sg:hand:<table>:<deck>:<mark>:<verb>:<place>`.

        It turns to a page, opens a card or uses one. A use is announced as by command; then the
        panel shows the hand as it is now.
        """
        require_deck_access(ctx.game, press.text(1))
        hand, verb = Hand(ctx.scene, ctx.actor.id, press.text(1)), press.text(3)
        if verb == "page":
            await ctx.show(hand_panel(hand, press.number(4)))
            return
        chosen = press.choice
        # The button has no receiver yet: a menu below the card asks for one.
        opens = verb == "open" or (verb == "give" and not press.values)
        if verb == "open" and press.values and not is_id(chosen):
            raise Outdated("unknown-control")
        place = int(chosen) if verb == "open" and press.values else press.number(4)
        if press.text(2) != hand.mark or place >= len(hand.cards):
            raise Outdated("hand-changed")
        if opens:
            await ctx.show(held_card_panel(hand, place))
            return
        if verb == "show":
            await ctx.show(show_question(hand, place))
            return
        if verb == "discard":
            await ctx.show(discard_question(hand, place))
            return
        if verb == "give":
            await ctx.show(offer_question(hand, place, self._receiver(ctx, hand, chosen)))
            return
        card = hand.cards[place]
        rows: Rows = ()
        ctx.response.go_silent()
        if verb == "offer":
            to = press.text(5)
            if ctx.table.directory.user(to) is None:
                raise Outdated("unknown-control")
            await ctx.perform(OfferCard(**ctx.origin, card=card, to=to, deck=hand.deck.id))
        elif verb in _CARD_USES:
            action = PlayCard(**ctx.origin, card=card, how=_CARD_USES[verb], deck=hand.deck.id)
            rows = await ctx.take_back_rows(action, await ctx.perform(action))
        else:
            raise Outdated("unknown-control")
        now = hand_panel(
            Hand(ctx.scene, ctx.actor.id, hand.deck.id),
            place,
            hand_action_line(hand, verb, place),
            more=rows,
        )
        await ctx.update_source(now)

    @staticmethod
    def _receiver(ctx: Context, hand: Hand, chosen: str) -> str:
        """Return the participant whom a menu named.

        Raises as `Context.chosen_participant`, and:
            InvalidInput("offer-to-yourself"): the user chose themselves.
            Outdated("unknown-control"): the person holds no cards of this deck.
        """
        if not hand.ruled:
            to = ctx.chosen_participant(chosen, "to")
        elif chosen in [partner.participant for partner in hand.partners]:
            to = chosen
        else:
            raise Outdated("unknown-control")
        if to == ctx.actor.id:
            raise InvalidInput("offer-to-yourself", field="to", value=None)
        return to

    async def answer(self, ctx: Context, press: Press) -> None:
        """Answer an offer: `sg:offer:<table>:<deck>:<offer>:take|leave`."""
        deck, number, verb = press.text(1), press.number(2), press.text(3)
        if verb not in ("take", "leave"):
            raise Outdated("unknown-control")
        await ctx.perform(AnswerOffer(**ctx.origin, offer=number, accept=verb == "take", deck=deck))


class Decks(commands.GroupCog, group_name="deck", group_description="Decks of cards"):
    """info, shuffle, reshuffle, import, remove."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__()
        bot.router.add_table_route("gather", self.gather, update=True)
        bot.router.add_table_route("deck", self.press, guests=True)

    @command_options.command(
        description="How many cards are in each pile, and which are face up",
        free=True,
        guests=True,
    )
    @app_commands.describe(deck="Which deck")
    @completions.autocomplete(deck=deck_names)
    async def info(self, ctx: Context, deck: _Deck = "standard") -> None:
        await show_deck(ctx, deck)

    @command_options.command(
        description="Shuffle the draw pile", public=True, free=True, guests=True
    )
    @app_commands.describe(deck="Which deck")
    @completions.autocomplete(deck=deck_names)
    async def shuffle(self, ctx: Context, deck: _Deck = "standard") -> None:
        await ctx.perform(ShuffleDeck(**ctx.origin, what="draw", deck=deck))

    @command_options.command(
        description="Shuffle the discard pile back in; GMs can take everything back",
        public=lambda given: not given["hands"],
        free=True,
        guests=True,
    )
    @app_commands.describe(
        hands="Take everything back, hands too (at a table: GMs only)", deck="Which deck"
    )
    @completions.autocomplete(deck=deck_names)
    async def reshuffle(self, ctx: Context, hands: bool = False, deck: _Deck = "standard") -> None:
        if hands and not read_only_game(ctx.table.state).system.playable:
            custom_id = (
                f"sg:gather:{ctx.table.id}:{deck_of(read_only_game(ctx.table.state), deck).id}"
            )
            rows = ((Button(custom_id, label_text("deck-take-all"), "danger"),),)
            await ctx.show(catalog_card("waiting", "gather", None, rows=rows))
            return
        await ctx.perform(
            ShuffleDeck(**ctx.origin, what="everything" if hands else "discard", deck=deck)
        )

    @command_options.command(
        name="import", description="GMs: bring your own deck to this table", gms=True
    )
    @app_commands.describe(file="The deck as a JSON file; docs/decks.md shows how to write one")
    async def import_(self, ctx: Context, file: discord.Attachment) -> None:
        # In private: every reader could open the file of a public command.
        await ctx.perform(ImportDeck(**ctx.origin, data=await ctx.read_upload(file, "deck")))

    @command_options.command(description="GMs: remove one of this table's own decks", public=True)
    @app_commands.describe(deck="Which deck")
    @completions.autocomplete(deck=own_deck_names)
    async def remove(self, ctx: Context, deck: _Deck) -> None:
        await ctx.perform(RemoveDeck(**ctx.origin, deck=deck))

    async def press(self, ctx: Context, press: Press) -> None:
        """Handle a button of a deck: `sg:deck:<table>:<deck>:<draw|hand|shuffle|other>`.

        `other` shows another deck.
        """
        deck, verb = press.text(1), press.text(2)
        if verb == "draw":
            await ctx.perform(DrawCards(**ctx.origin, deck=deck))
        elif verb == "hand":
            require_deck_access(ctx.game, deck)
            await ctx.show(hand_panel(Hand(ctx.scene, ctx.actor.id, deck)))
        elif verb == "shuffle":
            ctx.response.go_public()
            await ctx.perform(ShuffleDeck(**ctx.origin, what="draw", deck=deck))
        elif verb == "other" and press.values:
            await show_deck(ctx, press.values[0])
        else:
            raise Outdated("unknown-control")

    async def gather(self, ctx: Context, press: Press) -> None:
        """Shuffle every card back, after the question: `sg:gather:<table>:<deck>`."""
        await ctx.perform(ShuffleDeck(**ctx.origin, what="everything", deck=press.text(1)))


async def show_deck(ctx: Context, deck: str) -> None:
    """Show a deck's piles.

    Raises NotPermitted("not-of-table") for a deck that is closed to guests.
    """
    require_deck_access(ctx.game, deck)
    await ctx.show(deck_card(ctx.scene, deck))


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(DrawCard())
    await bot.add_cog(Cards(bot))
    await bot.add_cog(Decks(bot))
