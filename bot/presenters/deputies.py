"""Messages about the deputies of a table's GMs."""

from __future__ import annotations

from bot.presenters.catalog_cards import card
from bot.presenters.controls import Button
from bot.presenters.language.words import label_text, phrase
from bot.presenters.layout import Layout
from bot.presenters.scene import Scene
from rules.table.gm_office import present_terms


def deputy_question(scene: Scene, who: str, until: int | None) -> Layout:
    """Return the question what a deputy may do and see, before a GM names one.

    The button is `sg:deputy:<table>:<participant>:<end of the term, or 0>`.
    """
    id = f"sg:deputy:{scene.table_id}:{who}:{until or 0}"
    rows = ((Button(id, label_text("deputy-name"), "primary"),),)
    return card("gm", "deputy-question", scene.names, rows=rows, who=who, until=until)


def deputy_lines(scene: Scene) -> list[str]:
    """Return a line for each deputy of the GMs, with the end of the term."""
    return [
        phrase("deputy-line", scene.names, who=term.who, until=term.until)
        for term in present_terms(scene.state)
    ]
