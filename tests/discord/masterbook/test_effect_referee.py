"""Results of special effects, worked out by hand and held against what commands tell.

The caster has Conjuration 11 and Mind 8, Boris has 9 in his body and 8 in Mind and Intellect, the
thug defends with 9. Two dice of a sum give a bonus: 3 −8, 7 −3, 8 −1, 10 0, 11 and 12 +1, 13 +2,
16 +5, 18 +7.
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.registry import read_only_game
from rules.systems.masterbook.effects.state import effects_of
from tests.discord.masterbook.cards.deck import who
from tests.discord.masterbook.effect_table import (
    EVEN,
    advance_time,
    cast_effect,
    effect,
    everything,
    knows,
    open_effect_table,
    resist,
)
from tests.discord.masterbook.table import THUG, bring, newest, open_table, sheet
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, labels, message_of, private, refusal_of, texts

NEAR: dict[str, Any] = {"with": "meters 3"}
BOLT = effect("Bolt", action="damage", effect_value=14, to_hit="casting")


def lift(value: int) -> dict[str, Any]:
    return effect("Lift", action="movement", movement=True, effect_value=value, duration_value=8)


def changing(action: str, value: int, *traits: str) -> dict[str, Any]:
    return effect("Change", action=action, traits=[*traits], effect_value=value, duration_value=8)


# --- the casting and its feedback -----------------------------------------------------------------


@pytest.mark.rule("MB-SFX-20", "MB-SFX-21")
@pytest.mark.parametrize(
    ("dn", "fv", "dice", "resist", "head", "wounds", "value"),
    [
        # No result points: the whole feedback, by the rows of the Damage Column.
        (12, 0, (5, 6), "none", "no feedback (12 against 12)", 0, 10),
        (12, 2, (5, 6), "none", "feedback 2: ", 0, 10),
        (12, 8, (5, 6), "none", "feedback 8: 1 wound", 1, 10),
        (11, 10, (4, 6), "none", "feedback 10: 2 wounds", 2, 10),
        (12, 15, (5, 6), "none", "feedback 15: 3 wounds", 3, 10),
        # 6 wounds in row 20, and 3 for the points above.
        (12, 23, (5, 6), "none", "feedback 23: 9 wounds", 9, 10),
        # Points lower it, and what is over raises the effect.
        (10, 12, (8, 8), "none", "feedback 6: ", 0, 10),
        (8, 4, (5, 6), "none", "no feedback (12 against 8)", 0, 10),
        (8, 2, (5, 6), "none", "no feedback (12 against 8)", 0, 12),
        (8, 0, (9, 9), "none", "no feedback (18 against 8)", 0, 20),
        # A failure has no points.
        (13, 9, (5, 6), "none", "feedback 9: 1 wound", 1, None),
        (20, 13, (9, 9), "none", "feedback 13: 3 wounds", 3, None),
        # Mind 8 off.
        (12, 7, (5, 6), "mind", "feedback 7: no damage", 0, 10),
        (12, 8, (5, 6), "mind", "feedback 8: 1 shock", 0, 10),
        (12, 18, (5, 6), "mind", "feedback 18: 2 wounds", 2, 10),
        (8, 20, (5, 6), "mind", "feedback 16: 1 wound", 1, 10),
    ],
)
async def test_castings(
    world: World,
    dn: int,
    fv: int,
    dice: tuple[int, int],
    resist: str,
    head: str,
    wounds: int,
    value: int | None,
) -> None:
    spark = effect("Spark", effect_value=10, duration_value=8, given={"dn": dn, "fv": fv})
    await open_effect_table(world, spark, rules={"effect_feedback_resist": resist})
    told = await cast_effect(world, "Spark", *dice)
    assert head in told, told
    assert (await sheet(world, "Vesna")).harm.wounds == wounds
    running = effects_of(read_only_game(await world.state()), await who(world, "Vesna")).running
    assert [each.effect_value for each in running] == ([] if value is None else [value])


@pytest.mark.rule("MB-SFX-93", "MB-SFX-14")
@pytest.mark.parametrize(
    ("dn", "fv", "more", "head"),
    [(12, 8, 0, "against 16"), (13, 7, 0, "against 18"), (13, 7, 5, "against 23")],
)
async def test_unlearned_effects(world: World, dn: int, fv: int, more: int, head: str) -> None:
    known = {"blueprint": effect("Spark", given={"dn": dn, "fv": fv}), "approved": True}
    rules = {"effect_world_difficulty": str(more)} if more else {}
    await open_effect_table(world, rules=rules, sheets={"Boris": {}})
    skills = [{"name": "Conjuration", "adds": 3}]
    own = {"mind": 8, "skills": skills, "effects": [known], "life_points": 0}
    await bring(world, world.gina, "Mage", own, npc=True)
    world.dice.lay(5, 6)
    result = await world.gina.slash(world.zone, "effect cast", effect="Spark", **{"as": "Mage"})
    told = texts(message_of(result))
    assert head in told and f"feedback {fv + -(-fv // 3)}" in told, told


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-24", "MB-SFX-S08")
@pytest.mark.parametrize(
    ("action", "value", "traits", "line"),
    [
        ("raise", 8, ("Strength",), "has no effect"),
        ("raise", 9, ("Strength",), "Strength 9 → 10 (9 against 9)"),
        ("raise", 11, ("Strength",), "Strength 9 → 10 (11 against 9)"),
        ("raise", 12, ("Strength",), "Strength 9 → 11 (12 against 9)"),
        # Row 29 of the Push Column, the last that is printed.
        ("raise", 38, ("Strength",), "Strength 9 → 19 (38 against 9)"),
        ("lower", 15, ("Agility",), "Agility 9 → 6 (15 against 9)"),
        # 18 off, but no value falls below 0.
        ("lower", 60, ("Agility",), "Agility 9 → 0 (60 against 9)"),
        # 17, 15 and 13 against 9, 9 and 8.
        ("raise", 19, ("Strength", "Endurance", "Mind"), "Endurance 9 → 12, Mind 8 → 10"),
    ],
)
async def test_changed_values(
    world: World, action: str, value: int, traits: tuple[str, ...], line: str
) -> None:
    await open_effect_table(world, changing(action, value, *traits))
    await cast_effect(world, "Change", target="Boris", **NEAR)
    assert line in everything(world), everything(world)[-400:]


@pytest.mark.rule("MB-SFX-24")
async def test_what_rests_on_a_changed_value(world: World) -> None:
    await open_effect_table(
        world,
        changing("lower", 15, "Agility"),
        changing("raise", 17, "Strength") | {"name": "More"},
    )
    await cast_effect(world, "Change", target="Boris", **NEAR)
    await cast_effect(world, "More", target="Boris", **NEAR)
    shown = private(await world.ben.slash(world.zone, "character show"))
    for line in ("Stealth 9 (+3)", "Dodge 8 (+2)", "Melee Combat 8 (+2)", "damage 15"):
        assert line in shown, shown


# --- time -----------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-26", "MB-SFX-S04", "MB-SFX-S11")
@pytest.mark.parametrize(
    ("value", "words", "seconds", "rounds"),
    [
        (5, "", "10 seconds", 1),
        (6, "", "15 seconds", 2),
        (8, "", "40 seconds", 4),
        (9, "", "1 minute", 6),
        (8, ", extension 9", "1 minute and 40 seconds", 10),
    ],
)
async def test_durations(world: World, value: int, words: str, seconds: str, rounds: int) -> None:
    long = changing("raise", 17, "Strength") | {"duration_value": value, "extension": 9}
    await open_effect_table(world, long)
    await cast_effect(world, "Change", target="Boris", **{"with": "meters 3" + words})
    assert f"Lasts {seconds}." in everything(world), everything(world)[-300:]
    await gather(world)
    board = await next_turn(world, 9, 9, 1, 2)
    plural = "round" if rounds == 1 else "rounds"
    assert f"Strength +3, {rounds} {plural}" in board, board


@pytest.mark.rule("MB-SFX-20")
@pytest.mark.parametrize(
    ("value", "until"),
    [(15, "Day 1, 00:17"), (18, "Day 1, 01:07"), (25, "Day 2, 03:47"), (26, "Day 4, 11:20")],
)
async def test_cast_times(world: World, value: int, until: str) -> None:
    """1,000 and 4,000 seconds, 100,000, and twice 150,000 over a day."""
    await open_effect_table(world, effect("Slow", cast_time_value=value))
    await world.ana.slash(world.zone, "effect cast", effect="Slow")
    assert f"until {until}" in await newest(world), await newest(world)


# --- hitting --------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-22", "MB-SFX-27", "MB-SFX-S06", "MB-SFX-S12")
@pytest.mark.parametrize(
    ("changes", "dice", "meters", "hits"),
    [
        ({}, (7, 1), 3, True),  # 10 against 9
        ({}, (2, 5), 3, False),  # 8 against 9
        ({"accuracy": 1}, (2, 5), 3, True),  # 8 and 1
        ({"area": {"dims": 2, "diameter": 5}}, (2, 4), 3, False),  # 6 and 2
        ({"area": {"dims": 3, "diameter": 3}}, (2, 4), 3, True),  # 6 and 3
        ({"speed_value": 6, "duration_value": 9}, (5, 6), 60, True),  # 12 against 9 and 3
        ({"speed_value": 5, "duration_value": 9}, (5, 6), 60, False),  # 12 against 9 and 4
    ],
)
async def test_hits(
    world: World, changes: dict[str, Any], dice: tuple[int, int], meters: int, hits: bool
) -> None:
    bolt = BOLT | {"given": {"dn": 5, "fv": 0}} | changes
    await open_effect_table(world, bolt)
    await cast_effect(world, "Bolt", *dice, target="Thug", **{"with": f"meters {meters}"})
    asked = [each for each in world.messages() if "GM: who else is inside?" in labels(each)]
    if asked:
        panel = message_of(await world.press(world.gina, asked[-1], "GM: who else is inside?"))
        await world.press(world.gina, panel, "Pass")
    told = await newest(world)
    assert ("Hit" in told.splitlines()[0]) is hits, told


@pytest.mark.rule("MB-SFX-32", "MB-SFX-S07")
async def test_three_targets_by_rank(world: World) -> None:
    await open_effect_table(world, BOLT | {"targets": 3})
    for name in ("Goon", "Brute"):
        await bring(world, world.gina, name, THUG, npc=True)
        await world.gina.slash(world.zone, "gm npc reveal", npc=name)
    # 12, less 2, 3 and 4, against 9 each.
    told = await cast_effect(
        world, "Bolt", target="Thug", **{"with": "meters 3, on Goon 3, on Brute 3"}
    )
    assert "hits 2 of 3" in told.casefold(), told


@pytest.mark.rule("MB-SFX-33", "MB-SFX-S12", "MB-SFX-02")
@pytest.mark.parametrize(
    ("value", "rule", "line"),
    [
        # 70 kilograms are 10, as what lifts must cover all of them.
        (9, "push", "Boris: doesn't move"),
        (10, "push", "Boris: moves 1.5 m a second"),
        (20, "push", "Boris: moves 6 m a second"),
        (20, "direct_round", "Boris: moves 100 m a round"),
    ],
)
async def test_carrying(world: World, value: int, rule: str, line: str) -> None:
    rules = {"effect_speed": rule}
    await open_effect_table(world, lift(value), rules=rules, sheets={"Boris": {"weight": 70}})
    await cast_effect(world, "Lift", target="Boris", **NEAR)
    await resist(world, world.ben, "Pass")
    assert line in everything(world), everything(world)[-300:]


@pytest.mark.rule("MB-SFX-10")
@pytest.mark.parametrize(
    ("value", "dice", "line"),
    [
        (10, (), "doesn't move (10 against 10)"),
        (11, (), "is taken there (11 against 10)"),
        (11, (5, 6), "doesn't move (11 against 11)"),  # 10 + 1
        (12, (5, 6), "is taken there (12 against 11)"),
    ],
)
async def test_summoning_takes_a_mass_elsewhere(
    world: World, value: int, dice: tuple[int, ...], line: str
) -> None:
    """70 kilograms are 10, which the effect value has to exceed; an unwilling target adds dice."""
    jump = effect("Jump", skill="Summoning", action="movement", effect_value=value)
    summoner = knows(jump) | {"skills": [{"name": "Summoning", "adds": 3}], "charisma": 8}
    await open_table(world, sheets={"Vesna": summoner, "Boris": {"weight": 70}})
    await cast_effect(world, "Jump", target="Boris", **NEAR)
    label = "Resist: add a bonus number to the mass of 10" if dice else "Pass"
    text = await resist(world, world.ben, label, *dice)
    assert f"Boris: {line}" in text, text
    assert ("Jump takes hold" in text) == ("taken there" in line), text


@pytest.mark.rule("MB-SFX-10")
@pytest.mark.parametrize(
    ("dice", "freed"),
    [((5, 6), False), ((9, 9), True), ((), False)],  # 9 + 1, and 9 + 7 against 14
)
async def test_strength_breaks_free_of_what_moves_a_character(
    world: World, dice: tuple[int, ...], freed: bool
) -> None:
    await open_effect_table(world, lift(14), sheets={"Boris": {"weight": 70}})
    await cast_effect(world, "Lift", target="Boris", **NEAR)
    label = "Break free: Strength 9" if dice else "Pass"
    text = await resist(world, world.ben, label, *dice)
    assert ("Boris: breaks free with 16 against 14" in text) is freed, text
    assert ("No effect on Boris" in text) is freed, text
    if not freed:
        assert "Boris: moves 2.5 m a second (14 against 10)" in text, text


@pytest.mark.rule("MB-SFX-10")
async def test_who_is_moved_may_break_free_later(world: World) -> None:
    await open_effect_table(world, lift(14), sheets={"Boris": {"weight": 70}})
    why = refusal_of(await world.ben.slash(world.zone, "effect resist"))
    assert "No effect moves Boris now" in why, why
    await cast_effect(world, "Lift", target="Boris", **NEAR)
    await resist(world, world.ben, "Pass")
    for dice, line in (((5, 6), "Lift holds Boris."), ((9, 9), "Boris breaks free of Lift.")):
        world.dice.lay(*dice)
        await world.ben.slash(world.zone, "effect resist", effect="Lift")
        assert world.dice.left == 0
        text = await newest(world)
        assert line in text and "Strength 9" in text, text
    assert "No effect of yours runs" in private(await world.ana.slash(world.zone, "effect running"))
    await world.gina.slash(world.zone, "gm undo")
    assert "Lift on Boris" in private(await world.ana.slash(world.zone, "effect running"))


@pytest.mark.rule("MB-SFX-10")
async def test_players_do_not_read_what_an_npc_holds_them_with(world: World) -> None:
    sheets = {"Boris": {"weight": 70}, "Thug": knows(lift(14))}
    await open_effect_table(world, sheets=sheets, gm_channel=True)
    world.dice.lay(*EVEN)
    casting = {"effect": "Lift", "target": "Boris", "as": "Thug"} | NEAR
    await world.gina.slash(world.zone, "effect cast", **casting)
    await resist(world, world.ben, "Pass")
    world.dice.lay(5, 6)
    await world.ben.slash(world.zone, "effect resist")
    text = await newest(world)
    assert "Lift holds Boris." in text, text
    assert "against 14" not in everything(world), text
    assert "14 against" not in everything(world), text


COMPULSION = effect(
    "Call", skill="Summoning", action="general", resisted_by="Willpower", effect_value=16
)


@pytest.mark.rule("MB-SFX-10", "MB-SKILL-SUMMONING", "MB-INT-08")
@pytest.mark.parametrize(
    ("remembered", "said_of_it", "dice", "line"),
    [
        (0, "", (), "(16 against 9)"),
        (6, "", (), "(16 against 15)"),  # hostile: 9 + 6
        (8, "", (), "no effect (16 against 17)"),
        (8, "neutral 3", (), "(16 against 12)"),  # what the GM says takes its place
        (6, "", (9, 9), "no effect (16 against 22)"),  # 9 + 7 + 6
    ],
)
async def test_a_compulsion_is_met_as_persuasion_is(
    world: World, remembered: int, said_of_it: str, dice: tuple[int, ...], line: str
) -> None:
    summoner = knows(COMPULSION) | {"skills": [{"name": "Summoning", "adds": 3}], "charisma": 8}
    await open_table(world, sheets={"Vesna": summoner})
    if remembered:
        memory = {"target": "Boris", "about": "Vesna", "what": "hostile", "number": remembered}
        await world.gina.slash(world.zone, "mb memory", **memory)
    await cast_effect(world, "Call", target="Boris", **NEAR)
    prompt = "GM: what does the target feel?"
    panel = message_of(await world.press(world.gina, world.newest(prompt), prompt))
    if said_of_it:
        await world.press(world.gina, panel, "Say what counts…")
        await world.choose(world.gina, panel, "What helps or hinders", said_of_it)
        await world.press(world.gina, panel, "Say what counts")
    else:
        await world.press(world.gina, panel, "Pass")
    text = await resist(world, world.ben, "Resist: Willpower 15" if dice else "Pass", *dice)
    assert line in text, text
    assert ("No effect on Boris" in text) == ("no effect" in line), text


@pytest.mark.rule("MB-SFX-26")
async def test_one_of_two_targets_leaves_the_range(world: World) -> None:
    """60 meters are the range; who is farther off is free, the other is not."""
    await open_effect_table(world, changing("lower", 15, "Agility") | {"targets": 2})
    await cast_effect(world, "Change", target="Boris", **{"with": "meters 3, on Vesna 1"})
    steer = {"effect": "Change", "do": "range", "target": "Boris"}
    for meters, agility in ((60, 6), (61, 9)):
        await world.ana.slash(world.zone, "effect steer", **steer, meters=meters)
        shown = private(await world.ben.slash(world.zone, "character show"))
        assert f"Agility {agility}" in shown, shown
    assert "Agility 6" in private(await world.ana.slash(world.zone, "character show"))
    why = refusal_of(await world.ana.slash(world.zone, "effect steer", **steer, meters=3))
    assert "Boris" in why, why


# --- charges, wards, maintenance ------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-29")
@pytest.mark.parametrize(
    ("number", "dice", "notices"), [(4, (), True), (5, (5, 6), True), (6, (5, 6), False)]
)
async def test_wards(world: World, number: int, dice: tuple[int, ...], notices: bool) -> None:
    """Four result points: the ward has 4, the effect the 2 of them over the feedback."""
    figures = {"dn": 8, "fv": 2}
    ward = effect("Alarm", action="words", charges=3, ward="a step", effect_value=10, given=figures)
    await open_effect_table(world, ward)
    await cast_effect(world, "Alarm", **{"with": "into the door"})
    vesna = await who(world, "Vesna")
    (held,) = effects_of(read_only_game(await world.state()), vesna).charges
    assert (held.left, held.effect_value, held.ward_perception) == (3, 12, 4)
    world.dice.lay(*dice)
    await world.gina.slash(world.zone, "effect ward", character="Vesna", number=number)
    assert world.dice.left == 0
    assert ("goes off" in everything(world)) is notices
    (held,) = effects_of(read_only_game(await world.state()), vesna).charges
    assert held.left == (2 if notices else 3)


@pytest.mark.rule("MB-SFX-28", "MB-SFX-14")
@pytest.mark.parametrize(("more", "dn"), [(0, 5), (2, 7)])
async def test_maintenance(world: World, more: int, dn: int) -> None:
    """A third of 13 and half of 5, rounded up, then what the world adds."""
    keep = changing("raise", 17, "Strength") | {"maintenance": True, "duration_value": 5}
    keep |= {"given": {"dn": 13, "fv": 5}}
    await open_effect_table(
        world, keep, rules={"effect_world_difficulty": str(more)} if more else {}
    )
    await cast_effect(world, "Change", 9, 9, target="Boris", **NEAR)
    assert f"may maintain it (DN {dn}, FV 3)" in await advance_time(world, "1 min")
    panel = message_of(await world.ana.slash(world.zone, "effect running"))
    shock = (await sheet(world, "Vesna")).harm.shock
    world.dice.lay(1, 2)
    await world.press(world.ana, panel, f"Maintain Change (DN {dn}, FV 3)")
    assert world.dice.left == 0
    told = await newest(world)
    # Three points of feedback are an O and 2 shock.
    assert "Change is over" in told and "2 shock" in told, told
    assert (await sheet(world, "Vesna")).harm.shock == shock + 2


# --- doubts and learning --------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-30")
@pytest.mark.parametrize(
    ("dn", "dice", "encouraged", "seen"),
    [
        (6, (3, 4), False, False),  # 8 − 3
        (6, (3, 5), False, True),  # 8 − 1
        (10, (6, 6), False, False),  # 8 + 1
        (10, (6, 7), False, True),  # 8 + 2
        (10, (3, 4), True, False),  # 8 + 4 − 3
        (10, (3, 5), True, True),  # 8 + 4 − 1
    ],
)
async def test_doubts(
    world: World, dn: int, dice: tuple[int, int], encouraged: bool, seen: bool
) -> None:
    fog = changing("lower", 15, "Agility") | {"unreal": {"disbelief_dn": dn}, "duration_value": 20}
    await open_effect_table(world, fog, gm_channel=True)
    await cast_effect(world, "Change", target="Boris", **NEAR)
    more = {"encouraged": True} if encouraged else {}
    await world.ben.slash(world.zone, "effect disbelieve", effect="Change", **more)
    label = "GM: how plausible is it?"
    panel = message_of(await world.press(world.gina, world.newest(label, world.gm_room), label))
    world.dice.lay(*dice)
    await world.press(world.gina, panel, "Pass")
    assert world.dice.left == 0
    agility = 9 if seen else 6
    assert f"Agility {agility}" in private(await world.ben.slash(world.zone, "character show"))


@pytest.mark.rule("MB-SFX-13")
async def test_the_limit_of_learning_is_a_third_rounded_up(world: World) -> None:
    """A skill of 11 holds four effects."""
    learned = [effect(f"Old {number}") for number in range(4)]
    await open_effect_table(world, *learned, life_points=5)
    why = refusal_of(
        await world.ana.slash(world.zone, "effect learn", effect="Illusionary Fireball")
    )
    assert "knows 4 of 4 effects of Conjuration" in why, why
