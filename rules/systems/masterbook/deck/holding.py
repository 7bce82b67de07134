"""What people do with the cards they hold, and GMs with the deck: the shared commands at a table with this deck.

MB-CARD-06, MB-CARD-08, MB-CARD-15, MB-CARD-S01 to MB-CARD-S05, MB-CARD-P01 to MB-CARD-P03, MB-CARD-D06.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.names import name_key
from rules.systems.masterbook import rounds
from rules.systems.masterbook.deck import asking, dealing, files, opening, playing, rolls
from rules.systems.masterbook.deck.files import DeckFile
from rules.systems.masterbook.deck.kinds import KINDS, Lines
from rules.systems.masterbook.deck.playing import Effect
from rules.systems.masterbook.deck.rolls import between, in_progress, lasts
from rules.systems.masterbook.deck.state import (
    DISCARD,
    DRAW,
    FACE,
    HAND,
    INITIATIVE,
    POOL,
    Cards,
    Moved,
    Moves,
)
from rules.systems.masterbook.deck.table import (
    DECK,
    FILE,
    NEXT,
    begun,
    cards_of,
    coming,
    deck_in,
    deck_of,
    faces_in,
    faces_of,
    kinds_in,
    kinds_of,
    mode,
    with_cards,
)
from rules.systems.masterbook.doing import SURPRISED, acting, acts_by, command
from rules.systems.masterbook.hurting import LIFE_POINTS
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.table import gm_tools
from rules.table.actions import (
    Award,
    DrawCards,
    ImportDeck,
    OfferCard,
    PlayCard,
    RemoveDeck,
    ShuffleDeck,
)
from rules.table.blocks import ALL, GMS, Block, Group, Note, Ref, Text
from rules.table.cards import STANDARD, ruled_deck
from rules.table.checks import machine, telling
from rules.table.commands import AS, NAME_MAX, everybody
from rules.table.events import CardsMoved, DeckChanged, Event, Line, Reported
from rules.table.forms import Flag, Number, Pick, Typed, as_written
from rules.table.gm_tools import party
from rules.table.lookup import find_known
from rules.table.marks import without_marks
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.reporting import reported
from rules.table.state import AnyCharacter
from rules.table.system import CardRules, Game, Held, Pictured

#: The most cards that a GM looks at, and the longest list of cards that is typed.
_PEEK: Final = 20
_TYPED: Final = 300
_ALERTNESS: Final = "alertness"
#: What can be done with a card where it lies, the likeliest first, out of rounds and in them.
_VERBS: Final[dict[tuple[str, bool], tuple[str, ...]]] = {
    (HAND, False): ("play", "show", "give", "discard"),
    (HAND, True): ("pool", "play", "show", "discard"),
    (POOL, True): ("play", "give"),
}


# --- who holds what ------------------------------------------------------------------------------------------


def seats_of(game: Game, participant: str) -> tuple[str, ...]:
    """The characters of somebody's that hold cards."""
    if not begun(game):
        return ()
    characters = game.state.characters
    seats = [each.who for each in cards_of(game).deal.seats]
    return tuple([each for each in seats if each in characters and characters[each].owner == participant])


def held(game: Game, participant: str) -> tuple[Held, ...]:
    """Every card of somebody's, with what they can do with it: pools first, then hands, then what lies face up."""
    found: list[Held] = []
    for who in seats_of(game, participant):
        cards = cards_of(game)
        in_rounds = cards.deal.round is not None
        for place in (POOL, HAND, FACE):
            for each in reversed(cards.at(place, who)):
                kind = cards.kind(each, who)
                verbs = [verb for verb in _VERBS.get((place, in_rounds), ()) if _may(game, who, each, verb)]
                about = Text("mb-card-about", {"summary": kind.summary})
                found.append(
                    Held(each, kind.name, Text("mb-card-where", {"where": place}), about, tuple(verbs))
                )
    return tuple(found)


def _may(game: Game, who: str, card: str, verb: str) -> bool:
    """Whether somebody may do that with a card now, where no action is in progress."""
    cards = cards_of(game)
    try:
        if verb == "play":
            playing.require(cards, who, card, between(game, who))
        elif verb == "pool":
            rounds.pooled(game, who, card)
    except Impossible:
        return False
    return verb != "give" or not dealing.confused(cards)


def _mine(game: Game, text: str, *places: str) -> tuple[str, str]:
    """A card of whoever acts, by number or name, and who holds it. NotFound("mb-card-not-there")."""
    cards = cards_of(game)
    seats = seats_of(game, game.actor.id)
    dealing.refuse(no_seat=not seats)
    holders = {each: who for who in seats for place in places for each in cards.at(place, who)}
    card = asking.find(cards, holders, text)
    return holders[card], card


# --- the shared commands -------------------------------------------------------------------------------------


def takes(game: Game, action: Any) -> bool:
    """Whether it is about this deck: at a table that plays with it, where no other deck is named.

    So are points that come to somebody who owes some for a deed that was left undone.
    """
    if isinstance(action, Award):
        return begun(game) and any(each.debt for each in cards_of(game).deal.seats)
    if deck_of(game) is None:
        return False
    if isinstance(action, ImportDeck):
        return action.data.get("format") == files.FORMAT
    other = isinstance(action, RemoveDeck) and action.deck == STANDARD
    return not other and ruled_deck(game, action.deck) is not None


def _drawn(game: Game, action: DrawCards) -> Outcome:
    """Hands are filled up only when a scene is over. Impossible("mb-card-no-draw")."""
    cards = cards_of(game)
    due = [each for each in seats_of(game, game.actor.id) if cards.seat(each).due == "draw"]
    open_ = [each for each in game.state.checks.values() if each.open and each.kind == "replenish"]
    if not due or not open_:
        raise Impossible("mb-card-no-draw")
    before = game.state
    asked = open_[0].asked[0]
    made = machine.choose(game, open_[0].id, asked.prompt.key, asked.number, "keep", (due[0],))
    return Outcome(made.state, telling.told(before, made))


def _used(game: Game, action: PlayCard) -> Outcome:
    """Played, pooled, shown or discarded. Raises what these raise."""
    if action.how == "pool":
        who, card = _mine(game, action.card, HAND)
        return rounds.put_into_pool(game, game.character(who), card)
    if action.how == "show":
        who, card = _mine(game, action.card, HAND)
        return Outcome(
            game.state, (CardsMoved(step="shown", deck=DECK, by=game.actor.id, count=1, cards=(card,)),)
        )
    if action.how == "discard":
        who, card = _mine(game, action.card, HAND)
        cards, moves = dealing.discard(cards_of(game), who, (card,))
        return _told(game, cards, moves, action.place)
    who, card = _mine(game, action.card, POOL, HAND)
    return played(game, action.place, who, card)


def _told(game: Game, cards: Cards, moves: Moves, place: str) -> Outcome:
    game, events = asking.met(with_cards(game, cards), place, moves)
    # What was to become of a card that is gone now is off; of a trade that would tell everybody what was offered.
    game, more = asking.look_again(game, [each for each in asking.ABOUT if each != asking.TRADE])
    return Outcome(game.state, (*events, *more))


def played(
    game: Game,
    place: str,
    who: str,
    card: str,
    *,
    as_name: str = "",
    gifts: dealing.Gifts = (),
    draws: bool = True,
    question: str = "",
) -> Outcome:
    """A card between actions; what becomes a subplot, or makes one last, waits for the GM. Raises as `playing.play`."""
    if asks := asking.as_subplot(game, who, card, as_name):
        game, events = asking.begin(game, asks[0], place, who, asks[1])
        return Outcome(game.state, events)
    playing.require(cards_of(game), who, card, between(game, who), as_name=as_name)
    dealing.refuse(wrong_window=in_progress(game, place))
    cards, moves, effect = playing.play(
        cards_of(game), who, card, between(game, who), game.rng, as_name=as_name, gifts=gifts, draws=draws
    )
    name = cards_of(game).kind(card).name
    game = with_cards(game, cards)
    if effect.skill_points:
        sheet: MasterbookSheet = game.sheet(who)
        game = game.put(who, sheet.but(skill_points=sheet.skill_points + effect.skill_points))
    events: tuple[Event, ...] = ()
    about = cards.kinds[as_name or cards.kind(card).key]
    title = Line(
        "mb-deal-plays",
        {"who": asking.by_name(game, who), "name": name, "as": as_name and about.name, "asks": effect.asks},
    )
    blocks = (Note(Text("mb-card-about", {"summary": about.summary}), ALL),)
    game, told = asking.met(game, place, [each for each in moves if each.what != "played"], title, blocks)
    game, events = effected(game, place, who, effect, question)
    return Outcome(game.state, (*told, *events))


def effected(
    game: Game, place: str, who: str, effect: Effect, question: str = ""
) -> tuple[Game, tuple[Event, ...]]:
    """What a card between actions does besides moving cards (MB-CARD-E01, -E08, -E10, -P04)."""
    if effect.actions:
        return rounds.hasten(game, who)
    if effect.asks:
        said = {"name": effect.name} | ({"question": question} if question else {})
        return asking.begin(game, asking.HINT, place, who, said)
    return lasts(game, effect), ()


def _lucky(game: Game, action: Any, actor: AnyCharacter) -> Outcome:
    """Luck between actions. NotFound("unknown-choice"); raises as `playing.lucky`."""
    who = actor.id
    kind = next((each for each in KINDS.values() if name_key(each.name) == name_key(action.effect)), None)
    if kind is None:
        offered = tuple([each.value for each in _LUCK])
        raise NotFound("unknown-choice", field="effect", value=action.effect[:60], nearest=offered)
    effect = rolls.effect_of(game, who, kind.key, between(game, who))
    game = rolls.spent(game, who, kind.key)
    if kind.key == _ALERTNESS:
        game = _alert(game, who)
    if effect.actions and begun(game) and cards_of(game).deal.seat(who) is not None:
        seat = cards_of(game).seat(who)
        game = with_cards(game, cards_of(game).but_seat(seat.but(extra=seat.extra + effect.actions)))
    title = Line("mb-luck", {"who": asking.by_name(game, who), "card": kind.name})
    told = reported(game, title).events
    game, events = effected(game, action.place, who, effect)
    return Outcome(game.state, (*told, *events))


def _rescued(game: Game, action: Any, found: AnyCharacter) -> Outcome:
    """A GM averts a disaster with the Luck of a player's character. NotPermitted("gm-only"); raises as `rescued`."""
    game = rolls.rescued(game, found.id)
    return reported(game, Line("mb-luck-rescue", {"who": Ref(name=found.name)}), of=found)


def _offered(game: Game, action: OfferCard) -> Outcome:
    """A trade: whoever it is offered to chooses a card for it. InvalidInput("not-a-member") for nobody who plays."""
    who, card = _mine(game, action.card, *((HAND,) if cards_of(game).deal.round is None else (POOL,)))
    others = seats_of(game, action.to)
    if not others or action.to == game.actor.id:
        raise InvalidInput("not-a-member", field="to", value=None)
    about = {"target": others[0], "visibility": "private"}
    game, events = asking.begin(game, asking.TRADE, action.place, who, {"cards": card}, **about)
    return Outcome(game.state, events)


def _shuffled(game: Game, action: ShuffleDeck) -> Outcome:
    """A GM shuffles the draw pile as it lies. NotPermitted("gm-only"), Impossible("mb-card-no-shuffle")."""
    require_gm(game.state, game.actor)
    if action.what != "draw":
        raise Impossible("mb-card-no-shuffle")
    cards = cards_of(game)
    piles = cards.piles.shuffle(DRAW, game.rng.shuffle, game.rng.sealed)
    # Nobody has seen what lies there: who knew how it lay would know what lies in hands.
    return _told(game, cards.but(piles=piles), (Moved("reshuffled"),), action.place)


def _brought(game: Game, file: DeckFile | None) -> Outcome:
    """A deck for the next adventure; at once where none is under way (MB-CARD-D06)."""
    on = begun(game) and cards_of(game).deal.limit > 0
    state = game.state
    if on:
        state = state.with_own(NEXT, file or DeckFile("", "", ()))
    else:
        state = state.with_own(NEXT, None).with_own(FILE, file)
        if (before := state.decks.get(DECK)) is not None:
            # What outlasts an adventure outlasts its deck; no order of that becomes public by this.
            kept = {"older": before.older, "sealed": before.sealed, "opened": before.opened}
            piles = replace(dealing.laid(faces_of(game.with_(state))), **kept)
            state = state.but(decks={**state.decks, DECK: piles})
    deck, there = deck_in(file), file is not None
    event = DeckChanged(deck=DECK, name=deck.name, count=len(deck.cards), by=game.actor.id, there=there)
    return Outcome(state, (event,))


def _imported(game: Game, action: ImportDeck) -> Outcome:
    """A table's own deck. NotPermitted("gm-only"), Problems("deck-problems") with every fault by the card's number."""
    require_gm(game.state, game.actor)
    file, notes = files.loaded(action.data, mode(game), len(party(game.state)))
    outcome = _brought(game, file)
    if not notes:
        return outcome
    told = tuple(
        Note(Text("mb-deck-note", {"code": each.code, "card": each.card, "name": each.name}), ALL)
        for each in notes
    )
    event = Reported(audience=GMS, title=Line("mb-deck-notes"), blocks=told, by=game.actor.id)
    return Outcome(outcome.state, (*outcome.events, event))


def _awarded(game: Game, action: Award) -> Outcome:
    """Points as a GM gives them, of which a debt takes Life Points first (MB-CARD-S05). Raises as `gm_tools.award`."""
    require_gm(game.state, game.actor)
    outcome = gm_tools.award(game.state, action, game)
    before, game = game, game.with_(outcome.state)
    told: list[Moved] = []
    if name_key(action.kind) == name_key(LIFE_POINTS.key):
        for seat in cards_of(game).deal.seats:
            if seat.debt and asking.points_of(before, seat.who) != asking.points_of(game, seat.who):
                sheet, have = game.sheet(seat.who), asking.points_of(before, seat.who)
                game = game.put(seat.who, sheet.but(life_points=have))
                cards, moves = dealing.pay(cards_of(game), seat.who, have, action.amount)
                game = asking.paid(with_cards(game, cards), moves)
                told += [each for each in moves if each.what == "owed"]
    game, events = asking.met(game, action.place, told)
    return Outcome(game.state, (*outcome.events, *events))


def _removed(game: Game, action: RemoveDeck) -> Outcome:
    """Back to the game's own deck. NotPermitted("gm-only")."""
    require_gm(game.state, game.actor)
    return _brought(game, None)


def lies(game: Game) -> tuple[Block, ...]:
    """What everybody may know of the deck: how many cards lie where, and which lie face up."""
    if not begun(game):
        deck = deck_of(game)
        return (Note(Text("mb-deck-waits", {"number": 0 if deck is None else len(deck.cards)}), ALL),)
    cards = cards_of(game)
    top = cards.at(DISCARD)[:1]
    counted = {
        "draw": len(cards.at(DRAW)),
        "discard": len(cards.at(DISCARD)),
        "flipped": len(cards.at(INITIATIVE)),
    }
    found: list[Block] = [
        Note(Text("mb-deck-lies", {**counted, "top": tuple(cards.kind(each).name for each in top)}), ALL)
    ]
    for seat in cards.deal.seats:
        rows: list[tuple[Any, ...]] = [
            (
                Text("mb-card-where", {"where": HAND}),
                Text("mb-cards-held", {"number": len(cards.at(HAND, seat.who))}),
            )
        ]
        for place in (POOL, FACE):
            names = [cards.kind(each, seat.who).name for each in reversed(cards.at(place, seat.who))]
            if names:
                rows.append(
                    (Text("mb-card-where", {"where": place}), Text("mb-cards-names", {"cards": tuple(names)}))
                )
        found.append(Group(Text("check-of", {"who": asking.by_name(game, seat.who)}), tuple(rows), ALL))
    return tuple(found)


def face(game: Game, card: str) -> Pictured | None:
    """What a picture shows of a card of the deck in use; `75:dramatic` is one that was flipped (MB-CARD-02).

    Nobody holds that one: of it the line of that scene counts, and nothing that it does in a hand.
    """
    card, _, now = card.partition(":")
    found = faces_of(game).get(card)
    if found is None:
        return None
    kind = kinds_of(game)[found.kind]
    lines = [Text("mb-face-box", {"box": found.box, "letters": found.letters})] if found.box else []
    if found.approved:
        lines.append(Text("mb-face-act", {"words": found.approved}))
    return Pictured(
        kind.name,
        card,
        None if now else Text("mb-face-when", {"type": kind.type, "windows": kind.windows, "op": kind.op}),
        None if now else Text("mb-card-about", {"summary": kind.summary}),
        tuple(
            (Text("mb-face-scene", {"scene": scene}), _sides(line))
            for scene, line in (("standard", found.standard), ("dramatic", found.dramatic))
            if line is not None and now in ("", scene)
        ),
        tuple(lines),
    )


def _sides(line: Lines) -> tuple[tuple[bool, Line, Line, bool], ...]:
    """Both sides of a line in the order in which they act."""
    return tuple(
        (
            side == "P",
            Text("mb-face-side", {"side": side}),
            Text("mb-face-effect", {"effect": line.of(side), "skill": line.skill}),
            bool(line.of(side)),
        )
        for side in line.sides
    )


def pooled(game: Game) -> tuple[str, ...]:
    """The cards in all pools, each player's in the order received (MB-CARD-17)."""
    if not begun(game):
        return ()
    cards = cards_of(game)
    return tuple([each for seat in cards.deal.seats for each in reversed(cards.at(POOL, seat.who))])


def after(game: Game, outcome: Outcome) -> Outcome:
    """Who is out of play, a GM's or dead by now has left: all they held is discarded (MB-CARD-04, OP-52).

    Who has joined rounds is on a side.
    """
    before, game = game, game.with_(outcome.state)
    if not begun(game):
        return outcome
    if game.state.encounters is not before.state.encounters:
        game = opening.joined(game, before.state)
        outcome = replace(outcome, state=game.state)
    if game.state.characters is before.state.characters:
        return outcome
    cards, told = cards_of(game), list[Moved]()
    for seat in cards.deal.seats if cards.deal.limit else ():
        if not asking.holds(game, seat.who):
            cards, moves = dealing.part(cards, seat.who)
            told += moves
    if not told:
        return outcome
    game, events = asking.met(with_cards(game, cards), "", told)
    game, more = asking.look_again(game)
    return Outcome(game.state, (*outcome.events, *events, *more))


RULES: Final = CardRules(
    deck=deck_of,
    takes=takes,
    actions={
        DrawCards: _drawn,
        PlayCard: _used,
        OfferCard: _offered,
        ShuffleDeck: _shuffled,
        ImportDeck: _imported,
        RemoveDeck: _removed,
        Award: _awarded,
    },
    held=held,
    lies=lies,
    face=face,
    pooled=pooled,
    after=after,
)


# --- commands of its own -------------------------------------------------------------------------------------


def _play(game: Game, action: Any, actor: AnyCharacter) -> Outcome:
    """Impossible("mb-card-not-wild") for any other card by another name; raises as `acting_as`, `find`, `played`."""
    cards, who = cards_of(game), actor.id
    cards.seat(who)
    mine = [each for place in (POOL, HAND) for each in cards.at(place, who)]
    card = asking.find(cards, mine, action.card)
    if action.as_name and cards.kind(card).op != "any_card":
        raise Impossible("mb-card-not-wild", name=cards.kind(card).name)
    gifts: list[tuple[str, tuple[str, ...]]] = []
    if action.gifts:
        given = asking.find_all(cards, [each for each in mine if each != card], action.gifts)
        to = [find_known(game.state, action.who, each.strip(), "to").id for each in action.to.split(",")]
        if len(to) not in (1, len(given)):
            raise Impossible("mb-card-gift-each")
        gifts = [(whose, (each,)) for whose, each in zip(cycle(to), given, strict=False)]
    kinds = {row.name.casefold(): key for key, row in cards.kinds.items()}
    as_name = kinds.get(action.as_name.casefold()) or action.as_name
    return played(
        game,
        action.place,
        who,
        card,
        as_name=as_name,
        gifts=gifts,
        draws=not action.give_only,
        question=action.question,
    )


def _use(game: Game, action: Any, found: AnyCharacter) -> Outcome:
    """NotPermitted("gm-only"), NotFound, Impossible("mb-card-precondition")."""
    cards, who = cards_of(game), found.id
    permanent = {cards.kinds[each].name.casefold(): each for each in dealing.permanent(cards, who)}
    if ended := permanent.get(action.card.casefold()):
        cards = dealing.end_permanent(cards, who, ended)
        game = with_cards(game, cards)
        note = Note(
            Text("mb-plot-ended", {"who": asking.by_name(game, who), "name": cards.kinds[ended].name}), ALL
        )
        return reported(game, Line("mb-cards"), note)
    card = asking.find(cards, cards.at(FACE, who), action.card, who)
    noticed = cards.kind(card, who).key == _ALERTNESS
    cards, moves = dealing.use_face_up(cards, who, card)
    return _told(_alert(game, who) if noticed else game, cards, moves, action.place)


def _alert(game: Game, who: str) -> Game:
    """The game once somebody notices what was missed: nothing surprises them (MB-CARD-S01)."""
    return game.with_(without_marks(game.state, who, SURPRISED))


def _martyr(game: Game, action: Any, found: AnyCharacter) -> Outcome:
    """NotPermitted("gm-only"), NotFound, Impossible("mb-card-precondition")."""
    cards, who = cards_of(game), found.id
    if action.how == "out":
        cards, moves = dealing.back_out(cards, who, asking.points_of(game, who))
    elif action.how == "named":
        cards, moves = dealing.named(cards, who)
    else:
        cards, moves = dealing.sacrifice(cards, who)
        cards, more = dealing.part(cards, who)
        moves = (*moves, *more)
    return _told(game, cards, moves, action.place)


def _sit(game: Game, action: Any, found: AnyCharacter) -> Outcome:
    """NotPermitted("gm-only"), NotFound; Impossible("mb-card-no-seat", "mb-card-seated", "mb-card-off")."""
    cards, who = cards_of(game), found.id
    if action.how == "joins":
        seated = cards.deal.seat(who) is not None
        dealing.refuse(no_seat=not asking.holds(game, who), none=not cards.deal.limit, seated=seated)
        cards, moves = dealing.join(cards, who, game.rng)
    else:
        cards.seat(who)
        if action.how == "leaves":
            cards, moves = dealing.part(cards, who)
        else:
            cards, moves = dealing.bonus(cards, who, game.rng)
    return _told(game, cards, moves, action.place)


def _arrange(game: Game, action: Any) -> Outcome:
    """Everybody hears that it was done. NotPermitted("gm-only"), NotFound, Impossible("mb-card-none", "-no-blank")."""
    require_gm(game.state, game.actor)
    told: tuple[Event, ...] = ()
    number = action.number
    if action.how == "blank":
        outcome = _brought(game, _filled(game, action.cards))
        return Outcome(outcome.state, (*outcome.events, *_announced(game, action.how, 1)))
    cards = cards_of(game)
    if action.how == "stack":
        order = asking.find_all(cards, cards.at(DRAW), action.cards)
        number = len(order)
        game = with_cards(game, dealing.stack(cards, order))
    else:
        seen = cards.at(DRAW)[:number]
        number = len(seen)
        rows = tuple(
            [(Text("mb-card-option", {"name": cards.kind(each).name, "number": each}),) for each in seen]
        )
        told = (
            Reported(
                audience=GMS, title=Line("mb-deck-top"), blocks=(Group(None, rows, ALL),), by=action.who.id
            ),
        )
    return Outcome(game.state, (*told, *_announced(game, action.how, number)))


def _announced(game: Game, how: str, number: int) -> tuple[Event, ...]:
    note = Note(Text("mb-deck-arranged", {"how": how, "number": number}), ALL)
    return reported(game, Line("mb-cards"), note).events


def _filled(game: Game, name: str) -> DeckFile:
    """The deck with one blank card more of a kind, with the lines of another of it (MB-CARD-B01)."""
    file = coming(game)
    faces, kinds = [*faces_in(file).values()], kinds_in(file)
    wanted = next((key for key, row in kinds.items() if name.casefold() in (key, row.name.casefold())), "")
    like = next((each for each in faces if each.kind == wanted and each.in_play), None)
    blank = next((at for at, each in enumerate(faces) if each.kind == "blank"), None)
    if like is None:
        near = tuple(dict.fromkeys(row.name for row in kinds.values()))[:10]
        raise NotFound("mb-card-not-there", field="card", value=name[:60], nearest=near)
    if blank is None:
        raise Impossible("mb-card-no-blank")
    faces[blank] = like.but(id=faces[blank].id)
    return (file or DeckFile("masterbook-default", "MasterBook", ())).but(faces=tuple(faces))


_WHOSE: Final = Typed("character", most=NAME_MAX, needed=True, among=everybody)
_CARDS, _NUMBER = Typed("cards", most=_TYPED), Number("number", low=1, high=_PEEK)
_HOW: Final = Pick("how", among=as_written(("peek", "stack", "blank")), needed=True)
_ARRANGES: Final = acts_by("Arrange", _arrange, _HOW, _NUMBER, _CARDS, openly=False)
_LUCK: Final = as_written([KINDS[each].name for use in playing.LUCK["ciii"] for each in use if each in KINDS])
COMMANDS: Final = (
    acting(
        "card play",
        "Play",
        _play,
        Typed("card", most=NAME_MAX, needed=True, among=asking.OWN),
        Typed("as_name", most=NAME_MAX),
        Typed("gifts", most=_TYPED, among=asking.OWN),
        Typed("to", most=_TYPED, among=everybody),
        Flag("give_only"),
        Typed("question", most=_TYPED),
        AS,
        secret="gifts",
    ),
    acting("card luck", "UseLuck", _lucky, Typed("effect", most=NAME_MAX, needed=True, among=_LUCK), AS),
    acting("card rescue", "Rescue", _rescued, _WHOSE, whose="character"),
    acting(
        "card use", "UseFaceUp", _use, _WHOSE, Typed("card", most=NAME_MAX, needed=True), whose="character"
    ),
    acting(
        "card martyr",
        "Martyr",
        _martyr,
        Pick("how", among=as_written(("named", "done", "out")), needed=True),
        _WHOSE,
        whose="character",
    ),
    acting(
        "card seat",
        "Sit",
        _sit,
        Pick("how", among=as_written(("joins", "leaves", "bonus")), needed=True),
        _WHOSE,
        whose="character",
    ),
    command("deck peek", _ARRANGES.but(fixed={"how": "peek"}), replace(_NUMBER, needed=True)),
    command("deck stack", _ARRANGES.but(fixed={"how": "stack"}), replace(_CARDS, needed=True)),
    command("deck blank", _ARRANGES.but(fixed={"how": "blank"}, openly=True), replace(_CARDS, needed=True)),
    *rounds.CARD_COMMANDS,
)
