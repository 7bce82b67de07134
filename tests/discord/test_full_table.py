"""A table as full as can be, with names as awkward as can be: everything is still answered within
Discord's limits.
"""

from __future__ import annotations

from typing import Any

from bot.presenters.errors import FAULT
from rules.table.people.characters import TABLE_MAX
from tests.discord.world import DAY, World, message_of, private, refusal_of

LONG = "**W**_" + "\u0645" * 65 + "👩‍👩‍👧"
ODD = ("\u202e", "@everyone <@1> `x`", "# 1. > -# ||x||", "👩‍👩‍👧" * 8, "a" * 78)
READ: tuple[tuple[str, dict[str, Any]], ...] = (
    ("table show", {}),
    ("table last", {}),
    ("character list", {}),
    ("character show", {"character": "z"}),
    ("character show", {"character": "*"}),
    ("attack", {}),
    ("attack", {"target": "*", "approach": "x"}),
    ("initiative show", {}),
    ("moves", {}),
    ("session show", {}),
)
LED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("gm npc list", {}),
    ("gm log", {"entries": 100}),
    ("session start", {}),
    ("session end", {}),
    ("gm award", {"kind": "fate"}),
    ("initiative start", {}),
    ("initiative add", {"name": LONG}),
    ("initiative add", {"name": "\u202e"}),
    ("initiative next", {}),
    ("initiative order", {"names": "*"}),
    ("gm npc reveal", {"npc": LONG}),
    ("gm npc reveal", {"npc": "*"}),
    ("gm npc remove", {"npc": "nobody at all"}),
)
COMPLETED = (
    ("attack", "target"),
    ("check", "as"),
    ("character show", "character"),
    ("gm npc edit", "npc"),
    ("gm log", "character"),
    ("gm undo", "entry"),
    ("initiative add", "name"),
    ("initiative order", "names"),
    ("initiative remove", "name"),
)


async def test_a_full_table_is_answered(world: World) -> None:
    await world.table()
    for name in ODD:
        private(await world.gina.slash(world.zone, "gm npc add", name=name, stage="revealed"))
        await world.bring(world.ana, f"{name[:70]}!")
    private(await world.gina.slash(world.zone, "initiative start"))
    private(await world.gina.slash(world.zone, "initiative end"))
    while (left := TABLE_MAX - len((await world.state()).characters)) > 0:
        private(
            await world.gina.slash(
                world.zone, "gm npc add", name=LONG, count=min(20, left), alias=LONG[::-1][:70]
            )
        )
    assert "200" in refusal_of(await world.gina.slash(world.zone, "gm npc add", name="One more"))
    for command, options in LED:
        said_or_refused(await world.gina.slash(world.zone, command, **options))
    for who in (world.gina, world.ana):
        for command, options in READ:
            said_or_refused(await who.slash(world.zone, command, **options))
        for command, option in COMPLETED:
            for typed in ("", "w", "\u202e"):
                found = await who.autocomplete(world.zone, command, option, typed)
                assert len(found) <= 25
                for choice in found:
                    assert str(choice["name"]).strip() and len(choice["name"]) <= 100
                    assert 0 < len(str(choice["value"])) <= 100
    await world.env.advance_time(2 * DAY)
    assert FAULT not in world.told(world.gina) + world.told(world.ana)


def said_or_refused(result: Any) -> None:
    assert result.response is not None or result.followups, result


async def test_a_name_that_shows_nothing_can_be_chosen(world: World) -> None:
    await world.table()
    private(await world.gina.slash(world.zone, "gm npc add", name="\u202e", stage="revealed"))
    for who in (world.gina, world.ana):
        names = [
            choice["name"] for choice in await who.autocomplete(world.zone, "attack", "target", "")
        ]
        assert all(name.strip() for name in names), names
    panel = message_of(await world.ana.slash(world.zone, "attack"))
    assert panel.components
