"""Bonferroni and Benjamini-Hochberg."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.local.rappor.significance import find_freedom, find_p_values, find_quantile, find_significant

LEVEL = 0.05
PUBLISHED = np.array([0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719])
"""Twelve of the fifteen p-values in Benjamini and Hochberg's example (1995), and the other three beside them."""
ALL = np.concatenate([PUBLISHED, [0.6528, 0.7590, 1.0]])


def test_the_published_example_has_three_and_four_rejections() -> None:
    assert find_significant(ALL, LEVEL).sum() == 3
    assert find_significant(ALL, LEVEL, "fdr").sum() == 4


def test_a_p_value_above_its_own_bound_counts_where_a_larger_one_is_below() -> None:
    assert find_significant(np.array([0.045, 0.046, 0.9, 0.04]), 0.0625, "fdr").tolist() == [True, True, False, True]


def test_p_values_are_one_sided_and_unknown_candidates_have_one_half() -> None:
    found = find_p_values(np.array([0.0, 1.959964, -1.959964, 0.0]), np.array([1.0, 1.0, 1.0, np.inf]))
    assert found == pytest.approx([0.5, 0.025, 0.975, 0.5], abs=1e-6)


def test_estimated_errors_have_students_tail() -> None:
    assert find_p_values(np.array([2.042272]), np.array([1.0]), 30) == pytest.approx([0.025], abs=1e-6)
    assert find_freedom(1.0, 16) == math.inf
    assert find_freedom(2.0, 16) == 60


def test_quantiles() -> None:
    assert find_quantile(0.95) == pytest.approx(1.959964, abs=1e-6)
    assert find_quantile(0.95, 100) == pytest.approx(3.4808, abs=1e-4)


@pytest.mark.parametrize("arguments", [(0, "fdr"), (1.0, "fdr"), (0.05, "none")])
def test_other_levels_and_controls_are_refused(arguments: tuple[float, str]) -> None:
    with pytest.raises(ParameterError):
        find_significant(ALL, *arguments)
