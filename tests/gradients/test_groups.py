"""Grouped sums: exact, each row in one group; one unit's share is bounded, and changed by nobody else."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import OperationError, ParameterError
from discreet.gradients.encoding import FEATURE_STEPS, Encoding, LabelColumn
from discreet.gradients.groups import FeatureSums, LabelGroups, NearestGroups, bound_groups
from support.encoded import ENCODING as SCALED
from support.encoded import draw_points, draw_units, expand_features, remove_unit

ENCODING = Encoding(SCALED.features, LabelColumn(4, -2, 5, -2, 5))
CENTRES = tuple(tuple(line) for line in np.random.default_rng(9).integers(-4096, 4097, size=(4, 9)).tolist())
GROUPS: list[LabelGroups | NearestGroups] = [LabelGroups(3), NearestGroups(CENTRES)]
WHOLE = bound_groups(ENCODING, squares=True)


def sum_groups(sums: FeatureSums, points: np.ndarray, offsets: np.ndarray) -> list[int]:
    return sums.sum(ENCODING.encode(points), offsets)


def find_group(groups: LabelGroups | NearestGroups, line: list[int]) -> int | None:
    """Return a row's group from the definition."""
    if isinstance(groups, LabelGroups):
        label = min(max(line[4], -2), 5)
        return label if 0 <= label < groups.count else None
    features = expand_features(ENCODING, line)[:-1]
    far = [sum((x - c) ** 2 for x, c in zip(features, centre, strict=True)) for centre in groups.centres]
    return far.index(min(far))


@pytest.mark.parametrize("groups", GROUPS, ids=["labels", "nearest"])
@pytest.mark.parametrize("squares", [True, False])
def test_sums_are_those_of_the_definition_in_python_integers(
    groups: LabelGroups | NearestGroups, squares: bool
) -> None:
    points = draw_points(np.random.default_rng(5), 200)
    sums = FeatureSums(ENCODING, groups, WHOLE, squares)
    expected = np.zeros((groups.count, sums.width), dtype=object)
    for line in points.tolist():
        group = find_group(groups, line)
        if group is None:
            continue
        row = expand_features(ENCODING, line)
        if squares:
            row += [row[at] ** 2 // FEATURE_STEPS - FEATURE_STEPS // 2 for at in (0, 5)]
        expected[group] += np.array(row, dtype=object)
    assert sum_groups(sums, points, np.arange(201)) == expected.ravel().tolist()
    assert expected.any(axis=1).all()


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    groups=st.sampled_from(GROUPS),
    clip=st.sampled_from([FEATURE_STEPS, 2 * FEATURE_STEPS + 1, WHOLE, 4 * WHOLE]),
    squares=st.booleans(),
)
def test_removing_a_unit_moves_the_sums_by_its_own_share_and_at_most_the_clip(
    seed: int, groups: LabelGroups | NearestGroups, clip: int, squares: bool
) -> None:
    rng = np.random.default_rng(seed)
    offsets = draw_units(rng, 20, int(rng.choice([1, 5])))
    points = draw_points(rng, int(offsets[-1]))
    sums = FeatureSums(ENCODING, groups, clip, squares)
    others, left_offsets, own = remove_unit(points, offsets, int(rng.integers(20)))
    left = sum_groups(sums, others, left_offsets)
    alone = sum_groups(sums, own, np.array([0, len(own)]))
    assert [a - b for a, b in zip(sum_groups(sums, points, offsets), left, strict=True)] == alone
    assert sum(each * each for each in alone) <= clip**2


def test_the_longest_row_moves_the_sums_by_the_bound() -> None:
    sums = FeatureSums(ENCODING, LabelGroups(3), WHOLE, squares=True)
    alone = sum_groups(sums, np.array([[10, 0, 1000, 0, 1]]), np.array([0, 1]))
    assert WHOLE - 2 < math.sqrt(sum(each * each for each in alone)) <= WHOLE
    twice = sum_groups(sums, np.array([[10, 0, 1000, 0, 1]] * 2), np.array([0, 2]))
    assert WHOLE - 8 < math.sqrt(sum(each * each for each in twice)) <= WHOLE


def test_a_row_of_no_listed_class_counts_as_nothing() -> None:
    sums = FeatureSums(ENCODING, LabelGroups(3), WHOLE)
    assert sum_groups(sums, np.array([[0, 0, 0, 0, -1], [0, 0, 0, 0, 3]]), np.arange(3)) == [0] * sums.entries


def test_of_centres_that_are_equally_near_the_first_counts() -> None:
    sums = FeatureSums(ENCODING, NearestGroups((CENTRES[0], CENTRES[0])), WHOLE)
    found = sum_groups(sums, draw_points(np.random.default_rng(1), 30), np.arange(31))
    assert found[ENCODING.width - 1] == 30 * FEATURE_STEPS
    assert found[ENCODING.width :] == [0] * ENCODING.width


def test_blocks_and_order_do_not_matter() -> None:
    rng = np.random.default_rng(1)
    points = draw_points(rng, 40_000)
    for groups in GROUPS:
        sums = FeatureSums(ENCODING, groups, WHOLE // 2, squares=True)
        whole = sum_groups(sums, points, np.arange(40_001))
        parts = [sum_groups(sums, points[at : at + 5_000], np.arange(5_001)) for at in range(0, 40_000, 5_000)]
        assert whole == [sum(each) for each in zip(*parts, strict=True)]
        assert whole == sum_groups(sums, points[rng.permutation(40_000)], np.arange(40_001))


def test_groups_that_cannot_be_are_refused() -> None:
    with pytest.raises(ParameterError, match="count"):
        LabelGroups(0)
    with pytest.raises(ParameterError, match="centre"):
        NearestGroups(((FEATURE_STEPS + 1,),))
    with pytest.raises(ParameterError, match="centres"):
        NearestGroups(())
    with pytest.raises(ParameterError, match="9 numbers"):
        FeatureSums(ENCODING, NearestGroups(((0, 0),)), WHOLE)
    with pytest.raises(ParameterError, match="clip"):
        FeatureSums(ENCODING, LabelGroups(2), 1)
    with pytest.raises(OperationError, match="LabelGroups or NearestGroups"):
        FeatureSums(ENCODING, "all", WHOLE)  # type: ignore[arg-type]
