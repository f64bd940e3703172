"""What is asked of public tables: which values a column has, and how many partners a row can find."""

from __future__ import annotations

from collections.abc import Iterable

from discreet.base.errors import PolicyError
from discreet.engines.dialect import Dialect


def explain_unreadable(table: str) -> PolicyError:
    """Return what somebody who asks is told: nothing of what an engine says of its files."""
    return PolicyError(f"public table {table!r} cannot be read; its owner is to check that its source is there")


def select_values(select: str, column: str, dialect: Dialect) -> str:
    """Return the statement for the distinct values of a column, without NULL, in their order."""
    name = dialect.quote_name(column)
    return f"SELECT DISTINCT {name} FROM ({select}) AS q WHERE {name} IS NOT NULL ORDER BY {name}"


def select_fan_out(select: str, columns: Iterable[str], dialect: Dialect) -> str:
    """Return the statement for the most rows in which these columns are equal, and 1 at least; NULL equals nothing."""
    names = [dialect.quote_name(column) for column in columns]
    some = " AND ".join(f"{name} IS NOT NULL" for name in names)
    counts = f"SELECT count(*) AS n FROM ({select}) AS q WHERE {some} GROUP BY {', '.join(names)}"
    return f"SELECT coalesce(max(n), 1) AS n FROM ({counts}) AS q"


def select_rows(select: str, columns: Iterable[str], most: int, dialect: Dialect) -> str:
    """Return the statement for the distinct rows of some columns, NULL where they are; one more than `most` at most."""
    names = ", ".join(dialect.quote_name(column) for column in columns)
    return f"SELECT DISTINCT {names} FROM ({select}) AS q LIMIT {most + 1}"
