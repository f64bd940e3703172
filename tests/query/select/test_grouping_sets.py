"""GROUPING SETS, ROLLUP and CUBE: groupings of their own, with the rows of DuckDB."""

from __future__ import annotations

import pytest

from discreet.base.types import Type
from discreet.curator.estimates.arithmetic import find_aggregates
from discreet.plan.expressions import Literal
from support.hospital import asked, refusal
from support.oracle import ENGINE, assert_same


@pytest.mark.parametrize(
    ("group", "sets"),
    [
        ("ward", [(0,)]),
        ("ward, sick", [(0, 1)]),
        ("()", [()]),
        ("ROLLUP (ward, sick)", [(0, 1), (0,), ()]),
        ("CUBE (ward, sick)", [(0, 1), (0,), (1,), ()]),
        ("GROUPING SETS ((ward), (sick), ())", [(0,), (1,), ()]),
        ("GROUPING SETS (ward, (ward, sick))", [(0,), (0, 1)]),
        ("ward, ROLLUP (sick)", [(0, 1), (0,)]),
        ("ROLLUP ((ward, sick))", [(0, 1), ()]),
        ("ward, ward", [(0,)]),
        ("GROUPING SETS ((ward), (ward))", [(0,)]),
    ],
)
def test_which_keys_each_grouping_has(group: str, sets: list[tuple[int, ...]]) -> None:
    assert list(asked(ENGINE, f"SELECT COUNT(*) FROM visits GROUP BY {group}").sets) == sets


@pytest.mark.parametrize(
    "group", ["ROLLUP (ward, sick)", "CUBE (ward, sick)", "GROUPING SETS ((ward), (sick), ())", "ward, sick"]
)
def test_every_grouping_has_the_rows_of_duckdb(group: str) -> None:
    assert_same(f"SELECT ward, sick, COUNT(*) AS n, SUM(cost) AS c FROM visits GROUP BY {group}")


@pytest.mark.parametrize("group", ["ROLLUP (ward, sick)", "CUBE (sick, ward)", "GROUPING SETS ((sick), (ward, sick))"])
@pytest.mark.parametrize(
    "asked_for",
    [
        "ward, sick, GROUPING(ward) AS g, GROUPING(sick, ward) AS h, COUNT(*) AS n FROM visits GROUP BY {}",
        "GROUPING_ID(ward, sick) * 10 AS g, CASE WHEN GROUPING(ward) = 1 THEN 'all' ELSE ward END AS w, sick, "
        "SUM(cost) AS c FROM visits GROUP BY {} HAVING GROUPING(sick) = 0 ORDER BY GROUPING(ward), c",
    ],
)
def test_groupings_have_the_numbers_of_duckdb(asked_for: str, group: str) -> None:
    assert_same(f"SELECT {asked_for.format(group)}")


def test_of_one_grouping_the_number_is_a_constant() -> None:
    ((_, found), _) = asked(ENGINE, "SELECT GROUPING(ward), COUNT(*) FROM visits GROUP BY ward").finish.outputs
    assert found == Literal(0, Type.INTEGER)


def test_the_number_of_a_grouping_is_no_noisy_value() -> None:
    text = "SELECT ward, GROUPING(ward) AS g, COUNT(*) AS n FROM visits GROUP BY ROLLUP (ward)"
    outputs = dict(asked(ENGINE, text).finish.outputs)
    assert find_aggregates(outputs["g"]) == ()
    assert len(asked(ENGINE, text).aggregates) == 1, "nothing is measured for it"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("SELECT GROUPING(age), COUNT(*) FROM visits GROUP BY ward", "takes columns of GROUP BY"),
        ("SELECT GROUPING(patient), COUNT(*) FROM visits GROUP BY ROLLUP (ward)", "takes columns of GROUP BY"),
        ("SELECT GROUPING(ward) FROM visits", "takes columns of GROUP BY"),
        (f"SELECT GROUPING({', '.join(['ward'] * 31)}), COUNT(*) FROM visits GROUP BY ward", "1 to 30 columns"),
        ("SELECT COUNT(*) FROM visits WHERE GROUPING(ward) = 1", "an aggregate cannot stand here"),
        ("SELECT SUM(g) FROM (SELECT patient, GROUPING(ward) AS g FROM visits GROUP BY patient, ward)", "COUNT, SUM"),
    ],
)
def test_groupings_of_what_is_no_key_are_refused(text: str, part: str) -> None:
    assert part in refusal(ENGINE, text)


def test_what_is_refused() -> None:
    many = ", ".join(f"age + {place}" for place in range(7))
    assert "CUBE takes 6 columns" in refusal(ENGINE, f"SELECT COUNT(*) FROM visits GROUP BY CUBE ({many})")
    rolled = ", ".join(f"ROLLUP (age + {place}, age * {place})" for place in range(2, 6))
    assert "81 groupings at once" in refusal(ENGINE, f"SELECT COUNT(*) FROM visits GROUP BY {rolled}")
    assert "would be about single people" in refusal(
        ENGINE, "SELECT COUNT(*) FROM visits GROUP BY CUBE (ward, patient)"
    )
