"""`/draw-card`, `/card` and `/deck`: hidden hands, offers that wait, piles; at a table and where
none is.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from PIL import Image

from bot.services.directory import new_id
from bot.services.seeds import seed_commitment
from rules.core.cards import standard_deck
from rules.core.rng import shuffle_seed
from rules.table.chance.cards import hand_place, open_offers, open_place
from tests.discord.world import (
    DAY,
    World,
    button,
    controls,
    head,
    labels,
    menu,
    message_of,
    pings,
    primary,
    private,
    public,
    refusal_of,
    select,
    texts,
)

MENU = "Open a card"
HEX = re.compile(r"`([0-9a-f]{64})`")
ORDER = [card.id for card in standard_deck().cards]
NAMES = {card.id: card.name for card in standard_deck().cards}


async def _draw(world: World, *cards: str, who: Any = None, count: int | None = None) -> Any:
    """Draw; the first time the deck is laid so that these come first, then the rest as in
    the file.
    """
    if cards:
        order, faces = [*cards, *(each for each in ORDER if each not in cards)], []
        now = list(ORDER)
        for last in range(len(now) - 1, 0, -1):
            chosen = now.index(order[last])
            now[last], now[chosen] = now[chosen], now[last]
            faces.append(chosen + 1)
        world.dice.lay(*faces)
    result = await (who or world.ana).slash(
        world.zone, "draw-card", count=count or max(1, len(cards))
    )
    assert world.dice.left == 0
    return result


async def _choices(world: World, command: str, who: Any) -> list[str]:
    found = await who.autocomplete(world.zone, command, "card", "")
    return [choice["value"] for choice in found]


async def _piles(world: World) -> Any:
    place = str(world.zone.id)
    table_id = world.bot.tables.places.table_id(place, f"free:{place}")
    assert table_id is not None
    return (await world.bot.tables.get(table_id)).state.decks["standard"]


def _unseen(world: World, who: Any, *cards: str) -> None:
    """Nothing this person was ever sent names these cards, by name or by id."""
    told = world.told(who)
    for card in cards:
        assert NAMES[card] not in told
        assert json.dumps(card) not in told


# --- drawing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [True, False])
async def test_only_whoever_draws_sees_which(world: World, table: bool) -> None:
    if table:
        await world.table(gm_channel=True)
    result = await _draw(world, "QH", "7C")
    text = private(result)
    assert "You draw 2 cards" in text
    assert "The queen of hearts and the seven of clubs." in text
    (picture,) = message_of(result).attachments
    assert picture.description == "Cards: queen of hearts and seven of clubs."
    assert "Ana draws 2 cards" in texts(world.last())
    assert "holds 2 cards; 52 cards left" in texts(world.last())
    hand = private(await world.ana.slash(world.zone, "card hand"))
    assert "Your hand: 2 cards" in hand
    for other in (world.ben, world.gina):
        info = private(await other.slash(world.zone, "deck info"))
        assert f"{world.ana.mention} holds 2 cards." in info
        assert "**Draw pile:** 52 cards" in info
        assert await _choices(world, "card play", other) == []
        for command in ("card hand", "deck info"):
            private(await other.slash(world.zone, command))
        _unseen(world, other, "QH", "7C")


async def test_a_card_nobody_sees_stays_unseen_whatever_happens(world: World) -> None:
    """The canary lies in Ana's hand through all that others can do."""
    await world.table()
    await _draw(world, "QH", "7C", "KS")
    await _draw(world, who=world.ben)
    await world.show_card(world.ana, "7C")
    await world.ana.slash(world.zone, "card play", card="7C")
    await world.ana.slash(world.zone, "card discard", card="7C")
    await world.ana.slash(world.zone, "card discard", card="KS")
    await world.ana.slash(world.zone, "card show", card="queen of diamonds")
    for who in (world.ben, world.gina):
        for command in (
            "card hand",
            "deck info",
            "table show",
            "table last",
            "deck shuffle",
            "deck reshuffle",
        ):
            await who.slash(world.zone, command)
        refusal_of(await who.slash(world.zone, "card show", card="queen"))
    await world.restart()
    private(await world.gina.slash(world.zone, "gm log"))
    await world.gina.slash(world.zone, "gm undo", entry=await world.revision())
    assert "seven of clubs" in world.told(world.gina)
    assert "queen of hearts" in world.told(world.ana)
    for who in (world.ben, world.gina):
        _unseen(world, who, "QH", "KS")


async def test_the_pile_runs_out(world: World) -> None:
    await _draw(world, count=54)
    text = refusal_of(await world.ben.slash(world.zone, "draw-card", count=2))
    assert "no cards left, 2 wanted" in text
    assert "/deck reshuffle" in text


# --- orders that can be computed ------------------------------------------------------------------


async def _shown(world: World, entry: int, who: Any = None) -> tuple[str, dict[str, Any] | None]:
    """What `/table fair show` tells of a shuffle, and its file."""
    result = await (who or world.ben).slash(world.zone, "table fair show", entry=entry)
    files = message_of(result).attachments
    return private(result), json.loads(await files[0].read()) if files else None


async def _last_entry(world: World) -> Any:
    place = str(world.zone.id)
    table_id = world.bot.tables.places.table_id(place, f"free:{place}") or 0
    ((row, _),) = await world.bot.tables.store.entries(table_id, limit=1)
    return row


def _computed(folder: Path, file: dict[str, Any]) -> str:
    """What the scripts of the documentation say of such a file."""
    fair, recipe = re.findall(
        r"```python\n(.*?)```", Path("docs/fair-dice.md").read_text("utf-8"), re.DOTALL
    )
    (folder / "fair.py").write_text(fair, "utf-8")
    (folder / "cards.py").write_text(
        f"import hashlib, sys\nfrom fair import faces\n{recipe}", "utf-8"
    )
    (folder / "order.json").write_text(json.dumps(file), "utf-8")
    command = [sys.executable, "cards.py", "order.json"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.mark.parametrize("table", [True, False])
async def test_an_order_is_computed_again_once_it_is_over(
    world: World, tmp_path: Path, table: bool
) -> None:
    if table:
        await world.table()
    await world.ana.slash(world.zone, "draw-card", count=2)
    first = await _last_entry(world)
    assert (first.draws, first.secret_draws) == (53, 53)
    (published,) = HEX.findall(texts(world.last()))
    lay = await _piles(world)
    text, file = await _shown(world, first.seq)
    assert "Seed:** closed" in text and published in text and file is None
    overview = private(await world.ben.slash(world.zone, "table fair show"))
    assert f"closed, since cards may still be hidden:** #{first.seq}" in overview
    await world.ana.slash(world.zone, "draw-card")
    assert (await _last_entry(world)).draws == 0
    await world.restart()

    gathered = await world.gina.slash(world.zone, "deck reshuffle", hands=True)
    if not table:
        await world.press(world.gina, message_of(gathered), "Take all back")
    second = await _last_entry(world)
    (following,) = HEX.findall(texts(world.last()))
    await world.restart()
    text, file = await _shown(world, first.seq)
    assert file is not None and file["seed"] in text
    assert file["fingerprint"] == published
    assert file["before"] == ORDER
    assert [
        *reversed(lay.cards_at(hand_place("p2" if table else "p1"))),
        *lay.cards_at("draw"),
    ] == file["after"]
    assert _computed(tmp_path, file) == "True True"
    assert _computed(tmp_path, {**file, "after": file["before"]}) == "True False"
    assert _computed(tmp_path, {**file, "fingerprint": following}) == "False True"
    text, file = await _shown(world, second.seq)
    assert "Seed:** closed" in text and following in text and file is None
    overview = private(await world.ben.slash(world.zone, "table fair show"))
    assert f"with their seeds revealed:** #{first.seq}" in overview
    assert f"closed, since cards may still be hidden:** #{second.seq}" in overview


async def test_an_order_stays_closed_while_a_hand_comes_from_it(
    world: World, tmp_path: Path
) -> None:
    await world.table()
    await _draw(world, "QH", "7C", "KS")
    first = (await _last_entry(world)).seq
    await world.ana.slash(world.zone, "card discard", card="KS")
    await world.ben.slash(world.zone, "deck reshuffle")
    second = (await _last_entry(world)).seq
    before = await world.state()
    for how, card in (("play", "QH"), ("show", "7C")):
        assert (await _shown(world, first))[1] is None
        await world.ana.slash(world.zone, f"card {how}", card=card)
    assert (await _shown(world, first))[1] is None
    await world.ana.slash(world.zone, "card play", card="7C")
    _, file = await _shown(world, first)
    assert file is not None and _computed(tmp_path, file) == "True True"
    assert (await _shown(world, second))[1] is None
    text = refusal_of(await world.gina.slash(world.zone, "gm undo"))
    assert "is public by now, hands included" in text
    assert (await world.state()).decks != before.decks
    await world.ben.slash(world.zone, "deck reshuffle")
    _, file = await _shown(world, second)
    assert file is not None and _computed(tmp_path, file) == "True True"


async def _reveal_secret(world: World) -> tuple[str, bytes]:
    """Gina reveals the seed of secret rolls: what she was warned of, and the seed."""
    warning = await world.gina.slash(world.zone, "table fair rotate", rolls="secret")
    told = private(warning)
    await world.press(world.gina, message_of(warning), "Reveal it")
    return told, bytes.fromhex(HEX.findall(texts(world.last()))[0])


async def test_the_seed_of_secret_rolls_tells_nothing_of_cards(world: World) -> None:
    await world.table()
    await world.ana.slash(world.zone, "draw-card")
    row = await _last_entry(world)
    (published,) = HEX.findall(texts(world.last()))
    warning, seed = await _reveal_secret(world)
    assert "You can't undo this" in warning and "hands" not in warning
    assert seed_commitment(shuffle_seed(seed, row.request_id)) != published
    table = await world.bot.tables.get(row.table_id)
    assert (
        seed_commitment(shuffle_seed(table.current_seed("shuffle").seed, row.request_id))
        == published
    )
    assert seed_commitment(table.current_seed("shuffle").seed) not in private(
        await world.ana.slash(world.zone, "table fair show")
    )


async def test_a_shuffle_that_was_taken_back_stays_closed(world: World) -> None:
    await world.table()
    await _draw(world, "QH")
    seq = (await _last_entry(world)).seq
    await world.gina.slash(world.zone, "gm undo", entry=seq)
    await world.ana.slash(world.zone, "draw-card")
    await world.gina.slash(world.zone, "deck reshuffle", hands=True)
    text, file = await _shown(world, seq)
    assert "closed for good" in text and file is None


# --- using ----------------------------------------------------------------------------------------


async def test_show_play_and_discard(world: World) -> None:
    await _draw(world, "QH", "7C", "KS", "R*")
    asked = await world.ana.slash(world.zone, "card show", card="QH")
    assert "Show the queen of hearts to everybody?" in private(asked)
    assert "queen" not in world.told(world.ben)
    shown = await world.press(world.ana, message_of(asked), "Show to everybody")
    assert "You showed everybody the queen of hearts. It stays in your hand." in private(shown)
    assert "Ana shows the queen of hearts" in texts(world.last())
    assert world.last().attachments[0].description == "Cards: queen of hearts."
    assert "Ana plays the seven of clubs" in public(
        await world.ana.slash(world.zone, "card play", card="seven")
    )
    assert f"Face up in front of {world.ana.mention}: the seven of clubs." in private(
        await world.ben.slash(world.zone, "deck info")
    )
    hidden = private(await world.ana.slash(world.zone, "card discard", card="king of spades"))
    assert "You discarded the king of spades" in hidden
    assert "Ana discards a card" in texts(world.last())
    _unseen(world, world.ben, "KS")
    await world.ana.slash(world.zone, "card discard", card="7C")
    assert "Ana discards the seven of clubs" in texts(world.last())
    piles = await _piles(world)
    assert piles.cards_at("discard") == ("7C", "KS")
    assert set(piles.cards_at(hand_place("p1"))) == {"QH", "R*"}
    assert piles.cards_at(open_place("p1")) == ()


async def test_what_is_not_in_the_hand_is_refused_with_what_is_near(world: World) -> None:
    assert "You hold no card" in refusal_of(
        await world.ana.slash(world.zone, "card play", card="QH")
    )
    await _draw(world, "QH", "QS", "7C")
    assert "“queen of hearts”" in refusal_of(
        await world.ana.slash(world.zone, "card play", card="queen of harts")
    )
    text = refusal_of(await world.ana.slash(world.zone, "card play", card="queen"))
    assert "could be queen of spades or queen of hearts" in text
    assert sorted(await _choices(world, "card play", world.ana)) == ["7C", "QH", "QS"]
    for command, options in (("card hand", {}), ("deck shuffle", {}), ("draw-card", {})):
        text = refusal_of(await world.ana.slash(world.zone, command, deck="tarot", **options))
        assert "No deck “tarot”" in text


# --- offers ---------------------------------------------------------------------------------------


async def test_a_card_goes_to_people_as_they_are_called_outside_tests(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here participants are `p1`, `p2`, …: elsewhere nobody is."""
    monkeypatch.setattr("bot.services.directory.new_id", new_id)
    await world.table()
    await _draw(world, "QH", "7C")
    given = await world.ana.slash(world.zone, "card give", card="QH", to=world.ben)
    assert "You offer Ben the queen of hearts" in private(given)
    taken = await world.press(
        world.ben, message_of(await world.press(world.ben, world.last(), "Show")), "Accept"
    )
    assert "You take the queen of hearts" in private(taken)


@pytest.mark.parametrize("table", [True, False])
async def test_an_offer_is_taken_days_later_after_restarts(world: World, table: bool) -> None:
    if table:
        await world.table()
    await _draw(world, "QH", "7C")
    mine = await world.ana.slash(world.zone, "card give", card="QH", to=world.ben)
    assert "You offer Ben the queen of hearts" in private(mine)
    stub = world.last()
    assert pings(stub, world.env) == [world.ben.id]
    assert "queen" not in texts(stub)
    await world.restart()
    await world.env.advance_time(5 * DAY)
    shown = await world.press(world.ben, stub, "Show")
    assert "Ana offers you the queen of hearts" in private(shown)
    await world.restart()
    taken = await world.press(world.ben, message_of(shown), "Accept")
    assert "You take the queen of hearts" in private(taken)
    assert "Ben takes a card from Ana" in texts(world.last())
    _unseen(world, world.gina, "QH", "7C")
    _unseen(world, world.ben, "7C")
    late = world.emit(world.ana, button(message_of(mine), "Withdraw offer"))
    await world.env.settle()
    assert "That offer is over" in refusal_of(late)
    assert "QH" in await _choices(world, "card play", world.ben)
    again = await world.press(world.ben, stub, "Show")
    assert labels(message_of(again)) == []


async def test_an_offer_is_declined_or_taken_back(world: World) -> None:
    await world.table()
    await _draw(world, "QH", "7C")
    first = await world.ana.slash(world.zone, "card give", card="QH", to=world.ben)
    hand = await world.ben.slash(world.zone, "card hand")
    assert "offers you" in private(hand)
    assert "Accept queen of hearts" in labels(message_of(hand))
    other = world.emit(world.gina, button(message_of(hand), "Accept queen of hearts"))
    await world.env.settle()
    assert "Only the person it was offered to" in refusal_of(other)
    assert "Ben" in private(first)
    await world.press(world.ben, message_of(hand), "Decline queen of hearts")
    assert "Ben declines the queen of hearts" in private(
        await world.press(world.ana, world.newest("Show"), "Show")
    )
    second = await world.ana.slash(world.zone, "card give", card="QH", to=world.ben)
    assert "Offer withdrawn" in private(
        await world.press(world.ana, message_of(second), "Withdraw offer")
    )
    piles = await _piles(world)
    assert open_offers(piles) == ()
    assert "QH" in piles.cards_at(hand_place("p2"))
    assert "That's you" in refusal_of(
        await world.ana.slash(world.zone, "card give", card="7C", to=world.ana)
    )


# --- the hand as a panel --------------------------------------------------------------------------


async def _hand(world: World, who: Any = None, deck: str = "standard") -> Any:
    return message_of(await (who or world.ana).slash(world.zone, "card hand", deck=deck))


def _ids(message: Any, verb: str) -> list[str]:
    """The custom ids of the buttons that do this, from above to below."""
    return [each["custom_id"] for each in controls(message) if f":{verb}:" in each["custom_id"]]


@pytest.mark.parametrize("table", [True, False])
async def test_each_card_has_what_is_likeliest_beside_it(world: World, table: bool) -> None:
    if table:
        await world.table()
    await _draw(world, "QH", "7C")
    hand = await _hand(world)
    assert "**Queen of hearts**" in texts(hand)
    assert [each for each in labels(hand) if each != MENU] == [
        "Play",
        "Play",
    ]
    assert MENU in [each.get("placeholder") for each in controls(hand)]
    await world.restart()
    pressed = await world.ana.click(hand, custom_id=_ids(hand, "play")[0])
    assert "Ana plays the seven of clubs" in texts(world.last())
    now = private(pressed)
    assert "You played the seven of clubs, face up in front of you." in now
    assert "Your hand: 1 card" in now
    assert "**Seven of clubs**, face up" in now
    assert labels(message_of(pressed)) == ["Play", "Discard…"]
    piles = await _piles(world)
    who = "p2" if table else "p1"
    assert (piles.cards_at(hand_place(who)), piles.cards_at(open_place(who))) == (("QH",), ("7C",))
    _unseen(world, world.ben, "QH")


async def test_a_menu_opens_a_card_with_all_that_can_be_done(world: World) -> None:
    await world.table()
    await _draw(world, "QH", "7C", "KS")
    hand = await _hand(world)
    options = menu(hand, MENU)["options"]
    assert [option["label"] for option in options] == [
        "King of spades",
        "Seven of clubs",
        "Queen of hearts",
    ]
    opened = message_of(await world.choose(world.ana, hand, MENU, "1"))
    assert head(opened) == "Seven of clubs"
    assert labels(opened) == ["Play", "Show to everybody…", "Discard…", "Back"]
    assert primary(opened) == ["Play"]
    (picture,) = opened.attachments
    assert picture.description == "Card: seven of clubs."
    assert Image.open(io.BytesIO(await picture.read())).width == 720
    asked = message_of(await world.press(world.ana, opened, "Show to everybody…"))
    assert head(asked) == "Show the seven of clubs to everybody?"
    assert labels(asked) == ["Show to everybody", "Back"] and primary(asked) == []
    assert "seven" not in world.told(world.ben)
    opened = message_of(await world.press(world.ana, asked, "Back"))
    opened = message_of(await world.choose(world.ana, opened, MENU, "1"))
    asked = message_of(await world.press(world.ana, opened, "Show to everybody…"))
    shown = await world.press(world.ana, asked, "Show to everybody")
    assert "You showed everybody the seven of clubs. It stays in your hand." in private(shown)
    assert message_of(shown).attachments == []
    assert "Ana shows the seven of clubs" in texts(world.last())
    opened = message_of(await world.choose(world.ana, message_of(shown), MENU, "0"))
    back = message_of(await world.press(world.ana, opened, "Back"))
    assert head(back) == "Your hand: 3 cards"
    opened = message_of(await world.choose(world.ana, back, MENU, "0"))
    asked = message_of(await world.press(world.ana, opened, "Discard…"))
    assert "Discard the king of spades?" in texts(asked) and primary(asked) == []
    gone = await world.press(world.ana, asked, "Discard")
    assert "You discarded the king of spades. The others don't learn which it was." in private(gone)
    assert "Ana discards a card" in texts(world.last())
    _unseen(world, world.ben, "KS", "QH")


async def test_a_card_is_offered_from_the_panel(world: World) -> None:
    await world.table()
    await _draw(world, "QH", "7C")
    opened = message_of(await world.choose(world.ana, await _hand(world), MENU, "1"))
    asked = await world.ana.select(opened, [world.ben], custom_id=select(opened, "Offer it to"))
    assert f"Offer the queen of hearts to {world.ben.mention}?" in private(asked)
    assert not (await _piles(world)).places.keys() & {"offer:1:p2:p3"}
    given = await world.press(world.ana, message_of(asked), "Offer it")
    text = private(given)
    assert "You offered the queen of hearts. It's set aside until they answer." in text
    assert f"You offered {world.ben.mention} the queen of hearts." in text
    assert pings(world.last(), world.env) == [world.ben.id]
    assert "queen" not in texts(world.last())
    taken = await world.press(world.ana, message_of(given), "Withdraw offer")
    assert "Offer withdrawn: the queen of hearts" in private(taken)
    opened = message_of(await world.choose(world.ana, await _hand(world), MENU, "1"))
    himself = await world.ana.select(opened, [world.ana], custom_id=select(opened, "Offer it to"))
    assert "That's you" in refusal_of(himself)


async def test_a_hand_has_five_cards_a_page(world: World) -> None:
    await _draw(world, *ORDER[:12])
    first = await _hand(world)
    assert len(_ids(first, "play")) == 5
    assert "page 1 of 3" in texts(first)
    second = message_of(await world.press(world.ana, first, "More"))
    third = message_of(await world.press(world.ana, second, "More"))
    assert [option["value"] for option in menu(third, MENU)["options"]] == ["10", "11"]
    assert labels(third)[-1] == "Back"
    played = await world.ana.click(third, custom_id=_ids(third, "play")[0])
    assert f"You played the {NAMES[ORDER[1]]}" in private(played)
    assert "page 3 of 3" in texts(message_of(played))
    await world.ana.slash(world.zone, "table plain", on=True)
    plain = await _hand(world)
    assert plain.embeds == [] and len(_ids(plain, "play")) == 5


async def test_an_old_panel_refuses(world: World) -> None:
    await world.table()
    await _draw(world, "QH", "7C")
    hand = await _hand(world)
    opened = message_of(await world.choose(world.ana, await _hand(world), MENU, "1"))
    await world.ana.slash(world.zone, "card discard", card="QH")
    before = await world.revision()
    for message, custom_id in (
        (hand, _ids(hand, "play")[0]),
        (hand, _ids(hand, "play")[1]),
        (opened, _ids(opened, "discard")[0]),
    ):
        assert "Your hand has changed" in refusal_of(
            await world.ana.click(message, custom_id=custom_id)
        )
    assert "Your hand has changed" in refusal_of(await world.choose(world.ana, hand, MENU, "1"))
    assert await world.revision() == before
    await world.gina.slash(world.zone, "gm undo")
    assert "You played the seven" in private(
        await world.ana.click(hand, custom_id=_ids(hand, "play")[0])
    )


async def test_the_panel_of_somebody_else_does_nothing(world: World) -> None:
    await world.table()
    await _draw(world, "QH", "7C")
    await _draw(world, who=world.ben)
    opened = message_of(await world.choose(world.ana, await _hand(world), MENU, "1"))
    before = await world.revision()
    for custom_id in (
        *_ids(await _hand(world), "play"),
        *_ids(opened, "show"),
        *_ids(opened, "give"),
    ):
        pressed = world.emit(world.ben, custom_id)
        await world.env.settle()
        refusal_of(pressed)
    assert await world.revision() == before
    _unseen(world, world.ben, "QH", "7C")


# --- the deck -------------------------------------------------------------------------------------


async def test_reshuffling_leaves_the_hands_alone(world: World) -> None:
    await world.table()
    await _draw(world, "QH", "7C", "KS")
    await world.ana.slash(world.zone, "card play", card="KS")
    await world.ana.slash(world.zone, "card discard", card="7C")
    assert "1 card came back" in public(await world.ben.slash(world.zone, "deck reshuffle"))
    piles = await _piles(world)
    assert (piles.cards_at(hand_place("p2")), piles.cards_at(open_place("p2"))) == (
        ("QH",),
        ("KS",),
    )
    assert len(piles.cards_at("draw")) == 52
    public(await world.ben.slash(world.zone, "deck shuffle"))
    assert (await _piles(world)).cards_at("draw") != piles.cards_at("draw")


async def test_only_gms_empty_the_hands_of_a_table(world: World) -> None:
    await world.table()
    await _draw(world, "QH", "7C")
    await world.ana.slash(world.zone, "card give", card="QH", to=world.ben)
    assert "Only the GM" in refusal_of(
        await world.ana.slash(world.zone, "deck reshuffle", hands=True)
    )
    private(await world.gina.slash(world.zone, "deck reshuffle", hands=True))
    assert "All cards shuffled into the draw pile" in texts(world.last())
    assert len((await _piles(world)).cards_at("draw")) == 54


async def test_anybody_empties_the_hands_where_no_table_is_after_a_question(world: World) -> None:
    await _draw(world, "QH", "7C")
    asked = await world.ben.slash(world.zone, "deck reshuffle", hands=True)
    assert "Take back every card, hands included?" in private(asked)
    assert len((await _piles(world)).cards_at("draw")) == 52
    await world.restart()
    await world.press(world.ben, message_of(asked), "Take all back")
    assert "All cards shuffled into the draw pile" in texts(world.last())
    assert len((await _piles(world)).cards_at("draw")) == 54


# --- taken back -----------------------------------------------------------------------------------


async def test_a_drawn_card_taken_back_offers_another_order(world: World) -> None:
    await world.table()
    await _draw(world, "QH")
    assert "only the GM" in refusal_of(await world.ana.slash(world.zone, "table undo"))
    await _draw(world)
    assert "so only the GM can undo it" in refusal_of(
        await world.ana.slash(world.zone, "table undo")
    )
    before = await _piles(world)
    await world.gina.slash(world.zone, "gm undo")
    assert "/deck shuffle changes the order of the draw pile" in texts(world.last())
    piles = await _piles(world)
    assert len(piles.cards_at("draw")) == len(before.cards_at("draw")) + 1
    _unseen(world, world.ben, "QH")


FOREIGN_BUTTONS: Final = (
    "sg:offer:1",
    "sg:offer:1:standard:99:take",
    "sg:offer:1:standard:1:keep",
    "sg:offer:1:tarot:1:take",
    "sg:gather:1",
    "sg:hand:1",
    "sg:hand:1:tarot:0:page:0",
    "sg:hand:1:standard:0:play:0",
    "sg:hand:1:standard:0:open",
    "sg:gather:1:standard",
)


async def test_a_button_that_means_nothing_to_this_person(world: World) -> None:
    await world.table()
    await _draw(world, "QH")
    await world.ana.slash(world.zone, "card give", card="QH", to=world.gina)
    before = await world.revision()
    for custom_id in FOREIGN_BUTTONS:
        pressed = world.emit(world.ben, custom_id)
        await world.env.settle()
        assert "fault in Storyguide" not in refusal_of(pressed), custom_id
        assert await world.revision() == before


async def test_cards_drawn_before_the_table_opened_stay_with_their_holder(world: World) -> None:
    await world.ana.slash(world.zone, "draw-card", count=2)
    created = await world.setup()
    assert "2 cards from before the table" in " ".join(map(texts, created.followups))
    await world.restart()
    (before,) = await hands(world)
    assert "before the table opened" in texts(before), "a guest at the new table has no other"
    await world.bring(world.ana, "Marek")
    own, before = await hands(world)
    assert "Your hand: no cards" in texts(own)
    assert labels(own) == ["Draw a card"]
    assert "Your hand: 2 cards" in texts(before) and "before the table opened" in texts(before)
    await world.press(world.ana, before, "Play")
    assert "plays the" in texts(world.last())
    await world.bring(world.ben, "Ilka")
    assert len(await hands(world, world.ben)) == 1


async def hands(world: World, who: Any = None) -> list[Any]:
    """What `/card hand` shows, one after the other."""
    shown = await (who or world.ana).slash(world.zone, "card hand")
    return [message_of(shown), *shown.followups] if shown.response else list(shown.followups)
