"""`clamping=True` counts what the bounds cut off, once for each column."""

from __future__ import annotations

import pytest

from discreet.base.errors import QueryError
from discreet.plan.bounded import Part
from discreet.query.bound import bound
from discreet.query.bounding.clamping import add_clamped_counts
from support.hospital import asked, catalog_of, engine_of


def test_one_count_for_every_column_that_is_clamped() -> None:
    engine = engine_of()
    question = add_clamped_counts(asked(engine, "SELECT SUM(cost), AVG(cost), MEDIAN(age), COUNT(sick) FROM visits"))
    names = [name for name, _ in question.finish.outputs]
    assert names[4:] == ["clamped_cost", "clamped_age"]
    parts = [measure.part for measure in bound(question, catalog_of(engine)).plan.measures]
    assert parts.count(Part.OUTSIDE) == 2


def test_counts_alone_are_not_clamped() -> None:
    question = asked(engine_of(), "SELECT COUNT(*), COUNT(cost) FROM visits")
    assert add_clamped_counts(question) == question


def test_a_name_that_is_taken_is_refused_before_anything_is_charged() -> None:
    with pytest.raises(QueryError, match="'clamped_cost', and there is one already"):
        add_clamped_counts(asked(engine_of(), "SELECT SUM(cost), COUNT(*) AS clamped_cost FROM visits"))


def test_groups_of_an_answer_have_no_counts_of_their_own() -> None:
    inner = "SELECT ward, SUM(cost) AS c FROM visits GROUP BY ward"
    with pytest.raises(QueryError, match="ask for the inner SELECT by itself"):
        add_clamped_counts(asked(engine_of(), f"SELECT MAX(c) FROM ({inner})"))
    question = add_clamped_counts(asked(engine_of(), f"SELECT ward, RANK() OVER (ORDER BY c) AS r FROM ({inner})"))
    assert [name for name, _ in question.finish.outputs] == ["ward", "r", "clamped_cost"]
