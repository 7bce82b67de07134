"""Checks that ask about cards: subplots, full hands, hints and Campaign.

MB-CARD-05, MB-CARD-06, MB-CARD-14, MB-CARD-E10, MB-CARD-P05, MB-CARD-S00, MB-CARD-S02.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import Any, Final, Literal

from rules.core.errors import Impossible
from rules.core.record import Record
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.card_windows import between
from rules.systems.masterbook.deck import deal, play, subplots
from rules.systems.masterbook.deck.deck_state import (
    FACE,
    HAND,
    CardChange,
    CardChanges,
    Cards,
)
from rules.systems.masterbook.deck.table_deck import (
    current_cards,
    for_all,
    require_cards,
    with_cards,
)
from rules.systems.masterbook.rounds.card_moves import (
    CAMPAIGN,
    HINT,
    REPLENISH,
    SUBPLOT,
    WILD,
    answer_options,
    card_form,
    card_note,
    find_card,
    finish_card_moves,
    move_notes,
    own_card_choices,
)
from rules.systems.masterbook.rounds.card_trades import TRADE_COMMAND, TRADE_PROCEDURE
from rules.table.blocks import (
    FOR_EVERYONE,
    Block,
    Fact,
    Group,
    Quote,
    Ref,
    Text,
)
from rules.table.check import ANY_GM, NEXT, OVER, Check, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.checks.shared_blocks import WITH_LABEL
from rules.table.commands import (
    AS_FIELD,
    NAME_MAX,
    check_starter,
)
from rules.table.forms.fields import Typed
from rules.table.forms.form import Form
from rules.table.system import Game

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
    in_effect = subplots.subplots_in_effect(require_cards(game), check.actor)
    return len(in_effect) >= subplots.MAX_SUBPLOTS


class SubplotStage(Stage[SubplotDecision]):
    """Decisions of GM and player on subplots, one after the other (MB-CARD-05, MB-CARD-S00)."""

    name = "deciding"
    orders = tuple(("keep", option) for option in answer_options("keep", "decline"))

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
        return answer_options("overrule" if _has_most_subplots(game, check) else "allow", "refuse")

    def choose(
        self, game: Game, check: Check[SubplotDecision], choice: Choice, /
    ) -> StageResult[SubplotDecision]:
        data, line = check.data, Text("mb-plot-done", {"how": choice.option})
        if choice.prompt == "allow" and choice.option != "refuse":
            data = data.replace(allowed=choice.option)
            return StageResult(game.state, data, reopen=True, said=line)
        who = check.actor
        cards = subplots.decide(
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
            form = card_form(cards, held, len(held))
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
    lasting = [*subplots.lasting_subplots(cards, who)]
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
        # Without a Campaign card this raises NotFound.
        find_card(cards, campaign, cards.kinds[CAMPAIGN].name)
    play.require_playable(cards, who, card, between(game, who), as_name=CAMPAIGN)
    subplot = find_card(cards, cards.at(FACE, who), values["subplot"], who)
    proposed_subplots = {proposal.subplot for proposal in proposed}
    available = {*subplots.lasting_subplots(cards, who)} - proposed_subplots
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
        available = data.subplot in (*cards.kinds, *subplots.subplots_in_effect(cards, who))
        return (Prompt("agree", (ANY_GM,), button="mb-plot-gm"),) if available else ()

    def options(
        self, game: Game, check: Check[SubplotProposal], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        return answer_options("allow", "refuse")

    def choose(
        self, game: Game, check: Check[SubplotProposal], choice: Choice, /
    ) -> StageResult[SubplotProposal]:
        data, who, approves = check.data, check.actor, choice.option == "allow"
        cards = require_cards(game)
        if check.kind == CAMPAIGN:
            cards = cards.with_change("played", who, (data.card,))
            cards = subplots.campaign(cards, who, data.card, data.subplot, approves, game.rng)
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
    TRADE_PROCEDURE,
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


COMMANDS: Final = (
    TRADE_COMMAND,
    command(
        "card campaign",
        check_starter(CAMPAIGN),
        _SUBPLOT.replace(choices=own_card_choices(FACE)),
        AS_FIELD,
    ),
)
