"""Kernel locks: two openings are two holders, and no copy of a lock outlives its holder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from discreet.ledger.files.locks import FileLock, is_held, wait_for_lock
from support.sampling import in_child


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lock"


def test_a_lock_is_held_until_it_is_closed(path: Path) -> None:
    assert not is_held(path)
    lock = FileLock(path)
    assert not is_held(path)
    assert lock.try_exclusive()
    assert is_held(path)
    assert not FileLock(path).try_exclusive()
    lock.close()
    lock.close()
    assert lock.closed
    assert not is_held(path)


def test_a_lock_that_nobody_refers_to_is_free(path: Path) -> None:
    lock = FileLock(path)
    assert lock.try_exclusive()
    del lock
    assert not is_held(path)


def test_a_forked_child_neither_has_nor_keeps_its_parents_lock(path: Path) -> None:
    lock = FileLock(path)
    assert lock.try_exclusive()
    ready, leave = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os.write(ready[1], b"!")
        os.read(leave[0], 1)
        os._exit(0)
    os.read(ready[0], 1)
    held_before = is_held(path)
    lock.close()
    held_after = is_held(path)
    os.write(leave[1], b"!")
    assert os.waitpid(child, 0)[1] == 0
    assert (held_before, held_after) == (True, False), "the child's copy keeps the lock"
    for end in (*ready, *leave):
        os.close(end)


def test_what_a_child_does_with_its_copy_does_not_free_the_parents_lock(path: Path) -> None:
    lock = FileLock(path)
    assert lock.try_exclusive()

    def close() -> bytes:
        lock.close()
        return b"closed"

    assert in_child(close) == b"closed"
    assert is_held(path)


def test_a_program_that_is_started_meanwhile_does_not_keep_the_lock(path: Path) -> None:
    lock = FileLock(path)
    assert lock.try_exclusive()
    program = [sys.executable, "-c", "print('here', flush=True); input()"]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"here\n"  # it runs by now, and what it must not inherit is closed
        lock.close()
        assert not is_held(path)
        other.communicate(b"\n")


def test_a_killed_process_frees_its_lock(path: Path) -> None:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        mine = FileLock(path)
        mine.try_exclusive()
        os.write(writer, b"!")
        os.kill(os.getpid(), 9)
    os.read(reader, 1)
    os.waitpid(child, 0)
    assert not is_held(path)
    os.close(reader)
    os.close(writer)


def test_whoever_queues_gets_the_lock_when_it_is_free(path: Path) -> None:
    first = wait_for_lock(path, 10)
    assert first is not None
    got: list[FileLock | None] = []
    waiter = threading.Thread(target=lambda: got.append(wait_for_lock(path, 60)))
    waiter.start()
    assert not got
    first.close()
    waiter.join()
    assert got[0] is not None
    assert is_held(path)
    got[0].close()


def test_patience_ends_and_a_place_that_was_left_is_given_on(path: Path) -> None:
    first = wait_for_lock(path, 10)
    assert first is not None
    assert wait_for_lock(path, 0.01) is None
    first.close()
    next_one = wait_for_lock(path, 60)
    assert next_one is not None, "the place that was left blocks the queue"
    next_one.close()


def test_a_closed_lock_cannot_be_taken(path: Path) -> None:
    lock = FileLock(path)
    lock.close()
    with pytest.raises(OSError, match="closed"):
        lock.try_exclusive()
