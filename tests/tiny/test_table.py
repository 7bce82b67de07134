"""A table of the smallest system: what every system gets for free, through the one way in."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import pytest

from bot.services.gm_journal import read_log
from bot.services.history import last_results
from bot.services.replay import replay
from rules.core.errors import Impossible, InvalidInput, NotFound, NotPermitted, Outdated
from rules.core.rng import KeyedStreams
from rules.registry import read_only_game
from rules.table.actions import (
    Actor,
    AskForNpc,
    CloseChecks,
    Delegate,
    Due,
    EndCheck,
    ForgetPerson,
    Give,
    ImportCharacter,
    RemoveNpc,
    Retire,
    SetAway,
    SetOrder,
    TakeBackOrder,
    Undo,
)
from rules.table.blocks import Fact, Quote, Ref, Roll, Verdict
from rules.table.check import ANY_GM, PASS, AnyCheck
from rules.table.checks.prompt_times import pending_waits
from rules.table.events import CheckChanged, Notice
from rules.table.state import DAY, SYSTEM, TableState
from rules.table.waits.silence import silence_waits
from tests.sample_table import ANN, BEN, GM, NOON, ActionResult, House, Session, by, choose, newest
from tests.tiny import begin, system, tiny_session

CLOCK = Actor(SYSTEM)


@pytest.fixture(autouse=True)
def numbered_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids are numbers here, so that tests can name whom they mean."""
    monkeypatch.setattr(KeyedStreams, "tag", lambda streams, number: str(number))


async def whole(session: Session) -> TableState:
    """The state, which is also what a replay and a new process make of the file."""
    state = await session.state()
    assert await replay(session.tables.store, session.table_id) == state
    await session.restart()
    assert await session.state() == state
    listed = {wait: at for _, wait, at in await session.tables.store.due_waits(10**12)}
    of_checks = {
        wait.id: wait.due for check in state.checks.values() for wait in pending_waits(check)
    }
    assert listed == of_checks | silence_waits(read_only_game(state))
    return state


async def begin_check(session: Session) -> AnyCheck:
    return newest(await session.state())


async def does(
    session: Session, prompt: str, option: str, who: Actor = ANN, *as_: str, **values: Any
) -> ActionResult:
    return await session.do(choose(await begin_check(session), prompt, option, who, *as_, **values))


async def roll_check(session: Session, who: Actor = ANN, **begun: Any) -> ActionResult:
    """A check with its dice, and its window open."""
    await session.do(begin(who, **begun))
    await does(session, "rule", "roll", GM, difficulty=8)
    return await does(session, "ready", "roll", who, *((begun["as_"],) if who == GM else ()))


def told_texts(done: ActionResult) -> list[CheckChanged]:
    return [event for event in done.events if isinstance(event, CheckChanged)]


def test_a_system_that_can_be_played_is_ten_functions() -> None:
    tree = ast.parse(inspect.getsource(system))
    assert sum(isinstance(node, ast.FunctionDef) for node in ast.walk(tree)) <= 10


# --- a check from beginning to end ----------------------------------------------------------------


async def test_a_check_from_the_idea_to_what_comes_of_it(session: Session) -> None:
    (event,) = told_texts(await session.do(begin()))
    assert (event.step, event.check, event.kind, event.by) == ("begun", "c1", "check", "p2")
    assert (event.actor, event.owner, event.over, event.revealed) == (
        Ref(name="Anna"),
        "p2",
        False,
        False,
    )
    assert event.blocks == (Quote("up the rope", "p2", None),)
    assert [(each.prompt, each.gms, each.who) for each in event.asked] == [
        ("rule", True, ()),
        ("own", False, ()),
    ]
    assert (event.ping, event.ping_gms) == ((), True)
    done = await does(session, "rule", "roll", GM, difficulty=8)
    (event,) = told_texts(done)
    assert (event.step, event.ping, newest(done.state).stage) == ("chosen", ("p2",), "ready")
    assert event.said is not None
    assert event.said.code == "answer-let-roll"
    assert event.blocks[-1].value == 8  # pyright: ignore[reportAttributeAccessIssue]
    (awaited,) = [each for each in event.asked if each.people]
    assert (awaited.prompt, awaited.who, awaited.people) == ("ready", (Ref(name="Anna"),), ("p2",))
    assert awaited.button == "answer-roll"
    done = await does(session, "ready", "roll")
    (event,) = told_texts(done)
    assert newest(done.state).stage == "pushing"
    assert (event.step, event.revealed, event.react) == ("chosen", True, True)
    assert [type(block) for block in event.blocks] == [Quote, Verdict, Roll, Fact]
    done = await does(session, "react", "push", ANN, "Anna")
    assert len(newest(done.state).data.faces) == 2
    assert done.state.characters["k1"].sheet.luck == 1
    (event,) = told_texts(await does(session, "react", PASS))
    assert (event.step, event.over, event.asked) == ("passed", True, ())
    assert not event.revealed
    assert not (await whole(session)).checks["c1"].is_open
    log = await read_log(session.tables, await session.reader(GM), 9)
    assert [each.row.kind for each in log][-5:] == ["Begin", *["Choose"] * 4]
    found = await last_results(session.tables, await session.reader(BEN), 5)
    assert [seq for seq, _ in found] == [log[-2].row.seq]


async def test_whoever_nobody_has_asked_answers_nothing(session: Session) -> None:
    await session.do(begin())
    check = await begin_check(session)
    for prompt, option, who, code in (
        ("rule", "roll", BEN, "gm-only"),
        ("own", "withdraw", BEN, "not-asked"),
        ("rule", "other", GM, "not-offered"),
    ):
        with pytest.raises((NotPermitted, Impossible)) as caught:
            await session.do(
                choose(
                    check, prompt, option, who, **({"difficulty": 3} if option == "roll" else {})
                )
            )
        assert caught.value.code == code
    with pytest.raises(Outdated, match="check-moved-on"):
        await session.do(choose(check, "own", "withdraw", number=9))
    with pytest.raises(NotFound, match="unknown-check"):
        await session.do(EndCheck(**by(GM), check="c9"))
    with pytest.raises(Exception, match="bad-form"):
        await session.do(choose(check, "rule", "roll", GM, difficulty=0))
    with pytest.raises(Impossible, match="not-in-these-rules"):
        await session.do(begin().__class__(**by(ANN), kind="attack"))


async def test_the_gm_takes_back_what_was_rolled(session: Session) -> None:
    await session.do(begin())
    ready = newest((await does(session, "rule", "roll", GM, difficulty=8)).state)
    late = NOON + 100
    await session.do(choose(ready, "ready", "roll", at=late))
    with pytest.raises(NotPermitted, match="undo-drew-dice"):
        await session.do(Undo(**by(ANN)))
    done = await session.do(Undo(**by(GM, at=late + DAY)))
    # GMs read what everybody reads: nothing is told in their own channel.
    (event,) = told_texts(done)
    assert (event.step, event.ping) == ("reopened", ("p2",))
    back = newest(done.state)
    assert back.stage == "ready"
    asked, was = back.prompt("ready"), ready.prompt("ready")
    assert asked is not None
    assert was is not None
    assert asked.number > was.number
    assert asked.reminders == tuple(late + DAY + each - late for each in was.reminders)
    assert asked.reminders
    with pytest.raises(Outdated):
        await session.do(choose(ready, "ready", "roll"))
    await whole(session)
    await does(session, "ready", "roll")
    await whole(session)


async def test_a_player_takes_an_idea_back(session: Session) -> None:
    await session.do(begin())
    done = await session.do(Undo(**by(ANN)))
    assert done.state.checks == {}
    await whole(session)
    assert newest((await session.do(begin())).state).id == "c2"


async def test_a_character_is_not_taken_from_its_checks(session: Session) -> None:
    begun = await session.do(begin())
    with pytest.raises(Impossible, match="undo-others-first") as caught:
        await session.do(Undo(**by(GM), entry=2))
    assert f"#{begun.seq}" in caught.value.params["others"]  # pyright: ignore[reportOperatorIssue]
    with pytest.raises(Impossible, match="open-checks"):
        await session.do(Retire(**by(ANN)))


async def test_a_gm_ends_and_closes_checks(session: Session) -> None:
    await roll_check(session)
    await session.do(begin(BEN))
    with pytest.raises(NotPermitted, match="gm-only"):
        await session.do(EndCheck(**by(ANN), check="c1"))
    done = await session.do(CloseChecks(**by(GM), checks=("c1", "c2")))
    assert [(event.check, event.step, event.over) for event in told_texts(done)] == [
        ("c1", "passed", True),
        ("c2", "ended", True),
    ]
    assert not any(each.is_open for each in (await whole(session)).checks.values())


# --- secrets --------------------------------------------------------------------------------------


@pytest.mark.parametrize("reveal", ["verdict", "degree"])
async def test_a_hidden_number_is_in_no_player_s_event(house: House, reveal: str) -> None:
    session = await tiny_session(house, **({"reveal": reveal} if reveal != "verdict" else {}))
    done = [await session.do(begin())]
    done.append(await does(session, "rule", "roll", GM, difficulty=91_377, hidden=True))
    done.append(await does(session, "ready", "roll"))
    done.append(await does(session, "react", "push"))
    done.append(await does(session, "react", PASS))
    done.append(await session.do(Undo(**by(GM))))
    for each in done:
        for event in told_texts(each):
            assert ("91377" in str(event)) == (
                event.audience.gms and "reply" not in str(event) and each is not done[0]
            )
    verdicts = [block for block in told_texts(done[2])[0].blocks if isinstance(block, Verdict)]
    assert [block.degree is None for block in verdicts] == [reveal == "verdict"]
    assert [type(block) is Roll for block in told_texts(done[2])[0].blocks].count(True) == (
        reveal == "verdict"
    )


@pytest.mark.parametrize("visibility", ["private", "blind"])
async def test_what_is_not_public_reaches_its_player_and_the_gms(
    session: Session, visibility: str
) -> None:
    done = await roll_check(session, visibility=visibility)
    own, gms = told_texts(done)
    assert (own.audience.people, gms.audience.gms) == (("p2",), True)
    assert any(isinstance(block, Roll) for block in own.blocks) == (visibility == "private")
    assert any(isinstance(block, Roll) for block in gms.blocks)
    with pytest.raises(NotFound, match="unknown-check"):
        await session.do(choose(newest(done.state), "react", PASS, BEN, "k1"))


async def test_of_what_is_for_gms_only_players_hear_nothing(session: Session) -> None:
    with pytest.raises(NotPermitted, match="gm-only"):
        await session.do(begin(gm_only=True))
    (event,) = told_texts(await session.do(begin(GM, as_="Anna", gm_only=True)))
    assert event.audience.gms
    assert not event.audience.everyone
    assert event.audience.people == ()


async def test_in_what_is_for_gms_only_they_answer_for_everybody(session: Session) -> None:
    await session.do(begin(GM, as_="Anna", gm_only=True))
    await does(session, "rule", "roll", GM, difficulty=8)
    with pytest.raises(NotFound, match="unknown-check"):
        await does(session, "ready", "roll", ANN)
    await does(session, "ready", "roll", GM, "Anna")
    assert not newest((await does(session, "react", PASS, GM, "Anna")).state).is_open


async def test_an_npc_nobody_knows_has_no_name(session: Session) -> None:
    public, gms = told_texts(await session.do(begin(GM, as_="Orc")))
    assert (public.actor, gms.actor) == (Ref(), Ref(name="Orc"))
    assert (public.ping_gms, gms.quiet) == (False, True)


# --- time -----------------------------------------------------------------------------------------


async def test_the_window_ends_by_itself(session: Session) -> None:
    check = newest((await roll_check(session)).state)
    reminder, wait = pending_waits(check)
    assert (wait.asked.waiting_for, wait.due, wait.default) == (("k1",), NOON + DAY, PASS)
    assert [row[1:] for row in await session.tables.store.due_waits(10**12)] == [
        (reminder.id, NOON + DAY // 2),
        (wait.id, wait.due),
    ]
    with pytest.raises(Outdated, match="not-yet-due"):
        await session.do(Due(**by(CLOCK, at=NOON + DAY - 1), wait=wait.id))
    with pytest.raises(NotPermitted, match="system-only"):
        await session.do(Due(**by(ANN, at=NOON + DAY), wait=wait.id))
    (event,) = told_texts(await session.do(Due(**by(CLOCK, at=NOON + DAY), wait=wait.id)))
    assert (event.step, event.over, event.by) == ("passed", True, SYSTEM)
    assert [each.how for each in event.took] == ["clock"]
    assert await session.tables.store.due_waits(10**12) == ()
    with pytest.raises(Outdated, match="wait-over"):
        await session.do(Due(**by(CLOCK, at=NOON + DAY), wait=wait.id))


async def test_a_reminder_calls_whoever_is_waited_for(session: Session) -> None:
    await session.do(begin())
    wait, *_ = pending_waits(await begin_check(session))
    done = await session.do(Due(**by(CLOCK, at=NOON + DAY), wait=wait.id))
    (event,) = told_texts(done)
    assert (event.step, event.ping_gms, event.ping) == ("reminded", True, ())
    assert newest(done.state) is await begin_check(session)
    await does(session, "rule", "roll", GM, difficulty=4)
    wait, *_ = pending_waits(await begin_check(session))
    (event,) = told_texts(await session.do(Due(**by(CLOCK, at=NOON + DAY), wait=wait.id)))
    assert (event.step, event.ping, event.ping_gms) == ("reminded", ("p2",), False)


async def test_without_a_window_it_goes_on_at_once(house: House) -> None:
    session = await tiny_session(house, step_in_time=0)
    done = await roll_check(session)
    assert not newest(done.state).is_open
    (event,) = told_texts(done)
    assert [each.how for each in event.took] == ["self"]


# --- what is arranged beforehand ------------------------------------------------------------------


async def test_a_standing_order_answers(session: Session) -> None:
    order = SetOrder(**by(ANN), prompt="react", option="push", keep="luck", keep_amount=1)
    (event,) = (await session.do(order)).events
    assert isinstance(event, Notice)
    assert (event.what, event.params["name"], event.audience.people) == (
        "arranged-ordered",
        "Anna",
        ("p2",),
    )
    done = await roll_check(session)
    assert len(newest(done.state).data.faces) == 2
    assert done.state.characters["k1"].sheet.luck == 1
    (event,) = told_texts(done)
    assert [(each.step, each.how) for each in event.took] == [
        ("chosen", "self"),
        ("chosen", "order"),
        ("passed", "order"),
    ]
    assert event.over
    await session.do(TakeBackOrder(**by(ANN), prompt="react"))
    assert newest((await roll_check(session)).state).is_open
    with pytest.raises(InvalidInput, match="nothing-arranged"):
        await session.do(TakeBackOrder(**by(ANN), prompt="react"))
    with pytest.raises(InvalidInput, match="not-orderable"):
        await session.do(SetOrder(**by(ANN), prompt="react", option="stop"))
    await whole(session)


async def test_an_order_answers_what_is_open_already(session: Session) -> None:
    await roll_check(session)
    done = await session.do(SetOrder(**by(ANN), prompt="react", option=PASS))
    (event,) = told_texts(done)
    assert (event.step, event.over, event.took[0].how) == ("passed", True, "order")
    await session.do(Undo(**by(ANN)))
    state = await whole(session)
    assert newest(state).is_open
    assert not [key for key in state.own if key.startswith("orders:")]


async def test_npcs_pass_by_themselves_unless_the_gm_is_asked(session: Session) -> None:
    assert not newest((await roll_check(session, GM, as_="Orc")).state).is_open
    await session.do(AskForNpc(**by(GM), npc="Orc"))
    assert newest((await roll_check(session, GM, as_="Orc")).state).is_open
    with pytest.raises(InvalidInput, match="nothing-arranged"):
        await session.do(AskForNpc(**by(GM), npc="Orc"))
    await session.do(AskForNpc(**by(GM), npc="Orc", ask=False))
    assert not newest(await whole(session)).is_open


async def test_somebody_may_answer_for_another(session: Session) -> None:
    await session.do(begin())
    await does(session, "rule", "roll", GM, difficulty=8)
    with pytest.raises(NotPermitted, match="owner-only"):
        await does(session, "ready", "roll", BEN, "Anna")
    with pytest.raises(InvalidInput, match="already-theirs"):
        await session.do(Delegate(**by(ANN), to="p2"))
    with pytest.raises(InvalidInput, match="bad-until"):
        await session.do(Delegate(**by(ANN), to="p3", until=NOON))
    (event,) = (await session.do(Delegate(**by(ANN), to="p3", until=NOON + 50))).events
    assert isinstance(event, Notice)
    assert (event.what, event.params["to"], event.ping) == ("arranged-delegated", "p3", ("p3",))
    with pytest.raises(NotPermitted, match="owner-only"):
        await session.do(
            choose(await begin_check(session), "ready", "roll", BEN, "Anna", at=NOON + 50)
        )
    done = await does(session, "ready", "roll", BEN)
    assert newest(done.state).stage == "pushing"
    await session.do(Delegate(**by(ANN), to="p3", back=True))
    with pytest.raises(NotPermitted, match="owner-only"):
        await does(session, "react", PASS, BEN, "Anna")
    await whole(session)


async def test_checks_go_on_without_those_who_are_away(session: Session) -> None:
    await roll_check(session)
    done = await session.do(SetAway(**by(ANN), note="at sea", until=NOON + 9 * DAY))
    away = done.events[0]
    assert isinstance(away, Notice)
    assert (away.what, away.note, away.audience.everyone) == ("arranged-away", "at sea", True)
    assert [event.over for event in told_texts(done)] == [True]
    await session.do(begin())
    await does(session, "rule", "roll", GM, difficulty=8)
    done = await does(session, "ready", "roll", GM, "Anna")
    assert not newest(done.state).is_open
    (back,) = (await session.do(SetAway(**by(ANN), back=True))).events
    assert isinstance(back, Notice)
    assert back.what == "arranged-back"
    with pytest.raises(InvalidInput, match="not-away"):
        await session.do(SetAway(**by(ANN), back=True))
    assert newest((await roll_check(session)).state).is_open
    await whole(session)


# --- who comes and goes ---------------------------------------------------------------------------


async def test_a_character_given_away_takes_its_checks_along(session: Session) -> None:
    await session.do(Delegate(**by(ANN), to="p3"))
    await roll_check(session)
    done = await session.do(Give(**by(GM), character="Anna", to=None))
    assert [event.over for event in told_texts(done)] == [True]  # an NPC passes
    assert "orders:k1" not in done.state.own
    await whole(session)


async def test_somebody_forgotten_leaves_no_word_and_no_open_idea(session: Session) -> None:
    await session.do(Delegate(**by(BEN), to="p2"))
    await roll_check(session)
    await session.do(begin())
    done = await session.do(ForgetPerson(**by(ANN)))
    state = done.state
    assert [each.is_open for each in state.checks.values()] == [False, False]
    assert "rope" not in str(state)
    assert "orders:k2" not in state.own
    assert {(event.check, event.step) for event in told_texts(done)} == {
        ("c1", "passed"),
        ("c2", "ended"),
    }
    rows = await session.tables.store.entries(session.table_id, since=1)
    assert "rope" not in "".join(row.events + row.action for row, _ in rows)


async def test_an_npc_goes_with_its_checks_once_they_are_over(session: Session) -> None:
    await session.do(begin(GM, as_="Orc"))
    with pytest.raises(Impossible, match="npc-in-checks"):
        await session.do(RemoveNpc(**by(GM), npc="Orc"))
    await session.do(EndCheck(**by(GM), check="c1"))
    state = (await session.do(RemoveNpc(**by(GM), npc="Orc"))).state
    assert (state.checks, list(state.characters)) == ({}, ["k1", "k2"])
    await session.do(Undo(**by(GM)))
    assert list((await whole(session)).checks) == ["c1"]


async def test_a_new_sheet_and_more_checks_than_are_kept(session: Session) -> None:
    for number in range(45):
        await session.do(begin())
        if number != 3:
            await does(session, "rule", "free", GM)
    state = await whole(session)
    assert len(state.checks) == 25
    assert state.checks["c4"].is_open
    await session.do(
        ImportCharacter(**by(ANN), data={"name": "Anna", "strength": 9}, overwrite=True)
    )
    assert (await session.state()).characters["k1"].sheet.strength == 9
    assert ANY_GM == ""


@pytest.mark.parametrize("entry", [2, 3])
async def test_whose_coming_is_taken_back_takes_what_is_over_along(
    house: House, entry: int
) -> None:
    session = await tiny_session(house)
    await session.do(begin(BEN, as_="Boris"))
    await does(session, "rule", "free", GM)
    await session.do(Undo(**by(GM), entry=entry, all_dependents=True))
    state = await whole(session)
    assert all(each.actor in state.characters for each in state.checks.values())
