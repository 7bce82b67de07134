"""Worked examples of the rules, run through the functions that the commands use."""

from __future__ import annotations
