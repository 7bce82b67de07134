"""`/mb skill`: what a skill is for, who may try it, and its charts (MB-SKILL-02, MB-SKILL-03, MB-SKILL-07)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.core.names import the_one
from rules.systems.masterbook.follows import inputs_of
from rules.systems.masterbook.skills import (
    SKILLS,
    Chart,
    ChartRow,
    Setting,
    SkillKind,
    charts_of,
    needs_focus,
    rows_of,
    untrained,
)
from rules.table.blocks import ALL, Block, Fact, Group, Note, Text
from rules.table.commands import Command, Shows
from rules.table.forms import Form, Typed, Values, as_written
from rules.table.system import Game


def _without_adds(kind: SkillKind, setting: Setting) -> Text:
    harder = untrained(kind, setting)
    how = (
        "no" if harder is None else "chart" if kind.untrained == "gm_table" else "harder" if harder else "yes"
    )
    return Text("mb-skill-without-adds", {"how": how, "number": harder})


def _number(row: ChartRow) -> Text:
    how = (
        "dn" if row.dn is not None else "each" if row.each else "from" if row.low is not None else "modifier"
    )
    low = row.dn if row.dn is not None else row.low if row.low is not None else row.modifier
    return Text("mb-skill-number", {"how": how, "low": low, "high": row.high, "open": row.open})


def _row(chart: Chart, row: ChartRow) -> tuple[Text, ...]:
    words = Text("as-written", {"text": row.words})
    if not chart.reads:
        return (words, _number(row))
    if chart.reads == "adds_less":
        return (words,)
    said = {"reads": chart.reads, "id": row.id, "least": row.least, "modifier": row.modifier}
    return (Text("mb-skill-from", said), words)


def _base(kind: SkillKind) -> Text | None:
    """What the difficulty begins from; None where the chart has numbers, or the game master says it."""
    if any(row.dn is not None for row in rows_of(kind.name)):
        return None
    if not (kind.against or kind.rate or kind.base is not None):
        return None
    said = {"against": kind.against or None, "base": kind.base, "rate": bool(kind.rate)}
    return Text("mb-skill-base", said)


def _charts(name: str) -> Iterable[Block]:
    for chart in charts_of(name):
        rows = tuple([_row(chart, row) for row in chart.rows if not row.automatic])
        yield Group(Text("as-written", {"text": chart.title}), rows, ALL)


def explained(kind: SkillKind, setting: Setting) -> tuple[Block, ...]:
    """A skill in full, as this table plays."""
    blocks: list[Block] = [
        Note(Text("as-written", {"text": kind.about}), ALL),
        Fact(Text("mb-skill-fact", {"what": "attribute"}), kind.attribute.capitalize(), ALL),
        Fact(Text("mb-skill-fact", {"what": "untrained"}), _without_adds(kind, setting), ALL),
    ]
    if base := _base(kind):
        blocks.append(Fact(Text("mb-skill-fact", {"what": "base"}), base, ALL))
    if kind.trained:
        blocks.append(Note(Text("mb-skill-costs-more"), ALL))
    if needs_focus(kind, setting):
        blocks.append(Note(Text("mb-skill-by-focus"), ALL))
    for what, names in (("focuses", kind.focuses), ("specializations", kind.specializations)):
        if names:
            blocks.append(Fact(Text("mb-skill-fact", {"what": what}), names, ALL))
    if said := inputs_of(kind.name):
        examples = tuple([each.example for each in said])
        blocks.append(Fact(Text("mb-skill-fact", {"what": "given"}), examples, ALL))
    return (*blocks, *_charts(kind.name))


def _skill(game: Game, given: Values) -> Shows:
    name = the_one(SKILLS, given["name"], field="name", unknown="mb-unknown-skill")
    return Shows(Text("as-written", {"text": name}), explained(SKILLS[name], game.setting))


SKILL: Final = Command(
    "skill", _skill, Form((Typed("name", most=100, among=lambda asking: as_written(SKILLS), needed=True),))
)
