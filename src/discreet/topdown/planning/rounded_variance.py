"""The variance of Gaussian noise that was rounded to whole numbers."""

from __future__ import annotations

import math
from functools import lru_cache

FOURIER_TERMS = 4
"""Terms of the series: the next is below a float's last digits."""

LEAST_SMOOTH = 0.4
"""From this sigma on the series is exact to a float's last digits; below, the few values there are, are added up."""


@lru_cache(maxsize=4096)
def compute_rounded_variance(sigma: float) -> float:
    """Return the variance of a centred Gaussian of deviation sigma, rounded to the nearest whole number.

    Rounding adds 1/12 and, since the rounding error is nearly but not quite independent, the terms of a Fourier series
    (Sheppard's correction in its exact form): with r = round(x) - x, r = sum over k >= 1 of
    (-1)^k sin(2 pi k x) / (pi k), E[x r] = 2 sigma^2 sum of (-1)^k exp(-2 pi^2 k^2 sigma^2), and
    E[r^2] = 1/12 + sum of (-1)^k exp(-2 pi^2 k^2 sigma^2) / (pi k)^2.

    >>> compute_rounded_variance(10.0) - 100
    0.0833333333333...
    """
    if sigma < LEAST_SMOOTH:
        return 2 * math.fsum(
            (2 * whole - 1) * 0.5 * math.erfc((whole - 0.5) / (sigma * math.sqrt(2))) for whole in range(1, 60)
        )
    waves = [(-1) ** k * math.exp(-2 * (math.pi * k * sigma) ** 2) for k in range(1, FOURIER_TERMS + 1)]
    crossed = 2 * sigma**2 * math.fsum(waves)
    errors = math.fsum(wave / (math.pi * k) ** 2 for k, wave in enumerate(waves, start=1))
    return sigma**2 + 2 * crossed + 1 / 12 + errors
