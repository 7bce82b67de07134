"""What waits for somebody besides checks: their turn, and new characters who are to be let in or mended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.presenters.board import board_id, hint
from bot.presenters.controls import Button
from bot.presenters.layout import Beside, Body, Gap, Layout, Piece, laid
from bot.presenters.limits import BUTTON_LABEL, ROW_BUTTONS, clip
from bot.presenters.npc import bare_name, shown_name
from bot.presenters.scene import Scene
from bot.presenters.table import place_text
from bot.presenters.text import bare_text, moment_text, name_text
from rules.table.actions import Actor
from rules.table.people.characters import waiting
from rules.table.permissions import owns
from rules.table.state import Slot, TableState
from rules.table.turns.order import acting, encounter_in, turn_number

_TITLE: Final = "What you can do now"
#: What stands at the right of lines takes one row where there is nothing but text.
_BESIDE: Final = ROW_BUTTONS


def todo_card(
    scene: Scene, checks: Sequence[tuple[str, Button]], *, who: Actor, place: str, gm: bool
) -> Layout:
    """Everything somebody may do now, for /moves: about `checks` first."""
    found = [*checks, *_turns(scene, who, place, gm=gm), *_newcomers(scene, who, gm=gm)]
    if not found:
        return laid("own", _TITLE, "Nothing waits for you. `/check` proposes something new.")
    pieces: list[Piece] = []
    beside = _BESIDE
    for text, button in found:
        pieces += [Gap(), Body(text)] if button is None or not beside else [Beside(text, button)]
        beside -= button is not None and beside > 0
    return laid("gm" if gm else "own", _TITLE, *pieces)


def _turns(scene: Scene, who: Actor, here: str, *, gm: bool) -> list[tuple[str, Button | None]]:
    """The places where it is the turn of one of theirs; for a GM also of what belongs to nobody."""
    found: list[tuple[str, Button | None]] = []
    for place in scene.state.encounters:
        encounter = encounter_in(scene.state, place)
        slot = acting(encounter)
        if encounter is None or slot is None:
            continue
        character = None if slot.character is None else scene.state.characters[slot.character]
        theirs = gm if character is None else owns(scene.state, who, character)
        if not theirs:
            continue
        bare = bare_text(slot.name) if character is None else bare_name(character, gm=gm)
        where = "" if place == here else f" in {place_text(place)}"
        label = "Nothing for now" if encounter.timeline else "Next"
        button = Button(
            f"{board_id(scene.table_id, place)}{encounter.round}:{turn_number(encounter)}:next",
            clip(f"{label} · {bare}", BUTTON_LABEL),
            "primary",
        )
        name = _who(scene.state, slot, gm=gm)
        line = f"It is the turn of {name}{where}. Press Next when that is done, or use `/initiative delay`."
        if encounter.timeline:
            begins = hint(scene) or "Begin something."
            line = f"{name} can act{where}. {begins} Or press Nothing for now."
        found.append((line, button if place == here else None))
    return found


def _newcomers(scene: Scene, who: Actor, *, gm: bool) -> list[tuple[str, Button | None]]:
    """For a GM those who would like to join, for a player their own who wait or came back."""
    found: list[tuple[str, Button | None]] = []
    for each in waiting(scene.state):
        name = name_text(each.name)
        if gm and not each.sent_back:
            button = Button(
                f"sg:appr:{scene.table_id}:{each.id}:show",
                clip(f"Look at {bare_text(each.name)}", BUTTON_LABEL),
                "primary",
            )
            found.append(
                (f"{name} would like to join: look at the sheet, then approve or send it back.", button)
            )
        elif each.owner == who.id and each.sent_back:
            found.append((f"{name} was sent back: mend it with `/character edit` and send it again.", None))
        elif each.owner == who.id:
            found.append((f"{name} waits for a GM. `/character edit` changes the sheet meanwhile.", None))
    return found


def now_lines(state: TableState, *, gm: bool) -> list[str]:
    """Where the story stands, for /table show: session and time, and whose turn it is where order is kept."""
    clock = state.clock
    session = f"session {clock.session}" if clock.playing else "no session is on"
    lines = [f"- {moment_text(clock.time)}; {session}"]
    for place in state.encounters:
        slot = acting(encounter := encounter_in(state, place))
        if encounter is None:
            continue
        what = "players may join"
        if slot is not None:
            time = "phase" if encounter.timeline else "round"
            what = f"{time} {encounter.round}, {_who(state, slot, gm=gm)} acts"
        elif encounter.timeline and encounter.round:
            what = f"phase {encounter.round}, nobody does anything"
        lines.append(f"- Order of action in {place_text(place)}: {what}")
    return lines


def _who(state: TableState, slot: Slot, *, gm: bool) -> str:
    """Whoever stands there in the order, as GMs or as players know them."""
    if slot.character is None:
        return name_text(slot.name)
    return shown_name(state.characters[slot.character], gm=gm)
