"""Values and odds of MasterBook through Discord."""

from __future__ import annotations

import pytest

from tests.discord.masterbook.table import open_table
from tests.discord.world import World, menu, message_of, private, refusal_of, texts


@pytest.mark.rule("MB-VAL-01", "MB-VAL-02", "MB-VAL-03", "MB-VAL-04", "MB-VAL-05")
async def test_values_convert_both_ways(world: World) -> None:
    await open_table(world)

    async def told(**given: object) -> str:
        return private(await world.ana.slash(world.zone, "mb value", **given))

    text = await told(value=15)
    for part in ("Value 15", "1000 meters", "1 kilometers", "1000 kilograms", "small car"):
        assert part in text, text
    assert "100 quintillion meters" in await told(value=100)
    assert "Value 24" in await told(measure="40 miles")
    short = await told(measure="20 kg")
    assert "km/h" in short and "days" in short and " 0 " not in short, short
    for text, value in (
        ("4 meters", 3),
        ("4 m", 3),
        ("1 km", 15),
        ("60 kg", 9),
        ("1,000 m", 15),
        ("1.5 m", 1),
    ):
        assert f"Value {value}\n" in await told(measure=text), text
    # 149 lies between the measures of 10 and 11, and much nearer to the latter.
    for rounding, value in (("nearest", 11), ("inclusive up", 11), ("down", 10)):
        assert f"Value {value}\n" in await told(measure="149 m", rounding=rounding), rounding
    refusal_of(await world.ana.slash(world.zone, "mb value", measure="1,5 m"))
    assert "Value 10 + 9 = 19" in await told(
        measure="100", other="60 seconds", **{"with": "multiply"}
    )
    assert "Value 10 − 9 = 1" in await told(measure="100", other="60 seconds", **{"with": "divide"})
    assert "damage value 20" in await told(value=10, other="100 meters", **{"with": "impact"})
    # Below a kilogram, and below a pound, values are below 0: a lighter stone does less than a bare
    # arm (MB-VAL-05).
    for light, damage in (
        ("1 pounds", 8),
        ("0.5 pounds", 6),
        ("0.4 kilograms", 8),
        ("0.1 kilograms", 5),
    ):
        text = await told(value=10, other=light, **{"with": "impact"})
        assert f"damage value {damage}" in text, (light, text)
    for wrong in (
        {"measure": "a mile"},
        {"value": 3, "measure": "3"},
        {},
        {"value": 3, "with": "divide"},
    ):
        refusal_of(await world.ana.slash(world.zone, "mb value", **wrong))
    for huge in ("1e999999999 meters", "1e5000", "9" * 40):
        assert "isn't a measure" in refusal_of(
            await world.ana.slash(world.zone, "mb value", measure=huge)
        )
    assert "above 0" in refusal_of(
        await world.ana.slash(world.zone, "mb value", measure="0 meters")
    )


@pytest.mark.rule("MB-DN-04", "MB-DIE-03", "MB-CMB-03")
async def test_odds_are_exact(world: World) -> None:
    await open_table(world)

    async def told(**given: object) -> str:
        return private(await world.ana.slash(world.zone, "mb odds", **given))

    text = await told(value=8, dn="8")
    assert "**as it is:** 72%" in text, text
    text = await told(value=0, dn="Average")
    for part in ("Levels with a Life Point", "with a Life Point", "On the scale"):
        assert part in text, text
    text = await told(value=10, defense=9, damage=14, toughness=10)
    assert "Damage" in text and "K" in text and "right to 14 decimal places" in text, text
    assert "Give either a" in refusal_of(await world.ana.slash(world.zone, "mb odds", value=3))


async def test_a_preset_sets_options_together(world: World) -> None:
    await open_table(world)
    refusal_of(await world.ana.slash(world.zone, "mb preset", preset="realistic"))
    await world.gina.slash(world.zone, "mb preset", preset="realistic")
    own = (await world.state()).settings.own
    assert (own["bleeding"], own["damage_cap"], own["armor_extra_fatigue"]) == ("table", True, 1)
    await world.gina.slash(world.zone, "mb preset", preset="cinematic")
    own = (await world.state()).settings.own
    assert (own["bleeding"], own["track_ammunition"], own["knockout_attacks"]) == (
        "off",
        False,
        True,
    )
    await world.gina.slash(world.zone, "gm undo")
    assert (await world.state()).settings.own["bleeding"] == "table"
    await world.gina.slash(world.zone, "mb preset", preset="book")
    refusal_of(await world.gina.slash(world.zone, "mb preset", preset="book"))


async def test_a_setting_says_what_it_means_and_what_it_usually_is(world: World) -> None:
    await open_table(world)

    async def told(key: str) -> str:
        return private(await world.gina.slash(world.zone, "gm settings", setting=key))

    for key, value, usual in (
        ("damage_cap", "on", "Default: Result points add to damage without a limit."),
        ("bleeding", "table", "Default: Wounds don't bleed."),
        ("spec_adds_between_adventures", "1", "Default: "),
    ):
        assert "Default" not in await told(key)
        await world.gina.slash(world.zone, "gm settings", setting=key, value=value)
        assert usual in await told(key)


async def test_settings_stand_by_what_they_are_about(world: World) -> None:
    await open_table(world)
    panel = message_of(await world.gina.slash(world.zone, "gm settings"))
    pages = [each["label"].partition(":")[0] for each in menu(panel, "Page")["options"]]
    for topic in (
        "Rolls and skills with focuses",
        "Damage and shock",
        "Combat and movement",
        "Talk",
        "Untrained, stealth, tracking",
        "Growth",
        "Awards",
        "Armor and equipment",
        "Hands and pools",
    ):
        assert topic in pages, pages
    assert "Rules" not in pages and len({*pages}) == len(pages)
    (talk,) = [
        each["value"] for each in menu(panel, "Page")["options"] if each["label"].startswith("Talk")
    ]
    await world.choose(world.gina, panel, "Page", talk)
    assert "Persuasion in a fight" in texts(panel) and "Con is read" in texts(panel)
