"""Backgrounds in play: recognition, prices, flaws, reminders (MB-BG-10 to MB-BG-57)."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import Impossible, InvalidInput
from rules.core.rng import ScriptedRng
from rules.systems.masterbook.background import prices, reminders
from rules.systems.masterbook.background.flaws import OFF
from rules.systems.masterbook.background.recognition import roll_recognition
from rules.systems.masterbook.background.reference import matching_kinds
from rules.systems.masterbook.background.state import (
    BackgroundState,
    Matter,
    find_option,
    linked_advantages,
    open_matters,
    option_name,
    require_matter,
    state_of,
    with_matter,
    with_state_of,
    without_matter,
)
from rules.systems.masterbook.character.sheet import MasterbookSheet, option_effects
from rules.systems.masterbook.checks.card_windows import spend_luck
from rules.systems.masterbook.formulas.background import (
    exposure_wounds,
    is_recognized_on,
    panic_difficulty,
    pay_prices,
    recognition_target,
)
from rules.systems.masterbook.formulas.option_kinds import BACKGROUND_ROWS, Recognition
from rules.systems.masterbook.system import SYSTEM
from rules.table.marks import apply_tick, with_marks
from rules.table.resources import TickKind
from rules.table.state import Character, Mark, Settings, TableState
from rules.table.system import Game, Tick
from tests.rules.masterbook.test_options import make_options
from tests.sample_table import GM

NORA = "k1"


def game_with(
    *advantages: str, compensations: tuple[str, ...] = (), owner: str | None = "p2", **sheet: Any
) -> Game:
    """Return a table with Nora, who has these options."""
    found = MasterbookSheet(
        advantages=make_options("advantage", *advantages),
        compensations=make_options("compensation", *compensations),
        **sheet,
    )
    state = TableState(
        Settings("Hills", "masterbook", ("p1",)),
        characters={NORA: Character(NORA, "Nora", owner, found)},
    )
    return Game(state, SYSTEM, ScriptedRng(()), 0, GM)


def tick_table(game: Game, kind: TickKind) -> Game:
    return reminders.apply_background_tick(game, Tick(kind, (NORA,))).game


@pytest.mark.rule("MB-BG-14")
@pytest.mark.parametrize(
    ("total", "modifier", "culture", "recognized"),
    [(14, 0, "elsewhere", False), (14, 1, "elsewhere", True), (8, 0, "home", True)],
)
def test_a_die_total_recognizes(total: int, modifier: int, culture: Any, recognized: bool) -> None:
    target = recognition_target(Recognition(8, 15), culture)
    assert is_recognized_on(total, modifier, target) is recognized


@pytest.mark.rule("MB-BG-25")
@pytest.mark.parametrize(
    ("line", "culture", "automatic"),
    [
        ("Fame (CII): a song", "home", True),
        ("Fame (CII): a song", "elsewhere", False),
        ("Fame (CIII): a song", "home", False),
    ],
)
def test_a_name_is_enough_at_home(line: str, culture: Any, automatic: bool) -> None:
    option = option_effects(game_with(line).sheet(NORA)).recognitions[0]
    rng = ScriptedRng(() if automatic else (1, 2))
    roll = roll_recognition(rng, option, culture, name=True)
    assert roll.recognized is automatic and roll.announced is automatic


@pytest.mark.rule("MB-BG-40")
def test_heels_have_the_numbers_of_the_book() -> None:
    assert [exposure_wounds(total) for total in (11, 12)] == [1, 0]
    assert [panic_difficulty(water) for water in ("near", "in", "wet")] == [2, 4, 2]


@pytest.mark.rule("MB-BG-56")
@pytest.mark.parametrize(
    ("points", "due", "left", "paid"),
    [(4, (1, 3), 0, (0, 1)), (2, (3,), 2, ()), (2, (3, 1), 1, (1,)), (0, (), 0, ())],
)
def test_prices_are_paid_in_their_order(
    points: int, due: tuple[int, ...], left: int, paid: tuple[int, ...]
) -> None:
    found = pay_prices(points, due)
    assert (found.left, found.paid) == (left, paid)
    assert {*found.paid, *found.unpaid} == {*range(len(due))}


@pytest.mark.rule("MB-BG-56")
def test_luck_that_was_used_in_play_is_known_to_be_used() -> None:
    price = "Price (CII): Luck (CII); price: a year of life; life points: 3"
    game = game_with("Luck (CII)", compensations=(price,), life_points=4)
    luck = game.sheet(NORA).advantages[0]
    assert not prices.is_used(game, NORA, luck)
    game = spend_luck(game, NORA, "haste")
    assert prices.is_used(game, NORA, luck)
    assert tick_table(game, "adventure-end").sheet(NORA).life_points == 1


@pytest.mark.rule("MB-BG-56", "MB-BG-13")
def test_a_price_is_missed_once_and_then_for_good() -> None:
    price = "Price (CI): Luck (CII); price: blood; life points: 1"
    game = game_with("Luck (CII)", compensations=(price,), life_points=0)
    luck, name = game.sheet(NORA).advantages[0], option_name(game.sheet(NORA).compensations[0])
    game = tick_table(prices.with_use(game, NORA, luck), "adventure-end")
    assert game.sheet(NORA).advantages[0].state == "suspended"
    assert option_effects(game.sheet(NORA)).luck == ()
    assert state_of(game, NORA).unpaid == (name,)
    game = tick_table(game, "adventure-start")
    assert state_of(game, NORA) == BackgroundState(unpaid=(name,))
    game = prices.with_use(game, NORA, game.sheet(NORA).advantages[0])
    game = tick_table(game, "adventure-end")
    sheet = game.sheet(NORA)
    assert [each.state for each in (*sheet.advantages, *sheet.compensations)] == ["lost", "lost"]
    assert state_of(game, NORA).unpaid == ()


@pytest.mark.rule("MB-BG-41")
def test_a_price_and_a_flaw_find_their_advantage_by_title_or_label() -> None:
    flaws = ("Advantage Flaw (CIII): the coin; flaw: rattles", "Price (CI): Luck (CII); price: x")
    game = game_with('Luck (CII); "the coin"', "Wealth (CI)", compensations=flaws)
    sheet: MasterbookSheet = game.sheet(NORA)
    for option in sheet.compensations:
        assert linked_advantages(sheet, option) == sheet.advantages[:1]


@pytest.mark.rule("MB-BG-41")
def test_only_what_a_flaw_took_comes_back() -> None:
    game = game_with("Luck (CII); suspended", "Wealth (CI); suspended")
    mark = Mark(OFF, "Wealth (CI)", until="scene")
    game = game.with_state(with_marks(game.state, NORA, mark))
    game = apply_tick(game, "scene", (NORA,)).game
    assert [each.state for each in game.sheet(NORA).advantages] == ["suspended", ""]


@pytest.mark.rule("MB-BG-13")
def test_an_adventure_begins_with_nothing_used_and_raised_quirks() -> None:
    game = game_with("Luck (CII)")
    state = BackgroundState((("Quirk (CI)", 2),), ("Luck (CII)",), ("Price (CI)",), True)
    game = tick_table(with_state_of(game, NORA, state), "adventure-start")
    kept = BackgroundState((("Quirk (CI)", 2),), unpaid=("Price (CI)",))
    assert state_of(game, NORA) == kept


@pytest.mark.rule("MB-BG-47", "MB-BG-49")
def test_reminders_are_those_of_now_alone() -> None:
    game = game_with(compensations=("Enemy (CI): Orlok; motive: x", "Debt (CI): the bank"))
    game = tick_table(game, "adventure-start")
    assert [each.kind for each in open_matters(game)] == ["enemy"]
    game = tick_table(game, "adventure-end")
    assert [each.kind for each in open_matters(game)] == ["enemy", "debt"]
    game = tick_table(game, "adventure-start")
    assert [each.kind for each in open_matters(game)] == ["enemy"]
    told = reminders.apply_background_tick(game_with(), Tick("adventure-start", (NORA,)))
    assert told.events == ()


def test_a_matter_has_a_number_of_its_own_and_is_settled_once() -> None:
    game, first = with_matter(game_with(), Matter(0, "contact", NORA, "Zora"))
    game, second = with_matter(game, Matter(0, "contact", NORA, "Boris"))
    assert (first.number, second.number) == (1, 2)
    game = without_matter(game, 1)
    assert list(open_matters(game)) == [second]
    with pytest.raises(Impossible, match="mb-background-settled"):
        require_matter(game, 1)


def test_an_option_is_named_by_its_beginning() -> None:
    options = make_options("compensation", "Quirk (CI): steals", "Quirk (CII): drinks")
    assert find_option(options, "quirk (cii)", field="quirk", name="Nora") is options[1]
    for text in (None, "quirk", "phobia"):
        with pytest.raises(InvalidInput, match="mb-background-which"):
            find_option(options, text, field="quirk", name="Nora")
    with pytest.raises(Impossible, match="mb-background-none"):
        find_option((), None, field="quirk", name="Nora")


def test_every_option_is_found_by_its_title() -> None:
    rows = (*BACKGROUND_ROWS.advantages, *BACKGROUND_ROWS.compensations)
    for row in (*rows, *BACKGROUND_ROWS.abilities):
        assert [found for _, found in matching_kinds(row.title, None)] == [row]
