"""`/mb background award` and `lose`: options gained and lost in play (MB-BG-10)."""

from __future__ import annotations

from typing import Any, Final, Literal

from rules.core.errors import InvalidInput
from rules.systems.masterbook.background.completions import WHO_NEEDED, all_options, option_choices
from rules.systems.masterbook.background.state import (
    NAME_MOST,
    find_option,
    option_name,
    with_option,
)
from rules.systems.masterbook.character.option_lines import (
    LONGEST_NOTE,
    OPTION_FORM,
    read_option,
    resolve_option,
)
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.sheet import MOST_ENTRIES, MasterbookSheet
from rules.systems.masterbook.checks.action_commands import openly_about
from rules.systems.masterbook.checks.action_economy import ref
from rules.systems.masterbook.formulas.option_kinds import SIDES, Side, option_kinds
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, Note, Text
from rules.table.deeds import Deed
from rules.table.forms.fields import FormContext, Option, Pick, Typed, plain_options
from rules.table.lookup import find_known
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.reports import report_outcome
from rules.table.state import AnyCharacter
from rules.table.system import Game

#: Longest line of an option, in characters.
_LINE_MOST: Final = 2 * LONGEST_NOTE


class AwardOption(Action, kw_only=True):
    """Give a character a new option, or one back that it had lost, for a GM."""

    character: str
    #: Line of the option, as on a sheet.
    option: str
    side: Literal["", "advantage", "compensation"] = ""

    @property
    def offers_take_back(self) -> bool:
        return True


class LoseOption(Action, kw_only=True):
    """Take an option of a character away, for a GM."""

    character: str
    option: str

    @property
    def offers_take_back(self) -> bool:
        return True


def award_option(game: Game, action: AwardOption) -> Outcome:
    """Give a character a new option, or one back that it had lost (MB-BG-10).

    The option needs no slot, no Compensation and no consent. Raises NotPermitted("gm-only"),
    InvalidInput("mb-background-full") if the sheet holds no more, and as `find_known` and
    `read_option`.
    """
    require_gm(game.state, action.who)
    who = find_known(game.state, action.who, action.character, "character")
    side, row = _read_line(game, action.option, action.side)
    typed = OPTION_FORM.make_record(BackgroundOption, OPTION_FORM.read_json(row))
    option = resolve_option(typed, side, game.campaign).replace(approved=True, free=True)
    name = option_name(option)
    sheet: MasterbookSheet = who.sheet
    held = sheet.advantages if side == "advantage" else sheet.compensations
    inactive = (other for other in held if not other.is_active)
    lost = next((other for other in inactive if option_name(other) == name), None)
    if lost is not None:
        game = with_option(game, who.id, side, lost, lost.replace(state=""))
    elif len(held) >= MOST_ENTRIES:
        raise InvalidInput("mb-background-full", field="option", value=name, most=MOST_ENTRIES)
    else:
        game = game.with_sheet(who.id, sheet.replace(**{f"{side}s": (*held, option)}))
    return _change_outcome(game, who, side, name, gained=True)


def _read_line(game: Game, line: str, side: Side | Literal[""]) -> tuple[Side, dict[str, Any]]:
    """Return the side and the row of a typed line; without a side, the first that has its name.

    Raises as `read_option`.
    """
    if side:
        return side, read_option(line, side, game.campaign)
    first, second = SIDES
    try:
        return first, read_option(line, first, game.campaign)
    except InvalidInput as error:
        if error.code != "mb-background-unknown":
            raise
        unknown = error
    try:
        return second, read_option(line, second, game.campaign)
    except InvalidInput as error:
        if error.code != "mb-background-unknown":
            raise
        raise unknown from None


def lose_option(game: Game, action: LoseOption) -> Outcome:
    """Take an Advantage away, or resolve a Compensation (MB-BG-10).

    The option stays on the sheet as lost, without effect. Raises NotPermitted("gm-only"), and as
    `find_known` and `find_option`.
    """
    require_gm(game.state, action.who)
    who = find_known(game.state, action.who, action.character, "character")
    option = find_option(all_options(who.sheet), action.option, field="option", name=who.name)
    is_advantage = any(held is option for held in who.sheet.advantages)
    side: Side = "advantage" if is_advantage else "compensation"
    game = with_option(game, who.id, side, option, option.replace(state="lost"))
    return _change_outcome(game, who, side, option_name(option), gained=False)


def _change_outcome(
    game: Game, who: AnyCharacter, side: Side, option: str, *, gained: bool
) -> Outcome:
    title = Text("mb-background-of", {"name": who.name})
    about = {"who": ref(who), "side": side, "option": option, "gained": gained}
    note = Note(Text("mb-background-changed", about), FOR_EVERYONE)
    return report_outcome(game, title, note, of=who)


def _titles(asking: FormContext) -> tuple[Option, ...]:
    """Return the titles of all options, as lines begin."""
    rows = None if asking.game is None else asking.campaign
    titles: list[str] = []
    for side in SIDES:
        titles += [kind.title for kind in option_kinds(side, rows)]
    return plain_options(dict.fromkeys(titles))


_LINE: Final = Typed("option", most=_LINE_MOST, needed=True, choices=_titles)
_SIDE: Final = Pick("side", choices=plain_options(SIDES))
_HELD: Final = Typed("option", most=NAME_MOST, needed=True, choices=option_choices(all_options))
_IS_OPEN: Final = openly_about("character")
_AWARD: Final = Deed(
    "background award", AwardOption, award_option, (WHO_NEEDED, _LINE, _SIDE), _IS_OPEN
)
_LOSE: Final = Deed("background lose", LoseOption, lose_option, (WHO_NEEDED, _HELD), _IS_OPEN)
DEEDS: Final = (_AWARD, _LOSE)
COMMANDS: Final = (_AWARD.as_command(), _LOSE.as_command())
