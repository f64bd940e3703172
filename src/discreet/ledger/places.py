"""Where a ledger is: a file beside its policy, or a schema on a PostgreSQL server."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from discreet.ledger.database import PATIENCE, Database, Store
from discreet.ledger.files import store
from discreet.ledger.postgres.server import Server

Place = str | os.PathLike[str] | Server
"""The path of an SQLite file, or a PostgreSQL server with the name of a schema."""


def open_store(place: Place, patience: float = PATIENCE) -> Store:
    """Open a ledger's database, or raise: a missing one is an error, never a new budget."""
    if isinstance(place, Server):
        from discreet.ledger.postgres.store import PostgresStore

        return PostgresStore(place, patience)
    return store.SqliteStore(Path(place), patience)


def create_store(place: Place, fill: Callable[[Database], None]) -> None:
    """Make a new ledger that holds what `fill` puts there: whole or not at all, and never over another."""
    if isinstance(place, Server):
        from discreet.ledger.postgres.schema import create_schema

        create_schema(place, fill)
    else:
        store.create_file(Path(place), fill)
