"""Pictures of messages, drawn in the worker process before they are sent."""

from __future__ import annotations

import base64
import logging
from collections.abc import Sequence
from typing import Any, Final

import discord

from bot.presenters.render import PendingPicture
from bot.worker_process import WorkerFailed, WorkerProcess

log = logging.getLogger("storyguide.drawn")

#: PNG of one dark pixel, in place of a picture that could not be drawn. The picture's description
#: has its contents.
_DOT: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNQUNIAAADQAGvN5uDZAAAAAElFTkSuQmCC"
)


async def draw_pictures(
    messages: Sequence[dict[str, Any]], aside: WorkerProcess
) -> list[dict[str, Any]]:
    """Return the messages with their pictures drawn into files.

    Messages without pictures are unchanged.
    """
    drawn: list[dict[str, Any]] = []
    for message in messages:
        if any(isinstance(file, PendingPicture) for file in message.get("files", ())):
            files = [await _file(file, aside) for file in message["files"]]
            drawn.append({**message, "files": files})
        else:
            drawn.append(message)
    return drawn


async def _file(file: PendingPicture | discord.File, aside: WorkerProcess) -> discord.File:
    if isinstance(file, discord.File):
        return file
    try:
        return file.file(await aside.run(file.drawing.draw, *file.drawing.of))
    except WorkerFailed as error:
        log.warning("drawn.failed", extra={"reason": str(error)})
        return file.file(_DOT)
