"""Every way in which a figure of MasterBook ends: the first line names it and the worst thing now
true.

What the rules do to an NPC by themselves only GMs read.
"""

from __future__ import annotations

from typing import Any, Final

from tests.discord.ends import End, play_end, rows
from tests.discord.masterbook.table import attack, bring, meet, open_table
from tests.discord.rounds import gather, next_round, next_turn
from tests.discord.world import World, message_of, texts

COLT, UZI, GRENADE = "Colt .45 revolver", "Uzi SMG (9mm)", "Fragmentation grenade"
KNIFE: Final[dict[str, Any]] = {"weapon": "Knife", "approach": "go for the arm"}
ARMED: Final[dict[str, Any]] = {
    "arms": [
        {"name": "Knife"},
        {"name": COLT, "rounds": 6, "magazine": 6},
        {"name": UZI, "rounds": 12, "magazine": 30},
        {"name": GRENADE, "rounds": 2},
    ]
}
WEIGHT: Final = 80


def figures(
    *,
    boris: str = "",
    thug: str = "",
    rules: dict[str, str] | None = None,
    **sheet: Any,
) -> Any:
    """Set up a table with the harm of Boris and of Thug, and with the rest of Boris's sheet."""

    async def set_up(world: World) -> None:
        harmed = {"harm": boris} if boris else {}
        sheets = {"Vesna": ARMED, "Boris": {**ARMED, **sheet, **harmed}}
        sheets["Thug"] = {**ARMED, "life_points": 0} | ({"harm": thug} if thug else {})
        await open_table(world, gm_channel=True, rules=rules, sheets=sheets)

    return set_up


async def newest(world: World) -> Any:
    """Return the public message of the newest check."""
    return world.card(f"c{(await world.state()).counters.check}")


async def newest_for_gms(world: World) -> Any:
    """Return the last message of the GM channel."""
    return world.last(world.gm_room)


def on_boris(*faces: int, **words: Any) -> Any:
    """Vesna attacks Boris, who passes; the dice of the attack."""

    async def play(world: World) -> Any:
        await attack(world, world.ana, "Boris", **KNIFE | words)
        await meet(world, world.ben, "Pass", *faces)
        return await newest(world)

    return play


def on_thug(*faces: int, gms: bool = False, **words: Any) -> Any:
    """Vesna attacks Thug; returns the public message, or the GMs'."""

    async def play(world: World) -> Any:
        await attack(world, world.ana, "Thug", *faces, **KNIFE | words)
        return await (newest_for_gms(world) if gms else newest(world))

    return play


def at_several(*faces: int, weapon: str = UZI, words: str = "range: 8, also: Thug") -> Any:
    """Vesna attacks Boris and Thug at once."""

    async def play(world: World) -> Any:
        said_ = {"weapon": weapon, "approach": "so", "with": words}
        await attack(world, world.ana, "Boris", **said_)
        await meet(world, world.ben, "Pass", *faces)
        return await newest(world)

    return play


async def _stray_grenade(world: World) -> Any:
    """A grenade meant for Thug comes down beside Boris."""
    thrown = {"weapon": GRENADE, "approach": "over the wall", "with": "range: long"}
    await attack(world, world.ana, "Thug", 4, 5, 7, 4, **thrown)
    label = "Say where it lands"
    panel = message_of(await world.press(world.gina, world.newest(label), label))
    await world.press(world.gina, panel, f"{label}…")
    dialog = await world.press(world.gina, panel, "Others, in meters…")
    await world.gina.submit_modal(dialog, {"also": "Boris 1"})
    await world.press(world.gina, panel, label)
    return await newest(world)


def falls(*faces: int, who: str = "Boris", gms: bool = False, **options: Any) -> Any:
    """Boris falls, or an NPC does."""

    async def play(world: World) -> Any:
        world.dice.lay(*faces)
        actor = world.ben if who == "Boris" else world.gina
        about = {"weight": WEIGHT, **options} | ({} if who == "Boris" else {"as": who})
        await actor.slash(world.zone, "mb fall", **about)
        assert world.dice.left == 0
        return await (newest_for_gms(world) if gms else newest(world))

    return play


def advance_time(span: str, *, gms: bool = False) -> Any:
    """The story's time moves on."""

    async def play(world: World) -> Any:
        room = world.gm_room if gms else world.zone
        before = {each.id for each in world.messages(room)}
        await world.gina.slash(world.zone, "gm time", advance=span)
        return next(each for each in world.messages(room) if each.id not in before)

    return play


def round_ends(harm: tuple[tuple[str, str], ...]) -> Any:
    """A round ends with Boris harmed like this."""

    async def play(world: World) -> Any:
        await gather(world)
        await next_turn(world, 5, 5, 1, 1)
        before = {each.id for each in world.messages()}
        for what, value in harm:
            await world.gina.slash(
                world.zone, "gm adjust", character="Boris", what=what, value=value
            )
        await next_round(world, 5, 5, 1, 1)
        told = [each for each in world.messages() if each.id not in before]
        return next(each for each in told if "Boris d" in texts(each) or "dying" in texts(each))

    return play


async def _pushes(world: World) -> Any:
    """Boris runs farther than he can stand."""
    world.dice.lay(9, 9)
    await world.ben.slash(world.zone, "mb move", how="running", push=True)
    return await newest(world)


async def _drowns(world: World) -> Any:
    """Boris doesn't come up for air."""
    world.dice.lay(1, 1)
    await world.ben.slash(world.zone, "mb move", how="swimming")
    return await newest(world)


async def _fatigues(world: World) -> Any:
    """Vesna grapples Boris, which wears him out."""
    await attack(
        world, world.ana, "Boris", weapon="unarmed", approach="so", skill="Martial Arts: wrestling"
    )
    await meet(world, world.ben, "Pass", 5, 6)
    return await newest(world)


async def _feedback(world: World) -> Any:
    """Boris works a special effect that hurts him."""
    effect = {"skill": "Alteration", "approach": "so", "difficulty": "9", "with": "feedback 8"}
    world.dice.lay(6, 6)
    await world.ben.slash(world.zone, "check", **effect)
    assert world.dice.left == 0
    return await newest(world)


WRESTLER: Final = {"skills": [{"name": "Martial Arts", "focus": "wrestling", "adds": 2}]}


def wrestlers(boris: str) -> Any:
    """Set up a table where Vesna wrestles."""

    async def set_up(world: World) -> None:
        await open_table(world, sheets={"Vesna": WRESTLER, "Boris": {"harm": boris}})

    return set_up


ENDS: Final = (
    # By attack, from a scratch to death.
    End("PC hurt by a knife", figures(), on_boris(5, 6), ("Hit", "Boris is hurt (")),
    End(
        "PC badly hurt by a knife",
        figures(boris="wounds 3"),
        on_boris(3, 4),
        ("Boris is badly hurt (",),
    ),
    End(
        "PC knocked out by a knife",
        figures(boris="wounds 2"),
        on_boris(9, 9),
        ("Hit", "Boris is unconscious ("),
    ),
    End("PC dying by a knife", figures(boris="wounds 4"), on_boris(3, 4), ("Boris is dying (",)),
    End("PC dead by a knife", figures(boris="wounds 4"), on_boris(9, 9), ("Boris is dead (",)),
    End(
        "PC unhurt by a hit",
        figures(armour=[{"name": "Flak jacket", "add": 20}]),
        on_boris(5, 6),
        ("Hit by 2: no damage to Boris",),
    ),
    End(
        "PC dies unless changed",
        figures(boris="wounds 4", life_points=3),
        on_boris(9, 9),
        ("Hit", "unless changed, Boris dies ("),
    ),
    End("NPC hurt", figures(), on_thug(4, 5), ("Hit: Thug is hurt",), hides=("wound",)),
    End("NPC dying", figures(thug="wounds 4"), on_thug(2, 3), ("Thug is dying",)),
    End("NPC dead", figures(thug="wounds 4"), on_thug(5, 6), ("Thug is dead",), hides=("wound",)),
    End(
        "NPC dead, as GMs read it",
        figures(thug="wounds 4"),
        on_thug(5, 6, gms=True),
        ("Thug is dead (",),
    ),
    # By a burst and a blast.
    End(
        "PC and NPC die in a burst",
        figures(boris="wounds 4", thug="wounds 4"),
        at_several(9, 9),
        ("Hits 2 of 2: Boris and Thug are dead",),
    ),
    End(
        "the worst in a burst comes first",
        figures(thug="wounds 4"),
        at_several(9, 9),
        ("Hits 2 of 2: Thug is dead, Boris is",),
    ),
    End(
        "PC dies in a blast",
        figures(boris="wounds 4"),
        at_several(4, 5, weapon=GRENADE, words="range: short"),
        ("On the spot: Boris is dead",),
    ),
    End("PC dies by a stray", figures(boris="wounds 5"), _stray_grenade, ("Boris is dead",)),
    # By a fall and a collision.
    End("PC hurt by a fall", figures(), falls(5, 5, meters=20), ("Boris falls 20 m and is hurt",)),
    End(
        "PC dead by a fall",
        figures(boris="wounds 5"),
        falls(9, 9, meters=50),
        ("Boris falls 50 m and is dead",),
    ),
    End(
        "PC dies by a fall unless changed",
        figures(boris="wounds 4", life_points=3),
        falls(9, 9, meters=50),
        ("Boris falls 50 m: unless changed, dies (",),
    ),
    End(
        "PC dead by a fall that acrobatics don't soften",
        figures(boris="wounds 4"),
        falls(9, 9, 2, 3, meters=50, acrobatics=True),
        ("Failure: Boris is dead (",),
    ),
    End(
        "PC dead by a collision",
        figures(boris="wounds 5"),
        falls(9, 9, meters=900, collides=True),
        ("Boris hits something at 900 m a round and is dead",),
    ),
    End(
        "NPC dead by a fall",
        figures(thug="wounds 5"),
        falls(9, 9, who="Thug", meters=50),
        ("Thug falls 50 m and is dead",),
        hides=("wound", "damage point"),
    ),
    # By shock and water.
    End("PC passes out by a push", figures(boris="shock 8"), _pushes, ("Boris is unconscious",)),
    End(
        "PC passes out under water",
        figures(boris="shock 8", drowning="12 9"),
        _drowns,
        ("Failure: Boris is unconscious",),
    ),
    End(
        "PC passes out by wrestling",
        wrestlers("shock 8"),
        _fatigues,
        ("Hit", "Boris is unconscious ("),
    ),
    # By the clock and the round's end.
    End(
        "PC dies as time goes by",
        figures(boris="wounds 5, shock 7"),
        advance_time("5 minutes"),
        ("Boris is dead",),
    ),
    End(
        "PC bleeds until unconscious",
        figures(boris="wounds 1, shock 8, bleeders 1"),
        advance_time("1 minute"),
        ("Boris is",),
    ),
    End(
        "NPC dies as time goes by",
        figures(thug="wounds 5, shock 8"),
        advance_time("5 minutes", gms=True),
        ("Thug is dead",),
    ),
    End(
        "PC dies at the round's end",
        figures(),
        round_ends((("wounds", "5"), ("shock", "8"))),
        ("Boris dies",),
    ),
    End(
        "PC is dying at the round's end",
        figures(),
        round_ends((("wounds", "5"),)),
        ("Boris is dying (",),
    ),
    # By an effect.
    End(
        "PC passes out by feedback",
        figures(boris="shock 8", skills=[{"name": "Alteration", "adds": 4}]),
        _feedback,
        ("Success", "Boris is unconscious"),
    ),
)


# --- whom players don't know ----------------------------------------------------------------------


async def _lurker(world: World) -> None:
    """Set up a table with an NPC whom players don't know, a wound away from death."""
    sheets: dict[str, dict[str, Any]] = {"Vesna": ARMED, "Boris": ARMED, "Thug": ARMED}
    await open_table(world, gm_channel=True, sheets=sheets)
    await bring(world, world.gina, "Lurker", {**ARMED, "harm": "wounds 4"}, npc=True)


def on_lurker(*faces: int) -> Any:
    """Thug attacks Lurker."""

    async def play(world: World) -> Any:
        world.dice.lay(*faces)
        await world.gina.slash(world.zone, "attack", target="Lurker", **KNIFE, **{"as": "Thug"})
        return await newest(world)

    return play


async def _among_others(world: World) -> Any:
    """Thug fires at Lurker and at Boris, who dies too."""
    await world.gina.slash(world.zone, "gm adjust", character="Boris", what="wounds", value="4")
    words = {"weapon": UZI, "approach": "so", "with": "range: 8, also: Boris", "as": "Thug"}
    await world.gina.slash(world.zone, "attack", target="Lurker", **words)
    await meet(world, world.ben, "Pass", 9, 9)
    return await newest(world)


CONDITIONS: Final = ("dead", "dying", "unconscious", "Lurker", "knocked", "mortal")
UNKNOWN: Final = (
    End("unknown NPC dies", _lurker, on_lurker(9, 9), ("Hit: Somebody is hurt",), CONDITIONS),
    End("unknown NPC is dying", _lurker, on_lurker(4, 4), ("Somebody is hurt",), CONDITIONS),
    End(
        "unknown NPC dies by a fall",
        _lurker,
        falls(9, 9, who="Lurker", meters=50),
        ("Somebody falls 50 m and is hurt",),
        CONDITIONS,
    ),
    End(
        "unknown NPC dies in a burst",
        _lurker,
        _among_others,
        ("Hits 2 of 2: Boris is dead",),
        ("Lurker", "Boris and Somebody", "Somebody is", "Somebody dies"),
    ),
)


@rows((*ENDS, *UNKNOWN))
async def test_the_first_line_says_who_ended_and_how(world: World, end: End) -> None:
    await play_end(world, end)


async def test_an_end_that_can_change_keeps_an_npc_secret(world: World) -> None:
    """Whether Thug would die tells how much he bears, and that he paid his way out of it."""
    await open_table(
        world, gm_channel=True, sheets={"Thug": {"harm": "wounds 4", "life_points": 2}}
    )
    await world.gina.slash(world.zone, "orders npc", npc="Thug")
    await attack(world, world.ana, "Thug", **KNIFE)
    panel = message_of(
        await world.press(world.gina, world.newest("Defend", world.gm_room), "Defend")
    )
    world.dice.lay(9, 9)
    await world.press(world.gina, panel, "Pass")
    text, whole = (
        texts(await newest(world)),
        texts(message_of(await world.press(world.gina, world.newest("React"), "React"))),
    )
    assert "unless changed, Thug dies (" in whole.splitlines()[0], whole
    assert "dies" not in text and "dead" not in text, text
    assert "the damage to Thug is still open" in text.splitlines()[0], text
