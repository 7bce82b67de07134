"""MasterBook's advancement: growth for skill points, Life Points turned into them, lessons."""

from __future__ import annotations
