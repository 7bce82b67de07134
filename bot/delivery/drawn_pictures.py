"""Pictures of messages, drawn beside the event loop before they are sent."""

from __future__ import annotations

import base64
import logging
from collections.abc import Sequence
from typing import Any, Final

import discord

from bot.presenters.render import PendingPicture
from bot.worker_process import WorkerFailed, WorkerProcess

log = logging.getLogger("storyguide.drawn")

#: A single dark dot, in place of a picture that could not be drawn: what it shows stands in its
#: description.
_DOT: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNQUNIAAADQAGvN5uDZAAAAAElFTkSuQmCC"
)


async def draw_pictures(
    messages: Sequence[dict[str, Any]], aside: WorkerProcess
) -> list[dict[str, Any]]:
    """The messages with their pictures as files; messages without any are as they were."""
    return [
        {**message, "files": [await _file(each, aside) for each in message["files"]]}
        if any(isinstance(each, PendingPicture) for each in message.get("files", ()))
        else message
        for message in messages
    ]


async def _file(file: PendingPicture | discord.File, aside: WorkerProcess) -> discord.File:
    if isinstance(file, discord.File):
        return file
    try:
        return file.file(await aside.run(file.drawing.draw, *file.drawing.of))
    except WorkerFailed as error:
        log.warning("drawn.failed", extra={"reason": str(error)})
        return file.file(_DOT)
