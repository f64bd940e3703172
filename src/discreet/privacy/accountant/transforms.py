"""Convolutions of tilted laws on a grid by Fourier transforms, with bounds on every error."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.privacy.accountant.pairs import UNIT
from discreet.privacy.accountant.spectra import SMALLEST, Complexes, find_large, raise_directly

fft = Later("scipy.fft")

FFT_ERROR = 16 * UNIT
"""Relative 2-norm error of a transform of length n: 16 log2(n) units (Higham 2002, Theorem 24.2: about 7)."""

SHORT = 1 << 14
"""A law whose powers have no more points than this is raised on its own, without a window."""

LARGEST = 1 << 23
"""The most points of a window: a bound on memory, at the cost of what the window leaves out."""

ACCURATE = 1e-6
"""A transform with no more round-off than this, relatively, is good enough."""

ENOUGH = 1e-12
"""What a window may leave out of the tilted law, where a larger one would be affordable."""


@dataclass(frozen=True, eq=False)
class Tilted:
    """Masses of e^(tilt L) / e^log_scale on consecutive grid points.

    Each mass is off by at most `relative` of itself, all together by at most `error` more in the 2-norm, and what lies
    elsewhere adds up to at most `outside`.
    """

    first: int
    masses: Floats
    log_scale: float
    error: float = 0.0
    outside: float = 0.0
    relative: float = 0.0


Powers = list[tuple[Tilted, int]]
"""Laws, each with how often it is composed with itself."""


def compose_powers(powers: Powers) -> Tilted:
    """Compose all laws: short ones two by two, then all long ones in one window that holds nearly all of the sum."""
    short = [law if count == 1 else _raise_fully(law, count) for law, count in powers if _is_short(law, count)]
    long = [(law, count) for law, count in powers if not _is_short(law, count)]
    if short:
        merged = merge(short)
        if not long:
            return merged
        long.append((merged, 1))
    return _compose_in_window(long)


def _is_short(law: Tilted, count: int) -> bool:
    return count == 1 or count * len(law.masses) <= SHORT


def _raise_fully(law: Tilted, count: int) -> Tilted:
    """Compose one law with itself, keeping all of its points."""
    size = fft.next_fast_len(count * (len(law.masses) - 1) + 1, real=True)
    spectrum = fft.rfft(law.masses, size)
    masses = fft.irfft(spectrum**count, size)[: count * (len(law.masses) - 1) + 1]
    error = _error_of_powers([(law, count)], [_measure_length(law.masses)], size)
    error += (4 * UNIT * (4 * count + 10) + FFT_ERROR * math.log2(size + 1)) * _measure_length(masses)
    return Tilted(count * law.first, masses, count * law.log_scale, error, count * law.outside, count * law.relative)


def _compose_in_window(powers: Powers) -> Tilted:
    """Compose laws in one cyclic transform: what wraps around is bounded by Chernoff and counts as `outside`."""
    whole = 1 + sum(count * (len(law.masses) - 1) for law, count in powers)
    middle, width, left_out = _choose_window(powers, whole)
    size = fft.next_fast_len(int(min(2 * width + 2, whole)), real=True)
    start = sum(count * law.first for law, count in powers) if size >= whole else round(middle) - size // 2
    spectrum, error = _multiply_spectra(powers, size)
    masses: Floats = np.roll(fft.irfft(spectrum, size), -(start % size))
    error += FFT_ERROR * math.log2(size + 1) * _measure_length(masses) + 1e-30 * math.sqrt(size)
    return Tilted(
        start,
        masses,
        math.fsum(count * law.log_scale for law, count in powers),
        error,
        math.fsum(count * law.outside for law, count in powers) + (0.0 if size >= whole else left_out),
        math.fsum(count * law.relative for law, count in powers),
    )


def _multiply_spectra(powers: Powers, size: int) -> tuple[Complexes, float]:
    """Return the transform of all laws together on a ring of `size` points, and a bound on its error."""
    logs, product = np.zeros(size // 2 + 1), np.ones(size // 2 + 1, dtype=np.complex128)
    lengths = []
    for law, count in powers:
        places = (law.first + np.arange(len(law.masses))) % size
        folded: Floats = np.bincount(places, weights=law.masses, minlength=size).astype(np.float64, copy=False)
        lengths.append(_measure_length(folded))
        spectrum = fft.rfft(folded)
        with np.errstate(divide="ignore"):
            logs += count * np.log(np.abs(spectrum))
        large = logs > -SMALLEST
        product[~large] = 0.0
        product[large] *= spectrum[large] if count == 1 else spectrum[large] ** count
    error = _error_of_powers(powers, lengths, size)
    length = _measure_spectrum(product, size)
    error += 4 * UNIT * (4 * sum(count for _, count in powers) + 10) * length
    if error <= ACCURATE * length:
        return product, error
    direct = raise_directly([(law.first, law.masses, count) for law, count in powers], size, find_large(logs))
    inherited = _error_of_powers(powers, [0.0] * len(powers), size)
    if direct is None or direct.error + inherited >= error:
        return product, error
    product[direct.frequencies] = direct.values
    return product, direct.error + inherited


def _measure_length(masses: Floats) -> float:
    return math.sqrt(float(masses @ masses))


def _error_of_powers(powers: Powers, lengths: list[float], size: int) -> float:
    """Bound what errors of the laws and of their transforms become in the product: every other factor is at most 1.

    A law longer than the window is folded; errors that meet in one place may add up.
    """
    round_off = FFT_ERROR * math.log2(size + 1)
    error = math.fsum(
        count * (law.error * math.sqrt(math.ceil(len(law.masses) / size)) + round_off * length)
        for (law, count), length in zip(powers, lengths, strict=True)
    )
    return error * math.exp(min(error * math.sqrt(size), 700.0))  # one frequency may be off by as much as all together


def _measure_spectrum(spectrum: Complexes, size: int) -> float:
    """Return the 2-norm of the masses that have this transform."""
    return math.sqrt(2 * float(np.sum(spectrum.real**2 + spectrum.imag**2)) / size)


def _choose_window(powers: Powers, whole: int) -> tuple[float, float, float]:
    """Return the middle of the sum and a half-width in grid points, and a Chernoff bound on the mass beyond it."""
    means = [float(law.masses @ np.arange(len(law.masses))) for law, _ in powers]
    middle = math.fsum(count * (law.first + mean) for (law, count), mean in zip(powers, means, strict=True))
    offsets: list[Floats] = [
        np.arange(len(law.masses), dtype=np.float64) - mean for (law, _), mean in zip(powers, means, strict=True)
    ]
    variance = math.fsum(
        count * max(float(law.masses @ off**2), 0.0) for (law, count), off in zip(powers, offsets, strict=True)
    )
    deviation = math.sqrt(variance) + 1.0
    furthest = max(float(np.abs(off).max()) for off in offsets) + 1.0
    rates = [*(rate / deviation for rate in (3, 6, 8)), *(rate / furthest for rate in (5, 15, 30))]
    logs: list[Floats] = [np.log(np.maximum(law.masses, 1e-320)) for law, _ in powers]
    terms = [(log, off, count) for log, off, (_, count) in zip(logs, offsets, powers, strict=True)]
    moments = [[(rate, _find_log_moment(terms, side * rate)) for rate in rates] for side in (1, -1)]
    width = 7.5 * deviation
    while True:
        beyond = sum(min(math.exp(min(0.0, value - rate * width)) for rate, value in side) for side in moments)
        if beyond < ENOUGH or width > min(whole, LARGEST // 2):
            return middle, min(width, LARGEST // 2), min(2 * beyond, 1.0)  # twice: the bound is computed in floats
        width *= 1.1


def _find_log_moment(terms: list[tuple[Floats, Floats, int]], rate: float) -> float:
    """Return the log of the mean of e^(rate * the sum's offset), or infinity where that leaves the floats.

    Each law is given by the logs of its masses, its offsets and its count.
    """
    total = 0.0
    for logs, offsets, count in terms:
        exponents = logs + rate * offsets
        if float(exponents.max()) > 600:
            return math.inf
        total += count * math.log(float(np.exp(exponents).sum()))
    return total


def merge(laws: list[Tilted]) -> Tilted:
    """Convolve all laws, shortest first and many pairs at a time."""
    while len(laws) > 1:
        laws = sorted(laws, key=lambda law: len(law.masses))
        couples = [(laws[i], laws[i + 1]) for i in range(0, len(laws) - 1, 2)]
        odd = laws[-1:] if len(laws) % 2 else []
        merged: list[Tilted] = []
        sizes = [fft.next_fast_len(len(a.masses) + len(b.masses) - 1, real=True) for a, b in couples]
        sizes = [1 << math.ceil(math.log2(size)) if size < 4096 else size for size in sizes]
        for size in sorted(set(sizes)):
            batch = [couple for couple, its in zip(couples, sizes, strict=True) if its == size]
            merged.extend(_convolve(batch, size))
        laws = merged + odd
    return laws[0]


def _convolve(batch: list[tuple[Tilted, Tilted]], size: int) -> list[Tilted]:
    stacks = [np.zeros((len(batch), size)) for _ in range(2)]
    for row, couple in enumerate(batch):
        for stack, law in zip(stacks, couple, strict=True):
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
        outside, relative = a.outside + b.outside, a.relative + b.relative
        law = Tilted(a.first + b.first, masses, a.log_scale + b.log_scale, error, outside, relative)
        results.append(_trim(law))
    return results


def _trim(law: Tilted) -> Tilted:
    """Leave out both ends where next to nothing lies."""
    if len(law.masses) < 512:
        return law
    sums = np.cumsum(np.abs(law.masses))
    low, high = np.searchsorted(sums, [1e-16 * sums[-1], sums[-1] * (1 - 1e-15)])
    high = min(int(high) + 1, len(sums))
    left_out = float(np.abs(law.masses[:low]).sum() + np.abs(law.masses[high:]).sum())
    left_out += law.error * math.sqrt(len(law.masses) - high + int(low))
    return replace(law, first=law.first + int(low), masses=law.masses[low:high], outside=law.outside + left_out)
