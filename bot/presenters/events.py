"""Events -> cards: one way to hand presenters what they need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.presenters import character as character_cards
from bot.presenters import gm_tools as gm_tool_cards
from bot.presenters import log as log_cards
from bot.presenters import npc as npc_cards
from bot.presenters import table as table_cards
from bot.presenters.board import step_card
from bot.presenters.card import Button, Card, Style
from bot.presenters.check import check_card, missed_card, stub_card
from bot.presenters.checks import call_card, called, done_card, told_in
from bot.presenters.checks import check_card as course_card
from bot.presenters.fair import rotated_card
from bot.presenters.hands import cards_card, deck_changed_card
from bot.presenters.layout import Layout, headed, numbered, without_controls
from bot.presenters.limits import BUTTON_LABEL, clip
from bot.presenters.orders import arranged_card
from bot.presenters.privacy import person_forgotten_card
from bot.presenters.produce import produced_card
from bot.presenters.rolls import again_row, rolled_card, saved_card
from bot.presenters.scene import Scene
from bot.presenters.systems.cards import SYSTEM_CARDS
from bot.presenters.transfer import table_imported_card
from bot.presenters.words import say_bare
from rules.table.events import (
    Arranged,
    Awarded,
    BoardChanged,
    CampaignChanged,
    CardsMoved,
    ChallengeChanged,
    CharacterChanged,
    CharacterChosen,
    CharacterImported,
    CheckChanged,
    CheckView,
    DeckChanged,
    DiceRolled,
    Event,
    GmsChanged,
    PersonChanged,
    PersonForgotten,
    PlacesChanged,
    Produced,
    RollSaved,
    SeedRotated,
    SessionChanged,
    SettingsChanged,
    TableCreated,
    TableImported,
    TimePassed,
    Undone,
)
from rules.table.moves import Move
from rules.table.state import Kind

#: What happened to a character, by step.
_CHARACTER_CARDS: Mapping[str, Callable[[CharacterChanged, Scene], Layout]] = {
    "created": character_cards.created_card,
    "approved": character_cards.approved_card,
    "sent_back": character_cards.sent_back_card,
    "edited": character_cards.edited_card,
    "learned": character_cards.grown_card,
    "advanced": character_cards.grown_card,
    "given": character_cards.given_card,
    "retired": character_cards.retired_card,
    "returned": character_cards.retired_card,
    "adjusted": gm_tool_cards.adjusted_card,
    "added": npc_cards.npc_event_card,
    "changed": npc_cards.npc_event_card,
    "removed": npc_cards.npc_event_card,
    "revealed": npc_cards.revealed_card,
}
_CARDS: Mapping[type, Callable[[Any, Scene], Layout]] = {
    TableCreated: lambda event, scene: table_cards.created_card(event, scene.names, scene.commitments),
    GmsChanged: lambda event, scene: table_cards.gms_card(event, scene.names),
    SettingsChanged: lambda event, scene: table_cards.settings_card(event),
    PersonChanged: lambda event, scene: table_cards.person_card(event),
    CharacterImported: lambda event, scene: character_cards.imported_card(event, scene.names),
    CharacterChosen: lambda event, scene: character_cards.chosen_card(event),
    CharacterChanged: lambda event, scene: _CHARACTER_CARDS[event.step](event, scene),
    Awarded: gm_tool_cards.awarded_card,
    SessionChanged: gm_tool_cards.session_card,
    TimePassed: gm_tool_cards.time_card,
    PlacesChanged: gm_tool_cards.places_card,
    Produced: produced_card,
    SeedRotated: lambda event, scene: rotated_card(event, scene.names),
    PersonForgotten: person_forgotten_card,
    TableImported: table_imported_card,
    BoardChanged: step_card,
    DiceRolled: rolled_card,
    RollSaved: lambda event, scene: saved_card(event),
    CardsMoved: cards_card,
    DeckChanged: deck_changed_card,
    Undone: lambda event, scene: log_cards.undone_card(event, scene.names, scene.state.settings.gms),
    Arranged: arranged_card,
    CampaignChanged: lambda event, scene: gm_tool_cards.campaign_card(event),
} | SYSTEM_CARDS


def _laid(card: Layout, seq: int, *, closed: bool, undone_by: int | None) -> Layout:
    """A card with its number, and as it is when it is over or was taken back."""
    card = numbered(card, f"#{seq}")
    if undone_by is not None:
        return headed(without_controls(card), f"Taken back (#{undone_by}): ", "waiting")
    return without_controls(card) if closed else card


class Presenter:
    """Turns events into cards."""

    def cards(
        self,
        events: Sequence[Event],
        scene: Scene,
        seq: int,
        *,
        private: bool = False,
        closed: bool = False,
        undone_by: int | None = None,
    ) -> list[Card | Layout]:
        """One card an event. `closed` leaves the buttons out, `undone_by` marks it as taken back.

        In a `private` answer a check that has a card for everybody is not told once more.
        """
        settings = scene.state.settings
        found: list[Card | Layout] = []
        for event in events:
            if isinstance(event, ChallengeChanged):
                card = check_card(
                    event,
                    scene.names,
                    table_id=scene.table_id,
                    gms=settings.gms,
                    gm_roles=settings.gm_roles,
                    seq=seq,
                    closed=closed,
                    undone_by=undone_by,
                )
            elif isinstance(event, CheckChanged):
                if private and event.audience.everyone:
                    found.append(numbered(done_card(event), f"#{seq}"))
                    continue
                laid = course_card(event, scene, closed=closed, undone_by=undone_by)
                if not (event.audience.everyone or private or closed or undone_by is not None):
                    laid = called(laid, event, scene)
                found.append(numbered(laid, f"#{seq}"))
                continue
            else:
                card = _CARDS[type(event)](event, scene)
                if isinstance(event, DiceRolled) and event.totals:
                    card = replace(card, pieces=(*card.pieces, again_row(scene.table_id, seq)))
                card = _laid(card, seq, closed=closed, undone_by=undone_by)
            found.append(card)
        return found

    def missed(self, events: Sequence[Event], scene: Scene, seq: int) -> list[Card | Layout]:
        """What could not be shown earlier, under a line that says so."""
        return [missed_card(), *self.cards(events, scene, seq)]

    def call(self, events: Sequence[Event], scene: Scene) -> Card:
        """The short message that calls somebody to a check."""
        event = told_in(events)
        assert event is not None
        return call_card(event, scene)

    def stub(
        self,
        events: Sequence[Event],
        row: int,
        person: str | None,
        scene: Scene,
        *,
        closed: bool = False,
        undone_by: int | None = None,
    ) -> Layout:
        """What stands in public for something private: whom it waits for, and the button that opens it."""
        settings = scene.state.settings
        return stub_card(
            row,
            person,
            scene.names,
            gms=settings.gms,
            gm_roles=settings.gm_roles,
            ping=any(event.ping or event.ping_gms for event in events),
            closed=closed,
            undone_by=undone_by,
        )


_VERBS: dict[str, tuple[str, Style]] = {
    "answer": ("Answer", "primary"),
    "ask": ("Ask back…", "secondary"),
    "revise": ("Change the proposal", "secondary"),
    "withdraw": ("Withdraw", "danger"),
    "defend": ("Defend…", "primary"),
    "join": ("Join in…", "primary"),
    "leave": ("Step back", "secondary"),
    "roll": ("Roll", "primary"),
    "settle": ("Let it stand", "success"),
}
#: What is said otherwise in a contest.
_CONTEST_VERBS: dict[str, tuple[str, Style]] = {"defend": ("Take it up…", "primary")}
_ROW = 5


def move_label(move: Move, choice: str | None = None) -> str:
    """A move in words, for a button or a list."""
    if move.label is None:
        return _VERBS[move.verb][0]
    return say_bare(move.label) + (f": {choice}" if choice else "")


def move_buttons(
    table_id: int, moves: Sequence[Move], kind: Kind = "check"
) -> tuple[tuple[Button, ...], ...]:
    """A button for every legal move, each choice of a spend on its own; at most 25."""
    buttons: list[Button] = []
    for move in moves:
        base = f"sg:do:{table_id}:{move.challenge}:{move.revision}:{move.verb}"
        if move.label is None:
            own = _CONTEST_VERBS if kind == "contest" else _VERBS
            buttons.append(Button(base, *(own.get(move.verb) or _VERBS[move.verb])))
            continue
        for choice in move.choices or (None,):
            tail = f":{move.what}" + (f":{choice}" if choice else "")
            buttons.append(Button(base + tail, clip(move_label(move, choice), BUTTON_LABEL)))
    rows = [tuple(buttons[start : start + _ROW]) for start in range(0, min(len(buttons), 25), _ROW)]
    return tuple(rows)


def react_card(scene: Scene, view: CheckView, moves: Sequence[Move], who: str) -> Card:
    """A check as one person may see it now, with a button for each thing they may do."""
    event = ChallengeChanged(step="reopened", view=view, by=who)
    card = check_card(
        event,
        scene.names,
        table_id=scene.table_id,
        gms=scene.state.settings.gms,
        gm_roles=scene.state.settings.gm_roles,
        seq=None,
        closed=True,
    )
    hint = "What you can do now:" if moves else "There is nothing for you to do here now."
    body = f"{card.body}\n\n{hint}" if card.body else hint
    return replace(card, body=body, rows=move_buttons(scene.table_id, moves, view.kind), call="", mentions=())
