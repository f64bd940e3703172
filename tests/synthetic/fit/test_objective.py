"""What is fitted, in numbers: shares, slacks, and the public rules at their edges."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.families.domain import Domain
from discreet.synthetic.fit.objective import LEAST_SLACK, MOST_SHARE, Measured, write_objective
from synthetic.support.tiny import TinyLines, TinyMarginals


def test_shares_and_slacks_are_those_of_the_dual() -> None:
    objective = write_objective([np.array([10, -5]), np.array([30])], [4.0, 9.0], 100.0, 2.0)
    assert objective.shares == pytest.approx([0.1, -0.05, 0.3])
    assert objective.slack == pytest.approx([8e-4, 8e-4, 18e-4])
    assert objective.deviation == pytest.approx([0.02, 0.02, 0.03])


@pytest.mark.parametrize("total", [-1e300, -1.0, 0.0, 0.5, 1.0])
def test_a_total_below_one_is_one(total: float) -> None:
    assert write_objective([np.array([3])], [1.0], total, 1.0).shares.tolist() == [3.0]


def test_slacks_and_shares_keep_to_what_floats_resolve() -> None:
    objective = write_objective([np.array([10**60, -(10**400)], dtype=object)], [1e-3], 1e9, 1.0)
    assert objective.slack.tolist() == [LEAST_SLACK] * 2
    assert objective.shares.tolist() == [MOST_SHARE, -MOST_SHARE]
    assert write_objective([], [], 5.0, 1.0).shares.shape == (0,)


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_what_is_no_number_is_refused(wrong: float) -> None:
    with pytest.raises(ParameterError, match="finite"):
        write_objective([np.array([wrong])], [1.0], 5.0, 1.0)
    with pytest.raises(ParameterError, match="total"):
        write_objective([], [], wrong, 1.0)


def test_marginals_are_recognised_by_what_they_compute() -> None:
    domain = Domain((2, 3))
    assert Measured(TinyMarginals(domain, ((0, 1),)), 0, np.zeros(6), 1.0).is_marginal()
    swapped = TinyLines(domain, ((0,),), (((0, 1), (1, 0)),))
    assert not Measured(swapped, 0, np.zeros(2), 1.0).is_marginal()
