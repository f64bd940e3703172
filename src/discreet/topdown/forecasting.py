"""What a release will cost and how far it will be off, before anything is charged: raw, and by least squares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from discreet.base.errors import DiscreetError
from discreet.base.wide import Ints
from discreet.topdown.affording import foresee_run
from discreet.topdown.estimate.area_matrices import AreaMatrices
from discreet.topdown.estimate.tree_model import DownwardModel, TreeModel, model_tree
from discreet.topdown.planning.expected_errors import CensusPlan, Deviations, plan_errors
from discreet.topdown.planning.noise import CensusNoise
from discreet.topdown.planning.targets import TargetPlan, plan_targets
from discreet.topdown.public_numbers import find_public
from discreet.topdown.running.problem import make_problem
from discreet.topdown.running.run_folder import OUTPUT, name_run, refuse_other
from discreet.topdown.spec.census_spec import CensusSpec
from discreet.topdown.spec.queries import Query
from discreet.topdown.spec.reading import read_spec

NUMBERS_AT_ONCE = 2**21
"""How many variances are held at once: 16 MB."""


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
        (level, query.name): float(np.sqrt(find_largest_variance(model, level, query)))
        for level in range(len(spec.geography.levels))
        for query in spec.queries
    }


def find_largest_variance(model: TreeModel, level: int, query: Query) -> float:
    """Return the largest variance of the estimates of a query's answers in all areas of a level.

    Areas of one kind have the same: one of each kind is looked at, and so many kinds at a time as fit into memory.
    """
    known = model.downward[level]
    _, first = np.unique(known.covariance.kinds, return_index=True)
    step = max(1, NUMBERS_AT_ONCE // query.size)
    largest = 0.0
    for start in range(0, len(first), step):
        some = first[start : start + step]
        few = DownwardModel(*(_take(each, some) for each in (known.gain, known.covariance, known.unknown)))
        below = (*model.downward[:level], few, *model.downward[level + 1 :])
        largest = max(largest, float(replace(model, downward=below).variances(level, query).max()))
    return largest


def _take(matrices: AreaMatrices, areas: Ints) -> AreaMatrices:
    """Return the matrices of some areas alone."""
    kinds = matrices.kinds[areas]
    return AreaMatrices(matrices.basis, tuple(part[kinds] for part in matrices.parts), np.arange(len(kinds)))


def plan(
    spec: str | Path | CensusSpec, analyst: str | None = None, tables: Mapping[str, Any] | None = None
) -> CensusPlan:
    """Return what a release costs, how far it will be off, and whether a run is admitted: free, no row is read.

    All that a run refuses before its charge is in it. `tables` are those without a source in the policy.
    """
    asked = _read(spec)
    found = plan_errors(asked, model=expect_least_squares, public=find_public(asked, published=True))
    return replace(found, budget=foresee_run(asked, analyst, tables), note=_look_at_folder(asked))


def plan_for_targets(
    spec: str | Path | CensusSpec,
    wanted: Mapping[tuple[str, str], Fraction] | None = None,
    analyst: str | None = None,
    tables: Mapping[str, Any] | None = None,
) -> TargetPlan:
    """Return the shares, and the least rho, with which estimates err no more than is wanted; free.

    What is public already gets no share.
    """
    asked = _read(spec)
    found = plan_targets(asked, wanted, expect_least_squares, public=find_public(asked))
    budget = foresee_run(replace(asked, allocation=found.allocation), analyst, tables)
    return replace(found, plan=replace(found.plan, budget=budget))


def _look_at_folder(spec: CensusSpec) -> str:
    """Say why a run would be refused the folder that it writes into where none is named; empty where it would not."""
    try:
        refuse_other(spec.path.parent / OUTPUT, name_run(spec.digest))
    except DiscreetError as error:
        return str(error)
    return ""


def _read(spec: str | Path | CensusSpec) -> CensusSpec:
    return spec if isinstance(spec, CensusSpec) else read_spec(spec)
