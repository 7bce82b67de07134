"""The clock bar of the local table's page, its requests, and the files of both bars."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar, Final

from simcord.preview._server import PreviewServer

from bot.clock_bar.local_clock import LocalClock
from bot.presenters.language.text import duration

if TYPE_CHECKING:
    import simcord
    from aiohttp.web import Request, Response

    from bot.app import Storyguide
    from bot.storage.store import Store

#: Kind of the page's actions that the clock bar sends.
_KIND: Final = "clock"
#: Longest move in seconds: a press of the longest button, or the longest reminder.
_LONGEST_MOVE: Final = 100 * 86400
#: Attempts to move on while the bot is still at work on what fell due.
_ATTEMPTS: Final = 5
#: Files of the bars, as the page loads them. The clock stands above the place bar.
_STYLES: Final = ("bars.css", "phone-bars.css", "clock-bar.css", "place-bar.css")
_SCRIPTS: Final = ("phone-bars.js", "clock-bar.js", "place-bar.js")
#: Types of these files by their paths.
_TYPES: Final = {
    **{f"/{name}": "text/css" for name in _STYLES},
    **{f"/{name}": "application/javascript" for name in _SCRIPTS},
}
#: End of the page's head, with the files of the bars.
_HEAD: Final = "".join(
    (
        *(f'<link rel="stylesheet" href="/{name}">' for name in _STYLES),
        *(f'<script type="module" src="/{name}"></script>' for name in _SCRIPTS),
        "</head>",
    )
)


class BarServer(PreviewServer):
    """Server of the page, with the files of the clock bar and the place bar."""

    _STATIC_FILES: ClassVar[dict[str, str]] = {
        **PreviewServer._STATIC_FILES,
        **dict.fromkeys(_TYPES, ""),
    }

    async def _static(self, request: Request) -> Response:
        kind = _TYPES.get(request.path)
        # Every request is checked where the page's own files are checked.
        original = request.clone(rel_url="/") if kind else request
        response = await super()._static(original)
        if kind:
            path = files("bot.clock_bar") / request.path.removeprefix("/")
            response.content_type = kind
            response.text = path.read_text(encoding="utf-8")
        elif request.path == "/":
            response.text = response.text.replace("</head>", _HEAD, 1)
        return response


def add_bars(preview: simcord.Preview, port: int) -> None:
    """Have the page load the clock bar and the place bar; before the page is opened."""
    preview._server = BarServer(preview, port)


def accept_clock_moves(preview: simcord.Preview, bot: Storyguide, clock: LocalClock) -> None:
    """Have the page's actions of the clock bar move the clock.

    All other actions go on to the page, one at a time with the moves.
    """
    act = preview._action

    async def action(context_id: str | None, body: Any) -> dict[str, Any]:
        async with clock.lock:
            if isinstance(body, Mapping) and body.get("kind") == _KIND:
                return await _clock_answer(preview, bot, clock, body)
            return await act(context_id, body)

    preview._action = action


async def _clock_answer(
    preview: simcord.Preview, bot: Storyguide, clock: LocalClock, body: Mapping[str, Any]
) -> dict[str, Any]:
    """Move the clock as a press of the clock bar says, and return where it stands."""
    store = bot.tables.store
    due = await _next_event(store)
    seconds = body.get("seconds")
    target = clock()
    if body.get("next") is True and due is not None:
        # A timer that is due at a whole second runs within that second.
        target = max(due, target) + 1
    elif isinstance(seconds, int) and 0 < seconds <= _LONGEST_MOVE:
        target += seconds
    if target > clock():
        await _move(preview, clock, target, bot)
        due = await _next_event(store)
    return {"now": clock(), "next": due, "note": _note(due, clock())}


async def _next_event(store: Store) -> int | None:
    """Return when the next deadline ends or the next reminder is sent; None without any."""
    times = (await store.next_due(), await store.next_notice())
    return min((time for time in times if time is not None), default=None)


async def _move(preview: simcord.Preview, clock: LocalClock, target: int, bot: Storyguide) -> None:
    for attempt in range(_ATTEMPTS):
        try:
            await clock.move(target, bot.tables.store)
            break
        except TimeoutError:
            if attempt == _ATTEMPTS - 1:
                raise
            await asyncio.sleep(1)
    preview.capture_time = preview.env.now()
    await preview.refresh()


def _note(due: int | None, now: int) -> str:
    """Return what the clock bar says of the next reminder or deadline."""
    if due is None:
        return "No reminder or deadline ahead."
    if due <= now:
        return "A reminder or deadline is due."
    # From two hours on, seconds say nothing.
    left = due - now
    rounded = left - left % 60 if left >= 7200 else left
    return f"Next reminder or deadline in {duration(rounded)}."
