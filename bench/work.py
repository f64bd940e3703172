"""How long one unit's rows really take, beside the bound that `discreet.query.work` counts.

`.venv/bin/python bench/work.py` measures DuckDB, with `--on spark` or `--on postgres` another engine; words choose
cases. Spark has more rows for each: what its own work varies by from run to run is more than those of one unit take.

Every case is a question about one unit whose rows are as many and as long as the policy says, beside one short row of
another, and about that row alone: the difference of the shortest times is what the unit adds. The rates of
`discreet.query.work` are right where no case takes more than its bound; the last column says how much of it each takes.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.engines.engines import Engines
from discreet.plan.bounded import BoundedPlan
from discreet.policy import loads
from discreet.policy.model import EngineKind
from discreet.query.bound import bound
from discreet.query.build import build
from discreet.query.canonical import to_canonical
from discreet.query.catalog import Catalog
from discreet.query.parse import parse
from discreet.query.work import RATES, list_work
from timing import alternate, markdown

LETTERS = 1_024
FILLS = {"ascii": "a", "emoji": "\U0001f600", "spaces": " "}

ONE_ROW = {
    "count": "SELECT COUNT(*) FROM t",
    "sum": "SELECT SUM(x) FROM t",
    "sine": "SELECT SUM(LEAST(GREATEST(SIN(x), 0), 9)) FROM t",
    "power": "SELECT SUM(LEAST(GREATEST(POW(x, 3), 0), 9)) FROM t",
    "remainder": "SELECT SUM(LEAST(GREATEST(x % 7, 0), 9)) FROM t",
    "division": "SELECT SUM(LEAST(GREATEST(x / 3, 0), 9)) FROM t",
    "arithmetic": "SELECT SUM(LEAST(GREATEST(SIN(x) + POW(x, 3) % 7 + x / 3, 0), 9)) FROM t",
    "rounding": "SELECT SUM(LEAST(GREATEST(ROUND(FLOOR(SQRT(x + 1)) * 1.1, 2), 0), 9)) FROM t",
    "mean": "SELECT AVG(x) FROM t",
    "spread": "SELECT VARIANCE(x) FROM t",
    "median": "SELECT MEDIAN(x) FROM t",
    "mean and spread": "SELECT AVG(x), VARIANCE(x), MEDIAN(x) FROM t",
    "keys": "SELECT x, COUNT(*), SUM(x) FROM t GROUP BY x",
    "rollup": "SELECT x, COUNT(*) FROM t GROUP BY ROLLUP (x)",
}
TEXTS = """LENGTH(s) > 5
UPPER(s) = 'B'
LOWER(s) = 'b'
REVERSE(s) = 'b'
TRIM(s) = 'b'
RTRIM(s, 'abc') = 'b'
s LIKE '%aaab%'
s LIKE '%a_b%'
STRPOS(s, 'aab') > 5
STRPOS(s, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab') > 5
REPLACE(s, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab', 'a') = 'b'
s LIKE '%aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab%'
s LIKE '%a%a%a%a%a%a%a%ab%'
CONTAINS(s, 'ab')
REPLACE(s, 'a', 'bb') = 'b'
REPLACE(s, 'a', 'bbbbbbbb') = 'b'
LPAD(s, 1000, 'xy') = 'b'
SUBSTRING(s, 2, 900) = 'b'
LEFT(s, 900) = 'b'
RIGHT(s, 900) = 'b'
CONCAT(s, s, s, s) = 'b'
s || s = 'b'
CAST(s AS INTEGER) = 1
CAST(s AS DOUBLE) = 1
CAST(s AS DATE) = '2020-01-01'
CAST(s AS TIMESTAMP) = '2020-01-01'
STARTS_WITH(s, 'ab')
ENDS_WITH(s, 'aaab')
s IN ('a', 'b')
COALESCE(s, 'a') = 'b'
GREATEST(s, 'a') = 'b'
UPPER(LOWER(REVERSE(s))) = 'b'
CASE WHEN x > 5 THEN UPPER(s) ELSE LOWER(s) END = 'b'""".splitlines()
AGGREGATED = {
    "distinct": "SELECT COUNT(DISTINCT s) FROM t",
    "distinct of a call": "SELECT COUNT(DISTINCT UPPER(s)) FROM t",
    "values of a call": "SELECT COUNT(NULLIF(UPPER(s), 'b')) FROM t",
    "keys of texts": "SELECT s, COUNT(*) FROM t GROUP BY s",
    "per unit": "SELECT COUNT(*) FROM (SELECT u, s, COUNT(*) AS n FROM t GROUP BY u, s) WHERE n > 1",
    "join of two": "SELECT COUNT(*) FROM t AS a JOIN t AS b ON a.u = b.u WHERE a.s < b.s",
    "join of three": "SELECT COUNT(*) FROM t AS a JOIN t AS b ON a.u = b.u JOIN t AS c ON a.u = c.u",
    "sum over a join": "SELECT SUM(a.x + b.x) FROM t AS a JOIN t AS b ON a.u = b.u",
}


def list_questions() -> Iterator[tuple[str, str, int]]:
    """Yield a name, a question, and the rows of the unit."""
    for name, text in ONE_ROW.items():
        yield name, text, 50_000
    for text in TEXTS:
        yield text, f"SELECT COUNT(*) FROM t WHERE {text}", 1_500
    for name, text in AGGREGATED.items():
        yield name, text, 40 if "three" in name else 150 if "join" in name else 500


def make_frame(rows: int, fill: str) -> pa.Table:
    """Return the rows of one unit after one of another: engines leave out much of a statement over empty tables."""
    texts = [f"{fill * (LETTERS - 8)}{place:08}" for place in range(rows)]
    return pa.table({"u": [8] + [7] * rows, "x": [place % 10 for place in range(rows + 1)], "s": ["a", *texts]})


def write_policy(rows: int, source: str, engine: str) -> str:
    """Return the policy of a table with such a unit."""
    return (
        f"[budget]\nepsilon = 1\ndelta = 1e-9\n[tables.t]\n{source}\nunit = 'u'\nsize = 1000\n"
        f"max_rows = {rows}\n[tables.t.columns]\nx = {{ lower = 0, upper = 9 }}\n{engine}"
    )


Opened = Callable[[int, pa.Table], Engines]
"""Opens a table of one unit with so many rows, or without them."""


@contextmanager
def on_duckdb() -> Iterator[Opened]:
    """Yield what opens a table in this process."""
    yield lambda rows, frame: Engines(loads(write_policy(rows, "", ""), "owner/policy.toml"), {"t": frame})


@contextmanager
def on_spark() -> Iterator[Opened]:
    """Yield what opens a table behind Spark, in one thread."""
    count = itertools.count()
    with tempfile.TemporaryDirectory() as name:

        def opened(rows: int, frame: pa.Table) -> Engines:
            path = Path(name) / f"{next(count)}.parquet"
            pq.write_table(frame, path)
            engine = '[engine]\nkind = "spark"\nmaster = "local[1]"\n'
            return Engines(loads(write_policy(rows, f'source = "{path}"', engine), Path(name) / "policy.toml"))

        with closing(opened(1, make_frame(1, "a"))) as held:  # else Spark would end with the first engine closed
            held.tables  # noqa: B018
            yield opened


@contextmanager
def on_postgres() -> Iterator[Opened]:
    """Yield what opens a table of a PostgreSQL that is started for it."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from servers.postgres import Cluster

    cluster, count = Cluster(), itertools.count()
    os.environ[VARIABLE] = cluster.dsn()

    def opened(rows: int, frame: pa.Table) -> Engines:
        table = f"t{next(count)}"
        with cluster.connect() as connection:
            connection.execute(f"CREATE TABLE public.{table} (u bigint, x bigint, s text)")
            with connection.cursor().copy(f"COPY public.{table} FROM STDIN") as copy:
                for row in zip(*(column.to_pylist() for column in frame.columns), strict=True):
                    copy.write_row(row)
        engine = f'[engine]\nkind = "postgres"\ndsn_env = "{VARIABLE}"\n'
        return Engines(loads(write_policy(rows, f'table = "public.{table}"', engine), "owner/policy.toml"))

    try:
        yield opened
    finally:
        cluster.remove()


MORE, MORE_JOINED = 10, 3
VARIABLE = "DISCREET_BENCH_DSN"
PLACES = {EngineKind.DUCKDB: on_duckdb, EngineKind.SPARK: on_spark, EngineKind.POSTGRES: on_postgres}


def measure(opened: Opened, kind: EngineKind, text: str, rows: int, fill: str) -> tuple[float, float]:
    """Return the milliseconds that the unit adds, and those of the bound."""
    frame = make_frame(rows, fill)
    engines = [opened(rows, each) for each in (frame, frame.slice(0, 1))]
    runs: dict[str, Callable[[], object]] = {}
    for name, engine in zip(("with", "without"), engines, strict=True):
        catalog = Catalog.of(engine)
        plan = bound(to_canonical(build(parse(text), catalog, None)), catalog).plan
        runs[name] = partial(_answer, engine, plan)
    found = alternate(runs, rounds=4 if kind is EngineKind.DUCKDB else 5, choose=min)
    for engine in engines:
        engine.close()
    counted = sum(each.time(RATES[kind]) for each in list_work(plan))
    return 1_000 * (found["with"] - found["without"]), counted / 1e6


def _answer(engine: Engines, plan: BoundedPlan) -> None:
    engine.run(plan).result()


def main() -> None:
    """Print the table."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--on", type=EngineKind, choices=list(PLACES), default=EngineKind.DUCKDB)
    reader.add_argument("words", nargs="*")
    given = reader.parse_args()
    lines, worst = [], 0.0
    with PLACES[given.on]() as opened:
        for name, text, rows in list_questions():
            if given.words and not any(word in name for word in given.words):
                continue
            fills = list(FILLS) if name in TEXTS or name in AGGREGATED else ["ascii"]
            times = 1 if given.on is not EngineKind.SPARK else MORE_JOINED if "join" in name else MORE
            taken = {fill: measure(opened, given.on, text, times * rows, FILLS[fill]) for fill in fills}
            fill, (spent, counted) = max(taken.items(), key=lambda each: each[1][0])
            worst = max(worst, spent / counted)
            lines.append(
                [f"`{name}`", f"{times * rows:,}", fill, f"{spent:.1f}", f"{counted:.1f}", f"{spent / counted:.0%}"]
            )
            print(lines[-1], file=sys.stderr)
    print(markdown(["work", "rows", "dearest text", "took ms", "bound ms", "share"], lines))
    print(f"\nThe worst takes {worst:.0%} of its bound.")


if __name__ == "__main__":
    main()
