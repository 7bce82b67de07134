"""The deck in a table's state, and how far the table plays with it (MB-CARD-N02)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from rules.core.cards import Card, Deck, Piles
from rules.core.errors import Impossible
from rules.core.memo import memo_by_identity
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.deck.card_definitions import (
    KINDS,
    MODES,
    CardKind,
    Face,
    Mode,
    default_faces,
)
from rules.systems.masterbook.deck.deal import lay_out_deck
from rules.systems.masterbook.deck.deck_files import DeckFile
from rules.systems.masterbook.deck.deck_state import CardChange, Cards, Deal
from rules.systems.masterbook.formulas.gm_rules import LIFE_POINT_WORTH
from rules.table.blocks import FOR_EVERYONE, Note, Text, Value
from rules.table.system import Game

#: Id of the deck at a table, and keys of its parts in the table's state.
DECK: Final = "masterbook"
DEAL: Final = "deal:masterbook"
FILE: Final = "deck-file:masterbook"
#: Key of the deck for the next adventure; the current adventure keeps its own (MB-CARD-D06).
#: A file without cards stands for the default deck.
NEXT: Final = "deck-next:masterbook"
_NOTHING: Final = Piles({})
_NOBODY: Final = Deal()
#: Classes of those parts.
PARTS: Final[Mapping[str, type]] = {"deal": Deal, "deck-file": DeckFile, "deck-next": DeckFile}


def mode(game: Game) -> Mode:
    """Return how far this table plays with the deck."""
    return MODES[game.setting("cards_mode")]


@memo_by_identity
def faces_in(file: DeckFile | None) -> Mapping[str, Face]:
    """Return the cards of a table's own file, or of the default deck, by id."""
    if file is None:
        return default_faces()
    return {face.id: face for face in file.faces}


@memo_by_identity
def kinds_in(file: DeckFile | None) -> Mapping[str, CardKind]:
    """Return the kinds of cards, with those of a table's own file."""
    if file is None:
        return KINDS
    return {**KINDS, **{kind.key: kind for kind in file.kinds}}


@memo_by_identity
def deck_in(file: DeckFile | None) -> Deck:
    """Return the deck of a table's own file, or the default deck, as shared code knows decks."""
    kinds = kinds_in(file)
    title = "MasterBook" if file is None else file.title
    faces = faces_in(file).values()
    return Deck(
        DECK,
        title,
        tuple(Card(face.id, kinds[face.kind].name, text=face.text) for face in faces),
    )


def deck_of(game: Game) -> Deck | None:
    """Return the deck in use; None if the table plays without cards."""
    if mode(game).hands or mode(game).lines:
        return deck_in(game.state.own.get(FILE))
    return None


def for_all(code: str, /, **said: Value) -> Note:
    """Return a sentence that everyone reads."""
    return Note(Text(code, said), FOR_EVERYONE)


def has_deck(game: Game) -> bool:
    """Return whether an adventure with cards is under way."""
    return bool(game.state.decks.get(DECK)) and DEAL in game.state.own


def current_cards(game: Game) -> Cards:
    """Return the deck as it lies; without an adventure with cards, an empty one."""
    piles, deal = _NOTHING, _NOBODY
    if has_deck(game):
        piles, deal = game.state.decks[DECK], game.state.own[DEAL]
    file: DeckFile | None = game.state.own.get(FILE)

    def points(who: str) -> int:
        return game.sheet(who).life_points if who in game.state.characters else 0

    return Cards(piles, deal, faces_in(file), kinds_in(file), game.setting, points)


def require_cards(game: Game) -> Cards:
    """Return the deck as it lies.

    Raises Impossible("mb-card-none") while no adventure with cards is under way.
    """
    if not has_deck(game):
        raise Impossible("mb-card-none")
    return current_cards(game)


def next_deck_file(game: Game) -> DeckFile | None:
    """Return the file of the next adventure's deck; None for the default deck.

    It is the one brought for the next adventure, else the one in use.
    """
    file: DeckFile | None = game.state.own.get(NEXT, game.state.own.get(FILE))
    return file if file is not None and file.faces else None


def with_next_deck(game: Game, file: DeckFile | None) -> Game:
    """Return the game with a deck for the next adventure (MB-CARD-D06).

    While no adventure is under way, the deck is in use at once.
    """
    state, deal = game.state, current_cards(game).deal
    if deal.limit:
        return game.with_state(state.with_own(NEXT, file or DeckFile("", ())))
    state = state.with_own(NEXT, None).with_own(FILE, file)
    if (before := state.decks.get(DECK)) is not None:
        # Sealed orders outlast an adventure and its deck. A new deck publishes none of them.
        piles = lay_out_deck(faces_in(file)).replace(
            older=before.older, sealed=before.sealed, opened=before.opened
        )
        state = state.replace(decks={**state.decks, DECK: piles})
    if (flip := deal.round) is not None:
        # Where cards decide nothing but initiative, rounds go on without an adventure. The next
        # card comes from the new deck.
        state = state.with_own(DEAL, deal.replace(round=flip.replace(card="", kept=False)))
    return game.with_state(state)


def next_file(game: Game) -> Game:
    """Return the game with the next adventure's deck in use."""
    return game.with_state(game.state.with_own(FILE, next_deck_file(game)).with_own(NEXT, None))


def with_payments(game: Game, moves: Iterable[CardChange]) -> Game:
    """Return the game with the Life Points among these changes on the sheets (MB-GM-06)."""
    for move in moves:
        if move.who not in game.state.characters:
            continue
        sheet: MasterbookSheet = game.sheet(move.who)
        if move.what == "life-points":
            sheet = sheet.replace(life_points=sheet.life_points + move.number)
        elif move.what == "surplus":
            sheet = sheet.replace(surplus=sheet.surplus + move.number)
        elif move.what == "converted":
            gained = LIFE_POINT_WORTH * move.number
            sheet = sheet.replace(skill_points=sheet.skill_points + gained)
        else:
            continue
        game = game.with_sheet(move.who, sheet)
    return game


def with_cards(game: Game, cards: Cards) -> Game:
    """Return the game with this deck, and with the Life Points of its changes on the sheets."""
    game = with_payments(game, cards.changes)
    state = game.state
    decks, own = state.decks, state.own
    if cards.piles is not decks.get(DECK):
        decks = {**decks, DECK: cards.piles}
    if cards.deal is not own.get(DEAL):
        own = {**own, DEAL: cards.deal}
    if decks is state.decks and own is state.own:
        return game
    return game.with_state(state.replace(decks=decks, own=own))
