"""The error assumed of the normal quantile: at least 8 times the worst against ball arithmetic (numpy's arithmetic).

`test_gaussian` checks the same on JAX's device.
"""

from __future__ import annotations

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from discreet.noise.device.quantile import QUANTILE_ERROR, SMALLEST, find_magnitude

MARGIN = 8


def uniforms(count: int, seed: int) -> NDArray[np.float64]:
    """Return floats from 2^-35 to 1: even, in the tail, close to 1, and where the two formulas meet."""
    generator = np.random.default_rng([seed, count])
    parts = [
        generator.random(count // 2),
        np.exp2(-35 * generator.random(count // 4)),
        1 - np.exp2(-53 * generator.random(count // 4)),
        2.0**-35 * np.arange(1, 101),
        1 - np.arange(1, 101) * 2.0**-53,
        0.15 + np.arange(-100, 100) * 2.0**-54,
    ]
    found: NDArray[np.float64] = np.clip(np.concatenate(parts), 2.0**-35, 1 - 2.0**-53)
    return found


def holds(z: NDArray[np.float64], u: NDArray[np.float64], error: float) -> bool:
    """Say whether every z is within a relative error of the true quantile: the tails at its ends lie around u."""
    with ctx.workprec(160):
        root = arb(2).sqrt()
        near, far = (1 - arb(error)) / root, (1 + arb(error)) / root
        return all(
            bool((one * far).erfc() < arb(point) < (one * near).erfc())
            for one, point in zip(z.tolist(), u.tolist(), strict=True)
        )


def test_numpy_is_eight_times_better_than_assumed() -> None:
    u = uniforms(60_000, seed=1)
    assert holds(find_magnitude(u, np), u, QUANTILE_ERROR / MARGIN)


def test_the_check_notices_an_error_of_twice_the_bound() -> None:
    u = uniforms(400, seed=2)
    assert not holds(find_magnitude(u, np) * (1 + 2 * QUANTILE_ERROR), u, QUANTILE_ERROR)


def test_the_smallest_word_that_is_decided_is_inside_the_range() -> None:
    assert SMALLEST * 2.0**-63 >= 2.0**-35
    assert 6.5 < float(find_magnitude(np.array([2.0**-35]), np)[0]) < 6.8
    assert float(find_magnitude(np.array([1.0]), np)[0]) == 0
