"""Adapters for the worked examples of MasterBook's deck: subplots, pictures, awards, deck files."""

from __future__ import annotations

from typing import Any

from rules.core.errors import Problems
from rules.systems.masterbook.deck import deal, deck_files, subplots
from rules.systems.masterbook.deck.card_definitions import (
    KINDS,
    LETTERS,
    MODES,
    Due,
    Face,
    InitiativeLine,
    default_faces,
)
from rules.systems.masterbook.deck.deck_state import (
    DISCARD_PILE,
    FACE,
    HAND,
    POOL,
    CardChanges,
    Cards,
)
from rules.systems.masterbook.formulas import gm_rules
from tests.conformance.masterbook_card_names import (
    ME,
    Names,
    apart,
    attempt,
    chance,
    having,
    held_cards,
    make_deck,
    number_of,
    options,
)
from tests.conformance.masterbook_deal import drawn
from tests.conformance.runner import Given, MakeDice, Outputs, adapter


def _top(names: Names, cards: Cards) -> Any:
    return next((names.name(each) for each in cards.at(DISCARD_PILE)), None)


@adapter("masterbook-cards.mb-card-s00")
def unusable(given: Given, dice: MakeDice) -> Outputs:
    if "drawn" in given:
        return drawn(given).outputs()
    names = Names()
    card = names.card(given["declined"])
    cards = make_deck(
        names,
        seats={ME: {FACE: (card,)}},
        refusal_awards=given.get("reject_life_points", 0),
        pending=(card,),
        debt=given.get("debt", 0),
    )
    cards = having(cards, given.get("life_points", 0))
    cards = subplots.decide(cards, ME, card, given.get("gm_allows", True), False)
    return {
        "life_points": cards.life_points_of(ME),
        "reject_life_points": cards.seat(ME).refusal_awards,
        "discard_top": _top(names, cards),
    }


def _used(given: Given, kind: str) -> tuple[Names, Cards, CardChanges]:
    """A card of this kind that lies before somebody and that the GM uses, where the example says
    so.
    """
    names = Names()
    face_up = given.get("face_up", [kind])
    face_up = face_up if isinstance(face_up, list) else next(iter(face_up.values()))
    cards = make_deck(names, seats={ME: {FACE: names.cards(face_up)}})
    asked = ("gm_agrees", "gm_uses", "gm_triggers", "gm_asks", "player_agrees", "used")
    if False in [given[each] for each in asked if each in given]:
        return names, cards, ()
    card = next(each for each in cards.at(FACE, ME) if names.name(each) == kind)
    cards, moves = apart(subplots.use_face_up(cards, ME, card))
    return names, cards, moves


@adapter("masterbook-cards.mb-card-s01")
def alertness(given: Given, dice: MakeDice) -> Outputs:
    names, cards, moves = _used(given, "alertness")
    left = names.shown(cards.at(FACE, ME))
    found: dict[str, Any] = {
        "face_up": left,
        "discard_top": _top(names, cards),
        "surprise_undone": bool(moves),
        "life_points": number_of(moves, "life-points"),
    }
    if "surprised" in given:
        holder = next(iter(given["face_up"]))
        found["surprised"] = [each for each in given["surprised"] if not (moves and each == holder)]
        found["face_up"] = {holder: left}
    return found


@adapter("masterbook-cards.mb-card-s02")
def campaign(given: Given, dice: MakeDice) -> Outputs:
    names = Names()
    hand = names.cards(given.get("hand", ["campaign"]))
    target = names.card(given["target"])
    cards = make_deck(
        names,
        draw=names.cards(["(new card)"]),
        seats={ME: {HAND: hand, FACE: (target,)}},
        refusal_awards=given.get("reject_life_points", 0),
    )
    card = next(each for each in hand if names.name(each) == "campaign")
    cards, approves = having(cards, given.get("life_points", 0)), given.get("gm_approves", True)
    cards, told = attempt(
        lambda: subplots.campaign(cards, ME, card, target, approves, chance()), cards
    )
    return {
        **told,
        "hand": names.shown(cards.at(HAND, ME)),
        "life_points": cards.life_points_of(ME),
        "reject_life_points": cards.seat(ME).refusal_awards,
        "permanent_subplots": list(cards.seat(ME).permanent),
        "face_up": names.shown(cards.at(FACE, ME)),
        "discard_top": _top(names, cards),
    }


@adapter("masterbook-cards.mb-card-s03")
@adapter("masterbook-cards.mb-card-s04")
def helps(given: Given, dice: MakeDice) -> Outputs:
    kind = given["face_up"][0] if "face_up" in given else "connection"
    names, cards, moves = _used(given, kind)
    top = _top(names, cards)
    over = given.get("adventure_ends", "gm_option" in given)
    unplayed = () if given.get("gm_option", True) else cards.at(FACE, ME)
    if over:
        cards, paid = apart(
            subplots.pay_subplots(cards, ME, "end_of_adventure_if_unused", unplayed)
        )
        moves = (*moves, *paid)
        cards = subplots.end_adventure(cards)
    return {
        "face_up": names.shown(cards.at(FACE, ME)),
        "discard_top": top,
        "life_points": number_of(moves, "life-points"),
    }


def _paid(kind: str, due: Due, *, earned: bool = True, reduced: bool = False) -> int:
    """What a subplot pays to somebody with no Life Points."""
    names = Names()
    card = names.card(kind)
    cards = make_deck(names, seats={ME: {FACE: (card,)}})
    moves = subplots.pay_subplots(
        cards, ME, due, () if earned else (card,), (card,) if reduced else ()
    ).changes
    return number_of(moves, "life-points")


def _acts(given: Given, kind: str) -> list[int]:
    """What a subplot pays at the end of each act: for those in which everything is so that an
    example says.
    """
    found: list[int] = []
    for act in given["acts"]:
        earned = False not in [act[each] for each in act] if isinstance(act, Given) else act
        found.append(_paid(kind, "end_of_act", earned=earned))
    return found


@adapter("masterbook-cards.mb-card-s06")
def mistaken_identity(given: Given, dice: MakeDice) -> Outputs:
    return {"life_points": _acts(given, "mistaken_identity")}


@adapter("masterbook-cards.mb-card-s10")
def suspicion(given: Given, dice: MakeDice) -> Outputs:
    return {"life_points": _acts(given, "suspicion")}


@adapter("masterbook-cards.mb-card-s07")
def nemesis(given: Given, dice: MakeDice) -> Outputs:
    found = drawn(given).outputs() if "drawn" in given else {}
    return {**found, "life_points": _acts(given, "nemesis")} if "acts" in given else found


@adapter("masterbook-cards.mb-card-s08")
def personal_stake(given: Given, dice: MakeDice) -> Outputs:
    reduced = given.get("played_after_half", False) or given.get("roleplayed_weakly", False)
    earned = given.get("roleplayed", True)
    return {
        "life_points": _paid("personal_stake", "end_of_adventure", earned=earned, reduced=reduced)
    }


@adapter("masterbook-cards.mb-card-s09")
def romance(given: Given, dice: MakeDice) -> Outputs:
    earned = given.get("roleplayed", True)
    acts = {_paid("romance", "end_of_act", earned=earned) for _ in range(given.get("acts", 1))}
    return {
        "per_act": max(acts),
        "adventure_end": _paid("romance", "end_of_adventure", earned=earned),
    }


@adapter("masterbook-cards.mb-card-s05")
def martyr(given: Given, dice: MakeDice) -> Outputs:
    names = Names()
    if "drawn" in given:
        cards = make_deck(names, draw=names.cards([given["drawn"]]), debt=given["debt"])
        cards = deal.draw(cards, ME, chance())
        cards = having(cards, given.get("life_points", 0))
        cards, moves = apart(subplots.pay(cards, ME, given.get("then_life_point_award", 0)))
        return {
            "debt": cards.seat(ME).debt,
            "hand_gains": names.shown(cards.at(HAND, ME)),
            "life_points_gained": number_of(moves, "life-points"),
        }
    cards = make_deck(
        names,
        seats={ME: {**held_cards(given, names), FACE: names.cards(["martyr"])}},
        martyr_points=given["martyr_lp"],
        deed_named=given.get("deed_named", True),
    )
    cards = having(cards, given["life_points"])
    does = (
        subplots.end_adventure
        if given.get("adventure_ends")
        else lambda cards: subplots.back_out(cards, ME)
    )
    cards, moves = apart(does(cards))
    return {
        "debt_total": number_of(moves, "backed-out"),
        "life_points": given["life_points"] + number_of(moves, "life-points"),
        "hand": names.shown(cards.at(HAND, ME)),
        "pool": names.shown(cards.at(POOL, ME)),
        "debt": cards.seat(ME).debt,
        "cards_lost": number_of(moves, "lost-all"),
        "discard_top": _top(names, cards),
    }


# --- pictures -------------------------------------------------------------------------------------


def _met(given: Given, kind: str, *, now: bool) -> Outputs:
    """A draw that meets a picture, which the GM may use at once."""
    found = drawn(given)
    outputs = found.outputs()
    if now:
        card = next(each for each in found.cards.at(FACE, ME) if found.names.name(each) == kind)
        cards = subplots.use_face_up(found.cards, ME, card)
        outputs |= {
            "face_up": found.names.shown(cards.at(FACE, ME)),
            "discard_top": _top(found.names, cards),
        }
    return outputs


@adapter("masterbook-cards.mb-card-p01")
def disaster(given: Given, dice: MakeDice) -> Outputs:
    if "drawn" in given:
        return _met(given, "disaster", now=given.get("in_combat", False))
    names, cards, moves = _used(given, "disaster")
    return {
        "face_up": names.shown(cards.at(FACE, ME)),
        "discard_top": _top(names, cards),
        "dn_modifier": given["event_modifier"]["dn"]
        if "event_modifier" in given and moves
        else None,
        "affects": "everyone",
    }


@adapter("masterbook-cards.mb-card-p02")
def general(given: Given, dice: MakeDice) -> Outputs:
    kind = KINDS["general"]
    assert given.get("general_defined", False) == bool(kind.op)
    limit = given.get("card_limit", 1)
    return drawn(given, count=limit, limit=limit).outputs()


@adapter("masterbook-cards.mb-card-p03")
def interloper(given: Given, dice: MakeDice) -> Outputs:
    found = drawn(given)
    outputs = found.outputs()
    if given.get("gm_triggers_later"):
        card = next(
            each for each in found.cards.at(FACE, ME) if found.names.name(each) == "interloper"
        )
        cards = subplots.use_face_up(found.cards, ME, card)
        outputs["after_trigger"] = {
            "face_up_interloper": card in cards.at(FACE, ME),
            "discard_top": _top(found.names, cards),
        }
    return outputs


# --- awards and ends ------------------------------------------------------------------------------


def _gained(have: int, award: int) -> Outputs:
    """What somebody holds after an award, and what of it was lost."""
    moves = subplots.pay(having(make_deck(Names(), seats={ME: {}}), have), ME, award).changes
    consequences = number_of(moves, "life-points")
    return {"life_points": have + consequences, "lost_to_cap": award - consequences}


@adapter("masterbook-cards.mb-card-x02")
def act(given: Given, dice: MakeDice) -> Outputs:
    scenes, adjust = given["scenes"], given.get("adjust", 0)
    award = 0 if given.get("last_act", False) else gm_rules.act_award(scenes, adjust)
    return {"award": award, **_gained(given.get("life_points", 0), award)}


@adapter("masterbook-cards.mb-card-x03")
def adventure(given: Given, dice: MakeDice) -> Outputs:
    award = gm_rules.adventure_award(given["acts"], given.get("bonuses", 0))
    much = gm_rules.adventure_warnings(award, given.get("grueling", False))
    warning = "GM_ADVENTURE_SOFT_CAP" if much else None
    return {"award": award, "warning": warning, **_gained(given.get("life_points", 0), award)}


@adapter("masterbook-cards.mb-card-x04")
def ending(given: Given, dice: MakeDice) -> Outputs:
    names = Names()
    cards = make_deck(
        names,
        seats={ME: {HAND: names.cards(2), POOL: names.cards(1), FACE: names.cards(["romance"])}},
        moment_used=given["critical_moment_used"],
        refusal_awards=given["reject_life_points"],
        debt=given["martyr_debt"],
        permanent=tuple(given["permanent_subplots"]),
    )
    scope = options(reject_award_scope=given["reject_award_scope"])
    cards = subplots.end_adventure(cards.replace(setting=scope))
    seat = cards.seat(ME)
    return {
        "critical_moment_used": seat.moment_used,
        "reject_life_points": seat.refusal_awards,
        "martyr_debt": seat.debt,
        "permanent_subplots": list(seat.permanent),
        **{
            key: names.shown(cards.at(place, ME))
            for key, place in (("hand", HAND), ("pool", POOL), ("face_up", FACE))
        },
    }


# --- the default deck and deck files --------------------------------------------------------------


def _effect(effect: str, skill: str = "") -> object:
    if not effect:
        return None
    return {"effect": effect, "skill": skill} if skill else {"effect": effect}


def _line(lines: InitiativeLine | None) -> object:
    if lines is None:
        return None
    return {"first": lines.first, "p": _effect(lines.players), "g": _effect(lines.gms, lines.skill)}


def _box(face: Face) -> object:
    if face.box == "letters":
        return {"kind": "letters", "letters": list(face.letters)}
    return face.box and {"kind": face.box}


@adapter("masterbook-cards.mb-card-d03")
def one_card(given: Given, dice: MakeDice) -> Outputs:
    face = default_faces()[str(given["number"])]
    for each in ("k", "s_index", "d_index", "box_index", "act_index"):
        given.get(each)  # steps on the way to what is expected
    return {
        "name": face.kind,
        "standard": _line(face.standard),
        "dramatic": _line(face.dramatic),
        "critical": _box(face),
        "approved": list(face.approved),
    }


@adapter("masterbook-cards.mb-card-d02")
def names_by_number(given: Given, dice: MakeDice) -> Outputs:
    return {"names": [default_faces()[str(each)].kind for each in given["numbers"]]}


@adapter("masterbook-cards.mb-card-d04")
def counts(given: Given, dice: MakeDice) -> Outputs:
    decks = {"masterbook-default": default_faces()}
    there = [each for each in decks[given["deck"]].values() if each.in_play]
    return {
        "standard_players_first": sum(
            each.standard is not None and each.standard.first == "P" for each in there
        ),
        "dramatic_players_first": sum(
            each.dramatic is not None and each.dramatic.first == "P" for each in there
        ),
        "letter_shown": {
            letter: sum(letter in each.letters for each in there) for letter in LETTERS
        },
        "problem_boxes": sum(each.box not in (None, "letters") for each in there),
        "cards_in_play": len(there),
    }


def _plain(value: Any) -> Any:
    """What an example gives, as JSON has it."""
    if isinstance(value, Given):
        return {key: _plain(value[key]) for key in value}
    return [_plain(each) for each in value] if isinstance(value, list) else value


def _file(given: Given) -> dict[str, Any]:
    cards = [given["card"]] if "card" in given else given.get("cards", [])
    head = {
        "format": deck_files.FORMAT,
        "format_version": 1,
        "deck_id": "example",
        "title": "Example",
    }
    more = {key: given[key] for key in ("definitions", *head) if key in given}
    return {**head, **_plain(more), "cards": _plain(cards)}


@adapter("masterbook-cards.mb-card-d05")
@adapter("masterbook-cards.mb-card-d06")
def deck_file(given: Given, dice: MakeDice) -> Outputs:
    mode = MODES[given.get("cards_mode", "play_only")]
    try:
        file, types = deck_files.read_file(_file(given))
    except Problems:
        return {"valid": False, "stage": "schema", "code": None}
    found = deck_files.deck_findings(file, mode, given.get("player_characters", 0), types)
    wrong = [each.code for each in found if each.severity == "error"]
    return {
        "valid": not wrong,
        "stage": "semantic" if wrong else None,
        "code": wrong[0] if wrong else None,
        "errors": wrong,
        "warnings": [each.code for each in found if each.severity == "warning"],
    }
