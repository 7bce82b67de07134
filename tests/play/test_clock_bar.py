"""The clock bar of the local table's page: time passes, and what falls due happens on the way."""

from __future__ import annotations

import json
import re
import signal
import urllib.error
import urllib.request
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from bot.clock_bar.local_clock import LocalClock
from bot.clock_bar.page import _note
from tests.play.test_play import PATIENCE, Running, running, users

DAY = 86400
HOUR = 3600
PROPOSAL = "/check skill: Climbing attribute: Fitness approach: over the wet concrete"


def press(table: Running, capability: str | None = None, **body: Any) -> dict[str, Any]:
    """Send what a button of the clock bar sends; return what the bar shows then."""
    base, _, known = table.url.partition("#")
    head = {"X-Simcord-Capability": capability or known, "Content-Type": "application/json"}
    data = json.dumps({"kind": "clock", **body}).encode()
    request = urllib.request.Request(f"{base}api/action", data, head)
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


def static(table: Running, name: str) -> tuple[str, str]:
    """Return the type and the text of one of the page's files."""
    base = table.url.partition("#")[0]
    with urllib.request.urlopen(f"{base}{name}", timeout=PATIENCE) as answer:
        return answer.headers.get_content_type(), answer.read().decode()


@pytest.mark.slow
async def test_reminders_fall_as_the_clock_moves_and_it_never_goes_back(tmp_path: Path) -> None:
    with running(tmp_path) as table:
        table.wait_until_open()
        gm, player, _ = await users(tmp_path / "ebb.db")
        began = press(table)
        assert began["next"] is None and began["note"] == "No reminder or deadline ahead."
        assert press(table, next=True)["now"] - began["now"] < HOUR, "there is nothing to move to"
        table.paste(player, PROPOSAL)
        asked = press(table)
        assert asked["next"] == pytest.approx(asked["now"] + DAY, abs=5)
        assert "reminder: your call on Vesna" not in table.channel(gm)

        later = press(table, seconds=12 * HOUR)
        assert later["now"] == pytest.approx(asked["now"] + 12 * HOUR, abs=5)
        assert later["next"] == asked["next"]
        assert later["note"].startswith("Next reminder or deadline in 1"), "12 hours, or just less"
        reminded = press(table, next=True)
        assert reminded["now"] == pytest.approx(asked["next"], abs=5)
        assert "reminder: your call on Vesna" in table.channel(gm)
        assert reminded["next"] > reminded["now"], "the next reminder waits"
        week = press(table, seconds=7 * DAY)
        assert week["now"] == pytest.approx(reminded["now"] + 7 * DAY, abs=5)
        assert table.stop(signal.SIGTERM) == (0, "")
    assert "ERROR" not in (tmp_path / "play.log").read_text(encoding="utf-8")

    with running(tmp_path) as table:
        table.wait_until_open()
        assert press(table)["now"] >= week["now"], "a restart keeps the table's time"
        assert table.stop(signal.SIGTERM) == (0, "")


@pytest.mark.slow
def test_the_page_loads_the_bar_and_refuses_strangers(tmp_path: Path) -> None:
    with running(tmp_path) as table:
        table.wait_until_open()
        kind, page = static(table, "")
        assert kind == "text/html"
        for file in ("bars.css", "clock-bar.css", "place-bar.css", "clock-bar.js", "place-bar.js"):
            assert page.count(f"/{file}") == 1
        assert static(table, "clock-bar.js")[0] == "application/javascript"
        for file in ("bars.css", "clock-bar.css"):
            kind, style = static(table, file)
            assert kind == "text/css" and "@media (max-width: 760px)" in style
        with pytest.raises(urllib.error.HTTPError, match="401"):
            press(table, capability="guessed", seconds=HOUR)
        began = press(table)
        for odd in (-HOUR, 10**12, "3600", None, 1.5, True):
            assert press(table, seconds=odd)["now"] - began["now"] < 10
        assert table.stop(signal.SIGTERM) == (0, "")


def test_the_bar_looks_anew_after_the_pages_own_acts() -> None:
    """The page sends its acts where the bar listens: through the page's `fetch`, to this path."""
    page = (files("simcord.preview") / "static" / "transport.js").read_text(encoding="utf-8")
    bar = (files("bot.clock_bar") / "clock-bar.js").read_text(encoding="utf-8")
    (path,) = re.findall(r'const ACTIONS = ("[^"]+");', bar)
    assert f"await fetch({path}, {{ method" in page and f"request({path}, " in page
    assert "window.fetch = async" in bar and "if (resource === ACTIONS)" in bar


def test_a_clock_without_a_simulation_is_ahead_of_the_machine() -> None:
    clock = LocalClock(2 * DAY)
    assert clock() - LocalClock()() == pytest.approx(2 * DAY, abs=2)
    clock.keep_pace()


@pytest.mark.parametrize(
    ("due", "words"),
    [
        (None, "No reminder or deadline ahead."),
        (100, "A reminder or deadline is due."),
        (100 + 90, "Next reminder or deadline in 1 minute and 30 seconds."),
        (100 + 3 * HOUR + 59, "Next reminder or deadline in 3 hours."),
    ],
)
def test_the_bar_says_what_comes_next(due: int | None, words: str) -> None:
    assert _note(due, 100) == words


def test_a_phone_folds_parts_that_the_page_has() -> None:
    """Another release of simcord may rename the parts of its page."""
    style = (files("bot.clock_bar") / "phone-bars.css").read_text(encoding="utf-8")
    page = (files("simcord") / "preview/static/index.html").read_text(encoding="utf-8")
    own = {"fold-button", "tools-open", "table-bars"}
    for kind, name in re.findall(r"([#.])([a-z]+-[a-z-]+|toolbar)\b(?=[^{}]*\{)", style):
        if name not in own:
            said = f'id="{name}"' if kind == "#" else f'class="[^"]*\\b{name}\\b'
            assert re.search(said, page), name
    sheet = (files("simcord") / "preview/static/preview.css").read_text(encoding="utf-8")
    assert "--toolbar-height: 112px" in sheet and "height: var(--toolbar-height)" in sheet
