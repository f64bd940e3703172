"""Costs of spanning trees: the theorem by brute force over all weights of small graphs, and the code by all cuts."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from discreet import robust
from discreet.base.errors import ParameterError
from discreet.mechanisms.robust.smooth_bounds import LEAST
from discreet.mechanisms.robust.smooth_noises import SmoothLaplace, SmoothStudent
from discreet.mechanisms.robust.spanning_tree import SpanningTreeCost
from discreet.privacy import ZcdpLoss

Pairs = tuple[tuple[int, int], ...]
Numbers = NDArray[np.int64]

TRIANGLE: Pairs = ((0, 1), (1, 2), (0, 2))
COMPLETE: Pairs = tuple(combinations(range(5), 2))


def spans(edges: Pairs, vertices: int) -> bool:
    reached, waiting = {0}, [0]
    while waiting:
        at = waiting.pop()
        for one, other in edges:
            if at in (one, other):
                new = other if at == one else one
                if new not in reached:
                    reached.add(new)
                    waiting.append(new)
    return len(reached) == vertices


def list_graphs(vertices: int) -> list[Pairs]:
    """Return all connected graphs of so many vertices, one of each shape."""
    everything = tuple(combinations(range(vertices), 2))
    found: dict[tuple[tuple[int, int], ...], None] = {}
    seen: set[frozenset[tuple[int, int]]] = set()
    for count in range(vertices - 1, len(everything) + 1):
        for edges in combinations(everything, count):
            if frozenset(edges) in seen or not spans(edges, vertices):
                continue
            found[edges] = None
            for order in permutations(range(vertices)):
                moved = [(order[one], order[other]) for one, other in edges]
                seen.add(frozenset((min(pair), max(pair)) for pair in moved))
    return list(found)


def list_crossing(edges: Pairs, vertices: int) -> list[list[int]]:
    """Return the edges that cross each cut."""
    sides = [{0, *more} for count in range(vertices - 1) for more in combinations(range(1, vertices), count)]
    return [[at for at, (one, other) in enumerate(edges) if (one in side) != (other in side)] for side in sides]


def find_cut_bounds(weights: Numbers, edges: Pairs, vertices: int, bound: int) -> list[Numbers]:
    """Return A_0, A_1, ... by all cuts; the first axis of the weights is that of the edges."""
    found = [np.zeros(weights.shape[1:], dtype=np.int64) for _ in range(len(edges) + 1)]
    for crossing in list_crossing(edges, vertices):
        missing = np.full((len(edges) + 2 - len(crossing), *weights.shape[1:]), bound, dtype=np.int64)
        ordered = np.concatenate([np.sort(weights[crossing], axis=0), missing])
        for k, best in enumerate(found):
            np.maximum(best, np.maximum(ordered[k], ordered[k + 1] - ordered[0]), out=best)
    return found


def check_lemma(edges: Pairs, vertices: int, values: tuple[int, ...]) -> None:
    """Compare with the furthest move at any weights k changes away, by going through all weights from these values."""
    grid = np.array(values, dtype=np.int64)
    weights = grid[np.indices((len(values),) * len(edges))]
    trees = [
        tree for tree in combinations(range(len(edges)), vertices - 1) if spans(tuple(edges[e] for e in tree), vertices)
    ]
    cost = np.min([weights[list(tree)].sum(axis=0) for tree in trees], axis=0)
    axes = range(len(edges))
    furthest = np.max(
        [np.maximum(cost.max(e, keepdims=True) - cost, cost - cost.min(e, keepdims=True)) for e in axes], 0
    )
    for bounds in find_cut_bounds(weights, edges, vertices, max(values)):
        assert np.array_equal(bounds, np.broadcast_to(furthest, bounds.shape))
        furthest = np.max([np.broadcast_to(furthest.max(e, keepdims=True), cost.shape) for e in axes], axis=0)


@pytest.mark.parametrize("vertices", [2, 3, 4])
def test_theorem_cuts_say_how_far_one_weight_moves_the_cost_after_k_changes(vertices: int) -> None:
    for edges in list_graphs(vertices):
        check_lemma(edges, vertices, (0, 1, 3))


def test_theorem_the_same_of_the_complete_graph_of_five_vertices() -> None:
    check_lemma(COMPLETE, 5, (0, 2))


@pytest.mark.long
def test_theorem_the_same_of_all_graphs_of_five_vertices() -> None:
    graphs = list_graphs(5)
    assert len(graphs) == 21
    for edges in graphs:
        check_lemma(edges, 5, (0, 1, 3))


@pytest.mark.parametrize("base", [Fraction(1, 2), Fraction(9, 10), Fraction(2**32 - 2**20, 2**32)])
def test_the_smooth_bound_is_the_largest_of_all_cuts(base: Fraction) -> None:
    """Random graphs with ties, parallel edges and vertices of many kinds; the bound is exact, not nearly so."""
    rng = np.random.default_rng(11)
    for _ in range(40):
        vertices = int(rng.integers(2, 7))
        path = [(at, at + 1) for at in range(vertices - 1)]
        more = rng.integers(0, vertices, (int(rng.integers(0, 10)), 2)).tolist()
        edges: Pairs = tuple(path + [(one, other) for one, other in more if one != other])
        bound = int(rng.choice([1, 5, 1000]))
        weights = rng.integers(0, bound + 1, len(edges))
        named = tuple((f"v{one}", f"v{other}") for one, other in edges)
        found = SpanningTreeCost(named, bound).find_smooth(weights, base).exact
        wanted = find_cut_bounds(weights[:, None], edges, vertices, bound)
        assert found == max(LEAST, *(int(each[0]) * base**k for k, each in enumerate(wanted)))


@cache
def see_triangle(base: Fraction, bound: int) -> dict[tuple[int, ...], tuple[Fraction, Fraction]]:
    """Return the cost and the smooth bound of all weights of a triangle with one edge twice."""
    made = SpanningTreeCost((*TRIANGLE, (0, 1)), bound)
    every = product(range(bound + 1), repeat=4)
    return {weights: (made.value(weights), made.find_smooth(weights, base).exact) for weights in every}


def list_neighbours(weights: tuple[int, ...], bound: int) -> list[tuple[int, ...]]:
    return [
        (*weights[:at], other, *weights[at + 1 :])
        for at in range(len(weights))
        for other in range(bound + 1)
        if other != weights[at]
    ]


def test_theorem_neighbours_have_smooth_bounds_that_hold() -> None:
    base = Fraction(4, 5)
    seen = see_triangle(base, 2)
    for weights, (cost, bound) in seen.items():
        for other in list_neighbours(weights, 2):
            assert abs(cost - seen[other][0]) <= min(bound, seen[other][1])
            assert bound * base <= seen[other][1]


@pytest.mark.parametrize("noise", [SmoothStudent.calibrate(2.0), SmoothLaplace.calibrate(2.0, 0.01)])
def test_theorem_exact_losses_over_all_neighbours(noise: SmoothStudent | SmoothLaplace) -> None:
    """What is told are whole numbers: the noise, of the scale of each data set, rounded."""
    points = np.arange(-400, 401)
    law = stats.t(3) if isinstance(noise, SmoothStudent) else stats.laplace()
    delta = 0.0 if isinstance(noise, SmoothStudent) else noise.delta

    @cache
    def find_law(cost: Fraction, bound: Fraction) -> NDArray[np.float64]:
        scale = float(bound) / noise.shift
        edges = np.abs(np.concatenate([points - 0.5, points[-1:] + 0.5]) - float(cost)) / scale
        signs = np.sign(np.concatenate([points - 0.5, points[-1:] + 0.5]) - float(cost))
        tails = law.sf(edges)
        inner = np.where(signs[:-1] * signs[1:] > 0, np.abs(np.diff(tails)), 1 - tails[:-1] - tails[1:])
        return np.array([law.sf(edges[0]), *inner, law.sf(edges[-1])])

    seen, worst = see_triangle(noise.base, 2), 0.0
    pairs = {(seen[weights], seen[other]) for weights in seen for other in list_neighbours(weights, 2)}
    for here, there in pairs:
        one, two = find_law(*here), find_law(*there)
        if delta:
            worst = max(worst, float(np.maximum(one - np.exp(noise.epsilon) * two, 0).sum()) / delta)
        else:
            worst = max(worst, float(np.abs(np.log(one) - np.log(two)).max()) / noise.epsilon)
    assert 0.01 < worst <= 1 + 1e-9


def test_the_cost_is_that_of_a_minimum_spanning_tree() -> None:
    made = SpanningTreeCost(TRIANGLE, 100)
    assert made.value([5, 7, 9]) == 12
    assert made.value([5, 700, -9]) == 5
    assert SpanningTreeCost((("a", "b"),), 9).value([4]) == 4


def test_released_costs_are_near_and_say_how_they_were_made() -> None:
    rng = np.random.default_rng(5)
    edges = list(combinations(range(8), 2))
    weights = rng.uniform(0, 3, len(edges))
    exact = float(SpanningTreeCost(tuple(edges), 3 * 2**20).value((weights * 2**20).astype(int))) / 2**20
    spent: list[tuple[dict[str, Any], str]] = [
        ({"epsilon": 50}, "Student"),
        ({"epsilon": 20, "delta": 1e-6}, "Laplace noise"),
        ({"rho": 50}, "log-normal"),
    ]
    for price, word in spent:
        told = [robust.spanning_tree_cost(edges, weights, bound=3, **price) for _ in range(5)]
        assert np.median([abs(each.value - exact) for each in told]) < 2
        assert word in told[0].mechanism
        assert "nothing was charged" in str(told[0]).replace("\n  ", " ")
    assert told[0].loss == ZcdpLoss(Fraction(50))
    coarse = robust.spanning_tree_cost([("a", "b")], [np.nan], bound=10, step=2, epsilon=1e4).value
    assert coarse == 0


@pytest.mark.parametrize(
    ("name", "ask"),
    [
        ("edges", lambda: SpanningTreeCost(((0, 1), (2, 3)), 5)),
        ("edges", lambda: SpanningTreeCost(((0, 0),), 5)),
        ("edges", lambda: SpanningTreeCost((), 5)),
        ("edges", lambda: SpanningTreeCost(("ab",), 5)),  # type: ignore[arg-type]
        ("bound", lambda: SpanningTreeCost(TRIANGLE, 0)),
        ("weights", lambda: SpanningTreeCost(TRIANGLE, 5).value([1, 2])),
        ("epsilon", lambda: robust.spanning_tree_cost(TRIANGLE, [1, 2, 3], bound=5)),
        ("bound", lambda: robust.spanning_tree_cost(TRIANGLE, [1, 2, 3], bound=0, epsilon=1)),
    ],
)
def test_senseless_graphs_are_refused(name: str, ask: Any) -> None:
    with pytest.raises(ParameterError, match=rf"^{name} must be"):
        ask()
