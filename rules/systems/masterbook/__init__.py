"""MasterBook: 2d10 on a bonus chart, result points, Life Points, the Success Chart."""

from __future__ import annotations

from rules.systems.masterbook.system import SYSTEM as SYSTEM
