"""The process: Discord on one side, the rules on the other, storage below."""

from __future__ import annotations

#: Version of this release, the same as in pyproject.toml.
__version__ = "0.1.0"
