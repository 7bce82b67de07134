"""Texts of the bot: the catalog of words, and functions that compose texts."""

from __future__ import annotations
