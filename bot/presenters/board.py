"""The order of action: the board that everybody sees, and what is said of its steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bot.presenters.controls import Button
from bot.presenters.layout import Gap, Layout, Rule, Small, laid, without_controls
from bot.presenters.limits import BODY, HEAD, clip, size
from bot.presenters.names import Called, gm_mentions, people_mentions
from bot.presenters.scene import Scene
from bot.presenters.systems import SYSTEM_WORDS
from bot.presenters.text import name_text, user_text
from bot.presenters.words import say
from rules.table.events import BoardChanged
from rules.table.turns.encounters import Board, BoardLine

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
_OPENING: Final = "The round is about to begin: nobody acts before what is asked now has been answered."
_WAITING: Final = "Whoever waits acts with `/initiative delay` and `back`."
#: How much of each name is shown, the longest that fits for all.
_LENGTHS: Final = (80, 40, 20, 12)
#: The same on a timeline, where it is also told what everybody does.
_PHASES_GATHERING: Final = (
    "Players press Join or use `/initiative join`; a GM adds others with `/initiative add`, "
    "and lets phase 1 begin with Begin."
)
_DONE: Final = "Whoever is done begins something new, or presses Nothing for now."
_NOBODY: Final = "Nobody does anything now."
_IDLE: Final = (
    "Whoever does nothing can begin something at any time, or take their moment with "
    "`/initiative delay` and `back`."
)


def board_id(table_id: int, place: str) -> str:
    """What the ids of all buttons under the board of a place begin with."""
    return f"sg:board:{table_id}:{place}:"


def _name(name: str | None, most: int = 80) -> str:
    return name_text(name, most) if name else SOMEBODY


def _line(line: BoardLine, most: int) -> str:
    score = "" if line.score is None else f" ({line.score})"
    name = _name(line.name, most)
    if line.acts:
        return f"▸ **{name}**{score}: acts now"
    return f"{name}{score}: waits" if line.waits else f"{name}{score}"


def _phase_line(line: BoardLine, most: int, phase: int) -> str:
    """`Vesna: busy until phase 9, draws the bow`."""
    name = _name(line.name, most)
    doing = f", {user_text(clip(line.doing, most))}" if line.doing else ""
    if line.acts:
        return f"▸ **{name}**: {'done' if doing else 'can act'} now{doing}"
    if line.waits:
        return f"{name}: does nothing"
    if (line.ends or 0) > max(phase, 1):
        return f"{name}: busy until phase {line.ends}{doing}"
    also = f": {'done' if doing else 'can act'} in this phase too{doing}" if phase else ""
    return f"{name}{also}"


def _lines(shown: Board) -> list[str]:
    found: list[str] = []
    for most in _LENGTHS:
        if shown.timeline:
            found = [_phase_line(line, most, shown.round) for line in shown.lines]
        else:
            found = [_line(line, most) for line in shown.lines]
        if sum(size(line) + 1 for line in found) <= BODY - 900:
            break
    return found or ["Nobody is here yet."]


def hint(scene: Scene) -> str:
    """How somebody at this table begins something on a timeline, in its system's words."""
    words = SYSTEM_WORDS.get(scene.state.settings.system)
    return "" if words is None else words.timeline_hint


def board_card(shown: Board | None, scene: Scene) -> Layout:
    """The message that shows the order; None stands for one that has ended."""
    if shown is None:
        return laid("waiting", "Order of action: over", _OVER)
    head, told, buttons = _phases(shown, scene) if shown.timeline else _rounds(shown)
    small = [Small(text) for text in told if text]
    start = f"{board_id(scene.table_id, shown.place)}{shown.round}:{shown.turn}"
    row = tuple([Button(f"{start}:{key}", label) for key, label in buttons])
    return laid("open", head, Rule(), *_lines(shown), Gap(), *small, rows=(row,))


def _rounds(shown: Board) -> tuple[str, list[str], list[tuple[str, str]]]:
    """Heading, small print and buttons where one acts after the other."""
    acting = next((line for line in shown.lines if line.acts), None)
    told = [
        _HOUSE if shown.house else "",
        _OPENING if shown.opening else _ACTING if shown.round else _GATHERING,
    ]
    if any(line.waits for line in shown.lines):
        told.append(_WAITING)
    buttons = [("next", "Next"), ("join", "Join")]
    if not shown.round:
        return "Order of action: gathering", told, buttons
    head = f"Round {shown.round}"
    if acting is not None:
        head += f": {_name(acting.name)}'s turn"
    return head, told, buttons if shown.opening else [*buttons, ("delay", "Delay")]


def _phases(shown: Board, scene: Scene) -> tuple[str, list[str], list[tuple[str, str]]]:
    """The same where time runs in phases: whoever is done first with what they do stands first."""
    acting = next((line for line in shown.lines if line.acts), None)
    join = ("join", "Join")
    if not shown.round:
        return "Order of action: gathering", [_PHASES_GATHERING], [("next", "Begin"), join]
    told = [" ".join(text for text in (_DONE if acting else _NOBODY, hint(scene)) if text)]
    if any(line.waits for line in shown.lines):
        told.append(_IDLE)
    if acting is None:
        return f"Phase {shown.round}", told, [join]
    head = f"Phase {shown.round}: {_name(acting.name)} {'is done' if acting.doing else 'can act'}"
    return head, told, [("next", "Nothing for now"), join]


def private_board_card(shown: Board, scene: Scene) -> Layout:
    """The order as one person may see it, without buttons: those belong to the board itself."""
    return replace(without_controls(board_card(shown, scene)), accent="own")


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
    "passed": ("Round {round}: this happens by itself", ""),
}


#: What is said otherwise on a timeline.
_PHASE_STEPS: Final[dict[str, tuple[str, str]]] = {
    "started": (
        "The order of action is kept here",
        "The board is below. Time runs in phases, and whoever is done first acts first. Players press Join; "
        "`/initiative add` brings in others, and Begin lets phase 1 begin.",
    ),
    "ordered": ("The order is set", "It decides between those who are done in the same phase."),
    "delayed": (
        "{name} does nothing for now",
        "They can begin something at any time, or take their moment with `/initiative delay` and `back`.",
    ),
    "returned": ("{name} can act now", ""),
    "passed": ("Phase {round}: this happens by itself", ""),
}


def step_card(event: BoardChanged, scene: Scene) -> Layout:
    """What somebody did to the order, or the call for whoever's turn it is."""
    if event.step in ("turn", "reminded"):
        return _turn_call(event, scene)
    if event.step == "begun":
        return _begun_card(event)
    title, text = _PHASE_STEPS.get(event.step, _STEPS[event.step]) if event.timeline else _STEPS[event.step]
    lines = [text] if text else []
    lines += [f"- {say(line)}" if len(event.lines) > 1 else say(line) for line in event.lines]
    if event.step == "added" and len(event.lines) > 1:
        title = "{name}: all of them take part"
    return laid("waiting", title.format(name=_name(event.name), round=event.round), *lines)


def _begun_card(event: BoardChanged) -> Layout:
    """What somebody does from now on, and how long it takes in the system's words."""
    doing = f": {user_text(event.doing)}" if event.doing else ""
    return laid("waiting", f"{_name(event.name)} begins{doing or ' something'}", *map(say, event.lines))


def _turn_call(event: BoardChanged, scene: Scene) -> Layout:
    """An ordinary message, since the notification of a card is empty: whose turn it is, and where."""
    settings = scene.state.settings
    called = Called("")
    if event.ping:
        called = people_mentions(scene.names, event.ping)
    elif event.ping_gms:
        called = gm_mentions(scene.names, settings.gms, settings.gm_roles)
    name = _name(event.name)
    told = f"Round {event.round}: {f'{name} acts' if event.step == 'turn' else f'still the turn of {name}'}"
    more = ""
    if event.timeline:
        done = f"{name} is done: {user_text(event.doing)}" if event.doing else f"{name} can act"
        if event.step == "reminded":
            done = f"still waiting for {name}"
        told, more = f"Phase {event.round}: {done}", hint(scene)
    said = f"{called.text} **{clip(told, HEAD)}**\n{more}".strip()
    return Layout("open", (), call=said, mentions=called.users, role_mentions=called.roles)
