"""What a text cannot say without a function; the catalogue knows them by name."""

from __future__ import annotations

from typing import Final

from bot.presenters.dice import pointed
from bot.presenters.text import Function, Said, code_text, listing
from rules.table.texts import is_id

#: Settings that are called otherwise in `/gm settings`.
SETTING_OPTIONS: Final[dict[str, str]] = {
    "window": "window_minutes",
    "remind_after": "remind_hours",
    "hit_window": "hit_hours",
}
#: How many seconds one of their units there has.
SETTING_UNITS: Final[dict[str, int]] = {"window": 60, "remind_after": 3600, "hit_window": 3600}


def _setting(said: Said) -> str:
    field = str(said.raw("field"))
    return code_text(SETTING_OPTIONS[field]) if field in SETTING_OPTIONS else said.option("field")


def _leaders(said: Said) -> str:
    named = [said.mention(gm) for gm in said.raws("gms")]
    named += [f"<@&{role}>" for role in said.raws("gm_roles") if is_id(role)]
    return listing(named) or "the GM"


FUNCTIONS: Final[dict[str, Function]] = {
    "leaders": _leaders,
    "pointed": pointed,
    "setting": _setting,
}
