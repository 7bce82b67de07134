"""How presenters ask who a participant is."""

from __future__ import annotations

from typing import Protocol


class Names(Protocol):
    """Who a participant (`p1`, …) is. Texts come ready for a message."""

    def mention(self, participant: str) -> str: ...

    def user_id(self, participant: str) -> int | None: ...

    def name(self, participant: str) -> str: ...
