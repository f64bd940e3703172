"""Ibis expressions as questions: their own SQL is taken, so they mean and cost what it does."""

from __future__ import annotations

from typing import Any

from discreet.base.errors import DiscreetError, QueryError
from discreet.base.types import Type
from discreet.policy.schema import Resolved

KINDS = {
    Type.BOOLEAN: "boolean",
    Type.INTEGER: "int64",
    Type.DECIMAL: "decimal(38, 9)",
    Type.FLOAT: "float64",
    Type.TEXT: "string",
    Type.DATE: "date",
    Type.TIMESTAMP: "timestamp",
}
"""What Ibis calls the types of a policy."""


def make_ibis_table(found: Resolved) -> Any:
    """Return a table for expressions: its name, and the names and types of the columns that may be asked about.

    No data is behind it, so `execute` fails; a unit that is not among the columns is not there either.
    """
    try:
        import ibis
    except ImportError:
        raise DiscreetError("this needs ibis: pip install ibis-framework") from None
    schema = {column.name: KINDS[column.type] for column in found.columns if column.type is not None}
    return ibis.table(schema, name=found.table.name)


def to_sql(question: object) -> str:
    """Return a question's text; ibis itself is imported only where one of its expressions was given."""
    if isinstance(question, str):
        return question
    if type(question).__module__.partition(".")[0] != "ibis":
        raise QueryError(f"a question is SQL text or an Ibis expression, not {type(question).__name__}")
    import ibis

    try:
        return str(ibis.to_sql(question, dialect="duckdb"))
    except Exception as trouble:
        raise QueryError(f"Ibis cannot write this expression as SQL ({type(trouble).__name__}); write SQL") from None
