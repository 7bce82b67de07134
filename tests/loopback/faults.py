"""Injected faults: what the REST side answers instead of (or after) doing as it was asked."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(eq=False)
class Fault:
    """See ``StandIn.fail``. ``hits`` counts the requests it was applied to."""

    method: str
    path_glob: str
    status: int | None = 500
    code: int = 0
    message: str = "injected fault"
    times: int | None = 1
    drop_connection: bool = False
    retry_after: float = 1.0
    everywhere: bool = False
    apply: bool = False
    delay: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)
    hits: int = 0

    def takes(self, method: str, path: str) -> bool:
        """Whether this fault is for the request; counts it."""
        if self.times is not None and self.hits >= self.times:
            return False
        if self.method not in ("*", method) or not fnmatch.fnmatchcase(path, self.path_glob):
            return False
        self.hits += 1
        return True
