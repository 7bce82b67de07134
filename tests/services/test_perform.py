"""One action, one entry: repeats, crowds, second processes, crashes, refusals."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.services.outbox_plan import ReplyTo
from bot.services.perform import ActionResult, perform
from bot.services.table_opening import create_table
from bot.services.tables import Tables
from bot.storage.errors import StaleTable
from bot.storage.row_records import NewEntry, WrittenEntry
from bot.storage.store import SqlStore, Store
from rules.core.errors import (
    Impossible,
    InvalidInput,
    NotFound,
    NotPermitted,
    Outdated,
    Problems,
    RulesError,
)
from rules.table.actions import (
    Action,
    Actor,
    ChangeGms,
    ChangeSettings,
    Choose,
    CreateTable,
    Due,
    ImportCharacter,
    RollDice,
    TakeOver,
    Undo,
    UseCharacter,
)
from rules.table.check import ANY_GM, PASS
from rules.table.state import DAY, SYSTEM
from tests.sample_table import (
    ANN,
    BEN,
    GM,
    GUILD,
    NOON,
    PLACE,
    USERS,
    House,
    Session,
    answer,
    by,
    choose,
    ebb_character,
    faces,
    make_session,
    newest,
    propose,
    roll,
)


def same(first: ActionResult, again: ActionResult) -> bool:
    """Whether the second is the first once more."""
    return again.repeated and (
        first.seq,
        first.journal_id,
        first.events,
        [out.id for out in first.outs],
    ) == (
        again.seq,
        again.journal_id,
        again.events,
        [out.id for out in again.outs],
    )


async def journal(tables: Tables, table_id: int) -> list[str]:
    return [row.request_id for row, _ in await tables.store.entries(table_id)]


# --- the same request -----------------------------------------------------------------------------


async def test_a_repeated_request_changes_nothing_and_gets_the_first_result(
    session: Session, house: House
) -> None:
    check = await session.answered()
    first = await perform(
        session.tables, session.table_id, roll(check), "twice", ReplyTo(True, "token")
    )
    rows, state = house.rows(), await session.state()
    again = await perform(
        session.tables, session.table_id, roll(check), "twice", ReplyTo(True, "token")
    )
    assert not first.repeated
    assert same(first, again)
    assert again.reply == first.reply
    assert house.rows() == rows
    assert await session.state() is state


async def test_the_same_request_from_many_sides_at_once(session: Session) -> None:
    check = await session.answered()
    results = await asyncio.gather(
        *(perform(session.tables, session.table_id, roll(check), "many") for _ in range(10))
    )
    (first,) = [result for result in results if not result.repeated]
    assert all(same(first, result) for result in results if result is not first)
    assert (await journal(session.tables, session.table_id)).count("many") == 1


@pytest.mark.parametrize("refused_now", [True, False])
async def test_the_same_request_after_a_restart(session: Session, refused_now: bool) -> None:
    """Whether the rules would refuse the action now, or would do it once more: the first result
    comes back.
    """
    action: Action = roll(await session.answered()) if refused_now else propose(BEN)
    first = await perform(
        session.tables, session.table_id, action, "before", ReplyTo(True, "token")
    )
    await session.restart()
    again = await perform(
        session.tables, session.table_id, action, "before", ReplyTo(True, "token")
    )
    assert same(first, again)
    assert again.state == first.state
    assert again.reply == first.reply
    assert (await journal(session.tables, session.table_id)).count("before") == 1


async def test_a_repeated_opening_of_a_table(house: House) -> None:
    tables = await house.enter()
    action = CreateTable(**by(GM), name="Marshes", system="ebb")

    async def opened() -> ActionResult:
        return await create_table(tables, GUILD, action, "open", USERS[0], ReplyTo(True))

    results = await asyncio.gather(opened(), opened(), opened())
    (first,) = [result for result in results if not result.repeated]
    assert all(same(first, result) for result in results if result is not first)
    tables = await house.restart()
    assert same(first, await create_table(tables, GUILD, action, "open", USERS[0], ReplyTo(True)))
    assert len(house.rows("game_table")["game_table"]) == 1


async def test_one_place_holds_one_table(house: House) -> None:
    tables, others = await house.enter(), await house.enter()
    action = CreateTable(**by(GM), name="Marshes", system="ebb")
    await create_table(tables, GUILD, action, "one", USERS[0], None)
    for late in (tables, others):
        with pytest.raises(Impossible, match="place-taken"):
            await create_table(late, GUILD, action, f"late {id(late)}", USERS[1], None)
    assert others.places.table_id(PLACE) == tables.places.table_id(PLACE)
    assert len(house.rows("game_table", "journal")["journal"]) == 1


async def test_dice_depend_on_the_request_alone(house: House) -> None:
    """The same request throws the same dice wherever the table stands; another one throws
    others.
    """
    fallen: list[tuple[int, ...]] = []
    for number, request in enumerate(("a", "a", "b", "c", "d", "e")):
        await house.close()
        house.path = house.path.with_name(f"table{number}.db")
        session = await make_session(house)
        if number % 2:
            await session.proposed(BEN)
        check = await session.answered()
        done = await perform(session.tables, session.table_id, roll(check), request)
        fallen.append(faces(newest(done.state)))
    assert fallen[0] == fallen[1]
    assert len(set(fallen[1:])) > 2


# --- several at once ------------------------------------------------------------------------------


async def test_twenty_press_the_same_button(session: Session) -> None:
    check = await session.answered()

    async def press(number: int) -> ActionResult | RulesError:
        try:
            return await perform(session.tables, session.table_id, roll(check), f"press {number}")
        except RulesError as error:
            return error

    results = await asyncio.gather(*(press(number) for number in range(20)))
    assert sum(isinstance(result, ActionResult) for result in results) == 1
    assert sum(isinstance(result, Outdated) for result in results) == 19
    assert (await session.state()).checks[check.id].revision == check.revision + 1


async def test_many_tables_at_once(house: House) -> None:
    tables = await house.enter()
    sessions = [await make_session(house, tables, place=str(place)) for place in range(300, 306)]
    await asyncio.gather(
        *(session.do(propose(who)) for session in sessions for who in (ANN, BEN) * 5)
    )
    for session in sessions:
        state = await session.state()
        assert len(state.checks) == 10
        numbers = [row.seq for row, _ in await tables.store.entries(session.table_id)]
        assert numbers == list(range(1, len(numbers) + 1))


# --- a second process -----------------------------------------------------------------------------


async def test_a_second_process_sees_what_the_first_did(session: Session, house: House) -> None:
    other = await house.enter()
    await other.get(session.table_id)
    check = await session.answered()
    done = await perform(other, session.table_id, roll(check), "other")
    assert newest(done.state).stage == "open"
    with pytest.raises(Outdated):
        await session.do(roll(check))
    await session.do(choose(newest(done.state), "react", PASS))
    assert not newest(await session.state()).is_open


async def test_two_processes_lose_nothing(session: Session, house: House) -> None:
    processes = [session.tables, await house.enter()]

    async def act(number: int) -> None:
        for _ in range(100):
            try:
                await perform(
                    processes[number % 2],
                    session.table_id,
                    propose(approach=f"idea {number}"),
                    f"idea {number}",
                )
                return
            except StaleTable:
                continue
        raise AssertionError("never came through")

    await asyncio.gather(*(act(number) for number in range(24)))
    tables = await house.restart()
    state = (await tables.get(session.table_id)).state
    assert sorted(c.approach for c in state.checks.values()) == sorted(
        f"idea {n}" for n in range(24)
    )
    numbers = [row.seq for row, _ in await tables.store.entries(session.table_id)]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_the_same_request_in_two_processes(session: Session, house: House) -> None:
    other = await house.enter()
    check = await session.answered()
    results = await asyncio.gather(
        perform(session.tables, session.table_id, roll(check), "both"),
        perform(other, session.table_id, roll(check), "both"),
    )
    first, again = sorted(results, key=lambda result: result.repeated)
    assert same(first, again)


async def test_whom_two_processes_met_is_who_they_were_first(
    session: Session, house: House
) -> None:
    """Two processes meet a newcomer at the same time; the later one is asked to try again."""
    other = await house.enter()
    here, there = await session.tables.get(session.table_id), await other.get(session.table_id)
    there.directory.ensure_participant("505", "Dora")
    cora, later = (
        here.directory.ensure_participant("504", "Cora"),
        there.directory.ensure_participant("504", "Cora"),
    )
    assert (cora, later) == ("p4", "p5")
    await perform(session.tables, session.table_id, RollDice(**by(Actor(cora)), dice="d6"), "cora")
    rows = house.rows()
    with pytest.raises(StaleTable):
        await perform(other, session.table_id, RollDice(**by(Actor(later)), dice="d6"), "again")
    assert house.rows() == rows
    assert there.directory.ensure_participant("504", "Cora") == cora
    await perform(other, session.table_id, RollDice(**by(Actor(cora)), dice="d6"), "again")
    tables = await house.restart()
    directory = (await tables.get(session.table_id)).directory
    assert [directory.user(f"p{number}") for number in range(1, 6)] == [
        "501",
        "502",
        "503",
        "504",
        None,
    ]


async def test_a_newcomer_survives_what_another_process_did(session: Session, house: House) -> None:
    other = await house.enter()
    there = await other.get(session.table_id)
    cora = there.directory.ensure_participant("504", "Cora")
    await session.proposed(BEN)
    await perform(other, session.table_id, RollDice(**by(Actor(cora)), dice="d6"), "cora")
    tables = await house.restart()
    assert (await tables.get(session.table_id)).directory.user(cora) == "504"


# --- a crash --------------------------------------------------------------------------------------


class CutOff(SqlStore):
    """A store whose caller never hears that the commit came through."""

    def __init__(self, store: Store) -> None:
        assert isinstance(store, SqlStore)
        super().__init__(store._db)
        self.committed = asyncio.Event()

    async def append(self, table_id: int, revision: int, entry: NewEntry) -> WrittenEntry:
        await super().append(table_id, revision, entry)
        self.committed.set()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")


@pytest.mark.parametrize("restart", [False, True])
async def test_what_was_committed_unheard_is_not_done_twice(
    session: Session, restart: bool
) -> None:
    check = await session.answered()
    store = session.tables.store
    session.tables.store = cut = CutOff(store)
    task = asyncio.create_task(perform(session.tables, session.table_id, roll(check), "cut"))
    await cut.committed.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    session.tables.store = store
    if restart:
        await session.restart()
    again = await perform(session.tables, session.table_id, roll(check), "cut")
    assert again.repeated
    with pytest.raises(Outdated):
        await session.do(roll(check))
    state = await session.state()
    assert newest(state).revision == check.revision + 1
    assert (await journal(session.tables, session.table_id)).count("cut") == 1
    assert again.state == state
    assert (await session.proposed(BEN)).id == "c2"


async def test_giving_up_before_the_commit_leaves_the_table_usable(session: Session) -> None:
    """A task that is canceled while it waits is carried out or not, but the table goes on."""
    check = await session.answered()
    tasks = [
        asyncio.create_task(perform(session.tables, session.table_id, roll(check), f"t{number}"))
        for number in range(5)
    ]
    await asyncio.sleep(0)
    for task in tasks[:4]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert newest(await session.state()).revision == check.revision + 1
    assert (await session.proposed()).id == "c2"


# --- refusals -------------------------------------------------------------------------------------

_CLOCK = Actor(SYSTEM)
#: What nobody could say, and half of a sign as a word.
_LOUD: Any = "loud"
_HALF: dict[str, Any] = {"\ud800": True}
#: The wait of the roll that is still to come.
_WAIT = f"c1.2.ready.{NOON + DAY}.remind"


def _on(
    who: Actor, prompt: str, option: str, *, check: str = "c1", number: int = 2, **values: Any
) -> Choose:
    """An answer in the check that was answered, which is at its second revision."""
    named = (ANY_GM,) if prompt == "rule" else ()
    return Choose(
        **by(who),
        check=check,
        prompt=prompt,
        number=number,
        option=option,
        as_=named,
        values=values,
    )


REFUSED: tuple[tuple[str, Action, type[RulesError]], ...] = (
    ("place-taken", CreateTable(**by(GM), name="Again", system="ebb"), Impossible),
    ("gm-only", ChangeSettings(**by(ANN), values={"live": True}), NotPermitted),
    ("nothing-to-change", ChangeSettings(**by(GM), values={}), InvalidInput),
    ("nothing-to-change", ChangeSettings(**by(GM), values={"live": False}), InvalidInput),
    ("bad-duration", ChangeSettings(**by(GM), values={"step_in_time": -1}), InvalidInput),
    ("bad-name", ChangeSettings(**by(GM), values={"name": " "}), InvalidInput),
    ("gm-only", ChangeGms(**by(ANN), add="p2"), NotPermitted),
    ("one-change", ChangeGms(**by(GM)), InvalidInput),
    ("last-gm", ChangeGms(**by(GM), remove="p1"), Impossible),
    ("already-gm", ChangeGms(**by(GM), add="p1"), Impossible),
    ("not-a-gm", ChangeGms(**by(GM), remove="p2"), NotFound),
    ("not-a-gm-role", ChangeGms(**by(GM), remove_role="7"), NotFound),
    ("already-gm", TakeOver(**by(GM)), Impossible),
    ("bad-character", ImportCharacter(**by(ANN), data={"name": "X"}), RulesError),
    ("name-taken", ImportCharacter(**by(ANN), data=ebb_character("anna")), Impossible),
    (
        "owner-only",
        ImportCharacter(**by(BEN), data=ebb_character("Anna"), overwrite=True),
        NotPermitted,
    ),
    ("gm-only", ImportCharacter(**by(BEN), data=ebb_character("Rat"), npc=True), NotPermitted),
    (
        "unknown-ability",
        ImportCharacter(
            **by(ANN), data=ebb_character("Anna", abilities=[], drawbacks=[]), overwrite=True
        ),
        NotFound,
    ),
    ("unknown-character", UseCharacter(**by(ANN), character="Boris"), NotFound),
    ("already-active", UseCharacter(**by(ANN), character="Anna"), InvalidInput),
    ("no-character", propose(GM), NotFound),
    ("unknown-ability", propose(skill="Flying"), NotFound),
    ("unknown-attribute", propose(attribute="Wings"), NotFound),
    ("unknown-difficulty", propose(difficulty="purple"), InvalidInput),
    ("unknown-field", propose(wings=True), InvalidInput),
    ("out-of-range", propose(modifier=21), InvalidInput),
    ("too-long", propose(approach="x" * 1001), InvalidInput),
    ("unprintable-text", propose(approach="\ud800"), InvalidInput),
    ("unprintable-text", propose(**_HALF), InvalidInput),
    ("out-of-range", propose(at=1 << 70), InvalidInput),
    ("wrong-type", propose(visibility=_LOUD), InvalidInput),
    ("not-in-these-rules", propose(kind="duel"), Impossible),
    ("unknown-check", _on(ANN, "ready", "roll", check="c9"), NotFound),
    ("check-moved-on", _on(ANN, "ready", "roll", number=1), Outdated),
    ("not-asked", _on(BEN, "ready", "roll"), NotPermitted),
    ("check-moved-on", _on(ANN, "own", "revise", approach="x", number=1), Outdated),
    ("not-asked", _on(BEN, "own", "withdraw"), NotPermitted),
    ("gm-only", _on(ANN, "rule", "ask", question="x"), NotPermitted),
    ("check-moved-on", _on(GM, "rule", "ask", question="x", number=1), Outdated),
    ("not-offered", _on(ANN, "ready", "money"), Impossible),
    ("not-offered", _on(ANN, "ready", "luck:Zone"), Impossible),
    ("check-moved-on", _on(ANN, "react", PASS), Outdated),
    ("not-asked", _on(GM, "ready", "luck:Fitness"), NotPermitted),
    ("system-only", Due(**by(GM), wait=_WAIT), NotPermitted),
    ("wait-over", Due(**by(_CLOCK), wait=_WAIT.replace(".2.", ".1.")), Outdated),
    ("not-yet-due", Due(**by(_CLOCK), wait=_WAIT), Outdated),
    ("nothing-to-undo", Undo(**by(GM), entry=1), NotFound),
    ("nothing-to-undo", Undo(**by(GM), entry=99), NotFound),
    ("nothing-to-undo", Undo(**by(GM), entry=-1), NotFound),
    ("nothing-to-undo", Undo(**by(GM), entry=1 << 40), NotFound),
    ("undo-others-first", Undo(**by(GM), entry=2), Impossible),
    ("not-yours-to-undo", Undo(**by(BEN), entry=2), NotPermitted),
    ("unprintable-text", Undo(**by(GM, place="\udfff")), InvalidInput),
)


def refusal(error: RulesError) -> RulesError:
    """What is said: of a form in which one thing is wrong, that."""
    (found,) = (
        error.problems if isinstance(error, Problems) and error.code == "bad-form" else (error,)
    )
    return found


async def test_what_is_refused_changes_nothing(session: Session, house: House) -> None:
    await session.answered()
    table = await session.tables.get(session.table_id)
    rows, state, revision = house.rows(), table.state, table.revision
    for number, (code, action, kind) in enumerate(REFUSED):
        with pytest.raises(RulesError) as caught:
            await perform(
                session.tables, session.table_id, action, f"no {number}", ReplyTo(False, "token")
            )
        found = refusal(caught.value)
        assert (number, found.code) == (number, code)
        assert isinstance(found, kind)
        assert table.state is state
        assert table.revision == revision
    assert house.rows() == rows
    await session.do(roll(newest(state)))


async def test_an_unknown_table(session: Session) -> None:
    with pytest.raises(NotFound, match="no-table"):
        await perform(session.tables, 99, propose(), "nowhere")


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("bad-name", {"name": "  "}),
        ("unknown-system", {"system": "x"}),
        ("unprintable-text", {"name": "\ud800"}),
    ],
)
async def test_a_refused_opening_leaves_no_table(
    house: House, code: str, changes: dict[str, Any]
) -> None:
    tables = await house.enter()
    before = house.rows()
    action = CreateTable(**by(GM), **{"name": "Marshes", "system": "ebb", **changes})
    with pytest.raises(InvalidInput, match=code):
        await create_table(tables, GUILD, action, "open", USERS[0], None)
    assert house.rows() == before
    assert tables.places.table_id(PLACE) is None


async def test_a_sheet_stays_fit_for_its_open_checks(session: Session) -> None:
    """A replaced sheet without the ability of an open check would leave nobody a way to go on with
    it.
    """
    check = await session.answered()
    bare = ImportCharacter(
        **by(ANN), data=ebb_character("Anna", abilities=[], drawbacks=[]), overwrite=True
    )
    with pytest.raises(NotFound, match="unknown-ability"):
        await session.do(bare)
    await session.do(choose(check, "own", "withdraw", GM))
    await session.do(bare)


async def test_time_is_what_the_action_says(session: Session) -> None:
    done = await session.do(propose(at=NOON + 5))
    assert newest(done.state).stage_started_at == NOON + 5
    ((row, _),) = await session.tables.store.entries(session.table_id, limit=1)
    assert row.at == NOON + 5
    await session.do(answer(newest(done.state), at=NOON + 9))
    assert newest(await session.state()).stage_started_at == NOON + 9
