"""What the rules say word for word, through the real commands: treatment, those who are out,
claims, botches.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.discord.barmore import bar_table, roll, rule, sheet_of, side
from tests.discord.world import (
    World,
    card,
    labels,
    menu,
    message_of,
    private,
    public,
    refusal_of,
    selected_values,
    texts,
)


async def _hurt(world: World, name: str, *wounds: str) -> None:
    for each in wounds:
        await world.gina.slash(
            world.zone, "gm adjust", character=name, what="new wound", value=each
        )


async def _treat(world: World, factor: str = "") -> str:
    """Ana treats Ilka's only Wound with success; what the card says then."""
    given: dict[str, Any] = {"method": "treat", "target": "Ilka", "skill": "Athletics"}
    await world.ana.slash(world.zone, "heal", **given, approach="bandages")
    await rule(world, "3", factor=factor)
    world.dice.lay(8, 8, 8)
    name = max((await world.state()).checks.values(), key=lambda each: each.number).id
    return await roll(world, name=name)


# --- treatment ------------------------------------------------------------------------------------


@pytest.mark.rule("BAR-HEAL")
async def test_a_treatment_gives_the_factor_that_the_gm_names_and_no_other(world: World) -> None:
    await bar_table(world)
    await _hurt(world, "Ilka", "physical 2")
    assert "#1 Light (physical) heals at its usual rate" in await _treat(world, "1")
    assert (await sheet_of(world, "Ilka")).wounds[0].factor == 1
    assert "heals 3 times as fast from now on" in await _treat(world, "3")
    await world.restart()
    assert "still heals 3 times as fast" in await _treat(world, "2")
    assert "still heals 3 times as fast" in await _treat(world, "1")
    assert (await sheet_of(world, "Ilka")).wounds[0].factor == Fraction(3)
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet_of(world, "Ilka")).wounds[0].factor == Fraction(3)


@pytest.mark.rule("BAR-HEAL")
async def test_a_failed_treatment_changes_nothing_and_says_so(world: World) -> None:
    await bar_table(world)
    await _hurt(world, "Ilka", "physical 2")
    given: dict[str, Any] = {"method": "treat", "target": "Ilka", "skill": "Athletics"}
    await world.ana.slash(world.zone, "heal", **given, approach="bandages")
    await rule(world, "30", factor="3/2")
    assert "heals 1.5 times as fast" in card(world, "c1")
    world.dice.lay(2, 2, 2)
    told = await roll(world)
    assert "**Ilka:** the Wound stays as it is" in told and "as fast" not in told


@pytest.mark.rule("BAR-HEAL")
async def test_the_panel_says_what_a_treatment_will_do(world: World) -> None:
    await bar_table(world)
    await _hurt(world, "Ilka", "physical 12")
    await world.ana.slash(
        world.zone, "heal", method="treat", target="Ilka", skill="Athletics", approach="x"
    )
    assert "heals no faster" not in texts(world.last()), "nobody has set a factor yet"
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    entries = {
        each["value"]: (each["label"], each.get("description"))
        for each in menu(panel, "Healing")["options"]
    }
    assert entries["1"] == ("Treatment ×1", "A success only stabilizes")
    assert entries["3"] == ("Treatment ×3", "Stabilized, and heals 3 times as fast")
    assert "On a success" not in texts(panel)
    await world.gina.submit_modal(
        await world.press(world.gina, panel, "Write…"), {"difficulty": "6"}
    )
    # Without it nothing can be answered.
    await world.press(world.gina, panel, "Call for a roll")
    assert not (await world.state()).checks["c1"].data.answer
    assert "Fill in Healing first" in texts(panel), texts(panel)
    dialog = await world.press(world.gina, panel, "Call for a roll")
    assert dialog.modal is not None
    hints = [each.get("description") for each in dialog.modal["components"]]
    assert "Healing: missing. For example: 2." in hints, hints
    await world.choose(world.gina, panel, "Healing", "3")
    assert texts(panel).count("**Difficulty:** 6") == 1, texts(panel)
    assert "stabilized and heals 3 times as fast, if it doesn't heal faster already." in texts(
        panel
    )


# --- botches --------------------------------------------------------------------------------------


@pytest.mark.rule("BAR-ROLL", "BAR-OPPOSED")
@pytest.mark.parametrize("command", ["attack", "contest"])
async def test_botches_of_either_side_are_named(world: World, command: str) -> None:
    await bar_table(world)
    await world.ana.slash(world.zone, command, target="Ilka", skill="Boats", approach="row")
    await rule(world, None)
    label = "Defend" if command == "attack" else "Respond"
    panel = await side(world, world.ben, label, "Athletics")
    world.dice.lay(1, 1, 1, 1, 1, 1)
    await world.press(world.ben, panel, label)
    text = card(world)
    head = "## Miss: Ilka isn't hit\n" if command == "attack" else "## Nobody wins"
    assert text.startswith(head)
    assert "**Marek:** Botch" in text and "**Ilka:** Botch" in text
    assert "Botch" in card(world)


@pytest.mark.rule("BAR-ROLL")
async def test_only_who_botched_is_said_to_have(world: World) -> None:
    await bar_table(world)
    await world.ana.slash(world.zone, "attack", target="Ilka", skill="Boats", approach="row")
    await rule(world, None)
    panel = await side(world, world.ben, "Defend", "Athletics")
    world.dice.lay(8, 8, 8, 8, 1, 1)
    await world.press(world.ben, panel, "Defend")
    text = card(world)
    assert (
        text.startswith("## Hit: Ilka is hurt (2 Wounds)\n")
        and "**Ilka:** Botch" in text
        and "**Marek:** Botch" not in text
    )


# --- those who are out ----------------------------------------------------------------------------


@pytest.mark.rule("BAR-TRAUMA", "BAR-OPPOSED")
@pytest.mark.parametrize("command", ["attack", "contest"])
async def test_somebody_who_is_out_does_not_roll_and_what_is_done_to_them_is(
    world: World, command: str
) -> None:
    await bar_table(world)
    await _hurt(world, "Ilka", "physical 12")
    with_what = {"weapon": "Boathook"} if command == "attack" else {}
    await world.ana.slash(
        world.zone, command, target="Ilka", skill="Boats", approach="drag off", **with_what
    )
    await rule(world, None)
    assert "Ilka is out of action and doesn't roll." in card(world)
    assert not {"Respond", "Defend"} & {*labels(world.last())}
    await world.restart()
    world.dice.lay(8, 8, 8, 1)
    text = await roll(world)
    head = (
        "## Hit: Ilka is dying (Critical Wound)\n"
        if command == "attack"
        else "## ✓ Marek wins, level 5\n"
    )
    assert text.startswith(head) and "= **25**" in text
    assert "**Ilka:** out of action: puts up no resistance" in text
    wounds = (await sheet_of(world, "Ilka")).wounds
    assert len(wounds) == (2 if command == "attack" else 1)
    await world.gina.slash(world.zone, "gm undo")
    assert len((await sheet_of(world, "Ilka")).wounds) == 1


@pytest.mark.rule("BAR-TRAUMA", "BAR-OPPOSED")
async def test_who_goes_down_before_the_roll_holds_nobody_back(world: World) -> None:
    await bar_table(world)
    await world.ana.slash(world.zone, "attack", target="Ilka", skill="Boats", approach="low")
    await rule(world, None)
    await _hurt(world, "Ilka", "physical 12")
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    world.dice.lay(1, 1, 1, 1)
    await world.press(world.ana, panel, "Roll")
    assert card(world).startswith("## Miss: Ilka isn't hit\n")
    await world.ana.slash(
        world.zone, "contest", target="Ilka", mode="indirect", difficulty="12", skill="Boats"
    )
    await rule(world, "12")
    world.dice.lay(8, 8, 1, 1)
    assert (await roll(world, name="c2")).startswith("## ✓ Marek wins, level 1\n")


@pytest.mark.rule("BAR-AUTO", "BAR-TRAUMA")
async def test_a_hit_that_takes_no_dice_is_followed_through(world: World) -> None:
    await bar_table(world)
    await _hurt(world, "Ilka", "physical 12")
    await world.ana.slash(
        world.zone, "attack", target="Ilka", weapon="Boathook", skill="Boats", approach="x"
    )
    panel = message_of(await rule(world, None, press="Grant success…"))
    await world.press(world.gina, panel, "Grant success")
    assert (
        "**Ilka:** level 0; Muscle Power +2; Boathook +1 = degree **3**: Light (physical)"
        in card(world)
    )
    assert len((await sheet_of(world, "Ilka")).wounds) == 2


@pytest.mark.rule("BAR-AUTO", "BAR-TRAUMA")
async def test_a_hit_that_takes_no_dice_does_what_the_gm_says(world: World) -> None:
    await bar_table(world)
    await world.ana.slash(
        world.zone, "attack", target="Ilka", weapon="Oar", skill="Boats", approach="x"
    )
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Lethal damage", "no")
    await world.gina.submit_modal(await world.press(world.gina, panel, "Write…"), {"damage": "2"})
    panel = message_of(await world.press(world.gina, panel, "Grant success…"))
    await world.choose(world.gina, panel, "Muscle Power", "yes")
    await world.press(world.gina, panel, "Grant success")
    # Muscle Power 2 and damage 2, half to the body and half to the mind.
    wounds = (await sheet_of(world, "Ilka")).wounds
    assert [(each.kind, each.degree) for each in wounds] == [("physical", 2), ("mental", 2)]


@pytest.mark.rule("BAR-TEAM", "BAR-TRAUMA")
async def test_a_helper_who_goes_down_is_left_out(world: World) -> None:
    await bar_table(world)
    await world.ana.slash(
        world.zone, "barmore team start", mode="simple addition", skill="Boats", approach="pull"
    )
    await world.ben.slash(world.zone, "barmore team join", check="c1", skill="Athletics")
    await _hurt(world, "Ilka", "physical 12")
    await rule(world, "10")
    world.dice.lay(8, 8, 8, 8)
    text = await roll(world)
    assert text.startswith("## ✓ Success") and "Ilka" not in text


# --- claims ---------------------------------------------------------------------------------------


@pytest.mark.rule("BAR-TRAIT", "BAR-POOL", "BAR-TIME")
async def test_each_claim_has_its_own_accept(world: World) -> None:
    await bar_table(world, live=True)
    words = {"with": "use: Rapier, support: Boats, support: Athletics, doublings: 1"}
    await world.propose(world.ana, skill="Blades", difficulty="6", **words)
    assert card(world).startswith("## Waiting for the GM"), "a GM hears of claims in live play too"
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    entries = {each["label"]: each["value"] for each in menu(panel, "All the rest")["options"]}
    assert [each for each in entries if each.startswith("Disallow")] == [
        "Disallow Rapier for Blades",
        "Disallow support from Boats",
        "Disallow support from Athletics",
        "Disallow 2 times the usual time",
    ]
    assert "Pool: 6 Add Dice and 5 Bonus Dice." in texts(panel)
    refused_ = [
        entries["Disallow support from Athletics"],
        entries["Disallow 2 times the usual time"],
    ]
    await world.choose(world.gina, panel, "All the rest", *refused_)
    assert "Pool: 5 Add Dice and 3 Bonus Dice." in texts(panel)
    await world.press(world.gina, panel, "Call for a roll")
    text = card(world)
    assert "Pool: 5 Add Dice and 3 Bonus Dice." in text and "the time is disallowed" in text
    assert "• Support from Boats" in text and "support from Athletics, disallowed" in text
    assert "**Modifiers:** Rapier stands in for Blades, support from Athletics" in text, (
        "the pool says the rest"
    )


@pytest.mark.rule("BAR-TEAM", "BAR-TRAIT")
async def test_who_joins_after_the_answer_with_a_claim_waits_for_the_gm(world: World) -> None:
    await bar_table(world)
    team = {"mode": "simple addition", "skill": "Boats", "approach": "pull"}
    await world.ana.slash(world.zone, "barmore team start", **team)
    await rule(world, "10")
    await world.ben.slash(world.zone, "barmore team join", check="c1", skill="Athletics")
    assert "Roll" in labels(world.card("c1")), "nothing was claimed"
    await world.ben.slash(world.zone, "barmore team join", check="c1", skill="Blades")
    assert card(world).startswith("## Waiting for the GM") and "Roll" not in labels(
        world.card("c1")
    )
    assert refusal_of(await world.ana.slash(world.zone, "barmore team roll", check="c1"))
    await world.restart()
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    entries = {each["label"]: each["value"] for each in menu(panel, "All the rest")["options"]}
    await world.choose(world.gina, panel, "All the rest", entries["Disallow Knives for Blades"])
    await world.press(world.gina, panel, "Call for a roll")
    assert "Pool: 5 Add Dice." in card(world)
    world.dice.lay(8, 8, 8, 8, 8)
    assert (await roll(world)).startswith("## ✓ Success")


@pytest.mark.rule("BAR-OPPOSED", "BAR-TRAIT")
async def test_what_a_defender_claims_waits_for_the_gm(world: World) -> None:
    await bar_table(world)
    await world.ana.slash(world.zone, "attack", target="Ilka", skill="Boats", approach="low")
    await rule(world, None)
    panel = await side(world, world.ben, "Defend", "Blades")
    await world.press(world.ben, panel, "Defend")
    assert card(world).startswith("## Waiting for the GM") and "Roll" not in labels(
        world.card("c1")
    )
    assert "Knives" not in world.told(world.ana)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "Disallow Knives for Blades" in texts(panel)
    # The GM's answer is the last: all dice fall.
    world.dice.lay(1, 1, 1, 1, 8, 8, 8)
    await world.press(world.gina, panel, "Call for a roll")
    assert card(world).startswith("## Miss: Ilka isn't hit\n")


@pytest.mark.rule("BAR-POOL")
async def test_a_refused_claim_cuts_the_conversion_and_the_check_goes_on(world: World) -> None:
    await bar_table(world)
    await world.propose(world.ana, skill="Blades", **{"with": "use: Rapier, convert: 3"})
    await rule(world, "6", options=("disallow: ability",))
    text = card(world)
    assert (
        "no Add Die converted instead of 3: one has to stay" in text and "Pool: 1 Add Die." in text
    )
    world.dice.lay(8)
    assert (await roll(world)).startswith("## ✓ Success")
    await world.propose(world.ana, skill="Boats", **{"with": "convert: 3"})
    await rule(world, "6", options=("halvings: 1",))
    assert "only 2 Add Dice converted instead of 3" in card(world, "c2")
    assert "Pool: 1 Add Die and 2 Bonus Dice." in card(world, "c2")


@pytest.mark.rule("BAR-POOL")
async def test_a_modifier_is_told_as_that_of_whoever_gave_it(world: World) -> None:
    await bar_table(world, live=True)
    await world.propose(world.ana, skill="Boats", difficulty="6", modifier=2)
    text = card(world)
    assert "from the gm" not in text.casefold()
    assert "Modifier: +2 Bonus Dice" in text and "Modifiers" not in text
    await world.gina.slash(world.zone, "gm settings", live=False)
    await world.propose(world.ana, skill="Boats", difficulty="6", modifier=1)
    assert "from the gm" not in card(world, "c2").casefold()
    await rule(world, "6", modifier="-1")
    assert "From the GM: +1 Penalty Die." in card(world, "c2")


@pytest.mark.rule("BAR-TRAIT", "BAR-POOL")
async def test_use_and_support_are_given_several_times(world: World) -> None:
    await bar_table(world)
    both = {"attribute": "Strength", "with": "use: Rapier, use: Muscle Power"}
    await world.gina.slash(
        world.zone, "gm adjust", character="Marek", what="attribute", value="Body none"
    )
    text = public(await world.propose(skill="Blades", **both))
    assert "Rapier stands in for Blades" in text and "Muscle Power stands in for Strength" in text
    words = {"with": "support: Boats, support: Athletics, support: Rapier"}
    text = public(await world.propose(skill="Brawling", **words))
    assert "Pool: 2 Add Dice and 9 Bonus Dice." in text
    for cause in ("Boats: +3", "Athletics: +2", "Rapier: +4"):
        assert f"• Support from {cause} Bonus Dice" in text


# --- either/or ------------------------------------------------------------------------------------


async def _either_or(world: World) -> None:
    team = {"mode": "either or", "skill": "Boats", "approach": "row"}
    await world.ana.slash(world.zone, "barmore team start", **team)
    await world.ben.slash(world.zone, "barmore team join", check="c1", skill="Knives")


@pytest.mark.rule("BAR-TEAM")
async def test_a_draw_is_announced_and_its_odds_are_right(world: World) -> None:
    await bar_table(world)
    await _either_or(world)
    await rule(world, "4", options=("chances: 1",))
    assert "1 of 2 has a chance. The roll shows who." in card(world)
    # 4 dice total 4 or more always, and 4 itself is a botch: (4095 / 4096) / 2.
    told = await world.ana.slash(world.zone, "odds", check="c1")
    assert private(told).startswith("## Marek: 50% against")
    (picture,) = message_of(told).attachments
    assert "d8: 50%" in str(picture.description) and "No dice (total 20): 50%" in str(
        picture.description
    )
    world.dice.lay(8, 8, 8, 8, 8, 8, 8, 1)
    assert "had a chance, by the draw" in await roll(world)


@pytest.mark.rule("BAR-TEAM")
async def test_the_gm_says_who_has_a_chance_and_nobody_hears_before_the_roll(world: World) -> None:
    await bar_table(world)
    await _either_or(world)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    entries = {each["label"]: each["value"] for each in menu(panel, "All the rest")["options"]}
    await rule(world, "4", options=(entries["Ilka has a chance (either/or)"],))
    assert "The GM has chosen who has a chance." in card(world) and "Ilka has a chance" not in card(
        world
    )
    world.dice.lay(8, 8, 8, 8, 8, 8, 8)
    text = await roll(world)
    assert text.startswith("## ✗ Failure") and "Ilka had a chance, as the GM chose" in text
    assert "**Ilka:** Success" in text


# --- what a GM says of it -------------------------------------------------------------------------


@pytest.mark.rule("BAR-ROLL")
async def test_a_gm_may_require_a_degree_of_success(world: World) -> None:
    await bar_table(world)
    await world.propose(world.ana, skill="Boats")
    await rule(world, "10", options=("level: 2",))
    assert "needs level 2 or more" in card(world)
    world.dice.lay(8, 8, 2, 1)
    assert (await roll(world)).startswith("## ✗ Failure, level 0: 19 against 10")
    await world.propose(world.ana, skill="Boats")
    await rule(world, "10", options=("level: 2",))
    world.dice.lay(8, 8, 2, 2)
    assert (await roll(world, name="c2")).startswith("## ✓ Success, level 2: 20 against 10")


@pytest.mark.rule("BAR-OPPOSED", "BAR-ROLL")
async def test_a_level_is_required_only_against_a_difficulty(world: World) -> None:
    await bar_table(world)

    async def levels(command: str, **more: str) -> list[str]:
        await world.ana.slash(
            world.zone, command, target="Ilka", skill="Boats", approach="row", **more
        )
        panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
        values = [each["value"] for each in menu(panel, "All the rest")["options"]]
        return [each for each in values if each.startswith("level")]

    assert await levels("attack") == await levels("contest") == []
    assert await levels("contest", mode="indirect") == ["level: 1", "level: 2", "level: 3"]


@pytest.mark.rule("BAR-AUTO", "BAR-ROLL")
async def test_what_succeeds_anyway_has_no_level_of_failure(world: World) -> None:
    await bar_table(world)
    await world.propose(world.ana, skill="Boats")
    await rule(world, "20", press="Roll how well")
    world.dice.lay(1, 2, 3, 4)
    assert (await roll(world)).startswith("## It succeeds, level 0\n")


@pytest.mark.rule("BAR-TRAUMA")
async def test_the_gm_says_what_bare_hands_and_makeshift_weapons_do(world: World) -> None:
    await bar_table(world)
    await world.ana.slash(
        world.zone, "attack", target="Ilka", weapon="Oar", skill="Boats", approach="low"
    )
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert {each["label"] for each in menu(panel, "Lethal damage")["options"]} == {
        "Lethal damage: as usual",
        "Lethal",
        "Not lethal",
    }
    usual = menu(panel, "Lethal damage")["options"][0]
    assert usual["description"] == "Yes, unless bare-handed"
    assert "Muscle Power doesn't count" in texts(panel)
    await world.choose(world.gina, panel, "Lethal damage", "no")
    await world.choose(world.gina, panel, "Muscle Power", "no")
    await world.gina.submit_modal(await world.press(world.gina, panel, "Write…"), {"damage": "3"})
    await world.press(world.gina, panel, "Call for a roll")
    side_ = await side(world, world.ben, "Defend", "Athletics")
    world.dice.lay(8, 8, 8, 8, 1, 2)
    await world.press(world.ben, side_, "Defend")
    text = card(world)
    assert "not lethal" in text and "damage +3" in text
    assert "Oar +3" in text and "Muscle Power" not in text.partition("level ")[2]
    assert "(physical)" in text and "(mental)" in text


@pytest.mark.rule("BAR-TRAUMA")
async def test_a_weapon_of_the_sheet_counts_as_it_stands_there(world: World) -> None:
    await bar_table(world)
    await world.ana.slash(
        world.zone, "attack", target="Ilka", weapon="Boathook", skill="Boats", approach="x"
    )
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "Not lethal" not in texts(panel)


# --- phases ---------------------------------------------------------------------------------------


@pytest.mark.rule("BAR-PHASE", "BAR-MULTI")
async def test_each_of_several_things_has_its_own_attribute(world: World) -> None:
    await bar_table(world)
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    act: dict[str, Any] = {"action": "three things", "cost": "3, 4, 5"}
    refused_ = await world.ana.slash(world.zone, "barmore act", **act, score="Speed, Wits")
    assert "3 costs and 2 attributes don't match" in refusal_of(refused_)
    told = private(
        await world.ana.slash(world.zone, "barmore act", **act, score="speed, wits, reaction")
    )
    # 3 less Speed 2, 4 less Wits -1, 5 less Reaction Time 1: the longest takes 5, and one more for
    # each.
    assert (
        "That takes 8 phases (base costs 3, 4 and 5, Speed 2, Wits −1 and Reaction Time 1)." in told
    )


# --- the die --------------------------------------------------------------------------------------


@pytest.mark.rule("BAR-DIE")
async def test_the_die_has_its_menu_with_odds_and_the_button_names_it(world: World) -> None:
    await bar_table(world)
    await world.propose(world.ana, skill="Boats")
    await rule(world, "20")
    panel = message_of(await world.press(world.ana, world.newest("Roll"), "Roll"))
    dice = [each["label"] for each in menu(panel, "Die")["options"] if each["value"] != "none"]
    # 4 dice for 20 or more, each counted: 4d8, 4d10 − 4, 4d12 − 8, 4d6 + 4 and 4d4 + 8. A phone
    # shows 30 letters.
    for label, chance in zip(dice[-5:], (38, 40, 42, 34, 26), strict=True):
        assert f"{chance}% to succeed" in label[:30]
    assert "Roll d8" in labels(panel) and "Keep the die, roll later" in labels(panel)
    assert menu(panel, "Die")["options"][0]["label"] == "Die: the usual d8", "as the button says"
    await world.choose(world.ana, panel, "Die", "d12-2")
    assert "Roll d12-2" in labels(panel)
    await world.choose(world.ana, panel, "All the rest", "no dice")
    assert "Go without dice" in labels(panel)


@pytest.mark.rule("BAR-DIE", "BAR-POOL", "BAR-AUTO")
async def test_what_was_said_before_is_taken_back_with_the_die(world: World) -> None:
    await bar_table(world)
    await world.propose(world.ana, skill="Boats", **{"with": "die: d12-2, convert: 2"})
    await rule(world, "10")
    panel = message_of(await world.press(world.ana, world.newest("Roll"), "Roll"))
    assert selected_values(panel, "All the rest") == ["convert: 2"]
    await world.choose(world.ana, panel, "All the rest")
    # 4d8 for 10 or more, no longer 2 of 4d8.
    assert "Pool: 4 Add Dice." in texts(panel) and "d8, 97% to succeed" in texts(panel)
    await world.choose(world.ana, panel, "Die", ":none")
    assert "Roll d8" in labels(panel)
    world.dice.lay(1, 2, 3, 4)
    await world.press(world.ana, panel, "Roll d8")
    assert "4d8 (1, 2, 3, 4) = **10**" in card(world)
    await world.propose(world.ana, skill="Boats", **{"with": "no dice, convert: 1"})
    await rule(world, "10")
    panel = message_of(await world.press(world.ana, world.newest("Roll"), "Roll"))
    await world.choose(world.ana, panel, "All the rest", "convert: 1")
    world.dice.lay(5, 5, 5, 1)
    await world.press(world.ana, panel, "Roll d8")
    assert "4d8 (5, 5, 5, ~~1~~) = **15**" in card(world, "c2")


@pytest.mark.rule("BAR-POOL", "BAR-TIME")
async def test_time_that_the_gm_refuses_takes_no_conversion_away(world: World) -> None:
    await bar_table(world)
    await world.propose(world.ana, skill="Athletics", **{"with": "convert: 1, doublings: 1"})
    await rule(world, "6", options=("doublings: 1", "disallow: time"))
    panel = message_of(await world.press(world.ana, world.newest("Roll"), "Roll"))
    values = [each["value"] for each in menu(panel, "All the rest")["options"]]
    assert [each for each in values if each.startswith("convert")] == ["convert: 1", "convert: 2"]


@pytest.mark.rule("BAR-DIE")
async def test_against_a_hidden_difficulty_the_menu_tells_no_odds(world: World) -> None:
    await bar_table(world)
    await world.propose(world.ana, skill="Boats")
    await rule(world, "20", hidden=True)
    panel = message_of(await world.press(world.ana, world.newest("Roll"), "Roll"))
    assert "to succeed" not in texts(panel) and "to succeed" not in str(menu(panel, "Die"))


# --- complex actions ------------------------------------------------------------------------------


async def _task(world: World, **options: Any) -> None:
    given: dict[str, Any] = {
        "name": "Mend the hull",
        "who": "Marek",
        "difficulty": "10",
        "required": 9,
    }
    given |= {"every": "1 hour", "skill": "Boats", **options}
    await world.gina.slash(world.zone, "barmore task start", **given)


async def test_a_complex_action_without_a_difficulty_is_refused(world: World) -> None:
    await bar_table(world)
    work = {"name": "Mend the hull", "who": "Marek", "required": 9, "every": "1 hour"}
    text = refusal_of(await world.gina.slash(world.zone, "barmore task start", **work))
    assert "A roll needs a difficulty." in text, text


@pytest.mark.rule("BAR-COMPLEX", "BAR-DIE")
async def test_rolling_on_asks_for_the_die(world: World) -> None:
    await bar_table(world)
    await _task(world)
    assert "0 of 9 levels" in texts(world.newest("Roll on"))
    panel = message_of(await world.press(world.ana, world.newest("Roll on"), "Roll on"))
    await world.choose(world.ana, panel, "Die", "d12-2")
    await world.restart()
    assert "Roll d12-2" in labels(panel)
    world.dice.lay(8, 8, 8, 4)
    await world.press(world.ana, panel, "Roll d12-2")
    assert "4d12 (8, 8, 8, 4) − 8 = **20**" in texts(world.last()) and "2 of 9 levels" in texts(
        world.last()
    )


@pytest.mark.rule("BAR-COMPLEX", "BAR-POOL", "BAR-TIME")
async def test_what_a_step_claims_waits_for_the_gm_and_doubling_its_time_counts(
    world: World,
) -> None:
    await bar_table(world)
    await _task(world)
    words = {"with": "support: Athletics, doublings: 1"}
    await world.ana.slash(world.zone, "barmore task roll", **words)
    waiting = world.newest("Accept and roll")
    assert "The GM decides: support from Athletics and 2 times the usual time." in texts(waiting)
    assert refusal_of(await world.press(world.ana, waiting, "Accept and roll"))
    await world.restart()
    world.dice.lay(8, 8, 1, 1, 1, 1, 1)
    await world.press(world.gina, waiting, "Accept and roll")
    text = texts(world.last())
    assert "• Support from Athletics: +2 Bonus Dice" in text and "More time: +1 Add Die" in text
    assert "1 roll so far, 2 hours in all" in text
    await world.gina.slash(world.zone, "gm undo")
    await world.ana.slash(world.zone, "barmore task roll", **words)
    world.dice.lay(8, 8, 1, 1)
    await world.gina.slash(world.zone, "barmore task accept", refuse="support, time")
    text = texts(world.last())
    assert "1 roll so far, 1 hour in all" in text and "the time is disallowed" in text
    assert refusal_of(await world.gina.slash(world.zone, "barmore task accept"))
    await world.ana.slash(world.zone, "barmore task roll", **{"with": "halvings: 1"})
    world.dice.lay(8, 8, 1)
    await world.press(world.gina, world.newest("Accept and roll"), "Accept and roll")
    assert "2 rolls so far, 1 hour and 30 minutes in all" in texts(world.last())


@pytest.mark.rule("BAR-TIME", "BAR-PHASE")
async def test_phases_saved_and_extra_move_the_timeline(world: World) -> None:
    await bar_table(world)
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.ben.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    await world.ana.slash(world.zone, "barmore act", action="climb out", cost="6", score="Speed")
    await world.ben.slash(world.zone, "barmore act", action="bandage", cost="9", score="Wits")
    log = private(await world.gina.slash(world.zone, "gm log"))
    assert "began something on the timeline: Marek: climb out" in log

    async def shown() -> str:
        return private(await world.ben.slash(world.zone, "initiative show"))

    assert "busy until phase 7, bandage" in await shown()
    await world.propose(world.ben, skill="First Aid", **{"with": "phases saved: 1"})
    await rule(world, "6")
    world.dice.lay(8, 8, 8, 8)
    await roll(world, world.ben)
    assert "busy until phase 6, bandage" in await shown()
    await world.gina.slash(world.zone, "gm undo")
    assert "busy until phase 7, bandage" in await shown()
    await world.propose(world.ben, skill="First Aid", **{"with": "phases extra: 2"})
    await rule(world, "6")
    world.dice.lay(8, 8, 8, 8, 8, 8, 8)
    await roll(world, world.ben, name="c2")
    assert "busy until phase 9, bandage" in await shown()


@pytest.mark.rule("BAR-TIME", "BAR-PHASE")
async def test_phases_move_the_timeline_although_something_else_is_open(world: World) -> None:
    await bar_table(world)
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    for _ in range(2):
        await world.propose(world.ana, skill="First Aid", **{"with": "phases extra: 2"})
        await rule(world, "6")
    world.dice.lay(8, 8, 8)
    await roll(world, world.ana)
    assert world.dice.left == 0
    assert "Phase 3" in private(await world.ben.slash(world.zone, "initiative show"))
    assert (await world.state()).checks["c1"].is_open
