"""When the clock acts on GMs who are silent: counted from waits that all know, and GMs' acts."""

from __future__ import annotations

import pytest

from rules.core.errors import Outdated, RulesError
from rules.registry import read_only_game
from rules.table.actions import (
    ChangeSettings,
    Due,
    NameDeputy,
    PauseTable,
    RollDice,
    TakeOver,
    Undo,
)
from rules.table.gms.gm_acts import gone_at, is_silent
from rules.table.state import DAY, TableState
from rules.table.waits.silence import silence_waits
from tests.sample_table import ANN, BEN, CLOCK, GM, NOON, Session, answer, by, propose


def waits(state: TableState) -> dict[str, int]:
    return silence_waits(read_only_game(state))


async def silent(session: Session) -> str:
    """Anna's proposal waits, and the GM has been silent for a week."""
    await session.proposed()
    (wait,) = waits(await session.state())
    await session.do(Due(**by(CLOCK, at=NOON + 8 * DAY), wait=wait))
    return wait


async def test_a_public_wait_for_the_gm_counts_from_the_last_act_of_a_gm(session: Session) -> None:
    assert waits(await session.state()) == {}
    await session.proposed(at=NOON + DAY)
    assert [*waits(await session.state()).values()] == [NOON + 8 * DAY]
    await session.do(RollDice(**by(ANN, at=NOON + 2 * DAY), dice="d6"))
    assert [*waits(await session.state()).values()] == [NOON + 8 * DAY]
    await session.do(RollDice(**by(GM, at=NOON + 3 * DAY), dice="d6"))
    assert [*waits(await session.state()).values()] == [NOON + 10 * DAY]
    await session.replayed()


async def test_an_answer_ends_it(session: Session) -> None:
    check = await session.proposed()
    assert waits(await session.state())
    await session.do(answer(check))
    assert waits(await session.state()) == {}


@pytest.mark.parametrize("visibility", ["private", "blind"])
async def test_a_secret_wait_does_not_count(session: Session, visibility: str) -> None:
    await session.do(propose(visibility=visibility))  # pyright: ignore[reportArgumentType]
    assert waits(await session.state()) == {}


async def test_the_rows_of_the_clock_follow(session: Session) -> None:
    check = await session.proposed()
    (wait,) = waits(await session.state())
    rows = {row[1] for row in session.house.rows("due")["due"]}
    assert wait in rows
    await session.do(answer(check))
    assert wait not in {row[1] for row in session.house.rows("due")["due"]}


async def test_silence_pauses_the_table_until_a_gm_acts(session: Session) -> None:
    await silent(session)
    state = await session.state()
    assert is_silent(state) and gone_at(state) == NOON + 22 * DAY
    await session.do(RollDice(**by(BEN, at=NOON + 9 * DAY), dice="d6"))
    assert is_silent(await session.state())
    await session.do(RollDice(**by(GM, at=NOON + 10 * DAY), dice="d6"))
    assert not is_silent(await session.state())
    await session.replayed()


async def test_an_undo_by_a_gm_ends_it_too(session: Session) -> None:
    await session.do(ChangeSettings(**by(GM), values={"name": "Fens"}))
    entry = (await session.tables.get(session.table_id)).revision
    await silent(session)
    await session.do(Undo(**by(GM, at=NOON + 9 * DAY), entry=entry, all_dependents=True))
    assert not is_silent(await session.state())
    await session.replayed()


async def test_a_pause_by_the_gms_is_no_silence(session: Session) -> None:
    await session.proposed()
    await session.do(PauseTable(**by(GM, at=NOON + DAY)))
    assert waits(await session.state()) == {}
    assert gone_at(await session.state()) is None


async def test_without_the_setting_and_in_live_play_nothing_is_counted(session: Session) -> None:
    await session.proposed()
    await session.do(ChangeSettings(**by(GM), values={"silence": 0}))
    assert waits(await session.state()) == {}
    await session.do(ChangeSettings(**by(GM), values={"silence": DAY, "live": True}))
    assert waits(await session.state()) == {}


async def test_too_early_or_too_late_the_clock_does_nothing(session: Session) -> None:
    await session.proposed()
    (wait,) = waits(await session.state())
    for at, code in ((NOON + DAY, "not-yet-due"), (NOON + 9 * DAY, "wait-over")):
        if code == "wait-over":
            await session.do(RollDice(**by(GM, at=NOON + 2 * DAY), dice="d6"))
        with pytest.raises(Outdated, match=code):
            await session.do(Due(**by(CLOCK, at=at), wait=wait))


async def test_a_claim_needs_silence_and_falls_with_any_act(session: Session) -> None:
    await silent(session)
    claim = TakeOver(**by(BEN, at=NOON + 21 * DAY), after_silence=True)
    with pytest.raises(RulesError, match="gm-not-gone"):
        await session.do(claim)
    await session.do(claim.replace(at=NOON + 23 * DAY))
    with pytest.raises(RulesError, match="claim-open"):
        await session.do(claim.replace(who=ANN, at=NOON + 24 * DAY))
    await session.do(NameDeputy(**by(GM, at=NOON + 25 * DAY), to=ANN.id))
    state = await session.state()
    assert not is_silent(state) and not [each for each in waits(state) if each.startswith("claim")]
    await session.replayed()


async def test_a_claim_makes_its_author_gm_and_ends_the_terms_of_deputies(
    session: Session,
) -> None:
    await session.do(NameDeputy(**by(GM), to=ANN.id))
    await silent(session)
    await session.do(TakeOver(**by(BEN, at=NOON + 23 * DAY), after_silence=True))
    wait = next(each for each in waits(await session.state()) if each.startswith("claim"))
    await session.do(Due(**by(CLOCK, at=NOON + 31 * DAY), wait=wait))
    state = await session.state()
    assert state.settings.gms == (BEN.id,) and not is_silent(state)
    with pytest.raises(RulesError, match="gm-only"):
        await session.do(ChangeSettings(**by(ANN), values={"live": True}))
    await session.replayed()
