"""What happens between a question about cards and its answer, through Discord."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rules.systems.masterbook.deck.deck_state import FACE, TAKEN
from tests.discord.masterbook.cards.deck import answers, begin, cards, clock, names, who, whole
from tests.discord.masterbook.cards.test_adventure import own_deck
from tests.discord.masterbook.cards.test_skill_resolution import task
from tests.discord.masterbook.table import newest, sheet
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, private, public, refusal_of

ACTION, CLAIM, DRAMA, EFFECT, HASTE, HERO, IDEA, PRESENCE, RALLY = 1, 16, 25, 30, 35, 39, 44, 56, 61
CAMPAIGN, MARTYR, NEMESIS, WILD = 85, 89, 93, 106
PAY = "Pay for all"


async def keep_subplot(world: World, check: str = "") -> None:
    """Vesna keeps the subplot that she has turned up."""
    await answers(world, world.gina, "Answer", "Allow", check)
    await answers(world, world.ana, "Keep it?", "Keep", check)


async def open_kinds(world: World) -> set[str]:
    return {each.kind for each in (await world.state()).checks.values() if each.is_open}


@pytest.mark.rule("MB-CARD-S02", "MB-CARD-S05", "MB-CARD-X04")
async def test_a_named_martyr_that_becomes_permanent_leaves_no_deed_undone(world: World) -> None:
    await begin(world, MARTYR, CAMPAIGN, HERO, IDEA, CLAIM, ACTION, PRESENCE)
    vesna = await who(world, "Vesna")
    await keep_subplot(world)
    await world.gina.slash(world.zone, "mb card martyr", how="named", character="Vesna")
    await world.ana.slash(world.zone, "mb card campaign", subplot="Martyr")
    await answers(world, world.gina, "Answer", "Allow")
    assert whole(await cards(world)).seat(vesna).permanent == ("martyr",)
    await world.gina.slash(world.zone, "mb adventure end")
    await answers(world, world.gina, "Pay", PAY)
    assert whole(await cards(world)).deal.limit == 0


@pytest.mark.rule("MB-CARD-S02", "MB-CARD-X04", "MB-CARD-I14")
async def test_what_waits_for_the_gm_ends_with_the_adventure(world: World) -> None:
    await begin(world, NEMESIS, CAMPAIGN, WILD, IDEA, CLAIM, ACTION, PRESENCE)
    await keep_subplot(world)
    await world.ana.slash(world.zone, "mb card campaign", subplot="Nemesis")
    await world.ana.slash(world.zone, "mb card play", card="Wild", as_name="Romance")
    await world.ben.slash(world.zone, "mb card trade", cards="Claim", to="Vesna")
    await world.gina.slash(world.zone, "mb deck fiat")
    assert len((await cards(world)).at(TAKEN)) == 4
    assert await open_kinds(world) == {"campaign", "wild", "trade", "fiat"}
    await world.gina.slash(world.zone, "mb adventure end")
    await answers(world, world.gina, "Pay", PAY)
    assert await open_kinds(world) == set()
    file = ("deck.json", own_deck("Other", 300))
    await world.gina.slash(world.zone, "deck import", file=file)
    await world.gina.slash(world.zone, "mb adventure start")
    await world.restart()
    private(await world.gina.slash(world.zone, "moves"))
    private(await world.ana.slash(world.zone, "moves"))
    whole(await cards(world))


async def _brought(world: World, title: str, first: int, *top: str) -> None:
    await world.gina.slash(
        world.zone, "deck import", file=("deck.json", own_deck(title, first, *top))
    )


@pytest.mark.rule("MB-CARD-D06")
async def test_the_deck_that_was_brought_last_is_the_next_one(world: World) -> None:
    await begin(world, HERO, RALLY, IDEA, CLAIM, ACTION, PRESENCE)
    await _brought(world, "First", 200)
    await world.gina.slash(world.zone, "mb adventure end")
    await _brought(world, "Second", 400)
    await world.gina.slash(world.zone, "mb adventure start")
    assert "400" in whole(await cards(world)).faces
    await _brought(world, "Third", 600)
    await world.gina.slash(world.zone, "mb adventure end")
    await world.gina.slash(world.zone, "deck remove", deck="Second")
    await world.gina.slash(world.zone, "mb adventure start")
    assert len(whole(await cards(world)).faces) == 108


@pytest.mark.rule("MB-CARD-B01", "MB-CARD-D06")
async def test_a_blank_is_filled_in_the_deck_that_comes(world: World) -> None:
    await begin(world, HERO, RALLY, IDEA, CLAIM, ACTION, PRESENCE)
    await _brought(world, "First", 200, "debt", "campaign")
    await world.gina.slash(world.zone, "mb adventure end")
    await world.gina.slash(world.zone, "mb adventure start")
    # Back to the game's own deck, from the next adventure on.
    await world.gina.slash(world.zone, "deck remove", deck="First")
    public(await world.gina.slash(world.zone, "mb deck blank", cards="Rally"))
    await world.gina.slash(world.zone, "mb adventure end")
    await world.gina.slash(world.zone, "mb adventure start")
    deck = whole(await cards(world))
    assert len(deck.faces) == 108 and deck.kind("107").key == "rally" and deck.faces["107"].in_play
    # A deck of one's own that comes next has kinds of its own.
    line, box = {"first": "P"}, {"kind": "complication"}
    rows: list[dict[str, Any]] = [
        {
            "number": at,
            "name": "debt" if at == 700 else "hero",
            "standard": line,
            "dramatic": line,
            "critical": box,
        }
        for at in range(700, 740)
    ]
    rows.append({"number": 799, "name": "blank", "in_play": False})
    own = {
        "debt": {"name": "The Debt", "type": "subplot", "summary": "Somebody wants their money."}
    }
    file = {
        "format": "masterbook-deck",
        "format_version": 1,
        "deck_id": "x",
        "title": "X",
        "cards": rows,
    }
    text = json.dumps(file | {"definitions": own}).encode()
    await world.gina.slash(world.zone, "deck import", file=("deck.json", text))
    public(await world.gina.slash(world.zone, "mb deck blank", cards="The Debt"))
    await world.gina.slash(world.zone, "mb adventure end")
    await world.gina.slash(world.zone, "mb adventure start")
    assert whole(await cards(world)).kind("799").key == "debt"


@pytest.mark.rule("MB-CARD-C02")
async def test_two_who_try_one_step_at_once_do_it_once(world: World) -> None:
    # 36 shows A to D.
    await begin(world, HERO, RALLY, IDEA, CLAIM, ACTION, PRESENCE, 36, step_in_minutes=60)
    await gather(world)
    await next_turn(world)
    await world.gina.slash(
        world.zone,
        "mb task start",
        name="The pass",
        step_a="Stealth 5",
        step_b="Stealth 30",
        step_c="Stealth 30",
        shown=True,
    )
    for person in (world.ben, world.ana):
        world.dice.lay(5, 6)
        await person.slash(world.zone, "mb task try")
        assert world.dice.left == 0
    assert await task(world) == (0, 0, "open")
    await world.env.advance_time(3700)
    assert (await task(world))[0] == 1, await newest(world)


@pytest.mark.rule("MB-CARD-X02", "MB-CARD-X01")
async def test_no_scene_begins_while_an_act_is_paid(world: World) -> None:
    await begin(world, NEMESIS, HERO, RALLY, IDEA, CLAIM, ACTION, PRESENCE)
    await keep_subplot(world)
    await world.gina.slash(world.zone, "mb adventure scene", what="start")
    await world.gina.slash(world.zone, "mb adventure act", what="end")
    told = refusal_of(await world.gina.slash(world.zone, "mb adventure scene", what="start"))
    assert "ending already" in told
    await answers(world, world.gina, "Pay", PAY)
    public(await world.gina.slash(world.zone, "mb adventure scene", what="start"))
    whole(await cards(world))
    now = await clock(world)
    assert (now.act, now.scene) == (2, 1)


@pytest.mark.rule("MB-CARD-S05")
async def test_a_martyr_owes_nothing_for_points_that_were_lost(world: World) -> None:
    rich = {"Vesna": {"life_points": 10}}
    await begin(world, MARTYR, HERO, RALLY, IDEA, CLAIM, ACTION, PRESENCE, sheets=rich)
    vesna = await who(world, "Vesna")
    await keep_subplot(world)
    await world.gina.slash(world.zone, "mb adventure act", what="end")
    await answers(world, world.gina, "Pay", PAY)
    assert (await cards(world)).seat(vesna).martyr_points == 0
    await world.gina.slash(world.zone, "mb card martyr", how="out", character="Vesna")
    assert (await sheet(world, "Vesna")).life_points == 10


@pytest.mark.rule("MB-CARD-06")
async def test_who_discards_by_command_is_waited_for_no_longer(world: World) -> None:
    await begin(world, RALLY, HERO, IDEA, CLAIM, ACTION, PRESENCE, DRAMA, EFFECT)
    await world.ana.slash(world.zone, "mb card play", card="Rally")
    await gather(world)
    await next_turn(world)
    assert await open_kinds(world) == {"replenish"}
    await world.ben.slash(world.zone, "card discard", card="Effect")
    assert await open_kinds(world) == set()


@pytest.mark.rule("MB-CARD-E11", "MB-CARD-18")
async def test_gifts_without_anybody_to_get_them(world: World) -> None:
    await begin(world, 48, HERO, IDEA, CLAIM, ACTION, PRESENCE)
    before = await cards(world)
    told = refusal_of(
        await world.ana.slash(world.zone, "mb card play", card="Leadership", gifts="Hero")
    )
    assert await cards(world) == before, told
    told = refusal_of(
        await world.ana.slash(
            world.zone, "mb card play", card="Leadership", gifts="Hero", to="Thug"
        )
    )
    assert await cards(world) == before, told


@pytest.mark.rule("MB-CARD-04", "MB-CARD-07")
async def test_no_adventure_begins_in_the_midst_of_rounds(world: World) -> None:
    from tests.discord.masterbook.table import open_table

    await open_table(world, rules={"cards_mode": "full"})
    await gather(world, "Thug")
    world.dice.lay(*range(106, 1, -1))
    await world.gina.slash(world.zone, "initiative next")
    assert (await cards(world)).deal.round is not None
    told = refusal_of(await world.gina.slash(world.zone, "mb adventure start"))
    assert "Rounds are on" in told


@pytest.mark.rule("MB-CARD-X02", "MB-CARD-S00")
async def test_the_last_act_ends_once(world: World) -> None:
    await begin(world, NEMESIS, HERO, RALLY, IDEA, CLAIM, ACTION, PRESENCE)
    await keep_subplot(world)
    before = (await sheet(world, "Vesna")).life_points
    await world.gina.slash(world.zone, "mb adventure act", what="end", last=True)
    await answers(world, world.gina, "Pay", PAY)
    told = refusal_of(await world.gina.slash(world.zone, "mb adventure act", what="end", last=True))
    assert "The last act is over" in told, told
    assert (await sheet(world, "Vesna")).life_points == before + 1


@pytest.mark.rule("MB-CARD-S00")
async def test_a_third_point_for_a_subplot_is_none_though_there_was_room_for_it(
    world: World,
) -> None:
    nemesis, stake, romance, identity, suspicion = NEMESIS, 95, 97, 91, 99
    drawn = (
        nemesis,
        stake,
        romance,
        identity,
        suspicion,
        HERO,
        RALLY,
        IDEA,
        CLAIM,
        ACTION,
        PRESENCE,
    )
    await begin(world, *drawn)
    for _ in range(2):
        await answers(world, world.gina, "Answer", "Disallow")
    before = (await sheet(world, "Vesna")).life_points
    for _ in range(2):
        await keep_subplot(world)
    await answers(world, world.gina, "Answer", "Allow a third")
    await answers(world, world.ana, "Keep it?", "Decline")
    deck = whole(await cards(world))
    assert names(deck, deck.at(FACE, await who(world, "Vesna"))) == ["Romance", "Mistaken Identity"]
    assert (await sheet(world, "Vesna")).life_points == before
