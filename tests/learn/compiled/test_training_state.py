"""A state is replaced in one step and read back as it was."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.learn.compiled import training_state
from discreet.learn.compiled.training_state import TrainingState, read_state, write_state


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    assert read_state(path, {}) is None
    write_state(path, TrainingState({"rate": 0.1}, 7, 5, [np.arange(3.0), np.ones((2, 2), np.float32)]))
    held = read_state(path, {"rate": 0.1})
    assert held is not None
    assert (held.begun, held.updates) == (7, 5)
    assert [leaf.tolist() for leaf in held.leaves] == [[0, 1, 2], [[1, 1], [1, 1]]]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["state.npz"]


def test_a_crash_while_writing_leaves_the_old_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state.npz"
    write_state(path, TrainingState({}, 1, 1, []))

    def fail(*given: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        write_state(path, TrainingState({}, 2, 2, []))
    held = read_state(path, {})
    assert held is not None
    assert held.begun == 1


def test_another_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state.npz"
    monkeypatch.setattr(training_state, "FORMAT", 0)
    write_state(path, TrainingState({}, 1, 1, []))
    monkeypatch.setattr(training_state, "FORMAT", 1)
    with pytest.raises(ParameterError, match="format 1"):
        read_state(path, {})
