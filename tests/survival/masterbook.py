"""What people do with MasterBook's cards: each kind of deed alone, and whether any card is lost by
it.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any, Final

from rules.registry import read_only_game
from rules.systems.masterbook.deck.table_deck import require_cards
from tests.discord.masterbook.table import FIGHTER
from tests.loopback.interactions import Interaction
from tests.loopback.models import Channel, User
from tests.survival.barmore import entries, usable
from tests.survival.edge_of_process import Rim, has_button, upload

Act = Callable[[], Interaction]
LINE: Final = {"first": "P"}
#: A deck in which it makes no difference who is dealt what: everybody draws with each card.
DECK: Final[dict[str, Any]] = {
    "format": "masterbook-deck",
    "format_version": 1,
    "deck_id": "alike",
    "title": "All alike",
    "cards": [
        {"number": number, "name": "rally", "standard": LINE, "dramatic": LINE}
        for number in range(1, 61)
    ],
}


async def card_table(rim: Rim) -> Channel:
    """A new channel with a table that plays with the deck, Ana's Vesna and Ben's Boris."""
    sheets = {name: {"name": name} | FIGHTER for name in ("Vesna", "Boris")}
    place = await rim.begin("masterbook", sheets, grown=True)
    await rim.do(rim.gina, place, "gm settings", setting="cards_mode", value="full")
    await rim.do(rim.gina, place, "deck import", file=upload("deck", DECK))
    return place


async def check_cards(rim: Rim) -> None:
    """At no table a card is lost or doubled."""
    for (table_id,) in rim.query("SELECT DISTINCT table_id FROM place"):
        state = await rim.state(table_id)
        if "masterbook" in state.decks:
            cards = require_cards(read_only_game(state))
            assert cards.piles.cards == tuple(sorted(cards.faces)), table_id


async def whole(rim: Rim, place: Channel) -> None:
    """No card is lost or doubled, and a table goes on from there."""
    await rim.settled()
    await check_cards(rim)
    shown = await rim.do(rim.ben, place, "card hand")
    assert shown.response is not None and "Your cards" in "\n".join(shown.response.texts())


async def _begun(rim: Rim, place: Channel) -> None:
    await rim.do(rim.gina, place, "mb adventure start")
    await rim.settled()


# --- one deed, only to be done --------------------------------------------------------------------


async def dealing(rim: Rim, place: Channel) -> Act:
    """Gina is about to begin an adventure."""
    return lambda: rim.emit(rim.gina, place, "mb adventure start", name="The Dam")


async def playing(rim: Rim, place: Channel) -> Act:
    """Ana is about to play a card with which everybody draws."""
    await _begun(rim, place)
    return lambda: rim.emit(rim.ana, place, "mb card play", card="Rally")


async def trading(rim: Rim, place: Channel) -> Act:
    """Ben is about to give a card for the one that Ana offers, of which nobody else hears."""
    await _begun(rim, place)
    await rim.do(rim.ana, place, "mb card trade", cards="Rally", to="Boris")
    await rim.settled()
    stub = next(
        each
        for each in rim.said(place)
        if f"<@{rim.ben.id}>: a private message" in str(each.texts())
    )
    panel = await rim.click(rim.ben, stub, "Show")
    panel = await rim.click(rim.ben, panel, "Trade…")
    panel = await rim.choose(rim.ben, panel, "Cards", entries(panel, "Cards")[0])
    return lambda: rim.press(rim.ben, panel, "Trade")


async def filling(rim: Rim, place: Channel) -> Act:
    """A scene is over, and Ana is about to fill her hand up."""
    await _begun(rim, place)
    await rim.do(rim.ana, place, "card discard", card="Rally")
    await rim.do(rim.gina, place, "mb adventure scene", what="start")
    await rim.do(rim.gina, place, "mb adventure scene", what="end")
    await rim.settled()
    return lambda: rim.emit(rim.ana, place, "draw-card")


async def flipping(rim: Rim, place: Channel) -> Act:
    """A round is about to begin with its card."""
    await _begun(rim, place)
    await rim.do(rim.gina, place, "initiative start")
    await rim.do(rim.ana, place, "initiative join")
    await rim.do(rim.ben, place, "initiative join")
    await rim.settled()
    return lambda: rim.emit(rim.gina, place, "initiative next")


async def goes_on(rim: Rim, place: Channel) -> None:
    """There is one board, with whose turn it is."""
    await whole(rim, place)
    (board,) = (message for message in rim.said(place) if has_button(message, "Join"))
    await rim.click(rim.gina, board, "End turn")


Flow = tuple[Callable[[Rim, Channel], Awaitable[Act]], Callable[[Rim, Channel], Awaitable[object]]]
FLOWS: dict[str, Flow] = {
    "deal": (dealing, whole),
    "card": (playing, whole),
    "trade": (trading, whole),
    "replenish": (filling, whole),
    "flip": (flipping, goes_on),
}


# --- everything at random -------------------------------------------------------------------------


class CardPlay:
    """What comes to the minds of Gina, Ana and Ben at a table with cards."""

    def __init__(
        self, rim: Rim, chance: random.Random, send: Callable[[Interaction], Awaitable[Interaction]]
    ) -> None:
        self._rim, self._chance, self._send = rim, chance, send

    async def lead(self, who: User, place: Channel) -> None:
        """Something that a GM does."""
        pick = self._chance.choice
        deeds: tuple[tuple[str, dict[str, Any]], ...] = (
            ("mb adventure start", {}),
            ("mb adventure scene", {"what": "start"}),
            ("mb adventure scene", {"what": "end"}),
            ("mb adventure act", {"what": "end"}),
            (
                "mb card seat",
                {"how": pick(("leaves", "joins")), "character": pick(("Vesna", "Boris"))},
            ),
            ("mb deck fiat", {}),
            ("initiative start", {}),
            ("initiative next", {}),
            ("initiative end", {}),
            ("deck shuffle", {}),
            ("gm undo", {}),
        )
        command, options = pick(deeds)
        await self._send(self._rim.emit(who, place, command, **options))

    async def play(self, who: User, place: Channel) -> None:
        """Something that a player does."""
        pick, other = self._chance.choice, "Boris" if who is self._rim.ana else "Vesna"
        labels = ("React", "Choose cards")
        found = [
            (each, label)
            for each in self._rim.said(place)[-20:]
            for label in labels
            if has_button(each, label)
        ]
        if found and self._chance.random() < 0.4:
            panel = (await self._send(self._rim.press(who, *pick(found)))).response
            labels = (
                [] if panel is None else [each for each in usable(panel) if not each.endswith("…")]
            )
            if panel is not None and panel.ephemeral and labels:
                await self._send(self._rim.press(who, panel, pick(labels)))
            return
        deeds: tuple[tuple[str, dict[str, Any]], ...] = (
            ("mb card play", {"card": "Rally"}),
            ("mb card trade", {"cards": "Rally", "to": other}),
            ("mb card pool", {"card": "Rally"}),
            ("card discard", {"card": "Rally"}),
            ("draw-card", {}),
            ("initiative join", {}),
            ("mb act", {"action": "looks around"}),
            ("moves", {}),
        )
        command, options = pick(deeds)
        await self._send(self._rim.emit(who, place, command, **options))
