"""Other spellings of one question are the same question."""

from __future__ import annotations

import pytest

from support.hospital import asked, engine_of, refusal

ENGINE = engine_of()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("SELECT COUNT(*) FROM main.visits", "SELECT COUNT(*) FROM visits"),
        ("SELECT SUM(visits.visits.age) FROM Visits.visits", "SELECT SUM(visits.age) FROM visits"),
        (
            "SELECT COUNT(*) FROM (visits JOIN wards USING (ward)) JOIN beds USING (floor)",
            "SELECT COUNT(*) FROM visits JOIN wards USING (ward) JOIN beds USING (floor)",
        ),
        ("SELECT COUNT(*) FROM ((visits))", "SELECT COUNT(*) FROM visits"),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ALL", "SELECT ward, COUNT(*) FROM visits GROUP BY ward"),
        (
            "SELECT age > 30 AS old, ward, 2 * SUM(cost) AS c FROM visits GROUP BY ALL",
            "SELECT age > 30 AS old, ward, 2 * SUM(cost) AS c FROM visits GROUP BY age > 30, ward",
        ),
        ("SELECT COUNT(*) AS n FROM visits GROUP BY ALL", "SELECT COUNT(*) AS n FROM visits"),
        ("SELECT COUNT_IF(sick) AS n FROM visits", "SELECT COUNT(*) FILTER (WHERE sick) AS n FROM visits"),
        (
            "SELECT COUNT_IF(sick OR age > 3) FILTER (WHERE ward = 'icu' OR age > 5) AS n FROM visits",
            "SELECT COUNT(*) FILTER (WHERE (sick OR age > 3) AND (ward = 'icu' OR age > 5)) AS n FROM visits",
        ),
        ("SELECT SUM(sick) AS n FROM visits", "SELECT SUM(CAST(sick AS INT)) AS n FROM visits"),
        ("SELECT AVG(age > 3) AS n FROM visits", "SELECT AVG(CAST(age > 3 AS INT)) AS n FROM visits"),
        (
            "SELECT QUANTILE_CONT(age, [0.1, 0.9]) AS q FROM visits",
            "SELECT QUANTILE_CONT(age, 0.1) AS q_1, QUANTILE_CONT(age, 0.9) AS q_2 FROM visits",
        ),
        (
            "SELECT QUANTILE_CONT(age, [0.1, 0.9]) FROM visits",
            "SELECT QUANTILE_CONT(age, 0.1), QUANTILE_CONT(age, 0.9) FROM visits",
        ),
        ("SELECT COUNT(*) FROM visits WHERE sick = 1", "SELECT COUNT(*) FROM visits WHERE sick = TRUE"),
        ("SELECT COUNT(*) FROM visits WHERE 0 <> (age > 3)", "SELECT COUNT(*) FROM visits WHERE FALSE <> (age > 3)"),
        (
            "SELECT COUNT(*) FROM visits WHERE age || ward = '3icu'",
            "SELECT COUNT(*) FROM visits WHERE CAST(age AS TEXT) || ward = '3icu'",
        ),
        (
            "SELECT COUNT(*) FROM visits WHERE CONCAT(ward, age) = 'icu3'",
            "SELECT COUNT(*) FROM visits WHERE CONCAT(ward, CAST(age AS TEXT)) = 'icu3'",
        ),
    ],
)
def test_it_is_the_same_question(text: str, meant: str) -> None:
    assert asked(ENGINE, text) == asked(ENGINE, meant)


def test_columns_of_one_name_get_numbers() -> None:
    found = asked(ENGINE, "SELECT COUNT(*), COUNT(*), SUM(age) AS n, AVG(age) AS N, AVG(cost) AS n_1 FROM visits")
    assert [name for name, _ in found.finish.outputs] == ["count(*)", "count(*)_1", "n", "N_1", "n_1_1"]
    inner = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
    assert [name for name, _ in asked(ENGINE, f"SELECT n, n FROM ({inner})").finish.outputs] == ["n", "n_1"]


def test_other_schemas_are_refused() -> None:
    assert "write the table's name alone" in refusal(ENGINE, "SELECT COUNT(*) FROM other.visits")
    assert "write the table's name alone" in refusal(ENGINE, "SELECT COUNT(*) FROM db.main.visits")


@pytest.mark.parametrize(
    ("rest", "cut"),
    [
        ("ORDER BY n LIMIT 2 OFFSET 1", (2, 1)),
        ("OFFSET 3", (None, 3)),
        ("LIMIT 5 OFFSET 0", (5, 0)),
    ],
)
def test_rows_before_the_offset_are_left_out(rest: str, cut: tuple[int | None, int]) -> None:
    inner = "SELECT age, COUNT(*) AS n FROM visits GROUP BY age"
    found = asked(ENGINE, f"{inner} {rest}").finish
    assert (found.limit, found.offset) == cut
    outer = asked(ENGINE, f"SELECT * FROM ({inner} {rest}) LIMIT 2 OFFSET 1").finish
    assert (outer.limit, outer.offset) == (min(2, cut[0] - 1) if cut[0] is not None else 2, cut[1] + 1)
