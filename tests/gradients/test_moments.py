"""FeatureMoments: exact sums of products, of which one unit's share is bounded and changed by nobody else."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import OperationError, ParameterError
from discreet.gradients import moments as module
from discreet.gradients.encoding import FEATURE_STEPS, Encoding, LabelColumn
from discreet.gradients.moments import (
    MOMENT_STEPS,
    FeatureMoments,
    bound_moments,
    bound_products,
    find_longest,
)
from support.encoded import ENCODING, draw_points, draw_units, expand_features, remove_unit

WHOLE = bound_moments(ENCODING)


def sum_moments(moments: FeatureMoments, points: np.ndarray, offsets: np.ndarray) -> list[int]:
    return moments.sum(ENCODING.encode(points), offsets)


def expand_row(line: list[int], labelled: bool) -> list[int]:
    """Return z of one row from the definition, in Python's integers."""
    label = (min(max(line[4], -2), 5) + 2) * 2 * FEATURE_STEPS // 7 - FEATURE_STEPS
    return [*expand_features(ENCODING, line), label][: ENCODING.width + labelled]


@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("sparse", [0, 10**9])
def test_a_sum_is_the_one_of_the_definition_in_python_integers(
    labelled: bool, sparse: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SPARSE_COST", sparse)
    points = draw_points(np.random.default_rng(5), 80)
    expected = [0] * (66 if labelled else 55)
    for line in points.tolist():
        z = expand_row(line, labelled)
        pairs = [z[i] * z[j] for i in range(len(z)) for j in range(i, len(z))]
        expected = [a + b for a, b in zip(expected, pairs, strict=True)]
    moments = FeatureMoments(ENCODING, WHOLE, labelled)
    assert sum_moments(moments, points, np.arange(81)) == expected
    assert moments.entries == len(expected)


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    clip=st.sampled_from([MOMENT_STEPS, 3 * MOMENT_STEPS + 1, WHOLE, 4 * WHOLE]),
    labelled=st.booleans(),
)
def test_removing_a_unit_moves_the_sum_by_its_own_share_and_at_most_the_clip(
    seed: int, clip: int, labelled: bool
) -> None:
    rng = np.random.default_rng(seed)
    offsets = draw_units(rng, 20, int(rng.choice([1, 5])))
    points = draw_points(rng, int(offsets[-1]))
    moments = FeatureMoments(ENCODING, clip, labelled)
    whole = sum_moments(moments, points, offsets)
    others, left_offsets, own = remove_unit(points, offsets, int(rng.integers(20)))
    left = sum_moments(moments, others, left_offsets)
    alone = sum_moments(moments, own, np.array([0, len(own)]))
    assert [a - b for a, b in zip(whole, left, strict=True)] == alone
    assert sum(each * each for each in alone) <= clip**2


def test_the_longest_row_moves_the_sum_by_the_bound_and_no_clip_below_it_lets_it() -> None:
    row = np.array([[10, 0, 1000, 0, 5]])
    alone = sum_moments(FeatureMoments(ENCODING, WHOLE), row, np.array([0, 1]))
    assert WHOLE * 0.999 < math.sqrt(sum(each * each for each in alone)) <= WHOLE
    cut = sum_moments(FeatureMoments(ENCODING, WHOLE // 2), row, np.array([0, 1]))
    assert WHOLE // 2 * 0.9 < math.sqrt(sum(each * each for each in cut)) <= WHOLE // 2


def test_several_rows_of_a_unit_share_its_clip() -> None:
    row = [10, 0, 1000, 0, 5]
    for many in (2, 3, 50):
        together = sum_moments(FeatureMoments(ENCODING, WHOLE), np.array([row] * many), np.array([0, many]))
        assert WHOLE * 0.7 < math.sqrt(sum(each * each for each in together)) <= WHOLE
        apart = sum_moments(FeatureMoments(ENCODING, WHOLE), np.array([row] * many), np.arange(many + 1))
        assert math.sqrt(sum(each * each for each in apart)) > (many - 0.01) * WHOLE


def test_bounds_and_lengths_are_inverse_and_rounded_to_the_safe_side() -> None:
    for length in (0, 1, 4095, 4096, 12345, 2**20, 2**26):
        bound = bound_products(length)
        assert 2 * bound**2 >= length**4 + min(length**2, MOMENT_STEPS) * length**2
        assert bound_products(find_longest(bound)) <= bound
        assert find_longest(bound) <= length + 1
        assert find_longest(bound) >= length - 1


def test_blocks_and_order_do_not_matter() -> None:
    rng = np.random.default_rng(1)
    points = draw_points(rng, 40_000)
    moments = FeatureMoments(ENCODING, WHOLE // 2)
    whole = sum_moments(moments, points, np.arange(40_001))
    parts = [sum_moments(moments, points[at : at + 5_000], np.arange(5_001)) for at in range(0, 40_000, 5_000)]
    assert whole == [sum(each) for each in zip(*parts, strict=True)]
    assert whole == sum_moments(moments, points[rng.permutation(40_000)], np.arange(40_001))


def test_a_unit_that_spans_two_blocks_is_clipped_as_one() -> None:
    many = module.AT_ONCE + 100
    row = [[10, 0, 1000, 0, 5]]
    total = sum_moments(FeatureMoments(ENCODING, WHOLE * 2000), np.array(row * many), np.array([0, many]))
    assert math.sqrt(sum(each * each for each in total)) <= WHOLE * 2000


def test_the_matrix_is_symmetric_and_counts_rows_in_the_corner_of_the_intercept() -> None:
    points = draw_points(np.random.default_rng(3), 200)
    moments = FeatureMoments(ENCODING, WHOLE)
    found = np.array(sum_moments(moments, points, np.arange(201))) / MOMENT_STEPS
    matrix = moments.unfold(found)
    assert (matrix == matrix.T).all()
    assert matrix[ENCODING.width - 1, ENCODING.width - 1] == 200
    assert np.linalg.eigvalsh(matrix).min() > -1e-6


def test_no_rows_have_a_sum_of_zero() -> None:
    moments = FeatureMoments(ENCODING, WHOLE)
    assert sum_moments(moments, np.zeros((0, 5), dtype=np.int64), np.array([0])) == [0] * moments.entries


def test_moments_that_cannot_be_are_refused() -> None:
    with pytest.raises(ParameterError, match="clip"):
        FeatureMoments(ENCODING, 1)
    long = Encoding(ENCODING.features, LabelColumn(4, 0, 1, 0, FEATURE_STEPS + 1))
    with pytest.raises(ParameterError, match="like a feature"):
        FeatureMoments(long, WHOLE)
    assert FeatureMoments(long, WHOLE, labelled=False).width == ENCODING.width
    with pytest.raises(OperationError, match="an Encoding"):
        FeatureMoments("nothing", WHOLE)  # type: ignore[arg-type]
