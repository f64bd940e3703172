"""Encodings: features of at most one, whatever a row holds, and lengths that are never too short."""

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.gradients.encoding import (
    FEATURE_STEPS,
    Encoding,
    LabelColumn,
    NumberFeature,
    PlaceFeature,
    round_root_up,
    round_roots_up,
)

LABEL = LabelColumn(3, 0, 1, 0, 1)
ENCODING = Encoding((NumberFeature(0, -10, 30), PlaceFeature(1, 3), NumberFeature(2, 0, 7, centred=False)), LABEL)


def test_numbers_are_scaled_by_their_bounds_and_held_within_them() -> None:
    points = np.array([[-99, 0, -5, 0], [-10, 0, 0, 0], [10, 1, 3, 1], [30, 2, 7, 1], [2**62, 9, 2**62, 1]])
    rows = ENCODING.encode(points)
    assert rows.numbers[:, 0].tolist() == [-FEATURE_STEPS, -FEATURE_STEPS, 0, FEATURE_STEPS, FEATURE_STEPS]
    assert rows.numbers[:, 1].tolist() == [0, 0, 3 * FEATURE_STEPS // 7, FEATURE_STEPS, FEATURE_STEPS]
    assert rows.places.tolist() == [[0, 0, 1, 2, 2]]
    assert rows.labels.tolist() == [0, 0, 1, 1, 1]


def test_lengths_are_rounded_up_and_never_above_the_longest() -> None:
    rng = np.random.default_rng(3)
    rows = ENCODING.encode(rng.integers(-50, 50, size=(1000, 4)))
    squares = (rows.numbers**2).sum(axis=1).astype(int) + 2 * FEATURE_STEPS**2
    assert all((length - 1) ** 2 < square <= length**2 for length, square in zip(rows.lengths, squares, strict=True))
    assert rows.lengths.max() <= ENCODING.longest


def test_roots_of_whole_numbers_are_rounded_up_exactly() -> None:
    near = [base**2 + by for base in (1, 2, 94906265, 94906267, 2**30, 2**31 - 1) for by in (-1, 0, 1)]
    assert round_roots_up(np.array(near)).tolist() == [round_root_up(each) for each in near]
    assert [round_root_up(each) for each in (0, 1, 2, 4, 5)] == [0, 1, 2, 2, 3]


def test_some_of_the_rows_are_those_rows() -> None:
    rows = ENCODING.encode(np.arange(40).reshape(10, 4))
    part = rows.take(3, 7)
    assert len(part) == 4
    assert part.labels.tolist() == rows.labels[3:7].tolist()
    assert part.places.tolist() == rows.places[:, 3:7].tolist()


def test_features_that_cannot_be_are_refused() -> None:
    with pytest.raises(ParameterError):
        NumberFeature(0, 5, 5)
    with pytest.raises(ParameterError):
        Encoding((), LABEL)
