"""Runs of sparse vectors inside other mechanisms: what they ask, and the exact law of where they end."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.mechanisms import SparseVector
from discreet.mechanisms.robust import universal_parts
from discreet.mechanisms.sparse_vector import SparseVectorRun

SMALL = 4
"""Powers of two that are asked about."""

SLACK = 1e-9
"""How far sums of floats may be above a bound."""


@dataclass
class Watcher:
    """Stands in for a sparse vector's answers: "no" until question `stop`, and writes down what is asked."""

    stop: int = 10**9
    asked: list[tuple[int, int]] = field(default_factory=list)
    mechanisms: list[SparseVector] = field(default_factory=list)

    def decide(self, run: SparseVectorRun, asked: int, level: int) -> bool:
        self.asked.append((asked, level))
        self.mechanisms.append(run._mechanism)
        return len(self.asked) > self.stop


def watch(monkeypatch: pytest.MonkeyPatch) -> Watcher:
    """Let few powers of two be asked about, and put a watcher in place of the answers."""
    watching = Watcher()
    monkeypatch.setattr(universal_parts, "TOP", SMALL)
    monkeypatch.setattr(SparseVectorRun, "decide", lambda run, asked, level: watching.decide(run, asked, level))
    return watching


@cache
def at_least(scale: float, reach: int = 4000) -> Floats:
    """Return Pr[discrete Laplace >= k] for k from -reach to reach."""
    fall = math.exp(-1 / scale)
    k = np.arange(-reach, reach + 1)
    with np.errstate(over="ignore"):
        found: Floats = np.where(k > 0, fall ** np.abs(k) / (1 + fall), 1 - fall ** (np.abs(k) + 1.0) / (1 + fall))
    return found


@cache
def find_stops(questions: tuple[int, ...], threshold: float, question: float) -> Floats:
    """Return how probably a run ends at each question, each minus its threshold, and past all of them."""
    reach, fall = 4000, math.exp(-1 / threshold)
    spread = np.arange(-1500, 1501)
    going = (1 - fall) / (1 + fall) * fall ** np.abs(spread)
    stops = []
    for asked in questions:
        yes = at_least(question)[spread - asked + reach]
        stops.append(float((going * yes).sum()))
        going = going * (1 - yes)
    return np.array([*stops, float(going.sum())])


def read_stops(watching: Watcher, ask: Callable[[], Any]) -> Floats:
    """Return the law of where the one run ends that asking starts."""
    watching.asked.clear()
    watching.mechanisms.clear()
    watching.stop = 10**9
    ask()
    (made,) = set(watching.mechanisms)
    assert (made.cutoff, made.answer_scale) == (1, None)
    assert len(watching.asked) == SMALL
    return find_stops(
        tuple(asked - level for asked, level in watching.asked), made.threshold_scale, made.question_scale
    )


def find_loss(one: Floats, other: Floats) -> float:
    return float(np.abs(np.log(one) - np.log(other)).max())
