"""Prices: shares of one charge, noise for declared sensitivities, and never less charged than lost."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError, QueryError
from discreet.base.types import Type
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.key_selection import KeySelection
from discreet.mechanisms.key_threshold import KeyThreshold
from discreet.mechanisms.quantile import Quantile
from discreet.plan.bounded import BoundedPlan, Key, KeySet, Limits, Measure, Part
from discreet.plan.expressions import Column
from discreet.plan.grid import ClampedGrid
from discreet.plan.relations import Block, Scan
from discreet.policy import Policy, loads
from discreet.privacy import GaussianLoss, PureLoss
from discreet.privacy.charges import Charge, round_charge
from discreet.query.bound import Bounded
from discreet.query.price import Price, estimate_error, find_half_width, find_step, price, read_amount
from support.hospital import POLICY, bounded, engine_of

PURE = loads(POLICY.replace("delta = 1e-9\n", ""), "p.toml")
SMALL = loads(POLICY, "p.toml")
COLUMN = Column("t0", "x", Type.INTEGER)
BLOCK = Block(Scan("visits", "t0"))


@st.composite
def plans(draw: st.DrawFn) -> Bounded:
    parts = draw(st.lists(st.sampled_from(list(Part)), min_size=1, max_size=5, unique=True))
    grid = ClampedGrid(Fraction(0), Fraction(1, 4), 0, draw(st.integers(1, 2**12)))
    measures = tuple(
        Measure(part, COLUMN, grid, share=Fraction(1, 2) if part is Part.QUANTILE else None) for part in parts
    )
    limits = Limits(draw(st.integers(1, 50)), draw(st.integers(1, 9)), draw(st.integers(1, 9)))
    groups = draw(st.integers(1, 30))
    key = Key(COLUMN, tuple(range(groups)))
    sets = [KeySet((0,), limits)]
    if draw(st.booleans()):
        sets.append(KeySet((), Limits(limits.rows, 1, limits.rows_per_group)))
    plan = BoundedPlan(BLOCK, True, (key,), tuple(sets), measures, draw(st.sampled_from([1, 2])))
    places = st.lists(st.integers(0, len(parts) - 1), min_size=1, max_size=3, unique=True).map(tuple)
    sources = [*draw(st.lists(places, max_size=4)), tuple(range(len(parts)))]
    return Bounded(plan, tuple(sources), ())


EPSILONS = st.fractions(Fraction(1, 20), 20, max_denominator=10**6)


def loss_of(priced: Price) -> Fraction:
    """Return the sum of the losses of Laplace noise, of drawn quantiles and of selected keys, exactly."""
    plan = priced.bounded.plan
    total = Fraction(priced.selection.epsilon) if isinstance(priced.selection, KeySelection) else Fraction(0)
    for measure, noise in zip(plan.measures, priced.noises, strict=True):
        assert not isinstance(noise, Gaussian)
        if isinstance(noise, Quantile):
            assert noise.rows == plan.l1(measure), "one row moves a rank by this part of its loss"
            total += Fraction(noise.epsilon)
        else:
            total += Fraction(plan.l1(measure)) / Fraction(noise.scale)
    return total


def squares_of(priced: Price) -> Fraction:
    """Return twice the zCDP of Gaussian noise and, by their bounded range, of drawn quantiles."""
    plan, total = priced.bounded.plan, Fraction(0)
    for measure, noise in zip(plan.measures, priced.noises, strict=True):
        assert not isinstance(noise, Laplace)
        if isinstance(noise, Quantile):
            assert not noise.pure, "where rho is paid, ranks are drawn by what costs less of it"
            total += 2 * noise.row_rho * plan.l2_squared(measure)
        else:
            total += plan.l2_squared(measure) / Fraction(noise.sigma) ** 2
    return total


@given(plans(), EPSILONS)
def test_laplace_noise_never_costs_more_than_epsilon(made: Bounded, epsilon: Fraction) -> None:
    priced = price(made, PURE, epsilon=epsilon)
    assert not any(isinstance(noise, Gaussian) for noise in priced.noises), "delta = 0 never gives Gaussian noise"
    assert sum(priced.shares) == 1
    assert loss_of(priced) <= epsilon
    assert loss_of(priced) >= epsilon * (1 - Fraction(1, 10**9)), "nor is any of it wasted"
    assert priced.charge.epsilon == round_charge(Charge(epsilon, 0.0)).epsilon
    parts = []
    for measure, share, noise in zip(made.plan.measures, priced.shares, priced.noises, strict=True):
        if isinstance(noise, Quantile):
            assert noise.pure
            parts.append(float(made.plan.l2_squared(measure) * noise.row_rho))
        else:
            parts.append(PureLoss(float(share * epsilon)).zcdp())
    assert priced.charge.rho >= math.fsum(parts) * (1 - 1e-12)


@settings(max_examples=25)
@given(plans(), EPSILONS)
def test_the_noise_that_errs_less_is_taken_at_its_guarantee(made: Bounded, epsilon: Fraction) -> None:
    priced, laplace = price(made, SMALL, epsilon=epsilon), price(made, PURE, epsilon=epsilon)
    assert sum(priced.shares) == 1
    if not all(isinstance(noise, Gaussian) for noise in priced.noises):
        assert priced.noises == laplace.noises
        return
    mu = math.nextafter(math.sqrt(squares_of(priced)), math.inf)
    assert GaussianLoss(mu * (1 - 1e-12)).delta(float(epsilon)).high <= float(SMALL.question_delta) * (1 + 1e-6)
    assert Fraction(priced.charge.rho) >= squares_of(priced) / 2
    assert priced.charge.epsilon == math.inf
    errors = [estimate_error(a) / estimate_error(b) for a, b in zip(priced.noises, laplace.noises, strict=True)]
    assert math.fsum(errors) < len(errors)


def test_where_gaussian_noise_would_be_too_wide_the_other_is_taken() -> None:
    grid = ClampedGrid(Fraction(0), Fraction(1), 0, 492508)
    squares = Measure(Part.SQUARES, COLUMN, grid)
    plan = BoundedPlan(BLOCK, True, (), (KeySet((), Limits(1, 1, 1)),), (squares,), 1)
    priced = price(Bounded(plan, ((0,),), ()), SMALL, epsilon=Fraction(1, 1000))
    assert isinstance(priced.noises[0], Laplace)


def test_few_keys_take_laplace_noise_and_many_measures_gaussian() -> None:
    engine = engine_of()
    one = bounded(engine, "SELECT COUNT(*) FROM people")
    assert isinstance(price(one, SMALL, epsilon=Fraction(1)).noises[0], Laplace)
    squares = ", ".join(f"COUNT(age + {k}) AS c{k}" for k in range(60))
    many = bounded(engine, f"SELECT {squares} FROM people")
    assert isinstance(price(many, SMALL, epsilon=Fraction(1)).noises[0], Gaussian)


@given(plans(), EPSILONS)
def test_rho_is_zcdp_and_charged_as_such(made: Bounded, rho: Fraction) -> None:
    priced = price(made, SMALL, rho=rho)
    assert all(isinstance(noise, Gaussian | Quantile) for noise in priced.noises)
    assert squares_of(priced) / 2 <= rho
    assert priced.charge.rho == round_charge(Charge(0.0, rho)).rho
    assert (priced.charge.epsilon == math.inf) is any(isinstance(noise, Gaussian) for noise in priced.noises)
    with pytest.raises(QueryError, match="needs a budget with delta"):
        price(made, PURE, rho=rho)


def test_half_widths_are_those_of_the_noise_in_the_units_of_the_sum() -> None:
    made = bounded(engine_of(), "SELECT COUNT(*), SUM(cost), AVG(cost), MEDIAN(age) FROM visits")
    priced = price(made, PURE, epsilon=Fraction(1))
    for aggregate, step in ((0, 1), (1, Fraction(1, 4))):
        (place,) = made.sources[aggregate]
        noise = priced.noises[place]
        assert not isinstance(noise, Quantile)
        assert find_half_width(priced, aggregate, 0.95) == float(noise.interval(0.95) * step)
    assert find_half_width(priced, 2, 0.95) is None
    assert find_half_width(priced, 3, 0.95) is None


def test_steps_of_measures() -> None:
    grid = ClampedGrid(Fraction(0), Fraction(1, 4), 0, 9)
    steps = {part: find_step(Measure(part, COLUMN, grid)) for part in Part}
    assert steps == {
        **dict.fromkeys(Part, Fraction(1)),
        Part.SUM: Fraction(1, 4),
        Part.DISTINCT_SUM: Fraction(1, 4),
        Part.PRODUCTS: Fraction(1, 4),
        Part.SQUARES: Fraction(1, 16),
    }
    other = ClampedGrid(Fraction(0), Fraction(1, 3), 0, 9)
    assert find_step(Measure(Part.PRODUCTS, COLUMN, grid, COLUMN, other)) == Fraction(1, 12)


def test_sums_that_could_leave_38_digits_are_refused() -> None:
    grid = ClampedGrid(Fraction(0), Fraction(1), 0, 10**24)
    plan = BoundedPlan(BLOCK, True, (), (KeySet((), Limits(1, 1, 1)),), (Measure(Part.SUM, COLUMN, grid),), 1)
    with pytest.raises(QueryError, match="38 digits"):
        price(Bounded(plan, ((0,),), ()), PURE, epsilon=Fraction(1))


def test_amounts_are_the_decimals_that_were_written() -> None:
    assert read_amount("epsilon", 0.1) == Fraction(1, 10)
    assert read_amount("epsilon", Fraction(1, 3)) == Fraction(1, 3)
    for wrong in (0, -1, math.nan, math.inf, "1", True, None):
        with pytest.raises(ParameterError, match="epsilon"):
            read_amount("epsilon", wrong)


def test_the_guarantee_is_said() -> None:
    made = bounded(engine_of(), "SELECT COUNT(*) FROM people")
    assert price(made, PURE, epsilon=Fraction(1, 5)).guarantee == "0.2-differentially private"
    assert price(made, SMALL, rho=Fraction(1, 5)).guarantee == "0.2-zCDP"
    assert isinstance(PURE, Policy)


KEYED = "SELECT seen, SUM(age), SUM(cost) FROM visits GROUP BY seen"
"""Days of visits have no declared values, so they are selected; nothing is counted that could be compared."""

COUNTED = "SELECT seen, COUNT(*), SUM(age) FROM visits GROUP BY seen"


@given(EPSILONS)
@settings(max_examples=20)
def test_selected_keys_pay_a_share_and_a_delta(epsilon: Fraction) -> None:
    made = bounded(engine_of(), KEYED)
    priced = price(made, SMALL, epsilon=epsilon)
    assert isinstance(priced.selection, KeySelection)
    assert priced.counted is None
    assert priced.selection.groups == made.plan.reached()
    assert 0 < Fraction(priced.selection.delta) <= SMALL.delta / 2000
    assert sum(priced.shares) == Fraction(2, 3), "the third part is the selection's"
    assert priced.selection.epsilon <= epsilon / 3
    assert loss_of(priced) <= epsilon
    charged = round_charge(Charge(epsilon, 0.0, SMALL.delta / 2000))
    assert (priced.charge.epsilon, priced.charge.delta) == (charged.epsilon, charged.delta)
    assert "5e-13)-differentially private" in priced.guarantee


@given(EPSILONS)
@settings(max_examples=20)
def test_keys_above_a_count_that_is_released_pay_a_delta_alone(epsilon: Fraction) -> None:
    made = bounded(engine_of(), COUNTED)
    priced = price(made, SMALL, epsilon=epsilon)
    assert isinstance(priced.selection, KeyThreshold)
    assert priced.counted is not None
    assert made.plan.measures[priced.counted].part is Part.ROWS
    assert priced.selection.noise == priced.noises[priced.counted]
    assert priced.selection.groups == made.plan.reached()
    assert priced.selection.rows == 3, "as many rows as a unit keeps in one group"
    assert 0 < Fraction(priced.selection.delta) <= SMALL.delta / 2000
    assert sum(priced.shares) == 1
    assert loss_of(priced) <= epsilon
    charged = round_charge(Charge(epsilon, 0.0, SMALL.delta / 2000))
    assert (priced.charge.epsilon, priced.charge.delta) == (charged.epsilon, charged.delta)


@pytest.mark.parametrize("text", [KEYED, COUNTED])
def test_selected_keys_under_rho_pay_a_delta_too(text: str) -> None:
    priced = price(bounded(engine_of(), text), SMALL, rho=Fraction(1, 10))
    own = Fraction(priced.selection.epsilon) if isinstance(priced.selection, KeySelection) else Fraction(0)
    assert priced.selection is not None
    assert squares_of(priced) / 2 + own**2 / 2 <= Fraction(1, 10)
    assert (priced.charge.rho, priced.charge.delta) == (Fraction(1, 10), SMALL.delta / 2000)


def test_a_threshold_on_units_is_preferred() -> None:
    made = bounded(engine_of(), "SELECT seen, COUNT(*), COUNT(DISTINCT patient) FROM visits GROUP BY seen")
    priced = price(made, SMALL, epsilon=Fraction(1))
    assert isinstance(priced.selection, KeyThreshold)
    assert priced.counted is not None
    assert made.plan.measures[priced.counted].part is Part.UNITS, "units move the least"
    assert priced.selection.rows == 1


def test_a_threshold_on_rows_counts_with_all_that_one_unit_has_in_a_group() -> None:
    made = bounded(engine_of(), "SELECT seen, COUNT(*) FROM visits GROUP BY seen")
    priced = price(made, SMALL, epsilon=Fraction(1))
    assert isinstance(priced.selection, KeyThreshold)
    (limits,) = (each.limits for each in made.plan.sets)
    assert priced.selection.rows == limits.rows_per_group == 3


def test_a_count_with_a_condition_selects_no_keys() -> None:
    made = bounded(engine_of(), "SELECT seen, COUNT(*) FILTER (WHERE sick) FROM visits GROUP BY seen")
    assert isinstance(price(made, SMALL, epsilon=Fraction(1)).selection, KeySelection)


@pytest.mark.parametrize("text", [KEYED, COUNTED])
def test_keys_from_the_data_need_a_delta(text: str) -> None:
    with pytest.raises(QueryError, match=r"grouped by .*: its values are not declared, and keys taken from"):
        price(bounded(engine_of(), text), PURE, epsilon=Fraction(1))
