"""Rolls of dice as messages: results, notation of other bots, and what can't be read."""

from __future__ import annotations

import pytest

from bot.presenters.errors import error_cards
from rules.core.errors import RulesError
from rules.core.rng import ScriptedRng
from rules.table.actions import RollDice
from tests.presenters.scenes import ANA, BY, NAMES, body, card_of, table, title
from tests.sample_table import resolve


def rolled_text(dice: str, *faces: int) -> str:
    """Return the head and the body of the message about a roll of Ana's."""
    rng = ScriptedRng(faces)
    (event,) = resolve(table(), RollDice(who=ANA, dice=dice, **BY), rng).events
    assert rng.left == 0
    card = card_of(event)
    return f"{title(card)}\n{body(card)}".replace("\\>", ">")


@pytest.mark.parametrize(
    ("dice", "faces", "text"),
    [
        ("5d6>4", (5, 6, 1, 2, 5), "Ana rolls 3 successes"),
        ("1d6>4", (5,), "Ana rolls 1 success"),
        ("1d6>4", (1,), "Ana rolls 0 successes"),
        ("1d6+1 > 4", (4,), "true"),
        ("1d6+1 > 4", (2,), "false"),
        ("2d6-10", (1, 2), "Ana rolls −7"),
        ("1d6/2", (5,), "= 2.5, so **2**"),
        ("d%", (3,), "Ana rolls 20"),
        ("3x 1d6", (1, 2, 3), "Ana rolls 1, 2 and 3"),
        ("3x 1d6", (1, 2, 3), "**Totals:** 1, 2, 3"),
        ("1d6e6", (6, 2), "6!"),
    ],
)
def test_results(dice: str, faces: tuple[int, ...], text: str) -> None:
    assert text in rolled_text(dice, *faces)


@pytest.mark.parametrize(
    ("dice", "faces", "text"),
    [
        ("4dF", (1, 2, 3, 3), "4dF (−1, 0, 1, 1) = **1**"),
        ("3d6!", (6, 1, 2, 6, 3), "3d6! (6!, 1, 2, 6!, 3) = **18**"),
        ("adv", (3, 17), "1d20 adv (17; not 3) = **17**"),
        ("d20+5 dis", (3, 17), "1d20 dis (3; not 17) + 5 = **8**"),
        ("1d20+5 # stealth", (9,), "> stealth"),
        ("2d6 fire damage", (6, 2), "2d6 (6, 2) [fire damage] = **8**"),
        ("3d6!!", (6, 1, 2, 6, 3), "3d6!! (6+6+3, 1, 2) = **18**"),
        ("2d6!!>=9", (6, 5, 4), "2d6!!>=9 (6+4, 5): 1 success"),
        ("4d6k3", (5, 6, 3, 1), "4d6kh3 (5, 6, 3; not 1) = **14**"),
        ("4d6kh3", (5, 6, 3, 1), "4d6kh3 (5, 6, 3; not 1) = **14**"),
        ("2d20kl1", (5, 16), "2d20kl1 (5; not 16) = **5**"),
        ("4d6d1", (5, 6, 3, 1), "4d6dl1 (5, 6, 3; not 1) = **14**"),
        ("6d10>7", (8, 7, 1, 2, 3, 10), "6d10>7 (8, 7, 1, 2, 3, 10): 2 successes"),
        ("6d10>=7", (8, 7, 1, 2, 3, 10), "6d10>=7 (8, 7, 1, 2, 3, 10): 3 successes"),
        ("6d10t7", (8, 7, 1, 2, 3, 10), "6d10>=7 (8, 7, 1, 2, 3, 10): 3 successes"),
        ("3d6=6", (6, 6, 1), "3d6==6 (6, 6, 1): 2 successes"),
        ("3d6cs>4", (6, 5, 1), "3d6>4 (6, 5, 1): 2 successes"),
        ("3d6ro1", (1, 5, 2, 4), "3d6ro1 (1 again 4, 5, 2) = **11**"),
        ("1d20min10", (3,), "1d20mi10 (3 as 10) = **10**"),
        ("2d6+1d4-1", (6, 2, 3), "2d6 (6, 2) + 1d4 (3) − 1 = **10**"),
        ("(2d6+3)*2", (6, 2), "(2d6 (6, 2) + 3) × 2 = **22**"),
        ("{2d6,1d8}kh1", (6, 2, 5), "(2d6 (6, 2), not 1d8 (5))kh1 = **8**"),
        ("2x2d6", (6, 2, 1, 1), "1\\. 2d6 (6, 2) = **8**"),
        ("2 4d6k3", (5, 6, 3, 1, 1, 1, 1, 1), "2\\. 4d6kh3 (1, 1, 1; not 1) = **3**"),
        ("10 d6", (1,) * 10, "10d6 (1, 1, 1, 1, 1, 1, 1, 1, 1, 1) = **10**"),
        ("1d20 + 5 to hit", (9,), "1d20 (9) + 5 [to hit] = **14**"),
        ("1d20 + 5 ! stealth", (9,), "> stealth"),
        ("/roll 1d20+5", (9,), "1d20 (9) + 5 = **14**"),
        ("[[1d20+5]]", (9,), "1d20 (9) + 5 = **14**"),
        ("adv+3", (3, 17), "1d20 adv (17; not 3) + 3 = **20**"),
        ("d20adv", (3, 17), "1d20 adv (17; not 3) = **17**"),
    ],
)
def test_notation_of_other_bots(dice: str, faces: tuple[int, ...], text: str) -> None:
    assert text in rolled_text(dice, *faces)


@pytest.mark.parametrize(
    ("dice", "text"),
    [
        ("+5", "No dice in that. For a d20, type 1d20+5."),
        ("3d6r1", "Type ro to reroll once, or rr to reroll until it's gone"),
        ("3d6r<2", "Type ro to reroll once"),
        ("3d6!p", "Type ! instead"),
        ("1d8p", "Type ! instead"),
        ("6d10>7f1", "Failures can't be subtracted here."),
        ("1d20+@str", "Type just the name of the number, such as 1d20+Fitness."),
        ("4d6 keep 3", "kh3 keeps the highest 3"),
        ("4d6 drop lowest", "dl1 drops the lowest"),
        ("3d6 exploding", "! explodes"),
        ("4d6 §", "isn't dice notation"),
        ("1d0", "sides"),
        ("2000d6", "1000"),
        ("(1d6", "never closes"),
    ],
)
def test_what_cannot_be_read_is_pointed_at(dice: str, text: str) -> None:
    with pytest.raises(RulesError) as caught:
        rolled_text(dice)
    (card,) = error_cards(caught.value, NAMES)
    assert text in body(card)
    assert "^" in body(card)
