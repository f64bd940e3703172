"""Put a world's tables where an engine finds them, and open its policy there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conformance.data import World
from discreet.engines.engines import Engines
from discreet.engines.spark.engine import SparkEngine
from discreet.policy import loads
from discreet.policy.model import DeclaredEngine

if TYPE_CHECKING:
    from servers.postgres import Cluster

VARIABLE = "DISCREET_CONFORMANCE_DSN"

INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}

KINDS = {
    pa.int64(): "bigint",
    pa.float64(): "double precision",
    pa.string(): "text",
    pa.bool_(): "boolean",
    pa.date32(): "date",
    pa.timestamp("us"): "timestamp",
    pa.decimal128(38, 9): "numeric(38, 9)",
    pa.decimal128(15, 2): "numeric(15, 2)",
}
"""PostgreSQL's types."""


def in_duckdb(world: World) -> Engines:
    """Hand the tables over."""
    return Engines(loads(world.policy, "owner/policy.toml"), world.tables)


def in_spark(world: World, folder: Path, engine: DeclaredEngine, *, compiled: bool) -> Engines:
    """Write parquet files, of two row groups each, and read them on a cluster.

    Spark compiles every statement to Java, which takes longer than small tables do; not `compiled`, it interprets them.
    """
    folder = folder / world.name
    folder.mkdir()
    for name, table in world.tables.items():
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=max(1, len(table) // 2 + 1))
    told = "\n".join(f'"{name}" = "{value}"' for name, value in engine.settings)
    place = f'\n[engine]\nkind = "spark"\nmaster = "{engine.master}"\n[engine.settings]\n{told}\n'
    policy = _placed(world, lambda name: f'source = "{name}.parquet"') + place
    engines = Engines(loads(policy, folder / "policy.toml"))
    found = engines._open("engine")
    assert isinstance(found, SparkEngine)
    for name, value in () if compiled else INTERPRETED.items():
        found._session.session.conf.set(name, value)
    return engines


def in_postgres(world: World, server: Cluster, database: str, patch: pytest.MonkeyPatch) -> Engines:
    """Copy the tables into a schema of their own."""
    with server.connect(database) as connection:
        connection.execute(f"CREATE SCHEMA {world.name}")
        for name, table in world.tables.items():
            columns = ", ".join(f'"{field.name}" {KINDS[field.type]}' for field in table.schema)
            connection.execute(f"CREATE TABLE {world.name}.{name} ({columns})")
            with connection.cursor().copy(f"COPY {world.name}.{name} FROM STDIN") as copy:
                for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                    copy.write_row(row)
    patch.setenv(VARIABLE, server.dsn(database))
    engine = f'\n[engine]\nkind = "postgres"\ndsn_env = "{VARIABLE}"\n'
    return Engines(loads(_placed(world, lambda name: f'table = "{world.name}.{name}"') + engine, "owner/policy.toml"))


@contextmanager
def placed(
    world: World, request: pytest.FixtureRequest, folder: Path, kind: str | None = None, *, compiled: bool = False
) -> Iterator[Engines]:
    """Hold a world on this engine, or the one a test's parameter names; the server is started where it is not."""
    kind = request.param if kind is None else kind
    with pytest.MonkeyPatch.context() as patch:
        if kind == "duckdb":
            found = in_duckdb(world)
        elif kind == "postgres":
            server: Cluster = request.getfixturevalue("postgres")
            found = in_postgres(world, server, request.getfixturevalue("database"), patch)
        else:
            engine: DeclaredEngine = request.getfixturevalue("spark_engine")
            request.getfixturevalue("spark_session")
            found = in_spark(world, folder, engine, compiled=compiled)
        yield found
        found.close()


def _placed(world: World, where: Callable[[str], str]) -> str:
    """Return the policy with a line for each table that says where it is."""
    assert callable(where)
    return re.sub(
        r"^\[tables\.(\w+)\]$", lambda found: f"{found[0]}\n{where(found[1])}", world.policy, flags=re.MULTILINE
    )
