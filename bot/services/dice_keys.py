"""Keys that the dice of journal entries are drawn for, beside the seed."""

from __future__ import annotations

from bot.storage import codec
from bot.storage.redaction import REDACTED_ACTION
from bot.storage.row_records import EntryRow
from rules.table.actions import Action, StepIn


def dice_key(action: Action, request_id: str) -> str:
    """Return the key for the dice of an action: its request, or for a step-in its place.

    A step-in that is refused as too late shows something of its dice. So another try at the same
    stage of the same result draws the same dice.
    """
    if isinstance(action, StepIn):
        return f"step-in:{action.check}:{action.stage}:{action.revision}"
    return request_id


def entry_dice_key(row: EntryRow) -> str:
    """Return the key for the dice of a journal entry; empty if it is deleted."""
    if row.kind != StepIn.__name__:
        return row.request_id
    if row.action == REDACTED_ACTION:
        return ""
    return dice_key(codec.read_action(row.kind, row.action), row.request_id)
