"""A database for a test: its tables, and policies about them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa

from conformance.placing import KINDS
from discreet.engines.engines import Engines
from discreet.policy import loads
from discreet.policy.model import DeclaredEngine, EngineKind
from servers.postgres import Cluster

VARIABLE = "DISCREET_TEST_ENGINE_DSN"
ENGINE = f'\n[engine]\nkind = "postgres"\ndsn_env = "{VARIABLE}"\n'
DECLARED = DeclaredEngine("engine", EngineKind.POSTGRES, dsn_env=VARIABLE)
PATH = Path("owner/policy.toml")


@dataclass(frozen=True)
class Placed:
    """A database, and its owner's connection, which commits every statement."""

    cluster: Cluster
    name: str
    owner: psycopg.Connection[Any]

    def table(self, name: str, rows: pa.Table, schema: str = "public") -> None:
        """Make a table with these rows."""
        columns = ", ".join(f'"{field.name}" {KINDS[field.type]}' for field in rows.schema)
        self.owner.execute(f'CREATE TABLE {schema}."{name}" ({columns})'.encode())
        with self.owner.cursor().copy(f'COPY {schema}."{name}" FROM STDIN'.encode()) as copy:
            for row in zip(*(column.to_pylist() for column in rows.columns), strict=True):
                copy.write_row(row)

    def role(self, name: str, password: str) -> None:
        """Make a user that may read every table of the public schema, for as long as the database is there."""
        self.owner.execute(f"DROP ROLE IF EXISTS {name}".encode())
        self.owner.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{password}'".encode())
        self.owner.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {name}".encode())


def engines(policy: str, tables: Mapping[str, str] | None = None) -> Engines:
    """Open a policy on the database of the environment; tables may have other names there."""
    return Engines(loads(on_server(policy, tables), PATH))


def on_server(policy: str, tables: Mapping[str, str] | None = None) -> str:
    """Return a policy whose tables lie in PostgreSQL."""
    for name, other in (tables or {}).items():
        policy = re.sub(rf"^\[tables\.{name}\]$", f'[tables.{name}]\ntable = "{other}"', policy, flags=re.MULTILINE)
    return policy + ENGINE
