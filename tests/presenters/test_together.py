"""Teams and contests on cards, panels for whoever joins in, and the board of a timeline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

import pytest

from bot.presenters.answer import answer_card, number_modal
from bot.presenters.board import board_card, step_card
from bot.presenters.check import check_card
from bot.presenters.controls import Button, Card, Select
from bot.presenters.events import Presenter, move_buttons, react_card
from bot.presenters.layout import Layout, laid
from bot.presenters.log import entry_texts
from bot.presenters.render import to_messages
from bot.presenters.scene import Scene
from bot.presenters.systems import SYSTEM_WORDS
from bot.presenters.table import moves_pieces
from bot.presenters.todo import now_lines, todo_card
from rules.core.rng import Die
from rules.registry import look
from rules.table.actions import (
    Action,
    Actor,
    AddToEncounter,
    Answer,
    Defend,
    DelayTurn,
    JoinEncounter,
    NextTurn,
    OrderEncounter,
    Propose,
    Roll,
    StartEncounter,
)
from rules.table.actions import Join as JoinIn
from rules.table.checks.views import check_view, target_of
from rules.table.events import BoardChanged, ChallengeChanged, CheckView, Event, Line, OtherSide, Term
from rules.table.moves import challenge_moves, moves
from rules.table.state import Character, TableState
from rules.table.turns.encounters import board
from tests.presenters.fitting import check_card as require_limits
from tests.presenters.scenes import ANA, BO, BY, GM, NAMES, SHEET, body, controls, do, small, table, title
from tests.together import Pact, Undertake, playing_together

HELP = "with the **crowbar**"


@pytest.fixture(autouse=True)
def together(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with playing_together(monkeypatch):
        yield


def crowd(**settings: Any) -> TableState:
    """Besides Ana's Pilgrim and the GM's Warden: Bo's Moth and Rook."""
    state = replace(table(**settings), campaign=Pact())
    for key, name in (("k3", "Moth"), ("k4", "Rook")):
        state = state.with_character(Character(key, name, "p3", SHEET))
    return state


def scene(state: TableState) -> Scene:
    return Scene(7, state, NAMES, {})


class Play:
    """A table, what happens at it, and what is said of it."""

    def __init__(self, **settings: Any) -> None:
        self.state = crowd(**settings)
        self.events: tuple[Event, ...] = ()

    def do(self, deed: type[Action], who: Actor, /, *faces: int, **fields: Any) -> Self:
        if "challenge" in getattr(deed, "__dataclass_fields__", {}):
            check = self.state.challenges["c1"]
            fields = {"challenge": check.id, "revision": check.revision, **fields}
        self.state, self.events = do(self.state, deed(who=who, **BY, **fields), faces)
        return self

    def propose(self, **fields: Any) -> Self:
        options = {"skill": "Climbing", "attribute": "Fitness", "approach": "we heave it aside", **fields}
        return self.do(Propose, ANA, **options)

    def card(self, index: int = 0) -> Card:
        card = Presenter().cards(self.events, scene(self.state), 5)[index]
        assert isinstance(card, Card)
        return card


def labels(card: Card | Layout) -> list[str]:
    return [control.label for control in controls(card) if isinstance(control, Button)]


def ids(card: Card | Layout) -> list[str]:
    return [control.id for control in controls(card)]


def placeholders(card: Card) -> list[str]:
    return [control.placeholder for row in card.rows for control in row if isinstance(control, Select)]


# --- teams --------------------------------------------------------------------------------------------------


def test_a_team_from_its_beginning_to_the_dice() -> None:
    play = Play().propose(kind="team", tool="worst")
    card = play.card()
    assert card.title == "Pilgrim · Climbing + Fitness"
    assert labels(card) == ["Answer", "Join in", "React"]
    assert ids(card)[1] == "sg:join:7:c1:1"
    assert "Way: worst." in card.body
    card = play.do(JoinIn, BO, skill="Running", as_="Moth", approach=HELP).card()
    assert card.title == "Pilgrim and Moth · Climbing + Fitness"
    assert "**Moth joins in.** Waiting for the GM's answer." in card.body
    assert "Moth joins in with Running" in card.body
    assert "> with the \\*\\*crowbar\\*\\*" in card.body
    card = play.do(JoinIn, GM, as_="Warden").card()
    assert card.title.startswith("Pilgrim and 2 others · ")
    assert "**Somebody joins in.**" in card.body and "Warden" not in str(card)
    assert (
        "Moth joins in with Running d6 (professional): " in card.body
        and "“with the \\*\\*crowbar\\*\\*”" in card.body
    )
    play.do(Answer, GM, kind="roll", difficulty="Easy")
    card = play.card()
    assert "**Roll against Easy (4).** Waiting for <@22> to roll. Until then others may join in." in card.body
    assert labels(card) == ["Roll", "Join in", "React"]
    card = play.do(JoinIn, GM, as_="Warden", leave=True).card()
    assert "**Somebody steps back.** Waiting for <@22> to roll." in card.body
    card = play.do(Roll, ANA, 6, 3).card()
    assert card.call == "<@33>, the dice have fallen for Pilgrim, and for those who joined in."
    assert card.mentions == (33,)
    assert "1 more at it." in card.body
    assert labels(card) == ["Details"]


def test_a_question_to_a_team_is_still_its_leaders() -> None:
    play = Play().propose(kind="team")
    play.state = replace(
        play.state,
        challenges={"c1": replace(play.state.challenges["c1"], question="How heavy is it?")},
    )
    assert "Waiting for <@22> to answer the GM's question." in play.do(JoinIn, BO, as_="Moth").card().body


def view(**changes: Any) -> CheckView:
    """A team that threw its dice apart."""
    fields: dict[str, Any] = {
        "challenge": "c1",
        "revision": 4,
        "status": "settled",
        "visibility": "public",
        "character": "Pilgrim",
        "owner": "p2",
        "approach": "all at once",
        "traits": (Line("ebb-main-die-alone"),),
        "answer": "roll",
        "dice": (Die("main", 10, 7),),
        "terms": (Term(Line("ebb-term-main", {"throws": 1}), 7),),
        "total": 7,
        "verdict": Line("ebb-success"),
        "target": Line("ebb-number", {"value": 5}),
        "kind": "team",
        "helpers": (_apart("Moth", 9, "ebb-success"), _apart("Rook", 2, "ebb-failure")),
    }
    return CheckView(**{**fields, **changes})


def _apart(name: str, face: int, verdict: str) -> OtherSide:
    return OtherSide(
        name,
        "p3",
        True,
        traits=(Line("ebb-main-die-alone"),),
        dice=(Die("main", 10, face),),
        terms=(Term(Line("ebb-term-main", {"throws": 1}), face),),
        total=face,
        verdict=Line(verdict),
    )


def shown(told: CheckView, step: Any = "rolled") -> Card:
    event = ChallengeChanged(step=step, view=told, by="p2")
    return check_card(event, NAMES, table_id=7, gms=("p1",), gm_roles=(), seq=5)


def test_dice_thrown_apart_are_told_apart() -> None:
    told = shown(view()).body
    for line in (
        "**Pilgrim:** main d10: 7; Total: 7 against 5",
        "**Moth:** main d10: 9; Total: 9; Success",
        "**Rook:** main d10: 2; Total: 2; Clear failure",
    ):
        assert line in told, told
    bare = tuple(replace(each, dice=(), terms=(), total=None) for each in view().helpers)
    told = shown(view(dice=(), terms=(), total=None, helpers=bare)).body
    assert "**Moth:** Success" in told and "main d10" not in told


def test_many_helpers_with_much_to_say_still_fit() -> None:
    helpers = tuple(replace(_apart("Q" * 80, 5, "ebb-success"), approach="a" * 1000) for _ in range(20))
    for step, status in (("joined", "proposed"), ("rolled", "settled")):
        card = shown(view(helpers=helpers, status=status, approach="b" * 1000), step)
        require_limits(card)
        assert "and 20 others" in card.title


# --- contests -----------------------------------------------------------------------------------------------


def test_a_contest_has_words_of_its_own() -> None:
    play = Play().propose(kind="contest", target="Moth")
    card = play.card()
    assert card.title == "Pilgrim against Moth"
    assert "Both sides choose in secret" in card.body and "Way: direct." in card.body
    assert "we heave it aside" not in card.body
    play.do(Answer, GM, kind="roll")
    card = play.card()
    assert "**Waiting for the other side.** <@33> chooses what to set against it." in card.body
    assert card.call == "<@33>, Pilgrim against Moth, who has to choose what to set against it."
    assert labels(card) == ["Take it up", "React"]
    mine = challenge_moves(look(play.state), play.state.challenges["c1"], BO)
    assert [button.label for row in move_buttons(7, mine, "contest") for button in row] == ["Take it up…"]
    listed = laid("own", "Moves", *moves_pieces(scene(play.state), mine))
    assert "**Take it up**: choose what to set against it" in body(listed)
    assert "c1 · Pilgrim against Moth" in body(listed)
    play.do(Defend, BO, skill="Running", attribute="Fitness", approach="I dig my heels in")
    card = play.card()
    assert "**Both sides have chosen.** Waiting for <@22> to roll." in card.body
    assert card.call == "<@22>, the other side has chosen: roll when you are ready."
    card = play.do(Roll, ANA, 6, 3, 2, 1).card()
    assert "Moth:\n> I dig my heels in" in card.body
    assert "defend" not in card.body.casefold() and "attack" not in card.body.casefold()
    assert "**Moth:** " in card.body


def test_an_indirect_contest_tells_the_difficulty_to_both() -> None:
    play = Play().propose(kind="contest", target="Moth", tool="indirect")
    play.do(Answer, GM, kind="roll", difficulty="Easy")
    assert "**Waiting for the other side, both against Easy (4).**" in play.card().body


# --- the GM's answer ----------------------------------------------------------------------------------------


def answered(play: Play, **values: Any) -> Card:
    challenge = play.state.challenges["c1"]
    told = check_view(play.state, look(play.state), challenge, gm=True)
    blank: dict[str, Any] = {
        "difficulty": None,
        "options": [],
        "disallow": [],
        "modifier": 0,
        "against": 0,
        "hidden": False,
        "note": "",
    }
    return answer_card(
        7,
        "d",
        {**blank, **values},
        look(play.state),
        challenge,
        told,
        None,
        target=target_of(play.state, challenge),
    )


def test_justifications_have_a_button_each() -> None:
    play = Play().propose(kind="team")
    card = answered(play)
    assert "Accepted: Climbing, as justified" in labels(card)
    assert placeholders(card) == [
        "Difficulty before shifts",
        "What makes it easier or harder",
        "Traits that do not count",
    ], "the attribute may be refused too"
    require_limits(card)
    assert "Refused: Climbing, as justified" in labels(answered(play, disallow=["ability"]))
    alone = answered(Play().propose(attribute=None))
    assert "Traits that do not count" not in placeholders(alone), "the button is enough"
    assert [len(row) for row in alone.rows] == [1, 1, 1, 4, 4]


def test_whether_there_is_a_difficulty_is_the_systems_to_say() -> None:
    direct = answered(Play().propose(kind="contest", target="Moth"))
    assert "Difficulty before shifts" not in placeholders(direct)
    assert {"Modifiers…", "Let them roll"} <= set(labels(direct))
    indirect = answered(Play().propose(kind="contest", target="Moth", tool="indirect"))
    assert "Difficulty before shifts" in placeholders(indirect)
    assert {"Difficulty: open", "Number…"} <= set(labels(indirect))
    assert "Succeeds; roll how well" not in labels(indirect)
    assert [field.name for field in indirect.fields][:2] == ["Against", "Proposal"]
    assert any(field.name == "How" and "Way: indirect." in field.value for field in indirect.fields)
    fields = {"difficulty": None, "modifier": 0, "against": 2}
    modal = number_modal("d", fields, SYSTEM_WORDS["ebb"], kind="contest", opposed=True, measured=True)
    assert [each.label for each in modal.inputs] == [
        "Difficulty: a number or a level",
        "On the total of whoever begins",
        "On the total of the other side",
    ]


def test_the_gm_sees_who_joins_in() -> None:
    card = answered(Play().propose(kind="team").do(JoinIn, GM, as_="Warden"))
    assert ("Who joins in", "Warden") in [(field.name, field.value) for field in card.fields]


# --- what one may do ----------------------------------------------------------------------------------------


def test_joining_in_and_stepping_back_are_offered() -> None:
    play = Play().propose(kind="team").do(JoinIn, BO, as_="Moth").do(JoinIn, BO, as_="Rook")
    mine = moves(look(play.state), BO)
    card = laid("own", "Moves", *moves_pieces(scene(play.state), mine))
    assert "c1 · Pilgrim and 2 others: we heave it aside" in body(card)
    assert labels(card) == ["Join in · c1", "Step back: Moth · c1", "Step back: Rook · c1"]
    assert ids(card)[1:] == ["sg:do:7:c1:1:leave:k3", "sg:do:7:c1:1:leave:k4"]
    react = react_card(scene(play.state), replace(view(), status="proposed"), mine, "p3")
    assert labels(react) == ["Join in…", "Step back: Moth", "Step back: Rook"]


# --- timelines ----------------------------------------------------------------------------------------------


class Timeline(Play):
    """Pilgrim, Moth and a Warden of whom players know nothing, in phase 1."""

    def __init__(self) -> None:
        super().__init__()
        self.do(StartEncounter, GM).do(JoinEncounter, ANA).do(JoinEncounter, BO, as_="Moth")
        self.do(AddToEncounter, GM, name="Warden")

    def board(self) -> Layout:
        return board_card(board(self.state, BY["place"]), scene(self.state))

    def cards(self) -> list[Layout]:
        found = [event for event in self.events if isinstance(event, BoardChanged)]
        return [step_card(event, scene(self.state)) for event in found]


def test_the_board_of_a_timeline() -> None:
    play = Timeline()
    card = play.board()
    assert (title(card), labels(card)) == ("Order of action: gathering", ["Begin", "Join"])
    assert "can act" not in body(card) and "turn" not in body(card)
    play.do(NextTurn, GM)
    card = play.board()
    assert (title(card), labels(card)) == ("Phase 1: Pilgrim can act", ["Nothing for now", "Join"])
    assert "▸ **Pilgrim**: can act now" in body(card)
    assert "Moth: can act in this phase too" in body(card)
    assert "presses Nothing for now. Use `/begin`." in small(card)
    play.do(Undertake, ANA, phases=6, doing="draws *the* bow").do(NextTurn, BO)
    play.do(Undertake, GM, phases=2, doing="whispers", as_="Warden")
    card = play.board()
    assert title(card) == "Phase 3: Somebody can act"
    assert "▸ **Somebody**: can act now" in body(card) and "whispers" not in body(card)
    assert "Pilgrim: busy until phase 7, draws \\*the\\* bow" in body(card)
    assert "Moth: does nothing" in body(card)
    assert "`/initiative delay` and `back`" in small(card)
    play.do(NextTurn, GM)
    assert "▸ **Pilgrim**: done now, draws \\*the\\* bow" in body(play.board())
    play.do(NextTurn, ANA)
    card = play.board()
    assert labels(card) == ["Join"]
    assert "Nobody does anything now. Use `/begin`." in small(card)


def test_the_words_of_a_timelines_steps() -> None:
    play = Timeline().do(NextTurn, GM)
    assert [card.call for card in play.cards()] == ["<@22> **Phase 1: Pilgrim can act**\nUse `/begin`."]
    play.do(Undertake, ANA, phases=6, doing="draws *the* bow")
    begun, call = play.cards()
    assert (title(begun), body(begun)) == ("Pilgrim begins: draws \\*the\\* bow", "That takes 6 phases.")
    assert (call.call, call.mentions) == ("<@33> **Phase 1: Moth can act**\nUse `/begin`.", (33,))
    play.do(DelayTurn, BO)
    assert title(play.cards()[0]) == "Moth does nothing for now"
    play.do(NextTurn, GM)
    (call,) = play.cards()
    assert "**Phase 7: Pilgrim is done: draws \\*the\\* bow**" in call.call
    (event,) = [each for each in play.events if isinstance(each, BoardChanged)]
    reminded = step_card(replace(event, step="reminded"), scene(play.state))
    assert "**Phase 7: still waiting for Pilgrim**" in reminded.call
    play.do(DelayTurn, BO, back=True)
    assert title(play.cards()[0]) == "Moth can act now"
    play.do(OrderEncounter, GM, order=("Moth",))
    assert body(play.cards()[0]) == "It decides between those who are done in the same phase."


def test_what_waits_on_a_timeline_is_listed() -> None:
    play = Timeline().do(NextTurn, GM)
    listed = todo_card(scene(play.state), (), who=ANA, place=BY["place"], gm=False)
    assert "Pilgrim can act. Use `/begin`. Or press Nothing for now." in body(listed)
    assert labels(listed) == ["Nothing for now · Pilgrim"]
    assert any("phase 1, Pilgrim acts" in line for line in now_lines(play.state, gm=False))
    for who in (ANA, BO, GM):
        play.do(NextTurn, who)
    assert any("phase 1, nobody does anything" in line for line in now_lines(play.state, gm=False))


def test_a_crowd_that_does_much_fits_on_the_board() -> None:
    play = Timeline()
    for number in range(47):
        play.do(AddToEncounter, GM, name=f"{number} {'Q' * 70}")
    play.do(NextTurn, GM)
    for number in range(47):
        play.do(Undertake, GM, phases=90 + number, doing="w" * 80, as_=f"{number} {'Q' * 70}")
    assert len(to_messages(play.board())) == 1


def test_a_systems_own_actions_have_words_in_the_journal() -> None:
    class Entry:
        seq, at, actor, kind = 4, 0, "p2", "Undertake"

    assert entry_texts([Entry()], NAMES) == ["#4 · Ana did something"]
