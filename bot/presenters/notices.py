"""Messages to single users: reminders by direct message, morning lists, and who comes next."""

from __future__ import annotations

from collections.abc import Sequence

from bot.presenters.controls import Button
from bot.presenters.language.limits import CONTENT, clip
from bot.presenters.language.text import Markdown, name_text
from bot.presenters.language.words import label_text, phrase
from bot.presenters.layout import Layout, rows_of
from bot.presenters.names import people_mentions
from bot.presenters.scene import Scene
from rules.core.record import Record
from rules.table.events import BoardChanged
from rules.table.waits.agenda import Wait

#: Most lines of a list, and most letters of a table's name in it.
_MAX_LINES = 10
_NAME_LENGTH = 60


class UserWaits(Record):
    """The waits of one user at one table, as a message to the user may name them."""

    #: Name of the table.
    table: str
    #: Web address of a place of the table; empty if there is none.
    url: str
    waits: tuple[Wait, ...]


def show_moves_button(notice: int) -> Button:
    """Return the button of a notice that shows its user what waits.

    Its id names the notice, by which a message is found again.
    """
    return Button(f"sg:notice:{notice}", label_text("notice-show"), "primary")


def direct_test_card(notice: int) -> Layout:
    """Return the first direct message to a user, who asked for it."""
    return Layout("own", rows_of(((show_moves_button(notice),),)), call=phrase("notify-works"))


def nudge_card(notice: int, found: Sequence[UserWaits]) -> Layout:
    """Return the reminder that a user gets by direct message.

    A lock screen may show it, so it names the table, the character and the kind of the wait.
    """
    return _list_card(notice, found, again=True)


def morning_card(notice: int, found: Sequence[UserWaits]) -> Layout:
    """Return the list of what waits for a user, as a direct message."""
    return _list_card(notice, found, again=False)


def morning_line(notice: int, user: int, waits: Sequence[Wait]) -> Layout:
    """Return the list of what publicly waits for a user in a channel, where all can read it."""
    what = [_wait_text(wait) for wait in waits[:_MAX_LINES]]
    text = phrase(
        "notice-morning-line", user=Markdown(f"<@{user}>"), what=tuple(map(Markdown, what))
    )
    rows = rows_of(((show_moves_button(notice),),))
    return Layout("open", rows, call=clip(text, CONTENT), mentions=(user,))


def next_turn_card(event: BoardChanged, who: str, scene: Scene) -> Layout:
    """Return the silent ping of the player whose character comes next."""
    called = people_mentions(scene.names, (who,))
    text = phrase("notice-next", who=Markdown(called.text), name=event.after)
    return Layout("waiting", (), call=text, mentions=called.users)


def _list_card(notice: int, found: Sequence[UserWaits], *, again: bool) -> Layout:
    lines = [f"- {_line(at, wait)}" for at in found for wait in at.waits]
    count = len(lines)
    head = phrase("notice-head", count=count, again=again)
    shown = lines[:_MAX_LINES]
    if count > _MAX_LINES:
        shown.append(f"-# {phrase('more-to-do', count=count - _MAX_LINES)}")
    text = "\n".join((head, *shown))
    return Layout("open", rows_of(((show_moves_button(notice),),)), call=clip(text, CONTENT))


def _line(at: UserWaits, wait: Wait) -> str:
    table = Markdown(name_text(clip(at.table, _NAME_LENGTH)))
    what = Markdown(_wait_text(wait))
    return phrase("notice-line", table=table, url=Markdown(at.url), what=what)


def _wait_text(wait: Wait) -> str:
    """Return what waits: its kind, and the characters that decide. Nothing of its contents."""
    names = tuple(ref.name for ref in wait.who if ref.name)
    return phrase("notice-wait", kind=wait.kind, who=names)
