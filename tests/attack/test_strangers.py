"""People who are only in the channel: they roll dice and make a character, and that is all."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any, Final

import discord
import pytest
from discord import app_commands
from simcord.actors import MemberActor

from tests.attack.forged_requests import commands, no_faults
from tests.discord.barmore import bar_table as barmore_table
from tests.discord.ego.table import open_table as ego_table
from tests.discord.masterbook.table import open_table as masterbook_table
from tests.discord.world import World, labels, message_of, private, public, refusal_of, texts

pytestmark = pytest.mark.slow

#: What everybody may, wherever they are.
OPEN: Final = frozenset(
    {
        *("roll", "help", "privacy info", "privacy export", "privacy delete"),
        *("character create", "character import"),
        *("setup", "gm takeover"),
        # What waits for them elsewhere; of this table they are told nothing.
        "moves",
    }
)
#: Words that mean something at each of the tables.
_WORDS: Final = ("Marek", "Vesna", "k1", "c1", "1", "d6", "standard", "Climbing", "pass")
#: What stands at each table and no stranger reads.
_CANARIES: Final = ("Zqhidden", "Zqpublic")

Table = Callable[[World], Awaitable[Any]]
TABLES: Final[dict[str, Table]] = {
    "ebb": lambda world: world.table(),
    "ego": ego_table,
    "barmore": barmore_table,
    "masterbook": masterbook_table,
}


def _options(
    world: World, command: app_commands.Command[Any, ..., Any], rng: random.Random
) -> dict[str, Any]:
    """Every required option of a command, and some of the others."""
    things: dict[str, Any] = {
        "user": world.ana,
        "channel": world.zone,
        "role": world.guild.default_role,
        "attachment": ("x.json", b"{}"),
        "boolean": True,
    }
    found: dict[str, Any] = {}
    for option in command.parameters:
        if not option.required and rng.random() < 0.6:
            continue
        kind = option.type.name
        if option.choices:
            found[option.display_name] = rng.choice(option.choices).value
        elif kind in ("integer", "number"):
            found[option.display_name] = option.min_value or option.max_value or 1
        elif kind == "string":
            found[option.display_name] = rng.choice(_WORDS)
        elif discord.ChannelType.forum in option.channel_types and kind == "channel":
            found[option.display_name] = world.guild.create_forum_channel("tales")
        else:
            found[option.display_name] = things[kind]
    return found


@pytest.mark.parametrize("system", TABLES)
async def test_no_command_of_a_stranger_changes_or_reads_a_table(world: World, system: str) -> None:
    await TABLES[system](world)
    hidden = {"name": "Zqhidden", "count": 1, "stage": "off"}
    await world.gina.slash(world.zone, "gm npc add", **hidden)
    await world.gina.slash(world.zone, "gm npc add", name="Zqpublic", count=1, stage="revealed")
    eve, rng = world.member("eve"), random.Random(1)
    before, count = await world.state(), await world.revision()
    tried: set[str] = set()
    with no_faults():
        for command in list(commands(world)):
            name = command.qualified_name
            if name in OPEN or isinstance(command, app_commands.ContextMenu):
                continue
            for _ in range(3):
                tried.add(name)
                text = private(await eve.slash(world.zone, name, **_options(world, command, rng)))
                assert not any(each in text for each in _CANARIES), f"/{name}: {text}"
                assert await world.state() == before, f"/{name} changed the table"
                assert await world.revision() == count, f"/{name} is in the journal"
    assert {"deck shuffle", "draw-card", "away", "table plain", "table show"} <= tried


async def test_a_stranger_rolls_and_makes_a_character(world: World) -> None:
    await world.table()
    eve = world.member("eve")
    assert "2d6" in public(await eve.slash(world.zone, "roll", dice="2d6"))
    assert "%" in private(await eve.slash(world.zone, "odds", dice="2d6"))
    answer = message_of(await eve.slash(world.zone, "table show"))
    assert "You don't play at this table" in texts(answer)
    assert "Create a character" in labels(answer)
    await world.bring(eve, "Zora")
    assert "Zora" in private(await eve.slash(world.zone, "character show"))
    assert "The Dry Canal" in private(await eve.slash(world.zone, "table show"))


async def test_a_character_that_waits_for_the_gm_makes_its_owner_one_of_the_table(
    world: World,
) -> None:
    await world.table(approve=True)
    eve = world.member("eve")
    await world.bring(eve, "Zora")
    assert not next(
        each for each in (await world.state()).characters.values() if each.name == "Zora"
    ).approved
    assert "The Dry Canal" in private(await eve.slash(world.zone, "table show"))


async def test_a_stand_in_is_of_the_table_as_long_as_they_stand_in(world: World) -> None:
    await world.table()
    eve = world.member("eve")
    refusal_of(await eve.slash(world.zone, "table show"))
    await world.ana.slash(world.zone, "delegate", character="Marek", to=eve, until="2 days")
    assert "The Dry Canal" in private(await eve.slash(world.zone, "table show"))
    await world.env.advance_time(3 * 24 * 3600)
    refusal_of(await eve.slash(world.zone, "table show"))


async def test_a_table_may_let_guests_draw(world: World) -> None:
    await world.table()
    eve = world.member("eve")
    refusal_of(await eve.slash(world.zone, "draw-card"))
    refusal_of(await eve.slash(world.zone, "deck shuffle"))
    await world.gina.slash(world.zone, "gm settings", setting="guest_cards", value="on")
    await eve.slash(world.zone, "draw-card")
    drawn = private(await eve.slash(world.zone, "card hand"))
    assert "1 card" in drawn
    public(await eve.slash(world.zone, "deck shuffle"))
    assert "Only the GM" in refusal_of(await eve.slash(world.zone, "deck reshuffle", hands=True))
    refusal_of(await eve.slash(world.zone, "away"))


async def test_without_a_table_everybody_draws(world: World) -> None:
    eve = world.member("eve")
    await eve.slash(world.zone, "draw-card")
    public(await eve.slash(world.zone, "deck shuffle"))
    assert "1 card" in private(await eve.slash(world.zone, "card hand"))


async def _shown(world: World, who: MemberActor) -> list[str]:
    """What the buttons under public stubs tell somebody, by every number that one may have."""
    found: list[str] = []
    for row in range(1, 3 * await world.revision()):
        result = world.emit(who, f"sg:show:{row}")
        await world.env.settle()
        found.append(private(result))
    return found


@pytest.mark.parametrize("gone", [True, False])
async def test_a_stranger_is_shown_only_what_they_did(world: World, gone: bool) -> None:
    await world.table()
    hall = world.guild.create_text_channel("hall")
    await world.gina.slash(world.zone, "gm bind", channel=hall)
    eve = world.member("eve")
    await eve.slash(hall, "roll", dice="1d6", reason="xherownx")
    await world.ana.slash(hall, "roll", dice="2d6", reason="xreasonx")
    await world.ana.slash(hall, "check", skill="Climbing", approach="xideax")
    if gone:
        world.env.backend.delete_channel(hall.id)
        await world.env.settle()
    told = await _shown(world, eve)
    assert any("xherownx" in each for each in told), "what she did is hers"
    assert not any("xreasonx" in each or "xideax" in each for each in told)
    assert any("You don't play at this table" in each for each in told)
    assert not any("meant for somebody else" in each for each in told)
    assert gone or any("xideax" in each for each in await _shown(world, world.ben))


async def test_whoever_gave_their_character_away_is_shown_only_what_they_did(
    world: World,
) -> None:
    await world.table()
    await world.ana.slash(world.zone, "roll", dice="1d6", reason="xreasonx")
    await world.ben.slash(world.zone, "roll", dice="1d6", reason="xhisownx")
    assert any("xreasonx" in each for each in await _shown(world, world.ben))
    await world.ben.slash(world.zone, "character give", character="Ilka", to=world.ana)
    told = await _shown(world, world.ben)
    assert any("xhisownx" in each for each in told)
    assert not any("xreasonx" in each for each in told)


async def test_whoever_was_a_gm_by_role_is_shown_nothing_of_the_gms(world: World) -> None:
    await world.table()
    lead = world.guild.create_role("leads")
    hal = world.member("hal", lead)
    await world.gina.slash(world.zone, "gm members", add_role=lead)
    await hal.slash(world.zone, "roll", dice="1d6", reason="xblindx", visibility="blind")
    await world.ana.slash(world.zone, "roll", dice="1d6", reason="xreasonx")
    assert any("xblindx" in each for each in await _shown(world, hal))
    world.env.backend.remove_member_role(world.guild.id, hal.id, lead.id)
    told = await _shown(world, hal)
    assert not any("xblindx" in each or "xreasonx" in each for each in told)
    assert any("You don't play at this table" in each for each in told)
