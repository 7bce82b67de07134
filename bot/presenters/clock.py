"""The table's clock: when it rests, and the buttons for more time."""

from __future__ import annotations

from bot.presenters.catalog_cards import card
from bot.presenters.language.text import sentence
from bot.presenters.language.words import say
from bot.presenters.layout import Layout
from bot.presenters.scene import Scene
from rules.table.clock.clock_settings import rest_lines


def rest_card(scene: Scene) -> Layout:
    """Return the days and hours of the table's clock, for a GM."""
    settings = scene.state.settings
    lines = [sentence(say(line)) for line in rest_lines(settings.rest)]
    return card(
        "gm", "rest-now", scene.names, *lines, table=settings.name, rests=settings.rest.is_set
    )
