"""Mechanisms of the local model over texts, words, numbers and records: small enough to write down their whole law."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from discreet.local.client import (
    CountMeanSketch,
    DirectResponse,
    FragmentPuzzle,
    HadamardSketch,
    HybridMean,
    LocalHashing,
    Mechanism,
    OneBitMean,
    PiecewiseMean,
    PrefixExtending,
    Sampled,
    UnaryEncoding,
)

EPSILONS = (0.1, 1.0, 3.0)
NUMBERS = tuple(Fraction(*each) for each in ((-1, 1), (-2, 7), (0, 1), (1, 3), (1, 1)))
TEXTS = (b"", b"apple", b"banana", b"cherry", b"date")


class Case(NamedTuple):
    """A mechanism, and values of which some two are as far apart as any."""

    mechanism: Mechanism
    values: tuple[Any, ...]

    @property
    def name(self) -> str:
        return f"{self.mechanism.kind}-{self.mechanism.epsilon:.1f}"


def make_cases(epsilon: float) -> list[Case]:
    """Return every mechanism at an epsilon, with parameters so small that all reports can be listed."""
    plain = UnaryEncoding.calibrate(epsilon, 3)
    records = tuple(zip(NUMBERS, (0, 1, 2, 2, 0), TEXTS, strict=True))
    half = OneBitMean.calibrate(epsilon / 2)
    parts = (half, DirectResponse.calibrate(epsilon, 3), HadamardSketch.calibrate(epsilon / 3, 1, 2))
    return [
        Case(CountMeanSketch.calibrate(epsilon, 2, 3), TEXTS),
        Case(CountMeanSketch(2, 3, plain.keep, plain.flip), TEXTS),
        Case(HadamardSketch.calibrate(epsilon, 2, 4), TEXTS),
        Case(FragmentPuzzle.calibrate(epsilon, 4, 2, 2, 2, 2, share=0.4), (0, 3, 5, 6, 9, 15)),
        Case(PrefixExtending(4, 2, 1, LocalHashing.calibrate(epsilon, 16, 3)), (0, 3, 5, 6, 9, 15)),
        Case(OneBitMean.calibrate(epsilon), NUMBERS),
        Case(PiecewiseMean.calibrate(epsilon, 8), NUMBERS),
        Case(HybridMean.calibrate(epsilon, 6), NUMBERS),
        Case(HybridMean(PiecewiseMean.calibrate(epsilon, 6), half, 1 << 62), NUMBERS),
        Case(Sampled(parts), records),
    ]
