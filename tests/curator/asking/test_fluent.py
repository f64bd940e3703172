"""Questions written in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.base.errors import QueryError
from discreet.curator.asking.columns import col
from support.clinic import open_clinic


def test_the_fluent_api_is_the_same_question_as_sql(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
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
    with open_clinic(tmp_path, epsilon=50) as curator:
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


def test_columns_may_be_made_from_col(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=50) as curator:
        table = curator.table("visits")
        assert table.mean(col.cost, epsilon=1).names == ("mean_cost",)
        assert table.mean("cost", epsilon=1).receipt.paid == "free"
        assert table.sum(col.age * 2, epsilon=1).names == ("sum",)
        assert table.median(col["cost"], epsilon=1).names == ("median_cost",)
        assert table.count(col.age, epsilon=1).names == ("n",)
        assert table.quantiles(col.cost, [0.5], epsilon=1).names == ("q0.5_cost",)
        with pytest.raises(QueryError, match="'cost' was not selected"):
            table.select("age").mean(col.age + col.cost, epsilon=1)
        assert table.select("age").where(col.ward == "cost").mean(col.age, epsilon=1)
        with pytest.raises(QueryError, match="a column is a name, or made from col, not int"):
            table.mean(7, epsilon=1)  # type: ignore[arg-type]


def test_several_aggregates_are_one_question(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=50) as curator:
        table = curator.table("visits").group_by("ward")
        answer = table.agg({"n": "COUNT(*)"}, total=col.cost.sum(), mean_age=col.age.mean(), epsilon=1)
        assert answer.names == ("ward", "n", "total", "mean_age")
        text = "SELECT ward, COUNT(*) AS n, SUM(cost) AS total, AVG(age) AS mean_age FROM visits GROUP BY ward"
        assert curator.ask(text, 1).receipt.paid == "free"
        every = {
            "a": col.age.count(),
            "b": col.age.median(),
            "c": col.age.min(),
            "d": col.age.max(),
            "e": col.age.variance(),
            "f": col.age.quantile(0.25),
        }
        assert table.agg(every, epsilon=1).names == ("ward", *"abcdef")
        with pytest.raises(QueryError, match="at least one aggregate"):
            table.agg(epsilon=1)
        with pytest.raises(QueryError, match="SQL text, or made from col, not int"):
            table.agg({"n": 3}, epsilon=1)  # type: ignore[dict-item]
        with pytest.raises(QueryError):
            table.agg({"n": "COUNT(*) FROM visits; SELECT 1"}, epsilon=1)


def test_groups_may_be_expressions_with_a_name(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=50) as curator:
        table = curator.table("visits")
        answer = table.group_by(decade=col.age // 10 * 10).count(epsilon=1)
        assert answer.names == ("decade", "n")
        assert [row[0] for row in answer.rows] == list(range(0, 120, 10))
        same = curator.ask("SELECT age // 10 * 10 AS decade, COUNT(*) AS n FROM visits GROUP BY 1", 1)
        assert same.receipt.paid == "free"
        assert table.group_by("ward", old=col.age >= 65).count(epsilon=1).names == ("ward", "old", "n")
        with pytest.raises(QueryError, match="an expression needs a name here"):
            table.group_by(col.age // 10)


def test_groups_may_be_months_and_other_parts_of_dates(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=50) as curator:
        table = curator.table("visits").where(col.day.extract("year") == 2026)
        answer = table.group_by(month=col.day.truncate("month")).count(epsilon=1)
        same = (
            "SELECT date_trunc('month', day) AS month, COUNT(*) AS n FROM visits WHERE extract(year FROM day) = 2026 "
            "GROUP BY 1"
        )
        assert curator.ask(same, 1).rows == answer.rows
        assert curator.ask(same, 1).receipt.paid == "free"
        with pytest.raises(QueryError, match="fortnight"):
            table.group_by(half=col.day.truncate("fortnight")).count(epsilon=1)


def test_columns_are_selected_as_they_are(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        table = curator.table("visits")
        assert table.select(col.age, "ward") == table.select("age", "ward")
        with pytest.raises(QueryError, match="select takes columns as they are"):
            table.select(col.age * 2)


def test_a_question_being_written_shows_what_it_is_about(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        table = curator.table("visits").where(col.age > 3).where("ward = 'icu'").group_by("ward")
        assert repr(table) == (
            """question about "visits" WHERE (("age" > 3)) AND (ward = 'icu') GROUP BY "ward"; """
            "an aggregate such as count(epsilon=0.2) asks it"
        )


def test_bins_of_one_width_lie_between_the_declared_bounds(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=50) as curator:
        table = curator.table("visits")
        ages = table.histogram("age", width=10, epsilon=10)
        assert ages.names == ("age", "n")
        assert [row[0] for row in ages.rows] == list(range(0, 120, 10))
        costs = table.histogram(col.cost, width=500, epsilon=1)
        assert [row[0] for row in costs.rows] == [500 * place for place in range(11)]
        assert table.histogram(col.cost * 2, width=2500, epsilon=1).names == ("bin", "n")
        for wrong in (0, -1, float("inf"), float("nan"), True, "10"):
            with pytest.raises(QueryError, match="width must be a number above 0"):
                table.histogram("age", width=wrong, epsilon=1)  # type: ignore[arg-type]
