"""Random anomalies and artefacts (EBB-ANOMALY, EBB-ARTEFACT)."""

from __future__ import annotations

from rules.core.rng import Die, Rng, roll_die
from rules.systems.ebb.reference_rows import GENERATORS
from rules.table.blocks import Text
from rules.table.system import Product


def roll_generator(kind: str, rng: Rng) -> Product:
    """What it is, then both properties, each with its kind where it has one, and the dice.

    They are d20 each, a 20 at once followed by a d10 on the rare table, and named `first`,
    `first-rare`, `second`, `second-rare`. The tables write the kind behind a comma: `Beam of light,
    exogenetic`.
    """
    lines = [Text("ebb-drawn", {"kind": kind})]
    dice: list[Die] = []
    for name, column in GENERATORS[kind].items():
        dice.append(roll_die(rng, name, len(column.common) + 1))
        entries = column.common
        if dice[-1].face > len(entries):
            entries = column.rare
            dice.append(roll_die(rng, f"{name}-rare", len(entries)))
        said, _, what = entries[dice[-1].face - 1].partition(", ")
        lines.append(Text("ebb-property", {"name": said, "kind": what or None}))
    return Product(tuple(lines), tuple(dice))
