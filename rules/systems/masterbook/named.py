"""What skills, their charts and what somebody knows are called: lines, by what the data has."""

from __future__ import annotations

from rules.systems.masterbook import body
from rules.systems.masterbook.skills import Chart
from rules.table.events import Line


def about(skill: str) -> Line:
    """What a skill of the list is for."""
    return Line(f"mb-about-{skill.lower().replace(' ', '-')}")


def chart_title(chart: Chart) -> Line:
    """What a chart is called."""
    return Line(f"mb-chart-{chart.name.replace('_', '-')}")


def row_line(code: str) -> Line:
    """What a row of a chart is called, by its code."""
    return Line(f"mb-row-{code}")


def knowledge(adds: int) -> Line | None:
    """What somebody with so many adds is called; None without any (MB-CHAR-15)."""
    word = body.knowledge(adds)
    return None if word is None else Line(f"mb-knowledge-{word}")


def quality(value: int) -> Line:
    """What a value of an Attribute is called (MB-CHAR-03)."""
    return Line(f"mb-quality-{body.quality(value).replace('_', '-')}")
