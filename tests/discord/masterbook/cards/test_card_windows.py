"""Cards before dice fall, and after moves, healing, falls and tasks: windows besides those of
checks and attacks.
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.masterbook.deck.deck_state import DISCARD_PILE, HAND
from rules.systems.masterbook.rounds.task_state import task_at
from tests.discord.masterbook.cards.deck import begin, cards, who, whole
from tests.discord.masterbook.cards.test_play import (
    ACTION,
    ADRENALINE,
    AGAIN,
    BREAKTHROUGH,
    BY_POST,
    CLAIM,
    DAY,
    EFFECT,
    FAILS,
    HERO,
    IDEA,
    PRESENCE,
    RALLY,
    SUPPORTER,
    panel_options,
    pass_all,
    reacts,
)
from tests.discord.masterbook.table import FIGHTER, bring, newest, open_table, sheet
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, has_decision, labels, message_of, private, refusal_of, texts

FORGES = {"skill": "Forgery", "difficulty": "Average", "approach": "a pass for the gate"}
#: Somebody else's three cards, none of which goes on what is walked here.
OTHERS = (CLAIM, IDEA, RALLY)


async def opens(world: World, person: Any, option: str, button: str) -> str:
    """What somebody does in the panel behind a button; what the card says then."""
    panel = message_of(await world.press(person, world.newest(button), button))
    wanted = [each for each in labels(panel) if option in each]
    assert wanted, labels(panel)
    await world.press(person, panel, wanted[0])
    return await newest(world)


# --- before the dice ------------------------------------------------------------------------------


@pytest.mark.rule("MB-CARD-E03", "MB-CARD-13")
async def test_breakthrough_opens_what_takes_training(world: World) -> None:
    # Live, where dice stand at once: only what cannot go on without a card waits for one.
    await begin(world, BREAKTHROUGH, IDEA, RALLY, HERO, PRESENCE, ACTION)
    assert await forging(world) == ["Forgery 8, takes training or a card"]
    await world.ana.slash(world.zone, "check", **FORGES)
    text = await newest(world)
    assert "This takes training. Vesna needs a card for it." in text, text
    await world.restart()
    panel = message_of(await world.press(world.ana, world.newest("Use a card"), "Use a card"))
    assert labels(panel) == ["Play Breakthrough", "Withdraw"]
    world.dice.lay(10, 4, 3)
    await world.press(world.ana, panel, "Play Breakthrough")
    text = await newest(world)
    assert world.dice.left == 0, text
    # Intellect 8, a bonus of 6 for 17, and 3 by the card.
    assert "total **17**" in text and "Vesna plays Breakthrough (+3)." in text, text
    assert whole(await cards(world)).at(DISCARD_PILE) == (str(BREAKTHROUGH),)
    await world.gina.slash(world.zone, "gm undo")
    assert "needs a card for it" in await newest(world)
    assert str(BREAKTHROUGH) in (await cards(world)).at(HAND, await who(world, "Vesna"))
    # What Ben holds nobody knows: he may try, and has to withdraw.
    await world.ben.slash(world.zone, "check", **FORGES)
    panel = message_of(await world.press(world.ben, world.newest("Use a card"), "Use a card"))
    assert labels(panel) == ["Withdraw"]
    await world.press(world.ben, panel, "Withdraw")
    assert "needs a card" not in await newest(world)


@pytest.mark.rule("MB-CARD-E03", "MB-CARD-10")
async def test_training_without_any_card_is_refused_at_once(world: World) -> None:
    await open_table(world)
    assert "takes training" in refusal_of(await world.ana.slash(world.zone, "check", **FORGES))
    assert not await forging(world)
    await begin_rounds(world)
    # In rounds everybody sees that no Breakthrough lies in a pool.
    assert "takes training" in refusal_of(await world.ana.slash(world.zone, "check", **FORGES))
    assert not await forging(world)


async def forging(world: World) -> list[str]:
    """How Forgery is suggested to Vesna."""
    found = await world.ana.autocomplete(world.zone, "check", "skill", "forge")
    return [each["name"] for each in found if "Forgery" in each["name"]]


async def begin_rounds(world: World) -> None:
    """The table plays with cards from now on, and rounds have begun."""
    await world.gina.slash(world.zone, "gm settings", setting="cards_mode", value="full")
    await world.gina.slash(world.zone, "mb adventure start")
    await gather(world)
    await next_turn(world)


@pytest.mark.rule("MB-CARD-E03", "MB-CARD-L01", "MB-BG-27")
async def test_luck_opens_it_without_any_deck(world: World) -> None:
    lucky = {"advantages": ["Luck (II)"]}
    await open_table(world, sheets={"Vesna": lucky})
    await world.ana.slash(world.zone, "check", **FORGES)
    world.dice.lay(5, 5)
    text = await opens(world, world.ana, "Luck as Breakthrough", "Use a card")
    assert world.dice.left == 0 and "Vesna uses Luck as Breakthrough (+3)." in text, text
    # It is used up: the next one is refused, until another adventure begins.
    assert "takes training" in refusal_of(await world.ana.slash(world.zone, "check", **FORGES))
    await world.gina.slash(world.zone, "mb adventure start", name="The Dam")
    await world.ana.slash(world.zone, "check", **FORGES)
    assert "needs a card for it" in await newest(world)


@pytest.mark.rule("MB-CARD-E03")
async def test_a_weapon_that_takes_training_costs_nothing_before(world: World) -> None:
    gun = {"name": "HK21 machinegun (7.62)", "rounds": 20, "magazine": 20}
    await begin(world, BREAKTHROUGH, IDEA, RALLY, HERO, PRESENCE, ACTION)
    await bring(world, world.gina, "Vesna", FIGHTER | {"arms": [gun]}, replace=True)
    fires = {"target": "Thug", "weapon": gun["name"], "approach": "a burst", "with": "range: 8"}
    await world.ana.slash(world.zone, "attack", **fires)
    assert "This takes training. Vesna needs a card for it." in await newest(world)
    await opens(world, world.ana, "Withdraw", "Use a card")
    assert (await sheet(world, "Vesna")).arms[0].rounds == 20
    await world.ana.slash(world.zone, "attack", **fires)
    world.dice.lay(10, 10, 5, 5)
    text = await opens(world, world.ana, "Play Breakthrough", "Use a card")
    assert world.dice.left == 0 and "Vesna plays Breakthrough (+3)." in text, text
    assert (await sheet(world, "Vesna")).arms[0].rounds not in (None, 20)


@pytest.mark.rule("MB-CARD-13", "MB-CARD-E17", "MB-CARD-E02", "MB-CARD-E01")
async def test_cards_before_the_dice_fall(world: World) -> None:
    # Whose turn it is to roll is waited for, and nobody else because of cards.
    await begin(
        world, ADRENALINE, ACTION, RALLY, SUPPORTER, PRESENCE, IDEA, live=False, gm_channel=True
    )
    await world.ana.slash(world.zone, "check", skill="Stealth", approach="behind the crates")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Difficulty", "Average")
    await world.press(world.gina, panel, "Call for a roll")
    assert (await newest(world)).startswith("## Vesna, roll 2d10 against a hidden difficulty")
    assert await panel_options(world, world.ben) == ["Play Supporter for Vesna"]
    text = await reacts(world, world.ben, "Play Supporter for Vesna")
    assert "Boris plays Supporter for Vesna (+3)." in text, text
    await world.env.advance_time(DAY)
    await world.restart()
    text = await reacts(world, world.ana, "Play Action: +1 to all your totals")
    assert "Stealth 12 and Action (+1)" in text, text
    before = private(await world.gina.slash(world.zone, "odds", check="c1"))
    await reacts(world, world.ana, "Play Adrenaline")
    assert private(await world.gina.slash(world.zone, "odds", check="c1")) != before
    await world.gina.slash(world.zone, "gm undo")
    await reacts(world, world.ana, "Play Adrenaline")
    world.dice.lay(5, 6)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    text = await newest(world)
    # Stealth 12 and a bonus of 1, Supporter, Adrenaline, and Action once.
    assert "total **20**" in text and "Vesna plays Adrenaline (+3)." in text, text
    assert whole(await cards(world)).at(DISCARD_PILE) == (
        str(ADRENALINE),
        str(ACTION),
        str(SUPPORTER),
    )


# --- after other rolls than checks ----------------------------------------------------------------


@pytest.mark.rule("MB-CARD-E07", "MB-CARD-E15", "MB-CARD-13")
async def test_effect_and_second_chance_on_a_push(world: World) -> None:
    await begin(world, EFFECT, AGAIN, ACTION, *OTHERS, **BY_POST)
    await world.ana.slash(world.zone, "mb card play", card="Action")
    world.dice.lay(5, 6)
    await world.ana.slash(world.zone, "mb move", how="running", push=True, difficulty="5")
    assert "total **11**" in await newest(world)
    assert "Play Second Chance: try it again" in await panel_options(world, world.ana)
    await world.restart()
    world.dice.lay(9, 9)
    text = await reacts(world, world.ana, "Play Second Chance")
    # Agility 9, a bonus of 7, and Action, which waited for it, once.
    assert "2d10 (9, 9): bonus +7, total **17**" in text, text
    await pass_all(world, world.ana, world.ben)
    assert await panel_options(world, world.ana) == ["Play Effect on the result", "Pass"]
    before = (await sheet(world, "Vesna")).harm.shock
    # With no card left in her hand nobody waits for her.
    text = await reacts(world, world.ana, "Play Effect")
    assert "Runs " in text and "Vesna plays Effect on the result (+2)." in text, text
    assert (await sheet(world, "Vesna")).harm.shock > before == 0
    assert whole(await cards(world)).at(DISCARD_PILE) == (str(EFFECT), str(AGAIN), str(ACTION))


@pytest.mark.rule("MB-CARD-E15", "MB-CARD-E12", "MB-CARD-E17")
async def test_second_chance_at_a_patient_who_undoes_nothing(world: World) -> None:
    await begin(world, FAILS, IDEA, RALLY, AGAIN, PRESENCE, SUPPORTER, **BY_POST)
    await bring(world, world.gina, "Vesna", FIGHTER | {"harm": "wounds 1, shock 3"}, replace=True)
    world.dice.lay(1, 2)
    await world.ben.slash(world.zone, "heal", method="wounds", target="Vesna")
    text = await pass_all(world, world.ana)
    # Days later nothing has come of it yet; the patient has no say in it.
    await world.env.advance_time(1800)
    assert text.startswith("## ✗ Failure so far") and has_decision(text, "Ben"), text
    assert (await sheet(world, "Vesna")).harm.tries == ()
    world.dice.lay(10, 9, 9)
    await reacts(world, world.ben, "Play Second Chance")
    # How well it was done says nothing here: nobody else's card could make more of it.
    text = await pass_all(world, world.ben)
    assert "Vesna is patched up" in text, text
    assert (await sheet(world, "Vesna")).harm.aided
    await world.gina.slash(world.zone, "gm undo")
    assert not (await sheet(world, "Vesna")).harm.aided


@pytest.mark.rule("MB-CARD-E02", "MB-CARD-E15", "MB-CARD-E01")
async def test_a_fall_on_which_cards_are_played(world: World) -> None:
    await begin(world, ADRENALINE, AGAIN, PRESENCE, *OTHERS, **BY_POST)
    world.dice.lay(5, 5, 1, 2)
    await world.ana.slash(world.zone, "mb fall", meters=20, weight=80, acrobatics=True)
    world.dice.lay(9, 8)
    text = await reacts(world, world.ana, "Play Second Chance")
    assert "2d10 (9, 8)" in text, text
    await world.restart()
    await pass_all(world, world.ana, world.ben)
    hard = (await newest(world)).split("damage points")[0].split("\n")[-1]
    assert await panel_options(world, world.ana) == ["Play Adrenaline on Toughness", "Pass"]
    text = await reacts(world, world.ana, "Play Adrenaline on Toughness")
    assert "Vesna plays Adrenaline on Toughness (+3)." in text and hard not in text, text
    assert (await sheet(world, "Vesna")).harm.wounds == 0
    deck = whole(await cards(world))
    assert deck.at(DISCARD_PILE) == (str(ADRENALINE), str(AGAIN))


@pytest.mark.rule("MB-CARD-E12", "MB-CARD-18")
async def test_opponent_fails_in_a_contest(world: World) -> None:
    await begin(world, HERO, IDEA, RALLY, FAILS, PRESENCE, CLAIM, **BY_POST)
    await world.ana.slash(world.zone, "contest", target="Boris", skill="Taunt", approach="his hat")
    panel = message_of(await world.press(world.ben, world.newest("Respond"), "Respond"))
    await world.choose(world.ben, panel, "Skill", "Willpower")
    await world.choose(world.ben, panel, "Defense", "passive")
    world.dice.lay(9, 9)
    await world.press(world.ben, panel, "Respond")
    # Too early: nobody knows what comes of it.
    assert "Play Opponent Fails: cancel the action" not in await panel_options(world, world.ben)
    await pass_all(world, world.ana, world.ben)
    await world.restart()
    text = await reacts(world, world.ben, "Play Opponent Fails: cancel the action")
    assert text.startswith("## ✗ Canceled by Opponent Fails"), text
    assert whole(await cards(world)).at(DISCARD_PILE) == (str(FAILS),)
    await world.gina.slash(world.zone, "gm undo")
    assert (await newest(world)).startswith("## ✓ Success so far")


@pytest.mark.rule("MB-CARD-E07", "MB-CARD-13")
async def test_effect_is_thrown_before_anybody_reads_a_hidden_result(world: World) -> None:
    await begin(world, EFFECT, AGAIN, PRESENCE, *OTHERS, reveal="degree", **BY_POST)
    hides = {"skill": "Stealth", "approach": "behind the crates"}
    await world.ana.slash(world.zone, "check", **hides)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Difficulty", "Average")
    await world.press(world.gina, panel, "Call for a roll")
    world.dice.lay(5, 6)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert "Success" not in await newest(world)
    text = await pass_all(world, world.ana, world.ben)
    assert text.startswith("## ✓ Success so far") and "good" not in text and "solid" not in text, (
        text
    )
    assert await panel_options(world, world.ana) == ["Play Effect on the result", "Pass"]
    await world.restart()
    text = await reacts(world, world.ana, "Play Effect")
    text = await pass_all(world, world.ana)
    assert text.startswith("## ✓ Success so far, good"), text
    assert await panel_options(world, world.ana) == ["Play Second Chance: try it again", "Pass"]


@pytest.mark.rule("MB-CARD-E15", "MB-CARD-C07", "MB-CARD-C02", "MB-CARD-E02")
async def test_cards_on_the_steps_of_a_task(world: World) -> None:
    # Boris pools in the first round and tries in the second. Both cards show step A.
    first = (AGAIN, ADRENALINE, PRESENCE)
    await begin(world, *OTHERS, *first, 14, ACTION, **BY_POST)
    await gather(world)
    await next_turn(world)
    await world.gina.slash(
        world.zone, "mb task start", name="The winch", step_a="Stealth 16", step_b="Strength 16"
    )
    world.dice.lay(1, 2)
    await world.ben.slash(world.zone, "mb task try")
    await pass_all(world, world.ben)
    await world.ben.slash(world.zone, "mb card pool", card="Second Chance")
    for _ in range(3):
        await next_turn(world)
    world.dice.lay(1, 2)
    await world.ben.slash(world.zone, "mb task try")
    assert world.dice.left == 0
    text = await pass_all(world, world.ben)
    assert await panel_options(world, world.ben) == ["Play Second Chance: try it again", "Pass"], (
        text
    )
    world.dice.lay(9, 9)
    await reacts(world, world.ben, "Play Second Chance")
    await pass_all(world, world.ben)
    now = task_at(await world.state(), str(world.zone.id))
    assert now is not None and now.task.level == 1
    assert whole(await cards(world)).at(DISCARD_PILE) == (str(AGAIN),)


@pytest.mark.rule("MB-CARD-C07", "MB-CARD-E03", "MB-CARD-E15", "MB-CARD-E02")
async def test_a_last_ditch_effort_with_cards(world: World) -> None:
    # For the critical moment the whole hand may be played.
    await begin(world, BREAKTHROUGH, ADRENALINE, AGAIN, *OTHERS, 14, **BY_POST)
    await gather(world)
    await next_turn(world)
    await next_turn(world)
    await world.gina.slash(
        world.zone, "mb task start", name="The pass", step_a="Forgery 8", step_b="Strength 8"
    )
    assert "takes training" in refusal_of(await world.ana.slash(world.zone, "mb task ditch"))
    asked = message_of(await world.ana.slash(world.zone, "mb card moment"))
    await world.press(world.ana, asked, "Play for it")
    await world.ana.slash(world.zone, "mb task ditch")
    text = await newest(world)
    assert "This takes training. Vesna needs a card for it." in text, text
    world.dice.lay(5, 5, 1, 2)
    await opens(world, world.ana, "Play Breakthrough", "Use a card")
    assert world.dice.left == 0
    text = await reacts(world, world.ana, "Play Adrenaline")
    assert "Vesna plays Adrenaline (+3)." in text, text
    await pass_all(world, world.ana)
    await world.restart()
    world.dice.lay(9, 9, 9, 9)
    text = await reacts(world, world.ana, "Play Second Chance")
    assert world.dice.left == 0, text
    await pass_all(world, world.ana)
    now = task_at(await world.state(), str(world.zone.id))
    assert now is not None and now.task.status == "succeeded"
    assert whole(await cards(world)).at(DISCARD_PILE) == (
        str(AGAIN),
        str(ADRENALINE),
        str(BREAKTHROUGH),
    )


# --- what was arranged beforehand -----------------------------------------------------------------


async def _ordered(world: World, typed: str) -> dict[str, str]:
    """What may be ordered that is called something like it: by what it says."""
    found = await world.ana.autocomplete(world.zone, "orders give", "order", typed)
    return {each["name"]: each["value"] for each in found}


async def _struck(world: World) -> None:
    """The thug hits Vesna hard, who does not defend; both have seen the dice, and Vesna what they
    do.
    """
    await world.gina.slash(
        world.zone, "attack", target="Vesna", weapon="Baseball bat", **{"as": "Thug"}
    )
    panel = message_of(await world.press(world.ana, world.newest("Defend"), "Defend"))
    world.dice.lay(10, 10, 9, 9)
    await world.press(world.ana, panel, labels(panel)[-1])
    await pass_all(world, world.ana, world.ben, world.ana)


@pytest.mark.rule("MB-CARD-E12", "MB-CARD-11", "MB-CARD-14", "MB-CARD-06")
async def test_standing_orders_for_cards(world: World) -> None:
    await begin(world, FAILS, IDEA, PRESENCE, CLAIM, ACTION, HERO, **BY_POST)
    fails = await _ordered(world, "opponent fails")
    assert "Attack: Play Opponent Fails" in fails
    told = "Attack: Ask me before Opponent Fails"
    assert await _ordered(world, "never trade") == {"Trade: never trade": "trade/trade/pass"}
    assert list((await _ordered(world, "keep all")).values()) == ["replenish/replenish/keep"]
    # Only when told: nobody waits for it.
    assert told in private(await world.ana.slash(world.zone, "orders give", order=told))
    await _struck(world)
    assert "Opponent Fails" not in "".join(await panel_options(world, world.ana))
    assert any("take off up to 3 pieces" in each for each in await panel_options(world, world.ana))
    await pass_all(world, world.ana)
    assert (await sheet(world, "Vesna")).harm.wounds > 0
    await bring(world, world.gina, "Vesna", FIGHTER, replace=True)
    # The same prompt has one order: now it is played by itself.
    await world.ana.slash(world.zone, "orders give", order=fails["Attack: Play Opponent Fails"])
    await world.restart()
    await _struck(world)
    assert (await newest(world)).startswith("## ✓ Canceled by Opponent Fails")
    assert (await sheet(world, "Vesna")).harm.wounds == 0
    assert whole(await cards(world)).at(DISCARD_PILE) == (str(FAILS),)
    # Without the card she is asked, as long as she holds any; a trade is declined, and a hand is
    # filled up.
    await world.ana.slash(world.zone, "orders give", order="trade/trade/decline")
    await world.ana.slash(world.zone, "orders give", order="replenish/replenish/keep")
    await world.ben.slash(world.zone, "mb card trade", cards="Claim", to="Vesna")
    assert not [
        each
        for each in (await world.state()).checks.values()
        if each.kind == "trade" and each.is_open
    ]
    await world.gina.slash(world.zone, "mb adventure scene", what="start")
    await world.gina.slash(world.zone, "mb adventure scene", what="end")
    deck = whole(await cards(world))
    assert len(deck.at(HAND, await who(world, "Vesna"))) == 3
    assert [each.due for each in deck.deal.seats] == ["", "draw"]


@pytest.mark.rule("MB-CARD-13", "MB-CARD-E02")
async def test_cards_on_a_blind_roll_are_played_before_it(world: World) -> None:
    await begin(
        world, ADRENALINE, IDEA, PRESENCE, SUPPORTER, CLAIM, RALLY, live=False, gm_channel=True
    )
    hides = {"skill": "Stealth", "approach": "behind the crates", "visibility": "blind"}
    await world.ana.slash(world.zone, "check", **hides)
    card = next(
        each for each in reversed(world.messages(world.gm_room)) if "Answer" in labels(each)
    )
    panel = message_of(await world.press(world.gina, card, "Answer"))
    await world.choose(world.gina, panel, "Difficulty", "Average")
    await world.press(world.gina, panel, "Call for a roll")
    shown = message_of(await world.press(world.ana, world.newest("Show"), "Show"))
    panel = message_of(await world.press(world.ana, shown, "React"))
    assert "Play Adrenaline" in labels(panel) and "Supporter" not in texts(panel)
    panel = message_of(await world.press(world.ana, panel, "Play Adrenaline"))
    world.dice.lay(5, 6)
    await world.press(world.ana, panel, "Roll")
    check = next(each for each in (await world.state()).checks.values() if each.kind == "check")
    # Nobody is asked about dice that nobody sees.
    assert check.data.throws[0].total == 12 + 1 + 3 and not check.is_open
    assert whole(await cards(world)).at(DISCARD_PILE) == (str(ADRENALINE),)
