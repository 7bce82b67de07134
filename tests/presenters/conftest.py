"""A code without words fails every test here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.presenters.language import words


@pytest.fixture(autouse=True)
def strict_words() -> Iterator[None]:
    words.set_strict(True)
    yield
    words.set_strict(False)
