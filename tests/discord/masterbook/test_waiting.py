"""Who is waited for at a table of MasterBook that waits only for those who decide."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.masterbook.cards.deck import begin
from tests.discord.masterbook.cards.test_play import pass_all
from tests.discord.masterbook.cards.test_round_hands import taunts
from tests.discord.masterbook.table import attack, newest, open_table, sheet
from tests.discord.masterbook.test_attack import shot_options
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, has_decision, labels, message_of, private, public, texts

#: A table by post: answers in a day, stepping in for a day.
BY_POST: dict[str, Any] = {"live": False, "step_in_minutes": 24 * 60}
HOUR, DAY = 60 * 60, 24 * 60 * 60
HERO, IDEA, RALLY, CLAIM, ACTION, PRESENCE, SEIZE, EFFECT = 39, 44, 61, 16, 5, 56, 70, 30
SUPPORTER = 74
HANDS = (HERO, IDEA, RALLY, ACTION, CLAIM, PRESENCE)


@pytest.fixture
def patience() -> bool:
    return False


async def _answers(world: World, difficulty: str = "Difficult") -> None:
    """The GM answers the newest proposal."""
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Difficulty", difficulty)
    await world.press(world.gina, panel, "Call for a roll")


def _calls(world: World, who: Any) -> int:
    """How many messages have called somebody."""
    sent = [each.json or {} for each in world.requests("POST", "/channels")]
    return sum(f"<@{who.id}>" in (each.get("content") or "") for each in sent)


async def _rolled(world: World, *faces: int) -> str:
    """Ana has Vesna sneak against a hidden difficulty by post; what the card says."""
    await world.ana.slash(world.zone, "check", skill="Stealth", approach="past the guard")
    await _answers(world)
    world.dice.lay(*faces)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert world.dice.left == 0
    return await newest(world)


@pytest.mark.rule("MB-CARD-13", "MB-DIE-03")
async def test_nobody_else_holds_a_check_though_all_have_cards(world: World) -> None:
    await begin(world, *HANDS, **BY_POST)
    text = await _rolled(world, 1, 2)
    assert text.startswith("## Vesna rolled 4, still open") and has_decision(text, "Ana"), text
    assert "Boris" not in text and _calls(world, world.ben) == 0
    await world.restart()
    # Proposed, answered, rolled and accepted: three visits, six acts.
    await world.press(world.ana, world.newest("Accept result"), "Accept result")
    assert (await newest(world)).startswith("## ✗ Failure, 4 against a hidden difficulty")
    # She was called to roll, and not to what her own press has shown her.
    assert _calls(world, world.ana) == 1


@pytest.mark.rule("MB-DIE-03")
async def test_a_roller_keeps_a_result_by_silence_after_an_hour(world: World) -> None:
    await begin(world, *HANDS, **BY_POST)
    await _rolled(world, 1, 2)
    await world.env.advance_time(HOUR - 60)
    assert "still open" in await newest(world)
    await world.env.advance_time(120)
    assert (await newest(world)).startswith("## ✗ Failure, 4 against a hidden difficulty")
    assert (await sheet(world, "Vesna")).life_points == 5


@pytest.mark.rule("MB-DIE-03", "MB-DIE-06")
async def test_a_point_that_goes_against_nobody_waits_for_nobody(world: World) -> None:
    await begin(world, *HANDS, **BY_POST)
    await _rolled(world, 1, 2)
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    world.dice.lay(9, 8)
    await world.press(world.ana, panel, "Spend a Life Point: 2 more dice (5 left)")
    text = await newest(world)
    assert text.startswith("## ✓ Success, 21 against a hidden difficulty"), text
    assert _calls(world, world.ben) == 0
    await world.gina.slash(world.zone, "gm undo")
    assert "still open" in await newest(world) and (await sheet(world, "Vesna")).life_points == 5


async def _points_against(world: World, **settings: Any) -> None:
    """Ana's Vesna loses a contest against Boris by Ben's hand, and spends a Life Point."""
    await open_table(world, live=False, step_in_minutes=24 * 60, **settings)
    await _loses_to_boris(world)
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(world.ana, panel, "Spend a Life Point: 2 more dice (5 left)")


async def _loses_to_boris(world: World) -> None:
    """Vesna fails so far in a contest with open numbers, and Ana is waited for."""
    await world.ana.slash(world.zone, "contest", target="Boris", skill="Taunt", approach="his hat")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Call for a roll")
    panel = message_of(await world.press(world.ben, world.newest("Respond"), "Respond"))
    await world.choose(world.ben, panel, "Skill", "Willpower")
    await world.choose(world.ben, panel, "Defense", "passive")
    world.dice.lay(1, 2)
    await world.press(world.ben, panel, "Respond")
    assert world.dice.left == 0
    text = await newest(world)
    assert text.startswith("## ✗ Failure so far: 1 against 9"), text
    assert has_decision(text, "Ana") and not has_decision(text, "Ben"), text


@pytest.mark.rule("MB-DIE-06")
async def test_the_other_side_is_waited_for_before_the_dice_of_a_point_fall(world: World) -> None:
    await _points_against(world)
    text = await newest(world)
    assert has_decision(text, "Ben") and _calls(world, world.ben) == 2, text
    await world.restart()
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    world.dice.lay(9, 9)
    await world.press(world.ben, panel, "Pass")
    assert world.dice.left == 0
    assert (await newest(world)).startswith("## ✓ Success")


@pytest.mark.rule("MB-DIE-06")
async def test_a_side_without_points_is_not_waited_for(world: World) -> None:
    await open_table(world, **BY_POST, sheets={"Boris": {"life_points": 0}})
    await _loses_to_boris(world)
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    world.dice.lay(9, 9)
    await world.press(world.ana, panel, "Spend a Life Point: 2 more dice (5 left)")
    assert world.dice.left == 0 and (await newest(world)).startswith("## ✓ Success")


@pytest.mark.parametrize("ask", [False, True])
@pytest.mark.rule("MB-DIE-06")
async def test_gms_are_waited_for_about_a_point_only_if_they_asked(world: World, ask: bool) -> None:
    await begin(world, *HANDS, **BY_POST)
    await world.gina.slash(world.zone, "orders npc", npc="Thug", ask=ask)
    await _rolled(world, 1, 2)
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    world.dice.lay(*(() if ask else (9, 8)))
    await world.press(world.ana, panel, "Spend a Life Point: 2 more dice (5 left)")
    if ask:
        assert (await newest(world)).startswith("## Waiting for the GM\n")
        panel = message_of(await world.press(world.gina, world.newest("React"), "React"))
        assert "Cancel it with one of your Life Points" in texts(panel), texts(panel)
        await world.press(world.gina, panel, "Cancel it with one of your Life Points")
        assert (await sheet(world, "Thug")).life_points == 0
        assert (await newest(world)).startswith("## ✗ Failure, 4 against a hidden difficulty")
    else:
        assert (await newest(world)).startswith("## ✓ Success, 21 against a hidden difficulty")
    assert world.dice.left == 0


# --- attacks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("hits", [True, False])
@pytest.mark.rule("MB-CARD-13", "MB-CMB-01", "MB-DIE-03")
async def test_an_attack_by_the_gms_hand_waits_for_its_attacker_alone(
    world: World, hits: bool
) -> None:
    """How hard an NPC is to hit nobody knows, so the attacker decides before the verdict."""
    await begin(world, *HANDS, **BY_POST)
    await world.ana.slash(world.zone, "attack", target="Thug", **shot_options())
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    world.dice.lay(*((5, 6) if hits else (1, 2)))
    await world.press(world.gina, panel, "Call for a roll")
    print(texts(world.last()), labels(world.last()))
    assert world.dice.left == 0
    text = await newest(world)
    assert "still open" in text and has_decision(text, "Ana") and "Boris" not in text, text
    assert _calls(world, world.ana) == 1, "whose dice fell by another's hand is called"
    await world.env.advance_time(DAY - HOUR)
    assert "still open" in await newest(world)
    await world.press(world.ana, world.newest("Accept result"), "Accept result")
    text = await newest(world)
    assert text.startswith("## ✓ Hit: Thug is badly hurt" if hits else "## ✗ Miss"), text


@pytest.mark.rule("MB-CARD-13", "MB-CMB-01")
async def test_an_attack_at_once_is_one_visit(world: World) -> None:
    await begin(world, *HANDS, **BY_POST, attacks_at_once=True)
    text = await attack(world, world.ana, "Thug", 5, 4, **shot_options())
    assert "still open" in text and has_decision(text, "Ana"), text
    assert _calls(world, world.ana) == 0, "her own press has shown it to her"
    await world.press(world.ana, world.newest("Accept result"), "Accept result")
    text = await newest(world)
    assert text.startswith("## ✓ Hit") and "Final" in text, text


@pytest.mark.rule("MB-DIE-03", "MB-CARD-13")
async def test_nobody_adds_dice_after_the_verdict_on_how_hard_an_npc_is_to_hit(
    world: World,
) -> None:
    """The number is hidden though nobody has said so: it is the NPC's."""
    await open_table(world, **BY_POST, attacks_at_once=True)
    text = await attack(world, world.ana, "Thug", 1, 2, **shot_options())
    assert "still open" in text and has_decision(text, "Ana"), text
    await world.press(world.ana, world.newest("Accept result"), "Accept result")
    assert (await newest(world)).startswith("## ✗ Miss")
    told = await world.press(world.ana, world.newest("Step in"), "Step in")
    assert "Life Point" not in texts(message_of(told)), texts(message_of(told))
    # What Boris set against her stands on the card.
    await _loses_to_boris(world)
    await world.press(world.ana, world.newest("Accept result"), "Accept result")
    told = await world.press(world.ana, world.newest("Step in"), "Step in")
    assert "Spend a Life Point: 2 more dice" in " ".join(labels(message_of(told)))


@pytest.mark.rule("MB-CMB-01", "MB-DIE-03")
async def test_an_attacker_without_means_sees_the_result_at_once(world: World) -> None:
    await open_table(world, live=True, step_in_minutes=10, life_points=0)
    text = await attack(world, world.ana, "Thug", 5, 4, **shot_options())
    assert text.startswith("## ✓ Hit") and "Final" in text, text


async def _hit(world: World, active: bool = True) -> Any:
    """The Thug hits Vesna; the private panel after Ana has said how she meets it."""
    await world.gina.slash(
        world.zone, "attack", target="Vesna", weapon="Baseball bat", **{"as": "Thug"}
    )
    panel = message_of(await world.press(world.ana, world.newest("Defend"), "Defend"))
    world.dice.lay(*((9, 9, 1, 1) if active else (9, 9)))
    label = next(each for each in labels(panel) if each.startswith("Active" if active else "Pass"))
    await world.press(world.ana, panel, label)
    assert world.dice.left == 0
    return panel


@pytest.mark.rule("MB-LP-03", "MB-DIE-03")
async def test_whoever_is_hit_decides_about_all_of_it_in_one_panel(world: World) -> None:
    await open_table(world, **BY_POST)
    panel = await _hit(world)
    head = (await newest(world)).splitlines()[0]
    assert head == "## Hit by 3 so far: unless changed, Vesna is hurt (knockdown, K and 3 shock)", (
        head
    )
    lower = "Spend a Life Point (5 left): take off up to 3 pieces of damage"
    dice = "Spend a Life Point: 2 more dice (5 left)"
    assert {f"{lower}…", dice} <= {*labels(panel)}, labels(panel)
    assert _calls(world, world.ana) == 1, "she was called to defend, and is there"
    # The sixth act: attack, Defend, how, what, how much, done.
    await world.press(world.ana, panel, f"{lower}…")
    await world.choose(world.ana, panel, "What to take off", "packages: knockdown:1")
    await world.press(world.ana, panel, lower)
    vesna = await sheet(world, "Vesna")
    assert (vesna.life_points, vesna.harm.down, vesna.harm.shock) == (4, 0, 3)


@pytest.mark.rule("MB-DIE-03", "MB-CMB-03", "MB-LP-03")
async def test_whoever_is_hit_may_step_back_to_the_dice_of_the_defense(world: World) -> None:
    await begin(world, *HANDS, **BY_POST)
    panel = await _hit(world)
    await world.restart()
    world.dice.lay(9, 8)
    await world.press(world.ana, panel, "Spend a Life Point: 2 more dice (5 left)")
    assert world.dice.left == 0
    text = await newest(world)
    assert text.startswith("## ✗ Miss") and "Final" in text, text
    vesna = await sheet(world, "Vesna")
    assert (vesna.life_points, vesna.harm.wounds, vesna.harm.shock) == (4, 0, 0)
    await world.gina.slash(world.zone, "gm undo")
    assert (await newest(world)).startswith("## Hit by 3 so far")
    assert (await sheet(world, "Vesna")).life_points == 5


@pytest.mark.rule("MB-LP-03", "MB-SUR-01")
async def test_whoever_is_hit_by_anothers_hand_is_called(world: World) -> None:
    await open_table(world, **BY_POST)
    world.dice.lay(1, 1)
    await world.gina.slash(world.zone, "mb surprise", target="Vesna", total=30)
    text = await attack(
        world, world.gina, "Vesna", 9, 9, weapon="Baseball bat", approach="so", **{"as": "Thug"}
    )
    assert "so far" in text and has_decision(text, "Ana"), text
    assert _calls(world, world.ana) == 1


@pytest.mark.rule("MB-LP-03")
async def test_whoever_has_nothing_to_lower_it_with_takes_it_at_once(world: World) -> None:
    await open_table(world, live=False, step_in_minutes=24 * 60, life_points=0)
    await _hit(world, active=False)
    text = await newest(world)
    assert "still open" not in text and "Vesna: Wounds 0" in text, text


@pytest.mark.rule("MB-LP-03")
async def test_silence_takes_the_damage_after_the_full_time(world: World) -> None:
    await open_table(world, **BY_POST)
    await _hit(world, active=False)
    await world.env.advance_time(DAY - HOUR)
    assert "so far" in await newest(world)
    await world.env.advance_time(2 * HOUR)
    vesna = await sheet(world, "Vesna")
    assert vesna.harm.wounds and vesna.life_points == 5


# --- interactions ---------------------------------------------------------------------------------


@pytest.mark.rule("MB-INT-11", "MB-LP-04")
async def test_a_taunt_on_an_npc_is_done_at_once(world: World) -> None:
    await begin(world, *HANDS, 14, live=True, step_in_minutes=10)
    await gather(world, "Thug")
    await next_turn(world)
    text = await taunts(world, world.ben, "Thug", 9, 9, accepts=False)
    assert "still open" in text and has_decision(text, "Ben") and "Vesna" not in text, text
    await world.press(world.ben, world.newest("Accept result"), "Accept result")
    text = await newest(world)
    assert "Final" in text and "still open" not in text, text


# --- the round's card -----------------------------------------------------------------------------


@pytest.mark.rule("MB-CARD-E16")
async def test_whoever_has_the_card_in_the_open_pool_is_called_about_the_rounds_card(
    world: World,
) -> None:
    await begin(world, SEIZE, HERO, IDEA, ACTION, CLAIM, EFFECT, 1, 14, RALLY, **BY_POST)
    await gather(world, "Thug")
    await next_turn(world)
    await next_turn(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    public(await world.ana.slash(world.zone, "mb card pool", card="Seize Initiative"))
    await next_turn(world)
    calls = _calls(world, world.ana)
    text = await next_turn(world)
    assert "Waiting for Vesna" in text and _calls(world, world.ana) == calls + 1, text
    await world.env.advance_time(DAY - HOUR)
    assert (await world.check("c2")).is_open
    await pass_all(world, world.ana, world.ana)  # to keep the last card, and to replace the new one
    assert not (await world.check("c2")).is_open


async def _seen_points(world: World) -> str:
    """What Ben reads of Vesna's points."""
    told = private(await world.ben.slash(world.zone, "character list"))
    return next(each for each in told.split("\n") if each.startswith("Vesna") or "Vesna" in each)


@pytest.mark.rule("MB-LP-03")
async def test_points_spent_in_secret_show_only_when_all_have_answered(world: World) -> None:
    await begin(world, *HANDS, life_points=5, **BY_POST)
    assert "5 Life Points" in await _seen_points(world)
    panel = await _hit(world)
    before = await _seen_points(world)
    lower = "Spend a Life Point (5 left): take off up to 3 pieces of damage"
    await world.press(world.ana, panel, f"{lower}…")
    await world.choose(world.ana, panel, "What to take off", "packages: knockdown:1")
    await world.press(world.ana, panel, lower)
    assert await _seen_points(world) == before and "Life Point" not in before
    await world.press(world.ana, world.newest("Pass"), "Pass")
    assert "4 Life Points" in await _seen_points(world)


@pytest.mark.rule("MB-CARD-13")
async def test_a_card_on_anothers_roll_comes_by_wait_for_me(world: World) -> None:
    """Supporter goes on a friend's roll."""
    await begin(world, *HANDS[:3], SUPPORTER, *HANDS[4:], **BY_POST)
    await world.ana.slash(world.zone, "check", skill="Stealth", approach="past the guard")
    await _answers(world)
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    await world.press(world.ben, panel, "Wait for me")
    world.dice.lay(1, 2)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    text = await newest(world)
    assert "still open" in text and "Ana and Ben decide" in text, text
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    played = [each for each in labels(panel) if "Supporter" in each]
    await world.press(world.ben, panel, played[0])
    assert "Boris plays Supporter" in await newest(world)


@pytest.mark.rule("MB-ACT-02", "MB-CMB-03")
async def test_who_waits_acts_where_the_last_in_order_has_spent_its_action(world: World) -> None:
    await open_table(world, rules={"attacks_at_once": "on"})
    await gather(world, "Thug")
    await next_turn(world, 9, 9, 1, 1, 8, 8)
    await world.ana.slash(world.zone, "initiative delay")
    await world.gina.slash(
        world.zone, "attack", **{"as": "Thug"}, target="Boris", weapon="unarmed", approach="so"
    )
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    active = next(each for each in labels(panel) if each.startswith("Active"))
    world.dice.lay(1, 1, 9, 9)
    await world.press(world.ben, panel, active)
    assert "Vesna, you're up" in await next_turn(world)
    encounter = (await world.state()).encounters[str(world.zone.id)]
    assert encounter.round == 1
