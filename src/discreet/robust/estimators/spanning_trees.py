"""The cost of a minimum spanning tree of plain arrays: a graph is no table, and nothing is charged for it here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.answers.numbers import format_value
from discreet.base import check
from discreet.base.grid import Grid
from discreet.base.showing import ShownAsText
from discreet.mechanisms.robust.smooth_noises import SmoothNoise
from discreet.mechanisms.robust.spanning_tree import Edge, SpanningTreeCost
from discreet.privacy import Loss
from discreet.robust.estimators.estimators import choose_mechanism
from discreet.robust.releasing import read_price
from discreet.robust.results import write_facts

FINE = 2**20
"""Weights are told apart in parts of the bound, where no step is given."""

YOURS = "nothing was charged: no ledger knows of it, and its loss is yours to add up"


@dataclass(frozen=True, repr=False)
class SpanningTreeEstimate(ShownAsText):
    """A noisy cost, how it was made, and the loss of one release."""

    value: float
    mechanism: str
    loss: Loss

    def __str__(self) -> str:
        facts = [("mechanism", self.mechanism), ("loss", str(self.loss)), ("note", YOURS)]
        return write_facts("cost of a minimum spanning tree", format_value(self.value), facts)


def spanning_tree_cost(
    edges: Sequence[Edge],
    weights: Any,
    *,
    bound: float,
    epsilon: Any = None,
    delta: Any = None,
    rho: Any = None,
    step: float | None = None,
) -> SpanningTreeEstimate:
    """Return the least cost of connecting all vertices of a public graph, with noise for its private weights.

    Each edge's weight, between 0 and the public `bound`, is one person's, and neighbours differ in one weight. The
    noise is that of smooth sensitivity: Student's t for an epsilon, Laplace beside a `delta`, Laplace log-normal for a
    `rho`. Weights are rounded to multiples of `step`, which is public; a NaN counts as 0.
    """
    spending = read_price(epsilon, delta, rho)
    most = Fraction(repr(float(check.positive("bound", bound))))
    size = most / FINE if step is None else Fraction(repr(float(check.positive("step", step))))
    made = SpanningTreeCost(tuple(edges), max(1, int(most / size)))
    noise, name = choose_mechanism(spending, made.rows, None)
    assert isinstance(noise, SmoothNoise)
    told = noise.release(made, Grid(size).snap(weights))
    return SpanningTreeEstimate(float(told * size), name, noise.loss())
