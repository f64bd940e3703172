"""Text to one SELECT, as sqlglot reads DuckDB's dialect; everything that is no such thing is refused here."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Iterator
from itertools import pairwise

from sqlglot import Dialect, Token, TokenType, exp
from sqlglot.errors import SqlglotError

from discreet.base.errors import QueryError
from discreet.base.quiet import silence
from discreet.query.quoting import quote_sql as quote_sql
from discreet.query.spelling import group_distinct, spell_out
from discreet.query.text_rows import list_parts

PARSER = logging.getLogger("sqlglot")
DUCKDB = Dialect.get_or_raise("duckdb")

LONGEST = 100_000
"""Characters of a question: more is a mistake or an attack on the parser."""

DEEPEST = 200
"""Levels of a question: DuckDB and the steps after this one read all that are not deeper."""

QUOTES = 'put names that are words of SQL, or have spaces, in double quotes, as in "order"'

CLAUSES = {"expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "kind", "with_"}
"""The clauses of a SELECT that are answered."""

REMEDIES = {
    "distinct": "DISTINCT would list rows; use GROUP BY, inside a subquery together with the unit",
    "windows": "window functions look at other people's rows; use GROUP BY",
    "qualify": "QUALIFY is not answered; write SELECT * FROM (SELECT ..., RANK() OVER (...) AS n ...) WHERE n = 1",
    "sample": "sampling is not answered; leave it out",
    "laterals": "LATERAL is not answered; name one table",
    "into": "answers are not written into tables; use -o FILE",
}

PARTS = {
    "db": "schemas are not answered; write the table's name alone",
    "catalog": "databases are not answered; write the table's name alone",
    "sample": REMEDIES["sample"],
}
"""What sqlglot's names for parts of a node mean to an analyst."""


def parse(text: str) -> exp.Select:
    """Return the one SELECT that the text holds.

    >>> parse("SELECT COUNT(*) FROM visits").sql()
    'SELECT COUNT(*) FROM visits'
    """
    select = parse_query(text)
    if not isinstance(select, exp.Select):
        word = "answers of several questions are not combined; ask each by itself, or combine rows inside FROM (...)"
        raise QueryError(f"{quote_sql(select)}: {word}")
    select = group_distinct(select)
    check_clauses(select)
    return select


def parse_query(text: str) -> exp.Expression:
    """Return the one query that the text holds: a SELECT, or several joined by UNION."""
    if not isinstance(text, str) or not text.strip():
        raise QueryError("the question is empty; write SELECT ... FROM ...")
    if "\x00" in text or (not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)):
        raise QueryError("the question holds characters that no text has (NUL or half of a pair); take them out")
    if len(text) > LONGEST:
        raise QueryError(f"the question has {len(text)} characters; at most {LONGEST} are read")
    try:
        tokens = DUCKDB.tokenize(text)
        _check_numbers(tokens)
        with silence(PARSER):  # what is refused is refused in our words
            statements = [statement for statement in DUCKDB.parser().parse(tokens, text) if statement is not None]
    except SqlglotError as problem:
        raise QueryError(f"this is not SQL that can be read: {_place(problem)}; {_find_remedy(text)}") from None
    except RecursionError:
        raise QueryError("the question is nested too deeply; write it flatter") from None
    if len(statements) != 1:
        raise QueryError(f"{len(statements)} statements were given; ask one question at a time")
    (query,) = statements
    if not isinstance(query, exp.Select | exp.SetOperation):
        raise QueryError(f"{quote_sql(query)} is not a SELECT; questions are SELECT ... FROM ... and nothing else")
    _check_depth(query)
    return list_parts(spell_out(query))


def _find_remedy(text: str) -> str:
    """Return what may have been meant by a text that cannot be read."""
    first = text.split(maxsplit=1)[0][:20].upper()
    near = difflib.get_close_matches(first, ["SELECT", "WITH"], 1, 0.75)
    return f"did you mean {near[0]} by {first!r}?" if near and first not in near else QUOTES


def check_clauses(select: exp.Select) -> None:
    """Refuse a SELECT with clauses that are not answered."""
    refuse_other_parts(select, CLAUSES, REMEDIES)
    if select.args.get("kind"):
        raise QueryError(f"{quote_sql(select)}: SELECT AS {select.args['kind']} is not answered; leave it out")


def _check_numbers(tokens: list[Token]) -> None:
    """Refuse numbers with letters at their end: sqlglot reads 0x1F as 0 AS x1F, and DuckDB as 31."""
    for number, word in pairwise(tokens):
        if number.token_type is TokenType.NUMBER and number.end + 1 == word.start and word.text[:1].isalpha():
            raise QueryError(f"`{number.text}{word.text[:20]}` is not a decimal number; write digits, or a space after")


def _check_depth(select: exp.Expression) -> None:
    """Refuse what is nested so deeply that a later step could fail on it after the charge."""
    level, depth = [select.args.values()], 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise QueryError(
                f"the question is nested more than {DEEPEST} deep; write it flatter, such as with IN (...)"
            )
        found = [
            each for values in level for value in values for each in (value if isinstance(value, list) else [value])
        ]
        level = [each.args.values() for each in found if isinstance(each, exp.Expression)]


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


def refuse_other_parts(node: exp.Expression, allowed: set[str], remedies: dict[str, str] | None = None) -> None:
    """Refuse a node that carries anything but what is allowed: parts that nobody looks at could mean anything."""
    for name, value in node.args.items():
        if name not in allowed and value not in (None, False, []):
            usual = f"{name.strip('_')} is not answered here; leave it out"
            raise QueryError(f"{quote_sql(node)}: {(PARTS | (remedies or {})).get(name, usual)}")


def split_conjuncts(node: exp.Expression | None) -> Iterator[exp.Expression]:
    """Yield the conditions that AND joins."""
    if isinstance(node, exp.Paren):
        yield from split_conjuncts(node.this)
    elif isinstance(node, exp.And):
        yield from split_conjuncts(node.this)
        yield from split_conjuncts(node.expression)
    elif node is not None:
        yield node


def _place(problem: SqlglotError) -> str:
    """Say where reading stopped, in words of SQL and none of the parser's."""
    errors = getattr(problem, "errors", None) or [{}]
    line, column, near = (errors[0].get(name) for name in ("line", "col", "highlight"))
    return (
        f"line {line}, column {column}, at {near!r}" if near else "it ends too early, or a quote or bracket is missing"
    )
