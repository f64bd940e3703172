"""Powers of characteristic functions by direct sums, against balls."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import acb, arb, ctx

from discreet.privacy.accountant import spectra
from discreet.privacy.accountant.spectra import find_large, raise_directly


def exact_power(masses: list[float], first: int, count: int, frequency: int, size: int) -> complex:
    """Return the power of the characteristic function at one frequency, in balls."""
    with ctx.workprec(300):
        angle = -2 * arb.pi() * frequency / size
        total = acb(0)
        for place, mass in enumerate(masses):
            total += acb(arb(mass)) * (acb(0, 1) * angle * (first + place)).exp()
        return complex(total**count)


@pytest.mark.parametrize("count", [1, 1000, 10**9, 10**12])
@pytest.mark.parametrize("first", [-3, 0, 7])
def test_direct_sums_keep_their_digits_however_often_a_law_is_composed(count: int, first: int) -> None:
    masses = np.array([0.125, 0.25, 0.25, 0.375])  # they add up to 1 without round-off
    size = 1 << math.ceil(math.log2(16 * math.sqrt(count) + 16))
    frequencies = np.arange(0, 9)
    found = raise_directly([(first, masses, count)], size, frequencies)
    assert found is not None
    exact = np.array([exact_power(masses.tolist(), first, count, int(f), size) for f in frequencies])
    off = float(np.sqrt(2 * np.sum(np.abs(found.values - exact) ** 2) / size))
    assert off <= found.error
    assert found.error <= 1e-14 * (100 + 3 * count) / math.sqrt(size)


def test_several_laws_are_multiplied() -> None:
    one, two = np.array([0.5, 0.5]), np.array([0.25, 0.0, 0.75])
    frequencies = np.arange(0, 5)
    found = raise_directly([(0, one, 30), (-1, two, 40)], 512, frequencies)
    assert found is not None
    exact = [exact_power([0.5, 0.5], 0, 30, f, 512) * exact_power([0.25, 0.0, 0.75], -1, 40, f, 512) for f in range(5)]
    assert found.values == pytest.approx(np.array(exact), rel=1e-12)


def test_too_much_work_is_left_to_the_transform() -> None:
    assert raise_directly([(0, np.full(1 << 14, 2.0**-14), 9)], 1 << 20, np.arange(1 << 14)) is None


def test_chunks_do_not_change_the_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    masses = np.array([0.2, 0.3, 0.5])
    whole = raise_directly([(0, masses, 50)], 256, np.arange(40))
    monkeypatch.setattr(spectra, "CHUNK", 7)
    pieces = raise_directly([(0, masses, 50)], 256, np.arange(40))
    assert whole is not None
    assert pieces is not None
    assert pieces.values == pytest.approx(whole.values, rel=1e-14)


def test_only_frequencies_that_vanish_are_left_out() -> None:
    assert find_large(np.array([0.0, -79.0, -81.0, -math.inf])).tolist() == [0, 1]
