"""Adapters for the worked examples of MasterBook's deck: its cards, deals, draws, pools and
trades.
"""

from __future__ import annotations

from typing import Any

from bot.storage.codec import part_text, read_part
from rules.core.cards import shuffle_cards
from rules.core.errors import Impossible
from rules.core.record import Record
from rules.systems.masterbook.deck import deal, subplots
from rules.systems.masterbook.deck.card_definitions import (
    KINDS,
    MODES,
    Face,
    card_limit,
    default_faces,
)
from rules.systems.masterbook.deck.card_lines import CardDeed, earn_card
from rules.systems.masterbook.deck.deck_state import (
    DISCARD_PILE,
    DRAW_PILE,
    FACE,
    HAND,
    INITIATIVE,
    POOL,
    QUEUE,
    REMOVED,
    Cards,
    Flip,
    Seat,
)
from tests.conformance.masterbook_card_names import (
    ANY,
    ME,
    Names,
    agreed_settings,
    apart,
    attempt,
    chance,
    having,
    held_cards,
    make_deck,
    number_of,
    options,
    rounds,
)
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

_SEATED = {"hand": HAND, "pool": POOL, "face_up": FACE}
#: Subplots that lie before somebody of whom only their number is told.
_SOME = ("romance", "personal_stake", "suspicion")


@adapter("masterbook-cards.mb-card-01")
@adapter("masterbook-cards.mb-card-d01")
def composition(given: Given, dice: MakeDice) -> Outputs:
    names = [
        next(key for key, row in KINDS.items() if row.type == type_)
        for type_, number in given["types"].items()
        for _ in range(number)
    ]
    faces = {str(at): Face(str(at), name, in_play=name != "blank") for at, name in enumerate(names)}
    piles = deal.lay_out_deck(faces)
    by_rule = [KINDS[each.kind].type for each in default_faces().values()]
    return {
        "total": len(piles.cards),
        "in_play": len(piles.cards_at(DRAW_PILE)),
        **{
            f"{each}_from_rule": by_rule.count(each)
            for each in ("enhancement", "subplot", "picture", "blank")
        },
    }


@adapter("masterbook-cards.mb-card-b01")
def blanks(given: Given, dice: MakeDice) -> Outputs:
    decks = {"masterbook-default": default_faces()}
    piles = deal.lay_out_deck(decks[given["deck"]])
    return {
        "removed": [int(each) for each in piles.cards_at(REMOVED)],
        "draw_pile_size": len(piles.cards_at(DRAW_PILE)),
    }


@adapter("masterbook-cards.mb-card-03")
def piles(given: Given, dice: MakeDice) -> Outputs:
    if "list" in given:
        order = shuffle_cards(
            [str(each) for each in given["list"]], dice([each + 1 for each in given["j_values"]])
        )
        return {"list": [int(each) for each in order]}
    names = Names()
    cards = make_deck(
        names,
        draw=names.cards(given.get("draw_pile")),
        discard=names.cards(given.get("discard_pile")),
        initiative=names.cards(given.get("initiative_pile")),
        flip=rounds(given, card=str(given["initiative_pile"][-1]))
        if given.get("initiative_pile")
        else None,
    )
    emptied = deal.draw(cards, ME, chance(), count=max(1, len(cards.at(DRAW_PILE))))
    given.get("round_active")
    filled = deal.refill(emptied if cards.at(DRAW_PILE) else cards, chance())
    cards, moves = apart(deal.draw(cards, ME, chance(), count=given["draw"]))
    return {
        "shuffled": sorted(names.name(each) for each in filled.at(DRAW_PILE)),
        "initiative_pile": names.shown(cards.at(INITIATIVE)),
        "discard_pile": names.shown(cards.at(DISCARD_PILE)),
        "draw_pile_size_after": len(cards.at(DRAW_PILE)),
        "drawn": names.shown(cards.at(HAND, ME)),
        "event": next(
            (each.what.replace("-", "_") for each in moves if each.what == "deck-exhausted"), None
        ),
    }


@adapter("masterbook-cards.mb-card-04")
def first_deal(given: Given, dice: MakeDice) -> Outputs:
    number = given["player_characters"]
    who = [f"pc_{at + 1}" for at in range(number)]
    order = next((given[key] for key in given if key.startswith("draw_order")), None)
    try:
        cards = deal.start(make_deck(Names()), who, chance())
    except Impossible as error:
        return {"error": error.code.removeprefix("mb-card-").replace("-", "_")}
    found: dict[str, Any] = {
        "card_limit": cards.deal.limit,
        "total_dealt": sum(len(cards.at(HAND, each)) for each in who),
    }
    if order is None:
        return found
    names = Names()
    cards = make_deck(names, draw=names.cards(order), limit=card_limit(number))
    cards, moves = apart(deal.draw(cards, ME, chance(), count=cards.deal.limit))
    met = [card for each in moves for card in each.cards]
    cards = decided(cards, given)
    return {
        **found,
        "hand": names.shown(cards.at(HAND, ME)),
        "face_up": names.shown(cards.at(FACE, ME)),
        "cards_drawn": len(met),
    }


def decided(cards: Cards, given: Given, who: str = ME) -> Cards:
    """The deck once all that was drawn is decided on as the example says."""
    allows, keeps = given.get("gm_allows", True), given.get("player_keeps", True)
    while pending := cards.seat(who).pending:
        cards = subplots.decide(cards, who, pending[0], allows, keeps)
    return cards


class Drawn(Record):
    """A draw of an example: the deck after it, the names, and what was there before."""

    cards: Cards
    names: Any
    before: tuple[str, ...]

    def outputs(self) -> dict[str, Any]:
        """What examples tell of it."""
        face_up = [each for each in self.cards.at(FACE, ME) if each not in self.before]
        seat = self.cards.seat(ME)
        return {
            "face_up": self.names.shown(face_up),
            "hand_gains": self.names.shown(self.cards.at(HAND, ME)),
            "hand": self.names.shown(self.cards.at(HAND, ME)),
            "discard_top": next(
                (self.names.name(each) for each in self.cards.at(DISCARD_PILE)), None
            ),
            "subplots_in_effect": len(subplots.subplots_in_effect(self.cards, ME)),
            "life_points": self.cards.life_points_of(ME),
            "reject_life_points": seat.refusal_awards,
            "must_discard": deal.surplus(self.cards, ME),
        }


def drawn(given: Given, *, count: int = 1, limit: int = 3, replacement: bool = True) -> Drawn:
    """What an example draws, and what is decided of it."""
    names = Names()
    there = given.get("subplots_in_effect", 0)
    before = names.cards(_SOME[: there if isinstance(there, int) else len(there)])
    cards = make_deck(
        names,
        draw=names.cards(given["drawn"]),
        seats={ME: {FACE: before}},
        limit=limit,
        refusal_awards=given.get("reject_life_points", 0),
    )
    cards = having(cards, given.get("life_points", 0))
    cards = deal.draw(cards, ME, chance(), count=count, replacement=replacement)
    return Drawn(decided(cards, given), names, before)


@adapter("masterbook-cards.mb-card-05")
def one_draw(given: Given, dice: MakeDice) -> Outputs:
    return drawn(given, replacement=given.get("replacement", True)).outputs()


@adapter("masterbook-cards.mb-card-06")
def hand_limit(given: Given, dice: MakeDice) -> Outputs:
    if "hand_sizes_after_rounds" in given:
        return replenishing(given, dice)
    if "drawn" in given:
        limit = given["card_limit"]
        return drawn(given, count=given.get("count", len(given["drawn"])), limit=limit).outputs()
    names = Names()
    cards = make_deck(names, seats={ME: held_cards(given, names)}, limit=given["card_limit"])
    return {"must_discard": deal.surplus(cards.replace(setting=agreed_settings(given)), ME)}


@adapter("masterbook-cards.mb-card-07")
def leaving(given: Given, dice: MakeDice) -> Outputs:
    names = Names()
    cards = make_deck(
        names, seats={ME: held_cards(given, names)}, limit=given["card_limit"], flip=Flip()
    )
    cards, moves = apart(deal.leave(cards))
    return {
        "hand_before_discard": len(cards.at(HAND, ME)),
        "must_discard": number_of(moves, "must-discard"),
        "face_up": names.shown(cards.at(FACE, ME)),
        "pool": names.shown(cards.at(POOL, ME)),
    }


@adapter("masterbook-cards.mb-card-09")
def pooling(given: Given, dice: MakeDice) -> Outputs:
    names = Names()
    if "round_earned" in given:
        card, earned = names.card(given["card"]), given["round_earned"]
        found: dict[str, Any] = {}
        for number in (earned, earned + 1):
            cards = make_deck(names, draw=[card], flip=Flip(), number=earned)
            cards = deal.draw(cards, ME, chance(), wait=1)
            cards = cards.replace(deal=cards.deal.replace(number=number))
            _, told = attempt(lambda cards=cards: deal.pool(cards, ME, card, 1), cards)
            found[f"poolable_in_round_{number}"] = told["legal"]
        return found
    if isinstance(given.get("acted"), list):
        may: dict[str, bool] = {}
        gains: dict[str, Any] = {}
        for who in given["acted"]:
            card = names.card(ANY)
            cards = make_deck(
                names, draw=names.cards(1), seats={who: {HAND: (card,)}}, flip=Flip(), number=1
            )
            surprised = who in given.get("surprised", ())
            _, told = attempt(
                lambda cards=cards, who=who, card=card, surprised=surprised: deal.pool(
                    cards, who, card, 1, surprised
                ),
                cards,
            )
            may[who] = told["legal"]
            if who in given.get("award", ()):
                now = deal.draw(cards, who, chance(), wait=1)
                gains[f"{who.lower()}_hand_gains"] = len(now.at(HAND, who)) - 1
        return {
            "may_pool": [who for who, found in may.items() if found],
            "may_not_pool": [who for who, found in may.items() if not found],
            **gains,
        }
    return _pooled(given, names)


def _pooled(given: Given, names: Names) -> Outputs:
    hand = names.cards(given.get("hand", 1))
    acted = given.get("acted_this_round", True)
    extra = given.get("haste_played", 0)
    line = default_faces()["5"] if given.get("flurry") else default_faces()["1"]
    card = names.card(int(line.id))
    cards = make_deck(
        names,
        seats={ME: {HAND: hand}},
        flip=rounds({**given, "in_rounds": given.get("in_rounds", True)}, card=card),
        number=given.get("round", 1),
        initiative=(card,),
        extra_actions=extra,
        poolings=given.get("poolings_used", given.get("poolings", 0)),
    )
    acts = given.get("actions", (1 + extra + (1 if given.get("flurry") else 0)) if acted else 0)
    chosen = next((each for each in hand if names.name(each) == given.get("card")), hand[0])
    surprised, setting = given.get("surprised", False), agreed_settings(given)
    cards, told = attempt(
        lambda: deal.pool(cards.replace(setting=setting), ME, chosen, acts, surprised), cards
    )
    return {
        **told,
        "hand": names.shown(cards.at(HAND, ME)),
        "pool": names.shown(cards.at(POOL, ME)),
    }


@adapter("masterbook-cards.mb-card-11")
def trading(given: Given, dice: MakeDice) -> Outputs:
    names = Names()
    in_rounds = given.get("in_rounds", False)
    place = POOL if in_rounds else HAND
    keys = ("x", "y") if "x" in given else tuple(key for key in given if key.endswith("_gives"))
    who = [key.removesuffix("_gives") for key in keys]
    seats: dict[str, dict[str, tuple[str, ...]]] = {}
    chosen: list[tuple[str, ...]] = []
    for each, key in zip(who, keys, strict=True):
        side = given[key]
        mine = names.cards(side if isinstance(side, list) else [side["card"]])
        seats[each] = {place if isinstance(side, list) else side["place"]: mine}
        chosen.append(mine)
    cards = make_deck(names, seats=seats, flip=rounds(given))
    setting = agreed_settings(given)
    cards, told = attempt(
        lambda: deal.trade(cards.replace(setting=setting), who[0], who[1], chosen[0], chosen[1]),
        cards,
    )
    gains = {
        f"{each}_{place}_gains": names.shown(cards.at(place, each)) if told["legal"] else []
        for each in who
    }
    return {**told, **gains}


@adapter("masterbook-cards.mb-card-12")
def critical_moment(given: Given, dice: MakeDice) -> Outputs:
    names = Names()
    cards = make_deck(
        names,
        draw=names.cards(given.get("award_this_round")),
        seats={ME: held_cards(given, names)},
        flip=rounds({**given, "in_rounds": given.get("in_rounds", True)}),
        number=1,
        moment_used=given.get("critical_moment_used", False),
    )
    cards, told = attempt(
        lambda: deal.declare_critical_moment(cards.replace(setting=agreed_settings(given)), ME),
        cards,
    )
    if not told["legal"]:
        return told
    for name in given.get("played", ()):
        both = (*cards.at(HAND, ME), *cards.at(POOL, ME))
        cards = deal.spend_card(cards, ME, next(each for each in both if names.name(each) == name))
    cards, moves = apart(deal.close_round(cards))
    lost = [card for each in moves for card in each.cards]
    for _ in given.get("award_this_round", ()):
        cards = deal.draw(cards, ME, chance(), wait=1)
    return {
        **told,
        "hand": names.shown(cards.at(HAND, ME)),
        "pool": names.shown(cards.at(POOL, ME)),
        "discarded_unplayed": [names.name(each) for each in lost],
        "face_up": names.shown(cards.at(FACE, ME)),
        "critical_moment_used": cards.seat(ME).moment_used,
    }


def _refilled(
    names: Names, limit: int, hand: Any, face_up: Any = (), free: int = 0
) -> tuple[int, int]:
    """How many cards somebody with this hand has to discard, and how many they draw then.

    `free` are those discarded beyond that.
    """
    hand, face_up = names.cards(hand), names.cards(face_up)
    cards = make_deck(
        names, draw=names.cards(9), seats={ME: {HAND: hand, FACE: face_up}}, limit=limit
    )
    over = deal.surplus(cards, ME)
    gone = cards.at(HAND, ME)[: over + free]
    cards = deal.replenish(cards, ME, gone, chance())
    return over, len(cards.at(HAND, ME)) - len(hand) + len(gone)


@adapter("masterbook-cards.mb-card-14")
def replenishing(given: Given, dice: MakeDice) -> Outputs:
    names = Names()
    limit = given["card_limit"] if "card_limit" in given else card_limit(given["player_characters"])
    if "hand" in given:
        over, found = _refilled(names, limit, given["hand"], free=given.get("free_discards", 0))
        cards = make_deck(names, seats={ME: {HAND: names.cards(given["hand"])}}, limit=limit)
        chosen = cards.at(HAND, ME)[: given.get("free_discards", 0)]
        _, told = attempt(lambda: deal.replenish(cards, ME, chosen, chance()), cards)
        return {**told, "must_discard": over, "drawn": found}
    face_up = given.get("face_up", {})
    if "hand_sizes_after_rounds" in given:
        each = zip(given["hand_sizes_after_rounds"], face_up, strict=True)
        found = [_refilled(names, limit, hand, _SOME[:before]) for hand, before in each]
        return {
            "card_limit": limit,
            "must_discard": [over for over, _ in found],
            "drawn": [n for _, n in found],
        }
    kept = given["kept"]
    if isinstance(kept, list):
        return {"card_limit": limit, "drawn": [_refilled(names, limit, each)[1] for each in kept]}
    up = {who: list(face_up[who]) for who in face_up}
    return {
        "drawn": {who: _refilled(names, limit, kept[who], up.get(who, ()))[1] for who in kept},
        "face_up": up,
    }


@adapter("masterbook-cards.mb-card-15")
def bonus_card(given: Given, dice: MakeDice) -> Outputs:
    names = Names()
    cards = make_deck(
        names,
        draw=names.cards(given.get("drawn", 1)),
        bonus_drawn=given.get("bonus_card_given", False),
    )
    setting = agreed_settings(given)
    cards, told = attempt(
        lambda: deal.draw_bonus_card(cards.replace(setting=setting), ME, chance()), cards
    )
    if told["legal"]:
        cards = decided(cards, given)
    return {
        **told,
        "face_up": names.shown(cards.at(FACE, ME)),
        "hand_gains": names.shown(cards.at(HAND, ME)),
        "bonus_card_given": cards.seat(ME).bonus_drawn,
    }


@adapter("masterbook-cards.mb-card-16")
def resuming(given: Given, dice: MakeDice) -> Outputs:
    names, saved = Names(), given["saved"]
    held_ = {place: saved[key] for key, place in _SEATED.items() if key in saved}
    seats: dict[str, dict[str, tuple[str, ...]]] = {}
    for place, people in held_.items():
        for who in people:
            seats.setdefault(who, {})[place] = names.cards(people[who])
    cards = make_deck(
        names,
        draw=names.cards(saved.get("draw_pile")),
        discard=names.cards(saved.get("discard_pile")),
        initiative=names.cards(saved.get("initiative_pile")),
        seats=seats or None,
    )
    parts = [("deck:masterbook", cards.piles), ("deal:masterbook", cards.deal)]
    piles, deal = (read_part("masterbook", 1, key, 1, part_text(part)) for key, part in parts)
    now = cards.replace(piles=piles, deal=deal)
    places = {"discard_pile": DISCARD_PILE, "initiative_pile": INITIATIVE}
    found: dict[str, Any] = {
        key: names.shown(now.at(place)) for key, place in places.items() if key in saved
    }
    if "draw_pile" in saved:
        found["draw_pile"] = names.shown(now.at(DRAW_PILE))[::-1]
    for key, place in _SEATED.items():
        if key in saved:
            found[key] = {who: names.shown(now.at(place, who)) for who in saved[key]}
    return {"restored": found}


@adapter("masterbook-cards.mb-card-i14")
def fiat(given: Given, dice: MakeDice) -> Outputs:
    names = Names()
    cards = make_deck(names, draw=names.cards(given["draw_pile_top"]))
    setting = agreed_settings(given)
    cards, told = attempt(lambda: deal.take(cards.replace(setting=setting), chance()), cards)
    if told["legal"]:
        kept = [str(each) for each in given["kept_in_order"]]
        cards, told = attempt(lambda: deal.queue_fiat_cards(cards, kept), cards)
    return {
        **told,
        "initiative_queue": [names.name(each) for each in cards.at(QUEUE)],
        "discarded": names.shown(cards.at(DISCARD_PILE)),
        "draw_pile_top": [names.name(each) for each in cards.at(DRAW_PILE)],
    }


@adapter("masterbook-cards.mb-card-00")
@adapter("masterbook-cards.mb-card-n02")
def modes(given: Given, dice: MakeDice) -> Outputs:
    wanted = given["cards_mode"]
    found: list[dict[str, object]] = []
    for each in [wanted] if isinstance(wanted, str) else wanted:
        mode = MODES[each]
        lines = {
            "lines": mode.lines,
            "initiative_lines": mode.lines,
            "awards": mode.awards,
            "hands": mode.hands,
        }
        found.append({"initiative": "cards" if MODES[each].lines else "dice", **lines})
    if given.get("p_effect") == "inspiration":
        return {**found[0], "cards_drawn": int(MODES[wanted].hands)}
    return (
        found[0]
        if isinstance(wanted, str)
        else {key: [each[key] for each in found] for key in found[0]}
    )


# --- cards that move cards ------------------------------------------------------------------------


@adapter("masterbook-cards.mb-card-e04")
def claim(given: Given, dice: MakeDice) -> Outputs:
    names = Names()
    hand = names.cards(given.get("hand", ["claim"]))
    cards = make_deck(names, discard=names.cards(given["discard_pile"]), seats={ME: {HAND: hand}})
    mine = next(each for each in hand if names.name(each) == "claim")
    cards, told = attempt(
        lambda: deal.claim(cards.replace(setting=agreed_settings(given)), ME, mine, chance()), cards
    )
    cards = decided(cards, given)
    return {
        **told,
        "hand": names.shown(cards.at(HAND, ME)),
        "discard_pile": names.shown(cards.at(DISCARD_PILE)),
        "face_up": names.shown(cards.at(FACE, ME)),
    }


@adapter("masterbook-cards.mb-card-e11")
def leadership(given: Given, dice: MakeDice) -> Outputs:
    names, give = Names(), given["give"]
    many = isinstance(give, int)
    mine = held_cards(given, names) or {
        HAND: names.cards(["leadership", *[ANY] * (give if many else 0)])
    }
    others = ["pc_2"] if many else list(give)
    cards = make_deck(
        names,
        draw=names.cards(given.get("draw")),
        seats={ME: mine, **{each: {} for each in others}},
        flip=rounds(given),
    )
    own = [card for each in mine.values() for card in each]
    card = next(each for each in own if names.name(each) == "leadership")
    # What is played stands last among those of its name.
    left = [*[each for each in own if each != card], card]
    if many:
        gifts = [("pc_2", left[:give])]
    else:
        gifts = [(to, [_pulled(names, left, name) for name in give[to]]) for to in others]
    draws, setting = "draw" in given, agreed_settings(given)
    cards, told = attempt(
        lambda: deal.leadership(cards.replace(setting=setting), ME, card, gifts, draws, chance()),
        cards,
    )
    gains = {
        f"{place}_{who}_gains": names.shown(cards.at(place, who))
        for who in others
        for place in (HAND, POOL)
    }
    return {
        **told,
        "hand": names.shown(cards.at(HAND, ME)),
        "pool": names.shown(cards.at(POOL, ME)),
        **gains,
    }


def _pulled(names: Names, left: list[str], name: str) -> str:
    """A card of this name, which is no longer there for another gift."""
    return left.pop(next(at for at, each in enumerate(left) if names.name(each) == name))


@adapter("masterbook-cards.mb-card-e14")
def rally(given: Given, dice: MakeDice) -> Outputs:
    names = Names()
    who = [f"pc_{at + 1}" for at in range(given["players"])]
    card = names.card("rally")
    place = POOL if given["in_rounds"] else HAND
    seats = {each: {place: (card,) if each == ME else ()} for each in who}
    cards = make_deck(names, draw=names.cards(given["drawn"]), seats=seats, flip=rounds(given))
    cards = deal.rally(cards.replace(setting=agreed_settings(given)), ME, card, chance())
    for each in who:
        cards = decided(cards, given, each)
    ordinals = ("first", "second", "third", "fourth", "fifth")
    return {
        "pools_gain": [names.shown(cards.at(POOL, each)) for each in who],
        "hands_gain": [names.shown(cards.at(HAND, each)) for each in who],
        **{
            f"face_up_{ordinal}": names.shown(cards.at(FACE, each))
            for ordinal, each in zip(ordinals, who, strict=False)
        },
    }


@adapter("masterbook-cards.mb-card-l02")
def fast_reactions(given: Given, dice: MakeDice) -> Outputs:
    names = Names()
    cards = make_deck(
        names,
        flip=Flip() if given.get("in_rounds", True) else None,
        number=1,
        hastes=given["uses_this_adventure"],
    )
    cards, told = attempt(lambda: deal.use_fast_reactions(cards, ME), cards)
    seat: Seat = cards.seat(ME)
    found = {**told, "uses_this_adventure": seat.hastes}
    if "successful_rolled_actions" in given:
        listed = given.get("approved", ["any"])
        face = next(each for each in default_faces().values() if list(each.approved) == listed)
        cards = cards.replace(deal=cards.deal.replace(round=Flip(face.id)))
        for _ in range(given["successful_rolled_actions"]):
            cards, _ = attempt(
                lambda cards=cards: earn_card(
                    cards.replace(setting=options()), ME, CardDeed(succeeded=True)
                ),
                cards,
            )
        found["cards_awarded"] = cards.seat(ME).awards
    return found
