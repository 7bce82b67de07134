"""Messages on their way to Discord: sent once, edited, and found again after a crash."""

from __future__ import annotations
