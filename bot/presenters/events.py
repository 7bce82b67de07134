"""Messages of events: the one place that picks the presenter of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from bot.presenters import log as log_cards
from bot.presenters.absence import absence_rows
from bot.presenters.amendments import amended_card
from bot.presenters.blocks import reported_card
from bot.presenters.board import fate_lines, private_turn_card, step_card
from bot.presenters.catalog_cards import card as catalog_card
from bot.presenters.character import notice_parts, notice_rows
from bot.presenters.checks import call_card, check_card, done_card, first_check_event, with_call
from bot.presenters.controls import Button, grow_button
from bot.presenters.gm_tools import award_reminder
from bot.presenters.hands import cards_moved_card
from bot.presenters.language.limits import CONTENT, clip
from bot.presenters.language.text import Markdown
from bot.presenters.language.words import label_text, phrase, say
from bot.presenters.layout import (
    Accent,
    Head,
    Layout,
    Row,
    SmallPrint,
    rows_of,
    with_entry_number,
    with_head_prefix,
    without_controls,
)
from bot.presenters.names import event_mentions, gm_mentions, people_mentions
from bot.presenters.roll_calls import roll_call_card, roll_call_ping, seal_card
from bot.presenters.rolls import produced_card, roll_again_row, rolled_card, saved_card
from bot.presenters.scene import Scene
from bot.presenters.scene_summary import summary_receipt, summary_rows
from bot.presenters.setting_changes import only_change
from bot.presenters.speech import said_card, said_receipt, unsaid_card
from bot.presenters.step_in import asked_card, decided_card
from bot.presenters.table import new_table_parts
from rules.table import events as happened
from rules.table.blocks import Text
from rules.table.gm_office import deputies

#: Accents of notices. Any other notice is `waiting`.
_ACCENTS: Mapping[str, Accent] = {
    **dict.fromkeys(("awarded", "deck-there", "table-imported", "table-open"), "good"),
    **dict.fromkeys(("character-imported", "character-replaced", "character-approved"), "good"),
    **dict.fromkeys(("character-learned", "character-advanced", "character-returned"), "good"),
    **dict.fromkeys(
        ("session-begins-gms", "session-ends-gms", "table-imported-gms", "time-passed-gms"), "gm"
    ),
    **dict.fromkeys(
        ("character-waits", "character-added", "character-changed", "character-removed"), "gm"
    ),
    **dict.fromkeys(
        ("character-seat-asked", "character-seat-offered", "character-seat-notes"), "gm"
    ),
    **dict.fromkeys(("character-seat-sent", "character-seat-refused"), "own"),
    **dict.fromkeys(("correction-sent", "correction-dismissed"), "own"),
    "correction-asked": "gm",
    **dict.fromkeys(("character-seat-given", "character-seat-open"), "good"),
    **dict.fromkeys(("arranged-ordered", "arranged-order-taken-back", "arranged-asks"), "own"),
    **dict.fromkeys(("arranged-planned", "arranged-plan-taken-back"), "own"),
    **dict.fromkeys(("arranged-passes", "arranged-delegated", "arranged-undelegated"), "own"),
    **dict.fromkeys(("character-chosen", "character-grown", "plain-text"), "own"),
    **dict.fromkeys(("arranged-words", "arranged-words-taken-back"), "own"),
    **dict.fromkeys(("missed-in-a-row", "player-left-server", "words-left"), "gm"),
    "scene-ends-gms": "gm",
}
#: Beginnings of the codes of notices that call participants by name.
_CALLING: Final = (
    "character-",
    "place-left",
    "place-lost",
    "table-claimed",
    "missed-in-a-row",
    "player-left-server",
    "correction-asked",
    "correction-dismissed",
)


def _notice(event: happened.Notice, scene: Scene) -> Layout:
    """Return the message of a notice: its text in the catalog, and its changes line by line."""
    settings, parts = scene.state.settings, [*notice_parts(event)]
    if event.what == "table-open":
        parts += new_table_parts(event, scene.commitments)
    if event.what == "session-ends-gms":
        parts += award_reminder(scene)
    rows = notice_rows(event, scene) or absence_rows(event, scene) or summary_rows(event, scene)
    if event.params.get("grows"):
        rows = ((grow_button(scene.table_id),),)
    rest = settings.gms + settings.gm_roles
    health = (*_health_lines(event), *fate_lines(event.lines))
    params: dict[str, Any] = {"table": settings.name, "rest": rest, "health": health}
    params |= event.params
    if (change := only_change(event)) is not None:
        params["setting"] = Markdown(say(change))
    params["first"] = Markdown(say(event.lines[0]).removesuffix(".") if event.lines else "")
    accent = _ACCENTS.get(event.what, "waiting")
    card = catalog_card(accent, event.what, scene.names, *parts, about=event, rows=rows, **params)
    called = event_mentions(event, scene)
    if not called.text or not event.what.startswith(_CALLING):
        return card
    call = clip(f"{called.text}: {_head(card)}", CONTENT)
    return card.replace(call=call, mentions=called.users, role_mentions=called.roles)


def _health_lines(event: happened.Notice) -> tuple[Text, ...]:
    """Return the health of each character in the lines of a notice, for its head."""
    texts: list[Text] = []
    for line in event.lines:
        if "health" in line.params:
            texts.append(Text("health-now", {**line.params, "who": line.params.get("name")}))
    return tuple(texts)


def _head(card: Layout) -> str:
    return next((piece.text for piece in card.pieces if isinstance(piece, Head)), "")


#: Presenters by the class of their events. `_event_message` adds what `StepInAsked` needs, and
#: `_check_message` has the presenters of checks.
_CARDS: Mapping[type, Callable[[Any, Scene], Layout]] = {
    happened.Notice: _notice,
    happened.Produced: produced_card,
    happened.Reported: reported_card,
    happened.BoardChanged: step_card,
    happened.DiceRolled: rolled_card,
    happened.RollSaved: lambda event, scene: saved_card(event),
    happened.CardsMoved: cards_moved_card,
    happened.StepInDecided: decided_card,
    happened.RollCallChanged: roll_call_card,
    happened.SealRead: lambda event, scene: seal_card(event),
    happened.Said: said_card,
    happened.Unsaid: unsaid_card,
    happened.Undone: lambda event, scene: log_cards.undone_card(event, scene.names),
    happened.Amended: lambda event, scene: amended_card(event, scene.names),
}


def _with_number_and_status(
    card: Layout, seq: int, *, closed: bool, undone_by: int | None
) -> Layout:
    """Return a message with its entry's number; without buttons when it's closed or undone."""
    card = with_entry_number(card, seq)
    if undone_by is not None:
        return with_head_prefix(without_controls(card), f"Undone (#{undone_by}): ", "waiting")
    return without_controls(card) if closed else card


def _receipt(event: happened.Event, card: Layout, scene: Scene) -> Layout:
    """Return the short answer to the actor of an event with a public message.

    About a player's own character it has the next step.
    """
    if isinstance(event, happened.Said):
        return said_receipt(event, scene)
    if isinstance(event, happened.Notice) and event.what == "scene-summed-up":
        return summary_receipt(event)
    own = isinstance(event, happened.Notice) and event.params.get("owner") == event.by
    rows = [piece for piece in card.pieces if isinstance(piece, Row)] if own else []
    return Layout("own", (Head(_head(card)), *rows))


def _has_receipt(event: happened.Event) -> bool:
    return isinstance(event, happened.CheckChanged) or type(event) in _CARDS


def _gm_channel_receipt(event: happened.Event, scene: Scene) -> Layout:
    """Return the short answer to a GM about an event whose message is in the GM channel."""
    rows: list[Row] = []
    if isinstance(event, happened.CheckChanged):
        answer = done_card(event, scene)
        rows = [piece for piece in answer.pieces if isinstance(piece, Row)]
    else:
        answer = _CARDS[type(event)](event, scene)
    where = say(Text("told-in-gm-channel", {"place": scene.state.settings.gm_place}))
    return Layout("own", (Head(_head(answer)), SmallPrint(where), *rows))


def event_cards(
    events: Sequence[happened.Event],
    scene: Scene,
    seq: int,
    *,
    private: bool = False,
    closed: bool = False,
    undone_by: int | None = None,
    posted: Sequence[happened.Event] = (),
) -> list[Layout]:
    """Return one message for each event of the entry *seq*.

    Without *private* they are the messages of a channel. The cases of the other parameters:

    - *private*: an answer to one participant, which is never edited. An event whose message
      everybody sees, or an open public check, becomes a short receipt, as a copy would age.
      Receipts are left out beside other messages.
    - *posted*: events whose message is in the GM channel. A private answer to a GM shows only their
      heads, and where the message is.
    - *closed*: the messages have no buttons, because they are over or are shown again.
    - *undone_by*: number of the entry that undid them. The messages say so, and have no buttons.
    """
    if not events:
        return [catalog_card("own", "done", None)]
    messages: list[Layout] = []
    receipts: list[Layout] = []  # of events with a message elsewhere
    for event in events:
        if private and any(other is event for other in posted) and _has_receipt(event):
            receipts.append(with_entry_number(_gm_channel_receipt(event, scene), seq))
        elif isinstance(event, happened.CheckChanged):
            message = _check_message(
                event, scene, private=private, closed=closed, undone_by=undone_by
            )
            messages.append(with_entry_number(message, seq))
        elif private and isinstance(event, happened.BoardChanged) and event.calls:
            messages.append(with_entry_number(private_turn_card(event, scene), seq))
        else:
            message = _event_message(event, scene, seq)
            is_board = isinstance(event, happened.BoardChanged)
            if private and event.audience.is_open and not is_board:
                receipts.append(with_entry_number(_receipt(event, message, scene), seq))
            else:
                messages.append(
                    _with_number_and_status(message, seq, closed=closed, undone_by=undone_by)
                )
    return messages or receipts[:1]


def _check_message(
    event: happened.CheckChanged,
    scene: Scene,
    *,
    private: bool,
    closed: bool,
    undone_by: int | None,
) -> Layout:
    """Return the message of a check, or a short answer if the check has a public one."""
    is_public = event.visibility == "public" and not event.gm_only
    if private and event.group:
        # The message of the roll call has only a line about it.
        own = _without_gm_prompts(event)
        return check_card(own, scene, closed=closed, copy=True, undone_by=undone_by)
    if private and (event.audience.is_open or (is_public and not event.over)):
        return done_card(event, scene)
    message = check_card(event, scene, closed=closed, copy=private, undone_by=undone_by)
    if event.audience.is_open or private or closed or undone_by is not None:
        return message
    return with_call(message, event, scene)


def _without_gm_prompts(event: happened.CheckChanged) -> happened.CheckChanged:
    """Return a step of a check without prompts of the GMs, unless a GM took the step.

    The GMs are called to their prompts by the roll call.
    """
    if event.by_gm:
        return event
    asked = tuple([prompt for prompt in event.asked if prompt.people or not prompt.gms])
    return event.replace(asked=asked)


def _event_message(event: happened.Event, scene: Scene, seq: int) -> Layout:
    """Return the message of an event that isn't about a check; a roll can be rolled again."""
    if isinstance(event, happened.StepInAsked):
        return asked_card(event, scene, seq)
    message = _CARDS[type(event)](event, scene)
    if isinstance(event, happened.DiceRolled) and event.totals:
        return message.replace(pieces=(*message.pieces, roll_again_row(scene.table_id, seq)))
    return message


def missed_cards(events: Sequence[happened.Event], scene: Scene, seq: int) -> list[Layout]:
    """Return the messages of events that couldn't be shown earlier, under a line that says so."""
    return [catalog_card("waiting", "missed", None), *event_cards(events, scene, seq)]


def event_call_card(events: Sequence[happened.Event], scene: Scene) -> Layout:
    """Return the short message that calls a participant to a check, or to a turn."""
    if isinstance(turn := events[0], happened.BoardChanged):
        return step_card(turn, scene)
    if isinstance(events[0], happened.RollCallChanged):
        return roll_call_ping(events[0], scene)
    event = first_check_event(events)
    assert event is not None
    return call_card(event, scene)


def _stub_kind(events: Sequence[happened.Event]) -> Text:
    """Return what waits behind a stub, unless it's a secret."""
    kinds = {event.what if isinstance(event, happened.Notice) else "" for event in events}
    return Text("stub-newcomer" if kinds == {"character-waits"} else "stub-private")


def stub_card(
    events: Sequence[happened.Event],
    row: int,
    person: str | None,
    scene: Scene,
    *,
    closed: bool = False,
    undone_by: int | None = None,
) -> Layout:
    """Return the public stub of a message that only `person` (None: the GMs) may open.

    It doesn't tell what the message is. `row` is the row of the outbox behind the button.
    """
    settings, names = scene.state.settings, scene.names
    leaders = (*settings.gms, *deputies(scene.state))
    who = gm_mentions(names, leaders, settings.gm_roles)
    if person is not None:
        who = people_mentions(names, (person,))
    over = closed or undone_by is not None
    ping = not over and any(event.ping or event.ping_gms for event in events)
    text = phrase(
        "stub",
        who=Markdown(who.text),
        what=_stub_kind(events),
        ping=ping,
        undone=undone_by,
        closed=closed,
    ).strip()
    if over:
        return Layout("waiting", (), call=text)
    show = rows_of(((Button(f"sg:show:{row}", label_text("private-show"), "primary"),),))
    if not ping:
        return Layout("waiting", show, call=text)
    return Layout("waiting", show, call=text, mentions=who.users, role_mentions=who.roles)


def whisper_stub_card(row: int, whom: str) -> Layout:
    """Return what a place shows of a whisper scene's news while outsiders read there.

    *whom* is the mention of one of them; `row` is the row of the outbox behind the button.
    """
    show = Button(f"sg:show:{row}", label_text("private-show"), "primary")
    return catalog_card("waiting", "whisper-withheld", None, rows=((show,),), whom=Markdown(whom))
