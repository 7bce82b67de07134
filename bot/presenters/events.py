"""Events -> cards: one way to hand presenters what they need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.presenters import log as log_cards
from bot.presenters.blocks import reported_card
from bot.presenters.board import fate_lines, private_turn_card, step_card
from bot.presenters.catalog_cards import card as catalog_card
from bot.presenters.character import notice_parts, notice_rows
from bot.presenters.checks import call_card, check_card, done_card, first_check_event, with_call
from bot.presenters.controls import Button, back_button, grow_button
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
    with_head_prefix,
    with_number,
    without_controls,
)
from bot.presenters.names import event_mentions, gm_mentions, people_mentions
from bot.presenters.rolls import produced_card, roll_again_row, rolled_card, saved_card
from bot.presenters.scene import Scene
from bot.presenters.setting_changes import only_change
from bot.presenters.step_in import asked_card, decided_card
from bot.presenters.table import new_table_parts
from rules.table import events as happened
from rules.table.blocks import Text

#: The color of a notice, where it is not that of something that waits.
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
    **dict.fromkeys(("arranged-ordered", "arranged-order-taken-back", "arranged-asks"), "own"),
    **dict.fromkeys(("arranged-planned", "arranged-plan-taken-back"), "own"),
    **dict.fromkeys(("arranged-passes", "arranged-delegated", "arranged-undelegated"), "own"),
    **dict.fromkeys(("character-chosen", "character-grown", "plain-text"), "own"),
}


def _notice(event: happened.Notice, scene: Scene) -> Layout:
    """Return the card of a notice: its text in the catalog, and its changes line by line."""
    settings, parts = scene.state.settings, [*notice_parts(event)]
    if event.what == "table-open":
        parts += new_table_parts(event, scene.commitments)
    if event.what == "session-ends-gms":
        parts += award_reminder(scene)
    rows = notice_rows(event, scene)
    if event.params.get("grows"):
        rows = ((grow_button(scene.table_id),),)
    if event.what == "arranged-away":  # only whoever is away is back with it
        rows = ((back_button(scene.table_id),),)
    rest = settings.gms + settings.gm_roles
    said: dict[str, Any] = {"table": settings.name, "rest": rest}
    health = (*_health_lines(event), *fate_lines(event.lines))
    said |= {"health": health, **event.params}
    if (change := only_change(event)) is not None:
        said["setting"] = Markdown(say(change))
    said["first"] = Markdown(say(event.lines[0]).removesuffix(".") if event.lines else "")
    accent = _ACCENTS.get(event.what, "waiting")
    card = catalog_card(accent, event.what, scene.names, *parts, about=event, rows=rows, **said)
    called = event_mentions(event, scene)
    if not called.text or not event.what.startswith("character-"):
        return card
    call = clip(f"{called.text}: {_head(card)}", CONTENT)
    return card.replace(call=call, mentions=called.users, role_mentions=called.roles)


def _health_lines(event: happened.Notice) -> tuple[Text, ...]:
    """Return how each character is whose health the lines of a notice tell, for its head."""
    found: list[Text] = []
    for line in event.lines:
        if "health" in line.params:
            found.append(Text("health-now", {**line.params, "who": line.params.get("name")}))
    return tuple(found)


def _head(card: Layout) -> str:
    return next((each.text for each in card.pieces if isinstance(each, Head)), "")


_CARDS: Mapping[type, Callable[[Any, Scene], Layout]] = {
    happened.Notice: _notice,
    happened.Produced: produced_card,
    happened.Reported: reported_card,
    happened.BoardChanged: step_card,
    happened.DiceRolled: rolled_card,
    happened.RollSaved: lambda event, scene: saved_card(event),
    happened.CardsMoved: cards_moved_card,
    happened.StepInDecided: decided_card,
    happened.Undone: lambda event, scene: log_cards.undone_card(event, scene.names),
}


def _with_state(card: Layout, seq: int, *, closed: bool, undone_by: int | None) -> Layout:
    """A card with its number, and as it is when it is over or was taken back."""
    card = with_number(card, f"#{seq}")
    if undone_by is not None:
        return with_head_prefix(without_controls(card), f"Undone (#{undone_by}): ", "waiting")
    return without_controls(card) if closed else card


def _receipt(event: happened.Event, card: Layout) -> Layout:
    """The short answer to whoever did what everybody reads in a message of its own; for a player's
    own character with the next step.
    """
    head = _head(card)
    theirs = isinstance(event, happened.Notice) and event.params.get("owner") == event.by
    rows = [each for each in card.pieces if isinstance(each, Row)] if theirs else []
    return Layout("own", (Head(head), *rows))


def _has_receipt(event: happened.Event) -> bool:
    return isinstance(event, happened.CheckChanged) or type(event) in _CARDS


def _gm_channel_receipt(event: happened.Event, scene: Scene) -> Layout:
    """Return the short answer to a GM about what the GM channel has the message of."""
    if isinstance(event, happened.CheckChanged):
        answer = done_card(event, scene)
        rows = [each for each in answer.pieces if isinstance(each, Row)]
        done = _head(answer)
    else:
        card = _CARDS[type(event)](event, scene)
        rows, done = [], _head(_receipt(event, card))
    where = say(Text("told-in-gm-channel", {"place": scene.state.settings.gm_place}))
    return Layout("own", (Head(done), SmallPrint(where), *rows))


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
    """Return one card for each event.

    With `closed`, the cards have no buttons; `undone_by` marks them as undone. A `private` answer
    leaves out an open check that has a card for everybody: such an answer isn't edited, and would
    age. Of the `posted` events, whose message the GM channel has, it shows only the head.
    """
    if not events:
        return [catalog_card("own", "done", None)]
    found: list[Layout] = []
    told: list[Layout] = []  # what everybody reads in a message of its own
    for event in events:
        if private and any(each is event for each in posted) and _has_receipt(event):
            told.append(with_number(_gm_channel_receipt(event, scene), f"#{seq}"))
            continue
        carded = (
            isinstance(event, happened.CheckChanged)
            and event.visibility == "public"
            and not event.gm_only
        )
        if private and isinstance(event, happened.BoardChanged) and event.calls:
            found.append(with_number(private_turn_card(event, scene), f"#{seq}"))
        elif not isinstance(event, happened.CheckChanged):
            card = (
                asked_card(event, scene, seq)
                if isinstance(event, happened.StepInAsked)
                else _CARDS[type(event)](event, scene)
            )
            if private and event.audience.everyone and not isinstance(event, happened.BoardChanged):
                told.append(with_number(_receipt(event, card), f"#{seq}"))
                continue
            if isinstance(event, happened.DiceRolled) and event.totals:
                card = card.replace(pieces=(*card.pieces, roll_again_row(scene.table_id, seq)))
            found.append(_with_state(card, seq, closed=closed, undone_by=undone_by))
        elif private and (event.audience.everyone or (carded and not event.over)):
            found.append(with_number(done_card(event, scene), f"#{seq}"))
        else:
            card = check_card(event, scene, closed=closed, copy=private, undone_by=undone_by)
            if not (event.audience.everyone or private or closed or undone_by is not None):
                card = with_call(card, event, scene)
            found.append(with_number(card, f"#{seq}"))
    return found or told[:1]


def missed_cards(events: Sequence[happened.Event], scene: Scene, seq: int) -> list[Layout]:
    """What could not be shown earlier, under a line that says so."""
    return [catalog_card("waiting", "missed", None), *event_cards(events, scene, seq)]


def event_call_card(events: Sequence[happened.Event], scene: Scene) -> Layout:
    """The short message that calls somebody to a check, or to their turn."""
    if isinstance(turn := events[0], happened.BoardChanged):
        return step_card(turn, scene)
    event = first_check_event(events)
    assert event is not None
    return call_card(event, scene)


def _stub_kind(events: Sequence[happened.Event]) -> Text:
    """Return what waits behind a stub, where that is no secret."""
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
    """What stands in public for something that only `person` (None: the GMs) may open; not what it
    is.

    `row` is the row of the outbox behind the button.
    """
    settings, names = scene.state.settings, scene.names
    who = gm_mentions(names, settings.gms, settings.gm_roles)
    if person is not None:
        who = people_mentions(names, (person,))
    over = closed or undone_by is not None
    ping = not over and any(event.ping or event.ping_gms for event in events)
    told = phrase(
        "stub",
        who=Markdown(who.text),
        what=_stub_kind(events),
        ping=ping,
        undone=undone_by,
        closed=closed,
    ).strip()
    if over:
        return Layout("waiting", (), call=told)
    shown = rows_of(((Button(f"sg:show:{row}", label_text("private-show"), "primary"),),))
    users, roles = (who.users, who.roles) if ping else ((), ())
    return Layout("waiting", shown, call=told, mentions=users, role_mentions=roles)
