"""Playing of cards: when and from where a card may be played, on what, and its effect.

MB-CARD-08, MB-CARD-10, MB-CARD-13, MB-CARD-E01 to MB-CARD-E18, MB-CARD-P04, MB-CARD-P05,
MB-CARD-L01. A card is a row with windows and an operation; `play` plays all of them. The effect of
a card on a roll is a `CardEffect`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, get_args

from rules.core.errors import Impossible
from rules.core.memo import memo_by_identity
from rules.core.record import Record
from rules.core.rng import Streams
from rules.systems.masterbook.deck import deal, subplots
from rules.systems.masterbook.deck.card_definitions import (
    KINDS,
    MODES,
    CardKind,
    Op,
    Setting,
    Window,
    default_setting,
)
from rules.systems.masterbook.deck.deal import Gifts, refusal, refuse, spend_card
from rules.systems.masterbook.deck.deck_state import (
    DISCARD_PILE,
    FACE,
    HAND,
    POOL,
    ROUND,
    Cards,
    character_place,
)
from rules.systems.masterbook.deck.subplots import MAX_SUBPLOTS
from rules.systems.masterbook.formulas.reference_rows import Causes

#: Numbers that a card may go on: the total of a roll, a value without a roll, Toughness, and
#: effects of an action: a damage value, one that goes by Strength, and result points.
Named = Literal["", "total", "value", "toughness", "damage", "strength_damage", "result"]
#: Uses of a Life Point.
Use = Literal["", "again", "cancel", "packages", "step", "skill_points"]
#: Stages of a check: before a success is read, and before a known effect is applied.
IMPACT, AFTER = "impact", "after"
EFFECTS: Final = ("damage", "strength_damage", "result")
#: Uses of a Life Point in each window (MB-CARD-13).
USES: Final[Mapping[Window, tuple[Use, ...]]] = {
    "roll_pending": ("again", "cancel"),
    "after_resolution": ("packages", "step"),
    "any_between_actions": ("skill_points",),
}
_SKILL_POINTS: Final = "skill_points"


class Moment(Record):
    """The situation in which a card may be played."""

    window: Window = "any_between_actions"
    #: The character who acts.
    actor: str = ""
    #: The character whose number the card would go on.
    whose: str = ""
    #: The kind of that number.
    number: Named = ""
    #: Name of the roll that the number belongs to, such as `attack`.
    what: str = ""
    #: Attribute that is rolled.
    attribute: str = ""
    #: Adds of the skill.
    adds: int = 0
    #: Whether it is a skill; an Attribute by itself is none.
    skill: bool = True
    #: Characters at whom the action is aimed.
    against: tuple[str, ...] = ()
    #: Whether another player's character is among them.
    players: bool = False
    #: Whether the action needs no roll.
    simple: bool = False
    succeeded: bool = True
    #: Whether the character who plays knows of it, as things were before its effect.
    aware: bool = True
    #: Characters who do not know of it.
    blind: tuple[str, ...] = ()
    #: Whether the character who plays is awake, as things were before its effect.
    awake: bool = True


class CardEffect(Record):
    """Effect of a played card."""

    key: str
    name: str
    card: str
    who: str
    op: Op = ""
    #: The character on whose number the card goes.
    whose: str = ""
    number: Named = ""
    what: str = ""
    #: What it adds to that number.
    amount: int = 0
    #: What it also adds to the effect of the action.
    also: int = 0
    #: Whether 10s roll again.
    again: bool = False
    #: Use of a Life Point.
    use: Use = ""
    #: Extra actions.
    actions: int = 0
    skill_points: int = 0
    #: Whether it lasts until the end of the round.
    lasts: bool = False
    #: Whether the GM has to say what it does.
    asks: bool = False


# --- conditions -----------------------------------------------------------------------------------


def playable_places(cards: Cards, who: str, kind: CardKind) -> tuple[str, ...]:
    """Return the places from which a card of this kind may be played (MB-CARD-08, MB-CARD-10).

    In rounds that is the pool, else the hand. Some cards, and any in a critical moment, may be
    played from both.
    """
    free = kind.in_rounds_from == "hand_or_pool" or cards.seat(who).moment_declared
    if cards.place == POOL and free:
        return (POOL, HAND)
    return (cards.place,)


def resolve_use(kind: CardKind, moment: Moment, use: Use) -> Use:
    """Return the use of a Life Point: *use* if given, else the first one of the window."""
    if kind.op != "life_point":
        return ""
    return use or USES.get(moment.window, ("",))[0]


def _opens(kind: CardKind, window: Window) -> bool:
    """Return whether cards of this kind are ever played in a window."""
    if window in kind.windows:
        return True
    return kind.op == "life_point" and "life_point_windows" in kind.windows


# Every window of every roll asks which cards may be played, always of the deck in use.
@memo_by_identity
def by_window(kinds: Mapping[str, CardKind]) -> Mapping[Window, tuple[CardKind, ...]]:
    """Return the kinds of cards that are ever played in each window."""
    by_name: dict[Window, tuple[CardKind, ...]] = {}
    for window in get_args(Window):
        by_name[window] = tuple(kind for kind in kinds.values() if _opens(kind, window))
    return by_name


def require_use(kind: CardKind, who: str, moment: Moment, use: Use, setting: Setting) -> None:
    """Raise unless this use of a card of this kind fits the moment (MB-CARD-13).

    Raises the first of Impossible("mb-card-wrong-window"), ("mb-card-precondition"),
    ("mb-card-has-adds").
    """
    window = moment.window
    # Whether the point is worth skill points at all is checked later.
    fits = _opens(kind, window) and (kind.op != "life_point" or use in USES.get(window, ()))
    if fits and window == "effect_pending" and kind.late:
        fits = moment.number in kind.late or ("effect" in kind.late and moment.number in EFFECTS)
    refuse(wrong_window=not fits)
    _require_fit(kind, who, moment, use, setting)


def _in_scope(kind: CardKind, moment: Moment) -> bool:
    """Return whether cards of this kind go on the number of the moment."""
    scope = {*kind.scope}
    if moment.number == "toughness":
        return bool({"toughness", "any"} & scope)
    if moment.number in EFFECTS:
        by_strength = moment.number == "strength_damage" and "strength" in scope
        return "any" in scope or by_strength
    return bool({moment.attribute, "any", "any_skill_without_adds"} & scope)


def _has_allowed_target(kind: CardKind, who: str, moment: Moment) -> bool:
    """Return whether the number belongs to a character whom the card may serve (OP-45).

    That is its holder or, if the card says so, another character.
    """
    if kind.target == "any_character":
        return True
    return (moment.whose == who) == (kind.target == "self")


def _require_fit(kind: CardKind, who: str, moment: Moment, use: Use, setting: Setting) -> None:
    """Raise unless the card's own conditions are met.

    Raises Impossible("mb-card-precondition"), or ("mb-card-has-adds").
    """
    fits = moment.aware
    match kind.op:
        case "modify_total":
            fits = fits and _has_allowed_target(kind, who, moment) and _in_scope(kind, moment)
            fits = fits and (moment.players or not kind.betrays)
            fits = fits and (moment.number in ("", "total") or not kind.rolled)
            if "any_skill_without_adds" in kind.scope:
                fits = fits and moment.skill
                refuse(has_adds=fits and moment.adds)
        case "modify_all_totals":
            fits = fits and _has_allowed_target(kind, who, moment)
        case "modify_effect_value":
            may_rescue = moment.succeeded or setting("effect_card_can_rescue")
            fits = fits and moment.whose == who and moment.number in EFFECTS and may_rescue
        case "life_point":
            fits_use = {
                "again": moment.whose == who and moment.number == "total",
                "cancel": moment.whose != who,
                "packages": who in moment.against,
                "step": who in moment.against,
                _SKILL_POINTS: kind.skill_points > 0,
            }
            fits = fits and fits_use.get(use, False)
        case "cancel_action":
            fits = fits and moment.actor != who and who in moment.against and not moment.simple
        case "retry_action":
            fits = fits and moment.actor == who
        case _:
            pass
    refuse(precondition=not fits and "unfit")


def openings(
    kind: CardKind,
    moments: Sequence[Moment],
    uses: Collection[Use],
    require: Callable[[Moment, Use], object],
) -> Iterator[tuple[int, Moment, Use]]:
    """Yield the moments, with index and use, for which *require* does not refuse the card.

    Only a Life Point has uses; any other card has the empty one.
    """
    for at, moment in enumerate(moments):
        possible: tuple[Use, ...] = ("",)
        if kind.op == "life_point":
            possible = USES.get(moment.window, ())
        for use in possible:
            if use not in uses:
                continue
            try:
                require(moment, use)
            except Impossible:
                continue
            yield at, moment, use
            if kind.op == "modify_all_totals":
                return  # The card goes on every number.


def can_play_on(
    kind: CardKind,
    who: str,
    moment: Moment,
    uses: Collection[Use],
    setting: Setting = default_setting,
) -> bool:
    """Return whether a holder of such a card could play it on the moment in one of these uses."""

    def require(situation: Moment, use: Use) -> None:
        require_use(kind, who, situation, use, setting)

    return moment.awake and any(openings(kind, (moment,), uses, require))


def may_play_combat_cards(cards: Cards) -> bool:
    """Return whether rounds are on in which Haste and Seize Initiative may be played (OP-15)."""
    flip = cards.deal.round
    if flip is None:
        return False
    return flip.kind == "combat" or cards.setting("combat_only_cards_in") == "any_rounds"


def require_playable(
    cards: Cards, who: str, card: str, moment: Moment, use: Use = "", *, as_name: str = ""
) -> CardKind:
    """Return the kind as which a character may play a card now (MB-CARD-P05).

    A Wild card may be any kind but a picture.

    Raises:
        Impossible: The first of mb-card-off, -not-in-rounds, -unconscious, -confused,
            -not-in-hand, -not-in-pool, -picture-not-allowed, -wrong-window, -precondition,
            -has-adds, -discard-empty (MB-CARD-18, OP-46).
    """
    refuse(off=not MODES[cards.setting("cards_mode")].hands)
    held = cards.kind(card)
    wild = held.op == "any_card"
    kind = cards.kinds.get(as_name, held) if wild else held
    refuse(not_in_rounds=not kind.outside_rounds and not may_play_combat_cards(cards))
    refuse(unconscious=not moment.awake, confused=deal.is_confused(cards))
    allowed = playable_places(cards, who, kind)
    if not any(card in cards.at(place, who) for place in allowed):
        raise refusal("not_in_pool" if POOL in allowed and HAND not in allowed else "not_in_hand")
    unknown = wild and (as_name not in cards.kinds or kind.type == "blank")
    refuse(precondition=unknown and "wild", picture_not_allowed=wild and kind.type == "picture")
    if wild and kind.type == "subplot" and kind.op != "campaign":
        full = len(subplots.subplots_in_effect(cards, who)) >= MAX_SUBPLOTS
        refuse(wrong_window=moment.window != "any_between_actions", precondition=full)
        return kind
    require_use(kind, who, moment, resolve_use(kind, moment, use), cards.setting)
    if kind.op == "take_discard_top":
        deal.claimable_card(cards, who)
    return kind


# --- effects --------------------------------------------------------------------------------------


def effect_of(
    kind: CardKind, who: str, moment: Moment, use: Use = "", card: str = ""
) -> CardEffect:
    """Return the effect of a card of this kind, held or by Luck."""
    use = resolve_use(kind, moment, use)
    return CardEffect(
        kind.key,
        kind.name,
        card,
        who,
        kind.op,
        moment.whose or who,
        moment.number,
        moment.what,
        amount=kind.amount,
        also=kind.also_effect_value,
        again=kind.treat_as_trained,
        use=use,
        actions=kind.count if kind.op == "extra_action" else 0,
        skill_points=kind.skill_points if use == _SKILL_POINTS else 0,
        lasts=kind.op == "modify_all_totals",
        asks=kind.op in ("gm_hint", "gm_text"),
    )


def lay(cards: Cards, who: str, card: str, kind: CardKind) -> Cards:
    """Return the cards with a Wild card face up as a subplot; the GM agreed (MB-CARD-P05)."""
    source = deal.place_of(cards, who, card, (POOL, HAND))
    cards = cards.with_cards_moved(source, character_place(FACE, who), card)
    cards = deal.without_card_notes(cards, who, card)
    return cards.with_seat_changes(who, as_names=(*cards.seat(who).as_names, (card, kind.key)))


def play(
    cards: Cards,
    who: str,
    card: str,
    moment: Moment,
    rng: Streams,
    *,
    as_name: str = "",
    use: Use = "",
    gifts: Gifts = (),
    draws: bool = True,
) -> tuple[Cards, CardEffect]:
    """Return the cards after a character played one, and its effect.

    *gifts* and *draws* are what Leadership gives. Raises as `require_playable`, and for Leadership
    as `deal.leadership`.
    """
    kind = require_playable(cards, who, card, moment, as_name=as_name, use=use)
    effect = effect_of(kind, who, moment, use, card)
    cards = cards.with_change("played", who, (card,))
    if kind.type == "subplot" and kind.op != "campaign":
        return lay(cards, who, card, kind), effect
    match kind.op:
        case "take_discard_top":
            cards = deal.claim(cards, who, card, rng)
        case "give_and_draw":
            cards = deal.leadership(cards, who, card, gifts, draws, rng)
        case "all_draw":
            cards = deal.rally(cards, who, card, rng)
        case _:
            waits = effect.lasts and cards.deal.round is not None
            cards = spend_card(cards, who, card, ROUND if waits else DISCARD_PILE)
            cards = cards.with_seat_changes(
                who, extra_actions=cards.seat(who).extra_actions + effect.actions
            )
    return cards, effect


def _adds(effect: CardEffect, number: Named) -> int:
    """Return what a card adds to a number."""
    if effect.op == "modify_effect_value":
        return effect.amount if number in EFFECTS else 0
    if effect.op == "modify_all_totals":
        return effect.amount if number != "result" else 0
    if effect.op == "modify_total" and effect.number == number:
        return effect.amount
    return effect.also if number in EFFECTS and number != "result" else 0


def card_causes(effects: Iterable[CardEffect], whose: str, number: Named) -> Causes:
    """Return what cards add to a character's number, by their keys (MB-CARD-13, OP-10)."""
    causes: list[tuple[str, int]] = []
    for effect in effects:
        if effect.whose != whose:
            continue
        amount = _adds(effect, number)
        if amount:
            causes.append((effect.key, amount))
    return tuple(causes)


# --- Luck -----------------------------------------------------------------------------------------

#: The great use of Luck that the GM may use up, if a table plays so (MB-BG-27).
RESCUE: Final = "rescue"
#: Uses of an advantage of Luck, each with the kinds of cards that it may be (MB-CARD-L01).
_SMALL: Final = ("haste", "second_chance", "breakthrough", "action")
_GREAT: Final = (*_SMALL, "hero", "opponent_fails", "alertness", RESCUE)
LUCK: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "cii": (_SMALL,),
    "ciii": (_GREAT,),
    "civ": (_SMALL, _GREAT),
}


def is_great_use(use: tuple[str, ...]) -> bool:
    """Return whether a use of Luck is one of column III (MB-BG-27)."""
    return use == _GREAT


def remaining_luck(advantages: Sequence[str], used: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the uses that remain of a character's Luck, each with what it may be.

    Raises as `luck_card_effect`.
    """
    uses: list[tuple[str, ...]] = []
    for advantage in advantages:
        uses.extend(LUCK[advantage])
    # A small use is used up before a great one.
    uses.sort(key=len)
    refuse(precondition=not uses and "luck")
    remaining = [*uses]
    for key in used:
        known = any(key in use for use in uses)
        refuse(already_used=not remaining, precondition=not known and "luck")
        fitting = [use for use in remaining if key in use]
        refuse(already_used=not fitting)
        remaining.remove(fitting[0])
    return tuple(remaining)


def luck_card_effect(
    advantages: Sequence[str],
    used: Sequence[str],
    who: str,
    key: str,
    moment: Moment,
    *,
    rounds: bool,
    use: Use = "",
    setting: Setting = default_setting,
) -> CardEffect:
    """Return the effect of a card by Luck, which nobody holds or can cancel (MB-CARD-L01).

    Each use of Luck is for one card in an adventure.

    Raises:
        Impossible: The first of mb-card-not-in-rounds, -unconscious, -already-used,
            -wrong-window, -precondition.
    """
    kind = KINDS[key]
    refuse(not_in_rounds=not kind.outside_rounds and not rounds, unconscious=not moment.awake)
    remaining_luck(advantages, (*used, key))
    if kind.windows:
        require_use(kind, who, moment, resolve_use(kind, moment, use), setting)
    return effect_of(kind, who, moment, use)
