"""Names: what they mean, that the unit stays itself under any, and that nothing else becomes it."""

from __future__ import annotations

import pytest

from support.hospital import asked, refusal
from support.oracle import ENGINE, assert_same


@pytest.mark.parametrize(
    "source",
    [
        "visits",
        "(SELECT patient FROM visits)",
        "(SELECT * FROM visits)",
        "(SELECT v.* FROM visits v)",
        "(SELECT p AS patient FROM (SELECT patient AS p FROM visits))",
        "(SELECT patient FROM visits UNION ALL SELECT who FROM stays)",
        "secrets",
        "(SELECT * FROM secrets)",
        "(SELECT patient FROM visits GROUP BY patient)",
        "adults",
    ],
)
def test_the_unit_is_known_by_where_it_comes_from(source: str) -> None:
    (found,) = asked(ENGINE, f"SELECT COUNT(DISTINCT patient) FROM {source}").aggregates
    assert found.kind.value == "count units"
    assert_same(f"SELECT COUNT(DISTINCT patient) FROM {source}")


@pytest.mark.parametrize(
    "source",
    [
        "(SELECT age AS patient FROM visits)",
        "(SELECT patient + 0 AS patient FROM visits)",
        "(SELECT patient FROM visits UNION ALL SELECT days FROM stays)",
    ],
)
def test_nothing_becomes_the_unit_by_its_name(source: str) -> None:
    (found,) = asked(ENGINE, f"SELECT COUNT(DISTINCT patient) FROM {source}").aggregates
    assert found.kind.value == "count distinct"


def test_a_hidden_unit_says_whose_row_it_is_and_no_more() -> None:
    assert "is hidden" in refusal(ENGINE, "SELECT COUNT(*) FROM secrets WHERE patient = 17")
    assert "is hidden" in refusal(ENGINE, "SELECT COUNT(patient + 1) FROM secrets")
    assert_same("SELECT COUNT(*), SUM(score) FROM secrets JOIN visits USING (patient)")
    assert_same("SELECT AVG(s) FROM (SELECT patient, SUM(score) AS s FROM secrets GROUP BY patient)")


def test_names_of_several_tables() -> None:
    join = "FROM visits JOIN wards ON visits.ward = wards.ward"
    assert "write visits.ward or wards.ward" in refusal(ENGINE, f"SELECT COUNT(ward) {join}")
    assert_same(f"SELECT COUNT(visits.ward), COUNT(WARDS.ward) AS n {join}")
    assert_same("SELECT COUNT(ward) FROM visits JOIN wards USING (ward)")
    assert "two tables are called 'visits'" in refusal(
        ENGINE, "SELECT COUNT(*) FROM visits JOIN visits USING (patient)"
    )
    assert "did you mean 'cost'?" in refusal(ENGINE, "SELECT COUNT(coost) FROM visits")
    assert "there is no table 'w'" in refusal(ENGINE, "SELECT COUNT(*) FROM (SELECT w.* FROM visits)")
