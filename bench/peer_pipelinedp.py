"""How PipelineDP answers the cases of `cases.py`: its own combiners and budget accountant, on exact accumulators.

An accumulator holds each partition's values, made once (nobody is over the limits, so bounding contributions changes
nothing); `compute_metrics`, which its engine calls last, adds the noise as often as asked. With a delta it may also
use Gaussian noise, and takes whichever errs less.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pipeline_dp as pdp
from pipeline_dp import combiners, partition_selection

from cases import Case

METRICS = {
    "count": pdp.Metrics.COUNT,
    "sum": pdp.Metrics.SUM,
    "mean": pdp.Metrics.MEAN,
    "variance": pdp.Metrics.VARIANCE,
    "median": pdp.Metrics.PERCENTILE(50),
}
NOISES = {"laplace": pdp.NoiseKind.LAPLACE, "gaussian": pdp.NoiseKind.GAUSSIAN}
SELECTIONS = pdp.PartitionSelectionStrategy


def releases(case: Case, times: int) -> dict[str, np.ndarray]:
    """Return noisy answers by the kind of noise, one row a release and one column a key."""
    return {name: _released(case, times, kind) for name, kind in NOISES.items() if name == "laplace" or case.delta}


def kept(case: Case, times: int) -> dict[str, np.ndarray]:
    """Return whether each key is kept: by a selection at half the price beside a count, or with the count itself."""
    ways = {
        "truncated geometric": (SELECTIONS.TRUNCATED_GEOMETRIC, case.epsilon / 2),
        "laplace": (SELECTIONS.LAPLACE_THRESHOLDING, case.epsilon),
        "gaussian": (SELECTIONS.GAUSSIAN_THRESHOLDING, case.epsilon),
    }
    found = {}
    for name, (strategy, epsilon) in ways.items():
        chosen = partition_selection.create_partition_selection_strategy(strategy, epsilon, case.delta, case.groups)
        found[name] = np.array([[chosen.should_keep(int(n)) for n in case.units] for _ in range(times)])
    return found


def _released(case: Case, times: int, kind: Any) -> np.ndarray:
    accountant = pdp.NaiveBudgetAccountant(case.epsilon, case.delta)
    params = pdp.AggregateParams(
        metrics=[METRICS[case.aggregate]],
        noise_kind=kind,
        max_partitions_contributed=case.groups,
        max_contributions_per_partition=case.rows,
        min_value=0,
        max_value=case.upper,
    )
    combiner = combiners.create_compound_combiner(params, accountant)
    if case.private:
        accountant.request_budget(pdp.aggregate_params.MechanismType.GENERIC)
    accountant.compute_budgets()
    held = [combiner.create_accumulator([float(value) for value in part]) for part in case.parts]
    return np.array([[combiner.compute_metrics(each)[0] for each in held] for _ in range(times)], dtype=float)
