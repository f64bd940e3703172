"""Exact draws by inverting a distribution on an interval.

A uniform real u is known only by its first bits, so it lies in an interval; more bits can be had at any time.
The draw is floor(scale * curve(u) + shift). Float64 gives that number with a proven error; where no integer
lies within the error, the floor is decided and it is the draw that infinitely many bits would have given.
Otherwise this one element is decided in ball arithmetic, with more bits as needed. Each draw therefore has the
exact distribution, whatever float64 does inside its error bounds.

Error bounds, with W the 63 bits in use, w the float nearest (W + 1/2) / 2^63 and u anywhere in the interval:

- |ln(u / w)| <= 2^-51 + 2^-63 / w where W >= 2^20 (at half of that: 2^-52 for two roundings, and the interval's
  half width); smaller W are left undecided;
- |curve(u) - curve(w)| <= steepness * |ln(u / w)|, by the mean value theorem in ln u;
- the float evaluation of curve(w) is off by at most `relative * curve(w)`, an assumption about numpy and scipy
  that leaves at least 8 times the worst error measured against balls (tests/noise/test_error_bounds.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.base.rounding import ball, precision
from discreet.base.wide import wide_array
from discreet.noise import bits

special = Later("scipy.special")


CHUNK = 1 << 14
"""Elements worked on at a time: their float arrays stay in the processor's cache."""

LOG_ERROR = 2.0**-48
"""Relative error assumed of numpy's log and log1p (measured: 2^-52.9)."""

NDTRI_ERROR = 2.0**-46
"""Relative error assumed of scipy's ndtri at v <= 1/2 (measured: 2^-50.4)."""

SMALLEST = 1 << 20
"""Words below this say too little about u: the interval is wide beside u itself."""

INT64 = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Curve:
    """A decreasing function of a uniform real in (0, 1), as floats with an error bound and as balls."""

    estimate: Callable[[Floats], Floats]
    relative: float
    steepness: float
    enclose: Callable[[arb], arb]


def _normal_tail(w: Floats) -> Floats:
    w *= 0.5
    found: Floats = special.ndtri(w, out=w)
    return np.negative(found, out=found)


def _exponential(w: Floats) -> Floats:
    np.log(w, out=w)
    return np.negative(w, out=w)


EXPONENTIAL = Curve(_exponential, LOG_ERROR, 1.0, lambda u: -u.log())
"""-ln u: an exponential variable of mean 1."""

NORMAL = Curve(_normal_tail, NDTRI_ERROR, 1.2534, lambda u: u.erfcinv() * arb(2).sqrt())
"""The magnitude of a standard normal: u f'(u) is Mills' ratio, at most sqrt(pi / 2) = 1.25331..."""


class Prefix:
    """The first bits of one uniform real in (0, 1): an interval that `extend` narrows."""

    __slots__ = ("count", "whole")

    def __init__(self, whole: int, count: int) -> None:
        self.whole, self.count = whole, count

    def extend(self) -> None:
        """Learn 64 more bits."""
        self.whole = self.whole << 64 | bits.one_word()
        self.count += 64

    def enclose(self, curve: Curve) -> arb | None:
        """Return a ball that holds curve(u) for every u in the interval, or nothing while u may be 0."""
        if self.whole == 0:
            return None
        middle = curve.enclose(arb(fmpq(2 * self.whole + 1, 1 << (self.count + 1))))
        spread = arb(fmpq(1, 2 * self.whole)) * ball(curve.steepness)  # >= steepness * |ln(u / middle)|
        return middle + spread * arb(mid=0, rad=1)


@dataclass(frozen=True, slots=True)
class WholeDraws:
    """Integer draws: int64, with those beyond int64 saturated there and kept whole in `beyond`."""

    values: NDArray[np.int64]
    beyond: dict[int, int] = field(default_factory=dict)

    def shaped(self, shape: tuple[int, ...], wide: bool) -> NDArray[Any]:
        """Return an int64 array, or an object array of Python ints without saturation."""
        if not wide:
            return self.values.reshape(shape)
        entries = self.values.tolist()
        for index, value in self.beyond.items():
            entries[index] = value
        return wide_array(entries, shape)


@dataclass(frozen=True, slots=True)
class Inversion:
    """The distribution of floor(scale * curve(u) + shift), with a random sign where `signed`.

    `shift` is given as a ball formula, evaluated at the precision in force; it must be at least 0.
    """

    curve: Curve
    scale: float | Fraction
    shift: Callable[[], arb]
    signed: bool

    def draw(self, count: int) -> WholeDraws:
        """Draw `count` integers."""
        values = np.empty(count, dtype=np.int64)
        beyond: dict[int, int] = {}
        shifts: dict[int, arb] = {}
        with precision():
            shift = float(self.shift())
        for start in range(0, count, CHUNK):
            words = bits.words(min(CHUNK, count - start)).view(np.int64)
            prefixes = words & INT64
            part = values[start : start + len(words)]
            undecided = self._estimate(prefixes, shift, part)
            for index in np.flatnonzero(undecided):
                exact = self._decide(int(prefixes[index]), shifts)
                part[index] = min(exact, INT64)
                if exact > INT64:
                    beyond[start + int(index)] = -exact if self.signed and words[index] < 0 else exact
            if self.signed:
                sign = words >> 63  # 0 or -1: x ^ -1 is -x - 1
                part ^= sign
                part -= sign
        return WholeDraws(values, beyond)

    def _estimate(self, prefixes: NDArray[np.int64], shift: float, out: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Write the floors that floats can decide, and say which they cannot."""
        scale = float(self.scale)
        w = prefixes.astype(np.float64)
        w += 0.5
        error = np.divide(scale * self.curve.steepness, w)  # scale * steepness * 2^-63 / w, before w is scaled
        w *= 2.0**-63
        y = self.curve.estimate(w)
        y *= scale
        y += shift
        # 2^-50: rounding of scale and shift, of the two steps above, and of y -+ error below.
        error += scale * self.curve.steepness * 2.0**-51
        error += y * (self.curve.relative + 2.0**-50)
        low = np.floor(y - error)
        np.add(y, error, out=error)
        np.floor(error, out=error)
        out[...] = low
        undecided: NDArray[np.bool_] = low != error
        undecided |= prefixes < SMALLEST
        return undecided

    def finish(self, word: int) -> int:
        """Return the draw that begins with these 64 bits, exactly, drawing more of them as needed."""
        exact = self._decide(word & INT64, {})
        return -exact if self.signed and word > INT64 else exact

    def _decide(self, whole: int, shifts: dict[int, arb]) -> int:
        """Return the floor for one element exactly, drawing more bits while the interval holds a step."""
        prefix = Prefix(whole, 63)
        scale_bits = max(0, math.frexp(float(self.scale))[1])
        while True:
            with precision(prefix.count + scale_bits + 64):
                position = prefix.enclose(self.curve)
                if position is not None:
                    if prefix.count not in shifts:
                        shifts[prefix.count] = self.shift()
                    floor = (ball(self.scale) * position + shifts[prefix.count]).floor().unique_fmpz()
                    if floor is not None:
                        return int(floor)
            prefix.extend()
