"""Connections to a DuckDB in memory, set up so that nothing in a row changes how another one is read."""

from __future__ import annotations

import os
import threading

import duckdb

PLAIN = frozenset(
    {
        "expression_rewriter",
        "in_clause",
        "deliminator",
        "join_order",
        "build_side_probe_side",
        "unused_columns",
        "column_lifetime",
        "common_subexpressions",
        "common_aggregate",
        "duplicate_groups",
        "materialized_cte",
        "cte_inlining",
    }
)
"""Optimizers that only rewrite a statement. All others are switched off.

Some drop or fold by what files say about their own rows, which leaves NaN out, so that one row could change whether
thousands of others are seen as NaN at all; one moves casts into the reading of csv, where a bad cell drops its row.
"""


def connect() -> duckdb.DuckDBPyConnection:
    """Return a new connection; its cursors are set up as it is."""
    connection = duckdb.connect(":memory:")
    connection.execute("SET GLOBAL TimeZone = 'UTC'")  # of every cursor
    connection.execute("SET GLOBAL ieee_floating_point_ops = true")  # 1e308 * 10 is infinite, not an error
    connection.execute("SET autoinstall_known_extensions = false")
    connection.execute(f"SET disabled_optimizers = '{','.join(list_other_optimizers(connection))}'")
    return connection


class _Shared:
    """The database that engines over tables from Python share."""

    turn = threading.Lock()
    connection: duckdb.DuckDBPyConnection | None = None


def share() -> duckdb.DuckDBPyConnection:
    """Return a cursor, set up like a connection, of a database that all of this process share and that holds nothing.

    To make a database takes longer than most questions. Tables from Python are seen by the cursor alone that was given
    them; what is to be attached needs a connection of its own. A database that an error inside of DuckDB made unusable
    is replaced.
    """
    with _Shared.turn:
        if _Shared.connection is None or not _is_alive(_Shared.connection):
            _Shared.connection = connect()
        return _Shared.connection.cursor()


def _let_go() -> None:
    """Let go of the shared database before a fork: a child that closes one without its threads crashes.

    It lives on in the parent while cursors of it do.
    """
    _Shared.turn.acquire()
    _Shared.connection = None


os.register_at_fork(before=_let_go, after_in_parent=_Shared.turn.release, after_in_child=_Shared.turn.release)


def _is_alive(connection: duckdb.DuckDBPyConnection) -> bool:
    try:
        return connection.execute("SELECT 1").fetchone() == (1,)
    except duckdb.Error:
        return False


def list_other_optimizers(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the optimizers of this DuckDB that are to be switched off."""
    known = {name for (name,) in connection.execute("SELECT name FROM duckdb_optimizers()").fetchall()}
    return sorted(known - PLAIN - {"extension"})
