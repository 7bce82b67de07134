"""Trades: cards for as many cards, seen by the two sides alone; and Campaign, which a GM agrees to.

MB-CARD-11, MB-CARD-S02.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.names import name_key
from rules.core.record import Record, record
from rules.systems.masterbook.deck import dealing, playing, story
from rules.systems.masterbook.deck.asking import met, named, notes, points_of
from rules.systems.masterbook.deck.rolls import between
from rules.systems.masterbook.deck.state import FACE, HAND, POOL, Cards, Moved, Moves
from rules.systems.masterbook.deck.table import begun, cards_of, with_cards
from rules.systems.masterbook.doing import starts
from rules.table.blocks import ALL, Block, Note, Ref, Text, Verdict
from rules.table.checks.check import GMS, OVER, Check, Choice, Prompt, Values
from rules.table.checks.procedure import Option, Procedure, Stage, Step
from rules.table.checks.stages import require_other
from rules.table.commands import AS, NAME_MAX, Command, Starts, everybody
from rules.table.events import Line
from rules.table.forms import Asking, Form, Many, Typed
from rules.table.forms import Option as Offer
from rules.table.system import Game

TRADE, CAMPAIGN, WILD = "trade", "campaign", "wild"
#: Longest list of cards as it is typed.
_TYPED: Final = 200


def find(cards: Cards, held: Iterable[str], text: str, who: str = "") -> str:
    """One of these cards by its number or its name, of copies any. NotFound("mb-card-not-there")."""
    wanted, mine = name_key(text.strip().removeprefix("#")), [*held]
    if wanted in mine:
        return wanted
    for each in mine:
        if name_key(cards.kind(each, who).name) == wanted or name_key(cards.kind(each, who).key) == wanted:
            return each
    near = tuple(dict.fromkeys(cards.kind(each, who).name for each in mine))
    raise NotFound("mb-card-not-there", field="card", value=text[:60], nearest=near)


def find_all(cards: Cards, held: Iterable[str], text: str) -> tuple[str, ...]:
    """Cards by numbers or names with commas between them, each another one. Raises as `find`."""
    left, found = [*held], list[str]()
    for each in text.split(","):
        found.append(find(cards, left, each))
        left.remove(found[-1])
    return tuple(found)


# --- trades --------------------------------------------------------------------------------------------------


@record
class Trade(Record):
    """What is offered for as many others, from pools where it is `pooled`, and what came of it."""

    given: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    got: tuple[str, ...] = ()
    pooled: bool = False
    end: Literal["", "accept", "decline", "withdraw"] = ""


AnyTrade = Check[Trade]


def _place(cards: Cards) -> str:
    return HAND if cards.deal.round is None else POOL


def _offered(game: Game, check: AnyTrade, values: Values) -> AnyTrade:
    """Cards that whoever offers holds, to somebody who holds some. Raises as `find` and `dealing.trade`."""
    require_other(check, "somebody")
    cards, found = cards_of(game), check
    place = _place(cards)
    cards.seat(check.actor)
    given = find_all(cards, cards.at(place, check.actor), values["cards"])
    dealing.refuse(
        confused=dealing.confused(cards),
        unequal=len(cards.at(place, _other(cards, check))) < len(given),
    )
    names = tuple([cards.kind(each).name for each in given])
    told: Any = found
    told.round, told.visibility, told.data = None, "private", Trade(given, names, pooled=place == POOL)
    return told


def _other(cards: Cards, check: AnyTrade) -> str:
    return cards.seat(check.target or "").who


class Offering(Stage[Trade]):
    """Whoever is asked chooses what to give for it, or declines; nobody else hears of it (MB-CARD-11)."""

    name = "offering"
    orders = ((TRADE, Option("decline", Line("mb-trade-decline"))),)

    def ask(self, game: Game, check: AnyTrade, /) -> tuple[Prompt, ...]:
        if not begun(game) or check.target is None or not _there(game, check):
            return ()
        return Prompt(TRADE, (check.target,), default="decline"), Prompt("own", (check.actor,), wait=None)

    def options(self, game: Game, check: AnyTrade, prompt: str, who: str, /) -> Iterable[Option]:
        if prompt == "own":
            return [Option("withdraw", Line("mb-trade-withdraw"))]
        cards = cards_of(game)
        held = cards.at(_place(cards), check.target or "")
        among = tuple([Offer(each, named(cards, each)) for each in held])
        fields = (Many("cards", among=among, most=len(check.data.given), needed=True),)
        return [Option("accept", Line("mb-trade-accept"), Form(fields)), *[each for _, each in self.orders]]

    def choose(self, game: Game, check: AnyTrade, choice: Choice, /) -> Step[Trade]:
        data = check.data
        if choice.option != "accept" or not _there(game, check):
            off: Any = "" if choice.option == "accept" else choice.option
            return Step(game.state, data.but(end=off), OVER, said=Line("mb-trade-off"))
        cards, got = cards_of(game), tuple(choice.values["cards"])
        names = tuple([cards.kind(each).name for each in got])
        other = check.target or ""
        cards, moves = dealing.trade(cards, check.actor, other, data.given, got)
        owed = [each for each in moves if each.what == "debt"]
        game, events = met(with_cards(game, cards), check.place, owed)
        return Step(
            game.state, data.but(got=names, end="accept"), OVER, events=events, said=Line("mb-trade-on")
        )


def _there(game: Game, check: AnyTrade) -> bool:
    """Whether what was offered is still there to be given, where it was."""
    cards = cards_of(game)
    return {*check.data.given} <= {*cards.at(_place(cards), check.actor)}


def _told_trade(game: Game, check: AnyTrade) -> tuple[Block, ...]:
    """What is offered, and what came of it, for the two sides."""
    data, both = check.data, _sides(check)
    who, other = Ref(check.actor), Ref(check.target or check.actor)
    said = {"who": who, "other": other, "cards": data.names, "number": len(data.names), "end": data.end}
    if data.end == "accept":
        gives = [(who, data.names), (other, data.got)]
        notes = [Note(Text("mb-trade-gives", {"who": each, "cards": names}), both) for each, names in gives]
        return (Verdict(Text("mb-trade-on"), "good", both), *notes)
    offer = Note(Text("mb-trade", {**said, "open": check.open, "pooled": data.pooled}), both)
    return (offer,) if check.open else (Verdict(Text("mb-trade-ended", said), "neutral", both), offer)


def _sides(check: AnyTrade) -> tuple[str, ...]:
    return (check.actor,) if check.target is None else (check.actor, check.target)


# --- Campaign, and a Wild card as a subplot --------------------------------------------------------------------


@record
class Lasting(Record):
    """A Campaign card and the subplot that it is to make permanent, or a Wild card and the kind that it is laid as.

    `moves` is what came of it.
    """

    card: str = ""
    subplot: str = ""
    moves: Moves = ()


AnyLasting = Check[Lasting]


def as_subplot(game: Game, who: str, card: str, as_name: str) -> tuple[str, Values] | None:
    """The kind of check in which a GM agrees to a card, and with what it begins; None for all other cards.

    Impossible("mb-card-which-subplot") where it could make several permanent, ("mb-card-precondition") where none.
    """
    cards = cards_of(game)
    kind = cards.kind(card)
    as_kind = cards.kinds.get(as_name) if kind.op == "any_card" else kind
    if as_kind is None or as_kind.type != "subplot":
        return None
    if as_kind.op != "campaign":
        return WILD, {"card": card, "as": as_kind.key}
    there = [each for each in story.in_effect(cards, who) if cards.kind(each, who).lasting]
    if len(there) > 1:
        raise Impossible("mb-card-which-subplot")
    dealing.refuse(precondition=not there)
    return CAMPAIGN, {"subplot": there[0], "card": card}


def _campaign(game: Game, check: AnyLasting, values: Values) -> AnyLasting:
    """A Campaign card of one's own, or a Wild one for it, and a subplot in effect; each of which GMs are asked once.

    NotFound; Impossible("mb-card-precondition"), and as `playing.require`.
    """
    cards, who = cards_of(game), check.actor
    cards.seat(who)
    asked = [each.data for each in game.state.checks.values() if each.open and each.kind == CAMPAIGN]
    there = tuple([each for each in cards.at(_place(cards), who) if each not in {one.card for one in asked}])
    held = [each for each in there if cards.kind(each).op == "campaign"]
    wild = [each for each in there if cards.kind(each).op == "any_card"]
    card = find(cards, there, values["card"]) if "card" in values else ([*held, *wild] or [""])[0]
    if card not in (*held, *wild):
        find(cards, held, CAMPAIGN)
    playing.require(cards, who, card, between(game, who), as_name=CAMPAIGN)
    subplot = find(cards, cards.at(FACE, who), values["subplot"], who)
    lasting = subplot in story.in_effect(cards, who) and cards.kind(subplot, who).lasting
    dealing.refuse(precondition=not lasting or subplot in {each.subplot for each in asked})
    found: Any = check
    found.round, found.data = None, Lasting(card, subplot)
    return found


def _wild(game: Game, check: AnyLasting, values: Values) -> AnyLasting:
    """A Wild card of one's own, and a kind of subplot. NotFound; Impossible as `playing.require`."""
    cards, who = cards_of(game), check.actor
    card = find(cards, [*cards.at(POOL, who), *cards.at(HAND, who)], values["card"])
    kind = playing.require(cards, who, card, between(game, who), as_name=values["as"])
    unfit = kind.type != "subplot" or kind.op == "campaign" or cards.kind(card).op != "any_card"
    dealing.refuse(precondition=unfit)
    found: Any = check
    found.round, found.data = None, Lasting(card, kind.key)
    return found


class Agreeing(Stage[Lasting]):
    """The GM agrees that a subplot becomes permanent, or not; it is off once the cards are gone."""

    name = "agreeing"

    def ask(self, game: Game, check: AnyLasting, /) -> tuple[Prompt, ...]:
        data, who = check.data, check.actor
        if not begun(game) or data.moves or cards_of(game).deal.seat(who) is None:
            return ()
        cards = cards_of(game)
        held = data.card in (*cards.at(HAND, who), *cards.at(POOL, who))
        there = data.subplot in (*cards.kinds, *story.in_effect(cards, who))
        return (Prompt("agree", (GMS,), button="mb-plot-gm"),) if held and there else ()

    def options(self, game: Game, check: AnyLasting, prompt: str, who: str, /) -> Iterable[Option]:
        return [Option(each, Line(f"mb-plot-{each}")) for each in ("allow", "refuse")]

    def choose(self, game: Game, check: AnyLasting, choice: Choice, /) -> Step[Lasting]:
        data, who = check.data, check.actor
        approves, have = choice.option == "allow", points_of(game, who)
        cards, moves = story.campaign(cards_of(game), who, data.card, data.subplot, approves, have, game.rng)
        game, events = met(with_cards(game, cards), check.place, moves, told=False)
        played = Moved("played", who, (data.card,))
        said = Line("mb-plot-done", {"how": choice.option})
        return Step(game.state, data.but(moves=(played, *moves)), OVER, events=events, said=said)


class Laying(Agreeing):
    """The GM agrees that a Wild card is a subplot; one that is refused stays what it is (MB-CARD-P05)."""

    def choose(self, game: Game, check: AnyLasting, choice: Choice, /) -> Step[Lasting]:
        data, who, cards = check.data, check.actor, cards_of(game)
        allows, about = choice.option == "allow", between(game, who)
        said = Line("mb-plot-done", {"how": choice.option})
        try:
            cards, _, _ = playing.play(
                cards,
                who,
                data.card,
                about,
                game.rng,
                as_name=data.subplot,
                allows=allows,
            )
        except Impossible:
            if allows:
                raise
            return Step(game.state, data.but(moves=(Moved("refused", who),)), OVER, said=said)
        played = Moved("kept", who, (data.card,))
        return Step(with_cards(game, cards).state, data.but(moves=(played,)), OVER, said=said)


def _told_wild(game: Game, check: AnyLasting) -> tuple[Block, ...]:
    if not begun(game):
        return ()
    kind = cards_of(game).kinds[check.data.subplot]
    asks = Note(Text("mb-wild", {"who": Ref(check.actor), "name": kind.name}), ALL)
    about = Note(Text("mb-card-about", {"summary": kind.summary}), ALL)
    return (asks, about, *notes(game, cards_of(game), check.data.moves))


def _told_campaign(game: Game, check: AnyLasting) -> tuple[Block, ...]:
    if not begun(game):
        return ()
    name = cards_of(game).kind(check.data.subplot, check.actor).name
    asks = Note(Text("mb-campaign", {"who": Ref(check.actor), "name": name}), ALL)
    return (asks, *notes(game, cards_of(game), check.data.moves))


PROCEDURES: Final[tuple[Procedure[Any], ...]] = (
    Procedure(
        TRADE,
        (Offering(),),
        Trade,
        form=Form((Typed("cards", most=_TYPED, needed=True),)),
        begin=_offered,
        describe=_told_trade,
        private=_sides,
    ),
    Procedure(
        CAMPAIGN,
        (Agreeing(),),
        Lasting,
        form=Form((Typed("subplot", most=NAME_MAX, needed=True), Typed("card", most=NAME_MAX))),
        begin=_campaign,
        describe=_told_campaign,
    ),
    Procedure(
        WILD,
        (Laying(),),
        Lasting,
        form=Form((Typed("card", most=NAME_MAX, needed=True), Typed("as", most=NAME_MAX, needed=True))),
        begin=_wild,
        describe=_told_wild,
    ),
)


# --- commands ------------------------------------------------------------------------------------------------


def _own(*places: str) -> Any:
    """The cards of whoever asks that lie there, for a menu of that person alone."""

    def among(asking: Asking) -> tuple[Offer, ...]:
        if asking.game is None or not asking.who or not begun(asking.game):
            return ()
        cards = cards_of(asking.game)
        found = {cards.kind(each).name: each for place in places for each in cards.at(place, asking.who)}
        return tuple([Offer(name, named(cards, each)) for name, each in found.items()])

    return among


OWN: Final = _own(HAND, POOL)


def _trade(game: Game, said: Values) -> Starts:
    if not said["to"].strip():
        raise InvalidInput("empty", field="to", value="", wanted="name")
    return Starts(
        TRADE, {"cards": said["cards"]}, target=said["to"], as_=said.get("as"), visibility="private"
    )


COMMANDS: Final = (
    Command(
        "card trade",
        _trade,
        Form(
            (
                Typed("cards", most=_TYPED, needed=True, among=OWN),
                Typed("to", most=NAME_MAX, needed=True, among=everybody),
                AS,
            )
        ),
    ),
    Command(
        "card campaign",
        starts(CAMPAIGN),
        Form((Typed("subplot", most=NAME_MAX, needed=True, among=_own(FACE)), AS)),
    ),
)
