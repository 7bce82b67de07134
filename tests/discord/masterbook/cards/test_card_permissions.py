"""What nobody may do with cards, and what becomes of cards whose owner is gone, through Discord."""

from __future__ import annotations

import json
from typing import Any

import discord
import pytest
from simcord.results import ResponseMessage

from bot.services.perform import perform
from rules.core.errors import Impossible
from rules.registry import read_only_game
from rules.systems.masterbook.checks.action_economy import LINE
from rules.systems.masterbook.deck.deck_state import DISCARD_PILE, HAND, TAKEN
from rules.table.actions import Actor, Begin, EndCheck
from tests.discord.masterbook.cards.deck import answers, begin, cards, clock, names, who, whole
from tests.discord.masterbook.cards.stacked_deck import order
from tests.discord.masterbook.table import THUG, bring, newest, sheet
from tests.discord.masterbook.test_rounds import mark_value
from tests.discord.rounds import gather, next_turn
from tests.discord.world import (
    World,
    button,
    controls,
    message_of,
    private,
    public,
    refusal_of,
    texts,
)

HERO, IDEA, RALLY, CLAIM, PRESENCE, ACTION, EFFECT, DRAMA, MARTYR = (
    39,
    44,
    61,
    16,
    56,
    1,
    30,
    25,
    89,
)
NEMESIS, CAMPAIGN = 93, 85


async def _begins(world: World, person: Any, kind: str, **more: Any) -> None:
    """What no command says."""
    tables = world.bot.tables
    table = await tables.get(1)
    actor = Actor(table.directory.ensure_participant(str(person.id), person.name))
    action = Begin(who=actor, at=1, place=str(world.zone.id), kind=kind, **more)
    await perform(tables, 1, action, f"forged {kind} {person.name}")


@pytest.mark.rule("MB-CARD-18")
async def test_nobody_begins_what_the_rules_begin(world: World) -> None:
    await begin(world, NEMESIS, HERO, IDEA, RALLY, CLAIM, ACTION)
    before = await world.state()
    own = [
        kind for kind, each in read_only_game(before).system.procedures.items() if each.by_itself
    ]
    assert {*own} == {
        *("round", "subplot", "replenish", "award", "fiat", "hint"),
        "effect-strike",
    }
    for kind in own:
        for person in (world.ana, world.gina):
            values = {"name": "Idea", "question": "what now"} if kind == "hint" else {}
            for more in ({}, {"gm_only": True, "as_": "Vesna"})[: 1 + (person is world.gina)]:
                with pytest.raises(Impossible, match="not-in-these-rules"):
                    await _begins(world, person, kind, values=values, **more)
    assert await world.state() == before


@pytest.mark.rule("MB-CARD-04", "MB-CARD-17")
async def test_whoever_retires_leaves_and_comes_back_with_what_was_used_up(world: World) -> None:
    await begin(world, HERO, IDEA, RALLY, CLAIM, ACTION, EFFECT, DRAMA, PRESENCE, IDEA + 1)
    vesna, boris = await who(world, "Vesna"), await who(world, "Boris")
    await gather(world)
    await next_turn(world)
    asked = message_of(await world.ana.slash(world.zone, "mb card moment"))
    await world.press(world.ana, asked, "Play for it")
    await world.gina.slash(world.zone, "initiative end")
    deck = await cards(world)
    assert deck.seat(vesna).moment_used
    await world.ana.slash(world.zone, "mb card trade", cards="zz", to="Boris")
    told = await world.ana.slash(world.zone, "character retire")
    assert "Vesna leaves" in texts(world.messages()[-1]) + texts(message_of(told))
    deck = whole(await cards(world))
    assert [each.who for each in deck.deal.seats] == [boris]
    assert not deck.at(HAND, vesna) and len(deck.at(DISCARD_PILE)) >= 3
    empty = private(await world.ana.slash(world.zone, "card hand"))
    assert "You hold no cards. The GM deals a character in with `/mb card seat`." in empty, empty
    await world.restart()
    await world.gina.slash(world.zone, "mb adventure scene", what="start")
    await world.gina.slash(world.zone, "mb adventure scene", what="end")
    assert "Vesna" not in await newest(world), "nobody asks who is gone"
    refusal_of(await world.gina.slash(world.zone, "mb card seat", how="joins", character="Vesna"))
    await world.ana.slash(world.zone, "character retire", character="Vesna", back=True)
    public(await world.gina.slash(world.zone, "mb card seat", how="joins", character="Vesna"))
    deck = whole(await cards(world))
    assert [each.who for each in deck.deal.seats] == [boris, vesna]
    assert deck.seat(vesna).moment_used, "the critical moment comes once"
    await gather(world)
    await next_turn(world)
    assert "used that in this adventure" in refusal_of(
        await world.ana.slash(world.zone, "mb card moment")
    )


@pytest.mark.rule("MB-CARD-04", "MB-CARD-05")
async def test_the_dead_hold_no_cards_once_nobody_can_bring_them_back(world: World) -> None:
    dying = {"Vesna": {"harm": "wounds 6, dead_for 0"}}
    await begin(world, NEMESIS, HERO, IDEA, RALLY, CLAIM, ACTION, EFFECT, sheets=dying)
    vesna = await who(world, "Vesna")
    assert whole(await cards(world)).deal.seat(vesna) is not None
    await world.gina.slash(world.zone, "gm time", advance="1 hour")
    assert (await sheet(world, "Vesna")).harm.lost
    deck = whole(await cards(world))
    assert deck.deal.seat(vesna) is None and not deck.at(HAND, vesna)
    assert all(not each.is_open for each in (await world.state()).checks.values()), (
        "nothing is left to decide"
    )
    await world.gina.slash(world.zone, "gm undo")
    deck = whole(await cards(world))
    assert len(deck.at(HAND, vesna)) == 3 and deck.seat(vesna).pending == (str(NEMESIS),)


@pytest.mark.rule("MB-CARD-17")
async def test_a_character_that_becomes_the_gms_holds_none(world: World) -> None:
    await begin(world, HERO, IDEA, RALLY, CLAIM, ACTION, EFFECT)
    boris = await who(world, "Boris")
    asked = message_of(await world.ben.slash(world.zone, "privacy delete"))
    await world.ben.click(asked, custom_id="sg:forget:yes")
    deck = whole(await cards(world))
    assert deck.deal.seat(boris) is None and not deck.at(HAND, boris)


@pytest.mark.rule("MB-CARD-I02", "MB-CARD-I03")
async def test_who_joins_in_mid_round_acts_with_their_side(world: World) -> None:
    # 7 lets the GM's side act first; 14 stymies it.
    await begin(world, HERO, IDEA, RALLY, CLAIM, ACTION, EFFECT, 7, 14)
    await bring(world, world.gina, "Slow", THUG | {"agility": 3}, npc=True)
    await bring(world, world.gina, "Quick", THUG | {"agility": 12}, npc=True)
    await world.gina.slash(world.zone, "initiative start")
    await world.ben.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative add", name="Thug")
    await world.gina.slash(world.zone, "initiative add", name="Slow")
    await next_turn(world)
    assert await order(world) == ["Thug", "Slow", "Boris"]
    await world.ana.slash(world.zone, "initiative join")
    assert await order(world) == ["Thug", "Slow", "Boris", "Vesna"]
    await next_turn(world)
    # Quicker than all of them, and still to act with the side whose turn it is.
    await world.gina.slash(world.zone, "initiative add", name="Quick")
    assert await order(world) == ["Slow", "Quick", "Boris", "Vesna"]
    text = [await next_turn(world) for _ in range(4)][-1]
    assert "NPCs: stymied" in text, text
    # What befalls a side befalls who joins it, too, for the rest of the round.
    await bring(world, world.gina, "Late", THUG, npc=True)
    for name in ("Vesna", "Late"):
        await world.gina.slash(world.zone, "initiative remove", name=name)
        await world.gina.slash(world.zone, "initiative add", name=name)
    assert [await mark_value(world, each, LINE) for each in ("Quick", "Late", "Vesna")] == [1, 1, 0]
    text = [await next_turn(world) for _ in range(6)][-1]
    assert [await mark_value(world, each, LINE) for each in ("Quick", "Late", "Vesna")] == [
        0,
        0,
        0,
    ], text


@pytest.mark.rule("MB-CARD-I14", "MB-CARD-X02")
async def test_what_a_gm_ends_before_it_is_said_is_asked_again(world: World) -> None:
    await begin(world, NEMESIS, HERO, IDEA, RALLY, CLAIM, ACTION, EFFECT)
    await _ended(world)
    await world.gina.slash(world.zone, "mb adventure scene", what="start")
    await answers(world, world.gina, "Answer", "Allow")
    await answers(world, world.ana, "Keep it?", "Keep")
    assert not (await cards(world)).deal.seats[0].pending
    for _ in range(2):
        await world.gina.slash(world.zone, "mb adventure act", what="end")
        assert "ending already" in refusal_of(
            await world.gina.slash(world.zone, "mb adventure act", what="end")
        )
        await _ended(world)
    assert (await clock(world)).act == 1
    await world.gina.slash(world.zone, "mb adventure act", what="end")
    await answers(world, world.gina, "Pay", "Pay for all")
    assert (await clock(world)).act == 2
    await world.gina.slash(world.zone, "mb deck fiat")
    taken = (await cards(world)).at(TAKEN)
    assert len(taken) == 4
    assert "Arrange those first" in refusal_of(await world.gina.slash(world.zone, "mb deck fiat"))
    await _ended(world)
    await world.gina.slash(world.zone, "mb deck fiat")
    deck = whole(await cards(world))
    assert deck.at(TAKEN) == taken and names(deck, taken)


async def _ended(world: World) -> None:
    """The GM ends what is open."""
    state = await world.state()
    for each in [
        each for each in state.checks.values() if each.is_open and each.kind != "replenish"
    ]:
        tables = world.bot.tables
        table = await tables.get(1)
        gina = Actor(table.directory.ensure_participant(str(world.gina.id), world.gina.name))
        action = EndCheck(who=gina, at=1, place=str(world.zone.id), check=each.id)
        await perform(tables, 1, action, f"ends {each.id}")


async def _bens_trade(world: World) -> tuple[discord.Message, ResponseMessage]:
    """Open the trade that Ben is offered; return the message that names him, and his panel."""
    stub = next(
        message
        for message in reversed(world.messages())
        if f"<@{world.ben.id}>: a private message" in texts(message)
    )
    return stub, message_of(await world.press(world.ben, stub, "Show"))


@pytest.mark.rule("MB-CARD-05", "MB-CARD-14", "MB-CARD-17")
async def test_no_player_takes_back_what_they_have_seen(world: World) -> None:
    await begin(world, HERO, IDEA, RALLY, CLAIM, ACTION, EFFECT, DRAMA, PRESENCE, IDEA + 1)
    vesna = await who(world, "Vesna")
    await world.ana.slash(world.zone, "card discard", card="Hero")
    # Her own card she had seen before.
    await world.ana.slash(world.zone, "table undo")
    assert str(HERO) in (await cards(world)).at(HAND, vesna)
    await world.ana.slash(world.zone, "card discard", card="Hero")
    await world.gina.slash(world.zone, "mb adventure scene", what="start")
    await world.gina.slash(world.zone, "mb adventure scene", what="end")
    await world.ana.slash(world.zone, "draw-card")
    drawn = (await cards(world)).at(HAND, vesna)
    assert str(DRAMA) in drawn
    refusal_of(await world.ana.slash(world.zone, "table undo"))
    public(await world.ana.slash(world.zone, "card play", card="Rally"))
    refusal_of(await world.ana.slash(world.zone, "table undo"))
    await world.ana.slash(world.zone, "mb card trade", cards="Idea", to="Boris")
    _, panel = await _bens_trade(world)
    panel = message_of(await world.press(world.ben, panel, "Trade…"))
    panel = message_of(await world.choose(world.ben, panel, "Cards", f"cards: {ACTION}"))
    await world.press(world.ben, panel, "Trade")
    traded = whole(await cards(world))
    assert str(ACTION) in traded.at(HAND, vesna)
    for person in (world.ana, world.ben):
        refusal_of(await person.slash(world.zone, "table undo"))
    assert await cards(world) == traded
    await world.gina.slash(world.zone, "gm undo")
    assert str(ACTION) not in (await cards(world)).at(HAND, vesna), "a GM does"


@pytest.mark.rule("MB-CARD-18", "MB-CARD-11")
async def test_presses_at_the_same_instant_count_once(world: World) -> None:
    await begin(world, HERO, RALLY, IDEA, CLAIM, ACTION, EFFECT, DRAMA, PRESENCE)
    vesna, boris = await who(world, "Vesna"), await who(world, "Boris")
    panel = message_of(await world.ana.slash(world.zone, "card hand"))
    plays = [each["custom_id"] for each in controls(panel) if ":play:" in each["custom_id"]]
    before = await world.revision()
    for _ in range(3):
        for each in plays:
            world.emit(world.ana, each, panel)
    await world.env.settle()
    # Of the first that could be played the hand is another one, for which no button of that panel
    # is.
    assert await world.revision() == before + 1
    whole(await cards(world))
    for to in ("Boris", "Boris"):
        await world.ana.slash(world.zone, "mb card trade", cards="Hero", to=to)
    offers = [
        each
        for each in (await world.state()).checks.values()
        if each.is_open and each.kind == "trade"
    ]
    assert len(offers) == 2
    moves = [
        each for each in world.messages() if f"<@{world.ben.id}>: a private message" in texts(each)
    ]
    held = (await cards(world)).at(HAND, boris)
    sent: list[Any] = []
    for stub, card in zip(moves[-2:], held, strict=False):
        panel = message_of(await world.press(world.ben, stub, "Show"))
        panel = message_of(await world.press(world.ben, panel, "Trade…"))
        panel = message_of(await world.choose(world.ben, panel, "Cards", f"cards: {card}"))
        sent.append((panel, button(panel, "Trade")))
    for panel, pressed in sent:
        world.emit(world.ben, pressed, panel)
    await world.env.settle()
    deck = whole(await cards(world))
    assert str(HERO) in deck.at(HAND, boris)
    assert len(set(held) & set(deck.at(HAND, vesna))) == 1, "one card for one card"


@pytest.mark.rule("MB-CARD-S02", "MB-CARD-I13")
async def test_one_campaign_card_is_played_once(world: World) -> None:
    await begin(world, NEMESIS, CAMPAIGN, HERO, IDEA, CLAIM, ACTION, EFFECT)
    await answers(world, world.gina, "Answer", "Allow")
    await answers(world, world.ana, "Keep it?", "Keep")
    await world.ana.slash(world.zone, "mb card campaign", subplot="Nemesis")
    again = refusal_of(await world.ana.slash(world.zone, "mb card campaign", subplot="Nemesis"))
    assert "No such card" in again
    await answers(world, world.gina, "Answer", "Allow")
    whole(await cards(world))


@pytest.mark.rule("MB-CARD-17", "MB-CARD-D06")
async def test_players_lead_no_cards(world: World) -> None:
    await begin(world, NEMESIS, HERO, IDEA, RALLY, CLAIM, ACTION, EFFECT)
    before = await world.state()
    led: tuple[tuple[str, dict[str, Any]], ...] = (
        *(("mb adventure scene", {"what": what}) for what in ("start", "end")),
        *(("mb adventure act", {"what": what}) for what in ("start", "end")),
        *(
            ("mb adventure start", {}),
            ("mb adventure end", {}),
            ("mb deck fiat", {}),
            ("deck shuffle", {}),
        ),
        *(
            ("mb deck peek", {"number": 3}),
            ("mb deck stack", {"cards": "7"}),
            ("mb deck blank", {"cards": "Hero"}),
        ),
        *(
            ("mb card seat", {"how": how, "character": "Vesna"})
            for how in ("joins", "leaves", "bonus")
        ),
        *(
            ("mb card martyr", {"how": how, "character": "Vesna"})
            for how in ("named", "done", "out")
        ),
        *(
            ("mb card use", {"character": "Vesna", "card": "Nemesis"}),
            ("mb card approve", {"target": "Vesna"}),
        ),
        *(
            ("mb card side", {"target": "Thug", "side": "players"}),
            ("mb card rescue", {"character": "Boris"}),
        ),
        *(("deck remove", {"deck": "masterbook"}), ("deck reshuffle", {"hands": True})),
        *(
            ("gm undo", {}),
            ("gm log", {}),
            ("gm export", {"what": "full"}),
            ("gm settings", {"live": False}),
        ),
        ("gm adjust", {"character": "Vesna", "what": "life_points", "value": "9"}),
    )
    for command, options in led:
        told = refusal_of(await world.ana.slash(world.zone, command, **options))
        assert "GM" in told, (command, told)
    assert await world.state() == before
    for command, option in (
        ("mb deck stack", "cards"),
        ("mb card use", "card"),
        ("gm undo", "entry"),
    ):
        assert await world.ben.autocomplete(world.zone, command, option, "") == []


@pytest.mark.rule("MB-CARD-17", "MB-CARD-11")
async def test_a_delegate_answers_for_somebody_only_as_long_as_they_do(world: World) -> None:
    await begin(world, HERO, RALLY, IDEA, CLAIM, ACTION, EFFECT)
    cleo = world.member("cleo")
    await world.ana.slash(world.zone, "mb card trade", cards="Hero", to="Boris")
    await world.ben.slash(world.zone, "delegate", character="Boris", to=cleo)
    stub, panel = await _bens_trade(world)
    form = button(panel, "Trade…")
    await world.ben.slash(world.zone, "delegate", character="Boris", to=cleo, back=True)
    for pressed in (form, button(panel, "Decline")):
        told = world.emit(cleo, pressed, stub)
        await world.env.settle()
        assert "Nothing has changed" in refusal_of(told)
    assert "Claim" not in world.told(cleo) and "Hero" not in world.told(cleo)
    assert any(each.is_open for each in (await world.state()).checks.values())


@pytest.mark.rule("MB-CARD-03", "MB-CARD-17")
async def test_a_shuffle_of_what_is_left_tells_nobody_what_that_is(world: World) -> None:
    """Whoever knew what lies in the draw pile would know what is in the hands."""
    await begin(world, HERO, RALLY, IDEA, CLAIM, ACTION, EFFECT)
    before = whole(await cards(world)).at("draw")
    await world.gina.slash(world.zone, "deck shuffle")
    assert whole(await cards(world)).at("draw") != before
    made = await world.gina.slash(world.zone, "gm export", what="players", journal=True)
    (file,) = [
        each for message in (message_of(made), *made.followups) for each in message.attachments
    ]
    entry = json.loads(await file.read())["journal"][-1]
    assert "commitment" in json.dumps(entry["events"]), entry
    assert not any(f'"{each}"' in json.dumps(entry["events"]) for each in before)
