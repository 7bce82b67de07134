"""Fights of EGO through Discord: one card for the whole chain, from the attack to what it does."""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.ego.formulas import damage
from tests.discord.ego.play import write
from tests.discord.ego.table import (
    FIGHTER,
    ORC,
    PISTOL,
    RIFLE,
    SWORD,
    attack,
    bring,
    meet,
    misses,
    open_table,
    read_by_gms,
    refused_attack,
    sheet,
)
from tests.discord.world import (
    HOUR,
    LEADING,
    SHARED,
    World,
    button,
    card,
    dialog_values,
    labels,
    menus,
    message_of,
    private,
    refusal_of,
    texts,
)

HACK: dict[str, Any] = {"weapon": SWORD, "approach": "hack at the shield"}


# --- close combat ---------------------------------------------------------------------------------


@pytest.mark.rule("EGO-ATK-01", "EGO-DEF-01", "EGO-DEF-03", "EGO-DMG-04")
async def test_a_sword_against_tumbling_and_a_block(world: World) -> None:
    await open_table(world)
    text = await attack(world, world.ana, "Boris", **HACK)
    assert text.startswith("## Vesna attacks Boris: choose a defense")
    assert "Sword, Long (9 dice)" in text
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    assert "Parry and block" in texts(panel)
    await world.press(world.ben, panel, "Tumble")
    assert "Tumble" not in world.told(world.ana), "nobody else hears of it"
    await world.restart()
    # Tumbling 2, defense 4, block 6 against 9 dice.
    text = await meet(
        world, world.ben, "Block or dodge", 5, 1, 6, *misses(9), *(5,) * 3, *misses(6), *(4,) * 6
    )
    assert text.startswith("## Hit by 1: Boris takes 7 damage")
    for line in (
        "Boris, tumbling: 2d6 (**5**, 1): 1 success",
        "Boris, defense: 4d6 (**6**, 1, 1, 1): 1 success",
        "Boris, block: 6d6 (1, 1, 1, 1, 1, 1): no successes",
        "Vesna, attack: 9d6 (**5**, **5**, **5**, 1, 1, 1, 1, 1, 1): 3 successes",
        "Damage: 6d6 (4, 4, 4, 4, 4, 4): counts 2 + 2 + 2 + 2 + 2 + 2 = **12**",
        "Boris: Vitality 12 → 5",
        "Boris: armor 5 → 4",
        "Boris is impaired, level 2: difficulty +1",
        "Final",
    ):
        assert line in text, line
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Boris")).lethal == 0
    assert card(world).startswith("## Hit by 1 so far"), "whoever is hit lets it stand anew"
    await world.gina.slash(world.zone, "gm undo")
    assert card(world).startswith("## Vesna attacks Boris: choose a defense"), (
        "what is set against it is asked anew"
    )


@pytest.mark.rule("EGO-ATK-01")
async def test_equal_is_a_miss(world: World) -> None:
    await open_table(world)
    await attack(world, world.ana, "Boris", **HACK)
    text = await meet(world, world.ben, "Pass", 5, 5, 1, 1, 5, 5, *misses(7))
    assert text.startswith("## Miss: Boris evades (2 against 2)")


@pytest.mark.rule("EGO-ATK-01", "EGO-IMP-01", "EGO-CHR-05")
async def test_the_number_to_beat_adds_up_on_the_card(world: World) -> None:
    await open_table(world, boris={"lethal": 7, "skills": []}, gm_channel=True)
    await world.gina.slash(world.zone, "gm settings", setting="untrained_plus_one", value="on")
    await attack(world, world.ben, "Vesna", **HACK)
    # Against one success of the defense, a level of impairment and a skill that is not there.
    text = (await meet(world, world.ana, "Pass", 5, *misses(3), 5, 5, 5, *misses(3))).replace(
        "**", ""
    )
    assert text.startswith("## Miss: Vesna evades (3 against 3)"), text
    for line in (
        "Vesna, defense: 4d6 (5, 1, 1, 1): 1 success",
        "To beat: 3",
        "impaired (+1) and untrained (+1)",
    ):
        assert line in text, (line, text)
    # How hurt an NPC is players read in words only, so the number that this moves is the GMs'.
    await bring(world, world.gina, "Wretch", {**ORC, "lethal": 7}, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Wretch")
    await world.gina.slash(world.zone, "attack", target="Vesna", approach="so", **{"as": "Wretch"})
    text = (await meet(world, world.ana, "Pass", 5, *misses(3), 5, 5, *misses(3))).replace("**", "")
    assert text.startswith("## Miss: Vesna evades\n"), text
    for secret in ("To beat", "Modifiers", "impaired"):
        assert secret not in text, text
    gms = await read_by_gms(world)
    assert "To beat: 2" in gms and "impaired (+1)" in gms


@pytest.mark.rule("EGO-EFF-01", "EGO-EFF-02", "EGO-IMP-01")
async def test_a_kick_stuns_and_throws_back(world: World) -> None:
    await open_table(world, boris={"armour": None, "muscle": 9, "vitality": 14})
    await attack(world, world.ana, "Boris", weapon="kick", approach="at the knee")
    # Agility 4 and 2 levels; Muscle 4 and 1 die of damage.
    text = await meet(world, world.ben, "Pass", *misses(4), 5, *misses(5), *(6,) * 5, 5, 5, 5, 1, 1)
    assert text.startswith("## Hit by 1: Boris takes 15 Stun")
    assert "Boris is stunned for 1 round" in text
    assert "Boris is thrown back 30 feet" in text
    assert "Boris, staying conscious: 5d6 (**5**, **5**, **5**, 1, 1): 3 successes" in text
    assert "Boris stays conscious" in text
    assert "Boris: Vitality 14 → 0" in text and "Boris: Stun points 28 → 13" in text
    assert (await sheet(world, "Boris")).down == ""


@pytest.mark.rule("EGO-EFF-03")
async def test_a_knock_out_and_nothing_more_to_do(world: World) -> None:
    await open_table(world, boris={"armour": None, "non_lethal": 16})
    await attack(world, world.ana, "Boris", weapon="punch", approach="on the jaw")
    text = await meet(world, world.ben, "Pass", *misses(4), 5, *misses(5), 6, 6, 6, 1)
    assert (
        text.startswith("## Hit by 1: Boris takes 10 Stun and is knocked out")
        and text.count("knocked out") == 1
    )
    assert (await sheet(world, "Boris")).down == damage.KNOCKED_OUT
    refusal = await refused_attack(world, world.ben, "Orc", **HACK)
    assert "Boris can't act now: unconscious." in refusal
    # Who is helpless is the GM's to judge, in live play, too.
    await attack(world, world.ana, "Boris", **HACK)
    assert (await world.check("c2")).stage == "proposed"


@pytest.mark.rule("EGO-DMG-04")
async def test_the_dead_are_no_target(world: World) -> None:
    await open_table(world)
    text = await attack(world, world.ana, "Goblin", *misses(3), 5, *misses(8), *(6,) * 6, **HACK)
    assert text.startswith("## ✓ Hit by 1: Goblin dies")
    assert "Goblin dies" in text
    assert "The target is dead already." in await refused_attack(world, world.ana, "Goblin", **HACK)


@pytest.mark.rule("EGO-NME-01")
async def test_what_an_npc_can_take_only_the_gms_read(world: World) -> None:
    await open_table(world, gm_channel=True)
    text = await attack(world, world.ana, "Orc", *misses(2), 5, *misses(8), *(5,) * 6, **HACK)
    assert text.startswith("## ✓ Hit by 1: Orc dies")
    assert "Vitality" not in world.told(world.ana) and "armor" not in text
    assert "Orc: Vitality 12 → 0" in texts(world.last(world.gm_room))


@pytest.mark.rule("EGO-NME-01", "EGO-ATK-01")
async def test_an_orc_attacks_and_is_parried(world: World) -> None:
    await open_table(world)
    await attack(world, world.gina, "Vesna", **{"as": "Orc"})
    text = await meet(world, world.ana, "Parry", *misses(9), 5, 5, *misses(3), 6, 5, 4, 3)
    assert text.startswith("## Hit: Vesna takes 5 damage")
    assert "Hit by 2" in await read_by_gms(world)
    assert "Orc, attack:** 2 successes" in text and "Damage:** 10" in text
    assert "5d6" not in text and "4d6" not in text, "how many dice an NPC has is for the GMs"


@pytest.mark.rule("EGO-NME-01", "EGO-RNG-04", "EGO-AP-01")
async def test_an_enemy_shoots_as_often_as_it_has_points(world: World) -> None:
    await open_table(world)
    await world.gina.slash(world.zone, "gm settings", setting="enemy_ap", value="def")
    await begin_round(world)
    await world.gina.slash(world.zone, "initiative add", name="Orc")
    shot = {"as": "Orc", "with": "range: long"}
    for _ in range(2):
        assert "0 against 3" not in await attack(world, world.gina, "Vesna", *misses(5), **shot)
        assert "Miss, 0 against 3" in await read_by_gms(world)
    assert "That takes 1 Action Point" in await refused_attack(world, world.gina, "Vesna", **shot)


@pytest.mark.rule("EGO-DMG-03", "EGO-NME-01")
async def test_a_gm_says_what_kind_of_damage_an_npc_does(world: World) -> None:
    await open_table(world, boris={"armour": None})
    words = {"with": "type: non-lethal"}
    await world.gina.slash(world.zone, "attack", target="Boris", **{"as": "Orc"} | words)
    text = await meet(world, world.ben, "Pass", *misses(4), 5, *misses(4), 1, 1, 1, 1)
    assert text.startswith("## Hit: Boris takes 4 Stun"), text
    boris = await sheet(world, "Boris")
    assert (boris.lethal, boris.non_lethal) == (0, 4)
    assert "Only the GM can do that." in await refused_attack(
        world, world.ana, "Boris", **HACK | words
    )


# --- at range -------------------------------------------------------------------------------------


@pytest.mark.rule("EGO-RNG-01", "EGO-RNG-02")
@pytest.mark.parametrize(
    ("words", "number", "faces", "head"),
    [
        ("range: 75", "1 (short range)", (5, *misses(7)), "## ✓ Hit: Orc is hurt"),
        (
            "range: 100, cover",
            "4 (medium range)",
            (5, 5, 5, 1, *misses(4)),
            "## ✗ Miss, 3 against 4",
        ),
        (
            "range: 170, targeting device",
            "2 (long range)",
            (5, 5, 5, *misses(5)),
            "## ✓ Hit by 1: Orc is hurt",
        ),
    ],
)
async def test_a_pistol_at_three_ranges(
    world: World, words: str, number: str, faces: tuple[int, ...], head: str
) -> None:
    await open_table(world)
    damage = (6, 6, 6) if "Hit" in head else ()
    text = await attack(
        world, world.ana, "Orc", *faces, *damage, weapon=PISTOL, approach="bang", **{"with": words}
    )
    assert text.startswith(head)
    assert f"Difficulty:** {number}" in text or "against" in head, "the head says it, too"
    assert "rounds in Med Cal, automatic 6 → 5" in text
    if damage:
        assert "Damage: 3d6 (6, 6, 6): counts 3 + 3 + 3 + 2 = **11**" in text


@pytest.mark.rule("EGO-RNG-04")
async def test_more_shots_than_the_rate_of_fire(world: World) -> None:
    await open_table(world)
    fast = {"weapon": PISTOL, "approach": "so", "with": "range: short, shots: 3"}
    assert "It fires at most 2 shots a round." in await refused_attack(
        world, world.ana, "Orc", **fast
    )


@pytest.mark.rule("EGO-RNG-05")
async def test_automatic_fire_empties_a_magazine(world: World) -> None:
    await open_table(world)
    shot = {"weapon": RIFLE, "approach": "spray", "with": "range: short, full auto"}
    text = await attack(world, world.ana, "Orc", 5, *misses(3), *(1,) * 8, **shot)
    assert "Assault rifle (4 dice, drawn first) and full auto" in text
    assert (
        "Damage: 8d6 (1, 1, 1, 1, 1, 1, 1, 1): counts 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 2 = **10**"
        in text
    )
    assert "rounds in Assault rifle 12 → 2" in text
    empty = await refused_attack(world, world.ana, "Orc", **shot)
    assert "That takes 6 rounds; 2 left. Reload" in empty
    await world.restart()
    single = shot | {"with": "range: short"}
    await attack(world, world.ana, "Orc", *misses(8), **single)
    await attack(world, world.ana, "Orc", *misses(8), **single)
    assert "That takes 1 round; 0 left." in await refused_attack(world, world.ana, "Orc", **single)
    await world.gina.slash(world.zone, "gm undo")
    assert (
        next(each.rounds for each in (await sheet(world, "Vesna")).arms if each.name == RIFLE) == 1
    )


@pytest.mark.rule("EGO-AOE-01")
async def test_a_grenade_among_four(world: World) -> None:
    await open_table(world)
    thrown = {"weapon": "Frag Grenade", "approach": "over the wall"}
    words = "range: medium, caught: Boris 10, caught: Goblin 15, caught: Vesna 16"
    # Medium is 2, made for throwing 1.
    text = await attack(
        world, world.ana, "Orc", 5, *misses(6), 6, 6, 6, 5, **thrown, **{"with": words}
    )
    assert text.startswith("## ✓ Hit: 3 caught in the blast")
    assert "Nearby: Boris, Goblin and Vesna" in text.replace("*", "")
    assert "Damage: 4d6 (6, 6, 6, 5): counts 3 + 3 + 3 + 3 = **12**" in text
    assert "Boris: Vitality 12 → 5" in text and "Goblin dies" in text
    assert (await sheet(world, "Vesna")).lethal == 0
    assert [(await sheet(world, name)).lethal for name in ("Orc", "Boris", "Goblin")] == [7, 7, 9]
    await world.gina.slash(world.zone, "gm undo")
    assert [(await sheet(world, name)).lethal for name in ("Orc", "Boris", "Goblin")] == [0, 0, 0]
    # Who is dead already is not caught.
    await world.gina.slash(world.zone, "gm adjust", character="Goblin", what="lethal", value="6")
    text = await attack(
        world, world.ana, "Orc", 5, *misses(6), 6, 6, 6, 5, **thrown, **{"with": words}
    )
    assert (
        text.startswith("## ✓ Hit: 2 caught in the blast")
        and "Goblin" not in text.partition("Modifiers")[2]
    ), text


@pytest.mark.rule("EGO-AOE-01")
async def test_who_is_caught_is_read_by_name(world: World) -> None:
    await open_table(world, live=False)
    await bring(world, world.gina, "Guard 1", ORC, npc=True)
    await bring(world, world.gina, "Guard 2", ORC, npc=True)
    for name in ("Guard 1", "Guard 2"):
        await world.gina.slash(world.zone, "gm npc reveal", npc=name)
    words = {"with": "range: medium, caught: Boris 10, caught: Guard 2"}
    await world.ana.slash(
        world.zone, "attack", target="Orc", weapon="Frag Grenade", approach="so", **words
    )
    for who, name in ((world.ana, "Edit"), (world.gina, "Answer")):
        panel = message_of(await world.press(who, world.newest(name), name))
        assert "Boris 10" in texts(panel) and "Guard 2 0" in texts(panel), texts(panel)
    dialog = await world.press(world.gina, panel, "Write…")
    assert dialog_values(dialog)["caught"] == "Boris 10\nGuard 2 0"
    await world.gina.submit_modal(dialog, dialog_values(dialog) | {"caught": "Boris 3\nGuard 2"})
    world.dice.lay(5, *misses(6), 6, 6, 6, 5)
    await world.press(world.gina, panel, "Call for a roll")
    assert texts(world.newest_card()).startswith("## ✓ Hit: 3 caught in the blast")
    assert (await sheet(world, "Guard 2")).lethal == 7


@pytest.mark.rule("EGO-AOE-01")
async def test_nobody_hears_of_somebody_unknown_near_a_blast(world: World) -> None:
    await open_table(world)
    await bring(world, world.gina, "Thug", FIGHTER, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Thug")
    await bring(world, world.gina, "Lurker", ORC, npc=True)
    thrown = {"as": "Thug", "weapon": "Frag Grenade", "approach": "so"}
    words = {"with": "range: medium, caught: Boris 10, caught: Lurker 5"}
    text = await attack(world, world.gina, "Vesna", *misses(7), **thrown, **words)
    assert "Miss" in text and "Lurker" not in text and "Nearby" not in text
    assert "Nearby: Boris and Lurker" in await read_by_gms(world)


@pytest.mark.rule("EGO-AOE-01", "EGO-AP-03")
async def test_what_a_crew_serves_need_not_be_drawn(world: World) -> None:
    await open_table(world, boris={"arms": [{"name": "Ballista"}]})
    await begin_round(world)
    bolt = {"weapon": "Ballista", "approach": "so", "with": "range: short"}
    text = await attack(world, world.ben, "Orc", *misses(4), **bolt)
    assert "Boris: Action Points 4 → 3" in text


# --- changes of dice, and the GM ------------------------------------------------------------------


async def test_a_refusal_names_whoever_is_waited_for(world: World) -> None:
    await open_table(world, step_in_minutes=10)
    await attack(world, world.ana, "Orc", *misses(2), 5, *misses(8), **HACK)
    pressed = await world.press(world.ben, world.card(), "Accept result")
    assert "Vesna belongs to" in refusal_of(pressed)


@pytest.mark.rule("EGO-KAR-03", "EGO-DIE-05")
async def test_karma_turns_a_miss_into_a_hit_while_dice_can_change(world: World) -> None:
    await open_table(world, step_in_minutes=10)
    await attack(world, world.ana, "Boris", **HACK)
    text = await meet(world, world.ben, "Pass", *misses(4), *misses(9))
    assert text.startswith("## Miss so far: 0 against 0")
    await world.restart()
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    flip = next(each for each in texts(panel).splitlines() if "Karma" in each)
    assert len(flip) < 36, "a phone cuts what is longer"
    await world.press(world.ana, panel, flip)
    assert card(world).startswith("## Hit by 1 so far")
    assert (await sheet(world, "Vesna")).karma == 4
    await world.spend(world.card(), "Accept result", world.ana)
    assert "1 success, 1 by Karma" in card(world) and "Vesna: Karma 5 → 4" in card(world)
    world.dice.lay(*(4,) * 6)
    await world.spend(world.card(), "Accept result", world.ben)
    assert card(world).startswith("## Hit by 1: Boris takes 7 damage")


@pytest.mark.rule("EGO-DIE-01", "EGO-KAR-02", "EGO-MUS-01")
async def test_karma_for_an_attack_without_dice_is_not_spent_unwarned(world: World) -> None:
    await open_table(
        world, boris={"muscle": 3, "agility": 3, "skills": [], "arms": [{"name": "Maul"}]}
    )
    maul = {"weapon": "Maul", "approach": "so", "with": "karma: 1"}
    assert "Even with Karma, Boris has no dice" in await refused_attack(
        world, world.ben, "Orc", **maul
    )
    assert (await sheet(world, "Boris")).karma == 5
    # With dice enough it is spent.
    kick = maul | {"weapon": "kick"}
    await attack(world, world.ben, "Orc", *misses(2), 1, **kick)
    assert (await sheet(world, "Boris")).karma == 4


async def test_outside_live_play_the_gm_has_the_last_word(world: World) -> None:
    await open_table(world, live=False)
    await attack(
        world,
        world.ana,
        "Orc",
        weapon=PISTOL,
        approach="from the roof",
        **{"with": "range: short, unaware"},
    )
    assert card(world).startswith("## Waiting for the GM") or card(world).startswith(
        "## Sent to the GM"
    )
    assert (await sheet(world, "Vesna")).arms[1].rounds == 6, "nothing is paid before the answer"
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    world.dice.lay(*(5,) * 8, 6, 6, 6)
    await world.press(world.gina, panel, "Call for a roll")
    assert card(world).startswith("## ✓ Hit by 7: Orc is hurt")


@pytest.mark.rule("EGO-CHR-05")
async def test_a_gm_makes_an_attack_harder_for_want_of_its_skill(world: World) -> None:
    await open_table(world, live=False, boris={"skills": []})
    shot = {"weapon": PISTOL, "approach": "so", "with": "range: short"}
    for who, number in ((world.ben, 2), (world.ana, 1)):
        await who.slash(world.zone, "attack", target="Orc", **shot)
        panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
        await world.choose(world.gina, panel, SHARED, "untrained")
        world.dice.lay(*misses(8 if number == 1 else 5))
        await world.press(world.gina, panel, "Call for a roll")
        assert world.dice.left == 0
        text = texts(world.newest_card())
        assert f"0 against {number}" in text and ("untrained (+1)" in text) is (number == 2), text


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"weapon": "halberd"}, "You have no “halberd” at hand."),
        ({"weapon": PISTOL}, "How far away is the target?"),
        ({"weapon": PISTOL, "with": "range: -5"}, "No range “-5”."),
        ({"weapon": SWORD, "with": "two hands"}, "Leave out `two hands`."),
        ({"weapon": SWORD, "with": "to damage: 3"}, "0 to 2"),
        ({"weapon": SWORD, "with": "karma: 3, karma damage: 1"}, "all for one roll"),
    ],
)
async def test_what_cannot_be_changes_nothing(
    world: World, options: dict[str, Any], why: str
) -> None:
    await open_table(world)
    before = await world.revision()
    assert why in await refused_attack(world, world.ana, "Orc", approach="so", **options)
    assert await world.revision() == before


async def _page(world: World, who: Any, panel: Any, menu: str) -> Any:
    """The page of a panel that has that menu."""
    for _ in range(5):
        if menus(panel, menu):
            break
        await world.press(who, panel, "More…")
    return panel


async def _offered(world: World, who: Any, panel: Any) -> list[str]:
    """The words of the menus that switches share."""
    found: list[str] = []
    for title in (SHARED, LEADING):
        for menu in menus(await _page(world, who, panel, title), title):
            found += [each["value"] for each in menu["options"]]
    return found


@pytest.mark.rule("EGO-RNG-05", "EGO-RNG-03", "EGO-DMG-03")
async def test_only_what_a_weapon_can_do_is_offered(world: World) -> None:
    sword = {"name": SWORD, "drawn": True}
    await open_table(world, boris={"arms": [sword, {"name": PISTOL}]})
    panel = message_of(await world.ben.slash(world.zone, "attack"))
    there = await _offered(world, world.ben, panel)
    assert "cover" in there and "thrown" in there, there
    assert not {"two hands", "burst", "full auto"} & {*there}, "nothing that is carried can do that"
    # Who carries more is offered more, until a weapon is chosen.
    panel = message_of(await world.ana.slash(world.zone, "attack"))
    assert {"burst", "full auto", "thrown"} <= {*await _offered(world, world.ana, panel)}
    await world.choose(world.ana, await _page(world, world.ana, panel, LEADING), LEADING, "burst")
    await world.choose(world.ana, panel, "Target", "k3")
    await world.choose(world.ana, await _page(world, world.ana, panel, "Weapon"), "Weapon", PISTOL)
    await world.choose(world.ana, await _page(world, world.ana, panel, "Range"), "Range", "short")
    await write(world, world.ana, panel, "Approach…", approach="bang", range="short")
    # What was chosen for another weapon stays there to be taken back, and says why.
    assert "Med Cal, automatic fires no bursts." in texts(panel)
    there = await _offered(world, world.ana, panel)
    assert "burst" in there and not {"full auto", "two hands", "thrown"} & {*there}
    await world.choose(world.ana, panel, LEADING)
    assert "burst" not in await _offered(world, world.ana, panel)
    assert "fires no bursts" not in texts(panel) and "Roll" in labels(panel)
    await world.choose(world.ana, await _page(world, world.ana, panel, "Range"), "Range", ":none")
    assert "How far away is the target?" in texts(panel)
    # So it is with words, in suggestions and in refusals.
    words = await world.ana.autocomplete(
        world.zone, "attack", "with", "", weapon=SWORD, target="Orc"
    )
    assert not {"burst", "full auto", "two hands"} & {each["value"] for each in words}
    for word, why in (("burst", "fires no bursts"), ("full auto", "isn't an automatic weapon")):
        text = await refused_attack(
            world, world.ana, "Orc", weapon=SWORD, approach="so", **{"with": word}
        )
        assert why in text, text


# --- rounds, orders, deadlines --------------------------------------------------------------------


async def begin_round(world: World) -> None:
    """An order of action with Vesna and Boris, in its first round."""
    await world.gina.slash(world.zone, "initiative start")
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")


@pytest.mark.rule("EGO-AP-01", "EGO-AP-02")
async def test_overspending_is_a_lone_action_with_fewer_dice(world: World) -> None:
    await open_table(world, boris={"agility": 3})
    await begin_round(world)
    kick = {"weapon": "kick", "approach": "with all my weight"}
    # Agility 1 and 2 levels, less 1.
    text = await attack(world, world.ben, "Orc", *misses(2), 1, 1, **kick)
    assert "Kick (2 dice)" in text and "Boris: Action Points 1 → 0" in text
    assert "You have no time left this round." in await refused_attack(
        world, world.ben, "Orc", **HACK
    )
    await attack(world, world.ana, "Boris", **HACK)
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    assert "Parry" not in texts(panel) and "Block" not in texts(panel)
    await world.gina.slash(world.zone, "gm undo")
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Boris")).round.spent == 0


@pytest.mark.rule("EGO-AP-01", "EGO-DEF-02")
async def test_points_are_counted_over_a_round(world: World) -> None:
    await open_table(world)
    await begin_round(world)
    for left in (3, 2, 1, 0):
        text = await attack(world, world.ana, "Orc", *misses(2), *misses(9), **HACK)
        assert f"Action Points {left + 1} → {left}" in text
    assert "That takes 1 Action Point; 0 left this round." in await refused_attack(
        world, world.ana, "Orc", **HACK
    )


@pytest.mark.rule("EGO-KAR-02", "EGO-ATK-01")
async def test_karma_buys_dice_for_the_defense(world: World) -> None:
    await open_table(world)
    await begin_round(world)
    await attack(world, world.ana, "Boris", **HACK)
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    for dice, left in ((5, 5), (6, 4)):
        assert f"+1 die for 1 Karma: {dice} dice ({left - 1} left)" in texts(panel)
        # The panel stays, with what is still to be chosen in it.
        panel = message_of(await world.press(world.ben, panel, "+1 die for 1 Karma"))
        assert "Parry" in labels(panel) and "Done" not in texts(panel)
    assert "Karma" not in card(world, "c2") and "Karma" not in world.told(world.ana).replace(
        "Karma damage", ""
    )
    text = await meet(
        world, world.ben, "Block or dodge", 5, 5, *misses(4), *misses(6), 5, 5, *misses(7)
    )
    assert text.startswith("## Miss: Boris evades (2 against 2)")
    assert "Boris, defense: 6d6" in text and "Boris: Karma 5 → 3" in text, text
    # All of it on one roll a round.
    await attack(world, world.ana, "Boris", **HACK)
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    assert "+1 die" not in texts(panel)
    for _ in range(5):
        await world.gina.slash(world.zone, "gm undo")
    boris = await sheet(world, "Boris")
    assert (boris.karma, boris.round.karma_dice, boris.round.spent) == (5, 0, 0)
    for _ in range(3):
        await meet(world, world.ben, "+1 die for 1 Karma")
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    assert "+1 die" not in texts(panel), "three at most"


async def test_a_button_pressed_twice_buys_one_die(world: World) -> None:
    """In secret a prompt keeps its number, so that nobody learns of the choice: the button says
    which die it is.
    """
    await open_table(world)
    await attack(world, world.ana, "Boris", **HACK)
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    pressed = [world.emit(world.ben, button(panel, "+1 die for 1 Karma"), panel) for _ in range(2)]
    await world.env.settle()
    assert "You can't choose that right now" in refusal_of(pressed[1])
    assert (await sheet(world, "Boris")).karma == 4


@pytest.mark.rule("EGO-DEF-02", "EGO-AP-01")
async def test_a_standing_order_parries_and_keeps_a_point(world: World) -> None:
    await open_table(world, boris={"agility": 6})
    await begin_round(world)
    choice, _ = await world.ben.autocomplete(world.zone, "orders give", "order", "parry (")
    private(
        await world.ben.slash(world.zone, "orders give", order=choice["value"], keep="ap", amount=1)
    )
    # Agility 2, 3 levels and 2 of the specialty.
    text = await attack(world, world.ana, "Boris", *misses(7), *misses(9), **HACK)
    assert "Boris, defense: 7d6" in text and "Boris: Action Points 2 → 1" in text
    text = await attack(world, world.ana, "Boris", *misses(2), *misses(9), **HACK)
    assert "Boris, defense: 2d6" in text and "Boris: Action" not in text


async def test_a_deadline_answers_for_whoever_stays_silent_and_can_be_undone(world: World) -> None:
    await open_table(world, answer_hours=2)
    await attack(world, world.ana, "Boris", **HACK)
    world.dice.lay(*misses(4), 5, *misses(8), *(4,) * 6)
    await world.env.advance_time(2 * HOUR + 1)
    assert card(world).startswith("## Hit by 1 so far"), "whoever is hit has the full time anew"
    passed = await world.revision()
    await world.env.advance_time(2 * HOUR + 1)
    assert card(world).startswith("## Hit by 1: Boris takes 7 damage")
    await world.gina.slash(world.zone, "gm undo", entry=passed, dependents=True)
    assert (await sheet(world, "Boris")).lethal == 0
    text = await meet(world, world.ben, "Block or dodge", *misses(4), 5, *misses(5), 5, *misses(8))
    assert text.startswith("## Miss: Boris evades (1 against 1)")
