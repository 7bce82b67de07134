"""Checks of any procedures, also of unregistered systems, read from their stored form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bot.storage.codec import decoder
from rules.table.check import Check
from rules.table.checks.procedure import AnyProcedure


def read_check(procedures: Mapping[str, AnyProcedure], text: str) -> Any:
    """Return a check from its stored form. Raises KeyError if no procedure has its kind."""
    check: Any = Check
    procedure = procedures[json.loads(text)["kind"]]
    return decoder(check[procedure.data]).decode(text)
