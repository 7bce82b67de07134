"""Messages whose texts are in the catalog under `[cards]`, and the files that go with them.

The first line of such a text is the head. `### ` begins a heading, `-# ` small print, which goes to
the end. Empty lines are left out. Pieces that the caller adds replace the line `...`, or else
follow the lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from bot.presenters.controls import Attachment, Rows
from bot.presenters.language.text import Names, quoted_text, sentence
from bot.presenters.language.words import phrase, say
from bot.presenters.layout import (
    Accent,
    Body,
    Gap,
    Heading,
    Layout,
    Piece,
    QuotedText,
    build_layout,
)
from bot.presenters.scene import Scene
from rules.table.blocks import Text, Value
from rules.table.events import DiceRolled, Produced

_HEADING: Final = "### "
_SMALL: Final = "-# "
_UNSAFE: Final = re.compile(r"[^a-z0-9]+")


def card(
    accent: Accent,
    code: str,
    names: Names | None,
    /,
    *parts: str | Piece,
    about: Any = None,
    rows: Rows = (),
    attachment: Attachment | None = None,
    **params: Value,
) -> Layout:
    """Return the message of a code. Its parameters are the fields of `about`, and `params`."""
    head, *lines = phrase(code, names, about=about, **params).split("\n")
    small = [line.removeprefix(_SMALL) for line in lines if line.startswith(_SMALL)]
    lines = [line for line in lines if not line.startswith(_SMALL)]
    place = lines.index("...") if "..." in lines else len(lines)
    body = (*map(_line, lines[:place]), *parts, *map(_line, lines[place + 1 :]))
    return build_layout(
        accent, head, *body, small="\n".join(small), rows=rows, attachment=attachment
    )


def seen_by(code: str, event: DiceRolled | Produced, scene: Scene, **params: Value) -> str:
    """Return who drew something, and who can see it."""
    settings, audience = scene.state.settings, event.audience
    params |= {"gms": settings.gms, "gm_roles": settings.gm_roles}
    params |= {"to_gms": audience.gms, "people": audience.people}
    return phrase(code, scene.names, about=event, **params).strip()


def _line(text: str) -> str | Piece:
    return Heading(text.removeprefix(_HEADING)) if text.startswith(_HEADING) else text


def line_pieces(lines: Iterable[Text]) -> list[Piece]:
    """Return lines of changes below a gap."""
    bodies = [Body(sentence(say(line))) for line in lines]
    return [Gap(), *bodies] if bodies else []


def quote_pieces(text: str) -> list[Piece]:
    """Return a text as a quote; nothing for an empty one."""
    return [QuotedText(quoted_text(text))] if text else []


def as_json(data: Mapping[str, object]) -> bytes:
    """Return the content of a JSON file."""
    return (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


def json_file(name: str, otherwise: str, end: str, content: bytes) -> Attachment:
    """Return a file with a name from the table: `the-zone-full.json`."""
    safe = _UNSAFE.sub("-", name.casefold()).strip("-") or otherwise
    return Attachment(f"{safe[:60]}{end}.json", content)
