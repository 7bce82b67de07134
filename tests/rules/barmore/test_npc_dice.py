"""Tables whose players read nothing of what NPCs roll with."""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.barmore.check_state import NPC_DICE
from rules.table.events import Event
from tests.rules.barmore.play import SIDOR, Play, sheet, table
from tests.sample_table import ANN, BEN, GM

VEILED = {NPC_DICE: False}


def _play(brawling: int, *, reveal: str = "verdict", shown: bool = False) -> Play:
    """A table with Sidor as good as that."""
    own = {} if shown else VEILED
    state = table(own=own, reveal=reveal)
    sidor = state.characters["k3"].replace(sheet=sheet(SIDOR, abilities={"Brawling": brawling}))
    return Play(state.replace(characters={**state.characters, "k3": sidor}))


def _public(*plays: Play) -> tuple[tuple[Event, ...], ...]:
    """What everybody but the GMs hears."""
    return tuple(
        tuple([each for each in play.events if not each.audience.gms or each.audience.people])
        for play in plays
    )


def _attack(play: Play, *faces: int) -> Play:
    """Sidor attacks Ilka, who rolls a 1 and a 1 against it."""
    play.begin(GM, "attack", as_="Sidor", target="Ilka", skill="Brawling").answer(None)
    return play.face(BEN, *faces, 1, 1, skill="Athletics")


def _defended(play: Play, *faces: int) -> Play:
    """Marek attacks Sidor, who sets Brawling against it."""
    play.begin(ANN, "attack", target="Sidor", skill="Boats", weapon="Boathook").answer(None)
    return play.face(GM, 8, 8, 8, 8, *faces, skill="Brawling")


def _alone(play: Play, *faces: int) -> Play:
    """Sidor tries something by himself."""
    return play.begin(GM, "check", *faces, as_="Sidor", skill="Brawling", difficulty="6")


#: The same told outcome of two NPCs: what both of them roll.
SAME: Any = {
    "attack": (_attack, (3, (8, 8, 8, 8)), (5, (6, 6, 6, 6, 6, 2))),
    "defense": (_defended, (3, (1, 1, 1, 2)), (5, (1, 1, 1, 1, 1, 1))),
    "alone": (_alone, (3, (2, 2, 2, 2)), (5, (8, 8, 8, 8, 8, 8))),
}


@pytest.mark.rule("BAR-ROLL")
@pytest.mark.parametrize("name", SAME)
def test_players_hear_the_same_of_another_npc_with_the_same_outcome(name: str) -> None:
    acts, (few, some), (many, others) = SAME[name]
    one, other = acts(_play(few), *some), acts(_play(many), *others)
    assert one.check.data.throws != other.check.data.throws
    heard, same = _public(one, other)
    assert heard and heard == same
    assert "Brawling" not in repr(heard), heard


@pytest.mark.parametrize("name", SAME)
def test_by_default_everybody_reads_what_npcs_roll(name: str) -> None:
    acts, (few, some), (many, others) = SAME[name]
    one, other = acts(_play(few, shown=True), *some), acts(_play(many, shown=True), *others)
    heard, same = _public(one, other)
    assert heard != same
