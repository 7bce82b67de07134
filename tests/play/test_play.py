"""`python -m bot play` as a real process: it starts, shows the table, stops in order, and
remembers.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

from bot.__main__ import main
from bot.local_table import GUILD, STARTS_KEY, RunStart, _begin_run, _next_hint
from bot.pasted_commands import option_hint, read_line, read_options
from bot.samples import load_sample, sample_keys
from bot.services.loaded_table import Table
from bot.services.outbox_plan import ReplyTo
from bot.services.perform import perform
from bot.services.tables import Tables
from bot.storage.store import SqlStore
from rules.table.actions import Action, Actor, Begin, Choose
from tests.storage.stores import new_entry, new_table

ROOT = Path(__file__).resolve().parents[2]
#: How long a start or a stop may take before the test gives up, in seconds.
PATIENCE = 60.0
IDEA = "over the wet concrete with a hook"


class Running:
    """A local table in a process of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bot", "play", "--data", str(folder), *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONUTF8": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []
        self._pages: dict[int, str] = {}
        self._sent = 0
        self._queue: Queue[str] = Queue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._queue.put(line.rstrip("\n"))

    def wait_until_open(self) -> None:
        """Read what is printed until the last line of the welcome."""
        while not any(line.startswith("Stop with Ctrl-C") for line in self.lines):
            try:
                self.lines.append(self._queue.get(timeout=PATIENCE))
            except Empty:
                self.process.kill()
                pytest.fail(f"no welcome: {self.lines} {self.process.communicate()[1]}")

    @property
    def url(self) -> str:
        return next(
            line.split()[-1] for line in self.lines if line.startswith("Open in your browser:")
        )

    def channel(self, person: int) -> str:
        """What the page shows to one of the people, as the browser gets it."""
        with urllib.request.urlopen(self.url.partition("#")[0], timeout=PATIENCE) as answer:
            assert answer.status == 200
            assert b"<html" in answer.read()
        return json.dumps(self._page(person), ensure_ascii=False)

    def paste(self, person: int, line: str) -> dict[str, Any]:
        """Send a line as it stands in the message box of one of the people; what the page
        is told.
        """
        return self.act(person, "send_message", content=line, target_id=None, reply_to_id=None)

    def act(self, person: int, kind: str, **act: Any) -> dict[str, Any]:
        """Send an act of the page of one of the people; what the page is told."""
        page = self._page(person)
        place = {
            "generation": page["context"]["generation"],
            "bot_generation": page["botGeneration"],
        }
        self._sent += 1
        order = {"request_id": str(self._sent), "published_revision": page["publishedRevision"]}
        # Each page counts what it sends and is taken: a new one begins with 1.
        number = {
            "sequence": 1
            if page["lastAction"] is None
            else page["lastAction"]["expectedSequence"] + 1
        }
        body = {"protocol_version": 3, "kind": kind, **act, **place, **order, **number}
        told = self._ask("action", body, page["context"]["id"])
        # To the page any other answer is none: it would not say what was wrong, and would wait for
        # its own.
        assert (told["requestId"], told["sequence"]) == (order["request_id"], number["sequence"])
        return told

    def ask_bar(self, person: int, kind: str, **body: Any) -> dict[str, Any]:
        """Send what the place bar sends on the page of one of the people; what it is told."""
        return self._ask("action", {"kind": kind, **body}, self._page(person)["context"]["id"])

    def _page(self, person: int) -> dict[str, Any]:
        """The page of one of the people as it is now; there may be but a few."""
        if person not in self._pages:
            shown = self._ask("pages", {"viewer_id": str(person)})
            self._pages[person] = shown["context"]["id"]
            return shown
        return self._ask("state", None, self._pages[person])

    def _ask(
        self, what: str, body: dict[str, Any] | None, page: str | None = None
    ) -> dict[str, Any]:
        base, _, capability = self.url.partition("#")
        head = {"X-Simcord-Capability": capability, "Content-Type": "application/json"}
        head |= {} if page is None else {"X-Simcord-Context": page}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{base}api/{what}", data, head)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def stop(self, sign: signal.Signals) -> tuple[int, str]:
        """The status it ends with, and what it wrote to standard error."""
        self.process.send_signal(sign)
        status = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        assert self.process.stderr is not None
        return status, self.process.stderr.read()


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[Running]:
    """A local table that is surely gone at the end."""
    table = Running(folder, *arguments)
    try:
        yield table
    finally:
        if table.process.poll() is None:
            table.process.kill()
        table.process.wait(PATIENCE)
        table._reader.join(PATIENCE)
        for stream in (table.process.stdout, table.process.stderr):
            if stream is not None:
                stream.close()


async def propose(path: Path) -> list[int]:
    """Leave an open proposal behind, with a message that stands in a channel; returns everybody's
    user id.
    """
    values = {"skill": "Climbing", "attribute": "Fitness", "approach": IDEA}
    return await _leave(
        path, lambda table, who: Begin(**who, kind="check", values=values), 1, "12345"
    )


async def answer(path: Path, *, told: bool = True) -> None:
    """Leave the GM's answer behind, noted as told or still to be told."""

    def ruled(table: Table, who: dict[str, Any]) -> Choose:
        asked = table.state.checks["c1"].prompt("rule")
        assert asked is not None
        said = {"check": "c1", "prompt": "rule", "number": asked.number, "option": "roll"}
        return Choose(**who, **said, values={"difficulty": "Tricky"})

    await _leave(path, ruled, 0, None, told=told)


async def _leave(
    path: Path,
    made: Callable[[Table, dict[str, Any]], Action],
    person: int,
    message: str | None,
    *,
    told: bool = True,
) -> list[int]:
    store = await SqlStore.open(path)
    try:
        tables = Tables(store)
        await tables.start()
        (table_id,) = set((await tables.store.place_tables()).values())
        table = await tables.get(table_id)
        (place,) = tables.places.places_of(table_id)
        at = table.seeds[0].started_at
        action = made(table, {"who": Actor(_people(table)[person]), "place": place, "at": at})
        done = await perform(
            tables, table_id, action, f"left-behind-{person}", ReplyTo(True, "token")
        )
        where = None if message is None else f"{place}/{message}"
        if told:
            await store.mark_done([(out.id, at, where) for out in done.outs])
        assert table.guild == str(GUILD)
        return _users(table)
    finally:
        await store.close()


def _people(table: Table) -> list[str]:
    """The GM and both players."""
    owners = dict.fromkeys(each.owner for each in table.state.characters.values() if each.owner)
    return [*table.state.settings.gms, *owners]


def _users(table: Table) -> list[int]:
    return [int(table.directory.user(person) or 0) for person in _people(table)]


async def users(path: Path) -> list[int]:
    """The user ids of the people at the table in that file."""
    store = await SqlStore.open(path)
    try:
        tables = Tables(store)
        await tables.start()
        (table_id,) = set((await tables.store.place_tables()).values())
        return _users(await tables.get(table_id))
    finally:
        await store.close()


async def test_a_file_of_another_release_is_set_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ebb.db"
    for number in (1, 2):
        store = await SqlStore.open(path)
        await store.create_table(new_table(), new_entry("open"))
        await store.close()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA application_id = 7")
        assert await _begin_run(path) == RunStart("play-1-", 0, ())
        assert f"It's now ebb-old-{number}.db, and a new table starts." in capsys.readouterr().out
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "ebb-old-1.db",
        "ebb-old-1.db-seen",
        "ebb-old-2.db",
        "ebb-old-2.db-seen",
        "ebb.db",
    ]


@pytest.mark.slow
async def test_a_table_is_made_shown_and_found_again(tmp_path: Path) -> None:
    with running(tmp_path / "new") as table:
        table.wait_until_open()
        assert table.lines[0].startswith("Paste a command into the message box, then press")
        assert table.lines[2].endswith(", new: 4 characters, no open checks.")
        assert sum(line.startswith(("  1.", "  2.", "  3.")) for line in table.lines) == 3
        assert table.stop(signal.SIGINT) == (0, "")
    log = (tmp_path / "new/play.log").read_text(encoding="utf-8")
    assert "app.ready" in log
    assert "ERROR" not in log

    gm, player, other = await propose(tmp_path / "new/ebb.db")
    with running(tmp_path / "new") as table:
        table.wait_until_open()
        assert table.lines[2].endswith(", as you left it: 4 characters, 1 open check.")
        for person in (gm, player, other):
            shown = table.channel(person)
            assert IDEA in shown
            assert '"Answer"' in shown
        assert table.stop(signal.SIGTERM) == (0, "")

    await answer(tmp_path / "new/ebb.db")
    with running(tmp_path / "new") as table:
        table.wait_until_open()
        shown = table.channel(player)
        assert "against\N{NO-BREAK SPACE}10 (Tricky)" in shown and '"Roll d10 + d' in shown
        assert '"Answer"' not in shown
        assert table.stop(signal.SIGTERM) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("key", sample_keys())
async def test_everything_suggested_works_when_it_is_pasted(key: str, tmp_path: Path) -> None:
    """The terminal's lines, in order, each by whoever it names; the card in the channel says the
    first.
    """
    sample = load_sample(key)
    names = [sample.gm, *(player.name for player in sample.players)]
    with running(tmp_path, "--table", key) as table:
        table.wait_until_open()
        people = dict(zip(names, await users(tmp_path / f"{key}.db"), strict=True))
        first = sample.hints[0]
        card = table.channel(people[first.who])
        assert "Start here" in card and first.paste in card and "No check is open" not in card
        for hint in sample.hints:
            assert f"     {hint.paste}" in table.lines
            told = table.paste(people[hint.who], hint.paste)
            assert not told["rejected"] and told["settlement"] == "settled", (
                hint.paste,
                told["diagnostics"],
            )
            assert told["command"] is not None and hint.paste.startswith(
                f"/{told['command']['invocation']}"
            )
            shown = table.channel(people[hint.who])
            assert "Nothing has changed." not in shown, hint.paste
            assert hint.paste not in shown or hint is first, "it is no message"
        typed = table.paste(people[first.who], "/chekc this")
        assert typed["command"] is None and not typed["rejected"], "what is no command is a message"
        odd = table.paste(people[first.who], "/initiative add who: a dog")
        assert odd["rejected"] and "Type /initiative add " in odd["diagnostics"][0]["remediation"]
        assert "a dog" not in table.channel(people[first.who])
        secret = table.paste(people[first.who], "/gm scene secret: the twin did it")
        assert secret["rejected"] and "Type /gm, and" in secret["diagnostics"][0]["remediation"]
        assert "the twin" not in table.channel(people[first.who])
        wrong = table.paste(people[first.who], "/check modifier: much")
        assert wrong["rejected"] and wrong["diagnostics"][0]["code"] == "command-option-invalid", (
            wrong
        )
        again = table.paste(people[first.who], "/chekc that")
        assert again["dispatched"] and not again["rejected"], (
            "what was refused stands in nobody's way"
        )
        assert table.stop(signal.SIGINT) == (0, "")


OPTIONS = (
    {"name": "as", "type": 3},
    {"name": "with", "type": 3},
    {"name": "mode", "type": 3, "choices": [{"name": "Combining dice", "value": "combine"}]},
    {"name": "reset", "type": 5},
    {"name": "to", "type": 6},
    {"name": "channel", "type": 7},
)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("", {}),
        ("as: Old Tom with: die: d6+1", {"as": "Old Tom", "with": "die: d6+1"}),
        ("with:fast, then slow   as:  Tom", {"with": "fast, then slow", "as": "Tom"}),
        ("mode: combining dice reset: true", {"mode": "combine", "reset": True}),
        ("reset: no", {"reset": False}),
        ("to: @Tilda", {"to": "7"}),
        ("to:<@7> reset: yes", {"to": "7", "reset": True}),
        ("channel: #The Ferry", {"channel": "9"}),
        ("channel: <#9>", {"channel": "9"}),
        ("over the wall", None),
        ("over the wall as: Tom", None),
        ("as: Tom as: Tim", None),
    ],
)
def test_options_are_read_from_one_line(text: str, read: dict[str, Any] | None) -> None:
    assert read_options(text, OPTIONS, {"tilda": "7"}, {"the ferry": "9"}) == read


def test_the_longest_command_is_the_one() -> None:
    assert read_line("/gm undo entry: 3 ", ("gm", "gm undo", "gm undone")) == (
        "gm undo",
        "entry: 3",
    )
    assert read_line("/gm", ("gm", "gm undo")) == ("gm", "")
    assert read_line("/gmx undo", ("gm", "gm undo")) is None
    assert read_options("all of it", ()) is None and read_options("", ()) == {}


def test_what_is_named_by_nothing_is_what_the_command_needs() -> None:
    roll = ({"name": "dice", "type": 3, "required": True}, *OPTIONS)
    assert read_options("4d6kh3", roll) == {"dice": "4d6kh3"}
    assert read_options("4d6 as: Old Tom", roll) == {"dice": "4d6", "as": "Old Tom"}
    assert read_options("4d6 dice: 3d6", roll) is None, "said twice"
    assert read_options("Tilda", ({"name": "to", "type": 6, "required": True},)) is None, (
        "a person is picked"
    )
    two = (
        {"name": "dice", "type": 3, "required": True},
        {"name": "name", "type": 3, "required": True},
    )
    assert read_options("4d6", two) is None, "which of the two"
    assert read_options("", roll) is None, "it takes dice"


@pytest.mark.slow
def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with running(tmp_path, "--port", str(port)) as table:
            assert table.process.wait(PATIENCE) == 2
            line = table.stop(signal.SIGTERM)[1]
    assert line.endswith(f"If port {port} is taken, name another with --port, or leave it out.\n")


@pytest.mark.slow
def test_a_table_is_played_once_at_a_time(tmp_path: Path) -> None:
    """The second is refused and changes nothing, its log included; after a kill -9 it starts at
    once.
    """
    with running(tmp_path) as table:
        table.wait_until_open()
        log = (tmp_path / "play.log").read_bytes()
        with running(tmp_path) as second:
            assert second.process.wait(PATIENCE) == 2
            line = second.stop(signal.SIGTERM)[1]
        assert line.startswith(
            f"{tmp_path / 'ebb.db'} is already open (process {table.process.pid} on "
        )
        assert line.endswith(
            "stop it with Ctrl-C, or choose another --table or --data. Nothing has changed.\n"
        )
        assert log and (tmp_path / "play.log").read_bytes().startswith(log)
        with closing(sqlite3.connect(tmp_path / "ebb.db")) as connection:
            assert connection.execute(
                "SELECT value FROM note WHERE key = ?", (STARTS_KEY,)
            ).fetchall() == [("1",)]
        table.process.kill()
        table.process.wait(PATIENCE)
        with running(tmp_path) as again:
            again.wait_until_open()
            assert again.lines[2].endswith(", as you left it: 4 characters, no open checks.")


@pytest.mark.slow
async def test_what_was_left_untold_is_told_below_the_scene(tmp_path: Path) -> None:
    with running(tmp_path) as table:
        table.wait_until_open()
        table.stop(signal.SIGTERM)
    jonas = (await propose(tmp_path / "ebb.db"))[1]
    await answer(tmp_path / "ebb.db", told=False)
    with running(tmp_path) as table:
        table.wait_until_open()
        messages = json.loads(table.channel(jonas))["messages"]
        shown = [json.dumps(messages[each]) for each in sorted(messages, key=int)]
        assert "shown below" in shown[0]
        assert any("against 10 (Tricky)" in each for each in shown[1:])
        table.stop(signal.SIGTERM)
    with closing(sqlite3.connect(tmp_path / "ebb.db")) as connection:
        noted = connection.execute(
            "SELECT COUNT(message) FROM outbox WHERE topic = 'card:c1'"
        ).fetchone()
    assert noted == (1,), "a later change of the check edits that one message"


@pytest.mark.slow
async def test_what_is_prepared_waits_in_the_channel(tmp_path: Path) -> None:
    """A check to roll, an order of action in phases and a complex action: done once, and found
    again.
    """
    for standing in ("new", "as you left it"):
        with running(tmp_path, "--table", "barmore") as table:
            table.wait_until_open()
            assert table.lines[2].endswith(f", {standing}: 2 characters, 1 open check.")
            assert any(line.endswith("make play TABLE=ebb") for line in table.lines)
            shown = table.channel((await users(tmp_path / "barmore.db"))[1])
            assert "across between the ice plates" in shown
            assert "Initiative" in shown and "/odds check: c1" in shown
            assert "Bring the lock keeper through the fever" in shown and '"Roll on"' in shown
            assert table.stop(signal.SIGINT) == (0, "")
        assert "ERROR" not in (tmp_path / "play.log").read_text(encoding="utf-8")


def test_a_hint_about_a_check_that_is_over_is_not_given() -> None:
    sample = load_sample("barmore")
    first, second, *_ = sample.hints

    def table(*checks: Any) -> Any:
        return SimpleNamespace(state=SimpleNamespace(checks={each.id: each for each in checks}))

    assert _next_hint(sample, table()) is first
    over = SimpleNamespace(id="c1", is_open=False)
    assert _next_hint(sample, table(over)) is second


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ({"type": 3, "choices": [{"name": "here"}]}, "Choose here"),
        (
            {"type": 3, "choices": [{"name": "here"}, {"name": "thread"}, {"name": "post"}]},
            "Choose here, thread or post",
        ),
        ({"type": 3, "max_length": 1500}, "Write 1 to 1,500 characters"),
        ({"type": 4, "min_value": 1}, "Write a whole number, 1 or more"),
        ({"type": 10, "min_value": -2, "max_value": 9}, "Write a number from -2 to 9"),
        ({"type": 4}, "Write a whole number"),
    ],
)
def test_a_refused_option_says_what_it_takes(option: dict[str, Any], hint: str) -> None:
    assert option_hint({"name": "where", **option}) == hint


@pytest.mark.slow
async def test_a_refused_command_is_told_on_the_page(tmp_path: Path) -> None:
    with running(tmp_path) as table:
        table.wait_until_open()
        gm, _, _ = await users(tmp_path / "ebb.db")
        for line, words in (
            ("/table pace pace: warp", "a part of the command is missing or unknown. Type /table"),
            ("/gm amend entry: -1", "entry can't be “-1”. Write a whole number, 1 or more."),
            (
                "/scene start title: The ferry where: nowhere",
                "where can't be “nowhere”. Choose here, thread or post.",
            ),
            ("/scene start title: Q who:", "who can't be “”. Write 1 to"),
            (f"/scene start title: {'x' * 200}", f"title can't be “{'x' * 30}…”. Write 1 to"),
            ("/scene move to: nowhere", "to can't be “nowhere”. Write the name of a place"),
        ):
            told = table.paste(gm, line)
            assert told["rejected"], line
            (reason,) = told["diagnostics"]
            said = f"{reason['message']} {reason['remediation']}"
            assert reason["category"] == "command" and words in said, said
            assert line not in table.channel(gm), "nobody reads it"
        assert table.stop(signal.SIGTERM) == (0, "")


@pytest.mark.slow
def test_a_taken_port_is_told_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with running(tmp_path, "--port", str(port)) as table:
            assert table.process.wait(PATIENCE) == 2
            assert table.process.stderr is not None
            (line,) = table.process.stderr.read().splitlines()
        assert str(port) in line
    with closing(sqlite3.connect(tmp_path / f"{sample_keys()[0]}.db")) as connection:
        assert connection.execute("SELECT COUNT(*) FROM game_table").fetchone() == (0,), (
            "the next start begins"
        )


def test_an_unknown_table_is_told_with_the_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", "--table", "nowhere", "--data", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "'nowhere'" in line
    assert "ebb" in line
    assert list(tmp_path.iterdir()) == []


def test_without_the_simulation_a_line_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "simcord", None)
    assert main(["play", "--data", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "make play" in line


def test_a_folder_that_cannot_be_made_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert main(["play", "--data", str(tmp_path / "file")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "Can't use the folder" in line
