"""Rolling, what may be spent before and after, how long a result stays open, and how much of it is told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.world import (
    DAY,
    HOUR,
    MINUTE,
    World,
    button,
    labels,
    pings,
    private,
    public,
    refused,
    said,
    texts,
)

LUCK = "Sacrifice a point to just succeed"
STANDS = "The result stands."


async def _spend(world: World, message: Any, label: str, who: Any = None) -> Any:
    """Open React and press a button of it."""
    react = said(await world.press(who or world.ana, message, "React"))
    return await world.press(who or world.ana, react, label)


# --- the roll -----------------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-ROLL", "EBB-CRIT")
async def test_a_roll_is_shown_with_everything_that_led_to_it(world: World) -> None:
    await world.table()
    message = await world.answered()
    world.dice.lay(10, 6, 5)
    rolled = await world.press(world.ana, message, "Roll")
    text = public(rolled)
    assert "**Success, 4 extra results.**" in text
    assert "> up the drainpipe, slowly" in text
    assert "main d10: 10, again 6; Climbing d8: 5; Fitness: 1" in text
    assert "16 + 5 + 1 = 22 against Tricky (10)" in text
    assert "Open for reactions. The result stands <t:" in text
    assert labels(said(rolled)) == ["React"]
    assert pings(said(rolled).message, world.env) == []
    assert labels(world.messages()[-2]) == [], "the Roll button is gone"


@pytest.mark.rule("EBB-ROLL", "EBB-FAIL")
@pytest.mark.parametrize(
    ("faces", "expected"),
    [
        ((5, 4), ("**Success, no extra results.**", "5 + 4 + 1 = 10 against Tricky (10)")),
        ((5, 3), ("**Near miss, 1 point short.**", "Somebody else in the party may try it the same way")),
        ((2, 3), ("**Clear failure, 4 points short.**", "only a clearly different approach may be tried")),
        ((1, 8), ("**Automatic failure: the main die shows 1.**", "1 + 8 + 1 = 10 against Tricky (10)")),
        ((1, 1), ("**Fumble: every die shows 1.**", "The GM adds a complication.")),
    ],
    ids=["success", "near", "clear", "automatic", "fumble"],
)
async def test_the_verdict_comes_first_and_says_what_follows(
    world: World, faces: tuple[int, ...], expected: tuple[str, ...]
) -> None:
    await world.table()
    text = texts(await world.rolled(*faces))
    for part in expected:
        assert part in text
    assert "decide which opportunity or resource is lost" not in text, "that is the GM's to read"


async def test_only_the_owner_rolls(world: World) -> None:
    await world.table()
    message = await world.answered()
    for who in (world.ben, world.gina):
        pressed = await world.press(who, message, "Roll")
        assert f"Marek is the character of {world.ana.mention}, and only they may do that." in refused(
            pressed
        )
    assert (await world.check()).status == "answered"
    public(await world.press(world.ana, message, "Roll"))
    again = world.emit(world.ana, button(message, "Roll") if "Roll" in labels(message) else "", message)
    await world.env.settle()
    assert "Meanwhile the dice have been rolled." in refused(again)


@pytest.mark.rule("EBB-SPECIALIST")
async def test_a_specialist_task_needs_an_ability(world: World) -> None:
    await world.table()
    message = await world.answered(skill=None, options=("specialist",))
    assert "needs a suitable ability" in texts(message)
    assert "This task needs a suitable ability, and none counts here." in refused(
        await world.press(world.ana, message, "Roll")
    )
    react = said(await world.press(world.ana, message, "React"))
    assert LUCK not in "".join(labels(react)), "luck does not get round it unless the GM says so"
    message = await world.answered(who=world.ben, options=("specialist",))
    world.dice.lay(5, 5)
    public(await world.press(world.ben, message, "Roll"))


@pytest.mark.rule("EBB-SPECIALIST")
async def test_the_gm_may_let_luck_stand_in_for_the_ability(world: World) -> None:
    await world.table()
    message = await world.answered(skill=None, options=("specialist", "specialist-luck"))
    spent = await _spend(world, message, f"{LUCK}: Fitness")
    assert "Success, only just: a point of Fitness was given for it" in public(spent)


@pytest.mark.rule("EBB-PROPOSAL", "EBB-LUCK")
async def test_without_an_idea_there_is_only_luck(world: World) -> None:
    await world.table()
    proposal = await world.ana.slash(world.zone, "check", skill="Climbing", attribute="Fitness")
    assert "How it is done has not been said yet." in public(proposal)
    panel = said(await world.press(world.gina, said(proposal), "Answer"))
    assert "No idea given: only a sacrifice can help here." in texts(panel)
    await world.answer(said(proposal))
    message = world.newest("React")
    pressed = world.emit(world.ana, "sg:roll:1:c1:2", message)
    await world.env.settle()
    assert "A roll needs a proposal: say first how it is done" in refused(pressed)
    react = said(await world.press(world.ana, message, "React"))
    assert labels(react) == ["Withdraw", f"{LUCK}: Fitness"]
    assert "only just" in public(await world.press(world.ana, react, f"{LUCK}: Fitness"))


# --- luck ---------------------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-LUCK")
async def test_a_sacrifice_barely_succeeds_and_the_attribute_is_lower(world: World) -> None:
    await world.table()
    message = await world.answered(attribute="Zone", level="Legendary")
    spent = await _spend(world, message, f"{LUCK}: Zone")
    text = public(spent)
    assert "**Success, only just: a point of Zone was given for it.**" in text
    assert "1 point of Zone sacrificed: it counts as 1 until it is restored." in text
    assert "extra result" not in text
    assert STANDS in text
    assert labels(said(spent)) == ["Details"]
    assert "Zone 1 of 2" in private(await world.ana.slash(world.zone, "character show"))
    message = await world.answered(attribute="Zone")
    world.dice.lay(6, 2)
    assert "6 + 2 + 1 = 9 against Tricky (10)" in public(await world.press(world.ana, message, "Roll"))


@pytest.mark.rule("EBB-LUCK")
async def test_a_sacrifice_needs_a_point_and_comes_before_the_roll(world: World) -> None:
    await world.table()
    await _spend(world, await world.answered(), f"{LUCK}: Fitness")
    message = await world.answered()
    react = said(await world.press(world.ana, message, "React"))
    assert labels(react) == ["Roll", "Withdraw"], "there is no point of Fitness left"
    forged = world.emit(world.ana, "sg:do:1:c2:2:spend:luck:Fitness", message)
    await world.env.settle()
    assert "Fitness counts as 0 now; it has to be at least 1 to sacrifice a point of it." in refused(forged)
    other = world.emit(world.ana, "sg:do:1:c2:2:spend:luck:Zone", message)
    await world.env.settle()
    assert "The point has to come from Fitness here, not from Zone." in refused(other)
    world.dice.lay(2, 2)
    await world.press(world.ana, message, "Roll")
    late = world.emit(world.ana, "sg:do:1:c2:3:spend:luck:Fitness", world.last())
    await world.env.settle()
    assert "A point can be sacrificed only instead of a roll" in refused(late)


async def test_without_an_attribute_each_one_may_be_sacrificed(world: World) -> None:
    await world.table()
    message = await world.answered(attribute=None)
    react = said(await world.press(world.ana, message, "React"))
    offered = [label for label in labels(react) if label.startswith(LUCK)]
    assert f"{LUCK}: Zone" in offered
    assert f"{LUCK}: Technical" not in offered, "there is no point of it"
    assert len(offered) == 6
    assert "only just" in public(await world.press(world.ana, react, f"{LUCK}: Charisma"))


async def test_luck_is_the_owners(world: World) -> None:
    await world.table()
    message = await world.answered()
    for who in (world.ben, world.gina):
        forged = world.emit(who, "sg:do:1:c1:2:spend:luck:Fitness", message)
        await world.env.settle()
        assert "only they may do that" in refused(forged)


# --- Fate ---------------------------------------------------------------------------------------------------


def _again(have: int) -> str:
    return f"Roll the d8 again for 1 Fate point (you have {have})"


@pytest.mark.rule("EBB-FATE")
async def test_fate_rolls_the_ability_die_again_and_again(world: World) -> None:
    await world.table()
    message = await world.rolled(4, 1)
    assert "Clear failure" in texts(message)
    world.dice.lay(3)
    first = await _spend(world, message, _again(3))
    text = public(first)
    assert "1 Fate point spent: the d8 was rolled again and shows 3; 2 Fate points left." in text
    assert "Climbing d8: 1, rolled again 3" in text
    assert "**Near miss, 2 points short.**" in text
    world.dice.lay(8)
    second = await _spend(world, said(first), _again(2))
    assert "**Success, 1 extra result.**" in public(second)
    assert "1 Fate point left." in public(second)
    assert "Climbing d8: 1, rolled again 3, rolled again 8" in public(second)
    assert "**Fate:** 1 point" in private(await world.ana.slash(world.zone, "character show"))
    assert labels(world.messages()[-2]) == []


@pytest.mark.rule("EBB-FATE")
async def test_without_fate_there_is_no_second_roll(world: World) -> None:
    await world.setup()
    await world.bring(world.ana, "Marek", fate=0)
    message = await world.rolled(4, 1)
    react = said(await world.press(world.ana, message, "React"))
    assert labels(react) == ["Let it stand"]
    forged = world.emit(world.ana, "sg:do:1:c1:3:spend:reroll", message)
    await world.env.settle()
    assert "That costs 1 Fate point, and there are none." in refused(forged)


async def test_without_an_ability_die_there_is_nothing_to_roll_again(world: World) -> None:
    await world.table()
    message = await world.rolled(4, skill=None)
    react = said(await world.press(world.ana, message, "React"))
    assert labels(react) == ["Let it stand"]


async def test_an_old_react_panel_spends_nothing_twice(world: World) -> None:
    await world.table()
    message = await world.rolled(4, 1)
    react = said(await world.press(world.ana, message, "React"))
    public(await world.press(world.ana, react, _again(3)))
    assert "Meanwhile the dice have been rolled." in refused(await world.press(world.ana, react, _again(3)))
    assert (await world.state()).characters["k1"].sheet.fate == 2


# --- the window ---------------------------------------------------------------------------------------------


async def test_the_result_stands_by_itself_when_its_time_is_up(world: World) -> None:
    await world.table()
    message = await world.rolled(4, 1)
    count = len(world.messages())
    await world.env.advance_time(DAY - MINUTE)
    assert (await world.check()).status == "rolled"
    await world.env.advance_time(2 * MINUTE)
    assert (await world.check()).status == "settled"
    assert len(world.messages()) == count + 1
    assert STANDS in texts(world.last())
    assert pings(world.last(), world.env) == []
    assert labels(world.last()) == ["Details"]
    assert labels(world.messages()[-2]) == []
    late = world.emit(world.ana, "sg:do:1:c1:3:spend:reroll", message)
    await world.env.settle()
    assert "Meanwhile it is settled." in refused(late)


async def test_spending_does_not_put_the_end_off(world: World) -> None:
    await world.table(window_minutes=60)
    message = await world.rolled(4, 1)
    await world.env.advance_time(50 * MINUTE)
    await _spend(world, message, _again(3))
    assert (await world.check()).status == "rolled"
    await world.env.advance_time(11 * MINUTE)
    assert (await world.check()).status == "settled"


async def test_owner_and_gm_let_it_stand(world: World) -> None:
    await world.table()
    for who in (world.ana, world.gina):
        message = await world.rolled(4, 1)
        settled = await _spend(world, message, "Let it stand", who)
        assert STANDS in public(settled)
    message = await world.rolled(4, 1)
    assert labels(said(await world.press(world.ben, message, "React"))) == []
    forged = world.emit(world.ben, "sg:do:1:c3:3:settle", message)
    await world.env.settle()
    refused(forged)
    await world.env.advance_time(3 * DAY)
    assert len([m for m in world.messages() if STANDS in texts(m)]) == 3


async def test_without_a_window_the_result_stands_at_once(world: World) -> None:
    await world.table(window_minutes=0)
    message = await world.rolled(4, 1)
    assert STANDS in texts(message)
    assert labels(message) == ["Details"]
    count = len(world.messages())
    await world.env.advance_time(2 * DAY)
    assert len(world.messages()) == count


# --- live play ----------------------------------------------------------------------------------------------


async def test_in_live_play_an_open_difficulty_is_rolled_at_once(world: World) -> None:
    await world.table(live=True, window_minutes=1)
    world.dice.lay(9, 5)
    rolled = await world.propose(skill="Climbing", attribute="Fitness", difficulty="Tricky")
    assert "9 + 5 + 1 = 15 against Tricky (10)" in public(rolled)
    assert pings(said(rolled).message, world.env) == []
    proposed = await world.propose(skill="Climbing")
    assert "Waiting for the GM's answer." in public(proposed), "without a difficulty the GM is asked"
    hidden = await world.propose(skill="Climbing", difficulty="Tricky", visibility="private")
    assert "Waiting for the GM's answer." in private(hidden), "and so in private"
    missing = await world.ana.slash(world.zone, "check", skill="Climbing", difficulty="Tricky")
    assert "A roll needs a proposal: say first how it is done" in refused(missing)


# --- how much of a hidden difficulty is told ----------------------------------------------------------------


async def test_verdict_shows_dice_and_whether_it_was_enough(world: World) -> None:
    await world.table(reveal="degree")
    await world.gina.slash(world.zone, "gm settings", reveal="verdict")
    text = texts(await world.rolled(5, 3, hidden=True))
    assert "**Failure.**" in text
    assert "5 + 3 + 1 = 9 against a hidden difficulty" in text
    assert "short" not in text
    assert "(10)" not in text


async def test_degree_shows_how_well_but_neither_main_die_nor_total(world: World) -> None:
    await world.table(reveal="degree")
    text = texts(await world.rolled(5, 3, hidden=True))
    assert "**Near miss.**" in text
    assert "Climbing d8: 3" in text
    assert "main d10" not in text
    assert " = 9" not in text
    assert "point short" not in text
    text = texts(await world.rolled(9, 8, hidden=True, who=world.ben))
    assert "**Success, 2 extra results.**" in text
    assert "= 18" not in text
    full = private(await world.press(world.gina, world.last(), "React"))
    assert "9 + 8 + 1 = 18 against Tricky (10)" in full


async def test_all_shows_everything_once_it_is_rolled(world: World) -> None:
    await world.table(reveal="all")
    message = await world.answered(hidden=True)
    assert "(10)" not in texts(message)
    world.dice.lay(5, 3)
    text = public(await world.press(world.ana, message, "Roll"))
    assert "**Near miss, 1 point short.**" in text
    assert "5 + 3 + 1 = 9 against Tricky (10)" in text


async def test_a_reminder_of_the_roll_shows_no_more_than_the_answer(world: World) -> None:
    await world.table()
    await world.answered(hidden=True, level="Legendary")
    await world.env.advance_time(DAY + HOUR)
    assert "still to come" in world.last().content
    assert "Legendary" not in texts(world.last())


# --- NPCs ------------------------------------------------------------------------------------


async def test_a_gm_rolls_for_their_npcs(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True)
    world.dice.lay(7, 7)
    rolled = await world.propose(world.gina, skill="Climbing", difficulty="Tricky", **{"as": "Sidor"})
    assert "Sidor · Climbing" in private(rolled), "the options of a public answer would tell the name"
    assert "Somebody · Climbing" in texts(world.last())
    assert "7 + 7 = 14 against Tricky (10)" in texts(world.last())
    await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor")
    waiting = await world.propose(world.gina, skill="Climbing", **{"as": "Sidor"})
    assert "Sidor · Climbing" in public(waiting)
    assert pings(said(waiting).message, world.env) == [], "nobody has to be called"
    await world.answer(said(waiting), level="Easy")
    assert "Waiting for a GM to roll." in texts(world.last())
    refused(await world.press(world.ana, world.last(), "Roll"))
    public(await world.press(world.gina, world.last(), "Roll"))
