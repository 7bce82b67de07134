"""Reports of moved cards, the checks that follow from them, and menus of cards.

Each move of cards at a table ends in `finish_card_moves`. It reports what everyone may know, and
begins the checks that follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from rules.core.errors import NotFound
from rules.core.name_matching import name_key
from rules.systems.masterbook.deck.card_definitions import CardKind
from rules.systems.masterbook.deck.deck_state import (
    DRAW_PILE,
    HAND,
    POOL,
    CardChange,
    Cards,
    Due,
)
from rules.systems.masterbook.deck.table_deck import (
    DECK,
    current_cards,
    for_all,
    require_cards,
    with_cards,
)
from rules.systems.masterbook.formulas.gm_rules import LIFE_POINT_WORTH
from rules.table.blocks import (
    EVERYONE,
    Block,
    Note,
    Ref,
    Text,
)
from rules.table.check import Values
from rules.table.checks import engine
from rules.table.checks.check_actions import step_checks
from rules.table.checks.check_events import events_for
from rules.table.checks.procedure import CheckOption
from rules.table.events import CardsMoved, Event, Reported
from rules.table.forms.fields import FormContext, Many, Option
from rules.table.forms.form import Form
from rules.table.system import Game

#: Kinds of checks.
SUBPLOT, REPLENISH, TRADE, CAMPAIGN, WILD, FIAT = (
    "subplot",
    "replenish",
    "trade",
    "campaign",
    "wild",
    "fiat",
)
HINT: Final = "hint"
#: Checks about cards as they lie.
CARD_CHECKS: Final = (SUBPLOT, REPLENISH, TRADE, CAMPAIGN, WILD, FIAT)
#: Changes without a report of their own: the cards on the table show them.
_UNREPORTED_MOVES: Final = frozenset({"shuffled", "reshuffled", "must-discard", "adventure-over"})


def _public_names(cards: Cards, move: CardChange) -> tuple[str, ...]:
    """Return the names of those cards of a change that everyone sees."""
    shown = move.cards
    if move.what not in ("claimed", "paid"):
        face_up: set[str] = set()
        for place, held in cards.piles.places.items():
            if cards.piles.is_face_up(place):
                face_up.update(held)
        shown = tuple(card for card in move.cards if card in face_up)
    return tuple(cards.kind(card, move.who).name for card in shown)


def may_hold_cards(game: Game, who: str) -> bool:
    """Return whether a character may hold cards (MB-CARD-17).

    It must be a player's character, in play, and not dead for good.
    """
    character = game.state.characters.get(who)
    if character is None or character.owner is None:
        return False
    return character.in_play and not character.sheet.harm.lost


def holder_ref(game: Game, who: str) -> Ref | None:
    """Return a public reference to a holder of cards; None for a character who has left."""
    character = game.state.characters.get(who)
    return None if character is None else Ref(name=character.name)


def move_notes(game: Game, cards: Cards, moves: Iterable[CardChange]) -> tuple[Block, ...]:
    """Report changes of cards as everyone may know them: cards in hands are only counted."""
    changes: dict[tuple[str, str], list[CardChange]] = {}
    for move in moves:
        if move.what not in _UNREPORTED_MOVES:
            changes.setdefault((move.what, move.who), []).append(move)
    notes: list[Block] = []
    for (what, who), same in changes.items():
        names: list[str] = []
        points = 0
        count = 0
        for move in same:
            names.extend(_public_names(cards, move))
            points += move.number
            count += len(move.cards) or move.number
        if what in ("life-points", "surplus", "converted"):
            count = points
        about = {
            "what": what,
            "who": holder_ref(game, who),
            "cards": tuple(names),
            "number": count,
            "points": points,
            "most": cards.setting("life_points_max"),
            "worth": LIFE_POINT_WORTH * points,
        }
        notes.append(for_all("mb-card-moved", **about))
    return tuple(notes)


def shuffle_events(game: Game, cards: Cards) -> tuple[Event, ...]:
    """Return the events that publish the orders of the deck after shuffles."""
    sealed = cards.piles.sealed[-1] if cards.piles.sealed else None
    events: list[Event] = []
    for move in cards.changes:
        if move.what not in ("shuffled", "reshuffled"):
            continue
        events.append(
            CardsMoved(
                step="gathered" if move.what == "shuffled" else "reshuffled",
                deck=DECK,
                by=game.actor.id,
                count=move.number if move.what == "reshuffled" else 0,
                cards=move.cards,
                left=len(cards.at(DRAW_PILE)),
                order=cards.piles.opened if sealed is None else sealed.number,
                commitment="" if sealed is None else sealed.commitment,
            )
        )
    return tuple(events)


def finish_card_moves(
    game: Game,
    place: str,
    cards: Cards,
    title: Text | None = None,
    blocks: Sequence[Block] = (),
    *,
    reported: bool = True,
) -> tuple[Game, tuple[Event, ...]]:
    """Return the game with this deck and with the checks that its changes need, and the events.

    *title* and *blocks* head the report. Without anything to report there is no message, nor if
    the changes are not *reported* here but elsewhere.
    """
    game, by = with_cards(game, cards), game.actor.id
    events: list[Event] = [*shuffle_events(game, cards)]
    report = (*blocks, *move_notes(game, cards, cards.changes)) if reported else ()
    if report:
        title = title or Text("topic-cards")
        events.append(Reported(audience=EVERYONE, title=title, blocks=report, by=by))
    game, subplot_events = ask_about_subplots(game, place)
    too_full = [move.who for move in cards.changes if move.what == "must-discard"]
    game, discard_events = ask_to_replenish(game, place, too_full, "discard")
    return game, (*events, *subplot_events, *discard_events)


def ask_about_subplots(game: Game, place: str) -> tuple[Game, tuple[Event, ...]]:
    """Begin a check for each character whose subplots wait for a decision.

    A check that the GM has ended begins again.
    """
    events: tuple[Event, ...] = ()
    for seat in require_cards(game).deal.seats:
        if seat.pending and not has_open_check(game, SUBPLOT, seat.who):
            game, more = begin_card_check(game, SUBPLOT, place, seat.who)
            events = (*events, *more)
    return game, events


def ask_to_replenish(
    game: Game, place: str, who: Iterable[str], due: Due
) -> tuple[Game, tuple[Event, ...]]:
    """Ask characters to discard their surplus, or to replenish their hands."""
    cards, asked = require_cards(game), {*who}
    for seat in cards.deal.seats:
        if seat.who in asked and seat.due != "draw":
            cards = cards.with_seat_changes(seat.who, due=due)
    if not asked:
        return game, ()
    game = with_cards(game, cards)
    if has_open_check(game, REPLENISH):
        return refresh_card_checks(game, (REPLENISH,))
    return begin_card_check(game, REPLENISH, place)


def has_open_check(game: Game, kind: str, who: str = "") -> bool:
    """Return whether a check of that kind is open for a character, or for none in particular."""
    for check in game.state.checks.values():
        if check.is_open and (check.kind, check.actor) == (kind, who):
            return True
    return False


def begin_card_check(
    game: Game, kind: str, place: str, who: str = "", said: Values | None = None, **more: Any
) -> tuple[Game, tuple[Event, ...]]:
    """Begin a check about cards, and return its events. *said* are the values of its form."""
    advance = engine.begin(game, kind, place, said or {}, actor=who, **more)
    return advance.game, events_for(game.state, advance)


def refresh_card_checks(
    game: Game, kinds: Iterable[str] = CARD_CHECKS
) -> tuple[Game, tuple[Event, ...]]:
    """Ask anew in open checks of these kinds, since their cards may be gone."""
    open_checks = [
        check.id for check in game.state.checks.values() if check.is_open and check.kind in kinds
    ]
    return step_checks(game, open_checks, engine.refresh_check)


def card_note(kind: CardKind) -> Note:
    """Return a note of what a card of this kind does."""
    return for_all("mb-card-about", summary=kind.summary)


def card_label(cards: Cards, card: str) -> Text:
    """Return the label of a card in a menu."""
    return Text("mb-card-option", {"name": cards.kind(card).name, "number": card})


def card_form(cards: Cards, held: Iterable[str], most: int) -> Form:
    """Return a form with a menu of these cards, of which *most* may be chosen."""
    choices = tuple(Option(card, card_label(cards, card)) for card in held)
    return Form((Many("cards", choices=choices, most=most, needed=True),))


def find_card(cards: Cards, held: Iterable[str], text: str, who: str = "") -> str:
    """Return the card of *held* with this number or name, of copies the first.

    Raises NotFound("mb-card-not-there").
    """
    wanted = name_key(text.strip().removeprefix("#"))
    kinds = {card: cards.kind(card, who) for card in held}
    if wanted in kinds:
        return wanted
    for card, kind in kinds.items():
        if wanted in (name_key(kind.name), name_key(kind.key)):
            return card
    # Names are sorted, since the order in which cards lie is secret.
    near = tuple(sorted({kind.name for kind in kinds.values()}))
    raise NotFound("mb-card-not-there", field="card", value=text[:60], nearest=near)


def find_cards(cards: Cards, held: Iterable[str], text: str) -> tuple[str, ...]:
    """Return the different cards that a list with commas names. Raises as `find_card`."""
    remaining, chosen = [*held], list[str]()
    for word in text.split(","):
        card = find_card(cards, remaining, word)
        chosen.append(card)
        remaining.remove(card)
    return tuple(chosen)


def own_card_choices(*places: str) -> Any:
    """Return the choices of the asking player's own cards in these places."""

    def choices(asking: FormContext) -> tuple[Option, ...]:
        if asking.game is None or not asking.who:
            return ()
        cards = current_cards(asking.game)
        by_name: dict[str, str] = {}
        for place in places:
            for card in cards.at(place, asking.who):
                by_name[cards.kind(card).name] = card
        return tuple(Option(name, card_label(cards, card)) for name, card in by_name.items())

    return choices


OWN_CARDS: Final = own_card_choices(HAND, POOL)


def answer_options(*options: str) -> list[CheckOption]:
    return [CheckOption(option, Text(f"mb-plot-{option}")) for option in options]
