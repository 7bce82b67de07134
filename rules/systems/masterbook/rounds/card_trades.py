"""Trades of cards between two players (MB-CARD-11)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal

from rules.core.errors import InvalidInput
from rules.core.record import Record
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.deck import deal
from rules.systems.masterbook.deck.deck_state import (
    POOL,
)
from rules.systems.masterbook.deck.table_deck import (
    current_cards,
    has_deck,
    require_cards,
)
from rules.systems.masterbook.rounds.card_moves import (
    OWN_CARDS,
    TRADE,
    answer_options,
    card_form,
    find_cards,
    finish_card_moves,
)
from rules.table.blocks import (
    Block,
    Note,
    Ref,
    Text,
    Verdict,
)
from rules.table.check import OVER, Check, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.checks.stages import require_other_target
from rules.table.commands import (
    AS_FIELD,
    NAME_MAX,
    CheckStart,
    check_starter,
    known_character_options,
)
from rules.table.forms.fields import FormContext, Option, Typed
from rules.table.forms.form import Form
from rules.table.system import Game

#: Most characters of a typed list of cards.
_MAX_TYPED: Final = 200


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
    orders = ((TRADE, answer_options("decline")[0]),)

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
        declines = [option for _, option in self.orders]
        if not has_deck(game):
            return declines  # The adventure with cards is over.
        cards = require_cards(game)
        form = card_form(cards, cards.at(cards.place, check.target or ""), len(check.data.given))
        accept = CheckOption("accept", Text("mb-trade-accept"), form)
        return [accept, *declines]

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


_GIVEN: Final = Typed("cards", most=_MAX_TYPED, needed=True)


TRADE_PROCEDURE: Final = Procedure(
    TRADE,
    (TradeStage(),),
    Trade,
    Form((_GIVEN,)),
    _begin_trade,
    _describe_trade,
    private=_sides,
)


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
TRADE_COMMAND: Final = command(
    "card trade", _trade, _GIVEN.replace(choices=OWN_CARDS), _TO, AS_FIELD
)
