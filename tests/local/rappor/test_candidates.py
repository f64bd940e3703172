"""Candidates and their rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.local.client import Rappor, Texts
from discreet.local.rappor import candidates as module
from discreet.local.rappor.candidates import hash_candidates, place_candidates, read_candidates

SMALL = Rappor.take(16, 2, 4, 0.5, 0.75, 0.5)
WORDS = ("apple", "banana", "carrot")


def test_rows_are_those_that_the_client_sets_each_once() -> None:
    columns = hash_candidates(SMALL, WORDS).write_columns(np.arange(3))
    for column, word in zip(columns.T, WORDS, strict=True):
        assert set(np.flatnonzero(column) + 1) == set(SMALL.find_rows(word.encode()))
    assert columns.max() == 1.0


def test_only_the_letters_that_count_are_hashed() -> None:
    long, short = (hash_candidates(SMALL, [word], Texts(5)).places for word in ("apples", "apple"))
    assert (long == short).all()


def test_a_map_file_is_read_with_rows_once_or_twice_and_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    path.write_text(
        '"apple",5,1,26,26,38,34,63,62\n"banana",49,12,14,28,24,37,34,62\n"carrot",4,12,25,21,48,38,61,54\n'
    )
    columns = read_candidates(SMALL, path).write_columns(np.arange(3))
    assert (columns == hash_candidates(SMALL, WORDS).write_columns(np.arange(3))).all()
    path.write_text('"apple",1,5,26,34,38,62,63,\n')
    assert read_candidates(SMALL, path).write_columns(np.array([0])).sum() == 7


def test_sums_and_sparse_blocks_agree_with_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 7)
    many = hash_candidates(Rappor.take(10, 3, 4, 0.5, 0.75, 0.5), [f"word {number}" for number in range(50)])
    columns, values = many.write_columns(np.arange(50)), np.random.default_rng(1).normal(size=40)
    assert np.allclose(many.sum_rows(values), values @ columns)
    for part, block in many.write_blocks():
        assert (block.toarray() == columns[:, part].T).all()


def test_the_background_is_how_often_a_text_sets_each_row() -> None:
    """With 10 bits, bytes below 256 leave the remainders 0 to 5 once more than the others."""
    many = hash_candidates(Rappor.take(10, 2, 1, 0.5, 0.75, 0.5), ["word"])
    assert np.allclose(many.background, [1 - (1 - 26 / 256) ** 2] * 6 + [1 - (1 - 25 / 256) ** 2] * 4)


def test_some_candidates_are_kept_in_the_order_given() -> None:
    kept = hash_candidates(SMALL, WORDS).keep([2, 0])
    assert kept.names == ("carrot", "apple")
    assert (kept.places == hash_candidates(SMALL, ["carrot", "apple"]).places).all()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("apple,65,1,17,18,33,34,49,50", "from 1 to 64"),
        ("apple,0,1,17,18,33,34,49,50", "from 1 to 64"),
        ("apple,1,2,3,18,33,34,49,50", "at most 2"),
        ("apple,1,2,18,19,33,34", "at least one row in each of 4"),
        ("apple,one,2,18,19,33,34", "whole numbers"),
        ("apple,1,2,17,18,33,34,49,50\napple,3,4,17,18,33,34,49,50", "listed once"),
        ("apple,1,2,17,18,33,34,49,50\npear,2,1,17,18,33,34,49,50", "different bits"),
        ("", "at least one candidate"),
    ],
)
def test_map_files_that_make_no_sense_are_refused(line: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    path.write_text(line + "\n")
    with pytest.raises(ParameterError, match=told):
        read_candidates(SMALL, path)


def test_rows_may_be_given_without_a_file() -> None:
    rows = [list(SMALL.find_rows(word.encode())) for word in WORDS]
    placed = place_candidates(SMALL, WORDS, rows).write_columns(np.arange(3))
    assert (placed == hash_candidates(SMALL, WORDS).write_columns(np.arange(3))).all()
