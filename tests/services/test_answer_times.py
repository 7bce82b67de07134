"""Answer times from the journal: medians by hand, and everything that doesn't count."""

from __future__ import annotations

import pickle

import pytest

from bot.services import answer_times as reading
from bot.services.answer_times import answer_times, times_of
from rules.table.actions import (
    Actor,
    ChangeRest,
    Due,
    JoinEncounter,
    NextTurn,
    PauseTable,
    ResumeTable,
    SetAway,
    StartEncounter,
    Undo,
)
from rules.table.checks.prompt_times import pending_waits
from rules.table.state import DAY, HOUR
from rules.table.times.rest import NO_REST, Rest
from rules.table.turns.turn_clock import turn_waits
from rules.table.waits.answer_times import (
    AnswerKind,
    AnswerTime,
    AnswerTimes,
    KindTimes,
    MissedDeadline,
    PersonTimes,
    Span,
    median,
    summarize_times,
    waited_seconds,
)
from tests.sample_table import (
    ANN,
    BEN,
    CLOCK,
    GM,
    NOON,
    PLACE,
    Session,
    answer,
    by,
    newest,
    propose,
    roll,
)

#: 1970 began on a Thursday.
THURSDAY = 0


async def times(session: Session, who: Actor | None, at: int = NOON + DAY) -> PersonTimes:
    """The answer times of a participant; of the GMs without one."""
    table = await session.tables.get(session.table_id)
    found = await answer_times(session.tables, table, at)
    return times_of(found, "" if who is None else who.id)


async def seconds(
    session: Session, who: Actor | None, kind: AnswerKind = "answer", at: int = NOON + DAY
) -> tuple[int, int] | None:
    """How many answers of a kind there were, and their median."""
    kinds = (await times(session, who, at)).kinds
    return next(((one.count, one.median) for one in kinds if one.kind == kind), None)


async def rolled_after(session: Session, at: int, gm: int, player: int, who: Actor = ANN) -> None:
    """A check that the GM answers after some seconds, and its player after some more."""
    check = newest((await session.do(propose(who, at=at))).state)
    check = newest((await session.do(answer(check, at=at + gm))).state)
    await session.do(roll(check, who, at=at + gm + player))


# --- by hand --------------------------------------------------------------------------------------


def test_medians() -> None:
    assert [median(values) for values in ([5], [5, 1], [9, 1, 5], [4, 3, 2, 1])] == [5, 5, 5, 3]


def test_rest_days_and_absences_dont_count() -> None:
    rest = Rest(days=(4,))  # Friday
    long = AnswerTime("p2", "answer", THURSDAY, 3 * DAY, rest)
    assert waited_seconds(long) == 2 * DAY
    away = Span("p2", DAY // 2, DAY + HOUR)
    assert waited_seconds(long, [away]) == 2 * DAY - DAY // 2
    assert waited_seconds(long.replace(rest=NO_REST), [away]) == 3 * DAY - DAY // 2 - HOUR
    # Absences that overlap count once, and those before and after not at all.
    several = [away, Span("p2", DAY // 2, DAY), Span("p2", -DAY, 0), Span("p2", 4 * DAY, 5 * DAY)]
    assert waited_seconds(long, several) == 2 * DAY - DAY // 2
    assert waited_seconds(long, [Span("p2", -DAY, 9 * DAY)]) == 0


def test_one_turn_counts_once_by_its_first_act() -> None:
    turn = AnswerTime("p2", "turn", 0, 900, NO_REST, "200:0:k1")
    found = summarize_times(AnswerTimes((turn, turn.replace(until=300))))
    assert found == (PersonTimes("p2", (KindTimes("turn", 1, 300),)),)


def test_deadlines_missed_while_away_dont_count() -> None:
    missed = (MissedDeadline("p2", 50), MissedDeadline("p2", 150))
    found = summarize_times(AnswerTimes(missed=missed, absences=(Span("p2", 100, 200),)))
    assert found == (PersonTimes("p2", missed=1),)


# --- from the journal -----------------------------------------------------------------------------


async def test_the_gms_and_each_player_have_their_own(session: Session) -> None:
    for number, (gm, player) in enumerate(((100, 1000), (300, 3000), (200, 9000))):
        await rolled_after(session, NOON + number * 20_000, gm, player)
    await rolled_after(session, NOON, 400, 50, BEN)
    assert await seconds(session, None) == (4, 300)
    assert await seconds(session, ANN) == (3, 3000)
    assert await seconds(session, BEN) == (1, 50)
    await session.restart()
    assert await seconds(session, ANN) == (3, 3000)


async def test_only_thirty_days_count(session: Session) -> None:
    await rolled_after(session, NOON, 100, 100)
    await rolled_after(session, NOON + 20 * DAY, 100, 700)
    assert await seconds(session, ANN, at=NOON + 25 * DAY) == (2, 700)
    assert await seconds(session, ANN, at=NOON + 40 * DAY) == (1, 700)
    assert (await times(session, ANN, at=NOON + 60 * DAY)).kinds == ()


async def test_an_undone_answer_doesnt_count(session: Session) -> None:
    await rolled_after(session, NOON, 100, 500)
    revision = (await session.tables.get(session.table_id)).revision
    await session.do(Undo(**by(GM, at=NOON + 900), entries=(revision,)))
    assert await seconds(session, ANN) is None
    assert await seconds(session, None) == (1, 100)


async def test_a_pause_doesnt_count(session: Session) -> None:
    check = newest((await session.do(propose(at=NOON))).state)
    await session.do(PauseTable(**by(GM, at=NOON + 100)))
    await session.do(ResumeTable(**by(GM, at=NOON + 5000)))
    check = (await session.state()).checks[check.id]
    await session.do(answer(check, at=NOON + 5050))
    assert await seconds(session, None) == (1, 150)
    # An answer during a pause counts up to its beginning.
    await session.do(PauseTable(**by(GM, at=NOON + 5060)))
    await session.do(roll((await session.state()).checks[check.id], at=NOON + 9000))
    assert await seconds(session, ANN) == (1, 10)


async def test_a_rest_day_doesnt_count(session: Session) -> None:
    rest = ChangeRest(**by(GM, at=NOON), days=(5, 6), zone="UTC", offsets=((0, 0),))
    await session.do(rest)
    friday = NOON  # 2027-01-15, 08:00 UTC
    await rolled_after(session, friday, 0, 3 * DAY)
    assert await seconds(session, ANN, at=NOON + 4 * DAY) == (1, DAY)


async def test_an_absence_doesnt_count(session: Session) -> None:
    check = newest((await session.do(propose(BEN, at=NOON))).state)
    check = newest((await session.do(answer(check, at=NOON))).state)
    await session.do(SetAway(**by(BEN, at=NOON + 100), until=NOON + 10_000))
    await session.do(roll((await session.state()).checks[check.id], BEN, at=NOON + 10_050))
    # The absence asks anew, so the time before it doesn't count either.
    assert await seconds(session, BEN) == (1, 50)


async def test_an_absence_that_a_gm_noted_ends_with_the_next_act(session: Session) -> None:
    check = newest((await session.do(propose(BEN, at=NOON))).state)
    check = newest((await session.do(answer(check, at=NOON))).state)
    await session.do(SetAway(**by(GM, at=NOON + 100), person=BEN.id))
    await session.do(roll((await session.state()).checks[check.id], BEN, at=NOON + 5000))
    assert await seconds(session, BEN) == (1, 0)
    await rolled_after(session, NOON + 6000, 0, 700, BEN)
    assert await seconds(session, BEN) == (2, 700)


async def test_turns_count_until_their_first_act(session: Session) -> None:
    await session.do(StartEncounter(**by(GM)))
    await session.do(JoinEncounter(**by(ANN)))
    await session.do(JoinEncounter(**by(BEN)))
    first = await session.do(NextTurn(**by(GM)))
    on_turn = first.state.encounters[PLACE].order[0].character or ""
    owner = first.state.characters[on_turn].owner
    player, other = (ANN, BEN) if owner == ANN.id else (BEN, ANN)
    await session.do(NextTurn(**by(player, at=NOON + 500)))
    assert await seconds(session, player, "turn") == (1, 500)
    began = (await session.state()).encounters[PLACE].since
    await session.do(propose(other, at=began + 60))
    check = newest(await session.state())
    await session.do(answer(check, at=began + 200))
    await session.do(roll((await session.state()).checks[check.id], other, at=began + 300))
    assert await seconds(session, other, "turn") == (1, 60)


async def test_missed_answers_and_turns(session: Session) -> None:
    check = await session.rolled()
    for wait in pending_waits(check):
        if wait.default is not None:
            await session.do(Due(**by(CLOCK, at=wait.due), wait=wait.id))
    waited = {wait.asked.prompt.key for wait in pending_waits(check) if wait.default is not None}
    assert waited and (await times(session, ANN)).missed == 1
    await session.do(StartEncounter(**by(GM)))
    await session.do(JoinEncounter(**by(BEN)))
    state = (await session.do(NextTurn(**by(GM)))).state
    wait, due = max(turn_waits(state).items(), key=lambda item: item[1])
    await session.do(Due(**by(CLOCK, at=due), wait=wait))
    assert (await times(session, BEN, at=due + 1)).missed == 1
    assert await seconds(session, BEN, "turn", at=due + 1) is None


async def test_a_long_journal_is_read_in_the_worker_process(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        await rolled_after(session, NOON + number * 100, 10 + number, 50)
    await session.do(SetAway(**by(BEN, at=NOON + 1000), until=NOON + 10_000))
    table = await session.tables.get(session.table_id)
    here = await answer_times(session.tables, table, NOON + DAY)
    asked: list[object] = []

    async def aside(*request: object) -> object:
        work, *arguments = pickle.loads(pickle.dumps(request))
        asked.append(work)
        return pickle.loads(pickle.dumps(work(*arguments)))

    monkeypatch.setattr(session.tables, "aside", aside)
    monkeypatch.setattr(reading, "INLINE_ENTRIES", 5)
    monkeypatch.setattr(reading, "_PAGE_ASIDE", 7)
    assert await answer_times(session.tables, table, NOON + DAY) == here
    assert len(asked) > 2


async def test_only_the_newest_entries_are_read(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        await rolled_after(session, NOON + number * 1000, 10, 50)
    monkeypatch.setattr(reading, "MAX_ENTRIES", 3)
    assert await seconds(session, ANN) == (1, 50)
