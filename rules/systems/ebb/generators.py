"""Random anomalies and artefacts (EBB-ANOMALY, EBB-ARTEFACT)."""

from __future__ import annotations

from rules.core.rng import Die, Rng, roll_die
from rules.systems.ebb.tables import GENERATORS
from rules.table.events import Line
from rules.table.system import Product


def generate(rng: Rng, kind: str) -> tuple[tuple[str, ...], tuple[Die, ...]]:
    """Both properties as the tables name them, and the dice: d20 each, a 20 at once followed by d10 on the rare table.

    The dice are named `first`, `first-rare`, `second`, `second-rare`; the rare ones only after a 20.
    """
    said: list[str] = []
    dice: list[Die] = []
    for name, column in GENERATORS[kind].items():
        dice.append(roll_die(rng, name, len(column.common) + 1))
        entries = column.common
        if dice[-1].face > len(entries):
            entries = column.rare
            dice.append(roll_die(rng, f"{name}-rare", len(entries)))
        said.append(entries[dice[-1].face - 1])
    return tuple(said), tuple(dice)


def produce(kind: str, rng: Rng) -> Product:
    """`generate` for the table: what it is, then both properties, each with its kind where it has one.

    The tables write the kind behind a comma: `Beam of light, exogenetic`.
    """
    said, dice = generate(rng, kind)
    parts = [each.partition(", ") for each in said]
    lines = [Line("ebb-property", {"name": name, "kind": what or None}) for name, _, what in parts]
    return Product((Line("ebb-drawn", {"kind": kind}), *lines), dice)
