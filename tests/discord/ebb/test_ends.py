"""Every way in which a figure of EBB ends: the first line names it and the worst thing now true.

EBB knows unhurt, hurt and badly hurt. Nobody dies by its rules.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.discord.ends import End, SetUp, play_end, rows
from tests.discord.world import World, head, labels, message_of, refusal_of

#: Traits of a character whose Fitness is 2.
FIT: Final[dict[str, Any]] = {
    "abilities": [
        {"name": name, "group": "Fitness", "die": "d6"}
        for name in ("Climbing", "Running", "Swimming", "Lifting")
    ],
    "drawbacks": ["Loud", "Slow", "Late", "Proud"],
    "grown": True,
}
CUT: Final = {"text": "Cut"}
BREAK: Final = {"text": "Broken arm", "severity": "severe"}
GASH: Final = {"text": "Gash", "severity": "serious"}


def set_up_table(**ilka: Any) -> SetUp:
    """Set up a table with Marek, and Ilka as she is in this row."""

    async def set_up(world: World) -> None:
        await world.setup()
        await world.bring(world.ana, "Marek")
        await world.bring(world.ben, "Ilka", **{"grown": True, **ilka})

    return set_up


def with_npc(stage: str = "revealed", *, sheet: bool = True, alias: str = "") -> SetUp:
    """Set up a table with Sidor, an NPC, as players know him."""

    async def set_up(world: World) -> None:
        await set_up_table()(world)
        if sheet:
            await world.bring(world.gina, "Sidor", npc=True)
        else:
            await world.gina.slash(world.zone, "gm npc add", name="Sidor")
        if alias:
            await world.gina.slash(world.zone, "gm npc alias", npc="Sidor", alias=alias)
        if stage != "off":
            await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor", stage=stage)

    return set_up


# --- attacks --------------------------------------------------------------------------------------

#: Dice with which Marek hits Ilka, and with which he misses her.
HITS: Final = (9, 4, 5, 2)
MISSES: Final = (4, 2, 9, 4)
AIM: Final = {"skill": "Running", "attribute": "Fitness", "approach": "low", "weapon": "knife"}
DUCK: Final = {"Skill": "Running", "Attribute": "Fitness"}


async def defend(world: World, label: str, *faces: int, **menus: str) -> None:
    """Ben chooses what Ilka sets against it, and the dice fall."""
    panel = message_of(await world.press(world.ben, world.newest(label), label))
    for title, value in menus.items():
        await world.choose(world.ben, panel, title, value)
    if "Luck" not in menus:
        modal = await world.press(world.ben, panel, "Approach…")
        await world.ben.submit_modal(modal, {"approach": "aside"})
    world.dice.lay(*faces)
    await world.press(world.ben, panel, label)


async def strike(world: World, *faces: int) -> None:
    """Marek attacks Ilka, and both roll."""
    await world.ana.slash(world.zone, "attack", target="Ilka", **AIM)
    await world.rule(level=None)
    await defend(world, "Defend", *faces, **DUCK)


def strike_pc(*presses: str, blows: int = 1) -> Any:
    """Marek hits Ilka, and Ben presses these after each blow."""

    async def play(world: World) -> Any:
        for _ in range(blows):
            await strike(world, *HITS)
            for label in presses:
                await world.press(world.ben, world.newest(label), label)
        return world.card()

    return play


def reword_injury(severity: str) -> Any:
    """Marek hits Ilka in full, and the GM says what the injury is."""

    async def play(world: World) -> Any:
        await strike_pc("Accept result", "Full damage")(world)
        label = "Reword the injury"
        panel = message_of(await world.press(world.gina, world.card(), label))
        modal = await world.press(world.gina, panel, "Write…")
        await world.gina.submit_modal(modal, {"text": "a stab", "severity": severity})
        await world.press(world.gina, panel, "Save the injury")
        return world.card()

    return play


async def _softened(world: World) -> Any:
    """Ben takes a flesh wound after all."""
    await strike_pc("Accept result", "Full damage")(world)
    label = "Take a flesh wound"
    panel = message_of(await world.press(world.ben, world.card(), label))
    await world.press(world.ben, panel, "Flesh wound")
    return world.card()


async def _rerolled_hit(world: World) -> Any:
    await strike(world, 6, 2, 5, 2)
    world.dice.lay(6)
    await world.spend(world.card(), "Re-roll d6", world.ben)
    return world.card()


async def _missed(world: World) -> Any:
    await strike(world, *MISSES)
    await world.spend(world.card(), "Accept result")
    return world.card()


async def _may_miss(world: World) -> Any:
    await strike(world, *MISSES)
    return world.card()


async def _sacrificed(world: World) -> Any:
    await world.ana.slash(world.zone, "attack", target="Ilka", **AIM)
    await world.rule(level=None)
    await defend(world, "Defend", 9, 4, Luck="Fitness")
    return world.card()


ATTACKS: Final = (
    End(
        "PC may be hit",
        set_up_table(),
        strike_pc(),
        ("Hit so far", "unless changed, Ilka is hurt", "against"),
    ),
    End(
        "PC chooses",
        set_up_table(),
        strike_pc("Accept result"),
        ("Hit", "Ilka chooses between a flesh wound and full damage"),
    ),
    End(
        "flesh wound takes the last Fitness",
        set_up_table(),
        strike_pc("Accept result", "Flesh wound"),
        ("Hit", "Ilka is badly hurt (flesh wound)"),
    ),
    End(
        "flesh wound leaves Fitness",
        set_up_table(**FIT),
        strike_pc("Accept result", "Flesh wound"),
        ("Hit", "Ilka is hurt (flesh wound)"),
    ),
    End(
        "second flesh wound",
        set_up_table(**FIT),
        strike_pc("Accept result", "Flesh wound", blows=2),
        ("Hit", "Ilka is badly hurt (flesh wound)"),
    ),
    End(
        "full damage",
        set_up_table(),
        strike_pc("Accept result", "Full damage"),
        ("Hit", "Ilka is hurt (injury)"),
    ),
    End(
        "no Fitness is left to soften it",
        set_up_table(sacrificed={"Fitness": 1}),
        strike_pc("Accept result"),
        ("Hit", "Ilka is badly hurt (injury)"),
    ),
    End(
        "GM makes it serious",
        set_up_table(),
        reword_injury("serious"),
        ("Ilka is badly hurt (injury)",),
    ),
    End("GM makes it light", set_up_table(), reword_injury("light"), ("Ilka is hurt (injury)",)),
    End(
        "full damage is softened", set_up_table(), _softened, ("Ilka is badly hurt (flesh wound)",)
    ),
    End("re-roll turns a hit", set_up_table(), _rerolled_hit, ("Miss so far: Ilka isn't hit",)),
    End("PC may be missed", set_up_table(), _may_miss, ("Miss so far: Ilka isn't hit",)),
    End("PC evades", set_up_table(), _missed, ("Miss: Ilka evades",)),
    End("PC evades by a sacrifice", set_up_table(), _sacrificed, ("Miss, only just: Ilka evades",)),
)


@pytest.mark.rule("EBB-ATTACK", "EBB-INJURY", "EBB-OPPOSED")
@rows(ATTACKS)
async def test_an_attack_on_a_pc_says_first_how_it_ends(world: World, end: End) -> None:
    await play_end(world, end)


# --- NPCs -----------------------------------------------------------------------------------------


def shoot_npc(target: str, *faces: int, hidden: bool = False, accept: bool = True) -> Any:
    """Marek attacks an NPC against a difficulty."""

    async def play(world: World) -> Any:
        await world.ana.slash(world.zone, "attack", target=target, **AIM)
        await world.rule(level="Tricky", hidden=hidden)
        world.dice.lay(*faces)
        await world.press(world.ana, world.newest("Roll"), "Roll")
        if accept:
            await world.spend(world.card(), "Accept result")
        return world.card()

    return play


def tell_injury(label: str) -> Any:
    """Marek hits Sidor, and the GM changes or tells what it did."""

    async def play(world: World) -> Any:
        await shoot_npc("Sidor", 9, 4)(world)
        panel = message_of(await world.press(world.gina, world.card(), "Change the hit"))
        found = next(each for each in labels(panel) if each.startswith(label))
        await world.press(world.gina, panel, found)
        return world.card()

    return play


def ambush_pc(*faces: int, presses: tuple[str, ...] = (), **menus: str) -> Any:
    """Sidor attacks Ilka, who rolls to evade."""

    async def play(world: World) -> Any:
        given = {"target": "Ilka", "difficulty": "Tricky", "as": "Sidor", "approach": "from above"}
        await world.gina.slash(world.zone, "attack", **given)
        await defend(world, "Roll to evade", *faces, **(menus or DUCK))
        for label in presses:
            await world.press(world.ben, world.newest(label), label)
        return world.card()

    return play


async def _granted(world: World) -> Any:
    await world.ana.slash(world.zone, "attack", target="Sidor", **AIM)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    panel = message_of(await world.press(world.gina, panel, "Grant success…"))
    await world.press(world.gina, panel, "Grant success")
    return world.card()


async def _strikes_the_unknown(world: World) -> Any:
    given = {"target": "Sidor", "as": "Guard", "approach": "from behind", "difficulty": "Easy"}
    await world.gina.slash(world.zone, "gm npc add", name="Guard", stage="revealed")
    world.dice.lay(9)
    await world.gina.slash(world.zone, "attack", **given)
    return world.card()


async def _injures_the_unknown(world: World) -> Any:
    """The GM says how badly somebody is hurt whom players don't know."""
    await _strikes_the_unknown(world)
    panel = message_of(await world.press(world.gina, world.card(), "Change the hit"))
    modal = await world.press(world.gina, panel, "Write…")
    await world.gina.submit_modal(modal, {"text": "a stab", "severity": "serious"})
    await world.press(world.gina, panel, "Full damage")
    return world.card()


async def _asked_gm(world: World) -> Any:
    await world.gina.slash(world.zone, "orders npc", npc="Sidor", ask=True)
    return await shoot_npc("Sidor", 9, 4)(world)


HIDES: Final = ("Fitness 0", "Fitness:", "badly hurt")
NPCS: Final = (
    End(
        "NPC may be hit",
        with_npc(),
        shoot_npc("Sidor", 9, 4, accept=False),
        ("Hit so far", "unless changed, Sidor is hurt", "against 10"),
        HIDES,
    ),
    End("GM grants the hit", with_npc(), _granted, ("Hit: Sidor is hit; the GM says",), HIDES),
    End("NPC is hit", with_npc(), shoot_npc("Sidor", 9, 4), ("Sidor is hit; the GM says",), HIDES),
    End(
        "NPC without a sheet is hit",
        with_npc(sheet=False),
        shoot_npc("Sidor", 9, 4),
        ("Sidor is hit; the GM says",),
        HIDES,
    ),
    End(
        "NPC is hit against a hidden difficulty",
        with_npc(),
        shoot_npc("Sidor", 9, 4, hidden=True),
        ("Hit", "Sidor is hit; the GM says"),
        (*HIDES, "Tricky"),
    ),
    End(
        "NPC known by an alias is hit",
        with_npc("aliased", alias="the figure in gray"),
        shoot_npc("the figure in gray", 9, 4),
        ("the figure in gray is hit; the GM says",),
        ("Sidor", *HIDES),
    ),
    End(
        "NPC is missed",
        with_npc(),
        shoot_npc("Sidor", 3, 2),
        ("Miss: Sidor isn't hit (6 against 10)",),
    ),
    End(
        "GM tells a flesh wound",
        with_npc(),
        tell_injury("Tell it as it is"),
        ("Sidor is badly hurt (flesh wound)",),
        ("Fitness 0",),
    ),
    End(
        "GM makes it an injury", with_npc(), tell_injury("Full damage"), ("Sidor is hurt (injury)",)
    ),
    End(
        "GM wants to be asked",
        with_npc(),
        _asked_gm,
        ("Hit", "Sidor is hit; the GM decides how badly"),
        ("flesh wound",),
    ),
    End(
        "unknown NPC is hit",
        with_npc("off"),
        _strikes_the_unknown,
        ("Hit", "is hit; the GM says"),
        ("Sidor",),
    ),
    End(
        "unknown NPC is injured",
        with_npc("off"),
        _injures_the_unknown,
        ("Hit", "Somebody is"),
        ("Sidor", "badly hurt"),
    ),
    End(
        "NPC hits a PC",
        with_npc(),
        ambush_pc(5, 2, presses=("Accept result", "Full damage")),
        ("Hit", "Ilka is hurt (injury)"),
    ),
    End("PC evades an NPC", with_npc(), ambush_pc(9, 4), ("Miss so far", "Ilka evades (")),
    End(
        "PC evades an NPC by a sacrifice",
        with_npc(),
        ambush_pc(Luck="Fitness"),
        ("Miss, only just: Ilka evades",),
    ),
)


@pytest.mark.rule("EBB-ATTACK", "EBB-INJURY")
@rows(NPCS)
async def test_a_hit_on_or_by_an_npc_says_first_how_it_ends(world: World, end: End) -> None:
    await play_end(world, end)


async def _blind_hit(world: World) -> None:
    """Let Marek hit Ilka in a blind attack."""
    await set_up_table()(world)
    await world.ana.slash(world.zone, "attack", target="Ilka", visibility="blind", **AIM)
    panel = message_of(await world.gina.slash(world.zone, "moves"))
    await world.rule(message_of(await world.press(world.gina, panel, "Answer · h1")), level=None)
    panel = message_of(await world.ben.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.ben, panel, "Open · h1"))
    panel = message_of(await world.press(world.ben, panel, "Defend…"))
    for title, value in DUCK.items():
        await world.choose(world.ben, panel, title, value)
    modal = await world.press(world.ben, panel, "Approach…")
    await world.ben.submit_modal(modal, {"approach": "aside"})
    world.dice.lay(*HITS)
    await world.press(world.ben, panel, "Defend")


async def test_of_a_blind_attack_its_target_alone_reads_the_end(world: World) -> None:
    await _blind_hit(world)
    panel = message_of(await world.ben.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.ben, panel, "Open · h1"))
    assert head(panel) == "Hit: Ilka chooses between a flesh wound and full damage"
    await world.press(world.ben, panel, "Full damage")
    assert "Hit: Ilka is hurt (injury)" in world.told(world.ben)
    assert "hurt" not in world.told(world.ana) and "flesh wound" not in world.told(world.ana)


async def test_more_time_tells_no_attacker_of_a_blind_hit(world: World) -> None:
    await _blind_hit(world)
    check = await world.check("h1")
    (asked,) = (asked for asked in check.asked if asked.prompt.key == "hit")
    refusals: set[str] = set()
    for number in (asked.number, asked.number + 1):
        forged = world.emit(world.ana, f"sg:more:1:h1.{number}:hit")
        await world.env.settle()
        refusals.add(refusal_of(forged))
    assert len(refusals) == 1, "an open prompt reads as one that isn't there"


# --- recovery -------------------------------------------------------------------------------------

AID: Final = {"skill": "Running", "attribute": "Fitness", "approach": "a splint"}


def treat_pc(*faces: int, accept: bool = True) -> Any:
    """Marek treats Ilka."""

    async def play(world: World) -> Any:
        await world.ana.slash(world.zone, "heal", method="treat", target="Ilka", **AID)
        await world.rule(level="Tricky")
        world.dice.lay(*faces)
        await world.press(world.ana, world.newest("Roll"), "Roll")
        if accept:
            await world.spend(world.card(), "Accept result")
        return world.card()

    return play


async def _tried_again(world: World) -> Any:
    """A treatment fails, and a re-roll makes it succeed."""
    await treat_pc(4, 1, accept=False)(world)
    world.dice.lay(6)
    await world.spend(world.card(), "Re-roll d6")
    await world.spend(world.card(), "Accept result")
    return world.card()


async def _rested(world: World) -> Any:
    await world.ben.slash(world.zone, "heal", method="rest", approach="a week in bed")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Allow the rest")
    return world.card()


async def _session_over(world: World) -> Any:
    await world.gina.slash(world.zone, "session start")
    await world.gina.slash(world.zone, "session end")
    return world.last()


def adjust_sheet(what: str, value: str) -> Any:
    """The GM sets a value of Ilka by hand; returns what the GM reads."""

    async def play(world: World) -> Any:
        result = await world.gina.slash(
            world.zone, "gm adjust", character="Ilka", what=what, value=value
        )
        return message_of(result)

    return play


RECOVERIES: Final = (
    End(
        "treatment may succeed",
        set_up_table(injuries=[GASH]),
        treat_pc(9, 4, accept=False),
        ("Success so far", "unless changed, Ilka is treated"),
    ),
    End(
        "treatment may fail",
        set_up_table(injuries=[GASH]),
        treat_pc(4, 1, accept=False),
        ("so far", "unless changed, Ilka stays badly hurt"),
    ),
    End(
        "treatment helps",
        set_up_table(injuries=[GASH]),
        treat_pc(9, 4),
        ("Success", "Ilka is treated and no longer badly hurt, but hurt"),
    ),
    End(
        "treatment of a severe injury",
        set_up_table(injuries=[BREAK]),
        treat_pc(9, 4),
        ("Success", "Ilka is treated and still badly hurt"),
    ),
    End(
        "treatment of a light injury",
        set_up_table(injuries=[CUT]),
        treat_pc(9, 4),
        ("Success", "Ilka is treated and still hurt"),
    ),
    End(
        "treatment fails",
        set_up_table(injuries=[GASH]),
        treat_pc(4, 1),
        ("Ilka is still badly hurt",),
    ),
    End(
        "re-roll saves a treatment",
        set_up_table(injuries=[GASH]),
        _tried_again,
        ("Success", "Ilka is treated and no longer badly hurt"),
    ),
    End(
        "rest",
        set_up_table(sacrificed={"Fitness": 1}),
        _rested,
        ("rest", "Ilka is no longer badly hurt"),
    ),
    End(
        "rest with an injury",
        set_up_table(sacrificed={"Fitness": 1}, injuries=[CUT]),
        _rested,
        ("rest", "Ilka is no longer badly hurt, but hurt"),
    ),
    End(
        "session's end",
        set_up_table(sacrificed={"Fitness": 1}),
        _session_over,
        ("Session 1 ends: Ilka is no longer badly hurt",),
    ),
    End(
        "injury by hand",
        set_up_table(),
        adjust_sheet("injury", "Gash; arm; serious"),
        ("Ilka is now badly hurt",),
    ),
    End("healed by hand", set_up_table(injuries=[CUT]), adjust_sheet("healed", "1"), ("Ilka",)),
)


@pytest.mark.rule("EBB-HEAL")
@rows(RECOVERIES)
async def test_recovery_says_first_how_a_character_is(world: World, end: End) -> None:
    await play_end(world, end)
