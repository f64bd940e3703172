"""Noise never costs more than its share, and the whole is certified by the Gaussian curve."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.families.family import PARTITION
from discreet.privacy import GaussianLoss
from discreet.query.cost import cost_counts
from discreet.topdown.example.production import (
    ANNOUNCED_EPSILON,
    DELTA,
    LEVEL_SHARES,
    LEVELS,
    QUERIES,
    QUERY_SHARES,
    RHO,
    STRICT_DELTA,
)
from discreet.topdown.planning.noise import MovedUnit, plan_noise, share_out_noise
from discreet.topdown.spec.allocation import Allocation
from discreet.topdown.spec.queries import Query
from discreet.topdown.spec.schema import Attribute, CensusSchema
from topdown.spec.small_census import POLICY, read_census

SCHEMA = CensusSchema((Attribute("x", (0, 1)),))
REPLACED = MovedUnit(1, 2)
ASKED = tuple(Query(name, SCHEMA) for name in QUERIES)


def allocate_production(delta: Fraction = DELTA) -> Allocation:
    """Return the shares of 2020: what is counted does not matter to what it costs."""
    levels = tuple(Fraction(LEVEL_SHARES[name], 4099) for name in LEVELS)
    queries = tuple(
        {
            name: Fraction(part, QUERY_SHARES[level][0])
            for name, part in zip(QUERIES, QUERY_SHARES[level][1], strict=True)
            if part
        }
        for level in LEVELS
    )
    return Allocation(RHO, delta, levels, queries)


def test_the_parts_of_production_add_up_to_rho_exactly_and_their_noise_spends_no_more() -> None:
    noise = share_out_noise(allocate_production(), ASKED, list(LEVELS), REPLACED)
    assert len(noise.draws) == 65
    assert sum(draw.rho for draw in noise.draws) == RHO
    assert all(draw.spent <= draw.rho for draw in noise.draws)
    assert all(draw.spent > draw.rho * (1 - Fraction(1, 10**14)) for draw in noise.draws)
    assert noise.spent <= RHO


def test_production_under_replace_neighbours_has_the_scale_that_was_charged_then() -> None:
    noise = share_out_noise(allocate_production(), ASKED, list(LEVELS), REPLACED)
    draw = noise.find(0, "detailed")
    assert draw is not None
    assert draw.sigma**2 == pytest.approx(float(1 / draw.rho))


def test_the_certified_epsilon_of_production_is_below_what_was_announced() -> None:
    noise = share_out_noise(allocate_production(), ASKED, list(LEVELS), REPLACED)
    certified = noise.certify()
    assert certified.high <= 0.961 * ANNOUNCED_EPSILON
    assert certified.low == pytest.approx(16.465, abs=1e-3)
    strict = noise.certify(STRICT_DELTA).high
    assert strict == pytest.approx(17.256, abs=1e-3)
    assert share_out_noise(allocate_production(STRICT_DELTA), ASKED, list(LEVELS), REPLACED).certify().high == strict


def test_what_the_desk_adds_up_is_what_was_planned(tmp_path: Path) -> None:
    spec = read_census(tmp_path)
    noise = plan_noise(spec)
    paid = [cost_counts(1, PARTITION.bound_l2_squared(1, 2), draw.mechanism).rho for draw in noise.draws]
    assert paid == [draw.spent for draw in noise.draws]
    assert sum(Fraction(each) for each in paid) == noise.spent <= spec.allocation.rho
    assert [(draw.level, draw.query.name) for draw in noise.draws] == [
        (0, "total"),
        (0, "detailed"),
        (1, "facility"),
        (2, "kind"),
        (2, "detailed"),
    ]
    assert [draw.query.name for draw in noise.list_level(2)] == ["kind", "detailed"]
    assert noise.find(1, "total") is None


def test_the_loss_of_the_whole_covers_that_of_its_draws(tmp_path: Path) -> None:
    noise = plan_noise(read_census(tmp_path))
    together = sum(Fraction(draw.loss.mu) ** 2 for draw in noise.draws)
    assert isinstance(noise.loss, GaussianLoss)
    assert Fraction(noise.loss.mu) ** 2 >= 2 * noise.spent
    assert float(Fraction(noise.loss.mu) ** 2) == pytest.approx(float(together))


def test_units_of_several_rows_and_other_neighbours_have_other_noise(tmp_path: Path) -> None:
    first = plan_noise(read_census(tmp_path)).draws[0].sigma
    more = plan_noise(read_census(tmp_path, policy_toml=POLICY.replace("max_rows = 1", "max_rows = 3"))).draws[0].sigma
    assert more == pytest.approx(3 * first)
    spec = read_census(tmp_path)
    assert plan_noise(spec, rows=3).draws[0].sigma == more
    assert plan_noise(spec, factor=1).draws[0].sigma == pytest.approx(first / 2**0.5)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.integers(1, 99), min_size=1, max_size=4), min_size=1, max_size=4), st.integers(1, 9))
def test_any_allocation_is_spent_to_its_last_part_and_never_beyond(parts: list[list[int]], rho: int) -> None:
    weights = [sum(each) for each in parts]
    names = [str(place) for place in range(4)]
    allocation = Allocation(
        Fraction(rho, 7),
        DELTA,
        tuple(Fraction(each, sum(weights)) for each in weights),
        tuple({name: Fraction(part, sum(each)) for name, part in zip(names, each, strict=False)} for each in parts),
    )
    queries = tuple(Query(name, SCHEMA) for name in names)
    noise = share_out_noise(allocation, queries, [str(place) for place in range(len(parts))], REPLACED)
    assert sum(draw.rho for draw in noise.draws) == allocation.rho
    assert allocation.rho * (1 - Fraction(1, 10**14)) < noise.spent <= allocation.rho


def test_a_share_that_is_too_small_for_any_noise_is_named() -> None:
    allocation = Allocation(Fraction(1, 10**40), DELTA, (Fraction(1),), ({"kind": Fraction(1)},))
    with pytest.raises(ParameterError, match=r"levels\.Town\.queries\.kind must be larger here: it asks for noise"):
        share_out_noise(allocation, (Query("kind", SCHEMA),), ["Town"], REPLACED)
