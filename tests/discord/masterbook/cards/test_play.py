"""Cards on what people do: on dice that lie open, on what a success does, once all of it is
known.
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.masterbook.deck.deck_state import DISCARD_PILE, FACE, HAND
from rules.systems.masterbook.formulas import success_chart
from rules.table.marks import marks_of
from tests.discord.masterbook.cards.deck import answers, begin, cards, names, who, whole
from tests.discord.masterbook.cards.stacked_deck import order
from tests.discord.masterbook.table import attack, meet, newest, sheet
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, has_decision, labels, menu, message_of, refusal_of

#: Cards of the default deck by number.
ACTION, ADRENALINE, BREAKTHROUGH, DOUBLE_CROSS, DRAMA, EFFECT, HASTE, HERO = (
    1,
    6,
    11,
    20,
    25,
    30,
    35,
    39,
)
IDEA, CLAIM, FAILS, PRESENCE, RALLY, AGAIN, SUPPORTER, WILLPOWER, WILD = (
    44,
    16,
    52,
    56,
    61,
    65,
    74,
    79,
    106,
)
DAY = 24 * 3600
BY_POST: dict[str, Any] = {"step_in_minutes": 60, "gm_channel": True}
BY_DAYS: dict[str, Any] = BY_POST | {"step_in_minutes": 3 * 24 * 60}
HIDES = {"skill": "Stealth", "difficulty": "Average", "approach": "behind the crates"}


async def reacts(world: World, person: Any, option: str) -> str:
    """What somebody does in their own panel behind the neutral button; what the card says then."""
    panel = message_of(await world.press(person, world.newest("React"), "React"))
    wanted = [each for each in labels(panel) if option in each]
    assert wanted, labels(panel)
    await world.press(person, panel, wanted[0])
    return await newest(world)


async def panel_options(world: World, person: Any) -> list[str]:
    """What somebody's own panel offers, besides more time."""
    return _answers(message_of(await world.press(person, world.newest("React"), "React")))


def _answers(panel: Any) -> list[str]:
    return [label for label in labels(panel) if label != "More time"]


async def pass_all(world: World, *people: Any) -> str:
    """They have nothing to add; what the card says then."""
    for each in people:
        panel = message_of(await world.press(each, world.newest("React"), "React"))
        await world.press(each, panel, _answers(panel)[-1])
    return await newest(world)


async def drop(world: World, label: str, *chosen: str) -> None:
    """Vesna takes packages off in her own panel."""
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(world.ana, panel, f"{label}…")
    await world.choose(
        world.ana, panel, "What to take off", *[f"packages: {each}" for each in chosen]
    )
    await world.press(world.ana, panel, label)


@pytest.mark.rule("MB-CARD-E17", "MB-CARD-13", "MB-CARD-08")
async def test_supporter_days_later(world: World) -> None:
    await begin(world, HERO, IDEA, RALLY, SUPPORTER, PRESENCE, ACTION, **BY_DAYS)
    world.dice.lay(2, 3)
    await world.ana.slash(world.zone, "check", **HIDES)
    assert (await newest(world)).startswith("## ✗ Failure so far: 6 against 8")
    assert await panel_options(world, world.ana) == [
        "Spend a Life Point: 2 more dice (5 left)",
        "Play Hero: 2 more dice",
        "Accept result",
    ]
    await pass_all(world, world.ana)
    await world.env.advance_time(2 * DAY)
    await world.restart()
    assert await panel_options(world, world.ben) == ["Play Supporter for Vesna", "Accept result"]
    before = await cards(world)
    text = await reacts(world, world.ben, "Play Supporter")
    assert text.startswith("## ✓ Success so far, solid: 9 against 8"), text
    assert "Boris plays Supporter for Vesna (+3)." in text
    deck = whole(await cards(world))
    assert deck.at(DISCARD_PILE) == (str(SUPPORTER),)
    await world.gina.slash(world.zone, "gm undo")
    assert await cards(world) == before
    await reacts(world, world.ben, "Play Supporter")
    # It was a failure on which Vesna had nothing to add: of what it is now she is asked anew.
    text = await pass_all(world, world.ben, world.ana)
    assert text.startswith("## ✓ Success so far, solid: 9 against 8") and has_decision(
        text, "Ana"
    ), text
    # Vesna says nothing of a second chance, and it stands.
    await world.env.advance_time(3 * DAY + 60)
    text = await newest(world)
    assert text.startswith("## ✓ Success, solid: 9 against 8"), text


@pytest.mark.rule("MB-CARD-E09", "MB-CARD-L03", "MB-DIE-06")
async def test_a_hero_that_is_canceled(world: World) -> None:
    await begin(world, HERO, IDEA, RALLY, DRAMA, PRESENCE, ACTION, **BY_POST)
    world.dice.lay(2, 3)
    await world.ana.slash(world.zone, "check", **HIDES)
    text = await reacts(world, world.ana, "Play Hero")
    assert "Vesna plays Hero." in text and has_decision(text, "Ben"), text
    assert await panel_options(world, world.ben) == [
        "Cancel it with one of your Life Points",
        "Play Drama: cancel it",
        "Pass",
    ]
    await world.restart()
    text = await reacts(world, world.ben, "Play Drama: cancel it")
    assert "Vesna plays Hero: Boris cancels it with Drama." in text and "2d10 (2, 3)" in text, text
    text = await reacts(world, world.ana, "Spend a Life Point")
    assert "Vesna spends a Life Point." in text
    world.dice.lay(9, 8)
    text = await pass_all(world, world.ben)
    assert "4d10 (2, 3, 9, 8): bonus +10, total **22**" in text, text
    assert whole(await cards(world)).at(DISCARD_PILE) == (str(DRAMA), str(HERO))
    assert (await sheet(world, "Vesna")).life_points == 4


@pytest.mark.rule("MB-CARD-E09", "MB-DIE-03")
async def test_the_dice_of_a_hero_are_no_life_points(world: World) -> None:
    await begin(world, HERO, IDEA, RALLY, DRAMA, PRESENCE, ACTION, **BY_POST)
    world.dice.lay(2, 3)
    await world.ana.slash(world.zone, "check", **HIDES)
    await reacts(world, world.ana, "Play Hero")
    world.dice.lay(9, 8)
    text = await pass_all(world, world.ben)
    assert "bonus +10, total **22** (2 dice, 2 for 1 point)" in text, text
    assert (await sheet(world, "Vesna")).life_points == 5
    assert (await sheet(world, "Boris")).life_points == 5


@pytest.mark.rule("MB-CARD-E15")
async def test_a_second_chance(world: World) -> None:
    await begin(world, AGAIN, IDEA, RALLY, DRAMA, PRESENCE, ACTION, **BY_POST)
    world.dice.lay(2, 3)
    await world.ana.slash(world.zone, "check", **HIDES)
    await reacts(world, world.ana, "Spend a Life Point")
    world.dice.lay(1, 1)
    await pass_all(world, world.ben)
    text = await newest(world)
    assert text.startswith("## ✓ Success so far, solid: 9 against 8") and "decide" in text, text
    assert await panel_options(world, world.ana) == [
        "Play Second Chance: try it again",
        "Accept result",
    ]
    await world.restart()
    world.dice.lay(7, 6)
    text = await reacts(world, world.ana, "Play Second Chance")
    assert text.startswith("## ✓ Success so far, good: 14 against 8"), text
    assert "2d10 (7, 6)" in text and "spends a Life Point" not in text
    text = await pass_all(world, world.ana, world.ben, world.ana)
    assert (
        text.startswith("## ✓ Success, good: 14 against 8") and "Vesna plays Second Chance." in text
    ), text
    assert (await sheet(world, "Vesna")).life_points == 4
    assert whole(await cards(world)).at(DISCARD_PILE) == (str(AGAIN),)


@pytest.mark.rule("MB-CARD-E02", "MB-CARD-13")
async def test_whoever_was_ahead_answers_a_card(world: World) -> None:
    await begin(world, ADRENALINE, IDEA, RALLY, ADRENALINE + 1, PRESENCE, ACTION, **BY_POST)
    await world.ana.slash(world.zone, "attack", target="Boris", weapon="Knife")
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    world.dice.lay(6, 6, 7, 5)
    await world.press(world.ben, panel, labels(panel)[0])
    assert (await newest(world)).startswith("## ✗ Miss so far: 12 against 13"), await newest(world)
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    assert has_decision(await pass_all(world, world.ben), "Ana")
    await world.env.advance_time(50 * 60)
    await world.restart()
    text = await reacts(world, world.ana, "Play Adrenaline")
    assert has_decision(text, "Ana", "Ben"), text
    await world.env.advance_time(50 * 60)
    text = await reacts(world, world.ben, "Play Adrenaline")
    assert text.startswith("## ✗ Miss so far: 15 against 16"), text
    assert has_decision(text, "Ana", "Ben"), text
    # The panel from before shows other dice.
    assert "has reacted to the roll" in refusal_of(
        await world.press(world.ana, panel, "Accept result")
    )
    text = await pass_all(world, world.ben, world.ana, world.ben, world.ana)
    assert text.startswith("## ✗ Miss, 15 against 16"), text


@pytest.mark.rule("MB-CARD-E07", "MB-CARD-E02", "MB-CARD-13")
async def test_whoever_is_hit_answers_a_card_on_the_damage(world: World) -> None:
    await begin(world, EFFECT, IDEA, RALLY, ADRENALINE, PRESENCE, CLAIM, **BY_POST)
    await attack(world, world.ana, "Boris", weapon="Knife")
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    world.dice.lay(9, 9, 1, 2)
    await world.press(world.ben, panel, labels(panel)[0])
    await pass_all(world, world.ana, world.ben)
    text = await pass_all(world, world.ben)
    assert has_decision(text, "Ana") and not has_decision(text, "Ben"), text
    text = await reacts(world, world.ana, "Play Effect")
    assert has_decision(text, "Ben"), text
    text = await reacts(world, world.ben, "Play Adrenaline on Toughness")
    assert "Boris plays Adrenaline on Toughness (+3)." in text, text


@pytest.mark.rule("MB-CARD-E07", "MB-CARD-E02")
async def test_effect_and_adrenaline_on_damage(world: World) -> None:
    await begin(world, EFFECT, ADRENALINE, RALLY, DRAMA, PRESENCE, ACTION, **BY_POST)
    text = await attack(world, world.ana, "Thug", 6, 6, weapon="Knife")
    assert text.startswith(
        "## Vesna rolled 12, still open\nVesna attacks Thug: Knife, Melee Combat 11"
    ), text
    assert has_decision(text, "Ana", "Ben"), text
    text = await pass_all(world, world.ana, world.ben)
    assert text.startswith("## ✓ Hit so far\n") and has_decision(text, "Ana"), text
    assert await panel_options(world, world.ana) == [
        "Play Adrenaline on the damage value",
        "Play Effect on the damage value",
        "Pass",
    ]
    await reacts(world, world.ana, "Play Effect")
    await world.restart()
    text = await reacts(world, world.ana, "Play Adrenaline")
    assert "Vesna plays Effect on the damage value (+2)." in text, text
    assert "Vesna plays Adrenaline on the damage value (+3)." in text
    before = await cards(world)
    await world.gina.slash(world.zone, "gm undo")
    assert (await cards(world)).at(DISCARD_PILE) == (str(EFFECT),)
    await reacts(world, world.ana, "Play Adrenaline")
    assert (await cards(world)).piles == before.piles
    text = await pass_all(world, world.ana, world.ana)
    blow = (await world.check()).data.blows[0]
    plain = (await world.check()).data.sides[0].damage_value + blow.points
    assert blow.damage == success_chart.damage_for_points(plain + 5 - 9)


@pytest.mark.rule("MB-CARD-E12", "MB-CARD-E02")
async def test_opponent_fails_on_a_felling_hit(world: World) -> None:
    await begin(world, FAILS, IDEA, RALLY, DRAMA, PRESENCE, ACTION, **BY_POST)
    await attack(world, world.gina, "Vesna", weapon="Baseball bat", **{"as": "Thug"})
    panel = message_of(await world.press(world.ana, world.newest("Defend"), "Defend"))
    world.dice.lay(10, 10, 9, 9)
    await world.press(world.ana, panel, labels(panel)[-1])
    await pass_all(world, world.ana, world.ben, world.ana)
    text = await newest(world)
    assert text.startswith(
        "## Hit by 12 so far: unless changed, Vesna is unconscious (3 wounds, KO and 7 shock)"
    ), text
    assert (await sheet(world, "Vesna")).harm.wounds == 0
    await world.restart()
    text = await reacts(world, world.ana, "Play Opponent Fails: cancel the action")
    assert text.startswith("## ✓ Canceled by Opponent Fails"), text
    assert (await sheet(world, "Vesna")).harm.wounds == 0
    await world.gina.slash(world.zone, "gm undo")
    assert (await newest(world)).startswith("## Hit by 12 so far: unless changed")
    await pass_all(world, world.ana, world.ana)
    assert (await sheet(world, "Vesna")).harm.wounds > 0


@pytest.mark.rule("MB-CARD-E09", "MB-CARD-L03")
async def test_a_point_and_a_hero_take_packages_off(world: World) -> None:
    await begin(world, HERO, IDEA, RALLY, DRAMA, PRESENCE, ACTION, **BY_POST)
    await attack(world, world.gina, "Vesna", weapon="Baseball bat", **{"as": "Thug"})
    panel = message_of(await world.press(world.ana, world.newest("Defend"), "Defend"))
    world.dice.lay(10, 10, 9, 9)
    await world.press(world.ana, panel, labels(panel)[-1])
    await pass_all(world, world.ana, world.ben, world.ana, world.ana)
    await drop(world, "Play Hero: reduce the damage", "wound:3")
    text = await newest(world)
    assert text.startswith("## Hit by 12 so far"), text
    assert await panel_options(world, world.ana) == [
        "Spend a Life Point (5 left): take off up to 3 pieces of damage…",
        "Pass",
    ]
    await world.restart()
    await drop(
        world,
        "Spend a Life Point (5 left): take off up to 3 pieces of damage",
        "k:1",
        "shock:2",
    )
    text = await pass_all(world, world.ana)
    assert "Vesna is hurt (O and 1 shock)" in text, text
    vesna = await sheet(world, "Vesna")
    assert (vesna.life_points, vesna.harm.wounds, vesna.harm.shock) == (4, 0, 1)
    assert whole(await cards(world)).at(DISCARD_PILE) == (str(HERO),)


@pytest.mark.rule("MB-CARD-E05", "MB-CARD-10", "MB-CARD-E01")
async def test_double_cross_from_the_hand_in_rounds(world: World) -> None:
    await begin(world, DOUBLE_CROSS, HERO, RALLY, DRAMA, PRESENCE, ACTION, **BY_POST)
    await gather(world)
    await next_turn(world)
    assert await order(world) == ["Boris", "Vesna"]
    await next_turn(world)
    await attack(world, world.ana, "Boris", weapon="Knife")
    text = await meet(world, world.ben, "Pass", 6, 6)
    assert has_decision(text, "Ana"), text
    assert await panel_options(world, world.ana) == [
        "Spend a Life Point: 2 more dice (5 left)",
        "Play Double Cross",
        "Accept result",
    ]
    await world.restart()
    text = await reacts(world, world.ana, "Play Double Cross")
    assert "total **18**" in text and "Vesna plays Double Cross (+6)." in text, text
    deck = whole(await cards(world))
    assert deck.at(DISCARD_PILE) == (str(DOUBLE_CROSS),)
    assert names(deck, deck.at(HAND, await who(world, "Vesna"))) == ["Hero", "Rally"]


@pytest.mark.rule("MB-CARD-10", "MB-CARD-E01", "MB-CARD-13")
async def test_action_from_the_pool_for_the_rest_of_the_round(world: World) -> None:
    await begin(world, WILLPOWER, HERO, RALLY, ACTION, PRESENCE, DRAMA, **BY_POST)
    await gather(world)
    await next_turn(world)
    world.dice.lay(6, 6)
    await world.ben.slash(world.zone, "check", **HIDES)
    # In rounds nothing is played from the hand: nobody else is asked.
    assert has_decision(await newest(world), "Ben")
    await pass_all(world, world.ben)
    await world.ben.slash(world.zone, "mb card pool", card="Action")
    await next_turn(world)
    text = await attack(world, world.ana, "Boris", 6, 6, weapon="Knife")
    assert has_decision(text, "Ana", "Ben"), text
    assert "**Boris's Melee Parry:** 10" in text
    assert await panel_options(world, world.ben) == [
        "Play Action: +1 to all your totals",
        "Accept result",
    ]
    text = await reacts(world, world.ben, "Play Action: +1 to all your totals")
    assert "**Boris's Melee Parry:** 11" in text and "Boris plays Action (+1)." in text, text
    deck = whole(await cards(world))
    assert deck.at("round") == (str(ACTION),) and deck.at(DISCARD_PILE) == ()
    # Nobody knows what Vesna holds, and Double Cross might be played from the hand.
    await pass_all(world, world.ana, world.ana)
    (blow,) = (await world.check("c3")).data.blows
    assert (blow.points, blow.damage) == (1, success_chart.damage_for_points(12 + 1 - (10 + 1)))
    await world.restart()
    await pass_all(world, world.ben)
    await next_turn(world)
    deck = whole(await cards(world))
    assert deck.at(DISCARD_PILE) == (str(ACTION),)
    assert not marks_of(await world.state(), await who(world, "Boris"), "action-card")


@pytest.mark.rule("MB-CARD-E10", "MB-CARD-P04")
async def test_an_idea_asks_the_gm_who_answers_days_later(world: World) -> None:
    await begin(world, IDEA, 105, RALLY, ACTION, PRESENCE, DRAMA, **BY_POST)
    await world.ana.slash(
        world.zone, "mb card play", card="Idea", question="Where does the trail go on?"
    )
    text = await newest(world)
    assert "Vesna plays Idea" in text and "Where does the trail go on?" in text, text
    await world.env.advance_time(2 * DAY)
    await world.restart()
    form = await world.press(world.gina, world.newest("Give a hint"), "Give a hint")
    await world.gina.submit_modal(form, {"hint": "Ask the ferryman."})
    text = await newest(world)
    assert "Ask the ferryman." in text, text
    await world.gina.slash(world.zone, "gm undo")
    assert "Ask the ferryman." not in await newest(world)
    await world.ana.slash(world.zone, "mb card play", card="Opportunity")
    assert "Vesna plays Opportunity" in await newest(world)
    assert whole(await cards(world)).at(DISCARD_PILE) == ("105", str(IDEA))


@pytest.mark.parametrize("asks", [True, False])
async def test_a_question_and_a_hint_go_with_whoever_typed_them(world: World, asks: bool) -> None:
    await begin(world, IDEA, 105, RALLY, ACTION, PRESENCE, DRAMA, **BY_POST)
    await world.ana.slash(
        world.zone, "mb card play", card="Idea", question="Where does the trail go on?"
    )
    form = await world.press(world.gina, world.newest("Give a hint"), "Give a hint")
    await world.gina.submit_modal(form, {"hint": "Ask the ferryman."})
    leaves = world.ana if asks else world.gina
    await leaves.click(
        message_of(await leaves.slash(world.zone, "privacy delete")), custom_id="sg:forget:yes"
    )
    kept = str((await world.state()).checks)
    assert ("trail" in kept, "ferryman" in kept) == (not asks, asks)


@pytest.mark.rule("MB-CARD-E01")
async def test_action_out_of_rounds_counts_for_one_action(world: World) -> None:
    await begin(world, ACTION, IDEA, RALLY, DRAMA, PRESENCE, HERO, **BY_POST)
    await world.ana.slash(world.zone, "mb card play", card="Action")
    text = await attack(world, world.ana, "Thug", 6, 6, weapon="Knife")
    assert "total **13**" in text, text
    await pass_all(world, world.ana, world.ben, world.ana)
    blow = (await world.check()).data.blows[0]
    assert blow.damage == success_chart.damage_for_points(12 + 1 + blow.points - 9)
    await pass_all(world, world.ana)
    world.dice.lay(6, 6)
    await world.ana.slash(world.zone, "check", **HIDES)
    # Stealth 12 and a bonus of 1: nothing is left of it.
    assert "total **13**" in await newest(world)


@pytest.mark.rule("MB-CARD-L01")
async def test_luck_is_read_off_the_sheet(world: World) -> None:
    lucky = {"advantages": ["Luck (III)", "Luck (II)"]}
    await begin(
        world, IDEA, RALLY, CLAIM, DRAMA, PRESENCE, HERO, sheets={"Vesna": lucky}, **BY_POST
    )
    world.dice.lay(2, 3)
    await world.ana.slash(world.zone, "check", **HIDES)
    assert await panel_options(world, world.ana) == [
        "Spend a Life Point: 2 more dice (5 left)",
        "Luck as Second Chance: try it again",
        "Luck as Action: +1 to all your totals",
        "Luck as Hero: 2 more dice",
        "Accept result",
    ]
    world.dice.lay(5, 4)
    text = await reacts(world, world.ana, "Luck as Hero")
    assert "4d10 (2, 3, 5, 4)" in text, text  # nobody is asked to cancel it
    await world.restart()
    assert "Luck as Hero: 2 more dice" not in await panel_options(world, world.ana)
    text = await reacts(world, world.ana, "Luck as Action: +1 to all your totals")
    assert "Vesna uses Luck as Action (+1)." in text, text
    assert await panel_options(world, world.ana) == [
        "Spend a Life Point: 2 more dice (5 left)",
        "Accept result",
    ]
    assert "You've used that" in refusal_of(
        await world.ana.slash(world.zone, "mb card luck", effect="Alertness")
    )
    await world.gina.slash(world.zone, "gm undo")
    assert "Luck as Action: +1 to all your totals" in await panel_options(world, world.ana)


@pytest.mark.rule("MB-CARD-13", "MB-CARD-P05", "MB-CARD-E13")
async def test_a_wild_card_and_hands_that_nobody_sees(world: World) -> None:
    await begin(world, WILD, IDEA, RALLY, SUPPORTER, FAILS, HERO, **BY_POST)
    world.dice.lay(5, 5)
    await world.ana.slash(
        world.zone, "check", skill="Willpower", difficulty="Average", approach="I won't look"
    )
    # More than there is room for buttons stand in a menu.
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    offers = {each["label"]: each["value"] for each in menu(panel, "Choose")["options"]}
    assert "Play Adrenaline (your Wild card)" not in offers
    await world.choose(world.ana, panel, "Choose", offers["Play Presence (your Wild card)"])
    text = await newest(world)
    assert "Vesna plays Presence (+3)." in text, text
    for secret in ("Supporter", "Opponent Fails"):
        assert secret not in world.told(world.gina) and secret not in world.told(world.ana)
    for secret in ("Idea", "Rally"):
        assert secret not in world.told(world.ben) and secret not in world.told(world.gina)


@pytest.mark.rule("MB-CARD-P05", "MB-CARD-S00")
async def test_a_wild_card_lies_as_a_subplot(world: World) -> None:
    await begin(world, WILD, IDEA, RALLY, SUPPORTER, FAILS, HERO)
    vesna = await who(world, "Vesna")
    message_of(await world.ana.slash(world.zone, "mb card play", card="Wild", as_name="Romance"))
    assert not whole(await cards(world)).at(FACE, vesna)
    await answers(world, world.gina, "Answer", "Allow")
    deck = whole(await cards(world))
    assert deck.at(FACE, vesna) == (str(WILD),) and deck.kind(str(WILD), vesna).key == "romance"
    await world.gina.slash(world.zone, "gm undo")
    deck = whole(await cards(world))
    assert str(WILD) in deck.at(HAND, vesna) and not deck.at(FACE, vesna)


@pytest.mark.rule("MB-CARD-L03", "MB-CARD-E09")
async def test_a_hero_and_a_point_lower_a_taunt(world: World) -> None:
    await begin(world, IDEA, RALLY, CLAIM, HERO, FAILS, PRESENCE, **BY_POST)
    await gather(world)
    await next_turn(world)
    world.dice.lay(5, 5)
    await world.ben.slash(world.zone, "check", **HIDES)
    await pass_all(world, world.ben)
    await world.ben.slash(world.zone, "mb card pool", card="Hero")
    await next_turn(world)
    world.dice.lay(10, 10, 9, 8)
    await world.ana.slash(
        world.zone, "mb interact", target="Boris", skill="Taunt", approach="a jibe"
    )
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    await world.press(world.ben, panel, labels(panel)[-1])
    text = await newest(world)
    # In the pool lies Hero alone, and Boris has thrown no dice: nothing to ask him yet.
    assert has_decision(text, "Ana") and "spectacular" in text, text
    await pass_all(world, world.ana, world.ana)
    assert await panel_options(world, world.ben) == [
        "Spend a Life Point: setback → untrained",
        "Play Hero: lower the result a step",
        "Pass",
    ]
    await world.restart()
    await reacts(world, world.ben, "Play Hero")
    await reacts(world, world.ben, "Spend a Life Point: untrained")
    text = await newest(world)
    assert "Boris is stymied" in text, text
    assert (await sheet(world, "Boris")).life_points == 4
    assert whole(await cards(world)).at(DISCARD_PILE) == (str(HERO),)
