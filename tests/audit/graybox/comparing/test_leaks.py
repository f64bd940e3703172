"""Operations that leak in one small way each, beside the same ones made right: replay tells them apart."""

from __future__ import annotations

import functools
import math
import random
from collections import deque, namedtuple
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.audit.graybox import FindingKind, ReplayReport, listen_to, replay
from discreet.base.errors import ParameterError
from discreet.local.client import DirectResponse, MemoisedUnary
from discreet.local.client.metric import SYSTEM
from discreet.mechanisms import (
    CountingQueries,
    Exponential,
    Gaussian,
    Grid,
    KeySelection,
    Laplace,
    NoisyMax,
    RandomizedResponse,
    SparseVector,
)
from discreet.mechanisms.robust.propose_test_release import ProposeTestRelease
from discreet.mechanisms.robust.smooth_noises import SmoothLaplace
from discreet.mechanisms.robust.stable_histogram import StableHistogram
from discreet.mechanisms.robust.stable_value import StableValue
from discreet.mechanisms.robust.trimmed_mean import TrimmedMean
from discreet.mechanisms.robust.unbounded import UnboundedMean

Operation = Callable[[Any], object]
Case = tuple[Operation, Any, Any, dict[str, Any]]
"""An operation, data, a neighbour, and what is declared."""

LAPLACE, STABLE, PROPOSED = Laplace(2.0), StableValue(1.0, 1e-6), ProposeTestRelease.calibrate(1.0, 1e-6, 10)
RESPONSE, DIRECT = RandomizedResponse.calibrate(1.0), DirectResponse.calibrate(1.0, 4)

generic = listen_to(lambda *args: 0.0, "generic")

MEMOISED = MemoisedUnary.calibrate(2.0, 0.5, 2)
WIDE = ProposeTestRelease.calibrate(1.0, 1e-6, 1000)
SMOOTH = SmoothLaplace.calibrate(1.0, 1e-6)
COMING = TrimmedMean(Fraction(1, 10), 0, 1000, 1, neighbours="add-remove")
REPLACED = TrimmedMean(Fraction(1, 10), 0, 1000, 1, neighbours="replace", public_size=True)

noisy = listen_to(lambda value, scale=9.0, weights=None: 0.0, "their noise")


def ask_run(values: list[int], mechanism: SparseVector) -> list[Any]:
    run = mechanism.start()
    return [run.ask(each, 100) for each in values]


class Hidden:
    """Numbers that can be read as an array, and in no other way."""

    def __init__(self, numbers: list[int]) -> None:
        HELD[id(self)] = numbers

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(HELD[id(self)], dtype=dtype)

    def __deepcopy__(self, _: Any) -> Any:
        return Hidden(HELD[id(self)])


HELD: dict[int, list[int]] = {}


def choose_piece(data: list[int]) -> object:
    return Exponential(2.0).release_from([0, data[0], 9], data[1:])


RESPOND: Operation = RESPONSE.release
MONOTONE = Exponential(2.0, monotone=True)
RISING = SparseVector(4.0, 8.0, monotone=True)

LEAKS: dict[str, tuple[Case, Case, FindingKind]] = {
    "answers that change places": (
        (RESPOND, [0, 1, 1, 0], [1, 0, 0, 1], {"epsilon": 1}),
        (RESPOND, [0, 1, 1, 0], [1, 1, 1, 0], {"epsilon": 1}),
        FindingKind.SENSITIVITY,
    ),
    "more answers": (
        (RESPOND, [0, 1, 1, 0], [0, 1, 1], {"epsilon": 1}),
        (RESPOND, [0, 1, 1, 0], [0, 1, 1, 1], {"epsilon": 1}),
        FindingKind.SHAPE,
    ),
    "another number of keys": (
        (KeySelection(1.0, 1e-6).release, [5, 5, 5], [5, 5], {"epsilon": 1, "delta": 1e-6}),
        (KeySelection(1.0, 1e-6).release, [5, 5, 5], [5, 5, 4], {"epsilon": 1, "delta": 1e-6}),
        FindingKind.SENSITIVITY,
    ),
    "a key of two units": (
        (KeySelection(1.0, 1e-6, 2).release, [5, 5, 5], [5, 5, 3], {}),
        (KeySelection(1.0, 1e-6, 2).release, [5, 5, 5], [5, 4, 4], {}),
        FindingKind.SENSITIVITY,
    ),
    "a key of two rows": (
        (StableHistogram(1.0, 1e-6, 2).release, {"a": 5, "b": 5}, {"a": 5, "b": 3}, {}),
        (StableHistogram(1.0, 1e-6, 2).release, {"a": 5, "b": 5}, {"a": 4, "b": 4}, {}),
        FindingKind.SENSITIVITY,
    ),
    "more keys than a unit has": (
        (StableHistogram(1.0, 1e-6, 1, 2).release, {"a": 5, "b": 5}, {"a": 4, "b": 4}, {}),
        (StableHistogram(1.0, 1e-6, 1, 2).release, {"a": 5, "b": 5}, {"a": 5, "b": 3}, {}),
        FindingKind.SENSITIVITY,
    ),
    "a distance that jumps": (
        (lambda far: STABLE.decide("a", far), 1000, 0, {"epsilon": 1, "delta": 1e-6}),
        (lambda far: STABLE.decide("a", far), 1000, 999, {"epsilon": 1, "delta": 1e-6}),
        FindingKind.SENSITIVITY,
    ),
    "another value, called stable": (
        (lambda value: STABLE.decide(value, 1000), "a", "b", {"epsilon": 1, "delta": 1e-6}),
        (lambda value: STABLE.decide(value, 0), "a", "b", {"epsilon": 1, "delta": 1e-6}),
        FindingKind.SENSITIVITY,
    ),
    "votes of two rows": (
        (STABLE.release_mode, {"a": 50, "b": 5}, {"a": 50, "b": 7}, {}),
        (STABLE.release_mode, {"a": 50, "b": 5}, {"a": 50, "b": 6}, {}),
        FindingKind.SENSITIVITY,
    ),
    "a proposal's distance that jumps": (
        (lambda far: PROPOSED.decide(7, far), 1000, 0, {"epsilon": 1, "delta": 1e-6}),
        (lambda far: PROPOSED.decide(7, far), 1000, 999, {"epsilon": 1, "delta": 1e-6}),
        FindingKind.SENSITIVITY,
    ),
    "a proposal's point beyond what is proposed": (
        (lambda point: PROPOSED.decide(point, 1000), 7, 70, {"epsilon": 1, "delta": 1e-6}),
        (lambda point: PROPOSED.decide(point, 1000), 7, 17, {"epsilon": 1, "delta": 1e-6}),
        FindingKind.SENSITIVITY,
    ),
    "several choices for the price of one": (
        (lambda scores: Exponential(2.0).release_several(scores, 3), [1, 2, 3, 4], [1, 2, 3, 5], {"epsilon": 1}),
        (lambda scores: Exponential(2.0).release_several(scores, 3), [1, 2, 3, 4], [1, 2, 3, 5], {"epsilon": 3}),
        FindingKind.SENSITIVITY,
    ),
    "monotone scores that cross": (
        (MONOTONE.release, [4, 4], [5, 3], {"sensitivity": 1}),
        (MONOTONE.release, [4, 4], [5, 5], {"sensitivity": 1}),
        FindingKind.SENSITIVITY,
    ),
    "monotone questions of one run that cross": (
        (lambda values: ask_run(values, RISING), [4, 4], [5, 3], {"sensitivity": 1}),
        (lambda values: ask_run(values, RISING), [4, 4], [5, 5], {"sensitivity": 1}),
        FindingKind.SENSITIVITY,
    ),
    "monotone questions that cross, at the price of others": (
        (lambda values: ask_run(values, RISING), [4, 4], [5, 3], {"epsilon": RISING.loss(1).epsilon(0).high}),
        (lambda values: ask_run(values, RISING), [4, 4], [5, 5], {"epsilon": RISING.loss(1).epsilon(0).high}),
        FindingKind.SENSITIVITY,
    ),
    "numbers that move more steps of a grid than is declared": (
        (Laplace(40.0, Grid(0.5)).release, 4.0, 5.6, {"sensitivity": 1}),
        (Laplace(40.0, Grid(0.5)).release, 4.0, 5.0, {"sensitivity": 1}),
        FindingKind.SENSITIVITY,
    ),
    "scores of pieces of a range": (
        (choose_piece, [3, 1, 5], [4, 1, 5], {"sensitivity": 3}),
        (choose_piece, [3, 1, 5], [4, 1, 5], {"sensitivity": 4}),
        FindingKind.SENSITIVITY,
    ),
    "another range": (
        (lambda end: Exponential(2.0).release_from([0, 3, end], [1, 1]), 9, 10, {"sensitivity": 100}),
        (lambda cut: Exponential(2.0).release_from([0, cut, 9], [1, 1]), 3, 4, {"sensitivity": 0}),
        FindingKind.SENSITIVITY,
    ),
    "values replaced, where they are made to come or go": (
        (UnboundedMean(1.0).release, [1, 2, 3, 4], [1, 2, 3, 9], {}),
        (UnboundedMean(1.0).release, [1, 2, 3, 4], [1, 2, 3], {}),
        FindingKind.SENSITIVITY,
    ),
    "a key of theirs that comes": (
        (noisy, {"a": 1.0}, {"a": 1.0, "b": 1.0}, {"sensitivity": 1}),
        (noisy, {"a": 1.0, "b": 0.0}, {"a": 1.0, "b": 1.0}, {"sensitivity": 1}),
        FindingKind.SENSITIVITY,
    ),
    "data behind a public argument by its name": (
        (lambda value: noisy(scale=9.0, value=value), 1, 9, {"sensitivity": 1}),
        (lambda value: noisy(scale=9.0, value=value), 1, 2, {"sensitivity": 1}),
        FindingKind.SENSITIVITY,
    ),
    "long parameters that differ in the middle": (
        (lambda one: noisy(1.0, weights=np.eye(2000)[1000] * one), 1, 2, {"sensitivity": 1}),
        (lambda one: noisy(one, weights=np.eye(2000)[1000]), 1, 2, {"sensitivity": 1}),
        FindingKind.CALLS,
    ),
    "a function that holds data": (
        (lambda data: lambda: data[0], [1, 2], [3, 2], {}),
        (lambda data: lambda: LAPLACE, [1, 2], [3, 2], {}),
        FindingKind.RESULT,
    ),
    "a part of a function that holds data": (
        (lambda data: functools.partial(max, data[0]), [1, 2], [3, 2], {}),
        (lambda data: functools.partial(max, 1), [1, 2], [3, 2], {}),
        FindingKind.RESULT,
    ),
    "a result that is no number": (
        (lambda data: LAPLACE.release(data) + math.nan, 1, 2, {"sensitivity": 1}),
        (lambda data: LAPLACE.release(data) + math.inf, 1, 2, {"sensitivity": 1}),
        FindingKind.NUMBER,
    ),
    "more steps of a grid than there are questions": (
        (CountingQueries(2, Laplace(2.0, Grid(0.01), 2)).release, [0, 0], [1, 0], {"epsilon": 1}),
        (CountingQueries(2, Laplace(2.0, Grid(0.01), 2)).release, [0, 0], [1, 0], {"epsilon": 51}),
        FindingKind.SENSITIVITY,
    ),
    "a question that a unit changes more than once": (
        (CountingQueries.calibrate(1.0, 2).release, [0, 0], [2, 2], {"sensitivity": 100}),
        (CountingQueries.calibrate(1.0, 2).release, [0, 0], [1, 1], {"sensitivity": 100}),
        FindingKind.SENSITIVITY,
    ),
    "a mean of values that are replaced, where they are said to come or go": (
        (lambda data: SMOOTH.release(COMING, data), [1] * 50 + [2], [1] * 50 + [900], {"epsilon": 1, "delta": 1e-6}),
        (lambda data: SMOOTH.release(COMING, data), [1] * 50 + [2], [1] * 50, {"epsilon": 1, "delta": 1e-6}),
        FindingKind.SENSITIVITY,
    ),
    "a mean of fewer values, where their number is public": (
        (lambda data: SMOOTH.release(REPLACED, data), [1] * 50 + [2], [1] * 50, {"epsilon": 1, "delta": 1e-6}),
        (lambda data: SMOOTH.release(REPLACED, data), [1] * 50 + [2], [1] * 50 + [9], {"epsilon": 1, "delta": 1e-6}),
        FindingKind.SENSITIVITY,
    ),
    "a proposal about values that are replaced, where they are said to come or go": (
        (lambda data: WIDE.release(COMING, data), [1] * 50 + [2], [1] * 50 + [9], {"epsilon": 1, "delta": 1e-6}),
        (lambda data: WIDE.release(COMING, data), [1] * 50 + [2], [1] * 50, {"epsilon": 1, "delta": 1e-6}),
        FindingKind.SENSITIVITY,
    ),
    "keys of theirs that are equal and look different": (
        (lambda key: noisy({key: 1.0}), 1, True, {"sensitivity": 1}),
        (lambda count: noisy({1: count}), 1.0, 2.0, {"sensitivity": 1}),
        FindingKind.SENSITIVITY,
    ),
    "numbers in something that shows nothing": (
        (lambda data: LAPLACE.release(Hidden(data)), [0], [5], {"epsilon": 1}),
        (lambda data: LAPLACE.release(Hidden(data)), [0], [1], {"epsilon": 1}),
        FindingKind.SENSITIVITY,
    ),
    "keys that are equal and look different": (
        (lambda key: StableHistogram(1.0, 1e-6).release({key: 5}), Decimal("1.0"), Decimal("1.00"), {}),
        (lambda key: StableHistogram(1.0, 1e-6, 2).release({key: 1}), Decimal("1.0"), Decimal("1.00"), {}),
        FindingKind.SENSITIVITY,
    ),
    "numbers of another kind": (
        (lambda data: LAPLACE.release(np.array(data)), [1, 0], [1, None], {"sensitivity": 1}),
        (lambda data: LAPLACE.release(np.array(data)), [1, 0], [1, 1], {"sensitivity": 1}),
        FindingKind.SHAPE,
    ),
    "a function of theirs that holds data": (
        (lambda data: listen_to(lambda value: value + sum(data), "theirs")(0), [1], [900], {"sensitivity": 1}),
        (lambda data: listen_to(lambda value: value, "theirs")(sum(data)), [1], [2], {"sensitivity": 1}),
        FindingKind.CALLS,
    ),
    "a parameter among arguments of any number": (
        (lambda data: generic(5, len(data) / 1000), [1] * 10, [1] * 11, {"sensitivity": 1}),
        (lambda data: generic(len(data), 9.0), [1] * 10, [1] * 11, {"sensitivity": 1}),
        FindingKind.CALLS,
    ),
    "keys of the data as names of fields": (
        (lambda data: make_counts(data), ["flu", "cold"], ["flu", "hiv"], {}),
        (lambda data: make_counts(["a", "b"]), ["flu", "cold"], ["flu", "hiv"], {}),
        FindingKind.RESULT,
    ),
    "a class that is made of the data": (
        (lambda data: type("Told", (), {"people": data}), 1, 2, {}),
        (lambda data: type("Told", (), {"people": 1}), 1, 2, {}),
        FindingKind.RESULT,
    ),
    "a member of an enumeration that is made of the data": (
        (lambda data: Enum("Told", {"people": data}).people, 1, 2, {}),  # type: ignore[attr-defined]
        (lambda data: Enum("Told", {"people": 1}).people, 1, 2, {}),  # type: ignore[attr-defined]
        FindingKind.RESULT,
    ),
    "the most that a queue holds": (
        (lambda data: deque([1], maxlen=data), 4, 5, {}),
        (lambda data: deque([1], maxlen=4), 4, 5, {}),
        FindingKind.RESULT,
    ),
    "what an error came from": (
        (lambda data: raise_from(data), 4, 5, {}),
        (lambda data: raise_from(1), 4, 5, {}),
        FindingKind.RESULT,
    ),
    "texts for numbers": (
        (noisy, ["5"], ["6"], {"sensitivity": 1}),
        (noisy, [5], [6], {"sensitivity": 1}),
        FindingKind.SENSITIVITY,
    ),
    "many equal reports beside one that is another": (
        (lambda values: recall_all(values), [0] * 60, [0] * 59 + [1], {"epsilon": 0.51}),
        (lambda values: recall_all(values), [0], [1], {"epsilon": 0.51}),
        FindingKind.SENSITIVITY,
    ),
    "too far for any number": (
        (LAPLACE.release, 10**400, 1, {"sensitivity": 1}),
        (LAPLACE.release, 10**400, 10**400 - 1, {"sensitivity": 1}),
        FindingKind.SENSITIVITY,
    ),
    "too far for any loss": (
        (LAPLACE.release, 10**400, 1, {"epsilon": 1}),
        (LAPLACE.release, 10**400, 10**400 - 1, {"epsilon": 1}),
        FindingKind.SENSITIVITY,
    ),
    "an error that is caught": (
        (lambda data: fail_softly(data), [1, 2], [1, "x"], {"sensitivity": 9}),
        (lambda data: fail_softly(data), [1, 2], [1, 3], {"sensitivity": 9}),
        FindingKind.ERROR,
    ),
    "two reports for the price of one": (
        (lambda value: [DIRECT.randomise(value, SYSTEM).seed for _ in range(2)], 1, 2, {"epsilon": 1.001}),
        (lambda value: DIRECT.randomise(value, SYSTEM).seed, 1, 2, {"epsilon": 1.001}),
        FindingKind.SENSITIVITY,
    ),
}


def make_counts(names: list[str]) -> object:
    make: Any = namedtuple
    return make("Counts", names)(1, 2)


def raise_from(data: int) -> object:
    try:
        raise ValueError("no") from KeyError(data)
    except ValueError as trouble:
        return trouble


def recall_all(values: list[int]) -> object:
    return [MEMOISED.recall(value, b"s" * 32, SYSTEM).seed for value in values]


def fail_softly(data: list[Any]) -> object:
    told = LAPLACE.release(1)
    try:
        NoisyMax(2.0).release([data[1], 5])
    except Exception:
        return told
    return told


def try_case(case: Case) -> ReplayReport:
    operation, data, other, declared = case
    return replay(operation, [data, other], clock=False, **declared)


@pytest.mark.parametrize("name", LEAKS)
def test_a_small_leak_is_found_and_what_is_right_passes(name: str) -> None:
    wrong, right, kind = LEAKS[name]
    found = try_case(wrong)
    assert kind in {each.kind for each in found.findings}
    assert not found.ok
    assert try_case(right).raise_if_any().ok


def test_epsilon_says_nothing_about_functions_of_others() -> None:
    def both(data: list[int]) -> object:
        return Laplace(2.0).release(len(data)), noisy(sum(data))

    report = replay(both, [[1, 2, 900], [1, 2]], epsilon=1, clock=False)
    assert (report.findings, report.ok, report.undeclared) == ((), False, ("their noise",))
    assert "nothing says how far a unit may move their noise" in report.matter
    assert replay(both, [[1, 2, 900], [1, 2]], sensitivity=900, clock=False).ok
    assert replay(lambda data: Laplace(2.0).release(len(data)), [[1, 2, 900], [1, 2]], epsilon=1, clock=False).ok


def test_questions_of_one_run_are_one_release_and_two_runs_are_two() -> None:
    plain = SparseVector(4.0, 8.0)
    epsilon = plain.loss(1).epsilon(0).high

    def ask_one(values: list[int]) -> object:
        return ask_run(values, plain)

    def ask_two(values: list[int]) -> object:
        return [ask_run([each], plain) for each in values]

    assert replay(ask_one, [[4, 4, 4], [5, 3, 5]], epsilon=epsilon, clock=False).ok
    report = replay(ask_two, [[4, 4, 4], [5, 3, 5]], epsilon=epsilon, clock=False)
    assert {each.kind for each in report.findings} == {FindingKind.SENSITIVITY}


def test_vectors_of_a_grid_are_priced_by_the_steps_that_they_move() -> None:
    """Rounded reals move as far as their noise covers, which is more than the reals do."""
    operation = Gaussian(5.0, Grid(0.25), 2).release
    assert replay(operation, [[0.1, 0.2], [0.7, 0.9]], sensitivity=1, clock=False).ok
    assert not replay(operation, [[0.1, 0.2], [0.7, 2.9]], sensitivity=1, clock=False).ok


def test_generators_and_counters_of_others_are_no_parameters() -> None:
    generator = np.random.default_rng()
    other = random.Random()
    drawn = listen_to(lambda value, scale, source: value + source.normal(0, scale), "theirs")
    plain = listen_to(lambda value, source=other: value + source.random(), "theirs too")
    assert replay(lambda data: drawn(data, 1.0, source=generator), [1, 2], sensitivity=1, clock=False).ok
    assert replay(lambda data: drawn(data, 1.0, np.random.default_rng()), [1, 2], sensitivity=1, clock=False).ok
    assert replay(plain, [1, 2], sensitivity=1, clock=False).ok

    class Theirs:
        asked = 0

        @listen_to
        def release(self, value: float) -> float:
            return value

    assert replay(lambda data: Theirs().release(data), [1, 2], sensitivity=1, clock=False).ok


@pytest.mark.parametrize("function", [lambda: 0, lambda **named: 0])
def test_a_function_without_data_is_not_listened_to(function: Callable[..., object]) -> None:
    with pytest.raises(ParameterError, match="mechanism must be a function whose first argument is data"):
        listen_to(function)


def test_listening_reads_nothing_of_what_a_function_holds() -> None:
    steps = iter([1, 2])
    stepped = listen_to(lambda value, source=steps: value + next(source), "theirs")
    assert [stepped(5), stepped(5)] == [6, 7]


@pytest.mark.parametrize("far", [math.sqrt(3), 0.7])
def test_a_declared_float_allows_for_its_rounding_and_no_more(far: float) -> None:
    gaussian, many = Gaussian(9.0), round(far**2) if far > 1 else 0
    operation = (lambda data: gaussian.release([data] * many)) if many else (lambda data: noisy(data * 0.7))
    assert replay(operation, [0, 1], sensitivity=far, clock=False).ok
    assert not replay(operation, [0, 1], sensitivity=far * (1 - 1e-6), clock=False).ok


def test_parameters_that_are_shown_alike_are_told_apart() -> None:
    report = replay(lambda data: noisy(1.0, weights=np.eye(2000)[1000] * data), [1, 2], sensitivity=1, clock=False)
    assert "its form[1]" in report.matter
