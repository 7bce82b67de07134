"""The agenda in random play of all systems: complete for those who may know, silent to others."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from bot.presenters.language.words import say
from rules.registry import read_only_game
from rules.table.absence import players_of
from rules.table.actions import Actor
from rules.table.blocks import EVERYONE, GMS
from rules.table.check import ANY_GM, AnyCheck, OpenPrompt
from rules.table.checks.access import may_see_check, may_see_prompt
from rules.table.state import TableState
from rules.table.system import Game
from rules.table.waits.agenda import Wait, agenda, board_groups, holding
from tests.property.random_play import EVERYBODY, VAULT, Walk
from tests.property.systems import PLAYED, Grounds
from tests.property.test_play import walking
from tests.sample_table import PLACE, open_game

_STEPS = 60
everywhere = pytest.mark.parametrize("grounds", PLAYED, ids=lambda each: each.name)


@dataclass
class _Seen:
    """What the walks have met, so that a walk without any wait is no proof."""

    waits: int = 0
    hidden: int = 0
    kinds: set[str] = field(default_factory=set[str])
    #: Ids of the waits that are open, and of those that are over, in the present walk.
    open: set[str] = field(default_factory=set[str])
    over: set[str] = field(default_factory=set[str])

    def note(self, waits: tuple[Wait, ...]) -> None:
        """Note the waits after a step. None of those that were over comes back."""
        # A turn that was paused goes on.
        now = {wait.id for wait in waits if wait.kind != "turn"}
        self.over |= self.open - now
        self.open = now
        assert not now & self.over, now & self.over
        self.kinds |= {wait.kind for wait in waits}


def _prompts(state: TableState) -> list[tuple[AnyCheck, OpenPrompt]]:
    found: list[tuple[AnyCheck, OpenPrompt]] = []
    for check in state.checks.values():
        found += [(check, asked) for asked in check.asked if asked.waiting_for]
    return found


def _id(check: AnyCheck, asked: OpenPrompt) -> str:
    return f"{check.id}.{asked.number}.{asked.prompt.key}"


def _names_whom_it_waits_for(
    state: TableState, wait: Wait, check: AnyCheck, asked: OpenPrompt, at: int
) -> None:
    for who in asked.waiting_for:
        players = () if who == ANY_GM else players_of(state, who, at)
        if players:
            assert who in wait.characters and {*players} <= {*wait.people}, (wait, check)
        else:
            assert wait.gms, (wait, check)


def _is_complete(game: Game, who: Actor, seen: _Seen) -> None:
    """Everybody is told of the prompts that they may know of, and of no other."""
    waits = {wait.id: wait for wait in agenda(game) if wait.prompt}
    open_prompts = _prompts(game.state)
    known = 0
    for check, asked in open_prompts:
        knows = may_see_check(game, check, who) and may_see_prompt(game, asked, who)
        assert (_id(check, asked) in waits) == knows, (who, check)
        if knows:
            known += 1
            _names_whom_it_waits_for(game.state, waits[_id(check, asked)], check, asked, game.at)
    seen.waits += known
    seen.hidden += len(open_prompts) - known
    # A secret prompt is there until it is over, even if all have answered.
    assert sum(not wait.secret for wait in waits.values()) <= known


def _is_in_words(waits: tuple[Wait, ...]) -> None:
    assert len({wait.id for wait in waits}) == len(waits)
    for wait in waits:
        assert wait.who or wait.gms, wait
        assert (wait.due is None) == (wait.default is None), wait
        assert say(wait.about)
        assert wait.default is None or say(wait.default)


def _public_is_told_to_everybody(state: TableState, at: int) -> None:
    """All that the board could say of checks, every player may know, wherever they can look."""
    for wait in agenda(read_only_game(state, at=at), EVERYONE):
        if wait.check:
            check = state.checks[wait.check]
            assert check.visibility == "public" and not check.gm_only
            asked = check.prompt(wait.prompt)
            assert asked is not None and asked.prompt.visible_to is None


@everywhere
def test_everybody_is_told_of_the_waits_that_they_may_know(grounds: Grounds) -> None:
    seen = _Seen()

    async def work(walk: Walk) -> None:
        seen.open, seen.over = set(), set()
        for _ in range(_STEPS):
            await walk.step()
            state = await walk.session.state()
            for who in EVERYBODY:
                game = open_game(state, who, walk.now)
                _is_complete(game, who, seen)
                _is_in_words(agenda(game))
            _public_is_told_to_everybody(state, walk.now)
            seen.note(agenda(read_only_game(state, at=walk.now), GMS))
            for place in (PLACE, VAULT):
                held = holding(read_only_game(state, at=walk.now), place)
                assert {wait.place for wait in held} <= {place}
                for group in board_groups(read_only_game(state), place):
                    assert group.who or group.gms

    for seed in range(3):
        walking(grounds, work, random.Random(seed))
    assert seen.waits and seen.hidden and "answer" in seen.kinds, seen
