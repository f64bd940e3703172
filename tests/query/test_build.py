"""Clauses as they bind: what is grouped by, what is released, and what is done to it."""

from __future__ import annotations

import pytest

from support.hospital import asked, engine_of, refusal

ENGINE = engine_of()


@pytest.mark.many
@pytest.mark.parametrize(
    ("rest", "part"),
    [
        ("ward FROM visits", "neither grouped by nor aggregated"),
        ("* FROM visits", "rows are not released"),
        ("1 AS one FROM visits", "no aggregate"),
        ("COUNT(*) FROM visits WHERE age", "WHERE takes a condition"),
        ("COUNT(*) FROM visits WHERE COUNT(*) > 5", "an aggregate cannot stand here"),
        ("COUNT(*) FROM visits HAVING 5", "HAVING takes a condition"),
        ("COUNT(*) FROM visits HAVING age > 5", "neither grouped by nor aggregated"),
        ("COUNT(*) FROM visits GROUP BY ALL, ward", "list the columns"),
        ("COUNT(*) FROM visits GROUP BY ward WITH ROLLUP", "write GROUP BY ROLLUP (...)"),
        ("COUNT(*) FROM visits GROUP BY patient", "would be about single people"),
        ("patient, COUNT(*) FROM visits GROUP BY 1", "would be about single people"),
        ("patient AS p, COUNT(*) FROM visits GROUP BY p", "would be about single people"),
        ("COUNT(*) FROM visits GROUP BY cost", "such numbers are no keys"),
        ("COUNT(*) FROM visits GROUP BY 1", "an aggregate cannot stand here"),
        ("COUNT(*) FROM visits GROUP BY 2", "there is no such column"),
        ("COUNT(*) FROM visits GROUP BY 1.5", "there is no such column"),
        (f"COUNT(*) FROM visits GROUP BY {'9' * 5000}", "there is no such column"),
        (f"COUNT(*) FROM visits ORDER BY {'9' * 5000}", "there is no such column"),
        ("COUNT(*) FROM visits GROUP BY secret", "no column 'secret'"),
        ("COUNT(*) FROM visits ORDER BY ALL", "is not answered"),
        ("COUNT(*) FROM visits ORDER BY 2", "there is no such column"),
        ("COUNT(*) FROM visits ORDER BY 0.5", "there is no such column"),
        ("COUNT(*) FROM visits ORDER BY age", "neither grouped by nor aggregated"),
        ("COUNT(*) FROM visits ORDER BY 1 WITH FILL", "with_fill is not answered"),
        ("COUNT(*) FROM visits ORDER BY ward COLLATE NOCASE", "is not answered"),
        ("COUNT(*) FROM visits LIMIT 10%", "limit_options is not answered"),
        ("COUNT(*) FROM visits LIMIT 10 PERCENT", "limit_options is not answered"),
        ("COUNT(*) FROM visits LIMIT 5 WITH TIES", "limit_options is not answered"),
        ("COUNT(*) FROM visits LIMIT 5 BY ward", "expressions is not answered"),
        ("COUNT(*) FROM visits FETCH FIRST 3 ROWS ONLY", "is not answered"),
        ("COUNT(*) FROM visits LIMIT ALL", "is not answered"),
        ("COUNT(*) FROM visits LIMIT -1", "not negative"),
        ("COUNT(*) FROM visits LIMIT $n", "has no value"),
        ("COUNT(*) FROM visits LIMIT NULL", "LIMIT takes a whole number"),
        ("COUNT(*) FROM visits LIMIT TRUE", "LIMIT takes a whole number"),
        ("COUNT(*) FROM visits LIMIT 1.5", "LIMIT takes a whole number"),
        ("COUNT(*) FROM visits LIMIT 99999999999999999999", "LIMIT takes a whole number"),
        ("COUNT(*) FROM visits LIMIT COUNT(*)", "cannot stand here"),
        ("COUNT(*) FROM visits LIMIT age", "a constant is expected"),
        ('COUNT(*) AS "" FROM visits', "needs a name"),
        ("* EXCLUDE (age), COUNT(*) FROM visits", "rows are not released"),
        ("COLUMNS(*), COUNT(*) FROM visits", "is not answered"),
        ("(SELECT 1), COUNT(*) FROM visits", "the question has no FROM"),
    ],
)
def test_what_is_refused(rest: str, part: str) -> None:
    assert part in refusal(ENGINE, f"SELECT {rest}")


def test_positions_and_aliases_stand_for_columns() -> None:
    for text in (
        "SELECT ward, COUNT(*) FROM visits GROUP BY ward",
        "SELECT ward, COUNT(*) FROM visits GROUP BY 1",
        "SELECT visits.ward, COUNT(*) FROM visits GROUP BY WARD, 1",
        "SELECT ward AS w, COUNT(*) FROM visits GROUP BY w",
    ):
        assert [getattr(key, "name", "") for key in asked(ENGINE, text).keys] == ["ward"]


def test_a_column_comes_before_an_alias_in_group_by() -> None:
    found = asked(ENGINE, "SELECT ward AS sick, COUNT(*) FROM visits GROUP BY sick, ward")
    assert [getattr(key, "name", "") for key in found.keys] == ["sick", "ward"]


def test_what_is_done_to_the_released_table() -> None:
    finish = asked(
        ENGINE,
        "SELECT ward, 2 * COUNT(*) AS n FROM visits GROUP BY ward HAVING n > 5 ORDER BY n DESC, 1 NULLS FIRST LIMIT $k",
        {"k": 3},
    ).finish
    assert [name for name, _ in finish.outputs] == ["ward", "n"]
    assert finish.having is not None
    assert [(order.descending, order.nulls_first) for order in finish.order] == [(True, False), (False, True)]
    assert finish.limit == 3
    assert finish.order[1].by == finish.outputs[0][1]


def test_a_constant_in_quotes_is_no_position() -> None:
    (order,) = asked(ENGINE, "SELECT COUNT(*) FROM visits ORDER BY '1'").finish.order
    assert getattr(order.by, "value", None) == "1"


def test_an_aggregate_that_is_asked_twice_is_paid_once() -> None:
    found = asked(ENGINE, "SELECT COUNT(*) AS a, COUNT(*) + 1 AS b, SUM(age) / COUNT(*) AS c FROM visits")
    assert len(found.aggregates) == 2


def test_brackets_do_not_hide_that_the_unit_is_grouped_by() -> None:
    assert "would be about single people" in refusal(engine_of(), "SELECT COUNT(*) FROM visits GROUP BY ((patient))")
