"""Ids of checks, which players read in buttons and type: they tell nobody what took place in
secret.
"""

from __future__ import annotations

import re

import pytest

from bot.services.replay import replay
from rules.table.actions import Actor, Undo
from rules.table.check import Visibility
from tests.sample_table import ANN, BEN, GM, NOON, House, Session, by, make_session, propose

#: What those are called that not everybody sees.
HIDDEN = re.compile(r"h[2-9a-hjkmnp-z]{8}")


async def _checks(session: Session) -> list[str]:
    return list((await session.state()).checks)


@pytest.mark.parametrize("between", [0, 1, 7])
async def test_public_checks_count_only_what_is_public(session: Session, between: int) -> None:
    first = await session.proposed()
    secret: list[tuple[Actor, Visibility, bool]] = [
        (BEN, "private", False),
        (BEN, "blind", False),
        (GM, "public", True),
    ]
    for number in range(between):
        who, visibility, gm_only = secret[number % 3]
        as_ = "Boris" if who == GM else None
        await session.do(propose(who, visibility=visibility, gm_only=gm_only, as_=as_))
    second = await session.proposed(at=NOON + 5)
    assert (first.id, second.id) == ("c1", "c2")
    begun = await _checks(session)
    assert (begun[0], begun[-1], len(begun)) == ("c1", "c2", between + 2)
    assert all(HIDDEN.fullmatch(each) for each in begun[1:-1])
    assert len({*begun}) == len(begun)


async def test_ones_own_private_checks_count_nobody_elses(house: House) -> None:
    """By nothing that one player knows could they tell how many others there are."""
    session = await make_session(house)
    mine: list[str] = []
    for others in (0, 1, 3):
        for _ in range(others):
            await session.do(propose(BEN, visibility="blind"))
        mine.append((await session.proposed(ANN, visibility="private")).id)
    assert all(HIDDEN.fullmatch(each) for each in mine)


async def test_their_order_outlives_the_process_an_undo_and_a_replay(session: Session) -> None:
    for number in range(12):
        await session.do(
            propose(ANN if number % 2 else BEN, visibility="private" if number % 3 else "public")
        )
    begun = await _checks(session)
    await session.do(propose(ANN, visibility="private"))
    await session.do(Undo(**by(GM)))
    assert await _checks(session) == begun
    assert list((await replay(session.tables.store, session.table_id)).checks) == begun
    await session.restart()
    assert await _checks(session) == begun
    assert (await session.proposed(ANN)).id == "c5", "four were public, and none of them was undone"
