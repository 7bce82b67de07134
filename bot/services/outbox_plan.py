"""Plan of the messages after an action: rows for the outbox.

An event's audience is everyone, the cast of a whisper scene, the GMs or named participants. The
actor gets an answer; the other events become messages of their own. What a whisper scene's cast is
told is posted where the scene is played. A private event goes to the table's GM channel, or behind
a public stub that only its audience can open. No function here widens an audience.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeGuard

from bot.services.check_calls import awaited_parties, roll_call_parties
from bot.storage.row_records import AwaitedParty, NewOutboxRow, OutboxKind
from rules.core.record import Record
from rules.registry import read_only_game
from rules.table.actions import Action, Actor
from rules.table.checks.procedure import has_role
from rules.table.events import (
    Amended,
    BoardChanged,
    CardsMoved,
    CheckChanged,
    Event,
    Notice,
    Reported,
    RollCallChanged,
    Said,
    SealRead,
    StepInAsked,
    StepInDecided,
    Undone,
    Unsaid,
)
from rules.table.permissions import is_gm
from rules.table.played_scenes import open_scene
from rules.table.scenes.scene_actions import opens_thread
from rules.table.scenes.speech import SPEECH_KIND
from rules.table.state import TableState
from rules.table.turns.board import board_view
from rules.table.turns.turn_calls import condition_lines
from rules.table.turns.turn_changes import board_holders
from rules.table.turns.turn_clock import waits_of_turn
from rules.table.waits.agenda import board_groups


class ReplyTo(Record):
    """Answer that an interaction expects: public or ephemeral from the start."""

    public: bool
    token: str | None = None


def topic_of(event: Event) -> str | None:
    """Return the topic of a message about an event.

    Later messages on the same topic replace the buttons of earlier ones.
    """
    if isinstance(event, CheckChanged):
        return check_message_topic(event.check) if event.audience.is_open else event.check
    if isinstance(event, RollCallChanged):
        return check_message_topic(event.call)
    if isinstance(event, StepInAsked):
        return question_topic(event.question)
    if isinstance(event, Said | Unsaid):
        return speech_topic(event.said)
    if isinstance(event, Notice) and event.what == "scene-ends":
        return scene_end_topic(event)
    return turn_topic(event.place) if _is_turn_call(event) else None


def check_message_topic(check: str) -> str:
    """Return the topic of the public message of a check."""
    return f"card:{check}"


def call_topic(check: str) -> str:
    """Return the topic of the messages that call participants to a check."""
    return f"call:{check}"


def question_topic(number: int) -> str:
    """Return the topic of a player's question to the GMs about stepping in, by its number."""
    return f"step-in:{number}"


def speech_topic(said: str) -> str:
    """Return the topic of the message with what a character has said."""
    return f"{SPEECH_KIND}:{said}"


def scene_end_topic(event: Notice) -> str:
    """Return the topic of the message with which the scene of a notice ended."""
    return f"scene-end:{event.params.get('number')}"


def check_of(topic: str) -> str | None:
    """Return the check that a topic is about, or None for any other topic."""
    what, _, name = topic.rpartition(":")
    return name if what in ("", "card", "call") else None


def turn_topic(place: str) -> str:
    """Return the topic of the messages that call participants to their turn in a place."""
    return f"turn:{place}"


def _is_turn_call(event: Event) -> TypeGuard[BoardChanged]:
    return isinstance(event, BoardChanged) and event.calls


def _is_told_in_turn_call(event: Event) -> bool:
    """Return whether the call to the next turn tells of a step in the order of action."""
    return isinstance(event, BoardChanged) and event.quiet


def _event_subject(event: Event) -> str | None:
    """Return the check that several views of one event share, or None."""
    return event.check if isinstance(event, CheckChanged) else None


_EVENTS_WITH_PLACE = (
    Amended,
    CheckChanged,
    BoardChanged,
    RollCallChanged,
    SealRead,
    Said,
    Unsaid,
)


def event_place(event: Event, said_in: str) -> str:
    """Return the place of an event: its own, or the one that the action was `said_in`.

    What happens in a whisper scene stays there, wherever it was done.
    """
    if event.audience.whisper:
        return event.audience.whisper
    if isinstance(event, Notice):
        return event.place or said_in
    return event.place if isinstance(event, _EVENTS_WITH_PLACE) else said_in


def is_visible_to(event: Event, state: TableState, actor: Actor) -> bool:
    """Return whether an actor is in the event's audience."""
    audience = event.audience
    return (
        audience.everyone or actor.id in audience.people or (audience.gms and is_gm(state, actor))
    )


def _fullness(event: Event) -> int:
    """Return a rank for how much a view shows: the GMs' most, that of a whole place least."""
    if event.audience.is_open:
        return 0
    return 2 if event.audience.gms else 1


def private_event_indexes(
    events: Sequence[Event], state: TableState, actor: Actor
) -> tuple[int, ...]:
    """Return the indexes of the events shown to an actor in private.

    Of several views of one check only the fullest is shown.
    """
    visible = [index for index, event in enumerate(events) if is_visible_to(event, state, actor)]
    return _fullest_indexes(events, visible)


def fullest_views(events: Sequence[Event]) -> tuple[Event, ...]:
    """Return events of one entry, keeping only the fullest of several views of one check."""
    return tuple([events[index] for index in _fullest_indexes(events, range(len(events)))])


def _fullest_indexes(events: Sequence[Event], visible: Iterable[int]) -> tuple[int, ...]:
    """Return the visible indexes without those of lesser views of one check."""
    chosen: dict[object, int] = {}
    for index in visible:
        event = events[index]
        about = _event_subject(event)
        key = (type(event), about) if about else index
        if key not in chosen or _fullness(event) > _fullness(events[chosen[key]]):
            chosen[key] = index
    return tuple(sorted(chosen.values()))


def _is_posted_anyway(event: Event) -> bool:
    """Return whether an event is posted to its channel anyway.

    The actor's private answer leaves such an event out.
    """
    if isinstance(event, CheckChanged):
        return event.step in ("reopened", "carried") and (
            event.audience.is_open or event.visibility == "public"
        )
    if isinstance(event, CardsMoved):
        return event.audience.is_open
    if not isinstance(event, BoardChanged) or not event.audience.is_open:
        return False
    return event.calls or event.step in _POSTED_BOARD_STEPS


def is_told_on_card(event: Event) -> bool:
    """Return whether the public card of a check or a roll call shows all of it."""
    return isinstance(event, CheckChanged | RollCallChanged) and event.audience.is_open


def _is_told_in_roll_call(event: Event) -> bool:
    """Return whether the message of a roll call tells an event to everybody."""
    in_group = isinstance(event, CheckChanged) and bool(event.group) and event.audience.is_open
    return in_group or isinstance(event, RollCallChanged)


def _is_begun_in_roll_call(event: Event) -> bool:
    """Return whether an event begins a check of a roll call, whose message says all of it."""
    return isinstance(event, CheckChanged) and bool(event.group) and event.step == "begun"


def _is_told_on_board(before: TableState | None, state: TableState, event: Event) -> bool:
    """Return whether the board shows a check: that of a round that began without a question.

    Its news stands in the call to the first turn.
    """
    return (
        isinstance(event, CheckChanged)
        and event.over
        and has_role(read_only_game(state), event.kind, "round")
        and event.step != "reopened"
        and not _is_continued_check(before, event)
    )


def board_topic(place: str) -> str:
    """Return the topic of the message with the order of action of a place."""
    return f"board:{place}"


#: Notice that a scene has a summary now.
SUMMED_UP: Final = "scene-summed-up"
#: Steps in the order of action that are posted, besides calls. The board itself shows the others.
_POSTED_BOARD_STEPS = ("passed", "delayed", "lapsed", "timed-out")


def plan_outbox(
    before: TableState | None,
    state: TableState,
    events: tuple[Event, ...],
    action: Action,
    reply: ReplyTo | None,
) -> tuple[NewOutboxRow, ...]:
    """Return the outbox rows for one action, the answer first."""
    outs: list[NewOutboxRow] = []
    actor_is_gm = is_gm(state, action.who)
    answered: tuple[int, ...] = ()
    if reply is not None:
        if reply.public:
            openly = [
                index
                for index, event in enumerate(events)
                if event.audience.everyone or event.audience.whisper == action.place
            ]
            answered = tuple(
                [
                    index
                    for index in openly
                    if not _is_turn_call(events[index])
                    and not _is_told_in_turn_call(events[index])
                    and not _is_told_on_board(before, state, events[index])
                    and not _is_told_in_roll_call(events[index])
                ]
            )
            # A continued check reports in its own card, unless the answer would be empty.
            outside_cards = tuple(
                [index for index in answered if not _is_continued_check(before, events[index])]
            )
            answered = outside_cards or answered
        else:
            seen = private_event_indexes(events, state, action.who)
            seen = tuple([index for index in seen if not _is_begun_in_roll_call(events[index])])
            unposted = tuple([index for index in seen if not _is_posted_anyway(events[index])])
            answered = unposted or seen
        topic = topic_of(events[answered[0]]) if answered and reply.public else None
        if topic is not None and any(
            _is_continued_check(before, events[index]) for index in answered
        ):
            topic = None  # the card stands elsewhere
        parties = () if topic is None else _parties_of(events[answered[0]])
        outs.append(
            NewOutboxRow(
                "reply",
                action.place,
                reply.public,
                answered,
                action.who.id,
                topic,
                reply.token,
                parties,
            )
        )
    answered_here = reply is not None and reply.public
    for index, event in enumerate(events):
        place, audience = event_place(event, action.place), event.audience
        if _is_told_on_board(before, state, event) and (
            audience.is_open or state.settings.gm_place is None
        ):
            continue
        if isinstance(event, RollCallChanged):
            outs.append(_row_about(event, index, "card", place))
            if event.ping or event.ping_gms:
                outs.append(_row_about(event, index, "call", place))
            continue
        if _is_told_in_roll_call(event):
            continue
        if isinstance(event, Said):
            outs.append(_row_about(event, index, "say", place, action.who.id))
            continue
        if isinstance(event, Unsaid):
            continue  # Its message is deleted, see `_marks`.
        if isinstance(event, CheckChanged) and audience.is_open:
            if not answered_here or place != action.place or _is_continued_check(before, event):
                outs.append(_row_about(event, index, "card", place))
            if event.ping or event.ping_gms:
                outs.append(_row_about(event, index, "call", place))
            continue
        if audience.is_open and _is_turn_call(event):
            outs.append(_row_about(event, index, "call", place))
            continue
        if audience.is_open:
            if opens_thread(event):
                row = _row_about(event, index, "thread", place)
                if reply is not None and not reply.public:
                    # The private answer says where the scene is played once that is known.
                    row = row.replace(token=reply.token)
                outs.append(row)
                continue
            if answered_here and place == action.place:
                continue
            if not isinstance(event, BoardChanged) or (
                event.step in _POSTED_BOARD_STEPS and not _is_told_in_turn_call(event)
            ):
                outs.append(_row_about(event, index, "post", place))
            continue
        if audience.gms:
            gm_place = state.settings.gm_place
            if gm_place is not None:
                if not (event.quiet and actor_is_gm) or _has_ended(before, state, event):
                    outs.append(_row_about(event, index, "post", gm_place))
            elif not event.quiet and not actor_is_gm:
                outs.append(_row_about(event, index, _stub_kind(event), place))
        outs += [
            _row_about(event, index, _stub_kind(event), place, person)
            for person in audience.people
            if person != action.who.id and not event.quiet
        ]
    if before is not None:
        outs += _boards(before, state)
        outs += _marks(before, events, action)
        # Undone messages are marked first, so that a returning card finds its place.
        if len(outs) > 1:
            outs.sort(key=lambda out: out.kind in ("card", "call") or _is_of_check(out, events))
    return tuple(outs)


def _row_about(
    event: Event, index: int, kind: OutboxKind, place: str, person: str | None = None
) -> NewOutboxRow:
    """Return the row for the event at an index, public if everyone may see the event."""
    topic = topic_of(event)
    if kind == "call" and isinstance(event, CheckChanged):
        topic = call_topic(event.check)
    if kind == "call" and isinstance(event, RollCallChanged):
        topic = call_topic(event.call)
    return NewOutboxRow(
        kind,
        place,
        event.audience.is_open,
        (index,),
        person,
        topic,
        parties=_parties_of(event),
        turn=event.turn if _is_turn_call(event) else None,
    )


def _stub_kind(event: Event) -> OutboxKind:
    """Return the kind of row for a private event without a private place.

    A channel shows that there is a private check, but not that the check still waits.
    """
    return "nudge" if _reminds_privately(event) else "stub"


def _reminds_privately(event: Event) -> bool:
    """Return whether an event reminds some participants alone. Its earlier messages stay good."""
    reminds = isinstance(event, CheckChanged) and event.step in ("reminded", "stalled")
    return reminds and not event.audience.is_open


def _parties_of(event: Event) -> tuple[AwaitedParty, ...]:
    """Return the parties that a check publicly awaits or calls; none for any other event."""
    if isinstance(event, CheckChanged) and event.audience.is_open:
        return awaited_parties(event)
    return roll_call_parties(event) if isinstance(event, RollCallChanged) else ()


def _is_of_check(out: NewOutboxRow, events: tuple[Event, ...]) -> bool:
    """Return whether a message reports what a check has led to, and so follows its card."""
    if out.kind not in ("post", "stub") or not isinstance(events[out.events[0]], Reported):
        return False
    return any(is_told_on_card(event) for event in events[: out.events[0]])


def _is_continued_check(before: TableState | None, event: Event) -> bool:
    """Return whether an event is about a check that existed before the action."""
    return isinstance(event, CheckChanged) and before is not None and event.check in before.checks


def _has_ended(before: TableState | None, state: TableState, event: Event) -> bool:
    """Return whether the action closed a check, which makes the GMs' last message stale."""
    if before is None or not isinstance(event, CheckChanged) or event.secret:
        return False
    was, now = before.checks.get(event.check), state.checks.get(event.check)
    return was is not None and was.is_open and now is not None and not now.is_open


def _boards(before: TableState, state: TableState) -> list[NewOutboxRow]:
    """Return rows for the orders of action that look different now.

    The reason may be a step, an undo or a revealed name.
    """
    return [
        NewOutboxRow("board", place, True, (), None, board_topic(place))
        for place in {**before.encounters, **state.encounters}
        if _board_contents(before, place) != _board_contents(state, place)
    ]


def _board_contents(state: TableState, place: str) -> tuple[object, ...]:
    """Return everything that the board of a place shows, for comparison."""
    shown = board_view(state, place)
    lines = () if shown is None else shown.lines
    game = read_only_game(state)
    conditions = [
        condition_lines(game, state.characters[line.who]) for line in lines if line.who is not None
    ]
    held = board_holders(game, place)
    ends = [wait.due for wait in waits_of_turn(state, place) if wait.ends_turn] if held else []
    groups = () if shown is None else board_groups(game, place)
    return shown, conditions, held, ends, groups, open_scene(state, place)


def _marks(before: TableState, events: tuple[Event, ...], action: Action) -> list[NewOutboxRow]:
    """Return rows for earlier messages that have to change.

    The buttons of these messages are obsolete, or their entries were undone.
    """
    marks: dict[str | None, NewOutboxRow] = {}
    amended: list[NewOutboxRow] = []
    for index, event in enumerate(events):
        if isinstance(event, Amended):
            if event.gone:
                amended.append(NewOutboxRow("mark", action.place, False, (index,)))
            continue
        if isinstance(event, StepInDecided):
            topic = question_topic(event.question)
            marks[topic] = NewOutboxRow("mark", action.place, False, (index,), None, topic)
            continue
        if isinstance(event, Unsaid):
            topic = topic_of(event)
            marks[topic] = NewOutboxRow("mark", event.place, False, (index,), None, topic)
            continue
        if isinstance(event, Notice) and event.what == SUMMED_UP:
            topic = scene_end_topic(event)
            marks[topic] = NewOutboxRow("mark", action.place, False, (index,), None, topic)
            continue
        if isinstance(event, CheckChanged) and (event.secret or _reminds_privately(event)):
            continue
        if isinstance(event, CheckChanged) and event.step == "carried":
            continue  # Its earlier messages stay good.
        topic = _event_subject(event)
        if topic in before.checks or isinstance(event, Undone):
            marks.setdefault(
                topic, NewOutboxRow("mark", action.place, False, (index,), None, topic)
            )
    return [*amended, *marks.values()]
