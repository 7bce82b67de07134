"""What has to be said to whom after an action: the plan for the outbox.

An event goes to everyone, to the GMs or to named participants. Whoever acts gets an answer; the
rest becomes messages of its own. What may not be public goes to the table's GM channel, or stands
behind a public stub that only those entitled can open. Nothing here ever widens an audience.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from bot.storage.row_records import NewOutboxRow
from rules.core.record import Record
from rules.registry import read_only_game
from rules.table.actions import Action, Actor
from rules.table.events import (
    BoardChanged,
    CardsMoved,
    CheckChanged,
    Event,
    Reported,
    StepInAsked,
    StepInDecided,
    Undone,
)
from rules.table.permissions import is_gm
from rules.table.state import TableState
from rules.table.turns.encounters import board_view
from rules.table.turns.turn_changes import ROUND_KIND, board_holders, condition_lines
from rules.table.turns.turn_clock import waits_of_turn


class ReplyTo(Record):
    """The answer that an interaction expects: public or ephemeral from its first moment on."""

    public: bool
    token: str | None = None


def topic_of(event: Event) -> str | None:
    """What a message about this event belongs to: later messages on the same topic replace its
    buttons.
    """
    if isinstance(event, CheckChanged):
        return check_message_topic(event.check) if event.audience.everyone else event.check
    if isinstance(event, StepInAsked):
        return question_topic(event.question)
    return turn_topic(event.place) if _is_turn_call(event) else None


def check_message_topic(check: str) -> str:
    """What the one public message of a check is found by."""
    return f"card:{check}"


def call_topic(check: str) -> str:
    """What the messages that call somebody to a check are found by."""
    return f"call:{check}"


def question_topic(number: int) -> str:
    """Return the topic of a player's question to the GMs about stepping in, by its number."""
    return f"step-in:{number}"


def check_of(topic: str) -> str | None:
    """The check that a topic is about; None for every other one."""
    what, _, name = topic.rpartition(":")
    return name if what in ("", "card", "call") else None


def turn_topic(place: str) -> str:
    """What the messages that call somebody to their turn in a place are found by."""
    return f"turn:{place}"


def _is_turn_call(event: Event) -> TypeGuard[BoardChanged]:
    return isinstance(event, BoardChanged) and event.calls


def _is_told_in_turn_call(event: Event) -> bool:
    """Return whether the call to the next turn tells of a step in the order of action."""
    return isinstance(event, BoardChanged) and event.quiet


def _event_subject(event: Event) -> str | None:
    """What several views of one event are of."""
    return event.check if isinstance(event, CheckChanged) else None


_EVENTS_WITH_PLACE = (CheckChanged, BoardChanged)


def event_place(event: Event, said_in: str) -> str:
    """Return the place of an event: its own, or the one that the action was `said_in`."""
    return event.place if isinstance(event, _EVENTS_WITH_PLACE) else said_in


def is_visible_to(event: Event, state: TableState, actor: Actor) -> bool:
    """Whether this actor is in the event's audience."""
    audience = event.audience
    return (
        audience.everyone or actor.id in audience.people or (audience.gms and is_gm(state, actor))
    )


def _fullness(event: Event) -> int:
    """How much an event shows: the GMs see everything, those who take part what is theirs."""
    return 2 if event.audience.gms else 0 if event.audience.everyone else 1


def private_event_indexes(
    events: Sequence[Event], state: TableState, actor: Actor
) -> tuple[int, ...]:
    """What somebody is shown in private: of several views of the same thing only the
    fullest one.
    """
    chosen: dict[object, int] = {}
    for index, event in enumerate(events):
        if not is_visible_to(event, state, actor):
            continue
        about = _event_subject(event)
        key = (type(event), about) if about else index
        if key not in chosen or _fullness(event) > _fullness(events[chosen[key]]):
            chosen[key] = index
    return tuple(sorted(chosen.values()))


def _is_posted_anyway(event: Event) -> bool:
    """Whether it goes to its channel anyway, so that whoever acts need not see it twice."""
    if isinstance(event, CheckChanged):
        return event.step == "reopened" and (
            event.audience.everyone or event.visibility == "public"
        )
    if isinstance(event, CardsMoved):
        return event.audience.everyone
    told = isinstance(event, BoardChanged) and (event.calls or event.step in _POSTED_BOARD_STEPS)
    return told and event.audience.everyone


def is_told_on_card(event: Event) -> bool:
    """Return whether the public card of a check shows all of it."""
    return isinstance(event, CheckChanged) and event.audience.everyone


def _is_told_on_board(before: TableState | None, event: Event) -> bool:
    """Return whether the board shows a check: that of a round that began without a question.

    Its news stands in the call to the first turn.
    """
    return (
        isinstance(event, CheckChanged)
        and event.kind == ROUND_KIND
        and event.over
        and event.step != "reopened"
        and not _is_continued_check(before, event)
    )


def board_topic(place: str) -> str:
    """What the message with the order of action of a place is found by."""
    return f"board:{place}"


#: What everybody is told of the order of action besides calls; the rest the board itself shows.
_POSTED_BOARD_STEPS = ("passed", "delayed", "lapsed")


def plan_outbox(
    before: TableState | None,
    state: TableState,
    events: tuple[Event, ...],
    action: Action,
    reply: ReplyTo | None,
) -> tuple[NewOutboxRow, ...]:
    """The rows of the outbox for one action, the answer first."""
    outs: list[NewOutboxRow] = []
    actor_is_gm = is_gm(state, action.who)
    answered: tuple[int, ...] = ()
    if reply is not None:
        if reply.public:
            everyone = [index for index, event in enumerate(events) if event.audience.everyone]
            answered = tuple(
                [
                    index
                    for index in everyone
                    if not _is_turn_call(events[index])
                    and not _is_told_in_turn_call(events[index])
                    and not _is_told_on_board(before, events[index])
                ]
            )
            # What goes on in a card of its own is told there.
            answered = (
                tuple([each for each in answered if not _is_continued_check(before, events[each])])
                or answered
            )
        else:
            seen = private_event_indexes(events, state, action.who)
            answered = (
                tuple([index for index in seen if not _is_posted_anyway(events[index])]) or seen
            )
        topic = topic_of(events[answered[0]]) if answered and reply.public else None
        if topic is not None and any(
            _is_continued_check(before, events[index]) for index in answered
        ):
            topic = None  # the card stands elsewhere
        outs.append(
            NewOutboxRow(
                "reply", action.place, reply.public, answered, action.who.id, topic, reply.token
            )
        )
    answered_here = reply is not None and reply.public
    for index, event in enumerate(events):
        place, audience = event_place(event, action.place), event.audience
        if _is_told_on_board(before, event) and (
            audience.everyone or state.settings.gm_place is None
        ):
            continue
        if isinstance(event, CheckChanged) and audience.everyone:
            if not answered_here or place != action.place or _is_continued_check(before, event):
                outs.append(NewOutboxRow("card", place, True, (index,), None, topic_of(event)))
            if event.ping or event.ping_gms:
                outs.append(
                    NewOutboxRow("call", place, True, (index,), None, call_topic(event.check))
                )
            continue
        if audience.everyone and _is_turn_call(event):
            outs.append(NewOutboxRow("call", place, True, (index,), None, topic_of(event)))
            continue
        if audience.everyone:
            if answered_here and place == action.place:
                continue
            if not isinstance(event, BoardChanged) or (
                event.step in _POSTED_BOARD_STEPS and not _is_told_in_turn_call(event)
            ):
                outs.append(NewOutboxRow("post", place, True, (index,), None, topic_of(event)))
            continue
        topic = topic_of(event)
        if audience.gms:
            gm_place = state.settings.gm_place
            if gm_place is not None:
                if not (event.quiet and actor_is_gm) or _has_ended(before, state, event):
                    outs.append(NewOutboxRow("post", gm_place, False, (index,), None, topic))
            elif not event.quiet and not actor_is_gm:
                outs.append(NewOutboxRow("stub", place, False, (index,), None, topic))
        outs += [
            NewOutboxRow("stub", place, False, (index,), person, topic)
            for person in audience.people
            if person != action.who.id and not event.quiet
        ]
    if before is not None:
        outs += _boards(before, state)
        outs += _marks(before, events, action)
        # What was taken back is marked first, so that a card which comes back finds its place.
        if len(outs) > 1:
            outs.sort(key=lambda out: out.kind in ("card", "call") or _is_of_check(out, events))
    return tuple(outs)


def _is_of_check(out: NewOutboxRow, events: tuple[Event, ...]) -> bool:
    """Return whether a message reports what a check has led to, and so follows its card."""
    if out.kind not in ("post", "stub") or not isinstance(events[out.events[0]], Reported):
        return False
    return any(is_told_on_card(event) for event in events[: out.events[0]])


def _is_continued_check(before: TableState | None, event: Event) -> bool:
    """Whether it is about a check that had its card before."""
    return isinstance(event, CheckChanged) and before is not None and event.check in before.checks


def _has_ended(before: TableState | None, state: TableState, event: Event) -> bool:
    """Return whether the action closed a check, which makes the GMs' last message stale."""
    if before is None or not isinstance(event, CheckChanged) or event.secret:
        return False
    was, now = before.checks.get(event.check), state.checks.get(event.check)
    return was is not None and was.is_open and now is not None and not now.is_open


def _boards(before: TableState, state: TableState) -> list[NewOutboxRow]:
    """The orders of action that look different now, whatever the reason: a step, an undo, a name
    revealed.
    """
    return [
        NewOutboxRow("board", place, True, (), None, board_topic(place))
        for place in {**before.encounters, **state.encounters}
        if _board_contents(before, place) != _board_contents(state, place)
    ]


def _board_contents(state: TableState, place: str) -> tuple[object, ...]:
    """What the board of a place shows: the order, and how those in it are."""
    shown = board_view(state, place)
    lines = () if shown is None else shown.lines
    game = read_only_game(state)
    conditions = [
        condition_lines(game, state.characters[line.who]) for line in lines if line.who is not None
    ]
    ends = [each.due for each in waits_of_turn(state, place) if each.ends_turn]
    return shown, conditions, board_holders(game, place), ends


def _marks(before: TableState, events: tuple[Event, ...], action: Action) -> list[NewOutboxRow]:
    """Earlier messages that have to change: their buttons are over, or they were undone."""
    found: dict[str | None, NewOutboxRow] = {}
    for index, event in enumerate(events):
        if isinstance(event, StepInDecided):
            topic = question_topic(event.question)
            found[topic] = NewOutboxRow("mark", action.place, False, (index,), None, topic)
            continue
        topic = None if isinstance(event, CheckChanged) and event.secret else _event_subject(event)
        if topic in before.checks or isinstance(event, Undone):
            found.setdefault(
                topic, NewOutboxRow("mark", action.place, False, (index,), None, topic)
            )
    return list(found.values())
