"""EGO's skill checks: procedure, rolls, rounds, and views."""

from __future__ import annotations
