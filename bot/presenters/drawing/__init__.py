"""Pictures: playing cards, charts and emblems."""

from __future__ import annotations
