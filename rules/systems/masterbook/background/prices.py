"""`/mb background pay`: prices and debts of Advantages (MB-BG-47, MB-BG-56)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.background.completions import (
    WHO_FIELD,
    option_choices,
    priced_advantages,
)
from rules.systems.masterbook.background.matters import MATTER_FIELD, matter_text
from rules.systems.masterbook.background.state import (
    NAME_MOST,
    Matter,
    find_option,
    linked_advantages,
    open_matters,
    option_name,
    own_or_known,
    require_matter,
    state_of,
    with_matter,
    with_option,
    with_state_of,
    without_matter,
)
from rules.systems.masterbook.character.options import (
    BackgroundOption,
    Options,
    OptionState,
    gives_of,
)
from rules.systems.masterbook.character.sheet import MasterbookSheet, option_effects
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.action_economy import ref
from rules.systems.masterbook.checks.card_windows import spent_luck
from rules.systems.masterbook.formulas.background import pay_prices
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, Audience, Note, Text
from rules.table.commands import PendingButton
from rules.table.deeds import Deed
from rules.table.events import Reported
from rules.table.forms.fields import Flag, Typed
from rules.table.forms.form import Form
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, require_gm
from rules.table.state import AnyCharacter
from rules.table.system import Game

COMMAND: Final = "background pay"
#: Input for the Life Points of a price; a price without it is a fee or favor.
_LIFE_POINTS: Final = "life points"


def price_points(option: BackgroundOption) -> int:
    """Return the Life Points that a price takes; 0 for fees and favors (MB-BG-56)."""
    return option.number(_LIFE_POINTS)


def is_used(game: Game, who: str, option: BackgroundOption) -> bool:
    """Return whether an Advantage is known to have been used in this adventure."""
    if option_name(option) in state_of(game, who).used:
        return True
    has_luck = any(gives.luck for gives in gives_of(option, "advantage"))
    return has_luck and bool(spent_luck(game, who))


def with_use(game: Game, who: str, option: BackgroundOption) -> Game:
    """Return the game with an Advantage noted as used in this adventure."""
    state, name = state_of(game, who), option_name(option)
    if name in state.used:
        return game
    return with_state_of(game, who, state.replace(used=(*state.used, name)))


# --- at the end of an adventure -------------------------------------------------------------------


def life_point_prices(sheet: MasterbookSheet) -> Options:
    """Return the active prices that are paid in Life Points, not by a fee or favor (MB-BG-56)."""
    return tuple(price for price in prices_of(sheet) if price_points(price))


def is_price_due(game: Game, who: str, price: BackgroundOption) -> bool:
    """Return whether an Advantage that a price hangs on was used in this adventure."""
    advantages = linked_advantages(game.sheet(who), price)
    return any(is_used(game, who, advantage) for advantage in advantages)


def collect_prices(game: Game, who: str) -> tuple[Game, tuple[Text, ...]]:
    """Return the game after an adventure's prices in Life Points, and a line for each.

    Prices of Advantages that were used are paid in their order. One that can't be paid suspends its
    Advantage, and for good if it wasn't paid before (MB-BG-56). If no use is known, the bot asks
    the GMs.
    """
    due: list[BackgroundOption] = []
    for price in life_point_prices(game.sheet(who)):
        if is_price_due(game, who, price):
            due.append(price)
        else:
            points, name = price_points(price), option_name(price)
            matter = Matter(0, "price", who, name, "adventure-end", points=points)
            game, _ = with_matter(game, matter)
    return pay_due_prices(game, who, due)


def pay_due_prices(
    game: Game, who: str, due: list[BackgroundOption]
) -> tuple[Game, tuple[Text, ...]]:
    """Return the game with prices paid in their order, or with what follows if they can't be."""
    if not due:
        return game, ()
    sheet: MasterbookSheet = game.sheet(who)
    result = pay_prices(sheet.life_points, [price_points(price) for price in due])
    game = game.with_sheet(who, sheet.replace(life_points=result.left))
    lines: list[Text] = []
    for place, price in enumerate(due):
        if place in result.paid:
            game = _with_paid(game, who, price, paid=True)
            lines.append(_price_text(game, who, price, paid=True))
        else:
            game, line = _miss_payment(game, who, price)
            lines.append(line)
    return game, tuple(lines)


def _miss_payment(game: Game, who: str, price: BackgroundOption) -> tuple[Game, Text]:
    """Return the game after a price isn't paid, and the line about it (MB-BG-56)."""
    lost = option_name(price) in state_of(game, who).unpaid
    line = _price_text(game, who, price, paid=False, lost=lost)
    return _with_paid(game, who, price, paid=False, lost=lost), line


def _price_text(
    game: Game, who: str, price: BackgroundOption, *, paid: bool, lost: bool = False
) -> Text:
    """Return the line about a price: paid or not, and what that does to its Advantages."""
    advantages = linked_advantages(game.sheet(who), price)
    about = {
        "who": ref(game.character(who)),
        "price": option_name(price),
        "paid": paid,
        "points": price_points(price) or None,
        "lost": lost,
        "advantages": tuple(option_name(advantage) for advantage in advantages),
    }
    return Text("mb-price-end", about)


def _with_paid(
    game: Game, who: str, price: BackgroundOption, *, paid: bool, lost: bool = False
) -> Game:
    """Return the game with a price paid, due, or lapsed together with its Advantages."""
    sheet: MasterbookSheet = game.sheet(who)
    state_after: OptionState = "suspended"
    if paid:
        state_after = ""
    elif lost:
        state_after = "lost"
    for advantage in linked_advantages(sheet, price):
        changed = advantage.replace(state=state_after)
        game = with_option(game, who, "advantage", advantage, changed)
    if lost:
        game = with_option(game, who, "compensation", price, price.replace(state="lost"))
    state, name = state_of(game, who), option_name(price)
    unpaid = tuple(other for other in state.unpaid if other != name)
    if not paid and not lost:
        unpaid = (*unpaid, name)
    return with_state_of(game, who, state.replace(unpaid=unpaid))


# --- by hand --------------------------------------------------------------------------------------


class PayPrice(Action, kw_only=True):
    """Pay a price or a debt, or note that an Advantage was used or a price wasn't paid."""

    #: Character who pays; empty for the main character.
    character: str = ""
    price: str = ""
    #: Advantage that was used, for a GM.
    used: str = ""
    #: Whether the price wasn't paid, for a GM.
    unpaid: bool = False
    #: Number of the matter that a GM settles.
    matter: int | None = None


def pay(game: Game, action: PayPrice) -> Outcome:
    """Pay a price or a debt, or note that an Advantage was used or a price wasn't paid.

    Raises:
        Impossible("mb-price-none"): nothing is due.
        InvalidInput("mb-price-high"): the character lacks the Life Points.
        NotPermitted("gm-only"): a player settles what only GMs may.
        As `own_or_known`, `find_option` and `require_matter`.
    """
    if action.matter is not None:
        require_gm(game.state, game.actor)
        return _settle(game, require_matter(game, action.matter))
    who = own_or_known(game, action.character or None)
    if action.used:
        require_gm(game.state, game.actor)
        advantages = priced_advantages(who.sheet)
        used = find_option(advantages, action.used, field="used", name=who.name)
        game = with_use(game, who.id, used)
        return _price_outcome(game, who, Text("mb-price-used", {"option": option_name(used)}))
    if action.unpaid:
        require_gm(game.state, game.actor)
        prices = prices_of(who.sheet)
        price = find_option(prices, action.price or None, field="price", name=who.name)
        game, line = _miss_payment(game, who.id, price)
        return _price_outcome(game, who, line)
    due = unpaid_prices(game, who.id)
    if not due:
        raise Impossible("mb-price-none", name=who.name)
    return _pay_unpaid(game, who, find_option(due, action.price or None, field="price", name=""))


def prices_of(sheet: MasterbookSheet) -> Options:
    """Return the prices of a sheet."""
    return tuple(price.option for price in option_effects(sheet).prices)


def unpaid_prices(game: Game, who: str) -> Options:
    """Return the prices of a character that are due and not paid."""
    names = state_of(game, who).unpaid
    held: Options = game.sheet(who).compensations
    return tuple(option for option in held if option_name(option) in names)


def _pay_unpaid(game: Game, who: AnyCharacter, price: BackgroundOption) -> Outcome:
    """Pay a price that was due: its Advantages work again."""
    sheet: MasterbookSheet = who.sheet
    points = price_points(price)
    if not points:
        require_gm(game.state, game.actor)
    if points > sheet.life_points:
        raise InvalidInput(
            "mb-price-high", field="price", value=points, have=sheet.life_points, name=who.name
        )
    game = game.with_sheet(who.id, sheet.replace(life_points=sheet.life_points - points))
    game = _with_paid(game, who.id, price, paid=True)
    return _price_outcome(game, who, _price_text(game, who.id, price, paid=True))


def _price_outcome(game: Game, who: AnyCharacter, line: Text) -> Outcome:
    """Return an outcome that the owner and the GMs read."""
    people = () if who.owner is None else (who.owner,)
    audience = Audience(gms=True, people=people)
    title = Text("mb-price-title", {"name": who.name})
    note = Note(line, FOR_EVERYONE)
    event = Reported(audience=audience, title=title, blocks=(note,), by=game.actor.id)
    return Outcome(game.state, (event,))


def _settle(game: Game, matter: Matter) -> Outcome:
    """Settle a price, a fee or goods by a GM's button."""
    game, who = without_matter(game, matter.number), game.character(matter.who)
    if matter.kind == "goods":
        state = state_of(game, who.id)
        game = with_state_of(game, who.id, state.replace(handed_in=True))
    if matter.kind != "price":
        about = {"who": ref(who), "kind": matter.kind, "option": matter.option}
        return _price_outcome(game, who, Text("mb-price-settled", about))
    held: Options = who.sheet.compensations
    due = [option for option in held if option_name(option) == matter.option]
    game, lines = pay_due_prices(game, who.id, due)
    if not lines:
        raise Impossible("mb-background-settled")
    return _price_outcome(game, who, lines[0])


_PRICE: Final = Typed("price", most=NAME_MOST, choices=option_choices(prices_of))
_UNPAID: Final = Flag("unpaid")
_USED: Final = Typed("used", most=NAME_MOST, choices=option_choices(priced_advantages))
_FIELDS: Final = (WHO_FIELD, _PRICE, _USED, _UNPAID)
_PAY: Final = Deed(COMMAND, PayPrice, pay, (*_FIELDS, MATTER_FIELD), openly=False)
#: Matters that a button settles as paid.
_PAID: Final = ("price", "fee", "debt", "goods")


def _due(game: Game) -> Iterator[PendingButton]:
    """Yield the prices and debts that wait for a GM's word."""
    if not is_gm(game.state, game.actor):
        return
    for matter in open_matters(game):
        if matter.kind in _PAID:
            label = Text("mb-price-pay", {"points": matter.points or None})
            values = {MATTER_FIELD.key: matter.number}
            yield PendingButton(matter_text(game, matter), label, values, offer=True)


DEEDS: Final = (_PAY,)
COMMANDS: Final = (command(COMMAND, _PAY.run, *_FIELDS, pressed=Form((MATTER_FIELD,)), waits=_due),)
