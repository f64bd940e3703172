"""What becomes of a statement: the text for DuckDB, and what must be there for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from discreet.server.pg_catalog.functions import NEEDS, PREFIX


class LookUpError(Exception):
    """A statement that the catalog does not answer; the message is safe to show."""

    def __init__(self, message: str, code: str = "0A000") -> None:
        super().__init__(message)
        self.code = code


@dataclass
class RewrittenQuery:
    """A statement for DuckDB, and the relations that must be there for it."""

    sql: str = ""
    relations: set[str] = field(default_factory=set)
    """By their schema in DuckDB and their name."""
    macros: set[str] = field(default_factory=set)
    parameters: set[str] = field(default_factory=set)
    """Those that are left: some stood in what has one value here."""

    def call(self, name: str, given: list[exp.Expr]) -> exp.Expr:
        """Return a call of a macro, and note what it needs."""
        self.relations |= {f"pgc.{each}" for each in NEEDS[name]}
        self.macros.add(name)
        return exp.Anonymous(this=f"{PREFIX}{name}", expressions=given)


def cast_to(node: exp.Expr, kind: str) -> exp.Expr:
    """Return a cast to a type of DuckDB."""
    return exp.Cast(this=node, to=exp.DataType.build(kind, dialect="duckdb"))
