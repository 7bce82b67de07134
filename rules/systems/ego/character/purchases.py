"""Money: what things cost, what somebody begins with, and what is bought (EGO-EQP-01)."""

from __future__ import annotations

import re
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.core.name_matching import matches, unique_match
from rules.systems.ego.character.sheet import MAX_ENTRIES, Arm, EgoSheet, WornArmor
from rules.systems.ego.command_forms import deed
from rules.systems.ego.formulas import costs, dice
from rules.systems.ego.formulas.reference_rows import ArmorKind, Rows, Weapon, rows_of
from rules.table.blocks import FOR_EVERYONE, Note, Text
from rules.table.lookup import acting_character
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.reports import report_outcome
from rules.table.state import AnyCharacter
from rules.table.system import Game
from rules.table.typed_texts import one_line

_ROLLED: Final = re.compile(r"(\d+)d6x(\d+)")
#: The longest name of what is bought, in characters.
_LONGEST: Final = 100


def goods(campaign: Rows) -> dict[str, Weapon | ArmorKind]:
    """What is for sale, by name."""
    return {**rows_of(campaign, "weapons"), **rows_of(campaign, "armour")}


def price_of(campaign: Rows, sheet: EgoSheet) -> int:
    """What somebody carries and wears, by the tables."""
    rows = goods(campaign)
    worn = () if sheet.armour is None else (sheet.armour.name,)
    names = (*(each.name for each in sheet.arms), *worn)
    return sum(rows[name].cost for name in names if name in rows)


def _changed(game: Game, character: AnyCharacter, sheet: EgoSheet, line: Text) -> Outcome:
    """The table with that sheet, and what is told of it: of NPCs to the GMs alone."""
    title = Text("ego-money", {"name": character.name})
    return report_outcome(
        game.with_sheet(character.id, sheet), title, Note(line, FOR_EVERYONE), of=character
    )


def buy(game: Game, action: Any) -> Outcome:
    """Bought and carried; armour is put on. Impossible("ego-too-dear"),
    NotFound("ego-not-for-sale").

    A weapon, armour, or for `price` whatever it is called; of weapons also `ammunition`.
    """
    character = acting_character(game.state, action.who, action.as_, action.place)
    sheet: EgoSheet = character.sheet
    rows, what = goods(game.campaign), one_line("what", action.what, _LONGEST)
    count: int = action.count or 1
    if not what:
        raise InvalidInput("empty", field="what", value="", wanted="name")
    row: Any = None
    if action.price is None:
        row = rows[unique_match(rows, what, field="what", unknown="ego-not-for-sale")]
        cost = row.ammunition_cost if isinstance(row, Weapon) and action.ammunition else row.cost
        if cost is None:
            raise Impossible("ego-not-for-sale", name=row.name)
    else:
        cost = action.price
        if (
            len(found := matches(rows, what, str)) == 1
        ):  # what the tables price only a GM sells for another
            row = rows[found[0]]
            require_gm(game.state, action.who)
    name = what if row is None else row.name
    called = f"Ammunition: {name}" if action.ammunition else name
    sheet = sheet.replace(funds=costs.spend_money(sheet.funds, [cost] * count))
    if isinstance(row, ArmorKind):
        sheet = sheet.replace(armour=WornArmor(row.name, row.ar, row.ar))
    elif isinstance(row, Weapon) and not action.ammunition:
        sheet = sheet.replace(arms=_more(sheet.arms, *[Arm(name)] * count))
    else:
        entry = f"{count} × {called}" if count > 1 else called
        sheet = sheet.replace(equipment=_more(sheet.equipment, entry))
    told = {"what": called, "count": count, "cost": cost * count, "left": sheet.funds}
    return _changed(game, character, sheet, Text("ego-bought", told))


def _more(had: tuple[Any, ...], *bought: Any) -> tuple[Any, ...]:
    """With what was bought, as far as a sheet can hold it. InvalidInput("too-many-entries")."""
    if (number := len(had) + len(bought)) > MAX_ENTRIES:
        raise InvalidInput("too-many-entries", field="count", value=number, highest=MAX_ENTRIES)
    return (*had, *bought)


def get_funds(game: Game, action: Any) -> Outcome:
    """Money to begin with. Impossible("ego-no-funds")."""
    character = acting_character(game.state, action.who, action.as_, action.place)
    sheet: EgoSheet = character.sheet
    setting: str = game.setting("starting_funds")
    if not setting:
        raise Impossible("ego-no-funds")
    if sheet.funded:
        raise Impossible("ego-no-funds", name=character.name)
    rolled, faces, times = _ROLLED.fullmatch(setting), (), 1
    if rolled:
        faces, times = dice.throw(game.rng.public, int(rolled[1])).faces, int(rolled[2])
    money = costs.funds(faces, times) if rolled else int(setting)
    told = {"name": character.name, "faces": faces, "times": times, "funds": money}
    return _changed(
        game,
        character,
        sheet.replace(funds=sheet.funds + money, funded=True),
        Text("ego-funds", told),
    )


DEEDS: Final = (deed("buy", "Buy", buy, reversible=True), deed("funds", "GetFunds", get_funds))
