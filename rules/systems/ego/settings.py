"""What a table that plays EGO agrees on besides what all do (EGO-SET)."""

from __future__ import annotations

import re
from typing import Final

from rules.core.data_rows import from_json, json_loader
from rules.core.errors import InvalidInput
from rules.table.choice_rows import OptionRow, option_fields
from rules.table.forms import Form
from rules.table.settings import REACTION_SETTINGS

#: The most of anything that is counted here.
_MOST: Final = 9999

_FUNDS: Final = re.compile(r"(\d{1,7})|(\d{1,2})d6(?:[x*×](\d{1,4}))?", re.IGNORECASE)


def read_funds(text: str) -> str:
    """What a new character has to spend, in its one form: `5000`, `3d6x10`; empty where the GM says
    so.

    InvalidInput("ego-bad-funds").
    """
    found = _FUNDS.fullmatch("".join(text.split()))
    if text.strip() and found is None:
        raise InvalidInput("ego-bad-funds", field="starting_funds", value=text[:100])
    if found is None or found[1]:
        return str(int(found[1])) if found else ""
    return f"{int(found[2])}d6x{int(found[3] or 1)}"


_ROWS: Final = from_json(tuple[OptionRow, ...], json_loader("rules.systems.ego", "settings")())
SETTINGS: Final = Form((*REACTION_SETTINGS, *option_fields(_ROWS, _MOST, read_funds)))
