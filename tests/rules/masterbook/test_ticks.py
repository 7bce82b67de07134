"""What rounds and time do by themselves: dying, waking, drowning (MB-DMG-05 to MB-DMG-10,
MB-SKILL-SWIMMING).
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.rng import ScriptedRng
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.combat import healing
from rules.systems.masterbook.combat.healing import GASPED
from rules.systems.masterbook.formulas.damage import Harm
from rules.systems.masterbook.formulas.movement import Drowning
from rules.systems.masterbook.system import SYSTEM
from rules.table.marks import with_marks
from rules.table.resources import TickKind
from rules.table.state import Character, Mark, Settings, TableState
from rules.table.system import Game, Tick
from tests.sample_table import GM

NORA = "k1"


def _game(**sheet: Any) -> Game:
    nora = Character(NORA, "Nora", "p2", MasterbookSheet(**sheet))
    state = TableState(Settings("Hills", "masterbook", ("p1",)), characters={NORA: nora})
    return Game(state, SYSTEM, ScriptedRng(()), 0, GM)


def _passed(
    game: Game, tick: TickKind, *, at: int = 2, minutes: int = 0
) -> tuple[Game, dict[str, Any]]:
    told = healing.apply_harm_tick(game, Tick(tick, (NORA,), at, minutes=minutes))
    facts: list[Any] = []
    for _, line in told.lines:
        found: Any = line.params["facts"]
        facts += found
    return told.game, {each.params["what"]: each.params["number"] for each in facts}


@pytest.mark.rule("MB-SKILL-SWIMMING")
def test_each_round_under_water_takes_shock_until_the_count_is_endurance() -> None:
    game = _game(endurance=8, drowning=Drowning(3))
    for shock in (2, 4, 6, 8):
        game, facts = _passed(game, "round-end")
        assert facts["shock"] == 2 and game.sheet(NORA).harm.shock == shock
        game = game.with_state(with_marks(game.state, NORA, Mark(GASPED, until="round")))
        game, facts = _passed(game, "round-end")
        assert not facts, "a try of one's own was this round"
        game = game.with_state(game.state.with_own(f"marks:{NORA}", None))
    assert game.sheet(NORA).harm.fainted
    game, facts = _passed(game, "time", minutes=2)
    assert "drowned" in facts and game.sheet(NORA).harm.dead


def test_years_go_by_for_those_who_are_above_water(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of theirs are not counted one by one: there are three millions in a year."""
    monkeypatch.setattr(healing, "gasp_for_air", lambda *given: pytest.fail("nobody drowns"))
    game, facts = _passed(_game(), "time", minutes=10 * 365 * 24 * 60)
    assert not facts and game.sheet(NORA) == _game().sheet(NORA)


@pytest.mark.rule("MB-SKILL-SWIMMING")
def test_whoever_reaches_the_number_comes_up() -> None:
    game, facts = healing.gasp_for_air(_game(drowning=Drowning(3)), NORA, 5)
    assert facts == (("surfaced", 0),) and game.sheet(NORA).drowning is None
    game, facts = healing.gasp_for_air(_game(drowning=Drowning(3)), NORA, 4)
    assert facts == (("shock", 2),) and game.sheet(NORA).drowning == Drowning(3, 1)
    assert healing.gasp_for_air(_game(), NORA, None)[1] == ()


@pytest.mark.rule("MB-DMG-06", "MB-DMG-07", "MB-DMG-09")
def test_what_lasts_for_rounds_ends_with_them() -> None:
    fallen = Harm(o=True, down=2)
    game, facts = _passed(_game(harm=fallen), "round-start", at=1)
    assert game.sheet(NORA).harm == fallen and not facts, "the first round only begins"
    game, facts = _passed(game, "round-start")
    assert game.sheet(NORA).harm == Harm(down=1)
    assert _passed(_game(harm=fallen), "encounter-end")[0].sheet(NORA).harm == Harm()
    game, facts = _passed(_game(endurance=8, harm=Harm(wounds=5, shock=5)), "round-start")
    assert facts["dying"] == 2
    assert "dead" in _passed(game, "time", minutes=1)[1]
