"""The order of action: the board that everybody sees, and what is said of its steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bot.presenters.cards import card
from bot.presenters.controls import Button
from bot.presenters.layout import Layout, Rule, without_controls
from bot.presenters.limits import BODY, HEAD, clip, size
from bot.presenters.names import called_by
from bot.presenters.scene import Scene
from bot.presenters.systems import SYSTEM_WORDS
from bot.presenters.text import SOMEBODY, Marked, name_text, user_text
from bot.presenters.words import phrase, say
from rules.table.events import BoardChanged
from rules.table.turns.encounters import Board, BoardLine

#: How much of each name is shown, the longest that fits for all.
_LENGTHS: Final = (80, 40, 20, 12)


def board_id(table_id: int, place: str) -> str:
    """What the ids of all buttons under the board of a place begin with."""
    return f"sg:board:{table_id}:{place}:"


def _name(name: str | None, most: int = 80) -> str:
    return name_text(name, most) if name else SOMEBODY


def _line(line: BoardLine, shown: Board, most: int) -> str:
    """`Vesna: busy until phase 9, draws the bow`."""
    return phrase(
        "board-line",
        about=line,
        who=Marked(_name(line.name, most)),
        score=None if line.score is None else Marked(line.score),
        doing=Marked(user_text(clip(line.doing, most))),
        timeline=shown.timeline,
        round=shown.round,
        later=(line.ends or 0) > max(shown.round, 1),
    )


def _lines(shown: Board) -> list[str]:
    found: list[str] = []
    for most in _LENGTHS:
        found = [_line(line, shown, most) for line in shown.lines]
        if sum(size(line) + 1 for line in found) <= BODY - 900:
            break
    return found or ["Nobody is here yet."]


def hint(scene: Scene) -> Marked:
    """How somebody at this table begins something on a timeline, in its system's words."""
    words = SYSTEM_WORDS.get(scene.state.settings.system)
    return Marked("" if words is None else words.timeline_hint)


def board_card(shown: Board | None, scene: Scene) -> Layout:
    """The message that shows the order; None stands for one that has ended."""
    if shown is None:
        return card("waiting", "board-over", None)
    acting = next((line for line in shown.lines if line.acts), None)
    row = tuple(
        [
            Button(f"{board_id(scene.table_id, shown.place)}{shown.round}:{shown.turn}:{key}", label)
            for key, label in _buttons(shown, acting)
        ]
    )
    return card(
        "open",
        "board-phases" if shown.timeline else "board-rounds",
        None,
        Rule(),
        *_lines(shown),
        about=shown,
        rows=(row,),
        acting=None if acting is None else Marked(_name(acting.name)),
        doing=acting is not None and bool(acting.doing),
        waits=any(line.waits for line in shown.lines),
        hint=hint(scene),
        lines=None,
    )


def _buttons(shown: Board, acting: BoardLine | None) -> list[tuple[str, str]]:
    """What can be pressed below: on a timeline whoever is done first with what they do stands first."""
    join = ("join", "Join")
    if shown.timeline:
        if shown.round:
            return [join] if acting is None else [("next", "Nothing for now"), join]
        return [("next", "Begin"), join]
    return [("next", "Next"), join, *([("delay", "Delay")] if shown.round and not shown.opening else [])]


def private_board_card(shown: Board, scene: Scene) -> Layout:
    """The order as one person may see it, without buttons: those belong to the board itself."""
    return replace(without_controls(board_card(shown, scene)), accent="own")


# --- steps --------------------------------------------------------------------------------------------------


def step_card(event: BoardChanged, scene: Scene) -> Layout:
    """What somebody did to the order, or the call for whoever's turn it is."""
    if event.step in ("turn", "reminded"):
        return _turn_call(event, scene)
    bullet = "- " if len(event.lines) > 1 and event.step != "begun" else ""
    lines = [f"{bullet}{say(line)}" for line in event.lines]
    return card("waiting", f"board-{event.step}", None, *lines, about=event)


def _turn_call(event: BoardChanged, scene: Scene) -> Layout:
    """An ordinary message, since the notification of a card is empty: whose turn it is, and where."""
    called = called_by(event, scene)
    told, more = phrase("board-turn", about=event), hint(scene) if event.timeline else ""
    said = f"{called.text} **{clip(told, HEAD)}**\n{more}".strip()
    return Layout("open", (), call=said, mentions=called.users, role_mentions=called.roles)
