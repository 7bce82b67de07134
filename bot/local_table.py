"""`python -m bot play`: the real bot on a simulated Discord in the browser, with a ready table to
play at.
"""

from __future__ import annotations

import asyncio
import itertools
import signal
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app import Storyguide, build_bot
from bot.clock_bar.kept_threads import (
    THREADS_KEY,
    KeptThread,
    ThreadKeeper,
    build_threads,
    read_threads,
)
from bot.clock_bar.local_clock import AHEAD_KEY, LocalClock
from bot.command_registry import commands_note_key
from bot.delivery.table_scene import scene_of
from bot.logs import set_up_logging
from bot.pasted_commands import accept_pasted_commands
from bot.presenters.language.text import plural, user_text
from bot.presenters.language.words import say
from bot.presenters.layout import Gap, Heading, Layout, build_layout
from bot.presenters.render import to_messages
from bot.samples import Hint, Sample, load_sample, sample_keys
from bot.services.directory import FOUNDER
from bot.services.loaded_table import Table
from bot.services.outbox_plan import board_topic, call_topic, check_message_topic
from bot.services.perform import perform
from bot.services.table_opening import create_table
from bot.settings import Settings
from bot.storage import codec
from bot.storage.errors import StorageUnavailable, TableUnreadable
from bot.storage.fingerprint import FingerprintMismatch
from bot.storage.high_water_mark import MARK_SUFFIX
from bot.storage.instance_lock import DatabaseInUse, hold_instance_lock
from bot.storage.row_records import OutboxRow
from bot.storage.schema import LATEST_SCHEMA, SchemaTooNew
from bot.storage.store import SqlStore
from rules.core.record import Record
from rules.registry import SYSTEMS
from rules.table.actions import Action, Actor, AddNpcs, CreateTable, ImportCharacter
from rules.table.check import AnyCheck
from rules.table.events import Reported
from rules.table.settings.pace import pace_text, pace_values
from rules.table.settings.table_settings import settings_form

if TYPE_CHECKING:
    import simcord

#: Default folder of local tables.
FOLDER = Path(".play")
#: The server's id is pinned; every other id follows from the order in which the world is built.
GUILD = 1_000_000_000_000_000_001
#: Seconds for which the simulation waits for the bot to finish its work. A timer of the bot that
#: ends sooner counts as work: the page waits for it.
SETTLE_TIMEOUT = 10.0
#: Last entries that are searched for reports with a button.
_REPORTED = 500
#: Key of the local database's note with the number of its starts.
STARTS_KEY = "play:starts"
#: Hint on how to enter a command; the page knows Discord's own way too.
COMMAND_ENTRY_HINT = (
    "Paste a command into the message box, then press the arrow beside it. Enter only steps "
    "through suggestions."
)

#: Hint on the bar of places.
PLACES_HINT = (
    "Threads, forum posts and the GM channel are under “Place”, above the conversation; the "
    "commands of a message are under “Message menu”."
)
#: Message at the start of an open thread of an earlier run.
THREAD_EMPTY = (
    "Play goes on here. Messages from before the restart aren't on this page: `/recap` and `/log` "
    "tell what happened."
)


class RunStart(Record):
    """Start of a run: its own salt, and what stays of the run before."""

    #: Salt of the run's request ids.
    salt: str
    #: Seconds by which the table is ahead of the machine's clock.
    ahead: int
    threads: tuple[KeptThread, ...]


class World(Record):
    """The simulated server with the GM and the players, in the order of the sample."""

    #: Channel of the table.
    channel: simcord.ChannelHandle
    people: tuple[simcord.MemberActor, ...]
    names: tuple[str, ...]
    #: The other channels: the GMs' channel and the forum.
    others: tuple[simcord.ChannelHandle, ...] = ()

    @property
    def users(self) -> list[tuple[str, str]]:
        """User ids and display names."""
        ids = (str(person.id) for person in self.people)
        return list(zip(ids, self.names, strict=True))


def run_play(*, table: str | None, port: int, data: str | None) -> int:
    """Open a sample table in the browser until the user stops it; return the exit status."""
    warnings.simplefilter("ignore")
    keys = sample_keys()
    key = table or keys[0]
    if key not in keys:
        return _fail(f"No sample table {key!r}. Use {', '.join(keys)}.")
    try:
        import simcord  # no part of a server's installation
    except ImportError:
        return _fail(
            "The local table needs SimCord, which isn't installed. Run `make play`: it installs it."
        )
    folder = Path(data) if data else FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        log = (folder / "play.log").open("a", encoding="utf-8")
    except OSError as error:
        return _fail(f"Can't use the folder {folder}: {error.strerror}. Name another with --data.")
    path = folder / f"{key}.db"
    with log:
        try:
            with hold_instance_lock(path):
                log.truncate(0)
                set_up_logging("INFO", log)
                return asyncio.run(_play(load_sample(key), port, path))
        except simcord.SetupError as error:
            hint = ""
            if port:
                hint = f" If port {port} is taken, name another with --port, or leave it out."
            return _fail(f"The local table didn't start: {error}.{hint}")
        except SchemaTooNew as error:
            reason = (
                f"comes from a later release (schema {error.found}; this one knows {LATEST_SCHEMA})"
            )
        except StorageUnavailable as error:
            reason = f"can't be used ({error.reason})"
        except TableUnreadable as error:
            reason = f"holds a table that can't be read ({error.reason})"
        except DatabaseInUse as error:
            reason = (
                f"is already open ({error}). Use that page, stop it with Ctrl-C, or "
                "choose another --table or --data"
            )
        except KeyboardInterrupt:
            return 0
    return _fail(f"{path} {reason}. Nothing has changed.")


def _fail(line: str) -> int:
    print(line, file=sys.stderr)
    return 2


async def _play(sample: Sample, port: int, path: Path) -> int:
    import simcord

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(sign, stop.set)
    from bot.clock_bar.page import accept_clock_moves, add_bars
    from bot.clock_bar.place_page import accept_place_moves
    from bot.clock_bar.thread_notices import drop_private_notices
    from bot.thread_webhooks import let_webhooks_speak_in_threads

    let_webhooks_speak_in_threads()
    run = await _begin_run(path)
    clock = LocalClock(run.ahead)
    settings = Settings(discord_token=None, dev_guild=None, storyguide_database=path)
    bot = build_bot(settings, clock=clock, salt=run.salt)
    # The channel begins empty: the scene and the open checks are posted before anything unsent.
    bot.recovers_when_ready = False
    env = simcord.Env(bot, check_errors=False, settle_timeout=SETTLE_TIMEOUT)
    # Built before the bot connects: what it has left to say at the start needs its channels.
    world = _build(env, sample)
    build_threads(env, run.threads)
    drop_private_notices(env)
    clock.attach(env)
    await env.start()
    keeper = ThreadKeeper(env, bot.tables.store)
    try:
        with env.time_context():
            page = env.preview(world.channel, viewers=world.people, layout="channel", port=port)
            add_bars(page, port)
            async with page as preview:
                known = bot.tables.places.table_id(str(world.channel.id)) is not None
                table = await _ensure_table(bot, world, sample)
                accept_pasted_commands(preview)
                if not known:
                    await _prepare(bot, world, sample, table)
                await _post_scene(bot, world, sample, table)
                await _explain_threads(bot, run.threads)
                await bot.outbox.recover()
                accept_place_moves(preview, (world.channel, *world.others))
                # The clock comes last: it lets one action at a time go on to the others.
                accept_clock_moves(preview, bot, clock)
                print(_welcome(preview.url, sample, world, table, path, known=known), flush=True)
                pace = asyncio.create_task(_keep_time(clock, env, preview))
                ends = {
                    asyncio.create_task(stop.wait()),
                    asyncio.create_task(preview.wait_closed()),
                }
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
                for task in (pace, *ends):
                    task.cancel()
    finally:
        await keeper.close()
        await bot.close()
        await env.shutdown()
    print("Stopped. Your table is saved.", flush=True)
    return 0


async def _begin_run(path: Path) -> RunStart:
    """Note the start of a run in the database, and return it.

    The digest of the commands is dropped, because the new world has none. A file of another release
    is set aside, and a new table begins.
    """
    try:
        store = await SqlStore.open(path)
    except FingerprintMismatch:
        print(
            f"{path} comes from another release. It's now {_set_aside(path).name}, and a "
            "new table starts."
        )
        store = await SqlStore.open(path)
    try:
        starts = int(await store.note(STARTS_KEY) or 0) + 1
        await store.set_note(STARTS_KEY, str(starts))
        ahead = int(await store.note(AHEAD_KEY) or 0)
        threads = read_threads(await store.note(THREADS_KEY))
        for scope in (None, GUILD):
            await store.set_note(commands_note_key(scope), "")
    finally:
        await store.close()
    return RunStart(f"play-{starts}-", ahead, threads)


def _set_aside(path: Path) -> Path:
    """Rename the database and the files beside it; return the database's new name."""
    names = (
        path.with_name(f"{path.stem}-old-{number}{path.suffix}") for number in itertools.count(1)
    )
    aside = next(name for name in names if not name.exists())
    for suffix in ("", "-wal", "-shm", MARK_SUFFIX):
        beside = path.with_name(path.name + suffix)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + suffix))
    return aside


# --- the simulated server -------------------------------------------------------------------------


def _build(env: simcord.Env, sample: Sample) -> World:
    """Build the server with the same users, channels and ids in every run.

    The ids follow from the order, and the stored table has them: changing the order breaks it.
    """
    import discord
    import simcord

    env.backend.edit_bot_profile("Storyguide")
    names = (f"{sample.gm} (GM)", *(player.name for player in sample.players))
    users = [env.create_user(name.partition(" ")[0].lower(), global_name=name) for name in names]
    guild = env.create_guild("Storyguide, local", id=GUILD)
    allowed = discord.Permissions(manage_guild=True, manage_channels=True)
    leads = guild.create_role("Game master", permissions=allowed, color=0xC77D0A)
    gm, *players = users
    people = (
        guild.add_member(gm, roles=[leads]),
        *(guild.add_member(player) for player in players),
    )
    channel = guild.create_text_channel(sample.key, topic=sample.name)
    hidden = discord.PermissionOverwrite(view_channel=False)
    shown = discord.PermissionOverwrite(view_channel=True)
    storyguide = simcord.UserHandle(env, env.backend.bot_user)
    gm_only = guild.create_text_channel(
        "gm-only", overwrites={guild.default_role: hidden, people[0]: shown, storyguide: shown}
    )
    forum = guild.create_forum_channel("scenes")
    return World(channel, people, names, (gm_only, forum))


async def _keep_time(clock: LocalClock, env: simcord.Env, preview: simcord.Preview) -> None:
    while True:
        await asyncio.sleep(1)
        clock.keep_pace()
        preview.capture_time = env.now()  # what "in 9 minutes" is counted from


# --- the table ------------------------------------------------------------------------------------


async def _ensure_table(bot: Storyguide, world: World, sample: Sample) -> Table:
    """Make the table by the bot's own services.

    The request ids are the same in every run, so that what was done before is not done again, and
    what an interrupted first start left out is.
    """
    tables, place, users = bot.tables, str(world.channel.id), world.users

    gm, key = Actor(FOUNDER), f"sample:{sample.key}"
    creation = CreateTable(
        who=gm,
        place=place,
        at=bot.clock(),
        name=sample.name,
        system=sample.system,
        settings=pace_values(settings_form(SYSTEMS[sample.system]), sample.pace) | sample.settings,
    )
    opened = await create_table(tables, str(GUILD), creation, f"{key}:table", users[0], None)
    table, results = opened.table, [opened]

    async def act(name: str, action: Action) -> None:
        results.append(await perform(tables, table.id, action, f"{key}:{name}"))

    for number, (user, player) in enumerate(zip(users[1:], sample.players, strict=True), start=1):
        owner = Actor(table.directory.ensure_participant(*user))
        for count, data in enumerate(player.characters, start=1):
            await act(
                f"player{number}.{count}",
                ImportCharacter(who=owner, place=place, at=bot.clock(), data=data),
            )
    for count, npc in enumerate(sample.npcs, start=1):
        await act(
            f"npc{count}",
            AddNpcs(
                who=gm,
                place=place,
                at=bot.clock(),
                name=npc.data["name"],
                count=npc.count,
                alias=npc.alias,
                stage=npc.stage,
                data=npc.data,
            ),
        )
    await bot.register_system_commands(GUILD, sample.system)
    # None of it needs a message: the scene tells who is there and what to do.
    sent: list[tuple[int, int, str | None]] = []
    for result in results:
        if not result.repeated:
            sent += [(out.id, bot.clock(), None) for out in result.outs]
    await tables.store.mark_done(sent)
    return table


async def _post_scene(bot: Storyguide, world: World, sample: Sample, table: Table) -> None:
    """Post the scene in the empty channel, then everything that players can go on with.

    That is open checks, orders of action, and reports with a button.
    """
    store = bot.tables.store
    topics = [*map(board_topic, table.state.encounters)]
    opened = [check.id for check in table.state.checks.values() if check.is_open]
    topics += [*opened, *map(call_topic, opened)]
    live = list(await store.topic_messages(table.id, topics))
    for check in opened:
        # The check's only message was edited since it was posted. It shows its last row.
        last = await store.last_sent_row(table.id, check_message_topic(check))
        if last is not None:
            live.append(last)
    live += await _last_deeds(bot, table)
    live += await _reports_to_go_on_with(bot, table)
    # A board links to the message of the last deed, so that message comes first.
    live.sort(key=lambda out: (out.kind == "board", out.id))
    channel = bot.get_partial_messageable(world.channel.id)
    for message in to_messages(_scene_message(sample, table)):
        await channel.send(**message)
    await store.forget_messages()
    await bot.outbox.repost(live)


async def _explain_threads(bot: Storyguide, threads: tuple[KeptThread, ...]) -> None:
    """Say in each open thread of an earlier run why it is empty."""
    for thread in threads:
        place = bot.get_channel(thread.id)
        if thread.is_archived or place is None:
            continue
        layout = build_layout("waiting", user_text(thread.name), THREAD_EMPTY)
        for message in to_messages(layout):
            await bot.get_partial_messageable(thread.id).send(**message)


async def _last_deeds(bot: Storyguide, table: Table) -> list[OutboxRow]:
    """Return the message of the last deed in each place with initiative, whose board links to it.

    Open checks are left out: they are posted again anyway.
    """
    store = bot.tables.store
    rows: list[OutboxRow] = []
    for place in table.state.encounters:
        checks = [check for check in table.state.checks.values() if check.place == place]
        for check in reversed(checks):
            last = await store.last_sent_row(table.id, check_message_topic(check.id))
            if last is not None:
                if not check.is_open:
                    rows.append(last)
                break
    return rows


async def _reports_to_go_on_with(bot: Storyguide, table: Table) -> list[OutboxRow]:
    """Return the newest public message of each report, if that message has a button."""
    store = bot.tables.store
    entries = [entry for entry, _ in await store.entries(table.id, limit=_REPORTED)]
    entries = [entry for entry in entries if entry.undone_by is None]
    events = {entry.id: codec.read_events(entry.events) for entry in entries}
    newest: dict[str, OutboxRow | None] = {}
    for out in await store.entry_messages([*events]):
        for event in (events[out.journal_id][index] for index in out.events):
            if out.public and isinstance(event, Reported) and event.audience.everyone:
                newest[str(event.title)] = out if event.button is not None else None
    return [out for out in newest.values() if out is not None]


async def _prepare(bot: Storyguide, world: World, sample: Sample, table: Table) -> None:
    """Perform the sample's prepared actions, each by its participant; the scene comes first."""
    names = (sample.gm, *(player.name for player in sample.players))
    people: dict[str, str] = {}
    for name, user in zip(names, world.users, strict=True):
        people[name] = table.directory.ensure_participant(*user)
    place = str(world.channel.id)
    for count, step in enumerate(sample.prepared, start=1):
        origin = {"who": {"id": people[step.who]}, "place": place, "at": bot.clock()}
        action = codec.read_action(step.action, codec.dump({**step.fields, **origin}))
        await perform(bot.tables, table.id, action, f"sample:{sample.key}:prepared{count}")


def _open_checks(table: Table) -> list[AnyCheck]:
    """Return the open checks that aren't secret."""
    open_checks = (check for check in table.state.checks.values() if check.is_open)
    return [check for check in open_checks if check.visibility == "public"]


def _scene_message(sample: Sample, table: Table) -> Layout:
    """Return the first message of the channel: the scene, a hint, and the characters."""
    state, names = table.state, scene_of(table).names
    cast: list[str] = []
    for character in state.characters.values():
        if character.owner is not None:
            cast.append(f"{user_text(character.name)} – {names.name(character.owner)}")
    waiting = len(_open_checks(table))
    hint = _next_hint(sample, table)
    return build_layout(
        "waiting",
        user_text(state.settings.name),
        sample.scene,
        f"-# {say(pace_text(state.settings, settings_form(SYSTEMS[sample.system])))}",
        Heading("Start here"),
        f"{plural(waiting, 'check')} open, shown below." if waiting else "",
        *([] if hint is None else _hint_lines(hint)),
        f"-# {COMMAND_ENTRY_HINT} Or type / and choose.",
        Gap(),
        *(f"- {place}" for place in sample.places),
        Heading("Who is here"),
        *(cast[:20] or ["Nobody yet."]),
    )


def _next_hint(sample: Sample, table: Table) -> Hint | None:
    """Return the first hint that a player can still follow: none of its checks is over."""
    over = {check.id for check in table.state.checks.values() if not check.is_open}
    return next((hint for hint in sample.hints if over.isdisjoint(hint.paste.split())), None)


def _hint_lines(hint: Hint) -> list[str]:
    return [
        f"**{hint.what}.** Choose {hint.who} under “Viewing as” at the top, then paste this:",
        f"`{hint.paste}`",
        hint.then,
    ]


def _welcome(
    url: str, sample: Sample, world: World, table: Table, path: Path, *, known: bool
) -> str:
    state = table.state
    own = [character.name for character in state.characters.values() if character.owner is not None]
    standing = "as you left it" if known else "new"
    lines = [
        COMMAND_ENTRY_HINT,
        "",
        f"{state.settings.name} ({sample.key}), {standing}: {plural(len(own), 'character')},"
        f" {plural(len(_open_checks(table)), 'open check')}.",
        "",
        f"Open in your browser:  {url}",
        "",
        "Speak as (“Viewing as”, at the top of the page):",
    ]
    width = max(map(len, world.names)) + 2
    for number, (user, name) in enumerate(world.users):
        who = table.directory.ensure_participant(user, name)
        played = [character for character in state.characters.values() if character.owner == who]
        names = ", ".join(character.name for character in played)
        lines.append(f"  {name:{width}}{names if number else 'is the GM'}")
    lines += ["", PLACES_HINT, "", "Things to try:"]
    for number, hint in enumerate(sample.hints, start=1):
        lines += [f"  {number}. {hint.what}. As {hint.who}:", f"     {hint.paste}"]
        if hint.then:
            lines.append(f"     {hint.then}")
    lines.append("")
    for key in sample_keys():
        if key != sample.key:
            lines.append(f"Another table:  make play TABLE={key}")
    lines += [
        "",
        f"Stop with Ctrl-C. Everything is saved in {path}; delete that file to start over.",
    ]
    return "\n".join(lines)
