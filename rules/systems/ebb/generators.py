"""Random anomalies and artefacts (EBB-ANOMALY, EBB-ARTEFACT)."""

from __future__ import annotations

from dataclasses import dataclass

from rules.core.rng import Die, Rng, roll_die
from rules.systems.ebb.tables import GENERATORS, Column
from rules.table.events import Line
from rules.table.system import Product

KINDS: tuple[str, ...] = tuple(GENERATORS)


@dataclass(frozen=True, slots=True)
class Generated:
    """What came out: `kind`, both properties as the tables name them, and the dice in the order rolled.

    The dice are named `first`, `first-rare`, `second`, `second-rare`; the rare ones only after a 20.
    """

    kind: str
    first: str
    second: str
    dice: tuple[Die, ...]


def _property(rng: Rng, name: str, column: Column) -> tuple[str, tuple[Die, ...]]:
    common = roll_die(rng, name, len(column.common) + 1)
    if common.face <= len(column.common):
        return column.common[common.face - 1], (common,)
    rare = roll_die(rng, f"{name}-rare", len(column.rare))
    return column.rare[rare.face - 1], (common, rare)


def generate(rng: Rng, kind: str) -> Generated:
    """Roll both properties of one of the `KINDS`: d20 each, a 20 at once followed by d10 on the rare table."""
    tables = GENERATORS[kind]
    first, first_dice = _property(rng, "first", tables.first)
    second, second_dice = _property(rng, "second", tables.second)
    return Generated(kind, first, second, first_dice + second_dice)


def produce(kind: str, rng: Rng) -> Product:
    """`generate` for the table: what it is, then both properties, each with its kind where it has one."""
    made = generate(rng, kind)
    what = Line("ebb-drawn", {"kind": kind})
    return Product((what, _property_line(made.first), _property_line(made.second)), made.dice)


def _property_line(entry: str) -> Line:
    """The tables write the kind behind the last comma: `Beam of light, exogenetic`."""
    name, comma, kind = entry.rpartition(", ")
    return Line("ebb-property", {"name": name if comma else kind, "kind": kind if comma else None})
