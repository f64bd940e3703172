"""One server over the clinic for the tests of a file, and one for a test that changes it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from support.clinic import open_clinic
from support.wire import RunningWire, run_wire


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningWire]:
    """A server that a file's tests share."""
    with start(tmp_path_factory.mktemp("wire")) as found:
        yield found


@pytest.fixture
def own_wire(tmp_path: Path) -> Iterator[RunningWire]:
    """A server for one test alone."""
    with start(tmp_path) as found:
        yield found


class start:  # noqa: N801
    """A server over a new clinic, as a context."""

    def __init__(self, folder: Path) -> None:
        self._curator = closing(open_clinic(folder / "clinic", analysts=True, analyst="alice"))
        self._folder = folder

    def __enter__(self) -> RunningWire:
        self._running = run_wire(self._curator.__enter__(), self._folder)
        return self._running.__enter__()

    def __exit__(self, *what: object) -> None:
        self._running.__exit__(None, None, None)
        self._curator.__exit__(None, None, None)
