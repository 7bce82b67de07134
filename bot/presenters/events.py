"""Events -> cards: one way to hand presenters what they need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from bot.presenters import character as character_cards
from bot.presenters import gm_tools as gm_tool_cards
from bot.presenters import log as log_cards
from bot.presenters import npc as npc_cards
from bot.presenters import table as table_cards
from bot.presenters.blocks import reported_card
from bot.presenters.board import step_card
from bot.presenters.checks import call_card, called, check_card, done_card, told_in
from bot.presenters.controls import Button
from bot.presenters.fair import rotated_card
from bot.presenters.hands import cards_card, deck_changed_card
from bot.presenters.layout import Layout, headed, laid, numbered, rows_of, without_controls
from bot.presenters.names import gm_mentions, people_mentions
from bot.presenters.orders import arranged_card
from bot.presenters.privacy import person_forgotten_card
from bot.presenters.produce import produced_card
from bot.presenters.rolls import again_row, rolled_card, saved_card
from bot.presenters.scene import Scene
from bot.presenters.transfer import table_imported_card
from rules.table.events import (
    Arranged,
    Awarded,
    BoardChanged,
    CampaignChanged,
    CardsMoved,
    CharacterChanged,
    CharacterChosen,
    CharacterImported,
    CheckChanged,
    DeckChanged,
    DiceRolled,
    Event,
    GmsChanged,
    PersonChanged,
    PersonForgotten,
    PlacesChanged,
    Produced,
    Reported,
    RollSaved,
    SeedRotated,
    SessionChanged,
    SettingsChanged,
    TableCreated,
    TableImported,
    TimePassed,
    Undone,
)

PRIVATE: Final = "Something private"
MISSED: Final = "This could not be shown to you earlier"
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
    Reported: reported_card,
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
}


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
    ) -> list[Layout]:
        """One card an event. `closed` leaves the buttons out, `undone_by` marks it as taken back.

        In a `private` answer a check that has a card for everybody is not told once more.
        """
        found: list[Layout] = []
        for event in events:
            if not isinstance(event, CheckChanged):
                card = _CARDS[type(event)](event, scene)
                if isinstance(event, DiceRolled) and event.totals:
                    card = replace(card, pieces=(*card.pieces, again_row(scene.table_id, seq)))
                found.append(_laid(card, seq, closed=closed, undone_by=undone_by))
            elif private and event.audience.everyone:
                found.append(numbered(done_card(event, scene), f"#{seq}"))
            else:
                card = check_card(event, scene, closed=closed, undone_by=undone_by)
                if not (event.audience.everyone or private or closed or undone_by is not None):
                    card = called(card, event, scene)
                found.append(numbered(card, f"#{seq}"))
        return found

    def missed(self, events: Sequence[Event], scene: Scene, seq: int) -> list[Layout]:
        """What could not be shown earlier, under a line that says so."""
        return [
            laid("waiting", MISSED, "It happened while you could not be reached."),
            *self.cards(events, scene, seq),
        ]

    def call(self, events: Sequence[Event], scene: Scene) -> Layout:
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
        """What stands in public for something that only `person` (None: the GMs) may open; not what it is.

        `row` is the row of the outbox behind the button.
        """
        settings, names = scene.state.settings, scene.names
        who = gm_mentions(names, settings.gms, settings.gm_roles)
        if person is not None:
            who = people_mentions(names, (person,))
        if undone_by is not None:
            return Layout("waiting", (), call=f"**{PRIVATE}**\nIt was taken back (#{undone_by}).")
        if closed:
            return Layout("waiting", (), call=f"**{PRIVATE}**\nIt has moved on since.")
        ping = any(event.ping or event.ping_gms for event in events)
        calling = f"{who.text}, something private waits for you.\n" if ping else ""
        return Layout(
            "waiting",
            rows_of(((Button(f"sg:show:{row}", "Show", "primary"),),)),
            call=f"{calling}**{PRIVATE}**\nOnly {who.text} can open it.",
            mentions=who.users if ping else (),
            role_mentions=who.roles if ping else (),
        )
