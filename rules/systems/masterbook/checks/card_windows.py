"""Cards and Luck in checks: the players of a window, their options, and the effects (MB-CARD-13).

Public facts decide whom the bot asks: who holds cards, the cards of pools, the kinds of the deck.
The cards of a hand only decide what is offered to its owner.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from rules.core.errors import Impossible
from rules.systems.masterbook.character.sheet import MasterbookSheet, option_effects
from rules.systems.masterbook.checks.action_economy import ACTION, ACTION_NAME, round_of
from rules.systems.masterbook.checks.state import Point
from rules.systems.masterbook.deck import deal, play
from rules.systems.masterbook.deck.card_definitions import KINDS, CardKind, Op, Window
from rules.systems.masterbook.deck.deal import refuse
from rules.systems.masterbook.deck.deck_state import HAND, POOL, Cards
from rules.systems.masterbook.deck.play import CardEffect, Moment, Use
from rules.systems.masterbook.deck.table_deck import (
    current_cards,
    for_all,
    has_deck,
    mode,
    require_cards,
    with_cards,
)
from rules.systems.masterbook.formulas import dice
from rules.table.blocks import Block, Ref, Text
from rules.table.check import Check, Choice
from rules.table.checks.procedure import CheckOption
from rules.table.marks import marks_of, with_marks
from rules.table.permissions import known_name
from rules.table.state import AnyCharacter, Mark
from rules.table.system import Game

#: First part of a card's option.
CARD: Final = "card"
#: First part of an option of Luck, and mark of its use until the adventure ends; `what` is the kind
#: of card and the number of earlier uses.
LUCK: Final = "luck"


def has_fast_reactions(sheet: MasterbookSheet) -> bool:
    """Return whether the character has Fast Reactions (MB-CARD-L02)."""
    return option_effects(sheet).hastes > 0


def hastes_left(game: Game, who: str, sheet: MasterbookSheet) -> int:
    """Return the hastes that Fast Reactions still give in this adventure (MB-CARD-L02).

    The sheet may be a draft of a character that isn't at the table yet.
    """
    seat = current_cards(game).deal.seat(who)
    used = 0 if seat is None else seat.hastes
    return max(0, option_effects(sheet).hastes - used)


def advantages(sheet: MasterbookSheet) -> tuple[str, ...]:
    """Return the Luck of a character by its columns, such as `cii` (MB-BG-27)."""
    return option_effects(sheet).luck


def spent_luck(game: Game, who: str) -> tuple[str, ...]:
    """Return the uses of a character's Luck in this adventure."""
    return tuple(mark.what.partition(" ")[0] for mark in marks_of(game.state, who, LUCK))


def remaining_luck(game: Game, who: str) -> tuple[tuple[str, ...], ...]:
    """Return the uses that are left of a character's Luck, each with what it may be."""
    return luck_left(game, who, game.sheet(who))


def luck_left(game: Game, who: str, sheet: MasterbookSheet) -> tuple[tuple[str, ...], ...]:
    """Return the uses that are left of the Luck on a sheet, each with what it may be.

    The sheet may be a draft of a character that isn't at the table yet.
    """
    columns = advantages(sheet)
    if not columns:
        return ()
    try:
        return play.remaining_luck(columns, spent_luck(game, who))
    except Impossible:
        # The sheet has lost Luck that was spent already.
        return ()


def effect_of(game: Game, who: str, key: str, moment: Moment, use: Use = "") -> CardEffect:
    """Return the effect of a use of Luck. Raises as `play.luck_card_effect`."""
    columns, spent = advantages(game.sheet(who)), spent_luck(game, who)
    rounds = current_cards(game).deal.round is not None or bool(game.state.encounters)
    return play.luck_card_effect(
        columns, spent, who, key, moment, rounds=rounds, use=use, setting=game.setting
    )


def rescue_by_luck(game: Game, who: str) -> Game:
    """Return the game once a GM has used a character's Luck to avert a disaster (MB-BG-27).

    Raises:
        Impossible("mb-card-off"): the table doesn't play with this.
        Impossible("mb-luck-none"): no Luck is left for it.
    """
    refuse(off=not game.setting("luck3_gm_rescue"))
    if not any(play.RESCUE in use for use in remaining_luck(game, who)):
        raise Impossible("mb-luck-none", who=game.display_name(who))
    return spend_luck(game, who, play.RESCUE)


def luck_openings(
    game: Game, who: str, moments: Sequence[Moment], uses: Collection[Use]
) -> Iterator[tuple[str, int, Moment, Use]]:
    """Yield what a character's Luck may do now, each with a moment and a way of use."""
    keys: dict[str, None] = {}
    for use in remaining_luck(game, who):
        keys |= dict.fromkeys(use)
    if not keys:
        return
    seen = _seen_by(game, who, moments)
    for key in keys:
        kind = KINDS.get(key)
        if kind is None or not kind.windows:
            continue
        for opening in play.openings(kind, seen, uses, partial(effect_of, game, who, key)):
            yield key, *opening


def spend_luck(game: Game, who: str, key: str) -> Game:
    """Return the game once a character has used its Luck for something."""
    mark = Mark(LUCK, f"{key} {len(spent_luck(game, who))}", until="adventure")
    return game.with_state(with_marks(game.state, who, mark))


def open_points(game: Game, character: AnyCharacter) -> tuple[Text, ...]:
    """Return what all players see: Life Points, the number of cards in hand, and Luck left."""
    lines = [Text("mb-open-points", {"left": character.sheet.life_points})]
    if may_hold_cards(game):
        count = len(current_cards(game).at(HAND, character.id))
        lines.append(Text("mb-open-cards", {"count": count}))
    if remaining_luck(game, character.id):
        lines.append(Text("mb-open-luck"))
    return tuple(lines)


# --- cards ----------------------------------------------------------------------------------------

Moments = Sequence[Moment]

#: Use of cards for what they say.
PLAIN: Final[tuple[Use, ...]] = ("",)
#: Use of cards on open dice: also as points.
OPEN: Final[tuple[Use, ...]] = ("", "again")
#: Operation on every number of a character, which is offered once.
_EVERYTHING: Final[Op] = "modify_all_totals"
#: Kind of card that makes up for missing training (MB-CARD-E03).
_OPENS: Final = "breakthrough"


def option_value(kind: str, at: int = 0, use: str = "", as_name: str = "", by: str = CARD) -> str:
    """Return the value of an option: the kind of card, the number of the moment, and the use."""
    return f"{by}:{kind}:{at}:{use}:{as_name}"


def may_hold_cards(game: Game) -> bool:
    """Return whether characters of this table may hold cards."""
    return has_deck(game) and mode(game).hands


def _seen_by(game: Game, who: str, moments: Moments) -> list[Moment]:
    """Return the moments with what a character is aware of."""
    awake = not game.sheet(who).harm.out
    return [
        moment.replace(awake=awake, aware=moment.aware and who not in moment.blind)
        for moment in moments
    ]


def _is_present(game: Game, who: str) -> bool:
    character = game.state.characters.get(who)
    return character is not None and character.owner is not None and character.in_play


def _possible_kinds(cards: Cards, who: str, kinds: Iterable[CardKind]) -> Iterator[CardKind]:
    """Yield the kinds of cards that a character might play, as far as everyone knows.

    A hand might hold every one of *kinds* that may be played from it.
    """
    pool = [cards.kind(card) for card in cards.at(POOL, who)]
    yield from pool
    has_wild = any(kind.op == "any_card" for kind in pool)
    has_hand = bool(cards.at(HAND, who))
    for kind in kinds:
        from_hand = has_hand and HAND in play.playable_places(cards, who, kind)
        if from_hand or (has_wild and kind.type == "enhancement"):
            yield kind


def possible_players(
    game: Game, check: Check[Any], moments: Moments, uses: Collection[Use]
) -> tuple[str, ...]:
    """Return the characters who might play a card on these moments, as everyone can see.

    The table knows of Luck that may undo or repeat a finished action (MB-CARD-L01).
    """
    if not moments or check.gm_only:
        return ()
    if check.visibility == "blind" and any(moment.window != "pre_roll" for moment in moments):
        # Players have not seen the dice.
        return ()
    involved: dict[str, None] = {}
    for moment in moments:
        involved |= dict.fromkeys((moment.actor, moment.whose, *moment.against))
    players: list[str] = []
    for who, cards in _holders(game):
        if check.visibility != "public" and who not in involved:
            continue
        if _might_play(game, cards, who, moments, uses):
            players.append(who)

    over = [moment for moment in moments if moment.window == "after_resolution"]
    if not over:
        return tuple(players)
    lucky: list[str] = []
    for who in involved:
        if who in players or not _is_present(game, who) or not remaining_luck(game, who):
            continue
        if any(luck_openings(game, who, over, uses)):
            lucky.append(who)
    return (*players, *lucky)


def _might_play(
    game: Game, cards: Cards, who: str, moments: Moments, uses: Collection[Use]
) -> bool:
    """Return whether a character might hold a card for one of these moments."""
    seen, by_window = _seen_by(game, who, moments), play.by_window(cards.kinds)
    windows: set[Window] = {moment.window for moment in moments}
    kinds: list[CardKind] = []
    for window in windows:
        kinds += by_window[window]
    for kind in _possible_kinds(cards, who, kinds):
        if any(play.can_play_on(kind, who, moment, uses, game.setting) for moment in seen):
            return True
    return False


def _holders(game: Game) -> Iterator[tuple[str, Cards]]:
    """Yield the characters who may play cards now, as far as everyone knows, with the deck."""
    if not may_hold_cards(game):
        return
    cards = current_cards(game)
    if deal.is_confused(cards):
        return
    for who in cards.deal.holders:
        if _is_present(game, who):
            yield who, cards


def may_train(game: Game, who: str) -> bool:
    """Return whether everyone knows that a card or Luck may make up for a character's training."""
    if any(_OPENS in use for use in remaining_luck(game, who)):
        return True
    if not may_hold_cards(game):
        return False
    cards = current_cards(game)
    if deal.is_confused(cards) or cards.deal.seat(who) is None:
        return False
    kinds = _possible_kinds(cards, who, cards.kinds.values())
    return any(kind.treat_as_trained for kind in kinds)


def is_training_waived(effects: Sequence[CardEffect], who: str, what: str) -> bool:
    """Return whether a card makes up for a character's missing training in a roll."""
    return any(effect.again and (effect.whose, effect.what) == (who, what) for effect in effects)


def is_training_card(game: Game, option: str) -> bool:
    """Return whether an option is a card that makes up for missing training."""
    if ":" not in option:
        return False
    kind = current_cards(game).kinds.get(option.split(":")[1])
    return kind is not None and kind.treat_as_trained


def _playable(cards: Cards, who: str) -> Iterator[tuple[str, CardKind, str]]:
    """Yield one card of each kind that a character holds, with the name of what a Wild card is.

    A Wild card comes once for each kind that it may be.
    """
    seen = set[str]()
    for card in cards.held_cards(who):
        kind = cards.kind(card)
        if kind.key in seen:
            continue
        seen.add(kind.key)
        if kind.op != "any_card":
            yield card, kind, ""
            continue
        for other in cards.kinds.values():
            if other.type == "enhancement":
                yield card, other, other.key


def offers(
    game: Game, check: Check[Any], who: str, moments: Moments, uses: Collection[Use]
) -> tuple[CheckOption, ...]:
    """Return the cards and the Luck that a character may use on these moments."""
    seen = _seen_by(game, who, moments)
    options: list[CheckOption] = []
    cards = dict(_holders(game)).get(who)
    if cards is not None and who in possible_players(game, check, moments, uses):
        for card, kind, as_name in _playable(cards, who):
            require_playable = partial(play.require_playable, cards, who, card, as_name=as_name)
            for at, moment, use in play.openings(kind, seen, uses, require_playable):
                value = option_value(kind.key, at, use, as_name)
                options.append(_option(game, who, value, kind, moment))
    for key, at, moment, use in luck_openings(game, who, moments, uses):
        value = option_value(key, at, use, by=LUCK)
        options.append(_option(game, who, value, KINDS[key], moment))
    return tuple(options)


def _option(game: Game, who: str, value: str, kind: CardKind, moment: Moment) -> CheckOption:
    by, _, _, use, as_name = value.split(":")
    whose: Any = None
    if moment.whose != who and kind.amount:
        whose = known_name(game.state, game.actor, game.character(moment.whose))
    about = {
        "card": kind.name,
        "wild": bool(as_name),
        "luck": by == LUCK,
        "on": None if kind.op == _EVERYTHING else moment.number,
        "who": whose,
        "use": use,
        "op": kind.op,
        "amount": kind.amount,
    }
    # Lowering damage always helps its victim. Other cards help a player whose check goes wrong.
    helps = "always" if use == "packages" else "losing"
    return CheckOption(value, Text("mb-card-play", about), helps=helps)


def between(game: Game, who: str) -> Moment:
    """Return the moment of a character between actions."""
    return Moment(actor=who, whose=who, awake=not game.sheet(who).harm.out)


def in_progress(game: Game, place: str) -> bool:
    """Return whether dice of a round are open at a place.

    No card is played between actions then (MB-CARD-13).
    """
    for check in game.state.checks.values():
        if not check.is_open or check.place != place or not check.actor or check.round is None:
            continue
        if game.system.procedures[check.kind].dice_have_fallen(check.data):
            return True
    return False


def is_card(choice: Choice) -> bool:
    """Return whether a choice is a card or Luck."""
    return choice.option.partition(":")[0] in (CARD, LUCK)


def play_chosen_card(
    game: Game, check: Check[Any], choice: Choice, moments: Moments, *, early: bool = False
) -> tuple[Game, CardEffect]:
    """Play the chosen card, *early* before any dice. Return the game and the card's effect.

    Raises as `play.play`.
    """
    by, key, at, use, as_name = choice.option.split(":")
    who = choice.who
    moment = _seen_by(game, who, moments)[int(at)]
    how: Any = use
    if by == LUCK:
        effect = effect_of(game, who, key, moment, how)
        game = spend_luck(game, who, key)
    else:
        cards = require_cards(game)
        card = _held_card(cards, who, key, as_name)
        cards, effect = play.play(cards, who, card, moment, game.rng, as_name=as_name, use=how)
        game = with_cards(game, cards)
    if early or in_rounds(game, effect.whose):
        # The card lasts longer than the dice on which it was played.
        game = with_lasting_card(game, effect, "" if early else check.id)
    return game, effect


def _held_card(cards: Cards, who: str, key: str, as_name: str) -> str:
    """Return the card of that kind that a character holds."""
    return next(
        card for card, kind, name in _playable(cards, who) if (kind.key, name) == (key, as_name)
    )


def in_rounds(game: Game, who: str) -> bool:
    """Return whether rounds are counted for a character, by cards or dice."""
    return current_cards(game).deal.round is not None or round_of(game, who) is not None


def with_lasting_card(game: Game, effect: CardEffect, by: str = "") -> Game:
    """Return the game with the effect of a card that lasts for the round (MB-CARD-E01).

    Outside rounds the effect lasts for the next action.
    """
    if not effect.lasts:
        return game
    until = "round" if in_rounds(game, effect.whose) else "used"
    what = effect.card or f"{LUCK} {len(marks_of(game.state, effect.whose, ACTION))}"
    mark = Mark(ACTION, what, effect.amount, until, by=by)
    return game.with_state(with_marks(game.state, effect.whose, mark))


def waiting_effects(game: Game, throws: Sequence[dice.Throw]) -> tuple[CardEffect, ...]:
    """Return the effects of cards that waited for the action of these dice.

    They count for all numbers of the action.
    """
    effects: list[CardEffect] = []
    for who in dict.fromkeys(throw.who for throw in throws):
        for mark in marks_of(game.state, who, ACTION):
            if mark.until == "used":
                effects.append(
                    CardEffect(
                        "action",
                        ACTION_NAME,
                        mark.what,
                        who,
                        _EVERYTHING,
                        who,
                        amount=mark.value,
                        lasts=True,
                    )
                )
    return tuple(effects)


def card_played_text(effect: CardEffect) -> Text:
    """Return the log's line about a card that was played."""
    return Text("mb-card-plays", {"card": effect.name})


def with_card_on_throws(game: Game, check: Check[Any], data: Any, effect: CardEffect) -> Any:
    """Return the data with a card on the open dice (MB-CARD-E01, MB-CARD-E03)."""
    throws = _with_cards_on(game, check, data.throws, [effect])
    return data.replace(throws=throws, effects=(*data.effects, effect))


def with_earlier_cards(game: Game, check: Check[Any], data: Any) -> Any:
    """Return the data with the cards on new dice that were played before them."""
    return data.replace(throws=_with_cards_on(game, check, data.throws, data.effects))


def _with_cards_on(
    game: Game, check: Check[Any], throws: Sequence[dice.Throw], effects: Iterable[CardEffect]
) -> tuple[dice.Throw, ...]:
    """Return throws with what cards add to them, in the order of the cards."""
    for effect in effects:
        throws = [_with_card_on(game, check, throw, effect) for throw in throws]
    return tuple(throws)


def _with_card_on(
    game: Game, check: Check[Any], throw: dice.Throw, effect: CardEffect
) -> dice.Throw:
    """Return a throw with what a card adds to it."""
    is_on_total = effect.op == "modify_total" and effect.number == "total"
    counts = effect.lasts or (is_on_total and throw.what == effect.what)
    if throw.who != effect.whose or not counts:
        return throw
    roll = throw.roll
    if effect.again:
        roll = dice.roll_tens_again(roll, game.rng_for(check, throw.who))
    return throw.replace(roll=roll, modifiers=(*throw.modifiers, (effect.name, effect.amount)))


def reset_for_rethrow(data: Any, effect: CardEffect) -> Any:
    """Return the data for dice that are rolled once more by this card (MB-CARD-E15).

    Lasting effects stay; points on the dice are gone.
    """
    effects = tuple(other for other in data.effects if other.lasts or other is effect)
    return data.replace(points=(), effects=effects, rolls_again=True)


def with_lasting_cards(
    game: Game, check: Check[Any], throws: Sequence[dice.Throw]
) -> tuple[dice.Throw, ...]:
    """Return dice that are rolled once more, with the cards that still count (MB-CARD-E15).

    The rating already has the effects that had waited for the action.
    """
    lasting = [effect for effect in check.data.effects if effect.lasts and effect.number]
    return _with_cards_on(game, check, throws, lasting)


def point_of(effect: CardEffect) -> Point:
    """Return the point of a card that counts as one (MB-CARD-E09)."""
    return Point(effect.whose, effect.what, card=effect.name, sure=not effect.card)


def lasting_card_bonus(game: Game, who: str, check: Check[Any]) -> int:
    """Return what a character's Action cards of this round add to a number.

    Those on the check's own dice count there.
    """
    bonus = 0
    for mark in marks_of(game.state, who, ACTION):
        if mark.until == "round" and mark.by != check.id:
            bonus += mark.value
    return bonus


def notes(effects: Sequence[CardEffect]) -> list[Block]:
    """Return notes on who played which card. Points on dice are told with their throw."""
    return [
        for_all(
            "mb-card-played",
            who=Ref(effect.who),
            card=effect.name,
            luck=not effect.card,
            on=effect.number if effect.amount and not effect.lasts else None,
            number=effect.amount or None,
            whose=Ref(effect.whose) if effect.amount and effect.whose != effect.who else None,
        )
        for effect in effects
        if effect.use not in ("again", "cancel")
    ]
