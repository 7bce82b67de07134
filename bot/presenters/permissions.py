"""Cards for /table doctor: which rights are missing where, and what could not be delivered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bot.presenters.cards import card
from bot.presenters.controls import Button
from bot.presenters.layout import Heading, Layout, Piece
from bot.presenters.words import phrase, say
from rules.table.blocks import Value
from rules.table.events import Line


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
    return phrase("place-checked", about=check)


def _waiting(rows: Sequence[Undelivered]) -> list[str]:
    alike = Counter((row.place, row.error, row.refused, row.refused and row.later) for row in rows)
    return [
        phrase("undelivered", place=place, count=count, refused=refused, later=later, **_why(error))
        for (place, error, refused, later), count in alike.items()
    ]


def _why(error: str) -> dict[str, Value]:
    """What was noted of an error, taken apart: the kind of failure, and Discord's code where it gave one."""
    kind, _, code = error.rpartition(" ")
    return {"error": error, "kind": kind, "code": "" if code == "0" else code}


def permissions_card(table_id: int, found: Permissions) -> Layout:
    """The findings, the verdict first, with a button where something waits that was refused."""
    ill = [check for check in found.places if not check.there or check.lacking]
    lines: list[str | Piece] = list(map(_place_line, found.places))
    unfit = found.leak is not None or (found.gm_place is not None and bool(found.gm_place.lacking))
    if found.gm_place is not None:
        lines += [Heading("GM channel"), _place_line(found.gm_place)]
        if found.leak is None:
            lines.append("- Only the GMs can read it.")
        elif found.undelivered is None:
            lines.append("- It isn't safe for secrets: a GM should look here.")
        else:
            kind, whom = found.leak
            lines.append(f"- {say(Line(f'gm-channel-{kind}', {'whom': whom}))}")
    waiting = found.undelivered or ()
    if found.undelivered is not None:
        lines += [Heading("Not delivered"), *(_waiting(waiting) or ["- Nothing."])]
    again = sum(row.refused for row in waiting)
    well = not ill and not unfit and not again
    rows = ((Button(f"sg:deliver:{table_id}", "Try again", "primary"),),) if again else ()
    return card("own", "permissions", None, *lines, rows=rows, well=well)
