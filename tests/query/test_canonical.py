"""One form for one question, and never one for two."""

from __future__ import annotations

import itertools

import pytest

from support.hospital import bounded, engine_of

ENGINE = engine_of()


def form(text: str) -> str:
    return repr(bounded(ENGINE, text).plan)


@pytest.mark.parametrize(
    "texts",
    [
        (
            "SELECT COUNT(*), SUM(cost) FROM visits WHERE age > 3 AND sick",
            "SELECT SUM(v.COST) AS x, COUNT(*) FROM Visits AS v WHERE v.sick AND (v.age > 3)",
            "FROM visits SELECT COUNT(1), SUM(cost), SUM(cost) + COUNT(*) AS y WHERE sick AND age > 3 AND sick",
            "SELECT SUM(cost), COUNT(*) FROM visits WHERE age > 3 AND sick HAVING COUNT(*) > 5 ORDER BY 1 LIMIT 3",
        ),
        (
            "SELECT COUNT(*) FROM visits WHERE age = 1 OR (age = 2 OR age = 3) OR sick",
            "SELECT COUNT(*) FROM visits WHERE ((sick OR age = 3) OR age = 1) OR age = 2",
        ),
        (
            "SELECT floor, COUNT(*) FROM visits JOIN wards USING (ward) GROUP BY floor",
            "SELECT w.floor, COUNT(*) FROM visits x JOIN wards w ON w.ward = x.ward GROUP BY 1",
        ),
        (
            "SELECT COUNT(*) FROM visits WHERE (sick OR age = 1) AND (sick OR age = 2)",
            "SELECT COUNT(*) FROM visits WHERE (age = 2 OR sick) AND (age = 1 OR sick)",
        ),
    ],
)
def test_one_form_however_a_question_is_written(texts: tuple[str, ...]) -> None:
    assert len({form(text) for text in texts}) == 1


DIFFERENT = (
    "SELECT COUNT(*) FROM visits",
    "SELECT COUNT(*) FROM people",
    "SELECT COUNT(age) FROM visits",
    "SELECT COUNT(cost) FROM visits",
    "SELECT SUM(age) FROM visits",
    "SELECT AVG(age) FROM visits",
    "SELECT COUNT(DISTINCT patient) FROM visits",
    "SELECT ward, COUNT(*) FROM visits GROUP BY ward",
    "SELECT sick, COUNT(*) FROM visits GROUP BY sick",
    "SELECT COUNT(*) FROM visits WHERE sick",
    "SELECT COUNT(*) FROM visits WHERE NOT sick",
    "SELECT COUNT(*) FROM visits WHERE age > 1",
    "SELECT COUNT(*) FROM visits WHERE age >= 1",
    "SELECT COUNT(*) FROM visits WHERE age > 1.0",
    "SELECT COUNT(*) FROM visits WHERE 1 > age",
    "SELECT COUNT(*) FROM visits WHERE age - 1 > 0",
    "SELECT COUNT(*) FROM visits WHERE 1 - age > 0",
    "SELECT COUNT(*) FROM visits WHERE sick AND age > 1 OR age < 0",
    "SELECT COUNT(*) FROM visits WHERE sick AND (age > 1 OR age < 0)",
    "SELECT COUNT(*) FROM visits WHERE seen = '2026-03-01'",
    "SELECT COUNT(*) FROM visits WHERE seen = TIMESTAMP '2026-03-01 00:00:00'",
    "SELECT COUNT(*) FROM visits WHERE ward = 'TRUE'",
    "SELECT COUNT(*) FROM visits WHERE ward = 'true'",
    "SELECT COUNT(*) FROM visits WHERE sick = TRUE",
    "SELECT COUNT(*) FROM visits JOIN wards USING (ward)",
    "SELECT COUNT(*) FROM visits LEFT JOIN wards USING (ward)",
)


def test_different_questions_never_have_one_form() -> None:
    for one, other in itertools.combinations(DIFFERENT, 2):
        assert form(one) != form(other), (one, other)


def test_tighter_limits_are_another_question() -> None:
    assert form(DIFFERENT[0]) != repr(bounded(ENGINE, DIFFERENT[0], max_rows=1).plan)
