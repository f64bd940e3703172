"""The public facts that the catalog shows of an analyst's tables: names, types, declared sizes and words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from discreet.base.types import Type
from discreet.curator.owner.tables import Tables, describe_column
from discreet.policy.model import DeclaredColumn
from discreet.policy.schema import Resolved

DATABASE = "discreet"
OWNER, OWNER_OID = "postgres", 10
FIRST_OID, OIDS_EACH = 16_386, 5
ROLES = (
    (OWNER_OID, OWNER), (6171, "pg_database_owner"), (6181, "pg_read_all_data"), (6182, "pg_write_all_data"),
    (3373, "pg_monitor"), (3374, "pg_read_all_settings"), (3375, "pg_read_all_stats"), (3377, "pg_stat_scan_tables"),
    (4569, "pg_read_server_files"), (4570, "pg_write_server_files"), (4571, "pg_execute_server_program"),
    (4200, "pg_signal_backend"), (4544, "pg_checkpoint"),
)  # fmt: skip
"""The roles that every PostgreSQL has."""

KINDS = {
    Type.BOOLEAN: "bool",
    Type.INTEGER: "int8",
    Type.DECIMAL: "numeric",
    Type.FLOAT: "float8",
    Type.TEXT: "text",
    Type.DATE: "date",
    Type.TIMESTAMP: "timestamptz",
}


@dataclass(frozen=True, slots=True)
class PublicColumn:
    """A column that may be asked about."""

    name: str
    kind: str
    modifier: int = -1
    comment: str = ""


@dataclass(frozen=True, slots=True)
class PublicRelation:
    """A table or view that may be asked about; `size` is -1 where the policy declares none."""

    name: str
    kind: str
    oid: int
    columns: tuple[PublicColumn, ...]
    size: int = -1
    comment: str = ""
    definition: str = ""

    @property
    def array_oid(self) -> int:
        """The number of the type of arrays of its rows."""
        return self.oid + 1

    @property
    def type_oid(self) -> int:
        """The number of the type of its rows."""
        return self.oid + 2


def list_public(tables: Tables, views: Mapping[str, tuple[PublicColumn, ...]]) -> tuple[PublicRelation, ...]:
    """Return what may be asked about: tables, and those views whose columns are known."""
    found = [_read_table(resolved, FIRST_OID + OIDS_EACH * at) for at, resolved in enumerate(tables)]
    for view in tables.views:
        if view.name in views:
            oid = FIRST_OID + OIDS_EACH * len(found)
            found.append(PublicRelation(view.name, "v", oid, views[view.name], definition=view.sql))
    return tuple(found)


def read_column(column: DeclaredColumn) -> PublicColumn:
    """Return what is shown of a column."""
    assert column.type is not None
    digits = column.digits if column.type is Type.DECIMAL else None
    modifier = -1 if digits is None else (digits[0] << 16 | digits[1]) + 4
    return PublicColumn(column.name, KINDS[column.type], modifier, describe_column(column))


def _read_table(resolved: Resolved, oid: int) -> PublicRelation:
    table = resolved.table
    kind = "public" if table.public else f"private; unit: {table.whose}"
    size = -1 if table.size is None else table.size
    return PublicRelation(table.name, "r", oid, tuple(map(read_column, resolved.columns)), size, kind)
