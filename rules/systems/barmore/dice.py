"""Die types: one for a whole pool (BAR-DIE)."""

from __future__ import annotations

import re
from typing import Final

from rules.core.errors import NotFound
from rules.core.names import similar_or_first
from rules.systems.barmore.tables import DICE, STANDARD_ID, DieType

DIE_TYPES: Final[dict[str, DieType]] = {die.id: die for die in DICE}
STANDARD: Final = DIE_TYPES[STANDARD_ID]

_MINUS: Final = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_SPACE: Final = re.compile(r"\s+")
_SHOWN: Final = 60


def _key(text: str) -> str:
    """A die as dice are compared: `D10 \u2212 1` and `1d10-1` are `10-1`."""
    plain = _SPACE.sub("", _MINUS.sub("-", text.casefold())).replace("\uff0b", "+")
    head, _, tail = plain.rpartition("d")
    return tail if head in ("", "1") else plain


_BY_KEY: Final = {_key(name): die for name, die in DIE_TYPES.items()}


def find_die_type(text: str) -> DieType:
    """The die type meant: with or without the d, in any case, with any kind of minus (BAR-DIE).

    Raises NotFound("unknown-choice", field, value, nearest).
    """
    found = DIE_TYPES.get(text) or _BY_KEY.get(_key(text[:_SHOWN]))
    if found is None:
        nearest = similar_or_first(text[:_SHOWN], DIE_TYPES)
        raise NotFound("unknown-choice", field="die", value=text[:_SHOWN], nearest=nearest)
    return found
