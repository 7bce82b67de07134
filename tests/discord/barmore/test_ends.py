"""Every way in which a figure of Barmore's pool ends: the first line names it and how it is.

Its health is unhurt, hurt, badly hurt, out of action or dying. Nobody dies by its rules.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.discord.barmore import ILKA, MAREK, bar_table, bring, roll, rule, side
from tests.discord.ends import End, SetUp, play_end, rows
from tests.discord.world import World, card, head, message_of, private

#: Takes every hit as it comes: no armor, no Toughness.
BARE: Final[dict[str, Any]] = ILKA
PLATE: Final = {"name": "Plate", "rating": 9}
#: Dice that hit by level 5 against two ones, and by less.
BEST: Final = (8, 8, 8, 8, 1, 1)


def set_up_table(*wounds: str, settings: dict[str, str] | None = None, **ilka: Any) -> SetUp:
    """Set up a table with Marek, and Ilka as she is in this row, with these Wounds."""

    async def set_up(world: World) -> None:
        await world.setup(system="barmore")
        await bring(world, world.ana, MAREK)
        await bring(world, world.ben, {**BARE, **ilka})
        for key, value in (settings or {}).items():
            await world.gina.slash(world.zone, "gm settings", setting=key, value=value)
        for wound in wounds:
            await adjust(world, "new wound", wound)

    return set_up


def with_npc(
    stage: str = "revealed",
    *,
    alias: str = "",
    sheet: dict[str, Any] | None = None,
    settings: dict[str, str] | None = None,
) -> SetUp:
    """Set up a table with Sidor, an NPC, as players know him."""

    async def set_up(world: World) -> None:
        await set_up_table(settings=settings)(world)
        if sheet is not None:
            await bring(world, world.gina, {**BARE, **sheet, "name": "Sidor"}, npc=True)
        else:
            await world.gina.slash(world.zone, "gm npc add", name="Sidor")
        if alias:
            await world.gina.slash(world.zone, "gm npc alias", npc="Sidor", alias=alias)
        if stage != "off":
            await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor", stage=stage)

    return set_up


async def adjust(world: World, what: str, value: str, who: str = "Ilka") -> Any:
    """The GM sets a value by hand; returns what the GM reads."""
    return message_of(
        await world.gina.slash(world.zone, "gm adjust", character=who, what=what, value=value)
    )


# --- attacks --------------------------------------------------------------------------------------


async def attack(world: World, target: str, **options: Any) -> None:
    """Marek attacks with his boathook, unless told otherwise."""
    given = {"target": target, "weapon": "Boathook", "skill": "Boats", "approach": "low"}
    await world.ana.slash(world.zone, "attack", **{**given, **options})


def strike_pc(*faces: int, blows: int = 1, **options: Any) -> Any:
    """Marek attacks Ilka, who defends."""

    async def play(world: World) -> Any:
        for _ in range(blows):
            await attack(world, "Ilka", **options)
            await rule(world, None)
            panel = await side(world, world.ben, "Defend", "Athletics")
            world.dice.lay(*faces)
            await world.press(world.ben, panel, "Defend")
        return world.card()

    return play


def finish_off(*faces: int) -> Any:
    """Marek attacks Ilka, who is out of action and rolls no dice."""

    async def play(world: World) -> Any:
        await attack(world, "Ilka")
        await rule(world, None)
        world.dice.lay(*faces)
        await roll(world)
        return world.card()

    return play


NON_LETHAL: Final[dict[str, Any]] = {"with": "non-lethal"}
PC_ATTACKS: Final = (
    End(
        "PC is hurt",
        set_up_table(),
        strike_pc(8, 8, 1, 1, 1, 1, weapon="fist"),
        ("Hit: Ilka is hurt (",),
    ),
    End(
        "PC is badly hurt",
        set_up_table(),
        strike_pc(*BEST),
        ("Hit: Ilka is badly hurt (Critical Wound)",),
    ),
    End(
        "second blow",
        set_up_table("physical 2"),
        strike_pc(8, 8, 8, 1, 1, 1),
        ("Hit: Ilka is badly hurt (",),
    ),
    End(
        "PC is dying",
        set_up_table(attributes={**ILKA["attributes"], "Toughness": -3}),
        strike_pc(*BEST),
        ("Hit: Ilka is dying (Mortal Wound)",),
    ),
    End(
        "two light blows",
        set_up_table(armour=[{"name": "Mail", "rating": 3}]),
        strike_pc(*BEST, blows=2),
        ("Hit: Ilka is badly hurt (",),
    ),
    End(
        "armor stops it",
        set_up_table(armour=[PLATE]),
        strike_pc(*BEST),
        ("Hit: Ilka is saved by armor",),
    ),
    End(
        "armor stops it, and the PC was hurt",
        set_up_table("physical 2", armour=[PLATE]),
        strike_pc(*BEST),
        ("Hit: Ilka is saved by armor and still hurt",),
    ),
    End(
        "too weak for a Wound",
        set_up_table(attributes={**ILKA["attributes"], "Toughness": 9}),
        strike_pc(*BEST),
        ("Hit: Ilka takes no Wound",),
    ),
    End(
        "too weak for another Wound",
        set_up_table("physical 6", attributes={**ILKA["attributes"], "Toughness": 9}),
        strike_pc(8, 8, 8, 8, 1),
        ("Hit: Ilka takes no Wound and is still badly hurt",),
    ),
    End(
        "non-lethal blow",
        set_up_table(),
        strike_pc(*BEST, weapon="Oar", **NON_LETHAL),
        ("Hit: Ilka is", "(2 Wounds)"),
    ),
    End(
        "PC evades",
        set_up_table(),
        strike_pc(1, 1, 1, 2, 8, 8),
        ("Miss: Ilka evades (16 against 5)",),
    ),
    End("both botch", set_up_table(), strike_pc(1, 1, 1, 1, 1, 1), ("Miss: Ilka isn't hit",)),
    End(
        "PC who is dying is struck again",
        set_up_table("physical 12"),
        finish_off(8, 8, 8, 1),
        ("Hit: Ilka is dying (Critical Wound)",),
    ),
    End(
        "PC who is out of action is missed",
        set_up_table("physical 12"),
        finish_off(1, 1, 1, 1),
        ("Miss: Ilka isn't hit",),
    ),
)


@pytest.mark.rule("BAR-TRAUMA", "BAR-ARMOR", "BAR-OPPOSED")
@rows(PC_ATTACKS)
async def test_an_attack_on_a_pc_says_first_how_it_ends(world: World, end: End) -> None:
    await play_end(world, end)
    assert world.dice.left == 0


# --- NPCs -----------------------------------------------------------------------------------------


def shoot_npc(target: str, *faces: int, difficulty: str = "5", hidden: bool = False) -> Any:
    """Marek attacks an NPC who never rolls."""

    async def play(world: World) -> Any:
        await attack(world, target)
        await rule(world, difficulty, hidden=hidden)
        world.dice.lay(*faces)
        await roll(world)
        return world.card()

    return play


async def _strikes_the_unknown(world: World) -> Any:
    """Another NPC attacks Sidor, whom players don't know."""
    await world.gina.slash(world.zone, "gm npc add", name="Guard", stage="revealed")
    given = {"target": "Sidor", "as": "Guard", "approach": "from behind", "difficulty": "-9"}
    await world.gina.slash(world.zone, "attack", **given)
    return world.card()


def duel(*faces: int) -> Any:
    """Marek attacks an NPC who defends."""

    async def play(world: World) -> Any:
        await attack(world, "Sidor")
        await rule(world, None)
        panel = await side(world, world.gina, "Defend", "Athletics")
        world.dice.lay(*faces)
        await world.press(world.gina, panel, "Defend")
        return world.card()

    return play


async def _granted(world: World) -> Any:
    await attack(world, "Sidor")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    panel = message_of(await world.press(world.gina, panel, "Grant success…"))
    await world.press(world.gina, panel, "Grant success")
    return world.card()


def ambush_pc(*faces: int) -> Any:
    """Sidor attacks Ilka."""

    async def play(world: World) -> Any:
        await adjust(world, "ability", "Knives 1", "Sidor")
        given = {"as": "Sidor", "weapon": "Knife", "skill": "Knives", "approach": "from above"}
        await world.gina.slash(world.zone, "attack", target="Ilka", **given)
        panel = await side(world, world.ben, "Defend", "Athletics")
        world.dice.lay(*faces)
        await world.press(world.ben, panel, "Defend")
        return world.card()

    return play


NPC_DICE: Final = {"npc_dice": "off"}
NUMBERS: Final = ("Penalty", "Muscle Power", "healed on")
NPCS: Final = (
    End(
        "NPC is badly hurt",
        with_npc(),
        shoot_npc("Sidor", 8, 8, 8, 8),
        ("Hit: Sidor is badly hurt (Critical Wound)",),
        NUMBERS,
    ),
    End(
        "NPC is hurt",
        with_npc(),
        shoot_npc("Sidor", 2, 2, 2, 2),
        ("Hit: Sidor is hurt (",),
        NUMBERS,
    ),
    End(
        "NPC is dying",
        with_npc(),
        shoot_npc("Sidor", 8, 8, 8, 8, difficulty="-9"),
        ("Hit: Sidor is dying (Mortal Wound)",),
        NUMBERS,
    ),
    End(
        "NPC is dying against a hidden Difficulty",
        with_npc(),
        shoot_npc("Sidor", 8, 8, 8, 8, difficulty="-9", hidden=True),
        ("Hit: Sidor is dying (Mortal Wound)",),
        (*NUMBERS, "−9"),
    ),
    End(
        "NPC is missed against a hidden Difficulty",
        with_npc(),
        shoot_npc("Sidor", 8, 8, 8, 8, difficulty="40", hidden=True),
        ("Miss: Sidor isn't hit (32 against a hidden",),
        ("40",),
    ),
    End(
        "NPC known by an alias is dying",
        with_npc("aliased", alias="the figure in gray"),
        shoot_npc("the figure in gray", 8, 8, 8, 8, difficulty="-9"),
        ("Hit: the figure in gray is dying",),
        ("Sidor", *NUMBERS),
    ),
    End(
        "unknown NPC is struck",
        with_npc("off"),
        _strikes_the_unknown,
        ("Hit: Somebody takes 2 Wounds",),
        ("Sidor", "dying", "badly hurt", "is hurt", "out of action"),
    ),
    End(
        "NPC without a roll",
        with_npc(),
        _granted,
        ("Hit: Sidor is hurt (",),
        NUMBERS,
    ),
    End(
        "NPC defends in vain",
        with_npc(sheet={}),
        duel(*BEST),
        ("Hit: Sidor is badly hurt (Critical Wound)",),
        NUMBERS,
    ),
    End("NPC evades", with_npc(sheet={}), duel(1, 1, 1, 2, 8, 8), ("Miss: Sidor evades (16 ",)),
    End(
        "NPC whose dice are hidden evades",
        with_npc(sheet={}, settings=NPC_DICE),
        duel(1, 1, 1, 2, 8, 8),
        ("Miss: Sidor isn't hit",),
        ("16", "2d8"),
    ),
    End(
        "NPC whose dice are hidden is hit",
        with_npc(sheet={}, settings=NPC_DICE),
        duel(*BEST),
        ("Hit: Sidor is badly hurt (Critical Wound)",),
        ("2d8", *NUMBERS),
    ),
    End("NPC hits a PC", with_npc(), ambush_pc(8, 8, 1, 2), ("Hit: Ilka is hurt (Light Wound)",)),
    End("NPC misses a PC", with_npc(), ambush_pc(2, 4, 8, 8), ("Miss: Ilka evades",)),
    End(
        "unknown NPC hits a PC",
        with_npc("off"),
        ambush_pc(8, 8, 1, 2),
        ("Hit: Ilka is hurt (Light Wound)",),
        ("Sidor",),
    ),
)


@pytest.mark.rule("BAR-TRAUMA", "BAR-AUTO")
@rows(NPCS)
async def test_a_hit_on_or_by_an_npc_says_first_how_it_ends(world: World, end: End) -> None:
    await play_end(world, end)
    assert world.dice.left == 0


@pytest.mark.rule("BAR-TRAUMA")
async def test_a_hit_says_what_the_wound_costs_and_when_it_is_healed(world: World) -> None:
    await set_up_table()(world)
    await strike_pc(*BEST)(world)
    text = card(world)
    assert "level 6; Muscle Power +2; Boathook +1 = degree **9**: Critical (physical)" in text
    assert "5 Penalty Dice on what is physical and 2 Penalty Dice on what is mental" in text
    assert "healed on Day 61, 00:00" in text


# --- recovery -------------------------------------------------------------------------------------


def treat_pc(difficulty: str, *faces: int, factor: str = "2") -> Any:
    """Marek treats Ilka."""

    async def play(world: World) -> Any:
        given = {"target": "Ilka", "skill": "Athletics", "approach": "bandages"}
        await world.ana.slash(world.zone, "heal", method="treat", **given)
        await rule(world, difficulty, factor=factor)
        world.dice.lay(*faces)
        await roll(world)
        return world.card()

    return play


async def _rested(world: World) -> Any:
    panel = message_of(await world.ben.slash(world.zone, "heal", method="rest"))
    await world.press(world.ben, panel, "Send")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Allow the rest")
    return world.card()


def later(time: str) -> Any:
    """Time of the story passes."""

    async def play(world: World) -> Any:
        await world.gina.slash(world.zone, "gm time", advance=time)
        return world.last()

    return play


def by_hand(what: str, value: str) -> Any:
    """The GM sets a value of Ilka by hand."""

    async def play(world: World) -> Any:
        return await adjust(world, what, value)

    return play


RECOVERIES: Final = (
    End(
        "dying PC is stabilized",
        set_up_table("physical 12"),
        treat_pc("3", 8, 8, 8),
        ("Success", "Ilka is treated and no longer dying, but out of action", "against 3"),
    ),
    End(
        "dying PC isn't stabilized",
        set_up_table("physical 12"),
        treat_pc("30", 2, 2, 2),
        ("Failure", "Ilka is still dying", "against 30"),
    ),
    End(
        "botch on a dying PC",
        set_up_table("physical 12"),
        treat_pc("30", 1, 1, 1),
        ("Botch", "Ilka is still dying"),
    ),
    End(
        "Wound is treated",
        set_up_table("physical 6"),
        treat_pc("3", 8, 8, 8),
        ("Success", "Ilka is treated and still badly hurt"),
    ),
    End("rest", set_up_table("physical 2"), _rested, ("rest", "Ilka is still hurt")),
    End(
        "one of two Wounds has healed",
        set_up_table("physical 1", "physical 6"),
        later("3 days"),
        ("Day 4", "Ilka is still badly hurt"),
    ),
    End(
        "last Wound has healed",
        set_up_table("physical 2"),
        later("60 days"),
        ("Day 61", "Ilka is no longer hurt"),
    ),
    End(
        "dying PC is still dying",
        set_up_table("physical 12", "physical 1"),
        later("3 days"),
        ("Day 4", "Ilka is still dying"),
    ),
    End(
        "Wound by hand", set_up_table(), by_hand("new wound", "physical 12"), ("Ilka is now dying",)
    ),
    End(
        "stabilized by hand",
        set_up_table("physical 12"),
        by_hand("wound stabilized", "1"),
        ("Ilka is now out of action",),
    ),
    End(
        "healed by hand",
        set_up_table("physical 12"),
        by_hand("wound healed", "1"),
        ("Ilka is now unhurt",),
    ),
)


@pytest.mark.rule("BAR-HEAL", "BAR-TRAUMA")
@rows(RECOVERIES)
async def test_recovery_says_first_how_a_character_is(world: World, end: End) -> None:
    await play_end(world, end)


@pytest.mark.rule("BAR-HEAL")
async def test_of_npcs_only_the_gms_read_what_has_healed(world: World) -> None:
    await bar_table(world, gm_channel=True)
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="revealed")
    await adjust(world, "new wound", "physical 2", "Sidor")
    await world.gina.slash(world.zone, "gm time", advance="60 days")
    assert "Sidor" not in head(world.last())
    assert head(world.last(world.gm_room)) == "Day 61, 00:00: Sidor is no longer hurt"


@pytest.mark.rule("BAR-TRAUMA")
@pytest.mark.parametrize("wound", ["physical 2", "physical 6", "physical 12"])
async def test_message_and_board_say_the_same_word(world: World, wound: str) -> None:
    await set_up_table()(world)
    told = head(await adjust(world, "new wound", wound))
    assert told.startswith("Ilka is now ") and told.endswith(": set by hand"), told
    word = told.removeprefix("Ilka is now ").removesuffix(": set by hand")
    shown = private(await world.ben.slash(world.zone, "character show"))
    assert f"**Health:** {word.capitalize()}." in shown, shown
