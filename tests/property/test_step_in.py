"""Choices made after results, anywhere in random play: they replay, are undone, and late equals
early.
"""

from __future__ import annotations

import random

import pytest

from bot.services.replay import replay
from bot.services.resolution import request_dice, resolve_action
from bot.services.seeds import stream_seeds
from bot.services.stepping_in import find_result, redo_step_in, view_step_in
from rules.core.errors import RulesError
from rules.table.actions import Action, ChangeSettings, Choose, StepIn, Undo
from rules.table.gms.gm_acts import is_silent
from rules.table.journal.step_in import same_part, state_before
from rules.table.state import TableState
from tests.property.random_play import EVERYBODY, Walk
from tests.property.systems import PLAYED, Grounds
from tests.property.test_play import walking
from tests.sample_table import GM, by
from tests.storage.stores import tidy_all

#: Systems in which a result may be stepped into.
STEPPED = [each for each in PLAYED if each.name != "barmore"]


class SteppingWalk(Walk):
    """A walk on which results are stepped into whenever that can be done."""

    stepped = 0
    undone = 0
    compared = 0
    damaged = 0

    def acts(self, state: TableState) -> list[type[Action]]:
        return [kind for kind in super().acts(state) if kind is not ChangeSettings]

    async def step(self) -> None:
        await super().step()
        for _ in range(2):
            await self._step_in()

    async def _step_in(self) -> None:
        state = await self.session.state()
        over = [each for each in state.checks.values() if not each.is_open]
        if not over:
            return
        latest = max(over, key=lambda each: (each.final_since, each.number))
        check = latest if self.chance.random() < 0.7 else self.chance.choice(over)
        who = self.chance.choice(EVERYBODY)
        reader = await self.session.reader(who, at=self.now)
        try:
            found = await view_step_in(self.session.tables.store, reader, check.id)
        except RulesError as error:
            assert error.code in ("step-in-off", "step-in-over", "unknown-check"), error.code
            return
        if not found.moves:
            return
        past = self.chance.choice(found.moves)
        option = self.chance.choice(past.move.options)
        action = StepIn(
            **self._by(who),
            check=check.id,
            stage=past.stage,
            prompt=past.move.prompt,
            option=option.value,
            revision=check.revision,
            as_=past.move.who,
        )
        await self._compare_with_early(state, action)
        count = len(self.done)
        await self._do(action, RulesError)
        if len(self.done) == count:
            return
        type(self).stepped += 1
        await self.check(state, self.done[count:])
        now = await self.session.state()
        assert now.checks[check.id].revision > check.revision
        was, faces = [getattr(each.data, "faces", ()) for each in (check, now.checks[check.id])]
        if not now.checks[check.id].is_open:
            # The same dice of damage fall again; more of them continue the row.
            assert all(one == other for one, other in zip(was, faces, strict=False))
            type(self).damaged += bool(was and faces)
        if self.chance.random() < 0.4:
            await self._take_back(state)

    async def _compare_with_early(self, state: TableState, action: StepIn) -> None:
        """The same choice by *Wait for me* leaves the same sheets, cards and dice."""
        session = self.session
        table = await session.tables.get(session.table_id)
        check = state.checks[action.check]
        made = await find_result(session.tables.store, table, check)
        laid = state_before(state, made.before)
        before = laid.checks.get(check.id)
        if before is None or made.earlier or not action.as_:
            return
        held = laid.with_check(before.replace(held_for=(action.as_,)))
        seeds = stream_seeds(table.seeds, made.seq)
        first_dice = request_dice(seeds, made.request)
        now = stream_seeds(table.seeds, table.revision + 1)
        try:
            late_dice = request_dice(now, "late")
            revision = table.revision + 1
            _, _, late = redo_step_in(state, action, made, table.seeds, late_dice, revision)
            waiting = resolve_action(held, made.action, first_dice).state
            prompt = waiting.checks[check.id].prompt(action.prompt)
            if prompt is None or waiting.checks[check.id].stage != action.stage:
                return
            answer = Choose(
                **self._by(action.who),
                check=check.id,
                prompt=action.prompt,
                number=prompt.number,
                option=action.option,
                as_=(action.as_,),
            )
            early = resolve_action(waiting, answer, request_dice(now, "late")).state
        except RulesError:
            return
        late_state = late.outcome.state
        one, other = early.checks[check.id], late_state.checks[check.id]
        assert getattr(one.data, "throws", None) == getattr(other.data, "throws", None)
        assert getattr(one.data, "roll", None) == getattr(other.data, "roll", None)
        if one.stage != other.stage or late.dice.drawn > first_dice.drawn:
            return  # dice that fall by themselves come from another request
        type(self).compared += 1
        assert one.data == other.data
        assert early.characters == late_state.characters
        assert early.decks == late_state.decks

    async def _take_back(self, before: TableState) -> None:
        """The final result comes back, with everything that was spent."""
        if is_silent(before):
            return  # the GM's act starts the table's clock again, which moves times
        count = len(self.done)
        table = await self.session.tables.get(self.session.table_id)
        gms = [each for each in EVERYBODY if each.id in before.settings.gms]
        await self._do(Undo(**self._by(gms[0]), entry=table.revision))
        type(self).undone += 1
        assert len(self.done) == count + 1
        after = dict((await self.session.state()).parts())
        for key, part in before.parts():
            if key != "counters" and not key.startswith("encounter:"):
                assert same_part(after[key], part), key


@pytest.mark.parametrize("grounds", STEPPED, ids=lambda each: each.name)
def test_step_ins_replay_and_are_undone(grounds: Grounds) -> None:
    SteppingWalk.stepped = SteppingWalk.undone = SteppingWalk.compared = 0

    async def work(walk: Walk) -> None:
        stepping = SteppingWalk(walk.session, walk.grounds, walk.chance)
        if walk.chance.random() < 0.8:
            values = {"wait_for_everybody": False}
            await walk.session.do(ChangeSettings(**by(GM), values=values))
        session = stepping.session
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("bot.storage.upkeep.SNAPSHOT_EACH", 30)
            for _ in range(5):
                await stepping.steps(30)
                await tidy_all(session.tables.store)
        state = await session.state()
        # From every snapshot the journal makes the same, also across an entry that was run again.
        assert await replay(session.tables.store, session.table_id) == state
        for _, seq, _ in session.house.rows("snapshot")["snapshot"]:
            assert await replay(session.tables.store, session.table_id, seq + 1) == state, seq
        await stepping.session.restart()
        assert await stepping.session.state() == state

    # What comes when is chance: six tables, and more until something was undone and compared.
    for number in range(16):
        if number >= 6 and SteppingWalk.undone and SteppingWalk.compared:
            break
        walking(grounds, work, random.Random(f"{grounds.name}{number}"))
    assert SteppingWalk.stepped >= 3 and SteppingWalk.undone and SteppingWalk.compared
