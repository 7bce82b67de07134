"""The board of a timeline, and the words of its steps."""

from __future__ import annotations

from typing import Any, Self

import pytest

from bot.presenters.board import board_card, step_card
from bot.presenters.language.systems import SYSTEM_WORDS
from bot.presenters.layout import Layout
from bot.presenters.log import entry_texts
from bot.presenters.pending_matters import story_lines, todo_card, todo_lines
from bot.presenters.render import to_messages
from bot.presenters.scene import Scene
from rules.systems.barmore.sheet import BarSheet
from rules.systems.barmore.timed_actions import BeginAction
from rules.table.actions import (
    Action,
    Actor,
    AddToEncounter,
    DelayTurn,
    JoinEncounter,
    NextTurn,
    OrderEncounter,
    StartEncounter,
)
from rules.table.blocks import Text
from rules.table.events import BoardChanged, Event
from rules.table.state import Character, Settings, TableState
from rules.table.turns.board import Board, BoardLine, board_view
from rules.table.turns.encounters import SLOTS_MAX
from rules.table.turns.timeline import DOING_MAX
from tests.presenters.scenes import ANA, BO, BY, GM, NAMES, body, do, labels, small, title
from tests.sample_table import open_game

RUNNING = ["Attack", "Check", "Do nothing yet", "My moves", "Join", "NPCs"]
HINT = SYSTEM_WORDS["barmore"].timeline_hint


def scene(state: TableState) -> Scene:
    return Scene(7, state, NAMES, {})


class Timeline:
    """Pilgrim, Rook and a Warden of whom players know nothing, in phase 1."""

    def __init__(self) -> None:
        sheet = BarSheet()
        people = (("k1", "Pilgrim", "p2"), ("k2", "Rook", "p3"), ("k3", "Warden", None))
        characters = {
            key: Character(key, name, owner, sheet, stage="revealed" if owner else "off")
            for key, name, owner in people
        }
        self.state = TableState(Settings("The River", "barmore", ("p1",)), characters=characters)
        self.events: tuple[Event, ...] = ()
        self.do(StartEncounter, GM).do(JoinEncounter, ANA).do(JoinEncounter, BO, as_="Rook")
        self.do(AddToEncounter, GM, name="Warden")

    def do(self, deed: type[Action], who: Actor, /, **fields: Any) -> Self:
        self.state, self.events = do(self.state, deed(who=who, **BY, **fields))
        return self

    def begin(self, who: Actor, phases: int, doing: str, **fields: Any) -> Self:
        return self.do(BeginAction, who, costs=(str(phases),), doing=doing, **fields)

    def board(self) -> Layout:
        return board_card(board_view(self.state, BY["place"]), scene(self.state))

    def cards(self) -> list[Layout]:
        found = [event for event in self.events if isinstance(event, BoardChanged)]
        return [step_card(event, scene(self.state)) for event in found]


def test_the_board_of_a_timeline() -> None:
    play = Timeline()
    card = play.board()
    assert (title(card), labels(card)) == (
        "Initiative: who's in?",
        ["Begin", "Join", "Add all players"],
    )
    assert "can act" not in body(card) and "turn" not in body(card)
    play.do(NextTurn, GM)
    card = play.board()
    assert (title(card), labels(card)) == ("Phase 1: Pilgrim can act", RUNNING)
    assert "▸ **Pilgrim** can act now" in body(card)
    assert "Rook can act in this phase, too" in body(card)
    assert f"press Do nothing yet. {HINT}" in small(card)
    play.begin(ANA, 6, "draws *the* bow").do(NextTurn, BO)
    play.begin(GM, 2, "whispers", as_="Warden")
    card = play.board()
    assert title(card) == "Phase 7", "the Warden, in phase 3, moves it for nobody"
    assert "▸" not in body(card) and "Somebody" not in body(card) and "whispers" not in body(card)
    assert labels(card) == RUNNING, "the same as at any time"
    assert "Pilgrim finishes in this phase, too: draws \\*the\\* bow" in body(card)
    assert "Rook: free" in body(card)
    assert "Act now in `/moves`" in small(card)
    play.do(NextTurn, GM)
    assert "▸ **Pilgrim** finishes now: draws \\*the\\* bow" in body(play.board())
    play.do(NextTurn, ANA)
    card = play.board()
    assert labels(card) == RUNNING
    assert HINT in small(card)


def test_the_words_of_a_timelines_steps() -> None:
    play = Timeline().do(NextTurn, GM)
    assert [card.call for card in play.cards()] == [
        f"<@22>: **Pilgrim, you're up.** Phase 1. Rook goes next.\n{HINT}"
    ]
    play.begin(ANA, 6, "draws *the* bow")
    begun, call = play.cards()
    assert (title(begun), body(begun)) == (
        "Pilgrim begins: draws \\*the\\* bow",
        "That takes 6 phases (base cost 6, Reaction Time 0).",
    )
    assert (call.call, call.mentions) == (
        f"<@33>: **Rook, you're up.** Phase 1. Pilgrim goes next.\n{HINT}",
        (33,),
    )
    play.do(DelayTurn, BO)
    assert title(play.cards()[0]) == "Rook does nothing yet"
    play.do(NextTurn, GM)
    (call,) = play.cards()
    assert "**Pilgrim, you're up.** Phase 7. Finished: draws \\*the\\* bow." in call.call
    (event,) = [each for each in play.events if isinstance(each, BoardChanged)]
    reminded = step_card(event.replace(step="reminded"), scene(play.state))
    assert "**Pilgrim, it's still your turn.** Phase 7." in reminded.call
    play.do(DelayTurn, BO, back=True)
    assert title(play.cards()[0]) == "Rook can act now"
    play.do(OrderEncounter, GM, order=("Rook",))
    assert body(play.cards()[0]) == "It breaks ties within a phase."


def test_what_waits_on_a_timeline_is_listed() -> None:
    play = Timeline().do(NextTurn, GM)
    game = open_game(play.state, ANA)
    listed = todo_card(
        todo_lines(scene(play.state), (), game=game, place=BY["place"], gm=False), (), gm=False
    )
    assert f"Pilgrim can act. {HINT} Or press Do nothing yet." in body(listed)
    assert labels(listed) == ["Do nothing yet"]
    assert any(
        "phase 1, Pilgrim's turn" in line
        for line in story_lines(open_game(play.state, ANA), gm=False)
    )
    for who in (ANA, BO, GM):
        play.do(NextTurn, who)
    assert any(
        line.endswith("phase 1") for line in story_lines(open_game(play.state, ANA), gm=False)
    )


def test_a_crowd_that_does_much_fits_on_the_board() -> None:
    play = Timeline()
    for number in range(47):
        play.do(AddToEncounter, GM, name=f"{number} {'Q' * 70}")
    play.do(NextTurn, GM)
    for number in range(47):
        play.begin(GM, 90 + number, "w" * 80, as_=f"{number} {'Q' * 70}")
    assert len(to_messages(play.board())) == 1


def test_a_systems_own_actions_have_words_in_the_journal() -> None:
    class Entry:
        seq, at, actor, kind, undone_by = 4, 0, "p2", "Undertake", None

    entry: Any = Entry()
    assert entry_texts([(entry, None)], NAMES) == ["#4 · Ana did something"]


def test_a_board_is_one_message_however_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    ill = Text("as-written", {"text": "wounded in the left arm and the right leg"})
    monkeypatch.setattr("bot.presenters.board.condition_lines", lambda game, character: (ill,))
    state = Timeline().state
    who = next(iter(state.characters))
    line = BoardLine("*" * 80, who, ends=12345, doing="_" * DOING_MAX)
    shown = Board(BY["place"], 12, 3, house=False, timeline=True, lines=(line,) * SLOTS_MAX)
    (message,) = to_messages(
        board_card(shown, scene(state), ("Vesna attacks " + "x" * 80, "https://x/1/2/3"))
    )
    assert message["view"].has_components_v2()
