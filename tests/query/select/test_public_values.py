"""Subqueries over public tables in place of a value: constants, computed from public rows alone and exactly."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pytest

from discreet.base.errors import QueryError
from discreet.plan.relations import Lookup, list_sources
from discreet.query.build import build
from discreet.query.parse import parse
from support.hospital import asked, bounded, catalog_of, engine_of, refusal
from support.oracle import ENGINE, POLICY, TABLES, assert_same


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM visits WHERE age > (SELECT AVG(bed) FROM beds)",
        "SELECT COUNT(*) FROM visits WHERE age > (SELECT MAX(bed) - MIN(bed) + COUNT(*) FROM beds WHERE bed > 2)",
        "SELECT COUNT(*) FROM visits WHERE age > (SELECT SUM(bed) FROM beds b WHERE b.ward = 'north')",
        "SELECT COUNT(*) FROM visits WHERE ward = (SELECT MIN(ward) FROM wards)",
        "SELECT SUM(age + (SELECT COUNT(DISTINCT city) FROM wards)) FROM visits",
        "SELECT ward, COUNT(*) / (SELECT SUM(bed) FROM beds) AS b FROM visits GROUP BY ward",
        "SELECT COALESCE(age > (SELECT AVG(bed) FROM beds), FALSE) AS b, COUNT(*) FROM visits GROUP BY b",
        "SELECT COUNT(*) FROM visits WHERE age > (SELECT MAX(bed) FROM beds WHERE bed > 1000) OR age > 30",
        "SELECT COUNT(*) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient "
        "HAVING COUNT(*) >= (SELECT MIN(bed) FROM beds))",
    ],
)
def test_values_of_public_tables_are_those_of_plain_sql(text: str) -> None:
    assert_same(text)


def test_the_value_is_what_the_question_goes_by() -> None:
    """Whoever writes the number asks the same; another public table asks something else, and no private row is read."""
    whole = "SELECT COUNT(*) FROM visits WHERE age > (SELECT COUNT(*) FROM wards)"
    rows = TABLES["wards"].num_rows
    plan = bounded(ENGINE, whole).plan
    assert plan == bounded(ENGINE, f"SELECT COUNT(*) FROM visits WHERE age > {rows}").plan
    assert not any(isinstance(each, Lookup) for each in list_sources(plan.block))
    other = engine_of(POLICY, {**TABLES, "wards": TABLES["wards"].slice(1)})
    assert asked(other, whole).block == asked(ENGINE, f"SELECT COUNT(*) FROM visits WHERE age > {rows - 1}").block


def test_averages_are_the_floats_nearest_to_the_exact_ones() -> None:
    three = pa.table({"ward": ["north", "south", "icu"], "bed": pa.array([1, 1, 2], pa.int64())})
    engine = engine_of(POLICY, {**TABLES, "beds": three})
    found = asked(engine, "SELECT COUNT(*) FROM visits WHERE cost > (SELECT AVG(bed) FROM beds)")
    assert repr(Fraction(4 / 3)) in repr(found.block.where)


def test_rows_that_are_equal_are_not_counted_once() -> None:
    """Only distinct rows of a public table can be read, so that a table with equal ones is refused."""
    twice = pa.table({"ward": ["icu", "icu"], "bed": pa.array([3, 3], pa.int64())})
    engine = engine_of(POLICY, {**TABLES, "beds": twice})
    assert "told apart" in refusal(engine, "SELECT COUNT(*) FROM visits WHERE age > (SELECT SUM(bed) FROM beds)")
    for kept in ("MAX(bed)", "COUNT(DISTINCT bed) + 2"):
        found = asked(engine, f"SELECT COUNT(*) FROM visits WHERE age > (SELECT {kept} FROM beds)").block
        assert found.where is not None
    empty = pa.table({"ward": pa.array(["icu", None, None]), "bed": pa.array([3, None, None], pa.int64())})
    engine = engine_of(POLICY, {**TABLES, "beds": empty})
    assert "told apart" in refusal(engine, "SELECT COUNT(*) FROM visits WHERE age > (SELECT COUNT(*) FROM beds)")


@pytest.mark.parametrize(
    ("inner", "part"),
    [
        ("SELECT city FROM wards", "rows meet this"),
        ("SELECT MEDIAN(bed) FROM beds", "in place of a value it takes"),
        ("SELECT MAX(bed) FROM beds GROUP BY ward", "in place of a value it takes"),
        ("SELECT bed FROM beds ORDER BY bed LIMIT 1", "in place of a value it takes"),
        ("SELECT ward, MAX(bed) FROM beds", "in place of a value it takes"),
        ("SELECT MAX(bed) + bed FROM beds", "in place of a value it takes"),
        ("SELECT SUM(ward) FROM wards", "needs numbers"),
        ("SELECT 1 FROM wards", "reads no column"),
        ("SELECT MAX(bed) FROM beds WHERE bed > age", "no column 'age'"),
    ],
)
def test_other_subqueries_over_public_tables_are_refused(inner: str, part: str) -> None:
    assert part in refusal(ENGINE, f"SELECT COUNT(*) FROM visits WHERE age > ({inner})")


def test_a_table_that_may_not_be_named_has_no_value() -> None:
    catalog = replace(catalog_of(ENGINE), shown=frozenset({"visits"}))
    with pytest.raises(QueryError, match="no table 'wards'"):
        build(parse("SELECT COUNT(*) FROM visits WHERE age > (SELECT COUNT(*) FROM wards)"), catalog)


def test_a_value_that_no_engine_computes_with_is_refused() -> None:
    """A constant of 39 digits would fail in the rows that meet it, and so tell whether there are any."""
    beds = pa.table({"ward": ["a", "b", "c"], "bed": pa.array([10**9] * 3, pa.int64()), "x": [1e308, 1e308, 0.0]})
    engine = engine_of(POLICY, {**TABLES, "beds": beds})
    whole = f"age + (SELECT SUM(bed * 7{'0' * 28}) FROM beds)"
    text = f"SELECT COUNT(*) FROM visits WHERE CASE WHEN patient = 7 THEN {whole} > 3 ELSE FALSE END"
    assert "larger number than any" in refusal(engine, text)
    assert "larger number than any" in refusal(engine, text.replace("SUM", "-SUM"))
    assert "larger number than any" in refusal(
        engine, "SELECT COUNT(*) FROM visits WHERE cost > (SELECT SUM(x) FROM beds)"
    )
    engine.run(bounded(engine, text.replace("SUM", "MAX")).plan).result()
