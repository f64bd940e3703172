"""What tests of PostgreSQL's wire need of clients: which are there, and how each connects over TLS and SCRAM."""

from __future__ import annotations

import importlib
import os
import shutil
import ssl
import subprocess
from pathlib import Path
from typing import Any

from servers.missing import missing
from support.wire import PASSWORDS, RunningWire

JDBC = Path("/usr/share/java/postgresql.jar")


def need(module: str, package: str | None = None) -> Any:
    """Return a client's module, or skip the test with a word on how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        missing(module, f"pip install {package or module}")


def need_program(name: str, package: str) -> str:
    """Return the path of a program, or skip the test."""
    found = shutil.which(name)
    if found is None:
        missing(name, f"{name} is not installed: apt install {package}")
    return found


def psql(wire: RunningWire, *lines: str, user: str = "alice", **more: str) -> str:
    """Return what psql prints for these lines, errors included, in its plain format."""
    program = need_program("psql", "postgresql-client")
    done = subprocess.run(
        [program, "-X", "-A", "-q", wire.dsn(user, **more)],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PGCLIENTENCODING": "UTF8", "LC_ALL": "C"},
    )
    return done.stdout + done.stderr


def trust(wire: RunningWire) -> ssl.SSLContext:
    """Return a context that trusts the server's certificate alone, and checks its name."""
    return ssl.create_default_context(cafile=wire.certificate)


def write_java(source: Path, *arguments: str) -> list[str]:
    """Return the command that runs a Java source file with PostgreSQL's driver, where both are there."""
    program = need_program("java", "openjdk-17-jdk-headless")
    if shutil.which("javac") is None or not JDBC.is_file():
        missing("JDBC", "apt install libpostgresql-jdbc-java openjdk-17-jdk-headless")
    return [program, "-XX:TieredStopAtLevel=1", "-cp", str(JDBC), str(source), *arguments]


def java(wire: RunningWire, source: Path, *arguments: str) -> str:
    """Run a Java source file with PostgreSQL's driver; its first arguments are the address, the user, the password."""
    address = f"jdbc:postgresql://localhost:{wire.port}/discreet?sslmode=verify-full&sslrootcert={wire.certificate}"
    words = write_java(source, address, "alice", PASSWORDS["alice"], *arguments)
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout
