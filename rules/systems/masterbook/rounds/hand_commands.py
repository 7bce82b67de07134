"""What people do with the cards they hold, and GMs with the deck: the shared commands at a table
with this deck.

MB-CARD-06, MB-CARD-08, MB-CARD-15, MB-CARD-S01 to MB-CARD-S05, MB-CARD-P01 to MB-CARD-P03,
MB-CARD-D06.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.name_matching import name_key
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks import card_windows
from rules.systems.masterbook.checks.action_commands import action_command, acts_by, command
from rules.systems.masterbook.checks.action_economy import SURPRISED
from rules.systems.masterbook.checks.card_windows import between, in_progress, with_lasting_card
from rules.systems.masterbook.checks.sheet_damage import LIFE_POINTS
from rules.systems.masterbook.deck import deal, deck_files, play
from rules.systems.masterbook.deck.card_definitions import KINDS, InitiativeLine
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
    faces_in,
    for_all,
    has_deck,
    kinds_in,
    mode,
    next_deck_file,
    require_cards,
    with_cards,
    with_next_deck,
)
from rules.systems.masterbook.rounds import card_questions, procedure, round_card
from rules.table import actions, gm_tools
from rules.table.blocks import FOR_EVERYONE, GMS, Block, Group, Ref, Text
from rules.table.cards import STANDARD_DECK, deck_notice, system_deck
from rules.table.checks import audience_views, engine
from rules.table.commands import AS_FIELD, NAME_MAX, known_character_options
from rules.table.events import CardsMoved, Event, Reported
from rules.table.forms import Flag, Number, Pick, Typed, plain_options
from rules.table.gm_tools import player_characters
from rules.table.lookup import find_known
from rules.table.marks import without_marks
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.reports import report_outcome
from rules.table.state import AnyCharacter
from rules.table.system import CardHolder, CardPicture, CardRules, Game, HeldCard

#: The most cards that a GM looks at, and the longest list of cards that is typed.
_PEEK: Final = 20
_TYPED: Final = 300
_ALERTNESS: Final = "alertness"
#: What can be done with a card where it lies, the likeliest first, by where cards are played from.
_VERBS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    (HAND, HAND): ("play", "show", "give", "discard"),
    (HAND, POOL): ("pool", "play", "show", "discard"),
    (POOL, POOL): ("play", "give"),
}


# --- who holds what -------------------------------------------------------------------------------


def seats_of(game: Game, participant: str) -> tuple[str, ...]:
    """The characters of somebody's that hold cards."""
    characters, seats = game.state.characters, current_cards(game).deal.holders
    return tuple(
        [each for each in seats if each in characters and characters[each].owner == participant]
    )


def card_holders(game: Game) -> tuple[CardHolder, ...]:
    """Return each participant with a character that holds cards, the first of several."""
    found: dict[str, CardHolder] = {}
    for who in current_cards(game).deal.holders:
        character = game.state.characters.get(who)
        if character is not None and character.owner is not None:
            found.setdefault(character.owner, CardHolder(character.owner, who))
    return tuple(found.values())


def dealing_line(game: Game, participant: str) -> Text | None:
    """Return how a participant without a seat gets cards; None for one who has a seat."""
    if seats_of(game, participant):
        return None
    return Text("mb-card-dealt-by", {"adventure": bool(current_cards(game).deal.limit)})


def held_cards(game: Game, participant: str) -> tuple[HeldCard, ...]:
    """Every card of somebody's, with what they can do with it: pools first, then hands, then what
    lies face up.
    """
    found: list[HeldCard] = []
    cards = current_cards(game)
    for who in seats_of(game, participant):
        for place in (POOL, HAND, FACE):
            where, can = (
                Text("mb-card-where", {"where": place}),
                _VERBS.get((place, cards.place), ()),
            )
            for each in reversed(cards.at(place, who)):
                kind = cards.kind(each, who)
                verbs = tuple([verb for verb in can if _may(game, who, each, verb)])
                found.append(
                    HeldCard(each, kind.name, where, card_questions.card_note(kind).text, verbs)
                )
    return tuple(found)


def _may(game: Game, who: str, card: str, verb: str) -> bool:
    """Whether somebody may do that with a card now, where no action is in progress."""
    cards = require_cards(game)
    try:
        if verb == "play":
            play.require_playable(cards, who, card, between(game, who))
        elif verb == "pool":
            procedure.with_pooled_card(game, who, card)
    except Impossible:
        return False
    return verb != "give" or not deal.is_confused(cards)


def _mine(game: Game, text: str, *places: str) -> tuple[str, str]:
    """A card of whoever acts, by number or name, and who holds it.
    NotFound("mb-card-not-there").
    """
    cards = require_cards(game)
    seats = seats_of(game, game.actor.id)
    deal.refuse(no_seat=not seats)
    holders = {each: who for who in seats for place in places for each in cards.at(place, who)}
    card = card_questions.find_card(cards, holders, text)
    return holders[card], card


# --- the shared commands --------------------------------------------------------------------------


def is_deck_action(game: Game, action: Any) -> bool:
    """Whether it is about this deck: at a table that plays with it, where no other deck is named.

    So are points that come to somebody who owes some for a deed that was left undone.
    """
    if isinstance(action, actions.Award):
        return any(each.debt for each in current_cards(game).deal.seats)
    if deck_of(game) is None:
        return False
    if isinstance(action, actions.ImportDeck):
        return action.data.get("format") == deck_files.FORMAT
    other = isinstance(action, actions.RemoveDeck) and action.deck == STANDARD_DECK
    return not other and system_deck(game, action.deck) is not None


def _draw_cards(game: Game, action: actions.DrawCards) -> Outcome:
    """Hands are filled up only when a scene is over. Impossible("mb-card-no-draw")."""
    cards = require_cards(game)
    due = [each for each in seats_of(game, game.actor.id) if cards.seat(each).due == "draw"]
    open_ = [
        each for each in game.state.checks.values() if each.is_open and each.kind == "replenish"
    ]
    if not due or not open_:
        raise Impossible("mb-card-no-draw")
    before = game.state
    asked = open_[0].asked[0]
    made = engine.choose(game, open_[0].id, asked.prompt.key, asked.number, "keep", (due[0],))
    return Outcome(made.state, audience_views.events_for(before, made))


def _play_card(game: Game, action: actions.PlayCard) -> Outcome:
    """Played, pooled, shown or discarded. Raises what these raise."""
    places = (HAND,) if action.how in ("pool", "show", "discard") else (POOL, HAND)
    who, card = _mine(game, action.card, *places)
    if action.how == "pool":
        return procedure.pool_card(game, action, game.character(who))
    if action.how == "show":
        shown = CardsMoved(step="shown", deck=DECK, by=game.actor.id, count=1, cards=(card,))
        return Outcome(game.state, (shown,))
    if action.how == "discard":
        return _finish_moves(game, deal.discard(require_cards(game), who, (card,)), action.place)
    return play_between_actions(game, action.place, who, card)


def _finish_moves(game: Game, cards: Cards, place: str) -> Outcome:
    game, events = card_questions.finish_card_moves(game, place, cards)
    # What was to become of a card that is gone now is off; of a trade that would tell everybody
    # what was offered.
    game, more = card_questions.refresh_card_checks(
        game, [each for each in card_questions.CARD_CHECKS if each != card_questions.TRADE]
    )
    return Outcome(game.state, (*events, *more))


def play_between_actions(
    game: Game, place: str, who: str, card: str, question: str = "", **how: Any
) -> Outcome:
    """A card between actions; what becomes a subplot, or makes one last, waits for the GM.

    `how` are what `play.play` is told besides, and it raises as that does.
    """
    as_name: str = how.get("as_name", "")
    if asks := card_questions.subplot_request(game, who, card, as_name):
        game, events = card_questions.begin_card_check(game, asks[0], place, who, asks[1])
        return Outcome(game.state, events)
    cards, now = require_cards(game), between(game, who)
    play.require_playable(cards, who, card, now, as_name=as_name)
    deal.refuse(wrong_window=in_progress(game, place))
    name, kind = cards.kind(card).name, cards.kinds[as_name or cards.kind(card).key]
    cards, effect = play.play(cards, who, card, now, game.rng, **how)
    if effect.skill_points:
        sheet: MasterbookSheet = game.sheet(who)
        game = game.with_sheet(
            who, sheet.replace(skill_points=sheet.skill_points + effect.skill_points)
        )
    said = {"who": card_questions.holder_ref(game, who), "name": name, "as": as_name and kind.name}
    title = Text("mb-deal-plays", {**said, "asks": effect.asks})
    game, told = card_questions.finish_card_moves(
        game, place, cards.without_changes("played"), title, (card_questions.card_note(kind),)
    )
    game, events = apply_card_effect(game, place, who, effect, question)
    return Outcome(game.state, (*told, *events))


def apply_card_effect(
    game: Game, place: str, who: str, effect: CardEffect, question: str = ""
) -> tuple[Game, tuple[Event, ...]]:
    """What a card between actions does besides moving cards (MB-CARD-E01, -E08, -E10, -P04)."""
    if effect.actions:
        return procedure.hasten(game, who)
    if effect.asks:
        said = {"name": effect.name} | ({"question": question} if question else {})
        return card_questions.begin_card_check(game, card_questions.HINT, place, who, said)
    return with_lasting_card(game, effect), ()


def _use_luck(game: Game, action: Any, actor: AnyCharacter) -> Outcome:
    """Luck between actions. NotFound("unknown-choice"); raises as
    `play.luck_card_effect`.
    """
    who = actor.id
    kind = next(
        (each for each in KINDS.values() if name_key(each.name) == name_key(action.effect)), None
    )
    if kind is None:
        offered = tuple([each.value for each in _LUCK])
        raise NotFound("unknown-choice", field="effect", value=action.effect[:60], nearest=offered)
    effect = card_windows.effect_of(game, who, kind.key, between(game, who))
    game = card_windows.spend_luck(game, who, kind.key)
    if kind.key == _ALERTNESS:
        game = _alert(game, who)
    seat = current_cards(game).deal.seat(who)
    if effect.actions and seat is not None:
        game = with_cards(
            game, require_cards(game).with_seat_changes(who, extra=seat.extra + effect.actions)
        )
    told = report_outcome(
        game, Text("mb-luck", {"who": card_questions.holder_ref(game, who), "card": kind.name})
    ).events
    game, events = apply_card_effect(game, action.place, who, effect)
    return Outcome(game.state, (*told, *events))


def _rescue(game: Game, action: Any, found: AnyCharacter) -> Outcome:
    """A GM averts a disaster with the Luck of a player's character. NotPermitted("gm-only"); raises
    as `rescue_by_luck`.
    """
    game = card_windows.rescue_by_luck(game, found.id)
    return report_outcome(game, Text("mb-luck-rescue", {"who": Ref(name=found.name)}), of=found)


def _offer_card(game: Game, action: actions.OfferCard) -> Outcome:
    """Offer a card in trade; the other participant chooses a card for it.

    Raises InvalidInput("offer-to-yourself"), and Impossible("mb-card-no-trader") if the other
    participant has no character that holds cards.
    """
    who, card = _mine(game, action.card, require_cards(game).place)
    others = seats_of(game, action.to)
    if action.to == game.actor.id:
        raise InvalidInput("offer-to-yourself", field="to", value=None)
    if not others:
        raise Impossible("mb-card-no-trader", who=action.to)
    about = {"target": others[0], "visibility": "private"}
    game, events = card_questions.begin_card_check(
        game, card_questions.TRADE, action.place, who, {"cards": card}, **about
    )
    return Outcome(game.state, events)


def _shuffle_deck(game: Game, action: actions.ShuffleDeck) -> Outcome:
    """A GM shuffles the draw pile as it lies. NotPermitted("gm-only"),
    Impossible("mb-card-no-shuffle").
    """
    require_gm(game.state, game.actor)
    if action.what != "draw":
        raise Impossible("mb-card-no-shuffle")
    cards = require_cards(game)
    piles = cards.piles.shuffle(DRAW_PILE, game.rng.shuffle, game.rng.sealed)
    # Nobody has seen what lies there: who knew how it lay would know what lies in hands.
    return _finish_moves(game, cards.replace(piles=piles).tell("reshuffled"), action.place)


def _bring_deck(game: Game, file: DeckFile | None) -> Outcome:
    """A deck for the next adventure; at once where none is under way (MB-CARD-D06)."""
    deck, there = deck_in(file), file is not None
    return Outcome(
        with_next_deck(game, file).state, (deck_notice(deck, game.actor.id, there=there),)
    )


def _import_deck(game: Game, action: actions.ImportDeck) -> Outcome:
    """A table's own deck. NotPermitted("gm-only"), Problems("deck-problems") with every fault by
    the card's number.
    """
    require_gm(game.state, game.actor)
    file, notes = deck_files.load_deck(action.data, mode(game), len(player_characters(game.state)))
    outcome = _bring_deck(game, file)
    if not notes:
        return outcome
    told = tuple(
        [for_all("mb-deck-note", code=each.code, card=each.card, name=each.name) for each in notes]
    )
    event = Reported(audience=GMS, title=Text("mb-deck-notes"), blocks=told, by=game.actor.id)
    return Outcome(outcome.state, (*outcome.events, event))


def _award_points(game: Game, action: actions.Award) -> Outcome:
    """Award points; Life Points pay a debt first (MB-CARD-S05). Raises as `gm_tools.award`."""
    require_gm(game.state, game.actor)
    before, outcome = game, gm_tools.award(game.state, action, game)
    cards, game = require_cards(before), game.with_state(outcome.state)
    if name_key(action.kind) == name_key(LIFE_POINTS.key):
        for who in [each.who for each in cards.deal.seats if each.debt]:
            if game.sheet(who) != before.sheet(who):
                # The deck pays the award instead, and the debt first.
                game = game.with_sheet(who, before.sheet(who))
                cards = deal.pay(cards, who, action.amount)
    game = with_cards(game, cards)
    for what in ("life-points", "surplus", "converted"):
        cards = cards.without_changes(what)
    game, events = card_questions.finish_card_moves(game, action.place, cards)
    return Outcome(game.state, (*outcome.events, *events))


def _remove_deck(game: Game, action: actions.RemoveDeck) -> Outcome:
    """Back to the game's own deck. NotPermitted("gm-only")."""
    require_gm(game.state, game.actor)
    return _bring_deck(game, None)


def deck_blocks(game: Game) -> tuple[Block, ...]:
    """What everybody may know of the deck: how many cards lie where, and which lie face up."""
    if not has_deck(game):
        deck = deck_of(game)
        return (for_all("mb-deck-waits", number=0 if deck is None else len(deck.cards)),)
    cards = require_cards(game)
    places = {"draw": DRAW_PILE, "discard": DISCARD_PILE, "flipped": INITIATIVE}
    counted = {key: len(cards.at(place)) for key, place in places.items()}
    top = tuple([cards.kind(each).name for each in cards.at(DISCARD_PILE)[:1]])
    found: list[Block] = [for_all("mb-deck-lies", **counted, top=top)]
    for who in cards.deal.holders:
        held = {HAND: Text("mb-cards-held", {"number": len(cards.at(HAND, who))})}
        for place in (POOL, FACE):
            if names := tuple(
                [cards.kind(each, who).name for each in reversed(cards.at(place, who))]
            ):
                held[place] = Text("mb-cards-names", {"cards": names})
        rows = tuple(
            [(Text("mb-card-where", {"where": place}), said) for place, said in held.items()]
        )
        found.append(
            Group(
                Text("check-of", {"who": card_questions.holder_ref(game, who)}), rows, FOR_EVERYONE
            )
        )
    return tuple(found)


def card_picture(game: Game, card: str) -> CardPicture | None:
    """What a picture shows of a card of the deck in use; `75:dramatic` is one that was flipped
    (MB-CARD-02).

    Nobody holds that one: of it the line of that scene counts, and nothing that it does in a hand.
    """
    card, _, now = card.partition(":")
    cards = current_cards(game)
    found = cards.faces.get(card)
    if found is None:
        return None
    kind = cards.kind(card)
    lines = [Text("mb-face-box", {"box": found.box, "letters": found.letters})] if found.box else []
    if found.approved:
        lines.append(Text("mb-face-act", {"words": found.approved}))
    when = Text("mb-face-when", {"type": kind.type, "windows": kind.windows, "op": kind.op})
    does = (None, None) if now else (when, card_questions.card_note(kind).text)
    scenes = [
        (each, line) for each in SCENES if (line := getattr(found, each)) and now in ("", each)
    ]
    sides = tuple([(Text("mb-face-scene", {"scene": each}), _sides(line)) for each, line in scenes])
    return CardPicture(kind.name, card, *does, sides, tuple(lines))


def _sides(line: InitiativeLine) -> tuple[tuple[bool, Text, Text, bool], ...]:
    """Both sides of a line in the order in which they act."""
    found: list[tuple[bool, Text, Text, bool]] = []
    for side in line.sides:
        effect = Text("mb-face-effect", {"effect": line.effect_on(side), "skill": line.skill})
        found.append(
            (side == "P", Text("mb-face-side", {"side": side}), effect, bool(line.effect_on(side)))
        )
    return tuple(found)


def pooled_cards(game: Game) -> tuple[str, ...]:
    """The cards in all pools, each player's in the order received (MB-CARD-17)."""
    cards = current_cards(game)
    return tuple([each for who in cards.deal.holders for each in reversed(cards.at(POOL, who))])


def update_seats(game: Game, outcome: Outcome) -> Outcome:
    """Who is out of play, a GM's or dead by now has left: all they held is discarded (MB-CARD-04,
    OP-52).

    Who has joined rounds is on a side.
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
    for who in cards.deal.holders if cards.deal.limit else ():
        cards = cards if card_questions.may_hold_cards(game, who) else deal.deal_out(cards, who)
    if not cards.told:
        return outcome
    game, events = card_questions.finish_card_moves(game, "", cards)
    game, more = card_questions.refresh_card_checks(game)
    return Outcome(game.state, (*outcome.events, *events, *more))


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


# --- commands of its own --------------------------------------------------------------------------


def _play(game: Game, action: Any, actor: AnyCharacter) -> Outcome:
    """Impossible("mb-card-not-wild") for any other card by another name; raises as
    `acting_character`, `find_card`, `play_between_actions`.
    """
    cards, who = require_cards(game), actor.id
    cards.seat(who)
    mine = cards.held(who)
    card = card_questions.find_card(cards, mine, action.card)
    if action.as_name and cards.kind(card).op != "any_card":
        raise Impossible("mb-card-not-wild", name=cards.kind(card).name)
    gifts: list[tuple[str, tuple[str, ...]]] = []
    if action.gifts:
        given = card_questions.find_cards(
            cards, [each for each in mine if each != card], action.gifts
        )
        to = [
            find_known(game.state, action.who, each.strip(), "to").id
            for each in action.to.split(",")
        ]
        if len(to) not in (1, len(given)):
            raise Impossible("mb-card-gift-each")
        gifts = [(whose, (each,)) for whose, each in zip(cycle(to), given, strict=False)]
    kinds = {row.name.casefold(): key for key, row in cards.kinds.items()}
    as_name = kinds.get(action.as_name.casefold()) or action.as_name
    how: dict[str, Any] = {"as_name": as_name, "gifts": gifts, "draws": not action.give_only}
    return play_between_actions(game, action.place, who, card, action.question, **how)


def _use(game: Game, action: Any, found: AnyCharacter) -> Outcome:
    """NotPermitted("gm-only"), NotFound, Impossible("mb-card-precondition")."""
    cards, who = require_cards(game), found.id
    permanent = {cards.kinds[each].name.casefold(): each for each in deal.permanent(cards, who)}
    if ended := permanent.get(action.card.casefold()):
        cards = deal.end_permanent(cards, who, ended)
        game = with_cards(game, cards)
        note = for_all(
            "mb-plot-ended", who=card_questions.holder_ref(game, who), name=cards.kinds[ended].name
        )
        return report_outcome(game, Text("topic-cards"), note)
    card = card_questions.find_card(cards, cards.at(FACE, who), action.card, who)
    noticed = cards.kind(card, who).key == _ALERTNESS
    cards = deal.use_face_up(cards, who, card)
    return _finish_moves(_alert(game, who) if noticed else game, cards, action.place)


def _alert(game: Game, who: str) -> Game:
    """The game once somebody notices what was missed: nothing surprises them (MB-CARD-S01)."""
    return game.with_state(without_marks(game.state, who, SURPRISED))


def _martyr(game: Game, action: Any, found: AnyCharacter) -> Outcome:
    """NotPermitted("gm-only"), NotFound, Impossible("mb-card-precondition")."""
    return _finish_moves(game, _DEEDS[action.how](require_cards(game), found.id), action.place)


#: What becomes of the deed that a martyr is to do.
_DEEDS: Final = {"named": deal.name_martyr_deed, "done": deal.sacrifice, "out": deal.back_out}


def _sit(game: Game, action: Any, found: AnyCharacter) -> Outcome:
    """NotPermitted("gm-only"), NotFound; Impossible("mb-card-no-seat", "mb-card-seated",
    "mb-card-off").
    """
    cards, who = require_cards(game), found.id
    if action.how == "joins":
        seated = cards.deal.seat(who) is not None
        deal.refuse(
            no_seat=not card_questions.may_hold_cards(game, who),
            none=not cards.deal.limit,
            seated=seated,
        )
        cards = deal.join(cards, who, game.rng)
    elif action.how == "leaves":
        cards = deal.deal_out(cards, who)
    else:
        cards = deal.draw_bonus_card(cards, who, game.rng)
    return _finish_moves(game, cards, action.place)


def _arrange(game: Game, action: Any) -> Outcome:
    """Everybody hears that it was done. A deck that no adventure shuffles is shuffled before, not
    by the flip after it.

    NotPermitted("gm-only"), NotFound, Impossible("mb-card-none", "-no-blank").
    """
    told: tuple[Event, ...] = ()
    if action.how == "blank":
        number, outcome = 1, _bring_deck(game, _deck_with_blank(game, action.cards))
        game, told = game.with_state(outcome.state), outcome.events
    else:
        how = mode(game)
        cards = round_card.ready_deck(game) if how.lines and not how.hands else require_cards(game)
        if action.how == "stack":
            order = card_questions.find_cards(cards, cards.at(DRAW_PILE), action.cards)
            number, cards = len(order), deal.stack(cards, order)
        else:
            rows = tuple(
                [
                    (card_questions.card_label(cards, each),)
                    for each in cards.at(DRAW_PILE)[: action.number]
                ]
            )
            number, title, blocks = (
                len(rows),
                Text("mb-deck-top"),
                (Group(None, rows, FOR_EVERYONE),),
            )
            told = (Reported(audience=GMS, title=title, blocks=blocks, by=action.who.id),)
        game, told = with_cards(game, cards), (*card_questions.shuffle_events(game, cards), *told)
    heard = report_outcome(
        game, Text("topic-cards"), for_all("mb-deck-arranged", how=action.how, number=number)
    )
    return Outcome(heard.state, (*told, *heard.events))


def _deck_with_blank(game: Game, name: str) -> DeckFile:
    """The deck with one blank card more of a kind, with the lines of another of it
    (MB-CARD-B01).
    """
    file = next_deck_file(game)
    faces, kinds = [*faces_in(file).values()], kinds_in(file)
    wanted = next(
        (key for key, row in kinds.items() if name.casefold() in (key, row.name.casefold())), ""
    )
    like = next((each for each in faces if each.kind == wanted and each.in_play), None)
    blank = next((at for at, each in enumerate(faces) if each.kind == "blank"), None)
    if like is None:
        near = tuple(dict.fromkeys(row.name for row in kinds.values()))[:10]
        raise NotFound("mb-card-not-there", field="card", value=name[:60], nearest=near)
    if blank is None:
        raise Impossible("mb-card-no-blank")
    faces[blank] = like.replace(id=faces[blank].id)
    return (file or DeckFile("MasterBook", ())).replace(faces=tuple(faces))


def _how(*ways: str) -> Pick:
    return Pick("how", choices=plain_options(ways), needed=True)


_WHOSE: Final = Typed("character", most=NAME_MAX, needed=True, choices=known_character_options)
_CARD: Final = Typed("card", most=NAME_MAX, needed=True)
_CARDS, _NUMBER = Typed("cards", most=_TYPED), Number("number", low=1, high=_PEEK)
_WAYS: Final = _how("peek", "stack", "blank")
_ARRANGES: Final = acts_by("Arrange", _arrange, _WAYS, _NUMBER, _CARDS, openly=False)
_LUCK: Final = plain_options(
    [KINDS[each].name for use in play.LUCK["ciii"] for each in use if each in KINDS]
)
COMMANDS: Final = (
    action_command(
        "card play",
        "Play",
        _play,
        Typed("card", most=NAME_MAX, needed=True, choices=card_questions.OWN_CARDS),
        Typed("as_name", most=NAME_MAX),
        Typed("gifts", most=_TYPED, choices=card_questions.OWN_CARDS),
        Typed("to", most=_TYPED, choices=known_character_options),
        Flag("give_only"),
        Typed("question", most=_TYPED),
        AS_FIELD,
        secret="gifts",
    ),
    action_command(
        "card luck",
        "UseLuck",
        _use_luck,
        Typed("effect", most=NAME_MAX, needed=True, choices=_LUCK),
        AS_FIELD,
    ),
    action_command("card rescue", "Rescue", _rescue, _WHOSE, whose="character"),
    action_command("card use", "UseFaceUp", _use, _WHOSE, _CARD, whose="character"),
    action_command("card martyr", "Martyr", _martyr, _how(*_DEEDS), _WHOSE, whose="character"),
    action_command(
        "card seat", "Sit", _sit, _how("joins", "leaves", "bonus"), _WHOSE, whose="character"
    ),
    command("deck peek", _ARRANGES.replace(fixed={"how": "peek"}), _NUMBER.replace(needed=True)),
    command("deck stack", _ARRANGES.replace(fixed={"how": "stack"}), _CARDS.replace(needed=True)),
    command(
        "deck blank",
        _ARRANGES.replace(fixed={"how": "blank"}, openly=True),
        _CARDS.replace(needed=True),
    ),
    *procedure.CARD_COMMANDS,
)
