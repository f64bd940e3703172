"""The types of a frame's columns are what pandas or the policy says they are, whatever the rows hold."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from discreet.base.types import Type
from discreet.engines.duck.frames import from_pandas
from discreet.policy.model import DeclaredColumn, Table

TEXTS: list[list[object]] = [["a", "b"], ["a", None], [None, None], []]


@pytest.mark.parametrize("values", TEXTS, ids=["full", "some", "none", "empty"])
def test_objects_are_text(values: list[object]) -> None:
    found = from_pandas(pd.DataFrame({"x": pd.Series(values, dtype=object)}), Table("visits"))
    assert found.schema.field("x").type == pa.string()


@pytest.mark.parametrize("values", [[1, 2], [1, None], [None, None], []], ids=["full", "some", "none", "empty"])
def test_objects_are_what_the_policy_declares(values: list[object]) -> None:
    table = Table("visits", columns=(DeclaredColumn("x", Type.INTEGER),))
    found = from_pandas(pd.DataFrame({"x": pd.Series(values, dtype=object)}), table)
    assert found.schema.field("x").type == pa.int64()
    assert found.column("x").to_pylist() == values


@pytest.mark.parametrize("values", [[1, 2], [1, 2.5], ["a", 1]])
def test_objects_that_are_neither_are_refused(values: list[object]) -> None:
    with pytest.raises((pa.ArrowException, TypeError)):
        from_pandas(pd.DataFrame({"x": pd.Series(values, dtype=object)}), Table("visits"))


def test_columns_that_have_a_type_keep_it() -> None:
    frame = pd.DataFrame(
        {"n": [1, 2], "x": [0.5, None], "at": pd.to_datetime(["2026-01-01", None]), "b": [True, False]}
    )
    assert [str(field.type).split("[")[0] for field in from_pandas(frame, Table("visits")).schema] == [
        "int64",
        "double",
        "timestamp",
        "bool",
    ]


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="one name"):
        from_pandas(pd.DataFrame([[1, 2]], columns=["x", "x"]), Table("visits"))
