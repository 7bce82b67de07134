"""Conversion of Life Points into skill points (MB-SKILL-IMP-01)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.core.errors import Impossible
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.formulas.gm_rules import LIFE_POINT_WORTH
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, Note, Text
from rules.table.check import Values
from rules.table.commands import NAME_MAX, CommandResult, PendingButton, known_character_options
from rules.table.deeds import Deed
from rules.table.forms.fields import Number, Typed
from rules.table.forms.form import Form
from rules.table.outcome import Outcome
from rules.table.people.characters import find_own, growable_characters
from rules.table.reports import report_outcome
from rules.table.system import Game


def convert_life_points(
    life_points: int, skill_points: int, points: int, surplus: int = 0
) -> tuple[int, int]:
    """Return Life Points and skill points after a conversion (MB-SKILL-IMP-01).

    *surplus* are the Life Points above the most. What is left of them counts among the Life Points
    that are returned.

    Raises Impossible("mb-too-few-life-points").
    """
    if not 0 < points <= life_points + surplus:
        raise Impossible(
            "mb-too-few-life-points", value=points, left=life_points, surplus=surplus or None
        )
    return life_points + surplus - points, skill_points + LIFE_POINT_WORTH * points


class Convert(Action, kw_only=True):
    """Convert Life Points of a character into skill points."""

    points: int
    #: Name of the character; empty for the main character.
    as_: str = ""

    @property
    def offers_take_back(self) -> bool:
        return True


def convert(game: Game, action: Convert) -> Outcome:
    """Convert Life Points of a character: a player's own, for a GM any (MB-SKILL-IMP-01).

    Raises as `find_own` and `convert_life_points`.
    """
    own = growable_characters(game.state, action.who)
    character = find_own(game.state, action.who, action.as_ or None, own)
    sheet: MasterbookSheet = character.sheet
    life_points, skill_points = convert_life_points(
        sheet.life_points, sheet.skill_points, action.points, sheet.surplus
    )
    # The surplus goes first, as it would be lost (MB-GM-06).
    surplus = max(0, sheet.surplus - action.points)
    life_points -= surplus
    shown = {
        "name": character.name,
        "points": action.points,
        "left": life_points,
        "surplus": surplus or None,
        "now": skill_points,
    }
    changed = sheet.replace(life_points=life_points, surplus=surplus, skill_points=skill_points)
    title = Text("mb-converts", {"name": character.name})
    note = Note(Text("mb-converted", shown), FOR_EVERYONE)
    return report_outcome(game.with_sheet(character.id, changed), title, note, of=character)


_POINTS: Final = Number("points", low=1, high=99, needed=True)
_WHOSE: Final = Typed("as", most=NAME_MAX, choices=known_character_options)
_CONVERT: Final = Deed("convert", Convert, convert, (_POINTS, _WHOSE))


def _run_convert(game: Game, said: Values) -> CommandResult:
    """Return the action; the answer for an NPC is the GM's alone. Raises as `find_own`."""
    own = growable_characters(game.state, game.actor)
    character = find_own(game.state, game.actor, said.get("as"), own)
    return _CONVERT.run(game, said).replace(openly=character.owner is not None)


def _surplus_buttons(game: Game) -> Iterable[PendingButton]:
    """Yield a button for each of a player's characters with surplus Life Points (MB-GM-06)."""
    for character in growable_characters(game.state, game.actor):
        surplus = character.sheet.surplus
        if not surplus or character.owner != game.actor.id:
            continue
        most = game.setting("life_points_max")
        line = Text("mb-surplus", {"name": character.name, "points": surplus, "most": most})
        label = Text("mb-surplus-convert", {"number": LIFE_POINT_WORTH * surplus})
        yield PendingButton(line, label, {"points": surplus, "as": character.id})


DEEDS: Final = (_CONVERT,)
COMMANDS: Final = (
    command(
        _CONVERT.command,
        _run_convert,
        *_CONVERT.options,
        pressed=Form((_POINTS, _WHOSE)),
        waits=_surplus_buttons,
    ),
)
