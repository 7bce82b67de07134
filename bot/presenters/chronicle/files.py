"""The files of a chronicle: one, or several if the book is too long for one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from bot.presenters.catalog_cards import json_file
from bot.presenters.chronicle.book import Book, Chapter, Passage
from bot.presenters.chronicle.epub_book import write_epub
from bot.presenters.chronicle.html_book import chapter_part, write_html
from bot.presenters.chronicle.markdown_book import write_markdown

#: Format of a chronicle.
BookFormat = Literal["html", "markdown", "epub"]
_ENDINGS: Final[dict[BookFormat, str]] = {"html": "html", "markdown": "md", "epub": "epub"}
#: Most bytes of a part, by the length of its HTML, the longest of the formats.
PART_BYTES: Final = 6 * 2**20
#: Passages that are measured together.
_STRIDE: Final = 200


def book_name(table: str, suffix: str) -> str:
    """Return the name of a book's files, without number and ending."""
    return json_file(table, "table", suffix, b"").name.removesuffix(".json")


def first_file(name: str, kind: BookFormat, parts: int) -> str:
    """Return the name of a book's first file, if it has so many parts."""
    return f"{name}{'-1' if parts > 1 else ''}.{_ENDINGS[kind]}"


def book_bytes(book: Book, kind: BookFormat, at: int) -> bytes:
    """Return a book as a file. *at* is when it's written, in seconds since 1970."""
    if kind == "epub":
        return write_epub(book, at)
    text = write_html(book) if kind == "html" else write_markdown(book)
    return text.encode("utf-8", "replace")


def book_files(
    book: Book, kind: BookFormat, name: str, at: int, most: int = PART_BYTES
) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of a book's files, none much longer than *most* bytes."""
    parts = parts_of(book, most)
    for part in parts:
        number = f"-{part.part}" if part.parts > 1 else ""
        yield f"{name}{number}.{_ENDINGS[kind]}", book_bytes(part, kind, at)


def parts_of(book: Book, most: int) -> tuple[Book, ...]:
    """Return a book in parts of at most *most* bytes; a chapter may go on in the next part."""
    parts: list[list[Chapter]] = [[]]
    size = 0
    for chapter in book.chapters:
        for passages in _strides(chapter.passages, most):
            piece = chapter.replace(passages=passages)
            length = _length(piece)
            if size and size + length > most:
                parts.append([])
                size = 0
            size += length
            last = parts[-1][-1] if parts[-1] else None
            if last is not None and (last.title, last.days) == (piece.title, piece.days):
                parts[-1][-1] = last.replace(passages=(*last.passages, *passages))
            else:
                parts[-1].append(piece)
    return tuple(
        book.replace(chapters=tuple(chapters), part=number, parts=len(parts))
        for number, chapters in enumerate(parts, 1)
    )


def _strides(passages: tuple[Passage, ...], most: int) -> Iterator[tuple[Passage, ...]]:
    """Yield some passages at a time, down to single ones if some are longer than *most* bytes."""
    for start in range(0, len(passages), _STRIDE):
        stride = passages[start : start + _STRIDE]
        if _length(Chapter("", "", stride)) <= most:
            yield stride
            continue
        for passage in stride:
            yield (passage,)


def _length(chapter: Chapter) -> int:
    return len(chapter_part(1, chapter).encode("utf-8", "replace"))
