"""The button that stands out is one that helps its reader: every option that random play meets."""

from __future__ import annotations

import random
from typing import Final

import pytest

from bot.presenters.checks import helpful_option
from rules.registry import read_only_game
from rules.table.blocks import Verdict
from rules.table.check import PASS, REACT, AnyCheck
from rules.table.checks.audience_views import view_for_actor
from rules.table.checks.available_moves import Move, available_moves, is_losing
from rules.table.checks.procedure import CheckOption
from rules.table.system import Game
from tests.property.random_play import EVERYBODY, Walk
from tests.property.systems import PLAYED, Grounds
from tests.property.test_play import walking

pytestmark = pytest.mark.slow

STEPS: Final = 400
#: What ends something, gives something away or is against somebody: by the label.
_NEVER: Final = frozenset(
    {"answer-withdraw", "answer-ask", "answer-stand", "answer-leave", "mb-cards-discard"}
)
#: What costs something and still helps whoever is attacked or hurt, by the label.
_DEFENSES: Final = frozenset({"ego-face", "mb-lower", "mb-lower-result"})


def _check_move(game: Game, check: AnyCheck, move: Move) -> str:
    """Check what stands out for one move, and return its label."""
    blocks = view_for_actor(game, check).blocks
    helpful = helpful_option(game.state, move, blocks)
    if move.offer:
        assert helpful is None
        return ""
    verdict = next((each for each in blocks if isinstance(each, Verdict)), None)
    losing = is_losing(game, check, move.who, verdict)
    if move.prompt == REACT and move.passes and not losing:
        assert helpful == PASS, (check.kind, verdict, helpful)
    if not isinstance(helpful, CheckOption):
        return "pass"
    code = helpful.label.code
    assert helpful.odds != 0 and code not in _NEVER
    if helpful.cost is not None:
        assert losing or code in _DEFENSES or helpful.value == "cancel", (code, verdict)
    if helpful.value.startswith("cancel"):
        point = check.data.open_point
        mine, theirs = (game.state.characters[each].owner for each in (move.who, point.who))
        apart = {move.who, point.who} == {check.actor, check.target}
        assert apart or (mine is None) != (theirs is None), "a friend's roll"
    return code


@pytest.mark.parametrize("grounds", PLAYED, ids=lambda each: each.name)
def test_what_stands_out_helps_its_reader(grounds: Grounds) -> None:
    seen: set[str] = set()

    async def work(walk: Walk) -> None:
        for _ in range(STEPS):
            await walk.step()
            state = await walk.session.state()
            for who in EVERYBODY:
                game = read_only_game(state).replace(actor=who, at=walk.now)
                for move in available_moves(game):
                    seen.add(_check_move(game, state.checks[move.check], move))

    walking(grounds, work, random.Random(f"helpful {grounds.name}"))
    assert len(seen) > 3, seen
