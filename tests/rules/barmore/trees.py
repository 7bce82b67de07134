"""A tree, trees or a chart alone, read as a campaign's are: the places of mistakes without that of
the whole.
"""

from __future__ import annotations

from typing import Any

from rules.core.errors import Problems
from rules.core.json_reader import Reader
from rules.systems.barmore.campaign import read_campaign
from rules.systems.barmore.trait_trees import (
    ATTRIBUTE_FORM,
    MOST_NODES,
    TraitTrees,
    Tree,
    check_nodes,
    node_of,
)
from rules.systems.barmore.wounds import Chart
from rules.table.forms.entry_fields import Rows
from rules.table.forms.fields import NO_CONTEXT
from rules.table.forms.form import Form


def read_tree(data: object, field: str) -> Tree:
    """A tree from its JSON list of nodes. Raises only Problems("bad-campaign", count)."""
    reader = Reader()
    values = Form((Rows(field, ATTRIBUTE_FORM, most=MOST_NODES),)).read_into(
        reader, {field: data}, NO_CONTEXT, ""
    )
    if field in values:
        check_nodes(reader, field, values[field])
    if reader.problems:
        raise Problems("bad-campaign", reader.problems, count=len(reader.problems))
    return tuple(map(node_of, values[field]))


def _read(part: str, data: object) -> Any:
    try:
        return getattr(read_campaign({part: data}), part)
    except Problems as error:
        for each in error.problems:
            each.params["field"] = str(each.params["field"]).removeprefix(part).removeprefix(".")
        raise


def read_traits(data: object) -> TraitTrees:
    """A campaign's two trees."""
    return _read("traits", data)


def read_chart(data: object) -> Chart:
    """A campaign's Wound chart."""
    return _read("chart", data)
