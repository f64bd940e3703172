"""Finished rows of several answers: values of the others in place, and intervals that hold the noise of all."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.answers.fields import Number
from discreet.base.errors import QueryError
from discreet.curator.release import finish
from discreet.mechanisms import Laplace
from support.clinic import open_clinic

TOTAL = "(SELECT COUNT(*) FROM visits)"
WARDS = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"


def _halve(interval: tuple[Number, Number] | None) -> float:
    """Return half of the width of an interval."""
    assert interval is not None
    return (float(interval[1]) - float(interval[0])) / 2


def test_shares_of_one_release_add_up(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=10) as curator:
        answer = curator.ask(f"WITH t AS ({WARDS}) SELECT ward, n / (SELECT SUM(n) FROM t) AS s FROM t", 0.1)
        assert sum(float(str(share)) for _, share in answer.rows) == pytest.approx(1)


def test_intervals_hold_the_noise_of_every_answer(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=10) as curator:
        answer = curator.ask(f"SELECT COUNT(*) - {TOTAL} AS gap, {TOTAL} AS n FROM visits WHERE age >= 0", 0.1)
        ((gap, total),) = answer.bounds_at(0.95)
        noise = curator.prepare("SELECT COUNT(*) FROM visits", 0.05).priced.noises[0]
        assert isinstance(noise, Laplace)
        assert _halve(total) == noise.interval(0.95)
        assert _halve(gap) == 2 * noise.interval(0.975)
        assert [field.noisy for field in answer.fields] == [True, True]
        assert answer.fields[1].remark == "exact"


def test_intervals_at_once_count_every_answer(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=10) as curator:
        answer = curator.ask(f"SELECT COUNT(*) AS n, {TOTAL} AS total FROM visits WHERE age >= 0", 0.1)
        noise = curator.prepare("SELECT COUNT(*) FROM visits", 0.05).priced.noises[0]
        assert isinstance(noise, Laplace)
        ((own, other),) = answer.bounds_at(0.9, simultaneous=True)
        assert _halve(own) == _halve(other) == noise.interval(0.95)


def test_rows_that_an_answer_chose_leave_no_interval_across_them(tmp_path: Path) -> None:
    text = f"SELECT SUM(n) AS s FROM ({WARDS}) WHERE ward > 'a' AND {TOTAL} > 3"
    with open_clinic(tmp_path, epsilon=10) as curator:
        assert curator.prepare(text, 1.0).fields[0].remark.startswith("none: noisy values decide")


def test_intervals_of_joined_answers_hold_the_noise_of_both(tmp_path: Path) -> None:
    other = "SELECT ward, COUNT(*) AS m FROM visits WHERE age >= 0 GROUP BY ward"
    joined = f"({WARDS}) a JOIN ({other}) b USING (ward) JOIN wards w USING (ward)"
    text = f"SELECT ward, n - m AS gap, m, beds, n * beds AS x FROM {joined}"
    with open_clinic(tmp_path, epsilon=10) as curator:
        answer = curator.ask(text, 0.2)
        noise = curator.prepare(WARDS, 0.1).priced.noises[0]
        assert isinstance(noise, Laplace)
        for (_, _, m, beds, _), bounds in zip(answer.rows, answer.bounds_at(0.95), strict=True):
            key, gap, other_m, public, product = bounds
            assert key is None
            assert public is None
            assert _halve(gap) == 2 * noise.interval(0.975)
            assert other_m is not None
            assert float(other_m[0]) + _halve(other_m) == m
            assert _halve(product) == noise.interval(0.95) * int(str(beds))
        assert [field.noisy for field in answer.fields] == [False, True, True, False, True]


def test_what_is_computed_across_joined_rows_has_no_interval(tmp_path: Path) -> None:
    """A row may stand there several times, and so may its noise."""
    with open_clinic(tmp_path, epsilon=10) as curator:
        text = f"SELECT SUM(n) AS s FROM ({WARDS}) t JOIN prices USING (ward)"
        assert curator.prepare(text, 1.0).fields[0].remark.startswith("none: rows were joined")
        assert curator.prepare(f"SELECT SUM(n) AS s FROM ({WARDS}) t", 1.0).fields[0].remark.startswith("conservative")


def test_joins_that_make_too_many_rows_are_refused_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"SELECT t.ward, n, price FROM ({WARDS}) t JOIN prices USING (ward)"
    with open_clinic(tmp_path, epsilon=10) as curator:
        monkeypatch.setattr(finish, "MOST_JOINED", 5)
        with pytest.raises(QueryError, match="join on more columns"):
            curator.ask(text, 1.0)
        monkeypatch.setattr(finish, "MOST_JOINED", 6)
        answer = curator.ask(text, 1.0)
        assert (len(answer.rows), answer.receipt.paid) == (6, "free")
