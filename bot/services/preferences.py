"""Users' wishes about notices: when, where and how often the bot may reach them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from datetime import timedelta
from typing import Final, Literal

from bot.storage.codec import decoder, encode_text
from bot.storage.notice_rows import NoticeStore
from bot.time_zones import find_zone, local_date, local_minute, offset_at, time_of_local
from rules.core.errors import InvalidInput, NotFound, RulesError
from rules.core.record import Record
from rules.table.times.typed_rest import parse_time

#: Way in which a call or a reminder reaches a user:
#:
#: - `loud`: a message that pings; `silent`: the same without a sound.
#: - `dm`: a direct message. `morning`: the list at the end of the user's quiet hours.
#: - `none`: nothing; the user looks into `/moves`.
Way = Literal["loud", "silent", "dm", "morning", "none"]

#: Value of `Preference.nudge` of a user who wants no reminders.
NEVER: Final = -1
#: Default of `Preference.most`.
DEFAULT_PINGS: Final = 6
#: Most that `Preference.most` and `Preference.nudge` can be.
MAX_PINGS: Final = 50
MAX_NUDGE: Final = 14 * 24
#: Minute of the day at which the morning list comes without quiet hours.
MORNING: Final = 8 * 60
#: Seconds over which the morning lists of all users are spread.
MORNING_SPREAD: Final = 600
_HOUR: Final = 3600
_UTC: Final = "UTC"


class Preference(Record):
    """The wishes of one user, at all tables."""

    #: Name of a time zone, such as `Europe/Berlin`; empty: UTC.
    zone: str = ""
    #: Quiet hours, in minutes of the user's day: beginning and end. Equal: none.
    quiet: tuple[int, int] = (0, 0)
    #: Where reminders go: the channel, a direct message, or nowhere but `/moves`.
    how: Literal["here", "dm", "list"] = "here"
    #: Fewest hours between a call and a reminder; 0: as the table has it; `NEVER`: no reminders.
    nudge: int = 0
    #: Whether reminders come one by one, or as one list each morning.
    bundle: Literal["each", "morning"] = "each"
    #: Whether the user is told when the turn before theirs begins.
    next: bool = False
    #: Most loud messages in one of the user's days.
    most: int = DEFAULT_PINGS
    #: Id of the channel for direct messages, once a test has arrived there.
    dm: str = ""
    #: A direct message was refused since the user last chose where reminders go.
    refused: bool = False


_decode: Final = decoder(Preference).decode


async def load_preference(store: NoticeStore, user: str) -> Preference:
    """Return the wishes of a user."""
    return (await load_preferences(store, (user,)))[user]


async def load_preferences(store: NoticeStore, users: Iterable[str]) -> dict[str, Preference]:
    """Return the wishes of each of these users."""
    wanted = tuple(dict.fromkeys(users))
    stored = await store.preferences(wanted)
    return {user: read_preference(stored.get(user)) for user in wanted}


async def has_preference(store: NoticeStore, user: str) -> bool:
    """Return whether a user has stated wishes."""
    return user in await store.preferences((user,))


def read_preference(text: str | None) -> Preference:
    """Return wishes from their stored form; None: the user has stated none."""
    return Preference() if text is None else _decode(text)


async def save_preference(store: NoticeStore, user: str, preference: Preference) -> None:
    """Store the wishes of a user."""
    await store.save_preference(user, encode_text(preference))


# --- the user's day -------------------------------------------------------------------------------


def zone_of(preference: Preference) -> str:
    """Return the user's time zone; UTC if this machine doesn't know the zone any more."""
    if not preference.zone:
        return _UTC
    try:
        offset_at(preference.zone, 0)
    except NotFound:
        return _UTC
    return preference.zone


def is_quiet(preference: Preference, at: int) -> bool:
    """Return whether a time, in seconds since 1970, is in the user's quiet hours."""
    begin, end = preference.quiet
    minute = local_minute(zone_of(preference), at)
    if begin <= end:
        return begin <= minute < end
    return minute >= begin or minute < end


def day_start(preference: Preference, at: int) -> int:
    """Return the beginning of the user's day, in seconds since 1970."""
    zone = zone_of(preference)
    return time_of_local(zone, local_date(zone, at), 0)


def next_morning(preference: Preference, user: str, at: int) -> tuple[str, int]:
    """Return the date and the time of the user's next morning list after *at*.

    Lists of users with the same quiet hours are spread over `MORNING_SPREAD` seconds.
    """
    begin, end = preference.quiet
    minute = end if begin != end else MORNING
    zone = zone_of(preference)
    date = local_date(zone, at)
    spread = zlib.crc32(user.encode()) % MORNING_SPREAD
    while (begins := time_of_local(zone, date, minute)) <= at:
        date += timedelta(days=1)
    return date.isoformat(), begins + spread


# --- decisions ------------------------------------------------------------------------------------


def call_way(preference: Preference, at: int, pings: int) -> Way:
    """Return how a first call reaches a user, who has had so many *pings* today.

    A first call is never dropped: where it may not sound, it is silent.
    """
    may_sound = preference.how != "list" and preference.bundle == "each"
    if may_sound and not is_quiet(preference, at) and pings < preference.most:
        return "loud"
    return "silent"


def reminder_way(preference: Preference, at: int, since: int, pings: int) -> Way:
    """Return how a reminder of what a user was called for at *since* reaches the user."""
    if preference.nudge == NEVER or preference.how == "list":
        return "none"
    if at - since < preference.nudge * _HOUR:
        return "none"
    if preference.bundle == "morning":
        return "morning"
    quiet = is_quiet(preference, at)
    if preference.how == "dm" and preference.dm:
        return "morning" if quiet else "dm"
    return "silent" if quiet or pings >= preference.most else "loud"


# --- what users type ------------------------------------------------------------------------------


def parse_zone(typed: str) -> str:
    """Return the name of a time zone; empty for none.

    Raises InvalidInput("notify-unknown-zone") with the nearest zones.
    """
    if not typed.strip():
        return ""
    try:
        return find_zone(typed)
    except RulesError as error:
        near = error.params.get("allowed") or error.params.get("nearest")
        nearest = near[:3] if isinstance(near, tuple) else ()
        raise InvalidInput(
            "notify-unknown-zone", field="zone", value=typed[:60], nearest=nearest
        ) from None


def parse_minute(typed: str, field: str) -> int:
    """Return a time of the day such as `22:30` or `9 pm`, in minutes.

    Raises InvalidInput("notify-bad-time"), or ("notify-time-missing") for an empty text.
    """
    if not typed.strip():
        raise InvalidInput("notify-time-missing", field=field, value=None)
    try:
        return parse_time(typed, field)
    except InvalidInput:
        raise InvalidInput("notify-bad-time", field=field, value=typed[:60]) from None


def clock_text(minute: int) -> str:
    """Return a minute of the day as a clock has it: `22:30`."""
    return f"{minute // 60:02}:{minute % 60:02}"
