"""What the editor completes: names that are public about the tables, declared values, and allowed functions."""

from __future__ import annotations

import re
from typing import Any

from sqlglot.dialects.duckdb import DuckDB

from discreet.curator.owner.tables import Tables, describe_column

AGGREGATES = "COUNT SUM AVG MIN MAX MEDIAN QUANTILE_CONT PERCENTILE_CONT VARIANCE STDDEV CORR COVAR_POP COVAR_SAMP"
FUNCTIONS = (
    "ABS SIGN FLOOR CEIL TRUNC ROUND SQRT EXP LN LOG LOG10 LOG2 POW SIN COS TAN ASIN ACOS ATAN ATAN2 RADIANS DEGREES "
    "PI WIDTH_BUCKET MOD LEAST GREATEST LOWER UPPER LENGTH SUBSTRING LEFT RIGHT TRIM LTRIM RTRIM REPLACE CONCAT "
    "STARTS_WITH ENDS_WITH CONTAINS STRPOS REVERSE LPAD RPAD DATE_TRUNC DATE_PART EXTRACT YEAR MONTH DAY DATE_DIFF "
    "LAST_DAY"
)
"""As docs/sql.md has them."""

MOST_VALUES = 200
"""Declared values of one column that are offered."""


def count_rows(name: str) -> str:
    """Return the first question about a table.

    >>> count_rows("visits"), count_rows("order"), count_rows("my table")
    ('SELECT COUNT(*) AS n FROM visits', 'SELECT COUNT(*) AS n FROM "order"', 'SELECT COUNT(*) AS n FROM "my table"')
    """
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and name.lower() not in DuckDB.Generator.RESERVED_KEYWORDS
    quoted = name.replace('"', '""')
    return "SELECT COUNT(*) AS n FROM " + (name if plain else f'"{quoted}"')


def list_completions(tables: Tables) -> dict[str, Any]:
    """Return everything that the editor may offer, as JSON values: no more than the page of tables shows."""
    columns = [
        {
            "label": column.name,
            "table": each.table.name,
            "detail": " · ".join(part for part in (each.table.name, str(column.type), describe_column(column)) if part),
        }
        for each in tables
        for column in each.columns
    ]
    values = {
        str(value): column.name
        for each in tables
        for column in each.columns
        for value in (column.values or ())[:MOST_VALUES]
        if isinstance(value, str)
    }
    return {
        "tables": [*(each.table.name for each in tables), *(view.name for view in tables.views)],
        "columns": columns,
        "values": [{"label": value, "type": "text", "detail": name} for value, name in values.items()],
        "aggregates": AGGREGATES.split(),
        "functions": FUNCTIONS.split(),
    }
