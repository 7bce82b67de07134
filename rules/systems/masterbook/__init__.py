"""MasterBook: two d10 and a bonus chart, difficulty numbers, result points on one chart."""

from __future__ import annotations
