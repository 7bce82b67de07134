"""Cards for /table doctor: which rights are missing where, and what could not be delivered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.presenters.controls import Button
from bot.presenters.layout import Heading, Layout, Piece, laid
from bot.presenters.table import place_text
from bot.presenters.text import listing, plural
from bot.presenters.words import say
from rules.table.events import Line

#: Discord's codes in words.
_CODES: Final[dict[str, str]] = {
    "50001": "the bot may not see the channel",
    "50013": "the bot lacks a right in the channel",
    "10003": "the channel is gone",
    "10004": "the server is gone",
    "10008": "the message is gone",
    "50007": "the person takes no messages from the bot",
    "50024": "a channel of that kind takes no such message",
}


@dataclass(frozen=True, slots=True)
class PlaceCheck:
    """A channel: whether it is there, what the bot lacks (`lacking`, as Discord calls it), and whether it may pin."""

    place: str
    there: bool
    lacking: tuple[str, ...] = ()
    pins: bool = True


@dataclass(frozen=True, slots=True)
class Undelivered:
    """Something that could not be sent. `error` is as noted; `refused`: Discord does not take it as things are;
    `later`: that is tried again by itself all the same."""

    place: str
    error: str
    refused: bool
    later: bool = False


@dataclass(frozen=True, slots=True)
class Permissions:
    """All that was found. `gm_place` is None without a GM channel; `leak` says what makes that one unfit, and whom
    it lets in. `undelivered` is None for somebody who may not know."""

    places: tuple[PlaceCheck, ...]
    gm_place: PlaceCheck | None
    leak: tuple[str, str] | None
    undelivered: tuple[Undelivered, ...] | None


def _place_line(check: PlaceCheck) -> str:
    where = place_text(check.place)
    if not check.there:
        return f"- {where}: **not there, or the bot may not see it.** Restore it, or use `/gm unbind`."
    if check.lacking:
        return f"- {where}: **missing: {listing(check.lacking)}.** Allow it in the channel's settings."
    if not check.pins:
        return f"- {where}: all is well; without Pin Messages the order of action is not pinned."
    return f"- {where}: all is well."


def _why(error: str) -> str:
    kind, _, code = error.rpartition(" ")
    return _CODES.get(
        code, f"Discord refused it ({code})" if code not in ("", "0") else f"no answer ({kind})"
    )


_LATER: Final = "; it is tried again by itself within a day, or as soon as the rights change"
_NEVER: Final = "; nobody tries again by itself"


def _waiting(rows: Sequence[Undelivered]) -> list[str]:
    counted: dict[tuple[str, str, str], int] = {}
    for row in rows:
        tail = "" if not row.refused else _LATER if row.later else _NEVER
        key = (row.place, row.error, tail)
        counted[key] = counted.get(key, 0) + 1
    lines: list[str] = []
    for (place, error, tail), count in counted.items():
        why = _why(error) if error else "on its way, or for somebody who has not been back"
        lines.append(f"- {plural(count, 'message')} for {place_text(place)}: {why}{tail}.")
    return lines


def permissions_card(table_id: int, found: Permissions) -> Layout:
    """The findings, the verdict first, with a button where something waits that was refused."""
    ill = [check for check in found.places if not check.there or check.lacking]
    lines: list[str | Piece] = [Heading("Where the table is played"), *map(_place_line, found.places)]
    unfit = found.leak is not None or (found.gm_place is not None and bool(found.gm_place.lacking))
    if found.gm_place is not None:
        lines += [Heading("GM channel"), _place_line(found.gm_place)]
        if found.leak is None:
            lines.append("- Only the GMs can read it.")
        elif found.undelivered is None:
            lines.append("- It is not fit for secrets as it is: a GM should look here.")
        else:
            kind, whom = found.leak
            lines.append(f"- {say(Line(f'gm-channel-{kind}', {'whom': whom}))}")
    waiting = found.undelivered or ()
    if found.undelivered is not None:
        lines += [Heading("Not delivered"), *(_waiting(waiting) or ["- Nothing waits."])]
    again = sum(row.refused for row in waiting)
    well = not ill and not unfit and not again
    rows = ((Button(f"sg:deliver:{table_id}", "Try again", "primary"),),) if again else ()
    title = "All is well" if well else "Something is missing"
    return laid("own", title, *lines, rows=rows)
