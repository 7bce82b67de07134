"""Cards for what the GM keeps: sessions, the story's time, awards, places."""

from __future__ import annotations

from typing import Final

from bot.presenters.cards import card, noted
from bot.presenters.controls import Button
from bot.presenters.layout import Body, Gap, Layout
from bot.presenters.scene import Scene
from bot.presenters.text import sentence
from bot.presenters.words import phrase, say
from rules.registry import look
from rules.table.events import SessionChanged
from rules.table.resources import awards

#: What is said of a blind roll when the GM gives no note.
BLIND_ROLL: Final = "A blind roll by the GM"


def session_card(event: SessionChanged, scene: Scene) -> Layout:
    """A session begins or ends; the GMs are told of their NPCs and reminded of awards."""
    if event.started:
        return card("waiting", "session-begins", None, about=event, now=scene.state.clock.time)
    if not event.audience.gms:
        return card("waiting", "session-ends", None, *noted(event.lines), about=event)
    labels = [choice.label for choice in awards(look(scene.state).system.resources)]
    parts = noted(event.lines)
    if labels:
        asked = [f"- {sentence(say(each))}" for each in labels]
        parts += [Gap(), Body(phrase("session-awards")), *map(Body, asked)]
    return card("gm", "session-ends-gms", None, *parts, about=event, awards=tuple(labels))


#: How much later a GM can make it with one press: minutes, and what the button says.
_LATER: Final = ((60, "1 hour later"), (8 * 60, "8 hours later"), (24 * 60, "1 day later"))


def clock_card(scene: Scene, *, gm: bool) -> Layout:
    """Where the story stands; GMs let time pass (`sg:time:<table>:<minutes>`) and start or end a session
    (`sg:session:<table>:<start|end>`).
    """
    clock = scene.state.clock
    if not gm:
        return card("own", "clock", None, about=clock)
    later = tuple([Button(f"sg:time:{scene.table_id}:{minutes}", label) for minutes, label in _LATER])
    verb = "end" if clock.playing else "start"
    session = Button(f"sg:session:{scene.table_id}:{verb}", f"{verb.capitalize()} session")
    return card("gm", "clock", None, about=clock, rows=(later, (session,)))
