"""What `/spend` means where no check is named: the newest on which one can spend that, on either
side.
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import NotFound, NotPermitted
from rules.table.actions import Actor, Delegate, SetAway
from rules.table.checks.costs import (
    find_spend_option,
    own_open_checks,
    spend_options,
    spend_refusals,
)
from rules.table.checks.odds import check_success_odds, odds_of_check
from tests.rules.ebb.play import CLIMB, DUCK, SHOOT, Play
from tests.rules.toy_table import codes
from tests.sample_table import ANN, BEN, GM


def _found(play: Play, who: Actor = BEN, **given: Any) -> tuple[str, str]:
    asked: dict[str, Any] = {"what": None, "choice": None, "check": None, "as_": None} | given
    found = find_spend_option(play.game(who), **asked)
    return found.check, found.what


def _attacked() -> Play:
    """Boris has rolled (c1); then Anna has attacked Boris (c2): he may roll again on either."""
    play = Play().begin(BEN, "check", **CLIMB).choose(GM, "rule", "roll", difficulty="Tricky")
    play.choose(BEN, "ready", "roll", 5, 2)
    play.begin(ANN, "attack", target="Boris", **SHOOT).choose(GM, "rule", "roll")
    # The dice fall at the last answer.
    return play.choose(BEN, "face", "face", 9, 6, 2, 3, **DUCK)


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
    play.state = play.state.replace(checks=dict(reversed(list(play.state.checks.items()))))
    assert [each.id for each in own_open_checks(play.game(BEN))] == ["c2", "c1"]
    assert _found(play, what="reroll") == ("c2", "reroll")


def test_where_there_is_nothing_to_spend_it_says_why() -> None:
    play = Play().begin(ANN, "check", **CLIMB)
    assert play.refused(_found, play, ANN).code == "nothing-to-spend"
    assert play.refused(_found, play, ANN, check="c7").code == "unknown-check"
    assert play.refused(_found, play, BEN, check="c1").code == "owner-only"
    ((check, why),) = spend_refusals(play.game(ANN))
    assert (check, codes([why])) == ("c1", ["no-spend-yet"])


def _refused(play: Play, who: Actor) -> None:
    """Nothing is offered to whoever does not answer for Boris."""
    assert play.refused(_found, play, who, what="reroll").code == "nothing-to-spend"
    assert play.refused(_found, play, who, check="c1").code == "owner-only"
    with pytest.raises(NotFound, match="unknown-character"):
        own_open_checks(play.game(who), "Boris")
    assert check_success_odds(play.game(who), play.state.checks["c1"]) is None
    with pytest.raises(NotPermitted, match="owner-only"):
        odds_of_check(play.game(who), "c1")


def _offered(play: Play, who: Actor) -> None:
    """What Boris may spend."""
    assert _found(play, who, what="reroll") == _found(play, what="reroll") == ("c1", "reroll")
    assert _found(play, who, what="reroll", check="c1", as_="Boris") == ("c1", "reroll")
    assert [each.id for each in own_open_checks(play.game(who))] == ["c1"]


def test_whoever_answers_for_somebody_spends_for_them() -> None:
    """As in the panel of a check: a delegate, and the GMs for whoever is away."""
    play = Play().begin(BEN, "check", **CLIMB).choose(GM, "rule", "roll", difficulty="Tricky")
    _refused(play, ANN)
    play.do(Delegate, BEN, character="Boris", to=ANN.id)
    chance = check_success_odds(play.game(BEN), play.state.checks["c1"])
    assert chance and check_success_odds(play.game(ANN), play.state.checks["c1"]) == chance
    assert odds_of_check(play.game(ANN), "c1").check == "c1"
    assert own_open_checks(play.game(GM)) == ()
    away = play.state
    play.do(SetAway, BEN)
    assert [each.id for each in own_open_checks(play.game(GM), "Boris")] == ["c1"]
    offered = [(each.what, each.choice) for each in spend_options(play.game(GM), "Boris")]
    assert offered and offered == [
        (each.what, each.choice) for each in spend_options(play.game(ANN))
    ]
    play.state = away
    _offered(play.choose(BEN, "ready", "roll", 5, 2), ANN)
