"""Teams over days, contests, and complex actions with old buttons."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.barmore import ILKA, bar_table, bring, roll, rule, sheet_of, side
from tests.discord.world import (
    DAY,
    World,
    button,
    card,
    labels,
    menu,
    message_of,
    pings,
    private,
    public,
    refusal_of,
    texts,
)


async def _team(world: World, mode: str = "combining dice", **options: Any) -> Any:
    given = {
        "mode": mode,
        "skill": "Boats",
        "attribute": "Muscle Power",
        "approach": "pull her in",
        **options,
    }
    return await world.ana.slash(world.zone, "barmore team start", **given)


async def _join(world: World, who: Any, ability: str) -> Any:
    """Press the button, choose, and join."""
    return await world.press(who, await side(world, who, "Join", ability), "Join")


# --- teams ----------------------------------------------------------------------------------------


@pytest.mark.rule("BAR-TEAM")
async def test_others_join_over_days_and_all_roll_once(world: World) -> None:
    await bar_table(world)
    assert "Pool: 4 Add Dice and 2 Bonus Dice." in public(await _team(world))
    old = button(world.newest("Join"), "Join")
    await world.env.advance_time(DAY)
    await world.restart()
    assert "You already lead this team." in refusal_of(
        await world.press(world.ana, world.newest("Join"), "Join")
    )
    await _join(world, world.ben, "Athletics")
    text = card(world)
    assert "**Ilka:** Athletics 1" in text
    assert "Pool: 4 Add Dice and 4 Bonus Dice." in text
    assert "• Ilka: 2 Add Dice" in text
    await rule(world, "15")
    cora = world.member("cora")
    await bring(world, cora, {**ILKA, "name": "Cora"})
    await world.restart()
    late = world.emit(cora, old, world.last())  # a client that still shows the first message
    await world.env.settle()
    assert "That has moved on" in refusal_of(late)
    await _join(world, cora, "Knives")
    assert "Pool: 4 Add Dice and 7 Bonus Dice." in card(world)
    assert "1000" not in refusal_of(await world.press(world.ben, world.newest("Roll"), "Roll"))
    world.dice.lay(8, 8, 8, 8, 1, 1, 1, 2, 2, 2, 2)
    await world.ana.slash(world.zone, "barmore team roll")
    text = card(world)
    assert "11d8 (8, 8, 8, 8, ~~1~~, ~~1~~, ~~1~~, ~~2~~, ~~2~~, ~~2~~, ~~2~~) = **32**" in text
    assert text.startswith("## ✓ Success, level 3: 32 against 15\n")
    told = [
        each for each in world.messages() if pings(each, world.env) and "Roll" not in texts(each)
    ]
    assert not told, "what came of it calls nobody: there is nothing to be done"
    await world.gina.slash(world.zone, "gm undo")
    check = (await world.state()).checks["c1"]
    assert not check.data.throws and len(check.data.other_entries) == 2
    assert world.newest("Roll")


@pytest.mark.rule("BAR-TEAM")
async def test_who_had_a_chance_shows_with_the_dice(world: World) -> None:
    await bar_table(world)
    await _team(world, "either or")
    await _join(world, world.ben, "Knives")
    await rule(world, "5", options=("chances: 1",))
    for who in (world.ana, world.ben):
        assert "ad a chance" not in world.told(who)
    world.dice.lay(8, 8, 8, 8, 1, 1, 2, 2, 2, 2)
    text = await roll(world)
    assert text.startswith("## ✗ Failure")
    assert (
        "Only Ilka had a chance, by the draw: everybody else fails, whatever the dice say." in text
    )
    assert "3d8 (2, 2, 2) = **6**" in text and "**Ilka:** Success" in text
    assert text.count("had a chance") == 1


@pytest.mark.rule("BAR-TEAM")
async def test_stepping_back_and_leaving_for_good(world: World) -> None:
    await bar_table(world)
    await _team(world)
    refusal = await world.ana.slash(world.zone, "barmore team join", check="c1", skill="Boats")
    assert "Marek" in refusal_of(refusal)
    await world.ben.slash(world.zone, "barmore team join", check="c1", skill="Knives")
    assert "Pool: 4 Add Dice and 5 Bonus Dice." in card(world)
    await world.ben.slash(world.zone, "barmore team join", check="c1", leave=True)
    assert "Pool: 4 Add Dice and 2 Bonus Dice." in card(world)
    assert refusal_of(
        await world.ben.slash(world.zone, "barmore team join", check="c1", leave=True)
    )
    await world.ben.slash(world.zone, "barmore team join", check="c1", skill="Knives")
    await world.ben.slash(world.zone, "character retire", character="Ilka")
    await rule(world, "15")
    assert "Pool: 4 Add Dice and 2 Bonus Dice." in card(world)
    world.dice.lay(8, 8, 8, 8, 1, 1)
    assert (await roll(world)).startswith("## ✓ Success")
    assert refusal_of(
        await world.ben.slash(world.zone, "barmore team join", check="c1", skill="Knives")
    )


@pytest.mark.rule("BAR-TEAM", "BAR-TRAIT")
async def test_what_a_helper_claims_is_the_gms_to_refuse(world: World) -> None:
    await bar_table(world)
    await _team(world, "simple addition")
    await _join(world, world.ben, "Blades")
    assert "Knives stands in for Blades" in card(world)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    entries = {each["label"]: each["value"] for each in menu(panel, "All the rest")["options"]}
    refuse = entries["Disallow Knives for Blades"]
    await world.gina.submit_modal(
        await world.press(world.gina, panel, "Write…"), {"difficulty": "15"}
    )
    await world.choose(world.gina, panel, "All the rest", refuse)
    assert "Pool: 5 Add Dice" in texts(panel)
    await rule(world, "15")
    assert "Pool: 7 Add Dice" in card(world)


# --- contests -------------------------------------------------------------------------------------


async def _contest(world: World, **options: Any) -> Any:
    given = {
        "target": "Ilka",
        "skill": "Boats",
        "attribute": "Speed",
        "approach": "row faster",
        **options,
    }
    return await world.ana.slash(world.zone, "contest", **given)


@pytest.mark.rule("BAR-OPPOSED")
async def test_a_contest_is_chosen_in_secret_and_rolled_at_once(world: World) -> None:
    await bar_table(world)
    await world.gina.slash(
        world.zone, "gm adjust", character="Ilka", what="new wound", value="mental 2"
    )
    private(await _contest(world, **{"with": "die: d12-2, convert: 1"}))
    assert "Pool" not in card(world) and "Boats" not in card(world)
    await rule(world, None, modifier="1", against="-1")
    panel = await side(world, world.ben, "Respond", "Athletics", Die="d6+1")
    # What it is about Ben knows, not what Marek sets on it.
    assert "row faster" in world.told(world.ben) and "Athletics 1" not in world.told(world.ana)
    await world.restart()
    world.dice.lay(12, 12, 12, 1, 1, 1, 1, 6, 6, 1)
    await world.press(world.ben, panel, "Respond")
    text = card(world)
    assert text.startswith("## ✓ Marek wins, level 4\nMarek against Ilka")
    assert "7d12 (12, 12, 12, ~~1~~, ~~1~~, ~~1~~, ~~1~~) − 6 = **30**" in text
    assert "pool:** 2 Add Dice and 1 Penalty Die (1 Add Die to start, Athletics: +1 Add Die" in text
    assert "heals" not in text
    assert (await sheet_of(world, "Ilka")).wounds[0].factor == 1


@pytest.mark.rule("BAR-OPPOSED")
async def test_indirectly_both_meet_one_difficulty(world: World) -> None:
    await bar_table(world)
    assert refusal_of(await _contest(world, difficulty="12"))  # directly there is none
    await _contest(world, mode="indirect", difficulty="12")
    await rule(world, "12")
    panel = await side(world, world.ben, "Respond", "none")
    world.dice.lay(2, 2, 2, 2, 1, 1, 8)
    await world.press(world.ben, panel, "Respond")
    assert (card(world)).startswith("## Nobody wins")


async def test_a_gm_goes_on_for_an_npc_under_done(world: World) -> None:
    await bar_table(world)
    await bring(world, world.gina, {**ILKA, "name": "Sidor"}, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor")
    await world.ana.slash(world.zone, "contest", target="Sidor", skill="Boats", approach="faster")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert texts(panel).count("the higher total wins") == 1
    await world.press(world.gina, panel, "Call for a roll")
    assert labels(panel) == ["Respond"], "who has answered responds for Sidor, too"
    assert "faster" not in texts(panel), "what was proposed Gina has just read"
    shown = private(await world.gina.slash(world.zone, "table show"))
    assert "c1 · Marek against Sidor: waiting for the GM\n-# “faster”" in shown
    await world.press(world.gina, panel, "Respond")
    await world.choose(world.gina, panel, "Skill", "none")
    world.dice.lay(8, 8, 8, 8, 1)
    await world.press(world.gina, panel, "Respond")
    assert card(world).startswith("## ✓ Marek wins")


# --- nobody brings nothing by mistake ------------------------------------------------------------


@pytest.mark.rule("BAR-OPPOSED")
async def test_responding_takes_a_choice_and_nothing_is_one(world: World) -> None:
    await bar_table(world)
    await _contest(world)
    await rule(world, None)
    panel = message_of(await world.press(world.ben, world.newest("Respond"), "Respond"))
    await world.press(world.ben, panel, "Respond")
    assert len((await world.state()).checks["c1"].data.entries) == 1
    assert "Fill in Skill first" in texts(panel), texts(panel)
    await world.choose(world.ben, panel, "Skill", "none")
    await world.press(world.ben, panel, "Respond")
    assert (await world.state()).checks["c1"].data.entries[1].request.skill == ""


@pytest.mark.rule("BAR-TEAM")
async def test_joining_starts_from_what_the_task_takes(world: World) -> None:
    await bar_table(world)
    await _team(world, skill="Athletics", attribute="Speed")
    panel = message_of(await world.press(world.ben, world.newest("Join"), "Join"))
    await world.press(world.ben, panel, "Join")
    request = (await world.state()).checks["c1"].data.entries[1].request
    assert (request.skill, request.attribute) == ("Athletics", "Speed")
    await world.ben.slash(world.zone, "barmore team join", check="c1", leave=True)
    text = refusal_of(await world.ben.slash(world.zone, "barmore team join", check="c1"))
    assert "Name a skill, or write none." in text
    # A task in which Ilka has no score: she has to say what she brings.
    await _team(world, skill="Rapier")
    panel = message_of(await world.press(world.ben, world.newest("Join"), "Join"))
    await world.press(world.ben, panel, "Join")
    assert len((await world.state()).checks["c2"].data.entries) == 1


async def test_treating_takes_a_choice(world: World) -> None:
    await bar_table(world)
    await world.gina.slash(
        world.zone, "gm adjust", character="Marek", what="new wound", value="physical 4"
    )
    panel = message_of(await world.ben.slash(world.zone, "heal", method="treat", target="Marek"))
    await world.press(world.ben, panel, "Send")
    assert "c1" not in (await world.state()).checks
    assert "Fill in Skill first" in texts(panel), texts(panel)


async def test_an_injury_that_isnt_there_is_refused_before_the_panel(world: World) -> None:
    await bar_table(world)
    given: dict[str, Any] = {"method": "treat", "injury": "nose"}
    assert "Marek has no Wounds" in refusal_of(await world.ana.slash(world.zone, "heal", **given))
    await world.gina.slash(
        world.zone, "gm adjust", character="Marek", what="new wound", value="physical 4"
    )
    await world.restart()
    for target in ({}, {"target": "Marek"}):
        text = refusal_of(await world.ana.slash(world.zone, "heal", **given, **target))
        assert "No Wound “nose” here. For example: “#1 Moderate (physical)”." in text, text
    # Ben learns nothing of Marek's Wounds.
    panel = message_of(await world.ben.slash(world.zone, "heal", **given, target="Marek"))
    assert "Moderate" not in texts(panel), texts(panel)
    right = await world.ana.slash(world.zone, "heal", **(given | {"injury": "moderate"}))
    assert "Fill in Skill first" in texts(message_of(right))


async def test_treating_oneself_by_name_opens_a_panel_without_ids(world: World) -> None:
    await bar_table(world)
    panel = message_of(await world.ana.slash(world.zone, "heal", method="treat", target="Marek"))
    assert "there's no" not in texts(panel) and "Target: none" in texts(panel), texts(panel)
    text = refusal_of(await world.ana.slash(world.zone, "attack", target="Marek"))
    assert "You can't target yourself with that" in text


# --- complex actions ------------------------------------------------------------------------------


async def _task(world: World, **options: Any) -> Any:
    given: dict[str, Any] = {
        "name": "Mend the hull",
        "who": "Marek",
        "difficulty": "10",
        "required": 5,
    }
    given |= {"every": "1 hour", "skill": "Boats", **options}
    return await world.gina.slash(world.zone, "barmore task start", **given)


@pytest.mark.rule("BAR-COMPLEX")
async def test_work_over_days_with_a_button_two_restarts_old(world: World) -> None:
    await bar_table(world)
    await _task(world)
    first = world.newest("Roll on")
    assert "0 of 5" in texts(first) and "One roll takes 1 hour." in texts(first)
    await world.restart()
    await world.env.advance_time(DAY)
    await world.restart()
    assert "Marek" in refusal_of(await world.press(world.ben, first, "Roll on"))
    world.dice.lay(8, 8, 4, 1)
    panel = message_of(await world.press(world.ana, first, "Roll on"))
    await world.press(world.ana, panel, "Roll d8")
    text = texts(world.last())
    assert texts(panel) == "## Mend the hull (t1)\n-# #5", (
        "everybody reads the rest, and so does Ana"
    )
    assert "Success, +2 levels**" in text
    assert "4d8 (8, 8, 4, 1) = **21**" in text
    assert "2 of 5 levels so far" in text
    assert "Success, +2 levels**" in private(await world.ben.slash(world.zone, "table last"))
    assert "has moved on: it has 1 roll now" in refusal_of(
        await world.press(world.ana, first, "Roll on")
    )
    world.dice.lay(1, 1, 1, 1)
    text = public(await world.ana.slash(world.zone, "barmore task roll"))
    assert "Botch, −1 level**" in text
    world.dice.lay(8, 8, 8, 8)
    text = public(await world.ana.slash(world.zone, "barmore task roll", task="mend"))
    assert "Done." in text and "5 of 5" in text and "3 rolls so far, 3 hours in all" in text
    assert "Roll on" not in labels(world.last())
    assert "is over" in refusal_of(
        await world.ana.slash(world.zone, "barmore task roll", task="t1")
    )
    log = private(await world.gina.slash(world.zone, "gm log"))
    assert "rolled for a complex action: Mend the hull (t1)" in log
    await world.gina.slash(world.zone, "gm undo")
    assert "1 of 5" in private(await world.ben.slash(world.zone, "barmore task show"))


@pytest.mark.rule("BAR-COMPLEX")
async def test_the_next_roll_of_long_work_is_among_ones_moves(world: World) -> None:
    await bar_table(world)
    await _task(world)
    await world.restart()
    mine = await world.ana.slash(world.zone, "moves")
    assert "Mend the hull (t1): 0 of 5 levels" in private(mine)
    assert "Nothing to do right now." in private(await world.gina.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.ana, message_of(mine), "Roll on"))
    await world.choose(world.ana, panel, "All the rest", "halvings: 1")
    await world.press(world.ana, panel, "Roll d8")
    assert "Nothing to do right now." in private(await world.ana.slash(world.zone, "moves"))
    theirs = await world.gina.slash(world.zone, "moves")
    assert "Mend the hull (t1): The GM decides" in private(theirs)
    world.dice.lay(8, 8, 4)
    await world.press(world.gina, message_of(theirs), "Accept and roll")
    assert "1 roll so far" in texts(world.last())
    assert "Nothing to do right now." in private(await world.gina.slash(world.zone, "moves"))


@pytest.mark.rule("BAR-COMPLEX")
async def test_hidden_work_tells_players_no_numbers(world: World) -> None:
    await bar_table(world, gm_channel=True)
    private(await _task(world, difficulty="-97", hidden=True, required=47))
    world.dice.lay(8, 8, 4, 1)
    private(await world.ana.slash(world.zone, "barmore task roll"))
    text = texts(world.last())
    private(await world.ben.slash(world.zone, "table last"))
    assert "Success**" in text and "47 needed; only the GM knows how far it is." in text
    private(await world.ben.slash(world.zone, "barmore task show"))
    world.dice.lay(8, 8, 8, 8)
    private(await world.ana.slash(world.zone, "barmore task roll"))
    text = texts(world.last())
    assert "Done." in text and "All 47 reached." in text
    assert "48" not in text
    for who in (world.ana, world.ben):
        assert "-97" not in world.told(who) and "−97" not in world.told(who)
        assert "**21**" not in world.told(who)
    assert "**21**" in world.told(world.gina)


async def test_of_somebody_off_stage_nobody_hears(world: World) -> None:
    await bar_table(world, gm_channel=True)
    await world.gina.slash(world.zone, "gm npc add", name="Zorvath", stage="off")
    await _task(world, who="Zorvath", name="xplotx")
    await world.gina.slash(world.zone, "barmore task roll")
    await world.ana.autocomplete(world.zone, "barmore task roll", "task", "")
    assert refusal_of(await world.ana.slash(world.zone, "barmore task show", task="t1"))
    private(await world.ana.slash(world.zone, "barmore task show"))
    assert "Zorvath" not in world.told(world.ana) and "xplotx" not in world.told(world.ana)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"difficulty": "9137"}, "−100 to 1000"),
        ({"difficulty": "x"}, "whole number"),
        ({"every": "soon"}, "“soon” isn't a length of time"),
        ({"skill": "Swiming"}, "Swimming"),
        ({"who": "Nobody"}, "Nobody"),
    ],
)
async def test_work_that_cannot_be_is_refused(
    world: World, options: dict[str, str], words: str
) -> None:
    await bar_table(world)
    before = await world.revision()
    assert words in refusal_of(await _task(world, **options))
    assert await world.revision() == before


async def test_players_may_give_up_what_is_theirs_and_set_nothing(world: World) -> None:
    await bar_table(world)
    await _task(world)
    given: dict[str, Any] = {
        "name": "x",
        "who": "Marek",
        "difficulty": "1",
        "required": 1,
        "every": "1 hour",
    }
    assert refusal_of(await world.ana.slash(world.zone, "barmore task start", **given))
    assert refusal_of(await world.ben.slash(world.zone, "barmore task drop"))
    private(await world.ana.slash(world.zone, "barmore task drop"))
    assert "Dropped." in texts(world.last())


# --- several things at once -----------------------------------------------------------------------


@pytest.mark.rule("BAR-MULTI")
async def test_the_least_time_of_several_things_is_told(world: World) -> None:
    await bar_table(world)
    before = await world.revision()
    text = public(
        await world.ana.slash(world.zone, "barmore at-once", times="1 hour, 30 minutes, 15 min")
    )
    assert "1 hour alone.\n30 minutes alone.\n15 minutes alone.\nAll at once:" in text
    assert "at least 1 hour, 22 minutes and 30 seconds" in text
    for times, words in (
        ("2 hours", "`times`"),
        ("1 hour, soon", "“soon”"),
        ("1 hour, -2 hours", "invalid value: -2 hours"),
    ):
        assert words in refusal_of(
            await world.ana.slash(world.zone, "barmore at-once", times=times)
        )
    assert await world.revision() == before


async def test_work_of_somebody_unknown_takes_no_number_from_the_others(world: World) -> None:
    await bar_table(world, gm_channel=True)
    await bring(world, world.gina, {"name": "Zorvath", "abilities": {"Boats": 1}}, npc=True)
    await _task(world)
    for name in ("Sink the ferry", "Burn the mill"):
        assert " (th" in texts(message_of(await _task(world, name=name, who="Zorvath")))
    await world.restart()
    await _task(world, name="Caulk the deck")
    shown = private(await world.ana.slash(world.zone, "barmore task show"))
    assert "Mend the hull (t1)" in shown and "Caulk the deck (t2)" in shown
    assert "t3" not in shown and "t4" not in shown
    found = private(await world.gina.slash(world.zone, "barmore task show"))
    order = [
        found.index(name)
        for name in ("Caulk the deck", "Burn the mill", "Sink the ferry", "Mend the hull")
    ]
    assert order == sorted(order), "the newest is first"
    await world.gina.slash(world.zone, "gm undo")
    await _task(world, name="Paint the mast")
    assert "Paint the mast (t3)" in private(await world.ana.slash(world.zone, "barmore task show"))
