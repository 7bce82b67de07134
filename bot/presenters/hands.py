"""Cards drawn, shown, played, offered; somebody's hand, and what lies where."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterable
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
from rules.table.cards import (
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

#: The file that a picture of cards comes in.
CARDS_FILENAME: Final = "cards.png"
#: Cards on a page of a hand, what is told there of each, and how many offers have buttons.
_A_PAGE: Final = 5
_ABOUT: Final = 90
_OFFERS: Final = 3
#: Cards in a picture, and pictures on a card; of a deck that belongs to a system the most strips in
#: a picture.
_PICTURED: Final = 6
_PICTURES: Final = 4
_STRIPS: Final = 5
#: Label of the button for each act with a card. Three dots: it asks something first.
_LABELS: Final = {
    "play": label_text("button-play"),
    "pool": label_text("button-to-pool"),
    "give": label_text("button-give"),
    "show": label_text("button-show"),
    "discard": label_text("button-discard"),
    "open": label_text("button-open"),
}
#: The same of a deck that belongs to a system, where it differs.
_RULED_LABELS: Final = {"give": label_text("button-trade")}
#: Acts that the button beside a card does at once; for any other act it opens the card.
_BESIDE: Final = frozenset({"play", "pool", "give"})
#: What can be done with a deck from its card, and what the buttons say.
DECK_VERBS: Final = {
    "draw": label_text("button-draw"),
    "hand": label_text("button-hand"),
    "shuffle": label_text("button-shuffle"),
}


def _find(deck: Deck, card_id: str) -> PlayingCard:
    """A card of the deck; by its bare id where the deck has none of that id any more."""
    return next((each for each in deck.cards if each.id == card_id), PlayingCard(card_id, card_id))


def _names(deck: Deck, cards: Iterable[str]) -> str:
    """`the queen of hearts and the two of clubs`; cards of other decks by their names alone."""
    names = [user_text(_find(deck, each).name) for each in cards]
    return listing(f"the {name}" if deck.id == STANDARD_DECK else f"“{name}”" for name in names)


def _card_texts(deck: Deck, cards: Iterable[str]) -> list[str]:
    """What stands on the cards that say something, each once."""
    lines: list[str] = []
    for one in dict.fromkeys(_find(deck, each).replace(id="") for each in cards):
        parts = [user_text(one.text, lines=True)] if one.text else []
        parts += [
            f"{user_text(name)}: {user_text(value, lines=True)}" for name, value in one.fields
        ]
        if parts:
            lines.append(f"**{user_text(one.name)}** – {' · '.join(parts)}")
    return lines


def _pictures(deck: Deck, cards: Iterable[str]) -> list[Picture]:
    """The cards as pictures, each to be read on a phone; none where a name cannot be drawn: the
    text has it all.
    """
    shown = [_find(deck, each) for each in cards]
    if not all(map(can_draw_card, shown)):
        return []
    pages = [
        shown[at : at + _PICTURED]
        for at in range(0, min(len(shown), _PICTURED * _PICTURES), _PICTURED)
    ]
    return _page_pictures(
        card_faces, [(page, f"Cards: {listing(each.name for each in page)}.") for page in pages]
    )


def _page_pictures(draw: Callable[..., bytes], pages: Iterable[tuple[Any, str]]) -> list[Picture]:
    """A picture of each page, with what it shows in words."""
    return [
        Picture(
            f"cards-{number}.png" if number > 1 else CARDS_FILENAME,
            Drawing(draw, (page,)),
            alt[:1000],
        )
        for number, (page, alt) in enumerate(pages, 1)
    ]


def _face(found: CardPicture) -> Face:
    scenes = tuple(
        (
            say_bare(title),
            tuple((own, say_bare(who), say_bare(word), strong) for own, who, word, strong in sides),
        )
        for title, sides in found.scenes
    )
    kind, effect = [say_bare(each) if each else "" for each in (found.when, found.about)]
    return (
        found.name,
        found.number,
        kind,
        effect,
        scenes,
        tuple([say_bare(each) for each in found.lines]),
    )


def _alt(face: Face) -> str:
    """Everything that stands on a card, in words."""
    name, number, kind, effect, scenes, lines = face
    told = [
        f"{title}: {', '.join(f'{who} {word}' for _, who, word, _ in sides)}."
        for title, sides in scenes
    ]
    words = [f"Card {number}: {name}.", kind, effect, *told, *[f"{line}." for line in lines]]
    return " ".join(filter(None, words))


def card_pictures(game: Game, cards: Iterable[str]) -> list[Picture]:
    """Cards as one picture: a single one whole, several as strips; none where a name cannot be
    drawn.
    """
    rules = game.system.cards
    faces = [
        _face(face) for each in cards if rules is not None and (face := rules.face(game, each))
    ]
    if not faces or not all(map(can_draw_face, faces)):
        return []
    if len(faces) == 1:
        return _page_pictures(face_picture, [(faces[0], _alt(faces[0]))])
    strips = [(name, number, effect) for name, number, _, effect, _, _ in faces]
    pages = [tuple(strips[at : at + _STRIPS]) for at in range(0, len(strips), _STRIPS)]
    told = [
        " ".join([f"Card {number}: {name}. {effect}" for name, number, effect in page])
        for page in pages
    ]
    return _page_pictures(strips_picture, zip(pages, told, strict=True))


def hand_button(table_id: int, deck: str) -> Button:
    """What shows whoever presses it their hand of a deck."""
    return Button(f"sg:deck:{table_id}:{deck}:hand", DECK_VERBS["hand"])


def pool_button(table_id: int, deck: str) -> Button:
    """Return the button that shows a player's hand, to pool a card of it."""
    return Button(f"sg:deck:{table_id}:{deck}:hand", label_text("button-to-pool-first"), "primary")


def _offer_card(event: CardsMoved, scene: Scene, names: Markdown) -> Layout:
    """For whoever is offered a card, and for whoever offers it; with buttons while it waits for an
    answer.
    """
    code, verbs = "card-offering", (("leave", label_text("button-withdraw-offer")),)
    if event.audience.people == (event.to,):
        code = "card-offered"
        verbs = (("take", label_text("button-accept")), ("leave", label_text("button-decline")))
    base = f"sg:offer:{scene.table_id}:{event.deck}:{event.offer}"
    buttons = tuple([Button(f"{base}:{verb}", label) for verb, label in verbs])
    waits = any(
        each.number == event.offer for each in open_offers(piles_of(scene.state, event.deck))
    )
    rows = (buttons,) if waits else ()
    return card("own", code, scene.names, about=event, cards=names, rows=rows)


def cards_moved_card(event: CardsMoved, scene: Scene) -> Layout:
    """What was done with cards, as far as this audience may know which they are."""
    # Also one that was taken away since.
    deck = decks_of(read_only_game(scene.state)).get(event.deck) or Deck(event.deck, event.deck, ())
    names, mine = Markdown(_names(deck, event.cards)), not event.audience.everyone
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
    told = {"cards": names, "mine": mine, "own": event.by == event.giver}
    opened = hand_button(scene.table_id, event.deck)
    rows = ((opened,),) if mine and event.step in ("drawn", "taken", "returned") else ()
    return card(accent, code, scene.names, *parts, about=event, rows=rows, **told)


def cards_out_count(state: TableState) -> int:
    """How many cards of the standard deck are in hands, face up, or on offer."""
    piles = piles_of(state, STANDARD_DECK)
    inside = sum(len(piles.cards_at(each)) for each in (DRAW_PILE, DISCARD_PILE))
    return len(deck_of(read_only_game(state), STANDARD_DECK).cards) - inside


def cards_still_out(count: int) -> Layout:
    """When a table opens where cards of the channel's own deck are still out."""
    return card("waiting", "cards-before", None, count=count)


class _HandCard(Record):
    """A card of somebody's as their panel shows it: where it lies, what it says in Markdown, and
    what can be done with it, the likeliest first.
    """

    id: str
    name: str
    where: str
    about: str
    verbs: tuple[str, ...]


class Hand:
    """Somebody's own cards of a deck as their panel shows them: those in the hand, then those face
    up in front of them; of a deck that belongs to a system (`ruled`) as its rules say.

    `mark` stands in every button for what lay where: by it a panel that is no longer true is known.
    """

    def __init__(self, scene: Scene, who: str, deck: str) -> None:
        self.game, self.scene, self.who = read_only_game(scene.state), scene, who
        rules, mine = self.game.system.cards, system_deck(self.game, deck)
        self.deck = deck_of(self.game, deck)
        piles = piles_of(scene.state, self.deck.id)
        self.ruled = mine is not None
        if rules is not None and mine is not None:
            self.deck, piles = mine, Piles({})
            self.shown = [
                _HandCard(each.card, each.name, say_bare(each.where), say(each.about), each.verbs)
                for each in rules.held(self.game, who)
            ]
        else:
            found: list[tuple[str, str, tuple[str, ...]]]
            found = [
                (each, "", ("play", "show", "discard", "give"))
                for each in piles.cards_at(hand_place(who))
            ]
            found += [(each, "face up", ("discard",)) for each in piles.cards_at(open_place(who))]
            self.shown = [
                _HandCard(
                    key, with_capital(one.name), where, user_text(clip(one.text, _ABOUT)), verbs
                )
                for key, where, verbs in found
                for one in (_find(self.deck, key),)
            ]
        self.offers = [each for each in open_offers(piles) if who in (each.giver, each.to)]
        lies = [(each.id, each.where, each.verbs) for each in self.shown]
        self.mark = f"{zlib.crc32(f'{lies}{[each.number for each in self.offers]}'.encode()):x}"
        self.base = f"sg:hand:{scene.table_id}:{self.deck.id}:{self.mark}"

    @property
    def cards(self) -> tuple[str, ...]:
        """The ids of all of them; a button says which by its place here."""
        return tuple([each.id for each in self.shown])

    @property
    def partners(self) -> tuple[CardHolder, ...]:
        """The other participants who hold cards of this deck."""
        rules = self.game.system.cards
        if rules is None:
            return ()
        return tuple(each for each in rules.holders(self.game) if each.participant != self.who)

    def partner_name(self, partner: CardHolder) -> str:
        """Return the name of a card holder and their player, without Markdown."""
        character = self.scene.state.characters[partner.character]
        return f"{bare_name(character, gm=False)} ({self.scene.names.name(partner.participant)})"

    def button(self, place: int, verb: str, style: Style = "secondary") -> Button:
        labels = _LABELS | _RULED_LABELS if self.ruled else _LABELS
        return Button(f"{self.base}:{verb}:{place}", labels[verb], style)


def hand_panel(hand: Hand, at: int = 0, said: str = "", *, more: Rows = ()) -> Layout:
    """Return the page of a hand that has the card at a place.

    Beside each card stands the likeliest act, and a menu opens one. `said` is what was just done;
    `more` stands below.
    """
    pages = -(-len(hand.shown) // _A_PAGE) or 1
    page = min(at // _A_PAGE, pages - 1)
    parts: list[str | Piece] = [said]
    entries: list[Option] = []
    for place, one in [*enumerate(hand.shown)][page * _A_PAGE :][:_A_PAGE]:
        where = f", {one.where}" if one.where else ""
        told = f"**{user_text(one.name)}**{where}" + (f"\n{one.about}" if one.about else "")
        style: Style = "primary" if hand.ruled and one.verbs[:1] == ("play",) else "secondary"
        if one.verbs:
            beside = one.verbs[0] in _BESIDE or one.verbs == ("discard",)
            verb = one.verbs[0] if beside else "open"
            parts.append(Section(told, hand.button(place, verb, style)))
        else:
            parts.append(told)
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
    rows += page_turns(page, pages, lambda to: f"{hand.base}:page:{to * _A_PAGE}")
    rows += more
    counts = Counter(one.where or "in hand" for one in hand.shown)
    small = ", ".join([f"{where} {number}" for where, number in counts.items()])
    # Cards face up in front of a player are theirs too, but not in the hand.
    title = say(Text("hand-counts", {"counts": Markdown(small)}))
    pictures: list[Picture] = []
    if hand.ruled:
        rows += button_rows(_waiting_buttons(hand), BUTTONS_PER_ROW)
        pictures = card_pictures(hand.game, hand.cards[page * _A_PAGE :][:_A_PAGE])
    else:
        title = say(Text("hand-size", {"count": counts["in hand"]}))
        title += "" if hand.deck.id == STANDARD_DECK else f" · {user_text(hand.deck.name)}"
    if hand.ruled or "face up" not in counts:
        small = ""
    if pages > 1:
        small = " · ".join(filter(None, (small, f"page {page + 1} of {pages}")))
    return build_layout("own", title, *parts, *offered, *pictures, rows=tuple(rows), small=small)


def _empty_hand_text(hand: Hand) -> str:
    """Return that a hand is empty, and how its owner gets cards where something has to be done."""
    rules = hand.game.system.cards
    dealt_by = None if rules is None else rules.dealt_by(hand.game, hand.who)
    lines = [Text("hand-empty"), *([] if dealt_by is None else [dealt_by])]
    return " ".join(map(say, lines))


def _waiting_buttons(hand: Hand) -> list[Button]:
    """Return buttons for open questions about a hand, such as filling it up."""
    game = hand.game.replace(actor=Actor(hand.who))
    found: list[Button] = []
    for move in available_moves(game):
        check = game.state.checks[move.check]
        asked = check.prompt(move.prompt)
        if check.actor or move.offer or move.who == ANY_GM or asked is None:
            continue
        prompt = asked.prompt
        if prompt.button is not None:
            id = prompt_id(hand.scene.table_id, check.id, asked.number, prompt.key)
            label = clip(say_bare(Text(prompt.button)), BUTTON_LABEL)
            found.append(Button(id, label, "primary"))
    return found


def _offer_pieces(hand: Hand) -> tuple[list[str | Piece], list[Button]]:
    """What is offered to somebody or by them, with a button as far as there is room; and what
    declines it.
    """
    pieces: list[str | Piece] = []
    declining: list[Button] = []
    for number, offer in enumerate(hand.offers):
        mine = offer.giver == hand.who
        other = hand.scene.names.mention(offer.to if mine else offer.giver)
        told = phrase(
            "hand-offered",
            other=Markdown(other),
            mine=mine,
            cards=Markdown(_names(hand.deck, (offer.card,))),
        )
        if number >= _OFFERS:
            pieces.append(told)
            continue
        name, base = (
            _find(hand.deck, offer.card).name,
            f"sg:offer:{hand.scene.table_id}:{hand.deck.id}",
        )
        leave = f"{base}:{offer.number}:leave"
        if mine:
            pieces.append(Section(told, Button(leave, label_text("button-withdraw-offer"))))
        else:
            take = f"{base}:{offer.number}:take"
            pieces.append(
                Section(
                    told, Button(take, clip(label_text("button-accept", card=name), BUTTON_LABEL))
                )
            )
            declining.append(
                Button(leave, clip(label_text("button-decline", card=name), BUTTON_LABEL))
            )
    return pieces, declining


def held_card_panel(hand: Hand, place: int) -> Layout:
    """A card of one's own, large, with everything that can be done with it."""
    one = hand.shown[place]
    if hand.ruled:
        pictures, told = card_pictures(hand.game, (one.id,)), [one.about]
    else:
        pictures, told = (
            _large_pictures(_find(hand.deck, one.id)),
            _card_texts(hand.deck, (one.id,)),
        )
    rows: list[tuple[Control, ...]] = []
    if "give" in one.verbs and hand.ruled:
        partners = hand.partners
        if partners:
            choices = [(each.participant, hand.partner_name(each)) for each in partners]
            rows.append(
                (menu(f"{hand.base}:give:{place}", label_text("menu-trade-with"), choices),)
            )
    elif "give" in one.verbs:
        rows.append(
            (Select(f"{hand.base}:give:{place}", label_text("menu-offer-to"), kind="user"),)
        )
    verbs = [verb for verb in one.verbs if verb != "give"]
    likeliest = verbs[0] if verbs and verbs[0] in _BESIDE else ""
    buttons = [
        hand.button(place, verb, "primary" if verb == likeliest else "secondary") for verb in verbs
    ]
    rows.append((*buttons, Button(f"{hand.base}:page:{place}", label_text("button-back"))))
    where = phrase("hand-face-up") if one.where == "face up" else one.where
    return build_layout(
        "own", user_text(one.name), *(pictures or told), rows=tuple(rows), small=where
    )


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
    told = {"card": _card_name(hand, place), "to": to, "trade": hand.ruled}
    return card("own", "hand-offer-question", hand.scene.names, rows=rows, **told)


def _card_name(hand: Hand, place: int) -> Markdown:
    """Return the name of one of these cards for a sentence."""
    if hand.ruled:
        return Markdown(user_text(hand.shown[place].name))
    return Markdown(_names(hand.deck, (hand.cards[place],)))


def _large_pictures(one: PlayingCard) -> list[Picture]:
    """A card to be read on a phone, with everything that stands on it in words; none where that
    cannot be drawn.
    """
    if (lines := card_lines(one)) is None:
        return []
    alt = [f"Card: {one.name}.", one.text, *(f"{name}: {value}." for name, value in one.fields)]
    return [
        Picture(CARDS_FILENAME, Drawing(card_picture, (one, *lines)), " ".join(filter(None, alt)))
    ]


def hand_action_line(hand: Hand, verb: str, place: int) -> str:
    """What was done with a card that was in the hand, for whoever did it; its rules tell it
    themselves.
    """
    if hand.ruled:
        return ""
    return phrase(f"hand-{verb}", card=_card_name(hand, place), hidden=not hand.shown[place].where)


def deck_card(scene: Scene, key: str) -> Layout:
    """What everybody may know: how many cards lie where, and which are face up."""
    game = read_only_game(scene.state)
    mine = system_deck(game, key)
    if game.system.cards is not None and mine is not None:
        rules = game.system.cards
        return build_layout(
            "own",
            user_text(mine.name),
            *block_pieces(rules.lies(game)),
            *card_pictures(game, rules.pooled(game)),
            rows=((hand_button(scene.table_id, mine.id),),),
        )
    deck = deck_of(game, key)
    piles = piles_of(scene.state, deck.id)
    name, names, base = deck.name, scene.names, f"sg:deck:{scene.table_id}:{deck.id}"
    rows: list[tuple[Control, ...]] = [
        tuple([Button(f"{base}:{verb}", label) for verb, label in DECK_VERBS.items()])
    ]
    others = [each for key, each in decks_of(game).items() if key != deck.id]
    if others:
        rows.append(
            (
                menu(
                    f"{base}:other",
                    label_text("menu-other-deck"),
                    [(each.id, each.name) for each in others],
                ),
            )
        )
    if not piles.places:
        return card(
            "own", "deck-untouched", None, name=name, count=len(deck.cards), rows=tuple(rows)
        )
    lines: list[str] = []
    for place, cards in sorted(piles.places.items()):
        kind, _, who = place.partition(":")
        if kind == "hand":
            told = {"who": Markdown(names.mention(who)), "count": len(cards)}
            lines.append(phrase("deck-held", **told))
        elif kind == "open":
            told = {"who": Markdown(names.mention(who)), "cards": Markdown(_names(deck, cards))}
            lines.append(phrase("deck-open", **told))
    draw, discard, aside = (
        len(piles.cards_at(DRAW_PILE)),
        len(piles.cards_at(DISCARD_PILE)),
        len(open_offers(piles)),
    )
    told = {"name": name, "draw": draw, "discard": discard, "aside": aside}
    return card("own", "deck", None, *lines, rows=tuple(rows), **told)
