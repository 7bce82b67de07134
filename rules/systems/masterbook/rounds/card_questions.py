"""Checks that ask about cards: subplots, full hands, hints, trades and Campaign (MB-CARD-11).

Each move of cards at a table ends in `finish_card_moves`. It reports what everyone may know, and
begins the checks that follow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any, Final, Literal

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.masterbook.checks.action_economy import command
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
#: Checks about cards as they lie.
CARD_CHECKS: Final = (SUBPLOT, REPLENISH, TRADE, CAMPAIGN, WILD, FIAT)
#: Changes without a report of their own: the cards on the table show them.
_UNREPORTED_MOVES: Final = frozenset({"shuffled", "reshuffled", "must-discard", "adventure-over"})


# --- reports --------------------------------------------------------------------------------------


def _public_names(cards: Cards, move: CardChange) -> tuple[str, ...]:
    """Return the names of those cards of a change that everyone sees."""
    shown = move.cards
    if move.what not in ("claimed", "paid"):
        face_up: set[str] = set()
        for place, held in cards.piles.places.items():
            if cards.piles.is_face_up(place):
                face_up.update(held)
        shown = tuple(card for card in move.cards if card in face_up)
    return tuple(cards.kind(card, move.who).name for card in shown)


def may_hold_cards(game: Game, who: str) -> bool:
    """Return whether a character may hold cards (MB-CARD-17).

    It must be a player's character, in play, and not dead for good.
    """
    character = game.state.characters.get(who)
    if character is None or character.owner is None:
        return False
    return character.in_play and not character.sheet.harm.lost


def holder_ref(game: Game, who: str) -> Ref | None:
    """Return a public reference to a holder of cards; None for a character who has left."""
    character = game.state.characters.get(who)
    return None if character is None else Ref(name=character.name)


def move_notes(game: Game, cards: Cards, moves: Iterable[CardChange]) -> tuple[Block, ...]:
    """Report changes of cards as everyone may know them: cards in hands are only counted."""
    changes: dict[tuple[str, str], list[CardChange]] = {}
    for move in moves:
        if move.what not in _UNREPORTED_MOVES:
            changes.setdefault((move.what, move.who), []).append(move)
    notes: list[Block] = []
    for (what, who), same in changes.items():
        names: list[str] = []
        points = 0
        count = 0
        for move in same:
            names.extend(_public_names(cards, move))
            points += move.number
            count += len(move.cards) or move.number
        if what in ("life-points", "surplus", "converted"):
            count = points
        about = {
            "what": what,
            "who": holder_ref(game, who),
            "cards": tuple(names),
            "number": count,
            "points": points,
            "most": cards.setting("life_points_max"),
            "worth": LIFE_POINT_WORTH * points,
        }
        notes.append(for_all("mb-card-moved", **about))
    return tuple(notes)


def shuffle_events(game: Game, cards: Cards) -> tuple[Event, ...]:
    """Return the events that publish the orders of the deck after shuffles."""
    sealed = cards.piles.sealed[-1] if cards.piles.sealed else None
    events: list[Event] = []
    for move in cards.changes:
        if move.what not in ("shuffled", "reshuffled"):
            continue
        events.append(
            CardsMoved(
                step="gathered" if move.what == "shuffled" else "reshuffled",
                deck=DECK,
                by=game.actor.id,
                count=move.number if move.what == "reshuffled" else 0,
                cards=move.cards,
                left=len(cards.at(DRAW_PILE)),
                order=cards.piles.opened if sealed is None else sealed.number,
                commitment="" if sealed is None else sealed.commitment,
            )
        )
    return tuple(events)


def finish_card_moves(
    game: Game,
    place: str,
    cards: Cards,
    title: Text | None = None,
    blocks: Sequence[Block] = (),
    *,
    reported: bool = True,
) -> tuple[Game, tuple[Event, ...]]:
    """Return the game with this deck and with the checks that its changes need, and the events.

    *title* and *blocks* head the report. Without anything to report there is no message, nor if
    the changes are not *reported* here but elsewhere.
    """
    game, by = with_cards(game, cards), game.actor.id
    events: list[Event] = [*shuffle_events(game, cards)]
    report = (*blocks, *move_notes(game, cards, cards.changes)) if reported else ()
    if report:
        title = title or Text("topic-cards")
        events.append(Reported(audience=EVERYONE, title=title, blocks=report, by=by))
    game, subplot_events = ask_about_subplots(game, place)
    too_full = [move.who for move in cards.changes if move.what == "must-discard"]
    game, discard_events = ask_to_replenish(game, place, too_full, "discard")
    return game, (*events, *subplot_events, *discard_events)


def ask_about_subplots(game: Game, place: str) -> tuple[Game, tuple[Event, ...]]:
    """Begin a check for each character whose subplots wait for a decision.

    A check that the GM has ended begins again.
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
    """Ask characters to discard their surplus, or to replenish their hands."""
    cards, asked = require_cards(game), {*who}
    for seat in cards.deal.seats:
        if seat.who in asked and seat.due != "draw":
            cards = cards.with_seat_changes(seat.who, due=due)
    if not asked:
        return game, ()
    game = with_cards(game, cards)
    if has_open_check(game, REPLENISH):
        return refresh_card_checks(game, (REPLENISH,))
    return begin_card_check(game, REPLENISH, place)


def has_open_check(game: Game, kind: str, who: str = "") -> bool:
    """Return whether a check of that kind is open for a character, or for none in particular."""
    for check in game.state.checks.values():
        if check.is_open and (check.kind, check.actor) == (kind, who):
            return True
    return False


def begin_card_check(
    game: Game, kind: str, place: str, who: str = "", said: Values | None = None, **more: Any
) -> tuple[Game, tuple[Event, ...]]:
    """Begin a check about cards, and return its events. *said* are the values of its form."""
    advance = engine.begin(game, kind, place, said or {}, actor=who, **more)
    return advance.game, audience_views.events_for(game.state, advance)


def refresh_card_checks(
    game: Game, kinds: Iterable[str] = CARD_CHECKS
) -> tuple[Game, tuple[Event, ...]]:
    """Ask anew in open checks of these kinds, since their cards may be gone."""
    open_checks = [
        check.id for check in game.state.checks.values() if check.is_open and check.kind in kinds
    ]
    return step_checks(game, open_checks, engine.refresh_check)


# --- subplots -------------------------------------------------------------------------------------


class SubplotDecision(Record):
    """Decision on a character's subplots."""

    #: Whether the GM allows the next subplot, or overrules that there are too many.
    allowed: Literal["", "allow", "overrule"] = ""
    #: Changes by the subplots before it.
    done: tuple[CardChange, ...] = ()


def next_subplot(game: Game, who: str) -> str:
    """Return a character's next subplot to decide on; empty for none."""
    seat = current_cards(game).deal.seat(who)
    return seat.pending[0] if seat is not None and seat.pending else ""


def _has_most_subplots(game: Game, check: Check[SubplotDecision]) -> bool:
    """Return whether as many subplots as allowed are in effect. Only the GM can overrule that."""
    subplots = deal.subplots_in_effect(require_cards(game), check.actor)
    return len(subplots) >= deal.MAX_SUBPLOTS


def _answers(*options: str) -> list[CheckOption]:
    return [CheckOption(option, Text(f"mb-plot-{option}")) for option in options]


class SubplotStage(Stage[SubplotDecision]):
    """Decisions of GM and player on subplots, one after the other (MB-CARD-05, MB-CARD-S00)."""

    name = "deciding"
    orders = tuple(("keep", option) for option in _answers("keep", "decline"))

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
        return _answers("overrule" if _has_most_subplots(game, check) else "allow", "refuse")

    def choose(
        self, game: Game, check: Check[SubplotDecision], choice: Choice, /
    ) -> StageResult[SubplotDecision]:
        data, line = check.data, Text("mb-plot-done", {"how": choice.option})
        if choice.prompt == "allow" and choice.option != "refuse":
            data = data.replace(allowed=choice.option)
            return StageResult(game.state, data, reopen=True, said=line)
        who = check.actor
        cards = deal.decide(
            require_cards(game),
            who,
            next_subplot(game, who),
            allows=choice.prompt == "keep",
            keeps=choice.option == "keep",
            overrules=data.allowed == "overrule",
        )
        game = with_cards(game, cards)
        data = SubplotDecision(done=(*data.done, *cards.changes))
        if next_subplot(game, who):
            return StageResult(game.state, data, reopen=True, said=line)
        return StageResult(game.state, data, OVER, said=line)


def _describe_subplots(game: Game, check: Check[SubplotDecision]) -> tuple[Block, ...]:
    """Describe the subplot that waits, and the changes by those before."""
    cards, card = current_cards(game), next_subplot(game, check.actor)
    done = move_notes(game, cards, check.data.done)
    if not card or not check.is_open:
        return done
    kind = cards.kind(card)
    named = Fact(WITH_LABEL, kind.name, FOR_EVERYONE)
    return (named, for_all("mb-plot", allowed=bool(check.data.allowed)), card_note(kind), *done)


def card_note(kind: CardKind) -> Note:
    """Return a note of what a card of this kind does."""
    return for_all("mb-card-about", summary=kind.summary)


# --- full hands and replenishing ------------------------------------------------------------------


class Refill(Record):
    """Hands to replenish, or only to cut down."""

    #: Characters who are done.
    done: tuple[str, ...] = ()
    #: Changes so far.
    moves: CardChanges = ()


def hands_to_replenish(game: Game) -> tuple[str, ...]:
    """Return the characters who still have to draw, or to discard a surplus."""
    cards = current_cards(game)
    waiting: list[str] = []
    for seat in cards.deal.seats:
        if seat.due == "draw" or (seat.due and deal.surplus(cards, seat.who)):
            waiting.append(seat.who)
    return tuple(waiting)


def default_discards(cards: Cards, who: str) -> tuple[str, ...]:
    """Return the cards discarded by default: the surplus, the newest first."""
    return deal.counted_cards(cards, who)[: deal.surplus(cards, who)]


class ReplenishStage(Stage[Refill]):
    """Discards and draws up to the limit (MB-CARD-14). By default a player keeps all cards."""

    name = "replenishing"
    orders = (("replenish", CheckOption("keep", Text("mb-cards-keep"))),)

    def ask(self, game: Game, check: Check[Refill], /) -> tuple[Prompt, ...]:
        waiting = hands_to_replenish(game)
        if not waiting:
            return ()
        return (Prompt("replenish", waiting, default="keep", button="mb-cards-choose"),)

    def options(
        self, game: Game, check: Check[Refill], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        cards = require_cards(game)
        held, over = cards.at(HAND, who), default_discards(cards, who)
        name = cards.kind(over[0]).name if len(over) == 1 else ""
        options = [CheckOption("keep", Text("mb-cards-keep", {"over": len(over), "name": name}))]
        if held:
            about = {
                "held": len(deal.counted_cards(cards, who)),
                "limit": cards.deal.limit,
                "over": len(over),
                "draws": cards.seat(who).due == "draw",
            }
            form = _card_form(cards, held, len(held))
            label = Text("mb-cards-discard", about)
            options.append(CheckOption("discard", label, form, helps="never"))
        return options

    def choose(self, game: Game, check: Check[Refill], choice: Choice, /) -> StageResult[Refill]:
        who, data, cards = choice.who, check.data, require_cards(game)
        chosen: tuple[str, ...] = choice.values.get("cards") or default_discards(cards, who)
        if cards.seat(who).due == "draw":
            cards = deal.replenish(cards, who, chosen, game.rng)
        else:
            cards = deal.discard(cards, who, chosen)
            deal.refuse(must_discard=deal.surplus(cards, who))
        game, events = finish_card_moves(
            game, check.place, cards.with_seat_changes(who, due=""), reported=False
        )
        data = data.replace(done=(*data.done, who), moves=(*data.moves, *cards.changes))
        return StageResult(game.state, data, events=events, said=Text("mb-cards-done"))


def card_label(cards: Cards, card: str) -> Text:
    """Return the label of a card in a menu."""
    return Text("mb-card-option", {"name": cards.kind(card).name, "number": card})


def _card_form(cards: Cards, held: Iterable[str], most: int) -> Form:
    """Return a form with a menu of these cards, of which *most* may be chosen."""
    choices = tuple(Option(card, card_label(cards, card)) for card in held)
    return Form((Many("cards", choices=choices, most=most, needed=True),))


def _describe_replenishment(game: Game, check: Check[Refill]) -> tuple[Block, ...]:
    """Describe which characters are done, and which are asked."""
    cards, data = current_cards(game), check.data
    rows: list[tuple[Ref, Text]] = []
    for who in (*data.done, *hands_to_replenish(game)):
        rows.append((Ref(who), Text("mb-cards-waits", {"done": who in data.done})))
    group = (Group(None, tuple(rows), FOR_EVERYONE),) if check.is_open else ()
    return (*group, *move_notes(game, cards, data.moves))


# --- hints ----------------------------------------------------------------------------------------

_MAX_WORDS: Final = 1000
_QUESTION: Final = Form((Typed("name", most=100), Typed("question", most=_MAX_WORDS, long=True)))
_ANSWER: Final = Form((Typed("hint", most=_MAX_WORDS, long=True, needed=True),))


class Hint(Record):
    """A card that asks the GM."""

    #: Name of the card.
    name: str = ""
    question: str = ""
    #: The GM's answer.
    hint: str = ""
    #: The GM who answered.
    by: str = ""


class HintStage(Stage[Hint]):
    """Answer of the GM, without a deadline."""

    name = "hinting"

    def ask(self, game: Game, check: Check[Hint], /) -> tuple[Prompt, ...]:
        return () if check.data.hint else (Prompt("hint", (ANY_GM,), button="answer-hint"),)

    def options(
        self, game: Game, check: Check[Hint], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        return (CheckOption("hint", Text("answer-hint"), _ANSWER, written=True),)

    def choose(self, game: Game, check: Check[Hint], choice: Choice, /) -> StageResult[Hint]:
        data = check.data.replace(hint=choice.values["hint"], by=game.actor.id)
        return StageResult(game.state, data, NEXT)


def _begin_hint(game: Game, check: Check[Hint], values: Values) -> Check[Hint]:
    data = Hint(values.get("name", ""), values.get("question") or "")
    return check.replace(data=data, round=None)


def _forget_hint(check: Check[Hint], who: str, mine: Collection[str]) -> Hint:
    """Return the hint without the texts of a participant, who has the characters *mine*."""
    data = check.data
    if check.by == who or check.actor in mine:
        data = data.replace(question="")
    if data.by == who:
        data = data.replace(hint="")
    return data


def _describe_hint(game: Game, check: Check[Hint]) -> tuple[Block, ...]:
    data = check.data
    blocks: list[Block] = [for_all("mb-hint-asks", who=Ref(check.actor), card=data.name)]
    if data.question:
        blocks.append(Quote(data.question, check.by, FOR_EVERYONE))
    if data.hint:
        blocks.append(Quote(data.hint, data.by, FOR_EVERYONE, label=Text("mb-hint-given")))
    return tuple(blocks)


#: Most characters of a typed list of cards.
_MAX_TYPED: Final = 200


def find_card(cards: Cards, held: Iterable[str], text: str, who: str = "") -> str:
    """Return the card of *held* with this number or name, of copies the first.

    Raises NotFound("mb-card-not-there").
    """
    wanted = name_key(text.strip().removeprefix("#"))
    kinds = {card: cards.kind(card, who) for card in held}
    if wanted in kinds:
        return wanted
    for card, kind in kinds.items():
        if wanted in (name_key(kind.name), name_key(kind.key)):
            return card
    # Names are sorted, since the order in which cards lie is secret.
    near = tuple(sorted({kind.name for kind in kinds.values()}))
    raise NotFound("mb-card-not-there", field="card", value=text[:60], nearest=near)


def find_cards(cards: Cards, held: Iterable[str], text: str) -> tuple[str, ...]:
    """Return the different cards that a list with commas names. Raises as `find_card`."""
    remaining, chosen = [*held], list[str]()
    for word in text.split(","):
        card = find_card(cards, remaining, word)
        chosen.append(card)
        remaining.remove(card)
    return tuple(chosen)


# --- trades ---------------------------------------------------------------------------------------


class Trade(Record):
    """A trade of cards for as many others."""

    #: Cards offered.
    given: tuple[str, ...] = ()
    #: Names of the cards offered.
    names: tuple[str, ...] = ()
    #: Names of the cards received for them.
    got: tuple[str, ...] = ()
    #: Whether they are pool cards.
    pooled: bool = False
    end: Literal["", "accept", "decline", "withdraw"] = ""


def _begin_trade(game: Game, check: Check[Trade], values: Values) -> Check[Trade]:
    """Offer a character's cards to another holder. Raises as `find_card` and `deal.trade`."""
    require_other_target(check, "somebody")
    cards = require_cards(game)
    cards.seat(check.actor)
    given = find_cards(cards, cards.at(cards.place, check.actor), values["cards"])
    target_cards = cards.at(cards.place, cards.seat(check.target or "").who)
    deal.refuse(confused=deal.is_confused(cards), unequal=len(target_cards) < len(given))
    names = tuple(cards.kind(card).name for card in given)
    data = Trade(given, names, pooled=cards.place == POOL)
    return check.replace(round=None, visibility="private", data=data)


class TradeStage(Stage[Trade]):
    """Answer to an offer: the target gives cards for it, or declines (MB-CARD-11).

    Only the two sides know of the trade.
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
        form = _card_form(cards, cards.at(cards.place, check.target or ""), len(check.data.given))
        accept = CheckOption("accept", Text("mb-trade-accept"), form)
        return [accept, *[option for _, option in self.orders]]

    def choose(self, game: Game, check: Check[Trade], choice: Choice, /) -> StageResult[Trade]:
        data = check.data
        if choice.option != "accept" or not _is_offer_available(game, check):
            end: Any = "" if choice.option == "accept" else choice.option
            return StageResult(game.state, data.replace(end=end), OVER, said=Text("mb-trade-off"))
        cards, got = require_cards(game), tuple(choice.values["cards"])
        names = tuple(cards.kind(card).name for card in got)
        cards = deal.trade(cards, check.actor, check.target or "", data.given, got)
        game, events = finish_card_moves(game, check.place, cards.without_changes("traded"))
        data = data.replace(got=names, end="accept")
        return StageResult(game.state, data, OVER, events=events, said=Text("mb-trade-on"))


def _is_offer_available(game: Game, check: Check[Trade]) -> bool:
    """Return whether the cards offered are still where they were."""
    cards = current_cards(game)
    return {*check.data.given} <= {*cards.at(cards.place, check.actor)}


def _describe_trade(game: Game, check: Check[Trade]) -> tuple[Block, ...]:
    """Describe an offer and its end, for the two sides."""
    data, both = check.data, _sides(check)
    who, other = Ref(check.actor), Ref(check.target or check.actor)
    if data.end == "accept":
        gives = Text("mb-trade-gives", {"who": who, "cards": data.names})
        receives = Text("mb-trade-gives", {"who": other, "cards": data.got})
        done = Verdict(Text("mb-trade-on"), "good", both)
        return (done, Note(gives, both), Note(receives, both))
    about = {
        "who": who,
        "other": other,
        "cards": data.names,
        "number": len(data.names),
        "end": data.end,
    }
    text = Text("mb-trade", {**about, "open": check.is_open, "pooled": data.pooled})
    offer = Note(text, both)
    if check.is_open:
        return (offer,)
    return (Verdict(Text("mb-trade-ended", about), "neutral", both), offer)


def _sides(check: Check[Trade]) -> tuple[str, ...]:
    return (check.actor,) if check.target is None else (check.actor, check.target)


# --- Campaign, and a Wild card as a subplot -------------------------------------------------------


class SubplotProposal(Record):
    """Proposal to use a Campaign card, or to lay a Wild card as a subplot."""

    card: str = ""
    #: The card to make permanent, or the kind that the Wild card is laid as.
    subplot: str = ""
    #: Changes by it.
    moves: CardChanges = ()


def subplot_request(game: Game, who: str, card: str, as_name: str) -> tuple[str, Values] | None:
    """Return the check in which the GM agrees to a card, and its values; None for other cards.

    Raises Impossible("mb-card-which-subplot") if the card could make several subplots permanent, or
    ("mb-card-precondition") if none.
    """
    cards = require_cards(game)
    kind = cards.kind(card)
    as_kind = cards.kinds.get(as_name) if kind.op == "any_card" else kind
    if as_kind is None or as_kind.type != "subplot":
        return None
    if as_kind.op != "campaign":
        return WILD, {"card": card, "as": as_kind.key}
    lasting = [*deal.lasting_subplots(cards, who)]
    if len(lasting) > 1:
        raise Impossible("mb-card-which-subplot")
    deal.refuse(precondition=not lasting and "campaign")
    return CAMPAIGN, {"subplot": lasting[0], "card": card}


def _propose_campaign(
    game: Game, check: Check[SubplotProposal], values: Values
) -> Check[SubplotProposal]:
    """Propose a Campaign card, or a Wild card as one, on a subplot in effect.

    The GM is asked once about each card and each subplot. Raises NotFound,
    Impossible("mb-card-precondition"), and as `play.require_playable`.
    """
    cards, who = require_cards(game), check.actor
    cards.seat(who)
    proposed = [
        other.data
        for other in game.state.checks.values()
        if other.is_open and other.kind == CAMPAIGN
    ]
    proposed_cards = {proposal.card for proposal in proposed}
    free = [card for card in cards.at(cards.place, who) if card not in proposed_cards]
    campaign = [card for card in free if cards.kind(card).op == "campaign"]
    wild = [card for card in free if cards.kind(card).op == "any_card"]
    usable = (*campaign, *wild)
    if "card" in values:
        card = find_card(cards, free, values["card"])
    else:
        card = usable[0] if usable else ""
    if card not in usable:
        # This raises NotFound with the Campaign cards that there are.
        find_card(cards, campaign, cards.kinds[CAMPAIGN].name)
    play.require_playable(cards, who, card, between(game, who), as_name=CAMPAIGN)
    subplot = find_card(cards, cards.at(FACE, who), values["subplot"], who)
    proposed_subplots = {proposal.subplot for proposal in proposed}
    available = {*deal.lasting_subplots(cards, who)} - proposed_subplots
    deal.refuse(precondition=subplot not in available and "campaign")
    return check.replace(round=None, data=SubplotProposal(card, subplot))


def _propose_wild_card(
    game: Game, check: Check[SubplotProposal], values: Values
) -> Check[SubplotProposal]:
    """Propose to lay a Wild card as a subplot.

    Raises NotFound, and Impossible as `play.require_playable`.
    """
    cards, who = require_cards(game), check.actor
    card = find_card(cards, cards.held_cards(who), values["card"])
    kind = play.require_playable(cards, who, card, between(game, who), as_name=values["as"])
    unfit = kind.type != "subplot" or kind.op == "campaign" or cards.kind(card).op != "any_card"
    deal.refuse(precondition=unfit)
    return check.replace(round=None, data=SubplotProposal(card, kind.key))


class AgreementStage(Stage[SubplotProposal]):
    """Agreement of the GM that a subplot becomes permanent, or that a Wild card is one.

    The proposal ends if its cards are gone. A Wild card that is refused stays as it is
    (MB-CARD-P05).
    """

    name = "agreeing"

    def ask(self, game: Game, check: Check[SubplotProposal], /) -> tuple[Prompt, ...]:
        data, who, cards = check.data, check.actor, current_cards(game)
        if data.moves or data.card not in cards.held_cards(who):
            return ()
        available = data.subplot in (*cards.kinds, *deal.subplots_in_effect(cards, who))
        return (Prompt("agree", (ANY_GM,), button="mb-plot-gm"),) if available else ()

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
            cards = cards.with_change("played", who, (data.card,))
            cards = deal.campaign(cards, who, data.card, data.subplot, approves, game.rng)
        elif approves:
            moment = between(game, who)
            cards, _ = play.play(cards, who, data.card, moment, game.rng, as_name=data.subplot)
            cards = cards.without_changes("played").with_change("kept", who, (data.card,))
        else:
            cards = cards.with_change("refused", who)
        game, events = finish_card_moves(game, check.place, cards, reported=False)
        data = data.replace(moves=cards.changes)
        line = Text("mb-plot-done", {"how": choice.option})
        return StageResult(game.state, data, OVER, events=events, said=line)


def _describe_subplot_proposal(game: Game, check: Check[SubplotProposal]) -> tuple[Block, ...]:
    """Describe the proposal, and what a Wild card would do then."""
    cards, is_wild = current_cards(game), check.kind == WILD
    kind = cards.kind(check.data.subplot, check.actor)
    about = {"who": Ref(check.actor), "name": kind.name}
    moves = move_notes(game, cards, check.data.moves)
    if is_wild:
        return (for_all("mb-wild", **about), card_note(kind), *moves)
    return (for_all("mb-campaign", **about), *moves)


_GIVEN: Final = Typed("cards", most=_MAX_TYPED, needed=True)
_CARD: Final = Typed("card", most=NAME_MAX)
_SUBPLOT: Final = Typed("subplot", most=NAME_MAX, needed=True)
_CAMPAIGN_FORM: Final = Form((_SUBPLOT, _CARD))
_WILD_FORM: Final = Form((_CARD.replace(needed=True), Typed("as", most=NAME_MAX, needed=True)))
#: A procedure without a command, which stays open over turns.
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
        _propose_campaign,
        _describe_subplot_proposal,
    ),
    Procedure(
        WILD,
        (AgreementStage(),),
        SubplotProposal,
        _WILD_FORM,
        _propose_wild_card,
        _describe_subplot_proposal,
    ),
)


# --- commands -------------------------------------------------------------------------------------


def _own_cards(*places: str) -> Any:
    """Return the choices of the asking player's own cards in these places."""

    def choices(asking: FormContext) -> tuple[Option, ...]:
        if asking.game is None or not asking.who:
            return ()
        cards = current_cards(asking.game)
        by_name: dict[str, str] = {}
        for place in places:
            for card in cards.at(place, asking.who):
                by_name[cards.kind(card).name] = card
        return tuple(Option(name, card_label(cards, card)) for name, card in by_name.items())

    return choices


OWN_CARDS: Final = _own_cards(HAND, POOL)


def _trade(game: Game, values: Values) -> CheckStart:
    if not values["to"].strip():
        raise InvalidInput("empty", field="to", value="", wanted="name")
    return check_starter(TRADE, target="to")(game, {**values, "visibility": "private"})


def _partners(asking: FormContext) -> tuple[Option, ...]:
    """Return the characters of other players, since nobody else holds cards to trade."""
    characters, own = asking.game.state.characters, (None, asking.game.actor.id)
    options = known_character_options(asking)
    return tuple(option for option in options if characters[option.value].owner not in own)


_TO: Final = Typed("to", most=NAME_MAX, needed=True, choices=_partners)
COMMANDS: Final = (
    command("card trade", _trade, _GIVEN.replace(choices=OWN_CARDS), _TO, AS_FIELD),
    command(
        "card campaign",
        check_starter(CAMPAIGN),
        _SUBPLOT.replace(choices=_own_cards(FACE)),
        AS_FIELD,
    ),
)
