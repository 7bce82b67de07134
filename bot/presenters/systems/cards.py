"""What shows the systems' own events. A new system that has some adds its table to this list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from bot.presenters.layout import Layout
from bot.presenters.scene import Scene
from bot.presenters.systems import barmore_task

SYSTEM_CARDS: Final[dict[type, Callable[[Any, Scene], Layout]]] = {**barmore_task.CARDS}
