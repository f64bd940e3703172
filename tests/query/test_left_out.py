"""What limits leave out: units over any of them, or rows up to a declared most; never charged at max_rows."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from discreet.base.errors import ParameterError, QueryError
from discreet.plan.identity import hash_plan
from discreet.query.left_out import UNITS, LeftOutCount, plan_left_out, read_left_out
from support.hospital import HOSPITAL, POLICY, bounded, engine_of, sums

ROWS: list[tuple[int | None, str | None]] = [
    *[(1, "north")] * 4,  # as many as a unit may have, in one group more than it may
    *[(2, "north")] * 3,
    *[(2, "south")] * 3,  # more rows than it may have
    *[(3, word) for word in ("north", "south", "icu")],  # more groups than it may be in
    *[(4, "attic")] * 9,  # in no group: they use up no limit
    (4, "icu"),
    *[(5, None)] * 9,
    *[(None, "icu")] * 9,  # nobody's
    (6, "icu"),
]


def engine(rows: list[tuple[int | None, str | None]] = ROWS, policy: str = POLICY) -> Any:
    count = len(rows)
    table = pa.table(
        {
            "patient": pa.array([unit for unit, _ in rows], pa.int64()),
            "age": pa.array([30] * count, pa.int64()),
            "cost": pa.array([1.0] * count, pa.float64()),
            "ward": pa.array([ward for _, ward in rows], pa.string()),
            "seen": pa.array([0] * count, pa.date32()),
            "at": pa.array([0] * count, pa.timestamp("us")),
            "sick": pa.array([True] * count, pa.bool_()),
            "secret": pa.array(["a"] * count, pa.string()),
        }
    )
    return engine_of(policy, {**HOSPITAL, "visits": table})


def count(text: str, counted: LeftOutCount = UNITS, **tighter: Any) -> int:
    there = engine()
    plan = plan_left_out(bounded(there, text, **tighter).plan, counted).plan
    ((found,),) = sums(there.run(plan).result())
    return found


@pytest.mark.parametrize(
    ("text", "counted", "tighter", "expected"),
    [
        # max_rows = 4, max_groups = 2, max_rows_per_group = 3; without keys all rows are one group
        ("SELECT COUNT(*) FROM visits", UNITS, {}, 4),  # 1, 2, 4 and 5 have more than three rows in it
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ward", UNITS, {}, 3),  # 1 by group, 2 by rows, 3 by groups
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ward", UNITS, {"max_rows_per_group": 1}, 3),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ward", UNITS, {"max_groups": 1}, 3),
        ("SELECT ward, COUNT(*) FROM visits WHERE ward = 'north' GROUP BY ward", UNITS, {}, 1),
        ("SELECT COUNT(*) FROM visits WHERE ward = 'icu'", UNITS, {}, 0),
        ("SELECT COUNT(*) FROM visits WHERE ward IS NULL OR ward <> 'attic'", UNITS, {"max_rows": 1}, 4),
        ("SELECT COUNT(*) FROM visits", 100, {"max_rows": 3}, 1 + 3 + 7 + 6),
        ("SELECT COUNT(*) FROM visits", 2, {"max_rows": 3}, 1 + 2 + 2 + 2),
        ("SELECT COUNT(*) FROM visits", 1, {"max_rows": 3}, 4),
    ],
)
def test_units_over_a_limit_and_rows_beyond_it_are_counted(
    text: str, counted: LeftOutCount, tighter: dict[str, Any], expected: int
) -> None:
    assert count(text, counted, **tighter) == expected


def test_the_sensitivity_is_one_unit_or_the_declared_most_and_never_max_rows() -> None:
    """One unit more moves the count by what is declared, however many rows it has; replaced ones pay twice."""
    text = "SELECT COUNT(*) FROM visits"
    for counted, most in ((UNITS, 1), (1, 1), (7, 7)):
        tighter = {"max_rows": 3}
        plan = plan_left_out(bounded(engine(), text, **tighter).plan, counted).plan
        (measure,) = plan.measures
        assert (plan.l1(measure), plan.l2_squared(measure)) == (most, most**2)
        for more in ([], [(9, "icu")] * 3, [(9, "icu")] * 4, [(9, "icu")] * 5_000):
            ((before,),), ((after,),) = (sums(each.run(plan).result()) for each in (engine(), engine([*ROWS, *more])))
            assert 0 <= after - before <= most
        assert after - before == most
    replaced = engine(policy=POLICY.replace("add-remove", "replace"))
    plan = plan_left_out(bounded(replaced, text, max_rows=3).plan, 7).plan
    assert plan.l1(plan.measures[0]) == 14


def test_words_name_every_limit_that_can_bind_and_no_other() -> None:
    there = engine()

    def words(text: str, counted: LeftOutCount = UNITS, **tighter: Any) -> str:
        return plan_left_out(bounded(there, text, **tighter).plan, counted).words

    assert words("SELECT COUNT(*) FROM visits", max_rows=3) == "units had more than max_rows = 3 rows"
    assert words("SELECT COUNT(*) FROM visits", 5, max_rows=3) == (
        "rows beyond max_rows = 3 were left out, counted up to 5 of each unit"
    )
    assert words("SELECT ward, COUNT(*) FROM visits GROUP BY ward") == (
        "units had more than max_rows = 4 rows, or rows in more than max_groups = 2 groups, "
        "or more than max_rows_per_group = 3 rows in a group"
    )


@pytest.mark.parametrize(
    ("text", "counted", "told"),
    [
        ("SELECT COUNT(*) FROM people", UNITS, "each row is a unit of its own"),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ROLLUP (ward)", UNITS, "for one grouping"),
        ("SELECT COUNT(*) FROM visits a JOIN visits b USING (patient, ward)", UNITS, "cut before"),
        ("SELECT COUNT(*) FROM (SELECT patient, SUM(age) AS n FROM visits GROUP BY patient)", UNITS, "has one row"),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ward", 5, 'left_out="units"'),
        ("SELECT FLOOR(cost * 10) AS k, COUNT(*) FROM visits GROUP BY k", UNITS, "fewer keys"),
    ],
)
def test_what_is_not_counted_is_refused_with_what_to_write_instead(text: str, counted: LeftOutCount, told: str) -> None:
    plan = bounded(engine(), text).plan
    with pytest.raises(QueryError, match="left_out") as refused:
        plan_left_out(plan, counted)
    assert told in str(refused.value)


@pytest.mark.parametrize("given", ["unit", "rows", 0, -3, 1.5, True, 10**9, ""])
def test_what_is_counted_is_units_or_a_number_of_rows(given: object) -> None:
    with pytest.raises(ParameterError, match="left_out"):
        read_left_out(given)
    assert (read_left_out("units"), read_left_out(12)) == ("units", 12)


def test_the_plan_is_identified_as_it_always_was() -> None:
    """What was recorded is found again: these hashes never change."""
    plans = [
        plan_left_out(bounded(engine(), "SELECT COUNT(*) FROM visits").plan, UNITS).plan,
        plan_left_out(bounded(engine(), "SELECT COUNT(*) FROM visits", max_rows=3).plan, 5).plan,
        plan_left_out(bounded(engine(), "SELECT ward, COUNT(*) FROM visits GROUP BY ward").plan, UNITS).plan,
    ]
    assert [hash_plan(plan)[:12] for plan in plans] == ["fee78dac5b81", "8c57d2a0b789", "b7523a1c9787"]
