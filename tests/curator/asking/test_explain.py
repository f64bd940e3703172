"""What a question would do and cost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from discreet.base.errors import LedgerError
from discreet.curator import Curator
from discreet.query.price import Price
from support import shop
from support.clinic import open_clinic


def test_many_quantiles_cost_what_one_tree_costs(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:

        def asked(count: int) -> Price:
            listed = ", ".join(f"QUANTILE_CONT(cost, {place / 100}) AS q{place}" for place in range(1, count + 1))
            return curator.explain(f"SELECT {listed} FROM visits", 0.2).priced

        few, many, more = asked(3), asked(40), asked(60)
        assert len(few.noises) == 3, "few are drawn one by one"
        assert len(many.noises) == 1
        assert many.noises == more.noises
        assert few.charge.epsilon == many.charge.epsilon == more.charge.epsilon


def test_an_explanation_says_what_bounds_and_what_it_costs(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
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
    with open_clinic(tmp_path / "other", neighbours="replace") as curator:
        assert "replace another" in str(curator.explain("SELECT COUNT(*) FROM visits", 0.2))


def test_an_explanation_tells_of_joins_selected_keys_and_sets(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
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
    with open_clinic(tmp_path) as curator:
        told = str(curator.explain("SELECT CORR(age, cost) FROM visits", 1, max_rows=1))
        for part in ("sum of products of age and cost", "correlation of age and cost", "keeps one row at most"):
            assert part in told


def test_keys_and_paths_are_told_in_words_and_a_changed_path_is_another_policy(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(shop.POLICY)
    Curator.init(path)
    with Curator.open(path, None, shop.make_shop()) as curator:
        told = str(curator.explain("SELECT COUNT(*) FROM lineitem JOIN orders USING (orderkey)", 0.5))
        assert "lineitem, unit: custkey (through orderkey -> orders.orderkey)" in told
        assert "orders, unit: custkey, one row of a unit for each orderkey, 8 rows of a unit" in told
        assert "a unit keeps 24 rows at most" in told
        assert "lineitem (unit: custkey (through orderkey -> orders.orderkey); max_rows = " in str(curator.tables)
        joined = curator.explain("SELECT COUNT(*) FROM orders a JOIN orders b USING (orderkey)", 0.5)
        assert "note       `JOIN orders AS b USING (orderkey)`: only rows of the same custkey are joined" in str(joined)
        answer = curator.ask("SELECT COUNT(*), COUNT(DISTINCT custkey) FROM shipment", 1.0)
        assert len(answer.rows) == 1
        assert curator.bounds("lineitem.quantity", 1.0).column == "quantity"
    path.write_text(shop.POLICY.replace('"orderkey -> orders.orderkey"', '"line -> orders.orderkey"'))
    with pytest.raises(LedgerError, match=r"tables.lineitem.through was .orderkey -> orders.orderkey. and is .line"):
        Curator.open(path, None, shop.make_shop())


def test_a_mean_is_previewed_for_an_assumed_number_of_values_and_says_which(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        whole = str(curator.explain("SELECT AVG(cost) FROM visits", 0.5))
        said = r"mean .*: \+- [\d.]+ at 95% where it is of 1,000,000 values \(assumed: the table's size\)"
        assert re.search(said, whole)
        wards = str(curator.explain("SELECT ward, AVG(cost) FROM visits GROUP BY ward", 0.5))
        assert "where it is of 333,333 values (assumed: the table's size over its 3 groups)" in wards
        data = str(curator.explain("SELECT doctor, AVG(cost) FROM visits GROUP BY doctor", 0.5))
        assert "where it is of 1,000 values (assumed: groups of this size)" in data
        tiny = str(curator.explain("SELECT doctor, AVG(cost) FROM visits GROUP BY doctor", 0.0001))
        assert "more than its bounds where it is of 1,000 values" in tiny


def test_what_is_previewed_of_a_mean_is_what_within_finds(tmp_path: Path) -> None:
    """With a declared min_count both are one bound."""
    with open_clinic(tmp_path, limits="max_rows = 3\nmin_count = 500") as curator:
        text = "SELECT AVG(cost) AS m FROM visits"
        priced = curator.prepare(text, within={"m": 300}).priced
        told = str(curator.explain(text, float(priced.charge.epsilon)))
        found = re.search(r"\+- ([\d.]+) at 95% where it is of 500 values \(assumed: the min_count", told)
        assert found is not None
        assert 295 <= float(found[1]) <= 300
