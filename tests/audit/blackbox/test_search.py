"""The search for the neighbours that show the most."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.audit.blackbox.search import find_worst
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.mechanisms import Laplace


def count_twice_if_seven(count: int, outputs: int) -> Floats:
    return np.asarray(Laplace(10.0).release(np.full(outputs, count + 20 * (count == 7))))


def test_the_pair_that_shows_the_most_is_found() -> None:
    found = find_worst(count_twice_if_seven, [(0, 1), (3, 2), (6, 7), (4, 5), (9, 8)], samples=300_000)
    assert (found.first, found.second) == (6, 7)
    assert found.bound.refutes(1.0)


def test_an_input_that_breaks_the_mechanism_is_named() -> None:
    def fail_at_three(count: int, outputs: int) -> Floats:
        return np.full(outputs, 1.0 / (count - 3))

    found = find_worst(fail_at_three, [(0, 1), (2, 3)], samples=100_000)
    assert found.bound.refutes(1e9)
    assert "ZeroDivisionError" in str(found.bound)
    assert (found.first, found.second) == (2, 3)


def test_too_few_outputs_are_refused() -> None:
    with pytest.raises(ParameterError, match="for each of the pairs"):
        find_worst(count_twice_if_seven, [(0, 1)] * 100, samples=10_000)
