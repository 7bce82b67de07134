"""Servers that their own tools set back to an older state, as noted or as their timeline shows."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from bot.ops.database_files import OperationRefused
from bot.ops.row_copy import refusals, require_form
from bot.storage.connection import Connection
from bot.storage.engines import open_rows
from bot.storage.high_water_mark import RESTORED_KEY, UPSERT_NOTE
from bot.storage.instance_lock import DatabaseInUse
from bot.storage.location import Where
from bot.storage.server_history import current_timeline, noted_timeline


def note_server_restored(where: Where, *, nothing_lost: bool = False) -> str:
    """Note that a server was set back, so that the next start draws new seeds.

    With *nothing_lost*, only note that the server's new timeline is all right, even while a bot
    runs. Return the line for the operator. Raises OperationRefused for a file or a server in use.
    """
    if isinstance(where, Path):
        raise OperationRefused(
            f"{where} is a file. Restore a copy of it with `python -m bot restore FILE`, which "
            "notes that by itself."
        )
    with ExitStack() as held, refusals("Nothing noted"):
        try:
            rows = open_rows(where, exclusive=not nothing_lost)
        except DatabaseInUse as error:
            raise OperationRefused(f"{where} is in use ({error}). Stop the bot first.") from error
        held.callback(rows.close)
        require_form(rows)
        rows.require_writable()
        with rows.errors():
            if not nothing_lost:
                rows.connection.execute(UPSERT_NOTE, (RESTORED_KEY, "")).close()
            rows.note_timeline()
    if nothing_lost:
        return f"{where} counts as complete."
    return (
        f"{where} is noted as restored. Start the bot now: every table gets new seeds, and buttons "
        "from before do nothing."
    )


def timeline_problem(connection: Connection) -> tuple[str | None, str | None]:
    """Return a problem and a hint about a server's timeline, for `doctor`.

    The timeline changes when the server is restored, and when a replica takes over.
    """
    current, noted = current_timeline(connection), noted_timeline(connection)
    if current is None:
        return None, (
            "This role may not call pg_walfile_name, so a restore of the server isn't noticed. "
            "Run `python -m bot restored` after each."
        )
    if noted is None or noted == current:
        return None, None
    return (
        f"The server's timeline was {noted} and is {current}: it was restored, or a replica took "
        "over while no bot ran. If it may lack what players have seen, stop the bot and run "
        "`python -m bot restored`. Otherwise run `python -m bot restored --nothing-lost`."
    ), None
