"""Random problems of a few children, which true counts solve: whatever is asked of them can be kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.noise.coin import Bools
from discreet.topdown.solve.precision import MarginalPrecision
from discreet.topdown.spec.invariants import NO_MOST, Invariant
from discreet.topdown.spec.queries import Query, QueryPart
from discreet.topdown.spec.schema import Attribute, CensusSchema


def make_schema(*sizes: int) -> CensusSchema:
    return CensusSchema(tuple(Attribute(f"a{place}", tuple(range(size))) for place, size in enumerate(sizes)))


def ask(schema: CensusSchema, *attributes: int) -> Query:
    """Return the query of some attributes, as they are."""
    parts = tuple(QueryPart(each, tuple(range(schema.shape[each]))) for each in attributes)
    return Query("*".join(map(str, attributes)) or "total", schema, parts)


@dataclass(frozen=True, eq=False)
class TinyProblem:
    truth: Ints
    targets: Floats
    zeros: Bools
    invariants: list[Invariant]
    precision: MarginalPrecision

    @property
    def parent(self) -> Ints:
        return np.asarray(self.truth.sum(axis=0))

    def weigh(self, counts: NDArray[Any]) -> float:
        """Return the objective, query by query."""
        off = counts - self.targets
        queries = enumerate(self.precision.queries)
        return float(sum((self.precision.weights[:, [q]] * query.answer(off) ** 2).sum() for q, query in queries))

    def keeps(self, counts: NDArray[Any], slack: float = 0.0) -> bool:
        """Whether all rules hold but the parent's sums."""
        held = [bool(np.all(counts >= -slack)), bool(np.all(np.abs(counts[self.zeros]) <= slack))]
        for each in self.invariants:
            given = each.query.answer(counts)
            high = each.values if each.exact else np.full(given.shape, np.inf) if each.most is None else each.most
            held.append(bool(np.all(given >= each.values - slack)) and bool(np.all(given <= high + slack)))
        return all(held)


def make_problem(seed: int, children: int, schema: CensusSchema, kinds: str = "", scale: float = 3.0) -> TinyProblem:
    """Return a problem. `kinds` has a letter for each invariant: e for exact, l for at least, b for both bounds; z for
    zeros by child."""
    rng = np.random.default_rng(seed)
    truth = rng.poisson(rng.gamma(0.4, scale / 0.4, (children, schema.cells)))
    zeros = np.zeros(truth.shape, dtype=bool)
    invariants = []
    attributes = len(schema.shape)
    if "z" in kinds:
        zeros = rng.random(truth.shape) < 0.3
        truth[zeros] = 0
    for place, kind in enumerate(kinds.replace("z", "")):
        query = ask(schema, *sorted(int(each) for each in rng.permutation(attributes)[: rng.integers(0, attributes)]))
        given = query.answer(truth)
        less, more = rng.integers(0, 2, given.shape), rng.integers(0, 3, given.shape)
        if kind == "e":
            invariants.append(Invariant(f"exact {place}", 0, query, given))
        elif kind == "l":
            invariants.append(Invariant(f"least {place}", 0, query, np.maximum(given - less, 0), exact=False))
        else:
            most = np.where(more == 2, NO_MOST, given + more)
            invariants.append(Invariant(f"both {place}", 0, query, np.maximum(given - less, 0), False, most))
    queries = [ask(schema), *(ask(schema, each) for each in range(attributes)), ask(schema, *range(attributes))]
    weights = 10 ** rng.uniform(-2, 1, (children, len(queries)))
    targets = truth + rng.normal(0, scale, truth.shape)
    return TinyProblem(truth, targets, zeros, invariants, MarginalPrecision(queries, weights))
