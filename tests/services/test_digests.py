"""The digest as an action: what it refuses, and that undo takes no posted digest back."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import Impossible, InvalidInput, NotPermitted, Outdated, RulesError
from rules.table.actions import ChangePlaces, Due, SetDigest, Undo
from rules.table.clock.digests import digest_waits
from rules.table.events import Notice
from tests.sample_table import ANN, CLOCK, GM, GM_PLACE, NOON, PLACE, Session, by

WEEK = 7 * 86400
UTC: dict[str, Any] = {"zone": "UTC", "offsets": ((0, 0),)}


def sunday(**fields: Any) -> SetDigest:
    """A digest on Sundays at 18:00."""
    return SetDigest(**{**by(GM), "day": 6, "minute": 1080, **UTC, **fields})


async def posted(session: Session) -> Any:
    """Have the digest posted that is due next."""
    ((wait, due),) = digest_waits(await session.state()).items()
    return await session.do(Due(**by(CLOCK, place=PLACE, at=due), wait=wait))


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"day": 7}, InvalidInput("out-of-range")),
        ({"minute": 1440}, InvalidInput("out-of-range")),
        ({"offsets": ((0, 0), (0, 1))}, InvalidInput("bad-zone")),
        ({"offsets": ()}, InvalidInput("bad-zone")),
        ({"zone": ""}, InvalidInput("bad-zone")),
        ({"offsets": ((0, 10**6),)}, InvalidInput("out-of-range")),
        ({"place": GM_PLACE}, Impossible("digest-in-gm-channel")),
        ({"day": None}, Impossible("digest-unchanged")),
        ({"who": ANN}, NotPermitted("gm-only")),
    ],
)
async def test_what_is_refused_changes_nothing(
    session: Session, fields: dict[str, Any], error: RulesError
) -> None:
    before = await session.state()
    with pytest.raises(type(error)) as raised:
        await session.do(sunday(**fields))
    assert raised.value.code == error.code
    assert await session.state() == before


async def test_a_digest_is_posted_once_a_week(session: Session) -> None:
    await session.do(sunday())
    ((wait, due),) = digest_waits(await session.state()).items()
    early = Due(**by(CLOCK, at=due - 1), wait=wait)
    with pytest.raises(Outdated, match="not-yet-due"):
        await session.do(early)
    (event,) = (await posted(session)).events
    assert isinstance(event, Notice) and event.what == "digest" and event.audience.everyone
    assert event.params == {"since": due - WEEK, "until": due}
    with pytest.raises(Outdated, match="wait-over"):
        await session.do(Due(**by(CLOCK, at=due), wait=wait))
    assert [*digest_waits(await session.state()).values()] == [due + WEEK]
    assert (await session.tables.store.next_due()) == due + WEEK
    await session.replayed()


async def test_an_undo_of_the_setting_brings_no_second_digest(session: Session) -> None:
    await session.do(sunday())
    await posted(session)
    seq = (await session.tables.get(session.table_id)).revision
    with pytest.raises(RulesError):
        await session.do(Undo(**by(GM), entries=(seq,)))
    off = await session.do(SetDigest(**by(GM, at=NOON + WEEK)))
    assert digest_waits(await session.state()) == {}
    await session.do(Undo(**by(GM), entries=(off.seq,)))
    state = await session.state()
    ((_, due),) = digest_waits(state).items()
    assert due > state.counters.digest


async def test_a_channel_that_is_no_longer_played_in_gets_no_digest(session: Session) -> None:
    await session.do(ChangePlaces(**by(GM), bind="777"))
    await session.do(sunday(place="777"))
    await session.do(ChangePlaces(**by(GM), unbind="777"))
    assert (await session.state()).settings.digest is None
    assert await session.tables.store.next_due() is None
