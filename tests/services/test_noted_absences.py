"""Missed deadlines, noted absences and words in the journal: undo, replay, exports, erasure."""

from __future__ import annotations

import json
from typing import Any

from bot.services.transfer import PublicTable, full_export, public_entry
from rules.table.absence import is_away, missed_deadlines, orders_of
from rules.table.actions import (
    ChangePerson,
    DelayTurn,
    Due,
    ForgetPerson,
    JoinEncounter,
    NextTurn,
    RollDice,
    SetAway,
    SetWords,
    StartEncounter,
    Undo,
)
from rules.table.arrangements.absence_actions import absence_waits
from rules.table.readable_places import EVERYWHERE
from rules.table.turns.turn_clock import waits_of_turn
from tests.sample_table import ANN, BEN, CLOCK, GM, NOON, PLACE, Session, by

CANARY = "zwischenwort"


async def _lapsed_turn(session: Session) -> tuple[Any, str]:
    """Let the first turn lapse; return the entry and whose turn it was."""
    for action in (StartEncounter(**by(GM)), JoinEncounter(**by(ANN)), JoinEncounter(**by(BEN))):
        await session.do(action)
    done = await session.do(NextTurn(**by(GM)))
    encounter = done.state.encounters[PLACE]
    character = encounter.order[encounter.turn].character
    assert character is not None
    (wait,) = [each for each in waits_of_turn(done.state, PLACE) if each.ends_turn]
    lapsed = await session.do(Due(**by(CLOCK, at=wait.due), wait=wait.id))
    return lapsed, done.state.characters[character].owner or ""


async def test_a_default_is_undone_without_the_players_later_act(session: Session) -> None:
    lapsed, person = await _lapsed_turn(session)
    assert missed_deadlines(lapsed.state, person) == 1
    who = ANN if person == "p2" else BEN
    acted = await session.do(ChangePerson(**by(who, at=NOON + 10**6), plain=True))
    assert missed_deadlines(acted.state, person) == 0
    undone = await session.do(Undo(**by(GM, at=NOON + 10**6), entry=lapsed.seq))
    assert undone.state.people[person].plain, "the act stands"
    assert not undone.state.encounters[PLACE].order[0].lapsed
    await session.replayed()


async def test_an_undo_of_a_noted_absence_takes_only_its_end_along(session: Session) -> None:
    treated = await session.do(SetAway(**by(GM), person="p2"))
    acted = await session.do(RollDice(**by(ANN), dice="d6"))
    assert not is_away(acted.state, "p2", NOON)
    ((wait, _),) = absence_waits(acted.state).items()
    ended = await session.do(Due(**by(CLOCK), wait=wait))
    undo = Undo(**by(GM), entry=treated.seq, all_dependents=True)
    undone = await session.do(undo)
    rows = await session.tables.store.entries(session.table_id, since=1, limit=100)
    gone = [row.seq for row, _ in rows if row.undone_by is not None]
    assert gone == [treated.seq, ended.seq]
    assert orders_of(undone.state, "p2").away is None
    await session.replayed()


async def test_the_end_is_due_at_once_and_survives_a_restart(session: Session) -> None:
    await session.do(SetAway(**by(GM), person="p2"))
    acted = await session.do(RollDice(**by(ANN), dice="d6"))
    await session.restart()
    due = await session.tables.store.due_waits(NOON)
    assert [wait for _, wait, _ in due] == [*absence_waits(acted.state)]


async def test_words_are_exported_to_gms_and_to_no_player(session: Session) -> None:
    await session.do(SetWords(**by(ANN), words=CANARY))
    await session.do(SetAway(**by(ANN)))
    table = await session.tables.get(session.table_id)
    assert CANARY in json.dumps(full_export(table, None))
    public = PublicTable(table)
    rows = await session.tables.store.entries(session.table_id, since=1, limit=100)
    entries = [entry for row, _ in rows if (entry := public_entry(table, row, EVERYWHERE))]
    assert entries
    assert CANARY not in json.dumps(public.export(entries))


async def test_words_and_counts_leave_with_their_player(session: Session) -> None:
    lapsed, person = await _lapsed_turn(session)
    assert lapsed.state.counters.missed == {person: 1}
    who = ANN if person == "p2" else BEN
    await session.do(DelayTurn(**by(who), back=True))
    await session.do(SetWords(**by(who), words=CANARY))
    await session.do(SetAway(**by(GM), person=person))
    done = await session.do(ForgetPerson(**by(who)))
    assert done.state.counters.missed == {}
    assert absence_waits(done.state) == {}
    rows = await session.tables.store.entries(session.table_id, since=1, limit=100)
    assert CANARY not in "".join(row.events + row.action for row, _ in rows)
