"""The links and pictures of the README and the docs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
LINK: Final = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(?:#[^)]*)?\)")
#: The lines of the README before its links to everything else: about a screen.
MOST_LINES: Final = 45


def documents() -> list[Path]:
    pages = (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "tests/README.md"))
    return [*pages, *sorted((ROOT / "docs").rglob("*.md"))]


def links() -> Iterator[tuple[Path, str, str, Path]]:
    """Each link within the repository: its document, `!` for a picture, its text, its target."""
    for path in documents():
        for mark, text, target in LINK.findall(path.read_text("utf-8")):
            if "://" not in target:
                yield path, mark, text, (path.parent / target).resolve()


def test_every_link_leads_somewhere() -> None:
    assert [(path.name, target) for path, _, _, target in links() if not target.exists()] == []


def test_every_path_for_contributors_leads_somewhere() -> None:
    """Paths in code font begin with a folder of ours; `<…>` and `*` stand for any name."""
    folders = "|".join(path.name for path in ROOT.iterdir() if path.is_dir())
    for name in ("CONTRIBUTING.md", "tests/README.md", "docs/architecture.md"):
        text = (ROOT / name).read_text("utf-8")
        for path in re.findall(rf"`((?:{folders})/[^\s`:]*)`", text):
            pattern = re.sub(r"<[^>]*>", "*", path).rstrip("/")
            assert any(ROOT.glob(pattern)), f"{name} names {path}: there is none, so correct it"


def test_every_picture_is_drawn_shown_and_told_in_words() -> None:
    pictures = [(text, target) for _, mark, text, target in links() if mark]
    assert all(len(text.split()) >= 3 for text, _ in pictures)
    there = {path.stem for path in (ROOT / "docs/images").iterdir()}
    source = (ROOT / "tests/discord/pictures.py").read_text("utf-8")
    drawn = set(re.findall(r'paint\.draw\(\s*"([a-z-]+)"', source))
    assert {target.stem for _, target in pictures} == there == drawn


def test_the_readme_is_one_screen_and_shows_every_game() -> None:
    before, _, _ = (ROOT / "README.md").read_text("utf-8").partition("\n## More\n")
    assert len(before.splitlines()) <= MOST_LINES
    shown = {Path(target).stem for mark, _, target in LINK.findall(before) if mark}
    assert shown == {"ebb", "barmore", "ego", "masterbook"}


def test_every_decision_has_the_four_heads() -> None:
    for page in sorted((ROOT / "docs" / "adr").glob("0*.md")):
        lines = page.read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith(f"# {int(page.name[:4])}. "), page.name
        assert lines[2].startswith("Status: "), page.name
        heads = [line.removeprefix("## ") for line in lines if line.startswith("## ")]
        assert heads[:2] == ["Context", "Decision"], page.name
        assert "Consequences" in heads, page.name
