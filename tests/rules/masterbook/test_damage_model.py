"""Harm against a model of its own, written second by second from the rules, over whole fights and
their aftermath.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible
from rules.systems.masterbook.combat import healing
from rules.systems.masterbook.formulas import damage as damage_rules
from rules.systems.masterbook.formulas.damage import Harm
from rules.systems.masterbook.formulas.success_chart import Damage

#: What a letter comes to with a K or an O there: K and O after it, whether it knocks out, the shock
#: it is instead.
LETTERS = {
    ("K", False, False): (True, False, False, 0),
    ("K", False, True): (True, True, True, 0),
    ("K", True, False): (True, False, False, 2),
    ("K", True, True): (True, True, True, 0),
    ("O", False, False): (False, True, False, 0),
    ("O", False, True): (False, True, False, 2),
    ("O", True, False): (True, True, True, 0),
    ("O", True, True): (True, True, True, 0),
}
HAMPERS = {0: (0, 0), 1: (0, 0), 2: (-2, 0), 3: (-4, -2), 4: (-8, -8)}
HEALS = {1: (1, 10), 2: (1, 12), 3: (3, 14), 4: (3, 16), 5: (1, 18)}
AID = {1: 9, 2: 11, 3: 12, 4: 14, 5: 18}
DAY = 86_400


class Model:
    """Somebody, told by what a watcher with a stop-watch would note."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.wounds = self.shock = self.bleeding = self.lying = 0
        self.rest_for_k = self.wakes_in = self.since = self.unfinished = self.retry = 0
        self.o = self.passed_out = self.helped = self.steady = False
        self.dead: int | None = None
        self.tried: set[str] = set()

    @property
    def near_death(self) -> bool:
        return self.dead is None and self.wounds == 5 and not self.helped

    @property
    def out(self) -> bool:
        return bool(self.dead is not None or self.near_death or self.wakes_in or self.passed_out)

    def wound(self, number: int) -> None:
        self.wounds += number
        self.helped = self.steady = False
        self.tried = set()
        self.since = 0

    def strain(self, shock: int, *, was_out: bool) -> None:
        self.shock += shock
        if not shock or self.shock < self.capacity:
            return
        if self.bleeding and was_out:
            self.wound(1)
            self.shock = 0
            return
        self.passed_out = True
        if self.bleeding:
            self.shock = 0

    def looked_at(self, *, was_out: bool) -> None:
        if self.dead is None and self.wounds >= 6:
            self.dead = 0
        if self.out and not was_out:
            self.unfinished = 0

    def hit(self, wounds: int, down: bool, letters: str, shock: int, bleeders: int) -> None:
        was_out = self.out
        if wounds:
            self.wound(wounds)
        self.bleeding += bleeders
        if self.dead is not None:
            return
        if down:
            self.lying = 2
        if letters == "KO":
            shock += self.letter("O" if self.rest_for_k else "K")
            self.rest_for_k, self.o, self.wakes_in = self.rest_for_k or 1800, True, 60
        elif letters:
            single = letters if letters != "K/O" else "O" if self.rest_for_k else "K"
            shock += self.letter(single)
        self.strain(shock, was_out=was_out)
        self.looked_at(was_out=was_out)

    def letter(self, letter: str) -> int:
        k, self.o, out, more = LETTERS[letter, self.rest_for_k > 0, self.o]
        self.rest_for_k = (self.rest_for_k or 1800) if k else 0
        self.wakes_in = 60 if out else self.wakes_in
        return 0 if out else more

    def second(self, *, resting: bool) -> None:
        was_out = self.out
        if self.wounds:
            self.since += 1
        self.retry = max(0, self.retry - 1)
        if was_out or resting:
            self.rest_for_k = max(0, self.rest_for_k - 1)
            if self.shock and not self.bleeding and not self.near_death:
                self.unfinished += 1
                if self.unfinished >= (10 if was_out else 60):
                    self.shock, self.unfinished = self.shock - 1, 0
        if not self.shock:
            self.unfinished = 0
        self.wakes_in = max(0, self.wakes_in - 1)
        if not self.shock and not self.bleeding:
            self.passed_out = False
        if was_out and not self.out:
            self.awake()

    def awake(self) -> None:
        self.o = False
        if self.bleeding:
            self.shock = 0

    def round(self, *, resting: bool = False) -> None:
        if self.dead is not None:
            self.dead = min(2, self.dead + 1)
            return
        self.o, self.lying = False, max(0, self.lying - 1)
        was_out = self.out
        if self.near_death and not self.steady:
            self.shock += 1 + self.bleeding
            if self.shock >= self.capacity:
                self.dead = 0
                return
        else:
            self.strain(self.bleeding, was_out=was_out)
        self.looked_at(was_out=was_out)
        for _ in range(10 if self.dead is None else 0):
            self.second(resting=resting)

    def time(self, seconds: int, *, resting: bool) -> None:
        while (
            seconds >= 10
            and self.dead is None
            and (self.bleeding or (self.near_death and not self.steady))
        ):
            self.round(resting=resting)
            seconds -= 10
        if self.dead is not None:
            self.dead = min(2, self.dead + seconds // 10)
            return
        if seconds >= 10:
            self.o, self.lying = False, max(0, self.lying - seconds // 10)
        for _ in range(seconds):
            self.second(resting=resting)

    def aid(self, what: str, total: int, helper: str) -> bool:
        """Whether it could be tried at all."""
        was_out = self.out
        alive = self.dead is None
        troubled = self.shock or self.rest_for_k or self.o or self.wakes_in or self.passed_out
        if what == "wounds":
            in_time = alive or ((self.dead or 0) < 2 and self.wounds <= 6)
            if not self.wounds or self.helped or helper in self.tried or not in_time:
                return False
            self.tried.add(helper)
            if total < (AID[self.wounds] if alive else 22):
                return True
            self.helped = alive
            if not alive:
                self.wounds, self.dead, self.since, self.steady = 5, None, 0, False
            self.clear()
        elif what == "shock":
            if not alive or not troubled:
                return False
            if total >= 8:
                self.clear()
        elif what == "bleeding":
            if not alive or not self.bleeding:
                return False
            if total >= 6 + 2 * self.bleeding:
                self.bleeding = 0
        else:
            if not self.near_death or self.steady or self.retry:
                return False
            self.retry = 60
            self.steady = total >= 22
        if was_out and not self.out:
            self.awake()
        return True

    def clear(self) -> None:
        self.shock = self.rest_for_k = self.wakes_in = self.unfinished = 0
        self.o = self.passed_out = False

    def heal(self, total: int) -> bool:
        """Whether it could be tried at all."""
        if self.dead is not None or not self.wounds or self.since < HEALS[self.wounds][0] * DAY:
            return False
        was_out, number = self.out, HEALS[self.wounds][1]
        self.since = 0
        if total >= number:
            self.wounds -= 1
            self.helped = self.steady = False
            self.tried = set() if not self.wounds else self.tried
        if was_out and not self.out:
            self.awake()
        return True

    def seen(self) -> dict[str, Any]:
        level = self.wounds - 1 if self.helped else self.wounds
        physical, other = HAMPERS.get(level, (0, 0))
        return {
            "wounds": self.wounds,
            "level": level,
            "shock": self.shock,
            "k": self.rest_for_k,
            "o": self.o,
            "out_for": self.wakes_in,
            "fainted": self.passed_out,
            "down": self.lying,
            "bleeders": self.bleeding,
            "dead_for": self.dead,
            "stable": self.steady,
            "tries": self.tried,
            "waited": self.since,
            "shock_seconds": self.unfinished,
            "unsteady": self.retry,
            "out": self.out,
            "dying": self.near_death and not self.steady,
            "physical": physical - (4 if self.lying else 0),
            "other": other,
        }


def seen(now: Harm) -> dict[str, Any]:
    names = (
        "wounds",
        "level",
        "shock",
        "k",
        "o",
        "out_for",
        "fainted",
        "down",
        "bleeders",
        "dead_for",
    )
    names = (*names, "stable", "waited", "shock_seconds", "unsteady", "out", "dying")
    found = {name: getattr(now, name) for name in names}
    hampered = {
        "physical": damage_rules.penalty(now, True),
        "other": damage_rules.penalty(now, False),
    }
    return found | hampered | {"tries": set(now.tries)}


_HITS = st.tuples(
    st.just("hit"),
    st.sampled_from((0, 0, 0, 1, 1, 2, 3, 5)),
    st.booleans(),
    st.sampled_from(("", "K", "O", "K/O", "KO")),
    st.integers(0, 7),
    st.sampled_from((0, 0, 0, 0, 1, 2)),
)
_STEPS = st.one_of(
    _HITS,
    _HITS,
    st.tuples(st.just("round")),
    st.tuples(
        st.just("time"), st.sampled_from((1, 9, 10, 25, 60, 61, 119, 600, 1800)), st.booleans()
    ),
    st.tuples(
        st.just("aid"),
        st.sampled_from(("wounds", "shock", "bleeding", "steady")),
        st.integers(5, 25),
        st.sampled_from("AB"),
    ),
    st.tuples(st.just("heal"), st.integers(5, 20), st.booleans()),
)

#: What is said whenever somebody goes out, and whatever may hide that they woke in between.
_OUT = {"knocked_out", "fainted", "mortal", "dead"}


@pytest.mark.rule(
    "MB-DMG-04", "MB-DMG-05", "MB-DMG-06", "MB-DMG-07", "MB-DMG-08", "MB-DMG-09", "MB-DMG-10"
)
@pytest.mark.rule(
    "MB-DMO-04", "MB-HEAL-01", "MB-HEAL-02", "MB-HEAL-03", "MB-HEAL-04", "MB-HEAL-05", "MB-HEAL-07"
)
@given(st.integers(3, 14), st.lists(_STEPS, min_size=1, max_size=14))
def test_harm_is_what_the_model_notes(capacity: int, steps: list[tuple[Any, ...]]) -> None:
    now, model = Harm(), Model(capacity)
    for step in steps:
        before, facts = now, ()
        match step:
            case ("hit", wounds, down, letters, shock, bleeders):
                damage = Damage(wounds, down, letters, shock, bleeders=bleeders)
                now, facts = damage_rules.apply_damage(now, damage, capacity)
                model.hit(wounds, down, letters, shock, bleeders)
            case ("round",):
                now, facts = damage_rules.begin_round(now, capacity)
                model.round()
            case ("time", seconds, resting):
                now, facts = damage_rules.pass_time(now, seconds, capacity, resting=resting)
                model.time(seconds, resting=resting)
            case ("aid", what, total, helper):
                tried = model.aid(what, total, helper)
                if tried:
                    now, facts = healing.apply_first_aid(now, what, total, helper)
                else:
                    with pytest.raises(Impossible):
                        healing.first_aid_difficulty(now, what, helper)
            case (_, total, waited):
                if waited and now.dead_for is None and now.wounds:
                    now = now.replace(waited=now.waited + 3 * DAY)
                    model.since += 3 * DAY
                tried = model.heal(total)
                if tried:
                    now, facts = healing.apply_healing_roll(now, total)
                else:
                    with pytest.raises(Impossible):
                        healing.healing_difficulty(now)
        assert seen(now) == model.seen(), step
        said = dict(facts)
        assert len(said) == len(facts), "each thing is said once"
        if before.out and not now.out:
            assert "awake" in said or "revived" in said
        if now.out and not before.out:
            assert _OUT & set(said)
