"""Stepping in: a choice after the result, until when, its undo, and what the GM lets in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.services.late_questions import built_on_result, late_step
from bot.services.perform import ActionResult
from bot.services.replay import replay_events
from bot.services.stepping_in import view_step_in
from rules.core.errors import Impossible, NotPermitted, Outdated
from rules.table.actions import (
    Actor,
    Adjust,
    AskToStepIn,
    Award,
    ChangeSettings,
    JoinEncounter,
    NextTurn,
    RefuseStepIn,
    RotateSeed,
    StartEncounter,
    StartScene,
    StepIn,
    Undo,
)
from rules.table.check import PASS, AnyCheck
from rules.table.events import CheckChanged, StepInAsked
from rules.table.journal.step_in import open_questions
from rules.table.state import DAY, TableState
from tests.amending import previewed
from tests.sample_table import (
    ANN,
    BEN,
    GM,
    NOON,
    House,
    Session,
    by,
    choose,
    make_house,
    make_session,
    newest,
    propose,
)


@pytest.fixture
async def session(house: House) -> Session:
    """A table that waits only for those who have something to decide."""
    return await make_session(house, wait_for_everybody=False)


async def failed_check(session: Session, who: Actor = ANN) -> AnyCheck:
    """A check that is rolled and over, of which the ability die could be rolled again."""
    for _ in range(20):
        check = await session.rolled(who, difficulty="Tricky")
        assert not check.is_open
        if not check.data.has_succeeded():
            return check
    raise AssertionError("every roll has succeeded")


async def step_in(
    session: Session, check: AnyCheck, who: Actor = ANN, *, at: int = NOON + 60, **more: Any
) -> ActionResult:
    """The first choice that somebody may still make."""
    reader = await session.reader(who, at=at)
    view = await view_step_in(session.tables.store, reader, check.id)
    past = view.moves[0]
    named = {
        "check": check.id,
        "stage": past.stage,
        "prompt": past.move.prompt,
        "option": past.move.options[0].value,
        "as_": past.move.who,
        "revision": check.revision,
    }
    return await session.do(StepIn(**by(who, at=at), **(named | more)))


def reroll(check: AnyCheck) -> dict[str, Any]:
    """What names the choice to roll the ability die again."""
    return {
        "check": check.id,
        "stage": "open",
        "prompt": "react",
        "option": "reroll",
        "as_": check.actor,
        "revision": check.revision,
    }


async def accepted_check(session: Session, check: AnyCheck) -> AnyCheck:
    """The check after its player has accepted the result."""
    done = await session.do(choose(check, "react", PASS, ANN, check.actor))
    return done.state.checks[check.id]


def fate(state: TableState, name: str = "Anna") -> int:
    return next(each.sheet.fate for each in state.characters.values() if each.name == name)


async def test_a_final_result_is_stepped_into(session: Session) -> None:
    check = await failed_check(session)
    before = await session.state()
    done = await step_in(session, check)
    after = done.state.checks[check.id]
    # The point is spent, the die fell again, everything else stands.
    assert fate(done.state) == fate(before) - 1
    assert len(after.data.roll.abilities) == 2
    assert after.data.roll.main == check.data.roll.main
    event = done.events[0]
    assert isinstance(event, CheckChanged)
    assert event.over and event.step_in_until == NOON + 60 + DAY
    assert [each.worked for each in after.step_ins] == [False]
    await session.replayed()


async def test_its_undo_brings_the_result_and_the_point_back(session: Session) -> None:
    check = await failed_check(session)
    before = await session.state()
    await step_in(session, check)
    undone = await session.do(Undo(**by(GM, at=NOON + 90)))
    now = undone.state.checks[check.id]
    assert now.data == check.data and not now.step_ins
    assert undone.state.characters == before.characters
    # It can be stepped into again, as before; other dice fall.
    again = await step_in(session, now)
    assert len(again.state.checks[check.id].data.roll.abilities) == 2
    await session.replayed()


async def test_undo_of_the_roll_takes_it_along(session: Session) -> None:
    check = await failed_check(session)
    table = await session.tables.get(session.table_id)
    rolled = table.revision
    before = fate(table.state)
    await step_in(session, check)
    with pytest.raises(Impossible, match="undo-others-first"):
        await session.do(Undo(**by(GM), entry=rolled))
    undone = await session.do(Undo(**by(GM), entry=rolled, all_dependents=True))
    assert undone.state.checks[check.id].is_open
    assert fate(undone.state) == before
    await session.replayed()


async def test_a_player_does_not_undo_dice(session: Session) -> None:
    await step_in(session, await failed_check(session))
    with pytest.raises(NotPermitted, match="undo-drew-dice"):
        await session.do(Undo(**by(ANN)))


async def test_two_step_in_at_once(session: Session) -> None:
    """The second looks again; both choices count, in the order in which they came."""
    check = await failed_check(session)
    first = await step_in(session, check)
    with pytest.raises(Outdated, match="step-in-changed"):
        await session.do(StepIn(**by(ANN, at=NOON + 70), **reroll(check)))
    now = first.state.checks[check.id]
    second = await step_in(session, now, at=NOON + 70)
    after = second.state.checks[check.id]
    assert after.data.roll.abilities[:2] == now.data.roll.abilities
    assert len(after.data.roll.abilities) == 3
    assert fate(second.state) == 1
    # The time ran anew once.
    event = second.events[0]
    assert isinstance(event, CheckChanged) and event.step_in_until == NOON + 60 + DAY
    state = await session.replayed()
    # Undone one by one, each leaves what was there before it.
    await session.do(Undo(**by(GM, at=NOON + 80)))
    assert (await session.state()).checks[check.id].data == now.data
    await session.do(Undo(**by(GM, at=NOON + 81)))
    assert (await session.state()).checks[check.id].data == check.data
    assert fate(await session.state()) == fate(state) + 2
    await session.replayed()


async def test_until_when(session: Session) -> None:
    check = await failed_check(session)
    with pytest.raises(Impossible, match="step-in-over"):
        await step_in(session, check, at=NOON + DAY + 1)
    await session.do(ChangeSettings(**by(GM), values={"step_in_late": False}))
    with pytest.raises(Impossible, match="step-in-off"):
        await step_in(session, check)
    await session.do(ChangeSettings(**by(GM), values={"step_in_late": True}))
    await step_in(session, check)


@pytest.mark.rule("MB-CARD-13")
async def test_who_waits_for_everybody_may_until_the_next_action(session: Session) -> None:
    await session.do(ChangeSettings(**by(GM), values={"wait_for_everybody": True}))
    check = await session.rolled()
    check = await accepted_check(session, check)
    assert not check.is_open
    # She may think better of it: nobody has acted since.
    check = (await step_in(session, check)).state.checks[check.id]
    assert check.is_open and check.data.roll.abilities[1:]
    check = await accepted_check(session, check)
    assert not check.is_open
    await session.do(propose(BEN))
    with pytest.raises(Impossible, match="step-in-too-late"):
        await step_in(session, check)


async def test_another_check_does_not_close_it(session: Session) -> None:
    check = await failed_check(session)
    await failed_check(session, BEN)
    await session.do(propose(ANN))
    await step_in(session, check)
    await session.replayed()


async def test_nobody_steps_in_for_others(session: Session) -> None:
    check = await failed_check(session)
    reader = await session.reader(BEN, at=NOON + 1)
    assert (await view_step_in(session.tables.store, reader, check.id)).moves == ()
    with pytest.raises(NotPermitted):
        await session.do(StepIn(**by(BEN), **reroll(check)))


@pytest.mark.parametrize("field", ["stage", "prompt", "option"])
async def test_what_was_never_offered_is_refused(session: Session, field: str) -> None:
    check = await failed_check(session)
    before = await session.state()
    wrong: dict[str, Any] = {field: "so"}
    with pytest.raises(Impossible, match="not-offered"):
        await step_in(session, check, at=NOON + 60, **wrong)
    assert await session.state() == before


async def test_nothing_is_open_after_a_verdict_on_a_hidden_number(session: Session) -> None:
    check = await session.rolled(difficulty="Tricky", hidden=True)
    asked = check.prompt("react")
    if asked is not None:
        check = await accepted_check(session, check)
    assert not check.is_open
    view = await view_step_in(session.tables.store, await session.reader(ANN), check.id)
    assert view.moves == ()


async def test_its_dice_can_be_verified(session: Session) -> None:
    """What is recomputed from the seeds is what was told."""
    check = await failed_check(session)
    done = await step_in(session, check)
    await session.do(RotateSeed(**by(GM), stream="public"))
    store = session.tables.store
    again = await replay_events(store, session.table_id, [done.seq])
    assert again == {done.seq: done.events}
    row = await store.entry_at(session.table_id, done.seq)
    assert row is not None and row.draws == 1


# --- too late -------------------------------------------------------------------------------------


async def change_sheet(session: Session, at: int = NOON + 30) -> None:
    """The GM changes what a step-in has changed."""
    await session.do(Adjust(**by(GM, at=at), character="Anna", what="fate", value="1"))


async def test_a_choice_that_comes_too_late_is_let_in(session: Session) -> None:
    check = await failed_check(session)
    first = (await step_in(session, check)).state.checks[check.id]
    await change_sheet(session, NOON + 61)
    before = await session.state()
    # The first step-in has changed the sheet, and the sheet has changed since.
    with pytest.raises(Impossible, match="step-in-too-late"):
        await step_in(session, first, at=NOON + 70)
    assert await session.state() == before
    question = reroll(first)
    asked = await session.do(AskToStepIn(**by(ANN, at=NOON + 71), **question))
    event = asked.events[0]
    assert isinstance(event, StepInAsked) and event.audience.gms and event.ping_gms
    assert len(event.undoes) == 1
    action = StepIn(**by(GM, at=NOON + 72), **question, asked_by=ANN.id, question=asked.seq)
    table = await session.tables.get(session.table_id)
    later = await built_on_result(session.tables.store, table, action)
    assert later == event.undoes
    await session.do(Undo(**by(GM, at=NOON + 72), entry=later[0], all_dependents=True))
    let_in = await session.do(action)
    assert len(let_in.state.checks[check.id].data.roll.abilities) == 3
    await session.replayed()
    # It is answered once; with the undo of the answer it is open again.
    assert not open_questions(let_in.state)
    refuse = RefuseStepIn(
        **by(GM, at=NOON + 73), check=check.id, asked_by=ANN.id, question=asked.seq
    )
    with pytest.raises(Impossible, match="step-in-decided"):
        await session.do(refuse)
    with pytest.raises(Impossible, match="step-in-decided"):
        await session.do(action)
    undone = await session.do(Undo(**by(GM, at=NOON + 74), entry=let_in.seq))
    assert [each.number for each in open_questions(undone.state)] == [asked.seq]
    refused = await session.do(refuse)
    assert not open_questions(refused.state)
    await session.replayed()


async def asked_too_late(session: Session, *, again: bool = True) -> tuple[StepIn, int]:
    """Return what lets in a choice that came too late, and the entry that is in its way, if any.

    *again*: after a choice that was let in.
    """
    check = await failed_check(session)
    if again:
        check = (await step_in(session, check)).state.checks[check.id]
    await change_sheet(session, NOON + 61)
    question = reroll(check)
    asked = await session.do(AskToStepIn(**by(ANN, at=NOON + 71), **question))
    event = asked.events[0]
    assert isinstance(event, StepInAsked)
    action = StepIn(**by(GM, at=NOON + 72), **question, asked_by=ANN.id, question=asked.seq)
    return action, next(iter(event.undoes), 0)


async def test_an_amendment_lets_in_the_first_late_choice(tmp_path: Path) -> None:
    async with make_house(tmp_path) as house:
        session = await make_session(house, wait_for_everybody=False)
        action, _ = await asked_too_late(session, again=False)
        table = await session.tables.get(session.table_id)
        entry, late = await late_step(session.tables.store, table, action)
        assert late.earlier == ()
        amend, _ = await previewed(session, entry, at=NOON + 73, late=late)
        done = await session.do(amend)
        assert len(done.state.checks[action.check].data.roll.abilities) == 2
        await session.replayed()


async def test_what_an_amendment_lets_in_draws_the_same_die_again(tmp_path: Path) -> None:
    """An undo and another try change no die, and neither does the direct way."""
    faces: list[int] = []
    for way in ("amended", "direct"):
        folder = tmp_path / way
        folder.mkdir()
        async with make_house(folder) as house:
            session = await make_session(house, wait_for_everybody=False)
            action, change = await asked_too_late(session)
            if way == "direct":
                await session.do(Undo(**by(GM, at=NOON + 80), entry=change))
                done = await session.do(action.replace(at=NOON + 81))
                faces.append(done.state.checks[action.check].data.roll.abilities[-1])
                continue
            for minute in (73, 75, 77):
                table = await session.tables.get(session.table_id)
                entry, late = await late_step(session.tables.store, table, action)
                amend, shown = await previewed(session, entry, at=NOON + minute, late=late)
                assert shown.state is None, "the preview tells no die"
                done = await session.do(amend)
                faces.append(done.state.checks[action.check].data.roll.abilities[-1])
                row = await session.tables.store.entry_at(session.table_id, done.seq)
                assert row is not None and row.draws == 1
                await session.replayed()
                await session.do(Undo(**by(GM, at=NOON + minute + 1), entry=done.seq))
    assert len(faces) == 4 and len(set(faces)) == 1, faces


async def test_a_try_that_was_refused_is_not_repeated_with_other_dice(tmp_path: Path) -> None:
    """However many requests were refused before, the same die falls."""
    faces: list[int] = []
    for tries in range(1, 6):
        folder = tmp_path / str(tries)
        folder.mkdir()
        async with make_house(folder) as house:
            session = await make_session(house, wait_for_everybody=False)
            check = await failed_check(session)
            check = (await step_in(session, check)).state.checks[check.id]
            await change_sheet(session, NOON + 61)
            for _ in range(tries):
                with pytest.raises(Impossible, match="step-in-too-late"):
                    await step_in(session, check, at=NOON + 70)
            await session.do(Undo(**by(GM, at=NOON + 71)))
            done = await step_in(session, check, at=NOON + 72)
            faces.append(done.state.checks[check.id].data.roll.abilities[-1])
            await session.replayed()
    assert len(set(faces)) == 1, faces


async def test_only_gms_let_it_in(session: Session) -> None:
    check = await failed_check(session)
    with pytest.raises(NotPermitted, match="gm-only"):
        await step_in(session, check, asked_by=BEN.id)


async def test_dice_of_the_choice_come_from_the_new_seed(session: Session) -> None:
    """No more dice of the old seed are needed, so its end closes nothing."""
    check = await failed_check(session)
    await session.do(RotateSeed(**by(GM), stream="public"))
    await step_in(session, check)
    await session.replayed()


async def test_the_panel_tells_nothing_of_what_others_did(session: Session) -> None:
    """A secret entry, a round and nothing at all look alike until a choice is made."""
    check = await failed_check(session)
    first = (await step_in(session, check)).state.checks[check.id]
    store = session.tables.store
    before = await view_step_in(store, await session.reader(ANN, at=NOON + 80), check.id)
    await change_sheet(session, NOON + 61)
    after = await view_step_in(store, await session.reader(ANN, at=NOON + 80), check.id)
    assert after.moves == before.moves
    with pytest.raises(Impossible) as secret:
        await step_in(session, first, at=NOON + 70)
    await session.do(Undo(**by(GM, at=NOON + 71)))
    await session.do(StartEncounter(**by(GM, at=NOON + 72)))
    await session.do(JoinEncounter(**by(ANN, at=NOON + 72)))
    await session.do(NextTurn(**by(GM, at=NOON + 72)))
    now = (await session.state()).checks[check.id]
    with pytest.raises(Impossible) as round_over:
        await step_in(session, now, at=NOON + 80)
    assert (secret.value.code, secret.value.params) == (
        round_over.value.code,
        round_over.value.params,
    )


async def contest_won_by(session: Session, who: Actor) -> AnyCheck:
    """A contest of Anna against Boris that is final, and the other side has kept its dice."""
    for _ in range(40):
        begun = propose(ANN, kind="contest", target="Boris", difficulty=None)
        check = newest((await session.do(begun)).state)
        await session.do(choose(check, "rule", "roll", GM))
        check = (await session.state()).checks[check.id]
        side: dict[str, Any] = {"skill": "Running", "attribute": "Fitness", "approach": "faster"}
        assert check.target is not None
        state = (await session.do(choose(check, "face", "face", BEN, check.target, **side))).state
        check = state.checks[check.id]
        asked = check.prompt("react")
        if check.is_open and asked is not None:
            (loser,) = asked.waiting_for
            player = ANN if loser == check.actor else BEN
            state = (await session.do(choose(check, "react", PASS, player, loser))).state
            check = state.checks[check.id]
        won = ANN if check.data.has_succeeded() else BEN
        if won == who and not check.is_open and check.data.other is not None:
            return check
    raise AssertionError("nobody has won like that")


async def test_who_loses_by_it_decides_and_is_called(session: Session) -> None:
    check = await contest_won_by(session, ANN)
    reader = await session.reader(BEN, at=NOON + 60)
    for _ in range(20):
        done = await step_in(session, check, BEN)
        now = done.state.checks[check.id]
        if now.is_open:
            break
        await session.do(Undo(**by(GM, at=NOON + 61)))
        check = (await session.state()).checks[check.id]
    else:
        raise AssertionError("the die never turned it")
    assert reader.actor == BEN
    asked = now.prompt("react")
    assert asked is not None and asked.waiting_for == (check.actor,)
    assert any(ANN.id in event.ping for event in done.events)
    # Kept so, it is final again; undone, everything is as it was.
    kept = await session.do(choose(now, "react", PASS, ANN, check.actor, at=NOON + 70))
    assert not kept.state.checks[check.id].is_open
    await session.replayed()


async def test_a_whispered_step_in_comes_out_the_same(session: Session) -> None:
    award = await session.do(Award(**by(GM), kind="fate", amount=1, to="Boris"))
    await session.do(StartScene(**by(GM), title="Fence", cast=("Anna",), private=True))
    check = await failed_check(session)
    stepped = await step_in(session, check)
    assert not any(event.audience.everyone for event in stepped.events)
    undo = await session.do(Undo(**by(GM, at=NOON + 90)))
    _, amendment = await previewed(session, award.seq, values={"amount": 2})
    fates = {entry.seq: entry.fate for entry in amendment.entries}
    assert (fates[stepped.seq], fates[undo.seq]) == ("same", "same")
