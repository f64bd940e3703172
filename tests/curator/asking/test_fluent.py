"""Questions written in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.base.errors import QueryError
from discreet.curator.asking.columns import col
from support.clinic import clinic


def test_the_fluent_api_is_the_same_question_as_sql(tmp_path: Path) -> None:
    with clinic(tmp_path) as curator:
        table = curator.table("visits")
        sql = curator.ask("SELECT ward, COUNT(*) AS n FROM visits WHERE age >= 65 GROUP BY ward", 0.2)
        for same in (
            table.where("age >= 65").group_by("ward").count(epsilon=0.2),
            table.where(col.age >= 65).histogram("ward", epsilon=0.2),
            table.select("age", "ward").where("age >= 65").group_by("ward").count(epsilon=0.2),
        ):
            assert same.rows == sql.rows
            assert same.receipt.paid == "free"


def test_every_fluent_aggregate_answers(tmp_path: Path) -> None:
    with clinic(tmp_path, epsilon=50) as curator:
        table = curator.table("visits").join("wards", on="ward")
        assert table.group_by("city").count("age", epsilon=1).names == ("city", "n")
        assert table.count_units("patient_id", epsilon=1).names == ("n",)
        assert table.sum("cost", epsilon=1).names == ("sum_cost",)
        assert table.mean("cost", epsilon=1).names == ("mean_cost",)
        assert table.variance("cost", epsilon=1).names == ("variance_cost",)
        assert table.median("cost", epsilon=1).names == ("median_cost",)
        several = table.quantiles("cost", [0.25, 0.75], epsilon=1)
        assert several.names == ("q0.25_cost", "q0.75_cost")
        assert curator.table("visits").join("wards", on=["ward"], how="left").count(epsilon=1).rows
        wards = curator.table("wards")
        assert curator.table("visits").join(wards, on="ward").count(epsilon=1).rows == table.count(epsilon=1).rows
        with pytest.raises(QueryError, match="filter after joining"):
            table.join(wards.where("beds > 3"), on="ward")
        with pytest.raises(QueryError, match="a table or its name, not int"):
            table.join(7, on="ward")  # type: ignore[arg-type]
        with pytest.raises(QueryError, match="not selected"):
            table.select("age").sum("cost", epsilon=1)
        with pytest.raises(QueryError, match="inner"):
            table.join("wards", on="ward", how="outer")
