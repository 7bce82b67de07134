"""What a text cannot say without a function; the catalogue knows them by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bot.presenters.dice import pointed
from bot.presenters.text import Said, code_text, listing

#: Settings that are called otherwise in `/gm settings`.
SETTING_OPTIONS: Final[dict[str, str]] = {
    "window": "window_minutes",
    "remind_after": "remind_hours",
    "hit_window": "hit_hours",
}


def _setting(said: Said) -> str:
    field = str(said.raw("field"))
    return code_text(SETTING_OPTIONS[field]) if field in SETTING_OPTIONS else said.option("field")


def _leaders(said: Said) -> str:
    people = said.raw("gms")
    roles = said.raw("roles")
    named = [said.mention(gm) for gm in people] if isinstance(people, tuple) else []
    named += [f"<@&{role}>" for role in roles if role.isdigit()] if isinstance(roles, tuple) else []
    return listing(named) or "somebody"


FUNCTIONS: Final[dict[str, Callable[[Said], str]]] = {
    "leaders": _leaders,
    "pointed": pointed,
    "setting": _setting,
}
