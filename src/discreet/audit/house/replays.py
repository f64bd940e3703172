"""Questions and operations, replayed on neighbours of a small table: what noise does not hide is a finding."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from discreet import robust
from discreet.audit.graybox import ReplayDatabase, ReplayNeighbours, ReplayReport, make_neighbours, replay
from discreet.audit.house.choosing import has_word
from discreet.curator import Curator
from discreet.learn import fit
from discreet.local.client import Choices, CountMeanSketch, DirectResponse, Metric, Rappor, Texts
from discreet.synthetic.from_table import synthesize

FEW = ("the most rows", "of extremes", "with many rows", "in another order")
"""How the names of neighbours end that the light audit tries."""

LOCAL = "local"
"""Any two people are neighbours where each sends reports."""
RELATIONS = ("add-remove", LOCAL, "replace")
POLICY = """
[budget]
epsilon = 1000.0
delta = 1e-3

[privacy]
neighbours = "{neighbours}"

[tables.visits]
source = "visits.parquet"
unit = "person"
max_rows = 3
max_groups = 2
size = 10
[tables.visits.columns]
person = {{ type = "integer" }}
ward = {{ type = "text", values = ["north", "south", "west"] }}
name = {{ type = "text" }}
cost = {{ type = "float", lower = 0.0, upper = 100.0, step = 0.01 }}

[tables.people]
source = "people.parquet"
unit = "person"
max_rows = 2
size = 10
[tables.people.columns]
person = {{ type = "integer" }}
age = {{ type = "integer", lower = 0, upper = 120 }}
"""
QUESTIONS = (
    "SELECT COUNT(*) FROM visits",
    "SELECT ward, COUNT(*), SUM(cost) FROM visits GROUP BY ward",
    "SELECT COUNT(DISTINCT person), AVG(cost) FROM visits WHERE cost > 10",
    "SELECT ward, MEDIAN(cost) FROM visits GROUP BY ward",
    "SELECT name, COUNT(*) FROM visits GROUP BY name",
    "SELECT name, SUM(cost) FROM visits GROUP BY name",
    "SELECT VAR_POP(cost), MIN(cost) FROM visits",
    "SELECT COUNT(*), SUM(p.age) FROM visits AS v JOIN people AS p ON v.person = p.person",
    "SELECT v.ward, AVG(p.age) FROM visits AS v LEFT JOIN people AS p ON v.person = p.person GROUP BY v.ward",
    "SELECT COUNT(DISTINCT name) FROM visits",
    "SELECT SUM(s) FROM (SELECT person, SUM(cost) AS s FROM visits GROUP BY person) AS q",
    "SELECT ward, COUNT(*) FROM visits GROUP BY ROLLUP (ward)",
    f"SELECT QUANTILE_CONT(age, [{', '.join(f'{place / 10:g}' for place in range(1, 10))}]) FROM people",
)
OPERATIONS: dict[str, Callable[[Curator], object]] = {
    "training a linear model": lambda curator: fit(
        curator, "linear", "visits", target="cost", features=["ward"], epsilon=1
    ).to_json(),
    "synthetic data": lambda curator: synthesize(curator, "visits", 1, epsilon=1, columns=["ward"]),
    "a smooth median": lambda curator: robust.median(curator, "visits", "cost", epsilon=1),
    "a universal mean": lambda curator: robust.unbounded_mean(
        curator, "visits", "cost", step=0.01, method="universal", epsilon=1
    ),
}
"""Operations beside SQL, each at an epsilon of 1."""

FRUITS = Choices(("apple", "pear", "plum"))
METRICS = (
    Metric("direct", FRUITS, DirectResponse.calibrate(1.0, FRUITS.size), lifetime=9),
    Metric("sketch", Texts(), CountMeanSketch.calibrate(1.0, 8, 16), lifetime=9),
    Metric("rappor", Texts(), Rappor.take(16, 2, 8, 0.35, 0.65, 0.25), lifetime=9),
)
PEOPLE: dict[str, Any] = {
    "somebody": "apple",
    "somebody else": "plum",
    "an odd one": "\U0001f600" * 300,
    "nobody": None,
}


@dataclass(frozen=True, slots=True)
class Replayed:
    """An operation under one relation of neighbours, and what its replay found."""

    neighbours: str
    report: ReplayReport

    @property
    def name(self) -> str:
        """What was replayed."""
        return f"{self.report.operation} ({self.neighbours})"


def replay_all(only: str = "", relations: Sequence[str] = RELATIONS, *, light: bool = False) -> Iterator[Replayed]:
    """Yield what the replays of all questions, operations and reports found, under these relations of neighbours.

    Databases are opened once for all of them; `light` tries a few neighbours.
    """
    for neighbours in relations:
        yield from _replay_reports(only) if neighbours == LOCAL else _replay_tables(only, neighbours, light)


def _replay_reports(only: str) -> Iterator[Replayed]:
    for name, metric in _list_reports():
        if has_word(only, "replay", name, LOCAL):
            yield Replayed(LOCAL, replace(replay(_report(metric), PEOPLE, clock=False), operation=name))


def _replay_tables(only: str, neighbours: str, light: bool) -> Iterator[Replayed]:
    import pyarrow as pa
    import pyarrow.parquet

    generator, people = np.random.default_rng(7), 12
    who = generator.integers(people, size=40)
    visits = {
        "person": who,
        "ward": generator.choice(["north", "south", "west", "attic"], 40),
        "name": generator.choice(["ann", "bob"], 40),
        "cost": np.round(generator.uniform(-20, 130, 40), 2),
    }
    ages = {"person": np.arange(people), "age": generator.integers(0, 100, people)}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="discreet-audit-")))
        for name, columns in (("visits", visits), ("people", ages)):
            pyarrow.parquet.write_table(pa.table(columns), folder / f"{name}.parquet")
        path = folder / "policy.toml"
        path.write_text(POLICY.format(neighbours=neighbours), encoding="utf-8")
        found = make_neighbours(path)
        few = [name for name in found.names if any(name.endswith(each) for each in FEW)]
        made = hold_open(found.only(*few) if light else found, stack)
        for name, operation in list_operations():
            if has_word(only, "replay", name, neighbours):
                yield Replayed(neighbours, replace(replay(operation, made, clock=False), operation=name))


def list_names(neighbours: str) -> list[str]:
    """Return the names of all that is replayed under a relation of neighbours."""
    return [name for name, _ in (_list_reports() if neighbours == LOCAL else list_operations())]


def _list_reports() -> Iterator[tuple[str, Metric]]:
    for metric in METRICS:
        yield f"a report: {metric.name}", metric


def list_operations() -> Iterator[tuple[str, Callable[[Curator], object]]]:
    """Yield all that is done with a curator, by its name."""
    for question in QUESTIONS:
        yield question, _ask(question)
    yield from OPERATIONS.items()


def hold_open(found: ReplayNeighbours, stack: ExitStack) -> ReplayNeighbours:
    """Return the same databases, each opened when it is first needed and closed with the stack."""

    def hold(database: ReplayDatabase) -> ReplayDatabase:
        held: list[Any] = []

        def find() -> AbstractContextManager[Any]:
            if not held:
                held.append(stack.enter_context(database.open()))
            return nullcontext(held[0])

        return replace(database, open=find)

    return ReplayNeighbours(tuple((hold(base), tuple(map(hold, others))) for base, others in found.groups))


def _ask(question: str) -> Callable[[Curator], object]:
    return lambda curator: curator.ask(question, 1.0)


def _report(metric: Metric) -> Callable[[Any], object]:
    return lambda value: metric.encode(value).to_bytes()
