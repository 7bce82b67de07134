"""What Discord takes of a card that is an embed with components."""

from __future__ import annotations

from bot.presenters.controls import Card
from bot.presenters.limits import (
    CONTENT,
    EMBED_DESCRIPTION,
    EMBED_FIELD_NAME,
    EMBED_FIELD_VALUE,
    EMBED_FIELDS,
    EMBED_FOOTER,
    EMBED_TITLE,
    EMBED_TOTAL,
    check_rows,
    size,
)

MENTIONS = 100


def require(fits: bool, what: str) -> None:
    """ValueError, naming the limit, where it does not fit."""
    if not fits:
        raise ValueError(what)


def check_card(card: Card) -> None:
    """ValueError, naming the limit, for a card that Discord would refuse as an embed with components."""
    fields = card.fields
    require(bool(card.title.strip()), "a card needs a title")
    require(size(card.title) <= EMBED_TITLE, f"title over {EMBED_TITLE}")
    require(size(card.body) <= EMBED_DESCRIPTION, f"body over {EMBED_DESCRIPTION}")
    require(size(card.footer) <= EMBED_FOOTER, f"footer over {EMBED_FOOTER}")
    require(size(card.call) <= CONTENT, f"call over {CONTENT}")
    require(len(fields) <= EMBED_FIELDS, f"more than {EMBED_FIELDS} fields")
    total = size(card.title) + size(card.body) + size(card.footer)
    for field in fields:
        require(bool(field.name.strip() and field.value.strip()), "a field needs a name and a value")
        require(size(field.name) <= EMBED_FIELD_NAME, f"field name over {EMBED_FIELD_NAME}")
        require(size(field.value) <= EMBED_FIELD_VALUE, f"field value over {EMBED_FIELD_VALUE}")
        total += size(field.name) + size(field.value)
    require(total <= EMBED_TOTAL, f"embed over {EMBED_TOTAL} in all")
    require(len(card.mentions) <= MENTIONS, f"more than {MENTIONS} mentions")
    require(len(card.role_mentions) <= MENTIONS, f"more than {MENTIONS} role mentions")
    check_rows(card)
