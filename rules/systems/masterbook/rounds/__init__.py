"""MasterBook's rounds and adventures, and the cards that belong to them."""

from __future__ import annotations
