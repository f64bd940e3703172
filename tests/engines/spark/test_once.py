"""A long argument is written once, however often a form needs it."""

from __future__ import annotations

from discreet.engines.once import SHORT
from discreet.engines.spark.once import compute_once, held


def test_a_short_argument_is_repeated_and_a_long_one_is_not() -> None:
    long = "x" * (SHORT + 1)
    assert compute_once(lambda x: f"{x} + {x}", "x" * SHORT).count("x") == 2 * SHORT
    assert compute_once(lambda x: f"{x} + {x}", long).count(long) == 1


def test_of_several_arguments_each_is_written_once_where_one_is_long() -> None:
    long = "y" * (SHORT + 1)
    found = compute_once(lambda a, b: f"{a} + {b} * {a} - {b}", "z", long)
    assert found.count(long) == 1
    assert found.count("z") == 1
    assert "v.x0 + v.x1 * v.x0 - v.x1" in found


def test_what_is_held_is_null_outside() -> None:
    assert held("x", "1", "2") == "(CASE WHEN x BETWEEN 1 AND 2 THEN x END)"
