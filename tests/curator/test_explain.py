"""What a question would do and cost."""

from __future__ import annotations

from pathlib import Path

from clinic import clinic


def test_several_quantiles_cost_what_one_costs(tmp_path: Path) -> None:
    with clinic(tmp_path) as curator:
        one = curator.explain("SELECT MEDIAN(cost) FROM visits", 0.2).priced
        two = curator.explain("SELECT MEDIAN(cost), QUANTILE_CONT(cost, 0.9) FROM visits", 0.2).priced
        assert one.noises == two.noises
        assert one.charge == two.charge


def test_an_explanation_says_what_bounds_and_what_it_costs(tmp_path: Path) -> None:
    with clinic(tmp_path) as curator:
        told = str(curator.explain("SELECT ward, SUM(cost), MEDIAN(cost) FROM visits GROUP BY ward", 0.2))
        for part in ("unit: patient_id", "ward (3): 3 rows", "max_rows = 3", "sum of cost", "50%", "more questions"):
            assert part in told
    with clinic(tmp_path / "other", neighbours="replace") as curator:
        assert "replace another" in str(curator.explain("SELECT COUNT(*) FROM visits", 0.2))
