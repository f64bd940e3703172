"""Keys above a threshold of their noisy counts: the theorem on whole output laws, and where the level lies."""

from __future__ import annotations

import math

import pytest

from discreet.base.errors import ParameterError
from discreet.mechanisms import Gaussian, KeyThreshold, Laplace

FAR = 400


def law(threshold: KeyThreshold, count: int) -> dict[int | None, float]:
    """Return the exact law of what is shown about a key with a count: its noisy count, or None below the level."""
    scale = threshold.noise.scale  # type: ignore[union-attr]
    share = (1 - math.exp(-1 / scale)) / (1 + math.exp(-1 / scale))
    found: dict[int | None, float] = {None: 0.0}
    for noise in range(-FAR, FAR + 1):
        seen = count + noise if count + noise >= threshold.level else None
        found[seen] = found.get(seen, 0.0) + share * math.exp(-abs(noise) / scale)
    return found


def hockey_stick(one: dict[int | None, float], other: dict[int | None, float], factor: float) -> float:
    return math.fsum(max(0.0, one.get(at, 0.0) - factor * other.get(at, 0.0)) for at in one.keys() | other.keys())


@pytest.mark.parametrize("rows", [1, 2, 5])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-3), (1.0, 1e-6), (2.0, 0.05)])
def test_neither_a_new_key_nor_a_known_one_tells_more_than_promised(epsilon: float, delta: float, rows: int) -> None:
    threshold = KeyThreshold(Laplace(rows / epsilon), delta, groups=1, rows=rows)
    absent: dict[int | None, float] = {None: 1.0}
    for count in range(1, rows + 1):
        new = law(threshold, count)
        assert hockey_stick(new, absent, math.exp(epsilon)) <= delta + 1e-12
        assert hockey_stick(absent, new, math.exp(epsilon)) <= delta + 1e-12
    for before in (1, 3, threshold.level - 1, threshold.level, threshold.level + 3):
        for moved in range(1, rows + 1):
            a, b = law(threshold, before), law(threshold, before + moved)
            assert hockey_stick(a, b, math.exp(epsilon)) <= 1e-12
            assert hockey_stick(b, a, math.exp(epsilon)) <= 1e-12


def test_the_level_is_the_least_that_holds() -> None:
    threshold = KeyThreshold(Laplace(2.0), 1e-6, groups=3, rows=4)
    far = threshold.level - threshold.rows
    assert threshold.passes(far) <= threshold.each < threshold.passes(far - 1)
    assert 1 - (1 - float(threshold.each)) ** 3 == pytest.approx(1e-6)


def test_gaussian_noise_has_its_own_tail() -> None:
    threshold = KeyThreshold(Gaussian(10.0), 1e-9, rows=2)
    far = threshold.level - 2
    assert threshold.passes(far) == pytest.approx(math.erfc((far - 0.5) / 10 / math.sqrt(2)) / 2, rel=1e-9)
    assert threshold.passes(far) <= 1e-9 < threshold.passes(far - 1)


def test_more_groups_more_rows_and_a_smaller_delta_ask_for_more() -> None:
    base = KeyThreshold(Laplace(5.0), 1e-6)
    assert KeyThreshold(Laplace(5.0), 1e-6, groups=10).level > base.level
    assert KeyThreshold(Laplace(5.0), 1e-6, rows=7).level == base.level + 6
    assert KeyThreshold(Laplace(5.0), 1e-12).level > base.level


def test_keys_are_kept_from_the_level_on() -> None:
    threshold = KeyThreshold(Laplace(1.0), 1e-6)
    at = threshold.level
    assert threshold.release([at - 1, at, at + 1, -5]) == [False, True, True, False]


@pytest.mark.parametrize("wrong", [{"delta": 0}, {"delta": 0.5}, {"groups": 0}, {"rows": 0}, {"noise": "Laplace"}])
def test_what_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        KeyThreshold(**({"noise": Laplace(1.0), "delta": 1e-6} | wrong))  # type: ignore[arg-type]
