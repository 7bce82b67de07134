"""EBB's checks as procedures: the same play as with challenges comes to the same, and everybody reads the same."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from rules.registry import look
from rules.table.actions import (
    Action,
    Actor,
    Answer,
    AskBack,
    Defend,
    Due,
    Propose,
    Revise,
    Roll,
    Settle,
    Spend,
    TakeHit,
    Withdraw,
)
from rules.table.moves import Move, moves
from rules.table.state import DAY, HOUR
from tests.rules.ebb.twins import ANN, BEN, CLOCK, GM, Twins, by, table, timed

OPTIONS = ("dilemma", "dilemma:3", "flaw:2", "missing-tools:2", "superior", "drawback", "injured")
#: How often a move is made, against the others.
LIKELY = {"withdraw": 0.1, "revise": 0.3, "ask": 0.3, "settle": 0.5, "defend": 1.5, "roll": 2.5}
MINE = {"p1": ("Sidor", "Lebed", "Dog", "Spy"), "p2": ("Anna",), "p3": ("Boris",)}


class Walk:
    """Random play at both tables."""

    def __init__(self, seed: int) -> None:
        self.chance = chance = random.Random(f"twins {seed}")
        state = table(
            live=chance.random() < 0.3,
            reveal=chance.choice(("verdict", "degree", "all")),
            window=chance.choice((0, HOUR, DAY, DAY)),
            hit_window=chance.choice((0, HOUR, DAY)),
            remind_after=chance.choice((0, HOUR, DAY)),
            own={"hit_default": chance.choice(("soften", "suffer"))},
        )
        self.twins = Twins(state, seed)

    def step(self) -> None:
        twins, chance = self.twins, self.chance
        twins.at += chance.choice((0, 1, 60, HOUR))
        able = [(who, move) for who in (GM, ANN, BEN) for move in moves(look(twins.old), who)]
        which = chance.random()
        if which < 0.25 or not able:
            twins.do(self._proposal())
        elif which < 0.35:
            self._due()
        else:
            odds = [LIKELY.get(move.verb, 1) for _, move in able]
            who, move = chance.choices(able, odds)[0]
            twins.do(self._action(who, move))

    def _some(self, words: tuple[str, ...]) -> tuple[str, ...]:
        found = self.chance.sample(words, self.chance.choice((0, 0, 1, 2)))
        kinds = [each.partition(":")[0] for each in found]
        clash = len(set(kinds)) < len(kinds) or {"superior", "missing-tools"} <= {*kinds}
        return () if clash else tuple(found)

    def _proposal(self) -> Propose:
        chance = self.chance
        who = chance.choice((GM, ANN, ANN, BEN))
        kind: Any = chance.choice(("check", "check", "attack", "attack", "attack", "treat", "rest"))
        tools = {"attack": ("", "rifle"), "treat": ("", "a broken arm", "a cut"), "rest": ("rest", "session")}
        rest = kind == "rest"
        actor = chance.choice(MINE[who.id])
        return Propose(
            **by(who, at=self.twins.at),
            kind=kind,
            skill=None if rest else chance.choice((None, "Climbing", "rif", "none")),
            attribute=None if rest else chance.choice((None, "Fitness", "alert")),
            difficulty=None if rest else chance.choice((None, None, "Tricky", "8")),
            approach=chance.choice(("", "up the rope", "up the rope", "up the rope")),
            options=() if rest else self._some(OPTIONS),
            as_=actor,
            visibility=chance.choice(("public", "public", "private", "blind")),
            target=None
            if rest
            else chance.choice((None, "Anna", "Boris", "Boris", "Sidor", "Dog", "the hooded man")),
            tool=chance.choice(tools.get(kind, ("",))),
            gm_only=who is GM and chance.random() < 0.15,
        )

    def _action(self, who: Actor, move: Move) -> Action:
        chance, challenge = self.chance, self.twins.old.challenges[move.challenge]
        on: Any = {**by(who, at=self.twins.at), "challenge": move.challenge, "revision": move.revision}
        match move.verb:
            case "answer":
                return self._answer(on, move)
            case "defend":
                return Defend(
                    **on,
                    skill=chance.choice((None, "Running")),
                    attribute=chance.choice((None, "Fitness")),
                    approach="aside, at once" if who is not GM else chance.choice(("", "down")),
                    options=self._some(("flaw", "drawback", "injured")),
                )
            case "hit":
                part = chance.choice(("", "arm"))
                text = chance.choice(("", "a broken arm"))
                if who is GM and challenge.choice == move.what == "in-full":
                    text = "a broken arm"
                return TakeHit(**on, choice=move.what or "", text=text, part=part)
            case "ask":
                return AskBack(**on, question=chance.choice(("How?", "With what?")))
            case "revise":
                skill = None if challenge.kind == "rest" else chance.choice((None, "none", "Running"))
                approach, modifier = chance.choice((None, "again")), chance.choice((None, 2))
                return Revise(
                    **on, skill=skill, approach=approach, modifier=None if skill is None else modifier
                )
            case "withdraw":
                return Withdraw(**on)
            case "roll":
                return Roll(**on)
            case "settle":
                return Settle(**on)
            case _:
                choice = chance.choice(move.choices) if move.choices else None
                return Spend(**on, what=move.what or "", choice=choice)

    def _answer(self, on: Any, move: Move) -> Answer:
        chance, challenge = self.chance, self.twins.old.challenges[move.challenge]
        kind: Any = chance.choice(("roll", "roll", "roll", "roll", "roll", "margin-only", "free", "cannot"))
        if challenge.opposed and kind == "margin-only":
            kind = "roll"
        if challenge.kind == "rest":
            kind = chance.choice(("free", "cannot"))
        return Answer(
            **on,
            kind=kind,
            hidden=chance.random() < 0.5,
            difficulty=chance.choice((*((None,) if kind == "margin-only" else ()), "Easy", "Tricky", "13")),
            options=(*self._some(OPTIONS), *chance.choice(((), (), ("urgent",), ("specialist",)))),
            disallow=tuple(chance.sample(("ability", "attribute"), chance.choice((0, 0, 1, 2)))),
            modifier=chance.choice((0, -3, 5)),
            note=chance.choice(("", "careful")),
            against=chance.choice((0, 2)),
        )

    def _due(self) -> None:
        twins = self.twins
        found = [
            (wait.due or 0, wait.id)
            for challenge in twins.old.challenges.values()
            for wait in timed(twins.old, challenge)
        ]
        if found:
            due, wait = min(found)
            twins.at = max(twins.at, due)
            twins.do(Due(**by(CLOCK, at=twins.at), wait=wait))


@pytest.mark.parametrize("seed", range(40))
def test_the_same_play_comes_to_the_same(seed: int) -> None:
    walk = Walk(seed)
    for _ in range(60):
        walk.step()


def test_the_play_goes_everywhere() -> None:
    steps: Counter[str] = Counter()
    for seed in range(15):
        walk = Walk(seed)
        for _ in range(60):
            walk.step()
        steps += walk.twins.steps
    assert min(steps[each.__name__] for each in (Propose, Answer, Roll, Spend, Defend, TakeHit, Due)) > 10, (
        steps
    )
