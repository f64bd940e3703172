"""Rows of information_schema: the tables, columns and privileges of an analyst, in the words of the standard."""

from __future__ import annotations

from collections.abc import Iterator

from discreet.server.pg_catalog.catalog_facts import CatalogFacts, CatalogRow, RowMaker
from discreet.server.pg_catalog.facts import DATABASE, OWNER, PublicColumn
from discreet.server.pg_catalog.relations import list_relations
from discreet.server.pg_catalog.rows import HIDDEN

DIGITS = {"int8": (64, 2, 0), "float8": (53, 2, None), "numeric": (None, 10, None)}
WORDS = {"int8": "bigint", "float8": "double precision", "bool": "boolean", "timestamptz": "timestamp with time zone"}


def _catalog_name(facts: CatalogFacts) -> Iterator[CatalogRow]:
    yield {"catalog_name": DATABASE}


def _character_sets(facts: CatalogFacts) -> Iterator[CatalogRow]:
    own = {"character_set_name": "UTF8", "character_repertoire": "UCS", "form_of_use": "UTF8"}
    yield {**own, "default_collate_catalog": DATABASE}


def _schemata(facts: CatalogFacts) -> Iterator[CatalogRow]:
    for name, owner in (("pg_catalog", OWNER), ("public", "pg_database_owner"), ("information_schema", OWNER)):
        yield {"catalog_name": DATABASE, "schema_name": name, "schema_owner": owner}


def _tables(facts: CatalogFacts) -> Iterator[CatalogRow]:
    usual = {"table_catalog": DATABASE, "is_typed": "NO"}
    for system in list_relations().values():
        if system.name in HIDDEN:
            continue
        kind = "BASE TABLE" if system.kind == "r" else "VIEW"
        yield usual | {
            "table_schema": system.schema,
            "table_name": system.name,
            "table_type": kind,
            "is_insertable_into": "YES" if kind != "VIEW" else "NO",
        }
    for each in facts.relations:
        kind = "BASE TABLE" if each.kind == "r" else "VIEW"
        yield usual | {
            "table_schema": "public",
            "table_name": each.name,
            "table_type": kind,
            "is_insertable_into": "YES",
        }


def _columns(facts: CatalogFacts) -> Iterator[CatalogRow]:
    for each in facts.relations:
        for place, column in enumerate(each.columns, 1):
            own = {"table_catalog": DATABASE, "table_schema": "public", "table_name": each.name}
            yield {**own, "column_name": column.name, "ordinal_position": place, **_describe(column, place)}


def _describe(column: PublicColumn, place: int) -> CatalogRow:
    digits = {"int8": (64, 2, 0), "float8": (53, 2, None), "numeric": (None, 10, None)}.get(
        column.kind, (None, None, None)
    )
    if column.kind == "numeric" and column.modifier > 0:
        digits = ((column.modifier - 4) >> 16, 10, (column.modifier - 4) & 65535)
    return {
        "is_nullable": "YES", "data_type": WORDS.get(column.kind, column.kind),
        "character_octet_length": 1_073_741_824 if column.kind == "text" else None,
        "numeric_precision": digits[0], "numeric_precision_radix": digits[1], "numeric_scale": digits[2],
        "datetime_precision": {"date": 0, "timestamptz": 6}.get(column.kind), "udt_catalog": DATABASE,
        "udt_schema": "pg_catalog", "udt_name": column.kind, "dtd_identifier": str(place),
        "is_self_referencing": "NO", "is_identity": "NO", "identity_cycle": "NO", "is_generated": "NEVER",
        "is_updatable": "YES",
    }  # fmt: skip


def _views(facts: CatalogFacts) -> Iterator[CatalogRow]:
    for each in facts.relations:
        if each.kind == "v":
            flags = ("is_trigger_updatable", "is_trigger_deletable", "is_trigger_insertable_into")
            own = {"table_catalog": DATABASE, "table_schema": "public", "table_name": each.name, "check_option": "NONE"}
            yield {**own, "is_updatable": "YES", "is_insertable_into": "YES", **dict.fromkeys(flags, "NO")}


def _table_privileges(facts: CatalogFacts) -> Iterator[CatalogRow]:
    for each in facts.relations:
        own = {"table_catalog": DATABASE, "table_schema": "public", "table_name": each.name, "privilege_type": "SELECT"}
        yield {**own, "grantor": OWNER, "grantee": facts.analyst, "is_grantable": "NO", "with_hierarchy": "YES"}


def _column_privileges(facts: CatalogFacts) -> Iterator[CatalogRow]:
    for row in _columns(facts):
        own = {name: row[name] for name in ("table_catalog", "table_schema", "table_name", "column_name")}
        yield {**own, "grantor": OWNER, "grantee": facts.analyst, "privilege_type": "SELECT", "is_grantable": "NO"}


def _enabled_roles(facts: CatalogFacts) -> Iterator[CatalogRow]:
    yield {"role_name": facts.analyst}


INFORMATION_ROWS: dict[str, RowMaker] = {
    "information_schema.information_schema_catalog_name": _catalog_name,
    "information_schema.character_sets": _character_sets,
    "information_schema.schemata": _schemata,
    "information_schema.tables": _tables,
    "information_schema.columns": _columns,
    "information_schema.views": _views,
    "information_schema.table_privileges": _table_privileges,
    "information_schema.role_table_grants": _table_privileges,
    "information_schema.column_privileges": _column_privileges,
    "information_schema.role_column_grants": _column_privileges,
    "information_schema.enabled_roles": _enabled_roles,
}
"""What has rows of information_schema."""
