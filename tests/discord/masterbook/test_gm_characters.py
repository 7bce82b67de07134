"""The gamemaster's characters and rewards through Discord: kinds of NPCs, extra rewards, the
world's profile.
"""

from __future__ import annotations

import json

import pytest

from rules.systems.masterbook.checks.npc_kinds import development
from tests.discord.masterbook.table import bring, open_table, sheet
from tests.discord.world import World, message_of, private, refusal_of, texts

SKILLED = {
    "skills": [
        {"name": "Charm", "adds": 3, "specializations": {"flattery": 1}},
        {"name": "Dodge", "adds": 2},
    ]
}
#: Boris has fewer adds than Vesna.
PEOPLE = {"Vesna": SKILLED, "Boris": {"skills": [{"name": "Charm", "adds": 1}]}}


async def show(world: World, name: str) -> str:
    return texts(message_of(await world.gina.slash(world.zone, "character show", character=name)))


@pytest.mark.rule("MB-GM-08", "MB-GM-10", "MB-GM-11")
async def test_npcs_of_a_kind_have_its_life_points(world: World) -> None:
    await open_table(world, gm_channel=True)
    gina, zone = world.gina, world.zone
    for name, kind, points in (("Rat", "Grunt", 1), ("Lord", "arch", 10)):
        await gina.slash(zone, "gm npc add", name=name, kind=kind)
        assert (await sheet(world, name)).life_points == points
    assert "Archetype, 10 Life Points" in await show(world, "Lord")
    # A group shares one stat block.
    await gina.slash(zone, "gm npc add", name="Guard", like="Thug", count=3, kind="grunt")
    assert [(await sheet(world, f"Guard {number}")).life_points for number in (1, 2, 3)] == [1] * 3
    before = await world.state()
    assert "kind" in refusal_of(await gina.slash(zone, "gm npc add", name="X", kind="hero"))
    rich = json.dumps({"name": "Rich", "life_points": 4}).encode()
    told = refusal_of(await gina.slash(zone, "gm npc add", kind="grunt", sheet=("rich.json", rich)))
    assert "0 to 3" in told, told
    assert (await world.state()).characters == before.characters
    await world.restart()
    assert (await sheet(world, "Lord")).npc_kind == "archetype"
    await gina.slash(zone, "gm undo")
    assert not any(
        each.name.startswith("Guard") for each in (await world.state()).characters.values()
    )


@pytest.mark.rule("MB-GM-09", "MB-GM-12")
async def test_standard_npcs_are_compared_and_get_awards(world: World) -> None:
    await open_table(world, gm_channel=True, sheets=PEOPLE, life_points=1)
    gina, zone = world.gina, world.zone
    await gina.slash(zone, "gm npc add", name="Marta", kind="standard")
    vesna = await sheet(world, "Vesna")
    total = development(vesna).attributes
    wanted = f"Compare: skill adds 0 (8 to 11), Attributes 64 ({total + 1}). Vesna has 6 adds."
    assert wanted in texts(world.last(world.gm_room)), texts(world.last(world.gm_room))
    assert wanted in await show(world, "Marta")
    adept = {"skills": [{"name": "Charm", "adds": 9}], "strength": 8 + total + 1 - 64}
    await bring(world, gina, "Otto", adept | {"npc_kind": "standard"}, npc=True)
    assert f"Fits: skill adds 9 (8 to 11), Attributes {total + 1}" in await show(world, "Otto")
    await gina.slash(zone, "mb adventure scene", what="start", kind="standard")
    await gina.slash(zone, "mb adventure scene", what="start", kind="dramatic")
    await gina.slash(zone, "mb adventure act", what="end")
    due = texts(world.last(world.gm_room))
    assert "Marta and Otto: as standard characters in most of this act, 2 Life Points" in due, due
    assert "1 to 3 skill points each" in due
    assert not any("Marta" in text for text in world.visible_to(world.ana))
    before = (await sheet(world, "Marta")).life_points
    await gina.slash(zone, "gm award", kind="life_points", amount=2, to="Marta")
    await gina.slash(zone, "gm award", kind="skill_points", amount=3, to="Marta")
    marta = await sheet(world, "Marta")
    assert (marta.life_points, marta.skill_points) == (before + 2, 3)


@pytest.mark.rule("MB-GM-05")
async def test_bound_skill_points_are_spent_first_where_they_fit(world: World) -> None:
    await open_table(world, sheets={"Vesna": SKILLED | {"skill_points": 4}})
    gina, zone = world.gina, world.zone
    told = refusal_of(
        await gina.slash(zone, "gm award", kind="skill points non combat", amount=4, to="Vesna")
    )
    assert "1 to 3" in told, told
    await gina.slash(zone, "gm award", kind="skill points non combat", amount=2, to="Vesna")
    text = texts(world.last())
    assert "Vesna: 2 skill points for non-combat skills, 2 now." in text, text
    assert "For non-combat skills 2 skill points" in (await show(world, "Vesna")).replace("*", "")
    # A combat skill takes none of them.
    await world.ana.slash(zone, "character advance", skill="Dodge")
    vesna = await sheet(world, "Vesna")
    assert (vesna.skill_points, vesna.bound_points) == (1, (("non_combat", 2),))
    told = refusal_of(await world.ana.slash(zone, "character advance", skill="Charm"))
    assert "4" in told and "3" in told, told
    await gina.slash(zone, "gm award", kind="skill points charisma", amount=2, to="Vesna")
    await world.restart()
    await world.ana.slash(zone, "character advance", skill="Charm")
    vesna = await sheet(world, "Vesna")
    assert (vesna.skill_points, vesna.bound_points) == (1, ())
    await gina.slash(zone, "gm undo")
    vesna = await sheet(world, "Vesna")
    assert vesna.bound_points == (("non_combat", 2), ("charisma", 2))


@pytest.mark.rule("MB-GM-05")
async def test_an_add_is_an_award_too(world: World) -> None:
    await open_table(world, sheets={"Vesna": SKILLED})
    gina, zone = world.gina, world.zone
    done = await gina.slash(zone, "gm adjust", character="Vesna", what="adds:Dodge", value="3")
    assert "Dodge: 2 → 3 adds" in texts(message_of(done))
    await gina.slash(zone, "gm adjust", character="Vesna", what="adds:Climbing", value="1")
    vesna = await sheet(world, "Vesna")
    adds = {skill.name: skill.adds for skill in vesna.skills}
    assert (adds["Dodge"], adds["Climbing"], vesna.grown) == (3, 1, ())
    for what, value in (("adds:Nonsense", "1"), ("adds:Dodge", "many"), ("adds:Strength", "9")):
        refusal_of(await gina.slash(zone, "gm adjust", character="Vesna", what=what, value=value))
    await gina.slash(zone, "gm undo")
    assert "Climbing" not in [skill.name for skill in (await sheet(world, "Vesna")).skills]


@pytest.mark.rule("MB-GM-13")
async def test_the_worlds_profile_stands_in_the_campaign(world: World) -> None:
    await open_table(world)
    profile = {"genre": "pulp_fiction", "tone": "bright", "overall_goal": "Stop the Baron"}
    data = json.dumps({"world": profile}).encode()
    await world.gina.slash(world.zone, "gm campaign", file=("world.json", data))
    text = texts(world.last())
    assert "Genre: pulp. Limits of Advantages as a rule: 3, 2, 1, 0 in columns I to IV" in text
    assert "Baron" not in text, text
    await world.restart()
    shown = texts(message_of(await world.gina.slash(world.zone, "gm campaign")))
    assert "Goal: Stop the Baron" in shown, shown
    bad = json.dumps({"world": {"genre": "western"}}).encode()
    told = refusal_of(await world.gina.slash(world.zone, "gm campaign", file=("bad.json", bad)))
    assert "world.genre" in told, told
    await world.gina.slash(world.zone, "gm undo")
    assert (await world.state()).campaign.world.genre is None


@pytest.mark.rule("MB-GM-14")
async def test_the_scale_of_difficulties_is_there_with_its_chances(world: World) -> None:
    await open_table(world)
    text = private(
        await world.gina.slash(world.zone, "mb odds", value=8, dn="Complicated", untrained=True)
    )
    assert "**as it is:** 36%" in text and "**On the scale:** 36%" in text, text
