"""`/gm export|import` and `/privacy`: what goes out, what comes in, and what is forgotten."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from typing import Any, Final

import discord
import pytest
from simcord.actors import MemberActor

from bot.departed_guilds import DAY, RETENTION_SECONDS, departure_note_key
from bot.services.directory import new_id
from bot.services.replay import ReplayImpossible, replay
from bot.worker_process import WorkerProcess
from tests.discord.barmore import bar_table, side
from tests.discord.conftest import PROCESS
from tests.discord.world import (
    World,
    card,
    controls,
    labels,
    message_of,
    private,
    refusal_of,
    texts,
    virtual_clock,
)
from tests.sample_table import barmore_character, ebb_character, ego_character, masterbook_character

#: Unmistakable: an off-stage name, a note of the GM's, a private plan, a hidden difficulty, a
#: drawback.
HIDDEN = ("Iwo Kasimir", "poisoner of wells", "under the false floor", "9137", "afraid of moths")


async def file_of(result: Any) -> dict[str, Any]:
    """The JSON file that an answer for one person carries."""
    private(result)
    (file,) = message_of(result).attachments
    return json.loads(await file.read())


async def export_file(world: World, what: str = "full", *, journal: bool = False) -> dict[str, Any]:
    return await file_of(
        await world.gina.slash(world.zone, "gm export", what=what, journal=journal)
    )


async def hand_in(world: World, data: Any, who: MemberActor | None = None) -> Any:
    """`/gm import` of this object, or of these bytes."""
    content = data if isinstance(data, bytes) else json.dumps(data).encode()
    return await (who or world.gina).slash(world.zone, "gm import", file=("table.json", content))


async def busy_table(world: World) -> None:
    """A table on which something is hidden of every kind."""
    await world.table(gm_channel=True)
    await world.bring(world.ana, "Rat", replace=False, drawbacks=["afraid of moths"] * 10)
    await world.gina.slash(world.zone, "gm npc add", name="Iwo Kasimir", notes="poisoner of wells")
    await world.gina.slash(
        world.zone,
        "gm npc add",
        name="Sidor",
        stage="revealed",
        portrait="https://example.org/s.png",
    )
    await world.gina.slash(world.zone, "gm npc add", name="Olga", alias="the figure in gray")
    acting: dict[str, Any] = {"as": "Marek"}
    await world.rolled(4, 3, hidden=True, number="9137", **acting)
    await world.propose(visibility="private", approach="under the false floor", **acting)
    await world.gina.slash(world.zone, "session start")


# --- export ---------------------------------------------------------------------------------------


async def test_what_players_get_holds_nothing_hidden(world: World) -> None:
    await busy_table(world)
    await world.gina.slash(world.zone, "table fair rotate", rolls="open")
    data = await export_file(world, "players", journal=True)
    text = json.dumps(data)
    for canary in HIDDEN:
        assert canary not in text
    assert "Olga" not in text and "the figure in gray" in text
    assert "up the drainpipe" in text, "what was said in public is in it"
    assert [each["name"] for each in data["characters"]] == [
        "Ilka",
        "Marek",
        "Rat",
        "Sidor",
        "the figure in gray",
    ]
    assert {person["name"] for person in data["people"]} == {"Gina", "Ana", "Ben"}
    assert all("sheet" not in each for each in data["characters"])
    _no_ids_and_seeds(world, text)


async def test_a_gm_gets_everything_but_ids_and_seeds(world: World) -> None:
    await busy_table(world)
    idea = f"I look at {world.ana.mention} and <@123456789012345678>"
    await world.propose(world.ben, approach=idea)
    await world.gina.slash(world.zone, "table fair rotate", rolls="open")
    data = await export_file(world, journal=True)
    text = json.dumps(data)
    for canary in HIDDEN:
        assert canary in text
    assert "I look at @Ana and @somebody" in text
    assert [entry["entry"] for entry in data["journal"]] == list(
        range(1, await world.revision() + 1)
    )
    _no_ids_and_seeds(world, text)


def _no_ids_and_seeds(world: World, text: str) -> None:
    for person in (world.gina, world.ana, world.ben):
        assert str(person.id) not in text
    with closing(sqlite3.connect(world.path)) as connection:
        for (seed,) in connection.execute("SELECT seed FROM seed"):
            assert seed.hex() not in text


async def test_what_stays_behind_is_counted(world: World) -> None:
    await world.table()
    assert "Not imported" not in private(
        await world.gina.slash(world.zone, "gm export", what="full")
    )
    await world.propose(world.ben)
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "roll-save", name="axe", dice="d20")
    await world.ana.slash(world.zone, "draw-card")
    text = private(await world.gina.slash(world.zone, "gm export", what="full"))
    assert (
        "**`/gm import` leaves out:** 1 open check (c1), 1 initiative board, 1 saved roll and "
        "1 deck in use with its hands." in text
    )
    assert "Not imported" not in private(
        await world.gina.slash(world.zone, "gm export", what="players")
    )


async def test_complex_actions_that_stay_behind_are_counted_and_can_be_read(world: World) -> None:
    await bar_table(world)
    work = {
        "name": "Mend the hull",
        "who": "Marek",
        "difficulty": "10",
        "required": 5,
        "every": "1 hour",
    }
    await world.gina.slash(world.zone, "barmore task start", **work)
    await world.ana.slash(world.zone, "barmore task roll")
    text = private(await world.gina.slash(world.zone, "gm export", what="full"))
    assert "**`/gm import` leaves out:** 1 complex action." in text
    data = await export_file(world)
    assert [(each["name"], each["rolls"]) for each in data["own"]] == [("Mend the hull", 1)]
    other = world.guild.create_text_channel("elsewhere")
    card = message_of(
        await world.gina.slash(other, "gm import", file=("t.json", json.dumps(data).encode()))
    )
    await world.press(world.gina, card, "Open table")
    assert (await world.bot.tables.get(2)).state.own == {}


async def test_only_gms_export_and_import(world: World) -> None:
    await world.table()
    refusal_of(await world.ana.slash(world.zone, "gm export", what="players"))
    refusal_of(await hand_in(world, {}, world.ana))


# --- import ---------------------------------------------------------------------------------------


async def new_zone(world: World) -> None:
    """An empty table of Gina's in a channel of its own, where she and Ana have been."""
    world.zone = world.guild.create_text_channel("elsewhere")
    await world.setup()
    await world.ana.slash(world.zone, "roll", dice="d6")


def _participant(world: World, who: Any) -> str:
    """What the table of this channel calls a person."""
    table_id = world.bot.tables.places.table_id(str(world.zone.id))
    table = None if table_id is None else world.bot.tables.get_if_loaded(table_id)
    assert table is not None
    return table.directory.known_participant(str(who.id)) or ""


async def test_a_table_goes_on_elsewhere(world: World) -> None:
    await busy_table(world)
    await world.gina.slash(world.zone, "gm settings", step_in_minutes=7, reveal="degree")
    before = await world.state()
    data = await export_file(world, journal=True)
    await new_zone(world)
    asked = await hand_in(world, data)
    text = private(asked)
    assert (
        "**Ana's:** Marek and Rat · to the GMs" in text and "**Ben's:** Ilka · to the GMs" in text
    )
    assert "3 characters" in text
    await world.choose(world.gina, message_of(asked), "Who gets their characters back", "p2")
    assert f"to {world.ana.mention}" in texts(message_of(asked))
    await world.restart()
    go = f"sg:imp:{_draft(message_of(asked))}:go"
    private(await world.press(world.gina, message_of(asked), "Import"))
    # The commitments to seeds are digits by chance.
    told = re.sub(r"[0-9a-f]{64}", "", "\n".join(map(texts, world.messages())))
    for canary in HIDDEN:
        assert canary not in told
    assert "Characters: Marek, Ilka, Rat, Sidor and the figure in gray" in told
    after = await world.state()
    assert (after.settings.name, after.settings.step_in_time, after.settings.reveal) == (
        "The Dry Canal",
        420,
        "degree",
    )
    assert after.settings.gm_place is None
    assert after.clock == before.clock
    ana = _participant(world, world.ana)
    owners = {each.name: each.owner for each in after.characters.values()}
    assert owners == {
        "Marek": ana,
        "Rat": ana,
        "Ilka": None,
        "Iwo Kasimir": None,
        "Sidor": None,
        "Olga": None,
    }
    for old, new in zip(before.characters.values(), after.characters.values(), strict=True):
        assert (old.name, old.sheet, old.stage, old.alias, old.notes) == (
            new.name,
            new.sheet,
            new.stage,
            new.alias,
            new.notes,
        )
    assert "Marek" in private(await world.ana.slash(world.zone, "character show"))
    table_id = world.bot.tables.places.table_id(str(world.zone.id))
    assert table_id is not None
    assert await replay(world.bot.tables.store, table_id) == after
    late = world.emit(world.gina, go)
    await world.env.settle()
    assert "That panel is gone." in refusal_of(late)
    private(await world.gina.slash(world.zone, "gm undo"))
    assert (await world.state()).characters == {}
    private(await hand_in(world, data))


async def test_a_table_that_has_begun_takes_no_file(world: World) -> None:
    await world.table()
    data = await export_file(world)
    assert "has already begun" in refusal_of(await hand_in(world, data))
    await new_zone(world)
    asked = message_of(await hand_in(world, data))
    await world.bring(world.gina, "Early", npc=True)
    assert "has already begun" in refusal_of(await world.press(world.gina, asked, "Import"))
    assert len((await world.state()).characters) == 1


# --- import as a new table ------------------------------------------------------------------------


def _leave(world: World) -> None:
    """Go on in a channel where no table is."""
    world.zone = world.guild.create_text_channel("elsewhere")


async def test_a_table_is_opened_from_a_file(world: World) -> None:
    await busy_table(world)
    await world.gina.slash(world.zone, "gm settings", step_in_minutes=7)
    before, data = await world.state(), await export_file(world, journal=True)
    _leave(world)
    asked = await hand_in(world, data)
    text = private(asked)
    assert "Open a table from this file?" in text
    assert "**The Dry Canal** opens in this channel (EBB)" in text
    assert "**Ana's:** Marek and Rat · to the GMs" in text
    assert world.bot.tables.places.table_id(str(world.zone.id)) is None
    await world.choose(world.gina, message_of(asked), "Who gets their characters back", "p2")
    assert f"to {world.ana.mention}" in texts(message_of(asked))
    await world.restart()
    go = f"sg:imp:{_draft(message_of(asked))}:go"
    opened = await world.press(world.gina, message_of(asked), "Open table")
    assert "Where should secrets go?" in private(opened)
    await world.env.settle()
    told = [texts(message) for message in world.messages()]
    assert "fingerprint" in told[0].casefold(), "the seeds of its dice are new ones, and published"
    assert "Characters: Marek, Ilka, Rat, Sidor and the figure in gray" in told[1]
    for canary in HIDDEN:
        assert canary not in "\n".join(told)

    await world.restart()
    after = await world.state()
    assert (after.settings.name, after.settings.gms, after.settings.step_in_time) == (
        "The Dry Canal",
        ("p1",),
        420,
    )
    assert after.clock == before.clock
    owners = {each.name: each.owner for each in after.characters.values()}
    assert owners == {
        "Marek": "p2",
        "Rat": "p2",
        "Ilka": None,
        "Iwo Kasimir": None,
        "Sidor": None,
        "Olga": None,
    }
    assert [each.sheet for each in after.characters.values()] == [
        each.sheet for each in before.characters.values()
    ]
    assert "Marek" in private(await world.ana.slash(world.zone, "character show"))
    table_id = world.bot.tables.places.table_id(str(world.zone.id)) or 0
    rows = await world.bot.tables.store.entries(table_id)
    assert [row.kind for row, _ in rows] == ["CreateTable", "ImportTable"]
    assert await replay(world.bot.tables.store, table_id) == after
    late = world.emit(world.gina, go)
    await world.env.settle()
    assert "That panel is gone." in refusal_of(late)
    private(await world.gina.slash(world.zone, "gm undo"))
    undone = await world.state()
    assert (undone.characters, undone.settings.gms) == ({}, ("p1",))
    assert await replay(world.bot.tables.store, table_id) == undone
    asked = await hand_in(world, data)
    assert "Import into this table?" in private(asked), "the table is there, and empty"


async def test_only_whoever_may_open_a_table_opens_one_from_a_file(world: World) -> None:
    await world.table()
    data = await export_file(world)
    _leave(world)
    assert "permission to manage channels" in refusal_of(await hand_in(world, data, world.ana))
    asked = message_of(await hand_in(world, data))
    forged = world.emit(world.ana, f"sg:imp:{_draft(asked)}:go", asked)
    await world.env.settle()
    refusal_of(forged)
    private(await world.press(world.gina, asked, "Cancel"))
    assert "Nothing has changed." in texts(asked)
    assert world.bot.tables.places.table_id(str(world.zone.id)) is None


async def test_a_file_for_a_new_table_is_read_whole_before_anything_is_asked(world: World) -> None:
    await world.table()
    data = await export_file(world)
    _leave(world)
    data["characters"][0]["sheet"]["fate"] = "many"
    data["settings"]["step_in_time"] = -4
    text = refusal_of(await hand_in(world, data))
    assert "`characters[0].sheet.fate`" in text and "`settings.step_in_time`" in text
    for system, expected in (
        ("chess", "No game “chess”"),
        ("free", "No game"),
        (["ebb"], "No game"),
    ):
        assert expected in refusal_of(await hand_in(world, {**data, "system": system}))
    assert "can't import that file" in refusal_of(await hand_in(world, {}))
    assert world.bot.tables.places.table_id(str(world.zone.id)) is None


async def test_a_table_opened_here_in_the_meantime_is_left_alone(world: World) -> None:
    await world.table()
    data = await export_file(world)
    _leave(world)
    asked = message_of(await hand_in(world, data))
    await world.setup()
    assert "This channel already has a table" in refusal_of(
        await world.press(world.gina, asked, "Open table")
    )
    assert (await world.state()).characters == {}


async def test_long_files_are_read_in_a_process_of_their_own(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both when they are handed in and when they are brought in: here nothing of them is read."""
    full = ebb_character("Many", notes="n" * 1500, equipment=["x" * 40] * 40)
    rows = [{"id": f"k{n}", "sheet": {**full, "name": f"Many {n}"}} for n in range(24)]
    data = {
        "format": "storyguide-table",
        "version": 1,
        "system": "ebb",
        "settings": {"name": "Many"},
    }
    data |= {"clock": {}, "characters": rows}
    here: list[str] = []

    def read(*_: object) -> None:
        here.append("read")
        raise AssertionError("read on the event loop")

    monkeypatch.setattr(WorkerProcess, "_ask", PROCESS)
    monkeypatch.setattr("rules.table.transfer.plan_import", read)
    monkeypatch.setattr("bot.services.imports.plan_import", read)
    new, old = (world.guild.create_text_channel(name) for name in ("new", "old"))
    await world.gina.slash(old, "setup", game="ebb", name="Old")
    content = json.dumps(data).encode()
    assert len(content) > 64 * 1024
    for room in (new, old):
        card = message_of(await world.gina.slash(room, "gm import", file=("many.json", content)))
        await world.press(world.gina, card, "Open table" if room is new else "Import")
    assert here == []
    for table_id in (1, 2):
        table = await world.bot.tables.get(table_id)
        assert len(table.state.characters) == 24
    wrong = json.dumps(data | {"characters": [{}] * 150, "decks": ["x" * 70_000]}).encode()
    third = world.guild.create_text_channel("third")
    told = refusal_of(await world.gina.slash(third, "gm import", file=("wrong.json", wrong)))
    assert "things in this file" in told


async def test_a_founder_who_has_a_namesake_is_not_taken_for_them(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Gina's own")
    data, old = await export_file(world), world.zone
    _leave(world)
    mine = message_of(await hand_in(world, data))
    await world.choose(world.gina, mine, "Who gets their characters back", "p1", "p2")
    assert f"to {world.gina.mention}" in texts(mine)
    await world.member("gina").slash(old, "roll", dice="d6")  # another of that name
    await world.press(world.gina, mine, "Open table")
    owners = {each.name: each.owner for each in (await world.state()).characters.values()}
    assert owners == {"Marek": "p2", "Ilka": None, "Gina's own": None}


async def test_everything_that_is_wrong_is_listed(world: World) -> None:
    await world.table()
    data = await export_file(world)
    await new_zone(world)
    first, second = data["characters"]
    first["sheet"]["fate"] = "many"
    first["sheet"]["wings"] = 2
    first |= {"stage": "off", "luck": 1}
    second["sheet"] = ebb_character("Marek")
    data["settings"] |= {"step_in_time": -4, "live": "yes", "name": "x" * 200, "gm_place": "1"}
    data["clock"]["time"] = 10**12
    data["extra"] = 1
    text = refusal_of(await hand_in(world, data))
    for field in (
        "characters[0].sheet.fate",
        "characters[0].sheet.wings",
        "characters[0].stage",
        "characters[0].luck",
        "settings.step_in_time",
        "settings.live",
        "settings.name",
        "settings.gm_place",
        "clock.time",
        "extra",
    ):
        assert f"`{field}`" in text, field
    assert "in this file" in text
    assert await world.revision() == 2


OTHER_FILES: Final = (
    (b"{}", "can't import that file"),
    (b"[1]", "one pair of braces"),
    (b"{" * 10, "isn't valid JSON"),
    (b'{"format": "storyguide-table", "version": 2}', "reads version 1"),
    (b'{"format": "storyguide-table", "version": 1, "system": "chess"}', "this one plays ebb"),
    (
        b'{"format": "storyguide-table", "version": 1, "system": "ebb", "characters": "\\ud800"}',
        "invalid value",
    ),
    (b" " * (2 * 1024 * 1024 + 1), "up to 2 MiB"),
)


async def test_a_file_of_another_kind_is_refused(world: World) -> None:
    await world.setup()
    for content, expected in OTHER_FILES:
        assert expected in refusal_of(await hand_in(world, content))


async def test_what_players_got_cannot_be_imported(world: World) -> None:
    await world.table()
    data = await export_file(world, "players")
    await new_zone(world)
    assert "has no sheets" in refusal_of(await hand_in(world, data))


async def test_the_question_is_for_one_gm_and_can_be_dropped(world: World) -> None:
    await world.table()
    data = await export_file(world)
    await new_zone(world)
    asked = message_of(await hand_in(world, data))
    forged = world.emit(world.ana, f"sg:imp:{_draft(asked)}:go", asked)
    await world.env.settle()
    refusal_of(forged)
    private(await world.press(world.gina, asked, "Cancel"))
    assert "Nothing has changed." in texts(asked)
    assert (await world.state()).characters == {}


def _draft(message: Any) -> str:
    return next(each["custom_id"].split(":")[2] for each in controls(message))


# --- privacy --------------------------------------------------------------------------------------


async def test_my_own_data(world: World) -> None:
    await busy_table(world)
    data = await file_of(await world.ana.slash(world.zone, "privacy export"))
    (mine,) = data["tables"]
    assert (mine["table"], mine["name"], mine["gm"]) == ("The Dry Canal", "Ana", False)
    assert [each["name"] for each in mine["characters"]] == ["Marek", "Rat"]
    text = json.dumps(data)
    assert "under the false floor" in text, "what she typed herself"
    for canary in ("9137", "Iwo Kasimir", "poisoner of wells", "Ilka"):
        assert canary not in text
    _no_ids_and_seeds(world, text)


async def test_no_file_tells_how_many_people_there_are(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others who only looked at the table come before Ben: nothing that he gets has a number of
    them.
    """
    monkeypatch.setattr("bot.services.directory.new_id", new_id)
    told = list[str]()
    for name, onlookers in (("zone", 0), ("elsewhere", 3)):
        room = world.zone if name == "zone" else world.guild.create_text_channel(name)
        await world.gina.slash(room, "setup", game="ebb", name=name)
        for number in range(onlookers):
            onlooker = world.member(f"onlooker{number}")
            await onlooker.slash(room, "roll", dice="1d6", visibility="blind")
        sheet = json.dumps(ebb_character("Ilka")).encode()
        await world.ben.slash(room, "character import", file=("ilka.json", sheet))
        mine = await file_of(await world.ben.slash(room, "privacy export"))
        public = await file_of(
            await world.gina.slash(room, "gm export", what="players", journal=True)
        )
        told += [json.dumps(each) for each in (mine["tables"][-1], public)]
        assert {each["id"] for each in public["people"]} == {
            "p1",
            mine["tables"][-1]["participant"],
        }
        # A GM's file with such owners fills another table.
        full = await file_of(await world.gina.slash(room, "gm export", what="full"))
        new = world.guild.create_text_channel(f"{name}-again")
        content = json.dumps(full).encode()
        card = message_of(await world.gina.slash(new, "gm import", file=("table.json", content)))
        assert "Open a table from this file?" in texts(card)
    assert {number for text in told for number in re.findall(r'"p\d{1,4}"', text)} == {'"p1"'}
    assert not any("onlooker" in text for text in told)


async def test_nothing_is_kept_about_a_stranger_and_asking_changes_that_not(world: World) -> None:
    await world.table()
    carl = world.member("carl")
    for command in ("privacy export", "privacy delete"):
        assert "No data about you" in private(await carl.slash(world.zone, command))
    await world.propose()
    assert "carl" not in _database(world).casefold()


def _database(world: World) -> str:
    with closing(sqlite3.connect(world.path)) as connection:
        return "\n".join(connection.iterdump())


async def forget(world: World, who: MemberActor) -> str:
    asked = message_of(await who.slash(world.zone, "privacy delete"))
    assert "You can't undo this" in texts(asked)
    return private(await world.press(who, asked, "Delete my data"))


async def test_somebody_is_forgotten(world: World) -> None:
    await busy_table(world)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Olga")
    await world.ana.slash(world.zone, "character edit")
    asked = message_of(await world.ana.slash(world.zone, "privacy delete"))
    assert "Marek and Rat" in texts(asked)
    assert "Backups of the database keep your data until" in texts(asked)
    assert "database server" not in texts(asked)
    private(await world.press(world.ana, asked, "Cancel"))
    assert (await world.state()).characters["k1"].owner == "p2"
    deleted = await forget(world, world.ana)
    assert "Your data is gone from 1 table" in deleted
    assert "couldn't be read" not in deleted

    kept = _database(world)
    for text in (str(world.ana.id), "'Ana'", "up the drainpipe", "under the false floor"):
        assert text not in kept
    log = world.path.with_name(f"{world.path.name}-wal")
    assert b"under the false floor" not in log.read_bytes()
    await world.bot.close()
    # Beside the database stays only how far it had come.
    left = sorted(world.path.parent.glob("storyguide.db*"))
    assert {path.name for path in left} <= {"storyguide.db", "storyguide.db-seen"}
    for path in left:
        assert b"under the false floor" not in path.read_bytes(), (
            "not in pages that are free now either"
        )
    await world.restart()
    state = await world.state()
    assert {each.name: each.owner for each in state.characters.values()}["Marek"] is None
    assert "p2" not in state.people
    rolled, proposed = state.checks.values()
    assert (rolled.data.is_rolled, rolled.stage) == (True, "over"), "nobody is left to react"
    assert (proposed.data.is_rolled, proposed.stage) == (False, "over")
    told = texts(world.messages()[-1])
    assert "Somebody has left" in "\n".join(map(texts, world.messages())), told
    assert "Ana" not in told


async def test_nothing_before_is_taken_back_or_replayed(world: World) -> None:
    await world.table()
    await forget(world, world.ana)
    revision = await world.revision()
    text = refusal_of(await world.gina.slash(world.zone, "gm undo", entry=2))
    assert "somebody has since had their data deleted" in text
    refusal_of(await world.gina.slash(world.zone, "gm undo", entry=revision))
    refusal_of(await world.gina.slash(world.zone, "gm undo"))
    offered = await world.gina.autocomplete(world.zone, "gm undo", "entry", "")
    assert offered == []
    await world.gina.slash(world.zone, "gm settings", live=True, attacks_at_once=True)
    await world.restart()
    private(await world.gina.slash(world.zone, "gm undo", entry=revision + 1))
    table_id = world.bot.tables.places.table_id(str(world.zone.id))
    assert table_id is not None
    with pytest.raises(ReplayImpossible, match="deleted at their wish"):
        await replay(world.bot.tables.store, table_id)
    assert "had their data deleted" in private(await world.gina.slash(world.zone, "gm log"))


async def test_who_comes_back_is_somebody_else(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.services.directory.new_id", new_id)
    await world.table()
    owners = {(await world.state()).characters["k2"].owner}
    for name in ("Back", "Once more"):
        await forget(world, world.ben)
        await world.restart()
        await world.bring(world.ben, name)
        owners.add([*(await world.state()).characters.values()][-1].owner)
    assert len(owners) == 3


@pytest.mark.parametrize(
    ("system", "sheet", "command", "options"),
    [
        (
            "ebb",
            ebb_character("Marek"),
            "attack",
            {"weapon": "grandma's skillet", "skill": "Rifles"},
        ),
        (
            "barmore",
            barmore_character("Marek"),
            "attack",
            {"weapon": "grandma's skillet", "skill": "Brawling"},
        ),
        ("ego", ego_character("Marek"), "ego act", {"action": "throws grandma's skillet"}),
        (
            "masterbook",
            masterbook_character("Marek"),
            "mb act",
            {"action": "throws grandma's skillet"},
        ),
    ],
)
async def test_what_was_typed_goes_wherever_it_is_told(
    world: World, system: str, sheet: dict[str, Any], command: str, options: dict[str, Any]
) -> None:
    await world.setup(system=system)
    await world.hand_in(world.ana, "marek.json", json.dumps(sheet), grown=True)
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="revealed")
    if command == "attack":
        options = options | {"target": "Sidor", "attribute": None, "approach": "x"}
    options = {key: value for key, value in options.items() if value}
    await world.ana.slash(world.zone, command, **options)
    assert "grandma's skillet" in "\n".join(map(texts, world.messages()))
    assert "grandma''s skillet" in _database(world)
    await forget(world, world.ana)
    assert "skillet" not in _database(world)
    await world.gina.slash(world.zone, "gm log")
    await world.gina.slash(world.zone, "table last")


async def test_what_a_blow_was_done_with_goes_with_whoever_typed_it(world: World) -> None:
    await bar_table(world)
    blow = {"target": "Ilka", "weapon": "grandma's skillet", "skill": "Boats", "approach": "low"}
    await world.ana.slash(world.zone, "attack", **blow)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.gina.submit_modal(await world.press(world.gina, panel, "Write…"), {"damage": "3"})
    await world.press(world.gina, panel, "Call for a roll")
    panel = await side(world, world.ben, "Defend", "Athletics")
    world.dice.lay(8, 8, 8, 8, 8, 8)
    await world.press(world.ben, panel, "Defend")
    told = card(world)
    assert "skillet" in told and "Ilka is" in told, told
    assert "skillet" in str((await world.check()).data.consequences), (
        "its modifier is one of the terms"
    )
    await forget(world, world.ana)
    assert "skillet" not in _database(world)
    assert "**Ilka:** " in card(world)


async def test_the_only_gm_may_go_too(world: World) -> None:
    await world.table()
    asked = message_of(await world.gina.slash(world.zone, "privacy delete"))
    assert "You stop being GM" in texts(asked)
    await world.press(world.gina, asked, "Delete my data")
    assert (await world.state()).settings.gms == ()
    assert "/gm takeover" in texts(world.last())
    boss = world.member(
        "boss",
        world.guild.create_role("bosses", permissions=discord.Permissions(manage_guild=True)),
    )
    await boss.slash(world.zone, "gm takeover")
    assert len((await world.state()).settings.gms) == 1


async def test_others_go_on(world: World) -> None:
    await world.table()
    await world.propose(world.ben)
    await forget(world, world.ana)
    await world.restart()
    assert "Answer" in labels(world.newest("Answer"))
    await world.rule()
    assert (await world.check()).stage == "ready"


# --- servers that the bot has left ----------------------------------------------------------------


async def _tables(world: World) -> int:
    with closing(sqlite3.connect(world.path)) as connection:
        return connection.execute("SELECT COUNT(*) FROM game_table").fetchone()[0]


async def test_data_of_a_server_goes_ninety_days_after_the_bot(world: World) -> None:
    await world.table()
    await world.propose()
    world.env.backend.remove_guild(world.guild.id)
    await world.env.settle()
    await world.env.advance_time(RETENTION_SECONDS - DAY)
    await world.restart()
    await world.env.settle()
    assert await _tables(world) == 1
    await world.env.advance_time(2 * DAY)
    await world.restart()
    await world.env.settle()
    with closing(sqlite3.connect(world.path)) as connection:
        for name in (
            "game_table",
            "part",
            "journal",
            "before_part",
            "outbox",
            "person",
            "seed",
            "place",
            "due",
        ):
            assert connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone() == (0,), name


async def test_a_server_that_comes_back_keeps_its_data(world: World) -> None:
    await world.table()
    note = departure_note_key(str(world.guild.id))
    await world.bot.tables.store.set_note(note, str(virtual_clock() - RETENTION_SECONDS))
    await world.restart()
    await world.env.settle()
    assert await _tables(world) == 1
    assert await world.bot.tables.store.note(note) == ""


async def test_a_file_without_a_journal_does_not_speak_of_one(world: World) -> None:
    await world.table()
    told = [
        private(await world.gina.slash(world.zone, "gm export", what="full")),
        private(await world.gina.slash(world.zone, "gm export", what="players", journal=True)),
        private(await world.ana.slash(world.zone, "privacy export")),
    ]
    assert not [text for text in told if "follows in" in text]


@pytest.mark.parametrize(("system", "kind"), [("ego", "Orc"), ("masterbook", "pistol")])
async def test_what_a_campaign_may_add_comes_as_a_file_to_copy_from(
    world: World, system: str, kind: str
) -> None:
    await world.setup(system=system)
    shown = await world.gina.slash(world.zone, "gm campaign")
    assert "attach it to `/gm campaign file:`" in private(shown)
    sample = await file_of(shown)
    assert kind in json.dumps(sample)
    weapon = sample["weapons"][0] | {"name": "Ice hook"}
    content = json.dumps({"weapons": [weapon]}).encode()
    await world.gina.slash(world.zone, "gm campaign", file=("mine.json", content))
    assert "weapons: Ice hook" in texts(world.last()).casefold().replace("ice hook", "Ice hook")
    kept = await file_of(await world.gina.slash(world.zone, "gm campaign"))
    assert kept == {"weapons": [weapon]}
    await world.gina.slash(
        world.zone, "gm campaign", file=("all.json", json.dumps(sample).encode())
    )
    assert await file_of(await world.gina.slash(world.zone, "gm campaign")) == sample
