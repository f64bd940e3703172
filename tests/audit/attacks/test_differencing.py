"""Differencing: exact counts tell everything, the curator's no more than epsilon allows."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.audit.attacks.differencing import difference
from discreet.audit.attacks.people import Secret
from discreet.base.errors import ParameterError


def test_exact_counts_tell_every_target_and_the_curators_do_not() -> None:
    found = difference(targets=56, seed=3)
    assert found.exact_right == 1.0
    assert found.bound == pytest.approx(0.7311, abs=1e-4)
    assert found.noisy_right <= found.bound + 4 * found.standard_error < 1
    assert len(np.unique(found.noisy)) > 5
    assert "56 of 56 (100.0 %) guesses are right" in str(found)


@pytest.mark.long
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_many_targets_are_guessed_no_better_than_the_bound(neighbours: str) -> None:
    found = difference(targets=400, neighbours=neighbours)
    print(found)
    assert found.exact_right == 1.0
    assert 0.5 - 4 * found.standard_error < found.noisy_right <= found.bound + 4 * found.standard_error


def test_both_counts_of_a_target_are_paid_for() -> None:
    found = difference(targets=3, epsilon=0.5, seed=3)
    assert found.charged == pytest.approx(3 * 0.5)


def test_a_rare_secret_is_attacked_in_people_drawn_by_a_coin() -> None:
    rare = Secret(np.arange(300) < 3, "rare")
    found = difference(rare, targets=5, seed=1, neighbours="add-remove")
    assert 0 < found.has.sum() < 5
    assert found.people == 300
    assert found.to_dict()["bound"] == pytest.approx(0.816, abs=1e-3)


def test_bad_input_is_refused() -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        difference(epsilon=0)
    with pytest.raises(ParameterError, match="targets"):
        difference(targets=0)
    with pytest.raises(ParameterError, match="<= 2000; got 100000"):
        difference(targets=100_000)
    with pytest.raises(ParameterError, match=r"epsilon must be a finite number >= 1e-09 and <= 1e[+]06; got 1e-30"):
        difference(epsilon=1e-30)
    with pytest.raises(ParameterError, match="neighbours"):
        difference(neighbours="next door")
