"""PipelineDP's local backend on the question of `curator.py` for units: prints the seconds that it takes.

Run by `curator.py` as `.venv-peers/bin/python bench/speed_pipelinedp.py FILE GROUPS MAX_GROUPS MAX_ROWS`.
"""

from __future__ import annotations

import sys
import time

import pipeline_dp as pdp
import pyarrow.parquet as pq


def main() -> None:
    path, (groups, max_groups, max_rows) = sys.argv[1], map(int, sys.argv[2:5])
    table = pq.read_table(path)
    rows = list(zip(*(table[name].to_pylist() for name in ("u", "g", "x")), strict=True))
    start = time.perf_counter()
    accountant = pdp.NaiveBudgetAccountant(total_epsilon=1, total_delta=1e-9)
    engine = pdp.DPEngine(accountant, pdp.LocalBackend())
    params = pdp.AggregateParams(
        metrics=[pdp.Metrics.COUNT, pdp.Metrics.SUM],
        noise_kind=pdp.NoiseKind.LAPLACE,
        max_partitions_contributed=max_groups,
        max_contributions_per_partition=max_rows,
        min_value=0,
        max_value=100,
    )
    extract = pdp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: row[1],
        value_extractor=lambda row: row[2],
    )
    found = engine.aggregate(rows, params, extract, public_partitions=list(range(groups)))
    accountant.compute_budgets()
    if len(list(found)) != groups:
        raise SystemExit("some groups are missing")
    print(time.perf_counter() - start)


if __name__ == "__main__":
    main()
