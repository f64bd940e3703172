"""What people write by mistake or by habit: the refusal names their text and what to write, and that is answered."""

from __future__ import annotations

import pytest

from support.hospital import refusal
from support.oracle import ENGINE, assert_same

FROM = "SELECT COUNT(*) FROM visits WHERE"

TABLE = [
    (f'{FROM} ward = "north"', "texts stand in single quotes, as in 'north'", f"{FROM} ward = 'north'"),
    (f"{FROM} wardd = 'x' OR wrd = 3", "did you mean 'ward'?", f"{FROM} ward = 'x'"),
    (
        "SELECT COUNT(*) FROM visits v JOIN wards w ON v.ward = w.ward WHERE flor = 2",
        "no table here has a column 'flor'; did you mean 'floor'?",
        "SELECT COUNT(*) FROM visits v JOIN wards w ON v.ward = w.ward WHERE floor = 2",
    ),
    (f"{FROM} age = '30'", "`age = '30'`: = cannot be applied to integer and text; write numbers", f"{FROM} age = 30"),
    (f"{FROM} ward = 3", "`ward = 3`: = cannot be applied to text and integer", f"{FROM} ward = '3' OR age > 3"),
    (f"{FROM} sick = 2", "`sick = 2`: = cannot be applied to boolean and integer; compare", f"{FROM} sick = TRUE"),
    (
        f"{FROM} DATE '2026-01-01' > 2026-01-01",
        "write dates in single quotes",
        f"{FROM} DATE '2026-01-02' > '2026-01-01'",
    ),
    (
        f"{FROM} DATE '2026-01-01' / 90 > 3",
        "/ cannot be applied to date and integer; dates have parts and differences: write DATE_TRUNC('month', x)",
        f"{FROM} DATE_TRUNC('month', DATE '2026-01-02') > DATE '2025-12-01'",
    ),
    (f"{FROM} ward = 'north", "or a quote or bracket is missing", f"{FROM} ward = 'north'"),
    ("SELECT COUNT(*) FROM store.visits", "write the table's name alone", "SELECT COUNT(*) FROM visits"),
    ("SELECT MEAN(cost) FROM visits", "`MEAN(cost)`: this is not answered; write AVG", "SELECT AVG(cost) FROM visits"),
    (
        "SELECT VARIANCE(sick) FROM visits",
        "write COUNT(*) FILTER (WHERE x), or x::INTEGER",
        "SELECT COUNT(*) FILTER (WHERE sick), SUM(sick::INTEGER) FROM visits",
    ),
    (
        "SELECT ANY_VALUE(ward) FROM visits",
        "values of single rows are not released",
        "SELECT COUNT(ward) FROM visits",
    ),
    ("SELECT patient FROM visits", "write COUNT(DISTINCT patient)", "SELECT COUNT(DISTINCT patient) FROM visits"),
    (
        "SELECT AVG(cost / age) FROM visits",
        "an expression of cost, age has no bounds that follow from those of its columns",
        "SELECT AVG(LEAST(GREATEST(FLOOR(cost / age), 0), 100)) FROM visits WHERE age > 0 AND cost IS NOT NULL",
    ),
    (
        "SELECT COUNT(*) FROM visits, stays WHERE patient > who",
        "add patient to the columns of JOIN ... ON or USING",
        "SELECT COUNT(*) FROM visits JOIN stays ON patient = who",
    ),
    (
        f"{FROM} ward IN (SELECT ward FROM stays WHERE days > 2)",
        "list the values, or JOIN a public table",
        "SELECT COUNT(*) FROM visits JOIN wards USING (ward) WHERE floor = 2",
    ),
    (
        f"{FROM} EXISTS (SELECT 1 FROM wards w WHERE w.ward = visits.ward)",
        "JOIN a public table instead",
        "SELECT COUNT(*) FROM visits JOIN wards USING (ward)",
    ),
    (
        "SELECT COUNT(*) FROM visits JOIN (SELECT ward, MAX(floor) AS f FROM wards GROUP BY ward) USING (ward)",
        "join the table by its name",
        "SELECT COUNT(*) FROM visits JOIN wards USING (ward) WHERE floor = 2",
    ),
]


@pytest.mark.parametrize(("text", "part", "instead"), TABLE, ids=[text for text, _, _ in TABLE])
def test_a_mistake_is_named_and_what_to_write_is_answered(text: str, part: str, instead: str) -> None:
    assert part in refusal(ENGINE, text)
    assert_same(instead)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT SUM(cost) AS total, total / 2 AS half FROM visits",
        "SELECT ward, COUNT(*) AS n, n * 2 AS twice, twice + n AS thrice FROM visits GROUP BY ward",
    ],
)
def test_names_that_were_given_further_left_can_be_used(text: str) -> None:
    assert_same(text)


def test_a_column_goes_before_a_name_that_was_given_further_left() -> None:
    assert "`age` is neither grouped by" in refusal(ENGINE, "SELECT COUNT(*) AS age, age * 2 AS twice FROM visits")


@pytest.mark.parametrize("text", ["EXPLAIN SELECT COUNT(*) FROM visits", f"{FROM} to_char(ward, 'YYYY') = 'x'"])
def test_the_parser_says_nothing_of_its_own(text: str, caplog: pytest.LogCaptureFixture) -> None:
    assert refusal(ENGINE, text)
    assert caplog.records == []
