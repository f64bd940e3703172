"""Dong and Yi's estimators: exact losses over all small neighbours, what each step costs, and how near they come."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.mechanisms import Laplace, Quantile, SparseVector
from discreet.mechanisms.robust import universal, universal_parts
from discreet.mechanisms.robust.unbounded import REACH, UnboundedMean
from discreet.mechanisms.robust.universal import (
    DrawnQuartiles,
    HeldMean,
    PairedSquares,
    UniversalMean,
    UniversalQuartiles,
    UniversalVariance,
)
from discreet.mechanisms.robust.universal_parts import pair_up
from discreet.mechanisms.sparse_vector import SparseVectorRun
from mechanisms.robust.sparse_runs import SLACK, SMALL, Watcher, find_loss, read_stops, watch
from support.small_data import RELATIONS, Values, list_pairs


@pytest.fixture
def watcher(monkeypatch: pytest.MonkeyPatch) -> Watcher:
    return watch(monkeypatch)


@dataclass
class Drawn:
    """Stands in for Laplace noise: writes down the scale and the exact number."""

    of: list[tuple[float, int]] = field(default_factory=list)

    def release(self, made: Laplace, exact: int) -> int:
        self.of.append((made.scale, exact))
        return exact


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    found = Drawn()
    monkeypatch.setattr(Laplace, "release", lambda made, exact: found.release(made, exact))
    return found


@pytest.mark.parametrize("relation", RELATIONS)
def test_theorem_a_variance_with_random_pairs_loses_no_more_than_epsilon(
    relation: str, watcher: Watcher, drawn: Drawn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The joint law of all that is told, over all matchings: the radius, the number of pairs and the sum of squares."""
    made = UniversalVariance(1.5, 1, relation)
    reach = np.arange(-40, 300)

    def find_law(values: Values) -> tuple[int, float, Floats]:
        """Return the number of pairs, its noise, and the law of (radius, sum)."""
        orders, law = list(permutations(range(len(values)))), np.zeros((SMALL + 1, len(reach)))
        for order in orders:
            monkeypatch.setattr(universal_parts, "draw_order", lambda size, at=order: np.array(at, dtype=np.int64))
            pairs = tuple(sorted(pair_up(np.array(values, dtype=np.int64)).tolist()))
            if pairs not in matched:
                matched[pairs] = find_matched_law(values)
            law += matched[pairs][1] / len(orders)
        return len(pairs), matched[pairs][0], law

    def find_matched_law(values: Values) -> tuple[float, Floats]:
        """Return the same for the pairs as they are now."""
        law, ends = np.zeros((SMALL + 1, len(reach))), read_stops(watcher, lambda: made.release(values))
        for stop in range(SMALL + 1):
            watcher.asked.clear()
            drawn.of.clear()
            watcher.stop = stop
            assert made.release(values).radius == 2**stop
            (wide, count), (scale, total) = drawn.of
            assert count == len(values) // 2
            fall = math.exp(-1 / scale)
            law[stop] = ends[stop] * (1 - fall) / (1 + fall) * fall ** np.abs(reach - total)
        return wide, law

    matched: dict[Values, tuple[float, Floats]] = {}

    seen: dict[Values, tuple[int, float, Floats]] = {}
    worst = 0.0
    for pair in list_pairs((0, 1, 9), 3, relation):
        for values in pair:
            if values not in seen:
                seen[values] = find_law(values)
        (one, wide, first), (other, _, second) = seen[pair[0]], seen[pair[1]]
        worst = max(worst, find_loss(first, second) + abs(one - other) / wide)
    assert 0.8 * 1.5 < worst <= 1.5 + SLACK


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("told", [(1, 1), (0, 4), (-3, 4)])
def test_theorem_one_unit_moves_count_and_sum_by_no_more_than_their_noise_is_for(
    relation: str, rows: int, told: tuple[int, int], drawn: Drawn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the center and the radius that were released before, as composition has them."""
    made = UniversalMean(2.0, rows, relation)
    monkeypatch.setattr(universal, "find_range", lambda *given: told)
    seen: dict[Values, list[tuple[float, int]]] = {}
    worst = [Fraction(0), Fraction(0)]
    for pair in list_pairs((-7, 0, 3), 3, relation, rows):
        for values in pair:
            if values not in seen:
                drawn.of.clear()
                made.release(values)
                seen[values] = list(drawn.of)
        for place, ((scale, here), (same, there)) in enumerate(zip(seen[pair[0]], seen[pair[1]], strict=True)):
            assert scale == same
            worst[place] = max(worst[place], abs(here - there) / Fraction(scale))
    for each, part in zip(worst, made.parts[-2:], strict=True):
        assert 0.8 * part < each <= part


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("kind", [UniversalMean, UniversalVariance, UniversalQuartiles])
def test_the_steps_add_up_to_what_is_charged(
    kind: type[UniversalMean], relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three rows: radii and scales for three steps, quantiles and sums for what these move."""
    made, spent, start, moved = (
        kind(1.0, 3, relation),
        list[float](),
        SparseVector.start,
        3 if relation == "add-remove" else 6,
    )

    def see_run(run: SparseVector) -> SparseVectorRun:
        spent.append(run.loss(3 if run.monotone else 8 * 3).pure)
        return start(run)

    def see_quantile(share: Fraction, points: int, epsilon: float, rows: int, **more: Any) -> Quantile:
        assert rows == moved
        assert more == {"sides": 0}
        spent.append(epsilon)
        return Quantile(share, points, epsilon, rows, **more)

    monkeypatch.setattr(SparseVector, "start", see_run)
    monkeypatch.setattr(universal_parts, "Quantile", see_quantile)
    drawn = Drawn()
    monkeypatch.setattr(Laplace, "release", lambda own, exact: drawn.release(own, exact))
    told: Any = made.release([5, 6, 7, 900] * 20)
    if isinstance(told, HeldMean):
        spent += [3 / drawn.of[0][0], moved * told.radius / drawn.of[1][0]]
    elif isinstance(told, PairedSquares):
        spent += [3 / drawn.of[0][0], 3 * (told.radius**2 // told.unit) / drawn.of[1][0]]
    assert len(spent) == len(made.parts)
    assert 1 - 1e-9 < sum(spent) <= 1 + 1e-12
    assert 1 - 1e-9 < made.loss().pure <= 1


def test_means_variances_and_ranges_are_near_those_of_normal_values() -> None:
    values = np.random.default_rng(7).normal(123_456, 500, 4_000).astype(int)
    means = [UniversalMean(1.0).release(values) for _ in range(9)]
    assert np.median([abs(each.mean - values.mean()) for each in means]) < 5
    assert np.median([abs(each.count - 4_000) for each in means]) < 50
    spreads = [UniversalVariance(1.0).release(values).variance ** 0.5 for _ in range(9)]
    assert np.median(spreads) == pytest.approx(500, rel=0.05)
    widths = [UniversalQuartiles(1.0).release(values).width for _ in range(9)]
    assert np.median(widths) == pytest.approx(674, rel=0.05)


def test_a_mean_errs_less_than_the_usual_one() -> None:
    values = np.random.default_rng(8).normal(-5_000, 1_000, 2_000).astype(int)
    errors = [
        np.median([abs(kind(1.0).release(values).mean - values.mean()) for _ in range(15)])
        for kind in (UniversalMean, UnboundedMean)
    ]
    assert errors[0] < errors[1]


def test_odd_data_are_fine() -> None:
    for values in ([], [7], [5] * 40, [10**30, -(10**30)], np.array([2**62, -(2**62)])):
        assert np.isfinite(UniversalMean(1.0).release(values).mean)
        assert 0 <= UniversalVariance(1.0).release(values).variance < math.inf
        assert UniversalQuartiles(1.0).release(values).width >= 0
    assert PairedSquares(8, -3, -2).variance == 0
    assert PairedSquares(2**20, 10, 2**20).variance == 2**40 / 20
    assert DrawnQuartiles(3, 7, 5).width == 0


@pytest.mark.parametrize(("name", "given"), [("epsilon", (0,)), ("epsilon", (1e-4,)), ("rows", (1.0, 0))])
def test_senseless_parameters_are_refused(name: str, given: Any) -> None:
    with pytest.raises(ParameterError, match=rf"^{name} must be"):
        UniversalMean(*given)


@pytest.mark.many
@pytest.mark.parametrize("kind", [UniversalMean, UniversalVariance, UniversalQuartiles])
@pytest.mark.parametrize("rows", [1, 1000])
def test_what_is_not_refused_at_once_is_released_whatever_the_values_are(kind: Any, rows: int) -> None:
    refused = []
    for power in range(-16, 4):
        try:
            made = kind(10.0**power, rows)
        except ParameterError as trouble:
            refused.append(str(trouble))
            continue
        for values in ([], [0], [-REACH, REACH] * 50):
            made.release(values)
    assert 1 < len(refused) < 19
    assert all(each.startswith("epsilon must be larger") for each in refused)
