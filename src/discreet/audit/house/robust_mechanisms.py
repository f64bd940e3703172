"""The robust mechanisms as components, on a handful of values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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

AGREEING: tuple[InputPair, ...] = tuple(([0] * many + [9, 9], [0] * (many + 1) + [9, 9]) for many in (2, 3, 4))
"""Values that agree more and more: where one person decides whether another could still move their median far."""

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
    close, undecided = (*AGREEING, *VALUES[:2]), (*_list_undecided(median, proposed), *VALUES[:2])
    counts = (([3, 1, 0], [3, 1, 1]), ([0, 0, 0], [1, 0, 0]), ([5, 5, 5], [5, 6, 5]))
    return [
        _make("SmoothLaplace, the median", lambda v: laplace.release(median, v), close, laplace, DELTA),
        _make("SmoothStudent, the median", lambda v: student.release(median, v), close, student),
        _make("ProposeTestRelease", lambda v: _or_refused(proposed.release(median, v)), undecided, proposed, DELTA),
        _make("StableHistogram", lambda v: _list_counts(histogram.release(v)), VOTES, histogram, DELTA),
        _make("SampleThreshold", lambda v: _list_counts(sampled.release(v)), VOTES, sampled, DELTA),
        _make("StableValue", lambda v: names.get(steady.release_mode(v) or "", REFUSED), VOTES, steady, DELTA),
        _make("MostFrequent", mode.release, counts, mode),
        _make(
            "UnboundedMean",
            _release_fields(unbounded, "center radius count total squares"),
            VALUES[:2],
            unbounded,
            dear=200,
        ),
        *_list_universal(),
    ]


def _list_undecided(statistic: OrderStatistic, proposed: ProposeTestRelease) -> Iterator[InputPair]:
    """Yield values of which one person decides whether the exact distance is beyond the threshold of the test."""
    for many in range(1, 100):
        first, second = [4] * many, [4] * (many + 1)
        near, far = (statistic.distance(each, proposed.proposal) for each in (first, second))
        if near <= proposed.threshold < far:
            yield first, second


def _list_universal() -> list[AuditedPart]:
    made = [
        (UniversalMean(EPSILON), "center radius count total", 200),
        (UniversalVariance(EPSILON), "radius count total", 200),
        (UniversalQuartiles(EPSILON), "bucket first last", 400),
    ]
    return [
        _make(type(each).__name__, _release_fields(each, names), VALUES[:2], each, dear=dear)
        for each, names, dear in made
    ]


def _make(
    name: str, release: Callable[[Any], Any], pairs: Any, mechanism: Any, delta: float = 0.0, dear: int = 100
) -> AuditedPart:
    return AuditedPart(name, repeat(release), tuple(pairs), mechanism.loss(), delta, dear)


def _or_refused(value: int | None) -> float:
    return REFUSED if value is None else float(value)


def _list_counts(counts: dict[str, int]) -> list[float]:
    return [float(counts.get(name, REFUSED)) for name in ("a", "b")]


def _release_fields(mechanism: Any, names: str) -> Callable[[Any], list[float]]:
    """Return a mechanism whose outputs are some fields of what is released."""

    def release(values: Any) -> list[float]:
        found = mechanism.release(values)
        return [float(getattr(found, name)) for name in names.split()]

    return release
