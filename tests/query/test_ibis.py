"""Ibis expressions are questions: their SQL is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.base.errors import QueryError
from discreet.query.ibis import to_sql
from support.clinic import open_clinic


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


def test_a_table_of_a_curator_has_its_public_columns_and_is_asked_by_name(tmp_path: Path) -> None:
    ibis = pytest.importorskip("ibis")
    with open_clinic(tmp_path) as curator:
        visits = curator.ibis("Visits")
        assert {"ward": "string", "age": "int64", "day": "date"}.items() <= {
            name: str(kind) for name, kind in visits.schema().items()
        }.items()
        asked = visits.filter(visits.age >= 40).group_by("ward").agg(n=ibis._.count(), cost=ibis._.cost.mean())
        same = "SELECT ward, COUNT(*) AS n, AVG(cost) AS cost FROM visits WHERE age >= 40 GROUP BY ward"
        assert curator.ask(asked, 0.5).names == ("ward", "n", "cost")
        assert curator.ask(same, 0.5).receipt.paid == "free"
        with pytest.raises(QueryError, match="there is no table 'visit'"):
            curator.ibis("visit")
