"""Specimens that count: one number or a histogram with noise of its own."""

from __future__ import annotations

import numpy as np

from discreet.audit.blackbox.patterns import list_histograms
from discreet.audit.suite.specimens import EPSILON, Specimen, repeat_rows
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.mechanisms import Laplace

GRAIN = 1_000
"""Steps of a whole number in which noise is drawn: as good as real numbers here, and exact."""

COUNTS = ((0, 1), (1, 0), (5, 6))
WIDTH = 3.0
"""Beyond so many scales noise is cut off where that is the fault."""


def count_continuously(count: int, outputs: int) -> Ints:
    """Return a count with exact Laplace noise on a fine grid."""
    return np.asarray(Laplace(GRAIN / EPSILON).release(np.full(outputs, count * GRAIN)))


def count_geometrically(count: int, outputs: int) -> Ints:
    """Return a count with two-sided geometric noise."""
    return np.asarray(Laplace(1 / EPSILON).release(np.full(outputs, count)))


def count_all(counts: list[int], outputs: int) -> Ints:
    """Return a histogram with exact noise on each count: one person is in one of them."""
    return np.asarray(Laplace(1 / EPSILON).release(repeat_rows(counts, outputs)))


def count_prefixes(counts: list[int], outputs: int) -> Ints:
    """Return running sums with the noise of one count each: one person moves all sums behind them. Wrong."""
    return np.asarray(Laplace(1 / EPSILON).release(repeat_rows(list(np.cumsum(counts)), outputs)))


def count_truncated(count: int, outputs: int) -> Floats:
    """Return a count whose noise is cut off, so that some outputs belong to one input alone. Wrong."""
    noise = np.asarray(Laplace(GRAIN / EPSILON).release(np.zeros(outputs, dtype=np.int64)))
    most = round(WIDTH * GRAIN / EPSILON)
    return np.asarray(count * GRAIN + np.clip(noise, -most, most))


def count_in_floats(count: int, outputs: int) -> Floats:
    """Return a count plus Laplace noise, all in floats: its last bits tell what was added (Mironov 2012). Wrong."""
    uniform = np.random.default_rng().random(outputs) - 0.5
    return np.asarray(count - np.sign(uniform) / EPSILON * np.log(1 - 2 * np.abs(uniform)))


def count_with_less(count: int, outputs: int) -> Ints:
    """Return a count with four fifths of the noise it needs. Wrong."""
    return np.asarray(Laplace(GRAIN * 0.8 / EPSILON).release(np.full(outputs, count * GRAIN)))


def report_bits(value: int, outputs: int) -> Ints:
    """Return one-time RAPPOR: the bits of one of eight values, each flipped, half of epsilon a bit."""
    bits = np.zeros((outputs, 8), dtype=np.int64)
    bits[:, value] = 1
    lies = np.random.default_rng().random(bits.shape) < 1 / (1 + np.exp(EPSILON / 2))
    return np.where(lies, 1 - bits, bits)


def list_specimens() -> list[Specimen]:
    """Return the specimens of this file."""
    histograms = list_histograms(5)
    return [
        Specimen("Laplace", True, count_continuously, COUNTS, EPSILON),
        Specimen("geometric", True, count_geometrically, COUNTS, EPSILON),
        Specimen("noisy histogram", True, count_all, histograms, EPSILON),
        Specimen("one-time RAPPOR", True, report_bits, ((0, 1), (2, 7)), EPSILON),
        Specimen("prefix sums", False, count_prefixes, histograms, 5 * EPSILON),
        Specimen("truncated noise", False, count_truncated, COUNTS),
        Specimen("Laplace in floats", False, count_in_floats, COUNTS),
        Specimen("Laplace with less noise", False, count_with_less, COUNTS, 1.25 * EPSILON),
    ]
