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
        assert answer["ward"] == ["north", "south", "icu"]
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


WINDOWS = "SELECT ward, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS total, RANK() OVER (ORDER BY COUNT(*) DESC) AS r"
AGAIN = "SELECT MAX(n) AS most, AVG(n) AS mean FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)"


def test_computing_across_released_rows_is_free_and_shown_everywhere(tmp_path: Path) -> None:
    """The plain question is charged once; windows and aggregates over its answer are the same release."""
    with open_clinic(tmp_path, epsilon=10.0) as curator:
        plain = curator.ask("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", 1.0)
        spent = curator.ledger.head
        windows, again = curator.ask(f"{WINDOWS} FROM visits GROUP BY ward", 1.0), curator.ask(AGAIN, 1.0)
        assert curator.ledger.head == spent
        assert {windows.receipt.mark, again.receipt.mark} == {plain.receipt.mark}
        assert windows["n"] == plain["n"]
        numbers = [int(str(each)) for each in plain["n"]]
        assert windows["total"] == [sum(numbers)] * 3
        assert sorted(int(str(each)) for each in windows["r"]) == [1, 2, 3]
        assert (again["most"], again["mean"]) == ([max(numbers)], [pytest.approx(sum(numbers) / 3)])
        for answer in (windows, again):
            assert all(str(number) in answer.to_csv() for number in answer.rows[0])
            assert '"interval": "conservative' in answer.to_json()
            assert "conservative" in str(answer)
            assert "<table" in answer._repr_html_()
            answer.plot(tmp_path / "picture.svg")
        assert "guarantee" in str(curator.explain(AGAIN, 1.0))


def test_an_answer_of_no_rows_is_aggregated_to_one_row_without_intervals(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=10.0) as curator:
        answer = curator.ask(f"{AGAIN} WHERE n > 1000000000", 1.0)
        assert answer.rows == ((None, None),)
        assert answer.bounds(0.95, True) == ((None, None),)


def test_columns_that_are_constants_order_nothing(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=100.0) as curator:
        plain = curator.ask("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC", 1.0)
        for constant in ("FALSE", "7", "'x'", "DATE '2026-01-01'", "NULL"):
            text = f"SELECT {constant} AS c, ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY 1, c DESC, n DESC"
            answer = curator.ask(text, 1.0)
            assert answer.receipt.paid == "free"
            assert [row[1:] for row in answer.rows] == list(plain.rows)
