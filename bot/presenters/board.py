"""The order of action: the board that everybody sees, and what is said of its steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bot.presenters.card import Button, Card
from bot.presenters.limits import BODY, size
from bot.presenters.names import Called, gm_mentions, people_mentions
from bot.presenters.scene import Scene
from bot.presenters.text import name_text
from bot.presenters.words import say
from rules.table.encounters import Board, BoardLine
from rules.table.events import BoardChanged

SOMEBODY: Final = "Somebody"
_HOUSE: Final = (
    "House rule: order rolled. That is an aid of Storyguide, not of the rules; a GM may change the order."
)
_OVER: Final = "Nobody waits for their turn any more. A GM begins anew with `/initiative start`."
_GATHERING: Final = (
    "Players press Join or use `/initiative join`; a GM adds others with `/initiative add`, "
    "and begins the first round with Next."
)
_ACTING: Final = "Whose turn it is presses Next when they have acted, or Delay to wait for their moment."
_WAITING: Final = "Whoever waits acts with `/initiative delay` and `back`."
#: How much of each name is shown, the longest that fits for all.
_LENGTHS: Final = (80, 40, 20, 12)


def board_id(table_id: int, place: str) -> str:
    """What the ids of all buttons under the board of a place begin with."""
    return f"sg:board:{table_id}:{place}:"


def _name(name: str | None, most: int = 80) -> str:
    return name_text(name, most) if name else SOMEBODY


def _line(number: int, line: BoardLine, most: int) -> str:
    score = "" if line.score is None else f" ({line.score})"
    name = f"{_name(line.name, most)}{score}"
    if line.acts:
        return f"> **{number}. {name}**: acts now"
    # A bare number and a dot would begin a list, which some clients number anew behind a quotation.
    return f"{number}\\. {name}: waits" if line.waits else f"{number}\\. {name}"


def _lines(shown: Board) -> str:
    texts = [
        "\n".join(_line(number, line, most) for number, line in enumerate(shown.lines, 1))
        for most in _LENGTHS
    ]
    return next((text for text in texts if size(text) <= BODY - 600), texts[-1])


def _round(number: int) -> str:
    return f"round {number}" if number else "gathering"


def board_card(shown: Board | None, scene: Scene) -> Card:
    """The message that shows the order; None stands for one that has ended."""
    if shown is None:
        return Card("Order of action: over", _OVER)
    parts = [_lines(shown) or "Nobody is here yet."]
    if shown.house:
        parts.append(_HOUSE)
    parts.append(_ACTING if shown.round else _GATHERING)
    if any(line.waits for line in shown.lines):
        parts.append(_WAITING)
    start = f"{board_id(scene.table_id, shown.place)}{shown.round}:{shown.turn}"
    buttons = [Button(f"{start}:next", "Next", "primary"), Button(f"{start}:join", "Join", "success")]
    if shown.round:
        buttons.append(Button(f"{start}:delay", "Delay"))
    return Card(f"Order of action: {_round(shown.round)}", "\n\n".join(parts), rows=(tuple(buttons),))


def private_board_card(shown: Board, scene: Scene) -> Card:
    """The order as one person may see it, without buttons: those belong to the board itself."""
    return replace(board_card(shown, scene), rows=())


# --- steps --------------------------------------------------------------------------------------------------

_STEPS: Final[dict[str, tuple[str, str]]] = {
    "started": (
        "The order of action is kept here",
        "The board is below. Players press Join; `/initiative add` brings in others, `/initiative order` sets "
        "the order, and Next begins the first round.",
    ),
    "joined": ("{name} takes part", ""),
    "added": ("{name} takes part", ""),
    "ordered": ("The order is set", "The board shows it."),
    "delayed": (
        "{name} waits",
        "`/initiative delay` with `back` brings them back, just before whoever acts then.",
    ),
    "returned": ("{name} acts now", "Whoever was about to act comes right after."),
    "removed": ("{name} is out of the order", ""),
    "ended": ("The order of action is over", "The board says so."),
}


def step_card(event: BoardChanged, scene: Scene) -> Card:
    """What somebody did to the order, or the call for whoever's turn it is."""
    if event.step in ("turn", "reminded"):
        return _turn_card(event, scene)
    title, text = _STEPS[event.step]
    lines = [text] if text else []
    lines += [f"- {say(line)}" if len(event.lines) > 1 else say(line) for line in event.lines]
    if event.step == "added" and len(event.lines) > 1:
        title = "{name}: all of them take part"
    return Card(title.format(name=_name(event.name)), "\n".join(lines))


def _turn_card(event: BoardChanged, scene: Scene) -> Card:
    settings = scene.state.settings
    called = Called("")
    if event.ping:
        called = people_mentions(scene.names, event.ping)
    elif event.ping_gms:
        called = gm_mentions(scene.names, settings.gms, settings.gm_roles)
    name = _name(event.name)
    return Card(
        f"Round {event.round}: {f'{name} acts' if event.step == 'turn' else f'still the turn of {name}'}",
        call=called.text,
        mentions=called.users,
        role_mentions=called.roles,
    )
