"""What is measured and what it costs: no less noise than a share pays for, and the certified epsilon of the whole."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.curator.door.levels import AreaCodes, AreaCounts, cost_areas
from discreet.curator.door.meter import ChargeMeter
from discreet.privacy import GaussianLoss
from discreet.privacy.charges import Charge
from discreet.topdown.measure.asked import AskedQuery, certify_epsilon, check_asked, cost_asked
from discreet.topdown.spec.queries import Query, QueryPart
from discreet.topdown.spec.schema import Attribute, CensusSchema
from topdown.measure.small_census import ADULT, DETAIL, GEOGRAPHY, SCHEMA, SEX_AGE, TOTAL, list_asked

PRODUCTION = Fraction(293764, 114921)
LEVELS = [Fraction(each, 4099) for each in (104, 1440, 447, 687, 1256, 165)]


@dataclass(frozen=True)
class Unit:
    """Whose rows are counted."""

    rows: int
    factor: int


UNITS = st.builds(Unit, st.integers(1, 5), st.integers(1, 2))
SHARES = st.fractions(Fraction(1, 10**9), 100, max_denominator=10**12)


@given(UNITS, SHARES)
def test_noise_costs_its_share_at_most_and_any_less_of_it_would_cost_more(unit: Unit, rho: Fraction) -> None:
    noise = AskedQuery(0, TOTAL, rho).make_noise(unit)
    moved = unit.rows**2 * unit.factor
    assert Fraction(moved) / (2 * Fraction(noise.sigma) ** 2) <= rho
    assert Fraction(moved) / (2 * Fraction(noise.sigma * (1 - 2**-51)) ** 2) > rho, "two floats below it"
    assert cost_areas(unit, noise)[0] == Charge(math.inf, Fraction(moved) / (2 * Fraction(noise.sigma) ** 2), 0)


@given(UNITS, st.lists(SHARES, min_size=1, max_size=6))
def test_the_meter_is_at_the_charge_after_the_last_measurement_for_any_allocation(
    unit: Unit, shares: list[Fraction]
) -> None:
    asked = [AskedQuery(0, TOTAL, share) for share in shares]
    charge = cost_asked(asked, unit)
    meter = ChargeMeter(charge)
    for each in asked:
        meter.admit(*cost_areas(unit, each.make_noise(unit)))
    assert meter._spent == charge
    assert charge.epsilon == math.inf
    assert charge.delta == 0
    whole = sum(shares, Fraction(0))
    assert whole * (1 - Fraction(1, 10**14)) < charge.rho <= whole


def test_replace_neighbours_pay_one_by_scale_squared_as_production_did() -> None:
    noise = AskedQuery(0, TOTAL, Fraction(1, 8)).make_noise(Unit(1, 2))
    assert noise.sigma == pytest.approx(math.sqrt(8), rel=1e-15)
    assert AskedQuery(0, TOTAL, Fraction(1, 8)).make_noise(Unit(1, 1)).sigma == 2.0


def test_productions_shares_are_certified_at_less_than_was_announced() -> None:
    asked = [AskedQuery(0, TOTAL, PRODUCTION * share) for share in LEVELS]
    for factor in (1, 2):
        charge = cost_asked(asked, Unit(1, factor))
        assert isinstance(charge.rho, Fraction)
        found = certify_epsilon(charge.rho, 1e-10)
        assert 16.4651 < found.low <= found.high <= 16.4652
        assert found.high / 17.14 <= 0.961


def test_the_whole_has_the_loss_of_all_measurements_composed() -> None:
    unit, total = Unit(2, 2), None
    for share in LEVELS:
        loss = cost_areas(unit, AskedQuery(0, TOTAL, share).make_noise(unit))[1]
        total = loss if total is None else total + loss
    assert total is not None
    whole = certify_epsilon(Fraction(1), 1e-9)
    assert total.epsilon(1e-9).low <= whole.high + 1e-9
    assert whole.low <= total.epsilon(1e-9).high + 1e-9
    assert GaussianLoss(Fraction(math.sqrt(2) * (1 + 1e-15))).epsilon(1e-9).high >= whole.low


@pytest.mark.parametrize(("delta", "size"), [(0, None), (1, None), (1.5, None), (1e-6, 10**5), (1e-10, 330_000_000)])
def test_a_delta_that_could_publish_somebody_is_refused(delta: float, size: int | None) -> None:
    with pytest.raises(ParameterError, match="delta"):
        certify_epsilon(Fraction(1), delta, size)
    certify_epsilon(Fraction(1), 1e-11, size)


OTHER = CensusSchema((Attribute("other", (1, 2)),))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ([], "at least one"),
        ([AskedQuery(3, TOTAL, Fraction(1))], "a level from 0 to 2"),
        ([AskedQuery(-1, TOTAL, Fraction(1))], "a level from 0 to 2"),
        ([AskedQuery(0, Query("total", OTHER), Fraction(1))], "the schema that is counted"),
        ([*list_asked(), AskedQuery(1, Query("again", SCHEMA), Fraction(1))], "asked once in tract"),
    ],
)
def test_what_is_not_of_this_census_is_refused(asked: list[AskedQuery], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        check_asked(asked, GEOGRAPHY, SCHEMA)


def test_a_query_with_too_many_answers_is_refused() -> None:
    wide = CensusSchema(tuple(Attribute(f"a{place}", tuple(range(50))) for place in range(4)))
    parts = tuple(QueryPart(place, tuple(range(50))) for place in range(4))
    check_asked([AskedQuery(0, Query("most", wide, parts[:3]), Fraction(1))], GEOGRAPHY, wide)
    with pytest.raises(ParameterError, match="at most 4,194,304 answers"):
        check_asked([AskedQuery(0, Query("all", wide, parts), Fraction(1))], GEOGRAPHY, wide)


@pytest.mark.parametrize("rho", [Fraction(0), Fraction(-1), 0.5, 1])
def test_a_share_is_a_fraction_above_nothing(rho: Fraction) -> None:
    with pytest.raises(ParameterError, match="a Fraction above 0"):
        AskedQuery(0, TOTAL, rho)


@pytest.mark.parametrize("query", [TOTAL, ADULT, SEX_AGE, DETAIL], ids=lambda each: each.name)
def test_queries_fit_the_desk(query: Query) -> None:
    counted = AreaCounts(AreaCodes(np.arange(7)[:, None]), GEOGRAPHY.ancestors[1], query.places)
    assert (counted.many, counted.size) == (3, query.size)
