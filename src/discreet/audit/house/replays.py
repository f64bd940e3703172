"""Questions of all kinds, replayed on neighbours of a small table: what noise does not hide is a finding."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from discreet.audit.graybox import ReplayReport, make_neighbours, replay

RELATIONS = ("add-remove", "replace")
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
    "SELECT VAR_POP(cost), MIN(cost) FROM visits",
    "SELECT COUNT(*), SUM(p.age) FROM visits AS v JOIN people AS p ON v.person = p.person",
    "SELECT v.ward, AVG(p.age) FROM visits AS v LEFT JOIN people AS p ON v.person = p.person GROUP BY v.ward",
    "SELECT COUNT(DISTINCT name) FROM visits",
    "SELECT SUM(s) FROM (SELECT person, SUM(cost) AS s FROM visits GROUP BY person) AS q",
    "SELECT ward, COUNT(*) FROM visits GROUP BY ROLLUP (ward)",
)


@dataclass(frozen=True, slots=True)
class Replayed:
    """A question under one relation of neighbours, and what its replay found."""

    neighbours: str
    report: ReplayReport

    @property
    def name(self) -> str:
        """What was replayed."""
        return f"{self.report.operation} ({self.neighbours})"


def replay_questions(only: str = "", relations: Sequence[str] = RELATIONS) -> Iterator[Replayed]:
    """Yield what the replays of all questions found, under these relations of neighbours."""
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
    for neighbours in relations:
        with tempfile.TemporaryDirectory(prefix="discreet-audit-") as folder:
            for name, columns in (("visits", visits), ("people", ages)):
                pyarrow.parquet.write_table(pa.table(columns), Path(folder) / f"{name}.parquet")
            path = Path(folder) / "policy.toml"
            path.write_text(POLICY.format(neighbours=neighbours), encoding="utf-8")
            made = make_neighbours(path)
            for question in QUESTIONS:
                if only.casefold() in f"replay {question} {neighbours}".casefold():
                    yield Replayed(neighbours, replay(question, made, epsilon=1.0, clock=False))
