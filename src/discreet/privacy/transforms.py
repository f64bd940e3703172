"""Convolutions of tilted laws on a grid, with bounds on every error."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.base.later import Later
from discreet.privacy.pairs import UNIT, Floats

fft, signal = Later("scipy.fft"), Later("scipy.signal")

FFT_ERROR = 16 * UNIT
SPARSE = 4096
_EMPTY: Floats = np.empty(0)

Evaluate = Callable[[float], tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Tilted:
    """Masses of e^(tilt L) / e^log_scale on consecutive grid points.

    They are off by at most `error` in the 2-norm, and what lies elsewhere adds up to at most `outside`. Where the
    masses are so smooth that few frequencies hold them, `masses` is empty and `evaluate` sums them from those.
    """

    first: int
    masses: Floats
    log_scale: float
    error: float
    outside: float
    evaluate: Callable[[float, float], Evaluate] | None = None


def dense_delta(law: Tilted, tilt: float, step: float) -> Evaluate:
    """Return e -> the sum over losses x > e of masses(x) e^(-tilt (x - e)) (1 - e^(e - x)), and its terms' size.

    Sums are kept relative to the loss that they begin at, so that no weight leaves the floats: what begins at x is
    the mass at x and e^(-tilt step) times what begins one step later.
    """
    near, far = (_discounted(law.masses, rate * step) for rate in (tilt, tilt + 1))

    def evaluate(epsilon: float) -> tuple[float, float]:
        place = min(max(math.floor(epsilon / step) + 1 - law.first, 0), len(law.masses))
        ahead = max(step * (law.first + place) - epsilon, 0.0)
        a = math.exp(-tilt * ahead) * float(near[place])
        b = math.exp(-(tilt + 1) * ahead) * float(far[place])
        return a - b, (abs(a) + abs(b)) * (1 + len(law.masses) / 32)

    return evaluate


def _discounted(masses: Floats, rate: float) -> Floats:
    """Return the sums over j >= i of masses[j] e^(-rate (j - i)), for every i up to the length."""
    sums: Floats = signal.lfilter([1.0], [1.0, -math.exp(-rate)], masses[::-1])
    return np.append(sums[::-1], 0.0)


def sparse_delta(spectrum: NDArray[np.complex128], size: int, start: int) -> Callable[[float, float], Evaluate]:
    """Return the same sum from the first frequencies of masses that repeat every `size` points, by geometric series."""

    def prepared(tilt: float, step: float) -> Evaluate:
        order = np.arange(len(spectrum))
        twice = np.where(order == 0, 1.0, 2.0) * spectrum / size

        def turn(points: int) -> NDArray[np.complex128]:
            """Return 2 pi i order points / size, whole turns taken off first, in integers."""
            return np.asarray(2j * math.pi * (order * (points % size) % size) / size, dtype=np.complex128)

        near, far = -tilt * step + turn(1), -(tilt + 1) * step + turn(1)
        per_near, per_far = twice / -np.expm1(near), twice / -np.expm1(far)

        def evaluate(epsilon: float) -> tuple[float, float]:
            begin = min(max(math.floor(epsilon / step) + 1, start), start + size)
            terms = start + size - begin
            ahead = step * begin - epsilon
            phase, around = np.exp(turn(begin)), turn(terms)
            one = math.exp(min(-tilt * ahead, 700)) * per_near * phase * -np.expm1(around - tilt * step * terms)
            two = math.exp(min(-(tilt + 1) * ahead, 700)) * per_far * phase
            two *= -np.expm1(around - (tilt + 1) * step * terms)
            return float(np.sum(one - two).real), float(np.sum(np.abs(one) + np.abs(two)))

        return evaluate

    return prepared


def power(law: Tilted, count: int, alone: bool) -> Tilted:
    """Compose one law `count` times: one transform, a power, and back, on a window that holds nearly all of it."""
    if count == 1:
        return law
    places = law.first + np.arange(len(law.masses))
    mean = float(law.masses @ places)
    variance = float(law.masses @ (places - mean) ** 2)
    whole = count * (len(law.masses) - 1) + 1
    offsets: Floats = places.astype(np.float64) - mean
    width, outside = _window(law.masses, offsets, count, variance)
    size = fft.next_fast_len(int(min(2 * width + 2, whole)), real=True)
    start = count * law.first if size >= whole else round(count * mean) - size // 2
    buffer = np.bincount(places % size, weights=law.masses, minlength=size)
    spectrum = fft.rfft(buffer)
    round_off = FFT_ERROR * math.log2(size)
    error = count * (law.error + round_off * math.sqrt(float(buffer @ buffer)))
    error *= math.exp(min(error * math.sqrt(size), 700.0))  # one frequency may be off by as much as all together
    outside = 0.0 if size >= whole else outside
    power_error = 4 * UNIT * (4 * count + 10) + round_off
    small = math.exp(-80 / count)
    large = np.flatnonzero(spectrum.real**2 + spectrum.imag**2 > small**2)
    if large[-1] < min(SPARSE, size // 8):
        kept = spectrum[: large[-1] + 1] ** count
        length = math.sqrt(2 * float(np.sum(np.abs(kept) ** 2)) / size)
        error += power_error * length + 1e-30 * math.sqrt(size)
        if alone:
            return Tilted(start, _EMPTY, count * law.log_scale, error, outside, sparse_delta(kept, size, start))
        return Tilted(start, _expand(kept, size, start), count * law.log_scale, error, outside)
    masses = _expand(spectrum**count, size, start)
    error += power_error * math.sqrt(float(masses @ masses))
    return Tilted(start, masses, count * law.log_scale, error, outside)


def _expand(spectrum: NDArray[np.complex128], size: int, start: int) -> Floats:
    return np.roll(fft.irfft(spectrum, size), -(start % size))


def _window(masses: Floats, offsets: Floats, count: int, variance: float) -> tuple[float, float]:
    """Return a half-width in grid points and a Chernoff bound on the mass of the sum beyond it."""
    deviation = math.sqrt(count * variance) + 1.0
    furthest = float(np.abs(offsets).max()) + 1.0
    rates = [*(rate / deviation for rate in (2, 4, 6, 8)), *(rate / furthest for rate in (5, 15, 30))]
    whole, used = count * len(masses), masses > 0
    masses, offsets = masses[used], offsets[used]
    moments = [[(rate, count * _log_moment(masses, side * rate * offsets)) for rate in rates] for side in (1, -1)]
    width = 7.5 * deviation
    while True:
        beyond = sum(min(math.exp(min(0.0, value - rate * width)) for rate, value in side) for side in moments)
        if beyond < 1e-12 or width > whole:
            return width, min(2 * beyond, 1.0)  # twice: the bound itself is computed in floats
        width *= 1.1


def _log_moment(masses: Floats, exponents: Floats) -> float:
    """Return the log of the mean of e^exponents, or infinity where that leaves the floats."""
    return math.inf if float(exponents.max()) > 600 else math.log(float(masses @ np.exp(exponents)))


def merge(groups: list[Tilted]) -> Tilted:
    """Convolve all laws, shortest first and many pairs at a time."""
    while len(groups) > 1:
        groups.sort(key=lambda group: len(group.masses))
        pairs = [(groups[i], groups[i + 1]) for i in range(0, len(groups) - 1, 2)]
        odd = groups[-1:] if len(groups) % 2 else []
        merged: list[Tilted] = []
        sizes = [fft.next_fast_len(len(a.masses) + len(b.masses) - 1, real=True) for a, b in pairs]
        sizes = [1 << math.ceil(math.log2(size)) if size < 4096 else size for size in sizes]
        for size in sorted(set(sizes)):
            batch = [pair for pair, its in zip(pairs, sizes, strict=True) if its == size]
            merged.extend(_convolve(batch, size))
        groups = merged + odd
    return groups[0]


def _convolve(batch: list[tuple[Tilted, Tilted]], size: int) -> list[Tilted]:
    stacks = [np.zeros((len(batch), size)) for _ in range(2)]
    for row, pair in enumerate(batch):
        for stack, law in zip(stacks, pair, strict=True):
            stack[row, : len(law.masses)] = law.masses
    products = fft.irfft(fft.rfft(stacks[0]) * fft.rfft(stacks[1]), size)
    lengths = [np.sqrt(np.einsum("ij,ij->i", stack, stack)) for stack in stacks]
    round_off = 2 * FFT_ERROR * math.log2(size)
    results = []
    for row, (a, b) in enumerate(batch):
        # What is off in `a` meets the true masses of b, 1 in all; what is off in b the computed ones of a.
        size_of_a = max(1.0, float(np.abs(a.masses).sum()))
        error = 1.01 * (a.error + b.error * size_of_a) + round_off * float(lengths[0][row] + lengths[1][row])
        masses = products[row, : len(a.masses) + len(b.masses) - 1]
        law = Tilted(a.first + b.first, masses, a.log_scale + b.log_scale, error, a.outside + b.outside)
        results.append(_trimmed(law))
    return results


def _trimmed(law: Tilted) -> Tilted:
    """Leave out both ends where next to nothing lies."""
    if len(law.masses) < 512:
        return law
    sums = np.cumsum(np.abs(law.masses))
    low, high = np.searchsorted(sums, [1e-16 * sums[-1], sums[-1] * (1 - 1e-15)])
    high = min(int(high) + 1, len(sums))
    left_out = float(np.abs(law.masses[:low]).sum() + np.abs(law.masses[high:]).sum())
    left_out += law.error * math.sqrt(len(law.masses) - high + int(low))
    return Tilted(law.first + int(low), law.masses[low:high], law.log_scale, law.error, law.outside + left_out)
