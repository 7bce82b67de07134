"""Cards and Luck on what people do: who is asked in which window, what they may play, and what that
does (MB-CARD-13).

Whether somebody is asked follows from what everybody knows: who holds cards, what lies in a pool,
what kinds of cards there are. What lies in a hand decides only what is offered to its owner.
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

#: The mark of a use, until the adventure is over: `what` is the kind of card, and how many there
#: were before.
CARD, LUCK = "card", "luck"


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
    """What somebody has used it for in this adventure."""
    return tuple([each.what.partition(" ")[0] for each in marks_of(game.state, who, LUCK)])


def remaining_luck(game: Game, who: str) -> tuple[tuple[str, ...], ...]:
    """Return the uses that are left of a character's Luck, each with what it may be."""
    return luck_left(game, who, game.sheet(who))


def luck_left(game: Game, who: str, sheet: MasterbookSheet) -> tuple[tuple[str, ...], ...]:
    """Return the uses that are left of the Luck on a sheet, each with what it may be.

    The sheet may be a draft of a character that isn't at the table yet.
    """
    has = advantages(sheet)
    try:
        return play.remaining_luck(has, spent_luck(game, who)) if has else ()
    except Impossible:  # the sheet had more of it
        return ()


def effect_of(game: Game, who: str, key: str, moment: Moment, use: Use = "") -> CardEffect:
    """What Luck would do. Raises as `play.luck_card_effect`."""
    has, done, setting = advantages(game.sheet(who)), spent_luck(game, who), game.setting
    rounds = current_cards(game).deal.round is not None or bool(game.state.encounters)
    return play.luck_card_effect(
        has, done, who, key, moment, rounds=rounds, use=use, setting=setting
    )


def rescue_by_luck(game: Game, who: str) -> Game:
    """The game once a GM has burned somebody's Luck to avert a disaster (MB-BG-27).

    Impossible("mb-card-off") where the table does not play so, ("mb-luck-none") where nothing is
    left for it.
    """
    refuse(off=not game.setting("luck3_gm_rescue"))
    if not any(play.RESCUE in use for use in remaining_luck(game, who)):
        raise Impossible("mb-luck-none", who=game.display_name(who))
    return spend_luck(game, who, play.RESCUE)


def luck_openings(
    game: Game, who: str, moments: Sequence[Moment], uses: Collection[Use]
) -> Iterator[tuple[str, int, Moment, Use]]:
    """What somebody's Luck may do now, on which of these, in one of these ways."""
    kinds = dict.fromkeys([each for use in remaining_luck(game, who) for each in use])
    mine = _seen_by(game, who, moments) if kinds else ()
    for key in [each for each in kinds if each in KINDS and KINDS[each].windows]:
        for found in play.openings(KINDS[key], mine, uses, partial(effect_of, game, who, key)):
            yield key, *found


def spend_luck(game: Game, who: str, key: str) -> Game:
    """The game once somebody has used their Luck for it."""
    mark = Mark(LUCK, f"{key} {len(spent_luck(game, who))}", until="adventure")
    return game.with_state(with_marks(game.state, who, mark))


def open_points(game: Game, character: AnyCharacter) -> tuple[Text, ...]:
    """Return what all players see: Life Points, the number of cards in hand, and Luck left."""
    found = [Text("mb-open-points", {"left": character.sheet.life_points})]
    if may_hold_cards(game):
        held = len(current_cards(game).at(HAND, character.id))
        found.append(Text("mb-open-cards", {"count": held}))
    if remaining_luck(game, character.id):
        found.append(Text("mb-open-luck"))
    return tuple(found)


# --- cards ----------------------------------------------------------------------------------------

Moments = Sequence[Moment]

#: How cards are used: on what they say; as points on one's own dice besides.
PLAIN: Final[tuple[Use, ...]] = ("",)
OPEN: Final[tuple[Use, ...]] = ("", "again")
#: Goes on every number, so it is offered once.
_EVERYTHING: Final[Op] = "modify_all_totals"
#: The kind of card by which somebody without training does what takes some (MB-CARD-E03).
_OPENS: Final = "breakthrough"


def option_value(kind: str, at: int = 0, use: str = "", as_name: str = "", by: str = CARD) -> str:
    """How an option is written: a kind of card, on which of the numbers, how a point is meant."""
    return f"{by}:{kind}:{at}:{use}:{as_name}"


def may_hold_cards(game: Game) -> bool:
    """Whether somebody may hold cards here."""
    return has_deck(game) and mode(game).hands


def _seen_by(game: Game, who: str, moments: Moments) -> list[Moment]:
    """What goes on as it is for somebody."""
    awake = not game.sheet(who).harm.out
    return [
        each.replace(awake=awake, aware=each.aware and who not in each.blind) for each in moments
    ]


def _here(game: Game, who: str) -> bool:
    character = game.state.characters.get(who)
    return character is not None and character.owner is not None and character.in_play


def _known(cards: Cards, who: str, among: Iterable[CardKind]) -> Iterator[CardKind]:
    """What somebody might play, as far as everybody knows: of a hand, every kind that may be played
    from it.
    """
    pool = [cards.kind(each) for each in cards.at(POOL, who)]
    yield from pool
    wild = any(each.op == "any_card" for each in pool)
    hand = bool(cards.at(HAND, who))
    for each in among:
        if (hand and HAND in play.playable_places(cards, who, each)) or (
            wild and each.type == "enhancement"
        ):
            yield each


def possible_players(
    game: Game, check: Check[Any], moments: Moments, uses: Collection[Use]
) -> tuple[str, ...]:
    """Who might play a card on this in one of these ways, as everybody can see.

    Whose Luck may undo or begin anew what is over, the table knows of (MB-CARD-L01).
    """
    if not moments or check.gm_only:
        return ()
    if check.visibility == "blind" and any(each.window != "pre_roll" for each in moments):
        return ()  # nobody has seen the dice
    taking = dict.fromkeys(
        [who for each in moments for who in (each.actor, each.whose, *each.against)]
    )
    found = list[str]()
    for who, cards in _holding(game):
        if check.visibility != "public" and who not in taking:
            continue
        mine, open_ = _seen_by(game, who, moments), play.by_window(cards.kinds)
        windows: set[Window] = {each.window for each in moments}
        kinds = _known(cards, who, [each for window in windows for each in open_[window]])
        if any(
            play.can_play_on(kind, who, each, uses, game.setting) for kind in kinds for each in mine
        ):
            found.append(who)
    over = [each for each in moments if each.window == "after_resolution"]
    others = [each for each in taking if over and each not in found and _here(game, each)]
    lucky = [each for each in others if remaining_luck(game, each)]
    return (*found, *[each for each in lucky if any(luck_openings(game, each, over, uses))])


def _holding(game: Game) -> Iterator[tuple[str, Cards]]:
    """Those who may play cards now, as far as everybody knows, with the deck as it lies."""
    if may_hold_cards(game) and not deal.is_confused(cards := current_cards(game)):
        yield from [(each, cards) for each in cards.deal.holders if _here(game, each)]


def may_train(game: Game, who: str) -> bool:
    """Whether somebody may have a card for what takes training, as everybody knows, or the luck for
    it.
    """
    if any(_OPENS in use for use in remaining_luck(game, who)):
        return True
    if (
        not may_hold_cards(game)
        or deal.is_confused(cards := current_cards(game))
        or cards.deal.seat(who) is None
    ):
        return False
    return any(each.treat_as_trained for each in _known(cards, who, cards.kinds.values()))


def is_training_waived(effects: Sequence[CardEffect], who: str, what: str) -> bool:
    """Whether a card makes up for somebody's training in a roll."""
    return any(each.again and (each.whose, each.what) == (who, what) for each in effects)


def is_training_card(game: Game, option: str) -> bool:
    """Whether what is offered makes up for training."""
    kind = current_cards(game).kinds.get(option.split(":")[1]) if ":" in option else None
    return kind is not None and kind.treat_as_trained


def _ways(cards: Cards, who: str) -> Iterator[tuple[str, CardKind, str]]:
    """The cards that somebody holds, one of each kind; a Wild card once for each kind that it may
    be.
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
        for each in cards.kinds.values():
            if each.type == "enhancement":
                yield card, each, each.key


def offers(
    game: Game, check: Check[Any], who: str, moments: Moments, uses: Collection[Use]
) -> tuple[CheckOption, ...]:
    """What somebody may play on this now, and their Luck, in one of these ways."""
    mine, found = _seen_by(game, who, moments), list[CheckOption]()
    cards = dict(_holding(game)).get(who)
    if cards is not None and who in possible_players(game, check, moments, uses):
        for card, kind, as_name in _ways(cards, who):
            for at, moment, use in play.openings(
                kind, mine, uses, partial(play.require_playable, cards, who, card, as_name=as_name)
            ):
                found.append(
                    _option(game, who, option_value(kind.key, at, use, as_name), kind, moment)
                )
    for key, at, moment, use in luck_openings(game, who, moments, uses):
        found.append(_option(game, who, option_value(key, at, use, by=LUCK), KINDS[key], moment))
    return tuple(found)


def _option(game: Game, who: str, value: str, kind: CardKind, moment: Moment) -> CheckOption:
    by, _, _, use, as_name = value.split(":")
    other = moment.whose != who and kind.amount
    about = {
        "card": kind.name,
        "wild": bool(as_name),
        "luck": by == LUCK,
        "on": None if kind.op == _EVERYTHING else moment.number,
        "who": known_name(game.state, game.actor, game.character(moment.whose)) if other else None,
        "use": use,
        "op": kind.op,
        "amount": kind.amount,
    }
    # Lowering damage always helps its victim. Other cards help a player whose check goes wrong.
    helps = "always" if use == "packages" else "losing"
    return CheckOption(value, Text("mb-card-play", about), helps=helps)


def between(game: Game, who: str) -> Moment:
    """No action is in progress."""
    return Moment(actor=who, whose=who, awake=not game.sheet(who).harm.out)


def in_progress(game: Game, place: str) -> bool:
    """Whether somebody's dice lie open in a round of a place: no card is played between actions
    then (MB-CARD-13).
    """
    there = [
        each
        for each in game.state.checks.values()
        if each.is_open and each.place == place and each.actor
    ]
    counted = [each for each in there if each.round is not None]
    return any(game.system.procedures[each.kind].fallen(each.data) for each in counted)


def is_card(choice: Choice) -> bool:
    """Whether somebody has chosen a card."""
    return choice.option.partition(":")[0] in (CARD, LUCK)


def play_chosen_card(
    game: Game, check: Check[Any], choice: Choice, moments: Moments, *, early: bool = False
) -> tuple[Game, CardEffect]:
    """The game once the chosen card has been played, and what it does; `early`, before any dice.

    Impossible as `play.play`.
    """
    by, key, at, use, as_name = choice.option.split(":")
    moment = _seen_by(game, choice.who, moments)[int(at)]
    how: Any = use
    if by == LUCK:
        effect = effect_of(game, choice.who, key, moment, how)
        game = spend_luck(game, choice.who, key)
    else:
        cards, who = require_cards(game), choice.who
        card = next(
            each for each, kind, name in _ways(cards, who) if (kind.key, name) == (key, as_name)
        )
        cards, effect = play.play(cards, who, card, moment, game.rng, as_name=as_name, use=how)
        game = with_cards(game, cards)
    # What lasts longer than the dice on which it was played.
    stays = early or in_rounds(game, effect.whose)
    return (with_lasting_card(game, effect, "" if early else check.id) if stays else game), effect


def in_rounds(game: Game, who: str) -> bool:
    """Whether rounds are counted for somebody, by cards or dice."""
    return current_cards(game).deal.round is not None or round_of(game, who) is not None


def with_lasting_card(game: Game, effect: CardEffect, by: str = "") -> Game:
    """The game with what a card leaves for the round, out of rounds for the next action
    (MB-CARD-E01).
    """
    if not effect.lasts:
        return game
    until = "round" if in_rounds(game, effect.whose) else "used"
    what = effect.card or f"{LUCK} {len(marks_of(game.state, effect.whose, ACTION))}"
    mark = Mark(ACTION, what, effect.amount, until, by=by)
    return game.with_state(with_marks(game.state, effect.whose, mark))


def waiting_effects(game: Game, throws: Sequence[dice.Throw]) -> tuple[CardEffect, ...]:
    """What waited for the action that these dice are: it counts for all numbers of it."""
    who = dict.fromkeys([each.who for each in throws])
    return tuple(
        CardEffect(
            "action", ACTION_NAME, mark.what, each, _EVERYTHING, each, amount=mark.value, lasts=True
        )
        for each in who
        for mark in marks_of(game.state, each, ACTION)
        if mark.until == "used"
    )


def card_played_text(effect: CardEffect) -> Text:
    """A card that was played, for the log."""
    return Text("mb-card-plays", {"card": effect.name})


def with_card_on_throws(game: Game, check: Check[Any], data: Any, effect: CardEffect) -> Any:
    """The data with a card on the dice that lie open (MB-CARD-E01, MB-CARD-E03)."""
    return data.replace(
        throws=_raised(game, check, data.throws, [effect]), effects=(*data.effects, effect)
    )


def with_earlier_cards(game: Game, check: Check[Any], data: Any) -> Any:
    """The data, as dice have fallen, with the cards on them that were played before."""
    return data.replace(throws=_raised(game, check, data.throws, data.effects))


def _raised(
    game: Game, check: Check[Any], throws: Sequence[dice.Throw], effects: Iterable[CardEffect]
) -> tuple[dice.Throw, ...]:
    """Throws with what cards add to them, one after the other."""
    for effect in effects:
        throws = [_with(game, check, each, effect) for each in throws]
    return tuple(throws)


def _with(game: Game, check: Check[Any], throw: dice.Throw, effect: CardEffect) -> dice.Throw:
    """A throw with what a card adds to it."""
    meant = effect.lasts or (
        effect.op == "modify_total" and effect.number == "total" and throw.what == effect.what
    )
    if throw.who != effect.whose or not meant:
        return throw
    roll = (
        dice.roll_tens_again(throw.roll, game.rng_for(check, throw.who))
        if effect.again
        else throw.roll
    )
    return throw.replace(roll=roll, modifiers=(*throw.modifiers, (effect.name, effect.amount)))


def reset_for_rethrow(data: Any, effect: CardEffect) -> Any:
    """The data as dice are thrown once more by this card: what lasts stays, points on them are gone
    (MB-CARD-E15).
    """
    kept = tuple([each for each in data.effects if each.lasts or each is effect])
    return data.replace(points=(), effects=kept, anew=True)


def with_lasting_cards(
    game: Game, check: Check[Any], throws: Sequence[dice.Throw]
) -> tuple[dice.Throw, ...]:
    """Dice that are thrown once more, with the cards that still count (MB-CARD-E15).

    What had waited for the action is in what is rolled with.
    """
    lasts_ = [each for each in check.data.effects if each.lasts and each.number]
    return _raised(game, check, throws, lasts_)


def point_of(effect: CardEffect) -> Point:
    """A card that counts as a point on a throw (MB-CARD-E09)."""
    return Point(effect.whose, effect.what, card=effect.name, sure=not effect.card)


def lasting_card_bonus(game: Game, who: str, check: Check[Any]) -> int:
    """What Action cards of this round add to a number of somebody's, those on this check's own dice
    apart.
    """
    marks = [each for each in marks_of(game.state, who, ACTION) if each.until == "round"]
    return sum([each.value for each in marks if each.by != check.id])


def notes(effects: Sequence[CardEffect]) -> list[Block]:
    """Who has played what; points on dice are told with their throw."""
    return [
        for_all(
            "mb-card-played",
            who=Ref(each.who),
            card=each.name,
            luck=not each.card,
            on=each.number if each.amount and not each.lasts else None,
            number=each.amount or None,
            whose=Ref(each.whose) if each.amount and each.whose != each.who else None,
        )
        for each in effects
        if each.use not in ("again", "cancel")
    ]
