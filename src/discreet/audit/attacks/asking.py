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
    if delta * size > MOST_DELTA:
        raise ParameterError("delta", delta, f"at most {MOST_DELTA / size:.2g}: {MOST_DELTA:g} for all people together")
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


def plan_whole(epsilon: float, delta: float, people: int) -> dict[str, Any]:
    """Return what a policy says of a budget that one question may take all of: its epsilon, and some of its delta."""
    check.positive("epsilon", epsilon)
    miss = float(check.delta("delta", delta))
    if SPARE * miss * people > MOST_DELTA:
        raise ParameterError("delta", delta, f"at most {MOST_DELTA / SPARE / people:.2g} for {people:,} people")
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
