"""Reports of people's own clients as components: any two values must make about the same reports.

A report is its public seed and its payload. Mechanisms have few functions, cohorts and buckets here, so that every
report that is possible is seen often.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from discreet.audit.blackbox.outputs import BatchMechanism
from discreet.audit.blackbox.patterns import InputPair
from discreet.audit.house.audited_part import AuditedPart
from discreet.local.client import (
    CountMeanSketch,
    DirectResponse,
    HadamardBit,
    HadamardSketch,
    HybridMean,
    LocalHashing,
    Mechanism,
    OneBitMean,
    PiecewiseMean,
    ProjectiveResponse,
    Rappor,
    SubsetSelection,
    UnaryEncoding,
)
from discreet.local.client.metric import SYSTEM
from discreet.privacy.losses.guarantees import PureLoss

EPSILON, ITEMS, DEAR = 1.0, 4, 15
VALUES: dict[str, tuple[InputPair, ...]] = {
    "item": ((0, 1), (3, 0)),
    "text": ((b"apple", b"pear"), (b"", b"plum")),
    "number": ((Fraction(-1), Fraction(1)), (Fraction(0), Fraction(1))),
}
"""Two people's values, by what a mechanism takes."""


def list_local() -> list[AuditedPart]:
    """Return mechanisms of the local model: each claims what it says that one report tells."""
    made: list[Mechanism] = [
        DirectResponse.calibrate(EPSILON, ITEMS),
        UnaryEncoding.calibrate(EPSILON, ITEMS),
        UnaryEncoding.calibrate(EPSILON, ITEMS, symmetric=True),
        LocalHashing.calibrate(EPSILON, ITEMS, pool=4),
        HadamardBit.calibrate(EPSILON, ITEMS),
        SubsetSelection.calibrate(EPSILON, ITEMS),
        ProjectiveResponse.calibrate(EPSILON, ITEMS),
        CountMeanSketch.calibrate(EPSILON, 2, 4),
        HadamardSketch.calibrate(EPSILON, 2, 4),
        Rappor.take(8, 1, 2, 0.35, 0.65, 0.25),
        OneBitMean.calibrate(EPSILON),
        PiecewiseMean.calibrate(EPSILON, cells=16),
        HybridMean.calibrate(EPSILON, cells=16),
    ]
    names = [each.kind for each in made]
    names[2] += ", symmetric"
    return [
        AuditedPart(name, report_values(each), VALUES[each.takes], PureLoss(Fraction(each.epsilon)), dear=DEAR)
        for name, each in zip(names, made, strict=True)
    ]


def report_values(mechanism: Mechanism) -> BatchMechanism:
    """Return reports of somebody who reports once: the seed, and the payload as a number."""

    def draw(given: Any, count: int) -> list[tuple[int, int]]:
        told = (mechanism.randomise(given, SYSTEM) for _ in range(count))
        return [(each.seed, int.from_bytes(each.payload, "little")) for each in told]

    return draw
