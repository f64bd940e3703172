"""Decimals are as exact as in DuckDB, and so are sums inside one unit: held to DuckDB's own answers on small orders."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from discreet.engines.engines import Engines
from support.hospital import answered, bounded, engine_of, refusal, sums

POLICY = """
[budget]
epsilon = 1
[tables.lineitem]
unit = "person"
max_rows = 100
[tables.lineitem.columns]
l_quantity = { lower = 0, upper = 50 }
l_extendedprice = { lower = 0, upper = 100000 }
l_discount = { lower = 0, upper = 0.1 }
l_tax = { lower = 0, upper = 0.08 }
weight = { lower = 0, upper = 1000 }
stepped = { lower = 0, upper = 10, step = 0.1 }
far = { lower = 1e15, upper = 1.00001e15 }
"""


def make_lineitem() -> pa.Table:
    chance = random.Random(14)
    rows = 3000
    prices = pa.decimal128(15, 2)
    hundredths = [Decimal(chance.randrange(11)).scaleb(-2) for _ in range(rows)]
    return pa.table(
        {
            "person": pa.array([chance.randrange(300) for _ in range(rows)], pa.int64()),
            "l_quantity": pa.array([Decimal(chance.randrange(1, 51)) for _ in range(rows)], prices),
            "l_extendedprice": pa.array([Decimal(chance.randrange(10**7)).scaleb(-2) for _ in range(rows)], prices),
            "l_discount": pa.array(hundredths, prices),
            "l_tax": pa.array([Decimal(chance.randrange(9)).scaleb(-2) for _ in range(rows)], prices),
            "l_shipdate": pa.array([8766 + chance.randrange(700) for _ in range(rows)], pa.int32()).cast(pa.date32()),
            "weight": pa.array([chance.randrange(10**5) / 100 for _ in range(rows)], pa.float64()),
            "stepped": pa.array([chance.randrange(100) / 10 for _ in range(rows)], pa.float64()),
            "far": pa.array([1e15 + chance.randrange(1000) for _ in range(rows)], pa.float64()),
            "wide": pa.array([Decimal(chance.randrange(10**20)).scaleb(-9) for _ in range(rows)], pa.decimal128(38, 9)),
            "code": pa.array([str(each) for each in hundredths], pa.string()),
        }
    )


LINEITEM = make_lineitem()


@pytest.fixture(scope="module")
def engine() -> Engines:
    return engine_of(POLICY, {"lineitem": LINEITEM})


def ask_duckdb(text: str) -> list[tuple[Any, ...]]:
    connection = duckdb.connect()
    connection.register("lineitem", LINEITEM)
    return connection.execute(text).fetchall()


@pytest.mark.many
@pytest.mark.parametrize(
    "condition",
    [
        "l_discount <= 0.06 + 0.01",
        "l_discount * 100 = 7",
        "l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01",
        "l_discount IN (0.05, 0.070, 1)",
        "l_discount = 0.3 - 0.2 - 0.03",
        "l_extendedprice * (1 - l_discount) >= 50000",
        "l_extendedprice * (1 - l_discount) * (1 + l_tax) > 50000.123456",
        "l_quantity % 0.7 = 0.3",
        "ROUND(l_extendedprice, 1) = ROUND(l_extendedprice, -1)",
        "FLOOR(l_extendedprice * 0.01) = 417 OR CEIL(-l_extendedprice * 0.01) = -5",
        "TRUNC(l_extendedprice / 3) = 12",
        "l_quantity > person",
        "CASE WHEN l_tax > 0.04 THEN l_discount ELSE 1 END = 0.07",
        "COALESCE(NULLIF(l_discount, 0.07), 0.5) = 0.5",
        "GREATEST(l_discount, l_tax, 0.05) = 0.05",
        "CAST(l_extendedprice AS INTEGER) % 10 = 5",
        "CAST(l_extendedprice AS DECIMAL(9, 1)) = 99.9 + l_quantity * 1000",
        "CAST(code AS DECIMAL(3, 1)) = 0.1",
        "CAST(weight AS DECIMAL(9, 1)) = CAST(weight AS DECIMAL(9, 2))",
        "TRY_CAST(l_extendedprice AS DECIMAL(4, 2)) IS NULL",
        "weight < l_quantity * 10",
        "l_discount / 2 = 0.035",
        "wide * 2 > 50000000000.5",
        "wide - l_quantity < 100.000000001",
        "l_discount = 7e-2",
    ],
)
def test_conditions_keep_the_rows_that_duckdb_keeps(engine: Engines, condition: str) -> None:
    text = f"SELECT COUNT(*) FROM lineitem WHERE {condition}"
    assert [tuple(row) for row in sums(answered(engine, text))] == ask_duckdb(text)


Q6 = (
    "SELECT SUM(l_extendedprice * l_discount) AS revenue FROM lineitem WHERE l_shipdate >= DATE '1994-01-01' "
    "AND l_shipdate < DATE '1995-01-01' AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24"
)


@pytest.mark.parametrize(
    "text",
    [
        Q6,
        "SELECT SUM(l_extendedprice) FROM lineitem",
        "SELECT SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)) FROM lineitem",
        "SELECT SUM(l_discount * 0.001) FROM lineitem",
        "SELECT SUM(ROUND(l_extendedprice, 1)) FROM lineitem",
    ],
)
def test_sums_of_decimals_are_exact(engine: Engines, text: str) -> None:
    (measure,) = bounded(engine, text).plan.measures
    assert measure.grid is not None
    ((found,),), ((expected,),) = sums(answered(engine, text)), ask_duckdb(text)
    assert found * measure.grid.step == Fraction(expected)


def count_units(having: str) -> str:
    return f"SELECT COUNT(*) FROM (SELECT person FROM lineitem GROUP BY person HAVING {having}) AS t"


@pytest.mark.parametrize(
    "having",
    [
        "SUM(l_quantity) > 100",
        "SUM(l_quantity) = 250",
        "SUM(l_discount) >= 0.5",
        "SUM(l_discount) = 0.49",
        "SUM(l_discount * l_tax) > 0.0199",
        "SUM(l_extendedprice) * 2 > 900000.01",
        "MIN(l_discount) = 0.01 OR MAX(l_discount) = 0.07",
        "AVG(l_quantity) >= 25.5",
        "AVG(l_discount) = 0.05",
        "SUM(CAST(l_quantity AS INTEGER)) > 250",
    ],
)
def test_sums_inside_one_unit_are_exact(engine: Engines, having: str) -> None:
    text = count_units(having)
    assert [tuple(row) for row in sums(answered(engine, text))] == ask_duckdb(text)
    assert bounded(engine, text).coarsened == ()


@pytest.mark.parametrize("edge", ["50", "45.6", "49.9", "51.30"])
@pytest.mark.parametrize("column", ["stepped", "weight / 100"])
def test_sums_of_floats_inside_one_unit_are_what_decimals_would_be(engine: Engines, column: str, edge: str) -> None:
    text = count_units(f"SUM({column}) >= {edge}")
    exact = text.replace("stepped", "stepped::DECIMAL(9, 1)").replace("weight / 100", "weight::DECIMAL(9, 2) * 0.01")
    assert [tuple(row) for row in sums(answered(engine, text))] == ask_duckdb(exact)


def test_a_sum_inside_one_unit_that_is_rounded_says_so(engine: Engines) -> None:
    (remark,) = bounded(engine, count_units("SUM(far) > 5e15")).coarsened
    assert remark.startswith("inside one unit, far is rounded to multiples of")


def test_decimals_are_keys_each_by_itself(engine: Engines) -> None:
    text = "SELECT l_discount, COUNT(*) FROM lineitem GROUP BY l_discount"
    (found,) = answered(engine, text).sets
    assert dict(zip((key for (key,) in found.keys or ()), found.sums[0], strict=True)) == {
        Fraction(key): count for key, count in ask_duckdb(text)
    }


@pytest.mark.parametrize(
    "text",
    [
        "SELECT l_discount, COUNT(*) FROM lineitem WHERE l_discount IN (0.01, 0.07) GROUP BY l_discount",
        "SELECT l_discount, COUNT(*) FROM lineitem WHERE l_discount = 0.06 + 0.01 GROUP BY l_discount",
        "SELECT l_discount * 2, COUNT(*) FROM lineitem WHERE l_discount * 2 IN (0.02, 0.14) GROUP BY l_discount * 2",
    ],
)
def test_decimals_that_are_listed_are_a_domain(engine: Engines, text: str) -> None:
    (key,) = bounded(engine, text).plan.keys
    assert key.domain == tuple(sorted(Fraction(value) for value, _ in ask_duckdb(text)))
    assert list(sums(answered(engine, text))[0]) == [count for _, count in sorted(ask_duckdb(text))]


def test_decimals_of_unions_have_one_last_place(engine: Engines) -> None:
    text = (
        "SELECT COUNT(*) FROM (SELECT l_discount AS x FROM lineitem UNION ALL SELECT l_tax * l_quantity FROM lineitem "
        "UNION ALL SELECT person FROM lineitem) AS t WHERE x >= 0.07"
    )
    assert [tuple(row) for row in sums(answered(engine, text))] == ask_duckdb(text)


def test_what_38_digits_do_not_hold_is_null(engine: Engines) -> None:
    ((found,),) = sums(answered(engine, "SELECT COUNT(*) FROM lineitem WHERE (wide * wide * wide) IS NULL"))
    assert found > 0
    assert "more than 37 digits behind the point" in refusal(
        engine, "SELECT COUNT(*) FROM lineitem WHERE wide * wide * wide * wide * wide > 0"
    )


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("CAST(weight AS DECIMAL(30, 2)) > 0", "a float has no more than 18 digits"),
        ("CAST(weight AS DECIMAL(3, 4)) > 0", "write DECIMAL(digits, behind the point)"),
        ("CAST(weight AS DECIMAL(39, 2)) > 0", "write DECIMAL(digits, behind the point)"),
    ],
)
def test_casts_that_cannot_be_are_refused(engine: Engines, text: str, part: str) -> None:
    assert part in refusal(engine, f"SELECT COUNT(*) FROM lineitem WHERE {text}")


def read_paid(folder: Path, kind: str, rows: str) -> Engines:
    (folder / "paid.csv").write_text(f"who,amount\n{rows}")
    policy = f"""
    [budget]
    epsilon = 1
    [tables.paid]
    source = "paid.csv"
    rows_are_units = true
    [tables.paid.columns]
    who = {{ type = "integer" }}
    amount = {{ type = "{kind}", lower = 0, upper = 10 }}
    """
    return engine_of(policy, {}, str(folder / "policy.toml"))


def test_a_csv_file_has_the_digits_that_the_policy_says(tmp_path: Path) -> None:
    rows = "1,0.07\n2,0.070\n3,1e-1\n4,12345678.00\n5,0.285\n6,nothing\n"
    engine = read_paid(tmp_path, "decimal(9,2)", rows)
    for condition, count in (("amount * 100 = 7", 2), ("amount = 0.29", 1), ("amount = 0.1", 1), ("amount IS NULL", 2)):
        assert sums(answered(engine, f"SELECT COUNT(*) FROM paid WHERE {condition}")) == ((count,),), condition


def test_decimals_of_unknown_digits_are_floats(tmp_path: Path) -> None:
    engine = read_paid(tmp_path, "decimal", "1,0.0712345\n")
    assert sums(answered(engine, "SELECT COUNT(*) FROM paid WHERE amount = 0.0712345")) == ((1,),)


@pytest.mark.parametrize("condition", ["SUM(x) = 0.3", "AVG(x) = 0.1"])
def test_three_tenths_of_one_unit_are_three_tenths(condition: str) -> None:
    policy = """
    [budget]
    epsilon = 1
    [tables.t]
    unit = "who"
    max_rows = 5
    [tables.t.columns]
    x = { lower = 0, upper = 10, step = 0.1 }
    """
    engine = engine_of(policy, {"t": pa.table({"who": pa.array([1, 1, 1]), "x": pa.array([0.1, 0.1, 0.1])})})
    text = f"SELECT COUNT(*) FROM (SELECT who FROM t GROUP BY who HAVING {condition}) AS q"
    assert sums(answered(engine, text)) == ((1,),)


@pytest.mark.parametrize("digits", [(18, 3), (17, 2), (18, 9), (12, 8), (19, 9), (18, 18), (37, 18)])
def test_no_value_is_too_large_to_be_answered_about(digits: tuple[int, int]) -> None:
    most = f"{10 ** digits[0] - 1}e-{digits[1]}"
    values = [Decimal(0), Decimal(most), Decimal(f"-{most}")]
    engine = engine_of(LARGE, {"t": pa.table({"v": pa.array(values, pa.decimal128(*digits))})})
    for condition in (f"v = {values[1]:f}", f"v = {values[2]:f}", "v > 0", "v < 0", "v = 0"):
        assert sums(answered(engine, f"SELECT COUNT(*) FROM t WHERE {condition}")) == ((1,),), condition
    assert sums(answered(engine, "SELECT SUM(v) FROM t"))[0][0] > 0


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ("v > 1000000000000", 0),
        ("v < 1000000000000", 2),
        ("v > -1e12", 2),
        ("v IN (1000000000000, 0)", 1),
        ("v IS DISTINCT FROM 1000000000000", 3),
        ("v + 1000000000000 > 0", 0),
        ("v % 1000000000000 = 0", 0),
        ("LEAST(v, 1000000000000) = 0", 1),
        ("NULLIF(v, 1000000000000) = 0", 1),
        ("COALESCE(v, 1000000000000) IS NULL", 1),
        ("CASE WHEN v = 0 THEN v ELSE 1000000000000 END IS NULL", 2),
    ],
)
def test_no_constant_is_too_large_beside_a_long_decimal(condition: str, count: int) -> None:
    values = pa.array([Decimal(0), Decimal("0.5"), None], pa.decimal128(37, 30))
    engine = engine_of(LARGE, {"t": pa.table({"v": values})})
    assert sums(answered(engine, f"SELECT COUNT(*) FROM t WHERE {condition}")) == ((count,),)


LARGE = """
[budget]
epsilon = 1
[tables.t]
rows_are_units = true
[tables.t.columns]
v = { lower = 0, upper = 0.5 }
"""
