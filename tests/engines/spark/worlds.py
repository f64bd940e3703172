"""The same tables in front of DuckDB and of Spark: as parquet files beside one policy, that names an engine or none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.engines.engines import Engines
from discreet.policy import loads
from discreet.policy.model import DeclaredEngine


def section(engine: DeclaredEngine) -> str:
    """Return what a policy says of an engine."""
    where = f'master = "{engine.master}"' if engine.master else f'remote = "{engine.remote}"'
    settings = "".join(f'"{name}" = "{value}"\n' for name, value in engine.settings)
    return f'[engine]\nkind = "spark"\n{where}\n[engine.settings]\n{settings}'


def with_sources(policy: str, tables: Mapping[str, pa.Table], folder: Path) -> str:
    """Write tables as parquet files and return the policy with their names as sources."""
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=2)
        policy = policy.replace(f"[tables.{name}]\n", f'[tables.{name}]\nsource = "{name}.parquet"\n')
    return policy


def both(policy: str, tables: Mapping[str, pa.Table], folder: Path, engine: DeclaredEngine) -> tuple[Engines, Engines]:
    """Return DuckDB and Spark over the same files."""
    text = with_sources(policy, tables, folder)
    duck = loads(text, folder / "policy.toml")
    spark = loads(text + section(engine), folder / "policy.toml")
    return Engines(duck), Engines(spark)
