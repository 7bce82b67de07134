"""What `/spend` means where no check is named: the newest on which one can spend that, on either side."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import InvalidInput
from rules.registry import look
from rules.table.actions import Answer, Propose, Roll
from rules.table.checks.spending import find_spend, open_checks
from tests.builders import ANN, BEN, GM
from tests.rules.test_attack import Play, table

MINE: dict[str, Any] = {"skill": "Climbing", "attribute": "Fitness", "approach": "up the pipe"}


def _found(play: Play, who: Any = BEN, **given: Any) -> tuple[str, str | None]:
    asked: dict[str, Any] = {"what": None, "choice": None, "check": None, "as_": None} | given
    move, _ = find_spend(look(play.state), who, **asked)
    return move.challenge, move.what


def _attacked() -> Play:
    """Boris has rolled (c1); then Anna has attacked Boris (c2): he may roll again on either."""
    play = Play(table()).do(Propose, BEN, **MINE).do(Answer, GM, kind="roll", difficulty="Tricky")
    play.do(Roll, BEN, 5, 2)
    return play.attack().answer().defend().do(Roll, ANN, 9, 6, 2, 3)


def test_it_is_the_newest_also_where_one_is_attacked() -> None:
    play = _attacked()
    assert _found(play, what="reroll") == ("c2", "reroll-other")
    assert _found(play, what=" Rer") == ("c2", "reroll-other")
    assert _found(play, what="reroll-other") == ("c2", "reroll-other")
    assert _found(play, what="reroll", check="c1") == ("c1", "reroll")
    assert _found(play, ANN, what="reroll") == ("c2", "reroll")
    with pytest.raises(InvalidInput) as caught:
        _found(play, what="luck")
    assert caught.value.params["allowed"] == ("reroll-other", "reroll")


def test_newest_is_by_number_however_the_table_was_kept() -> None:
    play = _attacked()
    checks = play.state.challenges
    play.state = play.state.with_challenges(dict(reversed(list(checks.items()))))
    assert [each.id for each in open_checks(play.state, BEN)] == ["c2", "c1"]
    assert _found(play, what="reroll") == ("c2", "reroll-other")
