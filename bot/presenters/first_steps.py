"""The guide of a new table: its first steps, and the calls that invite players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.presenters.catalog_cards import card
from bot.presenters.controls import CREATE_LABEL, TRY_LABEL, Button, Style
from bot.presenters.language.text import Markdown, some_names, unescape
from bot.presenters.language.words import label_text, phrase
from bot.presenters.layout import Layout
from bot.presenters.scene import Scene
from rules.table.state import TableState

#: First steps of a GM at a new table, with the labels of their buttons.
FIRST_STEPS: Mapping[str, str] = {
    "channel": label_text("settings-gm-channel"),
    "players": label_text("first-step-players"),
    "character": label_text("first-step-character"),
    "check": label_text("first-step-check"),
}
#: Steps that call the players in the channel, with the labels of the buttons there.
STEP_CALL_LABELS: Mapping[str, str] = {"players": CREATE_LABEL, "check": TRY_LABEL}
#: Most players, and most characters, that the guide names.
_MAX_NAMES: Final = 10


def done_first_steps(state: TableState, noted: frozenset[str]) -> frozenset[str]:
    """Return the first steps that are done; `noted` are those that the table doesn't show.

    `played` says that the first check is over, which changes the text of the last step.
    """
    owners = {
        character.owner for character in state.characters.values() if character.owner is not None
    }
    has_begun = state.counters.begun > 0
    has_open_check = any(check.is_open for check in state.checks.values())
    steps = {
        "channel": state.settings.gm_place is not None or "channel" in noted,
        "players": "players" in noted or bool(owners - set(state.settings.gms)),
        "character": bool(owners),
        "check": has_begun,
        "played": has_begun and not has_open_check,
    }
    return frozenset(key for key, done in steps.items() if done)


def first_steps_card(scene: Scene, done: frozenset[str]) -> Layout:
    """Return the guide after /setup: each step with its button; the next one stands out."""
    state = scene.state
    owned = [character for character in state.characters.values() if character.owner is not None]
    characters = [character.name for character in owned]
    owners = dict.fromkeys(character.owner or "" for character in owned)
    players = [owner for owner in owners if owner not in state.settings.gms]
    player_names = [unescape(scene.names.name(player)) for player in players]
    about = {
        "place": state.settings.gm_place,
        "players": Markdown(some_names(player_names, _MAX_NAMES)),
        "characters": Markdown(some_names(characters, _MAX_NAMES)),
        "played": "played" in done,
    }
    following = next((key for key in FIRST_STEPS if key not in done), None)
    lines: list[str] = []
    buttons: list[Button] = []
    for key, label in FIRST_STEPS.items():
        # In words too: plain text leaves signs out.
        style: Style = "secondary"
        if key in done:
            mark = "✓ Done:"
        elif key == following:
            mark, style = "→ Next:", "primary"
        else:
            mark = "· Later:"
        lines.append(f"{mark} {phrase(f'first-{key}', scene.names, done=key in done, **about)}")
        buttons.append(Button(f"sg:first:{scene.table_id}:{key}", label, style))
    return card(
        "gm",
        "first-steps",
        None,
        *lines,
        rows=(tuple(buttons),),
        about=state.settings,
        ready=following is None,
    )


def step_call_card(step: str, scene: Scene) -> Layout:
    """Return the call to the players in the channel, with the button of the step."""
    button = Button(f"sg:join:{scene.table_id}:{step}", STEP_CALL_LABELS[step], "primary")
    return card("waiting", f"wanted-{step}", None, rows=((button,),), about=scene.state.settings)


def invited_card(table_id: int) -> Layout:
    """Return the answer that the players are invited already, with a button to invite again."""
    again = Button(f"sg:first:{table_id}:players:again", label_text("first-step-again"))
    return card("gm", "invited", None, rows=((again,),))
