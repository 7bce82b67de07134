"""What has to be said to whom after an action: the plan for the outbox.

An event goes to everyone, to the GMs or to named participants. Whoever acts gets an answer; the rest becomes
messages of its own. What may not be public goes to the table's GM channel, or stands behind a public stub that
only those entitled can open. Nothing here ever widens an audience.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from bot.storage.row_records import NewOut
from rules.core.record import Record
from rules.registry import look
from rules.table.actions import Action, Actor
from rules.table.events import BoardChanged, CardsMoved, CheckChanged, Event, Undone
from rules.table.permissions import is_gm
from rules.table.state import TableState
from rules.table.turns.encounters import board
from rules.table.turns.turn_changes import condition


class ReplyTo(Record):
    """The answer that an interaction expects: public or ephemeral from its first moment on."""

    public: bool
    token: str | None = None


def topic_of(event: Event) -> str | None:
    """What a message about this event belongs to: later messages on the same topic replace its buttons."""
    if isinstance(event, CheckChanged):
        return card_topic(event.check) if event.audience.everyone else event.check
    return turn_topic(event.place) if _calls_to_turn(event) else None


def card_topic(check: str) -> str:
    """What the one public message of a check is found by."""
    return f"card:{check}"


def call_topic(check: str) -> str:
    """What the messages that call somebody to a check are found by."""
    return f"call:{check}"


def check_of(topic: str) -> str | None:
    """The check that a topic is about; None for every other one."""
    what, _, name = topic.rpartition(":")
    return name if what in ("", "card", "call") else None


def turn_topic(place: str) -> str:
    """What the messages that call somebody to their turn in a place are found by."""
    return f"turn:{place}"


def _calls_to_turn(event: Event) -> TypeGuard[BoardChanged]:
    return isinstance(event, BoardChanged) and event.calls


def _about(event: Event) -> str | None:
    """What several views of one event are of."""
    return event.check if isinstance(event, CheckChanged) else None


_PLACED = (CheckChanged, BoardChanged)


def _place_of(event: Event, action: Action) -> str:
    return event.place if isinstance(event, _PLACED) else action.place


def visible(event: Event, state: TableState, actor: Actor) -> bool:
    """Whether this actor is in the event's audience."""
    audience = event.audience
    return audience.everyone or actor.id in audience.people or (audience.gms and is_gm(state, actor))


def _fullness(event: Event) -> int:
    """How much an event shows: the GMs see everything, those who take part what is theirs."""
    return 2 if event.audience.gms else 0 if event.audience.everyone else 1


def answerable(events: Sequence[Event], state: TableState, actor: Actor) -> tuple[int, ...]:
    """What somebody is shown in private: of several views of the same thing only the fullest one."""
    chosen: dict[object, int] = {}
    for index, event in enumerate(events):
        if not visible(event, state, actor):
            continue
        about = _about(event)
        key = (type(event), about) if about else index
        if key not in chosen or _fullness(event) > _fullness(events[chosen[key]]):
            chosen[key] = index
    return tuple(sorted(chosen.values()))


def _shown_elsewhere(event: Event) -> bool:
    """Whether it goes to its channel anyway, so that whoever acts need not see it twice."""
    if isinstance(event, CheckChanged):
        return event.step == "reopened" and (event.audience.everyone or event.visibility == "public")
    if isinstance(event, CardsMoved):
        return event.audience.everyone
    told = isinstance(event, BoardChanged) and (event.calls or event.step in _OWN_MESSAGE)
    return told and event.audience.everyone


def board_topic(place: str) -> str:
    """What the message with the order of action of a place is found by."""
    return f"board:{place}"


#: What everybody is told of the order of action besides calls; the rest the board itself shows.
_OWN_MESSAGE = ("passed", "delayed")


def plan(
    before: TableState | None,
    state: TableState,
    events: tuple[Event, ...],
    action: Action,
    reply: ReplyTo | None,
) -> tuple[NewOut, ...]:
    """The rows of the outbox for one action, the answer first."""
    outs: list[NewOut] = []
    actor_is_gm = is_gm(state, action.who)
    answered: tuple[int, ...] = ()
    if reply is not None:
        if reply.public:
            everyone = [index for index, event in enumerate(events) if event.audience.everyone]
            answered = tuple([index for index in everyone if not _calls_to_turn(events[index])])
            # What goes on in a card of its own is told there.
            answered = tuple([each for each in answered if not _goes_on(before, events[each])]) or answered
        else:
            seen = answerable(events, state, action.who)
            answered = tuple([index for index in seen if not _shown_elsewhere(events[index])]) or seen
        topic = topic_of(events[answered[0]]) if answered and reply.public else None
        if topic is not None and any(_goes_on(before, events[index]) for index in answered):
            topic = None  # the card stands elsewhere
        outs.append(NewOut("reply", action.place, reply.public, answered, action.who.id, topic, reply.token))
    answered_here = reply is not None and reply.public
    for index, event in enumerate(events):
        place, audience = _place_of(event, action), event.audience
        if isinstance(event, CheckChanged) and audience.everyone:
            if not answered_here or place != action.place or _goes_on(before, event):
                outs.append(NewOut("card", place, True, (index,), None, topic_of(event)))
            if event.ping or event.ping_gms:
                outs.append(NewOut("call", place, True, (index,), None, call_topic(event.check)))
            continue
        if audience.everyone and _calls_to_turn(event):
            outs.append(NewOut("call", place, True, (index,), None, topic_of(event)))
            continue
        if audience.everyone:
            if answered_here and place == action.place:
                continue
            if not isinstance(event, BoardChanged) or event.step in _OWN_MESSAGE:
                outs.append(NewOut("post", place, True, (index,), None, topic_of(event)))
            continue
        topic = topic_of(event)
        if audience.gms:
            gm_place = state.settings.gm_place
            if gm_place is not None:
                if not (event.quiet and actor_is_gm):
                    outs.append(NewOut("post", gm_place, False, (index,), None, topic))
            elif not event.quiet and not actor_is_gm:
                outs.append(NewOut("stub", place, False, (index,), None, topic))
        outs += [
            NewOut("stub", place, False, (index,), person, topic)
            for person in audience.people
            if person != action.who.id and not event.quiet
        ]
    if before is not None:
        outs += _boards(before, state)
        outs += _marks(before, events, action)
        # What was taken back is marked first, so that a card which comes back finds its place.
        if len(outs) > 1:
            outs.sort(key=lambda out: out.kind in ("card", "call"))
    return tuple(outs)


def _goes_on(before: TableState | None, event: Event) -> bool:
    """Whether it is about a check that had its card before."""
    return isinstance(event, CheckChanged) and before is not None and event.check in before.checks


def _boards(before: TableState, state: TableState) -> list[NewOut]:
    """The orders of action that look different now, whatever the reason: a step, an undo, a name revealed."""
    return [
        NewOut("board", place, True, (), None, board_topic(place))
        for place in {**before.encounters, **state.encounters}
        if _shown(before, place) != _shown(state, place)
    ]


def _shown(state: TableState, place: str) -> tuple[object, ...]:
    """What the board of a place shows: the order, and how those in it are."""
    shown = board(state, place)
    lines = () if shown is None else shown.lines
    game = look(state)
    return shown, [condition(game, state.characters[line.who]) for line in lines if line.who is not None]


def _marks(before: TableState, events: tuple[Event, ...], action: Action) -> list[NewOut]:
    """Earlier messages that have to change: their buttons are over, or they were undone."""
    found: dict[str | None, NewOut] = {}
    for index, event in enumerate(events):
        topic = None if isinstance(event, CheckChanged) and event.secret else _about(event)
        if topic in before.checks or isinstance(event, Undone):
            found.setdefault(topic, NewOut("mark", action.place, False, (index,), None, topic))
    return list(found.values())
