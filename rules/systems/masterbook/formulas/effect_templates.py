"""Templates of special effects: common ideas as blueprints that are filled in (MB-SFX-40)."""

from __future__ import annotations

from typing import Final

from rules.core.data_rows import from_json, json_loader, rows_by_key
from rules.core.record import Record
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint


class TemplateRow(Record):
    """A common idea, and a blueprint that a new effect can begin with."""

    template: str
    blueprint: Blueprint


TEMPLATES: Final = rows_by_key(
    from_json(
        tuple[TemplateRow, ...], json_loader("rules.systems.masterbook", "effect_templates")()
    ),
    "template",
)
