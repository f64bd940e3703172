"""People of one's own table: which bit is the secret, who is drawn, and what is said of tables that do not do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from discreet.audit.attacks.people import MISSING, Secret, find_secret, find_texts, make_secret, read_people
from discreet.base.errors import DiscreetError

TABLE = pa.table({"ill": [True, False, None, True], "ward": ["a", "b", None, "a"], "age": [30, 40, 50, 30]})


def test_a_secret_is_a_value_of_a_column() -> None:
    assert find_secret(TABLE, "ill").bits.tolist() == [True, False, False, True]
    assert find_secret(TABLE, "ward", "b").bits.tolist() == [False, True, False, False]
    assert find_secret(TABLE, "age", "30").words == "age = 30"


def test_missing_values_are_a_value_of_their_own() -> None:
    assert find_texts(TABLE, "ward") == ["a", "b", MISSING, "a"]


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("weight", None, "one of ill, ward, age"),
        ("ward", None, "say which value of ward"),
        ("ward", "c", "a value of ward"),
    ],
)
def test_a_secret_that_is_not_there_is_refused(column: str, value: str | None, words: str) -> None:
    with pytest.raises(DiscreetError, match=words):
        find_secret(TABLE, column, value)


def test_what_everybody_has_is_no_secret() -> None:
    with pytest.raises(DiscreetError, match="no secret"):
        find_secret(pa.table({"ill": [1, 1]}), "ill")


def test_a_fair_coin_says_of_everybody_drawn_whether_they_have_the_secret() -> None:
    chance = np.random.default_rng(1)
    rare = Secret(np.arange(10_000) < 2_000, "rare")
    shares = [rare.bits[rare.draw(1_000, chance)].mean() for _ in range(50)]
    assert abs(np.mean(shares) - 0.5) < 4 * 0.5 / np.sqrt(50_000)
    assert np.std(shares) > 0.008  # coins, one by one: not half of them each time, which the last bit would tell


def test_nobody_is_drawn_twice_unless_that_is_asked_for() -> None:
    chance = np.random.default_rng(1)
    few = Secret(np.array([True] * 40 + [False] * 40), "few")
    assert len(set(few.draw(40, chance).tolist())) == 40
    assert len(few.draw(500, chance, again=True)) == 500
    with pytest.raises(DiscreetError, match="Draw fewer people"):
        few.draw(200, chance)


def test_made_up_people_have_the_secret_or_not() -> None:
    assert 0 < make_secret(2, np.random.default_rng(0)).bits.sum() < 2


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("people.txt", "a\n1\n", "ends in .csv or .parquet"),
        ("people.csv", None, "there is no file"),
        ("people.csv", "a,b\n1\n", "cannot be read as csv"),
        ("people.csv", "a,b\n", "has no rows"),
        ("people.parquet", "no parquet", "cannot be read as parquet"),
    ],
)
def test_files_that_are_no_tables_are_refused(tmp_path: Path, name: str, text: str | None, words: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(DiscreetError, match=words):
        read_people(tmp_path / name)


def test_a_csv_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("ward,ill\nnorth,1\nsouth,0\n")
    assert find_secret(read_people(tmp_path / "people.csv"), "ill").bits.tolist() == [True, False]
