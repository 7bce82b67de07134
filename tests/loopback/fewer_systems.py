"""The real bot as if some rule systems were not there, to be measured beside: `bot_main` without
those named.

Neither the rules nor the words of these are read.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from rules.table.system import FREE_SYSTEM


def main(*left_out: str) -> None:
    """Run the program: where lists name these systems they find what has no rules and no words."""
    for name in left_out:
        nothing: Any = SimpleNamespace(
            SYSTEM=FREE_SYSTEM, WORDS=SimpleNamespace(key=FREE_SYSTEM.key, functions={})
        )
        sys.modules[f"rules.systems.{name}"] = nothing
        sys.modules[f"bot.presenters.language.systems.{name}"] = nothing
    found: Any = Path.glob

    def fewer(folder: Path, pattern: str) -> Iterator[Path]:
        return (each for each in found(folder, pattern) if not each.name.startswith(left_out))

    paths: Any = Path
    paths.glob = fewer
    importlib.import_module("tests.loopback.bot_main").main()
