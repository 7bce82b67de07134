"""What Discord takes of a card: laid out, as text alone, and with everything that can be
pressed.
"""

from __future__ import annotations

from typing import Any

from simcord.components import validate_message_state

from bot.presenters.language.limits import CONTENT, utf16_length
from bot.presenters.layout import Layout
from bot.presenters.render import Message, is_layout, to_messages

#: The flag of a message that is laid out.
LAYOUT = 1 << 15
MENTIONS = 100


def components(message: Message) -> list[dict[str, Any]]:
    """The parts of a message."""
    return message["view"].to_components() if "view" in message else []


def check_message(message: Message) -> None:
    """What Discord checks."""
    laid = is_layout(message)
    attachments = [
        {"id": str(n), "filename": each.filename, "url": "x", "proxy_url": "x"}
        for n, each in enumerate(message.get("files", ()))
    ]
    content = message.get("content")
    assert (content is None) == laid
    assert set(message) <= {"content", "view", "allowed_mentions", "files"}
    assert utf16_length(content or "") <= CONTENT
    validate_message_state(
        components(message),
        flags=LAYOUT if laid else 0,
        content=content,
        embeds=[],
        attachments=attachments,
        require_nonempty=True,
    )
    allowed = message["allowed_mentions"].to_dict()
    assert allowed["parse"] == []
    assert all(len(allowed.get(key, ())) <= MENTIONS for key in ("users", "roles"))
    assert not laid or set(allowed) == {"parse"}, "a layout calls nobody"


def check(card: Layout) -> None:
    """Discord would take it, in either form; ValueError or an AssertionError where not."""
    for message in (*to_messages(card), *to_messages(card, plain=True)):
        check_message(message)
