"""The shipped mechanisms as components: each is calibrated to lose 1 and claims what its own `loss` says."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from discreet.audit.blackbox.outputs import BatchMechanism, repeat
from discreet.audit.blackbox.patterns import InputPair, list_changes
from discreet.audit.house.audited_part import AuditedPart, release_rows
from discreet.mechanisms import (
    CountingQueries,
    DiscreteGaussian,
    Exponential,
    Gaussian,
    KeySelection,
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    Quantile,
    RandomizedResponse,
    SparseVector,
    Staircase,
    TruncatedLaplace,
)

EPSILON, DELTA, LARGE_DELTA = 1.0, 1e-3, 0.05
"""A large delta lets a fault of it be seen in few outputs."""

ONE = (([0], [1]), ([5], [4]))
"""A number that one person moves by one."""

SCORES = tuple(list_changes(4)[place] for place in (3, 7, 4, 0))
FEW = tuple(list_changes(5)[place] for place in (7, 6, 3))
MANY = (([-1] * 12, [0] * 12), list_changes(12)[7])
"""Scores and answers that one person moves by one each: one against the others, crossed, by halves, all; and many."""

NOTHING = -99.0
"""What stands for a question that was not answered."""


def list_mechanisms() -> list[AuditedPart]:
    """Return the mechanisms of `discreet.mechanisms`, robust ones aside."""
    return [*_list_noises(), *_list_selections(), *_list_others()]


def _list_noises() -> list[AuditedPart]:
    gaussian, discrete = Gaussian.calibrate(EPSILON, DELTA), DiscreteGaussian.calibrate(EPSILON, DELTA)
    staircase, laplace = Staircase.calibrate(EPSILON), Laplace.calibrate(EPSILON)
    wide = Staircase.calibrate(EPSILON, 3)
    two, queries = Laplace.calibrate(EPSILON, 2, dim=2), CountingQueries.calibrate(EPSILON, 3)
    several = (([0, 0, 0], [1, 1, 1]), ([1, 1, 1], [0, 0, 0]))
    return [
        AuditedPart("Laplace", release_rows(laplace.release), ONE, laplace.loss(1)),
        AuditedPart("Laplace, of two numbers", release_rows(two.release), (([0, 0], [1, 1]),), two.loss(2, dim=2)),
        AuditedPart("Staircase", release_rows(staircase.release), ONE, staircase.loss(1)),
        AuditedPart("Staircase, less than a flight", release_rows(wide.release), (([0], [2]),), wide.loss(2)),
        AuditedPart("Staircase, more than a flight", release_rows(wide.release), (([0], [4]),), wide.loss(4)),
        AuditedPart("Gaussian", release_rows(gaussian.release), ONE, gaussian.loss(1), DELTA),
        AuditedPart("DiscreteGaussian", release_rows(discrete.release), ONE, discrete.loss(1), DELTA),
        AuditedPart("CountingQueries", repeat(queries.release), several, queries.loss(), dear=30),
        _cut_off(),
        _respond(2),
        _respond(5),
    ]


def _cut_off() -> AuditedPart:
    cut = TruncatedLaplace.calibrate(EPSILON, 0, 8)
    pairs = (([0], [1]), ([8], [7]), ([4], [5]))
    return AuditedPart("TruncatedLaplace", release_rows(cut.release), pairs, cut.loss(1))


def _respond(categories: int) -> AuditedPart:
    response = RandomizedResponse.calibrate(EPSILON, categories)
    return AuditedPart(
        f"RandomizedResponse, {categories} answers", release_rows(response.release), (([0], [1]),), response.loss()
    )


def _list_selections() -> list[AuditedPart]:
    made: list[tuple[str, Any]] = [
        ("Exponential", Exponential.calibrate(EPSILON)),
        ("PermuteAndFlip", PermuteAndFlip.calibrate(EPSILON)),
        ("NoisyMax, exponential", NoisyMax.calibrate(EPSILON)),
        ("NoisyMax, Laplace", NoisyMax(NoisyMax.calibrate(EPSILON).scale, noise="laplace")),
    ]
    found = [AuditedPart(name, repeat(each.release), SCORES, each.loss(1), dear=18) for name, each in made]
    gap = made[3][1]
    found.append(AuditedPart("NoisyMax with its lead", repeat(gap.release_with_gap), SCORES, gap.loss(1), dear=18))
    return found


def _list_others() -> list[AuditedPart]:
    median, tripled = Quantile(Fraction(1, 2), 9, EPSILON), Quantile(Fraction(1, 2), 9, EPSILON, rows=3)
    least = Quantile.extreme(True, 9, EPSILON)
    values: tuple[InputPair, ...] = ({3: 2, 5: 2}, {3: 2, 5: 3}), ({4: 1}, {4: 1, 0: 1}), ({}, {8: 1}), ({0: 5}, {0: 4})
    thrice: tuple[InputPair, ...] = ({4: 3}, {4: 3, 0: 3}), ({}, {8: 3}), ({0: 3, 8: 3}, {0: 3, 8: 6})
    keys, leaky = KeySelection(EPSILON, DELTA), KeySelection(EPSILON, LARGE_DELTA)
    counts = tuple(([units], [units + 1]) for units in (0, 12, 1, 3, 6, 9, 11, 13, 14))
    few = tuple(([units], [units + 1]) for units in (4, 5, 0, 1, 2, 3, 6))
    return [
        AuditedPart("Quantile, the median", _draw_quantiles(median), values, median.loss(), dear=100),
        AuditedPart("Quantile, three rows of a unit", _draw_quantiles(tripled), thrice, tripled.loss(), dear=60),
        AuditedPart("Quantile, the least", _draw_quantiles(least), values, least.loss(), dear=100),
        AuditedPart("KeySelection", release_rows(keys.release), counts, keys.loss(), DELTA),
        AuditedPart("KeySelection, a large delta", release_rows(leaky.release), few, leaky.loss(), LARGE_DELTA),
        _ask_sparsely("SparseVector", SparseVector.calibrate(EPSILON, 2)),
        _ask_often("SparseVector, many questions", SparseVector.calibrate(EPSILON, 1)),
        _ask_sparsely("SparseVector with numbers", SparseVector.calibrate(EPSILON, 1, answers=0.5)),
        _ask_sparsely("SparseVector, redrawn", SparseVector.calibrate(EPSILON, 2, redraw=True)),
    ]


def _draw_quantiles(quantile: Quantile) -> BatchMechanism:
    return repeat(lambda given: [quantile.release(given).value])


def _ask_sparsely(name: str, vector: SparseVector) -> AuditedPart:
    def release(values: list[int]) -> list[float]:
        answers = [float(answer) if answer is not None else NOTHING for answer in vector.release(values, 1)]
        return answers + [NOTHING] * (len(values) - len(answers))

    return AuditedPart(name, repeat(release), FEW, vector.loss(1), dear=100)


def _ask_often(name: str, vector: SparseVector) -> AuditedPart:
    """Return a run over many questions, told by when it says yes first and how its answers lean to the first half."""

    def release(values: list[int]) -> tuple[int, int]:
        answers = [bool(answer) for answer in vector.release(values, 1)]
        half = len(values) // 2
        return [*answers, True].index(True), sum(answers[:half]) - sum(answers[half:])

    return AuditedPart(name, repeat(release), MANY, vector.loss(1), dear=5)
