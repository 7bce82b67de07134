"""EGO's vehicles in play."""

from __future__ import annotations
