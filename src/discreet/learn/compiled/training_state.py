"""What is kept of a run between processes: parameters, the optimiser's state, and which steps are spent.

A step is spent when it is begun: the file names steps as begun before the first of them draws anything, and a run that
is resumed goes on behind them, from the parameters that were kept. So a step whose noise may have been seen is never
made again, and however often a run dies, it makes at most the steps that were declared. Noise and samples come from the
operating system, so nothing of them is kept and nothing can be replayed.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.base.errors import ParameterError

FORMAT = 1


@dataclass(frozen=True, slots=True)
class TrainingState:
    """Leaves after some updates; `begun` steps of the schedule are spent."""

    declared: dict[str, Any]
    begun: int
    updates: int
    leaves: list[Any]


def write_state(path: Path, state: TrainingState) -> None:
    """Replace the file in one step: after a crash it holds the old state or the new one, and nothing between."""
    head = {"format": FORMAT, "declared": state.declared, "begun": state.begun, "updates": state.updates}
    arrays: dict[str, Any] = {f"leaf{place}": np.asarray(leaf) for place, leaf in enumerate(state.leaves)}
    fresh = path.with_name(path.name + ".new")
    with fresh.open("wb") as file:
        np.savez(file, head=np.frombuffer(json.dumps(head).encode(), dtype=np.uint8), **arrays)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read_state(path: Path, declared: dict[str, Any]) -> TrainingState | None:
    """Return what a file holds, or nothing where there is none; a run that was declared otherwise is refused."""
    if not path.exists():
        return None
    with np.load(path, allow_pickle=False) as held:
        head = json.loads(bytes(held["head"]).decode())
        leaves = [held[f"leaf{place}"] for place in range(len(held.files) - 1)]
    if head.get("format") != FORMAT:
        raise ParameterError("checkpoint", str(path), f"a state of format {FORMAT}")
    changed = sorted(name for name in declared if declared[name] != head["declared"].get(name))
    if changed:
        raise ParameterError(
            "checkpoint", str(path), f"a run with the same {', '.join(changed)}: resume with what was declared"
        )
    return TrainingState(head["declared"], head["begun"], head["updates"], leaves)


@contextmanager
def hold_state(path: Path) -> Iterator[None]:
    """Keep a run to one process: a second one that opens the same state is refused."""
    with path.with_name(path.name + ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ParameterError("checkpoint", str(path), "a state that no other process is training") from None
        yield
