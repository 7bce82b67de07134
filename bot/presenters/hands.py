"""Messages about playing cards: acts with them, a player's hand, and the piles of a deck."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from bot.presenters.blocks import block_pieces
from bot.presenters.catalog_cards import card
from bot.presenters.control_limits import menu
from bot.presenters.controls import (
    BUTTONS_PER_ROW,
    Button,
    Control,
    Drawing,
    Option,
    Picture,
    Rows,
    Select,
    Style,
    button_rows,
    page_turns,
    prompt_id,
)
from bot.presenters.drawing.card_faces import can_draw_card, card_faces, card_lines, card_picture
from bot.presenters.drawing.deck_faces import Face, can_draw_face, face_picture, strips_picture
from bot.presenters.language.limits import BUTTON_LABEL, OPTION_TEXT, clip
from bot.presenters.language.text import Markdown, listing, user_text, with_capital
from bot.presenters.language.words import label_text, phrase, say, say_bare
from bot.presenters.layout import Layout, Piece, Section, build_layout
from bot.presenters.npc import bare_name
from bot.presenters.scene import Scene
from rules.core.cards import Card as PlayingCard
from rules.core.cards import Deck, Piles
from rules.core.cards.piles import DISCARD_PILE, DRAW_PILE
from rules.core.record import Record
from rules.registry import read_only_game
from rules.table.actions import Actor
from rules.table.blocks import Text
from rules.table.chance.cards import (
    STANDARD_DECK,
    deck_of,
    decks_of,
    hand_place,
    open_offers,
    open_place,
    piles_of,
    system_deck,
)
from rules.table.check import ANY_GM
from rules.table.checks.available_moves import available_moves
from rules.table.events import CardsMoved
from rules.table.state import TableState
from rules.table.system import CardHolder, CardPicture, Game

#: File name of a picture of cards.
CARDS_FILENAME: Final = "cards.png"
#: Cards on a page of a hand, and most letters about each.
_PAGE_CARDS: Final = 5
_ABOUT_LENGTH: Final = 90
#: Most offers that have buttons.
_MAX_OFFERS: Final = 3
#: Most cards in a picture, and most pictures in a message.
_PICTURE_CARDS: Final = 6
_MAX_PICTURES: Final = 4
#: Most cards of a system's deck in a picture, a strip each.
_MAX_STRIPS: Final = 5
#: Label of the button for each act with a card. Three dots: it asks something first.
_LABELS: Final = {
    "play": label_text("button-play"),
    "pool": label_text("button-to-pool"),
    "give": label_text("button-give"),
    "show": label_text("button-show"),
    "discard": label_text("button-discard"),
    "open": label_text("button-open"),
}
#: Labels that a system's deck has instead.
_RULED_LABELS: Final = {"give": label_text("button-trade")}
#: Acts that the button beside a card does at once; for any other act it opens the card.
_BESIDE: Final = frozenset({"play", "pool", "give"})
#: Acts with a deck, with the labels of their buttons.
DECK_VERBS: Final = {
    "draw": label_text("button-draw"),
    "hand": label_text("button-hand"),
    "shuffle": label_text("button-shuffle"),
}


def _find(deck: Deck, card_id: str) -> PlayingCard:
    """Return a card of the deck; by its bare id if the deck no longer has such a card."""
    return next((card for card in deck.cards if card.id == card_id), PlayingCard(card_id, card_id))


def _names(deck: Deck, cards: Iterable[str]) -> str:
    """Return the names of cards in a sentence.

    Standard cards have an article (`the queen of hearts and the two of clubs`), other cards quotes.
    """
    names = [user_text(_find(deck, card_id).name) for card_id in cards]
    return listing(f"the {name}" if deck.id == STANDARD_DECK else f"“{name}”" for name in names)


def _card_texts(deck: Deck, cards: Iterable[str]) -> list[str]:
    """Return the texts on the cards that have one, each once."""
    lines: list[str] = []
    for one in dict.fromkeys(_find(deck, card_id).replace(id="") for card_id in cards):
        parts = [user_text(one.text, lines=True)] if one.text else []
        for name, value in one.fields:
            parts.append(f"{user_text(name)}: {user_text(value, lines=True)}")
        if parts:
            lines.append(f"**{user_text(one.name)}** – {' · '.join(parts)}")
    return lines


# --- pictures -------------------------------------------------------------------------------------


def _pictures(deck: Deck, cards: Iterable[str]) -> list[Picture]:
    """Return pictures of cards in the size of a phone, or none if a name can't be drawn.

    The text of the message has everything.
    """
    shown = [_find(deck, card_id) for card_id in cards]
    if not all(map(can_draw_card, shown)):
        return []
    pages: list[tuple[Sequence[PlayingCard], str]] = []
    for at in range(0, min(len(shown), _PICTURE_CARDS * _MAX_PICTURES), _PICTURE_CARDS):
        page = shown[at : at + _PICTURE_CARDS]
        pages.append((page, f"Cards: {listing(one.name for one in page)}."))
    return _page_pictures(card_faces, pages)


def _page_pictures(draw: Callable[..., bytes], pages: Iterable[tuple[Any, str]]) -> list[Picture]:
    """Return a picture of each page, with its content in words."""
    pictures: list[Picture] = []
    for number, (page, alt) in enumerate(pages, 1):
        filename = f"cards-{number}.png" if number > 1 else CARDS_FILENAME
        pictures.append(Picture(filename, Drawing(draw, (page,)), alt[:1000]))
    return pictures


def _face(picture: CardPicture) -> Face:
    """Return the face of a system's card as texts."""
    scenes: list[tuple[str, tuple[tuple[bool, str, str, bool], ...]]] = []
    for title, sides in picture.scenes:
        lines = tuple(
            (own, say_bare(who), say_bare(word), strong) for own, who, word, strong in sides
        )
        scenes.append((say_bare(title), lines))
    kind = say_bare(picture.when) if picture.when else ""
    effect = say_bare(picture.about) if picture.about else ""
    lines = tuple(say_bare(line) for line in picture.lines)
    return picture.name, picture.number, kind, effect, tuple(scenes), lines


def _alt_text(face: Face) -> str:
    """Return everything on a card in words."""
    name, number, kind, effect, scenes, lines = face
    words = [f"Card {number}: {name}.", kind, effect]
    for title, sides in scenes:
        parts = ", ".join(f"{who} {word}" for _, who, word, _ in sides)
        words.append(f"{title}: {parts}.")
    words += [f"{line}." for line in lines]
    return " ".join(filter(None, words))


def card_pictures(game: Game, cards: Iterable[str]) -> list[Picture]:
    """Return pictures of a system's cards: a single one whole, several as strips.

    Return none if a name can't be drawn.
    """
    rules = game.system.cards
    if rules is None:
        return []
    pictures = (rules.face(game, card_id) for card_id in cards)
    faces = [_face(picture) for picture in pictures if picture]
    if not faces or not all(map(can_draw_face, faces)):
        return []
    if len(faces) == 1:
        return _page_pictures(face_picture, [(faces[0], _alt_text(faces[0]))])
    strips = [(name, number, effect) for name, number, _, effect, _, _ in faces]
    pages: list[tuple[Any, str]] = []
    for at in range(0, len(strips), _MAX_STRIPS):
        page = tuple(strips[at : at + _MAX_STRIPS])
        alt = " ".join([f"Card {number}: {name}. {effect}" for name, number, effect in page])
        pages.append((page, alt))
    return _page_pictures(strips_picture, pages)


# --- acts with cards ------------------------------------------------------------------------------


def hand_button(table_id: int, deck: str) -> Button:
    """Return the button that shows players their own hand of a deck."""
    return Button(f"sg:deck:{table_id}:{deck}:hand", DECK_VERBS["hand"])


def pool_button(table_id: int, deck: str) -> Button:
    """Return the button that shows a player's hand, to pool a card of it."""
    return Button(f"sg:deck:{table_id}:{deck}:hand", label_text("button-to-pool-first"), "primary")


def _offer_card(event: CardsMoved, scene: Scene, names: Markdown) -> Layout:
    """Return an offered card, for its giver or its taker, with buttons until the answer."""
    code, verbs = "card-offering", (("leave", label_text("button-withdraw-offer")),)
    if event.audience.people == (event.to,):
        code = "card-offered"
        verbs = (("take", label_text("button-accept")), ("leave", label_text("button-decline")))
    base = f"sg:offer:{scene.table_id}:{event.deck}:{event.offer}"
    buttons = tuple(Button(f"{base}:{verb}", label) for verb, label in verbs)
    offers = open_offers(piles_of(scene.state, event.deck))
    waits = any(offer.number == event.offer for offer in offers)
    rows = (buttons,) if waits else ()
    return card("own", code, scene.names, about=event, cards=names, rows=rows)


def cards_moved_card(event: CardsMoved, scene: Scene) -> Layout:
    """Return what was done with cards, which are named if this audience may know them."""
    # The deck may have been removed since.
    deck = decks_of(read_only_game(scene.state)).get(event.deck) or Deck(event.deck, event.deck, ())
    names, mine = Markdown(_names(deck, event.cards)), not event.audience.is_open
    if event.step == "offered":
        return _offer_card(event, scene, names)
    code, accent = f"cards-{event.step}", "own" if mine else "waiting"
    parts: list[str | Piece] = []
    if event.step in ("shuffled", "reshuffled", "gathered"):
        code, accent = "cards-shuffled", "waiting"
    elif event.step == "returned":
        accent = "own"
    elif event.step == "drawn" and mine:
        code = "cards-drawn-by-you"
    if code in ("cards-drawn-by-you", "cards-shown", "cards-played"):
        game = read_only_game(scene.state)
        ours = deck.id != STANDARD_DECK and system_deck(game, deck.id) is not None
        pictures = card_pictures(game, event.cards) if ours else _pictures(deck, event.cards)
        parts = [*_card_texts(deck, event.cards), *pictures]
    about = {"cards": names, "mine": mine, "own": event.by == event.giver}
    rows: Rows = ()
    if mine and event.step in ("drawn", "taken", "returned"):
        rows = ((hand_button(scene.table_id, event.deck),),)
    return card(accent, code, scene.names, *parts, about=event, rows=rows, **about)


def cards_out_count(state: TableState) -> int:
    """Return how many cards of the standard deck are in hands, face up, or on offer."""
    piles = piles_of(state, STANDARD_DECK)
    inside = sum(len(piles.cards_at(pile)) for pile in (DRAW_PILE, DISCARD_PILE))
    return len(deck_of(read_only_game(state), STANDARD_DECK).cards) - inside


def cards_still_out(count: int) -> Layout:
    """Return the warning when a table opens while cards of the channel's own deck are out."""
    return card("waiting", "cards-before", None, count=count)


# --- a hand ---------------------------------------------------------------------------------------


class _HandCard(Record):
    """A card of a player as the player's panel shows it."""

    id: str
    name: str
    #: Where the card lies; empty for the hand.
    where: str
    #: What the card says, in Markdown.
    about: str
    #: What can be done with the card, the likeliest first.
    verbs: tuple[str, ...]


class Hand:
    """A player's own cards of a deck as the player's panel shows them.

    The cards in the hand come first, then those face up in front of the player. The rules of a
    system list the cards of its own deck (`ruled`).
    """

    def __init__(self, scene: Scene, who: str, deck: str) -> None:
        self.game, self.scene, self.who = read_only_game(scene.state), scene, who
        rules, own_deck = self.game.system.cards, system_deck(self.game, deck)
        self.deck = deck_of(self.game, deck)
        piles = piles_of(scene.state, self.deck.id)
        self.ruled = own_deck is not None
        if rules is not None and own_deck is not None:
            self.deck, piles = own_deck, Piles({})
            self.shown = [
                _HandCard(held.card, held.name, say_bare(held.where), say(held.about), held.verbs)
                for held in rules.held(self.game, who)
            ]
        else:
            self.shown = _cards_of_player(self.deck, piles, who)
        self.offers = [offer for offer in open_offers(piles) if who in (offer.giver, offer.to)]
        places = [(held.id, held.where, held.verbs) for held in self.shown]
        numbers = [offer.number for offer in self.offers]
        #: Digest of the cards' places in every button. It shows that a panel is out of date.
        self.mark = f"{zlib.crc32(f'{places}{numbers}'.encode()):x}"
        self.base = f"sg:hand:{scene.table_id}:{self.deck.id}:{self.mark}"

    @property
    def cards(self) -> tuple[str, ...]:
        """Ids of all cards; a button names a card by its place here."""
        return tuple(held.id for held in self.shown)

    @property
    def partners(self) -> tuple[CardHolder, ...]:
        """Other participants who hold cards of this deck."""
        rules = self.game.system.cards
        if rules is None:
            return ()
        return tuple(
            holder for holder in rules.holders(self.game) if holder.participant != self.who
        )

    def partner_name(self, partner: CardHolder) -> str:
        """Return the name of a card holder and their player, without Markdown."""
        character = self.scene.state.characters[partner.character]
        return f"{bare_name(character, gm=False)} ({self.scene.names.name(partner.participant)})"

    def button(self, place: int, verb: str, style: Style = "secondary") -> Button:
        """Return the button for an act with the card at a place."""
        labels = _LABELS | _RULED_LABELS if self.ruled else _LABELS
        return Button(f"{self.base}:{verb}:{place}", labels[verb], style)


def _cards_of_player(deck: Deck, piles: Piles, who: str) -> list[_HandCard]:
    """Return the cards of a player's hand, then those face up."""
    cards: list[_HandCard] = []
    for card_id in piles.cards_at(hand_place(who)):
        verbs = ("play", "show", "discard", "give")
        cards.append(_hand_card(_find(deck, card_id), card_id, "", verbs))
    for card_id in piles.cards_at(open_place(who)):
        cards.append(_hand_card(_find(deck, card_id), card_id, "face up", ("discard",)))
    return cards


def _hand_card(one: PlayingCard, card_id: str, where: str, verbs: tuple[str, ...]) -> _HandCard:
    about = user_text(clip(one.text, _ABOUT_LENGTH))
    return _HandCard(card_id, with_capital(one.name), where, about, verbs)


def hand_panel(hand: Hand, at: int = 0, said: str = "", *, more: Rows = ()) -> Layout:
    """Return the page of a hand that has the card at a place.

    Beside each card stands the likeliest act, and a menu opens one. `said` is what was just done;
    `more` stands below.
    """
    pages = -(-len(hand.shown) // _PAGE_CARDS) or 1
    page = min(at // _PAGE_CARDS, pages - 1)
    first = page * _PAGE_CARDS
    parts: list[str | Piece] = [said]
    entries: list[Option] = []
    for place, one in enumerate(hand.shown[first : first + _PAGE_CARDS], first):
        parts.append(_card_line(hand, place, one))
        entries.append(Option(str(place), clip(one.name, OPTION_TEXT), one.where))
    rows: list[tuple[Control, ...]] = []
    if entries:
        rows.append((Select(f"{hand.base}:open", label_text("menu-open-card"), tuple(entries)),))
    elif hand.ruled:
        parts.append(_empty_hand_text(hand))
    else:
        draw = f"sg:deck:{hand.scene.table_id}:{hand.deck.id}:draw"
        rows.append((Button(draw, DECK_VERBS["draw"], "primary"),))
    offered, declining = _offer_pieces(hand)
    rows += [tuple(declining)] if declining else []
    rows += page_turns(page, pages, lambda to: f"{hand.base}:page:{to * _PAGE_CARDS}")
    rows += more
    counts = Counter(one.where or "in hand" for one in hand.shown)
    small = ", ".join([f"{where} {number}" for where, number in counts.items()])
    # Cards face up in front of a player are theirs too, but not in the hand.
    title = say(Text("hand-counts", {"counts": Markdown(small)}))
    pictures: list[Picture] = []
    if hand.ruled:
        rows += button_rows(_waiting_buttons(hand), BUTTONS_PER_ROW)
        pictures = card_pictures(hand.game, hand.cards[first : first + _PAGE_CARDS])
    else:
        title = say(Text("hand-size", {"count": counts["in hand"]}))
        title += "" if hand.deck.id == STANDARD_DECK else f" · {user_text(hand.deck.name)}"
    if hand.ruled or "face up" not in counts:
        small = ""
    if pages > 1:
        small = " · ".join(filter(None, (small, f"page {page + 1} of {pages}")))
    return build_layout("own", title, *parts, *offered, *pictures, rows=tuple(rows), small=small)


def _card_line(hand: Hand, place: int, one: _HandCard) -> str | Section:
    """Return a card of a hand, with the button of its likeliest act."""
    text = f"**{user_text(one.name)}**"
    if one.where:
        text += f", {one.where}"
    if one.about:
        text += f"\n{one.about}"
    if not one.verbs:
        return text
    style: Style = "primary" if hand.ruled and one.verbs[0] == "play" else "secondary"
    beside = one.verbs[0] in _BESIDE or one.verbs == ("discard",)
    return Section(text, hand.button(place, one.verbs[0] if beside else "open", style))


def _empty_hand_text(hand: Hand) -> str:
    """Return that a hand is empty, and how its owner gets cards where something has to be done."""
    rules = hand.game.system.cards
    dealt_by = None if rules is None else rules.dealt_by(hand.game, hand.who)
    lines = [Text("hand-empty"), *([] if dealt_by is None else [dealt_by])]
    return " ".join(map(say, lines))


def _waiting_buttons(hand: Hand) -> list[Button]:
    """Return buttons for open questions about a hand, such as filling it up."""
    game = hand.game.replace(actor=Actor(hand.who))
    buttons: list[Button] = []
    for move in available_moves(game):
        check = game.state.checks[move.check]
        open_prompt = check.prompt(move.prompt)
        if check.actor or move.offer or move.who == ANY_GM or open_prompt is None:
            continue
        prompt = open_prompt.prompt
        if prompt.button is not None:
            id = prompt_id(hand.scene.table_id, check.id, open_prompt.number, prompt.key)
            label = clip(say_bare(Text(prompt.button)), BUTTON_LABEL)
            buttons.append(Button(id, label, "primary"))
    return buttons


def _offer_pieces(hand: Hand) -> tuple[list[str | Piece], list[Button]]:
    """Return the offers by and to a player, and the buttons that decline.

    The first offers have a button to accept or withdraw.
    """
    pieces: list[str | Piece] = []
    declining: list[Button] = []
    for number, offer in enumerate(hand.offers):
        mine = offer.giver == hand.who
        other = hand.scene.names.mention(offer.to if mine else offer.giver)
        text = phrase(
            "hand-offered",
            other=Markdown(other),
            mine=mine,
            cards=Markdown(_names(hand.deck, (offer.card,))),
        )
        if number >= _MAX_OFFERS:
            pieces.append(text)
            continue
        base = f"sg:offer:{hand.scene.table_id}:{hand.deck.id}:{offer.number}"
        if mine:
            leave = Button(f"{base}:leave", label_text("button-withdraw-offer"))
            pieces.append(Section(text, leave))
        else:
            name = _find(hand.deck, offer.card).name
            accept = clip(label_text("button-accept", card=name), BUTTON_LABEL)
            decline = clip(label_text("button-decline", card=name), BUTTON_LABEL)
            pieces.append(Section(text, Button(f"{base}:take", accept)))
            declining.append(Button(f"{base}:leave", decline))
    return pieces, declining


# --- one card of a hand ---------------------------------------------------------------------------


def held_card_panel(hand: Hand, place: int) -> Layout:
    """Return one of the player's cards, large, with everything that can be done with it."""
    one = hand.shown[place]
    if hand.ruled:
        pictures, texts = card_pictures(hand.game, (one.id,)), [one.about]
    else:
        pictures = _large_pictures(_find(hand.deck, one.id))
        texts = _card_texts(hand.deck, (one.id,))
    rows: list[tuple[Control, ...]] = []
    if "give" in one.verbs and (receivers := _receiver_menu(hand, place)) is not None:
        rows.append((receivers,))
    verbs = [verb for verb in one.verbs if verb != "give"]
    buttons: list[Button] = []
    for verb in verbs:
        is_likeliest = verb == verbs[0] and verb in _BESIDE
        buttons.append(hand.button(place, verb, "primary" if is_likeliest else "secondary"))
    rows.append((*buttons, Button(f"{hand.base}:page:{place}", label_text("button-back"))))
    where = phrase("hand-face-up") if one.where == "face up" else one.where
    return build_layout(
        "own", user_text(one.name), *(pictures or texts), rows=tuple(rows), small=where
    )


def _receiver_menu(hand: Hand, place: int) -> Select | None:
    """Return the menu of the players who can get a card; None if no player can."""
    id = f"{hand.base}:give:{place}"
    if not hand.ruled:
        return Select(id, label_text("menu-offer-to"), kind="user")
    partners = hand.partners
    if not partners:
        return None
    choices = [(partner.participant, hand.partner_name(partner)) for partner in partners]
    return menu(id, label_text("menu-trade-with"), choices)


def show_question(hand: Hand, place: int) -> Layout:
    """Return the question before a card is shown to everybody."""
    rows = (
        (
            Button(f"{hand.base}:reveal:{place}", label_text("button-show-now"), "danger"),
            Button(f"{hand.base}:page:{place}", label_text("button-back")),
        ),
    )
    return card("own", "hand-show-question", None, rows=rows, card=_card_name(hand, place))


def discard_question(hand: Hand, place: int) -> Layout:
    """Return the question before a card is discarded."""
    rows = (
        (
            Button(f"{hand.base}:drop:{place}", label_text("button-discard-now"), "danger"),
            Button(f"{hand.base}:page:{place}", label_text("button-back")),
        ),
    )
    return card("own", "hand-discard-question", None, rows=rows, card=_card_name(hand, place))


def offer_question(hand: Hand, place: int, to: str) -> Layout:
    """Return the question before a card is offered: the card, and who gets it."""
    rows = (
        (
            Button(f"{hand.base}:offer:{place}:{to}", label_text("button-offer"), "primary"),
            Button(f"{hand.base}:page:{place}", label_text("button-back")),
        ),
    )
    about = {"card": _card_name(hand, place), "to": to, "trade": hand.ruled}
    return card("own", "hand-offer-question", hand.scene.names, rows=rows, **about)


def _card_name(hand: Hand, place: int) -> Markdown:
    """Return the name of one of these cards for a sentence."""
    if hand.ruled:
        return Markdown(user_text(hand.shown[place].name))
    return Markdown(_names(hand.deck, (hand.cards[place],)))


def _large_pictures(one: PlayingCard) -> list[Picture]:
    """Return a picture of a card in the size of a phone; none if the card can't be drawn."""
    if (lines := card_lines(one)) is None:
        return []
    alt = [f"Card: {one.name}.", one.text, *(f"{name}: {value}." for name, value in one.fields)]
    return [
        Picture(CARDS_FILENAME, Drawing(card_picture, (one, *lines)), " ".join(filter(None, alt)))
    ]


def hand_action_line(hand: Hand, verb: str, place: int) -> str:
    """Return what a player did with a card of the hand; empty if a system's rules tell it."""
    if hand.ruled:
        return ""
    return phrase(f"hand-{verb}", card=_card_name(hand, place), hidden=not hand.shown[place].where)


def deck_card(scene: Scene, key: str) -> Layout:
    """Return what every reader may know: how many cards lie where, and which are face up."""
    game = read_only_game(scene.state)
    rules, own_deck = game.system.cards, system_deck(game, key)
    if rules is not None and own_deck is not None:
        return build_layout(
            "own",
            user_text(own_deck.name),
            *block_pieces(rules.lies(game)),
            *card_pictures(game, rules.pooled(game)),
            rows=((hand_button(scene.table_id, own_deck.id),),),
        )
    deck = deck_of(game, key)
    piles = piles_of(scene.state, deck.id)
    rows = _deck_rows(scene, game, deck)
    if not piles.places:
        count = len(deck.cards)
        return card("own", "deck-untouched", None, name=deck.name, count=count, rows=rows)
    about = {
        "name": deck.name,
        "draw": len(piles.cards_at(DRAW_PILE)),
        "discard": len(piles.cards_at(DISCARD_PILE)),
        "aside": len(open_offers(piles)),
    }
    return card("own", "deck", None, *_holder_lines(scene, deck, piles), rows=rows, **about)


def _deck_rows(scene: Scene, game: Game, deck: Deck) -> Rows:
    """Return the buttons of a deck, and the menu of the other decks."""
    base = f"sg:deck:{scene.table_id}:{deck.id}"
    buttons = tuple(Button(f"{base}:{verb}", label) for verb, label in DECK_VERBS.items())
    others = [(other.id, other.name) for key, other in decks_of(game).items() if key != deck.id]
    if not others:
        return (buttons,)
    return buttons, (menu(f"{base}:other", label_text("menu-other-deck"), others),)


def _holder_lines(scene: Scene, deck: Deck, piles: Piles) -> list[str]:
    """Return a line for each player's hand, and for each player's cards face up."""
    lines: list[str] = []
    for place, cards in sorted(piles.places.items()):
        kind, _, who = place.partition(":")
        if kind == "hand":
            holder = Markdown(scene.names.mention(who))
            lines.append(phrase("deck-held", who=holder, count=len(cards)))
        elif kind == "open":
            holder = Markdown(scene.names.mention(who))
            lines.append(phrase("deck-open", who=holder, cards=Markdown(_names(deck, cards))))
    return lines
