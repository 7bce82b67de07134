"""Purchases, starting funds and gear prices (EGO-EQP-01)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.core.name_matching import matches, unique_match
from rules.systems.ego.character.sheet import (
    HIGHEST_POINTS,
    MAX_ENTRIES,
    Arm,
    EgoSheet,
    WornArmor,
    currency_of,
    priced,
    suits_of,
    with_suits,
)
from rules.systems.ego.command_forms import customer, deed, unwanted_error
from rules.systems.ego.formulas import costs, dice
from rules.systems.ego.formulas.reference_rows import ArmorKind, Rows, Weapon, rows_of
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, Note, Text
from rules.table.check import Values
from rules.table.commands import CommandAction, CommandForm
from rules.table.forms.fields import Flag, Number, Pick
from rules.table.forms.form import Field, Form
from rules.table.forms.typed_texts import one_line
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.reports import report_outcome
from rules.table.state import AnyCharacter
from rules.table.system import Game

#: Starting funds by dice, such as `3d6x100`.
_FUNDS_ROLL: Final = re.compile(r"(\d+)d6x(\d+)")
#: Most characters of the name of a purchase.
_MAX_NAME: Final = 100
#: Most rounds that a magazine holds.
_MAX_MAGAZINE: Final = 1000


def goods(campaign: Rows) -> dict[str, Weapon | ArmorKind]:
    """Return what is for sale, by name."""
    return {**rows_of(campaign, "weapons"), **rows_of(campaign, "armour")}


def local_goods(game: Game) -> dict[str, Weapon | ArmorKind]:
    """Return the goods that are priced in the table's own money, by name (EGO-EQP-01)."""
    own: str = game.setting("currency")
    rows = goods(game.campaign)
    return {name: row for name, row in rows.items() if currency_of(row, own) == own}


def _gear_names(sheet: EgoSheet) -> tuple[str, ...]:
    """Return the names of a character's weapons and armor."""
    return (*(arm.name for arm in sheet.arms), *(suit.name for suit in suits_of(sheet)))


def price_of(game: Game, sheet: EgoSheet) -> int:
    """Return the price of a character's weapons and armor in the table's own money.

    Gear priced in other money is left out, as the book prints no conversion (`foreign_gear`).
    """
    rows = local_goods(game)
    return sum(rows[name].cost for name in _gear_names(sheet) if name in rows)


def foreign_gear(game: Game, sheet: EgoSheet) -> dict[str, str]:
    """Return a character's gear that is priced in other money, with its currency."""
    own: str = game.setting("currency")
    rows = goods(game.campaign)
    currencies: dict[str, str] = {}
    for name in _gear_names(sheet):
        if name in rows:
            currency = currency_of(rows[name], own)
            if currency != own:
                currencies[name] = currency
    return currencies


def money(game: Game, amount: int) -> str:
    """Return an amount of the table's own money with its unit."""
    return costs.money_label(amount, game.setting("currency"))


def _purchase_outcome(game: Game, character: AnyCharacter, sheet: EgoSheet, line: Text) -> Outcome:
    """Return the outcome of a new sheet. Only GMs read of an NPC's."""
    title = Text("ego-money", {"name": character.name})
    game = game.with_sheet(character.id, sheet)
    return report_outcome(game, title, Note(line, FOR_EVERYONE), of=character)


class Buy(Action, kw_only=True):
    """Buy something for a character, or `ammunition` for a weapon."""

    what: str = ""
    count: int | None = None
    price: int | None = None
    ammunition: bool = False
    #: Shots that the magazine of a gun holds.
    magazine: int | None = None
    as_: str | None = None

    @property
    def offers_take_back(self) -> bool:
        return True


def _row_and_price(game: Game, action: Buy, what: str) -> tuple[Any, int]:
    """Return the row of a purchase and the price of one piece; no row if no table lists it.

    Raises:
        Impossible("ego-not-for-sale"): the tables have no price for it.
        Impossible("ego-foreign-price"): it is priced in other money, and the book has no rate.
        NotPermitted("gm-only"): a player names another price than that of the tables.
    """
    rows = goods(game.campaign)
    if action.price is None:
        row: Any = rows[unique_match(rows, what, field="what", unknown="ego-not-for-sale")]
        cost = row.ammunition_cost if isinstance(row, Weapon) and action.ammunition else row.cost
        if cost is None:
            raise Impossible("ego-not-for-sale", name=row.name)
        own: str = game.setting("currency")
        currency = currency_of(row, own)
        if currency != own:
            price = costs.money_label(cost, currency)
            raise Impossible("ego-foreign-price", name=row.name, price=price, unit=own)
        return row, cost
    names = matches(rows, what, str)
    row = rows[names[0]] if len(names) == 1 else None
    unpriced = action.ammunition and isinstance(row, Weapon) and row.ammunition_cost is None
    if row is not None and not unpriced:
        require_gm(game.state, action.who)
    return row, action.price


def buy(game: Game, action: Buy) -> Outcome:
    """Buy gear, and put on the best armor. Raises as `_row_and_price`.

    With a `price`, a player can buy gear of any name, and with `ammunition`, rounds for a weapon.
    A gun comes loaded if the size of its `magazine` is known (EGO-RNG-05).
    """
    character = customer(game, action.as_, action.place)
    sheet: EgoSheet = character.sheet
    what, count = one_line("what", action.what, _MAX_NAME), action.count or 1
    if not what:
        raise InvalidInput("empty", field="what", value="", wanted="name")
    row, cost = _row_and_price(game, action, what)
    name = what if row is None else row.name
    if action.magazine and (not isinstance(row, Weapon) or not row.fires or action.ammunition):
        raise unwanted_error("magazine", name, action.magazine)
    size = None if action.magazine is None else _magazine_size("magazine", action.magazine)
    own: str = game.setting("currency")
    payer = None if character.owner == game.actor.id else character.name
    funds = costs.spend_money(sheet.funds, [cost] * count, own, payer=payer)
    sheet = sheet.replace(funds=funds)
    about: dict[str, Any] = {"what": name, "count": count}
    if action.ammunition:
        sheet, parameters = _with_ammunition(sheet, name, count)
        about |= {"ammunition": True, **parameters}
    elif isinstance(row, ArmorKind):
        suits = _with_bought(suits_of(sheet), *[WornArmor(row.name, row.ar, row.ar)] * count)
        sheet = with_suits(sheet, suits)
    elif isinstance(row, Weapon):
        holds = size or row.magazine
        arm = Arm(name, rounds=holds, magazine=holds)
        sheet = sheet.replace(arms=_with_bought(sheet.arms, *[arm] * count))
        about |= {"loaded": holds, "uncounted": row.fires and not holds}
    else:
        sheet = _with_entry(sheet, name, count)
    about |= {"cost": money(game, cost * count), "left": money(game, sheet.funds)}
    return _purchase_outcome(game, character, sheet, Text("ego-bought", about))


def _with_entry(sheet: EgoSheet, name: str, count: int) -> EgoSheet:
    entry = f"{count} × {name}" if count > 1 else name
    return sheet.replace(equipment=_with_bought(sheet.equipment, entry))


def _with_ammunition(sheet: EgoSheet, name: str, count: int) -> tuple[EgoSheet, dict[str, Any]]:
    """Add a magazine of spare rounds for each purchase; return the sheet and the text parameters.

    Without a weapon whose rounds are counted, the ammunition becomes an entry of the equipment.
    """
    for at, arm in enumerate(sheet.arms):
        if arm.name == name and arm.magazine is not None:
            spare = (arm.spare or 0) + arm.magazine * count
            arms = (*sheet.arms[:at], arm.replace(spare=spare), *sheet.arms[at + 1 :])
            return sheet.replace(arms=arms), {"spare": spare}
    return _with_entry(sheet, f"Ammunition: {name}", count), {}


def _with_bought(had: tuple[Any, ...], *bought: Any) -> tuple[Any, ...]:
    """Return the entries with those bought. Raises InvalidInput("too-many-entries")."""
    number = len(had) + len(bought)
    if number > MAX_ENTRIES:
        raise InvalidInput("too-many-entries", field="count", value=number, highest=MAX_ENTRIES)
    return (*had, *bought)


class GetFunds(Action, kw_only=True):
    """Give a character its first funds."""

    as_: str | None = None


def get_funds(game: Game, action: GetFunds) -> Outcome:
    """Give a character starting funds, less the price of gear on the sheet (EGO-EQP-01).

    Raises Impossible("ego-no-funds") if the table gives none, or the character had them before.
    """
    character = customer(game, action.as_, action.place)
    sheet: EgoSheet = character.sheet
    setting: str = game.setting("starting_funds")
    if not setting:
        raise Impossible("ego-no-funds")
    if sheet.funded:
        raise Impossible("ego-no-funds", name=character.name)
    dice_and_factor = _FUNDS_ROLL.fullmatch(setting)
    if dice_and_factor:
        faces = dice.throw(game.rng.public, int(dice_and_factor[1])).faces
        times = int(dice_and_factor[2])
        total = costs.funds(faces, times)
    else:
        faces, times = (), 1
        total = int(setting)
    gear = price_of(game, sheet)
    left = max(0, total - gear)
    about: dict[str, Any] = {"faces": faces, "times": times, "funds": money(game, total)}
    if gear:
        about |= {"gear": money(game, gear), "left": money(game, left)}
    sheet = sheet.replace(funds=sheet.funds + left, funded=True)
    return _purchase_outcome(game, character, sheet, Text("ego-funds", about))


class SetMagazine(Action, kw_only=True):
    """Say how many shots the magazine of a gun holds."""

    holds: int | None = None
    weapon: str = ""
    as_: str | None = None


def set_magazine(game: Game, action: SetMagazine) -> Outcome:
    """Enter how many rounds a weapon's magazine holds (EGO-RNG-05, EGO-OP-21).

    The first entry fills the magazine. A GM's correction keeps the rounds that still fit.

    Raises:
        InvalidInput("ego-which-gun"): the text names no gun of the character, or several.
        InvalidInput("out-of-range"): no magazine is of this size.
        NotPermitted("gm-only"): a player enters the size of a known magazine.
    """
    character = customer(game, action.as_, action.place)
    sheet: EgoSheet = character.sheet
    holds = _magazine_size("holds", action.holds or 0)
    names = gun_names(game, sheet)
    fitting = matches(names, action.weapon, str) if action.weapon else names
    if len(fitting) != 1:
        value = action.weapon[:_MAX_NAME] or None
        raise InvalidInput("ego-which-gun", field="weapon", value=value, allowed=names)
    arms: list[Arm] = []
    for arm in sheet.arms:
        if arm.name == fitting[0]:
            if arm.magazine is not None:
                require_gm(game.state, action.who)
            full = arm.magazine is None or arm.rounds is None
            rounds = holds if full else min(arm.rounds or 0, holds)
            arm = arm.replace(magazine=holds, rounds=rounds)
        arms.append(arm)
    line = Text("ego-magazine", {"name": fitting[0], "holds": holds})
    return _purchase_outcome(game, character, sheet.replace(arms=tuple(arms)), line)


def _magazine_size(field: str, size: int) -> int:
    """Return the size of a magazine. Raises InvalidInput("out-of-range")."""
    if not 1 <= size <= _MAX_MAGAZINE:
        bounds = {"lowest": 1, "highest": _MAX_MAGAZINE}
        raise InvalidInput("out-of-range", field=field, value=size, **bounds)
    return size


def gun_names(game: Game, sheet: EgoSheet) -> tuple[str, ...]:
    """Return the names of a character's weapons that fire."""
    rows: Mapping[str, Weapon] = rows_of(game.campaign, "weapons")
    names = [arm.name for arm in sheet.arms if arm.name in rows and rows[arm.name].fires]
    return tuple(dict.fromkeys(names))


_BUY: Final = deed("buy", Buy, buy, customer)
DEEDS: Final = (
    _BUY,
    deed("funds", GetFunds, get_funds, customer),
    deed("magazine", SetMagazine, set_magazine, customer),
)


# --- the shop -------------------------------------------------------------------------------------

#: Pieces that a menu offers at once.
_COUNTS: Final = tuple(range(1, 11))


def run_buy(game: Game, given: Values) -> CommandAction | CommandForm:
    """Buy what is named; without a name, open a form with everything for sale."""
    if given.get("what"):
        return _BUY.run(game, given)
    character = customer(game, given.get("as"))
    draft: dict[str, Any] = {"count": 1, **given}
    draft.pop("as", None)
    funds = money(game, character.sheet.funds)
    return CommandForm(
        partial(_shop_form, game),
        Text("ego-shop", {"name": character.name}),
        Text("ego-shop-buy"),
        lambda values: _BUY.run(game, {**given, **values}),
        draft,
        character.id,
        (Text("ego-shop-funds", {"funds": funds}),),
        partial(_shop_lines, game, character.sheet),
    )


def _shop_form(game: Game, draft: Values) -> Form:
    """Return the form of a purchase: rounds are asked only of a weapon that fires."""
    own: str = game.setting("currency")
    rows = local_goods(game)
    fields: list[Field] = [
        Pick(
            "what",
            title=Text("ego-shop-field", {"field": "what"}),
            choices=priced(rows.values(), own),
            find=lambda asking, text: text,
            needed=True,
            writable=True,
        ),
        Number(
            "count",
            title=Text("ego-shop-field", {"field": "count"}),
            low=1,
            needed=True,
            offered=_COUNTS,
            label=lambda count: Text("as-written", {"text": str(count)}),
            apart=True,
        ),
    ]
    row = goods(game.campaign).get(str(draft.get("what") or ""))
    if isinstance(row, Weapon) and row.fires:
        rounds = Text("ego-shop-rounds")
        fields.append(Flag("ammunition", title=rounds, label=rounds))
        title = Text("ego-shop-field", {"field": "magazine"})
        fields.append(Number("magazine", title=title, low=1, high=_MAX_MAGAZINE))
    price = Text("ego-shop-field", {"field": "price"})
    fields.append(Number("price", title=price, high=HIGHEST_POINTS))
    return Form(tuple(fields))


def _shop_lines(game: Game, sheet: EgoSheet, values: Values) -> Iterable[Text]:
    """Yield the cost of a purchase, if the tables or the buyer name one."""
    row = goods(game.campaign).get(values["what"])
    cost: int | None = values.get("price")
    if cost is None and row is not None:
        rounds = isinstance(row, Weapon) and values.get("ammunition")
        cost = row.ammunition_cost if isinstance(row, Weapon) and rounds else row.cost
    if cost is None:
        return
    total = cost * values.get("count", 1)
    left = sheet.funds - total
    about = {"cost": money(game, total), "funds": money(game, sheet.funds)}
    key = "over" if left < 0 else "left"
    yield Text("ego-shop-cost", {**about, key: money(game, abs(left))})
