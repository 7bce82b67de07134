"""Choices of the options of `/mb background`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rules.core.errors import RulesError
from rules.systems.masterbook.background.state import hangs_on, name_options, own_or_known
from rules.systems.masterbook.character.options import BackgroundOption, Options
from rules.systems.masterbook.character.sheet import MasterbookSheet, option_effects
from rules.table.commands import NAME_MAX, known_character_options
from rules.table.forms.fields import FormContext, Option, Typed

#: Character whose background it is.
WHO_FIELD: Final = Typed("character", most=NAME_MAX, choices=known_character_options)
WHO_NEEDED: Final = Typed("character", most=NAME_MAX, needed=True, choices=known_character_options)


def option_choices(
    options: Callable[[MasterbookSheet], Options],
) -> Callable[[FormContext], tuple[Option, ...]]:
    """Return the choices of a field: options of the named character, or of the player's own."""

    def choices(asking: FormContext) -> tuple[Option, ...]:
        if asking.game is None:
            return ()
        try:
            character = own_or_known(asking.game, asking.values.get("character"))
        except RulesError:
            return ()
        return name_options(options(character.sheet))

    return choices


def all_options(sheet: MasterbookSheet) -> Options:
    """Return the Advantages and Compensations of a sheet that aren't lost."""
    held = (*sheet.advantages, *sheet.compensations)
    return tuple(option for option in held if option.state != "lost")


def quirks_of(sheet: MasterbookSheet) -> Options:
    """Return the Quirks of a sheet."""
    return tuple(quirk.option for quirk in option_effects(sheet).quirks)


def heels_of(sheet: MasterbookSheet) -> Options:
    """Return the Achilles' Heels of a sheet."""
    return tuple(heel.option for heel in option_effects(sheet).heels)


def contacts_of(sheet: MasterbookSheet) -> Options:
    """Return the contacts of a sheet."""
    return option_effects(sheet).contacts


def flaws_of(sheet: MasterbookSheet) -> Options:
    """Return the flaws and burn-outs of a sheet."""
    effects = option_effects(sheet)
    return tuple(linked.option for linked in (*effects.flaws, *effects.burn_outs))


def priced_advantages(sheet: MasterbookSheet) -> Options:
    """Return the Advantages that have a price."""
    prices = [price.option for price in option_effects(sheet).prices]

    def has_price(advantage: BackgroundOption) -> bool:
        return any(hangs_on(price, advantage) for price in prices)

    return tuple(advantage for advantage in sheet.advantages if has_price(advantage))
