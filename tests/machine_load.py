"""How much slower this machine is because others use it."""

from __future__ import annotations

import time


def slower() -> float:
    """Return how many times as long a second of this process's own work takes, at least 1."""
    wall, own = time.monotonic(), time.process_time()
    while time.process_time() - own < 0.05:
        pass
    return max(1.0, (time.monotonic() - wall) / (time.process_time() - own))
