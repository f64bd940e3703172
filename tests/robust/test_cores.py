"""The door tells what the functions on arrays tell of the same released numbers: a benchmark of these measures it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from discreet import robust
from discreet.base.grid import Floats
from discreet.curator import Curator
from discreet.robust.asking import AskingTerms
from discreet.robust.intervals.means import bound_difference, bound_mean
from discreet.robust.intervals.proportions import NoisyShares, bound_share, bound_share_difference
from discreet.robust.intervals.sums import ValueSums
from discreet.robust.measuring import count_cells, count_shares, sum_values
from discreet.robust.people import People, find_people
from discreet.robust.testing.binning import count_bins
from discreet.robust.testing.contingency import DRAWS, explain_fit, explain_independence
from discreet.robust.testing.decisions import (
    reject_equal_means,
    reject_equal_pair,
    reject_equal_shares,
    reject_mean,
    reject_share,
)
from discreet.robust.testing.rank_effects import bound_gap, bound_superiority
from discreet.robust.testing.ranks import explain_equal_curves, explain_equal_ranks
from support.clinic import Visit, open_clinic

ROWS: list[Visit] = [
    (patient, 20 + patient % 70, 100.0 + (37 * patient) % 900, ("icu", "north", "south")[patient % 3])
    for patient in range(1_500)
]
OLD: dict[str, Any] = {"by": "age > 64", "between": [True, False]}
CUTS = [200, 400, 600, 800]
TERMS = AskingTerms(1)
SIZE = 0.05


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Curator]:
    with open_clinic(tmp_path_factory.mktemp("clinic"), ROWS, epsilon=200.0, delta=1e-8) as curator:
        yield curator


def find_all(curator: Curator) -> People:
    return find_people(curator.session(), "visits", None, None)


def among(one: Floats) -> Floats:
    """Return what was released as the second of three runs: what others hold must not matter."""
    return np.concatenate([0.9 * one, one, 1.1 * one])


def among_sums(sums: ValueSums) -> ValueSums:
    return ValueSums(among(sums.count), among(sums.total), among(sums.squares), sums.noises, sums.scale)


def among_shares(counts: NoisyShares) -> NoisyShares:
    return NoisyShares(among(counts.yes), among(counts.no), counts.noise)


def near(low: float, high: float) -> Any:
    """Return the same numbers, but for the last digits: floats of arrays are added in another order."""
    return pytest.approx((low, high), rel=1e-9)


def test_means_are_those_of_the_arrays(clinic: Curator) -> None:
    told = robust.mean_interval(clinic, "visits", "cost", epsilon=1)
    sums = sum_values(clinic.session(), find_all(clinic), "cost", "mean", TERMS).sums
    ends = bound_mean(among_sums(sums), SIZE)
    assert (told.low, told.high) == near(sums.scale.to_value(ends.low)[1], sums.scale.to_value(ends.high)[1])
    little = (told.high - told.low) / 1_000
    for mean in (told.low - little, told.low + little):
        found = robust.t_test(clinic, "visits", "cost", mean=mean, epsilon=1)
        assert found.receipt.paid == "free"
        at = np.full(3, sums.scale.to_steps(mean))
        assert (found.p_value <= SIZE) == reject_mean(among_sums(sums), at, SIZE)[1]


def test_differences_of_means_are_those_of_the_arrays(clinic: Curator) -> None:
    told = robust.difference_interval(clinic, "visits", "cost", epsilon=1, **OLD)
    found = sum_values(clinic.session(), find_all(clinic), "cost", "mean", TERMS, OLD["by"], OLD["between"])
    first, second = (among_sums(found.take(place)) for place in (0, 1))
    ends, step = bound_difference(first, second, SIZE)[1], found.sums.scale.step
    assert (told.low, told.high) == near(ends.low[1] * step, ends.high[1] * step)
    tested = robust.t_test(clinic, "visits", "cost", epsilon=1, **OLD)
    assert tested.receipt.paid == "free"
    assert (tested.p_value <= SIZE) == reject_equal_pair(first, second, SIZE)[1]


def test_several_means_are_those_of_the_arrays(clinic: Curator) -> None:
    how: dict[str, Any] = {"by": "age // 30", "groups": [0, 1, 2]}
    told = robust.anova(clinic, "visits", "cost", epsilon=1, **how)
    found = sum_values(clinic.session(), find_all(clinic), "cost", "mean", TERMS, how["by"], how["groups"])
    groups = [found.take(place) for place in range(3)]
    assert (told.p_value <= SIZE) == reject_equal_means(groups, SIZE)[0]


def test_shares_are_those_of_the_arrays(clinic: Curator) -> None:
    told = robust.proportion_interval(clinic, "visits", "cost > 500", epsilon=1)
    counts = among_shares(count_shares(clinic.session(), find_all(clinic), "cost > 500", "any", TERMS).counts)
    ends = bound_share(counts, SIZE)
    assert (told.low, told.high) == near(ends.low[1], ends.high[1])
    for share in (0.5, 0.6):
        found = robust.proportion_test(clinic, "visits", "cost > 500", share=share, epsilon=1)
        assert (found.p_value <= SIZE) == reject_share(counts, np.full(3, share), SIZE)[1]
    both = robust.difference_interval(clinic, "visits", condition="cost > 500", epsilon=1, **OLD)
    pair = count_shares(clinic.session(), find_all(clinic), "cost > 500", "any", TERMS, OLD["by"], OLD["between"])
    first, second = (among_shares(pair.take(place)) for place in (0, 1))
    ends = bound_share_difference(first, second, SIZE)[1]
    assert (both.low, both.high) == near(ends.low[1], ends.high[1])
    tested = robust.proportion_test(clinic, "visits", "cost > 500", epsilon=1, **OLD)
    assert (tested.p_value <= SIZE) == reject_equal_shares(first, second, SIZE)[1]


def is_near(told: float, found: float) -> bool:
    """Say whether two simulations of one p-value differ by no more than simulations do."""
    return bool(abs(told - found) <= 5 * np.sqrt(2 * max(told * (1 - told), 1 / DRAWS) / DRAWS))


def test_tables_are_those_of_the_arrays(clinic: Curator) -> None:
    wards = ["icu", "north", "south"]
    told = robust.chi_square_test(clinic, "visits", "ward", shares=dict.fromkeys(wards, 1 / 3), epsilon=1)
    found = count_cells(clinic.session(), find_all(clinic), [("ward", wards)], TERMS)
    shares = (1 / 3,) * 3
    assert told.p_value == explain_fit(np.stack([0.9 * found.cells, found.cells]), shares, found.noise)[1]
    how: dict[str, Any] = {"values": wards, "by": OLD["by"], "by_values": OLD["between"]}
    told = robust.chi_square_test(clinic, "visits", "ward", epsilon=1, **how)
    sides = [("ward", wards), (OLD["by"], OLD["between"])]
    found = count_cells(clinic.session(), find_all(clinic), sides, TERMS)
    assert told.p_value == explain_independence(found.cells[None], found.noise)[0]
    assert is_near(told.p_value, explain_independence(np.stack([found.cells] * 3), found.noise)[1])


def test_ranks_and_their_effects_are_those_of_the_arrays(clinic: Curator) -> None:
    how: dict[str, Any] = {"cuts": CUTS, "epsilon": 1, **OLD}
    found = count_bins(clinic.session(), find_all(clinic), "cost", "mean", CUTS, TERMS, OLD["by"], OLD["between"])
    cells, noise = np.stack([0.9 * found.cells, found.cells, found.cells]), found.noise
    told = robust.mann_whitney_test(clinic, "visits", "cost", **how)
    assert told.receipt.paid == "free"
    assert told.p_value == explain_equal_ranks(cells[1:2], noise)[0][0]
    assert is_near(told.p_value, explain_equal_ranks(cells, noise)[0][2])
    ends = bound_superiority(cells[:, 0], cells[:, 1], noise, SIZE)
    assert (told.effects[0].low, told.effects[0].high) == near(ends[1][1], ends[2][1])
    told = robust.kolmogorov_smirnov_test(clinic, "visits", "cost", **how)
    assert told.p_value == explain_equal_curves(cells[1:2], noise)[0][0]
    assert told.effects[0].high == bound_gap(cells[1:2], None, noise, SIZE)[2][0]
    assert told.effects[0].high == pytest.approx(bound_gap(cells, None, noise, SIZE)[2][2], abs=0.005)
