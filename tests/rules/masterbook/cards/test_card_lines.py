"""Initiative cards: which one it is, what it says, what its line does; approved actions."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.cards import Piles
from rules.core.errors import Impossible
from rules.core.rng import ScriptedRng
from rules.systems.masterbook.checks.action_economy import RollAgain, with_line_effect
from rules.systems.masterbook.deck import card_lines, deal
from rules.systems.masterbook.deck.card_definitions import (
    KINDS,
    Face,
    InitiativeLine,
    LineEffect,
    Setting,
    default_faces,
    default_setting,
)
from rules.systems.masterbook.deck.card_lines import CardDeed, CardReading
from rules.systems.masterbook.deck.deck_state import (
    DISCARD_PILE,
    DRAW_PILE,
    HAND,
    INITIATIVE,
    POOL,
    QUEUE,
    Cards,
    Deal,
    Flip,
    Seat,
)
from rules.systems.masterbook.formulas import damage, dice, multi_actions
from rules.systems.masterbook.formulas.damage import Harm
from tests.conformance.masterbook_card_names import apart

NOBODY = ScriptedRng([])
SEATS = (Seat("a"), Seat("b"))


def agreed_settings(**said: Any) -> Setting:
    """The whole deck is played with, and this besides."""
    table = {"cards_mode": "full", **said}
    return lambda key: table.get(key, default_setting(key))


def card(
    name: str,
    players: LineEffect = "",
    gms: LineEffect = "",
    *approved: str,
    skill: str = "",
    kind: str = "action",
) -> Face:
    """A card of this line in both kinds of scene."""
    line = InitiativeLine("P", players, gms, skill)
    return Face(name, kind, line, line, "letters", ("A",), approved)


def deck(*faces: Face, now: Flip | None = None, **places: tuple[str, ...]) -> Cards:
    """These cards; `_` stands for the colon in the names of their places."""
    piles = {key.replace("_", ":"): held for key, held in places.items() if held}
    return Cards(Piles(piles), Deal(3, SEATS, now, 1), {each.id: each for each in faces}, KINDS)


def error_of(code: str, what: Any) -> None:
    with pytest.raises(Impossible) as caught:
        what()
    assert caught.value.code == f"mb-card-{code}"


@pytest.mark.rule("MB-CARD-I01", "MB-CARD-I04", "MB-CARD-I06", "MB-CARD-I11")
def test_what_a_card_says() -> None:
    found = card_lines.read_face(default_faces()["14"], "standard")
    assert found == CardReading("P", "", "stymied", "", ("defend", "taunt"), "letters", ("A", "D"))
    assert card_lines.read_face(default_faces()["14"], "dramatic").first == "G"
    both = Face("x", "action", InitiativeLine("G", "flurry", "breaks"))
    said = card_lines.read_face(both, "standard")
    assert (said.sides, said.effect_on("P"), said.effect_on("G")) == (
        ("G", "P"),
        "flurry",
        "breaks",
    )
    talk = deck(both, now=Flip("x", kind="interaction")).replace(
        setting=agreed_settings(interaction_rounds_use_cards="none")
    )
    plain = card_lines.current_reading(talk)
    assert plain is not None and (plain.first, plain.players, plain.gms) == ("G", "", "")
    assert card_lines.read_face(Face("blank", "blank"), "dramatic") == CardReading(scene="dramatic")


@pytest.mark.rule("MB-CARD-I01")
def test_a_flip_takes_what_was_kept_for_it_first() -> None:
    faces = [card(each) for each in "wxyz"]
    cards = deck(*faces, now=Flip(), draw=("y", "z"), queue=("x",))
    error_of(
        "not-in-rounds", lambda: card_lines.flip(deck(*faces, draw=("y",)), "standard", NOBODY)
    )
    cards = cards.with_seat_changes("a", awards=1, extra_actions=1, poolings=1)
    cards, moves = apart(card_lines.flip(cards, "dramatic", NOBODY))
    assert cards.deal.round == Flip("x", "dramatic") and [each.what for each in moves] == [
        "flipped"
    ]
    assert cards.seat("a") == Seat("a") and cards.deal.number == 2
    assert (cards.at(QUEUE), cards.at(INITIATIVE)) == ((), ("x",))
    cards = card_lines.flip(cards, "standard", NOBODY)
    cards = card_lines.flip(cards, "standard", NOBODY)
    assert cards.at(INITIATIVE) == ("z", "y", "x")
    # All cards of the rounds before are shuffled in, that of the last one too: it is over.
    cards, moves = apart(
        card_lines.flip(cards.replace(changes=()), "standard", ScriptedRng([1, 1]))
    )
    assert [each.what for each in moves] == ["reshuffled", "flipped"]
    assert len(cards.at(DRAW_PILE)) == 2 and len(cards.at(INITIATIVE)) == 1
    empty = deck(card("x"), now=Flip(), hand_a=("x",))
    error_of("deck-exhausted", lambda: card_lines.flip(empty, "standard", NOBODY))


@pytest.mark.rule("MB-CARD-E16")
def test_seizing_the_initiative() -> None:
    seize = card("s", kind="seize_initiative")
    faces = (card("x", "fatigued"), card("y"), card("c", "confused"), seize, card("h"))
    cards = deck(*faces, now=Flip("x"), draw=("y",), initiative=("x",), pool_a=("s",))
    now, moves = apart(
        card_lines.seize(cards.replace(setting=agreed_settings()), "a", "s", "flip", NOBODY)
    )
    assert (now.deal.round, now.at(DISCARD_PILE)) == (Flip("y"), ("s",))
    assert [each.what for each in moves] == ["seized", "flipped"]
    kept = card_lines.seize(cards.replace(setting=agreed_settings()), "a", "s", "keep", NOBODY)
    again, moves = apart(card_lines.flip(kept.replace(changes=()), "dramatic", NOBODY))
    assert again.deal.round == Flip("x", "dramatic") and [each.what for each in moves] == ["kept"]
    assert again.at(DRAW_PILE) == ("y",) and again.deal.number == kept.deal.number + 1
    error_of(
        "not-in-rounds",
        lambda: card_lines.seize(
            deck(*faces).replace(setting=agreed_settings()), "a", "s", "flip", NOBODY
        ),
    )
    blocked = deck(*faces, now=Flip("c"), draw=("y",), initiative=("c",), pool_a=("s",))
    error_of(
        "confused",
        lambda: card_lines.seize(
            blocked.replace(setting=agreed_settings()), "a", "s", "flip", NOBODY
        ),
    )
    error_of(
        "not-in-pool",
        lambda: card_lines.seize(
            cards.replace(setting=agreed_settings()), "b", "s", "flip", NOBODY
        ),
    )
    talk = deck(*faces, now=Flip("x", kind="interaction"), draw=("y",), pool_a=("s",))
    only = agreed_settings(combat_only_cards_in="combat_rounds")
    error_of(
        "not-in-rounds",
        lambda: card_lines.seize(talk.replace(setting=only), "a", "s", "keep", NOBODY),
    )
    other = deck(*faces, now=Flip("x"), draw=("y",), pool_a=("h",))
    error_of(
        "wrong-window",
        lambda: card_lines.seize(
            other.replace(setting=agreed_settings()), "a", "h", "flip", NOBODY
        ),
    )
    held = deck(*faces, now=Flip("x"), draw=("y",), hand_a=("s",))
    error_of(
        "not-in-pool",
        lambda: card_lines.seize(held.replace(setting=agreed_settings()), "a", "s", "flip", NOBODY),
    )
    moment = held.with_seat_changes("a", moment_declared=True)
    assert card_lines.seize(
        moment.replace(setting=agreed_settings()), "a", "s", "flip", NOBODY
    ).deal.round == Flip("y")


@pytest.mark.rule("MB-CARD-I02", "MB-CARD-I03")
def test_sides_act_one_after_the_other() -> None:
    scores = {"Ana": 9, "Ben": 12, "Thug": 12, "Guard": 12}
    assert multi_actions.initiative_order(scores, [["Thug", "Guard"], ["Ana", "Ben"]]) == (
        ("Thug", "Guard"),
        ("Ben",),
        ("Ana",),
    )


@pytest.mark.rule("MB-CARD-I05", "MB-CARD-I07")
def test_shock_comes_and_goes() -> None:
    assert card_lines.apply_fatigue(Harm(shock=3), 8) == (Harm(shock=5), (("shock", 2),))
    assert card_lines.apply_fatigue(Harm(shock=6), 8)[0].out
    hurt = Harm(wounds=2, shock=8, k=damage.K_RESTS, o=True, fainted=True)
    assert card_lines.apply_inspiration(hurt) == (
        Harm(wounds=2, down=damage.KNOCKED_DOWN),
        (("woken", 0),),
    )
    assert card_lines.apply_inspiration(Harm(shock=1, down=1)) == (Harm(), (("inspired", 0),))
    assert card_lines.apply_inspiration(Harm()) == (Harm(), ())
    mortal = Harm(wounds=5, shock=5, k=damage.K_RESTS)
    assert (
        card_lines.apply_inspiration(mortal)[0] == Harm(wounds=5)
        and card_lines.apply_inspiration(mortal)[0].out
    )
    dead = Harm(wounds=6, shock=5, dead_for=0)
    assert card_lines.apply_inspiration(dead) == (dead, ())


@pytest.mark.rule("MB-CARD-I06", "MB-CARD-I08")
def test_how_many_actions_somebody_has() -> None:
    assert [deal.action_count(each, loses=True) for each in ("", "flurry", "setback")] == [1, 2, 0]
    assert deal.action_count("setback", 1, loses=True) == 1 and deal.action_count("setback") == 1


@pytest.mark.rule("MB-CARD-I09", "MB-CARD-I10", "MB-CARD-L04")
def test_dice_that_roll_again() -> None:
    again = with_line_effect("up", with_line_effect("stymied", RollAgain()))
    assert again == RollAgain(1, True) and with_line_effect("fatigued", again) == again
    # One of the two free dice is lost.
    assert dice.throw(ScriptedRng([7, 6, 8]), False, again.ups, again.stymied).total == 21
    assert with_line_effect("up", RollAgain(1)) == RollAgain(2)
    assert (
        card_lines.is_unlucky(2, 3)
        and not card_lines.is_unlucky(1, 3)
        and card_lines.is_unlucky(3, 4)
    )
    # Every two dice thrown together may be bad luck, and no die that is thrown alone.
    thrown = dice.throw(ScriptedRng([6, 6, 1, 2]), False, 1)
    assert (thrown.low, dice.throw(ScriptedRng([9, 1, 5, 1, 2]), False, 2, True).low) == (3, 3)
    assert dice.throw(ScriptedRng([6, 6, 1]), False, 1, True).low == 12
    assert dice.throw(ScriptedRng([10, 4, 1]), True).low == 14
    assert dice.spend_point(thrown, ScriptedRng([1, 1])).low == 2


@pytest.mark.rule("MB-CARD-I11")
def test_a_side_that_has_to_break_off() -> None:
    assert card_lines.trap_penalty(achieved=True, can_leave=False) == 0
    assert card_lines.trap_penalty(achieved=False, can_leave=True) == 0
    assert card_lines.trap_penalty(achieved=False, can_leave=False) == 4


@pytest.mark.rule("MB-CARD-I12")
def test_a_card_is_taken_away() -> None:
    faces = (card("x", "", "skill", skill="taunt"), card("h"), card("i"), card("p"))
    cards = deck(*faces, now=Flip("x"), hand_a=("i", "h"), pool_a=("p",))
    # The one received first is number 0.
    now, moves = apart(
        card_lines.take_card(
            cards.replace(setting=agreed_settings()), "a", None, ScriptedRng([1]), "taunt"
        )
    )
    assert (now.at(HAND, "a"), moves[0].cards) == (("i",), ("h",))
    now = card_lines.take_card(cards.replace(setting=agreed_settings()), "a", "p", NOBODY, "taunt")
    assert (now.at(POOL, "a"), now.at(DISCARD_PILE)) == ((), ("p",))
    error_of(
        "effect-not-active",
        lambda: card_lines.take_card(
            cards.replace(setting=agreed_settings()), "a", None, NOBODY, "trick"
        ),
    )
    error_of(
        "no-cards",
        lambda: card_lines.take_card(
            cards.replace(setting=agreed_settings()), "b", None, NOBODY, "taunt"
        ),
    )
    error_of(
        "not-in-pool",
        lambda: card_lines.take_card(
            cards.replace(setting=agreed_settings()), "a", "h", NOBODY, "taunt"
        ),
    )
    talk = deck(*faces, now=Flip("x", kind="interaction"), hand_a=("h",))
    silent = agreed_settings(interaction_rounds_use_cards="approved")
    error_of(
        "effect-not-active",
        lambda: card_lines.take_card(talk.replace(setting=silent), "a", None, NOBODY, "taunt"),
    )


# --- approved actions -----------------------------------------------------------------------------

TAUNTED = CardDeed("taunt", "Taunt", True, True)


@pytest.mark.rule("MB-CARD-A02")
def test_what_an_act_line_means() -> None:
    assert card_lines.matches("any", CardDeed(skill="Fire Combat"))
    assert card_lines.matches("maneuver", CardDeed("maneuver", "Acrobatics"))
    assert not card_lines.matches("maneuver", CardDeed("", "Acrobatics"))
    assert not card_lines.matches("taunt", CardDeed("check", "Taunt"))
    assert card_lines.matches("fire_combat", CardDeed("", "Fire Combat"))
    assert (
        card_lines.has_stopped_attack(16, [14])
        and not card_lines.has_stopped_attack(11, [])
        and not card_lines.has_stopped_attack(12, [12, 15])
    )


@pytest.mark.rule("MB-CARD-A01", "MB-CARD-A03", "MB-CARD-I13")
def test_what_earns_a_card() -> None:
    faces = (
        card("x", "", "", "taunt"),
        card("c", "confused", "", "taunt"),
        card("f", "flurry", "", "any"),
    )
    cards = deck(*faces, now=Flip("x"))
    once = card_lines.earn_card(cards.replace(setting=agreed_settings()), "a", TAUNTED)
    assert once.seat("a").awards == 1 and card_lines.deny_award(once, "a").deal == cards.deal
    error_of("precondition", lambda: card_lines.deny_award(cards, "a"))
    error_of(
        "limit-reached",
        lambda: card_lines.earn_card(once.replace(setting=agreed_settings()), "a", TAUNTED),
    )
    haste = once.with_seat_changes("a", extra_actions=1)
    assert (
        card_lines.earn_card(haste.replace(setting=agreed_settings()), "a", TAUNTED)
        .seat("a")
        .awards
        == 2
    )
    flurry = deck(*faces, now=Flip("f"))
    for _ in range(2):
        flurry = card_lines.earn_card(flurry.replace(setting=agreed_settings()), "a", TAUNTED)
    error_of(
        "limit-reached",
        lambda: card_lines.earn_card(flurry.replace(setting=agreed_settings()), "a", TAUNTED),
    )
    error_of(
        "no-seat",
        lambda: card_lines.earn_card(cards.replace(setting=agreed_settings()), "npc", TAUNTED),
    )
    error_of(
        "not-in-rounds",
        lambda: card_lines.earn_card(deck(*faces).replace(setting=agreed_settings()), "a", TAUNTED),
    )
    for code, deed in (
        ("not-rolled", TAUNTED.replace(rolled=False)),
        ("not-listed", TAUNTED.replace(kind="trick")),
        ("failed", TAUNTED.replace(succeeded=False)),
    ):
        error_of(
            code,
            lambda deed=deed: card_lines.earn_card(
                cards.replace(setting=agreed_settings()), "a", deed
            ),
        )
    assert card_lines.deny_award(once, "a").seat("a").awards == 0, "a GM takes it back"
    blocked = deck(*faces, now=Flip("c"))
    error_of(
        "confused",
        lambda: card_lines.earn_card(blocked.replace(setting=agreed_settings()), "a", TAUNTED),
    )
    assert (
        card_lines.earn_card(
            blocked.replace(setting=agreed_settings(confused_blocks_awards=False)), "a", TAUNTED
        )
        .seat("a")
        .awards
        == 1
    )
    talk = deck(*faces, now=Flip("x", kind="interaction"))
    error_of(
        "not-listed",
        lambda: card_lines.earn_card(
            talk.replace(setting=agreed_settings(interaction_rounds_use_cards="lines")),
            "a",
            TAUNTED,
        ),
    )
    plain = agreed_settings(cards_mode="initiative_only")
    error_of("not-listed", lambda: card_lines.earn_card(cards.replace(setting=plain), "a", TAUNTED))


@pytest.mark.rule("MB-CARD-A01", "MB-CARD-12")
def test_cards_come_at_the_rounds_end_and_are_locked() -> None:
    faces = [card(each) for each in "xyzp"]
    cards = deck(*faces, now=Flip("x"), draw=("y", "z"), hand_b=("p",), round=())
    cards = cards.with_seat_changes("a", awards=1).with_seat_changes(
        "b", awards=1, moment_declared=True, moment_used=True
    )
    cards, moves = apart(card_lines.end_round(cards, NOBODY))
    assert (cards.at(HAND, "a"), cards.seat("a").locks) == (("y",), (("y", 2),))
    # What was held in the critical moment is gone before what it earned comes.
    assert (cards.at(HAND, "b"), cards.at(DISCARD_PILE)) == (("z",), ("p",))
    assert [each.what for each in moves] == ["moment-over", "drawn", "drawn"]
    assert cards.seat("a").awards == 0


@pytest.mark.rule("MB-CARD-N01")
def test_without_cards_tens_roll_again() -> None:
    assert dice.bonus_number(dice.throw(ScriptedRng([10, 6, 10, 2]), True).total) + 9 == 20
