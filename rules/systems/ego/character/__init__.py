"""EGO's character sheet, creation and advancement."""

from __future__ import annotations
