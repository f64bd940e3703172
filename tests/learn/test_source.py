"""Sources: a desk and rows in memory give the same sums, at the same cost."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from discreet.curator.door.desk import Desk
from discreet.curator.door.meter import ChargeMeter
from discreet.curator.door.moments import RowMoments
from discreet.gradients.encoding import FEATURE_STEPS, Encoding, LabelColumn, NumberFeature
from discreet.gradients.groups import FeatureSums, LabelGroups, bound_groups
from discreet.learn.allowance import GaussianAllowance
from discreet.learn.regression import fit_regression, make_moments
from discreet.learn.source import DeskSource, MemorySource
from discreet.privacy.charges import Charge
from support.clinic import make_tables, write_policy
from support.desks import Pages, hold_by, never
from support.hospital import engine_of, rows_of

ENGINE = engine_of(write_policy(), make_tables())
PLAN = rows_of(ENGINE, "SELECT age, cost FROM visits")
ROWS = ENGINE.read(PLAN).result()
AGE, COST = (each.grid for each in PLAN.columns)
LABEL = LabelColumn(1, COST.lower, COST.upper, -FEATURE_STEPS, FEATURE_STEPS)
ENCODING = Encoding((NumberFeature(0, AGE.lower, AGE.upper),), LABEL)
LAVISH = GaussianAllowance(Fraction(10**12))


def desk_source(rho: Fraction) -> DeskSource:
    """Return a desk that may spend so much."""
    meter = ChargeMeter(Charge(math.inf, rho, Fraction(0)))
    return DeskSource(Desk((PLAN,), meter, Pages(), never, hold_by(lambda _: ROWS)), PLAN)


def memory_source() -> MemorySource:
    return MemorySource(ROWS.points, ROWS.offsets, PLAN.factor, PLAN.rows)


def test_a_desk_and_memory_give_the_same_moments() -> None:
    whole = Encoding(ENCODING.features, LabelColumn(1, COST.lower, COST.upper, 0, 1))
    kinds: list[RowMoments] = [
        make_moments(ENCODING, PLAN.rows),
        FeatureSums(whole, LabelGroups(2), bound_groups(whole) * PLAN.rows),
    ]
    for moments in kinds:
        there, sigma = desk_source(LAVISH.rho).moments(moments, LAVISH)
        here, same = memory_source().moments(moments, LAVISH)
        assert there == pytest.approx(here, abs=20 * sigma + 1e-4)
        assert sigma == same


def test_a_regression_at_a_desk_is_the_one_in_memory_and_costs_its_allowance() -> None:
    there = fit_regression(desk_source(LAVISH.rho), ENCODING, LAVISH)
    here = fit_regression(memory_source(), ENCODING, LAVISH)
    assert there.weights == pytest.approx(here.weights, abs=1e-3)
    small = GaussianAllowance(Fraction(1, 10))
    fit_regression(desk_source(small.rho), ENCODING, small)
