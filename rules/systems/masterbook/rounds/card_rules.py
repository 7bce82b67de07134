"""Shared commands about cards and decks, and views of both, with MasterBook's deck.

MB-CARD-06, MB-CARD-08, MB-CARD-17, MB-CARD-D06.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.core.name_matching import name_key
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.card_windows import between, in_progress, with_lasting_card
from rules.systems.masterbook.checks.sheet_damage import LIFE_POINTS
from rules.systems.masterbook.deck import deal, deck_files, play, subplots
from rules.systems.masterbook.deck.card_definitions import InitiativeLine
from rules.systems.masterbook.deck.deck_files import DeckFile
from rules.systems.masterbook.deck.deck_state import (
    DISCARD_PILE,
    DRAW_PILE,
    FACE,
    HAND,
    INITIATIVE,
    POOL,
    SCENES,
    Cards,
)
from rules.systems.masterbook.deck.play import CardEffect
from rules.systems.masterbook.deck.table_deck import (
    DECK,
    current_cards,
    deck_in,
    deck_of,
    for_all,
    has_deck,
    mode,
    require_cards,
    with_cards,
    with_next_deck,
)
from rules.systems.masterbook.rounds import (
    card_commands,
    card_moves,
    card_questions,
    further_turns,
    round_card,
)
from rules.table import actions
from rules.table.blocks import FOR_EVERYONE, GMS, Block, Group, Text
from rules.table.chance.cards import STANDARD_DECK, deck_notice, system_deck
from rules.table.checks import engine
from rules.table.checks.check_events import events_for
from rules.table.events import CardsMoved, Event, Reported
from rules.table.gms import gm_tools
from rules.table.lookup import player_characters
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.system import CardHolder, CardPicture, CardRules, Game, HeldCard

#: What a player can do with a card, the likeliest first: by where the card lies, and where cards
#: are played from.
_VERBS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    (HAND, HAND): ("play", "show", "give", "discard"),
    (HAND, POOL): ("pool", "play", "show", "discard"),
    (POOL, POOL): ("play", "give"),
}


def seats_of(game: Game, participant: str) -> tuple[str, ...]:
    """Return a participant's characters that hold cards."""
    characters = game.state.characters
    seats: list[str] = []
    for who in current_cards(game).deal.holders:
        if who in characters and characters[who].owner == participant:
            seats.append(who)
    return tuple(seats)


def card_holders(game: Game) -> tuple[CardHolder, ...]:
    """Return each participant with a character that holds cards, the first of several."""
    holders: dict[str, CardHolder] = {}
    for who in current_cards(game).deal.holders:
        character = game.state.characters.get(who)
        if character is not None and character.owner is not None:
            holders.setdefault(character.owner, CardHolder(character.owner, who))
    return tuple(holders.values())


def dealing_line(game: Game, participant: str) -> Text | None:
    """Return how a participant without a seat gets cards; None for one who has a seat."""
    if seats_of(game, participant):
        return None
    return Text("mb-card-dealt-by", {"adventure": bool(current_cards(game).deal.limit)})


def held_cards(game: Game, participant: str) -> tuple[HeldCard, ...]:
    """Return a participant's cards with what can be done with each: pools, hands, then face up."""
    held: list[HeldCard] = []
    cards = current_cards(game)
    for who in seats_of(game, participant):
        for place in (POOL, HAND, FACE):
            where = Text("mb-card-where", {"where": place})
            possible = _VERBS.get((place, cards.place), ())
            for card in reversed(cards.at(place, who)):
                kind = cards.kind(card, who)
                verbs = tuple(verb for verb in possible if _may(game, who, card, verb))
                note = card_moves.card_note(kind).text
                held.append(HeldCard(card, kind.name, where, note, verbs))
    return tuple(held)


def _may(game: Game, who: str, card: str, verb: str) -> bool:
    """Return whether a character may do that with a card now, if no action is in progress."""
    cards = require_cards(game)
    try:
        if verb == "play":
            play.require_playable(cards, who, card, between(game, who))
        elif verb == "pool":
            card_commands.with_pooled_card(game, who, card)
    except Impossible:
        return False
    return verb != "give" or not deal.is_confused(cards)


def _own_card(game: Game, text: str, *places: str) -> tuple[str, str]:
    """Return the holder and the card of the actor that a text names.

    Raises Impossible("mb-card-no-seat"), or NotFound("mb-card-not-there").
    """
    cards = require_cards(game)
    seats = seats_of(game, game.actor.id)
    deal.refuse(no_seat=not seats)
    holders: dict[str, str] = {}
    for who in seats:
        for place in places:
            for card in cards.at(place, who):
                holders[card] = who
    card = card_moves.find_card(cards, holders, text)
    return holders[card], card


def is_deck_action(game: Game, action: Any) -> bool:
    """Return whether a shared action is about this deck, at a table that plays with it.

    It is not if the action names another deck. An award is about the deck if a character has a
    debt for a deed left undone.
    """
    if isinstance(action, actions.Award):
        return any(seat.debt for seat in current_cards(game).deal.seats)
    if deck_of(game) is None:
        return False
    if isinstance(action, actions.ImportDeck):
        return action.data.get("format") == deck_files.FORMAT
    if isinstance(action, actions.RemoveDeck) and action.deck == STANDARD_DECK:
        return False
    return system_deck(game, action.deck) is not None


def _draw_cards(game: Game, action: actions.DrawCards) -> Outcome:
    """Draw up to the limit, after a scene. Raises Impossible("mb-card-no-draw")."""
    cards = require_cards(game)
    due = [who for who in seats_of(game, game.actor.id) if cards.seat(who).due == "draw"]
    checks = [
        check
        for check in game.state.checks.values()
        if check.is_open and check.kind == card_moves.REPLENISH
    ]
    if not due or not checks:
        raise Impossible("mb-card-no-draw")
    before = game.state
    open_prompt = checks[0].asked[0]
    prompt, number = open_prompt.prompt.key, open_prompt.number
    advance = engine.choose(game, checks[0].id, prompt, number, "keep", (due[0],))
    return Outcome(advance.state, events_for(before, advance))


def _play_card(game: Game, action: actions.PlayCard) -> Outcome:
    """Play, pool, show or discard a card. Raises as the function for it."""
    places = (HAND,) if action.how in ("pool", "show", "discard") else (POOL, HAND)
    who, card = _own_card(game, action.card, *places)
    if action.how == "pool":
        return card_commands.move_to_pool(game, who, action.card)
    if action.how == "show":
        shown = CardsMoved(step="shown", deck=DECK, by=game.actor.id, count=1, cards=(card,))
        return Outcome(game.state, (shown,))
    if action.how == "discard":
        return finish_moves(game, deal.discard(require_cards(game), who, (card,)), action.place)
    return play_between_actions(game, action.place, who, card)


def finish_moves(game: Game, cards: Cards, place: str) -> Outcome:
    game, events = card_moves.finish_card_moves(game, place, cards)
    # Checks about a card that is gone end. A trade stays, since its end would show everyone what
    # was offered.
    kinds = [kind for kind in card_moves.CARD_CHECKS if kind != card_moves.TRADE]
    game, ended = card_moves.refresh_card_checks(game, kinds)
    return Outcome(game.state, (*events, *ended))


def play_between_actions(
    game: Game, place: str, who: str, card: str, question: str = "", **how: Any
) -> Outcome:
    """Play a card between actions. A new or lasting subplot waits for the GM.

    *how* are further arguments of `play.play`. Raises as that function.
    """
    as_name: str = how.get("as_name", "")
    request = card_questions.subplot_request(game, who, card, as_name)
    if request:
        check_kind, values = request
        game, events = card_moves.begin_card_check(game, check_kind, place, who, values)
        return Outcome(game.state, events)
    cards, moment = require_cards(game), between(game, who)
    play.require_playable(cards, who, card, moment, as_name=as_name)
    deal.refuse(wrong_window=in_progress(game, place))
    name, kind = cards.kind(card).name, cards.kinds[as_name or cards.kind(card).key]
    cards, effect = play.play(cards, who, card, moment, game.rng, **how)
    if effect.skill_points:
        sheet: MasterbookSheet = game.sheet(who)
        points = sheet.skill_points + effect.skill_points
        game = game.with_sheet(who, sheet.replace(skill_points=points))
    about = {
        "who": card_moves.holder_ref(game, who),
        "name": name,
        "as": as_name and kind.name,
        "asks": effect.asks,
    }
    title = Text("mb-deal-plays", about)
    note = card_moves.card_note(kind)
    cards = cards.without_changes("played")
    game, reports = card_moves.finish_card_moves(game, place, cards, title, (note,))
    game, events = apply_card_effect(game, place, who, effect, question)
    return Outcome(game.state, (*reports, *events))


def apply_card_effect(
    game: Game, place: str, who: str, effect: CardEffect, question: str = ""
) -> tuple[Game, tuple[Event, ...]]:
    """Apply what a card between actions does besides moving cards.

    The rules are MB-CARD-E01, -E08, -E10 and -P04.
    """
    if effect.actions:
        return further_turns.hasten(game, who)
    if effect.asks:
        values = {"name": effect.name}
        if question:
            values["question"] = question
        return card_moves.begin_card_check(game, card_moves.HINT, place, who, values)
    return with_lasting_card(game, effect), ()


def _offer_card(game: Game, action: actions.OfferCard) -> Outcome:
    """Offer a card in trade; the other participant chooses a card for it.

    Raises InvalidInput("offer-to-yourself"), and Impossible("mb-card-no-trader") if the other
    participant has no character that holds cards.
    """
    who, card = _own_card(game, action.card, require_cards(game).place)
    others = seats_of(game, action.to)
    if action.to == game.actor.id:
        raise InvalidInput("offer-to-yourself", field="to", value=None)
    if not others:
        raise Impossible("mb-card-no-trader", who=action.to)
    about = {"target": others[0], "visibility": "private"}
    game, events = card_moves.begin_card_check(
        game, card_moves.TRADE, action.place, who, {"cards": card}, **about
    )
    return Outcome(game.state, events)


def _shuffle_deck(game: Game, action: actions.ShuffleDeck) -> Outcome:
    """Shuffle the draw pile. Raises NotPermitted("gm-only"), Impossible("mb-card-no-shuffle")."""
    require_gm(game.state, game.actor)
    if action.what != "draw":
        raise Impossible("mb-card-no-shuffle")
    cards = require_cards(game)
    piles = cards.piles.shuffle(DRAW_PILE, game.rng.shuffle, game.rng.sealed)
    # The report lists no cards: the draw pile would tell, by elimination, which cards are in hands.
    return finish_moves(game, cards.replace(piles=piles).with_change("reshuffled"), action.place)


def bring_deck(game: Game, file: DeckFile | None) -> Outcome:
    """Bring a deck for the next adventure (MB-CARD-D06).

    While no adventure is under way, the deck is used at once.
    """
    notice = deck_notice(deck_in(file), game.actor.id, there=file is not None)
    return Outcome(with_next_deck(game, file).state, (notice,))


def _import_deck(game: Game, action: actions.ImportDeck) -> Outcome:
    """Import a table's own deck.

    Raises NotPermitted("gm-only"), or Problems("deck-problems") with every fault by card.
    """
    require_gm(game.state, game.actor)
    players = len(player_characters(game.state))
    file, findings = deck_files.load_deck(action.data, mode(game), players)
    outcome = bring_deck(game, file)
    if not findings:
        return outcome
    notes: list[Block] = []
    for finding in findings:
        notes.append(
            for_all("mb-deck-note", code=finding.code, card=finding.card, name=finding.name)
        )
    title = Text("mb-deck-notes")
    event = Reported(audience=GMS, title=title, blocks=tuple(notes), by=game.actor.id)
    return Outcome(outcome.state, (*outcome.events, event))


def _award_points(game: Game, action: actions.Award) -> Outcome:
    """Award points; Life Points pay a debt first (MB-CARD-S05). Raises as `gm_tools.award`."""
    require_gm(game.state, game.actor)
    before, outcome = game, gm_tools.award(game.state, action, game)
    cards, game = require_cards(before), game.with_state(outcome.state)
    if name_key(action.kind) == name_key(LIFE_POINTS.key):
        for who in [seat.who for seat in cards.deal.seats if seat.debt]:
            if game.sheet(who) != before.sheet(who):
                # The deck pays the award instead, and the debt first.
                game = game.with_sheet(who, before.sheet(who))
                cards = subplots.pay(cards, who, action.amount)
    game = with_cards(game, cards)
    for what in ("life-points", "surplus", "converted"):
        cards = cards.without_changes(what)
    game, events = card_moves.finish_card_moves(game, action.place, cards)
    return Outcome(game.state, (*outcome.events, *events))


def _remove_deck(game: Game, action: actions.RemoveDeck) -> Outcome:
    """Return to the project's own deck. Raises NotPermitted("gm-only")."""
    require_gm(game.state, game.actor)
    return bring_deck(game, None)


def deck_blocks(game: Game) -> tuple[Block, ...]:
    """Describe what everyone may know of the deck: counts of cards, and cards face up."""
    if not has_deck(game):
        deck = deck_of(game)
        return (for_all("mb-deck-waits", number=0 if deck is None else len(deck.cards)),)
    cards = require_cards(game)
    places = {"draw": DRAW_PILE, "discard": DISCARD_PILE, "flipped": INITIATIVE}
    counts = {key: len(cards.at(place)) for key, place in places.items()}
    top = tuple(cards.kind(card).name for card in cards.at(DISCARD_PILE)[:1])
    blocks: list[Block] = [for_all("mb-deck-lies", **counts, top=top)]
    for who in cards.deal.holders:
        title = Text("check-of", {"who": card_moves.holder_ref(game, who)})
        blocks.append(Group(title, _public_holdings(cards, who), FOR_EVERYONE))
    return tuple(blocks)


def _public_holdings(cards: Cards, who: str) -> tuple[tuple[Text, Text], ...]:
    """Return rows of a holder's cards: only the names of those in the hand are secret."""
    in_hand = Text("mb-cards-held", {"number": len(cards.at(HAND, who))})
    rows = [(Text("mb-card-where", {"where": HAND}), in_hand)]
    for place in (POOL, FACE):
        names = tuple(cards.kind(card, who).name for card in reversed(cards.at(place, who)))
        if names:
            where = Text("mb-card-where", {"where": place})
            rows.append((where, Text("mb-cards-names", {"cards": names})))
    return tuple(rows)


def card_picture(game: Game, card: str) -> CardPicture | None:
    """Return what a picture shows of a card of the deck in use (MB-CARD-02).

    An id such as `75:dramatic` is a flipped card. Nobody holds that card, so the picture has only
    the line of that scene, and not what the card does in a hand.
    """
    card, _, flipped_scene = card.partition(":")
    cards = current_cards(game)
    face = cards.faces.get(card)
    if face is None:
        return None
    kind = cards.kind(card)
    notes: list[Text] = []
    if face.box:
        notes.append(Text("mb-face-box", {"box": face.box, "letters": face.letters}))
    if face.approved:
        notes.append(Text("mb-face-act", {"words": face.approved}))
    when, effect = None, None
    if not flipped_scene:
        when = Text("mb-face-when", {"type": kind.type, "windows": kind.windows, "op": kind.op})
        effect = card_moves.card_note(kind).text
    lines: list[tuple[Text, tuple[tuple[bool, Text, Text, bool], ...]]] = []
    for scene in SCENES:
        line: InitiativeLine | None = getattr(face, scene)
        if line and flipped_scene in ("", scene):
            lines.append((Text("mb-face-scene", {"scene": scene}), _sides(line)))
    return CardPicture(kind.name, card, when, effect, tuple(lines), tuple(notes))


def _sides(line: InitiativeLine) -> tuple[tuple[bool, Text, Text, bool], ...]:
    """Return both sides of a line in the order in which they act."""
    sides: list[tuple[bool, Text, Text, bool]] = []
    for side in line.sides:
        name = Text("mb-face-side", {"side": side})
        effect = Text("mb-face-effect", {"effect": line.effect_on(side), "skill": line.skill})
        sides.append((side == "P", name, effect, bool(line.effect_on(side))))
    return tuple(sides)


def pooled_cards(game: Game) -> tuple[str, ...]:
    """Return the cards in all pools, each player's in the order received (MB-CARD-17)."""
    cards = current_cards(game)
    pooled: list[str] = []
    for who in cards.deal.holders:
        pooled.extend(reversed(cards.at(POOL, who)))
    return tuple(pooled)


def update_seats(game: Game, outcome: Outcome) -> Outcome:
    """Return the outcome with the seats that its changes of characters need (MB-CARD-04, OP-52).

    A character who is out of play, dead, or now the GM's has left: all its cards are discarded. A
    character who has joined rounds is affected by the line of its side.
    """
    before, game = game, game.with_state(outcome.state)
    if not has_deck(game):
        return outcome
    if game.state.encounters is not before.state.encounters:
        game = round_card.apply_line_to_newcomers(game, before.state)
        outcome = outcome.replace(state=game.state)
    if game.state.characters is before.state.characters:
        return outcome
    cards = require_cards(game)
    if cards.deal.limit:
        for who in cards.deal.holders:
            if not card_moves.may_hold_cards(game, who):
                cards = deal.deal_out(cards, who)
    if not cards.changes:
        return outcome
    game, events = card_moves.finish_card_moves(game, "", cards)
    game, ended = card_moves.refresh_card_checks(game)
    return Outcome(game.state, (*outcome.events, *events, *ended))


CARD_RULES: Final = CardRules(
    deck=deck_of,
    takes=is_deck_action,
    actions={
        actions.DrawCards: _draw_cards,
        actions.PlayCard: _play_card,
        actions.OfferCard: _offer_card,
        actions.ShuffleDeck: _shuffle_deck,
        actions.ImportDeck: _import_deck,
        actions.RemoveDeck: _remove_deck,
        actions.Award: _award_points,
    },
    held=held_cards,
    holders=card_holders,
    lies=deck_blocks,
    face=card_picture,
    pooled=pooled_cards,
    after=update_seats,
    dealt_by=dealing_line,
)
