"""Messages of the GM's tools: sessions, the story's time, and awards."""

from __future__ import annotations

from typing import Final

from bot.presenters.catalog_cards import card
from bot.presenters.controls import Button
from bot.presenters.language.text import sentence
from bot.presenters.language.words import label_text, phrase, say
from bot.presenters.layout import Body, Gap, Layout, Piece
from bot.presenters.scene import Scene
from rules.registry import read_only_game
from rules.table.resources import award_options

#: Text of a blind roll without a note of the GM.
BLIND_ROLL: Final = label_text("blind-roll")


def award_reminder(scene: Scene) -> list[Piece]:
    """Return what GMs can award at the end of a session; nothing if there are no awards."""
    choices = award_options(read_only_game(scene.state).system.resources)
    lines = [Body(f"- {sentence(say(choice.label))}") for choice in choices]
    return [Gap(), Body(phrase("session-awards")), *lines] if lines else []


#: Minutes that pass with one press of a GM, with the labels of the buttons.
_LATER: Final = tuple(
    (minutes, label_text("time-later", minutes=minutes)) for minutes in (60, 8 * 60, 24 * 60)
)


def clock_card(scene: Scene, *, gm: bool) -> Layout:
    """Return the session and the time of the story.

    GMs let time pass (`sg:time:<table>:<minutes>`) and start or end a session
    (`sg:session:<table>:<start|end>`).
    """
    clock = scene.state.clock
    if not gm:
        return card("own", "clock", None, about=clock)
    base = f"sg:time:{scene.table_id}"
    later = tuple(Button(f"{base}:{minutes}", label) for minutes, label in _LATER)
    verb = "end" if clock.playing else "start"
    session = Button(f"sg:session:{scene.table_id}:{verb}", f"{verb.capitalize()} session")
    return card("gm", "clock", None, about=clock, rows=(later, (session,)))
