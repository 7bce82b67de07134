"""Rounds of EGO through Discord: Karma, initiative, Action Points, what ends with a round, enemies
in groups.
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.ego.character.combat_values import points_of
from tests.discord.ego.table import (
    attack,
    meet,
    misses,
    open_table,
    read_by_gms,
    refused_attack,
    sheet,
)
from tests.discord.rounds import begin_confirmed, gather, next_round, next_turn
from tests.discord.world import (
    SHARED,
    World,
    card,
    controls,
    labels,
    menu,
    menus,
    message_of,
    private,
    public,
    refusal_of,
    texts,
)

#: Initiative of Vesna, Boris and an orc.
ROLLS = (2, 1, 1, 1, 1, 1, 1, 1, 1, 1)


MENUS = {"points": "Action Points", "dice": "Dice for initiative"}


async def spend(world: World, who: Any, *chosen: str) -> Any:
    """Somebody chooses what Karma is spent on."""
    form = message_of(await world.press(who, world.newest("Spend Karma"), "Spend Karma"))
    left = (
        await sheet(world, texts(form).splitlines()[0].removeprefix("## ").partition(":")[0])
    ).karma
    assert f"({left} left)" in texts(form), "one panel says what there is"
    for each in chosen:
        key, _, number = each.partition(": ")
        await world.choose(who, form, MENUS[key], number)
    cost = sum(int(each.rpartition(" ")[2]) for each in chosen)
    return await world.press(who, form, f"Spend {cost} Karma")


@pytest.mark.rule("EGO-CMB-01", "EGO-KAR-04", "EGO-KAR-02", "EGO-INI-01", "EGO-AP-01")
async def test_a_round_begins_with_karma_and_initiative(world: World) -> None:
    await open_table(world, gm_channel=True, step_in_minutes=60)
    await gather(world, "Orc")
    assert "Round 1: initiative is rolled once everybody has answered." in await next_turn(world)
    await world.restart()
    # Vesna 4 dice and 1 for Karma, Boris 4, the orc 2; Intellect 4 each.
    private(await spend(world, world.ana, "points: 2", "dice: 1"))
    assert (await sheet(world, "Vesna")).karma == 2
    assert "Vesna: 2" not in world.told(world.ben) and "Karma 5" not in world.told(world.ben)
    assert "still open" in refusal_of(await world.gina.slash(world.zone, "initiative next"))
    world.dice.lay(1, 1, 1, 1, 6, 2, 2, 2, 2, 6, 5)
    await world.press(world.ben, world.newest("Pass"), "Pass")
    assert world.dice.left == 0
    shown = card(world)
    assert shown.startswith("## Initiative, round 1")
    for line in (
        "**Vesna:** 2 more Action Points, 1 more die for initiative",
        "Vesna, initiative: 5d6 (1, 1, 1, 1, 6) + 4 = **14**",
        "Boris, initiative: 4d6 (2, 2, 2, 2) + 4 = **12**",
    ):
        assert line in shown, line
    assert "Orc, initiative" not in world.told(world.ana)
    assert "Orc, initiative: 2d6 (6, 5) = **11**" in texts(world.card(room=world.gm_room))
    call = texts(world.last())
    assert (
        "Vesna, you're up" in call and "6 of 6 Action Points" in call and "Boris goes next" in call
    )
    await world.gina.slash(world.zone, "gm undo")
    assert (await world.state()).encounters[str(world.zone.id)].opening, (
        "the last pass is taken back"
    )
    assert points_of(await sheet(world, "Vesna")).all == 6


async def test_nobody_acts_while_a_round_is_opening(world: World) -> None:
    await open_table(world, step_in_minutes=60)
    await gather(world)
    await next_turn(world)
    assert labels(world.newest("NPCs")) == ["My moves", "Join", "NPCs"], "no button of a turn"
    assert "The round hasn't begun yet" in refusal_of(
        await world.ana.slash(world.zone, "initiative delay")
    )


@pytest.mark.rule("EGO-KAR-04")
async def test_karma_buys_more_points_than_anybody_has(world: World) -> None:
    await open_table(world, boris={"karma": 9}, step_in_minutes=60)
    await gather(world)
    await next_turn(world)
    private(await spend(world, world.ben, "points: 9"))
    world.dice.lay(*ROLLS[:8])
    await world.press(world.ana, world.newest("Pass"), "Pass")
    assert points_of(await sheet(world, "Boris")).all == 13


@pytest.mark.rule("EGO-KAR-02", "EGO-KAR-04")
async def test_karma_is_offered_as_far_as_it_goes(world: World) -> None:
    """One number of each, together no more than is left; without Karma only Pass."""
    await open_table(world, boris={"karma": 0}, step_in_minutes=60)
    await world.gina.slash(world.zone, "gm settings", setting="open points", value="off")
    await gather(world)
    await next_turn(world)
    form = message_of(await world.press(world.ana, world.newest("Spend Karma"), "Spend Karma"))

    def offered(name: str) -> list[str]:
        return [each["value"] for each in menu(form, name)["options"] if each["value"] != ":none"]

    assert offered("Action Points") == [*"12345"]
    assert offered("Dice for initiative") == [*"123"]
    assert menu(form, "Action Points").get("max_values", 1) == 1
    assert "in `with`" not in texts(form)
    await world.choose(world.ana, form, "Action Points", "4")
    assert offered("Dice for initiative") == ["1"] and offered("Action Points") == [*"12345"]
    await world.choose(world.ana, form, "Action Points", "5")
    assert not menus(form, "Dice for initiative") and "Dice for initiative…" not in labels(form)
    await world.press(world.ana, form, "Spend 5 Karma")
    panel = message_of(await world.press(world.ben, world.newest("Spend Karma"), "Spend Karma"))
    assert "Pass" in labels(panel) and "Spend Karma…" not in labels(panel)
    world.dice.lay(*ROLLS[:8])
    await world.press(world.ben, panel, "Pass")
    assert world.dice.left == 0


@pytest.mark.rule("EGO-KAR-02")
async def test_no_karma_is_offered_for_dice_where_there_is_none(world: World) -> None:
    await open_table(world, boris={"karma": 2})
    await world.ana.slash(
        world.zone, "contest", target="Boris", skill="Acrobatics", approach="a race"
    )
    panel = message_of(await world.press(world.ben, world.newest("Respond"), "Respond"))
    values = [each["value"] for each in menu(panel, SHARED)["options"]]
    assert [each for each in values if each.startswith("karma")] == ["karma: 1", "karma: 2"]
    await world.gina.slash(world.zone, "gm adjust", character="Boris", what="karma", value="0")
    panel = message_of(await world.press(world.ben, world.newest("Respond"), "Respond"))
    assert "Karma" not in str(controls(panel)), controls(panel)
    told = refusal_of(
        await world.ben.slash(world.zone, "check", skill="Acrobatics", **{"with": "karma: 1"})
    )
    assert "You have no Karma left. Leave out `karma`." in told


@pytest.mark.rule("EGO-KAR-04")
async def test_karma_for_nothing_is_no_answer(world: World) -> None:
    await open_table(world, gm_channel=True, step_in_minutes=60)
    await gather(world, "Orc")
    await next_turn(world)
    form = message_of(await world.press(world.ana, world.newest("Spend Karma"), "Spend Karma"))
    assert "Choose what the Karma is for" in texts(form)
    send = next(each for each in controls(form) if each.get("label") == "Spend Karma")
    assert send["disabled"]
    await world.choose(world.ana, form, "Dice for initiative", "1")
    assert "Choose what" not in texts(form)
    await world.choose(world.ana, form, "Dice for initiative", ":none")
    # Whoever presses what was shown before is told, and still asked.
    pressed = world.emit(world.ana, send["custom_id"], form)
    await world.env.settle()
    assert "Choose what the Karma is for" in private(pressed)
    check = await world.check()
    assert check.is_open and not check.data.bought
    await world.choose(world.ana, form, "Action Points", "1")
    await world.press(world.ana, form, "Spend 1 Karma")
    assert [each[1:] for each in (await world.check()).data.bought] == [(1, 0)]


@pytest.mark.rule("EGO-CMB-01", "EGO-ARM-02", "EGO-AP-02", "EGO-AP-04", "EGO-AP-03")
async def test_over_spending_and_what_ends_with_the_round(world: World) -> None:
    await open_table(world)
    await gather(world, "Orc")
    await next_turn(world, *ROLLS)
    drawn = public(await world.ana.slash(world.zone, "ego act", action="draw", weapon="med"))
    assert (
        drawn.startswith("## Vesna acts\nDraws Med Cal, automatic.") and "1 Action Point" in drawn
    )
    await begin_confirmed(world, world.ben, "ego act", action="bars the gate", seconds=40)
    text = texts(world.messages()[-1])
    assert "Bars the gate" in text
    assert "6 Action Points: a lone action, 2 dice fewer on its roll" in text
    assert "You have no time left this round" in refusal_of(
        await world.ben.slash(world.zone, "ego act", action="stand up")
    )
    await attack(world, world.gina, "Vesna", **{"as": "Orc"})
    await meet(world, world.ana, "Pass", *misses(4), 5, 5, *misses(3), *(6,) * 4)
    assert "Vesna: Vitality 12 → 5" in card(world, "c2")
    told = await next_round(world, *ROLLS)
    assert "Vesna's armor wears: AR 5 → 4" in told
    assert points_of(await sheet(world, "Boris")) == points_of(
        (await sheet(world, "Boris")).replace()
    )
    assert points_of(await sheet(world, "Boris")).left == 4
    armor = (await sheet(world, "Vesna")).armour
    assert armor is not None and armor.ar == 4
    await world.gina.slash(world.zone, "gm undo")
    armor = (await sheet(world, "Vesna")).armour
    assert armor is not None and armor.ar == 5
    assert points_of(await sheet(world, "Boris")).alone
    assert "armor wears" in await next_round(world, *ROLLS)


@pytest.mark.rule("EGO-AP-02", "EGO-AP-04")
async def test_a_check_that_takes_too_long_says_what_that_costs(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, *ROLLS[:8])
    pick = {"skill": "Acrobatics", "difficulty": "Easy", "approach": "so", "with": "seconds: 40"}
    # 6 Action Points of 4: of 7 dice 5 are left.
    await world.ana.slash(world.zone, "check", **pick)
    assert "40 seconds cost 6 of 4 Action Points: −2 dice" in texts(world.card("c2"))
    world.dice.lay(*misses(5))
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert world.dice.left == 0
    assert "Acrobatics 3, Agility 4 and −2: too few Action Points" in texts(world.card("c2"))


@pytest.mark.rule("EGO-EFF-02", "EGO-EFF-03", "EGO-REC-02")
async def test_stun_recovery_and_waking(world: World) -> None:
    await open_table(world, boris={"armour": None, "vitality": 10})
    await gather(world)
    await next_turn(world, *ROLLS[:8])
    await attack(world, world.ana, "Boris", weapon="kick", approach="at the knee")
    # Defense 4; the kick 6 dice; damage 5 dice: 13 Stun, 3 more than the Vitality of 10.
    await meet(world, world.ben, "Pass", *misses(4), 5, *misses(5), 6, 6, 6, 4, 4, 5, 5, 5, 1)
    assert "Boris is stunned for 3 rounds" in card(world, "c2")
    await next_turn(world)
    told = await next_turn(world, *ROLLS[:8])
    assert "Boris is stunned for 3 rounds." in told
    assert "Boris recovers 4 points of non-lethal damage, 9 left." in told
    assert points_of(await sheet(world, "Boris")).left == 0
    assert "can't act" in refusal_of(
        await world.ben.slash(world.zone, "ego act", action="stand up")
    )
    await world.restart()
    # Knocked out by another kick, Boris wakes when the fight is over, whatever comes back
    # meanwhile.
    await attack(
        world,
        world.ana,
        "Boris",
        *misses(4),
        5,
        *misses(5),
        *(6,) * 5,
        weapon="kick",
        approach="again",
    )
    assert (await sheet(world, "Boris")).down == "unconscious"
    await world.gina.slash(world.zone, "initiative end")
    assert "Boris comes to." in "\n".join(map(texts, world.messages()))
    assert ((await sheet(world, "Boris")).down, (await sheet(world, "Boris")).non_lethal) == (
        "",
        19,
    )


@pytest.mark.rule("EGO-NME-01", "EGO-NME-02", "EGO-NME-03", "EGO-INI-01")
async def test_enemies_come_in_groups_and_roll_once(world: World) -> None:
    await open_table(world, gm_channel=True)
    private(await world.gina.slash(world.zone, "gm npc add", like="Skeleton", count=3))
    text = texts(world.last(world.gm_room))
    assert "They are Skeleton 1, Skeleton 2 and Skeleton 3." in text
    private(
        await world.gina.slash(
            world.zone, "gm npc add", name="Sister Ode", like="Veterans: Stealth, Medical"
        )
    )
    refusal_of(await world.gina.slash(world.zone, "gm npc add", like="Basilisk"))
    for several in (
        {"name": "2 × Zombie"},
        {"name": "Guard", "like": "2x Soldier"},
        {"like": "2 × Rookies"},
    ):
        private(await world.gina.slash(world.zone, "gm npc add", **several))
        text = texts(world.last(world.gm_room))
        assert "They are " in text and " 1 and " in text, text
    assert "20" in refusal_of(await world.gina.slash(world.zone, "gm npc add", like="21 × Orc"))
    await gather(world, "Skeleton")
    await next_turn(world, *ROLLS[:8], 6, 6)
    order = (await world.state()).encounters[str(world.zone.id)].order
    assert [each.score for each in order[:3]] == [(12,)] * 3, "two dice for all three"
    assert "Skeleton (3), initiative: 2d6 (6, 6) = **12**" in world.told(world.gina).replace(
        "\xa0", " "
    )
    assert "Skeleton" not in world.told(world.ana)


@pytest.mark.rule("EGO-DEF-03", "EGO-SPC-03", "EGO-AP-03")
async def test_tumbling_as_an_action(world: World) -> None:
    await open_table(world)
    await gather(world, "Orc")
    await next_turn(world, *ROLLS)
    world.dice.lay(5, 5, 1)
    await world.ana.slash(world.zone, "ego act", action="tumbling", karma=1)
    assert card(world, "c2").startswith(
        "## ✓ Attacks in close combat need 2 more successes until the round ends"
    )
    vesna = await sheet(world, "Vesna")
    assert (vesna.karma, vesna.round.tumbling, points_of(vesna).left) == (4, 2, 3)
    await attack(world, world.gina, "Vesna", **{"as": "Orc"})
    await meet(world, world.ana, "Pass", *misses(4), 5, 5, *misses(3))
    assert "2 against 2" in await read_by_gms(world, "c3")


@pytest.mark.rule("EGO-KAR-04")
async def test_a_standing_order_spends_karma_and_another_passes(world: World) -> None:
    await open_table(world, step_in_minutes=60)
    private(
        await world.ana.slash(
            world.zone, "orders give", **{"order": "Round: Spend Karma", "with": "points 1"}
        )
    )
    private(await world.ben.slash(world.zone, "orders give", order="Round: never spend Karma"))
    await gather(world)
    told = await next_turn(world, *ROLLS[:8])
    assert "**Vesna:** 1 more Action Point" in told and "Vesna, you're up" in told
    assert ((await sheet(world, "Vesna")).karma, points_of(await sheet(world, "Vesna")).all) == (
        4,
        5,
    )
    await world.restart()
    await next_turn(world)
    await next_turn(world, *ROLLS[:8])
    assert (await sheet(world, "Vesna")).karma == 3


@pytest.mark.rule("EGO-KAR-04")
async def test_a_standing_order_keeps_the_karma_that_it_shall(world: World) -> None:
    await open_table(world, step_in_minutes=60)
    empty = refusal_of(await world.ana.slash(world.zone, "orders give", order="Round: Spend Karma"))
    assert "Choose what the Karma is for" in empty, "an order for nothing would pass every round"
    spends = {"order": "Round: Spend Karma", "with": "points 2", "keep": "karma", "amount": 3}
    private(await world.ana.slash(world.zone, "orders give", **spends))
    listed = message_of(await world.ana.slash(world.zone, "orders list"))
    assert "Spend Karma (points: 2), keeping Karma at 3 or more" in texts(listed)
    assert "Round: Spend Karma" not in [
        each["label"] for each in menu(listed, "Add a standing order")["options"]
    ]
    private(await world.ben.slash(world.zone, "orders give", order="Round: never spend Karma"))
    await gather(world)
    told = await next_turn(world, *ROLLS[:8])
    assert "**Vesna:** 2 more Action Points" in told, "on the board"
    assert "Karma for Vesna: 2 more Action Points (Karma 5 → 3)." in told, "in the call"
    assert (await sheet(world, "Vesna")).karma == 3
    await next_turn(world)
    told = await next_turn(world, *ROLLS[:8])
    assert "more Action" not in told and (await sheet(world, "Vesna")).karma == 3, (
        "it would leave 1"
    )


async def test_nobody_sees_that_a_secret_choice_is_undone(world: World) -> None:
    await open_table(world, gm_channel=True, step_in_minutes=60)
    await gather(world)
    await next_turn(world)
    shown, told = card(world), len(world.messages())
    button = next(
        each for each in controls(world.newest("Spend Karma")) if each["label"] == "Spend Karma"
    )
    private(await spend(world, world.ana, "points: 2"))
    own = refusal_of(await world.ana.slash(world.zone, "table undo"))
    assert "only the GM can undo it" in own, "whether it could be would tell who else has answered"
    await world.gina.slash(world.zone, "gm undo")
    await world.env.settle()
    assert (await sheet(world, "Vesna")).karma == 5
    assert card(world) == shown
    (more,) = world.messages()[told:]
    assert "rivate message" in texts(more), "she hears of it, alone"
    assert button["custom_id"] in [
        each.get("custom_id") for each in controls(world.newest("Spend Karma"))
    ]
    private(await spend(world, world.ana, "points: 1"))
    assert (await sheet(world, "Vesna")).karma == 4


@pytest.mark.rule("EGO-AP-03", "EGO-RNG-05")
async def test_reloading_takes_the_whole_round(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, *ROLLS[:8])
    assert "Which weapon" in refusal_of(
        await world.ana.slash(world.zone, "ego act", action="reload")
    )
    refusal_of(await world.ana.slash(world.zone, "ego act", action="reload", weapon="Med Cal"))
    text = public(await world.ana.slash(world.zone, "ego act", action="reload", weapon="assault"))
    assert "Reloads Assault rifle: 12 → 30 rounds." in text and "that takes the whole round" in text
    assert [
        each.rounds for each in (await sheet(world, "Vesna")).arms if each.name == "Assault rifle"
    ] == [30]
    refusal_of(await world.ana.slash(world.zone, "ego act", action="stand up"))
    await begin_confirmed(world, world.ben, "ego act", action="stand up")
    refusal_of(await world.ben.slash(world.zone, "ego act", action="reload", weapon="assault"))


@pytest.mark.rule("EGO-AP-02", "EGO-AP-03")
async def test_drawing_and_striking_are_two_actions(world: World) -> None:
    knife = {"agility": 3, "arms": [{"name": "Hunting Knife"}], "karma": 0}
    await open_table(world, boris=knife)
    await gather(world, "Orc")
    await next_turn(world, 2, 1, 1, 1, 1, 1, 1)
    stab = {"weapon": "Hunting Knife", "approach": "so"}
    assert "That takes 2 Action Points; 1 left this round" in await refused_attack(
        world, world.ben, "Orc", **stab
    )
    await begin_confirmed(world, world.ben, "ego act", action="draw")
    assert "0 left" in await refused_attack(world, world.ben, "Orc", **stab)
    # A kick is one action: with a die less it may cost more than there is.
    await next_round(world, 2, 1, 1, 1, 1, 1, 1)
    await attack(world, world.ben, "Orc", *misses(4), weapon="kick", approach="so")


@pytest.mark.rule("EGO-INI-01")
async def test_an_npc_that_joins_late_is_said_to_act_in_the_next_round(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, *(6,) * 4, *(1,) * 4)
    world.dice.lay(2, 2)
    early = private(await world.gina.slash(world.zone, "initiative add", name="Orc"))
    assert "has passed" not in early
    await next_turn(world)
    world.dice.lay(6, 6, 6)
    late = private(await world.gina.slash(world.zone, "initiative add", name="Goblin"))
    assert "Goblin's turn in round 1 has passed: the first turn is in round 2." in late


@pytest.mark.rule("EGO-INI-01")
async def test_nobody_is_told_an_initiative_that_the_round_rolls_anew(world: World) -> None:
    await open_table(world, step_in_minutes=60)
    await gather(world)
    await world.gina.slash(world.zone, "initiative next")
    before = len(world.messages())
    added = await world.gina.slash(world.zone, "initiative add", name="Orc")
    told = [texts(message_of(added)), *[texts(each) for each in world.messages()[before:]]]
    assert "counts besides" not in "".join(told), told
    await world.press(world.ana, world.newest("Pass"), "Pass")
    world.dice.lay(*misses(10))
    await world.press(world.ben, world.newest("Pass"), "Pass")
    assert world.dice.left == 0, "the orc rolls with all others"
    encounter = (await world.state()).encounters[str(world.zone.id)]
    assert all(slot.score for slot in encounter.order)


async def test_a_name_like_a_groups_is_told_when_it_is_added(world: World) -> None:
    await open_table(world)
    await world.gina.slash(world.zone, "gm npc add", name="Brute", like="Skeleton", count=2)
    await gather(world)
    told = private(await world.gina.slash(world.zone, "initiative add", name="brut"))
    assert "Did you mean" in told and "Brute" in told and "/initiative remove" in told, told
    told = private(await world.gina.slash(world.zone, "initiative add", name="The flood"))
    assert "as you wrote it" in told and "Did you mean" not in told, told
