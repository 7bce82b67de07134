"""One tree alone, read as a campaign's trees are."""

from __future__ import annotations

from rules.systems.barmore.traits import ATTRIBUTE, MOST_NODES, Tree, check_nodes, node_of
from rules.table.forms import Form, Rows


def read_tree(data: object, field: str) -> Tree:
    """A tree from its JSON list of nodes. Raises only Problems("bad-tree", count)."""
    values = Form((Rows(field, ATTRIBUTE, most=MOST_NODES),)).read_file(
        {field: data},
        "bad-tree",
        lambda reader, values: check_nodes(reader, field, values[field]) if field in values else None,
    )
    return Tree(tuple(map(node_of, values[field])))
