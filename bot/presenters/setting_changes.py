"""Changed settings in the message and in the log: the name of each, its old and its new value."""

from __future__ import annotations

from rules.table.blocks import Text
from rules.table.events import Notice

_CHANGED = "setting-changed"


def only_change(event: Notice) -> Text | None:
    """Return the change of a setting that heads its message; None if several settings changed."""
    changed = [line for line in event.lines if line.code == _CHANGED]
    return values_line(changed[0]) if len(changed) == 1 else None


def values_line(line: Text) -> Text:
    """Return a line about a change of a setting without what the new value does."""
    return line.replace(params={**line.params, "does": None}) if line.code == _CHANGED else line
