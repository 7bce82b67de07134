"""Pages of long texts that characters say."""

from __future__ import annotations

from bot.presenters.language.limits import CONTENT, utf16_length
from bot.presenters.speech import speech_pages
from rules.table.events import Said


def _pages(text: str) -> tuple[str, ...]:
    said = Said(by="p2", said="s1", name="Vesna", text=text, place="200", at=0)
    return speech_pages(said)


def test_a_block_of_code_is_closed_on_each_page() -> None:
    lines = "\n".join(f"line {number}" for number in range(250))
    first, second = _pages(f"The list:\n```py\n{lines}\n```\nThat was it. " + "x" * 40)
    assert first.startswith("The list:\n```py\n") and first.endswith("\n```")
    assert second.startswith("```py\nline ") and second.endswith("x")
    for page in (first, second):
        assert page.count("```") % 2 == 0
        assert utf16_length(page) <= CONTENT


def test_a_closed_block_and_plain_text_stay_as_they_are() -> None:
    text = "```\na\n```\n\n" + "words and " * 250
    first, second = _pages(text)
    assert first.count("```") == 2 and "```" not in second
    assert "".join(_pages("word " * 500)).count("`") == 0


def test_every_length_fits() -> None:
    for length in range(3900, 4000, 7):
        for page in _pages("```" + "y" * (length - 6) + "```"):
            assert utf16_length(page) <= CONTENT and page.count("```") % 2 == 0
