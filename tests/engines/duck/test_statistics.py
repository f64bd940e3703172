"""Statistics of files: what a parquet file says about its own rows must not change what is counted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.curator import Curator
from discreet.engines.duck.connection import PLAIN, list_other_optimizers
from support.hospital import duck

POLICY = """
[budget]
epsilon = 1000.0
[tables.t]
source = "t.parquet"
unit = "u"
max_rows = 5
[tables.t.columns]
x = { lower = 0, upper = 1000 }
"""


def counts(folder: Path, rows: list[tuple[int, float]]) -> list[int]:
    """Return three counts, nearly exact; each file holds its last row in a row group of its own."""
    folder.mkdir()
    table = pa.table({"u": [row[0] for row in rows], "x": np.array([row[1] for row in rows])})
    with pq.ParquetWriter(folder / "t.parquet", table.schema) as writer:
        writer.write_table(table[:-1])
        writer.write_table(table[-1:])
    (folder / "policy.toml").write_text(POLICY)
    Curator.init(folder / "policy.toml")
    with Curator.open(folder / "policy.toml") as curator:
        return [
            int(str(curator.ask(f"SELECT {what}", 100.0).value))
            for what in (
                "COUNT(x) AS n FROM t",
                "COUNT(*) AS n FROM t WHERE x <= 1000000",
                "COUNT(*) AS n FROM t WHERE x > 1000000",
                "COUNT(*) AS n FROM t WHERE NOT x < 0",
            )
        ]


@pytest.mark.parametrize("last", [3.0, float("nan"), float("inf"), -1.0])
def test_nan_left_out_of_a_files_statistics_is_still_nan(tmp_path: Path, last: float) -> None:
    """Half of the rows are NaN, which the file's statistics do not tell: one more person changes little."""
    rows = [(unit, float("nan") if unit % 2 else float(unit % 900)) for unit in range(2000)]
    one = counts(tmp_path / "one", [*rows, (5000, 7.0)])
    other = counts(tmp_path / "other", [*rows, (5000, 7.0), (6000, last)])
    assert one[0] == pytest.approx(1001, abs=3)
    assert one[1] == pytest.approx(1001, abs=3)
    assert all(abs(a - b) <= 4 for a, b in zip(one, other, strict=True))


def test_only_plain_rewriting_is_left_on_every_cursor(tmp_path: Path) -> None:
    counts(tmp_path / "one", [(1, 1.0), (2, 2.0)])
    with Curator.open(tmp_path / "one" / "policy.toml") as curator:
        engine = duck(curator._engines)
        cursor = engine._cursor(set())
        off = set(cursor.execute("SELECT current_setting('disabled_optimizers')").fetchall()[0][0].split(","))
        assert off == set(list_other_optimizers(engine._connection))
        known = {name for (name,) in cursor.execute("SELECT name FROM duckdb_optimizers()").fetchall()}
        assert known - off <= PLAIN | {"extension"}
        assert {"statistics_propagation", "filter_pushdown", "type_pushdown"} & known <= off
