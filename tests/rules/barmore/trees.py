"""One tree alone, read as a campaign's trees are."""

from __future__ import annotations

from rules.core.errors import Problems
from rules.systems.barmore.traits import Tree, _TreeReader


def read_tree(data: object, field: str) -> Tree:
    """A tree from its JSON list of nodes. Raises only Problems("bad-tree", count)."""
    reader = _TreeReader()
    nodes = reader.read_nodes(field, data, activities=True)
    if reader.problems:
        raise Problems("bad-tree", reader.problems, count=len(reader.problems))
    return Tree(nodes)
