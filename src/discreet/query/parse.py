"""Text to one SELECT, as sqlglot reads DuckDB's dialect; everything that is no such thing is refused here."""

from __future__ import annotations

from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from discreet.base.errors import QueryError

LONGEST = 100_000
"""Characters of a question: more is a mistake or an attack on the parser."""

CLAUSES = {"expressions", "from_", "joins", "where", "group", "having", "order", "limit", "kind"}
"""The clauses of a SELECT that are answered."""

REMEDIES = {
    "with_": "WITH is not answered yet; ask the inner question by itself",
    "distinct": "DISTINCT would list rows; use GROUP BY a column with declared values",
    "windows": "window functions look at other people's rows; use GROUP BY",
    "qualify": "window functions look at other people's rows; use HAVING",
    "sample": "sampling is not answered; leave it out",
    "offset": "OFFSET is not answered; use ORDER BY with LIMIT",
    "laterals": "LATERAL is not answered; name one table",
    "into": "answers are not written into tables; use -o FILE",
}


def parse(text: str) -> exp.Select:
    """Return the one SELECT that the text holds.

    >>> parse("SELECT COUNT(*) FROM visits").sql()
    'SELECT COUNT(*) FROM visits'
    """
    if not isinstance(text, str) or not text.strip():
        raise QueryError("the question is empty; write SELECT ... FROM ...")
    if len(text) > LONGEST:
        raise QueryError(f"the question has {len(text)} characters; at most {LONGEST} are read")
    try:
        statements = [statement for statement in sqlglot.parse(text, dialect="duckdb") if statement is not None]
    except SqlglotError as problem:
        raise QueryError(f"this is not SQL that DuckDB reads: {_first_line(problem)}") from None
    except RecursionError:
        raise QueryError("the question is nested too deeply; write it flatter") from None
    if len(statements) != 1:
        raise QueryError(f"{len(statements)} statements were given; ask one question at a time")
    (select,) = statements
    if not isinstance(select, exp.Select):
        raise QueryError(f"{shown(select)} is not a SELECT; questions are SELECT ... FROM ... and nothing else")
    known(select, CLAUSES, REMEDIES)
    if select.args.get("kind"):
        raise QueryError(f"{shown(select)}: SELECT AS {select.args['kind']} is not answered; leave it out")
    return select


def parse_condition(text: str) -> exp.Expression:
    """Return one expression, such as a fluent `where` is given."""
    select = parse(f"SELECT COUNT(*) FROM t WHERE {text}")
    if (
        set(select.args)
        - {"expressions", "from_", "where"}
        - {name for name, value in select.args.items() if not value}
    ):
        raise QueryError(f"{text!r} is not one condition")
    condition: exp.Expression = select.args["where"].this
    return condition


def known(node: exp.Expression, allowed: set[str], remedies: dict[str, str] | None = None) -> None:
    """Refuse a node that carries anything but what is allowed: parts that nobody looks at could mean anything."""
    for name, value in node.args.items():
        if name not in allowed and value not in (None, False, []):
            remedy = (remedies or {}).get(name, f"{name.strip('_')} is not answered here; leave it out")
            raise QueryError(f"{shown(node)}: {remedy}")


def shown(node: Any) -> str:
    """Return the analyst's own text of a node, shortened."""
    text = node.sql(dialect="duckdb")
    return f"`{text}`" if len(text) <= 80 else f"`{text[:77]}...`"


def _first_line(problem: Exception) -> str:
    return str(problem).split("\n")[0].replace("\x1b[4m", "").replace("\x1b[0m", "")[:200]
