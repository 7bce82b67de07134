"""Reminders of backgrounds at the beginning and end of adventures and acts.

MB-BG-13, MB-BG-47, MB-BG-48, MB-BG-49, MB-BG-56, MB-BG-57. `/mb background due` lists them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rules.systems.masterbook.background.flaws import restore_advantages
from rules.systems.masterbook.background.matters import matter_text
from rules.systems.masterbook.background.prices import collect_prices, price_points
from rules.systems.masterbook.background.recognition import announce_recognition
from rules.systems.masterbook.background.state import (
    Matter,
    MatterKind,
    MatterMoment,
    open_matters,
    option_name,
    require_matter,
    state_of,
    with_matter,
    with_state_of,
    without_matter,
    without_moments,
)
from rules.systems.masterbook.character.options import PATTERN, BackgroundOption, gives_of
from rules.systems.masterbook.character.sheet import option_effects
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.background_memory import PANIC
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, GMS, Note, Text
from rules.table.check import Values
from rules.table.commands import CommandResult, CommandView, PendingButton
from rules.table.deeds import Deed
from rules.table.events import Event, Reported
from rules.table.forms.fields import Number
from rules.table.forms.form import Form
from rules.table.marks import without_marks
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, require_gm
from rules.table.resources import TickKind
from rules.table.system import Game, Tick, TickResult

COMMAND: Final = "background due"
#: Moment of each tick at which the GMs are reminded of something.
_MOMENTS: Final[dict[TickKind, MatterMoment]] = {
    "adventure-start": "adventure-start",
    "act": "act-end",
    "adventure-end": "adventure-end",
}
#: Pattern of a Quirk whose character needs something from time to time.
_DEPENDENCY: Final = "dependency"


def apply_background_tick(game: Game, passing: Tick) -> TickResult:
    """Give Advantages back, and remind the GMs of all that is due in one message."""
    restored = restore_advantages(game, passing)
    moment = _MOMENTS.get(passing.kind)
    if moment is None:
        return restored
    game, events = restored.game, list[Event]()
    if moment == "adventure-start":
        game = _begin_adventure(game, passing.who)
    elif moment == "act-end":
        game = without_moments(game, "act-end")
    last = _last_number(game)
    lines: list[Text] = []
    for who in passing.who:
        if moment == "adventure-end":
            game, price_lines = collect_prices(game, who)
            lines += price_lines
        for kind, option in _due_options(game, who, moment):
            game, _ = with_matter(game, Matter(0, kind, who, option, moment))
    new = [matter for matter in open_matters(game) if matter.number > last]
    lines += [matter_text(game, matter) for matter in new]
    if lines:
        events.append(_reminder(game, moment, lines))
    return restored.replace(game=game, events=(*restored.events, *events))


def _last_number(game: Game) -> int:
    return max((matter.number for matter in open_matters(game)), default=0)


def _begin_adventure(game: Game, characters: tuple[str, ...]) -> Game:
    """Return the game with everything reset that counts by adventure (MB-BG-13)."""
    game = without_moments(game, "adventure-start", "act-end", "adventure-end")
    for who in characters:
        state = state_of(game, who)
        game = with_state_of(game, who, state.replace(used=(), handed_in=False))
        game = game.with_state(without_marks(game.state, who, PANIC))
    return game


def _due_options(game: Game, who: str, moment: MatterMoment) -> Iterator[tuple[MatterKind, str]]:
    """Yield the options of which the GMs are reminded at a moment."""
    effects = option_effects(game.sheet(who))
    for due, option in effects.reminders:
        if due == moment:
            yield _reminder_kind(option, moment), option_name(option)
    if moment == "adventure-start":
        return
    for quirk in effects.quirks:
        if quirk.option.note(PATTERN) == _DEPENDENCY:
            yield "dependency", option_name(quirk.option)
    if moment == "adventure-end":
        for price in effects.prices:
            if not price_points(price.option):
                yield "fee", option_name(price.option)


#: Matters by what an option owes, when an adventure ends.
_OWED: Final[dict[str, MatterKind]] = {"share": "debt", "goods": "goods", "loot": "loot"}
#: The same when the next adventure begins.
_BEGUN: Final[dict[str, MatterKind]] = {"": "enemy", "goods": "lend", "loot": "employer"}


def _reminder_kind(option: BackgroundOption, moment: MatterMoment) -> MatterKind:
    """Return the kind of the matter that an option reminds of at a moment."""
    owes = next((gives.owes for gives in gives_of(option, "compensation") if gives.owes), "")
    if moment == "adventure-end":
        return _OWED.get(owes, "debt")
    return _BEGUN.get(owes, "enemy")


def _reminder(game: Game, moment: MatterMoment, lines: list[Text]) -> Reported:
    """Return the one message about what is due now."""
    return Reported(
        audience=GMS,
        title=Text("mb-background-reminder", {"moment": moment}),
        blocks=tuple(Note(line, FOR_EVERYONE) for line in lines),
        by=game.actor.id,
    )


# --- the command ----------------------------------------------------------------------------------

#: Matters that have a command of their own to settle them.
_SETTLED_ELSEWHERE: Final = ("contact", "recognize", "price", "fee", "debt", "goods")


class SettleMatter(Action, kw_only=True):
    """Take a matter off the GMs' list."""

    #: Number of the matter.
    done: int


def settle(game: Game, action: SettleMatter) -> Outcome:
    """Take a matter off the GMs' list; a recognition is announced to all.

    Raises NotPermitted("gm-only"), and as `require_matter`.
    """
    require_gm(game.state, action.who)
    matter = require_matter(game, action.done)
    game = without_matter(game, matter.number)
    if matter.kind == "recognized":
        return Outcome(game.state, (announce_recognition(game, matter),))
    note = Note(matter_text(game, matter), FOR_EVERYONE)
    title = Text("mb-background-done")
    event = Reported(audience=GMS, title=title, blocks=(note,), by=game.actor.id)
    return Outcome(game.state, (event,))


_DONE: Final = Number("done", low=1, high=1_000_000, needed=True)
_SETTLE: Final = Deed(COMMAND, SettleMatter, settle, (_DONE,))


def _list(game: Game, said: Values) -> CommandResult:
    """Return the matters that wait for the GMs, or settle the one of a button.

    Raises NotPermitted("gm-only"), and as `require_matter`.
    """
    require_gm(game.state, game.actor)
    if _DONE.key in said:
        matter = require_matter(game, said[_DONE.key])
        return _SETTLE.run(game, said).replace(openly=matter.kind == "recognized")
    lines = [Note(matter_text(game, matter), FOR_EVERYONE) for matter in open_matters(game)]
    nothing = Note(Text("mb-background-nothing-due"), FOR_EVERYONE)
    return CommandView(Text("mb-background-due"), tuple(lines) or (nothing,))


def _pending(game: Game) -> Iterator[PendingButton]:
    """Yield the matters that a press settles. None of them holds anything up."""
    if not is_gm(game.state, game.actor):
        return
    for matter in open_matters(game):
        if matter.kind not in _SETTLED_ELSEWHERE:
            label = Text("mb-background-settle", {"kind": matter.kind})
            values = {_DONE.key: matter.number}
            yield PendingButton(matter_text(game, matter), label, values, offer=True)


DEEDS: Final = (_SETTLE,)
COMMANDS: Final = (command(COMMAND, _list, pressed=Form((_DONE,)), waits=_pending),)
