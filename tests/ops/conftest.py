"""Litestream comes with the requirements where there is a wheel of it (requirements/dev.in)."""

from __future__ import annotations

import platform
import sys
from typing import Final

THERE: Final = sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64")

collect_ignore = [] if THERE else ["test_litestream.py"]


def pytest_report_header() -> str:
    """That its tests are left out is said at the head of every run."""
    return (
        "litestream: beside the bot"
        if THERE
        else "litestream: not for this machine, its tests are left out"
    )
