"""Which names belong to the catalog."""

from __future__ import annotations

SCHEMAS = frozenset({"pg_catalog", "information_schema"})


def is_catalog_name(schema: str, name: str) -> bool:
    """Say whether a table is one of the catalog's: by its schema, or by how its name begins."""
    return schema in SCHEMAS or (not schema and name.startswith("pg_"))
