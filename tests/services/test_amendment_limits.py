"""What can't be amended: each refusal, with nothing changed; and what rotated seeds change."""

from __future__ import annotations

from typing import Any

import pytest

from bot.services import amend_requests
from bot.services.replay import ReplayImpossible, replay
from bot.storage.upkeep import UndoRetention
from rules.core.errors import RulesError
from rules.core.rng import KeyedStreams
from rules.table.actions import (
    Action,
    Adjust,
    Advance,
    Award,
    ForgetPerson,
    ImportCharacter,
    NameDeputy,
    RollDice,
    RotateSeed,
    Undo,
)
from rules.table.amendments.limits import MAX_CONFLICTS, is_amendable_kind
from rules.table.events import Amended
from tests.amending import amend, previewed
from tests.sample_table import (
    ANN,
    BEN,
    GM,
    NOON,
    Session,
    answer,
    by,
    ebb_character,
    faces,
    make_session,
    masterbook_character,
    newest,
    own_action,
    roll,
)
from tests.storage.stores import tidy_all


async def _refused(session: Session, entry: int, code: str, **changes: Any) -> RulesError:
    """The refusal of an amendment, which changes nothing."""
    before = await session.state()
    revision = (await session.tables.get(session.table_id)).revision
    with pytest.raises(RulesError, match=code) as caught:
        await amend(session, entry, **changes)
    assert await session.state() is before
    assert (await session.tables.get(session.table_id)).revision == revision
    return caught.value


async def _roll_on(session: Session, count: int) -> None:
    for number in range(count):
        await session.do(RollDice(**by(BEN, at=NOON + number), dice="2d6"))


async def test_too_many_later_entries(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(amend_requests, "MAX_REDONE", 6)
    first = await session.do(Award(**by(GM), kind="fate", amount=1))
    await _roll_on(session, 6)
    await previewed(session, first.seq, undo=True)
    await _roll_on(session, 1)
    refused = await _refused(session, first.seq, "amend-too-many", undo=True)
    assert refused.params == {"entry": first.seq, "most": 6}


async def test_too_many_entries_that_cannot_stand(session: Session) -> None:
    """Nothing can be done to a character that was never there."""
    rat = ImportCharacter(**by(GM), data=ebb_character("Rat"), npc=True)
    first = await session.do(rat)
    for number in range(MAX_CONFLICTS):
        await session.do(Adjust(**by(GM), character="Rat", what="fate", value=str(number % 3)))
    _, seen = await previewed(session, first.seq, undo=True)
    assert [each.refusal for each in seen.entries[1:]] == ["unknown-character"] * MAX_CONFLICTS
    await session.do(Adjust(**by(GM), character="Rat", what="fate", value="5"))
    refused = await _refused(session, first.seq, "amend-too-many-conflicts", undo=True)
    assert refused.params == {"entry": first.seq, "most": MAX_CONFLICTS}


async def test_a_doubtful_entry_is_left_out(session: Session) -> None:
    """A player chose on other grounds: the GM may leave that out, and it is undone with it."""
    check = await session.proposed()
    entry = (await session.do(answer(check, difficulty="7"))).seq
    await session.do(roll(newest(await session.state())))
    await session.do(Adjust(**by(GM), character="Anna", what="fate", value="1"))
    _, seen = await previewed(session, entry, values={"difficulty": "30"})
    rolled = next(each for each in seen.entries if each.seq == entry + 1)
    assert rolled.fate == "changed" and not rolled.doubtful, "a bare roll needs no grounds"
    done = await amend(session, entry, values={"difficulty": "30"}, left_out=(entry + 1, entry + 2))
    assert newest(done.state).data.roll is None
    assert {each.sheet.fate for each in done.state.characters.values()} == {3}
    rows = await session.tables.store.entries(session.table_id)
    undone = [row.seq for row, _ in rows if row.undone_by == done.seq]
    assert undone == [entry + 1, entry + 2]
    assert await replay(session.tables.store, session.table_id) == await session.state()


async def test_cards_that_players_have_seen(session: Session) -> None:
    there = await make_session(
        session.house,
        session.tables,
        place="300",
        system="masterbook",
        character=masterbook_character,
        cards_mode="full",
    )
    began = own_action("Tell")(**by(GM, place="300"), what="adventure-start")
    dealt = await there.do(began)
    await there.do(RollDice(**by(BEN, place="300"), dice="2d6"))
    await _refused(there, dealt.seq, "amend-cards", undo=True)


async def test_what_undo_reaches_no_more(session: Session) -> None:
    first = await session.do(Award(**by(GM), kind="fate", amount=1))
    await _roll_on(session, 400)
    store = session.tables.store
    await tidy_all(store, UndoRetention(10**11, entries=10))
    kept = await store.kept_from(session.table_id)
    assert kept > first.seq
    refused = await _refused(session, first.seq, "undo-too-old", undo=True)
    assert refused.params["first"] == kept


async def test_what_lies_before_a_deletion(session: Session) -> None:
    first = await session.do(Award(**by(GM), kind="fate", amount=1))
    gone = await session.do(ForgetPerson(**by(BEN)))
    later = await session.do(Award(**by(GM), kind="fate", amount=1))
    for entry in (first.seq, gone.seq):
        refused = await _refused(session, entry, "undo-redacted", undo=True)
        assert refused.params["first"] == gone.seq + 1
    # The deletion kept a snapshot, from which what came later can be replayed, also once the texts
    # are gone from the journal.
    for _ in range(2):
        done = await amend(session, later.seq, undo=True)
        await session.do(Undo(**by(GM), entry=done.seq))
        await tidy_all(session.tables.store, UndoRetention(10**11, entries=10**6))


@pytest.mark.parametrize(
    "action",
    [RotateSeed(**by(GM)), NameDeputy(**by(GM), to=BEN.id)],
    ids=lambda action: type(action).__name__,
)
async def test_what_is_final(action: Action, session: Session) -> None:
    done = await session.do(action)
    await _refused(session, done.seq, "amend-final", undo=True)


@pytest.mark.parametrize(
    "kind",
    [
        *("CreateTable", "ImportTable", "Undo", "Amend", "ForgetPerson", "RotateSeed", "BeginAnew"),
        *("ChangePlaces", "ChangeGms", "NameDeputy", "TakeOver", "NoteDeparture", "StepIn"),
    ],
)
def test_kinds_that_are_final(kind: str) -> None:
    assert not is_amendable_kind(kind)


async def test_an_entry_of_other_rules(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    first = await session.do(Award(**by(GM), kind="fate", amount=1))
    monkeypatch.setattr("bot.services.replay._require_rules", _require_other_rules)
    await _refused(session, first.seq, "amend-other-rules", undo=True)


def _require_other_rules(row: Any, version: int) -> None:
    raise ReplayImpossible(row.seq, "made under other rules")


async def test_new_dice_after_a_seed_was_revealed_come_from_the_next(session: Session) -> None:
    """Dice of a public seed could be chosen: what falls anew falls from the seed in use."""
    await session.do(Award(**by(GM), kind="fate", amount=10, to="Anna"))
    entry = (await session.do(Advance(**by(ANN), skill="Climbing"))).seq
    check = await session.proposed()
    done = await session.do(answer(check, difficulty="7"))
    last = await session.do(roll(newest(done.state)))
    rolled, entry_of_roll = newest(last.state), last.seq
    await session.do(RotateSeed(**by(GM)))
    table = await session.tables.get(session.table_id)
    action, seen = await previewed(session, entry, undo=True)
    assert [each.fate for each in seen.entries if each.fate == "new-dice"] == ["new-dice"]
    amended = await session.do(action)
    now = amended.state.checks[check.id]
    assert faces(now)[0] == faces(rolled)[0], "the main die is as it fell"
    assert any(isinstance(each, Amended) and each.rolled for each in amended.events)
    old, new = [row for row in table.seeds if row.stream == "public"]
    assert old.revealed_at is not None and new.revealed_at is None
    row = await session.tables.store.entry_at(session.table_id, amended.seq)
    assert row is not None and row.draws > 0
    # The roll's own request goes on with the amendment's, under the seed of the amendment.
    fallen = KeyedStreams(new.seed, b"s" * 32, f"{row.request_id}/{entry_of_roll}").public
    assert faces(now)[-1] == fallen.below(8) + 1
    assert await replay(session.tables.store, session.table_id) == await session.state()
