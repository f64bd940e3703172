"""Plans of rows: what may be selected, in which bounds, and how many rows of a unit are kept."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.base.errors import ParameterError, QueryError
from discreet.plan.grid import ClampedGrid
from support.hospital import POLICY, engine_of, rows_of

ENGINE = engine_of()


def test_columns_are_clamped_to_their_public_ranges_in_the_order_asked_for() -> None:
    plan = rows_of(ENGINE, "SELECT cost, age, 1 AS one FROM visits")
    assert [column.grid for column in plan.columns] == [
        ClampedGrid(Fraction(0), Fraction(1, 4), 0, 400),
        ClampedGrid(Fraction(0), Fraction(1), 0, 110),
        ClampedGrid(Fraction(0), Fraction(1), 1, 2),
    ]
    assert (plan.units, plan.factor) == (True, 1)


def test_a_unit_keeps_what_the_policy_allows_in_one_group_or_less_if_asked_for() -> None:
    assert rows_of(ENGINE, "SELECT age FROM visits").rows == 3, "max_rows_per_group, as for SUM without GROUP BY"
    assert rows_of(ENGINE, "SELECT age FROM visits", max_rows=2).rows == 2
    assert rows_of(ENGINE, "SELECT age FROM visits", max_rows=99).rows == 3
    assert rows_of(ENGINE, "SELECT COUNT(*) AS n FROM visits GROUP BY patient").rows == 1
    assert rows_of(ENGINE, "SELECT age FROM people").rows == 1
    with pytest.raises(ParameterError, match="max_rows"):
        rows_of(ENGINE, "SELECT age FROM visits", max_rows=0)


def test_neighbours_that_replace_a_unit_move_twice_as_much() -> None:
    replaced = engine_of(POLICY.replace("add-remove", "replace"))
    assert rows_of(replaced, "SELECT age FROM visits").factor == 2


def test_the_order_of_conditions_does_not_matter() -> None:
    one, other = (
        rows_of(ENGINE, f"SELECT age FROM visits WHERE {where}")
        for where in ("sick AND age > 3 AND cost < 9", "cost < 9 AND sick AND age > 3")
    )
    assert one == other


def test_parameters_are_values() -> None:
    asked = rows_of(ENGINE, "SELECT age FROM visits WHERE age > $least", {"least": 30})
    assert asked == rows_of(ENGINE, "SELECT age FROM visits WHERE age > 30")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SELECT patient, age FROM visits", "'patient' says whose row it is; leave it out"),
        ("SELECT * FROM visits", "'patient' says whose row it is; leave it out"),
        ("SELECT p AS q FROM (SELECT patient AS p FROM visits)", "says whose row it is"),
        ("SELECT ward FROM visits", "'ward' is text, and rows hold numbers"),
        ("SELECT sick FROM visits", "'sick' is boolean, and rows hold numbers; write CAST"),
        ("SELECT seen FROM visits", "'seen' is date"),
        ("SELECT cost / age AS share FROM visits", "no bounds that follow"),
        ("SELECT COUNT(*) AS n FROM visits", "GROUP BY"),
        ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", "patient"),
        ("SELECT age FROM visits LIMIT 3", "rows have no order"),
        ("SELECT age FROM visits ORDER BY age", "rows have no order"),
        ("SELECT DISTINCT age FROM visits", "grouped within one unit"),
        ("SELECT ROW_NUMBER() OVER (ORDER BY age) AS n FROM visits", "window"),
        ("SELECT floor FROM wards", "public"),
        ("SELECT secret FROM visits", "no column 'secret'"),
        ("SELECT age FROM (SELECT age FROM people UNION ALL SELECT age FROM people)", "one becomes several"),
    ],
)
def test_what_is_no_number_of_a_unit_or_has_no_bounds_is_refused(text: str, said: str) -> None:
    with pytest.raises(QueryError) as found:
        rows_of(ENGINE, text)
    assert said in str(found.value)


def test_so_many_columns_are_selected_at_most() -> None:
    listed = ", ".join(f"age + {number} AS a{number}" for number in range(401))
    with pytest.raises(QueryError, match="401 columns; select from 1 to 400"):
        rows_of(ENGINE, f"SELECT {listed} FROM visits")
