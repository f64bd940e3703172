"""Finishing: SQL over what was released."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.base.errors import QueryError
from discreet.curator.estimates.values import Values
from discreet.curator.release.finish import finish_rows
from discreet.curator.release.released import Released, ReleasedSet
from support.clinic import open_clinic


def test_finishing_sorts_by_key_first_and_keeps_wide_numbers(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=100.0) as curator:
        answer = curator.ask(
            "SELECT ward, COUNT(*) * 1000000000000000000 AS wide, ROUND(AVG(cost), -1) AS r, COUNT(*) / 0 AS z "
            "FROM visits GROUP BY ward HAVING COUNT(*) > 0",
            50.0,
        )
        assert answer["ward"] == ["icu", "north", "south"]
        assert all(int(str(wide)) % 10**18 == 0 for wide in answer["wide"])
        assert all(float(str(r)) % 10 == 0 for r in answer["r"])
        assert answer["z"] == [None] * 3


def test_arithmetic_beyond_38_digits_is_a_clear_error(tmp_path: Path) -> None:
    """A sum may be wider than any column, so this shows only when it is there: the values are recorded by then."""
    with open_clinic(tmp_path) as curator:
        sql = "SELECT SUM(age) * 1000000000000000000 AS wide FROM visits"
        prepared = curator.prepare(sql, 0.5)
        question, priced = prepared.question, prepared.priced
    values = Values(question.aggregates, priced, Released((ReleasedSet(((2**100,),)),)))
    with pytest.raises(QueryError, match="38 digits"):
        finish_rows(question.finish, (), values)
