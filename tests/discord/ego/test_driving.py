"""Vehicles: a car chase to the crash with its occupants, a spaceship's emergency; undo and
restart.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from rules.systems.ego.vehicles.vehicles_in_play import Vehicle
from tests.discord.ego.play import DIRK, bring, open_table, plain, sheet
from tests.discord.ego.table import stand
from tests.discord.ego.test_healing import MEDIC
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, has_decision, message_of, private, public, refusal_of

DRIVER: dict[str, Any] = {
    "name": "Uwe",
    "muscle": 6,
    "agility": 9,
    "intellect": 6,
    "vitality": 9,
    "skills": [{"name": "Pilot", "level": 2, "field": "ground"}],
}


async def _vehicle(world: World, name: str) -> Vehicle:
    found = (await world.state()).own.values()
    return next(each for each in found if isinstance(each, Vehicle) and each.name == name)


async def _people(world: World) -> None:
    """Ana's Uwe at the wheel, Ben's Dirk beside him."""
    await open_table(world)
    await bring(world, world.ana, DRIVER)
    await bring(world, world.ben, DIRK)


async def _buy_nothing(world: World, *people: Any) -> None:
    """They spend no Karma on what they are about to roll."""
    for who in people:
        await world.press(who, world.newest("Pass"), "Pass")


@pytest.mark.rule("EGO-VEH-02", "EGO-VEH-03", "EGO-VEH-08", "EGO-VEH-09", "EGO-VEH-01")
async def test_a_car_chase_to_the_crash(world: World) -> None:
    await _people(world)
    refusal_of(await world.ana.slash(world.zone, "ego vehicle add", kind="Sedan"))
    added = public(
        await world.gina.slash(
            world.zone, "ego vehicle add", kind="sedan", pilot="Uwe", aboard="Dirk"
        )
    )
    for part in ("A Sedan joins the scene.", "15, 15, 15 of 15 each", "8 of 8", "Uwe", "Dirk"):
        assert part in added.replace("**", ""), (part, added)
    public(await world.gina.slash(world.zone, "ego vehicle add", kind="Van"))
    far = refusal_of(
        await world.ana.slash(world.zone, "ego vehicle move", vehicle="Sedan", speed=3)
    )
    assert "Use 0 to 2" in far
    assert "0 → 2" in public(
        await world.ana.slash(world.zone, "ego vehicle move", vehicle="Sedan", speed=2)
    )
    refusal_of(await world.ben.slash(world.zone, "ego vehicle move", vehicle="Sedan", speed=4))
    for speed in (4, 6, 8):
        await world.ana.slash(world.zone, "ego vehicle move", vehicle="Sedan", speed=speed)
    assert "8 → 4" in public(
        await world.ana.slash(world.zone, "ego vehicle brake", vehicle="Sedan")
    )
    await world.restart()
    assert "speed 4 of 8" in private(await world.ben.slash(world.zone, "ego vehicle show"))
    # At half its speed each takes 15 × 3: the sedan 37, the van 35. Uwe braces, Dirk doesn't.
    world.dice.lay(1, 1, 5, 6, 1, 1, 2, 3)
    await world.gina.slash(world.zone, "ego vehicle collide", vehicle="Sedan", other="Van")
    await _buy_nothing(world, world.ana, world.ben)
    text = plain(world.card())
    for part in (
        "Sedan takes 37 (15 × 3, armor stops 8). Sections left: 0, 0, 8",
        "Van takes 35 (15 × 3, armor stops 10). Sections left: 0, 0, 10, 15",
        "2 successes, 2 needed", "no successes, 2 needed",
    ):  # fmt: skip
        assert part in text, (part, text)
    # Everybody changes their own throw in the same prompt.
    await world.spend(world.card(), "Accept result", world.ana)
    assert (await sheet(world, "Dirk")).lethal == 0
    await world.spend(world.card(), "Accept result", world.ben)
    text = plain(world.card())
    assert "Uwe takes 10 damage" in text and "Dirk takes 19 damage" in text
    assert (await sheet(world, "Uwe")).down == "dead" and (
        await sheet(world, "Dirk")
    ).down == "dead"
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Dirk")).down == ""


@pytest.mark.rule("EGO-VEH-01", "EGO-VEH-08")
async def test_a_gm_names_the_sections_that_are_hit(world: World) -> None:
    await _people(world)
    await world.gina.slash(world.zone, "ego vehicle add", kind="Sedan", pilot="Uwe")
    await world.gina.slash(world.zone, "ego vehicle add", kind="Van")
    crash = {"vehicle": "Sedan", "section": 3, "waived": True}
    await world.gina.slash(world.zone, "ego vehicle collide", **crash, other="Van", other_section=2)
    hit = {name: (await _vehicle(world, name)).sections for name in ("Sedan", "Van")}
    assert hit["Sedan"][:2] == (15, 15) and hit["Sedan"][2] < 15, hit
    assert (hit["Van"][0], *hit["Van"][2:]) == (15, 15, 15) and hit["Van"][1] < 15, hit
    why = refusal_of(
        await world.gina.slash(
            world.zone, "ego vehicle collide", **crash, object=5, other_section=2
        )
    )
    assert "another vehicle" in why and "other_section" in why
    far = refusal_of(
        await world.gina.slash(
            world.zone, "ego vehicle collide", **crash, other="Van", other_section=5
        )
    )
    assert "4" in far, far


@pytest.mark.rule("EGO-VEH-09", "EGO-VEH-10", "EGO-VEH-01")
async def test_restraints_help_and_a_wreck_kills(world: World) -> None:
    await _people(world)
    await world.gina.slash(
        world.zone, "ego vehicle add", kind="Sedan", pilot="Uwe", aboard="Dirk", restraints=True
    )
    world.dice.lay(1)
    await world.gina.slash(
        world.zone, "ego vehicle collide", vehicle="Sedan", object=20, waived=True
    )
    assert (
        "Sedan takes 12 (20, armor stops 8)" in plain(world.card())
        and not (await world.check("c1")).is_open
    )
    assert (await sheet(world, "Dirk")).lethal == 0
    public(await world.gina.slash(world.zone, "ego vehicle damage", damage=9, section=2))
    assert (await _vehicle(world, "Sedan")).stopped == 16
    # The next round begins with another speed: what the armor stopped has halved it.
    assert "8 → 4" in public(await world.ana.slash(world.zone, "ego vehicle move", speed=2))
    assert "Repaired." in public(await world.gina.slash(world.zone, "ego vehicle repair"))
    assert (await _vehicle(world, "Sedan")).ar == 8
    world.dice.lay(2)
    await world.gina.slash(world.zone, "ego vehicle collide", vehicle="Sedan", object=60)
    assert "destroyed" in plain(world.card()) and "Uwe and Dirk die in the crash" in plain(
        world.card()
    )
    assert (await sheet(world, "Uwe")).down == "dead"
    await world.gina.slash(world.zone, "gm undo")
    await world.restart()
    assert (await sheet(world, "Uwe")).down == "" and not (await _vehicle(world, "Sedan")).wreck
    public(await world.gina.slash(world.zone, "ego vehicle remove"))
    refusal_of(await world.ana.slash(world.zone, "ego vehicle move", speed=2))


@pytest.mark.rule("EGO-VEH-10", "EGO-VEH-03")
async def test_a_round_is_over_for_vehicles_nobody_fights_in_as_well(world: World) -> None:
    await _people(world)
    await world.gina.slash(world.zone, "ego vehicle add", kind="Sedan", pilot="Uwe")
    await world.gina.slash(world.zone, "ego vehicle add", kind="Van")
    hits = [{"vehicle": name, "damage": 9, "section": 1} for name in ("Van", "Sedan")]

    async def hit(*, times: int) -> None:
        for each in hits * times:
            public(await world.gina.slash(world.zone, "ego vehicle damage", **each))

    async def armor() -> tuple[int, int]:
        return (await _vehicle(world, "Van")).ar, (await _vehicle(world, "Sedan")).ar

    # An hour apart: each stops no more than its armor in a round.
    await hit(times=1)
    await world.gina.slash(world.zone, "gm time", advance="1 hour")
    await gather(world)
    await next_turn(world)
    for who in (world.ana, world.ben):
        await world.press(who, world.newest("Pass"), "Pass")
    assert "0 → 2" in public(
        await world.ana.slash(world.zone, "ego vehicle move", vehicle="Sedan", speed=2)
    )
    # Said elsewhere it is still the same round.
    there = world.thread()
    assert "0 to 2" in refusal_of(
        await world.ana.slash(there, "ego vehicle move", vehicle="Sedan", speed=4)
    )
    await hit(times=1)
    assert await armor() == (10, 8)
    await hit(times=1)
    for _ in range(2):
        await next_turn(world)
    assert await armor() == (5, 4)
    # A fight that ends in the middle of a round ends that round.
    await hit(times=2)
    await world.gina.slash(world.zone, "initiative end")
    assert await armor() == (2, 2)
    await world.gina.slash(world.zone, "gm undo")
    assert await armor() == (5, 4)


@pytest.mark.rule("EGO-VEH-04", "EGO-VEH-05", "EGO-VEH-11", "EGO-KAR-02")
async def test_an_emergency_stop_and_a_maneuver(world: World) -> None:
    await _people(world)
    await world.gina.slash(world.zone, "ego vehicle add", kind="Sedan", pilot="Uwe")
    await world.ana.slash(world.zone, "ego vehicle move", speed=2)
    world.dice.lay(1, 1, 1, 1, 1, 5, 6)
    await world.ana.slash(world.zone, "ego vehicle emergency", what="stop", karma=1)
    assert "2 successes, 2 needed" in plain(world.card())
    await world.spend(world.card(), "Accept result")
    assert "Success" in plain(world.card()) and "Speed 2 → 0" in plain(world.card())
    await world.gina.slash(world.zone, "ego vehicle add", kind="Speed boat", pilot="Dirk")
    world.dice.lay(*[1] * 5)
    await world.ben.slash(world.zone, "ego vehicle emergency", what="stop", vehicle="Speed boat")
    await world.spend(world.card(), "Accept result", world.ben)
    text = plain(world.card())
    assert "Out of control" in text and "drifts 1 hex first, and ends 90° off" in text
    await world.ana.slash(
        world.zone, "ego vehicle maneuver", vehicle="Sedan", approach="through the arcade"
    )
    assert "Pilot (ground)" in plain(world.card())
    jet = {"kind": "Fighter jet", "pilot": "Dirk"}
    await world.gina.slash(world.zone, "ego vehicle add", **jet)
    low = refusal_of(
        await world.ben.slash(
            world.zone, "ego vehicle emergency", what="stop", vehicle="Fighter jet"
        )
    )
    assert "falls below a speed of 5" in low


async def test_a_vehicle_is_known_by_a_name_of_its_own(world: World) -> None:
    await _people(world)
    given = {"kind": "Van", "pilot": "Uwe"}
    added = plain(message_of(await world.gina.slash(world.zone, "ego vehicle add", **given)))
    assert "Van" in added and "(v" not in added, added
    assert "(v" not in plain(message_of(await world.ana.slash(world.zone, "ego vehicle show")))
    # The last name has a Cyrillic letter.
    for named in ({}, {"name": "VAN"}, {"name": "V\u0430n"}):
        added = await world.gina.slash(world.zone, "ego vehicle add", kind="Van", **named)
        assert "already has that name" in refusal_of(added), named
    named = {"kind": "Van", "name": "Van of Dirk"}
    added = plain(message_of(await world.gina.slash(world.zone, "ego vehicle add", **named)))
    assert "Van of Dirk" in added and "(v" not in added, added
    offered = await world.ana.autocomplete(world.zone, "ego vehicle show", "vehicle", "v")
    assert [each["name"] for each in offered] == ["Van", "Van of Dirk"], offered
    # The whole name of one is not the beginning of the other.
    shown = plain(message_of(await world.ana.slash(world.zone, "ego vehicle show", vehicle="Van")))
    assert "Van" in shown and "Dirk" not in shown, shown


@pytest.mark.rule("EGO-VEH-06", "EGO-VEH-07")
async def test_a_spaceships_emergency(world: World) -> None:
    await _people(world)
    await bring(world, world.gina, MEDIC, npc=True)
    await world.gina.slash(
        world.zone, "ego vehicle add", kind="Cargo craft", name="Grebe", pilot="Uwe", aboard="Dirk"
    )
    # Uwe and Dirk hold out, then for full speed only Dirk does: a mishap, at half of what there is.
    world.dice.lay(5, 1, 1, 6, 1, 1)
    await world.ana.slash(world.zone, "ego vehicle emergency", what="accelerate", full=True)
    # Uwe would have said so with the command.
    await _buy_nothing(world, world.ben)
    world.dice.lay(5, 1, 1, 5, 6, 1)
    await world.spend(world.card(), "Accept result", world.ana)
    await world.spend(world.card(), "Accept result", world.ben)
    await world.restart()
    await _buy_nothing(world, world.ana, world.ben)
    await world.spend(world.card(), "Accept result", world.ana)
    await world.spend(world.card(), "Accept result", world.ben)
    text = plain(world.card())
    assert (
        "Uwe passes out" in text and "Speed 0 → 10" in text and "Nobody is at the controls" in text
    )
    assert (await sheet(world, "Uwe")).down == "passed out" and (
        await _vehicle(world, "Grebe")
    ).speed == 10
    refusal_of(await world.ana.slash(world.zone, "ego vehicle emergency", what="brake"))
    # He comes to, and brakes to a full stop; the ship drifts where he can't hold out twice.
    world.dice.lay(5, 6, 1)
    await world.ana.slash(world.zone, "ego vehicle emergency", what="wake")
    await world.spend(world.card(), "Accept result", world.ana)
    assert "Uwe comes to" in plain(world.card())
    world.dice.lay(5, 1, 1, 1, 1, 1)
    await world.ana.slash(world.zone, "ego vehicle emergency", what="brake", full=True)
    await _buy_nothing(world, world.ben)
    world.dice.lay(1, 1, 1)
    await world.spend(world.card(), "Accept result", world.ana)
    await world.spend(world.card(), "Accept result", world.ben)
    await _buy_nothing(world, world.ana)
    await world.spend(world.card(), "Accept result", world.ana)
    text = plain(world.card())
    assert (
        text.startswith("## ✗ Failure: Dirk and Uwe pass out\n")
        and "Speed 10 → 0" in text
        and "drifts until" in text
    )
    assert (await _vehicle(world, "Grebe")).drifts
    await world.gina.slash(world.zone, "gm undo")
    assert not (await _vehicle(world, "Grebe")).drifts


@pytest.mark.rule("EGO-VEH-04", "EGO-VEH-06", "EGO-VEH-08")
async def test_the_card_names_the_emergency_and_who_rolls(world: World) -> None:
    await _people(world)
    add = {"kind": "Cargo craft", "name": "Grebe", "pilot": "Uwe", "aboard": "Dirk"}
    await world.gina.slash(world.zone, "ego vehicle add", **add)
    world.dice.lay(5, 1, 1, 6, 1, 1)
    await world.ana.slash(world.zone, "ego vehicle emergency", what="accelerate", full=True)
    await _buy_nothing(world, world.ben)
    text = plain(world.card())
    assert text.startswith(
        "## Uwe and Dirk: Emergency acceleration to full speed\nVehicle: Grebe\n"
    ), text
    assert text.count("Emergency") == 1 and has_decision(text, "Ana", "Ben")
    await world.gina.slash(world.zone, "ego vehicle add", kind="Sedan", pilot="Uwe")
    world.dice.lay(*[1] * 6)
    await world.ana.slash(world.zone, "ego vehicle emergency", what="stop", vehicle="Sedan")
    assert plain(world.card("c2")).startswith("## Unless changed, Uwe loses control\n")
    world.dice.lay(1, 1, 1)
    await world.gina.slash(world.zone, "ego vehicle collide", vehicle="Sedan", object=20)
    await _buy_nothing(world, world.ana)
    assert plain(world.card("c3")).startswith("## Unless changed, Uwe takes 6 damage\n"), plain(
        world.card("c3")
    )


@pytest.mark.rule("EGO-VEH-01")
async def test_somebody_else_takes_the_wheel(world: World) -> None:
    await _people(world)
    await world.gina.slash(world.zone, "ego vehicle add", kind="Sedan", pilot="Uwe", aboard="Dirk")
    text = public(
        await world.ana.slash(
            world.zone, "ego vehicle board", pilot="Dirk", aboard="Uwe", restraints=True
        )
    )
    assert text.index("Dirk") < text.index("Uwe")
    sedan = await _vehicle(world, "Sedan")
    assert len(sedan.aboard) == len(sedan.held) == 2 and sedan.pilot == sedan.aboard[0]
    public(await world.ben.slash(world.zone, "ego vehicle move", speed=1))
    refusal_of(await world.ana.slash(world.zone, "ego vehicle move", speed=2))


@pytest.mark.rule("EGO-VEH-01")
async def test_a_vehicle_of_the_table_s_own_type(world: World) -> None:
    """Its sections go by its type, twice as many with each."""
    await _people(world)
    added = public(
        await world.gina.slash(
            world.zone, "ego vehicle add", kind="Small shuttle", name="Auk", type=3
        )
    )
    assert "Auk" in added and len((await _vehicle(world, "Auk")).sections) == 8


@pytest.mark.rule("EGO-VEH-01", "EGO-VEH-08")
async def test_whoever_boards_another_vehicle_has_left_the_first(world: World) -> None:
    await _people(world)
    await world.gina.slash(
        world.zone, "ego vehicle add", kind="Sedan", pilot="Uwe", aboard="Dirk", restraints=True
    )
    await world.gina.slash(
        world.zone, "ego vehicle add", kind="Cargo craft", name="Grebe", pilot="Uwe"
    )
    sedan, grebe = await _vehicle(world, "Sedan"), await _vehicle(world, "Grebe")
    assert (
        sedan.pilot == "" and len(sedan.aboard) == len(sedan.held) == 1 and len(grebe.aboard) == 1
    )
    which = refusal_of(await world.gina.slash(world.zone, "ego vehicle board", aboard="Dirk"))
    assert "Several vehicles fit. Name one:" in which and "Grebe" in which
    public(await world.gina.slash(world.zone, "ego vehicle board", vehicle="Grebe", aboard="Dirk"))
    assert (
        not (await _vehicle(world, "Sedan")).aboard
        and len((await _vehicle(world, "Grebe")).aboard) == 2
    )


@pytest.mark.rule("EGO-VEH-03", "EGO-VEH-07", "EGO-VEH-09", "EGO-VEH-11")
async def test_whoever_is_out_of_it_neither_drives_nor_braces(world: World) -> None:
    await _people(world)
    await world.gina.slash(
        world.zone, "ego vehicle add", kind="Cargo craft", pilot="Uwe", aboard="Dirk"
    )
    await world.gina.slash(world.zone, "initiative start")
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    await world.press(world.ana, world.newest("Pass"), "Pass")
    await world.press(world.ben, world.newest("Pass"), "Pass")
    world.dice.lay(1, 1, 1, 5, 1, 1)
    await world.ana.slash(world.zone, "ego vehicle emergency", what="accelerate")
    await _buy_nothing(world, world.ben)
    for who in (world.ana, world.ben):
        await world.spend(world.card("c2"), "Accept result", who)
    assert (await sheet(world, "Uwe")).down == "passed out"
    for command, options in (
        ("move", {"speed": 1}),
        ("brake", {}),
        ("maneuver", {"approach": "so"}),
    ):
        text = refusal_of(await world.ana.slash(world.zone, f"ego vehicle {command}", **options))
        assert "The pilot of Cargo craft can't act." in text, text
    # GMs say how it goes on, and somebody else may take the controls; to come to is tried once a
    # round.
    public(await world.gina.slash(world.zone, "ego vehicle move", speed=1))
    world.dice.lay(1, 1, 1)
    await world.ana.slash(world.zone, "ego vehicle emergency", what="wake")
    await world.spend(world.card("c3"), "Accept result", world.ana)
    text = refusal_of(await world.ana.slash(world.zone, "ego vehicle emergency", what="wake"))
    assert "Try again in the next one." in text
    public(await world.ana.slash(world.zone, "ego vehicle board", pilot="Dirk"))
    await world.gina.slash(world.zone, "gm adjust", character="Uwe", what="lethal", value="9")
    world.dice.lay(2, 5, 6, 1)
    await world.gina.slash(world.zone, "ego vehicle collide", object=20)
    await _buy_nothing(world, world.ben)
    assert world.dice.left == 0 and "Uwe" not in plain(world.card("c4"))


@pytest.mark.rule("EGO-VEH-07", "EGO-OP-33")
async def test_a_pilot_tries_to_come_to_once_a_round(world: World) -> None:
    await _people(world)
    await world.gina.slash(
        world.zone, "ego vehicle add", kind="Cargo craft", name="Grebe", pilot="Uwe"
    )
    await world.gina.slash(
        world.zone, "gm settings", live=True, attacks_at_once=True, step_in_minutes=0
    )
    await gather(world)
    await next_turn(world, *(1,) * 6)
    world.dice.lay(1, 1, 1)
    await world.ana.slash(world.zone, "ego vehicle emergency", what="accelerate")
    assert (await sheet(world, "Uwe")).down == "passed out"
    for _ in range(2):
        world.dice.lay(1, 1, 1)
        await world.ana.slash(world.zone, "ego vehicle emergency", what="wake")
        again = await world.ana.slash(world.zone, "ego vehicle emergency", what="wake")
        assert "has tried to come to in this round" in refusal_of(again)
        await next_turn(world)
        await next_turn(world, *(1,) * 6)


@pytest.mark.rule("EGO-KAR-02", "EGO-OP-16", "EGO-VEH-09")
async def test_karma_buys_dice_for_what_the_rules_have_somebody_roll(world: World) -> None:
    await _people(world)
    await world.gina.slash(world.zone, "ego vehicle add", kind="Sedan", pilot="Uwe", aboard="Dirk")
    karma = (await sheet(world, "Dirk")).karma
    await world.gina.slash(world.zone, "ego vehicle collide", object=20)
    shown = plain(world.card())
    assert (
        shown.startswith("## Without bracing, Uwe and Dirk take 6 damage each")
        and "Dirk: Brace: 3 dice against 2" in shown
    ), shown
    calls = [each for each in map(plain, world.messages()) if f"<@{world.ben.id}>" in each]
    assert calls[-1].count("spend Karma: bracing means less damage") == 1, calls
    await world.restart()
    panel = message_of(await world.press(world.ben, world.newest("Spend Karma"), "Spend Karma"))
    await world.press(world.ben, panel, f"+2 dice for 2 Karma: 5 dice ({karma - 2} left)")
    assert (await sheet(world, "Dirk")).karma == karma - 2
    assert "Dirk: Brace: 5 dice against 2" in plain(world.card())
    world.dice.lay(1, 1, 1, 5, 6, 1, 1, 1)
    await _buy_nothing(world, world.ana)
    assert world.dice.left == 0
    await world.gina.slash(world.zone, "gm undo", dependents=True)


@pytest.mark.rule("EGO-VEH-04", "EGO-VEH-08")
async def test_a_crash_in_the_round_of_a_failed_stop_counts_the_speed(world: World) -> None:
    await _people(world)
    await world.gina.slash(world.zone, "ego vehicle add", kind="Sedan", pilot="Uwe")
    await world.gina.slash(world.zone, "ego vehicle add", kind="Van")
    for speed in (2, 4):
        await world.ana.slash(world.zone, "ego vehicle move", vehicle="Sedan", speed=speed)
    await world.gina.slash(
        world.zone, "gm settings", live=True, attacks_at_once=True, step_in_minutes=0
    )
    await gather(world)
    await next_turn(world, *(1,) * 6)
    world.dice.lay(*(1,) * 6)
    await world.ana.slash(world.zone, "ego vehicle emergency", vehicle="Sedan", what="stop")
    told = plain(world.card("c2"))
    assert "Speed 4 → 0 at the end of the round" in told and "Out of control" in told
    assert (await _vehicle(world, "Sedan")).speed == 4
    shown = private(await world.ana.slash(world.zone, "ego vehicle show", vehicle="Sedan"))
    assert "4 of 8, stopping: 0 at the end of the round" in shown
    assert "stopping" in refusal_of(
        await world.ana.slash(world.zone, "ego vehicle move", vehicle="Sedan", speed=5)
    )
    await world.restart()
    world.dice.lay(1, 1, 5)
    await world.gina.slash(
        world.zone, "ego vehicle collide", vehicle="Sedan", other="Van", section=1, other_section=1
    )
    await stand(world)
    # At half its speed each takes 15 × 3: the sedan 37, the van 35.
    assert "Sedan takes 37 (15 × 3, armor stops 8)" in plain(world.card("c3"))
    while "c3" in (await world.state()).checks:
        await world.gina.slash(world.zone, "gm undo")
    await next_turn(world)
    await next_turn(world, *(1,) * 6)
    assert (await _vehicle(world, "Sedan")).speed == 0


@pytest.mark.rule("EGO-VEH-03", "EGO-VEH-08")
async def test_a_collision_stops_the_vehicles_in_it(world: World) -> None:
    await _people(world)
    car = {"kind": "Sedan", "pilot": "Uwe", "restraints": True}
    await world.gina.slash(world.zone, "ego vehicle add", **car)
    car = {"kind": "Prop plane", "pilot": "Dirk", "restraints": True}
    await world.gina.slash(world.zone, "ego vehicle add", **car)
    for speed in (2, 4, 6):
        await world.ana.slash(world.zone, "ego vehicle move", vehicle="Sedan", speed=speed)
    await world.ben.slash(world.zone, "ego vehicle move", vehicle="Prop plane", speed=4)
    await world.gina.slash(
        world.zone, "gm settings", live=True, attacks_at_once=True, step_in_minutes=0
    )
    await gather(world)
    await next_turn(world, *(1,) * 6)
    for name, points in (("Sedan", 5), ("Prop plane", 3)):
        crash = {"vehicle": name, "object": points, "section": 1, "waived": True}
        await world.gina.slash(world.zone, "ego vehicle collide", **crash)
    sedan, plane = await _vehicle(world, "Sedan"), await _vehicle(world, "Prop plane")
    assert (sedan.speed, sedan.began) == (0, 0)
    assert (plane.speed, plane.began) == (3, 3), "it can't stand"
    fast = refusal_of(
        await world.ana.slash(world.zone, "ego vehicle move", vehicle="Sedan", speed=6)
    )
    assert "0 to 2" in fast
    await world.restart()
    public(await world.ana.slash(world.zone, "ego vehicle move", vehicle="Sedan", speed=2))
    for _ in range(3):
        await world.gina.slash(world.zone, "gm undo")
    assert (await _vehicle(world, "Sedan")).speed == 6


@pytest.mark.rule("EGO-VEH-08")
async def test_a_gm_names_the_speed_of_a_crash(world: World) -> None:
    await _people(world)
    await world.gina.slash(
        world.zone, "gm settings", live=True, attacks_at_once=True, step_in_minutes=0
    )
    await world.gina.slash(world.zone, "ego vehicle add", kind="Sedan", pilot="Uwe")
    fast = refusal_of(await world.gina.slash(world.zone, "ego vehicle collide", object=5, speed=9))
    assert "0 to 8" in fast
    world.dice.lay(5, 5, 1)
    await world.gina.slash(world.zone, "ego vehicle collide", object=10, section=1, speed=8)
    told = plain(world.card("c1"))
    assert "Sedan takes 42 (10 × 5, armor stops 8)" in told and "Speed: 8" in told


@pytest.mark.rule("EGO-VEH-07")
async def test_a_passenger_calls_the_passed_out_awake(world: World) -> None:
    await _people(world)
    await world.gina.slash(
        world.zone, "gm settings", live=True, attacks_at_once=True, step_in_minutes=0
    )
    craft = {"kind": "Cargo craft", "name": "Grebe", "pilot": "Uwe", "aboard": "Dirk"}
    await world.gina.slash(world.zone, "ego vehicle add", **craft)
    stop = refusal_of(await world.ben.slash(world.zone, "ego vehicle emergency", what="accelerate"))
    assert "Only the pilot of Grebe or the GM" in stop and "k1" not in stop
    # GMs begin an emergency for any pilot.
    world.dice.lay(1, 1, 1, 5, 1, 1)
    await world.gina.slash(world.zone, "ego vehicle emergency", what="accelerate")
    await stand(world)
    world.dice.lay(5, 5, 1)
    await world.ben.slash(world.zone, "ego vehicle emergency", what="wake")
    await stand(world)
    assert world.dice.left == 0 and "Uwe comes to" in plain(world.card("c2"))
    await world.gina.slash(world.zone, "gm adjust", character="Uwe", what="lethal", value="9")
    dead = refusal_of(await world.ana.slash(world.zone, "ego vehicle move", speed=1))
    assert "wake" not in dead and "Put somebody else at the controls" in dead


@pytest.mark.rule("EGO-VEH-07")
async def test_a_ship_is_adrift_only_until_its_pilot_comes_to(world: World) -> None:
    await _people(world)
    await world.gina.slash(
        world.zone, "gm settings", live=True, attacks_at_once=True, step_in_minutes=0
    )
    await world.gina.slash(
        world.zone, "ego vehicle add", kind="Cargo craft", name="Grebe", pilot="Uwe"
    )
    await world.ana.slash(world.zone, "ego vehicle move", speed=5)
    world.dice.lay(5, 5, 5, 1, 1, 1)
    await world.ana.slash(world.zone, "ego vehicle emergency", what="brake", full=True)
    await stand(world)
    assert "adrift" in private(await world.ana.slash(world.zone, "ego vehicle show"))
    world.dice.lay(5, 5, 1)
    await world.ana.slash(world.zone, "ego vehicle emergency", what="wake")
    assert "adrift" not in private(await world.ana.slash(world.zone, "ego vehicle show"))


async def test_vehicles_go_along_when_a_table_moves(world: World) -> None:
    await _people(world)
    jeep = {"kind": "Pick-up", "name": "Jeep", "pilot": "Uwe", "aboard": "Dirk"}
    await world.gina.slash(world.zone, "ego vehicle add", **jeep, weapons="Lgt machine gun")
    await world.gina.slash(world.zone, "ego vehicle add", kind="Van")
    await world.gina.slash(world.zone, "ego vehicle damage", vehicle="Van", damage=20, section=2)
    await world.ana.slash(world.zone, "ego vehicle move", vehicle="Jeep", speed=2)
    await world.gina.slash(world.zone, "initiative start")
    answer = message_of(await world.gina.slash(world.zone, "gm export", what="full"))
    told = plain(answer)
    assert "leaves out: 1 initiative board. This table keeps it" in told
    data = json.loads(await answer.attachments[0].read())
    other = world.guild.create_text_channel("elsewhere")
    file = ("table.json", json.dumps(data).encode())
    card = message_of(await world.gina.slash(other, "gm import", file=file))
    assert "Also: 2 vehicles" in plain(card)
    await world.press(world.gina, card, "Open table")
    state = (await world.bot.tables.get(2)).state
    names = {each.id: each.name for each in state.characters.values()}
    jeep_, van = sorted(state.own.values(), key=lambda vehicle: vehicle.name)
    assert [names[who] for who in jeep_.aboard] == ["Uwe", "Dirk"]
    assert (names[jeep_.pilot], jeep_.speed, jeep_.weapons) == ("Uwe", 2, ("Lgt machine gun",))
    assert (van.sections, van.stopped) == ((15, 5, 15, 15), 10)
    assert state.counters.own == 2
    again = json.loads(
        await message_of(await world.gina.slash(other, "gm export", what="full"))
        .attachments[0]
        .read()
    )
    assert [each["name"] for each in again["parts"]["vehicle"]] == ["Jeep", "Van"]
    # Every mistake is told with its place, and nothing comes of it.
    vehicles = data["parts"]["vehicle"]
    vehicles[0]["ar"] = -1
    vehicles[1] |= {"weapons": ["Rail gun"]}
    bad = ("bad.json", json.dumps(data).encode())
    third = world.guild.create_text_channel("third")
    text = refusal_of(await world.gina.slash(third, "gm import", file=bad))
    assert "parts.vehicle[0].ar" in text and "parts.vehicle[1].weapons" in text


@pytest.mark.rule("EGO-VEH-03", "EGO-VEH-04")
async def test_a_failed_stop_is_over_before_the_pilot_speeds_up(world: World) -> None:
    await _people(world)
    await world.gina.slash(
        world.zone, "gm settings", live=True, attacks_at_once=True, step_in_minutes=0
    )
    await world.gina.slash(world.zone, "ego vehicle add", kind="Sedan", pilot="Uwe")
    await world.ana.slash(world.zone, "ego vehicle move", speed=2)
    world.dice.lay(*(1,) * 6)
    await world.ana.slash(world.zone, "ego vehicle emergency", what="stop")
    told = plain(message_of(await world.ana.slash(world.zone, "ego vehicle move", speed=1)))
    assert "Speed 2 → 0" in told and "Speed 0 → 1" in told, told
    await world.ana.slash(world.zone, "ego vehicle move", speed=0)
    world.dice.lay(*(1,) * 6)
    await world.ana.slash(world.zone, "ego vehicle emergency", what="stop")
    told = plain(world.card("c2"))
    assert "It's already standing still." in told and "→" not in told, told
