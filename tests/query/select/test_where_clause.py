"""IN, NOT IN, EXISTS and NOT EXISTS on the unit, two-valued: rows without a unit are in no table."""

from __future__ import annotations

import pytest

from support.hospital import refusal
from support.oracle import ENGINE, assert_same, exactly


@pytest.mark.parametrize(
    "condition",
    [
        "patient IN (SELECT who FROM stays)",
        "patient NOT IN (SELECT who FROM stays)",
        "NOT patient IN (SELECT who FROM stays)",
        "NOT (NOT (patient IN (SELECT who FROM stays)))",
        "patient IN (SELECT who FROM stays WHERE days > 30) AND age > 20",
        "patient IN (SELECT patient FROM visits WHERE sick) AND patient NOT IN (SELECT who FROM stays)",
        "patient IN (SELECT patient FROM visits GROUP BY patient HAVING COUNT(*) > 2)",
        "patient IN (SELECT who FROM stays WHERE who NOT IN (SELECT patient FROM visits WHERE sick))",
        "patient IN (SELECT patient FROM adults)",
        "patient IN (SELECT who FROM stays UNION ALL SELECT patient FROM secrets WHERE score > 7)",
        "EXISTS (SELECT 1 FROM stays WHERE who = patient)",
        "EXISTS (SELECT * FROM stays s WHERE v.patient = s.who AND s.days > 30)",
        "NOT EXISTS (SELECT 1 FROM stays s WHERE s.who = v.patient AND s.ward = 'icu')",
        "EXISTS (SELECT 1 FROM visits w WHERE w.patient = v.patient AND w.sick)",
        "EXISTS (SELECT 1 FROM visits w WHERE w.patient = v.patient AND w.ward = v.ward AND w.sick)",
        "NOT EXISTS (SELECT 1 FROM visits w WHERE w.patient = v.patient AND v.ward = w.ward AND w.sick)",
        "EXISTS (SELECT 1 FROM stays s WHERE s.who = v.patient AND s.ward = v.ward AND s.days > 9 AND s.price > 0)",
        "NOT EXISTS (SELECT 1 FROM visits w WHERE w.patient = v.patient AND w.age = v.age + 1)",
        "EXISTS (SELECT 1 FROM visits w WHERE w.patient = v.patient AND w.ward = v.ward AND w.age = v.age AND w.sick)",
        "EXISTS (SELECT 1 FROM stays WHERE who = v.patient AND who IN (SELECT patient FROM secrets WHERE score > 4))",
    ],
)
def test_conditions_on_other_rows_of_the_same_unit(condition: str) -> None:
    assert_same(f"SELECT COUNT(*), COUNT(DISTINCT patient) AS u, SUM(age) AS a FROM visits v WHERE {condition}")


def test_in_and_not_in_are_opposites() -> None:
    counts = [
        exactly(f"SELECT COUNT(*) FROM visits{rest}")[0][0]
        for rest in ("", " WHERE patient IN (SELECT who FROM stays)", " WHERE patient NOT IN (SELECT who FROM stays)")
    ]
    assert counts[0] == counts[1] + counts[2]
    assert min(counts) > 0


@pytest.mark.parametrize(
    ("condition", "part"),
    [
        ("age IN (SELECT days FROM stays)", "for the unit alone"),
        ("patient IN (SELECT days FROM stays)", "for the unit alone"),
        ("patient IN (SELECT who, days FROM stays)", "for the unit alone"),
        ("patient + 0 IN (SELECT who FROM stays)", "for the unit alone"),
        ("EXISTS (SELECT 1 FROM stays)", "EXISTS must compare the units"),
        ("EXISTS (SELECT 1 FROM stays WHERE who = who)", "EXISTS must compare the units"),
        ("EXISTS (SELECT 1 FROM stays WHERE days > v.age AND who = v.patient)", "compared by equality alone"),
        ("EXISTS (SELECT 1 FROM stays s WHERE s.ward = v.ward)", "EXISTS must compare the units"),
        ("EXISTS (SELECT 1 FROM visits w WHERE w.patient = v.patient AND w.cost = v.cost)", "float is compared"),
        ("EXISTS (SELECT 1 FROM visits w WHERE w.patient = v.patient AND w.ward = v.age)", "text is compared"),
        ("EXISTS (SELECT COUNT(*) FROM stays WHERE who = v.patient)", "always true"),
        ("EXISTS (SELECT 1 FROM stays WHERE who = v.patient LIMIT 1)", "leave this out inside EXISTS"),
        ("EXISTS (SELECT 1 FROM visits WHERE patient = patient)", "EXISTS must compare the units"),
        ("EXISTS (SELECT 1 FROM wards WHERE ward = v.ward)", "JOIN a public table instead"),
        ("patient = ANY (SELECT who FROM stays)", "`ANY (SELECT who FROM stays)`: this is not answered"),
    ],
)
def test_other_subqueries_are_refused(condition: str, part: str) -> None:
    assert part in refusal(ENGINE, f"SELECT COUNT(*) FROM visits v WHERE {condition}")
