"""What a release will cost and how far it will be off, before anything is charged: raw, and by least squares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from discreet.topdown.estimate.tree_model import model_tree
from discreet.topdown.planning.expected_errors import CensusPlan, Deviations, plan_errors
from discreet.topdown.planning.noise import CensusNoise
from discreet.topdown.planning.targets import TargetPlan, plan_targets
from discreet.topdown.running.problem import make_problem
from discreet.topdown.spec.census_spec import CensusSpec
from discreet.topdown.spec.queries import Query
from discreet.topdown.spec.reading import read_spec


@dataclass(frozen=True, eq=False)
class _Public:
    """What is public and exact: a reading without noise."""

    level: int
    query: Query
    variance: float = 0.0


def expect_least_squares(spec: CensusSpec, noise: CensusNoise) -> Deviations:
    """Return the deviations of least squares estimates: exact, the largest of a query's answers and a level's areas."""
    public = [_Public(each.level, each.query) for each in make_problem(spec).list_public()]
    model = model_tree(spec.geography, spec.schema, [*noise.draws, *public])
    return {
        (level, query.name): float(np.sqrt(model.variances(level, query).max()))
        for level in range(len(spec.geography.levels))
        for query in spec.queries
    }


def plan(spec: str | Path | CensusSpec) -> CensusPlan:
    """Return what a release costs and how far it will be off: free, nothing private is read."""
    return plan_errors(_read(spec), model=expect_least_squares)


def plan_for_targets(
    spec: str | Path | CensusSpec, wanted: Mapping[tuple[str, str], Fraction] | None = None
) -> TargetPlan:
    """Return the shares, and the least rho, with which estimates err no more than is wanted; free."""
    return plan_targets(_read(spec), wanted, model=expect_least_squares)


def _read(spec: str | Path | CensusSpec) -> CensusSpec:
    return spec if isinstance(spec, CensusSpec) else read_spec(spec)
