"""What is drawn from a system's tables, and who may see it."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import InvalidInput
from rules.core.rng import Rng, ScriptedRng
from rules.systems.ebb.reference_rows import GENERATORS
from rules.table.actions import Actor, Produce
from rules.table.blocks import Text
from rules.table.events import EVERYONE, GMS, Audience, Produced
from rules.table.state import Character, Settings, TableState
from tests.sample_table import resolve

GM, ANA = Actor("p1"), Actor("p2")
STATE = TableState(
    Settings("The Zone", "ebb", ("p1",)), characters={"k1": Character("k1", "Marek", "p2", None)}
)


class Two:
    """Public and secret dice with faces of their own."""

    def __init__(self, public: list[int], secret: list[int]) -> None:
        self.public: Rng = ScriptedRng(public)
        self.secret: Rng = ScriptedRng(secret)


def draw(rng: Any, who: Actor = ANA, **options: Any) -> tuple[Produced, ...]:
    given: dict[str, Any] = {"what": "anomaly"} | options
    outcome = resolve(STATE, Produce(who=who, place="1", at=0, **given), rng)
    assert outcome.state.changes_since(STATE).keys() <= {"counters"}
    assert all(isinstance(event, Produced) for event in outcome.events)
    return outcome.events  # pyright: ignore[reportReturnType]


@pytest.mark.rule("EBB-ANOMALY", "EBB-ARTEFACT")
@pytest.mark.parametrize("what", sorted(GENERATORS))
def test_every_entry_has_its_name_and_its_kind(what: str) -> None:
    column = GENERATORS[what]["first"]
    for number, entry in enumerate(column.common, 1):
        (event,) = draw(ScriptedRng([number, 1]), what=what)
        line = event.lines[1]
        shown = ", ".join(str(line.params[key]) for key in ("name", "kind") if key in line.params)
        assert shown == entry
        assert line.params.get("kind") in ("static", "dynamic", "exogenetic", "endogenetic", None)
        assert event.lines[0] == Text("ebb-drawn", {"kind": what})
        assert [die.name for die in event.dice] == ["first", "second"]


def test_in_the_open_with_public_dice() -> None:
    (event,) = draw(Two([2, 15], []))
    assert event.audience == EVERYONE
    assert [die.face for die in event.dice] == [2, 15]


def test_private_is_for_whoever_asks_and_the_gms_with_secret_dice() -> None:
    (event,) = draw(Two([], [2, 15]), visibility="private")
    assert event.audience == Audience(gms=True, people=("p2",))
    (event,) = draw(Two([], [2, 15]), GM, visibility="private")
    assert event.audience == GMS
    assert event.quiet


def test_blind_tells_whoever_asks_nothing() -> None:
    told, event = draw(Two([], [2, 15]), visibility="blind")
    assert event.audience == GMS
    assert told.audience == Audience(people=("p2",))
    assert told.dice == ()
    assert told.lines == (Text("ebb-drawn", {"kind": "anomaly"}),)
    (event,) = draw(Two([], [2, 15]), GM, visibility="blind")
    assert event.audience == GMS
    assert not event.quiet


def test_what_there_is_not_cannot_be_drawn() -> None:
    with pytest.raises(InvalidInput, match="unknown-generator"):
        draw(ScriptedRng([]), what="artifact!")
