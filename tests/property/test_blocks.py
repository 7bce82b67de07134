"""Blocks: written and read back the same, and what somebody may not see changes nothing for
them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, get_args

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from bot.storage import codec
from rules.core.rng import Die
from rules.table.blocks import (
    EVERYONE,
    FOR_EVERYONE,
    GMS,
    GMS_ONLY,
    Audience,
    Block,
    Fact,
    Note,
    Ref,
    Roll,
    Text,
    Verdict,
    blocks_for_audience,
    can_audience_see,
    graded_blocks,
)
from rules.table.check import Check, Reveal
from rules.table.checks.audience_names import TableNames
from rules.table.state import Character, Settings, TableState
from tests.example_counts import examples
from tests.property.test_codec import built

READ = codec.decoder(tuple[Block, ...])
WHO = ("k1", "k2", "k3")
PEOPLE = ("p2", "p3")
AUDIENCES = (EVERYONE, GMS, *(Audience(people=(each,)) for each in PEOPLE), Audience(people=PEOPLE))


class People:
    """`k1` is played by p2, `k2` by p3, `k3` by the GMs; each audience has names of its own for
    them.
    """

    def ref_for(self, character: str, audience: Audience) -> Ref:
        return Ref(name=f"{character} of {audience.gms}")

    def players(self, character: str) -> Collection[str]:
        return {"k1": ("p2",), "k2": ("p3",)}.get(character, ())


def text(blocks: tuple[Block, ...]) -> bytes:
    return msgspec.json.encode(blocks)


seen = st.one_of(st.none(), st.lists(st.sampled_from(WHO), max_size=2).map(tuple))


anything = st.one_of(*map(built, get_args(Block)))


@st.composite
def block(draw: st.DrawFn) -> Block:
    return draw(anything).replace(visible_to=draw(seen), hidden_from=draw(seen))


blocks = st.lists(block(), max_size=3).map(tuple)


@given(blocks)
@examples(150)
def test_blocks_are_read_as_they_were_written(told: tuple[Block, ...]) -> None:
    again = READ.decode(text(told))
    assert again == told
    assert repr(again) == repr(told)


@given(blocks, blocks, st.sampled_from(AUDIENCES), st.data())
@examples(150)
def test_what_somebody_may_not_see_changes_nothing(
    told: tuple[Block, ...], others: tuple[Block, ...], audience: Audience, data: st.DataObject
) -> None:
    """Blocks that are not for this audience are put in anywhere: not a byte of what it gets is
    another one.
    """
    known, mixed = People(), list(told)
    for each in others:
        if not can_audience_see(each.visible_to, audience, known):
            mixed.insert(data.draw(st.integers(0, len(mixed))), each)
    before, after = (
        blocks_for_audience(told, audience, known),
        blocks_for_audience(mixed, audience, known),
    )
    assert text(before) == text(after)
    assert all(each.visible_to is None and each.hidden_from is None for each in after)


@given(blocks, st.sampled_from(AUDIENCES))
@examples(200)
def test_no_id_of_a_character_reaches_an_audience(
    told: tuple[Block, ...], audience: Audience
) -> None:
    def ids(value: Any) -> list[str]:
        if isinstance(value, Ref):
            return [value.id]
        if isinstance(value, dict):
            return [found for each in value.values() for found in ids(each)]
        if isinstance(value, tuple):
            return [found for each in value for found in ids(each)]
        fields = getattr(value, "__dataclass_fields__", ())
        return [found for name in fields for found in ids(getattr(value, name))]

    assert not any(ids(blocks_for_audience(told, audience, People())))


def test_who_may_see_what() -> None:
    table = TableState(
        Settings("The Zone", "ebb", ("p1",)),
        characters={
            "k1": Character("k1", "Pilgrim", "p2", None),
            "k2": Character("k2", "Warden", None, None, stage="aliased", alias="the man in gray"),
            "k3": Character("k3", "Eel", None, None, stage="off"),
        },
    )
    known = TableNames(table)
    mine, theirs, secret = ("k1",), ("k2",), GMS_ONLY
    entitled = {
        EVERYONE: (FOR_EVERYONE,),
        GMS: (FOR_EVERYONE, mine, theirs, secret),
        Audience(people=("p2",)): (FOR_EVERYONE, mine),
        Audience(people=("p2", "p3")): (FOR_EVERYONE,),
        Audience(gms=True, people=("p2",)): (FOR_EVERYONE, mine),
        Audience(): (FOR_EVERYONE,),
    }
    for audience, allowed in entitled.items():
        found = [
            each
            for each in (FOR_EVERYONE, mine, theirs, secret)
            if can_audience_see(each, audience, known)
        ]
        assert found == list(allowed), audience
    told = (
        Note(Text("met", {"who": Ref("k2"), "all": (Ref("k1"), Ref("k3"), "x")}), FOR_EVERYONE),
    )
    (note,) = blocks_for_audience(told, EVERYONE, known)
    assert note == Note(
        Text("met", {"who": Ref(name="the man in gray"), "all": (Ref(name="Pilgrim"), Ref(), "x")}),
        FOR_EVERYONE,
    )
    (note,) = blocks_for_audience(told, GMS, known)
    assert isinstance(note, Note)
    assert note.text.params["who"] == Ref(name="Warden", alias="the man in gray")
    assert blocks_for_audience(
        (Note(Text("x", {"who": Ref("k9")}), FOR_EVERYONE),), GMS, known
    ) == (Note(Text("x", {"who": Ref()}), FOR_EVERYONE),)


def attempt(*, hidden: bool, reveal: Reveal = "verdict") -> Check[None]:
    return Check("c1", "check", "200", "p1", "open", 0, None, hidden=hidden, reveal=reveal)


def test_a_result_against_a_hidden_number() -> None:
    bare = (
        Verdict(Text("failure"), "bad", FOR_EVERYONE),
        Roll(None, None, (Die("main", 10, 4),), 8, FOR_EVERYONE),
    )
    how_well = (Verdict(Text("near-miss"), "bad", FOR_EVERYONE),)
    full = (
        Verdict(Text("near-miss"), "bad", FOR_EVERYONE, Text("by", {"points": 2})),
        Roll(None, None, (Die("main", 10, 4),), 8, FOR_EVERYONE),
        Fact(Text("difficulty"), 10, FOR_EVERYONE),
    )
    known = People()
    told_as: dict[Reveal, tuple[Block, ...]] = {"verdict": bare, "degree": how_well, "all": full}
    for reveal, read in told_as.items():
        check = attempt(hidden=True, reveal=reveal)
        told = graded_blocks(check, told_as.__getitem__)
        assert blocks_for_audience(told, GMS, known) == full
        for audience in AUDIENCES:
            if not audience.gms:
                assert blocks_for_audience(told, audience, known) == read
    assert graded_blocks(attempt(hidden=False), told_as.__getitem__) == full
