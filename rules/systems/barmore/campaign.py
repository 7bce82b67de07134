"""What a table agrees on: its trees of traits, its Wound chart, and how it plays (BAR-TRAIT, BAR-TRAUMA, BAR-AUTO)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from rules.core.errors import Param, Problems, RulesError
from rules.core.reading import Reader
from rules.core.record import record
from rules.systems.barmore.traits import DEFAULT_TRAITS, Traits, read_traits, write_traits
from rules.systems.barmore.wounds import DEFAULT_CHART, Chart, read_chart, write_chart
from rules.table.events import Line
from rules.table.forms import NOBODY, Flag, Form

_FIELDS: Final = ("traits", "chart", "options")
OPTIONS: Final = Form((Flag("dice_phobes", usual=True), Flag("minor_npcs", usual=True)))


@record
class Campaign:
    """A table's own trees and chart.

    With `dice_phobes` any player may do without dice; with `minor_npcs` NPCs of whom nothing is written
    down never roll (BAR-AUTO).
    """

    traits: Traits = DEFAULT_TRAITS
    chart: Chart = DEFAULT_CHART
    dice_phobes: bool = True
    minor_npcs: bool = True


DEFAULT: Final = Campaign()


def read_campaign(data: Mapping[str, object]) -> Campaign:
    """A campaign from a JSON object of `traits`, `chart` and `options`; what is left out is as it ships.

    Raises only Problems("bad-campaign", count) with every violation, each with the whole way to its field.
    """
    reader = Reader()
    reader.note_unknown(data, _FIELDS, "")
    problems: list[RulesError] = []
    found: dict[str, Any] = {}
    for field, read in (("traits", read_traits), ("chart", read_chart)):
        value = reader.read_object(field, data[field]) if field in data else None
        if value is None:
            continue
        try:
            found[field] = read(value)
        except Problems as error:
            problems += [_within(problem, field) for problem in error.problems]
    if "options" in data:
        found |= OPTIONS.read_into(reader, data["options"], NOBODY, "options")
    problems = [*reader.problems, *problems]
    if problems:
        raise Problems("bad-campaign", problems, count=len(problems))
    return Campaign(**found)


def _within(problem: RulesError, field: str) -> RulesError:
    path = cast("str", problem.params.get("field", ""))
    return type(problem)(problem.code, **{**problem.params, "field": f"{field}.{path}"})


def write_campaign(campaign: Campaign) -> dict[str, object]:
    """The JSON object that `read_campaign` reads back to the same campaign."""
    return {
        "traits": write_traits(campaign.traits),
        "chart": write_chart(campaign.chart),
        "options": OPTIONS.written(campaign),
    }


def describe_campaign(campaign: Campaign) -> tuple[Line, ...]:
    """What the table has agreed on, in a few lines."""
    traits, chart = campaign.traits, campaign.chart

    def roots(nodes: tuple[str, ...], count: int) -> dict[str, Param]:
        return {"count": count, "roots": nodes}

    abilities, attributes = traits.abilities.nodes, traits.attributes.nodes
    return (
        Line(
            "bar-campaign-abilities",
            roots(tuple(node.name for node in abilities if node.parent is None), len(abilities)),
        ),
        Line(
            "bar-campaign-attributes",
            roots(tuple(node.name for node in attributes if node.parent is None), len(attributes)),
        ),
        Line("bar-campaign-chart", {"rows": tuple(f"{row.name} from {row.from_}" for row in chart.rows)}),
        Line("bar-campaign-phobes" if campaign.dice_phobes else "bar-campaign-no-phobes"),
        Line("bar-campaign-minor" if campaign.minor_npcs else "bar-campaign-no-minor"),
    )
