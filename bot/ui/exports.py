"""Sends exports, which may be long: written in a process of their own, and sent file by file."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from bot.aside import Aside, AsideFailed
from bot.presenters.cards import card
from bot.presenters.controls import Attachment
from bot.presenters.layout import Layout
from bot.presenters.render import to_messages
from bot.services.exports import PART, PARTS, PROGRESS, Export, write
from bot.ui.response import Response
from bot.ui.uploads import up_to
from rules.core.errors import Impossible, InvalidInput

#: Seconds that one may take: what is announced can be answered for fifteen minutes.
LIMIT: Final = 600.0
#: Seconds from one word on how far it is to the next.
TOLD_EACH: Final = 4.0


class Exports:
    """One export at a time; it costs the bot one file in memory."""

    def __init__(self, database: Path) -> None:
        self._database = str(database.absolute())  # the process is elsewhere
        self._aside = Aside(LIMIT, once=True)

    async def send(
        self,
        response: Response,
        export: Export,
        shown: Callable[[bytes, int], Layout],
        *,
        plain: bool = False,
    ) -> None:
        """Answer with an export. `shown` makes the card of the first file; it is told how many more there are.

        Raises RulesError where it cannot be made.
        """
        with tempfile.TemporaryDirectory(prefix="storyguide-export-") as name:
            folder = Path(name)
            person = response.interaction.user.id
            work = asyncio.create_task(
                self._aside.run_for(person, write, self._database, name, export), name="export"
            )
            try:
                while not (await asyncio.wait({work}, timeout=TOLD_EACH))[0]:
                    await response.meanwhile(to_messages(_progress(folder), plain=plain))
                first, *more = await work
            except AsideFailed:
                raise Impossible("export-failed") from None
            finally:
                work.cancel()
            await self._files(response, folder, first, more, shown, plain=plain)

    async def _files(
        self,
        response: Response,
        folder: Path,
        first: str,
        more: Sequence[str],
        shown: Callable[[bytes, int], Layout],
        *,
        plain: bool,
    ) -> None:
        if len(more) > PARTS:
            raise Impossible("export-too-long")
        content = await self._aside.here((folder / first).read_bytes)
        if len(content) > PART:
            raise InvalidInput("export-too-large", field="journal", value=None, allowed=up_to(PART))
        await response.say(to_messages(shown(content, len(more)), plain=plain))
        for number, name in enumerate(more, 1):
            file = Attachment(name, await self._aside.here((folder / name).read_bytes))
            part = card("own", "export-part", None, attachment=file, number=number, count=len(more))
            await response.whisper(to_messages(part, plain=plain))

    async def close(self) -> None:
        """End what is under way."""
        await self._aside.close()


def _progress(folder: Path) -> Layout:
    """How far it is, as far as that is known."""
    note = folder / PROGRESS
    done, _, count = (note.read_text() if note.exists() else "").partition(" ")
    return card("waiting", "export-progress", None, done=int(done or 0), count=int(count or 0))
