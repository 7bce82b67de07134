"""Cards of what the GM keeps, and the journal."""

from __future__ import annotations

import pytest

from bot.presenters import gm_tools as cards
from bot.presenters.events import event_cards
from bot.presenters.language.text import story_time_text
from bot.presenters.log import log_card
from bot.presenters.render import to_messages
from bot.presenters.scene import Scene
from bot.services.gm_journal import JournalEntry, LogEntry
from rules.table.blocks import Text
from rules.table.events import GMS, Event, Notice, Undone
from rules.table.state import GameClock
from tests.presenters.scenes import NAMES, answered_check, body, entry, everything, roll, table

NASTY = "**@everyone** `<@1>`"


def scene() -> Scene:
    return Scene(7, table(), NAMES, {})


def log_text(*entries: tuple[JournalEntry, tuple[Event, ...]]) -> list[str]:
    card = log_card(scene(), [LogEntry(row, events, False) for row, events in entries])
    assert "@everyone" not in everything(card)
    return body(card).split("\n")


def test_moments() -> None:
    assert story_time_text(3 * 1440 + 870) == "Day 4, 14:30"
    assert story_time_text(0) == "Day 1, 00:00"


@pytest.mark.parametrize(
    ("clock", "text"),
    [
        (GameClock(), "No session yet."),
        (GameClock(session=4, playing=True), "Session 4 is running."),
        (GameClock(session=4), "Between sessions; the last was session 4."),
    ],
)
def test_where_the_story_stands(clock: GameClock, text: str) -> None:
    assert everything(
        cards.clock_card(Scene(7, table().replace(clock=clock), NAMES, {}), gm=False)
    ).endswith(text)


def test_what_people_typed_is_harmless() -> None:
    line = Text("ebb-set-injury", {"text": NASTY, "part": NASTY, "severity": "light", "done": True})
    about = {"name": NASTY, "owner": "p2"}
    changed = Notice(
        "character-adjusted", about, characters=("k1",), by="p1", lines=(line,), note=NASTY
    )
    award = Notice(
        "awarded",
        characters=("k1",),
        lines=(Text("ebb-award", {"name": NASTY, "points": 1, "now": 1}),),
        by="p1",
        note=NASTY,
    )
    for card in event_cards([changed, award], scene(), 1):
        assert to_messages(card)
        assert "@everyone" not in everything(card)
        assert "<@1>" not in everything(card).replace(r"\<@", "")


def test_a_large_party_is_restored_in_full() -> None:
    lines = tuple(
        Text("ebb-rested", {"name": f"{'x' * 70}{n:03}", "values": ("Fitness +1",) * 8})
        for n in range(60)
    )
    (card,) = event_cards([Notice("session-ends", {"number": 2}, lines=lines)], scene(), 1)
    text = str([message["view"].to_components() for message in to_messages(card)])
    assert all(f"{n:03}:" in text for n in range(60))


def test_only_the_gms_are_reminded_of_awards() -> None:
    said = {"number": 2, "awards": (Text("ebb-fate-points"),)}
    public, secret = (Notice(what, said) for what in ("session-ends", "session-ends-gms"))
    assert "/gm award" not in everything(*event_cards([public], scene(), 1))
    assert "/gm award" in everything(*event_cards([secret], scene(), 1))


def test_each_line_of_the_journal_says_who_what_when_and_whether_it_stands() -> None:
    _, checks = roll(answered_check(table(), hidden=True), 5, 5)
    dusk = Text("as-written", {"text": "Dusk"})
    dawn = Text("as-written", {"text": "Dawn"})
    does = Text("setting-does-name", {"value": "Dusk"})
    named = Text(
        "setting-changed",
        {"setting": Text("setting-name"), "before": dawn, "after": dusk, "does": does},
    )
    lines = log_text(
        (entry(1, "p2", "Choose", 50), checks),
        (entry(2, "p1", "AdvanceTime", 60), (Notice("time-passed", {"time": 870, "minutes": 5}),)),
        (
            entry(3, "p1", "ChangeSettings", 70, 4),
            (Notice("settings-changed", lines=(named,)),),
        ),
        (entry(4, "p1", "Undo", 80), (*checks, Undone(entries=(3,), by="p1"))),
        (
            entry(5, "p1", "ChangePlaces", 90),
            (Notice("places", {"subject": "123", "bound": False}),),
        ),
        (entry(6, "p9", "EndCheck", 99), ()),
    )
    assert lines == [
        "- #1 · Pilgrim's roll (c1): Near miss · <@22> · <t:50:f>",
        "- #2 · <@11> changed the story's time: Day 1, 14:30 · <t:60:f>",
        "- #3 · <@11> changed the settings: Name: Dawn → Dusk · <t:70:f> (undone in #4)",
        "- #4 · <@11> undid #3 · <t:80:f>",
        "- #5 · <@11> changed the table's channels: <#123> removed · <t:90:f>",
        "- #6 · somebody who is no longer here ended a check · <t:99:f>",
    ]
    assert log_text() == ["Nothing in it yet."]


def test_the_journal_tells_what_only_the_gms_know() -> None:
    public = Notice("character-changed", {"name": "a hooded man"}, characters=("k2",), by="p1")
    told = public.replace(params={"name": NASTY}, audience=GMS)
    (line,) = log_text((entry(1, "p1", "ChangeNpc", 50), (public, told)))
    assert "hooded" not in line
    assert r"\*\*@" in line


def test_every_line_stays_one_line() -> None:
    long = Text("ebb-rested", {"values": ("one\ntwo", "x" * 500)})
    event = Notice("character-edited", {"name": "A"}, characters=("k1",), by="p2", lines=(long,))
    for kind in ("CreateTable", "Choose", "RollTask", "NoSuchAction"):
        (line,) = log_text((entry(1, "p2", kind, 50), (event,)))
        assert len(line) < 400
