"""Files bring back what went in: every text, every digit."""

from __future__ import annotations

import csv
import io
import json
import math
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from discreet.answers import AnswerTable
from discreet.answers.export import write_csv, write_json
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.types import Type
from support.answers import HEAD, answered, cities, key, noisy

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
WIDE = st.integers(-(10**45), 10**45)


@given(st.lists(st.tuples(TEXTS, WIDE), max_size=4))
@example([('a,"b"\r\n', 2**70), (" ", -1), ("", 0), ("<b>", 1)])
def test_csv_comes_back_with_every_comma_quote_and_line_break(rows: list[tuple[str, int]]) -> None:
    text = write_csv((key('na"me,'), noisy()), tuple(rows))
    lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert lines == [['na"me,', "n"], *([name, str(number)] for name, number in rows)]


def test_csv_tells_missing_from_empty() -> None:
    assert write_csv((key(), noisy()), ((None, 1), ("", None))) == 'city,n\n,1\n"",\n'
    assert write_csv((key(),), ((None,),)) == 'city\n""\n'


@given(st.floats())
def test_floats_come_back_from_both(value: float) -> None:
    table = AnswerTable((noisy("x", Type.FLOAT),), ((value,),))
    back = float(table.to_csv().split()[1]), float(json.loads(table.to_json())["rows"][0][0])
    assert all(found == value or (math.isnan(found) and math.isnan(value)) for found in back)


@given(WIDE, st.decimals(allow_nan=False, allow_infinity=False), TEXTS)
@example(10**400, Decimal("1E+400"), "")
def test_json_numbers_are_exact_and_texts_come_back(whole: int, exact: Decimal, text: str) -> None:
    back = json.loads(write_json({text: [whole, exact, text]}), parse_float=Decimal)
    assert back == {text: [whole, exact, text]}


def test_json_has_words_for_what_is_not_finite() -> None:
    assert json.loads(write_json([math.nan, math.inf, -math.inf])) == ["NaN", "Infinity", "-Infinity"]


def test_times_and_truths_are_written_as_everywhere() -> None:
    row = (date(2020, 1, 2), datetime(2020, 1, 2, 3, tzinfo=UTC), True)
    fields = (key("d", Type.DATE), key("t", Type.TIMESTAMP), key("b", Type.BOOLEAN))
    assert write_csv(fields, (row,)).splitlines()[1] == "2020-01-02,2020-01-02T03:00:00Z,true"
    assert write_json(row) == '["2020-01-02", "2020-01-02T03:00:00Z", true]'


def test_an_answer_in_json_says_everything() -> None:
    told = json.loads(cities().to_json(0.9))
    assert told["columns"][1] == {"name": "n", "type": "integer", "noisy": True, "interval": "exact"}
    assert told["rows"][0] == ["Bern", 1200, 34.25]
    assert told["intervals"]["rows"][0] == [None, [1197, 1203], [31.25, 37.25]]
    assert (told["intervals"]["confidence"], told["intervals"]["simultaneous"]) == (0.9, False)
    assert (told["guarantee"], told["notes"]) == ("0.2-differentially private", [])
    assert told["cost"] == {"epsilon": 0.2, "rho": 0.02, "delta": 0}
    assert told["receipt"]["epsilon"] == "1/5"
    assert told["receipt"]["receipt"] == f"7:{HEAD}"


def test_files_are_written_by_their_ending_or_by_name(tmp_path: Path) -> None:
    import pyarrow.parquet

    answer = answered(key(), noisy(), rows=[("a\r\n", 2**70)], notes=("odd",), question="SELECT 1")
    answer.save(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes().decode() == answer.to_csv()
    answer.save(tmp_path / "a.dat", "json", simultaneous=True)
    assert (tmp_path / "a.dat").read_text() == answer.to_json(simultaneous=True)
    answer.save(tmp_path / "a.parquet")
    back = pyarrow.parquet.read_table(tmp_path / "a.parquet")
    assert back.to_pylist() == [{"city": "a\r\n", "n": 2**70, "n_low": 2**70 - 3, "n_high": 2**70 + 3}]
    told = {name.decode(): value.decode() for name, value in back.schema.metadata.items()}
    assert told["discreet.guarantee"] == answer.guarantee
    assert json.loads(told["discreet.receipt"]) == answer.receipt.to_dict()
    assert (json.loads(told["discreet.notes"]), told["discreet.question"]) == (["odd"], "SELECT 1")
    assert json.loads(told["discreet.intervals"]) == {"confidence": 0.95, "simultaneous": False}


@pytest.mark.parametrize(("name", "format"), [("a.txt", None), ("a", None), ("a.csv", "xml")])
def test_other_formats_are_refused(tmp_path: Path, name: str, format: str | None) -> None:
    with pytest.raises(ParameterError):
        cities().save(tmp_path / name, format)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["missing/answer.csv", "missing/answer.json", "missing/answer.parquet"])
def test_a_place_that_cannot_be_written_is_named_with_a_remedy(tmp_path: Path, name: str) -> None:
    with pytest.raises(DiscreetError, match="folder that exists"):
        cities().save(tmp_path / name)
