"""What a private question costs next to the same question without privacy, both on DuckDB and on one parquet file.

Run by `make bench`; alone: `.venv/bin/python bench/curator.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

from discreet.engines.engines import Engines
from discreet.plan.bounded import Part
from discreet.policy import loads
from discreet.query.bound import bound
from discreet.query.build import build
from discreet.query.canonical import to_canonical
from discreet.query.catalog import Catalog
from discreet.query.parse import parse
from timing import alternate, markdown

MILLIONS = (1, 5, 20)
GROUPS, ROWS_EACH, MAX_GROUPS, MAX_ROWS, FINE = 1000, 20, 10, 5, 2**14
QUESTION = "SELECT g, COUNT(*), SUM(x) FROM t GROUP BY g"
PAIRS = "SELECT COUNT(*), SUM(n), SUM(s) FROM (SELECT u, g, COUNT(*) AS n, SUM(x) AS s FROM t GROUP BY u, g) AS q"
UNITS = f'unit = "u"\nmax_rows = {MAX_GROUPS * MAX_ROWS}\nmax_groups = {MAX_GROUPS}\nmax_rows_per_group = {MAX_ROWS}'
ROWS = "rows_are_units = true"
POLICY = """\
[budget]
epsilon = 10.0
[tables.t]
source = "SOURCE"
LIMITS
[tables.t.columns]
x = { lower = 0, upper = 100, step = 0.00006103515625 }
g = { values = [VALUES] }
"""


def written(folder: Path, millions: int) -> Path:
    """Write a parquet file: every unit has 20 rows, scattered over the file, nearly all in different groups."""
    path, rows = folder / f"{millions}.parquet", millions * 1_000_000
    columns = (
        f"CAST((i * 7919) % {rows // ROWS_EACH} AS BIGINT) AS u, CAST(hash(i) % {GROUPS} AS BIGINT) AS g, "
        f"(hash(i + 77) % {100 * FINE}) / CAST({FINE} AS DOUBLE) AS x"
    )
    duckdb.connect().execute(f"COPY (SELECT {columns} FROM range({rows}) r(i)) TO '{path}'")
    return path


Sums = tuple[tuple[int, ...], ...]
"""The rows of each group, and the sum of each."""


def private(path: Path, limits: str) -> Callable[[], Sums]:
    """Return what asks the question of an engine: all but noise and ledger, the plan included."""
    values = ", ".join(map(str, range(GROUPS)))
    policy = POLICY.replace("SOURCE", str(path)).replace("LIMITS", limits).replace("VALUES", values)
    return asking(Engines(loads(policy, str(path.with_suffix(".toml")))))


def asking(engines: Engines) -> Callable[[], Sums]:
    """Return what asks the question: from its text to whole numbers by key, without noise."""
    catalog = Catalog.of(engines)

    def ask() -> Sums:
        plan = bound(to_canonical(build(parse(QUESTION), catalog)), catalog).plan
        sums = engines.run(plan).result().sets[0].sums
        return sums if plan.measures[0].part is Part.ROWS else sums[::-1]

    return ask


def plain(path: Path, text: str) -> Callable[[], list[Any]]:
    """Return what asks DuckDB, with its own settings."""
    connection = duckdb.connect()
    connection.execute(f"CREATE VIEW t AS SELECT * FROM read_parquet('{path}')")
    return lambda: connection.execute(text).fetchall()


def check(path: Path, rows: Sums, units: Sums) -> None:
    """Refuse to time wrong answers: rows are counted exactly, and units reach their bound and no more."""
    for key, count, total in plain(path, QUESTION)():
        if (rows[0][key], rows[1][key]) != (count, total * FINE):
            raise SystemExit(f"group {key} is {rows[0][key]}, {rows[1][key]}, not {count}, {total * FINE}")
    least = f"SELECT SUM(least(n, {MAX_ROWS})) FROM (SELECT COUNT(*) AS n FROM t GROUP BY u, g)"
    groups = f"SELECT SUM(least(n, {MAX_GROUPS})), MIN(n) FROM (SELECT COUNT(DISTINCT g) AS n FROM t GROUP BY u)"
    (most,), (kept, fewest) = plain(path, least)()[0], plain(path, groups)()[0]
    if fewest <= MAX_GROUPS or not kept <= sum(units[0]) <= most:
        raise SystemExit(f"{sum(units[0])} rows are kept in {kept} groups of {most} rows; fewest {fewest}")


def peak(path: Path, limits: str) -> float:
    """Return the most memory that one question takes in a process of its own, in MB."""
    command = [sys.executable, __file__, str(path), limits]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def report() -> str:
    """Return this file's part of the results."""
    return f"## The curator\n\n{exact_part()}"


def exact_part() -> str:
    """Return the part on exact bounded sums, before noise."""
    rows, growth = [], {}
    with tempfile.TemporaryDirectory(dir=os.environ.get("DISCREET_BENCH_DIR")) as name:
        for millions in MILLIONS:
            path = written(Path(name), millions)
            by_row, by_unit = private(path, ROWS), private(path, UNITS)
            check(path, by_row(), by_unit())
            contestants = {
                "rows": by_row,
                "plain rows": plain(path, QUESTION),
                "units": by_unit,
                "plain units": plain(path, PAIRS),
            }
            taken = alternate(contestants)
            growth[millions] = taken["units"]
            for what, limits, asked in (("rows", ROWS, 2.5), ("units", UNITS, 3.0)):
                ratio = taken[what] / taken[f"plain {what}"]
                memory = [peak(path, each) for each in (limits, f"plain {what}")]
                last = millions == MILLIONS[-1]
                rows.append(
                    [
                        f"{millions} million",
                        what,
                        f"{taken[f'plain {what}']:.2f} s",
                        f"{taken[what]:.2f} s",
                        f"{ratio:.2f}",
                        f"{asked:g}: {'met' if ratio <= asked else 'MISSED'}" if last else "",
                        f"{memory[0]:,.0f} MB of {memory[1]:,.0f} MB",
                        f"2: {'met' if memory[0] <= 2 * memory[1] else 'MISSED'}" if last else "",
                    ]
                )
    times = growth[MILLIONS[-1]] / growth[MILLIONS[0]] / (MILLIONS[-1] / MILLIONS[0])
    header = ["rows", "privacy of", "DuckDB", "discreet", "ratio", "asked", "peak memory of DuckDB's", "asked"]
    return (
        "### Exact bounded sums\n\n"
        f"`{QUESTION}` with {GROUPS:,} public groups, from the text of the question\n"
        "to whole numbers by key, without noise; medians of 5 rounds in turn, answers checked before. Privacy of rows\n"
        f"is compared with the same text in DuckDB, privacy of units ({ROWS_EACH} rows each, at most {MAX_GROUPS}\n"
        f"groups with {MAX_ROWS} rows each, every unit over its bound) with\n`{PAIRS}`.\n"
        "DuckDB has its default settings, on the same parquet file with as many threads.\n"
        f"From {MILLIONS[0]} to {MILLIONS[-1]} million rows the time for each row of units grew {times:.2f} times.\n\n"
        f"{markdown(header, rows)}\n"
    )


def main() -> None:
    if len(sys.argv) == 1:
        print(report())
        return
    path, what = Path(sys.argv[1]), sys.argv[2]
    if what.startswith("plain"):
        plain(path, QUESTION if what == "plain rows" else PAIRS)()
    else:
        private(path, what)()
    status = Path("/proc/self/status").read_text().splitlines()  # `ru_maxrss` begins with that of the parent
    print(next(int(line.split()[1]) / 1000 for line in status if line.startswith("VmHWM:")))


if __name__ == "__main__":
    main()
