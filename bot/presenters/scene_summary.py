"""Summary of a scene that is over: the button that asks for it, and its dialog."""

from __future__ import annotations

from typing import Final

from bot.presenters.catalog_cards import card, quote_pieces
from bot.presenters.controls import Button, Input, Modal, Rows
from bot.presenters.language.limits import MODAL_TITLE, clip
from bot.presenters.language.text import bare_text
from bot.presenters.language.words import label_text
from bot.presenters.layout import Layout
from bot.presenters.scene import Scene
from rules.table.events import Notice
from rules.table.played_scenes import StoryScene
from rules.table.scenes.scene_actions import SUMMARY_MAX

#: Key of the dialog's only text.
SUMMARY_INPUT: Final = "text"


def summary_rows(event: Notice, scene: Scene) -> Rows:
    """Return the button of a scene that ends without a summary."""
    number = event.params.get("number")
    if event.what != "scene-ends" or event.note or not isinstance(number, int):
        return ()
    return ((Button(f"sg:scene:{scene.table_id}:{number}", label_text("scene-sum-up")),),)


def summary_receipt(event: Notice) -> Layout:
    """Return the private answer to the GM who has written a summary, with the summary."""
    text = quote_pieces(event.note)
    return card("own", "scene-summary-posted", None, *text, title=event.params.get("title"))


def summary_dialog(table_id: int, scene: StoryScene) -> Modal:
    """Return the dialog for what happened in a scene."""
    title = bare_text(scene.title) or label_text("scene-sum-up")
    text = Input(
        SUMMARY_INPUT, label_text("scene-summary"), scene.summary, long=True, most=SUMMARY_MAX
    )
    return Modal(f"sg:scenesum:{table_id}:{scene.number}", clip(title, MODAL_TITLE), (text,))
