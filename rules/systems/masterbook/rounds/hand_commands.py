"""Commands about held cards and the deck, at a table with this deck.

MB-CARD-06, MB-CARD-08, MB-CARD-15, MB-CARD-S01 to MB-CARD-S05, MB-CARD-P01 to MB-CARD-P03,
MB-CARD-D06.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.name_matching import name_key
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks import card_windows
from rules.systems.masterbook.checks.action_economy import (
    SURPRISED,
    action_command,
    acts_by,
    command,
)
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
from rules.systems.masterbook.rounds import (
    card_commands,
    card_questions,
    further_turns,
    round_card,
)
from rules.table import actions, gm_tools
from rules.table.blocks import FOR_EVERYONE, GMS, Block, Group, Ref, Text
from rules.table.cards import STANDARD_DECK, deck_notice, system_deck
from rules.table.checks import audience_views, engine
from rules.table.commands import AS_FIELD, NAME_MAX, known_character_options
from rules.table.events import CardsMoved, Event, Reported
from rules.table.forms import Flag, Number, Option, Pick, Typed, plain_options
from rules.table.gm_tools import player_characters
from rules.table.lookup import find_known
from rules.table.marks import without_marks
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.reports import report_outcome
from rules.table.state import AnyCharacter
from rules.table.system import CardHolder, CardPicture, CardRules, Game, HeldCard

#: Most cards that the GM looks at, and most characters of a typed list of cards.
_MAX_PEEK: Final = 20
_MAX_TYPED: Final = 300
_ALERTNESS: Final = "alertness"
#: What a player can do with a card, the likeliest first: by where the card lies, and where cards
#: are played from.
_VERBS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    (HAND, HAND): ("play", "show", "give", "discard"),
    (HAND, POOL): ("pool", "play", "show", "discard"),
    (POOL, POOL): ("play", "give"),
}


# --- holders and their cards ----------------------------------------------------------------------


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
                note = card_questions.card_note(kind).text
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
    card = card_questions.find_card(cards, holders, text)
    return holders[card], card


# --- the shared commands --------------------------------------------------------------------------


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
        if check.is_open and check.kind == card_questions.REPLENISH
    ]
    if not due or not checks:
        raise Impossible("mb-card-no-draw")
    before = game.state
    open_prompt = checks[0].asked[0]
    prompt, number = open_prompt.prompt.key, open_prompt.number
    advance = engine.choose(game, checks[0].id, prompt, number, "keep", (due[0],))
    return Outcome(advance.state, audience_views.events_for(before, advance))


def _play_card(game: Game, action: actions.PlayCard) -> Outcome:
    """Play, pool, show or discard a card. Raises as the function for it."""
    places = (HAND,) if action.how in ("pool", "show", "discard") else (POOL, HAND)
    who, card = _own_card(game, action.card, *places)
    if action.how == "pool":
        return card_commands.pool_card(game, action, game.character(who))
    if action.how == "show":
        shown = CardsMoved(step="shown", deck=DECK, by=game.actor.id, count=1, cards=(card,))
        return Outcome(game.state, (shown,))
    if action.how == "discard":
        return _finish_moves(game, deal.discard(require_cards(game), who, (card,)), action.place)
    return play_between_actions(game, action.place, who, card)


def _finish_moves(game: Game, cards: Cards, place: str) -> Outcome:
    game, events = card_questions.finish_card_moves(game, place, cards)
    # Checks about a card that is gone end. A trade stays, since its end would show everyone what
    # was offered.
    kinds = [kind for kind in card_questions.CARD_CHECKS if kind != card_questions.TRADE]
    game, ended = card_questions.refresh_card_checks(game, kinds)
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
        game, events = card_questions.begin_card_check(game, check_kind, place, who, values)
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
        "who": card_questions.holder_ref(game, who),
        "name": name,
        "as": as_name and kind.name,
        "asks": effect.asks,
    }
    title = Text("mb-deal-plays", about)
    note = card_questions.card_note(kind)
    cards = cards.without_changes("played")
    game, reports = card_questions.finish_card_moves(game, place, cards, title, (note,))
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
        return card_questions.begin_card_check(game, card_questions.HINT, place, who, values)
    return with_lasting_card(game, effect), ()


def _use_luck(game: Game, action: Any, actor: AnyCharacter) -> Outcome:
    """Use Luck between actions.

    Raises NotFound("unknown-choice"), and as `play.luck_card_effect`.
    """
    who = actor.id
    wanted = name_key(action.effect)
    kind = next((kind for kind in KINDS.values() if name_key(kind.name) == wanted), None)
    if kind is None:
        offered = tuple(option.value for option in _LUCK)
        raise NotFound("unknown-choice", field="effect", value=action.effect[:60], nearest=offered)
    effect = card_windows.effect_of(game, who, kind.key, between(game, who))
    game = card_windows.spend_luck(game, who, kind.key)
    if kind.key == _ALERTNESS:
        game = _without_surprise(game, who)
    seat = current_cards(game).deal.seat(who)
    if effect.actions and seat is not None:
        cards = require_cards(game).with_seat_changes(
            who, extra_actions=seat.extra_actions + effect.actions
        )
        game = with_cards(game, cards)
    title = Text("mb-luck", {"who": card_questions.holder_ref(game, who), "card": kind.name})
    reports = report_outcome(game, title).events
    game, events = apply_card_effect(game, action.place, who, effect)
    return Outcome(game.state, (*reports, *events))


def _rescue(game: Game, action: Any, found: AnyCharacter) -> Outcome:
    """Avert a disaster with the Luck of a player's character.

    Raises as `rescue_by_luck`.
    """
    game = card_windows.rescue_by_luck(game, found.id)
    return report_outcome(game, Text("mb-luck-rescue", {"who": Ref(name=found.name)}), of=found)


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
    game, events = card_questions.begin_card_check(
        game, card_questions.TRADE, action.place, who, {"cards": card}, **about
    )
    return Outcome(game.state, events)


def _shuffle_deck(game: Game, action: actions.ShuffleDeck) -> Outcome:
    """Shuffle the draw pile. Raises NotPermitted("gm-only"), Impossible("mb-card-no-shuffle")."""
    require_gm(game.state, game.actor)
    if action.what != "draw":
        raise Impossible("mb-card-no-shuffle")
    cards = require_cards(game)
    piles = cards.piles.shuffle(DRAW_PILE, game.rng.shuffle, game.rng.sealed)
    # The report has no order: nobody has seen these cards, and some of them may be in hands later.
    return _finish_moves(game, cards.replace(piles=piles).with_change("reshuffled"), action.place)


def _bring_deck(game: Game, file: DeckFile | None) -> Outcome:
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
    outcome = _bring_deck(game, file)
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
                cards = deal.pay(cards, who, action.amount)
    game = with_cards(game, cards)
    for what in ("life-points", "surplus", "converted"):
        cards = cards.without_changes(what)
    game, events = card_questions.finish_card_moves(game, action.place, cards)
    return Outcome(game.state, (*outcome.events, *events))


def _remove_deck(game: Game, action: actions.RemoveDeck) -> Outcome:
    """Return to the project's own deck. Raises NotPermitted("gm-only")."""
    require_gm(game.state, game.actor)
    return _bring_deck(game, None)


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
        title = Text("check-of", {"who": card_questions.holder_ref(game, who)})
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
        effect = card_questions.card_note(kind).text
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
            if not card_questions.may_hold_cards(game, who):
                cards = deal.deal_out(cards, who)
    if not cards.changes:
        return outcome
    game, events = card_questions.finish_card_moves(game, "", cards)
    game, ended = card_questions.refresh_card_checks(game)
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


# --- commands of its own --------------------------------------------------------------------------


def _play_by_command(game: Game, action: Any, actor: AnyCharacter) -> Outcome:
    """Play a card between actions.

    Raises Impossible("mb-card-not-wild") for another card than a Wild one with `as_name`, and as
    `acting_character`, `find_card` and `play_between_actions`.
    """
    cards, who = require_cards(game), actor.id
    cards.seat(who)
    card = card_questions.find_card(cards, cards.held_cards(who), action.card)
    if action.as_name and cards.kind(card).op != "any_card":
        raise Impossible("mb-card-not-wild", name=cards.kind(card).name)
    gifts = _read_gifts(game, action, cards, who, card) if action.gifts else []
    kinds = {kind.name.casefold(): key for key, kind in cards.kinds.items()}
    as_name = kinds.get(action.as_name.casefold()) or action.as_name
    how: dict[str, Any] = {"as_name": as_name, "gifts": gifts, "draws": not action.give_only}
    return play_between_actions(game, action.place, who, card, action.question, **how)


def _read_gifts(
    game: Game, action: Any, cards: Cards, who: str, card: str
) -> list[tuple[str, tuple[str, ...]]]:
    """Return the gifts of a Leadership card: each receiver with a card.

    Raises NotFound, and Impossible("mb-card-gift-each") unless there is one receiver, or one for
    each gift.
    """
    others = [held for held in cards.held_cards(who) if held != card]
    given = card_questions.find_cards(cards, others, action.gifts)
    receivers: list[str] = []
    for name in action.to.split(","):
        receivers.append(find_known(game.state, action.who, name.strip(), "to").id)
    if len(receivers) not in (1, len(given)):
        raise Impossible("mb-card-gift-each")
    return [(receiver, (gift,)) for receiver, gift in zip(cycle(receivers), given, strict=False)]


def _use_face_up(game: Game, action: Any, found: AnyCharacter) -> Outcome:
    """Use a face-up card of a character as the GM, or end a permanent subplot.

    Raises NotFound, and Impossible("mb-card-precondition").
    """
    cards, who = require_cards(game), found.id
    subplots = deal.permanent_subplots(cards, who)
    permanent = {cards.kinds[key].name.casefold(): key for key in subplots}
    ended = permanent.get(action.card.casefold())
    if ended:
        cards = deal.end_permanent(cards, who, ended)
        game = with_cards(game, cards)
        holder, name = card_questions.holder_ref(game, who), cards.kinds[ended].name
        note = for_all("mb-plot-ended", who=holder, name=name)
        return report_outcome(game, Text("topic-cards"), note)
    card = card_questions.find_card(cards, cards.at(FACE, who), action.card, who)
    is_alertness = cards.kind(card, who).key == _ALERTNESS
    cards = deal.use_face_up(cards, who, card)
    if is_alertness:
        game = _without_surprise(game, who)
    return _finish_moves(game, cards, action.place)


def _without_surprise(game: Game, who: str) -> Game:
    """Return the game with a character no longer surprised, by Alertness (MB-CARD-S01)."""
    return game.with_state(without_marks(game.state, who, SURPRISED))


def _change_martyr_deed(game: Game, action: Any, found: AnyCharacter) -> Outcome:
    """Name, do or leave undone a martyr's deed. Raises Impossible("mb-card-precondition")."""
    return _finish_moves(game, _DEEDS[action.how](require_cards(game), found.id), action.place)


#: Ends of a martyr's deed.
_DEEDS: Final = {"named": deal.name_martyr_deed, "done": deal.sacrifice, "out": deal.back_out}


def _change_seat(game: Game, action: Any, found: AnyCharacter) -> Outcome:
    """Let a character join or leave the deck, or draw a bonus card.

    Raises Impossible("mb-card-no-seat"), ("mb-card-seated"), ("mb-card-off").
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
    """Look at the draw pile, stack it, or make a blank card another one. Everyone is told that.

    A deck that no adventure shuffles is shuffled first, and not by the next flip.
    Raises NotFound, and Impossible("mb-card-none"), ("mb-card-no-blank").
    """
    events: tuple[Event, ...] = ()
    if action.how == "blank":
        number, outcome = 1, _bring_deck(game, _deck_with_blank(game, action.cards))
        game, events = game.with_state(outcome.state), outcome.events
    else:
        table_mode = mode(game)
        if table_mode.lines and not table_mode.hands:
            cards = round_card.ready_deck(game)
        else:
            cards = require_cards(game)
        if action.how == "stack":
            order = card_questions.find_cards(cards, cards.at(DRAW_PILE), action.cards)
            number, cards = len(order), deal.stack(cards, order)
        else:
            top = cards.at(DRAW_PILE)[: action.number]
            number = len(top)
            events = (_top_cards_report(cards, top, action.who.id),)
        shuffles = card_questions.shuffle_events(game, cards)
        game, events = with_cards(game, cards), (*shuffles, *events)
    note = for_all("mb-deck-arranged", how=action.how, number=number)
    outcome = report_outcome(game, Text("topic-cards"), note)
    return Outcome(outcome.state, (*events, *outcome.events))


def _top_cards_report(cards: Cards, top: Sequence[str], by: str) -> Reported:
    """Return the report of the top cards to the GMs."""
    rows = tuple((card_questions.card_label(cards, card),) for card in top)
    blocks = (Group(None, rows, FOR_EVERYONE),)
    return Reported(audience=GMS, title=Text("mb-deck-top"), blocks=blocks, by=by)


def _deck_with_blank(game: Game, name: str) -> DeckFile:
    """Return the next deck with a blank card made another card of a kind (MB-CARD-B01).

    The new card has the lines of the first card of that kind.
    """
    file = next_deck_file(game)
    faces, kinds = [*faces_in(file).values()], kinds_in(file)
    wanted = ""
    for key, kind in kinds.items():
        if name.casefold() in (key, kind.name.casefold()):
            wanted = key
            break
    like = next((face for face in faces if face.kind == wanted and face.in_play), None)
    blank = next((at for at, face in enumerate(faces) if face.kind == "blank"), None)
    if like is None:
        near = tuple(dict.fromkeys(kind.name for kind in kinds.values()))[:10]
        raise NotFound("mb-card-not-there", field="card", value=name[:60], nearest=near)
    if blank is None:
        raise Impossible("mb-card-no-blank")
    faces[blank] = like.replace(id=faces[blank].id)
    return (file or DeckFile("MasterBook", ())).replace(faces=tuple(faces))


def _how_field(*ways: str) -> Pick:
    return Pick("how", choices=plain_options(ways), needed=True)


_WHOSE: Final = Typed("character", most=NAME_MAX, needed=True, choices=known_character_options)
_CARD: Final = Typed("card", most=NAME_MAX, needed=True)
_CARDS, _NUMBER = Typed("cards", most=_MAX_TYPED), Number("number", low=1, high=_MAX_PEEK)
_WAYS: Final = _how_field("peek", "stack", "blank")
_ARRANGES: Final = acts_by("Arrange", _arrange, _WAYS, _NUMBER, _CARDS, openly=False)


def _luck_options() -> tuple[Option, ...]:
    """Return the cards that Luck may be, by name."""
    names: list[str] = []
    for use in play.LUCK["ciii"]:
        names.extend(KINDS[key].name for key in use if key in KINDS)
    return plain_options(names)


_LUCK: Final = _luck_options()
COMMANDS: Final = (
    action_command(
        "card play",
        "Play",
        _play_by_command,
        Typed("card", most=NAME_MAX, needed=True, choices=card_questions.OWN_CARDS),
        Typed("as_name", most=NAME_MAX),
        Typed("gifts", most=_MAX_TYPED, choices=card_questions.OWN_CARDS),
        Typed("to", most=_MAX_TYPED, choices=known_character_options),
        Flag("give_only"),
        Typed("question", most=_MAX_TYPED),
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
    action_command("card use", "UseFaceUp", _use_face_up, _WHOSE, _CARD, whose="character"),
    action_command(
        "card martyr", "Martyr", _change_martyr_deed, _how_field(*_DEEDS), _WHOSE, whose="character"
    ),
    action_command(
        "card seat",
        "Sit",
        _change_seat,
        _how_field("joins", "leaves", "bonus"),
        _WHOSE,
        whose="character",
    ),
    command("deck peek", _ARRANGES.replace(fixed={"how": "peek"}), _NUMBER.replace(needed=True)),
    command("deck stack", _ARRANGES.replace(fixed={"how": "stack"}), _CARDS.replace(needed=True)),
    command(
        "deck blank",
        _ARRANGES.replace(fixed={"how": "blank"}, openly=True),
        _CARDS.replace(needed=True),
    ),
    *card_commands.CARD_COMMANDS,
)
