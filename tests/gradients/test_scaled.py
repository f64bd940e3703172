"""Scaled rows: no longer than their limit, in their own direction, whoever else is there."""

import numpy as np

from discreet.gradients.encoding import FEATURE_STEPS, Encoding, LabelColumn, NumberFeature, PlaceFeature
from discreet.gradients.scaled import find_limits, scale_rows

ENCODING = Encoding(
    (NumberFeature(0, -10, 10), PlaceFeature(1, 4), NumberFeature(2, 0, 1000, centred=False)),
    LabelColumn(3, 0, 9, 0, 9),
)
POINTS = np.random.default_rng(2).integers([-12, -1, -5, 0], [13, 5, 1005, 10], size=(500, 4))
ROWS = ENCODING.encode(POINTS)
NOTHING = np.zeros((500, 0), dtype=np.int64)


def measure(limits: np.ndarray) -> np.ndarray:
    """Return the squares of the lengths of all rows after scaling."""
    scaled = scale_rows(ROWS, NOTHING, limits)
    return np.asarray((scaled.numbers**2).sum(axis=1) + 2 * scaled.ones**2)


def test_rows_within_their_limit_stay_as_they_are() -> None:
    scaled = scale_rows(ROWS, NOTHING, ROWS.lengths)
    assert scaled.numbers.tolist() == ROWS.numbers.tolist()
    assert set(scaled.ones.tolist()) == {FEATURE_STEPS}


def test_longer_rows_are_scaled_to_their_limit_and_hardly_below_it() -> None:
    for limit in (1, 7, 1000, FEATURE_STEPS, 2 * FEATURE_STEPS):
        limits = np.full(500, limit)
        squares = measure(limits)
        assert (squares <= np.minimum(limits, ROWS.lengths) ** 2).all()
    over = ROWS.lengths > FEATURE_STEPS
    assert (measure(np.full(500, FEATURE_STEPS))[over] > (FEATURE_STEPS - 4) ** 2).all()


def test_scaling_keeps_a_row_s_direction() -> None:
    scaled = scale_rows(ROWS, ROWS.labels[:, None], np.full(500, FEATURE_STEPS))
    before = np.column_stack([ROWS.numbers, ROWS.labels, np.full(500, FEATURE_STEPS)])
    after = np.column_stack([scaled.numbers, scaled.ones])
    shrunk = before * (scaled.ones / FEATURE_STEPS)[:, None]
    assert np.abs(after - shrunk).max() < 2


def test_limits_follow_from_how_many_rows_a_unit_has() -> None:
    assert find_limits(np.array([0, 1, 4, 5, 7]), lambda many: 60 // many).tolist() == [60, 20, 20, 20, 60, 30, 30]
    assert find_limits(np.array([0]), lambda many: 60 // many).tolist() == []
    assert find_limits(np.array([0, 0, 2]), lambda many: 60 // many).tolist() == [30, 30]


def test_a_row_that_may_have_no_length_counts_as_nothing() -> None:
    assert measure(np.zeros(500, dtype=np.int64)).tolist() == [0] * 500
