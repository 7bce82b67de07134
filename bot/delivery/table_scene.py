"""Scenes of tables in memory, for presenters."""

from __future__ import annotations

from bot.presenters.names import DirectoryNames
from bot.presenters.scene import Scene
from bot.services.loaded_table import Table


def scene_of(table: Table) -> Scene:
    """Return the scene of a table: state, names, and the commitments of the seeds in use."""
    # The newest comes last; the one for shuffles is never revealed, each shuffle publishes its own.
    seeds = {row.stream: row.commitment for row in table.seeds if row.stream != "shuffle"}
    return Scene(table.id, table.state, DirectoryNames(table.directory), seeds)
