"""MasterBook's skill checks: procedure, sources of rolls, cards, and views."""

from __future__ import annotations
