"""What can be spent now, and why nothing can."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.presenters.card import Card
from bot.presenters.limits import BODY, CHOICE_TEXT, clip
from bot.presenters.scene import Scene
from bot.presenters.table import moves_card
from bot.presenters.text import bare_text, sentence
from bot.presenters.words import say
from rules.table.checks.views import choosing
from rules.table.events import Line
from rules.table.moves import Move
from rules.table.state import AnyChallenge

_TITLE = "What you can spend now"


def check_text(challenge: AnyChallenge, name: str) -> str:
    """A check for a list of suggestions; `name` is what whoever looks calls the character."""
    idea = "" if choosing(challenge) else bare_text(challenge.approach)
    return clip(f"{challenge.id} · {name}: {idea}" if idea else f"{challenge.id} · {name}", CHOICE_TEXT)


def spends_card(
    scene: Scene, moves: Sequence[Move], reasons: Sequence[tuple[str, Line]], *, gm: bool = False
) -> Card:
    """Each spend with its button, and for the other open checks why there is none."""
    why = [f"- {check}: {sentence(say(line))}" for check, line in reasons]
    if not moves:
        lines = (
            ["Nothing can be spent now.", *why]
            if why
            else ["You have no open check to spend anything on. `/check` proposes one."]
        )
        return Card(_TITLE, clip("\n".join(lines), BODY))
    card = moves_card(scene, moves, gm=gm)
    lines = [card.body, *(["", "Nothing can be spent on:", *why] if why else [])]
    return replace(card, title=_TITLE, body=clip("\n".join(lines), BODY))
