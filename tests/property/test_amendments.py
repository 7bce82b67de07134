"""Amendments in random play: they replay and are undone, and an empty one changes nothing."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from bot.services.amend_requests import ChangeableEntry, preview
from bot.services.amendment import Amendment, rerun
from bot.services.past_entries import PastEntry, undone_entries
from bot.services.perform import ActionResult
from bot.services.replay import replay
from rules.core.errors import Impossible, NotFound, RulesError
from rules.table.actions import Action, Actor, Amend, Choose, Undo
from rules.table.amendments.entry_forms import ANSWER, entry_change, is_empty_change
from rules.table.amendments.limits import is_amendable_kind
from rules.table.blocks import Audience
from rules.table.events import Amended, Event
from rules.table.journal.step_in import same_part
from rules.table.permissions import is_gm
from rules.table.state import Settings, TableState
from tests.property.random_play import EVERYBODY, Walk
from tests.property.systems import PLAYED, Grounds
from tests.property.test_play import walking
from tests.replayed_entries import replay_entries

#: Why an amendment of random play may be refused.
_REFUSED = frozenset(
    (
        *("amend-final", "amend-cards", "amend-nothing", "amend-again", "amend-others-first"),
        *(
            "amend-too-many",
            "amend-too-many-conflicts",
            "nothing-to-undo",
            "order-open",
            "undo-redacted",
            "gm-only",
        ),
    )
)


class AmendingWalk(Walk):
    """A walk on which earlier entries are amended."""

    amended = 0
    undone = 0
    changed = 0

    async def _past(self, back: int) -> tuple[int, ...]:
        table = await self.session.tables.get(self.session.table_id)
        return tuple(range(max(2, table.revision - back), table.revision + 1))

    def _gm(self, state: TableState) -> Actor | None:
        return next((who for who in EVERYBODY if is_gm(state, who)), None)

    async def nothing(self) -> None:
        """The same action again at any entry: all comes out as it was, to the last field."""
        session = self.session
        table = await session.tables.get(session.table_id)
        number = self.chance.choice(await self._past(80))
        entries = await replay_entries(session.tables.store, session.table_id, number)
        entry = next(entry for entry in entries if entry.seq == number)
        if not is_amendable_kind(type(entry.action).__name__):
            return
        _check_form(entry)
        action = Amend(**self._by(EVERYBODY[0]), entry=number)
        found = rerun(entries, action, table.seeds, None)
        odd = [each for each in found.entries if each.fate not in ("amended", "same")]
        assert not odd, [(each.seq, each.kind, each.fate, each.refusal) for each in odd]
        assert all(each.was == each.now and not each.touched for each in found.entries)
        assert found.state == table.state

    async def amend(self) -> None:
        """An entry is undone alone, or an answer of a GM gets what another option's form holds."""
        state, session = await self.session.state(), self.session
        who = self._gm(state)
        if who is None:
            return
        number = self.chance.choice(await self._past(60))
        entries = await replay_entries(session.tables.store, session.table_id, number)
        entry = next(entry for entry in entries if entry.seq == number)
        if number in undone_entries(entries):
            return
        changes = self._changes(entry.action) if self.chance.random() < 0.6 else {}
        action = Amend(**self._by(who), entry=number, undo=not changes, values=changes)
        table = await session.tables.get(session.table_id)
        try:
            _, found = await preview(session.tables, table, action)
        except RulesError as error:
            assert changes or error.code in _REFUSED, error
            return
        doubtful = [each.seq for each in found.entries if each.doubtful]
        if doubtful and self.chance.random() < 0.5:
            action = action.replace(left_out=(self.chance.choice(doubtful),))
            try:
                _, found = await preview(session.tables, table, action)
            except RulesError as error:
                assert error.code in _REFUSED, error
                return
        count = len(self.done)
        await self._do(action.replace(preview=found.digest(action)), Impossible)
        if len(self.done) == count:
            assert self.refused[-1][1].code in _REFUSED, self.refused[-1][1]
            return
        type(self).amended += 1
        type(self).changed += bool(changes)
        _check_audiences(self.done[-1], found)
        await self.check(state, self.done[count:])
        if self.chance.random() < 0.4:
            await self._undo_it(state, who)

    def _changes(self, action: Action) -> dict[str, object]:
        if not isinstance(action, Choose):
            return {}
        numbers = {key: value for key, value in action.values.items() if isinstance(value, int)}
        numbers = {key: value for key, value in numbers.items() if not isinstance(value, bool)}
        changes: dict[str, object] = {}
        for key, value in numbers.items():
            changes[key] = max(0, value + self.chance.choice((-1, 1, 2)))
        if "difficulty" in action.values and "difficulty" not in numbers:
            changes["difficulty"] = str(self.chance.choice((1, 9, 13, 30)))
        return changes

    async def _undo_it(self, before: TableState, who: Actor) -> None:
        table = await self.session.tables.get(self.session.table_id)
        count = len(self.done)
        await self._do(Undo(**self._by(who), entry=table.revision), Impossible, NotFound)
        if len(self.done) == count:
            # An amend that changes no part leaves nothing to undo.
            assert self.refused[-1][1].code in ("order-open", "nothing-to-undo")
            return
        type(self).undone += 1
        after = dict((await self.session.state()).parts())
        assert after.keys() == dict(before.parts()).keys()
        for key, part in before.parts():
            if key != "counters" and not key.startswith("encounter:"):
                now = after[key]
                if isinstance(part, Settings) and isinstance(now, Settings):
                    part = _without_past_end(part, self.now)
                assert _without_times(now, part), key


def _without_past_end(settings: Settings, now: int) -> Settings:
    """A pause that comes back after its end has no end any more."""
    pause = settings.pause
    if pause is None or pause.until is None or pause.until > now:
        return settings
    return settings.replace(pause=pause.replace(until=None))


def _without_times(one: Any, other: Any) -> bool:
    """An open check has new numbers, and the time that was left; all else is the same."""
    asked = getattr(one, "asked", None), getattr(other, "asked", None)
    if asked != (None, None):
        keys = [[each.prompt.key for each in prompts] for prompts in asked if prompts is not None]
        assert keys[0] == keys[1]
        one, other = [each.replace(asked=()) for each in (one, other)]
    return same_part(one, other)


def _check_form(entry: PastEntry) -> None:
    """The form of an entry holds its values: it is read without faults, and changes nothing."""
    held = ChangeableEntry(entry, entry.before)
    shown = held.form()
    if shown is None or not held.is_open:
        return
    read, problems = shown.form.read_draft(shown.form.write_draft(shown.values), shown.context)
    assert not problems, (entry.action, problems)
    assert is_empty_change(entry_change(entry.seq, shown, entry.action, read)), (entry.action, read)
    for key in read:
        if key != ANSWER:
            assert shown.values[key] == read[key], (entry.action, key)


def _check_audiences(done: ActionResult, found: Amendment) -> None:
    """Who was told the same in every entry is told nothing of the amendment."""
    for event in done.events:
        if isinstance(event, Amended) and not event.audience.gms:
            audience = event.audience
            assert any(
                _told(each.was, audience) != _told(each.now, audience) for each in found.entries
            )


def _told(events: Sequence[Event], audience: Audience) -> list[Event]:
    """What an audience was told; an event for several people counts for each of them."""
    if audience.whisper or audience.everyone:
        return [event for event in events if event.audience == audience]
    people = {*audience.people}
    return [event for event in events if people <= {*event.audience.people}]


@pytest.mark.slow
@pytest.mark.parametrize("grounds", PLAYED, ids=lambda each: each.name)
def test_amendments_replay_and_are_undone(grounds: Grounds) -> None:
    AmendingWalk.amended = AmendingWalk.undone = AmendingWalk.changed = 0

    async def work(walk: Walk) -> None:
        amending = AmendingWalk(walk.session, walk.grounds, walk.chance)
        session = amending.session
        for _ in range(5):
            await amending.steps(12)
            await amending.nothing()
            await amending.amend()
        state = await session.state()
        assert await replay(session.tables.store, session.table_id) == state
        await session.restart()
        assert await session.state() == state

    for number in range(12):
        if number >= 2 and AmendingWalk.undone and AmendingWalk.changed:
            break
        walking(grounds, work, random.Random(f"amend {grounds.name}{number}"))
    assert AmendingWalk.amended >= 2 and AmendingWalk.undone
