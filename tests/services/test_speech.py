"""What characters say, in the journal: replayed, undone, deleted for good, and forgotten."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bot.services.exports import PublicTable
from bot.services.perform import ActionResult
from bot.services.story import Hearer, read_story
from bot.services.transfer import public_entry
from bot.storage.row_records import OutboxRow
from rules.core.errors import RulesError
from rules.table.actions import (
    Actor,
    ChangeSettings,
    EditSaid,
    ForgetPerson,
    ImportCharacter,
    Say,
    Undo,
    Unsay,
)
from rules.table.events import Said, Unsaid
from rules.table.readable_places import EVERYWHERE
from rules.table.scenes import speech
from tests.sample_table import ANN, BEN, GM, GM_PLACE, PLACE, Session, by, ebb_character

CANARY = "Xcanary"


async def say(session: Session, text: str = "Who's there?", who: Actor = ANN) -> ActionResult:
    """Say something; `s1` is the first."""
    return await session.do(Say(**by(who), text=text))


async def refusal(session: Session, action: Say | EditSaid | Unsay) -> str:
    """The code of a refusal."""
    with pytest.raises(RulesError) as refused:
        await session.do(action)
    return refused.value.code


async def quotes(session: Session, who: str = "p3") -> list[str]:
    """What the story quotes for a participant."""
    table = await session.tables.get(session.table_id)
    hearer = Hearer(who, gm=False, readable=EVERYWHERE)
    story = await read_story(session.tables, table, hearer)
    return [line.event.text for line in story.lines if isinstance(line.event, Said)]


def rows(done: ActionResult) -> list[tuple[str, str | None]]:
    """Kind and topic of an entry's messages."""
    outs: Sequence[OutboxRow] = done.outs
    return [(out.kind, out.topic) for out in outs]


async def test_words_are_told_everybody_and_sent_under_the_name(session: Session) -> None:
    done = await say(session)
    (event,) = done.events
    assert isinstance(event, Said) and event.audience.everyone
    assert (event.said, event.name, event.text, event.aside) == (
        "s1",
        "Anna",
        "Who's there?",
        False,
    )
    assert rows(done) == [("say", "said:s1")]
    assert (await session.state()).own["said:s1"].by == ANN.id
    await session.replayed()


async def test_an_edit_keeps_place_and_time_and_is_undone_alone(session: Session) -> None:
    await say(session)
    action = EditSaid(**{**by(ANN), "at": by()["at"] + 60}, said="s1", text="(( brb ))")
    edited = await session.do(action)
    (event,) = edited.events
    assert isinstance(event, Said) and event.edited and event.aside
    assert event.at == by()["at"]
    assert rows(edited) == [("say", "said:s1")]
    assert await quotes(session) == ["(( brb ))"]
    await session.do(Undo(**by(GM), entry=edited.seq))
    assert await quotes(session) == ["Who's there?"]
    assert (await session.state()).own["said:s1"].edits == 0
    await session.replayed()


async def test_an_undo_of_words_takes_their_edits_along(session: Session) -> None:
    done = await say(session)
    await session.do(EditSaid(**by(ANN), said="s1", text="Hm."))
    await session.do(Undo(**by(GM), entry=done.seq, all_dependents=True))
    assert await quotes(session) == []
    assert "said:s1" not in (await session.state()).own
    await session.replayed()


async def test_deleted_words_count_for_slow_mode_and_cannot_be_changed_while_speaking_is_off(
    session: Session,
) -> None:
    await say(session, CANARY)
    await session.do(Unsay(**by(ANN), said="s1"))
    state = await session.state()
    assert speech.speech_of(state, "s1") is None
    assert speech.last_said_at(state, ANN.id, PLACE) == by()["at"]
    assert CANARY not in str(state.own) and "Anna" not in str(state.own)
    await say(session)
    await session.do(ChangeSettings(**by(GM), values={"speaking": False}))
    edit = EditSaid(**by(ANN), said="s2", text="Hm.")
    assert await refusal(session, edit) == "speaking-off"
    await session.do(Unsay(**by(ANN), said="s2"))
    await session.replayed()


async def test_deleted_words_are_gone_for_every_reader_and_for_good(session: Session) -> None:
    said = await say(session, CANARY)
    edited = await session.do(EditSaid(**by(ANN), said="s1", text=f"{CANARY}!"))
    done = await session.do(Unsay(**by(ANN), said="s1"))
    (event,) = done.events
    assert isinstance(event, Unsaid) and not event.audience.everyone
    assert event.entries == (edited.seq, said.seq)
    assert rows(done) == [("mark", "said:s1")]
    assert await quotes(session) == [] and await quotes(session, "p1") == []
    table = await session.tables.get(session.table_id)
    entries = await session.tables.store.entries(session.table_id, since=1, limit=100)
    public = [entry for row, _ in entries if (entry := public_entry(table, row, EVERYWHERE))]
    assert CANARY not in str(PublicTable(table).export(public))
    with pytest.raises(RulesError):
        await session.do(Undo(**by(GM), entry=done.seq))
    assert await refusal(session, EditSaid(**by(ANN), said="s1", text="Back")) == "said-gone"
    await session.replayed()


async def test_only_the_speaker_changes_words(session: Session) -> None:
    await say(session)
    for who in (GM, BEN):
        edit = EditSaid(**by(who), said="s1", text="Mine")
        assert await refusal(session, edit) == "said-gone"
        assert await refusal(session, Unsay(**by(who), said="s1")) == "said-gone"


async def test_what_cannot_be_said(session: Session) -> None:
    assert await refusal(session, Say(**by(ANN), text=" \n ")) == "nothing-said"
    assert await refusal(session, Say(**by(ANN), text="x" * 4001)) == "too-long"
    assert await refusal(session, Say(**by(ANN), text="a\x07b")) == "unprintable-text"
    assert await refusal(session, Say(**by(ANN), text="Hi", as_="Boris")) == "unknown-character"
    gm_room = by(ANN, place=GM_PLACE)
    assert await refusal(session, Say(**gm_room, text="Hi")) == "speak-in-gm-channel"
    npc = ImportCharacter(**by(GM), data=ebb_character("Sidor"), npc=True)
    await session.do(npc)
    spoken = Say(**by(GM), text="Psst", as_="Sidor")
    code = await refusal(session, spoken)
    assert code == "speaker-off-stage"


async def test_words_leave_with_their_player(session: Session) -> None:
    await say(session, CANARY)
    await session.do(EditSaid(**by(ANN), said="s1", text=f"{CANARY}!"))
    await say(session, "I stay.", BEN)
    await session.do(ForgetPerson(**by(ANN)))
    assert [*(await session.state()).own] == ["said:s2"]
    assert await quotes(session) == ["I stay."]
    entries = await session.tables.store.entries(session.table_id, since=1, limit=100)
    assert CANARY not in "".join(row.events + row.action for row, _ in entries)


async def test_only_the_last_words_can_be_changed(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speech, "SPEECHES_MAX", 2)
    for number in range(3):
        await say(session, str(number))
    assert [*(await session.state()).own] == ["said:s2", "said:s3"]
    assert speech.last_said_at(await session.state(), ANN.id, PLACE) == by()["at"]
    assert await quotes(session) == ["0", "1", "2"]
