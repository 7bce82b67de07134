"""What a table agrees on: its trees of traits, its Wound chart, and how it plays (BAR-TRAIT,
BAR-TRAUMA, BAR-AUTO).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from rules.core.errors import Problems
from rules.core.json_reader import Reader
from rules.core.record import Record
from rules.systems.barmore.trait_trees import DEFAULT_TRAITS, TREE_FORM, TraitTrees, check_traits
from rules.systems.barmore.wounds import CHART_FORM, DEFAULT_CHART, Chart, check_chart
from rules.table.blocks import Text, Value
from rules.table.forms import NO_CONTEXT, Flag, Form, Values

OPTIONS: Final = Form((Flag("dice_phobes", default=True), Flag("minor_npcs", default=True)))
#: What a campaign's file has: a form each, and what spans its fields.
_PARTS: Final[Mapping[str, tuple[Form, Callable[[Reader, Values, str], None]]]] = {
    "traits": (TREE_FORM, check_traits),
    "chart": (CHART_FORM, check_chart),
    "options": (OPTIONS, lambda reader, values, place: None),
}


class Campaign(Record):
    """A table's own trees and chart.

    With `dice_phobes` any player may do without dice; with `minor_npcs` NPCs of whom nothing is
    written down never roll (BAR-AUTO).
    """

    traits: TraitTrees = DEFAULT_TRAITS
    chart: Chart = DEFAULT_CHART
    dice_phobes: bool = True
    minor_npcs: bool = True


DEFAULT_CAMPAIGN: Final = Campaign()


def read_campaign(data: Mapping[str, object]) -> Campaign:
    """A campaign from a JSON object of `traits`, `chart` and `options`; what is left out is as it
    ships.

    Raises only Problems("bad-campaign", count) with every violation, each with the whole way to its
    field.
    """
    reader, found = Reader(), dict[str, dict[str, Any]]()
    reader.note_unknown(data, tuple(_PARTS), "")
    for key, (form, check) in _PARTS.items():
        if key in data:
            found[key] = form.read_into(reader, data[key], NO_CONTEXT, key)
            check(reader, found[key], key)
    if reader.problems:
        raise Problems("bad-campaign", reader.problems, count=len(reader.problems))
    traits = (
        TREE_FORM.make_record(TraitTrees, found["traits"]) if "traits" in found else DEFAULT_TRAITS
    )
    chart = CHART_FORM.make_record(Chart, found["chart"]) if "chart" in found else DEFAULT_CHART
    return Campaign(traits, chart, **found.get("options", {}))


def write_campaign(campaign: Campaign) -> dict[str, object]:
    """The JSON object that `read_campaign` reads back to the same campaign."""
    return {
        "traits": TREE_FORM.all_values(campaign.traits),
        "chart": CHART_FORM.all_values(campaign.chart),
        "options": OPTIONS.all_values(campaign),
    }


def describe_campaign(campaign: Campaign) -> tuple[Text, ...]:
    """What the table has agreed on, in a few lines."""

    found: list[dict[str, Value]] = []
    for key in ("abilities", "attributes"):
        nodes = getattr(campaign.traits, key)
        roots = tuple(each.name for each in nodes if each.parent is None)
        found.append({"of": key, "count": len(nodes), "rows": roots})
    rows = tuple(f"{row.name} from {row.from_}" for row in campaign.chart.rows)
    found.append({"of": "chart", "rows": rows})
    found.extend({"of": key, "so": getattr(campaign, key)} for key in OPTIONS.keys)
    return tuple(Text("bar-campaign", each) for each in found)
