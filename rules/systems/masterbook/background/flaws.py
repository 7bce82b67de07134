"""`/mb background flaw`: flaws and burn-outs strike, or hold off (MB-BG-41, MB-BG-45).

Its buttons spend banked bad luck (MB-BG-43).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from rules.systems.masterbook.background.completions import WHO_NEEDED, flaws_of, option_choices
from rules.systems.masterbook.background.state import (
    NAME_MOST,
    find_option,
    linked_advantages,
    option_name,
    with_option,
)
from rules.systems.masterbook.character.option_effects import Linked
from rules.systems.masterbook.character.options import BackgroundOption, Options
from rules.systems.masterbook.character.sheet import option_effects
from rules.systems.masterbook.checks.action_commands import command, openly_about
from rules.systems.masterbook.checks.action_economy import LINE, ref, round_of
from rules.systems.masterbook.checks.card_awards import bad_luck_text, fortune_of, spend_banked_luck
from rules.systems.masterbook.formulas import interaction
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, Note, Text
from rules.table.check import Values
from rules.table.commands import NAME_MAX, CommandResult, PendingButton
from rules.table.deeds import Deed
from rules.table.events import Event
from rules.table.forms.fields import Flag, Pick, Typed, plain_options
from rules.table.forms.form import Form
from rules.table.lookup import find_known
from rules.table.marks import marks_of, with_marks
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, require_gm
from rules.table.reports import report_outcome
from rules.table.state import Mark
from rules.table.system import Game, Tick, TickResult

#: Mark of an Advantage that a flaw has switched off; `what` is the Advantage's name.
OFF: Final = "advantage-off"
#: Lowest column of a flaw that sets back.
_SETBACK: Final = 2
#: Lowest column of a flaw that takes the Advantage.
_LOSS: Final = 3


class StrikeFlaw(Action, kw_only=True):
    """Let a flaw or burn-out strike, or hold off, for a GM."""

    character: str
    #: Name of the flaw; empty for the only one.
    flaw: str = ""
    #: Whether it doesn't strike.
    holds: bool = False
    #: How long a flaw takes its Advantages; empty: for the scene.
    until: Literal["", "scene", "act"] = ""


def strike_flaw(game: Game, action: StrikeFlaw) -> Outcome:
    """Let a flaw or burn-out strike, or hold off.

    Raises NotPermitted("gm-only"), and as `find_known` and `find_option`.
    """
    require_gm(game.state, action.who)
    who = find_known(game.state, action.who, action.character, "character")
    holds, until = action.holds, action.until or "scene"
    option = find_option(flaws_of(who.sheet), action.flaw or None, field="flaw", name=who.name)
    column = _flaw_column(option_effects(who.sheet).flaws, option)
    burns = column is None
    advantages = linked_advantages(who.sheet, option)
    if holds:
        pass
    elif column is None:
        game = _burn_out(game, who.id, advantages)
    else:
        game = _apply_flaw(game, who.id, column, advantages, until)
    about = {
        "who": ref(who),
        "flaw": option_name(option),
        "column": column or 0,
        "holds": holds,
        "burns": burns,
        "until": until,
        "advantages": tuple(option_name(advantage) for advantage in advantages),
        "extra": option.note("extra disadvantage") if column == _LOSS else "",
    }
    title = Text("mb-flaw-title", {"name": who.name})
    note = Note(Text("mb-flaw", about), FOR_EVERYONE)
    return report_outcome(game, title, note, of=who)


def _flaw_column(flaws: tuple[Linked, ...], option: BackgroundOption) -> int | None:
    """Return the column of a flaw; None for a burn-out."""
    return next((flaw.number for flaw in flaws if flaw.option is option), None)


def _apply_flaw(game: Game, who: str, column: int, advantages: Options, until: str) -> Game:
    """Return the game after a flaw of this column has struck (MB-BG-41)."""
    if column < _SETBACK:
        mark = Mark(LINE, interaction.STYMIED, until="scene")
        return game.with_state(with_marks(game.state, who, mark))
    if column < _LOSS:
        mark = Mark(interaction.SETBACK, until="encounter")
        return game.with_state(with_marks(game.state, who, mark))
    for advantage in advantages:
        changed = advantage.replace(state="suspended")
        game = with_option(game, who, "advantage", advantage, changed)
        lasts = "act" if until == "act" else "scene"
        mark = Mark(OFF, option_name(advantage), until=lasts)
        game = game.with_state(with_marks(game.state, who, mark))
    return game


def _burn_out(game: Game, who: str, advantages: Options) -> Game:
    """Return the game without these Advantages, for good (MB-BG-45)."""
    for advantage in advantages:
        game = with_option(game, who, "advantage", advantage, advantage.replace(state="lost"))
    return game


def restore_advantages(game: Game, passing: Tick) -> TickResult:
    """Give back the Advantages that a flaw had switched off until now (MB-BG-41)."""
    events: list[Event] = []
    for who, marks in passing.expiring.items():
        names = {mark.what for mark in marks if mark.key == OFF}
        if not names:
            continue
        advantages: Options = game.sheet(who).advantages
        for advantage in advantages:
            if option_name(advantage) not in names or advantage.state != "suspended":
                continue
            restored = advantage.replace(state="")
            game = with_option(game, who, "advantage", advantage, restored)
            character = game.character(who)
            about = {"who": ref(character), "option": option_name(advantage)}
            events += report_outcome(game, Text("mb-flaw-over", about), of=character).events
    return TickResult(game, events=tuple(events))


def is_switched_off(game: Game, who: str, option: BackgroundOption) -> bool:
    """Return whether a flaw has switched an Advantage off for now."""
    return bool(marks_of(game.state, who, OFF, option_name(option)))


_FLAW: Final = Typed("flaw", most=NAME_MOST, choices=option_choices(flaws_of))
_HOLDS: Final = Flag("holds")
_UNTIL: Final = Pick("until", choices=plain_options(("scene", "act")))
_STRIKE: Final = Deed(
    "background flaw",
    StrikeFlaw,
    strike_flaw,
    (WHO_NEEDED, _FLAW, _HOLDS, _UNTIL),
    openly_about("character"),
)


class SpendBankedLuck(Action, kw_only=True):
    """Spend banked bad luck of a character, for a GM."""

    target: str
    how: Literal["mishap", "setback"]

    @property
    def offers_take_back(self) -> bool:
        return True


def carry_out_banked_luck(game: Game, action: SpendBankedLuck) -> Outcome:
    """Spend banked bad luck and report it (MB-BG-43).

    Raises NotPermitted("gm-only"), and as `find_known` and `spend_banked_luck`.
    """
    require_gm(game.state, action.who)
    who = find_known(game.state, action.who, action.target, "target")
    game = spend_banked_luck(game, who.id, action.how)
    note = Note(bad_luck_text(who.name, action.how), FOR_EVERYONE)
    return report_outcome(game, Text("mb-ruling-title"), note)


#: Options of the buttons that spend banked bad luck.
_UNLUCKY: Final = Typed("target", most=NAME_MAX, needed=True)
_HOW: Final = Pick("how", choices=plain_options(("mishap", interaction.SETBACK)), needed=True)
_SPEND_LUCK: Final = Deed(
    "background flaw",
    SpendBankedLuck,
    carry_out_banked_luck,
    (_UNLUCKY, _HOW),
    openly_about("target"),
)


def _strike(game: Game, said: Values) -> CommandResult:
    """Let a flaw strike, or spend banked bad luck by a button. Raises NotPermitted("gm-only")."""
    require_gm(game.state, game.actor)
    if _HOW.key in said:
        return _SPEND_LUCK.run(game, said)
    return _STRIKE.run(game, said)


def _banked_luck(game: Game) -> Iterator[PendingButton]:
    """Yield the ways in which a GM may spend banked bad luck now (MB-BG-43)."""
    if not is_gm(game.state, game.actor):
        return
    for who, character in game.state.characters.items():
        if not (character.in_play and fortune_of(game, who).banked):
            continue
        ways = ["mishap"]
        if round_of(game, who) is not None:
            ways.append(interaction.SETBACK)
        for how in ways:
            what = Text("mb-banked-luck", {"name": character.name})
            label = Text("mb-banked-luck-is", {"how": how})
            yield PendingButton(what, label, {"target": who, "how": how}, offer=True)


DEEDS: Final = (_STRIKE, _SPEND_LUCK)
COMMANDS: Final = (
    command(
        _STRIKE.command,
        _strike,
        *_STRIKE.options,
        pressed=Form((_UNLUCKY.replace(needed=False), _HOW.replace(needed=False))),
        waits=_banked_luck,
    ),
)
