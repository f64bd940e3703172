"""Casts of clients: to types that DuckDB has, and to the registered names that PostgreSQL has of its objects."""

from __future__ import annotations

import re

from sqlglot import exp

from discreet.server.pg_catalog.functions import PREFIX
from discreet.server.pg_catalog.rewritten import RewrittenQuery, cast_to

REGISTERED = ("regclass", "regtype", "regnamespace", "regrole")
PROCEDURES = ("regproc", "regprocedure", "regoper", "regcollation")
TEXTS = frozenset(
    {
        "name", "text", "char", "bpchar", "varchar", "xid8", "aclitem", "inet", "cstring", "json", "jsonb", "pg_lsn",
        "unknown", "sql_identifier", "character_data", "yes_or_no",
    }
)  # fmt: skip
NUMBERS = {
    "oid": "UINTEGER", "xid": "UINTEGER", "cid": "UINTEGER", "int2": "SMALLINT", "int4": "INTEGER", "int8": "BIGINT",
    "float4": "FLOAT", "float8": "DOUBLE", "bool": "BOOLEAN", "cardinal_number": "INTEGER", "timestamptz": "TIMESTAMP",
    "numeric": "DECIMAL(38,9)",
}  # fmt: skip
"""What casts of clients become."""


def rewrite_cast(node: exp.Cast, found: RewrittenQuery) -> exp.Expr:
    """Return a cast of PostgreSQL as one of DuckDB, or as what it means."""
    kind = read_kind(node.to)
    base, array = (kind.removesuffix("[]"), kind.endswith("[]"))
    inner = node.this
    if array:
        return _cast_array(node, base)
    if base in REGISTERED:
        return _cast_registered(inner, base, found)
    if base in PROCEDURES:
        if isinstance(inner, exp.Literal):
            return exp.Literal.string(inner.name.removeprefix("pg_catalog."))
        return cast_to(inner, "VARCHAR")
    if base == "oid" and isinstance(inner, exp.Anonymous) and inner.name.startswith(f"{PREFIX}to_reg"):
        return inner
    if base == "oid" and isinstance(inner, exp.Anonymous) and inner.name.endswith("_name"):
        given: exp.Expr = inner.expressions[0]
        return given
    if base in ("text", "varchar", "name") and isinstance(inner, exp.Anonymous) and "pgf_to_reg" in inner.name:
        kind = inner.name.removeprefix("pgf_to_")
        return found.call(f"{kind}_name", [inner])
    if base in TEXTS:
        return cast_to(inner, "VARCHAR")
    if base in NUMBERS:
        return cast_to(inner, NUMBERS[base])
    return node


def read_kind(kind: exp.DataType) -> str:
    """Return the name of a type as PostgreSQL knows it, without its schema and its sizes."""
    text = (
        kind.sql(dialect="postgres")
        .lower()
        .replace('"', "")
        .removeprefix("pg_catalog.")
        .removeprefix("information_schema.")
    )
    array = "[]" if text.endswith("[]") else ""
    text = re.sub(r"\(.*\)", "", text.removesuffix("[]"))
    usual = {"int": "int4", "integer": "int4", "bigint": "int8", "smallint": "int2", "double precision": "float8",
             "real": "float4", "boolean": "bool", "character varying": "varchar", "decimal": "numeric"}  # fmt: skip
    return usual.get(text, text) + array


def _cast_array(node: exp.Cast, base: str) -> exp.Expr:
    inner = node.this
    kind = NUMBERS.get(base, "VARCHAR")
    if isinstance(inner, exp.Literal) and inner.is_string:
        words = [each.strip().strip('"') for each in inner.name.strip("{} ").split(",") if each.strip()]
        made = exp.Array(expressions=[exp.Literal.string(word) for word in words])
        return cast_to(made, f"{kind}[]")
    return cast_to(inner, f"{kind}[]")


def _cast_registered(inner: exp.Expr, base: str, found: RewrittenQuery) -> exp.Expr:
    """Return a cast to a registered name: a text becomes the number that it names, a number becomes the name."""
    text = isinstance(inner, exp.Literal | exp.Placeholder | exp.Parameter) or (
        isinstance(inner, exp.Cast) and inner.to.sql("duckdb") in ("TEXT", "VARCHAR")
    )
    if isinstance(inner, exp.Literal) and (not inner.is_string or inner.name.isdigit()):
        return found.call(f"{base}_name", [cast_to(inner, "UINTEGER")])
    if isinstance(inner, exp.Literal):
        inner = exp.Literal.string(inner.name.removeprefix("pg_catalog."))
    return found.call(f"to_{base}" if text else f"{base}_name", [inner])
