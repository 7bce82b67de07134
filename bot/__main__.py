"""`python -m bot`: connect to Discord. `python -m bot play`: the local table. `python -m bot doctor`: a check."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import signal
import sqlite3
import sys
from collections.abc import Sequence

import discord
from pydantic import ValidationError

from bot.app import CONNECTIONS, Storyguide, build_bot
from bot.logs import set_up
from bot.settings import Settings
from bot.storage.errors import StorageUnavailable
from bot.storage.schema import LATEST, SchemaTooNew

log = logging.getLogger("storyguide.main")

NO_TOKEN = (
    "No DISCORD_TOKEN: create an application at https://discord.com/developers/applications, put its bot"
    " token into .env (see .env.example). To try Storyguide without one, run `make play`."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments ask for; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bot", description=__doc__)
    commands = parser.add_subparsers(dest="command")
    play = commands.add_parser("play", help="the local table in your browser")
    play.add_argument("--table", default=None, help="which of the sample tables to open")
    play.add_argument("--port", type=int, default=0, help="port on this machine (default: any free one)")
    play.add_argument("--data", default=None, help="folder for the local tables (default: .play)")
    commands.add_parser("doctor", help="check settings and database")
    options = parser.parse_args(arguments)
    try:
        settings = Settings()
    except ValidationError as error:
        for problem in error.errors():
            name = "_".join(str(piece) for piece in problem["loc"]).upper()
            print(f"{name}: {problem['msg']}. See .env.example.", file=sys.stderr)
        return 2
    if options.command == "play":
        # Imported only here: the simulated Discord is no part of a server's installation.
        from bot.play import run_play

        return run_play(table=options.table, port=options.port, data=options.data)
    if options.command == "doctor":
        return doctor(settings)
    set_up(settings.log_level)
    if settings.discord_token is None or not settings.discord_token.get_secret_value():
        print(NO_TOKEN, file=sys.stderr)
        return 2
    return asyncio.run(serve(build_bot(settings), settings.discord_token.get_secret_value()))


async def serve(bot: Storyguide, token: str) -> int:
    """Connect and stay until told to stop; SIGTERM and SIGINT end it in order, with status 0."""
    # What is loaded by now stays for good: the collector need not look at it again and again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(sign, stop.set)
    try:
        async with bot:
            bot.limit_connections(CONNECTIONS)
            running = asyncio.create_task(bot.start(token), name="bot")
            stopping = asyncio.create_task(stop.wait(), name="stop")
            await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
            if running.done():
                running.result()
            else:
                log.info("main.stopping")
                await bot.close()
                await asyncio.wait({running})
    except discord.LoginFailure:
        print("Discord refused the token: copy it anew from the application's Bot page.", file=sys.stderr)
        return 2
    except SchemaTooNew as error:
        print(
            f"The database was written by a later release (schema {error.found}; this one knows {LATEST})."
            " Nothing was changed. Update Storyguide, or point STORYGUIDE_DATABASE elsewhere.",
            file=sys.stderr,
        )
        return 2
    except StorageUnavailable as error:
        print(f"The database cannot be used ({error.reason}). Nothing was changed.", file=sys.stderr)
        return 2
    return 0


def doctor(settings: Settings) -> int:
    """Check settings and database without touching either; 0 when all is well."""
    path = settings.storyguide_database
    problems: list[str] = []
    if settings.discord_token is None or not settings.discord_token.get_secret_value():
        problems.append("DISCORD_TOKEN is not set.")
    if path.exists():
        try:
            connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            try:
                schema = connection.execute("PRAGMA user_version").fetchone()[0]
                found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            finally:
                connection.close()
        except sqlite3.Error as error:
            problems.append(f"The database cannot be read: {error}.")
        else:
            if found != "ok":
                problems.append(f"The database is damaged: {found}. Restore a copy.")
            if schema > LATEST:
                problems.append(f"The database has schema {schema}, this release knows {LATEST}: update.")
    elif not path.absolute().parent.is_dir():
        problems.append(f"The folder of {path} does not exist.")
    for problem in problems:
        print(problem)
    if not problems:
        print("All is well.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
