"""How many rows a unit can have, by the form of a question: joins multiply, unions add, and no more is kept."""

from __future__ import annotations

import pytest

from discreet.plan.bounded import Limits
from discreet.plan.relations import Match, Scan
from discreet.query.bounding.limits import UnitRows
from support.hospital import POLICY, bounded, engine_of, refusal

ENGINE = engine_of(
    POLICY.replace("max_rows = 4\nmax_groups = 2\nmax_rows_per_group = 3\n", "max_rows = 4\nmax_groups = 2\n")
)
INNER = "SELECT patient, ward, COUNT(*) AS n FROM visits GROUP BY patient, ward"


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ("visits", 4),
        ("(SELECT * FROM visits WHERE sick)", 4),
        ("visits a JOIN visits b USING (patient)", 16),
        ("visits a LEFT JOIN visits b USING (patient)", 16),
        ("visits a JOIN visits b USING (patient) JOIN visits c USING (patient)", 64),
        ("visits a JOIN (SELECT patient FROM visits GROUP BY patient) b USING (patient)", 4),
        (f"visits a JOIN ({INNER}) b USING (patient)", 16),
        ("(SELECT age FROM visits UNION ALL SELECT age FROM visits)", 8),
        ("(SELECT age FROM visits UNION ALL SELECT age FROM visits UNION ALL SELECT age FROM visits)", 12),
        ("(SELECT a.patient FROM visits a JOIN visits b USING (patient) UNION ALL SELECT patient FROM visits)", 20),
        ("(SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)", 1),
        (f"({INNER})", 4),
        ("visits JOIN wards USING (ward)", 4),
        ("visits JOIN wards ON age = floor", 8),
        ("visits v JOIN wards a ON v.age = a.floor JOIN wards b ON v.age = b.floor", 16),
        ("visits WHERE patient IN (SELECT a.patient FROM visits a JOIN visits b USING (patient))", 4),
        ("people", 1),
        ("people JOIN wards USING (ward)", 1),
        ("people JOIN wards ON age = floor", 2),
        ("(SELECT age FROM people UNION ALL SELECT age FROM people)", 2),
    ],
)
def test_what_a_unit_can_have(source: str, rows: int) -> None:
    plan = bounded(ENGINE, f"SELECT COUNT(*) FROM {source}").plan
    assert plan.sets[0].limits.rows == rows
    assert plan.l1(plan.measures[0]) == rows


def test_tables_are_cut_before_they_meet_and_only_then() -> None:
    block = bounded(ENGINE, "SELECT COUNT(*) FROM visits a JOIN visits b USING (patient)").plan.block
    (match,) = block.joins
    assert isinstance(match, Match)
    assert isinstance(block.source, Scan)
    assert isinstance(match.source, Scan)
    assert block.source.rows == match.source.rows == 4
    alone = bounded(ENGINE, "SELECT COUNT(*) FROM visits").plan.block.source
    assert isinstance(alone, Scan)
    assert alone.rows is None


def test_a_question_may_only_tighten() -> None:
    text = "SELECT ward, COUNT(*) FROM visits a JOIN visits b USING (patient) GROUP BY a.ward"
    text = "SELECT a.ward, COUNT(*) FROM visits a JOIN visits b USING (patient) GROUP BY a.ward"
    assert bounded(ENGINE, text).plan.sets[0].limits == Limits(16, 2, 16)
    assert bounded(ENGINE, text, max_rows=5).plan.sets[0].limits == Limits(5, 2, 5)
    assert bounded(ENGINE, text, max_rows=500, max_groups=50).plan.sets[0].limits == Limits(16, 2, 16)
    assert bounded(ENGINE, text, max_groups=1).plan.sets[0].limits == Limits(16, 1, 16)


def test_keys_of_the_data_are_limited_by_the_policy() -> None:
    assert bounded(ENGINE, "SELECT seen, COUNT(*) FROM visits GROUP BY seen").plan.sets[0].limits.groups == 2


def test_too_many_rows_are_refused_before_anything_runs() -> None:
    text = "SELECT COUNT(*) FROM visits a0 " + " ".join(f"JOIN visits a{k} USING (patient)" for k in range(1, 20))
    assert "one unit could have" in refusal(ENGINE, text)


def test_totals_come_from_whichever_limits_there_are() -> None:
    assert UnitRows(None, 3, 2).total == 6
    assert UnitRows(4, 3, 2).total == 4
    assert UnitRows(None, 3, 2).times(5) == UnitRows(None, 15, 2)
