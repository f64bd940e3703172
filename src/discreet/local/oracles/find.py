"""The oracle of each mechanism."""

from __future__ import annotations

from typing import Any

from discreet.local.client import (
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
    Rappor,
    RapporStrings,
    Sampled,
    SubsetSelection,
    UnaryEncoding,
)
from discreet.local.oracles.direct import DirectOracle
from discreet.local.oracles.hadamard import HadamardOracle
from discreet.local.oracles.hashing import HashingOracle
from discreet.local.oracles.memoised import MemoisedHashingOracle, MemoisedUnaryOracle
from discreet.local.oracles.numbers import HybridOracle, OneBitOracle, PiecewiseOracle
from discreet.local.oracles.oracle import Oracle
from discreet.local.oracles.prefix import PrefixOracle
from discreet.local.oracles.projective import ProjectiveOracle
from discreet.local.oracles.puzzle import PuzzleOracle
from discreet.local.oracles.sampled import SampledOracle
from discreet.local.oracles.sketch import CountMeanOracle, HadamardSketchOracle
from discreet.local.oracles.subset import SubsetOracle
from discreet.local.oracles.unary import UnaryOracle
from discreet.local.rappor.oracle import RapporOracle
from discreet.local.rappor.strings_oracle import RapporStringsOracle

ORACLES: dict[type[Mechanism], type[Oracle[Any]]] = {
    DirectResponse: DirectOracle,
    UnaryEncoding: UnaryOracle,
    LocalHashing: HashingOracle,
    HadamardBit: HadamardOracle,
    SubsetSelection: SubsetOracle,
    ProjectiveResponse: ProjectiveOracle,
    MemoisedUnary: MemoisedUnaryOracle,
    MemoisedHashing: MemoisedHashingOracle,
    CountMeanSketch: CountMeanOracle,
    HadamardSketch: HadamardSketchOracle,
    FragmentPuzzle: PuzzleOracle,
    PrefixExtending: PrefixOracle,
    OneBitMean: OneBitOracle,
    PiecewiseMean: PiecewiseOracle,
    HybridMean: HybridOracle,
    Rappor: RapporOracle,
    RapporStrings: RapporStringsOracle,
}


def find_oracle(mechanism: Mechanism) -> Oracle[Any]:
    """Return the collector's side of a mechanism."""
    if isinstance(mechanism, Sampled):
        return SampledOracle(mechanism, [find_oracle(part) for part in mechanism.parts])
    return ORACLES[type(mechanism)](mechanism)
