"""Cards that somebody plays: what may be played when, from where, on what, and what comes of it.

MB-CARD-08, MB-CARD-10, MB-CARD-13, MB-CARD-E01 to MB-CARD-E18, MB-CARD-P04, MB-CARD-P05,
MB-CARD-L01. A card is a row with windows and an operation; all of them go through `play`. What a
card does to a roll comes out as a `CardEffect`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, get_args

from rules.core.errors import Impossible
from rules.core.memo import memo_by_identity
from rules.core.record import Record
from rules.core.rng import Streams
from rules.systems.masterbook.deck import deal
from rules.systems.masterbook.deck.card_definitions import (
    KINDS,
    MODES,
    CardKind,
    Op,
    Setting,
    Window,
    default_setting,
)
from rules.systems.masterbook.deck.deal import MAX_SUBPLOTS, Gifts, refusal, refuse, spend_card
from rules.systems.masterbook.deck.deck_state import (
    DISCARD_PILE,
    FACE,
    HAND,
    POOL,
    ROUND,
    Cards,
    character_place,
)
from rules.systems.masterbook.formulas.reference_rows import Causes

#: What a card may go on: the total of a roll; a value that stands without one; Toughness; what an
#: action does: a damage value, one that goes by Strength, the result points of whatever is its own
#: effect.
Named = Literal["", "total", "value", "toughness", "damage", "strength_damage", "result"]
#: What a point may be used for.
Use = Literal["", "again", "cancel", "packages", "step", "skill_points"]
#: Stages of a check: nobody has read yet what a success does; everything is known, and nothing has
#: taken effect.
IMPACT, AFTER = "impact", "after"
EFFECTS: Final = ("damage", "strength_damage", "result")
#: When each use of a point is open (MB-CARD-13).
USES: Final[Mapping[Window, tuple[Use, ...]]] = {
    "roll_pending": ("again", "cancel"),
    "after_resolution": ("packages", "step"),
    "any_between_actions": ("skill_points",),
}
_SKILL_POINTS: Final = "skill_points"


class Moment(Record):
    """What is happening while somebody would play a card.

    `actor` does it, `whose` is the number that the card would go on: which, of `what`, by what
    `attribute`, with what `adds`; by itself an Attribute is no `skill`. `against` are those it is
    aimed at, `players` tells that another player's character is among them. `simple` needs no roll.
    `aware` of it and `awake` is whoever plays, as things were before it had its effect; those who
    are `blind` to it are not.
    """

    window: Window = "any_between_actions"
    actor: str = ""
    whose: str = ""
    number: Named = ""
    what: str = ""
    attribute: str = ""
    adds: int = 0
    skill: bool = True
    against: tuple[str, ...] = ()
    players: bool = False
    simple: bool = False
    succeeded: bool = True
    aware: bool = True
    blind: tuple[str, ...] = ()
    awake: bool = True


class CardEffect(Record):
    """What a card has done: `op` on whose number and by how much, `also` on what the action does.

    `again` makes 10s roll again, `use` is that of a point, `actions` and `skill_points` are what it
    gives. It `lasts` until the end of the round, or `asks` a GM.
    """

    key: str
    name: str
    card: str
    who: str
    op: Op = ""
    whose: str = ""
    number: Named = ""
    what: str = ""
    amount: int = 0
    also: int = 0
    again: bool = False
    use: Use = ""
    actions: int = 0
    skill_points: int = 0
    lasts: bool = False
    asks: bool = False


# --- what may be ----------------------------------------------------------------------------------


def places(cards: Cards, who: str, kind: CardKind) -> tuple[str, ...]:
    """From where somebody may play such a card now: in rounds the pool, else the hand (MB-CARD-08,
    MB-CARD-10).
    """
    free = cards.place == POOL and (
        kind.in_rounds_from == "hand_or_pool" or cards.seat(who).declared
    )
    return (POOL, HAND) if free else (cards.place,)


def resolve_use(kind: CardKind, moment: Moment, use: Use) -> Use:
    """How a point is meant: as was said, else the first way there is now."""
    return use or USES.get(moment.window, ("",))[0] if kind.op == "life_point" else ""


def _opens(kind: CardKind, window: Window) -> bool:
    """Whether such a card is ever played then."""
    return window in kind.windows or (
        kind.op == "life_point" and "life_point_windows" in kind.windows
    )


# of a deck that is used, who may play what is asked in every window of every roll
@memo_by_identity
def by_window(kinds: Mapping[str, CardKind]) -> Mapping[Window, tuple[CardKind, ...]]:
    """The kinds of cards that are ever played in each window."""
    windows: tuple[Window, ...] = get_args(Window)
    return {
        window: tuple([each for each in kinds.values() if _opens(each, window)])
        for window in windows
    }


def require_use(kind: CardKind, who: str, moment: Moment, use: Use, setting: Setting) -> None:
    """When such a card is played, and its own conditions (MB-CARD-13).

    Impossible, the first of: mb-card-wrong-window, -precondition, -has-adds.
    """
    window = moment.window
    # Whether a point is worth skill points at all is asked later.
    fits = _opens(kind, window) and (kind.op != "life_point" or use in USES.get(window, ()))
    if fits and window == "effect_pending" and kind.late:
        fits = moment.number in kind.late or ("effect" in kind.late and moment.number in EFFECTS)
    refuse(wrong_window=not fits)
    _require_fit(kind, who, moment, use, setting)


def _in_scope(kind: CardKind, moment: Moment) -> bool:
    """Whether a card goes on such a number."""
    if moment.number == "toughness":
        return bool({"toughness", "any"} & {*kind.scope})
    if moment.number in EFFECTS:
        return "any" in kind.scope or (
            moment.number == "strength_damage" and "strength" in kind.scope
        )
    return bool({moment.attribute, "any", "any_skill_without_adds"} & {*kind.scope})


def _own(kind: CardKind, who: str, moment: Moment) -> bool:
    """Whether a card serves whoever it would (OP-45): its holder, or, where it says so, somebody
    else.
    """
    if kind.target == "any_character":
        return True
    return (moment.whose == who) == (kind.target == "self")


def _require_fit(kind: CardKind, who: str, moment: Moment, use: Use, setting: Setting) -> None:
    """The card's own conditions. Impossible, the first of: mb-card-precondition,
    mb-card-has-adds.
    """
    fits = moment.aware
    match kind.op:
        case "modify_total":
            fits = fits and _own(kind, who, moment) and _in_scope(kind, moment)
            fits = fits and (moment.players or not kind.betrays)
            fits = fits and (moment.number in ("", "total") or not kind.rolled)
            if "any_skill_without_adds" in kind.scope:
                fits = fits and moment.skill
                refuse(has_adds=fits and moment.adds)
        case "modify_all_totals":
            fits = fits and _own(kind, who, moment)
        case "modify_effect_value":
            reached = moment.succeeded or setting("effect_card_can_rescue")
            fits = fits and moment.whose == who and moment.number in EFFECTS and reached
        case "life_point":
            mine = {
                "again": moment.whose == who and moment.number == "total",
                "cancel": moment.whose != who,
                "packages": who in moment.against,
                "step": who in moment.against,
                _SKILL_POINTS: kind.skill_points > 0,
            }
            fits = fits and mine.get(use, False)
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
    """On which of these such a card may go in which of these ways: where `require` does not refuse
    it.

    What is no point has one way, which is empty.
    """
    for at, moment in enumerate(moments):
        ways: tuple[Use, ...] = USES.get(moment.window, ()) if kind.op == "life_point" else ("",)
        for use in ways:
            if use not in uses:
                continue
            try:
                require(moment, use)
            except Impossible:
                continue
            yield at, moment, use
            if kind.op == "modify_all_totals":
                return  # it goes on every number


def can_play_on(
    kind: CardKind,
    who: str,
    moment: Moment,
    uses: Collection[Use],
    setting: Setting = default_setting,
) -> bool:
    """Whether such a card, if somebody held it, could be played on this in one of these ways."""

    def require(now: Moment, use: Use) -> None:
        require_use(kind, who, now, use, setting)

    return moment.awake and any(openings(kind, (moment,), uses, require))


def may_play_combat_cards(cards: Cards) -> bool:
    """Whether such rounds are on that Haste and Seize Initiative are for (OP-15)."""
    flip = cards.deal.round
    any_ = cards.setting("combat_only_cards_in") == "any_rounds"
    return flip is not None and (any_ or flip.kind == "combat")


def require_playable(
    cards: Cards, who: str, card: str, moment: Moment, use: Use = "", *, as_name: str = ""
) -> CardKind:
    """What the card is played as, if somebody may now: a Wild card as any kind that is no picture
    (MB-CARD-P05).

    Impossible, the first of (MB-CARD-18, OP-46):
    mb-card-off, -not-in-rounds, -unconscious, -confused, -not-in-hand, -not-in-pool,
    -picture-not-allowed,
    -wrong-window, -precondition, -has-adds, -discard-empty.
    """
    refuse(off=not MODES[cards.setting("cards_mode")].hands)
    held = cards.kind(card)
    wild = held.op == "any_card"
    kind = cards.kinds.get(as_name, held) if wild else held
    refuse(not_in_rounds=not kind.outside_rounds and not may_play_combat_cards(cards))
    refuse(unconscious=not moment.awake, confused=deal.is_confused(cards))
    allowed = places(cards, who, kind)
    if not any(card in cards.at(each, who) for each in allowed):
        raise refusal("not_in_pool" if POOL in allowed and HAND not in allowed else "not_in_hand")
    unknown = wild and (as_name not in cards.kinds or kind.type == "blank")
    refuse(precondition=unknown and "wild", picture_not_allowed=wild and kind.type == "picture")
    if wild and kind.type == "subplot" and kind.op != "campaign":
        full = len(deal.subplots_in_effect(cards, who)) >= MAX_SUBPLOTS
        refuse(wrong_window=moment.window != "any_between_actions", precondition=full)
        return kind
    require_use(kind, who, moment, resolve_use(kind, moment, use), cards.setting)
    if kind.op == "take_discard_top":
        deal.claimable(cards, who)
    return kind


# --- what it does ---------------------------------------------------------------------------------


def effect_of(
    kind: CardKind, who: str, moment: Moment, use: Use = "", card: str = ""
) -> CardEffect:
    """What such a card does now, whoever holds it or has the luck of it."""
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
        kind.amount,
        kind.also_effect_value,
        kind.treat_as_trained,
        use,
        kind.count if kind.op == "extra_action" else 0,
        kind.skill_points if use == _SKILL_POINTS else 0,
        kind.op == "modify_all_totals",
        kind.op in ("gm_hint", "gm_text"),
    )


def lay(cards: Cards, who: str, card: str, kind: CardKind) -> Cards:
    """A Wild card lies face up as a subplot; a GM has agreed (MB-CARD-P05)."""
    source = deal.place_of(cards, who, card, (POOL, HAND))
    laid = deal.without_card_notes(
        cards.with_cards_moved(source, character_place(FACE, who), card), who, card
    )
    return laid.with_seat_changes(who, as_names=(*laid.seat(who).as_names, (card, kind.key)))


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
    """Somebody plays a card: it is used, and does something. `gifts` and `draws` are what
    Leadership gives.

    Whatever is refused is as in `require_playable`, and of Leadership as in `deal.leadership`.
    """
    kind = require_playable(cards, who, card, moment, as_name=as_name, use=use)
    effect = effect_of(kind, who, moment, use, card)
    cards = cards.tell("played", who, (card,))
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
            cards = cards.with_seat_changes(who, extra=cards.seat(who).extra + effect.actions)
    return cards, effect


def _adds(effect: CardEffect, number: Named) -> int:
    """What a card adds to such a number."""
    if effect.op == "modify_effect_value":
        return effect.amount if number in EFFECTS else 0
    if effect.op == "modify_all_totals":
        return effect.amount if number != "result" else 0
    if effect.op == "modify_total" and effect.number == number:
        return effect.amount
    return effect.also if number in EFFECTS and number != "result" else 0


def card_causes(effects: Iterable[CardEffect], whose: str, number: Named) -> Causes:
    """What cards add to one number of somebody, by their keys; nothing twice (MB-CARD-13,
    OP-10).
    """
    found = [(each.key, _adds(each, number)) for each in effects if each.whose == whose]
    return tuple([each for each in found if each[1]])


# --- Luck -----------------------------------------------------------------------------------------

#: What a GM may burn a great use for, where a table plays so (MB-BG-27).
RESCUE: Final = "rescue"
#: What an advantage of Luck does, by its uses: each one of a list of kinds (MB-CARD-L01).
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


def luck(advantages: Sequence[str], used: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The uses that are left of somebody's Luck, each with what it may be. Raises as
    `luck_card_effect`.
    """
    uses = sorted([use for each in advantages for use in LUCK[each]], key=len)
    refuse(precondition=not uses and "luck")
    left = [*uses]
    for each in used:
        refuse(already_used=not left, precondition=not any(each in use for use in uses) and "luck")
        found = [use for use in left if each in use]
        refuse(already_used=not found)
        left.remove(found[0])
    return tuple(left)


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
    """The effect of a card that nobody holds, once in an adventure for each use; nobody can cancel
    it (MB-CARD-L01).

    Impossible, the first of: mb-card-not-in-rounds, -unconscious, -already-used, -wrong-window,
    -precondition.
    """
    kind = KINDS[key]
    refuse(not_in_rounds=not kind.outside_rounds and not rounds, unconscious=not moment.awake)
    luck(advantages, (*used, key))
    if kind.windows:
        require_use(kind, who, moment, resolve_use(kind, moment, use), setting)
    return effect_of(kind, who, moment, use)
