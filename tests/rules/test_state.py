"""Challenges that are changed without `dataclasses.replace`: no field is lost or mixed up on the way."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, cast

import pytest

from rules.table.state import AnyChallenge, Challenge, answered, evolve, with_dice


def distinct() -> AnyChallenge:
    """A challenge each of whose fields holds something of its own."""
    values: dict[str, Any] = {field.name: f"the {field.name}" for field in fields(Challenge)}
    return Challenge(**{**values, "revision": 3, "since": 100, "deadline": 200})


def test_evolve_changes_what_it_is_told_to_and_nothing_else() -> None:
    old = distinct()
    assert evolve(old) == old
    assert evolve(old) is not old
    for field in fields(Challenge):
        changed = cast(AnyChallenge, evolve(old, **{field.name: "other"}))
        assert changed == replace(old, **{field.name: "other"})
    assert old == distinct()


def test_evolve_refuses_what_is_no_field() -> None:
    with pytest.raises(AttributeError):
        evolve(distinct(), colour="red")


def test_an_answer_and_dice_are_kept_with_everything_else() -> None:
    old = distinct()
    ruled = replace(old, status="answered", answer="roll", ruling="so")
    assert answered(old, "roll", "so") == ruled
    thrown: AnyChallenge = replace(old, revision=4, since=50, rolled="7", helpers=())
    assert with_dice(old, 50, "7", (), 0) == replace(thrown, status="settled", deadline=None)
    assert with_dice(old, 50, "7", (), 60) == replace(thrown, status="rolled", deadline=110)
    assert old == distinct()
