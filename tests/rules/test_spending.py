"""What `/spend` means where no check is named: the newest on which one can spend that, on either side."""

from __future__ import annotations

from typing import Any

from rules.table.actions import Actor
from rules.table.checks.costs import find_spending, open_checks, why_not
from tests.builders import ANN, BEN, GM
from tests.rules.ebb.play import CLIMB, DUCK, SHOOT, Play
from tests.rules.playing import codes


def _found(play: Play, who: Actor = BEN, **given: Any) -> tuple[str, str]:
    asked: dict[str, Any] = {"what": None, "choice": None, "check": None, "as_": None} | given
    found = find_spending(play.game(who), **asked)
    return found.check, found.what


def _attacked() -> Play:
    """Boris has rolled (c1); then Anna has attacked Boris (c2): he may roll again on either."""
    play = Play().begin(BEN, "check", **CLIMB).choose(GM, "rule", "roll", difficulty="Tricky")
    play.choose(BEN, "ready", "roll", 5, 2)
    play.begin(ANN, "attack", target="Boris", **SHOOT).choose(GM, "rule", "roll")
    return play.choose(BEN, "face", "face", **DUCK).choose(ANN, "ready", "roll", 9, 6, 2, 3)


def test_it_is_the_newest_also_where_one_is_attacked() -> None:
    play = _attacked()
    assert _found(play, what="reroll") == ("c2", "reroll")
    assert _found(play, what=" Rer") == ("c2", "reroll")
    assert _found(play, what="reroll", check="c1") == ("c1", "reroll")
    assert _found(play, ANN, what="reroll") == ("c2", "reroll")
    refusal = play.refused(_found, play, what="luck")
    assert (refusal.code, refusal.params["allowed"]) == ("cannot-spend", ("reroll",))


def test_newest_is_by_number_however_the_table_was_kept() -> None:
    play = _attacked()
    play.state = play.state.but(checks=dict(reversed(list(play.state.checks.items()))))
    assert [each.id for each in open_checks(play.game(BEN))] == ["c2", "c1"]
    assert _found(play, what="reroll") == ("c2", "reroll")


def test_where_there_is_nothing_to_spend_it_says_why() -> None:
    play = Play().begin(ANN, "check", **CLIMB)
    assert play.refused(_found, play, ANN).code == "nothing-to-spend"
    assert play.refused(_found, play, ANN, check="c7").code == "unknown-check"
    assert play.refused(_found, play, BEN, check="c1").code == "owner-only"
    ((check, why),) = why_not(play.game(ANN))
    assert (check, codes([why])) == ("c1", ["no-spend-yet"])
