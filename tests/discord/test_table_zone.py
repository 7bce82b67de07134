"""The zone of a table: what a typed day means wherever it's typed, and what its file keeps."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from bot.time_zones import local_datetime
from rules.table.absence import orders_of
from tests.discord.test_data import export_file
from tests.discord.waiting.test_clock import fight, turn_end
from tests.discord.world import World, message_of, refusal_of, virtual_clock

ZONE = "Pacific/Auckland"
THURSDAY, FRIDAY = 3, 4


def next_midnight(zone: str = ZONE, weekday: int = FRIDAY) -> int:
    """Return the local midnight that begins the next Friday, or another day of the week."""
    local = local_datetime(zone, virtual_clock())
    days = (weekday - local.weekday() - 1) % 7 + 1
    date = datetime.fromordinal(local.date().toordinal() + days)
    return int(date.replace(tzinfo=ZoneInfo(zone)).timestamp())


async def test_a_day_begins_at_midnight_in_the_zone_of_the_table(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm rest", days="Sunday", zone=ZONE)
    await world.ana.slash(world.zone, "away", until="Friday")
    await world.ben.slash(world.zone, "delegate", character="Ilka", to=world.ana, until="Friday")
    await world.gina.slash(world.zone, "gm pause", until="Friday")
    state = await world.state()
    away = orders_of(state, "p2").away
    assert away is not None and away.until == next_midnight()
    pause = state.settings.pause
    assert pause is not None and pause.until == next_midnight()
    assert next_midnight() != next_midnight("UTC")


async def test_a_deadline_and_a_deputy_go_by_the_same_midnight(world: World) -> None:
    await fight(world)
    await world.gina.slash(world.zone, "gm rest", days="Sunday", zone=ZONE)
    await world.gina.slash(world.zone, "gm deadline", until="Thursday")
    assert await turn_end(world) == next_midnight(weekday=THURSDAY)
    question = await world.gina.slash(world.zone, "gm deputy", user=world.ben, until="Friday")
    assert f"<t:{next_midnight()}" in str(message_of(question).components)


async def test_without_a_zone_a_day_begins_in_utc(world: World) -> None:
    await world.table()
    await world.ana.slash(world.zone, "away", until="Friday")
    away = orders_of(await world.state(), "p2").away
    assert away is not None and away.until == next_midnight("UTC")
    assert datetime.fromtimestamp(next_midnight("UTC"), UTC).hour == 0


async def test_rest_and_digest_come_along_in_a_file(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm rest", days="weekends", hours="8:00-22:00", zone=ZONE)
    await world.gina.slash(world.zone, "gm digest", day="Friday", hour=18, zone=ZONE)
    before = (await world.state()).settings
    data = await export_file(world)
    other = world.guild.create_text_channel("elsewhere")
    file = ("t.json", json.dumps(data).encode())
    card = message_of(await world.gina.slash(other, "gm import", file=file))
    await world.press(world.gina, card, "Open table")
    await world.restart()
    after = (await world.bot.tables.get(2)).state.settings
    assert after.rest == before.rest and after.digest is not None and before.digest is not None
    assert after.digest == before.digest.replace(place=str(other.id), since=after.digest.since)
    data["rest"]["days"] = "Caturday"
    third = world.guild.create_text_channel("third")
    file = ("t.json", json.dumps(data).encode())
    refusal = refusal_of(await world.gina.slash(third, "gm import", file=file))
    assert "“Caturday” doesn't name days" in refusal and "rest" in refusal
