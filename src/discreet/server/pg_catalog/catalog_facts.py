"""All that the catalog is made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from discreet.server.pg_catalog.facts import PublicRelation
from discreet.server.pg_catalog.relations import PG_CATALOG, PUBLIC, TOAST

CatalogRow = dict[str, Any]
DATABASE_OID, ANALYST_OID, INFORMATION = 16385, 16384, 13207
SCHEMA_OIDS = {"pg_catalog": PG_CATALOG, "public": PUBLIC, "pg_toast": TOAST, "information_schema": INFORMATION}


@dataclass(frozen=True)
class CatalogFacts:
    """All that the catalog is made from: who looks, and the tables that they may ask."""

    analyst: str
    relations: tuple[PublicRelation, ...]
    settings: tuple[tuple[str, str], ...] = ()


RowMaker = Callable[[CatalogFacts], Iterator[CatalogRow]]
