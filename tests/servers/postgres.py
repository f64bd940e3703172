"""A real PostgreSQL for tests: a throw-away cluster in a temporary folder, that tests may kill and start again.

It ends with the process that started it, however that ends.
"""

from __future__ import annotations

import contextlib
import functools
import glob
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from servers.guarded import Folder, Guard, start_server
from servers.missing import missing
from servers.ports import free_port

OWNERS = ("postgres", "nobody")
"""Who runs the server when root starts it: PostgreSQL refuses to run as root."""

PROGRAMS = ("initdb", "postgres")
STOPS = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
"""PostgreSQL's ways to stop, each with the signal that asks for it."""

STARTS = 60.0
"""Seconds within which a server takes connections; recovering from a crash is part of it."""

NUMBERS = itertools.count(1)


@functools.cache
def binaries() -> Path | None:
    """Return the folder of the newest `initdb` and `postgres` on this computer."""
    told: list[str] = []
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        asked = subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True, check=True)
        told.append(asked.stdout.strip())
    versions = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=_version, reverse=True)
    found = shutil.which("postgres")
    for folder in [*told, *versions, *([str(Path(found).parent)] if found else [])]:
        if all(os.access(Path(folder) / name, os.X_OK) for name in PROGRAMS):
            return Path(folder)
    return None


def _version(folder: str) -> int:
    name = Path(folder).parent.name
    return int(name) if name.isdigit() else 0


class Cluster:
    """One server with its folder, on a Unix socket and on loopback, with PostgreSQL's own durable settings.

    The superuser `postgres` needs no password; every other role needs its own.
    """

    def __init__(self) -> None:
        home = binaries()
        if home is None:
            missing("PostgreSQL", "PostgreSQL is not installed: apt install postgresql")
        self._binaries: Path = home
        self._owner = next(name for name in OWNERS if _exists(name)) if os.geteuid() == 0 else None
        self._place = Folder("discreet-pg-")
        self.folder = self._place.path
        self.port = free_port()
        self._server: Guard | None = None
        try:
            if self._owner is not None:
                shutil.chown(self.folder, self._owner)
            self._run("initdb", "--encoding=UTF8", "--locale=C", "--auth=scram-sha-256", "--no-sync", *self._password())
            (self.folder / "data" / "pg_hba.conf").write_text(
                "local all postgres trust\nhost all postgres 127.0.0.1/32 trust\n"
                "local all all scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n"
            )
            self.start()
        except BaseException:
            self.remove()
            raise

    def start(self) -> None:
        """Start the server, and return when it takes connections."""
        options = {"listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": self.folder}
        command = [str(self._binaries / "postgres"), "-D", str(self.folder / "data")]
        command += [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._server = start_server(command, self.folder, stop=signal.SIGQUIT, user=self._owner, output=log)
        end = time.monotonic() + STARTS
        while self._read_state() != "ready":
            if self._server.process.poll() is not None or time.monotonic() > end:
                self._server.end()
                raise RuntimeError(f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.01)

    def stop(self, mode: str = "fast") -> None:
        """Stop the server; "immediate" is a crash: nothing is written any more, and starting recovers."""
        assert self._server is not None
        os.kill(int(self._read_lines()[0]), STOPS[mode])
        self._server.process.wait()
        self._server.end()

    def remove(self) -> None:
        """Stop the server if it runs, and remove its folder."""
        if self._server is not None:
            self._server.end()
        self._place.remove()

    def dsn(self, database: str = "postgres", **options: Any) -> str:
        """Return how to connect, as the superuser through the Unix socket unless the options say otherwise."""
        where = {"host": str(self.folder), "port": self.port, "user": "postgres", "dbname": database}
        return make_conninfo("", **{**where, **options})

    def connect(self, database: str = "postgres", **options: Any) -> psycopg.Connection:
        """Return a connection that commits every statement."""
        return psycopg.connect(self.dsn(database, **options), autocommit=True)

    def database(self) -> str:
        """Create an empty database and return its name."""
        name = f"test_{next(NUMBERS)}"
        with self.connect() as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return name

    def terminate(self, application: str, database: str | None = None) -> int:
        """End all sessions of that application name from outside, and return how many there were."""
        query = (
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
            "WHERE application_name = %s AND datname = coalesce(%s, datname) AND pid <> pg_backend_pid()"
        )
        with self.connect() as connection:
            return len(connection.execute(query, (application, database)).fetchall())

    def _read_lines(self) -> list[str]:
        """Return what the server writes about itself: its process number first, and its state in the eighth line."""
        try:
            return (self.folder / "data" / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return []

    def _read_state(self) -> str:
        return (self._read_lines()[7:8] or [""])[0].strip()

    def _password(self) -> list[str]:
        file = self.folder / "password"
        file.write_text("a secret of the superuser\n")
        if self._owner is not None:
            shutil.chown(file, self._owner)
        return ["--username=postgres", f"--pwfile={file}"]

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._binaries / program), "-D", str(self.folder / "data"), *arguments]
        who: dict[str, Any] = {}
        if self._owner is not None:
            who = {"user": self._owner, "group": pwd.getpwnam(self._owner).pw_gid, "extra_groups": []}
        with (self.folder / "log").open("ab") as log:
            subprocess.run(
                command, check=True, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, **who
            )


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
