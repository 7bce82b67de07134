"""Lines about effects on boards and sheets: running ones, and charges (MB-SFX-26, MB-SFX-29)."""

from __future__ import annotations

from rules.systems.masterbook.checks.sheet_view import MasterbookCharacter
from rules.systems.masterbook.checks.sheet_view import (
    describe_character as describe_without_charges,
)
from rules.systems.masterbook.checks.sheet_view import health as plain_health
from rules.systems.masterbook.effects.running import change_text, duration_text
from rules.systems.masterbook.effects.state import RunningEffect, effects_of, running_effects
from rules.table.blocks import Block, Group, Text
from rules.table.system import Game, is_npc


def health(game: Game, character: MasterbookCharacter, full: bool) -> tuple[Text, ...]:
    """Return a character's health, and the effects on it: `Strength +3, 4 rounds`.

    Everybody reads what players' characters have cast on players' characters. Of other effects
    everybody reads the name, unless it was cast in secret.
    """
    lines = list(plain_health(game, character, full))
    for effect in running_effects(game):
        if any(target.who == character.id for target in effect.targets):
            line = _effect_line(game, effect, character.id, full=full)
            if line is not None:
                lines.append(line)
    return tuple(lines)


def _effect_line(game: Game, effect: RunningEffect, who: str, *, full: bool) -> Text | None:
    """Return an effect on a character in a line; None if its reader may not know of it."""
    if effect.secret and not full:
        return None
    if who in effect.disbelievers or effect.lapsing:
        return None
    changes: list[Text] = []
    if full or not (is_npc(game, who) or is_npc(game, effect.caster)):
        changes = [change_text(change) for change in effect.changes if change.who == who]
    if effect.secret and not changes and not is_npc(game, who):
        # Changed values stand on the sheet anyway. The target's player reads nothing else of it.
        return None
    about = {
        "changes": tuple(changes) or None,
        "name": effect.known.name,
        "left": duration_text(game, effect),
    }
    return Text("mb-effect-board", about)


def describe_character(game: Game, character: MasterbookCharacter) -> tuple[Block, ...]:
    """Return the first page of a sheet, with the charges that the character carries (MB-SFX-29)."""
    blocks = describe_without_charges(game, character)
    rows: list[tuple[Text]] = []
    for charges in effects_of(game, character.id).charges:
        about = {
            "name": charges.known.name,
            "holder": charges.holder or None,
            "left": charges.left,
            "ward": bool(charges.known.blueprint.ward),
        }
        rows.append((Text("mb-sheet-charges", about),))
    if not rows:
        return blocks
    title = Text("mb-sheet-label", {"what": "charges"})
    return (*blocks, Group(title, tuple(rows), (character.id,)))
