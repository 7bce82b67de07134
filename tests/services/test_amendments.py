"""Amendments: one entry changed or undone alone, and the later entries as they come out then."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from bot.services.replay import replay
from rules.core.errors import (
    Impossible,
    InvalidInput,
    NotFound,
    NotPermitted,
    Outdated,
    RulesError,
)
from rules.table.actions import (
    Adjust,
    Advance,
    AdvanceTime,
    Amend,
    Award,
    Begin,
    ChangeSettings,
    CloseChecks,
    EntryChange,
    NameDeputy,
    RollDice,
    Undo,
)
from rules.table.actions import Session as Sessions
from rules.table.checks import engine
from rules.table.events import Amended, CheckChanged
from rules.table.journal.step_in import same_part
from rules.table.state import DAY, TableState
from tests.amending import amend, previewed
from tests.replayed_entries import replay_entries
from tests.sample_table import (
    ANN,
    BEN,
    GM,
    NOON,
    House,
    Session,
    answer,
    by,
    choose,
    faces,
    make_session,
    masterbook_character,
    newest,
    propose,
    roll,
)


async def _fold(session: Session) -> TableState:
    """The table as the journal makes it again; it has to be the same."""
    again = await replay(session.tables.store, session.table_id)
    assert again == await session.state()
    return again


async def _answered(session: Session, difficulty: str, **options: Any) -> tuple[int, Any]:
    """A check with its answer, and the number of the answer's entry."""
    check = await session.proposed()
    done = await session.do(answer(check, difficulty=difficulty, **options))
    return done.seq, newest(done.state)


async def test_a_difficulty_is_changed_after_the_roll(session: Session) -> None:
    entry, check = await _answered(session, "7")
    rolled = newest((await session.do(roll(check))).state)
    await session.do(RollDice(**by(BEN), dice="2d6"))
    done = await amend(session, entry, values={"difficulty": "30"})
    now = done.state.checks[check.id]
    assert faces(now) == faces(rolled), "the same dice"
    assert now.data.ruling.difficulty == "30" and rolled.data.ruling.difficulty == "Routine"
    shown = [each for each in done.events if isinstance(each, CheckChanged)]
    assert [each.check for each in shown if each.audience.everyone] == [check.id]
    (told,) = [each for each in done.events if isinstance(each, Amended)]
    assert [each.seq for each in told.entries] == [entry, entry + 1] and not told.gone
    assert not told.rolled
    await _fold(session)
    await session.restart()
    assert (await session.state()).checks[check.id] == now
    await _fold(session)


async def test_a_reason_is_told_with_the_correction_and_kept(session: Session) -> None:
    first = (await session.do(Award(**by(GM), kind="fate", amount=1))).seq
    second = (await session.do(Award(**by(GM), kind="fate", amount=1))).seq
    done = await amend(session, second, values={"amount": 2}, reason="  given\n twice ")
    (told,) = [event for event in done.events if isinstance(event, Amended)]
    assert told.reason == "given twice" and told.audience.everyone
    # An amendment of what came before carries the other one out anew.
    again = await amend(session, first, values={"amount": 3})
    assert [event.reason for event in again.events if isinstance(event, Amended)] == [""]
    await _fold(session)
    await session.restart()
    await _fold(session)
    await session.do(Undo(**by(GM), entry=again.seq))
    await session.do(Undo(**by(GM), entry=done.seq))
    await _fold(session)


async def test_a_reason_of_a_correction_has_bounds(session: Session) -> None:
    entry = (await session.do(Award(**by(GM), kind="fate", amount=1))).seq
    action, amendment = await previewed(session, entry, values={"amount": 2})
    assert amendment.digest(action) == amendment.digest(action.replace(reason="other"))
    for reason, code in (("x" * 301, "too-long"), ("a\x00b", "unprintable-text")):
        with pytest.raises(InvalidInput) as refused:
            await session.do(action.replace(reason=reason))
        assert (refused.value.code, refused.value.params["field"]) == (code, "reason")
    await session.do(action.replace(reason="x" * 300))


async def test_an_undone_amendment_leaves_everything_as_it_was(session: Session) -> None:
    entry, check = await _answered(session, "7")
    await session.do(roll(check))
    await session.do(Award(**by(GM), kind="fate", amount=1))
    before = await session.state()
    done = await amend(session, entry, values={"difficulty": "30"})
    await session.do(Undo(**by(GM), entry=done.seq))
    after = dict((await session.state()).parts())
    for key, part in before.parts():
        assert key == "counters" or same_part(after[key], part), key
    await _fold(session)


async def test_an_amendment_without_a_part_of_its_own_is_undone(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its check has left the table, so only the entries count anew; then it's amended again."""
    monkeypatch.setattr(engine, "MAX_OWN_CHECKS", 3)
    monkeypatch.setattr(engine, "KEPT_CHECKS", 1)
    entry, check = await _answered(session, "7")
    await session.do(roll(check))
    await session.do(CloseChecks(**by(GM), checks=(check.id,)))
    for _ in range(4):
        later = await session.rolled(difficulty="7")
        if later.is_open:
            await session.do(CloseChecks(**by(GM), checks=(later.id,)))
    assert check.id not in (await session.state()).checks
    done = await amend(session, entry, values={"difficulty": "30"})
    with pytest.raises(Impossible, match="amend-again"):
        await amend(session, entry, values={"difficulty": "20"})
    await session.do(Undo(**by(GM), entry=done.seq))
    again = await amend(session, entry, values={"difficulty": "20"})
    with pytest.raises(NotFound, match="nothing-to-undo"):
        await session.do(Undo(**by(GM), entry=done.seq))
    await session.do(Undo(**by(GM), entry=again.seq))
    await _fold(session)


async def test_one_entry_is_undone_alone(session: Session) -> None:
    first = await session.do(Award(**by(GM), kind="fate", amount=1))
    before = await session.state()
    await session.do(Award(**by(GM), kind="fate", amount=2, to="Anna"))
    kept = await session.do(RollDice(**by(BEN), dice="2d6"))
    done = await amend(session, first.seq, undo=True)
    fates = {each.name: each.sheet.fate for each in done.state.characters.values()}
    then = {each.name: each.sheet.fate for each in before.characters.values()}
    assert fates == {"Anna": then["Anna"] - 1 + 2, "Boris": then["Boris"] - 1}
    (told,) = [each for each in done.events if isinstance(each, Amended)]
    assert told.gone == (first.seq,) and kept.seq not in [each.seq for each in told.entries]
    with pytest.raises(NotFound, match="nothing-to-undo"):
        await session.do(Undo(**by(GM), entry=first.seq))
    await session.do(Undo(**by(GM), entry=done.seq))
    await _fold(session)
    # It counts again, and can be undone.
    await session.do(Undo(**by(GM), entry=first.seq, all_dependents=True))
    await _fold(session)


async def test_what_was_about_an_undone_check_goes_along(session: Session) -> None:
    proposed = await session.do(propose())
    check = newest(proposed.state)
    await session.do(answer(check))
    answered = newest(await session.state())
    await session.do(roll(answered))
    await session.do(propose(BEN))
    other = newest(await session.state())
    action, seen = await previewed(session, proposed.seq, undo=True)
    fates = {each.seq: each.fate for each in seen.entries}
    assert [fates[proposed.seq + step] for step in range(4)] == [
        "undone",
        "goes-along",
        "goes-along",
        "same",
    ]
    done = await session.do(action)
    assert list(done.state.checks) == [other.id], "later checks keep their ids"
    assert done.state.counters.check == (await session.state()).counters.check >= 2
    await _fold(session)
    assert newest((await session.do(propose())).state).id not in (check.id, other.id)


async def test_only_those_who_see_a_difference_are_told(session: Session) -> None:
    """Two hidden numbers with the same verdict: nobody but the GMs hears of it."""
    entry, check = await _answered(session, "29", hidden=True)
    await session.do(roll(check))
    done = await amend(session, entry, values={"difficulty": "30"})
    assert done.state.checks[check.id].data.ruling.difficulty == "30"
    assert all(not each.audience.everyone for each in done.events)
    assert all(not each.audience.people for each in done.events)
    assert all(not out.public for out in done.outs if out.kind not in ("mark",))
    for event in done.events:
        assert not isinstance(event, CheckChanged) or event.secret
    assert not [out for out in done.outs if out.kind in ("card", "call", "stub", "board")]
    await _fold(session)


async def test_an_amendment_is_not_told_beyond_its_preview(session: Session) -> None:
    entry, check = await _answered(session, "7")
    action, _ = await previewed(session, entry, values={"difficulty": "30"})
    await session.do(roll(check))
    with pytest.raises(Outdated, match="amend-changed"):
        await session.do(action)
    assert newest(await session.state()).data.ruling.difficulty == "Routine"


async def test_what_cannot_be_amended(session: Session) -> None:
    entry, check = await _answered(session, "7")
    rolled = await session.do(roll(check))
    setting = await session.do(ChangeSettings(**by(GM), values={"answer_time": DAY * 2}))
    undone = await session.do(Undo(**by(GM), entry=setting.seq))
    await session.do(Sessions(**by(GM), start=True))
    award = await session.do(Award(**by(GM), kind="fate", amount=1))
    dice = await session.do(RollDice(**by(GM), dice="2d6"))
    refusals: list[tuple[str, type[Exception], dict[str, Any]]] = [
        ("amend-final", Impossible, {"entry": 1, "undo": True}),
        ("amend-final", Impossible, {"entry": undone.seq, "undo": True}),
        ("nothing-to-undo", NotFound, {"entry": setting.seq, "undo": True}),
        ("nothing-to-undo", NotFound, {"entry": 99, "undo": True}),
        ("unknown-field", RulesError, {"entry": rolled.seq, "values": {"fate": 1}}),
        ("amend-no-values", Impossible, {"entry": undone.seq + 1, "values": {"start": False}}),
        ("amend-no-values", Impossible, {"entry": dice.seq, "values": {"dice": "3d6"}}),
        ("unknown-option", NotFound, {"entry": award.seq, "values": {"who": "k2"}}),
        ("unknown-option", NotFound, {"entry": award.seq, "without": ("at",)}),
        ("wrong-type", InvalidInput, {"entry": award.seq, "values": {"amount": "two"}}),
        ("out-of-range", InvalidInput, {"entry": award.seq, "values": {"amount": 11}}),
        ("amend-nothing", Impossible, {"entry": entry}),
        ("amend-nothing", Impossible, {"entry": entry, "values": {"difficulty": "7"}}),
    ]
    before = await session.state()
    for code, kind, changes in refusals:
        with pytest.raises(kind, match=code):
            await amend(session, **changes)
    with pytest.raises(NotPermitted, match="gm-only"):
        await amend(session, entry, ANN, undo=True)
    with pytest.raises(NotPermitted, match="gm-only"):
        await session.do(Amend(**by(ANN), entry=entry, undo=True))
    assert await session.state() == before


async def test_amendments_of_earlier_entries_meet_later_amendments(session: Session) -> None:
    first = await session.do(Award(**by(GM), kind="fate", amount=1))
    entry, check = await _answered(session, "7")
    await session.do(roll(check))
    later = await amend(session, entry, values={"difficulty": "30"})
    with pytest.raises(Impossible, match="amend-again"):
        await amend(session, entry, values={"difficulty": "12"})
    done = await amend(session, first.seq, undo=True)
    assert done.state.checks[check.id].data.ruling.difficulty == "30", "the other correction stays"
    await _fold(session)
    with pytest.raises(Impossible, match="undo-others-first"):
        await session.do(Undo(**by(GM), entry=entry))
    await session.do(Undo(**by(GM), entry=later.seq, all_dependents=True))
    await _fold(session)


async def test_an_undone_entry_stays_undone(session: Session) -> None:
    first = await session.do(Award(**by(GM), kind="fate", amount=1))
    other = await session.do(Award(**by(GM), kind="fate", amount=2))
    await session.do(Undo(**by(GM), entry=other.seq))
    before = await session.state()
    done = await amend(session, first.seq, undo=True)
    fates = [each.sheet.fate for each in done.state.characters.values()]
    assert fates == [each.sheet.fate - 1 for each in before.characters.values()]
    await _fold(session)


async def test_the_past_of_an_amendment_is_read_from_the_journal(session: Session) -> None:
    """An undo later on that reaches behind the amended entry is carried out anew as well."""
    early = await session.do(Award(**by(GM), kind="fate", amount=3, to="Boris"))
    entry, check = await _answered(session, "7")
    await session.do(Undo(**by(GM, at=NOON + 60), entry=early.seq))
    await session.do(roll(newest(await session.state()), at=NOON + 90))
    entries = await replay_entries(session.tables.store, session.table_id, entry)
    assert entries[0].seq == early.seq
    done = await amend(session, entry, values={"difficulty": "30"}, at=NOON + 100)
    assert done.state.checks[check.id].data.ruling.difficulty == "30"
    await _fold(session)


async def test_dice_that_nobody_has_rolled_come_from_the_amendment(session: Session) -> None:
    """Another ability has another die: the main die stays, the other falls anew, once."""
    await session.do(Award(**by(GM), kind="fate", amount=10, to="Anna"))
    entry = (await session.do(Advance(**by(ANN), skill="Climbing"))).seq
    _, check = await _answered(session, "7")
    rolled = newest((await session.do(roll(check))).state)
    action, seen = await previewed(session, entry, undo=True)
    assert [each.fate for each in seen.entries][-1] == "new-dice"
    assert seen.state is None, "no preview shows dice that have not fallen"
    done = await session.do(action)
    now = done.state.checks[check.id]
    sides = [[die.sides for die in each.data.roll.dice] for each in (rolled, now)]
    assert sides[0][-1] == 10 and sides[1][-1] == 8
    assert faces(now)[0] == faces(rolled)[0], "the main die is as it fell"
    assert any(isinstance(each, Amended) and each.rolled for each in done.events)
    rows = await session.tables.store.entries_at(session.table_id, [done.seq])
    assert rows[0][0].draws > 0
    await _fold(session)


async def test_deputies_amend_nothing(session: Session) -> None:
    first = await session.do(Award(**by(GM), kind="fate", amount=1))
    await session.do(NameDeputy(**by(GM), to=BEN.id))
    with pytest.raises(NotPermitted, match="deputy-may-not"):
        await amend(session, first.seq, BEN, undo=True)


# --- other values of any kind of entry ------------------------------------------------------------


async def test_a_proposal_gets_another_modifier(session: Session) -> None:
    """The check keeps its id, its dice and the GM's answer."""
    proposed = await session.do(propose())
    check = newest(proposed.state)
    await session.do(answer(check, difficulty="7"))
    rolled = newest((await session.do(roll(newest(await session.state())))).state)
    done = await amend(session, proposed.seq, values={"modifier": 2})
    now = done.state.checks[check.id]
    assert faces(now) == faces(rolled) and now.data.request.modifier == 2
    assert now.data.ruling.difficulty == "Routine"
    await _fold(session)
    await session.do(Undo(**by(GM), entry=done.seq))
    assert faces((await session.state()).checks[check.id]) == faces(rolled)
    await _fold(session)


async def test_an_answer_gets_another_option(session: Session) -> None:
    """The GM called for a roll, and should have let it succeed: the roll can't stand."""
    entry, check = await _answered(session, "7")
    rolled = await session.do(roll(check))
    changes: dict[str, Any] = {"option": "free", "without": ("difficulty",)}
    action, seen = await previewed(session, entry, **changes)
    assert {each.seq: each.fate for each in seen.entries}[rolled.seq] in ("conflict", "goes-along")
    done = await session.do(action)
    assert not done.state.checks[check.id].is_open
    await _fold(session)


async def test_awards_and_sheets_and_time_and_settings_get_other_values(session: Session) -> None:
    first = await session.do(Award(**by(GM), kind="fate", amount=1))
    fate = [each.sheet.fate for each in first.state.characters.values()]
    adjusted = await session.do(Adjust(**by(GM), character="Anna", what="fate", value="9"))
    moved = await session.do(AdvanceTime(**by(GM), minutes=60))
    setting = await session.do(ChangeSettings(**by(GM), values={"answer_time": DAY * 2}))
    await amend(session, first.seq, values={"amount": 3}, without=())
    await amend(session, adjusted.seq, values={"value": "2"})
    await amend(session, moved.seq, values={"minutes": 90})
    state = (await amend(session, setting.seq, values={"answer_time": DAY * 3})).state
    now = {each.name: each.sheet.fate for each in state.characters.values()}
    assert now == {"Anna": 2, "Boris": fate[1] + 2}
    assert state.clock.time - moved.state.clock.time == 30
    assert state.settings.answer_time == DAY * 3
    await _fold(session)
    await session.restart()
    assert await session.state() == state


async def test_a_player_is_moved_from_a_targetless_award_to_one(session: Session) -> None:
    first = await session.do(Award(**by(GM), kind="fate", amount=1, to="Anna"))
    then = {each.name: each.sheet.fate for each in first.state.characters.values()}
    done = await amend(session, first.seq, values={"to": "Boris"})
    now = {each.name: each.sheet.fate for each in done.state.characters.values()}
    assert now == {"Anna": then["Anna"] - 1, "Boris": then["Boris"] + 1}
    done = await session.do(Undo(**by(GM), entry=done.seq))
    done = await amend(session, first.seq, without=("to",))
    now = {each.name: each.sheet.fate for each in done.state.characters.values()}
    assert now == {"Anna": then["Anna"], "Boris": then["Boris"] + 1}
    await _fold(session)


async def test_a_later_entry_that_cannot_stand_is_changed_too(session: Session) -> None:
    """Anna can't pay for her step without the points; the GM pays for it another way."""
    await session.do(Award(**by(GM), kind="fate", amount=1))
    given = await session.do(Adjust(**by(GM), character="Anna", what="fate", value="10"))
    bought = await session.do(Advance(**by(ANN), skill="Climbing"))
    values = {"value": "2"}
    _, seen = await previewed(session, given.seq, values=values)
    assert {each.seq: each.fate for each in seen.entries}[bought.seq] == "conflict"
    assert set(seen.before) == {bought.seq}
    also = (EntryChange(bought.seq, values={"skill": "Nothing"}),)
    _, still = await previewed(session, given.seq, values=values, also=also)
    assert {each.seq: each.fate for each in still.entries}[bought.seq] == "conflict"
    for number in (given.seq - 1, bought.seq + 7):
        with pytest.raises(NotFound, match="nothing-to-undo"):
            also = (EntryChange(number, values={"amount": 2}),)
            await previewed(session, given.seq, values=values, also=also)


async def test_both_changes_are_one_entry(session: Session) -> None:
    proposed = await session.do(propose())
    check = newest(proposed.state)
    ruled = await session.do(answer(check, difficulty="7"))
    rolled = newest((await session.do(roll(newest(await session.state())))).state)
    also = (EntryChange(ruled.seq, values={"difficulty": "30"}),)
    done = await amend(session, proposed.seq, values={"modifier": -1}, also=also)
    now = done.state.checks[check.id]
    assert now.data.request.modifier == -1 and now.data.ruling.difficulty == "30"
    assert faces(now) == faces(rolled)
    with pytest.raises(Impossible, match="amend-again"):
        await amend(session, ruled.seq, values={"difficulty": "12"})
    await _fold(session)
    await session.do(Undo(**by(GM), entry=done.seq))
    after = (await session.state()).checks[check.id]
    assert after.data.ruling.difficulty == "Routine" and not after.data.request.modifier
    await _fold(session)


async def test_undoing_an_amendment_takes_along_what_it_lets_count_again(house: House) -> None:
    """A check that an amendment had undone waits for a character whose entry goes with it."""
    lucky = partial(masterbook_character, life_points=5)
    session = await make_session(house, system="masterbook", character=lucky, live=True)
    imports = [row.seq for row, _ in await _rows(session) if row.kind == "ImportCharacter"]
    award = (await session.do(Award(**by(GM), kind="life_points", amount=1))).seq
    values = {"skill": "Stealth", "difficulty": "8", "approach": "so"}
    done = await session.do(Begin(**by(ANN), kind="check", values=values))
    check = newest(done.state)
    spent = await session.do(choose(check, "react", "point:check", ANN, check.actor))
    check = newest(spent.state)
    boris = next(each for each in spent.state.characters.values() if each.owner == BEN.id)
    assert boris.id in {who for asked in check.asked for who in asked.waiting_for}
    await amend(session, award, undo=True, left_out=(done.seq,))
    assert check.id not in (await session.state()).checks
    undone = await session.do(Undo(**by(GM), entry=imports[-1], all_dependents=True))
    assert boris.id not in undone.state.characters
    assert check.id not in undone.state.checks, "it would wait for a character that is gone"
    (row,) = [row for row, _ in await _rows(session) if row.seq == done.seq]
    assert row.undone_by == undone.seq
    await session.replayed()


async def _rows(session: Session) -> Any:
    return await session.tables.store.entries(session.table_id)
