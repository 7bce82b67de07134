"""A chronicle as one page of HTML, without anything from elsewhere."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final

from bot.presenters.chronicle.book import Book, Chapter, Line, Passage, Span
from bot.presenters.chronicle.styled_text import book_words

#: Letters that HTML and XML forbid.
_FORBIDDEN: Final = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

#: Rules that a page and a book for readers share.
BOOK_STYLE: Final = """\
h1, h2, h3 { font-weight: 600; line-height: 1.25; text-wrap: balance; }
h1 { margin: 0 0 .25rem; font-size: 2.2rem; }
h2 { margin: 3rem 0 .25rem; font-size: 1.5rem; }
h3 { margin: 2.25rem 0 .75rem; font-size: 1.15rem; font-style: italic; }
p { margin: 0 0 .5rem; overflow-wrap: anywhere; }
section.passage { margin: 0 0 1.15rem; }
blockquote {
  margin: .25rem 0 .5rem; padding: 0 0 0 .9rem; border-left: 3px solid; font-style: italic;
}
.days, .edition, .facts, q { font-style: italic; }
q { quotes: "“" "”"; }
.mark { margin: 1.75rem 0 1rem; text-align: center; letter-spacing: .06em; }
.notes { font-size: .8rem; line-height: 1.45; }
.notes p { margin: 0; }
.private { font-size: .8rem; text-transform: uppercase; letter-spacing: .06em; }
.cast { padding: 0; list-style: none; }
"""
_PAGE_STYLE: Final = """\
:root {
  color-scheme: light dark; --ink: #23201c; --soft: #6a6259; --page: #fbf8f2; --line: #b9ac98;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e9e4da; --soft: #a9a094; --page: #1b1917; --line: #5d554a; }
}
* { box-sizing: border-box; }
html {
  background: var(--page); color: var(--ink);
  font: 1.0625rem/1.6 Georgia, "Iowan Old Style", "Noto Serif", serif;
}
body { max-width: 38rem; margin: 0 auto; padding: 2.5rem 1.15rem 4rem; }
a { color: inherit; }
a:focus-visible { outline: 3px solid var(--line); outline-offset: 2px; }
blockquote { border-color: var(--line); }
.days, .edition, .facts, .notes, .private, .mark, .player, footer { color: var(--soft); }
.notes, .private { font-family: system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
nav ol { padding-left: 1.25rem; }
nav li { margin: .3rem 0; }
footer {
  margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .85rem;
}
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #444; --page: #fff; --line: #999; }
  html { font-size: 10.5pt; }
  body { max-width: none; padding: 0; }
  nav { display: none; }
  h2 { break-before: page; }
  h1, h2, h3, .mark { break-after: avoid; }
  section.passage { break-inside: avoid; }
}
"""


def write_html(book: Book) -> str:
    """Return the text of an HTML file. It loads nothing, and runs no scripts."""
    title = escape(book.title)
    style = BOOK_STYLE + _PAGE_STYLE
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f'<meta name="referrer" content="no-referrer">\n<title>{title}</title>',
        f"<style>\n{style}</style>\n</head>\n<body>",
        f"<header>\n{title_part(book)}</header>",
        _contents(book),
        "<main>",
        cast_part(book),
        *[chapter_part(number, chapter) for number, chapter in enumerate(book.chapters, 1)],
        f"</main>\n<footer><p>{escape(book_words('tale-made'))}</p></footer>\n</body>\n</html>\n",
    ]
    return "\n".join(filter(None, parts))


def title_part(book: Book) -> str:
    """Return the title, who may read the book, and what it's about."""
    facts = [book.game, book.days]
    if book.parts > 1:
        facts.append(book_words("tale-part", part=book.part, parts=book.parts))
    return (
        f'<h1 dir="auto">{escape(book.title)}</h1>\n'
        f'<p class="edition" dir="auto">{escape(book.edition)}</p>\n'
        f'<p class="facts">{escape(" · ".join(facts))}</p>\n'
    )


def _contents(book: Book) -> str:
    if len(book.chapters) < 2:
        return ""
    items = [
        f'<li><a href="#chapter-{number}">{escape(chapter.title)}</a></li>'
        for number, chapter in enumerate(book.chapters, 1)
    ]
    label = escape(book_words("tale-contents"))
    return f'<nav aria-label="{label}">\n<h2>{label}</h2>\n<ol>\n{"".join(items)}\n</ol>\n</nav>'


def cast_part(book: Book) -> str:
    """Return the characters with their players; empty without any."""
    if not book.cast:
        return ""
    items: list[str] = []
    for member in book.cast:
        player = ""
        if member.player:
            played_by = escape(book_words("tale-played-by", who=member.player))
            player = f', <span class="player">{played_by}</span>'
        items.append(f"<li><b><bdi>{escape(member.name)}</bdi></b>{player}</li>\n")
    head = f'<h2 id="cast">{escape(book_words("tale-cast"))}</h2>'
    members = f'<ul class="cast">\n{"".join(items)}</ul>'
    return f"<section>\n{head}\n{members}\n</section>"


def chapter_part(number: int, chapter: Chapter) -> str:
    """Return a chapter with its heading, which is `chapter-1` and so on."""
    passages = "\n".join(map(_passage, chapter.passages))
    return (
        f"<section>\n"
        f'<h2 id="chapter-{number}">{escape(chapter.title)}</h2>\n'
        f'<p class="days">{escape(chapter.days)}</p>\n{passages}\n</section>'
    )


def _passage(passage: Passage) -> str:
    if passage.kind == "scene":
        return f"<h3>{_text(passage.lead)}</h3>"
    if passage.kind == "mark":
        return f'<p class="mark">{_text(passage.lead)}</p>'
    return '<section class="passage">' + "".join(_paragraphs(passage)) + "</section>"


def _paragraphs(passage: Passage) -> Iterator[str]:
    if passage.private:
        yield f'<p class="private">{escape(book_words("tale-private"))}</p>'
    lead = _text(passage.lead)
    if lead and passage.kind == "deed":
        lead = f"<b>{lead}</b>"
    if passage.quote:
        yield _quote(lead, passage.quote)
        lead = ""
    if lead and passage.outcome:
        lead += "."
    sentences = [lead, _text(passage.outcome), *map(_text, passage.after)]
    body = " ".join(filter(None, sentences))
    if body:
        yield f'<p dir="auto">{body}</p>'
    if passage.notes:
        notes = "".join([f'<p dir="auto">{_text(line)}</p>' for line in passage.notes])
        yield f'<div class="notes">{notes}</div>'


def _quote(lead: str, quote: tuple[Line, ...]) -> str:
    """Return who says what: one line beside the name, several as a quote below it."""
    head = f"{lead.removesuffix('.')}:" if lead else ""
    lines = [_text(line) for line in quote]
    if len(lines) == 1:
        return f'<p dir="auto">{head} <q>{lines[0]}</q></p>'
    quoted = f'<blockquote><p dir="auto">{"<br/>".join(lines)}</p></blockquote>'
    return f'<p dir="auto">{head}</p>{quoted}' if head else quoted


def _text(line: Line) -> str:
    return "".join(map(_span, line))


def _span(span: Span) -> str:
    text = escape(span.text)
    if span.struck:
        text = f"<s>{text}</s>"
    return f"<b>{text}</b>" if span.strong else text


def escape(text: str) -> str:
    """Return text in which nothing is HTML or XML."""
    return html.escape(_FORBIDDEN.sub("", text), quote=True)
