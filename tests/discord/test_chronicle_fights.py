"""A fight in a chronicle: round by round, with what each round brought, as a reader was told it."""

from __future__ import annotations

from bot.delivery.table_scene import scene_of
from bot.presenters.chronicle.book import Passage, plain
from bot.presenters.chronicle.passages import tale_of
from bot.presenters.chronicle.styled_text import KnownNames
from bot.services.story import StoryLine
from rules.table.blocks import Text
from rules.table.events import BoardChanged
from tests.discord.test_chronicle import book
from tests.discord.world import World, private


async def fight(world: World) -> None:
    """Two rounds with an attempt, one without, and a hidden NPC who acts in each."""
    zone = world.zone
    await world.table(live=True)
    await world.gina.slash(zone, "gm npc add", name="xlurkerx", stage="off")
    await world.gina.slash(zone, "initiative start")
    for who in (world.ana, world.ben):
        await who.slash(zone, "initiative join")
    for reason in ("at the gate", "", "on the stairs"):
        await world.gina.slash(zone, "initiative next")
        if reason:
            await world.ben.slash(zone, "roll", dice="4d6kh3", reason=reason)
        await world.gina.slash(zone, "initiative next")
    await world.gina.slash(zone, "initiative end")


async def test_a_fight_is_told_round_by_round(world: World) -> None:
    await fight(world)
    await world.restart()
    for who, options in ((world.ben, {}), (world.gina, {"mine": True})):
        text = await book(world, who, **options)
        steps = ("### Round by round", "Round 1", "at the gate", "Round 3", "on the stairs", "over")
        places = [text.index(step) for step in steps]
        assert places == sorted(places)
        assert "Round 2" not in text, "nothing happened in it"
        assert text.count("Round 1") == text.count("Round 3") == 1
    assert "xlurkerx" not in await book(world, world.ben)
    recap = private(await world.ben.slash(world.zone, "recap", since="3 days"))
    assert "Round 1" not in recap, "a recap tells how a fight ended"


async def test_an_undone_round_is_not_told(world: World) -> None:
    await world.table(live=True)
    await world.gina.slash(world.zone, "initiative start")
    await world.ben.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    await world.ben.slash(world.zone, "roll", dice="d6", reason="first")
    await world.gina.slash(world.zone, "initiative next")
    await world.gina.slash(world.zone, "gm undo")
    await world.ben.slash(world.zone, "roll", dice="d6", reason="second")
    text = await book(world, world.ben)
    assert "Round 1" in text and "Round 2" not in text


async def test_deaths_at_the_end_of_a_round_come_first(world: World) -> None:
    await world.table()
    place = str(world.zone.id)
    table = await world.bot.tables.get(1)
    died = Text("named", {"name": "Sidor is dead"})
    lines = (Text("named", {"name": "Sidor bleeds", "fate": died}),)
    events = (
        BoardChanged(step="started", place=place),
        BoardChanged(step="turn", place=place, round=4),
        BoardChanged(step="passed", place=place, round=4, lines=lines),
        BoardChanged(step="turn", place=place, round=5),
        BoardChanged(step="ended", place=place, round=5),
    )
    told = [
        StoryLine(entry=number, at=number, place=place, kind="fight", event=event, by="p1")
        for number, event in enumerate(events, 1)
    ]
    tale = tale_of(told, scene_of(table), KnownNames({}.get, {}))
    passages = [passage for passage in tale.told if isinstance(passage, Passage)]
    assert [(passage.kind, plain(passage.lead)) for passage in passages] == [
        ("scene", "Round by round"),
        ("mark", "Round 4"),
        ("news", "Sidor is dead."),
        ("news", "It's over."),
    ]
    assert [plain(line) for line in passages[2].after] == ["Sidor bleeds."]
