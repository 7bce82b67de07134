"""What people are asked because of cards: subplots, hands that are filled up, hints, trades,
Campaign (MB-CARD-11).

Everything that moves cards at a table ends in `finish_card_moves`: it tells what everybody may know
and asks what has to be asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any, Final, Literal

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.card_windows import between
from rules.systems.masterbook.deck import deal, play
from rules.systems.masterbook.deck.card_definitions import CardKind
from rules.systems.masterbook.deck.deck_state import (
    DRAW_PILE,
    FACE,
    HAND,
    POOL,
    CardChange,
    CardChanges,
    Cards,
    Due,
)
from rules.systems.masterbook.deck.table_deck import (
    DECK,
    current_cards,
    for_all,
    require_cards,
    with_cards,
)
from rules.systems.masterbook.formulas.gm_rules import LIFE_POINT_WORTH
from rules.table.blocks import (
    EVERYONE,
    FOR_EVERYONE,
    Block,
    Fact,
    Group,
    Note,
    Quote,
    Ref,
    Text,
    Verdict,
)
from rules.table.check import ANY_GM, NEXT, OVER, Check, Choice, Prompt, Values
from rules.table.checks import audience_views, engine
from rules.table.checks.check_actions import step_checks
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.checks.shared_blocks import WITH_LABEL
from rules.table.checks.stages import require_other_target
from rules.table.commands import (
    AS_FIELD,
    NAME_MAX,
    CheckStart,
    check_starter,
    known_character_options,
)
from rules.table.events import CardsMoved, Event, Reported
from rules.table.forms import Form, FormContext, Many, Option, Typed
from rules.table.system import Game

#: Kinds of checks.
SUBPLOT, REPLENISH, TRADE, CAMPAIGN, WILD, FIAT = (
    "subplot",
    "replenish",
    "trade",
    "campaign",
    "wild",
    "fiat",
)
HINT: Final = "hint"
#: Those that are about cards as they lie.
CARD_CHECKS: Final = (SUBPLOT, REPLENISH, TRADE, CAMPAIGN, WILD, FIAT)
#: Moves of which nothing is told besides what the cards on the table show.
_UNREPORTED_MOVES: Final = frozenset({"shuffled", "reshuffled", "must-discard", "adventure-over"})


# --- what everybody hears -------------------------------------------------------------------------


def _public(cards: Cards, move: CardChange) -> tuple[str, ...]:
    """The names of those cards of a move that lie where everybody sees them."""
    seen = {
        card
        for place, held in cards.piles.places.items()
        if cards.piles.is_face_up(place)
        for card in held
    }
    shown = (
        move.cards
        if move.what in ("claimed", "paid")
        else [each for each in move.cards if each in seen]
    )
    return tuple([cards.kind(each, move.who).name for each in shown])


def may_hold_cards(game: Game, who: str) -> bool:
    """Whether somebody may hold cards: a player's character in play who is not dead for good
    (MB-CARD-17).
    """
    found = game.state.characters.get(who)
    return (
        found is not None
        and found.owner is not None
        and found.in_play
        and not found.sheet.harm.lost
    )


def holder_ref(game: Game, who: str) -> Ref | None:
    """Somebody who holds cards, for everybody; None for nobody, or nobody any more."""
    character = game.state.characters.get(who)
    return None if character is None else Ref(name=character.name)


def move_notes(game: Game, cards: Cards, moves: Iterable[CardChange]) -> tuple[Block, ...]:
    """What happened to cards, as everybody may know it: what lies in a hand is only counted."""
    counted: dict[tuple[str, str], list[CardChange]] = {}
    for each in moves:
        if each.what not in _UNREPORTED_MOVES:
            counted.setdefault((each.what, each.who), []).append(each)
    found: list[Block] = []
    for (what, who), same in counted.items():
        names = tuple([name for each in same for name in _public(cards, each)])
        points = sum(each.number for each in same)
        number = (
            points
            if what in ("life-points", "surplus", "converted")
            else sum(len(each.cards) or each.number for each in same)
        )
        said = {
            "what": what,
            "who": holder_ref(game, who),
            "cards": names,
            "number": number,
            "points": points,
            "most": cards.setting("life_points_max"),
            "worth": LIFE_POINT_WORTH * points,
        }
        found.append(for_all("mb-card-moved", **said))
    return tuple(found)


def shuffle_events(game: Game, cards: Cards) -> tuple[Event, ...]:
    """What is published of the orders that the deck came into."""
    sealed = cards.piles.sealed[-1] if cards.piles.sealed else None
    return tuple(
        CardsMoved(
            step="gathered" if each.what == "shuffled" else "reshuffled",
            deck=DECK,
            by=game.actor.id,
            count=each.number if each.what == "reshuffled" else 0,
            cards=each.cards,
            left=len(cards.at(DRAW_PILE)),
            order=cards.piles.opened if sealed is None else sealed.number,
            commitment="" if sealed is None else sealed.commitment,
        )
        for each in cards.told
        if each.what in ("shuffled", "reshuffled")
    )


def finish_card_moves(
    game: Game,
    place: str,
    cards: Cards,
    title: Text | None = None,
    blocks: Sequence[Block] = (),
    *,
    told: bool = True,
) -> tuple[Game, tuple[Event, ...]]:
    """The game with the deck as it lies now, once everybody is asked what that takes, and what is
    told of it.

    `title` and `blocks` are what is told of it besides; without them, and with nothing to tell,
    there is no message, nor where it is `told` elsewhere.
    """
    game, by = with_cards(game, cards), game.actor.id
    events: list[Event] = [*shuffle_events(game, cards)]
    said = (*blocks, *move_notes(game, cards, cards.told)) if told else ()
    if said:
        events.append(
            Reported(audience=EVERYONE, title=title or Text("topic-cards"), blocks=said, by=by)
        )
    game, more = ask_about_subplots(game, place)
    events += more
    over = [each.who for each in cards.told if each.what == "must-discard"]
    game, more = ask_to_replenish(game, place, over, "discard")
    return game, (*events, *more)


def ask_about_subplots(game: Game, place: str) -> tuple[Game, tuple[Event, ...]]:
    """The game once everybody is asked whose subplots wait; also about one whose check a GM has
    ended.
    """
    events: tuple[Event, ...] = ()
    for seat in require_cards(game).deal.seats:
        if seat.pending and not has_open_check(game, SUBPLOT, seat.who):
            game, more = begin_card_check(game, SUBPLOT, place, seat.who)
            events = (*events, *more)
    return game, events


def ask_to_replenish(
    game: Game, place: str, who: Iterable[str], due: Due
) -> tuple[Game, tuple[Event, ...]]:
    """The game once these are asked to discard what is too much, or to fill up their hands."""
    cards, asked = require_cards(game), {*who}
    for seat in cards.deal.seats:
        if seat.who in asked and seat.due != "draw":
            cards = cards.with_seat_changes(seat.who, due=due)
    if not asked:
        return game, ()
    game = with_cards(game, cards)
    return (
        refresh_card_checks(game, (REPLENISH,))
        if has_open_check(game, REPLENISH)
        else begin_card_check(game, REPLENISH, place)
    )


def has_open_check(game: Game, kind: str, who: str = "") -> bool:
    """Whether there is an open check of that kind that asks somebody."""
    return any(
        each.is_open and (each.kind, each.actor) == (kind, who)
        for each in game.state.checks.values()
    )


def begin_card_check(
    game: Game, kind: str, place: str, who: str = "", said: Values | None = None, **more: Any
) -> tuple[Game, tuple[Event, ...]]:
    """A check that asks somebody, and what is told of it."""
    made = engine.begin(game, kind, place, said or {}, actor=who, **more)
    return made.game, audience_views.events_for(game.state, made)


def refresh_card_checks(
    game: Game, kinds: Iterable[str] = CARD_CHECKS
) -> tuple[Game, tuple[Event, ...]]:
    """The game once open checks of these kinds have been asked again: cards they are about may be
    gone.
    """
    open_ = [each.id for each in game.state.checks.values() if each.is_open and each.kind in kinds]
    return step_checks(game, open_, engine.refresh_check)


# --- subplots -------------------------------------------------------------------------------------


class SubplotDecision(Record):
    """Subplots of somebody: how the GM has allowed the one that is next, and what became of those
    before.
    """

    allowed: Literal["", "allow", "overrule"] = ""
    done: tuple[CardChange, ...] = ()


def next_subplot(game: Game, who: str) -> str:
    """The subplot of somebody's that is to be decided on; empty for none."""
    seat = current_cards(game).deal.seat(who)
    return seat.pending[0] if seat is not None and seat.pending else ""


def _full(game: Game, check: Check[SubplotDecision]) -> bool:
    """Whether as many subplots as there can be are in effect, so that one more takes a GM who
    overrules that.
    """
    return len(deal.subplots_in_effect(require_cards(game), check.actor)) >= deal.MAX_SUBPLOTS


def _answers(*options: str) -> list[CheckOption]:
    return [CheckOption(each, Text(f"mb-plot-{each}")) for each in options]


class SubplotStage(Stage[SubplotDecision]):
    """The GM allows a subplot or not, the player keeps it or not, one after the other (MB-CARD-05,
    MB-CARD-S00).
    """

    name = "deciding"
    orders = tuple([("keep", each) for each in _answers("keep", "decline")])

    def ask(self, game: Game, check: Check[SubplotDecision], /) -> tuple[Prompt, ...]:
        if not next_subplot(game, check.actor):
            return ()
        # Without a default: until the answer, the card has no effect and delays nothing.
        if not check.data.allowed:
            return (Prompt("allow", button="mb-plot-gm"),)
        return (Prompt("keep", (check.actor,), button="mb-plot-player"),)

    def options(
        self, game: Game, check: Check[SubplotDecision], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        if prompt == "keep":
            return [option for _, option in self.orders]
        return _answers("overrule" if _full(game, check) else "allow", "refuse")

    def choose(
        self, game: Game, check: Check[SubplotDecision], choice: Choice, /
    ) -> StageResult[SubplotDecision]:
        data, said = check.data, Text("mb-plot-done", {"how": choice.option})
        if choice.prompt == "allow" and choice.option != "refuse":
            return StageResult(
                game.state, data.replace(allowed=choice.option), reopen=True, said=said
            )
        who, allows, keeps = check.actor, choice.prompt == "keep", choice.option == "keep"
        overrules = data.allowed == "overrule"
        cards = deal.decide(
            require_cards(game), who, next_subplot(game, who), allows, keeps, overrules
        )
        game, done = with_cards(game, cards), (*data.done, *cards.told)
        more = bool(next_subplot(game, who))
        return StageResult(
            game.state, SubplotDecision(done=done), None if more else OVER, reopen=more, said=said
        )


def _describe_subplots(game: Game, check: Check[SubplotDecision]) -> tuple[Block, ...]:
    """Which subplot waits, and what became of those before."""
    cards, card = current_cards(game), next_subplot(game, check.actor)
    done = move_notes(game, cards, check.data.done)
    if not card or not check.is_open:
        return done
    kind = cards.kind(card)
    named = Fact(WITH_LABEL, kind.name, FOR_EVERYONE)
    return (named, for_all("mb-plot", allowed=bool(check.data.allowed)), card_note(kind), *done)


def card_note(kind: CardKind) -> Note:
    """What such a card does."""
    return for_all("mb-card-about", summary=kind.summary)


# --- replenishing ---------------------------------------------------------------------------------


class Refill(Record):
    """Hands that are filled up, or only cut down: who is done, and what became of it."""

    done: tuple[str, ...] = ()
    moves: CardChanges = ()


def hands_to_replenish(game: Game) -> tuple[str, ...]:
    """Whose hands are to be filled up, or are too full."""
    cards = current_cards(game)
    due = [each for each in cards.deal.seats if each.due]
    return tuple([each.who for each in due if each.due == "draw" or deal.surplus(cards, each.who)])


def default_discards(cards: Cards, who: str) -> tuple[str, ...]:
    """The cards that go where somebody says nothing: as many as are too many, the ones received
    last.
    """
    return deal.counted_cards(cards, who)[: deal.surplus(cards, who)]


class ReplenishStage(Stage[Refill]):
    """Everybody discards what they like and draws up to the limit; keeping all is usual
    (MB-CARD-14).
    """

    name = "replenishing"
    orders = (("replenish", CheckOption("keep", Text("mb-cards-keep"))),)

    def ask(self, game: Game, check: Check[Refill], /) -> tuple[Prompt, ...]:
        left = hands_to_replenish(game)
        return (
            (Prompt("replenish", left, default="keep", button="mb-cards-choose"),) if left else ()
        )

    def options(
        self, game: Game, check: Check[Refill], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        cards = require_cards(game)
        held, over = cards.at(HAND, who), default_discards(cards, who)
        name = cards.kind(over[0]).name if len(over) == 1 else ""
        found = [CheckOption("keep", Text("mb-cards-keep", {"over": len(over), "name": name}))]
        if held:
            about = {
                "held": len(deal.counted_cards(cards, who)),
                "limit": cards.deal.limit,
                "over": len(over),
                "draws": cards.seat(who).due == "draw",
            }
            form = _some(cards, held, len(held))
            label = Text("mb-cards-discard", about)
            found.append(CheckOption("discard", label, form, helps="never"))
        return found

    def choose(self, game: Game, check: Check[Refill], choice: Choice, /) -> StageResult[Refill]:
        who, data, cards = choice.who, check.data, require_cards(game)
        chosen: tuple[str, ...] = choice.values.get("cards") or default_discards(cards, who)
        if cards.seat(who).due == "draw":
            cards = deal.replenish(cards, who, chosen, game.rng)
        else:
            cards = deal.discard(cards, who, chosen)
            deal.refuse(must_discard=deal.surplus(cards, who))
        game, events = finish_card_moves(
            game, check.place, cards.with_seat_changes(who, due=""), told=False
        )
        data = data.replace(done=(*data.done, who), moves=(*data.moves, *cards.told))
        return StageResult(game.state, data, events=events, said=Text("mb-cards-done"))


def card_label(cards: Cards, card: str) -> Text:
    """What a card is called in a menu."""
    return Text("mb-card-option", {"name": cards.kind(card).name, "number": card})


def _some(cards: Cards, held: Iterable[str], most: int) -> Form:
    """A menu of these cards, of which so many are chosen at the most."""
    among = tuple([Option(each, card_label(cards, each)) for each in held])
    return Form((Many("cards", choices=among, most=most, needed=True),))


def _describe_replenishment(game: Game, check: Check[Refill]) -> tuple[Block, ...]:
    """Who has filled up a hand, and who is asked."""
    cards, data = current_cards(game), check.data
    asked = (*data.done, *hands_to_replenish(game))
    rows = tuple(
        [(Ref(each), Text("mb-cards-waits", {"done": each in data.done})) for each in asked]
    )
    group = (Group(None, rows, FOR_EVERYONE),) if check.is_open else ()
    return (*group, *move_notes(game, cards, data.moves))


# --- hints ----------------------------------------------------------------------------------------

_WORDS: Final = 1000
_QUESTION: Final = Form((Typed("name", most=100), Typed("question", most=_WORDS, long=True)))
_ANSWER: Final = Form((Typed("hint", most=_WORDS, long=True, needed=True),))


class Hint(Record):
    """A card that asks a GM: its name, the question, and what a GM has answered, who that was."""

    name: str = ""
    question: str = ""
    hint: str = ""
    by: str = ""


class HintStage(Stage[Hint]):
    """A GM answers, whenever they like."""

    name = "hinting"

    def ask(self, game: Game, check: Check[Hint], /) -> tuple[Prompt, ...]:
        return () if check.data.hint else (Prompt("hint", (ANY_GM,), button="answer-hint"),)

    def options(
        self, game: Game, check: Check[Hint], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        return (CheckOption("hint", Text("answer-hint"), _ANSWER, written=True),)

    def choose(self, game: Game, check: Check[Hint], choice: Choice, /) -> StageResult[Hint]:
        return StageResult(
            game.state, check.data.replace(hint=choice.values["hint"], by=game.actor.id), NEXT
        )


def _begin_hint(game: Game, check: Check[Hint], values: Values) -> Check[Hint]:
    return check.replace(
        data=Hint(values.get("name", ""), values.get("question") or ""), round=None
    )


def _forget_hint(check: Check[Hint], who: str, mine: Collection[str]) -> Hint:
    """The hint without what a participant typed, whose characters are `mine`."""
    data, asked = check.data, check.by == who or check.actor in mine
    return data.replace(
        question="" if asked else data.question, hint="" if data.by == who else data.hint
    )


def _describe_hint(game: Game, check: Check[Hint]) -> tuple[Block, ...]:
    data = check.data
    found: list[Block] = [for_all("mb-hint-asks", who=Ref(check.actor), card=data.name)]
    if data.question:
        found.append(Quote(data.question, check.by, FOR_EVERYONE))
    if data.hint:
        found.append(Quote(data.hint, data.by, FOR_EVERYONE, label=Text("mb-hint-given")))
    return tuple(found)


#: Longest list of cards as it is typed.
_TYPED: Final = 200


def find_card(cards: Cards, held: Iterable[str], text: str, who: str = "") -> str:
    """One of these cards by its number or its name, of copies any.
    NotFound("mb-card-not-there").
    """
    wanted, kinds = (
        name_key(text.strip().removeprefix("#")),
        {each: cards.kind(each, who) for each in held},
    )
    named_ = [
        each for each, kind in kinds.items() if wanted in (name_key(kind.name), name_key(kind.key))
    ]
    if wanted in kinds or named_:
        return wanted if wanted in kinds else named_[0]
    # By their names: in which order they lie is nobody's to read.
    near = tuple(sorted({kind.name for kind in kinds.values()}))
    raise NotFound("mb-card-not-there", field="card", value=text[:60], nearest=near)


def find_cards(cards: Cards, held: Iterable[str], text: str) -> tuple[str, ...]:
    """Cards by numbers or names with commas between them, each another one. Raises as
    `find_card`.
    """
    left, found = [*held], list[str]()
    for each in text.split(","):
        found.append(find_card(cards, left, each))
        left.remove(found[-1])
    return tuple(found)


# --- trades ---------------------------------------------------------------------------------------


class Trade(Record):
    """What is offered for as many others, from pools where it is `pooled`, and what came of it."""

    given: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    got: tuple[str, ...] = ()
    pooled: bool = False
    end: Literal["", "accept", "decline", "withdraw"] = ""


def _begin_trade(game: Game, check: Check[Trade], values: Values) -> Check[Trade]:
    """Cards that whoever offers holds, to somebody who holds some. Raises as `find_card` and
    `deal.trade`.
    """
    require_other_target(check, "somebody")
    cards = require_cards(game)
    cards.seat(check.actor)
    given = find_cards(cards, cards.at(cards.place, check.actor), values["cards"])
    there = cards.at(cards.place, cards.seat(check.target or "").who)
    deal.refuse(confused=deal.is_confused(cards), unequal=len(there) < len(given))
    data = Trade(
        given, tuple([cards.kind(each).name for each in given]), pooled=cards.place == POOL
    )
    return check.replace(round=None, visibility="private", data=data)


class TradeStage(Stage[Trade]):
    """Whoever is asked chooses what to give for it, or declines; nobody else hears of it
    (MB-CARD-11).
    """

    name = "offering"
    orders = ((TRADE, _answers("decline")[0]),)

    def ask(self, game: Game, check: Check[Trade], /) -> tuple[Prompt, ...]:
        if check.target is None or not _is_offer_available(game, check):
            return ()
        asked, declined = (check.target,), self.orders[0][1].label.code
        return (
            Prompt(TRADE, asked, default="decline", button="mb-trade-choose"),
            Prompt("decline", asked, wait=None, button=declined),
            Prompt("own", (check.actor,), wait=None, visible_to=(check.actor,)),
        )

    def options(
        self, game: Game, check: Check[Trade], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        if prompt == "own":
            return [CheckOption("withdraw", Text("answer-withdraw"), helps="never")]
        if prompt == "decline":
            return [option for _, option in self.orders]
        cards = require_cards(game)
        form = _some(cards, cards.at(cards.place, check.target or ""), len(check.data.given))
        return [
            CheckOption("accept", Text("mb-trade-accept"), form),
            *[each for _, each in self.orders],
        ]

    def choose(self, game: Game, check: Check[Trade], choice: Choice, /) -> StageResult[Trade]:
        data = check.data
        if choice.option != "accept" or not _is_offer_available(game, check):
            off: Any = "" if choice.option == "accept" else choice.option
            return StageResult(game.state, data.replace(end=off), OVER, said=Text("mb-trade-off"))
        cards, got = require_cards(game), tuple(choice.values["cards"])
        names = tuple([cards.kind(each).name for each in got])
        cards = deal.trade(cards, check.actor, check.target or "", data.given, got)
        game, events = finish_card_moves(game, check.place, cards.without_changes("traded"))
        data, said = data.replace(got=names, end="accept"), Text("mb-trade-on")
        return StageResult(game.state, data, OVER, events=events, said=said)


def _is_offer_available(game: Game, check: Check[Trade]) -> bool:
    """Whether what was offered is still there to be given, where it was."""
    cards = current_cards(game)
    return {*check.data.given} <= {*cards.at(cards.place, check.actor)}


def _describe_trade(game: Game, check: Check[Trade]) -> tuple[Block, ...]:
    """What is offered, and what came of it, for the two sides."""
    data, both = check.data, _sides(check)
    who, other = Ref(check.actor), Ref(check.target or check.actor)
    said = {
        "who": who,
        "other": other,
        "cards": data.names,
        "number": len(data.names),
        "end": data.end,
    }
    if data.end == "accept":
        gives = [(who, data.names), (other, data.got)]
        found = [
            Note(Text("mb-trade-gives", {"who": each, "cards": names}), both)
            for each, names in gives
        ]
        return (Verdict(Text("mb-trade-on"), "good", both), *found)
    offer = Note(Text("mb-trade", {**said, "open": check.is_open, "pooled": data.pooled}), both)
    return (
        (offer,)
        if check.is_open
        else (Verdict(Text("mb-trade-ended", said), "neutral", both), offer)
    )


def _sides(check: Check[Trade]) -> tuple[str, ...]:
    return (check.actor,) if check.target is None else (check.actor, check.target)


# --- Campaign, and a Wild card as a subplot -------------------------------------------------------


class SubplotProposal(Record):
    """A Campaign card and the subplot that it is to make permanent, or a Wild card and the kind
    that it is laid as.

    `moves` is what came of it.
    """

    card: str = ""
    subplot: str = ""
    moves: CardChanges = ()


def subplot_request(game: Game, who: str, card: str, as_name: str) -> tuple[str, Values] | None:
    """The kind of check in which a GM agrees to a card, and with what it begins; None for all other
    cards.

    Impossible("mb-card-which-subplot") where it could make several permanent,
    ("mb-card-precondition") where none.
    """
    cards = require_cards(game)
    kind = cards.kind(card)
    as_kind = cards.kinds.get(as_name) if kind.op == "any_card" else kind
    if as_kind is None or as_kind.type != "subplot":
        return None
    if as_kind.op != "campaign":
        return WILD, {"card": card, "as": as_kind.key}
    there = [*deal.lasting_subplots(cards, who)]
    if len(there) > 1:
        raise Impossible("mb-card-which-subplot")
    deal.refuse(precondition=not there and "campaign")
    return CAMPAIGN, {"subplot": there[0], "card": card}


def _campaign(game: Game, check: Check[SubplotProposal], values: Values) -> Check[SubplotProposal]:
    """A Campaign card of one's own, or a Wild one for it, and a subplot in effect; each of which
    GMs are asked once.

    NotFound; Impossible("mb-card-precondition"), and as `play.require_playable`.
    """
    cards, who = require_cards(game), check.actor
    cards.seat(who)
    asked = [
        each.data for each in game.state.checks.values() if each.is_open and each.kind == CAMPAIGN
    ]
    there = tuple(
        [each for each in cards.at(cards.place, who) if each not in {one.card for one in asked}]
    )
    held = [each for each in there if cards.kind(each).op == "campaign"]
    wild = [each for each in there if cards.kind(each).op == "any_card"]
    card = (
        find_card(cards, there, values["card"]) if "card" in values else ([*held, *wild] or [""])[0]
    )
    if card not in (*held, *wild):
        find_card(cards, held, cards.kinds[CAMPAIGN].name)
    play.require_playable(cards, who, card, between(game, who), as_name=CAMPAIGN)
    subplot = find_card(cards, cards.at(FACE, who), values["subplot"], who)
    once = {*deal.lasting_subplots(cards, who)} - {each.subplot for each in asked}
    deal.refuse(precondition=subplot not in once and "campaign")
    return check.replace(round=None, data=SubplotProposal(card, subplot))


def _wild(game: Game, check: Check[SubplotProposal], values: Values) -> Check[SubplotProposal]:
    """A Wild card of one's own, and a kind of subplot. NotFound; Impossible as
    `play.require_playable`.
    """
    cards, who = require_cards(game), check.actor
    card = find_card(cards, cards.held(who), values["card"])
    kind = play.require_playable(cards, who, card, between(game, who), as_name=values["as"])
    unfit = kind.type != "subplot" or kind.op == "campaign" or cards.kind(card).op != "any_card"
    deal.refuse(precondition=unfit)
    return check.replace(round=None, data=SubplotProposal(card, kind.key))


class AgreementStage(Stage[SubplotProposal]):
    """The GM agrees that a subplot becomes permanent, or that a Wild card is one; it is off once
    the cards are gone.

    A Wild card that is refused stays what it is (MB-CARD-P05).
    """

    name = "agreeing"

    def ask(self, game: Game, check: Check[SubplotProposal], /) -> tuple[Prompt, ...]:
        data, who, cards = check.data, check.actor, current_cards(game)
        if data.moves or data.card not in cards.held(who):
            return ()
        there = data.subplot in (*cards.kinds, *deal.subplots_in_effect(cards, who))
        return (Prompt("agree", (ANY_GM,), button="mb-plot-gm"),) if there else ()

    def options(
        self, game: Game, check: Check[SubplotProposal], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        return _answers("allow", "refuse")

    def choose(
        self, game: Game, check: Check[SubplotProposal], choice: Choice, /
    ) -> StageResult[SubplotProposal]:
        data, who, approves = check.data, check.actor, choice.option == "allow"
        cards = require_cards(game)
        if check.kind == CAMPAIGN:
            cards = cards.tell("played", who, (data.card,))
            cards = deal.campaign(cards, who, data.card, data.subplot, approves, game.rng)
        elif approves:
            now = between(game, who)
            cards, _ = play.play(cards, who, data.card, now, game.rng, as_name=data.subplot)
            cards = cards.without_changes("played").tell("kept", who, (data.card,))
        else:
            cards = cards.tell("refused", who)
        game, events = finish_card_moves(game, check.place, cards, told=False)
        said = Text("mb-plot-done", {"how": choice.option})
        return StageResult(
            game.state, data.replace(moves=cards.told), OVER, events=events, said=said
        )


def _describe_subplot_proposal(game: Game, check: Check[SubplotProposal]) -> tuple[Block, ...]:
    """Which card is to be what, and what a Wild one would do then."""
    cards, wild = current_cards(game), check.kind == WILD
    kind = cards.kind(check.data.subplot, check.actor)
    asks = for_all("mb-wild" if wild else "mb-campaign", who=Ref(check.actor), name=kind.name)
    return (asks, *((card_note(kind),) if wild else ()), *move_notes(game, cards, check.data.moves))


_GIVEN: Final = Typed("cards", most=_TYPED, needed=True)
_CARD: Final = Typed("card", most=NAME_MAX)
_SUBPLOT: Final = Typed("subplot", most=NAME_MAX, needed=True)
_CAMPAIGN_FORM: Final = Form((_SUBPLOT, _CARD))
_WILD_FORM: Final = Form((_CARD.replace(needed=True), Typed("as", most=NAME_MAX, needed=True)))
#: What nobody begins, and stays open over turns.
_card_procedure: Final = partial(
    Procedure[Any], begin=lambda game, check, values: check.replace(round=None), by_itself=True
)
PROCEDURES: Final[tuple[Procedure[Any], ...]] = (
    _card_procedure(SUBPLOT, (SubplotStage(),), SubplotDecision, describe=_describe_subplots),
    _card_procedure(
        REPLENISH,
        (ReplenishStage(),),
        Refill,
        describe=_describe_replenishment,
        cast=lambda check: check.data.done,
    ),
    _card_procedure(
        HINT,
        (HintStage(),),
        Hint,
        _QUESTION,
        begin=_begin_hint,
        describe=_describe_hint,
        forget=_forget_hint,
    ),
    Procedure(
        TRADE,
        (TradeStage(),),
        Trade,
        Form((_GIVEN,)),
        _begin_trade,
        _describe_trade,
        private=_sides,
    ),
    Procedure(
        CAMPAIGN,
        (AgreementStage(),),
        SubplotProposal,
        _CAMPAIGN_FORM,
        _campaign,
        _describe_subplot_proposal,
    ),
    Procedure(
        WILD, (AgreementStage(),), SubplotProposal, _WILD_FORM, _wild, _describe_subplot_proposal
    ),
)


# --- commands -------------------------------------------------------------------------------------


def _own(*places: str) -> Any:
    """The cards of whoever asks that lie there, for a menu of that person alone."""

    def among(asking: FormContext) -> tuple[Option, ...]:
        if asking.game is None or not asking.who:
            return ()
        cards = current_cards(asking.game)
        found = {
            cards.kind(each).name: each for place in places for each in cards.at(place, asking.who)
        }
        return tuple([Option(name, card_label(cards, each)) for name, each in found.items()])

    return among


OWN_CARDS: Final = _own(HAND, POOL)


def _trade(game: Game, said: Values) -> CheckStart:
    if not said["to"].strip():
        raise InvalidInput("empty", field="to", value="", wanted="name")
    return check_starter(TRADE, target="to")(game, {**said, "visibility": "private"})


def _partners(asking: FormContext) -> tuple[Option, ...]:
    """Other players' characters: nobody else holds cards to trade."""
    there, mine = asking.game.state.characters, (None, asking.game.actor.id)
    return tuple(
        [each for each in known_character_options(asking) if there[each.value].owner not in mine]
    )


_TO: Final = Typed("to", most=NAME_MAX, needed=True, choices=_partners)
COMMANDS: Final = (
    command("card trade", _trade, _GIVEN.replace(choices=OWN_CARDS), _TO, AS_FIELD),
    command(
        "card campaign", check_starter(CAMPAIGN), _SUBPLOT.replace(choices=_own(FACE)), AS_FIELD
    ),
)
