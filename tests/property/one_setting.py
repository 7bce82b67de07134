"""Command that tries every value of one setting of one system, and prints those without effect."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib import import_module

from tests.property.every_option import Chooser


def idle_values(system: str, key: str) -> list[str]:
    """Return the values of a setting that change nothing in anything that is tried.

    Raises ValueError for a setting that the system doesn't have.
    """
    fare = import_module(f"tests.property.{system}.sample_inputs").FARE
    chooser = Chooser(replace(fare, settings=(key,)))
    chooser.settings()
    if not chooser.found:
        raise ValueError(f"{system} has no setting {key!r}")
    return chooser.silent()


if __name__ == "__main__":
    silent = idle_values(*sys.argv[1:3])
    print("\n".join(silent) or "Every value has an effect.")
    sys.exit(bool(silent))
