"""The magnitude of a standard normal from a uniform number, in float64, on any array library.

The rational functions are those of Wichura (1988), Algorithm AS 241, PPND16, for v = u / 2 in [2^-36, 1/2]: its third
pair, for v below e^-25, is not needed since such u are decided on the host. With exact arithmetic they err by about
10^-16 of the value. What float64 makes of them is assumed to be off by at most `QUANTILE_ERROR` of the value: at
least 8 times the worst measured against ball arithmetic, on a CPU and on a GPU (`docs/learning-compiled.md`).
"""

from __future__ import annotations

from typing import Any

QUANTILE_ERROR = 2.0**-46
"""Relative error assumed of `find_magnitude` (measured: see tests/noise/device/test_quantile.py)."""

SMALLEST = 1 << 28
"""Words below this, of 63 bits, are not decided in floats: u is then below 2^-35."""

CENTRAL = (
    (
        2.5090809287301226727e3,
        3.3430575583588128105e4,
        6.7265770927008700853e4,
        4.5921953931549871457e4,
        1.3731693765509461125e4,
        1.9715909503065514427e3,
        1.3314166789178437745e2,
        3.3871328727963666080e0,
    ),
    (
        5.2264952788528545610e3,
        2.8729085735721942674e4,
        3.9307895800092710610e4,
        2.1213794301586595867e4,
        5.3941960214247511077e3,
        6.8718700749205790830e2,
        4.2313330701600911252e1,
        1.0,
    ),
)
"""Numerator and denominator in .180625 - q^2, highest power first, where q = 1/2 - v is at most .425."""

OUTER = (
    (
        7.74545014278341407640e-4,
        2.27238449892691845833e-2,
        2.41780725177450611770e-1,
        1.27045825245236838258e0,
        3.64784832476320460504e0,
        5.76949722146069140550e0,
        4.63033784615654529590e0,
        1.42343711074968357734e0,
    ),
    (
        1.05075007164441684324e-9,
        5.47593808499534494600e-4,
        1.51986665636164571966e-2,
        1.48103976427480074590e-1,
        6.89767334985100004550e-1,
        1.67638483018380384940e0,
        2.05319162663775882187e0,
        1.0,
    ),
)
"""Numerator and denominator in sqrt(-ln v) - 1.6, elsewhere."""


def _evaluate(coefficients: tuple[float, ...], x: Any) -> Any:
    total = coefficients[0] * x + coefficients[1]
    for coefficient in coefficients[2:]:
        total = total * x + coefficient
    return total


def find_magnitude(u: Any, library: Any) -> Any:
    """Return z >= 0 with Pr[|normal| > z] = u, for float64 u in [2^-35, 1]; `library` is numpy or jax.numpy."""
    v = 0.5 * u
    q = 0.5 - v
    central = v >= 0.075
    near = 0.180625 - q * q
    far = library.sqrt(-library.log(v)) - 1.6
    above = library.where(central, q * _evaluate(CENTRAL[0], near), _evaluate(OUTER[0], far))
    below = library.where(central, _evaluate(CENTRAL[1], near), _evaluate(OUTER[1], far))
    return above / below
