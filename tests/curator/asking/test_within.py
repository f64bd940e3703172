"""The least epsilon for an error."""

from __future__ import annotations

from pathlib import Path

from support.clinic import clinic


def test_within_finds_the_least_epsilon(tmp_path: Path) -> None:
    sql = "SELECT COUNT(*) AS n, SUM(cost) AS s FROM visits"
    with clinic(tmp_path, epsilon=100) as curator:
        priced = curator.explain(sql, within={"n": 50, "s": 100_000}).priced
        answer = curator.ask(sql, within={"n": 50, "s": 100_000})
        ((n, s),) = answer.bounds(0.95, False)
        assert n is not None
        assert s is not None
        assert float(n[1]) - float(n[0]) <= 100
        assert float(s[1]) - float(s[0]) <= 200_000
        assert max((float(n[1]) - float(n[0])) / 100, (float(s[1]) - float(s[0])) / 200_000) > 0.97
        assert priced.charge == answer.cost


def test_means_need_a_declared_minimum_count(tmp_path: Path) -> None:
    limits = "max_rows = 3\nmin_count = 300"
    with clinic(tmp_path, limits=limits, epsilon=100) as curator:
        answer = curator.ask("SELECT AVG(age) AS a FROM visits", within={"a": 10})
        ((bound,),) = answer.bounds(0.95, False)
        assert bound is not None
        assert float(bound[1]) - float(bound[0]) <= 20
