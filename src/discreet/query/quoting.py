"""How a piece of a question is quoted in a message."""

from __future__ import annotations

from typing import Any

from sqlglot.errors import ErrorLevel


def quote_sql(node: Any) -> str:
    """Return the analyst's own text of a node, shortened."""
    text = node.sql(dialect="duckdb", unsupported_level=ErrorLevel.IGNORE)
    return f"`{text}`" if len(text) <= 80 else f"`{text[:77]}...`"
