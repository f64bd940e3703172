"""Exact coins and uniform integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.rounding import ball, floor_of, precision
from discreet.noise import bits
from discreet.noise.interval import CHUNK, EXPONENTIAL, LOG_ERROR, SMALLEST, Prefix

Bools = NDArray[np.bool_]


def bernoulli(p: float | Fraction, size: int | tuple[int, ...]) -> Bools:
    """Toss coins that are True with probability exactly p, a Fraction or float in [0, 1]."""
    shape = check.shape("size", size)
    exact = Fraction(check.real("p", p, least=0, most=1))
    return _below(lambda count: int(exact * 2**count), math.prod(shape)).reshape(shape)


def bernoulli_real(probability: Callable[[], arb], count: int) -> Bools:
    """Toss coins whose irrational probability is given as a ball formula, evaluated at the precision in force."""
    return _below(lambda bit_count: floor_of(lambda: probability() * arb(2) ** bit_count), count)


def _below(scaled: Callable[[int], int], count: int) -> Bools:
    """Say where a uniform real lies below the number p of which scaled(n) = floor(p * 2^n).

    The first n bits of the uniform real decide as soon as they differ from those of p.
    """
    threshold = scaled(64)
    if threshold == 2**64:
        return np.ones(count, dtype=bool)
    words = bits.words(count)
    below: Bools = words < np.uint64(threshold)
    for index in np.flatnonzero(words == np.uint64(threshold)):
        prefix = Prefix(threshold, 64)
        while prefix.whole == scaled(prefix.count):
            prefix.extend()
        below[index] = prefix.whole < scaled(prefix.count)
    return below


def bernoulli_exp(x: float | Fraction | Floats, size: int | tuple[int, ...] | None = None) -> Bools:
    """Toss coins that are True with probability exactly exp(-x), for x >= 0: a number or an array of floats."""
    if isinstance(x, np.ndarray):
        shape = x.shape if size is None else check.shape("size", size)
        if x.dtype.kind != "f" or not np.all(np.isfinite(x) & (x >= 0)):
            raise ParameterError.of_data("x", x, "finite floats >= 0")
        try:
            exponent = np.broadcast_to(x.astype(np.float64), shape).ravel()
        except ValueError:
            raise ParameterError("size", size, f"a shape that x, of shape {x.shape}, fits") from None
        return exponential_coin(exponent, np.zeros_like(exponent), lambda i: arb(float(exponent[i]))).reshape(shape)
    shape = check.shape("size", 1 if size is None else size)
    number = check.real("x", x, least=0)
    exponent = np.full(math.prod(shape), min(float(number), 1e300))
    return exponential_coin(exponent, exponent * 2.0**-52, lambda _: ball(number)).reshape(shape)


def exponential_coin(exponent: Floats, error: Floats, exact: Callable[[int], arb]) -> Bools:
    """Toss coin i with probability exactly exp(-exact(i)), where `exponent` is within `error` of exact(i).

    Heads when an exponential variable exceeds the exponent: floats decide where they can, balls elsewhere.
    """
    heads = np.empty(len(exponent), dtype=bool)
    for start in range(0, len(exponent), CHUNK):
        part = slice(start, start + CHUNK)
        words = bits.words(len(exponent[part]))
        w = words.astype(np.float64)
        w += 0.5
        slack = 1.0 / w
        w *= 2.0**-64
        variable = EXPONENTIAL.estimate(w)
        difference = variable - exponent[part]
        slack += variable * LOG_ERROR
        slack += 2.0**-51
        slack += error[part]
        slack += np.abs(difference) * 2.0**-52
        heads[part] = difference > 0
        undecided = ~(np.abs(difference) > slack) | (words < np.uint64(SMALLEST))
        for index in np.flatnonzero(undecided):
            heads[start + index] = _toss_exactly(int(words[index]), start + int(index), exact)
    return heads


def _toss_exactly(word: int, index: int, exact: Callable[[int], arb]) -> bool:
    prefix = Prefix(word, 64)
    while True:
        with precision(prefix.count + 64):
            variable = prefix.enclose(EXPONENTIAL)
            threshold = exact(index)
            if variable is None:
                if arb(2).log() * prefix.count > threshold:  # -ln u is at least that
                    return True
            elif variable > threshold:
                return True
            elif variable < threshold:
                return False
        prefix.extend()


def uniform_int(n: int, size: int | tuple[int, ...] | None = None) -> Any:
    """Draw whole numbers from 0 to n - 1, each equally likely.

    An int64 array of shape `size` for n up to 2^63; without `size` one Python int, for n of any size.
    """
    if size is None:
        return _uniform_whole(check.integer("n", n, least=1))
    shape = check.shape("size", size)
    n = check.integer("n", n, least=1, most=2**63)
    limit = 2**64 - 2**64 % n  # words below it fall on every residue equally often
    words = bits.words(math.prod(shape)).copy()
    if limit < 2**64:
        while len(again := np.flatnonzero(words >= np.uint64(limit))):
            words[again] = bits.words(len(again))
    return (words % np.uint64(n)).astype(np.int64).reshape(shape)


def _uniform_whole(n: int) -> int:
    count = max(1, -(-(n - 1).bit_length() // 64))
    span = 2 ** (64 * count)
    limit = span - span % n
    while True:
        whole = int.from_bytes(bits.words(count).tobytes(), "little")
        if whole < limit:
            return whole % n
