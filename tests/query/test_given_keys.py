"""Keys that are handed in: read exactly or refused, whatever they come in."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.base.errors import DiscreetError, QueryError
from discreet.plan.bounded import JointKeys
from discreet.query.bound import bound
from discreet.query.given_keys import MOST_LETTERS, WrittenKeys, describe_keys, name_keys, read_keys
from support.hospital import asked, catalog_of, engine_of

ENGINE = engine_of()
TYPED = "SELECT {0} AS k, COUNT(*) AS n FROM visits GROUP BY {0}"
PAIR = "SELECT ward AS w, age, COUNT(*) AS n FROM visits GROUP BY ward, age"


def read(given: object, text: str = PAIR) -> Any:
    return read_keys(given, asked(ENGINE, text))


def one(given: object, by: str = "ward") -> Any:
    return [row[0] for row in read(given, TYPED.format(by))]


def refused(given: object, text: str = PAIR) -> str:
    with pytest.raises(QueryError) as told:
        read(given, text)
    return str(told.value)


@pytest.mark.parametrize(
    "given",
    [
        [("south", 3), ("north", 30)],
        [["south", 3], ["north", 30]],
        [{"w": "south", "age": 3, "more": 1}, {"AGE": 30, "Ward": "north"}],
        {"ward": ["south", "north"], "age": [3, 30]},
        pd.DataFrame({"age": [3, 30], "W": ["south", "north"]}),
        pd.DataFrame({"age": pd.array([3, 30], dtype="Int64"), "ward": ["south", "north"]}),
        pl.DataFrame({"age": [3, 30], "ward": ["south", "north"]}),
        pa.table({"age": [3, 30], "ward": ["south", "north"]}),
        WrittenKeys({"age": ["3", " 30 "], "ward": ["south", "north"]}),
        (pair for pair in (("south", np.int64(3)), ("north", 30))),
    ],
)
def test_rows_of_keys_come_in_many_ways(given: object) -> None:
    assert read(given) == (("north", 30), ("south", 3))


def test_values_of_one_key_are_a_list() -> None:
    assert one(["south", "north"]) == one(np.array(["north", "south"])) == one(pd.Series(["south", "north"]))
    assert one(pl.Series(["b", "a"])) == one([("a",), ("b",)]) == one(["b", "a"]) == ["a", "b"]
    assert one(WrittenKeys({"k": ["", "7"]})) == ["", "7"]
    assert one([True], "sick") == one(WrittenKeys({"K": ["TRUE"]}), "sick") == [True]


@pytest.mark.parametrize(
    "given",
    [
        [dt.date(2026, 3, 1)],
        ["2026-03-01"],
        [dt.datetime(2026, 3, 1)],
        pd.DataFrame({"seen": pd.to_datetime(["2026-03-01"])}),
        WrittenKeys({"k": ["2026-03-01"]}),
    ],
)
def test_dates_are_read_as_what_they_tell(given: object) -> None:
    assert one(given, "seen") == [dt.date(2026, 3, 1)]


def test_times_are_in_utc() -> None:
    wanted = [dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)]
    assert one(["2026-03-01 12:00:00"], "at") == one([dt.datetime(2026, 3, 1, 12)], "at") == wanted
    assert one(["2026-03-01T13:00:00+01:00"], "at") == wanted


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("north", "keys takes a list of values, a list of rows, or a frame with columns w, age; not str"),
        (7, "not int"),
        ([], "keys is empty"),
        (pd.DataFrame({"ward": [], "age": []}), "keys is empty"),
        (["north"], "a row of keys has 1 values, and the question has 2 keys; hand in w, age"),
        ([("north", 3), ("north", 3)], "keys has 'north, 3' twice"),
        ([("north", None)], "keys has a missing value for age, and NULL is no key"),
        (pd.DataFrame({"ward": ["north", "x"], "age": [None, 3]}), "a missing value for age"),
        (pd.DataFrame({"ward": ["north", pd.NA], "age": [3, 4]}), "a missing value for w"),
        ([("north", 3.5)], "age is integer, and keys has '3.5' for it"),
        ([("north", 3.0)], "age is integer, and keys has '3.0' for it"),
        ([("north", Decimal(3))], "age is integer"),
        ([("north", True)], "age is integer, and keys has 'True' for it"),
        ([("north", "3")], "age is integer, and keys has '3' for it"),
        ([(3, 3)], "w is text, and keys has '3' for it"),
        ([("north", 2**63)], "age is integer, and keys has '9223372036854775808' for it"),
        ([("a\x00", 3)], "a key for w holds a NUL character"),
        ([("x" * (MOST_LETTERS + 1), 3)], "w is text, and keys has"),
        ([("north", object())], "a key for age must be a number, text"),
        ({"ward": ["north"]}, "keys has no column 'age', only 'ward'"),
        ([{"ward": "north"}], "keys has no column 'age'"),
        ({"ward": ["north"], "age": [1, 2]}, "have different lengths"),
        (WrittenKeys({"ward": ["north"], "age": [""]}), "a missing value for age"),
        (WrittenKeys({"ward": ["north"], "age": ["3.0"]}), "age is integer, and keys has '3.0' for it"),
    ],
)
def test_what_is_no_key_is_refused(given: object, told: str) -> None:
    assert told in refused(given)


def test_a_question_without_keys_takes_none_and_floats_are_none() -> None:
    assert "keys are for questions with GROUP BY" in refused([1], "SELECT COUNT(*) FROM visits")
    assert "k is float, and such numbers are no keys" in refused([1.5], TYPED.format("cost"))
    assert "k is date" in refused([dt.datetime(2026, 3, 1, 5)], TYPED.format("seen"))


def test_decimals_are_keys_to_their_last_place(tmp_path: Path) -> None:
    engine = engine_of(PRICES, {"t": pa.table({"price": pa.array([], pa.decimal128(15, 2))})})
    question = asked(engine, "SELECT price, COUNT(*) FROM t GROUP BY price")
    assert read_keys([Decimal("0.07"), 0.5, 1], question) == ((Fraction(7, 100),), (Fraction(1, 2),), (Fraction(1),))
    assert read_keys(WrittenKeys({"price": ["0.07", "-1"]}), question) == ((Fraction(-1),), (Fraction(7, 100),))
    for given, told in (
        ([0.06 + 0.01], "price has 2 digits behind the point, and keys has 0.06999999999999999"),
        ([Decimal(10) ** 36], "hand in rounded values"),
        (["0.07"], "price is decimal, and keys has '0.07' for it"),
        ([True], "price is decimal"),
        (WrittenKeys({"price": ["seven"]}), "price is decimal, and keys has 'seven'"),
    ):
        with pytest.raises(QueryError, match=re.escape(told)):
            read_keys(given, question)


PRICES = "[budget]\nepsilon = 1\n[tables.t]\nrows_are_units = true"


def test_rows_without_names_are_refused_where_select_has_the_keys_in_another_order() -> None:
    turned = "SELECT age, ward, COUNT(*) FROM visits GROUP BY ward, age"
    assert "GROUP BY has the keys ward, age in another order than SELECT" in refused([("north", 30)], turned)
    assert read([{"ward": "north", "age": 30}], turned) == (("north", 30),)
    assert read({"age": [30], "ward": ["north"]}, turned) == (("north", 30),)
    assert read([("north", 30)], "SELECT COUNT(*) FROM visits GROUP BY ward, age") == (("north", 30),)


def test_too_many_keys_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.query.given_keys.MOST_KEYS", 2)
    monkeypatch.setattr("discreet.query.given_keys.MOST_WRITTEN", 5)
    assert "keys has 3 rows, and 2 are answered at once" in refused([("a", 1), ("b", 1), ("c", 1)])
    assert "more than 5 letters together" in refused([("abc", 1), ("def", 1)])


def test_keys_take_the_place_of_domains_and_conditions() -> None:
    question = asked(ENGINE, "SELECT ward, age, COUNT(*) FROM visits WHERE ward = 'icu' GROUP BY CUBE (ward, age)")
    given = read_keys([("nowhere", 300), ("icu", 3)], question)
    plan = bound(question, catalog_of(ENGINE), None, given).plan
    assert [key.domain for key in plan.keys] == [("icu", "nowhere"), (3, 300)]
    assert plan.joint == (JointKeys((0, 1), (("icu", 3), ("nowhere", 300))),)
    assert sorted(plan.groups(index) for index in range(4)) == [1, 2, 2, 2]
    every = read_keys([(ward, age) for ward in "ab" for age in (1, 2)], question)
    assert bound(question, catalog_of(ENGINE), None, every).plan.joint == ()


def test_keys_go_by_the_names_of_the_answer_and_of_columns() -> None:
    assert name_keys(asked(ENGINE, PAIR)) == [["w", "ward"], ["age", "age"]]
    assert name_keys(asked(ENGINE, "SELECT COUNT(*) FROM visits GROUP BY age // 10")) == [["key 1"]]


def test_what_the_ledger_says_of_keys_follows_from_them() -> None:
    assert describe_keys((("a",), ("b",))).startswith("2 keys handed in, ")
    assert describe_keys((("a",), ("b",))) != describe_keys((("a",), ("c",)))
    assert describe_keys(((dt.date(2026, 3, 1),),)) != describe_keys((("2026-03-01",),))


def test_files_of_keys(tmp_path: Path) -> None:
    path = tmp_path / "keys.csv"
    path.write_bytes(b'\xef\xbb\xbfward,age\n"a, b",3\n\nc,4\n')
    assert read(WrittenKeys.read(path)) == (("a, b", 3), ("c", 4))
    for content, told in (
        (b"ward,age\nx\n", "all others as many values"),
        (b"", "the first line has the names of keys"),
        (b"age,AGE\n1,2\n", "two columns have one name"),
        (b"\xff\xfe", "is no CSV in UTF-8"),
    ):
        path.write_bytes(content)
        with pytest.raises(DiscreetError, match=told):
            WrittenKeys.read(path)
    with pytest.raises(DiscreetError, match="cannot be read"):
        WrittenKeys.read(tmp_path / "missing.csv")
