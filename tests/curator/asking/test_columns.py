"""Conditions written in Python."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.curator.asking.columns import Term, col, write_value
from discreet.query.parse import parse_condition


@pytest.mark.parametrize(
    ("term", "sql"),
    [
        (col.age >= 65, '("age" >= 65)'),
        ((col.age < 3) & ~(col["a b"] == "it's"), "((\"age\" < 3) AND (NOT (\"a b\" = 'it''s')))"),
        (col.x.between(1, 2.5) | col.x.isin([1, None]), '(("x" BETWEEN 1 AND 2.5) OR ("x" IN (1, NULL)))'),
        (col.x.is_null(), '("x" IS NULL)'),
        (col.x == None, '("x" IS NULL)'),  # noqa: E711
        (col.x != None, '(NOT ("x" IS NULL))'),  # noqa: E711
        (col.x.like("a%"), "(\"x\" LIKE 'a%')"),
        (col.d >= dt.date(2026, 3, 1), "(\"d\" >= DATE '2026-03-01')"),
        ((col.x + 1) * 2 / -3 != Decimal("0.10"), '(((("x" + 1) * 2) / (-3)) <> 0.10)'),
        (col.x - col.y % 2 < 1, '(("x" - ("y" % 2)) < 1)'),
        (1 + 2 * col.x, '(1 + (2 * "x"))'),
        (1 - 2 / col.x, '(1 - (2 / "x"))'),
        (col.d.truncate("month"), "DATE_TRUNC('month', \"d\")"),
        (col.d.extract("it's"), "DATE_PART('it''s', \"d\")"),
    ],
)
def test_conditions_in_python_are_the_same_sql(term: Term, sql: str) -> None:
    assert term.sql == sql


def test_conditions_refuse_and_or_and_strange_values() -> None:
    with pytest.raises(QueryError, match="&"):
        bool(col.age > 3)
    with pytest.raises(QueryError, match="list"):
        write_value([1])


@given(st.text(max_size=20).filter(lambda text: "\x00" not in text))
def test_text_cannot_break_out_of_a_condition(text: str) -> None:
    parsed = parse_condition((col.ward == text).sql)
    assert [node.this for node in parsed.find_all(exp.Literal)] == [text]
