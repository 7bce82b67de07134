"""Chronicles as files, written by the worker process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bot.delivery.table_scene import scene_of
from bot.presenters.chronicle.book import Book, Passage
from bot.presenters.chronicle.chapters import chapters_of
from bot.presenters.chronicle.files import BookFormat, book_files
from bot.presenters.chronicle.passages import tale_of
from bot.presenters.chronicle.styled_text import UTC, KnownNames, days_text
from bot.presenters.language.text import bare_text, unescape
from bot.presenters.language.words import phrase
from bot.presenters.scene import Scene
from bot.services.exports import MAX_PARTS
from bot.services.loaded_table import Table
from bot.services.story import Hearer, StoryLine, read_story
from bot.services.tables import Tables
from bot.storage.location import Where
from bot.storage.store import SqlStore
from rules.core.errors import Impossible
from rules.core.record import Record
from rules.registry import get_system

#: Kinds of passages that tell of something. A scene alone is no story.
_TELLING_KINDS: Final = frozenset({"deed", "news"})


class ChronicleOrder(Record):
    """A chronicle to write."""

    table_id: int
    hearer: Hearer
    kind: BookFormat
    #: Name of the files, without number and ending.
    name: str
    #: When it's written, in seconds since 1970.
    at: int
    #: Number of the last entry before the story begins.
    after: int = 0
    #: Span of the story in seconds since 1970; None for no bound.
    since: int | None = None
    until: int | None = None
    #: Names of the places that the reader can view, by their ids.
    places: Mapping[str, str] = {}


def write_chronicle(where: Where, folder: str, order: ChronicleOrder) -> list[str]:
    """Write the files of a chronicle and return their names; runs in the worker process.

    Raises:
        Impossible("chronicle-empty"): the reader was told nothing in that span.
        Impossible("chronicle-too-long"): the book has more parts than can be sent.
    """

    async def work() -> list[str]:
        store = await SqlStore.open(where, reading=True)
        try:
            tables = Tables(store)
            table = await tables.get(order.table_id)
            story = await read_story(
                tables,
                table,
                order.hearer,
                after=order.after,
                since=order.since or 0,
                until=order.until,
                most=None,
                rounds=True,
            )
            return _write(table, story.lines, Path(folder), order)
        finally:
            await store.close()

    return asyncio.run(work())


def _write(
    table: Table, lines: tuple[StoryLine, ...], folder: Path, order: ChronicleOrder
) -> list[str]:
    book = book_of(table, scene_of(table), lines, order)
    names: list[str] = []
    for name, content in book_files(book, order.kind, order.name, order.at):
        if len(names) > MAX_PARTS:
            raise Impossible("chronicle-too-long")
        (folder / name).write_bytes(content)
        names.append(name)
    return names


def book_of(
    table: Table, scene: Scene, lines: tuple[StoryLine, ...], order: ChronicleOrder
) -> Book:
    """Return the book of a table's story.

    Raises Impossible("chronicle-empty") if the lines tell no story.
    """
    people, zone = table.directory, table.state.settings.rest.zone or UTC

    def user_name(user: str) -> str | None:
        who = people.known_participant(user)
        return None if who is None else bare_text(people.name(who))

    tale = tale_of(lines, scene, KnownNames(user_name, order.places, zone))
    passages = [passage for passage in tale.told if isinstance(passage, Passage)]
    if not any(passage.kind in _TELLING_KINDS for passage in passages):
        is_span = order.since is not None or order.until is not None
        raise Impossible("chronicle-empty", span=is_span)
    times = [passage.at for passage in passages]
    settings = table.state.settings
    hearer = order.hearer.person
    reader = bare_text(people.name(hearer)) if hearer else None
    return Book(
        title=bare_text(settings.name),
        edition=unescape(phrase("tale-edition", who=reader)),
        game=get_system(settings.system).name,
        days=days_text(min(times), max(times), zone),
        cast=tale.cast,
        chapters=chapters_of(tale.told, order.places, zone),
    )
