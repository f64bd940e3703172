"""Bad arguments are refused by name before any randomness is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet import noise
from discreet.base.errors import ParameterError
from discreet.noise.bits import replayed
from support.sampling import ScriptedBits

NEVER_A_NUMBER: list[Any] = [math.nan, math.inf, -math.inf, True, np.True_, "1", None, 1j, [1.0], np.array([1.0])]
BAD_SCALES = [*NEVER_A_NUMBER, 0, 0.0, -1.0, -math.inf, 9e-7, 5e-324, 1.01e15, 10**400, Fraction(1, 10**7)]
BAD_RACE_SCALES = [*NEVER_A_NUMBER, 0, -1.0, 1e-101, 5e-324, 1.01e100, 10**101, Fraction(1, 10**101)]
BAD_SIZES: list[Any] = [-1, 1.5, 2.0, "3", True, [3], (2, -1), (2, 1.0), (True,), math.nan, np.True_]
BAD_CHANCES = [*NEVER_A_NUMBER, -1e-300, -1, 1.0000001, 2, Fraction(4, 3), Fraction(-1, 10**400)]
BAD_EXPONENTS = [
    *NEVER_A_NUMBER[:-1],
    -1e-300,
    -1,
    Fraction(-1, 3),
    10**400,
    np.array([0.5, -1e-300]),
    np.array([math.nan]),
    np.array([math.inf]),
    np.array([1, 2]),
    np.array([True]),
    np.array([0.5], dtype=object),
    np.array(["1"]),
    np.array([1j]),
]
BAD_COUNTS: list[Any] = [0, -1, 1.5, 3.0, True, "3", None, math.nan, math.inf, np.True_, Fraction(7, 2), [3]]
BAD_SCORES: list[Any] = [
    [],
    (),
    np.array([], dtype=np.int64),
    [0.5, 1.5],
    np.array([0.5, 1.5]),
    [1, math.nan],
    ["a", "b"],
    "ab",
    None,
    5,
    [[1, 2], [3, 4]],
    [[1], [2, 3]],
    np.zeros((2, 2), dtype=np.int64),
    [1j, 2],
]
BAD_WEIGHTS: list[Any] = [[1], [1, 2, 3], [], [0, 1], [1, -1], [0.5, 1], [1, math.nan], ["a", 1], 5]

GOOD: dict[str, dict[str, Any]] = {
    "discrete_laplace": {"scale": 2.0, "size": 3},
    "geometric": {"scale": 2.0, "size": 3},
    "rounded_gaussian": {"sigma": 2.0, "size": 3},
    "discrete_gaussian": {"sigma": 2.0, "size": 3},
    "bernoulli": {"p": 0.5, "size": 3},
    "bernoulli_exp": {"x": 0.5, "size": 3},
    "uniform_int": {"n": 5, "size": 3},
    "gumbel_argmax": {"scores": [1, 2], "scale": 1.0, "weights": [1, 2]},
    "exponential_argmax": {"scores": [1, 2], "scale": 1.0},
    "laplace_argmax": {"scores": [1, 2], "scale": 1.0},
}
SAMPLERS = ["discrete_laplace", "geometric", "rounded_gaussian", "discrete_gaussian"]
RACES = ["gumbel_argmax", "exponential_argmax", "laplace_argmax"]

BAD: list[tuple[str, str, Any]] = [
    *((name, next(iter(GOOD[name])), bad) for name in SAMPLERS for bad in BAD_SCALES),
    *((name, "size", bad) for name in (*SAMPLERS, "bernoulli", "bernoulli_exp", "uniform_int") for bad in BAD_SIZES),
    *((name, "size", None) for name in (*SAMPLERS, "bernoulli")),
    *(("bernoulli", "p", bad) for bad in BAD_CHANCES),
    *(("bernoulli_exp", "x", bad) for bad in BAD_EXPONENTS),
    *(("uniform_int", "n", bad) for bad in (*BAD_COUNTS, 2**63 + 1)),
    *((name, "scale", bad) for name in RACES for bad in BAD_RACE_SCALES),
    *((name, "scores", bad) for name in RACES for bad in BAD_SCORES),
    ("laplace_argmax", "scores", [7]),
    *(("gumbel_argmax", "weights", bad) for bad in BAD_WEIGHTS),
]


def case_name(value: Any) -> str:
    return str(value).replace("\n", "")[:40]


@pytest.mark.parametrize(("function", "argument", "bad"), BAD, ids=case_name)
def test_a_bad_argument_is_named_and_costs_no_randomness(function: str, argument: str, bad: Any) -> None:
    call: Callable[..., Any] = getattr(noise, function)
    with replayed(source := ScriptedBits([])), pytest.raises(ParameterError, match=rf"\b{argument}\b") as refusal:
        call(**{**GOOD[function], argument: bad})
    assert refusal.value.name == argument
    assert source.taken == 0


@pytest.mark.parametrize("n", BAD_COUNTS, ids=case_name)
def test_a_single_uniform_integer_refuses_the_same_ranges(n: Any) -> None:
    with replayed(ScriptedBits([])), pytest.raises(ParameterError) as refusal:
        noise.uniform_int(n)
    assert refusal.value.name == "n"


def test_an_array_of_exponents_must_fit_the_size() -> None:
    with replayed(ScriptedBits([])), pytest.raises(ParameterError) as refusal:
        noise.bernoulli_exp(np.array([0.5, 1.0]), 3)
    assert refusal.value.name == "size"


@pytest.mark.parametrize("function", RACES)
@pytest.mark.parametrize("scores", [[123456789.5, 1], [[123456789, 5]], [123456789, "987654321"]])
def test_a_refusal_never_quotes_scores(function: str, scores: Any) -> None:
    with pytest.raises(ParameterError) as refusal:
        getattr(noise, function)(scores, 1.0)
    assert "123456789" not in str(refusal.value)
    assert "987654321" not in str(refusal.value)


def test_a_lone_score_without_a_runner_up_is_not_quoted() -> None:
    lone: Any = [123456789]
    with pytest.raises(ParameterError) as refusal:
        noise.laplace_argmax(lone, 1.0)
    assert "123456789" not in str(refusal.value)


def test_a_refusal_never_quotes_an_array_of_exponents() -> None:
    with pytest.raises(ParameterError) as refusal:
        noise.bernoulli_exp(np.array([123456.75, -1.0]))
    assert "123456" not in str(refusal.value)


@pytest.mark.parametrize("function", list(GOOD))
def test_the_good_arguments_of_these_tests_are_good(function: str) -> None:
    assert getattr(noise, function)(**GOOD[function]) is not None


def test_every_public_function_is_tested_here() -> None:
    assert set(GOOD) == set(noise.__all__)
    assert {name for name, _, _ in BAD} == set(noise.__all__)


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("scale", [1e-6, 1e15, 10**15, Fraction(1, 3), np.float32(2.5), np.int64(7)])
def test_scales_of_every_exact_kind_are_taken_up_to_both_ends(name: str, scale: Any) -> None:
    assert getattr(noise, name)(scale, 2).shape == (2,)
