"""The rows of the catalog: those that every database has, and those of the tables that an analyst may ask."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pyarrow as pa

from discreet.server.pg_catalog.catalog_facts import SCHEMA_OIDS, CatalogFacts, CatalogRow, RowMaker
from discreet.server.pg_catalog.facts import OWNER, OWNER_OID
from discreet.server.pg_catalog.fixed_rows import FIXED_ROWS
from discreet.server.pg_catalog.relations import (
    PG_CATALOG,
    PUBLIC,
    TOAST,
    SystemRelation,
    find_type,
    list_relations,
    list_types,
)

HIDDEN = ("pg_authid", "pg_largeobject", "pg_shadow", "pg_statistic", "pg_statistic_ext_data", "pg_subscription",
          "pg_user_mapping", "pg_hba_file_rules", "pg_ident_file_mappings", "pg_file_settings", "pg_config",
          "pg_backend_memory_contexts", "pg_shmem_allocations")  # fmt: skip
"""Relations of the catalog that nobody but a superuser may read."""


def make_rows(relation: SystemRelation, facts: CatalogFacts) -> pa.Table:
    """Return the rows of one relation; most have none."""
    make = ROWS.get(f"{relation.schema}.{relation.name}")
    rows = list(make(facts)) if make is not None else []
    schema = relation.arrow
    columns = {name: [row.get(name) for row in rows] for name in schema.names}
    return pa.table({name: pa.array(values, schema.field(name).type) for name, values in columns.items()}, schema)


def _classes(facts: CatalogFacts) -> Iterator[CatalogRow]:
    usual: CatalogRow = {
        "reloftype": 0, "relowner": OWNER_OID, "relam": 0, "relfilenode": 0, "reltablespace": 0, "relpages": 0,
        "reltuples": -1.0, "relallvisible": 0, "reltoastrelid": 0, "relhasindex": False, "relisshared": False,
        "relpersistence": "p", "relchecks": 0, "relhasrules": False, "relhastriggers": False, "relhassubclass": False,
        "relrowsecurity": False, "relforcerowsecurity": False, "relispopulated": True, "relreplident": "n",
        "relispartition": False, "relrewrite": 0, "relfrozenxid": 0, "relminmxid": 0,
    }  # fmt: skip
    for system in list_relations().values():
        table = system.kind == "r"
        own = {"oid": system.oid, "relname": system.name, "relnamespace": SCHEMA_OIDS[system.schema]}
        shape = {"reltype": system.row_type, "relkind": system.kind, "relnatts": len(system.columns)}
        yield usual | own | shape | {"relam": 2 if table else 0, "relhasrules": not table, "relhasindex": table}
    for each in facts.relations:
        table = each.kind == "r"
        own = {"oid": each.oid, "relname": each.name, "relnamespace": PUBLIC, "reltype": each.type_oid}
        shape = {"relkind": each.kind, "relnatts": len(each.columns), "relreplident": "d" if table else "n"}
        more = {"relam": 2 if table else 0, "relfilenode": each.oid if table else 0, "relhasrules": not table}
        acl = [f"{OWNER}=arwdDxt/{OWNER}", f"{facts.analyst}=r/{OWNER}"]
        yield usual | own | shape | more | {"relacl": acl, "reltuples": float(each.size)}


def _attribute(relation: int, place: int, name: str, kind: str, needed: bool = False) -> CatalogRow:
    type_ = find_type(kind).values if kind in _type_names() else find_type("text").values
    return {
        "attrelid": relation, "attname": name, "atttypid": type_["oid"], "attstattarget": -1,
        "attlen": type_["typlen"], "attnum": place, "attndims": 0, "attcacheoff": -1, "atttypmod": -1,
        "attbyval": type_["typbyval"], "attalign": type_["typalign"], "attstorage": type_["typstorage"],
        "attcompression": "", "attnotnull": needed, "atthasdef": False, "atthasmissing": False, "attidentity": "",
        "attgenerated": "", "attisdropped": False, "attislocal": True, "attinhcount": 0,
        "attcollation": type_["typcollation"],
    }  # fmt: skip


@cache
def _type_names() -> frozenset[str]:
    return frozenset(str(each.values["typname"]) for each in list_types())


SYSTEM_COLUMNS = (
    ("tableoid", "oid"),
    ("cmax", "cid"),
    ("xmax", "xid"),
    ("cmin", "cid"),
    ("xmin", "xid"),
    ("ctid", "tid"),
)


def _attributes(facts: CatalogFacts) -> Iterator[CatalogRow]:
    for system in list_relations().values():
        for place, (name, kind, needed) in enumerate(system.columns, 1):
            yield _attribute(system.oid, place, name, kind, needed)
    for each in facts.relations:
        for place, (name, kind) in enumerate(SYSTEM_COLUMNS, -6):
            if each.kind == "r":
                yield _attribute(each.oid, place, name, kind, True) | {"attstattarget": 0}
        for place, column in enumerate(each.columns, 1):
            yield _attribute(each.oid, place, column.name, column.kind) | {"atttypmod": column.modifier}


def _types(facts: CatalogFacts) -> Iterator[CatalogRow]:
    yield from (each.values for each in list_types())
    for each in facts.relations:
        row = find_type("record").values | {
            "oid": each.type_oid, "typname": each.name, "typnamespace": PUBLIC, "typtype": "c", "typcategory": "C",
            "typrelid": each.oid, "typarray": each.array_oid, "typlen": -1, "typalign": "d", "typstorage": "x",
        }  # fmt: skip
        yield row
        yield find_type("_text").values | {
            "oid": each.array_oid, "typname": f"_{each.name}", "typnamespace": PUBLIC, "typelem": each.type_oid,
            "typalign": "d", "typcollation": 0,
        }  # fmt: skip


def _descriptions(facts: CatalogFacts) -> Iterator[CatalogRow]:
    for each in facts.relations:
        if each.comment:
            yield {"objoid": each.oid, "classoid": 1259, "objsubid": 0, "description": each.comment}
        for place, column in enumerate(each.columns, 1):
            if column.comment:
                yield {"objoid": each.oid, "classoid": 1259, "objsubid": place, "description": column.comment}
    yield {"objoid": PUBLIC, "classoid": 2615, "objsubid": 0, "description": "standard public schema"}
    yield {"objoid": PG_CATALOG, "classoid": 2615, "objsubid": 0, "description": "system catalog schema"}
    yield {"objoid": TOAST, "classoid": 2615, "objsubid": 0, "description": "reserved schema for TOAST tables"}


def _settings(facts: CatalogFacts) -> Iterator[CatalogRow]:
    for name, value in facts.settings:
        vartype = "bool" if value in ("on", "off") else "integer" if value.isdigit() else "string"
        yield {
            "name": name,
            "setting": value,
            "category": "discreet",
            "short_desc": "",
            "context": "user",
            "vartype": vartype,
            "source": "default",
            "boot_val": value,
            "reset_val": value,
            "pending_restart": False,
        }


def _tables_view(facts: CatalogFacts) -> Iterator[CatalogRow]:
    usual = {"tableowner": OWNER, "hasindexes": False, "hasrules": False, "hastriggers": False, "rowsecurity": False}
    for system in list_relations().values():
        if system.kind == "r":
            yield usual | {"schemaname": system.schema, "tablename": system.name, "hasindexes": True}
    for each in facts.relations:
        if each.kind == "r":
            yield usual | {"schemaname": "public", "tablename": each.name}


def _views_view(facts: CatalogFacts) -> Iterator[CatalogRow]:
    for system in list_relations().values():
        if system.kind == "v":
            yield {"schemaname": system.schema, "viewname": system.name, "viewowner": OWNER, "definition": ""}
    for each in facts.relations:
        if each.kind == "v":
            yield {"schemaname": "public", "viewname": each.name, "viewowner": OWNER, "definition": each.definition}


def _statistics(facts: CatalogFacts) -> Iterator[CatalogRow]:
    for each in facts.relations:
        if each.kind == "r":
            yield {
                "relid": each.oid,
                "schemaname": "public",
                "relname": each.name,
                "seq_scan": 0,
                "n_live_tup": max(each.size, 0),
            }


ROWS: dict[str, RowMaker] = {
    **FIXED_ROWS,
    "pg_catalog.pg_class": _classes,
    "pg_catalog.pg_attribute": _attributes,
    "pg_catalog.pg_type": _types,
    "pg_catalog.pg_description": _descriptions,
    "pg_catalog.pg_settings": _settings,
    "pg_catalog.pg_tables": _tables_view,
    "pg_catalog.pg_views": _views_view,
    "pg_catalog.pg_stat_user_tables": _statistics,
    "pg_catalog.pg_stat_all_tables": _statistics,
}
"""What has rows."""
