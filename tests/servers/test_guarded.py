"""Nothing is left of a test run that was killed: no server, no process of a server, no folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from servers.guarded import open_folder, start_server
from servers.missing import missing
from servers.processes import PROCESSES, await_end, list_descendants

TESTS = Path(__file__).resolve().parents[1]
SOON = 60.0
"""Seconds: far more than it takes, for the slowest computer."""

PREAMBLE = """
import os, pathlib, signal

def tell(*things):
    place = pathlib.Path(os.environ["TOLD"])
    place.with_suffix(".new").write_text("\\n".join(map(str, things)))
    place.with_suffix(".new").rename(place)
    signal.pause()
"""


@contextmanager
def running(folder: Path, text: str, *command: str, **changed: str) -> Iterator[tuple[int, list[str]]]:
    """Run a Python text, by pytest where a command says so, until it calls `tell`; give its number and what it told."""
    if not PROCESSES.is_dir():
        missing("Linux", "there is no /proc to look for processes in")
    file, told = folder / "test_it.py", folder / "told"
    file.write_text(PREAMBLE + text)
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "TOLD": str(told), **changed}
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, *command, str(file)], env=environment, cwd=folder, stdout=output, stderr=output
        )
    try:
        end = time.monotonic() + SOON
        while not told.exists():
            assert process.poll() is None, (folder / "output").read_text()
            assert time.monotonic() < end, (folder / "output").read_text()
            time.sleep(0.02)
        yield process.pid, told.read_text().splitlines()
    finally:
        process.kill()
        process.wait()


PYTEST = ("-m", "pytest", "-q", "-p", "servers.fixtures", "-p", "no:cacheprovider")


def name_process(pid: int) -> str | None:
    """Return a process's name; None for one that has ended since it was listed, as PostgreSQL's do all the time."""
    try:
        return (PROCESSES / str(pid) / "comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return None


@pytest.mark.parametrize("workers", ["0", pytest.param("1", marks=pytest.mark.long)])
def test_a_killed_run_of_tests_leaves_no_postgresql(tmp_path: Path, workers: str) -> None:
    text = "def test_it(postgres):\n    postgres.connect()\n    tell(postgres.folder)\n"
    with running(tmp_path, text, *PYTEST, "-n", workers) as (pid, told):
        began = list_descendants(pid)
        assert "postgres" in {name_process(each) for each in began}
        os.kill(pid, signal.SIGKILL)
        assert await_end(began, SOON) == set()
    assert not Path(told[0]).exists()


@pytest.mark.long
def test_a_killed_run_of_tests_leaves_no_spark(tmp_path: Path) -> None:
    text = "def test_it(spark_session, spark_cluster):\n    spark_session.session.sql('SELECT 1').collect()\n"
    text += "    tell(spark_cluster.folder)\n"
    (tmp_path / "temporary").mkdir()
    with running(tmp_path, text, *PYTEST, "-n", "0", TMPDIR=str(tmp_path / "temporary")) as (pid, told):
        assert Path(told[0]).parent == tmp_path / "temporary"
        began = list_descendants(pid)
        names = [name_process(each) for each in began]
        assert names.count("java") == 6, "a master, two workers, an executor on each, and the driver"
        os.kill(pid, signal.SIGKILL)
        assert await_end(began, SOON) == set()
    assert list((tmp_path / "temporary").iterdir()) == []


def test_what_a_killed_process_had_forked_keeps_no_server_running(tmp_path: Path) -> None:
    text = """
from servers.guarded import start_server
guard = start_server(["sleep", "600"], pathlib.Path.cwd())
forked = os.fork()
if not forked:
    signal.pause()
tell(guard.process.pid, forked)
"""
    with running(tmp_path, text) as (pid, told):
        guard, forked = map(int, told)
        began = list_descendants(pid) - {forked}
        os.kill(pid, signal.SIGKILL)
        try:
            assert guard in began
            assert await_end(began, SOON) == set()
        finally:
            os.kill(forked, signal.SIGKILL)


def test_what_a_server_began_ends_with_it(tmp_path: Path) -> None:
    guard = start_server(["sh", "-c", "sleep 600 & sleep 600"], tmp_path)
    end = time.monotonic() + SOON
    while len(began := list_descendants(guard.process.pid)) < 3:
        assert time.monotonic() < end
    guard.end()
    assert await_end(began, SOON) == set()


def test_a_folder_goes_with_all_that_is_in_it() -> None:
    with open_folder("discreet-test-") as folder:
        (folder / "inner").mkdir()
        (folder / "inner" / "file").write_text("x")
    assert not folder.exists()
