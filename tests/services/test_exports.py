"""Exports: one object while they are short, else parts beside it; the same is told in both."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.presenters.catalog_cards import card
from bot.presenters.controls import Attachment
from bot.presenters.layout import Layout
from bot.presenters.render import to_messages
from bot.services import exports
from bot.services.exports import PROGRESS_FILE, Export, is_export_too_long, write_export
from bot.storage.location import ServerAddress, scratch_folder
from bot.ui.exports import LEFTOVER_AGE, MAX_WAITING, Exports, delete_leftovers
from bot.worker_process import WorkerFailed
from rules.core.errors import Impossible
from rules.table.actions import Award, RollDice, RotateSeed
from rules.table.events import Notice
from rules.table.readable_places import EVERYWHERE
from tests.sample_table import ANN, BEN, GM, House, Session, by, propose


async def export_table(
    house: House, folder: Path, export: Export
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The object, and the lines of the parts."""
    folder.mkdir()
    first, *more = await asyncio.to_thread(write_export, house.path, str(folder), export)
    lines: list[dict[str, Any]] = []
    for name in more:
        lines += map(
            json.loads, gzip.decompress((folder / name).read_bytes()).decode().splitlines()
        )
    assert (folder / PROGRESS_FILE).exists() == export.journal
    return json.loads((folder / first).read_text()), lines


async def play_table(session: Session) -> None:
    for number in range(30):
        await session.do(
            RollDice(**by((ANN, BEN)[number % 2]), dice="1d6", reason=f"number {number}")
        )
    await session.do(propose(ANN, approach="over the roof", visibility="private"))


@pytest.mark.parametrize("what", ["full", "players"])
async def test_a_long_journal_goes_into_parts(
    session: Session, house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: Any
) -> None:
    await play_table(session)
    export = Export(what, "the-zone", ((session.table_id, "p1"),), readable=EVERYWHERE)
    whole, none = await export_table(house, tmp_path / "short", export)
    monkeypatch.setattr(exports, "MAX_INLINE_BYTES", 2000)
    monkeypatch.setattr(exports, "MAX_PART_BYTES", 0)  # so that each line has one
    head, lines = await export_table(house, tmp_path / "long", export)
    assert none == [] and "journal" not in head
    assert head | {"journal": lines} == whole
    names = sorted(
        path.name for path in (tmp_path / "long").iterdir() if path.name != PROGRESS_FILE
    )
    assert (
        names[0] == "the-zone-journal-1.jsonl.gz"
        and names[-1] == "the-zone.json"
        and len(names) > 2
    )
    assert ("over the roof" in json.dumps(lines)) == (what == "full")
    bare, _ = await export_table(
        house, tmp_path / "bare", Export(what, "the-zone", export.tables, journal=False)
    )
    assert "journal" not in bare


@pytest.mark.parametrize("what", ["full", "players"])
async def test_no_seed_is_in_a_journal_and_players_count_no_characters(
    session: Session, house: House, tmp_path: Path, what: Any
) -> None:
    await session.do(Award(**by(GM), kind="fate", to="Anna"))
    (told,) = (await session.do(RotateSeed(**by(GM)))).events
    assert isinstance(told, Notice) and told.params["revealed"]
    mine = ((session.table_id, "p1"),)
    export = Export(what, "the-zone", mine, readable=EVERYWHERE)
    whole, _ = await export_table(house, tmp_path / "out", export)
    journal = json.dumps(whole["journal"])
    assert '"seed-rotated"' in journal and '"awarded"' in journal
    assert str(told.params["revealed"]) not in journal and str(told.params["next"]) not in journal
    assert ('"characters": ["k' in journal) == (what == "full")


async def test_ones_own_data_may_be_long_too(
    session: Session, house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await play_table(session)
    export = Export("own", "my-data", ((session.table_id, "p2"),))
    whole, _ = await export_table(house, tmp_path / "short", export)
    monkeypatch.setattr(exports, "MAX_INLINE_BYTES", 2000)
    head, lines = await export_table(house, tmp_path / "long", export)
    name = head["tables"][0]["table"]
    assert "actions" not in head["tables"][0]
    assert [{"table": name, **each} for each in whole["tables"][0]["actions"]] == lines
    assert "number 0" in json.dumps(lines) and 'number 1"' not in json.dumps(lines)


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something. AssertionError after 30 seconds."""
    for _ in range(3000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("not within 30 s")


class Answer:
    """What `Exports` needs of an answer, and what it was told."""

    plain = False

    def __init__(self, person: int = 7) -> None:
        self.interaction = SimpleNamespace(user=SimpleNamespace(id=person))
        self.meanwhile_told: list[str] = []
        self.files: list[str] = []

    @property
    def told_last(self) -> str:
        return self.meanwhile_told[-1] if self.meanwhile_told else ""

    async def show_progress(self, messages: Any) -> None:
        self.meanwhile_told.append(str(messages[0]["view"].to_components()))

    async def say(self, messages: Any) -> None:
        self.files += [file.filename for message in messages for file in message["files"]]

    whisper = say

    async def show(self, card: Layout) -> None:
        await self.say(to_messages(card))


@pytest.mark.slow
async def test_how_far_it_is_is_told_and_parts_follow(
    session: Session, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await play_table(session)
    sending, answer = Exports(house.path), Answer()
    monkeypatch.setattr("bot.ui.exports.PROGRESS_INTERVAL", 0.02)
    export = Export("full", "the-zone", ((session.table_id, "p1"),))

    def shown(content: bytes, parts: int) -> Layout:
        return card(
            "own", "own-data", None, attachment=Attachment("the-zone.json", content), parts=parts
        )

    response: Any = answer
    await sending.send(response, export, shown)
    assert answer.files == ["the-zone.json"]
    assert "Writing the files" in answer.meanwhile_told[0]

    async def here(person: int, work: Any, *given: Any) -> Any:
        return await asyncio.to_thread(work, *given)

    answer.files.clear()
    monkeypatch.setattr(exports, "MAX_INLINE_BYTES", 2000)
    monkeypatch.setattr(sending._aside, "run_for", here)
    await sending.send(response, export, shown)
    assert answer.files == ["the-zone.json", "the-zone-journal-1.jsonl.gz"]
    monkeypatch.setattr("bot.ui.exports.MAX_PARTS", 0)
    with pytest.raises(Impossible, match="export-too-long"):
        await sending.send(response, export, shown)

    async def died(*_: Any) -> Any:
        raise WorkerFailed("EOFError")

    monkeypatch.setattr(sending._aside, "run_for", died)
    with pytest.raises(Impossible, match="export-failed"):
        await sending.send(response, export, shown)
    await sending.close()
    left = house.path.with_name(f"{house.path.name}-export-left")
    left.mkdir()
    await Exports(house.path).close()
    assert not [*house.path.parent.glob("*-export-*")]


def slept(path: str, folder: str, export: Export) -> list[str]:
    """In the place of `write`: what takes long, in a process of its own."""
    time.sleep(float(export.name))
    Path(folder, "x.json").write_text("{}")
    return ["x.json"]


def shown_plainly(content: bytes, parts: int) -> Layout:
    return card("own", "own-data", None, attachment=Attachment("x.json", content), parts=parts)


@pytest.mark.slow
async def test_an_answer_comes_while_discord_takes_one(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits is told how many come first; too many, or too long, is told before it would be
    too late.
    """
    monkeypatch.setattr("bot.ui.exports.PROGRESS_INTERVAL", 0.05)
    sending = Exports(house.path)
    answers: list[Any] = [Answer(person) for person in range(MAX_WAITING + 2)]

    def asked(number: int, seconds: str) -> asyncio.Task[None]:
        return asyncio.create_task(
            sending.send(answers[number], Export("own", seconds, ()), shown_plainly, slept),
            name=str(number),
        )

    first = asked(0, "600")
    await until(lambda: "begins in a moment" in answers[0].told_last)
    others = [asked(number, "0") for number in range(1, MAX_WAITING + 1)]
    for number in range(1, MAX_WAITING + 1):
        before = f"{number} other export"
        await until(lambda number=number, before=before: before in answers[number].told_last)
    await until(lambda: sending._aside.pid is not None)
    with pytest.raises(Impossible, match="exports-before"):
        await asked(MAX_WAITING + 1, "0")
    first.cancel()
    sending._aside.stop()
    await asyncio.gather(*others)
    assert [each.files for each in answers] == [[], *[["x.json"]] * MAX_WAITING, []]
    monkeypatch.setattr("bot.ui.exports.ANSWER_TIMEOUT", 3.0)
    first = asked(0, "600")
    await asyncio.sleep(0.2)
    second = asked(1, "0")
    with pytest.raises(Impossible, match="export-failed"):
        await asyncio.wait_for(first, 20)
    with pytest.raises(Impossible, match=r"export-failed|exports-before"):
        await asyncio.wait_for(second, 20)
    monkeypatch.setattr("bot.ui.exports.ANSWER_TIMEOUT", 600.0)
    await asked(2, "0")
    assert answers[2].files == ["x.json"] * 2, "nobody waits for what came to nothing"
    await sending.close()
    assert not [*house.path.parent.glob("*-export-*")]


async def test_what_would_be_too_many_files_is_known_before(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await session.tables.get(session.table_id)
    assert not await is_export_too_long(session.tables, [table])
    monkeypatch.setattr(exports, "MAX_PART_BYTES", 10)
    assert await is_export_too_long(session.tables, [table])


def test_a_process_leaves_the_exports_of_others_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, now = ServerAddress("postgresql://storyguide@db/storyguide"), 1_800_000_000
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    parent, own = scratch_folder(server)
    assert parent == tmp_path
    names = (f"{own}-export-a", "storyguide-1-export-b", "storyguide-1-export-c", "other-export-d")
    for name, age in zip(names, (1, LEFTOVER_AGE - 1, LEFTOVER_AGE + 1, 10**6), strict=True):
        folder = tmp_path / name
        folder.mkdir()
        os.utime(folder, (now - age, now - age))
    delete_leftovers(server, now)
    assert {path.name for path in tmp_path.iterdir()} == {*names} - {names[2]}
