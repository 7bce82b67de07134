"""The order of action: the board that everybody sees, and what is said of its steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bot.presenters.card import Button, Card
from bot.presenters.limits import BODY, EMBED_TITLE, clip, size
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


def _line(number: int, line: BoardLine, most: int) -> str:
    score = "" if line.score is None else f" ({line.score})"
    name = f"{_name(line.name, most)}{score}"
    if line.acts:
        return f"> **{number}. {name}**: acts now"
    # A bare number and a dot would begin a list, which some clients number anew behind a quotation.
    return f"{number}\\. {name}: waits" if line.waits else f"{number}\\. {name}"


def _phase_line(number: int, line: BoardLine, most: int, phase: int) -> str:
    """`2\\. Vesna: busy until phase 9, draws the bow`."""
    name = _name(line.name, most)
    doing = f", {user_text(clip(line.doing, most))}" if line.doing else ""
    if line.acts:
        return f"> **{number}. {name}**: {'done' if doing else 'can act'} now{doing}"
    if line.waits:
        return f"{number}\\. {name}: does nothing"
    if (line.ends or 0) > max(phase, 1):
        return f"{number}\\. {name}: busy until phase {line.ends}{doing}"
    also = f": {'done' if doing else 'can act'} in this phase too{doing}" if phase else ""
    return f"{number}\\. {name}{also}"


def _lines(shown: Board) -> str:
    if shown.timeline:
        texts = [
            "\n".join(
                _phase_line(number, line, most, shown.round) for number, line in enumerate(shown.lines, 1)
            )
            for most in _LENGTHS
        ]
    else:
        texts = [
            "\n".join(_line(number, line, most) for number, line in enumerate(shown.lines, 1))
            for most in _LENGTHS
        ]
    return next((text for text in texts if size(text) <= BODY - 600), texts[-1])


def _round(number: int, *, timeline: bool = False) -> str:
    return f"{'phase' if timeline else 'round'} {number}" if number else "gathering"


def hint(scene: Scene) -> str:
    """How somebody at this table begins something on a timeline, in its system's words."""
    words = SYSTEM_WORDS.get(scene.state.settings.system)
    return "" if words is None else words.timeline_hint


def board_card(shown: Board | None, scene: Scene) -> Card:
    """The message that shows the order; None stands for one that has ended."""
    if shown is None:
        return Card("Order of action: over", _OVER)
    if shown.timeline:
        return _timeline_card(shown, scene)
    parts = [_lines(shown) or "Nobody is here yet."]
    if shown.house:
        parts.append(_HOUSE)
    parts.append(_OPENING if shown.opening else _ACTING if shown.round else _GATHERING)
    if any(line.waits for line in shown.lines):
        parts.append(_WAITING)
    start = f"{board_id(scene.table_id, shown.place)}{shown.round}:{shown.turn}"
    buttons = [Button(f"{start}:next", "Next", "primary"), Button(f"{start}:join", "Join", "success")]
    if shown.round and not shown.opening:
        buttons.append(Button(f"{start}:delay", "Delay"))
    return Card(f"Order of action: {_round(shown.round)}", "\n\n".join(parts), rows=(tuple(buttons),))


def _timeline_card(shown: Board, scene: Scene) -> Card:
    """The same where time runs in phases: whoever is done first with what they do stands first."""
    parts = [_lines(shown) or "Nobody is here yet."]
    acting = any(line.acts for line in shown.lines)
    start = f"{board_id(scene.table_id, shown.place)}{shown.round}:{shown.turn}"
    join = Button(f"{start}:join", "Join", "success")
    buttons = [join]
    if not shown.round:
        parts.append(_PHASES_GATHERING)
        buttons = [Button(f"{start}:next", "Begin", "primary"), join]
    else:
        parts.append(" ".join(text for text in (_DONE if acting else _NOBODY, hint(scene)) if text))
        if acting:
            buttons = [Button(f"{start}:next", "Nothing for now", "primary"), join]
        if any(line.waits for line in shown.lines):
            parts.append(_IDLE)
    title = f"Order of action: {_round(shown.round, timeline=True)}"
    return Card(title, "\n\n".join(parts), rows=(tuple(buttons),))


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


def step_card(event: BoardChanged, scene: Scene) -> Card:
    """What somebody did to the order, or the call for whoever's turn it is."""
    if event.step in ("turn", "reminded"):
        return _turn_card(event, scene)
    if event.step == "begun":
        return _begun_card(event)
    title, text = _PHASE_STEPS.get(event.step, _STEPS[event.step]) if event.timeline else _STEPS[event.step]
    lines = [text] if text else []
    lines += [f"- {say(line)}" if len(event.lines) > 1 else say(line) for line in event.lines]
    if event.step == "added" and len(event.lines) > 1:
        title = "{name}: all of them take part"
    return Card(title.format(name=_name(event.name), round=event.round), "\n".join(lines))


def _begun_card(event: BoardChanged) -> Card:
    """What somebody does from now on, and how long it takes in the system's words."""
    doing = f": {user_text(event.doing)}" if event.doing else ""
    return Card(f"{_name(event.name)} begins{doing or ' something'}", "\n".join(map(say, event.lines)))


def _turn_card(event: BoardChanged, scene: Scene) -> Card:
    settings = scene.state.settings
    called = Called("")
    if event.ping:
        called = people_mentions(scene.names, event.ping)
    elif event.ping_gms:
        called = gm_mentions(scene.names, settings.gms, settings.gm_roles)
    name = _name(event.name)
    title = f"Round {event.round}: {f'{name} acts' if event.step == 'turn' else f'still the turn of {name}'}"
    body = ""
    if event.timeline:
        done = f"{name} is done: {user_text(event.doing)}" if event.doing else f"{name} can act"
        if event.step == "reminded":
            done = f"still waiting for {name}"
        title, body = f"Phase {event.round}: {done}", hint(scene)
    return Card(
        clip(title, EMBED_TITLE - 30),
        body,
        call=called.text,
        mentions=called.users,
        role_mentions=called.roles,
    )
