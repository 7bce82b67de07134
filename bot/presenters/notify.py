"""The panel of `/notify`: a user's wishes about calls, reminders and direct messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from bot.presenters.catalog_cards import card
from bot.presenters.controls import Button, Input, Modal, Option, Rows, Select
from bot.presenters.language.words import label_text, phrase
from bot.presenters.layout import Layout
from bot.services.preferences import NEVER, Preference, clock_text

#: Choices of the menus. A value that a user has besides is added.
_NUDGES: Final = (0, 4, 8, 12, 24, 48, NEVER)
_MOST: Final = (0, 1, 2, 3, 4, 6, 8, 10, 15, 20, 50)
_PLACES: Final = ("here", "dm", "list")
#: Button that opens the dialog for the time zone and the quiet hours.
TIMES_ID: Final = "sg:notify:times"
#: Most letters of a zone and of a time in that dialog.
_MAX_ZONE: Final = 60
_MAX_TIME: Final = 10


def notify_card(preference: Preference, *, said: str = "") -> Layout:
    """Return the panel with a user's wishes. *said* tells what has just happened."""
    begin, end = preference.quiet
    quiet = begin != end
    return card(
        "own",
        "notify",
        None,
        *([phrase("notify-said", what=said)] if said else []),
        rows=_rows(preference),
        zone=preference.zone or "UTC",
        quiet_from=clock_text(begin) if quiet else None,
        quiet_to=clock_text(end) if quiet else None,
        how=preference.how,
        nudge=max(preference.nudge, 0),
        never=preference.nudge == NEVER,
        morning=preference.bundle == "morning",
        next=preference.next,
        most=preference.most,
        works=bool(preference.dm),
        refused=preference.refused,
    )


def _rows(preference: Preference) -> Rows:
    """Return the menus and buttons that change the wishes."""
    lists = preference.bundle == "morning"
    bundle, following = "each" if lists else "morning", "off" if preference.next else "on"
    nudges = [str(hours) for hours in _with(_NUDGES, preference.nudge)]
    most = [str(count) for count in _with(_MOST, preference.most)]
    return (
        (_menu("how", label_text("notify-how"), _PLACES, preference.how),),
        (_menu("nudge", label_text("notify-nudge"), nudges, str(preference.nudge)),),
        (_menu("most", label_text("notify-most"), most, str(preference.most)),),
        (
            Button(TIMES_ID, label_text("notify-times")),
            Button(f"sg:notify:bundle:{bundle}", label_text("notify-bundle", lists=lists)),
            Button(f"sg:notify:next:{following}", label_text("notify-next", on=preference.next)),
            Button("sg:notify:test", label_text("notify-test"), "primary"),
        ),
    )


def _with(choices: Iterable[int], own: int) -> list[int]:
    """Return the choices with a user's own value, in their order."""
    known = list(choices)
    if own in known:
        return known
    return sorted([*known, own], key=lambda hours: (hours == NEVER, hours))


def _menu(field: str, label: str, values: Iterable[str], present: str) -> Select:
    options: list[Option] = []
    for value in values:
        count = int(value) if value.isdecimal() else 0
        about = label_text("notify-choice", field=field, value=value, count=count)
        options.append(Option(value, about, default=value == present))
    return Select(f"sg:notify:{field}", label, tuple(options))


def times_dialog(preference: Preference, typed: Mapping[str, str] | None = None) -> Modal:
    """Return the dialog for the time zone and the quiet hours.

    `typed` is what was typed before into its fields, and refused.
    """
    begin, end = preference.quiet
    texts = ("", "") if begin == end else (clock_text(begin), clock_text(end))
    zone = preference.zone
    if typed is not None:
        zone, texts = typed["zone"], (typed["from"], typed["to"])
    hour = label_text("notify-hour-hint")
    return Modal(
        "sg:notify:save",
        label_text("notify-times-title"),
        (
            Input(
                "zone",
                label_text("notify-zone"),
                zone,
                "Europe/Berlin",
                required=False,
                most=_MAX_ZONE,
                about=label_text("notify-zone-hint"),
            ),
            Input(
                "from", label_text("notify-from"), texts[0], "22:00", required=False, most=_MAX_TIME
            ),
            Input(
                "to",
                label_text("notify-to"),
                texts[1],
                "08:00",
                required=False,
                most=_MAX_TIME,
                about=hour,
            ),
        ),
    )
