"""What nobody may do with cards, and what becomes of cards whose owner is gone, through Discord."""

from __future__ import annotations

from typing import Any

import pytest

from bot.services.perform import perform
from rules.core.errors import Impossible
from rules.registry import look
from rules.systems.masterbook.deck.state import DISCARD, HAND, TAKEN
from rules.table.actions import Actor, Begin, EndCheck
from tests.discord.masterbook.cards.deck import answers, begin, cards, names, who, whole
from tests.discord.masterbook.cards.stacked import order
from tests.discord.masterbook.table import THUG, bring, newest, sheet
from tests.discord.rounds import gathered, next_turn
from tests.discord.world import World, private, public, refused, said, texts

HERO, IDEA, RALLY, CLAIM, PRESENCE, ACTION, EFFECT, DRAMA, MARTYR = 39, 44, 61, 16, 56, 1, 30, 25, 89
NEMESIS, CAMPAIGN = 93, 85


async def _begins(world: World, person: Any, kind: str, **more: Any) -> None:
    """What no command says."""
    tables = world.bot.tables
    table = await tables.get(1)
    actor = Actor(table.directory.participant(str(person.id), person.name))
    action = Begin(who=actor, at=1, place=str(world.zone.id), kind=kind, **more)
    await perform(tables, 1, action, f"forged {kind} {person.name}")


@pytest.mark.rule("MB-CARD-18")
async def test_nobody_begins_what_the_rules_begin(world: World) -> None:
    await begin(world, NEMESIS, HERO, IDEA, RALLY, CLAIM, ACTION)
    before = await world.state()
    own = [kind for kind, each in look(before).system.procedures.items() if each.by_itself]
    assert {*own} == {"round", "subplot", "replenish", "award", "fiat", "hint"}
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
    await gathered(world)
    await next_turn(world)
    public(await world.ana.slash(world.zone, "mb card moment"))
    await world.gina.slash(world.zone, "initiative end")
    deck = await cards(world)
    assert deck.seat(vesna).moment
    await world.ana.slash(world.zone, "mb card trade", cards="zz", to="Boris")
    told = await world.ana.slash(world.zone, "character retire")
    assert "Vesna leaves" in texts(world.messages()[-1]) + texts(said(told))
    deck = whole(await cards(world))
    assert [each.who for each in deck.deal.seats] == [boris]
    assert not deck.at(HAND, vesna) and len(deck.at(DISCARD)) >= 3
    assert "You hold no cards" in private(await world.ana.slash(world.zone, "card hand"))
    await world.restart()
    await world.gina.slash(world.zone, "mb adventure scene", what="start")
    await world.gina.slash(world.zone, "mb adventure scene", what="end")
    assert "Vesna" not in await newest(world), "nobody asks who is gone"
    refused(await world.gina.slash(world.zone, "mb card seat", how="joins", character="Vesna"))
    await world.ana.slash(world.zone, "character retire", character="Vesna", back=True)
    public(await world.gina.slash(world.zone, "mb card seat", how="joins", character="Vesna"))
    deck = whole(await cards(world))
    assert [each.who for each in deck.deal.seats] == [boris, vesna]
    assert deck.seat(vesna).moment, "the critical moment comes once"
    await gathered(world)
    await next_turn(world)
    assert "used that in this adventure" in refused(await world.ana.slash(world.zone, "mb card moment"))


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
    assert all(not each.open for each in (await world.state()).checks.values()), "nothing is left to decide"
    await world.gina.slash(world.zone, "gm undo")
    deck = whole(await cards(world))
    assert len(deck.at(HAND, vesna)) == 3 and deck.seat(vesna).pending == (str(NEMESIS),)


@pytest.mark.rule("MB-CARD-17")
async def test_a_character_that_becomes_the_gms_holds_none(world: World) -> None:
    await begin(world, HERO, IDEA, RALLY, CLAIM, ACTION, EFFECT)
    boris = await who(world, "Boris")
    asked = said(await world.ben.slash(world.zone, "privacy delete"))
    await world.ben.click(asked, custom_id="sg:forget:yes")
    deck = whole(await cards(world))
    assert deck.deal.seat(boris) is None and not deck.at(HAND, boris)


@pytest.mark.rule("MB-CARD-I02", "MB-CARD-I03")
async def test_who_joins_in_mid_round_acts_with_their_side(world: World) -> None:
    # 7 lets the GM's side act first.
    await begin(world, HERO, IDEA, RALLY, CLAIM, ACTION, EFFECT, 7)
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
    # Quicker than all of them, but of a side whose quicker ones have acted.
    await world.gina.slash(world.zone, "initiative add", name="Quick")
    assert "Quick" not in await order(world)


@pytest.mark.rule("MB-CARD-I14", "MB-CARD-X02")
async def test_what_a_gm_ends_before_it_is_said_is_asked_again(world: World) -> None:
    await begin(world, NEMESIS, HERO, IDEA, RALLY, CLAIM, ACTION, EFFECT)
    await answers(world, world.gina, "Answer", "Allow")
    await answers(world, world.ana, "Decide", "Keep")
    await world.gina.slash(world.zone, "mb adventure scene", what="start")
    for _ in range(2):
        await world.gina.slash(world.zone, "mb adventure act", what="end")
        assert "ending already" in refused(await world.gina.slash(world.zone, "mb adventure act", what="end"))
        await _ended(world)
    assert (await cards(world)).deal.act == 1
    await world.gina.slash(world.zone, "mb adventure act", what="end")
    await answers(world, world.gina, "Pay", "All of them were played: pay")
    assert (await cards(world)).deal.act == 2
    await world.gina.slash(world.zone, "mb deck fiat")
    taken = (await cards(world)).at(TAKEN)
    assert len(taken) == 4
    assert "Arrange those first" in refused(await world.gina.slash(world.zone, "mb deck fiat"))
    await _ended(world)
    await world.gina.slash(world.zone, "mb deck fiat")
    deck = whole(await cards(world))
    assert deck.at(TAKEN) == taken and names(deck, taken)


async def _ended(world: World) -> None:
    """The GM ends what is open."""
    state = await world.state()
    for each in [each for each in state.checks.values() if each.open and each.kind != "replenish"]:
        tables = world.bot.tables
        table = await tables.get(1)
        gina = Actor(table.directory.participant(str(world.gina.id), world.gina.name))
        action = EndCheck(who=gina, at=1, place=str(world.zone.id), check=each.id)
        await perform(tables, 1, action, f"ends {each.id}")
