"""Trials of the audit on its specimens: which are flagged, by how much, and how long it takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

from discreet.audit.blackbox.lower_bound import LowerBound
from discreet.audit.blackbox.search import find_worst
from discreet.audit.blackbox.several import refute_several
from discreet.audit.suite import counting, maxima, sparse_vectors
from discreet.audit.suite.specimens import EPSILON, Specimen

SAMPLES = 2_000_000
"""Outputs of one trial, on both inputs of all pairs, learning included."""


@dataclass(frozen=True, slots=True)
class SpecimenTrial:
    """One audit of one specimen."""

    specimen: Specimen
    bound: LowerBound
    seconds: float
    """Of all processors together."""


@dataclass(frozen=True, slots=True)
class SpecimenVerdict:
    """What all trials of a specimen came to."""

    specimen: Specimen
    trials: int
    flagged: int
    """Trials that refute the claim with 95 % confidence each."""
    corrected: int
    """Trials that refute it so that with 95 % confidence all refutations of all specimens hold."""
    median: float
    seconds: float
    """Of the slowest trial."""
    samples: int


def list_specimens() -> list[Specimen]:
    """Return all specimens."""
    return [*counting.list_specimens(), *maxima.list_specimens(), *sparse_vectors.list_specimens()]


def try_specimen(specimen: Specimen, samples: int = SAMPLES) -> SpecimenTrial:
    """Audit a specimen once, against what it claims."""
    start = time.process_time()
    found = find_worst(specimen.draw, specimen.pairs, move=specimen.move, samples=samples, claim=EPSILON)
    return SpecimenTrial(specimen, found.bound, time.process_time() - start)


def judge(trials: Sequence[SpecimenTrial]) -> list[SpecimenVerdict]:
    """Return what trials say of each specimen; of all together no right one may be flagged after the correction."""
    corrected = refute_several([(trial.bound, EPSILON) for trial in trials])
    names = dict.fromkeys(trial.specimen.name for trial in trials)
    return [
        _sum_up([pair for pair in zip(trials, corrected, strict=True) if pair[0].specimen.name == name])
        for name in names
    ]


def _sum_up(found: Sequence[tuple[SpecimenTrial, bool]]) -> SpecimenVerdict:
    trials = [trial for trial, _ in found]
    return SpecimenVerdict(
        trials[0].specimen,
        len(trials),
        sum(trial.bound.refutes(EPSILON) for trial in trials),
        sum(corrected for _, corrected in found),
        statistics.median(trial.bound.epsilon for trial in trials),
        max(trial.seconds for trial in trials),
        max(trial.bound.samples for trial in trials),
    )
