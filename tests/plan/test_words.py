"""Expressions in words: by columns of tables, however many subqueries are between."""

from __future__ import annotations

import pytest

from discreet.plan.words import describe_expression
from support.hospital import asked
from support.oracle import ENGINE

TOTALS = "SELECT patient, ward AS w, SUM(cost) AS total, COUNT(*) AS n FROM visits GROUP BY patient, ward"


@pytest.mark.parametrize(
    ("aggregate", "source", "words"),
    [
        ("SUM(age)", "visits", "age"),
        ("SUM(a)", "(SELECT age AS a FROM visits)", "age"),
        ("SUM(age + cost)", "visits", "an expression of age, cost"),
        ("SUM(7)", "visits", "a constant"),
        ("SUM(total)", f"({TOTALS})", "the sum of cost of each unit"),
        ("SUM(n)", f"({TOTALS})", "the count rows of each unit"),
        ("COUNT(w)", f"({TOTALS})", "ward"),
        ("SUM(x)", "(SELECT age AS x FROM visits UNION ALL SELECT days AS x FROM stays)", "age"),
        (
            "SUM(b.d)",
            "visits a JOIN (SELECT patient, age * 2 AS d FROM visits WHERE sick) b USING (patient)",
            "an expression of age",
        ),
    ],
)
def test_what_is_said_of_an_argument(aggregate: str, source: str, words: str) -> None:
    question = asked(ENGINE, f"SELECT {aggregate} FROM {source}")
    (found,) = question.aggregates
    assert found.argument is not None
    assert describe_expression(found.argument, question.block) == words
