"""What people are asked because of cards: which subplots are kept, which cards a hand is filled up from.

Everything that moves cards at a table ends in `met`: it tells what everybody may know and asks what has to be asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from rules.core.record import Record, record
from rules.systems.masterbook.deck import dealing, story
from rules.systems.masterbook.deck.kinds import counts
from rules.systems.masterbook.deck.state import DRAW, HAND, Cards, Due, Moved, Moves
from rules.systems.masterbook.deck.table import DECK, begun, cards_of, with_cards
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.table.blocks import ALL, EVERYONE, Block, Group, Note, Quote, Ref, Text
from rules.table.checks import machine, telling
from rules.table.checks.acting import each_in_turn
from rules.table.checks.check import GMS, NEXT, OVER, Check, Choice, Prompt, Values
from rules.table.checks.procedure import Option, Procedure, Stage, Step
from rules.table.events import CardsMoved, Event, Line, Reported
from rules.table.forms import Form, Many, Typed
from rules.table.forms import Option as Offer
from rules.table.system import Game

#: Kinds of checks.
SUBPLOT, REPLENISH = "subplot", "replenish"
#: Moves of which nothing is told besides what the cards on the table show.
_UNTOLD: Final = frozenset({"shuffled", "reshuffled", "must-discard", "adventure-over"})


# --- what everybody hears ------------------------------------------------------------------------------------


def _public(cards: Cards, move: Moved) -> tuple[str, ...]:
    """The names of those cards of a move that lie where everybody sees them."""
    seen = {card for place, held in cards.piles.places.items() if cards.piles.face_up(place) for card in held}
    shown = move.cards if move.what in ("claimed", "paid") else [each for each in move.cards if each in seen]
    return tuple([cards.kind(each, move.who).name for each in shown])


def holds(game: Game, who: str) -> bool:
    """Whether somebody may hold cards: a player's character in play who is not dead for good (MB-CARD-17)."""
    found = game.state.characters.get(who)
    return found is not None and found.owner is not None and found.in_play and not found.sheet.harm.lost


def by_name(game: Game, who: str) -> Ref | None:
    """Somebody who holds cards, for everybody; None for nobody, or nobody any more."""
    character = game.state.characters.get(who)
    return None if character is None else Ref(name=character.name)


def notes(game: Game, cards: Cards, moves: Iterable[Moved]) -> tuple[Block, ...]:
    """What happened to cards, as everybody may know it: what lies in a hand is only counted."""
    counted: dict[tuple[str, str], list[Moved]] = {}
    for each in moves:
        if each.what not in _UNTOLD:
            counted.setdefault((each.what, each.who), []).append(each)
    found: list[Block] = []
    for (what, who), same in counted.items():
        names = [name for each in same for name in _public(cards, each)]
        number = sum(len(each.cards) or each.number for each in same)
        points = sum(each.number for each in same)
        said = {
            "what": what,
            "who": by_name(game, who),
            "cards": tuple(names),
            "number": points if what == "life-points" else number,
            "points": points,
        }
        found.append(Note(Text("mb-card-moved", said), ALL))
    return tuple(found)


def shuffles(game: Game, moves: Iterable[Moved]) -> tuple[Event, ...]:
    """What is published of the orders that the deck came into."""
    cards, found = cards_of(game), list[Event]()
    for each in moves:
        if each.what in ("shuffled", "reshuffled"):
            sealed = cards.piles.sealed[-1] if cards.piles.sealed else None
            event = CardsMoved(
                step="gathered" if each.what == "shuffled" else "reshuffled",
                deck=DECK,
                by=game.actor.id,
                count=each.number if each.what == "reshuffled" else 0,
                cards=each.cards,
                left=len(cards.at(DRAW)),
                order=cards.piles.opened if sealed is None else sealed.number,
                commitment="" if sealed is None else sealed.commitment,
            )
            found.append(event)
    return tuple(found)


def paid(game: Game, moves: Iterable[Moved]) -> Game:
    """The game with the Life Points of these moves on the sheets."""
    for each in moves:
        if each.what == "life-points" and each.who in game.state.characters:
            sheet: MasterbookSheet = game.sheet(each.who)
            game = game.put(each.who, sheet.but(life_points=sheet.life_points + each.number))
    return game


def points_of(game: Game, who: str) -> int:
    """Somebody's Life Points; none for those who are gone."""
    return game.sheet(who).life_points if who in game.state.characters else 0


def met(
    game: Game,
    place: str,
    moves: Sequence[Moved],
    title: Text | None = None,
    blocks: Sequence[Block] = (),
    *,
    told: bool = True,
) -> tuple[Game, tuple[Event, ...]]:
    """The game once Life Points are paid and everybody is asked what these moves take, and what is told of it.

    `title` and `blocks` are what is told of it besides; without them, and with nothing to tell, there is no message,
    nor where it is `told` elsewhere.
    """
    cards = cards_of(game)
    game = paid(game, moves)
    by = game.actor.id
    events: list[Event] = [*shuffles(game, moves)]
    said = (*blocks, *notes(game, cards, moves)) if told else ()
    if said:
        events.append(Reported(audience=EVERYONE, title=title or Line("mb-cards"), blocks=said, by=by))
    game, more = plots(game, place)
    events += more
    over = [each.who for each in moves if each.what == "must-discard"]
    game, more = refilled(game, place, over, "discard")
    return game, (*events, *more)


def plots(game: Game, place: str) -> tuple[Game, tuple[Event, ...]]:
    """The game once everybody is asked whose subplots wait; also about one whose check a GM has ended."""
    events: tuple[Event, ...] = ()
    for seat in cards_of(game).deal.seats:
        if seat.pending and not is_open(game, SUBPLOT, seat.who):
            game, more = begin(game, SUBPLOT, place, seat.who)
            events = (*events, *more)
    return game, events


def refilled(game: Game, place: str, who: Iterable[str], due: Due) -> tuple[Game, tuple[Event, ...]]:
    """The game once these are asked to discard what is too much, or to fill up their hands."""
    cards, asked = cards_of(game), {*who}
    for seat in cards.deal.seats:
        if seat.who in asked and seat.due != "draw":
            cards = cards.but_seat(seat.but(due=due))
    if not asked:
        return game, ()
    game = with_cards(game, cards)
    return look_again(game, (REPLENISH,)) if is_open(game, REPLENISH) else begin(game, REPLENISH, place)


def is_open(game: Game, kind: str, who: str = "") -> bool:
    """Whether there is an open check of that kind that asks somebody."""
    return any(each.open and (each.kind, each.actor) == (kind, who) for each in game.state.checks.values())


def begin(
    game: Game, kind: str, place: str, who: str = "", said: Values | None = None, **more: Any
) -> tuple[Game, tuple[Event, ...]]:
    """A check that asks somebody, and what is told of it."""
    made = machine.begin(game, kind, place, said or {}, actor=who, **more)
    return made.game, telling.told(game.state, made)


def look_again(game: Game, kinds: Iterable[str]) -> tuple[Game, tuple[Event, ...]]:
    """The game once open checks of these kinds have been asked again: cards they are about may be gone."""
    wanted = {*kinds}
    open_ = [each.id for each in game.state.checks.values() if each.open and each.kind in wanted]
    return each_in_turn(game, open_, machine.look_again)


def unbound(game: Game, check: Any, values: Values) -> Any:
    """A check that may stay open over turns."""
    check.round = None
    return check


# --- subplots ------------------------------------------------------------------------------------------------


@record
class Plots(Record):
    """Subplots of somebody: whether the GM allows the one that is next, and what became of those before."""

    allowed: bool | None = None
    overruled: bool = False
    done: tuple[Moved, ...] = ()


AnyPlots = Check[Plots]


def next_plot(game: Game, who: str) -> str:
    """The subplot of somebody's that is to be decided on; empty for none."""
    seat = cards_of(game).deal.seat(who) if begun(game) else None
    return seat.pending[0] if seat is not None and seat.pending else ""


class Deciding(Stage[Plots]):
    """The GM allows a subplot or not, the player keeps it or not, one after the other (MB-CARD-05, MB-CARD-S00)."""

    name = "deciding"
    orders = (
        (("keep"), Option("keep", Line("mb-plot-keep"))),
        (("keep"), Option("decline", Line("mb-plot-decline"))),
    )

    def ask(self, game: Game, check: AnyPlots, /) -> tuple[Prompt, ...]:
        if not next_plot(game, check.actor):
            return ()
        if check.data.allowed is None:
            return (Prompt("allow", default="allow", button="mb-plot-gm"),)
        return (Prompt("keep", (check.actor,), default="keep", button="mb-plot-player"),)

    def options(self, game: Game, check: AnyPlots, prompt: str, who: str, /) -> Iterable[Option]:
        if prompt == "keep":
            return [option for _, option in self.orders]
        full = len(story.in_effect(cards_of(game), check.actor)) >= story.IN_EFFECT
        found = ["allow", "overrule", "refuse"] if full else ["allow", "refuse"]
        return [Option(each, Line(f"mb-plot-{each}")) for each in found]

    def choose(self, game: Game, check: AnyPlots, choice: Choice, /) -> Step[Plots]:
        data, said = check.data, Line("mb-plot-done", {"how": choice.option})
        if choice.prompt == "allow" and choice.option != "refuse":
            data = data.but(allowed=True, overruled=choice.option == "overrule")
            return Step(game.state, data, reopen=True, said=said)
        who, cards = check.actor, cards_of(game)
        cards, moves = story.decide(
            cards,
            who,
            next_plot(game, who),
            choice.prompt == "keep",
            choice.option == "keep",
            points_of(game, who),
            data.overruled,
        )
        game = paid(with_cards(game, cards), moves)
        done = (*data.done, *moves)
        more = bool(next_plot(game, who))
        return Step(game.state, Plots(done=done), None if more else OVER, reopen=more, said=said)


def _told_plots(game: Game, check: AnyPlots) -> tuple[Block, ...]:
    """Which subplot waits, and what became of those before."""
    if not begun(game):
        return ()
    cards, card = cards_of(game), next_plot(game, check.actor)
    found: list[Block] = [*notes(game, cards, check.data.done)]
    if card and check.open:
        kind = cards.kind(card)
        said = {"name": kind.name, "allowed": bool(check.data.allowed)}
        found.insert(0, Note(Text("mb-plot", said), ALL))
        found.insert(1, Note(Text("mb-card-about", {"summary": kind.summary}), ALL))
    return tuple(found)


# --- replenishing --------------------------------------------------------------------------------------------


@record
class Refill(Record):
    """Hands that are filled up, or only cut down: who is done, and what became of it."""

    done: tuple[str, ...] = ()
    moves: Moves = ()


AnyRefill = Check[Refill]


def waiting(game: Game) -> tuple[str, ...]:
    """Whose hands are to be filled up, or are too full."""
    if not begun(game):
        return ()
    cards = cards_of(game)
    return tuple(
        [
            each.who
            for each in cards.deal.seats
            if each.due == "draw" or (each.due and dealing.surplus(cards, each.who))
        ]
    )


def kept(cards: Cards, who: str) -> tuple[str, ...]:
    """The cards that go where somebody says nothing: as many as are too many, the ones received last."""
    counting = [each for each in cards.at(HAND, who) if counts(cards.kind(each), cards.setting)]
    return tuple(counting[: dealing.surplus(cards, who)])


class Replenishing(Stage[Refill]):
    """Everybody discards what they like and draws up to the limit; keeping all is usual (MB-CARD-14)."""

    name = "replenishing"
    orders = (("replenish", Option("keep", Line("mb-cards-keep"))),)

    def ask(self, game: Game, check: AnyRefill, /) -> tuple[Prompt, ...]:
        left = waiting(game)
        return (Prompt("replenish", left, default="keep", button="mb-cards-choose"),) if left else ()

    def options(self, game: Game, check: AnyRefill, prompt: str, who: str, /) -> Iterable[Option]:
        cards = cards_of(game)
        held = cards.at(HAND, who) if cards.deal.seat(who) else ()
        over = kept(cards, who) if held else ()
        name = cards.kind(over[0]).name if len(over) == 1 else ""
        found = [Option("keep", Line("mb-cards-keep", {"over": len(over), "name": name}))]
        if held:
            among = tuple([Offer(each, named(cards, each)) for each in held])
            form = Form((Many("cards", among=among, most=len(held), needed=True),))
            found.append(Option("discard", Line("mb-cards-discard"), form))
        return found

    def choose(self, game: Game, check: AnyRefill, choice: Choice, /) -> Step[Refill]:
        who, data, cards = choice.who, check.data, cards_of(game)
        seat = cards.seat(who)
        chosen: tuple[str, ...] = choice.values.get("cards") or kept(cards, who)
        if seat.due == "draw":
            cards, moves = dealing.replenish(cards, who, chosen, game.rng)
        else:
            cards, moves = dealing.discard(cards, who, chosen)
            dealing.refuse(must_discard=dealing.surplus(cards, who))
        cards = cards.but_seat(cards.seat(who).but(due=""))
        asking = [each for each in moves if each.what in _ASKING]
        game, events = met(with_cards(game, cards), check.place, asking, told=False)
        data = data.but(done=(*data.done, who), moves=(*data.moves, *moves))
        return Step(game.state, data, events=events, said=Line("mb-cards-done"))


#: Moves after which somebody is asked, or which are published by themselves.
_ASKING: Final = frozenset({"subplot", "reshuffled", "life-points"})


def named(cards: Cards, card: str) -> Line:
    """What a card is called in a menu."""
    return Line("mb-card-option", {"name": cards.kind(card).name, "number": card})


def _told_refill(game: Game, check: AnyRefill) -> tuple[Block, ...]:
    """Who has filled up a hand, and who is asked."""
    if not begun(game):
        return ()
    cards, data = cards_of(game), check.data
    asked = (*data.done, *waiting(game))
    rows = tuple([(Ref(each), Text("mb-cards-waits", {"done": each in data.done})) for each in asked])
    group = (Group(None, rows, ALL),) if check.open else ()
    return (*group, *notes(game, cards, data.moves))


PROCEDURES: Final[tuple[Procedure[Any], ...]] = (
    Procedure(
        SUBPLOT,
        (Deciding(),),
        Plots,
        begin=unbound,
        describe=_told_plots,
        by_itself=True,
    ),
    Procedure(
        REPLENISH,
        (Replenishing(),),
        Refill,
        begin=unbound,
        describe=_told_refill,
        by_itself=True,
        cast=lambda check: check.data.done,
    ),
)


# --- hints ---------------------------------------------------------------------------------------------------

HINT: Final = "hint"
_WORDS: Final = 1000
_QUESTION: Final = Typed("question", most=_WORDS, long=True)
_HINT: Final = Typed("hint", most=_WORDS, long=True, needed=True)


@record
class Hint(Record):
    """A card that asks a GM: its name, the question, and what a GM has answered, who that was."""

    name: str = ""
    question: str = ""
    hint: str = ""
    by: str = ""


AnyHint = Check[Hint]


class Hinting(Stage[Hint]):
    """A GM answers, whenever they like."""

    name = "hinting"

    def ask(self, game: Game, check: AnyHint, /) -> tuple[Prompt, ...]:
        return () if check.data.hint else (Prompt("hint", (GMS,), button="answer-hint"),)

    def options(self, game: Game, check: AnyHint, prompt: str, who: str, /) -> Iterable[Option]:
        return (Option("hint", Line("answer-hint"), Form((_HINT,)), written=True),)

    def choose(self, game: Game, check: AnyHint, choice: Choice, /) -> Step[Hint]:
        return Step(game.state, check.data.but(hint=choice.values["hint"], by=game.actor.id), NEXT)


def _hinted(game: Game, check: AnyHint, values: Values) -> AnyHint:
    return check.but(data=Hint(values.get("name", ""), values.get("question") or ""), round=None)


def _told_hint(game: Game, check: AnyHint) -> tuple[Block, ...]:
    data = check.data
    found: list[Block] = [Note(Text("mb-hint-asks", {"who": Ref(check.actor), "card": data.name}), ALL)]
    if data.question:
        found.append(Quote(data.question, check.by, ALL))
    if data.hint:
        found.append(Quote(data.hint, data.by, ALL, label=Text("mb-hint-given")))
    return tuple(found)


HINTING: Final = Procedure[Hint](
    HINT,
    (Hinting(),),
    Hint,
    form=Form((Typed("name", most=100), _QUESTION)),
    begin=_hinted,
    describe=_told_hint,
    by_itself=True,
)
