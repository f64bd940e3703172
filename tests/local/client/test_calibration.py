"""What `calibrate` promises: the epsilon that the tossed chances realise is the one that was asked for, or less."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from discreet.local.client import (
    ChangingBit,
    ClientError,
    CountMeanSketch,
    DirectResponse,
    FragmentPuzzle,
    HadamardBit,
    HadamardSketch,
    HybridMean,
    LocalHashing,
    Mechanism,
    MemoisedHashing,
    MemoisedUnary,
    OneBitMean,
    PiecewiseMean,
    PrefixExtending,
    ProjectiveResponse,
    SubsetSelection,
    UnaryEncoding,
)

CALIBRATED: dict[str, Callable[[float], Mechanism | ChangingBit]] = {
    "direct": lambda epsilon: DirectResponse.calibrate(epsilon, 13),
    "direct, many": lambda epsilon: DirectResponse.calibrate(epsilon, 1 << 32),
    "unary": lambda epsilon: UnaryEncoding.calibrate(epsilon, 13),
    "unary, symmetric": lambda epsilon: UnaryEncoding.calibrate(epsilon, 13, symmetric=True),
    "hashing": lambda epsilon: LocalHashing.calibrate(epsilon, 13),
    "hashing, many": lambda epsilon: LocalHashing.calibrate(epsilon, 13, buckets=1 << 16),
    "hadamard": lambda epsilon: HadamardBit.calibrate(epsilon, 13),
    "subset": lambda epsilon: SubsetSelection.calibrate(epsilon, 13),
    "projective": lambda epsilon: ProjectiveResponse.calibrate(min(epsilon, 4.0), 13),
    "memoised-unary": lambda epsilon: MemoisedUnary.calibrate(min(20.0, 1.5 * epsilon), epsilon, 13),
    "memoised-hashing": lambda epsilon: MemoisedHashing.calibrate(min(20.0, 1.5 * epsilon), epsilon, 13, 4),
    "count-mean": lambda epsilon: CountMeanSketch.calibrate(epsilon, 16, 64),
    "hadamard-mean": lambda epsilon: HadamardSketch.calibrate(epsilon, 16, 64),
    "puzzle": lambda epsilon: FragmentPuzzle.calibrate(epsilon, 20, 10, 4, 16, 64, share=0.1),
    "prefix": lambda epsilon: PrefixExtending.calibrate(epsilon, 20, pool=16),
    "one-bit": OneBitMean.calibrate,
    "piecewise": PiecewiseMean.calibrate,
    "piecewise, two cells": lambda epsilon: PiecewiseMean.calibrate(epsilon, 2),
    "hybrid": lambda epsilon: HybridMean.calibrate(epsilon, 64),
    "changing": lambda epsilon: ChangingBit.calibrate(epsilon, 8, 2),
}

EPSILONS = [*(10 ** (-step / 2) for step in range(1, 21)), *(step / 7 for step in range(1, 200, 3)), 20.0, 50.0]


@pytest.mark.many
@pytest.mark.parametrize("name", CALIBRATED)
def test_no_mechanism_realises_more_than_was_asked_for(name: str) -> None:
    made = 0
    for epsilon in EPSILONS:
        try:
            mechanism = CALIBRATED[name](epsilon)
        except ClientError:
            continue
        made += 1
        assert mechanism.epsilon <= epsilon
        assert mechanism.epsilon >= min(epsilon, 4.0 if name == "projective" else 50.0) * (1 - 1e-6) - 1e-9
    assert made > len(EPSILONS) // 3


@pytest.mark.many
@pytest.mark.parametrize("name", CALIBRATED)
@pytest.mark.parametrize("epsilon", [0.0, -1.0, 5e-324, 1e-15, 9e-10, 50.0, math.inf, math.nan, True])
def test_an_epsilon_that_chances_cannot_hold_is_refused(name: str, epsilon: float) -> None:
    if name == "projective" and epsilon > 1:
        return
    with pytest.raises(ClientError, match="write"):
        CALIBRATED[name](epsilon)
