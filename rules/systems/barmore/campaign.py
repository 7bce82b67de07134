"""Campaign of a table: its trees of traits, its Wound chart, and its options.

BAR-TRAIT, BAR-TRAUMA, BAR-AUTO.
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
from rules.table.check import Values
from rules.table.forms.fields import NO_CONTEXT, Flag
from rules.table.forms.form import Form

OPTIONS: Final = Form((Flag("dice_phobes", default=True), Flag("minor_npcs", default=True)))
#: Parts of a campaign's file: each with its form, and a check across its fields.
_PARTS: Final[Mapping[str, tuple[Form, Callable[[Reader, Values, str], None]]]] = {
    "traits": (TREE_FORM, check_traits),
    "chart": (CHART_FORM, check_chart),
    "options": (OPTIONS, lambda reader, values, place: None),
}


class Campaign(Record):
    """A table's own trees, chart and options."""

    traits: TraitTrees = DEFAULT_TRAITS
    chart: Chart = DEFAULT_CHART
    #: Any player may do without dice (BAR-AUTO).
    dice_phobes: bool = True
    #: NPCs without abilities and attributes never roll (BAR-AUTO).
    minor_npcs: bool = True


DEFAULT_CAMPAIGN: Final = Campaign()


def read_campaign(data: Mapping[str, object]) -> Campaign:
    """Return the campaign of a JSON object with `traits`, `chart` and `options`.

    A part that is left out is the one that ships. Raises only Problems("bad-campaign") with every
    violation, each with the full path of its field.
    """
    reader = Reader()
    parts: dict[str, dict[str, Any]] = {}
    reader.note_unknown(data, tuple(_PARTS), "")
    for key, (form, check) in _PARTS.items():
        if key in data:
            parts[key] = form.read_into(reader, data[key], NO_CONTEXT, key)
            check(reader, parts[key], key)
    if reader.problems:
        raise Problems("bad-campaign", reader.problems, count=len(reader.problems))
    traits, chart = DEFAULT_TRAITS, DEFAULT_CHART
    if "traits" in parts:
        traits = TREE_FORM.make_record(TraitTrees, parts["traits"])
    if "chart" in parts:
        chart = CHART_FORM.make_record(Chart, parts["chart"])
    return Campaign(traits, chart, **parts.get("options", {}))


def write_campaign(campaign: Campaign) -> dict[str, object]:
    """Return the JSON object that `read_campaign` reads back as the same campaign."""
    return {
        "traits": TREE_FORM.all_values(campaign.traits),
        "chart": CHART_FORM.all_values(campaign.chart),
        "options": OPTIONS.all_values(campaign),
    }


def describe_campaign(campaign: Campaign) -> tuple[Text, ...]:
    """Return the campaign of the table in a few lines."""
    lines: list[dict[str, Value]] = []
    for key in ("abilities", "attributes"):
        nodes = getattr(campaign.traits, key)
        roots = tuple(node.name for node in nodes if node.parent is None)
        lines.append({"of": key, "count": len(nodes), "rows": roots})
    rows = tuple(f"{row.name} from {row.from_}" for row in campaign.chart.rows)
    lines.append({"of": "chart", "rows": rows})
    lines.extend({"of": key, "so": getattr(campaign, key)} for key in OPTIONS.keys)
    return tuple(Text("bar-campaign", line) for line in lines)
