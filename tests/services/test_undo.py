"""Taking back: who may, what hangs on it, and that the dice never come again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from bot.services.history import recent_entries
from bot.services.outbox_plan import ReplyTo
from bot.services.perform import ActionResult, perform
from rules.core.errors import Impossible, InvalidInput, NotFound, NotPermitted, Outdated, RulesError
from rules.table.actions import (
    ChangePerson,
    ChangeSettings,
    Due,
    ImportCharacter,
    Undo,
)
from rules.table.check import PASS
from rules.table.events import CheckChanged, Undone
from rules.table.state import DAY
from tests.sample_table import (
    ANN,
    BEN,
    CLOCK,
    GM,
    NOON,
    House,
    Session,
    answer,
    by,
    choose,
    ebb_character,
    faces,
    newest,
    propose,
    roll,
    waits,
)


async def test_a_player_takes_back_the_last_thing_said(session: Session) -> None:
    done = await session.do(propose(ANN))
    undone = await session.do(Undo(**by(ANN)))
    assert undone.state.checks == {}
    (event,) = undone.events
    assert isinstance(event, Undone)
    assert (event.entries, event.by) == ((done.seq,), "p2")
    assert (await session.proposed()).id == "c2"
    await session.replayed()


async def test_a_player_takes_back_neither_dice_nor_others(session: Session) -> None:
    await session.proposed(BEN)
    with pytest.raises(NotPermitted, match="not-yours-to-undo"):
        await session.do(Undo(**by(ANN), entry=4))
    rolled = await session.rolled(ANN)
    with pytest.raises(NotPermitted, match="undo-drew-dice"):
        await session.do(Undo(**by(ANN)))
    answered = await session.answered(BEN)
    await session.do(choose(answered, "ready", "luck:Fitness", BEN))
    with pytest.raises(NotPermitted, match="undo-revealed"):
        await session.do(Undo(**by(BEN)))
    await session.do(choose(rolled, "react", PASS))
    await session.do(ChangeSettings(**by(GM), values={"player_undo": False}))
    with pytest.raises(NotPermitted, match="gm-only"):
        await session.do(Undo(**by(ANN)))


async def test_the_gm_takes_back_a_roll_and_the_next_one_is_another(session: Session) -> None:
    """A re-roll is another request and draws anew; the old request stays what it was."""
    await session.answered()
    fallen = set[tuple[int, ...]]()
    for number in range(6):
        check = newest(await session.state())
        done = await perform(session.tables, session.table_id, roll(check), f"roll {number}")
        fallen.add(faces(newest(done.state)))
        await session.do(Undo(**by(GM)))
        again = await perform(session.tables, session.table_id, roll(check), f"roll {number}")
        assert (again.repeated, again.seq, again.events) == (True, done.seq, done.events)
    assert len(fallen) > 2
    back = newest(await session.replayed())
    assert (back.stage, back.data.is_rolled) == ("ready", False)


async def test_what_was_shown_before_an_undo_is_outdated_after_it(session: Session) -> None:
    """Neither the numbers nor the waits of a check come again with another meaning."""
    answered = await session.answered()
    rolled = newest((await session.do(roll(answered))).state)
    seen = {asked.number for check in (answered, rolled) for asked in check.asked}
    await session.do(Undo(**by(GM)))
    back = newest(await session.state())
    assert not seen & {asked.number for asked in back.asked}
    for old in (answered, rolled):
        with pytest.raises(Outdated):
            await session.do(roll(old))
    again = newest((await session.do(roll(back))).state)
    assert not {*seen, *(asked.number for asked in back.asked)} & {
        asked.number for asked in again.asked
    }


async def test_the_card_of_what_comes_back_is_shown(session: Session) -> None:
    await session.do(roll(await session.answered(hidden=True, difficulty="9137")))
    events = (await session.do(Undo(**by(GM)))).events
    views = [event for event in events if isinstance(event, CheckChanged)]
    assert [event.step for event in views] == ["reopened", "reopened"]
    assert [event.audience.everyone for event in views] == [True, False]
    assert "9137" not in str(views[0])
    assert "9137" in str(views[1])


async def test_time_starts_anew_for_what_comes_back(session: Session) -> None:
    """Else the clock would settle again at once what the GM has just opened again."""
    await session.rolled()
    _, wait = waits(await session.state())
    late = NOON + 5 * DAY
    settled = await session.do(Due(**by(CLOCK, at=late), wait=wait))
    assert not newest(settled.state).is_open
    back = await session.do(Undo(**by(GM, at=late + 60), entry=settled.seq))
    reminder, again = waits(back.state).values()
    assert (reminder.default, reminder.due) == (None, late + 60 + DAY // 2)
    assert (again.default, again.due) == (PASS, late + 60 + DAY)
    assert [row[1:] for row in await session.tables.store.due_waits(late + DAY + 60)] == [
        (reminder.id, reminder.due),
        (again.id, again.due),
    ]
    assert (await session.tables.store.due_waits(late + DAY // 2)) == ()
    await session.do(Due(**by(CLOCK, at=late + DAY + 60), wait=again.id))
    assert not newest(await session.replayed()).is_open


async def test_dependents_are_listed_and_taken_back_together(session: Session) -> None:
    proposed = await session.do(propose(ANN))
    other = await session.do(propose(BEN))
    answered = await session.do(answer(newest(proposed.state)))
    with pytest.raises(Impossible, match="undo-others-first"):
        await session.do(Undo(**by(ANN), entry=proposed.seq, all_dependents=True))
    done = await session.do(roll(answered.state.checks["c1"]))
    with pytest.raises(Impossible, match="undo-others-first") as caught:
        await session.do(Undo(**by(GM), entry=proposed.seq))
    assert caught.value.params["others"] == (f"#{answered.seq}", f"#{done.seq}")
    undone = await session.do(Undo(**by(GM), entry=proposed.seq, all_dependents=True))
    assert undone.events[0].entries == (done.seq, answered.seq, proposed.seq)  # pyright: ignore[reportAttributeAccessIssue]
    assert list(undone.state.checks) == ["c2"]
    assert undone.state.checks["c2"] is other.state.checks["c2"]
    assert undone.state.counters.check == 2
    await session.replayed()


async def test_what_was_undone_stays_undone(session: Session, house: House) -> None:
    done = await session.do(propose(ANN))
    await session.do(Undo(**by(GM)))
    for _ in range(2):
        with pytest.raises(NotFound, match="nothing-to-undo"):
            await session.do(Undo(**by(GM), entry=done.seq))
        await session.restart()
    ((entry, _), (undo, _)) = await session.tables.store.entries(session.table_id, since=done.seq)
    assert (entry.undone_by, undo.undone_by) == (undo.seq, None)
    with pytest.raises(NotFound, match="nothing-to-undo"):
        await session.do(Undo(**by(GM), entry=undo.seq))
    (imported,) = {
        row.seq
        for row, keys in await recent_entries(session.tables, session.table_id, 99)
        if row.actor == "p3"
    }
    await session.do(Undo(**by(GM)))
    assert [c.name for c in (await session.state()).characters.values()] == ["Anna"]
    assert imported < done.seq


async def test_a_character_is_not_taken_from_its_checks(session: Session) -> None:
    """The checks of a character hang on its arrival, though they never changed it."""
    proposed = await session.do(propose(ANN))
    await session.do(propose(BEN))
    with pytest.raises(Impossible, match="undo-others-first") as caught:
        await session.do(Undo(**by(GM), entry=2))
    assert caught.value.params["others"] == (f"#{proposed.seq}",)
    await session.do(Undo(**by(GM), entry=2, all_dependents=True))
    state = await session.replayed()
    assert ([c.name for c in state.characters.values()], list(state.checks)) == (["Boris"], ["c2"])


async def test_a_trait_is_not_taken_from_an_open_check(session: Session) -> None:
    abilities = [
        *ebb_character("Anna")["abilities"],
        {"name": "Flying", "group": "Zone", "die": "d4"},
    ]
    drawbacks = [f"Drawback {number}" for number in range(11)]
    better = ebb_character("Anna", abilities=abilities, drawbacks=drawbacks)
    learned = await session.do(ImportCharacter(**by(ANN), data=better, overwrite=True))
    before = await session.proposed(skill="Climbing")
    flight = await session.do(propose(skill="Flying"))
    with pytest.raises(Impossible, match="undo-others-first") as caught:
        await session.do(Undo(**by(GM), entry=learned.seq))
    assert caught.value.params["others"] == (f"#{flight.seq}",)
    await session.do(Undo(**by(GM), entry=learned.seq, all_dependents=True))
    assert list((await session.replayed()).checks) == [before.id]


async def test_a_check_over_and_gone_does_not_come_back_without_its_character(
    session: Session,
) -> None:
    """Undo of what pushed an old check out of sight, after the check's character was taken back."""
    arrived = await session.do(ImportCharacter(**by(GM), data=ebb_character("Rat"), npc=True))
    first = await session.do(propose(GM))
    await session.do(choose(newest(first.state), "own", "withdraw", GM, newest(first.state).actor))
    for _ in range(40):
        await session.do(answer(await session.proposed(), kind="free"))
    assert "c1" not in (await session.state()).checks
    pushed = next(
        row.seq
        for row, keys in await session.tables.store.entries(session.table_id)
        if "check:c1" in keys and row.seq > first.seq + 1
    )
    await session.do(Undo(**by(GM), entry=arrived.seq))
    await session.do(Undo(**by(GM), entry=pushed, all_dependents=True))
    state = await session.replayed()
    assert "c1" not in state.checks
    assert "c41" not in state.checks


async def test_an_undo_repeated_by_the_gateway_takes_back_once(session: Session) -> None:
    await session.do(propose(ANN))
    second = await session.do(propose(ANN))
    first = await perform(session.tables, session.table_id, Undo(**by(GM)), "undo")
    await session.restart()
    again = await perform(session.tables, session.table_id, Undo(**by(GM)), "undo")
    assert (again.repeated, again.seq) == (True, first.seq)
    assert list((await session.state()).checks) == ["c1"]
    assert (await session.tables.store.entries(session.table_id, since=second.seq))[0][
        0
    ].undone_by == first.seq


async def test_counters_never_go_back(session: Session) -> None:
    await session.do(ImportCharacter(**by(GM), data=ebb_character("Rat"), npc=True))
    await session.do(Undo(**by(GM)))
    done = await session.do(ImportCharacter(**by(GM), data=ebb_character("Rat"), npc=True))
    assert done.state.counters.character == 4
    assert len(done.state.characters) == 3


async def test_settings_and_people_come_back_whole(session: Session) -> None:
    before = (await session.state()).settings
    named = await session.do(ChangeSettings(**by(GM), values={"name": "Swamps", "step_in_time": 7}))
    await session.do(ChangePerson(**by(ANN), plain=True))
    await session.do(Undo(**by(GM), entry=named.seq))
    await session.do(Undo(**by(ANN)))
    state = await session.replayed()
    assert state.settings == before
    assert not state.person("p2").plain


async def test_nothing_undone_is_said(session: Session) -> None:
    done = await session.do(propose(ANN), reply=ReplyTo(False, "token"))
    assert {out.kind for out in done.outs} == {"reply", "card", "call"}
    undone = await session.do(Undo(**by(GM)), reply=ReplyTo(True, "other"))
    waiting = await session.tables.store.unsent_rows(session.table_id)
    assert {out.journal_id for out in waiting if out.journal_id >= done.journal_id} == {
        undone.journal_id
    }
    assert {out.kind for out in undone.outs} == {"reply", "mark"}


@pytest.mark.parametrize(
    "action", [Undo(**by(GM), entry=0), Undo(**by(ANN)), Undo(**by(GM), entry=10**30)]
)
async def test_nothing_to_take_back(session: Session, action: Undo) -> None:
    await session.do(Undo(**by(ANN)))
    with pytest.raises(RulesError) as caught:
        await session.do(action)
    assert isinstance(caught.value, NotFound | InvalidInput)


async def test_a_revision_taken_back_and_made_again(session: Session) -> None:
    revise = choose(await session.proposed(), "own", "revise", approach="by the stairs")
    await session.do(revise)
    await session.do(Undo(**by(ANN)))
    with pytest.raises(Outdated):
        await session.do(revise)
    back = newest(await session.replayed())
    assert (back.approach, back.revision) == ("up the rope", 3)


class Watched:
    """Has something done while an undo is being looked up, each time anew."""

    def __init__(
        self,
        session: Session,
        monkeypatch: pytest.MonkeyPatch,
        meanwhile: Callable[[int], Awaitable[object]],
    ):
        self.times = 0
        store = session.tables.store
        read = store.parts_before

        async def before(ids: Sequence[int]) -> dict[int, dict[str, tuple[int, str] | None]]:
            self.times += 1
            await meanwhile(self.times)
            return await read(ids)

        monkeypatch.setattr(store, "parts_before", before)


async def test_nobody_waits_for_an_undo_to_be_looked_up(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = await session.do(propose(ANN))
    looking, others = asyncio.Event(), asyncio.Event()

    async def meanwhile(times: int) -> None:
        looking.set()
        await others.wait()

    watched = Watched(session, monkeypatch, meanwhile)
    undoing = asyncio.create_task(session.do(Undo(**by(GM), entry=done.seq)))
    await looking.wait()
    async with asyncio.timeout(10):
        await session.do(propose(BEN))
    others.set()
    state = (await undoing).state
    assert watched.times == 2 and list(state.checks) == ["c2"]
    await session.replayed()


async def test_what_came_while_an_undo_was_looked_up_counts(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = await session.do(propose(ANN))

    async def answered(times: int) -> None:
        if times == 1:
            await session.do(answer(newest(done.state)))

    watched = Watched(session, monkeypatch, answered)
    with pytest.raises(Impossible, match="undo-others-first"):
        await session.do(Undo(**by(GM), entry=done.seq))
    assert watched.times == 1
    assert (await session.state()).checks


async def test_an_undo_gets_its_turn_among_people_who_never_rest(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = await session.do(propose(ANN))
    last: list[asyncio.Task[ActionResult]] = []

    async def another(times: int) -> None:
        if times <= 5:
            await session.do(propose(BEN))
        else:
            last.append(asyncio.create_task(session.do(propose(BEN))))

    watched = Watched(session, monkeypatch, another)
    undone = await session.do(Undo(**by(GM), entry=done.seq))
    await last[0]
    assert watched.times == 6
    assert "c1" not in undone.state.checks and len((await session.state()).checks) == 6
    await session.replayed()
