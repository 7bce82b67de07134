"""What GMs are offered in a check: in their channel after an undo, and for their NPCs."""

from __future__ import annotations

from tests.discord.masterbook.table import meet, open_table
from tests.discord.world import World, labels, message_of, texts


async def test_after_an_undo_the_gm_channel_has_the_buttons_again(world: World) -> None:
    await open_table(world, gm_channel=True)
    await world.gina.slash(world.zone, "orders npc", npc="Thug")
    await world.ana.slash(world.zone, "attack", target="Thug", weapon="Knife")
    assert labels(world.last(world.gm_room)) == ["Defend"]
    await meet(world, world.gina, "Active", 5, 5, 3, 4)
    assert not any("Defend" in labels(each) for each in world.messages(world.gm_room))
    await world.gina.slash(world.zone, "gm undo")
    assert labels(world.last(world.gm_room)) == ["Defend"], texts(world.last(world.gm_room))
    assert "Defend" in labels(world.card("c1"))


async def attack_thug(world: World) -> None:
    """Vesna attacks the Thug, who defends actively; both can react."""
    await open_table(world, step_in_minutes=60)
    await world.gina.slash(world.zone, "orders npc", npc="Thug")
    await world.ana.slash(world.zone, "attack", target="Thug", weapon="Knife")
    await meet(world, world.gina, "Active", 5, 5, 3, 4)


async def test_equal_buttons_say_whose_they_are(world: World) -> None:
    await attack_thug(world)
    panel = message_of(await world.press(world.gina, world.newest("React"), "React"))
    assert "Accept result for Thug" in labels(panel), labels(panel)
    assert "Accept result for everybody" in labels(panel), labels(panel)


async def test_one_way_to_cancel_for_an_npc(world: World) -> None:
    await attack_thug(world)
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    spend = next(each for each in labels(panel) if each.startswith("Spend a Life Point"))
    await world.press(world.ana, panel, spend)
    panel = message_of(await world.press(world.gina, world.newest("React"), "React"))
    cancels = [each for each in labels(panel) if "ancel" in each and each != "Cancel"]
    assert len(cancels) == 1, labels(panel)
