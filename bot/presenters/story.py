"""Lines of the story in words."""

from __future__ import annotations

from typing import Final

from bot.presenters.checks import deed_line
from bot.presenters.events import event_cards
from bot.presenters.language.limits import clip
from bot.presenters.language.text import Markdown, user_text
from bot.presenters.language.words import phrase, say
from bot.presenters.layout import Head, Layout
from bot.presenters.log import verdict_summary
from bot.presenters.scene import Scene
from bot.services.story import StoryLine
from rules.table.blocks import Note
from rules.table.events import BoardChanged, CheckChanged, DiceRolled, Notice
from rules.table.state import SYSTEM

#: Most letters of a line.
LINE_LENGTH: Final = 300

#: Notices of an absence and of its end.
_ABSENCES: Final = ("arranged-away", "arranged-back")
#: Kinds of lines whose message says below its head who got what.
_KINDS_WITH_LINES: Final = ("award", "harm")


def line_text(line: StoryLine, scene: Scene) -> str:
    """Return a line of the story in Markdown, without its time, place and link.

    It says what the event says, with the names that the hearer knew then.
    """
    event = line.event
    if line.step is not None:
        text = _step_text(line, scene)
    elif isinstance(event, CheckChanged):
        text = _check_text(event)
    elif isinstance(event, BoardChanged) and line.kind == "fight":
        text = _fight_text(event)
    elif isinstance(event, Notice) and event.what in _ABSENCES:
        text = _absence_text(event, scene)
    else:
        text = _message_head(line, scene)
    return clip(" ".join(text.split()), LINE_LENGTH)


def _check_text(event: CheckChanged) -> str:
    """Return who did what in a check, and what came of it."""
    verdict = verdict_summary(event.blocks)
    if not verdict:
        notes = [block.text for block in event.blocks if isinstance(block, Note)]
        verdict = next((say(note) for note in notes if note.code == "check-rolled-blind"), "")
    return phrase(
        "story-check", deed=Markdown(deed_line(event)), verdict=Markdown(verdict.rstrip("."))
    )


def _fight_text(event: BoardChanged) -> str:
    """Return that initiative begins, which round it is, or that it is over."""
    if event.step == "started":
        return phrase("story-fight-begins")
    about = {"round": event.round, "timeline": event.timeline}
    if event.step == "ended":
        return phrase("story-fight-over", **about)
    return phrase("story-fight-round", **about)


def _step_text(line: StoryLine, scene: Scene) -> str:
    """Return a step that was taken for a character, and who or what took it."""
    step, event = line.step, line.event
    assert step is not None and isinstance(event, CheckChanged)
    said = "" if step.said is None else say(step.said)
    by_clock = line.by == SYSTEM
    how = "clock" if step.how == "self" and by_clock else step.how
    return phrase(
        "story-deed",
        who=step.who,
        said=Markdown(said or phrase("story-passed")),
        kind=event.kind,
        how=how,
        gm=event.by_gm,
        by=Markdown(scene.names.name(line.by)) if line.by else None,
    ).rstrip(".")


def _absence_text(event: Notice, scene: Scene) -> str:
    """Return who is away until when, or who is back."""
    by = Markdown(scene.names.name(event.by))
    back = event.what == "arranged-back"
    return phrase("story-away", by=by, back=back, until=event.params.get("until"))


def _message_head(line: StoryLine, scene: Scene) -> str:
    """Return the head of the message that told of an event, with what it awards or harms."""
    layout = event_cards((line.event,), scene, line.entry, closed=True)[0]
    head = head_text(layout)
    if isinstance(line.event, DiceRolled):
        rolled, reason = user_text(line.event.text), user_text(line.event.reason)
        return f"{head}: {', '.join(filter(None, (rolled, reason)))}"
    if line.kind not in _KINDS_WITH_LINES or not isinstance(line.event, Notice):
        return head
    lines = [say(text).rstrip(".") for text in line.event.lines]
    return ": ".join([head, "; ".join(lines)]) if lines else head


def head_text(layout: Layout) -> str:
    """Return what a message says first: its head, or else its first line."""
    heads = [piece.text for piece in layout.pieces if isinstance(piece, Head)]
    return heads[0] if heads else layout.call.partition("\n")[0]
