"""What a question would do and cost."""

from __future__ import annotations

from pathlib import Path

from discreet.query.price import Price
from support.clinic import clinic


def test_many_quantiles_cost_what_one_tree_costs(tmp_path: Path) -> None:
    with clinic(tmp_path) as curator:

        def asked(count: int) -> Price:
            listed = ", ".join(f"QUANTILE_CONT(cost, {place / 100}) AS q{place}" for place in range(1, count + 1))
            return curator.explain(f"SELECT {listed} FROM visits", 0.2).priced

        few, many, more = asked(3), asked(40), asked(60)
        assert len(few.noises) == 3, "few are drawn one by one"
        assert len(many.noises) == 1
        assert many.noises == more.noises
        assert few.charge.epsilon == many.charge.epsilon == more.charge.epsilon


def test_an_explanation_says_what_bounds_and_what_it_costs(tmp_path: Path) -> None:
    with clinic(tmp_path) as curator:
        told = str(curator.explain("SELECT ward, SUM(cost), MEDIAN(cost) FROM visits GROUP BY ward", 0.2))
        for part in (
            "unit: patient_id",
            "ward (3): 3 rows",
            "max_rows = 3",
            "sum of cost",
            "50%",
            "more questions",
        ):
            assert part in told
    with clinic(tmp_path / "other", neighbours="replace") as curator:
        assert "replace another" in str(curator.explain("SELECT COUNT(*) FROM visits", 0.2))


def test_an_explanation_tells_of_joins_selected_keys_and_sets(tmp_path: Path) -> None:
    with clinic(tmp_path) as curator:
        told = str(
            curator.explain(
                "SELECT COUNT(*) FROM visits a JOIN visits b USING (patient_id) JOIN wards w ON w.ward = a.ward", 1
            )
        )
        for part in ("3 rows of a unit at most before it is joined", "wards (public), one row at most", "keeps 9 rows"):
            assert part in told
        told = str(
            curator.explain(
                "SELECT ward || '!' AS w, patient_id % 7 AS p, COUNT(*) FROM visits GROUP BY CUBE (w, p)", 1
            )
        )
        assert "ward (3): 3 rows" in told.replace("an expression of ward", "ward")
        assert "those that a private selection keeps" not in told, "remainders of 7 are public"
        told = str(curator.explain("SELECT patient_id // 7 AS p, SUM(cost) FROM visits GROUP BY p", 1))
        assert "those that a private selection keeps" in told
        assert "keys come from the data, selected privately" in told
        inner = "SELECT patient_id, SUM(cost) AS total FROM visits GROUP BY patient_id"
        assert "sum of the sum of cost of each unit" in str(curator.explain(f"SELECT SUM(total) FROM ({inner})", 1))


def test_pairs_are_told_by_both_columns_and_one_row_is_one_row(tmp_path: Path) -> None:
    with clinic(tmp_path) as curator:
        told = str(curator.explain("SELECT CORR(age, cost) FROM visits", 1, max_rows=1))
        for part in ("sum of products of age and cost", "correlation of age and cost", "keeps one row at most"):
            assert part in told
