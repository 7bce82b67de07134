"""EGO's attacks, powers, actions and healing."""

from __future__ import annotations
