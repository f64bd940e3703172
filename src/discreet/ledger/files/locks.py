"""Kernel file locks that die with their process: one to queue writers, one for every charge that is being run.

A `flock` belongs to an open file description, not to a process: two threads that open the file are two holders, as
two processes are, and the kernel frees the lock when the last copy of its descriptor is closed, however the process
ends. Copies are the danger: a forked child would keep its parent's locks alive. So every descriptor here is closed in
a child as soon as it is forked, and closed across exec. Unlocking is always closing: LOCK_UN through a child's copy
would take the lock away from the parent.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import weakref
from pathlib import Path

_held: weakref.WeakSet[FileLock] = weakref.WeakSet()


class FileLock:
    """An open lock file. Closed when told, when nobody holds this object any more, and in forked children."""

    def __init__(self, path: Path) -> None:
        self._descriptor: int | None = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        _held.add(self)

    @property
    def closed(self) -> bool:
        """Whether the lock was given up, or this is a forked child."""
        return self._descriptor is None

    def try_exclusive(self) -> bool:
        """Take the lock if nobody else has it."""
        try:
            fcntl.flock(self._number(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait_exclusive(self) -> None:
        """Take the lock, in the kernel's queue for it."""
        fcntl.flock(self._number(), fcntl.LOCK_EX)

    def close(self) -> None:
        """Give the lock up."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def _number(self) -> int:
        if self._descriptor is None:
            raise OSError("this lock was closed")
        return self._descriptor

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError, OSError):
            self.close()


def is_held(path: Path) -> bool:
    """Say whether a living holder has this lock. A file that is not there is held by nobody.

    The question is asked with a shared lock, so that many may ask at once without seeing one another.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def wait_for_lock(path: Path, patience: float) -> FileLock | None:
    """Wait in the kernel's queue for the lock, at most `patience` seconds; return it, or nothing after that.

    SQLite's own waiting sleeps longer and longer, so whoever waited longest looks least often and starves. A blocked
    `flock` is woken when the lock is free, but has no time limit; so the waiting is a thread's, which can be left.
    """
    lock = FileLock(path)
    if lock.try_exclusive():
        return lock
    waiting = _Waiting(lock)
    threading.Thread(target=waiting.run, name="discreet-ledger-queue", daemon=True).start()
    return lock if waiting.arrived(patience) else None


class _Waiting:
    """A thread's place in the queue. Left too early, it gives the lock back as soon as it gets it."""

    def __init__(self, lock: FileLock) -> None:
        self._lock = lock
        self._turn = threading.Lock()
        self._got = threading.Event()
        self._left = False
        self._failure: OSError | None = None

    def run(self) -> None:
        try:
            self._lock.wait_exclusive()
        except OSError as failure:
            self._failure = failure
        with self._turn:
            self._got.set()
            if self._left:
                self._lock.close()

    def arrived(self, patience: float) -> bool:
        self._got.wait(patience)
        with self._turn:
            self._left = not self._got.is_set()
        if self._failure:
            raise self._failure
        return not self._left


def _close_in_child() -> None:
    for lock in list(_held):
        lock.close()


os.register_at_fork(after_in_child=_close_in_child)
