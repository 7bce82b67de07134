"""The list of everything that a table waits for, as one reader may know it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from bot.presenters.catalog_cards import card
from bot.presenters.checks.lists import wait_times
from bot.presenters.language.text import Markdown
from bot.presenters.language.words import phrase, say
from bot.presenters.layout import Layout
from rules.table.blocks import Text
from rules.table.waits.agenda import Wait

#: Most lines of the list.
_MAX_LINES: Final = 25


def waiting_card(
    waits: Sequence[Wait], links: Mapping[str, str], unnamed: Collection[str], *, gm: bool
) -> Layout:
    """Return a line for each wait, the oldest first.

    `links` are the web addresses of checks' messages, by check id. `unnamed` are the reader's place
    and those that the reader can't view, such as the thread of a whisper scene that they have left.
    Only GMs read which waits have stalled.
    """
    lines = [_wait_line(wait, links, unnamed, gm=gm) for wait in waits[:_MAX_LINES]]
    if len(waits) > _MAX_LINES:
        lines.append(f"-# {phrase('more-waits', count=len(waits) - _MAX_LINES)}")
    body = ["\n".join(lines)] if lines else []
    return card("own", "table-waiting", None, *body, count=len(waits) or None)


def _wait_line(wait: Wait, links: Mapping[str, str], unnamed: Collection[str], *, gm: bool) -> str:
    link = None
    if wait.check in links:
        show = say(Text("check-show", {"short": True}))
        link = Markdown(f"[{show}]({links[wait.check]})")
    about = {
        "who": wait.who,
        "gms": wait.gms,
        "about": _about(wait),
        "place": "" if wait.place in unnamed else wait.place,
        "times": Markdown(wait_times([wait])),
        "stalled": gm and wait.stalled,
        "link": link,
    }
    return say(Text("wait-line", about))


def _about(wait: Wait) -> Text:
    """Return what is to be decided, without a check's actor who alone is waited for."""
    params = wait.about.params
    alone = bool(wait.check) and not wait.gms
    if alone and wait.who == (params.get("actor"),):
        return Text(wait.about.code, {**params, "actor": None})
    return wait.about
