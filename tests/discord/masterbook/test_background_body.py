"""Options of the body, of combat and of Luck: each through a command, with it and without it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple

import pytest

from tests.discord.masterbook.cards.deck import begin
from tests.discord.masterbook.table import FIGHTER, bring, newest, open_table, sheet
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, labels, menu, message_of, private, refusal_of, texts

HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT = 39, 44, 56, 5, 16, 30
#: A walk is given the options that Vesna has, and returns what is read at its end.
Options = dict[str, list[str]]
Walk = Callable[[World, Options], Awaitable[str]]


# --- walks ----------------------------------------------------------------------------------------


async def shows(world: World, options: Options) -> str:
    """Vesna's sheet."""
    return texts(message_of(await world.ana.slash(world.zone, "character show", character="Vesna")))


async def background(world: World, options: Options) -> str:
    """The page of Vesna's sheet about her options."""
    panel = message_of(await world.ana.slash(world.zone, "character show", character="Vesna"))
    if "Background" not in texts(panel):
        return ""
    pages = {each["label"]: each["value"] for each in menu(panel, "Page")["options"]}
    await world.choose(world.ana, panel, "Page", pages["Background"])
    return texts(panel)


def rests(harm: str, span: str) -> Walk:
    """Vesna is hurt, and time passes."""

    async def walk(world: World, options: Options) -> str:
        hurt = FIGHTER | options | {"harm": harm}
        await bring(world, world.gina, "Vesna", hurt, replace=True)
        before = {each.id for each in world.messages()}
        await world.gina.slash(world.zone, "gm time", advance=span)
        return "\n".join(texts(each) for each in world.messages() if each.id not in before)

    return walk


def heals(harm: str, *faces: int) -> Walk:
    """Vesna rolls to heal after thirty days."""

    async def walk(world: World, options: Options) -> str:
        await rests(harm, "30 days")(world, options)
        world.dice.lay(*faces)
        await world.ana.slash(world.zone, "heal", method="healing")
        return await newest(world)

    return walk


async def sits_out_a_round(world: World, options: Options) -> str:
    """Vesna is hurt, and does nothing for a round of a fight."""
    hurt = FIGHTER | options | {"harm": "shock 3, k 600"}
    await bring(world, world.gina, "Vesna", hurt, replace=True)
    await gather(world)
    world.dice.lay(5, 4, 9, 8)
    await world.gina.slash(world.zone, "initiative next")
    world.dice.lay(5, 4, 9, 8)
    for _ in range(3):
        await world.gina.slash(world.zone, "initiative next")
        if not world.dice.left:
            break
    harm = (await sheet(world, "Vesna")).harm
    return f"shock {harm.shock}, k {harm.k}"


async def swims(world: World, options: Options) -> str:
    """Vesna swims, and as badly as can be."""
    world.dice.lay(1, 1)
    rows = "rough, undercurrent, not dressed"
    await world.ana.slash(world.zone, "mb move", how="swimming", rows=rows)
    return await newest(world)


async def is_ambushed(world: World, options: Options) -> str:
    """The GM looks whether Vesna notices an attacker."""
    world.dice.lay(1, 1)
    return private(await world.gina.slash(world.zone, "mb surprise", target="Vesna", total=30))


async def rolls_initiative(world: World, options: Options) -> str:
    """Rounds begin; the order of action."""
    await gather(world)
    world.dice.lay(5, 5, 5, 5)
    await world.gina.slash(world.zone, "initiative next")
    state = await world.state()
    order = next(iter(state.encounters.values())).order
    names = (state.characters[each.character or ""].name for each in order)
    scores = ((each.score or (0,))[0] for each in order)
    return ", ".join(f"{name} {score}" for name, score in zip(names, scores, strict=True))


def strikes(**options: Any) -> Walk:
    """Vesna attacks Boris, who doesn't defend."""

    async def walk(world: World, has: Options) -> str:
        said_ = {"target": "Boris", "approach": "so", **options}
        result = await world.ana.slash(world.zone, "attack", **said_)
        if "Defend" not in labels(world.last()):
            return refusal_of(result)
        panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
        world.dice.lay(9, 9)
        await world.press(world.ben, panel, "Pass")
        return await newest(world)

    return walk


async def is_hit(world: World, options: Options) -> str:
    """The thug hits Vesna, who doesn't defend."""
    said_ = {"target": "Vesna", "approach": "so", "weapon": "Baseball bat", "as": "Thug"}
    await world.gina.slash(world.zone, "attack", **said_)
    panel = message_of(await world.press(world.ana, world.newest("Defend"), "Defend"))
    world.dice.lay(9, 9)
    await world.press(world.ana, panel, "Pass")
    return texts(world.last())


def rules(label: str) -> Walk:
    """Vesna is hit, and the GM says what her skin does."""

    async def walk(world: World, options: Options) -> str:
        await is_hit(world, options)
        if "GM: thick skin" not in labels(world.last()):
            return await newest(world)
        panel = message_of(await world.press(world.gina, world.last(), "GM: thick skin"))
        await world.press(world.gina, panel, label)
        return await newest(world)

    return walk


async def suffers_harm(world: World, options: Options) -> str:
    """The GM says what an environment does to Vesna."""
    given = {"character": "Vesna", "what": "shock", "value": "3"}
    return private(await world.gina.slash(world.zone, "gm adjust", **given))


async def is_taunted(world: World, options: Options) -> str:
    """Boris taunts Vesna in a fight."""
    await gather(world)
    world.dice.lay(5, 4, 9, 8)
    await world.gina.slash(world.zone, "initiative next")
    world.dice.lay(6, 6)
    await world.ben.slash(world.zone, "mb interact", skill="Taunt", target="Vesna", approach="so")
    panel = message_of(await world.press(world.ana, world.newest("Defend"), "Defend"))
    await world.press(world.ana, panel, "Pass")
    return await newest(world)


async def tries_luck(world: World, options: Options) -> str:
    """Vesna rolls at a table without cards; what she is offered then."""
    await world.gina.slash(world.zone, "gm settings", step_in_minutes=10)
    world.dice.lay(2, 3)
    said_ = {"skill": "Stealth", "difficulty": "Average", "approach": "so"}
    await world.ana.slash(world.zone, "check", **said_)
    if "React" not in labels(world.last()):
        return ""
    panel = message_of(await world.press(world.ana, world.last(), "React"))
    return texts(panel)


def uses_luck(effect: str) -> Walk:
    """Vesna uses Luck between actions, at a table without cards."""

    async def walk(world: World, options: Options) -> str:
        result = await world.ana.slash(world.zone, "mb card luck", effect=effect)
        told = texts(message_of(result))
        return f"{told}\n{await shows(world, options)}"

    return walk


# --- the options ----------------------------------------------------------------------------------


def ability(line: str, column: str = "III") -> str:
    """Return the line of a special ability."""
    return f"Special Abilities (C{column}): {line}"


class Row(NamedTuple):
    """An option, a walk, and what is read at its end with the option and without it."""

    rule: str
    line: str
    walk: Walk
    with_it: str
    without: str


ADVANTAGES: Final = (
    Row(
        "MB-BG-21",
        "Additional Attribute Point (CIII): Strength",
        shows,
        "**Toughness:** 11",
        "**Toughness:** 10",
    ),
    Row(
        "MB-CHAR-05",
        "Additional Attribute Point (CIII): Strength",
        shows,
        "Knife: damage 13",
        "Knife: damage 12",
    ),
    Row(
        "MB-CHAR-06",
        "Additional Attribute Point (CIII): Endurance",
        shows,
        "Shock 0 of 10",
        "Shock 0 of 9",
    ),
    Row(
        "MB-BG-21",
        "Additional Attribute Point (CIII): Agility",
        shows,
        "**Agility 10:** Stealth 13",
        "**Agility 9:** Stealth 12",
    ),
    Row(
        "MB-BG-30",
        ability("Accelerated Healing"),
        heals("wounds 2", 5, 5),
        "12 against 10",
        "9 against 12",
    ),
    Row(
        "MB-BG-30",
        ability("Accelerated Healing"),
        rests("shock 6", "1 minute"),
        "recovers 6 shock",
        "recovers 1 shock",
    ),
    Row(
        "MB-BG-30",
        ability("Accelerated Healing"),
        rests("wounds 1", "12 hours"),
        "can make a healing roll",
        "",
    ),
    Row("MB-BG-30", ability("Accelerated Healing"), sits_out_a_round, "shock 2, k 600", "shock 3"),
    Row(
        "MB-BG-30",
        ability("Accelerated Healing", "IV"),
        sits_out_a_round,
        "shock 0, k 0",
        "shock 3",
    ),
    Row(
        "MB-BG-30",
        ability("Accelerated Healing", "IV"),
        rests("wounds 1", "1 hour"),
        "Vesna is healed",
        "",
    ),
    Row(
        "MB-BG-30",
        ability("Accelerated Healing", "IV"),
        heals("wounds 3", 5, 5),
        "against 10",
        "against 14",
    ),
    Row("MB-BG-30", ability("Breathe Water"), swims, "breathing water (−3)", "is drowning"),
    Row("MB-BG-30", ability("Combat Sense"), is_ambushed, "partly surprised", "completely"),
    Row("MB-BG-30", ability("Fast"), rolls_initiative, "Vesna 12, Boris 9", "Vesna 9"),
    Row("MB-BG-13", ability("Fast Reactions"), shows, "**Fast Reactions:** initiative +3", ""),
    Row(
        "MB-BG-30",
        ability("Infravision/Ultravision; mode: infravision"),
        background,
        "sees warmth",
        "",
    ),
    Row(
        "MB-BG-30",
        ability("Natural Hand-to-Hand Weapons; damage: 3"),
        strikes(weapon="Natural weapons"),
        "Vesna attacks Boris: Natural weapons",
        "at hand",
    ),
    Row(
        "MB-BG-30",
        ability("Natural Hand-to-Hand Weapons; damage: 15", "IV"),
        shows,
        "Natural weapons: damage 15",
        "",
    ),
    Row(
        "MB-BG-30",
        ability("Natural Ranged Weapons; missile damage: 14"),
        strikes(weapon="Natural missiles", **{"with": "range: 60"}),
        "Natural missiles, Dexterity 10",
        "at hand",
    ),
    Row(
        "MB-BG-30",
        ability("Natural Ranged Weapons; damage: STR+4", "IV"),
        shows,
        "Natural missiles: damage 13 (Strength +4), up to 60 m",
        "",
    ),
    Row(
        "MB-BG-30",
        ability("Toughened Skin; except: clubs"),
        rules("Vesna: the skin protects"),
        "(knockdown, K and 3 shock)",
        "(1 wound, K/O and 5 shock)",
    ),
    Row(
        "MB-BG-30",
        ability("Toughened Skin; except: clubs"),
        rules("Vesna: the skin fails (clubs)"),
        "skin is no help against that: 3 less Toughness",
        "",
    ),
    Row(
        "MB-BG-30",
        ability("Natural Armor; toughness: 4", "IV"),
        is_hit,
        "(knockdown, O and 3 shock)",
        "(1 wound, K/O and 5 shock)",
    ),
    Row(
        "MB-BG-30",
        ability("Hardiness", "IV"),
        is_hit,
        "Vesna's Hardiness takes off 1 wound.",
        "(1 wound, K/O and 5 shock)",
    ),
    Row(
        "MB-BG-30",
        ability("Toughened Skin, Fast Reactions; except: clubs", "IV"),
        shows,
        "**Toughness:** 13, 10 against clubs",
        "**Toughness:** 10",
    ),
    Row(
        "MB-BG-30",
        ability("Environmental Immunity; environment: vacuum", "IV"),
        suffers_harm,
        "Immune to vacuum",
        "",
    ),
    Row(
        "MB-BG-30",
        ability("Permanent Special Effect; effect: floats; mode: at will", "IV"),
        background,
        "at will",
        "",
    ),
    Row("MB-BG-27", "Luck (CII)", tries_luck, "Luck as Action", ""),
    Row("MB-BG-27", "Luck (CII)", uses_luck("Action"), "used up in this adventure", "takes Luck"),
    Row("MB-BG-27", "Luck (CIII)", tries_luck, "Luck as Hero", ""),
    Row("MB-BG-13", "Luck (CIV)", shows, "1 small use and 1 great use left", ""),
    Row("MB-BG-24", "Equipment (CI): a jeep", background, "availability code 1", ""),
    Row("MB-BG-24", "Equipment (CII): a jeep", background, "availability code 2", ""),
    Row("MB-BG-24", "Equipment (CIII): a tank", background, "any one item", ""),
    Row("MB-BG-24", "Equipment (CIV): a ring", background, "an artifact", ""),
    Row("MB-BG-34", "Wealth (CI)", background, "about $1,000 at short notice", ""),
)
COMPENSATIONS: Final = (
    Row("MB-BG-42", "Age (CII): old", is_taunted, "takes 2 shock from age", "is stymied"),
    Row("MB-BG-54", "Poverty (CI)", background, "clothes and a few cheap things, no money", ""),
    Row("MB-BG-52", "Language (CII): French", background, "French", ""),
)
ROWS: Final = [
    *(("advantages", row) for row in ADVANTAGES),
    *(("compensations", row) for row in COMPENSATIONS),
]


@pytest.mark.rule("MB-BG-21", "MB-BG-24", "MB-BG-27", "MB-BG-30", "MB-BG-34", "MB-BG-42")
@pytest.mark.rule("MB-BG-13", "MB-BG-52", "MB-BG-54", "MB-CHAR-05", "MB-CHAR-06", "MB-CHAR-16")
@pytest.mark.parametrize(
    ("side", "row"), ROWS, ids=[f"{row.rule} {row.line} {at}" for at, (_, row) in enumerate(ROWS)]
)
async def test_an_option_changes_what_a_command_says(world: World, side: str, row: Row) -> None:
    """Vesna has the option, then the same table with another Vesna who lacks it."""
    await open_table(world, sheets={"Vesna": {side: [row.line]}})
    text = await row.walk(world, {side: [row.line]})
    assert row.with_it in text, text


@pytest.mark.parametrize("walk", dict.fromkeys(row.walk for _, row in ROWS))
async def test_without_the_option_a_command_says_otherwise(world: World, walk: Walk) -> None:
    await open_table(world)
    text = await walk(world, {})
    for _, row in ROWS:
        if row.walk is walk:
            assert row.with_it not in text, text
            assert row.without in text, text


@pytest.mark.rule("MB-BG-42")
async def test_the_gm_waives_the_shock_of_age(world: World) -> None:
    old = {"compensations": ["Age (CII): old"]}
    await open_table(world, sheets={"Vesna": old})
    await is_taunted(world, old)
    assert (await sheet(world, "Vesna")).harm.shock == 2
    waives = "Vesna: waive 2 shock"
    assert waives not in private(await world.ana.slash(world.zone, "moves"))
    await world.restart()
    moves = message_of(await world.gina.slash(world.zone, "moves"))
    await world.press(world.gina, moves, waives)
    assert (await sheet(world, "Vesna")).harm.shock == 0
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Vesna")).harm.shock == 2


@pytest.mark.rule("MB-BG-30")
async def test_the_skin_of_an_npc_is_asked_about_in_secret(world: World) -> None:
    await open_table(world, gm_channel=True)
    skin = {"advantages": [ability("Toughened Skin; except: blades")]}
    await bring(world, world.gina, "Troll", skin, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Troll")
    world.dice.lay(9, 9)
    said_ = {"target": "Troll", "weapon": "Knife", "approach": "so"}
    await world.ana.slash(world.zone, "attack", **said_)
    asked = world.newest("GM: thick skin", world.gm_room)
    panel = message_of(await world.press(world.gina, asked, "GM: thick skin"))
    await world.press(world.gina, panel, "Troll: the skin fails (blades)")
    check = await world.check("c1")
    assert not check.is_open
    assert check.data.gaps == ((check.target, True),)
    assert "skin" not in world.told(world.ana).casefold()


@pytest.mark.rule("MB-BG-30")
async def test_a_weapon_says_itself_what_it_deals(world: World) -> None:
    rows = {"weapons": [{"name": "Torch", "skill": "Melee Combat", "add": 3, "deals": "Fire"}]}
    skin = {"advantages": [ability("Toughened Skin; except: fire")]}
    await open_table(world, sheets={"Vesna": skin, "Thug": {"arms": [{"name": "Torch", "add": 3}]}})
    file = ("rows.json", json.dumps(rows).encode())
    await world.gina.slash(world.zone, "gm campaign", file=file)
    said_ = {"target": "Vesna", "approach": "so", "weapon": "Torch", "as": "Thug"}
    await world.gina.slash(world.zone, "attack", **said_)
    panel = message_of(await world.press(world.ana, world.newest("Defend"), "Defend"))
    world.dice.lay(9, 9)
    await world.press(world.ana, panel, "Pass")
    text = texts(world.last())
    assert "skin is no help against that: 3 less Toughness" in text, text


@pytest.mark.rule("MB-BG-13", "MB-BG-30")
async def test_hastes_are_counted_down_on_the_sheet(world: World) -> None:
    fast = {"advantages": [ability("Fast Reactions")]}
    await begin(world, HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT, 14, sheets={"Vesna": fast})
    assert "**Fast Reactions:** 3 hastes left in this adventure" in await shows(world, fast)
    await gather(world, "Thug")
    await next_turn(world)
    await next_turn(world)
    await world.ana.slash(world.zone, "mb card fast")
    assert "**Fast Reactions:** 2 hastes left in this adventure" in await shows(world, fast)
