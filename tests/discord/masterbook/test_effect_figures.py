"""Figures of effects, worked out by hand and held against what commands tell.

The plain effect has effect value 10, range 9, speed 9 and duration 8: 36 after step 4, so that its
figures never fall below 18 together. Vesna casts with Conjuration 11.
"""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from rules.registry import read_only_game
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.effects.state import effects_of
from tests.discord.masterbook.cards.deck import who
from tests.discord.masterbook.effect_table import (
    advance_time,
    cast_effect,
    effect,
    everything,
    knows,
    open_effect_table,
    resist,
)
from tests.discord.masterbook.table import FIGHTER, THUG, bring, meet, newest, open_table, sheet
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, labels, message_of, private, refusal_of, texts

PLAIN: Final[dict[str, Any]] = {
    "name": "Plain",
    "skill": "Conjuration",
    "effect_value": 10,
    "range_value": 9,
    "speed_value": 9,
    "duration_value": 8,
}
NO_HARM: Final = MasterbookSheet().harm
TWO: Final = ["Strength", "Agility"]
NEAR: Final[dict[str, Any]] = {"with": "meters 3"}


def condition(kind: str, on: str = "dn", **more: Any) -> dict[str, Any]:
    return {"conditions": [{"kind": kind, "on": on} | more]}


def area(dims: int, diameter: int, shape: str = "none") -> dict[str, Any]:
    return {"dims": dims, "diameter": diameter, "shape": shape}


def group(helpers: int, participation: str) -> dict[str, Any]:
    return condition("community", helpers=helpers, participation=participation)


async def shown_figures(world: World, changes: dict[str, Any], skill: str = "Conjuration") -> str:
    """Return the line of an effect's figures, as `/effect show` has it."""
    learned = {"blueprint": PLAIN | {"skill": skill} | changes, "learned": True, "approved": True}
    skills = [*FIGHTER["skills"], {"name": skill, "adds": 3}]
    await open_table(world, sheets={"Vesna": {"skills": skills, "effects": [learned]}})
    text = private(await world.ana.slash(world.zone, "effect show", effect="Plain"))
    return next(line for line in text.splitlines() if "DN **" in line)


# --- the worksheet --------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-40", "MB-SFX-41")
@pytest.mark.parametrize(
    ("changes", "figures"),
    [
        ({"charges": 8, "ward": "a step"}, "DN **40** · FV **40**"),
        (condition("component", "fv", level=3, destroyed=True, bonus=2), "DN **18** · FV **10**"),
    ],
)
async def test_figures_are_shown(world: World, changes: dict[str, Any], figures: str) -> None:
    line = await shown_figures(world, changes)
    assert figures in line, line


@pytest.mark.rule("MB-SFX-41")
async def test_the_table_says_what_ill_fitting_conditions_lose(world: World) -> None:
    """Two of four points."""
    await world.setup(system="masterbook")
    strange = {"skill": "Super-science"} | condition("incantation", level=4)
    learned = {"blueprint": PLAIN | strange, "learned": True, "approved": True}
    await world.gina.slash(world.zone, "gm settings", setting="effect_ill_fitting_step", value="2")
    skills = [*FIGHTER["skills"], {"name": "Super-science", "adds": 3}]
    await bring(world, world.ana, "Vesna", FIGHTER | {"skills": skills, "effects": [learned]})
    text = private(await world.ana.slash(world.zone, "effect show", effect="Plain"))
    assert "DN **16** · FV **18**" in text, text[:300]


# --- the world and the design ---------------------------------------------------------------------


async def in_world(world: World, **special_effects: Any) -> None:
    """Give the table a world where magic is, and what it adds to effects."""
    effects = {"magic": True} | special_effects
    rows = json.dumps({"world": {"special_effects": effects}}).encode()
    private(await world.gina.slash(world.zone, "gm campaign", file=("rows.json", rows)))


@pytest.mark.rule("MB-SFX-14", "MB-SFX-20")
@pytest.mark.parametrize(
    ("effects", "value", "dn", "feedback"),
    [
        ({"difficulty_adjust": 5}, 10, 17, 3),
        ({"adjustments": [{"from_effect_value": 20, "difficulty": 3, "feedback": 2}]}, 19, 12, 3),
        ({"adjustments": [{"from_effect_value": 20, "difficulty": 3, "feedback": 2}]}, 20, 15, 5),
        ({"adjustments": [{"skill": "Apportation", "difficulty": 5}]}, 10, 12, 3),
        ({"adjustments": [{"skill": "Conjuration", "difficulty": 5}]}, 10, 17, 3),
        ({"feedback_adjust": -5}, 10, 12, 0),
    ],
)
async def test_worlds(
    world: World, effects: dict[str, Any], value: int, dn: int, feedback: int
) -> None:
    await open_effect_table(world, effect("Spark", effect_value=value, given={"dn": 12, "fv": 3}))
    await in_world(world, **effects)
    told = await cast_effect(world, "Spark")
    assert f"12 against {dn}" in told, told
    assert (f"feedback {feedback}: " in told) is bool(feedback), told


@pytest.mark.rule("MB-SFX-S00", "MB-SFX-40")
@pytest.mark.parametrize(
    ("value", "start", "dn", "fv"), [(10, 5, 20, 21), (10, -10, 13, 13), (0, -10, 0, 0)]
)
async def test_a_world_begins_elsewhere(
    world: World, value: int, start: int, dn: int, fv: int
) -> None:
    """The last effect comes to 8, and to no less than 0."""
    far = {} if value else {"range_value": 0, "speed_value": 0}
    await open_effect_table(world, PLAIN | {"effect_value": value} | far)
    await in_world(world, adjustments=[{"start_total": start}])
    text = private(await world.ana.slash(world.zone, "effect show", effect="Plain"))
    assert f"DN **{dn}** · FV **{fv}**" in text, text[:300]


@pytest.mark.rule("MB-SFX-91", "MB-SFX-92", "MB-SFX-93")
@pytest.mark.parametrize(
    ("changes", "rush", "until", "dn", "fv"),
    [
        # (10 + 9 + 8 + 9) / 2 are 18, 4,000 seconds, and one of casting; a third of 18 is 6.
        ({}, (0, 0), "01:07", 24, 24),
        # 14 are 600 seconds; 22 and 8.
        ({}, (4, 0), "00:11", 30, 24),
        # 16 are 1,500 seconds; 19 and 7 both.
        ({}, (1, 1), "00:26", 26, 26),
        # (13 + 36 − 10) / 2 are 19, 6,000 seconds; 39 are 19 and 20, with 7 and 7.
        ({"effect_value": 13}, (0, 0), "01:41", 26, 27),
    ],
)
async def test_designs_in_a_hurry(
    world: World, changes: dict[str, Any], rush: tuple[int, int], until: str, dn: int, fv: int
) -> None:
    hurry = {"steps": sum(rush), "to_dn": rush[0], "to_fv": rush[1]}
    new = {"blueprint": PLAIN | changes, "undesigned": True, "approved": True, "rush": hurry}
    mage = knows() | {"effects": [new]}
    await open_table(world, rules={"effect_rush": "on"}, sheets={"Vesna": mage})
    await world.ana.slash(world.zone, "effect cast", effect="Plain")
    assert f"until Day 1, {until}" in await newest(world), await newest(world)
    text = private(await world.ana.slash(world.zone, "effect show", effect="Plain"))
    assert f"DN **{dn}** · FV **{fv}**" in text, text[:300]


# --- effect values --------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-23")
@pytest.mark.parametrize(
    ("value", "wounds", "shock"),
    [
        (10, 0, 1),
        (18, 1, 3),
        (33, 9, 5),
    ],
)
async def test_damage_against_toughness(world: World, value: int, wounds: int, shock: int) -> None:
    """Strength 9 and Endurance 9 are Toughness 10."""
    await open_effect_table(
        world, effect("Burn", action="damage", effect_value=value), life_points=0
    )
    await cast_effect(world, "Burn", target="Boris", **NEAR)
    harm = (await sheet(world, "Boris")).harm
    assert (harm.wounds, harm.shock) == (wounds, shock), everything(world)[-400:]


@pytest.mark.rule("MB-SFX-25")
@pytest.mark.parametrize(
    ("value", "level"),
    [
        (13, "no effect"),
        (27, "spectacular"),
    ],
)
async def test_general_effects(world: World, value: int, level: str) -> None:
    look = effect("Look", action="general", resisting_number=14, effect_value=value)
    await open_effect_table(world, look, sheets={"Boris": {"life_points": 0}})
    await cast_effect(world, "Look", **{"with": "at the past, meters 3"})
    told = everything(world).casefold()
    assert level in told, told[-400:]


#: Effects that are read on a column, what resists, and the steps from the best result down.
COLUMNS: Final = {
    "intimidation": (0, 5, 10, 15, 20),
    "taunt_trick": (0, 5, 10, 15, 20),
    "maneuver": (0, 7, 12, 16, 20),
}


@pytest.mark.rule("MB-LP-04", "MB-SFX-23")
@pytest.mark.parametrize("action", list(COLUMNS))
@pytest.mark.parametrize("step", [0, 3, 4])
async def test_a_life_point_takes_one_step(world: World, action: str, step: int) -> None:
    """Boris resists with 9, by Willpower, Taunt or Agility."""
    words = {
        "intimidation": ["stymied", "untrained", "setback", "break", "player's call"],
        "taunt_trick": ["stymied", "untrained", "setback", "up and setback", "player's call"],
        "maneuver": [
            "fatigued",
            "stymied",
            "stymied and fatigued",
            "setback and fatigued",
            "player's call",
        ],
    }
    points = COLUMNS[action][step]
    scare = effect("Scare", action=action, effect_value=9 + points, duration_value=8)
    own = {"Boris": {"life_points": 2}}
    await open_effect_table(world, scare, step_in_minutes=10, life_points=0, sheets=own)
    await cast_effect(world, "Scare", target="Boris", **NEAR)
    await world.press(world.ana, world.newest("Accept result"), "Accept result")
    await meet(world, world.ben, "Pass")
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    now = words[action][step]
    less = words[action][step - 1] if step else "no effect"
    label = f"Spend a Life Point: {now} → {less}"
    assert label in labels(panel), labels(panel)
    await world.press(world.ben, panel, label)
    assert (await sheet(world, "Boris")).life_points == 1
    text = await newest(world)
    assert ("No effect on Boris" in text) is (step == 0), text


# --- summoned, moved and compelled targets --------------------------------------------------------


async def summons(world: World, made: dict[str, Any], **boris: Any) -> str:
    """Have Vesna cast a summoning on Boris; what the newest check says then."""
    summoner = knows(made) | {"skills": [{"name": "Summoning", "adds": 3}], "charisma": 8}
    await open_table(world, sheets={"Vesna": summoner, "Boris": boris})
    return await cast_effect(world, made["name"], target="Boris", **NEAR)


@pytest.mark.rule("MB-SFX-10", "MB-SKILL-SUMMONING", "MB-SFX-02")
@pytest.mark.parametrize(
    ("weight", "value", "dice", "taken"),
    [
        (60, 9, (), False),  # 60 kilograms are 9
        (60, 10, (), True),
        (61, 10, (), False),
        (100, 11, (), True),
        (101, 11, (), False),
        (60, 10, (1, 2), True),  # 9 − 8
        (60, 9, (3, 5), True),  # 9 − 1
        (60, 17, (9, 9), True),  # 9 + 7
        (60, 16, (9, 9), False),
        (70, 14, (10, 5), False),  # 10 + 4: a ten of a bonus number is not rolled again
        (70, 15, (10, 5), True),
    ],
)
async def test_masses_are_taken_elsewhere(
    world: World, weight: int, value: int, dice: tuple[int, ...], taken: bool
) -> None:
    jump = effect("Jump", skill="Summoning", action="movement", effect_value=value)
    await summons(world, jump, weight=weight)
    label = "Resist: add a bonus number" if dice else "Pass"
    text = await resist(world, world.ben, label, *dice)
    assert ("Boris: is taken there" in text) is taken, text


@pytest.mark.rule("MB-SFX-10")
@pytest.mark.parametrize(
    ("value", "dice", "freed"),
    [
        (14, (8, 8), True),  # 9 + 5
        (15, (8, 8), False),
        (15, (10, 6, 1), True),  # a ten of an Attribute is rolled again: 9 + 6
        (16, (10, 6, 1), False),
    ],
)
async def test_strength_against_an_effect_value(
    world: World, value: int, dice: tuple[int, ...], freed: bool
) -> None:
    lift = effect("Lift", action="movement", movement=True, effect_value=value, duration_value=8)
    await open_effect_table(world, lift, sheets={"Boris": {"weight": 70}})
    await cast_effect(world, "Lift", target="Boris", **NEAR)
    text = await resist(world, world.ben, "Break free: Strength 9", *dice)
    assert ("Boris: breaks free" in text) is freed, text


@pytest.mark.rule("MB-SFX-10", "MB-SKILL-SUMMONING", "MB-INT-08")
@pytest.mark.parametrize(
    ("words", "willing", "dice", "resisting"),
    [
        ("friendly", 3, (), 9),
        ("neutral 5", 3, (), 14),
        ("enemy 11", 3, (), 20),
        ("hostile 5, likely_detrimental 3", 3, (), 17),
        ("neutral 1, best_interest -5", 3, (), 5),
        ("neutral 1", 0, (), 9),  # Confidence 8
        ("neutral 1", 3, (1, 2), 13),  # 9 + 3 + 1: the least that an active defense adds
        ("neutral 1", 3, (8, 6), 13),  # 9 + 3 + 1
        ("neutral 1", 3, (8, 7), 14),  # 9 + 4 + 1
    ],
)
async def test_attitudes_meet_a_compulsion(
    world: World, words: str, willing: int, dice: tuple[int, ...], resisting: int
) -> None:
    call = effect(
        "Call", skill="Summoning", action="general", resisted_by="Willpower", effect_value=14
    )
    skills = [{"name": "Willpower", "adds": 1}] if willing else []
    await summons(world, call, skills=skills)
    prompt = "GM: what does the target feel?"
    panel = message_of(await world.press(world.gina, world.newest(prompt), prompt))
    await world.press(world.gina, panel, "Say what counts…")
    await world.choose(world.gina, panel, "What helps or hinders", *words.split(", "))
    await world.press(world.gina, panel, "Say what counts")
    text = await resist(world, world.ben, "Resist: Willpower" if dice else "Pass", *dice)
    assert f"14 against {resisting})" in text, text
    assert ("No effect on Boris" in text) is (resisting > 14), text


# --- hitting --------------------------------------------------------------------------------------


BOLT: Final = effect("Bolt", action="damage", effect_value=14, to_hit="casting")
BALL: Final = BOLT | {"name": "Ball", "given": {"dn": 3, "fv": 0}}


@pytest.mark.rule("MB-SFX-S12")
@pytest.mark.parametrize(
    ("points", "way"),
    [(1, "smaller"), (2, "smaller"), (4, "same size"), (9, "same size"), (10, "corner")],
)
async def test_detours_take_accuracy(world: World, points: int, way: str) -> None:
    """The least points are 1, 4 and 10, as the bonuses are +1, +3 and +5."""
    await open_effect_table(world, BOLT | {"accuracy": points})
    told = await cast_effect(
        world, "Bolt", 9, 9, target="Thug", **{"with": f"meters 3, around {way}"}
    )
    assert "Hit" in told.splitlines()[0], told
    further = {"smaller": "same size", "same size": "corner"}.get(way)
    if further is not None:
        given = {"effect": "Bolt", "target": "Thug", "with": f"meters 3, around {further}"}
        why = refusal_of(await world.ana.slash(world.zone, "effect cast", **given))
        assert "of accuracy, and it has" in why, why


@pytest.mark.rule("MB-SFX-S12", "MB-COV-01")
@pytest.mark.parametrize(
    ("dice", "way", "hits"),
    [
        ((7, 8), "corner", False),  # 11 + 4 + 5 against 9 + 12
        ((8, 8), "corner", True),  # 11 + 5 + 5
        ((1, 2), "same size", False),  # 11 − 8 + 5 against 9
        ((2, 2), "same size", True),  # 11 − 7 + 5
    ],
)
async def test_what_stands_in_the_way(
    world: World, dice: tuple[int, int], way: str, hits: bool
) -> None:
    await open_effect_table(world, BALL | {"accuracy": 10})
    told = await cast_effect(
        world, "Ball", *dice, target="Thug", **{"with": f"meters 3, around {way}"}
    )
    assert ("Hit" in told.splitlines()[0]) is hits, told


INSIDE: Final = "GM: who else is inside?"


async def name_inside(world: World, **values: str) -> None:
    """Let the GM say who else is inside of an area, and how far off its center."""
    panel = message_of(await world.press(world.gina, world.newest(INSIDE), INSIDE))
    option = "Name who else is inside"
    await world.press(world.gina, panel, f"{option}…")
    write = next(each for each in labels(panel) if each.endswith("…"))
    dialog = await world.press(world.gina, panel, write)
    fields = {key.replace("_", "-"): value for key, value in values.items()}
    await world.gina.submit_modal(dialog, fields)
    await world.press(world.gina, panel, option)


async def more_npcs(world: World) -> None:
    """Bring two more NPCs who defend with 9, as the thug does."""
    for name in ("Goon", "Brute"):
        await bring(world, world.gina, name, THUG, npc=True)
        await world.gina.slash(world.zone, "gm npc reveal", npc=name)


async def struck_names(world: World, *names: str) -> list[str]:
    return [name for name in names if (await sheet(world, name)).harm != NO_HARM]


@pytest.mark.rule("MB-SFX-22", "MB-SFX-S06")
@pytest.mark.parametrize(
    ("dims", "diameter", "dice", "falls_off", "hit"),
    [
        # 11 − 8 + 10: 13 at the center, 9 and 8 at 4 and 5 meters.
        (3, 10, (1, 2), True, ["Thug", "Goon"]),
        (3, 10, (1, 2), False, ["Thug", "Goon", "Brute"]),
        # 11 − 7 + 5 at the center, 5 and 4 at 4 and 5 meters.
        (2, 10, (2, 2), True, ["Thug"]),
        (2, 10, (2, 2), False, ["Thug", "Goon", "Brute"]),
        (2, 11, (1, 2), False, []),  # 3 + 5
        # 11 − 3 + 1 and + 0: a bonus never falls below 0.
        (2, 3, (3, 4), True, ["Thug"]),
        (2, 3, (5, 5), True, ["Thug", "Goon", "Brute"]),
    ],
)
async def test_areas(
    world: World,
    dims: int,
    diameter: int,
    dice: tuple[int, int],
    falls_off: bool,
    hit: list[str],
) -> None:
    ball = BALL | {"area": area(dims, diameter)}
    await open_effect_table(world, ball, rules={"effect_area_falloff": "on"} if falls_off else {})
    await more_npcs(world)
    await cast_effect(world, "Ball", *dice, target="Thug", **NEAR)
    await name_inside(world, also="Goon 4\nBrute 5")
    assert await struck_names(world, "Thug", "Goon", "Brute") == hit, await newest(world)


@pytest.mark.rule("MB-SFX-22", "MB-SFX-32")
@pytest.mark.parametrize(
    ("dice", "falls_off", "also", "also_2", "hit"),
    [
        # 11 − 3 + 3 are 11, less 2 and 3: 9 around the thug, 8 around the goon.
        ((3, 4), False, "", "", ["Thug"]),
        ((3, 4), False, "Brute 1", "", ["Thug", "Brute"]),
        ((3, 4), False, "", "Brute 1", ["Thug"]),
        # In both areas the better total counts, once.
        ((3, 4), False, "Brute 1", "Brute 1", ["Thug", "Brute"]),
        ((3, 4), False, "Goon 1", "", ["Thug", "Goon"]),
        # 11 − 1 + 3 are 13, less 2 and 3, and less 1 for each meter.
        ((4, 4), True, "Brute 1", "", ["Thug", "Goon", "Brute"]),  # 11 and 10; 10 at 1 meter
        ((4, 4), True, "", "Brute 2", ["Thug", "Goon"]),  # 8
        ((3, 4), True, "Brute 1", "Brute 0", ["Thug"]),  # 8 and 8
    ],
)
async def test_two_areas(
    world: World,
    dice: tuple[int, int],
    falls_off: bool,
    also: str,
    also_2: str,
    hit: list[str],
) -> None:
    ball = BALL | {"area": area(3, 3), "targets": 2}
    await open_effect_table(world, ball, rules={"effect_area_falloff": "on"} if falls_off else {})
    await more_npcs(world)
    await cast_effect(world, "Ball", *dice, target="Thug", **{"with": "meters 3, on Goon 3"})
    if also or also_2:
        await name_inside(world, also=also, also_2=also_2)
    else:
        panel = message_of(await world.press(world.gina, world.newest(INSIDE), INSIDE))
        await world.press(world.gina, panel, "Pass")
    assert await struck_names(world, "Thug", "Goon", "Brute") == hit, await newest(world)


@pytest.mark.rule("MB-SFX-27", "MB-SFX-S03")
@pytest.mark.parametrize(
    ("speed", "duration", "meters", "lost"),
    [
        (9, 0, 60, False),
        (5, 4, 60, False),  # 6 seconds of 6
        (4, 4, 60, True),  # 10 seconds of 6
        (4, 5, 60, False),
        (4, 4, 40, False),  # 40 meters are 8
        (4, 4, 41, True),
    ],
)
async def test_slow_effects_die_on_their_way(
    world: World, speed: int, duration: int, meters: int, lost: bool
) -> None:
    await open_effect_table(world, BOLT | {"speed_value": speed, "duration_value": duration})
    given = {"effect": "Bolt", "target": "Thug", "with": f"meters {meters}"}
    if lost:
        why = refusal_of(await world.ana.slash(world.zone, "effect cast", **given))
        assert "way" in why, why
        return
    world.dice.lay(5, 6)
    await world.ana.slash(world.zone, "effect cast", **given)
    assert world.dice.left == 0


# --- values chosen anew ---------------------------------------------------------------------------


FOG: Final = effect("Fog", action="lower", traits=["Agility"], effect_value=10, duration_value=8)


@pytest.mark.rule("MB-SFX-33", "MB-SFX-S10", "MB-SFX-20", "MB-SFX-24")
async def test_a_band_moves_with_the_final_effect_value(world: World) -> None:
    """12 are 4 over the difficulty, 2 of them over the feedback: 10 to 15 around 12."""
    fog = FOG | {"points_up": 7, "points_down": 4, "given": {"dn": 8, "fv": 2}}
    await open_effect_table(world, fog)
    await cast_effect(world, "Fog", target="Boris", **NEAR)
    steer = {"effect": "Fog", "do": "value"}
    for value in (9, 16):
        why = refusal_of(await world.ana.slash(world.zone, "effect steer", **steer, value=value))
        assert "10" in why and "15" in why, why
    # 9 less 6 / 3 + 1, 1 / 3 + 1, 2 / 3 + 1 and 3 / 3 + 1.
    for value, agility in ((15, 6), (10, 8), (11, 8), (12, 7)):
        await world.ana.slash(world.zone, "effect steer", **steer, value=value)
        shown = private(await world.ben.slash(world.zone, "character show"))
        assert f"Agility {agility}" in shown, (value, shown)


@pytest.mark.rule("MB-SFX-33", "MB-SFX-S10", "MB-SFX-S08")
async def test_a_value_chosen_anew_meets_traits_by_rank(world: World) -> None:
    fog = FOG | {"traits": ["Agility", "Strength", "Mind"], "points_up": 14}
    await open_effect_table(world, fog)
    await cast_effect(world, "Fog", target="Boris", **{"with": "meters 3, value 12"})
    # 10, 8 and 6 against 9, 9 and 8.
    shown = private(await world.ben.slash(world.zone, "character show"))
    for line in ("Agility 8", "Strength 9", "Mind 8"):
        assert line in shown, shown
    # 15, 13 and 11 against the same.
    await world.ana.slash(world.zone, "effect steer", effect="Fog", do="value", value=17)
    shown = private(await world.ben.slash(world.zone, "character show"))
    for line in ("Agility 6", "Strength 7", "Mind 6"):
        assert line in shown, shown


@pytest.mark.rule("MB-SFX-33", "MB-SFX-S12", "MB-SFX-26")
@pytest.mark.parametrize(
    ("value", "rule", "speed"),
    [
        (10, "push", "1.5 m a second"),  # 100 kilograms are 10
        (12, "push", "1.5 m a second"),
        (13, "push", "2.5 m a second"),
        (16, "push", "4 m a second"),
        (25, "push", "15 m a second"),
        (14, "direct_round", "6 m a round"),
        (19, "direct_round", "60 m a round"),
    ],
)
async def test_a_carried_weight(world: World, value: int, rule: str, speed: str) -> None:
    lift = effect("Lift", action="movement", movement=True, effect_value=value, duration_value=8)
    await open_effect_table(
        world, lift, rules={"effect_speed": rule}, sheets={"Boris": {"weight": 100}}
    )
    await cast_effect(world, "Lift", target="Boris", **NEAR)
    await resist(world, world.ben, "Pass")
    assert f"moves {speed}" in everything(world), everything(world)[-300:]


# --- time -----------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-26", "MB-SFX-S04")
@pytest.mark.parametrize(
    ("value", "span", "left"),
    [
        (21, "1 hour", "3 hours and 10 minutes"),  # 15,000 seconds less 3,600
        (12, "2 min", "2 minutes and 10 seconds"),  # 250 less 120
        (12, "4 min", "10 seconds"),
        (12, "5 min", None),
        (9, "1 min", None),
    ],
)
async def test_clocks_take_time_off(world: World, value: int, span: str, left: str | None) -> None:
    await open_effect_table(world, FOG | {"duration_value": value})
    await cast_effect(world, "Fog", target="Boris", **NEAR)
    await advance_time(world, span)
    listed = private(await world.ana.slash(world.zone, "effect running"))
    assert ("No effect of yours runs" in listed) is (left is None), listed
    assert left is None or f", {left}" in listed, listed


@pytest.mark.rule("MB-SFX-26")
@pytest.mark.parametrize(("value", "rounds"), [(4, 0), (5, 1), (6, 2), (7, 3), (8, 4), (9, 6)])
async def test_rounds_are_counted_up(world: World, value: int, rounds: int) -> None:
    """6, 10, 15, 25, 40 and 60 seconds, the round of casting included."""
    await open_effect_table(world, FOG | {"duration_value": value})
    await gather(world, "Thug")
    await next_turn(world, 9, 9, 3, 4, 1, 1)
    await cast_effect(world, "Fog", target="Boris", **NEAR)
    assert ("Over at once" in everything(world)) is not rounds
    for still in range(rounds):
        listed = private(await world.ana.slash(world.zone, "effect running"))
        left = rounds - still
        assert f"{left} round{'s' if left > 1 else ''}" in listed, (still, listed)
        await next_turn(world)
        await next_turn(world)
        await next_turn(world, 9, 9, 3, 4, 1, 1)
    assert "No effect of yours runs" in private(await world.ana.slash(world.zone, "effect running"))


@pytest.mark.rule("MB-SFX-20")
@pytest.mark.parametrize(("value", "rounds"), [(6, 2), (7, 3), (8, 4), (9, 6)])
async def test_castings_take_rounds(world: World, value: int, rounds: int) -> None:
    await open_effect_table(world, FOG | {"cast_time_value": value})
    await gather(world, "Thug")
    await next_turn(world, 9, 9, 3, 4, 1, 1)
    await world.ana.slash(world.zone, "effect cast", effect="Fog", target="Boris", **NEAR)
    assert f"round 1 of {rounds}" in await newest(world), await newest(world)


@pytest.mark.rule("MB-SFX-28", "MB-SFX-21")
@pytest.mark.parametrize(
    ("dn", "fv", "dice", "feedback"),
    [
        (16, 19, (5, 6), 4),  # 6 and 10: 12 are 6 over it
        (10, 1, (5, 6), 0),  # 4 and 1
        (13, 7, (1, 2), 4),  # 5 and 4: 3 fails
        (9, 3, (1, 2), 2),  # 3 and 2: 3 is enough, and no points
    ],
)
async def test_maintaining(
    world: World, dn: int, fv: int, dice: tuple[int, int], feedback: int
) -> None:
    keep = FOG | {"maintenance": True, "duration_value": 5, "given": {"dn": dn, "fv": fv}}
    await open_effect_table(world, keep, sheets={})
    await cast_effect(world, "Fog", 10, 10, 9, 9, target="Boris", **NEAR)
    await world.gina.slash(world.zone, "gm adjust", character="Vesna", what="wounds", value="0")
    await advance_time(world, "1 min")
    third, half = -(-dn // 3), -(-fv // 2)
    panel = message_of(await world.ana.slash(world.zone, "effect running"))
    world.dice.lay(*dice)
    await world.press(world.ana, panel, f"Maintain Fog (DN {third}, FV {half})")
    assert world.dice.left == 0
    told = await newest(world)
    assert (f"Feedback {feedback} for Vesna" in told) is bool(feedback), told
    assert ("goes on for its whole duration" in told) is ((dn, fv) != (13, 7)), told


# --- charges --------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-29", "MB-SFX-31", "MB-SFX-S20", "MB-SFX-S21")
@pytest.mark.parametrize(
    ("kind", "level", "dice", "goes_off"),
    [
        ("gesture", 4, (5, 6), False),  # Dexterity 10 + 1 against 12
        ("gesture", 4, (6, 7), True),
        ("gesture", 6, (10, 8, 1), False),  # a ten is rolled again: 10 + 8 against 20
        ("gesture", 6, (10, 8, 3), True),  # 10 + 10
        ("incantation", 3, (4, 4), False),  # Mind 8 − 1 against 8
        ("incantation", 3, (4, 5), True),
        ("incantation", 1, (), True),
    ],
)
async def test_triggers(
    world: World, kind: str, level: int, dice: tuple[int, ...], goes_off: bool
) -> None:
    trigger = {"kind": kind, "level": level, "text": "a sign", "at_release": True}
    spark = effect("Spark", action="words", charges=2, conditions=[trigger], duration_value=8)
    await open_effect_table(world, spark)
    await cast_effect(world, "Spark", **{"with": "into an oak wand"})
    world.dice.lay(*dice)
    await world.ana.slash(world.zone, "effect use", charge="Spark")
    assert world.dice.left == 0
    (held,) = effects_of(read_only_game(await world.state()), await who(world, "Vesna")).charges
    assert held.left == (1 if goes_off else 2), await newest(world)


@pytest.mark.rule("MB-SFX-29", "MB-SFX-20")
async def test_a_charge_has_the_effect_value_of_its_casting(world: World) -> None:
    """12 against 8 leave 4 points, 2 of them over the feedback: 10 rises to 12."""
    fog = FOG | {"charges": 2, "given": {"dn": 8, "fv": 2}}
    await open_effect_table(world, fog)
    await cast_effect(world, "Fog", **{"with": "into an oak wand"})
    await world.ana.slash(world.zone, "effect use", charge="Fog", target="Boris", **NEAR)
    # 12 against 9: 2 off.
    shown = private(await world.ben.slash(world.zone, "character show"))
    assert "Agility 7" in shown, shown


# --- rolls at a casting ---------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-S19", "MB-SFX-S22")
async def test_difficulties_of_conditions_are_shown(world: World) -> None:
    changes = condition("concentration", time_value=13) | {"cast_time_value": 13}
    mage = knows() | {
        "effects": [{"blueprint": PLAIN | changes, "learned": True, "approved": True}]
    }
    await open_table(world, sheets={"Vesna": mage})
    text = private(await world.ana.slash(world.zone, "effect show", effect="Plain"))
    rolls = text.partition("### Rolls")[2].partition("###")[0]
    assert any(line.endswith("against DN 11") for line in rolls.splitlines()), rolls


@pytest.mark.rule("MB-SFX-S17", "MB-SFX-31")
@pytest.mark.parametrize(
    ("helpers", "participation", "dn"),
    [
        (6, "dn8", 14),  # base 4
        (7, "dn10", 18),  # base 5
        (16, "dn12", 24),  # base 7
        (26, "dn18", 32),  # base 8
    ],
)
async def test_one_roll_for_a_group(
    world: World, helpers: int, participation: str, dn: int
) -> None:
    choir = effect("Choir", given={"dn": 12, "fv": 0}, **group(helpers, participation))
    await open_effect_table(world, choir)
    await world.ana.slash(world.zone, "effect cast", effect="Choir")
    panel = message_of(
        await world.press(
            world.gina, world.newest("GM: roll for the group"), "GM: roll for the group"
        )
    )
    dialog = await world.press(world.gina, panel, "Average skill…")
    filled = message_of(await world.gina.submit_modal(dialog, {"value": str(dn - 1)}))
    world.dice.lay(6, 6, 5, 6)
    await world.press(world.gina, filled, f"One roll for all {helpers}")
    assert world.dice.left == 0
    assert f"the group {dn} against {dn}" in await newest(world), await newest(world)


@pytest.mark.rule("MB-LP-04", "MB-SFX-10", "MB-INT-08")
@pytest.mark.parametrize(
    ("value", "now", "less"),
    [(9, "minimal", "no effect"), (10, "solid", "minimal"), (14, "good", "solid")],
)
async def test_a_life_point_lowers_a_compulsion(
    world: World, value: int, now: str, less: str
) -> None:
    """It is a persuasion, whose level a point lowers by one; Boris has Willpower 9."""
    call = effect("Call", skill="Summoning", action="general", resisted_by="Willpower")
    call |= {"effect_value": value, "duration_value": 8}
    summoner = knows(call) | {"skills": [{"name": "Summoning", "adds": 3}], "charisma": 8}
    sheets = {"Vesna": summoner, "Boris": {"life_points": 2}}
    await open_table(world, sheets=sheets, step_in_minutes=10, life_points=0)
    await cast_effect(world, "Call", target="Boris", **NEAR)
    await world.press(world.ana, world.newest("Accept result"), "Accept result")
    prompt = "GM: what does the target feel?"
    panel = message_of(await world.press(world.gina, world.newest(prompt), prompt))
    await world.press(world.gina, panel, "Pass")
    await resist(world, world.ben, "Pass")
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    label = f"Spend a Life Point: {now} → {less}"
    assert label in labels(panel), labels(panel)
    await world.press(world.ben, panel, label)
    assert (await sheet(world, "Boris")).life_points == 1
    text = await newest(world)
    assert f"Boris spends a Life Point: {less} instead." in text, text
    assert ("No effect on Boris" in text) is (less == "no effect"), text
    assert (f"Boris: {less} ({value} against 9)" in text) is (less != "no effect"), text
    listed = private(await world.ana.slash(world.zone, "effect running"))
    assert ("Call on Boris" in listed) is (less != "no effect"), listed


@pytest.mark.rule("MB-LP-04", "MB-SFX-10", "MB-SFX-S07")
async def test_two_compelled_targets_are_told_apart(world: World) -> None:
    call = effect("Call", skill="Summoning", action="general", resisted_by="Willpower")
    call |= {"effect_value": 14, "duration_value": 8, "targets": 2}
    summoner = knows(call) | {"skills": [{"name": "Summoning", "adds": 3}], "charisma": 8}
    sheets = {"Vesna": summoner, "Boris": {"life_points": 2}, "Thug": {"life_points": 0}}
    await open_table(world, sheets=sheets, step_in_minutes=10, life_points=0)
    await cast_effect(world, "Call", target="Boris", **{"with": "meters 3, on Thug 3"})
    await world.press(world.ana, world.newest("Accept result"), "Accept result")
    prompt = "GM: what does the target feel?"
    panel = message_of(await world.press(world.gina, world.newest(prompt), prompt))
    await world.press(world.gina, panel, "Pass")
    await resist(world, world.ben, "Pass")
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    await world.press(world.ben, panel, "Spend a Life Point: good → solid")
    text = await newest(world)
    assert "Boris: solid (14 against 9)" in text, text
    assert "Boris is solid" not in text and "Boris is good" not in text, text


@pytest.mark.rule("MB-SFX-13")
@pytest.mark.parametrize(("adds", "limit"), [(1, 3), (2, 4), (4, 4), (5, 5)])
async def test_limits_of_learning(world: World, adds: int, limit: int) -> None:
    """A third of 9, 10, 12 and 13, rounded up."""
    skills = [{"name": "Conjuration", "adds": adds}]
    await open_table(world, sheets={"Vesna": {"skills": skills, "mind": 8, "life_points": 3}})
    learned = private(
        await world.ana.slash(world.zone, "effect learn", effect="Illusionary Fireball")
    )
    assert f"1 of {limit} effects of Conjuration known" in learned, learned


# --- who may cast ---------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-12", "MB-INT-11")
async def test_an_untrained_result_bars_castings_until_it_is_used(world: World) -> None:
    """14 against Taunt 9 are 5 points: *untrained*, until the next action."""
    scare = effect("Scare", action="taunt_trick", effect_value=14, duration_value=8)
    spark = effect("Spark", effect_value=10)
    await open_effect_table(world, spark, sheets={"Thug": knows(scare) | {"life_points": 0}})
    world.dice.lay(5, 6)
    casting = {"effect": "Scare", "target": "Vesna", "as": "Thug"} | NEAR
    await world.gina.slash(world.zone, "effect cast", **casting)
    await meet(world, world.ana, "Pass")
    why = refusal_of(await world.ana.slash(world.zone, "effect cast", effect="Spark"))
    assert "untrained" in why, why
    world.dice.lay(5, 6)
    check = {"skill": "Strength", "difficulty": "8", "approach": "so"}
    await world.ana.slash(world.zone, "check", **check)
    assert "12 against 12" in await cast_effect(world, "Spark")


@pytest.mark.rule("MB-SFX-12", "MB-SKILL-FAITH")
async def test_ordination_is_of_players_miracles_alone(world: World) -> None:
    """NPCs are the GM's own, and other kinds of effects are no miracles."""
    prayer = effect("Prayer", skill="Faith", effect_value=10)
    spark = effect("Spark", effect_value=10)
    faithful = [{"name": "Faith", "focus": "saints", "adds": 4}]
    priest = knows(prayer) | {"skills": faithful, "confidence": 8}
    rules = {"faith_miracles_professionals_only": "on"}
    await open_effect_table(world, spark, rules=rules, sheets={"Thug": priest})
    assert "12 against 12" in await cast_effect(world, "Spark")
    world.dice.lay(5, 6)
    result = await world.gina.slash(world.zone, "effect cast", effect="Prayer", **{"as": "Thug"})
    told = texts(message_of(result))
    assert world.dice.left == 0 and "13 against 12" in told, told


@pytest.mark.rule("MB-SFX-14", "MB-SFX-31")
async def test_a_cost_of_the_world_bars_those_who_lack_it(world: World) -> None:
    await open_effect_table(world, effect("Spark", effect_value=10, given={"dn": 12, "fv": 8}))
    await in_world(world, requirement="an ounce of gold", difficulty_adjust=1)
    await world.ana.slash(world.zone, "effect cast", effect="Spark")
    panel = message_of(
        await world.press(world.ana, world.newest("Show what you have"), "Show what you have")
    )
    await world.press(world.ana, panel, "Withdraw")
    assert (await sheet(world, "Vesna")).harm == NO_HARM, "no casting, no feedback"
    # 13, so that 12 fails, and all 8 points feed back.
    told = await cast_effect(world, "Spark", **{"with": "components"})
    assert "12 against 13" in told and "feedback 8: 1 wound" in told, told


@pytest.mark.rule("MB-SFX-12", "MB-SFX-10")
@pytest.mark.parametrize(
    ("skill", "kinds", "allowed"),
    [
        ("Conjuration", {"magic": True}, True),
        ("Psionic Manipulation", {"magic": True}, False),
        ("Psionic Manipulation", {"magic": False, "psionics": True}, True),
        ("Super-science", {"magic": True, "super_science": True}, True),
        ("Apportation", {"magic": False, "psionics": True}, False),
    ],
)
async def test_kinds_of_a_world(
    world: World, skill: str, kinds: dict[str, bool], allowed: bool
) -> None:
    """Mind and Intellect are both 8: 11 and 1."""
    made = effect("Spark", skill=skill, effect_value=10)
    mage = knows(made) | {"skills": [{"name": skill, "adds": 3}]}
    await open_table(world, sheets={"Vesna": mage})
    await in_world(world, **kinds)
    if allowed:
        assert "12 against 12" in await cast_effect(world, "Spark")
        return
    why = refusal_of(await world.ana.slash(world.zone, "effect cast", effect="Spark"))
    assert "world" in why, why


@pytest.mark.rule("MB-SFX-24", "MB-SFX-29", "MB-SFX-26")
async def test_a_released_charge_lasts_from_its_release(world: World) -> None:
    """40 seconds of value 8: nothing of them passes in the wand."""
    fog = FOG | {"charges": 1}
    await open_effect_table(world, fog)
    await cast_effect(world, "Fog", **{"with": "into an oak wand"})
    await advance_time(world, "10 min")
    await world.ana.slash(world.zone, "effect use", charge="Fog", target="Boris", **NEAR)
    listed = private(await world.ana.slash(world.zone, "effect running"))
    # 10 against 9.
    assert "Fog on Boris: Agility −1, 40 seconds" in listed, listed


@pytest.mark.rule("MB-SFX-26", "MB-SFX-S11")
@pytest.mark.parametrize(("points", "seconds"), [(0, 40), (1, 42), (4, 46), (9, 100), (10, 140)])
async def test_extensions(world: World, points: int, seconds: int) -> None:
    """40 seconds, and 1.5, 6, 60 and 100 more; begun seconds count."""
    await open_effect_table(world, FOG | {"extension": 10})
    words = f"meters 3, extension {points}" if points else "meters 3"
    await cast_effect(world, "Fog", target="Boris", **{"with": words})
    (running,) = effects_of(read_only_game(await world.state()), await who(world, "Vesna")).running
    assert running.seconds_left == seconds


@pytest.mark.rule("MB-SFX-10", "MB-SKILL-SUMMONING")
@pytest.mark.parametrize(("value", "taken"), [(10, False), (11, True)])
async def test_summoners_carry_their_own_mass(world: World, value: int, taken: bool) -> None:
    """70 kilograms are 10, and a willing caster adds nothing to them."""
    jump = effect("Jump", skill="Summoning", action="movement", effect_value=value, on_self=True)
    summoner = knows(jump) | {"skills": [{"name": "Summoning", "adds": 3}], "charisma": 8}
    await open_table(world, sheets={"Vesna": summoner | {"weight": 70}})
    await cast_effect(world, "Jump")
    told = everything(world)
    assert ("is taken there (11 against 10)" in told) is taken, told[-300:]
    assert ("doesn't move (10 against 10)" in told) is not taken, told[-300:]


@pytest.mark.rule("MB-SFX-26")
async def test_rounds_give_way_to_the_clock(world: World) -> None:
    """60 seconds are 6 rounds; with two of them over, 40 seconds are left."""
    await open_effect_table(world, FOG | {"duration_value": 9})
    await gather(world, "Thug")
    await next_turn(world, 9, 9, 3, 4, 1, 1)
    await cast_effect(world, "Fog", target="Boris", **NEAR)
    for _ in range(2):
        await next_turn(world)
        await next_turn(world)
        await next_turn(world, 9, 9, 3, 4, 1, 1)
    listed = private(await world.ana.slash(world.zone, "effect running"))
    assert ", 4 rounds" in listed, listed
    await world.gina.slash(world.zone, "initiative end")
    listed = private(await world.ana.slash(world.zone, "effect running"))
    assert ", 40 seconds" in listed, listed


@pytest.mark.rule("MB-SFX-33", "MB-SFX-S09", "MB-SFX-20")
async def test_a_new_target_meets_the_effect_value_of_the_casting(world: World) -> None:
    """10 and 2 points over the feedback are 12: Boris with 9 loses 2, Vesna with 12 loses 1."""
    fog = FOG | {"target_changes": 2, "given": {"dn": 8, "fv": 2}}
    await open_effect_table(world, fog, sheets={"Vesna": knows(fog) | {"agility": 12}})
    await cast_effect(world, "Fog", target="Boris", **NEAR)
    assert "Agility 7" in private(await world.ben.slash(world.zone, "character show"))
    steer = {"effect": "Fog", "do": "target", "target": "Vesna"}
    await world.ana.slash(world.zone, "effect steer", **steer)
    assert "Agility 9" in private(await world.ben.slash(world.zone, "character show"))
    assert "Agility 11" in private(await world.ana.slash(world.zone, "character show"))


@pytest.mark.rule("MB-SFX-22", "MB-SFX-S12", "MB-SFX-S06")
async def test_accuracy_does_not_fall_off(world: World) -> None:
    """11 − 8 with 2 for accuracy, and 5 in the center, 4 and 3 off it: 10, 9 and 8."""
    ball = BALL | {"area": area(2, 10), "accuracy": 3}
    await open_effect_table(world, ball, rules={"effect_area_falloff": "on"})
    await more_npcs(world)
    await cast_effect(world, "Ball", 1, 2, target="Thug", **NEAR)
    await name_inside(world, also="Goon 1\nBrute 2")
    assert await struck_names(world, "Thug", "Goon", "Brute") == ["Thug", "Goon"], await newest(
        world
    )
