"""Adventures without cards through Discord: the clock, awards, warnings for GMs, overflow."""

from __future__ import annotations

import pytest

from rules.registry import read_only_game
from rules.systems.masterbook.rounds.adventure_clock import AdventureClock, find_clock
from tests.discord.masterbook.table import newest, open_table, sheet
from tests.discord.world import World, public, refusal_of, texts


async def clock(world: World) -> AdventureClock | None:
    return find_clock(read_only_game(await world.state()))


async def scenes(world: World, *kinds: str) -> None:
    for kind in kinds:
        await world.gina.slash(world.zone, "mb adventure scene", what="start", kind=kind)


async def life_points(world: World) -> list[int]:
    return [(await sheet(world, name)).life_points for name in ("Vesna", "Boris")]


@pytest.mark.rule("MB-GM-01", "MB-GM-03", "MB-GM-04", "MB-GM-07")
async def test_acts_and_adventures_pay_without_cards(world: World) -> None:
    await open_table(world, life_points=1)
    await world.gina.slash(world.zone, "mb adventure start", name="The Dam")
    started = await world.gina.slash(
        world.zone, "mb adventure scene", what="start", kind="standard", name="The gate"
    )
    assert public(started).startswith("## Scene: The gate")
    assert "Act 1, scene 1" in public(started)
    await scenes(world, "standard", "dramatic")
    await world.restart()
    now = await clock(world)
    assert now is not None
    assert (now.act, now.scenes) == (1, ("standard", "standard", "dramatic"))
    assert "Only the GM" in refusal_of(await world.ana.slash(world.zone, "mb adventure end"))
    await world.gina.slash(world.zone, "mb adventure act", what="end", number=1)
    text = await newest(world)
    assert text.startswith("## The act is over"), text
    assert "Each character gets 4 Life Points, for 3 scenes and +1 by the GM" in text, text
    assert "Hands are filled" not in text
    assert await life_points(world) == [5, 5]
    await world.gina.slash(world.zone, "gm undo")
    assert (await life_points(world), await clock(world)) == ([1, 1], now)
    await world.gina.slash(world.zone, "mb adventure act", what="end")
    assert await life_points(world) == [4, 4]
    await scenes(world, "dramatic")
    await world.gina.slash(world.zone, "mb adventure act", what="end", last=True)
    assert await life_points(world) == [4, 4]
    told = refusal_of(await world.gina.slash(world.zone, "mb adventure scene", what="start"))
    assert "The last act is over" in told
    await world.gina.slash(world.zone, "mb adventure end", number=1, bonuses="Vesna 1; boris: +2")
    text = await newest(world)
    assert text.startswith("## The adventure is over") and "for 2 acts and +1 by the GM" in text
    assert "Vesna: 1 Life Point more." in text and "Boris: 2 Life Points more." in text, text
    assert await life_points(world) == [8, 9]
    assert await clock(world) is None


@pytest.mark.rule("MB-GM-01", "MB-GM-02", "MB-GM-03", "MB-GM-04")
async def test_what_is_wrong_is_refused_and_what_is_unusual_is_told_to_gms(world: World) -> None:
    await open_table(world, gm_channel=True, life_points=1)
    gina, zone = world.gina, world.zone
    told = refusal_of(await gina.slash(zone, "mb adventure end"))
    assert "No adventure is under way. Start one with /mb adventure start." in told, told
    await gina.slash(zone, "mb adventure start")
    told = refusal_of(await gina.slash(zone, "mb adventure end"))
    assert "An adventure needs at least one act." in told, told
    told = refusal_of(await gina.slash(zone, "mb adventure act", what="end"))
    assert "An act needs at least one scene." in told, told
    await scenes(world, "dramatic", "dramatic", "standard")
    before = await world.state()
    told = refusal_of(await gina.slash(zone, "mb adventure act", what="end", number=3))
    assert "The act adjustment must be between -1 and +2; got 3." in told, told
    told = refusal_of(await gina.slash(zone, "mb adventure act", what="end", number=1, last=True))
    assert "The last act pays the adventure award instead of an act award." in told, told
    for wrong in ("Vesna", "Nobody 1", "Vesna 11"):
        refusal_of(await gina.slash(zone, "mb adventure end", bonuses=wrong))
    assert (await world.state()).own == before.own
    assert "under way already" in refusal_of(await gina.slash(zone, "mb adventure start"))
    await gina.slash(zone, "mb adventure act", what="end", number=-1)
    heard = texts(world.last(world.gm_room))
    for warning in (
        "Act 1 should end with a dramatic scene.",
        "Act 1 has 2 dramatic scenes; one is usual.",
    ):
        assert warning in heard, heard
        assert not any(warning in text for text in world.visible_to(world.ana))
    assert await life_points(world) == [3, 3]
    await scenes(world, "dramatic")
    await gina.slash(zone, "mb adventure end", number=4)
    heard = texts(world.last(world.gm_room))
    assert "Act 2 has one scene; two or more are recommended" in heard, heard
    assert (
        "An adventure award above 5 Life Points is meant only for a grueling story; got 6." in heard
    ), heard
    assert await life_points(world) == [9, 9]


@pytest.mark.rule("MB-GM-03")
async def test_flat_awards_pay_one_or_two(world: World) -> None:
    await open_table(world, rules={"act_award_mode": "flat"}, life_points=1)
    await scenes(world, "standard", "standard", "dramatic")
    await world.gina.slash(world.zone, "mb adventure act", what="end")
    assert await life_points(world) == [2, 2]
    text = await newest(world)
    assert "Each character gets 1 Life Point. Nobody keeps more than 10." in text, text
    await scenes(world, "dramatic")
    refusal_of(await world.gina.slash(world.zone, "mb adventure act", what="end", number=3))
    await world.gina.slash(world.zone, "mb adventure act", what="end", number=2)
    assert await life_points(world) == [4, 4]


@pytest.mark.rule("MB-GM-06")
async def test_an_overflow_becomes_skill_points_at_once(world: World) -> None:
    await open_table(world, life_points=8)
    await scenes(world, "standard", "standard", "dramatic")
    await world.gina.slash(world.zone, "mb adventure act", what="end")
    vesna = await sheet(world, "Vesna")
    assert (vesna.life_points, vesna.surplus, vesna.skill_points) == (10, 0, 3)
    text = await newest(world)
    assert "Vesna: 1 Life Point above 10 becomes 3 skill points." in text, text
    await world.gina.slash(world.zone, "gm award", kind="life_points", amount=2, to="Vesna")
    text = texts(world.last())
    assert "2 Life Points above 10 became 6 skill points" in text, text
    assert (await sheet(world, "Vesna")).skill_points == 9
    await world.restart()
    await world.gina.slash(world.zone, "gm undo")
    await world.gina.slash(world.zone, "gm undo")
    vesna = await sheet(world, "Vesna")
    assert (vesna.life_points, vesna.skill_points) == (8, 0)


@pytest.mark.rule("MB-GM-06")
async def test_where_it_is_offered_the_overflow_waits(world: World) -> None:
    await open_table(world, rules={"award_overflow": "offer"}, life_points=8)
    await scenes(world, "standard", "standard", "dramatic")
    await world.gina.slash(world.zone, "mb adventure act", what="end")
    lost = "Vesna can hold only 10 Life Points; 1 would be lost unless converted to 3 skill points."
    assert lost in await newest(world)
    assert (await sheet(world, "Vesna")).surplus == 1
    await world.gina.slash(world.zone, "gm settings", setting="award_overflow", value="convert")
    await world.gina.slash(world.zone, "mb adventure end")
    await world.gina.slash(world.zone, "mb adventure start")
    vesna = await sheet(world, "Vesna")
    assert (vesna.life_points, vesna.surplus, vesna.skill_points) == (10, 0, 3 + 6)
    assert "begins" in texts(world.last())
