"""Notes that keep bots off the two databases of a move, and what a start says of them."""

from __future__ import annotations

from typing import Final, Literal

from bot.storage.connection import Statements
from bot.storage.high_water_mark import UPSERT_NOTE

#: The note of a database that was moved: the move's id, and where to.
MOVED_TO: Final = "moved-to"
#: The note of the target of a move that is not finished: the move's id, and where from.
MOVING: Final = "moving"
#: Notes about the place that a database is in; a move leaves them where they are.
PLACE_NOTES: Final = frozenset({"schema", "form", "processes", "timeline", MOVED_TO, MOVING})


class DatabaseMoved(Exception):
    """A database on which no bot may start: moved, or the target of a move that was cut off."""


def move_note(connection: Statements, key: str) -> tuple[str, str] | None:
    """Return a move's id and the other database, as the note of this key has them."""
    row = connection.execute("SELECT value FROM note WHERE key = ?", (key,)).fetchone()
    if row is None:
        return None
    move_id, _, place = row[0].partition(" ")
    return move_id, place


def set_move_note(
    connection: Statements, key: Literal["moved-to", "moving"], move_id: str, place: str
) -> None:
    """Note a move; *place* is the other database without its password."""
    connection.execute(UPSERT_NOTE, (key, f"{move_id} {place}")).close()


def drop_move_note(connection: Statements, key: Literal["moved-to", "moving"]) -> None:
    """Delete the note of a move."""
    connection.execute("DELETE FROM note WHERE key = ?", (key,)).close()


def move_problem(connection: Statements) -> str | None:
    """Return why no bot may start on a database that has its tables; None if one may."""
    moving = move_note(connection, MOVING)
    if moving is not None:
        return (
            f"This database is the target of a move from {moving[1]} that was cut off. Run that "
            "`python -m bot move FROM TO` again; it begins anew."
        )
    moved = move_note(connection, MOVED_TO)
    if moved is None:
        return None
    return (
        f"This database was moved to {moved[1]}. Set STORYGUIDE_DATABASE to that. To go back to "
        "this older state instead, run `python -m bot move --undo` with this database."
    )


def require_startable(connection: Statements) -> None:
    """Raise DatabaseMoved if no bot may start on a database that has its tables."""
    problem = move_problem(connection)
    if problem is not None:
        raise DatabaseMoved(problem)
