"""Structured logs: one line an event, `time level event key=value …`, without secrets and texts.

The bot's own events pass their facts as `extra`. Only the facts listed here are written, so that no
other slips in.
"""

from __future__ import annotations

import logging
import sys
import time
from functools import lru_cache
from typing import IO

#: Facts that may be logged: ids, codes and paths of the bot's own files, never what a player typed
#: or rolled.
FACTS = frozenset(
    (
        "table",
        "entry",
        "action",
        "actor",
        "out",
        "kind",
        "guild",
        "command",
        "code",
        "reason",
        "attempt",
        "wait",
        "count",
        "file",
        "share",
    )
)


class LineFormatter(logging.Formatter):
    """Formatter of lines like `2026-11-20T10:00:00Z INFO table.activity count=7`.

    A traceback stands on the same line.
    """

    def format(self, record: logging.LogRecord) -> str:
        stamp = _stamp(int(record.created))
        known = record.__dict__
        facts = "".join(
            f" {name}={_value(known[name])}" for name in filter(FACTS.__contains__, known)
        )
        name = "" if record.name.startswith("storyguide") else f" logger={record.name}"
        line = f"{stamp}Z {record.levelname} {record.getMessage()}{name}{facts}"
        if record.exc_info and record.exc_info[0] is not None:
            line += f" error={_trace(record)}"
        return line.replace("\n", "\\n")


@lru_cache(maxsize=4)
def _stamp(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def _value(value: object) -> str:
    text = str(value)
    return f'"{text}"' if " " in text else text


def _trace(record: logging.LogRecord) -> str:
    """Return the class and the place of an error.

    Its text is left out, because it may contain a player's words.
    """
    assert record.exc_info is not None
    kind, _, trace = record.exc_info
    places: list[str] = []
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}:{code.co_name}")
        trace = trace.tb_next
    return f"{kind.__name__ if kind else 'unknown'}@{'>'.join(places[-6:])}"


def set_up_logging(level: str, stream: IO[str] | None = None) -> None:
    """Log to `stream`, by default standard error.

    Libraries stay at INFO at most, because their DEBUG prints SQL and tokens.
    """
    # The lines have none of these, so they needn't be looked up.
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(LineFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(logging.INFO, logging.getLevelName(level)))
    logging.getLogger("storyguide").setLevel(level)
    for name in ("discord.client", "discord.gateway"):
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLevelName(level)))
