"""Calls by how each called user wants to hear of them: loud, silent, or in another way.

What was decided for a call is a row of `notice` for each user, written before the call is sent. So
a call that is sent again after a crash is the same, and the rows are what counts in the budget.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar, cast, get_args

import discord

from bot.clock import Clock
from bot.delivery.table_scene import scene_of
from bot.presenters.events import event_call_card
from bot.presenters.layout import Layout, rows_of
from bot.presenters.notices import next_turn_card
from bot.presenters.render import to_messages
from bot.presenters.scene import Scene
from bot.presenters.story import catch_up_button
from bot.services.catch_up import has_been_away
from bot.services.loaded_table import Table
from bot.services.preferences import (
    Preference,
    Way,
    call_way,
    day_start,
    is_quiet,
    load_preferences,
    next_morning,
    reminder_way,
)
from bot.services.tables import Tables
from bot.services.user_waits import called_waits, wait_began
from bot.storage.codec import dump
from bot.storage.row_records import NewNotice, OutboxRow
from rules.core.record import Record
from rules.table.absence import is_away
from rules.table.events import BoardChanged, CheckChanged, Event, RollCallChanged
from rules.table.state import TableState
from rules.table.turns.board import board_view

log = logging.getLogger("storyguide.notices")

E = TypeVar("E", bound=Event)

#: Steps that remind of something for which a user was called before.
_REMINDERS: Final = ("reminded", "stalled")
_WAYS: Final[tuple[str, ...]] = get_args(Way)


class PreparedCall(Record):
    """A call as it is sent."""

    #: Messages, the loud one first; none if no called user wants to hear of it here.
    messages: tuple[dict[str, Any], ...]
    #: Called participants whom no message names, since they hear of it in another way.
    left_out: frozenset[str] = frozenset()


def is_reminder(event: Event) -> bool:
    """Return whether an event reminds of an earlier call."""
    if isinstance(event, RollCallChanged):
        return event.again
    return isinstance(event, CheckChanged | BoardChanged) and event.step in _REMINDERS


class CallGroups:
    """Decisions on how calls reach users, by their wishes.

    At a table that is played live, everybody is there: every call is loud, and none is counted.
    """

    def __init__(self, tables: Tables, clock: Clock) -> None:
        self._tables = tables
        self._clock = clock
        #: Told the time of each new notice that has to be sent.
        self.on_planned: Callable[[int], None] = lambda at: None

    async def prepare(self, table: Table, event: Event, out: OutboxRow) -> PreparedCall:
        """Return the messages of a row that calls participants."""
        return await self._prepare(table, event, out, await self._ways(table, event, out))

    async def prepare_again(
        self, table: Table, event: Event, out: OutboxRow, narrowed: Iterable[Event]
    ) -> list[PreparedCall] | None:
        """Return the messages of a sent row for each of several narrower views of its event.

        None if it isn't known any more how each called user heard of the event.
        """
        known = _known_users(table, event)
        ways = await self._decided_ways(table, known, out)
        if len(ways) < len(known):
            return None
        prepared: list[PreparedCall] = []
        for view in narrowed:
            called = _called(table, view)
            left: dict[str, Way] = {who: way for who, way in ways.items() if who in called}
            prepared.append(await self._prepare(table, view, out, left))
        return prepared

    async def _prepare(
        self, table: Table, event: Event, out: OutboxRow, ways: dict[str, Way]
    ) -> PreparedCall:
        scene = scene_of(table)
        left_out = [who for who, way in ways.items() if way not in ("loud", "silent")]
        messages: list[dict[str, Any]] = []
        if _calls_nobody_known(table, event) or _has_way(table, event, ways, "loud"):
            kept = [who for who, way in ways.items() if way == "loud"]
            back = await self._is_anybody_back(table, kept, out)
            messages += _call_messages(
                table.state, event, scene, ways, kept, roles=True, catch_up=back
            )
        silent = [who for who, way in ways.items() if way == "silent"]
        if silent:
            without_roles = scene.replace(state=_without_gm_roles(scene.state))
            back = await self._is_anybody_back(table, silent, out)
            shown = _call_messages(
                table.state, event, without_roles, ways, silent, roles=False, catch_up=back
            )
            messages += [{**message, "silent": True} for message in shown]
        if messages and isinstance(event, BoardChanged) and event.step == "turn":
            messages += await self._next_turn(table, event, out, scene)
        return PreparedCall(tuple(messages), frozenset(left_out))

    async def soften(
        self, table: Table, events: Sequence[Event], out: OutboxRow, messages: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Return the messages of a row that calls no participants publicly, with fitting pings.

        A ping is silent if no pinged user may hear a sound. A user who wants no reminders here is
        named without a ping.
        """
        pinging = [message for message in messages if _pinged_users(message)]
        event = next((event for event in events if event.ping or event.ping_gms), None)
        if event is None or not pinging:
            return messages
        ways = await self._ways(table, event, out)
        users: dict[str | None, Way] = {table.directory.user(who): way for who, way in ways.items()}
        return [_softened(message, users) for message in messages]

    async def remind_privately(self, table: Table, event: Event, out: OutboxRow) -> None:
        """Plan direct messages for a reminder that no channel may show."""
        await self._ways(table, event, out)

    async def _is_anybody_back(self, table: Table, called: Iterable[str], out: OutboxRow) -> bool:
        """Return whether a called player has openly done nothing for days before the call."""
        settings = table.state.settings
        if settings.live:
            return False
        for who in called:
            if who not in settings.gms and await has_been_away(
                self._tables, table, who, out.place, out.created_at
            ):
                return True
        return False

    # --- decisions --------------------------------------------------------------------------------

    async def _ways(self, table: Table, event: Event, out: OutboxRow) -> dict[str, Way]:
        """Return how each called participant with a user hears of an event, as first decided."""
        known = _known_users(table, event)
        decided = await self._decided_ways(table, known, out)
        if len(decided) < len(known):
            await self._decide(table, event, out, known)
            decided = await self._decided_ways(table, known, out)
        # A user whose data has just been deleted has no row.
        return {who: decided.get(who, "silent") for who in known}

    async def _decided_ways(
        self, table: Table, known: Mapping[str, str], out: OutboxRow
    ) -> dict[str, Way]:
        """Return how called participants hear of a row, without those of whom it isn't decided."""
        if table.state.settings.live:
            return dict.fromkeys(known, "loud")
        keys = {who: f"call:{out.id}:{user}" for who, user in known.items()}
        decided = await self._tables.store.notices_named([*keys.values()])
        ways: dict[str, Way] = {}
        for who, key in keys.items():
            if key in decided:
                way = json.loads(decided[key].body).get("way", "silent")
                ways[who] = cast(Way, way if way in _WAYS else "silent")
        return ways

    async def _decide(
        self, table: Table, event: Event, out: OutboxRow, users: dict[str, str]
    ) -> None:
        """Write how an event reaches each of these participants, and what follows later."""
        store, now = self._tables.store, self._clock()
        preferences = await load_preferences(store, users.values())
        notices: list[NewNotice] = []
        for who, user in users.items():
            preference = preferences[user]
            pings = await store.count_loud_notices(user, day_start(preference, now))
            way = self._way(table, event, who, preference, pings)
            key, loud = f"{out.id}:{user}", way == "loud"
            called = NewNotice(f"call:{key}", user, "call", now, dump({"way": way}), table.id, loud)
            notices.append(called.replace(sent_at=now))
            if way == "dm":
                body = dump({"waits": called_waits(table.state, event, who)})
                notices.append(NewNotice(f"nudge:{key}", user, "nudge", now, body, table.id))
            held = way == "silent" and is_quiet(preference, now)
            if way == "morning" or (held and preference.how != "list"):
                date, at = next_morning(preference, user, now)
                notices.append(NewNotice(f"morning:{user}:{date}", user, "morning", at))
        log.debug("notices.planning", extra={"out": out.id})
        await store.plan_notices(notices)
        log.debug("notices.planned", extra={"out": out.id})
        for notice in notices:
            if notice.sent_at is None:
                self.on_planned(notice.at)

    def _way(self, table: Table, event: Event, who: str, preference: Preference, pings: int) -> Way:
        now = self._clock()
        if not is_reminder(event):
            return call_way(preference, now, pings)
        began = wait_began(table.state, event, who)
        return reminder_way(preference, now, began, pings)

    async def _next_turn(
        self, table: Table, event: BoardChanged, out: OutboxRow, scene: Scene
    ) -> list[dict[str, Any]]:
        """Return the silent message for the player who comes next and wants to know."""
        owner = _next_player(table.state, event, self._clock())
        user = None if owner is None else table.directory.user(owner)
        if owner is None or user is None or owner in event.ping:
            return []
        key = f"next:{out.id}:{user}"
        if not await self._tables.store.notices_named([key]):
            preferences = await load_preferences(self._tables.store, (user,))
            if table.state.settings.live or not preferences[user].next:
                return []
            now = self._clock()
            notice = NewNotice(key, user, "next", now, table_id=table.id, loud=False, sent_at=now)
            await self._tables.store.plan_notices([notice])
        shown = to_messages(next_turn_card(event, owner, scene))
        return [{**message, "silent": True} for message in shown]


# --- who is called --------------------------------------------------------------------------------


def _called(table: Table, event: Event) -> tuple[str, ...]:
    """Return the participants whom an event calls, GMs by role excepted."""
    gms = table.state.settings.gms if event.ping_gms else ()
    return tuple(dict.fromkeys((*event.ping, *(gm for gm in gms if gm not in event.spared))))


def _known_users(table: Table, event: Event) -> dict[str, str]:
    """Return the users of the called participants who have one."""
    users = {who: table.directory.user(who) for who in _called(table, event)}
    return {who: user for who, user in users.items() if user is not None}


def _calls_nobody_known(table: Table, event: Event) -> bool:
    """Return whether every called participant has left, or only roles are called, or nobody is."""
    return not any(table.directory.user(who) for who in _called(table, event))


def _has_way(table: Table, event: Event, ways: dict[str, Way], way: Way) -> bool:
    """Return whether a message of this kind pings a participant or a role."""
    roles = event.ping_gms and bool(table.state.settings.gm_roles)
    return way in ways.values() or (way == "loud" and roles)


def _next_player(state: TableState, event: BoardChanged, at: int) -> str | None:
    """Return the owner of the character that the call names as the next; None if away."""
    board = board_view(state, event.place)
    if board is None or not event.after:
        return None
    for line in board.lines:
        if line.name == event.after and line.who is not None and not line.acts:
            owner = state.characters[line.who].owner
            return None if owner is None or is_away(state, owner, at) else owner
    return None


# --- messages -------------------------------------------------------------------------------------


def _call_messages(
    state: TableState,
    event: Event,
    scene: Scene,
    ways: dict[str, Way],
    kept: Iterable[str],
    *,
    roles: bool,
    catch_up: bool,
) -> list[dict[str, Any]]:
    """Return the call to some of the called participants; all others are left out of it.

    With *catch_up* it offers them the story since they were last here.
    """
    narrowed = _narrowed(state, event, frozenset(ways) - frozenset(kept), roles=roles)
    call = _call_card(narrowed, scene)
    if catch_up:
        rows = rows_of(((catch_up_button(scene.table_id),),))
        call = call.replace(pieces=(*call.pieces, *rows))
    return to_messages(call)


def _call_card(event: Event, scene: Scene) -> Layout:
    return event_call_card([event], scene)


def _narrowed(state: TableState, event: E, without: frozenset[str], *, roles: bool) -> E:
    """Return an event that calls no participant of *without*."""
    settings = state.settings
    spared = (*event.spared, *(gm for gm in settings.gms if gm in without))
    gms = any(gm not in spared for gm in settings.gms) or (roles and bool(settings.gm_roles))
    nobody = not settings.gms and not settings.gm_roles
    return event.replace(
        ping=tuple(who for who in event.ping if who not in without),
        ping_gms=event.ping_gms and (gms or nobody),
        spared=spared,
    )


def _without_gm_roles(state: TableState) -> TableState:
    return state.replace(settings=state.settings.replace(gm_roles=()))


def _pinged_users(message: dict[str, Any]) -> tuple[str, ...]:
    mentions: discord.AllowedMentions = message["allowed_mentions"]
    users = mentions.users
    return tuple(str(user.id) for user in users) if isinstance(users, Sequence) else ()


def _softened(message: dict[str, Any], ways: Mapping[str | None, Way]) -> dict[str, Any]:
    """Return a message that pings each user in their way."""
    pinged = _pinged_users(message)
    if not pinged:
        return message
    kept = [user for user in pinged if ways.get(user, "loud") in ("loud", "silent")]
    mentions: discord.AllowedMentions = message["allowed_mentions"]
    softened = {
        **message,
        "allowed_mentions": discord.AllowedMentions(
            everyone=False,
            users=[discord.Object(int(user)) for user in kept],
            roles=mentions.roles,
            replied_user=False,
        ),
    }
    if not mentions.roles and all(ways.get(user, "loud") == "silent" for user in kept):
        softened["silent"] = True
    return softened
