"""Rolling, what may be spent before and after, how long a result stays open, and how much of it is
told.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from bot.presenters.control_ids import option_token
from tests.discord.world import (
    DAY,
    HOUR,
    MINUTE,
    World,
    button,
    has_decision,
    is_layout,
    labels,
    menu,
    message_of,
    pings,
    private,
    public,
    refusal_of,
    texts,
)

LUCK = "Luck: Fitness"
PASS = "Accept result"
#: How a result says that it is final, while others can still step in and without that.
STANDS = "Final. Step in until <t:"
AT_ONCE = "Final · check"


async def _spend(world: World, message: Any, label: str, who: Any = None) -> Any:
    """Open React and press a button of it: the card as it is then."""
    private(await world.spend(message, label, who))
    return world.card()


async def _rolled(world: World, message: Any, *faces: int, who: Any = None) -> Any:
    """The card after its button was pressed with these dice."""
    world.dice.lay(*faces)
    await world.press(who or world.ana, message, "Roll")
    return world.card()


def _calls(world: World) -> list[Any]:
    """The short messages that call somebody, as they stand now."""
    return [each for each in world.messages() if not is_layout(each)]


def _luck(check: str, attribute: str) -> str:
    """The id of a sacrifice, as a button has it."""
    return f"sg:cho:1:{check}.2:ready:k1:{option_token(f'luck:{attribute}')}"


def _reroll(check: str) -> str:
    return f"sg:cho:1:{check}.3:react:k1:reroll"


# --- the roll -------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-ROLL", "EBB-CRIT")
async def test_a_roll_is_shown_with_everything_that_led_to_it(world: World) -> None:
    await world.table()
    message = await world.answered()
    assert [pings(each, world.env) for each in _calls(world)] == [[world.ana.id]]
    rolled = await _rolled(world, message, 10, 6, 5)
    text = texts(rolled)
    assert text.startswith("## ✓ Success so far, 4 extra results: 22 against 10\n")
    assert "> up the drainpipe, slowly" in text
    assert ": Climbing d8 (veteran) and Fitness 1" in text
    assert "2d10 (10, 6) + d8 (5) + Fitness 1 = **22**" in text
    assert "against 10" in text
    assert has_decision(text, "Ana")
    assert rolled.id == message.id, "one card a check"
    assert labels(rolled) == ["React", "Accept result"], "the Roll button is gone"
    assert pings(rolled, world.env) == []
    assert _calls(world) == [], "nobody is called any more"


@pytest.mark.rule("EBB-ROLL", "EBB-FAIL")
@pytest.mark.parametrize(
    ("faces", "expected"),
    [
        (
            (5, 4),
            (
                "## ✓ Success so far: 10 against 10\n",
                "d10 (5) + d8 (4) + Fitness 1 = **10**",
            ),
        ),
        (
            (5, 3),
            (
                "## ✗ Near miss so far: 9 against 10\n",
                "Another character can try the same way; this one needs another approach.",
            ),
        ),
        (
            (2, 3),
            (
                "## ✗ Clear failure so far: 6 against 10\n",
                "you can try a clearly different approach",
            ),
        ),
        ((1, 8), ("## ✗ Automatic failure so far: the main die shows 1\n", "Fitness 1 = **10**")),
        ((1, 1), ("## ✗ Fumble so far: every die shows 1\n", "The GM adds a complication.")),
    ],
    ids=["success", "near", "clear", "automatic", "fumble"],
)
async def test_the_verdict_comes_first_and_says_what_follows(
    world: World, faces: tuple[int, ...], expected: tuple[str, ...]
) -> None:
    await world.table()
    text = texts(await world.rolled(*faces))
    verdict, more = expected
    assert text.startswith(verdict)
    assert more in text
    assert "tell in the story which opportunity or resource is lost" not in text, (
        "that is the GM's to read"
    )


async def test_only_the_owner_rolls(world: World) -> None:
    await world.table()
    message = await world.answered()
    for who in (world.ben, world.gina):
        pressed = await world.press(who, message, "Roll")
        assert f"Marek belongs to {world.ana.mention}, so only they can do that." in refusal_of(
            pressed
        )
    assert (await world.state()).checks["c1"].stage == "ready"
    await _rolled(world, message, 5, 3)
    again = world.emit(world.ana, button(message, "Roll"), message)
    await world.env.settle()
    assert "The dice have been rolled." in refusal_of(again)
    assert "d10 (5) + d8 (3)" in texts(world.card()), "nothing is rolled twice"


@pytest.mark.rule("EBB-SPECIALIST")
async def test_a_specialist_task_needs_an_ability(world: World) -> None:
    await world.table()
    message = await world.answered(skill=None, options=("specialist",))
    assert "needs a suitable ability" in texts(message)
    assert texts(message).startswith("## Marek, edit the proposal\n")
    assert labels(message) == ["Edit", "React"], "no roll that would be refused"
    react = message_of(await world.press(world.ana, message, "React"))
    assert "Luck" not in "".join(labels(react)), "luck does not get round it unless the GM says so"
    message = await world.answered(who=world.ben, options=("specialist",))
    assert "## ✓ Success" in texts(await _rolled(world, message, 5, 5, who=world.ben))


@pytest.mark.rule("EBB-SPECIALIST")
async def test_the_gm_may_let_luck_stand_in_for_the_ability(world: World) -> None:
    await world.table()
    message = await world.answered(skill=None, options=("specialist", "specialist-luck"))
    spent = await _spend(world, message, LUCK)
    assert "Success, only just: 1 Fitness sacrificed" in texts(spent)


@pytest.mark.rule("EBB-PROPOSAL", "EBB-LUCK")
async def test_without_an_idea_there_is_only_luck(world: World) -> None:
    await world.table()
    proposal = await world.ana.slash(world.zone, "check", skill="Climbing", attribute="Fitness")
    assert "No approach yet." in public(proposal)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "No approach yet: only a sacrifice works without one." in texts(panel)
    await world.rule()
    message = world.card()
    assert texts(message).startswith("## Marek, say how you do it\n")
    assert labels(message) == ["Write", "React"]
    react = message_of(await world.press(world.ana, message, "React"))
    assert labels(react) == [LUCK, "Write…", "Withdraw"]
    assert "only just" in texts(await _spend(world, message, LUCK))


# --- luck -----------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-LUCK")
async def test_a_sacrifice_barely_succeeds_and_the_attribute_is_lower(world: World) -> None:
    await world.table()
    message = await world.answered(attribute="Zone", level="Legendary")
    spent = await _spend(world, message, "Luck: Zone")
    text = texts(spent)
    assert text.startswith("## ✓ Success, only just: 1 Zone sacrificed\n")
    assert "1 Zone sacrificed, counts as 1 until restored." in text
    assert "extra result" not in text
    assert STANDS in text
    assert labels(spent) == ["Step in"]
    assert "Zone 1 of 2" in private(await world.ana.slash(world.zone, "character show"))
    message = await world.answered(attribute="Zone")
    text = texts(await _rolled(world, message, 6, 2))
    assert "d10 (6) + d8 (2) + Zone 1 = **9**" in text
    assert "against 10" in text


@pytest.mark.rule("EBB-LUCK")
async def test_a_sacrifice_needs_a_point_and_comes_before_the_roll(world: World) -> None:
    await world.table()
    await _spend(world, await world.answered(), LUCK)
    message = await world.answered()
    react = message_of(await world.press(world.ana, message, "React"))
    assert labels(react) == ["Roll", "Withdraw"], "there is no point of Fitness left"
    forged = world.emit(world.ana, _luck("c2", "Fitness"), message)
    await world.env.settle()
    assert "You can't choose that right now." in refusal_of(forged)
    why = private(await world.ana.slash(world.zone, "spend"))
    assert "The attribute you could sacrifice has no points left." in why
    other = world.emit(world.ana, _luck("c2", "Zone"), message)
    await world.env.settle()
    assert "You can't choose that right now." in refusal_of(other)
    await _rolled(world, message, 2, 2)
    late = world.emit(world.ana, _luck("c2", "Fitness"), world.last())
    await world.env.settle()
    assert "The dice have been rolled." in refusal_of(late)
    assert (await world.state()).characters["k1"].sheet.sacrificed == (("Fitness", 1),)


async def test_without_an_attribute_each_one_may_be_sacrificed(world: World) -> None:
    await world.table()
    message = await world.answered(attribute=None)
    react = message_of(await world.press(world.ana, message, "React"))
    options = {each["label"]: each["value"] for each in menu(react, "Choose")["options"]}
    found = [re.fullmatch(r"Sacrifice 1 (\w+): just succeed", label) for label in options]
    offered = [each[1] for each in found if each is not None]
    assert "Zone" in offered and len(offered) == 6
    assert "Technical" not in offered, "there is no point of it"
    await world.choose(world.ana, react, "Choose", options["Sacrifice 1 Charisma: just succeed"])
    assert "only just: 1 Charisma sacrificed" in texts(world.card())


async def test_luck_is_the_owners(world: World) -> None:
    await world.table()
    message = await world.answered()
    for who in (world.ben, world.gina):
        forged = world.emit(who, _luck("c1", "Fitness"), message)
        await world.env.settle()
        assert "only they can do that" in refusal_of(forged)


# --- Fate -----------------------------------------------------------------------------------------


AGAIN = "Re-roll d8"


@pytest.mark.rule("EBB-FATE")
@pytest.mark.parametrize("hidden", [False, True])
async def test_how_likely_a_reroll_helps_stands_beside_it_unless_it_tells_the_number(
    world: World, hidden: bool
) -> None:
    await world.table()
    message = await world.answered(hidden=hidden)
    await _rolled(world, message, 4, 1)
    panel = message_of(await world.press(world.ana, world.card(), "React"))
    assert labels(panel) == [AGAIN, "Accept result"]
    # 4 and Fitness 1 against 10: 5 or more of a d8.
    assert ("for 1 of your 3 Fate · 50%" in texts(panel)) == (not hidden)
    await _rolled(world, await world.answered(), 9, 5)
    panel = message_of(await world.press(world.ana, world.card("c2"), "React"))
    assert "%" not in texts(panel), "it has succeeded already"


@pytest.mark.rule("EBB-FATE")
async def test_fate_rolls_the_ability_die_again_and_again(world: World) -> None:
    await world.table()
    message = await world.rolled(4, 1)
    assert "Clear failure" in texts(message)
    world.dice.lay(3)
    first = await _spend(world, message, AGAIN)
    text = texts(first)
    assert "1 Fate point spent: d8 re-rolled, shows 3; 2 Fate points left." in text
    assert "d10 (4) + d8 (1→3) + Fitness 1 = **8**" in text
    assert text.startswith("## ✗ Near miss so far: 8 against 10\n")
    world.dice.lay(8)
    second = await _spend(world, first, AGAIN)
    text = texts(second)
    assert text.startswith("## ✓ Success so far, 1 extra result: 13 against 10\n")
    assert "1 Fate point left." in text
    assert "d8 (1→3→8)" in text
    assert "**Fate:** 1 point" in private(await world.ana.slash(world.zone, "character show"))
    assert second.id == message.id


@pytest.mark.rule("EBB-FATE")
async def test_without_fate_there_is_no_second_roll(world: World) -> None:
    await world.setup()
    await world.bring(world.ana, "Marek", fate=0)
    message = await world.rolled(4, 1)
    react = message_of(await world.press(world.ana, message, "React"))
    assert labels(react) == [PASS]
    forged = world.emit(world.ana, _reroll("c1"), message)
    await world.env.settle()
    assert "You can't choose that right now." in refusal_of(forged)
    why = private(await world.ana.slash(world.zone, "spend"))
    assert "You have no Fate points left." in why


async def test_without_an_ability_die_there_is_nothing_to_roll_again(world: World) -> None:
    await world.table()
    message = await world.rolled(4, skill=None)
    assert STANDS in texts(message), "it is final at once"
    assert labels(message) == ["Step in"], "the same button for everybody"
    panel = message_of(await world.press(world.ana, message, "Step in"))
    assert "You have nothing that would change this result." in texts(panel)
    assert labels(panel) == []


async def test_an_old_react_panel_spends_nothing_twice(world: World) -> None:
    await world.table()
    message = await world.rolled(4, 1)
    react = message_of(await world.press(world.ana, message, "React"))
    id = button(react, AGAIN)
    private(await world.press(world.ana, react, AGAIN))
    again = world.emit(world.ana, id, message)
    await world.env.settle()
    assert "Somebody has reacted to the roll." in refusal_of(again)
    assert (await world.state()).characters["k1"].sheet.fate == 2


# --- the window -----------------------------------------------------------------------------------


async def test_the_result_stands_by_itself_when_its_time_is_up(world: World) -> None:
    await world.table()
    message = await world.rolled(4, 1)
    count = len(world.messages())
    await world.env.advance_time(DAY - MINUTE)
    assert (await world.state()).checks["c1"].is_open
    reminder = texts(world.last())
    assert "reminder: Marek failed by 4. Spend Fate or keep it. Due <t:" in reminder
    assert ":R>, then the result is final." in reminder
    assert len(world.messages()) == count + 2, "one reminder, below the card that moved with it"
    await world.env.advance_time(2 * MINUTE)
    assert not (await world.state()).checks["c1"].is_open
    assert len(world.messages()) == count + 2, (
        "the reminder is gone, the card itself says it, and where it stood are links"
    )
    assert STANDS in texts(world.card())
    assert texts(world.card()).startswith("## ✗ Clear failure, 6 against 10\n")
    assert pings(world.card(), world.env) == []
    assert labels(world.card()) == ["Step in"]
    late = world.emit(world.ana, _reroll("c1"), message)
    await world.env.settle()
    assert "The check is over." in refusal_of(late)


async def test_spending_does_not_put_the_end_off(world: World) -> None:
    await world.table(step_in_minutes=60)
    message = await world.rolled(4, 1)
    await world.env.advance_time(50 * MINUTE)
    await _spend(world, message, AGAIN)
    assert (await world.state()).checks["c1"].is_open
    await world.env.advance_time(11 * MINUTE)
    assert not (await world.state()).checks["c1"].is_open


async def test_owner_and_gm_let_it_stand(world: World) -> None:
    await world.table()
    for who, label in ((world.ana, PASS), (world.gina, "Accept result")):
        message = await world.rolled(4, 1)
        settled = await _spend(world, message, label, who)
        assert STANDS in texts(settled)
    message = await world.rolled(4, 1)
    assert labels(message_of(await world.press(world.ben, message, "React"))) == ["Try something"]
    for prompt, who, option in (("react", "k1", "pass"), ("stand", "-", "stand")):
        forged = world.emit(world.ben, f"sg:cho:1:c3.3:{prompt}:{who}:{option}", message)
        await world.env.settle()
        refusal_of(forged)
    assert STANDS not in texts(world.card("c3"))
    await world.env.advance_time(3 * DAY)
    assert len([m for m in world.messages() if STANDS in texts(m)]) == 3


async def test_without_a_window_the_result_stands_at_once(world: World) -> None:
    await world.table(step_in_minutes=0)
    message = await world.rolled(4, 1)
    assert AT_ONCE in texts(message)
    assert labels(message) == []
    count = len(world.messages())
    await world.env.advance_time(2 * DAY)
    assert len(world.messages()) == count


# --- live play ------------------------------------------------------------------------------------


async def test_in_live_play_an_open_difficulty_is_rolled_at_once(world: World) -> None:
    await world.table(live=True, step_in_minutes=1)
    world.dice.lay(9, 5)
    rolled = await world.propose(skill="Climbing", attribute="Fitness", difficulty="Tricky")
    assert "d10 (9) + d8 (5) + Fitness 1 = **15**" in public(rolled)
    assert "against 10" in public(rolled)
    assert pings(message_of(rolled).message, world.env) == []
    assert _calls(world) == []
    proposed = await world.propose(skill="Climbing")
    assert "Waiting for the GM" in public(proposed), "without a difficulty the GM is asked"
    hidden = await world.propose(skill="Climbing", difficulty="Tricky", visibility="private")
    assert "## Sent to the GM\n" in private(hidden), "and so in private"
    missing = await world.ana.slash(world.zone, "check", skill="Climbing", difficulty="Tricky")
    assert "First say how you do it" in refusal_of(missing)


# --- how much of a hidden difficulty is told ------------------------------------------------------


async def test_verdict_shows_dice_and_whether_it_was_enough(world: World) -> None:
    await world.table(reveal="degree")
    await world.gina.slash(world.zone, "gm settings", reveal="verdict")
    text = texts(await world.rolled(5, 3, hidden=True))
    assert text.startswith("## ✗ Failure so far: 9 against a hidden difficulty\n")
    assert "d10 (5) + d8 (3) + Fitness 1 = **9**" in text
    assert "against a hidden difficulty" in text
    assert "short" not in text
    assert "(10)" not in text


async def test_degree_shows_how_well_but_neither_main_die_nor_total(world: World) -> None:
    await world.table(reveal="degree")
    text = texts(await world.rolled(5, 3, hidden=True))
    assert text.startswith("## ✗ Near miss so far\n")
    assert "d8 (3)" in text
    assert "d10" not in text
    assert "9" not in re.sub(r"<t:\d+:R>", "", text)
    assert "point short" not in text
    text = texts(await world.rolled(9, 8, hidden=True, who=world.ben))
    assert text.startswith("## ✓ Success so far, 2 extra results\n")
    assert "18" not in re.sub(r"<t:\d+:R>", "", text)
    full = private(await world.press(world.gina, world.card(), "React"))
    assert "d10 (9) + d8 (8) + Fitness 1 = **18**" in full
    assert "against 10" in full


async def test_all_shows_everything_once_it_is_rolled(world: World) -> None:
    await world.table(reveal="all")
    message = await world.answered(hidden=True)
    assert "(10)" not in texts(message)
    text = texts(await _rolled(world, message, 5, 3))
    assert text.startswith("## ✗ Near miss so far: 9 against 10\n")
    assert "d10 (5) + d8 (3) + Fitness 1 = **9**" in text
    assert "against 10" in text


async def test_a_reminder_of_the_roll_shows_no_more_than_the_answer(world: World) -> None:
    await world.table()
    await world.answered(hidden=True, level="Legendary")
    await world.env.advance_time(DAY + HOUR)
    assert "reminder: Marek, roll" in world.last().content
    assert pings(world.last(), world.env) == [world.ana.id]
    assert "Legendary" not in texts(world.last())
    assert "Legendary" not in texts(world.card())


# --- NPCs -----------------------------------------------------------------------------------------


async def test_a_gm_rolls_for_their_npcs(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True)
    world.dice.lay(7, 7)
    rolled = await world.propose(
        world.gina, skill="Climbing", difficulty="Tricky", **{"as": "Sidor"}
    )
    assert "Sidor" in private(rolled), "the options of a public answer would tell the name"
    assert "Somebody" in texts(world.card())
    assert "Sidor" not in texts(world.card())
    assert "d10 (7) + d8 (7) = **14**" in texts(world.card())
    assert "against 10" in texts(world.card())
    await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor")
    waiting = await world.propose(world.gina, skill="Climbing", **{"as": "Sidor"})
    assert private(waiting).startswith("## Your call on Sidor: “up the drainpipe, slowly”\n")
    assert "See check c2 ·" in private(waiting)
    assert "Sidor" in texts(world.card())
    assert pings(world.card(), world.env) == [], "nobody has to be called"
    assert _calls(world) == []
    await world.rule(message_of(waiting), level="Easy")
    card = world.card()
    assert "Waiting for the GM" in texts(card)
    refusal_of(await world.press(world.ana, card, "Roll"))
    assert "d10 (6) + d8 (2) = **8**" in texts(await _rolled(world, card, 6, 2, who=world.gina))
