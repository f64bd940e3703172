"""Faults of compiled descents, where no mechanism of this library is asked: the noise of every step is heard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from audit.graybox.cases import OPERATIONS, find_world
from discreet.audit.graybox import FindingKind, replay
from discreet.gradients.compiled.memory_sums import MemorySums
from servers.accelerated import require_jax

Break = Callable[[pytest.MonkeyPatch], None]


def draw_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MemorySums, "_draw", lambda self: (np.zeros(self.grid.coordinates, dtype=np.int64), 0))


def draw_half(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = MemorySums.__init__

    def begin_with_half(self: MemorySums, *given: Any) -> None:
        begin(self, *given)
        self._sigma /= 2

    monkeypatch.setattr(MemorySums, "__init__", begin_with_half)


@pytest.mark.parametrize("break_it", [draw_none, draw_half])
def test_steps_without_the_noise_that_is_declared_are_found(break_it: Break, monkeypatch: pytest.MonkeyPatch) -> None:
    require_jax()
    (case,) = OPERATIONS["compiled training"]
    break_it(monkeypatch)
    report = replay(case.perform, find_world("clinic").only("with unit of extremes"), clock=False)
    assert FindingKind.CALLS in {each.kind for each in report.findings}
    assert "draws noise" in str(report)
