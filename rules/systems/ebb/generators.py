"""Random anomalies and artefacts (EBB-ANOMALY, EBB-ARTEFACT)."""

from __future__ import annotations

from rules.core.rng import Die, Rng, roll_die
from rules.systems.ebb.reference_rows import GENERATORS
from rules.table.blocks import Text
from rules.table.system import Product


def roll_generator(kind: str, rng: Rng) -> Product:
    """Return an anomaly or artefact: its kind, then both properties, and the dice.

    The dice are a d20 for each property. A 20 is followed by a d10 on the rare table. They are
    named `first`, `first-rare`, `second`, `second-rare`. A table writes the kind of a property
    behind a comma: `Beam of light, exogenetic`.
    """
    lines = [Text("ebb-drawn", {"kind": kind})]
    dice: list[Die] = []
    for name, column in GENERATORS[kind].items():
        dice.append(roll_die(rng, name, len(column.common) + 1))
        entries = column.common
        if dice[-1].face > len(entries):
            entries = column.rare
            dice.append(roll_die(rng, f"{name}-rare", len(entries)))
        name_of_property, _, kind_of_property = entries[dice[-1].face - 1].partition(", ")
        about = {"name": name_of_property, "kind": kind_of_property or None}
        lines.append(Text("ebb-property", about))
    return Product(tuple(lines), tuple(dice))
