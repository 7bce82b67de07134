"""Nothing is said twice, and every refusal has a next step."""

from __future__ import annotations

from tests.discord.masterbook.table import newest, open_table, refused_attack
from tests.discord.world import World, private, refusal_of


async def test_a_refusal_suggests_once_and_says_what_to_do(world: World) -> None:
    await open_table(world)

    async def attack(**options: str) -> str:
        return refusal_of(
            await world.ana.slash(world.zone, "attack", target="Thug", approach="so", **options)
        )

    unknown = refusal_of(await world.ana.slash(world.zone, "mb skill", name="Stelth"))
    assert unknown.count("Did you mean") == 1, unknown
    weapon = await attack(weapon="halberd")
    assert "Use Knife" in weapon and "Did you mean" not in weapon
    near = await attack(weapon="Knife", **{"with": "range: 3"})
    assert (
        "3 m is out of reach: it has to be 2 m at most. A lunge reaches it: `with: short_range`."
        in near
    )
    far = await attack(weapon="Knife", **{"with": "range: 8"})
    assert "8 m is out of reach: it has to be 2 m at most." in far and "lunge" not in far
    poor = refusal_of(await world.ana.slash(world.zone, "character advance", skill="Stealth"))
    assert "`/mb convert` turns Life Points into them" in poor


async def test_a_misspelled_word_gets_the_word_like_it_alone(world: World) -> None:
    await open_table(world)
    told = await refused_attack(
        world, world.ana, "Boris", weapon="Colt .45 revolver", **{"with": "aimm"}
    )
    assert "`with` has no “aimm”. Did you mean “aim”?" in told, told


async def test_a_sheet_says_toughness_in_armor_only_where_armor_is_worn(world: World) -> None:
    await open_table(world, sheets={"Vesna": {"armour": [{"name": "Leather armor", "add": 2}]}})
    assert "10, 12 in armor" in private(await world.ana.slash(world.zone, "character show"))
    assert "in armor" not in private(await world.ben.slash(world.zone, "character show"))
    shown = private(await world.ben.slash(world.zone, "character show"))
    # What the Improve menu speaks of stands beside the values.
    assert "Stealth 12 (+3)" in shown and "Dodge 11 (+2)" in shown, shown
    assert "Fire Combat (pistols) 13 (+2 +1)" in shown, shown
    assert "Knife: damage 12 (Strength +3)" in shown, shown
    assert "Colt .45 revolver: damage" in shown and "6 of 6 rounds" in shown, shown


async def test_levels_in_odds_begin_with_a_capital(world: World) -> None:
    await open_table(
        world,
        life_points=5,
        sheets={"Vesna": {"agility": 8, "skills": [{"name": "Stealth", "adds": 1}]}},
    )
    told = private(await world.ana.slash(world.zone, "odds", skill="Stealth", difficulty="Average"))
    assert "Spectacular+" in told and "spectacular+" not in told


async def test_options_are_written_with_blanks_and_found_by_their_beginning(world: World) -> None:
    await open_table(world)
    text = await refused_attack(
        world, world.ana, "Boris", weapon="Colt .45 revolver", **{"with": "range: 8, full auto"}
    )
    assert "single as multi" in text and "_" not in text, text
    await world.ana.slash(world.zone, "attack", target="Boris", weapon="Knife", **{"with": "sweep"})
    assert (await newest(world)).startswith("## Vesna attacks Boris: choose a defense")
