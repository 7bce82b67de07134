"""``python -m tests.loopback.launch PORT MODULE:FUNCTION [args...]`` runs a bot against a
stand-in.
"""

from __future__ import annotations

import asyncio
import ctypes
import importlib
import inspect
import os
import signal
import sys

from tests.loopback.discord_patch import point_discord_at

#: The stand-in's own token, in the form of Discord's: the bot's number first.
TOKEN = "MTAwMDAwMDAwMDAwMDAwMDAx.stand.in"
DIE_WITH_PARENT = "LOOPBACK_DIE_WITH_PARENT"
PR_SET_PDEATHSIG = 1


def main(argv: list[str]) -> None:
    """Patch discord.py, then call the function with the remaining arguments as strings."""
    if len(argv) < 2 or ":" not in argv[1]:
        raise SystemExit("usage: python -m tests.loopback.launch PORT MODULE:FUNCTION [args...]")
    if os.environ.get(DIE_WITH_PARENT) and sys.platform == "linux":
        # a test run that is itself killed must not leave a bot behind
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    point_discord_at(int(argv[0]))
    module, _, name = argv[1].partition(":")
    result = getattr(importlib.import_module(module), name)(*argv[2:])
    if inspect.iscoroutine(result):
        asyncio.run(result)


if __name__ == "__main__":
    main(sys.argv[1:])
