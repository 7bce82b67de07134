"""EGO's rules as functions of numbers, without a game or a check."""

from __future__ import annotations
