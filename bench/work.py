"""How long one unit's rows really take, beside the bound that `discreet.query.work` counts: `python bench/work.py`.

Every case is a question about one unit whose rows are as many and as long as the policy says, on an otherwise empty
table, and on the empty table alone: the difference of the shortest times is what the unit adds. The rates of
`discreet.query.work` are right where no case takes more than its bound; the last column says how much of it each takes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial

import pyarrow as pa

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
    "arithmetic": "SELECT SUM(LEAST(GREATEST(SIN(x) + POW(x, 3) % 7 + x / 3, 0), 9)) FROM t",
    "rounding": "SELECT SUM(LEAST(GREATEST(ROUND(FLOOR(SQRT(x + 1)) * 1.1, 2), 0), 9)) FROM t",
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


def open_tables(rows: int, fill: str) -> tuple[Engines, Engines]:
    """Return the engines with the unit and without it."""
    policy = (
        "[budget]\nepsilon = 1\ndelta = 1e-9\n[tables.t]\nunit = 'u'\nsize = 1000\n"
        f"max_rows = {rows}\n[tables.t.columns]\nx = {{ lower = 0, upper = 9 }}\n"
    )
    texts = [f"{fill * (LETTERS - 8)}{place:08}" for place in range(rows)]
    frame = pa.table({"u": [7] * rows, "x": [place % 10 for place in range(rows)], "s": texts})
    found = [Engines(loads(policy, "owner/policy.toml"), {"t": each}) for each in (frame, frame.slice(0, 0))]
    return found[0], found[1]


def measure(text: str, rows: int, fill: str) -> tuple[float, float]:
    """Return the milliseconds that the unit adds, and those of the bound."""
    engines = open_tables(rows, fill)
    runs: dict[str, Callable[[], object]] = {}
    for name, engine in zip(("with", "without"), engines, strict=True):
        catalog = Catalog.of(engine)
        plan = bound(to_canonical(build(parse(text), catalog, None)), catalog).plan
        runs[name] = partial(_answer, engine, plan)
    found = alternate(runs, rounds=4, choose=min)
    for engine in engines:
        engine.close()
    counted = sum(each.time(RATES[EngineKind.DUCKDB]) for each in list_work(plan))
    return 1_000 * (found["with"] - found["without"]), counted / 1e6


def _answer(engine: Engines, plan: BoundedPlan) -> None:
    engine.run(plan).result()


def main() -> None:
    """Print the table."""
    lines, worst = [], 0.0
    wanted = sys.argv[1:]
    for name, text, rows in list_questions():
        if wanted and not any(word in name for word in wanted):
            continue
        fills = list(FILLS) if name in TEXTS or name in AGGREGATED else ["ascii"]
        taken = {fill: measure(text, rows, FILLS[fill]) for fill in fills}
        fill, (spent, counted) = max(taken.items(), key=lambda each: each[1][0])
        worst = max(worst, spent / counted)
        lines.append([f"`{name}`", f"{rows:,}", fill, f"{spent:.1f}", f"{counted:.1f}", f"{spent / counted:.0%}"])
    print(markdown(["work", "rows", "dearest text", "took ms", "bound ms", "share"], lines))
    print(f"\nThe worst takes {worst:.0%} of its bound.")


if __name__ == "__main__":
    main()
