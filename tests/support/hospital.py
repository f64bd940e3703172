"""What the tests of plans, queries and engines share: a small hospital, questions about it, and their exact results."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.base.errors import QueryError
from discreet.engines.duck.engine import DuckEngine
from discreet.engines.engines import Engines
from discreet.engines.result import ExactResult, ExactRows, GroupedSums
from discreet.plan.question import Question
from discreet.plan.rows_plan import RowsPlan
from discreet.policy import Policy, loads
from discreet.query.bound import Bounded, bound
from discreet.query.build import build
from discreet.query.canonical import to_canonical
from discreet.query.catalog import Catalog
from discreet.query.parse import parse
from discreet.query.plan_rows import plan_rows

POLICY = """\
[budget]
epsilon = 10.0
delta = 1e-9
[privacy]
neighbours = "add-remove"

[tables.visits]
unit = "patient"
size = 1000
max_rows = 4
max_groups = 2
max_rows_per_group = 3
hidden = ["secret"]
[tables.visits.columns]
age = { lower = 0, upper = 110 }
cost = { lower = 0, upper = 100, step = 0.25 }
ward = { values = ["north", "south", "icu"] }

[tables.people]
rows_are_units = true
size = 1000
[tables.people.columns]
age = { lower = -10, upper = 10 }
ward = { values = ["north", "south"] }

[tables.wards]
public = true
[tables.beds]
public = true
"""

VISITS = pa.table(
    {
        "patient": pa.array([1, 1, 2, 3, None], pa.int64()),
        "age": pa.array([30, 31, 50, None, 20], pa.int64()),
        "cost": pa.array([1.5, 2.25, float("nan"), 400.0, 1.0], pa.float64()),
        "ward": pa.array(["north", "south", "north", "attic", "north"], pa.string()),
        "seen": pa.array([0, 1, 2, 3, None], pa.date32()),
        "at": pa.array([0, 1, 2, 3, None], pa.timestamp("us")),
        "sick": pa.array([True, False, None, True, True], pa.bool_()),
        "secret": pa.array(["a", "b", "c", "d", "e"], pa.string()),
    }
)
PEOPLE = pa.table({"age": pa.array([1, 2, 3], pa.int64()), "ward": pa.array(["north", "south", None], pa.string())})
WARDS = pa.table(
    {
        "ward": pa.array(["north", "south", "icu"], pa.string()),
        "floor": pa.array([1, 2, 2], pa.int64()),
        "weight": pa.array([0.5, 1.5, 2.5], pa.float64()),
        "code": pa.array([2**53, 2**53 + 1, 5], pa.int64()),
        "opened": pa.array([0, 1, 2], pa.timestamp("us")),
    }
)
BEDS = pa.table({"floor": pa.array([1, 2], pa.int64()), "kind": pa.array(["soft", "hard"], pa.string())})

HOSPITAL = {"visits": VISITS, "people": PEOPLE, "wards": WARDS, "beds": BEDS}


def engine_of(
    policy: str = POLICY, frames: Mapping[str, Any] | None = None, path: str = "owner/policy.toml"
) -> Engines:
    """Return engines over these tables; over those of the hospital all tests share one, which nobody closes."""
    return _hospital(policy, path) if frames is None else Engines(loads(policy, path), frames)


@functools.cache
def _hospital(policy: str, path: str) -> Engines:
    return Engines(loads(policy, path), HOSPITAL)


def open_engines(policy: Policy, frames: Mapping[str, Any] | None = None) -> Engines:
    """Open the engines of a policy at once, so that what is wrong with any of them is raised here."""
    engines = Engines(policy, frames)
    engines.open_all()
    return engines


def duck(engines: Engines) -> DuckEngine:
    """Return DuckDB's among the engines."""
    engine = engines._open("duckdb")
    assert isinstance(engine, DuckEngine)
    return engine


def catalog_of(engine: Engines) -> Catalog:
    return Catalog.of(engine)


def asked(engine: Engines, text: str, params: Mapping[str, Any] | None = None) -> Question:
    return to_canonical(build(parse(text), catalog_of(engine), params))


def bounded(engine: Engines, text: str, params: Any = None, **tighter: Any) -> Bounded:
    return bound(asked(engine, text, params), catalog_of(engine), tighter)


def rows_of(engine: Engines, text: str, params: Any = None, max_rows: int | None = None) -> RowsPlan:
    """Return the plan of a SELECT of rows."""
    return plan_rows(parse(text), catalog_of(engine), params, max_rows)


def by_unit(exact: ExactRows) -> list[list[list[int]]]:
    """Return the points of each unit's rows, the units in an order that depends on these alone."""
    parts = zip(exact.offsets[:-1], exact.offsets[1:], strict=True)
    return sorted(exact.points[first:last].tolist() for first, last in parts)


def answered(engine: Engines, text: str, params: Any = None, **tighter: Any) -> ExactResult:
    """Return the exact whole numbers of a question."""
    return engine.run(bounded(engine, text, params, **tighter).plan).result()


def refusal(engine: Engines, text: str, params: Any = None, **tighter: Any) -> str:
    with pytest.raises(QueryError) as found:
        bounded(engine, text, params, **tighter)
    return str(found.value)


def sums(exact: ExactResult) -> tuple[tuple[int, ...], ...]:
    """Return the sums of the one set of keys that a question has, by measure and key."""
    (found,) = exact.sets
    return found.sums


def moved(one: ExactResult, other: ExactResult) -> list[tuple[int, int]]:
    """Return for each measure how far two results lie apart, in L1 and in squared L2, all sets of keys together.

    Cells of ranks are all compared; a key of the data that only one side has counts there from zero.
    """
    gaps: list[list[int]] = []
    for a, b in zip(one.sets, other.sets, strict=True):
        gaps += [[] for _ in range(len(a.sums) - len(gaps))]
        ours, theirs = _by_key(a), _by_key(b)
        for key in dict.fromkeys([*ours, *theirs]):
            for (measure, _), gap in _apart(ours.get(key, {}), theirs.get(key, {})).items():
                gaps[measure].append(gap)
    return [(sum(each), sum(gap * gap for gap in each)) for each in gaps]


def _by_key(found: GroupedSums) -> dict[Any, dict[tuple[int, int | None], int]]:
    """Return the whole numbers of each key, by measure and cell (None for sums)."""
    listed = max([len(row) for row in found.sums] + [len(row) for row in found.cells.values()], default=0)
    keys: Sequence[Any] = range(listed) if found.keys is None else found.keys
    values: dict[Any, dict[tuple[int, int | None], int]] = {key: {} for key in keys}
    for measure, row in enumerate(found.sums):
        if measure in found.cells:
            for key, cells in zip(keys, found.cells[measure], strict=True):
                values[key] |= {(measure, cell): count for cell, count in cells.items()}
        else:
            for key, value in zip(keys, row, strict=True):
                values[key][measure, None] = value
    return values


def _apart(
    one: dict[tuple[int, int | None], int], other: dict[tuple[int, int | None], int]
) -> dict[tuple[int, int | None], int]:
    places = dict.fromkeys([*one, *other])
    gaps = {place: abs(one.get(place, 0) - other.get(place, 0)) for place in places}
    return {place: gap for place, gap in gaps.items() if gap}


def tree(exact: ExactResult, measure: int, levels: int, branches: int) -> dict[tuple[Any, int, int], int]:
    """Return the counts of all nodes of a tree of ranks below its root, by key, level and place.

    A key is its place in the set; where there are several sets, the set's place and its own; of keys that come from
    the data, their values.
    """
    nodes: dict[tuple[Any, int, int], int] = {}
    for index, found in enumerate(exact.sets):
        for place, cells in enumerate(found.cells[measure]):
            key: Any = place if found.keys is None else found.keys[place]
            key = key if len(exact.sets) == 1 else (index, key)
            for cell, count in cells.items():
                for level in range(levels):
                    node = (key, level, cell // branches**level)
                    nodes[node] = nodes.get(node, 0) + count
    return nodes


def hospital_in(folder: Path) -> Path:
    """Write the hospital's tables as parquet files, and return the policy beside them."""
    policy = POLICY
    for name, table in HOSPITAL.items():
        pq.write_table(table, folder / f"{name}.parquet")
        policy = policy.replace(f"[tables.{name}]\n", f'[tables.{name}]\nsource = "{name}.parquet"\n')
    path = folder / "policy.toml"
    path.write_text(policy)
    return path
