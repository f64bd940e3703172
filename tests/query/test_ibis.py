"""Ibis expressions are questions: their SQL is asked."""

from __future__ import annotations

import pytest

from discreet.base.errors import QueryError
from discreet.query.ibis import to_sql


def test_text_is_itself() -> None:
    assert to_sql("SELECT 1") == "SELECT 1"


@pytest.mark.parametrize("question", [None, 5, b"SELECT 1", ["SELECT 1"], object()])
def test_what_is_neither_is_refused(question: object) -> None:
    with pytest.raises(QueryError, match="a question is SQL text or an Ibis expression"):
        to_sql(question)


def test_an_expression_becomes_its_sql() -> None:
    ibis = pytest.importorskip("ibis")
    visits = ibis.table({"patient": "int64", "age": "int64"}, name="visits")
    text = to_sql(visits.filter(visits.age > 30).count())
    assert "visits" in text
    assert "COUNT(*)" in text
