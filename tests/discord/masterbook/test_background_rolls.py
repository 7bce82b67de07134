"""Options on rolls, each walked through a command: with it and without it something differs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.masterbook.table import newest, open_table, sheet
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, message_of, private, refusal_of, texts

_COLUMNS = ("advantages", "compensations")
_WEAK = (
    "Handicap",
    "Cultural Unfamiliarity",
    "Advantage Flaw",
    "Prejudice",
    "Age",
    "Quirk",
    "Achilles' Heel",
    "Language",
    "Learning Curve (Negative)",
)


def options(*lines: str) -> dict[str, Any]:
    """Return the parts of a character's file that have these options."""
    found: dict[str, list[str]] = {key: [] for key in _COLUMNS}
    for line in lines:
        found[_COLUMNS[line.startswith(_WEAK)]].append(line)
    return found


#: An option (others that it needs first), a skill, dice, and what the roll's message says with it
#: and without it.
ROLLS = (
    (("Skill Bonus (CI): Stealth, Charm, Con",), "Stealth", (6, 7), "total **15**", "**14**"),
    (("Skill Bonus (CII): Stealth, Charm, Con, Taunt, Dodge",), "Stealth", (6, 7), "15**", "14**"),
    (("Skill Bonus (CIII): Stealth, Charm, Con",), "Stealth", (6, 7), "total **16**", "**14**"),
    (("Skill Bonus (CIII): Scholar",), "Scholar", (6, 7), "total **11**", "total **10**"),
    (
        ("Equipment (CIII): soft boots; bonus: 3; skill: Stealth",),
        "Stealth",
        (6, 7),
        "soft boots|Equipment (CIII) (+3)",
        "Stealth 12",
    ),
    (("Skill Minimum (CIV): Stealth, Charm, Con",), "Stealth", (1, 2), "**12**", "total **4**"),
    (("Breathe Water (CIII)",), "Swimming", (6, 7), "total **13**", "total **11**"),
    (("Cultures (CI): Ainu",), "Persuasion", (6, 7), "total **10**", "total **9**"),
    (
        ("Supranormal Knowledge (CIII): Stealth; bonus: 2; theme: night",),
        "Stealth",
        (6, 7),
        "total **16**",
        "total **14**",
    ),
    (
        ("Handicap (CI): Climbing, Charm, Con, Taunt, Dodge",),
        "Climbing",
        (5, 5),
        "Failure, 9 against 8",
        "Success, solid: 9 against 8",
    ),
    (("Handicap (CII): Agility",), "Climbing", (5, 6), "Failure, 10 against 8", "Success"),
    (("Handicap (CII): list: Climbing 5",), "Climbing", (6, 6), "Failure, 10", "Success"),
    (("Cultural Unfamiliarity (CII): the moon",), "Streetwise", (6, 7), "Failure", "Success"),
    (("Cultural Unfamiliarity (CIII): the moon",), "Streetwise", (6, 7), "Failure", "Success"),
    (("Prejudice (CI): an accent",), "Persuasion", (6, 6), "Failure, 8 against 8", "Success"),
    (("Prejudice (CII): an accent",), "Persuasion", (6, 6), "Failure, 8 against 8", "Success"),
    (("Age (CII): old",), "Climbing", (5, 5), "Failure, 9 against 8", "Success"),
    (
        ("Quirk (CI): sticky fingers; pattern: kleptomania",),
        "Prestidigitation",
        (4, 4),
        "Failure",
        "Success",
    ),
    (("Quirk (CI): stutters; pattern: stutter",), "Persuasion", (6, 6), "Failure", "Success"),
    (
        (
            "Skill Bonus (CI): Climbing, Charm, Con",
            "Advantage Flaw (CI): Skill Bonus (CI); flaw: it shows; difficulty: 3",
        ),
        "Climbing",
        (5, 5),
        "Failure, 10 against 8",
        "Success, solid: 9 against 8",
    ),
    (
        (
            "Skill Bonus (CI): Stealth, Charm, Con",
            "Advantage Flaw (CI): Skill Bonus (CI); flaw: it jams; fails on: 3",
        ),
        "Stealth",
        (1, 2),
        "✗ Failure, 5 against",
        "✗ Failure, 4 against",
    ),
)


@pytest.mark.rule("MB-BG-15", "MB-BG-28", "MB-BG-29", "MB-BG-33", "MB-BG-50")
@pytest.mark.parametrize(
    ("lines", "skill", "faces", "with_it", "without"), ROLLS, ids=[row[0][-1] for row in ROLLS]
)
async def test_a_roll_differs_with_an_option(
    world: World,
    lines: tuple[str, ...],
    skill: str,
    faces: tuple[int, ...],
    with_it: str,
    without: str,
) -> None:
    await open_table(world, sheets={"Vesna": options(*lines)})
    found: list[str] = []
    for who in (world.ana, world.ben):
        world.dice.lay(*faces)
        await _check(world, who, skill)
        found.append((await newest(world)).replace("Vesna", "").replace("Boris", ""))
    assert any(each in found[0] for each in with_it.split("|")), found[0]
    assert without in found[1], found[1]


async def _check(world: World, who: Any, skill: str) -> None:
    """Roll a skill against 8."""
    await who.slash(world.zone, "check", skill=skill, difficulty="Average", approach="so")
    assert world.dice.left == 0


@pytest.mark.rule("MB-BG-33", "MB-BG-31")
@pytest.mark.parametrize(
    ("line", "skill", "told"),
    [
        ("Trademark Specialization (CII): Streetwise (docks)", "Streetwise (docks)", "**13**"),
        ("Special Effects (CIII): Conjuration; effect: a light", "Conjuration", "total **11**"),
    ],
)
async def test_an_option_opens_a_skill(world: World, line: str, skill: str, told: str) -> None:
    await open_table(world, sheets={"Vesna": options(line)})
    world.dice.lay(6, 7)
    await _check(world, world.ana, skill)
    assert told in await newest(world), await newest(world)
    so = {"skill": skill, "difficulty": "Average", "approach": "so"}
    assert refusal_of(await world.ben.slash(world.zone, "check", **so))


@pytest.mark.rule("MB-BG-50")
async def test_a_handicap_forbids_a_skill(world: World) -> None:
    await open_table(world, sheets={"Vesna": options("Handicap (CII): list: Running impossible")})
    so = {"skill": "Running", "difficulty": "Average", "approach": "so"}
    told = refusal_of(await world.ana.slash(world.zone, "check", **so))
    assert "Vesna can't use Running: Handicap (CII)" in told, told
    world.dice.lay(6, 7)
    await _check(world, world.ben, "Running")


@pytest.mark.rule("MB-BG-41")
@pytest.mark.parametrize(("faces", "told"), [((1, 2), "Failure"), ((2, 2), "Success")])
async def test_a_flaw_fails_on_low_dice(world: World, faces: tuple[int, ...], told: str) -> None:
    flaw = "Advantage Flaw (CI): Skill Bonus (CI); flaw: it jams; fails on: 3"
    lines = ("Skill Bonus (CI): Stealth, Charm, Con", flaw)
    await open_table(world, sheets={"Vesna": options(*lines)})
    world.dice.lay(*faces)
    so = {"skill": "Stealth", "difficulty": "Routine", "approach": "so"}
    await world.ana.slash(world.zone, "check", **so)
    assert told in await newest(world)


#: An option, a skill, and what the GM's answer offers with it.
ASKED = (
    ("Supranormal Knowledge (CIII): Stealth; bonus: 2; theme: night", "Climbing", "the theme"),
    ("Cultures (CII): Ainu", "Persuasion", "dealing with that culture"),
    ("Prejudice (CI): an accent", "Persuasion", "(+3 to the difficulty) dealing with outsiders"),
    ("Cultural Unfamiliarity (CI): the moon", "Persuasion", "a custom that everybody here knows"),
    ("Cultural Unfamiliarity (CII): the moon", "Business", "getting around here"),
    ("Age (CI): old", "Climbing", "age matters"),
    ("Age (CII): old", "Dodge", "unusual exertion"),
    ("Age (CII): young", "Business", "a matter for adults"),
    ("Infravision/Ultravision (CIII): mode: ultravision", "Perception", "(+3 to the total)"),
    ("Handicap (CIII): all climbing", "Climbing", "Handicap (CIII): impossible"),
    ("Quirk (CI): sticky fingers; pattern: kleptomania", "Prestidigitation", "stealing"),
    ("Quirk (CI): stutters; pattern: stutter", "Persuasion", "the stutter shows"),
    ("Achilles' Heel (CIII): water; pattern: water-panic", "Climbing", "water is near"),
)


@pytest.mark.rule("MB-BG-15", "MB-BG-40", "MB-BG-42", "MB-BG-46", "MB-BG-55", "MB-BG-57")
@pytest.mark.parametrize(("line", "skill", "told"), ASKED, ids=[row[0] for row in ASKED])
async def test_a_gm_is_offered_what_may_count(
    world: World, line: str, skill: str, told: str
) -> None:
    await open_table(world, live=False, sheets={"Vesna": options(line)})
    found: list[str] = []
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "check", skill=skill, approach="so")
        panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
        found.append(texts(panel))
        await world.rule(panel, number="8", level=None)
        world.dice.lay(6, 7)
        await world.press(who, world.newest("Roll"), "Roll")
    assert told.casefold() in found[0].casefold(), found[0]
    assert told.casefold() not in found[1].casefold()


#: Options of an attacker, of its target, dice, and how the attack comes out with and without them.
ATTACKS = (
    ("Handicap (CI): Unarmed Combat, Charm, Con, Taunt, Dodge", "", (6, 6), "Miss", "Hit"),
    ("Age (CII): old", "", (6, 6), "Miss", "Hit"),
    ("", "Handicap (CII): list: Melee Parry 3", (5, 5), "Hit", "Miss"),
)


@pytest.mark.rule("MB-BG-42", "MB-BG-50")
@pytest.mark.parametrize("counts", [True, False], ids=["with", "without"])
@pytest.mark.parametrize(("mine", "theirs", "faces", "with_it", "without"), ATTACKS)
async def test_an_attack_differs_with_an_option(
    world: World,
    mine: str,
    theirs: str,
    faces: tuple[int, ...],
    with_it: str,
    without: str,
    counts: bool,
) -> None:
    lines = (mine, theirs) if counts else ("", "")
    own = [options(*filter(None, [line])) for line in lines]
    plain = {"skills": []}
    attacker, target = plain | {"agility": 9}, plain | {"agility": 10}
    await open_table(world, sheets={"Vesna": attacker | own[0], "Boris": target | own[1]})
    await world.ana.slash(world.zone, "attack", target="Boris", weapon="unarmed")
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    world.dice.lay(*faces)
    await world.press(world.ben, panel, "Pass")
    told = await newest(world)
    assert (with_it if counts else without) in told.splitlines()[0], told


@pytest.mark.rule("MB-BG-40")
@pytest.mark.parametrize("counts", [True, False], ids=["with", "without"])
async def test_shots_hit_more_easily_in_the_first_round(world: World, counts: bool) -> None:
    heel = options(*["Achilles' Heel (CIII): gunfire; pattern: firearms"] * counts)
    await open_table(world, sheets={"Boris": heel})
    await gather(world)
    await next_turn(world, 9, 8, 5, 4)
    shot = {"target": "Boris", "weapon": "Colt", "with": "range: 12"}
    await world.ana.slash(world.zone, "attack", **shot)
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    world.dice.lay(3, 3)
    await world.press(world.ben, panel, "Pass")
    told = await newest(world)
    assert ("Hit" if counts else "Miss") in told.splitlines()[0], told


@pytest.mark.rule("MB-BG-26", "MB-BG-53")
@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("Learning Curve (Positive) (CIII)", 8),
        ("Learning Curve (Negative) (CII): attributes: Mind, Charisma", 2),
    ],
)
async def test_a_curve_changes_a_price(world: World, line: str, left: int) -> None:
    await open_table(world, sheets={"Vesna": options(line)})
    for name in ("Vesna", "Boris"):
        await world.gina.slash(world.zone, "gm award", kind="skill_points", amount=10, to=name)
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "character learn", skill="Charm")
    assert (await sheet(world, "Vesna")).skill_points == left
    assert (await sheet(world, "Boris")).skill_points == 6


@pytest.mark.rule("MB-BG-15", "MB-BG-55")
async def test_a_gm_takes_back_what_has_counted(world: World) -> None:
    await open_table(world, sheets={"Vesna": options("Prejudice (CI): an accent")})
    world.dice.lay(6, 6)
    await _check(world, world.ana, "Persuasion")
    assert "Failure" in await newest(world)
    assert "Prejudice" not in private(await world.ana.slash(world.zone, "moves"))
    moves = message_of(await world.gina.slash(world.zone, "moves"))
    await world.press(world.gina, moves, "Prejudice (CI): doesn't count")
    assert "Success" in await newest(world)
    assert "Prejudice" not in world.told(world.ben)


@pytest.mark.rule("MB-BG-15", "MB-DN-04")
async def test_odds_count_a_bonus_and_keep_a_handicap(world: World) -> None:
    lines = ("Skill Bonus (CI): Stealth, Charm, Con", "Handicap (CII): Agility")
    await open_table(world, sheets={"Vesna": options(*lines)})
    so = {"skill": "Stealth", "difficulty": "15"}
    found = private(await world.ana.slash(world.zone, "odds", **so))
    assert "Skill Bonus (CI) (+1)" in found and "Handicap" not in found, found
