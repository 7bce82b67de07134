"""The story: what a reader was told, folded into lines, and nothing that was hidden from them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

import pytest

from bot.delivery.table_scene import scene_of
from bot.presenters.story import line_text
from bot.services import story
from bot.services.readers import PlaceAccess
from bot.services.story import Hearer, StoryLine, public_hearer, read_story, told
from rules.table.actions import (
    Actor,
    AddNpcs,
    ChangeGms,
    ChangeNpc,
    ChangeSettings,
    EndCheck,
    EndEncounter,
    EndScene,
    ForgetPerson,
    Give,
    JoinEncounter,
    NextTurn,
    RollDice,
    SetAway,
    StartEncounter,
    StartScene,
    SumUp,
    Undo,
)
from rules.table.checks.access import may_see_check
from rules.table.events import DiceRolled
from rules.table.readable_places import EVERYWHERE, ReadablePlaces
from tests.amending import amend
from tests.sample_table import ANN, BEN, GM, NOON, PLACE, Session, by, newest, open_game, roll
from tests.services.test_readers import VAULT, views
from tests.storage.stores import tidy_all

HERE = ReadablePlaces(frozenset({PLACE}))
PUBLIC = public_hearer(HERE)
#: What nobody but the GMs may read: a name behind an alias, an NPC off stage, a number, a reason.
CANARIES = ("Baron Xcanary", "Xoffstage", "Xreason")


async def texts(session: Session, lines: Sequence[StoryLine]) -> list[str]:
    """Return lines in words."""
    scene = scene_of(await session.tables.get(session.table_id))
    return [line_text(line, scene) for line in lines]


async def public_texts(session: Session, hearer: Hearer = PUBLIC) -> list[str]:
    """Return the story of the channel in words, without the opening of the table."""
    table = await session.tables.get(session.table_id)
    read = await read_story(session.tables, table, hearer)
    return [text for text in await texts(session, read.lines) if "Marshes is open" not in text]


async def told_texts(session: Session, who: Actor, vault: PlaceAccess = "shut") -> list[str]:
    """Return the story as one person was told it, in words."""
    reader = await session.reader(who, views=views(vault=vault), here=PLACE)
    return await texts(session, await told(session.tables, reader))


async def test_a_check_is_one_line_with_its_last_outcome(session: Session) -> None:
    check = await session.rolled()
    await session.answered(BEN)
    table = await session.tables.get(session.table_id)
    lines = (await read_story(session.tables, table, PUBLIC)).lines
    (line,) = [line for line in lines if line.check]
    assert (line.check, line.kind, line.place, line.is_public) == (check.id, "check", PLACE, True)
    (text,) = await texts(session, [line])
    assert text.startswith("Anna, Climbing d8 (veteran) and Fitness")
    assert ": " in text


async def test_undone_entries_tell_nothing(session: Session) -> None:
    check = await session.rolled()
    revision = (await session.tables.get(session.table_id)).revision
    assert any("Climbing" in text for text in await public_texts(session))
    await session.do(Undo(**by(GM), entries=(revision,)))
    assert not any("Climbing" in text for text in await public_texts(session))
    again = (await session.state()).checks[check.id]
    await session.do(roll(again))
    assert sum("Climbing" in text for text in await public_texts(session)) == 1


async def test_a_fight_is_its_beginning_and_its_last_round_or_its_end(session: Session) -> None:
    await session.do(StartEncounter(**by(GM)))
    await session.do(JoinEncounter(**by(ANN)))
    await session.do(JoinEncounter(**by(BEN)))
    for _ in range(4):
        await session.do(NextTurn(**by(GM)))
    assert (await public_texts(session))[-2:] == ["Initiative begins", "Round 2"]
    await session.do(EndEncounter(**by(GM)))
    ended = ["Initiative begins", "Initiative is over after 2 rounds"]
    assert (await public_texts(session))[-2:] == ended
    await session.do(StartEncounter(**by(GM)))
    assert (await public_texts(session))[-3:] == [*ended, "Initiative begins"]


async def test_a_span_begins_and_ends_at_its_times(session: Session) -> None:
    for day in range(4):
        at = NOON + day * 86400
        await session.do(RollDice(**by(ANN, at=at), dice=f"{day + 1}d6"))
    reader = await session.reader(BEN)
    span = await told(session.tables, reader, NOON + 86400, NOON + 3 * 86400)
    rolled = [line.event.text for line in span if isinstance(line.event, DiceRolled)]
    assert rolled == ["2d6", "3d6"]


async def test_a_long_span_is_read_aside_and_tells_the_same(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    await session.do(StartEncounter(**by(GM)))
    await session.do(JoinEncounter(**by(ANN)))
    check = await session.rolled()
    last = (await session.tables.get(session.table_id)).revision
    await session.do(Undo(**by(GM), entries=(last,)))
    await session.do(roll((await session.state()).checks[check.id]))
    for _ in range(3):
        await session.do(NextTurn(**by(GM)))
    await session.do(EndEncounter(**by(GM)))
    table = await session.tables.get(session.table_id)
    whole = await read_story(session.tables, table, PUBLIC)
    calls = 0

    async def aside(work: Callable[..., object], *given: object) -> object:
        nonlocal calls
        calls += 1
        return work(*given)

    monkeypatch.setattr(story, "INLINE_ENTRIES", 0)
    monkeypatch.setattr(story, "ENTRIES_PER_PAGE", 2)
    session.tables.aside = aside
    assert await read_story(session.tables, table, PUBLIC) == whole
    assert calls == -(-table.revision // 2)


async def test_hidden_numbers_and_blind_rolls_stay_hidden(session: Session) -> None:
    await session.rolled(difficulty="9137", hidden=True)
    await session.rolled(BEN, visibility="blind")
    for text in (*await public_texts(session), *await told_texts(session, BEN)):
        assert "9137" not in text
    blind = [text for text in await told_texts(session, BEN) if "Boris" in text]
    assert blind[-1].endswith("Rolled: only the GM sees the result")
    assert all("GM sees" not in text for text in await told_texts(session, GM))


async def test_a_private_check_is_told_to_its_player_alone(session: Session) -> None:
    await session.rolled(visibility="private")
    assert any("Climbing" in text for text in await told_texts(session, ANN))
    for hidden in (await public_texts(session), await told_texts(session, BEN)):
        assert not any("Climbing" in text for text in hidden)


async def test_an_alias_stays_an_alias(session: Session) -> None:
    npc = AddNpcs(**by(GM), name="Baron Xcanary", alias="Hooded figure", stage="aliased")
    await session.do(npc)
    await session.do(AddNpcs(**by(GM), name="Xoffstage", stage="off"))
    await session.do(StartEncounter(**by(GM)))
    await session.do(RollDice(**by(GM), dice="2d6", reason="Xreason", visibility="blind"))
    for shown in (await public_texts(session), await told_texts(session, ANN)):
        assert not any(canary in " ".join(shown) for canary in CANARIES)
    before = await told_texts(session, ANN)
    await session.do(ChangeNpc(**by(GM), npc="Baron Xcanary", stage="revealed"))
    after = await told_texts(session, ANN)
    assert after[: len(before)] == before


async def test_a_new_owner_inherits_nothing_that_the_former_was_told(session: Session) -> None:
    await session.rolled(visibility="private")
    await session.do(RollDice(**by(ANN, place=VAULT), dice="31d4"))
    anna = next(iter((await session.state()).characters))
    await session.do(Give(**by(GM), character=anna, to=BEN.id))
    shown = " ".join(await told_texts(session, BEN))
    assert "Climbing" not in shown and "31d4" not in shown
    kept = " ".join(await told_texts(session, ANN))
    assert "Climbing" in kept and "31d4" in kept


async def test_a_finished_private_check_stays_with_the_former_player(session: Session) -> None:
    check = await session.rolled(visibility="private")
    await session.do(EndCheck(**by(GM), check=check.id))
    anna = check.actor
    await session.do(Give(**by(GM), character=anna, to=BEN.id))
    state = await session.state()
    assert state.characters[anna].private_since == NOON
    assert not may_see_check(open_game(state, BEN), state.checks[check.id], BEN)
    await session.replayed()


async def test_an_open_private_check_goes_along_with_the_character(session: Session) -> None:
    check = await session.answered(visibility="private")
    await session.do(Give(**by(GM), character=check.actor, to=BEN.id))
    state = await session.state()
    assert may_see_check(open_game(state, BEN), state.checks[check.id], BEN)


async def test_what_was_told_in_a_closed_place_stays_there(session: Session) -> None:
    await session.do(RollDice(**by(ANN, place=VAULT), dice="31d4"))
    assert not any("31d4" in text for text in await told_texts(session, BEN))
    assert any("31d4" in text for text in await told_texts(session, BEN, "open"))
    assert not any("31d4" in text for text in await public_texts(session))
    assert any("31d4" in text for text in await public_texts(session, public_hearer(EVERYWHERE)))


async def test_who_leads_no_more_reads_no_secrets(session: Session) -> None:
    await session.do(ChangeGms(**by(GM), add=BEN.id))
    await session.do(RollDice(**by(GM), dice="31d4", visibility="blind"))
    assert any("31d4" in text for text in await told_texts(session, BEN))
    await session.do(ChangeGms(**by(GM), remove=BEN.id))
    assert not any("31d4" in text for text in await told_texts(session, BEN))


async def test_absences_say_who_and_until_when(session: Session) -> None:
    await session.do(SetAway(**by(ANN), until=NOON + 86400))
    assert (await public_texts(session))[-1] == f"Ann is away until <t:{NOON + 86400}:f>"


async def test_deeds_are_what_others_did_for_ones_characters(session: Session) -> None:
    await session.do(SetAway(**by(ANN), until=NOON + 86400))
    await session.rolled(BEN)
    reader = await session.reader(ANN)
    hearer = await story.hearer_for(session.tables, reader)
    read = await read_story(session.tables, reader.table, hearer)
    shown = await texts(session, read.deeds)
    for text in shown:
        assert text.startswith("Anna: ")
    mine = await read_story(session.tables, reader.table, Hearer(BEN.id, False, HERE))
    assert not [line for line in mine.deeds if line.step and line.step.how == "self"]
    assert newest(await session.state()).actor != ""


def test_every_reading_of_the_story_goes_by_a_hearer() -> None:
    open_to_all = {
        name
        for name, function in vars(story).items()
        if inspect.isfunction(function) and function.__module__ == story.__name__
        if not name.startswith("_")
        if not {"reader", "hearer", "viewpoint"} & {*inspect.signature(function).parameters}
    }
    assert open_to_all == {"entry_before", "has_outcome", "public_hearer"}


async def test_changes_of_the_table_are_no_part_of_a_recap(session: Session) -> None:
    await session.do(ChangeSettings(**by(GM), values={"player_undo": False}))
    table = await session.tables.get(session.table_id)
    lines = (await read_story(session.tables, table, PUBLIC)).lines
    found = [line for line in lines if line.kind == "setting"]
    assert found and "setting" not in story.STORY_KINDS
    # A search still finds them.
    assert all(line.is_public for line in found)


@pytest.mark.parametrize("private", [False, True])
async def test_a_corrected_scene_is_told_as_it_was_corrected(
    session: Session, *, private: bool
) -> None:
    begun = StartScene(**by(GM), title="Xold title", cast=("Anna",), private=private)
    start = await session.do(begun)
    end = await session.do(EndScene(**by(GM), summary="Xold end"))
    summed_up = await session.do(SumUp(**by(GM), summary="Xold words"))
    before = await told_texts(session, ANN)
    await amend(session, start.seq, values={"title": "New title"})
    await amend(session, summed_up.seq, values={"summary": "New words"})
    for who in (ANN, GM):
        told_now = await told_texts(session, who)
        assert "Xold" not in str(told_now)
        after = [text for text in told_now if not text.startswith("Corrected by")]
        assert [text for text in after if "New title" in text] == after[-2:]
        assert "New words" in after[-1]
    told_ben = str(await told_texts(session, BEN))
    assert "Xold" not in told_ben and ("New" in told_ben) is not private
    assert ("New" in str(await public_texts(session))) is not private
    await amend(session, end.seq, values={"summary": "New end"})
    assert "New words" in str(await told_texts(session, ANN))
    revision = (await session.tables.get(session.table_id)).revision
    for entry in range(revision, revision - 3, -1):
        await session.do(Undo(**by(GM), entries=(entry,)))
    assert await told_texts(session, ANN) == before
    await session.replayed()


async def test_a_corrected_title_goes_with_the_gm_who_typed_it(session: Session) -> None:
    await session.do(ChangeGms(**by(GM), add="p2"))
    start = await session.do(StartScene(**by(ANN), title="Old title", cast=("Anna",)))
    await amend(session, start.seq, values={"title": "Xtyped title"})
    assert "Xtyped title" in str(await told_texts(session, BEN))
    await session.do(ForgetPerson(**by(ANN)))
    await tidy_all(session.tables.store)
    assert "Xtyped title" not in str(await told_texts(session, BEN))
