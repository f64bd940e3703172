"""The folder of a run: whose it is, what is finished in it, and that nobody else works in it."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from discreet.answers.export import replacing
from discreet.base.errors import DiscreetError
from discreet.topdown.running.problem import UP_AND_DOWN

OUTPUT = "release"
"""The folder beside the spec that a release is written into, where none is named."""

WORKING = "working"
"""What a run needs until it has finished: a folder in the release's."""

STATE, FINISHED, LOCK = "run.json", "release.json", ".lock"


class RunFolder:
    """A release in the making. Only one process may hold it; all that is finished in it stays when a process dies."""

    def __init__(self, path: Path, digest: str, objective: str) -> None:
        """Take the folder for a spec, or refuse one that holds something else: before anything is charged.

        One that a run took which was refused before it measured anything holds nothing, and is taken over.
        """
        self.path, self.working = path, path / WORKING
        self._own = name_run(digest, objective)
        refuse_other(path, self._own)
        try:
            self.working.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DiscreetError(f"{path} cannot be written ({error.strerror}); name another folder") from None
        self._lock = _lock(path)
        try:
            refuse_other(path, self._own, taken=True)
            if not _is_own(read_json(path / STATE), self._own):
                write_json_file(path / STATE, self._own)
        except BaseException:
            self._lock.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.finished is not None and not any(self.working.iterdir()):
            self.working.rmdir()
        self._lock.close()

    @property
    def finished(self) -> dict[str, Any] | None:
        """What is said of the release that lies here, if it is finished."""
        return read_json(self.path / FINISHED)

    def settle(self, measured: str) -> None:
        """Go on with what was begun from these measurements; what was made of others is thrown away."""
        known = read_json(self.path / STATE) or {}
        if known.get("measured") != measured:
            (self.path / FINISHED).unlink(missing_ok=True)
            shutil.rmtree(self.working)
            self.working.mkdir()
            write_json_file(self.path / STATE, {**self._own, "measured": measured})

    def finish(self, told: dict[str, Any]) -> None:
        """Say that the release is whole, and let go of what it was made from."""
        write_json_file(self.path / FINISHED, told)
        shutil.rmtree(self.working)
        self.working.mkdir()


def name_run(digest: str, objective: str = UP_AND_DOWN) -> dict[str, str]:
    """Return what tells the release of one spec from that of another."""
    return {"spec": digest, "objective": objective}


def refuse_other(path: Path, own: dict[str, str], *, taken: bool = False) -> None:
    """Refuse a folder with other things than the release of this spec, or nothing; `taken` says that it is locked."""
    known = read_json(path / STATE)
    if known is None and not taken and path.exists() and (not path.is_dir() or _holds_other(path)):
        raise DiscreetError(f"{path} holds other things; name a new or empty folder with output (--output)")
    if known is not None and not _is_own(known, own) and not _is_unused(path, known, own):
        raise DiscreetError(f"{path} holds the release of another spec; name another folder with output (--output)")


def _is_own(known: dict[str, Any] | None, own: dict[str, str]) -> bool:
    return known is not None and {name: known.get(name) for name in own} == own


def _is_unused(path: Path, known: dict[str, Any], own: dict[str, str]) -> bool:
    """Say whether a folder is that of a run in which nothing was measured, and holds nothing else."""
    return set(known) == set(own) and not _holds_other(path)


def _holds_other(path: Path) -> bool:
    """Say whether a folder holds anything but what a run leaves that ended before it measured."""
    return any(each.name not in (LOCK, STATE) and not _is_bare(each) for each in path.iterdir())


def _is_bare(path: Path) -> bool:
    return path.name == WORKING and path.is_dir() and not any(path.iterdir())


def read_json(path: Path) -> dict[str, Any] | None:
    """Return what a JSON file holds; None where there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise DiscreetError(f"{path} cannot be read ({error}); name another folder") from None
    if not isinstance(found, dict):
        raise DiscreetError(f"{path} is no file of a release; name another folder")
    return found


def write_json_file(path: Path, told: dict[str, Any]) -> None:
    """Write a JSON file that is there whole or not at all."""
    with replacing(path) as part:
        part.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _lock(path: Path) -> IO[str]:
    """Hold the folder until the file is closed, or the process ends."""
    file = (path / LOCK).open("w", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise DiscreetError(f"another process works in {path}; wait for it, or name another folder") from None
    os.set_inheritable(file.fileno(), False)
    return file
