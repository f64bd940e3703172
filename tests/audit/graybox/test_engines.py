"""Replay where tables lie elsewhere: every operation, with its tables on PostgreSQL and on Spark."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.graybox.cases import OPERATIONS, QUICK, VISITS, ReplayCase
from conformance.placing import INTERPRETED, KINDS, VARIABLE
from discreet.audit.graybox import ReplayNeighbours, make_neighbours, replay
from discreet.audit.graybox.databases.scratch import PlaceTables, read_tables
from discreet.engines.engines import Engines
from discreet.engines.spark.engine import SparkEngine
from discreet.policy import loads
from discreet.policy.model import DeclaredEngine, EngineKind, Policy, SourceFormat
from servers.accelerated import require_jax
from support import clinic
from topdown.measure import small_census

if TYPE_CHECKING:
    from servers.postgres import Cluster

QUICKEST, *OTHERS = [
    pytest.param(case, id=f"{kind}: {case.name}") for kind, cases in OPERATIONS.items() for case in cases if case.quick
]
"""One way to perform each operation, questions in SQL first."""

LONG = pytest.mark.long

pytestmark = pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")
"""JAX warns of forks. Java is started by one that does nothing else."""


def make_world(case: ReplayCase, place: PlaceTables) -> ReplayNeighbours:
    """Return two neighbours of a case's world, with their tables elsewhere."""
    if case.needs == "jax":
        require_jax()
    if case.world == "census":
        text, tables = small_census.write_policy(unit='unit = "person"\nmax_rows = 2'), small_census.make_tables()
    else:
        text = clinic.write_policy(epsilon=200.0, delta=1e-8)
        tables = clinic.make_tables(VISITS)
    return make_neighbours(loads(text, "owner/policy.toml"), tables, place=place).only(*QUICK)


def hold_values(table: pa.Table) -> list[list[Any]]:
    """Return columns as Python has them; days and moments that it has none of are nothing."""
    found = []
    for column in table.columns:
        try:
            found.append(column.to_pylist())
        except (OverflowError, ValueError):
            found.append([_hold(value) for value in column])
    return found


def _hold(value: Any) -> Any:
    try:
        return value.as_py()
    except (OverflowError, ValueError):
        return None


def place_in_postgres(server: Cluster, database: str) -> PlaceTables:
    schemas = itertools.count()

    def place(policy: Policy, tables: Mapping[str, pa.Table], folder: Path) -> Engines:
        schema = f"s{next(schemas)}"
        with server.connect(database) as connection:
            connection.execute(f"CREATE SCHEMA {schema}")
            for name, table in tables.items():
                columns = ", ".join(f'"{field.name}" {KINDS[field.type]}' for field in table.schema)
                connection.execute(f"CREATE TABLE {schema}.{name} ({columns})")
                with connection.cursor().copy(f"COPY {schema}.{name} FROM STDIN") as copy:
                    for row in zip(*hold_values(table), strict=True):
                        copy.write_row(row)
        moved = tuple(
            replace(each, format=SourceFormat.TABLE, database_table=f"{schema}.{each.name}", engine="engine")
            for each in policy.tables
        )
        declared = DeclaredEngine("engine", EngineKind.POSTGRES, dsn_env=VARIABLE)
        return Engines(replace(policy, tables=moved, engines=(*policy.engines, declared)))

    return place


def place_in_spark(declared: DeclaredEngine) -> PlaceTables:
    def place(policy: Policy, tables: Mapping[str, pa.Table], folder: Path) -> Engines:
        for name, table in tables.items():
            pq.write_table(table, folder / f"{name}.parquet")
        moved = tuple(
            replace(each, format=SourceFormat.PARQUET, source=f"{each.name}.parquet", engine="engine")
            for each in policy.tables
        )
        engines = Engines(replace(policy, tables=moved, engines=(*policy.engines, declared)))
        found = engines._open("engine")
        assert isinstance(found, SparkEngine)
        for name, value in INTERPRETED.items():
            found._session.session.conf.set(name, value)
        return engines

    return place


@pytest.fixture
def in_postgres(
    postgres: Cluster, database: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[[ReplayCase], ReplayNeighbours]:
    monkeypatch.setenv(VARIABLE, postgres.dsn(database))
    return lambda case: make_world(case, place_in_postgres(postgres, database))


@pytest.mark.parametrize("case", [QUICKEST, *(pytest.param(*each.values, id=each.id, marks=LONG) for each in OTHERS)])
def test_operations_on_postgres_are_replayed(
    case: ReplayCase, in_postgres: Callable[[ReplayCase], ReplayNeighbours]
) -> None:
    report = replay(case.perform, in_postgres(case), clock=False).raise_if_any()
    assert any(each.observed > 0 for each in report.moved)


@pytest.mark.long
@pytest.mark.parametrize("case", [QUICKEST, *OTHERS])
@pytest.mark.usefixtures("spark_session")
def test_operations_on_spark_are_replayed(case: ReplayCase, spark_engine: DeclaredEngine) -> None:
    world = make_world(case, place_in_spark(spark_engine))
    report = replay(case.perform, world, clock=False, longest=600).raise_if_any()
    assert any(each.observed > 0 for each in report.moved)


@pytest.mark.long
def test_an_owner_s_tables_on_a_server_are_read_as_questions_see_them(
    postgres: Cluster, database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(VARIABLE, postgres.dsn(database))
    policy = loads(clinic.write_policy(), "owner/policy.toml")
    tables = clinic.make_tables(VISITS)
    engines = place_in_postgres(postgres, database)(policy, tables, tmp_path)
    engines.close()
    found = read_tables(engines.policy, None, 20_000)
    assert len(found["visits"]) == len(VISITS)
    assert sorted(found["visits"].column("cost").to_pylist()) == sorted(tables["visits"].column("cost").to_pylist())
