"""Commands about cards in rounds: pools, critical moments, sides, earned cards and fiat.

MB-CARD-09, MB-CARD-12, MB-CARD-A01, MB-CARD-I02, MB-CARD-I14, MB-CARD-L02.
"""

from __future__ import annotations

from typing import Final, Literal

from rules.core.errors import Impossible, InvalidInput
from rules.core.record import Record
from rules.systems.masterbook.character.sheet import option_effects
from rules.systems.masterbook.checks import action_commands, action_economy, card_windows
from rules.systems.masterbook.checks.action_economy import (
    STARTLED,
    SURPRISED,
)
from rules.systems.masterbook.deck import card_lines, deal
from rules.systems.masterbook.deck.deck_state import HAND, SCENES, TAKEN, Cards, Seat
from rules.systems.masterbook.deck.table_deck import has_deck, mode, require_cards, with_cards
from rules.systems.masterbook.rounds import card_moves
from rules.systems.masterbook.rounds.further_turns import (
    hasten,
)
from rules.table.actions import Action
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS_ONLY,
    Block,
    Fact,
    Note,
    Ref,
    Text,
)
from rules.table.check import ANY_GM, OVER, Check, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.commands import (
    AS_FIELD,
    NAME_MAX,
    CommandResult,
    CommandView,
    known_character_options,
)
from rules.table.deeds import Deed
from rules.table.forms.fields import Flag, Number, Pick, Typed, plain_options
from rules.table.forms.form import Form
from rules.table.initiative import (
    encounter_in,
    require_encounter,
)
from rules.table.lookup import acting_character, find_known
from rules.table.marks import marks_of
from rules.table.outcome import Outcome
from rules.table.permissions import public_name, require_gm
from rules.table.reports import report_outcome
from rules.table.state import AnyCharacter, Slot
from rules.table.system import Game

#: Fields of a card's reading that the list of fiat cards shows.
_SHORT: Final = ("scene", "first", "players", "gms", "skill")


def _report_cards(game: Game, said: Text, of: AnyCharacter | None = None) -> Outcome:
    return report_outcome(game, Text("topic-cards"), Note(said, FOR_EVERYONE), of=of)


class PoolCard(Action, kw_only=True):
    """Move a card from hand to pool."""

    card: str
    as_: str | None = None


def pool_card(game: Game, action: PoolCard) -> Outcome:
    """Move a card from hand to pool. Raises as `acting_character` and `move_to_pool`."""
    who = acting_character(game.state, action.who, action.as_, action.place)
    return move_to_pool(game, who.id, action.card)


def move_to_pool(game: Game, who: str, text: str) -> Outcome:
    """Move the card that *text* names from hand to pool, where everyone sees it.

    Raises as `deal.pool` and `find_card`.
    """
    cards = require_cards(game)
    card = card_moves.find_card(cards, cards.at(HAND, who), text)
    cards = with_pooled_card(game, who, card)
    return report_outcome(
        with_cards(game, cards),
        Text("topic-cards"),
        *card_moves.move_notes(game, cards, cards.changes),
    )


def with_pooled_card(game: Game, who: str, card: str) -> Cards:
    """Return the deck with a card of a character's hand in the pool. Raises as `deal.pool`."""
    surprised = any(marks_of(game.state, who, mark) for mark in (SURPRISED, STARTLED))
    return deal.pool(
        require_cards(game),
        who,
        card,
        action_economy.sets_of(game, who),
        surprised,
        _is_last_turn(game),
    )


def _is_last_turn(game: Game) -> bool:
    """Return whether the last turn in the round of the cards is on."""
    flip = require_cards(game).deal.round
    encounter = None if flip is None else encounter_in(game.state, flip.place)
    if encounter is None or not encounter.order:
        return False
    return encounter.turn == len(encounter.order) - 1


class CriticalMoment(Action, kw_only=True):
    """Declare a character's critical moment."""

    as_: str | None = None


def declare_critical_moment(game: Game, action: CriticalMoment) -> Outcome:
    """Declare a character's critical moment (MB-CARD-12).

    Raises as `acting_character` and `deal.declare_critical_moment`.
    """
    who = acting_character(game.state, action.who, action.as_, action.place)
    cards = deal.declare_critical_moment(require_cards(game), who.id)
    text = Text("mb-card-moment", {"who": action_economy.ref(who)})
    return _report_cards(with_cards(game, cards), text)


class FastReactions(Action, kw_only=True):
    """Give a character with Fast Reactions another turn."""

    as_: str | None = None


def use_fast_reactions(game: Game, action: FastReactions) -> Outcome:
    """Give a character with Fast Reactions another turn, where cards decide initiative.

    The rule is MB-CARD-L02. Raises as `acting_character`, `deal.use_fast_reactions`, `hasten` and
    `require_awake`.

    Raises:
        Impossible("mb-card-no-fast"): The character lacks the option.
        Impossible("mb-card-off"): The table plays without initiative cards.
        Impossible("mb-card-wrong-window"): Dice of the round are open.
    """
    who = acting_character(game.state, action.who, action.as_, action.place)
    if not card_windows.has_fast_reactions(who.sheet):
        raise Impossible("mb-card-no-fast", who=who.name)
    deal.refuse(off=not mode(game).lines)
    action_economy.require_awake(game, who.id)
    cards = require_cards(game)
    if cards.deal.seat(who.id) is None and not mode(game).hands:
        # The table deals no cards, but uses are counted all the same.
        cards = cards.with_deal_changes(seats=(*cards.deal.seats, Seat(who.id)))
    cards = deal.use_fast_reactions(cards, who.id, option_effects(who.sheet).hastes)
    deal.refuse(wrong_window=card_windows.in_progress(game, action.place))
    game, events = hasten(with_cards(game, cards), who.id)
    notes = card_moves.move_notes(game, cards, cards.changes)
    outcome = report_outcome(game, Text("topic-cards"), *notes)
    return Outcome(outcome.state, (*outcome.events, *events))


class SetSide(Action, kw_only=True):
    """Set the side of a character, for a GM."""

    target: str
    side: Literal["players", "npcs"]


def set_side(game: Game, action: SetSide) -> Outcome:
    """Set the side with which a character acts from the next round on (MB-CARD-I02).

    Raises NotPermitted("gm-only"), Impossible("mb-no-rounds-here"), and as `find_known`.
    """
    require_gm(game.state, action.who)
    who = find_known(game.state, action.who, action.target, "target")
    encounter = require_encounter(game.state, action.place)
    if not any(slot.character == who.id for slot in encounter.order):
        raise Impossible("mb-no-rounds-here", name=who.name)
    side = "P" if action.side == "players" else "G"
    order: list[Slot] = []
    for slot in encounter.order:
        order.append(slot.replace(side=side) if slot.character == who.id else slot)
    encounter = encounter.replace(order=tuple(order))
    game = game.with_state(game.state.with_encounter(encounter))
    hidden = None if public_name(who) else who
    text = Text("mb-card-side", {"who": action_economy.ref(who), "side": side})
    return _report_cards(game, text, hidden)


class ApproveDeed(Action, kw_only=True):
    """Give a character a card for a deed, or take one back, for a GM."""

    target: str
    takes: bool = False


def approve_deed(game: Game, action: ApproveDeed) -> Outcome:
    """Give a character a card for a deed, or with `takes` take one back (MB-CARD-A01).

    Raises NotPermitted("gm-only"), Impossible("mb-card-off"), ("mb-card-not-in-rounds"),
    ("mb-card-limit-reached"), and as `find_known`.
    """
    require_gm(game.state, action.who)
    who = find_known(game.state, action.who, action.target, "target")
    cards = require_cards(game)
    deal.refuse(off=not mode(game).awards)
    seat = cards.seat(who.id)
    if action.takes:
        cards = card_lines.deny_award(cards, who.id)
    else:
        full = seat.awards >= deal.award_limit(cards, seat)
        deal.refuse(not_in_rounds=cards.deal.round is None, limit_reached=full)
        cards = cards.with_seat_changes(who.id, awards=seat.awards + 1)
    about = {"who": action_economy.ref(who), "takes": action.takes}
    return _report_cards(with_cards(game, cards), Text("mb-card-approves", about))


class FiatCards(Record):
    """Cards that the GM has taken."""

    cards: tuple[str, ...] = ()


class Fiat(Action, kw_only=True):
    """Take four cards aside, for the GM to say which come next."""


def take_fiat_cards(game: Game, action: Fiat) -> Outcome:
    """Take four cards aside, for the GM to say which come next (MB-CARD-I14).

    If an earlier check ended before the GM chose, the same cards are shown again. Raises
    NotPermitted("gm-only"), and Impossible("mb-card-off"), ("mb-card-taken").
    """
    require_gm(game.state, action.who)
    cards = require_cards(game)
    if card_moves.has_open_check(game, card_moves.FIAT) or not cards.at(TAKEN):
        cards = deal.take(cards, game.rng)
    shuffles = card_moves.shuffle_events(game, cards)
    game, events = card_moves.begin_card_check(
        with_cards(game, cards), card_moves.FIAT, action.place, gm_only=True
    )
    return Outcome(game.state, (*shuffles, *events))


def _begin_fiat(game: Game, check: Check[FiatCards], values: Values) -> Check[FiatCards]:
    return check.replace(round=None, data=FiatCards(require_cards(game).at(TAKEN)[::-1]))


class FiatStage(Stage[FiatCards]):
    """Choice of the GM: cards that come next, in order. The others are discarded."""

    name = "fiat"

    def ask(self, game: Game, check: Check[FiatCards], /) -> tuple[Prompt, ...]:
        waits = has_deck(game) and require_cards(game).at(TAKEN)
        return (Prompt("fiat", (ANY_GM,), button="mb-card-arrange"),) if waits else ()

    def options(
        self, game: Game, check: Check[FiatCards], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        order = Typed("order", most=40, choices=plain_options([", ".join(check.data.cards)]))
        arrange = CheckOption("arrange", Text("mb-card-arrange"), Form((order,)))
        return arrange, CheckOption("none", Text("mb-card-arrange-none"))

    def choose(
        self, game: Game, check: Check[FiatCards], choice: Choice, /
    ) -> StageResult[FiatCards]:
        wanted = choice.values.get("order", "").replace(",", " ").replace("#", " ").split()
        try:
            cards = deal.queue_fiat_cards(require_cards(game), wanted)
        except Impossible as error:
            about = {"value": choice.values["order"], "allowed": check.data.cards}
            raise InvalidInput("mb-card-arrange-those", field="order", **about) from error
        text = Text("mb-card-fiat", {"number": len(wanted)})
        outcome = _report_cards(with_cards(game, cards), text)
        return StageResult(outcome.state, check.data, OVER, events=outcome.events)


def _describe_fiat(game: Game, check: Check[FiatCards]) -> tuple[Block, ...]:
    cards = require_cards(game)
    blocks: list[Block] = []
    for card in check.data.cards:
        name = cards.kind(card).name
        label = Text("mb-card-named", {"name": name, "number": card, "kept": False})
        lines: list[Text] = []
        for scene in SCENES:
            reading = card_lines.read_face(cards.faces[card], scene)
            lines.append(Text("mb-card-short", {key: getattr(reading, key) for key in _SHORT}))
        blocks.append(Fact(label, tuple(lines), GMS_ONLY))
    return tuple(blocks)


FIAT_PROCEDURE: Final = Procedure(
    card_moves.FIAT,
    (FiatStage(),),
    data=FiatCards,
    begin=_begin_fiat,
    describe=_describe_fiat,
    by_itself=True,
)


#: Value of the button that confirms.
_SURE: Final = Number("sure", low=1, high=1)
_CRITICAL_MOMENT: Final = Deed("card moment", CriticalMoment, declare_critical_moment, (AS_FIELD,))


def _start_critical_moment(game: Game, options: Values) -> CommandResult:
    """Ask for confirmation before a character gives up all cards (MB-CARD-12).

    Raises as `deal.declare_critical_moment`.
    """
    if "sure" in options:
        values = {key: value for key, value in options.items() if key != "sure"}
        return _CRITICAL_MOMENT.run(game, values)
    who = action_commands.commanding_character(game, options)
    cards = require_cards(game)
    deal.declare_critical_moment(cards, who.id)
    about = {"who": Ref(name=who.name), "number": len(cards.at(HAND, who.id))}
    note = Note(Text("mb-moment-ask", about), FOR_EVERYONE)
    values = {"sure": 1, "as": who.id}
    title = Text("mb-moment-title")
    return CommandView(title, (note,), button=Text("mb-moment-sure"), values=values)


_TARGET: Final = Typed("target", most=NAME_MAX, needed=True, choices=known_character_options)
_IS_OPEN: Final = action_commands.openly_about("target")
_POOL: Final = Deed(
    "card pool", PoolCard, pool_card, (Typed("card", most=NAME_MAX, needed=True), AS_FIELD)
)
_FAST: Final = Deed("card fast", FastReactions, use_fast_reactions, (AS_FIELD,))
_SIDE: Final = Deed(
    "card side",
    SetSide,
    set_side,
    (_TARGET, Pick("side", choices=plain_options(("players", "npcs")), needed=True)),
    _IS_OPEN,
)
_APPROVE: Final = Deed(
    "card approve", ApproveDeed, approve_deed, (_TARGET, Flag("takes")), _IS_OPEN
)
_FIAT: Final = Deed("deck fiat", Fiat, take_fiat_cards, openly=False)
DEEDS: Final = (_POOL, _CRITICAL_MOMENT, _FAST, _SIDE, _APPROVE, _FIAT)
CARD_COMMANDS: Final = (
    _POOL.as_command(),
    action_commands.command(
        _CRITICAL_MOMENT.command,
        _start_critical_moment,
        AS_FIELD,
        pressed=Form((_SURE, AS_FIELD)),
    ),
    _FAST.as_command(),
    _SIDE.as_command(),
    _APPROVE.as_command(),
    _FIAT.as_command(),
)
