"""EGO: success pools of d6, Karma, Action Points, vehicles, powers."""

from __future__ import annotations

from rules.systems.ego.system import SYSTEM as SYSTEM
