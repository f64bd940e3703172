"""Servers and folders that go when the test process does, also where that is killed and cannot clean up."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, ClassVar

PROGRAM = Path(__file__).with_name("guard.py")


class Guard:
    """A process of `guard.py`, and the end of a pipe that it waits on. Forked children do not keep that end open."""

    _all: ClassVar[weakref.WeakSet[Guard]] = weakref.WeakSet()

    def __init__(
        self,
        *task: str,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        output: IO[bytes] | int = subprocess.DEVNULL,
    ) -> None:
        read, self._held = os.pipe()
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(PROGRAM), *task],
                stdin=read,
                stdout=subprocess.DEVNULL,
                stderr=output,
                cwd=folder,
                env=environment,
                start_new_session=True,
            )
        except BaseException:
            self.let_go()
            raise
        finally:
            os.close(read)
        self._all.add(self)

    def let_go(self) -> None:
        """Close the pipe: the guard ends what it guards."""
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    def end(self) -> None:
        """End what is guarded, and return when it is gone."""
        self.let_go()
        self.process.wait()

    @classmethod
    def _let_all_go(cls) -> None:
        for each in cls._all:
            each.let_go()


os.register_at_fork(after_in_child=Guard._let_all_go)


def start_server(
    command: list[str],
    folder: Path,
    *,
    stop: signal.Signals = signal.SIGKILL,
    user: str | None = None,
    environment: Mapping[str, str] | None = None,
    output: IO[bytes] | int = subprocess.DEVNULL,
) -> Guard:
    """Start a server in a folder. When its end comes, it is asked by the signal; what it writes goes to `output`."""
    return Guard("run", str(int(stop)), user or "", *command, folder=folder, environment=environment, output=output)


class Folder:
    """A new temporary folder."""

    def __init__(self, prefix: str) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=prefix))
        self._guard = Guard("remove", str(self.path))

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        self._guard.end()


@contextlib.contextmanager
def open_folder(prefix: str) -> Iterator[Path]:
    """Hold a new temporary folder."""
    folder = Folder(prefix)
    try:
        yield folder.path
    finally:
        folder.remove()
