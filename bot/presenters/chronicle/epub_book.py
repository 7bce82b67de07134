"""A chronicle as an EPUB 3 book."""

from __future__ import annotations

import io
import uuid
import zipfile
from datetime import UTC, datetime
from typing import Final

from bot.presenters.chronicle.book import Book
from bot.presenters.chronicle.html_book import (
    BOOK_STYLE,
    cast_part,
    chapter_part,
    escape,
    title_part,
)
from bot.presenters.chronicle.styled_text import book_words

_MIMETYPE: Final = "application/epub+zip"
#: Every book of the same text is the same file.
_ZIP_TIME: Final = (1980, 1, 1, 0, 0, 0)
#: Namespace of the books' identifiers.
_IDENTIFIERS: Final = uuid.UUID("5f4c2f3e-8a54-4d4e-9a3b-6f0c7a7d1e52")
_CONTAINER: Final = """\
<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles>
<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>
</rootfiles>
</container>
"""


def write_epub(book: Book, at: int) -> bytes:
    """Return the bytes of an EPUB file. *at* is when it's written, in seconds since 1970."""
    pages = {"title.xhtml": (escape(book.title), title_part(book) + cast_part(book))}
    for number, chapter in enumerate(book.chapters, 1):
        pages[f"chapter-{number}.xhtml"] = (escape(chapter.title), chapter_part(number, chapter))
    files = {f"EPUB/{name}": _page(title, body) for name, (title, body) in pages.items()}
    files["EPUB/nav.xhtml"] = _page(escape(book_words("tale-contents")), _navigation(pages))
    files["EPUB/style.css"] = BOOK_STYLE
    text = "".join(files.values())
    files["EPUB/package.opf"] = _package(book, [*pages], text, at)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        # Readers look for the type in the file's first bytes, uncompressed.
        packed.writestr(zipfile.ZipInfo("mimetype", _ZIP_TIME), _MIMETYPE)
        for name, content in {"META-INF/container.xml": _CONTAINER, **files}.items():
            entry = zipfile.ZipInfo(name, _ZIP_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, content)
    return buffer.getvalue()


def _page(title: str, body: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" '
        'lang="en" xml:lang="en">\n'
        f'<head><title>{title}</title><link rel="stylesheet" href="style.css"/></head>\n'
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _navigation(pages: dict[str, tuple[str, str]]) -> str:
    items = [f'<li><a href="{name}">{title}</a></li>' for name, (title, _) in pages.items()]
    label = escape(book_words("tale-contents"))
    return f'<nav epub:type="toc" id="toc"><h1>{label}</h1><ol>{"".join(items)}</ol></nav>'


def _package(book: Book, pages: list[str], text: str, at: int) -> str:
    """Return the list of the book's files, with its title and identifier."""
    identifier = uuid.uuid5(_IDENTIFIERS, text)
    modified = f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"
    items = [
        f'<item id="page-{number}" href="{name}" media-type="application/xhtml+xml"/>'
        for number, name in enumerate(pages)
    ]
    spine = [f'<itemref idref="page-{number}"/>' for number, _ in enumerate(pages)]
    title = book.title if book.parts == 1 else f"{book.title} ({book.part}/{book.parts})"
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" '
        'unique-identifier="book-id" xml:lang="en">\n'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">\n'
        f'<dc:identifier id="book-id">urn:uuid:{identifier}</dc:identifier>\n'
        f"<dc:title>{escape(title)}</dc:title>\n<dc:language>en</dc:language>\n"
        f'<meta property="dcterms:modified">{modified}</meta>\n</metadata>\n'
        '<manifest>\n<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" '
        'properties="nav"/>\n<item id="style" href="style.css" media-type="text/css"/>\n'
        f"{chr(10).join(items)}\n</manifest>\n<spine>{''.join(spine)}</spine>\n</package>\n"
    )
