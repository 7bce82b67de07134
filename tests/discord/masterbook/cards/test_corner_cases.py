"""Corners of the deck's rules: Wild cards as subplots, martyrs, locks, gifts, speed, Luck, rounds
without lines.
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.masterbook.deck.deck_state import DISCARD_PILE, FACE, HAND, POOL
from tests.discord.masterbook.cards.deck import answers, begin, cards, names, who, whole
from tests.discord.masterbook.cards.stacked_deck import order, rounds
from tests.discord.masterbook.cards.stacked_deck import whole as shuffled
from tests.discord.masterbook.cards.test_play import (
    ACTION,
    AGAIN,
    BY_POST,
    CLAIM,
    DRAMA,
    EFFECT,
    FAILS,
    HASTE,
    HERO,
    HIDES,
    IDEA,
    PRESENCE,
    RALLY,
    SUPPORTER,
    WILD,
    WILLPOWER,
    panel_options,
    pass_all,
    reacts,
)
from tests.discord.masterbook.cards.test_round_hands import SEIZE, taunts
from tests.discord.masterbook.table import FIGHTER, attack, bring, newest, open_table, sheet
from tests.discord.rounds import gather, next_turn
from tests.discord.world import (
    World,
    has_decision,
    labels,
    message_of,
    private,
    public,
    refusal_of,
    texts,
)

LEADERSHIP, NEMESIS, ROMANCE, MARTYR, ALERTNESS, CAMPAIGN = 48, 93, 97, 89, 84, 85
THIRD: dict[str, Any] = FIGHTER | {"skills": []}


# --- subplots -------------------------------------------------------------------------------------


@pytest.mark.rule("MB-CARD-P05", "MB-CARD-S00")
async def test_a_wild_card_as_a_subplot_waits_for_the_gm(world: World) -> None:
    await begin(world, WILD, IDEA, RALLY, CLAIM, PRESENCE, ACTION, **BY_POST)
    vesna = await who(world, "Vesna")
    refusal_of(await world.ana.slash(world.zone, "mb card play", card="Wild", as_name="Disaster"))
    for name in ("Romance", "nonsense"):
        told = refusal_of(
            await world.ana.slash(world.zone, "mb card play", card="Rally", as_name=name)
        )
        assert "Rally isn't a Wild card. Leave out `as_name`." in told, told
    for said_, points in (("Disallow", 5), ("Allow", 5)):
        await world.ana.slash(world.zone, "mb card play", card="Wild", as_name="Romance")
        assert "Vesna plays a Wild card as Romance, if the GM agrees." in await newest(world)
        assert str(WILD) in (await cards(world)).at(HAND, vesna)
        await world.restart()
        await answers(world, world.gina, "Answer", said_)
        assert (await sheet(world, "Vesna")).life_points == points
        if said_ == "Disallow":
            assert "Vesna keeps the Wild card." in await newest(world)
            assert str(WILD) in (await cards(world)).at(HAND, vesna)
    deck = whole(await cards(world))
    assert deck.at(FACE, vesna) == (str(WILD),) and names(deck, deck.at(FACE, vesna)) == ["Wild"]
    assert deck.kind(str(WILD), vesna).key == "romance"
    await world.gina.slash(world.zone, "gm undo")
    assert str(WILD) in (await cards(world)).at(HAND, vesna)
    # Once the card is gone there is nothing left to agree to.
    await world.ana.slash(world.zone, "card discard", card="Wild")
    assert not any(
        each.kind == "wild" and each.is_open for each in (await world.state()).checks.values()
    )


@pytest.mark.rule("MB-CARD-S02", "MB-CARD-P05")
async def test_a_wild_card_for_campaign_and_campaign_from_the_hand(world: World) -> None:
    await begin(
        world, NEMESIS, WILD, CAMPAIGN, RALLY, CLAIM, PRESENCE, ACTION, EFFECT, DRAMA, life_points=5
    )
    vesna = await who(world, "Vesna")
    # There is nothing yet that it could make last: it stays in the hand.
    assert "takes a subplot" in refusal_of(
        await world.ana.slash(world.zone, "mb card play", card="Campaign")
    )
    await answers(world, world.gina, "Answer", "Allow")
    await answers(world, world.ana, "Keep it?", "Keep")
    await world.ana.slash(world.zone, "mb card play", card="Wild", as_name="Campaign")
    assert "Nemesis stays for the whole campaign, if the GM agrees." in await newest(world)
    await answers(world, world.gina, "Answer", "Disallow")
    deck = whole(await cards(world))
    assert (await sheet(world, "Vesna")).life_points == 6 and deck.at(DISCARD_PILE) == (str(WILD),)
    await world.ana.slash(world.zone, "mb card play", card="Campaign")
    await answers(world, world.gina, "Answer", "Allow")
    deck = whole(await cards(world))
    assert deck.seat(vesna).permanent == ("nemesis",) and str(CAMPAIGN) in deck.at(DISCARD_PILE)


@pytest.mark.rule("MB-CARD-S05", "MB-CARD-04")
async def test_a_martyr_dies_a_hero(world: World) -> None:
    await begin(world, MARTYR, HERO, IDEA, RALLY, CLAIM, ACTION, PRESENCE)
    vesna = await who(world, "Vesna")
    dies = {"how": "done", "character": "Vesna"}
    refusal_of(await world.gina.slash(world.zone, "mb card martyr", **dies))
    await answers(world, world.gina, "Answer", "Allow")
    await answers(world, world.ana, "Keep it?", "Keep")
    assert "Only the GM" in refusal_of(await world.ana.slash(world.zone, "mb card martyr", **dies))
    named = await world.gina.slash(world.zone, "mb card martyr", how="named", character="Vesna")
    assert "The GM names the heroic deed that Vesna will die doing" in texts(message_of(named))
    await world.restart()
    told = texts(message_of(await world.gina.slash(world.zone, "mb card martyr", **dies)))
    assert "Vesna dies a hero" in told and "3 cards discarded" in told, told
    deck = whole(await cards(world))
    assert deck.deal.seat(vesna) is None and len(deck.at(DISCARD_PILE)) == 4
    await world.gina.slash(world.zone, "gm undo")
    assert len((await cards(world)).at(HAND, vesna)) == 3


@pytest.mark.rule("MB-CARD-S05")
async def test_a_debt_takes_what_a_gm_gives(world: World) -> None:
    broke = {"life_points": 0}
    await begin(
        world, MARTYR, IDEA, CLAIM, RALLY, PRESENCE, ACTION, EFFECT, sheets={"Vesna": broke}
    )
    vesna = await who(world, "Vesna")
    await answers(world, world.gina, "Answer", "Allow")
    await answers(world, world.ana, "Keep it?", "Keep")
    await world.gina.slash(world.zone, "mb adventure scene", what="start")
    await world.gina.slash(world.zone, "mb adventure act", what="end", number=-1)
    await answers(world, world.gina, "Pay", "Pay for all")
    await bring(world, world.gina, "Vesna", FIGHTER | broke, replace=True)
    await world.gina.slash(world.zone, "mb card martyr", how="out", character="Vesna")
    assert (await cards(world)).seat(vesna).debt == 2
    gives = {"kind": "life_points", "amount": 3, "to": "Vesna"}
    refusal_of(await world.ana.slash(world.zone, "gm award", **gives))
    await world.gina.slash(world.zone, "gm award", **gives)
    assert "Vesna pays 2 Life Points of a debt" in texts(world.last())
    assert (await sheet(world, "Vesna")).life_points == 1 and (await cards(world)).seat(
        vesna
    ).debt == 0
    await world.gina.slash(world.zone, "gm undo")
    assert (await cards(world)).seat(vesna).debt == 2 and (
        await sheet(world, "Vesna")
    ).life_points == 0
    # A debt comes before the surplus of a character who has all Life Points.
    await bring(world, world.gina, "Vesna", FIGHTER | {"life_points": 10}, replace=True)
    await world.gina.slash(world.zone, "gm award", **gives)
    rich = await sheet(world, "Vesna")
    assert (rich.life_points, rich.surplus, rich.skill_points) == (10, 0, 3), rich
    assert (await cards(world)).seat(vesna).debt == 0


# --- hands and pools ------------------------------------------------------------------------------


@pytest.mark.rule("MB-CARD-09", "MB-CARD-A01")
async def test_an_earned_card_is_locked_for_a_round(world: World) -> None:
    # 14 and 13 pay for a taunt; Vesna earns Rally in the first round, and Drama after it.
    await begin(world, HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT, 14, RALLY, 13, DRAMA, 31)
    await gather(world, "Thug")
    await next_turn(world)
    await next_turn(world)
    await taunts(world, world.ana, "Thug", 9, 9)
    await next_turn(world)
    await next_turn(world)
    # The next round: it can be pooled, and what is earned now only after it.
    await next_turn(world)
    await taunts(world, world.ana, "Thug", 9, 9)
    await world.restart()
    public(await world.ana.slash(world.zone, "mb card pool", card="Rally"))
    await next_turn(world)
    await next_turn(world)
    vesna = await who(world, "Vesna")
    deck = whole(await cards(world))
    assert names(deck, deck.at(POOL, vesna)) == ["Rally"] and dict(deck.seat(vesna).locks) == {
        str(DRAMA): 3
    }


@pytest.mark.rule("MB-CARD-09", "MB-CARD-I07")
async def test_what_a_line_deals_can_be_locked_too(world: World) -> None:
    # 17: the players are inspired, and draw.
    locks = {"hand_lock_other_draws": "1"}
    await begin(world, HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT, 17, RALLY, DRAMA, rules=locks)
    await gather(world)
    await next_turn(world)
    await next_turn(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    locked = refusal_of(await world.ana.slash(world.zone, "mb card pool", card="Rally"))
    assert "next round" in locked, locked
    public(await world.ana.slash(world.zone, "mb card pool", card="Hero"))


@pytest.mark.rule("MB-CARD-09", "MB-CARD-E08", "MB-CARD-L02", "MB-CARD-A03")
async def test_fast_reactions_are_three_hastes_and_pool_more(world: World) -> None:
    quick = {"advantages": ["Special Abilities (CIII): Fast Reactions"]}
    await begin(world, HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT, 14, sheets={"Vesna": quick})
    assert "no Fast Reactions" in refusal_of(await world.ben.slash(world.zone, "mb card fast"))
    assert "rounds only" in refusal_of(await world.ana.slash(world.zone, "mb card fast"))
    await gather(world, "Thug")
    await next_turn(world)
    await next_turn(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    public(await world.ana.slash(world.zone, "mb card pool", card="Hero"))
    await next_turn(world)
    for left in (2, 1, 0):
        assert "Vesna acts again" in public(await world.ana.slash(world.zone, "mb card fast"))
        assert await order(world) == ["Vesna", "Thug"]
        if left == 2:
            await taunts(world, world.ana, "Thug", 9, 9)
            public(await world.ana.slash(world.zone, "mb card pool", card="Idea"))
        await next_turn(world)
        assert await order(world) == ["Thug"]
    assert "used that" in refusal_of(await world.ana.slash(world.zone, "mb card fast"))
    await world.restart()
    assert (await cards(world)).seat(await who(world, "Vesna")).hastes == 3


@pytest.mark.rule("MB-CARD-L02", "MB-CARD-N01")
async def test_fast_reactions_where_dice_say_who_acts_first(world: World) -> None:
    quick = {"advantages": ["Fast Reactions (CIII)"]}
    await open_table(world, sheets={"Vesna": quick})
    await gather(world)
    # Both throw the same: Agility 9 each, and 3 more for Vesna.
    await next_turn(world, 5, 5, 5, 5)
    assert (await order(world))[0] == "Vesna"
    assert "plays without" in refusal_of(await world.ana.slash(world.zone, "mb card fast"))


@pytest.mark.rule("MB-CARD-E11")
async def test_leadership_for_two_others(world: World) -> None:
    await open_table(world, rules={"cards_mode": "full"})
    await bring(world, world.ben, "Cleo", THIRD)
    world.dice.lay(*_order(LEADERSHIP, HERO, IDEA, CLAIM, ACTION, EFFECT, RALLY, DRAMA, PRESENCE))
    await world.gina.slash(world.zone, "mb adventure start")
    gives = {"card": "Leadership", "gifts": "Hero, Idea"}
    wrong = await world.ana.slash(world.zone, "mb card play", to="Boris, Cleo, Boris", **gives)
    assert "one for each card" in refusal_of(wrong)
    await world.ana.slash(world.zone, "mb card play", to="Boris, Cleo", give_only=True, **gives)
    deck = whole(await cards(world))
    held = {
        name: names(deck, deck.at(HAND, await who(world, name)))
        for name in ("Vesna", "Boris", "Cleo")
    }
    assert held["Vesna"] == [] and held["Boris"][-1] == "Hero" and held["Cleo"][-1] == "Idea", held


def _order(*first: int) -> list[int]:
    from tests.discord.masterbook.cards.deck import order as lies

    return lies(*first)


@pytest.mark.rule("MB-CARD-06", "MB-CARD-E14")
async def test_a_hand_that_grew_is_cut_down_before_rounds(world: World) -> None:
    await begin(world, RALLY, HERO, IDEA, ACTION, CLAIM, EFFECT, PRESENCE, DRAMA, 14)
    await world.ana.slash(world.zone, "mb card play", card="Rally")
    boris = await who(world, "Boris")
    assert len((await cards(world)).at(HAND, boris)) == 4
    await gather(world)
    await next_turn(world)
    panel = message_of(await world.press(world.ben, world.newest("Choose cards"), "Choose cards"))
    await world.press(world.ben, panel, "Discard Drama")
    deck = whole(await cards(world))
    assert "Drama" not in names(deck, deck.at(HAND, boris))
    assert len(deck.at(HAND, boris)) == 3 and deck.deal.round is not None


@pytest.mark.rule("MB-CARD-N02", "MB-CARD-07", "MB-CARD-10")
async def test_rounds_by_dice_know_pools_too(world: World) -> None:
    await begin(world, HERO, IDEA, RALLY, ACTION, CLAIM, EFFECT, rules={"cards_mode": "play_only"})
    vesna = await who(world, "Vesna")
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    assert "isn't in the pool" in refusal_of(
        await world.ana.slash(world.zone, "mb card play", card="Rally")
    )
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    public(await world.ana.slash(world.zone, "mb card pool", card="Rally"))
    assert "plays without" in refusal_of(
        await world.gina.slash(world.zone, "mb card approve", target="Vesna")
    )
    await world.restart()
    await world.ana.slash(world.zone, "mb card play", card="Rally")
    deck = whole(await cards(world))
    assert len(deck.at(POOL, vesna)) == 1 and len(deck.at(HAND, vesna)) == 2
    await next_turn(world)
    await next_turn(world, 9, 9, 1, 1)
    assert (await cards(world)).deal.number == 2
    await world.gina.slash(world.zone, "initiative end")
    deck = whole(await cards(world))
    assert deck.deal.round is None and not deck.at(POOL, vesna) and len(deck.at(HAND, vesna)) == 3


@pytest.mark.rule("MB-CARD-13", "MB-CARD-E08")
async def test_nothing_between_actions_in_the_midst_of_one(world: World) -> None:
    await begin(world, HASTE, IDEA, RALLY, ACTION, CLAIM, EFFECT, 14, **BY_POST)
    await gather(world)
    await next_turn(world)
    await next_turn(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    public(await world.ana.slash(world.zone, "mb card pool", card="Haste"))
    await next_turn(world)
    await next_turn(world)
    world.dice.lay(5, 5)
    await world.ben.slash(world.zone, "check", **HIDES)
    assert "React offers it" in refusal_of(
        await world.ana.slash(world.zone, "mb card play", card="Haste")
    )
    await pass_all(world, world.ben)
    await world.ana.slash(world.zone, "mb card play", card="Haste")
    assert (await order(world))[0] == "Vesna"


# --- who is asked, and what counts ----------------------------------------------------------------


@pytest.mark.rule("MB-CARD-I12", "MB-CARD-E12")
async def test_a_taunt_that_failed_takes_no_card(world: World) -> None:
    # 47: NPCs first, and a taunt of theirs takes a card.
    await begin(world, SEIZE, HERO, IDEA, FAILS, CLAIM, EFFECT, 14, 47, **BY_POST)
    boris = await who(world, "Boris")
    await gather(world, "Thug")
    await next_turn(world)
    public(await world.ben.slash(world.zone, "mb act", action="looks around"))
    public(await world.ben.slash(world.zone, "mb card pool", card="Opponent Fails"))
    for _ in range(3):
        await next_turn(world)
    await taunts(world, world.gina, "Boris", as_="Thug")
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    world.dice.lay(9, 9)
    await world.press(world.ben, panel, "Pass")
    await pass_all(world, world.gina)
    text = await reacts(world, world.ben, "Play Opponent Fails")
    assert "Opponent Fails" in text and "takes a card" not in text, text
    deck = whole(await cards(world))
    assert len(deck.at(HAND, boris)) == 2 and deck.at(DISCARD_PILE) == (str(FAILS),)


@pytest.mark.rule("MB-SUR-01", "MB-CARD-13", "MB-CARD-08")
async def test_no_cards_on_a_defense_that_is_taken_unawares(world: World) -> None:
    await begin(world, ACTION, IDEA, WILLPOWER, SUPPORTER, CLAIM, EFFECT, **BY_POST)
    await world.gina.slash(world.zone, "mb surprise", target="Vesna", total=60)
    await attack(world, world.gina, "Vesna", 6, 6, weapon="Baseball bat", **{"as": "Thug"})
    # Her defense has to stand as it is: nobody is asked but Boris, who might help the thug.
    text = await newest(world)
    assert not has_decision(text, "Ana") and "Vesna and" not in text, text


@pytest.mark.rule("MB-CARD-09", "MB-CARD-S01")
async def test_who_was_surprised_in_a_round_pools_nothing_in_it(world: World) -> None:
    await begin(world, ALERTNESS, HERO, IDEA, RALLY, ACTION, CLAIM, EFFECT, 14, 31)
    await answers(world, world.gina, "Answer", "Allow")
    await answers(world, world.ana, "Keep it?", "Keep")
    await gather(world, "Thug")
    for name in ("Vesna", "Boris"):
        world.dice.lay(1, 1)
        await world.gina.slash(world.zone, "mb surprise", target=name, total=30)
    # Vesna notices it after all.
    await world.gina.slash(world.zone, "mb card use", character="Vesna", card="Alertness")
    await next_turn(world)
    for person in (world.ben, world.ana):
        public(await person.slash(world.zone, "mb act", action="looks around"))
        await next_turn(world)
    world.dice.lay(1, 1)
    await world.gina.slash(
        world.zone, "attack", target="Boris", weapon="Baseball bat", **{"as": "Thug"}
    )
    assert "Surprised" in refusal_of(
        await world.ben.slash(world.zone, "mb card pool", card="Action")
    )
    public(await world.ana.slash(world.zone, "mb card pool", card="Hero"))


@pytest.mark.rule("MB-CARD-E16", "MB-CARD-08")
async def test_the_unconscious_seize_nothing(world: World) -> None:
    await begin(world, SEIZE, HERO, IDEA, ACTION, CLAIM, EFFECT, 14, 31, **BY_POST)
    await gather(world)
    await next_turn(world)
    await next_turn(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    public(await world.ana.slash(world.zone, "mb card pool", card="Seize Initiative"))
    await bring(world, world.gina, "Vesna", FIGHTER | {"harm": "out_for 60"}, replace=True)
    text = await next_turn(world)
    assert "round 2" in text.casefold() and "Seize" not in text, text


@pytest.mark.rule("MB-CARD-E15", "MB-CARD-L01", "MB-BG-27")
async def test_luck_begins_anew_without_any_card(world: World) -> None:
    lucky = {"advantages": ["Luck (II)"]}
    await open_table(world, sheets={"Vesna": lucky}, step_in_minutes=60)
    world.dice.lay(1, 2)
    await world.ana.slash(world.zone, "check", **HIDES)
    # Beside what else is open as the dice lie: whoever accepts them is not asked once more.
    assert "Luck as Second Chance: try it again" in await panel_options(world, world.ana)
    world.dice.lay(9, 9)
    text = await reacts(world, world.ana, "Luck as Second Chance")
    assert "2d10 (9, 9)" in text, text
    await pass_all(world, world.ana)
    # It is used up, and nobody waits for her.
    world.dice.lay(1, 2)
    await world.ana.slash(world.zone, "check", **HIDES)
    assert "Luck as Breakthrough" not in await panel_options(world, world.ana)
    text = await pass_all(world, world.ana)
    assert text.startswith("## ✗ Failure, "), text
    await world.gina.slash(world.zone, "mb adventure start", name="The Dam")
    world.dice.lay(1, 2)
    await world.ana.slash(world.zone, "check", **HIDES)
    assert "Luck as Second Chance: try it again" in await panel_options(world, world.ana)
    text = await pass_all(world, world.ana)
    assert text.startswith("## ✗ Failure, "), text


@pytest.mark.rule("MB-BG-27", "MB-CARD-L01")
async def test_a_gm_burns_luck_to_avert_a_disaster(world: World) -> None:
    lucky = {"advantages": ["Luck (III)", "Luck (II)"]}
    await open_table(world, sheets={"Vesna": lucky})
    burns = {"character": "Vesna"}
    assert "plays without" in refusal_of(
        await world.gina.slash(world.zone, "mb card rescue", **burns)
    )
    await world.gina.slash(world.zone, "gm settings", setting="luck3_gm_rescue", value="on")
    assert "Only the GM" in refusal_of(await world.ana.slash(world.zone, "mb card rescue", **burns))
    none = refusal_of(await world.gina.slash(world.zone, "mb card rescue", character="Boris"))
    assert "Boris has no Luck (III) left" in none
    # What the smaller Luck does comes out of it.
    await world.ana.slash(world.zone, "mb card luck", effect="Action")
    told = public(await world.gina.slash(world.zone, "mb card rescue", **burns))
    assert "The GM burns Vesna's Luck to avert a disaster." in told
    await world.restart()
    refusal_of(await world.gina.slash(world.zone, "mb card rescue", **burns))
    assert "used that" in refusal_of(
        await world.ana.slash(world.zone, "mb card luck", effect="Alertness")
    )
    await world.gina.slash(world.zone, "gm undo")
    public(await world.ana.slash(world.zone, "mb card luck", effect="Alertness"))


@pytest.mark.rule("MB-CARD-E17", "MB-CARD-E03")
async def test_what_is_not_rolled_no_supporter_helps(world: World) -> None:
    # A defense that stands without a roll is nobody's action.
    await begin(world, IDEA, RALLY, HERO, SUPPORTER, PRESENCE, CLAIM, **BY_POST)
    await attack(world, world.gina, "Vesna", weapon="Baseball bat", **{"as": "Thug"})
    panel = message_of(await world.press(world.ana, world.newest("Defend"), "Defend"))
    world.dice.lay(6, 6)
    await world.press(world.ana, panel, labels(panel)[-1])
    assert await panel_options(world, world.ben) == ["Play Supporter for Thug", "Accept result"]


@pytest.mark.rule("MB-CARD-E01", "MB-CARD-E15")
async def test_action_counts_once_in_what_is_begun_anew(world: World) -> None:
    await begin(world, ACTION, AGAIN, RALLY, HERO, PRESENCE, CLAIM, **BY_POST)
    await world.ana.slash(world.zone, "mb card play", card="Action")
    world.dice.lay(5, 6)
    await world.ana.slash(world.zone, "check", **HIDES)
    assert "total **14**" in await newest(world)
    world.dice.lay(5, 6)
    assert "total **14**" in await reacts(world, world.ana, "Play Second Chance")


@pytest.mark.rule("MB-CARD-I01")
async def test_rounds_by_cards_alone_hold_no_hands(world: World) -> None:
    quick = {"advantages": ["Fast Reactions (CIII)"]}
    await rounds(world)
    await bring(world, world.gina, "Vesna", FIGHTER | quick, replace=True)
    await next_turn(world, *shuffled(14, 25))
    # Nobody is dealt cards; how often she was fast is counted all the same.
    assert "acts again" in public(await world.ana.slash(world.zone, "mb card fast"))
    assert "used cards" not in private(await world.ana.slash(world.zone, "deck info"))


@pytest.mark.rule("MB-CARD-E03")
async def test_breakthrough_is_for_skills_alone(world: World) -> None:
    await begin(world, 11, IDEA, RALLY, HERO, PRESENCE, CLAIM, **BY_POST)
    world.dice.lay(5, 6)
    await world.ana.slash(
        world.zone, "check", attribute="agility", difficulty="Average", approach="a leap"
    )
    assert "Play Breakthrough" not in await panel_options(world, world.ana)
    await pass_all(world, world.ana, world.ben, world.ana)
    world.dice.lay(5, 6)
    await world.ana.slash(
        world.zone, "check", skill="Climbing", difficulty="Average", approach="a wall"
    )
    assert "Play Breakthrough" in await panel_options(world, world.ana)


@pytest.mark.rule("MB-CARD-L01", "MB-CARD-E01")
async def test_action_by_luck_counts_for_one_action(world: World) -> None:
    await open_table(world, sheets={"Vesna": {"advantages": ["Luck (II)"]}}, step_in_minutes=60)
    for total, person in ((14, world.ana), (13, None)):
        world.dice.lay(5, 6)
        await world.ana.slash(world.zone, "check", **HIDES)
        if person is not None:
            await reacts(world, person, "Luck as Action: +1 to all your totals")
        assert f"total **{total}**" in await newest(world)
        await pass_all(world, world.ana)


@pytest.mark.rule("MB-CARD-L01", "MB-CARD-A03", "MB-CARD-09")
async def test_haste_by_luck_is_one_pooling_more(world: World) -> None:
    lucky = {"advantages": ["Luck (II)"]}
    await begin(world, HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT, 14, sheets={"Vesna": lucky})
    await gather(world)
    await next_turn(world)
    await next_turn(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    public(await world.ana.slash(world.zone, "mb card luck", effect="Haste"))
    assert (await order(world))[0] == "Vesna"
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    for card in ("Hero", "Idea"):
        public(await world.ana.slash(world.zone, "mb card pool", card=card))
    assert "can't pool or earn more cards" in refusal_of(
        await world.ana.slash(world.zone, "mb card pool", card="56")
    )
