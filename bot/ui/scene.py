"""From a table in memory to what presenters need to know of it."""

from __future__ import annotations

from bot.presenters.names import DirectoryNames
from bot.presenters.scene import Scene
from bot.services.tables import Table


def scene_of(table: Table) -> Scene:
    """The table as presenters see it: state, names, and the commitments of the seeds in use."""
    seeds = {row.stream: row.commitment for row in table.seeds}  # the newest comes last
    return Scene(table.id, table.state, DirectoryNames(table.directory), seeds)
