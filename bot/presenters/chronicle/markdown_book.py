"""A chronicle as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bot.presenters.chronicle.book import Book, Line, Passage, Span
from bot.presenters.chronicle.styled_text import book_words

#: Letters that mean something anywhere in a line.
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|~&@])")
#: What makes a line a list, a heading or a rule, and what makes a word a link.
_LINE_START: Final = re.compile(r"^(\s*)([-+=]|\d+[.)])")
_WHITESPACE: Final = re.compile(r"\s+")
_LINK: Final = re.compile(r"(?i)(://|\bwww\.)")


def write_markdown(book: Book) -> str:
    """Return the text of a Markdown file."""
    return "\n\n".join(_blocks(book)) + "\n"


def _blocks(book: Book) -> Iterator[str]:
    yield f"# {escape(book.title)}"
    yield f"*{escape(book.edition)}*"
    yield escape(" · ".join([book.game, book.days, *_part(book)]))
    if book.cast:
        yield f"## {escape(book_words('tale-cast'))}"
        members: list[str] = []
        for member in book.cast:
            player = f", {escape(_played_by(member.player))}" if member.player else ""
            members.append(f"- **{escape(member.name)}**{player}")
        yield "\n".join(members)
    for chapter in book.chapters:
        yield f"## {escape(chapter.title)}"
        yield f"*{escape(chapter.days)}*"
        for passage in chapter.passages:
            yield from _passage(passage)
    yield f"---\n\n*{escape(book_words('tale-made'))}*"


def _part(book: Book) -> list[str]:
    return [book_words("tale-part", part=book.part, parts=book.parts)] if book.parts > 1 else []


def _passage(passage: Passage) -> Iterator[str]:
    if passage.kind == "scene":
        yield f"### {_text(passage.lead)}"
        return
    if passage.kind == "mark":
        yield f"*{_text(passage.lead)}*"
        return
    begin = f"*{escape(book_words('tale-private'))}:* " if passage.private else ""
    lead = _text(passage.lead)
    if lead and passage.kind == "deed":
        lead = f"**{lead.replace('**', '')}**"
    if passage.quote:
        yield begin + _quote(lead, passage.quote)
        lead = begin = ""
    if lead and passage.outcome:
        lead += "."
    sentences = [lead, _text(passage.outcome), *map(_text, passage.after)]
    body = " ".join(filter(None, sentences))
    if body:
        yield begin + body
    if passage.notes:
        yield "\n".join([f"<sub>{_text(line)}</sub>  " for line in passage.notes])


def _quote(lead: str, quote: tuple[Line, ...]) -> str:
    """Return who says what: one line beside the name, several as a quote below it."""
    head = f"{lead.removesuffix('.')}:" if lead else ""
    if len(quote) == 1:
        return f"{head} “{_text(quote[0])}”".strip()
    lines = "\n".join([f"> {_text(line)}  " for line in quote])
    return f"{head}\n\n{lines}" if head else lines


def _text(line: Line) -> str:
    """Return a line with its styles, and with everything else escaped."""
    return _LINE_START.sub(r"\1\\\2", "".join(map(_span, line)))


def _span(span: Span) -> str:
    text = escape(span.text)
    core = text.strip()
    if not core or not (span.strong or span.struck):
        return text
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    mark = "**" if span.strong else ""
    mark += "~~" if span.struck else ""
    return f"{before}{mark}{core}{mark[::-1]}{after}"


def escape(text: str) -> str:
    """Return text in which nothing is Markdown, HTML or a link."""
    text = _LINK.sub(lambda link: link[0][:-1] + "\\" + link[0][-1], _SPECIAL.sub(r"\\\1", text))
    return _WHITESPACE.sub(" ", text)


def _played_by(player: str) -> str:
    return book_words("tale-played-by", who=player)
