"""Cards whose words stand in the catalog, under `[cards]`, and the files that go with them.

The first line of such a text is the head. `### ` begins a heading, `-# ` small print, which stands
below; every other line is one of the card, and one that says nothing is left out. `...` is where
pieces stand that are put in, else they follow the lines.
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
    """The card of a code: what its text names are the fields of `about`, a record, and `params`."""
    head, *lines = phrase(code, names, about=about, **params).split("\n")
    small = [line.removeprefix(_SMALL) for line in lines if line.startswith(_SMALL)]
    lines = [line for line in lines if not line.startswith(_SMALL)]
    place = lines.index("...") if "..." in lines else len(lines)
    told = (*map(_line, lines[:place]), *parts, *map(_line, lines[place + 1 :]))
    return build_layout(
        accent, head, *told, small="\n".join(small), rows=rows, attachment=attachment
    )


def seen_by(code: str, event: DiceRolled | Produced, scene: Scene, **params: Value) -> str:
    """Who can see what was drawn, and who drew it."""
    settings, audience = scene.state.settings, event.audience
    params |= {"gms": settings.gms, "gm_roles": settings.gm_roles}
    params |= {"to_gms": audience.gms, "people": audience.people}
    return phrase(code, scene.names, about=event, **params).strip()


def _line(text: str) -> str | Piece:
    return Heading(text.removeprefix(_HEADING)) if text.startswith(_HEADING) else text


def line_pieces(lines: Iterable[Text]) -> list[Piece]:
    """What changed, line by line, a little apart."""
    told = [Body(sentence(say(line))) for line in lines]
    return [Gap(), *told] if told else []


def quote_pieces(text: str) -> list[Piece]:
    return [QuotedText(quoted_text(text))] if text else []


def as_json(data: Mapping[str, object]) -> bytes:
    return (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


def json_file(name: str, otherwise: str, end: str, content: bytes) -> Attachment:
    """A file called after something at the table: `the-zone-full.json`."""
    safe = _UNSAFE.sub("-", name.casefold()).strip("-") or otherwise
    return Attachment(f"{safe[:60]}{end}.json", content)
