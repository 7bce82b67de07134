"""What a table that plays EGO agrees on besides what all do (EGO-SET)."""

from __future__ import annotations

import re
from typing import Final

from rules.core.errors import InvalidInput
from rules.table.events import Line
from rules.table.forms import Flag, Form, Number, Option, Pick, Typed
from rules.table.settings import WINDOW, setting

#: The most of anything that is counted here.
_MOST: Final = 9999
#: Which skill shoots and throws what has no powder (EGO-RNG-01).
SHOOTING: Final = ("Gun Combat", "Gunnery", "Heavy Weapons", "Melee Combat", "Acrobatics")


_FUNDS: Final = re.compile(r"(\d{1,7})|(\d{1,2})d6(?:[x*×](\d{1,4}))?", re.IGNORECASE)


def read_funds(text: str) -> str:
    """What a new character has to spend, in its one form: `5000`, `3d6x10`; empty where the GM says so.

    InvalidInput("ego-bad-funds").
    """
    found = _FUNDS.fullmatch("".join(text.split()))
    if text.strip() and found is None:
        raise InvalidInput("ego-bad-funds", field="starting_funds", value=text[:100])
    if found is None or found[1]:
        return str(int(found[1])) if found else ""
    return f"{int(found[2])}d6x{int(found[3] or 1)}"


def _either(key: str, *values: str) -> Pick:
    """One of a few ways to read a rule, the first where nothing was agreed on."""
    offers = tuple(Option(each, Line("ego-setting", {"what": each})) for each in values)
    return setting(Pick(key, among=offers, usual=values[0], needed=True))


def _number(key: str, usual: int, *offered: int, low: int = 0) -> Number:
    """A number, 0 for none where 0 is among those offered."""

    def label(number: int) -> Line:
        return Line("ego-setting", {"number": number})

    return setting(Number(key, low=low, high=_MOST, offered=offered, label=label, usual=usual, needed=True))


_SKILLS: Final = tuple(Option(each, Line("as-written", {"text": each})) for each in SHOOTING)
SETTINGS: Final = Form(
    (
        WINDOW,
        _number("cbp", 100, 60, 80, 100, 120, 150, 200),
        _number("advantage_repeat_limit", 3, 1, 2, 3, 4, 5, low=1),
        setting(Flag("untrained_plus_one", usual=False)),
        _number("near_impossible_successes", 0, 0, 5, 6, 7, 8),
        _either("opposed_tie", "ask", "both", "nobody", "reroll"),
        _either("damage_halving", "per_die", "total_half_up"),
        _either("initiative_mode", "pips", "successes"),
        _either("impairment_mode", "full_quarters", "entered_quarters"),
        setting(Flag("excess_successes_to_damage", usual=False)),
        setting(Flag("max_range_rule", usual=False)),
        setting(Flag("dodge_vs_ranged", usual=False)),
        setting(Pick("archaic_ranged_skill", among=_SKILLS, usual=SHOOTING[0], needed=True)),
        _either("aoe_measure", "radius", "diameter"),
        setting(Flag("psionic_disciplines", usual=False)),
        _number("magic_pool_point_cost", 0, 0, 1, 2, 3, 5),
        setting(Flag("exp_buckets", usual=False)),
        _number("max_dice_pool", 0, 0, 10, 12, 15, 20),
        _either("collision_speed", "highest", "own", "other"),
        setting(Flag("collision_multiplier_objects", usual=True)),
        setting(Typed("starting_funds", usual="", most=20, blank=True, read=read_funds)),
        _either("enemy_ap", "one", "def"),
    )
)
