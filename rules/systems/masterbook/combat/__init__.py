"""MasterBook's attacks, interaction, movement and healing."""

from __future__ import annotations
