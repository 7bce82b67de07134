"""Texts of the bot: the catalogue of words, and functions that compose texts."""

from __future__ import annotations
