"""The SQL of a finish: one SELECT, and one inside for each stage."""

from __future__ import annotations

from discreet.curator.release.finish_sql import write_finish
from discreet.plan.windows import find_computed
from support.hospital import asked
from support.oracle import ENGINE

INNER = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"


def test_every_stage_is_a_select_over_the_one_before() -> None:
    finish = asked(ENGINE, f"SELECT MAX(n) AS m FROM ({INNER} ORDER BY n LIMIT 2)").finish
    text = write_finish(finish)
    assert text.count("SELECT") == 3
    assert text.index("LIMIT 2") < text.index(") AS released")
    assert "visits" not in text


def test_what_an_interval_is_made_from_stands_beside_its_column() -> None:
    finish = asked(ENGINE, "SELECT ward, MAX(COUNT(*)) OVER (ORDER BY ward) AS m FROM visits GROUP BY ward").finish
    (column,) = find_computed(expression for _, expression in finish.outputs)
    text = write_finish(finish, column)
    assert f"max(released.{column.name}_low) OVER (ORDER BY" in text
    assert f"max(released.{column.name}_high) OVER (ORDER BY" in text
