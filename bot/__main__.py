"""`python -m bot`: connect to Discord. `play` opens the local table; the rest is for operators."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from bot import __version__
from bot.app import MAX_CONNECTIONS, Storyguide, build_bot
from bot.clock import system_clock
from bot.delivery.response import InteractionAdapter
from bot.logs import set_up_logging
from bot.ops.backup import back_up, back_up_into, restore_database
from bot.ops.database_files import OperationRefused, database_file
from bot.ops.discord_reach import (
    CONNECT_TIMEOUT,
    bot_id_in_token,
    configured_token,
    connection_problem,
    token_problem,
)
from bot.ops.doctor import ASK_DISCORD, examine_offline, examine_online
from bot.ops.metrics import prometheus_text
from bot.ops.move import move_database, undo_move
from bot.ops.restore_drill import run_restore_drill
from bot.ops.server_restore import note_server_restored
from bot.ops.start_checks import (
    DRIVER_MISSING,
    location_problem,
    location_warning,
    storage_problem,
)
from bot.ops.stats import database_stats
from bot.settings import Settings
from bot.shards import ShardsRefused
from bot.storage.engines import DriverMissing
from bot.storage.errors import ServerTooOld, StorageUnavailable
from bot.storage.fingerprint import FingerprintMismatch
from bot.storage.instance_lock import DatabaseInUse
from bot.storage.location import (
    LocationError,
    Where,
    hold_location,
    parse_where,
)
from bot.storage.move_notes import DatabaseMoved
from bot.storage.schema import LATEST_SCHEMA, SchemaTooNew
from bot.storage.share import OtherProcessCount

log = logging.getLogger("storyguide.main")

#: After how many new objects the collector looks through them: a command makes thousands, and
#: hardly ever a circle.
GC_THRESHOLDS = (20_000, 20, 50)
#: Exit status of a bot that its supervisor should start again.
RESTART_STATUS = 3

NO_TOKEN = (
    "No DISCORD_TOKEN: create an application at https://discord.com/developers/applications and "
    "put its bot token in .env (see .env.example). To try Storyguide without one, run `make play`."
)


SHARE_LOST = (
    "Another process serves this one's part of the Discord servers. Start this one again: it waits "
    "as a spare."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments ask for; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bot", description=__doc__)
    parser.add_argument("--version", action="version", version=f"Storyguide {__version__}")
    commands = parser.add_subparsers(dest="command")
    play = commands.add_parser("play", help="the local table in your browser")
    play.add_argument("--table", default=None, help="the sample table to open")
    play.add_argument(
        "--port", type=int, default=0, help="port on this machine (default: any free one)"
    )
    play.add_argument("--data", default=None, help="folder for the local tables (default: .play)")
    doctor = commands.add_parser(
        "doctor", help="check settings, database and disk; status 1 if something is wrong"
    )
    doctor.add_argument(
        "--connect", action="store_true", help="also ask Discord which permissions are missing"
    )
    doctor.add_argument(
        "--quick", action="store_true", help="skip the checks that read the whole database"
    )
    copy = commands.add_parser("backup", help="copy the database, even while the bot runs")
    copy.add_argument("file", type=Path, help="where the copy goes")
    copy.add_argument(
        "--keep",
        type=int,
        metavar="N",
        help="FILE is a folder: name the copy by its time and keep the newest N of them",
    )
    copy.add_argument("--force", action="store_true", help="overwrite the file if it exists")
    back = commands.add_parser("restore", help="restore a copy; stop the bot first")
    back.add_argument("file", type=Path, help="the copy")
    tried = commands.add_parser(
        "drill", help="test that a copy can be restored, without changing anything"
    )
    tried.add_argument(
        "database",
        type=place_argument,
        help="the copy, with its -wal file beside it if it has one, or a server's address",
    )
    move = commands.add_parser(
        "move", help="move everything to another database; stop the bot first"
    )
    move.add_argument("source", metavar="FROM", type=place_argument, help="a file or an address")
    move.add_argument(
        "target",
        metavar="TO",
        type=place_argument,
        nargs="?",
        help="an empty database, or a new file",
    )
    move.add_argument(
        "--undo",
        action="store_true",
        help="let a bot start again on FROM, which was moved; without what came after the move",
    )
    restored = commands.add_parser(
        "restored", help="tell the bot that its server was set back to an older state"
    )
    restored.add_argument(
        "--nothing-lost",
        action="store_true",
        help="only tell that nothing is missing after a change of the server's timeline",
    )
    figures = commands.add_parser("stats", help="what the database holds, in numbers")
    figures.add_argument("--prometheus", action="store_true", help="as Prometheus reads it")
    options = parser.parse_args(arguments)
    if options.command == "backup" and options.keep is not None and options.keep < 1:
        parser.error("--keep must be 1 or more")
    if options.command == "move" and options.undo == (options.target is not None):
        parser.error("move takes FROM and TO, or --undo and FROM")
    try:
        settings = Settings()
    except ValidationError as error:
        for problem in error.errors():
            name = "_".join(str(piece) for piece in problem["loc"]).upper()
            print(f"{name}: {problem['msg']}. See .env.example.", file=sys.stderr)
        return 2
    if options.command == "play":
        # Imported only here: the simulated Discord is no part of a server's installation.
        from bot.local_table import run_play

        return run_play(table=options.table, port=options.port, data=options.data)
    if options.command is not None:
        return run_operator_command(settings, options)
    set_up_logging(settings.log_level)
    token = configured_token(settings)
    if bot_id_in_token(token) is None:
        print(token_problem(token) if token else NO_TOKEN, file=sys.stderr)
        return 2
    problem = location_problem(settings)
    if problem is not None:
        print(problem, file=sys.stderr)
        return 2
    lost = location_warning(settings)
    if lost is not None:
        print(lost, file=sys.stderr)
    return asyncio.run(serve(build_bot(settings), token))


def place_argument(text: str) -> Where:
    """Return the database that an argument names. Raises ArgumentTypeError, without the text."""
    try:
        return parse_where(text)
    except LocationError as error:
        raise argparse.ArgumentTypeError(f"it's {error}") from None


def run_operator_command(settings: Settings, options: argparse.Namespace) -> int:
    """Run a command of the operator, and return its exit status."""
    try:
        if options.command == "doctor":
            findings = examine_offline(settings, quick=options.quick)
            if options.connect:
                online = asyncio.run(examine_online(settings))
                findings.facts += online.facts
                findings.hints += online.hints
                findings.problems += online.problems
                findings.skipped = [check for check in findings.skipped if check != ASK_DISCORD]
            print(*findings.lines(), sep="\n")
            return findings.status
        if options.command == "drill":
            print(*run_restore_drill(options.database, tell_progress), sep="\n")
            return 0
        if options.command == "move":
            if options.undo:
                print(undo_move(options.source))
            else:
                lines = move_database(options.source, options.target, tell_progress)
                print(*lines, sep="\n")
            return 0
        if options.command == "restored":
            print(
                note_server_restored(
                    settings.storyguide_database, nothing_lost=options.nothing_lost
                )
            )
            return 0
        if options.command == "stats":
            where = settings.storyguide_database
            if options.prometheus:
                print(prometheus_text(where), end="")
            else:
                print(*database_stats(where), sep="\n")
            return 0
        database = database_file(settings.storyguide_database)
        if options.command == "backup":
            if options.keep is not None:
                print(back_up_into(database, options.file, options.keep, system_clock()))
            else:
                print(back_up(database, options.file, force=options.force))
        else:
            print(restore_database(database, options.file))
    except OperationRefused as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def tell_progress(text: str) -> None:
    """Print a line about something that takes long."""
    print(text, file=sys.stderr, flush=True)


async def freeze_when_ready(bot: Storyguide) -> None:
    """Exempt all objects from garbage collection once the bot is ready, because they stay."""
    await bot.wait_until_ready()
    gc.collect()
    gc.freeze()


async def wait_until_connected(bot: Storyguide, *, within: float) -> None:
    """Return once the bot is connected. Raises TimeoutError after so many seconds.

    The time in which other processes of the bot connect, or commits hang, doesn't count.
    """
    await asyncio.wait_for(bot.known.wait(), within)
    await bot.prepared.wait()
    while True:
        try:
            await bot.wait_for("connect", timeout=within)
        except TimeoutError:
            if bot.waits_for_database:
                log.warning("main.waiting-for-database")
            elif not bot.waits_to_identify:
                raise
        else:
            return


async def run_until_stopped(bot: Storyguide, token: str, stop: asyncio.Event) -> None:
    """Connect, and stay until told to stop. Raises what keeps it from that."""
    async with bot:
        bot.limit_connections(MAX_CONNECTIONS)
        bot.limits_sends = True
        InteractionAdapter.install()
        running = asyncio.create_task(bot.start(token), name="bot")
        stopping = asyncio.create_task(stop.wait(), name="stop")
        arriving = asyncio.create_task(
            wait_until_connected(bot, within=CONNECT_TIMEOUT), name="arrive"
        )
        settling = asyncio.create_task(freeze_when_ready(bot), name="settle")
        leaving = asyncio.create_task(bot.share_lost.wait(), name="leave")
        ends = {running, stopping, leaving}
        try:
            await asyncio.wait({*ends, arriving}, return_when=asyncio.FIRST_COMPLETED)
            if arriving.done():
                arriving.result()
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                running.result()
            else:
                log.info("main.left-share" if leaving.done() else "main.stopping")
                if not bot.prepared.is_set():
                    running.cancel()  # It may wait for a database server.
                await bot.close()
                running.cancel()  # It may be connecting a shard.
                await asyncio.wait({running})
        finally:
            for task in (running, stopping, leaving, arriving, settling):
                task.cancel()


def start_problem(error: Exception, database: Where) -> str | None:
    """Return in one line what keeps the bot from running; None for an error of the program."""
    if isinstance(error, DatabaseInUse):
        return (
            f"Another Storyguide runs on {database} ({error}). Nothing has changed."
            " Stop it first, or point STORYGUIDE_DATABASE elsewhere."
        )
    if isinstance(error, OtherProcessCount):
        return (
            f"STORYGUIDE_PROCESSES is {error.asked}, and processes are running that were started "
            f"with {error.running}. Nothing has changed. Set it to {error.running}, or stop them "
            "all first."
        )
    if isinstance(error, (ShardsRefused, DatabaseMoved)):
        return str(error)
    if isinstance(error, SchemaTooNew):
        return (
            f"The database comes from a later release (schema {error.found}; this one knows "
            f"{LATEST_SCHEMA}). Nothing has changed. Update Storyguide, or point "
            "STORYGUIDE_DATABASE elsewhere."
        )
    if isinstance(error, FingerprintMismatch):
        return (
            "The database comes from another release. Nothing has changed. Use that release, or "
            "point STORYGUIDE_DATABASE elsewhere."
        )
    if isinstance(error, ServerTooOld):
        return f"The database server is {error}. Nothing has changed."
    if isinstance(error, DriverMissing):
        return DRIVER_MISSING
    if isinstance(error, StorageUnavailable):
        return storage_problem(error, database)
    return connection_problem(error)


async def serve(bot: Storyguide, token: str) -> int:
    """Connect and stay until told to stop; SIGTERM and SIGINT end it in order, with status 0.

    Status 2: the line on standard error says what the operator has to do. `RESTART_STATUS`: a
    supervisor should start this process again. Another process has its share of the servers, or
    the database turned out to be older than what was saved to it.
    """
    gc.set_threshold(*GC_THRESHOLDS)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(sign, stop.set)
    bot.on_older_database = stop.set
    database = bot.settings.storyguide_database
    try:
        with hold_location(database) as bot.instance_lock:
            await run_until_stopped(bot, token, stop)
    except Exception as error:
        if not bot.share_lost.is_set():
            line = start_problem(error, database)
            if line is None:
                raise
            print(line, file=sys.stderr)
            return 2
    if bot.database_is_older:
        print(
            f"{database} lost entries that were saved: it was restored, or a replica took over "
            "that lacked them. Start the bot again; every table gets new seeds then.",
            file=sys.stderr,
        )
        return RESTART_STATUS
    if bot.share_lost.is_set():
        print(SHARE_LOST, file=sys.stderr)
        return RESTART_STATUS
    return 0


if __name__ == "__main__":
    sys.exit(main())
