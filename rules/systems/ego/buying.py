"""Money: what things cost, what somebody begins with, and what is bought (EGO-EQP-01)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.core.names import meant, the_one
from rules.core.record import record
from rules.systems.ego import budget
from rules.systems.ego.sheet import MOST_ENTRIES, Arm, EgoSheet, Worn
from rules.systems.ego.tables import ArmourKind, Rows, Weapon, of
from rules.table.actions import Action
from rules.table.blocks import ALL, Note, Text
from rules.table.events import Line
from rules.table.lookup import find_character
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm, require_owner
from rules.table.reporting import reported
from rules.table.state import AnyCharacter
from rules.table.system import Game
from rules.table.texts import one_line

_ROLLED: Final = re.compile(r"(\d+)d6x(\d+)")
#: The longest name of what is bought, in characters.
_LONGEST: Final = 100


def goods(campaign: Rows) -> dict[str, Weapon | ArmourKind]:
    """What is for sale, by name."""
    return {**of(campaign, "weapons"), **of(campaign, "armour")}


def price_of(campaign: Rows, sheet: EgoSheet) -> int:
    """What somebody carries and wears, by the tables."""
    rows = goods(campaign)
    worn = () if sheet.armour is None else (sheet.armour.name,)
    names = (*(each.name for each in sheet.arms), *worn)
    return sum(rows[name].cost for name in names if name in rows)


@record(kw_only=True)
class Buy(Action):
    """Something for money: a weapon, armour, or for `price` whatever it is called; of weapons also `ammunition`."""

    character: str
    what: str
    count: int = 1
    price: int | None = None
    ammunition: bool = False


@record(kw_only=True)
class GetFunds(Action):
    """The money that somebody begins with, as the table has it: once."""

    character: str


def _changed(game: Game, character: AnyCharacter, sheet: EgoSheet, line: Line) -> Outcome:
    """The table with that sheet, and what is told of it: of NPCs to the GMs alone."""
    title = Text("ego-money", {"name": character.name})
    return reported(game.put(character.id, sheet), title, Note(line, ALL), of=character)


def buy(game: Game, action: Buy) -> Outcome:
    """Bought and carried; armour is put on. Impossible("ego-too-dear"), NotFound("ego-not-for-sale")."""
    character = find_character(game.state.characters.values(), action.character, "as")
    require_owner(game.state, action.who, character)
    sheet: EgoSheet = character.sheet
    rows, what = goods(game.campaign), one_line("what", action.what, _LONGEST)
    if not what:
        raise InvalidInput("empty", field="what", value="", wanted="name")
    if action.price is None:
        row = rows[the_one(rows, what, field="what", unknown="ego-not-for-sale")]
        cost = row.ammunition_cost if isinstance(row, Weapon) and action.ammunition else row.cost
        if cost is None:
            raise Impossible("ego-not-for-sale", name=row.name)
    else:
        found = meant(rows, what, str)
        row, cost = rows[found[0]] if len(found) == 1 else None, action.price
        if row is not None:  # what the tables price only a GM sells for another
            require_gm(game.state, action.who)
    name = what if row is None else row.name
    left = budget.bought(sheet.funds, [cost] * action.count)
    sheet = _with(sheet.but(funds=left), row, name, action)
    line = Line(
        "ego-bought",
        {"what": _called(name, action), "count": action.count, "cost": cost * action.count, "left": left},
    )
    return _changed(game, character, sheet, line)


def _with(sheet: EgoSheet, row: Any, name: str, action: Buy) -> EgoSheet:
    """The sheet with what was bought."""
    if isinstance(row, ArmourKind):
        return sheet.but(armour=Worn(row.name, row.ar, row.ar))
    if isinstance(row, Weapon) and not action.ammunition:
        return sheet.but(arms=_more(sheet.arms, *[Arm(name)] * action.count))
    what = _called(name, action)
    entry = f"{action.count} × {what}" if action.count > 1 else what
    return sheet.but(equipment=_more(sheet.equipment, entry))


def _more(had: tuple[Any, ...], *bought: Any) -> tuple[Any, ...]:
    """With what was bought, as far as a sheet can hold it. InvalidInput("too-many-entries")."""
    if (number := len(had) + len(bought)) > MOST_ENTRIES:
        raise InvalidInput("too-many-entries", field="count", value=number, highest=MOST_ENTRIES)
    return (*had, *bought)


def _called(name: str, action: Buy) -> str:
    return f"Ammunition: {name}" if action.ammunition else name


def get_funds(game: Game, action: GetFunds) -> Outcome:
    """Money to begin with. Impossible("ego-no-funds")."""
    character = find_character(game.state.characters.values(), action.character, "as")
    require_owner(game.state, action.who, character)
    sheet: EgoSheet = character.sheet
    setting: str = game.setting("starting_funds")
    if not setting:
        raise Impossible("ego-no-funds")
    if sheet.funded:
        raise Impossible("ego-no-funds", name=character.name)
    faces: tuple[int, ...] = ()
    if rolled := _ROLLED.fullmatch(setting):
        faces = tuple(game.rng.public.below(6) + 1 for _ in range(int(rolled[1])))
        money = budget.funds(faces, int(rolled[2]))
    else:
        money = int(setting)
    line = Line(
        "ego-funds",
        {"name": character.name, "faces": faces, "times": int(rolled[2]) if rolled else 1, "funds": money},
    )
    return _changed(game, character, sheet.but(funds=sheet.funds + money, funded=True), line)


ACTIONS: Final[Mapping[type[Action], Any]] = {Buy: buy, GetFunds: get_funds}
