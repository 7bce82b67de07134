"""The deck at a table: where its cards lie in the table's state, and what the table plays of it
(MB-CARD-N02).
"""

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

#: The id of the deck at a table, and the parts of the state that are kept of it.
DECK: Final = "masterbook"
DEAL: Final = "deal:masterbook"
FILE: Final = "deck-file:masterbook"
#: A deck for the next adventure: one that is under way keeps its own (MB-CARD-D06). Without cards
#: it is the default.
NEXT: Final = "deck-next:masterbook"
_NOTHING: Final = Piles({})
_NOBODY: Final = Deal()
#: The classes of those parts.
PARTS: Final[Mapping[str, type]] = {"deal": Deal, "deck-file": DeckFile, "deck-next": DeckFile}


def mode(game: Game) -> Mode:
    """How far this table plays with the deck."""
    return MODES[game.setting("cards_mode")]


@memo_by_identity
def faces_in(file: DeckFile | None) -> Mapping[str, Face]:
    """What stands on the cards of a table's own file, without one on the default ones."""
    return default_faces() if file is None else {each.id: each for each in file.faces}


@memo_by_identity
def kinds_in(file: DeckFile | None) -> Mapping[str, CardKind]:
    """The kinds of cards there are with a table's own file, or without one."""
    return KINDS if file is None else {**KINDS, **{each.key: each for each in file.kinds}}


@memo_by_identity
def deck_in(file: DeckFile | None) -> Deck:
    """The deck of a table's own file, or the default one, as what all decks share."""
    faces, rows = faces_in(file), kinds_in(file)
    return Deck(
        DECK,
        "MasterBook" if file is None else file.title,
        tuple([Card(each.id, rows[each.kind].name, text=each.text) for each in faces.values()]),
    )


def deck_of(game: Game) -> Deck | None:
    """The deck in use; None while the table plays without."""
    return deck_in(game.state.own.get(FILE)) if mode(game).hands or mode(game).lines else None


def for_all(code: str, /, **said: Value) -> Note:
    """A sentence that everybody reads."""
    return Note(Text(code, said), FOR_EVERYONE)


def has_deck(game: Game) -> bool:
    """Whether there is a deck on the table: an adventure with cards is under way."""
    return bool(game.state.decks.get(DECK)) and DEAL in game.state.own


def current_cards(game: Game) -> Cards:
    """The deck as it lies; before an adventure with cards is under way nobody holds any, and
    nothing lies anywhere.
    """
    there = (
        (game.state.decks[DECK], game.state.own[DEAL]) if has_deck(game) else (_NOTHING, _NOBODY)
    )
    file: DeckFile | None = game.state.own.get(FILE)

    def points(who: str) -> int:
        return game.sheet(who).life_points if who in game.state.characters else 0

    return Cards(*there, faces_in(file), kinds_in(file), game.setting, points)


def require_cards(game: Game) -> Cards:
    """The deck as it lies. Impossible("mb-card-none") while no adventure with cards is
    under way.
    """
    if not has_deck(game):
        raise Impossible("mb-card-none")
    return current_cards(game)


def next_deck_file(game: Game) -> DeckFile | None:
    """The file of the next adventure's deck: what was brought for it, else the one in use; None:
    the default deck.
    """
    file: DeckFile | None = game.state.own.get(NEXT, game.state.own.get(FILE))
    return file if file is not None and file.faces else None


def with_next_deck(game: Game, file: DeckFile | None) -> Game:
    """The game with a deck for the next adventure; it is in use at once where none is under way
    (MB-CARD-D06).
    """
    state, deal = game.state, current_cards(game).deal
    if deal.limit:
        return game.with_state(state.with_own(NEXT, file or DeckFile("", ())))
    state = state.with_own(NEXT, None).with_own(FILE, file)
    if (before := state.decks.get(DECK)) is not None:
        # What outlasts an adventure outlasts its deck; no order of that becomes public by this.
        piles = lay_out_deck(faces_in(file)).replace(
            older=before.older, sealed=before.sealed, opened=before.opened
        )
        state = state.replace(decks={**state.decks, DECK: piles})
    if (now := deal.round) is not None:
        # Where cards say who acts first and nothing else, rounds go on; the next card is one of the
        # new deck.
        state = state.with_own(DEAL, deal.replace(round=now.replace(card="", kept=False)))
    return game.with_state(state)


def next_file(game: Game) -> Game:
    """The game with the deck of the next adventure in use."""
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
    """The game with the deck as it lies now, and with what has happened to it paid in Life
    Points.
    """
    game = with_payments(game, cards.told)
    state = game.state
    decks = (
        state.decks if cards.piles is state.decks.get(DECK) else {**state.decks, DECK: cards.piles}
    )
    own = state.own if cards.deal is state.own.get(DEAL) else {**state.own, DEAL: cards.deal}
    return (
        game
        if decks is state.decks and own is state.own
        else game.with_state(state.replace(decks=decks, own=own))
    )
