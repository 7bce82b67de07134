"""`/gm digest`: once a week, never twice, and nothing that not everybody in its place was told."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import discord
from simcord.builders import ChannelHandle

from tests.discord.amend_steps import correct, entry_of, preview
from tests.discord.world import (
    DAY,
    HOUR,
    World,
    head,
    make_bot,
    pings,
    private,
    public,
    refusal_of,
    secret_room,
    texts,
)

WEEK = 7 * DAY
CANARIES = ("9137", "Sidor", "Xbaron", "xreason", "xidea")


def digests(world: World, room: ChannelHandle | None = None) -> list[discord.Message]:
    """The digests in a channel, oldest first."""
    return [message for message in world.messages(room) if head(message).startswith("This week")]


async def turn_on(world: World, day: str = "Sunday") -> None:
    """A table with a weekly digest, which everybody is told."""
    await world.table(gm_channel=True)
    answer = await world.gina.slash(world.zone, "gm digest", day=day, hour=18, zone="Europe/Berlin")
    shown = public(answer)
    assert "Weekly digest on" in shown and f"Every {day} at 18:00 (Europe/Berlin)" in shown


async def test_a_week_is_told_once_and_without_a_ping(world: World) -> None:
    await turn_on(world)
    await world.rolled(5, 2)
    await world.ana.slash(world.zone, "away", until="30 days")
    await world.env.advance_time(WEEK)
    (digest,) = digests(world)
    shown = texts(digest)
    assert "1 check" in shown and "Marek, Climbing" in shown and "Ana is away until" in shown
    assert pings(digest, world.env) == []
    await world.env.advance_time(WEEK)
    quiet = digests(world)[1]
    assert "A quiet week: nothing happened." in texts(quiet)
    assert len(digests(world)) == 2


async def test_a_week_with_a_fight_alone_counts_it(world: World) -> None:
    await turn_on(world)
    await world.gina.slash(world.zone, "initiative start")
    await world.ben.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    await world.gina.slash(world.zone, "initiative end")
    await world.env.advance_time(WEEK)
    assert "1 fight." in texts(digests(world)[0])


async def test_a_bot_that_was_away_posts_one_for_all_it_missed(world: World) -> None:
    await turn_on(world)
    await world.rolled(5, 2)
    await world.bot.close()
    await world.env.advance_time(3 * WEEK)
    await world.env.restart_bot(make_bot(world.path))
    await world.env.settle()
    (digest,) = digests(world)
    assert "1 check" in texts(digest)
    await world.restart()
    await world.env.settle()
    assert len(digests(world)) == 1


async def test_what_waits_is_said_as_far_as_everybody_knows(world: World) -> None:
    await turn_on(world)
    await world.gina.slash(world.zone, "initiative start")
    await world.ben.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "gm settings", setting="turn_time", value="none")
    await world.gina.slash(world.zone, "initiative next")
    await world.env.advance_time(WEEK)
    assert "Waiting for Ilka" in texts(digests(world)[0])


async def test_corrections_are_counted_with_who_made_them(world: World) -> None:
    await turn_on(world)
    await world.rolled(4, 3)
    await correct(world, await entry_of(world, "Choose", -2), "difficulty: 7")
    await world.gina.slash(world.zone, "gm award", kind="fate", to="Marek", reason="xreason")
    await correct(world, await entry_of(world, "Award"))
    found = private(await world.ben.slash(world.zone, "log", text="corrected by"))
    assert "2 lines with" in found and "xreason" not in found
    await world.env.advance_time(WEEK)
    (digest,) = digests(world)
    assert "2 corrections by Gina." in texts(digest) and "1 check" in texts(digest)
    assert pings(digest, world.env) == []
    await world.env.advance_time(WEEK)
    assert "correction" not in texts(digests(world)[1])


async def test_a_week_with_a_correction_alone_is_not_quiet(world: World) -> None:
    await turn_on(world)
    await world.rolled(4, 3)
    await world.env.advance_time(WEEK)
    await correct(world, await entry_of(world, "Choose", -2), "difficulty: 7")
    await world.env.advance_time(WEEK)
    shown = texts(digests(world)[1])
    assert "1 correction by Gina." in shown and "quiet" not in shown


async def test_a_correction_that_was_undone_is_not_counted(world: World) -> None:
    await turn_on(world)
    await world.rolled(4, 3)
    await correct(world, await entry_of(world, "Choose", -2), "difficulty: 7")
    private(await world.gina.slash(world.zone, "gm undo", entry=await world.revision()))
    await world.env.advance_time(WEEK)
    assert "correction" not in texts(digests(world)[0])


async def test_a_correction_that_not_everybody_was_told_of_is_not_counted(world: World) -> None:
    await turn_on(world)
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    await world.gina.slash(vault, "gm award", kind="fate", to="Marek")
    in_vault = await entry_of(world, "Award")
    await world.press(world.gina, await preview(world, in_vault), "Undo it")
    await world.gina.slash(world.zone, "roll", dice="2d6", visibility="blind")
    to_gms = await entry_of(world, "RollDice")
    await world.press(world.gina, await preview(world, to_gms), "Undo it")
    assert await entry_of(world, "Amend") > await entry_of(world, "Amend", -2)
    await world.env.advance_time(WEEK)
    assert "correction" not in texts(digests(world)[0])


async def test_a_secret_check_that_waits_is_not_counted(world: World) -> None:
    await turn_on(world)
    await world.ana.slash(world.zone, "check", visibility="private", approach="xidea")
    await world.env.advance_time(WEEK)
    shown = texts(digests(world)[0])
    assert not [word for word in ("Waiting", "xidea", "check") if word in shown]


async def test_no_digest_tells_a_secret(world: World) -> None:
    await turn_on(world)
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    await world.gina.slash(world.zone, "gm npc add", name="Sidor")
    await world.gina.slash(world.zone, "gm npc add", name="Xbaron", alias="the hooded man")
    await world.rolled(5, 2, hidden=True, number="9137")
    await world.ana.slash(world.zone, "check", visibility="private", approach="xidea one")
    await world.ana.slash(world.zone, "check", visibility="blind", approach="xidea two")
    await world.gina.slash(world.zone, "roll", dice="2d6", reason="xreason", visibility="blind")
    await world.ana.slash(vault, "roll", dice="2d6", reason="xreason")
    await world.gina.slash(vault, "gm award", kind="fate", to="Marek", reason="xreason")
    await world.env.advance_time(WEEK)
    (digest,) = digests(world)
    assert not [canary for canary in CANARIES if canary in texts(digest)]
    assert "1 check" in texts(digest)


async def test_a_digest_in_a_closed_channel_tells_what_is_open_to_its_readers(
    world: World,
) -> None:
    await world.table(gm_channel=True)
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    await world.gina.slash(vault, "gm digest", day="Sunday", zone="UTC")
    await world.rolled(5, 2)
    await world.gina.slash(vault, "gm award", kind="fate", to="Marek", reason="xreason")
    await world.env.advance_time(WEEK)
    assert digests(world) == []
    shown = texts(digests(world, vault)[0])
    assert "xreason" in shown and "Marek, Climbing" in shown


async def test_a_gm_switches_it_off_and_moves_it(world: World) -> None:
    await turn_on(world)
    now = private(await world.gina.slash(world.zone, "gm digest"))
    assert "The digest is on" in now and "Every Sunday at 18:00" in now
    again = await world.gina.slash(
        world.zone, "gm digest", day="Sunday", hour=18, zone="Europe/Berlin"
    )
    assert "set like that already" in refusal_of(again)
    assert "Weekly digest off" in public(await world.gina.slash(world.zone, "gm digest", day="off"))
    assert "none to switch off" in refusal_of(
        await world.gina.slash(world.zone, "gm digest", day="off")
    )
    await world.gina.slash(world.zone, "gm undo")
    await world.env.advance_time(WEEK)
    assert len(digests(world)) == 1
    await world.gina.slash(world.zone, "gm undo")


async def test_bad_input_changes_nothing(world: World) -> None:
    await world.table(gm_channel=True)
    need = await world.gina.slash(world.zone, "gm digest", day="Sunday")
    assert "Whose hours?" in refusal_of(need)
    assert "Give the day" in refusal_of(await world.gina.slash(world.zone, "gm digest", hour=3))
    wrong = await world.gina.slash(world.zone, "gm digest", day="Sunday", zone="Atlantis")
    assert "Atlantis" in refusal_of(wrong)
    assert "Only the GM" in refusal_of(await world.ben.slash(world.zone, "gm digest", day="off"))
    assert (await world.state()).settings.digest is None
    await world.env.advance_time(8 * DAY + HOUR)
    assert digests(world) == []


async def test_a_digest_whose_posting_was_not_noted_is_found_again(world: World) -> None:
    """As if the bot had been killed between sending the digest and noting it."""
    await turn_on(world)
    await world.rolled(5, 2)
    await world.env.advance_time(WEEK)
    (digest,) = digests(world)
    await world.bot.close()
    with closing(sqlite3.connect(world.path)) as connection, connection:
        lost = connection.execute(
            "UPDATE outbox SET done_at = NULL, message = NULL WHERE journal_id ="
            " (SELECT MAX(id) FROM journal WHERE kind = 'Due')"
        )
        assert lost.rowcount == 1
    await world.env.restart_bot(make_bot(world.path))
    await world.env.settle()
    assert [message.id for message in digests(world)] == [digest.id]
    with closing(sqlite3.connect(world.path)) as connection:
        ((noted,),) = connection.execute(
            "SELECT message FROM outbox WHERE journal_id ="
            " (SELECT MAX(id) FROM journal WHERE kind = 'Due')"
        ).fetchall()
    assert noted.endswith(f"/{digest.id}")
