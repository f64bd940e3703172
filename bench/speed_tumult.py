"""Tumult Analytics on local Spark, on the question of `curator.py` for units: prints the seconds of a second asking.

Run by `curator.py` as `.venv-tumult/bin/python bench/speed_tumult.py FILE GROUPS MAX_GROUPS MAX_ROWS`.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

os.environ["PYSPARK_PYTHON"] = sys.executable


def main() -> None:
    from pyspark.sql import SparkSession
    from tmlt.analytics import (
        AddRowsWithID,
        KeySet,
        MaxGroupsPerID,
        MaxRowsPerGroupPerID,
        PureDPBudget,
        QueryBuilder,
        Session,
    )

    path, (groups, max_groups, max_rows) = sys.argv[1], map(int, sys.argv[2:5])
    spark = SparkSession.builder.config("spark.ui.enabled", "false").getOrCreate()
    frame = spark.read.parquet(path)
    session = Session.from_dataframe(PureDPBudget(100), "t", frame, protected_change=AddRowsWithID("u"))
    keys = KeySet.from_dict({"g": list(range(groups))})
    bounded = (
        QueryBuilder("t")
        .enforce(MaxGroupsPerID("g", max_groups))
        .enforce(MaxRowsPerGroupPerID("g", max_rows))
        .groupby(keys)
    )

    def ask(query: Any) -> int:
        return len(session.evaluate(query, PureDPBudget(0.5)).collect())

    seconds = 0.0
    for _ in range(2):
        start = time.perf_counter()
        found = [ask(bounded.count()), ask(bounded.sum("x", 0, 100))]
        seconds = time.perf_counter() - start
        if found != [groups, groups]:
            raise SystemExit("some groups are missing")
    print(seconds)


if __name__ == "__main__":
    main()
