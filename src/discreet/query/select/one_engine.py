"""Tables of one question lie together: no engine sees another's rows, and no private row is copied between them."""

from __future__ import annotations

from discreet.base.errors import QueryError
from discreet.plan.relations import Block, Lookup, Scan, list_sources
from discreet.policy.model import DUCKDB
from discreet.query.catalog import Catalog


def check_one_engine(block: Block, catalog: Catalog) -> None:
    """Refuse a question about tables on different engines."""
    listed = [each for each in list_sources(block) if isinstance(each, Scan | Lookup)]
    first, *rest = (catalog.table(each.table).table for each in listed)
    for other in rest:
        if other.engine != first.engine:
            public = other if other.public else first if first.public else None
            raise QueryError(
                f"{first.name!r} lies on {_named(first.engine)} and {other.name!r} on {_named(other.engine)}: "
                f"a question is about tables of one engine; {_remedy(public.name if public else None)}"
            )


def _named(engine: str) -> str:
    if engine == DUCKDB:
        return "DuckDB"
    return "the policy's own engine" if engine == "engine" else f"the engine {engine!r}"


def _remedy(public: str | None) -> str:
    if public is not None:
        return f"ask the owner to put a copy of the public table {public!r} beside the other"
    return "ask about each by itself, or ask the owner to put both on one engine"
