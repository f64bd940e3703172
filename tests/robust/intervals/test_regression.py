"""Coefficients, correlations and ratios for sampling and noise together: coverage, one charge, refusals."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from curator.door.test_wings import kinds
from discreet import robust
from discreet.base.errors import DiscreetError
from discreet.base.grid import Floats
from discreet.robust.intervals.bootstrap_ends import SmoothFunction, bound_functions
from discreet.robust.intervals.correlation import CORRELATION, POWERS, correlate, limit_by_bounds, measure_part
from discreet.robust.intervals.moments import ScaledColumn, invert_positive, list_pairs, make_ratio, make_regression
from robust.intervals.test_bootstrap import draw_sums
from support.clinic import Visit, open_clinic

ROWS: list[Visit] = [
    (patient, 20 + patient % 70, 1000.0 + 10 * (patient % 70) + 200 * visit, "icu")
    for patient in range(6000)
    for visit in range(1 + patient % 3)
]
PRICE: dict[str, Any] = {"epsilon": 8, "delta": 1e-9, "resamples": 20}
UNIT = (ScaledColumn(0.0, 1.0),) * 3
BY_BOUNDS = SmoothFunction(correlate, limit_by_bounds)
"""A correlation whose sampling error is known from public bounds alone."""

ERRORS = {
    "normal": lambda rng, feature: rng.normal(0, 0.2, len(feature)),
    "heavy": lambda rng, feature: rng.standard_t(3, len(feature)) * 0.1,
    "lognormal": lambda rng, feature: rng.lognormal(-2.5, 0.8, len(feature)),
    "discrete": lambda rng, feature: rng.integers(0, 2, len(feature)) * 0.5,
    "uneven": lambda rng, feature: rng.normal(0, 0.6, len(feature)) * np.abs(feature),
}
"""Of a target, some of them wider for some features than for others."""


def draw_people(rng: np.random.Generator, people: int, kind: str) -> Floats:
    """Return vectors of columns and their products: two features, and a target that follows them with errors."""
    features = rng.normal(0, 0.3, (people, 2))
    target = 0.1 + 0.4 * features[:, 0] - 0.2 * features[:, 1] + ERRORS[kind](rng, features[:, 0])
    return multiply(np.clip(np.column_stack([features, target]), -1, 1))


def multiply(columns: Floats) -> Floats:
    pairs = [columns[:, first] * columns[:, second] for first, second in list_pairs(columns.shape[1])]
    return np.column_stack([columns, *pairs])


def multiply_more(vectors: Floats) -> Floats:
    """Return the vectors of a correlation of the first feature and the target."""
    first, second = vectors[:, 0], vectors[:, 2]
    higher = [first**one * second**other / 2 for one, other in POWERS]
    return np.column_stack([multiply(vectors[:, 0:3:2]), *higher])


def count_misses(
    function: SmoothFunction, kind: str, noise: float, choose: Callable[[Floats], Floats] = np.asarray
) -> Floats:
    """Return how many of 150 intervals at 95 % miss, of each number, for 500 people in 30 resamples."""
    rng = np.random.default_rng(7)
    truth = function.tell(choose(draw_people(rng, 300_000, kind)).mean(axis=0))
    missed = np.zeros(len(truth))
    for _ in range(150):
        sums = draw_sums(rng, choose(draw_people(rng, 500, kind)), noise, 30)
        ends = bound_functions(sums, noise, function, 0.05)
        missed += (truth < ends.low) | (ends.high < truth)
    return missed


@pytest.mark.many
@pytest.mark.parametrize("noise", [0.01, 20.0, 45.0])
@pytest.mark.parametrize("kind", ERRORS)
def test_coefficients_are_covered(kind: str, noise: float) -> None:
    """With a true coverage of 95 % 17 misses of 150 come once in some thousand runs."""
    assert count_misses(make_regression(UNIT), kind, noise).max() <= 17


@pytest.mark.many
@pytest.mark.parametrize("noise", [0.01, 10.0, 25.0])
@pytest.mark.parametrize("kind", [kind for kind in ERRORS if kind != "uneven"])
def test_even_errors_are_covered_by_narrower_intervals(kind: str, noise: float) -> None:
    assert count_misses(make_regression(UNIT, even=True), kind, noise).max() <= 17
    sums = draw_sums(np.random.default_rng(9), draw_people(np.random.default_rng(8), 2_000, kind), noise, 30)
    wide, narrow = (bound_functions(sums, noise, make_regression(UNIT, even), 0.05) for even in (False, True))
    assert np.all(narrow.high - narrow.low <= wide.high - wide.low)
    assert noise < 1 or narrow.high[1] - narrow.low[1] < 0.9 * (wide.high[1] - wide.low[1])


@pytest.mark.many
@pytest.mark.parametrize("noise", [0.01, 20.0])
@pytest.mark.parametrize("kind", ERRORS)
def test_correlations_and_ratios_are_covered(kind: str, noise: float) -> None:
    assert count_misses(CORRELATION, kind, noise, multiply_more).max() <= 17
    ratio = make_ratio((ScaledColumn(2.0, 1.0), ScaledColumn(3.0, 2.0)))
    assert count_misses(SmoothFunction(lambda means: ratio.tell(means[..., :2])), kind, noise).max() <= 17


def test_without_noise_coefficients_are_those_of_least_squares() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 3)) + [5.0, -2.0, 30.0]
    scales = tuple(ScaledColumn(middle, half) for middle, half in ((4.0, 20.0), (0.0, 30.0), (20.0, 90.0)))
    scaled = np.column_stack([(values[:, each] - scale.middle) / scale.half for each, scale in enumerate(scales)])
    means = multiply(scaled).mean(axis=0)
    design = np.column_stack([np.ones(200), values[:, :2]])
    assert np.allclose(make_regression(scales).tell(means), np.linalg.lstsq(design, values[:, 2], rcond=None)[0])
    pair = multiply(scaled[:, 1:]).mean(axis=0)
    assert correlate(pair)[0] == pytest.approx(np.corrcoef(values[:, 1], values[:, 2])[0, 1])
    assert make_ratio(scales[:2]).tell(means)[0] == pytest.approx(values[:, 0].mean() / values[:, 1].mean())


@pytest.mark.parametrize("variances", [(0.0, 0.5), (-0.1, 0.5), (-0.1, -0.5)])
def test_equations_that_no_data_have_are_not_solved(variances: tuple[float, float]) -> None:
    means = np.array([0.0, 0.0, 0.3, variances[0], 0.0, 0.1, variances[1], 0.2, 0.5])
    assert np.isnan(make_regression(UNIT).tell(means)).all()
    assert np.isnan(correlate(np.array([0.0, 0.0, *variances[:1], 0.1, variances[1]])))


@pytest.mark.parametrize("columns", [1, 2, 5, 10])
def test_matrices_are_inverted_where_they_are_positive(columns: int) -> None:
    rng = np.random.default_rng(columns)
    roots = rng.normal(size=(3, 40, columns, columns + 1))
    whole = roots @ roots.swapaxes(-1, -2)
    turned = whole.copy()
    turned[:, ::2] -= np.linalg.eigvalsh(whole)[:, ::2, :1, None] * 1.01 * np.eye(columns)
    found = invert_positive(turned)
    assert np.isnan(found[:, ::2]).all(), "one of these has an axis along which it is negative"
    assert np.allclose(found[:, 1::2] @ whole[:, 1::2], np.eye(columns), atol=1e-6)
    assert np.array_equal(found[1, 3], invert_positive(turned[1, 3])), "and each by itself"


@pytest.mark.parametrize("kind", ERRORS)
def test_the_limits_of_one_persons_part_are_above_what_it_is(kind: str) -> None:
    rng = np.random.default_rng(4)
    vectors = draw_people(rng, 20_000, kind)
    for function, people in ((make_regression(UNIT), vectors), (BY_BOUNDS, multiply(vectors[:, 0:3:2]))):
        parts, limits = compare_parts(function, people)
        assert np.all(parts <= limits)
        assert np.all(limits < 300 * parts)


@pytest.mark.parametrize("kind", ERRORS)
def test_products_of_four_tell_how_far_a_correlation_errs_by_sampling(kind: str) -> None:
    people = multiply_more(draw_people(np.random.default_rng(5), 20_000, kind))
    (part,), (limit,) = compare_parts(CORRELATION, people)
    assert limit == pytest.approx(part, rel=1e-4) == pytest.approx(measure_part(people.mean(axis=0))[0], rel=1e-4)
    (by_bounds,) = limit_by_bounds(people.mean(axis=0))
    assert limit < 0.5 * by_bounds


def test_the_part_of_a_normal_persons_correlation_is_that_of_the_textbooks() -> None:
    """(1 - r^2)^2, for any means: fourth moments of normal values with deviations of a fifth, and r = 0.6."""
    drawn = np.random.default_rng(6).normal(size=(400_000, 2))
    values = np.column_stack([0.1 + 0.1 * drawn[:, 0], -0.2 + 0.1 * (0.6 * drawn[:, 0] + 0.8 * drawn[:, 1])])
    padded = np.column_stack([values[:, 0], np.zeros(len(values)), values[:, 1]])
    assert measure_part(multiply_more(padded).mean(axis=0))[0] == pytest.approx(0.64**2, rel=0.03)


def test_intervals_of_correlations_are_little_wider_than_sampling_and_noise_are() -> None:
    rng, noise, people = np.random.default_rng(10), 60.0, 20_000
    ideal = math.hypot(0.75 / math.sqrt(people), noise / math.sqrt(50) / people / 0.04)
    vectors = multiply_more(np.column_stack(_draw_pair(rng, people)))
    sums = draw_sums(rng, vectors, noise, 50)
    ends = bound_functions(sums, noise, CORRELATION, 0.05)
    plain = bound_functions(sums[:, [0, 1, 2, 3, 4, -1]], noise, BY_BOUNDS, 0.05)
    assert ends.high[0] - ends.low[0] < 2 * 1.96 * 1.6 * ideal
    assert ends.high[0] - ends.low[0] < 0.6 * (plain.high[0] - plain.low[0])


def _draw_pair(rng: np.random.Generator, people: int) -> tuple[Floats, Floats, Floats]:
    """Return two columns of deviation a fifth and correlation one half, with one between them."""
    drawn = 0.2 * rng.normal(size=(2, people))
    return np.clip(drawn[0], -1, 1), np.zeros(people), np.clip(0.5 * drawn[0] + 0.75**0.5 * drawn[1], -1, 1)


def test_a_few_people_at_the_bounds_reach_the_limit() -> None:
    """All others have the mean in both columns; of the few each has either sign in either column."""
    few = np.array([[first, second] for first in (-1.0, 1.0) for second in (-1.0, 1.0)] * 25)
    (parts,), (limits,) = compare_parts(BY_BOUNDS, multiply(np.concatenate([few, np.zeros((9_900, 2))])))
    assert 0.99 * limits < parts <= limits == pytest.approx(100)


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=3, max_size=8, unique=True), st.data())
def test_no_people_exceed_the_limits(points: list[tuple[int, int]], data: st.DataObject) -> None:
    """Of a correlation, and of a line through columns of which the second is the target."""
    counts = [data.draw(st.integers(1, 300)) for _ in points]
    people = multiply(np.repeat(np.array(points) / 4.0, counts, axis=0))
    means = people.mean(axis=0)
    first, second = means[2] - means[0] ** 2, means[4] - means[1] ** 2
    assume(min(first, second) > 1e-3)
    line = make_regression((ScaledColumn(3.0, 2.0), ScaledColumn(-1.0, 5.0)))
    for function in (line, BY_BOUNDS) if abs(correlate(means)[0]) < 0.999 else (line,):
        parts, limits = compare_parts(function, people)
        assert np.all(parts <= limits * (1 + 1e-3) + 1e-6)


def compare_parts(function: SmoothFunction, people: Floats) -> tuple[Floats, Floats]:
    """Return the mean square of one person's part, the slope times how far they are from the mean, and its limit."""
    means = people.mean(axis=0)
    moves = 1e-6 * np.eye(len(means))
    slopes = ((function.tell(means + moves) - function.tell(means - moves)) / 2e-6).T
    assert function.limit is not None
    return ((people - means) @ slopes.T).var(axis=0), function.limit(means)


def test_a_regression_is_one_charge_one_record_and_free_again(tmp_path: Path) -> None:
    """A person's cost is 1000 + 10 * (age - 20) and 100 more for each further visit, on average."""
    with open_clinic(tmp_path, ROWS, epsilon=200.0, delta=1e-8) as curator:
        how = {**PRICE, "confidence": 0.99999}
        found = robust.regression_interval(curator, "visits", "cost", ["age", "quantity"], **how)
        charge = found.receipt.charge
        assert (found.receipt.paid, charge.epsilon, charge.delta) == ("charged", 8, Fraction(1, 10**9))
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE", "RECORD"]
        assert found.enough
        assert found["age"].low <= 10 <= found["age"].high
        assert found["age"].high - found["age"].low < 60
        assert found["intercept"].low <= 900 <= found["intercept"].high
        assert [each.name for each in found.coefficients] == ["intercept", "age", "quantity"]
        again = robust.regression_interval(curator, "visits", "cost", ["age", "quantity"], **PRICE)
        assert again.receipt.paid == "free"
        assert again["age"].low > found["age"].low
        even = robust.regression_interval(curator, "visits", "cost", ["age", "quantity"], even_errors=True, **PRICE)
        assert (even.receipt.paid, even["age"].estimate) == ("free", again["age"].estimate)
        assert even["age"].low >= again["age"].low
        assert "spread equally" in str(even)
        for words in ("sampling and noise together", "bias of clamping", "age:", "cost: epsilon 8"):
            assert words in str(again)
        assert json.loads(json.dumps(again.to_dict()))["enough"] is True
        assert again.plot(tmp_path / "slopes.png") is not None
        assert curator.ledger.verify().ok


@pytest.mark.slow
def test_correlations_and_ratios_are_one_charge_each(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=200.0, delta=1e-8) as curator:
        close = robust.correlation_interval(curator, "visits", "age", "cost", **PRICE)
        assert close.low <= 0.92 <= close.high <= 1
        assert close.high - close.low < 1
        ratio = robust.ratio_interval(curator, "visits", "cost", "age", **PRICE)
        assert ratio.low <= 1445 / 54.5 <= ratio.high
        assert ratio.high - ratio.low < 2
        assert (close.receipt.paid, ratio.receipt.paid) == ("charged", "charged")


@pytest.mark.slow
@pytest.mark.many
@pytest.mark.parametrize(
    ("rows", "features"),
    [
        pytest.param([], ["age"], id="nobody"),
        pytest.param(ROWS[:3], ["age"], id="too few people"),
        pytest.param(ROWS[:1], ["age"], id="one person"),
        pytest.param(ROWS, ["age", "2 * age"], id="features that follow from one another"),
        pytest.param([(each, 40, 500.0, "icu") for each in range(3000)], ["age"], id="a constant feature"),
        pytest.param([(each, None, math.nan, "icu") for each in range(3000)], ["age"], id="no values"),
    ],
)
def test_nearly_singular_equations_are_said_to_be_and_nothing_raises(
    rows: list[Visit], features: list[str], tmp_path: Path
) -> None:
    with open_clinic(tmp_path, rows, epsilon=200.0, delta=1e-8) as curator:
        found = robust.regression_interval(curator, "visits", "cost", features, **PRICE)
        assert not found.enough
        assert all((each.low, each.high) == (-math.inf, math.inf) for each in found.coefficients)
        assert "too few people to say" in str(found)
        assert "vary" in " ".join(found.notes) or "varies" in " ".join(found.notes)
        words = {each.get_text() for each in found.plot(tmp_path / "nothing.png").axes[0].texts}
        assert words == {"too few people to say"}
        close = robust.correlation_interval(curator, "visits", features[-1], "cost", **PRICE)
        assert (close.low, close.high) == (-1, 1) or len(rows) == len(ROWS)
        assert robust.ratio_interval(curator, "visits", "cost", "age", **PRICE).receipt.paid == "charged"


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"features": "age"}, "features must be a list"),
        ({"features": []}, "features must be a list"),
        ({"features": ["age"] * 11}, "features must be a list"),
        ({"features": ["age", " AGE "]}, "none is there twice"),
        ({"features": ["cost"]}, "nor is the target"),
        ({"features": [3]}, "a text"),
        ({"features": ["ages"]}, "ages"),
        ({"features": ["ward"]}, "AVG|number"),
        ({"features": ["7"]}, "the same for everybody"),
        ({"target": ""}, "target must be"),
        ({"delta": None}, "delta must be given"),
        ({"epsilon": 0}, "epsilon"),
        ({"resamples": 5}, "resamples must be"),
        ({"confidence": 2}, "confidence must be"),
        ({"per_unit": "rows", "where": "age >"}, "SQL|where"),
    ],
    ids=str,
)
def test_bad_input_is_refused_before_a_charge(how: dict[str, Any], words: str, tmp_path: Path) -> None:
    asked = {"target": "cost", "features": ["age"], **PRICE, **how}
    with open_clinic(tmp_path, ROWS[:50], epsilon=20.0, delta=1e-8) as curator:
        with pytest.raises(DiscreetError, match=words):
            robust.regression_interval(curator, "visits", **asked)
        assert kinds(curator) == ["CREATE"]


def test_an_unknown_coefficient_is_named(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS[:50], epsilon=200.0, delta=1e-8) as curator:
        found = robust.regression_interval(curator, "visits", "cost", ["age"], **PRICE)
        with pytest.raises(DiscreetError, match="one of intercept, age"):
            found["ward"]
