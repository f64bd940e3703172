"""Simulated people: their reports are those of clients, and their values the file's."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.base.errors import DiscreetError, ParameterError
from discreet.local.client import AlphabetWords, BoundedNumbers, Choices, DirectResponse, Metric, Records, Texts
from discreet.local.client.coins import ONE
from discreet.local.counting import ReportCounter
from discreet.local.report_files import count_file
from discreet.local.simulating import (
    count_strays,
    list_texts,
    make_values,
    place_values,
    read_column,
    read_columns,
    share_out,
    simulate,
)

FRUIT = Choices(("apple", "banana", "7"))
HONEST = Metric("fruit", FRUIT, DirectResponse(4, ONE - (1 << 24)), lifetime=100)
"""It lies once in 10^12 times: what people had shows."""


def count_items(path: Path) -> list[int]:
    counts: list[int] = count_file(ReportCounter(HONEST), path).intake.tally.counts.tolist()
    return counts


def test_a_csv_column_becomes_a_report_for_each_row(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("id,fruit\n1,apple\n2,7\n3,\n4,apple\n5,cherry\n")
    assert simulate(HONEST, read_column(tmp_path / "people.csv", "fruit"), tmp_path / "out.jsonl") == (5, 2)
    assert count_items(tmp_path / "out.jsonl") == [2, 0, 1, 2]


def test_a_parquet_column_of_any_type_becomes_a_report_for_each_row(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["banana", None, "apple"], "number": [7, 8, None]}), tmp_path / "people.parquet")
    for column, counts in (("text", [1, 1, 0, 1]), ("number", [0, 0, 1, 2])):
        simulate(HONEST, read_column(tmp_path / "people.parquet", column), tmp_path / "out.frames")
        assert count_items(tmp_path / "out.frames") == counts


def test_values_are_placed_as_clients_place_them() -> None:
    values = ["apple", "7", "", None, "Apple", "banana"]
    assert place_values(FRUIT, pa.array(values)).tolist() == [FRUIT.place(value) for value in values]
    numbers = BoundedNumbers(0, 10)
    mixed = [0, 5, None, 12.5, -1, float("nan"), 10]
    assert place_values(numbers, pa.array(mixed)).tolist() == [float(numbers.place(value)) for value in mixed]
    written = ["0", " 5", "", "12.5", "-1", "nine", "1e1"]
    assert place_values(numbers, pa.array(written)).tolist() == [-1.0, 0.0, 0.0, 1.0, -1.0, 0.0, 1.0]
    assert place_values(numbers, pa.array([True, None])).tolist() == [float(numbers.place(True)), 0.0]
    words = AlphabetWords("ab", 3)
    assert place_values(words, pa.array(["ab", None, "b"])) == [words.place(value) for value in ("ab", None, "b")]


def test_made_up_people_have_known_frequencies(tmp_path: Path) -> None:
    made = make_values(FRUIT, 11, exponent=1)
    assert Counter(made.to_pylist()) == {"apple": 6, "banana": 3, "7": 2}
    assert simulate(HONEST, iter([made]), tmp_path / "out.parquet") == (11, 0)
    assert count_items(tmp_path / "out.parquet") == [6, 3, 2, 0]


@pytest.mark.parametrize(("items", "people", "exponent"), [(5, 1, 1.0), (1000, 12345, 1.3), (7, 100, 0.0)])
def test_shares_are_whole_and_add_up(items: int, people: int, exponent: float) -> None:
    counts = share_out(items, people, exponent)
    weights = np.arange(1, items + 1) ** -exponent
    assert counts.sum() == people
    assert np.abs(counts - people * weights / weights.sum()).max() < 1


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"fruit": ["apple"]}), tmp_path / "people.parquet")
    (tmp_path / "people.csv").write_text("fruit\napple\n")
    (tmp_path / "bad.parquet").write_bytes(b"nonsense")
    for name, column, said in (
        ("people.txt", "fruit", "csv or .parquet"),
        ("people.parquet", "colour", "one of fruit"),
        ("people.csv", "colour", "one of fruit"),
        ("bad.parquet", "fruit", "cannot be read"),
        ("none.csv", "fruit", "cannot be read"),
    ):
        with pytest.raises(DiscreetError, match=said):
            simulate(HONEST, read_column(tmp_path / name, column), tmp_path / "out.frames")
    assert not (tmp_path / "out.frames").exists()
    with pytest.raises(ParameterError, match="type"):
        place_values(FRUIT, pa.array([[1], [2]]))


def test_made_up_numbers_words_texts_and_records_have_a_known_truth() -> None:
    numbers = make_values(BoundedNumbers(10, 40), 30_000, exponent=1).to_numpy()
    assert numbers.min() >= 10
    assert numbers.max() <= 40
    assert numbers.mean() == pytest.approx(20, abs=1e-3)
    assert Counter(make_values(AlphabetWords("ab", 2), 49, 0).to_pylist()) == dict.fromkeys(
        ("a", "b", "aa", "ab", "ba", "bb"), 8
    ) | {"a": 9}
    assert Counter(make_values(Texts(), 5000).to_pylist()).most_common(1)[0][0] == "text 1"
    assert list_texts(AlphabetWords("x", 3)) == ["x", "xx", "xxx"]
    records = make_values(Records(("fruit", "age"), (FRUIT, BoundedNumbers(0, 10))), 11)
    assert records.column("fruit").equals(make_values(FRUIT, 11))
    assert records.column("age").equals(make_values(BoundedNumbers(0, 10), 11))


def test_records_are_read_from_columns_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,id,fruit\n4,1,apple\n9,2,7\n")
    domain = Records(("fruit", "age"), (FRUIT, BoundedNumbers(0, 10)))
    (batch,) = read_columns(tmp_path / "people.csv", domain.names)
    fruits, ages = place_values(domain, batch)
    assert fruits.tolist() == [0, 2]
    assert ages == pytest.approx([-0.2, 0.8])
    assert count_strays(domain, batch, [fruits, ages]) == 0
    odd = pa.record_batch({"fruit": ["pear", "apple"], "age": ["4", "old"]})
    assert count_strays(domain, odd, place_values(domain, odd)) == 2
    with pytest.raises(ParameterError, match="one of age, id, fruit"):
        list(read_columns(tmp_path / "people.csv", ["name"]))
