"""Deeds: commands whose options are the fields of an action."""

from __future__ import annotations

from typing import Literal

import pytest

from rules.table.actions import Action
from rules.table.commands import AS_FIELD
from rules.table.deeds import Deed, deed_actions
from rules.table.forms.fields import Flag, Number, Pick, Typed, plain_options
from rules.table.forms.form import Field
from rules.table.outcome import Outcome
from rules.table.system import Game
from tests import sample_table

WHAT = Typed("what", needed=True)
SIDE = Pick("side", choices=plain_options(("left", "right")))
OPTIONS: tuple[Field, ...] = (WHAT, SIDE, Number("count"), Flag("fast"), AS_FIELD)


class Push(Action, kw_only=True):
    """Push something."""

    what: str
    side: Literal["", "left", "right"] = ""
    count: int | None = None
    fast: bool = False
    as_: str | None = None


class PushOften(Action, kw_only=True):
    """Push something, once by default."""

    what: str
    count: int | None = 1


def push(game: Game, action: Push | PushOften) -> Outcome:
    return Outcome(game.state, ())


def test_a_deed_makes_an_action_of_its_options() -> None:
    game = sample_table.game()
    deed = Deed("push", Push, push, OPTIONS, openly=lambda game, given: "fast" in given)
    done = deed.run(game, {"what": "a cart", "as": "Vesna"})
    assert (done.action, done.openly) == (Push, False)
    assert done.values == {"what": "a cart", "as_": "Vesna"}
    assert deed.run(game, {"what": "a cart", "fast": True}).openly


def test_a_deed_is_a_command_with_all_options() -> None:
    command = Deed("push", Push, push, OPTIONS).as_command()
    assert (command.name, command.form.fields) == ("push", OPTIONS)


def test_deeds_say_who_carries_out_an_action() -> None:
    assert deed_actions((Deed("push", Push, push, OPTIONS),)) == {Push: push}


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (OPTIONS[1:], "Push has not the command's options"),
        ((*OPTIONS, Typed("why")), "Push has not the command's options"),
        (
            (WHAT, SIDE.replace(choices=plain_options(("left",))), *OPTIONS[2:]),
            "Push.side has other choices",
        ),
        ((WHAT, SIDE.replace(needed=True), *OPTIONS[2:]), "Push.side has other choices"),
        ((WHAT.replace(needed=False), *OPTIONS[1:]), "Push.what has another default"),
    ],
)
def test_a_class_that_has_not_the_options_is_refused(options: tuple[Field, ...], why: str) -> None:
    with pytest.raises(ValueError, match=f"push: {why}"):
        Deed("push", Push, push, options)


def test_a_field_keeps_nothing_of_an_option_that_is_left_out() -> None:
    with pytest.raises(ValueError, match=r"push: PushOften.count has another default"):
        Deed("push", PushOften, push, (WHAT, Number("count")))
