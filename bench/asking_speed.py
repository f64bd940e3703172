"""Large questions on DuckDB: beside its own `GROUP BY unit, key`, many sums at once, and many keys of the data.

Run by `bench/asking.py`; alone: `.venv/bin/python bench/asking_speed.py [grouped|sums|keys]`.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import duckdb

from discreet.curator import Curator
from timing import alternate, markdown

ROWS, KEYS, PEOPLE = 10_000_000, 50, 1_000_000
WIDE, COLUMNS, DISTINCT = 600_000, 90, 600_000
GROUPED, MEDIANS, SUMS, MANY = 2.5, 4.0, 2.0, 3.0
"""What is asked: times DuckDB's own grouping for the first two, seconds for the others."""

POLICY = """
[budget]
epsilon = 100000.0
delta = 1e-9
[tables.t]
source = "t.parquet"
unit = "person"
max_rows = 20
{limits}
size = {rows}
[tables.t.columns]
{columns}
"""
HEAVY = f"""
SELECT 'person-' || lpad(CAST(CAST(floor({PEOPLE} * power(random(), 3)) AS BIGINT) AS VARCHAR), 9, '0') AS person,
       CAST(floor({KEYS} * random()) AS INTEGER) AS g, random() * 1000 AS x FROM range({ROWS})
"""
HEAVY_COLUMNS = f"""
person = {{ type = "text" }}
g = {{ type = "integer", lower = 0, upper = {KEYS - 1} }}
x = {{ type = "float", lower = 0.0, upper = 1000.0 }}
"""


def open_table(folder: Path, select: str, columns: str, rows: int, limits: str = "") -> Curator:
    """Write a table, its policy and its ledger, and open them."""
    connection = duckdb.connect()
    connection.execute("SELECT setseed(0.5)")
    connection.execute(f"COPY ({select}) TO '{folder / 't.parquet'}' (FORMAT parquet)")
    policy = folder / "policy.toml"
    policy.write_text(POLICY.format(columns=columns, rows=rows, limits=limits))
    Curator.init(policy)
    return Curator.open(policy)


def group_by_unit(folder: Path) -> Callable[[], object]:
    """Return what groups the rows by unit and key as DuckDB does it by itself: a count and a sum, without a release."""
    connection = duckdb.connect()
    inner = f"SELECT person, g, count(*) AS n, sum(x) AS s FROM '{folder / 't.parquet'}' GROUP BY person, g"
    return lambda: connection.execute(f"SELECT count(*), max(n), max(s) FROM ({inner})").fetchall()


def beside_grouping(rounds: int = 3) -> list[list[str]]:
    """Compare questions about text units with a heavy tail to DuckDB's own grouping."""
    questions = {
        "COUNT, SUM, AVG by key": ("SELECT g, COUNT(*), SUM(x), AVG(x) FROM t GROUP BY g", GROUPED),
        "MEDIAN by key": ("SELECT g, MEDIAN(x) FROM t GROUP BY g", MEDIANS),
    }
    with tempfile.TemporaryDirectory() as name:
        curator = open_table(Path(name), HEAVY, HEAVY_COLUMNS, ROWS, "max_groups = 10")
        contestants: dict[str, Callable[[], object]] = {"DuckDB": group_by_unit(Path(name))}
        for shown, (sql, _) in questions.items():
            contestants[shown] = partial(curator.ask, sql, 1.0, fresh=True)
        with curator:
            taken = alternate(contestants, rounds=rounds)
    found = [["DuckDB's GROUP BY unit, key", f"{taken['DuckDB']:.1f} s", "1", ""]]
    for shown, (_, asked) in questions.items():
        ratio = taken[shown] / taken["DuckDB"]
        found.append([shown, f"{taken[shown]:.1f} s", f"{ratio:.2f}", f"{asked:g}: {_judge(ratio, asked)}"])
    return found


def add_many_sums() -> list[str]:
    """Return how long ninety sums take."""
    values = ", ".join(f"random() * 100 AS x{each}" for each in range(COLUMNS))
    columns = 'person = { type = "integer" }\n' + "\n".join(
        f'x{each} = {{ type = "float", lower = 0.0, upper = 100.0 }}' for each in range(COLUMNS)
    )
    asked = "SELECT " + ", ".join(f"SUM(x{each})" for each in range(COLUMNS)) + " FROM t"
    select = f"SELECT i // 3 AS person, {values} FROM range({WIDE}) AS r(i)"
    return _time_one(f"{COLUMNS} sums of {WIDE:,} rows", select, columns, WIDE, asked, SUMS)


def select_many_keys() -> list[str]:
    """Return how long a selection among as many keys as rows takes: hardly any has more than one unit."""
    columns = 'person = { type = "integer" }\nk = { type = "text" }'
    select = f"SELECT i AS person, 'key-' || CAST(i // (1 + i % 2) AS VARCHAR) AS k FROM range({DISTINCT}) AS r(i)"
    asked = "SELECT k, COUNT(*) FROM t GROUP BY k"
    return _time_one(f"{DISTINCT:,} keys of the data", select, columns, DISTINCT, asked, MANY)


def _time_one(shown: str, select: str, columns: str, rows: int, asked: str, limit: float) -> list[str]:
    with tempfile.TemporaryDirectory() as name, open_table(Path(name), select, columns, rows) as curator:
        curator.explain(asked, 1.0)
        start = time.perf_counter()
        curator.ask(asked, 1.0)
        first = time.perf_counter() - start
        taken = alternate({"ask": lambda: curator.ask(asked, 1.0, fresh=True)}, rounds=3)["ask"]
    return [shown, f"{taken:.2f} s ({first:.2f} the first time)", "", f"{limit:g} s: {_judge(taken, limit)}"]


def _judge(found: float, asked: float) -> str:
    return "met" if found <= asked else "MISSED"


def report(parts: frozenset[str] = frozenset({"grouped", "sums", "keys"})) -> str:
    """Return this file's part of the results."""
    rows = beside_grouping() if "grouped" in parts else []
    rows += [add_many_sums()] if "sums" in parts else []
    rows += [select_many_keys()] if "keys" in parts else []
    head = (
        "### Large questions\n\n"
        f"{ROWS:,} rows of {PEOPLE:,} units that are texts, with a heavy tail; {KEYS} keys; 20 rows and 10 groups\n"
        "of a unit kept; beside DuckDB's own grouping with a count and a sum, all in turn. Others by themselves.\n\n"
    )
    return head + markdown(["", "time", "times DuckDB", "asked"], rows) + "\n"


if __name__ == "__main__":
    print(report(frozenset(sys.argv[1:])) if sys.argv[1:] else report())
