"""Settings of a table that plays EGO, beside the common ones (EGO-SET)."""

from __future__ import annotations

import re
from typing import Final

from rules.core.data_rows import from_json, json_loader
from rules.core.errors import InvalidInput
from rules.table.forms.form import Form
from rules.table.settings.choice_rows import OptionRow, option_fields
from rules.table.settings.table_settings import REACTION_SETTINGS

#: Highest value of a counted setting.
_MAX_NUMBER: Final = 9999

_FUNDS: Final = re.compile(r"(\d{1,7})|(\d{1,2})d6(?:[x*×](\d{1,4}))?", re.IGNORECASE)


def read_funds(text: str) -> str:
    """Return starting funds in their one form: `5000`, `3d6x10`; empty if the GM decides.

    Raises InvalidInput("ego-bad-funds").
    """
    match = _FUNDS.fullmatch("".join(text.split()))
    if text.strip() and match is None:
        raise InvalidInput("ego-bad-funds", field="starting_funds", value=text[:100])
    if match is None or match[1]:
        return str(int(match[1])) if match else ""
    return f"{int(match[2])}d6x{int(match[3] or 1)}"


_ROWS: Final = from_json(tuple[OptionRow, ...], json_loader("rules.systems.ego", "settings")())
SETTINGS: Final = Form((*REACTION_SETTINGS, *option_fields(_ROWS, _MAX_NUMBER, read_funds)))
