"""MasterBook's experience and learning."""

from __future__ import annotations
