"""Every way in which a figure of EGO ends: the first line names it and the worst thing now true.

Nobody bleeds to death under EGO, and the clock only asks about the death of a player's character.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.discord.ego.table import (
    FIGHTER,
    GOBLIN,
    ORC,
    RIFLE,
    SWORD,
    attack,
    bring,
    meet,
    misses,
    open_table,
    stand,
)
from tests.discord.ends import End, play_end, rows
from tests.discord.world import DAY, World, message_of

#: Wears no armor, and dies of two points of damage.
FRAIL: Final[dict[str, Any]] = {"armour": None, "vitality": 2, "karma": 0}
#: Wears no armor.
BARE: Final[dict[str, Any]] = {"armour": None}
NO_KARMA: Final[dict[str, Any]] = {**BARE, "karma": 0}
#: Has lost three quarters of Vitality to 18 points.
BRUTE: Final = {"profile": "att 5, defense 2, vitality 24, damage 4"}
WALL: Final = {"profile": "att 5, defense 2, vitality 12, ar 15, damage 4"}
HACK: Final[dict[str, Any]] = {"weapon": SWORD, "approach": "hack at the shield"}
#: Dice that lack 1 success for staying conscious, and for bracing: Karma could flip one.
NEARLY, HALF = (5, 5, 1, 1), (5, 1, 1, 1)
#: Dice of a defense with 4, and of an attack with 9 that hits by 1.
STRUCK: Final = (*misses(4), 5, *misses(8))


def boris(**changes: Any) -> Any:
    """Set up a table with Boris as he is in this row."""

    async def set_up(world: World) -> None:
        await open_table(world, boris=changes)

    return set_up


def npc(name: str, data: dict[str, Any], *, known: bool = True) -> Any:
    """Set up a table with one more NPC, whom players may know."""

    async def set_up(world: World) -> None:
        await open_table(world)
        await bring(world, world.gina, name, data, npc=True)
        if known:
            await world.gina.slash(world.zone, "gm npc reveal", npc=name)

    return set_up


async def message(world: World) -> Any:
    """Return the message of the newest check."""
    return world.card(f"c{(await world.state()).counters.check}")


# --- attacks --------------------------------------------------------------------------------------


def sword(*faces: int) -> Any:
    """Vesna strikes at Boris, who passes."""

    async def play(world: World) -> Any:
        await attack(world, world.ana, "Boris", **HACK)
        await meet(world, world.ben, "Pass", *STRUCK, *faces)
        return await message(world)

    return play


def punch(*faces: int, presses: tuple[str, ...] = ()) -> Any:
    """Vesna punches Boris; his player *presses* these, or lets everything stand."""

    async def play(world: World) -> Any:
        await attack(world, world.ana, "Boris", weapon="punch", approach="on the jaw")
        panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
        world.dice.lay(*misses(4), 5, *misses(5), *faces)
        await world.press(world.ben, panel, "Pass")
        for label in presses:
            await world.press(world.ben, world.newest(label), label)
        if not presses:
            await stand(world)
        return await message(world)

    return play


async def _helpless_is_killed(world: World) -> Any:
    await world.gina.slash(
        world.zone, "gm adjust", character="Boris", what="non_lethal", value="24"
    )
    world.dice.lay(5, 5, 5, 5, 5, 6, 6, 6, 6)
    await world.gina.slash(world.zone, "attack", target="Boris", **{"as": "Orc"})
    await stand(world)
    return await message(world)


def on_npc(name: str, *faces: int) -> Any:
    """Vesna strikes at an NPC with a defense of 2 dice."""

    async def play(world: World) -> Any:
        await attack(world, world.ana, name, *misses(2), 5, *misses(8), *faces, **HACK)
        return await message(world)

    return play


def fist_on_npc(name: str, *faces: int) -> Any:
    """Vesna punches an NPC with a defense of 2 dice."""

    async def play(world: World) -> Any:
        words = {"weapon": "punch", "approach": "on the jaw"}
        await attack(world, world.ana, name, *misses(2), 5, *misses(5), *faces, **words)
        return await message(world)

    return play


def burst(target: str) -> Any:
    """Vesna fires a rifle on full auto at close range."""

    async def play(world: World) -> Any:
        words = {"weapon": RIFLE, "approach": "spray", "with": "range: short, full auto"}
        await attack(world, world.ana, target, 5, *misses(3), *(6,) * 8, **words)
        return await message(world)

    return play


def grenade(near: str, *damage: int) -> Any:
    """Vesna throws a grenade at the orc, with others near."""

    async def play(world: World) -> Any:
        words = {"with": f"range: medium, {near}"}
        thrown = {"weapon": "Frag Grenade", "approach": "over the wall"}
        faces = (5, *misses(6), *damage)
        await attack(world, world.ana, "Orc", *faces, **thrown, **words)
        return await message(world)

    return play


def blast(*faces: int, presses: tuple[str, ...] = ()) -> Any:
    """Vesna throws a grenade that hurts the orc and Boris, whose player presses these."""

    async def play(world: World) -> Any:
        world.dice.lay(5, *misses(6), 6, 6, 6, 5, *faces)
        words = {"with": "range: medium, caught: Boris 10"}
        thrown = {"weapon": "Frag Grenade", "approach": "over the wall"}
        await world.ana.slash(world.zone, "attack", target="Orc", **thrown, **words)
        for label in presses:
            await world.press(world.ben, await message(world), label)
        return await message(world)

    return play


async def _strikes_the_unknown(world: World) -> Any:
    world.dice.lay(*misses(2), 5, 5, *misses(3), *(6,) * 4)
    await world.gina.slash(world.zone, "attack", target="Lurker", **{"as": "Orc"})
    return await message(world)


async def _throws_among_the_unknown(world: World) -> Any:
    words = {"with": "range: medium, caught: Boris 10, caught: Lurker 5"}
    thrown = {"as": "Orc 2", "weapon": "Frag Grenade", "approach": "so"}
    await attack(world, world.gina, "Vesna", 5, *misses(6), 6, 6, 6, 6, **thrown, **words)
    return await message(world)


async def _unknown_thrower(world: World) -> None:
    await open_table(world)
    await bring(world, world.gina, "Orc 2", FIGHTER, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Orc 2")
    await bring(world, world.gina, "Lurker", GOBLIN, npc=True)


async def _open_hit(world: World) -> Any:
    await attack(world, world.ana, "Boris", **HACK)
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    world.dice.lay(*STRUCK)
    await world.press(world.ben, panel, "Pass")
    return await message(world)


async def _open_hit_with_dagger(world: World) -> Any:
    """Boris stabs at Vesna, who passes."""
    await attack(world, world.ben, "Vesna", weapon="Dagger", approach="stab")
    panel = message_of(await world.press(world.ana, world.newest("Defend"), "Defend"))
    world.dice.lay(*misses(4), 5, *misses(6))
    await world.press(world.ana, panel, "Pass")
    return await message(world)


ATTACKS: Final = (
    End("PC may be hit", boris(), _open_hit, ("so far: unless changed, Boris takes 6 dice",)),
    End(
        "PC may be hit by a weapon with a flat bonus",
        boris(arms=[{"name": "Dagger", "drawn": True}]),
        _open_hit_with_dagger,
        ("so far: unless changed, Vesna takes 5 dice of damage, +1",),
    ),
    End(
        "PC dies by a sword", boris(**FRAIL), sword(*(6,) * 6), ("Boris takes 18 damage and dies",)
    ),
    End("PC is hurt by a sword", boris(), sword(*(4,) * 6), ("Boris takes 7 damage",)),
    End("armor saves a PC", boris(armour="Plate 15/15"), sword(*(1,) * 6), ("no damage to Boris",)),
    End(
        "PC is knocked out by a fist",
        boris(**BARE, non_lethal=16),
        punch(6, 6, 6, 1),
        ("Boris takes 10 Stun and is knocked out",),
    ),
    End(
        "PC may pass out by a fist",
        boris(**BARE, non_lethal=8),
        punch(4, 4, 4, 4, presses=("Accept result",)),
        ("Boris takes 8 Stun", "passes out on a failed roll"),
    ),
    End(
        "PC would pass out by a fist",
        boris(**BARE, non_lethal=8),
        punch(4, 4, 4, 4, *NEARLY, presses=("Accept result", "Pass")),
        ("Boris takes 8 Stun", "passes out unless changed"),
    ),
    End(
        "PC passes out by a fist",
        boris(**NO_KARMA, non_lethal=8),
        punch(4, 4, 4, 4, *misses(4)),
        ("Boris takes 8 Stun and passes out",),
    ),
    End("helpless PC is killed", boris(**BARE), _helpless_is_killed, ("Boris", "dies")),
    End("NPC dies by a sword", boris(), on_npc("Orc", *(6,) * 6), ("Orc dies",), ("damage",)),
    End(
        "NPC is hurt by a sword", boris(), on_npc("Orc", *(3,) * 6), ("Orc is hurt",), ("7 damage",)
    ),
    End(
        "NPC is badly hurt",
        npc("Brute", BRUTE),
        on_npc("Brute", *(6,) * 6),
        ("Brute is badly hurt",),
    ),
    End(
        "armor saves an NPC",
        npc("Wall", WALL),
        on_npc("Wall", *(1,) * 6),
        ("no damage to Wall",),
        ("stops",),
    ),
    End("NPC dies by a burst", boris(), burst("Orc"), ("Orc dies",)),
    End("PC dies by a burst", boris(**FRAIL), burst("Boris"), ("Boris takes", "and dies")),
    End(
        "NPC dies by a blast",
        boris(),
        grenade("caught: Boris 10, caught: Goblin 15", 6, 6, 6, 5),
        ("3 caught in the blast: Goblin dies",),
    ),
    End(
        "PC and NPC die by a blast",
        boris(**FRAIL),
        grenade("caught: Boris 10, caught: Goblin 15", 6, 6, 6, 5),
        ("3 caught in the blast: ", "Boris and Goblin die"),
    ),
    End(
        "PC may pass out by a blast",
        boris(non_lethal=5),
        blast(),
        ("2 caught in the blast: ", "on a failed roll, Boris passes out"),
    ),
    End(
        "PC would pass out by a blast",
        boris(non_lethal=5),
        blast(*NEARLY, presses=("Pass",)),
        ("2 caught in the blast: ", "unless changed, Boris passes out"),
    ),
    End(
        "PC passes out by a blast",
        boris(non_lethal=5),
        blast(*NEARLY, presses=("Pass", "Accept result")),
        ("2 caught in the blast: Boris passes out",),
    ),
    End(
        "all are hurt by a blast",
        boris(),
        grenade("caught: Boris 10", 6, 6, 6, 5),
        ("2 caught in the blast: Orc and Boris are hurt",),
    ),
    End(
        "unknown NPC dies by an NPC",
        npc("Lurker", {**GOBLIN, "profile": "att 1, defense 2, vitality 3, damage 1"}, known=False),
        _strikes_the_unknown,
        ("Hit",),
        ("Lurker", "dies", "dead"),
    ),
    End(
        "NPC is knocked out by a fist",
        npc("Imp", {"profile": "att 1, defense 2, vitality 4, damage 1"}),
        fist_on_npc("Imp", *(6,) * 4),
        ("Imp is knocked out",),
        ("Stun",),
    ),
    End(
        "unknown NPC dies by a blast",
        _unknown_thrower,
        _throws_among_the_unknown,
        ("2 caught in the blast: ", "Vesna and Boris are hurt"),
        ("Lurker", "dies", "omebody"),
    ),
)


@pytest.mark.rule("EGO-DMG-04", "EGO-EFF-03", "EGO-AOE-01", "EGO-IMP-01", "EGO-NL-01")
@rows(ATTACKS)
async def test_an_attack_says_first_who_ends(world: World, end: End) -> None:
    await play_end(world, end)
    assert world.dice.left == 0


# --- falls, effects, crashes ----------------------------------------------------------------------


def fall(who: str, points: int, *faces: int, presses: tuple[str, ...] = ()) -> Any:
    """A character falls, and their player presses these."""

    async def play(world: World) -> Any:
        world.dice.lay(*faces)
        await world.gina.slash(world.zone, "ego fall", who=who, damage=points)
        for label in presses:
            await world.press(world.ben, world.newest(label), label)
        return await message(world)

    return play


FALLS: Final = (
    End("PC dies by a fall", boris(), fall("Boris", 30), ("Boris dies in the fall",)),
    End("PC is hurt by a fall", boris(), fall("Boris", 7), ("Boris is hurt in the fall",)),
    End("PC is badly hurt by a fall", boris(), fall("Boris", 14), ("Boris is badly hurt in",)),
    End(
        "armor saves from a fall", boris(), fall("Boris", 5), ("Boris takes no damage in the fall",)
    ),
    End(
        "PC may pass out by a fall",
        boris(non_lethal=8),
        fall("Boris", 9),
        ("On a failed roll, Boris passes out",),
    ),
    End(
        "PC would pass out by a fall",
        boris(non_lethal=8),
        fall("Boris", 9, *NEARLY, presses=("Pass",)),
        ("Unless changed, Boris passes out",),
    ),
    End(
        "PC passes out by a fall",
        boris(non_lethal=8),
        fall("Boris", 9, *NEARLY, presses=("Pass", "Accept result")),
        ("Boris passes out in the fall",),
    ),
    End("NPC dies by a fall", boris(), fall("Orc", 30), ("Orc dies in the fall",), ("30",)),
    End(
        "NPC is hurt by a fall",
        boris(),
        fall("Orc", 9),
        ("Orc is hurt in the fall",),
        ("9 damage",),
    ),
    End(
        "unknown NPC dies by a fall",
        npc("Lurker", ORC, known=False),
        fall("Lurker", 30),
        ("falls",),
        ("Lurker", "dies", "30"),
    ),
)


@pytest.mark.rule("EGO-SPC-03", "EGO-OP-43", "EGO-IMP-01")
@rows(FALLS)
async def test_a_fall_says_first_who_ends(world: World, end: End) -> None:
    await play_end(world, end)
    assert world.dice.left == 0


MAGE: Final[dict[str, Any]] = {
    **FIGHTER,
    "karma": 0,
    "agility": 7,
    "skills": [{"name": "Superpowers", "level": 4}],
    "specialties": [],
    "powers": [{"name": "Energy Blast", "rating": 4}],
}


def mage(**changes: Any) -> Any:
    """Set up a table with Ana's Nova, and Boris as he is in this row."""

    async def set_up(world: World) -> None:
        await open_table(world, boris=changes)
        await world.ana.slash(world.zone, "character retire", character="Vesna")
        await bring(world, world.ana, "Nova", MAGE)

    return set_up


def effect(target: str, *faces: int) -> Any:
    """Nova uses a power at short range."""

    async def play(world: World) -> Any:
        world.dice.lay(*faces)
        use = {"effect": "Energy Blast", "range": "short", "target": target, "as": "Nova"}
        await world.ana.slash(world.zone, "ego use", **use)
        await stand(world)
        return await message(world)

    return play


EFFECTS: Final = (
    End(
        "PC dies by an effect",
        mage(**FRAIL),
        effect("Boris", 5, 1, 1, 1, 6, 6, 6, 6),
        ("Boris takes 12 damage and dies",),
    ),
    End(
        "PC is hurt by an effect",
        mage(),
        effect("Boris", 5, 1, 1, 1, 6, 6, 6, 6),
        ("Boris takes 7 damage",),
    ),
    End(
        "NPC dies by an effect", mage(), effect("Goblin", 5, 1, 1, 1, 6, 6, 6, 6), ("Goblin dies",)
    ),
    End(
        "NPC is hurt by an effect",
        mage(),
        effect("Orc", 5, 1, 1, 1, 6, 6, 6, 6),
        ("Orc is hurt",),
        ("7 damage",),
    ),
)


@pytest.mark.rule("EGO-FX-04", "EGO-DMG-04")
@rows(EFFECTS)
async def test_an_effect_says_first_who_ends(world: World, end: End) -> None:
    await play_end(world, end)
    assert world.dice.left == 0


def aboard(*others: str, minutes: int = 0) -> Any:
    """Set up Vesna at the wheel of a sedan, with Boris and others; rolls stay open for minutes."""

    async def set_up(world: World) -> None:
        await open_table(world, boris={"karma": 2}, step_in_minutes=minutes)
        if "Lurker" in others:
            await bring(world, world.gina, "Lurker", GOBLIN, npc=True)
        people = ", ".join(("Boris", *others))
        await world.gina.slash(
            world.zone, "ego vehicle add", kind="Sedan", pilot="Vesna", aboard=people
        )

    return set_up


async def _in_restraints(world: World) -> None:
    await open_table(world)
    sedan = {"kind": "Sedan", "pilot": "Vesna", "restraints": True}
    await world.gina.slash(world.zone, "ego vehicle add", **sedan)


async def _restraints_hold(world: World) -> Any:
    world.dice.lay(1)
    crash = {"vehicle": "Sedan", "object": 26, "waived": True}
    await world.gina.slash(world.zone, "ego vehicle collide", **crash)
    return await message(world)


def crash(points: int, *faces: int, presses: tuple[tuple[str, str], ...] = ()) -> Any:
    """The sedan hits something, and players press these."""

    async def play(world: World) -> Any:
        # The first section is hit.
        world.dice.lay(1, *faces)
        await world.gina.slash(world.zone, "ego vehicle collide", vehicle="Sedan", object=points)
        for who, label in presses:
            await world.press(getattr(world, who), await message(world), label)
        return await message(world)

    return play


PASS_BOTH: Final = (("ana", "Pass"), ("ben", "Pass"))
ACCEPT_BOTH: Final = (("ana", "Accept result"), ("ben", "Accept result"))
CRASHES: Final = (
    End(
        "two PCs may die by a crash",
        aboard(),
        crash(42),
        ("Without bracing, Vesna and Boris take 12 damage each: both die",),
    ),
    End(
        "two PCs would die by a crash",
        aboard(),
        crash(42, *HALF, *HALF, presses=PASS_BOTH),
        ("Unless changed, Vesna and Boris take 12 damage each: both die",),
    ),
    End(
        "two PCs die by a crash",
        aboard(),
        crash(42, *HALF, *HALF, presses=(*PASS_BOTH, *ACCEPT_BOTH)),
        ("Vesna and Boris die in the crash",),
    ),
    End(
        "one of two braces",
        aboard(),
        crash(42, 5, 5, 5, 5, *HALF, presses=PASS_BOTH),
        ("Unless changed, Boris takes 12 damage and dies; Vesna takes 4 damage",),
    ),
    End(
        "one of two PCs dies by a crash",
        aboard(),
        crash(42, 5, 5, 5, 5, *HALF, presses=(*PASS_BOTH, *ACCEPT_BOTH)),
        ("Boris dies in the crash",),
        ("Vesna dies",),
    ),
    End(
        "PCs are hurt by a crash",
        aboard(),
        crash(26, *HALF, *HALF, presses=(*PASS_BOTH, *ACCEPT_BOTH)),
        ("Vesna and Boris are hurt in the crash",),
    ),
    End(
        "all aboard a wreck die",
        aboard("Orc"),
        crash(90),
        ("Vesna, Boris and Orc die in the crash",),
    ),
    End(
        "an unknown NPC dies by a crash",
        aboard("Lurker"),
        crash(90),
        ("Vesna and Boris die in the crash",),
        ("Lurker", "omebody"),
    ),
    End(
        "nothing can save two PCs",
        aboard(),
        crash(42, *misses(8), presses=PASS_BOTH),
        ("Vesna and Boris die in the crash",),
    ),
    End(
        "armor saves two PCs, and nobody is asked",
        aboard(),
        crash(14, *misses(8)),
        ("Vesna and Boris take no damage in the crash",),
    ),
    End("restraints hold", _in_restraints, _restraints_hold, ("Collision: Sedan takes 18 damage",)),
)


@pytest.mark.rule("EGO-VEH-01", "EGO-VEH-08", "EGO-VEH-09", "EGO-DMG-04")
@rows(CRASHES)
async def test_a_crash_says_first_who_ends(world: World, end: End) -> None:
    await play_end(world, end)


# --- waking, emergencies, the GM's word, the clock ------------------------------------------------

MEDIC: Final[dict[str, Any]] = {
    **FIGHTER,
    "intellect": 9,
    "karma": 0,
    "skills": [{"name": "Medical", "level": 2}],
}


async def _unconscious(world: World) -> None:
    await open_table(world, boris={"non_lethal": 16, "armour": None})
    await bring(world, world.gina, "Ute", MEDIC, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Ute")
    await world.gina.slash(
        world.zone, "gm adjust", character="Boris", what="non_lethal", value="24"
    )


def treatment(*faces: int) -> Any:
    """Ute tries to wake Boris."""

    async def play(world: World) -> Any:
        world.dice.lay(*faces)
        await world.gina.slash(world.zone, "heal", method="treat", target="Boris", **{"as": "Ute"})
        return await message(world)

    return play


def adjust_sheet(what: str, value: str) -> Any:
    """The GM sets a number of Boris, and his player opens the message."""

    async def play(world: World) -> Any:
        await world.gina.slash(world.zone, "gm adjust", character="Boris", what=what, value=value)
        return message_of(await world.press(world.ben, world.last(), "Show"))

    return play


async def _spacecraft(world: World) -> None:
    await open_table(world, boris={"karma": 0}, step_in_minutes=10)
    await world.gina.slash(
        world.zone, "ego vehicle add", kind="Cargo craft", pilot="Vesna", aboard="Boris"
    )


def emergency(what: str, *faces: int, presses: tuple[tuple[str, str], ...] = ()) -> Any:
    """Vesna tries something at the controls, and players press these."""

    async def play(world: World) -> Any:
        world.dice.lay(*faces)
        await world.ana.slash(world.zone, "ego vehicle emergency", what=what)
        for who, label in presses:
            await world.press(getattr(world, who), await message(world), label)
        return await message(world)

    return play


async def _struck_while_silent(world: World) -> Any:
    await world.gina.slash(world.zone, "attack", target="Boris", **{"as": "Orc"})
    world.dice.lay(*misses(4), 5, 5, *misses(3), 6, 6, 6, 6)
    await world.env.advance_time(DAY + 60)
    return await message(world)


async def _waits_a_day(world: World) -> None:
    await open_table(world, boris=FRAIL, live=False)


OTHERS: Final = (
    End("a PC is woken", _unconscious, treatment(5, 5, 1, 1, 1), ("Boris comes to",)),
    End("a PC isn't woken", _unconscious, treatment(1, 1, 1, 1, 1), ("Boris stays unconscious",)),
    End(
        "two PCs may pass out in an emergency",
        _spacecraft,
        emergency("accelerate"),
        ("On a failed roll, Vesna and Boris pass out",),
    ),
    End(
        "two PCs would pass out in an emergency",
        _spacecraft,
        emergency("accelerate", *misses(8), presses=(("ben", "Pass"),)),
        ("Unless changed, Vesna and Boris pass out",),
    ),
    End(
        "two PCs pass out in an emergency",
        _spacecraft,
        emergency("accelerate", *misses(8), presses=(("ben", "Pass"), *ACCEPT_BOTH)),
        ("Failure: Vesna and Boris pass out",),
    ),
    End(
        "an emergency stop may fail",
        aboard(minutes=10),
        emergency("stop", *misses(5)),
        ("Unless changed, Vesna loses control",),
    ),
    End(
        "an emergency stop fails",
        aboard(minutes=10),
        emergency("stop", *misses(5), presses=(("ana", "Accept result"),)),
        ("Failure: Vesna loses control",),
    ),
    End("the GM kills a PC", boris(), adjust_sheet("lethal", "12"), ("Boris", "dead")),
    End("the GM hurts a PC", boris(), adjust_sheet("lethal", "10"), ("Boris", "badly hurt")),
    End(
        "the GM knocks a PC out",
        boris(),
        adjust_sheet("non_lethal", "24"),
        ("Boris", "unconscious"),
    ),
    End("the clock would kill a PC", _waits_a_day, _struck_while_silent, ("would kill Boris",)),
)


@pytest.mark.rule("EGO-EFF-03", "EGO-VEH-04", "EGO-VEH-06", "EGO-DMG-04")
@rows(OTHERS)
async def test_all_else_says_first_who_ends(world: World, end: End) -> None:
    await play_end(world, end)
