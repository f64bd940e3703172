"""How discreet answers the cases of `cases.py`: the exact part once, the noise as often as asked.

The price, the bounded plan, its run and the noise are the curator's own; only the ledger is left out in between.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa

from cases import Case, load
from discreet.base.errors import QueryError
from discreet.curator import Curator
from discreet.curator.asking.prepared import Prepared
from discreet.curator.estimates.values import Values
from discreet.curator.release.noise import release
from discreet.engines.result import ExactResult
from discreet.query.price import estimate_error

WORDS = {
    "count": "COUNT(*)",
    "units": "",
    "sum": "SUM({})",
    "mean": "AVG({})",
    "variance": "VAR_POP({})",
    "deviation": "STDDEV_POP({})",
    "median": "MEDIAN({})",
}
BUDGET = 10
"""Nothing is charged. Of a larger budget, the least that a question costs would be more than the cases ask for."""


def sql(case: Case) -> str:
    """Return the question."""
    table, person = load(case.table).name, load(case.table).person
    words = WORDS[case.aggregate].format(case.column)
    if case.aggregate == "units":
        words = f"COUNT(DISTINCT {person})" if person else "COUNT(*)"
    return (
        f"SELECT {case.key}, {words} AS x FROM {table} GROUP BY {case.key}"
        if case.key
        else (f"SELECT {words} AS x FROM {table}")
    )


@contextmanager
def opened(case: Case) -> Iterator[Curator]:
    """Open a curator over the table with the case's bounds, keys and limits declared, and budget enough."""
    table = load(case.table)
    limits = f"max_groups = {case.groups}\nmax_rows_per_group = {case.rows}"
    whose = f'unit = "{table.person}"\n{limits}' if table.person else "rows_are_units = true"
    values = f"{case.key} = {{ values = {case.keys} }}" if case.key and not case.private else ""
    policy = (
        f"[budget]\nepsilon = {BUDGET}\ndelta = {1e4 * case.delta:g}\nquestion_delta = {case.delta:g}\n"
        f'[tables.{table.name}]\n{whose}\nversion = "1"\nsize = 10\n'
        f"[tables.{table.name}.columns]\n{case.column} = {{ lower = 0, upper = {case.upper} }}\n{values}\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "policy.toml"
        path.write_text(policy)
        Curator.init(path)
        kept = {name for name in (case.column, case.key, table.person) if name is not None}
        frame = pa.table({name: table.columns[name] for name in sorted(kept)})
        with Curator.open(path, tables={table.name: frame}) as curator:
            yield curator


def releases(case: Case, times: int) -> np.ndarray | None:
    """Return noisy answers, one row a release and one column a key; None where the question is refused.

    What is not answered (a mean of nobody, a key that is left out) is NaN.
    """
    try:
        with opened(case) as curator:
            return _released(curator, case, times)
    except QueryError:
        return None


def coverage(case: Case, times: int, confidence: float = 0.95) -> tuple[int, int, float, float, float]:
    """Return how many intervals held the truth, of how many, and how many grid steps the noise spans.

    Beside these: the median width of the intervals, and the mean error of the values.
    """
    inside = total = 0
    widths, distances = [], []
    with opened(case) as curator:
        prepared, exact, keys = _exact(curator, case)
        priced, operation = prepared.priced, prepared.operation
        truths = case.truths
        for _ in range(-(-times // keys)):
            released = release(operation.plan, exact, operation.draws)
            values = Values(prepared.question.aggregates, priced, released)
            for key, row in enumerate(values.rows):
                low, high = values.interval(0, row, 1 - confidence)
                inside += low - 1e-9 <= truths[key] <= high + 1e-9
                total += 1
                value = values.value(0, row)
                widths.append(high - low)
                distances.append(abs((case.upper / 2 if value is None else value) - truths[key]))
        return inside, total, estimate_error(priced.noises[0]), float(np.median(widths)), float(np.mean(distances))


def _exact(curator: Curator, case: Case) -> tuple[Prepared, ExactResult, int]:
    """Price the question and run its bounded plan, once."""
    prepared = curator.prepare(sql(case), case.epsilon)
    assert float(prepared.priced.target) == case.epsilon, "it must be answered at the price that was asked for"
    return prepared, curator._engines.run(prepared.operation.plan).result(), len(case.keys) or 1


def _released(curator: Curator, case: Case, times: int) -> np.ndarray:
    prepared, exact, keys = _exact(curator, case)
    plan, draws = prepared.operation.plan, prepared.operation.draws
    places: dict[object, int] = {key: place for place, key in enumerate(case.keys)}
    found = np.full((times, keys), np.nan)
    for turn in range(times):
        values = Values(prepared.question.aggregates, prepared.priced, release(plan, exact, draws))
        for row in values.rows:
            value = values.value(0, row)
            found[turn, places[row.keys[0]] if row.keys else 0] = np.nan if value is None else value
    return found
