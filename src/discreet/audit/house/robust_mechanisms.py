"""The robust mechanisms as components, on a handful of values."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from discreet.audit.blackbox.outputs import repeat
from discreet.audit.blackbox.patterns import InputPair
from discreet.audit.house.audited_part import AuditedPart
from discreet.mechanisms.robust.inverse_sensitivity import MostFrequent
from discreet.mechanisms.robust.order_statistic import OrderStatistic
from discreet.mechanisms.robust.propose_test_release import ProposeTestRelease
from discreet.mechanisms.robust.sample_threshold import SampleThreshold
from discreet.mechanisms.robust.smooth_noises import SmoothLaplace, SmoothStudent
from discreet.mechanisms.robust.stable_histogram import StableHistogram
from discreet.mechanisms.robust.stable_value import StableValue
from discreet.mechanisms.robust.unbounded import UnboundedMean
from discreet.mechanisms.robust.universal import UniversalMean, UniversalQuartiles, UniversalVariance

EPSILON, DELTA = 1.0, 1e-2
VALUES: tuple[InputPair, ...] = (
    ([3, 4, 4, 5], [3, 4, 4, 5, 9]),
    ([0] * 5, [0] * 6),
    ([0, 0, 9, 9], [0, 0, 9, 9, 9]),
    ([], [9]),
)
"""Values between 0 and 9 of which one person adds one."""

VOTES: tuple[InputPair, ...] = (
    ({"a": 4}, {"a": 5}),
    ({}, {"a": 1}),
    ({"a": 6, "b": 1}, {"a": 6, "b": 2}),
    ({"a": 9, "b": 9}, {"a": 10, "b": 9}),
)
REFUSED = -1000.0


def list_robust() -> list[AuditedPart]:
    """Return the robust mechanisms."""
    median = OrderStatistic(Fraction(1, 2), 0, 9)
    laplace, student = SmoothLaplace.calibrate(EPSILON, DELTA), SmoothStudent.calibrate(EPSILON)
    proposed = ProposeTestRelease.calibrate(EPSILON, DELTA, 1)
    histogram, steady = StableHistogram(EPSILON, DELTA), StableValue(EPSILON, DELTA)
    sampled, mode = SampleThreshold(EPSILON, DELTA, Fraction(1, 3)), MostFrequent(EPSILON)
    unbounded = UnboundedMean(EPSILON)
    names = {"a": 1.0, "b": 2.0}
    counts = (([3, 1, 0], [3, 1, 1]), ([0, 0, 0], [1, 0, 0]), ([5, 5, 5], [5, 6, 5]))
    return [
        _make("SmoothLaplace, the median", lambda v: laplace.release(median, v), VALUES, laplace, DELTA),
        _make("SmoothStudent, the median", lambda v: student.release(median, v), VALUES, student),
        _make("ProposeTestRelease", lambda v: _or_refused(proposed.release(median, v)), VALUES, proposed, DELTA),
        _make("StableHistogram", lambda v: _list_counts(histogram.release(v)), VOTES, histogram, DELTA),
        _make("SampleThreshold", lambda v: _list_counts(sampled.release(v)), VOTES, sampled, DELTA),
        _make("StableValue", lambda v: names.get(steady.release_mode(v) or "", REFUSED), VOTES, steady, DELTA),
        _make("MostFrequent", mode.release, counts, mode),
        _make(
            "UnboundedMean",
            lambda v: _list_fields(unbounded.release(v), "center radius count total squares"),
            VALUES[:3],
            unbounded,
        ),
        *_list_universal(),
    ]


def _list_universal() -> list[AuditedPart]:
    mean, variance, quartiles = UniversalMean(EPSILON), UniversalVariance(EPSILON), UniversalQuartiles(EPSILON)
    return [
        _make("UniversalMean", lambda v: _list_fields(mean.release(v), "center radius count total"), VALUES, mean),
        _make("UniversalVariance", lambda v: _list_fields(variance.release(v), "radius count total"), VALUES, variance),
        _make(
            "UniversalQuartiles", lambda v: _list_fields(quartiles.release(v), "bucket first last"), VALUES, quartiles
        ),
    ]


def _make(name: str, release: Callable[[Any], Any], pairs: Any, mechanism: Any, delta: float = 0.0) -> AuditedPart:
    return AuditedPart(name, repeat(release), tuple(pairs), mechanism.loss(), delta, dear=300)


def _or_refused(value: int | None) -> float:
    return REFUSED if value is None else float(value)


def _list_counts(counts: dict[str, int]) -> list[float]:
    return [float(counts.get(name, REFUSED)) for name in ("a", "b")]


def _list_fields(found: Any, names: str) -> list[float]:
    return [float(getattr(found, name)) for name in names.split()]
