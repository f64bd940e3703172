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
from discreet.plan.bounded import BoundedPlan, Grid, Key, Limits, Measure, Part, Unit
from discreet.plan.expressions import Column
from discreet.plan.question import Scan
from discreet.policy import Policy, loads
from discreet.privacy.guarantees import PureLoss
from discreet.privacy.noises import GaussianLoss
from discreet.query.bound import Bounded
from discreet.query.price import Price, amount, expected_error, half_width, price, step_of
from questions import POLICY, bounded, engine_of

PURE = loads(POLICY.replace("delta = 1e-9\n", ""), "p.toml")
SMALL = loads(POLICY, "p.toml")
COLUMN = Column("t0", "x", Type.INTEGER)


@st.composite
def plans(draw: st.DrawFn) -> Bounded:
    parts = draw(st.lists(st.sampled_from(list(Part)), min_size=1, max_size=5, unique=True))
    grid = Grid(Fraction(0), Fraction(1, 4), 0, draw(st.integers(1, 2**12)))
    measures = tuple(Measure(part, COLUMN, grid) for part in parts)
    limits = Limits(draw(st.integers(1, 50)), draw(st.integers(1, 9)), draw(st.integers(1, 9)))
    groups = draw(st.integers(1, 30))
    key = Key(COLUMN, tuple(range(groups)))
    plan = BoundedPlan(
        Scan("t", "t0"), Unit("u", Type.TEXT), (), None, (key,), measures, limits, draw(st.sampled_from([1, 2]))
    )
    places = st.lists(st.integers(0, len(parts) - 1), min_size=1, max_size=3, unique=True).map(tuple)
    sources = [*draw(st.lists(places, max_size=4)), tuple(range(len(parts)))]
    return Bounded(plan, tuple(sources), ())


EPSILONS = st.fractions(Fraction(1, 20), 20, max_denominator=10**6)


def loss_of(priced: Price) -> Fraction:
    """Return the sum of the Laplace losses, exactly."""
    plan = priced.bounded.plan
    return sum(
        (Fraction(plan.l1(m)) / Fraction(n.scale) for m, n in zip(plan.measures, priced.noises, strict=True)),  # type: ignore[union-attr]
        Fraction(0),
    )


def squares_of(priced: Price) -> Fraction:
    plan = priced.bounded.plan
    return sum(
        (plan.l2_squared(m) / Fraction(n.sigma) ** 2 for m, n in zip(plan.measures, priced.noises, strict=True)),  # type: ignore[union-attr]
        Fraction(0),
    )


@given(plans(), EPSILONS)
def test_laplace_noise_never_costs_more_than_epsilon(made: Bounded, epsilon: Fraction) -> None:
    priced = price(made, PURE, epsilon=epsilon)
    assert all(isinstance(noise, Laplace) for noise in priced.noises), "delta = 0 never gives Gaussian noise"
    assert sum(priced.shares) == 1
    assert loss_of(priced) <= epsilon
    assert loss_of(priced) >= epsilon * (1 - Fraction(1, 10**9)), "nor is any of it wasted"
    assert priced.charge.epsilon == epsilon
    parts = [PureLoss(float(share * epsilon)).zcdp() for share in priced.shares]
    assert priced.charge.rho >= math.fsum(float(rho) for rho in parts) * (1 - 1e-15)


@settings(max_examples=25)
@given(plans(), EPSILONS)
def test_the_noise_that_errs_less_is_taken_at_its_guarantee(made: Bounded, epsilon: Fraction) -> None:
    priced, laplace = price(made, SMALL, epsilon=epsilon), price(made, PURE, epsilon=epsilon)
    assert sum(priced.shares) == 1
    if isinstance(priced.noises[0], Laplace):
        assert priced.noises == laplace.noises
        return
    mu = math.nextafter(math.sqrt(squares_of(priced)), math.inf)
    assert GaussianLoss(mu * (1 - 1e-12)).delta(float(epsilon)).high <= float(SMALL.question_delta) * (1 + 1e-6)
    assert Fraction(priced.charge.rho) >= squares_of(priced) / 2
    assert priced.charge.epsilon == math.inf
    errors = [expected_error(a) / expected_error(b) for a, b in zip(priced.noises, laplace.noises, strict=True)]
    assert math.fsum(errors) < len(errors)


def test_where_gaussian_noise_would_be_too_wide_the_other_is_taken() -> None:
    grid = Grid(Fraction(0), Fraction(1), 0, 492508)
    squares = Measure(Part.SQUARES, COLUMN, grid)
    plan = BoundedPlan(Scan("t", "t0"), Unit("u", Type.TEXT), (), None, (), (squares,), Limits(1, 1, 1), 1)
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
    assert all(isinstance(noise, Gaussian) for noise in priced.noises)
    assert squares_of(priced) / 2 <= rho
    assert (priced.charge.epsilon, priced.charge.rho) == (math.inf, rho)
    with pytest.raises(QueryError, match="needs a budget with delta"):
        price(made, PURE, rho=rho)


def test_shares_are_equal_among_aggregates_and_among_their_measures() -> None:
    made = bounded(engine_of(), "SELECT AVG(age), COUNT(*) FROM visits")
    priced = price(made, PURE, epsilon=Fraction(1))
    shares = {m.part: share for m, share in zip(made.plan.measures, priced.shares, strict=True)}
    assert shares == {Part.ROWS: Fraction(1, 2), Part.VALUES: Fraction(1, 4), Part.SUM: Fraction(1, 4)}


def test_half_widths_are_those_of_the_noise_in_the_units_of_the_sum() -> None:
    made = bounded(engine_of(), "SELECT COUNT(*), SUM(cost), AVG(cost), MEDIAN(age) FROM visits")
    priced = price(made, PURE, epsilon=Fraction(1))
    for aggregate, step in ((0, 1), (1, Fraction(1, 4))):
        (place,) = made.sources[aggregate]
        assert half_width(priced, aggregate, 0.95) == float(priced.noises[place].interval(0.95) * step)
    assert half_width(priced, 2, 0.95) is None
    assert half_width(priced, 3, 0.95) is None


def test_steps_of_measures() -> None:
    grid = Grid(Fraction(0), Fraction(1, 4), 0, 9)
    steps = {part: step_of(Measure(part, COLUMN, grid)) for part in Part}
    assert steps == {**dict.fromkeys(Part, Fraction(1)), Part.SUM: Fraction(1, 4), Part.SQUARES: Fraction(1, 16)}


def test_sums_that_could_leave_38_digits_are_refused() -> None:
    grid = Grid(Fraction(0), Fraction(1), 0, 10**24)
    plan = BoundedPlan(
        Scan("t", "t0"), Unit("u", Type.TEXT), (), None, (), (Measure(Part.SUM, COLUMN, grid),), Limits(1, 1, 1), 1
    )
    with pytest.raises(QueryError, match="38 digits"):
        price(Bounded(plan, ((0,),), ()), PURE, epsilon=Fraction(1))


def test_amounts_are_the_decimals_that_were_written() -> None:
    assert amount("epsilon", 0.1) == Fraction(1, 10)
    assert amount("epsilon", Fraction(1, 3)) == Fraction(1, 3)
    for wrong in (0, -1, math.nan, math.inf, "1", True, None):
        with pytest.raises(ParameterError, match="epsilon"):
            amount("epsilon", wrong)


def test_the_guarantee_is_said() -> None:
    made = bounded(engine_of(), "SELECT COUNT(*) FROM people")
    assert price(made, PURE, epsilon=Fraction(1, 5)).guarantee == "0.2-differentially private"
    assert price(made, SMALL, rho=Fraction(1, 5)).guarantee == "0.2-zCDP"
    assert isinstance(PURE, Policy)
