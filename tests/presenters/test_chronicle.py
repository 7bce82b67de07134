"""Books: every format escapes everything, is well formed, and keeps to its size."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import date
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from bot.presenters.chronicle.book import Book, CastMember, Chapter, Passage, Span, plain
from bot.presenters.chronicle.chapters import chapters_of, week_start
from bot.presenters.chronicle.epub_book import write_epub
from bot.presenters.chronicle.files import BookFormat, book_bytes, book_files, parts_of
from bot.presenters.chronicle.html_book import write_html
from bot.presenters.chronicle.markdown_book import write_markdown
from bot.presenters.chronicle.passages import ToldSession
from bot.presenters.chronicle.styled_text import KnownNames, days_text, styled_line
from bot.presenters.language.text import quoted_text, user_text

#: Monday, November 30, 2026, at noon UTC.
NOON = 1_796_040_000
DAY = 86400
#: Names and words that try to be something else.
NASTY = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "]]></p><style>*{display:none}</style>",
    "[click](javascript:alert(1)) ![x](http://evil.example/x.png)",
    "**bold** __under__ ~~gone~~ `code` # head",
    "&lt;b&gt; &#x3c;i> © \x00\x0b\ufffe",
    "http://evil.example www.evil.example a@evil.example <http://evil.example>",
    "\u202egnp.exe\u202c",
    "<@123456789012345678> @everyone <#123456789012345678>",
)
NAMES = KnownNames({"7": "Ana", "8": "<b>Ben</b>"}.get, {"9": "the-zone"})


def line(text: str) -> tuple[Span, ...]:
    """Return user text as a line."""
    return styled_line(user_text(text), NAMES)


def nasty_book() -> Book:
    """Return a book in which every text tries to be markup."""
    passages: list[Passage] = []
    for text in NASTY:
        told = line(text)
        for kind in ("scene", "mark", "news", "deed"):
            passages.append(
                Passage(NOON, kind, "9", told, (told, told), told, (told,), (told,), private=True)
            )
        passages.append(Passage(NOON, "deed", "9", told, (told,), told))
    everything = " ".join(NASTY)
    chapter = Chapter(everything, "November 30, 2026", tuple(passages))
    cast = tuple(CastMember(text, text) for text in NASTY)
    return Book(everything, everything, everything, "a day", cast, (chapter, chapter))


class _Reader(HTMLParser):
    """Collector of the elements, attributes and text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.links: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value or "" for name, value in attrs if name in ("href", "src")}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_page_has_only_its_own_markup_and_nothing_from_elsewhere() -> None:
    page = write_html(nasty_book())
    reader = _Reader()
    reader.feed(page)
    assert reader.elements <= {
        *("html", "head", "meta", "title", "style", "body", "header", "nav", "main", "footer"),
        *("section", "h1", "h2", "h3", "p", "q", "blockquote", "div", "ul", "ol", "li", "a"),
        *("b", "s", "br", "bdi", "span"),
    }
    assert reader.attributes <= {
        *("lang", "charset", "name", "content", "http-equiv", "dir", "class", "id", "href"),
        *("aria-label",),
    }
    assert reader.links == {"#chapter-1", "#chapter-2"}
    assert "default-src 'none'" in page and "@media print" in page
    assert "prefers-color-scheme: dark" in page and "<script>alert(1)</script>" in reader.text
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("text", NASTY)
def test_markdown_says_what_was_written(text: str) -> None:
    """Without the escapes it's the text again, and nothing in it is left to be markup."""
    book = nasty_book()
    (chapter, _) = book.chapters
    passage = next(each for each in chapter.passages if plain(each.lead) == plain(line(text)))
    small = book.replace(chapters=(chapter.replace(passages=(passage,)),), title="A", cast=())
    written = write_markdown(small)
    bare = re.sub(
        r"\\(.)", "", written.replace("**", "").replace("<sub>", "").replace("</sub>", "")
    )
    assert not re.search(r"[<`|]|\]\(|!\[|https?://|www\.", bare), bare


def test_an_epub_is_whole() -> None:
    data = write_epub(nasty_book(), NOON)
    assert data[30:58] == b"mimetypeapplication/epub+zip", "stored first, as readers expect it"
    assert data == write_epub(nasty_book(), NOON), "the same text is the same file"
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        assert packed.testzip() is None
        names = packed.namelist()
        assert names[0] == "mimetype"
        trees = {
            name: ElementTree.fromstring(packed.read(name))
            for name in names
            if name.endswith((".xhtml", ".opf", ".xml"))
        }
    opf = "{http://www.idpf.org/2007/opf}"
    root = trees["META-INF/container.xml"]
    (rootfile,) = root.iter("{urn:oasis:names:tc:opendocument:xmlns:container}rootfile")
    package = trees[rootfile.attrib["full-path"]]
    items = {item.attrib["id"]: item.attrib["href"] for item in package.iter(f"{opf}item")}
    inside = {f"EPUB/{name}" for name in items.values()}
    assert inside | {"mimetype", "META-INF/container.xml", "EPUB/package.opf"} == {*names}
    spine = [items[part.attrib["idref"]] for part in package.iter(f"{opf}itemref")]
    assert spine == ["title.xhtml", "chapter-1.xhtml", "chapter-2.xhtml"]
    xhtml = "{http://www.w3.org/1999/xhtml}"
    links = [link.attrib["href"] for link in trees["EPUB/nav.xhtml"].iter(f"{xhtml}a")]
    assert links == spine
    dc = "{http://purl.org/dc/elements/1.1/}"
    for needed in ("identifier", "title", "language"):
        found = package.find(f".//{dc}{needed}")
        assert found is not None and "".join(found.itertext()).strip()
    (modified,) = package.iter(f"{opf}meta")
    assert modified.text == "2026-11-30T12:00:00Z"


@pytest.mark.parametrize("kind", ["html", "markdown", "epub"])
def test_a_long_book_comes_in_parts_that_hold_all_of_it(kind: BookFormat) -> None:
    most = 20_000
    passages = tuple(
        Passage(NOON + number, "news", "9", line(f"Marker{number}. {'word ' * 40}"))
        for number in range(400)
    )
    chapters = (Chapter("One", "D", passages[:390]), Chapter("Two", "D", passages[390:]))
    book = Book("A", "B", "C", "D", (), chapters)
    parts = parts_of(book, most)
    assert [part.part for part in parts] == [*range(1, len(parts) + 1)] and len(parts) > 4
    told = [passage for part in parts for chapter in part.chapters for passage in chapter.passages]
    assert tuple(told) == passages
    files = [*book_files(book, kind, "tale", NOON, most)]
    assert len({name for name, _ in files}) == len(parts)
    assert all(len(content) < most + 8_000 for _, content in files)
    (single,) = book_files(book, kind, "tale", NOON)
    assert re.fullmatch(r"tale\.(html|md|epub)", single[0])
    assert single[1] == book_bytes(book, kind, NOON)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("## ✓ **Success**, 16 against\u00a010", "Success, 16 against\u00a010"),
        ("<@7> and <@!8> met <@5> in <#9>, not in <#1>", "Ana and <b>Ben</b> met somebody in"),
        ("until <t:1796040000:R>", "until November 30, 2026"),
        ("[check c1](https://discord.com/channels/1/2/3) goes on", "check c1 goes on"),
        (user_text("**not bold** <@7>"), "**not bold** <@7>"),
    ],
)
def test_messages_become_plain_words(text: str, words: str) -> None:
    assert plain(styled_line(text, NAMES)).startswith(words)


def test_styles_are_kept_and_words_of_players_have_none() -> None:
    assert styled_line("3d6 (**5**, ~~2~~)", NAMES) == (
        Span("3d6 ("),
        Span("5", strong=True),
        Span(", "),
        Span("2", struck=True),
        Span(")"),
    )
    said = styled_line(quoted_text("**loud** ~~gone~~"), NAMES)
    assert said == (Span("**loud** ~~gone~~"),)


def test_chapters_are_sessions_and_the_weeks_around_them() -> None:
    def news(at: int, place: str = "9") -> Passage:
        return Passage(at, "news", place, line(f"{at}"))

    told = (
        news(NOON),
        news(NOON + 2 * DAY),
        news(NOON + 8 * DAY),
        ToldSession(NOON + 9 * DAY, 3, True),
        news(NOON + 9 * DAY),
        news(NOON + 16 * DAY, "1"),
        ToldSession(NOON + 16 * DAY, 3, False),
        news(NOON + 17 * DAY, "9"),
    )
    chapters = chapters_of(told, {"9": "the-zone"})
    assert [chapter.title for chapter in chapters] == [
        "The week of November 30, 2026",
        "The week of December 7, 2026",
        "Session 3",
        "After session 3: the week of December 14, 2026",
    ]
    assert chapters[0].days == "November 30 to December 2, 2026"
    kinds = [passage.kind for passage in chapters[2].passages]
    assert kinds == ["mark", "news", "news"], "a place without a name is not named"
    assert plain(chapters[2].passages[0].lead) == "In #the-zone"
    assert not any(
        passage.kind == "mark"
        for chapter in chapters_of(told[:3], {"9": "the-zone"})
        for passage in chapter.passages
    )


def test_days_in_words() -> None:
    assert days_text(NOON, NOON) == "November 30, 2026"
    assert days_text(NOON, NOON + 40 * DAY) == "November 30, 2026 to January 9, 2027"
    assert week_start(NOON) == date(2026, 11, 30)
    assert week_start(NOON - 13 * 3600) == date(2026, 11, 23)


def test_days_and_weeks_are_those_of_the_zone() -> None:
    # Midnight in Auckland is 11:00 UTC of the day before, in summer time.
    assert days_text(NOON - 2 * 3600, NOON, "Pacific/Auckland") == (
        "November 30 to December 1, 2026"
    )
    monday = NOON - 12 * 3600
    late = Passage(monday - 3600, "news", "9", line("late on Sunday, by UTC"))
    (chapter,) = chapters_of([late], {}, "Pacific/Auckland")
    assert (chapter.title, chapter.days) == (
        "The week of November 30, 2026",
        "November 30, 2026",
    )
    names = KnownNames({}.get, {}, "Pacific/Auckland")
    assert plain(styled_line(f"until <t:{NOON}:F>", names)) == "until December 1, 2026"
