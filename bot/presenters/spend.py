"""What can be spent now, and why nothing can."""

from __future__ import annotations

from collections.abc import Sequence

from bot.presenters.layout import Body, Gap, Layout, Row, laid
from bot.presenters.limits import CHOICE_TEXT, clip
from bot.presenters.scene import Scene
from bot.presenters.table import moves_pieces
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
) -> Layout:
    """Each spend with its button, and for the other open checks why there is none."""
    why = [f"- {check}: {sentence(say(line))}" for check, line in reasons]
    if not moves:
        if why:
            return laid("own", _TITLE, "Nothing can be spent now.", *why)
        return laid("own", _TITLE, "You have no open check to spend anything on. `/check` proposes one.")
    told = [Gap(), Body("\n".join(["Nothing can be spent on:", *why]))] if why else []
    pieces = moves_pieces(scene, moves, gm=gm)
    rows = [piece for piece in pieces if isinstance(piece, Row)]
    return laid("own", _TITLE, *pieces[: len(pieces) - len(rows)], *told, *rows)
