"""Finishing: SQL over what was released."""

from __future__ import annotations

from pathlib import Path

from clinic import clinic


def test_finishing_sorts_by_key_first_and_keeps_wide_numbers(tmp_path: Path) -> None:
    with clinic(tmp_path, epsilon=10.0) as curator:
        answer = curator.ask(
            "SELECT ward, COUNT(*) * 1000000000000000000 AS wide, ROUND(AVG(cost), -1) AS r, COUNT(*) / 0 AS z "
            "FROM visits GROUP BY ward HAVING COUNT(*) > 0",
            1.0,
        )
        assert answer["ward"] == ["icu", "north", "south"]
        assert all(int(str(wide)) % 10**18 == 0 for wide in answer["wide"])
        assert all(float(str(r)) % 10 == 0 for r in answer["r"])
        assert answer["z"] == [None] * 3
