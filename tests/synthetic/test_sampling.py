"""Synthetic tables: typed rows that obey the domain, the same for the same seed, in files that are whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from discreet.answers.export import replacing
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.types import Type
from discreet.families.domain import RowTable
from discreet.query.placed_columns import ListedColumn
from discreet.query.placing import locate_values
from discreet.synthetic import fitting
from discreet.synthetic.sampling import write_table
from synthetic.support.models import COLUMNS, make_model, make_rows

MODEL = make_model()
KINDS = [pa.string(), pa.int64(), pa.float64(), pa.date32(), pa.bool_()]


def place(table: pa.Table) -> RowTable:
    return RowTable(MODEL.transcript.domain, tuple(locate_values(column, table[column.name]) for column in COLUMNS))


def test_a_table_has_the_columns_in_order_with_their_types_and_the_noisy_number_of_rows() -> None:
    table = MODEL.sample()
    assert table.column_names == [column.name for column in COLUMNS]
    assert table.schema.types == KINDS
    assert table.num_rows == MODEL.rows == round(MODEL.transcript.total.rows)


def test_values_obey_the_domain() -> None:
    table = MODEL.sample(5000, seed=3)
    assert set(table["sex"].to_pylist()) <= {"f", "m", None}
    assert {each for each in table["age"].to_pylist() if each is not None} <= set(range(10))
    costs = [each for each in table["cost"].to_pylist() if each is not None]
    assert 0 <= min(costs) < max(costs) <= 10


def test_the_same_seed_gives_the_same_rows_and_another_other_ones() -> None:
    assert MODEL.sample(100, seed=7).equals(MODEL.sample(100, seed=7))
    assert not MODEL.sample(100, seed=7).equals(MODEL.sample(100, seed=8))
    assert not MODEL.sample(100).equals(MODEL.sample(100))


def test_tables_of_rows_are_the_models_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "MOST_DENSE", 1)
    for model in (MODEL, make_model()):
        rows = place(model.sample(20_000, seed=1))
        for columns in [(1,), (4,), (1, 2), (2, 3)]:
            expected = model.fit.project(columns) * (20_000 / model.transcript.total.rows)
            error = np.abs(rows.project(columns) - expected)
            assert error.max() < 45, "independent rows would be off by 200 somewhere"


def test_no_rows_are_a_table_without_rows() -> None:
    assert MODEL.sample(0).schema.types == KINDS
    empty = make_model(rows=make_rows(rows=0))
    assert empty.sample().num_rows == empty.rows < 40
    assert empty.sample(10).num_rows == 10


def test_a_million_rows_take_seconds() -> None:
    assert MODEL.sample(1_000_000, seed=1).num_rows == 1_000_000


def test_frames_keep_whole_numbers_whole() -> None:
    frame = MODEL.to_pandas(500, seed=1)
    assert str(frame["age"].dtype) == "Int64"
    assert len(frame) == 500


def test_wrong_numbers_of_rows_and_seeds_are_refused() -> None:
    with pytest.raises(ParameterError, match="rows must be"):
        MODEL.sample(-1)
    with pytest.raises(ParameterError, match="seed must be"):
        MODEL.sample(1, seed=-1)


def test_files_hold_the_table(tmp_path: Path) -> None:
    table = MODEL.sample(50, seed=1)
    write_table(table, tmp_path / "t.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "t.parquet").equals(table)
    write_table(table, tmp_path / "t.csv")
    assert pyarrow.csv.read_csv(tmp_path / "t.csv").num_rows == 50
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.csv", "t.parquet"]
    with pytest.raises(ParameterError, match=r"ends in \.parquet or \.csv"):
        write_table(table, tmp_path / "t.xlsx")
    with pytest.raises(DiscreetError, match="cannot be written"):
        write_table(table, tmp_path / "nowhere" / "t.csv")


def test_an_old_file_stays_whole_while_a_new_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("old")

    def write_half() -> None:
        with replacing(path) as part:
            part.write_text("half a fi")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(DiscreetError, match="it is a folder"):
        MODEL.save(tmp_path)


def test_hostile_names_come_through_files(tmp_path: Path) -> None:
    column = ListedColumn('a,"b"\n', Type.TEXT, ("x,y", 'q"', "<script>"))
    model = make_model((column, COLUMNS[1]), sets=())
    write_table(model.sample(200, seed=1), tmp_path / "t.csv")
    back = pyarrow.csv.read_csv(tmp_path / "t.csv", parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True))
    assert back.column_names == ['a,"b"\n', "age"]
    assert set(back[0].to_pylist()) <= {"x,y", 'q"', "<script>", "", None}
