"""Where randomness comes from: 64-bit words of the operating system's CSPRNG, none handed out twice."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]


class Bits(Protocol):
    """A source of independent uniform 64-bit words."""

    def words(self, count: int) -> Words:
        """Return `count` words that were never returned before."""


class SystemBits:
    """`os.urandom`, read ahead in blocks so that a single draw does not cost a system call.

    A word is handed out once, whoever asks: one C call both reads the block and moves past what it read, so
    threads and signal handlers cannot meet in between, and a block belongs to the process that filled it, so
    a forked child starts with an empty one.
    """

    BLOCK = 1 << 16

    _block: tuple[int, io.BytesIO]

    def __init__(self) -> None:
        self._empty()
        os.register_at_fork(after_in_child=self._empty)

    def words(self, count: int) -> Words:
        """Return `count` fresh words."""
        wanted = 8 * count
        if wanted >= self.BLOCK:
            return np.frombuffer(os.urandom(wanted), dtype=np.uint64)
        while True:
            owner, block = self._block
            if owner == os.getpid() and len(taken := block.read(wanted)) == wanted:
                return np.frombuffer(taken, dtype=np.uint64)
            self._block = (os.getpid(), io.BytesIO(os.urandom(self.BLOCK)))

    def _empty(self) -> None:
        self._block = (os.getpid(), io.BytesIO())


_system = SystemBits()
_replayed: ContextVar[Bits | None] = ContextVar("replayed", default=None)


def words(count: int) -> Words:
    """Return `count` fresh words from the source in use: the operating system's, outside of tests."""
    return (_replayed.get() or _system).words(count)


def one_word() -> int:
    """Return a single fresh word as a Python int."""
    return int(words(1)[0])


@contextmanager
def replayed(source: Bits) -> Iterator[None]:
    """Draw from a recorded source instead: for tests and audits only, since a replayed draw protects nobody."""
    token = _replayed.set(source)
    try:
        yield
    finally:
        _replayed.reset(token)
