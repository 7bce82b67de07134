"""What each setting of the deck changes, through Discord."""

from __future__ import annotations

import pytest

from rules.systems.masterbook.deck.deck_state import DISCARD_PILE, HAND, POOL
from tests.discord.masterbook.cards.deck import answers, begin, cards, names, who, whole
from tests.discord.masterbook.cards.test_play import panel_options, pass_all, reacts
from tests.discord.masterbook.cards.test_round_hands import taunts
from tests.discord.masterbook.cards.test_skill_resolution import task
from tests.discord.masterbook.table import newest, sheet
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, public, refusal_of

ACTION, CLAIM, DRAMA, EFFECT, HASTE, HERO, IDEA, LEADERSHIP = 5, 16, 25, 30, 35, 39, 44, 48
PRESENCE, RALLY, SEIZE, OPPORTUNITY = 56, 61, 70, 105
NEMESIS, PERSONAL, ROMANCE, SUSPICION = 93, 95, 97, 99
#: Boris is first in a round, and his hand comes second.
VESNAS = (HERO, IDEA, PRESENCE)


async def _talk(world: World) -> str:
    """Rounds of talk begin; what is said of the card."""
    await gather(world, "Thug")
    await world.gina.slash(world.zone, "gm settings", setting="interaction_rounds", value="on")
    await world.gina.slash(world.zone, "mb rounds", rounds="interaction")
    return await next_turn(world)


async def _pools(world: World, card: str) -> None:
    """Boris, who is first, acts and pools a card."""
    public(await world.ben.slash(world.zone, "mb act", action="looks around"))
    public(await world.ben.slash(world.zone, "mb card pool", card=card))


@pytest.mark.parametrize("value", ["any_rounds", "combat_rounds"])
@pytest.mark.rule("MB-CARD-E08", "MB-CARD-E16")
async def test_haste_and_seize_initiative_in_talk(world: World, value: str) -> None:
    rules, fits = {"combat_only_cards_in": value}, value == "any_rounds"
    await begin(world, *VESNAS, HASTE, SEIZE, ACTION, 1, 25, 3, rules=rules, step_in_minutes=60)
    await _talk(world)
    await _pools(world, "Seize Initiative")
    for _ in range(3):
        await next_turn(world)
    if fits:  # the last card may be kept, and the next one replaced
        assert "Keep the last card, with Seize Initiative" in await panel_options(world, world.ben)
        await pass_all(world, world.ben, world.ben)
    assert (await cards(world)).deal.number == 2, "nobody is asked for nothing"
    await _pools(world, "Haste")
    told = await world.ben.slash(world.zone, "mb card play", card="Haste")
    assert fits or "rounds only" in refusal_of(told)
    assert names(await cards(world), (await cards(world)).at(DISCARD_PILE)) == (
        ["Haste"] if fits else []
    )


@pytest.mark.parametrize("value", ["on", "off"])
@pytest.mark.rule("MB-CARD-I13", "MB-CARD-A01")
async def test_what_the_confused_earn(world: World, value: str) -> None:
    # 2 confuses the players in a dramatic scene, and pays for a taunt.
    await begin(
        world, *VESNAS, ACTION, CLAIM, EFFECT, 2, RALLY, rules={"confused_blocks_awards": value}
    )
    await world.gina.slash(world.zone, "mb adventure scene", what="start", kind="dramatic")
    await gather(world, "Thug")
    assert "Players: confused" in await next_turn(world)
    while (await world.state()).encounters[str(world.zone.id)].turn < 2:
        await next_turn(world)
    text = await taunts(world, world.ana, "Thug", 9, 9)
    assert ("Vesna earns a card" in text) == (value == "off"), text


@pytest.mark.parametrize("value", ["level_unchanged", "task_lost"])
@pytest.mark.rule("MB-CARD-C07")
async def test_a_last_ditch_effort_that_fails_against_the_clock(world: World, value: str) -> None:
    await begin(
        world, *VESNAS, ACTION, CLAIM, EFFECT, 14, rules={"csr_failed_last_ditch_with_clock": value}
    )
    await gather(world)
    await next_turn(world)
    await world.gina.slash(
        world.zone, "mb task start", name="The winch", step_a="Stealth 40", rounds=3
    )
    world.dice.lay(5, 6)
    await world.ben.slash(world.zone, "mb task ditch")
    assert await task(world) == (0, 0, "open" if value == "level_unchanged" else "failed")
    text = await newest(world)
    assert ("The task is lost." in text) == (value == "task_lost"), text


@pytest.mark.parametrize("value", ["on", "off"])
@pytest.mark.rule("MB-CARD-E07")
async def test_effect_makes_good_a_failure(world: World, value: str) -> None:
    more = {"step_in_minutes": 60, "rules": {"effect_card_can_rescue": value}}
    await begin(world, EFFECT, IDEA, PRESENCE, ACTION, CLAIM, HERO, **more)
    world.dice.lay(5, 6)
    await world.ana.slash(
        world.zone, "check", skill="Stealth", difficulty="14", approach="the crates"
    )
    assert "13 against 14" in await newest(world)
    await pass_all(world, world.ana, world.ben)
    found = await _offers(world)
    assert ("Play Effect on the result" in found) == (value == "on"), found
    if value == "on":
        text = await reacts(world, world.ana, "Play Effect")
        assert "Success" in text, text


async def _offers(world: World) -> list[str]:
    try:
        return await panel_options(world, world.ana)
    except (AssertionError, StopIteration):
        return []


@pytest.mark.parametrize("value", ["both", "lines", "approved", "none"])
@pytest.mark.rule("MB-CARD-00", "MB-CARD-A01")
async def test_cards_in_rounds_of_talk(world: World, value: str) -> None:
    # 14 stymies the NPCs, and pays for a taunt.
    rules = {"interaction_rounds_use_cards": value}
    await begin(world, *VESNAS, ACTION, CLAIM, EFFECT, 14, RALLY, rules=rules)
    text = await _talk(world)
    assert ("stymied" in text) == (value in ("both", "lines")), text
    assert ("Earns a card" in text) == (value in ("both", "approved")), text
    for _ in range(3):
        slots = (await world.state()).encounters[str(world.zone.id)]
        if slots.order[slots.turn].character == await who(world, "Vesna"):
            break
        await next_turn(world)
    text = await taunts(world, world.ana, "Thug", 9, 9)
    assert ("Vesna earns a card" in text) == (value in ("both", "approved")), text


@pytest.mark.parametrize("value", ["pool", "hand"])
@pytest.mark.rule("MB-CARD-E11", "MB-CARD-E14", "MB-CARD-09")
async def test_where_cards_of_others_go_in_rounds(world: World, value: str) -> None:
    rules = {"leadership_gifts_to": value, "rally_to": value, "hand_lock_other_draws": "1"}
    # In the first round he leads, in the second he rallies.
    await begin(world, *VESNAS, LEADERSHIP, RALLY, EFFECT, 1, 26, DRAMA, CLAIM, rules=rules)
    vesna, boris = await who(world, "Vesna"), await who(world, "Boris")
    await gather(world)
    await next_turn(world)
    await _pools(world, "Leadership")
    gives = {"card": "Leadership", "gifts": "Effect", "to": "Vesna", "give_only": True}
    await world.ben.slash(world.zone, "mb card play", **gives)
    deck = whole(await cards(world))
    assert (str(EFFECT) in deck.at(POOL, vesna)) == (value == "pool")
    assert (str(EFFECT) in deck.at(HAND, vesna)) == (value == "hand")
    assert deck.seat(vesna).locks == ()
    await next_turn(world)
    await next_turn(world)
    await _pools(world, "Rally")
    await world.ben.slash(world.zone, "mb card play", card="Rally")
    deck = whole(await cards(world))
    assert [str(DRAMA) in deck.at(place, vesna) for place in (POOL, HAND)] == [
        value == "pool",
        value == "hand",
    ]
    assert [str(CLAIM) in deck.at(place, boris) for place in (POOL, HAND)] == [
        value == "pool",
        value == "hand",
    ]
    # What is drawn into a hand waits for the next round, as the table has agreed; what lies in a
    # pool does not.
    locked = (value == "hand" and {str(DRAMA): 3}) or {}
    assert dict(deck.seat(vesna).locks) == locked
    assert str(LEADERSHIP) in deck.at(DISCARD_PILE)


@pytest.mark.parametrize("value", ["adventure", "campaign"])
@pytest.mark.rule("MB-CARD-S00", "MB-CARD-X04")
async def test_how_long_the_points_for_unusable_subplots_count(world: World, value: str) -> None:
    from tests.discord.masterbook.cards.deck import order

    await begin(
        *(world, NEMESIS, ROMANCE, *VESNAS, ACTION, CLAIM, EFFECT),
        rules={"reject_award_scope": value},
        life_points=5,
    )
    for _ in range(2):
        await answers(world, world.gina, "Answer", "Disallow")
    assert (await sheet(world, "Vesna")).life_points == 7
    await world.gina.slash(world.zone, "mb adventure end", number=0)
    before = (await sheet(world, "Vesna")).life_points
    world.dice.lay(*order(SUSPICION, *VESNAS, ACTION, CLAIM, EFFECT))
    await world.gina.slash(world.zone, "mb adventure start")
    await answers(world, world.gina, "Answer", "Disallow")
    assert (await sheet(world, "Vesna")).life_points == before + (value == "adventure")


@pytest.mark.parametrize("value", ["after_action", "end_of_round"])
@pytest.mark.rule("MB-CARD-09")
async def test_when_cards_are_pooled(world: World, value: str) -> None:
    await begin(world, *VESNAS, ACTION, CLAIM, EFFECT, 1, rules={"pool_timing": value})
    await gather(world)
    await next_turn(world)
    public(await world.ben.slash(world.zone, "mb act", action="looks around"))
    now = await world.ben.slash(world.zone, "mb card pool", card="Action")
    if value == "after_action":
        assert "Boris pools Action" in public(now)
        return
    assert "as the round ends" in refusal_of(now)
    await next_turn(world)
    assert "Boris pools Action" in public(
        await world.ben.slash(world.zone, "mb card pool", card="Action")
    )


@pytest.mark.parametrize("value", ["on", "off"])
@pytest.mark.rule("MB-CARD-06", "MB-CARD-P04")
async def test_whether_opportunity_counts_in_a_hand(world: World, value: str) -> None:
    first = (OPPORTUNITY, IDEA, PRESENCE, ACTION, CLAIM, EFFECT, HERO, RALLY)
    await begin(world, *first, rules={"opportunity_counts_in_hand": value})
    vesna = await who(world, "Vesna")
    await world.gina.slash(world.zone, "mb adventure scene", what="start")
    await world.gina.slash(world.zone, "mb adventure scene", what="end")
    await answers(world, world.ana, "Choose cards", "Keep all")
    deck = whole(await cards(world))
    assert len(deck.at(HAND, vesna)) == (3 if value == "on" else 4)


@pytest.mark.parametrize("value", ["lose_one_action", "gamemaster_event"])
@pytest.mark.rule("MB-CARD-I08")
async def test_what_a_setback_on_the_card_is(world: World, value: str) -> None:
    # 3 sets the players back in a dramatic scene.
    usual = "lose_one_action"
    await begin(world, *VESNAS, ACTION, CLAIM, EFFECT, 3, rules={"setback_default": value})
    await world.gina.slash(world.zone, "mb adventure scene", what="start", kind="dramatic")
    await gather(world, "Thug")
    await next_turn(world)
    text = await newest(world)
    assert "Players: setback" in text, text
    await world.env.advance_time(2 * 24 * 3600)
    text = await newest(world)
    assert ("a mishap of the GM's choice" in text, "can't act this turn" in text) == (
        value != usual,
        value == usual,
    ), text


@pytest.mark.parametrize("value", ["discard_top", "last_card_played_by_another"])
@pytest.mark.rule("MB-CARD-E04")
async def test_what_claim_takes(world: World, value: str) -> None:
    await begin(world, CLAIM, RALLY, DRAMA, ACTION, PRESENCE, EFFECT, rules={"claim_source": value})
    await world.ben.slash(world.zone, "mb card play", card="Action")
    await world.ana.slash(world.zone, "mb card play", card="Drama")
    await world.ana.slash(world.zone, "mb card play", card="Claim")
    deck = whole(await cards(world))
    held = names(deck, deck.at(HAND, await who(world, "Vesna")))
    assert held == ["Rally", "Drama" if value == "discard_top" else "Action"]
