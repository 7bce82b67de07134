"""MasterBook's character sheet."""

from __future__ import annotations
