"""One tree alone, read as a campaign's trees are."""

from __future__ import annotations

from rules.core.errors import Problems
from rules.core.reading import Reader
from rules.systems.barmore.traits import ATTRIBUTE, Tree, read_nodes


def read_tree(data: object, field: str) -> Tree:
    """A tree from its JSON list of nodes. Raises only Problems("bad-tree", count)."""
    reader = Reader()
    nodes = read_nodes(reader, field, data, ATTRIBUTE)
    if reader.problems:
        raise Problems("bad-tree", reader.problems, count=len(reader.problems))
    return Tree(nodes)
