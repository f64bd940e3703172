"""Estimates: the model's count, and an interval that covers the true one, also after adaptive choices; or none."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from discreet.base.errors import ParameterError
from discreet.families.domain import Domain
from discreet.families.marginals import Marginals
from discreet.mechanisms import Laplace
from discreet.query.placing import choose_places
from discreet.synthetic.intervals.estimates import find_interval
from discreet.synthetic.intervals.noise_sums import bound_noises
from discreet.synthetic.intervals.views import View
from discreet.synthetic.reading import Reading
from discreet.synthetic.transcript import Transcript
from synthetic.support.models import COLUMNS, make_model, make_rows

ROWS = make_rows()
QUESTIONS: list[dict[str, Any]] = [
    {},
    {"sex": "f"},
    {"age": range(3, 7)},
    {"cost": (0, 3)},
    {"sex": ["m", None], "age": 4},
    {"age": [1, 2], "cost": (0.5, 10)},
    {"sick": True},
]


def count_truly(where: dict[str, Any]) -> int:
    chosen = np.ones(ROWS.rows, dtype=bool)
    for column, places in zip(COLUMNS, ROWS.values, strict=True):
        if column.name in where:
            chosen &= np.isin(places, choose_places(column, where[column.name]))
    return int(chosen.sum())


def is_rare(misses: int, runs: int, miss: float) -> bool:
    """Say whether so many misses come once in 10^9 tests where each run misses with this probability."""
    return bool(binom.sf(misses - 1, runs, miss) < 1e-9)


@pytest.mark.many
@pytest.mark.parametrize("currency", ["epsilon", "rho"])
def test_intervals_cover_the_truth_of_fixed_questions(currency: str) -> None:
    runs, confidence = 150, 0.8
    misses = dict.fromkeys(range(len(QUESTIONS)), 0)
    for _ in range(runs):
        transcript = make_model(rows=ROWS, amount=Fraction(1, 20), currency=currency).transcript
        for at, where in enumerate(QUESTIONS):
            found = interval_of(transcript, where, 1 - confidence)
            assert found is not None
            misses[at] += not found[0] <= count_truly(where) <= found[1]
    assert not any(is_rare(count, runs, 1 - confidence) for count in misses.values()), misses
    assert sum(misses.values()) > 0, "intervals that never miss are wider than they need be"


def interval_of(transcript: Transcript, where: dict[str, Any], miss: float) -> tuple[float, float] | None:
    """Return the interval alone: without a model, which takes longer."""
    places = tuple(at for at, column in enumerate(COLUMNS) if column.name in where)
    wanted = np.ones((), dtype=bool)
    for at in places:
        chosen = np.zeros(COLUMNS[at].size, dtype=bool)
        chosen[choose_places(COLUMNS[at], where[COLUMNS[at].name])] = True
        wanted = np.logical_and.outer(wanted, chosen)
    steps = [[View(each, places) for each in step if set(places) <= set(each.columns)] for step in transcript.steps]
    return find_interval(steps, wanted, miss)


@pytest.mark.slow
def test_intervals_cover_where_what_is_measured_depends_on_earlier_noise() -> None:
    """The worst chooser: it measures again, ever better, until the interval misses, and then stops."""
    family = Marginals(Domain((2,)), ((0,),))
    wanted, truth, miss = np.array([True, False]), 1000, 0.2
    noises = [Laplace(20 * 0.7**step) for step in range(8)]
    runs, misses, pooled_misses = 1500, 0, 0
    draws = [noise.release([truth] * runs) for noise in noises]
    for run in range(runs):
        steps: list[list[View]] = []
        missed = pooled_missed = False
        for noise, drawn in zip(noises, draws, strict=True):
            steps.append([View(Reading(family, noise, np.array([drawn[run], 0])), (0,))])
            low, high = find_interval([*steps, []], wanted, miss) or (0.0, math.inf)
            missed = missed or not low <= truth <= high
            pooled_missed = pooled_missed or is_pooled_missing(steps, truth, miss)
        misses += missed
        pooled_misses += pooled_missed
    assert not is_rare(misses, runs, miss)
    assert is_rare(pooled_misses, runs, miss), "averaging over all steps, as if they were planned, does not cover"


def is_pooled_missing(steps: list[list[View]], truth: int, miss: float) -> bool:
    """Say whether the average of all readings by precision misses, with the noise's law as if all were planned."""
    readings = [views[0].reading for views in steps]
    weights = [round(64 * min(each.variance for each in readings) / each.variance) for each in readings]
    middle = sum(weight * int(each.answers[0]) for weight, each in zip(weights, readings, strict=True))
    terms = [(weight, each.noise, 1) for weight, each in zip(weights, readings, strict=True)]
    return abs(middle - truth * sum(weights)) > bound_noises(terms, miss)


def test_one_step_alone_has_the_exact_bound_of_its_noise() -> None:
    family = Marginals(Domain((2,)), ((0,),))
    noise = Laplace(10.0)
    steps = [[View(Reading(family, noise, np.array([500, 700])), (0,))]]
    reach = noise.interval(0.95)
    assert find_interval(steps, np.array([True, False]), 0.05) == (500 - reach, 500 + reach)
    narrower = find_interval([*steps, []], np.array([True, False]), 0.05)
    assert narrower == (500 - noise.interval(0.975), 500 + noise.interval(0.975)), "another step may still come"


def test_readings_of_one_step_are_averaged() -> None:
    family = Marginals(Domain((2,)), ((0,),))
    views = [View(Reading(family, Laplace(10.0), np.array([500 + shift, 0])), (0,)) for shift in (-8, 8)]
    alone = find_interval([views[:1]], np.array([True, False]), 0.05)
    both = find_interval([views], np.array([True, False]), 0.05)
    assert alone is not None
    assert both is not None
    assert (both[0] + both[1]) / 2 == 500
    assert both[1] - both[0] < 0.85 * (alone[1] - alone[0])


def test_intervals_that_contradict_each_other_are_shown_whole() -> None:
    family = Marginals(Domain((2,)), ((0,),))
    steps = [
        [View(Reading(family, Laplace(scale), np.array([noisy, 0])), (0,))] for scale, noisy in [(10.0, 0), (1.0, 5000)]
    ]
    low, high = find_interval(steps, np.array([True, False]), 0.05) or (math.nan, math.nan)
    assert low == 0
    assert high > 5000


def test_a_model_gives_its_count_and_the_interval() -> None:
    model = make_model()
    found = model.estimate({"sex": "f", "age": [3, 4]})
    assert found.value == pytest.approx(float(model.count("sex", "age")[1, 4:6].sum()))
    assert found.interval is not None
    assert 0 <= found.interval[0] < found.interval[1]
    assert "at 95 %" in str(found)
    wider = model.estimate({"sex": "f", "age": [3, 4]}, confidence=0.999).interval
    assert wider is not None
    assert wider[0] <= found.interval[0] < found.interval[1] < wider[1]


def test_where_nothing_was_measured_there_is_no_interval() -> None:
    model = make_model(sets=((0, 1),))
    found = model.estimate({"sick": True, "cost": (0, 3)})
    assert found.interval is None
    assert found.value > 0
    assert "no interval" in str(found)
    cells = model.estimate_cells("sick", "cost")
    assert np.isnan(cells.low).all()
    assert cells.to_table()["low"].null_count == cells.values.size


def test_columns_that_do_not_matter_need_not_be_measured() -> None:
    model = make_model(sets=())
    everywhere = {"sick": [None, True, False], "sex": "f"}
    assert model.estimate(everywhere).interval == model.estimate({"sex": "f"}).interval


def test_nothing_is_counted_in_no_cells() -> None:
    assert make_model(sets=()).estimate({"sex": []}).interval == (0, 0)


def test_all_cells_together_have_wider_intervals() -> None:
    model = make_model()
    each, together = model.estimate_cells("age"), model.estimate_cells("age", together=True)
    assert (together.high >= each.high).all()
    assert (together.low <= each.low).all()
    assert (together.high - together.low).sum() > (each.high - each.low).sum()
    table = each.to_table()
    assert table.column_names == ["age", "rows", "low", "high"]
    assert table["age"].to_pylist() == COLUMNS[1].describe_places()


def test_wrong_questions_are_refused() -> None:
    model = make_model(sets=())
    with pytest.raises(ParameterError, match="columns must be among sex, age"):
        model.estimate({"weight": 1})
    with pytest.raises(ParameterError, match="confidence"):
        model.estimate({}, confidence=1)


def test_batches_must_hold_all_readings() -> None:
    readings = make_model(sets=()).transcript.readings
    with pytest.raises(ParameterError, match="batches"):
        Transcript("visits", COLUMNS, readings, "ones", "", 1, False, (1, 2))
