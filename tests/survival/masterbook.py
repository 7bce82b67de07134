"""What people do with MasterBook's cards: each kind of deed alone, and whether any card is lost by it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

from rules.registry import look
from rules.systems.masterbook.deck.table import cards_of
from tests.discord.masterbook.table import FIGHTER, THUG
from tests.loopback.interactions import Interaction, Upload
from tests.loopback.models import Channel, Message, User
from tests.survival.rim import PATIENCE, Rim, has_button

Act = Callable[[], Interaction]
LINE: Final = {"first": "P"}
#: A deck in which it makes no difference who is dealt what: everybody draws with each card.
DECK: Final[dict[str, Any]] = {
    "format": "masterbook-deck",
    "format_version": 1,
    "deck_id": "alike",
    "title": "All alike",
    "cards": [
        {"number": number, "name": "rally", "standard": LINE, "dramatic": LINE} for number in range(1, 61)
    ],
}


def _json(name: str, data: Any) -> Upload:
    return Upload(f"{name}.json", json.dumps(data).encode(), "application/json")


async def card_table(rim: Rim) -> Channel:
    """A new channel with a table that plays with the deck, Ana's Vesna and Ben's Boris."""
    place = rim.place()
    await rim.do(rim.gina, place, "setup", system="masterbook")
    # The commands that only this system has are registered in the background.
    await rim.wait(lambda: (1, "masterbook") in rim.standin.commands.get(rim.guild.id, {}))
    await rim.do(rim.gina, place, "gm settings", setting="cards_mode", value="full")
    for who, name in ((rim.ana, "Vesna"), (rim.ben, "Boris")):
        file = _json(name, {"name": name} | FIGHTER)
        await rim.do(who, place, "character import", file=file, grown=True)
    await rim.do(rim.gina, place, "deck import", file=_json("deck", DECK))
    return place


async def whole(rim: Rim, place: Channel) -> None:
    """No card is lost or doubled, and a table goes on from there."""
    await rim.settled()
    for table_id in sorted({table for (table,) in rim.query("SELECT DISTINCT table_id FROM place")}):
        state = await rim.state(table_id)
        if "masterbook" in state.decks:
            cards = cards_of(look(state))
            assert cards.piles.cards == tuple(sorted(cards.faces)), table_id
    shown = await rim.do(rim.ben, place, "card hand")
    assert shown.response is not None and "Your cards" in "\n".join(shown.response.texts())


async def _begun(rim: Rim, place: Channel) -> None:
    await rim.do(rim.gina, place, "mb adventure start")
    await rim.settled()


async def _panel(rim: Rim, who: User, place: Channel, label: str) -> Message:
    await rim.settled()
    return await rim.click(who, rim.with_button(place, label), label)


# --- one deed, only to be done ------------------------------------------------------------------------------


async def dealing(rim: Rim, place: Channel) -> Act:
    """Gina is about to begin an adventure."""
    return lambda: rim.emit(rim.gina, place, "mb adventure start", name="The Dam")


async def playing(rim: Rim, place: Channel) -> Act:
    """Ana is about to play a card with which everybody draws."""
    await _begun(rim, place)
    return lambda: rim.emit(rim.ana, place, "mb card play", card="Rally")


async def offering(rim: Rim, place: Channel) -> Act:
    """Ana is about to offer Ben a card, of which nobody else hears."""
    await _begun(rim, place)
    return lambda: rim.emit(rim.ana, place, "mb card trade", cards="Rally", to="Boris")


async def trading(rim: Rim, place: Channel) -> Act:
    """Ben is about to give a card for the one that Ana offers."""
    await (await offering(rim, place))().answered(PATIENCE)
    panel = await rim.click(rim.ben, await _panel(rim, rim.ben, place, "Show"), "React")
    panel = await rim.click(rim.ben, panel, "Trade…")
    (held,) = [
        each.at("hand", who)[:1] for each, who in [await _hand(rim, place, "Boris")]
    ]
    panel = await rim.choose(rim.ben, panel, "Cards", f"cards: {held[0]}")
    return lambda: rim.press(rim.ben, panel, "Trade")


async def _hand(rim: Rim, place: Channel, name: str) -> tuple[Any, str]:
    """The deck as it lies, and who somebody is."""
    ((table_id,),) = rim.query("SELECT table_id FROM place WHERE id = ?", str(place.id))
    state = await rim.state(table_id)
    return cards_of(look(state)), next(each.id for each in state.characters.values() if each.name == name)


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
    await rim.do(rim.gina, place, "gm npc add", name="Thug", file=_json("thug", {"name": "Thug"} | THUG))
    await rim.do(rim.gina, place, "initiative start")
    await rim.do(rim.ana, place, "initiative join")
    await rim.do(rim.ben, place, "initiative join")
    await rim.settled()
    return lambda: rim.emit(rim.gina, place, "initiative next")


async def ending(rim: Rim, place: Channel) -> Act:
    """Gina is about to end the adventure: everybody is paid, and all cards return."""
    await _begun(rim, place)
    return lambda: rim.emit(rim.gina, place, "mb adventure end")


async def goes_on(rim: Rim, place: Channel) -> None:
    """There is one board, with whose turn it is."""
    await whole(rim, place)
    (board,) = (message for message in rim.said(place) if has_button(message, "Done"))
    await rim.click(rim.gina, board, "Done")


Flow = tuple[Callable[[Rim, Channel], Awaitable[Act]], Callable[[Rim, Channel], Awaitable[object]]]
FLOWS: dict[str, Flow] = {
    "deal": (dealing, whole),
    "card": (playing, whole),
    "offer": (offering, whole),
    "trade": (trading, whole),
    "replenish": (filling, whole),
    "flip": (flipping, goes_on),
    "adventure": (ending, whole),
}
