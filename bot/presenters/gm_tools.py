"""Cards for what the GM keeps: sessions, the story's time, awards, places."""

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

#: What is said of a blind roll when the GM gives no note.
BLIND_ROLL: Final = label_text("blind-roll")


def award_reminder(scene: Scene) -> list[Piece]:
    """When a session is over, the GMs are reminded of what they can award."""
    labels = [
        choice.label for choice in award_options(read_only_game(scene.state).system.resources)
    ]
    asked = [Body(f"- {sentence(say(each))}") for each in labels]
    return [Gap(), Body(phrase("session-awards")), *asked] if asked else []


#: How much later a GM can make it with one press: minutes, and what the button says.
_LATER: Final = tuple(
    (minutes, label_text("time-later", minutes=minutes)) for minutes in (60, 8 * 60, 24 * 60)
)


def clock_card(scene: Scene, *, gm: bool) -> Layout:
    """Where the story stands; GMs let time pass (`sg:time:<table>:<minutes>`) and start or end a
    session (`sg:session:<table>:<start|end>`).
    """
    clock = scene.state.clock
    if not gm:
        return card("own", "clock", None, about=clock)
    later = tuple(
        [Button(f"sg:time:{scene.table_id}:{minutes}", label) for minutes, label in _LATER]
    )
    verb = "end" if clock.playing else "start"
    session = Button(f"sg:session:{scene.table_id}:{verb}", f"{verb.capitalize()} session")
    return card("gm", "clock", None, about=clock, rows=(later, (session,)))
