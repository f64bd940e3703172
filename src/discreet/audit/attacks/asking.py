"""The protected side of an attack: a real curator with a durable ledger, over tables in a folder that vanishes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from discreet.answers import Answer
from discreet.base import check
from discreet.base.errors import BudgetError, ParameterError
from discreet.curator import Curator
from discreet.noise.coin import Bools

PRIVATE = """\
[budget]
epsilon = {epsilon!r}
delta = {delta!r}
{more}
[privacy]
neighbours = "{neighbours}"

[tables.{name}]
source = "{name}.parquet"
version = "1"
size = {size}
{table}
"""

SPARE = 10
"""Times the delta of one question that a budget has, where one question is to take all of its epsilon."""

MOST_DELTA = 0.01
"""Of all people together: more lets a mechanism publish somebody whole."""

LEAST_EPSILON, MOST_EPSILON, LEAST_DELTA = 1e-9, 1e6, 1e-100
"""Beyond these there is nothing to see, and questions would have noise, or policies numbers, that cannot be held."""

PUBLIC = """
[tables.{name}]
source = "{name}.parquet"
version = "1"
public = true
"""


def write_policy(
    name: str,
    table: str,
    *,
    size: int,
    epsilon: float,
    delta: float = 0.0,
    neighbours: str = "add-remove",
    more: str = "",
    public: tuple[str, ...] = (),
) -> str:
    """Return a policy over one private table, of which `table` says the rest, and public ones beside it."""
    told = {"epsilon": float(epsilon), "delta": float(delta), "neighbours": str(neighbours), "more": more}
    private = PRIVATE.format(name=name, table=table, size=size, **told)
    return private + "".join(PUBLIC.format(name=each) for each in public)


@contextmanager
def open_curator(policy: str, **tables: Any) -> Iterator[Curator]:
    """Write tables of arrays and a policy into a folder, create the ledger, and open the curator over them."""
    import pyarrow as pa
    import pyarrow.parquet

    with tempfile.TemporaryDirectory(prefix="discreet-attack-") as folder:
        for name, columns in tables.items():
            pyarrow.parquet.write_table(pa.table(columns), Path(folder) / f"{name}.parquet")
        path = Path(folder) / "policy.toml"
        path.write_text(policy, encoding="utf-8")
        Curator.init(path)
        with Curator.open(path) as curator:
            yield curator


def check_epsilon(epsilon: object, name: str = "epsilon") -> float:
    """Return the epsilon of an attack: one that its questions can be asked with."""
    return float(check.real(name, epsilon, least=LEAST_EPSILON, most=MOST_EPSILON))


def check_delta(delta: object, people: int, spare: int = 1) -> float:
    """Return the delta of an attack: 0, or one that a policy can hold, and that publishes nobody."""
    miss = float(check.delta("delta", delta))
    if 0 < miss < LEAST_DELTA:
        raise ParameterError("delta", delta, f"0, or at least {LEAST_DELTA:g}")
    if spare * miss * people > MOST_DELTA:
        most = MOST_DELTA / spare
        raise ParameterError("delta", delta, f"at most {most / people:.2g}: {most:g} for all people together")
    return miss


def plan_whole(epsilon: float, delta: float, people: int) -> dict[str, Any]:
    """Return what a policy says of a budget that one question may take all of: its epsilon, and some of its delta."""
    check_epsilon(epsilon)
    miss = check_delta(delta, people, SPARE)
    return {"epsilon": epsilon, "delta": SPARE * miss, "more": f"question_delta = {miss!r}" if miss else ""}


def ask_whole(curator: Curator, question: str, epsilon: float, **how: Any) -> Answer:
    """Ask a question for all of a budget, or for the most of it that fits: a filter admits a little less.

    The filter allows for analysts who adapt; what one answer loses alone is found by the accountant, and is less.
    """
    try:
        return curator.ask(question, epsilon, **how)
    except BudgetError as trouble:
        if not trouble.fits:
            raise
        return curator.ask(question, trouble.fits, **how)


@contextmanager
def guard_secrets(bits: Bools, epsilon: float, neighbours: str = "add-remove") -> Iterator[Curator]:
    """Open a curator over `people`, each a row: a number that everybody knows, and a secret bit."""
    policy = write_policy("people", "rows_are_units = true", size=len(bits), epsilon=epsilon, neighbours=neighbours)
    with open_curator(policy, people={"person": np.arange(len(bits)), "secret": np.asarray(bits, bool)}) as curator:
        yield curator
